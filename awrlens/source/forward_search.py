"""The next occurrence of a pattern, for callers that only move forward: a text is searched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


class Ahead:
    """The next occurrence of a pattern, kept until a caller needs one after it."""

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text = text
        self._pattern = pattern
        self._known = (-1, -1)

    def after(self, at: int) -> int:
        """Where the pattern occurs next at or after a place; the text's length if it does not."""
        return self.span(at)[0]

    def span(self, at: int) -> tuple[int, int]:
        """Where the next occurrence begins and ends."""
        if self._known[0] < at:
            found = self._pattern.search(self._text, at)
            size = len(self._text)
            self._known = found.span() if found else (size, size)
        return self._known
