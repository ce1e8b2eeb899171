"""Where DB time went: CPU, the parts of the write path, and the largest other waits."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final

from awrlens.facts.cpu import BEYOND, is_db_cpu, of_sessions
from awrlens.facts.database import CPU, CPU_ROWS, average_active_sessions
from awrlens.facts.formula import Figure, Missing
from awrlens.facts.idle import CUT, OF_PROCESSES, busy_rows
from awrlens.facts.write_path import PARTS, PROCESSES
from awrlens.model import Overview, Share
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.facts.numbers import Figures

#: Before 10g temporary data had no events of its own.
_BEFORE_10G: Final[tuple[tuple[str, str, str], ...]] = (
    ("direct path read", "temp", "temp I/O"), ("direct path write", "temp", "temp I/O"),
)  # fmt: skip
_SINCE_10G: Final = (10, 0)
#: Below this share of DB time a consumer outside the write path is not named.
_NAMED_PCT: Final = 2.0
#: Name for all smaller consumers together.
OTHERS: Final = "other waits"
#: Totals in whole seconds are off by more than 1 % below this.
_ROUNDED_S: Final = 50
#: At most this many consumers outside the write path are named.
_NAMED: Final = 4


def overview(f: Figures) -> Overview:
    """The load at a glance: active sessions, CPUs, and where DB time went, largest first.

    Shares are percentages of DB time (before 10g, of CPU and waits, as top events imply). The rest
    of 100 % is in no event of the report's list: neither CPU nor a wait if the list is of all
    events, or a wait that the list of top events does not have. A consumer that is a little longer
    than DB time is all of it; one that is much longer is not a part of it.
    Without a list of events in the report, shares are empty.
    """
    sessions = average_active_sessions(f).number
    return Overview(sessions, f.header.cpus, _shares(f), complete=_is_whole(f))


def _is_whole(f: Figures) -> bool:
    """Whether what no share has is neither CPU nor a wait of sessions.

    A compare-period report has all waits in one list: what its shares lack is at least that much.
    """
    cpu, waits = f.once(of_sessions), f.session_list
    known = isinstance(f.db_time, Figure) and is_db_cpu(cpu.seconds) and not cpu.note
    if not known or waits is None or not consumers(f).complete:
        return False
    apart = f.is_of_sessions(waits) or f.tables.get("background_events") is not None
    return apart or f.is_compared


def _shares(f: Figures) -> tuple[Share, ...]:
    found = consumers(f).shares
    others = [each for each in found if each.part == "other" and each.pct >= _NAMED_PCT][:_NAMED]
    named = [each for each in found if each.part != "other" or each in others]
    rest = [each for each in found if each not in named]
    if rest:
        seconds, pct = sum(each.seconds for each in rest), sum(each.pct for each in rest)
        named.append(Share(OTHERS, "other", seconds, pct))
    return tuple(named)


class Consumers(NamedTuple):
    """All consumers of DB time, the largest first.

    ``complete``: an event that is missing had no waits. Top events are not complete.
    """

    shares: tuple[Share, ...] = ()
    complete: bool = False


def consumers(f: Figures) -> Consumers:
    """Every consumer of DB time that the report shows."""
    return f.once(_consumers)


def _consumers(f: Figures) -> Consumers:
    whole = f.response
    if isinstance(whole, Missing) or whole.value <= 0 or not f.complete:
        return Consumers()
    seconds: dict[tuple[str, str], float] = {}
    spent, complete = _spent(f)
    for name, part, each in spent:
        seconds[name, part] = seconds.get((name, part), 0.0) + each
    found = sorted(
        (Share(name, part, min(spent, whole.value), min(spent * 100 / whole.value, 100.0))
         for (name, part), spent in seconds.items() if 0 < spent <= whole.value * BEYOND),
        key=lambda each: -each.seconds,
    )  # fmt: skip
    return Consumers(tuple(found), complete)


def _spent(f: Figures) -> tuple[list[tuple[str, str, float]], bool]:
    """Name, part and seconds of every consumer, and whether all events are listed.

    A part may have several events.
    """
    found = list(_times(f, "foreground_events")) or list(_of_sessions(f))
    if not found:
        from awrlens.facts.waits import events  # noqa: PLC0415 - few reports have no other list

        found = [(each.name, each.total_s) for each in events(f) if not each.background]
    return list(_named(f, found or f.once(_top))), bool(found)


def _top(f: Figures) -> list[tuple[str, float]]:
    """The top events, and CPU."""
    return list(_times(f, "top_events"))


def _named(f: Figures, found: list[tuple[str, float]]) -> Iterator[tuple[str, str, float]]:
    """CPU and waits with the part of the write path to which they belong."""
    if not found:
        return
    cpu = f.once(of_sessions).seconds
    if isinstance(cpu, Figure):
        yield CPU, "cpu", cpu.value
    else:
        top = ((CPU, "cpu", s) for name, s in f.once(_top) if name in CPU_ROWS)
        yield from islice(top, 1)
    is_old = f.release is not None and f.release < _SINCE_10G
    for name, spent in found:
        if of := _part_of(name.strip("* "), is_old):
            called, part = of
            yield _whole_name(f, called, found) if part == "other" else called, part, spent


@lru_cache(maxsize=4096)
def _part_of(event: str, is_old: bool) -> tuple[str, str] | None:  # noqa: FBT001 - cached
    """Name and part of a consumer; None for CPU and processes. Reports have the same events."""
    if event in CPU_ROWS or event.startswith(PROCESSES):
        return None
    parts = (*PARTS, *_BEFORE_10G) if is_old else PARTS
    of = ((called, part) for begin, part, called in parts if event.startswith(begin))
    return next(of, (event, "other"))


def _whole_name(f: Figures, name: str, found: list[tuple[str, float]]) -> str:
    """A name cut to its text column, as the top events, whose column is wider, have it.

    Names of the list that begin alike are events of their own, or cut to the same text.
    """
    if len(name) < CUT:
        return name
    longer = [each for each, _ in f.once(_top) if each.startswith(name)]
    if len(longer) != 1 or longer[0] == name:
        return name
    return name if sum(each.startswith(name) for each, _ in found) > 1 else longer[0]


def _of_sessions(f: Figures) -> Iterator[tuple[str, float]]:
    """The events of a list of all processes, without the waits of background processes.

    An event that their own list does not have is of sessions alone; nothing is subtracted from it.
    """
    background = f.tables.get("background_events")
    for row in busy_rows(f, "wait_events"):
        name, seconds = row.key.strip(), row.number("total_wait_s")
        if seconds is None or row.text("wait_class") == OF_PROCESSES:
            continue
        if (
            background is not None
            and background.row(row.key) is None
            and not background.unread((row.key,))
        ):
            yield name, seconds
        elif isinstance(total := f.foreground(name).total_s, Figure):
            yield name, total.value


def _times(f: Figures, section: str) -> Iterator[tuple[str, float]]:
    """Events and seconds of a list without waits of background processes."""
    for row in busy_rows(f, section):
        seconds = row.number("total_wait_s")
        if seconds is not None and seconds < _ROUNDED_S:  # the average may be more exact
            total = f.event_of(row, section).total_s
            seconds = total.value if isinstance(total, Figure) else seconds
        if seconds is not None:
            yield row.key.strip(), seconds
