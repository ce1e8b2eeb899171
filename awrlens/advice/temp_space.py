"""Space in temporary tablespaces, for which sessions wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.case import AFTER
from awrlens.model import Recommendation

if TYPE_CHECKING:
    from awrlens.advice.case import Case

_EXTENTS: Final = (
    "SELECT inst_id, tablespace_name, total_blocks, used_blocks, free_blocks, free_requests "
    "FROM gv$sort_segment ORDER BY 2, 1;"
)
_FILES: Final = (
    "SELECT tablespace_name, file_name, bytes/1048576 mb, autoextensible FROM dba_temp_files "
    "ORDER BY 1, 2;"
)
_ADD: Final = "ALTER TABLESPACE <temporary tablespace> ADD TEMPFILE <'file'> SIZE <size>;"


def enlarge_temp(case: Case) -> Recommendation:
    """Room for the extents that every instance caches."""
    return Recommendation(
        "enlarge-temp",
        "Enlarge the temporary tablespace",
        "Sessions waited for extents of the sort segment. In RAC, every instance keeps the extents "
        "that it has used, and others have to ask for them. Add tempfiles, at least one per "
        "instance, or give loads a temporary tablespace of their own.",
        "apply",
        commands=(_EXTENTS, _FILES, _ADD),
        prerequisites=("space for the tempfiles; first find out whether one statement fills it",),
        rollback=case.that_run("ALTER TABLESPACE <temporary tablespace> DROP TEMPFILE <'file'>;"),
        benefit=case.impact("TEMP010"),
        validate=("`enq: SS - contention` disappears from the foreground events", AFTER),
    )
