"""An ingest on a Dask cluster gives the rows that one process gives, whatever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, cast

import fleet_of
import pytest
from fleet_of import ask, call, done

from awrlens import config
from awrlens.cli.analyze import Asked
from awrlens.model import Analysis
from awrlens.model.chart_data import Exhibits
from awrlens.report.report import Report

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("distributed")

ROOT: Final = Path(__file__).parent.parent
NIGHTLY: Final = os.environ.get("AWRLENS_EXAMPLES") == "nightly"
pytestmark = pytest.mark.outside


class Kills:
    """Kills its process at some inputs: once, or whenever they are read."""

    options = config.Options()

    def __init__(self, name: str, flag: Path, *, once: bool = True) -> None:
        self._name, self._flag, self._once = name, flag, once

    def analyse(self, report: Report, path: str) -> tuple[Analysis, Exhibits | None]:
        if path.endswith(self._name) and not (self._once and self._flag.exists()):
            self._flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Asked(self.options).analyse(report, path)


@contextmanager
def cluster(folder: Path, workers: int, failures: int = 3) -> Iterator[str]:
    """A scheduler and worker processes on this host; the scheduler's address."""
    told = folder / "scheduler.json"
    paths = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    environment = os.environ | {
        "PYTHONPATH": paths,
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(failures),
    }
    command = [sys.executable, "-m", "dask"]
    common = ["--scheduler-file", str(told), "--no-dashboard"]
    calls = [["scheduler", "--host", "127.0.0.1", "--port", "0", *common]]
    calls += [["worker", *common, "--nthreads", "1", "--no-nanny", "--local-directory",
               str(folder / f"worker-{n}")] for n in range(workers)]  # fmt: skip
    running: list[subprocess.Popen[bytes]] = []
    try:
        for each in calls:
            with (folder / f"{len(running)}.log").open("wb") as log:
                running.append(
                    subprocess.Popen([*command, *each], env=environment, stdout=log, stderr=log)
                )
            until = time.monotonic() + 60
            while not told.exists() and time.monotonic() < until:
                time.sleep(0.05)
        yield json.loads(told.read_text())["address"]
    finally:
        for process in running:
            process.kill()
            process.wait()


def ingest(address: str, reports: Path, store_file: Path, kills: Kills) -> None:
    from awrlens.fleet.cluster import runner
    from awrlens.fleet.folder import place
    from awrlens.fleet.ingest import ingest
    from awrlens.fleet.rows import Job
    from awrlens.fleet.sources import sources

    here = place(str(store_file))
    job = Job(cast("Asked", kills))
    with here.lock():
        ingest(here, sources([str(reports)]), job, runner(address), batch=4)


def test_a_worker_that_dies_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 4)
    done("ingest", reports, "--store", tmp_path / "one.duckdb", "--batch", "4")
    monkeypatch.setattr("awrlens.fleet.cluster._FILES", 2)

    with cluster(tmp_path, 2) as address:
        kills = Kills("DB0000/sp_003.lst", tmp_path / "killed")
        ingest(address, reports, tmp_path / "many.duckdb", kills)
        again = done("ingest", reports, "--store", tmp_path / "many.duckdb",
                     "--scheduler", address)  # fmt: skip

    assert (tmp_path / "killed").exists()
    assert again.startswith("8 files, 0 new reports, 8 unchanged")
    assert fleet_of.rows(tmp_path / "one.duckdb") == fleet_of.rows(tmp_path / "many.duckdb")
    one, many = (
        json.loads((tmp_path / f"{name}.parquet" / "manifest.json").read_text())["batches"]
        for name in ("one", "many")
    )
    assert one == many


@pytest.mark.skipif(not NIGHTLY, reason="starts many processes; `make nightly` runs it")
def test_a_report_that_kills_every_worker_is_unreadable_and_the_others_are_read(
    tmp_path: Path,
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 3)
    store_file = tmp_path / "many.duckdb"

    with cluster(tmp_path, 3, failures=0) as address:
        kills = Kills("sp_001.lst", tmp_path / "killed", once=False)
        ingest(address, reports, store_file, kills)

    assert [{"n": 2}] == ask(store_file, "SELECT count(*) AS n FROM reports")
    (row,) = ask(store_file, "FROM unreadable")
    assert row["source"].endswith("sp_001.lst")
    assert "was killed" in row["reason"]


def test_no_scheduler_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("awrlens.fleet.cluster._PATIENCE_S", 0.2)
    reports = fleet_of.tree(tmp_path / "in", 1, 1)

    status, _, err = call("ingest", reports, "--store", tmp_path / "f.duckdb",
                          "--scheduler", "tcp://127.0.0.1:9")  # fmt: skip

    assert (2, 1) == (status, err.count("\n")), err
    assert "No Dask scheduler answers at tcp://127.0.0.1:9" in err
