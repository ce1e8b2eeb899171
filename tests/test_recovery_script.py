"""The script that a DBA runs, and what awrlens reads of what it spooled."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from awrlens import cli
from awrlens.errors import UnreadableError
from awrlens.lab import mttr_command

#: What the script spools on an invented cluster, with the numbers of document 1's example.
SPOOL = """\
awrlens recovery spool 1
AWRLENS|instance|name|orchid1
AWRLENS|instance|release|9.2.0.1.0
AWRLENS|instance|parallel|YES
AWRLENS|instance_recovery|target_mttr_s|90
AWRLENS|instance_recovery|estimated_mttr_s|112
AWRLENS|instance_recovery|actual_redo_blocks|204800
SELECT 'AWRLENS|instance_recovery|optimal_log_mb|' || optimal_logfile_size FROM v$instance_recovery
                                                      *
ERROR at line 1:
ORA-00904: "OPTIMAL_LOGFILE_SIZE": invalid identifier
AWRLENS|estimated_mttr|init_time_avg_us|50200342
AWRLENS|estimated_mttr|fopen_time_avg_us|20120
AWRLENS|mttr_advice|row|71;1000;90000;1.8
AWRLENS|mttr_advice|row|90;1600;80000;1.6
AWRLENS|mttr_advice|row|120;2600;50000;1
AWRLENS|log|row|1;1;77;104857600;2;CURRENT
AWRLENS|datafiles|count|500
AWRLENS|parameter|cluster_database|TRUE
AWRLENS|parameter|fast_start_mttr_target|90
awrlens recovery spool ends
"""


def script() -> str:
    return run("sql", "recovery")


def run(*args: str) -> str:
    done = CliRunner().invoke(cli.cli, args, standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout


def test_the_script_reads_and_changes_nothing() -> None:
    text = "\n".join(line for line in script().splitlines() if not line.startswith("--"))
    verbs = {word.split()[0].upper() for word in re.findall(r"^[A-Za-z][\w ]*", text, re.M)}

    assert {"SELECT", "SET", "SPOOL", "PROMPT", "WHENEVER", "EXIT"} == verbs
    assert not re.search(r"\b(ALTER|UPDATE|INSERT|DELETE|CREATE|DROP|GRANT|HOST)\b", text)


def test_the_script_asks_for_what_document_1_names() -> None:
    for name in (
        "init_time_avg", "fopen_time_avg", "x$estimated_mttr", "v$instance_recovery",
        "v$mttr_target_advice", "v$log", "v$datafile", "fast_start_mttr_target",
    ):  # fmt: skip
        assert name in script()


def test_each_value_of_the_script_is_one_that_the_reader_knows() -> None:
    spooled = set(re.findall(r"AWRLENS\|(\w+)\|(\w+)", SPOOL))

    assert spooled >= {
        pair for pair in re.findall(r"'AWRLENS\|(\w+)\|(\w+)\|", script()) if pair[0] != "parameter"
    } - {
        ("instance_recovery", name)
        for name in ("estimated_ios", "target_redo_blocks", "log_size_redo_blocks")
    }


def test_a_spool_takes_the_place_of_the_flags(tmp_path: Path) -> None:
    """Document 1's example: 120 + 50.2 + 10.06 s are 180 s."""
    file = tmp_path / "awrlens_recovery.lst"
    file.write_text(SPOOL, encoding="utf-8")
    data = json.loads(run("mttr", "--from", str(file), "--desired-mttr", "120", "-f", "json"))

    assert 180 == data["fast_start_mttr_target_s"]
    assert (50.2, 10.06) == (data["startup_s"], data["file_open_s"])
    assert 71 == data["lowest_s"]
    assert 112 - 60.26 == pytest.approx(data["expected_mttr_s"], abs=0.001)


def test_what_is_given_wins_over_the_spool(tmp_path: Path) -> None:
    file = tmp_path / "awrlens_recovery.lst"
    file.write_text(SPOOL, encoding="utf-8")
    data = json.loads(
        run("mttr", "--from", str(file), "--desired-mttr", "120", "--datafiles", "0", "-f", "json")
    )

    assert 0 == data["file_open_s"]


def test_a_script_that_was_not_run_as_sys_says_so() -> None:
    other = "\n".join(line for line in SPOOL.splitlines() if "|estimated_mttr|" not in line)
    found = mttr_command.read(other, "x.lst")

    assert None is found.init_time_avg_us
    assert "as SYS" in found.notes[0]


def test_a_single_instance_is_told_by_the_spool() -> None:
    assert False is mttr_command.read(SPOOL.replace("|YES", "|NO"), "x.lst").rac
    assert True is mttr_command.read(SPOOL, "x.lst").rac


def test_what_the_script_did_not_write_is_refused() -> None:
    with pytest.raises(UnreadableError):
        mttr_command.read("FAST_START_MTTR_TARGET 90", "x.lst")


@given(st.text() | st.text("AWRLENS|mttr_advice|row|;0123456789.\n"))
def test_no_spool_makes_the_reader_stumble(text: str) -> None:
    for body in (text, SPOOL + text, f"AWRLENS|mttr_advice|row|{text}"):
        with contextlib.suppress(UnreadableError):
            mttr_command.read(body, "x.lst")
