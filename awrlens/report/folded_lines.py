"""Lines that SQL*Plus folded at a fixed width, in the middle of words, numbers and tags.

Many AWR pages are folded, at 500, 1,000 or 8,000 columns. This affects mainly long SQL, but in
11.2.0.3 also the rows of tables, whose figures and tags are then split.
"""

from __future__ import annotations

from collections import Counter
from heapq import heappushpop
from itertools import accumulate
from typing import Final

#: Minimum width of a fold, and minimum number of lines with that width; twice as many lines if
#: the width is not a round number.
_LEAST_WIDTH: Final = 200
_LINES: Final = 4


def unfold(text: str) -> tuple[str, list[int]]:
    """The text without its folds, and the places where line ends were removed.

    A file is folded when several of its lines share a length that hardly any line exceeds.
    """
    wide = _wide_lines(text)
    width = _fold_width(Counter([length for _, length in wide]))
    if not width:
        return text, []
    # a line that is one short lost the blank at its end: the line end replaces it
    folds = [start + length for start, length in wide if length == width]
    if folds[-1] == len(text):
        folds.pop()
    starts_of_pieces = [0, *(end + 1 for end in folds)]
    ends_of_pieces = [*(end - (text[end - 1] == "\r") for end in folds), len(text)]
    pieces = [text[a:b] for a, b in zip(starts_of_pieces, ends_of_pieces, strict=True)]
    return "".join(pieces), list(accumulate(map(len, pieces[:-1])))


def _wide_lines(text: str) -> list[tuple[int, int]]:
    """Start and length of every line that is wide enough to be folded.

    A width that several lines exceed cannot be the fold, so shorter lines behind them are not
    searched for. If a line end is nearer than that width, all lines up to the last such end are
    shorter: most lines are never examined.
    """
    found: list[tuple[int, int]] = []
    longest = [_LEAST_WIDTH] * (2 * _LINES + 1)
    at, least, size, line_end = 0, _LEAST_WIDTH, len(text), text.rindex
    while at < size:
        try:
            while True:
                at = line_end("\n", at, at + least) + 1
        except ValueError:
            end = text.find("\n", at + least)
            end = size if end < 0 else end
            if end - at >= least:
                found.append((at, end - at))
                heappushpop(longest, end - at)
                least = longest[0]
            at = end + 1
    return found


def _fold_width(wide: Counter[int]) -> int:
    """The length that several lines share and that hardly any exceeds; 0 if there is none."""
    most = max(wide.values(), default=0)
    longer = 0
    for width in sorted(wide, reverse=True):
        count = wide[width]
        if longer > most // _LINES:
            break
        # line sizes in SQL*Plus are mostly hundreds; a carriage return may follow
        least = _LINES if width % 100 <= 1 else 2 * _LINES
        if count >= least and longer <= count // _LINES:
            return width
        longer += count
    return 0
