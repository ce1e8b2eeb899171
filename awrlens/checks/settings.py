"""The settings of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from awrlens.model import Severity

#: All rules.
ALL: Final = "ALL"


class Settings(NamedTuple):
    """The settings of a check: selectors, severities set by the user, failure conditions.

    ``per_path`` maps path patterns to the selectors ignored there.
    """

    select: tuple[str, ...] = (ALL,)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    per_path: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fail_on: tuple[str, ...] = ("warning",)
    #: Whether skipped inputs and rules fail the check.
    strict: bool = False
