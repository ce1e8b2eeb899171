"""The JSON output."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from awrlens.lazy import regex

#: Characters that a terminal or a CI server might interpret; none of them is JSON syntax.
_UNSAFE: Final = regex(
    "[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
    r"|#(?=#(?:\[|vso\[|teamcity\[))",
    re.I,
)


def document(data: Any, *, compact: bool = False) -> str:  # noqa: ANN401 - any plain data
    """Plain data as JSON text; ``compact`` puts it on one line.

    Control characters beyond ASCII, direction marks and lone surrogates are escaped.
    """
    if compact:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    else:
        text = json.dumps(data, ensure_ascii=False, indent=2)
    # none of the escaped characters is printable; this is many times as fast as the pattern
    if "##" not in text and (text if compact else text.replace("\n", "")).isprintable():
        return text
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
