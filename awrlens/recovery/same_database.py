"""Whether an alert log is of the database that a report is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model import Note
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.recovery.episodes import Episodes


class Owner(NamedTuple):
    """The database that a report is of; ``shown`` is what a name of the log is printed as.

    Where names are replaced, those of the report are already: ``shown`` replaces the log's.
    """

    db_name: str | None
    shown: Callable[[str], str] = str


def doubts(found: Episodes, owner: Owner) -> Iterator[Note]:
    """That the log is of another database, where both name theirs."""
    named = [e for e in found.log.of("parameter") if e.values["name"] == "db_name"]
    name = found.parameter("db_name")
    if not name or not owner.db_name:
        return
    shown = owner.shown(name)
    if shown.casefold() != owner.db_name.casefold():
        yield Note(
            f"the alert log is from database {shown}, but the report is from {owner.db_name}: "
            "results from one may not apply to the other",
            named[-1].line,
        )
