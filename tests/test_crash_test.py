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
from awrlens.recovery import plan, samples, spool
from awrlens.recovery.bottleneck import Bottleneck, Side

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
    found = plan.plan(request)

    assert (180, 4) == (found.target_s, found.runs)
    assert "ALTER SYSTEM SET fast_start_mttr_target=180 SCOPE=BOTH SID='*';" in (
        found.steps[0].commands
    )
    assert "Another instance detects the failure" in found.steps[2].text
    assert "--desired-mttr 120" in found.steps[-1].commands[0]


def test_a_single_instance_is_started_again() -> None:
    found = plan.plan(mttr.Request(60), target_s=90, runs=3)

    assert (90, 3) == (found.target_s, found.runs)
    assert "STARTUP" in found.steps[2].text
    assert "SID='*'" not in " ".join(found.steps[0].commands)


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_the_crash_script_is_a_valid_script_that_says_what_it_does(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    text = plan.script("crash")

    done = subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False)
    assert (0, "") == (done.returncode, done.stderr)
    assert "THIS CRASHES THE INSTANCE" in text[:300]


def test_the_crash_script_crashes_nothing_without_the_name_of_the_instance(tmp_path: Path) -> None:
    file = tmp_path / "crash_test.sh"
    file.write_text(plan.script("crash"), encoding="utf-8")
    done = subprocess.run(
        ["sh", str(file), "10"], input="other\n", text=True, capture_output=True, check=False,
        env={"PATH": "/usr/bin:/bin", "ORACLE_SID": "orcl"}, cwd=tmp_path,
    )  # fmt: skip

    assert 1 == done.returncode
    assert "Nothing was done." in done.stdout
    assert [file] == list(tmp_path.iterdir())


def test_the_sample_script_only_reads() -> None:
    sqlglot = pytest.importorskip("sqlglot")
    body = "\n".join(
        line for line in plan.script("sample").splitlines()
        if not re.match(r"(--|SET ECHO|EXIT)", line)
    )  # fmt: skip

    (statement,) = sqlglot.parse(body, dialect="oracle")
    assert "SELECT" == statement.key.upper()
    named = {table.name for table in statement.find_all(sqlglot.exp.Table)}
    assert {"v$instance", "v$instance_recovery", "v$sysstat", "v$system_event"} == named


# samples


def test_even_writes_have_no_spread_and_bulk_writes_have() -> None:
    (even,) = samples.read(lines(*[500] * 8), "on.txt")
    (bulk,) = samples.read(lines(*[0, 0, 0, 2000] * 2), "off.txt")

    assert even.writes == samples.Spread(100, 100, 1.0, 0.0)
    assert bulk.writes is not None
    assert (100, 400, 4.0) == bulk.writes[:3]
    # three times 100 below the mean, once 300 above: √((3 · 100² + 300²) / 4)
    assert 173.2 == pytest.approx(bulk.writes.spread_pct, abs=0.1)


def test_a_run_ends_with_its_crash() -> None:
    text = lines(500, 500) + "AWRLENS_CRASH;2026-01-01T10:00:12;orcl\n" + lines(100, 100)
    first, second = samples.read(text, "x.txt")

    assert (True, False) == (first.crashed, second.crashed)
    assert ((100, 102), 120) == (first.estimated_mttr_s, first.target_mttr_s)
    assert 20 == first.write_ms  # 20 centiseconds for 10 waits


def test_a_load_that_still_grows_is_not_steady() -> None:
    assert samples.read(lines(*[500] * 6), "x")[0].steady
    assert not samples.read(lines(100, 200, 400, 800, 1600, 3200), "x")[0].steady


def test_a_counter_that_went_back_is_left_out() -> None:
    text = lines(500, 500) + lines(500, 500)
    (run,) = samples.read(text, "x")

    assert run.writes is not None
    assert 100 == run.writes.highest


@pytest.mark.parametrize("text", ["", "AWRLENS_SAMPLE;x", lines(), "AWRLENS_CRASH;;;"])
def test_what_has_no_samples_is_refused(text: str) -> None:
    with pytest.raises(UnreadableError, match="no samples"):
        samples.read(text, "x")


# the bottleneck


def test_a_bottleneck_only_with_fast_start_checkpointing_is_the_capacity() -> None:
    found = Bottleneck(BUSY, QUIET)

    assert "capacity" == found.verdict
    assert "Increase the target or the capacity" in found.text
    assert "report" == Bottleneck(BUSY, BUSY).verdict
    assert "report" == Bottleneck(BUSY, None).verdict


def test_a_report_without_a_bottleneck_says_so() -> None:
    found = Bottleneck(QUIET, None)

    assert "none" == found.verdict
    assert "no significant bottleneck" in found.text


def test_the_additional_io_of_a_target_is_a_share_of_all_io_without_it() -> None:
    """1,145 − 358 writes beside 1,000 reads and writes a second."""
    assert 78.7 == pytest.approx(Bottleneck(BUSY, QUIET).extra_io_pct)
    assert "79 % of all I/O without" in Bottleneck(BUSY, QUIET).text
    assert None is Bottleneck(BUSY, None).extra_io_pct


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
        for run in samples.read(text, "x"):
            assert json.dumps(run.to_dict(), allow_nan=False)


@given(st.lists(st.lists(st.sampled_from(["1", "71", "-5", "1e308", "1e-320", "9" * 400, "x"]))))
def test_no_advice_in_a_spool_makes_the_reader_stumble(rows: list[list[str]]) -> None:
    text = "AWRLENS|instance|parallel|YES\n" + "\n".join(
        f"AWRLENS|mttr_advice|row|{';'.join(row)}" for row in rows
    )

    assert json.dumps(spool.read(text, "x").points(), allow_nan=False)


def called(*args: str) -> Any:
    done = CliRunner().invoke(cli.cli, args, standalone_mode=False)
    assert done.exception is None, done.exception
    return json.loads(done.stdout)
