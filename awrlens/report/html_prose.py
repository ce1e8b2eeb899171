"""Plain text in an HTML report (``<pre>``), such as the findings of ADDM."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from awrlens.lazy import regex
from awrlens.report.label_rows import LabelTable
from awrlens.report.reader_result import RawRow
from awrlens.source.references import unescape

if TYPE_CHECKING:
    from awrlens.report.reader_result import RawTable

_BEGIN = regex(r"(?:\s|</?(?:p|br|a|div)\b[^<>]*+>)*+<pre\b[^<>]*+>", re.I)
_END = regex(r"</pre\b", re.I)
_LINE = regex(r"(?<![^\S\r\n])(?:[^\S\r\n]*+\S)++")


def lines(text: str, at: int) -> list[RawTable]:
    """The text that begins after ``at``, one row per line that is not blank; or no rows."""
    begin = _BEGIN.match(text, at)
    if begin is None:
        return []
    end = _END.search(text, begin.end())
    found = _LINE.finditer(text, begin.end(), end.start() if end else len(text))
    return [LabelTable(("",), at, [RawRow([unescape(m[0])], m.start()) for m in found])]
