"""Budgets: service levels and custom rules, written as conditions on facts.

``parse`` reads a file and checks its names and units, ``assess`` evaluates a budget on a report,
``finding`` and ``skipped`` convert the result. ``docs/budgets.md`` documents the language.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from awrlens.budgets.assess import Outcome, assess
from awrlens.budgets.findings import (
    finding,
    not_applicable,
    recommendation,
    rule,
    skipped,
    window,
)
from awrlens.budgets.language import budgets
from awrlens.budgets.problems import BudgetError
from awrlens.budgets.tree import Budget, text
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Budget", "BudgetError", "Outcome", "assess", "finding", "not_applicable",
    "parse", "read", "recommendation", "rule", "skipped", "text", "window",
]  # fmt: skip


def parse(said: str, units: Mapping[str, str], source: str | None = None) -> tuple[Budget, ...]:
    """The budgets of a text; ``units`` has the unit of every fact.

    Raises BudgetError with line and column; its ``problems`` lists all mistakes.
    """
    return budgets(said, units, source)


#: Maximum size of a file of budgets.
_MOST_BYTES: Final = 2**20


def _bytes(file: Path) -> bytes:
    """The content of a regular file; OSError for anything else."""
    try:
        if file.exists() and not file.is_file():
            raise OSError(0, "it is not a regular file")
        with file.open("rb") as opened:
            found = opened.read(_MOST_BYTES + 1)
    except ValueError:
        raise OSError(0, "its name contains a NUL character") from None
    if len(found) > _MOST_BYTES:
        raise OSError(0, f"it is larger than {_MOST_BYTES // 2**20} MB")
    return found


def read(file: str | Path, units: Mapping[str, str]) -> tuple[Budget, ...]:
    """The budgets of a file; UsageError if it cannot be read."""
    try:
        content = _bytes(Path(file)).decode("utf-8-sig")
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(
            f"The budgets cannot be read: {reason}.", source=str(file), hint="Check the path."
        ) from None
    except UnicodeDecodeError as problem:
        raise UsageError(
            "The file is not UTF-8 text.", source=str(file),
            line=problem.object.count(b"\n", 0, problem.start) + 1,
            hint="Save it as UTF-8.",
        ) from None  # fmt: skip
    return parse(content, units, str(file))
