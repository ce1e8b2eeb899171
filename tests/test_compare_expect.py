"""Whether what was recommended has come true, looked after in later reports."""

from __future__ import annotations

import json
from typing import Any

import figures
import pytest
import samples

from awrlens import api
from awrlens.errors import UsageError
from awrlens.model.comparison import Expectation, Reading
from awrlens.policy import Policy
from awrlens.series.recommendations import documents

DISK = "redo-disk.awr-11.2.txt"
HOUR = 3_600.0


def read(name: str) -> Reading:
    return api.read(samples.report(name))


def earlier(name: str) -> list[Any]:
    text = json.dumps(samples.analysis(name).to_dict())
    return list(documents(json.loads(text)))


def outcome(document: Any, after: Reading, step: str) -> Expectation:
    found = api.compare([after], [after], None, [document])
    return next(each for each in found.expectations if each.recommendation == step)


def document(
    step: str,
    seconds: float | None,
    *,
    commands: tuple[str, ...] = (),
    facts: dict[str, float] | None = None,
) -> Any:
    """An analysis with one step to follow, as it stands in a file."""
    known = {"load.elapsed_s": HOUR, "load.transactions_per_s": 25.0, **(facts or {})}
    return {
        "report": {"db_name": "AULTDB", "db_id": "1318446013", "instance": "aultdb1"},
        "facts": {name: {"value": value} for name, value in known.items()},
        "recommendations": [
            {
                "id": step, "title": "Do it", "status": "apply", "commands": list(commands),
                "findings": ["REDO004"], "benefit": {"seconds": seconds, "pct_db_time": 10.0},
            }
        ],
    }  # fmt: skip


def interval(switch_s: float, commits: int = 90_000, *parameters: str) -> Reading:
    """An hour with waits for log switches; the list of waits ends with an idle one: it is whole."""
    each_ms = switch_s * 1000 / 900
    sections = [
        figures.statistics(
            f"user commits | {commits}", "user rollbacks | 0", "redo writes | 50000"
        ),
        figures.waits(
            f"log file switch completion | 900 | 0 | {switch_s:.2f} | {each_ms:.0f} | 1.0 | 2.5",
            "SQL*Net message from client | 95000 | 0 | 41000 | 432 | 1.0 | ",
        ),
    ]
    if parameters:
        sections.append(figures.parameters(*parameters))
    return api.read(figures.report(*sections, elapsed_s=HOUR, db_time_s=HOUR))


LOGS: dict[str, float] = {"redo.log_switch_wait_s": 300.0}


@pytest.mark.parametrize(
    ("after_s", "verdict"),
    [
        (300 - Policy()["compare.came_true_pct"] * 3, "came-true"),
        (301 - Policy()["compare.came_true_pct"] * 3, "partly"),
        (300 - Policy()["compare.partly_pct"] * 3, "partly"),
        (301 - Policy()["compare.partly_pct"] * 3, "not"),
        (400, "not"),
    ],
)
def test_a_saving_has_come_true_in_half_in_part_or_not(after_s: float, verdict: str) -> None:
    found = outcome(
        document("enlarge-redo-logs", 300.0, facts=LOGS), interval(after_s), "enlarge-redo-logs"
    )

    assert verdict == found.verdict
    assert "saves about 300 s, 10.0 % of DB time" == found.claimed
    assert ("redo.log_switch_wait_s", "redo.mb_per_switch") == found.facts
    assert f"wait time 300 → {after_s:g} s for the same number of transactions" == found.measured


def test_savings_are_measured_for_as_many_transactions() -> None:
    """Twice the transactions wait 200 s: for as many as before that is 100."""
    found = outcome(
        document("enlarge-redo-logs", 300.0, facts=LOGS),
        interval(200, 180_000),
        "enlarge-redo-logs",
    )

    assert "came-true" == found.verdict
    assert found.measured.startswith("wait time 300 → 100 s")


def test_where_the_load_differs_and_no_transactions_are_counted_nothing_can_be_said() -> None:
    idle = {**LOGS, "load.transactions_per_s": 0.05}
    found = outcome(
        document("enlarge-redo-logs", 300.0, facts=idle), interval(10), "enlarge-redo-logs"
    )

    assert "not-assessable" == found.verdict
    assert "the load differs" in found.reason


SET = "ALTER SYSTEM SET pga_aggregate_target=2048M SCOPE=BOTH;"


@pytest.mark.parametrize(
    ("value", "taken"), [("1073741824", False), ("2147483648", True), ("2G", True)]
)
def test_a_parameter_with_its_old_value_means_that_the_step_is_not_taken(
    value: str, *, taken: bool
) -> None:
    asked = document("enlarge-redo-logs", 300.0, commands=(SET,), facts=LOGS)
    found = outcome(
        asked, interval(10, 90_000, f"pga_aggregate_target | {value}"), "enlarge-redo-logs"
    )

    assert taken == (found.verdict == "came-true")
    if not taken:
        assert "not-assessable" == found.verdict
        assert "not applied (recommended value: 2048M)" == found.reason
        assert f"pga_aggregate_target is {value}" == found.measured


def test_values_that_the_reader_fills_in_are_not_looked_for() -> None:
    filled = "ALTER SYSTEM SET undo_retention=<seconds> SCOPE=BOTH;"
    asked = document("enlarge-redo-logs", 300.0, commands=(filled,), facts=LOGS)

    assert (
        "came-true"
        == outcome(asked, interval(10, 90_000, "undo_retention | 900"), "enlarge-redo-logs").verdict
    )


def test_logs_that_are_left_as_soon_as_before_were_not_enlarged() -> None:
    (document_,) = earlier(DISK)
    found = outcome(document_, read("redo-accelerator.awr-11.2.txt"), "enlarge-redo-logs")

    assert "not-assessable" == found.verdict
    assert "41.47 MB of redo per log switch, 45.04 before" == found.measured


def test_faster_storage_came_true_where_the_waits_are_gone() -> None:
    """21 s for the log buffer on disks, none on flash ("Write Accelerator", figures 4 and 5)."""
    (document_,) = earlier(DISK)
    found = outcome(document_, read("redo-accelerator.awr-11.2.txt"), "redo-storage")

    assert "came-true" == found.verdict
    assert "wait time 21.2 → 0.1 s for the same number of transactions" == found.measured


def test_nothing_has_come_true_in_the_report_that_it_was_said_of() -> None:
    (document_,) = earlier(DISK)
    found = api.compare([read(DISK)], [read(DISK)], None, [document_]).expectations

    assert found
    assert {"not-assessable", "not"} >= {each.verdict for each in found}
    followed = [
        r.id for r in samples.analysis(DISK).recommendations if r.status in ("apply", "tune-first")
    ]
    assert followed == [each.recommendation for each in found]


@pytest.mark.parametrize(
    ("estimate", "verdict"), [(60, "came-true"), (61, "partly"), (None, "not-assessable")]
)
def test_a_recovery_target_is_held_against_the_estimate(estimate: int | None, verdict: str) -> None:
    command = "ALTER SYSTEM SET fast_start_mttr_target=60 SCOPE=BOTH;"
    after = interval(10, 90_000, "fast_start_mttr_target | 60")
    fact = after.facts["checkpoint.estimated_mttr_s"]._replace(value=estimate)
    after = after._replace(facts={**after.facts, fact.name: fact})

    found = outcome(
        document("set-mttr-target", None, commands=(command,)), after, "set-mttr-target"
    )
    assert verdict == found.verdict
    assert "no saving estimated" == found.claimed


def test_where_no_saving_was_estimated_it_is_judged_by_its_findings() -> None:
    asked = document("tune-something", None)
    gone = interval(10)
    title = samples.analysis(DISK).findings[0]._replace(id="REDO004")
    left = gone._replace(findings=(title,))
    unknown = gone._replace(skipped=("REDO004",))

    assert "came-true" == outcome(asked, gone, "tune-something").verdict
    assert "not" == outcome(asked, left, "tune-something").verdict
    assert "not-assessable" == outcome(asked, unknown, "tune-something").verdict


def test_of_several_analyses_the_one_of_the_same_database_is_taken() -> None:
    other = document("free-lgwr", 5.0)
    other["report"] = {"db_name": "OTHER", "db_id": "1", "instance": "other1"}
    after = interval(10)
    mine = document("enlarge-redo-logs", 300.0, facts=LOGS)

    found = api.compare([after], [after], None, [other, mine]).expectations
    assert ["enlarge-redo-logs"] == [each.recommendation for each in found]
    with pytest.raises(UsageError, match="None of the 2 analyses"):
        api.compare([after], [after], None, [other, other])
    assert ["free-lgwr"] == [
        each.recommendation for each in api.compare([after], [after], None, [other]).expectations
    ]


@pytest.mark.parametrize("data", [[], {}, 3, [{"error": {}}], {"report": {}}])
def test_what_is_no_analysis_is_refused(data: object) -> None:
    with pytest.raises(UsageError, match="not an analysis"):
        documents(data)
