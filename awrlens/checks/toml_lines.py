"""Finds the line of every key of a TOML file.

Python's own parser reads the values but does not report their lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.lazy import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str, ...]

_PART: Final = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEY: Final = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEAD: Final = regex(rf"[ \t]*\[{{1,2}}[ \t]*({_KEY})[ \t]*\]{{1,2}}[ \t]*(?:#.*)?$")
_SET: Final = regex(rf"[ \t]*({_KEY})[ \t]*=")
_INNER: Final = regex(rf"(?<=[{{,])[ \t]*({_KEY})[ \t]*=")
_EACH: Final = regex(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*+\"?|'[^'\n]*+'?")
#: Tokens that open and close multi-line values, and tokens that hide them.
_SIGNS: Final = regex(
    r"\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*+\"?|'[^'\n]*+'?|#.*|[\[\]{}]"
)  # fmt: skip


def lines(text: str) -> dict[Path, int]:
    """The line of every key by its path; for a duplicate key, the first line."""
    found: dict[Path, int] = {}
    table: Path = ()
    depth, quote = 0, ""
    for number, line in enumerate(text.split("\n"), start=1):
        inside = depth > 0 or quote
        head = None if inside else _HEAD.match(line)
        if head is not None:
            table = _path(head[1])
            _put(found, table, number)
            continue
        key = None if inside else _SET.match(line)
        if key is not None:
            path = table + _path(key[1])
            _put(found, path, number)
            for inner in _INNER.finditer(line, key.end()):
                _put(found, path + _path(inner[1]), number)
        depth, quote = _after(line, depth, quote)
    return found


def _path(text: str) -> Path:
    return tuple(part.strip("\"'") for part in _EACH.findall(text))


def _put(found: dict[Path, int], path: Path, number: int) -> None:
    for end in range(1, len(path) + 1):
        found.setdefault(path[:end], number)


def _after(line: str, depth: int, quote: str) -> tuple[int, str]:
    """The number of open brackets and the open long quotes after a line."""
    for sign in _signs(line, quote):
        if sign in ('"""', "'''"):
            quote = "" if quote == sign else sign
        elif not quote:
            depth = max(0, depth + {"[": 1, "{": 1, "]": -1, "}": -1}.get(sign, 0))
    return depth, quote


def _signs(line: str, quote: str) -> Iterator[str]:
    at = 0
    while True:
        if quote:
            at = line.find(quote, at)
            if at < 0:
                return
            yield quote
            at, quote = at + len(quote), ""
            continue
        match = _SIGNS.search(line, at)
        if match is None:
            return
        yield match[0]
        at = match.end()
        if match[0] in ('"""', "'''"):
            quote = match[0]
