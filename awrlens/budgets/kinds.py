"""Determines the type of each part of a budget: quantity with unit, text, time, condition.

Names and units are checked before any report is read, so that the author of a budget sees
a mistake at once, with line and column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens import nearest
from awrlens.budgets import tree
from awrlens.budgets.dimensions import BARE, Measure, measure, unit
from awrlens.budgets.oracle_names import split
from awrlens.budgets.problems import BudgetError
from awrlens.budgets.texts import moment
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.budgets.tree import Node, Place

Sort = Literal["quantity", "text", "time", "condition"]


class Kind(NamedTuple):
    """The type of a part of an expression; ``measure`` is set for quantities only."""

    sort: Sort
    measure: Measure = Measure()

    @property
    def said(self) -> str:
        """In words."""
        if self.sort != "quantity":
            return f"a {self.sort}"
        if self.measure.bare:
            return "a number without unit"
        return _SAID.get(self.measure.unit, f"a number in {self.measure.unit}")


_SAID: Final = {"count": "a count", "ratio": "a ratio"}
_CONDITION: Final = Kind("condition")
_TEXT: Final = Kind("text")
_TIME: Final = Kind("time")
#: Fields of a report's header (CONTRACT, section 1) and their types.
REPORT: Final[dict[str, Kind]] = {
    **dict.fromkeys(
        ("kind", "db_name", "db_id", "instance", "instance_number", "release", "container",
         "host", "platform", "source", "weekday"), _TEXT,
    ),
    **dict.fromkeys(("begin_time", "end_time", "startup_time"), _TIME),
    **dict.fromkeys(("cpus", "cores", "begin_snap", "end_snap", "hour"),
                    Kind("quantity", measure("count"))),
    **dict.fromkeys(("elapsed_s", "db_time_s"), Kind("quantity", measure("s"))),
    "block_size": Kind("quantity", measure("B")),
    "rac": _CONDITION,
}  # fmt: skip


class Kinds:
    """Determines types, given the units of all facts."""

    def __init__(self, units: Mapping[str, str], source: str | None) -> None:
        self._units = units
        self._source = source

    def condition(self, node: Node) -> None:
        """Check that an expression is a condition; BudgetError if it is not."""
        found = self._of(node)
        if found.sort != "condition":
            written = tree.expression(node)
            hint = "Add a comparison."
            if found.sort == "quantity" and not found.measure.bare:
                hint = f"Compare it: {written} <= 1 {_suffix(found.measure)}".rstrip() + "."
            raise self._problem(f"{written} is not a condition but {found.said}.", node.at, hint)

    def _of(self, node: Node) -> Kind:
        match node:
            case tree.Number():
                return Kind("quantity", measure(node.unit) if node.unit else BARE)
            case tree.Text():
                return _TEXT
            case tree.Name():
                return self._name(node)
            case tree.Negative():
                return self._number(node.operand)
            case tree.Chain():
                return self._chain(node)
            case tree.Not():
                self.condition(node.operand)
            case tree.Several():
                for part in node.parts:
                    self.condition(part)
            case _:
                self._test(node)
        return _CONDITION

    def _test(self, node: tree.Compare | tree.Like | tree.In | tree.Available) -> None:
        """Check a condition on values."""
        match node:
            case tree.Compare():
                self._alike(node.left, node.right, node.operator, node.at)
            case tree.Like():
                if self._of(node.operand).sort != "text":
                    raise self._problem(
                        "`like` applies to texts only.", node.at, "Compare with <= or ==."
                    )
            case tree.In():
                for option in node.options:
                    self._alike(node.operand, option, "==", node.at)
            case tree.Available():
                if not isinstance(node.operand, tree.Name):
                    raise self._problem(
                        "`is available` applies to a fact or a field of the report only.", node.at,
                        "Test every fact separately.",
                    )  # fmt: skip
                self._of(node.operand)

    def _name(self, node: tree.Name) -> Kind:
        if node.scope == "report":
            found = REPORT.get(node.name)
            if found is None:
                raise self._unknown(node, "field of the report", REPORT)
            return found
        asked = split(node.name)
        unit_name = self._units.get(node.name) if asked is None else asked.unit
        if unit_name is None:
            raise self._unknown(node, "fact", self._units)
        return _TEXT if unit(unit_name) is None else Kind("quantity", measure(unit_name))

    def _unknown(self, node: tree.Name, what: str, known: Mapping[str, object]) -> BudgetError:
        near = nearest.name(node.name, known)
        prefix = "" if node.scope == "fact" else f"{node.scope}."
        if what == "fact":
            hint = "`awrlens facts REPORT` shows all facts."
        else:
            hint = f"Fields are {', '.join(known)}."
        if near:
            hint = f"Did you mean {prefix}{near}?"
        elif node.scope == "fact" and node.name in REPORT:
            hint = f"Did you mean report.{node.name}?"
        elif "." not in node.name and node.scope == "fact":
            hint = "Put texts in double quotes; names of facts have a dot. " + hint
        return self._problem(f"There is no {what} {node.name!r}.", node.at, hint)

    def _number(self, node: Node) -> Kind:
        found = self._of(node)
        if found.sort != "quantity":
            raise self._problem(
                f"{tree.expression(node)} is {found.said} and cannot be used in arithmetic.",
                node.at, "Only numbers can be added or multiplied.",
            )  # fmt: skip
        return found

    def _chain(self, node: tree.Chain) -> Kind:
        found = self._number(node.first).measure
        before: Node = node.first
        for sign, each in node.rest:
            other = self._number(each).measure
            if sign in "+-":
                self._same(before, found, each, other, each.at)
                found = found.plus(other)
            else:
                found = found.times(other, -1 if sign == "/" else 1)
            before = each
        return Kind("quantity", found)

    def _alike(self, left: Node, right: Node, operator: str, at: Place) -> None:
        """Check that both sides can be compared with the operator."""
        mine, its = self._of(left), self._of(right)
        if "condition" in (mine.sort, its.sort):
            node = left if mine.sort == "condition" else right
            raise self._problem(
                f"{tree.expression(node)} is a condition and cannot be compared.", at,
                "Use the condition itself, or `not` before it.",
            )  # fmt: skip
        if "time" in (mine.sort, its.sort):
            self._times(left, mine, right, its)
        elif mine.sort != its.sort:
            raise self._problem(
                f"{tree.expression(left)} is {mine.said}, {tree.expression(right)} is {its.said}.",
                at, "Both sides must have the same type.",
            )  # fmt: skip
        elif mine.sort == "text":
            if operator not in ("==", "!="):
                raise self._problem(
                    f"Texts have no order for `{operator}`.", at,
                    "Use ==, !=, like or in.",
                )  # fmt: skip
        else:
            self._same(left, mine.measure, right, its.measure, at)

    def _times(self, left: Node, mine: Kind, right: Node, its: Kind) -> None:
        for node, kind in ((left, mine), (right, its)):
            if kind.sort == "time" or (isinstance(node, tree.Text) and moment(node.value)):
                continue
            raise self._problem(
                f"{tree.expression(node)} is not a time.", node.at,
                'Write times as "2026-01-31 08:00" or "2026-01-31".',
            )  # fmt: skip

    def _same(self, left: Node, mine: Measure, right: Node, its: Measure, at: Place) -> None:
        """Check that both quantities have the same dimension."""
        for node, bare, other in ((left, mine, its), (right, its, mine)):
            if bare.bare and not other.plain:
                written = tree.expression(node)
                example = written if isinstance(node, tree.Number) else "1"
                raise self._problem(
                    f"{written} has no unit and is compared with a number in {other.unit}.",
                    node.at,
                    f"Write {example} {other.unit}, or another unit of the same dimension.",
                )  # fmt: skip
        if not mine.agrees(its):
            raise self._problem(
                f"{tree.expression(left)} ({mine.unit}) and {tree.expression(right)} "
                f"({its.unit}) have different dimensions.",
                at, "Units must be convertible: ms and s are, ms and % are not.",
            )  # fmt: skip

    def _problem(self, message: str, at: Place, hint: str) -> BudgetError:
        return BudgetError(message, source=self._source, at=at, hint=hint)


def _suffix(found: Measure) -> str:
    return "" if found.plain else found.unit
