"""Figures in remarks of a report (``-> Total Physical Writes: 109,925``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.grammar.catalogue import norm_heading
from awrlens.lazy import regex
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

_FIGURE = regex(r"[-+]?[\d.,'\u2019\s]+")


class Remark(NamedTuple):
    """The label of a remark and the text of its figure."""

    label: str
    text: str


def remark(line: str, headings: Collection[str], *, blanks_group: bool) -> Remark | None:
    """The figure in a remark with one of some labels, as ``norm_heading`` writes them.

    Without a colon the figure begins at the first digit (``Captured Time accounts for 98.6%``).
    ``blanks_group``: blanks may separate thousands.
    """
    label, colon, rest = line.partition(":")
    if not colon:
        digit = next((n for n, c in enumerate(line) if c.isdigit()), None)
        label, rest = line[:digit], line[digit:] if digit else ""
    if norm_heading(label) not in headings or not rest.strip():
        return None
    text = rest.split()[0]
    figure = _FIGURE.match(rest.strip()) if blanks_group else None
    return Remark(label.strip(), figure[0].strip() if figure else text)
