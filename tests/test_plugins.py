"""Rules out of other packages: the example of docs/plugins.md, and what can be wrong with one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import samples

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"```python\n(.*?)```", PAGE, re.S)[0]
DISK = str(samples.path("redo-disk.awr-11.2.txt"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a report."""
    (tmp_path / "report.txt").write_bytes(Path(DISK).read_bytes())
    return tmp_path


def install(folder: Path, code: str, entry: str = "team = team_rules") -> None:
    """A package with an entry point, as an installer leaves it."""
    site = folder / "site"
    info = site / "team_rules-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "team_rules.py").write_text(code, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: team-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[awrlens.rules]\n{entry}\n")


def call(folder: Path, *args: str, plugins: str = "true") -> subprocess.CompletedProcess[str]:
    (folder / "awrlens.toml").write_text(f"plugins = {plugins}\n" if plugins else "")
    return subprocess.run(
        [sys.executable, "-m", "awrlens", *args],
        cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8",
        env={"PYTHONPATH": os.pathsep.join((str(folder / "site"), str(ROOT))), "PATH": "",
             "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


def findings(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in done.stderr
    return [each["id"] for each in json.loads(done.stdout)["findings"]]


@pytest.mark.slow
def test_the_example_of_the_documentation_finds_what_it_says(folder: Path) -> None:
    install(folder, EXAMPLE)

    done = call(folder, "analyze", "report.txt", "--format", "json")

    assert "TEAM101" in findings(done)
    assert "" == done.stderr
    assert "TEAM101" in findings(
        call(folder, "analyze", "report.txt", "--format", "json", plugins='["team"]')
    )
    assert "TEAM101" in call(folder, "rules").stdout
    assert "Let the queue commit in batches." in call(folder, "rule", "TEAM101").stdout
    checked = call(folder, "check", "report.txt", "--select", "TEAM", "--fail-on", "TEAM101")
    assert 1 == checked.returncode
    assert "TEAM101 too-many-commits" in checked.stdout


#: The same rule, as one was written before its parameters were its facts.
FORMER = re.sub(
    r"@rule\(.*?\n\) -> Diagnosis",
    """@rule(
    "TEAM101", "too-many-commits", needs=("redo.commits_per_s", "redo.sync_wait_s"),
    some=("redo.sync_wait_s",), wants=("redo.commit_ms",), thresholds=(MANY_COMMITS,),
)
def too_many_commits(facts: RuleFacts) -> Finding""",
    re.sub(
        r"    if redo_commits_per_s <=.*",
        """    commits = facts.number("redo.commits_per_s")
    if commits <= facts.limit(MANY_COMMITS) or facts.weigh("redo.sync_wait_s").many > 3:
        return None
    seconds, commit = facts.number("redo.sync_wait_s"), facts.get("redo.commit_ms") or 0.0
    return facts.finding(
        too_many_commits, f"{commits:.0f} commits per second", "warning",
        facts.impact(seconds, "waits for commits"), f"The queue commits in {commit} ms.",
        "redo.commits_per_s",
    )
""",
        EXAMPLE, flags=re.S,
    ),
    flags=re.S,
).replace("import Diagnosis, Facts,", "import Finding, Facts as RuleFacts,")  # fmt: skip


@pytest.mark.slow
def test_a_rule_that_looks_its_facts_up_by_name_still_finds(folder: Path) -> None:
    install(folder, FORMER)

    done = call(folder, "analyze", "report.txt", "--format", "json")

    assert "" == done.stderr
    (found,) = [each for each in json.loads(done.stdout)["findings"] if each["id"] == "TEAM101"]
    assert ["redo.commits_per_s"] == found["facts"]
    assert found["why"].startswith("The queue commits in ")


def test_a_plugin_is_not_asked_where_the_configuration_does_not_say_so(folder: Path) -> None:
    install(folder, "raise SystemError('loaded')")

    done = call(folder, "analyze", "report.txt", "--format", "json", plugins="")

    assert [each for each in findings(done) if each.startswith("TEAM")] == []
    assert "" == done.stderr


RENAMED = EXAMPLE.replace("TEAM101", "REDO001")
BROKEN = {
    "import that fails": ("import nowhere", "cannot be loaded: ModuleNotFoundError"),
    "syntax": ("def", "cannot be loaded: SyntaxError"),
    "no rules": ("x = 1", "has no rules"),
    "id of ours": (RENAMED, "a rule REDO001 already exists"),
    "family of ours": (EXAMPLE.replace("TEAM101", "REDO999"), "is in a family of awrlens' own"),
    "no id": (EXAMPLE.replace("TEAM101", "team"), "'team' is not a valid id"),
    "no name": (EXAMPLE.replace("too-many-commits", "Too many"), "'Too many' is not a valid name"),
    "no page": (
        EXAMPLE.replace("Sources:", "From:"),
        "the documentation of TEAM101 has no Sources",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", BROKEN)
def test_a_plugin_that_cannot_be_used_is_a_sentence_and_a_warning(case: str, folder: Path) -> None:
    code, said = BROKEN[case]
    install(folder, code)

    done = call(folder, "analyze", "report.txt", "--format", "json")
    document = json.loads(done.stdout)

    assert 0 == done.returncode
    assert "Traceback" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert said in line
    assert said in document["warnings"][-1]["message"]
    assert not any(each["id"].startswith("TEAM") for each in document["findings"])


NEEDS = EXAMPLE.replace("redo_sync_wait_s: float", "redo_sync_wait_x: float", 1)
CLOSED = BROKEN | {
    "annotation": (
        EXAMPLE.replace("redo_sync_wait_s: float", "redo_sync_wait_s: complex"),
        "redo_sync_wait_s: complex is not a way to read a fact",
    ),
    "unknown needs": (NEEDS, "TEAM101 needs unknown facts: redo.sync_wait_x"),
    "exit": ("import sys; sys.exit(0)", "cannot be loaded: SystemExit: 0"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CLOSED)
def test_a_check_does_not_pass_without_a_plugin_that_it_should_ask(case: str, folder: Path) -> None:
    code, said = CLOSED[case]
    install(folder, code)

    for command in (["check", "report.txt", "--exit-zero"], ["baseline", "diff", "report.txt"]):
        done = call(folder, *command)
        assert 2 == done.returncode
        assert said in done.stderr
        assert "'team'" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_check_does_not_pass_without_a_plugin_that_is_not_there(folder: Path) -> None:
    install(folder, EXAMPLE)
    assert 0 == call(folder, "check", "report.txt", "--exit-zero").returncode

    done = call(folder, "check", "report.txt", "--exit-zero", plugins='["taem"]')

    assert 2 == done.returncode
    assert "There is no plugin 'taem'" in done.stderr


FAILING = {
    "exception": ("if redo", 'raise ValueError("off by one")\n    if redo',
                  "ValueError: off by one"),
    "exit": ("if redo", "raise SystemExit(0)\n    if redo", "SystemExit: 0"),
    "severity": ('"warning"', '"urgent"', "'urgent' is not a severity"),
    "no finding": ("return Diagnosis(", "return str(", "it returns str, which is not a "),
    "a fact that it does not need": ("if redo_commits_per_s", 'if facts.number("redo.nothing")',
                                     "redo.nothing"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", FAILING)
def test_a_rule_that_fails_is_a_finding_of_the_check(case: str, folder: Path) -> None:
    old, new, said = FAILING[case]
    code = EXAMPLE.replace(old, new)
    assert code != EXAMPLE
    if case == "no finding":
        code = re.sub(r"return str\(.*", 'return "x"', code, flags=re.S)
    install(folder, code)

    for arguments, status in (
        (["--select", "TEAM"], 1),
        (["--select", "TEAM", "--fail-on", "critical"], 1),
        (["--select", "ALL,REDO008", "--ignore", "ALL"], 0),
    ):
        done = call(folder, "check", "report.txt", *arguments)
        assert status == done.returncode, done.stderr
        assert "TEAM101 is not assessable" in done.stdout
        assert "plugin 'team' failed" in done.stdout
        assert said in done.stdout
        assert "Traceback" not in done.stderr
    assert 0 == call(folder, "analyze", "report.txt").returncode


def test_a_plugin_that_is_named_and_not_there_is_told(folder: Path) -> None:
    install(folder, EXAMPLE)

    done = call(folder, "analyze", "report.txt", "--format", "json", plugins='["taem", "team"]')

    assert "There is no plugin 'taem'. Installed: team." in done.stderr
    assert "unknown facts" not in done.stderr
    assert "TEAM101" in findings(done)


def test_a_rule_that_fails_is_not_checked_and_the_others_are(folder: Path) -> None:
    fails = EXAMPLE.replace("if redo", 'raise ValueError("off by one")\n    if redo')
    install(folder, fails)

    document = json.loads(call(folder, "analyze", "report.txt", "--format", "json").stdout)

    (told,) = [each for each in document["skipped"] if each["rule"] == "TEAM101"]
    assert "ValueError: off by one" in told["reason"]
    assert any(each["id"] == "REDO001" for each in document["findings"])


@pytest.mark.slow
def test_an_entry_point_may_be_a_rule_or_give_several(folder: Path) -> None:
    more = textwrap.dedent("""

        def several():
            return [too_many_commits]
        """)
    for entry in ("team = team_rules:too_many_commits", "team = team_rules:several"):
        place = folder / entry.rpartition(":")[2]
        place.mkdir()
        (place / "report.txt").write_bytes(Path(DISK).read_bytes())
        install(place, EXAMPLE + more, entry)

        assert "TEAM101" in findings(call(place, "analyze", "report.txt", "--format", "json"))


def test_a_budget_and_a_plugin_cannot_have_one_id(folder: Path) -> None:
    install(folder, EXAMPLE)
    (folder / "team.budgets").write_text("budget TEAM101 redo.write_ms <= 2 ms\n")

    done = call(folder, "analyze", "report.txt", plugins='true\nbudgets = ["team.budgets"]')

    assert 2 == done.returncode
    assert "TEAM101 is already the id of a plugin rule" in done.stderr
