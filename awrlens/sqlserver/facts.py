"""All facts of a SQL Server log, in the order in which they are shown.

The same functions apply to a whole log and to one database. Facts do not use thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.sqlserver import amounts, durations, nearby_facts
from awrlens.sqlserver.fact_input import LOG, SQL_SERVER_FACTS, seen_of

if TYPE_CHECKING:
    from awrlens.fact_table import FactSpec
    from awrlens.model import Fact
    from awrlens.sqlserver.events import Log


FACTS: Final = SQL_SERVER_FACTS.of(durations, amounts, nearby_facts)


def facts_of(log: Log, database: str | None = None) -> dict[str, Fact]:
    """All facts of a log or of one database, available or not."""
    seen = seen_of(log, database)
    return {spec.name: _finished(spec, spec.function(seen)) for spec in FACTS}


def _finished(spec: FactSpec, fact: Fact) -> Fact:
    return fact.named(spec.name, spec.unit, fact.sections or (LOG,))
