"""A SQL Server log as an input of the commands that read reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.errors import UsageError
from awrlens.sqlserver import RULES, analysis, events, log
from awrlens.sqlserver.events import Log
from awrlens.sqlserver.facts import facts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.mttr import Request
    from awrlens.model import Analysis, Fact
    from awrlens.policy import Policy
    from awrlens.redact.names import Names
    from awrlens.source.open import Source


class LogInput(Log):
    """A log that answers as ``awrlens.extensions.OtherInput`` says."""

    @property
    def rules(self) -> frozenset[str]:
        """The rules for SQL Server."""
        return frozenset(RULES)

    def facts(self, part: str | None = None) -> Mapping[str, Fact]:
        """Its facts or those of a database, by ID; UsageError if it is not in the log."""
        if part is not None and part not in self.databases:
            raise UsageError(
                f"The log has no database {part}.",
                hint=f"Databases in the log: {', '.join(self.databases) or 'none'}.",
            )
        return facts_of(self, part)

    def analyze(self, policy: Policy, request: Request | None) -> Analysis:  # noqa: ARG002 - Oracle's
        """Facts, findings and advice."""
        return analysis.analyze(self, policy)

    def without_names(self, names: Names) -> LogInput:
        """The log with pseudonyms."""
        return LogInput._make(events.without_names(self, names))


def log_of(source: Source) -> LogInput | None:
    """The log in a text, recognized by its contents and not by its name; None if it is not one."""
    found = log.log_of(source)
    return None if found is None else LogInput._make(found)
