"""The runs of a crash test: several recoveries as one verdict.

Source: Fast-Start Checkpointing Best Practices, "Determine the MTTR Achieved": three or four runs
with the same target and load, so that Oracle's estimates become accurate; the last one counts.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from awrlens.recovery.judge import FEW_SECONDS, judge, offsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model.recovery_document import RunsDocument
    from awrlens.policy import Policy
    from awrlens.recovery.episodes import Episodes, Recovery
    from awrlens.recovery.judge import Judged, Wanted

#: # Fast-Start Checkpointing Best Practices: "Rerun the test 3 or 4 times"
ENOUGH: Final = 3
#: Two runs differ by less than this share, or by a few seconds: Oracle's estimates have settled.
_SETTLED: Final = 0.1


def of(logs: Sequence[Episodes], wanted: Wanted, policy: Policy) -> RunsDocument | None:
    """The last runs of one kind and one target in logs, by time; None with fewer than two.

    In a cluster, every run may be in the log of another surviving instance.
    """
    pairs = []
    for found in logs:
        known = offsets(found)
        pairs += [(each, judge(each, found, wanted, known, policy)) for each in found.recoveries]
    if len(logs) > 1:
        pairs.sort(key=lambda pair: _began(pair[0]))
    some = [(each, verdict) for each, verdict in pairs if verdict.achieved_s is not None]
    if not some:
        return None
    last = some[-1][0]
    same = [(each, verdict) for each, verdict in some
            if (each.kind, each.target_s) == (last.kind, last.target_s)]  # fmt: skip
    seconds = [verdict.achieved_s or 0.0 for _, verdict in same]
    if len(seconds) < 2:  # noqa: PLR2004 - one run is no series
        return None
    verdict = same[-1][1]
    step = abs(seconds[-1] - seconds[-2])
    settled = step <= max(policy[FEW_SECONDS], _SETTLED * seconds[-2])
    enough = len(seconds) >= ENOUGH
    return {
        "runs": len(seconds), "seconds": seconds, "median_s": median(seconds),
        "least_s": min(seconds), "most_s": max(seconds), "desired_s": verdict.desired_s,
        "within": sum(each.verdict == "within" for _, each in same), "verdict": verdict.verdict,
        "enough": enough, "settled": settled,
        "text": _text(seconds, verdict, enough=enough, settled=settled),
    }  # fmt: skip


def _began(recovery: Recovery) -> str:
    at = recovery.begin.at
    return "" if at is None else at.isoformat()


def _text(seconds: list[float], verdict: Judged, *, enough: bool, settled: bool) -> str:
    listed = ", ".join(f"{each:.0f}" for each in seconds)
    text = f"{len(seconds)} runs: {listed} s. The last one decides: {verdict.why}."
    if not enough:
        return f"{text} Run the test {ENOUGH} or {ENOUGH + 1} times."
    if not settled:
        return f"{text} The last two differ: Oracle's estimates may not have settled, so run again."
    return text
