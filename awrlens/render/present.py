"""Wording that all renderers share: numbers, the headline, labels; and what makes text safe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from awrlens.model import with_parts
from awrlens.render import logs
from awrlens.units import UNIT_SIGNS, plain
from awrlens.weigh import in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Analysis, Fact, Finding, Impact, Recommendation

#: Control characters, and those that change the direction of text: a report is untrusted.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")

KINDS: Final = {
    "statspack-text": "Statspack text",
    "awr-text": "AWR text",
    "awr-html": "AWR HTML",
    "awr-rac-text": "AWR RAC text",
    "awr-rac-html": "AWR RAC HTML",
    "awr-diff-text": "AWR compare-period text",
    "awr-diff-html": "AWR compare-period HTML",
    "sqlserver-errorlog": "SQL Server error log",
    "sqlserver-xevents": "SQL Server Extended Events",
    "oracle-alert-log": "Oracle alert log",
}
OVERLAP: Final = "Findings overlap: their seconds are parts of one DB time and do not add up."
#: From this factor on a change is told as a factor.
_TIMES: Final = 3
VERDICTS: Final = {
    "apply": "recommended",
    "tune-first": "tune first",
    "no-benefit": "no benefit",
    "need-data": "insufficient data",
}


#: How a part of the write path is, by its worst finding.
FELT: Final = {
    "critical": "critical",
    "warning": "warning",
    "info": "info",
    "ok": "no finding",
    "unknown": "insufficient data",
}


def safe(text: str) -> str:
    """Text that can harm neither a terminal nor a page: control characters are taken out."""
    return _UNSAFE.sub("", text.replace("\n", " ").replace("\t", " "))


#: A blank at which no line is broken.
NO_BREAK: Final = "\u00a0"


def together(text: str) -> str:
    """Words that stay on one line."""
    return text.replace(" ", NO_BREAK)


def cut(text: str, width: int) -> str:
    """A text that fits; what is left out is marked."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


#: What CI servers take for a command: at the beginning of a line, or anywhere in it.
COMMAND_LINE: Final = re.compile(r"^([^\S\n]*):(?=:)", re.M)
COMMAND: Final = re.compile(r"#(?=#(?:\[|vso\[|teamcity\[))", re.I)
#: A cell that begins so is a formula to a spreadsheet.
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def inert(text: str) -> str:
    """Lines of which a CI server takes none for a command: `::` and `##[` are pulled apart."""
    if "::" not in text and "##" not in text:
        return text
    return COMMAND.sub("# ", COMMAND_LINE.sub(r"\1: ", text))


def cell(value: object) -> object:
    """A cell of a CSV file that no spreadsheet takes for a formula, without control characters."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = inert(safe(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def number(value: float) -> str:
    """A number for people: thousands separated, up to four significant digits."""
    if value == int(value) or abs(value) >= 1000:  # noqa: PLR2004
        return f"{value:,.0f}"
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    return f"{value:.6f}".rstrip("0") if abs(value) >= 1e-6 else f"{value:.2g}"  # noqa: PLR2004


def fact_value(fact: Fact) -> str:
    """A fact's value with its unit; why it is not there otherwise."""
    if fact.value is None:
        return f"unavailable: {fact.note}"
    if isinstance(fact.value, tuple):
        return ", ".join(fact.value)
    if isinstance(fact.value, str):
        return fact.value
    return f"{number(fact.value)} {UNIT_SIGNS.get(fact.unit, fact.unit)}".strip()


def impact(value: Impact) -> str:
    """Seconds and share, as far as known."""
    parts = []
    if value.pct_db_time is not None:
        parts.append(f"{value.pct_db_time:.1f} % of DB time")
    if value.seconds is not None:
        parts.append(f"{value.seconds:,.0f} s")
    return ", ".join(parts)


def weight(finding: Finding) -> str:
    """What a finding's severity rests on: its weight in one clause, else its impact."""
    seconds = finding.impact.seconds
    words = in_words(finding.weight)
    if not words:
        return impact(finding.impact)
    return words if seconds is None else f"{words}, {seconds:,.0f} s in all"


def lines_of(fact: Fact) -> str:
    """Where a fact stands in the report: its lines."""
    lines = sorted({item.line for item in fact.evidence if item.line is not None})
    if not lines:
        return ""
    shown = ", ".join(map(str, lines[:6])) + (" …" if len(lines) > 6 else "")  # noqa: PLR2004
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}"


def identity(analysis: Analysis) -> str:
    """One line that says which report this is."""
    report = analysis.report
    database = report["db_name"] or "database name not printed"
    parts = [
        logs.who(analysis)
        if analysis.is_log
        else f"{database}/{report['instance']}"
        if report["instance"]
        else database,
        *([] if analysis.is_log else [report["release"] or "release not printed"]),
        KINDS.get(report["kind"], report["kind"]),
    ]
    if report["begin_snap"] is not None:
        parts.append(f"snapshots {report['begin_snap']}-{report['end_snap']}")
    if report["begin_time"]:
        parts.append(times(report))
    for name, label in (("elapsed_s", "elapsed"), ("db_time_s", "DB time")):
        if report[name] is not None:
            parts.append(f"{label} {number(report[name])} s")
    return safe(" · ".join(parts))


def times(report: Mapping[str, Any]) -> str:
    """When the interval began and ended; the day once where it is one."""
    begin, end = report["begin_time"], report["end_time"] or ""
    same_day = begin.split("T")[0] == end.split("T")[0]
    until = end.split("T")[-1] if same_day else end.replace("T", " ")
    return f"{begin.replace('T', ' ')} to {until}"


def headline(analysis: Analysis) -> str:
    """What hurts and what to do first, in one sentence."""
    if analysis.recovery is not None:
        return safe(str(analysis.recovery["headline"]))
    return safe(analysis.headline or logs.headline(analysis))


def parts_title(analysis: Analysis) -> str:
    """What the parts of a report are."""
    if analysis.databases:
        return "Databases"
    return "Periods" if analysis.periods else "Instances"


def parts(analysis: Analysis) -> list[tuple[str, str, Analysis]]:
    """Instances or periods of a report: what each is called, its interval, its analysis."""
    named = [
        (f"instance {part.report['instance_number']}", part) for part in analysis.instances
    ] + list(zip(("first period", "second period"), analysis.periods, strict=False))
    if len(analysis.databases) > 1:  # of one alone the page tells everything
        named += [(safe(logs.database(part)), part) for part in analysis.databases]
    return [(name, interval(part), part) for name, part in named]


def interval(analysis: Analysis) -> str:
    """Where and when a part of a report was taken."""
    report = analysis.report
    if analysis.is_log:
        total = analysis.facts["sqlserver.checkpoint_total_s"]
        return "" if total.value is None else f"{fact_value(total)} of checkpoints"
    found = [report["instance"] or "", report["host"] or ""]
    if report["begin_time"] and analysis.report["end_time"]:
        found.append(times(report))
    if report["db_time_s"] is not None:
        found.append(f"DB time {number(report['db_time_s'])} s")
    return safe(", ".join(filter(None, found)))


def differences(analysis: Analysis) -> list[tuple[str, str, str, str]]:
    """Facts that moved beyond noise between two periods: name, both values, change."""
    comparison = analysis.comparison
    return [
        (
            item.name,
            f"{number(item.first)} {UNIT_SIGNS.get(item.unit, item.unit)}".strip(),
            f"{number(item.second)} {UNIT_SIGNS.get(item.unit, item.unit)}".strip(),
            _change(item.first, item.second, item.change_pct),
        )
        for item in (comparison.facts if comparison else ())
        if item.told and item.first != item.second
    ]


def _change(first: float, second: float, change_pct: float | None) -> str:
    if change_pct is None:
        return "new"
    if first > 0 and second >= _TIMES * first:
        return f"× {second / first:.1f}"
    return f"{change_pct:+.1f} %"


def changed_parameters(analysis: Analysis) -> list[tuple[str, str, str]]:
    """Parameters with another value in the second period."""
    comparison = analysis.comparison
    return [
        (safe(item.name), safe(item.first) or "not printed", safe(item.second) or "not printed")
        for item in (comparison.parameters if comparison else ())
    ]


def facts_of(finding: Finding) -> list[Fact]:
    """The facts that a finding and what contributes to it rest on, each once."""
    return list(
        {fact.name: fact for part in with_parts((finding,)) for fact in part.facts}.values()
    )


def contributing(finding: Finding) -> list[tuple[str, str, str]]:
    """Rule, title and explanation of each finding that is a cause or a part of this one."""
    return [(part.id, safe(part.title), safe(part.why)) for part in finding.contributing]


def finding_facts(finding: Finding) -> list[tuple[str, str, str, str]]:
    """Name, value, formula or note, and place of each fact that a finding rests on."""
    return [
        (
            fact.name,
            safe(fact_value(fact)),
            safe(fact.formula or fact.note),
            lines_of(fact),
        )
        for fact in facts_of(finding)
    ]


def benefit(item: Recommendation) -> str:
    """What a recommendation would save: seconds, share of DB time, sessions freed."""
    if not item.benefit.seconds or item.benefit.seconds < 1:
        return ""
    freed = item.benefit.sessions
    sessions = "" if freed is None or freed < 0.01 else f", {plain(freed, 2)} sessions freed"  # noqa: PLR2004
    return f"saves about {impact(item.benefit)}{sessions} ({item.benefit.basis})"


def overlap(analysis: Analysis) -> str:
    """A word of warning where several findings have seconds."""
    felt = [each for each in analysis.findings if each.impact.seconds and each.severity != "ok"]
    return OVERLAP if len(felt) > 1 else ""
