"""Reads alert logs of every release: events with their times and lines, combined to episodes.

One pass over the text with one pattern, built from `messages.toml`. Three layouts: text, the XML of
11g and later, and spooled queries of V$DIAG_ALERT_EXT, which may be in descending order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime, timedelta
from functools import cache
from itertools import dropwhile
from typing import TYPE_CHECKING, Any, Final, Literal

from awrlens import api
from awrlens.errors import NotAReportError, UnknownInputError, UsageError
from awrlens.lazy import NamedTuple, beside, regex
from awrlens.oracle.checkpoints import REDO_BLOCK_B
from awrlens.report.dates import parse_datetime
from awrlens.source.kind import ALERT_LOG_WORDS
from awrlens.source.saved_pages import unescape
from awrlens.units import without_long_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from awrlens.redact.names import Names


Layout = Literal["text", "xml", "spool"]


_CLASSIC: Final = (
    r"[^\W\d_]{2,5}\.?,? (?:[^\W\d_]{3,9}\.? +\d{1,2}|\d{1,2}\.? [^\W\d_]{3,9}\.?) "
    r"\d{1,2}:\d\d:\d\d (?:[A-Z]{2,5}(?:[-+]\d{1,4})? )?\d{4}"
)
_ISO: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)? ?(?:Z|[-+]\d\d:?\d\d)?"
_ROW: Final = r"(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{4}|\d{4}-\d\d-\d\d)[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?"
#: What may precede a message: a quotation or list mark, blanks, the tag of the XML log.
_BEFORE: Final = r"[> \t]{0,8}+"
_MARKUP: Final = r"[ \t]*(?:[a-z_]+='|</|<attr\b|<msg\b|<txt/?>[ \t]*$)|[ \t]*$"
_FRACTION: Final = regex(r"[.,](\d+)")
#: How messages begin that may continue on the next line.
_HEADS: Final = ("List of ", "Dead instances", "New instances")


class Message(NamedTuple):
    """A kind of message, as in `messages.toml`."""

    event: str
    pattern: str
    releases: str
    example: str
    #: The message that this one continues: without it, the line is no message.
    below: str = ""


class Event(NamedTuple):
    """A message that was found; ``at`` is None before the first time stamp."""

    kind: str
    at: datetime | None
    line: int
    text: str
    values: Mapping[str, str]

    def number(self, name: str) -> float | None:
        """A number of the message; None if this release does not print it."""
        text = self.values.get(name)
        try:
            return None if text is None else float(text)
        except ValueError:
            return None

    @property
    def release(self) -> str | None:
        """The release, of a message that has one."""
        return self.values.get("full") or self.values.get("old") or self.values.get("long")


class Log(NamedTuple):
    """The events of an alert log in order of time, and the number of unknown lines."""

    source: str
    layout: Layout
    events: tuple[Event, ...]
    first: datetime | None
    last: datetime | None
    lines: int
    unknown_lines: int
    resolution_s: float
    #: Line and seconds of each step of the clock backwards.
    steps: tuple[tuple[int, float], ...]

    def of(self, *kinds: str) -> list[Event]:
        """The events of some kinds."""
        return [event for event in self.events if event.kind in kinds]


@cache
def messages() -> tuple[Message, ...]:
    """Every known message, in the order of a crash and restart."""
    import tomllib

    known = tomllib.loads(beside(__file__, "messages.toml"))["message"]
    return tuple(Message(**message) for message in known)


def is_alert_log(text: str) -> bool:
    """Whether a text has a message of alert logs with a time stamp."""
    if not any(word in text for word in ALERT_LOG_WORDS):
        return False
    timed = dropwhile(lambda match: match["stamp"] is None, _reader(_layout(text)).finditer(text))
    return any(match["message"] is not None for match in timed)


def read(text: str, source: str = "<text>") -> Log:
    """The events of an alert log; NotAReportError without a known message."""
    text = without_long_figures(text)
    layout = _layout(text)
    stamps: list[tuple[int, str]] = []
    begins: list[int] = []
    blanks = 0
    headed = False
    for match in _reader(layout).finditer(text):
        if match["stamp"] is not None:
            stamps.append((match.start(), match["stamp"]))
        if match["message"] is not None:
            begins.append(match.start("message"))
            headed = match["message"].startswith(_HEADS)
        elif match["below"] is not None:
            if headed:
                begins.append(match.start("below"))
            headed = False
        elif match["stamp"] is None:
            blanks += 1
    if not begins:
        raise NotAReportError(
            "This is not an alert log: no line contains a known message.",
            source=source,
            hint="Give the alert log of a database instance: text, log.xml or a spooled query.",
        )
    times = _times([stamp for _, stamp in stamps], layout)
    lines = text.count("\n") + (not text.endswith("\n"))
    understood = len({at for at, _ in stamps} if layout == "spool" else begins) + blanks
    if layout == "text":
        understood += len(stamps)
    events = list(_events(text, begins, [at for at, _ in stamps], times))
    timed = [time for time in times if time is not None]
    newest_first = len(timed) > 1 and timed[0] > timed[-1]
    steps = () if newest_first else tuple(_steps(text, stamps, times))
    if layout == "spool" and newest_first:
        # the lists of one second cannot be told apart
        events = [event for event in events if event.kind != "member_numbers"]
        rank = {message.event: n for n, message in enumerate(messages())}
        events.sort(key=lambda e: (e.at or datetime.min, rank[e.kind], -e.line))  # noqa: DTZ901 - no zone
    fractions = any(_FRACTION.search(stamp) for _, stamp in stamps[:100])
    return Log(
        source, layout, tuple(events), min(timed, default=None), max(timed, default=None), lines,
        max(0, lines - understood), 0.001 if fractions else 1.0, steps,
    )  # fmt: skip


def _layout(text: str) -> Layout:
    head = text[:65536]
    if re.search(r"<msg\s+time=", head):
        return "xml"
    return "spool" if re.search(rf"^{_ROW}[ \t]*[,;|]", head, re.M) else "text"


@cache
def _reader(layout: Layout) -> re.Pattern[str]:
    """One pattern for a whole log: a time stamp, a message, or both on a row of a spool."""
    # one group for all messages: a branch that begins with a plain letter fails at once; a branch
    # with its own group does not, which takes twice as long
    bare = [(re.sub(r"[?]P<[a-z_]+>", "?:", e.pattern), e.below) for e in messages()]
    parts = "|".join(pattern for pattern, below in bare if not below)
    continued = "|".join(pattern for pattern, below in bare if below)
    parts = f"(?:(?P<message>{parts})|(?P<below>{continued}))"
    if layout == "spool":
        pattern = rf"(?P<stamp>{_ROW})[ \t]*[,;|][ \t]*{parts}?"
    elif layout == "xml":
        stamp = rf"[ \t]*<msg\s+time=['\"](?P<stamp>{_ISO})"
        pattern = rf"(?:{stamp}|[ \t]*(?:<txt>)?[ \t]*{parts}|{_MARKUP})"
    else:
        pattern = rf"{_BEFORE}(?:(?P<stamp>{_CLASSIC}|{_ISO})[ \t]*\r?$|{parts}|\r?$)"
    return re.compile(f"^{pattern}", re.M)


def _events(
    text: str, begins: list[int], at: list[int], times: list[datetime | None]
) -> Iterator[Event]:
    patterns = [(message.event, re.compile(message.pattern)) for message in messages()]
    line = 1
    counted = 0
    for begin in begins:
        line += text.count("\n", counted, begin)
        counted = begin
        end = text.find("\n", begin)
        printed = text[begin : end if end >= 0 else len(text)]
        for number, (kind, pattern) in enumerate(patterns):
            match = pattern.match(printed)
            if match is None:
                continue
            stamp = bisect_right(at, begin) - 1
            values = match.groupdict().items()
            yield Event(
                kind, times[stamp] if stamp >= 0 else None, line,
                unescape(printed.split("</txt>")[0]).strip()[:200],
                {name: unescape(value) for name, value in values if value is not None},
            )  # fmt: skip
            if number:  # the same message often comes again
                patterns.insert(0, patterns.pop(number))
            break


def _times(stamps: list[str], layout: Layout) -> list[datetime | None]:
    """Every time stamp as a time; an invalid one takes the time before it."""
    # in a spool, the month comes first, as in 05/13/2021, if any second number is above 12
    month_first = layout == "spool" and any(
        int(stamp[3:5]) > 12  # noqa: PLR2004 - no month has such a number
        for stamp in stamps
        if re.match(r"\d\d[/.-]\d\d[/.-]\d{4}", stamp)
    )
    times: list[datetime | None] = []
    last: datetime | None = None
    for stamp in stamps:
        last = _time(stamp, month_first=month_first) or last
        times.append(last)
    return times


@cache
def _month(name: str) -> int | None:
    """The number of a month by its name in any language that Oracle ships."""
    date = parse_datetime(f"1-{name[:5].rstrip('.')}-2000") or parse_datetime(f"1-{name[:3]}-2000")
    return None if date is None else int(date[5:7])


def _time(stamp: str, *, month_first: bool = False) -> datetime | None:
    """One time stamp, without its time zone: a log is from one machine."""
    try:
        if stamp[:4].isdigit() and stamp[4:5] == "-":
            fraction = _FRACTION.search(stamp, 19)
            micros = int(f"{fraction[1]:0<6}"[:6]) if fraction else 0
            return datetime.fromisoformat(stamp[:19].replace(" ", "T")).replace(microsecond=micros)
        words = stamp.replace(",", " ").split()
        if words[0][:1].isdigit():
            first, second, year = (int(part) for part in re.split(r"[/.-]", words[0]))
            day, month = (second, first) if month_first else (first, second)
            clock = words[1]
        else:
            _, one, two, clock, *rest = words
            name, number = (two, one) if one[:1].isdigit() else (one, two)
            month_number = _month(name.lower())
            if month_number is None:
                return None
            day, month, year = int(number.rstrip(".")), month_number, int(rest[-1])
        hour, minute, second = (int(part) for part in clock.split(".")[0].split(":"))
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - as printed
    except (ValueError, IndexError):
        return None


#: Smaller steps backwards come from processes that write at the same time.
_STEP: Final = timedelta(seconds=2)


def _steps(
    text: str, stamps: list[tuple[int, str]], times: list[datetime | None]
) -> Iterator[tuple[int, float]]:
    """Where time goes backwards: the clock was set, or daylight saving time ended."""
    for (at, _), before, time in zip(stamps[1:], times, times[1:], strict=False):
        if before is not None and time is not None and before - time > _STEP:
            yield text.count("\n", 0, at) + 1, (before - time).total_seconds()


KB: Final = 1024


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
    ranges: tuple[Event, ...]
    #: Lines of starts without a preceding shutdown or termination in the log.
    unannounced: tuple[int, ...]
    #: Lines where log sequence numbers have a gap: part of the alert log is missing.
    jumps: tuple[int, ...]

    @property
    def clustered(self) -> bool | None:
        """Whether the instance belongs to a cluster; None if the log does not show it."""
        if self.reconfigurations or any(run.kind == "instance" for run in self.recoveries):
            return True
        said = self.parameter("cluster_database")
        return None if said is None else said.upper() == "TRUE"

    def parameter(self, name: str) -> str | None:
        """An initialization parameter as last listed in the log."""
        listed = [e for e in self.log.of("parameter") if e.values["name"] == name]
        return listed[-1].values["value"].strip().strip("'\"") if listed else None


class _Builder:
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
        return Episodes(
            self.log, tuple(self.starts), tuple(self.recoveries),
            tuple(self.reconfigurations), self.target, tuple(self.log.of("target_range")),
            tuple(self.unannounced), tuple(_jumps(self.log.of("log_switch"))),
        )  # fmt: skip

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
        self._release = event.release

    def _on_parameters(self, event: Event) -> None:  # noqa: ARG002 - all handlers take the event
        """A list of non-default parameters: a target that is not listed is not set."""
        self.target = 0

    _on_target_unset = _on_parameters

    def _on_parameter(self, event: Event) -> None:
        if event.values["name"] == "fast_start_mttr_target":
            self.target = _whole(event.number("value"))

    def _on_target_set(self, event: Event) -> None:
        if "spfile" not in event.values["scope"].lower():
            self.target = _whole(event.number("seconds"))

    def _on_target_range(self, event: Event) -> None:
        self.target = _whole(event.number("used"))

    def _on_open_end(self, event: Event) -> None:
        self._finish_recovery()
        if self._start:
            self._start.setdefault("open_end", event)
            self._finish_start()

    def _finish_start(self) -> None:
        events, self._start = self._start, {}
        if not events:
            return
        begin = events["start"]
        # 12c prints the banner again when it begins a new log.xml, without a mount
        if self._crashed and "mount_begin" in events:
            self.unannounced.append(begin.line)
        self.starts.append(
            Start(
                begin, self._release, Span(begin, events.get("mount_begin")),
                Span(events.get("mount_begin"), events.get("mount_end")),
                Span(events.get("open_begin"), events.get("open_end")),
                Span(begin, events.get("open_end")), self._within,
            )
        )  # fmt: skip
        self._within = None

    def _on_recovery_begin(self, event: Event) -> None:
        self._finish_recovery()
        self._recovery = {"recovery_begin": event}

    def _finish_recovery(self) -> None:
        events, self._recovery = self._recovery, {}
        if not events:
            return
        begin = events["recovery_begin"]
        kind = begin.values["kind"].lower()
        starting = kind == "crash" and bool(self._start)
        # in 9i, the end of recovery is also the end of the second pass
        apply_end = events.get("apply_end") or events.get("recovery_end")
        scanned, recovered = events.get("scanned"), events.get("recovered")
        before = self.target_before if starting else self.target
        self.recoveries.append(
            Recovery(
                begin, kind, int(begin.values["threads"]),
                Span(begin, events.get("recovery_end")),
                Span(events.get("scan_begin"), events.get("scan_end")),
                Span(events.get("apply_begin"), apply_end),
                _redo_kb(scanned) or _redo_kb(recovered),
                _whole(scanned.number("need") if scanned else None),
                _whole(recovered.number("read") if recovered else None),
                events["apply_end"].number("mb") if "apply_end" in events else None,
                before if before is not None else self.target,
                len(self.starts) if starting else None,
            )
        )  # fmt: skip
        if starting:
            self._within = len(self.recoveries) - 1

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
        numbers = frozenset(int(n) + first for n in re.split("[ ,]+", event.values["numbers"]))
        field = {"Dead instances": "dead", "New instances": "joined"}.get(printed, "members")
        self._change(**{field: numbers})
        self._list = None

    def _change(self, **values: Any) -> None:  # noqa: ANN401 - any field
        self.reconfigurations[-1] = self.reconfigurations[-1]._replace(**values)

    def _on_dead_instance(self, event: Event) -> None:
        if self.reconfigurations and event.values["invalid"].upper() == "TRUE":
            self._change(invalid=True)

    def _on_reconfiguration_step(self, event: Event) -> None:
        if self.reconfigurations and self.reconfigurations[-1].whole.end is None:
            self._change(steps=(*self.reconfigurations[-1].steps, event))

    def _on_reconfiguration_end(self, event: Event) -> None:
        if self.reconfigurations and self.reconfigurations[-1].whole.end is None:
            span = Span(self.reconfigurations[-1].begin, event)
            self._change(whole=span, printed_s=event.number("seconds"))


_OF_START: Final = ("mount_begin", "mount_end", "open_begin")
_OF_RECOVERY: Final = (
    "scan_begin", "scan_end", "scanned", "apply_begin", "apply_end", "recovered",
    "recovery_end",  # 9i prints `Ended recovery at` and then `completed successfully`
)  # fmt: skip


def assemble(log: Log) -> Episodes:
    """The starts, recoveries and reconfigurations of a log."""
    return _Builder(log).run()


def _redo_kb(event: Event | None) -> float | None:
    if event is None:
        return None
    kb, blocks = event.number("kb"), event.number("blocks")
    return kb if kb is not None else None if blocks is None else blocks * REDO_BLOCK_B / KB


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


def alert_log(path: str, names: Names | None = None) -> Episodes:
    """The first alert log in a file; UsageError if it has none."""
    for loaded in api.load_all(path):
        if isinstance(loaded, UnknownInputError) and is_alert_log(loaded.text):
            source = loaded.source or path
            return assemble(read(loaded.text, names.file(source) if names else source))
    raise UsageError(f"{path} is not an alert log.", hint="Give the alert log of an instance.")
