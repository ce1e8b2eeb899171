"""SQL statements of text reports, joined from the lines that they were cut into."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Statspack prints this many letters of a SQL statement per line.
_STATSPACK_CUT: Final = 64
#: Words that are hardly ever the beginning or end of a longer word.
_KEYWORDS: Final = frozenset(
    (
        *("and", "begin", "between", "case", "connect", "delete", "distinct", "else", "end"),
        *("exists", "from", "group", "having", "insert", "into", "like", "null", "order"),
        *("select", "then", "union", "update", "values", "when", "where"),
    )
)
_LAST_WORD = regex(r"(?<![\w$#])[\w$#]+$")
_FIRST_WORD = regex(r"[\w$#]+")


def statement(lines: Sequence[str], width: int) -> str:
    """The SQL statement; ``width`` is the length of the longest line of its section.

    Statspack cuts it after 64 letters, so a shorter line lost the blanks at its end. AWR cuts it
    after 80 and then collapses blanks, so a shorter line may also end within a word.
    """
    found = ""
    for line, after in zip_longest(lines, lines[1:], fillvalue=""):
        lost = len(line) < width and (width <= _STATSPACK_CUT or not _goes_on(line, after))
        found += f"{line} " if lost else line
    return found.strip()


def _goes_on(line: str, after: str) -> bool:
    """Whether the last word or sign of a line and the first of the next may be one."""
    last, first = _LAST_WORD.search(line), _FIRST_WORD.match(after)
    if last and first:
        return not {last[0].lower(), first[0].lower()} & _KEYWORDS
    return line.endswith(("(", ".", ":", "|", "<", ">", "!")) or after.startswith(
        (")", ",", ".", ";", "|", "=")
    )
