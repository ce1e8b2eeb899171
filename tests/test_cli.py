"""The command line as a user meets it: exit statuses, one sentence for a mistake, formats."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import called
import click
import jsonschema
import pytest
import samples
from click.shell_completion import ShellComplete

from awrlens import cli
from awrlens.cli import console, group, output
from awrlens.cli.analyze import FIRST_SCREEN
from awrlens.cli.schema import of_analysis

DISK = str(samples.path("redo-disk.awr-11.2.txt"))
HTML = str(samples.path("redo-disk.awr-19c.html"))
ESCAPE = "\x1b"
VALID = jsonschema.Draft202012Validator(of_analysis())


def run(*args: str, given: bytes | None = None, **environment: str) -> tuple[int, str, str]:
    return called.call(*args, given=given, **{"COLUMNS": "80", **environment})


def sentence(error: str) -> str:
    """The error, asserted to be one line of words and no traceback."""
    assert "Traceback" not in error
    assert 1 == len(error.strip().split("\n"))
    assert error.startswith("awrlens: ")
    return error


@pytest.mark.parametrize("name", samples.ALL)
def test_every_document_fits_the_published_schema(name: str) -> None:
    status, out, error = run("analyze", str(samples.path(name)), "--format", "json")
    document = json.loads(out)

    assert (0, "") == (status, error)
    VALID.validate(document)


def test_the_schema_command_prints_the_schema_and_it_can_fail() -> None:
    status, out, _ = run("schema")
    schema = json.loads(out)
    wrong = samples.document(samples.analysis(samples.ALL[0]))
    wrong["facts"]["redo.write_ms"]["status"] = "guessed"

    assert 0 == status
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "The file is empty"),
        (b"  \n\n ", "The file is empty"),
        (b"\x7fELF\0\0\0\0rest", "This is a program"),
        (b"Dear all,\nthe report is attached.\n", "not a Statspack or AWR report"),
        (b"ASH Report For ORCL/orcl\n\n", "This is an ASH report"),
        (b"<h1>DETAILED ADDM REPORT FOR TASK 'T'</h1>", "This is an ADDM report"),
        (b"WORKLOAD REPOSITORY SQL Report\n\nSnapshot Period", "report of one SQL statement"),
        (b"STATSPACK SQL report for Old Hash Value: 77  Module: x", "report of one SQL statement"),
        (b"AWR INFO Report\n\nReport generated at", "on AWR space usage"),
        (b"<script type='text/xml'>\n<!--FXTMODEL-->\n<report", "This is an active report"),
    ],
)
def test_what_is_no_report_is_refused_in_one_sentence(
    tmp_path: Path, content: bytes, says: str
) -> None:
    file = tmp_path / "report.txt"
    file.write_bytes(content)
    status, out, error = run("analyze", str(file))

    assert (3, "") == (status, out)
    assert says in sentence(error)
    assert "report.txt" in error


def test_a_missing_file_and_a_folder_are_refused_in_one_sentence(tmp_path: Path) -> None:
    for path, says, expected in (
        (tmp_path / "nothing.txt", "no such file", 3),
        (tmp_path, "There is no file in", 2),
        (tmp_path / "*.html", "No file matches", 2),
    ):
        status, out, error = run("analyze", str(path))

        assert (expected, "") == (status, out)
        assert says in sentence(error)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("anlyze", DISK), "Did you mean `analyze`?"),
        (("analyze",), "Missing argument"),
        (("analyze", DISK, "--format", "yaml"), "'yaml' is not one of"),
        (("analyze", DISK, "--nope"), "No such option"),
        (("analyze", DISK, "--set", "redo.nope=1"), "no threshold 'redo.nope'"),
        (("analyze", DISK, "--set", "redo.slow_write_ms=quick"), "Invalid value 'quick' for"),
        (("analyze", DISK, "--set", "redo.slow_write_ms"), "NAME=VALUE"),
        (("facts", DISK, "redo.nope"), "No fact has the name or prefix"),
        (("tables", DISK, "nope"), "no section `nope`"),
        (("tables", DISK, "rac_statistics_nope"), "no section"),
        (("tables", DISK, "--format", "csv"), "needs the NAME"),
        (("tables", DISK, "tablespace_io", "--format", "parquet"), "--output"),
        (("rule", "REDO999"), "no rule REDO999"),
        (("mttr", "--desired-mttr", "0"), "is not achievable"),
        (("mttr", "--desired-mttr", "soon"), "--desired-mttr needs seconds, e.g. 60, not 'soon'."),
        (("mttr", "--datafiles", "x"), "--datafiles needs a whole number, e.g. 60, not 'x'."),
    ],
)
def test_a_wrong_call_is_told_what_is_wrong(args: tuple[str, ...], says: str) -> None:
    status, out, error = run(*args)

    assert (2, "") == (status, out)
    assert says in error
    assert "Traceback" not in error


@pytest.mark.parametrize("command", [("recovery", "predict"), ("mttr",), ("whatif",)])
def test_an_alert_log_instead_of_a_report_says_where_it_belongs(command: tuple[str, ...]) -> None:
    status, out, error = run(*command, str(Path(__file__).with_name("alertlogs") / "10g.log"))

    assert (3, "") == (status, out)
    assert "This is an alert log: give a report, and the log with --alert-log." in error


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("nothing", encoding="utf-8")
    status, out, error = run("analyze", DISK, str(bad), HTML, "--format", "jsonl")
    documents = [json.loads(line) for line in out.splitlines()]

    assert 3 == status
    assert [DISK, str(bad), HTML] == [d.get("source") or d["report"]["source"] for d in documents]
    assert {"schema_version", "source", "error"} == set(documents[1])
    assert "not a Statspack" in documents[1]["error"]["message"]
    assert "bad.txt" in sentence(error)


def test_several_reports_are_an_array_in_the_order_of_the_call() -> None:
    status, out, _ = run("analyze", HTML, DISK, "--format", "json")

    assert 0 == status
    assert [HTML, DISK] == [each["report"]["source"] for each in json.loads(out)]


def test_standard_input_is_a_report_too() -> None:
    status, out, _ = run("analyze", "-", "--format", "json", given=Path(DISK).read_bytes())

    assert 0 == status
    assert "<stdin>" == json.loads(out)["report"]["source"]


def test_findings_alone_are_no_failure_of_analyze() -> None:
    status, out, _ = run("analyze", DISK)

    assert 0 == status
    assert "▲ REDO001" in out


def test_an_internal_error_asks_for_a_report_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("awrlens.api.load_inputs", broken)

    assert 4 == cli.run(["analyze", DISK])
    assert "Please report it" in sentence(capsys.readouterr().err)


@pytest.mark.parametrize(
    "args", [(DISK, "-"), (DISK, "-f", "jsonl"), ("--format", "html", DISK), ("-", "-f", "text")]
)
def test_a_plain_call_is_the_same_as_one_that_click_reads(
    monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    asked: list[tuple[Any, ...]] = []

    def note(*args: object) -> int:
        asked.append(args)
        return 0

    monkeypatch.setattr("awrlens.cli.analyze.run", note)
    monkeypatch.setattr("awrlens.cli.analyze_command.run", note)

    assert 0 == cli.run(["analyze", *args])
    assert 0 == cli.run(["analyze", "--no-rac", *args])
    plain, read_by_click = asked
    assert read_by_click[1] == plain[1]._replace(rac=False)
    assert read_by_click == (plain[0], read_by_click[1], *plain[2:], FIRST_SCREEN)


@pytest.mark.parametrize(
    "args",
    [
        ("analyze", "-f"), ("analyze", "-f", "xml", DISK), ("analyze", "-f", "text"),
        ("analyze", "-f", "text", "-f", "json", "--format", "x", DISK), ("analyze", "--", "-f"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_plain_call_that_is_wrong_is_refused_as_by_click(args: tuple[str, ...]) -> None:
    assert cli.run([*args]) == (3 if "--" in args else 2)


def test_text_with_escape_sequences_or_for_an_old_encoding_is_printed_as_click_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for encoding, text in (("utf-8", "a \x1b[1mb\x1b[0m"), ("ascii", "×"), ("latin-1", "×")):
        ours, clicks = (io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2))
        monkeypatch.setattr("sys.stdout", ours)
        console.echo(text)
        monkeypatch.setattr("sys.stdout", clicks)
        click.echo(text)

        assert ours.buffer.getvalue() == clicks.buffer.getvalue() != b""


@pytest.mark.parametrize(
    ("args", "status"),
    [(("analyze", DISK), 0), (("analyze", DISK, "--verbose"), 0), (("check", DISK), 1)],
)
def test_a_reader_that_closes_the_pipe_is_no_failure_but_passes_no_gate(
    args: tuple[str, ...], status: int
) -> None:
    command = [sys.executable, "-m", "awrlens", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()  # type: ignore[union-attr]
        complaint = process.stderr.read()  # type: ignore[union-attr]

    assert (status, b"") == (process.wait(), complaint)


def test_an_interruption_is_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("awrlens.api.load_inputs", interrupted)

    assert 130 == cli.run(["analyze", DISK])


def test_a_threshold_set_on_the_call_changes_the_findings() -> None:
    _, usual, _ = run("analyze", DISK)
    _, raised, _ = run("analyze", DISK, "--set", "redo.slow_write_ms=50")

    assert "REDO001" in usual
    assert "REDO001" not in raised


def test_tables_are_listed_with_columns_and_units() -> None:
    _, out, _ = run("tables", DISK, "--format", "json")
    listed = json.loads(out)
    table = next(each for each in listed if each["name"] == "tablespace_io")

    assert {"name", "title", "columns", "rows", "line"} == set(table)
    assert {"name": "read_ms", "heading": "Av Rd(ms)", "type": "float", "unit": "ms"} in (
        table["columns"]
    )
    assert [each["line"] for each in listed] == sorted(each["line"] for each in listed)


def test_a_table_is_typed_rows_as_json_and_as_csv(tmp_path: Path) -> None:
    _, out, _ = run("tables", DISK, "tablespace_io", "--format", "json")
    rows = json.loads(out)
    _, text, _ = run("tables", DISK, "tablespace_io", "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(text)))
    target = tmp_path / "t.parquet"
    status, _, _ = run("tables", DISK, "tablespace_io", "--format", "parquet", "-o", str(target))
    frame = samples.report("redo-disk.awr-11.2.txt")["tablespace_io"].frame

    assert isinstance(rows[0]["reads"], int)
    assert [str(row["reads"]) for row in rows] == [line["reads"] for line in lines]
    assert 0 == status
    assert target.stat().st_size > 0
    assert "ms" == frame.attrs["units"]["read_ms"]
    assert ["Int64", "Float64"] == [str(frame[c].dtype) for c in ("reads", "read_ms")]


def test_a_section_without_description_can_be_asked_for_by_its_title(tmp_path: Path) -> None:
    text = Path(DISK).read_text(encoding="utf-8")
    added = (
        "Flux Capacitor Stats              DB/Inst: AULTDB/aultdb1  Snaps: 144-147\n\n"
        "Capacitor          Gigawatts\n---------------- -----------\nmain                    1.21\n"
        "          -------------------------------------------------------------\n\n"
    )
    file = tmp_path / "new.txt"
    file.write_text(text.replace("init.ora Parameters ", f"{added}init.ora Parameters "), "utf-8")
    _, listed, _ = run("tables", str(file), "--format", "json")
    _, rows, _ = run("tables", str(file), "Flux Capacitor Stats", "--format", "json")

    assert (
        None is next(t for t in json.loads(listed) if t["title"] == "Flux Capacitor Stats")["name"]
    )
    assert [{"Capacitor": "main", "Gigawatts": "1.21"}] == json.loads(rows)


def test_mttr_gives_document_1s_example() -> None:
    status, out, _ = run("mttr", "--desired-mttr", "120", "--rac", "--init-time-avg", "50200342",
                         "--fopen-time-avg", "20120", "--datafiles", "500", "--format",
                         "json")  # fmt: skip
    found = json.loads(out)

    assert 0 == status
    assert {
        "fast_start_mttr_target_s",
        "startup_s",
        "file_open_s",
        "cache_recovery_s",
        "notes",
    } <= (set(found))
    assert (180, 50.2, 10.06, 120) == (
        found["fast_start_mttr_target_s"], found["startup_s"], found["file_open_s"],
        found["cache_recovery_s"],
    )  # fmt: skip


def test_rules_are_listed_and_explained() -> None:
    _, out, _ = run("rules", "--format", "json")
    listed = json.loads(out)
    status, text, _ = run("rule", "redo001")
    _, one, _ = run("rule", "REDO001", "--format", "json")
    _, numbers, _ = run("rules", "--thresholds", "--format", "json")

    assert {"id", "name", "since", "status", "needs", "thresholds", "page"} <= set(listed[0])
    assert 0 == status
    assert "When it is wrong" in text
    assert json.loads(one) == next(each for each in listed if each["id"] == "REDO001")
    assert {"storage.worth_pct", "redo.slow_write_ms"} <= {t["name"] for t in json.loads(numbers)}


def test_facts_show_formula_and_lines() -> None:
    _, out, _ = run("facts", DISK, "redo.write_ms")
    _, listed, _ = run("facts", DISK, "redo", "--available", "--format", "json")

    assert "757,698 cs × 10 / 405,691 writes = 18.68 ms" in out
    assert re.search(r"\(lines \d+, \d+\)", out)
    assert all(fact["value"] is not None for fact in json.loads(listed).values())


@pytest.mark.slow
def test_the_grammar_is_listed() -> None:
    status, listed, _ = run("grammar", "list", "--format", "json")

    assert "instance_recovery" in {each["name"] for each in json.loads(listed)}
    assert 0 == status


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: str) -> None:
    status, out, _ = run("completion", shell)

    assert 0 == status
    assert "_AWRLENS_COMPLETE" in out


def test_every_command_has_help() -> None:
    status, out, _ = run("--help-all")
    first = run("--help")[1]
    hidden = [each for each in group.commands() if not re.search(rf"(?m)^  {each} ", first)]

    assert 0 == status
    assert len(group.commands()) - len(hidden) <= 20
    shown = [each for each in group.commands() if each not in hidden]
    pages = " ".join(" ".join(run(each, "--help")[1] for each in shown).split())
    for command in group.commands():
        assert command in out
        if command in hidden and command not in ("rule", "sqlserver", "completion"):
            assert f"awrlens {command}" in pages  # the help of another command names it
        status, text, _ = run(command, "--help")
        assert 0 == status
        assert "Usage:" in text


def test_a_report_alone_is_analyzed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The most typical first call; a folder without a dot in its name is one, too."""
    monkeypatch.chdir(tmp_path)
    Path("reports").mkdir()
    Path("reports", "check").write_bytes(samples.path("redo-disk.awr-11.2.txt").read_bytes())
    here = str(samples.path("redo-disk.awr-11.2.txt"))

    assert run(here) == run("analyze", here)
    assert run(here, "--format", "json") == run("analyze", here, "--format", "json")
    assert run("reports", "-j", "1") == run("analyze", "reports", "-j", "1")
    assert "no such file" in run("report.html")[2]
    assert "Did you mean `analyze`?" in run("anlyze")[2]


def test_colors_are_printed_or_not_as_requested() -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))
    for before in ((), ("analyze",)):
        colored = subprocess.run(
            [sys.executable, "-m", "awrlens", *before, here, "--color"], check=True,
            capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"},
        ).stdout  # fmt: skip
        assert "\x1b[" in colored
        plain = subprocess.run(
            [sys.executable, "-m", "awrlens", *before, "--no-color", here], check=True,
            capture_output=True, text=True, env={**os.environ, "FORCE_COLOR": "1"},
        ).stdout  # fmt: skip
        assert plain == run(here)[1]


def test_a_check_is_in_color_as_requested_and_its_lines_are_whole() -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))
    plain = run("check", here)[1]
    colored = subprocess.run(
        [sys.executable, "-m", "awrlens", "check", here, "--color"], check=False,
        capture_output=True, text=True,
    ).stdout  # fmt: skip

    assert "\x1b[" in colored
    assert plain == re.sub(r"\x1b\[[\d;]*m", "", colored)


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (("rules", "REDO0001"), "REDO001"),
        (("rules", "REDO0O1"), "REDO001"),
        (("rules", "CKPTOOl"), "CKPT001"),
        (("rules", "slow-redo-wite"), "slow-redo-write"),
        (("sql", "reprts"), "reports"),
        (("tables", "SAMPLE", "foreground_event"), "foreground_events"),
        (("facts", "SAMPLE", "redo.writems"), "redo.write_ms"),
        (("recovery", "mesure"), "measure"),
        (("recovery", "simulate", "--preset", "olpt"), "oltp"),
        (("schema", "analyse"), "analyze"),
        (("analyze", "SAMPLE", "--format", "jsn"), "json"),
        (("analyze", "SAMPLE", "--explain", "REDO0O1"), "REDO001"),
        (("check", "SAMPLE", "--fail-on", "critcal"), "critical"),
        (("check", "SAMPLE", "--fail-on", "RED001"), "REDO001"),
        (("check", "SAMPLE", "--select", "REDOO"), "REDO"),
        (("check", "SAMPLE", "--select", "redo1"), "REDO001"),
    ],
)
def test_a_wrong_name_has_a_suggestion(args: tuple[str, ...], meant: str) -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))
    status, _, err = run(*(here if each == "SAMPLE" else each for each in args))

    assert 2 == status
    assert re.search(rf"Did you mean .?{meant}\b.?\?", err)


def test_an_option_before_its_report_is_answered_with_its_place() -> None:
    err = run("--explain", "REDO001", str(samples.path("redo-disk.awr-11.2.txt")))[2]

    assert "Options of a report follow it: `awrlens REPORT --explain`" in err
    assert "Did you mean --version?" in run("--verion")[2].replace("'", "")


def test_without_an_id_all_findings_of_the_report_are_explained() -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))
    ids = [each.id for each in samples.analysis("redo-disk.awr-11.2.txt").findings]

    each = [option for id_ in ids for option in ("--explain", id_)]
    assert run("analyze", here, "--explain") == run("analyze", here, *each)


def test_explain_before_the_report_explains_all_findings_of_it() -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))

    assert run("analyze", "--explain", here) == run("analyze", here, "--explain")


def test_explain_without_a_report_asks_for_one() -> None:
    code, _, err = run("analyze", "--explain")

    assert code == 2
    assert "Missing argument 'REPORT...'" in err


def test_a_rule_is_explained_by_its_name() -> None:
    assert run("rules", "REDO001")[1] == run("rules", "slow-redo-write")[1]


def test_a_wrong_severity_is_answered_with_the_severities() -> None:
    err = run("check", str(samples.path("redo-disk.awr-11.2.txt")), "--fail-on", "fatal")[2]

    assert "Severities are critical, warning and info" in err


@pytest.mark.parametrize("spelled", ["REDO01", "redo1", "REDO001"])
def test_an_id_is_explained_as_rules_lists_it(spelled: str) -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))

    assert run("analyze", here, "--explain", spelled) == run("analyze", here, "--explain=REDO001")


def test_rule_one_is_rule_001() -> None:
    assert run("rules", "redo1") == run("rules", "REDO001") == run("rule", "REDO001")


def test_a_command_that_writes_a_file_says_so(tmp_path: Path) -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))
    for args in (
        ("analyze", here, "--html"), ("html", here, "-o"), ("trend", here, "--html"),
        ("redact", here, "-o"), ("tables", here, "host_cpu", "-f", "csv", "-o"),
        ("tables", here, "-o"), ("tables", here, "host_cpu", "-o"),
        ("tables", here, "host_cpu", "-f", "parquet", "-o"),
        ("check", here, "--exit-zero", "--output", "junit="),
    ):  # fmt: skip
        target = str(tmp_path / "target")
        last = f"{args[-1]}{target}" if args[-1].endswith("=") else target
        call = (*args[:-1], last) if last != target else (*args, last)
        status, _, err = run(*call)
        assert (0, f"awrlens: {target} written") == (status, err.splitlines()[-1])
    key = str(tmp_path / "key.jsonl")
    for call in (("analyze", here, "--redact-map", key), ("redact", here, "--redact-map", key)):
        assert f"awrlens: {key} written" in run(*call)[2]


def test_long_work_shows_its_progress_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(output, "PROGRESS_S", 0)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(samples.path("redo-disk.awr-11.2.txt").read_bytes())

    assert "awrlens: Reading 1 of 2 files\n" in run("analyze", str(tmp_path), "-j", "1")[2]


@pytest.mark.parametrize(("command", "lines"), [("tables", True), ("serve", False)])
def test_work_that_counts_nothing_says_that_it_goes_on(command: str, *, lines: bool) -> None:
    """One archive, a query, a comparison: a line without a count, but not from a server."""
    code = (
        "import sys, time\nfrom awrlens import cli\nfrom awrlens.cli import console\n"
        "console.PROGRESS_S = 2\ncli.run = lambda args: time.sleep(2.5) or 0\n"
        f"sys.argv[1:] = ['{command}']\ncli.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stderr  # fmt: skip

    assert lines == bool(re.search(r"^awrlens: at work for \d+ s$", done, re.M)), done


def hostile(tmp_path: Path) -> str:
    """A report whose host name is markup and control characters."""
    text = Path(DISK).read_text(encoding="utf-8")
    file = tmp_path / "hostile.txt"
    # when the inner sequence is taken out, the outer one is left, and 17 columns
    name = f"{ESCAPE}{ESCAPE}[31m[bold]|<b>"
    file.write_text(text.replace("aultlab1         ", name.ljust(22), 1), encoding="utf-8")
    return str(file)


def test_report_text_cannot_steer_a_terminal_or_a_page(tmp_path: Path) -> None:
    file = hostile(tmp_path)
    _, text, _ = run("analyze", file, "--verbose")
    _, markdown, _ = run("analyze", file, "--format", "markdown")

    assert ESCAPE not in text
    assert "[bold]|<b>" in text
    assert "31m" not in text
    assert ESCAPE not in markdown
    assert r"\[bold\]\|\<b\>" in markdown


def test_a_pipe_and_no_color_get_plain_text_and_a_terminal_gets_colour(tmp_path: Path) -> None:
    def on_a_terminal(**environment: str) -> str:
        master, slave = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "awrlens", "analyze", hostile(tmp_path), "-v"], stdout=slave,
            stderr=slave, env={**os.environ, "TERM": "xterm", "COLUMNS": "100", **environment},
        ) as process:  # fmt: skip
            os.close(slave)
            seen = b""
            while True:
                try:
                    piece = os.read(master, 65536)
                except OSError:
                    break
                if not piece:
                    break
                seen += piece
            process.wait()
        os.close(master)
        return seen.decode()

    _, piped, _ = run("analyze", DISK)
    coloured = on_a_terminal()

    assert ESCAPE not in piped
    assert ESCAPE in coloured
    assert f"{ESCAPE}[31m[bold]" not in coloured
    assert "[bold]|<b>" in re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert ESCAPE not in on_a_terminal(NO_COLOR="1")


@pytest.mark.parametrize("width", [80, 160])
def test_no_line_is_wider_than_the_terminal_but_commands(width: int) -> None:
    for name in samples.ALL:
        _, out, _ = run("analyze", str(samples.path(name)), COLUMNS=str(width))
        for line in out.splitlines():
            assert len(line) <= width or line.startswith("       "), line


def test_output_that_is_piped_into_head_ends_quietly() -> None:
    command = f"{sys.executable} -m awrlens tables {HTML} instance_activity | head -2"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)

    assert b"" == done.stderr


def test_help_groups_all_commands() -> None:
    grouped = [name for names in group.groups().values() for name in names]

    assert sorted(group.commands()) == sorted(grouped)


def test_help_shows_the_groups_in_order() -> None:
    status, out, _ = run("--help")
    assert 0 == status
    lines = out.splitlines()
    places = [lines.index(f"{title}:") for title in group.groups()]

    assert places == sorted(places)
    assert lines[places[1] + 1].split()[0] == "mttr"


CLUSTER = str(samples.path("redo-cluster.awr-rac-11.2.html"))


def completed(*words: str) -> list[str]:
    """The completions of the last word, which may be empty."""
    found = ShellComplete(cli.cli, {}, "awrlens", "_AWRLENS_COMPLETE")
    return [each.value for each in found.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "some"),
    [
        (("an",), ("analyze",)),
        (("analyze", "x.html", "--device", "nv"), ("nvme",)),
        (("analyze", "x.html", "--profile", "b"), ("batch",)),
        (("analyze", "x.html", "--explain", "redo0"), ("REDO001",)),
        (("analyze", "x.html", "--explain", "redo-"), ("redo-storage",)),
        (("analyze", "x.html", "--set", "redo.slow"), ("redo.slow_write_ms=8",)),
        (("rule", "reco"), ("RECO001", "RECO002")),
        (("facts", "x.html", "redo.write_m"), ("redo.write_ms",)),
        (("facts", "x.html", "redo", "undo.read_m"), ("undo.read_ms",)),
        (("trend", "x.html", "--fact", "temp.read_m"), ("temp.read_ms",)),
        (("facts", CLUSTER, "--part", ""), ("1", "2")),
        (("check", "x.html", "--select", "REDO00"), ("REDO001",)),
        (("check", "x.html", "--fail-on", "REDO001,temp00"), ("REDO001,TEMP001",)),
    ],
    ids=" ".join,
)
def test_values_are_completed(words: tuple[str, ...], some: tuple[str, ...]) -> None:
    found = completed(*words)

    assert set(some) <= set(found)
    assert all(each.lower().startswith(words[-1].lower()) for each in found)


def test_completion_of_a_wrong_prefix_is_empty() -> None:
    assert completed("facts", "missing.html", "--part", "") == []
    assert completed("analyze", "x.html", "--device", "no-such-device") == []
