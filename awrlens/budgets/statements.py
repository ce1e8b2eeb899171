"""Converts parsed statements to budgets and checks clauses, ids, names and units."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final

from awrlens.budgets import tree
from awrlens.budgets.kinds import Kinds
from awrlens.budgets.problems import BudgetError, together
from awrlens.budgets.tree import Budget
from awrlens.lazy import regex
from awrlens.rules import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from fractions import Fraction

    from awrlens.budgets.reader import Clause, Statement
    from awrlens.budgets.tree import Node

_ID: Final = regex(r"[A-Z]{2,8}\d{3}")
#: Digits of the digest in the id of a budget without an id of its own.
_DIGEST: Final = 8


def budgets(text: str, units: Mapping[str, str], source: str | None) -> tuple[Budget, ...]:
    """The budgets of a file; BudgetError with all mistakes."""
    from awrlens.budgets.language import read  # noqa: PLC0415 - pyparsing, only where it is used

    statements, problems = read(text, source)
    found: list[Budget] = []
    lines: dict[str, int] = {}
    for statement in statements:
        try:
            budget = _Maker(statement, units, source).budget()
        except BudgetError as problem:
            problems.append(problem)
            continue
        if budget.id in lines:
            problems.append(_twice(budget, statement, lines[budget.id], source))
        lines.setdefault(budget.id, budget.line)
        found.append(budget)
    if problems:
        raise together(problems)
    return tuple(found)


def _twice(budget: Budget, statement: Statement, line: int, source: str | None) -> BudgetError:
    if budget.id.startswith(tree.ANONYMOUS):
        message, at = f"This budget is a duplicate of line {line}.", statement.at
        return BudgetError(message, source=source, at=at, hint="Remove one of them.")
    message = f"{budget.id} is already the id of the budget on line {line}."
    return BudgetError(message, source=source, at=statement.id_at, hint="Give it another id.")


class _Maker:
    """Makes the budget of one statement."""

    def __init__(self, statement: Statement, units: Mapping[str, str], source: str | None) -> None:
        self._said = statement
        self._kinds = Kinds(units, source)
        self._source = source

    def budget(self) -> Budget:
        """The budget; BudgetError for the first mistake."""
        said = self._said
        clauses = self._clauses()
        own_id = self._own_id()
        expected = self._expected(clauses)
        when = clauses["when"].value if "when" in clauses else None
        for each in (expected, when):
            if each is not None:
                self._condition(each)
        share = clauses["for"].value if "for" in clauses else None
        required = said.word == "require" or "require" in clauses
        prose: dict[str, str] = {
            word: clauses[word].value for word in tree.PROSE if word in clauses
        }
        return Budget(
            id=own_id or _made_id(expected, when, share, required=required),
            name=said.name or _made_name(expected),
            expect=expected,
            when=when,
            required=required,
            severity=clauses["severity"].value if "severity" in clauses else "warning",
            is_rule=said.word == "rule",
            file=self._source,
            line=said.at.line,
            share=share,
            **prose,
        )

    def _clauses(self) -> dict[str, Clause]:
        found: dict[str, Clause] = {}
        for clause in self._said.clauses:
            if clause.word in found:
                raise BudgetError(
                    f"`{clause.word}` occurs twice.", source=self._source, at=clause.at,
                    hint="Remove one of them.",
                )  # fmt: skip
            if clause.word in ("expect", "require") and self._said.word != "rule":
                raise BudgetError(
                    f"`{clause.word}` is a clause of rules only; this statement already has a "
                    "condition.",
                    source=self._source, at=clause.at,
                    hint="Start another budget at the beginning of a line, or combine both with "
                    "`and`.",
                )  # fmt: skip
            found[clause.word] = clause
        return found

    def _own_id(self) -> str:
        said = self._said
        family = said.id.rstrip("0123456789")
        if said.id and not _ID.fullmatch(said.id):
            raise BudgetError(
                f"{said.id} is not a valid id.", source=self._source, at=said.id_at,
                hint="An id has 2 to 8 capital letters and three digits: TEAM001.",
            )  # fmt: skip
        if family in FAMILIES:
            raise BudgetError(
                f"{family} is a rule family of awrlens.", source=self._source,
                at=said.id_at,
                hint=f"Use other letters than {', '.join(FAMILIES[:-1])} and {FAMILIES[-1]}.",
            )  # fmt: skip
        return said.id

    def _expected(self, clauses: Mapping[str, Clause]) -> Node:
        said = self._said
        if said.condition is not None:
            return said.condition
        both = [clauses[word] for word in ("expect", "require") if word in clauses]
        if len(both) != 1:
            message = (
                "has both `expect` and `require`" if both else "has no `expect` or `require` clause"
            )
            raise BudgetError(
                f"Rule {said.id} {message}.", source=self._source,
                at=both[1].at if both else said.at,
                hint="Use one clause `expect CONDITION`, or `require CONDITION` to fail if it "
                "cannot be assessed.",
            )  # fmt: skip
        expected: Node = both[0].value
        return expected

    def _condition(self, node: Node) -> None:
        self._kinds.condition(node)
        if next(names(node), None) is None:
            raise BudgetError(
                f"{tree.expression(node)} does not depend on a report.", source=self._source,
                at=node.at, hint="Use a fact; `awrlens facts REPORT` shows all facts.",
            )  # fmt: skip


def names(node: Node | None) -> Iterator[tree.Name]:
    """The names in an expression, from left to right."""
    match node:
        case tree.Name():
            yield node
        case tree.Negative() | tree.Like() | tree.Available() | tree.Not():
            yield from names(node.operand)
        case tree.In():
            yield from names(node.operand)
        case tree.Chain():
            yield from names(node.first)
            for _, each in node.rest:
                yield from names(each)
        case tree.Compare():
            yield from names(node.left)
            yield from names(node.right)
        case tree.Several():
            for each in node.parts:
                yield from names(each)


def _made_id(expected: Node, when: Node | None, share: Fraction | None, *, required: bool) -> str:
    """An id computed from the condition of a budget, not from its line or message."""
    parts: list[Any] = [tree.expression(expected), required]
    if when is not None:
        parts.append(tree.expression(when))
    if share is not None:
        parts.append(str(share))
    digest = hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()
    return f"{tree.ANONYMOUS}{digest[:_DIGEST].upper()}"


def _made_name(expected: Node) -> str:
    """``redo-write-ms-budget``: from the name of the first fact."""
    first = next(names(expected), None)
    words = re.findall(r"[a-z0-9]+", first.written if first else "")
    return "-".join([*words, "budget"])
