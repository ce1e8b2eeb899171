"""The changes that matter most, with titles: wait events, and facts with enough weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model.comparison import CHANGED, Mover
from awrlens.records import NamedTuple
from awrlens.series.explain import SHARE_PCT
from awrlens.series.response import STEP_PCT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.model.comparison import Basis, DbTime, Moved, MovedEvent, Per
    from awrlens.policy import Policy
    from awrlens.series.explain import Significance

#: Maximum number of changes, and of wait events among them if there are enough facts.
_MOST: Final = 10
_EVENTS: Final = 5


class _Fact(NamedTuple):
    """A fact and its title; it matters if one of its conditions holds on one side."""

    name: str
    title: str
    #: Facts with wait times, of which the sum must be significant.
    waits: tuple[str, ...] = ()
    #: A share that must be at least `compare.share_pct`.
    share: str = ""
    #: The value that one side must have at least, in the unit of the fact.
    least: float = 0.0
    #: A fact that says the same, if it changed too.
    unless: str = ""
    #: A load is always compared per second.
    load: bool = False


_COMMITS: Final = ("redo.sync_wait_s",)
_REDO: Final = ("redo.sync_wait_s", "redo.log_switch_wait_s", "redo.buffer_wait_s")
_TEMP: Final = ("temp.direct_wait_s",)
_DBWR: Final = ("checkpoint.free_buffer_wait_s", "checkpoint.write_complete_wait_s",
                "redo.log_switch_wait_s")  # fmt: skip
#: In the order in which they are listed. Minima: smaller loads are of an idle instance.
_FACTS: Final = (
    _Fact("redo.commit_ms", "Commit time, average", waits=_COMMITS),
    _Fact("redo.write_ms", "Redo write time, average", waits=_REDO),
    _Fact("redo.log_switches_per_hour", "Log switches", least=4.0),
    _Fact("redo.log_switch_wait_ms", "Log switch wait, average", waits=("redo.log_switch_wait_s",)),
    _Fact("redo.local_write_ms", "`log file parallel write`, average", waits=_REDO,
          unless="redo.write_ms"),
    _Fact("redo.lgwr_busy_pct", "LGWR busy writing", least=10.0),
    _Fact("temp.read_ms", "Temp read time, average", waits=_TEMP),
    _Fact("temp.io_share_pct", "Temp share of I/O", share="temp.io_share_pct"),
    _Fact("undo.read_ms", "Undo read time, average", waits=("undo.read_wait_s",)),
    _Fact("undo.block_write_pct", "Undo share of block writes", share="undo.block_write_pct"),
    _Fact("checkpoint.data_write_ms", "`db file parallel write`, average", waits=_DBWR),
    _Fact("checkpoint.write_pct", "Checkpoint share of block writes", share="checkpoint.write_pct"),
    _Fact("checkpoint.estimated_mttr_s", "Estimated recovery time", least=10.0),
    _Fact("redo.bytes_per_s", "Redo size", least=10_240.0, load=True),
    _Fact("load.physical_writes_per_s", "Physical writes", least=10.0, load=True),
    _Fact("load.physical_reads_per_s", "Physical reads", least=10.0, load=True),
    _Fact("temp.writes", "Temp writes", share="temp.io_share_pct", least=1.0, load=True),
    _Fact("undo.tablespace_writes", "Undo tablespace writes", share="undo.tablespace_write_pct",
          least=1.0, load=True),
)  # fmt: skip


def movers(
    facts: Sequence[Moved],
    events: Sequence[MovedEvent],
    basis: Basis,
    whole: DbTime | None,
    significant: Significance,
    policy: Policy,
) -> tuple[Mover, ...]:
    """About ten changes: the wait events by their share of DB time, then facts.

    A change beyond noise matters only if its wait time is significant, its share or load is large
    enough: twice almost nothing is nothing.
    """
    waited = list(_events(events, basis, whole, policy))
    measured = list(_measured(facts, significant, policy))
    room = max(_EVENTS, _MOST - len(measured))
    waited = waited[:room]
    return (*waited, *measured[: _MOST - len(waited)])


def _events(
    events: Sequence[MovedEvent], basis: Basis, whole: DbTime | None, policy: Policy
) -> Iterator[Mover]:
    for each in events:
        if not each.significant or each.verdict not in CHANGED:
            continue
        share = None
        if whole is not None:
            change = abs(each.after.total_ms - each.before.total_ms)
            share = change * 100 / max(whole.before_ms, whole.after_ms)
            if share < policy[STEP_PCT]:
                continue
        yield Mover(
            each.event, f"`{each.event}`", "ms", each.before.total_ms,
            each.after.total_ms, basis.per, each.change_pct, each.verdict, share,
        )  # fmt: skip


def _measured(
    facts: Sequence[Moved], significant: Significance, policy: Policy
) -> Iterator[Mover]:  # fmt: skip
    known: Mapping[tuple[str, Per], Moved] = {(each.fact, each.per): each for each in facts}
    for spec in _FACTS:
        found = known.get((spec.name, "second" if spec.load else "none"))
        if found is None or found.verdict not in CHANGED:
            continue
        if (same := known.get((spec.unless, "none"))) is not None and same.verdict in CHANGED:
            continue
        if spec.waits and not significant(spec.waits):
            continue
        share = known.get((spec.share, "none"))
        if spec.share and (
            share is None or max(share.before, share.after) < policy[SHARE_PCT]
        ):  # fmt: skip
            continue
        if max(abs(found.before), abs(found.after)) < spec.least:
            continue
        yield Mover(
            found.fact, spec.title, found.unit, found.before, found.after, found.per,
            found.change_pct, found.verdict, None,
        )  # fmt: skip
