"""Budgets on the command line, in a configuration, in checks; and what docs/budgets.md shows."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import samples

from awrlens import api, budgets, config
from awrlens.cli import own_rules, run
from awrlens.config import choices
from awrlens.errors import UsageError
from awrlens.facts.registry import units
from awrlens.policy import Policy

PAGE = (Path(__file__).parent.parent / "docs" / "budgets.md").read_text(encoding="utf-8")
DISK = str(samples.path("redo-disk.awr-11.2.txt"))
FAST = str(samples.path("redo-accelerator.awr-11.2.txt"))
ERRORLESS = "redo.write_ms <= 2 ms\n"
TEAM = """rule TEAM001 slow-redo
  require redo.write_ms <= 2 ms
  severity critical
  why "Orders are late."
  fix "Look at the log device first."

redo.sync_ms <= 2 * baseline.redo.sync_ms
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in config.ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)
    for name, text in (("team.budgets", TEAM), ("plain.budgets", ERRORLESS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for file in (DISK, FAST):
        (tmp_path / Path(file).name).write_bytes(Path(file).read_bytes())
    config._load.cache_clear()
    return tmp_path


def call(*args: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = run(list(args))
    return status, out.getvalue(), err.getvalue()


def example() -> str:
    text: str = re.findall(r"```budgets\n(.*?)```", PAGE, re.S)[0]
    return text


def test_the_example_of_the_documentation_is_read() -> None:
    Path("team.budgets").write_text(example(), encoding="utf-8")

    status, out, _ = call("budget", "check", "team.budgets")

    assert 0 == status
    assert "rule TEAM001 slow-commit\n  when redo.commits_per_s > 100 1/s\n" in out
    assert budgets.parse(out, units()) != ()


def test_the_calls_of_the_documentation_work() -> None:
    Path("team.budgets").write_text(example(), encoding="utf-8")
    Path("new.html").write_bytes(samples.path("redo-disk.awr-11.2.html").read_bytes())
    Path("old.html").write_bytes(samples.path("redo-accelerator.awr-11.2.html").read_bytes())
    calls = re.findall(r"^\$ awrlens (.*?)(?: +#.*)?$", PAGE, re.M)

    assert [0, 0, 1] == [call(*each.split())[0] for each in calls]


def test_the_python_example_of_the_documentation_prints_what_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(samples.FOLDER.parent)
    code = re.findall(r"```python\n(.*?)```", PAGE, re.S)[0]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "budgets.md", "exec"), {})  # noqa: S102 - our own example

    assert re.findall(r"^# (.*)$", code, re.M) == out.getvalue().splitlines()


def test_the_documentation_has_the_truth_table_of_the_code() -> None:
    values = {"true": "report.rac", "false": "not report.rac", "unknown": "report.cpus > 1"}
    words = {"met": "true", "violated": "false", "not-assessable": "unknown"}
    rows = re.findall(
        r"^\| (true|false|unknown) \| (\w+) \| (\w+) \| (\w+) \| (\w+) \|$", PAGE, re.M
    )

    def told(text: str) -> str:
        (budget,) = budgets.parse(text, units())
        return words[budgets.assess(budget, {}, {"rac": True}).verdict]

    assert 9 == len({row[:2] for row in rows})
    for a, b, both, either, opposite in rows:
        assert both == told(f"{values[a]} and {values[b]}")
        assert either == told(f"{values[a]} or {values[b]}")
        assert opposite == told(f"not ({values[a]})")


def test_mistakes_are_told_each_on_a_line_and_the_call_is_wrong() -> None:
    Path("bad.budgets").write_text("redo.writ_ms < 2 ms\nredo.write_ms < 2 %\n", encoding="utf-8")

    status, out, err = call("budget", "check", "bad.budgets")

    assert (2, "") == (status, out)
    first, second = err.splitlines()
    assert first.startswith("awrlens: bad.budgets:1:1: There is no fact 'redo.writ_ms'.")
    assert second.startswith("awrlens: bad.budgets:2:15: ")


@pytest.mark.parametrize("content", [None, b"redo.write_ms <= 2 ms # Gr\xf6\xdfe"])
def test_a_file_that_cannot_be_read_is_told(content: bytes | None) -> None:
    if content is not None:
        Path("odd.budgets").write_bytes(content)

    status, _, err = call("budget", "check", "odd.budgets")

    assert 2 == status
    assert "odd.budgets" in err
    assert "internal error" not in err


def test_a_report_is_held_against_a_file() -> None:
    status, out, _ = call("budget", "test", "team.budgets", DISK)

    assert 1 == status
    assert "VIOLATED  TEAM001  team.budgets:1" in out
    assert "redo.write_ms (18.68 ms) <= 2 ms" in out
    assert "not assessable" in out
    assert "2 budgets, 1 fails." in out
    assert 0 == call("budget", "test", "team.budgets", FAST)[0]
    assert 3 == call("budget", "test", "team.budgets", "team.budgets")[0]
    assert 2 == call("budget", "test", "no.budgets", FAST)[0]


def test_the_json_of_a_test_has_verdicts_numbers_and_evidence() -> None:
    status, out, _ = call(
        "budget", "test", "team.budgets", DISK, "--against", FAST, "--format", "json"
    )
    document = json.loads(out)
    redo, sync = document["budgets"]

    assert 1 == status
    assert "AULTDB" == document["report"]["db_name"]
    assert ("TEAM001", "violated", True) == (redo["id"], redo["verdict"], redo["fails"])
    assert redo["facts"]["redo.write_ms"]["evidence"][0]["line"]
    assert "violated" == sync["verdict"]
    assert list(sync["baseline_facts"]) == ["redo.sync_ms"]


def configured(text: str = 'budgets = ["team.budgets"]\n') -> None:
    Path(config.FILE).write_text(text, encoding="utf-8")
    config._load.cache_clear()


def check(*args: str) -> dict[str, Any]:
    call("check", *args, "--output", "json=out.json")
    document: dict[str, Any] = json.loads(Path("out.json").read_text(encoding="utf-8"))
    return document


def test_a_configuration_names_files_of_budgets_beside_it() -> None:
    configured()
    Path("deeper").mkdir()

    loaded = config.load("deeper/report.txt")

    assert [Path("team.budgets").absolute()] == [Path(p) for p in loaded.additions.budgets]
    assert (0, "") == (call("config", "check")[0], call("config", "check")[2])
    assert "team.budgets" in call("config", "show")[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("budgets = 3\n", "budgets must be a list of names"),
        ('budgets = ["no.budgets"]\n', "no.budgets"),
        ('budgets = ["bad.budgets"]\n', "bad.budgets:1:1: There is no fact"),
        ('budgets = ["plain.budgets", "twin.budgets"]\n', "twin.budgets:2: BUDGET-"),
        ('plugins = ["nobody"]\n', "There is no plugin 'nobody'"),
        ('[check]\nignore = ["TEAM001"]\n', "There is no rule 'TEAM001'"),
    ],
)
def test_config_check_reads_the_budgets(text: str, said: str) -> None:
    Path("bad.budgets").write_text("redo.writ_ms < 2 ms\n", encoding="utf-8")
    Path("twin.budgets").write_text(f"\n{ERRORLESS}", encoding="utf-8")
    configured(text)

    status, _, err = call("config", "check")

    assert 2 == status
    assert said in err


def test_a_check_fails_on_a_violated_budget_and_knows_its_id() -> None:
    configured()
    found = {each["id"]: each for each in check(Path(DISK).name)["reports"][0]["findings"]}

    assert "critical" == found["TEAM001"]["severity"]
    assert "TEAM001" not in json.dumps(check(Path(FAST).name)["reports"][0]["findings"])
    assert 1 == call("check", Path(DISK).name, "--fail-on", "TEAM001")[0]
    assert 0 == call("check", Path(FAST).name, "--fail-on", "TEAM001,BUDGET")[0]
    assert 2 == call("check", Path(DISK).name, "--select", "TEAM", "--ignore", "TEAM001")[0]


def test_a_check_against_another_report_gives_the_baseline() -> None:
    configured()
    alone = check(Path(DISK).name)["reports"][0]
    text = Path(FAST).read_text().replace("TMSORCL ", "AULTDB  ").replace("tmsorcl ", "aultdb1 ")
    Path("before.txt").write_text(text.replace("2750913364", "1318446013"))
    against = check(Path(DISK).name, "--against", "before.txt")["reports"][0]

    assert any(each["rule"].startswith("BUDGET-") for each in alone["skipped"])
    assert any(each["id"].startswith("BUDGET-") for each in against["findings"])


@pytest.mark.parametrize("name", ["text", "markdown", "sarif", "junit", "github", "gitlab", "csv"])
def test_budgets_are_in_every_output_of_a_check(name: str) -> None:
    configured()

    status, out, err = call("check", Path(DISK).name, "--output", name)

    assert (1, "") == (status, err)
    assert "TEAM001" in out


def test_an_analysis_has_the_budgets_and_fits_its_schema() -> None:
    Path("team.budgets").write_text(f"{TEAM}\nrequire redo.log_mb <= 1 MB or report.cpus > 900\n")
    configured()
    schema = json.loads(call("schema")[1])

    document = json.loads(call("analyze", Path(DISK).name, "--format", "json")[1])
    jsonschema.validate(document, schema)

    assert "TEAM001" in [each["id"] for each in document["findings"]]
    assert "critical" == document["verdicts"]["write_path"]
    fix = document["recommendations"][-1]
    assert ("Look at the log device first.", ["TEAM001"]) == (fix["title"], fix["findings"])
    assert any(each["rule"].startswith("BUDGET-") for each in document["skipped"])
    text = call("analyze", Path(DISK).name)[1]
    assert "✖ TEAM001" in text


def test_budgets_are_listed_and_explained_among_the_rules() -> None:
    configured()

    assert "TEAM001  slow-redo" in call("rules")[1]
    status, out, _ = call("rule", "team001")
    assert 0 == status
    assert "Orders are late." in out
    assert 2 == call("rule", "TEAM002")[0]


def test_each_period_and_instance_is_held_against_the_budgets() -> None:
    own = own_rules.Own(budgets.parse("require redo.write_ms < 0.001 us", units()))
    for name, count in (("redo-diff.awr-diff-11.2.txt", 2), ("redo-rac.awr-rac-11.2.txt", 2)):
        found = sorted(samples.FOLDER.glob(f"*{name.split('.')[1].rsplit('-', 1)[0]}*.txt"))
        if not found:
            pytest.skip(f"no sample like {name}")
        report = api.load(found[0])
        analysis = own_rules.with_own(api.analyze(report), report, own, Policy())
        parts = analysis.periods or analysis.instances
        assert count <= len(parts)
        for part in parts:
            assert any(each.id.startswith("BUDGET-") for each in part.findings)


def test_the_same_budget_in_two_files_is_refused() -> None:
    Path("twin.budgets").write_text(ERRORLESS, encoding="utf-8")

    with pytest.raises(UsageError, match=r"is also in plain\.budgets:1"):
        choices.budgets(["plain.budgets", "twin.budgets"])
