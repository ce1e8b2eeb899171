"""One problem is one finding: what is its cause or a part of it stands under it."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_rules import facts_of, read

from awrlens import rules
from awrlens.model import SEVERITIES, Finding, Impact, Severity, with_parts
from awrlens.policy import Policy
from awrlens.rules import GROUPS, base

#: Rules that explain all others of their group, and only those that are found with them.
LEADERS = {"REDO014": GROUPS[0], "UNDO001": GROUPS[3]}


def finding(rule_id: str, severity: Severity = "warning", seconds: float | None = 100.0) -> Finding:
    return Finding(
        rule_id, rule_id.lower(), "0.1", f"Title of {rule_id}", severity, "high", "counted",
        Impact(seconds, None, "a test"), (), "", "a test", related=LEADERS.get(rule_id, ()),
    )  # fmt: skip


def joined(findings: list[Finding]) -> list[Finding]:
    """The findings as the groups of awrlens' rules join them."""
    return base.joined(findings, GROUPS)


def shown(findings: list[Finding]) -> dict[str, tuple[str, ...]]:
    """The findings by id, each with the ids of those under it."""
    return {each.id: tuple(part.id for part in each.contributing) for each in findings}


def test_findings_on_different_problems_stand_side_by_side() -> None:
    found = [finding("REDO001"), finding("TEMP001"), finding("UNDO004"), finding("INTG001")]

    assert found == joined(found)


def test_a_finding_alone_is_left_as_it_is() -> None:
    assert [finding("REDO009")] == joined([finding("REDO009")])
    assert [] == joined([])


def test_the_cause_of_slow_commits_stands_under_them() -> None:
    found = joined([finding("REDO006"), finding("REDO009"), finding("REDO008", "info")])

    assert {"REDO009": ("REDO006", "REDO008")} == shown(found)


def test_the_worst_tells_the_problem_and_of_equals_the_one_that_says_most() -> None:
    equals = joined([finding("REDO012"), finding("REDO003"), finding("REDO009")])
    worst = joined([finding("REDO001", "ok"), finding("REDO006", "critical")])

    assert {"REDO003": ("REDO009", "REDO012")} == shown(equals)
    # awr-html_10.2.0.5.0_02: 55 of 13,561 s at log switches are for incomplete checkpoints
    part = joined([finding("CKPT001", "info", 55.0), finding("REDO004", "info", 13_561.0)])
    assert {"REDO004": ("CKPT001",)} == shown(part)
    assert {"REDO006": ("REDO001",)} == shown(worst)


def test_log_switches_and_small_logs_stand_under_incomplete_checkpoints() -> None:
    found = joined([finding("REDO007", "info"), finding("REDO004"), finding("CKPT001")])

    assert {"CKPT001": ("REDO004", "REDO007")} == shown(found)


def test_a_worse_log_switch_leads_where_checkpoints_are_the_smaller_part() -> None:
    found = joined([finding("CKPT001", "info"), finding("REDO004", "warning")])

    assert {"REDO004": ("CKPT001",)} == shown(found)


def test_the_seconds_of_a_part_are_not_added() -> None:
    (found,) = joined([finding("CKPT001", seconds=300.0), finding("REDO004", seconds=400.0)])

    assert 300.0 == found.impact.seconds
    assert 400.0 == found.contributing[0].impact.seconds


def test_slow_storage_explains_every_kind_of_slow_write() -> None:
    parts = ("REDO001", "REDO009", "TEMP008", "CKPT008", "CKPT009")

    (found,) = joined([finding(each) for each in ("REDO014", *parts)])

    assert "REDO014" == found.id
    assert set(parts) == {part.id for part in found.contributing}


def test_slow_storage_does_not_explain_writes_that_it_does_not_name() -> None:
    redo_alone = finding("REDO014", "info")._replace(related=("REDO001",))

    found = joined([finding("REDO001", "info"), finding("TEMP008"), redo_alone])

    assert {"REDO014": ("REDO001",), "TEMP008": ()} == shown(found)


def test_without_it_slow_writes_of_several_kinds_are_problems_of_their_own() -> None:
    found = joined([finding("REDO001"), finding("TEMP008"), finding("CKPT008")])

    assert {"REDO001": (), "TEMP008": (), "CKPT008": ()} == shown(found)


def test_undo_that_dominates_explains_the_waits_for_dbwr_and_rollbacks() -> None:
    with_undo = [finding("UNDO002", "info"), finding("CKPT005"), finding("UNDO001")]

    assert {"UNDO001": ("CKPT005", "UNDO002")} == shown(joined(with_undo))
    assert {"UNDO002": (), "CKPT005": ()} == shown(joined(with_undo[:2]))


@pytest.mark.parametrize(("leader", "group"), LEADERS.items(), ids=list(LEADERS))
def test_a_leader_leads_and_is_as_severe_as_the_worst_under_it(
    leader: str, group: tuple[str, ...]
) -> None:
    (found,) = joined([finding(leader, "info"), finding(group[1], "critical")])

    assert (leader, "critical") == (found.id, found.severity)
    assert "critical" == found.contributing[0].severity


def test_parts_of_a_part_stand_beside_it() -> None:
    """Slow redo writes gather what belongs to them, and the storage gathers all of it flat."""
    part = finding("REDO001")._replace(contributing=(finding("REDO006"),))

    (found,) = joined([finding("REDO014"), part])

    assert ("REDO001", "REDO006") == tuple(each.id for each in found.contributing)
    assert all(not each.contributing for each in found.contributing)


def test_groups_name_rules_that_are() -> None:
    assert set(chain.from_iterable(GROUPS)) <= set(rules.oracle())
    assert all(len(set(group)) == len(group) for group in GROUPS)


def test_the_rules_findings_are_joined_when_a_report_is_judged() -> None:
    values = read("REDO009")[0].facts | read("REDO006")[0].facts | {"redo.sync_wait_s": 125416.0}

    findings, _ = rules.run(facts_of(values), Policy())

    assert {"REDO009": ("REDO006",)} == {
        name: parts for name, parts in shown(list(findings)).items() if name.startswith("REDO")
    }


FOUND = st.dictionaries(
    st.sampled_from(sorted(rules.oracle())),
    st.tuples(st.sampled_from(SEVERITIES), st.none() | st.floats(0, 1e6)),
    max_size=20,
).map(lambda each: [finding(name, *what) for name, what in each.items()])


@given(FOUND)
def test_every_finding_is_kept_once_with_its_own_seconds(found: list[Finding]) -> None:
    kept = list(with_parts(joined(found)))

    assert sorted(each.id for each in found) == sorted(each.id for each in kept)
    assert {each.id: each.impact for each in found} == {each.id: each.impact for each in kept}


@given(FOUND)
def test_a_joined_finding_is_as_severe_as_its_worst_part(found: list[Finding]) -> None:
    severities = {each.id: each.severity for each in found}

    for each in joined(found):
        own = [severities[each.id], *(severities[part.id] for part in each.contributing)]
        assert each.severity == max(own, key=SEVERITIES.index)


@given(FOUND)
def test_no_problem_gets_milder_by_being_joined(found: list[Finding]) -> None:
    before = max((SEVERITIES.index(each.severity) for each in found), default=0)

    assert before == max((SEVERITIES.index(each.severity) for each in joined(found)), default=0)


@given(FOUND)
def test_parts_have_no_parts(found: list[Finding]) -> None:
    assert not any(part.contributing for each in joined(found) for part in each.contributing)


@given(FOUND, st.randoms(use_true_random=False))
def test_the_order_in_which_rules_are_asked_does_not_matter(
    found: list[Finding], chance: Random
) -> None:
    mixed = list(found)
    chance.shuffle(mixed)

    assert shown(joined(found)) == shown(joined(mixed))


@given(FOUND)
def test_leaders_lead_whenever_they_are_found(found: list[Finding]) -> None:
    """Slow storage goes before undo that dominates where both claim a finding."""
    heads = shown(joined(found))

    assert LEADERS.keys() & {each.id for each in found} == LEADERS.keys() & heads.keys()


def test_rules_on_the_same_waits_are_one_problem() -> None:
    """Otherwise both findings would count the seconds."""
    known = [rule for rule in rules.all_rules() if rule.engine == "oracle"]
    alone = [
        f"{one.id} and {other.id}"
        for one, other in combinations(known, 2)
        if {*one.gate, *one.some} & {*other.gate, *other.some}
        and not any({one.id, other.id} <= {*group} for group in GROUPS)
    ]

    where = "have one gate: add them to one group in awrlens/rules/__init__.py"
    assert alone == [], f"{', '.join(alone)} {where}"
