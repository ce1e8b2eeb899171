"""The lines of a text report, and where the few lines are that readers look for."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from awrlens.lazy import lazy, regex
from awrlens.report.ruler import RULER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: The characters of rulers and underlines: dashes, tildes and all white space.
_RULED: Final = "-~ \t\x0b\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)

#: Most rulers have no other white space, and no tildes.
_PLAIN_RULER: Final = regex(r"[ -]*+$")

#: The marks of a remark, after blanks.
_MARKS: Final = ("->", "Warning:")
#: Remarks of Statspack without an arrow: on CPU time, the session watched, a buffer pool removed.
UNMARKED: Final = ("Note: ", "Session Id: ", "The following buffer pool")


def is_note(line: str) -> bool:
    """Whether a line begins a remark."""
    return line.lstrip().startswith(_MARKS) or line.startswith(UNMARKED)


_ANY_MARK: Final = "|".join(map(re.escape, _MARKS))
#: A line break before a line that begins a remark; other white space than blanks is rare.
_NOTE = regex(
    rf"\n(?: *+(?:{_ANY_MARK}|[^\S\n ][^\S\n]*+(?:{_ANY_MARK}))"
    rf"|{'|'.join(map(re.escape, UNMARKED))})"
)


def _places(marks: Iterable[str], text: str) -> Iterator[int]:
    """Where a text has the first one of each mark on a line.

    A line break at the beginning of a mark belongs to the line below it.
    """
    for mark in marks:
        at = text.find(mark)
        while at >= 0:
            at += mark[0] == "\n"
            yield at
            at = text.find("\n", at)
            at = text.find(mark, at) if at >= 0 else -1


def _is_ruler(line: str) -> bool:
    """Whether a line that ends with a dash is one of dash groups."""
    if _PLAIN_RULER.match(line):
        return True
    return not line.strip(_RULED) and RULER.match(line) is not None


class Lines(list[str]):
    """Lines without their ends and trailing blanks.

    Few lines matter to most readers: rulers, and lines with one of some ``marks``. They are found
    by plain searches in the whole text, which is many times as fast as a look at every line.
    """

    def __init__(self, text: str, marks: Sequence[str] = ()) -> None:
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        super().__init__(map(str.rstrip, lines))
        self._marks = marks

    @lazy
    def _found(self) -> tuple[list[int], list[int]]:
        """Rulers, and lines with a mark, in order."""
        text = "\n".join([*self, ""])
        ends = set(_places(("-\n",), text))
        marks = set(_places(self._marks, text))
        rulers: list[int] = []
        marked: list[int] = []
        number = last = 0
        # lines are counted only once
        for at in sorted(ends | marks):
            number += text.count("\n", last, at)
            last = at
            if at in marks and marked[-1:] != [number]:
                marked.append(number)
            if at in ends and _is_ruler(self[number]):
                rulers.append(number)
        return rulers, marked

    @property
    def rulers(self) -> list[int]:
        """Lines of dash groups, in order."""
        return self._found[0]

    @property
    def marked(self) -> list[int]:
        """Lines that contain one of the marks, in order."""
        return self._found[1]

    @lazy
    def _ruled(self) -> frozenset[int]:
        return frozenset(self.rulers)

    def is_ruler(self, at: int) -> bool:
        """Whether a line is one of dash groups."""
        return at in self._ruled

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
        text = "\n".join(["", *self[start:end]])
        found: list[int] = []
        at, last = start, 0
        for match in _NOTE.finditer(text):
            at += text.count("\n", last, match.start())
            last = match.start()
            found.append(at)
        return found

    @staticmethod
    def between(lines: list[int], start: int, end: int) -> list[int]:
        """Those of some lines, in order, from a line to before another."""
        return lines[bisect_left(lines, start) : bisect_left(lines, end)]
