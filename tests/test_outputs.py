"""Files that a command writes are checked before it begins to work."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click
import pytest
import samples

from awrlens.cli import cli, run
from awrlens.cli.group import commands

REPORT = str(samples.path("redo-disk.awr-11.2.txt"))
OTHER = str(samples.path("redo-accelerator.awr-11.2.txt"))
#: Every command with an option for a result, and arguments that make it work.
COMPLETE = {
    "analyze --html": ["analyze", REPORT],
    "demo --html": ["demo"],
    "html --output": ["html", REPORT],
    "check --output": ["check", REPORT],
    "compare --html": ["compare", REPORT, OTHER],
    "trend --output": ["trend", REPORT, OTHER, "--format", "csv"],
    "trend --html": ["trend", REPORT, OTHER],
    "tables --output": ["tables", REPORT, "tablespace_io", "--format", "csv"],
    "redact --output": ["redact", REPORT],
    "recovery simulate --html": ["recovery", "simulate", "--preset", "oltp", "--minutes", "1"],
    "baseline create --baseline": ["baseline", "create", REPORT, "--reason", "known"],
    "baseline update --baseline": ["baseline", "update", REPORT, "--reason", "known"],
}
WITH_INPUT = [name for name in COMPLETE if not name.startswith(("recovery", "demo"))]


def writing(command: click.Command, name: str) -> list[str]:
    """The options of a command and its subcommands that name a file to write."""
    if isinstance(command, click.Group):
        found = []
        for each in command.list_commands(click.Context(command)):
            known = command.get_command(click.Context(command), each)
            assert known is not None
            found += writing(known, f"{name} {each}".strip())
        return found
    return [
        f"{name} {option}"
        for parameter in command.params
        for option in parameter.opts
        if (option in ("--html", "--output") and name not in OF_A_STORE)
        or (name, option) in BASELINES
    ]


#: They need a store: tests/test_store.py has them.
OF_A_STORE = ("fleet", "store export")
BASELINES = [("baseline create", "--baseline"), ("baseline update", "--baseline")]


def call(name: str, target: str, report: str = REPORT) -> int:
    args = [report if each == REPORT else each for each in COMPLETE[name]]
    option = name.rpartition(" ")[2]
    return run([*args, option, f"json={target}" if name.startswith("check") else target])


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("awrrpt_1_100_101.html", "awrrpt_1_100_101.awrlens.html"),
        ("my-awrlens.txt", "my-awrlens.awrlens.html"),
        (".awrlens.awrlens.txt", "awrlens.awrlens.awrlens.html"),
    ],
)
def test_a_page_without_a_name_is_named_after_its_report(
    name: str, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(Path(REPORT).read_bytes())

    assert 0 == run(["html", name])
    assert {name, page} == {each.name for each in tmp_path.iterdir()}


def test_a_page_of_several_reports_is_named_after_awrlens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert 0 == run(["html", REPORT, OTHER])
    assert ["awrlens.html"] == [each.name for each in tmp_path.iterdir()]


def test_every_option_that_names_a_file_is_in_this_test() -> None:
    assert commands()
    assert sorted(COMPLETE) == sorted(writing(cli, ""))


@pytest.mark.parametrize("name", COMPLETE)
def test_nothing_is_printed_if_the_folder_does_not_exist(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "none" / "result")
    assert 2 == call(name, target)
    out, err = capsys.readouterr()

    assert out == ""
    assert f"{target} cannot be written: no such file or directory. Check the path." in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", [each for each in COMPLETE if not each.startswith("redact")])
def test_a_folder_is_not_a_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == call(name, str(tmp_path))
    assert "cannot be written: is a directory" in capsys.readouterr().err


@pytest.mark.parametrize("name", WITH_INPUT)
def test_no_input_is_overwritten(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even through a link to it."""
    copy, link = tmp_path / "report.txt", tmp_path / "link.txt"
    copy.write_bytes(Path(REPORT).read_bytes())
    link.symlink_to(copy)

    assert 2 == call(name, str(link), str(copy))
    assert "cannot be written: it is an input" in capsys.readouterr().err
    assert copy.read_bytes() == Path(REPORT).read_bytes()


def test_two_results_need_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(tmp_path / "both")

    assert 2 == run(["trend", REPORT, OTHER, "--html", target, "-o", target])
    assert "another output has the same file" in capsys.readouterr().err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_without_permission_is_refused_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "kept.html"
    target.write_text("kept")
    target.chmod(stat.S_IRUSR)

    assert 2 == run(["analyze", REPORT, "--html", str(target)])
    out, err = capsys.readouterr()
    assert out == ""
    assert "permission denied" in err


def test_a_device_that_takes_text_is_written_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["analyze", REPORT, "--html", os.devnull])
    assert capsys.readouterr().out
