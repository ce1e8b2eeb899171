"""What would be if: before and after by stated models, never more saved than is waited."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import corpus
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_recovery_advice import with_advisory
from test_rules import facts_of

import awrlens
from awrlens.advice import storage as verdicts
from awrlens.advice.case import Case
from awrlens.advice.chart_data import by_device
from awrlens.advice.devices import DEVICES
from awrlens.cli import run
from awrlens.errors import UsageError
from awrlens.lab.effects import QUALIFIERS, Change, Outcome, PgaPoint, between, estimate
from awrlens.lab.whatif import devices_page, whatif_page
from awrlens.policy import Policy
from awrlens.render.blocks import Bars, Page, Paragraph, Table

SAMPLES = Path(__file__).parent.parent / "sample_reports"
#: Document 3, figures 1 and 2.
FIGURE_1: dict[str, Any] = {
    "redo.parallel_write_ms": 43_993 * 1000 / 11_649_477,
    "redo.local_write_ms": 43_993 * 1000 / 11_649_477,
    "redo.commit_ms": 125_416 * 1000 / 21_470_106, "redo.commit_waits": 21_470_106,
    "redo.lgwr_busy_pct": 43_993 * 100 / 28_800, "redo.buffer_wait_s": 0.0,
    "redo.sync_count": 21_470_106, "redo.sync_wait_s": 125_416.0,
    "redo.bytes_written_per_s": 5_000_000.0, "redo.log_switches_per_hour": 36.0,
    "redo.log_switch_wait_s": 900.0, "checkpoint.log_size_redo_blocks": 921_600,
    "redo.log_mb": 500.0,
    "temp.direct_wait_s": 2_000.0, "temp.read_ms": 5.0, "undo.read_ms": 10.0,
    "undo.read_wait_s": 100.0, "load.response_s": 125_416 * 100 / 34.86,
    "load.elapsed_s": 28_800.0, "load.physical_writes_per_s": 500.0,
    "checkpoint.target_mttr_s": 100, "checkpoint.lowest_mttr_s": 20,
    "checkpoint.buffer_wait_s": 10.0, "checkpoint.advised_now_s": 100.0,
    "checkpoint.cache_writes_per_s": 200.0,
}  # fmt: skip
#: A thousand commits of 10 ms: the write 4 ms; LGWR half busy, so a queue of 4 ms; 2 ms of rest.
HALF_BUSY = FIGURE_1 | {
    "redo.local_write_ms": 4.0, "redo.commit_ms": 10.0, "redo.commit_waits": 1_000,
    "redo.sync_wait_s": 10.0, "redo.lgwr_busy_pct": 50.0, "redo.buffer_wait_s": 8.0,
}  # fmt: skip
#: Writes out of the cache by recovery target, as MTTR Advisory counts them.
ADVISED = {20: 3_000, 60: 1_500, 100: 1_000}
ADVISORY = (
    PgaPoint(500, 4_000, 20, is_now=False), PgaPoint(1_000, 1_000, 0, is_now=True),
    PgaPoint(2_000, 100, 0, is_now=False),
)  # fmt: skip


def case(values: dict[str, Any]) -> Case:
    return Case.of(facts_of(values), (), Policy())


def outcome(
    change: Change, facts: dict[str, Any] = FIGURE_1, pga: tuple[PgaPoint, ...] = ADVISORY
) -> Outcome:
    return estimate(with_advisory(facts_of(facts), ADVISED), pga, change, Policy())


def line(found: Outcome, name: str) -> tuple[float, float]:
    return next((each.before, each.after) for each in found.changes if each.name == name)


def test_a_quicker_log_write_shortens_each_commit_by_the_write_and_its_queue() -> None:
    found = outcome(Change(redo_ms=1.0), HALF_BUSY)

    # LGWR is then busy for 50 / 4 = 12.5 %: a queue of 1 ms * 0.125 / 0.875; the rest stays 2 ms
    commit_ms = 1.0 + 1.0 * 0.125 / 0.875 + 2.0
    assert pytest.approx((10.0, commit_ms)) == line(found, "redo.commit_ms")
    assert pytest.approx((10.0, commit_ms)) == line(found, "redo.sync_wait_s")
    # the log buffer empties four times as fast
    assert pytest.approx((8.0, 2.0)) == line(found, "redo.buffer_wait_s")
    assert found.saving.seconds == pytest.approx(10.0 - commit_ms + 6.0)


def test_where_lgwr_is_always_busy_the_queue_ends_with_the_write() -> None:
    found = outcome(Change(redo_ms=0.104))

    before, after = line(found, "redo.sync_wait_s")
    write_only = 21_470_106 * (43_993 / 11_649_477 - 0.000104)
    assert write_only < before - after < before
    # no commit is shorter than its write
    assert after >= 21_470_106 * 0.000104
    assert found.saving.seconds == pytest.approx(before - after)


def test_what_is_neither_write_nor_queue_stays_on_any_device() -> None:
    idle = HALF_BUSY | {"redo.lgwr_busy_pct": 0.0, "redo.buffer_wait_s": 0.0}

    found = outcome(Change(redo_ms=1.0), idle)

    # no queue: each of 1,000 commits is shorter by the 3 ms of the write, and 7 ms remain
    assert pytest.approx((10.0, 7.0)) == line(found, "redo.sync_wait_s")


def test_a_commit_cannot_save_more_than_it_waits() -> None:
    found = outcome(Change(redo_ms=0.1), FIGURE_1 | {"redo.sync_wait_s": 10.0})

    assert (10.0, 0.0) == line(found, "redo.sync_wait_s")
    assert 10.0 == found.saving.seconds


def test_commits_that_meet_a_part_of_each_write_shorten_but_not_below_the_new_write() -> None:
    found = outcome(Change(redo_ms=1.0), HALF_BUSY | {"redo.commit_ms": 2.0,
                                                      "redo.sync_wait_s": 2.0})  # fmt: skip

    # a quarter of 2 ms is less than the write of 1 ms that a commit waits for
    assert pytest.approx((2.0, 1.0)) == line(found, "redo.sync_wait_s")


def test_a_slower_device_costs_and_the_outcome_says_so() -> None:
    found = outcome(Change(redo_ms=5.0), HALF_BUSY)

    # 62.5 % busy: a queue of 5 ms * 0.625 / 0.375; the rest stays 2 ms
    commit_ms = 5.0 + 5.0 * 0.625 / 0.375 + 2.0
    assert pytest.approx((10.0, commit_ms)) == line(found, "redo.sync_wait_s")
    # and the log buffer empties more slowly
    assert found.saving.seconds == pytest.approx(10.0 - commit_ms + 8.0 * (1 - 5 / 4))
    assert ("A redo write takes 4 ms now; 5 ms would be slower.",) == found.conflicts


def test_where_lgwr_cannot_keep_up_waits_are_not_estimated() -> None:
    found = outcome(Change(redo_ms=10.0))  # it writes 153 % of the time already

    assert "LGWR could not keep up with the redo at this latency." in found.conflicts
    assert ("commit waits: they would grow without end",) == found.not_assessed
    assert found.saving.seconds is None
    savings = {each.name: each for each in by_device(case(FIGURE_1))}
    assert savings["disk-array"].overrun
    assert not savings["nvme"].overrun
    assert savings["disk-array"].pct_db_time is None


def test_larger_logs_switch_less_often_and_let_recovery_read_more() -> None:
    found = outcome(Change(redo_log_mb=2_048))

    switches = line(found, "redo.log_switches_per_hour")
    assert pytest.approx((36.0, 5_000_000 * 3600 / (2_048 * 2**20))) == switches
    assert pytest.approx(900 * switches[1] / 36) == line(found, "redo.log_switch_wait_s")[1]
    # 90 % of 2 GB in blocks of 512 bytes
    assert pytest.approx(0.9 * 2**31 / 512) == line(found, "checkpoint.log_size_redo_blocks")[1]


def test_the_redo_of_a_switch_is_not_the_size_of_a_redo_log() -> None:
    """A forced switch leaves 120 MB in logs of which all but one have 2,500 MB."""
    since_10g = {name: value for name, value in FIGURE_1.items() if name != "redo.log_mb"}
    facts = since_10g | {"redo.mb_per_switch": 120.0, "redo.other_logs_mb": 2_500.0}
    found = outcome(Change(redo_log_mb=2_048), facts)
    said = next(each for each in found.not_assessed if "redo log size" in each)

    assert not {"redo.log_mb", "checkpoint.log_size_redo_blocks"} & {
        each.name for each in found.changes
    }
    assert "a log switch comes after 120 MB" in said
    assert "all redo logs of the thread except one have 2,500 MB" in said


def test_the_option_of_the_size_takes_units(capsys: pytest.CaptureFixture[str]) -> None:
    report = str(SAMPLES / "redo-disk.statspack-9.2.lst")

    assert 0 == run(["whatif", report, "--redo-log-size", "2G", "-f", "json"])
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert 2_048.0 == next(each["after"] for each in changes if each["name"] == "redo.log_mb")


def test_archive_lag_target_keeps_its_log_switches_whatever_the_size() -> None:
    found = outcome(Change(redo_log_mb=8_192), FIGURE_1 | {"redo.archive_lag_target_s": 900.0})

    assert line(found, "redo.log_switches_per_hour") == (36.0, 4.0)


def test_memory_and_storage_for_the_same_temporary_io_multiply_and_are_not_added() -> None:
    memory = line(outcome(Change(pga_mb=1_500)), "temp.direct_wait_s")[1]
    storage = line(outcome(Change(temp_ms=1.0)), "temp.direct_wait_s")[1]
    both = line(outcome(Change(temp_ms=1.0, pga_mb=1_500)), "temp.direct_wait_s")[1]

    assert pytest.approx(2_000 * 550 / 1_000) == memory
    assert pytest.approx(2_000 / 5) == storage
    assert pytest.approx(2_000 * 0.55 / 5) == both


def test_memory_that_the_host_does_not_have_free_saves_nothing() -> None:
    enough = outcome(Change(pga_mb=1_500), FIGURE_1 | {"pga.host_free_mb": 500.0})
    short = outcome(Change(pga_mb=1_500), FIGURE_1 | {"pga.host_free_mb": 499.0})
    small = outcome(Change(pga_mb=1_500), FIGURE_1 | {"pga.host_memory_mb": 1_400.0})

    assert "Needs 500 MB more memory: 500 MB was free." in enough.conflicts
    assert (enough.saving.seconds or 0) > 0
    assert "the host has 499 MB free: it would swap" in short.not_assessed[0]
    assert "does not fit into the host's 1,400 MB of memory" in small.not_assessed[0]
    for each in (short, small):
        assert not any(line.name.startswith(("pga", "temp")) for line in each.changes)


def test_a_lower_recovery_target_writes_more_and_conflicts_with_waits_for_dbwr() -> None:
    found = outcome(Change(mttr_s=60))

    # half of the 200 writes out of the cache more; those that bypass it stay as they are
    assert (500.0, 600.0) == line(found, "load.physical_writes_per_s")
    assert any("sessions already wait for DBWR" in each for each in found.conflicts)


def test_a_target_below_the_lowest_is_told_to_be_reset() -> None:
    assert any("Oracle resets it" in each for each in outcome(Change(mttr_s=10)).conflicts)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (Change(pga_mb=9_000), "outside the advisory's range, 500 to 2,000 MB"),
        (Change(undo_ms=0.1), "undo latency: not in this case"),
    ],
)
def test_what_no_model_reaches_is_not_assessed_and_never_zero(change: Change, says: str) -> None:
    without = {n: v for n, v in FIGURE_1.items() if n != "undo.read_ms"}

    found = outcome(change, without)

    assert any(says in each for each in found.not_assessed)
    assert found.saving.seconds is None


@pytest.mark.parametrize("change", [Change(), Change(redo_ms=0.0), Change(mttr_s=-1)])
def test_a_change_of_nothing_or_to_nothing_is_refused(change: Change) -> None:
    with pytest.raises(UsageError):
        outcome(change)


amounts = st.floats(0.01, 10**6)


@pytest.mark.properties
@given(
    facts=st.fixed_dictionaries(dict.fromkeys(FIGURE_1, amounts)),
    change=st.builds(Change, *[st.one_of(st.none(), amounts) for _ in Change._fields]),
)
def test_nothing_saves_more_than_is_waited(facts: dict[str, float], change: Change) -> None:
    if change._replace(**dict.fromkeys(QUALIFIERS)) == Change():
        return
    found = outcome(change, facts)

    waited = sum(each.before for each in found.changes if each.unit == "s" and "wait" in each.name)
    assert (found.saving.seconds or 0) <= min(waited, facts["load.response_s"]) * (1 + 1e-9)
    assert all(each.after >= 0 for each in found.changes if each.name != "load.response_s")


@given(st.lists(st.tuples(amounts, amounts), min_size=2, unique_by=lambda p: p[0]), st.data())
def test_a_curve_stays_between_its_neighbours(
    points: list[tuple[float, float]], data: st.DataObject
) -> None:
    points.sort()
    at = data.draw(st.floats(points[0][0], points[-1][0]))

    found = between(points, at)

    assert found is not None
    assert min(y for _, y in points) * (1 - 1e-9) <= found
    assert found <= max(y for _, y in points) * (1 + 1e-9)
    assert between(points, points[-1][0] * 2) is None


def test_the_first_runs_log_switches_shrink_with_larger_logs_and_the_command_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = run([
        "whatif", str(SAMPLES / "redo-disk.awr-11.2.txt"), "--device", "accelerator",
        "--redo-log-size", "1G", "-f", "json",
    ])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    lines = {each["name"]: each for each in found["changes"]}

    assert 0 == status
    # 0.104 ms, and 53,734 bytes at 1 GB/s
    assert pytest.approx(0.104 + 53_734 / 10**6, abs=1e-4) == lines["redo.local_write_ms"]["after"]
    assert pytest.approx(204.9, abs=0.1) == lines["redo.log_switches_per_hour"]["before"]
    assert 507 == lines["redo.log_switch_wait_s"]["before"]
    # locks held across commits are not counted: no upper bound
    assert "upper_bound" not in found["saving"]


@pytest.mark.parametrize(
    ("option", "text", "name", "after"),
    [
        # with the time that its 54 KB take at 1,000 MB/s
        ("--redo-latency", "200us", "redo.local_write_ms", 0.2537),
        ("--pga", "512", "pga_aggregate_target", 512.0),
        ("--mttr", "60", "checkpoint.target_mttr_s", 60.0),
    ],
)
def test_options_take_units(
    option: str, text: str, name: str, after: float, capsys: pytest.CaptureFixture[str]
) -> None:
    report = str(SAMPLES / "redo-disk.awr-11.2.txt")

    assert 0 == run(["whatif", report, option, text, "-f", "json"])
    changes = json.loads(capsys.readouterr().out)["changes"]

    found = next(each["after"] for each in changes if each["name"] == name)
    assert found == pytest.approx(after, rel=1e-3)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--redo-latency", "soon"), "'soon' is not a LATENCY; give a number in ms."),
        (("--pga", "5ms"), "is not a SIZE"),
        ((), "No change is given."),
    ],
)
def test_a_wrong_value_is_told(
    args: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(["whatif", str(SAMPLES / "redo-disk.awr-11.2.txt"), *args])
    assert says in capsys.readouterr().err


def test_each_device_saves_for_each_segment_what_changing_that_alone_saves() -> None:
    savings = {each.name: each for each in by_device(case(FIGURE_1))}

    accelerator = savings["accelerator"]
    assert (
        accelerator.seconds_of("redo") == outcome(Change(redo_ms=0.104, mb_s=1000)).saving.seconds
    )
    assert accelerator.seconds_of("temp") == outcome(Change(temp_ms=0.1, mb_s=1000)).saving.seconds
    assert accelerator.seconds_of("undo") == outcome(Change(undo_ms=0.1, mb_s=1000)).saving.seconds
    assert (
        0 < (savings["aws-gp3"].seconds_of("redo") or 0) < (savings["nvme"].seconds_of("redo") or 0)
    )


def test_a_device_that_is_slower_than_what_is_there_is_shown_to_lose_time() -> None:
    quick = FIGURE_1 | {"redo.local_write_ms": 0.5, "redo.lgwr_busy_pct": 20.0}
    savings = {each.name: each for each in by_device(case(quick))}

    assert (
        (savings["aws-gp3"].seconds_of("redo") or 0) < 0 < (savings["nvme"].seconds_of("redo") or 0)
    )


def test_what_a_device_saves_is_not_known_where_the_report_prints_no_waits() -> None:
    nothing = by_device(case({"load.elapsed_s": 3600.0}))

    assert {
        (
            each.seconds_of("redo"),
            each.seconds_of("temp"),
            each.seconds_of("undo"),
            each.pct_db_time,
        )
        for each in nothing
    } == {(None, None, None, None)}


def test_a_device_has_the_same_source_with_and_without_a_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    sources = []
    for of in ([], [str(SAMPLES / "redo-disk.awr-11.2.txt")]):
        assert 0 == run(["devices", *of, "-f", "json"])
        sources.append(
            {each["name"]: each["source"] for each in json.loads(capsys.readouterr()[0])}
        )
    assert sources[1]
    assert sources[1].items() <= sources[0].items()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.*")), ids=lambda path: path.name)
def test_devices_count_as_the_verdicts_do(path: Path) -> None:
    if path.suffix not in (".txt", ".html", ".lst"):
        return
    report = awrlens.load(path)
    analysis = awrlens.analyze(report)
    judged = analysis.periods[1] if analysis.periods else analysis
    for each in by_device(Case.of(judged.facts, judged.findings, Policy())):
        policy = Policy(DEVICES[each.name].settings)
        for verdict, saved in (
            (verdicts.redo_verdict, each.seconds_of("redo")),
            (verdicts.temp_verdict, each.seconds_of("temp")),
            (verdicts.undo_verdict, each.seconds_of("undo")),
        ):
            report_case = Case.of(judged.facts, judged.findings, policy)
            seconds = verdict(report_case).saving.seconds
            # a verdict does not advise what costs time
            slow = each.overrun and verdict is verdicts.redo_verdict
            least = 0.0 if slow else saved
            assert seconds == (None if least is None else pytest.approx(max(0.0, least)))


def test_what_the_size_of_an_operation_takes_counts_for_every_segment() -> None:
    facts: dict[str, Any] = {
        "temp.direct_wait_s": 30.0, "temp.direct_read_wait_s": 10.0, "temp.direct_read_ms": 10.0,
        "temp.direct_write_wait_s": 20.0, "temp.direct_write_ms": 9.0, "temp.direct_b": 200_000.0,
        "undo.read_wait_s": 40.0, "undo.read_ms": 4.0, "load.block_b": 20_000.0,
        "undo.buffer_wait_s": 50.0, "undo.blocks_per_write": 10.0, "undo.block_write_pct": 50.0,
        "checkpoint.buffer_wait_s": 80.0, "checkpoint.data_write_ms": 20.0,
        "load.elapsed_s": 3600.0,
    }  # fmt: skip
    disks = next(each for each in by_device(case(facts))
                 if each.name == "disk-array")  # fmt: skip

    # temporary: 7.563 ms a write and 2.1 ms a read, and 200 KB at 200 MB/s are 1 ms
    assert disks.seconds_of("temp") == pytest.approx(10 * (1 - 3.1 / 10) + 20 * (1 - 8.563 / 9))
    # undo: 28.6 ms a read and 37.923 ms a write; a block of 20 KB takes 0.1 ms to read; ten of
    # them 1 ms to write; half of DBWR's is undo
    assert disks.seconds_of("undo") == pytest.approx(
        40 * (1 - 28.7 / 4) + (50 + 40) * (1 - 38.923 / 20)
    )
    # and what is asked of the same device says the same
    device = DEVICES[disks.name]
    asked = outcome(
        Change(temp_ms=device.read_ms, temp_write_ms=device.temp_write_ms,
               undo_ms=device.undo_read_ms, undo_write_ms=device.undo_write_ms, mb_s=device.mb_s),
        facts,
    )  # fmt: skip
    assert asked.saving.seconds == pytest.approx(
        (disks.seconds_of("temp") or 0) + (disks.seconds_of("undo") or 0)
    )


def test_the_system_of_figure_8_on_its_own_disks_saves_and_costs_nothing_for_temp(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its file table has 2.1 ms per read, and sessions waited 0.71 ms: reads are sent ahead."""
    assert 0 == run(["devices", str(SAMPLES / "temp-sort-disk.awr-11.2.txt")])
    out = capsys.readouterr().out
    rows = (each for each in out.splitlines() if each.startswith("  disk-array"))
    row = next(each for each in rows if " s " in each)

    assert ["0", "s"] == row.split()[3:5]
    assert "-0" not in out
    assert "7.563 ms" in out  # temporary writes
    assert "37.923 ms" in out  # undo writes


def test_a_device_slower_than_the_files_costs_time_as_they_do() -> None:
    """Sessions wait 1 ms of a read of 2 ms: a device of 2 ms costs nothing, one of 4 ms as much."""
    facts = {"temp.direct_wait_s": 10.0, "temp.direct_read_wait_s": 10.0,
             "temp.direct_read_ms": 1.0, "temp.direct_write_wait_s": 0.0, "temp.read_ms": 2.0,
             "load.elapsed_s": 3600.0}  # fmt: skip

    saved = {ms: outcome(Change(temp_ms=ms), facts).saving.seconds for ms in (0.5, 1.5, 2.0, 4.0)}
    assert {0.5: 5.0, 1.5: 0.0, 2.0: 0.0, 4.0: -10.0} == saved


def test_waits_for_undo_whose_operation_has_no_time_are_not_priced() -> None:
    facts = {"undo.buffer_wait_s": 50.0, "undo.read_wait_s": 0.0, "load.elapsed_s": 3600.0}

    assert {each.seconds_of("undo") for each in by_device(case(facts))} == {None}
    found = outcome(Change(undo_ms=0.1, undo_write_ms=0.1), facts)
    assert any(each.startswith("undo.buffer_wait_s: ") for each in found.not_assessed)


def test_waits_too_short_for_a_write_are_contention_that_no_device_ends() -> None:
    # waits of 0.25 ms for undo blocks beside writes of 33 ms
    facts = {
        "undo.buffer_wait_s": 214.0, "undo.buffer_wait_ms": 0.25, "undo.read_wait_s": 0.0,
        "undo.read_ms": 1.0, "checkpoint.data_write_ms": 33.0, "load.elapsed_s": 3600.0,
    }  # fmt: skip

    assert {each.seconds_of("undo") for each in by_device(case(facts))} == {0.0}
    found = outcome(Change(undo_ms=0.1, undo_write_ms=0.1), facts)
    assert any("sessions contend for buffers" in each for each in found.not_assessed)
    assert not [line for line in found.changes if line.name == "undo.buffer_wait_s"]

    slow = facts | {"undo.buffer_wait_ms": 20.0}  # more than half of a write
    assert {each.seconds_of("undo") for each in by_device(case(slow))} != {0.0}


def test_reads_whose_time_is_rounded_to_0_are_not_said_to_be_none() -> None:
    facts = {"undo.read_ms": 0.0, "undo.read_wait_s": 0.0, "load.elapsed_s": 3600.0}

    (said,) = outcome(Change(undo_ms=0.1), facts).not_assessed
    assert said == "undo latency: the report has 0 ms per read of undo"


def test_temporary_reads_and_writes_have_sizes_of_their_own() -> None:
    facts = {
        "temp.direct_wait_s": 30.0, "temp.direct_read_wait_s": 10.0, "temp.direct_read_ms": 10.0,
        "temp.direct_write_wait_s": 20.0, "temp.direct_write_ms": 20.0, "temp.direct_b": 150_000.0,
        "temp.direct_read_b": 100_000.0, "temp.direct_write_b": 200_000.0,
        "load.elapsed_s": 3600.0,
    }  # fmt: skip
    found = outcome(Change(temp_ms=1.0, mb_s=100.0), facts)

    # 100 KB at 100 MB/s are 1 ms more, 200 KB 2 ms
    assert {line.name: line.after for line in found.changes
            if line.name.endswith("_ms")} == pytest.approx(
        {"temp.direct_read_ms": 2.0, "temp.direct_write_ms": 3.0}
    )  # fmt: skip


def test_without_times_no_storage_is_called_too_slow() -> None:
    untimed = FIGURE_1 | {"load.timed_pct": 5.0}

    assert any(each.overrun for each in by_device(case(FIGURE_1)))
    assert not any(each.overrun for each in by_device(case(untimed)))


def test_a_saving_that_is_not_known_is_said_to_be_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["whatif", str(SAMPLES / "redo-disk.awr-11.2.txt"), "--redo-latency", "30ms"])

    out = capsys.readouterr().out
    assert "▲ What the change saves is not known." in out
    assert "LGWR could not keep up with the redo at this latency." in out


def test_a_cost_is_given_as_a_positive_number() -> None:
    found = outcome(Change(undo_ms=20.0))
    page = whatif_page(found, "", "undo read 20 ms")

    assert found.saving.seconds == -100.0
    assert page.headline == "Costs less than 0.1 % of DB time."
    assert page.severity == "warning"
    assert page.blocks[0] == Paragraph("Undo reads would be slower than they are now.", "warning")


def test_the_headline_of_a_change_is_its_saving_with_sessions_and_conflicts_follow() -> None:
    found = outcome(Change(pga_mb=1_500), FIGURE_1 | {"pga.host_memory_mb": 2_000.0})
    saving = found.saving._replace(pct_db_time=21.5, sessions=1.03)
    page = whatif_page(found._replace(saving=saving), "", "")
    (table,) = [each for each in page.blocks if isinstance(each, Table)]

    assert "Saves 21.5 % of DB time (1.03 sessions)." == page.headline
    needs = "Needs 500 MB more memory: SGA and PGA would take 75 % of the host."
    assert Paragraph(needs, "warning") == page.blocks[0]
    names = {row.cells[0] for row in table.rows}
    assert {"PGA_AGGREGATE_TARGET", "I/O of work areas on disk"} <= names


def devices_of(shares: dict[str, float | None]) -> Page:
    """The page of `awrlens devices` for storage that saves these shares."""
    zero = {"redo_s": 0.0, "temp_s": 0.0, "undo_s": 0.0, "overrun": False}
    found = [{**DEVICES[name].to_dict(), **zero, "pct_db_time": share}
             for name, share in shares.items()]  # fmt: skip
    return devices_page(found, "", "CPU and wait time")


def test_storage_that_only_costs_time_is_not_said_to_save_any() -> None:
    page = devices_of({"aws-gp3": None, "disk-array": -9.0, "nvme": -0.8})

    assert ("Other storage saves no CPU and wait time.", "ok") == (page.headline, page.severity)
    table = next(each for each in page.blocks if isinstance(each, Table))
    assert table.columns[-1].name == "CPU and wait time"
    # what is not known comes last
    assert [row.cells[0] for row in table.rows] == [
        DEVICES[name].title for name in ("nvme", "disk-array", "aws-gp3")
    ]


def test_storage_that_saves_time_says_of_what() -> None:
    page = devices_of({"aws-gp3": -9.0, "nvme": 0.4})

    saved = "0.4 % of CPU and wait time (NVMe devices in the server)"
    assert page.headline == f"Other storage would save {saved} at best."
    assert page.severity == "info"
    little = devices_of({"nvme": 0.04})
    assert "Other storage saves less than 0.1 % of CPU and wait time." == little.headline
    assert "ok" == little.severity
    unknown = devices_of({"nvme": None})
    assert ("The saving is not known.", "unknown") == (unknown.headline, unknown.severity)


def test_storage_that_saves_as_much_as_the_best_is_not_ranked_by_a_tenth() -> None:
    alike = devices_of({"nvme": 3.4, "disk-array": 3.3})
    assert "Any of these would save about as much: 3.3 to 3.4 % of CPU and wait time." == (
        alike.headline
    )
    assert "Other storage" in devices_of({"nvme": 3.4, "disk-array": 3.0}).headline


def test_a_page_of_storage_shows_what_each_saves_or_costs_in_all_and_has_one_order() -> None:
    """A part is in the table; a bar of the parts that save time would be longer than their sum."""
    saves = {"redo_s": 60.0, "temp_s": 20.0, "undo_s": -30.0, "pct_db_time": 1.0}
    costs = {"redo_s": -40.0, "temp_s": 0.0, "undo_s": None, "pct_db_time": -0.8}
    ruins = {"redo_s": 10.0, "temp_s": 0.0, "undo_s": -900.0, "pct_db_time": -17.8}
    found: list[dict[str, Any]] = [
        {**DEVICES[name].to_dict(), "overrun": False, **part}
        for name, part in (("disk-array", ruins), ("aws-gp3", costs), ("nvme", saves))
    ]
    page = devices_page(found, "", "DB time", {"redo write": 2.0}, 100.0)
    advice, picture = page.blocks[:2]

    # what costs nothing comes first, and is not the last sentence of the page
    assert advice == Paragraph("Complete the tuning steps of `awrlens analyze` first.", "strong")

    assert isinstance(picture, Bars)
    bars = [(row.label, each.name, each.end) for row in picture.rows for each in row.pieces]
    assert bars == [
        ("NVMe devices in the server", "saved", 50.0), ("AWS EBS gp3", "lost", 40.0),
        ("24 disks of 10,000 rpm with ASM", "lost, longer than drawn", 50.0),
    ]  # fmt: skip
    assert picture.rows[1].label == "present storage"  # between what saves and what costs
    tables = [each for each in page.blocks if isinstance(each, Table)]
    savings, latencies = ([row.cells for row in each.rows] for each in tables)
    assert [cells[1] for cells in savings] == ["nvme", "aws-gp3", "disk-array"]
    assert [cells[-2] for cells in savings] == ["0.5", "-0.4", "-8.9"]  # sessions
    assert ("present storage", "2 ms", "-", "-", "-", "-") == latencies[0]
    assert [cells[0] for cells in latencies[1:]] == ["nvme", "aws-gp3", "disk-array"]


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="the corpus is not there")
def test_a_redo_latency_does_not_hide_that_the_device_lacks_throughput(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = str(corpus.CORPUS / "awr-rac-global-html_11.2.0.3.0-rac_01.html")

    assert 0 == run(["whatif", report, "--redo-latency", "0.2ms"])
    out = capsys.readouterr().out

    assert "A redo log write would take 51.7 ms: 0.2 ms plus 49 MB at 1,000 MB/s." in out
    assert "Saves 32." in out


def test_what_gets_worse_is_not_drawn_as_a_saving() -> None:
    page = whatif_page(outcome(Change(undo_ms=20.0)), "", "")
    (picture,) = [each for each in page.blocks if isinstance(each, Bars)]

    assert [row.pieces[0].style for row in picture.rows] == ["other", "warning"]


def test_a_page_of_a_change_shows_the_waits_before_and_after_it() -> None:
    waited = outcome(Change(temp_ms=0.5))
    (picture,) = [e for e in whatif_page(waited, "", "").blocks if isinstance(e, Bars)]
    seconds = [(e.before, e.after) for e in waited.changes if e.name.endswith("wait_s")]
    ends = [row.pieces[0].end for row in picture.rows]

    assert seconds
    assert ends == [each for pair in seconds for each in pair]
    assert picture.high == max(ends)


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="no corpus")
def test_a_page_of_a_change_has_its_legend_no_tiny_number_and_the_base_of_its_shares(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """8i prints no DB time; an undo read of 521 ms becomes one of 0.1 ms."""
    report = str(corpus.CORPUS / "statspack-text_8.1.7.4.1_08.LST")
    assert 0 == run(["whatif", report, "--device", "nvme"])
    out = capsys.readouterr().out

    assert "\n  ░ before   ▓ after\n" in out
    assert "< 0.01 s" in out
    assert "0.00" not in out.partition("How each is estimated")[0]
    assert "  CPU and wait time " in out
    assert "DB time  " not in out
