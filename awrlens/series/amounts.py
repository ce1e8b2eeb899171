"""Amounts that can be compared: per second, per transaction, per execute, or as they are.

Every amount carries its uncertainty: the counting error of its inputs, and half of the last digit
that the report prints.
"""

from __future__ import annotations

import re
from math import sqrt
from typing import TYPE_CHECKING, Final

from awrlens.fact_table import REPORT_FACTS
from awrlens.lazy import regex
from awrlens.policy import Policy, Threshold
from awrlens.records import NamedTuple
from awrlens.units import CENTISECONDS, UNIT_SIGNS, half_step, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.model import Evidence, Fact
    from awrlens.model.comparison import Event, Per, Reading

LEAST_PER_S: Final = Threshold(
    "compare.least_per_s", 0.1, "1/s",
    "minimum transactions or executes per second for amounts per transaction or per execute",
    "awrlens: the Load Profile prints one decimal place, so lower rates are mostly rounding",
)  # fmt: skip

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
#: The column of instance statistics that has counts.
_TOTAL: Final = "Total"


class Amount(NamedTuple):
    """A number with its unit and arithmetic.

    ``error`` is the relative standard error, ``step`` the possible rounding error. For a set of
    reports, ``spread`` is the scatter of a single report (logarithm of a factor), ``least`` is the
    minimum and ``most`` the maximum.
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


def divisors(reading: Reading, policy: Policy) -> dict[Per, Divisor]:
    """The divisors of a report's amounts that are known and not close to 0."""
    elapsed = reading.facts["load.elapsed_s"].number
    if not elapsed or not reading.valid:
        return {}
    found: dict[Per, Divisor] = {"second": Divisor("second", elapsed)}
    for per, name in _RATES:
        fact = reading.facts[name]
        rate = fact.number or 0.0
        if rate >= policy[LEAST_PER_S]:
            found[per] = Divisor(per, rate * elapsed, _rounding(fact) / rate)
    return found


def amounts(reading: Reading, policy: Policy) -> dict[tuple[str, Per], Amount]:
    """Every numeric fact, by its name and its divisor."""
    by = divisors(reading, policy)
    waits = {each.name: each.waits or 0.0 for each in reading.events}
    found: dict[tuple[str, Per], Amount] = {}
    for name, fact in reading.facts.items():
        if fact.number is None:
            continue
        for per, amount in _of(fact, by, waits, reading.facts):
            found[name, per] = amount
    return found


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


def event_amount(event: Event, divisor: Divisor) -> Amount:
    """The time waited for an event, with its counting error."""
    error = sqrt(2 / event.waits) if event.waits and event.waits > 0 else 0.0
    return divided("s", event.total_s, divisor, error, event.step_s)


def _error(fact: Fact, by: Mapping[Per, Divisor], waits: Mapping[str, float]) -> float:
    """Relative standard error of the counts behind a fact; 0 if they are not known.

    The model is waits with random arrivals and random durations: a mean of n waits has a relative
    error of 1/sqrt(n), a sum of n waits has sqrt(2/n), a count has 1/sqrt(n).
    A counter in centiseconds counts clock ticks: 1/sqrt(ticks).
    """
    squares = 0.0
    if fact.unit == "ms":
        operations = sum(_count(item) for item in fact.evidence)
        squares = 1 / operations if operations > 0 else 0.0
    elif fact.unit == "count" and fact.number and REPORT_FACTS[fact.name].kind == "total":
        squares = 1 / fact.number
    elif fact.unit == "1/s" and fact.number and "second" in by:
        squares = 1 / (fact.number * by["second"].number)
    elif fact.unit == "s":
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
    """A total of Instance Activity Stats; None for anything else."""
    known = item.column == _TOTAL and isinstance(item.value, int | float)
    return float(item.value) if known else None  # type: ignore[arg-type]


def _rounding(fact: Fact) -> float:
    """The possible rounding error of a fact, from the digits that the report prints.

    In a sum the steps add up; in a quotient the relative steps add up as independent errors.
    """
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
