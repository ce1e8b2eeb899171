"""The redo test over a restart: Oracle prints the report and says that it means nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from . import statspack_9
from .common import moment

if TYPE_CHECKING:
    from .model import Workload

_MARK = "\n\nERROR: Snapshots chosen span an instance shutdown: RESULTS ARE INVALID"


def write(w: Workload) -> str:
    """The report of a workload during which the instance was started again."""
    database = replace(w.database, startup=moment("2008-08-20 17:31"))
    return _MARK + statspack_9.write(replace(w, database=database))
