"""The facts of an alert log: times, amounts and rates with their lines."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.facts.answers import Answer, text_fact
from awrlens.facts.formula import Figure, Missing
from awrlens.lab import judge
from awrlens.lazy import lazy
from awrlens.model import Evidence, Fact
from awrlens.model.fact_table import FactTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.lab.alert_log import Episodes, Event, Recovery, Span, Start
    from awrlens.lab.documents import Offsets, Rate, SwitchesDocument
    from awrlens.lab.judge import Judged, Wanted
    from awrlens.model.fact_table import Better, FactSpec, Kind


ALERT_LOG_FACTS: Final = FactTable()
fact: Final[Callable[[str, str, Kind, Better, str, Callable[[Case], Answer]], FactSpec]] = (
    ALERT_LOG_FACTS.add
)

_LEAST_HOURS: Final = 1.0
#: Maximum number of lines of evidence.
_SHOWN: Final = 6
_NO_RECOVERY: Final = Missing("the alert log has no crash or instance recovery", ("alert_log",))
_NO_START: Final = Missing("the alert log has no complete start of the instance", ("alert_log",))
_NOT_IN_LOG: Final = Missing("not in this alert log", ("alert_log",))
#: Left out where they are not known.
_OPTIONAL: Final = frozenset({
    "recovery.estimated_s", "recovery.kept_target_s", "recovery.checkpoint_lag_blocks",
})  # fmt: skip


class Case:
    """What the facts of a log are made of."""

    def __init__(
        self, episodes: Episodes, fixed: Offsets, judged: tuple[Judged, ...], wanted: Wanted
    ) -> None:
        self.episodes = episodes
        self.fixed = fixed
        self.wanted = wanted
        self.last = episodes.recoveries[-1] if episodes.recoveries else None
        self.judged = judged[-1] if judged else None

    @lazy
    def switches(self) -> SwitchesDocument:
        """Log switches and the waits for them."""
        return judge.switches(self.episodes.log)

    @lazy
    def rates(self) -> dict[str, Rate | None]:
        """Rates of recovery."""
        return judge.rates(self.episodes)


def _evidence(event: Event) -> Evidence:
    return Evidence("alert_log", event.kind, "", event.text, None, lambda: event.line)


def _of(*spans: Span) -> tuple[Evidence, ...]:
    return tuple(_evidence(event) for span in spans for event in span if event is not None)


def _spans(label: str, spans: Iterable[Span]) -> Figure | Missing:
    some = [(seconds, span) for span in spans if (seconds := span.seconds) is not None]
    if not some:
        return _NO_START
    of = "" if len(some) == 1 else f"median of {len(some)} "
    evidence = _of(*(span for _, span in some[:_SHOWN]))
    return Figure(median(seconds for seconds, _ in some), f"s {of}{label}".strip(), evidence)


def facts(
    episodes: Episodes, fixed: Offsets, judged: tuple[Judged, ...], wanted: Wanted
) -> Iterator[Fact]:
    """Every fact of a log, available or not."""
    case = Case(episodes, fixed, judged, wanted)
    for spec in FACTS:
        one = spec.function(case).named(spec.name, spec.unit)
        if one.value is not None or spec.name not in _OPTIONAL:
            yield one


def _counted(some: Sequence[Start | Recovery]) -> Fact:
    return text_fact(len(some), tuple(_evidence(episode.begin) for episode in some), "measured")


def _of_starts(c: Case, value: float | None, note: str) -> Answer:
    begins = tuple(_evidence(start.begin) for start in c.episodes.starts)
    return _NO_START if value is None else text_fact(value, begins, "derived", note)


def _length(span: Span | None) -> Answer:
    if span is None:
        return _NO_RECOVERY
    if span.seconds is None:
        return Missing("its beginning or end is not in the log", ("alert_log",))
    return text_fact(span.seconds, _of(span), "derived", "time between two lines")


def _amount(c: Case, amount: float | None, label: str) -> Figure | Missing:
    if c.last is None:
        return _NO_RECOVERY
    return _NOT_IN_LOG if amount is None else Figure(amount, label, _of(c.last.whole))


def _of_verdict(c: Case, value: float | None) -> Answer:
    if c.last is None or c.judged is None:
        return _NO_RECOVERY
    if value is None:
        return Missing(c.judged.why, ("alert_log",))
    begin = None if c.last.start is None else c.episodes.starts[c.last.start].whole
    whole = begin if begin and begin.seconds is not None else c.last.whole
    return text_fact(value, _of(whole), "derived")


def _verdict(c: Case) -> Answer:
    if c.last is None or c.judged is None:
        return _NO_RECOVERY
    return text_fact(c.judged.verdict, _of(c.last.whole), "derived", c.judged.why)


def _of_report(value: float | None) -> Answer:
    if value is None:
        return Missing("no report is given with --report", ())
    return text_fact(value, (), "measured", "from the report given with --report")


def _target(c: Case) -> Answer:
    episodes, wanted = c.episodes, c.wanted
    if wanted.target_s is not None:
        return text_fact(wanted.target_s, (), "measured", "given by the caller")
    if episodes.target_s is None:
        why = "FAST_START_MTTR_TARGET is not in the alert log"
        return Missing(why, ("alert_log",))
    events = episodes.log.of("target_set", "target_range", "target_unset", "parameters")
    events += [e for e in episodes.log.of("parameter")
               if e.values["name"] == "fast_start_mttr_target"]  # fmt: skip
    note = "" if episodes.target_s else "0 means that FAST_START_MTTR_TARGET is not set"
    proof = (_evidence(max(events, key=lambda e: e.line)),) if events else ()
    return text_fact(episodes.target_s, proof, "measured", note)


def _rate(c: Case, which: str, what: str, time: str) -> Answer:
    rate, log = c.rates[which], c.episodes.log
    if rate is None or rate.value is None:
        why = "no recovery in the log has both amount and times" if rate is None else (
            f"the total time is below the resolution of the clock ({log.resolution_s:g} s): at "
            f"least {rate.low:,.0f} per second"
        )  # fmt: skip
        return Missing(why, ("alert_log",))
    some = [c.episodes.recoveries[n] for n in rate.of[:_SHOWN]]
    proof = _of(*(recovery.scan if which == "scan_bytes" else recovery.apply for recovery in some))
    top = "more" if rate.high is None else f"{rate.high:,.0f}"
    per_s = Figure(rate.amount, what, proof) / Figure(rate.seconds, time)
    return per_s.noted(f"{rate.low:,.0f} to {top} by the resolution of the clock")


def _reconfiguration(c: Case) -> Answer:
    lengths = [r for r in c.episodes.reconfigurations if r.seconds is not None]
    if not lengths:
        why = "the alert log has no reconfiguration of a cluster"
        return Missing(why, ("alert_log",))
    longest = max(lengths, key=lambda r: r.seconds or 0.0)
    return text_fact(longest.seconds, _of(longest.whole), "measured", "the longest")


def _per_hour(c: Case, number: int, kind: str) -> Answer:
    length = c.switches["hours"] or 0.0
    hours: Figure | Missing = Missing("the log covers less than an hour", ("alert_log",))
    if length >= _LEAST_HOURS:
        hours = Figure(length, "h")
    events = c.episodes.log.of(kind)
    proof = tuple(_evidence(e) for e in (*events[:1], *events[1:][-1:]))
    return Figure(number, kind.replace("_", " "), proof) / hours


def _lag(c: Case) -> Answer:
    events = c.episodes.log.of("incremental_checkpoint")
    places = ([int(event.values[name], 16) for name in ("seq", "block", "tail_seq", "tail_block")]
              for event in events)  # fmt: skip
    # of those with the checkpoint and the end of redo in one redo log
    lags = [end - block for log, block, last, end in places if log == last and end >= block]
    if not lags:
        why = "the alert log has no incremental checkpoint in the current redo log"
        return Missing(why, ("alert_log",))
    note = f"median of {len(lags)} incremental checkpoints, most {max(lags):,}"
    return text_fact(median(lags), (_evidence(events[-1]),), "derived", note)


#: All of them: name, unit, kind, what is better, definition, formula.
FACTS: Final = (
    fact("recovery.starts", "count", "total", "neither", "Starts of the instance.",
         lambda c: _counted(c.episodes.starts)),
    fact("recovery.startup_s", "s", "level", "lower",
         "Time to start the instance, median of the starts.",
         lambda c: _spans("starting", (start.startup for start in c.episodes.starts))),
    fact("recovery.mount_s", "s", "level", "lower",
         "Time to mount the database, median of the starts.",
         lambda c: _spans("mounting", (start.mount for start in c.episodes.starts))),
    fact("recovery.init_s", "s", "level", "lower",
         "Time from the start until the data files are opened.",
         lambda c: _of_starts(
             c, c.fixed.init_s, "corresponds to INIT_TIME_AVG; median of the starts in the log")),
    fact("recovery.file_open_s", "s", "level", "lower",
         "Time to open the database without its recovery.",
         lambda c: _of_starts(
             c, c.fixed.open_s, "corresponds to FOPEN_TIME_AVG; time to open minus recovery; an "
             "upper bound, because it includes archivers, undo and the dictionary")),
    fact("recovery.recoveries", "count", "total", "neither", "Crash and instance recoveries.",
         lambda c: _counted(c.episodes.recoveries)),
    fact("recovery.total_s", "s", "level", "lower", "Time of the last recovery.",
         lambda c: _length(c.last and c.last.whole)),
    fact("recovery.scan_s", "s", "level", "lower",
         "Time of its first pass, which reads the redo.",
         lambda c: _length(c.last and c.last.scan)),
    fact("recovery.apply_s", "s", "level", "lower",
         "Time of its second pass, which applies the redo to data blocks.",
         lambda c: _length(c.last and c.last.apply)),
    fact("recovery.redo_read_mb", "MB", "level", "neither", "Redo that the last recovery read.",
         lambda c: _amount(c, c.last and c.last.redo_kb, "KB of redo read") / 1024),
    fact("recovery.blocks", "count", "level", "neither",
         "Data blocks that the second pass of the last recovery had to read.",
         lambda c: _amount(c, c.last and c.last.blocks, "data blocks")),
    fact("recovery.achieved_s", "s", "level", "lower",
         "Time that the last recovery took: from the start of the instance, or of the recovery.",
         lambda c: _of_verdict(c, c.judged and c.judged.achieved_s)),
    fact("recovery.desired_s", "s", "level", "neither",
         "Time that the last recovery was to take.",
         lambda c: _of_verdict(c, c.judged and c.judged.desired_s)),
    fact("recovery.verdict", "name", "level", "neither",
         "Whether the last recovery was in time, at the lower bound, or had a bottleneck.",
         _verdict),
    fact("recovery.estimated_s", "s", "level", "lower", "Estimated recovery time of the report.",
         lambda c: _of_report(c.wanted.estimated_mttr_s)),
    fact("recovery.kept_target_s", "s", "setting", "neither",
         "Recovery target in force in the report.",
         lambda c: _of_report(c.wanted.kept_target_s)),
    fact("recovery.target_s", "s", "setting", "neither", "FAST_START_MTTR_TARGET.", _target),
    fact("recovery.scan_bytes_per_s", "B/s", "rate", "higher",
         "Redo read per second of the first pass.",
         lambda c: _rate(c, "scan_bytes", "B of redo", "s of scanning")),
    fact("recovery.apply_bytes_per_s", "B/s", "rate", "higher",
         "Redo applied per second of the second pass.",
         lambda c: _rate(c, "apply_bytes", "B of redo", "s of applying")),
    fact("recovery.apply_blocks_per_s", "1/s", "rate", "higher",
         "Data blocks read per second of the second pass.",
         lambda c: _rate(c, "apply_blocks", "data blocks", "s of applying")),
    fact("recovery.reconfiguration_s", "s", "level", "lower",
         "The longest reconfiguration of the cluster.", _reconfiguration),
    fact("recovery.log_switches_per_hour", "1/h", "rate", "lower", "Log switches per hour.",
         lambda c: _per_hour(c, c.switches["switches"], "log_switch")),
    fact("recovery.log_waits_per_hour", "1/h", "rate", "lower",
         "Redo logs per hour that could not be allocated.",
         lambda c: _per_hour(c, c.switches["waits"], "log_wait")),
    fact("recovery.checkpoint_waits_per_hour", "1/h", "rate", "lower",
         "Redo logs per hour that could not be allocated because their checkpoint was not "
         "complete.", lambda c: _per_hour(c, c.switches["for_checkpoint"], "wait_checkpoint")),
    fact("recovery.checkpoint_lag_blocks", "count", "level", "lower",
         "Redo blocks between the incremental checkpoint and the end of the redo.", _lag),
)  # fmt: skip
