"""One printed table with the cells of its columns, and its rows by key."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import lazy
from awrlens.report.column_match import by_name_of
from awrlens.report.reader_result import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.grammar.catalogue import SectionSpec
    from awrlens.report.column_match import Slot
    from awrlens.report.reader_result import RawRow, RawTable

#: Columns of names are wider than this, so a shorter name was never cut.
_SHORT: Final = 20
#: A name of this length or less is complete, even in a narrow column.
_WHOLE: Final = 8


class Printed:
    """A printed table of a section."""

    def __init__(self, spec: SectionSpec | None, raw: RawTable, slots: list[Slot]) -> None:
        self._spec = spec
        self._key = spec.key if spec else None
        self.raw = raw
        self.slots = slots
        self.by_name = by_name_of(slots)

    @lazy
    def _widths(self) -> tuple[int, ...]:
        return self.raw.widths

    @lazy
    def keys(self) -> list[str] | None:
        """Keys of all rows if the keys come first and the rows are not wrapped, else None."""
        first = self.slots[0] if self.slots else None
        if first is None or first.cell != 0 or self._spec is None:
            return None
        keys = self.raw.keys() if first.column.name == self._key else None
        return None if keys is None or (self._widths and "" in keys) else keys

    @lazy
    def _printed(self) -> frozenset[str]:
        return frozenset(self.keys or ())

    @lazy
    def _places(self) -> dict[str, int]:
        """The first place of each key."""
        keys = self.keys or []
        return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))

    @lazy
    def _names(self) -> dict[str, str]:
        """The keys with single blanks: more or fewer blanks between the words do not matter."""
        keys = self.keys or []
        if not self._has_wide_blanks:
            return dict(zip(keys, keys, strict=True))
        found: dict[str, str] = {}
        for key in keys:
            found.setdefault(words_of(key), key)
        return found

    @lazy
    def _has_wide_blanks(self) -> bool:
        """Whether some key has several blanks between its words."""
        return "  " in "\n".join(self.keys or ())

    @lazy
    def _sorted(self) -> list[str]:
        return sorted(self._names)

    @property
    def again(self) -> set[str] | None:
        """Keys of more than one row; None when the rows must be decoded."""
        return None if self.keys is None else getattr(self.raw, "again", None)

    @lazy
    def _labels(self) -> dict[str, str]:
        """The first printed key for each canonical name of a label."""
        labels = self._spec.labels if self._spec else {}
        found: dict[str, str] = {}
        for key in (self.keys or ()) if labels else ():
            name = labels.get(norm_heading(key))
            if name is not None:
                found.setdefault(name, key)
        return found

    def row(self, key: str) -> RawRow | None:
        """The row named ``key``: as printed, by a label's canonical name, or cut to its column.

        A cut name counts only when it fills its column and only one row begins with it.
        """
        if key in self._printed:
            return self.raw.row(key)
        if self._has_wide_blanks and key in self._names:
            return self.raw.row(self._names[key])
        if key in self._labels:
            return self.raw.row(self._labels[key])
        if not self._widths:
            return None
        width = self._widths[0]
        # a blank at the cut is lost, so a name one letter shorter than the width was also cut
        cut = [
            printed
            for part in self._cut(key, max(width - 1, _WHOLE + 1))
            if len(printed := self._names[part]) == width or key[len(part) : len(part) + 1] == " "
        ]
        alone = len(cut) == 1 and (self.keys or []).count(cut[0]) == 1
        return self.raw.row(cut[0]) if alone else None

    def begins(self, starts: tuple[str, ...]) -> Iterator[tuple[str, RawRow]]:
        """Rows whose keys begin with one of some texts, then rows whose keys were cut."""
        whole: set[str] = set()
        ordered = self._sorted
        for start in starts:
            number = bisect_left(ordered, start)
            while number < len(ordered) and ordered[number].startswith(start):
                whole.add(ordered[number])
                number += 1
        cut: set[str] = set()
        if self._widths:
            long = (start for start in starts if len(start) > _SHORT)
            cut = {part for start in long for part in self._cut(start, _SHORT + 1)} - whole
        for names in filter(None, (whole, cut)):
            for key in sorted((self._names[name] for name in names), key=self._places.__getitem__):
                row = self.raw.row(key)
                if row is not None:
                    yield key, row

    def _cut(self, name: str, least: int) -> list[str]:
        """Names of a minimum length that a name begins with."""
        names, lengths = self._names, range(least, len(name) + 1)
        return [part for length in lengths if (part := name[:length]) in names]

    def unread(self, starts: tuple[str, ...]) -> bool:
        """Whether a line that begins with one of some names is not a row."""
        lines = self._unread
        if not lines or (self.slots and self.slots[0].column.name == self._key):
            return any(line.startswith(starts) for line in lines)
        # other columns stand before the names
        return any(f" {start}" in f" {line}" for line in lines for start in starts)

    @lazy
    def _unread(self) -> list[str]:
        """Lines between the rows that are not rows, with single blanks."""
        return [words_of(line) for line in getattr(self.raw, "unread_lines", list)()]


def is_begun(key: str, starts: tuple[str, ...]) -> bool:
    """Whether a key begins with one of some texts, or was cut before the end of one."""
    key = words_of(key)
    if key.startswith(starts):
        return True
    return len(key) > _SHORT and any(start.startswith(key) for start in starts)
