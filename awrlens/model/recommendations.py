"""The catalogue of recommendations: what each answers, what comes before it, and what it ends.

``awrlens.advice.plan`` has the function that words each of them for a report. The order here is the
order of a plan among recommendations that answer the same finding and save as much.

Sources: Write Accelerator, Summary (parameters, then sizes and memory, then storage); Fast-Start
Checkpointing Best Practices; Oracle Database Reference and Administrator's Guide (what changes
online, and what needs a restart). The risk is awrlens' judgement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model.finding import Effort, Risk


class Sign(NamedTuple):
    """A fact that shows that a recommendation was carried out, because it rises or falls."""

    fact: str
    words: str
    rises: bool = False


class Entry(NamedTuple):
    """A recommendation as declared: the same for every report."""

    id: str
    about: str
    #: Where the change is made, and its risk; empty if nothing is changed.
    effort: Effort | Literal[""] = ""
    risk: Risk | Literal[""] = ""
    #: A finding of one of these rules is needed; a finding of ``also`` is answered as well.
    answers: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    #: Recommendations that come first if they are in the same plan.
    after: tuple[str, ...] = ()
    #: Facts with the waits that it reduces.
    ends: tuple[str, ...] = ()
    sign: Sign | None = None
    #: Whether it comes first among those for one finding, whatever they save.
    first: bool = False
    #: The same without its status, for lists of one status; empty: the title.
    short: str = ""


#: Rules on waits for LGWR.
COMMIT_RULES: Final = (
    "REDO001", "REDO002", "REDO003", "REDO006", "REDO008", "REDO009", "REDO010", "REDO011",
    "REDO012", "REDO013", "REDO014",
)  # fmt: skip
_TEMP_WAITS: Final = ("temp.direct_wait_s",)

ENTRIES: Final = (
    Entry(
        "remove-checkpoint-parameters", "Remove parameters that override the recovery target.",
        "online", "low", answers=("CKPT002",),
    ),
    Entry(
        "enlarge-redo-logs", "Add redo log groups, larger ones if the redo rate needs them.",
        "online", "low", answers=("REDO004", "REDO005", "REDO007", "CKPT001"), also=("CKPT006",),
        ends=("redo.log_switch_wait_s",),
        sign=Sign("redo.mb_per_switch", "MB of redo per log switch", rises=True),
    ),
    Entry(
        "free-memory", "Free memory on the host.", "host", "medium", answers=COMMIT_RULES,
        first=True,
    ),
    Entry(
        "free-processors", "Free CPU for LGWR.", "host", "medium",
        answers=(*COMMIT_RULES, "REDO004"), first=True,
    ),
    Entry(
        "asynchronous-io", "Enable asynchronous I/O.", "restart", "medium", answers=("CKPT010",),
        first=True,
    ),
    Entry(
        "test-direct-io", "Test asynchronous I/O where the file system cache serves reads.",
        "restart", "high", answers=("CKPT010",), short="asynchronous and direct I/O",
    ),
    Entry(
        "repair-write-path", "Check the storage's write path.", "storage", "low",
        answers=("REDO014",), first=True,
    ),
    Entry(
        "relieve-dbwr", "Speed up DBWR: its storage, its number of processes, or the buffer cache.",
        "restart", "medium", answers=("CKPT008", "CKPT005"),
    ),
    Entry(
        "isolate-undo", "Move undo to disks that no data file uses.", "online", "low",
        answers=("UNDO010",),
    ),
    Entry(
        "size-files-up-front", "Preallocate the files that grow.", "online", "low",
        answers=("UNDO012",),
    ),
    Entry(
        "speed-up-flashback-logs", "Move the flashback logs to faster disks.", "storage", "low",
        answers=("REDO015",),
    ),
    Entry(
        "free-lgwr", "Check what LGWR waits for besides the log write.", "host", "medium",
        answers=("REDO002", "REDO003"), after=("enlarge-redo-logs",), ends=("redo.sync_wait_s",),
    ),
    Entry(
        "speed-up-acknowledgement", "Check what acknowledges commits in RAC.", "host", "medium",
        answers=("REDO013",),
    ),
    Entry(
        "commit-less-often", "Commit once per unit of work.", "application", "medium",
        answers=("REDO006",), also=("REDO008",), ends=("redo.sync_wait_s",),
        sign=Sign("redo.commits_per_s", "commits per second"),
    ),
    Entry(
        "size-undo", "Size the undo tablespace for the retention.", "online", "low",
        answers=("UNDO004", "UNDO008"),
    ),
    Entry(
        "roll-back-less", "Find the modules that roll back.", "application", "medium",
        answers=("UNDO002",), first=True,
    ),
    Entry(
        "more-undo-segments", "Keep enough undo segments online.", "online", "low",
        answers=("UNDO005", "UNDO006"), ends=("undo.us_enqueue_wait_s", "undo.header_wait_s"),
    ),
    Entry(
        "watch-parallel-rollback", "Monitor the rollback of a dead transaction.", "online", "low",
        answers=("UNDO011",),
    ),
    Entry(
        "more-work-area-memory", "Increase PGA_AGGREGATE_TARGET.", "online", "medium",
        answers=("TEMP001", "TEMP003", "TEMP005"), ends=_TEMP_WAITS,
        sign=Sign("pga.target_mb", "MB of PGA target", rises=True),
    ),
    Entry(
        "size-work-areas", "Replace or enlarge the work areas of manual PGA.", "online", "medium",
        answers=("TEMP001", "TEMP003", "TEMP007"), ends=_TEMP_WAITS,
    ),
    Entry(
        "tune-spilling-statements", "Tune the SQL that spills to temp.", "application", "medium",
        answers=("TEMP001", "TEMP003", "TEMP005", "TEMP006", "TEMP008"), ends=_TEMP_WAITS,
    ),
    Entry(
        "find-pga-users", "Find what uses PGA memory up to its limit.", "application", "medium",
        answers=("TEMP009",), first=True,
    ),
    Entry(
        "enlarge-temp", "Enlarge the temporary tablespace.", "online", "low",
        answers=("TEMP010",),
    ),
    Entry(
        "isolate-temp", "Move the tempfiles to disks that no data file uses.", "online", "low",
        answers=("TEMP004",),
    ),
    Entry(
        "turn-checksums-on", "Set DB_BLOCK_CHECKSUM to TYPICAL.", "online", "low",
        answers=("INTG001",),
    ),
    Entry(
        "look-for-lost-writes", "Set DB_LOST_WRITE_PROTECT to TYPICAL.", "online", "medium",
        answers=("INTG003",),
    ),
    Entry(
        "check-nowait-commits", "Check that commits with NOWAIT are intended.", "application",
        "low", answers=("INTG004",),
    ),
    Entry(
        "measure-block-checking", "Measure the cost of block checking.", "online", "medium",
        answers=("INTG002",),
    ),
    Entry("no-mttr-target", "FAST_START_MTTR_TARGET does not apply to this database."),
    Entry(
        "leave-mttr-target", "Leave FAST_START_MTTR_TARGET unset.",
        short="setting FAST_START_MTTR_TARGET",
    ),
    Entry(
        "reset-mttr-target",
        "Reset FAST_START_MTTR_TARGET: set to 0, it turns automatic checkpoint tuning off.",
        "restart", "low", short="resetting FAST_START_MTTR_TARGET=0 now",
    ),
    Entry(
        "keep-mttr-target", "Keep FAST_START_MTTR_TARGET.", short="changing FAST_START_MTTR_TARGET"
    ),
    Entry(
        "relax-mttr-target", "Increase FAST_START_MTTR_TARGET if the service level allows.",
        "online", "low", answers=("CKPT005",),
    ),
    Entry(
        "set-mttr-target", "Set FAST_START_MTTR_TARGET.", "online", "low",
        also=("CKPT003", "CKPT004", "CKPT007"),
        after=("remove-checkpoint-parameters", "enlarge-redo-logs"),
    ),
    Entry(
        "redo-storage", "Whether to move the redo logs to low-latency storage.",
        "storage", "medium",
        after=(
            "free-memory", "repair-write-path", "enlarge-redo-logs", "free-lgwr",
            "commit-less-often",
        ),
        ends=("redo.sync_wait_s", "redo.buffer_wait_s"),
        sign=Sign("redo.write_ms", "ms per redo write"),
        short="faster storage for redo",
    ),
    Entry(
        "temp-storage", "Whether to move the tempfiles to low-latency storage.",
        "storage", "medium",
        after=(
            "repair-write-path", "more-work-area-memory", "size-work-areas",
            "tune-spilling-statements",
        ),
        ends=_TEMP_WAITS, sign=Sign("temp.read_ms", "ms per read of temporary segments"),
        short="faster storage for temp",
    ),
    Entry(
        "undo-storage", "Whether to move undo to low-latency storage.", "storage", "medium",
        after=("repair-write-path", "roll-back-less", "size-undo"),
        ends=("undo.buffer_wait_s", "undo.read_wait_s"),
        sign=Sign("undo.read_ms", "ms per undo read"),
        short="faster storage for undo",
    ),
    Entry(
        "hot-segments", "Consider hot tablespaces and segments after redo, temp and undo.",
        "storage", "medium", short="faster storage for hot data",
    ),
    Entry(
        "find-lgwr-waits", "Find what LGWR waits for besides a slow log write.", "host", "low",
        answers=("REDO001",),
    ),
    Entry(
        "relieve-log-device", "Find what slows down the redo log device.", "storage", "medium",
        answers=("REDO001",),
    ),
)  # fmt: skip
#: The catalogue by id.
CATALOGUE: Final[Mapping[str, Entry]] = {each.id: each for each in ENTRIES}


def entry(recommendation: str) -> Entry:
    """The entry of a recommendation; an empty one for those of budgets, plugins and logs."""
    return CATALOGUE.get(recommendation, _NONE)


_NONE: Final = Entry("", "")
