"""Characters that a page writes by their numbers or names."""

from __future__ import annotations

import html
import re
from typing import Final

#: A number beyond all characters; some are so long that no number is made of them.
_BEYOND: Final = re.compile(r"&#[0-9]{8,}+;?")


def unescape(text: str) -> str:
    """The text with its references resolved."""
    if "&#" in text:
        text = _BEYOND.sub("\ufffd", text)
    return html.unescape(text)
