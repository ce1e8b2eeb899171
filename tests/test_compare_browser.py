"""The page of a comparison in a real browser: quiet, readable, whole on any screen."""

from __future__ import annotations

from pathlib import Path

import pytest
import samples
from axe_playwright_python.sync_playwright import Axe
from browser import opened

from awrlens.cli import run

pytestmark = pytest.mark.browser


@pytest.fixture
def file(tmp_path: Path) -> Path:
    target = tmp_path / "compared.html"
    sides = [str(samples.path(f"redo-{each}.awr-11.2.txt")) for each in ("disk", "accelerator")]
    assert 0 == run(["compare", *sides, "--html", str(target)])
    return target


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_page_asks_for_nothing_and_is_no_wider_than_the_screen(file: Path, width: int) -> None:
    with opened(file, width) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")

        assert found.requests == [file.as_uri()]
        assert found.complaints == []
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_and_use_it(file: Path, scheme: str) -> None:
    """Checked by axe-core: contrast, names, order of headings, keyboard."""
    with opened(file, scheme=scheme) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")

        violations = Axe().run(found.page).response["violations"]
        assert [] == [
            (each["id"], each["nodes"][0]["html"])
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]
