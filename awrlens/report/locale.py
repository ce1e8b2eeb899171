"""How a file writes its numbers: decided once for the file, never cell by cell.

``1,234.5`` is what Oracle's scripts print. Client settings and converters make ``1.234,5``,
``1 234,5`` (with a plain or a hard blank) and ``1'234.5`` of it. The first figure that can be
read in one way only decides; where there is none, the more frequent decimal sign does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

#: How much of a report is looked through: its load profile stands on the first pages.
_PROBE: Final = 2**18
_EDGE = r"(?<![\w.,'])"
_END = r"(?![\w'])(?![.,]\d)"
#: A figure that can be read in one way only; one pattern, because every report is searched.
_DECIDES = re.compile(
    r"\d(?:,\d{3}(?:\.\d|,\d{3}(?!\d))(?P<point>)"
    r"|\.\d{3}(?:,\d|\.\d{3}(?![\d.]))(?P<comma>)"
    r"|[ \u00a0\u202f]\d{3},\d(?P<blank>)"
    r"|['\u2019]\d{3}(?!\d)(?P<quote>))"
)
#: Figures with decimals alone.
_POINT_DECIMALS = re.compile(rf"{_EDGE}\d+\.\d{{1,2}}{_END}")
_COMMA_DECIMALS = re.compile(rf"{_EDGE}\d+,\d{{1,2}}{_END}")
#: A cell that is a number as such a file writes it, with a suffix or a unit perhaps.
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:[.\u00a0\u202f' \u2019]\d{3})+|\d*)(?P<rest>,\d+)?"
    r"(?P<tail>(?:[Ee][-+]?\d+)?\s*[A-Za-z%]*)$"
)
_GROUPS = re.compile("[.\u00a0\u202f' \u2019]")


def reader_of(text: str, begin: int) -> Callable[[str], str] | None:
    """What turns this file's figures into ``1,234.5``; None where they are that already.

    ``begin`` is where the report's first line stands.
    """
    end = begin + _PROBE
    match = _DECIDES.search(text, begin, end)
    if match is not None:
        return _READERS[str(match.lastgroup)]
    points = len(_POINT_DECIMALS.findall(text, begin, end))
    commas = len(_COMMA_DECIMALS.findall(text, begin, end))
    return to_point if commas > points else None


def to_point(text: str) -> str:
    """``1.234,5`` and ``1 234,5`` as ``1234.5``; anything else as it is."""
    match = _NUMBER.match(text)
    if match is None or not (match["whole"] or match["rest"]):
        return text
    whole = _GROUPS.sub("", match["whole"])
    return f"{match['sign']}{whole}{(match['rest'] or '').replace(',', '.')}{match['tail']}"


def without_groups(text: str) -> str:
    """``1'234.5`` as ``1234.5``."""
    return text.replace("'", "").replace("\u2019", "")


_READERS: Final[dict[str, Callable[[str], str] | None]] = {
    "point": None,
    "comma": to_point,
    "blank": to_point,
    "quote": without_groups,
}
