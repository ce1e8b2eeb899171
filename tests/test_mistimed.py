"""Reports whose waits were timed for a part of the interval, or by a clock that is wrong.

PMON sleeps all the time, so its waits for `pmon timer` show how long waits were timed.
"""

from __future__ import annotations

from pathlib import Path

import figures
import pytest
import samples

from awrlens import api
from awrlens.advice import plan
from awrlens.advice.case import Case
from awrlens.model import Analysis, with_parts
from awrlens.policy import Policy
from awrlens.render import first_screen

SAMPLE = samples.FOLDER / "redo-disk.statspack-8.1.7.lst"
#: The waits of PMON, 8,363 s of an interval of 8,380 s, in 1/100 s.
SLEPT = "836,304   2924"


def with_pmon(path: Path, hundredths: str) -> Analysis:
    text = SAMPLE.read_text(encoding="utf-8")
    assert SLEPT in text
    # the average of the sample's 2,860 waits in ms
    average = int(hundredths.replace(",", "")) * 10 / 2860
    path.write_text(text.replace(SLEPT, f"{hundredths} {average:6.0f}"), encoding="utf-8")
    return api.analyze(api.load(path))


def storage(found: Analysis) -> set[str]:
    verdicts = found.verdicts
    return {verdicts.redo_storage, verdicts.temp_storage, verdicts.undo_storage}


def test_the_headline_says_that_timed_statistics_were_mostly_off(tmp_path: Path) -> None:
    found = with_pmon(tmp_path / "off.lst", " 83,800")

    assert found.headline.startswith(
        "Urgency unknown: waits were timed for only 10 % of the interval. Sessions waited 385 s "
    )
    assert "take a report of 15 to 30 minutes in which all waits are timed." in found.headline
    # 21 s at commit in a tenth of the interval are 0.03 sessions on average
    assert {"no-benefit"} == storage(found)


@pytest.mark.parametrize(("set_to", "commands"), [("TRUE", 0), ("FALSE", 1), (None, 1)])
def test_timed_statistics_that_are_true_are_not_to_be_set(
    tmp_path: Path, set_to: str | None, commands: int
) -> None:
    found = with_pmon(tmp_path / "off.lst", " 83,800")
    facts = dict(found.facts)
    if set_to != "TRUE":
        facts["load.timed_statistics"] = facts["load.timed_statistics"]._replace(value=set_to)
    item = plan.time_waits(Case.of(facts, (), Policy()))

    assert item is not None
    assert commands == len(item.commands)
    assert ("sessions set it to FALSE" in item.action) is (set_to == "TRUE")


def test_a_report_of_an_instance_that_measures_no_times_says_how_to_measure_them() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    line = "timed_statistics              TRUE"
    assert text.count(line) == 1
    off = text.replace(line, line.replace("TRUE", "FALSE"))

    (note,) = (each for each in api.load(off.encode()).warnings if "FALSE" in each[0])

    assert "set it to TRUE (ALTER SYSTEM SET timed_statistics=TRUE)" in note[0]
    assert note.line == text[: text.index(line)].count("\n") + 1
    assert not [each for each in api.load(text.encode()).warnings if "FALSE" in each[0]]


def test_the_headline_says_that_the_clock_of_waits_is_too_fast(tmp_path: Path) -> None:
    found = with_pmon(tmp_path / "fast.lst", "3,352,000")

    assert (
        "42 % of CPU and wait time is CPU at least." in found.headline
    )  # waits that are timed too long are in the rest
    assert found.headline.endswith(
        "Times are not reliable: `pmon timer` waits 4.0 times the interval, so all waits seem too "
        "long."
    )
    assert "apply" not in storage(found)
    assert found.recommendations[0].title == "Take a report with reliable times"
    (slow,) = (each for each in with_parts(found.findings) if each.id == "REDO001")
    # as statspack-text_9.2.0.4.0_02, whose timer has 4.3 times the interval: 21 ms are perhaps 5 ms
    assert "A redo write takes 18.7 ms as printed, perhaps 5 ms" in slow.title
    assert slow.confidence == "low"
    assert not [each for each in found.findings if each.severity in ("warning", "critical")]


def test_waits_that_are_timed_too_long_and_still_short_need_no_faster_storage(
    tmp_path: Path,
) -> None:
    assert "no-benefit" == with_pmon(tmp_path / "fast.lst", "3,352,000").verdicts.temp_storage


@pytest.mark.parametrize(("slept", "told"), [("12,358", True), ("1,236", False)])
def test_the_headline_has_no_average_over_reads_that_were_not_timed(slept: str, told: bool) -> None:
    """PMON's timer waited for all of the interval, or for a tenth of it."""
    name = "db file sequential read"
    read = figures.waits(f"{name} | 1,200,000 | 0 | 12,000 | 10 | 0.2 | 40.5")
    headings = ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class")
    rows = [f"{name} | 1,200,000 | 12,000 | 10 | 40.5 | User I/O"]
    top = figures.section("Top 5 Timed Foreground Events", headings, rows)
    timer = figures.section(
        "Background Wait Events",
        figures.EVENTS,
        [f"pmon timer | 1,200 | 100 | {slept} | | 0 |"],
    )
    cpu = figures.time_model("3,000.00")

    assert (" (10 ms each)" in figures.analysis(top, read, timer, cpu).headline) is told


@pytest.mark.parametrize("hundredths", ["836,304", "420,000", "2,514,000"])
def test_a_timer_between_both_thresholds_is_no_reason_for_doubt(
    tmp_path: Path, hundredths: str
) -> None:
    found = with_pmon(tmp_path / "well.lst", hundredths)

    assert "reliable" not in found.headline


def test_other_processes_that_wait_for_the_timer_since_12c_are_no_reason_for_doubt(
    tmp_path: Path,
) -> None:
    """CLMN sleeps as PMON does, and there may be more: the sum does not show the clock."""
    text = (samples.FOLDER / "redo-disk.awr-19c.txt").read_text(encoding="utf-8")
    (row,) = (
        line for line in text.splitlines() if line.startswith("pmon timer  ") and "8,363" in line
    )
    path = tmp_path / "several.txt"
    path.write_text(text.replace(row, row.replace(" 8,363", "33,452")), encoding="utf-8")
    found = api.analyze(api.load(path))

    assert found.facts["load.timed_pct"].value is None
    assert "reliable" not in found.headline


def test_shares_of_a_hardly_timed_interval_are_of_the_timed_part(tmp_path: Path) -> None:
    """8.1.7.4.1_14: PMON's timer shows 1,334 of 14,997 s; 53 % of the timed waits are reads."""
    found = with_pmon(tmp_path / "off.lst", " 83,800")
    said = [each for tile in first_screen.tiles(found) for each in tile.words]
    waiting = [each for each in said if "sessions waiting" in each]

    assert found.base == "timed CPU and wait time"
    assert first_screen.outside(found).startswith("Shares of timed CPU and wait time: only 10 %")
    assert waiting
    assert all("(estimated from the 10 % timed)" in each for each in waiting)


@pytest.mark.parametrize(
    ("release", "slept_s", "timed_pct"),
    [("12.1.0.2.0", 2_400, 200.0), ("12.2.0.1.0", 2_400, None), ("12.2.0.1.0", 1_200, 100.0)],
)
def test_more_than_the_whole_interval_shows_a_clock_only_where_pmon_sleeps_alone(
    release: str, slept_s: int, timed_pct: float | None
) -> None:
    row = f"pmon timer | 500 | 0 | {slept_s:,} | {slept_s * 2} | 0.1 | 0"
    slept = figures.section("Background Wait Events", figures.EVENTS, [row])
    found = api.facts_of(figures.report(slept, release=release, elapsed_s=1_200))

    assert timed_pct == found["load.timed_pct"].value
