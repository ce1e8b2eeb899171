"""The site of docs/, built with the command of `make site`: a dead link fails."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.outside


@pytest.fixture
def build(tmp_path: Path) -> list[str]:
    """The command of `make site`; it is for a copy of the documentation, not for the checkout."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nsite:")[2]
    program, *options = re.findall(r"^\t\$\(BIN\)/(mkdocs .*)$", recipe, re.M)[0].split()
    return [str(Path(sys.executable).with_name(program)), *options]


def test_the_site_has_every_page_and_no_dead_link(build: list[str], tmp_path: Path) -> None:
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert 0 == done.returncode, done.stderr
    pages = {path.stem for path in (tmp_path / "docs").glob("*.md")}
    assert pages <= {path.stem for path in (tmp_path / "out" / "site").glob("*.html")}


def test_dead_links_and_anchors_fail(build: list[str], tmp_path: Path) -> None:
    links = ["no_such_page.md", "../README.md", "#no-such-heading", "/glossary.md"]
    for page in (tmp_path / "docs").glob("*.md"):
        page.unlink()
    text = "\n\n".join(["# awrlens", *(f"[dead]({link})" for link in links)])
    (tmp_path / "docs" / "index.md").write_text(text, encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(config.read_text(encoding="utf-8").partition("\nnav:")[0], encoding="utf-8")
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert 1 == done.returncode
    assert [] == [link for link in links if f"'{link}'" not in done.stderr]
    assert "Aborted with 4 warnings" in done.stdout
