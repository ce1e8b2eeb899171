"""Cuts elements out of a page, from the start tag to the end tag, in one pass over any page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Cut:
    """Cuts out elements with given names; one that never ends stays, and is searched only once."""

    def __init__(self, names: Iterable[str], rest: str = "") -> None:
        self._begin = re.compile(rf"<({'|'.join(names)})\b{rest}", re.I)
        self._ends = {name: re.compile(rf"</{name}\s*+>", re.I) for name in names}

    def apply(self, text: str, instead: Callable[[str], str]) -> str:
        """The text with a replacement for each element."""
        pieces: list[str] = []
        endless: set[str] = set()
        at = 0
        begin = self._begin.search(text)
        while begin is not None:
            name = begin[1].lower()
            end = None if name in endless else self._ends[name].search(text, begin.end())
            after = begin.end()
            if end is None:
                endless.add(name)
            else:
                after = end.end()
                pieces += text[at : begin.start()], instead(text[begin.start() : after])
                at = after
            begin = self._begin.search(text, after)
        return "".join([*pieces, text[at:]]) if pieces else text
