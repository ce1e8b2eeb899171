"""What each command may load: start-up is a feature."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import samples

from awrlens.extensions import SATELLITES

SAMPLE = str(samples.path("redo-disk.awr-11.2.html"))
TEXT = str(samples.path("redo-disk.awr-11.2.txt"))
LOG = str(samples.path("sqlserver-errorlog.log"))
ALERT_LOG = str(Path(__file__).parent / "alertlogs" / "10g.log")
HEAVY = {"pandas", "numpy", "pyarrow", "jinja2", "pyparsing", "rich", "simpy"}
#: What any command but those for budgets, frames and a terminal may load beside the
#: standard library.
ALLOWED = {"awrlens", "click"}
#: The command line itself; its list of commands loads of every satellite what it registers.
COMMAND_LINE = {
    "awrlens", "awrlens.cli", "awrlens.cli.console", "awrlens.cli.group", "awrlens.errors",
    "awrlens.extensions", "awrlens.lazy",
}  # fmt: skip


def loaded(*args: str) -> set[str]:
    """Modules that a call has loaded by its end; not what the environment loads at start."""
    code = (
        "import sys; before = set(sys.modules); from awrlens import cli;"
        "status = cli.run(sys.argv[1:]); sys.stdout.flush();"
        "sys.stderr.write('loaded:' + '\\n'.join(set(sys.modules) - before)); sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, check=True, text=True
    )
    return set(done.stderr.partition("loaded:")[2].split())


def foreign(modules: set[str]) -> set[str]:
    """Packages that do not belong to the standard library."""
    return {name.partition(".")[0] for name in modules} - set(sys.stdlib_module_names)


def test_the_version_says_where_compiled_modules_cannot_be_kept(tmp_path: Path) -> None:
    def said(**settings: str) -> str:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), **settings}
        command = [sys.executable, "-m", "awrlens", "--version"]
        done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
        return done.stdout

    assert "PYTHONPYCACHEPREFIX" in said(PYTHONDONTWRITEBYTECODE="1")
    assert "PYTHONPYCACHEPREFIX" not in said(PYTHONDONTWRITEBYTECODE="")


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("--version",),
        ("analyze", SAMPLE),
        ("analyze", TEXT),
        ("analyze", SAMPLE, "--format", "json"),
        ("analyze", SAMPLE, "--format", "markdown"),
        ("analyze", LOG),
        ("sqlserver", "compare", LOG, LOG),
        ("sql", "target-recovery-time"),
        ("compare", SAMPLE, TEXT),
        ("facts", SAMPLE),
        ("trend", SAMPLE, TEXT),
        ("trend", SAMPLE, TEXT, "--format", "json"),
        ("trend", SAMPLE, TEXT, "--format", "csv"),
        ("tables", SAMPLE),
        ("tables", SAMPLE, "tablespace_io", "--format", "csv"),
        ("mttr",),
        ("recovery", "simulate", "--help"),
        ("analyze", ALERT_LOG),
        ("recovery", "measure", ALERT_LOG),
        ("recovery", "predict", SAMPLE),
        ("sql", "recovery"),
        ("rules",),
        ("grammar", "list"),
        ("schema",),
    ],
    ids=" ".join,
)
def test_only_what_is_allowed_is_loaded(args: tuple[str, ...]) -> None:
    modules = loaded(*args)

    assert set() == HEAVY & modules
    assert set() == foreign(modules) - ALLOWED


@pytest.mark.parametrize(
    ("option", "more"),
    [("--help", {f"awrlens.{name}" for name in SATELLITES}), ("--version", set())],
)
def test_help_loads_the_command_line_and_nothing_else_of_ours(option: str, more: set[str]) -> None:
    ours = {name for name in loaded(option) if name.startswith("awrlens")}

    assert COMMAND_LINE | more == ours


def test_commands_are_completed_without_loading_any() -> None:
    code = (
        "import sys; from awrlens import cli; from click.shell_completion import ShellComplete;"
        "ShellComplete(cli.cli, {}, 'awrlens', '_X').get_completions([], 'r');"
        "print('\\n'.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    ours = {name for name in done.stdout.split() if name.startswith("awrlens")}

    assert COMMAND_LINE | {f"awrlens.{name}" for name in SATELLITES} == ours


@pytest.mark.slow
def test_a_simulation_loads_simpy_and_nothing_else_that_is_heavy() -> None:
    modules = loaded("recovery", "simulate", "--preset", "oltp", "--minutes", "0.2")

    assert {"simpy"} == HEAVY & modules
    assert {"simpy"} == foreign(modules) - ALLOWED


@pytest.mark.slow
def test_only_the_reader_that_is_needed_is_loaded() -> None:
    assert "awrlens.report.text_reader" not in loaded("analyze", SAMPLE)
    assert "awrlens.report.html_reader" not in loaded("analyze", TEXT)


def test_a_page_is_analyzed_without_what_takes_long_to_import() -> None:
    modules = loaded("analyze", SAMPLE)

    assert not {"pathlib", "shutil", "decimal", "urllib.parse", "inspect", "threading"} & modules
    assert not {"click", "awrlens.cli.group", "awrlens.cli.analyze_command"} & modules
    assert not {"awrlens.report.titles", "awrlens.model.comparison"} & modules


def test_budgets_and_plugins_are_loaded_where_the_configuration_names_some() -> None:
    without = loaded("analyze", TEXT)

    assert not any(name.startswith("awrlens.budgets") for name in without)
    assert not {"awrlens.rules.plugins", "importlib.metadata"} & without
    assert not HEAVY & loaded("check", TEXT, "--exit-zero")
    asked = loaded("budget", "check", str(samples.path("team.budgets")))
    assert {"awrlens.budgets.language", "pyparsing"} <= asked


def test_a_report_of_oracle_loads_nothing_that_reads_another_engine() -> None:
    assert not [name for name in loaded("analyze", TEXT) if name.startswith("awrlens.sqlserver")]
    assert "awrlens.sqlserver.log" in loaded("analyze", LOG)


@pytest.mark.slow
def test_the_check_can_fail() -> None:
    modules = loaded("budget", "check", str(samples.path("team.budgets")))

    assert "pyparsing" in HEAVY & modules
    assert "pyparsing" in foreign(modules) - ALLOWED
