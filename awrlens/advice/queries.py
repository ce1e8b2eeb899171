"""Texts by their names: the queries that recommendations print, and what devices take."""

from __future__ import annotations

from functools import cache

from awrlens.lazy import beside


@cache
def named(file: str) -> dict[str, str]:
    """The parts of a file next to this module, each below a line `-- name: NAME`."""
    parts = [part.split("\n", 1) for part in beside(__file__, file).split("-- name: ")[1:]]
    return {name.strip(): part for name, part in parts}


def texts(name: str) -> tuple[str, ...]:
    """Commands or sentences; in the file, an indented line goes on."""
    return tuple(named("texts.txt")[name].strip().replace("\n  ", " ").split("\n"))


def query(name: str) -> str:
    """A query on one line; in the file, a line breaks where a blank is."""
    return " ".join(named("queries.txt")[name].split())
