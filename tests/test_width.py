"""No line of any command is wider than the terminal: help, and text output on our samples.

Exempt is what other programs read or what is copied as it is: JSON, CSV, Markdown, HTML, SQL
scripts, reports, configuration files, completion scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import samples

from awrlens.cli import cli, run
from awrlens.scripts import by_name

FOLDER = samples.FOLDER
LOGS = Path(__file__).parent / "alertlogs"
WIDTH = 80


def sample(name: str) -> str:
    return str(FOLDER / name)


DISK, FLASH = sample("redo-disk.awr-11.2.txt"), sample("redo-accelerator.awr-11.2.txt")
NEW, CLUSTER = sample("redo-disk.awr-19c.html"), sample("redo-cluster.awr-rac-11.2.html")
PERIODS, OLD = sample("redo-compared.awr-diff-11.2.html"), sample("redo-disk.statspack-8.1.7.lst")
TEMP, CRASH = sample("temp-sort-disk.awr-19c.html"), str(LOGS / "9i-rac.log")
BUDGETS, ERRORLOG = sample("team.budgets"), sample("sqlserver-errorlog.log")
CHECKPOINTS = [sample(f"sqlserver-checkpoints-{each}.csv") for each in ("before", "after")]
STORE = "fleet.duckdb"
FEW_MINUTES = ["--preset", "oltp", "--minutes", "1"]

#: What each command is called with; commands in EXEMPT print no text for people.
CALLS: dict[str, list[list[str]]] = {
    "analyze": [
        [DISK], [NEW, "--verbose"], [CLUSTER, "--verbose"], [PERIODS, "--verbose"],
        [OLD, "--verbose"], [TEMP, "--verbose"], [DISK, "--explain", "REDO001"], [ERRORLOG],
        [CRASH, "--verbose"], [DISK, NEW, CLUSTER, OLD, TEMP, CRASH],
    ],
    "demo": [[]],
    "html": [[DISK, "-o", "page.html"]],
    "compare": [[DISK, FLASH], [PERIODS], [sample("temp-sort-disk.awr-11.2.txt"), FLASH]],
    "trend": [[DISK, FLASH, NEW, CLUSTER, TEMP]],
    "whatif": [[DISK, "--redo-latency", "0.2ms"], [NEW, "--device", "nvme", "--mttr", "60"]],
    "mttr": [
        ["--desired-mttr", "120"], ["--curve"], ["--curve", NEW, "--desired-mttr", "60"],
        ["--desired-mttr", "120", "--rac", "--init-time-avg", "50200342", "--fopen-time-avg",
         "20120", "--datafiles", "500"], [],
    ],
    "recovery measure": [[str(each)] for each in sorted(LOGS.iterdir())],
    "recovery predict": [[NEW], [DISK, "--alert-log", str(LOGS / "10g.log")], [CLUSTER]],
    "recovery simulate": [
        FEW_MINUTES, [*FEW_MINUTES, "--instances", "3", "--fail", "1@30", "--fail", "2@40"],
    ],
    "check": [
        [DISK], [NEW, CLUSTER, CRASH],
        [sample("undo-disk.awr-11.2.txt"), "--against", DISK],
    ],
    "baseline create": [[DISK, "--reason", "known"]],
    "baseline diff": [[DISK]],
    "baseline update": [[DISK, "--reason", "known"]],
    "budget check": [[BUDGETS]],
    "budget test": [[BUDGETS, DISK], [BUDGETS, NEW]],
    "facts": [[DISK], [NEW, "redo"], [CLUSTER]],
    "tables": [[DISK], [NEW], [DISK, "tablespace_io"], [NEW, "parameters"]],
    "rules": [[], ["--thresholds"]],
    "rule": [["REDO001"], ["RECO001"], ["CKPT002"], ["SQLS001"], ["REGR001"]],
    "devices": [[], [DISK], [TEMP]],
    "integrity": [[DISK], [NEW]],
    "grammar list": [[]],
    "sqlserver compare": [CHECKPOINTS],
    "sqlserver fleet": [[ERRORLOG]],
    "recovery buddies": [[str(LOGS / "10g.log"), "--members", "1,2,3"]],
    "recovery plan": [["--desired-mttr", "60"], ["--desired-mttr", "60", "--rac"]],
    "ingest": [[DISK, NEW, "--store", STORE]],
    "fleet": [["--store", STORE], ["--store", STORE, "--verbose"]],
    "store rebuild": [["--store", STORE]],
    "store compact": [["--store", STORE]],
    "store judge": [["--store", STORE, "--isolated", "--set", "redo.slow_write_ms=5"]],
    "config check": [["own.toml"]],
    "config show": [[], [DISK]],
}  # fmt: skip
#: Their output is a script, a file or a description that is used as it is.
EXEMPT = {
    "redact", "config init", "schema", "completion",
    *(f"sql {name}" for name in by_name()), "query", "store export",
}  # fmt: skip
#: They wait for reports or requests, or have tests of their own with files and tokens.
ELSEWHERE = {
    "mcp", "recovery samples", "store merge", "watch", "serve token create", "serve token list",
    "serve token revoke", "serve token rotate",
}  # fmt: skip


def commands(command: click.Command = cli, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands and groups by name."""
    yield name, command
    if isinstance(command, click.Group):
        for each in command.list_commands(click.Context(command)):
            known = command.get_command(click.Context(command), each)
            assert known is not None
            yield from commands(known, f"{name} {each}".strip())


ALL = dict(commands())


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A terminal of 80 columns without colors, in an empty folder."""
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("awrlens.cli.output.on_terminal", lambda: True)


def wide(text: str) -> list[str]:
    return [line for line in text.splitlines() if len(line) > WIDTH]


@pytest.mark.parametrize("name", ALL)
def test_help_fits(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run([*name.split(), "--help"])
    assert [] == wide(capsys.readouterr().out)


def test_every_command_is_in_this_test() -> None:
    leaves = {name for name, each in ALL.items() if not isinstance(each, click.Group)}

    assert leaves == {*CALLS, *EXEMPT, *ELSEWHERE}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_output_fits(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.toml").write_text("device = 'nvme'\n", encoding="utf-8")
    if name.startswith("baseline") and name != "baseline create":
        run(["baseline", "create", DISK, "--reason", "known"])
    if name.startswith(("fleet", "store")):
        run(["ingest", DISK, NEW, "--store", STORE])
        capsys.readouterr()
    for args in CALLS[name]:
        run([*name.split(), *args])
        out, err = capsys.readouterr()

        assert out or name == "html", err
        assert [] == wide(out), args


def test_what_is_exempt_for_its_format_is_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["analyze", DISK, "-f", "json"])
    assert json.loads(capsys.readouterr().out)
