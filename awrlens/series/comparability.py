"""Whether two sides can be compared, by which unit of work, and the verdict on the comparison.

Everything that differs besides the compared change limits a comparison.
"""

from __future__ import annotations

from functools import partial
from math import log
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final, cast

from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS, SEVERITIES, worst
from awrlens.model.comparison import CHANGED, OTHER_LOAD, Basis, Comparability, Unfair
from awrlens.oracle import write_path
from awrlens.series import differences
from awrlens.series.differences import numbers
from awrlens.series.words import TIMES as MANY
from awrlens.units import first_of, listed, milliseconds, pair, plain, show

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
_HOUR: Final = 3600
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


def _values(values: Iterable[Any]) -> list[str]:
    words = {True: "yes", False: "no"}
    texts = (
        words[value] if isinstance(value, bool) else str(value)
        for value in values
        if value not in (None, "")
    )
    return list(dict.fromkeys(texts))


def _sizes(sides: Sides, policy: Policy) -> Iterator[Unfair]:
    for what, fact, most, shown, why in (
        ("memory", "pga.host_memory_mb", _MEMORY_DIFFERS, "{:,.0f} MB".format,
         "More memory means fewer reads and fewer sorts on disk."),
        ("interval", "load.elapsed_s", policy["compare.interval_ratio"],
         lambda s: f"{plain(s / _HOUR, 2)} h" if s >= _HOUR else f"{plain(s / 60, 2)} min",
         "A longer interval averages out peaks."),
    ):  # fmt: skip
        first, second = (_middle(side, fact) for side in sides)
        if first and second and _ratio(first, second) > most:
            yield Unfair(what, shown(first), shown(second), why)


def _loads(sides: Sides, policy: Policy) -> Iterator[Unfair]:
    for what, rates in (("load", _LOADS[:2]), ("sessions", _LOADS[2:])):
        known = ((_middle(sides[0], name), _middle(sides[1], name), label) for name, label in rates)
        pairs = [(first, second, label) for first, second, label in known if first and second]
        if any(_ratio(first, second) > policy["compare.load_ratio"] for first, second, _ in pairs):
            yield Unfair(
                what,
                ", ".join(f"{show(first)} {label}" for first, _, label in pairs),
                ", ".join(f"{show(second)} {label}" for _, second, label in pairs),
                "The amount or the kind of work differs.",
            )


def _backups(sides: Sides, policy: Policy) -> Iterator[Unfair]:
    first, second = _running(sides, policy)
    if bool(first) != bool(second) and all(
        any(_middle(side, name) is not None for name in write_path.FACTS) for side in sides
    ):
        why = "A backup loads the storage, so all other I/O is slower."
        was, now = (
            job or ("no backup" if _middle(side, _BACKUP_S) is None else "a small backup")
            for job, side in zip((first, second), sides, strict=True)
        )
        yield Unfair(_BACKUP, was, now, why)


_BACKUP, _BACKUP_S = "backup", "io.backup_s"


def _running(sides: Sides, policy: Policy) -> list[str]:
    return [write_path.running(partial(_middle, side), policy.__getitem__) for side in sides]


def backup_began(sides: Sides, unfair: Sequence[Unfair], policy: Policy) -> str:
    """That the second side alone had a large backup, in words; empty if it had not."""
    job = _running(sides, policy)[1]
    if not job or all(diff.what != _BACKUP for diff in unfair):
        return ""
    was, now = (_middle(side, _BACKUP_S) for side in sides)
    if was and now:
        return "A small backup → a large one ({} → {} of waits and CPU)".format(
            *pair(was, now, "s")
        )
    return f"No backup → {job}"


def _middle(side: Sequence[Reading], fact: str) -> float | None:
    values = numbers(side, fact)
    return median(values) if values else None


def _ratio(first: float, second: float) -> float:
    return max(first, second) / min(first, second)


def _times(sides: Sides) -> Iterator[Unfair]:
    if same(sides) or not _one_database(sides):
        return
    first, second = (_span(side) for side in sides)
    if first is None or second is None:
        return
    was, now = (f"{begin} to {end}".replace("T", " ") for begin, end in (first, second))
    pairs = ((_span([one]), _span([other])) for one in sides[0] for other in sides[1])
    if any(_overlap(*pair) for pair in pairs):
        within = first[0] <= second[0] and second[1] <= first[1]
        how = "second interval lies within the first" if within else "intervals overlap"
        yield Unfair("time", was, now, f"The {how}: both sides include the same work.", "prevents")
    elif second[1] <= first[0] and sides[1][0].report["kind"].startswith("awr-diff"):
        yield Unfair("time", was, now, "The second period is earlier than the first.")
    elif second[1] <= first[0]:
        yield Unfair("time", was, now, _SWAPPED, "prevents")


_SWAPPED: Final = "The second report is the earlier one: swap them (awrlens compare B A)."


def _one_database(sides: Sides) -> bool:
    fields = ("db_name", "db_id", "instance")
    return len({tuple(map(r.report.get, fields)) for side in sides for r in side}) == 1


def _span(side: Sequence[Reading]) -> tuple[str, str] | None:
    times = [(r.report["begin_time"], r.report["end_time"]) for r in side]
    begins, ends = [b for b, _ in times if b], [e for _, e in times if e]
    return (min(begins), max(ends)) if begins and ends else None


def _overlap(first: tuple[str, str] | None, second: tuple[str, str] | None) -> bool:
    if first is None or second is None:
        return False
    return second[0] < first[1] and first[0] < second[1]


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
    if first and second and {time[:13] for time in first} != {time[:13] for time in second}:
        was, now = (", ".join(times).replace("T", " ") for times in (first, second))
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
    changed = [setting for setting in parameters if setting.about != "name"]
    if not changed:
        return
    one = len(changed) == 1
    first = ", ".join(f"{setting.name}={setting.first or '(not listed)'}" for setting in changed)
    second = ", ".join(f"{setting.name}={setting.second or '(not listed)'}" for setting in changed)
    these = "This parameter change" if one else "These parameter changes"
    yield Unfair(
        "one parameter" if one else f"{len(changed)} parameters", first, second,
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

    def __init__(self, facts: Sequence[Moved], policy: Policy, sides: Sides) -> None:
        self.facts: Mapping[tuple[str, Per], Moved] = {
            (moved.fact, moved.per): moved for moved in facts
        }
        self.policy = policy
        self.basis = Basis("second", "the load is similar on both sides")
        #: How many times as much of each measure the second side has per second.
        self._factors = {
            name: moved.after / moved.before for name in _MEASURES
            if (moved := self.facts.get((name, "second")))
            and min(moved.before, moved.after) >= policy["compare.least_per_s"]
        }  # fmt: skip
        self._same_sql = self._of_same_sql(sides)
        self._middle = median(self._factors.values() or [1.0])
        second = self.facts.get((RESPONSE, "second"))
        self._response = second if second and second.before > 0 and second.after > 0 else None
        #: DB time per unit of each measure, after / before.
        self._of_each = {
            name: self._response.after / self._response.before / factor
            for name, factor in self._factors.items() if self._response
        }  # fmt: skip

    def changed(self, fact: str, per: Per = "none") -> Moved | None:
        """A fact that changed beyond noise; None if it did not."""
        moved = self.facts.get((fact, per))
        return moved if moved is not None and moved.verdict in CHANGED else None

    def _of_same_sql(self, sides: Sides) -> tuple[float, str] | None:
        """The factor of the executions of SQL that both sides list, and what the rest is.

        Compare-period AWR 10.2.0.3.0 RAC 01: 12 % more, but 31 % fewer without new SQL. Where less
        than a fifth is left, it does not describe the work.
        """
        gone, new = (
            sum(differences.own_sql(sides, place, self.policy).get("executions", {}).values())
            for place in (0, 1)
        )
        factor = self._factors.get("load.executes_per_s")
        if factor is None or max(gone, new) > _MOST_OWN_PCT:
            return None
        same, what = (100 - new) / (100 - gone), ["new"] * bool(new) + ["gone"] * bool(gone)
        little = max(same, 1 / same) < self.policy["compare.worse_ratio"]
        return None if little else (factor * same, f" without {' or '.join(what)} SQL")

    def by(self, time: str) -> Work:
        """With its basis: seconds, or if the load differs and its measures agree, transactions.

        One measure that moved alone does not count, if there are several others.
        """
        why = f"the load differs ({self._listed()})"
        limit = self.policy["compare.load_ratio"]
        factors = sorted(self._factors.values(), key=lambda factor: abs(log(factor / self._middle)))
        together = factors[:-1] if len(factors) > 3 else factors  # noqa: PLR2004 - most agree
        if together and max(together) > min(together) * limit:
            self.basis = Basis("second", f"the mix of work changed ({self._listed()})")
        elif max(self._middle, 1 / self._middle) > limit:
            pers = {per for _, per in self.facts}
            units: tuple[Per, ...] = ("transaction", "execute", "second")
            self.basis = Basis(next(unit for unit in units if unit in pers), why)
        self.basis = self.basis._replace(time=time)
        return self

    @property
    def unlike(self) -> bool:
        """Whether the load is so different that DB time cannot be better or worse.

        It can be if DB time per second did not fall but is twice as long by each measure of the
        work, or did not rise and is half as long.
        """
        apart = [max(factor, 1 / factor) for factor in self._factors.values()]
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
        noise = self.policy["compare.worse_ratio"]
        if changed:
            noise = self._response.noise_pct / 100 + 1
        worse = [name for name, ratio in self._of_each.items() if ratio > noise]
        better = [name for name, ratio in self._of_each.items() if ratio * noise < 1]
        most = len(self._of_each) / 2
        if len(worse) > most and len(better) <= 1:
            return "worse"
        if len(better) > most and len(worse) <= 1:
            return "better"
        return "mixed" if worse and better else "same"

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
        factors = [*self._factors.values(), *(self._same_sql or ())[:1]]
        low, high = (end(factors, default=1.0) for end in (min, max))
        return high > low * self.policy["compare.mix_ratio"]

    @property
    def sentences(self) -> list[str]:
        """How the work changed, if it did, and DB time for the same work if its measures agree."""
        factors = sorted(self._factors.values())
        moved = self._same_sql or any(abs(factor - 1) * 100 >= _SAME_LOAD_PCT for factor in factors)
        if not factors or not moved:
            return []
        if self.mixed:
            too_much = " too much for a figure per unit of work" * (self.basis.per == "second")
            return [f"{MIX} changed{too_much}: {self._listed()}"]
        low, high = factors[0], factors[-1]
        same = low <= 1 <= high
        how = f"similar: {self._listed()}" if same else _range(low, high)
        texts = [f"The work is {how}"]
        if self.basis.per != "second" or not self._of_each or self.unlike:
            return texts
        ends = sorted(self._of_each.values())
        much = _range(ends[0], ends[-1]).replace("as much", "the")
        return [*texts, f"For the same work: {much} {self.basis.time}"]

    def _listed(self) -> str:
        """``executions −28 %, redo and block changes × 2.2``."""
        measures: dict[str, list[str]] = {}
        for name, factor in sorted(self._factors.items(), key=lambda item: item[1]):
            what = _MEASURES[name]
            if name == "load.transactions_per_s":
                what += self._ends
            if name == "load.executes_per_s" and self._same_sql:
                same, without = self._same_sql
                what += f" ({_changed(same)}{without})"
            measures.setdefault(_changed(factor), []).append(what)
        return ", ".join(f"{listed(what)} {much}" for much, what in measures.items())

    @property
    def _ends(self) -> str:
        """How commits and rollbacks changed, if a tenth or more of the transactions roll back.

        Compare-period AWR 10.2.0.4.0 RAC 12: 69 % of the transactions are rollbacks.
        """
        every = self.facts["load.transactions_per_s", "second"]
        undone = self.facts.get(("load.rollbacks_per_s", "second"))
        if undone is None or max(undone.before / every.before, undone.after / every.after) < _TENTH:
            return ""
        done = [every.before - undone.before, every.after - undone.after]
        if min(*done, undone.before) <= 0:
            return " (mostly rollbacks)" if undone.after > every.after / 2 else ""
        low, high = sorted(factors := (done[1] / done[0], undone.after / undone.before))
        alike = high < low * self.policy["compare.worse_ratio"]
        return "" if alike else " (commits {}, rollbacks {})".format(*map(_changed, factors))


#: # awrlens: an assumption
_MOST_OWN_PCT: Final = 80.0
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
    for factor in (low, high):
        many = factor >= MANY
        shown.append(plain(factor, 2) if many else f"{abs(factor - 1) * 100:.0f}")
        units.append("times as much" if many else f"% {('less', 'more')[factor >= 1]}")
    if units[0] == units[1]:
        return f"{' to '.join(dict.fromkeys(shown if high >= 1 else shown[::-1]))} {units[0]}"
    return " to ".join(f"{number} {unit}" for number, unit in zip(shown, units, strict=True))


_ONLY_LOAD, _NOTHING = "No significant change of DB time", "No change beyond noise"
_MOVED: Final = ("worse", "better")
_WORDS: Final = {"worse": "Worse: ", "better": "Better: ", "mixed": "Mixed: "}
UNLIKE: Final = f"{OTHER_LOAD}: "
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
    work: Work
    #: How commits and redo writes changed, if they changed much.
    write_path: str

    @property
    def response(self) -> Said | None:
        """The sentence on DB time."""
        return next((said for said in self.said if said.about == RESPONSE), None)

    @property
    def waits(self) -> list[Said]:
        """Sentences on DB time and significant waits, without those on the load."""
        return [said for said in self.said if said.significant and said.verdict != "changed"]

    def lead(self, direction: Direction) -> Said | None:
        """The sentence that comes first: on DB time, or on the most important wait if it counts."""
        return self.response or next(iter(self.waits if direction != "same" else ()), None)


def verdict(after: Sequence[Reading], evidence: Evidence, same: str) -> Verdict:
    """The verdict; its severity is at least that of the second side, as `analyze` says it.

    ``same``: both sides are one interval, or one text without times.
    """
    held = comparability(evidence)
    if same == "text" and held.grade == "not-comparable":
        held = held._replace(reason="an excerpt without times is compared with itself")
    lasting = sorted((r.verdicts.write_path for r in after), key=SEVERITIES.index)
    severity: State = lasting[len(lasting) // 2]
    direction: Direction = "unknown"
    if held.grade == "not-comparable":
        severity = severity if severity in ALARMS else "unknown"
    else:
        direction = _direction(evidence)
        change: Severity = "ok"
        if direction in ("worse", "mixed"):
            slower = evidence.work.direction == "worse" and not evidence.work.unlike
            change = _change(evidence.work) if slower else "info"
        severity = worst([lasting[len(lasting) // 2], change])
        if severity == "ok" and any(reading.verdicts.open for reading in after):
            severity = "unknown"
    headline = gist = f"Both sides are the same {same}."
    if not same:
        headline = gist = _headline(held, direction, evidence)
        if latencies := _latencies(after, evidence):
            headline = gist = f"{latencies}. {headline}"
        lead = evidence.lead(direction)
        if lead is not None and held.grade != "not-comparable":
            gist = _begun(f"{_word(evidence, direction)}{lead.gist}.")
    return Verdict(held, direction, severity, headline, gist)


#: # Oracle Database Reference, CONTROL_MANAGEMENT_PACK_ACCESS and STATISTICS_LEVEL
#: # Oracle Database Licensing Information, Oracle Diagnostics Pack: Enterprise Edition only
_EMPTY: Final = (
    "the load and all waits were not measured (0 in the report). AWR needs the Diagnostics Pack "
    "licence, which Standard Edition cannot have: without it, use Statspack. With it, check "
    "CONTROL_MANAGEMENT_PACK_ACCESS and STATISTICS_LEVEL"
)


def comparability(evidence: Evidence) -> Comparability:
    """Not comparable: other databases, a restart, or no amounts; limited: any other difference."""
    prevents = [condition for condition in evidence.unfair if condition.effect == "prevents"]
    if prevents:
        is_swapped = prevents[0].why == _SWAPPED
        return Comparability("not-comparable", _prevented(prevents[0]), is_swapped=is_swapped)
    if not any(e.per != "none" and (e.before or e.after) for e in evidence.work.facts.values()):
        empty = any(moved.per != "none" for moved in evidence.facts)
        what = _EMPTY if empty else "an interval has no known length"
        what = what if evidence.facts else "no number is on both sides"
        return Comparability("not-comparable", what, empty)
    limits = [condition for condition in evidence.unfair if condition.effect == "limits"]
    if limits:
        # an order in time that may be a mistake is said before all others
        first = [limit.why.removesuffix(".") for limit in limits if limit.what == "time"]
        rest = [
            f"{limit.what} {limit.before} against {limit.after}" * (limit.what in _SAID)
            or limit.what for limit in limits if limit.what != "time"
        ]  # fmt: skip
        words = [*first, *([f"other differences: {listed(rest)}"] if rest else [])]
        reason = "; ".join(words)
        return Comparability("limited", f"{reason[0].lower()}{reason[1:]}")
    return Comparability("comparable", "nothing else differs that matters")


#: Differences that are said with both values, which are short.
_SAID: Final = ("interval", "memory", "CPUs", "release")


def _prevented(condition: Unfair) -> str:
    both = f"{condition.before} and {condition.after}"
    return first_of(
        (condition.what in ("database", "container"), f"{both} are different {condition.what}s"),
        (condition.what == "DBID", f"databases with DBID {both} are different databases"),
        (condition.what == "mixed set", "one side has reports of several databases"),
        (condition.why == _SWAPPED, condition.why.removesuffix(".")),
        (condition.what == "time", condition.why.partition(":")[0].replace("The", "the")),
        (True, "the instance was restarted within an interval"),
    )


def _word(evidence: Evidence, direction: Direction) -> str:
    slower = {moved.fact for moved in evidence.facts if moved.verdict == "worse"}
    if direction == "better" and evidence.write_path and "redo.commit_ms" in slower:
        return "Better, but commits take longer: "
    return UNLIKE if evidence.work.unlike and direction == "mixed" else _WORDS.get(direction, "")


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
        wait.event: wait.after.each_ms / wait.before.each_ms for wait in events
        if wait.before.each_ms and wait.after.each_ms
    }  # fmt: skip
    least = 1 + (factor - 1) / 2
    no_disk = [name for name in _NO_DISK if name in longer]
    reads = longer.get("db file sequential read", 1.0)
    alike = [f"{name} × {plain(longer[name], 2)}" for name in no_disk if longer[name] >= least]
    if len(alike) * 2 > len(no_disk) > 1 and reads < least:
        return "Host, not storage", f", as waits without a disk do ({', '.join(alike[:2])})"
    if len(no_disk) > len(alike) * 2 and reads >= least:
        return "Storage, not the host", f", as reads do (× {plain(reads, 2)})"
    return "Storage or host", ""


def write_latencies(
    work: Work, sides: Sides, unfair: Sequence[Unfair], events: Sequence[MovedEvent], *, waits: bool
) -> str:
    """Commits and redo writes that take twice or half as long, or all writes if they share it.

    With the bytes of a redo write before and after if they are the reason or deny it. ``waits``:
    sessions wait for them.
    """
    known = (filter(None, numbers(side, "redo.bytes_per_write")) for side in sides)
    means = [fmean(sizes) for side in known if (sizes := [*side])]
    size, policy = (means[0], means[1]) if len(means) > 1 else (1.0, 1.0), work.policy
    kinds = {n: kind for n in _KINDS if (kind := work.facts.get((n, "none"))) and kind.before > 0}
    slower = [
        f"{words} {plain(kind.before, 3)} → {plain(kind.after, 3)}"
        for name, words in _KINDS.items()
        if (kind := kinds.get(name)) and kind.after >= kind.before * policy["compare.worse_ratio"]
    ]
    redo = kinds.get("redo.local_write_ms")
    larger = size[1] / size[0]
    longest = larger * policy["compare.worse_ratio"]
    larger_only = redo is not None and redo.after < redo.before * longest
    slow = waits or any(kind.after >= policy["impact.slower_ms"] for kind in kinds.values())
    none_faster = all(kind.after >= kind.before for kind in kinds.values())
    if slow and not larger_only and none_faster and len(slower) >= _ALL_KINDS:
        factor = median(kind.after / kind.before for kind in kinds.values())
        backup = backup_began(sides, unfair, policy)
        cause, also = (backup, "") if backup else _place(events, factor)
        stalls = _stalls(work, events, redo.after if redo else 0.0)
        return (
            f"{cause}: all writes take longer ({', '.join(slower[:_ALL_KINDS])} ms){also}{stalls}"
        )
    moved = []
    for name, what in _NAMED.items():
        change = work.changed(name)
        low, high = sorted((change.before, change.after)) if change else (0.0, 0.0)
        twice = 0 < low * policy["compare.much_worse_ratio"] <= high
        if change and twice and (waits or high >= policy["impact.slower_ms"]):
            was, now = plain(change.before, 3), plain(change.after, 3)
            if what == _REDO_WRITE and max(larger, 1 / larger) >= policy["compare.worse_ratio"]:
                was, now = (
                    f"{ms} ms for {of}" for ms, of in zip((was, now), pair(*size, "B"), strict=True)
                )
            else:
                now += " ms"
            moved.append(f"{what} {was} → {now}")
    return _begun(", ".join(sorted(moved)))


def _stalls(work: Work, events: Sequence[MovedEvent], write_ms: float) -> str:
    """Why commits take much longer than their redo write: they wait while LGWR switches logs."""
    moved, policy = work.facts.get(("redo.commit_ms", "none")), work.policy
    commit = moved.after if moved else 0.0
    waits = (wait for wait in events if wait.event == "log file switch completion")
    was, now = next(((e.before.each_ms or 0.0, e.after.each_ms or 0.0) for e in waits), (0.0, 0.0))
    longer = now >= was * policy["compare.much_worse_ratio"]
    if not longer or not 0 < write_ms * policy["redo.sync_ratio"] <= commit <= now:
        return ""
    took, switch = milliseconds(commit), milliseconds(now)
    return f"; commits take {took}, as LGWR stalls (log switches {switch} each)"


def _begun(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


def _direction(evidence: Evidence) -> Direction:
    """By DB time and findings of weight; without any of both, by significant waits."""
    of_work = evidence.work.direction
    moves = [movement for movement in _MOVED if of_work in (movement, "mixed")]
    worse = {
        _family(turn) for turn in evidence.turns
        if turn.movement in ("new", "worse") and turn.after in ALARMS
    }  # fmt: skip
    moves += ["worse"] if worse else []
    for turn in evidence.turns:
        gone = turn.movement in ("gone", "improved") and turn.before in ALARMS
        if gone and _family(turn) not in worse:  # none of its family has taken its place
            moves.append("better")
    if of_work == "unknown":
        moves = moves or [said.verdict for said in evidence.waits]
    if moves and evidence.work.unlike:
        return "mixed"
    if of_work == "worse" and _change(evidence.work) == "critical":
        return "worse"  # a finding that is gone does not outweigh it
    if "worse" in moves:
        return "mixed" if "better" in moves else "worse"
    return "better" if moves else "same"


def _family(turn: Turn) -> str:
    return turn.id.rstrip("0123456789")


def _change(work: Work) -> Severity:
    (ratio, sessions), policy = work.more, work.policy
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


def _latencies(after: Sequence[Reading], evidence: Evidence) -> str:
    if any(reading.report["release"] for reading in after):
        return ""
    texts = [
        f"{words} {plain(change.before, 3)} → {plain(change.after, 3)} ms"
        for name, words in _LATENCIES.items() if (change := evidence.work.changed(name))
    ]  # fmt: skip
    return _begun("; ".join(texts))


def _headline(held: Comparability, direction: Direction, evidence: Evidence) -> str:
    """The change of DB time, then the worst finding that is new, worse, or lasting."""
    first = evidence.response
    if held.grade == "not-comparable":
        others = [said.gist for said in evidence.waits if said is not first][:1]
        gists = [*([first.gist.partition(". ")[0]] if first else []), *others]
        rest = "; ".join([*gists[:1], *(f"{gist[:1].lower()}{gist[1:]}" for gist in gists[1:])])
        if held.is_swapped:
            return f"{held.reason}."
        return f"Not comparable: {held.reason}.{f' {_begun(rest)}.' if rest else ''}"
    parts = []
    lead = evidence.lead(direction)
    if lead is not None:
        parts.append(lead.text)
    elif direction == "same":
        moved = evidence.said or [change for change in evidence.facts if change.verdict in _MOVED]
        parts.append(f"{_ONLY_LOAD}{'' if evidence.waits else ' and waits'}" if moved else _NOTHING)
        parts += [said.text for said in evidence.said[:1]]
    parts += filter(None, (evidence.write_path,))
    new = _worst([t for t in evidence.turns if t.movement in ("new", "worse")])
    if new is not None:
        parts.append(_turn("New" if new.movement == "new" else "Worse", new))
    elif lead is None and direction == "better":
        less = [
            t for t in evidence.turns if t.movement in ("gone", "improved") and t.before in ALARMS
        ]
        parts += [_turn(less[0].movement.capitalize(), less[0])]
    else:
        lasting = _worst([t for t in evidence.turns if t.movement in ("remained", "improved")])
        if lasting is not None:
            what = lasting.title.partition(": ")[0]
            parts.append(f"Still {'a ' * (lasting.after == 'warning')}{lasting.after}: {what}")
    return _begun(_word(evidence, direction) + ". ".join(part.rstrip(".") for part in parts) + ".")


def _turn(word: str, turn: Turn) -> str:
    change = " → ".join(dict.fromkeys(level for level in (turn.before, turn.after) if level))
    return f"{word}: {turn.title} ({change})"


def _worst(turns: Sequence[Turn]) -> Turn | None:
    alarms = [turn for turn in turns if turn.after in ALARMS]
    return max(alarms, key=lambda t: ALARMS.index(t.after or ""), default=None)
