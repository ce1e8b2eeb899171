"""RECO001: whether a buddy instance would shorten the brown-out, and ranges of other systems."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from awrlens.advice.recovery_split import USUAL_RATES, known_s
from awrlens.lab import simulation_setup as setup
from awrlens.lazy import NamedTuple
from awrlens.model import Impact, Recommendation, Verdict
from awrlens.rules.base import rule
from awrlens.units import show

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.lab.documents import BuddyDocument
    from awrlens.model import Fact


_GB: Final = 2**30


class Range(NamedTuple):
    """A number with minimum and maximum, and its source."""

    value: float
    low: float
    high: float
    source: str = ""

    def per(self, rate: Range) -> Range:
        """An amount divided by a rate: minimum by the fastest, maximum by the slowest rate."""
        source = "; ".join(dict.fromkeys(filter(None, (self.source, rate.source))))
        return Range(self.value / rate.value, self.low / rate.high, self.high / rate.low, source)

    def scaled(self, factor: float, source: str = "") -> Range:
        """All three numbers times a factor."""
        return Range(self.value * factor, self.low * factor, self.high * factor, source)


def total(*parts: Range) -> Range:
    """The sum of ranges."""
    return Range(sum(p.value for p in parts), sum(p.low for p in parts), sum(p.high for p in parts))


#: Times below 10 us and 10 s of a year are never known.
_MOST_DIGITS: Final = 5
_MOST_PCT: Final = 99.99999


def as_known(
    value: float, low: float, high: float, *, percent: bool = False
) -> tuple[float, float, float]:
    """A number and its range with the digits that are known; the number is in its range.

    The maximum has two digits of the width, the minimum one more from 1 s on. Percent have one
    digit of the width, or of what they lack of 100: they reach that only if nothing is lacking.
    """
    if high <= low and not percent:
        return known_s(value), low, high
    place = -math.floor(math.log10(high - low)) if high > low else 0
    if percent:
        return _of_100(value, place), _of_100(low, place), _of_100(high, place)
    digits = min(1 + place, _MOST_DIGITS)
    value = known_s(value)
    low = round(known_s(low), digits + (low >= 1))
    return value, min(low, value), max(round(known_s(high), digits), value)


def _of_100(percent: float, place: int) -> float:
    lacking = 100 - percent
    if lacking <= 0:
        return percent
    place = min(max(place, -math.floor(math.log10(lacking))), _MOST_DIGITS)
    return min(round(percent, place), _MOST_PCT)


def between(source: str, *values: float) -> Range:
    """The mean of published values, with their minimum and maximum."""
    return Range(sum(values) / len(values), min(values), max(values), source)


#: First pass: it read at least the redo that the second pass had to apply, 11.5 GB in 130 s and
#: 1.5 GB in 20 s. # Buddy Instance, sections 6.2.2 and 6.2.3
SCAN_BYTES_PER_S: Final = between(
    "Buddy Instance, section 6.2: 11.5 GB in 130 s and 1.5 GB in 20 s (Exadata)",
    11.5 * _GB / 130, 1.5 * _GB / 20,
)._replace(value=USUAL_RATES.scan_bytes_per_s)  # fmt: skip
#: Second pass: 48 s without a buddy and 29 s with a buddy, minus the first pass.
APPLY_BYTES_PER_S: Final = between(
    "Buddy Instance, section 6.2.3: 1.5 GB in 48 − 20 s and in 29 − 3 s (Exadata)",
    1.5 * _GB / (48 - 20), 1.5 * _GB / (29 - 3),
)  # fmt: skip
#: First pass after a buddy's scan; a buddy scans from 3 s.
BUDDY_SCAN_S: Final = Range(
    2.0, 1.0, 3.0, "Buddy Instance, sections 4 and 6.2: 1 s and 3 s were measured"
)
#: Detection of the failure: at most the misscount, if a node fails; if an instance fails and its
#: node runs, at once.
DETECTION: Final = Range(
    setup.DETECTION_S,
    0.0,
    setup.DETECTION_S,
    f"{setup.DETECTION_SOURCE}; 0 s if only the instance fails",
)
RECONFIGURATION: Final = Range(
    setup.RECONFIGURATION_S, 0.0, 3 * setup.RECONFIGURATION_S, setup.RECONFIGURATION_SOURCE
)
YEAR_S: Final = 365.25 * 86400


#: The release that introduced the buddy instance. # Buddy Instance, abstract
BUDDY_SINCE: Final = (12, 2)


def _why_none(facts: Mapping[str, Fact], *, rac: bool) -> str:
    """Why there can be no buddy instance; empty if there can."""
    if not rac:
        return "A buddy instance requires RAC; this is a single instance."
    printed = str(facts["database.release"].value or "")
    match = re.match(r"(\d+)\.(\d+)", printed)
    if match is None:
        return "The release is not in the report; buddy instances require 12.2."
    is_old = (int(match[1]), int(match[2])) < BUDDY_SINCE
    return f"Buddy instances require 12.2; this release is {printed}." if is_old else ""


_HIDDEN: Final = (
    "The parameters (_buddy_instance_scan_phase_threshold, _buddy_instance_num_read_buffers) are "
    "hidden: change them only if Oracle Support requests it."
)
_LOOK: Final = (
    "SELECT i.ksppinm, v.ksppstvl FROM x$ksppi i JOIN x$ksppcv v ON v.indx = i.indx "
    "WHERE i.ksppinm LIKE '\\_buddy\\_instance%' ESCAPE '\\'; -- as SYS, changes nothing"
)


class Advice(NamedTuple):
    """The recommendation and the first pass behind it; None if there is no buddy."""

    item: Recommendation
    answer: str
    first_pass: Range | None
    #: Buffers of 4 MB needed to keep up with the redo; None is not known.
    read_buffers: int | None = None

    def to_dict(self) -> BuddyDocument:
        """Plain data."""
        return {
            "rule": RECO001.id, "answer": self.answer, "read_buffers": self.read_buffers,
            "hidden_parameters": True,
        }  # fmt: skip


def advise(facts: Mapping[str, Fact], first_pass: Range | None, *, rac: bool) -> Advice:
    """A buddy instance would shorten the brown-out after a failure."""
    if why := _why_none(facts, rac=rac):
        item = _item("A buddy instance is not applicable", why, "no-benefit")
        return Advice(item, "not applicable", None)
    if first_pass is None:
        text = "Instance Recovery Stats is not in the report, so the first pass is not known."
        item = _item("Buddy instance: insufficient data", text, "need-data")
        return Advice(item, "not known", None)
    rate, buffers, pace = facts["redo.bytes_per_s"].number, None, ""
    if rate is not None:
        buffers = max(1, math.ceil(rate * setup.INTERVAL_S / setup.BUFFER_BYTES))
        pace = (
            f" ({rate / 2**20:,.1f} MB/s; {buffers} buffers of 4 MB every {setup.INTERVAL_S:g} s "
            "are enough)"
        )
    about_s, low_s, high_s = as_known(*first_pass[:3])
    range_ = f"{show(low_s)} to {show(high_s)} s"
    limit = setup.THRESHOLD_S
    if first_pass.high <= limit:
        text = (
            f"The first pass would take {range_}. Below {limit:g} s a buddy does not scan, so it "
            "would save nothing."
        )
        item = _item("A buddy instance is not worth it", text, "no-benefit")
        return Advice(item, "not worth it", first_pass, buffers)
    # never longer than without one
    scanned = BUDDY_SCAN_S._replace(
        value=min(BUDDY_SCAN_S.value, first_pass.value), low=min(BUDDY_SCAN_S.low, first_pass.low),
        high=min(BUDDY_SCAN_S.high, first_pass.high),
    )  # fmt: skip
    saved = first_pass.value - scanned.value
    text = (
        "The surviving instances are frozen during the first pass. It would take about "
        f"{show(about_s)} s ({range_}) without a buddy and {show(scanned.low)} to "
        f"{show(scanned.high)} s with a buddy, which reads the redo "
        f"beforehand{pace}. {_HIDDEN}"
    )
    if first_pass.low <= limit:
        title = "A buddy instance may be worth it: measure the first pass"
        return Advice(_item(title, text, "need-data"), "may be worth it", scanned, buffers)
    item = _item("A buddy instance is worth it", text, "tune-first")._replace(
        commands=(_LOOK,),
        benefit=Impact(saved, None, "seconds of brown-out per failure"),
        prerequisites=("RAC, 12.2 or later, and advice from Oracle Support on the parameters",),
        risks=("The buddy reads all redo a second time; the paper measured a cost below 2 %.",),
    )
    return Advice(item, "worth it", scanned, buffers)


RECO001: Final = rule(
    "RECO001", "buddy-instance", status="preview", engine="oracle-alert-log", of_report=False
)(advise)


def _item(title: str, text: str, status: Verdict) -> Recommendation:
    return Recommendation(
        id=RECO001.name, title=title, action=text, status=status,
        validate=("`awrlens rule RECO001` shows the model, its source and its limits.",),
    )  # fmt: skip
