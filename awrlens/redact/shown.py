"""Names that are shown: in backquotes in sentences, so that the words of a report stay data."""

from __future__ import annotations

import html
import re
from typing import Any, Final

from awrlens.redact.names import WORD, Names, is_oracles

#: Keys of what is no sentence of a report: cells, names, SQL for a person to run, our own pages.
_WHOLE: Final = frozenset({
    "row", "rows", "value", "column", "columns", "section", "name", "source", "sources", "db_name",
    "db_id", "instance", "instance_number", "host", "release", "commands", "rollback", "validate",
    "page",
})  # fmt: skip
#: The cell of a line, and the title of a section.
_AT_LINES: Final = _WHOLE | {"text", "title"}
_WORD: Final = re.compile(rf"`[^`]*`|{WORD.pattern}", re.I)
#: Between two words of one quotation, such as owner and segment.
_BETWEEN: Final = re.compile(r"\0([^\w`\0]{1,2})\0")


class Shown(Names):
    """Names that have no pseudonym; ``seen`` are those of the reports."""

    seen: frozenset[str] = frozenset()

    def of(self, word: str) -> str:  # noqa: D102 - as that of a pseudonym
        self.seen |= frozenset() if is_oracles(word) else {html.unescape(word)}
        return word

    def address(self, text: str) -> str:  # noqa: D102
        return text

    def filler(self, text: str, seed: str) -> str:  # noqa: ARG002, D102
        return text

    def file(self, name: str) -> str:  # noqa: D102
        return name

    def quoted(self, content: Any) -> Any:  # noqa: ANN401 - any part of a result
        """Plain data whose sentences have backquotes around the names."""
        if isinstance(content, dict):
            kept = _AT_LINES if "line" in content else _WHOLE
            return {k: value if k in kept else self.quoted(value) for k, value in content.items()}
        if isinstance(content, list):
            return [self.quoted(part) for part in content]
        if not isinstance(content, str) or " " not in content:
            return content
        marked = _WORD.sub(lambda m: f"\0{m[0]}\0" if m[0] in self.seen else m[0], content)
        return _BETWEEN.sub(r"\1", marked).replace("\0", "`")
