from __future__ import annotations

import operator
import pickle
from typing import TYPE_CHECKING, NoReturn

import pytest
from evaluate import evaluate
from hypothesis import given
from hypothesis import strategies as st

from awrlens.facts.answers import needed, summed
from awrlens.facts.formula import Figure, Missing, add, joined, readable
from awrlens.model import Evidence
from awrlens.model.fact_table import Lacking

if TYPE_CHECKING:
    from awrlens.facts.formula import Number
    from awrlens.model import Fact

A, B = Figure(757_698, "cs"), Figure(405_691, "writes")
FIGURES = (A, B, Figure(12.5, "s"), Figure(3, ""))
X = Missing("section X is not in the report", ("x",))
OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv)


def formulas() -> st.SearchStrategy[Number]:
    """Formulas of four figures and numbers, in any order of operations."""
    return st.recursive(
        st.sampled_from(FIGURES),
        lambda inner: st.tuples(
            inner, st.sampled_from(OPERATIONS), st.one_of(inner, st.sampled_from((10, 100)))
        ).map(lambda x: x[1](x[0], x[2])),
        max_leaves=6,
    )


@given(formulas())
def test_what_a_formula_shows_is_what_was_computed(number: Number) -> None:
    fact = number.fact().named("x.y", "ms")
    if fact.value is None:  # division by zero, as in 10 / (a - a)
        assert "division by zero" in fact.note
    elif fact.formula:
        assert pytest.approx(fact.number, rel=1e-9, abs=1e-6) == evaluate(fact.formula)


def test_a_formula_shows_the_numbers_as_printed_with_what_they_count() -> None:
    fact = (A * 10 / B).fact().named("redo.write_ms", "ms")

    assert "757,698 cs × 10 / 405,691 writes = 18.68 ms" == fact.formula
    assert "derived" == fact.status


def test_brackets_are_shown_where_the_order_of_operations_needs_them() -> None:
    a, b, c = (Figure(number, "s") for number in (2, 3, 4))

    assert "(2 s + 3 s) × 100 / 4 s" == ((a + b) * 100 / c).fact().formula
    assert "2 s / (3 s × 4 s)" == (a / (b * c)).fact().formula
    assert "2 s − (3 s − 4 s)" == (a - (b - c)).fact().formula
    assert "1000 × 2 s" == (1000 * a).fact().formula
    assert "(2 + 3) s × 4 s" == (add([a, b], "s") * c).fact().formula


def test_a_missing_number_makes_the_result_missing_and_names_the_section() -> None:
    for number in (A / X, X / A, X * 10, 10 * X, A * 10 / (X + B) - B):
        fact = number.fact()

        assert (None, "unavailable", ("x",)) == (fact.value, fact.status, fact.sections)
        assert "section X" in fact.note


def test_a_result_lacks_all_that_its_numbers_lack_once() -> None:
    y = Missing("section Y is not in the report", ("y",))

    fact = (X / (y + X)).fact()

    assert "section X is not in the report; section Y is not in the report" == fact.note
    assert ("x", "y") == fact.sections


def test_a_reason_that_is_part_of_another_is_not_repeated() -> None:
    both = Missing("section A is not in the report and section B is not in the report")

    assert joined(both, Missing("section B is not in the report")).why == both.why


def test_nothing_to_divide_by_is_unavailable_and_not_zero() -> None:
    fact = (A / Figure(0, "writes")).fact()

    assert (None, "unavailable") == (fact.value, fact.status)
    assert "division by zero: writes = 0 in this interval" == fact.note
    assert "division by zero: writes, s = 0 in this interval" == (
        (A / Figure(0, "writes") * Figure(0, "s")).fact().note
    )
    assert "section X" in (A / Figure(0, "writes") * X).fact().note


def test_a_divisor_without_a_label_is_named_by_its_row() -> None:
    commits = Figure(0, "", (Evidence("S", "user commits", "Total", "0", 0, lambda: 7),))

    assert "division by zero: user commits = 0 in this interval" == (A / commits).fact().note


def test_an_alternative_is_for_a_number_that_is_missing() -> None:
    assert A.otherwise(B) is A
    assert X.otherwise(B) is B


def test_notes_of_the_numbers_hold_for_the_result_unless_it_has_its_own() -> None:
    a, b = A.noted("without background processes"), B.noted("from the histogram")

    assert "without background processes; from the histogram" == (a * 10 / b).fact().note
    assert "without background processes" == (a / (a + B)).fact().note
    assert "estimated" == (a / b).noted("estimated").fact().note


def test_an_estimated_number_makes_the_fact_estimated() -> None:
    guess = Figure(3, "s", status="estimated")

    assert "estimated" == (guess / B).fact().status
    by_rate = (A / B).estimated("by its rate").fact()
    assert ("estimated", "by its rate") == (by_rate.status, by_rate.note)


def test_a_sum_shows_its_parts_and_what_is_taken_off() -> None:
    figure = add([Figure(409, "s"), Figure(404, "s")], "s", less=[Figure(2, "s")])
    fact = summed(figure).named("redo.log_switch_wait_s", "s")

    assert 811 == fact.value
    assert "409 + 404 − 2 s = 811 s" == fact.formula


def test_a_list_with_a_damaged_number_has_no_sum_and_no_maximum() -> None:
    lost = Missing("`####`", lost=True)

    for numbers in ((A, lost), (lost, A)):
        with pytest.raises(Lacking) as lacking:
            needed(readable(numbers))

        assert lost is lacking.value.answer
    assert [A, B] == needed(readable((A, X, B)))


def test_one_printed_number_is_measured_and_needs_no_formula() -> None:
    fact: Fact = Figure(18.0, "waits").fact()

    assert (18, "measured", "") == (fact.value, fact.status, fact.formula)


def test_evidence_and_formula_are_made_only_for_who_reads_them() -> None:
    def read() -> NoReturn:
        raise AssertionError("nobody reads it")

    fact = (Figure(6, "s", read, read) / add([Figure(2, "", read, read)], "")).fact()

    assert (3.0, "derived") == (fact.value, fact.status)


def test_a_cell_that_a_formula_has_twice_is_evidence_once() -> None:
    a, b = (
        Figure(number, "s", (Evidence("S", name, "c", "", number, lambda: 7),))
        for name, number in (("a", 2), ("b", 3))
    )

    assert ["a", "b"] == [item.row for item in (a * 100 / (a + b)).fact().evidence]
    assert ["b", "a"] == [item.row for item in (a * 100 / (a + b)).citing(b).fact().evidence]


def test_a_fact_without_the_file_reaches_another_process() -> None:
    cell = Evidence("Instance Activity", "redo writes", "Total", "2", 2, lambda: 7)
    fact = (A / Figure(2, "writes", (cell,))).fact().named("x.y", "cs")

    again = pickle.loads(pickle.dumps(fact.detached()))  # noqa: S301 - our own

    assert (fact.detached(), "redo writes") == (again, again.evidence[0].row)
    assert "757,698 cs / 2 writes = 378,849 cs" == again.formula
