"""What becomes of a budget: met, violated, not assessable, not applicable; what is told of it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from awrlens import budgets
from awrlens.budgets.values import like
from awrlens.model import Evidence, Fact, FactValue, Status

UNITS = {
    "redo.write_ms": "ms", "redo.sync_ms": "ms", "temp.share_pct": "%", "pga.passes": "count",
    "undo.tablespaces": "names", "database.role": "name",
}  # fmt: skip
CELL = Evidence("Instance Activity", "redo writes", "total", "405", 405, lambda: 7)
#: Truth values, and a condition on a field of the report that has each.
TRUTH = {True: "report.rac", False: "not report.rac", None: "redo.write_ms < 1 ms"}
NAMES = {True: "met", False: "violated", None: "not-assessable"}


def fact(name: str, value: FactValue, note: str = "") -> Fact:
    status: Status = "unavailable" if value is None else "measured"
    return Fact(name, value, UNITS[name], status, (CELL,), "", note, ("instance_activity",))


def outcome(
    text: str, *facts: Fact, rac: bool | None = True, baseline: list[Fact] | None = None,
    **fields: Any,
) -> budgets.Outcome:  # fmt: skip
    (budget,) = budgets.parse(text, UNITS, "team.budgets")
    others = None if baseline is None else {each.name: each for each in baseline}
    return budgets.assess(
        budget, {each.name: each for each in facts}, {"rac": rac, **fields}, others
    )


MISSING = fact("redo.write_ms", None, "section Instance Activity Stats is not in the report")


@pytest.mark.parametrize("left", TRUTH)
@pytest.mark.parametrize("right", TRUTH)
def test_what_is_not_known_decides_nothing_and_hides_nothing(
    left: bool | None, right: bool | None
) -> None:
    both = [left, right]
    conjunction = False if False in both else None if None in both else True
    disjunction = True if True in both else None if None in both else False
    for word, expected in (("and", conjunction), ("or", disjunction)):
        found = outcome(f"({TRUTH[left]}) {word} ({TRUTH[right]})", MISSING)
        assert NAMES[expected] == found.verdict, word
        assert bool(found.reasons) == (expected is None)


@pytest.mark.parametrize(("value", "expected"), [(True, False), (False, True), (None, None)])
def test_not_of_what_is_not_known_is_not_known(value: bool | None, expected: bool | None) -> None:
    assert NAMES[expected] == outcome(f"not ({TRUTH[value]})", MISSING).verdict


@pytest.mark.parametrize(
    ("when", "expect", "verdict"),
    [
        (True, True, "met"),
        (True, False, "violated"),
        (True, None, "not-assessable"),
        (False, True, "not-applicable"),
        (False, False, "not-applicable"),
        (False, None, "not-applicable"),
        (None, True, "met"),
        (None, False, "not-assessable"),
        (None, None, "not-assessable"),
    ],
)
def test_a_budget_is_asked_where_its_when_holds(
    when: bool | None, expect: bool | None, verdict: str
) -> None:
    found = outcome(f"budget {TRUTH[expect]} when {TRUTH[when]}", MISSING)

    assert verdict == found.verdict


def test_an_unavailable_fact_gives_its_own_reason() -> None:
    found = outcome("redo.write_ms <= 2 ms", MISSING)

    assert found.reasons == ("redo.write_ms: section Instance Activity Stats is not in the report",)
    assert found.arithmetic == "redo.write_ms (not available) <= 2 ms"
    assert budgets.finding(found) is None
    left_out = budgets.skipped(found)
    assert left_out is not None
    assert left_out.needs == ("instance_activity",)
    assert left_out.reason == found.reasons[0]


def test_require_makes_what_cannot_be_assessed_a_failure() -> None:
    found = outcome('require redo.write_ms <= 2 ms message "Redo is fast."', MISSING)
    finding = budgets.finding(found)

    assert (found.verdict, found.fails) == ("not-assessable", True)
    assert budgets.skipped(found) is None
    assert finding is not None
    assert (finding.title, finding.confidence) == ("Redo is fast.", "low")
    assert "is not in the report" in finding.why


def test_a_violated_budget_is_a_finding_with_its_numbers() -> None:
    text = (
        "rule TEAM001 slow-redo\n when redo.sync_ms > 1 ms\n expect redo.write_ms <= 2 ms\n"
        ' severity critical\n why "Orders are late"\n fix "Call storage."\n source "SLA 7"'
    )
    found = outcome(text, fact("redo.write_ms", 18.68), fact("redo.sync_ms", 5))
    finding, advice = budgets.finding(found), budgets.recommendation(found)

    assert finding is not None
    assert (finding.id, finding.name, finding.severity) == ("TEAM001", "slow-redo", "critical")
    assert finding.title == "redo.write_ms 18.68 ms, budget 2 ms"
    assert finding.why == (
        "Orders are late. redo.write_ms (18.68 ms) <= 2 ms when redo.sync_ms (5 ms) > 1 ms "
        "does not hold."
    )
    assert [each.name for each in finding.facts] == ["redo.sync_ms", "redo.write_ms"]
    assert (finding.source, finding.confidence) == ("SLA 7 (team.budgets:1)", "high")
    assert advice is not None
    assert (advice.title, advice.findings) == ("Call storage.", ("TEAM001",))


def test_what_is_met_is_no_finding() -> None:
    found = outcome('redo.write_ms <= 2 ms fix "x"', fact("redo.write_ms", 2))

    assert found.verdict == "met"
    assert budgets.finding(found) is None
    assert budgets.skipped(found) is None
    assert budgets.recommendation(found) is None


def test_an_estimate_is_less_sure() -> None:
    estimate = fact("redo.write_ms", 18.68)._replace(status="estimated")
    finding = budgets.finding(outcome("redo.write_ms <= 2 ms", estimate))

    assert finding is not None
    assert (finding.confidence, finding.confidence_reason) == ("medium", "redo.write_ms: estimated")
    doubtful = budgets.finding(outcome("redo.write_ms <= 2 ms", estimate), ("a short interval",))
    assert doubtful is not None
    assert doubtful.confidence == "low"
    assert doubtful.severity == finding.severity


def test_the_baseline_is_another_report_and_may_be_absent() -> None:
    text = "redo.sync_ms <= 1.2 * baseline.redo.sync_ms"
    now = fact("redo.sync_ms", 6)

    assert outcome(text, now).reasons == ("there is no baseline (--against REPORT)",)
    assert outcome(text, now, baseline=[]).verdict == "not-assessable"
    assert outcome(text, now, baseline=[fact("redo.sync_ms", 5)]).verdict == "met"
    worse = outcome(text, now, baseline=[fact("redo.sync_ms", 4.99)])
    assert worse.verdict == "violated"
    finding = budgets.finding(worse)
    assert finding is not None
    assert [each.name for each in finding.facts] == ["redo.sync_ms"]  # lines of this report only


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("redo.write_ms is available", "violated"),
        ("redo.write_ms is not available", "met"),
        ("baseline.redo.write_ms is available", "violated"),
        ("report.db_name is available", "met"),
        ("report.host is available", "violated"),
        ('report.db_name like "prod%"', "met"),
        ('report.db_name not like "prod%"', "violated"),
        ('report.db_name in ("TEST", "prod1")', "met"),
        ('report.db_name not in ("TEST", "prod1")', "violated"),
        ('report.db_name == "Prod1"', "met"),
        ('report.host like "%"', "not-assessable"),
        ('report.host not in ("a")', "not-assessable"),
        ('undo.tablespaces == "UNDO2"', "met"),
        ('undo.tablespaces like "UNDO_"', "met"),
        ('undo.tablespaces != "UNDO2"', "violated"),
        ('undo.tablespaces in ("UNDO3")', "violated"),
        ("report.cpus in (4, 8)", "met"),
        ("report.cpus * 2 == 16", "met"),
        ("report.elapsed_s <= 1 h", "met"),
        ('report.begin_time >= "2026-01-31"', "met"),
        ('report.begin_time == "2026-01-31 08:00"', "met"),
        ('report.begin_time < "2026-01-31T08:00:00"', "violated"),
        ("report.begin_time < report.end_time", "met"),
        ('report.startup_time < "2026-01-31"', "not-assessable"),
        ("redo.sync_ms / pga.passes < 1 ms", "not-assessable"),
        ("temp.share_pct < 20 %", "not-assessable"),
        ("pga.passes < 1", "met"),
    ],
)
def test_texts_times_names_and_what_is_there_can_be_asked(text: str, verdict: str) -> None:
    found = outcome(
        text, MISSING, fact("redo.sync_ms", 5.0), fact("pga.passes", 0),
        fact("temp.share_pct", float("nan")), fact("undo.tablespaces", ("UNDO1", "UNDO2")),
        db_name="PROD1", host=None, cpus=8, elapsed_s=3600.0,
        begin_time="2026-01-31T08:00:00", end_time="2026-01-31T09:00:00", startup_time="soon",
    )  # fmt: skip

    assert verdict == found.verdict


def test_dividing_by_nothing_cannot_be_assessed() -> None:
    found = outcome(
        "redo.sync_ms / pga.passes < 1 ms", fact("redo.sync_ms", 5), fact("pga.passes", 0)
    )

    assert found.reasons == ("redo.sync_ms / pga.passes divides by 0",)


@pytest.mark.parametrize(
    ("text", "pattern", "fits"),
    [
        ("PROD1", "PROD%", True), ("PROD1", "%1", True), ("PROD1", "prod_", True),
        ("PROD1", "PROD", False), ("PROD1", "PROD__", False), ("PROD1", "%R%D%", True),
        ("PROD1", "%D%R%", False), ("", "%", True), ("", "_", False), ("", "", True),
        ("aa", "a%a", True), ("a", "a%a", False), ("a.b", "a.b", True), ("axb", "a.b", False),
        ("abcbd", "a%b_", True), ("a\nb", "a%b", True),
    ],
)  # fmt: skip
def test_like_is_that_of_sql(text: str, pattern: str, fits: bool) -> None:
    assert fits == like(text, pattern)


def test_like_takes_no_time_whatever_the_pattern() -> None:
    begin = time.process_time()

    assert not like("a" * 2_000, "%a" * 500 + "%b%")
    assert not like("a" * 2_000, "%" + "_" * 100 + "b%")
    assert time.process_time() - begin < 20  # it was for ever


VALUES = st.one_of(
    st.none(), st.integers(), st.floats(), st.text(), st.lists(st.text()).map(tuple), st.booleans()
)
BUDGETS = [
    "redo.write_ms <= 2 ms", "redo.write_ms / redo.sync_ms < temp.share_pct * pga.passes",
    "redo.write_ms in (2 ms, 3 s) or not redo.sync_ms > 1.2 * baseline.redo.sync_ms",
    'undo.tablespaces like "U%" and database.role not in ("PRIMARY")',
    'undo.tablespaces == database.role when report.db_name like "P_%"',
    'report.begin_time < "2026-01-31" or report.rac and report.cpus * -1 < report.elapsed_s / 1 s',
    "require pga.passes is available when report.end_time > report.begin_time",
]  # fmt: skip


@given(
    st.sampled_from(BUDGETS),
    st.dictionaries(st.sampled_from([*UNITS]), VALUES),
    st.dictionaries(st.sampled_from(["rac", "db_name", "cpus", "begin_time", "end_time"]), VALUES),
    st.none() | st.dictionaries(st.sampled_from([*UNITS]), VALUES),
)
def test_whatever_the_facts_are_there_is_a_verdict(
    text: str, facts: dict[str, Any], report: dict[str, Any], baseline: dict[str, Any] | None
) -> None:
    (budget,) = budgets.parse(text, UNITS)
    others = baseline and {name: fact(name, value) for name, value in baseline.items()}
    found = budgets.assess(
        budget, {name: fact(name, value) for name, value in facts.items()}, report, others
    )

    assert (found.verdict == "not-assessable") == bool(found.reasons)
    assert found.fails == (budgets.finding(found) is not None)
    assert found.arithmetic


@given(st.sampled_from(BUDGETS), st.dictionaries(st.sampled_from([*UNITS]), VALUES))
def test_what_is_decided_without_a_fact_stays_so_whatever_the_fact_is(
    text: str, facts: dict[str, Any]
) -> None:
    (budget,) = budgets.parse(text, UNITS)
    known = {name: fact(name, value) for name, value in facts.items()}
    before = budgets.assess(budget, {}, {}).verdict
    asks = "available" in text  # whether a fact is there is told by its absence

    if before != "not-assessable" and not asks:
        assert before == budgets.assess(budget, known, {}).verdict
