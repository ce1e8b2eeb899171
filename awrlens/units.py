"""Units, and Oracle's number formats.

Columns, facts and thresholds use one closed set of units. Sizes with a suffix are multiples of 1024
(K = 1,024 bytes), counts with a suffix are multiples of 1000 (K = 1,000). Source: the notes of the
IOStat sections ("'Data' columns suffixed with M,G,T,P are in multiples of 1024, other columns
suffixed with K,M,G,T,P are in multiples of 1000").
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lines_of, regex

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Every unit of columns, facts and thresholds: numbers (``MB`` and ``GB`` are Oracle's M and G, of
#: 1,048,576 bytes and 1,024 MB), names (``names``: and how they were recognized), text as printed.
UNITS: Final = (
    "count", "ratio", "%", "s", "ms", "us", "min", "B", "MB", "GB", "1/s", "1/h", "1/txn", "B/s",
    "MB/s", "name", "names", "text",
)  # fmt: skip
#: The sign of a unit after a number.
UNIT_SIGNS: Final[dict[str, str]] = {
    "count": "", "ratio": "", "name": "", "names": "", "text": "",
    "1/s": "per second", "1/h": "per hour", "1/txn": "per transaction",
}  # fmt: skip
#: Seconds per unit of time; only old releases use ``cs``, and it is never canonical.
SECONDS: Final[dict[str, float]] = {
    "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "cs": 1e-2, "s": 1.0, "min": 60.0, "h": 3600.0,
}  # fmt: skip
#: Bytes per unit of size.
BYTES: Final[dict[str, float]] = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}
#: Printed units of counts ("Physical Reads (K)").
_COUNTS: Final[dict[str, float]] = {"count": 1, "thousand": 1e3, "million": 1e6}

#: Oracle prints no B: it is an 8 that was misread.
_SIZE_SUFFIX: Final = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}
_COUNT_SUFFIX: Final = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}

#: Units whose cells may have a size suffix (multiples of 1024).
_SIZE_UNITS: Final = frozenset({"B", "MB", "B/s", "MB/s"})

#: Units of columns whose cells have all a letter, or none: `2,360M`, `109.72us`.
LETTERED: Final = frozenset({"B", "MB", "GB", "ms", "us"})

#: Units with whole numbers.
_WHOLE: Final = frozenset({"count", "B"})

#: Digits in groups of three, with or without a decimal point; or with a decimal comma.
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+|\d*,\d+"
#: A small share is followed by the count that rounding hides (``0.0(6)``).
_NUMBER = regex(
    rf"([-+]?)({_DIGITS})(?:[Ee]([-+]?\d+))?\s*(ns|us|ms|cs|s|[KMGTP])?(?:\(\d+\))?$", re.ASCII
)
_PLAIN = r"(?:\d{1,3}(?:,\d{3})+|\d+(?:\.\d*)?)"
_PLAIN_COLUMN = regex(rf"{_PLAIN}(?:\n{_PLAIN})*+", re.ASCII)
_IN_GROUPS = regex(r"\d{0,3}(?:,\d{3})++", re.ASCII)
_GROUPED = regex(r"\d{1,3}(?:,\d{3})+(?:\.|$)")

#: No value in a report is larger: counters have 64 bits. None is smaller and not 0.
_MOST: Final = 2**64
_LEAST: Final = 1e-30
#: A number of fewer digits is below it.
_MOST_DIGITS: Final = 19
#: The range of a share of a whole in % if its parts are rounded, or counted one after the other.
#: # awrlens: an assumption
SHARES: Final = (-5.0, 105.0)
#: Block sizes of a database in bytes. # Oracle Database Reference, DB_BLOCK_SIZE
BLOCK_SIZES: Final = (2048, 4096, 8192, 16384, 32768)


#: The words of each line of ``ranges.txt``.
RANGES: Final = [line.split() for line in lines_of(__file__, "ranges.txt")]
#: The largest possible figure of a column, a row with its own unit, a remark and a parameter.
LARGEST: Final = {line[0]: float(line[2]) for line in RANGES if line[1] == "<="}
#: Most figures are below the smallest of them.
LEAST_LARGEST: Final = 1000
#: Maximum length of a cell with a number.
_LONGEST: Final = 400
_LONG_FIGURE = regex(r"[0-9]{21,}+")

#: Below this value a number has an exponent.
_SMALLEST: Final = 1e-6
#: Statistics in hundredths of a second ("in 10s of milliseconds", Oracle Database Reference,
#: "Statistics Descriptions").
CENTISECONDS: Final = frozenset({
    "redo write time", "redo synch time", "redo log space wait time",
})  # fmt: skip

Number = int | float


def factor(printed: str, canonical: str) -> float:
    """The factor that converts a number from the printed unit to the canonical unit.

    Raises KeyError if the two units do not measure the same quantity.
    """
    if printed == canonical:
        return 1.0
    for family in (SECONDS, BYTES, _COUNTS):
        if printed in family and canonical in family:
            return family[printed] / family[canonical]
    if printed.endswith("B/s") and canonical.endswith("B/s"):
        return factor(printed.removesuffix("/s"), canonical.removesuffix("/s"))
    raise KeyError(f"{printed} cannot be expressed in {canonical}")


def parse_number(text: str, unit: str = "count", printed: str | None = None) -> Number | None:
    """Read a number from a cell in Oracle's formats; None if the cell has no number.

    Blank cells, ``N/A`` and overflow (``######``) have no number: the value is missing, never zero.
    A number beyond the possible range is also ignored.
    ``unit`` is the required unit; ``printed`` is the unit of the column in the report, if it
    differs. A unit inside the cell (``109.72us``) takes precedence. Whole numbers are returned
    as int, all others as float.
    """
    text = text.strip()
    if printed is None and (plain_number := _plain(text, unit)) is not None:
        return plain_number
    if unit == "%":
        text = text.removesuffix("%")  # documents repeat the sign of the heading
    return _any_number(text, unit, printed)


def parse_setting(text: str, unit: str = "count") -> int | None:
    """The number of an initialization parameter, which is whole and at least 0."""
    number = parse_number(text, unit)
    return number if isinstance(number, int) and number >= 0 else None


def _plain(text: str, unit: str) -> Number | None:
    """The common cases first, because this is the hot path: ``1234``, ``12.5``, ``1,234,567``."""
    if len(text) > _MOST_DIGITS or not text.isascii():
        return None
    if "," not in text:
        if text.isdecimal():
            return int(text)
        return float(text) if text.replace(".", "", 1).isdecimal() else None
    if unit == "B/s" or not _IN_GROUPS.fullmatch(text):
        return None
    return int(text.replace(",", ""))


def is_possible(value: Number, unit: str, *, whole: bool, flags: Sequence[str]) -> bool:
    """Whether a figure of a unit can have a value: at least 0 unless ``signed``, whole or not.

    A share has at most 100 % of its whole unless it is ``beyond``, such as waits of background
    processes in DB time.
    """
    if unit == "%":
        return "beyond" in flags or SHARES[0] <= value <= SHARES[1]
    return not (whole and value % 1) and (value >= 0 or "signed" in flags)


def plain_column(
    texts: Sequence[str], unit: str = "count", *, whole: bool = False
) -> list[Number] | None:
    """Cells that are all plain numbers, as ``parse_number`` reads each; otherwise None.

    One check of the whole column is several times as fast as one check per cell.
    """
    column = "\n".join(texts)
    if not _PLAIN_COLUMN.fullmatch(column) or ("," in column and unit == "B/s"):
        return None
    if whole and "." in column:
        return None
    digits = column.replace(",", "").split("\n")
    if len(digits) != len(texts) or len(max(digits, key=len)) > _MOST_DIGITS:
        return None  # a cell with a line end in it has two figures
    return [float(text) if "." in text else int(text) for text in digits]


def _any_number(text: str, unit: str, printed: str | None) -> Number | None:
    match = _NUMBER.match(text) if len(text) < _LONGEST else None
    if match is None:
        return None
    sign, digits, exponent, suffix = match.groups()
    plain = digits
    if "," in digits:
        # some strings have the decimal comma of the session (``,855945``, ``10,1G``); rates of data
        # are scaled, so they never have thousands (``160,123`` MB/s), unless a decimal point
        # follows (``3,200.95``)
        grouped = _GROUPED.match(digits) and (unit != "B/s" or "." in digits)
        plain = digits.replace(",", "" if grouped else ".")
    if not suffix and not exponent and printed is None and "." not in plain:
        whole_number = -int(plain) if sign == "-" else int(plain)
        return whole_number if abs(whole_number) < _MOST else None
    value = float(f"{plain}e{exponent}") if exponent else float(plain)
    scale = factor(printed, unit) if printed else 1.0
    if suffix:
        if suffix in SECONDS and unit in SECONDS:
            scale = factor(suffix, unit)
        elif unit in _SIZE_UNITS and suffix in _SIZE_SUFFIX:
            scale = _SIZE_SUFFIX[suffix] / (2**20 if unit.startswith("MB") else 1)
        elif suffix in _COUNT_SUFFIX:
            scale = _COUNT_SUFFIX[suffix]
        else:
            return None
    # dividing by a whole number avoids rounding errors: 54,368 cs are 543.68 s
    value = value / round(1 / scale) if 0 < scale < 1 else value * scale
    value = -value if sign == "-" else value
    if value and not _LEAST < abs(value) < _MOST:
        return None
    if scale == 1.0:
        whole = unit in _WHOLE and value % 1 == 0 and (exponent or "." not in plain)
        return int(value) if whole else value
    # 25.2K is the whole number 25,200, and 2.8G a whole number of bytes; this rounds them exactly
    return round(value) if unit in _WHOLE else float(f"{value:.12g}")


def half_step(text: str, value: float) -> float:
    """Half of the last printed digit of a number, in the unit of its value.

    A number printed as ``0.1`` may be anything from 0.05 to 0.15.
    """
    if text.isascii() and text.replace(".", "", 1).isdecimal():
        digits = text
    else:
        match = _NUMBER.match(text.partition(" (")[0].strip())
        # other locales group digits by blanks and write decimals after a comma
        other = "".join(text.replace("'", "").split()).replace(",", ".", 1)
        if match is None and not (other.isascii() and other.replace(".", "", 1).isdecimal()):
            return 0.0
        digits = other if match is None else match[2].replace(",", "")
    number = float(digits)
    return 0.5 * 10.0 ** -len(digits.partition(".")[2]) * (abs(value / number) if number else 1.0)


def milliseconds(value: float) -> str:
    """Milliseconds; very short and long times in microseconds and seconds."""
    return pair(value, value, "ms")[0]


def pair_of_times(first_ms: float, second_ms: float, per: str) -> tuple[str, str]:
    """Two times per unit of work; per second, a time is a number of sessions."""
    if per == "second":
        return pair(first_ms / 1000, second_ms / 1000, "")
    return pair(first_ms, second_ms, "ms")


def signed(ms: float) -> str:
    """A difference of times with its sign."""
    return f"{'+' if ms > 0 else '−'}{milliseconds(abs(ms))}"


def without_long_figures(text: str) -> str:
    """A text in which numbers with too many digits are replaced by ``####``."""
    return _LONG_FIGURE.sub(lambda match: "#" * len(match[0]), text)


def is_overflow(text: str) -> bool:
    """Whether a cell shows ``####``: the number did not fit its column."""
    stripped = text.strip()
    return bool(stripped) and not stripped.strip("#")


def release_of(text: str | None) -> tuple[int, int] | None:
    """``19.26.0.0.0`` as (19, 26); None if it does not begin with numbers."""
    first, second = (*(text or "").split("."), "0")[:2]
    return (int(first), int(second)) if first.isdecimal() and second.isdecimal() else None


def is_timed_in_10_ms(release: str | None) -> bool:
    """Whether waits are timed by a clock of 10 ms: 8i; 9i and later have microseconds.

    Source: Oracle9i Database Performance Tuning Guide, V$SYSTEM_EVENT.TIME_WAITED_MICRO.
    """
    return (release or "").startswith("8.")


def show(value: float) -> str:
    """A number for display: thousands separated, four significant digits below a thousand."""
    if isinstance(value, int) or (abs(value) >= 1000 and value == int(value)):  # noqa: PLR2004
        return f"{value:,.0f}"
    if abs(value) >= 1000:  # noqa: PLR2004
        return f"{value:,.1f}"
    text = f"{value:.4g}"
    if "e" not in text:
        return text
    return f"{value:.6f}".rstrip("0") if abs(value) >= _SMALLEST else f"{value:.2g}"


def plain(value: float, digits: int = 3) -> str:
    """A number in a sentence: three significant digits below a thousand, whole numbers above.

    Never with an exponent: 1,200, not 1.2e+03.
    """
    if abs(value) >= 1000 or not isfinite(value):  # noqa: PLR2004
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    from decimal import Decimal

    return f"{Decimal(text):,f}"


def waited_words(seconds: float) -> str:
    """How long sessions waited: only without any wait, no session did."""
    if seconds <= 0:
        return "no session waited"
    return f"sessions waited {f'{seconds:,.0f}' if seconds >= 1 else 'less than 1'} s"


#: A time of this many milliseconds is given in seconds.
_LONG_MS: Final = 10_000


def ms_words(ms: float) -> str:
    """The time of an operation in a sentence: in ms, from 10 s on in seconds."""
    return f"{plain(ms / 1000)} s" if ms >= _LONG_MS else f"{plain(ms)} ms"


def first_of(*cases: tuple[object, str]) -> str:
    """What is said: the text of the first case that holds; empty if none does."""
    return next((text for holds, text in cases if holds), "")


def listed(texts: Sequence[str]) -> str:
    """Texts in a sentence: ``a, b and c``; empty without any."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def io_size(size_bytes: float) -> str:
    """The size of a read or write in a sentence: in KB below 10 MB, otherwise in MB."""
    kb = size_bytes / 1024
    return f"{kb:,.0f} KB" if kb < 10 * 1024 else f"{kb / 1024:,.0f} MB"


#: Milliseconds below which a time is given in microseconds, and above which in seconds.
_AS_MICROSECONDS: Final = 0.01
_AS_SECONDS: Final = 1000.0
#: Sizes in bytes, with their units.
_SIZES: Final = ((2**30, "GB"), (2**20, "MB"), (2**10, "KB"), (1, "B"))


def pair(first: float, second: float, unit: str) -> tuple[str, str]:
    """Two numbers in one unit, chosen for the greater one, with three significant digits."""
    most = max(abs(first), abs(second))
    scale = 1.0
    if unit == "ms" and 0 < most < _AS_MICROSECONDS:
        scale, unit = 1000.0, "us"
    elif unit == "ms" and most >= _AS_SECONDS:
        scale, unit = 0.001, "s"
    elif unit == "B":
        scale, unit = next((1 / size, name) for size, name in _SIZES if most >= size or size == 1)
    sign = UNIT_SIGNS.get(unit, unit)
    was, now = (f"{plain(value * scale)} {sign}".strip() for value in (first, second))
    return was, now
