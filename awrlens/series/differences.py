"""What differs between two sides: amounts, parameters, facts that are not numbers; change or noise.

A difference is reported if it exceeds the noise: for one report against another the counting error,
half of the last digit printed and a minimum; for sets of reports the scatter within every set. A
single report is compared with the range of a set, too. Robust statistics: Iglewicz and Hoaglin, How
to Detect and Handle Outliers (ASQC, 1993); for a MAD of 0 the mean absolute deviation.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from math import exp, log, sqrt
from statistics import correlation, fmean, median
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from awrlens.lazy import NamedTuple, regex
from awrlens.model import Change
from awrlens.model.comparison import ChangedParameter
from awrlens.model.fact_table import REPORT_FACTS
from awrlens.units import CENTISECONDS, UNIT_SIGNS, half_step, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from awrlens.model import Evidence, Fact
    from awrlens.model.comparison import About, Reading
    from awrlens.model.kinds import Per
    from awrlens.policy import Policy

    #: The reports before and after.
    Sides: TypeAlias = tuple[Sequence[Reading], Sequence[Reading]]

Made = TypeVar("Made", bound="Callable[..., Any]")

#: Parameters of the write path, by the beginnings of their names (Oracle Database Reference).
_WRITE_PATH: Final = (
    "archive_lag_target", "bitmap_merge_area_size", "commit_", "create_bitmap_area_size",
    "db_block_checking", "db_block_checksum", "db_block_max_dirty_target", "db_cache_size",
    "db_flashback_retention_target", "db_lost_write_protect", "db_writer_processes",
    "dbwr_io_slaves", "disk_asynch_io", "fast_start_", "filesystemio_options", "hash_area_size",
    "log_archive_max_processes", "log_buffer", "log_checkpoint_",
    "memory_target", "pga_aggregate_", "rollback_segments", "sga_target", "sort_area_",
    "temp_undo_enabled", "transactions_per_rollback_segment", "undo_management", "undo_retention",
    "workarea_size_policy", "_log_parallelism", "_use_adaptive_log_file_sync",
    "_use_single_log_writer", "_max_outstanding_log_writes",
)  # fmt: skip
#: Names, addresses and paths, by the beginnings of their names: they have no effect on the load.
_NAMES: Final = (
    "cluster_database_instances", "cluster_interconnects", "control_files", "db_domain", "db_name",
    "db_unique_name", "dg_broker_config_file", "dispatchers", "fal_", "ifile", "instance_n",
    "listener_networks", "local_listener", "log_archive_config", "log_archive_format",
    "remote_listener", "remote_login_passwordfile", "service_names", "smtp_out_server", "spfile",
    "standby_file_management", "thread", "undo_tablespace", "utl_file_dir",
)  # fmt: skip
_PATHS: Final = ("_dest", "_file_name_convert")
#: Archive destinations: a path, unless the value sends redo to another database.
_DESTINATION: Final = "log_archive_dest"
_REMOTE: Final = "service="
_ORDER: Final[tuple[About, ...]] = ("write-path", "other", "name")


def parameters(sides: Sides) -> tuple[ChangedParameter, ...]:
    """Parameters that differ between the last reports of both sides, the write path first."""
    first, second = (side[-1].parameters for side in sides)
    if not (first and second):
        return ()
    pairs = ((name, first.get(name, ""), second.get(name, "")) for name in {**first, **second})
    changed = [ChangedParameter(*pair, about(*pair)) for pair in pairs if not _alike(*pair[1:])]
    return tuple(sorted(changed, key=lambda parameter: _ORDER.index(parameter.about)))


def about(name: str, first: str, second: str) -> About:
    """Whether a parameter is one of the write path, or a name or path without effect on it."""
    plain = name.lower()
    if plain.startswith(_DESTINATION):
        remote = any(_REMOTE in "".join(value.lower().split()) for value in (first, second))
        return "write-path" if remote else "name"
    if plain.startswith(_NAMES) or plain.endswith(_PATHS):
        return "name"
    return "write-path" if plain.startswith(_WRITE_PATH) else "other"


#: Minimum column width to which text reports truncate values.
_CUT: Final = 30


def _alike(first: str, second: str) -> bool:
    """Whether two values are equal apart from spaces, or one is the other truncated to a column.

    Upper and lower case are alike, except in paths.
    """
    texts = (first, second) if "/" in first + second else (first.lower(), second.lower())
    short, long = sorted(("".join(text.split()) for text in texts), key=len)
    return short == long or (len(short) >= _CUT and long.startswith(short))


def names(sides: Sides) -> tuple[Change, ...]:
    """Facts that are names and differ; a fact that is missing on one side is not a difference."""
    changes = []
    for name in sides[0][-1].facts:
        first, second = (_usual([r.facts[name] for r in side]) for side in sides)
        if first and second and first != second:
            changes.append(Change(name, first, second))
    return tuple(changes)


def _usual(facts: Sequence[Fact]) -> str:
    """The most frequent text; several names are in order, in the report by I/O."""
    values = (fact.value for fact in facts)
    texts = (", ".join(sorted(v)) if isinstance(v, tuple) else v for v in values)
    printed = [text for text in texts if text and isinstance(text, str)]
    return Counter(printed).most_common(1)[0][0] if printed else ""


def own_sql(sides: Sides, place: int, policy: Policy) -> dict[str, dict[str, float]]:
    """SQL that only one of two reports lists, by kind of work, where it has a tenth of all."""
    if max(map(len, sides)) > 1:
        return {}
    mine, theirs = sides[place][0].work, sides[1 - place][0].work
    own = {kind: {sql: share for sql, share in shares.items() if sql not in theirs[kind]}
           for kind, shares in mine.items() if kind in theirs}  # fmt: skip
    return {kind: of for kind, of in own.items() if sum(of.values()) >= policy["compare.new_pct"]}


def numbers(readings: Sequence[Reading], fact: str) -> list[float]:
    """The values of a fact in the reports that have it."""
    return [n for reading in readings if (n := reading.facts[fact].number) is not None]


#: The MAD of a normal distribution is this part of its standard deviation.
_MAD_TO_SIGMA: Final = 0.6745
#: Its standard deviation is this many times the mean absolute deviation, and the standard error of
#: its median this many times that of its mean: the square root of pi / 2.
_OF_MEAN: Final = 1.253314


def mad(values: Sequence[float], middle: float | None = None) -> float:
    """The median of the absolute deviations from the median."""
    middle = median(values) if middle is None else middle
    return median([abs(value - middle) for value in values])


def _deviation(values: Sequence[float]) -> float:
    """The standard deviation by the MAD; by the mean absolute deviation if that is 0."""
    middle = median(values)
    by_mad = mad(values, middle) / _MAD_TO_SIGMA
    return by_mad or _OF_MEAN * fmean([abs(value - middle) for value in values])


def modified_z_score(value: float, values: Sequence[float]) -> float:
    """The number of robust standard deviations between a value and the median of some values.

    If all values are equal, the score is 0.
    """
    scatter = _deviation(values)
    return (value - median(values)) / scatter if scatter > 0 else 0.0


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of every value, from 1; equal values share the mean of their ranks."""
    order = sorted(values)
    return [(bisect_left(order, value) + bisect_right(order, value) + 1) / 2 for value in values]


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's rank correlation; None if one side does not vary."""
    a, b = ranks(xs), ranks(ys)
    if min(len({*a}), len({*b})) == 1:
        return None
    return max(-1.0, min(1.0, correlation(a, b)))  # rounding must not make it greater than 1


#: The write path: redo, temp, undo, recovery, load, host.
DEFAULT: Final = (
    "load.average_active_sessions", "redo.write_ms", "redo.parallel_write_ms", "redo.sync_ms",
    "redo.sync_pct_db_time", "redo.writes_per_s", "redo.bytes_per_s",
    "redo.log_switches_per_hour", "temp.read_ms", "temp.reads_per_s", "temp.io_share_pct",
    "undo.read_ms", "undo.block_write_pct", "undo.rollbacks_per_1000_executes",
    "checkpoint.write_pct", "checkpoint.estimated_mttr_s", "checkpoint.data_write_ms",
    "load.transactions_per_s", "load.executes_per_s", "load.physical_writes_per_s",
    "load.physical_reads_per_s", "host.load_per_cpu_end", "host.iowait_pct", "host.idle_pct",
)  # fmt: skip


def least_difference(unit: str, policy: Policy) -> float:
    """The minimum difference of two values that counts; 0 for units without one."""
    least = {"ms": "trend.least_ms", "%": "trend.least_points_pct"}.get(unit)
    return policy[least] if least else 0.0


#: Divisors of amounts, and the facts with their rates.
_RATES: Final[tuple[tuple[Per, str], ...]] = (
    ("transaction", "load.transactions_per_s"), ("execute", "load.executes_per_s"),
)  # fmt: skip
_NOUNS: Final[dict[Per, str]] = {
    "second": "s", "transaction": "transactions", "execute": "executes",
}  # fmt: skip
#: Columns that count the operations behind an average, and rows that do.
_OPERATIONS: Final = regex(r"# ?Waits|Waits|Reads|Writes|Waits/sec", re.I)
_WRITES: Final = "redo writes"
#: Headings of columns with rounded whole numbers; counts are exact.
_ROUNDED: Final = regex(r"\((s|sec|ms|us|cs)\)|%|Time\b|/s|per second", re.I)


#: Shares from a histogram, and the fact that has its number of operations.
_SAMPLES: Final = (
    ("redo.write_slower_", "redo.write_count"), ("redo.sync_slower_", "redo.sync_count"),
)  # fmt: skip
_PERCENTILE: Final = regex(r"_p\d+_ms$")
_HOUR_S: Final = 3600
#: The column of instance statistics that has counts.
_TOTAL: Final = "Total"


class Amount(NamedTuple):
    """A number with its unit and arithmetic, its relative error and possible rounding error.

    ``spread`` is the scatter of a single report of a set (logarithm of a factor).
    """

    value: float
    unit: str
    how: str
    error: float = 0.0
    step: float = 0.0
    spread: float = 0.0
    least: float | None = None
    most: float | None = None


class Divisor(NamedTuple):
    """The number of seconds, transactions or executes in an interval."""

    per: Per
    number: float
    error: float = 0.0


def _kept(make: Made) -> Made:
    def recalled(reading: Reading, policy: Policy, *args: str) -> Any:  # noqa: ANN401 - as ``make``
        # the only threshold that they read
        key = (make.__name__, policy["compare.least_per_s"], *args)
        if key not in reading.kept:
            reading.kept[key] = make(reading, policy, *args)
        return reading.kept[key]

    return cast("Made", recalled)


@_kept
def divisors(reading: Reading, policy: Policy) -> dict[Per, Divisor]:
    """The divisors of a report's amounts that are known and not close to 0."""
    elapsed = reading.facts["load.elapsed_s"].number
    if not elapsed or not reading.valid:
        return {}
    by: dict[Per, Divisor] = {"second": Divisor("second", elapsed)}
    for per, name in _RATES:
        fact = reading.facts[name]
        rate = fact.number or 0.0
        if rate >= policy["compare.least_per_s"]:
            by[per] = Divisor(per, rate * elapsed, _rounding(fact) / rate)
    return by


@_kept
def amounts(reading: Reading, policy: Policy) -> dict[tuple[str, Per], Amount]:
    """Every numeric fact, by its name and its divisor."""
    by = divisors(reading, policy)
    waits = {event.name: event.waits or 0.0 for event in reading.events}
    return {
        (name, per): amount
        for name, fact in reading.facts.items()
        if fact.number is not None
        for per, amount in _of(fact, by, waits, reading.facts)
    }


def _of(
    fact: Fact,
    by: Mapping[Per, Divisor],
    waits: Mapping[str, float],
    facts: Mapping[str, Fact],
) -> Iterator[tuple[Per, Amount]]:
    value = fact.number or 0.0
    error, step = _error(fact, by, waits), _rounding(fact)
    sample = next((facts[n].number for start, n in _SAMPLES if fact.name.startswith(start)), None)
    if sample and sample > 0 and fact.unit == "%" and 0 < value < 100:  # noqa: PLR2004 - a share of a sample
        error = sqrt((100 - value) / (value * sample))
    if fact.unit == "1/h" and "second" in by:  # an interval may have one event more or less
        step = max(step, _HOUR_S / by["second"].number)
    kind = REPORT_FACTS[fact.name].kind
    if kind in ("level", "setting"):
        how = fact.formula or f"{show(value)} {UNIT_SIGNS.get(fact.unit, fact.unit)}".strip()
        yield "none", Amount(value, fact.unit, how, error if kind == "level" else 0.0, step)
    if kind == "total":
        for per, divisor in by.items():
            yield per, divided(fact.unit, value, divisor, error, step)
    if kind == "rate" and "second" in by:
        elapsed = by["second"].number
        unit = fact.unit.removesuffix("/s").replace("1", "count")
        for per, divisor in by.items():
            amount = divided(unit, value * elapsed, divisor, error, step * elapsed)
            yield per, amount._replace(value=value) if per == "second" else amount


def divided(unit: str, value: float, divisor: Divisor, error: float, step: float) -> Amount:
    """A total per second, transaction or execute; seconds become milliseconds."""
    shown_unit, scale = ("ms", 1000.0) if unit == "s" else (unit, 1.0)
    result = value * scale / divisor.number
    sign = UNIT_SIGNS.get(unit, unit)
    times = " × 1000" if unit == "s" else ""
    sign_after = UNIT_SIGNS.get(shown_unit, shown_unit)
    how = (
        f"{show(value)} {sign}".strip()
        + f"{times} / {show(divisor.number)} {_NOUNS[divisor.per]} = "
        + f"{show(result)} {sign_after} per {divisor.per}".replace("  ", " ")
    )
    # the rounding error of the divisor is a bound: it does not average out
    step = step * scale / divisor.number + result * divisor.error
    return Amount(result, shown_unit, how, error, step)


@_kept
def event_amounts(reading: Reading, policy: Policy, per: Per) -> dict[tuple[str, bool], Amount]:
    """The time waited for each event, with its counting error, by its name as printed."""
    divisor = divisors(reading, policy)[per]
    return {
        (event.name, event.background): divided(
            "s", event.total_s, divisor,
            sqrt(2 / event.waits) if event.waits and event.waits > 0 else 0.0, event.step_s,
        )
        for event in reading.events
    }  # fmt: skip


def _error(fact: Fact, by: Mapping[Per, Divisor], waits: Mapping[str, float]) -> float:
    """Relative standard error of the counts behind a fact; 0 if they are not known."""
    # random arrivals and durations: a mean of n waits has a relative error of 1/sqrt(n), a sum of
    # n waits has sqrt(2/n), a count has 1/sqrt(n), a counter in centiseconds 1/sqrt(ticks)
    squares = 0.0
    if fact.unit == "ms":
        operations = sum(_count(item) for item in fact.evidence)
        squares = 1 / operations if operations > 0 else 0.0
    elif fact.unit == "count" and fact.number and REPORT_FACTS[fact.name].kind == "total":
        squares = 1 / fact.number
    elif fact.unit == "1/s" and fact.number and "second" in by:
        squares = 1 / (fact.number * by["second"].number)
    elif fact.unit == "s" and fact.name != "load.response_s":  # of an event's share, before 10g
        number = sum(waits.get(item.row, 0.0) for item in fact.evidence)
        squares = 2 / number if number > 0 else 0.0
    elif fact.unit in ("%", "ratio"):
        counts = [_total(item) for item in fact.evidence]
        squares = 1 / min(filter(None, counts)) if any(counts) and None not in counts else 0.0
    for item in fact.evidence:
        if item.row in CENTISECONDS and isinstance(item.value, int | float) and item.value > 0:
            squares += 1 / item.value
    return sqrt(max(squares, 0.0))  # a negative count is not usable


def _count(item: Evidence) -> float:
    counts = _OPERATIONS.fullmatch(item.column) or item.row == _WRITES
    return float(item.value) if counts and isinstance(item.value, int | float) else 0.0


def _total(item: Evidence) -> float | None:
    counted = item.column == _TOTAL and isinstance(item.value, int | float)
    return float(item.value) if counted else None  # type: ignore[arg-type]


def _rounding(fact: Fact) -> float:
    """The possible rounding error of a fact, from the digits that the report prints."""
    value = abs(fact.number or 0.0)
    if _PERCENTILE.search(fact.name):
        return value / 2  # histograms double from bucket to bucket
    operations = sum(_count(item) for item in fact.evidence)
    steps = [(_step(item), item.value) for item in fact.evidence]
    if fact.unit == "s" or not fact.formula:
        return sum(step for step, _ in steps)
    if fact.unit == "ms" and not value and operations:  # 0 s over some waits
        return sum(step for step, _ in steps) * 1000 / operations
    parts = [step / abs(x) for step, x in steps if step and isinstance(x, int | float) and x]
    return value * sqrt(sum(part * part for part in parts))


def _step(item: Evidence) -> float:
    if not isinstance(item.value, int | float) or item.row in CENTISECONDS:
        return 0.0
    number = item.text.partition(" (")[0].strip()
    whole = number.replace(",", "").isdecimal()
    if whole and not _ROUNDED.search(item.column):
        return 0.0  # a count is exact
    return half_step(item.text, item.value)


#: Equal except for the last digits of a float.
_EQUAL: Final = 1e-9
#: A deviation of the logarithm that no difference exceeds.
_WIDEST: Final = 12.0
#: Minimum share that is left of a value after rounding, so that bounds stay finite.
_LEFT: Final = 1e-6


class Noise(NamedTuple):
    """Whether two values differ, and the percentage (of the smaller) that counts as noise."""

    differs: bool
    same: bool
    pct: float
    basis: str


def pooled(values: Sequence[Amount], policy: Policy) -> Amount:
    """One amount of a side: the only one, or the median of its reports with its own error."""
    if len(values) == 1:
        return values[0]
    numbers = [amount.value for amount in values]
    middle, step = median(numbers), median(amount.step for amount in values)
    nearest = min(values, key=lambda amount: abs(amount.value - middle))
    how = f"median of {len(values)} reports: {nearest.how}"
    ends = min(numbers), max(numbers)
    of_side = Amount(middle, nearest.unit, how, 0.0, step, 0.0, *ends)
    if len(values) < policy["compare.least_reports"]:
        return of_side
    error = _OF_MEAN * mad(numbers, middle) / _MAD_TO_SIGMA / sqrt(len(values))
    logs = [log(number) for number in numbers if number > 0]  # values are skewed
    return of_side._replace(
        error=error / abs(middle) if middle else 0.0,
        spread=_deviation(logs) if len(logs) * 2 > len(values) else 0.0,
    )


def judge(
    before: Amount, after: Amount, reports: tuple[int, int], policy: Policy, *, exact: bool = False
) -> Noise:
    """Whether a difference is more than noise; ``exact``: any difference of a setting counts."""
    low, high = sorted((abs(before.value), abs(after.value)))
    same = abs(before.value - after.value) <= _EQUAL * high
    if exact:
        return Noise(not same, same, 0.0, "a setting: any difference counts")
    deviation = policy["compare.standard_errors"] * sqrt(before.error**2 + after.error**2)
    among = False
    if min(reports) == 1 < max(reports):
        one, many = (before, after) if reports[0] == 1 else (after, before)
        among = many.least is not None and many.least <= one.value <= (many.most or 0.0)
        own = policy["compare.standard_errors"] * one.error
        deviation = sqrt(own**2 + (policy["compare.set_deviations"] * many.spread) ** 2)
    # few operations have large relative errors: bounds are factors, not differences
    counting = exp(min(deviation, _WIDEST)) - 1
    printing = _printing(before, after)
    floor = policy["compare.floor_pct"] / 100
    bound = max(floor, (1 + counting) * (1 + printing) - 1)
    basis = _basis(bound, floor, counting, printing, reports, policy)
    opposite = before.value * after.value < 0
    if low == 0 or opposite:  # one value is 0: the other must be more than noise
        lost = (before.step + after.step) / high if high else 0.0
        differs = not same and not among and (opposite or deviation + lost < 1)
        return Noise(differs, same, bound * 100, basis)
    differs = not same and not among and high / low - 1 > bound
    return Noise(differs, same, bound * 100, basis)


def _printing(before: Amount, after: Amount) -> float:
    """By how much the greater value may exceed the smaller by rounding alone."""
    less, more = sorted((before, after), key=lambda amount: (abs(amount.value), amount.step))
    if not less.value:
        return 0.0
    least = max(abs(more.value) - more.step, abs(more.value) * _LEFT)
    return (1 + less.step / abs(less.value)) * abs(more.value) / least - 1


def _basis(
    bound: float, floor: float, counting: float, printing: float, reports: tuple[int, int],
    policy: Policy,
) -> str:  # fmt: skip
    if bound <= floor:
        return f"changes below {policy['compare.floor_pct']:g} % are ignored as noise"
    least = policy["compare.least_reports"]
    errors = f"{policy['compare.standard_errors']:g} standard errors"
    if min(reports) == 1 and max(reports) >= least:
        of = f"{max(reports)} reports, {policy['compare.set_deviations']:g} standard deviations"
        why = f"median absolute deviation of {of}"
    elif min(reports) >= least:
        why = f"median absolute deviation of {reports[0]} and {reports[1]} reports, {errors}"
    else:
        why = f"{errors} of the number of operations (random arrivals and durations)"
    parts = [why] if counting else []
    if printing:
        parts.append("rounding in the report")
    return "; ".join(parts)
