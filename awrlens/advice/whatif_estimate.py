"""An estimate of a change: what is asked, and what it collects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact
    from awrlens.model.target_curves import Curves


class Change(NamedTuple):
    """The changes; None: not changed. Latencies are those of one operation.

    ``mb_s`` is the throughput of a device: the size of an operation adds to its latency.
    ``temp_ms`` and ``undo_ms`` are the latencies of reads. Without ``temp_write_ms``, a temporary
    write takes as long as a read. Without ``undo_write_ms``, undo writes do not change.
    """

    redo_ms: float | None = None
    temp_ms: float | None = None
    undo_ms: float | None = None
    mttr_s: float | None = None
    redo_log_mb: float | None = None
    pga_mb: float | None = None
    mb_s: float | None = None
    temp_write_ms: float | None = None
    undo_write_ms: float | None = None


#: Options that do not change anything on their own.
QUALIFIERS: Final = frozenset({"mb_s", "temp_write_ms", "undo_write_ms"})


class Line(NamedTuple):
    """One quantity before and after, and the model."""

    name: str
    unit: str
    before: float
    after: float
    model: str


class Estimate:
    """A report's facts and curves, and the effects of the change."""

    def __init__(self, facts: Mapping[str, Fact], curves: Curves, change: Change) -> None:
        self.facts = facts
        self.curves = curves
        self.change = change
        self.lines: list[Line] = []
        self.saved_s: list[float] = []
        self.conflicts: list[str] = []
        self.not_assessed: list[str] = []

    def get(self, name: str) -> float | None:
        """The number of a fact; None if it is not known."""
        return self.facts[name].number

    def lacks(self, what: str, *names: str) -> bool:
        """Whether one of these facts is not known, which is then noted."""
        missing = [f"{name}: {self.facts[name].note}" for name in names if self.get(name) is None]
        if missing:
            self.not_assessed.append(f"{what}: {'; '.join(missing)}")
        return bool(missing)

    def fact(self, name: str, before: float, after: float, model: str) -> None:
        """A fact before and after."""
        self.lines.append(Line(name, self.facts[name].unit, before, after, model))

    def waits(self, name: str, before: float, after: float, model: str) -> None:
        """Seconds waited, and the DB time saved or lost."""
        after = max(0.0, after)
        self.fact(name, before, after, model)
        self.saved_s.append(before - after)
