"""The facts of an alert log: times, amounts and rates with their lines."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing, derive, finished, measured, text_fact
from awrlens.model import Evidence, Fact
from awrlens.recovery import amounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.recovery.alertlog import Event
    from awrlens.recovery.episodes import Episodes, Recovery, Span
    from awrlens.recovery.judge import Judged, Offsets, Wanted

_LEAST_HOURS: Final = 1.0
#: Maximum number of lines of evidence.
_SHOWN: Final = 6


def _evidence(event: Event) -> Evidence:
    return Evidence("alert_log", event.kind, "", event.text, None, lambda: event.line)


def _of(*spans: Span) -> tuple[Evidence, ...]:
    """The lines of spans."""
    return tuple(_evidence(event) for span in spans for event in span if event is not None)


def _spans(label: str, spans: Iterable[Span], why: str) -> Figure | Missing:
    """The median length of spans."""
    some = [(seconds, span) for span in spans if (seconds := span.seconds) is not None]
    if not some:
        return Missing(why, ("alert_log",))
    of = "" if len(some) == 1 else f"median of {len(some)} "
    evidence = _of(*(span for _, span in some[:_SHOWN]))
    return Figure(median(seconds for seconds, _ in some), f"s {of}{label}".strip(), evidence)


def facts(
    found: Episodes, known: Offsets, judged: tuple[Judged, ...], wanted: Wanted
) -> Iterator[Fact]:
    """Every fact of a log, available or not."""
    yield from _start_facts(found, known)
    yield from _recovery_facts(found, judged, wanted)
    yield from _rate_facts(found)
    yield from _other_facts(found)


def _start_facts(found: Episodes, known: Offsets) -> Iterator[Fact]:
    starts = found.starts
    why = "the alert log has no complete start of the instance"
    whole = tuple(_evidence(each.begin) for each in starts)
    yield finished(text_fact(len(starts), whole, "measured"), "recovery.starts", "count")
    startup = _spans("starting", (each.startup for each in starts), why)
    mount = _spans("mounting", (each.mount for each in starts), why)
    yield finished(measured(startup), "recovery.startup_s", "s")
    yield finished(measured(mount), "recovery.mount_s", "s")
    note = "corresponds to INIT_TIME_AVG; median of the starts in the log"
    yield finished(_median(known.init_s, whole, why, note), "recovery.init_s", "s")
    note = (
        "corresponds to FOPEN_TIME_AVG; time to open minus recovery; an upper bound, because it "
        "includes archivers, undo and the dictionary"
    )
    yield finished(_median(known.open_s, whole, why, note), "recovery.file_open_s", "s")


def _median(value: float | None, proof: tuple[Evidence, ...], why: str, note: str) -> Fact:
    if value is None:
        return measured(Missing(why, ("alert_log",)))
    return text_fact(value, proof, "derived", note)


def _recovery_facts(found: Episodes, judged: tuple[Judged, ...], wanted: Wanted) -> Iterator[Fact]:
    last = found.recoveries[-1] if found.recoveries else None
    proof = tuple(_evidence(r.whole.begin) for r in found.recoveries if r.whole.begin)
    number = text_fact(len(found.recoveries), proof, "measured")
    yield finished(number, "recovery.recoveries", "count")
    for name, span in (
        ("total_s", last.whole if last else None),
        ("scan_s", last.scan if last else None),
        ("apply_s", last.apply if last else None),
    ):
        yield finished(_length(span), f"recovery.{name}", "s")
    if last is None:
        none = Missing("the alert log has no crash or instance recovery", ("alert_log",))
        for name, unit in (
            ("redo_read_mb", "MB"), ("blocks", "count"), ("achieved_s", "s"),
            ("desired_s", "s"), ("verdict", "name"),
        ):  # fmt: skip
            yield finished(measured(none), f"recovery.{name}", unit)
    else:
        yield from _amounts(found, last, judged[-1])
    for name, value in (
        ("estimated_s", wanted.estimated_mttr_s), ("kept_target_s", wanted.kept_target_s)
    ):  # fmt: skip
        if value is not None:
            note = "from the report given with --report"
            yield finished(text_fact(value, (), "measured", note), f"recovery.{name}", "s")
    yield finished(_target(found, wanted), "recovery.target_s", "s")


def _amounts(found: Episodes, last: Recovery, judged: Judged) -> Iterator[Fact]:
    started = last.start is not None and last.start < len(found.starts)
    whole = found.starts[last.start].whole if started and last.start is not None else last.whole
    proof = _of(last.whole)
    lacks = Missing("not in this alert log", ("alert_log",))
    redo = lacks if last.redo_kb is None else Figure(last.redo_kb, "KB of redo read", proof)
    yield finished(derive("redo / 1024", redo=redo), "recovery.redo_read_mb", "MB")
    blocks = lacks if last.blocks is None else Figure(last.blocks, "data blocks", proof)
    yield finished(measured(blocks), "recovery.blocks", "count")
    for name, value in (("achieved_s", judged.achieved_s), ("desired_s", judged.desired_s)):
        none = Missing(judged.why, ("alert_log",))
        lines = _of(whole if whole.seconds is not None else last.whole)
        fact = measured(none) if value is None else text_fact(value, lines, "derived")
        yield finished(fact, f"recovery.{name}", "s")
    verdict = text_fact(judged.verdict, proof, "derived", judged.why)
    yield finished(verdict, "recovery.verdict", "name")


def _length(span: Span | None) -> Fact:
    """The length of one span of the last recovery."""
    if span is None:
        return measured(Missing("the alert log has no crash or instance recovery", ("alert_log",)))
    if span.seconds is None:
        return measured(Missing("its beginning or end is not in the log", ("alert_log",)))
    return text_fact(span.seconds, _of(span), "derived", "time between two lines")


def _target(found: Episodes, wanted: Wanted) -> Fact:
    if wanted.target_s is not None:
        return text_fact(wanted.target_s, (), "measured", "given by the caller")
    if found.target_s is None:
        why = "FAST_START_MTTR_TARGET is not in the alert log"
        return measured(Missing(why, ("alert_log",)))
    events = found.log.of("target_set", "target_range", "target_unset", "parameters")
    events += [e for e in found.log.of("parameter")
               if e.values["name"] == "fast_start_mttr_target"]  # fmt: skip
    note = "" if found.target_s else "0 means that FAST_START_MTTR_TARGET is not set"
    proof = (_evidence(max(events, key=lambda e: e.line)),) if events else ()
    return text_fact(found.target_s, proof, "measured", note)


def _rate_facts(found: Episodes) -> Iterator[Fact]:
    labels = {
        "scan_bytes": ("scan_bytes_per_s", "B/s", "B of redo", "s of scanning"),
        "apply_bytes": ("apply_bytes_per_s", "B/s", "B of redo", "s of applying"),
        "apply_blocks": ("apply_blocks_per_s", "1/s", "data blocks", "s of applying"),
    }
    for which, each in amounts.rates(found).items():
        name, unit, what, time = labels[which]
        if each is None:
            lacks = Missing("no recovery in the log has both amount and times", ("alert_log",))
            yield finished(measured(lacks), f"recovery.{name}", unit)
            continue
        spans = [found.recoveries[n].scan if which == "scan_bytes" else found.recoveries[n].apply
                 for n in each.of]  # fmt: skip
        proof = _of(*spans[:_SHOWN])
        if each.value is None:
            why = (
                f"the total time is below the resolution of the clock ({found.log.resolution_s:g} "
                f"s): at least {each.low:,.0f} per second"
            )
            yield finished(measured(Missing(why, ("alert_log",))), f"recovery.{name}", unit)
            continue
        top = "more" if each.high is None else f"{each.high:,.0f}"
        fact = derive(
            "amount / seconds", f"{each.low:,.0f} to {top} by the resolution of the clock",
            amount=Figure(each.amount, what, proof), seconds=Figure(each.seconds, time),
        )  # fmt: skip
        yield finished(fact, f"recovery.{name}", unit)


def _other_facts(found: Episodes) -> Iterator[Fact]:
    log = found.log
    lengths = [r for r in found.reconfigurations if r.seconds is not None]
    if lengths:
        longest = max(lengths, key=lambda r: r.seconds or 0.0)
        fact = text_fact(longest.seconds, _of(longest.whole), "measured", "the longest")
    else:
        why = "the alert log has no reconfiguration of a cluster"
        fact = measured(Missing(why, ("alert_log",)))
    yield finished(fact, "recovery.reconfiguration_s", "s")
    counted = amounts.switches(log)
    hours = (
        Missing("the log covers less than an hour", ("alert_log",))
        if counted.hours is None or counted.hours < _LEAST_HOURS
        else Figure(counted.hours, "h")
    )
    for name, number, kind in (
        ("log_switches_per_hour", counted.switches, "log_switch"),
        ("log_waits_per_hour", counted.waits, "log_wait"),
        ("checkpoint_waits_per_hour", counted.for_checkpoint, "wait_checkpoint"),
    ):
        events = log.of(kind)
        proof = tuple(_evidence(e) for e in (*events[:1], *events[1:][-1:]))
        fact = derive("n / hours", n=Figure(number, kind.replace("_", " "), proof), hours=hours)
        yield finished(fact, f"recovery.{name}", "1/h")
    lags = amounts.checkpoint_lags(log)
    if lags:
        events = log.of("incremental_checkpoint")
        note = f"median of {len(lags)} incremental checkpoints, most {max(lags):,}"
        lag = text_fact(median(lags), (_evidence(events[-1]),), "derived", note)
        yield finished(lag, "recovery.checkpoint_lag_blocks", "count")
