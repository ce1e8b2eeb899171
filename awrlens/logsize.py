"""The maximum redo between the checkpoint and the end of redo, by redo log size and release.

V$INSTANCE_RECOVERY.LOG_FILE_SIZE_REDO_BLKS, "Log Sz RedoBlks" of Instance Recovery Stats.
Fast-Start Checkpointing Best Practices, "Upper Bound on MTTR", states it for 9i: 90 % of the
smallest redo log. Later releases show more than one redo log holds, and Oracle does not document
those limits. In every real report of 10.1 to 19c they correspond to a whole number of redo logs of
usual sizes: 90 % of all redo logs of the thread except one up to 10.2, then 81 % of them.
"""

from __future__ import annotations

import re
from typing import Final

from awrlens.records import NamedTuple


class Limit(NamedTuple):
    """The share of a size that recovery may have to read, and the size."""

    share: float
    #: Whether the size is all redo logs of the thread except one, rather than the smallest one.
    of_all_but_one: bool

    @property
    def words(self) -> str:
        """The limit in words, for a sentence."""
        if self.of_all_but_one:
            return f"{self.share * 100:.0f} % of all redo logs of the thread except one"
        return f"{self.share * 100:.0f} % of the smallest redo log"


SMALLEST: Final = Limit(0.9, of_all_but_one=False)
ALL_BUT_ONE: Final = Limit(0.9, of_all_but_one=True)
ALL_BUT_ONE_11G: Final = Limit(0.81, of_all_but_one=True)
#: First release of each limit, the latest first.
_SINCE: Final = ((11, ALL_BUT_ONE_11G), (10, ALL_BUT_ONE), (0, SMALLEST))


def limit_of(release: str | None) -> Limit | None:
    """The limit of a release (``11.2.0.4.0``); None if the release is not known."""
    match = re.match(r"(\d+)\.", release or "")
    if match is None:
        return None
    return next(limit for since, limit in _SINCE if int(match[1]) >= since)
