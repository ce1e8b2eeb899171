"""The pages in a real browser: quiet, usable with the keyboard, whole on any screen."""

from __future__ import annotations

from pathlib import Path

import pytest
import samples
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from test_html_page import hostile_page, page_of

from awrlens.report.browse import printed

pytestmark = pytest.mark.browser

NAME = "undo-disk.awr-11.2.txt"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    target = tmp_path / "page.html"
    target.write_text(page_of(NAME), "utf-8")
    return target


def test_no_request_leaves_the_page_and_nothing_complains(file: Path) -> None:
    with opened(file) as found:
        found.page.locator("details.sections > summary").click()
        found.page.locator("details.sections .list details").first.wait_for()
        for summary in found.page.locator("article > details > summary").all():
            summary.click()

        assert found.requests == [file.as_uri()]
        assert found.complaints == []


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_nothing_is_wider_than_the_screen(file: Path, width: int) -> None:
    with opened(file, width) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        found.page.locator("details.sections .list details").first.wait_for()

        wide = found.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_and_use_it(file: Path, scheme: str) -> None:
    """Checked by axe-core: contrast, names, order of headings, keyboard."""
    with opened(file, scheme=scheme) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        found.page.locator("details.sections .list details").first.wait_for()

        violations = Axe().run(found.page).response["violations"]
        assert [] == [
            (each["id"], each["nodes"][0]["html"])
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]


def test_the_theme_can_be_changed(file: Path) -> None:
    with opened(file) as found:
        before = found.page.evaluate("getComputedStyle(document.body).backgroundColor")
        found.page.get_by_role("button", name="dark and light").focus()
        found.page.keyboard.press("Enter")
        after = found.page.evaluate("getComputedStyle(document.body).backgroundColor")

        assert before == "rgb(255, 255, 255)"
        assert after != before


def test_facts_can_be_searched_and_sorted(file: Path) -> None:
    with opened(file) as found:
        page = found.page
        page.locator("summary", has_text="numbers with formulas").click()
        rows = page.locator("table.facts tbody tr:visible")
        every = rows.count()
        page.get_by_label("Search", exact=True).fill("undo records")
        names = rows.locator("td:first-child").all_text_contents()
        assert "undo.rollback_records_applied" in names
        assert 0 < len(names) < every
        page.get_by_label("Search", exact=True).fill("")
        page.get_by_role("button", name="value").click()
        shown = page.locator("table.facts tbody td:nth-child(2)")
        sorts = [node.get_attribute("data-sort") or "" for node in shown.all()]
        numbers = [float(text) for text in sorts if text]
        assert numbers == sorted(numbers)
        assert sorts[: len(numbers)] == [text for text in sorts if text]  # blanks come last


def test_a_finding_opens_the_section_that_its_line_stands_in(file: Path) -> None:
    line = samples.analysis(NAME).facts["undo.rollback_records_applied"].evidence[0].line
    with opened(file) as found:
        page = found.page
        page.locator("section", has_text="UNDO002").locator("summary").first.click()
        printed_line = page.locator("pre.printed", has=page.locator(f"text={line}")).first
        assert printed_line.locator("mark").all_text_contents() == ["48,219,732"]
        page.locator(f'button.open[data-line="{line}"]').first.click()
        section = page.locator("details.sections .list details[open]")
        section.wait_for()
        assert section.locator("summary").inner_text().startswith("Instance Activity Stats ·")
        shown = section.locator("tr.hit")
        assert shown.inner_text().startswith("rollback changes - undo records")


def test_every_section_of_the_report_is_there_and_can_be_searched(file: Path) -> None:
    tables = list(printed(samples.report(NAME)))
    with opened(file) as found:
        page = found.page
        page.locator("details.sections > summary").click()
        listed = page.locator("details.sections .list > details")
        listed.first.wait_for()
        assert listed.count() == len(tables)
        page.get_by_label("Search titles and cells").fill("UNDOTBS1 writes")
        page.locator(".hits", has_text="tables").wait_for()
        visible = page.locator("details.sections .list > details:visible")
        visible.first.locator("summary").click()
        visible.first.locator("td", has_text="UNDOTBS1").first.wait_for()
        assert 0 < visible.count() < len(tables)
        assert "UNDOTBS1" in visible.first.inner_text()


def test_commands_are_copied_with_one_click(file: Path) -> None:
    with opened(file) as found:
        page = found.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        button = page.locator("button.copy").first
        command = button.locator("xpath=../following-sibling::pre[1]").inner_text()
        button.click()
        page.locator("button.copy", has_text="Copied").wait_for()

        assert page.evaluate("navigator.clipboard.readText()") == command


def test_what_a_part_of_a_picture_says_is_shown_under_the_pointer(file: Path) -> None:
    with opened(file) as found:
        box = found.page.locator(".chart .box[data-tip]").nth(2)
        box.hover()

        assert found.page.locator("#tip").inner_text() == box.get_attribute("data-tip")


def test_a_link_to_a_finding_unfolds_what_it_stands_in(tmp_path: Path) -> None:
    target = tmp_path / "cluster.html"
    target.write_text(page_of("redo-cluster.awr-rac-11.2.txt"), "utf-8")
    with opened(target) as found:
        place = found.page.locator("article details section.card").first
        assert not place.is_visible()
        found.page.evaluate("(id) => { location.hash = id; }", place.get_attribute("id"))
        place.wait_for(state="visible")


def test_what_a_report_says_runs_nothing(tmp_path: Path) -> None:
    target = tmp_path / "hostile.html"
    target.write_text(hostile_page(), "utf-8")
    with opened(target) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        found.page.locator("details.sections .list details").first.wait_for()
        found.page.evaluate(
            "document.querySelectorAll('.list details').forEach((d) => d.open = true)"
        )
        found.page.locator("details.sections .list td").first.wait_for()

        assert found.complaints == []
        assert found.requests == [target.as_uri()]
        assert found.page.locator("img").count() == 0
        assert "<img src=x" in found.page.locator("details.sections .list").inner_text()


def test_it_prints(file: Path, tmp_path: Path) -> None:
    with opened(file) as found:
        data = found.page.pdf(path=tmp_path / "page.pdf", format="A4")

    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") > 1 or data.count(b"/Type /Page ") + data.count(
        b"/Type/Page"
    )


def test_a_page_of_many_reports_keeps_to_its_size() -> None:
    """Sections are left out of a page of many reports; each of the others weighs its own."""
    many = page_of(*[NAME] * 11)
    few = page_of(NAME)

    assert many.count("<article") == 11
    assert 'class="packed"' not in many
    assert len(few) < 300_000
    assert len(many) < 11 * len(few)
