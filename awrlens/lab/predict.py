"""How long recovery would take: start-up, file open, both passes, rollback, availability.

The model is that of Fast-Start Checkpointing Best Practices ("Overview of MTTR and Crash Recovery
Components": start-up, opening of the files, rolling forward by redo and blocks) with the two passes
of Buddy Instance. In a cluster, the surviving instances are frozen from the failure to the end of
the first pass. Amounts come from a report, rates from an alert log, else from the papers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.lab import buddy, judge
from awrlens.lab.alert_log import REDO_BLOCK_BYTES
from awrlens.lab.buddy import Range, total
from awrlens.lazy import NamedTuple
from awrlens.model import Analysis, Fact, Note, Verdicts
from awrlens.policy import cite
from awrlens.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from awrlens.lab.alert_log import Episodes
    from awrlens.lab.judge import Rate
    from awrlens.model.documents import IdentityDocument, PredictedPart


class Inputs(NamedTuple):
    """Inputs of the model; None is not known."""

    startup: Range
    file_open: Range
    file_open_formula: str
    redo_bytes: Range | None
    blocks: float | None
    scan: Range
    apply: Range
    apply_blocks: Range | None
    reconfiguration: Range
    #: ESTIMATED_MTTR, unless the alert log has the time of the second pass; and its part for
    #: start-up and opening, by the MTTR Advisory.
    estimate_s: float | None
    fixed_s: float | None
    #: ESTIMATED_MTTR as the upper limit of start-up, opening and passes together; None if each is
    #: known.
    shared_s: float | None
    why: str = ""


def gather(facts: Mapping[str, Fact], log: Episodes | None) -> Inputs:
    """Amounts from the report, times and rates from the alert log or the papers."""
    rates: Mapping[str, Rate | None] = judge.rates(log) if log is not None else {}
    lengths = [r.seconds for r in log.reconfigurations if r.seconds is not None] if log else []
    redo = _redo(facts)
    if redo is None and log is not None:  # Instance Recovery Stats is not in the report
        read = [recovery.redo_kb * 1024 for recovery in log.recoveries if recovery.redo_kb]
        redo = buddy.between("B of redo", "recoveries in the alert log", *read) if read else None
    scan = _measured(rates.get("scan_bytes"), buddy.SCAN_BYTES_PER_S) or buddy.SCAN_BYTES_PER_S
    apply = _measured(rates.get("apply_bytes"), buddy.APPLY_BYTES_PER_S) or buddy.APPLY_BYTES_PER_S
    timed = any(rate is not None and rate.value is not None
                for name, rate in rates.items() if name.startswith("apply"))  # fmt: skip
    passes = redo.value / scan.value + redo.value / apply.value if redo is not None else 0.0
    startup, opening, formula = _start(facts, log, passes)
    return Inputs(
        startup, opening, formula, redo, facts["checkpoint.estimated_ios"].number, scan, apply,
        _measured(rates.get("apply_blocks"), None),
        buddy.between("s of reconfiguration", "alert log", *lengths)
        if lengths
        else buddy.RECONFIGURATION,
        None if timed else facts["checkpoint.estimated_mttr_s"].number,
        facts["checkpoint.fixed_mttr_s"].number,
        None if timed or "ESTIMATED_MTTR" not in startup.source
        else facts["checkpoint.estimated_mttr_s"].number,
        facts["checkpoint.actual_redo_blocks"].note,
    )  # fmt: skip


def _redo(facts: Mapping[str, Fact]) -> Range | None:
    """Redo that recovery would read: at the end snapshot, and at most by the limits."""
    actual = facts["checkpoint.actual_redo_blocks"].number
    if actual is None:
        return None
    bounds = [facts[f"checkpoint.{name}_redo_blocks"].number for name in ("target", "log_size")]
    positive = [each for each in bounds if each]
    # the target in effect limits it; without one, the smallest redo log does
    bound = positive[0] if positive else actual
    blocks = Range(actual, min(actual, bound), max(actual, bound), "", "")
    source = "ACTUAL_REDO_BLKS at the end snapshot, up to TARGET_REDO_BLKS"
    return blocks.scaled(REDO_BLOCK_BYTES, "B of redo")._replace(source=source)


def _measured(rate: Rate | None, default: Range | None) -> Range | None:
    """A rate from the alert log; None if it has none, or if its clock is too coarse."""
    if rate is None:
        return None
    source = f"alert log, {len(rate.of)} recover{'y' if len(rate.of) == 1 else 'ies'}"
    if rate.value is None:
        if default is not None and rate.low > default.high:
            return Range(rate.low, rate.low, rate.low, default.label, f"{source}: at least")
        return None
    high = rate.high if rate.high is not None else rate.value * 2
    return Range(rate.value, rate.low, high, "per second", source)


def _spread(value: float, seconds: list[float], step: float, label: str, source: str) -> Range:
    """Times of a log; begin and end are as exact as the resolution of its clock."""
    return Range(value, max(0.0, min(seconds) - step), max(seconds) + step, label, source)


def _start(
    facts: Mapping[str, Fact], log: Episodes | None, passes_s: float
) -> tuple[Range, Range, str]:
    """Start-up and opening of the files, from the best source.

    In this order: the starts in an alert log; the MTTR Advisory, which has the sum; ESTIMATED_MTTR
    minus ``passes_s``; the example in Fast-Start Checkpointing Best Practices.
    """
    if log is not None:
        numbers = range(len(log.starts))
        known = judge.offsets(log)
        inits = [s for n in numbers if (s := judge.init_s(n, log)) is not None]
        opens = [s for n in numbers if (s := judge.open_s(n, log)) is not None]
        if known.init_s is not None and known.open_s is not None:
            source = f"alert log, median of {len(inits)}"
            return (
                _spread(known.init_s, inits, log.log.resolution_s, "s of start-up", source),
                _spread(known.open_s, opens, log.log.resolution_s, "s of opening", source), "",
            )  # fmt: skip
    files = facts["checkpoint.datafiles"].number
    count = files if files is not None else buddy.DATAFILES
    opening = buddy.FILE_OPEN_S.scaled(count, "s of opening")
    formula = f"{count:,.0f} files × {buddy.FILE_OPEN_S.value * 1e6:,.0f} us"
    fixed = facts["checkpoint.fixed_mttr_s"].number
    if fixed is not None and fixed > 0:
        source = "MTTR Advisory: the estimate for 0 dirty blocks"
        opening = _at_most(opening, fixed)
        rest = fixed - opening.value
        return Range(rest, 0.0, fixed, "s of start-up", source), opening, formula
    estimate = facts["checkpoint.estimated_mttr_s"].number
    if not estimate:
        return buddy.STARTUP_S, opening, formula
    left = max(0.0, estimate - passes_s)
    opening = _at_most(opening, left)
    startup = _at_most(buddy.STARTUP_S, max(0.0, left - opening.value))
    source = f"{startup.source}; limited by ESTIMATED_MTTR ({estimate:.0f} s)"
    low = min(startup.low, startup.value / 2)
    return startup._replace(low=low, high=left, source=source), opening, formula


def _at_most(seconds: Range, bound: float) -> Range:
    """A time, limited to the time left for it."""
    value, low, high = (min(each, bound) for each in seconds[:3])
    return seconds._replace(value=value, low=low, high=high)


class Ask(NamedTuple):
    """The caller's input in addition to the report: failures per year, the desired time."""

    failures_per_year: float = 1.0
    desired_mttr_s: float | None = None
    #: What a name in the alert log is printed as, where the report's names are replaced.
    shown: Callable[[str], str] = str


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
        span = f"{show(self.seconds.low)} to {show(self.seconds.high)}"
        note = cite("; ".join(filter(None, (f"range {span}", self.note, self.seconds.source))))
        formula = f"{self.formula} = {show(self.seconds.value)} {self.unit}" if self.formula else ""
        value = self.seconds.value
        return Fact(name, value, self.unit, "estimated", formula=formula, note=note)


def predict(
    facts: Mapping[str, Fact], report: IdentityDocument, log: Episodes | None = None,
    ask: Ask = Ask(),  # noqa: B008 - an immutable value
) -> Analysis:  # fmt: skip
    """The cost of a crash of the system in a report, as an analysis."""
    inputs = gather(facts, log)
    rac = bool(report["rac"])
    parts = [*_parts(facts, inputs, rac=rac)]
    by_name = {part.name: part for part in parts}
    advised = buddy.advise(facts, by_name["first_pass_s"].seconds, rac=rac)
    parts += _with_buddy(by_name, inputs, advised, rac=rac)
    by_name = {part.name: part for part in parts}
    parts += _availability(by_name, ask)
    down = by_name["downtime_s"].seconds
    other = judge.doubts(log, judge.Owner(report["db_name"], ask.shown)) if log is not None else ()
    return Analysis(
        report=report,
        facts={f"recovery.{part.name}": part.fact() for part in parts},
        findings=(), skipped=(), recommendations=(advised.item,),
        verdicts=Verdicts("ok", "need-data", "need-data", "need-data", None),
        warnings=(*other, *_notes(facts, inputs, log)),
        recovery={
            "headline": _headline(down, by_name["downtime_s"].note, ask, rac=rac),
            "parts": [part.to_dict() for part in parts],
            "failures_per_year": ask.failures_per_year, "desired_mttr_s": ask.desired_mttr_s,
            "buddy": advised.to_dict(),
        },
    )  # fmt: skip


def _parts(facts: Mapping[str, Fact], inputs: Inputs, *, rac: bool) -> Iterator[Part]:
    running = "a surviving instance does not need this time" if rac else ""
    yield Part("startup_s", "start-up of the instance", inputs.startup, note=running)
    yield Part(
        "file_open_s", "opening of the data files", inputs.file_open, inputs.file_open_formula,
        running,
    )  # fmt: skip
    first = second = by_redo = None
    first_formula = second_formula = ""
    if inputs.redo_bytes is not None:
        first = inputs.redo_bytes.per(inputs.scan, "s of first pass")
        first_formula = f"{_mb(inputs.redo_bytes)} / {_mb(inputs.scan)} per second"
        second = by_redo = inputs.redo_bytes.per(inputs.apply, "s of second pass")
        second_formula = f"{_mb(inputs.redo_bytes)} / {_mb(inputs.apply)} per second"
        if inputs.blocks is not None and inputs.apply_blocks is not None:
            amount = Range(inputs.blocks, inputs.blocks, inputs.blocks, "data blocks")
            by_blocks = amount.per(inputs.apply_blocks, "s of second pass")
            if by_blocks.value > second.value:
                second_formula = (
                    f"{inputs.blocks:,.0f} data blocks / {inputs.apply_blocks.value:,.0f} per "
                    "second"
                )
            # the greater of two estimates of the same time, with the range of both
            low, high = min(second.low, by_blocks.low), max(second.high, by_blocks.high)
            greater = max((second, by_blocks), key=lambda estimate: estimate.value)
            second = greater._replace(low=low, high=high)
        elif inputs.estimate_s:
            second, second_formula = _by_oracle(inputs, first, second, second_formula)
    why = inputs.why or "Instance Recovery Stats is not in the report"
    yield Part("first_pass_s", "first pass (scan of the redo)", first, first_formula,
               "" if first else why)  # fmt: skip
    yield Part("second_pass_s", "second pass (redo applied)", second, second_formula,
               "" if second else why)  # fmt: skip
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
    down = None
    if first is not None and second is not None and by_redo is not None:
        down = total("s", inputs.startup, inputs.file_open, first, second)
        if inputs.shared_s is not None:
            # any part may take up to the whole estimate, but not all parts at once
            alone = total("s", inputs.startup, inputs.file_open)
            longest = max(inputs.shared_s, alone.value + first.high + by_redo.high)
            down = down._replace(high=min(down.high, longest))
    yield Part("downtime_s", "database down after a crash", down,
               "start-up + opening + first pass + second pass" if down else "",
               "" if down else why)  # fmt: skip


def _by_oracle(inputs: Inputs, first: Range, second: Range, formula: str) -> tuple[Range, str]:
    """The second pass, not shorter than in Oracle's own estimate, which knows the read times.

    If the MTTR Advisory shows start-up and opening, the rest of ESTIMATED_MTTR is both passes.
    Otherwise, the rest is only an upper limit of the second pass.
    """
    estimate = inputs.estimate_s or 0.0
    if not inputs.fixed_s or inputs.fixed_s <= 0:
        rest = estimate - first.low - inputs.file_open.low
        note = f"{second.source}; limited by ESTIMATED_MTTR ({estimate:.0f} s)"
        return second._replace(high=max(second.high, rest), source=note), formula
    rest = estimate - inputs.fixed_s - first.value
    if rest <= second.value:
        return second, formula
    source = "ESTIMATED_MTTR and MTTR Advisory, from Oracle's statistics of block reads"
    said = f"{estimate:.0f} s − {inputs.fixed_s:.1f} s of start-up and opening − first pass"
    return Range(rest, second.low, rest + first.value, "s of second pass", source), said


def _mb(amount: Range) -> str:
    return f"{amount.value / 2**20:,.1f} MB"


def _brown_out(first: Range, reconfiguration: Range) -> Range:
    """Detection, reconfiguration and first pass, from the failure on.

    The least counts the longer of the last two, because the first pass may begin during the
    reconfiguration (Buddy Instance, section 3.2).
    """
    whole = total("s of brown-out", buddy.DETECTION, reconfiguration, first)
    return whole._replace(low=buddy.DETECTION.low + max(first.low, reconfiguration.low))


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
    active = db_time / elapsed
    length = active / rate
    one_by_one = length / 2 * max(1.0, active)
    source = (
        "awrlens: Little's law, transactions half complete; rolling back a long transaction takes "
        "about as long as it has run"
    )
    return Part(
        "rollback_s", title, Range(one_by_one, length / 2, 2 * one_by_one, "s", source),
        f"{active:.2f} active sessions / {rate:,.2f} transactions per second / 2 × "
        f"{max(1.0, active):.2f} transactions",
        "not part of the downtime (Fast-Start Checkpointing Best Practices)",
    )  # fmt: skip


def _with_buddy(
    parts: Mapping[str, Part], inputs: Inputs, advised: buddy.Advice, *, rac: bool
) -> Iterator[Part]:
    """Both passes and the brown-out with a buddy instance, if it would scan."""
    if not rac or advised.first_pass is None or advised.answer == "not worth it":
        return
    first, without = advised.first_pass, parts["first_pass_s"].seconds
    second = parts["second_pass_s"].seconds
    if without is None or second is None:
        return
    yield Part("first_pass_with_buddy_s", "first pass with a buddy instance", first)
    yield Part("brown_out_with_buddy_s", "brown-out with a buddy instance",
               _brown_out(first, inputs.reconfiguration))  # fmt: skip
    for name, title, passed in (
        ("recovery_s", "whole recovery", without),
        ("recovery_with_buddy_s", "whole recovery with a buddy instance", first),
    ):
        whole = total("s", _brown_out(passed, inputs.reconfiguration), second)
        yield Part(name, title, whole, "brown-out + second pass")


def _availability(parts: Mapping[str, Part], ask: Ask) -> Iterator[Part]:
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
        year = down.scaled(ask.failures_per_year, "s")._replace(source="")
        yield Part(*per_year, year, f"{ask.failures_per_year:g} per year × {show(down.value)} s")
        value, low, high = (
            max(0.0, 100 * (1 - seconds / buddy.YEAR_S))
            for seconds in (year.value, year.high, year.low)
        )
        yield Part(
            *availability, Range(value, low, high, "%", ""),
            f"100 × (1 − {show(year.value)} s / 1 year)",
            "unplanned downtime from this kind of failure only", "%",
        )  # fmt: skip


def _headline(down: Range | None, why: str, ask: Ask, *, rac: bool) -> str:
    if down is None:
        return f"Recovery cannot be predicted from this report: {why}."
    what = "The surviving instances would be frozen" if rac else "The database would be down"
    text = f"{what} for about {down.value:.0f} s ({down.low:.0f} to {down.high:.0f} s)"
    if rac:
        text += f", including {buddy.DETECTION.value:.0f} s to detect a failed node"
    if ask.desired_mttr_s is None:
        return f"{text}."
    wanted = f"the desired {ask.desired_mttr_s:g} s"
    if down.high <= ask.desired_mttr_s:
        return f"{text}. Even the maximum meets {wanted}."
    if down.low > ask.desired_mttr_s:
        return f"{text}. Even the minimum exceeds {wanted}."
    return f"{text}. The range includes {wanted}: measure with an alert log."


def _notes(facts: Mapping[str, Fact], inputs: Inputs, log: Episodes | None) -> Iterator[Note]:
    if log is None:
        yield Note("no alert log given: times and rates are published values from other systems")
    elif not log.recoveries:
        yield Note("the alert log has no recovery: rates are published values from other systems")
    estimate = facts["checkpoint.estimated_mttr_s"].number
    if estimate:
        yield Note(f"Oracle's own estimate for crash recovery (ESTIMATED_MTTR) is {estimate:.0f} s")
    if inputs.redo_bytes is not None:
        yield Note(
            "this is a crash at the end snapshot: its redo, at measured or published rates; "
            "`awrlens mttr REPORT` is for the average load of the interval, with every data block "
            "read at the time in Oracle's estimate, so its recovery times differ"
        )
    if inputs.redo_bytes is not None and inputs.redo_bytes.value == 0:
        yield Note("at the end snapshot, recovery had no redo to read: use a report under load")
