"""The MTTR advisor: every target of a report, and how well it agrees with what Oracle printed."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from math import log
from pathlib import Path
from statistics import median
from typing import Any

import corpus
import pytest
import samples
from click.testing import CliRunner
from test_rules import facts_of

from awrlens import api, cli, config
from awrlens.advice import write_model
from awrlens.advice.load_model import EXPONENT, LEAST_EXPONENT, MOST_EXPONENT
from awrlens.advice.write_cost import TABLE_1
from awrlens.advice.write_model import System, of_report, system_of
from awrlens.errors import UsageError
from awrlens.lab import advisor, mttr_command
from awrlens.lab.advisor import Advice, Asked
from awrlens.lab.simulated_instance import OLTP
from awrlens.policy import Policy
from awrlens.render import as_lines, wording

#: 163 blocks a second, an estimate of 19 s, 45 MB of redo by the size of the redo logs.
REPORT = "redo-disk.awr-11.2.txt"


def advice(**asked: float) -> Advice:
    report = samples.report(REPORT)
    facts, block_bytes = api.facts_of(report), report.identity.block_size
    return advisor.advise(facts, REPORT, block_bytes, Asked(**asked), Policy())  # type: ignore[arg-type]


def run(*args: str) -> Any:
    done = CliRunner().invoke(cli.cli, args, standalone_mode=False)
    assert done.exception is None, done.exception
    return json.loads(done.stdout)


def test_without_a_target_it_has_the_reports_own_writes_and_estimate() -> None:
    now = advice().rows[-1]

    assert 0 == now.state.target_s
    assert 163.4 == pytest.approx(now.writes_per_s, rel=0.01)
    assert 19 == pytest.approx(now.state.recovery_s, abs=0.1)
    assert 45 == pytest.approx(now.state.redo_bytes / 2**20, rel=0.01)


def test_a_stricter_target_means_less_to_recover_and_more_writes() -> None:
    found = advice(startup_s=5.0, file_open_s=2.0)
    rows = [row for row in found.rows if row.state.target_s]

    assert len(rows) > 2
    for strict, relaxed in pairwise(rows):
        assert strict.state.recovery_s <= relaxed.state.recovery_s
        assert strict.writes_per_s >= relaxed.writes_per_s
        assert strict.low <= strict.factor <= strict.high


def test_the_parts_of_a_recovery_are_the_recovery() -> None:
    found = advice(startup_s=5.0, file_open_s=2.0)

    assert (5.0, 2.0, 7.0) == (
        found.parts["startup_s"], found.parts["file_open_s"], found.split.fixed_s
    )  # fmt: skip
    for row in found.rows:
        parts = 7.0 + row.state.redo_read_s + row.state.blocks_s
        assert row.state.recovery_s == pytest.approx(parts)


def test_without_a_number_of_cpus_the_default_of_dbwr_processes_is_not_guessed() -> None:
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    rest = "".join(
        "aultlab1         Linux x86 64-bit\n" if line.startswith("aultlab1 ") else line
        for line in text.splitlines(keepends=True)
        if not line.startswith(("NUM_CPU", "Host CPU"))
    )
    report = api.load(rest.encode())
    fact = api.facts_of(report)["checkpoint.dbwr_capacity_per_s"]

    assert report.identity.cpus is None
    assert (None, "the report has no number of CPUs for the default") == (fact.value, fact.note)


def test_dbwrs_capacity_is_what_it_wrote_divided_by_its_busy_time() -> None:
    """1,368,258 blocks by one DBWR, which was 1,622 of 8,374 s busy with writing."""
    found = advice().capacity

    assert 1_368_258 / 1_622 == pytest.approx(found.writes_per_s, rel=0.001)
    assert "1,368,258 writes from cache" in found.formula
    assert found.lines


@pytest.mark.parametrize(("capacity", "bears"), [(1000, "yes"), (200, "tight"), (150, "no")])
def test_whether_storage_of_a_given_capacity_bears_it(capacity: float, bears: str) -> None:
    """163 blocks a second are 16 %, 82 % and 109 % of it."""
    now = advice(write_capacity=capacity).rows[-1]

    assert bears == now.bears
    assert 100 * 163.4 / capacity == pytest.approx(now.busy_pct, rel=0.01)


def test_in_a_cluster_start_up_and_opening_are_said_not_to_be_needed() -> None:
    args = ["mttr", str(samples.path(REPORT)), "--rac", "--init-time-avg", "5e6",
            "--fopen-time-avg", "4000", "--datafiles", "500", "--desired-mttr", "10"]  # fmt: skip
    out = CliRunner().invoke(cli.cli, args, standalone_mode=False).stdout

    assert "A surviving instance does not need them" in " ".join(out.split())
    assert "Set FAST_START_MTTR_TARGET to 17" in out  # 10 + 5 + 2


def test_the_strictest_target_is_the_one_up_to_70_percent_of_the_capacity() -> None:
    # 182 of 260 blocks a second are 1.114 times the writes: 0.65 of the dirty blocks and of 12 s,
    # and 7 s of start-up and opening
    found = advice(write_capacity=260.0, startup_s=5.0, file_open_s=2.0)

    assert found.strictest_s is not None
    assert 14.8 == pytest.approx(found.strictest_s, abs=1.0)
    assert f"The strictest target that DBWR sustains is {found.strictest_s} s." == found.borne
    unknown = advice(write_capacity=260.0)
    assert "DBWR sustains the writes of a target of 15 s; whether less is achievable depends" in (
        unknown.borne
    )
    assert None is advice(write_capacity=100.0).strictest_s
    assert "no capacity left for any target" in advice(write_capacity=100.0).borne


def test_beyond_the_capacity_recovery_takes_longer_and_then_throughput_falls() -> None:
    load = OLTP.load
    free = write_model.at(System(load, OLTP.rates), 120)
    slow = write_model.at(System(load, OLTP.rates._replace(writes_per_s=700.0)), 120)
    starved = write_model.at(System(load, OLTP.rates._replace(writes_per_s=300.0)), 120)

    assert (120, 1.0, "target") == (round(free.recovery_s), free.throughput, free.limit)
    assert slow.recovery_s > 120 + 50  # table 1: 722 writes keep 180 s, 676 keep 240 s
    assert (1.0, "DBWR") == (slow.throughput, slow.limit)
    assert starved.throughput == pytest.approx(300 / 591, rel=0.02)  # 591 at the log size limit


@pytest.mark.parametrize("row", TABLE_1[1:], ids=lambda row: f"target {row.target_s}")
def test_the_sweep_is_the_steady_state_of_table_1(row: Any) -> None:
    """As close as the simulation itself, docs/simulation.md."""
    state = write_model.at(System(OLTP.load, OLTP.rates), row.target_s)

    assert row.writes_per_s == pytest.approx(state.writes_per_s, rel=0.06)
    assert row.in_force_s == round(state.in_force_s)
    if row.target_s == 900:
        assert "log size" == state.limit
        assert 360 == pytest.approx(state.recovery_s, rel=0.02)
    else:
        assert row.in_force_s == round(state.recovery_s)
    if row.target_s == 30:
        assert ("1,000 blocks", 1000) == (state.limit, round(state.dirty_blocks))


def test_every_limit_has_its_recovery_time() -> None:
    found = {each.name: each for each in advice().limits}

    assert {"1,000 blocks", "log size", "present lag", "timeout", "redo read time"} <= set(found)
    # the limit is 92,160 redo blocks, but the end snapshot has more
    assert 92_411 * 512 == pytest.approx(found["log size"].redo_mb * 2**20, abs=1)
    assert "81 % of all redo logs" in found["log size"].text
    # 45 MB at 83.4 MB/s, which is not in the report
    assert "takes 0.5 s at 83 MB/s (assumed); log disks twice as fast save 0.3 s" in (
        found["redo read time"].text
    )
    assert "reading alone" == found["redo read time"].what
    given = {each.name: each for each in advice(startup_s=5.0, file_open_s=2.0).limits}
    assert "start-up and reading alone" == given["redo read time"].what


def test_the_limit_of_the_timeout_has_both_redo_rates() -> None:
    """4.34 GB at the average rate; the end snapshot has the redo of its own time."""
    timeout = next(each for each in advice().limits if each.name == "timeout")

    assert "at the average redo rate (at the end snapshot: " in timeout.text


def test_while_writes_are_slow_targets_with_more_writes_are_tuned_first_not_impossible() -> None:
    found = advice(slow=True)
    strict = [row for row in found.rows if row.factor >= 1.005]

    assert strict
    assert {"tune first"} == {row.bears for row in strict}
    assert "yes" == found.rows[-1].bears
    assert "fix that before" in found.borne


@pytest.mark.parametrize("factor", [1.32, 0.76])
def test_a_row_with_other_writes_has_no_recovery_time_of_the_present_lag(factor: float) -> None:
    """With other writes than those of now, only that of the end snapshot bounds it: 19 s."""
    row = advice().rows[-1]
    other = row._replace(factor=factor, state=row.state._replace(target_s=28.0))

    assert not row.hypothetical
    assert row.to_dict()["estimated_mttr_s"]
    assert other.hypothetical
    assert None is other.to_dict()["estimated_mttr_s"]
    assert "a recovery of at most 19 s" in other.cost
    assert 19.0 == other.to_dict()["recovery_most_s"]


#: Three days of a RAC instance: at the begin 82 s for 345 MB of redo, at the end 290 s for 3.3 GB.
#: The MTTR Advisory allows 11,109 dirty blocks in 30 s and 277,746 in 750 s.
BUSY: dict[str, Any] = {
    "database.release": "12.2.0.1.0", "load.elapsed_s": 259_204.0,
    "redo.bytes_per_s": 2_280_749.0, "checkpoint.cache_writes_per_s": 387.0,
    "integrity.block_changes_per_s": 20_000.0, "checkpoint.estimated_ios": 3_819.0,
    "checkpoint.estimated_mttr_s": 290.0, "checkpoint.estimated_mttr_low_s": 82.0,
    "checkpoint.estimated_mttr_high_s": 290.0, "checkpoint.begin_redo_blocks": 705_478.0,
    "checkpoint.actual_redo_blocks": 6_949_522.0, "checkpoint.log_size_redo_blocks": 20_384_298.0,
    "checkpoint.target_mttr_s": 300.0, "checkpoint.fast_start_mttr_target_s": 300.0,
    "checkpoint.mttr_per_block_ms": 2.7,
}  # fmt: skip


def busy(**other: Any) -> Advice:
    values = BUSY | {name.replace("__", "."): value for name, value in other.items()}
    return advisor.advise(facts_of(values), "a report", 8192, Asked(rac=True), Policy())


def test_redo_between_the_snapshots_has_a_recovery_time_between_their_estimates() -> None:
    found = busy()
    lag = next(each for each in found.limits if each.name == "present lag")

    assert 6_949_522 * 512 == pytest.approx(lag.redo_mb * 2**20)
    assert 290 == pytest.approx(lag.recovery_s)
    for row in found.rows:
        if 705_478 <= row.state.redo_bytes / 512 <= 6_949_522:
            assert 82 <= row.state.recovery_s <= 290.001


def test_parts_that_do_not_fit_the_reports_estimate_are_not_shown() -> None:
    """The model has 600,000 dirty blocks for the lag of the end snapshot; the report has 3,819."""
    now = busy().rows[-1].to_dict()

    assert (290.0, None, None) == (
        now["estimated_mttr_s"], now["blocks_s"], now["dirty_blocks"]
    )  # fmt: skip


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="no corpus")
def test_a_recovery_that_is_short_enough_is_the_headline_and_equal_targets_are_one_bar(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = str(corpus.CORPUS / "awr-html_11.2.0.4.0-rac_01.html")
    assert 0 == cli.run(["mttr", report, "--desired-mttr", "60"])
    out = capsys.readouterr().out

    assert "Recovery is 3 s, within 60 s now; a target of 60 s only keeps it so." in out
    assert "Set FAST_START_MTTR_TARGET to 60 to keep recovery within it\n" in out
    assert "XYDB/xydb1 · 11.2.0.4.0 · RAC · host db1" in out
    assert 1 == out.count("× 1.00")


def test_without_start_up_in_the_advisory_it_is_said_rather_than_shown_as_nothing() -> None:
    found = busy()
    page = " ".join(
        wording.text(as_lines.lines(mttr_command.advice_page(found, (), 300.0), 200)).split()
    )

    assert ("not included", None) == (found.split.by, found.split.fixed_s)
    assert "not part of these times: Oracle's estimate does not include them" in page
    assert "start-up and opening +" not in page


def test_the_present_lag_has_the_cause_that_most_checkpoint_writes_have() -> None:
    """119,976 blocks at log switches, 89 by automatic checkpoint tuning."""
    facts = facts_of(BUSY)
    cause = "checkpoint.main_cause"
    note = "100 % of all checkpoint writes are for thread checkpoints (log switches)"
    facts[cause] = facts[cause]._replace(value="thread", note=note)
    found = advisor.advise(facts, "a report", 8192, Asked(), Policy())
    lag = next(each for each in found.limits if each.name == "present lag")

    assert "; 100 % of all checkpoint writes are for thread checkpoints" in lag.text
    assert "automatic checkpoint tuning" not in lag.text


def test_without_a_target_nothing_is_claimed_while_the_target_drives_checkpoints() -> None:
    assert 0.0 == busy().rows[-1].state.target_s
    assert 0.0 not in {row.state.target_s for row in busy(checkpoint__main_cause="mttr").rows}


def test_reading_the_redo_takes_no_longer_than_the_recovery_that_oracle_estimates() -> None:
    """77 s for 9.2 GB of redo: an assumed rate of 83 MB/s would read for 113 s."""
    found = busy(
        checkpoint__begin_redo_blocks=19_258_026.0, checkpoint__actual_redo_blocks=3_281_426.0,
        checkpoint__estimated_mttr_s=42.0, checkpoint__estimated_mttr_low_s=42.0,
        checkpoint__estimated_mttr_high_s=77.0,
    )  # fmt: skip
    limits = {each.name: each for each in found.limits}

    assert limits["redo read time"].recovery_s <= limits["log size"].recovery_s
    assert "all of the recovery by Oracle's estimate" in limits["redo read time"].text
    assert "83 MB/s" not in limits["redo read time"].text


def test_no_other_limit_is_below_the_redo_that_the_end_snapshot_has() -> None:
    """LOG_CHECKPOINT_INTERVAL allows 98 MB, DBWR is behind, and the estimate is for 121 MB."""
    found = busy(
        checkpoint__main_cause=None, checkpoint__mttr_per_block_ms=None,
        checkpoint__log_checkpoint_interval=200_000.0, checkpoint__actual_redo_blocks=248_270.0,
        checkpoint__begin_redo_blocks=292_156.0, checkpoint__estimated_mttr_s=37.0,
        checkpoint__estimated_mttr_low_s=37.0, checkpoint__estimated_mttr_high_s=41.0,
        checkpoint__estimated_ios=21_143.0,
    )  # fmt: skip
    now = found.rows[-1].state

    assert "present lag" == now.limit
    assert 37 == pytest.approx(now.recovery_s)


def test_the_lowest_target_by_an_assumed_start_up_is_not_named() -> None:
    values = {name.replace(".", "__"): None for name in BUSY if "mttr" in name}
    found = advisor.advise(
        facts_of(BUSY | {name.replace("__", "."): value for name, value in values.items()}),
        "a report", 8192, Asked(write_capacity=10_000.0), Policy(),
    )  # fmt: skip

    assert "" == found.borne


def test_a_recovery_time_without_any_estimate_is_marked_as_assumed() -> None:
    values = {name: None for name in BUSY if "mttr" in name}
    found = busy(**{name.replace(".", "__"): value for name, value in values.items()})

    assert "assumed" == found.split.by
    words = "assumed: 60 s for start-up and opening of the files, 2.2 ms per dirty block"
    assert words in found.rows[-1].cost


def test_the_limit_of_an_assumed_redo_log_is_not_called_that_of_all_redo_logs() -> None:
    found = busy(checkpoint__log_size_redo_blocks=None, redo__mb_per_switch=500.0)
    text = next(each.text for each in found.limits if each.name == "log size")

    assert "at least 90 % of one redo log of 500 MB (by the redo per log switch)" in text
    read = next(each.text for each in found.limits if each.name == "redo read time")
    assert "450 MB of redo, that of one redo log, takes" in read


def test_redo_after_the_checkpoint_that_no_report_has_is_marked_as_assumed() -> None:
    """A compare-period report has no Instance Recovery Stats: all of the time is assumed."""
    values = {name: None for name in BUSY if "mttr" in name or "_redo_blocks" in name}
    found = busy(**{name.replace(".", "__"): value for name, value in values.items()})

    assert "of redo after the checkpoint)" in found.rows[-1].cost
    assert "" == found.surviving(found.rows[-1])


def test_a_dbwr_that_is_hardly_busy_writes_at_least_a_block_per_batch() -> None:
    """200 batches a second of one DBWR are 200 blocks: enough for 163, not for twice as many."""
    facts = dict(api.facts_of(samples.report(REPORT)).items())
    known = facts["checkpoint.dbwr_capacity_per_s"]
    facts["checkpoint.dbwr_capacity_per_s"] = known._replace(value=None, note="too little")
    least = facts["checkpoint.dbwr_capacity_least_per_s"]
    facts["checkpoint.dbwr_capacity_least_per_s"] = least._replace(value=240.0)
    found = advisor.advise(facts, REPORT, 8192, Asked(), Policy())

    assert None is found.capacity.writes_per_s
    assert 240.0 == found.capacity.least_per_s
    assert "yes" == found.rows[-1].bears  # 163 of 240 are 68 %
    assert "not known" == found.rows[0].bears  # a lower bound shows no limit
    assert "DBWR can sustain this at its present latency" in found.rows[-1].cost


@pytest.mark.parametrize(("busy_pct", "known"), [(5.0, True), (4.9, False)])
def test_a_capacity_of_dbwr_is_not_extrapolated_from_little(busy_pct: float, known: bool) -> None:
    facts = dict(api.facts_of(samples.report(REPORT)).items())
    name = "checkpoint.dbwr_busy_pct"
    facts[name] = facts[name]._replace(value=busy_pct)

    found = advisor.advise(facts, REPORT, 8192, Asked(), Policy()).capacity
    lower = Policy({"recovery.dbwr_least_busy_pct": 4.0})

    assert known == (found.writes_per_s is not None)
    assert known != ("only 4.9 % of the time, too little" in found.formula)
    assert advisor.advise(facts, REPORT, 8192, Asked(), lower).capacity.writes_per_s


def test_the_least_capacity_is_batches_by_their_time() -> None:
    facts = api.facts_of(samples.report(REPORT))
    batch_ms = facts["checkpoint.data_write_ms"].number
    least = facts["checkpoint.dbwr_capacity_least_per_s"].number

    assert batch_ms is not None
    assert least == pytest.approx(1000 / batch_ms, rel=0.02)  # one DBWR


def test_a_report_without_a_load_gets_a_hint_of_this_command() -> None:
    """`recovery simulate` has presets; `mttr` has none."""
    lines = samples.path(REPORT).read_text(encoding="utf-8").splitlines(keepends=True)
    rest = "".join(x for x in lines if "redo size" not in x.lower())
    done = CliRunner().invoke(cli.cli, ["mttr", "-"], input=rest, standalone_mode=False)

    assert isinstance(done.exception, UsageError)
    assert "--preset" not in done.exception.hint
    assert "awrlens mttr --desired-mttr" in done.exception.hint


def test_interval_and_timeout_limit_the_redo() -> None:
    system = System(OLTP.load, OLTP.rates, timeout_s=60.0, interval_bytes=20 * 2.0**20)

    assert "interval" == write_model.at(system, 900).limit  # 20 s of redo at 1 MB/s
    assert 20 * 2**20 == pytest.approx(write_model.at(system, 900).redo_bytes)
    assert "timeout" == write_model.at(system._replace(interval_bytes=None), 900).limit


def test_the_rates_of_an_alert_log_replace_those_of_a_report() -> None:
    alert = str(samples.FOLDER.parent / "tests" / "alertlogs" / "10g.log")
    found = run("mttr", str(samples.path(REPORT)), "--alert-log", alert, "-f", "json")

    assert None is not found["parts"]["startup_s"]
    assert any("Rates are those of" in note for note in found["notes"])


@pytest.mark.parametrize("sample", [REPORT, "temp-sort-accelerator.awr-11.2.txt"])
def test_times_before_larger_redo_logs_are_not_those_after_them(sample: str) -> None:
    """Step 1 adds larger redo logs, step 2 sets a target: its recovery time is that of now."""
    done = CliRunner().invoke(cli.cli, ["mttr", str(samples.path(sample))], standalone_mode=False)
    plan = [item.id for item in samples.analysis(sample).actions]

    said = "are those of the present redo logs; larger ones lengthen them"
    assert ("enlarge-redo-logs" in plan) == (said in " ".join(done.stdout.split()))
    steps = {item.id: item.action for item in samples.analysis(sample).recommendations}
    if "The estimated recovery time at the snapshots" in steps.get("set-mttr-target", ""):
        assert said in steps["set-mttr-target"]


def test_the_command_has_the_target_that_analyze_recommends() -> None:
    path = str(samples.path(REPORT))
    found = run("mttr", path, "--desired-mttr", "15", "-f", "json")
    analyzed = run("analyze", path, "--desired-mttr", "15", "-f", "json")

    assert analyzed["verdicts"]["fast_start_mttr_target_s"] == found["target_s"] == 15
    assert 15 in [point["target_s"] for point in found["points"]]
    assert ["set-mttr-target"] == [each["id"] for each in found["recommendations"]]


# against real reports


@cache
def advisories() -> list[tuple[str, Any, list[tuple[float, float, float]]]]:
    """Every printed V$MTTR_TARGET_ADVICE: target, dirty blocks, writes; each once."""
    found, seen = [], set()
    for entry in corpus.entries("statspack-text", "awr-text", "awr-html"):
        if entry.folder != corpus.CORPUS:
            continue
        report = corpus.report(entry)
        table = report.tables.get("mttr_advisory")
        if table is None or not table.rows:
            continue
        rows = [(row.number("target_mttr_s"), row.number("dirty_limit"), row.number("cache_writes"))
                for row in table.rows]  # fmt: skip
        if tuple(rows) not in seen:
            seen.add(tuple(rows))
            found.append((entry.file, report, rows))
    return found  # type: ignore[return-value]


def present_corpus() -> None:
    if not corpus.CORPUS.exists():
        pytest.skip("the corpus is not here")


@pytest.mark.corpus
def test_simulated_writes_agree_with_every_printed_advisory() -> None:
    """docs/simulation.md: the median error is 19 %, and most rows are within the range."""
    present_corpus()
    errors, within = [], []
    for name, report, rows in advisories():
        facts = api.facts_of(report)
        loads = [of_report(facts, name, report.identity.block_size, exponent).load
                 for exponent in (EXPONENT, LEAST_EXPONENT, MOST_EXPONENT)]  # fmt: skip
        now = facts["checkpoint.advised_now_s"].number
        base = next(row for row in rows if row[0] == now)
        for target_s, dirty, writes in rows:
            if target_s == now:
                continue
            found, *ends = (
                load.block_writes_per_s(load.age_s(dirty)) /
                load.block_writes_per_s(load.age_s(base[1]))
                for load in loads
            )  # fmt: skip
            factor = writes / base[2]
            errors.append(abs(log(found / factor)))
            within.append(min(ends) * 0.99 <= factor <= max(ends) * 1.01)

    assert len(advisories()) >= 9
    assert len(errors) >= 36
    assert median(errors) < 0.21
    assert sum(within) >= 32


@pytest.mark.corpus
def test_dirty_blocks_of_every_target_are_those_that_oracle_prints() -> None:
    present_corpus()
    for name, report, rows in advisories():
        facts = api.facts_of(report)
        preset = of_report(facts, name, report.identity.block_size)
        system = system_of(facts, preset)._replace(
            load=preset.load._replace(limit_bytes=1e18, cache_blocks=10**9), timeout_s=None,
            tuned_s=None, estimates=(),
        )  # fmt: skip
        system = system._replace(rates=system.rates._replace(writes_per_s=None))
        for target_s, dirty, _ in rows:
            # targets are printed in whole seconds
            low, high = (
                write_model.at(system, target_s + rounded).dirty_blocks for rounded in (-0.5, 0.5)
            )
            assert low * 0.98 <= dirty <= high * 1.02


@pytest.mark.corpus
def test_dirty_blocks_are_writes_times_the_age_of_the_checkpoint() -> None:
    """Little's law in real reports from 10g on: RECOVERY_ESTIMATED_IOS."""
    present_corpus()
    ratios = []
    for entry in corpus.entries("statspack-text", "awr-text", "awr-html"):
        if entry.folder != corpus.CORPUS:
            continue
        facts = api.facts_of(corpus.report(entry))
        dirty, lag, redo, writes = (
            facts[f"{each}"].number if each in facts else None
            for each in ("checkpoint.estimated_ios", "checkpoint.actual_redo_blocks",
                         "redo.bytes_per_s", "checkpoint.cache_writes_per_s")
        )  # fmt: skip
        if dirty and lag and redo and writes:
            ratios.append(dirty / (writes * lag * 512 / redo))

    assert len(ratios) > 30
    assert 0.81 == pytest.approx(median(ratios), abs=0.1)
    assert sum(0.5 < each < 2 for each in ratios) / len(ratios) > 0.7


@pytest.mark.corpus
@corpus.over("statspack-text", "awr-text", "awr-html")
def test_every_real_report_has_its_targets_or_says_what_it_lacks(entry: corpus.Entry) -> None:
    report = corpus.report(entry)
    try:
        found = advisor.advise(
            api.facts_of(report), entry.file, report.identity.block_size, Asked(), Policy()
        )
    except UsageError as refused:
        assert "does not have the redo" in str(refused)
        return

    rows = [row for row in found.rows if row.state.target_s]
    assert rows
    assert [row.state.target_s for row in rows] == sorted({row.state.target_s for row in rows})
    for row in found.rows:
        assert row.low * 0.999 <= row.factor <= row.high * 1.001
        assert row.bears in {"yes", "tight", "no", "tune first", "not known"}
        assert row.state.recovery_s >= (found.split.fixed_s or 0.0)
        assert 0 < row.state.throughput <= 1
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("command", [["mttr"], ["recovery", "simulate", "--report"]])
def test_thresholds_of_the_reports_folder_decide_whether_the_capacity_of_dbwr_is_known(
    command: list[str], tmp_path: Path
) -> None:
    report = tmp_path / REPORT
    report.write_bytes(samples.path(REPORT).read_bytes())
    found = []
    for percent in (0.1, 99.9):
        limits = f'[thresholds]\n"recovery.dbwr_least_busy_pct" = {percent}\n'
        (tmp_path / "awrlens.toml").write_text(limits, encoding="utf-8")
        config._load.cache_clear()
        found.append(run(*command, str(report), "-f", "json"))

    assert found[0] != found[1]
