"""The lines of a text report, and where the few lines are that readers look for.

A search for plain text over the whole report is many times as fast as a test of every line.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, count
from operator import add
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.report.ruler import RULER

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The characters of rulers and underlines: dashes, tildes and all white space.
_RULED: Final = "-~ \t\x0b\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

#: The mark of a remark.
NOTE: Final = regex(r"\s*(?:->|Warning:)\s*")
#: Remarks of Statspack without an arrow: on CPU time, the session watched, a buffer pool removed.
UNMARKED: Final = ("Note: ", "Session Id: ", "The following buffer pool")


def is_note(line: str) -> bool:
    """Whether a line begins a remark."""
    return NOTE.match(line) is not None or line.startswith(UNMARKED)


class Lines(list[str]):
    """Lines without their ends and trailing blanks."""

    @lazy
    def rulers(self) -> list[int]:
        """Lines of dash groups, in order."""
        return [
            at
            for at, line in enumerate(self)
            if line and line[-1] == "-" and not line.strip(_RULED) and RULER.match(line)
        ]

    @lazy
    def _blanks(self) -> list[int]:
        return [at for at, line in enumerate(self) if not line]

    def is_prose(self, start: int, end: int) -> bool:
        """Whether the next blank line comes before any ruler."""
        number = bisect_left(self._blanks, start)
        blank = min([end, *self._blanks[number : number + 1]])
        return not self.between(self.rulers, start, blank)

    @lazy
    def notes(self) -> frozenset[int]:
        """Lines that begin a remark."""
        marked = self.holding("->", "Warning:", *UNMARKED)
        return frozenset(at for at in marked if is_note(self[at]))

    @lazy
    def notes_in_order(self) -> list[int]:
        """Lines that begin a remark, in order."""
        return sorted(self.notes)

    @staticmethod
    def between(lines: list[int], start: int, end: int) -> list[int]:
        """Those of some lines, in order, from a line to before another."""
        return lines[bisect_left(lines, start) : bisect_left(lines, end)]

    def holding(self, *words: str) -> list[int]:
        """The lines that contain one of some words, in order."""
        found: set[int] = set()
        for word in words:
            found.update(self._holding(word))
        return sorted(found)

    def _holding(self, word: str) -> Iterator[int]:
        text, ends = self._text, self._ends
        at = text.find(word)
        while at >= 0:
            line = bisect_right(ends, at)
            yield line
            at = text.find(word, ends[line])

    @lazy
    def _text(self) -> str:
        return "\n".join(self)

    @lazy
    def _ends(self) -> list[int]:
        """Where the line after each line begins in the text."""
        return list(map(add, accumulate(map(len, self)), count(1)))
