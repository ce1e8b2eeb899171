"""A crash test: its plan, its scripts, its samples, and where the bottleneck is."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from awrlens.advice import mttr
from awrlens.errors import UnreadableError
from awrlens.recovery import plan, samples
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
