"""Text reports as they are copied: what surrounds their lines, and columns that are lost.

Quote marks, numbers, frames and blank lines around a report's lines are removed. If the columns are
lost (copied from a PDF, blanks collapsed, lines wrapped), figures would be read under the wrong
headings: such texts are not read at all.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import cycle
from typing import TYPE_CHECKING, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import NamedTuple, regex
from awrlens.source.kind import first_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


#: The beginning of a report's first line, after any other text.
_BANNER: Final = regex(
    r"^(?P<before>[^\n<]{0,80}?)(?:<[^<>\n]*>[ \t]*)*(?:STATSPACK report for|"
    r"WORKLOAD REPOSITORY (?:report|PDB|COMPARE|REPORT \(RAC\)))",
    re.M,
)
_BANNER_WORDS: Final = ("WORKLOAD REPOSITORY ", "STATSPACK report for")
#: The number of lines after the first that are checked, and the share of them that must agree.
_LOOKED_AT: Final = 200
_AGREE: Final = 0.9
#: Lines whose numbers have as many digits: of so many, one in so many is as long as the cut is.
_NUMBERED: Final = 90
_OF_LINES: Final = 50
#: A terminal that colors a session does so from its first screens.
_SCREEN: Final = 2**16
_ESCAPES = regex(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_BACKSPACED = regex(r"[^\n\b]\x08")
#: Markdown marks a report, or each of its sections: the lines behind a mark that closes are not of
#: the table above it.
_FENCE: Final = "```"
_FENCED = regex(r"^[ \t]*```\w*[ \t\r]*$", re.M)
#: Shorter than the rules that Oracle prints, so that it does not end a list.
END_OF_BLOCK: Final = f"{'':10}{'':->41}"
#: What a session prints between the lines of a report: prompts, pager prompts, errors.
_SESSION = regex(r"^(?:SQL> ?.*|--More--.*|(?:ORA|SP2|PLS)-\d{4,5}: .*|ERROR:)\s*$")
#: A prompt or a mark before the first line only.
_PROMPT = regex(r"\s*(?:[\w@:.$-]*>|[*+•-])[ \t]+$")
#: The heading of every SQL*Plus page, if a query selects from the function that makes a report.
_PAGE_HEAD: Final = "OUTPUT"
_UNDERLINE = regex(r"-{10,}\s*$")
#: A page has no session output between its lines; its beginning shows what kind of page it is.
_CELLS: Final = ("<td", "<TD")
_PAGE: Final = 2**14
#: The first page ends within this part of a text.
_HEADED: Final = 2**16
#: Dashes that word processors make from two or more, and lines that terminals draw.
_DRAWN: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2500"
_DASHES = str.maketrans(dict.fromkeys(_DRAWN, "-"))
#: As long as the rules that end tables; a shorter one replaces two dashes.
_RULE_LENGTH: Final = 40
#: Zero-width characters, as in copies from a browser or a chat.
_INVISIBLE: Final = "\u200b\u200e\u200f\u2060\ufeff"
#: French clients write a non-breaking space between thousands: it has digits on both sides.
_HARD_PAIRS: Final = ("\u00a0\u00a0", "\u00a0 ", " \u00a0")
_HARD_WORDS = regex("\u00a0(?<=[a-z]\u00a0)[a-z]")
#: A frame is at both ends of a line.
_FRAMES: Final = '|│┃║"'


class Lines(NamedTuple):
    """A text, and the line numbers of its lines in the file if they differ."""

    text: str
    numbers: Sequence[int] | None = None


def bare(text: str) -> Lines:
    """The text with only the parts of a report; unchanged if it has no report's first line."""
    text = _plain_characters(text)
    # plain words are found fast; the pattern shows what is before them
    at = first_of(_BANNER_WORDS, text)
    banner = _BANNER.search(text, text.rfind("\n", 0, at) + 1) if at >= 0 else None
    if banner is None:
        return Lines(text)
    if banner["before"]:
        # tabs may be older than the prefix, or count from its first character
        ways = (text, text.expandtabs(8)) if "\t" in text else (text,)
        every = [_without(way, _BANNER.search(way) or banner) for way in ways]
        text = min(every, key=lambda e: len({*_RULERS.findall(e.expandtabs(8))}) or _LOOKED_AT)
        banner = _BANNER.search(text) or banner
        if _PROMPT.match(banner["before"]):
            text = text[: banner.start()] + text[banner.end("before") :]
    if _FENCE in text[: banner.end()]:
        closing = cycle(("", END_OF_BLOCK))
        text = _FENCED.sub(lambda _: next(closing), text)
        banner = _BANNER.search(text) or banner
    begin, report = banner.start(), Lines(text)
    if _is_double_spaced(text, begin):
        report = _kept(report, begin, lambda at, _: at % 2 == 0)
    page = any(text.find(cell, begin, begin + _PAGE) >= 0 for cell in _CELLS)
    # text is searched faster for a few rare letters
    if not page and ("\nSQL>" in text or ("More--" in text and "--More--" in text)):
        report = _kept(report, begin, lambda _, line: not _SESSION.match(line))
    if text.startswith(_PAGE_HEAD) or text.find(f"\n{_PAGE_HEAD}", 0, _HEADED) >= 0:
        report = _without_page_heads(report)
    return report


def _without_page_heads(report: Lines) -> Lines:
    """The text without the column name, rule and blank line of every SQL*Plus page (14 lines)."""
    lines = report.text.split("\n")
    heads = {at for at, line in enumerate(lines) if line.strip() == _PAGE_HEAD}
    below = {at + 1 for at in heads if _UNDERLINE.match("".join(lines[at + 1 : at + 2]))}
    # else the session underlines nothing, and some pages begin with a rule of the report itself
    rules = below if len(below) >= _AGREE * len(heads) else set()
    # the first heading may have lost the blank line of its page
    blank = {at - 1 for at in heads if at and not lines[at - 1].strip()}
    dropped = heads | rules | blank if len(heads) > 1 or rules else set()
    return _kept(report, 0, lambda at, _: at not in dropped)


def _kept(report: Lines, begin: int, keep: Callable[[int, str], bool]) -> Lines:
    """Only the lines to keep after a place; they have the same numbers as before."""
    first = report.text.count("\n", 0, begin)
    lines = report.text.split("\n")
    kept = [at for at, line in enumerate(lines) if at < first or keep(at - first, line)]
    numbers = report.numbers or range(1, len(lines) + 1)
    return Lines("\n".join(lines[at] for at in kept), [numbers[at] for at in kept])


def with_line_ends(text: str) -> str:
    """The text with line ends that can be counted."""
    head = text[:_PAGE]
    if "\r" not in head:
        return text
    if "\r\r\n" in head:
        return text.replace("\r\r\n", "\r\n")
    if head.count("\r") > 2 * head.count("\n"):  # from an old Mac
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _plain_characters(text: str) -> str:
    """Blanks and dashes as Oracle prints them, without terminal control sequences."""
    head = text[:_PAGE]
    if "\x1b" in text[:_SCREEN]:
        text = _ESCAPES.sub("", text)
    if "\b" in head:
        text = _BACKSPACED.sub("", text).replace("\b", "")
    if text.isascii():
        return text
    # several plain searches are many times faster than a pattern
    for mark in _INVISIBLE:
        if mark in text:
            text = text.replace(mark, "")
    if any(dash in text and dash * _RULE_LENGTH in text for dash in _DRAWN):
        text = text.translate(_DASHES)
    if "\u00a0" in text and (any(pair in text for pair in _HARD_PAIRS) or _HARD_WORDS.search(text)):
        text = text.replace("\u00a0", " ")
    return text


#: What is before rulers and ends of tables: of a report with torn columns, it varies most.
_RULERS: Final = regex(r"^( *)-{20}", re.M)


def _without(text: str, banner: re.Match[str]) -> str:
    """The text without the prefix of its first line, if the lines below also have it."""
    before = banner["before"]
    prefix = _alike(before)
    blank = _alike(before.rstrip()) if before.strip() else ""
    pattern = re.compile(rf"^(?:{prefix}|{blank}[ \t]*+$)", re.M)
    below = text[banner.start() :].split("\n", _LOOKED_AT)[:_LOOKED_AT]
    filled = [line for line in below if line.strip()]
    agreeing = sum(pattern.match(line) is not None for line in filled)
    least = _AGREE if before.strip() else 1.0
    if len(filled) < 2 or agreeing < least * len(filled):  # noqa: PLR2004 - the first agrees
        return text
    text = "\n".join(_evenly(text.split("\n"), pattern))
    frame = next((sign for sign in before if sign in _FRAMES), "")
    if frame:
        text = re.sub(rf"(?<![ \t])[ \t]*+{re.escape(frame)}\r?$", "", text, flags=re.M)
    return text


def _evenly(lines: list[str], pattern: re.Pattern[str]) -> Iterator[str]:
    """Lines without their prefixes; if they were cut behind numbers, all end at one column."""
    begins = [prefix.end() if (prefix := pattern.match(line)) else 0 for line in lines]
    ends = Counter(zip(begins, map(len, lines), strict=True))
    width = max(end for _, end in ends)
    numbers = {begin: n for begin, n in Counter(begins).items() if begin and n >= _NUMBERED}
    cut = all(ends[begin, width] * _OF_LINES >= count for begin, count in numbers.items())
    column = width - max(numbers) if cut and len(numbers) > 1 else None
    for line, begin in zip(lines, begins, strict=True):
        yield line[begin:] if column is None else line[begin : begin + column]


def _alike(prefix: str) -> str:
    """A pattern for this prefix on any line: its numbers count up and are right-aligned."""
    pieces = re.split(r"((?<![ \t])[ \t]*+\d++)", prefix)
    if not prefix.strip():
        return re.escape(prefix)
    # a number never gives a digit to the next one, else there would be too many ways to match
    return "".join(r"[ \t]*+\d++" if n % 2 else re.escape(piece) for n, piece in enumerate(pieces))


def _is_double_spaced(text: str, begin: int) -> bool:
    """Whether a blank line follows every line that could be a row of a table."""
    second = text.find("\n", begin) + 1
    if not second or text[second : second + 1] not in ("\n", "\r", " "):
        return False
    below = text[begin : begin + _PAGE].split("\n", 2 * _LOOKED_AT)[: 2 * _LOOKED_AT]
    if any(line.strip() for line in below[1::2]):
        return False
    filled = [bool(line.strip()) for line in below[::2]]
    return len(filled) > _LOOKED_AT // 10 and sum(filled) > len(filled) // 2


#: How much of a report, from its first line, shows how it was copied; its minimum number of lines.
_PROBE: Final = 2**13
_LEAST_LINES: Final = 40
_PAGES: Final = 2**16
#: The ruler of a table's columns.
RULER_LINE: Final = regex(r"^[ ~]*-{3,}(?: +-{2,})+ *\r?$", re.M)
#: One that is more than the line of `~` below a part of the first page, which other tools keep.
_OF_TABLE = regex(r"^ *-{3,}(?: +-{2,})+ *\r?$", re.M)
_GAP = regex(r"\S {2,}\S|\t")
#: A ruler that continues on the next line. In whole reports one ruler in thirty is directly above
#: another; in wrapped reports every fourth one is (awrlens: measured on real reports).
#: A title that was cut after a dash, above a remark (`->`), does not count.
_WRAPPED: Final = regex(r"\n[ ~-]*- ?\n-(?!>)")
_WRAPPED_RULERS: Final = ("-\n-", "- \n-")
_SHARE: Final = 10
_AS_TEXT: Final = "Give the file itself, or paste it as preformatted text."
_COLLAPSED = "The blanks between the columns were collapsed, so the columns cannot be identified."
_AT_MARGIN = (
    "The blanks at the beginning of this report's lines are missing, so its columns "
    "cannot be identified."
)
_DENSE = (
    "The blank lines of this report are missing, so its tables cannot be separated from "
    "the text above them; some mail programs remove blank lines."
)
_UNRULED = (
    "The tables of this report have no dashed lines under their headings, like text from "
    "a PDF, so their columns cannot be identified."
)
_WRAPPED_LINES = (
    "The lines of this report were wrapped (by a mail program or a narrow session), so its "
    "columns cannot be identified."
)


def check(text: str, at: int, source: str) -> None:
    """Raise UnreadableError when the columns of a text report are lost."""
    probe = text[at : at + _PROBE]
    first, *lines = probe.split("\n")
    missing = {
        _UNRULED: not _OF_TABLE.search(text, at),
        _COLLAPSED: not _GAP.search(probe, len("WORKLOAD REPOSITORY report for")),
        _AT_MARGIN: not any(line[:1] in (" ", "\t") and line.strip() for line in lines),
        _DENSE: all(map(str.strip, lines[:-1])),
    }
    what, hint = next((message for message, so in missing.items() if so), ""), _AS_TEXT
    if what == _UNRULED:
        hint = "Give the file that Oracle wrote, or copy it from a browser."
    if not what or sum(map(bool, map(str.strip, (first, *lines)))) <= _LEAST_LINES:
        what = _WRAPPED_LINES if _is_wrapped(text[at : at + _PAGES].replace("\r", "")) else ""
        hint = "Attach the file instead of its text, or spool it with `set linesize 132`."
    if what:
        line = text.count("\n", 0, at) + 1
        raise UnreadableError(what, source=source, line=line, hint=hint)


def _is_wrapped(pages: str) -> bool:
    # plain text is found many times as fast as a pattern
    wrapped = len(_WRAPPED.findall(pages)) if any(map(pages.__contains__, _WRAPPED_RULERS)) else 0
    return wrapped > 1 and wrapped * _SHARE > len(RULER_LINE.findall(pages))
