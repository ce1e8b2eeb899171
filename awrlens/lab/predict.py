"""How long recovery would take: start-up, file open, both passes, rollback, availability.

The model is that of Fast-Start Checkpointing Best Practices ("Overview of MTTR and Crash Recovery
Components") with the two passes of Buddy Instance.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, Final

from awrlens.advice.mttr import cluster_words
from awrlens.advice.recovery_split import known_s, split_of
from awrlens.lab import buddy, judge
from awrlens.lab.buddy import Range, as_known, total
from awrlens.lazy import NamedTuple
from awrlens.model import Analysis, Fact, Note, Verdicts
from awrlens.oracle.checkpoints import REDO_BLOCK_B
from awrlens.policy import cite
from awrlens.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from awrlens.advice.recovery_split import Split
    from awrlens.lab.alert_log import Episodes
    from awrlens.lab.documents import PredictedPart, Rate


class Inputs(NamedTuple):
    """Inputs of the model; None is not known."""

    split: Split
    #: Start-up and opening apart, and together.
    startup: Range | None
    file_open: Range | None
    fixed: Range | None
    redo_bytes: Range | None
    blocks: float | None
    scan: Range
    apply: Range
    apply_blocks: Range | None
    reconfiguration: Range
    #: Rates of both passes are measured in an alert log.
    scan_timed: bool
    apply_timed: bool
    why: str = ""


def gather(facts: Mapping[str, Fact], log: Episodes | None) -> Inputs:
    """Amounts from the report, times and rates from the alert log or the papers."""
    rates: Mapping[str, Rate | None] = judge.rates(log) if log is not None else {}
    lengths = [r.seconds for r in log.reconfigurations if r.seconds is not None] if log else []
    redo = _redo(facts)
    if redo is None and log is not None:  # Instance Recovery Stats is not in the report
        read = [recovery.redo_kb * 1024 for recovery in log.recoveries if recovery.redo_kb]
        redo = buddy.between("recoveries in the alert log", *read) if read else None
    measured = _measured(rates.get("scan_bytes"), buddy.SCAN_BYTES_PER_S)
    apply = _measured(rates.get("apply_bytes"), buddy.APPLY_BYTES_PER_S) or buddy.APPLY_BYTES_PER_S
    timed = any(rate is not None and rate.value is not None
                for name, rate in rates.items() if name.startswith("apply"))  # fmt: skip
    startup, opening = _logged(log) if log is not None else (None, None)
    fixed = total(startup, opening) if startup and opening else None
    split = split_of(facts, fixed and fixed.value, "alert log", measured and measured.value)
    if fixed is None and split.fixed_s is not None:
        low, high = split.fixed_low_s, split.fixed_high_s or split.fixed_s
        fixed = Range(split.fixed_s, low, high, _FIXED[split.by])
    return Inputs(
        split, startup, opening, fixed, redo, facts["checkpoint.estimated_ios"].number,
        measured or buddy.SCAN_BYTES_PER_S, apply,
        _measured(rates.get("apply_blocks"), None),
        buddy.between("alert log", *lengths) if lengths else buddy.RECONFIGURATION,
        measured is not None, timed, facts["checkpoint.actual_redo_blocks"].note,
    )  # fmt: skip


#: Where start-up and opening come from.
_FIXED: Final = {
    "MTTR Advisory": "MTTR Advisory: the estimate for 0 dirty blocks",
    "estimated": "the rest of ESTIMATED_MTTR, at most the lowest estimate in the report",
    "assumed": "Fast-Start Checkpointing Best Practices, example of a large environment: "
    "INIT_TIME_AVG=50200342, FOPEN_TIME_AVG=20120 for every file; half to double",
}  # fmt: skip


def _redo(facts: Mapping[str, Fact]) -> Range | None:
    """Redo that recovery would read: at the end snapshot, and at most by the limits."""
    actual, *bounds = (facts[f"checkpoint.{name}_redo_blocks"].number
                       for name in ("actual", "target", "log_size"))  # fmt: skip
    if actual is None:
        return None
    # the target in effect limits it; without one, the smallest redo log does
    bound = next(filter(None, bounds), actual)
    blocks = Range(actual, min(actual, bound), max(actual, bound))
    source = "ACTUAL_REDO_BLKS at the end snapshot, up to TARGET_REDO_BLKS"
    return blocks.scaled(REDO_BLOCK_B, source)


def _measured(rate: Rate | None, default: Range | None) -> Range | None:
    """A rate from the alert log; None if it has none, or if its clock is too coarse."""
    if rate is None:
        return None
    source = f"alert log, {len(rate.of)} recover{'y' if len(rate.of) == 1 else 'ies'}"
    if rate.value is None:
        if default is not None and rate.low > default.high:
            return Range(rate.low, rate.low, rate.low, f"{source}: at least")
        return None
    high = rate.high if rate.high is not None else rate.value * 2
    return Range(rate.value, rate.low, high, source)


def _logged(log: Episodes) -> tuple[Range | None, Range | None]:
    inits, opens = judge.times_of_starts(log)
    if not inits or not opens:
        return None, None
    source, step = f"alert log, median of {len(inits)}", log.log.resolution_s
    # begin and end are as exact as the resolution of the clock
    startup, opening = (
        Range(median(times), max(0.0, min(times) - step), max(times) + step, source)
        for times in (inits, opens)
    )
    return startup, opening


class Part(NamedTuple):
    """One number of the prediction; ``seconds`` is None if it is not known."""

    name: str
    title: str
    seconds: Range | None
    formula: str = ""
    #: Why there is no number, or a remark on it.
    note: str = ""
    unit: str = "s"

    def to_dict(self) -> PredictedPart:
        """Plain data."""
        span = self.seconds
        return {
            "name": self.name, "title": self.title, "unit": self.unit,
            "value": span and span.value, "low": span and span.low,
            "high": span and span.high, "formula": self.formula, "note": cite(self.note),
            "source": cite(span.source) if span else "",
        }  # fmt: skip

    def fact(self) -> Fact:
        """The number as a fact, with the range in its note."""
        name = f"recovery.{self.name}"
        if self.seconds is None:
            sections = ("instance_recovery",)
            return Fact(name, None, self.unit, "unavailable", note=self.note, sections=sections)
        _, low, high = as_known(*self.seconds[:3], percent=self.unit == "%")
        span = f"{show(low)} to {show(high)}"
        note = cite("; ".join(filter(None, (f"range {span}", self.note, self.seconds.source))))
        formula = f"{self.formula} = {show(self.seconds.value)} {self.unit}" if self.formula else ""
        value = self.seconds.value
        return Fact(name, value, self.unit, "estimated", formula=formula, note=note)


def predict(
    facts: Mapping[str, Fact], report: Mapping[str, Any], log: Episodes | None = None,
    failures_per_year: float = 1.0, desired_mttr_s: float | None = None,
    shown: Callable[[str], str] = str,
) -> Analysis:  # fmt: skip
    """The cost of a crash of the system in a report, as an analysis.

    ``shown``: what a name in the alert log is printed as, where the report's names are replaced.
    """
    inputs = gather(facts, log)
    rac = bool(report["rac"])
    parts = [*_parts(facts, inputs, rac=rac)]
    by_name = {part.name: part for part in parts}
    advised = buddy.advise(facts, by_name["first_pass_s"].seconds, rac=rac)
    parts += _with_buddy(by_name, inputs, advised, rac=rac)
    by_name = {part.name: part for part in parts}
    parts += _availability(by_name, failures_per_year)
    down = by_name["downtime_s"].seconds
    other = judge.doubts(log, judge.Owner(report["db_name"], shown)) if log is not None else ()
    return Analysis(
        report=report,
        facts={f"recovery.{part.name}": part.fact() for part in parts},
        findings=(), skipped=(), recommendations=(advised.item,),
        verdicts=Verdicts("ok", "need-data", "need-data", "need-data", None),
        warnings=(*other, *_notes(facts, inputs, log, rac=rac)),
        recovery={
            "headline": _headline(down, by_name["downtime_s"].note, desired_mttr_s, rac=rac),
            "parts": [part.to_dict() for part in parts],
            "failures_per_year": failures_per_year, "desired_mttr_s": desired_mttr_s,
            "buddy": advised.to_dict(),
        },
    )  # fmt: skip


def _parts(facts: Mapping[str, Fact], inputs: Inputs, *, rac: bool) -> Iterator[Part]:
    running = "a surviving instance does not need this time" if rac else ""
    split = inputs.split
    apart = "not known apart: only the alert log has both times"
    for name, title, span, missing in (
        ("startup_s", "start-up of the instance", inputs.startup, apart),
        ("file_open_s", "opening of the data files", inputs.file_open, apart),
        ("fixed_s", "start-up and opening of the files", inputs.fixed,
         split.start_words.removeprefix("; ")),
    ):  # fmt: skip
        yield Part(name, title, span, note=running if span else missing)
    first, first_formula = _first_pass(facts, inputs)
    second, second_formula = _second_pass(facts, inputs, first)
    why = inputs.why or "Instance Recovery Stats is not in the report"
    yield Part("first_pass_s", "first pass (scan of the redo)", first, first_formula,
               _compared(facts, inputs) if first else why)  # fmt: skip
    with_start = "with start-up and opening, which are not known apart"
    yield Part("second_pass_s", "second pass (redo applied)", second, second_formula,
               (with_start if split.by == "not known" else "") if second else why)  # fmt: skip
    yield _rollback(facts)
    brown_out = _brown_out(first, inputs.reconfiguration) if first else None
    if rac:
        yield Part("detection_s", "detection of the failed node", buddy.DETECTION)
        yield Part("reconfiguration_s", "reconfiguration of the cluster", inputs.reconfiguration)
        yield Part(
            "brown_out_s", "brown-out of the surviving instances", brown_out,
            "detection + reconfiguration + first pass" if brown_out else "",
            why if brown_out is None else "the first pass may begin during the reconfiguration",
        )  # fmt: skip
        yield Part("downtime_s", "database frozen after a failure", brown_out,
                   note="" if brown_out else why)  # fmt: skip
        return
    down, formula = None, ""
    if first is not None and second is not None and split.by == "not included":
        why = (
            f"at least {first.value + second.value:.0f} s, without start-up and opening of the "
            "files, which Oracle's estimate does not include"
        )
    elif first is not None and second is not None:
        formula = "first pass + second pass, with start-up and opening"
        down = total(first, second)
        if inputs.fixed is not None:
            formula = "start-up and opening + first pass + second pass"
            down = total(inputs.fixed, first, second)
        if split.estimate_s is not None and not inputs.apply_timed:
            # the parts are not independent: they are those of one estimate
            ends = [facts[f"checkpoint.estimated_mttr_{end}_s"].number for end in ("low", "high")]
            low, high = (split.estimate_s if end is None else end for end in ends)
            most = split.included_s + _at_limit(facts, inputs)
            source = f"{_BY_ORACLE}; by phases" if inputs.fixed is not None else _BY_ORACLE
            if inputs.fixed is None:  # it is in the second pass, whose minimum makes it longer
                down = down._replace(low=down.value, high=down.value)
            low, high = min(down.low, down.value, low), max(down.high, high, most)
            down = down._replace(low=low, high=high, source=source)
    yield Part("downtime_s", "database down after a crash", down, formula,
               "" if down else why)  # fmt: skip


def _at_limit(facts: Mapping[str, Fact], inputs: Inputs) -> float:
    """Cache recovery if the redo after the checkpoint is at its limit, as in `awrlens mttr`."""
    from awrlens.advice import write_cost

    systems, redo = write_cost.systems(facts), inputs.redo_bytes
    if not systems or redo is None or redo.high <= redo.value:
        return inputs.split.cache_s
    return systems[0].cache_s(redo.high / systems[0].load.redo_bytes_per_s)


def _first_pass(facts: Mapping[str, Fact], inputs: Inputs) -> tuple[Range | None, str]:
    if inputs.redo_bytes is None:
        return None, ""
    first = inputs.redo_bytes.per(inputs.scan)
    formula = f"{_mb(inputs.redo_bytes)} / {_mb(inputs.scan)} per second"
    if inputs.scan_timed or facts["checkpoint.actual_redo_blocks"].number is None:
        return first, formula
    available_s = facts["checkpoint.rac_available_s"].number
    read_s = available_s or inputs.split.read_s
    more = inputs.redo_bytes.high / inputs.redo_bytes.value if inputs.redo_bytes.value else 1.0
    first = first._replace(
        value=read_s, low=min(first.low, read_s), high=max(first.high, read_s * more)
    )
    if available_s:
        source = "Estd RAC Avail Time: Oracle's own estimate"
        return first._replace(source=f"{source}; {first.source}"), ""
    return first, formula if read_s == inputs.redo_bytes.value / inputs.scan.value else ""


def _second_pass(
    facts: Mapping[str, Fact], inputs: Inputs, first: Range | None
) -> tuple[Range | None, str]:
    """The time to apply the redo: measured, or what Oracle's estimate leaves for it."""
    if inputs.redo_bytes is None or first is None:
        return None, ""
    second = inputs.redo_bytes.per(inputs.apply)
    formula = f"{_mb(inputs.redo_bytes)} / {_mb(inputs.apply)} per second"
    if inputs.blocks is not None and inputs.apply_blocks is not None:
        amount = Range(inputs.blocks, inputs.blocks, inputs.blocks)
        by_blocks = amount.per(inputs.apply_blocks)
        if by_blocks.value > second.value:
            formula = (
                f"{inputs.blocks:,.0f} data blocks / {inputs.apply_blocks.value:,.0f} per second"
            )
        # the greater of two estimates of the same time, with the range of both
        low, high = min(second.low, by_blocks.low), max(second.high, by_blocks.high)
        greater = max((second, by_blocks), key=lambda estimate: estimate.value)
        return greater._replace(low=low, high=high), formula
    if inputs.apply_timed or facts["checkpoint.actual_redo_blocks"].number is None:
        return second, formula
    split = inputs.split
    rest, by_redo_s = split.blocks_s, second.value
    if split.estimate_s is None:
        low, high = min(second.low, rest), max(second.high, rest)
        second = second._replace(value=rest, low=low, high=high)
        return second, formula if rest == by_redo_s else ""
    # less if start-up takes its maximum, more if the redo is at its limit
    most_s = (inputs.fixed.high if inputs.fixed else split.fixed_high_s) or 0.0
    low = max(0.0, split.estimate_s - max(most_s, split.included_s) - first.value)
    high = max(rest, _at_limit(facts, inputs) - min(first.low, first.value))
    fixed = f"{split.included_s:.1f} s of start-up and opening − " if split.included_s else ""
    said = f"{split.estimate_s:.0f} s − {fixed}first pass"
    source = "Oracle's estimate (ESTIMATED_MTTR), from its statistics of block reads"
    return Range(rest, min(low, rest), high, source), said


def _compared(facts: Mapping[str, Fact], inputs: Inputs) -> str:
    available_s = facts["checkpoint.rac_available_s"].number
    if not available_s or not inputs.scan_timed:
        return ""
    return (
        f"Estd RAC Avail Time is {available_s:.0f} s, by Oracle's statistics of earlier "
        "recoveries; the rate of the alert log is measured"
    )


def _of_the_cluster(facts: Mapping[str, Fact], inputs: Inputs) -> str:
    """Why the prediction is longer than Oracle's own estimate for the cluster."""
    available_s = facts["checkpoint.rac_available_s"].number
    if not available_s or inputs.redo_bytes is None or inputs.scan_timed:
        return ""
    before_s, change_s = buddy.DETECTION.value, inputs.reconfiguration.value
    whole_s = known_s(before_s + change_s + available_s)
    return (
        f"the prediction of {show(whole_s)} s is these {available_s:.0f} s, {before_s:.0f} s to "
        f"detect a failed node and {show(known_s(change_s))} s to reconfigure the cluster, which "
        "Oracle's estimate does not include"
    )


def _mb(amount: Range) -> str:
    return f"{amount.value / 2**20:,.1f} MB"


def _brown_out(first: Range, reconfiguration: Range) -> Range:
    whole = total(buddy.DETECTION, reconfiguration, first)
    # the first pass may begin during the reconfiguration (Buddy Instance, section 3.2)
    return whole._replace(low=buddy.DETECTION.low + max(first.low, reconfiguration.low))


#: awrlens: the majority. Above this share of DB time in waits for row locks, the average number of
#: active sessions is not that of transactions with changes to roll back.
_MOSTLY_LOCKED: Final = 0.5


def _rollback(facts: Mapping[str, Fact]) -> Part:
    """Rollback of active transactions, on average half complete, at their own speed.

    awrlens: Little's law; DB time / elapsed is the number of active sessions, with at most one
    transaction each. From all in parallel (parallel rollback) to one after the other (SMON).
    """
    title = "rollback of transactions (after the database is open)"
    db_time, elapsed, rate = (
        facts[name].number
        for name in ("load.db_time_s", "load.elapsed_s", "load.transactions_per_s")
    )
    if not db_time or not elapsed or not rate:
        why = "DB time, elapsed time or transactions are not in the report"
        return Part("rollback_s", title, None, note=why)
    locked = (facts["load.row_lock_wait_s"].number or 0.0) / db_time
    if locked >= _MOSTLY_LOCKED:
        return Part(
            "rollback_s", title, None, note=f"{locked * 100:.0f} % of sessions wait for locks"
        )
    active = db_time / elapsed
    length = active / rate
    one_by_one = length / 2 * max(1.0, active)
    source = (
        "awrlens: Little's law, transactions half complete; rolling back a long transaction takes "
        "about as long as it has run"
    )
    return Part(
        "rollback_s", title, Range(one_by_one, length / 2, 2 * one_by_one, source),
        f"{active:.2f} active sessions / {rate:,.2f} transactions per second / 2 × "
        f"{max(1.0, active):.2f} transactions",
        "not part of the downtime (Fast-Start Checkpointing Best Practices)",
    )  # fmt: skip


def _with_buddy(
    parts: Mapping[str, Part], inputs: Inputs, advised: buddy.Advice, *, rac: bool
) -> Iterator[Part]:
    first, without = advised.first_pass, parts["first_pass_s"].seconds
    second = parts["second_pass_s"].seconds
    if not (rac and first and without and second) or advised.answer == "not worth it":
        return
    yield Part("first_pass_with_buddy_s", "first pass with a buddy instance", first)
    yield Part("brown_out_with_buddy_s", "brown-out with a buddy instance",
               _brown_out(first, inputs.reconfiguration))  # fmt: skip
    for name, title, passed in (
        ("recovery_s", "whole recovery", without),
        ("recovery_with_buddy_s", "whole recovery with a buddy instance", first),
    ):
        whole = total(_brown_out(passed, inputs.reconfiguration), second)
        yield Part(name, title, whole, "brown-out + second pass")


def _availability(parts: Mapping[str, Part], failures_per_year: float) -> Iterator[Part]:
    for name, suffix, label in (
        ("downtime_s", "", ""),
        ("brown_out_with_buddy_s", "_with_buddy", " with a buddy instance"),
    ):
        part = parts.get(name)
        if part is None:
            continue
        per_year = f"downtime_per_year{suffix}_s", f"per year{label}"
        availability = f"availability{suffix}_pct", f"availability{label}"
        down = part.seconds
        if down is None:
            yield Part(*per_year, None, note=part.note)
            yield Part(*availability, None, note=part.note, unit="%")
            continue
        year = down.scaled(failures_per_year)
        yield Part(
            *per_year, year, f"{failures_per_year:g} per year × {show(known_s(down.value))} s"
        )
        value, low, high = (
            max(0.0, 100 * (1 - seconds / buddy.YEAR_S))
            for seconds in (year.value, year.high, year.low)
        )
        yield Part(
            *availability, Range(value, low, high),
            f"100 × (1 − {show(known_s(year.value))} s / 1 year)",
            "unplanned downtime from this kind of failure only", "%",
        )  # fmt: skip


#: The source of a sum that is an estimate of Oracle.
_BY_ORACLE: Final = "Oracle's estimate"


def _headline(down: Range | None, why: str, desired_s: float | None, *, rac: bool) -> str:
    if down is None and why.startswith("at least"):
        return f"The database would be down for {why}."
    if down is None:
        return f"Recovery cannot be predicted from this report: {why}."
    what = "The surviving instances would be frozen" if rac else "The database would be down"
    value, low, high = as_known(*down[:3])
    span = f"{show(low)} to {show(high)} s" if show(low) != show(high) else ""
    if down.source.startswith(_BY_ORACLE):
        span = down.source + (" " if down.source != _BY_ORACLE else "; ") * bool(span) + span
    text = f"{what} for about {show(value)} s{span and f' ({span})'}"
    if rac:
        text += f", including {buddy.DETECTION.value:.0f} s to detect a failed node"
    if desired_s is None:
        return f"{text}."
    wanted = f"the desired {desired_s:g} s"
    if down.high <= desired_s:
        return f"{text}. Even the maximum meets {wanted}."
    if down.low > desired_s:
        return f"{text}. Even the minimum exceeds {wanted}."
    return f"{text}. The range includes {wanted}: measure with an alert log."


def _notes(
    facts: Mapping[str, Fact], inputs: Inputs, log: Episodes | None, *, rac: bool
) -> Iterator[Note]:
    if log is None:
        yield Note("no alert log given: times and rates are published values from other systems")
    elif not log.recoveries:
        yield Note("the alert log has no recovery: rates are published values from other systems")
    if inputs.split.contradiction:
        yield Note(f"{inputs.split.contradiction}; the larger one is planned with")
    included = _of_the_cluster(facts, inputs) if rac else ""
    for text in (inputs.split.words, cluster_words(facts), included):
        if text:
            yield Note(text)
    if inputs.redo_bytes is not None:
        yield Note(
            "this is a crash at the end snapshot; `awrlens mttr REPORT` is for the average load of "
            "the interval, with the same split of Oracle's estimate"
        )
    if inputs.redo_bytes is not None and inputs.redo_bytes.value == 0:
        yield Note("at the end snapshot, recovery had no redo to read: use a report under load")
