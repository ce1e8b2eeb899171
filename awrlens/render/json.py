"""The JSON output."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from awrlens.lazy import regex

#: Characters that a terminal might interpret; none of them is JSON syntax.
_UNSAFE: Final = regex("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
#: The beginning of a command to a CI server.
_COMMAND: Final = regex(r"#(?=#(?:\[|vso\[|teamcity\[))", re.I)


def document(data: Any, *, compact: bool = False) -> str:  # noqa: ANN401 - any plain data
    """Plain data as JSON text, on one line if ``compact``; what terminals interpret is escaped."""
    # plain data has no circle, and to look for one in every part takes time
    layout: dict[str, Any] = {"separators": (",", ":"), "check_circular": False}
    text = json.dumps(data, ensure_ascii=False, **(layout if compact else {"indent": 2}))
    # the two tests are many times as fast as the patterns, and few texts need these: Oracle prints
    # `####` for a figure that does not fit, and none of the escaped characters is printable
    if "##" in text:
        text = _COMMAND.sub(_escaped, text)
    if (text if compact else text.replace("\n", "")).isprintable():
        return text
    return _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
