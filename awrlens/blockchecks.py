"""What block checks cost: document 4's measurements, and the model that carries them over.

Document 4 ran one INSERT, UPDATE and DELETE after the other beside SELECTs, five times with each
setting. Its numbers give 18.3 % more time for DB_BLOCK_CHECKING=MEDIUM (54.41 over 46.01 s), not
the 18.8 % that it states; SELECTs cost the same in all runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Verbs whose statements change blocks.
CHANGING: Final = ("insert", "update", "delete")


class Run(NamedTuple):
    """Seconds that each verb took with one pair of settings (averages of five runs)."""

    checksum: str
    checking: str
    select: float
    insert: float
    update: float
    delete: float

    @property
    def total(self) -> float:
        """Seconds of all statements."""
        return self.select + self.insert + self.update + self.delete

    def over(self, other: Run) -> dict[str, float]:
        """How much longer each changing verb took than in another run, as a part of that."""
        return {verb: getattr(self, verb) / getattr(other, verb) - 1 for verb in CHANGING}


#: Document 4, table of results.
OFF: Final = Run("TYPICAL", "FALSE", 23.97, 14.36, 2.14, 5.54)
LOW: Final = Run("TYPICAL", "LOW", 23.81, 14.15, 2.08, 5.50)
MEDIUM: Final = Run("TYPICAL", "MEDIUM", 23.81, 19.61, 3.05, 7.94)
FULL_CHECKSUM: Final = Run("FULL", "MEDIUM", 23.91, 20.98, 3.09, 8.52)

#: What Oracle's Reference says of all applications, in per cent. # document 4 quotes both
ORACLE_CHECKING_PCT: Final = (1.0, 10.0)
ORACLE_CHECKSUM_PCT: Final = {"TYPICAL": (1.0, 2.0), "FULL": (4.0, 5.0)}

#: Longer by setting: MEDIUM over no checking, checksums FULL over TYPICAL at MEDIUM.
CHECKING_MEDIUM: Final = MEDIUM.over(OFF)
CHECKSUM_FULL: Final = FULL_CHECKSUM.over(MEDIUM)


class Cost(NamedTuple):
    """More DB time, in per cent: the least, what is expected, the most."""

    low_pct: float
    expected_pct: float
    high_pct: float


def cost(longer: Mapping[str, float], shares_pct: Mapping[str, float], cpu_pct: float) -> Cost:
    """What a setting costs a system with a mix of verbs (per cent of the captured time).

    Checks are CPU work: of each verb's share, the part that is CPU gets longer. At least by what
    the least affected verb showed, at most as if all of the changing statements' time were CPU.
    """
    cpu = min(cpu_pct, 100.0) / 100
    changing = sum(shares_pct[verb] for verb in CHANGING)
    expected = cpu * sum(shares_pct[verb] * longer[verb] for verb in CHANGING)
    return Cost(cpu * changing * min(longer.values()), expected, changing * max(longer.values()))
