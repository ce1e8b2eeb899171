"""Data file writes: the storage as a whole, asynchronous I/O, DBWR, and files that grow.

Source: Oracle Database Performance Tuning Guide, asynchronous I/O and DBWR; Fast-Start
Checkpointing Best Practices for why a higher recovery target makes the write bursts of a DBWR that
is behind worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import case as address_space
from awrlens.advice import commit_waits, features
from awrlens.advice.case import AFTER, advice, backup_alone, backup_before, backup_first
from awrlens.advice.queries import query, texts
from awrlens.model import Recommendation
from awrlens.model.finding import READS_TOO
from awrlens.oracle import host
from awrlens.units import listed, plain

if TYPE_CHECKING:
    from awrlens.advice.case import Case

_DBWR_EVENTS: Final = ("db file parallel write", "db file async I/O submit")
_WRITE_EVENTS: Final = (
    *_DBWR_EVENTS, "log file parallel write", "control file parallel write", "direct path write",
    "direct path write temp",
)  # fmt: skip
_BELOW: Final = "the cause is probably below the database."


def _write_times(case: Case, events: tuple[str, ...]) -> str:
    """A query on the present time of writes: V$SYSTEM_EVENT alone has averages since startup."""
    listed = ", ".join(f"'{event}'" for event in events)
    metric = features.has(case.facts, "v$eventmetric")
    name = "writes_of_the_last_minute" if metric else "writes_since_startup"
    return query(name).format(events=listed)


def _own_load(case: Case) -> tuple[str, str]:
    """What the instance reads or writes if that may be why storage is slow, and a sentence."""
    read, written = case.get("io.read_mb_per_s"), case.get("io.write_mb_per_s")
    logs = str(case.value("redo.log_reads") or "")
    note = case.facts["redo.log_reads"].note if logs else ""
    who = f"{note or 'The lists do not show who reads (a standby, archiving)'}."
    if logs and (read is None or read >= case.policy["storage.own_load_mb_s"]):
        return f"reads of redo logs ({logs.partition('(')[2].partition(')')[0]})", (
            f" {logs[0].upper()}{logs[1:]}: this load is the first suspect. {who}"
        )
    if read is None or written is None:
        return "", f" If the instance itself does not load the storage, {_BELOW}"
    direct, temp = case.or_zero("io.direct_read_pct"), case.or_zero("temp.block_write_pct")
    reader = [f"{direct:.0f} % by direct path reads"] if direct >= _MOST_PCT else []
    if case.value("io.read_segments"):
        reader.append(case.facts["io.read_segments"].note)
    by = f" ({', '.join(reader)})" if reader else ""
    to = f" ({temp:.0f} % of its data and temp blocks to temp)" if temp >= _MOST_PCT else ""
    said = f" The instance itself reads {plain(read)} MB/s{by} and writes {plain(written)} MB/s{to}"
    if max(read, written) < case.policy["storage.own_load_mb_s"]:
        said = f" {logs[0].upper()}{logs[1:]}. {who}{said}" if logs else said
        if synchronous(case):
            return "", f"{said}, which is little. First {asynchronous_first(case)}."
        return "", f"{said}, which is little: {_BELOW}"
    most = f"{'reads' if read >= written else 'writes'} of {max(read, written):,.0f} MB/s"
    if read >= written and len(names := case.facts["io.read_segments"].note.split("; ")) == 1:
        most += f" ({names[0].replace(':', '')})" if names[0][-1:] == "%" else ""
    module = case.value("io.leading_module")
    first = f"tune the SQL of {module} first" if module else "tune its SQL first"
    if _is_without_sql(case):
        first = "find its SQL, which the report does not name"
    return most, f"{said}: this load is the first suspect, so {first}."


def _is_without_sql(case: Case) -> bool:
    """Whether the report names the segments that are read most, but not the SQL that does it."""
    sql = case.value("io.leading_sql") or case.value("io.leading_module")
    return bool(case.value("io.read_segments")) and not sql


#: The share of a reader or writer from which it is named.
_MOST_PCT: Final = 50  # awrlens: the majority


def before_storage(case: Case) -> str:
    """What comes before memory and new storage: asynchronous I/O, and a report without a backup."""
    if case.at_least("info", "CKPT010"):
        return f"first {asynchronous_first(case)}"
    if backup_alone(case):
        ran = f"{backup_first(case)}, and {backup_before(case)}"
        return f"{ran}: first move it or limit its rate"
    backup = backup_first(case)
    return f"{backup}: first analyze a report without it" if backup else ""


def own_load_first(case: Case) -> str:
    """What is checked before new storage, the host or its own load; empty without a suspect."""
    if case.fired("REDO014") and host.suspect(case.get, case.policy.__getitem__):
        return "first check the host's run queue and paging"
    most = _own_load(case)[0] if case.fired("REDO014") else ""
    return f"first check the instance's own {most}" if most else ""


#: Options with which a file system may use its cache, in words.
_THROUGH_CACHE: Final = {"DEFAULT": "not set", "NONE": "NONE", "ASYNCH": "ASYNCH"}


@advice("repair-write-path", "storage", "low", answers=("REDO014",), first=True)
def repair_write_path(case: Case) -> Recommendation:
    """Check the storage's write path."""
    slow = case.by_rule["REDO014"].weight.slow
    reads_too = slow in READS_TOO
    title = "Check the storage: reads and writes" if reads_too else "Check the storage's write path"
    title = "Check the storage's write cache" if slow == "writes" else title
    ran = backup_first(case)
    most, own = ("", "") if ran else _own_load(case)
    options = _THROUGH_CACHE.get(str(case.value("checkpoint.filesystemio_options")))
    may_cache = options and features.has(case.facts, "filesystemio_options")
    files = (
        f" The files are in a file system, and FILESYSTEMIO_OPTIONS is {options}: check whether it "
        "writes through its own cache (direct I/O: SETALL, or a mount option)."
        if may_cache and case.value("checkpoint.asm") == "no" else ""
    )  # fmt: skip
    action = (
        f"{'Reads and several' if reads_too else 'Several'} kinds of writes are slow.{own}{files} "
        "Check the write cache (off, full, battery), synchronous replication, snapshots, the I/O "
        "paths, and other load on the same storage."
    )
    if most:
        title = f"Check the instance's own {most}, then storage"
    if stalls := host.suspect(case.get, case.policy.__getitem__):
        title = commit_waits.HOST_FIRST
        action = f"{stalls.strip()} {action}"
    if backup_alone(case):
        title = "Move the backup to a quiet time, or limit its rate"
        action = (
            f"{ran[0].upper()}{ran[1:]}, and {backup_before(case)}: move it, or limit its rate "
            f"(RMAN: `RATE`, fewer channels). If writes are slow without it, too: {action}"
        )
    elif ran:
        title += ", first without the backup"
        action = (
            f"{ran[0].upper()}{ran[1:]}. Analyze a report without it first. If the "
            "writes are fast there, move the backup to a quiet time or limit its rate (RMAN: "
            f"`RATE`, fewer channels). {action}"
        )
    return Recommendation(
        title,
        action,
        commands=(
            _write_times(case, _WRITE_EVENTS),
            *((query("readers_of_redo_logs"),) if case.value("redo.log_reads") else ()),
            *(
                case.that_run(query("readers_of_segments"))
                if most and _is_without_sql(case)
                else ()
            ),
        ),
        risks=("None: read-only checks.",),
        validate=("all write events decrease together", AFTER),
    )


def cached_read_pct(case: Case) -> float | None:
    """Share of single-block reads that a file system cache probably serves; None if few or none."""
    slower = case.get("io.data_read_slower_1ms_pct")
    in_files = case.value("checkpoint.asm") == "no"
    if slower is None or not in_files:
        return None
    if case.value("checkpoint.filesystemio_options") in ("SETALL", "DIRECTIO"):
        return None
    return 100 - slower if 100 - slower >= case.policy["io.cached_read_pct"] else None


def asynchronous_first(case: Case) -> str:
    """What to do about synchronous writes: a test if a file system cache serves the reads."""
    return f"{'enable' if cached_read_pct(case) is None else 'test'} asynchronous I/O"


_DBWR_MS: Final = ("checkpoint.data_write_ms", "checkpoint.submitted_write_ms")


_WRITERS: Final = {"DBWR": _DBWR_MS, "LGWR": ("redo.local_write_ms",)}
_SETTINGS: Final = ("checkpoint.disk_asynch_io", "checkpoint.filesystemio_options")


def _slow_writers(case: Case) -> list[str]:
    slower_ms = case.policy["impact.slower_ms"]
    return [who for who, names in _WRITERS.items() if max(map(case.or_zero, names)) >= slower_ms]


def _was_harmless(case: Case) -> bool:
    """Whether the same settings wrote fast in the first period of a comparison."""
    first = case._replace(facts=case.before or case.facts)
    same = all(first.value(name) == case.value(name) for name in _SETTINGS)
    before = [max(map(first.or_zero, _WRITERS[who])) for who in _slow_writers(case)]
    return same and bool(before) and all(0 < ms < case.policy["impact.slower_ms"] for ms in before)


def synchronous(case: Case) -> str:
    """The parameter that makes slow writes synchronous; empty if none does, or writes are fast."""
    options = case.value("checkpoint.filesystemio_options")
    if not _slow_writers(case):
        return ""
    if case.value("checkpoint.disk_asynch_io") == "FALSE":
        return "DISK_ASYNCH_IO=FALSE"
    in_files = case.value("checkpoint.asm") == "no" and options in ("NONE", "DIRECTIO")
    return f"FILESYSTEMIO_OPTIONS={options}" if in_files else ""


@advice(
    "asynchronous-io", "restart", "medium",
    answers=("CKPT010", "REDO014", "REDO001", "CKPT001", "CKPT005", "CKPT008"), first=True,
    after=(commit_waits.free_memory, commit_waits.free_processors),
)  # fmt: skip
def asynchronous_io(case: Case) -> Recommendation | None:
    """Enable asynchronous I/O."""
    why = synchronous(case)
    kept = cached_read_pct(case) is not None or _was_harmless(case)
    if kept or not (why or case.fired("CKPT010")):
        return None
    commands, rollback = _asynchronous(case)
    slow = _slow_writers(case)
    write = "write" if len(slow) > 1 else "writes"
    title = f"Enable asynchronous I/O, now {why}" if why else "Enable asynchronous I/O"
    if len(commands) > 1:  # one of the two is not enough
        title = "Enable asynchronous I/O: DISK_ASYNCH_IO=TRUE and FILESYSTEMIO_OPTIONS=SETALL"
    return Recommendation(
        title,
        f"{listed(slow)} {write} synchronously and slowly. Change this before storage; it takes "
        "effect at the next start. With direct I/O, give the memory of the file system cache to "
        "the buffer cache.",
        "tune-first" if commit_waits.by_host(case) else "apply",  # a restart does not free the host
        commands=commands,
        rollback=rollback,
        benefit=case.impact("CKPT010"),
        prerequisites=(
            "the reason why it is off (the platform, or DBWR_IO_SLAVES, which replace it)",
            "a restart",
        ),
        risks=(
            "Without the file system cache, reads go to disk: enlarge the buffer cache.",
            *address_space.bound(case),
        ),
        validate=("`db file parallel write` decreases", AFTER),
    )


@advice(
    "test-direct-io",
    "restart",
    "high",
    answers=("CKPT010",),
    short="testing asynchronous and direct I/O",
)
def try_direct_io(case: Case) -> Recommendation | None:
    """Test asynchronous I/O where the file system cache serves reads."""
    cached = cached_read_pct(case)
    if cached is None:
        return None
    commands, rollback = _asynchronous(case)
    reads_s = case.get("load.data_read_wait_s")
    share = 0.0 if reads_s is None else case.share(reads_s)
    of = f", and reads of data files are {share:.0f} % of {case.base}" if round(share) else ""
    return Recommendation(
        "Test asynchronous and direct I/O with a larger buffer cache",
        f"DBWR probably writes synchronously. But {cached:.0f} % of single-block reads take less "
        f"than 1 ms: the file system cache probably serves them{of}. Direct I/O bypasses this "
        "cache, and these reads may then cost more than faster writes save. Test it with the real "
        "load and the buffer cache enlarged by the memory of the file system cache. "
        "FILESYSTEMIO_OPTIONS=ASYNCH keeps the cache, but many file systems write asynchronously "
        "only with direct I/O.",
        "tune-first",
        commands=commands,
        rollback=rollback,
        benefit=case.impact("CKPT010"),
        prerequisites=(
            "a test with the real load",
            "the buffer cache enlarged by the memory of the file system cache (host: `free`)",
            "a restart",
        ),
        risks=(
            f"Up to {cached:.0f} % of single-block reads go to disk and wait longer.",
            *address_space.bound(case),
        ),
        validate=(
            "`db file sequential read` stays as fast as before",
            "`db file parallel write` or `db file async I/O submit` decreases",
            AFTER,
        ),
    )


def _asynchronous(case: Case) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Commands that turn asynchronous I/O on, and commands for the rollback."""
    name, options = "filesystemio_options", case.value("checkpoint.filesystemio_options")
    commands, rollback = [], []
    if case.value("checkpoint.disk_asynch_io") == "FALSE":
        commands.append(features.change(case.facts, "disk_asynch_io", "TRUE"))
        rollback.append(features.change(case.facts, "disk_asynch_io", "FALSE"))
    in_asm = case.value("checkpoint.asm") == "yes"
    if (
        features.has(case.facts, name) is not False
        and not in_asm
        and options not in ("SETALL", "ASYNCH")
    ):
        commands.append(features.change(case.facts, name, "SETALL"))
        rollback.append(
            f"ALTER SYSTEM RESET {name} SCOPE=SPFILE SID='*';"  # before 11.2, RESET requires SID
            if options == "DEFAULT"
            else features.change(case.facts, name, options or "<value before>")
        )
    return tuple(commands), tuple(rollback)


#: Where DBWR waits; it is blocked in submits if half a process waits for them on average.
_SUBMIT: Final = "checkpoint.async_submit_ms"
_DBWR_WAITS: Final = ("async_submit", "data_write")
_HALF: Final = 0.5  # awrlens: an assumption


@advice("relieve-dbwr", "restart", "medium", answers=("CKPT008", "CKPT005"))
def relieve_dbwr(case: Case) -> Recommendation | None:
    """Speed up DBWR: its storage, its number of processes, or the buffer cache."""
    if case.fired("REDO014"):
        return None
    latency_ms, submit_ms = max(map(case.or_zero, _DBWR_MS)), case.or_zero(_SUBMIT)
    submits_s, writes_s = (case.or_zero(f"checkpoint.{e}_wait_s") for e in _DBWR_WAITS)
    blocked = case.scale.sessions(submits_s) or 0.0
    slower_ms = case.policy["impact.slower_ms"]
    is_blocked = submits_s > writes_s and submit_ms >= slower_ms and blocked >= _HALF
    is_slow = is_blocked or latency_ms >= slower_ms
    # other writes make room in the cache: no recovery setting reduces them
    checkpoints = bool(case.fired("CKPT005"))
    fewer = "larger redo logs, a higher recovery target" if checkpoints else "a larger buffer cache"
    if is_slow:
        title = "Speed up DBWR: faster or fewer data file writes"
        takes = f"'s writes take {plain(latency_ms, 3)} ms"
        if is_blocked:
            takes = (
                f" waits {plain(submit_ms, 3)} ms per `db file async I/O submit`, "
                f"{plain(blocked, 2)} processes on average: the storage does not accept its writes"
            )
        action = f"DBWR{takes}. Use faster storage for data files, or reduce the writes ({fewer})."
    elif all(case.get(name) is None for name in _DBWR_MS):
        title = "Speed up DBWR, after measuring its writes"
        action = (
            "The report does not show how long DBWR's writes take. If they are slow, use faster "
            f"storage for data files or reduce the writes ({fewer}). Otherwise add DBWR processes "
            "(DB_WRITER_PROCESSES) or enlarge the buffer cache."
        )
    else:
        title = "Speed up DBWR: more processes or a larger buffer cache"
        action = texts("more DBWR processes")[0]
    risk = "A larger cache takes memory; more DBWR processes take CPU."
    risk = "Larger redo logs lengthen recovery." if is_slow and checkpoints else risk
    return Recommendation(
        title,
        action,
        commands=(_write_times(case, _DBWR_EVENTS), "SHOW PARAMETER db_writer_processes"),
        benefit=case.impact(*case.fired("CKPT008", "CKPT005")),
        risks=(risk, *(() if checkpoints else address_space.bound(case))),
        validate=("`free buffer waits` and `write complete waits` decrease", AFTER),
    )


@advice("size-files-up-front", "online", "low", answers=("UNDO012",))
def size_files_up_front(case: Case) -> Recommendation | None:
    """Preallocate the files that grow."""
    if case.fired("UNDO014"):  # these are files of undo, which need more space
        return None
    return Recommendation(
        "Preallocate the files that grow",
        texts("files that grow")[0],
        commands=(query("growing_files"),),
        benefit=case.impact("UNDO012"),
        risks=("The files take their full space at once.",),
        validate=("buffer busy waits of class `file header block` disappear", AFTER),
    )


@advice("speed-up-flashback-logs", "storage", "low", answers=("REDO015",))
def speed_up_flashback_logs(case: Case) -> Recommendation:
    """Move the flashback logs to faster disks."""
    return Recommendation(
        "Move the flashback logs to faster disks",
        texts("faster flashback logs")[0],
        commands=("SELECT name, space_limit, space_used FROM v$recovery_file_dest;",),
        benefit=case.impact("REDO015"),
        risks=("Without Flashback Database, point-in-time recovery needs a backup.",),
        validate=("`flashback log file sync` disappears from the foreground events", AFTER),
    )


#: What answers findings, in the order of a plan.
ANSWERS: Final = (
    asynchronous_io, try_direct_io, repair_write_path, relieve_dbwr,
    size_files_up_front, speed_up_flashback_logs,
)  # fmt: skip
