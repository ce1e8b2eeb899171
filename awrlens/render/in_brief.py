"""An instance or a period in one line, and the key figures that differ between two periods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.render import present
from awrlens.render.quantity import in_unit
from awrlens.render.report_head import figure

if TYPE_CHECKING:
    from awrlens.model import Analysis

#: Key figures of an instance, and of the difference of two periods: facts and names.
_KEYS: Final = (
    ("load.average_active_sessions", "active sessions"),
    ("load.transactions_per_s", "transactions"),
    ("redo.commit_ms", "commit"), ("redo.local_write_ms", "redo log write"),
    ("redo.bytes_per_s", "redo"), ("redo.log_switches_per_hour", "log switches"),
    ("temp.direct_wait_s", "temp waits"), ("checkpoint.write_pct", "checkpoint writes"),
)  # fmt: skip


def brief(part: Analysis, *, of_period: bool) -> str:
    """An instance in one line: load and worst finding; for a period only the finding."""
    report = part.report
    worst = f"{part.findings[0].id} {part.findings[0].title}" if part.findings else "no finding"
    if of_period:
        return present.safe(worst)
    keys = (f"{{}} {name}" if name in _COUNTED else f"{name} {{}}" for _, name in _KEYS[:4])
    shown = [figure(part.facts, name, words) for (name, _), words in zip(_KEYS, keys, strict=False)]
    where = "/".join(filter(None, (report["instance"], report["host"])))
    return present.safe(" · ".join(filter(None, (where, *shown, worst))))


#: Smaller changes of key figures, in per cent, are not shown.
_MOVED_PCT: Final = 10.0
#: Maximum number of changed key figures.
_MOST_MOVED: Final = 4
_COUNTED: Final = ("active sessions", "transactions")


def moved(analysis: Analysis) -> list[tuple[str, str, str, str]]:
    """What DB time changed by most, then the changed key figures: name, both values, change."""
    if analysis.comparison is None:
        return []
    found = present.causes(analysis, digits=0)[:1]
    most = _MOST_MOVED - len(found)  # the headline, which has all causes, is a line longer
    changes = {each.name: each for each in analysis.comparison.facts}
    for fact, name in _KEYS:
        each = changes.get(fact)
        if each is None or each.change_pct is None or abs(each.change_pct) < _MOVED_PCT:
            continue
        change = f"{each.change_pct:+,.0f} %"
        found.append(
            (name, in_unit(each.first, each.unit), in_unit(each.second, each.unit), change)
        )
    return found[:most]
