"""All data of an alert log as plain data: `recovery` in the JSON document."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from awrlens.recovery import amounts, judge, phases
from awrlens.recovery.episodes import Span

if TYPE_CHECKING:
    from awrlens.model.recovery_document import (
        LogDocument,
        LoggedRecovery,
        PlaceDocument,
        RateDocument,
        ReconfigurationDocument,
        StartDocument,
    )
    from awrlens.recovery.alertlog import Event, Log
    from awrlens.recovery.amounts import Rate
    from awrlens.recovery.episodes import Episodes, Reconfiguration, Recovery
    from awrlens.recovery.judge import Judged


def of_log(found: Episodes, judged: tuple[Judged, ...]) -> LogDocument:
    """All results as plain data, under `recovery` in the JSON document."""
    log = found.log
    counted, rates = amounts.switches(log), amounts.rates(found)
    return {
        "layout": log.layout,
        "lines": log.lines,
        "unknown_lines": log.unknown_lines,
        "resolution_s": log.resolution_s,
        "rates": {
            "scan_bytes_per_s": _rate(rates["scan_bytes"]),
            "apply_bytes_per_s": _rate(rates["apply_bytes"]),
            "apply_blocks_per_s": _rate(rates["apply_blocks"]),
        },
        "events": dict(Counter(event.kind for event in log.events)),
        "episodes": phases.of_log(found),
        "starts": [_start(n, found) for n in range(len(found.starts))],
        "recoveries": [
            _recovery(each, verdict, log)
            for each, verdict in zip(found.recoveries, judged, strict=True)
        ],
        "reconfigurations": [_reconfiguration(each) for each in found.reconfigurations],
        "out_of_range": [
            {"line": e.line, "wanted_s": e.number("wanted"), "used_s": e.number("used")}
            for e in found.ranges
        ],
        "log_switches": {
            "switches": counted.switches, "waits": counted.waits,
            "for_checkpoint": counted.for_checkpoint, "for_strand": counted.for_strand,
            "for_archiver": counted.for_archiver, "hours": counted.hours,
            "busiest": counted.busiest, "most": counted.most, "worst": counted.worst,
            "most_waits": counted.most_waits,
        },
    }  # fmt: skip


def _place(event: Event) -> PlaceDocument:
    return {"at": iso(event.at), "line": event.line}


def _start(number: int, found: Episodes) -> StartDocument:
    start = found.starts[number]
    return {
        **_place(start.begin), "release": start.release,
        "startup_s": start.startup.seconds, "mount_s": start.mount.seconds,
        "open_s": start.open.seconds, "file_open_s": judge.open_s(number, found),
        "total_s": start.whole.seconds, "recovery": start.recovery,
    }  # fmt: skip


def _recovery(each: Recovery, verdict: Judged, log: Log) -> LoggedRecovery:
    return {
        **_place(each.begin), "kind": each.kind, "threads": each.threads,
        "total_s": each.whole.seconds, "scan_s": each.scan.seconds, "apply_s": each.apply.seconds,
        "redo_kb": each.redo_kb, "blocks": each.blocks, "applied_mb": each.applied_mb,
        "scan_kb_per_s": _rate_of(each.redo_kb, each.scan.seconds, log),
        "apply_blocks_per_s": _rate_of(each.blocks, each.apply.seconds, log),
        "target_s": each.target_s, "achieved_s": verdict.achieved_s,
        "desired_s": verdict.desired_s, "verdict": verdict.verdict, "why": verdict.why,
    }  # fmt: skip


def _rate_of(amount: float | None, seconds: float | None, log: Log) -> RateDocument | None:
    return _rate(amounts.rate([(0, amount, seconds)], log.resolution_s))


def _rate(found: Rate | None) -> RateDocument | None:
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high}


def _reconfiguration(each: Reconfiguration) -> ReconfigurationDocument:
    return {
        **_place(each.begin),
        "seconds": each.seconds,
        "steps": [
            {"line": step.line, "offset_s": Span(each.begin, step).seconds,
             "text": step.values["step"]}
            for step in each.steps
        ],
    }  # fmt: skip


def iso(at: Any) -> str | None:  # noqa: ANN401 - a datetime or None
    """A time as ISO 8601, to the second."""
    return None if at is None else at.isoformat(timespec="seconds")
