"""SQL Server's checkpoints in error logs and Extended Events: read, counted and compared.

The equivalent of Oracle's recovery target on another engine. Source: Indirect Checkpoints.
"""

from __future__ import annotations

from typing import Final

from awrlens.extensions import Command, Extension, LogReader

RULES: Final = {
    "SQLS001": "awrlens.sqlserver.rules:long_checkpoints",
    "SQLS002": "awrlens.sqlserver.rules:checkpoints_at_write_target",
    "SQLS003": "awrlens.sqlserver.rules:slow_checkpoint_writes",
    "SQLS004": "awrlens.sqlserver.rules:checkpoints_under_snapshots",
    "SQLS005": "awrlens.sqlserver.rules:io_warnings_beside_checkpoints",
    "SQLS006": "awrlens.sqlserver.rules:indirect_checkpoint_falls_behind",
    "SQLS007": "awrlens.sqlserver.rules:no_free_buffers",
}

EXTENSION: Final = Extension(
    commands={
        "sqlserver": Command(
            "awrlens.sqlserver.command",
            "Compare SQL Server checkpoints before and after a change.",
            "Other",
            before="sql",
        ),
    },
    thresholds=__file__,
    rules=RULES,
    pages={"tiles": "awrlens.sqlserver.tiles:tiles"},
    log_reader=LogReader(
        "awrlens.sqlserver.analysis:log_of",
        "This is a SQL Server error log, not an Oracle report.",
        "`awrlens analyze` reads it, `awrlens sqlserver compare` compares two.",
    ),
)
