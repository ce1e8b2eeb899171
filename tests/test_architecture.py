"""Habits and what keeps them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from awrlens import policy
from awrlens.extensions import SATELLITES
from awrlens.facts.registry import FACTS as REPORT_FACTS
from awrlens.lab.log_facts import ALERT_LOG_FACTS
from awrlens.policy import declared
from awrlens.rules import all_rules, table
from awrlens.sqlserver.facts import FACTS as SQL_SERVER_FACTS
from awrlens.units import UNITS

FACTS = (*REPORT_FACTS, *ALERT_LOG_FACTS.values(), *SQL_SERVER_FACTS)
ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "awrlens"
#: Maximum number of lines of a module; what is longer has two subjects.
MOST_LINES = 900
#: Lines of code of the core, without satellites: neither documentation, comment, import nor blank.
#: They may only fall; a change that raises them says in its commit why.
MOST_CODE_LINES = 35_034


def tracked() -> list[Path]:
    """Text files that belong to the project."""
    skipped = {".git", ".venv", "__pycache__", "shared", "out", "dist", "build"}
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and not skipped & set(path.relative_to(ROOT).parts)
        and not any(part.endswith("_cache") or part == ".hypothesis" for part in path.parts)
        and path.suffix in (".py", ".md", ".toml", ".awg", ".json", ".in", ".lock", "")
    ]


def test_imports_point_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports"], cwd=ROOT, capture_output=True, check=False
    )

    assert 0 == done.returncode, done.stdout.decode()


def test_the_core_does_not_name_a_module_of_a_satellite() -> None:
    """Also not for annotations, which the contract does not see."""
    satellites = "|".join(SATELLITES)
    imports = re.compile(
        rf"\bawrlens\.(?:{satellites})\b|from awrlens import .*\b(?:{satellites})\b"
    )
    core = [
        path
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in SATELLITES
    ]

    assert core
    for path in core:
        assert not imports.search(path.read_text(encoding="utf-8")), path


def test_a_module_has_one_subject_and_is_not_longer_than_it_needs() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }

    assert {} == long


def test_every_threshold_is_declared_and_decides_something() -> None:
    """They are named by texts, which no type checker sees."""
    source = "".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    named = re.findall(r"(?:policy|_USUAL|limit|slower_than)[(\[]['\"]([\w.]+)['\"]", source)
    known = declared(policy.__file__)

    assert len(named) > 100
    assert {each for each in named if "." in each} <= {*known}
    assert [] == [each for each in known if not re.search(f"['\"]{each}['\"]", source)]


def test_few_modules_are_in_no_room() -> None:
    loose = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}

    assert loose == {
        "api", "bulk", "errors", "extensions", "lazy", "policy", "severity", "units",
    }  # fmt: skip


def code_lines(path: Path) -> int:
    """The lines of a module that are neither documentation, comment, import nor blank."""
    text = path.read_text(encoding="utf-8")
    other: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        aside: ast.stmt | None = None
        if isinstance(node, ast.Import | ast.ImportFrom):
            aside = node
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            aside = None if ast.get_docstring(node) is None else node.body[0]
        if aside is not None:
            other.update(range(aside.lineno, (aside.end_lineno or aside.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    return sum(n not in other and bool(re.match(r"\s*[^\s#]", line)) for n, line in lines)


def test_the_core_has_no_more_code_than_it_had() -> None:
    satellites = {PACKAGE / name for name in SATELLITES}
    core = [path for path in PACKAGE.rglob("*.py") if not satellites & {*path.parents}]

    assert sum(map(code_lines, core)) <= MOST_CODE_LINES, "what can go with this change?"


def test_the_server_of_assistants_is_small() -> None:
    modules = (PACKAGE / "mcp").glob("*.py")

    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules) <= 400


def test_no_modules_know_each_other() -> None:
    graph = grimp.build_graph("awrlens", cache_dir=None)
    graph.remove_module("awrlens")  # what `import awrlens` offers
    circles = {
        frozenset({module, *partners})
        for module in graph.modules
        if (partners := graph.find_upstream_modules(module) & graph.find_downstream_modules(module))
    }

    assert circles == set()


def test_no_code_of_the_reader_knows_a_release() -> None:
    """Format knowledge is data: releases are named in grammars/, not compared in Python."""
    compared = re.compile(r"\brelease\b(?!\")[^\n]{0,40}[<>=]=?\s*[\"'(\d]|\"(?:8|9|1\d|2\d)\.\d")
    for folder in ("report", "source", "grammar", "facts", "rules", "advice", "render"):
        for path in (PACKAGE / folder).glob("*.py"):
            assert not compared.search(path.read_text(encoding="utf-8")), path


@pytest.mark.slow
def test_no_file_names_a_package_registry_or_a_path_of_one_machine() -> None:
    words = re.compile("py" + r"pi\.org|pythonh" + r"osted|/home/\w+/|/ro" + "ot/|/wo" + "rk/")
    for path in tracked():
        found = words.search(path.read_text(encoding="utf-8", errors="replace"))
        assert not found, (path, found)


def test_every_fact_has_a_unit_that_is_known_and_that_its_name_agrees_with() -> None:
    suffixes = {
        "_ms": "ms",
        "_pct": "%",
        "_per_s": ("1/s", "B/s", "MB/s"),
        "_per_hour": "1/h",
        "_mb": "MB",
    }
    for spec in FACTS:
        assert spec.unit in UNITS, f"{spec.name}: {spec.unit} is not in awrlens/units.py"
        for suffix, unit in suffixes.items():
            if spec.name.endswith(suffix):
                assert spec.unit in unit, spec.name


def test_every_fact_is_documented_with_its_unit_and_what_it_is() -> None:
    page = (ROOT / "docs" / "facts.md").read_text(encoding="utf-8")
    for spec in FACTS:
        row = f"| `{spec.name}` | {spec.unit} | {spec.definition}"
        assert row in page.replace("\\|", "|"), "run `make docs`"
        assert spec.definition.endswith("."), spec.name


def test_every_rule_stands_in_the_table_under_its_own_id_and_has_its_page() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert list(table()) == [rule.id for rule in all_rules(table())]
    for rule in all_rules(table()):
        assert f"## {rule.id} {rule.name}" in page, "run `make docs`"


def test_a_rule_says_for_which_input_it_is() -> None:
    of = {"SQLS": "sqlserver", "RECO": "oracle-alert-log"}

    for rule in all_rules(table()):
        assert rule.engine == of.get(rule.id[:4], "oracle"), rule.id


def test_every_rule_of_the_linter_that_is_off_says_why() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    linter = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.pydocstyle]")]
    off = re.findall(r'^  "[A-Z]+\d*".*$', linter, re.M)

    assert off
    assert [] == [line for line in off if not re.search(r'",\s+# \S', line)]
    waived = re.compile(r"# noqa(?!: [A-Z]+\d+)|# type: ignore(?!\[)")
    for path in PACKAGE.rglob("*.py"):
        assert not waived.search(path.read_text(encoding="utf-8")), path


def test_ids_have_a_family_and_three_digits_and_names_say_what_is_seen() -> None:
    names = [rule.name for rule in all_rules(table())]

    assert len(set(names)) == len(names)
    for rule in all_rules(table()):
        assert re.fullmatch(r"(REDO|TEMP|UNDO|CKPT|INTG|SQLS|REGR|RECO)\d{3}", rule.id)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
        assert not re.search(r"\b(move|set|use|increase|add)\b", rule.name)
