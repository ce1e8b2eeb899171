"""Expressions of budgets: one tree, how it is parsed and how it is written."""

from __future__ import annotations

import operator
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


#: How strongly every operation binds its parts; a leaf is not an operation.
BINDS: Final = {
    "or": 0, "and": 1, "not": 2, "comparison": 3, "sum": 4, "product": 5, "negative": 6, "leaf": 7,
}  # fmt: skip
ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip


class Node(NamedTuple):
    """A number, text or name, or an operation on ``parts`` with ``signs`` between them.

    Operands of one precedence are the parts of one node: ``a - b + c`` is a sum of three.
    """

    kind: str
    parts: tuple[Node, ...] = ()
    signs: tuple[str, ...] = ()
    text: str = ""
    #: The unit of a number or name.
    unit: str = ""
    #: The offset of its first character in the parsed text.
    at: int = 0


class Parser:
    """Parses sums and products from left to right; a subclass parses their operands."""

    blanks: Final = re.compile(r"(?:\s|#[^\n]*+)*+")

    def __init__(self, text: str) -> None:
        self.text = text
        #: The offsets of the rest and of the last token.
        self.at = self.last = 0

    def begin(self) -> int:
        """The offset of the next token."""
        found = self.blanks.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def take(self, pattern: str) -> str:
        """The next token if it matches a pattern, otherwise an empty text."""
        found = re.compile(pattern).match(self.text, self.begin())
        if found is None:
            return ""
        self.last, self.at = self.at, found.end()
        return found[0]

    def sum(self) -> Node:
        """Terms and the signs between them."""
        return self.joined("sum", "[-+]", self.product)

    def product(self) -> Node:
        """Factors and the signs between them."""
        return self.joined("product", "[*/]", self.operand)

    def joined(self, kind: str, sign: str, operand: Callable[[], Node]) -> Node:
        """Operands and the signs between them; a single operand is itself."""
        at, parts, signs = self.begin(), [operand()], list[str]()
        while taken := self.take(sign):
            signs.append(taken.lower())
            parts.append(operand())
        return Node(kind, tuple(parts), tuple(signs), at=at) if signs else parts[0]

    def operand(self) -> Node:
        """A number, a name or an expression in brackets."""
        raise NotImplementedError


def written(
    node: Node, part: Callable[[Node, int], str], signs: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Operands and the signs between them; ``part`` writes one, given how strongly it must bind."""
    least = BINDS[node.kind] + 1
    first, *others = [part(each, least) for each in node.parts]
    return first + "".join(
        f" {signs.get(sign, sign)} {each}" for sign, each in zip(node.signs, others, strict=True)
    )
