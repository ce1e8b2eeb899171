"""Bytes to text: the bytes decide the encoding, never the name.

Titles, headings and figures of a report are ASCII in every encoding that Oracle's clients write.
Figures are therefore right in any case; the choice affects only names and SQL text.
"""

from __future__ import annotations

import codecs
from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.errors import NotAReportError, UnreadableError
from awrlens.lazy import lines_of, regex
from awrlens.source.kind import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How much of an input decides whether it is text or binary data.
_PROBE: Final = 8192
#: Fewer bytes than this cannot show the difference between UTF-16 and binary data.
_LEAST_WIDE: Final = 64
#: Number of lines with non-ASCII letters that is enough to identify their encoding.
_SAMPLE: Final = 2**12
#: How much is searched at once for such lines.
_STRETCH: Final = 2**14
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Files that are not text, or whose text has its own format, by their first bytes.
_MAGIC: Final = (
    (b"%PDF", "a PDF"),
    (b"%!PS", "a PostScript document"),
    (b"{\\rtf", "an RTF document"),
    (b"\xd0\xcf\x11\xe0", "an old Word or Excel document or an Outlook message"),
    (b"\x78\x9f\x3e\x22", "an Outlook attachment (winmail.dat)"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "Zstandard-compressed data"),
    (b"\x04\x22\x4d\x18", "LZ4-compressed data"),
    (b"\x1f\x9d", "data compressed with `compress`"),
    (b"LZIP", "data compressed with lzip"),
    (b"MSCF", "a Cabinet archive"),
    (b"begin 6", "uuencoded data"),
    (b"-----BEGIN PGP MESSAGE", "an encrypted message"),
    (b"bplist", "a Safari web archive"),
    (b"\x03\x00\x01EXPORT:", "a database export"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3", "a database file"),
)
#: Control characters that no text contains; a terminal may add a few.
_CONTROLS = regex(rb"[\x01-\x07\x0e-\x1a\x1c-\x1f]")
_CHARSET = regex(rb"charset\s*+=\s*+[\"']?\s*+([\w.:-]+)")
#: Text that is the same in every encoding of reports.
_SAMPLE_TEXT: Final = (
    b'STATSPACK report for 12.5% <td class="x">a+b/c-d_e(f),g\'h&amp;;:=#*!?[i]|$@'
)
#: Ways to write letters that look like text encodings but are not.
_ESCAPED: Final = frozenset(
    ("utf-7", "unicode-escape", "raw-unicode-escape", "unicode_escape", "raw_unicode_escape",
     "punycode", "idna", "undefined", "hz", "mbcs", "oem")
)  # fmt: skip
#: Multi-byte encodings and Cyrillic, which a library identifies by the frequency of letters.
_GUESSED: Final = ["gb18030", "shift_jis", "euc_kr", "big5", "cp1251", "cp1252"]
#: Month abbreviations in Oracle's languages, without accents and dots, and their numbers: those of
#: a month are a line of the file.
#: Source: the month names of Oracle's NLS_DATE_LANGUAGE settings.
MONTHS: Final = {
    name: number
    for number, names in enumerate(lines_of(__file__, "months.txt"), start=1)
    for name in names.split()
}
#: Encodings of languages whose month names are in other letters, or a number and its word.
_BY_MONTH: Final = (
    *("shift_jis", "gb18030", "euc_kr", "big5", "euc_jp"),
    *("cp1251", "koi8_r", "cp866", "iso8859_5"),
)
_MONTH = regex(r"\b\d{1,2}[-./ ](\d{0,2}[^\W\d_]+)")
#: Two adjacent non-ASCII bytes, which are everywhere in non-Latin scripts.
_ADJACENT = regex(rb"[\x80-\xff]{2}")
_WORD = regex(r"(?:\w|[^\x00-\x7f])+")


def decode(data: bytes, name: str) -> str:
    """The text of an input; UnreadableError if it is empty, NotAReportError if it is binary."""
    if not data or data.isspace():
        raise UnreadableError("The file is empty.", source=name, hint="Generate the report again.")
    what = next((what for magic, what in _MAGIC if data.startswith(magic)), "")
    if what:
        raise not_text(what, name)
    encoding = next((encoding for bom, encoding in _BOMS if data.startswith(bom)), None)
    if encoding is None and b"\0" in data:
        encoding = wide(data[:_PROBE])
        if encoding is None:
            data = _without_zeros(data, name)
    if encoding is not None:
        return data.decode(encoding, errors="replace")
    try:
        return data.decode()
    except UnicodeDecodeError as problem:
        encoding = _narrow(data, problem.start)
    # most pieces are ASCII, which decodes many times faster
    pieces = [*_stretches(data, 0)]
    kinds = ["ascii" if piece.isascii() else encoding for piece in pieces]
    decoded = zip(pieces, kinds, strict=True)
    return "".join([piece.decode(kind, errors="replace") for piece, kind in decoded])


def _without_zeros(data: bytes, name: str) -> bytes:
    """A text with zero bytes from a full disk or a copied log; other data with zeros is binary."""
    text = data.replace(b"\0", b"")
    controls = len(_CONTROLS.findall(text[:_PROBE]))
    zeros = b"\0" in data[:_PROBE]
    silent = zeros and not any(w.encode() in text for w in WORDS)
    if silent or controls * 100 > len(text[:_PROBE]):
        raise not_text("binary data", name)
    return text


def not_text(what: str, name: str) -> NotAReportError:
    """The error for a document or data of another kind."""
    return NotAReportError(
        f"This is {what}, not a text or HTML report.", source=name,
        hint="Give the file that Oracle wrote, or save the document as text.",
    )  # fmt: skip


def wide(probe: bytes) -> str | None:
    """UTF-16 without a byte order mark: nearly every second byte of a report is zero."""
    if len(probe) < _LEAST_WIDE:
        return None
    even, odd = probe[::2].count(0), probe[1::2].count(0)
    half = len(probe) // 2
    if odd * 4 > half * 3 and even * 20 < half:
        return "utf-16-le"
    if even * 4 > half * 3 and odd * 20 < half:
        return "utf-16-be"
    return None


def _narrow(data: bytes, start: int) -> str:
    """The declared encoding, else the one that fits the letters; UTF-8 fails at ``start``."""
    declared = _CHARSET.search(data[:_PROBE].lower())
    if declared and is_text(declared[1].decode("ascii"), also_utf8=False):
        return declared[1].decode("ascii")
    sample = _sample(data, start)
    months: Counter[str] = Counter()  # of dates: surer than the frequency of a few letters
    for name in _BY_MONTH:
        dates = _MONTH.findall(sample.decode(name, errors="replace"))
        months[name] = sum(month.lower() in MONTHS for month in dates if not month.isascii())
    if months.total():
        return months.most_common(1)[0][0]
    if _ADJACENT.search(sample):  # else Latin script with a few accented letters
        from charset_normalizer import from_bytes

        best = from_bytes(sample, cp_isolation=_GUESSED, language_threshold=0.0).best()
        if best is not None and best.encoding != "cp1252":
            return str(best.encoding)
    return max(("cp1252", "cp1250"), key=lambda encoding: _letters(sample, encoding))


def _sample(data: bytes, start: int) -> bytes:
    """The first lines with non-ASCII letters, as many as identify their encoding."""
    lines: list[bytes] = []
    size = 0
    for stretch in _stretches(data, data.rfind(b"\n", 0, start) + 1):
        if not stretch.isascii():
            telling = [line for line in stretch.split(b"\n") if not line.isascii()]
            size += sum(map(len, telling))
            lines += telling
        if size >= _SAMPLE:
            break
    return b"\n".join(lines)[:_SAMPLE]


def _stretches(data: bytes, at: int) -> Iterator[bytes]:
    while at < len(data):
        end = data.find(b"\n", at + _STRETCH) + 1 or len(data)
        yield data[at:end]
        at = end


def is_text(name: str, *, also_utf8: bool = True) -> bool:
    """Whether a declared encoding is a text encoding in which ASCII stays ASCII."""
    try:
        info = codecs.lookup(name)
        if info.name in _ESCAPED or (info.name in ("utf-8", "ascii") and not also_utf8):
            return False
        return _SAMPLE_TEXT.decode(name) == _SAMPLE_TEXT.decode("ascii")
    except (LookupError, ValueError):  # not a text encoding, or none that reports use
        return False


def _letters(sample: bytes, encoding: str) -> int:
    """Number of all-letter words in this encoding (cp1252 has signs where cp1250 has letters)."""
    words = _WORD.findall(sample.decode(encoding, errors="replace"))
    return sum(word.isalpha() for word in words if not word.isascii())
