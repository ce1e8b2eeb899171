"""All facts of reports, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Final

from awrlens.facts import (
    checkpoint,
    commits,
    host,
    integrity,
    load,
    log_switches,
    memory,
    placement,
    recovery,
    redo,
    segments,
    sql,
    temp,
    undo,
)
from awrlens.lazy import lazy
from awrlens.model import Fact, Note, facts_table, timed_part
from awrlens.model.fact_table import ABOVE, REPORT_FACTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.facts.figures import Figures
    from awrlens.model.fact_table import FactSpec


#: Families of facts in the order in which they are shown; within a family it is that of modules.
_FAMILIES: Final = (
    "redo", "temp", "pga", "undo", "checkpoint", "io", "database", "host", "load", "integrity",
    "gc",
)  # fmt: skip
FACTS: Final = tuple(
    sorted(
        REPORT_FACTS.of(
            redo, commits, log_switches, temp, memory, undo, placement, checkpoint, recovery,
            host, load, integrity, segments, sql,
        ),
        key=lambda spec: _FAMILIES.index(spec.family),
    )
)  # fmt: skip


#: Sections without differences between two snapshots: states, advisories since startup, rows of
#: V$UNDOSTAT of ten minutes each.
_STATES = frozenset((
    "instance_recovery", "parameters", "mttr_advisory", "database", "database_summary", "host",
    "pga_target", "pga_target_by_instance", "pga_advisory", "undo_summary", "undo_stats",
    "cache_sizes", "cache_sizes_by_instance", "sga_summary",
))  # fmt: skip


_UNTIMED: Final = "timed statistics were on for less than half of the interval: no average is known"
_RESTARTED: Final = (
    "the snapshots span an instance shutdown: differences between them have no meaning"
)


class Facts(Mapping[str, Fact]):
    """Every fact of a report, available or not, each computed on first use; shown, all are.

    If Oracle marks a report as invalid (``valid`` False: the snapshots span a restart), only
    states are facts; differences between the snapshots have no meaning.
    """

    def __init__(self, figures: Figures, *, valid: bool = True) -> None:
        self.figures = figures
        self._valid = valid
        self._known: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        """One fact; KeyError if there is none with that name."""
        try:
            return self._known[name]
        except KeyError:
            fact = self._known[name] = self._computed(_BY_NAME[name])
            return fact

    def _computed(self, spec: FactSpec) -> Fact:
        name, unit, sections = spec.name, spec.unit, _names_of(spec.sections)
        why = _RESTARTED
        if self._valid or _STATES.issuperset(sections):
            fact = self.figures.once(spec.function).named(name, unit, sections)
            broken = self.figures.contradicted(proof) if (proof := fact.proof) else ""
            if not broken and (unit != "ms" or fact.value is None or not self._undertimed):
                return fact
            why = broken or _UNTIMED  # seconds of some waits over the number of all
        return Fact(name, None, unit, "unavailable", note=why, sections=sections)

    @property
    def contradictions(self) -> list[Note]:
        """Shares of more than the whole, and impossible figures that a fact would rest on."""
        shares = (self[spec.name] for spec in FACTS if spec.unit == "%" and not spec.beyond)
        above = [
            Note(f"{share.name}: {share.note}.", share.evidence[0].line, contradicts=True)
            for share in shares
            if share.value is None and share.note.endswith(ABOVE)
        ]
        said = self.figures.impossible.items()
        return above + [Note(f"{why}.", line, contradicts=True) for why, line in said]

    @lazy
    def _undertimed(self) -> bool:
        return bool(timed_part(self))

    def __reduce__(self) -> tuple[type[dict[str, Fact]], tuple[dict[str, Fact]]]:
        """All facts, computed: the report that they are from stays in its process."""
        return dict, (dict(self.items()),)

    def __iter__(self) -> Iterator[str]:
        """The names of all facts, in the order in which they are shown."""
        return iter(_BY_NAME)

    def __len__(self) -> int:
        """Number of facts."""
        return len(_BY_NAME)

    def __repr__(self) -> str:
        available = sum(fact.value is not None for fact in self.values())
        return f"Facts({len(self)} facts, {available} available)"

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import ROWS

        available = [fact for fact in self.values() if fact.value is not None]
        return facts_table("Facts", available[:ROWS], len(available) - ROWS)


@cache
def _names_of(sections: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for section in sections for name in section.split("|"))


_BY_NAME: Final = {spec.name: spec for spec in FACTS}


def units() -> dict[str, str]:
    """The unit of every fact."""
    return {spec.name: spec.unit for spec in FACTS}
