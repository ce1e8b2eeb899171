"""How much redo may lie behind the checkpoint by the size of the redo logs, release by release.

V$INSTANCE_RECOVERY.LOG_FILE_SIZE_REDO_BLKS, "Log Sz RedoBlks" of Instance Recovery Stats. Document
1, "Upper Bound on MTTR", says it for 9i: 90 % of the smallest log. Later releases print more than
one log holds. Nobody documents those limits; they are whole numbers of logs of usual sizes in every
real report of 10.1 to 19c: 90 % of all logs of the thread but one up to 10.2, then 81 % of them.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Limit(NamedTuple):
    """The share of a size that may lie behind the checkpoint, and what it is a share of."""

    share: float
    #: Whether it is of all logs of the thread but one, and not of the smallest one.
    of_all_but_one: bool

    @property
    def words(self) -> str:
        """The limit as it stands in a sentence."""
        if self.of_all_but_one:
            return f"{self.share * 100:.0f} % of all logs of the thread but one"
        return f"{self.share * 100:.0f} % of the smallest log"


SMALLEST: Final = Limit(0.9, of_all_but_one=False)
ALL_BUT_ONE: Final = Limit(0.9, of_all_but_one=True)
ALL_BUT_ONE_11G: Final = Limit(0.81, of_all_but_one=True)
#: First release from which each holds, the latest first.
_SINCE: Final = ((11, ALL_BUT_ONE_11G), (10, ALL_BUT_ONE), (0, SMALLEST))


def limit_of(release: str | None) -> Limit | None:
    """The limit of a release (``11.2.0.4.0``); None where the release is not known."""
    match = re.match(r"(\d+)\.", release or "")
    if match is None:
        return None
    return next(limit for since, limit in _SINCE if int(match[1]) >= since)
