"""Problems in a file of budgets, each with line and column."""

from __future__ import annotations

from copy import copy

from awrlens.errors import UsageError


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
