"""What is said of the recovery target: by release, by limit, by price; document 1's own cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import samples
from corpus import CORPUS, analysis_of
from hypothesis import given
from hypothesis import strategies as st
from test_rules import facts_of

from awrlens import api, rules
from awrlens.advice import mttr, recovery_target, write_cost, write_model
from awrlens.advice.case import Case
from awrlens.model import Evidence, Fact
from awrlens.oracle import checkpoints
from awrlens.policy import Policy

if TYPE_CHECKING:
    from awrlens.advice.recovery_target import Answer
    from awrlens.model import Recommendation

#: An instance of 11.2 with self-tuned checkpoints that nobody waits for.
QUIET: dict[str, Any] = {
    "database.release": "11.2.0.4.0",
    "checkpoint.target_mttr_s": 0.0,
    "checkpoint.estimated_mttr_s": 24.0,
    "checkpoint.estimated_mttr_low_s": 19.0,
    "checkpoint.estimated_mttr_high_s": 24.0,
    "checkpoint.incomplete_wait_s": 0.0,
    "load.response_s": 9_000.0,
    "load.elapsed_s": 3_600.0,
    "load.physical_writes_per_s": 400.0,
}
#: Document 1, "Upper Bound on MTTR": 900 is set, the estimate stays at 650.
CAPPED = QUIET | {
    "checkpoint.fast_start_mttr_target_s": 900.0,
    "checkpoint.target_mttr_s": 900.0,
    "checkpoint.estimated_mttr_s": 650.0,
    "checkpoint.estimated_mttr_low_s": 650.0,
    "checkpoint.estimated_mttr_high_s": 650.0,
    "checkpoint.actual_redo_blocks": 184_000.0,
    "checkpoint.target_redo_blocks": 184_320.0,
    "checkpoint.binding_limit": "log_size",
}


def answer(values: dict[str, Any], desired_s: float | None = None, **asked: Any) -> Answer:
    return recovery_target.advise(case(values, mttr.Request(desired_s, **asked)))


def case(values: dict[str, Any], request: mttr.Request | None = None) -> Case:
    facts = facts_of(values)
    findings, _ = rules.run(facts, Policy())
    return Case.of(facts, findings, Policy(), request or mttr.Request())


def item(found: Answer) -> Recommendation:
    assert found.item is not None
    return found.item


def text(found: Answer) -> str:
    return item(found).action


def state(values: dict[str, Any], policy: Policy | None = None) -> str:
    """What is said about the limits, without a finding."""
    return " ".join(mttr.state(Case.of(facts_of(values), (), policy or Policy())))


def test_self_tuned_checkpoints_that_nobody_waits_for_are_left_alone() -> None:
    found = answer(QUIET)

    # nothing asks for a target: none is named, only the highest that Oracle takes
    assert (None, 3600) == (found.target_s, found.highest_s)
    assert ("leave-mttr-target", "no-benefit") == (item(found).id, item(found).status)
    assert "19 to 24 s" in text(found)
    assert item(found).commands == ()


#: Both estimates are 0: Oracle did not estimate the recovery time.
NOT_ESTIMATED: dict[str, Any] = {
    name: value for name, value in QUIET.items() if "estimated_mttr" not in name
} | {"checkpoint.binding_limit": "timeout", "checkpoint.target_redo_blocks": 200_000.0}


def unestimated(**more: Any) -> str:
    facts = facts_of(NOT_ESTIMATED | {f"checkpoint.{name}": each for name, each in more.items()})
    for name in facts:
        if name.startswith("checkpoint.estimated_mttr"):
            facts[name] = facts[name]._replace(note=checkpoints.NOT_ESTIMATED)
    findings, _ = rules.run(facts, Policy())
    found = Case.of(facts, findings, Policy(), mttr.Request())
    return text(recovery_target.advise(found))


def test_automatic_checkpoint_tuning_that_nothing_shows_is_not_said_to_be_on() -> None:
    binding = unestimated(actual_redo_blocks=202_000.0)

    assert "is on while it is not set" not in binding
    assert "Nothing in the report shows automatic checkpoint tuning at work" in binding
    assert "; LOG_CHECKPOINT_TIMEOUT advances the checkpoint, at 101 % of its limit." in binding

    far = unestimated(actual_redo_blocks=100_000.0)
    assert "did not estimate the recovery time. " in far
    assert "advances the checkpoint" not in far


def test_automatic_checkpoint_tuning_that_wrote_blocks_is_on() -> None:
    assert "is on while it is not set" in unestimated(autotune_write_pct=12.0)
    assert "is on while it is not set" in text(answer(QUIET))


def test_a_part_of_a_second_is_no_wait_of_0_s() -> None:
    some = {"checkpoint.incomplete_wait_s": 0.4, "checkpoint.buffer_wait_s": 0.0}

    assert "Sessions waited less than 1 s for incomplete checkpoints" in text(answer(QUIET | some))


def test_a_target_that_is_set_to_0_is_reset_for_automatic_checkpoint_tuning() -> None:
    off = QUIET | {"checkpoint.target_set": "off", "checkpoint.fast_start_mttr_target_s": 0.0}
    found = answer(off)

    assert ("reset-mttr-target", "no-benefit") == (item(found).id, item(found).status)
    assert "tuning off: reset it" in text(found)
    assert "is on while it is not set" not in text(found)
    assert item(found).commands == (
        "ALTER SYSTEM RESET fast_start_mttr_target SCOPE=SPFILE SID='*';",
    )
    waiting = answer(off | {"checkpoint.incomplete_wait_s": 900.0})
    assert "set-mttr-target" == item(waiting).id
    assert "set to 0 now, which turns automatic checkpoint tuning off" in text(waiting)


def test_a_target_that_ends_no_wait_is_not_an_action_but_the_limit_of_larger_logs() -> None:
    """As in awr-html_19.0.0.0.0-rac_02: 554 s of waits, all checkpoints are thread checkpoints."""
    found = answer(QUIET | {"checkpoint.incomplete_wait_s": 900.0})

    assert found.target_s is None
    assert ("leave-mttr-target", "no-benefit") == (item(found).id, item(found).status)
    assert "A target does not end the waits for checkpoints." in text(found)
    assert "only if it must not, set the agreed recovery time with them" in text(found)
    assert item(found).short.endswith("(it limits recovery with larger redo logs)")


def test_before_10g_a_target_turns_fast_start_checkpointing_on_and_is_undone_with_0() -> None:
    nine = QUIET | {"database.release": "9.2.0.8.0"}
    found = answer(nine | {"checkpoint.incomplete_wait_s": 900.0})

    assert answer(nine).target_s is None  # no session is known to wait: nothing to turn on
    assert 3600 == found.target_s
    assert ("ALTER SYSTEM SET fast_start_mttr_target=0 SCOPE=BOTH;",) == item(found).rollback


def test_since_10g_a_target_is_undone_by_reset_not_by_zero() -> None:
    rollback = item(answer(QUIET, 60)).rollback

    assert "RESET fast_start_mttr_target SCOPE=SPFILE" in rollback[0]


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ({"database.release": "8.1.7.4.1"}, "introduced in Oracle9i"),
        ({"database.role": "PHYSICAL STANDBY"}, "apply lag"),
        ({"database.edition": "SE2"}, "Enterprise Edition"),
    ],
)
def test_a_database_without_the_feature_never_gets_a_target(
    what: dict[str, str], reason: str
) -> None:
    values = QUIET | {"checkpoint.incomplete_wait_s": 900.0} | what

    assert answer(values) == recovery_target.Answer()
    found = answer(values, 60)
    assert found.target_s is None
    assert reason in text(found)
    assert item(found).commands == ()


def test_a_primary_of_enterprise_edition_gets_its_target() -> None:
    values = QUIET | {"database.role": "PRIMARY", "database.edition": "EE"}

    assert 60 == answer(values, 60).target_s
    assert "Enterprise Edition" not in item(answer(values, 60)).prerequisites


def test_small_logs_that_cap_recovery_are_told_with_their_size() -> None:
    found = answer(CAPPED)

    assert 900 == found.target_s
    assert "limits recovery to 90 MB of redo (184,320 redo blocks)" in text(found)


@pytest.mark.parametrize(
    ("release", "limit"),
    [
        (None, ""),
        ("8.1.7.4.0", " (90 % of the smallest "),
        ("9.2.0.4.0", " (90 % of the smallest "),
        ("10.2.0.4.0", " (90 % of all "),
        ("11.2.0.4.0", " (81 % of all "),
        ("19.3.0.0.0", " (81 % of all "),
    ],
)
def test_the_limit_by_log_size_is_that_of_the_release(release: str | None, limit: str) -> None:
    told = state(CAPPED | {"database.release": release})

    assert f"The redo log size{limit}" in told
    assert "limits recovery to 90 MB of redo (184,320 redo blocks) before the target" in told


def test_a_checkpoint_at_its_limit_without_a_redo_limit_is_held_by_read_time() -> None:
    told = state(CAPPED | {"checkpoint.binding_limit": "mttr"})

    assert "Oracle limits the time to read this redo" in told


@pytest.mark.parametrize(
    ("actual", "said"),
    [
        (18_000.0, "; at the end snapshot, 9 % of it is reached."),
        (199_000.0, "(200,000 redo blocks)."),
        (
            248_270.0,
            "; at the end snapshot, the redo is 1.2 times that.",
        ),
    ],
)
def test_a_limit_is_printed_with_the_state_beside_it(actual: float, said: str) -> None:
    told = state(CAPPED | {"checkpoint.binding_limit": "interval",
                           "checkpoint.target_redo_blocks": 200_000.0,
                           "checkpoint.actual_redo_blocks": actual})  # fmt: skip

    assert "LOG_CHECKPOINT_INTERVAL limits recovery to 98 MB of redo" in told
    assert said in told


def test_the_share_from_which_a_checkpoint_is_at_its_limit_can_be_set() -> None:
    # 650 s of 900 s are 72 %: from 70 % on, the estimate counts as having reached the target
    policy = Policy({"checkpoint.at_limit_pct": 70.0})
    told = state(CAPPED, policy)

    assert "limits recovery to 90 MB of redo" in told
    assert "before the target" not in told


def test_the_advice_removes_the_parameters_that_the_finding_names_and_no_other() -> None:
    values = CAPPED | {
        "checkpoint.target_set": "yes",
        "checkpoint.log_checkpoint_interval": 10_000.0,
        "checkpoint.log_checkpoint_timeout_s": 1_800.0,  # Oracle's default, and not the limit
    }
    of = case(values)
    removal = recovery_target.remove_checkpoint_parameters(of)

    assert of.by_rule["CKPT002"].title.startswith(
        "LOG_CHECKPOINT_INTERVAL=10000 (5,000 KB of redo) conflicts"
    )
    assert "Set LOG_CHECKPOINT_INTERVAL to 0" == removal.title
    assert ("ALTER SYSTEM SET log_checkpoint_interval=0 SCOPE=BOTH;",) == removal.commands


def test_a_time_limit_is_set_to_0_because_its_default_replaces_it_if_it_is_removed() -> None:
    values = CAPPED | {
        "checkpoint.target_set": "yes",
        "checkpoint.log_checkpoint_timeout_s": 300.0,
        "checkpoint.fast_start_io_target": 10_000.0,
    }
    removal = recovery_target.remove_checkpoint_parameters(case(values))

    assert removal.title == "Set LOG_CHECKPOINT_TIMEOUT to 0 and remove FAST_START_IO_TARGET"
    assert removal.action.endswith("if it is removed, its default of 1,800 s applies.")
    assert "ALTER SYSTEM SET log_checkpoint_timeout=0 SCOPE=BOTH;" in removal.commands


def test_a_target_that_oracle_lowered_is_the_highest_with_an_effect() -> None:
    found = answer(CAPPED | {"checkpoint.target_mttr_s": 700.0})

    assert (900, 700) == (found.target_s, found.highest_s)
    assert "The target is set to 900 s, but values above 700 s have no effect" in text(found)


def test_the_highest_target_with_an_effect_is_said_once() -> None:
    found = text(answer(CAPPED | {"checkpoint.target_mttr_s": 700.0}, 800))

    assert "values above 700 s have no effect" in found
    assert "Above 700 s" not in found


def test_document_1s_30_is_raised_to_71_with_the_message_of_the_alert_log() -> None:
    found = answer(QUIET | {"checkpoint.lowest_mttr_s": 71.0}, 30)

    assert (71, 71) == (found.target_s, found.lowest_s)
    assert "30 is out of the valid MTTR range, use 71 instead" in text(found)


def test_a_target_above_what_recovery_takes_asks_for_no_more_writes() -> None:
    assert "costs no additional writes" in text(answer(QUIET, 60))


def test_a_target_below_start_up_and_opening_is_doubted_where_nothing_was_to_recover() -> None:
    idle = {"checkpoint.estimated_ios": 400.0, "checkpoint.estimated_mttr_s": 240.0,
            "checkpoint.estimated_mttr_low_s": 240.0, "checkpoint.estimated_mttr_high_s": 240.0,
            "checkpoint.actual_redo_blocks": 4000.0, "redo.bytes_per_s": 1e5,
            "checkpoint.cache_writes_per_s": 20.0}  # fmt: skip
    found = text(answer(QUIET | idle, 60))

    assert "60 s cannot be met: by an estimate from the load of the report" in found
    # 400 blocks of 2.2 ms are 0.9 s of the 240; Oracle aims at 1,000 and more, which are 2.2 s
    assert "the lowest achievable target is about 242 s" in found
    assert "cannot be met" not in text(answer(QUIET | idle, 300))


def test_without_the_advisory_the_price_is_simulated_and_says_so() -> None:
    """50 s are fixed and 600 s for 120,000 blocks (400 a second × 300 s): 120 s leave 14,000.

    Writes in proportion to age^-0.2 are in proportion to the dirty blocks^-0.25.
    """
    load = {"redo.bytes_per_s": 184_000 * 512 / 300, "checkpoint.fixed_mttr_s": 50.0,
            "checkpoint.cache_writes_per_s": 400.0,
            "integrity.block_changes_per_s": 40_000.0}  # fmt: skip
    found = write_cost.price(facts_of(CAPPED | load), 120)

    assert found is not None
    assert not found.advised
    assert "simulation of this load" in found.why
    assert found.factor == pytest.approx((120_000 / 14_000) ** 0.25, rel=0.03)
    assert 400 * (found.factor - 1) == found.extra_writes_per_s


@pytest.mark.parametrize(("release", "writes"), [("9.2.0.8.0", 7430.0), ("19.0.0.0.0", None)])
def test_all_writes_are_those_of_dbwr_only_where_nothing_else_is_counted(
    release: str, writes: float | None
) -> None:
    """A week of a RAC instance: 7,430 writes a second, 6,479 of them direct, to temp."""
    facts = facts_of({"database.release": release, "load.physical_writes_per_s": 7430.0})

    assert writes == write_model.writes_per_s(facts)


def test_no_target_has_the_price_of_a_published_one_that_was_not_tested() -> None:
    assert 0.85 == pytest.approx(write_cost.throughput_loss_pct(120), abs=0.01)
    assert 0 == write_cost.throughput_loss_pct(30)
    assert write_cost.price(facts_of(CAPPED), 120) is None  # no redo to simulate


def with_advisory(facts: dict[str, Fact], points: dict[int, int]) -> dict[str, Fact]:
    """Facts and an MTTR Advisory of these cache writes by target."""
    proof = tuple(
        Evidence("MTTR Advisory", "", "", str(value), value, lambda: 1)
        for pair in points.items()
        for value in pair
    )
    name = "checkpoint.advised_writes"
    return facts | {name: facts[name]._replace(value=("…",), evidence=proof)}


def test_a_target_outside_the_advisory_has_no_price_without_a_load_to_simulate() -> None:
    """The nearest row would be less than it costs."""
    known = advised({30: 2_000, 120: 1_200, 240: 1_000}, 240, 50.0)

    assert write_cost.price(known, 20) is None
    assert write_cost.price(known, 30).factor == 2  # type: ignore[union-attr]


def advised(points: dict[int, int], now_s: float, rate: float) -> dict[str, Fact]:
    """An instance whose target in force is ``now_s``."""
    own = {"checkpoint.advised_now_s": now_s, "checkpoint.cache_writes_per_s": rate}
    return with_advisory(facts_of(QUIET | own), points)


def test_the_reports_own_advisory_comes_before_document_1() -> None:
    found = write_cost.price(advised({30: 2_000, 120: 1_200, 240: 1_000}, 240, 50.0), 30)

    assert found is not None
    assert (True, 2.0, 50.0) == (found.advised, found.factor, found.extra_writes_per_s)
    assert "50 more writes per second than the 50" in found.why


def test_a_relaxed_target_saves_writes() -> None:
    found = write_cost.price(advised({30: 2_000, 120: 1_200, 240: 1_000}, 30, 50.0), 240)

    assert found is not None
    assert -25 == found.extra_writes_per_s
    assert "25 fewer" in found.why


def test_what_limits_recovery_beside_the_target_is_removed_with_a_way_back() -> None:
    found = answer(QUIET | {"checkpoint.log_checkpoint_interval": 5_000.0,
                            "checkpoint.fast_start_io_target": 4_000.0}, 60)  # fmt: skip
    step = item(found)

    assert "ALTER SYSTEM SET log_checkpoint_interval=0 SCOPE=BOTH;" in step.commands
    assert any("RESET fast_start_io_target" in command for command in step.commands)
    assert "ALTER SYSTEM SET log_checkpoint_interval=5000 SCOPE=BOTH;" in step.rollback
    assert "ALTER SYSTEM SET fast_start_io_target=4000 SCOPE=SPFILE;" in step.rollback


def test_in_rac_document_1s_example_gives_180_and_what_is_to_be_expected() -> None:
    found = answer(
        QUIET | {"checkpoint.estimated_mttr_high_s": 180.0},
        120, rac=True, init_time_avg_us=50_200_342, fopen_time_avg_us=20_120, datafiles=500,
    )  # fmt: skip

    assert 180 == found.target_s
    assert "expect 120 s now" in text(found)
    assert "ALTER SYSTEM SET fast_start_mttr_target=180 SCOPE=BOTH SID='*';" in (
        item(found).commands
    )


def test_in_rac_the_advisory_tells_start_up_and_opening_where_nobody_else_does() -> None:
    found = answer(QUIET | {"checkpoint.fixed_mttr_s": 17.4}, 60, rac=True)

    assert 77 == found.target_s
    assert "start-up and opening of the files take 17.4 s" in text(found)


def test_in_rac_an_advisory_without_start_up_adds_nothing() -> None:
    found = answer(QUIET | {"checkpoint.fixed_mttr_s": -0.1}, 60, rac=True)

    assert 60 == found.target_s
    assert "The agreed recovery time is 60 s." in text(found)
    assert "By the MTTR Advisory" not in text(found)
    assert "If another instance performs the recovery" not in text(found)


def test_in_rac_averages_that_are_not_known_are_asked_of_the_database() -> None:
    assert "x$estimated_mttr" in item(answer(QUIET, 60, rac=True)).commands[0]


def test_waits_for_writes_that_the_target_asks_for_question_the_target() -> None:
    found = answer(CAPPED | {"checkpoint.write_pct": 80.0, "checkpoint.buffer_wait_s": 900.0,
                             "checkpoint.main_cause": "mttr"})  # fmt: skip

    assert ("relax-mttr-target", "need-data") == (item(found).id, item(found).status)
    assert 900 == found.target_s


def test_every_change_can_be_checked_and_undone() -> None:
    for values in (QUIET, CAPPED, QUIET | {"database.release": "9.2.0.1.0"}):
        for desired in (None, 30, 60):
            step = item(answer(values, desired))
            if step.status == "apply":
                assert step.validate
                assert step.rollback


def test_the_crash_test_of_document_1_is_the_check_of_a_service_level() -> None:
    checks = " ".join(item(answer(QUIET, 60)).validate)

    for word in ("kill PMON", "Beginning instance recovery", "Ended recovery", "valid MTTR range"):
        assert word in checks


@given(st.floats(0.6, 5_000), st.floats(1, 3_600), st.floats(1, 3_600), st.booleans())
def test_a_target_lies_between_the_lowest_and_3600(
    desired: float, lowest: float, highest: float, rac: bool
) -> None:
    request = mttr.Request(desired, rac, lowest_mttr_s=lowest, highest_mttr_s=highest)
    found = mttr.target(request)

    assert (found.lowest_s or 0) <= found.fast_start_mttr_target_s <= 3600
    assert (found.lowest_s or 0) <= found.highest_s <= 3600


def test_a_cluster_has_the_strictest_target_that_all_instances_can_keep() -> None:
    assert 120 == recovery_target.strictest([(180, None), (120, 60)])
    assert 150 == recovery_target.strictest([(180, 150), (120, 60)])


def test_a_cluster_whose_instances_have_no_target_keeps_its_own_advice() -> None:
    whole = samples.analysis("redo-cluster.awr-rac-11.2.txt")

    assert whole is recovery_target.of_cluster(whole, ())


def test_a_clusters_advice_names_what_each_instance_has_and_writes() -> None:
    report = samples.report("redo-cluster.awr-rac-11.2.txt")
    found = api.analyze(report, request=mttr.Request(120, rac=True))
    action = next(i.action for i in found.recommendations if i.id == "set-mttr-target")

    assert 120 == found.verdicts.fast_start_mttr_target_s
    assert "Set the same value, 120, on all instances" in action
    assert "aultdb1: not set, 120 s needed, 164 physical writes per second" in action
    assert "aultdb2: not set, 120 s needed, 109 physical writes per second" in action


def test_instances_that_need_different_targets_get_the_strictest() -> None:
    report = samples.report("redo-cluster.awr-rac-11.2.txt")
    whole = api.analyze(report, request=mttr.Request(120, rac=True))
    parts = tuple(
        part._replace(verdicts=part.verdicts._replace(fast_start_mttr_target_s=value))
        for part, value in zip(whole.instances, (180, 150), strict=True)
    )

    assert 150 == recovery_target.of_cluster(whole, parts).verdicts.fast_start_mttr_target_s


#: Read by hand. The first prints no row for 1,000 dirty blocks, the second does, the third is RAC.
BY_HAND = [
    ("awr-html_12.1.0.2.0_02.html",
     {"checkpoint.fixed_mttr_s": 30 - 6_154 * 720 / 334_896,
      "checkpoint.lowest_mttr_s": 30 - 5_154 * 720 / 334_896,
      "checkpoint.autotune_write_pct": 105_330 * 100 / 105_686,
      "checkpoint.estimated_mttr_low_s": 24, "checkpoint.estimated_mttr_high_s": 26}),
    ("awr-text_11.2.0.2.0_02.txt",
     {"checkpoint.lowest_mttr_s": 26, "checkpoint.advised_now_s": 113,
      "checkpoint.fixed_mttr_s": 47 - 9_282 * 66 / 26_686}),
    ("awr-html_12.2.0.1.0-rac_02.html",
     {"checkpoint.mttr_write_pct": 76_635_105 * 100 / 100_215_309,
      "checkpoint.advised_now_s": 300, "checkpoint.fixed_mttr_s": None}),  # 2 ms: no start-up
    ("awr-html_11.2.0.3.0_01.html",
     {"checkpoint.log_size_write_pct": 40_910 * 100 / 340_400,
      "checkpoint.thread_write_pct": 8_366 * 100 / 340_400}),
]  # fmt: skip


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(("file", "expected"), BY_HAND)
def test_recovery_facts_of_real_reports_agree_with_those_read_by_hand(
    file: str, expected: dict[str, float | None]
) -> None:
    facts = analysis_of(CORPUS / file).facts

    for name, value in expected.items():
        known = None if value is None else pytest.approx(value, rel=1e-9, abs=5e-3)
        assert known == facts[name].number, name
