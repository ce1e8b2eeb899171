"""Findings of both sides, and whether earlier recommendations had their expected effect."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple, regex
from awrlens.model import SEVERITIES, Declaration, with_parts
from awrlens.model.comparison import Expectation, Missing, Outcome, Turn
from awrlens.series.differences import divisors, numbers
from awrlens.units import parse_number, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.model import Finding
    from awrlens.model.comparison import Reading
    from awrlens.model.kinds import Per
    from awrlens.policy import Policy
    from awrlens.series.differences import Sides


Movement = Literal["new", "worse", "remained", "improved", "gone"]


class _Cost(NamedTuple):
    finding: Finding
    ms: float | None


def turns(sides: Sides, per: Per, policy: Policy) -> tuple[tuple[Turn, ...], tuple[Missing, ...]]:
    """Findings by what became of them; rules that one side skipped are listed apart."""
    first, second = (_usual(side, per, policy) for side in sides)
    turned, undecided = [], []
    leads = {lead.id for side in sides for reading in side for lead in reading.findings}
    for rule in dict.fromkeys([*first, *second]):
        was, now = first.get(rule), second.get(rule)
        where = sides[0] if was is None else sides[1]
        if (was is None or now is None) and all(rule in reading.skipped for reading in where):
            note = "the rule was skipped"
            undecided.append(Missing(rule, "before" if was is None else "after", note))
            continue
        turned.append(
            Turn(
                rule,
                (now or was).finding.title,  # type: ignore[union-attr]
                was and was.finding.severity,
                now and now.finding.severity,
                _movement(was, now, policy),
                was and was.ms,
                now and now.ms,
                rule not in leads,
            )
        )
    return tuple(turned), tuple(undecided)


def _movement(was: _Cost | None, now: _Cost | None, policy: Policy) -> Movement:
    """What became of a finding: by its severity, or if that is unchanged, by its wait time."""
    if was is None:
        return "new"
    if now is None:
        return "gone"
    first, second = (SEVERITIES.index(cost.finding.severity) for cost in (was, now))
    if first != second:
        return "worse" if second > first else "improved"
    if not (was.ms and now.ms) or not first:
        return "remained"
    if now.ms >= was.ms * policy["compare.cost_ratio"]:
        return "worse"
    return "improved" if was.ms >= now.ms * policy["compare.cost_ratio"] else "remained"


def _usual(side: Sequence[Reading], per: Per, policy: Policy) -> dict[str, _Cost]:
    """Findings of most reports of a side, of median severity; also those that contribute."""
    by_rule: dict[str, list[_Cost]] = {}
    for reading in side:
        divisor = divisors(reading, policy).get(per)
        for finding in with_parts(reading.findings):
            seconds = finding.impact.seconds
            ms = None if seconds is None or divisor is None else seconds * 1000 / divisor.number
            by_rule.setdefault(finding.id, []).append(_Cost(finding, ms))
    usual = {}
    for rule, costs in by_rule.items():
        if len(costs) * 2 > len(side):
            costs.sort(key=lambda cost: SEVERITIES.index(cost.finding.severity))
            usual[rule] = costs[len(costs) // 2]
    return usual


_TARGET: Final = "fast_start_mttr_target"
_SET: Final = regex(r"ALTER SYSTEM (SET|RESET) (\w+)(?:\s*=\s*'?([^'\s;<]+))?", re.I)
_NOTHING: Final = Declaration("", "")
_FOLLOWED: Final = ("apply", "tune-first")
_TRANSACTIONS: Final = "load.transactions_per_s"


class _Step(NamedTuple):
    """A recommendation of an earlier analysis, and the analysis."""

    item: Mapping[str, Any]
    document: Mapping[str, Any]
    #: Nothing is declared for the recommendations of budgets and logs.
    declared: Declaration

    def value(self, fact: str) -> float | None:
        entry = self.document["facts"].get(fact) or {}
        value = entry.get("value")
        return float(value) if isinstance(value, int | float) else None


def documents(data: object) -> list[Mapping[str, Any]]:
    """Analyses from the output of `awrlens analyze --format json`; UsageError for other data."""
    entries = data if isinstance(data, list) else [data]
    analyses = [entry for entry in entries if isinstance(entry, Mapping) and "error" not in entry]
    for number, analysis in enumerate(analyses):
        if analysis.get("periods"):
            analyses[number] = analysis["periods"][-1]
    wanted = ("report", "facts", "recommendations")
    if not analyses or not all(key in analysis for analysis in analyses for key in wanted):
        raise UsageError(
            "This is not an analysis.",
            hint="--expect takes the output of `awrlens analyze --format json`.",
        )
    return analyses


def assess(
    earlier: Sequence[Mapping[str, Any]],
    sides: Sides,
    policy: Policy,
    declared: Mapping[str, Declaration],
) -> tuple[Expectation, ...]:
    """The outcome of every recommendation of the analysis of this database."""
    before, after = sides
    document = _of_this(earlier, (*after, *before))
    return tuple(
        _assess(_Step(item, document, declared.get(item["id"], _NOTHING)), after, policy)
        for item in document["recommendations"]
        if item["status"] in _FOLLOWED
    )


def _of_this(
    earlier: Sequence[Mapping[str, Any]], readings: Sequence[Reading]
) -> Mapping[str, Any]:
    """The document of the same database and instance, else the only one."""
    for reading in readings:
        for document in earlier:
            same = ("db_name", "db_id", "instance")
            if all(document["report"].get(name) == reading.report[name] for name in same):
                return document
    if len(earlier) == 1:
        return earlier[0]
    raise UsageError(
        f"None of the {len(earlier)} analyses is of a compared database.",
        hint="Give --expect the analysis of one of the compared databases.",
    )


def _assess(step: _Step, after: Sequence[Reading], policy: Policy) -> Expectation:
    measured, verdict, reason = (
        _not_set(step, after)
        or _recovery(step, after)
        or _not_taken(step, after, policy)
        or _saved(step, after, policy)
        or _findings(step, after)
    )
    was, now = step.document["report"].get("db_id"), after[-1].report["db_id"]
    if was and now and was != now:
        reason += "; the recommendation was for a different database"
    ends, sign = step.declared.ends, step.declared.sign
    facts = ends if sign is None else (*ends, sign.fact)
    return Expectation(
        step.item["id"], step.item["title"], _claim(step.item), measured, verdict, reason, facts
    )


_Result = tuple[str, Outcome, str]


def _claim(item: Mapping[str, Any]) -> str:
    benefit = item["benefit"]
    if not benefit.get("seconds"):
        return "no saving estimated"
    share = benefit.get("pct_db_time")
    part = f", {share:.1f} % of DB time" if share is not None else ""
    return f"saves about {benefit['seconds']:,.0f} s{part}"


def _not_set(step: _Step, after: Sequence[Reading]) -> _Result | None:
    printed = after[-1].parameters
    if not printed:
        return None
    for name, value in _settings(step.item):
        now = printed.get(name, "")
        if not _alike(now, value):
            shown = f"{name} is {now or 'not set'}"
            wanted = f"recommended value: {value}" if value else "recommended value: its default"
            return shown, "not-assessable", f"not applied ({wanted})"
    return None


def _settings(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Parameters that the commands set, except placeholders; without a value those they reset."""
    for command in item["commands"]:
        match = _SET.match(command.strip())
        if match and (match[3] or match[1].upper() == "RESET"):
            yield match[2].lower(), match[3] or ""


def _alike(now: str, wanted: str) -> bool:
    """Whether two values are the same: 2G and 2147483648, 0 and not set."""
    if now.strip().upper() == wanted.strip().upper():
        return True
    numbers = [parse_number(text, "B") if text else 0 for text in (now, wanted)]
    return None not in numbers and numbers[0] == numbers[1]


def _recovery(step: _Step, after: Sequence[Reading]) -> _Result | None:
    target = dict(_settings(step.item)).get(_TARGET, "")
    if not target.isdecimal():
        return None
    estimates = numbers(after, "checkpoint.estimated_mttr_s")
    if not estimates:
        return "no estimate", "not-assessable", "the estimated recovery time is not in the reports"
    estimate = max(estimates)
    text = f"estimated recovery time: {show(estimate)} s"
    if estimate <= float(target):
        return text, "came-true", f"within the target of {target} s"
    return text, "partly", f"exceeds the target of {target} s"


def _not_taken(step: _Step, after: Sequence[Reading], policy: Policy) -> _Result | None:
    sign = step.declared.sign
    was, now = (step.value(sign.fact), numbers(after, sign.fact)) if sign else (None, [])
    if sign is None or was is None or not now:
        return None
    value = median(now)
    margin = 1 + policy["compare.floor_pct"] / 100
    if value > was * margin if sign.rises else value * margin < was:
        return None
    text = f"{show(value)} {sign.words}, {show(was)} before"
    return text, "not-assessable", "not applied, or without effect"


def _saved(step: _Step, after: Sequence[Reading], policy: Policy) -> _Result | None:
    names, claimed = step.declared.ends, step.item["benefit"].get("seconds")
    if not names or not claimed:
        return None
    waits = [value for name in names if (value := step.value(name)) is not None]
    elapsed = step.value("load.elapsed_s")
    if not waits or not elapsed:
        return None
    was = sum(waits)
    rate = step.value(_TRANSACTIONS) or 0.0
    rates = numbers(after, _TRANSACTIONS)
    later = median(rates) if rates else 0.0
    by_transactions = min(rate, later) >= policy["compare.least_per_s"]
    if not by_transactions and max(rate, later) > policy["compare.load_ratio"] * min(rate, later):
        reason = "the load differs, and there are too few transactions to compare by"
        return f"wait time before: {show(was)} s", "not-assessable", reason
    units = elapsed * (rate if by_transactions else 1.0)
    values = [
        sum(r.facts[name].number or 0.0 for name in names) * units / _units(r, by_transactions)
        for r in after
        if any(r.facts[name].number is not None for name in names) and _units(r, by_transactions)
    ]
    if not values:
        note = "; ".join(dict.fromkeys(r.facts[names[0]].note for r in after))
        return "nothing", "not-assessable", f"not in the reports afterwards: {note}"
    now = median(values)
    per = "transactions" if by_transactions else "seconds"
    text = f"wait time {show(round(was, 1))} → {show(round(now, 1))} s for the same number of {per}"
    saved_pct = (was - now) * 100 / claimed
    part = f"{saved_pct:.0f} % of the estimated saving"
    if saved_pct >= policy["compare.came_true_pct"]:
        return text, "came-true", part
    if saved_pct >= policy["compare.partly_pct"]:
        return text, "partly", part
    return text, "not", "the waits did not decrease" if saved_pct <= 0 else f"only {part}"


def _units(reading: Reading, by_transactions: bool) -> float:  # noqa: FBT001 - two units
    elapsed = reading.facts["load.elapsed_s"].number or 0.0
    return elapsed * ((reading.facts[_TRANSACTIONS].number or 0.0) if by_transactions else 1.0)


def _findings(step: _Step, after: Sequence[Reading]) -> _Result:
    rules = tuple(step.item["findings"])
    last = after[-1]
    left = [finding for finding in with_parts(last.findings) if finding.id in rules]
    undecided = [rule for rule in rules if rule in last.skipped]
    if not rules:
        return "nothing to measure", "not-assessable", "it is not based on a finding"
    if left:
        titles = "; ".join(finding.title for finding in left)
        gone = len(rules) > len(left) + len(undecided)
        return titles, "partly" if gone else "not", "some findings remain" if gone else "it remains"
    if undecided:
        reason = f"{', '.join(undecided)} could not be checked in the reports afterwards"
        return "nothing", "not-assessable", reason
    return f"no findings of {', '.join(rules)}", "came-true", "the findings behind it are gone"
