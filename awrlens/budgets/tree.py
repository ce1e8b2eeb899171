"""A budget as an immutable value; ``text`` and ``expression`` write its canonical form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.expressions import BINDS, written
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from awrlens.expressions import Node
    from awrlens.model import Severity

#: Clauses with a text value.
PROSE: Final = ("message", "why", "fix", "source")
#: Prefix of the ids of budgets without their own id.
ANONYMOUS: Final = "BUDGET-"


class Budget(NamedTuple):
    """One statement of a file: the condition, the reports it applies to, and its severity."""

    id: str
    name: str
    expect: Node
    when: Node | None = None
    #: Whether a budget that cannot be assessed counts as violated.
    required: bool = False
    severity: Severity = "warning"
    message: str = ""
    why: str = ""
    fix: str = ""
    source: str = ""
    #: Whether it is a rule with its own id and name.
    is_rule: bool = False
    #: Percentage of windows in which it must hold; None: every report.
    share: Fraction | None = None
    file: str | None = None
    line: int = 1

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}" if self.file else f"line {self.line}"

    @property
    def condition(self) -> str:
        """What it expects, in canonical form."""
        return expression(self.expect)

    @property
    def cited(self) -> str:
        """The source of the agreement."""
        return f"{self.source} ({self.place})" if self.source else f"budget, {self.place}"


def expression(node: Node, least: int = 0) -> str:
    """An expression in canonical form, in brackets if it binds weaker than ``least``."""
    text = operation(node, expression)
    return f"({text})" if node.parts and BINDS[node.kind] < least else text


def operation(node: Node, part: Callable[[Node, int], str]) -> str:
    """An expression; ``part`` writes an operand, given how strongly it must bind."""
    if not node.parts:
        text = quoted(node.text) if node.kind == "text" else node.text
        return f"{text} {node.unit}".strip() if node.kind == "number" else text
    if len(node.parts) > 1 and not node.signs[0].endswith("in"):
        return written(node, part)
    first, *options = [part(each, BINDS[node.kind] + 1) for each in node.parts]
    if node.kind in ("negative", "not"):
        return f"-{first}" if node.kind == "negative" else f"not {first}"
    return f"{first} {node.signs[0]}" + (f" ({', '.join(options)})" if options else "")


def names(node: Node | None) -> Iterator[Node]:
    """The names in an expression, from left to right."""
    if node is not None and node.kind == "name":
        yield node
    for part in node.parts if node is not None else ():
        yield from names(part)


def scoped(node: Node) -> tuple[str, str]:
    """The scope of a name (a fact of the report or baseline, or a field) and the rest of it."""
    scope, _, rest = node.text.partition(".")
    return (scope, rest) if rest and scope in ("baseline", "report") else ("fact", node.text)


def quoted(text: str) -> str:
    """A text in quotes, escaped so that it can be parsed again."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def share(budget: Budget) -> str:
    """The share of a budget on several reports: ``for 95 % of windows``."""
    return f"for {float(budget.share):g} % of windows" if budget.share is not None else ""


def text(budget: Budget) -> str:
    """A budget in canonical form; parsing it gives the same budget."""
    word = "require" if budget.required else "expect" if budget.is_rule else "budget"
    own = "" if budget.is_rule or budget.id.startswith(ANONYMOUS) else f" {budget.id}"
    lines = [
        f"rule {budget.id} {budget.name}" if budget.is_rule else f"{word}{own} {budget.condition}",
        f"when {expression(budget.when)}" if budget.when is not None else "",
        f"{word} {budget.condition}" if budget.is_rule else "",
        share(budget),
        f"severity {budget.severity}",
        *(f"{clause} {quoted(said)}" for clause in PROSE if (said := getattr(budget, clause))),
    ]
    return "\n  ".join(filter(None, lines)) + "\n"
