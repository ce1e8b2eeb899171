"""Characters that a page writes as numeric or named references."""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Final

from awrlens.lazy import regex

#: A number larger than any character; some are too long to convert.
_BEYOND: Final = regex(r"&#[0-9]{8,}+;?")
#: A text of at most this length is likely to occur again: `&#160;` is in most pages.
_SHORT: Final = 32


def unescape(text: str) -> str:
    """The text with its references resolved."""
    return _resolved(text) if len(text) <= _SHORT else _resolved.__wrapped__(text)


@lru_cache(maxsize=1024)
def _resolved(text: str) -> str:
    if "&#" in text:
        text = _BEYOND.sub("\ufffd", text)
    return html.unescape(text)
