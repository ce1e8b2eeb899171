"""The cost of block checks: measurements of "Block Checking Overhead", and a model based on them.

The article ran one INSERT, UPDATE and DELETE after the other together with SELECTs, five times with
each setting. Its numbers give 18.3 % more time for DB_BLOCK_CHECKING=MEDIUM (54.41 over 46.01 s),
not the 18.8 % that it states; SELECTs took the same time in all runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Verbs of SQL that changes blocks.
CHANGING: Final = ("insert", "update", "delete")


class Run(NamedTuple):
    """Seconds of each verb with one pair of settings (averages of five runs)."""

    checksum: str
    checking: str
    select: float
    insert: float
    update: float
    delete: float

    @property
    def total(self) -> float:
        """Seconds of all SQL."""
        return self.select + self.insert + self.update + self.delete

    def over(self, other: Run) -> dict[str, float]:
        """The additional time of each changing verb relative to another run, as a ratio."""
        return {verb: getattr(self, verb) / getattr(other, verb) - 1 for verb in CHANGING}


#: Block Checking Overhead, table of results.
OFF: Final = Run("TYPICAL", "FALSE", 23.97, 14.36, 2.14, 5.54)
LOW: Final = Run("TYPICAL", "LOW", 23.81, 14.15, 2.08, 5.50)
MEDIUM: Final = Run("TYPICAL", "MEDIUM", 23.81, 19.61, 3.05, 7.94)
FULL_CHECKSUM: Final = Run("FULL", "MEDIUM", 23.91, 20.98, 3.09, 8.52)

#: Oracle Database Reference, for all applications, in percent. # Block Checking Overhead cites both
ORACLE_CHECKING_PCT: Final = (1.0, 10.0)
ORACLE_CHECKSUM_PCT: Final = {"TYPICAL": (1.0, 2.0), "FULL": (4.0, 5.0)}

#: Additional time by setting: MEDIUM over no checking, checksums FULL over TYPICAL at MEDIUM.
CHECKING_MEDIUM: Final = MEDIUM.over(OFF)
CHECKSUM_FULL: Final = FULL_CHECKSUM.over(MEDIUM)


class Cost(NamedTuple):
    """Additional DB time in percent: minimum, expected, maximum."""

    low_pct: float
    expected_pct: float
    high_pct: float


def cost(longer: Mapping[str, float], shares_pct: Mapping[str, float], cpu_pct: float) -> Cost:
    """The cost of a setting for a system with a mix of verbs (percent of the captured time).

    Checks are CPU work: they lengthen the CPU part of each verb's share. The minimum uses the
    increase of the least affected verb; the maximum assumes that all time of changing SQL is CPU.
    """
    cpu = min(cpu_pct, 100.0) / 100
    changing = sum(shares_pct[verb] for verb in CHANGING)
    expected = cpu * sum(shares_pct[verb] * longer[verb] for verb in CHANGING)
    return Cost(cpu * changing * min(longer.values()), expected, changing * max(longer.values()))
