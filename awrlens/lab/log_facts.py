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
    from collections.abc import Iterable, Iterator

    from awrlens.lab.alert_log import Episodes, Event, Span
    from awrlens.lab.judge import Judged, Offsets, Wanted


ALERT_LOG_FACTS: Final = FactTable()
fact: Final = ALERT_LOG_FACTS.declare

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
        self, episodes: Episodes, known: Offsets, judged: tuple[Judged, ...], wanted: Wanted
    ) -> None:
        self.episodes = episodes
        self.known = known
        self.wanted = wanted
        #: The last recovery and its verdict.
        self.last = episodes.recoveries[-1] if episodes.recoveries else None
        self.judged = judged[-1] if judged else None

    @lazy
    def switches(self) -> judge.Switches:
        """Log switches and the waits for them."""
        return judge.switches(self.episodes.log)

    @lazy
    def rates(self) -> dict[str, judge.Rate | None]:
        """Rates of recovery."""
        return judge.rates(self.episodes)


def _evidence(event: Event) -> Evidence:
    return Evidence("alert_log", event.kind, "", event.text, None, lambda: event.line)


def _of(*spans: Span) -> tuple[Evidence, ...]:
    """The lines of spans."""
    return tuple(_evidence(event) for span in spans for event in span if event is not None)


def _spans(label: str, spans: Iterable[Span]) -> Figure | Missing:
    """The median length of spans."""
    some = [(seconds, span) for span in spans if (seconds := span.seconds) is not None]
    if not some:
        return _NO_START
    of = "" if len(some) == 1 else f"median of {len(some)} "
    evidence = _of(*(span for _, span in some[:_SHOWN]))
    return Figure(median(seconds for seconds, _ in some), f"s {of}{label}".strip(), evidence)


def facts(
    episodes: Episodes, known: Offsets, judged: tuple[Judged, ...], wanted: Wanted
) -> Iterator[Fact]:
    """Every fact of a log, available or not."""
    case = Case(episodes, known, judged, wanted)
    for spec in ALERT_LOG_FACTS.values():
        one = spec.function(case).named(spec.name, spec.unit)
        if one.value is not None or spec.name not in _OPTIONAL:
            yield one


def _begins(c: Case) -> tuple[Evidence, ...]:
    return tuple(_evidence(each.begin) for each in c.episodes.starts)


@fact("recovery.starts", "count", kind="total", better="neither")
def starts(c: Case) -> Fact:
    """Starts of the instance."""
    return text_fact(len(c.episodes.starts), _begins(c), "measured")


@fact("recovery.startup_s", "s", kind="level", better="lower")
def startup_s(c: Case) -> Answer:
    """Time to start the instance, median of the starts."""
    return _spans("starting", (each.startup for each in c.episodes.starts))


@fact("recovery.mount_s", "s", kind="level", better="lower")
def mount_s(c: Case) -> Answer:
    """Time to mount the database, median of the starts."""
    return _spans("mounting", (each.mount for each in c.episodes.starts))


@fact("recovery.init_s", "s", kind="level", better="lower")
def init_s(c: Case) -> Answer:
    """Time from the start until the data files are opened."""
    note = "corresponds to INIT_TIME_AVG; median of the starts in the log"
    return _median(c, c.known.init_s, note)


@fact("recovery.file_open_s", "s", kind="level", better="lower")
def file_open_s(c: Case) -> Answer:
    """Time to open the database without its recovery."""
    note = (
        "corresponds to FOPEN_TIME_AVG; time to open minus recovery; an upper bound, because it "
        "includes archivers, undo and the dictionary"
    )
    return _median(c, c.known.open_s, note)


def _median(c: Case, value: float | None, note: str) -> Answer:
    return _NO_START if value is None else text_fact(value, _begins(c), "derived", note)


@fact("recovery.recoveries", "count", kind="total", better="neither")
def recoveries(c: Case) -> Fact:
    """Crash and instance recoveries."""
    proof = tuple(_evidence(each.begin) for each in c.episodes.recoveries)
    return text_fact(len(c.episodes.recoveries), proof, "measured")


@fact("recovery.total_s", "s", kind="level", better="lower")
def total_s(c: Case) -> Answer:
    """Time of the last recovery."""
    return _length(c.last and c.last.whole)


@fact("recovery.scan_s", "s", kind="level", better="lower")
def scan_s(c: Case) -> Answer:
    """Time of its first pass, which reads the redo."""
    return _length(c.last and c.last.scan)


@fact("recovery.apply_s", "s", kind="level", better="lower")
def apply_s(c: Case) -> Answer:
    """Time of its second pass, which applies the redo to data blocks."""
    return _length(c.last and c.last.apply)


def _length(span: Span | None) -> Answer:
    """The length of one span of the last recovery."""
    if span is None:
        return _NO_RECOVERY
    if span.seconds is None:
        return Missing("its beginning or end is not in the log", ("alert_log",))
    return text_fact(span.seconds, _of(span), "derived", "time between two lines")


@fact("recovery.redo_read_mb", "MB", kind="level", better="neither")
def redo_read_mb(c: Case) -> Answer:
    """Redo that the last recovery read."""
    if c.last is None:
        return _NO_RECOVERY
    kb, proof = c.last.redo_kb, _of(c.last.whole)
    return (_NOT_IN_LOG if kb is None else Figure(kb, "KB of redo read", proof)) / 1024


@fact("recovery.blocks", "count", kind="level", better="neither")
def blocks(c: Case) -> Answer:
    """Data blocks that the second pass of the last recovery had to read."""
    if c.last is None:
        return _NO_RECOVERY
    number, proof = c.last.blocks, _of(c.last.whole)
    return _NOT_IN_LOG if number is None else Figure(number, "data blocks", proof)


@fact("recovery.achieved_s", "s", kind="level", better="lower")
def achieved_s(c: Case) -> Answer:
    """Time that the last recovery took: from the start of the instance, or of the recovery."""
    return _of_verdict(c, c.judged and c.judged.achieved_s)


@fact("recovery.desired_s", "s", kind="level", better="neither")
def desired_s(c: Case) -> Answer:
    """Time that the last recovery was to take."""
    return _of_verdict(c, c.judged and c.judged.desired_s)


def _of_verdict(c: Case, value: float | None) -> Answer:
    if c.last is None or c.judged is None:
        return _NO_RECOVERY
    if value is None:
        return Missing(c.judged.why, ("alert_log",))
    start, whole = c.last.start, c.last.whole
    if start is not None and start < len(c.episodes.starts):
        begin = c.episodes.starts[start].whole
        whole = begin if begin.seconds is not None else whole
    return text_fact(value, _of(whole), "derived")


@fact("recovery.verdict", "name", kind="level", better="neither")
def verdict(c: Case) -> Answer:
    """Whether the last recovery was in time, at the lower bound, or had a bottleneck."""
    if c.last is None or c.judged is None:
        return _NO_RECOVERY
    return text_fact(c.judged.verdict, _of(c.last.whole), "derived", c.judged.why)


@fact("recovery.estimated_s", "s", kind="level", better="lower")
def estimated_s(c: Case) -> Answer:
    """Estimated recovery time of the report."""
    return _of_report(c.wanted.estimated_mttr_s)


@fact("recovery.kept_target_s", "s", kind="setting", better="neither")
def kept_target_s(c: Case) -> Answer:
    """Recovery target in force in the report."""
    return _of_report(c.wanted.kept_target_s)


def _of_report(value: float | None) -> Answer:
    if value is None:
        return Missing("no report is given with --report", ())
    return text_fact(value, (), "measured", "from the report given with --report")


@fact("recovery.target_s", "s", kind="setting", better="neither")
def target_s(c: Case) -> Answer:
    """FAST_START_MTTR_TARGET."""
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


@fact("recovery.scan_bytes_per_s", "B/s", kind="rate", better="higher")
def scan_bytes_per_s(c: Case) -> Answer:
    """Redo read per second of the first pass."""
    return _rate(c, "scan_bytes", "B of redo", "s of scanning")


@fact("recovery.apply_bytes_per_s", "B/s", kind="rate", better="higher")
def apply_bytes_per_s(c: Case) -> Answer:
    """Redo applied per second of the second pass."""
    return _rate(c, "apply_bytes", "B of redo", "s of applying")


@fact("recovery.apply_blocks_per_s", "1/s", kind="rate", better="higher")
def apply_blocks_per_s(c: Case) -> Answer:
    """Data blocks read per second of the second pass."""
    return _rate(c, "apply_blocks", "data blocks", "s of applying")


def _rate(c: Case, which: str, what: str, time: str) -> Answer:
    rate, log = c.rates[which], c.episodes.log
    if rate is None or rate.value is None:
        why = "no recovery in the log has both amount and times" if rate is None else (
            f"the total time is below the resolution of the clock ({log.resolution_s:g} s): at "
            f"least {rate.low:,.0f} per second"
        )  # fmt: skip
        return Missing(why, ("alert_log",))
    some = [c.episodes.recoveries[n] for n in rate.of[:_SHOWN]]
    proof = _of(*(each.scan if which == "scan_bytes" else each.apply for each in some))
    top = "more" if rate.high is None else f"{rate.high:,.0f}"
    per_s = Figure(rate.amount, what, proof) / Figure(rate.seconds, time)
    return per_s.noted(f"{rate.low:,.0f} to {top} by the resolution of the clock")


@fact("recovery.reconfiguration_s", "s", kind="level", better="lower")
def reconfiguration_s(c: Case) -> Answer:
    """The longest reconfiguration of the cluster."""
    lengths = [r for r in c.episodes.reconfigurations if r.seconds is not None]
    if not lengths:
        why = "the alert log has no reconfiguration of a cluster"
        return Missing(why, ("alert_log",))
    longest = max(lengths, key=lambda r: r.seconds or 0.0)
    return text_fact(longest.seconds, _of(longest.whole), "measured", "the longest")


@fact("recovery.log_switches_per_hour", "1/h", kind="rate", better="lower")
def log_switches_per_hour(c: Case) -> Answer:
    """Log switches per hour."""
    return _per_hour(c, c.switches.switches, "log_switch")


@fact("recovery.log_waits_per_hour", "1/h", kind="rate", better="lower")
def log_waits_per_hour(c: Case) -> Answer:
    """Redo logs per hour that could not be allocated."""
    return _per_hour(c, c.switches.waits, "log_wait")


@fact("recovery.checkpoint_waits_per_hour", "1/h", kind="rate", better="lower")
def checkpoint_waits_per_hour(c: Case) -> Answer:
    """Redo logs per hour that could not be allocated because their checkpoint was not complete."""
    return _per_hour(c, c.switches.for_checkpoint, "wait_checkpoint")


def _per_hour(c: Case, number: int, kind: str) -> Answer:
    length = c.switches.hours or 0.0
    hours: Figure | Missing = Missing("the log covers less than an hour", ("alert_log",))
    if length >= _LEAST_HOURS:
        hours = Figure(length, "h")
    events = c.episodes.log.of(kind)
    proof = tuple(_evidence(e) for e in (*events[:1], *events[1:][-1:]))
    return Figure(number, kind.replace("_", " "), proof) / hours


@fact("recovery.checkpoint_lag_blocks", "count", kind="level", better="lower")
def checkpoint_lag_blocks(c: Case) -> Answer:
    """Redo blocks between the incremental checkpoint and the end of the redo."""
    lags = judge.checkpoint_lags(c.episodes.log)
    if not lags:
        why = "the alert log has no incremental checkpoint in the current redo log"
        return Missing(why, ("alert_log",))
    events = c.episodes.log.of("incremental_checkpoint")
    note = f"median of {len(lags)} incremental checkpoints, most {max(lags):,}"
    return text_fact(median(lags), (_evidence(events[-1]),), "derived", note)
