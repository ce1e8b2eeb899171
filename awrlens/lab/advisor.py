"""The MTTR advisor: what every recovery target costs, and whether DBWR can sustain it.

The writes are the report's own MTTR Advisory (V$MTTR_TARGET_ADVICE) where it is printed; otherwise,
and outside its rows, those of the simulated checkpoint queue (awrlens.advice.write_model).
"""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, exp
from typing import TYPE_CHECKING, Final, Literal

from awrlens.advice import write_cost, write_model
from awrlens.advice.load_model import EXPONENT, LEAST_EXPONENT, MOST_EXPONENT
from awrlens.advice.mttr import HIGHEST_S, cluster_words
from awrlens.advice.recovery_split import split_of
from awrlens.advice.write_model import of_report, system_of, writes_per_s
from awrlens.lab import judge
from awrlens.lab.documents import Offsets
from awrlens.lab.mttr_document import CapacityDocument, LimitDocument
from awrlens.lazy import NamedTuple
from awrlens.model.fact import rounded
from awrlens.model.plain import plain as plain_data
from awrlens.oracle.checkpoints import (
    LEAST_DIRTY_BLOCKS,
    MB,
    REDO_BLOCK_B,
    SMALLEST,
    lag_pct,
    limit_of,
)
from awrlens.policy import cite, declared
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from awrlens.advice.load_model import Load
    from awrlens.advice.recovery_split import Split
    from awrlens.advice.write_model import LimitName, State, System
    from awrlens.lab.alert_log import Episodes
    from awrlens.lab.mttr_document import (
        Bears,
        Bound,
        CostOfTarget,
        CostsDocument,
        Origin,
        PartsDocument,
    )
    from awrlens.model import Fact
    from awrlens.policy import Policy


_WHOLE_PCT: Final = 100
_KNOWN: Final = declared(__file__)
DBWR_LEAST_BUSY_PCT: Final = _KNOWN["recovery.dbwr_least_busy_pct"]
#: Difference of the writes compared with now from which they are others; the advisory rounds to
#: 0.01.
_OTHER_WRITES: Final = 0.005
#: Rates below it are shown with two digits.
_FEW: Final = 10


class Asked(NamedTuple):
    """What the caller gives; None is taken from the report or the alert log."""

    rac: bool = False
    startup_s: float | None = None
    file_open_s: float | None = None
    write_capacity: float | None = None
    target_s: float | None = None
    log: Episodes | None = None
    #: DBWR is behind, or the storage is slow for writes: no capacity holds for more writes.
    slow: bool = False
    #: Larger redo logs are recommended: recovery times are those of the present ones.
    enlarged: bool = False


class Row(NamedTuple):
    """One target; ``factor`` is its writes compared with now, from ``low`` to ``high``."""

    state: State
    factor: float
    low: float
    high: float
    #: `advisory`: a row of the MTTR Advisory; `interpolated` between them; `simulated`.
    origin: Origin
    writes_per_s: float
    busy_pct: float | None
    bears: Bears
    #: The values of its recovery time that are assumed; empty if the report has an estimate.
    assumed: str = ""
    #: Whether start-up and opening are known; otherwise they are not in the lowest recovery time.
    start_known: bool = True
    #: Whether they are part of Oracle's estimate; otherwise they are in no recovery time.
    start_included: bool = True

    @property
    def hypothetical(self) -> bool:
        """Whether the advisory has other writes for it than those that keep the present lag.

        Its recovery time is then at most that of now, or the one that another limit allows.
        """
        return self.state.present and abs(self.factor - 1) >= _OTHER_WRITES

    @property
    def unknown(self) -> bool:
        """Whether its recovery time is not known.

        Oracle's estimate is above the target with fewer dirty blocks than it aims at, which do not
        explain it (two 19c reports: 83 s with 607 dirty blocks, 460 s with 567).
        """
        state = self.state
        return state.present and not state.fits and 0 < state.target_s < state.recovery_s

    @property
    def bound(self) -> Literal["at most", "at least", ""]:
        """What its recovery time is a bound of."""
        if self.hypothetical:
            return "at most"
        unknown = self.state.limit == "1,000 blocks" and not self.start_known
        return "at least" if unknown else ""

    @property
    def cost(self) -> str:
        """Recovery time and writes of the target, and whether DBWR can sustain them."""
        state = self.state
        if self.unknown:
            return (
                f"The recovery time with a target of {state.target_s:.0f} s is not known: Oracle's "
                f"estimate is now {state.recovery_s:.0f} s, which its few dirty blocks do not "
                "explain, and Oracle does not aim at fewer than 1,000."
            )
        name = f"A target of {state.target_s:.0f} s" if state.target_s else "No target"
        about = [f"limited by: {state.limit}"] if state.limit != "target" else []
        without = self.bound == "at least" or not self.start_included
        about += ["without start-up"] if without else []
        about += [f"assumed: {self.assumed}"] if self.assumed else []
        recovery = f"{state.recovery_s:.0f} s" + (f" ({'; '.join(about)})" if about else "")
        recovery = f"{self.bound} {recovery}".lstrip()
        writes = self.writes_per_s
        rate = plain(writes, 2) if writes < _FEW else f"{writes:,.0f}"
        text = f"{name} means a recovery of {recovery} and {rate} blocks written per second"
        if self.busy_pct is None and self.bears == "yes":
            return f"{text}. DBWR can sustain this at its present latency."
        if self.busy_pct is None:
            return f"{text}; DBWR's capacity is not known."
        bears = {"yes": "DBWR can sustain this", "tight": "DBWR has little left for peaks",
                 "no": "more than DBWR can write",
                 "tune first": "writes are slow now"}[self.bears]  # fmt: skip
        return f"{text}, {self.busy_pct:.0f} % of DBWR's capacity: {bears}."

    def to_dict(self) -> CostOfTarget:
        """Plain data."""
        state, has_estimate = self.state, not (self.hypothetical or self.unknown)
        split = has_estimate and state.fits
        most_s = None if self.unknown or self.bound == "at least" else round(state.recovery_s, 1)
        return {
            "target_s": round(state.target_s, 1),
            "in_force_s": round(state.in_force_s, 1),
            "recovery_most_s": most_s,
            "writes_per_s": round(self.writes_per_s, 1),
            "factor": round(self.factor, 3),
            "factor_low": round(self.low, 3),
            "factor_high": round(self.high, 3),
            "printed": self.origin == "advisory",
            "origin": self.origin,
            "estimated_mttr_s": round(state.recovery_s, 1) if has_estimate else None,
            "redo_read_s": round(state.redo_read_s, 2) if split else None,
            "blocks_s": round(state.blocks_s, 2) if split else None,
            "redo_mb": round(state.redo_bytes / MB, 1) if has_estimate else None,
            "dirty_blocks": round(state.dirty_blocks) if split else None,
            "limit": state.limit,
            "dbwr_busy_pct": None if self.busy_pct is None else round(self.busy_pct, 1),
            "bears": self.bears,
            "throughput_pct": round(state.throughput * _WHOLE_PCT, 1),
        }


def capacity_per_s(facts: Mapping[str, Fact], policy: Policy) -> float | None:
    """Blocks per second that DBWR can write, if it was busy enough to know."""
    busy = facts["checkpoint.dbwr_busy_pct"].number
    if busy is None or busy < policy[DBWR_LEAST_BUSY_PCT]:
        return None
    return facts["checkpoint.dbwr_capacity_per_s"].number


def capacity_of(facts: Mapping[str, Fact], asked: Asked, policy: Policy) -> CapacityDocument:
    """DBWR's capacity as given, or that of the report; at least, if it was hardly busy."""
    if asked.write_capacity is not None:
        return CapacityDocument(asked.write_capacity, "given")
    fact, busy = (facts[f"checkpoint.dbwr_{name}"] for name in ("capacity_per_s", "busy_pct"))
    per_s = capacity_per_s(facts, policy)
    if per_s is None:
        least = facts["checkpoint.dbwr_capacity_least_per_s"]
        shown = f"{least.formula}; {least.note}; " if least.number is not None else ""
        why = fact.note
        if fact.number is not None and busy.number is not None:
            why = (
                f"DBWR waited for its writes only {plain(busy.number, 2)} % of the time, too "
                "little to extrapolate how many more it could do"
            )
        return CapacityDocument(None, f"{shown}{why}", _lines(least), least.number)
    return CapacityDocument(per_s, f"{fact.formula}; {fact.note}", _lines(fact))


def _lines(fact: Fact) -> tuple[int, ...]:
    return tuple(dict.fromkeys(item.line for item in fact.evidence if item.line))


class Advice(NamedTuple):
    """The targets of the report ``name`` with their costs; times are seconds."""

    name: str
    source: str
    asked: Asked
    rows: tuple[Row, ...]
    #: The strictest target that DBWR sustains; None if there is none or its capacity is not known.
    strictest_s: int | None
    capacity: CapacityDocument
    limits: tuple[LimitDocument, ...]
    #: The recovery after a crash at the end snapshot.
    split: Split
    parts: PartsDocument
    present_writes_per_s: float
    notes: tuple[str, ...]

    @property
    def borne(self) -> str:
        """The strictest target that DBWR sustains, in a sentence; empty if it is not known."""
        if self.asked.slow:
            return (
                "Writes are slow or DBWR is behind now: fix that before setting a target that "
                "needs more writes."
            )
        if self.split.by == "assumed":
            return ""  # it would be the assumption
        if self.strictest_s is not None and not self.split.start_known:
            return (
                f"DBWR sustains the writes of a target of {self.strictest_s} s; whether less is "
                "achievable depends on start-up and opening of the files, which are not known."
            )
        if self.strictest_s is not None:
            return f"The strictest target that DBWR sustains is {self.strictest_s} s."
        if self.capacity.writes_per_s is None:
            return ""
        return "DBWR has no capacity left for any target: more I/O capacity comes first."

    def surviving(self, row: Row) -> str:
        """In RAC, the part of the recovery time that a surviving instance needs."""
        if not self.asked.rac or not self.split.start_known:
            return ""
        rest_s = row.state.recovery_s - (self.split.fixed_s or 0.0)
        return f"A surviving instance needs {rest_s:.0f} s of it."

    def row(self, target_s: float) -> Row:
        """The row of a target; that of no target if it is not among them."""
        return next((row for row in self.rows if row.state.target_s == target_s), self.rows[-1])

    def to_dict(self) -> CostsDocument:
        """Plain data, as `awrlens mttr REPORT --format json` prints it."""
        return {
            "source": self.source,
            "rac": self.asked.rac,
            "points": [row.to_dict() for row in self.rows],
            "strictest_s": None if self.split.by == "assumed" else self.strictest_s,
            "capacity": plain_data(self.capacity),
            "limits": plain_data(self.limits),
            "parts": self.parts,
            "present_writes_per_s": round(self.present_writes_per_s, 1),
            "notes": list(self.notes),
        }


#: The redo of the end snapshot exceeds a limit if it is more than this ratio of it.
_MORE: Final = 1.01
#: The redo is read for this share of cache recovery or more: log disks limit the recovery.
_MOSTLY_READ: Final = 0.5


def limits(system: System, facts: Mapping[str, Fact], asked: Asked) -> Iterator[LimitDocument]:
    """Every limit besides the target, with the recovery time that it allows."""
    load, rates = system.load, system.rates
    # the redo of the timeout at the end snapshot, at the redo rate of that time
    blocks = facts["checkpoint.timeout_redo_blocks"].number
    at_the_end = f" (at the end snapshot: {blocks * REDO_BLOCK_B / MB:,.0f} MB)" if blocks else ""
    ages = write_model.limits_of_age(system, HIGHEST_S)
    ages.pop("target", None)
    ages.pop("1,000 blocks", None)
    ages.pop("buffer cache")
    texts = {
        "log size": f"{_log_size(facts, load)}; larger redo logs raise it",
        "timeout": f"LOG_CHECKPOINT_TIMEOUT, {system.timeout_s or 0:,.0f} s at the "
        f"average redo rate{at_the_end}; 0 removes it",
        "interval": "LOG_CHECKPOINT_INTERVAL; 0 removes it",
        "present lag": _present_lag(facts),
    }
    least_s = load.age_s(LEAST_DIRTY_BLOCKS)
    lowest_s = write_model.lowest_target_s(load, rates)
    what, text = "lowest target", "without start-up and opening of the files, which are not known"
    if rates.lowest_s is not None:
        text = f"by {facts['checkpoint.lowest_mttr_s'].evidence[0].section}"
    elif _split(facts, asked).start_known:
        spent_s = lowest_s - rates.fixed_s
        text = f"{rates.fixed_s:.1f} s of start-up and opening + {spent_s:.1f} s of blocks"
    else:
        what, lowest_s = "at least", lowest_s - rates.fixed_s
    text += "; Oracle does not aim at fewer dirty blocks"
    yield LimitDocument(
        "1,000 blocks", least_s * load.redo_bytes_per_s / MB, lowest_s, text, "at least", what
    )
    kept = write_model.limits_of_age(system._replace(seen_s=0.0), HIGHEST_S)
    unlimited = system._replace(rates=rates._replace(writes_per_s=None))
    for name, age_s in ages.items():
        text = texts[name]
        if age_s > _MORE * kept[name]:  # the end snapshot has more redo than the limit allows
            allowed_mb = kept[name] * load.redo_bytes_per_s / MB
            text += f"; it allows {allowed_mb:,.0f} MB, and the end snapshot has more"
        state = write_model.of_age(unlimited, 0.0, 0.0, age_s, name)
        bound: Bound = "now" if name == "present lag" else "at most"
        yield LimitDocument(name, state.redo_bytes / MB, state.recovery_s, text, bound)
    most = write_model.of_age(system, 0.0, 0.0, write_model.by_log_size_s(load), "log size")
    read_s = rates.first_pass_s(write_model.by_log_size(load))
    all_redo = (
        "that of one redo log" if load.limit_bytes is None else "the most that the redo logs allow"
    )
    text = f"to read {write_model.by_log_size(load) / MB:,.0f} MB of redo, {all_redo}, takes "
    if asked.log is None and system.estimates and not most.blocks_s:
        read_s = most.redo_read_s
        text += f"at most {read_s:.1f} s: all of the recovery by Oracle's estimate"
    else:
        basis = "" if asked.log is not None else " (assumed)"
        if asked.log is None and facts["checkpoint.rac_available_s"].number:
            basis = " (Estd RAC Avail Time)"
        text += (
            f"{read_s:.1f} s at {rates.scan_bytes_per_s / MB:,.0f} MB/s{basis}; log disks twice "
            f"as fast save {read_s / 2:.1f} s of it"
        )
        if most.fits and most.redo_read_s < _MOSTLY_READ * (most.redo_read_s + most.blocks_s):
            text += ", but most of the recovery is for data blocks"
    what = "start-up and reading alone" if rates.fixed_s else "reading alone"
    yield LimitDocument(
        "redo read time", write_model.by_log_size(load) / MB, rates.fixed_s + read_s, text,
        "part", what,
    )  # fmt: skip


def _log_size(facts: Mapping[str, Fact], load: Load) -> str:
    release = facts["database.release"].value
    rule = limit_of(release if isinstance(release, str) else None) or SMALLEST
    if load.limit_bytes is None:
        log_mb = facts["redo.log_mb"].number or facts["redo.mb_per_switch"].number
        of = "by the redo per log switch" if log_mb else "assumed"
        more = "at least " if rule.of_all_but_one else ""
        return f"{more}90 % of one redo log of {load.log_bytes / MB:,.0f} MB ({of})"
    return rule.words


def _present_lag(facts: Mapping[str, Fact]) -> str:
    if not facts["checkpoint.actual_redo_blocks"].number:
        return "assumed: the report does not have the redo after the checkpoint"
    cause = facts["checkpoint.main_cause"]
    why = "" if cause.value in (None, "none") else f"; {cause.note}"
    return f"redo after the checkpoint at the end snapshot{why}"


#: Targets of the table, as far as they have an effect.
_TARGETS: Final = (15, 30, 60, 90, 120, 180, 300, 600, 900, 1800, 3600)


def advise(
    facts: Mapping[str, Fact], name: str, block_bytes: int | None, asked: Asked, policy: Policy
) -> Advice:
    """The targets of a report, the strictest first; UsageError without redo and writes."""
    system, assumed = _system(facts, name, block_bytes, asked, policy, EXPONENT)
    spread = [_system(facts, name, block_bytes, asked, policy, exponent)[0]
              for exponent in (LEAST_EXPONENT, MOST_EXPONENT)]  # fmt: skip
    own = write_cost.advisory(facts)
    now = facts["checkpoint.advised_now_s"].number
    present = writes_per_s(facts) or 0.0
    capacity = capacity_of(facts, asked, policy)
    split = _split(facts, asked)
    values = _assumed(split, system, facts)

    def row_of(target_s: float) -> Row:
        systems = (system, *spread)
        if own is not None and now is not None and target_s:
            factor, low, high = write_cost.by_advisory(own, now, target_s, systems)
            printed = target_s in {point_s for point_s, _ in own.points}
            inside = own.points[0][0] <= target_s <= own.points[-1][0]
            origin: Origin = "advisory" if printed else "interpolated" if inside else "simulated"
        else:
            factor, low, high = (
                write_model.factor(one, present, write_model.at(one, target_s)) for one in systems
            )
            origin = "simulated"
        writes, least = present * factor, capacity.least_per_s
        most_pct = policy[judge.DBWR_BUSY_PCT]
        busy = None if not capacity.writes_per_s else 100 * writes / capacity.writes_per_s
        bears: Bears = "not known"
        if least and 100 * writes / least <= most_pct:
            bears = "yes"
        elif busy is not None:
            bears = "yes" if busy <= most_pct else "tight" if busy <= _WHOLE_PCT else "no"
        state = write_model.at(system, target_s)
        if state.present and factor <= 1 - _OTHER_WRITES:
            # fewer writes than now leave more to recover: up to the limits other than now's
            free = system._replace(tuned_s=None)
            state = write_model.at(free, target_s)._replace(present=True)
        row = Row(
            state, factor, min(low, high), max(low, high), origin,
            writes, busy, bears, values, split.fixed_s is not None, split.by != "not included",
        )  # fmt: skip
        if row.unknown:
            return row._replace(bears="not known")
        more = factor >= 1 + _OTHER_WRITES
        return row._replace(bears="tune first") if asked.slow and more else row

    # without start-up, the lowest achievable target is not known
    least_s = ceil(write_model.lowest_target_s(system.load, system.rates))
    if split.fixed_s is None:
        least_s = max(least_s, ceil(own.points[0][0]) if own else _TARGETS[0])
    rows = [row_of(target_s) for target_s in _targets(system, facts, asked, least_s)]
    startup_s, file_open_s = _fixed(asked)
    notes = (*_notes(facts, system, split, asked, capacity, present), assumed)
    return Advice(
        name=name,
        asked=asked,
        source=f"{write_cost.ADVISORY}, outside its rows simulated"
        if own
        else "simulated checkpoint queue with the load of the report",
        rows=tuple(rows),
        strictest_s=_strictest(row_of, rows, least_s),
        capacity=capacity,
        limits=tuple(limits(system, facts, asked)),
        split=split,
        parts={
            "startup_s": startup_s, "file_open_s": file_open_s,
            "fixed_s": rounded(split.fixed_s, 3), "fixed_by": split.by,
            "fixed_least_s": round(split.fixed_low_s, 3),
            "fixed_most_s": rounded(split.fixed_high_s, 3),
            "redo_read_s": round(split.read_s, 3), "blocks_s": round(split.blocks_s, 3),
            "block_ms": round(1000 * (system.rates.estimate_block_s or 0.0), 4),
            "read_mb_per_s": round(system.rates.scan_bytes_per_s / MB, 1),
        },
        present_writes_per_s=present,
        notes=tuple(cite(note) for note in notes),
    )  # fmt: skip


def _assumed(split: Split, system: System, facts: Mapping[str, Fact]) -> str:
    if split.by != "assumed":
        return ""
    block_ms = 1000 * (system.rates.estimate_block_s or 0.0)
    lag = ""
    if not facts["checkpoint.actual_redo_blocks"].number:
        lag = f", {(system.load.lag_bytes or 0.0) / MB:,.0f} MB of redo after the checkpoint"
    return (
        f"{system.rates.fixed_s:.0f} s for start-up and opening of the files, "
        f"{plain(block_ms, 2)} ms per dirty block{lag}"
    )


def _strictest(row: Callable[[float], Row], rows: list[Row], least_s: int) -> int | None:
    """The strictest target, in seconds, that DBWR sustains; None if its capacity is not known."""
    if rows[0].bears == "not known" and not rows[0].unknown:
        return None
    if rows[0].bears == "yes":
        return max(round(rows[0].state.target_s), least_s)
    borne = next((entry for entry in rows if entry.state.target_s and entry.bears == "yes"), None)
    if borne is None:
        return None
    between = range(round(rows[0].state.target_s) + 1, round(borne.state.target_s))
    first = bisect_left(between, True, key=lambda target_s: row(target_s).bears == "yes")  # noqa: FBT003 - not borne, then borne
    return between.start + first


def _system(
    facts: Mapping[str, Fact], name: str, block_bytes: int | None, asked: Asked, policy: Policy,
    exponent: float,
) -> tuple[System, str]:  # fmt: skip
    preset = of_report(facts, name, block_bytes, exponent, _split(facts, asked))
    rates = preset.rates
    if asked.log is not None:
        blocks = judge.rates(asked.log)["apply_blocks"]
        if blocks is not None and blocks.value is not None:
            rates = rates._replace(estimate_block_s=1 / blocks.value)
    rates = rates._replace(writes_per_s=capacity_of(facts, asked, policy).writes_per_s)
    # the limit that the redo after the checkpoint has reached, or that of the end snapshot
    held_by: LimitName = "present lag"
    reached = lag_pct(lambda name: facts[name].number)
    if reached is not None and reached >= policy["checkpoint.at_limit_pct"]:
        held_by = _BINDING.get(str(facts["checkpoint.binding_limit"].value), held_by)
    return system_of(facts, preset._replace(rates=rates))._replace(held_by=held_by), preset.note


#: The limits of redo by their names in `checkpoint.binding_limit`.
_BINDING: Final[dict[str, LimitName]] = {
    "log_size": "log size", "interval": "interval",
    "timeout": "timeout",
}  # fmt: skip


def _fixed(asked: Asked) -> tuple[float | None, float | None]:
    fixed = judge.offsets(asked.log) if asked.log is not None else Offsets(None, None)
    return (
        fixed.init_s if asked.startup_s is None else asked.startup_s,
        fixed.open_s if asked.file_open_s is None else asked.file_open_s,
    )


def _split(facts: Mapping[str, Fact], asked: Asked) -> Split:
    startup_s, open_s = _fixed(asked)
    given = asked.startup_s is not None and asked.file_open_s is not None
    fixed_s = None if startup_s is None or open_s is None else startup_s + open_s
    scan = judge.rates(asked.log)["scan_bytes"] if asked.log is not None else None
    return split_of(facts, fixed_s, "given" if given else "alert log", scan and scan.value)


def _targets(system: System, facts: Mapping[str, Fact], asked: Asked, least_s: int) -> list[float]:
    """Targets between the lowest and the highest with an effect; 0 is none."""
    highest = write_model.at(system, HIGHEST_S)
    top = HIGHEST_S if highest.limit == "target" else ceil(highest.recovery_s)
    own = write_cost.advisory(facts)
    targets = {float(target_s) for target_s in (least_s, *_TARGETS) if least_s <= target_s < top}
    targets |= {target_s for target_s, _ in own.points} if own else set()
    kept = facts["checkpoint.target_mttr_s"].number
    targets |= {float(target_s) for target_s in (asked.target_s, kept) if target_s}
    if own is None:
        targets.add(float(min(max(top, least_s), HIGHEST_S)))
    drives = kept and facts["checkpoint.main_cause"].value == "mttr"
    return sorted(targets) if drives else [*sorted(targets), 0.0]


def _notes(
    facts: Mapping[str, Fact], system: System, split: Split, asked: Asked,
    capacity: CapacityDocument, present: float,
) -> Iterator[str]:  # fmt: skip
    """Oracle's own estimates and their split, or why there are none; what the rest rests on."""
    low, high = (facts[f"checkpoint.estimated_mttr_{end}_s"].number for end in ("low", "high"))
    if split.estimate_s is None or low is None or high is None:
        why = facts["checkpoint.estimated_mttr_s"].note
        yield f"No estimate of Oracle is used for the recovery time: {why}."
    else:
        span = f"{low:.0f} s" if low == high else f"{low:.0f} to {high:.0f} s"
        said = (
            f"Oracle's own estimate at the snapshots is {span}; the table is for the average load "
            "of the interval, in proportion to it."
        )
        doubt = split.contradiction and f"{split.contradiction}; the larger one is planned with."
        yield doubt or said
        yield from filter(None, (split.words, cluster_words(facts)))
    if asked.log is not None:
        yield _learned(asked.log)
    elif asked.startup_s is None:
        yield (
            "Start-up, opening and the rate of reading are exact with the alert log (--alert-log) "
            "or the spool of `awrlens sql recovery` (--from)."
        )
    if capacity.writes_per_s is not None and asked.write_capacity is None:
        yield (
            f"The report shows {present:,.0f} blocks per second; what is above it is extrapolated. "
            "Give a measured capacity with --write-capacity."
        )
    yield (
        "Recovery times are for the average load of the interval. `awrlens recovery predict` is "
        "for a crash at the end snapshot, with the same split of Oracle's estimate."
    )
    # a checkpoint at every log switch writes what became dirty since the one before, as fast as
    # DBWR can; with a target the same queue is written evenly
    load = system.load
    minutes = facts["redo.minutes_per_switch"].number
    cycle_s = minutes * 60 if minutes else load.log_bytes / load.redo_bytes_per_s
    dirty = load.new_blocks_per_s * cycle_s + sum(
        n * (1 - exp(-rate * cycle_s)) for n, rate in load.kinds
    )
    bulk = facts["checkpoint.thread_write_pct"].number
    seen = "" if bulk is None else f" Now {bulk:.0f} % of the blocks are written at log switches."
    burst = ""
    if capacity.writes_per_s:
        burst = f", {dirty / capacity.writes_per_s:,.1f} s of DBWR's whole capacity"
    yield (
        f"Smoothness: checkpoints only at log switches would write {dirty:,.0f} blocks in bulk "
        f"every {cycle_s:,.0f} s{burst}; a target writes them evenly.{seen}"
    )


def _learned(log: Episodes) -> str:
    scan_rate = judge.rates(log)["scan_bytes"]
    number = len(log.recoveries)
    if scan_rate is None or scan_rate.value is None:
        return "The alert log has no recovery with both redo and time: rates are published values."
    text = (
        f"Rates are those of {len(scan_rate.of)} of {number} recoveries in the alert log, weighted "
        "by their redo"
    )
    moved = judge.moved_pct(log)
    if moved is None:
        return f"{text}. One is few: the paper measures three or four."
    return f"{text}; the last one changed the rate of reading by {moved:.0f} %."
