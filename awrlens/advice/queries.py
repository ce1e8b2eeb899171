"""The queries that recommendations print, by their names in `queries.sql`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".sql")


@cache
def _every() -> dict[str, str]:
    """Every query on one line; a line breaks where a blank is."""
    _, *parts = _FILE.read_text(encoding="utf-8").split("-- name: ")
    named = (part.split("\n", 1) for part in parts)
    return {name.strip(): " ".join(text.split()) for name, text in named}


def query(name: str) -> str:
    """A query by its name."""
    return _every()[name]
