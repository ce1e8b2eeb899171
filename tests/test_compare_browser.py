"""The page of a comparison in a real browser: quiet, readable, whole on any screen and on paper.

The order of its blocks is in ``snapshots/compare.structure.txt``: a change of it is to be seen.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from compared import fair

from awrlens.render import compare_page, pages
from awrlens.render.pages import Extras

pytestmark = pytest.mark.browser

SIDES = [f"redo-{each}.awr-11.2.txt" for each in ("disk", "accelerator")]
STRUCTURE = Path(__file__).parent / "snapshots" / "compare.structure.txt"
#: The visible blocks in order: tag, and the words that name it.
OUTLINE = """[...document.querySelectorAll('article > *')]
  .filter((node) => node.checkVisibility())
  .map((node) => {
    const bars = node.querySelectorAll('.barrow').length;
    const kind = node.tagName === 'DIV' ? 'table' : node.tagName.toLowerCase();
    const name = node.getAttribute('aria-label')
      || node.querySelector('summary, .badge')?.textContent.trim()
      || (kind[0] === 'h' ? node.textContent : node.className);
    return `${kind} ${bars ? `${bars} bars` : name}`;
  })"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("compare") / "compared.html"
    page = compare_page.page(fair(*SIDES))
    target.write_text(pages.text(page, Extras("0")), encoding="utf-8")
    return target


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_page_is_whole_and_in_order_on_every_screen(file: Path, width: int) -> None:
    with opened(file, width) as found:
        page = found.page
        assert page.locator("h1").inner_text().startswith(("WORSE:", "MIXED:"))
        outline = "\n".join(page.evaluate(OUTLINE)) + "\n"
        if os.environ.get("AWRLENS_SNAPSHOTS") == "write":
            STRUCTURE.write_text(outline, encoding="utf-8")
        assert STRUCTURE.read_text(encoding="utf-8") == outline
        tracks = page.evaluate(
            "[...document.querySelectorAll('.track')].map((t) => t.getBoundingClientRect())"
            ".map((box) => `${box.left} ${box.width}`)"
        )
        assert len(tracks) >= 5
        assert len(set(tracks)) == 1  # all bars have one axis
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert found.requests == [file.as_uri()]
        assert found.complaints == []
        page.emulate_media(media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not page.locator("nav").is_visible()
        assert page.locator("h1").is_visible()


def test_changes_are_sorted_and_filtered_and_everybody_can_read_them(file: Path) -> None:
    """One page load: table, navigation, then axe-core on everything unfolded."""
    with opened(file) as found:
        page = found.page
        table = page.locator("table.sortable").first
        rows = table.locator("tbody tr:visible")
        every = rows.count()
        page.get_by_role("button", name="worse").first.click()
        assert 0 < rows.count() < every
        assert {"worse"} == set(rows.locator("td:last-child").all_inner_texts())
        page.get_by_role("button", name="all").first.click()
        assert every == rows.count()
        table.get_by_role("button", name="before").click()
        keys = table.locator("td:nth-child(2)").evaluate_all("(c) => c.map((n) => +n.dataset.sort)")
        assert keys == sorted(keys)

        assert not page.locator("#limits ul").is_visible()
        page.get_by_role("link", name="Limits").click()
        page.locator("#limits ul").wait_for(state="visible")

        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            violations = Axe().run(page).response["violations"]
            assert [] == [
                (scheme, each["id"], each["nodes"][0]["html"])
                for each in violations
                if each["impact"] in ("serious", "critical")
            ]
