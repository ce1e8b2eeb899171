"""Whether two sides can be compared, by which unit of work, and the verdict on the comparison.

Everything that differs besides the compared change limits a comparison.
"""

from __future__ import annotations

from functools import partial
from math import log
from statistics import median
from typing import TYPE_CHECKING, Any, Final, cast

from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS, SEVERITIES, worst
from awrlens.model.comparison import CHANGED, Basis, Comparability, Unfair
from awrlens.oracle import write_path
from awrlens.series.differences import numbers
from awrlens.series.words import TIMES as MANY
from awrlens.units import first_of, listed, pair, plain, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from awrlens.model import Severity, State
    from awrlens.model.comparison import (
        ChangedParameter,
        Effect,
        Moved,
        MovedEvent,
        Reading,
        Said,
        Turn,
    )
    from awrlens.model.kinds import Direction, Per
    from awrlens.policy import Policy
    from awrlens.series.differences import Sides


#: Fields of a report's identity, their labels, and why they matter.
_SAME: Final = (
    ("db_name", "database", "Different databases: data and SQL differ."),
    ("db_id", "DBID", "Different databases of one name, or a copy: files and storage differ."),
    ("container", "container", "Different pluggable databases."),
    ("instance", "instance", "Different instances have their own sessions and LGWR."),
    ("host", "host", "CPUs, memory and storage may differ between hosts."),
    ("platform", "platform", "CPUs and I/O calls differ between platforms."),
    ("cpus", "CPUs", "With more CPUs, LGWR waits less and more sessions run at a time."),
    ("release", "release", "Statistics and redo writing differ between releases."),
    ("block_size", "block size", "I/O time depends on the block size."),
    ("rac", "RAC", "RAC adds waits for the other instances."),
)
#: Fields whose difference leaves nothing in common.
_PREVENT: Final = ("db_name", "db_id", "container")
#: Fields that always differ if another field does.
_IMPLIED: Final = {"db_id": {"db_name"}, "instance": {"db_name"}}
_LOADS: Final = (
    ("load.transactions_per_s", "transactions per second"),
    ("load.executes_per_s", "executes per second"),
    ("load.sessions", "sessions"),
)
#: Reports have memory in GB with two decimal places, or in MB.
_MEMORY_DIFFERS: Final = 1.02


def conditions(
    sides: Sides, parameters: tuple[ChangedParameter, ...], policy: Policy
) -> tuple[Unfair, ...]:
    """Everything that differs besides the compared change, the most important first."""
    return (
        *_identities(sides),
        *_sizes(sides, policy),
        *_loads(sides, policy),
        *_backups(sides, policy),
        *_times(sides),
        *_restarts(sides),
        *_kinds(sides),
        *_parameters(parameters),
    )  # fmt: skip


def same(sides: Sides) -> str:
    """What both sides are the same of: an interval, or, without times, the text; or nothing."""
    fields = (
        "db_id", "db_name", "instance", "begin_snap", "end_snap", "begin_time", "end_time",
        "elapsed_s",
    )  # fmt: skip
    first, second = ([[r.report[name] for name in fields] for r in side] for side in sides)
    if first != second:
        return ""
    timed = all(r.report["begin_time"] or r.report["begin_snap"] is not None for r in sides[0])
    first, second = ([[f.value for f in r.facts.values()] for r in side] for side in sides)
    return "interval" if timed else "text" if first == second else ""


def _identities(sides: Sides) -> Iterator[Unfair]:
    seen: set[str] = set()
    for field, what, why in _SAME:
        first, second = (_values(r.report[field] for r in side) for side in sides)
        if first and second and set(first) != set(second):
            if not seen & _IMPLIED.get(field, set()):
                effect: Effect = "prevents" if field in _PREVENT else "limits"
                yield Unfair(what, ", ".join(first), ", ".join(second), why, effect)
            seen.add(field)
    first, second = (
        _values(f"{r.report['db_name'] or '?'} ({r.report['db_id'] or '?'})" for r in side)
        for side in sides
    )
    if max(len(first), len(second)) > 1:
        why = "One side has reports of several databases, so its median describes none of them."
        yield Unfair("mixed set", ", ".join(first), ", ".join(second), why, "prevents")


def _values(found: Iterable[Any]) -> list[str]:
    words = {True: "yes", False: "no"}
    texts = (
        words[each] if isinstance(each, bool) else str(each)
        for each in found
        if each not in (None, "")
    )
    return list(dict.fromkeys(texts))


def _sizes(sides: Sides, policy: Policy) -> Iterator[Unfair]:
    for what, fact, most, shown, why in (
        ("memory", "pga.host_memory_mb", _MEMORY_DIFFERS, "{:,.0f} MB".format,
         "More memory means fewer reads and fewer sorts on disk."),
        ("interval", "load.elapsed_s", policy["compare.interval_ratio"],
         lambda each: f"{show(each)} s", "A longer interval averages out peaks."),
    ):  # fmt: skip
        first, second = (_middle(side, fact) for side in sides)
        if first and second and _ratio(first, second) > most:
            yield Unfair(what, shown(first), shown(second), why)


def _loads(sides: Sides, policy: Policy) -> Iterator[Unfair]:
    for what, rates in (("load", _LOADS[:2]), ("sessions", _LOADS[2:])):
        known = _known(sides, rates)
        if any(_ratio(first, second) > policy["compare.load_ratio"] for first, second, _ in known):
            yield Unfair(
                what,
                ", ".join(f"{show(first)} {label}" for first, _, label in known),
                ", ".join(f"{show(second)} {label}" for _, second, label in known),
                "The amount or the kind of work differs.",
            )


def _backups(sides: Sides, policy: Policy) -> Iterator[Unfair]:
    first, second = (
        write_path.running(partial(_middle, side), policy.__getitem__) for side in sides
    )
    if bool(first) != bool(second) and all(
        any(_middle(side, name) is not None for name in write_path.FACTS) for side in sides
    ):
        why = "A backup loads the storage, so all other I/O is slower."
        yield Unfair(_BACKUP, first or _NONE, second or _NONE, why)


def _known(sides: Sides, rates: tuple[tuple[str, str], ...]) -> list[tuple[float, float, str]]:
    before, after = sides
    pairs = ((_middle(before, name), _middle(after, name), what) for name, what in rates)
    return [(first, second, what) for first, second, what in pairs if first and second]


def _middle(side: Sequence[Reading], fact: str) -> float | None:
    known = numbers(side, fact)
    return median(known) if known else None


def _ratio(first: float, second: float) -> float:
    return max(first, second) / min(first, second)


def _times(sides: Sides) -> Iterator[Unfair]:
    if same(sides) or not _one_database(sides):
        return
    first, second = (_span(side) for side in sides)
    if first is None or second is None:
        return
    shown = (_shown(first), _shown(second))
    if _overlap(first, second):
        yield Unfair("time", *shown, "The intervals overlap: both sides include the same work.")
    elif second[1] <= first[0]:
        yield Unfair("time", *shown, "The second side is earlier than the first.")


def _one_database(sides: Sides) -> bool:
    everyone = [*sides[0], *sides[1]]
    return len({(r.report["db_name"], r.report["db_id"]) for r in everyone}) == 1 and (
        len({r.report["instance"] for r in everyone}) == 1
    )


def _span(side: Sequence[Reading]) -> tuple[str, str] | None:
    times = [(r.report["begin_time"], r.report["end_time"]) for r in side]
    begins, ends = [b for b, _ in times if b], [e for _, e in times if e]
    return (min(begins), max(ends)) if begins and ends else None


def _overlap(first: tuple[str, str] | None, second: tuple[str, str] | None) -> bool:
    if first is None or second is None:
        return False
    return second[0] < first[1] and first[0] < second[1]


def _shown(span: tuple[str, str]) -> str:
    return f"{span[0]} to {span[1]}".replace("T", " ")


def _restarts(sides: Sides) -> Iterator[Unfair]:
    broken = ["restarted" if any(not r.valid for r in side) else "" for side in sides]
    if any(broken):
        yield Unfair(
            "restart within the interval", broken[0] or "no", broken[1] or "no",
            "Differences between snapshots across a restart are meaningless.", "prevents",
        )  # fmt: skip
    # Statspack and AWR may print different startup times for one instance: there was no restart
    # between intervals that overlap if neither spans one
    if not _one_database(sides) or _overlap(*map(_span, sides)):
        return
    first, second = (_values(r.report["startup_time"] for r in side) for side in sides)
    # AWR HTML may print the month in place of the minutes of the startup time: compare the hour
    if first and second and {each[:13] for each in first} != {each[:13] for each in second}:
        was, now = (", ".join(each).replace("T", " ") for each in (first, second))
        yield Unfair(
            "restart between", was, now, "Caches were empty, and parameters may have changed."
        )


def _kinds(sides: Sides) -> Iterator[Unfair]:
    # Statspack or AWR, of one instance or a cluster; text or HTML does not matter
    first, second = (_values(r.report["kind"].rpartition("-")[0] for r in side) for side in sides)
    if set(first) != set(second):
        why = "Statspack and AWR have different sections and rounding."
        yield Unfair("kind of report", ", ".join(first), ", ".join(second), why)


def _parameters(parameters: tuple[ChangedParameter, ...]) -> Iterator[Unfair]:
    """Parameters that may matter. If only one differs, its effect is what is compared."""
    found = [each for each in parameters if each.about != "name"]
    if not found:
        return
    one = len(found) == 1
    first = ", ".join(f"{each.name}={each.first or '(not listed)'}" for each in found)
    second = ", ".join(f"{each.name}={each.second or '(not listed)'}" for each in found)
    these = "This parameter change" if one else "These parameter changes"
    yield Unfair(
        "one parameter" if one else f"{len(found)} parameters", first, second,
        f"{these} may explain the differences.", "explains" if one else "limits",
    )  # fmt: skip


MIX: Final = "The mix of work"
#: A smaller change of the work explains no change of DB time and is not printed beside it.
_SAME_LOAD_PCT: Final = 5.0
RESPONSE: Final = "load.response_s"
#: Measures of the work that is asked for. Logical and physical reads are none: a worse plan needs
#: more of them for the same work.
_MEASURES: Final = {
    "load.transactions_per_s": "transactions", "load.executes_per_s": "executions",
    "load.user_calls_per_s": "user calls", "redo.bytes_per_s": "redo",
    "integrity.block_changes_per_s": "block changes",
}  # fmt: skip


class Work:
    """The facts by their divisors, and how the work differs: by all of its measures together."""

    def __init__(self, facts: Sequence[Moved], policy: Policy) -> None:
        self.known: Mapping[tuple[str, Per], Moved] = {
            (each.fact, each.per): each for each in facts
        }
        self.policy = policy
        self.basis = Basis("second", "the load is similar on both sides")
        #: How many times as much of each measure the second side has per second.
        self._factors = {
            name: each.after / each.before for name in _MEASURES
            if (each := self.known.get((name, "second")))
            and min(each.before, each.after) >= policy["compare.least_per_s"]
        }  # fmt: skip
        self._middle = median(self._factors.values() or [1.0])
        second = self.known.get((RESPONSE, "second"))
        self._response = second if second and second.before > 0 and second.after > 0 else None
        #: DB time per unit of each measure, after / before.
        self._of_each = {
            name: self._response.after / self._response.before / factor
            for name, factor in self._factors.items() if self._response
        }  # fmt: skip

    def by(self, time: str) -> Work:
        """With its basis: seconds, or if the load differs and its measures agree, transactions.

        One measure that moved alone does not count, if there are several others.
        """
        why = f"the load differs ({self._listed()})"
        limit = self.policy["compare.load_ratio"]
        factors = sorted(self._factors.values(), key=lambda each: abs(log(each / self._middle)))
        together = factors[:-1] if len(factors) > 3 else factors  # noqa: PLR2004 - most agree
        if together and max(together) > min(together) * limit:
            self.basis = Basis("second", f"the mix of work changed ({self._listed()})")
        elif max(self._middle, 1 / self._middle) > limit:
            pers = {per for _, per in self.known}
            units: tuple[Per, ...] = ("transaction", "execute", "second")
            self.basis = Basis(next(each for each in units if each in pers), why)
        self.basis = self.basis._replace(time=time)
        return self

    @property
    def unlike(self) -> bool:
        """Whether the load is so different that DB time cannot be better or worse.

        It can be if DB time per second did not fall but is twice as long by each measure of the
        work, or did not rise and is half as long.
        """
        apart = [max(each, 1 / each) for each in self._factors.values()]
        if not apart or median(apart) <= self.policy["compare.unlike_ratio"]:
            return False
        if self._response is None:
            return True
        much, each_way = self.policy["compare.much_worse_ratio"], self._of_each.values()
        worse = self._response.verdict != "better" and min(each_way) > much
        better = self._response.verdict != "worse" and max(each_way) * much < 1
        return not (worse or better)

    @property
    def direction(self) -> Direction:
        """Whether DB time for the same work is better or worse by most measures, and by how many.

        One alone that says the opposite has changed for itself; two are another mix of work.
        """
        if self._response is None:
            return "unknown"
        changed = self._response.verdict in CHANGED
        if not self._of_each:
            return cast("Direction", self._response.verdict) if changed else "same"
        worse, better = self._opposed()
        most = len(self._of_each) / 2
        if len(worse) > most and len(better) <= 1:
            return "worse"
        if len(better) > most and len(worse) <= 1:
            return "better"
        return "mixed" if worse and better else "same"

    def _opposed(self) -> tuple[list[str], list[str]]:
        """The measures by which DB time is worse, and better."""
        found = self._response
        noise = self.policy["compare.worse_ratio"]
        if found is not None and found.verdict in CHANGED:
            noise = found.noise_pct / 100 + 1
        worse = [name for name, each in self._of_each.items() if each > noise]
        return worse, [name for name, each in self._of_each.items() if each * noise < 1]

    @property
    def more(self) -> tuple[float, float]:
        """DB time after / before for the same work, and by how many sessions it is more."""
        if self._response is None:
            return 1.0, 0.0
        before = self._response.before * self._middle
        return self._response.after / before, (self._response.after - before) / 1000

    @property
    def mixed(self) -> bool:
        """Whether the measures disagree too much for a time per unit of work."""
        low, high = (end(self._factors.values(), default=1.0) for end in (min, max))
        return high > low * self.policy["compare.mix_ratio"]

    @property
    def sentences(self) -> list[str]:
        """How the work changed, if it did, and DB time for the same work if its measures agree."""
        factors = sorted(self._factors.values())
        if not factors or all(abs(each - 1) * 100 < _SAME_LOAD_PCT for each in factors):
            return []
        if self.mixed:
            too_much = " too much for a figure per unit of work" * (self.basis.per == "second")
            return [f"{MIX} changed{too_much}: {self._listed()}"]
        low, high = factors[0], factors[-1]
        same = low <= 1 <= high
        how = f"similar: {self._listed()}" if same else _range(low, high)
        found = [f"The work is {how}"]
        if self.basis.per != "second" or not self._of_each or self.unlike:
            return found
        ends = sorted(self._of_each.values())
        much = _range(ends[0], ends[-1]).replace("as much", "the")
        return [*found, f"For the same work: {much} {self.basis.time}"]

    def _listed(self) -> str:
        """``executions −28 %, redo and block changes × 2.2``."""
        found: dict[str, list[str]] = {}
        for name, factor in sorted(self._factors.items(), key=lambda each: each[1]):
            what = _MEASURES[name]
            if name == "load.transactions_per_s":
                what += self._ends
            found.setdefault(_changed(factor), []).append(what)
        return ", ".join(f"{listed(what)} {much}" for much, what in found.items())

    @property
    def _ends(self) -> str:
        """How commits and rollbacks changed, if a tenth or more of the transactions roll back.

        Compare-period AWR 10.2.0.4.0 RAC 12: 69 % of the transactions are rollbacks.
        """
        every = self.known["load.transactions_per_s", "second"]
        undone = self.known.get(("load.rollbacks_per_s", "second"))
        if undone is None or max(undone.before / every.before, undone.after / every.after) < _TENTH:
            return ""
        done = [every.before - undone.before, every.after - undone.after]
        if min(*done, undone.before) <= 0:
            return " (mostly rollbacks)" if undone.after > every.after / 2 else ""
        low, high = sorted(factors := (done[1] / done[0], undone.after / undone.before))
        alike = high < low * self.policy["compare.worse_ratio"]
        return "" if alike else " (commits {}, rollbacks {})".format(*map(_changed, factors))


#: Fewer rollbacks do not change what a transaction is. # awrlens: an assumption
_TENTH: Final = 0.1


def _changed(factor: float) -> str:
    """``−28 %``, ``× 2.2``, ``unchanged``."""
    much = f"× {plain(factor, 2)}" if factor >= MANY else f"{(factor - 1) * 100:+.0f} %"
    if not much.strip("+-0 %"):
        return "unchanged"
    return much.replace("-", "−") if round(factor, 2) else "< −99 %"


def _range(low: float, high: float) -> str:
    """``40 % more``, ``4 to 37 % more``, ``5 % less to 2.3 times as much``."""
    shown, units = [], []
    for each in (low, high):
        many = each >= MANY
        shown.append(plain(each, 2) if many else f"{abs(each - 1) * 100:.0f}")
        units.append("times as much" if many else f"% {('less', 'more')[each >= 1]}")
    if units[0] == units[1]:
        return f"{' to '.join(dict.fromkeys(shown if high >= 1 else shown[::-1]))} {units[0]}"
    return " to ".join(f"{number} {unit}" for number, unit in zip(shown, units, strict=True))


_ONLY_LOAD, _NOTHING = "No significant change of DB time", "No change beyond noise"
_MOVED: Final = ("worse", "better")
_WORDS: Final = {"worse": "Worse: ", "better": "Better: ", "mixed": "Mixed: "}
UNLIKE: Final = "Different load: "
#: Latencies of the write path in a headline, and what they are of.
_REDO_WRITE: Final = "redo write"
_NAMED: Final = {"redo.commit_ms": "commit", "redo.local_write_ms": _REDO_WRITE}
#: Writes of all kinds: if at least so many take longer and none does not, they share the cause.
#: # awrlens: three processes (LGWR, DBWR, CKPT or sessions) that write independently
_KINDS: Final = {
    "redo.local_write_ms": "redo", "checkpoint.data_write_ms": "data files",
    "io.control_write_ms": "control files", "temp.direct_write_ms": "temp",
}  # fmt: skip
_ALL_KINDS: Final = 3


class Verdict(NamedTuple):
    """What a comparison says first; ``gist`` is the headline without reasons and findings."""

    comparability: Comparability
    direction: Direction
    severity: State
    headline: str
    gist: str


class Evidence(NamedTuple):
    """What a verdict rests on: the facts, once each, the sentences and the findings."""

    unfair: tuple[Unfair, ...]
    facts: tuple[Moved, ...]
    said: tuple[Said, ...]
    turns: tuple[Turn, ...]
    #: Whether any amounts above 0 could be compared.
    amounts: bool
    work: Work
    #: How commits and redo writes changed, if they changed much.
    write_path: str

    @property
    def response(self) -> Said | None:
        """The sentence on DB time."""
        return next((each for each in self.said if each.about == RESPONSE), None)

    @property
    def waits(self) -> list[Said]:
        """Sentences on DB time and significant waits, without those on the load."""
        return [each for each in self.said if each.significant and each.verdict != "changed"]

    def lead(self, direction: Direction) -> Said | None:
        """The sentence that comes first: on DB time, or on the most important wait if it counts."""
        return self.response or next(iter(self.waits if direction != "same" else ()), None)


def verdict(after: Sequence[Reading], found: Evidence, policy: Policy, same: str) -> Verdict:
    """The verdict; its severity is at least that of the second side, as `analyze` says it.

    ``same``: both sides are one interval, or one text without times.
    """
    held = comparability(found)
    if same == "text" and held.grade == "not-comparable":
        held = held._replace(reason="an excerpt without times is compared with itself")
    lasting = sorted((r.verdicts.write_path for r in after), key=SEVERITIES.index)
    severity: State = lasting[len(lasting) // 2]
    direction: Direction = "unknown"
    if held.grade == "not-comparable":
        severity = severity if severity in ALARMS else "unknown"
    else:
        direction = _direction(found)
        change: Severity = "ok"
        if direction in ("worse", "mixed"):
            slower = found.work.direction == "worse" and not found.work.unlike
            change = _change(found, policy) if slower else "info"
        severity = worst([lasting[len(lasting) // 2], change])
        if severity == "ok" and any(reading.verdicts.open for reading in after):
            severity = "unknown"
    headline = gist = f"Both sides are the same {same}."
    if not same:
        headline = gist = _headline(held, direction, found)
        if latencies := _latencies(after, found):
            headline = gist = f"{latencies}. {headline}"
        lead = found.lead(direction)
        if lead is not None and held.grade != "not-comparable":
            gist = _begun(f"{_word(found, direction)}{lead.gist}.")
    return Verdict(held, direction, severity, headline, gist)


#: # Oracle Database Reference, CONTROL_MANAGEMENT_PACK_ACCESS and STATISTICS_LEVEL
#: # Oracle Database Licensing Information, Oracle Diagnostics Pack: Enterprise Edition only
_EMPTY: Final = (
    "the load and all waits were not measured (0 in the report). AWR needs the Diagnostics Pack "
    "licence, which Standard Edition cannot have: without it, use Statspack. With it, check "
    "CONTROL_MANAGEMENT_PACK_ACCESS and STATISTICS_LEVEL"
)


def comparability(found: Evidence) -> Comparability:
    """Not comparable: other databases, a restart, or no amounts; limited: any other difference."""
    prevents = [each for each in found.unfair if each.effect == "prevents"]
    if prevents:
        return Comparability("not-comparable", _prevented(prevents[0]))
    if not found.amounts:
        empty = any(each.per != "none" for each in found.facts)
        what = _EMPTY if empty else "an interval has no known length"
        what = what if found.facts else "no number is on both sides"
        return Comparability("not-comparable", what, empty)
    limits = [each for each in found.unfair if each.effect == "limits"]
    if limits:
        # an order in time that may be a mistake is said before all others
        first = [each.why.removesuffix(".") for each in limits if each.what == "time"]
        rest = [each.what for each in limits if each.what != "time"]
        words = [*first, *([f"other differences: {listed(rest)}"] if rest else [])]
        reason = "; ".join(words)
        return Comparability("limited", f"{reason[0].lower()}{reason[1:]}")
    return Comparability("comparable", "nothing else differs that matters")


def _prevented(each: Unfair) -> str:
    both = f"{each.before} and {each.after}"
    return first_of(
        (each.what in ("database", "container"), f"{both} are different {each.what}s"),
        (each.what == "DBID", f"databases with DBID {both} are different databases"),
        (each.what == "mixed set", "one side has reports of several databases"),
        (True, "the instance was restarted within an interval"),
    )


def _word(found: Evidence, direction: Direction) -> str:
    slower = {each.fact for each in found.facts if each.verdict == "worse"}
    if direction == "better" and found.write_path and "redo.commit_ms" in slower:
        return "Better, but commits take longer: "
    return UNLIKE if found.work.unlike and direction == "mixed" else _WORDS.get(direction, "")


_BACKUP, _NONE = "backup", "no backup"


#: Waits without a disk: for a CPU, for another process, or for the interconnect of a cluster.
_NO_DISK: Final = (
    "latch free", "os thread startup", "SQL*Net more data to client", "gc cr block 2-way",
    "gc current block 2-way", "gc cr grant 2-way",
)  # fmt: skip


def _place(events: Sequence[MovedEvent], factor: float) -> tuple[str, str]:
    """Whether storage or host makes all writes slower by a factor, and the witness.

    The host: most waits without a disk lengthen alike, and reads do not (compare-period reports
    10.2.0.4.0-rac_03 and _05). Storage: the reverse.
    """
    longer = {
        each.event: each.after.each_ms / each.before.each_ms for each in events
        if each.before.each_ms and each.after.each_ms
    }  # fmt: skip
    least = 1 + (factor - 1) / 2
    known = [name for name in _NO_DISK if name in longer]
    reads = longer.get("db file sequential read", 1.0)
    alike = [f"{name} × {plain(longer[name], 2)}" for name in known if longer[name] >= least]
    if len(alike) * 2 > len(known) > 1 and reads < least:
        return "Host, not storage", f", as waits without a disk do ({', '.join(alike[:2])})"
    if len(known) > len(alike) * 2 and reads >= least:
        return "Storage, not the host", f", as reads do (× {plain(reads, 2)})"
    return "Storage or host", ""


def write_latencies(
    facts: Sequence[Moved], policy: Policy, size: tuple[float, float],
    unfair: Sequence[Unfair], events: Sequence[MovedEvent], waited: bool,  # noqa: FBT001
) -> str:  # fmt: skip
    """Commits and redo writes that take twice or half as long, or all writes if they share it.

    With the bytes of a redo write before and after, ``size``, if they are the reason or deny it.
    """
    ran = (each.after for each in unfair if each.what == _BACKUP and each.after != _NONE)
    backup = next((f"No backup → {each}" for each in ran), "")
    kinds = {each.fact: each for each in facts if each.fact in _KINDS and each.before > 0}
    slower = [
        f"{words} {plain(each.before, 3)} → {plain(each.after, 3)}"
        for name, words in _KINDS.items()
        if (each := kinds.get(name)) and each.after >= each.before * policy["compare.worse_ratio"]
    ]
    redo = kinds.get("redo.local_write_ms")
    larger = size[1] / size[0]
    longest = larger * policy["compare.worse_ratio"]
    larger_only = redo is not None and redo.after < redo.before * longest
    slow = waited or any(each.after >= policy["impact.slower_ms"] for each in kinds.values())
    none_faster = all(each.after >= each.before for each in kinds.values())
    if slow and not larger_only and none_faster and len(slower) >= _ALL_KINDS:
        factor = median(each.after / each.before for each in kinds.values())
        cause, also = (backup, "") if backup else _place(events, factor)
        return f"{cause}: all writes take longer ({', '.join(slower[:_ALL_KINDS])} ms){also}"
    moved = []
    for each in (e for e in facts if e.fact in _NAMED and e.verdict in _MOVED):
        low, high = sorted((each.before, each.after))
        twice = 0 < low * policy["compare.much_worse_ratio"] <= high
        if twice and (waited or high >= policy["impact.slower_ms"]):
            what = _NAMED[each.fact]
            was, now = plain(each.before, 3), plain(each.after, 3)
            if what == _REDO_WRITE and max(larger, 1 / larger) >= policy["compare.worse_ratio"]:
                was, now = (
                    f"{ms} ms for {of}" for ms, of in zip((was, now), pair(*size, "B"), strict=True)
                )
            else:
                now += " ms"
            moved.append(f"{what} {was} → {now}")
    return _begun(", ".join(sorted(moved)))


def _begun(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


def _direction(found: Evidence) -> Direction:
    """By DB time and findings of weight; without any of both, by significant waits."""
    of_work = found.work.direction
    moves = [each for each in _MOVED if of_work in (each, "mixed")]
    worse = {
        _family(turn) for turn in found.turns
        if turn.movement in ("new", "worse") and turn.after in ALARMS
    }  # fmt: skip
    moves += ["worse"] if worse else []
    for turn in found.turns:
        gone = turn.movement in ("gone", "improved") and turn.before in ALARMS
        if gone and _family(turn) not in worse:  # none of its family has taken its place
            moves.append("better")
    if of_work == "unknown":
        moves = moves or [each.verdict for each in found.waits]
    if moves and found.work.unlike:
        return "mixed"
    if "worse" in moves:
        return "mixed" if "better" in moves else "worse"
    return "better" if moves else "same"


def _family(turn: Turn) -> str:
    return turn.id.rstrip("0123456789")


def _change(found: Evidence, policy: Policy) -> Severity:
    ratio, sessions = found.work.more
    if ratio >= policy["compare.much_worse_ratio"] and sessions >= policy["impact.many_sessions"]:
        return "critical"
    if ratio >= policy["compare.worse_ratio"] and sessions >= policy["impact.several_sessions"]:
        return "warning"
    return "info"


#: Latencies of excerpts, which have few other figures.
_LATENCIES: Final = {
    "temp.write_ms": "temp write", "temp.read_ms": "temp read", "undo.write_ms": "undo write",
    "undo.read_ms": "undo read", "undo.neighbour_read_ms": "read of files next to undo",
    "redo.write_ms": "redo write",
}  # fmt: skip


def _latencies(after: Sequence[Reading], found: Evidence) -> str:
    if any(reading.report["release"] for reading in after):
        return ""
    moved = {each.fact: each for each in found.facts if each.verdict in _MOVED}
    texts = [f"{words} {plain(each.before, 3)} → {plain(each.after, 3)} ms"
             for name, words in _LATENCIES.items() if (each := moved.get(name))]  # fmt: skip
    return _begun("; ".join(texts))


def _headline(held: Comparability, direction: Direction, found: Evidence) -> str:
    """The change of DB time, then the worst finding that is new, worse, or lasting."""
    first = found.response
    if held.grade == "not-comparable":
        others = [each.gist for each in found.waits if each is not first][:1]
        gists = [*([first.gist.partition(". ")[0]] if first else []), *others]
        rest = "; ".join([*gists[:1], *(f"{each[:1].lower()}{each[1:]}" for each in gists[1:])])
        return f"Not comparable: {held.reason}.{f' {_begun(rest)}.' if rest else ''}"
    parts = []
    lead = found.lead(direction)
    if lead is not None:
        parts.append(lead.text)
    elif direction == "same":
        moved = found.said or [each for each in found.facts if each.verdict in _MOVED]
        parts.append(f"{_ONLY_LOAD}{'' if found.waits else ' and waits'}" if moved else _NOTHING)
        parts += [each.text for each in found.said[:1]]
    parts += filter(None, (found.write_path,))
    new = _worst([t for t in found.turns if t.movement in ("new", "worse")])
    if new is not None:
        parts.append(_turn("New" if new.movement == "new" else "Worse", new))
    elif lead is None and direction == "better":
        less = [t for t in found.turns if t.movement in ("gone", "improved") and t.before in ALARMS]
        parts += [_turn(less[0].movement.capitalize(), less[0])]
    else:
        lasting = _worst([t for t in found.turns if t.movement in ("remained", "improved")])
        parts += [] if lasting is None else [_turn("Lasting", lasting)]
    return _begun(_word(found, direction) + ". ".join(part.rstrip(".") for part in parts) + ".")


def _turn(word: str, turn: Turn) -> str:
    change = " → ".join(dict.fromkeys(each for each in (turn.before, turn.after) if each))
    return f"{word}: {turn.title} ({change})"


def _worst(turns: Sequence[Turn]) -> Turn | None:
    found = [each for each in turns if each.after in ALARMS]
    return max(found, key=lambda t: ALARMS.index(t.after or ""), default=None)
