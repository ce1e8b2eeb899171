"""The gate: for each kind of input that is not judged, what every output says and what it gives."""

from __future__ import annotations

import base64
import gzip
import json
import lzma
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import samples

from awrlens.cli import run

FINE = "temp-sort-accelerator.awr-11.2.txt"
OUTPUTS = ("text", "json", "jsonl", "markdown", "html", "sarif", "junit", "github", "gitlab",
           "csv", "concise")  # fmt: skip
#: A report without findings at this level, so that only what is not judged can fail.
QUIET = ("--fail-on", "critical")
ALERT_LOG = Path(__file__).parent / "alertlogs" / "10g.log"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `in` with one report that passes."""
    monkeypatch.chdir(tmp_path)
    for name in ("AWRLENS_CONFIG", "AWRLENS_PROFILE", "AWRLENS_SET", "AWRLENS_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "in").mkdir()
    shutil.copy(samples.path(FINE), tmp_path / "in" / "fine.txt")
    return tmp_path


def whole() -> str:
    return samples.path(FINE).read_text(encoding="utf-8")


class Case(NamedTuple):
    """An input beside a good report, its reason, and the status of each way to call."""

    text: str
    said: str
    in_folder: int
    named: int
    strict: int = 3
    skipping: int = 0


ORA_20019 = """
Enter value for begin_snap: 1
BEGIN
*
ERROR at line 1:
ORA-20019: Instance was shut down between these snapshots
ORA-06512: at line 3
"""
CASES = {
    "no report": Case("# What is in here\nReports.\n", "not a Statspack or AWR report", 0, 3),
    "ASH report": Case("ASH Report For AULTDB/aultdb1\n", "This is an ASH report", 3, 3),
    "ADDM report": Case("ADDM Report for Task 'X'\n", "This is an ADDM report", 3, 3),
    "ORA-20019": Case(ORA_20019, "the error of the job", 3, 3, skipping=3),
    "SP2": Case('SP2-0310: unable to open file "awrrpt.sql"\n', "SP2-0310", 3, 3, skipping=3),
    "no SQL*Plus": Case("run.sh: line 3: sqlplus: command not found\n", "the error of the job", 3,
                        3, skipping=3),
    "one statement": Case("<h1>WORKLOAD REPOSITORY SQL Report</h1>\n", "of one SQL statement", 3,
                          3),
    "damaged archive": Case("PK\x03\x04garbage", "The zip archive is damaged", 3, 3, skipping=3),
    "head of a report": Case("WORKLOAD REPOSITORY report for\n", "it has no section that a rule",
                             3, 3, skipping=3),
    "PDF": Case("%PDF-1.4 foo", "This is a PDF", 0, 3),
    "trace file": Case("Dump file /u01/x.trc\nOracle Database 11g\n", "not a Statspack or AWR", 0,
                       3),
    "empty": Case("", "The file is empty", 3, 3, skipping=3),
    "own document": Case('{\n "schema_version": 1', "or a JSON document", 0, 0, strict=0),
    "own page": Case('<!DOCTYPE html><meta name="generator" content="awrlens 0.1">',
                     "a page of awrlens or a JSON document", 0, 0, strict=0),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", OUTPUTS)
@pytest.mark.parametrize("case", CASES)
def test_what_is_not_judged_is_named_with_its_reason_in_every_output(
    case: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in", "other.txt").write_text(CASES[case].text)

    assert CASES[case].in_folder == run(["check", "in", *QUIET, "-o", f"{form}=out"])
    text = Path("out").read_text(encoding="utf-8")
    err = capsys.readouterr().err
    assert "in/other.txt" in text.replace("\\_", "_")
    for place in (text.replace("\\", ""), err):
        assert CASES[case].said.replace("\\", "") in place
    assert "in/other.txt" in err


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_status_of_what_is_not_judged(case: str) -> None:
    Path("in", "other.txt").write_text(CASES[case].text)
    found = CASES[case]

    assert found.in_folder == run(["check", "in", *QUIET])
    assert found.named == run(["check", "in/fine.txt", "in/other.txt", *QUIET])
    assert found.named == run(["check", "in/*.txt", *QUIET])
    assert found.named == run(["check", "in/*.txt", *QUIET, "--exit-zero"])
    assert found.strict == run(["check", "in", *QUIET, "--strict"])
    assert found.skipping == run(["check", "in/fine.txt", "in/other.txt", *QUIET, "--skip-others"])
    with zipfile.ZipFile("all.zip", "w") as archive:
        for each in sorted(Path("in").iterdir()):
            archive.write(each)
    assert found.in_folder == run(["check", "all.zip", *QUIET])
    assert found.strict == run(["check", "all.zip", *QUIET, "--strict"])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_configuration_can_say_that_what_is_not_judged_fails(case: str) -> None:
    Path("in", "awrlens.toml").write_text("[check]\nfail-on-unassessable = true\n")
    assert 0 == run(["check", "in", *QUIET])  # the configuration itself is none of the inputs
    Path("in", "other.txt").write_text(CASES[case].text)

    assert CASES[case].strict == run(["check", "in", *QUIET])


def test_what_is_no_file_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in", "folder").symlink_to(".")
    os.mkfifo("in/pipe.txt")

    assert 0 == run(["check", "in", *QUIET, "-o", "json=out"])
    left = {
        each["source"]: each["message"] for each in json.loads(Path("out").read_text())["left_out"]
    }
    assert {"in/folder", "in/pipe.txt"} == set(left)
    assert "link to a folder; awrlens does not follow it" in left["in/folder"]
    assert "a named pipe" in left["in/pipe.txt"]
    assert 3 == run(["check", "in", *QUIET, "--strict"])
    Path("in", "gone.txt").symlink_to("nowhere")
    assert 3 == run(["check", "in", *QUIET])
    assert "in/gone.txt: The file cannot be read" in capsys.readouterr().err
    assert 3 == run(["check", "in/*.txt", *QUIET])


def test_what_could_not_be_judged_weighs_more_than_a_finding() -> None:
    shutil.copy(samples.path("redo-disk.awr-11.2.txt"), "in/bad.txt")
    assert 1 == run(["check", "in"])
    Path("in", "other.txt").write_text(ORA_20019)

    assert 3 == run(["check", "in", "-o", "json=out"])
    assert json.loads(Path("out").read_text())["summary"]["failing"] > 0
    assert 3 == run(["check", "in", "--exit-zero"])


def test_the_summary_says_how_much_was_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in", "README").write_text("nothing")
    Path("in", "cut.txt").write_text(whole()[: len(whole()) // 2])
    run(["check", "in", *QUIET])

    last = capsys.readouterr().out.splitlines()[-1]
    assert "1 file skipped (not a report)" in last
    assert "1 report incomplete" in last
    assert "rules skipped (missing facts)" in last
    assert last.startswith("✔")


LACKING = "lacking facts"
SHORT: dict[str, tuple[Callable[[], str], str]] = {
    "breaks off": (lambda: whole()[: len(whole()) // 2], "it is truncated"),
    "a restart": (
        lambda: samples.path("redo-restart.statspack-9.2.lst").read_text(encoding="utf-8"),
        "the instance was restarted within its interval",
    ),
    LACKING: (
        lambda: samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8"),
        "facts for TEMP008, INTG003 are missing",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("form", OUTPUTS)
@pytest.mark.parametrize("case", SHORT)
def test_a_report_that_is_not_judged_as_a_whole_is_told_and_fails_where_strict(
    case: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text, said = SHORT[case]
    Path("in", "short.txt").write_text(text(), encoding="utf-8")

    assert 0 == run(["check", "in/short.txt", "--exit-zero", "-v", "-o", f"{form}=out"])
    written = Path("out").read_text(encoding="utf-8").replace("\\", "").replace("&#39;", "'")
    if case == LACKING and form in ("json", "jsonl"):
        said, written = '"undecided":["TEMP008","INTG003"]', "".join(written.split())
    assert said in written
    assert 3 == run(["check", "in/short.txt", "--exit-zero", "--strict", "-o", f"{form}=out"])
    assert SHORT[case][1] in capsys.readouterr().err


@pytest.mark.parametrize("form", OUTPUTS)
def test_an_excerpt_of_which_nothing_can_be_judged_is_not_green(form: str) -> None:
    lines = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8").split("\n")
    Path("in", "part.txt").write_text("\n".join(lines[160:200]), encoding="utf-8")

    assert 3 == run(["check", "in", *QUIET, "-o", f"{form}=out"])
    written = Path("out").read_text(encoding="utf-8").replace("\\", "").replace("&#39;", "'")
    assert "it is an excerpt without a report header" in written
    assert "it has no section that a rule needs" in written


def test_a_rule_that_is_ignored_need_not_be_judged() -> None:
    name = str(samples.path("redo-disk.statspack-9.2.lst"))

    assert 3 == run(["check", name, *QUIET, "--strict"])
    assert 0 == run(["check", name, *QUIET, "--strict", "--ignore", "TEMP008,INTG003"])
    assert 0 == run(["check", name, *QUIET, "--strict", "--select", "REDO"])
    assert 0 == run(["check", "in/fine.txt", *QUIET, "--strict"])


def test_alert_logs_are_judged_by_their_rules(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(ALERT_LOG, "in/alert.log")

    assert 0 == run(["check", "in", *QUIET, "-o", "json=out", "--strict"])
    kinds = {r["report"]["kind"]: r for r in json.loads(Path("out").read_text())["reports"]}
    assert {"awr-text", "oracle-alert-log"} == set(kinds)
    assert 0 == run(["check", "in/alert.log", "--select", "RECO", "-o", "junit=out"])
    assert "RECO002" in Path("out").read_text()
    assert "REDO001" not in Path("out").read_text()
    capsys.readouterr()
    assert 2 == run(["check", "in/alert.log", "--against", "in/fine.txt"])
    assert "compares Oracle reports only" in capsys.readouterr().err


def test_a_long_line_is_not_wrapped_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", str(samples.path("redo-disk.awr-11.2.txt"))])

    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) > 80
    assert all(line.startswith((" ", "/", "✖", "✔")) or not line for line in out.splitlines())


def test_a_line_is_what_grep_and_problem_matchers_read(capsys: pytest.CaptureFixture[str]) -> None:
    name = str(samples.path("redo-disk.awr-11.2.txt"))
    assert 1 == run(["check", name, "-o", "concise"])

    first, *_, summary = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{name}:175: REDO004 warning: Sessions waited 507 s")
    assert first.endswith("]")
    assert "3 findings fail" in summary


# What selects nothing, never applies, or says nothing.


@pytest.mark.parametrize(
    ("settings", "arguments"),
    [
        ("fail-on = []", ""), ('fail-on = ""', ""), ("select = []", ""), ('ignore = ["ALL"]', ""),
        ('select = ["REDO"]\nignore = ["REDO"]', ""),
        ('fail-on = ["REDO001"]\nignore = ["REDO"]', ""), ('fail-on = ["REDO"]', "--select TEMP"),
        ('severity = { ALL = "ok" }', ""), ('severity = { ALL = "info" }', ""),
        ("", "--fail-on ,"), ("", "--select ,"), ("", "--ignore ALL"),
        ("", "--fail-on REDO --select TEMP"),
    ],
)  # fmt: skip
def test_a_check_that_nothing_can_fail_is_a_mistake(settings: str, arguments: str) -> None:
    Path("in", "awrlens.toml").write_text(f"[check]\n{settings}\n")

    assert 2 == run(["check", "in/fine.txt", *arguments.split()])


def test_a_rule_that_cannot_be_checked_does_not_pass_if_it_is_all_that_is_selected(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = str(samples.path("redo-disk.statspack-9.2.lst"))

    assert 0 == run(["check", name, *QUIET])
    assert 3 == run(["check", name, "--select", "TEMP008"])
    assert "no selected rule could be checked; facts for TEMP008 are" in capsys.readouterr().out
    assert 3 == run(["check", name, "--select", "REGR001", "--strict"])  # needs --against
    assert "no rule that can fail applies to it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "status"),
    [("# nothing\n", 2), ("", 2), ("budget TEAM001 redo.commits_per_s < 1000000000 1/s\n", 0),
     ('budget TEAM001 redo.commits_per_s < 1000000000 1/s when report.db_name == "OTHER"\n', 3),
     ('budget TEAM001 redo.log_mb > 0 MB when report.db_name == "OTHER" for 95 % of windows', 3)],
)  # fmt: skip
def test_budgets_that_never_apply_fail_a_strict_check(
    text: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in", "awrlens.toml").write_text('budgets = ["team.budgets"]\n')
    Path("in", "team.budgets").write_text(text)

    assert status == run(["check", "in", *QUIET, "--strict"])
    printed = str(capsys.readouterr())
    assert (status == 2) == ("There is no budget in it" in printed)
    assert (status == 3) == ("never applied" in printed)
    assert (2 if status == 2 else 0) == run(["check", "in", *QUIET])


@pytest.mark.parametrize("order", [("strict", "loose"), ("loose", "strict")])
@pytest.mark.parametrize(
    ("strict", "loose", "status"),
    [("budgets", "", 3), ("budgets", "budgets", 3), ("budgets", "ignored", 3),
     ("ignored", "budgets", 0), ("", "budgets", 0)],
)  # fmt: skip
def test_a_budget_that_never_applies_fails_by_its_own_configuration_in_any_order(
    strict: str, loose: str, status: int, order: tuple[str, str]
) -> None:
    settings = {
        "": "[check]\n",
        "budgets": 'budgets = ["../team.budgets"]\n[check]\n',
        "ignored": 'budgets = ["../team.budgets"]\n[check]\nignore = ["TEAM001"]\n',
    }
    Path("team.budgets").write_text('budget TEAM001 redo.log_mb > 0 MB when report.db_name == "N"')
    for folder, lines in (
        ("strict", f"{settings[strict]}fail-on-unassessable = true\n"), ("loose", settings[loose])
    ):  # fmt: skip
        shutil.copytree("in", folder)
        Path(folder, "awrlens.toml").write_text(lines)

    assert status == run(["check", *(f"{folder}/fine.txt" for folder in order), *QUIET])


def test_the_log_begins_with_findings_and_counts_what_is_judged_in_part(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number in range(3):
        shutil.copy(samples.path("redo-disk.statspack-9.2.lst"), f"in/{number}.lst")
    run(["check", "in/0.lst", "in/1.lst", "in/2.lst"])

    first, *others = capsys.readouterr().out.splitlines()
    assert "0.lst:326: fails: ▲ WARNING REDO001" in first
    assert ["3 reports judged in part; --verbose says why"] == [
        line for line in others if "judged in part" in line
    ]
    run(["check", "in/0.lst", "in/1.lst", "-v"])
    assert 2 == capsys.readouterr().out.count("judged in part: facts for")


def test_a_judged_report_is_not_called_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", str(samples.path("redo-disk.statspack-9.2.lst")), "-o", "github"])

    assert "title=awrlens judged this report in part::" in capsys.readouterr().out


def test_an_output_to_a_file_leaves_the_summary_on_the_screen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["check", "in/fine.txt", *QUIET, "-o", "junit=out.xml"])

    assert capsys.readouterr().out.startswith("no finding fails (at critical);")


def test_a_page_of_awrlens_is_skipped_with_a_note(capsys: pytest.CaptureFixture[str]) -> None:
    page = samples.path("redo-disk.awr-11.2.html")
    shutil.copy(page, "x.html")
    run(["html", "x.html", "-o", "x.awrlens.html"])
    expected = run(["check", "x.html"])
    capsys.readouterr()

    assert expected == 1 == run(["check", "*.html", "--strict", "--ignore", "INTG,TEMP"])
    assert "a page of awrlens or a JSON document" in capsys.readouterr().err
    assert 3 == run(["check", "x.awrlens.html"])  # nothing is judged


@pytest.mark.parametrize(
    ("form", "said"),
    [(b"\x28\xb5\x2f\xfd%s", "Zstandard"), (b"{\\rtf1 %s}", "an RTF document"),
     (b"\xd0\xcf\x11\xe0%s", "an old Word"), (b"MSCF\0\0%s", "a Cabinet archive"),
     (b"LZIP\x01%s", "lzip"), (b"begin 644 x\nM2TAS%s", "uuencoded"),
     (b"-----BEGIN PGP MESSAGE-----\n%s", "an encrypted message")],
)  # fmt: skip
def test_a_container_that_is_not_opened_fails_a_strict_check_by_name(
    form: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("in", "odd").write_bytes(form % bytes(range(256)))

    assert 0 == run(["check", "in", *QUIET])
    assert 3 == run(["check", "in", *QUIET, "--strict"])
    assert said in capsys.readouterr().out


@pytest.mark.parametrize("packed", [bytes, gzip.compress, lambda data: lzma.compress(data, 2)])
@pytest.mark.parametrize("lines", [True, False])
def test_a_report_in_base64_is_opened(packed: Callable[[bytes], bytes], lines: bool) -> None:
    data = packed(samples.path("redo-disk.awr-11.2.txt").read_bytes())
    Path("in", "odd").write_bytes((base64.encodebytes if lines else base64.b64encode)(data))

    assert 1 == run(["check", "in"])
