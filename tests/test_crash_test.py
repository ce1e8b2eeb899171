"""A crash test: its plan, its scripts, its samples, and where the bottleneck is."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import samples as samples_of_reports
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from awrlens import cli
from awrlens.advice import mttr
from awrlens.errors import UnreadableError
from awrlens.lab import crash_test, mttr_command
from awrlens.lab.judge import Side, bottleneck
from awrlens.model.plain import plain

QUIET = Side((), 20.0, 1000.0, 358.0, at_capacity=False)
#: Table 1 of document 1: 358 writes a second without a target, 1,145 with the strictest.
BUSY = Side((("CKPT005", "Sessions waited", 12.0),), 96.0, 1800.0, 1145.0, at_capacity=True)


def lines(*writes: int, step_s: int = 5, instance: str = "orcl") -> str:
    """Samples of a counter that grows by these writes."""
    total, found = 0, []
    for number, more in enumerate((0, *writes)):
        total += more
        minute, second = divmod(number * step_s, 60)
        found.append(
            f"AWRLENS_SAMPLE;2026-01-01T10:{minute:02}:{second:02};{instance};120;{100 + number};"
            f"5000;100;200;{total};{number * 10};{number * 20}"
        )
    return "\n".join(found) + "\n"


# the plan


def test_the_plan_has_the_target_for_the_desired_time() -> None:
    request = mttr.Request(120, rac=True, init_time_avg_us=50_200_342, fopen_time_avg_us=20_120,
                           datafiles=500)  # fmt: skip
    found = crash_test.plan(request)

    assert (180, 4) == (found.target_s, found.runs)
    assert "ALTER SYSTEM SET fast_start_mttr_target=180 SCOPE=BOTH SID='*';" in (
        found.steps[0].commands
    )
    assert "Another instance detects the failure" in found.steps[2].text
    assert "--desired-mttr 120" in found.steps[-2].commands[0]


def test_the_first_that_a_plan_says_is_that_it_crashes_the_instance() -> None:
    page = crash_test._plan_page(crash_test.plan(mttr.Request(120)))

    assert "This test crashes the instance: use a test system." == page.headline
    assert "warning" == page.severity
    assert "Test FAST_START_MTTR_TARGET=120 for a recovery of 120 s." == page.blocks[0].text  # type: ignore[union-attr]
    for_rac = crash_test._plan_page(crash_test.plan(mttr.Request(120, rac=True)))
    assert for_rac.headline == page.headline


def test_a_single_instance_is_started_again() -> None:
    found = crash_test.plan(mttr.Request(60), target_s=90, runs=3)

    assert (90, 3) == (found.target_s, found.runs)
    assert "STARTUP" in found.steps[2].text
    assert "SID='*'" not in " ".join(found.steps[0].commands)


def test_the_plan_sets_the_target_to_0_and_back_for_the_samples_without_it() -> None:
    commands = crash_test.plan(mttr.Request(60), target_s=90).steps[1].commands
    wanted = [each for each in commands if each.startswith(("ALTER", "sh "))]

    assert [
        "sh crash_test.sh 600 keep",
        "ALTER SYSTEM SET fast_start_mttr_target=0 SCOPE=BOTH;",
        "sh crash_test.sh 600 keep",
        "ALTER SYSTEM SET fast_start_mttr_target=90 SCOPE=BOTH;",
    ] == wanted  # fmt: skip


def test_the_plan_splits_its_commands_by_tool_and_ends_with_the_values_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan = crash_test.plan(mttr.Request(60), target_s=90)
    changed = {each.split("=")[0] for each in plan.steps[0].commands if each.startswith("ALTER")}
    restored = {each.split("=")[0] for each in plan.steps[-1].commands if each.startswith("ALTER")}

    assert changed == restored
    report = str(samples_of_reports.path("redo-accelerator.awr-11.2.txt"))
    assert 0 == cli.run(["recovery", "plan", report])
    out = capsys.readouterr().out
    assert (
        str(samples_of_reports.analysis("redo-accelerator.awr-11.2.txt").report["db_name"]) in out
    )
    for block in re.split("In SQL\\*Plus|In the shell|\n\n", out):
        assert not (re.search("^ALTER ", block, re.M) and re.search("^(sh|awrlens) ", block, re.M))


def test_the_plan_says_that_a_target_is_below_the_lowest_of_the_report_or_the_log(
    tmp_path: Path,
) -> None:
    """1,000 dirty blocks of the sample take about 6 s; Oracle's own message says 71 s."""
    log = tmp_path / "alert.log"
    log.write_text(
        "Sat Apr 13 01:00:00 2002\n"
        "FAST_START_MTTR_TARGET 30 is out of the valid MTTR range, use 71 instead.\n",
        encoding="utf-8",
    )
    report = str(samples_of_reports.path("redo-disk.awr-11.2.txt"))

    split = "Oracle's estimate of 19 s is 0.54 s to read redo; the rest is for data blocks"
    by_report, of = called("recovery", "plan", report, "--target", "5", "-f", "json")["notes"]
    assert "5 s is below the lowest target that the instance can meet: at least 7 s" in by_report
    assert of.startswith(split)
    (by_log,) = called(
        "recovery", "plan", "--desired-mttr", "30", "--alert-log", str(log), "-f", "json"
    )["notes"]  # fmt: skip
    assert "71 s (`out of the valid MTTR range` in the alert log)" in by_log
    assert [of] == called("recovery", "plan", report, "--target", "60", "-f", "json")["notes"]


@pytest.mark.parametrize("name", ["awr-11.2.txt", "awr-19c.html", "statspack-11.2.txt"])
def test_the_lowest_target_of_a_plan_is_the_one_that_oracle_prints(name: str) -> None:
    """MTTR Advisory has 71 s with 1,000 dirty blocks; TARGET_MTTR is 71 s, the parameter 30."""
    report = str(samples_of_reports.path(f"redo-accelerator.{name}"))
    note = called("recovery", "plan", report, "--target", "30", "-f", "json")["notes"][0]
    answer = called("mttr", report, "--desired-mttr", "30", "-f", "json")
    verdicts = called("analyze", report, "--desired-mttr", "30", "-f", "json")["verdicts"]

    assert "the instance can meet: 71 s (by " in note
    assert 71 == answer["points"][0]["target_s"]
    assert 71 == verdicts["fast_start_mttr_target_s"]


def test_start_up_and_opening_that_are_given_are_a_lower_bound_too() -> None:
    request = mttr.Request(5, init_time_avg_us=50_200_342, fopen_time_avg_us=20_120, datafiles=500)

    assert "Start-up and opening of the files take 60.3 s" in crash_test.plan(request).notes[0]


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_crash_script_is_a_valid_script_that_says_what_it_does(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    text = crash_test.script_text("crash")

    done = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    assert "THIS CRASHES THE INSTANCE" in text[:300]


def test_the_crash_script_crashes_nothing_without_the_name_of_the_instance(tmp_path: Path) -> None:
    file = tmp_path / "crash_test.sh"
    file.write_text(crash_test.script_text("crash"), encoding="utf-8")
    done = subprocess.run(
        ["sh", str(file), "10"], input="other\n", text=True, capture_output=True, check=False,
        env={"PATH": "/usr/bin:/bin", "ORACLE_SID": "orcl"}, cwd=tmp_path,
    )  # fmt: skip

    assert 1 == done.returncode
    assert "Nothing was done." in done.stdout
    assert [file] == list(tmp_path.iterdir())


def test_every_run_of_the_script_has_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "crash_test.sh").write_text(crash_test.script_text("crash"), encoding="utf-8")
    for name, body in {"sqlplus": f"printf '%s' '{lines(100)}'", "sleep": ":"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    for hour in "12":  # `date` of the run
        (tmp_path / "date").write_text(f"#!/bin/sh\necho 20260101T0{hour}0000\n", encoding="utf-8")
        (tmp_path / "date").chmod(0o755)
        subprocess.run(
            ["sh", "crash_test.sh", "5", "keep"], check=True, cwd=tmp_path,
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", "ORACLE_SID": "orcl"},
        )  # fmt: skip

    assert ["20260101T010000.txt", "20260101T020000.txt"] == sorted(
        each.name.removeprefix("awrlens_samples_orcl_") for each in tmp_path.glob("*.txt")
    )


def test_the_sample_script_only_reads() -> None:
    sqlglot = pytest.importorskip("sqlglot")
    body = "\n".join(
        line for line in crash_test.script_text("sample").splitlines()
        if not re.match(r"(--|SET ECHO|EXIT)", line)
    )  # fmt: skip

    (statement,) = sqlglot.parse(body, dialect="oracle")
    assert "SELECT" == statement.key.upper()
    named = {table.name for table in statement.find_all(sqlglot.exp.Table)}
    assert {
        "v$instance", "v$instance_recovery", "v$parameter", "v$sysstat", "v$system_event"
    } == named  # fmt: skip


# samples


def test_even_writes_have_no_spread_and_bulk_writes_have() -> None:
    (even,) = crash_test.read(lines(*[500] * 8), "on.txt")
    (bulk,) = crash_test.read(lines(*[0, 0, 0, 2000] * 2), "off.txt")

    assert even.writes == crash_test.Spread(100, 100, 1.0, 0.0)
    assert bulk.writes is not None
    assert (100, 400, 4.0) == bulk.writes[:3]
    # three times 100 below the mean, once 300 above: √((3 · 100² + 300²) / 4)
    assert 173.2 == pytest.approx(bulk.writes.spread_pct, abs=0.1)


def test_a_run_ends_with_its_crash() -> None:
    text = lines(500, 500) + "AWRLENS_CRASH;2026-01-01T10:00:12;orcl\n" + lines(100, 100)
    first, second = crash_test.read(text, "x.txt")

    assert (True, False) == (first.crashed, second.crashed)
    assert ((100, 102), 120) == (first.estimated_mttr_s, first.target_mttr_s)
    assert 20 == first.write_ms  # 20 centiseconds for 10 waits


def test_another_target_is_another_run() -> None:
    """Even writes with a target, then uneven ones without: not one run without a target."""
    without = lines(*[0, 0, 0, 2000] * 2).replace(";120;", ";0;").replace("T10:", "T11:")
    on, off = crash_test.read(lines(*[500] * 8) + without, "x")

    assert (120, 0) == (on.target_mttr_s, off.target_mttr_s)
    assert on.writes == crash_test.Spread(100, 100, 1.0, 0.0)
    assert off.writes is not None
    assert 173.2 == pytest.approx(off.writes.spread_pct, abs=0.1)


def test_the_parameter_decides_where_it_is_sampled() -> None:
    """TARGET_MTTR goes from 120 to 140 with the same FAST_START_MTTR_TARGET: one run."""
    text = lines(*[500] * 8)
    moved = re.sub(r"(T10:00:[23].;orcl;)120", r"\g<1>140", text)
    with_parameter = re.sub("(?m)$(?<!^)", ";120", moved)

    assert 2 == len(crash_test.read(moved, "x"))
    assert 1 == len(crash_test.read(with_parameter, "x"))
    (unset,) = crash_test.read(re.sub("(?m)$(?<!^)", ";0", text), "x")
    assert 0 == unset.target_mttr_s


def test_samples_without_a_value_are_no_zero() -> None:
    """The waits grow by 100 ms each; a sample without them, or without a target, adds nothing."""
    text = "".join(
        f"AWRLENS_SAMPLE;2026-01-01T10:00:{5 * number:02};orcl;{target};100;100;100;100;"
        f"{1000 * (number + 1)};{waits};{cs}\n"
        for number, (target, waits, cs) in enumerate(
            [(120, 10, 100), ("", 20, 200), (120, 30, ""), (120, 40, 400), (120, 50, 500)]
        )
    )
    (run,) = crash_test.read(text, "x")

    assert 100 == run.write_ms


def test_a_gap_between_samples_is_the_end_of_a_run() -> None:
    """Samples every 5 s, and half an hour later again: the counter grows in between."""
    later = lines(200, 200).replace("T10:", "T11:")
    later = re.sub(r"200;(\d+);(\d+);(\d+)$", lambda m: f"200;{9000 + int(m[1])};{m[2]};{m[3]}",
                   later, flags=re.M)  # fmt: skip
    first, second = crash_test.read(lines(500, 500, 500) + later, "x")

    assert (15, 10) == (first.seconds, second.seconds)
    assert first.writes
    assert second.writes
    assert (100, 40) == (first.writes.mean, second.writes.mean)


def test_a_load_that_still_grows_is_not_steady() -> None:
    assert crash_test.read(lines(*[500] * 6), "x")[0].steady
    assert not crash_test.read(lines(100, 200, 400, 800, 1600, 3200), "x")[0].steady


def test_a_counter_that_went_back_is_left_out() -> None:
    text = lines(500, 500) + lines(500, 500)
    (run,) = crash_test.read(text, "x")

    assert run.writes is not None
    assert 100 == run.writes.highest


@pytest.mark.parametrize("text", ["", "AWRLENS_SAMPLE;x", lines(), "AWRLENS_CRASH;;;"])
def test_what_has_no_samples_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError, match="no samples"):
        crash_test.read(text, "x")


# the bottleneck


def test_a_bottleneck_only_with_fast_start_checkpointing_is_the_capacity() -> None:
    found = bottleneck(BUSY, QUIET)

    assert "capacity" == found["verdict"]
    assert "Increase the target or the capacity" in found["text"]
    assert "report" == bottleneck(BUSY, BUSY)["verdict"]
    assert "report" == bottleneck(BUSY)["verdict"]


def test_a_report_without_a_bottleneck_says_so() -> None:
    found = bottleneck(QUIET)

    assert "none" == found["verdict"]
    assert "no significant bottleneck" in found["text"]


def test_the_additional_io_of_a_target_is_a_share_of_all_io_without_it() -> None:
    """1,145 − 358 writes beside 1,000 reads and writes a second."""
    assert 78.7 == pytest.approx(bottleneck(BUSY, QUIET)["extra_io_pct"])
    assert "79 % of all I/O without" in bottleneck(BUSY, QUIET)["text"]
    assert None is bottleneck(BUSY)["extra_io_pct"]


# the command line


def test_runs_in_the_logs_of_several_survivors_are_one_crash_test(tmp_path: Path) -> None:
    """The instance that recovers is another one every time."""
    seconds = {"a": (1, 180), "b": (3, 121), "c": (2, 126)}
    for name, (hour, took) in seconds.items():
        (tmp_path / f"{name}.log").write_text(
            f"Sat Apr 13 0{hour}:00:00 2002\nBeginning instance recovery of 1 threads\n"
            f"Sat Apr 13 0{hour}:0{took // 60}:{took % 60:02} 2002\nEnded recovery at\n",
            encoding="utf-8",
        )
    logs = [str(tmp_path / f"{name}.log") for name in seconds]
    found = called("recovery", "measure", *logs, "--desired-mttr", "120", "-f", "json")

    for each in found:
        runs = each["recovery"]["runs"]
        assert ([180, 126, 121], "within", True) == (
            runs["seconds"], runs["verdict"], runs["settled"]
        )  # fmt: skip


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("mttr", "--write-capacity", "100"), "need a report"),
        (("mttr", str(samples_of_reports.path("redo-cluster.awr-rac-11.2.html"))), "--part N"),
        (("mttr", str(samples_of_reports.path("redo-disk.statspack-8.1.7.lst"))),
         "introduced in Oracle9i"),
        (("recovery", "measure", "x.log", "--without", "y.html"), "--without needs --report"),
        (("mttr", "--alert-log", "x.log"), "need a report"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_in_one_sentence(
    args: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == cli.run(list(args))
    assert says in capsys.readouterr().err


def test_a_redacted_advisor_does_not_name_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(samples_of_reports.path("redo-disk.awr-11.2.txt"))

    assert 0 == cli.run(["mttr", path, "--redact"])
    out = capsys.readouterr().out
    assert "Recovery targets of a report" in out
    assert "AULTDB" not in out.upper()


@given(
    st.text("AWRLENS_SAMPLE;CRASH0123456789-:TeE.+ \n")
    | st.lists(st.lists(st.sampled_from(["1", "", "-5", "1e308", "9" * 400, "x"]), max_size=12))
)
def test_no_samples_make_the_reader_stumble(drawn: str | list[list[str]]) -> None:
    text = drawn if isinstance(drawn, str) else "\n".join(
        f"AWRLENS_SAMPLE;2026-01-01T10:00:{n % 60:02};o;{';'.join(row)}"
        for n, row in enumerate(drawn)
    )  # fmt: skip
    with contextlib.suppress(UnreadableError):
        for run in crash_test.read(text, "x"):
            assert json.dumps(plain(run), allow_nan=False)


@given(st.lists(st.lists(st.sampled_from(["1", "71", "-5", "1e308", "1e-320", "9" * 400, "x"]))))
def test_no_advice_in_a_spool_makes_the_reader_stumble(rows: list[list[str]]) -> None:
    text = "AWRLENS|instance|parallel|YES\n" + "\n".join(
        f"AWRLENS|mttr_advice|row|{';'.join(row)}" for row in rows
    )

    assert json.dumps(mttr_command.read(text, "x").points(), allow_nan=False)


def called(*args: str) -> Any:
    done = CliRunner().invoke(cli.cli, args, standalone_mode=False)
    assert done.exception is None, done.exception
    return json.loads(done.stdout)
