"""How a file writes its numbers: decided once for the file, never cell by cell.

``1,234.5`` is what Oracle's scripts print. Client settings and converters make ``1.234,5``,
``1 234,5`` (with a plain or a hard blank) and ``1'234.5`` of it. The first figure that can be
read in one way only decides where it is written as Oracle does and none like ``1,5`` comes
before it, else the first few do, by their number: one that was damaged does not speak for all
others. Where there is none, the more frequent decimal sign decides. Only figures in their columns
tell: the address of a host, a release or a statement's text do not.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: How many figures are looked at: those of the load profile decide mostly.
_PROBE: Final = 5000
#: So many figures that can be read in one way only are asked.
_ENOUGH: Final = 5
_TAIL = r"\s?[A-Za-z%]{0,2}(?:\s*\(.*\))?$"
#: So many that are written as Oracle does decide behind figures such as ``1,5``.
_CERTAIN: Final = 2
#: A figure that can be read in one way only.
_DECIDES = re.compile(
    r"[-+]?\d{1,3}(?:"
    r"(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})(?P<point>)"
    r"|(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})(?P<comma>)"
    r"|(?:[ \u00a0\u202f]\d{3})+,\d+(?P<blank>)"
    r"|(?:['\u2019]\d{3})+(?:\.\d+)?(?P<quote>)"
    rf"){_TAIL}"
)
#: Figures with decimals alone.
_DECIMALS = re.compile(rf"[-+]?\d+([.,])\d{{1,2}}{_TAIL}")
#: What is left of ``7,872.0`` where a line was cut in the wrong place looks like decimals.
_FRAGMENT = re.compile(r"[-+]?\d{1,3},\d{1,2}$")
#: A cell that is a number as such a file writes it, with a suffix or a unit perhaps.
_NUMBER = re.compile(
    r"(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:[.\u00a0\u202f' \u2019]\d{3})+|\d*)(?P<rest>,\d+)?"
    r"(?P<tail>(?:[Ee][-+]?\d+)?\s*[A-Za-z%]*)$"
)
_GROUPS = re.compile("[.\u00a0\u202f' \u2019]")


def reader_of(figures: Iterable[str]) -> Callable[[str], str] | None:
    """What turns a file's figures into ``1,234.5``; None where they are that already."""
    commas = points = 0
    told: Counter[str] = Counter()
    for text in islice(figures, _PROBE):
        if "." not in text and "," not in text and "'" not in text and "\u2019" not in text:
            continue
        match = _DECIDES.match(text)
        if match is not None:
            told[str(match.lastgroup)] += 1
            # hardly any file is written otherwise, and to look on is to decode more of its tables
            if told["point"] == told.total() and (not commas or told.total() == _CERTAIN):
                return None
            if told.total() == _ENOUGH:
                break
            continue
        decimals = _DECIMALS.match(text)
        if decimals is not None:
            commas += decimals[1] == ","
            points += decimals[1] == "."
    if told:  # as Oracle writes them where there are as many of both
        most = max(told.values())
        return None if told["point"] == most else _READERS[told.most_common(1)[0][0]]
    return to_point if commas > points else None


def is_fragment(text: str) -> bool:
    """Whether a cell of a line may be a piece of a figure, in a file that writes points.

    Some columns leak a decimal comma (``88,2``), in cells of pages, which are never cut.
    """
    return "," in text and _FRAGMENT.match(text.strip()) is not None


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
