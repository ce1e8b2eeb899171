"""The picture of a comparison: DB time in parts and steps, changes that matter, shown numbers."""

from __future__ import annotations

import json
import re
from functools import cache

import figures
import pytest
import samples
from compared import adds_up
from selectolax.lexbor import LexborHTMLParser

from awrlens import api
from awrlens.model import Share
from awrlens.model.comparison import Comparison, Part, Reading, Step
from awrlens.policy import Policy
from awrlens.render import compare_page, pages
from awrlens.render.lines import NO_BREAK
from awrlens.render.pages import Extras

PAIRS = [
    (f"{run}-disk.awr-11.2.txt", f"{run}-accelerator.awr-11.2.txt")
    for run in ("redo", "temp-sort", "undo")
]


@cache
def compared(before: str, after: str) -> Comparison:
    return api.compare([api.read(samples.report(before))], [api.read(samples.report(after))])


def hour(db_time_s: float, *consumers: tuple[str, str, float], complete: bool = True) -> Reading:
    """An hour with a DB time and its consumers: name, part, seconds."""
    reading = api.read(
        figures.report(
            figures.statistics("user commits | 36000", "execute count | 360000"),
            elapsed_s=3_600.0, db_time_s=db_time_s,
        )
    )  # fmt: skip
    shares = (Share(name, part, s, s * 100 / db_time_s) for name, part, s in consumers)
    return reading._replace(consumers=tuple(shares), all_consumers=complete)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_parts_and_steps_add_up_to_db_time(pair: tuple[str, str]) -> None:
    found = compared(*pair)

    assert found.db_time is not None
    adds_up(found)


def test_each_consumer_is_a_part_and_each_difference_a_step() -> None:
    before = hour(3_600, ("CPU", "cpu", 1_800), ("commits", "redo", 360), ("read", "other", 1_080))
    after = hour(7_200, ("CPU", "cpu", 1_800), ("commits", "redo", 3_600), ("read", "other", 1_440))
    found = api.compare([before], [after]).db_time

    assert found is not None
    assert (1_000, 2_000) == (found.before_ms, found.after_ms)  # per second of an hour
    assert (
        Part("commits", "redo", 100, 1_000), Part("CPU", "cpu", 500, 500),
        Part("read", "other", 300, 400), Part("not accounted for", "", 100, 100),
    ) == found.parts  # fmt: skip
    assert (Step("commits", "redo", 900), Step("read", "other", 100)) == found.steps[:2]
    assert 0 == sum(step.change_ms for step in found.steps[2:])


def test_a_wait_that_top_events_lack_is_not_a_wait_of_zero() -> None:
    before = hour(3_600, ("CPU", "cpu", 1_800), ("commits", "redo", 360))
    after = hour(3_600, ("CPU", "cpu", 1_800), complete=False)
    found = api.compare([before], [after]).db_time

    assert found is not None
    assert ["CPU", "not accounted for"] == [part.name for part in found.parts]
    listed = api.compare([before], [after._replace(all_consumers=True)]).db_time
    assert listed is not None
    assert ("commits", 0.0) in [(part.name, part.after_ms) for part in listed.parts]


def test_without_consumers_on_a_side_there_is_no_picture() -> None:
    assert api.compare([hour(3_600, ("CPU", "cpu", 1_800))], [hour(3_600)]).db_time is None


@pytest.mark.parametrize(
    ("db_time_s", "severity", "direction"),
    [
        (3_600, "unknown", "same"),  # too little of the report to judge storage
        (4_000, "info", "worse"),  # 11 % more
        (4_500, "warning", "worse"),  # 25 % more, a quarter of a session
        (9_000, "critical", "worse"),  # 2.5 times as much, 1.5 sessions
        (1_800, "unknown", "better"),
    ],
)
def test_db_time_decides_the_severity_by_factor_and_by_sessions(
    db_time_s: float, severity: str, direction: str
) -> None:
    found = api.compare([hour(3_600)], [hour(db_time_s)])

    assert (severity, direction) == (found.severity, found.direction)


def test_an_idle_database_that_doubles_is_no_alarm() -> None:
    found = api.compare([hour(36)], [hour(108)])  # 0.01 and 0.03 sessions

    assert ("info", "worse") == (found.severity, found.direction)


def test_tiny_changes_are_no_movers() -> None:
    """180 times almost nothing is not among the changes that matter."""
    for pair in PAIRS:
        found = compared(*pair)
        whole = found.db_time
        assert whole is not None
        assert 0 < len(found.movers) <= 10
        for each in found.movers:
            if each.pct_db_time is not None:
                assert each.pct_db_time >= Policy()["compare.step_pct"]
                share = abs(each.after - each.before) * 100 / max(whole.before_ms, whole.after_ms)
                assert pytest.approx(share) == each.pct_db_time


def number(text: str) -> tuple[float, str]:
    found = re.fullmatch(r"([\d,.]+) ?(.*)", text)
    assert found, text
    return float(found[1].replace(",", "")), found[2]


#: Of waits per second, a row shows sessions.
SCALES = {"us": 1e-3, "s": 1e3, "ms": 1.0, "KB/s": 2**10, "MB/s": 2**20, "B/s": 1.0}
#: Of DB time per second, a bar shows sessions.
BARS = {**SCALES, "": 1e3}


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_numbers_of_the_page_are_those_of_the_document(pair: tuple[str, str]) -> None:
    found = compared(*pair)
    data = json.loads(json.dumps(found.to_dict()))
    tree = LexborHTMLParser(pages.text(compare_page.page(found), Extras("0")))

    first = tree.css_first("h1").text().removesuffix(".")  # type: ignore[union-attr]
    first = first.replace(NO_BREAK, " ")
    assert data["headline"].replace("`", "").startswith(first)
    rows = tree.css("table")[0].css("tbody tr")
    assert len(data["movers"]) == len(rows)
    for row, mover in zip(rows, data["movers"], strict=True):
        cells = row.css("td")
        assert mover["title"].replace("`", "") == cells[0].text()[2:]
        for cell, key in zip(cells[1:3], ("before", "after"), strict=True):
            assert mover[key] == float(str(cell.attributes["data-sort"]))
            shown, unit = number(cell.text())
            if mover["unit"] == "ms":
                assert pytest.approx(mover[key], rel=0.006, abs=1e-9) == shown * SCALES[unit]
    whole = data["db_time"]
    bars = [node.text() for node in tree.css(".barshown")]
    for text, key in zip(bars[:2], ("before_ms", "after_ms"), strict=True):
        value, unit = number(text)
        assert pytest.approx(whole[key], rel=0.006) == value * BARS[unit]
    for text, step in zip(bars[2:], whole["steps"], strict=True):
        value, unit = number(text[1:])
        sign = 1 if text[0] == "+" else -1
        assert pytest.approx(step["change_ms"], rel=0.006, abs=1e-9) == sign * value * BARS[unit]
