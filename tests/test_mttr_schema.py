"""The JSON Schema of `mttr`: real output of each of its kinds keeps to it, and it can refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import called
import jsonschema
import pytest
import samples
from test_recovery_script import SPOOL

from awrlens.lab.mttr_document import schema

VALID = jsonschema.Draft202012Validator(schema())
REPORT = str(samples.path("redo-disk.awr-11.2.txt"))
GIVEN = (
    "--desired-mttr", "120", "--rac", "--init-time-avg", "50200342", "--fopen-time-avg", "20120",
    "--datafiles", "500", "--estimated-mttr", "112",
)  # fmt: skip


def mttr(*args: str) -> Any:
    status, out, error = called.call("mttr", *args, "--format", "json")
    assert (0, "") == (status, error)
    return json.loads(out)


@pytest.mark.parametrize(
    "args",
    [
        (), GIVEN, ("--curve",), ("--curve", "--desired-mttr", "100"), (REPORT,),
        (REPORT, "--desired-mttr", "12", "--write-capacity", "200"),
        (str(samples.path("undo-disk.awr-19c.html")),),
        (str(samples.path("redo-cluster-1.awr-11.2.html")),),
    ],
)  # fmt: skip
def test_every_kind_of_output_has_the_printed_schema(args: tuple[str, ...]) -> None:
    VALID.validate(mttr(*args))


def test_the_output_for_a_spool_file_has_the_printed_schema(tmp_path: Path) -> None:
    file = tmp_path / "awrlens_recovery.lst"
    file.write_text(SPOOL, encoding="utf-8")
    found = mttr("--from", str(file), "--desired-mttr", "120")

    assert 3 == len(found["points"])
    VALID.validate(found)


def test_the_writes_of_targets_are_compared_only_with_a_target_that_is_known(
    tmp_path: Path,
) -> None:
    file = tmp_path / "awrlens_recovery.lst"
    lines = SPOOL.splitlines()
    file.write_text(
        "\n".join(
            each for each in lines
            if "target_mttr_s" not in each and "fast_start_mttr_target" not in each
        )
    )  # fmt: skip
    found = mttr("--from", str(file), "--desired-mttr", "120")

    assert [None] * 3 == [each["factor"] for each in found["points"]]
    VALID.validate(found)


def test_the_command_prints_the_schema_and_it_can_refuse() -> None:
    printed = json.loads(called.call("schema", "mttr")[1])
    target, advice = mttr(*GIVEN), mttr(REPORT)

    assert schema() == printed
    VALID.check_schema(printed)
    assert not VALID.is_valid(target | {"fast_start_mttr_target_s": 3601})
    assert not VALID.is_valid(target | {"another": 1})
    assert not VALID.is_valid(target | advice)
    advice["points"][0]["bears"] = "perhaps"
    assert not VALID.is_valid(advice)
