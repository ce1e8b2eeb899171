"""One number for one quantity, and totals that add up, in every command, for every report."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

import corpus
import pytest

from awrlens import api
from awrlens.checks import collect
from awrlens.checks.baseline import Baseline
from awrlens.checks.collect import Gate
from awrlens.checks.selection import Settings
from awrlens.cli import intervals
from awrlens.fleet import folder, rows
from awrlens.model import ALARMS, SEVERITIES, parts_of, with_parts, worst
from awrlens.policy import Policy
from awrlens.render import first_screen, trend_page

if TYPE_CHECKING:
    from awrlens.model import Analysis, Finding
    from awrlens.model.trend import Window

#: Pieces of the bar, and the facts that findings and actions use of them.
OF_FACTS = {
    "commits": "redo.sync_wait_s", "log switches": "redo.log_switch_wait_s",
    "log buffer space": "redo.buffer_wait_s",
}  # fmt: skip
EVERY = corpus.over(*corpus.ANALYZED)


def judged(found: Analysis) -> tuple[Analysis, ...]:
    """The report and its instances, or its periods."""
    return found.periods or (found, *found.instances)


@lru_cache(maxsize=4)
def windows(entry: corpus.Entry) -> tuple[Window, ...]:
    return intervals.windows_of(corpus.report(entry), (), Policy())


@EVERY
def test_no_share_is_above_100_pct(entry: corpus.Entry) -> None:
    for each in judged(corpus.analysis(entry)):
        shares = [share.pct for share in each.overview.db_time] if each.overview else []
        shares += [found.impact.pct_db_time or 0.0 for found in with_parts(each.findings)]
        shares += [item.benefit.pct_db_time or 0.0 for item in each.recommendations]
        assert max(shares, default=0.0) <= 100


@EVERY
def test_the_bar_is_all_of_db_time_or_says_why_not(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)
    pieces = first_screen.db_time(found)

    whole = sum(each.pct for each in pieces)
    if whole > 105:
        # the bar leaves out parts too small to be seen
        said = (f"add up to {whole + more:.0f}\u00a0%" for more in (0.0, 0.1))
        assert any(each in first_screen.outside(found) for each in said)
    elif pieces:
        assert 98 <= whole


@EVERY
def test_the_bar_has_the_seconds_of_the_facts(entry: corpus.Entry) -> None:
    for each in judged(corpus.analysis(entry)):
        for name, fact in OF_FACTS.items():
            drawn = [s.seconds for s in (each.overview.db_time if each.overview else ())
                     if s.name == name]  # fmt: skip
            known = each.facts[fact].number
            if drawn and known is not None:
                assert drawn[0] == pytest.approx(known, rel=0.01, abs=1)


@EVERY
def test_the_action_of_the_headline_is_the_first(entry: corpus.Entry) -> None:
    for each in judged(corpus.analysis(entry)):
        named = re.search("(?:First|Worth doing): (.*)", each.headline)
        if named is not None:
            assert named[1].lower().startswith(each.actions[0].title.lower())


@EVERY
def test_no_saving_is_above_the_waits_that_it_comes_from(entry: corpus.Entry) -> None:
    for each in judged(corpus.analysis(entry)):
        costs = {found.id: found.impact.seconds for found in with_parts(each.findings)}
        for item in each.actions:
            known = [costs[rule] for rule in item.findings if rule in costs]
            if item.benefit.seconds is not None and known and None not in known:
                assert item.benefit.seconds <= sum(filter(None, known)) * 1.01, item.id


@EVERY
def test_a_report_with_something_to_do_now_is_never_green(entry: corpus.Entry) -> None:
    for analysis in judged(corpus.analysis(entry)):
        urgent = "Do now" in map(analysis.urgency, analysis.actions)
        assert not (urgent and first_screen.severity(analysis) in ("ok", "info"))


@EVERY
def test_a_tile_has_the_color_of_the_worst_finding_of_its_part(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)

    for tile in first_screen.tiles(found):
        severity = level(found.findings, tile.name)
        # checksums that are off by default (8i) are no finding, and get no tick
        calm = "info" if "checksum OFF" in tile.words else "unknown"
        assert tile.severity == severity or (severity == "ok" and tile.severity == calm)


def level(findings: tuple[Finding, ...], *parts: str) -> str:
    """The severity of the worst finding on some parts."""
    return worst([each.severity for each in findings if not {*parts}.isdisjoint(parts_of(each))])


@EVERY
def test_a_trend_says_the_same_of_an_interval(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)

    for each, window in zip(judged(found), windows(entry), strict=True):
        assert window.verdict == each.to_dict()["verdicts"]["write_path"]
        assert [(m.id, m.severity) for m in window.findings] == [
            (f.id, f.severity) for f in each.findings
        ]
        if window.verdict in ALARMS:
            assert trend_page._said(window)[0] == each.headline_lines[0].rstrip(".")
        for parts in trend_page._PARTS:
            said = [m.severity for m in window.findings if not {*parts}.isdisjoint(m.parts)]
            assert level(each.findings, *parts) == worst(said)


@EVERY
def test_a_fleet_says_the_same_of_an_interval(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)
    stored = rows.brief(corpus.report(entry), found, ())
    columns = {table.name: table.names for table in folder.OF_REPORTS}
    reports, findings = (
        [dict(zip(columns[name], row, strict=True)) for row in stored.rows[name]]
        for name in ("reports", "findings")
    )

    for each, report in zip(judged(found), reports, strict=True):
        assert report["severity"] == each.to_dict()["verdicts"]["write_path"]
        assert report["waiting_sessions"] == each.waiting_sessions
        alone = [row for row in findings
                 if row["report"] == report["report"] and row["part_of"] is None]  # fmt: skip
        assert [(row["finding"], row["severity"], tuple(row["parts"])) for row in alone] == [
            (f.id, f.severity, parts_of(f)) for f in each.findings
        ]


@EVERY
def test_a_check_says_the_same_of_an_interval(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)
    gate = Gate(Settings(), Baseline(), date(2026, 1, 1))
    checked = collect.report(found, entry.file, found.headline, gate)

    parts = found.periods[1:] or judged(found)
    severities = {(f.id, f.severity) for each in parts for f in with_parts(each.findings)}
    assert severities == {(each.id, each.severity) for each in checked.issues}


@EVERY
def test_a_comparison_is_as_severe_as_its_second_side(entry: corpus.Entry) -> None:
    report, found = corpus.report(entry), corpus.analysis(entry)
    if report.periods:
        second = found.periods[1].verdicts.write_path
        severity = found.comparison.severity if found.comparison else "unknown"
    else:
        reading = api.reading(report, found)
        second, severity = found.verdicts.write_path, api.compare([reading], [reading]).severity

    order = ("ok", "info", "unknown", "warning", "critical")
    assert order.index(severity) >= order.index(second) or second not in SEVERITIES
