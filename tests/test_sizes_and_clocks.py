"""I/O by size, the instance's own load, undo as CPU, counts without clocks, unchecked parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import samples
from examples import at_most
from figures import analysis, facts, statistics, tablespaces, time_model, waits
from hypothesis import given
from hypothesis import strategies as st
from test_mistimed import with_pmon
from test_rules import facts_of

from awrlens import api, rules
from awrlens.advice import plan, storage
from awrlens.advice.case import Case
from awrlens.lab import measure, recovery_page
from awrlens.model import Analysis, Recommendation
from awrlens.policy import Policy
from awrlens.render import first_screen
from awrlens.severity import Scale

blocks = st.integers(1, 10**9)


def activity(**counts: float) -> str:
    return statistics(*(f"{name.replace('_', ' ')} | {count}" for name, count in counts.items()))


# ---- the share of temporary I/O ----------------------------------------------------------------


@at_most(50)
@given(blocks, blocks, blocks, blocks, st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_share_of_temporary_io_is_by_blocks_whatever_the_requests(
    read: int, written: int, others_read: int, others_written: int, requests: int, others: int
) -> None:
    found = facts(
        activity(
            physical_reads=read + others_read, physical_writes=written + others_written,
            physical_reads_direct_temporary_tablespace=read,
            physical_writes_direct_temporary_tablespace=written,
        ),
        tablespaces(f"TEMP | {requests} | 0 | 1.0 | 9.0 | 0 | 0 | 0 | 0",
                    f"USERS | {others} | 0 | 1.0 | 1.0 | 0 | 0 | 0 | 0"),
    )  # fmt: skip
    whole = read + written + others_read + others_written

    assert found["temp.io_share_pct"].value == pytest.approx((read + written) * 100 / whole)


def test_before_10g_it_is_by_the_blocks_of_its_reads_and_by_direct_writes() -> None:
    """A report of 8.1.7: few requests of 30 blocks were 60 % of the blocks read."""
    found = facts(
        activity(
            physical_reads=1_261_744, physical_writes=52_189, physical_writes_direct=47_373,
            physical_writes_non_checkpoint=51_320, free_buffer_inspected_and_more_of_it=1,
        ),
        tablespaces("TEMP | 25,144 | 42 | 47.3 | 29.9 | 2,932 | 5 | 6 | 3.3",
                    "PARIDX4 | 386,000 | 316 | 2.2 | 1.0 | 1,015 | 2 | 27,197 | 1.8"),
    )["temp.io_share_pct"]  # fmt: skip

    assert found.value == pytest.approx((25_144 * 29.9 + 47_373) * 100 / (1_261_744 + 52_189))
    assert found.status == "estimated"


def test_without_sizes_it_is_by_requests_and_says_so() -> None:
    found = analysis(
        tablespaces("TEMP | 9,000 | 42 | 47.3 | 9.9 | 0 | 0 | 0 | 0",
                    "USERS | 1,000 | 316 | 2.2 | 1.0 | 0 | 0 | 0 | 0"),
        waits("direct path read temp | 9,000 | 0 | 6,000 | 666 | 1 | 50"),
    )  # fmt: skip

    assert found.facts["temp.io_share_pct"].note == "by requests: the report has no sizes"
    assert found.facts["temp.io_share_pct"].status == "estimated"  # one request has up to 1 MB
    assert "do 90 % of all I/O requests" in str([each.title for each in found.findings]) + str(
        [part.title for each in found.findings for part in each.contributing]
    )


# ---- the largest reader and writer -------------------------------------------------------------

#: Three kinds of slow writes, and sessions that wait for them.
SLOW: dict[str, Any] = {
    "redo.local_write_ms": 75.8, "redo.parallel_write_ms": 75.8, "io.control_write_ms": 178.0,
    "temp.direct_write_ms": 247.0, "temp.direct_write_b": 433_091.0, "redo.sync_wait_s": 3_414.0,
    "redo.commit_ms": 340.7, "load.response_s": 2_269_545.0, "load.elapsed_s": 2_221.0,
}  # fmt: skip


def advised(values: dict[str, Any], action: str) -> Recommendation:
    known = facts_of(values)
    findings, _ = rules.run(known, Policy())
    items = plan.advise(Case.of(known, findings, Policy())).recommendations
    return next(each for each in items if each.id == action)


@at_most(50)
@given(st.floats(0, 5_000), st.floats(0, 5_000))
def test_a_large_load_of_the_instance_itself_is_suspected_before_what_is_below(
    read: float, written: float
) -> None:
    own = {"io.read_mb_per_s": read, "io.write_mb_per_s": written}
    found = advised(SLOW | own, "repair-write-path")

    assert "The instance itself reads" in found.action
    assert ("the first suspect" in found.action) is (max(read, written) >= 50)
    assert ("below the database" in found.action) is (max(read, written) < 50)
    assert ("the instance's own" in found.title) is (max(read, written) >= 50)


# ---- memory that the facts can carry -----------------------------------------------------------

SPILLS: dict[str, Any] = {
    "temp.direct_wait_s": 661.0, "temp.direct_ms": 3.9, "temp.io_share_pct": 83.0,
    "temp.sorts_disk": 179.0, "temp.writes": 100_000.0, "pga.work_area_policy": "manual",
    "pga.sort_area_size_b": 819_200.0, "database.address_space": "32-bit Windows",
    "database.sga_mb": 1_403.0, "load.elapsed_s": 600.0, "load.response_s": 3_300.0,
}  # fmt: skip


@at_most(50)
@given(st.floats(0.1, 500), st.integers(1, 1_000))
def test_no_sort_area_is_sized_by_the_one_number_of_sessions_that_8i_prints(
    sort_mb: float, sessions: int
) -> None:
    values = SPILLS | {"temp.disk_sort_mb": sort_mb, "load.sessions": float(sessions),
                       "database.release": "8.1.7.4.1"}  # fmt: skip
    found = advised(values, "size-work-areas")

    fits = sort_mb <= (2_048 - 1_403) / sessions
    assert ("is left for each session" in found.action) is not fits
    # 8.1.7.4.1_07 and _08 end at the same snapshot, and print 17 and 239 sessions
    assert ("sessions during the interval is not known" in found.action) is fits
    assert (found.status, found.benefit.seconds, found.first) == (
        "tune-first", None, ("action 1",),
    )  # fmt: skip
    assert found.commands[0] == "ALTER SESSION SET sort_area_size=<bytes>;"


@pytest.mark.parametrize(
    ("host_mb", "status", "said"),
    [(25_600.0, "apply", "fits in 5 GB"), (24_576.0, "tune-first", "at most 80 % of host memory")],
)
def test_a_larger_pga_target_is_held_against_the_memory_of_the_host(
    host_mb: float, status: str, said: str
) -> None:
    values = SPILLS | {
        "pga.work_area_policy": "auto", "pga.target_mb": 3_072.0, "temp.direct_write_ms": 127.0,
        "pga.recommended_target_mb": 6_144.0, "pga.recommended_ends_pct": 94.0,
        "pga.host_memory_mb": host_mb, "database.address_space": "64-bit",
        "pga.recommended_host_pct": (14_336 + 6_144) * 100 / host_mb, "pga.multipass": 5_850.0,
    }  # fmt: skip
    found = advised(values, "more-work-area-memory")

    assert found.status == status
    assert said in str(found.prerequisites)


# ---- clocks ------------------------------------------------------------------------------------


@at_most(50)
@given(st.floats(0, 3_000), st.floats(1, 49))
def test_waits_that_were_timed_in_part_are_scaled_up_and_judged(waited: float, pct: float) -> None:
    known = facts_of({"redo.sync_wait_s": waited, "load.timed_pct": pct, "redo.commit_ms": 5.0,
                      "redo.buffer_wait_s": 0.0, "redo.local_write_ms": 3.0,
                      "redo.commit_waits": 100.0, "load.elapsed_s": 3_600.0})  # fmt: skip
    findings, _ = rules.run(known, Policy())
    case = Case.of(known, findings, Policy())
    sessions = waited / 3_600 * 100 / pct
    found = storage.redo_verdict(case)

    assert case.scale.sessions(waited) == pytest.approx(sessions)
    assert found.status == ("no-benefit" if sessions < 0.1 else "need-data")
    assert found.saving.seconds is None


@at_most(50)
@given(st.one_of(st.floats(0, 49), st.floats(301, 5_000)), st.floats(0, 10_000))
def test_nothing_is_saved_by_a_clock_that_is_not_reliable(pct: float, waited: float) -> None:
    scale = Scale(facts_of({"load.timed_pct": pct, "load.elapsed_s": 3_600.0,
                            "load.response_s": 9_000.0}), Policy())  # fmt: skip

    assert scale.impact(waited, "waits").seconds is None
    assert scale.weigh(waited, 50.0).severity in ("ok", "info")


def test_no_average_divides_timed_seconds_by_untimed_waits(tmp_path: Path) -> None:
    found = with_pmon(tmp_path / "off.lst", " 83,800")
    averages = [fact for name, fact in found.facts.items() if fact.unit == "ms"]

    assert averages
    assert all(fact.value is None for fact in averages)
    tiles = {each.name: each for each in first_screen.tiles(found)}
    assert not [words for tile in tiles.values() for words in tile.words if " ms" in words]
    assert "of timed waits" in str(tiles["temp"].words)


def test_counts_advise_without_any_clock() -> None:
    untimed = SPILLS | {"temp.direct_wait_s": 0.0, "temp.direct_ms": None, "load.timed_pct": 0.0}
    known = facts_of({name: value for name, value in untimed.items() if value is not None})
    findings, _ = rules.run(known, Policy())

    assert [(each.id, each.severity) for each in findings] == [("TEMP001", "info")]
    assert advised(untimed | {"temp.direct_ms": 0.0}, "size-work-areas").benefit.seconds is None


# ---- undo as CPU -------------------------------------------------------------------------------


def test_undo_records_are_counted_against_logical_reads() -> None:
    """A report of 10.2 whose CPU nothing else explained."""
    found = facts(statistics(
        "data blocks consistent reads - undo records applied | 28,415,275",
        "rollback changes - undo records applied | 792", "session logical reads | 305,613,948",
        "CR blocks created | 485,820",
    ), time_model("8,976.00"))  # fmt: skip

    assert found["undo.applied_read_pct"].value == pytest.approx(28_416_067 / 3_056_139.48)
    assert found["undo.records_per_cr_block"].value == pytest.approx(28_415_275 / 485_820)
    assert found["undo.apply_cpu_s"].value == pytest.approx(8_976 * 28_416_067 / 305_613_948)


def test_queries_that_apply_undo_have_an_action_and_rollbacks_that_of_their_own_rule() -> None:
    applied = {
        "undo.applied_read_pct": 25.0, "undo.apply_cpu_s": 2_900.0, "load.elapsed_s": 12_000.0,
        "undo.consistent_read_records_applied": 49e6, "undo.rollback_records_applied": 48e6,
    }  # fmt: skip

    assert "disks do not help" in advised(applied, "apply-less-undo").action
    with pytest.raises(StopIteration):
        advised(applied | {"undo.consistent_read_records_applied": 10.0}, "apply-less-undo")


# ---- parts without checks ----------------------------------------------------------------------


def tiles(found: Analysis) -> dict[str, first_screen.Tile]:
    return {each.name: each for each in first_screen.tiles(found)}


def test_a_part_whose_rules_were_mostly_skipped_is_not_green() -> None:
    found = analysis(activity(physical_reads=5, physical_writes=7, DBWR_undo_block_writes=3))

    for name, tile in tiles(found).items():
        own = [each for each in found.skipped if each.rule.startswith(name.upper())]
        if name in ("redo", "temp", "undo"):
            assert tile.severity == "unknown"
            assert tile.words[0].startswith(f"not checked ({len(own)} of ")


def test_a_rule_that_is_settled_because_nobody_waits_counts_as_checked() -> None:
    whole = tiles(api.analyze(api.load(samples.FOLDER / "temp-sort-disk.awr-11.2.txt")))

    assert whole["undo"].severity != "unknown"
    assert "not checked" not in str(whole["undo"].words)


def test_the_line_of_a_part_has_what_gives_it_its_color() -> None:
    found = tiles(api.analyze(api.load(samples.FOLDER / "redo-disk.awr-11.2.txt")))
    rolls_back = tiles(api.analyze(api.load(samples.FOLDER / "undo-disk.awr-11.2.txt")))

    assert found["checkpoint"].words[0] == "5.3 % of DB time"
    assert rolls_back["undo"].words[0].startswith("1.03 rollbacks per 1,000 executions")


@pytest.mark.parametrize(("io", "writes", "said"), [(9.5, 88.0, "88 %"), (80.0, 77.0, "80 %")])
def test_the_larger_share_of_temporary_io_is_shown(io: float, writes: float, said: str) -> None:
    found = api.analyze(api.load(samples.FOLDER / "temp-sort-disk.awr-11.2.txt"))
    shares = {"temp.io_share_pct": io, "temp.block_write_pct": writes}
    known = {**found.facts, **{name: facts_of(shares)[name] for name in shares}}
    (words,) = (
        word for word in tiles(found._replace(facts=known))["temp"].words
        if word.endswith(("of I/O", "of writes"))
    )  # fmt: skip

    assert words.startswith(said)


@pytest.mark.parametrize(
    ("log", "severity"),
    [("11g-rac.log", "unknown"), ("10g.log", "ok"), ("9i-rac.log", "warning"), ("pasted.md", "ok")],
)
def test_recoveries_that_nothing_judged_are_not_green(log: str, severity: str) -> None:
    text = (Path(__file__).parent / "alertlogs" / log).read_text(encoding="utf-8")

    assert recovery_page.page(measure.measure(text, log)).severity == severity


def test_the_segments_of_row_locks_are_named_with_their_shares() -> None:
    heading = "Segments by Row Lock Waits            DB/Inst: AULTDB/aultdb1  Snaps: 144-147\n"
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    at = text.index(heading) + len(heading)
    table = (
        "-> % of Capture shows % of row lock waits for each top segment compared\n\n"
        "                                                                     Row\n"
        "           Tablespace                      Subobject  Obj.          Lock    % of\n"
        "Owner         Name    Object Name            Name     Type         Waits Capture\n"
        "---------- ---------- -------------------- ---------- ----- ------------ -------\n"
        "SHOP       DATA       ORDERS                          TABLE          900   90.00\n"
        "SHOP       DATA       ITEMS                           TABLE           50    5.00\n"
    )
    end = text.index("          ----", at)
    facts = api.facts_of(api.load((text[:at] + table + text[end:]).encode()))

    assert facts["load.locked_segments"].value == ("SHOP.ORDERS",)
    assert facts["load.locked_segments"].note == "SHOP.ORDERS: 90.00 %"
