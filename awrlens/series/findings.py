"""Findings of both sides: new, worse, remained, improved, gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.model import SEVERITIES, with_parts
from awrlens.model.comparison import Missing, Turn
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.series.amounts import divisors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.model import Finding
    from awrlens.model.comparison import Per, Reading

COST_RATIO: Final = Threshold(
    "compare.cost_ratio", 2.0, "ratio",
    "factor of the wait time of a finding of unchanged severity above which it is worse or "
    "improved",
    "awrlens: half or twice as long",
)  # fmt: skip

Movement = Literal["new", "worse", "remained", "improved", "gone"]


class _Cost(NamedTuple):
    """A finding, and its wait time per unit of the basis."""

    finding: Finding
    ms: float | None


def turns(
    before: Sequence[Reading], after: Sequence[Reading], per: Per, policy: Policy
) -> tuple[tuple[Turn, ...], tuple[Missing, ...]]:
    """Findings by what became of them; rules that one side skipped are listed apart."""
    first, second = (_usual(side, per, policy) for side in (before, after))
    found, undecided = [], []
    for rule in dict.fromkeys([*first, *second]):
        was, now = first.get(rule), second.get(rule)
        where = before if was is None else after
        if (was is None or now is None) and all(rule in reading.skipped for reading in where):
            note = "the rule was skipped"
            undecided.append(Missing(rule, "before" if was is None else "after", note))
            continue
        found.append(
            Turn(
                rule,
                (now or was).finding.title,  # type: ignore[union-attr]
                was and was.finding.severity,
                now and now.finding.severity,
                _movement(was, now, policy),
                was and was.ms,
                now and now.ms,
            )
        )
    return tuple(found), tuple(undecided)


def _movement(was: _Cost | None, now: _Cost | None, policy: Policy) -> Movement:
    """What became of a finding: by its severity, or if that is unchanged, by its wait time."""
    if was is None:
        return "new"
    if now is None:
        return "gone"
    first, second = (SEVERITIES.index(each.finding.severity) for each in (was, now))
    if first != second:
        return "worse" if second > first else "improved"
    if not (was.ms and now.ms) or not first:
        return "remained"
    if now.ms >= was.ms * policy[COST_RATIO]:
        return "worse"
    return "improved" if was.ms >= now.ms * policy[COST_RATIO] else "remained"


def _usual(side: Sequence[Reading], per: Per, policy: Policy) -> dict[str, _Cost]:
    """Findings of most reports of a side, including those that contribute to another finding.

    For several reports, the finding of median severity.
    """
    found: dict[str, list[_Cost]] = {}
    for reading in side:
        divisor = divisors(reading, policy).get(per)
        for finding in with_parts(reading.findings):
            seconds = finding.impact.seconds
            ms = None if seconds is None or divisor is None else seconds * 1000 / divisor.number
            found.setdefault(finding.id, []).append(_Cost(finding, ms))
    usual = {}
    for rule, costs in found.items():
        if len(costs) * 2 > len(side):
            costs.sort(key=lambda each: SEVERITIES.index(each.finding.severity))
            usual[rule] = costs[len(costs) // 2]
    return usual
