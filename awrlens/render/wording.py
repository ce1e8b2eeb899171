"""Wording shared by all renderers: numbers in DBA style, headline, labels; and safe text."""

from __future__ import annotations

import re
from math import isclose
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import regex
from awrlens.model import with_parts
from awrlens.render.lines import NO_BREAK
from awrlens.severity import SHOWN_SESSIONS, in_words, of_each
from awrlens.units import UNIT_SIGNS, listed, plain, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from awrlens.model import Analysis, Fact, Finding, Impact, Recommendation
    from awrlens.render.lines import Line


_MINUTE, _HOUR, _DAY = 60, 3600, 86400
#: Limits for changing to the next larger unit, and for omitting the next smaller one.
_TWO, _TEN = 2, 10
#: Sizes in bytes, with their names.
_SIZES: Final = ((2**40, "TB"), (2**30, "GB"), (2**20, "MB"), (2**10, "KB"), (1, "B"))
#: Smaller numbers are shown as 0.
_LEAST: Final = 1e-9


def short(value: float) -> str:
    """A number with three significant digits, thousands separated: ``9.3``, ``217``, ``5,480``."""
    return "0" if abs(value) < _LEAST else plain(value)


def percent(value: float) -> str:
    """A share: whole per cent from 10, one decimal below, ``< 0.1 %`` for tiny shares."""
    if value >= _TEN:
        return f"{value:.0f} %"
    if 0 < value < 0.1:  # noqa: PLR2004 - less than one decimal shows
        return "< 0.1 %"
    return f"{value:.1f}".removesuffix(".0") + " %"


def size(value: float, suffix: str = "") -> str:
    """Bytes in the largest unit that gives at least 1: ``1.92 MB``."""
    factor, name = next((unit for unit in _SIZES if abs(value) >= unit[0]), _SIZES[-1])
    return f"{short(value / factor)} {name}{suffix}"


def seconds(value: float) -> str:
    """Seconds of a recovery, to be compared with each other: ``141 s``, ``2.4 s``, ``90 ms``."""
    return f"{short(value * 1000)} ms" if 0 < value < 1 else f"{short(value)} s"


def dash_seconds(value: float | None) -> str:
    """Seconds of a recovery in a cell; ``-`` if they are not known."""
    return "-" if value is None else seconds(value)


def count(number: float, one: str, many: str = "") -> str:
    """A whole number with its noun: ``0 gaps``, ``1 gap``, ``1,200 gaps``."""
    return f"{number:,.0f} {one if number == 1 else many or f'{one}s'}"


def file_name(source: str) -> str:
    """The name of a file without its folder, which is of the analyst's machine."""
    return source.replace("\\", "/").rpartition("/")[2]


def duration(passed: float) -> str:
    """A length of time: ``1.7 ms``, ``17 s``, ``1 h 02 min``, ``6 d 4 h``, ``765 d``."""
    if 0 < passed < 1:
        return f"{short(passed * 1000)} ms"
    if passed < _TWO * _MINUTE:
        return f"{short(passed)} s"
    minutes = round(passed / _MINUTE)
    if minutes < _MINUTE:
        return f"{minutes} min"
    if passed < _TWO * _DAY:
        hours, rest = divmod(minutes, _MINUTE)
        return f"{hours} h {rest:02} min" if rest else f"{hours} h"
    hours = round(passed / _HOUR)
    days, rest = divmod(hours, _DAY // _HOUR)
    return f"{days} d {rest} h" if rest and days < _TEN else f"{days:,} d"


#: Units of a rate, and their suffixes.
_RATES: Final = {"1/s": "/s", "1/h": "/h", "1/txn": "/transaction"}


def counted(value: float, unit: str, of: str) -> str:
    """A number in a phrase with a placeholder: ``39 commits/s``."""
    if unit in _RATES:
        return of.format(short(value)) + _RATES[unit]
    return of.format(in_unit(value, unit))


def in_unit(value: float, unit: str) -> str:
    """A fact's value with a readable unit."""
    if unit == "%":
        return percent(value)
    if unit == "s":
        return duration(value)
    if unit == "min":
        return duration(value * _MINUTE)
    if unit in ("B", "B/s"):
        return size(value, unit[1:])
    if unit == "MB":
        return size(value * 2**20)
    if unit in ("count", "ratio"):
        return short(value)
    return short(value) + _RATES.get(unit, f" {unit}")


def who(analysis: Analysis) -> str:
    """The server that wrote the log."""
    report = analysis.report
    name = report["instance"] or "unknown server"
    return f"{name} · {report['release'] or 'unknown release'}"


#: Control characters and direction marks: a report is untrusted.
_UNSAFE = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")

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
#: The value of a parameter that is not in a report.
ABSENT: Final = "not in the report"
#: Changes of at least this factor are given as a factor.
TIMES: Final = 3
#: A unit of comparison after an amount.
PER: Final = {"second": "s", "transaction": "txn", "execute": "exec"}
VERDICTS: Final = {
    "apply": "recommended",
    "tune-first": "tune first",
    "no-benefit": "no benefit",
    "need-data": "insufficient data",
}


def label(analysis: Analysis, item: Recommendation) -> str:
    """What to do about it, as on the first screen: the urgency of an action, or the verdict."""
    return analysis.urgency(item) if item.status == "apply" else VERDICTS[item.status].capitalize()


def state(severity: str) -> str:
    """The state of a part of the write path, by its worst finding."""
    return {"ok": "no finding", "unknown": "insufficient data"}.get(severity, severity)


def safe(text: str) -> str:
    """Text without control characters, safe for terminals and pages."""
    text = text.replace("\n", " ").replace("\t", " ")
    # none of the removed characters is printable; this is many times as fast as the pattern
    return text if text.isprintable() else _UNSAFE.sub("", text)


def together(text: str) -> str:
    """Words that stay on one line."""
    return text.replace(" ", NO_BREAK)


def cut(text: str, width: int) -> str:
    """A text truncated to a width, with an ellipsis."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


#: Commands of CI servers: at the beginning of a line, or anywhere in it.
COMMAND_LINE: Final = regex(r"^([^\S\n]*):(?=:)", re.M)
COMMAND: Final = regex(r"#(?=#(?:\[|vso\[|teamcity\[))", re.I)
#: Spreadsheets interpret cells with these prefixes as formulas.
_FORMULA: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def inert(text: str) -> str:
    """Lines without commands of CI servers: `::` and `##[` are split."""
    if "::" not in text and "##" not in text:
        return text
    return COMMAND.sub("# ", COMMAND_LINE.sub(r"\1: ", text))


def cell(value: object) -> object:
    """A cell of a CSV file that is not a formula to spreadsheets, without control characters."""
    if not isinstance(value, str):
        return "" if value is None else value
    text = inert(safe(value))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, their cells as ``cell`` gives them."""
    import csv
    from io import StringIO

    buffer = StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(map(cell, row) for row in rows)
    return buffer.getvalue()


def number(value: float) -> str:
    """A number for people: thousands separated, up to four significant digits."""
    return show(round(value) if abs(value) >= 1000 else value)  # noqa: PLR2004


def measured(value: float, unit: str) -> str:
    """A number with the sign of its unit."""
    return f"{number(value)} {UNIT_SIGNS.get(unit, unit)}".strip()


def fact_value(fact: Fact) -> str:
    """A fact's value with its unit, or the reason why it is unavailable."""
    if fact.value is None:
        return f"unavailable: {fact.note}"
    if isinstance(fact.value, tuple):
        return ", ".join(fact.value)
    if isinstance(fact.value, str):
        return fact.value
    return measured(fact.value, fact.unit)


def impact(value: Impact) -> str:
    """Share and seconds, as far as known."""
    parts = []
    if value.pct_db_time is not None:
        tiny = 0 < value.pct_db_time < 0.1  # noqa: PLR2004 - less than one decimal shows
        share = "less than 0.1" if tiny else f"{from_least(value, '.1f')}{value.pct_db_time:.1f}"
        parts.append(f"{share} % of {value.base}")
    if value.seconds is not None:
        at_most = "at most " if value.least_pct_db_time else ""
        parts.append(f"{at_most}{value.seconds:,.0f} s")
    return ", ".join(parts)


def from_least(value: Impact, digits: str) -> str:
    """What comes before the largest share of a range: ``3.1 to ``, or ``up to `` from 0 on."""
    least = value.least_pct_db_time
    return "" if least is None else f"{least:{digits}} to " if least else "up to "


def saving(value: Impact) -> str:
    """Share and seconds that a change saves, which is an estimate; empty if it is not known."""
    saved = impact(value)
    about = "at least" if value.at_least else "about"
    return saved if not saved or saved.startswith(("less than", "up to")) else f"{about} {saved}"


def weight(finding: Finding) -> str:
    """The basis of a finding's severity: its weight in one clause, or its impact."""
    seconds = finding.impact.seconds
    words = in_words(finding.weight)
    if not words:
        return impact(finding.impact)
    waiting, whole = finding.weight.waiting_sessions, finding.impact.sessions
    other = None not in (waiting, whole) and not isclose(waiting or 0, whole or 0, rel_tol=0.01)
    if seconds is None or other:  # the seconds are of other waits, too
        return words
    total = f"{seconds:,.0f}" if seconds >= 1 else plain(seconds, 2)
    return f"{words}, {total} s in total"


def lines_of(fact: Fact) -> str:
    """The source lines of a fact in the report."""
    lines = sorted({item.line for item in fact.evidence if item.line is not None})
    if not lines:
        return ""
    shown = ", ".join(map(str, lines[:6])) + (" …" if len(lines) > 6 else "")  # noqa: PLR2004
    return f"line {shown}" if len(lines) == 1 else f"lines {shown}"


def kind(report: Mapping[str, Any]) -> str:
    """The kind of a report."""
    return KINDS.get(report["kind"], str(report["kind"]))


def identity(analysis: Analysis) -> str:
    """The report's identity in one line."""
    report = analysis.report
    names = [report["db_name"] or "unknown database", report["instance"]]
    oracle = ["/".join(filter(None, names)), report["release"] or "unknown release"]
    parts = [who(analysis)] if analysis.is_log else oracle
    parts.append(kind(report))
    if report["begin_snap"] is not None:
        parts.append(f"snapshots {report['begin_snap']}-{report['end_snap']}")
    if report["begin_time"]:
        parts.append(times(report))
    for seconds, label in ((report["elapsed_s"], "elapsed"), (report["db_time_s"], "DB time")):
        if seconds is not None:
            parts.append(f"{label} {number(seconds)} s")
    return safe(" · ".join(parts))


def times(report: Mapping[str, Any]) -> str:
    """Begin and end of the interval; the date only once if it is the same."""
    begin, end = report["begin_time"], report["end_time"] or ""
    same_day = begin.split("T")[0] == end.split("T")[0]
    until = end.split("T")[-1] if same_day else end.replace("T", " ")
    return f"{begin.replace('T', ' ')} to {until}"


def headline(analysis: Analysis) -> str:
    """The main problem and the first action, in one sentence."""
    said = analysis.headline if analysis.recovery is None else analysis.recovery["headline"]
    return safe(str(said))


def headline_lines(analysis: Analysis) -> list[str]:
    """The headline in short lines, without the first action, which follows them."""
    lines = analysis.headline_lines if analysis.recovery is None else ()
    return [*map(safe, lines)] or [headline(analysis)]


def parts_title(analysis: Analysis) -> str:
    """The heading for the parts of a report."""
    if analysis.databases:
        return "Databases"
    return "Periods" if analysis.periods else "Instances"


def parts(analysis: Analysis) -> list[tuple[str, str, Analysis]]:
    """Instances or periods of a report: name, interval, analysis."""
    named = [(f"instance {e.report['instance_number']}", e) for e in analysis.instances]
    named += zip(("first period", "second period"), analysis.periods, strict=False)
    for part in analysis.databases if len(analysis.databases) > 1 else ():  # else it is the page
        name, number = part.report["db_name"], part.report["db_id"]
        named.append((safe(f"{name} (database {number})" if name else f"database {number}"), part))
    return [(name, interval(part), part) for name, part in named]


def skipped(analysis: Analysis) -> list[tuple[str, tuple[str, ...]]]:
    """Every reason for skipped rules once, with the rules; `--explain` has the facts of a rule."""
    by_cause: dict[str, dict[str, None]] = {}
    for skip in analysis.skipped:
        for cause in skip.causes or (skip.reason,):
            by_cause.setdefault(safe(cause), {})[skip.rule] = None
    return [(cause, tuple(rules)) for cause, rules in by_cause.items()]


def interval(analysis: Analysis) -> str:
    """Instance, host and interval of a part of a report."""
    report = analysis.report
    if analysis.is_log:
        total = analysis.facts["sqlserver.checkpoint_total_s"]
        return "" if total.value is None else f"{fact_value(total)} of checkpoints"
    texts = [report["instance"], report["host"]]
    if report["begin_time"] and analysis.report["end_time"]:
        texts.append(times(report))
    if report["db_time_s"] is not None:
        texts.append(f"DB time {number(report['db_time_s'])} s")
    return safe(", ".join(filter(None, texts)))


def differences(analysis: Analysis) -> list[tuple[str, str, str, str]]:
    """The facts that changed beyond noise between two periods: name, both values, change."""
    if analysis.comparison is None:
        return []
    return [
        (fact.name, measured(fact.first, fact.unit), measured(fact.second, fact.unit),
         _change(fact.first, fact.second, fact.change_pct))
        for fact in analysis.comparison.facts
        if fact.significant and fact.first != fact.second
    ]  # fmt: skip


def _change(first: float, second: float, change_pct: float | None) -> str:
    if change_pct is None:
        return "new"
    if first > 0 and second >= TIMES * first:
        return f"× {second / first:.1f}"
    return f"{change_pct:+.1f} %"


def changed_parameters(analysis: Analysis) -> list[tuple[str, str, str]]:
    """Parameters that differ in the second period, without names and paths."""
    return [
        (safe(item.name), safe(item.first) or ABSENT, safe(item.second) or ABSENT)
        for item in (analysis.comparison.parameters if analysis.comparison else ())
        if item.about != "name"
    ]


def facts_of(finding: Finding) -> list[Fact]:
    """The facts of a finding and of its contributing findings, without duplicates."""
    return list(
        {fact.name: fact for part in with_parts((finding,)) for fact in part.facts}.values()
    )


def contributing(finding: Finding) -> list[tuple[str, str, str]]:
    """Rule, title and explanation of the findings that are a cause or a part of this one."""
    return [(part.id, safe(part.title), safe(part.why)) for part in finding.contributing]


def finding_facts(finding: Finding) -> list[tuple[str, str, str, str]]:
    """Name, value, formula or note, and source lines of the facts of a finding, each once."""
    rows = [
        (fact.name, safe(fact_value(fact)), safe(fact.formula or fact.note), lines_of(fact))
        for fact in reversed(facts_of(finding))
    ]
    return [*{row[1:] if row[2] else row: row for row in rows}.values()][::-1]


def benefit(item: Recommendation) -> str:
    """The saving of a recommendation: seconds, share of DB time, sessions freed."""
    if not item.benefit.seconds or item.benefit.seconds < 1:
        return ""
    sessions = f", {freed(item)} freed" if freed(item) else ""
    return f"saves {saving(item.benefit)}{sessions} ({item.benefit.basis})"


def few(sessions: float | None) -> str:
    """A number of sessions that wait, in a list."""
    if sessions is None:
        return "–"
    return f"< {SHOWN_SESSIONS}" if 0 < sessions < SHOWN_SESSIONS else short(sessions)


def freed(item: Recommendation) -> str:
    """The sessions that a recommendation frees; empty if few or not known."""
    sessions = plain(round(item.benefit.sessions or 0.0, 2))
    if (item.benefit.sessions or 0.0) < SHOWN_SESSIONS:
        return ""
    return f"{sessions} session{'' if sessions == '1' else 's'}{of_each(item.benefit.instances)}"


def conditions(item: Recommendation) -> Iterator[tuple[str, str]]:
    """What an action needs, risks, and how to undo and verify it: label and text."""
    for label, texts in (
        ("Prerequisite", item.prerequisites), ("Risk", item.risks), ("Rollback", item.rollback),
        ("Verify", item.validate),
    ):  # fmt: skip
        for text in texts:
            yield label, safe(text)


def overlap(analysis: Analysis) -> str:
    """A note if several findings have seconds."""
    timed = sum(bool(e.impact.seconds) and e.severity != "ok" for e in analysis.findings)
    return "Findings overlap, so their seconds do not add up." if timed > 1 else ""


def text(lines: Iterable[Line]) -> str:
    """Joined lines without trailing spaces."""
    return inert("".join("".join(span.text for span in line).rstrip() + "\n" for line in lines))


def of_one_database(reports: Iterable[tuple[str, object, object, object]]) -> list[str]:
    """What reports of one database are good for: database, DBID, instance, begin of each."""
    groups: dict[tuple[str, object], set[tuple[object, object]]] = {}
    for database, db_id, *who in reports:
        groups.setdefault((safe(database), db_id), set()).add((who[0], who[1]))
    many = {key[0]: members for key, members in groups.items() if key[0] and len(members) > 1}
    said = []
    if many:
        over = listed([f"{name} ({len(members)})" for name, members in many.items()])
        said = [f"Several reports are of {over}: `awrlens trend` shows them over time."]
    together = [e for e, pairs in many.items() if len({begin for _, begin in pairs}) < len(pairs)]
    if together:
        said.append(f"Of the instances of {listed(together)} at one time, take the report of the "
                    "cluster (awrgrpt.sql).")  # fmt: skip
    return said
