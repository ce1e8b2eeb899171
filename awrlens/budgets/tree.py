"""A budget as an immutable value, its canonical text, and the error for a mistake in one."""

from __future__ import annotations

import re
from copy import copy
from typing import TYPE_CHECKING, Final

from awrlens.budgets.values import UNITS
from awrlens.errors import UsageError
from awrlens.facts.printed import FIELDS
from awrlens.lazy import NamedTuple
from awrlens.model.expressions import BINDS, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from awrlens.model import Severity
    from awrlens.model.expressions import Node


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
    first, *options = [part(operand, BINDS[node.kind] + 1) for operand in node.parts]
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


STRING: Final = r'"(?:[^"\\\n]|\\.)*+"'


class BudgetError(UsageError):
    """A budget is invalid; ``problems`` holds this problem and all later ones."""

    def __init__(self, message: str, at: int = 0, hint: str = "") -> None:
        super().__init__(message, line=1, hint=hint)
        #: The offset of the mistake in its statement, and its column in the file.
        self.at, self.column = at, 1
        self.problems: tuple[BudgetError, ...] = ()

    def __str__(self) -> str:
        """Location, message, hint and the number of further problems."""
        place = f"{self.line}:{self.column}"
        place = f"{self.source}:{place}" if self.source else f"line {place}"
        text = f"{place}: {self.message}" + (f" {self.hint}" if self.hint else "")
        others = len(self.problems) - 1
        if others > 0:
            more = f"{others} more error" + ("s" if others > 1 else "")
            text += f" ({more}: `awrlens budget check` shows all.)"
        return text


def together(problems: list[BudgetError]) -> BudgetError:
    """Several problems as one error; the first is its message."""
    whole = copy(problems[0])
    whole.problems = tuple(problems)
    return whole


_NO_FUNCTIONS: Final = (
    "There are no functions: facts are totals and averages of the interval (`awrlens facts "
    "REPORT`). For several reports use the clause: for 95 % of windows."
)
#: The text before a mistake, the text found, and what to do; most is syntax of other languages.
_HINTS: Final = (
    ("", r"&&?", "Write `and`."),
    ("", r"\|\|?", "Write `or`."),
    ("", r"!(?!=)", "Write `not`."),
    ("", r"between\b", "Write both bounds: a >= 1 ms and a <= 5 ms."),
    ("", r"(?:else|then|if)\b", "Write `when CONDITION` on a line of its own."),
    ("=", "([<>])", "Write {}=."),
    (r"(?<![\w.])(\d++)", r",\s*(\d+)", "Use a decimal point: {}.{}."),
    (rf"\b({'|'.join(FIELDS)})", r"\(", 'Put the name in double quotes: {}("…").'),
    (r"\b[A-Za-z_]\w*+", r"\(", _NO_FUNCTIONS),
    ("", "'", "Put texts in double quotes."),
    ("", rf'(?!{STRING})"', "The closing quote of the text is missing on this line."),
    ("", r"\)", "There is no open parenthesis here, or a value is missing before it."),
)


def hint_for(before: str, rest: str) -> str:
    """What to do about the text found, given the text before it; empty if unknown."""
    for last, following, hint in _HINTS:
        left = re.search(rf"(?:{last})\Z", before, re.I)
        right = re.match(following, rest, re.I)
        if left and right:
            return hint.format(*map(str.lower, left.groups() + right.groups()))
    return ""


def meant(unit: str) -> str:
    """The most similar unit, or all units."""
    if re.fullmatch(r"[eE]\d*", unit):
        return "Write the number in full: 1000 for 1e3, 0.001 for 1e-3."
    words = {"sec": "s", "second": "s", "seconds": "s", "minutes": "min", "minute": "min",
             "hour": "h", "hours": "h", "percent": "%", "pct": "%", "bytes": "B", "k": "KB",
             "m": "MB", "g": "GB", "t": "TB", "msec": "ms", "usec": "us", "µs": "us",
             **{name.casefold(): name for name in UNITS}}  # fmt: skip
    near = words.get(unit.casefold())
    return f"Did you mean {near}?" if near else f"Units are {', '.join(UNITS)}."
