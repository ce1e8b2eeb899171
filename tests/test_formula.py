from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, NoReturn

import pytest
from evaluate import evaluate
from hypothesis import given
from hypothesis import strategies as st

from awrlens.facts.formula import (
    Figure,
    Missing,
    add,
    derive,
    measured,
    summed,
    unavailable,
)
from awrlens.model import Evidence

if TYPE_CHECKING:
    from awrlens.model import Fact

FIGURES = {
    "a": Figure(757_698, "cs"),
    "b": Figure(405_691, "writes"),
    "c": Figure(12.5, "s"),
    "d": Figure(3, ""),
}


def expressions() -> st.SearchStrategy[str]:
    """Formulas over four inputs, with brackets."""
    leaf = st.sampled_from(["a", "b", "c", "d", "10", "100"])
    return st.recursive(
        leaf,
        lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(
            lambda x: f"({x[0]} {x[1]} {x[2]})"
        ),
        max_leaves=6,
    )


@given(expressions())
def test_what_a_formula_shows_is_what_was_computed(expression: str) -> None:
    fact = derive(expression, "", **FIGURES).named("x.y", "ms")
    if fact.value is None:  # division by zero, as in 10 / (a - a)
        assert "division by zero" in fact.note
        return

    assert pytest.approx(fact.number, rel=1e-9, abs=1e-6) == evaluate(fact.formula)


def test_a_formula_shows_the_numbers_as_printed_with_what_they_count() -> None:
    fact = derive("a * 10 / b", a=FIGURES["a"], b=FIGURES["b"]).named("redo.write_ms", "ms")

    assert "757,698 cs × 10 / 405,691 writes = 18.68 ms" == fact.formula
    assert "derived" == fact.status


def test_a_missing_number_makes_a_fact_unavailable_and_names_the_section() -> None:
    fact = derive("a / b", a=FIGURES["a"], b=Missing("section X is not in the report", ("x",)))

    assert (None, "unavailable") == (fact.value, fact.status)
    assert "section X" in fact.note
    assert ("x",) == fact.sections


def test_a_reason_that_is_part_of_another_is_not_repeated() -> None:
    both = Missing("section A is not in the report and section B is not in the report")

    assert unavailable(both, Missing("section B is not in the report")).note == both.why


def test_nothing_to_divide_by_is_unavailable_and_not_zero() -> None:
    fact = derive("a / b", a=FIGURES["a"], b=Figure(0, "writes"))

    assert (None, "unavailable") == (fact.value, fact.status)
    assert "writes = 0 in this interval" in fact.note


def test_an_estimated_number_makes_the_fact_estimated() -> None:
    guess = Figure(3, "s", status="estimated")

    assert "estimated" == derive("a / b", a=guess, b=FIGURES["b"]).status


def test_a_sum_shows_its_parts_and_what_is_taken_off() -> None:
    figure = add([Figure(409, "s"), Figure(404, "s")], "s", less=[Figure(2, "s")])
    fact = summed(figure).named("redo.log_switch_wait_s", "s")

    assert 811 == fact.value
    assert "409 + 404 − 2 s = 811 s" == fact.formula


def test_one_printed_number_is_measured_and_needs_no_formula() -> None:
    fact: Fact = measured(Figure(18.0, "waits"))

    assert (18, "measured", "") == (fact.value, fact.status, fact.formula)


def test_what_is_no_formula_is_refused() -> None:
    for wrong in ("a +", "a $ b", "(a", "a b"):
        with pytest.raises(ValueError, match=r"formula|bracket"):
            derive(wrong, "", **FIGURES)


def test_evidence_and_formula_are_made_only_for_who_reads_them() -> None:
    def read() -> NoReturn:
        raise AssertionError("nobody reads it")

    fact = derive("a / b", a=Figure(6, "s", read, read), b=add([Figure(2, "", read, read)], ""))

    assert (3.0, "derived") == (fact.value, fact.status)


def test_a_fact_without_the_file_reaches_another_process() -> None:
    cell = Evidence("Instance Activity", "redo writes", "Total", "2", 2, lambda: 7)
    fact = derive("a / b", a=FIGURES["a"], b=Figure(2, "writes", (cell,))).named("x.y", "cs")

    again = pickle.loads(pickle.dumps(fact.detached()))  # noqa: S301 - our own

    assert (fact.detached(), "redo writes") == (again, again.evidence[0].row)
    assert "757,698 cs / 2 writes = 378,849 cs" == again.formula
