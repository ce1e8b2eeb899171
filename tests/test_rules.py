"""Rules by cases: tests/rules/<ID>.toml has facts in and the expected finding out.

``base`` are facts with which the rule fires, in an interval of an hour; a case sets some of them
otherwise (``set``), takes some away (``unset``), gives the first period of a compare-period report
(``before``) or moves thresholds (``policy``). ``weighs`` names the two cases that share of DB time
alone gets wrong. A rule is asked alone: what stands under another finding is the matter of
``test_causes``. That a rule is skipped without each of its needs is tried for all of them here, not
written down.
"""

from __future__ import annotations

import json
import pickle
import pkgutil
import re
import sys
import tomllib
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from awrlens import checks, lab, rules, sqlserver
from awrlens.config import choices
from awrlens.facts.registry import FACTS
from awrlens.model import Evidence, Fact, Finding, Skipped
from awrlens.policy import Policy, Threshold
from awrlens.rules.base import (
    HEADINGS,
    WEIGHED,
    Diagnosis,
    Facts,
    Gate,
    Number,
    Rule,
    of,
    parameters,
    rule,
)
from awrlens.sqlserver.facts import FACTS as LOG_FACTS
from awrlens.units import first_of

#: The rules on the facts of one input, which are asked alike.
JUDGED = rules.all_rules((*rules.oracle(), *sqlserver.RULES))
#: Waits that are parts of others.
PARTS = {
    "redo.sync_wait_s": ("redo.commit_storage_s", "redo.commit_lgwr_s",
                         "redo.commit_scheduling_s", "redo.commit_unexplained_s"),
    "temp.direct_wait_s": ("temp.direct_read_wait_s", "temp.direct_write_wait_s"),
    "load.data_read_wait_s": ("undo.neighbour_wait_s",),
}  # fmt: skip
#: What follows where a fact that a rule is asked ``only`` with has another value.
IMPLIED = {"checkpoint.target_set": {"checkpoint.fast_start_mttr_target_s": 0.0}}
#: What rules on waits are weighed against beside their own facts.
WEIGHED_AGAINST = {"load.elapsed_s", "load.response_s", "load.instances", "load.captured_pct",
                   "load.timed_pct"}  # fmt: skip
#: Cases that every rule on waits shows: neither is a warning, whatever its share of DB time.
CALM = ("many and quick", "few and slow")
#: Rules whose waits always count as slow: their average is not printed, or is that of a histogram.
NEVER_QUICK = {
    "REDO010": "waits above 16 ms are judged",
    "UNDO011": "the average is not printed",
}
#: Alternatives that say that another rule judges the same.
NOTHING_TO_FIND = {("UNDO014", "undo.snapshot_too_old")}
#: Thresholds that weigh every wait and decide every confidence.
SHARED = (
    "sqlserver.many",
    *(name for name in choices.all_thresholds() if name.startswith(("impact.", "confidence."))),
)
MODULES = [
    import_module(module.name)
    for folder in (rules, checks, lab, sqlserver)
    for module in pkgutil.iter_modules(folder.__path__, f"{folder.__name__}.")
]
CASES = Path(__file__).parent / "rules"
UNITS = {spec.name: spec.unit for spec in FACTS} | {spec.name: spec.unit for spec in LOG_FACTS}


class Case(NamedTuple):
    rule: str
    says: str
    facts: dict[str, Any]
    expect: str
    contains: str
    omits: str
    threshold: str
    gate: bool
    weighs: str
    before: dict[str, Any] | None
    policy: dict[str, float]
    confidence: str


def read(rule_id: str) -> list[Case]:
    data = tomllib.loads((CASES / f"{rule_id}.toml").read_text(encoding="utf-8"))
    return [
        Case(
            rule_id,
            case["says"],
            {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in (
                    {"load.elapsed_s": 3600.0} | data["base"] | case.get("set", {})
                ).items()
                if name not in case.get("unset", ())
            },
            case["expect"],
            case.get("contains", ""),
            case.get("omits", ""),
            case.get("threshold", ""),
            case.get("gate", False),
            case.get("weighs", ""),
            data["base"] | case["before"] if "before" in case else None,
            case.get("policy", {}),
            case.get("confidence", ""),
        )
        for case in data["case"]
    ]


def facts_of(values: dict[str, Any]) -> dict[str, Fact]:
    """Facts with the given values; all others are unavailable."""
    facts = {
        name: Fact(name, None, unit, "unavailable", note="not in this case", sections=("x",))
        for name, unit in UNITS.items()
    }
    for name, value in values.items():
        assert name in UNITS, f"no fact is named {name}"
        proof = Evidence("a section", "a row", "a column", str(value), value, lambda: 7)
        facts[name] = Fact(name, value, UNITS[name], "measured", (proof,), sections=("x",))
    return facts


def run(
    rule_id: str,
    values: dict[str, Any],
    before: dict[str, Any] | None = None,
    policy: dict[str, float] | None = None,
) -> tuple[Finding | None, Skipped | None]:
    """What one rule makes of some facts."""
    first = None if before is None else facts_of({"load.elapsed_s": 3600.0} | before)
    decided = rules.decide(rules.get(rule_id), Facts(facts_of(values), Policy(policy), first))
    return (
        decided if isinstance(decided, Finding) else None,
        decided if isinstance(decided, Skipped) else None,
    )


def names_of(rule: Rule) -> set[str]:
    """Facts that a rule needs or wants; of alternatives each."""
    return {name for need in (*rule.needs, *rule.wants) for name in need.split("|")}


ALL = [case for path in sorted(CASES.glob("*.toml")) for case in read(path.stem)]


@pytest.mark.parametrize("case", ALL, ids=lambda case: f"{case.rule}: {case.says}")
def test_a_rule_finds_what_its_cases_say(case: Case) -> None:
    finding, skipped = run(case.rule, case.facts, case.before, case.policy)

    assert skipped is None
    assert case.expect == ("none" if finding is None else finding.severity), finding
    if finding is not None:
        said = f"{finding.title}. {finding.why}"
        assert case.contains in said
        assert not case.omits or case.omits not in said
        assert finding.facts
        assert finding.confidence_reason
        assert case.confidence in finding.confidence


@pytest.mark.parametrize(
    ("rule_id", "need"),
    [(rule.id, need) for rule in JUDGED for need in rule.needs],
    ids=lambda value: value,
)
def test_a_rule_without_one_of_its_needs_is_skipped_and_says_which(rule_id: str, need: str) -> None:
    lacking = need.split("|")
    values = {n: value for n, value in read(rule_id)[0].facts.items() if n not in lacking}

    finding, skipped = run(rule_id, values)

    assert finding is None
    assert skipped is not None
    assert all(name in skipped.reason for name in lacking)
    assert skipped.needs


@pytest.mark.parametrize(
    ("rule_id", "need", "left"),
    [
        (rule.id, need, left)
        for rule in JUDGED
        for need in rule.needs
        for left in need.split("|")
        if "|" in need
    ],
    ids=lambda value: value,
)
def test_of_alternatives_that_a_rule_needs_one_is_enough(
    rule_id: str, need: str, left: str
) -> None:
    base = read(rule_id)[0].facts | dict.fromkeys(need.split("|"), 3600.0)
    others = set(need.split("|")) - {left}
    values = {name: value for name, value in base.items() if name not in others}

    finding, skipped = run(rule_id, values)

    assert skipped is None
    assert finding is not None or (rule_id, left) in NOTHING_TO_FIND


def lacks(rule: Rule, cases: list[Case]) -> list[str]:
    """What the cases of a rule ought to show and do not."""
    missing = []
    if all(case.expect in ("none", "ok") for case in cases):
        missing.append("a case that fires")
    if all(case.expect not in ("none", "ok") for case in cases):
        missing.append("a case that does not")
    for threshold in rules.thresholds(rule).values():
        sides = [case for case in cases if case.threshold == threshold.name]
        if len({(case.expect, case.contains, case.confidence) for case in sides}) < 2:
            missing.append(f'both sides of {threshold.name} (`threshold = "{threshold.name}"`)')
    if WEIGHED not in rule.needs:
        return missing
    if not any(case.gate for case in cases):
        missing.append("a case that nobody waits for (`gate = true`)")
    missing += [
        f'a case of waits that are no warning (`weighs = "{weighs}"`)'
        for weighs in CALM
        if not any(case.weighs == weighs for case in cases)
        and (weighs, rule.id) not in {(CALM[0], each) for each in NEVER_QUICK}
    ]
    return missing


@pytest.mark.parametrize(
    "case", [case for case in ALL if case.weighs], ids=lambda case: f"{case.rule}: {case.says}"
)
def test_many_quick_waits_and_few_slow_ones_are_never_a_warning(case: Case) -> None:
    finding, _ = run(case.rule, case.facts)

    assert case.weighs in CALM
    assert finding is None or finding.severity in ("ok", "info")


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.id)
def test_every_rule_is_shown_firing_silent_and_on_both_sides_of_its_thresholds(rule: Rule) -> None:
    assert (CASES / f"{rule.id}.toml").exists(), f"tests/rules/{rule.id}.toml is to be written"
    missing = lacks(rule, read(rule.id))

    assert missing == [], f"tests/rules/{rule.id}.toml lacks {'; '.join(missing)}"


def test_a_rule_with_too_few_cases_would_be_noticed() -> None:
    rule = rules.get("REDO001")
    only_one_side = [case for case in read("REDO001") if case.expect == "warning"]

    assert lacks(rule, only_one_side) == [
        "a case that does not",
        'both sides of redo.slow_write_ms (`threshold = "redo.slow_write_ms"`)',
        'both sides of storage.throughput_bytes (`threshold = "storage.throughput_bytes"`)',
        "a case that nobody waits for (`gate = true`)",
        'a case of waits that are no warning (`weighs = "many and quick"`)',
        'a case of waits that are no warning (`weighs = "few and slow"`)',
    ]


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.id)
def test_every_rule_documents_itself_under_all_headings_in_order(rule: Rule) -> None:
    assert list(HEADINGS) == list(rule.page)
    assert all(len(text) > 10 for text in rule.page.values())
    assert rule.title
    assert names_of(rule) - set(UNITS) == set(), "no facts have these names"
    for threshold in rules.thresholds(rule).values():
        assert threshold.name in rule.page["Threshold"]


def test_every_threshold_has_a_unit_a_meaning_and_a_source_and_stands_once() -> None:
    known = choices.all_thresholds()

    for name, threshold in known.items():
        assert name == threshold.name
        assert threshold.unit
        assert threshold.meaning
        assert threshold.source


def test_the_worst_finding_comes_first_and_the_costlier_of_equals() -> None:
    values = read("TEMP008")[0].facts | read("CKPT009")[0].facts | read("INTG001")[0].facts
    values |= read("UNDO004")[0].facts

    findings, _ = rules.run(facts_of(values | {"undo.out_of_space": 1.0}), Policy())

    assert ["UNDO004", "CKPT009", "TEMP008", "INTG001"] == [each.id for each in findings]


def test_a_policy_moves_a_threshold() -> None:
    values = read("REDO001")[0].facts

    assert (None, None) == run("REDO001", values, policy={"redo.slow_write_ms": 80.0})


@pytest.mark.parametrize(("elapsed_s", "confidence"), [(600.0, "medium"), (1_200.0, "high")])
def test_a_rate_of_few_log_switches_is_less_certain(elapsed_s: float, confidence: str) -> None:
    """18 an hour are 3 in ten minutes: one more or less is a third."""
    facts = {"redo.log_switches_per_hour": 18.0, "load.elapsed_s": elapsed_s}
    finding, _ = run("REDO007", facts)

    assert finding is not None
    assert confidence == finding.confidence
    assert (confidence == "medium") == (
        "only 3 switches in the interval" in finding.confidence_reason
    )


def test_a_counter_of_hundredths_that_counted_little_lowers_the_confidence() -> None:
    facts = facts_of(read("REDO001")[0].facts)
    counted = Evidence("Statistics", "redo write time", "Total", "62", 62, lambda: 7)
    slow = facts["redo.local_write_ms"]._replace(evidence=(counted,))

    asked = Facts(facts | {"redo.local_write_ms": slow}, Policy())
    finding = rules.decide(rules.get("REDO001"), asked)

    assert isinstance(finding, Finding)
    assert "medium" == finding.confidence
    assert "only 62 hundredths of a second" in finding.confidence_reason


@pytest.mark.parametrize(
    "rule", [rule for rule in JUDGED if rule.gate or rule.only], ids=lambda rule: rule.id
)
def test_what_shuts_a_rules_gate_leaves_the_rule_nothing_to_find(rule: Rule) -> None:
    """A gate spares the rest of the facts; it must not hide a finding.

    An LGWR that is busy while nobody waits for it is left to REDO001, which has no gate. Where
    timed statistics were mostly off, waits open no gate and shut none. A parameter that can have
    one of some texts only (`Literal`) is not given another.
    """
    literal = [each.key for each in rule.reads.every if re.fullmatch(r"Literal.*]", each.written)]
    within = [part for name in rule.gate for part in PARTS.get(name, ())]
    for case in read(rule.id):
        shut = case.facts | dict.fromkeys([*rule.gate, *within], 0.0)
        shut.pop("redo.lgwr_busy_pct", None)
        shut.pop("load.timed_pct", None)
        if rule.only is not None and rule.only[0] not in literal:
            shut |= {rule.only[0]: "another value"} | IMPLIED.get(rule.only[0], {})
        if rule.gate or not literal:
            assert rule.find(Facts(facts_of(shut), Policy())) is None


@pytest.mark.parametrize("rule", [rule for rule in JUDGED if rule.some], ids=lambda rule: rule.id)
def test_where_there_is_none_to_judge_a_rule_is_decided_and_not_skipped(rule: Rule) -> None:
    values = dict.fromkeys(rule.some, 0) | {"load.elapsed_s": 3600.0}

    assert (None, None) == run(rule.id, values)


def test_every_sentence_that_a_rule_chooses_among_others_is_said_in_a_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: dict[tuple[str, int], set[int]] = {}
    sentences: dict[tuple[str, int], int] = {}

    def noted(*cases: tuple[object, str]) -> str:
        caller = sys._getframe(1)
        place = caller.f_code.co_name, caller.f_lineno
        sentences[place] = len(cases)
        holds = [number for number, (when, _) in enumerate(cases) if when]
        said.setdefault(place, set()).update(holds[:1])
        return first_of(*cases)

    for module in MODULES:
        if "first_of" in vars(module):
            monkeypatch.setattr(module, "first_of", noted)
    for case in ALL:
        run(case.rule, case.facts, case.before, case.policy)

    never = {place: set(range(count)) - said[place] for place, count in sentences.items()}
    assert {place: missing for place, missing in never.items() if missing} == {}


class Watched(Facts):
    """Facts that remember which of them, and which thresholds, were asked for."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.limits: set[str] = set()
        self.asked: set[str] = set()
        asked = self.asked

        class Remembering(dict[str, Fact]):
            def __getitem__(self, name: str) -> Fact:
                asked.add(name)
                return super().__getitem__(name)

        super().__init__(Remembering(facts_of(values)), Policy())

    def limit(self, named: Threshold | str) -> float:
        self.limits.add(named.name if isinstance(named, Threshold) else named)
        return super().limit(named)


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.id)
def test_a_rule_reads_no_facts_and_thresholds_but_those_that_it_names(rule: Rule) -> None:
    """Its page and the configuration have the thresholds that it names."""
    for case in read(rule.id):
        watched = Watched(case.facts)

        rule.find(watched)

        assert watched.asked - names_of(rule) - WEIGHED_AGAINST == set(), "neither need nor want"
        assert watched.limits <= {*rules.thresholds(rule), *SHARED}


def test_every_rule_that_is_written_stands_in_the_table() -> None:
    written = {
        each.id for module in MODULES for each in vars(module).values() if isinstance(each, Rule)
    }

    assert written == set(rules.table()), "a rule without cases, or cases without a rule"


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.id)
def test_a_gate_is_among_the_facts_that_a_rule_reads(rule: Rule) -> None:
    read_ = names_of(rule)

    assert set(rule.gate) | set(rule.some) <= read_
    assert rule.only is None or rule.only[0] in read_


def test_a_part_that_two_rules_share_is_made_once_for_a_report() -> None:
    calls = []

    def doubled(redo_commit_ms: float | None) -> float:
        calls.append(redo_commit_ms)
        return 2 * (redo_commit_ms or 0.0)

    def commits(f: Facts, redo_sync_wait_s: Gate, twice: float = of(doubled)) -> Diagnosis:
        return Diagnosis(f"{twice:g} ms", "info", f.impact(redo_sync_wait_s, ""), "")

    commits.__doc__ = "\n".join(
        f"{head}:\n    {text}" for head, text in rules.get("REDO001").page.items()
    )
    shared = [rule("TEAM101", "one")(commits), rule("TEAM102", "two")(commits)]
    facts = Facts(
        facts_of({"load.elapsed_s": 60.0, "redo.sync_wait_s": 60.0, "redo.commit_ms": 4.0}),
        Policy(),
    )
    found = [rules.decide(each, facts) for each in shared]

    assert [4.0] == calls
    assert ("redo.sync_wait_s", WEIGHED) == shared[0].needs
    assert ("redo.commit_ms",) == shared[0].wants
    for finding in found:
        assert isinstance(finding, Finding)
        assert "8 ms" == finding.title
        assert ["redo.sync_wait_s", "redo.commit_ms"] == [each.name for each in finding.facts]


def test_a_number_that_knows_its_fact_is_a_number_like_others_elsewhere() -> None:
    facts = Facts(facts_of({"load.elapsed_s": 60.0, "redo.sync_wait_s": 60.0}), Policy())
    seconds = facts.impact(Number(60.0), "").seconds

    assert float is type(seconds)
    assert float is type(pickle.loads(pickle.dumps(Number(60.0))))  # noqa: S301 - ours


def test_a_function_that_hands_on_what_it_is_given_is_given_the_facts() -> None:
    def one(*facts: Facts) -> Facts:
        return facts[0]

    facts = Facts(facts_of({}), Policy())

    for function in (one, partial(one), lambda facts: facts):
        assert facts is parameters(function).call(function, facts)


_GIVEN = re.compile(r"`([a-z_.0-9]+)` = (.+?)(?=, `|: (?:info|warning|critical), )")
_FOUND = re.compile(r': (info|warning|critical), "(.+)"\.$')


@pytest.mark.parametrize("rule", JUDGED, ids=lambda rule: rule.id)
def test_the_example_on_a_rules_page_is_what_the_rule_finds(rule: Rule) -> None:
    example = " ".join(rule.page["Example"].split())
    read_ = {name: json.loads(value) for name, value in _GIVEN.findall(example)}
    given = {n: tuple(v) if isinstance(v, list) else v for n, v in read_.items()}
    expected = _FOUND.search(example)

    finding, skipped = run(rule.id, {"load.elapsed_s": 3600.0} | given)

    assert skipped is None
    form = 'With `FACT` = 1.0, `FACT` = 2.0: warning, "Title".'
    assert expected is not None, f"the example has the form {form}"
    assert finding is not None
    assert (expected[1], expected[2]) == (finding.severity, finding.title)
