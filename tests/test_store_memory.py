"""The process that writes a store needs the same memory for any number of reports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.outside
pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

ROOT = Path(__file__).parent.parent

#: By day enough for ten kilobytes that each report leaves behind to show, at night for fewer.
MANY = 20_000 if os.environ.get("AWRLENS_EXAMPLES") == "nightly" else 4_000


def peak_mb(reports: int) -> int:
    """The peak memory of a process that writes so many reports and their index."""
    command = [sys.executable, str(ROOT / "benchmarks" / "store_bench.py"), "memory", str(reports)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, check=True, capture_output=True, env=environment)
    return int(done.stdout)


def test_memory_does_not_grow_with_the_number_of_reports() -> None:
    few, many = peak_mb(1_000), peak_mb(MANY)

    assert many <= 1.2 * few, (few, many)
