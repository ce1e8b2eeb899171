"""PGA memory beyond its target: by PGA Aggr Target Stats at the end snapshot."""

from __future__ import annotations

import pytest
from figures import facts, section

HEADINGS = ("", "PGA Aggr Target(M)", "Auto PGA Target(M)", "PGA Mem Alloc(M)", "W/A PGA Used(M)",
            "%PGA W/A Mem", "%Auto W/A Mem", "%Man W/A Mem", "Global Mem Bound(K)")  # fmt: skip


@pytest.mark.parametrize(
    ("target", "held", "above"),
    [("3,072", "4,596.3", 1_524.3), ("3,072", "2,932.5", 0.0), ("0", "500.0", None)],
)
def test_it_is_what_sessions_hold_above_the_target(
    target: str, held: str, above: float | None
) -> None:
    rows = [f"{when} | {target} | 0 | {held} | 0.0 | .0 | .0 | .0 | 1,024" for when in ("B", "E")]
    found = facts(section("PGA Aggr Target Stats", HEADINGS, rows))["pga.above_target_mb"]

    assert above == (None if found.number is None else pytest.approx(found.number))
    assert above is None or found.evidence
