"""The pages in a real browser: quiet, usable with the keyboard, whole on any screen."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import samples
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from test_html_page import hostile_page, page_of

from awrlens.cli import run
from awrlens.model.analysis import Share
from awrlens.model.chart_data import Exhibits
from awrlens.render.html import page, render
from awrlens.render.pages import Extras

pytestmark = pytest.mark.browser

NAME = "undo-disk.awr-11.2.txt"


def approved(name: str, shown: str) -> None:
    """AWRLENS_SNAPSHOTS=write renews the files; read them before they are committed."""
    file = Path(__file__).parent / "snapshots" / name
    if os.environ.get("AWRLENS_SNAPSHOTS") == "write":
        file.write_text(shown + "\n", encoding="utf-8")
    assert file.read_text(encoding="utf-8") == shown + "\n"


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


#: What stands on the page, in which order and in how many columns; and what is wrong with it.
OUTLINE = (Path(__file__).parent / "outline.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_page_is_laid_out_as_approved(file: Path, width: int) -> None:
    with opened(file, width) as found:
        page = found.page
        page.locator("details.charts > summary").click()
        page.wait_for_function("document.querySelector('.charts .area').clientWidth > 0")
        page.evaluate("new Promise(requestAnimationFrame)")
        approved(f"{NAME}.{width}.layout.txt", page.evaluate(OUTLINE))

        # with everything unfolded, too, nothing is wider than the screen
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        page.locator("details.sections .list details").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_prints_light_with_its_numbers_on_four_sheets(file: Path) -> None:
    with opened(file, 700, scheme="dark") as found:
        page = found.page
        page.emulate_media(media="print", color_scheme="dark")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        approved(f"{NAME}.print.layout.txt", page.evaluate(OUTLINE))

        color = "getComputedStyle(document.querySelector('.card')).backgroundColor"
        assert page.evaluate(color) == "rgb(246, 248, 250)"
        assert page.evaluate("getComputedStyle(document.querySelector('h2')).breakAfter") == "avoid"
        hidden = "[...document.querySelectorAll('.proof td')].filter((n) => !n.checkVisibility())"
        assert page.locator(".proof td").count() > 0
        assert page.evaluate(f"{hidden}.length") == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("details.proof[open]").count() == 0
        assert int(re.findall(rb"/Count (\d+)", page.pdf(format="A4"))[-1]) <= 4


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_and_use_it(file: Path, scheme: str) -> None:
    """Checked by axe-core: contrast, names, order of headings, keyboard; of facts, ten rows."""
    with opened(file, scheme=scheme) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        more = "document.querySelectorAll('.facts tbody tr:nth-child(n+11)')"
        found.page.evaluate(f"{more}.forEach((row) => row.remove())")
        found.page.locator("details.sections .list details").first.wait_for()

        violations = Axe().run(found.page).response["violations"]
        assert [] == [
            (each["id"], each["nodes"][0]["html"])
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]


@pytest.mark.parametrize("width", [360, 1440])
def test_every_tile_has_its_state_below_its_name_and_units_stay_next_to_numbers(
    tmp_path: Path, width: int
) -> None:
    target = tmp_path / "page.html"
    target.write_text(page_of("redo-disk.awr-19c.html"), "utf-8")
    with opened(target, width) as found:
        tiles = found.page.locator(".strip b")
        assert tiles.count() == 6
        assert len({tile.evaluate("(b) => b.offsetHeight") for tile in tiles.all()}) == 1
        for text in found.page.locator(".strip .small").all_inner_texts():
            assert not re.search(r"\d [a-zA-Z%]", text), text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_parts_of_the_write_path_differ_and_none_has_the_color_of_a_severity(
    tmp_path: Path, scheme: str
) -> None:
    """Commits, log switches and the log buffer are all redo: red is only what is critical."""
    analysis = samples.analysis("redo-disk.awr-19c.html")
    overview = analysis.overview
    assert overview is not None
    names = (("commits", "redo"), ("switches", "redo"), ("log buffer", "redo"), ("temp", "temp"),
             ("undo", "undo"), ("free buffers", "checkpoint"))  # fmt: skip
    parts = tuple(Share(name, part, 100.0, 10.0) for name, part in names)
    shown = analysis._replace(overview=overview._replace(db_time=parts))
    target = tmp_path / "page.html"
    target.write_text(render([page(shown, Exhibits())], Extras("0")), "utf-8")
    fill = "(all) => all.map((e) => getComputedStyle(e).background)"
    with opened(target, scheme=scheme) as found:
        bar, keys = (
            found.page.locator(f"{where} :is(.t-redo, .t-temp, .t-undo, .t-checkpoint)")
            .evaluate_all(fill)
            for where in (".dbtime", ".keys")
        )  # fmt: skip
        severities = {
            found.page.evaluate(
                f"getComputedStyle(document.documentElement).getPropertyValue('--{s}')"
            )
            for s in ("critical", "warning")
        }
        colours = {
            found.page.evaluate(
                f"getComputedStyle(document.documentElement).getPropertyValue('--{c}')"
            )
            for c in ("c1", "c2", "c5", "c6")
        }

        assert len(names) == len(bar) == len(set(bar))
        assert bar == keys
        assert not severities & colours


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_parts_of_db_time_outside_the_write_path_differ_and_their_legend_does_too(
    tmp_path: Path, scheme: str
) -> None:
    target = tmp_path / "page.html"
    target.write_text(page_of("redo-disk.awr-19c.html"), "utf-8")
    fill = "(all) => all.map((e) => { const s = getComputedStyle(e); return s.background; })"
    with opened(target, scheme=scheme) as found:
        bar, keys = (
            found.page.locator(f"{where} .t-other").evaluate_all(fill)
            for where in (".dbtime", ".keys")
        )
        assert len(bar) == len(set(bar)) > 1
        assert bar == keys


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
        page.locator("#r1-UNDO002 .proof > summary").click()
        printed_line = page.locator("pre.printed", has=page.locator(f"text={line}")).first
        assert printed_line.locator("mark").all_text_contents() == ["48,219,732"]
        row = page.locator("#r1-UNDO002 tr", has_text="undo.rollback_records_applied").first
        link = row.get_by_role("link", name=str(line))
        link.scroll_into_view_if_needed()
        before = page.evaluate("[location.href, scrollY]")
        link.click()
        section = page.locator("details.sections .list details[open]")
        section.wait_for()
        assert section.locator("summary").inner_text().startswith("Instance Activity Stats ·")
        shown = section.locator("tr.hit")
        assert shown.inner_text().startswith("rollback changes - undo records")
        page.wait_for_function("(top) => scrollY > top", arg=before[1])
        page.go_back()
        page.wait_for_function("(top) => scrollY === top", arg=before[1])
        assert page.evaluate("location.href") == before[0]


def test_an_address_with_a_line_opens_it(file: Path) -> None:
    line = samples.analysis(NAME).facts["undo.rollback_records_applied"].evidence[0].line
    with opened(file) as found:
        found.page.goto(f"{file.as_uri()}#r1-line-{line}-undo.rollback_records_applied")
        found.page.reload()
        hit = found.page.locator("details.sections tr.hit")
        hit.wait_for()
        assert "48,219,732" in hit.inner_text()


def test_every_section_of_the_report_is_there_and_can_be_searched(file: Path) -> None:
    tables = list(samples.report(NAME).printed())
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


def test_commands_and_the_summary_are_copied_with_one_click(file: Path) -> None:
    with opened(file) as found:
        page = found.page
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        summary = page.locator("button.copy:text-is('Copy summary')")
        command = page.locator("section.card button.copy:text-is('Copy')").first
        for button, text in (
            (summary, summary.locator("xpath=following-sibling::span[1]").text_content()),
            (command, command.locator("xpath=../following-sibling::pre[1]").inner_text()),
        ):
            button.evaluate("(button) => button.click()")
            page.locator("button.copy", has_text="Copied").last.wait_for()

            assert page.evaluate("navigator.clipboard.readText()") == text
            page.locator("button.copy", has_text="Copied").wait_for(state="detached")


def test_values_of_charts_are_shown_under_the_pointer_and_by_keyboard(file: Path) -> None:
    with opened(file) as found:
        boxes = found.page.locator(".chart .box[data-tip]")
        tip = found.page.locator("#tip")
        boxes.nth(2).hover()
        assert tip.inner_text() == boxes.nth(2).get_attribute("data-tip")

        boxes.first.focus()
        found.page.keyboard.press("ArrowRight")
        said = boxes.nth(1).get_attribute("data-tip")
        assert tip.inner_text() == said
        active = found.page.locator(":focus")
        assert active.get_attribute("aria-label") == said
        stops = active.locator("xpath=..").locator("[tabindex='0']")
        assert stops.count() == 1  # Tab leaves the chart
        found.page.keyboard.press("Escape")
        assert not tip.is_visible()


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


def test_a_page_of_many_reports_keeps_to_its_size() -> None:
    """Sections are left out of a page of many reports; each of the others weighs its own."""
    many = page_of(*[NAME] * 11)
    few = page_of(NAME)

    assert many.count("<article") == 11
    assert 'class="packed"' not in many
    assert len(few) < 300_000
    assert len(many) < 11 * len(few)


@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_many_reports_are_filtered_by_severity_on_any_screen(tmp_path: Path, width: int) -> None:
    log = Path(__file__).parent / "alertlogs" / "10g.log"
    names = (NAME, "redo-accelerator.awr-11.2.txt", "busy-commit.statspack-9.2.lst")
    target = tmp_path / "page.html"
    assert 0 == run(["analyze", *(str(samples.path(name)) for name in names), str(log),
                     "--html", str(target)])  # fmt: skip
    with opened(target, width) as found:
        page = found.page
        rows = page.locator("table").first.locator("tbody tr:visible")

        assert page.locator("h1").inner_text() == "4 reports, worst first"
        assert page.locator("h2").all_inner_texts()[:2] == ["Reports", "Alert logs"]
        assert rows.count() == len(names)
        page.get_by_role("button", name="info").click()
        assert 0 < rows.count() < len(names)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if width > 700:  # no paper is as narrow as a phone
            page.emulate_media(media="print")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert found.complaints == []
