"""One problem is one finding: its causes and parts are listed under it.

The worst finding of a group of rules is shown (of equal ones the first); the others contribute to
it and add no seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model import SEVERITIES, worst

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.model import Finding

#: Rules that explain others of their group, those that their finding names as related; without them
#: the others are separate problems.
_LEADERS: Final = frozenset({"REDO014", "UNDO001"})


def joined(findings: Iterable[Finding], groups: Iterable[tuple[str, ...]]) -> list[Finding]:
    """The findings, with all findings of one problem under its main finding."""
    left = {finding.id: finding for finding in findings}
    for group in groups:
        led = group[0] in _LEADERS
        explained = (group[0], *left[group[0]].related) if led and group[0] in left else group
        members = [left[rule_id] for rule_id in group if rule_id in left and rule_id in explained]
        if len(members) < 2 or (led and group[0] not in left):  # noqa: PLR2004 - a pair
            continue
        # of equal ones max() returns the first, which is the most specific
        first = members[0] if led else max(members, key=_level)
        parts = [each for each in members if each.id != first.id]
        for each in parts:
            del left[each.id]
        parts += [part for each in parts for part in each.contributing]
        left[first.id] = first._replace(
            severity=worst([each.severity for each in members]),
            contributing=(
                *first.contributing, *(each._replace(contributing=()) for each in parts)
            ),
        )  # fmt: skip
    return list(left.values())


def _level(finding: Finding) -> int:
    return SEVERITIES.index(finding.severity)
