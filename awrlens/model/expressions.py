"""Expressions of budgets: one tree, and how it is written."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


#: How strongly every operation binds its parts; a leaf is not an operation.
BINDS: Final = {
    "or": 0, "and": 1, "not": 2, "comparison": 3, "sum": 4, "product": 5, "negative": 6, "leaf": 7,
}  # fmt: skip
ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


class Node(NamedTuple):
    """A number, text or name, or an operation on parts; ``a - b + c`` is one sum of three."""

    kind: str
    parts: tuple[Node, ...] = ()
    signs: tuple[str, ...] = ()
    text: str = ""
    #: The unit of a number or name.
    unit: str = ""
    #: The offset of its first character in the parsed text.
    at: int = 0


def written(node: Node, part: Callable[[Node, int], str]) -> str:
    """Operands and the signs between them; ``part`` writes one, given how strongly it must bind."""
    least = BINDS[node.kind] + 1
    first, *others = [part(operand, least) for operand in node.parts]
    return first + "".join(f" {sign} {text}" for sign, text in zip(node.signs, others, strict=True))
