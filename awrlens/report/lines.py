"""The lines of a text report, and where the few lines are that readers look for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate, count
from operator import add
from typing import Final

from awrlens.lazy import lazy
from awrlens.report.ruler import RULER

#: The characters of rulers and underlines: dashes, tildes and all white space.
_RULED: Final = "-~ \t\x0b\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

#: The marks of a remark, after blanks.
_MARKS: Final = ("->", "Warning:")
#: Remarks of Statspack without an arrow: on CPU time, the session watched, a buffer pool removed.
UNMARKED: Final = ("Note: ", "Session Id: ", "The following buffer pool")


def is_note(line: str) -> bool:
    """Whether a line begins a remark."""
    return line.lstrip().startswith(_MARKS) or line.startswith(UNMARKED)


class Lines(list[str]):
    """Lines without their ends and trailing blanks.

    Few lines matter to most readers. They are found by plain searches in ``text``, which has the
    same lines, with their ends: that is many times as fast as a look at every line.
    """

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        super().__init__(map(str.rstrip, lines))
        self._text = text
        #: Where each line ends in the text: behind its line end.
        self._ends = list(map(add, accumulate(map(len, lines)), count(1)))

    def having(self, words: str) -> list[int]:
        """Lines that contain some words, in order."""
        text, ends = self._text, self._ends
        found: list[int] = []
        at = text.find(words)
        while at >= 0:
            number = bisect_right(ends, at)
            found.append(number)
            at = text.find(words, ends[number])
        return found

    @lazy
    def rulers(self) -> list[int]:
        """Lines of dash groups, in order."""
        return [
            at
            for at, line in enumerate(self)
            if line[-1:] == "-" and not line.strip(_RULED) and RULER.match(line)
        ]

    @lazy
    def _blanks(self) -> list[int]:
        return [at for at, line in enumerate(self) if not line]

    def is_prose(self, start: int, end: int) -> bool:
        """Whether the next blank line comes before any ruler."""
        number = bisect_left(self._blanks, start)
        blank = min([end, *self._blanks[number : number + 1]])
        return not self.between(self.rulers, start, blank)

    def notes(self, start: int, end: int) -> list[int]:
        """Lines that begin a remark, from a line to before another."""
        return [
            at
            for at in range(start, end)
            if ("->" in (line := self[at]) or "Warning:" in line or line.startswith(UNMARKED))
            and is_note(line)
        ]

    @staticmethod
    def between(lines: list[int], start: int, end: int) -> list[int]:
        """Those of some lines, in order, from a line to before another."""
        return lines[bisect_left(lines, start) : bisect_left(lines, end)]
