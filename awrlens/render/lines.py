"""Lines of styled text for terminals: what all text pages are made of."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from awrlens.lazy import NamedTuple, regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: A space at which lines do not break.
NO_BREAK: Final = "\u00a0"
#: The space between a number and its unit.
_UNIT: Final = regex(r"(?<=\d) (?=%|(?:ms|s|min|h|[KMGT]B(?:/s)?)\b)")
ICONS: Final = {"critical": "✖", "warning": "▲", "info": "●", "ok": "✔", "unknown": "?"}
#: The characters of parts of a bar by style; those of several parts of one style differ.
_FILLS: Final = {
    "cpu": "▒", "other": "░═╱┼╲╳─", "dim": "░═╱┼╲╳─", "": "·", "info": "▒▚",
    "ok": "▓▞▌▙▀▐", "warning": "▚", "strong": "═",
}  # fmt: skip
#: Replacements for terminals that have only ASCII.
ASCII: Final = str.maketrans({
    **dict(zip("▁▂▃▄▅▆▇█▒░▓│–·▚▞▌▙▀▐═╱┼╲╳─", "_.-=+*%#=-+|--%&$8@]~/x^X_", strict=True)),
    "✖": "x", "▲": "!", "●": "*", "✔": "+", "▼": "v", "→": "->", "×": "x", "…": "...",
})  # fmt: skip
#: The spaces before the clauses of a query.
_CLAUSE: Final = regex(r" (?=(?:FROM|WHERE|GROUP BY|ORDER BY) )")
_QUOTED: Final = regex(r"'[^']*'|\"[^\"]*\"")


class Span(NamedTuple):
    """A piece of text and its style: a severity, ``title``, ``dim``, ``command`` or none."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def fills(parts: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The character of every part of a bar, by style and name: names differ without color."""
    chars: dict[tuple[str, str], str] = {}
    for part in parts:
        usual = _FILLS.get(part[0], "█▓▞▌▙▀▐")
        chars.setdefault(part, next((c for c in usual if c not in chars.values()), usual[0]))
    return chars


def legend(
    text: str, chars: Mapping[tuple[str, str], str], width: int, style: str = "", indent: str = ""
) -> Iterator[Line]:
    """The legend of a bar: its marks have the colors that they have in the bar."""
    styles = {char: of for (of, _), char in chars.items()}
    for (line,) in wrapped(text, width, style, indent):
        texts = re.split(f"([{''.join(styles)}])", line.text)
        yield tuple(Span(text, styles.get(text, style)) for text in texts if text)


def wrapped(
    text: str, width: int, style: str = "", indent: str = "", first: str | None = None
) -> Iterator[Line]:
    """A paragraph with ``first`` before its first line and ``indent`` before the others.

    Lines do not break before a unit, or at spaces of ``wording.together``, unless what these join
    is wider than a line.
    """
    for line in unbroken(text, width, indent, indent if first is None else first):
        yield (Span(line, style),)


def unbroken(text: str, width: int, indent: str = "", first: str = "") -> list[str]:
    """The lines of a paragraph: see ``wrapped``."""
    room, text = width - len(indent), _UNIT.sub(NO_BREAK, text)
    words = (word if len(word) <= room else word.replace(NO_BREAK, " ") for word in text.split(" "))
    lines = wrap(
        " ".join(words), width, initial_indent=first, subsequent_indent=indent,
        break_on_hyphens=False,
    )  # fmt: skip
    return [line.replace(NO_BREAK, " ") for line in lines]


def commands(lines: Iterable[str], width: int) -> Iterator[Line]:
    """SQL commands to paste: long ones break at clauses, comments have their own lines."""
    for line in lines:
        command, _, comment = line.partition("; -- ")
        for text, begin in ((command + ";" * bool(comment), ""), (comment, "-- ")):
            held = _QUOTED.sub(lambda match: match[0].replace(" ", NO_BREAK), text)
            clauses = _CLAUSE.split(held) if len(held) + 5 > width and not begin else [held]
            for clause, lead in zip(clauses, (begin, *["  "] * len(clauses)), strict=False):
                for part in wrap(
                    clause, width, initial_indent=f"     {lead}", break_long_words=False,
                    subsequent_indent=f"     {begin or '    '}", break_on_hyphens=False,
                ):  # fmt: skip
                    yield (Span(part.replace(NO_BREAK, " "), "command"),)


def hanging(head: Span, text: str, width: int, style: str = "") -> Iterator[Line]:
    """A paragraph with a hanging indent behind its head."""
    indent = " " * len(head.text)
    for number, (line,) in enumerate(wrapped(text, width - len(indent), style)):
        yield (Span(indent), line) if number else (head, line)
