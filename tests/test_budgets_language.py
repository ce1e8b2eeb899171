"""Files of budgets: how they read, in which order operators bind, what is said of mistakes."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from awrlens import budgets
from awrlens.budgets import BudgetError, tree
from awrlens.budgets.assess import REPORT
from awrlens.budgets.language import DEEPEST, WORDS
from awrlens.budgets.values import UNITS
from awrlens.facts.registry import FACTS
from awrlens.rules import FAMILIES

FACT_UNITS = {spec.name: spec.unit for spec in FACTS}
PRODUCTION = """# what the business was promised
budget redo.write_ms <= 2 ms
  when report.db_name like "PROD%"
  severity critical
  message "Redo writes must stay below 2 ms on production."

require checkpoint.estimated_mttr_s <= 60 s
  or report.rac   # a condition may go on in the next line

rule TEAM001 slow-commit
  when redo.commits_per_s > 100 1/s
  expect redo.sync_ms <= 1.2 * baseline.redo.sync_ms
  why "Orders are late."
  fix "Look at the log device."
  source "team agreement 2026-01"

temp.io_share_pct < 20 %
"""


def parse(text: str) -> tuple[budgets.Budget, ...]:
    return budgets.parse(text, FACT_UNITS, "team.budgets")


def one(text: str) -> str:
    """The condition of one budget as it is read, written back."""
    (budget,) = parse(text)
    return tree.expression(budget.expect)


def problem(text: str) -> str:
    with pytest.raises(BudgetError) as caught:
        parse(text)
    return str(caught.value)


def test_a_file_holds_budgets_requirements_rules_and_bare_conditions() -> None:
    promised, recovery, rule, bare = parse(PRODUCTION)

    assert (promised.severity, promised.required, promised.line) == ("critical", False, 2)
    assert promised.message == "Redo writes must stay below 2 ms on production."
    assert recovery.required
    assert "or report.rac" in tree.expression(recovery.expect)
    assert (rule.id, rule.name, rule.is_rule) == ("TEAM001", "slow-commit", True)
    assert (rule.why, rule.source) == ("Orders are late.", "team agreement 2026-01")
    assert (bare.severity, bare.when, bare.line) == ("warning", None, 17)


def test_an_id_is_made_of_what_a_budget_says_and_not_of_its_place_or_words() -> None:
    (alone,) = parse("temp.io_share_pct<20%")
    other = parse(PRODUCTION)[-1]
    (worded,) = parse('budget temp.io_share_pct < 20.0 %\n  severity info message "Too much."')

    assert alone.id == other.id == worded.id
    assert alone.id.startswith("BUDGET-")
    assert alone.name == "temp-io-share-pct-budget"
    assert alone.id != parse("temp.io_share_pct < 21 %")[0].id
    assert alone.id != parse("require temp.io_share_pct < 20 %")[0].id
    assert alone.id != parse("temp.io_share_pct < 20 % when report.rac")[0].id


def test_a_budget_can_have_an_id_of_its_own() -> None:
    (budget,) = parse("require TEAM007 redo.write_ms <= 2 ms")

    assert (budget.id, budget.required, budget.is_rule) == ("TEAM007", True, False)


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("report.rac or redo.write_ms < 2 ms and not report.rac",
         "report.rac or (redo.write_ms < 2 ms and (not report.rac))"),
        ("not redo.write_ms < 2 ms", "not (redo.write_ms < 2 ms)"),
        ("redo.write_ms < 1 ms + 2 * 3 ms", "redo.write_ms < 1 ms + (2 * 3 ms)"),
        ("redo.write_ms - 1 ms - 2 ms < 3 ms", "((redo.write_ms - 1 ms) - 2 ms) < 3 ms"),
        ("redo.write_ms / 2 / 2 < 3 ms", "((redo.write_ms / 2) / 2) < 3 ms"),
        ("redo.write_ms > -1 ms * 2", "redo.write_ms > (-1 ms) * 2"),
        ("redo.write_ms + 1 ms <= 2 ms or report.rac",
         "((redo.write_ms + 1 ms) <= 2 ms) or report.rac"),
    ],
)  # fmt: skip
def test_operators_bind_as_in_sql(text: str, full: str) -> None:
    values = [(rac, ms) for rac in (True, False, None) for ms in (-3.0, 0.5, 2.5, 12.0, None)]
    (short,), (long,) = parse(text), parse(full)
    for rac, ms in values:
        assert verdict(short, rac, ms) == verdict(long, rac, ms), (rac, ms)


def verdict(budget: budgets.Budget, rac: bool | None, ms: float | None) -> str:
    from awrlens.model import Fact

    fact = Fact("redo.write_ms", ms, "ms", "measured" if ms is not None else "unavailable")
    return budgets.assess(budget, {fact.name: fact}, {"rac": rac}).verdict


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("redo.write_ms<=2ms", "redo.write_ms <= 2 ms"),
        ("redo.write_ms <= 02.50 ms", "redo.write_ms <= 2.5 ms"),
        ("redo.write_ms = 2 ms", "redo.write_ms == 2 ms"),
        ("redo.write_ms <> 2 ms", "redo.write_ms != 2 ms"),
        ("redo.commits_per_s < 100/s", "redo.commits_per_s < 100 1/s"),
        ("NOT report.rac AND report.rac", "not report.rac and report.rac"),
        ("not not report.rac", "report.rac"),
        ("((report.rac))", "report.rac"),
        ("(report.rac or report.rac) and report.rac", "(report.rac or report.rac) and report.rac"),
        ('report.db_name not like "A%"', 'report.db_name not like "A%"'),
        ('report.db_name in ("A","B\\"C")', 'report.db_name in ("A", "B\\"C")'),
        ("redo.write_ms is not available", "redo.write_ms is not available"),
        ("redo.write_ms - (1 ms - 2 ms) < 1 ms", "redo.write_ms - (1 ms - 2 ms) < 1 ms"),
    ],
)  # fmt: skip
def test_a_condition_is_written_back_in_one_form(text: str, canonical: str) -> None:
    assert canonical == one(text)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("redo.writ_ms <= 2 ms", "1:1", "Did you mean redo.write_ms?"),
        ("redo.write_ms <= 2 ms or report.racc", "1:26", "Did you mean report.rac?"),
        ("redo.write_ms <= baseline.redo.writ_ms", "1:18", "baseline.redo.write_ms?"),
        ("cpus > 1", "1:1", "Did you mean report.cpus?"),
        ("redo.write_ms <= 2", "1:18", "Write 2 ms"),
        ("redo.write_ms <= 2 sec", "1:20", "Did you mean s?"),
        ("redo.write_ms <= 2 MS", "1:20", "Did you mean ms?"),
        ("redo.write_ms <= 2 parsec", "1:20", "Units are"),
        ("redo.write_ms <= 20 %", "1:15", "redo.write_ms (ms) and 20 % (%)"),
        ("redo.write_ms", "1:1", "is not a condition"),
        ("redo.write_ms <=", "1:17", "Expected a fact, a number or a text, found the end"),
        ("redo.write_ms <= 2 ms and", "1:26", "found the end"),
        ("redo.write_ms <= (2 ms", "1:23", "Expected `)`"),
        ("redo.write_ms <= 2 ms)", "1:22", "There is no open parenthesis"),
        ("1 ms < redo.write_ms < 2 ms", "1:22", "Comparisons cannot be chained"),
        ("1 ms < 2 ms", "1:6", "does not depend on a report"),
        ("report.db_name == 'PROD'", "1:19", "double quotes"),
        ('report.db_name == "PROD', "1:19", "closing quote of the text is missing"),
        ('report.db_name <= "PROD"', "1:16", "Use ==, !=, like or in"),
        ('redo.write_ms like "2%"', "1:15", "`like` applies to texts"),
        ('redo.write_ms == "2 ms"', "1:15", "is a text"),
        ("report.rac == 1", "1:12", "is a condition"),
        ("report.rac + 1 < 2", "1:1", "cannot be used in arithmetic"),
        ("(redo.write_ms + 1 ms) is available", "1:24", "Test every fact separately"),
        ('report.begin_time > "yesterday"', "1:21", "2026-01-31 08:00"),
        ("  redo.write_ms <= 2 ms", "1:3", "does not belong to a budget"),
        ("report.rac\nseverity info", "2:1", "Indent this line"),
        ("report.rac\n  severity loud", "2:12", "a severity (info, warning, critical)"),
        ('report.rac\n  why "a"\n  why "b"', "3:3", "`why` occurs twice"),
        ("report.rac expect report.rac", "1:12", "is a clause of rules only"),
        ("rule TEAM001 x\n  when report.rac", "1:1", "has no `expect` or `require` clause"),
        ("rule TEAM001 x expect report.rac require report.rac", "1:34", "has both"),
        ("rule TEAM1 x expect report.rac", "1:6", "TEAM001"),
        ("rule team x expect report.rac", "1:6", "an id like TEAM001"),
        ("rule TEAM001\n  expect report.rac", "2:3", "a name like slow-commit, found 'expect'"),
        ("report.cpus < ٣", "1:15", "Expected a fact, a number or a text"),
        ("rule TEAM001 Slow expect report.rac", "1:14", "a name like slow-commit"),
        ("report.rac\nreport.rac", "2:1", "is a duplicate of line 1"),
        ("budget AB001 report.rac\nbudget AB001 not report.rac", "2:8", "already the id of"),
        (f"redo.write_ms < {'9' * 31} ms", "1:17", "at most 30 digits"),
        ("redo.write_ms <= 2e3 ms and", "1:19", "1000 for 1e3"),
        ("redo.write_ms is there", "1:18", "Expected `available`, found 'there'"),
        ("report.rac for 95 % of days", "1:24", "Expected `windows`, found 'days'"),
        ("redo.write_ms in (1 ms,)", "1:24", "Expected a text or a number, found ')'"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place_and_what_to_do(text: str, place: str, said: str) -> None:
    told = problem(text)

    assert told.startswith(f"team.budgets:{place}: ")
    assert said in told


@pytest.mark.parametrize("family", FAMILIES)
def test_families_of_our_own_rules_are_not_to_be_had(family: str) -> None:
    assert "is a rule family of awrlens" in problem(f"rule {family}001 x expect report.rac")


def test_all_mistakes_of_a_file_are_told_at_once() -> None:
    with pytest.raises(BudgetError) as caught:
        parse("redo.writ_ms < 2 ms\nreport.rac\nredo.write_ms <\n\nredo.write_ms < 2 %\n")

    assert [1, 3, 5] == [each.line for each in caught.value.problems]
    assert "2 more errors" in str(caught.value)


def test_mistakes_travel_between_processes() -> None:
    with pytest.raises(BudgetError) as caught:
        parse("redo.writ_ms < 2 ms\n\nredo.write_ms <\n")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own

    assert str(caught.value) == str(again)
    assert [1, 3] == [each.line for each in again.problems]


def test_places_count_letters_and_lines_as_an_editor_shows_them() -> None:
    text = '\ufeff# Größe\r\nbudget report.db_name like "Ä"\r\n\tand\tredo.writ_ms < 2 ms\r\n'

    assert problem(text).startswith("team.budgets:3:6: ")


def test_parentheses_have_a_limit_that_is_told() -> None:
    def nested(depth: int) -> str:
        return "(" * depth + "report.rac" + ")" * depth

    assert "report.rac" == one(nested(DEEPEST))
    assert "levels of nested parentheses" in problem(nested(DEEPEST + 1))
    assert "levels of nested parentheses" in problem(nested(100_000))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "not " * 1_000 + "report.rac",
        "redo.write_ms < 2 ms" + " + 1 ms" * 1_000,
        " or ".join(["(redo.write_ms + (1 ms * (2 - 1)) < 2 ms)"] * 200),
        "report.rac or report.rac and not (" * DEEPEST + "report.rac" + ")" * DEEPEST,
        "redo.write_ms < 1 ms * " + "(2 + 2 * " * DEEPEST + "2" + ")" * DEEPEST,
    ],
    ids=["not", "sum", "or", "conditions", "numbers"],
)
def test_long_budgets_are_read_in_time_that_grows_with_their_length(text: str) -> None:
    (budget,) = parse(text)

    assert tree.expression(budget.expect) == one(tree.expression(budget.expect))
    assert "not-assessable" == budgets.assess(budget, {}, {}).verdict


NAMES = st.sampled_from(
    [*FACT_UNITS][:40] + [f"baseline.{name}" for name in [*FACT_UNITS][:5]]
    + [f"report.{name}" for name in REPORT]
)  # fmt: skip
TOKENS = st.one_of(
    NAMES,
    st.sampled_from([*WORDS, *UNITS, "<", "<=", "==", "!=", "=", "<>", "+", "-", "*", "/", "(",
                     ")", ",", "%", '"PROD%"', '"', "#", "\n", "\n  ", "2", "1.5", ".5", "TEAM001",
                     "slow-commit", "info", "nonsense", "'", "\\", "\t", "é"]),
    st.text(max_size=3),
)  # fmt: skip


def ends_well(text: str) -> None:
    """A result, or errors inside the text."""
    try:
        found = parse(text)
    except BudgetError as caught:
        lines = text.removeprefix("\ufeff").split("\n")
        for each in caught.problems:
            assert each.line is not None
            assert 1 <= each.line <= len(lines)
            assert 1 <= each.column <= len(lines[each.line - 1]) + 1
            assert each.message.endswith(".")
        return
    for budget in found:
        assert reads_back(budget)
        assert budgets.assess(budget, {}, {}).verdict in VERDICTS


VERDICTS = {"met", "violated", "not-assessable", "not-applicable"}


def reads_back(budget: budgets.Budget) -> bool:
    """Whether a budget in canonical form is the same budget, in the same form."""
    written = budgets.text(budget)
    (again,) = parse(written)
    return written == budgets.text(again) and again == budget._replace(line=1)


@given(st.text())
@example("\r")
@example("budget\x0bx")
def test_any_text_is_read_or_refused_at_a_place_inside_it(text: str) -> None:
    ends_well(text)


@given(st.lists(TOKENS, max_size=25).map(" ".join))
@example("redo.write_ms <= 2 ms )")
def test_any_words_of_the_language_are_read_or_refused_at_a_place_inside_them(text: str) -> None:
    ends_well(text)


QUANTITIES = {
    "ms": ["redo.write_ms", "baseline.redo.sync_ms", "2 ms", ".5 s", "report.elapsed_s"],
    "%": ["temp.io_share_pct", "20 %"],
    "count": ["redo.write_count", "7", "report.cpus", "redo.sync_to_write_ratio"],
}


def amounts(unit: str) -> st.SearchStrategy[str]:
    atoms = st.sampled_from(QUANTITIES[unit])
    return st.recursive(
        atoms,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from("+-"), inner).map(" ".join).map("({})".format),
            st.tuples(inner, st.sampled_from("*/"), st.sampled_from(["2", "0"])).map(" ".join),
            atoms.map("-{}".format),
        ),
        max_leaves=4,
    )  # fmt: skip


SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
TESTS = st.one_of(
    *(st.tuples(st.sampled_from(QUANTITIES[unit][:1]), SIGNS, amounts(unit)).map(" ".join)
      for unit in QUANTITIES),
    st.sampled_from([
        "report.rac", 'report.db_name like "P_O%"', 'report.db_name not in ("A", "B")',
        "redo.write_ms is available", "baseline.redo.write_ms is not available",
        'report.begin_time >= "2026-01-31"', 'undo.tablespaces == "UNDO1"',
    ]),
)  # fmt: skip
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("not ({})".format),
    ),
    max_leaves=6,
)


@given(CONDITIONS, st.sampled_from(["", "budget ", "require ", "budget AB001 "]), st.text())
def test_what_is_written_back_reads_as_the_same_budget(
    condition: str, word: str, message: str
) -> None:
    try:
        (budget,) = parse(f"{word}{condition}\n")
    except BudgetError as problem:  # only for depth
        assert "parentheses" in problem.message
        return
    said = budget._replace(message=message.replace("\n", " "))

    assert reads_back(budget)
    assert reads_back(said)
