"""Compares two sides: changes beyond noise, differences that limit the comparison, sentences.

The changes that matter most come first: wait events, and facts with enough weight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import inf, log
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple
from awrlens.model import DB_TIME, Change, Note, base_of_shares
from awrlens.model.analysis import DifferenceDocument, PeriodsDocument
from awrlens.model.comparison import (
    CHANGED,
    Comparison,
    Missing,
    Moved,
    Mover,
    NamedPart,
    Said,
    Side,
    Turn,
)
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.series import comparability, db_time, differences, recommendations
from awrlens.series.comparability import MIX, UNLIKE, Work
from awrlens.series.differences import Amount, amounts
from awrlens.series.words import by
from awrlens.severity import Scale
from awrlens.units import pair, pair_of_times

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.model import Declaration
    from awrlens.model.comparison import Basis, DbTime, MovedEvent, Movement, Reading
    from awrlens.model.kinds import Per
    from awrlens.policy import Policy
    from awrlens.series.differences import Sides


class _Fact(NamedTuple):
    """A fact and its title; it matters if one of its conditions holds on one side."""

    name: str
    title: str
    #: Facts with wait times, of which the sum must be significant.
    waits: tuple[str, ...] = ()
    #: A share that must be at least `compare.share_pct`.
    share: str = ""
    #: The value that one side must have at least, in the unit of the fact.
    least: float = 0.0
    #: A fact that says the same, if it changed too.
    unless: str = ""
    #: A load is always compared per second.
    load: bool = False


#: Wait times that depend on the storage of a part.
_SYNC: Final = "redo.sync_wait_s"
_SWITCH: Final = "redo.log_switch_wait_s"
_REDO: Final = (_SYNC, _SWITCH, "redo.buffer_wait_s")
_TEMP: Final = ("temp.direct_wait_s",)
_DBWR: Final = ("checkpoint.free_buffer_wait_s", "checkpoint.write_complete_wait_s")
_LATENCIES: Final = (
    _Fact("redo.write_ms", "Redo write time", _REDO),
    _Fact(
        "redo.parallel_write_ms", "`log file parallel write` time", _REDO, unless="redo.write_ms"
    ),
    _Fact("temp.read_ms", "Temp read time", _TEMP),
    _Fact("undo.read_ms", "Undo read time", ("undo.read_wait_s",)),
    _Fact("undo.buffer_wait_ms", "`buffer busy waits` time for undo", ("undo.buffer_wait_s",)),
    _Fact("checkpoint.data_write_ms", "`db file parallel write` time of DBWR", _DBWR),
)
#: Amounts with a sentence; whether they are countable; the fact with their share of I/O.
_AMOUNTS: Final = (
    ("undo.tablespace_writes", "Undo tablespace writes", "many", "undo.tablespace_write_pct"),
    ("temp.reads", "Temp reads", "many", "temp.io_share_pct"),
    ("temp.writes", "Temp writes", "many", "temp.io_share_pct"),
    ("checkpoint.writes_per_s", "Checkpoint writes", "many", "checkpoint.write_pct"),
    ("redo.bytes_per_s", "Redo size", "much", ""),
)
#: Maximum number of events with a sentence; the list has all of them.
_MOST_EVENTS: Final = 5


#: The order of sentences: DB time and latencies with significant waits, events, amounts,
#: insignificant latencies.
_SIGNIFICANT, _WAITS, _LOAD, _MINOR = range(4)
#: The group of a sentence, and the size of the change.
_Ranked = tuple[int, float, Said]


def _ranked(
    group: int, moved: Moved, text: str, *, gist: str = "", significant: bool = True
) -> _Ranked:
    """A sentence on a fact; the size of a change is equal for a rise and the reverse fall."""
    before, after = moved.before, moved.after
    powers = abs(log(after / before)) if before > 0 and after > 0 else inf
    return group, powers, Said(text, moved.verdict, moved.fact, significant, gist or text)


def sentences(
    work: Work, events: Sequence[MovedEvent], because: str, significant: Significance
) -> tuple[Said, ...]:
    """One sentence for every change beyond noise."""
    ranked = [
        *_latencies(work, significant),
        *_response(work, because),
        *_event_changes(events, work.basis),
        *_amounts(work),
    ]
    ranked.sort(key=lambda item: (item[0], -item[1]))
    return tuple(said for *_, said in ranked)


#: Whether the sum of some wait times is significant in any report of either side.
Significance = Callable[[tuple[str, ...]], bool]


def significance(readings: Sequence[Reading], policy: Policy) -> Significance:
    """By the weight that waits have in each report."""
    scales = [(Scale(reading.facts, policy), reading.facts) for reading in readings]
    return lambda names: any(
        scale.significant(sum(facts[name].number or 0.0 for name in names))
        for scale, facts in scales
    )


def _latencies(work: Work, significant: Significance) -> Iterator[_Ranked]:
    for latency in _LATENCIES:
        fact = work.changed(latency.name)
        if fact is None or work.changed(latency.unless):
            continue
        waited = significant(latency.waits)
        faster = ("faster", "slower")[fact.after > fact.before]
        was, now = pair(fact.before, fact.after, "ms")
        text = f"{latency.title} went from {was} to {now}"
        rounded = not (fact.before and fact.after)
        notes = ["rounded in the report" if rounded else by(fact.before, fact.after, faster)]
        notes += [] if waited else ["negligible wait time"]
        text += f" ({', '.join(notes)})"
        yield _ranked(_SIGNIFICANT if waited else _MINOR, fact, text, significant=waited)


def _response(work: Work, because: str) -> Iterator[_Ranked]:
    basis = work.basis
    moved = work.facts.get((comparability.RESPONSE, basis.per))
    if moved is None:
        return
    was, now = pair_of_times(moved.before, moved.after, basis.per)
    changed = moved.verdict in CHANGED
    what, per = basis.time, f" per {basis.per}"
    if basis.per == "second":
        by_time = f" ({basis.time})" if basis.time != DB_TIME else ""
        what, per = f"average active sessions{by_time}", ""
    how = by(moved.before, moved.after, "as much") if changed else "about the same"
    verdict: Movement = work.direction if work.direction in ("worse", "better") else "changed"
    if changed or work.mixed or because or verdict != "changed":
        gist = ". ".join((f"{what} went from {was} to {now}{per} ({how})", *work.sentences))
        moved = moved._replace(verdict=verdict)
        yield _ranked(_SIGNIFICANT, moved, ". ".join((gist, *filter(None, [because]))), gist=gist)


def _event_changes(events: Sequence[MovedEvent], basis: Basis) -> Iterator[_Ranked]:
    for event in events[:_MOST_EVENTS]:
        moved = abs(event.after.total_ms - event.before.total_ms)
        gist, how = _waits(event, basis), db_time.factors(event)
        text = f"{gist}: {how}".removesuffix(": ")
        yield _WAITS, moved, Said(text, event.verdict, event.event, gist=gist)


def _waits(event: MovedEvent, basis: Basis) -> str:
    first, second = event.before.total_ms, event.after.total_ms
    was, now = pair_of_times(first, second, basis.per)
    wait, per, often = f"Sessions wait {now}", f" per {basis.per}", "as long"
    if basis.per == "second":
        wait, per, often = f"{now} sessions wait", " sessions on average", "as many"
    if not second:
        return f"Sessions no longer wait for `{event.event}` ({was}{per} before)"
    text = f"{wait}{per.removeprefix(' sessions')} for `{event.event}`"
    if not first:
        return f"{text} (none before)"
    return f"{text} instead of {was} ({by(first, second, often)})"


def _amounts(work: Work) -> Iterator[_Ranked]:
    for name, what, many, share in _AMOUNTS:
        fact = work.changed(name, work.basis.per)
        if fact is not None and _share(work, share, inf) >= work.policy["compare.share_pct"]:
            was, now = pair(fact.before, fact.after, fact.unit)
            how = by(fact.before, fact.after, f"as {many}")
            text = f"{what} went from {was} to {now} per {work.basis.per} ({how})"
            yield _ranked(_LOAD, fact, text)


def _share(work: Work, name: str, missing: float) -> float:
    """The larger one of both sides."""
    fact = work.facts.get((name, "none"))
    return missing if fact is None else max(fact.before, fact.after)


#: Maximum number of changes, and of wait events among them if there are enough facts.
_MOST: Final = 10
_EVENTS: Final = 5


#: In the order in which they are listed. Minima: smaller loads are of an idle instance.
_FACTS: Final = (
    _Fact("redo.commit_ms", "Commit time, average", waits=(_SYNC,)),
    _Fact("redo.write_ms", "Redo write time, average", waits=_REDO),
    _Fact("redo.log_switches_per_hour", "Log switches", least=4.0),
    _Fact("redo.log_switch_wait_ms", "Log switch wait, average", waits=(_SWITCH,)),
    _Fact("redo.local_write_ms", "`log file parallel write`, average", waits=_REDO,
          unless="redo.write_ms"),
    _Fact("redo.lgwr_busy_pct", "LGWR busy writing", least=10.0),
    _Fact("temp.read_ms", "Temp read time, average", waits=_TEMP),
    _Fact("temp.write_ms", "Temp write time, average", waits=_TEMP),
    _Fact("temp.io_share_pct", "Temp share of I/O", share="temp.io_share_pct"),
    _Fact("undo.read_ms", "Undo read time, average", waits=("undo.read_wait_s",)),
    _Fact("undo.write_ms", "Undo write time, average", waits=("undo.read_wait_s",)),
    _Fact("undo.block_write_pct", "Undo share of block writes", share="undo.block_write_pct"),
    _Fact("checkpoint.data_write_ms", "`db file parallel write`, average",
          waits=(*_DBWR, _SWITCH)),
    _Fact("checkpoint.write_pct", "Checkpoint share of block writes", share="checkpoint.write_pct"),
    _Fact("checkpoint.estimated_mttr_s", "Estimated recovery time", least=10.0),
    _Fact("redo.bytes_per_s", "Redo size", least=10_240.0, load=True),
    _Fact("load.physical_writes_per_s", "Physical writes", least=10.0, load=True),
    _Fact("load.physical_reads_per_s", "Physical reads", least=10.0, load=True),
    _Fact("temp.writes", "Temp writes", share="temp.io_share_pct", least=1.0, load=True),
    _Fact("undo.tablespace_writes", "Undo tablespace writes", share="undo.tablespace_write_pct",
          least=1.0, load=True),
)  # fmt: skip


def movers(
    work: Work, events: Sequence[MovedEvent], whole: DbTime | None, significant: Significance
) -> tuple[Mover, ...]:
    """About ten changes that matter: the wait events by their share of DB time, then facts."""
    measured = list(_measured(work, significant))
    waited = list(_events(events, work, whole))[: max(_EVENTS, _MOST - len(measured))]
    return (*waited, *measured[: _MOST - len(waited)])


def _events(events: Sequence[MovedEvent], work: Work, whole: DbTime | None) -> Iterator[Mover]:
    for event in events:
        share = None
        if whole is not None:
            change = abs(event.after.total_ms - event.before.total_ms)
            share = change * 100 / max(whole.before_ms, whole.after_ms)
            if share < work.policy["compare.step_pct"]:
                continue
        yield Mover(
            event.event, f"`{event.event}`", "ms", event.before.total_ms,
            event.after.total_ms, work.basis.per, event.change_pct, event.verdict, share,
        )  # fmt: skip


def _measured(work: Work, significant: Significance) -> Iterator[Mover]:
    for spec in _FACTS:
        fact = work.changed(spec.name, "second" if spec.load else "none")
        if (
            fact is None
            or work.changed(spec.unless)
            or (spec.waits and not significant(spec.waits))
            or (spec.share and _share(work, spec.share, -1.0) < work.policy["compare.share_pct"])
            or max(abs(fact.before), abs(fact.after)) < spec.least
        ):
            continue
        yield Mover(
            fact.fact, spec.title, fact.unit, fact.before, fact.after, fact.per,
            fact.change_pct, fact.verdict, None,
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
    declared: Mapping[str, Declaration] = {},
) -> Comparison:
    """Compare one or several reports with one or several others.

    ``earlier`` are documents of earlier analyses; their recommendations are assessed, those that
    are ``declared`` also by the waits that they reduce.
    """
    sides, everyone = (before, after), (*before, *after)
    names_of_time = (base_of_shares(reading.facts) for reading in everyone)
    time = next((name for name in names_of_time if name != DB_TIME), DB_TIME)
    changed = differences.parameters(sides)
    unfair = comparability.conditions(sides, changed, policy)
    moved, missing = _facts(sides, policy)
    work = Work(moved, policy, sides).by(time)
    basis = work.basis
    main = tuple(fact for fact in moved if fact.per in ("none", basis.per))
    waited = db_time.moved(sides, basis.per, policy)
    names = differences.names(sides)
    turns, undecided = recommendations.turns(sides, basis.per, policy)
    significant = significance(everyone, policy)
    whole = db_time.db_time(sides, basis.per, policy)
    because = db_time.because(work, whole, waited)
    sql, risen = db_time.statements(sides, whole, work) if because else ("", None)
    changes = [event for event in waited if event.significant and event.verdict in CHANGED]
    said = sentences(work, changes, ". ".join(filter(None, (because, sql))), significant)
    waits = significant(_REDO)
    write_path = comparability.write_latencies(work, sides, unfair, waited, waits=waits)
    evidence = comparability.Evidence(unfair, main, said, turns, work, write_path)
    verdict = comparability.verdict(after, evidence, comparability.same(sides))
    first, second = (_instances(side) for side in sides)
    return Comparison(
        before=_side(before),
        after=_side(after),
        **verdict._asdict(),
        basis=basis,
        db_time=whole,
        causes=db_time.causes(work, whole),
        because=because,
        sql=sql,
        risen=risen,
        write_path=write_path,
        movers=movers(work, changes, whole, significant),
        unfair=unfair,
        said=said,
        facts=moved,
        events=waited,
        names=names,
        parameters=changed,
        findings=turns,
        verdicts=tuple(_verdicts(sides)),
        not_comparable=(*missing, *undecided),
        expectations=recommendations.assess(earlier, sides, policy, declared) if earlier else (),
        warnings=tuple(
            Note(f"{name}: {message}")
            for name, side in zip(("before", "after"), sides, strict=True)
            for message in dict.fromkeys(w.message for reading in side for w in reading.warnings)
        ),
        parts=tuple(
            NamedPart(f"instance {number}", compare(first[number], second[number], policy))
            for number in first if number in second
        ),
    )  # fmt: skip


def periods(before: Sequence[Reading], after: Sequence[Reading], policy: Policy) -> PeriodsDocument:
    """Both periods of one report: every fact, and whether it changed beyond noise."""
    result = compare(before, after, policy)
    changed = {moved.fact for moved in result.main if moved.verdict in CHANGED}
    facts = []
    for name, fact in before[0].facts.items():
        first, second = fact.number, after[0].facts[name].number
        if first is not None and second is not None:
            change = (second - first) * 100 / first if first else None
            significant = name in changed
            facts.append(DifferenceDocument(name, fact.unit, first, second, change, significant))
    gist, *work = result.gist.removesuffix(".").split(". ", 1)
    why = [result.because, result.sql, result.write_path]
    if result.comparability.grade == "not-comparable":
        why = []
    # another load is the reason itself; what moved comes before another mix of the same load
    late = "".join(work).startswith(MIX) and not result.gist.startswith(UNLIKE)
    lines = (gist, *why, *work) if late else (gist, *work, *why)
    return PeriodsDocument(
        " ".join(f"{line}." for line in (result.gist.removesuffix("."), *why) if line),
        result.direction, result.severity, result.comparability.grade, tuple(facts),
        tuple(Change(e.name, e.first, e.second, e.about) for e in result.parameters),
        result.causes, tuple(f"{line}." for line in lines if line), result.comparability.is_empty,
        result.risen if result.direction == "worse" else None,
        result,
    )  # fmt: skip


def _side(readings: Sequence[Reading]) -> Side:
    lengths = differences.numbers(readings, "load.elapsed_s")
    return Side(tuple(r.report for r in readings), sum(lengths) if lengths else None)


def _facts(sides: Sides, policy: Policy) -> tuple[tuple[Moved, ...], tuple[Missing, ...]]:
    measured = [[amounts(r, policy) for r in side] for side in sides]
    keys = dict.fromkeys(key for side in measured for report in side for key in report)
    reports = (len(sides[0]), len(sides[1]))
    moved = []
    for key in keys:
        values = [[report[key] for report in side if key in report] for side in measured]
        if all(len(some) * 2 > len(side) for some, side in zip(values, measured, strict=True)):
            pair = [differences.pooled(some, policy) for some in values]
            moved.append(_moved(*key, pair[0], pair[1], reports, policy))
    return tuple(moved), tuple(_missing(sides, {fact.fact for fact in moved}))


def _moved(
    name: str, per: Per, before: Amount, after: Amount, reports: tuple[int, int], policy: Policy
) -> Moved:
    spec = REPORT_FACTS[name]
    judged = differences.judge(before, after, reports, policy, exact=spec.kind == "setting")
    verdict: Movement = "same" if judged.same else "noise"
    if judged.differs and spec.better in ("lower", "higher"):
        verdict = "better" if (after.value > before.value) == (spec.better == "higher") else "worse"
    elif judged.differs:
        verdict = "changed"
    change, ratio = None, None
    if before.value:
        change = (after.value - before.value) * 100 / abs(before.value)
        ratio = after.value / before.value
    return Moved(
        name, before.unit, before.value, after.value, per, change, ratio, verdict, judged.pct,
        judged.basis, (before.how, after.how),
    )  # fmt: skip


def _missing(sides: Sides, compared: set[str]) -> Iterator[Missing]:
    for name, fact in sides[0][-1].facts.items():
        if name in compared or REPORT_FACTS[name].kind == "none":
            continue
        first, second = (_lacking(side, name) for side in sides)
        if first is None and second is not None:
            yield Missing(name, "after", second)
        elif second is None and first is not None:
            yield Missing(name, "before", first)
        elif first is None and isinstance(fact.value, int | float):
            yield Missing(name, "after", "the length of the interval is not known")


def _lacking(side: Sequence[Reading], name: str) -> str | None:
    notes = [r.facts[name].note for r in side if r.facts[name].value is None]
    return notes[-1] if len(notes) * 2 >= len(side) else None


def _verdicts(sides: Sides) -> Iterator[Turn]:
    for field, title in _VERDICTS:
        counted = (Counter(getattr(r.verdicts, field) for r in side) for side in sides)
        usual = (counter.most_common(1)[0][0] for counter in counted)
        first, second = (None if value is None else str(value) for value in usual)
        if first != second:
            yield Turn(field, title, first, second, "remained")


def _instances(side: Sequence[Reading]) -> Mapping[str, list[Reading]]:
    by_number: dict[str, list[Reading]] = {}
    for reading in side:
        for part in reading.instances:
            by_number.setdefault(str(part.report["instance_number"]), []).append(part)
    return by_number
