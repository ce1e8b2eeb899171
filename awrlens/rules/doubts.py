"""What is doubtful about a finding: every doubt lowers its confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.policy import Threshold
from awrlens.units import CENTISECONDS

if TYPE_CHECKING:
    from awrlens.rules.base import Facts

SHORT_INTERVAL_S: Final = Threshold(
    "confidence.short_interval_s", 300.0, "s",
    "length of an interval below which its numbers are less reliable",
    "awrlens; AWR's own default interval is 3600 s",
)  # fmt: skip
FEW_WAITS: Final = Threshold(
    "confidence.few_waits", 100.0, "count",
    "number of waits below which their average is less reliable",
    "awrlens",
)  # fmt: skip

CAPTURED_PCT: Final = Threshold(
    "confidence.captured_pct", 80.0, "%",
    "share of DB time covered by waits and CPU below which shares are doubtful",
    "awrlens; in the report since 11.2; the missing part is mostly waiting for CPU",
)  # fmt: skip
COARSE_CS: Final = Threshold(
    "confidence.coarse_cs", 100.0, "count",
    "sum of a counter in hundredths of a second below which it is too coarse for short operations",
    "awrlens: one second in total, with every operation rounded",
)  # fmt: skip

#: Thresholds that decide the confidence for all families.
THRESHOLDS: Final = (SHORT_INTERVAL_S, CAPTURED_PCT, FEW_WAITS, COARSE_CS)

NO_INTERVAL: Final = "the length of the interval is not known"


def of_sample(f: Facts, waits: float | None, names: tuple[str, ...]) -> list[str]:
    """A short interval, few waits, and counters that are too coarse behind some facts."""
    reasons = []
    elapsed = f.get("load.elapsed_s")
    if elapsed is None:
        reasons.append(NO_INTERVAL)
    elif elapsed < f.limit(SHORT_INTERVAL_S):
        reasons.append(f"the interval is only {elapsed:.0f} s long")
    if waits is not None and waits < f.limit(FEW_WAITS):
        reasons.append(f"only {waits:.0f} operations were counted")
    counters = {
        item.row: float(item.value)
        for name in names
        for item in f[name].evidence
        if item.row in CENTISECONDS and isinstance(item.value, int | float)
    }
    for row, value in counters.items():
        if 0 < value < f.limit(COARSE_CS):
            reasons.append(f"`{row}` counts only {value:.0f} hundredths of a second")
    return reasons


def of_average(f: Facts) -> list[str]:
    """What an average over the interval, or a share of its DB time, does not show."""
    reasons = []
    captured = f.get("load.captured_pct")
    if span := f.long_interval():
        reasons.append(f"an average over {span} hides the peaks")
    if f.scale.mistimed:
        reasons.append(f.scale.mistimed)
    if captured is not None and captured < f.limit(CAPTURED_PCT):
        reasons.append(f"waits and CPU account for only {captured:.0f} % of {f.scale.base}")
    return reasons
