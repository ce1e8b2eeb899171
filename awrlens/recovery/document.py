"""All data of an alert log as plain data: `recovery` in the JSON document."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from awrlens.recovery import amounts, judge, phases
from awrlens.recovery.episodes import Span

if TYPE_CHECKING:
    from awrlens.recovery.alertlog import Event, Log
    from awrlens.recovery.episodes import Episodes, Reconfiguration, Recovery
    from awrlens.recovery.judge import Judged


def of_log(found: Episodes, judged: tuple[Judged, ...]) -> dict[str, Any]:
    """All results as plain data, under `recovery` in the JSON document."""
    log = found.log
    counted = amounts.switches(log)
    return {
        "layout": log.layout,
        "lines": log.lines,
        "unknown_lines": log.unknown_lines,
        "resolution_s": log.resolution_s,
        "rates": {
            f"{name}_per_s": each and {"value": each.value, "low": each.low, "high": each.high}
            for name, each in amounts.rates(found).items()
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
        "log_switches": counted._asdict(),
    }


def _place(event: Event) -> dict[str, Any]:
    return {"at": iso(event.at), "line": event.line}


def _start(number: int, found: Episodes) -> dict[str, Any]:
    start = found.starts[number]
    return {
        **_place(start.begin), "release": start.release,
        "startup_s": start.startup.seconds, "mount_s": start.mount.seconds,
        "open_s": start.open.seconds, "file_open_s": judge.open_s(number, found),
        "total_s": start.whole.seconds, "recovery": start.recovery,
    }  # fmt: skip


def _recovery(each: Recovery, verdict: Judged, log: Log) -> dict[str, Any]:
    begin = each.whole.begin
    return {
        **(_place(begin) if begin else {}), "kind": each.kind, "threads": each.threads,
        "total_s": each.whole.seconds, "scan_s": each.scan.seconds, "apply_s": each.apply.seconds,
        "redo_kb": each.redo_kb, "blocks": each.blocks, "applied_mb": each.applied_mb,
        "scan_kb_per_s": _rate(each.redo_kb, each.scan.seconds, log),
        "apply_blocks_per_s": _rate(each.blocks, each.apply.seconds, log),
        "target_s": each.target_s, "achieved_s": verdict.achieved_s,
        "desired_s": verdict.desired_s, "verdict": verdict.verdict, "why": verdict.why,
    }  # fmt: skip


def _rate(amount: float | None, seconds: float | None, log: Log) -> dict[str, Any] | None:
    found = amounts.rate([(0, amount, seconds)], log.resolution_s)
    return None if found is None else {"value": found.value, "low": found.low, "high": found.high}


def _reconfiguration(each: Reconfiguration) -> dict[str, Any]:
    begin = each.whole.begin
    steps = []
    for step in each.steps:
        passed = Span(begin, step).seconds
        steps.append({"line": step.line, "offset_s": passed, "text": step.values["step"]})
    return {**(_place(begin) if begin else {}), "seconds": each.seconds, "steps": steps}


def iso(at: Any) -> str | None:  # noqa: ANN401 - a datetime or None
    """A time as ISO 8601, to the second."""
    return None if at is None else at.isoformat(timespec="seconds")
