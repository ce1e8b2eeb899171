"""The interval of an excerpt: snapshots, elapsed time and DB time without the header above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex
from awrlens.report import ruler
from awrlens.report.label_rows import LabelTable, label_cells
from awrlens.report.reader_result import RawRow
from awrlens.report.two_line_rows import cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.report.reader_result import RawNote, RawTable
    from awrlens.report.ruler import Columns

#: Titles of sections that begin with these lines in a complete report.
_TITLE: Final = "Snapshot"
_ELAPSED = regex(r"\s{0,99}Elapsed:\s{1,99}[\d.,]{1,20} \(mins?\)")
_BEGIN = regex(r"\s{0,99}Begin Snap:\s")
_ONCE: Final = (_ELAPSED, _BEGIN)
_LABEL = regex(r"\s{0,99}(?:Begin Snap|End Snap|Elapsed|DB [Tt]ime):\s")


class IntervalSection:
    """The lines of the snapshots and of the times between them."""

    parent = ""
    title = _TITLE

    def __init__(self, lines: Sequence[str], at: int, end: int) -> None:
        self.at = at
        columns: Columns = ruler.Columns(())
        headings: tuple[str, ...] = ("",)
        if at > 1 and ruler.RULER.match(lines[at - 1]):
            columns = ruler.spans(lines[at - 1])
            headings = ("", *cells_of(lines[at - 2], columns))
        rows = [RawRow(c, n) for n in range(at, end) for c in label_cells(lines[n], columns)]
        self._table = LabelTable(headings, at, rows)

    def tables(self, layout: str) -> list[RawTable]:
        """The lines as labels and values."""
        return [self._table] if layout == "labels" else []

    def notes(self) -> list[RawNote]:
        """Empty: a header has no remarks."""
        return []

    def unread(self, layout: str) -> list[int]:  # noqa: ARG002 - the reader protocol
        """Empty: every line is a row."""
        return []


def intervals(lines: Sequence[str]) -> int:
    """Number of different intervals whose snapshots or times are in a text."""
    return max(len({line.strip() for line in lines if each.match(line)}) for each in _ONCE)


def interval(lines: Sequence[str]) -> IntervalSection | None:
    """The interval's lines; None if the text has none, or those of several intervals."""
    elapsed = [at for at, line in enumerate(lines) if _ELAPSED.match(line)]
    if not elapsed or intervals(lines) > 1:
        return None
    at = end = elapsed[0]
    while at and _LABEL.match(lines[at - 1]):
        at -= 1
    while end < len(lines) and _LABEL.match(lines[end]):
        end += 1
    return IntervalSection(lines, at, end)
