"""Where files belong: what to ask before redo logs move, and what is next after the write path.

Source: Write Accelerator, text on figure 2 (the run queue, separate devices, LGWR's priority) and
Summary ("hot indexes and tables").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice.parts import AFTER
from awrlens.model import Recommendation
from awrlens.policy import Threshold
from awrlens.units import plain
from awrlens.weigh import Scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.commit_model import Commits
    from awrlens.advice.storage_case import Case
    from awrlens.model import Fact
    from awrlens.policy import Policy

COUNTER_RATIO: Final = Threshold(
    "storage.counter_ratio", 2.0, "ratio",
    "`log file parallel write` over LGWR's own counter above which the saving is stated by both",
    "Write Accelerator, figure 2 and its text (3.78 ms and 1 ms for the same writes); awrlens",
)  # fmt: skip
HOT_READS_PCT: Final = Threshold(
    "storage.hot_reads_pct", 20.0, "%",
    "share of waits for reads of data files in DB time above which hot segments are named",
    "awrlens: a fifth; Write Accelerator, Summary, names hot indexes and tables last",
)  # fmt: skip
THRESHOLDS: Final = (COUNTER_RATIO, HOT_READS_PCT)

_SCRIPT: Final = "`awrlens sql redo-placement`"


def questions(facts: Mapping[str, Fact]) -> tuple[str, ...]:
    """What to find out before redo logs are moved, unless the report answers it."""
    asked = []
    known = ("host.idle_pct", "host.load_per_cpu_end", "host.cpu_wait_pct")
    if all(facts[name].number is None for name in known):
        asked.append(
            f"a run queue without waits for CPU in this interval (vmstat, or {_SCRIPT}): the "
            "report does not show it"
        )
    asked.append(
        "redo logs that share no device with data files, archived logs or backups now "
        f"({_SCRIPT}): the report does not show it"
    )
    asked.append(
        "LGWR that is not displaced by other processes: its priority (`ps -eo pri,ni,comm,args | "
        "grep ora_lgwr`) is not in the report"
    )
    return tuple(asked)


def by_counter(case: Case, now: Commits, device_ms: float) -> str:
    """The saving by LGWR's own counter, if the event shows much more per write; else empty."""
    counter, event = case.get("redo.write_ms"), case.get("redo.parallel_write_ms")
    if not counter or not event or event / counter < case.policy[COUNTER_RATIO]:
        return ""
    least = now.waits * max(0.0, counter - device_ms) / 1000
    return (
        f" However, LGWR's own counter shows {plain(counter, 3)} ms per write: by it, shorter "
        f"writes save only {least:,.0f} s, {case.share(least):.1f} % of DB time. First find out "
        "what else LGWR waits for."
    )


def hot_segments(facts: Mapping[str, Fact], policy: Policy) -> list[Recommendation]:
    """Segments to move after redo, temp and undo, if sessions wait for reads of data files."""
    scale = Scale(facts, policy)
    waited = facts["load.data_read_wait_s"].number
    share = None if waited is None else scale.share(waited)
    kinds = (
        ("physical reads", "io.read_segments"),
        ("physical writes", "io.write_segments"),
        ("buffer busy waits", "io.busy_segments"),
    )
    hot = {what: facts[name] for what, name in kinds if facts[name].value is not None}
    if share is None or share < policy[HOT_READS_PCT] or "physical reads" not in hot:
        return []
    named = "; ".join(f"by {what}: {fact.note.replace('; ', ', ')}" for what, fact in hot.items())
    return [
        Recommendation(
            id="hot-segments",
            title="Then consider the hot segments",
            action=f"Sessions waited {waited:,.0f} s, {share:.1f} % of DB time, for reads of data "
            f"files. Hot segments {named}. First tune the SQL that reads them and "
            "size the buffer cache; after redo, temp and undo, move their tablespaces to "
            "low-latency storage.",
            status="tune-first",
            commands=(
                "ALTER TABLE <table> MOVE TABLESPACE <low-latency tablespace>;",
                "ALTER INDEX <index> REBUILD TABLESPACE <low-latency tablespace>;",
            ),
            rollback=("Move the segments back in the same way.",),
            benefit=scale.impact(None, "not quantified: it depends on the SQL"),
            prerequisites=("the steps for redo, temp and undo",),
            risks=(_MOVE,),
            validate=("`db file sequential read` takes less time", AFTER),
        )
    ]


_MOVE: Final = (
    "ALTER TABLE MOVE locks the table and makes its indexes unusable, except with ONLINE (12.2 and "
    "later)."
)
