"""Lines that SQL*Plus folded at a fixed width, in the middle of words, numbers and tags.

Many AWR pages are so, at 500, 1,000 or 8,000 columns: their long statements mostly, in 11.2.0.3
the rows of tables too, whose figures and tags fall apart.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import Final

#: A fold is at least this wide and shows on at least that many lines, on twice as many where
#: the width is no round number.
_LEAST_WIDTH: Final = 200
_LINES: Final = 4
#: The first tables of a report stand within so much of it.
_PROBE: Final = 2**17


def unfold(text: str) -> tuple[str, list[int]]:
    """The text without its folds, and where in it a line end was taken out.

    A file is folded when several of its lines share a length that hardly any line exceeds.
    """
    wide = _wide_lines(text)
    width = _fold_width(Counter(length for _, length in wide))
    if not width:
        return text, []
    # a line one short lost the blank at its end: there the line end stands for it
    folds = [start + length for start, length in wide if length == width]
    if folds[-1] == len(text):
        folds.pop()
    starts_of_pieces = [0, *(end + 1 for end in folds)]
    ends_of_pieces = [*(end - (text[end - 1] == "\r") for end in folds), len(text)]
    pieces = [text[a:b] for a, b in zip(starts_of_pieces, ends_of_pieces, strict=True)]
    return "".join(pieces), list(accumulate(map(len, pieces[:-1])))


def _wide_lines(text: str) -> list[tuple[int, int]]:
    """Start and length of every line that is wide enough to tell of a fold.

    What several lines of the first tables exceed is no width that the text is folded at, so
    narrower lines further down are not looked for.
    """
    found, at = _wider(text, 0, _PROBE, _LEAST_WIDTH)
    lengths = sorted((length for _, length in found), reverse=True)
    least = lengths[2 * _LINES] if len(lengths) > 2 * _LINES else _LEAST_WIDTH
    return found + _wider(text, at, len(text), least)[0]


def _wider(text: str, at: int, stop: int, least: int) -> tuple[list[tuple[int, int]], int]:
    """Start and length of every line of at least a width that begins in a stretch; where it ends.

    Where a line end is less than that ahead, all lines up to the last such end are shorter: most
    lines are never looked at.
    """
    found: list[tuple[int, int]] = []
    find, rfind, size = text.find, text.rfind, len(text)
    stop = min(stop, size)
    while at < stop:
        last = rfind("\n", at, at + least)
        if last >= 0:
            at = last + 1
            continue
        end = find("\n", at + least)
        end = size if end < 0 else end
        if end - at >= least:
            found.append((at, end - at))
        at = end + 1
    return found, at


def _fold_width(wide: Counter[int]) -> int:
    """The length that several lines share and that hardly any exceeds; 0 if there is none."""
    most = max(wide.values(), default=0)
    longer = 0
    for width in sorted(wide, reverse=True):
        count = wide[width]
        if longer > most // _LINES:
            break
        # line sizes of SQL*Plus are mostly hundreds; a carriage return may follow
        least = _LINES if width % 100 <= 1 else 2 * _LINES
        if count >= least and longer <= count // _LINES:
            return width
        longer += count
    return 0
