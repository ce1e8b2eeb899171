"""Texts by their names: the queries that recommendations print, and what devices take."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def named(file: str) -> dict[str, str]:
    """The parts of a file next to this module, each below a line `-- name: NAME`."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    parts = (part.split("\n", 1) for part in text.split("-- name: ")[1:])
    return {name.strip(): part for name, part in parts}


def query(name: str) -> str:
    """A query on one line; in the file, a line breaks where a blank is."""
    return " ".join(named("queries.txt")[name].split())
