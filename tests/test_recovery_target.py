"""A recovery target that the command recommends is one that it shows as achievable."""

from __future__ import annotations

from typing import Any

import pytest
import samples
from click.testing import CliRunner
from test_rules import facts_of

from awrlens import api, cli
from awrlens.advice import mttr, recovery_target
from awrlens.advice.case import Case
from awrlens.advice.write_model import of_report
from awrlens.model import Analysis, Recommendation
from awrlens.policy import Policy

REPORT = "redo-disk.awr-11.2.txt"


def analysis(**asked: Any) -> Analysis:
    return api.analyze(samples.report(REPORT), request=mttr.Request(**asked))


def item(found: Analysis) -> Recommendation:
    return next(each for each in found.recommendations if each.id.endswith("mttr-target"))


def test_below_the_lowest_target_start_up_is_measured_first_where_it_is_not_known() -> None:
    """6.4 s for 1,000 dirty blocks by Oracle's estimate, which does not show start-up apart."""
    found = analysis(desired_mttr_s=5)

    assert None is found.verdicts.fast_start_mttr_lowest_s
    assert None is found.verdicts.fast_start_mttr_target_s
    assert "need-data" == item(found).status
    assert "lowest achievable target is at least 7 s for 1,000 dirty blocks, without start-up" in (
        item(found).action
    )
    assert not any("ALTER SYSTEM" in each for each in item(found).commands)


def test_the_page_shows_that_bound_without_start_up() -> None:
    args = ["mttr", str(samples.path(REPORT)), "--desired-mttr", "5"]
    out = " ".join(CliRunner().invoke(cli.cli, args, standalone_mode=False).stdout.split())

    said = "A target of 5 s means a recovery of at least 6 s (limited by: 1,000 blocks; without"
    assert said in out


def test_in_rac_the_estimated_start_up_is_added_to_the_desired_time() -> None:
    load = of_report(samples.analysis(REPORT).facts, REPORT, 8192)
    alone = analysis(desired_mttr_s=30, rac=True)

    assert round(30 + load.rates.fixed_s) == alone.verdicts.fast_start_mttr_target_s


#: An estimate of 165 s of which the report of another snapshot shows that 6 s can be start-up.
ESTIMATED: dict[str, Any] = {
    "checkpoint.estimated_mttr_s": 165.0, "checkpoint.estimated_mttr_low_s": 6.0,
    "checkpoint.estimated_mttr_high_s": 165.0, "checkpoint.estimated_ios": 5877.0,
    "checkpoint.actual_redo_blocks": 102_340.0, "redo.bytes_per_s": 1_900_000.0,
    "checkpoint.cache_writes_per_s": 207.0, "load.elapsed_s": 3600.0,
    "database.release": "19.0.0.0.0",
}  # fmt: skip


def test_start_up_takes_no_longer_than_the_lowest_estimate_of_the_report() -> None:
    capped = of_report(facts_of(ESTIMATED), "a report", 8192)
    alike = of_report(
        facts_of(ESTIMATED | {"checkpoint.estimated_mttr_low_s": 165.0}), "a report", 8192
    )

    assert 6.0 == capped.rates.fixed_s
    assert alike.rates.fixed_s > 100


def test_in_rac_that_start_up_is_in_the_formula() -> None:
    request = mttr.Request(desired_mttr_s=30, rac=True)
    found = recovery_target.advise(Case.of(facts_of(ESTIMATED), (), Policy(), request))

    assert found.item is not None
    assert 36 == found.target_s
    assert "30 + 6.0 s of start-up and opening = 36.00 s" in found.item.action
    assert "By an estimate from the report" in found.item.action


@pytest.mark.parametrize(("desired_s", "status"), [(30, "need-data"), (300, "apply")])
def test_without_any_estimate_a_target_below_usual_start_ups_needs_a_measurement(
    desired_s: int, status: str
) -> None:
    """Without a value in the report, 60 s are assumed for start-up and opening."""
    facts = {name: value for name, value in ESTIMATED.items() if "estimated" not in name}
    request = mttr.Request(desired_mttr_s=desired_s)
    case = Case.of(facts_of(facts | {"checkpoint.target_mttr_s": 0.0}), (), Policy(), request)
    found = recovery_target.advise(case).item

    assert found is not None
    assert status == found.status
    assert (status == "apply") == any("ALTER SYSTEM" in each for each in found.commands)


#: Before 10g: LOG_CHECKPOINT_INTERVAL allows 100,000 redo blocks, and the checkpoint is there.
BOUND: dict[str, Any] = ESTIMATED | {
    "checkpoint.estimated_mttr_s": 18.0, "checkpoint.estimated_mttr_low_s": 18.0,
    "checkpoint.estimated_mttr_high_s": 19.0, "checkpoint.estimated_ios": 3835.0,
    "checkpoint.actual_redo_blocks": 99_758.0, "checkpoint.target_redo_blocks": 100_000.0,
    "checkpoint.binding_limit": "interval", "checkpoint.log_checkpoint_interval": 100_000.0,
    "checkpoint.target_mttr_s": 0.0, "checkpoint.incomplete_wait_s": 0.0,
    "checkpoint.buffer_wait_s": 0.0, "database.release": "9.2.0.4.0",
}  # fmt: skip


def advised(facts: dict[str, Any], **asked: Any) -> Recommendation:
    case = Case.of(facts_of(facts), (), Policy(), mttr.Request(**asked))
    found = recovery_target.advise(case).item
    assert found is not None
    return found


def test_an_agreed_time_that_the_present_limit_keeps_needs_no_target() -> None:
    met = advised(BOUND, desired_mttr_s=60)

    assert ("leave-mttr-target", "no-benefit", ()) == (met.id, met.status, met.commands)
    assert "The agreed recovery time of 60 s is met already." in met.action


@pytest.mark.parametrize(
    "facts",
    [
        {"checkpoint.actual_redo_blocks": 50_000.0},  # at twice the redo, recovery is longer
        {"checkpoint.binding_limit": "timeout"},  # in seconds: more load, more redo
        {"checkpoint.estimated_mttr_high_s": 61.0},
    ],
)
def test_without_a_limit_that_holds_at_any_load_a_target_is_set(facts: dict[str, Any]) -> None:
    assert "set-mttr-target" == advised(BOUND | facts, desired_mttr_s=60).id


def test_a_limit_that_binds_is_not_called_writes_in_bulk() -> None:
    """Before 10g, DBWR writes in bulk only where no parameter advances the checkpoint."""
    bound = advised(BOUND).action
    free = advised(BOUND | {"checkpoint.binding_limit": "none"}).action

    assert "LOG_CHECKPOINT_INTERVAL advances the checkpoint between log switches." in bound
    assert "in bulk" not in bound
    assert "in bulk" in free


def test_a_0_that_may_be_the_default_does_not_say_that_tuning_is_on() -> None:
    """A compare-period report lists parameters that were not set, too; others only if set."""
    shown = facts_of({"checkpoint.target_set": "no", "database.release": "10.2.0.4.0",
                      "checkpoint.target_mttr_s": 0.0, "checkpoint.incomplete_wait_s": 0.0,
                      "checkpoint.buffer_wait_s": 0.0})  # fmt: skip
    listed = shown["checkpoint.target_set"]
    unlisted = shown | {"checkpoint.target_set": listed._replace(evidence=())}
    items = [
        recovery_target.leave(Case.of(facts, (), Policy(), mttr.Request())).action
        for facts in (shown, unlisted)
    ]

    assert "tuning is on" not in items[0]
    assert "if it was set to 0, automatic checkpoint tuning is off" in items[0]
    assert "tuning is on while it is not set" in items[1]


def test_3600_needs_enterprise_edition_and_no_interval() -> None:
    asked = advised(BOUND).action
    known = {"database.edition": "EE", "checkpoint.log_checkpoint_interval": None}

    assert (
        "requires Enterprise Edition; LOG_CHECKPOINT_INTERVAL, 100,000 here, overrides it" in asked
    )
    assert advised(BOUND | known).action.endswith("use 3600 if you set one.")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("checkpoint.fast_start_mttr_target_s", True),
        ("checkpoint.target_mttr_s", True),
        ("checkpoint.datafiles", False),
    ],
)
def test_a_target_that_the_parameters_or_the_recovery_section_show_is_kept(
    name: str, kept: bool
) -> None:
    found = advised(ESTIMATED | {"checkpoint.target_mttr_s": 0.0, name: 300.0})

    assert found.id == ("keep-mttr-target" if kept else "leave-mttr-target")
