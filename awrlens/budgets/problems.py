"""Problems in a file of budgets, each with line and column."""

from __future__ import annotations

from typing import Final

from awrlens.budgets.tree import Place
from awrlens.errors import UsageError

#: The location of a problem without one; also needed to send errors between processes.
_FIRST: Final = Place(1, 1)


class BudgetError(UsageError):
    """A budget is invalid; ``problems`` holds this problem and all later ones."""

    def __init__(
        self, message: str, *, source: str | None = None, at: Place = _FIRST, hint: str = "",
        others: tuple[BudgetError, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(message, source=source, line=at.line, hint=hint)
        self.column = at.column
        self._others = others

    @property
    def problems(self) -> tuple[BudgetError, ...]:
        """All problems of the file, one by one, from top to bottom."""
        if not self._others:
            return (self,)
        alone = BudgetError(self.message, source=self.source, at=_place(self), hint=self.hint)
        return (alone, *self._others)

    def __str__(self) -> str:
        """Location, message, hint and the number of further problems."""
        place = f"{self.line}:{self.column}"
        place = f"{self.source}:{place}" if self.source else f"line {place}"
        text = f"{place}: {self.message}" + (f" {self.hint}" if self.hint else "")
        if self._others:
            count = len(self._others)
            more = "1 more error" if count == 1 else f"{count} more errors"
            text += f" ({more}: `awrlens budget check` shows all.)"
        return text


def _place(problem: BudgetError) -> Place:
    return Place(problem.line or 1, problem.column)


def together(problems: list[BudgetError]) -> BudgetError:
    """Several problems as one error; the first is its message."""
    first, *others = sorted(problems, key=lambda each: (each.line or 0, each.column))
    return BudgetError(
        first.message, source=first.source, at=_place(first), hint=first.hint,
        others=tuple(others),
    )  # fmt: skip
