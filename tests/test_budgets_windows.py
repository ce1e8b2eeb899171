"""Budgets on several reports of one database: which share of the windows, and what it keeps to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import samples

from awrlens import budgets
from awrlens.budgets import BudgetError
from awrlens.cli import run
from awrlens.facts.registry import units

DISK = "redo-disk.awr-11.2.txt"
OUTPUTS = ("text", "json", "jsonl", "markdown", "html", "sarif", "junit", "github", "gitlab",
           "csv", "concise")  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("AWRLENS_CONFIG", "AWRLENS_PROFILE", "AWRLENS_SET", "AWRLENS_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    Path("awrlens.toml").write_text('budgets = ["team.budgets"]\n[check]\nselect = ["TEAM"]\n')
    Path("in").mkdir()
    return tmp_path


def reports(*write_ms: int | None, database: str = "AULTDB") -> None:
    """A window a day, with this time of a redo write; None: not in the report."""
    text = samples.path(DISK).read_text(encoding="utf-8")
    for day, each in enumerate(write_ms, start=1):
        name = "redo write time" if each is not None else "redo wrong time"
        total = (each or 0) * 405_691 // 10
        changed = text.replace(
            "redo write time                             757,698           90.4",
            f"{name}{total:>36,}{total / 8380.8:>15,.1f}",
        ).replace("20-Aug-08", f"{day:02d}-Aug-08").replace("AULTDB ", f"{database} ")  # fmt: skip
        assert changed != text
        Path("in", f"{database}-{day:02d}.txt").write_text(changed, encoding="utf-8")


def budget(clause: str = "for 75 % of windows", said: str = "redo.write_ms <= 5 ms") -> None:
    Path("team.budgets").write_text(f"budget TEAM001 {said}\n  {clause}\n")


def check(*arguments: str) -> dict[str, Any]:
    run(["check", "in", "-o", "json=out", *arguments])
    document: dict[str, Any] = json.loads(Path("out").read_text())
    return document


def titles(document: dict[str, Any]) -> list[tuple[str, str]]:
    return [(r["source"], f["title"]) for r in document["reports"] for f in r["findings"]]


@pytest.mark.parametrize(
    ("write_ms", "status"),
    [
        ((4, 4, 4, 4), 0),
        ((4, 4, 4, 9), 0),
        ((4, 4, 8, 9), 1),
        ((9,), 1),
        ((4,), 0),
        ((4, 4, 4, None), 0),  # met whatever the fourth was
        ((8, 9, 4, None), 1),  # violated whatever the fourth was
        ((4, 4, 9, None), 0),  # nobody knows
    ],
)
def test_the_share_of_windows_decides(write_ms: tuple[int | None, ...], status: int) -> None:
    budget()
    reports(*write_ms)

    assert status == check()["exit_status"]


def test_a_violation_says_the_share_the_level_and_which_windows() -> None:
    budget()
    reports(4, 9, 4, 8)
    document = check()

    ((source, title),) = titles(document)
    assert "in/AULTDB-04.txt" == source
    assert title == (
        "redo.write_ms <= 5 ms in 2 of 4 windows (50 %), budget 75 %; "
        "75 % stay within redo.write_ms 8 ms"
    )
    (finding,) = document["reports"][-1]["findings"]
    assert "in/AULTDB-02.txt, in/AULTDB-04.txt" in finding["why"]
    assert "high" == finding["confidence"]


def test_a_lower_bound_has_its_level_too() -> None:
    budget(said="redo.write_ms >= 5 ms")
    reports(4, 9, 4, 8)

    ((_, title),) = titles(check())
    assert title.endswith("; 75 % reach redo.write_ms 4 ms")


def test_each_database_is_judged_by_its_own_windows() -> None:
    budget('for 100 % of windows\n  message "Writes are slow"\n  fix "Ask the storage team"')
    reports(4, 9)
    reports(4, 4, database="OTHERS")

    document = check()
    ((source, title),) = titles(document)
    assert ["Ask the storage team"] == document["reports"][1]["findings"][0]["fix"]
    assert "in/AULTDB-02.txt" == source
    assert title.startswith("Writes are slow (redo.write_ms <= 5 ms in 1 of 2 windows")


def test_an_interval_counts_once() -> None:
    budget("for 60 % of windows")
    reports(4, 9, 4)
    Path("in", "copy.txt").write_bytes(Path("in", "AULTDB-02.txt").read_bytes())

    assert 0 == check()["exit_status"]


@pytest.mark.slow
@pytest.mark.parametrize("form", OUTPUTS)
def test_every_output_has_it(form: str) -> None:
    budget()
    reports(9, 9)

    assert 1 == run(["check", "in", "-o", f"{form}=out"])
    assert "in 0 of 2 windows" in Path("out").read_text(encoding="utf-8")


def test_what_cannot_be_assessed_is_not_judged_and_fails_where_it_is_required() -> None:
    budget()
    reports(4, 4, 9, None)
    document = check()

    assert ["TEAM001"] == document["reports"][-1]["undecided"]
    assert "1 of 4 windows cannot be assessed" in document["reports"][-1]["skipped"][-1]["reason"]
    assert 3 == check("--strict")["exit_status"]
    Path("must.toml").write_text('budgets = ["must.budgets"]\n[check]\nselect = ["TEAM"]\n')
    Path("must.budgets").write_text(
        "require TEAM001 redo.write_ms <= 5 ms\n  for 75 % of windows\n"
    )
    document = check("--config", "must.toml")
    assert 1 == document["exit_status"]
    assert titles(document)[0][1].endswith("for 75 % of windows cannot be assessed")


def test_only_windows_that_it_is_asked_of_count() -> None:
    budget("for 100 % of windows\n  when redo.write_ms > 5 ms", "redo.write_ms <= 8 ms")
    reports(4, 7, 7)
    assert 0 == check()["exit_status"]
    reports(4, 4, 4)
    document = check()

    (aside,) = document["reports"][-1]["not_applicable"]
    assert "its `when` condition does not hold in any of 3 windows" == aside["reason"]


def test_a_baseline_accepts_it() -> None:
    budget()
    reports(9, 9)

    arguments = ["--baseline", "known.json"]
    assert 0 == run(["baseline", "create", "in", *arguments, "--reason", "known"])
    assert 0 == run(["check", "in", *arguments])
    reports(4, 4)
    assert 0 == run(["baseline", "update", "in", *arguments])
    assert [] == json.loads(Path("known.json").read_text())["entries"]


def test_analyze_and_test_say_that_it_is_asked_of_several(
    capsys: pytest.CaptureFixture[str],
) -> None:
    budget()
    reports(9)

    assert 0 == run(["analyze", "in/AULTDB-01.txt", "-f", "json"])
    assert "TEAM001" not in {f["id"] for f in json.loads(capsys.readouterr().out)["findings"]}
    run(["budget", "test", "team.budgets", "in/AULTDB-01.txt"])
    assert "in this window; the budget is for 75 % of windows" in capsys.readouterr().out
    assert 0 == run(["rule", "TEAM001"])
    assert "for 75 % of windows" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("clause", "problem"),
    [
        ("for 0 % of windows", "The share of windows must be above 0 % and at most 100 %."),
        ("for 101 % of windows", "The share of windows must be above 0 % and at most 100 %."),
        ("for most windows", "Expected a share like 95 %"),
        ("for 95 of windows", "%"),
        ("for 95 % of days", "windows"),
        ("for 95 % of windows\n  for 90 % of windows", "`for` occurs twice."),
    ],
)
def test_what_is_wrong_in_a_share(clause: str, problem: str) -> None:
    with pytest.raises(BudgetError) as found:
        budgets.parse(f"redo.write_ms <= 5 ms\n  {clause}\n", units())

    assert problem in str(found.value)


def test_it_is_written_back_as_it_is_read() -> None:
    (one,) = budgets.parse("redo.write_ms <= 5 ms\n  for 99.5 % of windows\n", units())
    (each,) = budgets.parse("redo.write_ms <= 5 ms\n", units())

    (again,) = budgets.parse(budgets.text(one), units())
    assert one._replace(line=1) == again._replace(line=1)
    assert "for 99.5 % of windows" in budgets.text(one)
    assert one.id != each.id
