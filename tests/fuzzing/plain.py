"""What a report prints, read by plain patterns: nothing of awrlens is used here."""

from __future__ import annotations

import re
from typing import Final

#: Facts, each as an expression of statistics of Instance Activity Stats.
FACTS: Final = {
    "redo.write_ms": ("redo write time", 10, "redo writes"),
    "redo.wastage_per_write": ("redo wastage", 1, "redo writes"),
    "redo.bytes_per_commit": ("redo size", 1, "user commits"),
    "redo.commits_per_write": ("user commits", 1, "redo writes"),
    "redo.space_requests": ("redo log space requests", 1, ""),
    "undo.rollbacks_per_1000_executes": ("user rollbacks", 1000, "execute count"),
    "temp.sorts_disk": ("sorts (disk)", 1, ""),
    "redo.commits_per_s": ("user commits", 1, "elapsed"),
    "redo.writes_per_s": ("redo writes", 1, "elapsed"),
    "integrity.block_changes_per_s": ("db block changes", 1, "elapsed"),
    "load.elapsed_s": ("elapsed", 1, ""),
    "load.db_time_s": ("DB time", 1, ""),
}
_TEXT: Final = r"^(?:\d+[:-])?{}[ \t]+(-?[\d,]+)[ \t]"
_PAGE: Final = r">{}</td>\s*<td[^>]*>\s*(-?[\d,]+)\s*</td>"
_MINUTES: Final = r"{}:?(?:<[^>]*>|&nbsp;|&#160;|\s)*([\d,.]+)\s*\(min"


def statistics(text: str) -> dict[str, float]:
    """The first figure of each statistic that the facts are made of, and the header's times."""
    found = {}
    names = {name for first, _, second in FACTS.values() for name in (first, second)}
    for name in sorted(names - {"", "elapsed", "DB time"}):
        for pattern in (_TEXT, _PAGE):
            match = re.search(pattern.format(re.escape(name)), text, re.M | re.I)
            if match:
                found[name] = float(match[1].replace(",", ""))
                break
    for name, words in (("elapsed", "Elapsed"), ("DB time", "DB Time")):
        match = re.search(_MINUTES.format(words), text[:20_000], re.I)
        if match:
            found[name] = float(match[1].replace(",", "")) * 60
    return found


def facts(text: str) -> dict[str, float]:
    """The facts that a report's statistics give."""
    known = statistics(text) | {"": 1.0}
    return {
        fact: known[first] * factor / known[second]
        for fact, (first, factor, second) in FACTS.items()
        if first in known and known.get(second)
    }
