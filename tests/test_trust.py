"""Whose configuration counts, what it may do, and where its mistakes are said to be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import samples

from awrlens import config
from awrlens.cli import run, schema
from awrlens.config.file import lines, read
from awrlens.errors import UsageError

BAD = samples.path("redo-disk.awr-11.2.txt")
ROOT = Path(__file__).parent.parent
#: A check by rules that the report does not break.
HIDING = '[check]\nselect = ["INTG"]\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder, and a folder of uploads that is not below it."""
    here = tmp_path / "here"
    for each in (here, tmp_path / "upload"):
        each.mkdir()
        (each / "report.txt").write_bytes(BAD.read_bytes())
    monkeypatch.chdir(here)
    for name in ("AWRLENS_CONFIG", "AWRLENS_PROFILE", "AWRLENS_SET", "AWRLENS_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("name", ["awrlens.toml", "pyproject.toml"])
def test_a_configuration_beside_the_report_is_named_and_isolated_takes_none(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = HIDING if name == "awrlens.toml" else HIDING.replace("[check]", "[tool.awrlens.check]")
    (folder / "upload" / name).write_text(text)
    report = "../upload/report.txt"

    assert 0 == run(["check", report])
    err = capsys.readouterr().err
    assert f"upload/{name}, found next to the report, applies (--isolated ignores it)" in err
    assert 1 == run(["check", report, "--isolated"])
    assert "" == capsys.readouterr().err
    assert 2 == run(["check", report, "--isolated", "--config", f"../upload/{name}"])
    assert "--isolated ignores all configuration files" in capsys.readouterr().err
    Path("mine.toml").write_text("")
    assert 1 == run(["check", report, "--config", "mine.toml"])
    assert "" == capsys.readouterr().err


def test_a_configuration_here_or_above_is_ones_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "awrlens.toml").write_text(HIDING)

    assert 0 == run(["check", "report.txt"])
    assert 0 == run(["check", "../upload/report.txt"])
    assert "" == capsys.readouterr().err
    assert 1 == run(["check", "report.txt", "--isolated"])


@pytest.mark.parametrize("command", ["analyze", "check", "compare", "trend"])
def test_every_command_can_be_isolated(command: str) -> None:
    Path("awrlens.toml").write_text("chek = 1\n")
    reports = ["report.txt"] * (2 if command == "compare" else 1)

    assert 2 == run([command, *reports])
    assert run([command, *reports, "--isolated"]) in (0, 1)


def test_plugins_and_budgets_beside_a_report_are_not_taken_where_isolated(folder: Path) -> None:
    upload = folder / "upload"
    (upload / "awrlens.toml").write_text('plugins = ["x"]\nbudgets = ["../secret.txt"]\n')
    (folder / "secret.txt").write_text("password hunter2\n")

    assert 1 == run(["check", "../upload/report.txt", "--isolated"])
    assert 0 == run(["analyze", "../upload/report.txt", "--isolated"])


SECRETS = ("password hunter2\n", "hunter2\n", "root:hunter2:0:0\n", "hunter2 <= 2 ms\n",
           "redo.write_ms <= 2 hunter2\n", 'budget "hunter2"\n', "hunter2 hunter2 = 5\n",
           "budget redo.write_ms <= 2 ms\nhunter2\n")  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("command", ["analyze", "check", "rules"])
def test_an_error_does_not_quote_a_file_that_is_no_file_of_budgets(
    secret: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("awrlens.toml").write_text('budgets = ["secret.txt"]\n')
    Path("secret.txt").write_text(secret)

    assert 2 == run([command] if command == "rules" else [command, "report.txt"])
    captured = capsys.readouterr()
    assert "hunter2" not in captured.err + captured.out
    assert "The file is not a file of budgets, or it has a mistake" in captured.err
    assert 2 == run(["budget", "check", "secret.txt"])  # whoever names it may read in it


def test_what_is_wrong_in_a_file_of_budgets_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    Path("awrlens.toml").write_text('budgets = ["team.budgets"]\n')
    Path("team.budgets").write_text("redo.wrte_ms <= 2 ms\n")

    assert 2 == run(["check", "report.txt"])
    assert "team.budgets:1:1: There is no fact 'redo.wrte_ms'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 10_000 + "]" * 10_000, "This is not valid TOML"),
        ("a = " + "{a=" * 10_000 + "1" + "}" * 10_000, "This is not valid TOML"),
        (".".join(["a"] * 5_000) + " = 1", "Unknown key 'a'"),
        ("thresholds.redo.slow_write_ms = " + "9" * 400, "Invalid value"),
        ("thresholds.redo.slow_write_ms = " + "9" * 5_000, "This is not valid TOML"),
        ("thresholds." + ".".join(["a"] * 5_000) + " = 1", "nested too deeply"),
        ('budgets = ["a\\u0000b"]', "cannot be read: embedded null byte"),
        ('[check]\nbaseline = "a\\u0000b"', "cannot be read"),
        ('budgets = ["/dev/zero"]', "it is not a regular file"),
        ('budgets = ["fifo"]', "it is not a regular file"),
        ("#" * 2**21, "larger than 1 MB"),
    ],
    ids=range(11),
)
def test_a_configuration_that_harms_ends_in_a_sentence(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo("fifo")
    Path("awrlens.toml").write_text(text)

    assert 2 == run(["check", "report.txt"])
    err = capsys.readouterr().err
    assert said in err
    assert len(err) < 2000


@pytest.mark.parametrize(
    "text", ['tool = "x"\n[x.awrlens]\n', "[tool]\nawrlens = 5\n#[tool.awrlens"]
)
def test_a_pyproject_without_a_table_of_ours(text: str) -> None:
    Path("pyproject.toml").write_text(text + "\n#[tool.awrlens]\n")

    assert 2 == run(["check", "report.txt"])


def test_nothing_in_the_current_folder_is_run() -> None:
    Path("click.py").write_text("raise SystemExit('planted')\n")
    code = "import sys; sys.path.insert(0, sys.argv.pop(1))"
    code += "; from awrlens.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(ROOT), "--version"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert 0 == done.returncode
    assert "planted" not in done.stderr


# Lines.

TOML = '''\
# thresholds.redo.slow_write_ms is commented on here
profile = "mine"

[profiles.mine]
about = """
slow_write_ms = 1
"""

[profiles.mine.thresholds]
redo.slow_write_ms = 5

[profiles.other.thresholds]
redo.slow_write_ms = "bad"
'''


def test_the_line_of_a_key_is_that_of_its_table() -> None:
    found = lines(TOML)

    assert 2 == found["profile",]
    assert 4 == found["profiles", "mine"]
    assert 5 == found["profiles", "mine", "about"]
    assert 10 == found["profiles", "mine", "thresholds", "redo", "slow_write_ms"]
    assert 13 == found["profiles", "other", "thresholds", "redo", "slow_write_ms"]
    assert ("slow_write_ms",) not in found
    assert 2 == lines('[a]\nb = { c = 1, "d" = [1, 2] }\n')["a", "b"]
    assert 4 == lines("a = [\n 1, # ]\n]\nb = 2\n")["b",]
    assert {} == lines("")


def test_a_mistake_in_an_inline_table_is_told_with_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("awrlens.toml").write_text('\nthresholds = { redo = { slow_write_ms = "bad" } }\n')

    assert 2 == run(["config", "check"])
    assert "awrlens.toml:2: Invalid value 'bad'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["awrlens.toml", "pyproject.toml"])
def test_a_mistake_in_a_nested_table_is_told_with_its_line(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TOML
    if name == "pyproject.toml":
        text = "[tool.awrlens]\n" + TOML.replace("[profiles", "[tool.awrlens.profiles")
    Path(name).write_text(text)

    line = 13 + (name == "pyproject.toml")
    assert 2 == run(["config", "check"])
    assert f"{name}:{line}: Invalid value 'bad'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[check]\nselect = ["ALL"]\n[profiles.a.check]\nselect = 3\n', 4),
        ('[check.severity]\nREDO001 = "info"\nTEMP001 = "bad"\n', 3),
        ('[check.per-path-ignores]\n"a" = ["REDO"]\n"b.lst" = 3\n', 3),
        ('[profiles.a]\nabout = "x"\n[profiles.b]\nabot = 1\n', 4),
        ("# slow_write_ms\n[thresholds.redo]\nslow_write_ms = -1\n", 3),
        ('[profiles.a.check]\nignore = ["REDOO"]\n', 1),
        ('check = { fail-on-unassessable = "yes" }\n', 1),
        ('[check]\ninformation-uri = "javascript:x"\n', 2),
    ],
)
def test_the_line_of_every_kind_of_mistake(text: str, line: int) -> None:
    Path("awrlens.toml").write_text(text)

    with pytest.raises(UsageError) as problem:
        read(Path("awrlens.toml"))
    assert line == problem.value.line


def test_a_mistake_in_a_profile_of_the_environment_is_told_with_its_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("awrlens.toml").write_text(TOML)
    monkeypatch.setenv("AWRLENS_PROFILE", "other")

    assert 2 == run(["analyze", "report.txt"])
    assert "awrlens.toml:13: Invalid value 'bad'" in capsys.readouterr().err


# The editor's schema.


def problems(text: str) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema.of_configuration())
    return [each.message for each in validator.iter_errors(tomllib.loads(text))]


@pytest.mark.slow
def test_the_schema_knows_what_the_configuration_knows(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["schema", "config"])
    jsonschema.Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))
    template = "\n".join(
        line.removeprefix("# ") if "=" in line or line.startswith("# [") else line
        for line in config.template().split("\n")
        if not line.startswith("# ") or ("=" in line and '"' in line) or line.startswith("# [")
        or line.split(" = ")[-1].replace(".", "").isdigit()
    )  # fmt: skip
    assert [] == problems(template)
    Path("awrlens.toml").write_text(template)
    assert read(Path("awrlens.toml")).profile == "prod-oltp"
    assert [] == problems(TOML.replace('"bad"', "1"))


@pytest.mark.parametrize(
    "text",
    ["chek = 1", "[check]\nignor = []", '[check.severity]\nREDO001 = "bad"',
     "[thresholds]\nredo.slow_write_m = 1", "[thresholds]\nredo.slow_write_ms = -1",
     "[profiles.a]\nabot = 1", "[check]\nfail-on-unassessable = 1", "plugins = 1"],
)  # fmt: skip
def test_the_schema_complains_of_what_the_configuration_complains_of(text: str) -> None:
    Path("awrlens.toml").write_text(text)

    assert problems(text)
    with pytest.raises(UsageError):
        read(Path("awrlens.toml"))


def test_sarif_names_the_page_that_the_configuration_names() -> None:
    Path("awrlens.toml").write_text('[check]\ninformation-uri = "https://wiki.example/awrlens"\n')
    run(["check", "report.txt", "-o", "sarif=out"])

    driver = json.loads(Path("out").read_text())["runs"][0]["tool"]["driver"]
    assert "https://wiki.example/awrlens" == driver["informationUri"]


def test_a_budget_that_is_not_asked_is_skipped_and_one_that_fails_says_what_was_found() -> None:
    Path("awrlens.toml").write_text('budgets = ["team.budgets"]\n')
    Path("team.budgets").write_text(
        'budget TEAM001 redo.write_ms <= 2 ms\n  when report.db_name == "OTHER"\n'
        'budget TEAM002 redo.write_ms <= 2 ms\n  message "Writes are slow."\n'
        "budget TEAM003 redo.write_ms >= 50 ms and redo.write_ms > 1 ms\n"
        "budget TEAM004 redo.commits_per_s > 1 1/s\n"
    )
    run(["check", "report.txt", "--select", "TEAM", "-o", "json=j", "-o", "junit=x"])

    (report,) = json.loads(Path("j").read_text())["reports"]
    assert ["TEAM001"] == [each["rule"] for each in report["not_applicable"]]
    assert report["undecided"] == []
    titles = {each["id"]: each["title"] for each in report["findings"]}
    assert "Writes are slow (redo.write_ms 18.68 ms, budget 2 ms)" == titles["TEAM002"]
    assert titles["TEAM003"].endswith("does not hold")
    case = Path("x").read_text().partition('name="TEAM001')[2].partition("</testcase>")[0]
    assert "<skipped" in case
    assert "does not apply: when report.db_name (AULTDB)" in case
