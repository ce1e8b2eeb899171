"""Where something comes next, asked from places that only go forward: a text is searched once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


class Ahead:
    """The next place of a pattern, which is remembered until a place behind it is asked for."""

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text = text
        self._pattern = pattern
        self._known = (-1, -1)

    def after(self, at: int) -> int:
        """Where the pattern begins next from a place on; the text's length where it does not."""
        return self.span(at)[0]

    def span(self, at: int) -> tuple[int, int]:
        """Where it begins and ends."""
        if self._known[0] < at:
            found = self._pattern.search(self._text, at)
            size = len(self._text)
            self._known = found.span() if found else (size, size)
        return self._known
