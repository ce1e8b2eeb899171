"""Pages never name the folders of the machine on which they were made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import samples

from awrlens.cli import run

LOG = Path(__file__).parent / "alertlogs" / "10g.log"
ERRORLOG = samples.path("sqlserver-errorlog.log")
SHORT = ("--minutes", "1")
DISK, FLASH = samples.path("redo-disk.awr-11.2.txt"), samples.path("redo-accelerator.awr-11.2.txt")

#: Every kind of page: the command before the files, the files, the command after them.
PAGES: dict[str, tuple[tuple[str, ...], tuple[Path, ...], tuple[str, ...]]] = {
    "report": (("analyze",), (DISK,), ()),
    "reports": (("analyze",), (DISK, FLASH, LOG), ()),
    "periods": (("analyze",), (samples.path("redo-compared.awr-diff-11.2.html"),), ()),
    "alert log": (("analyze",), (LOG,), ()),
    "SQL Server log": (("analyze",), (ERRORLOG,), ()),
    "comparison": (("compare",), (DISK, FLASH), ()),
    "trend": (("trend",), (DISK, FLASH, samples.path("redo-disk.awr-11.2.html")), ()),
    "simulation": (("recovery", "simulate", "--report"), (DISK,), SHORT),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_folder_of_its_source(name: str, tmp_path: Path) -> None:
    before, files, after = PAGES[name]
    folder = tmp_path / "customers-of-the-analyst"
    folder.mkdir()
    copies = [shutil.copy(file, folder) for file in files]
    page = tmp_path / "page.html"

    assert 0 == run([*before, *map(str, copies), *after, "--html", str(page)])
    text = page.read_text(encoding="utf-8")
    assert "<title>" in text
    assert folder.name not in text


@pytest.mark.parametrize("name", ["analyze", "compare"])
def test_text_for_a_ticket_has_no_folder_either(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "customers-of-the-analyst"
    folder.mkdir()
    copies = [str(shutil.copy(file, folder)) for file in (DISK, FLASH)]

    assert 0 == run([name, *copies, "-f", "markdown"])
    assert folder.name not in capsys.readouterr().out
