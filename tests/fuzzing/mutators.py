"""What is done to a report: each mutator changes a document and says what may follow from it.

A mutator returns False where it cannot be applied.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

import pumps

from fuzzing.document import NAMES, Doc, lines_of, parts_of

if TYPE_CHECKING:
    import random

    Change = Callable[[Doc, "random.Random"], bool | None]

_FIGURE: Final = re.compile(r"(?<![\w.,#/:+-])\d[\d,]*(?:\.\d+)?(?![\w.,:/%+-])|(?<=\s)\.\d+(?!\S)")
_CELL: Final = re.compile(r"(?<=>)\s*(?:\d[\d,.]*|\.\d+)\s*(?=</td>)", re.I)
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
#: A figure that is so far off still belongs to its own heading.
_NEAR: Final = 2
#: Of this share of figures some fact of the base cites the line.
_CITED: Final = 0.75


class Mutator(NamedTuple):
    """A mutator by name; ``kind`` is what may follow, ``stage`` when it is applied."""

    name: str
    kind: str
    stage: int
    change: Change


ALL: Final[list[Mutator]] = []


def mutator(kind: str, stage: int = 0) -> Callable[[Change], Change]:
    """Lists a mutator: 0 changes lines, 1 what stands around them all, 2 the bytes."""

    def listed(change: Change) -> Change:
        ALL.append(Mutator(change.__name__, kind, stage, change))
        return change

    return listed


# Figures.


def _places(doc: Doc, at: int) -> list[tuple[int, int]]:
    """Where figures stand in a line."""
    pattern = _CELL if doc.html else _FIGURE
    return [match.span() for match in pattern.finditer(doc.lines[at])]


def _pick(doc: Doc, rng: random.Random) -> tuple[int, int, int] | None:
    """A figure: line, begin and end; mostly of a line that facts cite."""
    cited = [n for n, origin in enumerate(doc.origins) if origin in doc.cells]
    for _ in range(8):
        known = bool(cited) and rng.random() < _CITED
        at = rng.choice(cited) if known else rng.randrange(len(doc.lines))
        places = _places(doc, at)
        if not places:
            continue
        line = doc.lines[at]
        own = [p for p in places if line[p[0] : p[1]].strip() in doc.cells.get(doc.origins[at], ())]
        begin, end = rng.choice(own if own and rng.random() < _CITED else places)
        return at, begin, end
    return None


def _put(doc: Doc, at: int, begin: int, end: int, new: str) -> None:
    """Another figure, on the right of its column where it has room there."""
    line = doc.lines[at]
    room = end - begin
    while len(new) > room and begin > 0 and line[begin - 1] == " " and not doc.html:
        begin, room = begin - 1, room + 1
    doc.replace(at, line[:begin] + new.rjust(room) + line[end:])


def _figure(doc: Doc, rng: random.Random, new: Callable[[str], str], *, spoils: bool) -> bool:
    """Puts another text for a figure."""
    place = _pick(doc, rng)
    if place is None:
        return False
    at, begin, end = place
    old = doc.lines[at][begin:end]
    text = new(old.strip())
    if text == old.strip():
        return False
    (doc.spoilt if spoils else doc.changed).add(doc.origins[at])
    _put(doc, at, begin, end, text)
    return True


@mutator("figures")
def other_digit(doc: Doc, rng: random.Random) -> bool:
    """One digit is another."""

    def new(old: str) -> str:
        at = rng.choice([n for n, sign in enumerate(old) if sign.isdigit()])
        least = 1 if at == 0 and len(old) > 1 else 0
        return f"{old[:at]}{rng.randint(least, 9)}{old[at + 1 :]}"

    return _figure(doc, rng, new, spoils=False)


@mutator("figures")
def zero(doc: Doc, rng: random.Random) -> bool:
    """Nothing happened."""
    return _figure(doc, rng, lambda _: rng.choice(["0", "0", "0.0", "0.00"]), spoils=False)


#: Maximum number of digits that are enlarged.
_MOST_DIGITS = 4000


@mutator("figures")
def enlarged(doc: Doc, rng: random.Random) -> bool:
    """A figure with up to 14 digits more."""

    def new(old: str) -> str:
        whole, point, rest = old.replace(",", "").partition(".")
        digits = f"{whole or '1'}{''.join(rng.choices('0123456789', k=rng.randint(1, 14)))}"
        if len(digits) > _MOST_DIGITS:  # Python converts no longer ones
            return old
        return f"{int(digits):,}{point}{rest}"

    return _figure(doc, rng, new, spoils=False)


@mutator("figures")
def negative(doc: Doc, rng: random.Random) -> bool:
    """A figure below zero."""
    return _figure(doc, rng, lambda old: f"-{old}", spoils=False)


_ODD: Final = (
    "1e308", "1E+400", "-1e308", "9" * 19, "9" * 400, "9" * 5000, "NaN", "inf", "Infinity",
    "1.2.3", "--5", "0x10", "1'234", "1_000", "\u0663\u0664", "\u00b2", "1e5", ".5.", ",,",
    "1,23", "1.234,5", "1 234", "12K", "12M", "3G", "5E", "1.7T", "12:30", "1/2", "50%", "N/A",
    "-", "null", "18446744073709551615", "-9223372036854775808", "0.000000000000001", "2,,3",
    "+4", "1e-320", "\x00",
)  # fmt: skip


@mutator("figures")
def odd(doc: Doc, rng: random.Random) -> bool:
    """What is no figure, or one that is written strangely."""
    doc.encoding = "utf-8"
    return _figure(doc, rng, lambda _: rng.choice(_ODD), spoils=False)


@mutator("figures")
def other_points(doc: Doc, rng: random.Random) -> bool:
    """Points where commas were, and the other way round, in one figure."""
    swap = str.maketrans(",.", ".,")
    return _figure(doc, rng, lambda old: old.translate(swap), spoils=False)


@mutator("spoils")
def overflown(doc: Doc, rng: random.Random) -> bool:
    """A figure that did not fit."""
    return _figure(doc, rng, lambda old: "#" * len(old), spoils=True)


@mutator("spoils")
def blank(doc: Doc, rng: random.Random) -> bool:
    """A figure that is not printed."""
    empty = "&#160;" if doc.html else ""
    return _figure(doc, rng, lambda _: empty, spoils=True)


@mutator("spoils")
def letter(doc: Doc, rng: random.Random) -> bool:
    """A letter where a digit was, as scanners read."""

    def new(old: str) -> str:
        at = rng.choice([n for n, sign in enumerate(old) if sign.isdigit()])
        return f"{old[:at]}{rng.choice('OlSBx')}{old[at + 1 :]}"

    return _figure(doc, rng, new, spoils=True)


# Lines.


def _row(doc: Doc, rng: random.Random) -> int | None:
    """A line with several figures."""
    place = _pick(doc, rng)
    return place[0] if place is not None and len(_places(doc, place[0])) > 1 else None


@mutator("spoils")
def shifted(doc: Doc, rng: random.Random) -> bool:
    """Blanks more, or fewer, somewhere before a figure of a line."""
    place = _pick(doc, rng)
    if place is None or doc.html:
        return False
    at, begin, _ = place
    line = doc.lines[at]
    more = rng.randint(-6, 6)
    if more < 0 and line[max(0, begin + more) : begin].strip():
        return False
    # farther off a figure may stand under another heading, and nothing tells
    (doc.changed if abs(more) > _NEAR else doc.spoilt).add(doc.origins[at])
    doc.replace(at, line[:begin] + " " * more + line[begin:] if more > 0 else
                line[: max(0, begin + more)] + line[begin:])  # fmt: skip
    return more != 0


@mutator("spoils")
def squeezed(doc: Doc, rng: random.Random) -> bool:
    """Runs of blanks of a line become one."""
    at = _row(doc, rng)
    if at is None or doc.html:
        return False
    doc.spoilt.add(doc.origins[at])
    doc.replace(at, re.sub(r" {2,}", " ", doc.lines[at]))
    return True


@mutator("spoils")
def other_twin(doc: Doc, rng: random.Random) -> bool:
    """A row stands twice, the second time with another figure."""
    place = _pick(doc, rng)
    if place is None:
        return False
    at, begin, end = place
    line = doc.lines[at]
    figure = line[begin:end]
    other = re.sub(r"\d", lambda m: str((int(m[0]) + 3) % 10), figure)
    doc.spoilt.add(doc.origins[at])
    doc.insert(at + 1, [line[:begin] + other + line[end:]])
    doc.origins[at + 1] = doc.origins[at]
    return True


@mutator("figures")
def cut_line(doc: Doc, rng: random.Random) -> bool:
    """A line ends early; what is left of a figure at its end may pass for one."""
    place = _pick(doc, rng)
    if place is None:
        return False
    at, begin, end = place
    doc.changed.add(doc.origins[at])
    doc.replace(at, doc.lines[at][: rng.randint(begin, end)])
    return True


@mutator("figures")
def drop_row(doc: Doc, rng: random.Random) -> bool:
    """A row is not there; its neighbours may take what was wrapped of it."""
    at = _row(doc, rng)
    if at is None:
        return False
    doc.changed.update(doc.origins[max(0, at - 1) : at + 2])
    doc.keep([n for n in range(len(doc.lines)) if n != at])
    return True


@mutator("figures")
def same_twin(doc: Doc, rng: random.Random) -> bool:
    """A row stands twice."""
    at = _row(doc, rng)
    if at is None:
        return False
    doc.changed.update(doc.origins[max(0, at - 1) : at + 2])
    doc.keep([*range(at + 1), *range(at, len(doc.lines))])
    return True


@mutator("figures")
def swap_rows(doc: Doc, rng: random.Random) -> bool:
    """Two rows change places."""
    at = _row(doc, rng)
    if at is None or at + 1 >= len(doc.lines) or len(_places(doc, at + 1)) < 2:
        return False
    doc.changed.update(doc.origins[max(0, at - 1) : at + 3])
    order = list(range(len(doc.lines)))
    order[at], order[at + 1] = order[at + 1], order[at]
    doc.keep(order)
    return True


# Sections.


@mutator("drops")
def drop_section(doc: Doc, rng: random.Random) -> bool:
    """A section is not there."""
    _, *sections, _ = doc.sections()
    if not sections:
        return False
    gone = rng.choice(sections)
    doc.keep([n for n in range(len(doc.lines)) if n not in gone])
    doc.lost = True
    return True


@mutator("drops")
def cut_off(doc: Doc, rng: random.Random) -> bool:
    """The report ends early."""
    head = len(doc.sections()[0])
    if head >= len(doc.lines):
        return False
    at = rng.randrange(head, len(doc.lines))
    doc.keep(list(range(at + 1)))
    doc.replace(at, doc.lines[at][: rng.randint(0, len(doc.lines[at]))])
    doc.changed.add(doc.origins[at])
    doc.lost = True
    return True


@mutator("equal")
def repeat_section(doc: Doc, rng: random.Random) -> bool:
    """A section stands twice."""
    _, *sections, _ = doc.sections()
    if not sections:
        return False
    again = rng.choice(sections)
    doc.keep([*range(again.stop), *again, *range(again.stop, len(doc.lines))])
    return True


@mutator("equal")
def shuffle_sections(doc: Doc, rng: random.Random) -> bool:
    """Sections in another order."""
    head, *sections, end = doc.sections()
    rng.shuffle(sections)
    doc.keep([n for part in (head, *sections, end) for n in part])
    return len(sections) > 1


@mutator("swaps")
def swap_columns(doc: Doc, rng: random.Random) -> bool:
    """Two columns of a page's table change places with their headings."""
    if not doc.html:
        return False
    begins = [n for n, line in enumerate(doc.lines) if line.startswith("<table")]
    if not begins:
        return False
    at = rng.choice(begins)
    rows = []
    while at < len(doc.lines) and "<tr" in doc.lines[at]:
        rows.append(at)
        at += 1
    if not rows or any(doc.lines[row].count("<tr") != 1 for row in rows):
        return False
    cells = [re.findall(r"<t[hd]\b.*?</t[hd]>", doc.lines[row]) for row in rows]
    widths = {len(each) for each in cells}
    whole = all("</tr>" in doc.lines[row] and "span=" not in doc.lines[row] for row in rows)
    if len(widths) != 1 or not whole or min(widths) < 3:
        return False
    one, other = rng.sample(range(1, min(widths)), 2)
    for row, each in zip(rows, cells, strict=True):
        each[one], each[other] = each[other], each[one]
        line = doc.lines[row]
        before, after = line[: line.index("<tr")], line[line.index("</tr>") :]
        doc.replace(row, f"{before}<tr>{''.join(each)}{after}")
    return True


# Ways to write the same.


@mutator("equal", stage=1)
def tabs(doc: Doc, _: random.Random) -> bool:
    """Blanks that end at a multiple of eight columns become tabs."""
    if doc.html:
        return False
    for at, line in enumerate(doc.lines):
        pieces = [line[n : n + 8] for n in range(0, len(line), 8)]
        doc.replace(at, "".join(
            f"{p.rstrip(' ')}\t" if len(p) == 8 and p.endswith("  ") else p for p in pieces
        ))  # fmt: skip
    return True


@mutator("equal", stage=1)
def trailing_blanks(doc: Doc, rng: random.Random) -> None:
    """Blanks at the ends of lines, or none."""
    more = rng.choice(["", "   ", " " * 40])
    doc.lines = [line.rstrip(" ") + more for line in doc.lines]


@mutator("equal", stage=1)
def quoted(doc: Doc, rng: random.Random) -> bool:
    """Quoted in a mail."""
    if doc.html:
        return False
    mark = rng.choice(["> ", ">> ", "| "])
    doc.lines = [f"{mark}{line}" for line in doc.lines]
    return True


@mutator("equal", stage=1)
def numbered(doc: Doc, _: random.Random) -> bool:
    """With line numbers."""
    if doc.html:
        return False
    doc.lines = [f"{n}:{line}" for n, line in enumerate(doc.lines, start=1)]
    return True


@mutator("equal", stage=1)
def session(doc: Doc, _: random.Random) -> bool:
    """Within what SQL*Plus says."""
    if doc.html:
        return False
    doc.insert(0, ["SQL> @?/rdbms/admin/awrrpt", "", "Specify the Report Name", "~" * 23, "", ""])
    doc.insert(len(doc.lines), ["Report written to report.lst", "SQL> exit", "Disconnected", ""])
    return True


@mutator("equal", stage=1)
def upper_tags(doc: Doc, _: random.Random) -> bool:
    """Tags in capital letters."""
    if not doc.html:
        return False
    doc.lines = [re.sub(r"</?[a-z][a-z0-9]*", lambda m: m[0].upper(), each) for each in doc.lines]
    return True


@mutator("equal", stage=1)
def more_attributes(doc: Doc, rng: random.Random) -> bool:
    """Attributes of no meaning."""
    if not doc.html:
        return False
    more = rng.choice([" style='x'", ' data-a="b c"', " onclick='a(1)'", " x=1", ' title="a > b"'])
    if ">" in more:
        more = ' title="a b"'
    tag = re.compile(r"<(td|th|tr|table)\b([^<>]*)>", re.I)
    doc.lines = [tag.sub(rf"<\1{more}\2>", each) for each in doc.lines]
    return True


@mutator("equal", stage=1)
def no_end_tags(doc: Doc, _: random.Random) -> bool:
    """Cells and rows that end where the next begins."""
    if not doc.html:
        return False
    doc.lines = [re.sub(r"</t[dhr]>", "", each) for each in doc.lines]
    return True


@mutator("equal", stage=1)
def comments(doc: Doc, rng: random.Random) -> bool:
    """Comments between tags."""
    if not doc.html:
        return False
    text = rng.choice(["<!-- a -->", "<!---->", "<!-- <b> -->"])
    doc.lines = [
        each.replace("><", f">{text}<", 1) if "<tr" in each else each for each in doc.lines
    ]
    return True


@mutator("equal", stage=1)
def entities(doc: Doc, rng: random.Random) -> bool:
    """Digits of cells as references, and blanks by name."""
    if not doc.html:
        return False
    form = rng.choice(["&#{:d};", "&#x{:x};"])
    digit = re.compile(r"(?<=>)(\s*)(\d)(?=[\d,.\s]*</td>)")
    doc.lines = [
        digit.sub(lambda m: m[1] + form.format(ord(m[2])), each).replace("&#160;", "&nbsp;")
        for each in doc.lines
    ]
    return True


# Bytes of the same text.


@mutator("equal", stage=2)
def line_ends(doc: Doc, rng: random.Random) -> None:
    """Line ends of another system."""
    doc.line_end = rng.choice(["\r\n", "\r\n", "\r"])


@mutator("equal", stage=2)
def encoded(doc: Doc, rng: random.Random) -> None:
    """Another encoding."""
    doc.encoding = rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32"])


@mutator("equal", stage=2)
def packed(doc: Doc, rng: random.Random) -> None:
    """Compressed, or in an archive."""
    doc.packing.append(rng.choice(_PACKERS))


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # an input is the same at any time


def _zip(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("report"), data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _tar(data: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        member = tarfile.TarInfo("report")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


_PACKERS: Final[list[Callable[[bytes], bytes]]] = [
    _gzip, bz2.compress, lzma.compress, _zip, _tar,
]  # fmt: skip

# Anything.


@mutator("wild")
def splice_section(doc: Doc, rng: random.Random) -> None:
    """A section of another report."""
    _, *sections, _ = parts_of(rng.choice(NAMES))
    at = rng.choice(doc.sections()).stop
    doc.insert(at, list(rng.choice(sections)))


@mutator("wild")
def splice_report(doc: Doc, rng: random.Random) -> None:
    """Another report, or its end, behind what is left of this one."""
    other = lines_of(rng.choice(NAMES))
    doc.keep(list(range(rng.randint(1, len(doc.lines)))))
    begin = 0 if rng.random() < 0.5 else rng.randrange(len(other))
    doc.insert(len(doc.lines), list(other[begin : begin + 400]))


_TAGS: Final = (
    "<table><tr><td>", "<td>", "<table>", "<div>", "<pre>", "<tr>", "<b>", "<h3>", "<ul><li>",
    "<th colspan=3>", "<td rowspan=9>", "<a href=x>", "<!--", "<style>",
)  # fmt: skip


@mutator("wild")
def nest_tags(doc: Doc, rng: random.Random) -> None:
    """Tags within tags."""
    tag = rng.choice(_TAGS)
    times = rng.choice([1, 1, 1, 2, 9, 200])
    at = rng.randrange(len(doc.lines))
    line = doc.lines[at]
    where = rng.choice([0, len(line), rng.randint(0, len(line))])
    doc.replace(at, line[:where] + tag * times + line[where:])


@mutator("wild")
def cut_tags(doc: Doc, rng: random.Random) -> bool:
    """Tags that lack a piece, or are not there."""
    some = [n for n, line in enumerate(doc.lines) if "<" in line]
    if not some:
        return False
    for at in rng.sample(some, min(len(some), rng.randint(1, 5))):
        line = doc.lines[at]
        tag = rng.choice([*_TAG.finditer(line)] or [None])
        if tag is not None:
            begin = rng.randint(tag.start(), tag.end())
            doc.replace(at, line[: tag.start()] + line[begin:])
    return True


@mutator("wild")
def swap_text_columns(doc: Doc, rng: random.Random) -> bool:
    """Two columns of a text's table change places, which headings of several lines do not bear."""
    rulers = [n for n, line in enumerate(doc.lines) if re.fullmatch(r"\s*-+(?: +-+){2,}\s*", line)]
    if not rulers or doc.html:
        return False
    at = rng.choice(rulers)
    spans = [match.span() for match in re.finditer(r"-+", doc.lines[at])]
    number = rng.randrange(len(spans) - 1)
    (a, b), (c, d) = spans[number : number + 2]
    first = last = at
    while first > 0 and doc.lines[first - 1].strip() and at - first < 4:
        first -= 1
    while last + 1 < len(doc.lines) and doc.lines[last + 1].strip():
        last += 1
    for n in range(first, last + 1):
        line = doc.lines[n].ljust(d)
        doc.replace(n, line[:a] + line[c:d] + line[b:c] + line[a:b] + line[d:])
    return True


@mutator("wild")
def overwritten(doc: Doc, rng: random.Random) -> None:
    """Bytes that are overwritten, lost, doubled or put in."""
    numbers = [rng.random() for _ in range(rng.randint(1, 6))]
    noise = [rng.randbytes(rng.choice([1, 1, 2, 5, 30])) for _ in numbers]
    how = rng.randrange(4)

    def change(data: bytes) -> bytes:
        for share, each in zip(numbers, noise, strict=True):
            at = int(share * len(data))
            size = len(each)
            kept = data[at : at + size]
            put = (each, b"", kept * 3, each + kept)[how]
            data = data[:at] + put + data[at + size :]
        return data

    doc.packing.append(change)


@mutator("wild")
def lost_range(doc: Doc, rng: random.Random) -> None:
    """A stretch of lines is lost, doubled or elsewhere."""
    size = rng.choice([1, 2, 5, 20, 100])
    at = rng.randrange(len(doc.lines))
    order = list(range(len(doc.lines)))
    piece = order[at : at + size]
    if rng.random() < 0.4:
        del order[at : at + size]
    to = rng.randint(0, len(order))
    if rng.random() < 0.6:
        order[to:to] = piece
    doc.keep(order or [0])


@mutator("wild")
def pumped(doc: Doc, rng: random.Random) -> None:
    """A piece that is repeated up to 30,000 letters."""
    lead, piece = rng.choice(pumps.ALL)
    size = int(10 ** rng.uniform(1, 4.5))
    at = rng.randrange(len(doc.lines))
    line = doc.lines[at]
    where = rng.choice([0, len(line), rng.randint(0, len(line))])
    doc.replace(at, line[:where] + lead + piece * (size // len(piece)) + line[where:])


_SIGNS: Final = (
    "\x00", "\x1b[31m", "\u202e", "\ufeff", "\x0b", "\x0c", "\x85", "\u2028", "\r", "\x08", "\x1a",
    "\xa0", "\u3000", "\U0001f600", "&#0;", "&#99999999;", "&#xd800;", "&amp;lt;", "\x1c", "\x1d",
    "\x1e", "\u0301", "\x7f", "\t",
)  # fmt: skip


@mutator("wild")
def signs(doc: Doc, rng: random.Random) -> None:
    """Signs that terminals, browsers and readers obey, or do not know."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(doc.lines))
        line = doc.lines[at]
        where = rng.randint(0, len(line))
        sign = rng.choice(_SIGNS)
        doc.replace(at, line[:where] + sign + line[where:])


_CHARSETS: Final = (
    "hex", "base64", "utf-7", "utf-16", "cp037", "rot13", "idna", "undefined", "x", "", "cp1252",
    "gbk", "shift_jis", "iso-2022-jp", "unicode_escape", "koi8-r", "big5", "'", "utf-8;",
)  # fmt: skip


@mutator("wild")
def declared(doc: Doc, rng: random.Random) -> None:
    """An encoding is declared that the file is not in."""
    name = rng.choice(_CHARSETS)
    where = rng.choice([0, 1, min(8, len(doc.lines))])
    text = rng.choice([f'<meta charset="{name}">', f"Content-Type: text/html; charset={name}"])
    doc.insert(where, [text, "\u00e9"])
    doc.encoding = rng.choice(["utf-8", "cp1252", "utf-8"])


@mutator("wild")
def recoded(doc: Doc, rng: random.Random) -> None:
    """Encoded twice, or in an encoding of few."""
    doc.encoding = rng.choice(
        ["cp037", "cp500", "utf-7", "gbk", "shift_jis", "cp1251", "iso-2022-jp"]
    )
    doc.insert(
        rng.randrange(len(doc.lines)), [rng.choice(["\u00e9\u00fc", "\u4e2d\u6587", "\u0416"])]
    )


@mutator("wild")
def broken_pack(doc: Doc, rng: random.Random) -> None:
    """An archive with bytes that are not its own."""
    doc.packing.append(rng.choice(_PACKERS))
    overwritten(doc, rng)


_WORDS: Final = re.compile(r"[A-Za-z][\w$#]*")


@mutator("wild")
def other_word(doc: Doc, rng: random.Random) -> None:
    """A word of a line is another line's: titles, headings, names and labels are mixed up."""
    for _ in range(rng.randint(1, 6)):
        one, other = rng.randrange(len(doc.lines)), rng.choice(doc.lines)
        words, others = [*_WORDS.finditer(doc.lines[one])], _WORDS.findall(other)
        if words and others:
            old = rng.choice(words)
            line = doc.lines[one]
            doc.replace(one, line[: old.start()] + rng.choice(others) + line[old.end() :])


@mutator("wild")
def head_figures(doc: Doc, rng: random.Random) -> None:
    """Figures, dates and names of the head are others."""
    head = doc.sections()[0]
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(head))
        line = doc.lines[at]
        digits = [n for n, sign in enumerate(line) if sign.isdigit()]
        if digits:
            n = rng.choice(digits)
            sign = rng.choice(["0", "9", str(rng.randint(0, 9)), "-", " ", "#"])
            doc.replace(at, line[:n] + sign + line[n + 1 :])


@mutator("wild")
def many_rows(doc: Doc, rng: random.Random) -> None:
    """A line stands very often."""
    at = rng.randrange(len(doc.lines))
    doc.insert(at, [doc.lines[at]] * int(10 ** rng.uniform(1, 3.3)))


@mutator("wild")
def cut_right(doc: Doc, rng: random.Random) -> None:
    """Every line ends at a column, or begins at one."""
    column = rng.randint(20, 120)
    doc.lines = [line[:column] if rng.random() < 0.999 else line for line in doc.lines]


@mutator("wild")
def wrapped(doc: Doc, rng: random.Random) -> None:
    """Every line is wrapped at a column."""
    column = rng.randint(20, 120)
    lines = [
        line[n : n + column] for line in doc.lines for n in range(0, max(1, len(line)), column)
    ]
    doc.lines, doc.origins = lines, [0] * len(lines)


BY_NAME: Final = {each.name: each for each in ALL}
