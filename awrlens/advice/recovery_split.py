"""Oracle's estimate of the recovery time, split: start-up with opening, redo read, data blocks.

`analyze`, `mttr`, `recovery predict` and `recovery plan` share this split (docs/recovery.md, "One
estimate, split once"). Source: Fast-Start Checkpointing Best Practices, "Overview of MTTR and Crash
Recovery Components".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.oracle.checkpoints import CONTRADICT, LEAST_START_S, MB, REDO_BLOCK_B
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact


#: Where start-up and opening come from. Not included: the MTTR Advisory leaves them out; not known:
#: they are part of the estimate, which does not show how long they take.
FixedBy = Literal[
    "given", "alert log", "MTTR Advisory", "estimated", "assumed", "not included", "not known"
]
#: Recovery of a dirty block: the median, minimum and maximum of the MTTR advisories of six
#: databases (docs/simulation.md).
BLOCK_S: Final = 0.0022
_LEAST_BLOCK_S: Final = 0.0002
MOST_BLOCK_S: Final = 0.0027
#: Start-up, opening of one file, and the number of files if the report does not have it.
#: # Fast-Start Checkpointing Best Practices, the example of its RAC section
STARTUP_S: Final = 50.200342
FILE_OPEN_S: Final = 0.020120
DATAFILES: Final = 500
#: The rows of the MTTR Advisory are whole seconds.
_ROUNDED_S: Final = 1.0


class Rates(NamedTuple):
    """Rates of recovery and DBWR, and the estimated time of recovery.

    ``fixed_s`` is start-up of an instance and opening of the files. ``overhead_s`` is the time of
    instance recovery in addition to its passes. Oracle's own estimate may assume other rates.
    """

    scan_bytes_per_s: float
    apply_bytes_per_s: float
    fixed_s: float
    overhead_s: float = 0.0
    block_s: float = 0.0
    estimate_bytes_per_s: float | None = None
    estimate_block_s: float | None = None
    #: Blocks per second that DBWR can write; None: not limited.
    writes_per_s: float | None = None
    #: Oracle's own lowest target, if a report has it.
    lowest_s: float | None = None

    def estimate_s(self, redo_bytes: float, blocks: float) -> float:
        """Estimated cache recovery (Fast-Start Checkpointing Best Practices): redo and blocks."""
        speed = self.estimate_bytes_per_s
        per_block_s = self.block_s if self.estimate_block_s is None else self.estimate_block_s
        read_s = self.first_pass_s(redo_bytes) + redo_bytes / self.apply_bytes_per_s
        return (read_s if speed is None else redo_bytes / speed) + blocks * per_block_s

    def first_pass_s(self, redo_bytes: float) -> float:
        """Time to scan redo."""
        return redo_bytes / self.scan_bytes_per_s

    def second_pass_s(self, redo_bytes: float, blocks: int) -> float:
        """Time to apply redo to the blocks of a recovery set."""
        return redo_bytes / self.apply_bytes_per_s + blocks * self.block_s


# Buddy Instance, section 6.2: the first pass took 130 s for 11.5 GB and 20 s for 1.5 GB on the same
# machine, 90.6 and 76.8 MB/s. The rate used for both is their geometric mean, so that the error is
# about the same: 8.6 % too slow and 7.9 % too fast. A constant of 3.5 s and 93 MB/s would fit both,
# but then no first pass could take 1 s.
_SCAN: Final = 83.4 * MB
# Buddy Instance, section 6.2.3: the second pass took 48 - 20 = 28 s without a buddy and 29 - 3 = 26
# s with one, for "a similar amount of redo"; 1.5 GB in 27 s.
_APPLY: Final = 1536 / 27 * MB
#: The system of Buddy Instance, where a report has no rates of its own.
USUAL_RATES: Final = Rates(scan_bytes_per_s=_SCAN, apply_bytes_per_s=_APPLY, fixed_s=60)


class Split(NamedTuple):
    """The parts of a recovery after a crash at the end snapshot, in seconds.

    ``estimate_s``: the estimate that is split; None if Oracle has none. ``fixed_s``: start-up and
    opening of the files; None is not known, ``by`` says why. They take at most ``fixed_high_s``,
    never more than the lowest estimate in the report; None if no estimate includes them.
    """

    estimate_s: float | None
    fixed_s: float | None
    fixed_low_s: float
    fixed_high_s: float | None
    by: FixedBy
    read_s: float
    blocks_s: float
    #: Of the redo: Oracle's own estimate of the first pass in RAC, or the rate of the caller.
    scan_bytes_per_s: float
    #: Estimates of both snapshots that contradict each other: the larger one is split.
    contradiction: str = ""

    @property
    def cache_s(self) -> float:
        """Both parts of cache recovery; with start-up and opening if these are not known apart."""
        return self.read_s + self.blocks_s

    @property
    def included_s(self) -> float:
        """What of the estimate is start-up and opening: no more than the lowest estimate."""
        return 0.0 if self.estimate_s is None else max(0.0, self.estimate_s - self.cache_s)

    @property
    def start_known(self) -> bool:
        """Whether start-up and opening are known from the report, or from elsewhere."""
        return self.fixed_s is not None and self.by != "assumed"

    @property
    def words(self) -> str:
        """The split in a sentence; empty without an estimate."""
        if self.estimate_s is None:
            return ""
        if self.by == "not known":
            return (
                f"Oracle's estimate of {self.estimate_s:.0f} s is {_s(self.read_s)} to read redo; "
                f"the rest is for data blocks and, at most {_s(self.fixed_high_s or 0.0)} of it, "
                "for start-up and opening of the files."
            )
        parts = [f"{_s(self.read_s)} to read redo", f"{_s(self.blocks_s)} for data blocks"]
        if self.included_s:
            parts.insert(0, f"{_s(self.included_s)} for start-up and opening of the files")
        text = f"Oracle's estimate of {self.estimate_s:.0f} s is split into {', '.join(parts)}"
        return f"{text}{self.start_words}."

    @property
    def start_words(self) -> str:
        """What is not known of start-up and opening, as the end of a sentence."""
        if self.by == "not known":
            return (
                "; start-up and opening of the files are part of the estimate, at most "
                f"{_s(self.fixed_high_s or 0.0)}"
            )
        return "; Oracle's estimate does not include start-up and opening of the files" * (
            self.by == "not included"
        )


def known_s(seconds: float) -> float:
    """An estimated time with the digits that are known: two, or whole seconds below 1,000."""
    two = 1 - math.floor(math.log10(seconds)) if seconds > 0 else 0
    return round(seconds, two if seconds >= 1000 else max(two, 0))  # noqa: PLR2004


def _s(seconds: float) -> str:
    return f"{plain(known_s(seconds))} s"


def split_of(
    facts: Mapping[str, Fact], start_s: float | None = None, by: FixedBy = "alert log",
    scan_bytes_per_s: float | None = None,
) -> Split:  # fmt: skip
    """The split of the estimate in a report; ``start_s`` is known from elsewhere, ``by`` where.

    In RAC, the surviving instances are frozen until the first pass has read the redo: "Estd RAC
    Avail Time" of the report is Oracle's own estimate of that (V$INSTANCE_RECOVERY), which counts
    unless the rate of the first pass is measured, ``scan_bytes_per_s``.
    """
    end, low_s, high_s, advised_s, slope_ms, dirty, redo_blocks, available_s = (
        facts[name].number if (name := f"checkpoint.{key}") in facts else None
        for key in ("estimated_mttr_s", "estimated_mttr_low_s", "estimated_mttr_high_s",
                    "fixed_mttr_s", "mttr_per_block_ms", "estimated_ios", "actual_redo_blocks",
                    "rac_available_s")
    )  # fmt: skip
    contradiction = ""
    if end is None and high_s and facts["checkpoint.estimated_mttr_s"].note.startswith(CONTRADICT):
        end, contradiction = high_s, facts["checkpoint.estimated_mttr_s"].note
    redo_bytes = (redo_blocks or 0.0) * REDO_BLOCK_B
    own = redo_bytes / available_s if available_s else None
    scan_bytes_per_s = scan_bytes_per_s or own or USUAL_RATES.scan_bytes_per_s
    read_s = redo_bytes / scan_bytes_per_s
    if not end:
        apply_s = redo_bytes / USUAL_RATES.apply_bytes_per_s
        blocks_s = max((dirty or 0.0) * BLOCK_S - read_s, apply_s)
        if start_s is not None:
            return Split(None, start_s, start_s, start_s, by, read_s, blocks_s, scan_bytes_per_s)
        files = facts["checkpoint.datafiles"].number if "checkpoint.datafiles" in facts else None
        fixed_s = STARTUP_S + FILE_OPEN_S * (files or DATAFILES)
        return Split(None, fixed_s, fixed_s / 2, 2 * fixed_s, "assumed", read_s, blocks_s,
                     scan_bytes_per_s)  # fmt: skip
    lowest = end if low_s is None else min(end, low_s)
    fixed: tuple[float | None, float, float | None]
    if start_s is not None:
        fixed = start_s, start_s, start_s
    elif advised_s is not None:
        by = "MTTR Advisory"
        advised_s = min(advised_s, lowest)
        fixed = advised_s, max(0.0, advised_s - _ROUNDED_S), min(advised_s + _ROUNDED_S, lowest)
    elif slope_ms is not None or lowest < LEAST_START_S:
        by, fixed = "not included", (None, 0.0, None)
    else:
        usual, least, most = (
            min(lowest, max(0.0, end - min(read_s, end) - (dirty or 0.0) * block_s))
            for block_s in (BLOCK_S, MOST_BLOCK_S, _LEAST_BLOCK_S)
        )
        is_estimated = dirty and usual >= LEAST_START_S and not contradiction
        by = "estimated" if is_estimated else "not known"
        fixed = (usual, least, most) if by == "estimated" else (None, 0.0, most)
    # an estimate below the time of start-up that is known does not include it
    included_s = fixed[0] if fixed[0] is not None and fixed[0] <= lowest else 0.0
    cache_s = end - included_s
    read_s = min(read_s, cache_s)
    return Split(end, fixed[0], fixed[1], fixed[2], by, read_s, cache_s - read_s, scan_bytes_per_s,
                 contradiction)  # fmt: skip
