"""The tool that changes logic to try the tests: what it changes, and which changes are noticed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import mutants

pytestmark = pytest.mark.outside

SOURCE = '''"""A module of two functions."""

LIMIT: float = 2.0


def share(part, whole):
    """The share of a part."""
    return part / whole


def is_high(value):
    if not value:
        return None
    return value > LIMIT and f"{value + 1}" != ""
'''
TESTS = """from awrlens.units import is_high, share


def test_a_half_is_half():
    assert share(1, 2) == 0.5


def test_ten_is_high():
    assert is_high(10)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for name, text in (("awrlens/units.py", SOURCE), ("tests/test_units.py", TESTS)):
        (root / name).parent.mkdir(parents=True)
        (root / name).write_text(text)
    (root / "awrlens" / "__init__.py").touch()
    (root / "pytest.ini").write_text("[pytest]\n")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def changed(checkout: Path) -> dict[tuple[object, object], mutants.Mutant]:
    source = (checkout / "awrlens/units.py").read_bytes()
    shown = ((each, each.shown(source)) for each in mutants.places(checkout))
    return {(line["before"], line["after"]): each for each, line in shown}


def test_operators_numbers_and_results_are_changed_but_no_words(checkout: Path) -> None:
    last = 'return value > LIMIT and f"{value + 1}" != ""'
    assert {
        ("LIMIT: float = 2.0", "LIMIT: float = 2.201"),
        ("return part / whole", "return part * whole"),
        ("return part / whole", "return None"),
        ("if not value:", "if value:"),
        (last, last.replace(">", ">=")),
        (last, last.replace("and", "or")),
        (last, last.replace("!=", "==")),
        (last, "return None"),
    } == changed(checkout).keys()


@pytest.mark.slow
def test_a_change_that_a_test_notices_is_killed_and_another_survives(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # of the plugins only that one whose options are given: all together take most of the time
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p xdist.plugin")
    every = changed(checkout)
    scratch = mutants.Scratch(tmp_path, checkout)

    assert scratch.failed(jobs=0) == ""
    noticed = every["return part / whole", "return part * whole"]
    assert scratch.killer(noticed, 0) == "tests/test_units.py::test_a_half_is_half"
    assert scratch.killer(every["LIMIT: float = 2.0", "LIMIT: float = 2.201"], 0) == ""
    assert (scratch.tree / "awrlens/units.py").read_text() == SOURCE
