"""Titles of the sections of text reports: before names, above tildes, above a ruler."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.report import ruler

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The names after a title; ``First`` is between them on every page but the first of several.
_NAMES = regex(r"DB/Inst: ?\S|\b(?:for )?DB: .{0,200} Instance: ")
_INSTANCE: Final = "DB/Inst:"
#: Maximum length of the names before the instance.
_NEAR: Final = 200
#: The snapshots after a title whose names were taken out before the report was shown to others.
_SNAPSHOTS = regex(r"(?<=\S)\s{2,}+(?:End )?Snaps?:(?: ?\d{1,18}+(?:-\d{0,18}+)?)?\s*+$")
_BANNER = regex(
    r"\s*(?P<title>STATSPACK report for|WORKLOAD REPOSITORY (?:PDB |COMPARE PERIOD )?report\b.*|"
    r"ADDM Report for Task.*|End of Report\b.*)$",
    re.I,
)
#: Every line that ``title_at`` takes for a title or an underline has one of these, unless it is a
#: ruler below a margin.
TITLE_MARKS: Final = (
    "DB/Inst:", "DB:", "Snap:", "Snaps:", "~", "eport", "EPORT",
)  # fmt: skip
#: A title without DB/Inst ends at a wide gap; a remark in parentheses belongs to it.
_BARE_TITLE = regex(r"\s*+(?P<title>\S++(?: \S++)*?(?: *+\([^)]{0,80}+\))?)(?=\s{2}|$)")
#: A figure in a column: rows of a table have them; figures of a title follow a label and a colon.
_FIGURE = regex(r"(?<![\s:])\s{2,}+[-+]?(?=[.,]*+\d)[\d.,]++(?!\S)")
#: Minimum margin before a rule below a title without dashes.
MARGIN: Final = " " * 10


def title_at(lines: Sequence[str], at: int, previous: int) -> tuple[int, str] | None:
    """The title in a line or above an underline, with the index of the title's line."""
    line = lines[at]
    if "DB/Inst:" in line or " DB: " in line:
        title = _title_before(line)
        return (at, title) if title else None
    if " Snap" in line and (snapshots := _SNAPSHOTS.search(line, 1)) and not line[0].isspace():
        return at, line[: snapshots.start()].rstrip()
    if line.lstrip().startswith("~~~"):
        return _underlined_title(lines, at, previous)
    if line[:10] == MARGIN and at and _is_bare_title(lines, at - 1):
        return at - 1, _bare_title(lines[at - 1])
    match = _BANNER.match(line) if "eport" in line or "EPORT" in line else None
    return (at, match["title"]) if match else None


def _title_before(line: str) -> str:
    """The title before the names of database and instance; blank if there is none."""
    if line[:1].isspace():
        return ""
    # plain words are found many times as fast as the pattern
    at = line.find(_INSTANCE, 1)
    if at > 0 and "DB: " not in line:
        named = line[at + len(_INSTANCE) :][:2].strip()
        return _without_first(line[:at]) if named else ""
    at = line.find(" for DB: ", 1)
    if 0 < at < line.find(" Instance: ", at, at + _NEAR) and _INSTANCE not in line:
        return _without_first(line[:at])
    match = _NAMES.search(line, 1)
    return "" if match is None else _without_first(line[: match.start()])


def _without_first(title: str) -> str:
    """A title without the word that pages below others have instead of the snapshots."""
    return title.rstrip().removesuffix(" First").rstrip()


def end_of_title(line: str, title: str) -> int:
    """Where the words of a section's title end if its line also has headings, else 0."""
    if _title_before(line) or _BANNER.match(line):
        return 0
    match = _BARE_TITLE.match(line)
    if match is None:
        return 0
    at = line.find(title)
    return match.end() if at < 0 else at + len(title)


def _bare_title(line: str) -> str:
    match = _BARE_TITLE.match(line)
    return " ".join(match["title"].split()) if match else ""


def _underlined_title(lines: Sequence[str], at: int, previous: int) -> tuple[int, str] | None:
    """The title above a line of tildes: the line above, or one higher if headings wrapped.

    A row of tildes with one group per column is between rows and their sum instead.
    """
    if not at or at - 1 <= previous or not lines[at - 1].strip(" ~"):
        return None
    if ruler.is_sum_rule(lines[at]):
        return None
    if len(_FIGURE.findall(lines[at - 1])) > 1:
        return at, ""  # the title's line is lost
    indent = len(lines[at]) - len(lines[at].lstrip())
    if lines[at - 1][:indent].strip():
        return None  # a rule under figures within a row
    tildes = len(lines[at].lstrip()) - len(lines[at].lstrip().lstrip("~"))
    for candidate in (at - 1, at - 2):
        if candidate > previous and lines[candidate].strip():
            title = _bare_title(lines[candidate])
            words = title.partition("(")[0].strip()
            if tildes in (len(words), len(title)):
                return candidate, title
            if title[tildes : tildes + 1] == " ":
                return candidate, title[:tildes]  # the first heading follows without a gap
    return at - 1, _bare_title(lines[at - 1])


def _is_bare_title(lines: Sequence[str], at: int) -> bool:
    """`` Shared Pool Statistics        Begin   End`` above a ruler without a part for the title."""
    if at + 1 >= len(lines) or not lines[at + 1].startswith(MARGIN):
        return False
    line, rule = lines[at], lines[at + 1]
    if not line.startswith(" ") or not line[1:2].isalpha() or not ruler.RULER.match(rule):
        return False
    words = line[: len(rule) - len(rule.lstrip())].split()
    return len(words) > 1 and (at == 0 or not lines[at - 1])
