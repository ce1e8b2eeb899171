"""A report under what others have put around its lines: quotes, numbers, frames, blank lines.

The report's first line begins at the margin; whatever stands before it there, and before the
lines below it in the same way, is no part of the report.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.source.kind import first_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: A report's first line as its beginning tells it, behind anything.
_BANNER: Final = re.compile(
    r"^(?P<before>[^\n<]{0,80}?)(?:<[^<>\n]*>[ \t]*)*(?:STATSPACK report for|"
    r"WORKLOAD REPOSITORY (?:report|PDB|COMPARE|REPORT \(RAC\)))",
    re.M,
)
_BANNER_WORDS: Final = ("WORKLOAD REPOSITORY ", "STATSPACK report for")
#: So many lines below the first one are looked at, and that share of them must agree.
_LOOKED_AT: Final = 200
_AGREE: Final = 0.9
#: A terminal that colours a session does so from its first screens on.
_SCREEN: Final = 2**16
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_BACKSPACED = re.compile(r"[^\n\b]\x08")
#: What a session prints between the lines of a report: prompts, a pager's, errors.
_SESSION = re.compile(r"^(?:SQL> ?.*|--More--.*|(?:ORA|SP2|PLS)-\d{4,5}: .*|ERROR:)\s*$")
#: A prompt or a mark before the first line alone.
_PROMPT = re.compile(r"\s*(?:[\w@:.$-]*>|[*+•-])[ \t]+$")
#: The head of every page of SQL*Plus, where the function that makes a report is selected from.
_PAGE_HEAD: Final = "OUTPUT"
_UNDERLINE = re.compile(r"-{10,}\s*$")
#: A page has no session between its lines; it shows what it is near its first line.
_CELLS: Final = ("<td", "<TD")
_PAGE: Final = 2**14
#: The first page ends within so much of a text.
_HEADED: Final = 2**16
#: Dashes that word processors make of two or more, and lines that terminals draw.
_DRAWN: Final = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2500"
_DASHES = str.maketrans(dict.fromkeys(_DRAWN, "-"))
#: As long as the rules that end tables are; shorter ones stand for two dashes each.
_RULE_LENGTH: Final = 40
#: Marks without width, as copies out of a browser or a chat have them.
_INVISIBLE: Final = "\u200b\u200e\u200f\u2060\ufeff"
#: French clients write a hard blank between thousands: it has figures on both sides.
_HARD_PAIRS: Final = ("\u00a0\u00a0", "\u00a0 ", " \u00a0")
_HARD_WORDS = re.compile("\u00a0(?<=[a-z]\u00a0)[a-z]")
#: A frame stands at both ends of a line.
_FRAMES: Final = '|│┃║"'


class Lines(NamedTuple):
    """A text, and the number that each of its lines has in the file where they are not in step."""

    text: str
    numbers: Sequence[int] | None = None


def bare(text: str) -> Lines:
    """The text without what does not belong to a report; as it is where it has no first line."""
    text = _plain_characters(text)
    # plain words are found at once, the pattern tells what stands before them
    at = first_of(_BANNER_WORDS, text)
    banner = _BANNER.search(text, text.rfind("\n", 0, at) + 1) if at >= 0 else None
    if banner is None:
        return Lines(text)
    if banner["before"]:
        text = _without(text, banner)
        banner = _BANNER.search(text) or banner
        if _PROMPT.match(banner["before"]):
            text = text[: banner.start()] + text[banner.end("before") :]
    begin = banner.start()
    numbers: Sequence[int] | None = None
    if _is_double_spaced(text, begin):
        text, numbers = _kept(text, begin, lambda at, _: at % 2 == 0)
    page = any(text.find(cell, begin, begin + _PAGE) >= 0 for cell in _CELLS)
    if not page and ("SQL>" in text or ("More" in text and "--More--" in text)):
        text, again = _kept(text, begin, lambda _, line: not _SESSION.match(line))
        numbers = [numbers[number - 1] for number in again] if numbers else again
    if text.startswith(_PAGE_HEAD) or text.find(f"\n{_PAGE_HEAD}", 0, _HEADED) >= 0:
        text, again = _without_page_heads(text)
        numbers = [numbers[number - 1] for number in again] if numbers else again
    return Lines(text, numbers)


def _without_page_heads(text: str) -> tuple[str, list[int]]:
    """The text without the column's name, the rule under it and the blank line over it.

    ``select output from table(dbms_workload_repository.awr_report_text(…))`` prints them every
    page (14 lines unless set), in the middle of tables.
    """
    lines = text.split("\n")
    heads = {at for at, line in enumerate(lines) if line.strip() == _PAGE_HEAD}
    below = {at + 1 for at in heads if _UNDERLINE.match("".join(lines[at + 1 : at + 2]))}
    # else the session underlines nothing, and some pages begin with a rule of the report's
    rules = below if len(below) >= _AGREE * len(heads) else set()
    # the first head may have lost its page's blank line
    blank = {at - 1 for at in heads if at and not lines[at - 1].strip()}
    dropped = heads | rules | blank if len(heads) > 1 or rules else set()
    kept = [at for at in range(len(lines)) if at not in dropped]
    return "\n".join(lines[at] for at in kept), [at + 1 for at in kept]


def _kept(text: str, begin: int, keep: Callable[[int, str], bool]) -> tuple[str, list[int]]:
    """The text with those lines below a place that are kept, and the numbers of all its lines."""
    first = text.count("\n", 0, begin)
    lines = text.split("\n")
    kept = [at for at, line in enumerate(lines) if at < first or keep(at - first, line)]
    return "\n".join(lines[at] for at in kept), [at + 1 for at in kept]


def with_line_ends(text: str) -> str:
    """The text with line ends that can be counted."""
    head = text[:_PAGE]
    if "\r\r\n" in head:
        return text.replace("\r\r\n", "\r\n")
    if head.count("\r") > 2 * head.count("\n"):  # of an old Mac
        return text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _plain_characters(text: str) -> str:
    """Blanks and dashes as Oracle prints them, and nothing that steers a terminal."""
    head = text[:_PAGE]
    if "\x1b" in text[:_SCREEN]:
        text = _ESCAPES.sub("", text)
    if "\b" in head:
        text = _BACKSPACED.sub("", text).replace("\b", "")
    if text.isascii():
        return text
    # one search for plain text after the other is many times as fast as a pattern
    for mark in _INVISIBLE:
        if mark in text:
            text = text.replace(mark, "")
    if any(dash in text and dash * _RULE_LENGTH in text for dash in _DRAWN):
        text = text.translate(_DASHES)
    if "\u00a0" in text and (any(pair in text for pair in _HARD_PAIRS) or _HARD_WORDS.search(text)):
        text = text.replace("\u00a0", " ")
    return text


def _without(text: str, banner: re.Match[str]) -> str:
    """The text without the prefix of its first line, if the lines below have it as well."""
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
    text = pattern.sub("", text)
    frame = next((sign for sign in before if sign in _FRAMES), "")
    if frame:
        text = re.sub(rf"(?<![ \t])[ \t]*+{re.escape(frame)}\r?$", "", text, flags=re.M)
    return text


def _alike(prefix: str) -> str:
    """A pattern for this prefix on any line: its figures count, and stand to the right."""
    pieces = re.split(r"((?<![ \t])[ \t]*+\d++)", prefix)
    if not prefix.strip():
        return re.escape(prefix)
    # figures never give a digit to the next one, else so many of them could be read in any way
    return "".join(r"[ \t]*+\d++" if n % 2 else re.escape(piece) for n, piece in enumerate(pieces))


def _is_double_spaced(text: str, begin: int) -> bool:
    """Whether a blank line stands behind every line of what would else be rows of tables."""
    second = text.find("\n", begin) + 1
    if not second or text[second : second + 1] not in ("\n", "\r", " "):
        return False
    below = text[begin : begin + _PAGE].split("\n", 2 * _LOOKED_AT)[: 2 * _LOOKED_AT]
    filled = [bool(line.strip()) for line in below[::2]]
    dense = len(filled) > _LOOKED_AT // 10 and sum(filled) > len(filled) // 2
    return dense and not any(line.strip() for line in below[1::2])
