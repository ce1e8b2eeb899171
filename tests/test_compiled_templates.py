"""Compiled templates are kept as Python keeps modules, and never change a page."""

from __future__ import annotations

from pathlib import Path

import called
import pytest
import samples

from awrlens.render import pages

REPORT = str(samples.path("redo-disk.awr-11.2.txt"))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which a page keeps its templates."""
    monkeypatch.setattr("sys.pycache_prefix", str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    return tmp_path


def page() -> str:
    """A page by a process that has compiled no template yet."""
    pages._environment.cache_clear()
    status, out, _ = called.call("analyze", REPORT, "-f", "html")
    assert 0 == status
    return out


def codes(folder: Path) -> dict[Path, bytes]:
    return {each: each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def test_a_page_is_the_same_with_templates_that_were_kept(kept: Path) -> None:
    first = page()
    written = codes(kept)

    assert any("report.html.j2" in each.name for each in written)
    assert first == page()
    assert written == codes(kept)


def test_damaged_code_is_replaced(kept: Path) -> None:
    first = page()
    written = codes(kept)
    for number, each in enumerate(written):
        each.write_bytes(written[each][: 40 * number])

    assert first == page()
    assert written == codes(kept)


@pytest.mark.usefixtures("kept")
def test_code_of_other_options_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    first = page()
    monkeypatch.setattr(pages, "_OPTIONS", {"trim_blocks": False})

    assert first != page()
    pages._environment.cache_clear()


def test_nothing_is_kept_where_python_keeps_no_modules(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", True)

    assert page()
    assert {} == codes(kept)


def test_a_folder_that_cannot_be_written_to_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("sys.pycache_prefix", str(tmp_path / "file"))
    monkeypatch.setattr("sys.dont_write_bytecode", False)

    assert page()
