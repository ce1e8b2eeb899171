"""Numbers that 64 bits do not hold: frames and Parquet round them and say so, text does not."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from figures import report, statistics

from awrlens.cli import run

if TYPE_CHECKING:
    from pathlib import Path

#: 2^63, the least that Int64 does not hold; 2^64 - 1, a counter of 64 bits below 0.
LARGE = {"bytes of a wrapped counter": 2**63, "another": 2**64 - 1, "user commits": 4}


def text_of(numbers: dict[str, int]) -> str:
    return report(statistics(*(f"{name} | {n:,}" for name, n in numbers.items())))._text


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "report.txt"
    path.write_text(text_of(LARGE), encoding="utf-8")
    return str(path)


def test_a_frame_with_a_number_beyond_64_bits_is_of_floats_and_says_so() -> None:
    frame = report(statistics(*(f"{k} | {v:,}" for k, v in LARGE.items())))[
        "instance_activity"
    ].frame

    assert frame["total"].dtype == "Float64"
    assert list(frame["total"]) == [float(value) for value in LARGE.values()]
    assert "beyond 64 bits" in frame.attrs["rounded"]["total"]


@pytest.mark.parametrize("largest", [2**63 - 1, 2**53 + 1])
def test_what_64_bits_hold_stays_exact(largest: int) -> None:
    frame = report(statistics(f"x | {largest:,}"))["instance_activity"].frame

    assert frame["total"].dtype == "Int64"
    assert list(frame["total"]) == [largest]
    assert "rounded" not in frame.attrs


def test_json_and_csv_have_all_digits(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["tables", file, "instance_activity", "--format", "json"])
    assert [row["total"] for row in json.loads(capsys.readouterr().out)] == list(LARGE.values())

    assert 0 == run(["tables", file, "instance_activity", "--format", "csv"])
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert [int(row["total"]) for row in rows] == list(LARGE.values())


def test_parquet_is_written(file: str, tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    target = tmp_path / "t.parquet"
    assert 0 == run(
        ["tables", file, "instance_activity", "--format", "parquet", "-o", str(target)]
    )  # fmt: skip

    assert list(pd.read_parquet(target)["total"]) == [float(value) for value in LARGE.values()]
