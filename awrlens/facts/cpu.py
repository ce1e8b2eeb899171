"""CPU of sessions: from the time model, otherwise from a statistic that may be wrong.

Source: Oracle Database Reference, V$SYS_TIME_MODEL (`DB CPU`) and `CPU used by this session`, which
is updated only at the end of a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.facts.formula import Figure, Missing
from awrlens.records import NamedTuple
from awrlens.units import parse_number

if TYPE_CHECKING:
    from awrlens.facts.statistics import Statistics

_DB_CPU: Final = "s DB CPU"
STATISTIC: Final = "CPU used by this session"
#: Up to 9i a session's counter has 32 bits; a negative value appears near the top of the range.
_WRAPPED_CS: Final = 2**32
#: Share of the range that counts as wrapped: 25 days of CPU below its top, more than a report
#: covers. # awrlens: an assumption
_NEAR: Final = 0.95
#: A call that began before the interval adds all its CPU, and times are rounded.
#: # awrlens: an assumption
BEYOND: Final = 1.05
#: The time model and the statistic disagree if one is this many times the other.
#: # awrlens: an assumption
_APART: Final = 2.0
_SINCE_10G: Final = (10, 0)


class Cpu(NamedTuple):
    """CPU seconds of sessions, and a note on their source."""

    seconds: Figure | Missing
    note: str = ""


def is_db_cpu(seconds: Figure | Missing) -> bool:
    """Whether CPU of sessions is `DB CPU`, which is a part of DB time by definition."""
    return isinstance(seconds, Figure) and seconds.label == _DB_CPU


def of_sessions(f: Statistics) -> Cpu:
    """`DB CPU` if the report has it, otherwise the statistic; neither if it exceeds DB time."""
    printed = (
        f.row_figure("time_model", "DB CPU", "time_s", _DB_CPU),
        f.row_figure("top_events", "DB CPU", "total_wait_s", _DB_CPU),
    )
    model = next((each for each in printed if isinstance(each, Figure)), None)
    counter = statistic(f)
    if model is not None and not _too_much(f, model):
        return Cpu(model, _disagreement(f, model, counter))
    if model is None:
        return Cpu(counter)
    note = f"`DB CPU` is {model.shown}, more than DB time"
    if isinstance(counter, Missing):
        return Cpu(Missing(note, ("time_model",)))
    return Cpu(counter, f"{note}: `{STATISTIC}` is used instead")


def _disagreement(f: Statistics, model: Figure, counter: Figure | Missing) -> str:
    """What the statistic shows if it is far from the time model; it counts all processes."""
    if isinstance(counter, Missing):
        return ""
    background = f.row_figure("time_model", "background cpu time", "time_s", "s")
    most = model.value + (background.value if isinstance(background, Figure) else 0.0)
    if model.value <= counter.value * _APART and counter.value <= most * _APART:
        return ""
    return (
        f"`{STATISTIC}` shows {counter.value:,.0f} s: it includes background processes, and adds a "
        "call's CPU only when the call ends"
    )


def statistic(f: Statistics) -> Figure | Missing:
    """`CPU used by this session` in seconds, if it is plausible."""
    cpu = f.stat(STATISTIC, "cs CPU")
    if isinstance(cpu, Missing):
        return cpu
    doubt = _doubt(f, cpu)
    return Missing(doubt, ("instance_activity",)) if doubt else _seconds(cpu)


def _seconds(cpu: Figure) -> Figure:
    return Figure(cpu.value / 100, "s CPU", cpu.evidence)


def _too_much(f: Statistics, cpu: Figure) -> bool:
    """Whether CPU is more than the DB time that it is a part of."""
    return isinstance(f.db_time, Figure) and cpu.value > f.db_time.value * BEYOND


def _doubt(f: Statistics, cpu: Figure) -> str:
    """Why the statistic is implausible: it exceeds the counter, the host's CPUs or DB time."""
    said = f"`{STATISTIC}` is {cpu.digits} cs"
    old = f.release is None or f.release < _SINCE_10G
    if old and cpu.value >= _WRAPPED_CS * _NEAR:
        return f"{said}: the 32-bit counter has wrapped"
    if _too_much(f, _seconds(cpu)):
        return f"{said}, more than DB time"
    cpus = _cpus(f)
    if not cpus or isinstance(f.elapsed, Missing):
        return ""
    most_s = f.elapsed.value * cpus
    if cpu.value / 100 <= most_s * BEYOND:
        return ""
    return f"{said}, more than the {most_s:,.0f} s that {cpus:,.0f} CPUs have in the interval"


def _cpus(f: Statistics) -> float | None:
    if f.header.cpus:
        return f.header.cpus
    printed = f.parameter("cpu_count")
    return parse_number(printed[0]) if printed else None
