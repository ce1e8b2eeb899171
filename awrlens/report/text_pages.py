"""Pages of a section of a text report: their remarks, and the tables under their rulers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.lazy import lazy
from awrlens.report.lines import is_note
from awrlens.report.text_blocks import find_blocks
from awrlens.report.text_titles import end_of_title

if TYPE_CHECKING:
    from awrlens.report.lines import Lines
    from awrlens.report.text_blocks import Block


class TextPage:
    """The lines from a title to the next one, each part found on first use."""

    def __init__(self, lines: Lines, title: str, start: int, end: int) -> None:
        self._lines = lines
        self._title = title
        self.start = start
        self.end = end

    @lazy
    def title_end(self) -> int:
        """Where the title's words end if its line also has headings, else 0."""
        return end_of_title(self._lines[self.start], self._title)

    @lazy
    def notes(self) -> list[int]:
        """Lines that belong to remarks: first lines and the indented ones below."""
        found: list[int] = []
        for at in self._lines.notes(self.start + 1, self.end):
            found.append(at)
            while (at := at + 1) < self.end and self._goes_on(at):
                found.append(at)
        return found

    def _goes_on(self, at: int) -> bool:
        """Whether a line below a remark belongs to it and does not begin another."""
        line = self._lines[at]
        if not line or is_note(line):
            return False
        if line.startswith("  "):
            return not self._lines.is_ruler(at)
        # some releases do not indent a remark's second line
        marked = "->" in line or "arning:" in line
        return line[0].islower() and not marked and self._lines.is_prose(at, self.end)

    @lazy
    def blocks(self) -> list[Block]:
        """The tables under rulers."""
        notes = frozenset(self.notes)
        return find_blocks(self._lines, self.start, self.end, notes, self.title_end)
