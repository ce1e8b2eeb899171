"""Text reports in a page: inside ``<pre>``, or line by line in paragraphs and line breaks."""

from __future__ import annotations

import re
from typing import Final

from awrlens.lazy import regex
from awrlens.source.line_marks import Lines
from awrlens.source.page_elements import Cut
from awrlens.source.pages import COMMENT
from awrlens.source.references import unescape

_PRE: Final = regex(r"<pre\b[^<>]*+>", re.I)
_PRE_END: Final = regex(r"</pre\b[^<>]*+>", re.I)
_WORDS: Final = regex(r"(?:STATSPACK|REPOSITORY|PERIOD)(?:&nbsp;|&#160;|\s)+report", re.I)
_TOKEN: Final = regex(rf"{COMMENT}|<(/?)([a-zA-Z][\w:]*+)[^<>]*+>")
_LINE: Final = regex(r"<(?:br|p|div)\b[^<>]*+>(?!\s*+<br)", re.I)
_BLOCKS: Final = frozenset(("p", "div", "li", "tr", "body", "blockquote", "h1", "h2", "h3", "pre"))
_UNSEEN: Final = ("style", "script", "title", "head")
_SEEN: Final = Cut(_UNSEEN)
_LINE_END: Final = regex(r"&(?:#0*+10(?![0-9])|#[xX]0*+[aA](?![0-9a-fA-F])|NewLine);?+")
_BLANKS: Final = regex(r"[ \t\r\n\f]+")
#: Minimum number of separate lines in a page that contains a report.
_LEAST_LINES: Final = 20
#: Maximum distance of the first of them from the words of a report's first line.
_NEAR: Final = 300


def shown(text: str) -> Lines:
    """The text that a page shows, with the line number in the page of each of its lines."""
    if _PRE.search(text):
        return Lines(_out_of_pre(text))
    if "<td" in text or "<TD" in text or len(_LINE.findall(text)) < _LEAST_LINES:
        return Lines(text)
    seen = _SEEN.apply(text, lambda unseen: "\n" * unseen.count("\n"))
    words = _WORDS.search(seen)
    first = _LINE.search(seen, words.end()) if words else None
    # a text report may have such tags in its statements, but not at the end of its first line
    if words is None or first is None or first.start() - words.end() > _NEAR:
        return Lines(text)
    return _line_by_line(seen)


def _out_of_pre(text: str) -> str:
    """The contents of ``<pre>`` without markup; every line end of the page stays.

    If the page also has tables, only the ``<pre>`` with a report's first line is used.
    """
    several = "<td" not in text and "<TD" not in text
    pieces: list[str] = []
    at = after = 0
    for begin in _PRE.finditer(text):
        if begin.start() < after:
            continue
        end = _PRE_END.search(text, begin.end())
        after = end.start() if end else len(text)
        inside = text[begin.end() : after]
        if "<table" in inside.lower():
            return text
        if not several and not _WORDS.search(inside):
            continue
        pieces.append("\n" * text.count("\n", at, begin.end()))
        pieces.append(_resolved(re.sub(r"<[^<>\n]*>", "", inside)))
        at = after
        if not several:
            break
    return "".join(pieces) or text


def _line_by_line(text: str) -> Lines:
    """Lines from paragraphs and breaks; non-breaking spaces stay, other blanks are collapsed."""
    lines: list[str] = []
    numbers: list[int] = []
    line, number, at = "", 1, 0

    def end_line() -> None:
        nonlocal line
        lines.append(_resolved(line))
        numbers.append(number)
        line = ""

    for match in _TOKEN.finditer(text):
        piece = _BLANKS.sub(" ", text[at : match.start()])
        line += piece if line else piece.lstrip(" ")
        number += text.count("\n", at, match.start())
        name = (match[2] or "").lower()
        if name == "br" or (name in _BLOCKS and line):
            end_line()
        number += match[0].count("\n")
        at = match.end()
    rest = text[at:].lstrip()
    number += text.count("\n", at, len(text) - len(rest))
    for piece in rest.rstrip().split("\n"):
        line += piece
        end_line()
        number += 1
    return Lines("\n".join(lines), numbers)


def _resolved(text: str) -> str:
    """The text without references; one to a line end is a blank, so that lines stay as they are."""
    return unescape(_LINE_END.sub(" ", text)).replace("\u00a0", " ")
