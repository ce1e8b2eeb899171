"""Oracle's PGA advisory as a curve (the MTTR advisory is in facts).

Read only for what-if questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.model.target_curves import Curves, PgaPoint

if TYPE_CHECKING:
    from awrlens.facts.numbers import Figures


def read(f: Figures) -> Curves:
    """The advisories of a report; rows that lack a figure are left out."""
    return Curves(_pga(f))


def _pga(f: Figures) -> tuple[PgaPoint, ...]:
    table = f.tables.get("pga_advisory")
    found = []
    for row in table.rows if table else ():
        target, extra = row.number("target_mb"), row.number("extra_mb")
        if target is not None and extra is not None:
            over = row.number("overallocations")
            found.append(PgaPoint(target, extra, over, row.number("size_factor") == 1))
    return tuple(sorted(found))
