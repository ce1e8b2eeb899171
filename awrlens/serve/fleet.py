"""The fleet of stored uploads: the rows of their intervals are kept with them, and judged together.

A row is made when its upload is analyzed, and deleted with it.
"""

from __future__ import annotations

import base64
import json
import zlib
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.fleet import folder
from awrlens.fleet import rows as of_store
from awrlens.fleet import rows as policies
from awrlens.fleet.overview import FACTS, fleet
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.config import Options
    from awrlens.fleet.records import Fleet
    from awrlens.model import Analysis
    from awrlens.policy import Policy
    from awrlens.report.report import Report

#: Intervals of an instance that count, if they are not too many together.
LAST: Final = 24
MOST: Final = 5_000
#: The tables that the page of a fleet needs.
_TABLES: Final = (
    folder.REPORTS, folder.FACT_VALUES, folder.PARAMETERS, folder.FINDINGS, folder.RECOMMENDATIONS
)  # fmt: skip
_WHO: Final = ("db_name", "db_id", "container", "instance", "instance_number", "cluster")
#: Memory of the database that judges, within that of a worker.
_MB: Final = 256


class Interval(NamedTuple):
    """A report's interval of an instance: its key, the instance, its end, and its rows as JSON."""

    key: str
    who: str
    end: str
    rows: str


class Asked(NamedTuple):
    """The intervals of a fleet as they are stored, what could not be read, and what is asked."""

    intervals: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...]
    last: int = LAST
    capacity_gb: float | None = None
    level_s: float | None = None


def edition(options: Options) -> str:
    """The version of awrlens and of its thresholds: rows of another one are made again."""
    return f"{folder.ANALYZER} {policies.of_folder('-', options).version}"


def intervals(report: Report, analysis: Analysis) -> tuple[Interval, ...]:
    """The intervals of a report, one per instance, with their rows."""
    piece = of_store.brief(report, analysis, FACTS)
    names = folder.REPORTS.names
    found = []
    for row in piece.rows["reports"]:
        about = dict(zip(names, row, strict=True))
        if about["end_time"] is None:
            continue
        own = {
            table.name: [each for each in piece.rows[table.name] if each[0] == row[0]]
            for table in _TABLES
        }
        text = json.dumps(own, default=datetime.isoformat, separators=(",", ":"))
        found.append(
            Interval(
                row[0], json.dumps([about[name] for name in _WHO]), about["end_time"].isoformat(),
                base64.b85encode(zlib.compress(text.encode())).decode(),
            )
        )  # fmt: skip
    return tuple(found)


def _unpacked(packed: Iterable[str]) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = {table.name: [] for table in _TABLES}
    times = [kind == "time" for _, kind in folder.REPORTS.columns]
    for each in packed:
        rows = json.loads(zlib.decompress(base64.b85decode(each)))
        for name in found:
            found[name] += map(tuple, rows[name])
    found["reports"] = [
        tuple(
            datetime.fromisoformat(value) if is_time and value else value
            for is_time, value in zip(times, row, strict=True)
        )
        for row in found["reports"]
    ]
    return found


def judged(asked: Asked, policy: Policy) -> Fleet:
    """The fleet of some intervals."""
    from awrlens.fleet import ingest

    rows = _unpacked(asked.intervals)
    rows["problems"] = [("", None, name, why, None, False) for name, why in asked.unreadable]
    with ingest.opened(rows, Path(), _MB) as opened:
        return fleet(
            opened, policy, last=asked.last, level_s=asked.level_s, capacity_gb=asked.capacity_gb
        )
