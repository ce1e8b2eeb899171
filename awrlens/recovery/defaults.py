"""Assumptions of a prediction without measurements: ranges with their sources.

Defaults come from other systems. An alert log of the same system is better than any of them.
"""

from __future__ import annotations

from typing import Final

from awrlens.records import NamedTuple
from awrlens.simulate.setup import (
    DETECTION_S,
    DETECTION_SOURCE,
    RECONFIGURATION_S,
    RECONFIGURATION_SOURCE,
)

_MB: Final = 2**20
_GB: Final = 2**30


class Range(NamedTuple):
    """A number with minimum and maximum, its meaning and its source."""

    value: float
    low: float
    high: float
    label: str
    source: str = ""

    def per(self, rate: Range, label: str) -> Range:
        """An amount divided by a rate: minimum by the fastest, maximum by the slowest rate."""
        source = "; ".join(dict.fromkeys(filter(None, (self.source, rate.source))))
        return Range(
            self.value / rate.value, self.low / rate.high, self.high / rate.low, label, source
        )

    def scaled(self, factor: float, label: str) -> Range:
        """All three numbers times a factor."""
        return self._replace(
            value=self.value * factor, low=self.low * factor, high=self.high * factor, label=label
        )


def total(label: str, *parts: Range) -> Range:
    """The sum of ranges."""
    return Range(
        sum(p.value for p in parts), sum(p.low for p in parts), sum(p.high for p in parts), label
    )


def between(label: str, source: str, *values: float) -> Range:
    """The mean of published values, with their minimum and maximum."""
    return Range(sum(values) / len(values), min(values), max(values), label, source)


#: First pass: it read at least the redo that the second pass had to apply, 11.5 GB in 130 s and
#: 1.5 GB in 20 s. # Buddy Instance, sections 6.2.2 and 6.2.3
SCAN_BYTES_PER_S: Final = between(
    "B/s scanned", "Buddy Instance, section 6.2: 11.5 GB in 130 s and 1.5 GB in 20 s (Exadata)",
    11.5 * _GB / 130, 1.5 * _GB / 20,
)  # fmt: skip
#: Second pass: 48 s without a buddy and 29 s with a buddy, minus the first pass.
APPLY_BYTES_PER_S: Final = between(
    "B/s applied",
    "Buddy Instance, section 6.2.3: 1.5 GB in 48 − 20 s and in 29 − 3 s (Exadata)",
    1.5 * _GB / (48 - 20), 1.5 * _GB / (29 - 3),
)  # fmt: skip
#: Start-up of the instance.
#: # Fast-Start Checkpointing Best Practices, "Example": INIT_TIME_AVG=50200342
STARTUP_S: Final = Range(
    50.200342, 50.200342 / 2, 50.200342 * 2, "s of start-up",
    "Fast-Start Checkpointing Best Practices, example of a large environment, "
    "INIT_TIME_AVG=50200342; half to double",
)  # fmt: skip
#: Opening of one data file.
#: # Fast-Start Checkpointing Best Practices, "Example": FOPEN_TIME_AVG=20120
FILE_OPEN_S: Final = Range(
    0.020120, 0.020120 / 2, 0.020120 * 2, "s per file",
    "Fast-Start Checkpointing Best Practices, example, FOPEN_TIME_AVG=20120; half to double",
)  # fmt: skip
#: Data files if the report does not have the number.
#: # Fast-Start Checkpointing Best Practices, "Example"
DATAFILES: Final = 500
#: First pass after a buddy's scan: 1 s and 3 s were measured; a buddy scans from 3 s.
BUDDY_SCAN_S: Final = Range(
    2.0, 1.0, 3.0, "s of first pass with a buddy",
    "Buddy Instance, sections 4 and 6.2: 1 s and 3 s were measured",
)  # fmt: skip
#: `_buddy_instance_scan_phase_threshold`: below this the buddy does not scan. # Buddy Instance, 4
BUDDY_THRESHOLD_S: Final = 3.0
#: Buffers of `_buddy_instance_num_read_buffers`, and how often they are read. # Buddy Instance, 4
BUDDY_BUFFER_BYTES: Final = 4 * _MB
BUDDY_INTERVAL_S: Final = 3.0
#: Detection of the failure: at most the misscount, if a node fails; if an instance fails and its
#: node runs, at once.
DETECTION: Final = Range(
    DETECTION_S, 0.0, DETECTION_S, "s of detection",
    f"{DETECTION_SOURCE}; 0 s if only the instance fails",
)  # fmt: skip
#: Reconfiguration of the cluster before the first pass.
RECONFIGURATION: Final = Range(
    RECONFIGURATION_S, 0.0, 3 * RECONFIGURATION_S, "s of reconfiguration", RECONFIGURATION_SOURCE
)
#: Seconds per year, for availability.
YEAR_S: Final = 365.25 * 86400
