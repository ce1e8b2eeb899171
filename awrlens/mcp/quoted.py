"""Sentences with names as they are: what reads otherwise in a redacted report is in backquotes."""

from __future__ import annotations

import re
from typing import Any, Final

#: Keys of what is no sentence: cells, names, and SQL for a person to run.
_WHOLE: Final = frozenset({
    "row", "rows", "value", "column", "columns", "section", "name", "source", "sources", "db_name",
    "db_id", "instance", "instance_number", "host", "release", "commands", "rollback", "validate",
})  # fmt: skip
#: What is in backquotes already, or a word.
_WORD: Final = re.compile(r"`[^`]*`|[\w$#]+")
#: Between two words of one quotation, such as owner and segment.
_BETWEEN: Final = re.compile(r"\0([^\w`\0]{1,2})\0")


def quoted(found: Any, redacted: Any, key: str = "") -> Any:  # noqa: ANN401 - any part of a result
    """A result whose sentences have backquotes around the words that differ in the redacted one."""
    if key in _WHOLE or found == redacted:
        return found
    if isinstance(found, dict):
        cell = ("text", "title") if "line" in found else ()
        others = iter(redacted.values() if isinstance(redacted, dict) else ())
        pairs = [(name, each, next(others, None)) for name, each in found.items()]
        return {name: each if name in cell else quoted(each, o, name) for name, each, o in pairs}
    if isinstance(found, list):
        others = iter(redacted if isinstance(redacted, list) else ())
        return [quoted(each, next(others, None), key) for each in found]
    if not isinstance(found, str) or " " not in found:
        return found
    words = iter(_WORD.findall(redacted or ""))

    def marked(match: re.Match[str]) -> str:
        same = match[0] == next(words, "") or match[0][0] == "`"
        return match[0] if same else f"\0{match[0]}\0"

    return _BETWEEN.sub(r"\1", _WORD.sub(marked, found)).replace("\0", "`")
