"""Combines the events of an alert log: starts, recoveries, reconfigurations, log switches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.recovery.alertlog import Event, Log

#: Bytes of a redo block on Linux, Solaris, AIX and Windows (HP-UX has 1024; 4096 on request).
REDO_BLOCK_BYTES: Final = 512
_KB: Final = 1024
_S_PER_HOUR: Final = 3600.0


class Span(NamedTuple):
    """Seconds between two lines of the log; either may be missing."""

    begin: Event | None = None
    end: Event | None = None

    @property
    def seconds(self) -> float | None:
        """The time between both; None if a line or its time is missing, or the clock went back."""
        if self.begin is None or self.end is None or None in (self.begin.at, self.end.at):
            return None
        passed = (self.end.at - self.begin.at).total_seconds()  # type: ignore[operator]
        return passed if passed >= 0 else None

    @property
    def lines(self) -> list[int]:
        """The lines of both events."""
        return [event.line for event in self if event is not None]


class Recovery(NamedTuple):
    """A crash or instance recovery: scan (first pass), apply (second pass), amounts."""

    begin: Event
    kind: str
    threads: int
    whole: Span
    scan: Span
    apply: Span
    redo_kb: float | None
    blocks_needed: int | None
    blocks_read: int | None
    applied_mb: float | None
    #: FAST_START_MTTR_TARGET when the instance failed: 0 is not set, None is not known.
    target_s: int | None
    #: The start that a crash recovery belongs to, as its index.
    start: int | None = None

    @property
    def blocks(self) -> int | None:
        """Data blocks that the second pass had to read."""
        return self.blocks_needed if self.blocks_needed is not None else self.blocks_read


class Start(NamedTuple):
    """A start of the instance: start-up, mount, open, and the recovery during the start."""

    begin: Event
    release: str | None
    #: From the start to the mount command.
    startup: Span
    mount: Span
    open: Span
    whole: Span
    recovery: int | None = None


class Reconfiguration(NamedTuple):
    """A reconfiguration of the cluster with its steps; ``printed_s`` is Oracle's own time."""

    begin: Event
    whole: Span
    steps: tuple[Event, ...] = ()
    printed_s: float | None = None
    #: Instances of the cluster from now on, and those that left or joined; None is not listed.
    members: frozenset[int] | None = None
    dead: frozenset[int] | None = None
    joined: frozenset[int] | None = None
    #: Whether the log says that the redo of a dead instance has to be recovered.
    invalid: bool = False

    @property
    def seconds(self) -> float | None:
        """Its length, as printed or between the lines."""
        return self.printed_s if self.printed_s is not None else self.whole.seconds


class Episodes(NamedTuple):
    """All recovery events of an alert log."""

    log: Log
    starts: tuple[Start, ...]
    recoveries: tuple[Recovery, ...]
    reconfigurations: tuple[Reconfiguration, ...]
    #: FAST_START_MTTR_TARGET at the end of the log: 0 is not set, None is not known.
    target_s: int | None
    #: Messages on targets out of the valid range.
    ranges: tuple[Event, ...]
    #: Lines of starts without a preceding shutdown or termination in the log.
    unannounced: tuple[int, ...]
    #: Lines where log sequence numbers have a gap: part of the alert log is missing.
    jumps: tuple[int, ...]

    @property
    def clustered(self) -> bool | None:
        """Whether the instance belongs to a cluster; None if the log does not show it."""
        if self.reconfigurations or any(each.kind == "instance" for each in self.recoveries):
            return True
        said = self.parameter("cluster_database")
        return None if said is None else said.upper() == "TRUE"

    def parameter(self, name: str) -> str | None:
        """An initialization parameter as last listed in the log."""
        found = [e for e in self.log.of("parameter") if e.values["name"] == name]
        return found[-1].values["value"].strip().strip("'\"") if found else None


class _Builder:
    """Goes through the events once and keeps the current start and recovery."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.starts: list[Start] = []
        self.recoveries: list[Recovery] = []
        self.reconfigurations: list[Reconfiguration] = []
        self.unannounced: list[int] = []
        self.target: int | None = None
        self.target_before: int | None = None
        self._start: dict[str, Event] = {}
        self._release: str | None = None
        self._recovery: dict[str, Event] = {}
        self._within: int | None = None
        self._list: Event | None = None
        self._down: Event | None = None
        self._crashed = False

    def run(self) -> Episodes:
        for event in self.log.events:
            handle = getattr(self, f"_on_{event.kind}", None)
            if handle is not None:
                handle(event)
            elif event.kind in _OF_START and self._start:
                self._start.setdefault(event.kind, event)
            elif event.kind in _OF_RECOVERY and self._recovery:
                self._recovery.setdefault(event.kind, event)
        self._finish_recovery()
        self._finish_start()
        switches = self.log.of("log_switch")
        return Episodes(
            self.log, tuple(self.starts), tuple(self.recoveries),
            tuple(self.reconfigurations), self.target, tuple(self.log.of("target_range")),
            tuple(self.unannounced), tuple(_jumps(switches)),
        )  # fmt: skip

    # shutdown and start

    def _on_shutdown(self, event: Event) -> None:
        self._down = event

    _on_terminated = _on_shutdown_complete = _on_shutdown

    def _on_start(self, event: Event) -> None:
        self._finish_recovery()
        self._finish_start()
        self._crashed = self._down is None and bool(self.starts)
        self._down = None
        self.target_before = self.target
        self._start = {"start": event}

    def _on_release(self, event: Event) -> None:
        values = event.values
        self._release = values.get("full") or values.get("old") or values.get("long")

    def _on_parameters(self, event: Event) -> None:  # noqa: ARG002 - all handlers take the event
        """A list of non-default parameters: a target that is not listed is not set."""
        self.target = 0

    def _on_parameter(self, event: Event) -> None:
        if event.values["name"] == "fast_start_mttr_target":
            self.target = _whole(event.number("value"))

    def _on_target_set(self, event: Event) -> None:
        if "spfile" not in event.values["scope"].lower():
            self.target = _whole(event.number("seconds"))

    def _on_target_range(self, event: Event) -> None:
        self.target = _whole(event.number("used"))

    def _on_target_unset(self, event: Event) -> None:  # noqa: ARG002 - all handlers take the event
        self.target = 0

    def _on_open_end(self, event: Event) -> None:
        self._finish_recovery()
        if self._start:
            self._start.setdefault("open_end", event)
            self._finish_start()

    def _finish_start(self) -> None:
        found, self._start = self._start, {}
        if not found:
            return
        begin = found["start"]
        # 12c prints the banner again when it begins a new log.xml, without a mount
        if self._crashed and "mount_begin" in found:
            self.unannounced.append(begin.line)
        self.starts.append(
            Start(
                begin, self._release, Span(begin, found.get("mount_begin")),
                Span(found.get("mount_begin"), found.get("mount_end")),
                Span(found.get("open_begin"), found.get("open_end")),
                Span(begin, found.get("open_end")), self._within,
            )
        )  # fmt: skip
        self._within = None

    # recovery

    def _on_recovery_begin(self, event: Event) -> None:
        self._finish_recovery()
        self._recovery = {"recovery_begin": event}

    def _on_recovery_end(self, event: Event) -> None:
        if self._recovery:
            # 9i prints `Ended recovery at` and then `completed successfully`
            self._recovery.setdefault("recovery_end", event)

    def _finish_recovery(self) -> None:
        found, self._recovery = self._recovery, {}
        if not found:
            return
        begin = found["recovery_begin"]
        crash = begin.values["kind"].lower() == "crash"
        # in 9i, the end of recovery is also the end of the second pass
        apply_end = found.get("apply_end") or found.get("recovery_end")
        scanned, recovered = found.get("scanned"), found.get("recovered")
        before = self.target_before if crash and self._start else self.target
        self.recoveries.append(
            Recovery(
                begin, begin.values["kind"].lower(), int(begin.values["threads"]),
                Span(begin, found.get("recovery_end")),
                Span(found.get("scan_begin"), found.get("scan_end")),
                Span(found.get("apply_begin"), apply_end),
                _redo_kb(scanned) or _redo_kb(recovered),
                _whole(scanned.number("need") if scanned else None),
                _whole(recovered.number("read") if recovered else None),
                found["apply_end"].number("mb") if "apply_end" in found else None,
                before if before is not None else self.target,
                len(self.starts) if crash and self._start else None,
            )
        )  # fmt: skip
        if crash and self._start:
            self._within = len(self.recoveries) - 1

    # cluster

    def _on_reconfiguration_begin(self, event: Event) -> None:
        self.reconfigurations.append(Reconfiguration(event, Span(event, None)))
        self._list = None

    def _on_member_list(self, event: Event) -> None:
        self._list = event
        if "numbers" in event.values:
            self._on_member_numbers(event)

    def _on_member_numbers(self, event: Event) -> None:
        if self._list is None or not self.reconfigurations:
            return
        printed = self._list.values["list"]
        # nodes begin with 0, instances with 1
        first = 1 if printed == "List of nodes" else 0
        numbers = re.split("[ ,]+", event.values["numbers"])
        found = frozenset(int(each) + first for each in numbers)
        last = self.reconfigurations[-1]
        if printed == "Dead instances":
            last = last._replace(dead=found)
        elif printed == "New instances":
            last = last._replace(joined=found)
        else:
            last = last._replace(members=found)
        self.reconfigurations[-1] = last
        self._list = None

    def _on_dead_instance(self, event: Event) -> None:
        if self.reconfigurations and event.values["invalid"].upper() == "TRUE":
            self.reconfigurations[-1] = self.reconfigurations[-1]._replace(invalid=True)

    def _on_reconfiguration_step(self, event: Event) -> None:
        if self.reconfigurations and self.reconfigurations[-1].whole.end is None:
            last = self.reconfigurations[-1]
            self.reconfigurations[-1] = last._replace(steps=(*last.steps, event))

    def _on_reconfiguration_end(self, event: Event) -> None:
        if self.reconfigurations and self.reconfigurations[-1].whole.end is None:
            last = self.reconfigurations[-1]
            span = Span(last.begin, event)
            self.reconfigurations[-1] = last._replace(whole=span, printed_s=event.number("seconds"))


_OF_START: Final = ("mount_begin", "mount_end", "open_begin")
_OF_RECOVERY: Final = (
    "scan_begin", "scan_end", "scanned", "apply_begin", "apply_end", "recovered",
)  # fmt: skip


def assemble(log: Log) -> Episodes:
    """The starts, recoveries and reconfigurations of a log."""
    return _Builder(log).run()


def _redo_kb(event: Event | None) -> float | None:
    if event is None:
        return None
    kb, blocks = event.number("kb"), event.number("blocks")
    return kb if kb is not None else None if blocks is None else blocks * REDO_BLOCK_BYTES / _KB


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _jumps(switches: Iterable[Event]) -> Iterator[int]:
    """Lines where a thread's log sequence numbers have a gap."""
    last: dict[str, int] = {}
    for event in switches:
        thread, number = event.values["thread"], int(event.values["logseq"])
        if thread in last and number > last[thread] + 1:
            yield event.line
        last[thread] = number
