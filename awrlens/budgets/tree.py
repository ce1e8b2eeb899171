"""A budget and its expression as immutable values; ``text`` writes their canonical form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

    from awrlens.model import Severity

Scope = Literal["fact", "baseline", "report"]
Operator = Literal["<", "<=", ">", ">=", "==", "!="]
Arithmetic = Literal["+", "-", "*", "/"]


class Place(NamedTuple):
    """1-based line and column in a file of budgets."""

    line: int
    column: int


_NOWHERE: Final = Place(1, 1)


@dataclass(frozen=True, slots=True)
class _Node:
    """Two expressions are equal if they mean the same, regardless of their location."""

    at: Place = field(default=_NOWHERE, compare=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Number(_Node):
    """A number as written; ``unit`` is empty if the number has none."""

    value: Fraction
    unit: str
    digits: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Text(_Node):
    """A text in quotes."""

    value: str


@dataclass(frozen=True, slots=True)
class Name(_Node):
    """A fact of the report, a fact of the baseline, or a field of the report's header."""

    scope: Scope
    name: str

    @property
    def written(self) -> str:
        """As written in a budget."""
        return self.name if self.scope == "fact" else f"{self.scope}.{self.name}"


@dataclass(frozen=True, slots=True)
class Negative(_Node):
    """``-x``."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Chain(_Node):
    """Operands of one precedence, computed from left to right: ``a - b + c``, ``a * b / c``."""

    first: Node
    rest: tuple[tuple[Arithmetic, Node], ...]


@dataclass(frozen=True, slots=True)
class Compare(_Node):
    """``a <= b``."""

    left: Node
    operator: Operator
    right: Node


@dataclass(frozen=True, slots=True)
class Like(_Node):
    """``a like "PROD%"``."""

    operand: Node
    pattern: str
    negated: bool


@dataclass(frozen=True, slots=True)
class In(_Node):
    """``a in ("x", "y")``."""

    operand: Node
    options: tuple[Node, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Available(_Node):
    """``a is available``."""

    operand: Node
    negated: bool


@dataclass(frozen=True, slots=True)
class Not(_Node):
    """``not a``."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Several(_Node):
    """``a and b and c``, or the same with ``or``."""

    word: Literal["and", "or"]
    parts: tuple[Node, ...]


Node = (
    Number | Text | Name | Negative | Chain | Compare | Like | In | Available | Not | Several
)  # fmt: skip


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


#: Precedence of operators; operands of lower precedence get parentheses.
_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _ATOM = range(8)


def expression(node: Node) -> str:
    """An expression in canonical form."""
    return _write(node)[0]


def _write(node: Node) -> tuple[str, int]:
    """The text of a node and the precedence of its outermost operator."""
    match node:
        case Number():
            return f"{node.digits} {node.unit}".strip(), _ATOM
        case Text():
            return quoted(node.value), _ATOM
        case Name():
            return node.written, _ATOM
        case Negative():
            return f"-{_in(node.operand, _ATOM)}", _SIGN
        case Chain():
            binds = _SUM if node.rest[0][0] in "+-" else _PRODUCT
            rest = "".join(f" {sign} {_in(each, binds + 1)}" for sign, each in node.rest)
            return _in(node.first, binds + 1) + rest, binds
    return _write_condition(node)


def _write_condition(
    node: Compare | Like | In | Available | Not | Several,
) -> tuple[str, int]:
    match node:
        case Not():
            return f"not {_in(node.operand, _COMPARISON)}", _NOT
        case Several():
            binds = _AND if node.word == "and" else _OR
            return f" {node.word} ".join(_in(each, binds + 1) for each in node.parts), binds
        case Compare():
            test = f"{node.operator} {_in(node.right, _SUM)}"
        case Like():
            test = f"{_not(node)}like {quoted(node.pattern)}"
        case In():
            test = f"{_not(node)}in ({', '.join(expression(each) for each in node.options)})"
        case Available():
            test = f"is {_not(node)}available"
    operand = node.left if isinstance(node, Compare) else node.operand
    return f"{_in(operand, _SUM)} {test}", _COMPARISON


def _not(node: Like | In | Available) -> str:
    return "not " if node.negated else ""


def _in(node: Node, least: int) -> str:
    text, binds = _write(node)
    return text if binds >= least else f"({text})"


def quoted(text: str) -> str:
    """A text in quotes, escaped so that it can be parsed again."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def share(budget: Budget) -> str:
    """The share of a budget on several reports: ``for 95 % of windows``."""
    return f"for {float(budget.share):g} % of windows" if budget.share is not None else ""


def text(budget: Budget) -> str:
    """A budget in canonical form; parsing it gives the same budget."""
    own = not budget.id.startswith(ANONYMOUS)
    word = "require" if budget.required else "expect" if budget.is_rule else "budget"
    expected = f"{word} {expression(budget.expect)}"
    when = [f"  when {expression(budget.when)}"] if budget.when is not None else []
    if budget.is_rule:
        lines = [f"rule {budget.id} {budget.name}", *when, f"  {expected}"]
    elif own:
        lines = [f"{word} {budget.id} {expression(budget.expect)}", *when]
    else:
        lines = [expected, *when]
    if budget.share is not None:
        lines.append(f"  {share(budget)}")
    lines.append(f"  severity {budget.severity}")
    for clause in PROSE:
        said = getattr(budget, clause)
        if said:
            lines.append(f"  {clause} {quoted(said)}")
    return "\n".join(lines) + "\n"


#: Clauses with a text value.
PROSE: Final = ("message", "why", "fix", "source")
#: Prefix of the ids of budgets without their own id.
ANONYMOUS: Final = "BUDGET-"
