"""Storage verdicts: what an expert would say of the documents' figures, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from test_rules import facts_of

from awrlens import rules
from awrlens.advice import case as run_queue
from awrlens.advice import commit_waits, plan, redo_logs, storage
from awrlens.advice.case import Case
from awrlens.advice.devices import commits, with_write
from awrlens.policy import Policy

if TYPE_CHECKING:
    from awrlens.advice.storage import StorageVerdict
    from awrlens.model import Recommendation

#: Document 3, figures 1 and 2: most of the commit wait is a log write of 3.8 ms.
FIGURE_1: dict[str, Any] = {
    "redo.parallel_write_ms": 43_993 * 1000 / 11_649_477,
    "redo.write_ms": 12_418 * 1000 / 11_649_440,
    "redo.sync_count": 21_470_106,
    "redo.sync_wait_s": 125_416.0,
    "redo.local_write_ms": 43_993 * 1000 / 11_649_477,
    "redo.commit_ms": 125_416 * 1000 / 21_470_106,
    "redo.commit_waits": 21_470_106,
    "redo.bytes_per_write": 4_895.0,
    "redo.lgwr_busy_pct": 43_993 * 100 / 28_800,
    "redo.log_switch_wait_s": 0.0,
    "redo.buffer_wait_s": 0.0,
    "redo.commit_storage_s": 21_470_106 * 43_993 / 11_649_477,
    "load.response_s": 125_416 * 100 / 34.86,
    "load.elapsed_s": 28_800.0,
}
#: Figure 4: slow writes, but what sessions wait for are log switches.
FIGURE_4: dict[str, Any] = {
    "redo.parallel_write_ms": 17.86, "redo.write_ms": 18.68, "redo.sync_wait_s": 0.0,
    "redo.sync_count": 18, "redo.log_switch_wait_s": 507.0, "redo.buffer_wait_s": 0.0,
    "redo.local_write_ms": 17.86, "redo.commit_waits": 18, "redo.commit_ms": 13.0,
    "redo.lgwr_busy_pct": 7_247 * 100 / 8_381, "redo.bytes_per_write": 53_734.0,
    "load.response_s": 9_653.0, "load.elapsed_s": 8_381.0,
}  # fmt: skip
#: Figure 5: the same on the accelerator.
FIGURE_5 = FIGURE_4 | {
    "redo.parallel_write_ms": 0.0932, "redo.write_ms": 0.1044, "redo.log_switch_wait_s": 811.0,
    "redo.local_write_ms": 0.0932, "redo.commit_waits": 56, "redo.commit_ms": 1.0,
    "redo.lgwr_busy_pct": 495 * 100 / 3_317, "redo.bytes_per_write": 4_287.0,
    "load.response_s": 28_952.0, "load.elapsed_s": 3_317.0,
}  # fmt: skip
#: Figure 6: 24.6 ms a read of the busiest temporary tablespace, no sort to disk.
FIGURE_6: dict[str, Any] = {
    "temp.direct_wait_s": 700.0, "temp.read_ms": 24.6, "pga.multipass": 0,
    "pga.over_allocations": 0, "pga.recommended_ends_pct": 5.0, "load.response_s": 9_000.0,
    "load.elapsed_s": 900.0,
}  # fmt: skip
#: Figures 15 and 16: rollbacks make the undo, and hardly anybody waits for its blocks.
FIGURE_16: dict[str, Any] = {
    "undo.buffer_wait_s": 0.0, "undo.read_wait_s": 585 * 28.6 / 1000, "undo.read_ms": 28.6,
    "undo.block_write_pct": 92.9, "undo.rollbacks_per_1000_executes": 1.027,
    "load.rollbacks_per_s": 4.0, "undo.rollback_records_applied": 48_219_732,
    "load.response_s": 29_000.0, "load.elapsed_s": 12_358.0,
}  # fmt: skip
#: The wait for a buffer of undo before it was moved, 345 ms, often enough to matter.
BUSY_UNDO = FIGURE_16 | {"undo.buffer_wait_s": 2_000.0, "undo.buffer_wait_ms": 345.0}


VERDICTS = {
    "redo": storage.redo_verdict,
    "temp": storage.temp_verdict,
    "undo": storage.undo_verdict,
}


def verdict(which: str, values: dict[str, Any]) -> StorageVerdict:
    facts = facts_of(values)
    findings, _ = rules.run(facts, Policy())
    return VERDICTS[which](Case.of(facts, findings, Policy()))


#: Loads of large redo writes: 50 MB in 442 ms are 113 MB/s, 2 MB in 442 ms are 4.5 MB/s.
@pytest.mark.parametrize(
    ("megabytes", "title", "why"),
    [
        (50, "Move the redo logs to storage with more throughput", "the device lacks throughput"),
        (2, "Move the redo logs to low-latency storage", "A log write takes 442 ms"),
    ],
)
def test_large_writes_need_throughput_only_where_their_size_explains_their_time(
    megabytes: int, title: str, why: str
) -> None:
    values = {
        "redo.parallel_write_ms": 442.0, "redo.write_ms": 442.0, "redo.local_write_ms": 442.0,
        "redo.sync_wait_s": 1_535.0, "redo.sync_count": 872, "redo.commit_waits": 872,
        "redo.commit_ms": 1_760.0, "redo.bytes_per_write": megabytes * 2.0**20,
        "redo.bytes_written_per_s": megabytes * 2.0**20 * 672 / 304, "redo.lgwr_busy_pct": 97.6,
        "redo.log_switch_wait_s": 0.0, "redo.buffer_wait_s": 12_755.0,
        "load.response_s": 38_500.0, "load.elapsed_s": 304.0,
    }  # fmt: skip
    facts = facts_of(values)
    case = Case.of(facts, rules.run(facts, Policy())[0], Policy())
    advice = storage.redo_storage(case, storage.redo_verdict(case))
    assert (title, "apply") == (advice.title, advice.status)
    assert why in advice.action


def test_a_histogram_of_waits_is_not_one_of_writes_that_take_two_waits_each() -> None:
    values = FIGURE_1 | {
        "redo.local_write_ms": 70.0, "redo.parallel_write_ms": 35.0, "redo.commit_ms": 300.0,
        "redo.lgwr_busy_pct": 70.0, "redo.write_p50_ms": 1.0,
    }  # fmt: skip

    assert "Half of the log writes" not in verdict("redo", values).reason
    one = values | {"redo.parallel_write_ms": 70.0}
    assert "Half of the log writes end within 1 ms" in verdict("redo", one).reason


def test_few_sessions_are_said_to_wait_only_if_few_do() -> None:
    """Seventeen sessions wait for commits of 365 ms, of which the log write is 16 ms."""
    values = FIGURE_1 | {
        "redo.local_write_ms": 16.0, "redo.parallel_write_ms": 16.0, "redo.write_ms": 16.0,
        "redo.commit_ms": 365.0, "redo.commit_waits": 30_000, "redo.sync_count": 30_000,
        "redo.sync_wait_s": 10_950.0, "redo.lgwr_busy_pct": 5.0, "load.elapsed_s": 640.0,
        "redo.commit_storage_s": 480.0,
        "load.response_s": 154_000.0,
    }  # fmt: skip
    found = verdict("redo", values | {"load.elapsed_s": None})

    assert "Few sessions" not in found.reason
    assert "neither the log write nor the queue for it: find what LGWR waits for" in found.reason


def test_a_quick_log_write_has_no_benefit_whatever_comes_first() -> None:
    """Log switches are nearly all of the redo waits; on the accelerator the write takes 0.09 ms."""
    slow, quick = verdict("redo", FIGURE_4), verdict("redo", FIGURE_5)

    assert ("tune-first", "no-benefit") == (slow.status, quick.status)
    assert "0.0932 ms, which is fast" in quick.reason


def test_temp_without_waits_is_judged_by_the_blocks_that_it_can_have_at_most() -> None:
    few, many, none = (
        verdict("temp", {"load.response_s": 9_000.0, "load.elapsed_s": 900.0, **each})
        for each in ({"temp.blocks_at_most": 253.0}, {"temp.blocks_at_most": 90_000.0}, {})
    )

    assert ("no-benefit", "need-data", "need-data") == (few.status, many.status, none.status)
    assert "All direct I/O, temporary or not, is 253 blocks, 6 s even at 25 ms each." == few.reason
    assert "at most 7 s" == few.why  # 6.3 s


def test_a_host_without_idle_cpu_is_told_with_its_wait_for_cpu() -> None:
    facts = facts_of({"host.idle_pct": 8.0, "host.cpu_wait_pct": 195.0, "host.cpu_wait_s": 3_765.0})
    case = Case.of(facts, (), Policy())

    assert run_queue.starved(case) == (
        "only 8 % of CPU was idle (processes waited 3,765 s for CPU, "
        "195 % of the 1,931 s in which CPUs were busy)"
    )


def test_a_reason_within_another_is_not_repeated() -> None:
    facts = facts_of({})
    both, one = "section A is not in the report and section B is not in the report", "section B is"
    names = "redo.commit_ms", "redo.sync_wait_s"
    for name, note in zip(names, (both, f"{one} not in the report"), strict=True):
        facts[name] = facts[name]._replace(note=note)

    assert Case.of(facts, (), Policy()).lacking(*names) == both


@pytest.mark.parametrize(
    ("which", "facts", "status", "why"),
    [
        ("redo", FIGURE_1, "apply", "a commit 5.84 ms"),
        ("redo", FIGURE_4, "tune-first", "log switches"),
        # the log device is quick, and sessions still wait: for larger logs, not for a device
        ("redo", FIGURE_5, "no-benefit",
         "0.0932 ms, which is fast: the device does not cause the waits"),
        ("redo", FIGURE_5 | {"redo.log_switch_wait_s": 0.0}, "no-benefit",
         "0.0932 ms, which is fast"),
        ("redo", FIGURE_4 | {"redo.log_switch_wait_s": 5.0, "redo.lgwr_busy_pct": 20.0},
         "no-benefit", "17.9 ms, which is slow, but no session waited"),
        # a busy LGWR is a warning, and still nobody would notice another device
        ("redo", FIGURE_4 | {"redo.log_switch_wait_s": 0.0}, "no-benefit", "Few sessions wait"),
        ("redo", FIGURE_1 | {
            "redo.parallel_write_ms": 1.5, "redo.local_write_ms": 1.5,
            "redo.lgwr_busy_pct": 11_649_477 * 1.5 / 1000 * 100 / 28_800,
            "redo.commit_storage_s": 32_205.0,
        # LGWR writes 60.7 % of the time: 1.5 * 0.607 / 0.393 = 2.314 ms of queue for each of
        # 21,470,106 commits are 49,688 s, which leaves 43,523 s (34.7 %) outside
        }, "no-benefit", "About 2.31 ms of a commit of 5.84 ms is the queue for LGWR"),
        # by LGWR's counter a write takes 1 ms, which Write Accelerator reads as other than I/O; of
        # 102,529 s 1.066 * 0.431 / 0.569 = 0.808 ms a commit, or 17,349 s, are the queue
        ("redo", FIGURE_1 | {
            "redo.local_write_ms": 1.066, "redo.lgwr_busy_pct": 12_418 * 100 / 28_800,
            "redo.commit_storage_s": 22_887.0,
        }, "no-benefit", "1.07 ms, which is fast: the device does not cause the waits"),
        ("redo", FIGURE_1 | {"redo.parallel_write_ms": None, "redo.write_ms": None,
                             "redo.local_write_ms": None}, "need-data", "not in this case"),
        ("temp", FIGURE_6, "apply", "24.6 ms"),
        ("temp", FIGURE_6 | {"temp.read_ms": 0.1}, "no-benefit", "0.1 ms per read"),
        ("temp", FIGURE_6 | {"temp.direct_wait_s": 9.0}, "no-benefit", "waited 9 s"),
        ("temp", FIGURE_6 | {"pga.multipass": 12, "pga.recommended_ends_pct": None}, "tune-first",
         "Memory comes first"),
        ("temp", FIGURE_6 | {"pga.recommended_ends_pct": 94.0}, "tune-first", "avoids 94 %"),
        # 0.13 sessions and 1.3 % of DB time: not worth storage, whatever memory does before
        ("temp", FIGURE_6 | {"pga.recommended_ends_pct": 94.0, "temp.direct_wait_s": 120.0},
         "no-benefit", "would save only 119 s, 1.3 % of DB time, 0.13 average active sessions"),
        # work areas are a small part of the temporary I/O: memory does not reduce the rest
        ("temp", FIGURE_6 | {"pga.recommended_ends_pct": 94.0, "pga.temp_share_pct": 3.0}, "apply",
         "memory would avoid 3 % of it"),
        ("temp", FIGURE_6 | {"pga.recommended_ends_pct": None, "pga.multipass": None,
                             "pga.work_area_policy": "manual"}, "tune-first", "SORT_AREA_SIZE"),
        ("temp", FIGURE_6 | {"pga.work_area_policy": "manual", "temp.sorts_disk": 9}, "tune-first",
         "Work areas have manual sizes: first "),
        # quick reads say nothing of slow writes
        ("temp", FIGURE_6 | {"temp.read_ms": 0.07, "temp.direct_read_wait_s": 10.0,
                             "temp.direct_write_wait_s": 690.0, "temp.direct_write_ms": 250.0},
         "apply", "250 ms per write"),
        ("temp", FIGURE_6 | {"temp.direct_wait_s": None}, "need-data",
         "Not decided: not in this case."),
        ("undo", FIGURE_16, "no-benefit", "17 s for undo blocks"),
        ("undo", BUSY_UNDO, "tune-first", "application"),
        ("undo", BUSY_UNDO | {"load.rollbacks_per_s": 0.0}, "apply", "Low-latency storage"),
        # rollbacks come first, but then storage has nothing to gain: reads are as fast as memory
        ("undo", BUSY_UNDO | {"undo.read_ms": 0.1, "undo.buffer_wait_ms": 0.1}, "no-benefit",
         "for undo blocks"),
        ("undo", FIGURE_16 | {"undo.buffer_wait_s": 2_000.0, "undo.read_wait_s": 0.0,
                              "load.rollbacks_per_s": 0.0}, "need-data",
         "The latency is not known: not in this case."),
        # many short waits for buffers, and a disk that answers at once
        ("undo", FIGURE_16 | {"undo.buffer_wait_s": 20_000.0, "undo.buffer_wait_ms": 4.6,
                              "undo.read_ms": 0.28, "undo.block_write_pct": 3.0}, "no-benefit",
         "An undo read takes 0.28 ms, which is fast: the device does not cause the waits"),
        ("undo", FIGURE_16 | {"undo.read_wait_s": 0.2}, "no-benefit",
         "Sessions waited less than 1 s for undo"),
        ("undo", FIGURE_16 | {"undo.buffer_wait_s": None, "undo.read_wait_s": None}, "need-data",
         "Not decided: not in this case."),
        # a write of 7 KB does not ask for throughput, one of 350 KB does
        ("redo", FIGURE_1 | {"redo.bytes_per_write": 350_000.0, "redo.bytes_per_s": 6_000_000.0},
         "apply", "The device must sustain 10 MB/s of redo."),
        # a few long writes make the average: the device is fast, and another one would stall, too
        ("redo", FIGURE_1 | {
            "redo.parallel_write_ms": 37.8, "redo.local_write_ms": 37.8, "redo.commit_ms": 58.4,
            "redo.write_ms": 37.8, "redo.write_p50_ms": 1.0,
        }, "tune-first",
         "and a few stalls raise the average to 37.8 ms: first find what stalls LGWR."),
        # no queue: the write is most of a short commit
        ("redo", FIGURE_1 | {
            "redo.parallel_write_ms": 1.5, "redo.local_write_ms": 1.5, "redo.commit_ms": 2.0,
            "redo.lgwr_busy_pct": 5.0, "redo.sync_wait_s": 42_940.0,
            "redo.commit_storage_s": 32_205.0,
        }, "no-benefit", "the waits are short but frequent"),
    ],
)  # fmt: skip
def test_the_verdict_is_what_an_expert_would_say(
    which: str, facts: dict[str, Any], status: str, why: str
) -> None:
    found = verdict(which, {name: value for name, value in facts.items() if value is not None})

    assert status == found.status, found.reason
    assert why in found.reason


def test_a_reason_that_several_facts_share_is_said_once() -> None:
    """The reasons are the report's sections: names of facts are not the words of a DBA."""
    found = verdict("redo", {"load.response_s": 9_000.0, "load.elapsed_s": 3_600.0})

    assert "Not decided: not in this case." == found.reason


@pytest.mark.parametrize(("which", "facts", "waited"), [
    ("redo", FIGURE_1, 125_416.0), ("temp", FIGURE_6, 700.0),
    ("undo", BUSY_UNDO, 2_016.8),
])  # fmt: skip
def test_nothing_saves_more_than_is_waited(
    which: str, facts: dict[str, Any], waited: float
) -> None:
    saving = verdict(which, facts).saving

    assert saving.seconds is not None
    assert 0 < saving.seconds <= waited


def test_a_slower_device_saves_less() -> None:
    facts = facts_of(FIGURE_1)
    findings, _ = rules.run(facts, Policy())
    fast, slow = (
        storage.redo_verdict(Case.of(facts, findings, policy)).saving.seconds
        for policy in (Policy(), Policy({"device.write_ms": 2.0}))
    )

    assert fast is not None
    assert slow is not None
    assert 0 < slow < fast


def test_on_an_idle_system_nothing_is_worth_a_change() -> None:
    idle = FIGURE_1 | {"redo.sync_wait_s": 5.0, "redo.sync_count": 900, "redo.commit_waits": 900,
                       "redo.commit_ms": 5.0 * 1000 / 900, "redo.lgwr_busy_pct": 0.1,
                       "load.response_s": 40.0, "load.elapsed_s": 3600.0}  # fmt: skip

    assert "no-benefit" == verdict("redo", idle).status


def test_a_step_of_the_plan_names_the_steps_that_come_before_it() -> None:
    facts = facts_of(FIGURE_4 | {"checkpoint.incomplete_wait_s": 385.0,
                                 "redo.bytes_written_per_s": 2_687_933.0})  # fmt: skip
    findings, _ = rules.run(facts, Policy())

    items = plan.advise(Case.of(facts, findings, Policy())).recommendations

    order = [item.id for item in items]
    assert order.index("enlarge-redo-logs") < order.index("redo-storage")
    storage_ = next(item for item in items if item.id == "redo-storage")
    assert any(
        each.startswith("add redo log groups of ") and each.endswith(" GB (above)")
        for each in storage_.prerequisites
    )


def test_waits_that_are_not_counted_are_not_priced_as_none() -> None:
    known = {"redo.local_write_ms": 20.0, "redo.sync_wait_s": 900.0, "redo.commit_ms": 30.0}
    whole = facts_of({**known, "redo.commit_waits": 30_000.0})
    lacking = facts_of(known)

    assert commits(whole) is not None
    assert commits(lacking) is None


def test_what_shares_the_redo_device_is_looked_for_where_new_storage_has_no_benefit() -> None:
    """Log writes of 17.9 ms are slow for few sessions; in figure 1 the redo logs move instead."""
    few = FIGURE_4 | {"redo.log_switch_wait_s": 0.0}
    for values, wanted in ((few, "no-benefit"), (FIGURE_1, "apply")):
        facts = facts_of(values)
        findings, _ = rules.run(facts, Policy())
        slow = findings[0]._replace(id="REDO001", severity="warning", contributing=())
        case = Case.of(facts, (*findings, slow), Policy())
        items = {item.id: item for item in plan.advise(case).recommendations}

        assert wanted == items["redo-storage"].status
        assert (wanted == "no-benefit") == ("relieve-log-device" in items)


def test_no_saving_exceeds_the_waits_that_it_ends() -> None:
    for values in (FIGURE_1, FIGURE_4, FIGURE_6, FIGURE_16):
        facts = facts_of(values)
        findings, _ = rules.run(facts, Policy())
        items = plan.advise(Case.of(facts, findings, Policy())).recommendations
        waits = sum(value for name, value in values.items()
                    if name.endswith("_wait_s") and isinstance(value, float | int))  # fmt: skip
        for item in items:
            assert item.to_dict()["benefit"]["upper_bound"] is True
            assert (item.benefit.seconds or 0.0) <= waits, item.id


def test_a_small_write_asks_for_no_throughput() -> None:
    assert "MB/s of redo" not in verdict("redo", FIGURE_1 | {"redo.bytes_per_s": 90_000.0}).reason


def test_a_saving_is_said_as_a_sentence() -> None:
    few = FIGURE_1 | {"redo.sync_wait_s": 600.0, "redo.commit_waits": 10_000.0,
                      "redo.commit_ms": 60.0, "redo.local_write_ms": 30.0,
                      "redo.lgwr_busy_pct": 2.0, "load.response_s": 500_000.0}  # fmt: skip

    reason = verdict("redo", few).reason
    assert "would take about 29.7 ms instead of 60 ms" in reason
    assert "This saves 303 s, 0.1 % of DB time" in reason


def test_a_commit_that_is_longer_than_write_and_queue_says_what_is_left() -> None:
    long = FIGURE_1 | {"redo.local_write_ms": 177.5, "redo.commit_ms": 1_208.0,
                       "redo.commit_waits": 799_000.0, "redo.sync_wait_s": 965_192.0,
                       "redo.lgwr_busy_pct": 31.5, "load.response_s": 5_424_423.0,
                       "load.elapsed_s": 1_256_433.0}  # fmt: skip

    # 177.5 * 0.315 / 0.685 = 81.6 ms of queue leave 1,208 - 177.5 - 81.6 = 949 ms
    reason = verdict("redo", long).reason
    assert "949 ms of a commit is neither the write nor its average queue" in reason


def test_waits_for_undo_segments_and_for_growth_are_not_those_for_undo_blocks() -> None:
    quiet = {"undo.buffer_wait_s": 0.0, "undo.read_wait_s": 0.0, "checkpoint.buffer_wait_s": 0.0,
             "load.elapsed_s": 3600.0, "load.response_s": 90_000.0}  # fmt: skip
    segments = {"undo.us_enqueue_wait_s": 2_478.0}
    growth = {"undo.file_header_wait_s": 53.0, "undo.file_extensions": 25.0}

    assert verdict("undo", quiet).reason == "No session waited for undo blocks."
    assert "2,478 s for undo segments" in verdict("undo", quiet | segments).reason
    said = verdict("undo", quiet | growth).reason
    assert "extended 25 times, and sessions waited 53 s for file headers" in said


def test_reads_without_times_are_not_called_reads_that_nobody_waits_for() -> None:
    untimed = {"temp.direct_wait_s": 0.0, "temp.reads": 40_450.0, "temp.timed": "no",
               "load.elapsed_s": 3600.0, "load.response_s": 9_000.0}  # fmt: skip

    reason = "The report shows no wait for temporary I/O; 40,450 reads have no times."
    assert verdict("temp", untimed).reason == reason
    assert "No session waited" in verdict("temp", untimed | {"temp.timed": "yes"}).reason


def test_the_wait_for_reads_and_writes_together_is_not_called_a_read() -> None:
    # before 10g, `direct path read` and `write` are those of all segments
    both = {"temp.direct_wait_s": 600.0, "temp.direct_ms": 17.6, "load.elapsed_s": 3600.0,
            "load.response_s": 9_000.0}  # fmt: skip

    assert "600 s for temporary I/O, 17.6 ms per wait" in verdict("temp", both).reason


def test_without_times_the_number_of_temp_requests_decides_that_memory_comes_first() -> None:
    untimed = {
        "load.timed_pct": 8.0, "temp.direct_wait_s": 240.0, "temp.io_share_pct": 44.0,
        "temp.sorts_disk": 2_257.0, "pga.work_area_policy": "manual", "load.elapsed_s": 22_203.0,
        "load.response_s": 12_000.0,
    }  # fmt: skip
    found = verdict("temp", untimed)

    assert found.status == "tune-first"
    assert found.reason.startswith(
        "How long sessions waited is not known: waits were timed for only 8 % of the "
        "interval. Work areas have manual sizes: first a larger SORT_AREA_SIZE"
    )
    assert verdict("temp", untimed | {"temp.io_share_pct": 5.0}).status == "need-data"


def test_work_areas_of_an_unknown_policy_are_those_of_a_pga_target() -> None:
    spilled = {"temp.direct_wait_s": 9_000.0, "temp.direct_read_ms": 12.3,
               "temp.direct_read_wait_s": 9_000.0, "load.elapsed_s": 3_600.0,
               "load.response_s": 40_000.0}  # fmt: skip

    assert "first increase PGA_AGGREGATE_TARGET" in verdict("temp", spilled).reason
    manual = verdict("temp", spilled | {"pga.work_area_policy": "manual"}).reason
    assert "first increase SORT_AREA_SIZE" in manual


def test_waits_for_undo_segments_that_grow_are_told_beside_those_that_come_online() -> None:
    found = verdict(
        "undo",
        FIGURE_16 | {"undo.us_enqueue_wait_s": 1.0, "undo.segment_growth_wait_s": 47.0},
    )

    assert "Sessions waited 1 s for undo segments to come online or go offline" in found.reason
    assert "47 s while undo segments were added, extended or shrunk" in found.reason


def test_a_host_that_was_never_idle_is_not_told_with_0_per_cent() -> None:
    case = Case.of(facts_of({"host.idle_pct": 0.0}), (), Policy())

    assert run_queue.starved(case) == "no CPU was idle"


#: Undo of DML on temporary tables: nearly all of the redo, and of DBWR's writes.
TEMPORARY = {
    "undo.buffer_wait_s": 11.0, "undo.redo_pct": 82.0, "undo.block_write_pct": 99.6,
    "load.response_s": 183_000.0, "load.elapsed_s": 21_600.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("release", "what"),
    [
        (
            "10.2.0.4.0",
            "Use ON COMMIT DELETE ROWS instead of DELETE, not TRUNCATE, which commits.",
        ),
        ("19.0.0.0.0", "TEMP_UNDO_ENABLED=TRUE"),
    ],
)
def test_undo_of_temporary_tables_is_recognised_by_the_redo_that_is_little_else(
    release: str, what: str
) -> None:
    values = TEMPORARY | {"database.release": release}
    reason = verdict("undo", values).reason

    assert what in redo_logs.at_source(Case.of(facts_of(values), (), Policy()))[0]
    assert "82 % of the redo and 100 % of DBWR's writes: probably changes" in reason
    assert what in reason


@pytest.mark.parametrize(
    "other",
    [
        {"undo.redo_pct": 56.0},
        {"undo.block_write_pct": 74.0},
        # rollbacks write undo, too
        {"undo.rollbacks_per_1000_executes": 9.0, "load.rollbacks_per_s": 40.0,
         "undo.rollback_records_applied": 48_219_732, "undo.records_per_rollback": 999.0},
    ],
)  # fmt: skip
def test_undo_beside_other_redo_or_writes_or_of_rollbacks_is_not_that_of_temporary_tables(
    other: dict[str, float],
) -> None:
    assert "temporary tables" not in verdict("undo", TEMPORARY | other).reason


#: Waits of a tenth of two hours that were timed: scaled up, they are few.
TIMED_IN_PART: dict[str, Any] = {
    "load.timed_pct": 10.0, "load.elapsed_s": 7200.0, "load.response_s": 9000.0,
    "redo.sync_wait_s": 21.0, "redo.buffer_wait_s": 0.0, "temp.direct_wait_s": 3.0,
    "undo.buffer_wait_s": 0.0, "undo.read_wait_s": 2.0, "checkpoint.buffer_wait_s": 0.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("which", "wait"),
    [
        ("redo", "redo.buffer_wait_s"), ("redo", "redo.sync_wait_s"),
        ("temp", "temp.direct_wait_s"), ("undo", "undo.buffer_wait_s"),
        ("undo", "undo.read_wait_s"), ("undo", "checkpoint.buffer_wait_s"),
    ],
)  # fmt: skip
def test_waits_timed_in_part_need_no_storage_only_if_all_of_them_are_known(
    which: str, wait: str
) -> None:
    assert "no-benefit" == verdict(which, TIMED_IN_PART).status
    assert "need-data" == verdict(which, TIMED_IN_PART | {wait: None}).status


@pytest.mark.parametrize(("wait_ms", "stalls"), [(36.0, True), (None, True), (12.0, False)])
def test_rule_and_advice_agree_whether_a_few_long_writes_make_the_average_slow(
    wait_ms: float | None, stalls: bool
) -> None:
    """Of three waits to a write, the histogram has parts of writes."""
    values = FIGURE_1 | {
        "redo.local_write_ms": 36.0, "redo.write_ms": 36.0, "redo.parallel_write_ms": wait_ms,
        "redo.write_p50_ms": 4.0, "redo.commit_ms": 40.0,
    }  # fmt: skip
    facts = facts_of(values)
    findings, _ = rules.run(facts, Policy())
    case = Case.of(facts, findings, Policy())

    assert stalls == ("REDO001" not in case.by_rule)
    assert stalls == bool(commit_waits.stalled(case))


@pytest.mark.parametrize(("reads_s", "sleep_ms", "first"), [
    (10_640.0, 200.0, "a sleep on a latch, 10 ms without a disk, takes 200 ms: check it first."),
    # a sleep of 10 ms that ends one or two ticks of the clock later
    (10_640.0, 36.0, "would be faster is not known."),
    (300.0, 23.0, None),
])  # fmt: skip
def test_slow_reads_of_many_sessions_are_looked_at_although_few_wait_for_redo(
    reads_s: float, sleep_ms: float, first: str | None
) -> None:
    slow = FIGURE_1 | {
        "redo.sync_wait_s": 197.0, "redo.local_write_ms": 67.6, "redo.write_ms": 67.6,
        "redo.commit_ms": 112.0, "redo.sync_count": 1_765, "redo.commit_waits": 1_765,
        "redo.parallel_write_ms": 10.4, "redo.lgwr_busy_pct": 13.0, "io.data_read_ms": 38.9,
        "io.data_read_waits": 260_000, "load.data_read_wait_s": reads_s,
        "load.latch_sleep_ms": sleep_ms,
        "load.response_s": 15_912.0, "load.elapsed_s": 2_676.0,
    }  # fmt: skip
    facts = facts_of(slow)
    items = plan.advise(Case.of(facts, rules.run(facts, Policy())[0], Policy())).recommendations
    found = next((each for each in items if each.id == "relieve-log-device"), None)

    assert first is None if found is None else found.action.endswith(first or "-")
    assert found in (None, items[0])
    asked = next(each.asked for each in items if each.id == "redo-storage")
    assert (found is not None) == any("run queue" in each for each in asked)


@pytest.mark.parametrize(
    ("commit_ms", "busy_pct", "ack_s", "said"),
    [
        # awr-html_11.2.0.4.0-rac_02: the model's 0.31 ms are the write alone
        (1_123.0, 94.0, 0.0, "about 1 ms"),
        (1_123.0, 94.0, 71.48 * 5, "about 5.31 ms"),
        # awr-html_10.2.0.5.0_02: the rest of a commit may be queue as well
        (1_123.0, 10.0, 0.0, "at most 938 ms"),
    ],
)
def test_a_commit_then_is_never_below_what_the_report_shows_of_it(
    commit_ms: float, busy_pct: float, ack_s: float, said: str
) -> None:
    values = {"redo.local_write_ms": 167.0, "redo.commit_waits": 54_575.0,
              "redo.commit_ms": commit_ms, "redo.sync_wait_s": 61_303.0,
              "redo.lgwr_busy_pct": busy_pct, "redo.bytes_per_write": 11_000.0,
              "redo.broadcast_ack_s": ack_s, "redo.write_count": 71_480.0}  # fmt: skip
    now = commits(facts_of(values))
    assert now is not None

    assert with_write(now, 0.311).instead_of(now) == said


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        ({}, ["separate devices", "LGWR's priority"]),
        # awr-rac-global-html_11.2.0.3.0-rac_01 prints both parameters
        ({"redo.raised_processes": "LGWR", "redo.created_in": "/data"},
         ["whether redo logs are outside /data (DB_CREATE_FILE_DEST)"]),
        ({"redo.raised_processes": "LMS*|VKTM"}, ["separate devices", "LGWR's priority"]),
    ],
)  # fmt: skip
def test_what_parameters_show_is_not_asked(values: dict[str, Any], asked: list[str]) -> None:
    case = Case.of(facts_of({"host.idle_pct": 90.0, **values}), (), Policy())

    assert asked == list(storage.questions(case))


#: A compare-period report of 23 h: LGWR is mostly idle, and bursts fill a log buffer of 2 MB.
BURSTS: dict[str, Any] = {
    "redo.local_write_ms": 12.6, "redo.commit_ms": 41.3, "redo.commit_waits": 272_407.0,
    "redo.sync_count": 272_407, "redo.sync_wait_s": 11_259.0, "redo.lgwr_busy_pct": 4.5,
    "redo.buffer_wait_s": 2_348.0, "redo.log_buffer_mb": 2.0, "redo.bytes_per_write": 44_000.0,
    "io.control_write_ms": 43.9, "io.control_write_wait_s": 1_862.0,
    "load.response_s": 155_505.0, "load.elapsed_s": 82_834.0, "database.release": "10.2.0.4.0",
}  # fmt: skip


def advised(values: dict[str, Any]) -> dict[str, Recommendation]:
    facts = facts_of(values)
    findings, _ = rules.run(facts, Policy())
    found = plan.advise(Case.of(facts, findings, Policy())).recommendations
    return {each.id: each for each in found if each.status == "apply"}


def test_a_small_log_buffer_that_bursts_fill_is_enlarged() -> None:
    larger = advised(BURSTS)["enlarge-log-buffer"]

    assert larger.title == "Increase LOG_BUFFER to 16 MB"
    assert "LGWR writes only 4 % of the time, but sessions waited 2,348 s" in larger.action
    assert larger.commands == ("ALTER SYSTEM SET log_buffer=16777216 SCOPE=SPFILE;",)
    assert (larger.benefit.seconds, larger.benefit.least_pct_db_time) == (2_348.0, 0.0)


@pytest.mark.parametrize(
    "but",
    [
        {"redo.log_buffer_mb": 14.0},  # AWR 10.2.0.5.0 01: the writes are slow
        {"redo.log_buffer_mb": None},
        {"redo.lgwr_busy_pct": 51.0},
        {"redo.buffer_wait_s": 16.0},
    ],
)
def test_a_log_buffer_that_is_not_small_or_not_the_reason_is_left(but: dict[str, Any]) -> None:
    assert "enlarge-log-buffer" not in advised(BURSTS | but)


def test_what_else_a_commit_waits_for_is_named_with_other_slow_writes() -> None:
    asked = "Most of a commit is not the log write: find out what else LGWR waits for, too."
    control = " `control file parallel write` takes 43.9 ms (1,862 s): other writes are slow, too."

    assert advised(BURSTS)["relieve-log-device"].asked == (asked + control,)
    quick = advised(BURSTS | {"io.control_write_ms": 4.0})["relieve-log-device"]
    assert quick.asked == (asked,)
    whole = advised(BURSTS | {"redo.commit_ms": 20.0, "redo.sync_wait_s": 5_448.0})
    assert whole["relieve-log-device"].asked == ()


@pytest.mark.parametrize(
    ("submit_s", "submit_ms", "saved_s"),
    [
        (821.0, 34.0, 1_550),  # storage that does not accept writes: undo's share of all that waits
        (1.0, 34.0, 67),  # few submits wait: the write itself is the time
    ],
)
def test_undo_saves_its_share_of_what_dbwr_waits_for(
    submit_s: float, submit_ms: float, saved_s: float
) -> None:
    found = verdict("undo", {
        "checkpoint.buffer_wait_s": 6_616.0, "checkpoint.buffer_wait_ms": 10.7,
        "checkpoint.free_buffer_wait_s": 6_616.0, "undo.block_write_pct": 23.57,
        "checkpoint.data_write_ms": 0.322, "checkpoint.data_write_wait_s": 10.3,
        "checkpoint.async_submit_ms": submit_ms, "checkpoint.async_submit_wait_s": submit_s,
        "load.block_b": 8_192, "load.response_s": 38_500.0, "load.elapsed_s": 304.0,
    })  # fmt: skip

    assert found.saving.seconds == pytest.approx(saved_s, rel=0.15)


def test_memory_comes_first_where_only_the_snapshots_are_valid() -> None:
    found = verdict("temp", {
        "pga.over_allocations": 13_472, "pga.target_mb": 16.0, "pga.allocated_mb": 421.0,
        "pga.recommended_ends_pct": 12.5,
    })  # fmt: skip

    assert found.status == "tune-first"
    assert "PGA_AGGREGATE_TARGET is 16 MB, but 421 MB is allocated" in found.reason
