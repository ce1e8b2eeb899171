"""What kind of report an input is: its content decides, never its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.errors import FailedJobError, OtherReportError, OwnPageError, UnknownInputError
from awrlens.lazy import NamedTuple, regex

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The first line of a report, and the kind that it indicates (CONTRACT section 1).
_BANNERS: Final = (
    ("statspack", r"STATSPACK report for"),
    ("awr-diff", r"WORKLOAD REPOSITORY COMPARE PERIOD REPORT"),
    # a cluster's list of instances is in no other report: its title may be cut off
    ("awr-rac", r"WORKLOAD REPOSITORY REPORT \(RAC\)|Database Instances Included In Report"),
    ("awr", r"WORKLOAD REPOSITORY (?:PDB )?report"),
    ("ash", r"ASH Report (?:-|For)"),
    ("addm", r"ADDM Report for|DETAILED ADDM REPORT"),
    ("awr-sql", r"WORKLOAD REPOSITORY SQL report"),
    ("statspack-sql", r"STATSPACK SQL report for"),
    ("awr-info", r"AWR INFO Report"),
    ("active", r"<!--FXTMODEL-->"),
)
_BANNER = regex("|".join(f"(?P<{k.replace('-', '_')}>{p})" for k, p in _BANNERS), re.I)
#: Words before `for` in the first line of most reports: they are found without the pattern.
_USUAL: Final = {"WORKLOAD REPOSITORY report": "awr", "STATSPACK report": "statspack"}
#: The first line of every report contains one of these words.
WORDS: Final = (
    "WORKLOAD REPOSITORY", "STATSPACK report", "ASH Report", "ADDM Report", "STATSPACK SQL report",
    "AWR INFO Report", "<!--FXTMODEL-->", "Database Instances Included In Report",
)  # fmt: skip
#: Every log of another engine that awrlens reads contains one of these.
OTHER_WORDS: Final = (
    "Microsoft SQL Server ", "FlushCache: ", "DirtyPageMgr::", "checkpoint_begin",
    "checkpoint_end", "longer than 15 seconds", "I/O is frozen on",
)  # fmt: skip
#: Every useful alert log of an Oracle instance contains one of these.
ALERT_LOG_WORDS: Final = (
    "Starting ORACLE instance", " advanced to log sequence ", "Beginning crash recovery",
    "Beginning instance recovery", "cannot allocate new log", "Shutting down instance",
    "ALTER DATABASE OPEN", "alter database open", "Reconfiguration started (old inc",
    "is out of the valid MTTR range",
)  # fmt: skip
#: What only Statspack prints; headings over shares of waits are also below AWR's services.
_STATSPACK = regex(
    r"for DB: .{0,200}Instance: |STATSPACK|Top 5 Wait Events|Av Act Sess:|"
    r"Instance Efficiency Indicators|Time Model System Stats"
)
_SHARES = regex(
    r"% ?Total (?:Ela|Wt|Call) ?Time|(?m: (?:Ela|Wt) Time[ \r]*$)|"
    r"Waits {1,40}Time \(c?s\) {1,40}% ?Total"
)
#: What only AWR prints.
_AWR = regex(r"Wait Class|\bSQL Id\b|Service Statistics|Service Name")
#: The ruler of a table of text. A page has few; a document with tags has more than tables of tags.
_RULER = regex(r"(?m:^ {0,40}-{3,80}(?: {1,4}-{3,80}){2,40}[ \r]*$)")
#: A banner of text, above the ruler of its first table.
_RULED = regex(r"[^<]{0,400}?\n {0,40}-{3,80}(?: {1,4}-{3,80}){2,40}[ \r]*\n")
_TABLE = regex(r"<td\b", re.I)
#: How far from its beginning a file is searched for the words as Oracle prints them.
_PROBE: Final = 2**16
_HEAD: Final = 2**12
#: What awrlens writes at the beginning of its own pages.
_OWN: Final = '<meta name="generator" content="awrlens'
#: The beginning of a JSON document, whose names of events and rows are those of a report.
_JSON = regex(r'\s{0,9}(?:\[\s{0,9})?\{\s{0,9}"')
_OWN_PROBE: Final = 2**10
_HTML = regex(r"<(?:html|body|table|h1)\b", re.I)

#: What SQL*Plus prints at the beginning of a line when a script ends with an error.
_ORACLE_ERROR: Final = regex(r"^[ \t]{0,4}((?:ORA|SP2|TNS|PLS|LRM)-\d{4,5})\b", re.M)
#: The end of a line that the shell prints when SQL*Plus was not even started.
_SHELL_ERROR: Final = regex(
    r"(?:Error \d{1,3} initializing SQL\*Plus|: command not found|: Permission denied"
    r"|: No such file or directory|: cannot execute[^\n]{0,40})[ \t\r]{0,4}$", re.M
)  # fmt: skip
_LONGEST_COMPLAINT: Final = 40

#: Kinds that are identified but not analyzed: what they are, and what some need instead.
_REFUSED: Final = {
    "ash": "an ASH report",
    "addm": "an ADDM report",
    "awr-sql": "an AWR report of one SQL statement (awrsqrpt.sql)",
    "statspack-sql": "a Statspack report of one SQL statement (sprepsql.sql)",
    "awr-info": "a report on AWR space usage (awrinfo.sql)",
    "active": "an active report (Performance Hub, SQL monitoring)",
}
_INSTEAD: Final = {
    "statspack-sql": "Give the report for the same snapshots (spreport.sql).",
    "awr-info": "Give the AWR report for a period (awrrpt.sql).",
    "active": "Give the AWR report for the same period, as HTML or text (awrrpt.sql).",
}


class Kind(NamedTuple):
    """Name in CONTRACT, whether it is HTML, where its banner begins; an excerpt has none."""

    name: str
    html: bool
    at: int
    excerpt: bool = False


def first_of(words: tuple[str, ...], text: str, stop: int | None = None) -> int:
    """Where the first of some words occurs before a place; -1 if none does."""
    first = -1
    if stop is None or stop > _HEAD:
        first = first_of(words, text, _HEAD)  # most often it is at the beginning
        if first >= 0:
            return first
    for word in words:
        at = text.find(word, 0, stop)
        if at >= 0:
            first = stop = at
    return first


def may_be_other(text: str) -> bool:
    """Whether a text begins like a log of another engine, before the first words of any report."""
    return first_of(WORDS, text, _PROBE) < 0 <= first_of(OTHER_WORDS, text, _PROBE)


def tell(text: str, source: str) -> Kind:
    """The kind of report in ``text``; NotAReportError if it is none that awrlens analyzes."""
    if text.find(_OWN, 0, _OWN_PROBE) >= 0 or _JSON.match(text):
        raise OwnPageError(
            "This is a page of awrlens or a JSON document, not a report.",
            source=source,
            hint="Give the original report.",
        )
    # plain words are found fast; then the pattern, which ignores case, searches from there
    begin = first_of(WORDS, text, _PROBE)
    if begin < 0:
        small = text.lower()  # a plain search is much faster than a pattern that ignores case
        if not any(word.lower() in small for word in WORDS):
            raise not_a_report(source)
        begin = 0
    tag = text.find("<")
    page = tag >= 0 and _HTML.search(text, tag) is not None
    for family, start, end in _banners(text, begin):
        html = page and family != "statspack" and not _RULED.match(text, end)
        # a title in <title> or a file name in a prompt is not the banner
        title = text[max(0, start - 60) : start].lower().rpartition("<title")
        if html and title[1] and title[2].partition(">")[1] and "<" not in title[2]:
            continue
        if family in _REFUSED and (_TABLE if page else _RULER).search(text, 0, start):
            continue  # a part of a report without its first line, as ADDM's findings are
        if family in _REFUSED:
            line = text.count("\n", 0, start) + 1
            hint = "Give the AWR report for the same period (awrrpt.sql)."
            said = f"This is {_REFUSED[family]}; awrlens reads Statspack and AWR reports."
            raise OtherReportError(said, source=source, line=line, hint=_INSTEAD.get(family, hint))
        return Kind(f"{family}-{'html' if html else 'text'}", html, start)
    raise not_a_report(source)


def _banners(text: str, begin: int) -> Iterator[tuple[str, int, int]]:
    """Families of the banners of a text with their places, those as Oracle prints them first."""
    for words, family in _USUAL.items():
        if text.startswith(f"{words} for", begin):
            yield family, begin, begin + len(words)
            begin += len(words)
    for match in _BANNER.finditer(text, begin):
        yield (match.lastgroup or "").replace("_", "-"), *match.span()


def job_error(text: str, source: str) -> FailedJobError | None:
    """What to say of the error of a report job, without its text, which may have names."""
    head = text[:_PROBE]
    if first_of(ALERT_LOG_WORDS, text) >= 0:
        return None
    match = _ORACLE_ERROR.search(head)
    said = match[1] if match else ""
    if match is None and text.count("\n") <= _LONGEST_COMPLAINT:
        match = _SHELL_ERROR.search(head)
        said = "a shell error"
    if match is None:
        return None
    return FailedJobError(
        f"This is not a report but the error of the job that should have written one: {said}.",
        source=source, line=text.count("\n", 0, match.start()) + 1,
        hint="Fix the error and run the job again.",
    )  # fmt: skip


def of_excerpt(text: str) -> Kind:
    """The kind of an excerpt: HTML if it has tags; AWR unless its words are only in Statspack."""
    tables = [*re.finditer(r"<table\b", text, re.I)]
    html = bool(tables) and re.search(r"<t[dh]\b", text[tables[0].end() :], re.I) is not None
    # ADDM's findings in a page have few rulers
    html = html and len(_RULER.findall(text)) < len(tables)
    statspack = _STATSPACK.search(text) or (_SHARES.search(text) and not _AWR.search(text))
    family = "statspack" if not html and statspack else "awr"
    return Kind(f"{family}-{'html' if html else 'text'}", html, 0, excerpt=True)


def not_a_report(source: str) -> UnknownInputError:
    """The error for an input without a report's first line."""
    return UnknownInputError(
        "This is not a Statspack or AWR report: it has neither `STATSPACK report for` nor "
        "`WORKLOAD REPOSITORY report for`, and no table with the headings of one.",
        source=source,
        hint="Give the complete file that spreport.sql or awrrpt.sql wrote.",
    )
