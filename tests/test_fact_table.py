"""What facts say about themselves: `@fact(…)` above the function, and nowhere else."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import get_args

import pytest

import awrlens
from awrlens.facts import redo, temp
from awrlens.facts.registry import FACTS
from awrlens.grammar import catalogue
from awrlens.lab.log_facts import ALERT_LOG_FACTS
from awrlens.model import Fact
from awrlens.model.fact_table import Better, FactSpec, FactTable, Kind
from awrlens.sqlserver.facts import FACTS as SQL_SERVER_FACTS

PACKAGE = Path(awrlens.__file__).parent
ALL: tuple[FactSpec, ...] = (*FACTS, *ALERT_LOG_FACTS.values(), *SQL_SERVER_FACTS)
TEXTS = ("name", "names", "text")


#: What declares a fact, and so does a function under `@several`.
DECLARES = {"fact", "formula", "waited_s", "wait_ms", "wait_count"}


def first_arguments() -> list[str]:
    """What stands first in every declaration of a fact: names in quotes, or expressions."""
    modules = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    several = {
        node.name
        for module in modules
        for node in module.body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(each).startswith("several(") for each in node.decorator_list)
    }
    calls = [
        *(node for module in modules for node in ast.walk(module)
          if isinstance(node, ast.Call) and ast.unparse(node.func) in DECLARES),
        *(node.value for module in modules for node in module.body
          if isinstance(node, ast.Expr | ast.Assign) and isinstance(node.value, ast.Call)
          and ast.unparse(node.value.func).partition(".but(")[0] in several),
    ]  # fmt: skip
    names = [call.args[0] for call in calls if call.args]
    return [
        ast.literal_eval(name) if isinstance(name, ast.Constant) else ast.unparse(name)
        for name in names
    ]


@pytest.mark.slow
def test_every_fact_is_found_by_searching_for_its_name() -> None:
    """No name is put together, or declared in a loop: there is one declaration for each fact."""
    shown, declared = Counter(spec.name for spec in ALL), Counter(first_arguments())

    assert {} == declared - shown, "is its module named in awrlens/facts/registry.py?"
    assert {} == shown - declared


def test_every_section_that_a_fact_is_read_from_is_described() -> None:
    known = set(catalogue.load().names)

    for spec in ALL:
        for section in spec.sections:
            assert set(section.split("|")) <= known, (spec.name, section)


def test_every_fact_says_what_kind_it_is_and_what_is_better() -> None:
    for spec in ALL:
        assert spec.kind in get_args(Kind), spec.name
        assert spec.better in get_args(Better), spec.name
        if spec.unit in TEXTS:
            assert (spec.kind in ("level", "setting"), spec.better) == (True, "neither"), spec.name
        if spec.unit == "ms":
            assert (spec.kind, spec.better) == ("level", "lower"), spec.name
        if spec.name.endswith("_wait_s"):
            assert (spec.kind, spec.better) == ("total", "lower"), spec.name
        if spec.unit.endswith("/s"):
            assert spec.kind == "rate", spec.name


def test_a_fact_has_a_title_of_its_own_or_that_of_its_name() -> None:
    titles = {spec.name: spec.title for spec in FACTS}

    assert "Redo write time" == titles["redo.write_ms"]
    assert "redo wastage per write" == titles["redo.wastage_per_write"]


def test_the_families_are_shown_one_after_the_other() -> None:
    families = [spec.family for spec in FACTS]

    assert list(dict.fromkeys(families)) == [name for name, _ in groupby(families)]


def test_a_name_is_given_once() -> None:
    table = FactTable()
    table.declare("redo.a_ms", "ms", kind="level", better="lower")(one)

    with pytest.raises(ValueError, match=r"redo\.a_ms"):
        table.declare("redo.a_ms", "ms", kind="level", better="lower")(one)


def test_facts_are_in_the_order_of_their_modules_and_then_of_their_declarations() -> None:
    table = FactTable()
    for name, function in (
        ("redo.b_ms", redo.write_ms), ("temp.a", temp.read_ms), ("redo.a_ms", redo.sync_ms),
    ):  # fmt: skip
        table.declare(name, "ms", kind="level", better="lower")(function)

    assert ["temp.a", "redo.b_ms", "redo.a_ms"] == [each.name for each in table.of(temp, redo)]
    with pytest.raises(ValueError, match="temp"):
        table.of(redo)


def one(_: object) -> Fact:
    """One."""
    return Fact("", 1, "ms", "measured")
