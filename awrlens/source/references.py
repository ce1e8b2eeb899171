"""Characters that a page writes as numeric or named references."""

from __future__ import annotations

import html
from typing import Final

from awrlens.lazy import regex

#: A number larger than any character; some are too long to convert.
_BEYOND: Final = regex(r"&#[0-9]{8,}+;?")


def unescape(text: str) -> str:
    """The text with its references resolved."""
    if "&#" in text:
        text = _BEYOND.sub("\ufffd", text)
    return html.unescape(text)
