"""Hard parses: what to do where they take much of DB time.

Source: Oracle Database SQL Tuning Guide, "Improving Real-World Performance Through Cursor Sharing".
"""

from __future__ import annotations

from typing import Final

from awrlens.advice.case import AFTER, Case, advice
from awrlens.advice.queries import query
from awrlens.model import Recommendation


@advice("share-cursors", "application", "medium")
def share_cursors(case: Case) -> Recommendation | None:
    """Parse less: bind variables instead of literals, or cursors that can be shared."""
    cause, share = str(case.value("load.hard_parse_cause")), case.or_zero("load.hard_parse_pct")
    sessions = case.scale.sessions(case.or_zero("load.response_s") * share / 100) or 0.0
    much = share >= _MUCH_PCT and sessions >= case.policy["impact.several_sessions"]
    if not much or cause not in _TITLES:
        return None
    return Recommendation(
        _TITLES[cause].format(share=f"hard parses take {share:.0f} % of {case.base}"),
        _ACTIONS[cause],
        commands=(query("unshared_cursors" if cause == "sharing" else "literals"),),
        validate=("fewer `parse count (hard)` at the same load", AFTER),
    )


#: Hard parses are named from this share of DB time on. # awrlens: a tenth
_MUCH_PCT: Final = 10.0
_TITLES: Final = {
    "sharing": "Find why cursors are not shared ({share})",
    "literals": "Use bind variables where SQL differs only in literals ({share})",
}
_ACTIONS: Final = {
    "sharing": "Most of the time of hard parses is in those of cursors that exist but cannot be "
    "shared: V$SQL_SHARED_CURSOR has the reasons.",
    "literals": "SQL that differs only in literals is parsed anew each time. Where the application "
    "cannot be changed, CURSOR_SHARING=FORCE replaces literals, with other plans for some SQL.",
}
