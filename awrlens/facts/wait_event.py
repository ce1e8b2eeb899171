"""One wait event: how many waits, how long, how exact that is, and whether it is idle."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing, Number, add
from awrlens.lazy import NamedTuple, lines_of
from awrlens.units import half_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.facts.formula import Cells
    from awrlens.report.table import Row

#: A total is exact enough if its last digit is at most this share of it. Releases from 12.1 on
#: have whole seconds next to averages such as `.99ms` or `703us`, which are then more exact.
EXACT: Final = 0.005
#: Two lists may differ by a second per event, because they are rounded.
ROUNDED: Final = 1.0
_HALF: Final = 0.5
#: The wait class of background processes, in a list of all waits.
OF_PROCESSES: Final = "System I/O"
#: Prefixes of the events of backups: of RMAN, and of the media manager that it writes to.
BACKUP: Final = ("RMAN backup", "Backup: ")
#: Prefixes of events of background processes and of backups, in a list without classes, too: they
#: are outside DB time.
OUTSIDE: Final = (
    "log file parallel write", "db file parallel write", "db file async I/O submit",
    "control file parallel write", "Log archive I/O", "LGWR", "LNS wait", "ARCH wait",
    "gcs log flush sync",  # LMS, before it ships a block (RAC)
    "wait for stopper event",  # SMON and its slaves, which roll back a dead transaction
    "JOX Jit Process Sleep", *BACKUP,
)  # fmt: skip
#: Prefixes of idle events. From 10g on, V$EVENT_NAME.WAIT_CLASS is "Idle" for them, but no list
#: in a report has a class for every event; Statspack lists them after the others.
_IDLE: Final = tuple(lines_of(__file__, "idle_events.txt"))
#: Prefixes of events that are idle in every release: a list of idle events last has only idle
#: events from the first of them on, whatever their names (V$EVENT_NAME of 8i to 23ai).
ALWAYS_IDLE: Final = (
    "SQL*Net message from client", "rdbms ipc message", "pmon timer", "smon timer",
    "virtual circuit status",
)  # fmt: skip
#: Names of this length may be cut to the width of a text column.
CUT: Final = 20


class Event(NamedTuple):
    """One wait event: number of waits and total time, or why they are not known."""

    waits: Number
    total_s: Number
    find_average_ms: Callable[[], Number]
    find_timeout_pct: Callable[[], Number]
    #: The total in the report is rounded more than the average.
    coarse: bool = False
    note: str = ""
    #: The total has so many digits that no other figure is needed.
    exact: bool = False

    @property
    def average_ms(self) -> Number:
        """The average in the report; few ask for it."""
        return self.find_average_ms()

    @property
    def timeout_pct(self) -> Number:
        """Share of the waits that timed out, in per cent; few ask for it."""
        return self.find_timeout_pct()

    @property
    def each_ms(self) -> Number:
        """Average wait in ms: total / waits, or the report's average if it is more exact."""
        total, waits, average = self.total_s, self.waits, self.average_ms
        if self.coarse or (isinstance(total, Figure) and is_finer(average, total)):
            rounded = "average as in the report; its total is rounded more"
            return average.noted("; ".join(filter(None, (rounded, self.note))))
        if isinstance(total, Figure) and not self.exact:
            unread = average.lost or average.blank
            if unread and total.value and total.rounding > EXACT:
                return average  # the more exact figure cannot be read
            rounded_away = total.value == 0 and average.value is None
            if rounded_away and isinstance(waits, Figure) and waits.value > 0:
                why = f"{waits.shown} took {total.shown} (rounded), and the report has no average"
                return Missing(why, ("foreground_events", "background_events"))
        return (total * 1000 / waits).noted(self.note)


def timeouts(cells: Cells, row: Row, waits: Number) -> Number:
    """Share of the waits that timed out: in the report, or from their number (8i, 9i)."""
    absent = Missing("the list of events has no time-outs", ("background_events",))
    share = cells.figure(row.cell("timeout_pct"), "% time-outs", absent)
    count = cells.figure(row.cell("timeouts"), "time-outs", absent)
    if isinstance(share, Figure) or isinstance(count, Missing) or isinstance(waits, Missing):
        return share
    if not waits.value:
        return absent
    evidence = (*count.evidence, *waits.evidence)
    return Figure(count.value * 100 / waits.value, "% time-outs", evidence)


def no_event(why: Missing) -> Event:
    """An event of which nothing is known."""
    return Event(why, why, lambda: why, lambda: why)


def is_exact(text: str) -> bool:
    """Whether a number has so many digits that half of the last one is below ``EXACT`` of it."""
    digits = "".join(text.replace(",", "").replace(".", "").replace("'", "").split())
    return digits.isdecimal() and int(digits) * EXACT > _HALF


def is_finer(average: Number, total: Figure) -> bool:
    """Whether an average is more exact than the total next to it in the report."""
    if isinstance(average, Missing) or average.value <= 0 or total.status == "estimated":
        return False
    return total.rounding > average.rounding


def is_coarse(total: Figure, average: Number) -> bool:
    """Whether a total in the report is rounded, and more so than the average next to it."""
    return total.rounding > EXACT and is_finer(average, total)


def exact_total(waits: Number, total: Figure, average: Figure) -> Figure:
    """Waits × average instead of a rounded total, unless the two contradict each other."""
    if isinstance(waits, Missing) or waits.value <= 0:
        return total
    value = waits.value * average.value / 1000
    if abs(value - total.value) > max(1.0, average.rounding * value):
        return total
    return Figure(
        value,
        "s",
        lambda: (*waits.evidence, *average.evidence),
        lambda: f"{waits.digits} × {average.digits} / 1000",
    )


def by_average(average: Figure, waits: Number, *, nothing: bool) -> Number:
    """A total from the average; missing if that is rounded to 0 and may hide seconds.

    ``nothing``: the share of DB time is 0, too, so that nothing significant is hidden.
    """
    total = estimated(average * waits / 1000, "s")
    if isinstance(waits, Missing) or average.value or nothing:
        return total
    steps = sum(half_step(item.text, 0) for item in average.evidence)
    if waits.value * steps / 1000 <= ROUNDED:
        return total
    why = f"the report has no total, and {waits.shown} took {average.shown} on average (rounded)"
    sections = tuple(dict.fromkeys(item.section for item in average.evidence))
    return Missing(why, sections, lost=True)


def estimated(number: Number, label: str) -> Number:
    """A total estimated from a rate or average in the report, which is rounded."""
    return number.estimated().labelled(label)


def number_of(total: Number, average: Number) -> Number:
    """The number of waits from a total and an average, unless that is 0."""
    return estimated(total * 1000 / average, "waits")


def timeouts_left(whole: Event, part: Event, waits: Number, absent: Missing) -> Number:
    """Share of time-outs in the remaining waits when a part of the waits is subtracted."""
    timeouts = whole.timeout_pct * whole.waits - part.timeout_pct * part.waits
    if isinstance(share := timeouts / waits, Missing):
        return absent
    clamped = min(max(share.value, 0.0), 100.0)
    return Figure(clamped, "% time-outs", lambda: timeouts.evidence, "", "estimated")


def minus(whole: Number, part: Number, rounded: float = 0.0) -> Number:
    """A figure of all processes minus that of background processes; 0 if theirs is all of it."""
    if isinstance(whole, Missing) or isinstance(part, Missing):
        return whole if isinstance(whole, Missing) else part
    if not part.value:
        return whole
    if part.value - whole.value > rounded:
        why = f"background processes have {part.shown}, more than all processes: {whole.shown}"
        return Missing(why, ("wait_events", "background_events"), lost=True)
    return add([whole], whole.label, less=[part if part.value <= whole.value else whole])


@lru_cache(maxsize=4096)
def idle(name: str) -> bool:
    """Whether an event is an idle wait; every report of a batch has the same few hundred events."""
    cut = len(name) >= CUT and any(idle_.startswith(name) for idle_ in _IDLE)
    return cut or name.startswith(_IDLE) or name.endswith((" idle", " timer"))
