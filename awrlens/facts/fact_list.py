"""The facts of a report, as a Python session and a notebook show them."""

from __future__ import annotations

from awrlens.facts.registry import Facts
from awrlens.model import facts_table


class ShownFacts(Facts):
    """Every fact of a report; shown, all are computed."""

    def __repr__(self) -> str:
        known = sum(fact.value is not None for fact in self.values())
        return f"Facts({len(self)} facts, {known} available)"

    def _repr_html_(self) -> str:
        """The available facts as a table of a notebook."""
        from awrlens.notebook import ROWS  # noqa: PLC0415 - in a notebook only

        known = [fact for fact in self.values() if fact.value is not None]
        return facts_table("Facts", known[:ROWS], len(known) - ROWS)
