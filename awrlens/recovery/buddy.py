"""RECO001: whether a buddy instance would shorten the brown-out. Source: document 2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens.model import Impact, Recommendation, Verdict
from awrlens.recovery import defaults
from awrlens.recovery.applicable import has_buddy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.recovery.defaults import Range

RECO001: Final = ("RECO001", "buddy-instance")
_HIDDEN: Final = (
    "The parameters (_buddy_instance_scan_phase_threshold, _buddy_instance_num_read_buffers) are "
    "hidden: change them only where Oracle Support asks for it."
)
_LOOK: Final = (
    "SELECT i.ksppinm, v.ksppstvl FROM x$ksppi i JOIN x$ksppcv v ON v.indx = i.indx "
    "WHERE i.ksppinm LIKE '\\_buddy\\_instance%' ESCAPE '\\'; -- as SYS, changes nothing"
)


class Advice(NamedTuple):
    """The recommendation, and the first pass that it rests on; None where there is no buddy."""

    item: Recommendation
    answer: str
    first_pass: Range | None
    #: Buffers of 4 MB that would keep pace with the redo; None is not known.
    read_buffers: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "rule": RECO001[0], "answer": self.answer, "read_buffers": self.read_buffers,
            "hidden_parameters": True,
        }  # fmt: skip


def advise(facts: Mapping[str, Fact], first_pass: Range | None, *, rac: bool) -> Advice:
    """A buddy instance would shorten the brown-out after a failure.

    What it means:
        Whether the first pass of instance recovery, during which surviving instances are frozen,
        would be much shorter if a buddy instance had scanned the redo before the failure: worth
        it, not worth it, or not applicable.

    Why it matters:
        Until the first pass has found the blocks to recover, no session of any instance gets a
        block: the whole database is frozen, though only one instance has failed.

    How it is computed:
        First pass without a buddy: redo between checkpoint and end of the log (ACTUAL_REDO_BLKS ×
        512 bytes, up to TARGET_REDO_BLKS) by the rate of the first pass, measured in an alert log
        or the 77 to 91 MB/s of the paper. With a buddy: 1 to 3 s, what the paper measured; below
        3 s (`_buddy_instance_scan_phase_threshold`) the buddy does not scan at all. It reads the
        redo at the rate at which it is generated, or `_buddy_instance_num_read_buffers` buffers
        of 4 MB about every 3 s.

    Example:
        11.5 GB to apply: 130 s of first pass without, 1 s with a buddy. 1.5 GB: 20 s and 3 s,
        and 48 s and 29 s for the whole recovery.

    Threshold:
        3 s, the default of `_buddy_instance_scan_phase_threshold`: worth it where the whole range
        of the first pass is above, not worth it where it is below.

    What to do:
        Nothing needs to be switched on by parameters that Oracle supports: the mechanism is
        there since 12.2 in RAC, and its parameters are hidden. Ask Oracle Support whether it is
        active in your release, and keep FAST_START_MTTR_TARGET beside it, as the paper advises.
        A lower target shortens the first pass as well, at the price of writes.

    How to verify:
        `awrlens recovery measure` on the alert log of the recovering instance: the time between
        `Started redo scan` and `Completed redo scan`.

    When it is wrong:
        When several instances fail at once (a buddy serves one); when the redo at the end
        snapshot is not that of the peak; when storage reads redo faster or slower than an
        Exadata of 2012; the first pass may overlap the reconfiguration of the cluster.

    Sources:
        document 2, sections 3.2, 4, 6.1 and 6.2.
    """
    capable, why = has_buddy(facts, rac=rac)
    if not capable:
        item = _item("A buddy instance is not applicable", why, "no-benefit")
        return Advice(item, "not applicable", None)
    if first_pass is None:
        text = "The report has no Instance Recovery Stats, so the first pass is not known."
        item = _item("Buddy instance: not decided", text, "need-data")
        return Advice(item, "not known", None)
    rate = facts["redo.bytes_per_s"].number
    buffers = None
    if rate is not None:
        in_interval = rate * defaults.BUDDY_INTERVAL_S
        buffers = max(1, math.ceil(in_interval / defaults.BUDDY_BUFFER_BYTES))
    range_ = f"{first_pass.low:.0f} to {first_pass.high:.0f} s"
    limit = defaults.BUDDY_THRESHOLD_S
    if first_pass.high <= limit:
        text = (
            f"The first pass would take {range_}: below {limit:g} s a buddy does not scan, and "
            "there is nothing to save."
        )
        item = _item("A buddy instance is not worth it", text, "no-benefit")
        return Advice(item, "not worth it", first_pass, buffers)
    scanned = _scanned(first_pass)
    saved = first_pass.value - scanned.value
    text = (
        f"The first pass, during which the surviving instances are frozen, would take about "
        f"{first_pass.value:.0f} s ({range_}) without and {scanned.low:.0f} to "
        f"{scanned.high:.0f} s with a buddy, which reads the redo "
        f"beforehand{_pace(rate, buffers)}. {_HIDDEN}"
    )
    if first_pass.low <= limit:
        title = "A buddy instance may be worth it: measure the first pass"
        return Advice(_item(title, text, "need-data"), "may be worth it", scanned, buffers)
    item = _item("A buddy instance is worth it", text, "tune-first")._replace(
        commands=(_LOOK,),
        benefit=Impact(saved, None, "seconds of brown-out for each failure"),
        prerequisites=("12.2 or later, RAC, and an answer of Oracle Support on the parameters",),
        risks=("The redo is read once more, all the time; the paper on it lost less than 2 %.",),
    )  # fmt: skip
    return Advice(item, "worth it", scanned, buffers)


def _scanned(first_pass: Range) -> Range:
    """The first pass with a buddy, which is never longer than without."""
    base = defaults.BUDDY_SCAN_S
    return base._replace(
        value=min(base.value, first_pass.value), low=min(base.low, first_pass.low),
        high=min(base.high, first_pass.high),
    )  # fmt: skip


def _pace(rate: float | None, buffers: int | None) -> str:
    if rate is None or buffers is None:
        return ""
    return (
        f" ({rate / 2**20:,.1f} MB/s; {buffers} buffers of 4 MB every {defaults.BUDDY_INTERVAL_S:g}"
        " s would keep pace)"
    )


def _item(title: str, text: str, status: Verdict) -> Recommendation:
    return Recommendation(
        id=RECO001[1], title=title, action=text, status=status,
        validate=("`awrlens rule RECO001` has the model, its source and its limits.",),
    )  # fmt: skip
