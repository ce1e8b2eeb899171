"""Loads of the cited papers, with the rates that reproduce their results.

Assumptions are stated if a paper does not have a value. ``docs/simulation.md`` shows the fit.
"""

from __future__ import annotations

from typing import Final

from awrlens.policy import cite
from awrlens.records import NamedTuple
from awrlens.simulate.load import Kind, Load, Rates, zipf

_MB: Final = 2**20
_GB: Final = 2**30

# Buddy Instance, section 6.2: the first pass took 130 s for 11.5 GB and 20 s for 1.5 GB on the same
# machine, 90.6 and 76.8 MB/s. The rate used for both is their geometric mean, so that the error is
# about the same: 8.6 % too slow and 7.9 % too fast. A constant of 3.5 s and 93 MB/s would fit both,
# but then no first pass could take 1 s.
_SCAN: Final = 83.4 * _MB
# Buddy Instance, section 6.2.3: the second pass took 48 - 20 = 28 s without a buddy and 29 - 3 = 26
# s with one, for "a similar amount of redo"; 1.5 GB in 27 s.
_APPLY: Final = 1536 / 27 * _MB
#: Table 1 has no redo rate; only the seconds of redo per redo log and per recovery matter.
_TABLE_1_REDO: Final = float(_MB)


class Preset(NamedTuple):
    """A load, the rates of its system, its recovery target and its duration."""

    title: str
    source: str
    load: Load
    rates: Rates
    mttr_s: float
    minutes: float
    note: str = ""
    #: Size of the database, if the source has it.
    database_bytes: float | None = None


TPCC: Final = Preset(
    "TPC-C load",
    cite("Buddy Instance, section 6.2.2"),
    Load(
        # 11.5 GB in 27 minutes, as if no checkpoint had advanced in that time: the redo logs are
        # assumed to be that large, because the paper has neither
        redo_bytes_per_s=11.5 * _GB / (27 * 60),
        kinds=(Kind(500, 1.0), Kind(20_000, 0.02), Kind(400_000, 0.001)),
        new_blocks_per_s=150,
        cache_blocks=64 * _GB // 8192,
        log_bytes=4 * _GB,
        log_groups=4,
    ),
    Rates(scan_bytes_per_s=_SCAN, apply_bytes_per_s=_APPLY, fixed_s=60),
    mttr_s=0,
    minutes=27,
    note="The paper ran it for 27 minutes without FAST_START_MTTR_TARGET, and has the amount of "
    "redo and the time. The number of changed blocks, the redo "
    "logs and the buffer cache are assumed. Both passes are calculated only from redo.",
)  # fmt: skip

CUSTOMER: Final = Preset(
    "Commercial load",
    cite("Buddy Instance, section 6.2.3"),
    Load(
        redo_bytes_per_s=20 * _MB,
        kinds=(Kind(1_000, 1.0), Kind(20_000, 0.05), Kind(200_000, 0.002)),
        new_blocks_per_s=400,
        cache_blocks=32 * _GB // 8192,
        log_bytes=4 * _GB,
        log_groups=4,
    ),
    # the target of 100 s minus the resulting 48 s of cache recovery is 52 s
    Rates(scan_bytes_per_s=_SCAN, apply_bytes_per_s=_APPLY, fixed_s=52),
    mttr_s=100,
    minutes=10,
    note="The paper set FAST_START_MTTR_TARGET=100. Start-up and opening of the files are this "
    "target minus the measured recovery. The redo rate and the blocks are assumed.",
    database_bytes=200 * _GB,
)  # fmt: skip

#: Seven numbers, fitted to recovery time, estimate and writes of the rows off, 900, 240, 120 and
#: 30 of table 1; the rows 300, 180 and 90 were not used (docs/simulation.md).
OLTP: Final = Preset(
    "High-volume OLTP load",
    cite("Fast-Start Checkpointing Best Practices, table 1"),
    Load(
        redo_bytes_per_s=_TABLE_1_REDO,
        kinds=zipf(1_024_200, 0.9707, 1588.7),
        cache_blocks=500_000,
        log_bytes=_TABLE_1_REDO * 100 / 0.9,
        log_groups=7,
        tick_s=0.25,
    ),
    Rates(
        # both passes take 0.8667 s per second of redo; table 1 has only the sum, so the shares are
        # those of Buddy Instance, section 6.2.3
        scan_bytes_per_s=_TABLE_1_REDO / (0.8667 * 20 / 48),
        apply_bytes_per_s=_TABLE_1_REDO / (0.8667 * 28 / 48),
        fixed_s=66.2,
        overhead_s=58.5,
        estimate_bytes_per_s=_TABLE_1_REDO / 0.1346,
        estimate_block_s=0.004684,
    ),
    mttr_s=120,
    minutes=10,
    note="Seven numbers are fitted to five of the eight rows of the table. 58.5 s of a recovery is "
    "constant. It is not counted as brown-out, because the table does not show when it occurs. "
    "The release in the table had no buddies: compare the column without buddies with the table.",
)  # fmt: skip

PRESETS: Final = {"tpcc": TPCC, "customer": CUSTOMER, "oltp": OLTP}
