"""Pieces of HTML: their text, and patterns that match how a page writes its tags."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.source.pages import ATTRIBUTES, COMMENT
from awrlens.source.references import unescape

CELL_END: Final = regex(r"</t[dhr]\b", re.I)
#: How much text before a place is examined.
NEAR: Final = 2**14
_ANY_TAG = regex(rf"{COMMENT}|</?[a-zA-Z]{ATTRIBUTES}>|<[!?/][^<>]*+>")
_BREAK = regex(r"<br\b[^<>]*+>", re.I)
_BLANKS = regex(r"\s+")


def clean(markup: str) -> str:
    """Text of a piece of HTML: tags removed, entities resolved, blanks at the ends removed."""
    if "<" in markup:
        markup = _ANY_TAG.sub("", _BREAK.sub(" ", markup))
    if "&" in markup:
        markup = unescape(markup)
    return markup.replace("\u00a0", " ").strip()


@lru_cache(maxsize=4096)
def heading_text(markup: str) -> str:
    """Text of a heading; every report of a batch has the same few hundred headings."""
    return one_line(markup)


def one_line(markup: str) -> str:
    """Text of a piece of HTML, with a single blank between its words."""
    return _BLANKS.sub(" ", clean(markup))


class Spelled(NamedTuple):
    """A pattern that begins with a tag, for texts that write the tag in one letter case or both.

    A case-sensitive search is several times as fast as a search that ignores case.
    """

    tag: str
    small: re.Pattern[str]
    capital: re.Pattern[str]
    either: re.Pattern[str]

    @classmethod
    def make(cls, tag: str, rest: str) -> Spelled:
        """The pattern ``<tag`` and the rest, which itself ignores case."""
        begins = tag, tag.upper(), "".join(f"[{c}{c.upper()}]" for c in tag)
        return cls(tag, *(regex(rf"<{begin}\b{rest}") for begin in begins))

    def of(self, text: str, start: int, end: int) -> re.Pattern[str]:
        """The fastest of the patterns that finds every match in a stretch."""
        if text.find(f"<{self.tag.upper()}", start, end) < 0:
            return self.small
        return self.either if text.find(f"<{self.tag}", start, end) >= 0 else self.capital


#: A row of data, the text of its first cell, and whether the cell ends there.
ROW_KEY: Final = Spelled.make("tr", r"[^<>]*+>\s*+<[tT][dD]\b[^<>]*+>([^<]*+)<(/[tT])?")
