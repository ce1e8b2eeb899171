"""Detects pages that mail programs, word processors, spreadsheets or browsers saved again.

They put paragraphs, spans and comments into cells, break lines, turn column headings into bold
cells, omit end tags and put the whole page into a layout table. Such pages are rewritten: see
``rewritten``.
"""

from __future__ import annotations

import re
from typing import Final

from awrlens.lazy import regex

#: How much of a page, from its first line, shows how it was saved.
_PROBE: Final = 2**14
#: Headings are further apart in comparisons.
_FAR: Final = 2**16
_BANNER = regex(r"WORKLOAD REPOSITORY (?:PDB )?(?:report|compare)", re.I)
_PLAIN: Final = r"(?:[^<>=]++|=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')|=(?!\s*+[\"']))*+"
#: What is between a tag's name and its ``>``: quoted values may contain ``>``, and a few short ones
#: ``<``. A tag that is never closed ends at the next tag, so that a page of such tags is read once,
#: not once per tag.
ATTRIBUTES: Final = (
    rf"{_PLAIN}(?:=(?:\s*+(?:\"[^\"]{{0,200}}+\"|'[^']{{0,200}}+'))?+{_PLAIN}){{0,3}}+"
)
#: A comment; one that is never closed ends at the next one, for the same reason.
COMMENT: Final = r"<!--(?:[^-<]++|-(?!->)|<(?!!--(?!>)))*+-->"
_COMMENT = regex(COMMENT)
#: What Oracle never puts into a cell of a report's first tables.
_FOREIGN = regex(
    r"<(?:t[dh]\b[^<>]*+>(?:\s*+<(?:p|font|b|strong|center|o:p)\b"
    r"|(?:<(?:div|span)\b[^<>]*+>)*+[^<\n]{1,60}+\n[^<]{1,60}+</(?:td|div|span)\b)"
    r"|/t[dr]>\s*+<!--|!--[^<>]*-->\s*+<t[dhr]\b|br[^<>]*+>\s*+</t[dh]>)",
    re.I,
)
_HEADING = regex(r"<h[2-6]\b", re.I)
HEADED: Final = regex(r"<th\b", re.I)
_CELL = regex(r"<td\b", re.I)
#: The line of dashes under the headings of a text report's first table.
_RULER = regex(r"^(?:~+ +)?-{4,}(?: +-+)+[ \t\r]*$", re.M)
_CELL_END = regex(r"</t[dr]\b", re.I)
#: A cell with a figure is not a heading.
FIGURE: Final = regex(r"[-+]?(?:[.,'\u00a0]*+\d)++[.,]*+\s?(?!st|nd)(?:[a-zA-Z]{1,2}|%)?$")
#: Maximum distance of a title before its words.
_TITLE: Final = 2**12


def as_printed(text: str) -> str:
    """The page with its tables as Oracle writes them; unchanged if they already are."""
    banner = _BANNER.search(text)
    while banner is not None and _is_inside("title", text, banner.start(), _TITLE):
        banner = _BANNER.search(text, banner.end())
    begin = banner.start() if banner else 0
    if _RULER.search(text, begin, text.find("<", begin)):
        return text  # a text report with tags in its statements
    if _is_foreign(text[begin : begin + _PROBE]) or _is_inside("table", text, begin):
        from awrlens.source.rewritten import with_tables  # noqa: PLC0415 - few pages need it

        text = with_tables(text, begin)
    if not _HEADING.search(text, begin, begin + _FAR):
        from awrlens.source.rewritten import with_headings  # noqa: PLC0415 - few pages need it

        text = with_headings(text)
    return text


def _is_foreign(probe: str) -> bool:
    if not _CELL.search(probe):
        return False
    if "<!--" in probe:
        probe = _COMMENT.sub("<!---->", probe)
    whole = HEADED.search(probe) is not None and _CELL_END.search(probe) is not None
    return not whole or _FOREIGN.search(probe) is not None


def _is_inside(tag: str, text: str, at: int, near: int | None = None) -> bool:
    small = text[max(0, at - (near or at)) : at].lower()
    return small.rfind(f"<{tag}") > small.rfind(f"</{tag}")
