"""The head of every page: database, interval, load, and how a figure is worded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.render import present, sqlserver_words
from awrlens.render.quantity import counted, duration, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Analysis, Evidence, Fact

#: Figures that are shown, with their line, only if they are not 0.
_NOT_WITHOUT: Final = ("pga.above_target_mb", "pga.over_allocations")

#: Units of figures that a report rounds to 0, although there was something: lists have only events
#: that were waited for, and a load has sessions that did something. Estimates are from other cells.
_ROUNDED: Final = ("s", "1/s")


def facts_of(analysis: Analysis) -> Mapping[str, Fact]:
    """The current facts: for a compare-period report, those of the second period."""
    return analysis.periods[1].facts if analysis.periods else analysis.facts


def who(analysis: Analysis) -> str:
    """The subject of the report: database, instance, release, host and CPUs."""
    if analysis.is_log:
        return present.safe(sqlserver_words.who(analysis))
    facts = facts_of(analysis)
    return subject(
        analysis.report,
        *(str(facts[name].value or "") if name in facts else ""
          for name in ("database.edition", "database.role")),
    )  # fmt: skip


def subject(report: Mapping[str, Any], edition: str = "", role: str = "") -> str:
    """Database, instance, release, host and CPUs."""
    database = report["db_name"] or "unknown database"
    parts = [
        f"{database}/{report['instance']}" if report["instance"] else database,
        f"{report['release'] or 'unknown release'} {edition}".strip(),
        "RAC" if report["rac"] else "",
        role.lower(),
        f"container {report['container']}" if report["container"] else "",
    ]
    cpus = f"{report['cpus']} CPU{'' if report['cpus'] == 1 else 's'}" if report["cpus"] else ""
    parts.append(
        ", ".join(filter(None, (f"host {report['host']}" if report["host"] else "", cpus)))
    )
    return present.safe(" · ".join(filter(None, parts)))


def when(analysis: Analysis) -> str:
    """The kind of report and its interval."""
    kind = present.KINDS.get(analysis.report["kind"], analysis.report["kind"])
    return " · ".join(filter(None, (present.safe(kind), interval(analysis.report))))


def interval(report: Mapping[str, Any]) -> str:
    """Begin, end, length and snapshots of an interval."""
    parts = []
    if report["begin_time"]:
        parts.append(present.times(report))
    if report["elapsed_s"]:
        parts.append(duration(report["elapsed_s"]))
    if report["begin_snap"] is not None:
        parts.append(f"snapshots {report['begin_snap']}-{report['end_snap']}")
    return present.safe(" · ".join(parts))


def load(analysis: Analysis) -> str:
    """The load: active sessions against CPUs, transactions, DB time."""
    if analysis.overview is None:
        return ""
    facts = facts_of(analysis)
    sessions, cpus = analysis.overview.active_sessions, analysis.overview.cpus
    parts = []
    if sessions is not None:
        on = f" on {cpus} CPU{'' if cpus == 1 else 's'}" if cpus else ""
        parts.append(f"{short(sessions)} average active sessions{on}")
    for name, words in (
        ("load.transactions_per_s", "{} transactions"), ("load.executes_per_s", "{} executions"),
    ):  # fmt: skip
        if shown := figure(facts, name, words):
            parts.append(shown.replace("s/s", "/s") if shown.startswith("1 ") else shown)
    if analysis.report["db_time_s"]:
        parts.append(f"DB time {duration(analysis.report['db_time_s'])}")
    return " · ".join(parts)


def _step(cell: Evidence) -> float:
    """The last digit of a cell that prints 0: ``0.0`` is less than 0.1; 0 for any other cell."""
    digits = cell.text.strip().removeprefix("-")
    decimals = digits.partition(".")[2]
    return 10.0 ** -len(decimals) if digits and not digits.strip("0.") else 0.0


def figure(facts: Mapping[str, Fact], name: str, words: str, *, clock_10_ms: bool = False) -> str:
    """A fact in words (``commit {}``); empty if it is not known."""
    fact = facts.get(name)
    if fact is None or fact.value is None or (name in _NOT_WITHOUT and not fact.number):
        return ""
    if name in _NOT_WITHOUT:
        words += "".join(f" (line {each.line})" for each in fact.evidence[:1] if each.line)
    by = facts.get("redo.local_write_by")
    if name == "redo.local_write_ms" and by is not None and by.value == "counter":
        words += " by LGWR's counter"
    if fact.number is not None and fact.unit == "ms":
        if fact.number == 0 or (clock_10_ms and fact.number < 1):
            return words.format("< 1 ms")  # rounded away: no device is so fast
        if clock_10_ms:
            return words.format(f"{short(round(fact.number))} ms")
    counts = fact.number == 0 and fact.unit in _ROUNDED and fact.status != "estimated"
    if counts and (step := max(map(_step, fact.evidence), default=0)):
        return counted(step, fact.unit, words.replace("{}", "< {}"))
    if fact.number is not None:
        return counted(fact.number, fact.unit, words)
    return words.format(present.safe(str(fact.value)))
