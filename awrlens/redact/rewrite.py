"""Rewrites a report with pseudonyms; all other letters, lines and columns stay in place.

Names and Oracle's own words are found by the descriptions of the sections.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from awrlens.errors import AwrlensError
from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import NamedTuple, regex
from awrlens.redact.names import (
    ADDRESS,
    CHOICES,
    KEYWORDS,
    NAMING,
    OWN,
    PATH,
    RELEASES,
    TITLES,
    TRANSPORT,
    WORD,
    is_figure,
    is_oracles,
    vocabulary,
)
from awrlens.report.dates import parse_datetime
from awrlens.report.html_reader import unfold
from awrlens.report.reader_result import column_of
from awrlens.report.report import Report
from awrlens.source.saved_pages import ATTRIBUTES, COMMENT

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from awrlens.grammar.catalogue import SectionSpec
    from awrlens.redact.names import Names
    from awrlens.report.columns import Slot
    from awrlens.report.reader_result import RawTable


_PARAMETERS: Final = "parameters"
_VALUES: Final = ("begin_value", "end_value")
#: Headings of SQL statements, including sections without a description.
_STATEMENT: Final = regex(r"sql ?text|statement", re.I)
#: Numbers with fewer digits are not searched elsewhere: they may be anything.
_LONG: Final = 8
_MOST_LINES_OF_VALUE: Final = 60


class Cell(NamedTuple):
    """A cell with names or an SQL statement: location, text and maximum number of lines."""

    at: int
    text: str
    kind: str
    lines: int = 1


class Places(NamedTuple):
    """Cells of a report with names, Oracle's words in it, SQL statements of a text report."""

    cells: list[Cell]
    oracles: frozenset[str]
    numbers: frozenset[str]
    statements: list[list[int]]


def find(report: Report) -> Places:
    """All sections; most tables of a compare-period report have descriptions of single reports."""
    cells: dict[Cell, None] = {}
    oracles: set[str] = set()
    labels: dict[int, tuple[str, ...]] = {}
    statements: dict[tuple[int, ...], list[int]] = {}
    parts = (report, *report.periods)
    for part, section in ((scope, section) for scope in parts for section in scope.sections):
        described: set[int] = set()
        for spec, raw, slots in part.described(section):
            described.add(raw.at)
            oracles.update(_printed_by_oracle(spec, raw, slots))
            for row in raw.rows() if spec.labels else ():
                label = norm_heading(row.cells[0])
                if label in spec.labels:
                    labels[row.at] = (*labels.get(row.at, ()), label)
            below = getattr(raw, "statements", [])
            statements |= {tuple(lines): lines for lines in below}
            cells |= dict.fromkeys(_cells(spec, raw, slots, elsewhere=bool(below)))
        cells |= dict.fromkeys(_undescribed(section.tables("table"), described))
    # below a table without an end, a label and its figures are in its first column, too
    named = [c for c in cells if not norm_heading(c.text).startswith(labels.get(c.at, ()))]
    words = (word for cell in named if cell.kind == "name" for word in WORD.findall(cell.text))
    numbers = frozenset(word for word in words if word.isdecimal() and len(word) >= _LONG)
    return Places(named, frozenset(oracles), numbers, [*statements.values()])


def _cells(
    spec: SectionSpec, raw: RawTable, slots: list[Slot], *, elsewhere: bool
) -> Iterator[Cell]:
    """Cells with names; ``elsewhere``: modules and SQL statements are on separate lines."""
    parameter = next((s.cell for s in slots if s.column.name == "parameter"), None)
    named = [s for s in slots if "private" in s.flags]
    if elsewhere:
        named = [s for s in named if s.column.name not in ("module", "sql_text")]
    rows = raw.rows()
    for row, after in zip_longest(rows, rows[1:]):
        lines = max(1, min(after.at - row.at, _MOST_LINES_OF_VALUE)) if after else 1
        for slot in named:
            text = row.text(slot.cell)
            kind = "sql" if slot.column.name == "sql_text" else "name"
            if spec.name.startswith(_PARAMETERS) and slot.column.name in _VALUES:
                kind = _kind_of_value("" if parameter is None else row.cells[parameter])
            if text:
                yield Cell(row.place(slot.cell), text, kind, lines)


def _printed_by_oracle(spec: SectionSpec, raw: RawTable, slots: list[Slot]) -> list[str]:
    """Words of described headings, labels, public columns and dates (months in any language)."""
    texts = [slot.column.heading for slot in slots if slot.column.name]
    if spec.labels:
        texts += [key for key in column_of(raw.rows(), 0) if norm_heading(key) in spec.labels]
    marked = [slot for slot in slots if "public" in slot.flags]
    dates = [slot for slot in slots if slot.column.type == "datetime"]
    for row in raw.rows() if marked or dates else ():
        texts += [row.text(slot.cell) for slot in marked]
        texts += [text for slot in dates if parse_datetime(text := row.text(slot.cell))]
    return [word for text in texts for word in WORD.findall(text)]


def _kind_of_value(parameter: str) -> str:
    if parameter.startswith("log_archive_dest_state"):
        return "value"
    if parameter.startswith("log_archive_dest"):
        return "destination"
    if parameter in RELEASES:
        return "release"
    return "name" if not parameter or NAMING.search(parameter) else "value"


def _undescribed(tables: list[RawTable], described: set[int]) -> Iterator[Cell]:
    """SQL statements in tables without a description; other words there are checked one by one."""
    for raw in tables:
        columns = [n for n, heading in enumerate(raw.headings) if _STATEMENT.search(heading)]
        if raw.at in described or not columns:
            continue
        for row in raw.rows():
            for number in columns:
                if text := row.text(number):
                    yield Cell(row.place(number), text, "sql")


#: A long title runs into the text after it: ``Global Cache Buffer BusyDB/Inst:``.
_TOKEN: Final = regex(
    rf"DB(?=/Inst:)|(?P<address>{ADDRESS.pattern})|\w+?(?=DB/Inst:)|(?P<word>{WORD.pattern})", re.I
)
_TAG: Final = regex(rf"{COMMENT}|</?[a-zA-Z]{ATTRIBUTES}>")
_ATTRIBUTE: Final = regex(r"(?<![\w-])([\w-]++)(\s*+=\s*+)(\"[^\"]*\"|'[^']*'|[^\s>]+)")
_LAYOUT_ATTRIBUTES: Final = frozenset(KEYWORDS["layout"])
_GROUPED: Final = regex(r"\d{1,3}(?:\.\d{3})+")
_LINE_NUMBER: Final = regex(r"\d+[:-]")
_CELL_END: Final = regex(r"</?t[dhr]\b|</table", re.I)
_FILLED: Final = regex(r"(&(?:nbsp|amp|lt|gt|quot|apos|#160|#3[489]);)|[\w$#]+", re.I)
_VERB: Final = regex(r"(?:\s++|/\*.*?\*/|--[^\n]*+\n|\(|<[^<>]*+>)*+([a-z]+)", re.S | re.I)
_VERBS: Final = frozenset(KEYWORDS["verbs"])
#: Number of lines checked for line numbers.
_HEAD: Final = 200
#: A letter as a numeric reference, as some programs write it.
_REFERENCE: Final = regex(r"&#(?:0{0,9}(\d{2,3})|[xX]0{0,9}([0-9a-fA-F]{2}))(?:;|(?![0-9a-zA-Z]))")
_ASCII: Final = 128
#: Kinds of values that can contain keywords and names.
_CHOSEN: Final = ("destination", "value")
#: Temporary tables of materialized WITH subqueries.
_OWN_TABLES: Final = "SYS_TEMP_"
#: Shorter numbers in a name reveal little: the 01 of a file.
_FEW_DIGITS: Final = 5


class _Sieve(NamedTuple):
    names: Names
    oracles: frozenset[str]
    numbers: frozenset[str]
    #: Whether this report groups digits with points: ``1.234.567.890``.
    points: bool

    def is_name(self, word: str, kind: str) -> bool:
        """Whether a word is replaced, in a cell of a kind or elsewhere."""
        if len(word) == 1:
            return False  # a single letter or digit reveals nothing
        if word.isdecimal():
            return word in self.numbers or (kind == "name" and len(word) >= _FEW_DIGITS)
        if kind in ("name", "destination"):
            upper = word.upper()
            return (
                upper not in OWN
                and not upper.startswith(_OWN_TABLES)
                and (kind == "name" or upper not in TRANSPORT)
            )
        if kind == "value":
            return not is_figure(word) and word.lower() not in CHOICES
        return word.upper() not in OWN and not is_oracles(word, self.oracles)

    def text(
        self, text: str, kind: str, private: Container[str] = (), kept: Container[str] = ()
    ) -> str:
        """Redact a piece of text; ``private`` words are names there, ``kept`` words are not."""
        spans = [m.span() for m in PATH.finditer(text)]
        spans += [
            m.span(n) for p in TITLES for m in p.finditer(text) for n in range(1, p.groups + 1)
        ]
        spans = _joined(spans)

        def other(match: re.Match[str]) -> str:
            word = match[0]
            begin, end = match.span()
            if match["address"]:
                keep = kind == "release" or (self.points and _GROUPED.fullmatch(word))
                return word if keep else self.names.address(word)
            if text[begin - 1 : begin] == "&" and text[end : end + 1] == ";":
                return word
            number = bisect_right(spans, (begin, len(text)))
            inside = number > 0 and begin < spans[number - 1][1]
            is_kept = word in kept and not inside
            is_name = not is_kept and self.is_name(word, "name" if inside else kind)
            return self.names.of(word) if word in private or is_name else word

        return _TOKEN.sub(other, text)

    def statement(self, text: str) -> str:
        """An SQL statement reduced to its verb and punctuation."""
        verb = _VERB.match(text)
        keep = verb.end() if verb and verb[1].lower() in _VERBS else 0
        begin = verb.start(1) if verb and keep else 0
        return self._filled(text[:begin], text) + text[begin:keep] + self._filled(text[keep:], text)

    def _filled(self, text: str, seed: str) -> str:
        letters = self.names.filler(text, seed)
        return _FILLED.sub(lambda m: m[0] if m[1] else letters[m.start() : m.end()], text)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif begin < end:
            joined.append((begin, end))
    return joined


def without_names(result: Any, names: Names) -> Any:  # noqa: ANN401 - any input
    """A redacted report or another input, or the error without the file's name."""
    if not isinstance(result, AwrlensError):
        return redact(result, names) if isinstance(result, Report) else result.without_names(names)
    if result.source is not None:
        result.source = names.file(result.source)
    return result


def redact(report: Report, names: Names) -> Report:
    """The report with pseudonyms, as if Oracle had printed it with them."""
    source, kind = report.made_of
    text = source.text
    if not names.knows(text):
        names.avoid = {word.lower() for word in vocabulary()} | set(WORD.findall(text.lower()))
        where = find(report)
        if not kind.html:  # positions in a page are offsets, also after conversion to Markdown
            lines = [cell._replace(at=report.line(cell.at) - 1) for cell in where.cells]
            where = where._replace(cells=lines)
        sieve = _Sieve(names, where.oracles, where.numbers, report.writes_points)
        text = _page(text, where, sieve) if kind.html else _lines(text, where, sieve)
        names.remember(text)
    return Report(source._replace(text=text, name=names.file(source.name)), kind)


def _lines(text: str, where: Places, sieve: _Sieve) -> str:
    lines = text.split("\n")
    private: dict[int, set[str]] = {}
    kept: dict[int, set[str]] = {}
    release: set[int] = set()
    for cell in where.cells:
        words = set(WORD.findall(cell.text))
        hidden = {word for word in words if sieve.is_name(word, cell.kind)}
        for at in range(cell.at, cell.at + cell.lines):
            private.setdefault(at, set()).update(hidden)
        chosen = words - hidden if cell.kind in _CHOSEN else ()
        kept.setdefault(cell.at, set()).update(w for w in chosen if not w[0].isdecimal())
        if cell.kind == "release":
            release.add(cell.at)
    filled = {at for places in where.statements for at in places}
    # in output of `grep -n`, all lines begin with their number
    numbered = all(_LINE_NUMBER.match(line) for line in lines[:_HEAD] if line.strip())
    for places in where.statements:
        marks = [_LINE_NUMBER.match(lines[at]) if numbered else None for at in places]
        before = [mark[0] if mark else "" for mark in marks]
        rest = [lines[at][len(mark) :] for at, mark in zip(places, before, strict=True)]
        new = sieve.statement("\n".join(rest)).split("\n")
        for at, mark, line in zip(places, before, new, strict=True):
            lines[at] = mark + line
    for cell in where.cells:
        if cell.kind == "sql" and cell.at not in filled and cell.text in lines[cell.at]:
            # an SQL statement within a row, as in Markdown
            lines[cell.at] = lines[cell.at].replace(cell.text, sieve.statement(cell.text))
    for at, line in enumerate(lines):
        if at not in filled and line.strip():
            kind = "release" if at in release else ""
            lines[at] = sieve.text(line, kind, private.get(at, ()), kept.get(at, ()))
    return "\n".join(lines)


def _page(source: str, where: Places, sieve: _Sieve) -> str:
    """Rewrite an HTML report and wrap lines at the same positions as SQL*Plus did."""
    text, removed = unfold(source)
    ends = [(cell, _CELL_END.search(text, cell.at)) for cell in where.cells]
    ranges = sorted((cell.at, end.start() if end else len(text), cell.kind) for cell, end in ends)
    begins = [begin for begin, _, _ in ranges]
    pieces: list[str] = []
    begun: set[int] = set()
    verbatim = False
    # most cells and tags of a page stand there many times
    rewritten, tag_of = cache(sieve.text), cache(partial(_tag, sieve=sieve))

    def content(begin: int, end: int) -> str:
        """Rewrite text between two tags, depending on its cell."""
        number = bisect_right(begins, begin) - 1
        kind = ranges[number][2] if number >= 0 and begin < ranges[number][1] else ""
        piece = text[begin:end]
        if verbatim or not piece.strip():
            return piece
        if "&#" in piece:  # names may contain references for letters
            piece = _REFERENCE.sub(_letter, piece)
        if kind == "sql":
            first = number not in begun
            begun.add(number)
            return sieve.statement(piece) if first else sieve.statement(f"x {piece}")[2:]
        return rewritten(piece, kind)

    at = 0
    for tag in _TAG.finditer(text):
        if tag.start() > at:
            pieces.append(content(at, tag.start()))
        pieces.append(tag_of(tag[0]))
        verbatim = tag[0][:6].lower() == "<style"
        at = tag.end()
    pieces.append(content(at, len(text)))
    return _fold("".join(pieces), source, removed)


def _letter(reference: re.Match[str]) -> str:
    """The ASCII letter or digit of a numeric reference; other references stay."""
    number = int(reference[1]) if reference[1] else int(reference[2], 16)
    return chr(number) if number < _ASCII and chr(number).isalnum() else reference[0]


def _tag(tag: str, sieve: _Sieve) -> str:
    if tag.startswith("<!"):
        return sieve.text(tag, "")

    def attribute(match: re.Match[str]) -> str:
        looks = match[1].lower() in _LAYOUT_ATTRIBUTES
        return match[0] if looks else match[1] + match[2] + sieve.text(match[3], "")

    return _ATTRIBUTE.sub(attribute, tag) if "=" in tag else tag


def _fold(text: str, source: str, removed: list[int]) -> str:
    pieces: list[str] = []
    at = shift = 0
    for place in removed:
        end = "\r\n" if source.startswith("\r\n", place + shift) else "\n"
        pieces += [text[at:place], end]
        at = place
        shift += len(end)
    return "".join([*pieces, text[at:]])
