"""The page of a trend: whole in itself, deaf to markup, quick with a thousand windows."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from invented import HOUR, MONDAY, hours, weeks, who, window
from selectolax.lexbor import LexborHTMLParser
from test_trend_command import hostile

from awrlens.cli import intervals
from awrlens.model.trend import LOAD, Mention, Trend, Window, Worst
from awrlens.render.blocks import Paragraph, Table
from awrlens.render.lines import NO_BREAK
from awrlens.render.pages import Extras
from awrlens.render.trend_html import render
from awrlens.render.trend_page import leading, page
from awrlens.series.differences import DEFAULT

SHOWN = intervals.quantities(DEFAULT)
#: What a page of a thousand windows may weigh.
LARGEST = 1_500_000
#: How often a chart is looked at until it is drawn anew.
LOOKS = 200


def thousand() -> Trend:
    names = intervals.needed(SHOWN)
    found = [*weeks(500, names), *weeks(500, names, who(2))]
    del found[100:110]
    found[300] = found[300]._replace(startup=found[300].begin and found[300].begin + HOUR / 30)
    return intervals.trend(found, SHOWN)


def page_of(trend: Trend) -> str:
    return render(trend, Extras("0"))


def data_of(page: str) -> Any:
    node = LexborHTMLParser(page).css_first("#data")
    assert node is not None
    return json.loads(node.text())


def test_no_request_leaves_the_page() -> None:
    tree = LexborHTMLParser(page_of(intervals.trend(hours(range(1, 12)), SHOWN)))

    assert tree.css("link, img, iframe, object, script[src]") == []
    for node in tree.css("[href]"):
        assert str(node.attributes["href"]).startswith("#")


def test_the_page_holds_the_numbers_and_what_stands_out() -> None:
    found = hours([5.0, 5.1, 5.2, 5.1, 70.125, None, 5.3, 5.1, 5.2, 5.1])
    del found[2]
    data = data_of(page_of(intervals.trend(found, SHOWN)))
    (series,) = data["series"]

    assert series["values"]["redo.write_ms"] == [5, 5.1, 5.1, 70.125, None, 5.3, 5.1, 5.2, 5.1]
    assert list(series["outliers"]["redo.write_ms"]) == ["3"]
    assert series["outliers"]["redo.write_ms"]["3"] == 1
    assert series["usual"]["redo.write_ms"][:2] == [5.1, 5.1]
    assert [end - begin for begin, end, _ in series["breaks"]] == [3600]
    assert "temp.read_ms" not in series["values"]


@pytest.mark.slow
def test_a_thousand_windows_make_a_page_of_a_moderate_size() -> None:
    assert len(page_of(thousand())) < LARGEST


def test_what_a_report_says_never_becomes_markup_or_script() -> None:
    page = page_of(hostile())
    tree = LexborHTMLParser(page)

    assert tree.css("img") == []
    assert len(tree.css("script")) == 5
    raw = page[page.index('id="data"') : page.index("</script>", page.index('id="data"'))]
    assert not re.search("<(?!/script)|\u2028", raw.partition(">")[2])
    assert "onerror" in data_of(page)["series"][0]["name"]
    assert "{{7*7}}" in data_of(page)["series"][0]["name"]


def test_the_licence_of_what_is_not_ours_is_in_the_page() -> None:
    page = page_of(intervals.trend(hours(range(1, 12)), SHOWN))

    assert "Leon Sorokin" in page
    assert "The MIT License" in page


def test_instances_of_a_database_share_a_chart_and_a_single_window_has_none() -> None:
    both = [window(MONDAY + n * HOUR, {"redo.write_ms": n + 1.0}, of=who(i))
            for n in range(12) for i in (1, 2)]  # fmt: skip
    alone = window(MONDAY, {"redo.write_ms": 1.0}, of=who(1, "OPAL", "9"))
    tree = LexborHTMLParser(page_of(intervals.trend([*both, alone], SHOWN)))

    first, chart = tree.css("figure.trend")
    assert first.attributes["data-series"] == "1"  # the overview has the worst series
    assert chart.attributes["data-series"] == "1,2"
    assert len(chart.css("tbody tr")) == 2
    databases = tree.css("details.database")
    assert "A chart needs at least two intervals" in databases[1].text()


def test_the_charts_at_the_top_are_of_the_series_of_the_headline_and_its_load_is_below() -> None:
    def of(number: int, ms: list[float]) -> list[Window]:
        return [
            window(MONDAY + n * HOUR, {"redo.write_ms": each, LOAD: 2.0}, of=who(number))
            for n, each in enumerate(ms)
        ]

    steady, slow = [5.0, 5.1, 4.9, 5.2] * 3, [1.0, 1.1, 0.9, 1.2] * 3
    slow[7] = 80.0
    trend = intervals.trend([*of(1, steady), *of(2, slow)], SHOWN)
    assert "pearl2" in page(trend).headline
    tree = LexborHTMLParser(page_of(trend))
    top = tree.css(".overview figure")

    assert "pearl2" in tree.css_first("#overview").text()  # type: ignore[union-attr]
    assert [each.attributes["data-fact"] for each in top[:2]] == ["redo.write_ms", LOAD]
    assert "card trend load" == top[1].attributes["class"]
    alone = intervals.trend([*of(1, steady), *of(2, [1.0])], SHOWN)
    worst = alone._replace(worst=(Worst(1, 0),), changed=())
    shown = page_of(worst)
    (name,) = LexborHTMLParser(shown).css("#overview")
    assert name.text() == "PEARL pearl1 (1)"
    assert (
        "PEARL pearl2 (2): a chart needs at least two intervals; the chart is of PEARL pearl1 (1)."
    ) in shown


def test_the_change_of_the_headline_has_its_figures_before_and_after_above_all_charts() -> None:
    values = [5.0, 5.1, 4.9, 5.2, 4.8] * 16
    found = [
        window(
            MONDAY + n * HOUR, {"redo.write_ms": v * (2.5 if n > 50 else 1), "redo.sync_ms": 9.0}
        )
        for n, v in enumerate(values)
    ]
    trend = intervals.trend(found, SHOWN)
    latest, table, *_ = page(trend).blocks

    assert isinstance(latest, Paragraph)
    assert latest.text.startswith("Latest interval, 2026-03-05 07:00 to 08:00: ✔ no finding")
    assert isinstance(table, Table)
    assert [row.cells for row in table.rows] == [
        ("Redo write time", "5.02 ms", "12.5 ms", "×\u00a02.49")
    ]
    shown = page_of(trend)
    assert shown.index('aria-label="Before and after"') < shown.index('id="overview"')
    calm = page(intervals.trend(found[:50], SHOWN))
    assert not [each for each in calm.blocks if getattr(each, "label", "") == "Before and after"]


def test_an_empty_trend_is_a_page_too() -> None:
    assert "No interval" in page_of(intervals.trend([], SHOWN))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "trend.html"
    target.write_text(page_of(thousand()), encoding="utf-8")
    return target


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_thousand_windows_stay_responsive_and_all_charts_are_drawn_without_scrolling(
    large: Path, scheme: str
) -> None:
    with opened(large, scheme=scheme) as found:
        page = found.page
        figures = page.locator("figure.trend")
        assert figures.count() == len(DEFAULT) + 2
        figures.last.locator("canvas").wait_for()
        figures.first.scroll_into_view_if_needed()
        figures.first.locator("canvas").wait_for()
        figures.first.locator("details.numbers summary").click()
        rows = figures.first.locator("details.numbers tbody tr")
        rows.first.wait_for()  # they are made when a browser tells that they are looked at
        assert rows.count() == 100
        page.select_option("#heat-fact", "redo.sync_ms")
        assert page.locator("#heat-map td.h").count() > 400
        page.locator("#all-windows summary").click()
        page.locator("#all-windows tbody tr").first.wait_for()
        assert page.locator("#all-windows tbody tr").count() <= 100
        assert found.complaints == []
        assert found.requests == [large.as_uri()]


@pytest.mark.browser
@pytest.mark.parametrize("back", ["button", "double click"])
def test_zoom_is_shared_by_all_charts_and_taken_back(large: Path, back: str) -> None:
    with opened(large, height=2400) as found:
        page = found.page
        page.locator("#charts").scroll_into_view_if_needed()
        page.locator("figure.trend canvas").nth(1).wait_for()
        over = page.locator("figure.trend .u-over").first
        over.scroll_into_view_if_needed()
        chart = page.locator("figure.trend canvas").nth(1)
        before = chart.screenshot()
        box = over.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 100, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + 220, box["y"] + 60, steps=5)
        page.mouse.up()
        page.mouse.move(box["x"] + 20, box["y"] - 150)
        assert any(before != chart.screenshot() for _ in range(LOOKS))
        if back == "button":
            page.locator("#zoom-out").click()
        else:
            page.mouse.dblclick(box["x"] + 20, box["y"] + 60)
            page.mouse.move(box["x"] + 20, box["y"] - 150)
        assert any(before == chart.screenshot() for _ in range(LOOKS))
        assert found.complaints == []


#: Notes what a chart draws: thin lines, and the texts of its axes with their places.
NOTED = """(() => {
  const of = CanvasRenderingContext2D.prototype, { stroke, fillText } = of;
  window.thin = 0; window.draws = 0; window.texts = [];
  const { clearRect } = of;
  of.clearRect = function (...a) {
    window.draws += 1; // a chart may be drawn again
    return clearRect.apply(this, a);
  };
  of.stroke = function (...a) {
    if (this.globalAlpha < 1) window.thin += 1;
    return stroke.apply(this, a);
  };
  of.fillText = function (t, x, y) {
    const m = this.getTransform(), w = this.measureText(t).width;
    window.texts.push([t, x * m.a + m.e, y * m.d + m.f, w, this.textAlign]);
    return fillText.call(this, t, x, y);
  };
})()"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1440])
def test_days_without_data_are_a_gap_and_labels_of_an_axis_stay_apart(
    tmp_path: Path, width: int
) -> None:
    """Two intervals, one after six hours, one after four days: one thin line, not two."""
    fact = "redo.write_ms"
    at = (0, 1, 7, 7 + 96, 8 + 96, 9 + 96)
    trend = intervals.trend(
        [window(MONDAY + n * HOUR, {fact: float(n + 1)}) for n in at], intervals.quantities((fact,))
    )
    target = tmp_path / "trend.html"
    target.write_text(page_of(trend), encoding="utf-8")
    with opened(target, width) as found:
        found.page.add_init_script(NOTED)
        found.page.reload()
        charts = found.page.locator("figure.trend canvas")
        charts.first.wait_for()
        found.page.wait_for_function("window.texts.length > 3")
        drawn = charts.count()
        texts = found.page.evaluate("window.texts")
        rows: dict[float, list[tuple[float, float]]] = {}
        for text, x, y, wide, align in texts:
            if align == "center" and re.fullmatch(r"[\d:-]+", text):
                rows.setdefault(y, []).append((x - wide / 2, x + wide / 2))

        assert found.page.evaluate("window.draws") >= drawn
        assert found.page.evaluate("window.thin === window.draws")
        assert rows
        for row in rows.values():
            ends = sorted(set(row))
            assert all(a[1] < b[0] for a, b in pairwise(ends)), ends


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_page_answers_in_order_on_any_screen_and_on_paper(tmp_path: Path, width: int) -> None:
    """Headline, charts of the worst series, changes, series, worst intervals; then the rest."""
    values = [5.0, 5.1, 4.9, 5.2, 4.8] * 16
    values = [v * (2.5 if n > 50 else 60 if n == 20 else 1) for n, v in enumerate(values)]
    target = tmp_path / "page.html"
    target.write_text(page_of(intervals.trend(hours(values), SHOWN)), encoding="utf-8")
    with opened(target, width=width) as found:
        page = found.page
        page.locator("figure.trend").first.scroll_into_view_if_needed()
        page.locator("figure.trend canvas").first.wait_for()
        wide = "document.documentElement.scrollWidth"
        titles = page.locator("h1, h2").all_inner_texts()

        assert "since 2026-03-04 03:00" in titles[0]
        assert titles[1:] == [
            "PEARL pearl1 (1)", "What changed", "Series, worst first", "Worst intervals",
            "All charts", "Heat map: hour by day", "All intervals",
        ]  # fmt: skip
        assert page.evaluate(wide) <= width
        page.emulate_media(media="print")
        assert page.evaluate(wide) <= width
        # printed at another width than it was drawn for, a chart fills its card and is not cut
        assert page.evaluate(
            "[...document.querySelectorAll('.canvas canvas')].every((canvas) => {"
            " canvas.parentElement.style.width = '2000px';"
            " const edge = canvas.closest('figure').getBoundingClientRect().right;"
            " return canvas.getBoundingClientRect().right <= edge; })"
        )
        assert page.locator("h1").is_visible()
        assert not page.locator("nav").is_visible()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_read_and_use_the_page(tmp_path: Path, scheme: str) -> None:
    """Checked by axe-core, with everything open: contrast, names, order of headings, keyboard."""
    some = intervals.quantities(["redo.write_ms", "redo.sync_ms"])
    found_in = weeks(240, intervals.needed(some))
    target = tmp_path / "page.html"
    target.write_text(page_of(intervals.trend(found_in, some)), encoding="utf-8")
    with opened(target, scheme=scheme) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        found.page.locator("figure.trend").first.scroll_into_view_if_needed()
        found.page.locator("figure.trend canvas").first.wait_for()
        found.page.locator("#all-windows tbody tr").first.wait_for(state="attached")

        violations = Axe().run(found.page).response["violations"]
        assert [] == [(each["id"], each["nodes"][0]["html"]) for each in violations]


@pytest.mark.browser
def test_hostile_names_run_nothing_in_a_browser(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text(page_of(hostile()), encoding="utf-8")
    with opened(target) as found:
        found.page.locator("figure.trend").first.scroll_into_view_if_needed()
        found.page.locator("figure.trend canvas").first.wait_for()
        found.page.locator("details.numbers summary").first.click()
        found.page.locator("#all-windows summary").click()
        found.page.locator("#all-windows tbody tr").first.wait_for()

        assert found.complaints == []
        assert found.requests == [target.as_uri()]
        assert found.page.locator("img").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize(("values", "logarithmic"), [
    ([0.01, 5.0, 9.0, 7.0, 300.0], False),  # one low value makes no axis logarithmic
    ([1.0, 5.0, 5.0, 5.0, 900.0], True),
])  # fmt: skip
def test_an_axis_is_linear_unless_a_value_is_100_times_the_median_and_the_interval_is_marked(
    tmp_path: Path, values: list[float], logarithmic: bool
) -> None:
    found_in = hours(values)
    slow = Mention("REDO001", "Redo writes are slow", "warning", 9.0, ("redo",))
    found_in[4] = found_in[4]._replace(findings=(slow,), verdict="warning")
    target = tmp_path / "page.html"
    target.write_text(page_of(intervals.trend(found_in, SHOWN)), encoding="utf-8")
    with opened(target) as found:
        found.page.add_init_script(NOTED)
        found.page.reload()
        figure = found.page.locator(".overview figure").first
        figure.locator("canvas").wait_for()
        found.page.wait_for_function("window.texts.length > 3")
        texts = [text for text, *_ in found.page.evaluate("window.texts")]

        assert figure.locator("button.scale").is_visible() == logarithmic
        assert f"2026-03-02 04:00: {values[4]:.0f}" in texts
        assert found.complaints == []


READS, WRITE, ROLLBACKS = "temp.reads_per_s", "redo.write_ms", "undo.rollbacks_per_1000_executes"


def several(*values: tuple[float, float, float]) -> list[Window]:
    return [
        window(MONDAY + n * HOUR, dict(zip((READS, WRITE, ROLLBACKS), each, strict=True)))
        for n, each in enumerate(values)
    ]


def test_of_intervals_without_findings_the_largest_change_is_named_and_said_to_be_no_finding() -> (
    None
):
    found = several((1, 10, 0.03), (1, 10, 0.01), (1, 10, 0.01), (1, 210, 0.01))
    trend = intervals.trend(found, intervals.quantities([READS, WRITE, ROLLBACKS]))

    said = "No interval has a finding; the most unusual one: Redo write time 210 ms, 21.0× the"
    assert page(trend).headline.startswith(said)
    assert leading(trend) == (0, WRITE, found[3].begin)


def spilling(sessions: float | None, headline: str = "") -> Trend:
    """A load of 8 sessions, and 2 at last; the fourth of five intervals alarms."""
    spills = Mention("TEMP001", "Temporary tablespaces do 83 % of all I/O; sessions waited 661 s",
                     "warning", 661.0, ("temp",), sessions)  # fmt: skip
    found = [
        window(MONDAY + n * HOUR, {READS: 9.0 if n == 3 else 1.0, WRITE: 10.0, LOAD: load})
        for n, load in enumerate((8.0, 8.0, 8.0, 8.0, 2.0))
    ]
    found[3] = found[3]._replace(findings=(spills,), verdict="warning", headline=headline)
    found[1] = found[1]._replace(verdict="unknown")
    return intervals.trend(found, intervals.quantities([READS, WRITE, LOAD]))


#: What `analyze` says first of an interval.
OF_TEMP = (
    "Temporary tablespaces do 83 % of all I/O. 1.1 sessions waiting on average. First: tune SQL 7. "
    "Sessions waited 661 s."
)
OF_CPU = "Processes waited for CPU. 46 % of DB time is neither CPU nor waits. First: free CPU."


def test_the_first_chart_is_of_the_sessions_that_wait_for_what_the_headline_names() -> None:
    trend = spilling(1.1, OF_TEMP)
    data = data_of(page_of(trend))
    (figure, _) = LexborHTMLParser(page_of(trend)).css(".overview figure")

    assert page(trend).headline.startswith(
        "Worst interval: Temporary tablespaces do 83 % of all I/O (PEARL pearl1 (1), "
    )
    assert figure.attributes["data-fact"] == "waiting.temp"
    assert figure.css_first("h3").text() == "Sessions waiting: temp"  # type: ignore[union-attr]
    # an interval that is not judged is a gap, one without a finding is 0
    assert data["series"][0]["values"]["waiting.temp"] == [0, None, 0, 1.1, 0]
    assert int(figure.attributes["data-at"] or 0) == data["series"][0]["begin"][3]
    assert leading(spilling(None)) == (0, READS, trend.series[0].windows[3].window.begin)


@pytest.mark.parametrize("headline", [OF_TEMP, OF_CPU])
def test_a_trend_says_first_what_analyze_says_first_of_the_interval(headline: str) -> None:
    trend = spilling(1.1, headline)
    shown = page(trend)
    cause, cost, *_ = headline.split(". ")
    worst = next(each for each in shown.blocks if getattr(each, "label", "") == "Worst intervals")

    assert shown.headline == (
        f"Worst interval: {cause} (PEARL pearl1 (1), 2026-03-02 03:00 to 04:00). "
        "Since then, average active sessions fell from 8 to 2."
    )
    assert isinstance(shown.blocks[0], Paragraph)
    assert shown.blocks[0].text == f"{cost}."
    assert isinstance(worst, Table)
    assert worst.rows[0].cells[2].startswith(cause)


def test_the_chart_of_a_cause_outside_the_write_path_is_that_of_active_sessions() -> None:
    trend = spilling(1.1, OF_CPU)
    tree = LexborHTMLParser(page_of(trend))

    assert [f.attributes["data-fact"] for f in tree.css(".overview figure")] == [LOAD]
    assert leading(trend)[1] == LOAD


def test_no_chart_has_the_internal_name_of_its_fact() -> None:
    assert not LexborHTMLParser(page_of(rising(1, 2, 3))).css("figcaption code")


def rising(*values: float) -> Trend:
    """A load that is even, and redo writes of these milliseconds."""
    found = [
        window(MONDAY + n * HOUR, {"redo.write_ms": value, LOAD: 2.0})
        for n, value in enumerate(values)
    ]
    return intervals.trend(found, SHOWN)


def test_what_rose_in_every_interval_is_the_headline_with_when_and_by_how_much() -> None:
    trend = rising(2, 35, 72, 1_100, 2_300, 12_000)

    assert page(trend).headline.replace(NO_BREAK, " ") == (
        "PEARL pearl1 (1): Redo write time rose from 2 ms to 12,000 ms (× 6,000), in every "
        "interval since 2026-03-02 00:00."
    )
    assert page(trend).severity == "info"
    assert leading(trend)[:2] == (0, "redo.write_ms")


@pytest.mark.parametrize(
    "values",
    [
        (2, 35, 72, 1_100, 12_000),  # five values are in order by chance 1 time in 120
        (2, 35, 72, 1_100, 1_000, 12_000),  # not in every interval
        (10.0, 11, 12, 13, 14, 15),  # less than twice as much
    ],
)
def test_nothing_is_said_to_rise_in_every_interval_where_chance_explains_it(
    values: tuple[float, ...],
) -> None:
    assert "in every interval" not in page(rising(*values)).headline


def test_a_load_that_rises_alone_is_no_headline() -> None:
    found = [window(MONDAY + n * HOUR, {"redo.bytes_per_s": 2.0**n}) for n in range(6)]

    assert "in every interval" not in page(intervals.trend(found, SHOWN)).headline


@pytest.mark.parametrize("share", [0.05, 5.0])
def test_active_sessions_lead_before_slow_redo_writes_that_no_commit_notices(share: float) -> None:
    calm = "No urgent issue on the write path. Parsing takes 93 % of DB time (hard parses 48 %)."
    found = [
        window(MONDAY + n * HOUR, {
            LOAD: 2.0 + n, "redo.write_ms": 2.0 * 5**n, "redo.writes_per_s": 0.03,
            "redo.sync_pct_db_time": share,
        })._replace(headline=calm)
        for n in range(6)
    ]  # fmt: skip
    shown = page(intervals.trend(found, SHOWN))
    said = [each.text for each in shown.blocks if isinstance(each, Paragraph)]
    unnoticed = (
        "A redo write takes 6,250 ms, but there are only 0.03 per second: no effect (< 0.1 % of "
        "DB time)."
    )
    first = shown.headline.replace(NO_BREAK, " ").removeprefix("PEARL pearl1 (1): ")

    if share < 1:
        assert first == (
            "Average active sessions rose from 2 to 7 (× 3.5), in every interval since 2026-03-02 "
            "00:00. Parsing takes 93 % of DB time."
        )
    else:
        assert first.startswith("Redo write time rose from 2 ms to 6,250 ms")
    assert (unnoticed in said) == (share < 1)


def test_a_rise_is_no_headline_where_something_else_alarms() -> None:
    found = [
        window(MONDAY + n * HOUR, {LOAD: 2.0 + n, "redo.write_ms": 2.0 * 5**n},
               findings=[("TEMP001", "Temporary tablespaces do 83 % of all I/O", "warning", 9.0)])
        for n in range(6)
    ]  # fmt: skip

    assert "Temporary tablespaces" in page(intervals.trend(found, SHOWN)).headline


def test_a_finding_of_another_series_leads_before_a_rise() -> None:
    found = [window(MONDAY + n * HOUR, {"redo.write_ms": 2.0**n}) for n in range(6)]
    slow = window(MONDAY, {"redo.write_ms": 9.0}, of=who(1, "RUBY", "4712"),
                  findings=[("REDO001", "Redo writes are slow", "critical", 9.0)])  # fmt: skip

    assert "Redo writes are slow" in page(intervals.trend([*found, slow], SHOWN)).headline


def test_below_the_headline_is_what_the_latest_interval_shows() -> None:
    found = [
        window(MONDAY + n * HOUR, {"redo.write_ms": 2.0},
               findings=[("REDO001", "Redo writes are slow", "warning", 1_800.0)] * (n > 1))
        for n in range(4)
    ]  # fmt: skip
    said = next(each for each in page(intervals.trend(found, SHOWN)).blocks
                if isinstance(each, Paragraph))  # fmt: skip

    assert said.text == (
        "Latest interval, 2026-03-02 03:00 to 04:00: ▲ Redo writes are slow (REDO001 in 2 of 4 "
        "intervals)."
    )


def test_the_headline_of_a_page_has_its_severity_in_words() -> None:
    h1 = LexborHTMLParser(page_of(rising(2, 35, 72, 1_100, 2_300, 12_000))).css_first("h1")

    assert h1 is not None
    assert h1.attributes["data-severity"] == "info"


def test_a_dot_is_red_only_where_its_part_has_a_finding() -> None:
    """What is unusual but not slow is filled, not red; neither is it with a finding elsewhere."""
    values = [1.0, 1.1, 0.9] * 10
    for number in (3, 10, 17):
        values[number] = 9.0
    found = hours(values)
    for number, part in ((3, "redo"), (10, "temp")):
        of = Mention("RULE001", "Something", "warning", 9.0, (part,))
        found[number] = found[number]._replace(findings=(of,), verdict="warning")
    series = data_of(page_of(intervals.trend(found, intervals.quantities([WRITE]))))["series"][0]

    assert {"3": 2, "10": 1, "17": 1} == series["outliers"]["redo.write_ms"]


def test_a_trend_of_several_databases_has_a_cell_per_interval_of_every_series() -> None:
    found = [*hours([10, 10]), window(MONDAY, {WRITE: 9.0}, of=who(1, "RUBY", "4712"))]
    of = Mention("REDO001", "Slow", "critical", 9.0, ("redo",))
    found[1] = found[1]._replace(findings=(of,), verdict="critical")
    html = page_of(intervals.trend(found, intervals.quantities([WRITE])))
    rows = LexborHTMLParser(html).css("table.sortable")[0].css("tbody tr")

    shown = [[each.attributes["class"] for each in row.css("td:nth-child(8) i")] for row in rows]
    assert shown == [["ok", "critical"], ["ok"]]


def test_a_part_without_findings_differs_from_one_that_is_not_in_the_reports() -> None:
    trend = intervals.trend(hours([10, 10, 10]), intervals.quantities([WRITE, READS]))
    blocks = page(trend).blocks
    table = next(each for each in blocks if isinstance(each, Table) and each.label == "Series")

    assert table.rows[0].cells[3:8] == ("✔", "?", "?", "?", "✔✔✔")
    assert any(isinstance(e, Paragraph) and "? not checked" in e.text for e in blocks)
