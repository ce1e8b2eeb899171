"""Problems in a file of budgets, each with line and column."""

from __future__ import annotations

from copy import copy

from awrlens.errors import UsageError


class Mistake(Exception):  # noqa: N818 - it becomes a BudgetError
    """A mistake at an offset of a statement."""

    def __init__(self, message: str, at: int, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.at, self.hint = message, at, hint


class BudgetError(UsageError):
    """A budget is invalid; ``problems`` holds this problem and all later ones."""

    def __init__(
        self, message: str, *, source: str | None = None, line: int = 1, column: int = 1,
        hint: str = "",
    ) -> None:  # fmt: skip
        super().__init__(message, source=source, line=line, hint=hint)
        self.column = column
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
    ordered = sorted(problems, key=lambda each: (each.line or 0, each.column))
    whole = copy(ordered[0])
    whole.problems = tuple(ordered)
    return whole
