"""Text reports in a page: inside ``<pre>``, or line by line in paragraphs and line breaks."""

from __future__ import annotations

import re
from typing import Final

from awrlens.source.cut import Cut
from awrlens.source.lines import Lines
from awrlens.source.pages import COMMENT
from awrlens.source.references import unescape

_PRE: Final = re.compile(r"<pre\b[^<>]*+>", re.I)
_PRE_END: Final = re.compile(r"</pre\b[^<>]*+>", re.I)
_WORDS: Final = re.compile(r"(?:STATSPACK|REPOSITORY|PERIOD)(?:&nbsp;|&#160;|\s)+report", re.I)
_TOKEN: Final = re.compile(rf"{COMMENT}|<(/?)([a-zA-Z][\w:]*+)[^<>]*+>")
_LINE: Final = re.compile(r"<(?:br|p|div)\b[^<>]*+>(?!\s*+<br)", re.I)
_BLOCKS: Final = frozenset(("p", "div", "li", "tr", "body", "blockquote", "h1", "h2", "h3", "pre"))
_UNSEEN: Final = ("style", "script", "title", "head")
_SEEN: Final = Cut(_UNSEEN)
_BLANKS: Final = re.compile(r"[ \t\r\n\f]+")
#: Minimum number of separate lines in a page that contains a report.
_LEAST_LINES: Final = 20


def shown(text: str) -> Lines:
    """The text that a page shows, with the line number in the page of each of its lines."""
    if _PRE.search(text):
        return Lines(_out_of_pre(text))
    by_line = "<td" not in text and "<TD" not in text and _WORDS.search(text) is not None
    if not by_line or len(_LINE.findall(text)) < _LEAST_LINES:
        return Lines(text)
    return _line_by_line(text)


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
        pieces.append(unescape(re.sub(r"<[^<>\n]*>", "", inside)).replace("\u00a0", " "))
        at = after
        if not several:
            break
    return "".join(pieces) or text


def _line_by_line(text: str) -> Lines:
    """Lines from paragraphs and breaks; non-breaking spaces stay, other blanks are collapsed."""
    lines: list[str] = []
    numbers: list[int] = []
    line, number, at = "", 1, 0
    text = _SEEN.apply(text, lambda unseen: "\n" * unseen.count("\n"))

    def end_line() -> None:
        nonlocal line
        lines.append(unescape(line).replace("\u00a0", " "))
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
    line += unescape(text[at:]).strip()
    end_line()
    return Lines("\n".join(lines), numbers)
