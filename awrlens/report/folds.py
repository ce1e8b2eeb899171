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
#: Number and size of the probes that tell likely widths, and how many of those are looked at.
_PROBES: Final = 16
_PROBE: Final = 2**14
_CANDIDATES: Final = 4


def unfold(text: str) -> tuple[str, list[int]]:
    """The text without its folds, and where in it a line end was taken out.

    A file is folded when several of its lines share a length that hardly any line exceeds.
    """
    likely = _likely_widths(text)
    if not likely:
        return text, []
    lengths = [len(line) for line in text.split("\n")]
    width = next((w for w in likely if _is_folded(lengths, w)), 0)
    if not width:
        return text, []
    # a line one short lost the blank at its end: there the line end stands for it
    totals = list(accumulate(lengths))
    at = -1
    folds: list[int] = []
    for _ in range(lengths.count(width)):
        at = lengths.index(width, at + 1)
        folds.append(totals[at] + at)
    starts_of_pieces = [0, *(end + 1 for end in folds)]
    ends_of_pieces = [*(end - (text[end - 1] == "\r") for end in folds), len(text)]
    pieces = [text[a:b] for a, b in zip(starts_of_pieces, ends_of_pieces, strict=True)]
    return "".join(pieces), list(accumulate(map(len, pieces[:-1])))


def _likely_widths(text: str) -> list[int]:
    """Line lengths that may be a fold's, longest first, from probes all over the text."""
    step = max(len(text) // _PROBES, _PROBE)
    starts = range(0, len(text), step)
    probe = Counter(n for at in starts for n in map(len, text[at : at + _PROBE].split("\n")))
    likely = [n for n in probe if n >= _LEAST_WIDTH and (_is_round(n) or probe[n] > 1)]
    return sorted(likely, reverse=True)[:_CANDIDATES]


def _is_folded(lengths: list[int], width: int) -> bool:
    """Whether several lines share this length and hardly any is longer."""
    count = lengths.count(width)
    longer = sum(map(width.__lt__, lengths))
    return count >= (_LINES if _is_round(width) else 2 * _LINES) and longer <= count // _LINES


def _is_round(width: int) -> bool:
    """Line sizes of SQL*Plus are mostly hundreds; a carriage return may follow."""
    return width % 100 <= 1
