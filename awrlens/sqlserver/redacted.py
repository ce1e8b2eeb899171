"""A log without the names of databases, server and files; IDs and figures stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.sqlserver.events import SYSTEM

if TYPE_CHECKING:
    from awrlens.redact.names import Names
    from awrlens.sqlserver.events import Checkpoint, Log, Number


def without_names(log: Log, names: Names) -> Log:
    """The log with pseudonyms; only the numbers of its lines are kept."""

    def other(name: str) -> str:
        return name if not name or name in SYSTEM.values() else names.of(name)

    server = log.server
    return log._replace(
        source=names.file(log.source),
        server=server._replace(
            name=other(server.name) if server.name else None,
            memory=_blank(server.memory) if server.memory else None,
        ),
        settings=tuple(
            each._replace(name=other(each.name), printed="") for each in log.settings
        ),
        names={number: other(name) for number, name in log.names.items()},
        checkpoints=tuple(_unprinted(each) for each in log.checkpoints),
        freezes=tuple(
            each._replace(name=other(each.name), printed=f"I/O is frozen on {other(each.name)}")
            for each in log.freezes
        ),
        catchups=tuple(
            each._replace(printed="DirtyPageMgr::ForceCatchupOrFlushCache")
            for each in log.catchups
        ),
        io_warnings=tuple(
            each._replace(
                file="", requests=_blank(each.requests),
                longest_ms=_blank(each.longest_ms) if each.longest_ms else None,
            )
            for each in log.io_warnings
        ),
    )  # fmt: skip


def _unprinted(checkpoint: Checkpoint) -> Checkpoint:
    return checkpoint._replace(
        numbers={field: _blank(number) for field, number in checkpoint.numbers.items()}
    )


def _blank(number: Number) -> Number:
    return number._replace(printed="", at=-1)
