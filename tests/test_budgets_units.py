"""Units of budgets: what can be compared, and that converting loses nothing."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from awrlens import budgets, units
from awrlens.budgets import BudgetError
from awrlens.budgets.values import UNITS, unit
from awrlens.facts.registry import FACTS
from awrlens.model import Fact
from awrlens.model.fact import NO_NUMBERS

#: What each unit measures, by hand.
FAMILIES = {
    "time": ("ns", "us", "ms", "cs", "s", "min", "h"),
    "size": ("B", "KB", "MB", "GB", "TB"),
    "share": ("%",),
    "rate": ("1/s", "1/min", "1/h"),
    "throughput": tuple(f"{size}/{period}" for period in ("s", "min", "h")
                        for size in ("B", "KB", "MB", "GB", "TB")),
    "work": ("1/txn",),
}  # fmt: skip
FAMILY = {name: family for family, names in FAMILIES.items() for name in names}
#: A fact of each unit that facts have, invented.
MADE_UP = {f"made.up_{number}": name for number, name in enumerate([*UNITS, "count", "ratio"])}
NAME = {name: fact for fact, name in MADE_UP.items()}


def parse(text: str) -> budgets.Budget:
    return budgets.parse(text, MADE_UP)[0]


def verdict(text: str, value: float, unit_name: str) -> str:
    fact = Fact(NAME[unit_name], value, unit_name, "measured")
    return budgets.assess(parse(text), {fact.name: fact}, {}).verdict


def test_every_unit_of_the_language_belongs_to_a_family_and_every_number_fact_has_one() -> None:
    assert set(FAMILY) == set(UNITS)
    for spec in FACTS:
        assert (unit(spec.unit) is None) == (spec.unit in NO_NUMBERS), spec


@pytest.mark.slow
@pytest.mark.parametrize("one", UNITS)
def test_two_units_are_compared_if_they_measure_the_same_thing(one: str) -> None:
    for other in UNITS:
        text = f"{NAME[one]} <= 2 {other}"
        if FAMILY[one] == FAMILY[other]:
            parse(text)
            continue
        with pytest.raises(BudgetError) as caught:
            parse(text)
        assert (1, text.index("<=") + 1) == (caught.value.line, caught.value.column)
        assert f"{NAME[one]} ({one}) and 2 {other} ({other})" in caught.value.message


def test_converting_is_what_the_reader_of_reports_does() -> None:
    checked = 0
    for one, other in product(UNITS, repeat=2):
        try:
            factor = units.factor(one, other)
        except KeyError:
            continue
        assert factor == pytest.approx(float(UNITS[one].scale / UNITS[other].scale))
        checked += one != other
    assert checked > len(UNITS)


@pytest.mark.parametrize(("name", "other"), [(n, u) for u in ("count", "ratio") for n in UNITS])
def test_a_number_with_a_unit_is_no_number_of_things(name: str, other: str) -> None:
    if (name, other) == ("%", "ratio"):
        assert "met" == verdict(f"{NAME['ratio']} == 150 %", 1.5, "ratio")
        assert "met" == verdict(f"{NAME['%']} == {NAME['%']}", 20.0, "%")
        return
    with pytest.raises(BudgetError):
        parse(f"{NAME[other]} <= 2 {name}")


@pytest.mark.parametrize("name", UNITS)
def test_a_number_without_unit_is_told_which_to_write(name: str) -> None:
    with pytest.raises(BudgetError) as caught:
        parse(f"{NAME[name]} <= 1.5")

    assert f"Write 1.5 {name}" in caught.value.hint


@pytest.mark.parametrize("name", ["count", "ratio"])
def test_counts_and_ratios_are_written_without_unit(name: str) -> None:
    assert "met" == verdict(f"{NAME[name]} <= 3", 3, name)


@pytest.mark.parametrize(
    ("text", "value", "name", "said"),
    [
        ("<= 0.01868 s", 18.68, "ms", "met"),
        ("< 0.01868 s", 18.68, "ms", "violated"),
        ("== 18680 us", 18.68, "ms", "met"),
        ("== 0.1 s + 0.2 s", 300.0, "ms", "met"),  # in binary, 0.1 + 0.2 is more than 0.3
        ("== 1.5 KB", 1536, "B", "met"),
        ("== 1 MB/s", 1048576.0, "B/s", "met"),
        ("== 1 1/s", 3600.0, "1/h", "met"),
        ("== 60 1/min", 3600.0, "1/h", "met"),
        ("== 1 h - 30 min", 1800, "s", "met"),
    ],
)
def test_converting_is_exact(text: str, value: float, name: str, said: str) -> None:
    assert said == verdict(f"{NAME[name]} {text}", value, name)


@pytest.mark.parametrize(
    "text",
    [
        "{B/s} * 1 h <= 2 GB",
        "{B} / {s} <= 2 MB/s",
        "{count} / {s} <= 100 1/s",
        "{count} / {count} <= 50 %",
        "{ms} / {ms} <= 1.5",
        "1.2 * {ms} <= 3 s",
        "{%} * 2 <= 50 %",
        "{ms} * 20 % <= 1 ms",
        "{ms} * {1/s} <= 80 %",
        "-{ms} >= -2 ms",
        "{count} + 1 <= 5",
        "1 + {count} <= 5",
    ],
)
def test_products_and_quotients_measure_what_they_must(text: str) -> None:
    parse(named(text))


@pytest.mark.parametrize(
    "text",
    [
        "{ms} * {ms} <= 1 ms",
        "{B} / {s} <= 2 MB",
        "{count} / {s} <= 100",
        "{ms} + {B} <= 1 ms",
        "{ms} + 1 <= 2 ms",
        "{%} - {count} <= 2 %",
        "{%} + 5 <= 50 %",
        "{count} <= {%}",
        "1 / {ms} <= 1 ms",
    ],
)
def test_products_and_quotients_of_another_kind_are_refused(text: str) -> None:
    with pytest.raises(BudgetError):
        parse(named(text))


def named(text: str) -> str:
    for name, fact in NAME.items():
        text = text.replace(f"{{{name}}}", fact)
    return text


def test_the_arithmetic_is_shown_with_numbers_and_units_put_in() -> None:
    text = named("{ms} <= 1.2 * baseline.{ms}")
    facts = {NAME["ms"]: Fact(NAME["ms"], 18.676734, "ms", "measured")}
    outcome = budgets.assess(parse(text), facts, {}, facts)

    name = NAME["ms"]
    shown = f"{name} (18.68 ms) <= 1.2 * baseline.{name} (18.68 ms) = 22.41 ms"
    assert shown == outcome.arithmetic


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2.00004, "(2.00004 ms) <= 2 ms"),
        (2.0000000004, "(2.0000000004 ms) <= 2 ms"),
        (1234567.891, "(1,234,568 ms) <= 2 ms"),
        (0.0000125, "(1.25e-05 ms) <= 2 ms"),
        (1e300, "(1e+300 ms) <= 2 ms"),
    ],
)
def test_numbers_that_differ_look_different(value: float, shown: str) -> None:
    fact = Fact(NAME["ms"], value, "ms", "measured")
    outcome = budgets.assess(parse(f"{fact.name} <= 2 ms"), {fact.name: fact}, {})

    assert f"{fact.name} {shown}" == outcome.arithmetic


def test_the_documentation_has_every_unit_with_its_size() -> None:
    page = (Path(__file__).parent.parent / "docs" / "budgets.md").read_text(encoding="utf-8")
    for name in UNITS:
        assert f"`{name}`" in page, name
    assert Fraction(1024) == UNITS["KB"].scale
    assert "1,024 bytes" in page
