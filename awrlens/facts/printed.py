"""Facts that a budget asks for by Oracle's own names: an event, a statistic, a parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.facts.formula import Figure, Missing, derive, finished, measured, unavailable
from awrlens.facts.redo_tail import percentile_ms
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.facts.figures import Event, Figures
    from awrlens.model import Fact


def event(f: Figures, name: str, field: str, percent: int | None = None) -> Fact:
    """What is printed of a wait event: of sessions, else of background processes."""
    if percent is not None:
        return percentile_ms(name, percent)(f)
    found = next((e for e in (f.foreground(name), f.background(name)) if _is_printed(e)), None)
    if found is None:
        # it may not have been waited for, or be called otherwise: neither is 0
        why = f"`{name}` is in no list of wait events"
        return unavailable(Missing(why, ("foreground_events", "background_events")))
    match field:
        case "avg_ms":
            return found.each_ms
        case "waits":
            return measured(found.waits)
        case "total_s":
            return measured(found.total_s)
        case "waits_per_s":
            return derive("waits / elapsed", waits=found.waits, elapsed=f.elapsed)
        case "pct_db_time":
            return derive("total * 100 / whole", total=found.total_s, whole=f.response)
    return measured(found.timeout_pct)


def _is_printed(event: Event) -> bool:
    return any(isinstance(each, Figure) and each.evidence for each in (event.total_s, event.waits))


def statistic(f: Figures, name: str, field: str) -> Fact:
    """What is printed of an instance statistic."""
    total = f.stat(name, "")
    match field:
        case "per_s":
            return derive("total / elapsed", total=total, elapsed=f.elapsed)
        case "per_txn":
            commits, rollbacks = f.stat("user commits", ""), f.stat("user rollbacks", "")
            return derive(
                "total / (commits + rollbacks)", total=total, commits=commits, rollbacks=rollbacks
            )
    return measured(total)


def parameter(f: Figures, name: str, field: str) -> Fact:
    """An initialization parameter at the end of the interval; ``value``: as a number."""
    found = f.parameter(name)
    if found is None:
        why = "is not printed: only parameters that are set are"
        return unavailable(Missing(f"parameter `{name}` {why}", ("parameters",)))
    text, evidence = found
    if field != "value":
        return finished(measured(Figure(0, "", (evidence,))), "", "text")._replace(value=text)
    number = parse_number(text, "count")
    if number is None:
        return unavailable(Missing(f"parameter `{name}` is `{text}`, no number", ("parameters",)))
    return measured(Figure(number, "", (evidence,), text))
