"""The scripts that `awrlens sql` prints: the list, their dialect, and what they may change."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from awrlens import cli
from awrlens.scripts import SCRIPTS, Script

#: Commands of SQL*Plus itself, which no SQL parser knows.
SQLPLUS = re.compile(
    r"(?:SET|DEFINE|UNDEFINE|WHENEVER|SPOOL|PROMPT|EXIT|COLUMN|ACCEPT|VARIABLE|PRINT|REM)\b.*", re.I
)
CHANGING = re.compile(
    r"\b(?:ALTER|UPDATE|INSERT|DELETE|MERGE|CREATE|DROP|GRANT|REVOKE|TRUNCATE|COMMIT|EXECUTE|"
    r"BEGIN|HOST)\b",
    re.I,
)
DIALECTS = {"Oracle": "oracle", "SQL Server": "tsql"}
every = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)


def run(*args: str) -> str:
    done = CliRunner().invoke(cli.cli, args, standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout


def code(script: Script) -> str:
    """The script as its parser takes it: without SQL*Plus, with values for its variables."""
    if script.engine != "Oracle":
        return script.text()
    lines = script.text().splitlines()
    values = dict(re.findall(r"(?im)^DEFINE +(\w+) *= *'?([^'\n]*?)'? *$", script.text()))
    text = "\n".join("" if SQLPLUS.fullmatch(line) else line for line in lines)
    return re.sub(r"&&?(\w+)\.?", lambda found: values[found[1].lower()], text)


def without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/|'[^']*'", "", text, flags=re.S)


def test_the_list_says_of_every_script_what_it_needs_and_changes() -> None:
    shown = " ".join(run("sql").split())

    for script in SCRIPTS:
        item = f"{script.name}: {script.purpose} needs: {script.needs} changes: {script.changes}"
        assert item in shown


@every
def test_the_command_prints_the_script_and_its_help_says_what_it_changes(script: Script) -> None:
    assert run("sql", script.name).rstrip() == script.text().rstrip()
    if script.name != "target-recovery-time":  # its help is about its options
        assert f"Changes: {script.changes}." in " ".join(run("sql", script.name, "--help").split())


@every
def test_a_script_is_in_its_dialect(script: Script) -> None:
    from sqlfluff.core import Linter  # noqa: PLC0415 - takes a second

    parsed = Linter(dialect=DIALECTS[script.engine]).parse_string(code(script))

    assert not parsed.violations
    assert parsed.tree is not None
    assert "unparsable" not in parsed.tree.type_set()


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.read_only], ids=lambda s: s.name)
def test_a_script_that_changes_nothing_has_no_statement_that_changes(script: Script) -> None:
    assert not CHANGING.search(without_comments(code(script)))
