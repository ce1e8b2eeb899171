"""Compare two sides: changes beyond noise, differences that limit the comparison, sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from awrlens.fact_table import REPORT_FACTS
from awrlens.model import (
    DB_TIME,
    Change,
    Difference,
    Note,
    PeriodComparison,
    base_of_shares,
)
from awrlens.model.comparison import CHANGED, Comparison, Missing, Moved, Side, Turn
from awrlens.series import (
    causes,
    differences,
    events,
    expectations,
    explain,
    fairness,
    findings,
    movers,
    noise,
    response,
    verdict,
)
from awrlens.series.amounts import LEAST_PER_S, Amount, amounts, divisors
from awrlens.series.basis import MIX_RATIO, basis_of, by_divisor, opposed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.fact_table import Better
    from awrlens.model.comparison import Movement, Per, Reading
    from awrlens.policy import Policy, Threshold

#: Thresholds of comparisons, for the configuration.
THRESHOLDS: Final[tuple[Threshold, ...]] = (
    noise.FLOOR_PCT, noise.ERRORS, noise.LEAST_REPORTS, noise.SET_DEVIATIONS, LEAST_PER_S,
    fairness.LOAD_RATIO, MIX_RATIO, fairness.INTERVAL_RATIO, causes.PART_PCT, explain.SHARE_PCT,
    response.NAMED_PCT, response.STEP_PCT, findings.COST_RATIO, verdict.WORSE_RATIO,
    verdict.MUCH_WORSE_RATIO,
    *expectations.THRESHOLDS,
)  # fmt: skip

_VERDICTS: Final = (
    ("write_path", "Write path"), ("redo_storage", "Redo on low-latency storage"),
    ("temp_storage", "Temp on low-latency storage"),
    ("undo_storage", "Undo on low-latency storage"),
    ("fast_start_mttr_target_s", "Recommended FAST_START_MTTR_TARGET"),
)  # fmt: skip


def compare(
    before: Sequence[Reading],
    after: Sequence[Reading],
    policy: Policy,
    earlier: Sequence[Mapping[str, Any]] = (),
) -> Comparison:
    """Compare one or several reports with one or several others.

    ``earlier`` are documents of earlier analyses; their recommendations are assessed.
    """
    basis = basis_of(before, after, policy)._replace(time=_time((*before, *after)))
    changed = differences.parameters(before, after)
    unfair = fairness.conditions(before, after, changed, policy)
    moved, missing = _facts(before, after, policy)
    main = tuple(each for each in moved if each.per in ("none", basis.per))
    waited = events.moved(before, after, basis.per, policy)
    names = differences.names(before, after)
    turns, undecided = findings.turns(before, after, basis.per, policy)
    significant = explain.Significance((*before, *after), policy)
    whole = response.db_time(before, after, basis.per, policy)
    reasons = causes.causes(moved, waited, whole, basis, policy)
    said = explain.sentences(basis, moved, waited, reasons, names, significant, policy)
    found = verdict.verdict(
        after,
        verdict.Evidence(
            unfair, main, said, turns,
            any(each.per != "none" and (each.before or each.after) for each in moved),
            _rate(after, basis.per, policy),
            opposed(by_divisor(moved), basis, policy),
        ),
        policy,
        same=fairness.same_interval(before, after),
    )  # fmt: skip
    return Comparison(
        before=_side(before),
        after=_side(after),
        headline=found.headline,
        gist=found.gist,
        direction=found.direction,
        severity=found.severity,
        comparability=found.comparability,
        basis=basis,
        db_time=whole,
        causes=reasons,
        movers=movers.movers(moved, waited, basis, whole, significant, policy),
        unfair=unfair,
        said=said,
        facts=moved,
        events=waited,
        names=names,
        parameters=changed,
        findings=turns,
        verdicts=tuple(_verdicts(before, after)),
        not_comparable=(*missing, *undecided),
        expectations=expectations.assess(earlier, before, after, policy) if earlier else (),
        warnings=tuple(_warnings(before, after)),
        parts=tuple(_parts(before, after, policy)),
    )


def periods(
    before: Sequence[Reading], after: Sequence[Reading], policy: Policy
) -> PeriodComparison:
    """Both periods of one report: every fact, and whether it changed beyond noise."""
    found = compare(before, after, policy)
    changed = {each.fact for each in found.main if each.verdict in CHANGED}
    facts = []
    for name, fact in before[0].facts.items():
        first, second = fact.number, after[0].facts[name].number
        if first is not None and second is not None:
            change = (second - first) * 100 / first if first else None
            facts.append(Difference(name, fact.unit, first, second, change, name in changed))
    return PeriodComparison(
        tuple(facts),
        tuple(Change(each.name, each.first, each.second) for each in found.parameters),
        _with_causes(found), found.direction, found.severity, found.comparability.grade,
        found.causes,
    )  # fmt: skip


def _with_causes(found: Comparison) -> str:
    """The gist, and what DB time changed by."""
    lead = causes.response(found.facts, found.basis)
    if lead is None or not found.causes or found.comparability.grade == "not-comparable":
        return found.gist
    why = causes.because(found.causes, lead.after - lead.before)
    return f"{found.gist.removesuffix('.')}{why}."


def _rate(side: Sequence[Reading], per: Per, policy: Policy) -> float | None:
    """Units of the basis per second."""
    known = [by for each in side if per in (by := divisors(each, policy))]
    seconds = sum(by["second"].number for by in known)
    return sum(by[per].number for by in known) / seconds if seconds else None


def _time(readings: Sequence[Reading]) -> str:
    """What is compared: DB time only if every report has it."""
    names = (base_of_shares(each.facts) for each in readings)
    return next((name for name in names if name != DB_TIME), DB_TIME)


def _warnings(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Note]:
    """The warnings of each side, without duplicates."""
    for name, side in (("before", before), ("after", after)):
        for message in dict.fromkeys(w.message for reading in side for w in reading.warnings):
            yield Note(f"{name}: {message}")


def _side(readings: Sequence[Reading]) -> Side:
    lengths = [n for r in readings if (n := r.facts["load.elapsed_s"].number) is not None]
    return Side(tuple(r.report for r in readings), sum(lengths) if lengths else None)


def _facts(
    before: Sequence[Reading], after: Sequence[Reading], policy: Policy
) -> tuple[tuple[Moved, ...], tuple[Missing, ...]]:
    """Facts that are numbers on both sides, and facts that are missing on one side."""
    first, second = ([amounts(r, policy) for r in side] for side in (before, after))
    keys = dict.fromkeys(key for side in (first, second) for each in side for key in each)
    reports = (len(before), len(after))
    moved = []
    for key in keys:
        values = [[each[key] for each in side if key in each] for side in (first, second)]
        if all(
            len(some) * 2 > len(side) for some, side in zip(values, (first, second), strict=True)
        ):
            pair = [noise.pooled(some, policy) for some in values]
            moved.append(moved_fact(*key, pair[0], pair[1], reports, policy))
    compared = {each.fact for each in moved}
    return tuple(moved), tuple(_missing(before, after, compared))


def moved_fact(
    name: str, per: Per, before: Amount, after: Amount, reports: tuple[int, int], policy: Policy
) -> Moved:
    """One fact on both sides, with its verdict."""
    spec = REPORT_FACTS[name]
    found = noise.judge(before, after, reports, policy, exact=spec.kind == "setting")
    verdict: Movement = "same" if found.same else "noise"
    if found.differs:
        verdict = _judged(spec.better, rose=after.value > before.value)
    change, ratio = None, None
    if before.value:
        change = (after.value - before.value) * 100 / abs(before.value)
        ratio = after.value / before.value
    return Moved(
        name, before.unit, before.value, after.value, per, change, ratio, verdict, found.pct,
        found.basis, (before.how, after.how),
    )  # fmt: skip


def _judged(better: Better, *, rose: bool) -> Movement:
    if better not in ("lower", "higher"):
        return "changed"
    return "better" if rose == (better == "higher") else "worse"


def _missing(
    before: Sequence[Reading], after: Sequence[Reading], compared: set[str]
) -> Iterator[Missing]:
    """Facts that only one side has."""
    for name, fact in before[-1].facts.items():
        if name in compared or REPORT_FACTS[name].kind == "none":
            continue
        first, second = (_lacking(side, name) for side in (before, after))
        if first is None and second is not None:
            yield Missing(name, "after", second)
        elif second is None and first is not None:
            yield Missing(name, "before", first)
        elif first is None and isinstance(fact.value, int | float):
            yield Missing(name, "after", "the length of the interval is not known")


def _lacking(side: Sequence[Reading], name: str) -> str | None:
    """Why most reports of a side lack a fact; None if they have it."""
    notes = [r.facts[name].note for r in side if r.facts[name].value is None]
    return notes[-1] if len(notes) * 2 >= len(side) else None


def _verdicts(before: Sequence[Reading], after: Sequence[Reading]) -> Iterator[Turn]:
    for field, title in _VERDICTS:
        first, second = (_most([getattr(r.verdicts, field) for r in s]) for s in (before, after))
        if first != second:
            yield Turn(field, title, first, second, "remained")


def _most(values: list[object]) -> str | None:
    value = Counter(values).most_common(1)[0][0]
    return None if value is None else str(value)


def _parts(
    before: Sequence[Reading], after: Sequence[Reading], policy: Policy
) -> Iterator[tuple[str, Comparison]]:
    """RAC instances that both sides have, by number."""
    first, second = (_instances(side) for side in (before, after))
    for number, readings in first.items():
        if number in second:
            yield f"instance {number}", compare(readings, second[number], policy)


def _instances(side: Sequence[Reading]) -> Mapping[str, list[Reading]]:
    found: dict[str, list[Reading]] = {}
    for reading in side:
        for part in reading.instances:
            found.setdefault(str(part.report["instance_number"]), []).append(part)
    return found
