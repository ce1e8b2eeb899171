"""The spool file of `awrlens sql recovery` as the input of `awrlens mttr`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.model.mttr_document import AdvisedPoint

_LINE: Final = regex(r"^[ \t]*+AWRLENS\|(\w+)\|([\w$]+)\|([^\n]*+)", re.M)
#: The low limit of dirty blocks. # Fast-Start Checkpointing Best Practices, "Lower Bound on MTTR"
_LEAST_DIRTY: Final = 1000


class Spool(NamedTuple):
    """The values of one run of the script; None is a value that it could not read."""

    rac: bool | None
    init_time_avg_us: float | None
    fopen_time_avg_us: float | None
    datafiles: int | None
    lowest_mttr_s: float | None
    target_mttr_s: float | None
    estimated_mttr_s: float | None
    notes: tuple[str, ...]
    #: Parameters by name, and the rows of V$MTTR_TARGET_ADVICE: target, dirty blocks, writes.
    parameters: Mapping[str, float]
    advised: tuple[tuple[float, float | None, float], ...]

    def points(self) -> list[AdvisedPoint]:
        """The rows of V$MTTR_TARGET_ADVICE, with their writes compared with the target in force."""
        now = self.target_mttr_s or self.parameters.get("fast_start_mttr_target") or 0.0
        if not self.advised:
            return []
        base = min(self.advised, key=lambda row: abs(row[0] - now))[2]
        return [
            {"target_s": target, "dirty_blocks": dirty, "cache_writes": writes,
             "factor": round(writes / base, 3), "printed": True}
            for target, dirty, writes in self.advised
        ]  # fmt: skip


def read(text: str, source: str) -> Spool:
    """The values of a spool file; of the first run if there are several.

    Raises UnreadableError if the script did not write it.
    """
    values: dict[tuple[str, str], str] = {}
    rows: dict[str, list[str]] = {}
    for section, name, value in _LINE.findall(text):
        if name == "row":
            rows.setdefault(section, []).append(value.rstrip())
        else:
            values.setdefault((section, name), value.rstrip())
    if not values and not rows:
        raise UnreadableError(
            "This is not a spool file of `awrlens sql recovery`: no line begins with AWRLENS|.",
            source=source,
            hint="Run the script that `awrlens sql recovery` prints, and give its spool file.",
        )
    parallel = values.get(("instance", "parallel")) or values.get(("parameter", "cluster_database"))
    files = _number(values, "datafiles", "count")
    return Spool(
        None if parallel is None else parallel.upper() in ("YES", "TRUE"),
        _number(values, "estimated_mttr", "init_time_avg_us"),
        _number(values, "estimated_mttr", "fopen_time_avg_us"),
        None if files is None else int(files),
        _lowest(rows.get("mttr_advice", [])),
        _number(values, "instance_recovery", "target_mttr_s") or None,
        _number(values, "instance_recovery", "estimated_mttr_s"),
        tuple(_notes(values)),
        _parameters(values),
        tuple(_advised(rows.get("mttr_advice", []))),
    )


def _number(values: Mapping[tuple[str, str], str], section: str, name: str) -> float | None:
    found = parse_number(values.get((section, name), ""))
    return None if found is None or found < 0 else float(found)


def _lowest(rows: list[str]) -> float | None:
    """The target in V$MTTR_TARGET_ADVICE with the minimum number of dirty blocks."""
    targets = []
    for row in rows:
        target, dirty, *_ = [*row.split(";"), "", ""]
        seconds, blocks = parse_number(target), parse_number(dirty)
        if seconds is not None and blocks is not None and 0 < blocks <= _LEAST_DIRTY:
            targets.append(float(seconds))
    return min(targets, default=None)


def _parameters(values: Mapping[tuple[str, str], str]) -> dict[str, float]:
    found = {name: parse_number(text) for (section, name), text in values.items()
             if section == "parameter"}  # fmt: skip
    return {name: float(number) for name, number in found.items() if number is not None}


def _advised(rows: list[str]) -> Iterator[tuple[float, float | None, float]]:
    """Rows with a target and writes, each target once, in ascending order."""
    seen = {}
    for row in rows:
        target, dirty, writes, *_ = (parse_number(each) for each in [*row.split(";"), "", "", ""])
        if target and writes and target > 0 and writes > 0:
            seen[float(target)] = (None if dirty is None else float(dirty), float(writes))
    yield from ((target, *rest) for target, rest in sorted(seen.items()))


def _notes(values: Mapping[tuple[str, str], str]) -> list[str]:
    if _number(values, "estimated_mttr", "init_time_avg_us") is not None:
        return []
    return ["X$ESTIMATED_MTTR was not read: run the script as SYS to get start-up and file open."]
