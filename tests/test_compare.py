"""Two sides compared: the documents' runs, what is told as a change and what as noise.

Document 3 measures a redo test (figures 4, 5), a sort (8, 9) and rollbacks (16 to 19) on disks and
on the accelerator, on two hosts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import figures
import pytest
import samples

from awrlens import api
from awrlens.model import Finding, with_parts
from awrlens.model.comparison import CHANGED, Comparison, Moved
from awrlens.policy import Policy

if TYPE_CHECKING:
    from awrlens.model.comparison import Reading

LAYOUTS = ("awr-11.2.txt", "awr-19c.html")
PAIRS = [
    (f"{run}-disk.{layout}", f"{run}-accelerator.{layout}")
    for run in ("redo", "temp-sort", "undo")
    for layout in LAYOUTS
]


@cache
def reading(name: str) -> Reading:
    return api.read(samples.report(name))


@cache
def compared(before: str, after: str) -> Comparison:
    return api.compare([reading(before)], [reading(after)])


def moved(found: Comparison, fact: str, per: str | None = None) -> Moved:
    wanted = ("none", per or found.basis.per)
    return next(each for each in found.facts if each.fact == fact and each.per in wanted)


def test_a_redo_write_is_180_times_faster_and_the_hosts_were_not_alike() -> None:
    found = compared("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")

    assert (
        "Not comparable: AULTDB and TMSORCL are different databases. DB time went from 1.8 ms to "
        "5.4 ms per transaction (3 times as much); redo write time went from 18.7 ms to 0.104 ms "
        "(180 times faster)."
    ) == found.headline
    assert "not-comparable" == found.comparability.grade
    assert "warning" == found.severity  # that of the second report, and never that of the redo
    assert {"host", "CPUs", "memory", "interval", "load", "sessions"} <= {
        each.what for each in found.unfair
    }
    write = moved(found, "redo.write_ms")
    assert pytest.approx(18.677, abs=1e-3) == write.before
    assert pytest.approx(0.10436, abs=1e-5) == write.after
    assert "757,698 cs × 10 / 405,691 writes = 18.68 ms" == write.how[0]
    assert "better" == write.verdict


@pytest.mark.parametrize("layout", ["awr-11.2.html", "statspack-9.2.lst", "statspack-11.2.txt"])
def test_every_layout_of_the_redo_test_has_the_same_headline(layout: str) -> None:
    found = compared(f"redo-disk.{layout}", f"redo-accelerator.{layout}")

    assert "redo write time went from 18.7 ms to 0.104 ms (180 times faster)" in found.headline


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_read_of_the_sort_goes_from_2_1_to_0_1_ms(layout: str) -> None:
    found = compared(f"temp-sort-disk.{layout}", f"temp-sort-accelerator.{layout}")
    read = moved(found, "temp.read_ms")

    assert pytest.approx(2.1, abs=0.05) == read.before
    assert pytest.approx(0.1, abs=0.025) == read.after
    assert "better" == read.verdict
    assert "; temp read time went from " in found.headline
    interval = next(each for each in found.unfair if each.what == "interval")
    assert ("6.8 h", "41 min") == (interval.before, interval.after)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_undo_writes_of_figures_16_and_19_are_told_for_each_second(layout: str) -> None:
    """The document says "from 5 writes per second to 53"; its figures say 2.8 and 53."""
    found = compared(f"undo-disk.{layout}", f"undo-accelerator.{layout}")
    writes, waits = moved(found, "undo.tablespace_writes"), moved(found, "undo.buffer_wait_ms")

    assert "second" == found.basis.per
    assert pytest.approx(34_298 / 12_357.6, rel=1e-6) == writes.before
    assert pytest.approx(597_086 / 11_281.2, rel=1e-3) == writes.after
    assert "changed" == writes.verdict
    assert (0.0, 6.0, "worse") == (waits.before, waits.after, waits.verdict)
    assert any("Undo tablespace writes went from" in each.text for each in found.said)
    assert {"host", "sessions"} <= {each.what for each in found.unfair}
    assert "interval" not in {each.what for each in found.unfair}  # 206 and 188 minutes


def test_where_the_load_differs_a_lot_amounts_are_compared_for_each_transaction() -> None:
    found = compared("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")
    switches = moved(found, "redo.log_switch_wait_s")

    assert "transaction" == found.basis.per
    assert "executions, transactions and block changes × 2.5" in found.basis.reason
    assert pytest.approx(507_000 / (639.6 * 8380.8)) == switches.before
    assert "507 s × 1000 / 5,360,359.7 transactions = 0.09458 ms per transaction" == switches.how[0]
    assert (
        pytest.approx(507_000 / 8380.8) == moved(found, "redo.log_switch_wait_s", "second").before
    )
    at_any_load = Policy({"compare.load_ratio": 10.0})
    sides = [reading("redo-disk.awr-11.2.txt")], [reading("redo-accelerator.awr-11.2.txt")]
    assert "second" == api.compare(*sides, at_any_load).basis.per


def test_an_event_says_whether_its_waits_are_more_or_longer() -> None:
    found = compared("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")
    events = {each.event: each for each in found.events if not each.background}

    switch = events["log file switch completion"]
    assert "latency" == switch.cause  # 54 ms for each, then 290 ms
    assert pytest.approx(122_000 / 2_239) == switch.before.each_ms
    assert "worse" == switch.verdict
    assert any("fewer waits, each 5.3 times as long" in each.text for each in found.said)


@pytest.mark.parametrize(
    "name", [*samples.ALL, "undo-disk.awr-19c.html", "busy-commit.statspack-9.2.lst"]
)
def test_a_report_compared_with_itself_has_no_change_and_nothing_is_unfair(name: str) -> None:
    found = compared(name, name)

    assert {"same"} == {each.verdict for each in found.facts}
    assert {"same"} >= {each.verdict for each in found.events}
    assert () == found.unfair
    assert () == found.said
    assert () == found.not_comparable
    assert {"remained"} >= {each.movement for each in found.findings}
    assert "Both sides are the same interval." == found.headline


SWAPPED = {"better": "worse", "worse": "better"}


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_swapping_the_sides_swaps_the_signs_and_leaves_noise_noise(before: str, after: str) -> None:
    there, back = compared(before, after), compared(after, before)
    returned = {(each.fact, each.per): each for each in back.facts}

    assert len(there.facts) == len(back.facts)
    for each in there.facts:
        twin = returned[each.fact, each.per]
        assert SWAPPED.get(each.verdict, each.verdict) == twin.verdict, each.fact
        assert (each.before, each.after) == (twin.after, twin.before)
        assert pytest.approx(each.noise_pct) == twin.noise_pct
        if each.ratio and twin.ratio:
            assert pytest.approx(1 / twin.ratio) == each.ratio
            assert (each.change_pct or 0) * (twin.change_pct or 0) <= 0
    swapped = {"gone": "new", "new": "gone", "worse": "improved", "improved": "worse"}
    assert {(f.id, f.movement) for f in there.findings} == {
        (f.id, swapped.get(f.movement, f.movement)) for f in back.findings
    }
    assert [each.what for each in there.unfair] == [each.what for each in back.unfair]


def workload(times: int, elapsed_s: float = 3_600.0, cs: int = 4_000) -> Reading:
    """An interval with counts and seconds of so many intervals of an hour."""
    return api.read(
        figures.report(
            figures.statistics(
                f"redo writes | {9_000 * times}", f"redo write time | {cs * times}",
                f"user commits | {90_000 * times}", f"user rollbacks | {800 * times}",
                f"execute count | {2_000_000 * times}", f"physical writes | {71_000 * times}",
                f"redo size | {700_000_000 * times}", f"redo wastage | {3_000_000 * times}",
            ),
            figures.waits(
                f"log file sync | {90_000 * times} | 0 | {450 * times}.00 | 5 | 1.0 | 12.5",
                f"db file sequential read | {50_000 * times} | 0 | {300 * times}.00 | 6 | 1 | 8.3",
            ),
            elapsed_s=elapsed_s,
            db_time_s=elapsed_s,
        )
    )  # fmt: skip


def test_an_interval_twice_as_long_with_twice_the_work_moves_nothing() -> None:
    found = api.compare([workload(1)], [workload(2, 7_200.0)])

    assert [] == [each.fact for each in found.facts if each.verdict in CHANGED]
    assert [] == [each.event for each in found.events if each.verdict in CHANGED]
    # all of these reports have one head, and so one time
    assert ["interval", "time"] == [each.what for each in found.unfair]
    assert "Not comparable: the intervals overlap." == found.headline


def test_waits_that_grow_with_the_load_are_no_change_for_a_transaction() -> None:
    found = api.compare([workload(1)], [workload(3)])

    assert "transaction" == found.basis.per
    told = {each.fact for each in found.main if each.verdict in CHANGED}
    assert not told & {"redo.sync_wait_s", "redo.write_ms", "redo.writes_per_s"}
    assert "noise" != moved(found, "redo.sync_wait_s", "second").verdict  # three times as long
    assert [] == [each.event for each in found.events if each.verdict in CHANGED]


def test_what_one_side_lacks_is_not_comparable_and_no_change_to_nothing() -> None:
    without = api.read(figures.report(figures.statistics("redo writes | 9000"), elapsed_s=3_600.0))
    found = api.compare([workload(1)], [without])

    missing = {each.fact: each for each in found.not_comparable}
    assert "redo.sync_wait_s" in missing
    assert "after" == missing["redo.sync_wait_s"].side
    assert "Foreground Wait Events is not in the report" in missing["redo.sync_wait_s"].note
    assert "redo.sync_wait_s" not in {each.fact for each in found.facts}
    assert () == found.events
    back = api.compare([without], [workload(1)])
    assert "before" == next(m for m in back.not_comparable if m.fact == "redo.sync_wait_s").side


def test_an_event_that_an_excerpt_lacks_may_have_been_waited_for() -> None:
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    cut = text[text.index("Foreground Wait Events") :].split("log buffer space")[0]
    excerpt = api.read(api.load(cut.encode(), "excerpt"))

    assert excerpt.facts["redo.log_switch_wait_s"].value == 507
    assert () == excerpt.events
    assert () == api.compare([excerpt], [reading("redo-disk.awr-11.2.txt")]).events


@pytest.mark.parametrize(
    ("before", "after", "time"),
    [
        ("redo-disk.statspack-8.1.7.lst", "redo-disk.statspack-9.2.lst", "CPU and wait time"),
        ("redo-disk.statspack-9.2.lst", "redo-disk.awr-11.2.txt", "CPU and wait time"),
        ("redo-disk.awr-11.2.txt", "redo-disk.statspack-9.2.lst", "CPU and wait time"),
        ("redo-disk.awr-11.2.txt", "redo-disk.awr-19c.html", "DB time"),
    ],
)
def test_a_report_without_db_time_is_compared_by_cpu_and_waits(
    before: str, after: str, time: str
) -> None:
    assert time == compared(before, after).basis.time


def test_a_rule_that_one_side_cannot_check_is_not_said_to_be_gone() -> None:
    busy = reading("busy-commit.statspack-9.2.lst")
    ids = {finding.id for finding in busy.findings}
    blind = busy._replace(findings=(), skipped=tuple(ids))
    found = api.compare([busy], [blind])

    assert ids
    assert () == found.findings
    assert ids <= {each.fact for each in found.not_comparable}
    assert {"gone"} == {
        each.movement for each in api.compare([busy], [busy._replace(findings=())]).findings
    }


@pytest.mark.parametrize(("instead", "direction"), [("REDO001", "worse"), ("TEMP008", "mixed")])
def test_a_finding_that_another_of_its_family_replaces_is_no_progress(
    instead: str, direction: str
) -> None:
    """A commit took long beside its write, and now the write itself is slow."""
    (base, *_) = with_parts(reading("redo-disk.awr-11.2.txt").findings)

    def found(rule_id: str, severity: str) -> Reading:
        finding = base._replace(id=rule_id, severity=severity, contributing=())  # type: ignore[arg-type]
        return reading("redo-disk.awr-11.2.txt")._replace(findings=(finding,))

    compared_to = api.compare([found("REDO002", "warning")], [found(instead, "critical")])

    assert direction == compared_to.direction


def test_findings_on_both_sides_are_worse_or_improved_by_severity() -> None:
    def with_severity(severity: str) -> Reading:
        made: list[Finding] = [
            finding._replace(severity=severity, contributing=())  # type: ignore[arg-type]
            for finding in with_parts(reading("redo-disk.awr-11.2.txt").findings)
        ]
        return reading("redo-disk.awr-11.2.txt")._replace(findings=tuple(made))

    found = api.compare([with_severity("warning")], [with_severity("critical")])
    assert {("warning", "critical", "worse")} == {
        (each.before, each.after, each.movement) for each in found.findings
    }
    back = api.compare([with_severity("critical")], [with_severity("warning")])
    assert {"improved"} == {each.movement for each in back.findings}


def test_a_finding_of_the_same_severity_is_improved_if_it_costs_half() -> None:
    reading_ = reading("redo-disk.awr-11.2.txt")

    def costing(factor: float) -> Reading:
        made = tuple(
            each._replace(
                contributing=(),
                impact=each.impact._replace(seconds=(each.impact.seconds or 0.0) * factor or None),
            )
            for each in reading_.findings
        )
        return reading_._replace(findings=made)

    costly = {each.id for each in reading_.findings if each.impact.seconds}
    for factor, movement in ((0.5, "improved"), (0.6, "remained"), (2.0, "worse")):
        found = api.compare([costing(1.0)], [costing(factor)]).findings
        assert costly
        assert {movement} == {each.movement for each in found if each.id in costly}, factor


def test_sets_are_compared_by_their_medians_and_their_own_scatter() -> None:
    """Five hours on each side; one hour is an outlier, and no mean is moved by it."""
    before = [workload(1, cs=cs) for cs in (3_900, 4_000, 4_100, 4_050, 40_000)]
    slower = [workload(1, cs=cs) for cs in (8_000, 8_100, 7_900, 8_050, 8_020)]
    alike = [workload(1, cs=cs) for cs in (4_060, 3_950, 4_100, 4_020, 3_990)]

    write = moved(api.compare(before, slower), "redo.write_ms")
    assert pytest.approx((4_050 / 900, 8_020 / 900)) == (write.before, write.after)
    assert "worse" == write.verdict
    assert write.how[0].startswith("median of 5 reports: 4050 cs × 10 / 9000 writes")
    assert "noise" == moved(api.compare(before, alike), "redo.write_ms").verdict
    scattered = [workload(1, cs=cs) for cs in (2_000, 4_000, 8_000, 9_000, 30_000)]
    wide = moved(api.compare(before, scattered), "redo.write_ms")
    assert "noise" == wide.verdict  # 4.5 and 8.9 ms, but an hour may be anything from 2 to 33
    assert "median absolute deviation of 5 and 5 reports" in wide.noise_basis
    few = moved(api.compare(before[:2], scattered[2:4]), "redo.write_ms")
    assert "changes below 10 % are ignored as noise" == few.noise_basis


def test_the_periods_of_one_report_compare_as_the_reports_they_were_made_of() -> None:
    report = samples.report("redo-compared.awr-diff-11.2.txt")
    first, second = (api.read(part) for part in report.periods)
    together = api.compare([first], [second])
    apart = compared("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")

    assert together.headline.split(". ")[0] == apart.headline.split(". ")[0]
    verdicts = {each.fact: each.verdict for each in apart.main}
    # rates with two decimals, and whole seconds, hide what the single reports tell
    rounded = {"redo.sync_count", "redo.syncs_per_commit", "redo.buffer_wait_s"}
    for each in together.main:
        known = verdicts.get(each.fact)
        if known in ("better", "worse") and each.verdict in ("better", "worse"):
            assert known == each.verdict, each.fact
        if each.fact.startswith("redo.") and each.fact not in rounded and known in CHANGED:
            assert each.verdict in (known, "noise"), each.fact


def test_a_cluster_is_compared_as_a_whole_and_by_instance() -> None:
    name = "redo-cluster.awr-rac-11.2.txt"
    found = compared(name, name)

    assert ["instance 1", "instance 2"] == [part for part, _ in found.parts]
    assert {"same"} == {each.verdict for _, part in found.parts for each in part.facts}


def test_facts_that_moved_are_not_called_noise_even_if_their_waits_are_few() -> None:
    def commits(each_ms: float, day: str) -> Reading:
        head = figures.head(elapsed_s=3_600.0, db_time_s=7_200.0).replace("-Aug-08", day)
        waits = figures.waits(
            f"log file sync | 9000 | 0 | {9 * each_ms:.2f} | {each_ms} | 1.0 | 2.5"
        )
        return api.read(api.load(f"{head}{waits}".encode(), day))

    found = api.compare([commits(2.0, "-Aug-08")], [commits(2.4, "-Sep-08")])

    assert "worse" == moved(found, "redo.commit_ms").verdict
    assert "No significant change of DB time and waits" in found.headline
