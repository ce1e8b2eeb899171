"""The number format of a file: determined once per file, never per cell.

Oracle's scripts print ``1,234.5``. Client settings and converters change this to ``1.234,5``,
``1 234,5`` (with a plain or non-breaking space), ``1 234.5`` or ``1'234.5``. The majority of the
first few unambiguous figures in columns of figures decides, else the more frequent decimal sign.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: Maximum number of figures to examine; the load profile is mostly enough.
_PROBE: Final = 5000
#: Number of unambiguous figures that is enough.
_ENOUGH: Final = 5
_TAIL = r"\s?[A-Za-z%]{0,2}(?:\s*\(.*\))?$"
#: Number of figures in Oracle's format that is enough.
_CERTAIN: Final = 2
#: A figure in Oracle's format.
_USUAL = regex(rf"[-+]?(?:\d{{1,3}}(?P<groups>(?:,\d{{3}})+)|\d+)(?P<rest>\.\d+)?{_TAIL}")
#: An unambiguous figure.
_DECIDES = regex(
    r"[-+]?\d{1,3}(?:"
    r"(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})(?P<point>)"
    r"|(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})(?P<comma>)"
    r"|(?:[ \u00a0\u202f]\d{3})+,\d+(?P<blank>)"
    r"|(?:['\u2019]\d{3})+(?:\.\d+)?(?P<quote>)"
    r"|(?:[ \u00a0\u202f]\d{3})+\.\d+(?P<space>)"
    rf"){_TAIL}"
)
#: Figures with decimals but without thousands separators.
_DECIMALS = regex(rf"[-+]?\d+([.,])\d{{1,2}}{_TAIL}")
#: The rest of ``7,872.0`` after a wrong cut looks like a figure with decimals; ``7328585,0`` has a
#: comma that is neither.
_FRAGMENT = regex(r"[-+]?(?:\d{1,3},\d{1,2}|\d{4,},\d+)$")
#: A cell with a number in this format, possibly with a suffix or a unit.
_NUMBER = regex(
    r"(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:[.\u00a0\u202f' \u2019]\d{3})+|\d*)(?P<rest>,\d+)?"
    r"(?P<tail>(?:[Ee][-+]?\d+)?\s*[A-Za-z%]*)$"
)
_GROUPS = regex("[.\u00a0\u202f' \u2019]")
_GROUPS_OF_POINT = regex("(?<=\\d)['\u2019 \u00a0\u202f](?=\\d{3}(?!\\d))")


def reader_of(figures: Iterable[str]) -> Callable[[str], str] | None:
    """The function that converts a file's figures to ``1,234.5``; None if they have that format."""
    commas = points = 0
    told: Counter[str] = Counter()
    for text in islice(figures, _PROBE):
        if "." not in text and "," not in text and "'" not in text and "\u2019" not in text:
            continue
        usual = _USUAL.match(text)
        groups, rest = usual.groups("") if usual else ("", "")
        match = None if usual else _DECIDES.match(text)
        if match is not None or (groups and (rest or len(groups) > len(",000"))):
            told[str(match.lastgroup) if match else "point"] += 1
            # other formats are rare, and reading on would decode more tables
            first = told.total() == 1 and points >= _CERTAIN and not commas
            if told["point"] == told.total() and (first or told.total() == _CERTAIN):
                return None
            if told.total() == _ENOUGH:
                break
            continue
        decimals = None if usual else _DECIMALS.match(text)
        sign = decimals[1] if decimals else rest[: len(rest) in (2, 3)]
        commas += sign == ","
        points += sign == "."
    if told:
        count = max(told.values())  # Oracle's format if both are equally frequent
        most = "point" if told["point"] == count else told.most_common(1)[0][0]
        against = points - commas if most in ("comma", "blank") else commas - points
        # one of so few may be damaged, if figures with decimals are against it
        if 2 * count > told.total() + 1 or against < _CERTAIN:
            return _READERS[most]
    return to_point if commas > points else None


def is_fragment(text: str) -> bool:
    """Whether a cell may be a fragment of a figure, in a file with decimal points."""
    return _FRAGMENT.match(text.strip()) is not None


def to_point(text: str) -> str:
    """``1.234,5`` and ``1 234,5`` as ``1234.5``; other texts unchanged."""
    match = _NUMBER.match(text)
    if match is None or not (match["whole"] or match["rest"]):
        return text
    whole = _GROUPS.sub("", match["whole"])
    return f"{match['sign']}{whole}{(match['rest'] or '').replace(',', '.')}{match['tail']}"


def without_groups(text: str) -> str:
    """``1'234.5`` and ``1 234.5`` as ``1234.5``; other texts unchanged."""
    return _GROUPS_OF_POINT.sub("", text)


_READERS: Final[dict[str, Callable[[str], str] | None]] = {
    "point": None,
    "comma": to_point,
    "blank": to_point,
    "quote": without_groups,
    "space": without_groups,
}
