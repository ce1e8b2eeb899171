"""Pages that others saved again, as Oracle writes them: from mails, browsers and office programs.

A report may be one part of a mail, or a text report within a page. Mail and office programs put
markup into cells, turn headings into bold cells, omit end tags and put the page into a layout
table: such tables are rewritten. Every line end stays, so line numbers stay correct.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import NamedTuple, regex
from awrlens.source.copied_text import Lines
from awrlens.source.encodings import is_text
from awrlens.source.kind import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from email.message import EmailMessage


class Cut:
    """Cuts out elements with given names; one that never ends stays, and is searched only once."""

    def __init__(self, names: Iterable[str]) -> None:
        self._begin = regex(rf"<({'|'.join(names)})\b", re.I)
        self._ends = {name: regex(rf"</{name}\s*+>", re.I) for name in names}

    def apply(self, text: str, instead: Callable[[str], str]) -> str:
        """The text with a replacement for each element."""
        pieces: list[str] = []
        endless: set[str] = set()
        at = 0
        begin = self._begin.search(text)
        while begin is not None:
            name = begin[1].lower()
            end = None if name in endless else self._ends[name].search(text, begin.end())
            after = begin.end()
            if end is None:
                endless.add(name)
            else:
                after = end.end()
                pieces += text[at : begin.start()], instead(text[begin.start() : after])
                at = after
            begin = self._begin.search(text, after)
        return "".join([*pieces, text[at:]]) if pieces else text


#: A number larger than any character; some are too long to convert.
_BEYOND: Final = regex(r"&#[0-9]{8,}+;?")
#: A text of at most this length is likely to occur again: `&#160;` is in most pages.
_SHORT: Final = 32


def unescape(text: str) -> str:
    """The text with its references resolved."""
    return _resolved(text) if len(text) <= _SHORT else _resolved.__wrapped__(text)


@lru_cache(maxsize=1024)
def _resolved(text: str) -> str:
    plain = text.replace("&nbsp;", "\u00a0").replace("&#160;", "\u00a0")
    plain = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    if plain.count("&") == plain.count("&amp;"):
        return plain.replace("&amp;", "&")
    if "&#" in text:
        text = _BEYOND.sub("\ufffd", text)
    import html  # it makes a table of all references

    return html.unescape(text)


#: How much of a page, from its first line, shows how it was saved.
_FIRST_TABLES: Final = 2**14
#: Headings are further apart in comparisons.
_FAR: Final = 2**16
_BANNER = regex(r"WORKLOAD REPOSITORY (?:PDB )?(?:report|compare)", re.I)
_PLAIN: Final = r"(?:[^<>=]++|=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')|=(?!\s*+[\"']))*+"
#: What is between a tag's name and its ``>``: quoted values may contain ``>``, and a few short ones
#: ``<``. A tag that is never closed ends at the next tag, so that a page of such tags is read once,
#: not once per tag.
ATTRIBUTES: Final = (
    rf"{_PLAIN}(?:=(?:\s*+(?:\"[^\"]{{0,200}}+\"|'[^']{{0,200}}+'))?+{_PLAIN}){{0,3}}+"
)
#: A comment; one that is never closed ends at the next one, for the same reason.
COMMENT: Final = r"<!--(?:[^-<]++|-(?!->)|<(?!!--(?!>)))*+-->"
_COMMENT = regex(COMMENT)
#: What Oracle never puts into a cell of a report's first tables.
_FOREIGN = regex(
    r"<(?:t[dh]\b[^<>]*+>(?:\s*+<(?:p|font|b|strong|center|o:p)\b"
    r"|(?:<(?:div|span)\b[^<>]*+>)*+[^<\n]{1,60}+\n[^<]{1,60}+</(?:td|div|span)\b)"
    r"|/t[dr]>\s*+<!--|!--[^<>]*-->\s*+<t[dhr]\b|br[^<>]*+>\s*+</t[dh]>)",
    re.I,
)
_HEADING = regex(r"<h[2-6]\b", re.I)
HEADED: Final = regex(r"<th\b", re.I)
_CELL = regex(r"<td\b", re.I)
#: The line of dashes under the headings of a text report's first table.
_RULER = regex(r"^(?:~+ +)?-{4,}(?: +-+)+[ \t\r]*$", re.M)
_CELL_END = regex(r"</t[dr]\b", re.I)
#: A cell with a figure is not a heading.
FIGURE: Final = regex(r"[-+]?(?:[.,'\u00a0]*+\d)++[.,]*+\s?(?!st|nd)(?:[a-zA-Z]{1,2}|%)?$")
#: Maximum distance of a title before its words.
_TITLE: Final = 2**12


def as_printed(text: str) -> str:
    """The page with its tables as Oracle writes them; unchanged if they already are."""
    banner = _BANNER.search(text)
    while banner is not None and _is_inside("title", text, banner.start(), _TITLE):
        banner = _BANNER.search(text, banner.end())
    begin = banner.start() if banner else 0
    if _RULER.search(text, begin, text.find("<", begin)):
        return text  # a text report with tags in its statements
    if _is_foreign(text[begin : begin + _FIRST_TABLES]) or _is_inside("table", text, begin):
        text = "".join(_written(text, begin))
    if not _HEADING.search(text, begin, begin + _FAR):
        text = _PARAGRAPH.sub(_heading, text)
    return text


def _is_foreign(probe: str) -> bool:
    if not _CELL.search(probe):
        return False
    if "<!--" in probe:
        probe = _COMMENT.sub("<!---->", probe)
    whole = HEADED.search(probe) is not None and _CELL_END.search(probe) is not None
    return not whole or _FOREIGN.search(probe) is not None


def _is_inside(tag: str, text: str, at: int, near: int | None = None) -> bool:
    small = text[max(0, at - (near or at)) : at].lower()
    return small.rfind(f"<{tag}") > small.rfind(f"</{tag}")


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


#: A line of a page's source, as a browser shows and saves it.
VIEWED: Final = 'class="line-content"'
_VIEWED_LINE: Final = regex(rf"<td {VIEWED}>((?:[^<]|<(?!/?td))*+)</td>")


def shown(text: str) -> Lines:
    """The text that a page shows, with the line number in the page of each of its lines."""
    if VIEWED in text:
        viewed = [(match.start(), match[1]) for match in _VIEWED_LINE.finditer(text)]
        numbers, number, last = [], 1, 0
        for at, _ in viewed:
            number, last = number + text.count("\n", last, at), at
            numbers.append(number)
        # a carriage return within a cell has become a line end
        cells = (re.sub(r"<[^<>\n]*>", "", cell).replace("\n", " ") for _, cell in viewed)
        lines = map(_resolved_line, cells)
        return Lines("\n".join(lines), numbers)
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
    """The contents of ``<pre>``, in a page with tables only of that with a report's first line."""
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
        pieces.append(_resolved_line(re.sub(r"<[^<>\n]*>", "", inside)))
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
        lines.append(_resolved_line(line))
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


def _resolved_line(text: str) -> str:
    """The text without references; one to a line end is a blank, so that lines stay as they are."""
    return unescape(_LINE_END.sub(" ", text)).replace("\u00a0", " ")


_HEADERS: Final = regex(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){2,60}?(?:\r?\n)", re.A)
_HEADER: Final = regex(rb"^(?:MIME-Version|Content-Type|Received|From):", re.I | re.M)
#: In a mailbox file, such a line is before the headers of every mail.
_MAILBOX: Final = regex(rb"From [^\n]*\n")
#: Quoted-printable text without its mail: lines are cut before column 77 and marked with ``=``.
_PRINTABLE: Final = regex(rb"^[^\n]{50,75}=\r?$", re.M)
#: This number of lines, none longer: some SQL statements in 8i reports also end in ``=``.
_LEAST_CUT: Final = 5
_LONGER: Final = regex(rb"[^\r\n]{77}")
#: There, every other ``=`` begins a code.
_CODE: Final = regex(rb"=[0-9A-Fa-f]{2}")
_RAW: Final = regex(rb"=(?![0-9A-Fa-f]{2}|\r?\n)")
_PROBE: Final = 2**16
#: Maximum number of parts in a mail, and of nested mails or groups of parts.
_PARTS: Final = 1000
_LEVELS: Final = 20
_BOUNDARY: Final = regex(rb"boundary\s*+=\s*+\"?([^\"\s;]{1,200})", re.I)
_WITHIN: Final = regex(rb"^Content-Type:\s*+message/", re.I | re.M)
#: The library parses these headers; it would never end with one of this length.
_CONTENT: Final = regex(
    rb"^Content-(?:Type|Disposition|Transfer-Encoding):[^\n]*+(?:\n[ \t][^\n]*+)*+", re.I | re.M
)
_LONG: Final = 4000
_HARD_BLANK: Final = "\u00a0".encode()


def is_mail(data: bytes) -> bool:
    """The header of a mail or of a saved page: at least two lines ``Name: value``."""
    begin = _MAILBOX.match(data)
    head = _HEADERS.match(data, begin.end() if begin else 0, _PROBE)
    return head is not None and len(_HEADER.findall(head[0])) > 1


def parts(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """The contents of a mail, with file names: its attachments, else its page, else its text.

    UnreadableError for a mail with more parts, levels or headers than people write.
    """
    marks = {mark[1] for mark in _BOUNDARY.finditer(data)}
    many = len(marks) > _LEVELS or len(_WITHIN.findall(data)) > _LEVELS
    many = many or sum(data.count(b"\n--" + mark) for mark in marks) > _PARTS
    if many or any(len(header[0]) > _LONG for header in _CONTENT.finditer(data)):
        raise UnreadableError(
            "The mail has too many parts or levels, or its headers are too long.",
            source=name,
            hint="Extract the report from it.",
        )
    from email import message_from_bytes
    from email.policy import default

    message = message_from_bytes(data, policy=default)
    leaves = [part for part in message.walk() if not part.is_multipart()]
    files = [part for part in leaves if part.get_filename()]
    pages = [part for part in leaves if part.get_content_type() == "text/html"]
    contents = [(part.get_filename() or "", _payload(part)) for part in files or pages or leaves]
    contents = [(name, payload) for name, payload in contents if payload.strip()]
    if not files:  # a report in the text of a mail, possibly forwarded
        plain = [payload.replace(_HARD_BLANK, b" ") for _, payload in contents]
        tells = [any(word.encode() in payload for word in WORDS) for payload in plain]
        telling = [content for content, tell in zip(contents, tells, strict=True) if tell]
        contents = telling or contents
    yield from contents


def _payload(part: EmailMessage) -> bytes:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return b""
    charset = part.get_content_charset()
    kept = charset in (None, "utf-8", "us-ascii") or not is_text(charset or "")
    if part.get_content_maintype() == "text" and not kept:
        # not a text encoding, or an unknown one: the bytes will show what it is
        payload = payload.decode(charset or "utf-8", errors="replace").encode("utf-8", "replace")
    if part.get_param("format") == "flowed":
        # lines as they were before a mail program wrapped them at blanks (RFC 3676)
        text = re.sub(rb"(?m)^ (?=[ >]|From )", b"", payload.replace(b"\r\n", b"\n"))
        soft = rb"(?<=[^\n]) \n" if part.get_param("delsp") == "yes" else rb"(?<=[^\n] )\n"
        payload = re.sub(soft, b"", text)
    return payload


def unquoted(data: bytes) -> bytes:
    """A text copied from a mail's source, without its soft line ends and hexadecimal codes."""
    cut = _PRINTABLE.findall(data, 0, _PROBE)
    if len(cut) < _LEAST_CUT or _LONGER.search(data, 0, _PROBE):
        return data
    if len(_RAW.findall(data, 0, _PROBE)) > len(_CODE.findall(data, 0, _PROBE)):
        return data
    from quopri import decodestring

    return decodestring(data)


_SAVED_TAG = regex(
    rf"{COMMENT}|<(?P<end>/?)(?P<name>[a-zA-Z][\w:]*+){ATTRIBUTES}>|<[!?][^<>]*+>", re.S
)
_TABLE_TAG = regex(r"<(/?)(table|h[1-6])\b", re.I)
#: Paragraphs that were headings are short and have a line of their own.
_PARAGRAPH = regex(
    r"<(?P<tag>p|div)\b[^<>]*+>(?:\s*+<(?:b|strong|font|span|a)\b[^<>]*+>(?:\s*+</a>)?+)*+"
    r"(?P<text>[^<>]{3,100}+)(?:</(?:b|strong|font|span)>\s*+)*+</(?P=tag)>",
    re.I,
)
_SPANS = regex(r"\b(?:col|row)span\s*+=\s*+[\"']?+\s*+\d++\s*+[\"']?+", re.I)
_SPANNED = regex(r"colspan", re.I)
_TABLE_END = regex(r"</table")


def _heading(paragraph: re.Match[str]) -> str:
    ends = "\n" * (paragraph[0].count("\n") - paragraph["text"].count("\n"))
    return f"<h3>{paragraph['text']}</h3>{ends}" if paragraph["text"].strip() else paragraph[0]


class _Cell(NamedTuple):
    name: str
    spans: str
    pieces: list[str]

    @property
    def text(self) -> str:
        """Its words with single blanks, followed by the line ends that were between them."""
        joined = "".join(self.pieces)
        words = " ".join(joined.split())
        lead = len(joined[: len(joined) - len(joined.lstrip())].split("\n")) - 1
        return "\n" * lead + words + "\n" * (joined.count("\n") - lead)


class _Table:
    """A table that is being rewritten: one of the report's, or a layout table around them."""

    def __init__(self, *, layout: bool, headed: bool) -> None:
        self.layout = layout
        self.headless = not headed
        self.row: list[_Cell] = []
        self.open = False

    def row_written(self) -> Iterator[str]:
        """The tags and texts of the row that ends; its cells become headings if there are none."""
        cells, self.row, self.open = self.row, [], False
        if not cells:
            return
        texts = [cell.text for cell in cells]
        words = [text.strip() for text in texts]
        head = self.headless and any(words) and not any(map(FIGURE.match, words))
        # a row that spans groups of columns is above the row that names the columns
        self.headless = head and any(_SPANNED.search(cell.spans) for cell in cells)
        yield "<tr>"
        for cell, text in zip(cells, texts, strict=True):
            name = "th" if head else cell.name
            yield f"<{name}{cell.spans}>{text}</{name}>"
        yield "</tr>"


def _layouts(text: str, banner: int) -> set[int]:
    """Where layout tables begin: with the report's first line, or with headings and tables."""
    layouts: set[int] = set()
    open_tables: list[int] = []
    # this number of open tables, from the outermost, contain a heading; are layout tables
    headed = laid = 0
    for match in _TABLE_TAG.finditer(text):
        if match.start() > banner > 0:
            layouts.update(open_tables[laid:])
            laid = len(open_tables)
            banner = 0
        if match[2].lower() != "table":
            headed = len(open_tables)
        elif not match[1]:
            layouts.update(open_tables[laid:headed])
            laid = max(laid, headed)
            open_tables.append(match.start())
        elif open_tables:
            open_tables.pop()
            headed, laid = min(headed, len(open_tables)), min(laid, len(open_tables))
    return layouts


def _written(text: str, banner: int) -> Iterator[str]:
    layouts = _layouts(text, banner)
    ends = [*(match.start() for match in _TABLE_END.finditer(text)), len(text)]
    heads = [match.start() for match in HEADED.finditer(text)]
    tables: list[_Table] = []
    at = 0
    for match in _SAVED_TAG.finditer(text):
        name = (match["name"] or "").lower()
        table = tables[-1] if tables else None
        data = table if table is not None and not table.layout else None
        piece = text[at : match.start()]
        at = match.end()
        if data is not None and data.row:
            # line ends between cells stay after the previous cell, so its line number is correct
            data.row[-1].pieces.append(piece if data.open else "\n" * piece.count("\n"))
        else:
            yield piece if data is None else "\n" * piece.count("\n")
        if name == "table" and not match["end"]:
            if data is not None:
                yield from data.row_written()
            end = ends[bisect_left(ends, at)]
            headed = bisect_left(heads, at) < bisect_left(heads, end)
            tables.append(_Table(layout=match.start() in layouts, headed=headed))
            breaks = "\n" * match[0].count("\n")
            yield breaks if tables[-1].layout else f"<table>{breaks}"
        elif name == "table" and table is not None:
            yield from table.row_written()
            tables.pop()
            yield "" if table.layout else "</table>"
        elif data is not None:
            yield from _in_table(data, name, match)
        elif table is not None and name in ("tr", "td", "th"):
            yield "\n" * match[0].count("\n") or " "
        else:
            yield "\n" * match[0].count("\n") if match[0].startswith("<!--") else match[0]
    for table in tables:  # a page that ends in a row: only its line ends
        yield "\n" * sum(piece.count("\n") for cell in table.row for piece in cell.pieces)
    yield text[at:]


def _in_table(table: _Table, name: str, match: re.Match[str]) -> Iterator[str]:
    """The output for a tag within one of the report's tables: rows, cells, line ends."""
    ends = "\n" * match[0].count("\n")
    if name == "tr":
        yield from table.row_written()
        yield ends
    elif name in ("td", "th") and not match["end"]:
        spans = "".join(f" {span}" for span in _SPANS.findall(match[0]))
        table.row.append(_Cell(name, spans, [ends]))
        table.open = True
    elif name in ("td", "th") and table.row:
        table.open = False
        table.row[-1].pieces.append(ends)
    elif table.open:
        blank = " " if name in ("br", "p", "div") else ""
        table.row[-1].pieces.append(ends or blank)
    else:
        yield ends
