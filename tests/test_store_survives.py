"""A store survives what ends an ingest: a kill, a full disk, a path that cannot be written."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import time
from pathlib import Path
from typing import Any, Final

import fleet_of
import pytest
from fleet_of import ask, call, done

from awrlens import __version__, cli
from awrlens.fleet import folder, index
from awrlens.fleet.folder import Place, place

pytestmark = pytest.mark.outside
duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

NIGHTLY: Final = os.environ.get("AWRLENS_EXAMPLES") == "nightly"
KILLS: Final = 200 if NIGHTLY else 2
#: Writes of an ingest of three batches: all of them, or some of each kind.
STEPS: Final = range(60) if NIGHTLY else (0, 11, 12, 13, 25)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "fleet.duckdb"


def run(*args: str) -> None:
    """A call in a process of its own."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    os._exit(cli.run(list(args)))


@pytest.fixture(scope="module")
def processes() -> multiprocessing.context.ForkServerContext:
    found = multiprocessing.get_context("forkserver")
    modules = ("awrlens.fleet.command", "awrlens.fleet.ingest", "awrlens.api", "duckdb",
               "pyarrow.parquet", "test_store_survives")  # fmt: skip
    found.set_forkserver_preload(list(modules))
    return found


def files_of(store_file: Path) -> int:
    """The number of files of a store, by which it is known how far an ingest is."""
    return sum(len(files) for *_, files in os.walk(store_file.with_suffix(".parquet")))


def test_killed_at_any_moment_the_next_ingest_continues(
    tmp_path: Path, processes: multiprocessing.context.ForkServerContext
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 3, 3)
    whole = tmp_path / "whole.duckdb"
    done("ingest", reports, "--store", whole, "--batch", "2")
    expected, most = fleet_of.rows(whole), files_of(whole)
    chance = random.Random(None if NIGHTLY else 7)  # noqa: S311 - moments, no secrets
    killed = 0
    for number in range(KILLS):
        store_file = tmp_path / f"killed-{number}.duckdb"
        args = ("ingest", str(reports), "--store", str(store_file), "--batch", "2")
        for _ in range(2):
            process = processes.Process(target=run, args=args)
            process.start()
            moment = chance.uniform(0, most)
            while process.is_alive() and files_of(store_file) < moment:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.02))
            process.kill()
            process.join()
            killed += process.exitcode == -signal.SIGKILL

        done("ingest", reports, "--store", store_file, "--batch", "2")

        assert expected == fleet_of.rows(store_file)
        for each in (store_file, store_file.with_suffix(".parquet")):
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    assert killed


@pytest.mark.parametrize("what", ["compact", "merge", "rebuild"])
def test_killed_at_any_moment_other_changes_of_a_store_lose_nothing(
    what: str, tmp_path: Path, processes: multiprocessing.context.ForkServerContext
) -> None:
    for name in ("one", "two"):
        reports = fleet_of.tree(tmp_path / name, 1 + (name == "two"), 3)
        done("ingest", reports, "--store", tmp_path / f"{name}.duckdb", "--batch", "1")
    one, two = tmp_path / "one.duckdb", tmp_path / "two.duckdb"
    args = ["store", what, *([str(two)] if what == "merge" else [])]

    def copied(name: str) -> Path:
        target = tmp_path / f"{name}.duckdb"
        shutil.copyfile(one, target)
        shutil.copytree(one.with_suffix(".parquet"), target.with_suffix(".parquet"))
        return target

    whole = copied("whole")
    begun = time.monotonic()
    done(*args, "--store", whole)
    took = time.monotonic() - begun
    expected = fleet_of.rows(whole)
    count = ask(whole, "SELECT count(*) AS n FROM reports")[0]["n"]
    chance = random.Random(None if NIGHTLY else 7)  # noqa: S311 - moments, no secrets
    for number in range(KILLS):
        store_file = copied(f"killed-{number}")
        process = processes.Process(target=run, args=(*args, "--store", str(store_file)))
        process.start()
        time.sleep(chance.uniform(0, took))
        process.kill()
        process.join()

        status, out, _ = call("query", "SELECT count(*) FROM reports", "--store", store_file,
                              "--format", "csv")  # fmt: skip
        assert 0 == status
        assert 3 <= int(out.split()[-1]) <= count
        done(*args, "--store", store_file)
        assert expected == fleet_of.rows(store_file)
        store_file.unlink()
        shutil.rmtree(store_file.with_suffix(".parquet"))


def test_a_file_is_read_again_if_its_time_goes_back(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 2)
    done("ingest", reports, "--store", here)
    file = reports / "DB0000" / "sp_000.lst"
    file.write_text(fleet_of.report("DB0000", 5), encoding="utf-8")
    os.utime(file, (0, 0))

    done("ingest", reports, "--store", here)
    assert [{"n": 2, "last": 7}] == ask(
        here, "SELECT count(*) AS n, max(day(end_time)) AS last FROM reports"
    )


@pytest.mark.parametrize("step", STEPS)
def test_ended_at_every_write_nothing_is_lost_or_twice(
    step: int, tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full at the n-th write of the store, then it is not."""
    reports = fleet_of.tree(tmp_path / "in", 1, 3)
    done("ingest", reports / "DB0000" / "sp_000.lst", "--store", here)
    writes = 0
    known = os.fsync, Path.replace

    def full() -> None:
        nonlocal writes
        writes += 1
        if writes == step + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fsync(handle: int) -> None:
        full()
        known[0](handle)

    def replace(self: Path, target: Path) -> Path:
        full()
        return known[1](self, target)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fsync)
        patched.setattr(Path, "replace", replace)
        status, _, err = call("ingest", reports, "--store", here, "--batch", "1")

    found = ask(here, "SELECT count(*) AS n FROM reports")
    if status:
        assert (2, 1) == (status, err.count("\n"))
        assert "no space left on device" in err.lower()
    else:  # it was the settling of a folder, which not every system can do
        assert [{"n": 3}] == found
    done("ingest", reports, "--store", here, "--batch", "1")
    found = ask(here, "SELECT count(*) AS n, count(DISTINCT report) AS d FROM reports")
    assert [{"n": 3, "d": 3}] == found


def test_a_full_disk_is_said_in_a_sentence_and_costs_nothing(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 2)
    done("ingest", reports / "DB0000", "--store", here)
    before = fleet_of.rows(here)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    known = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        status, _, err = call("ingest", reports, "--store", here)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, known)

    assert (2, 1) == (status, err.count("\n")), err
    assert "cannot be written" in err
    assert before == fleet_of.rows(here)
    done("ingest", reports, "--store", here)
    assert [{"n": 4}] == ask(here, "SELECT count(*) AS n FROM reports")


def test_a_damaged_index_is_made_anew(tmp_path: Path, here: Path) -> None:
    done("ingest", fleet_of.tree(tmp_path / "in", 1, 2), "--store", here)
    before = fleet_of.rows(here)
    here.write_bytes(here.read_bytes()[:4096] + b"\xff" * 50_000)

    assert before == fleet_of.rows(here)


def test_two_ingests_at_once_do_not_write_one_store(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 1)
    done("ingest", reports, "--store", here)
    monkeypatch.setattr("awrlens.fleet.folder._PATIENCE_S", 0.1)
    locked, release = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        with place(str(here)).lock():
            os.write(locked[1], b"x")
            os.read(release[0], 1)
        os._exit(0)
    os.read(locked[0], 1)

    status, _, err = call("ingest", reports, "--store", here)
    read = call("query", "SELECT count(*) AS n FROM reports", "--store", here)

    os.write(release[1], b"x")
    os.waitpid(child, 0)
    assert (2, 1) == (status, err.count("\n"))
    assert f"is being written by process {child}. Wait until it ends." in err
    assert read[0] == 0
    done("ingest", reports, "--store", here)


def test_the_lock_of_a_killed_ingest_is_no_obstacle(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 1)
    locked = os.pipe()
    child = os.fork()
    if child == 0:
        with place(str(here)).lock():
            os.write(locked[1], b"x")
            time.sleep(60)
    os.read(locked[0], 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)

    done("ingest", reports, "--store", here)


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write everywhere, so opening for writing is refused here."""
    known: Any = Path.open

    def refused(self: Path, mode: str = "r", *args: object, **others: object) -> Any:
        if set(mode) & set("wax+"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(self))
        return known(self, mode, *args, **others)

    monkeypatch.setattr(Path, "open", refused)


def test_a_store_on_a_read_only_path_can_be_read(
    tmp_path: Path, here: Path, request: pytest.FixtureRequest
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 2)
    done("ingest", reports, "--store", here)
    before = fleet_of.rows(here)
    request.getfixturevalue("read_only")

    status, _, err = call("ingest", reports, "--store", here)

    assert (2, 1) == (status, err.count("\n"))
    assert "read-only file system" in err.lower()
    assert before == fleet_of.rows(here)
    here.unlink()  # without its index, too
    assert before == fleet_of.rows(here)
    shutil.rmtree(place(str(here)).batches / place(str(here)).manifest().names[0])
    status, _, err = call("query", "SELECT 1", "--store", here)
    assert 3 == status
    assert "sp_000.lst" in err


def older(here: Path) -> Place:
    """A store as an awrlens without some columns and facts has written it."""
    import pyarrow.parquet as pq

    found = place(str(here))
    for file in found.batches.glob("*/*.parquet"):
        table = pq.read_table(file)
        missing = {"platform", "redo_sync_ms", "step_s", "reading", "judging"} & set(
            table.column_names
        )
        if file.stem == "facts":
            table = table.append_column("redo_old_ms", table["redo_write_ms"])
        pq.write_table(table.drop_columns(sorted(missing)), file)
    manifest = json.loads((found.folder / "manifest.json").read_text())
    facts = [each for each in manifest["facts"] if each["name"] != "redo.sync_ms"]
    write = next(each for each in facts if each["name"] == "redo.write_ms")
    old = {**write, "name": "redo.old_ms", "column": "redo_old_ms", "since": "0.0.9"}
    manifest |= {"facts": [*facts, old], "schema": "0.9"}
    del manifest["sizes"], manifest["sums"]
    (found.folder / "manifest.json").write_text(json.dumps(manifest))
    here.unlink()
    return found


def test_a_store_of_an_older_schema_is_read_and_extended(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 2)
    done("ingest", reports / "DB0000" / "sp_000.lst", "--store", here)
    older(here)

    known = ask(here, "SELECT redo_sync_ms, redo_old_ms > 0 AS old FROM facts")
    done("ingest", reports / "DB0000" / "sp_001.lst", "--store", here)
    both = ask(here, "SELECT redo_sync_ms IS NULL AS old, redo_old_ms > 0 AS of_old FROM facts "
                     "ORDER BY 1")  # fmt: skip
    since = ask(here, "SELECT since FROM facts_catalogue WHERE name IN ('redo.old_ms', "
                      "'redo.sync_ms') ORDER BY 1")  # fmt: skip

    assert [{"redo_sync_ms": None, "old": True}] == known
    assert [{"old": False, "of_old": None}, {"old": True, "of_old": True}] == both
    assert [{"since": "0.0.9"}, {"since": __version__}] == since


def test_a_store_of_a_newer_schema_is_left_alone(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 1)
    done("ingest", reports, "--store", here)
    manifest = place(str(here)).folder / "manifest.json"
    said = json.loads(manifest.read_text()) | {"schema": "2.0"}
    manifest.write_text(json.dumps(said))

    for args in (("ingest", reports), ("query", "FROM reports"), ("fleet",)):
        status, _, err = call(*args, "--store", here)
        assert (2, 1) == (status, err.count("\n"))
        assert "has schema 2.0, this awrlens knows 1.1" in err
    assert said == json.loads(manifest.read_text())


def test_a_damaged_manifest_is_said_in_a_sentence(tmp_path: Path, here: Path) -> None:
    done("ingest", fleet_of.tree(tmp_path / "in", 1, 1), "--store", here)
    (place(str(here)).folder / "manifest.json").write_text("{")

    status, _, err = call("fleet", "--store", here)

    assert (2, 1) == (status, err.count("\n"))
    assert "manifest.json is damaged. Restore it from a backup" in err


def test_no_store_is_said_in_a_sentence(here: Path) -> None:
    status, _, err = call("fleet", "--store", here)

    assert (2, 1) == (status, err.count("\n"))
    assert f"There is no store {here}. `awrlens ingest` creates one." in err


def ruin(file: Path, how: str) -> None:
    """Damage a file of a batch, or the batch."""
    data = file.read_bytes()
    if how == "the batch is gone":
        shutil.rmtree(file.parent)
    elif how == "a file is gone":
        file.unlink()
    elif how == "a file is cut off":
        file.write_bytes(data[: len(data) // 2])
    elif how == "a file is empty":
        file.write_bytes(b"")
    elif how == "a value is changed":
        table = parquet.read_table(file)
        names = table.column("headline")
        other = pa.chunked_array([[f"{x}"[::-1] for x in names.to_pylist()]])
        at = table.column_names.index("headline")
        parquet.write_table(table.set_column(at, "headline", other), file, compression="zstd")
        size = file.stat().st_size  # a changed value of equal size cannot be made on purpose
        manifest = file.parents[2] / "manifest.json"
        content = json.loads(manifest.read_text())
        content["sizes"][file.parent.name][file.stem] = size
        manifest.write_text(json.dumps(content))
    else:
        middle = len(data) // 2
        file.write_bytes(data[:8] + b"\xff" * (middle - 8) + data[middle:])


@pytest.mark.parametrize(
    ("how", "number"),
    [("the batch is gone", 0), ("the batch is gone", 1), ("the batch is gone", 2),
     ("a file is gone", 1), ("a file is cut off", 2), ("a file is empty", 0),
     ("a file is overwritten", 1), ("a file is overwritten", 2), ("a value is changed", 1)],
)  # fmt: skip
def test_what_a_store_has_lost_is_said_and_written_again(
    how: str, number: int, tmp_path: Path, here: Path
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 5)
    done("ingest", reports, "--store", here, "--batch", "2")
    before = fleet_of.rows(here)
    names = place(str(here)).manifest().names
    assert 3 == len(names)
    batch = place(str(here)).batches / names[number]
    ruin(batch / ("documents.parquet" if number == 2 else "reports.parquet"), how)
    if how in ("a file is overwritten", "a value is changed"):  # only seen where it is read
        here.unlink()

    said = {}
    for args in (
        ("query", "SELECT count(*) FROM reports"), ("fleet",), ("check",), ("trend",),
        ("store", "export", "reports"), ("store", "rebuild"), ("html",),
        ("store", "compact"),
    ):  # fmt: skip
        page = str(tmp_path / "x.html")
        more = {"fleet": ["--html", page], "html": ["-o", page]}.get(args[0], [])
        status, _, err = call(*args, *more, "--store", here)
        said[args] = status, "The store has lost" in err
    assert {(3, True)} == set(said.values()), said
    status, out, _ = call("ingest", reports, "--store", here, "--batch", "2")
    assert (0, True) == (status, " new report" in out)
    assert before == fleet_of.rows(here)
    assert 0 == call("store", "rebuild", "--store", here)[0]
    assert 0 == call("query", "SELECT 1", "--store", here)[0]


def test_what_is_lost_stays_said_until_it_is_given_up(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 2)
    done("ingest", reports, "--store", here, "--batch", "2")
    shutil.rmtree(place(str(here)).batches / place(str(here)).manifest().names[0])

    status, _, err = call("ingest", reports / "DB0001", "--store", here)
    assert 3 == status
    assert "DB0000/sp_000.lst" in err
    assert 3 == call("fleet", "--store", here)[0]
    done("store", "rebuild", "--forget", "--store", here)
    done("fleet", "--store", here)
    assert [{"n": 2}] == ask(here, "SELECT count(*) AS n FROM reports")


def test_a_call_that_fails_says_why_and_what_is_lost(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 3)
    done("ingest", reports, "--store", here, "--batch", "2")
    shutil.rmtree(place(str(here)).batches / place(str(here)).manifest().names[0])

    status, _, err = call("query", "SELECT nothing FROM reports", "--store", here)

    assert 2 == status
    assert "The store has lost" in err
    assert "The query failed" in err


def test_watch_says_what_is_lost_and_fails(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 2)
    done("ingest", reports, "--store", here, "--batch", "2")
    shutil.rmtree(place(str(here)).batches / place(str(here)).manifest().names[0])
    monkeypatch.setattr("awrlens.fleet.command.time.sleep", lambda _: None)

    status, _, err = call("watch", reports / "DB0001", "--store", here, "--rounds", "3")

    assert 3 == status
    assert 1 == err.count("The store has lost")
    assert "DB0000/sp_000.lst" in err


def test_an_error_of_other_work_is_not_one_of_the_store(here: Path, tmp_path: Path) -> None:
    done("ingest", fleet_of.tree(tmp_path / "in", 1, 1), "--store", here)

    with pytest.raises(duckdb.Error), index.opened_store(str(here)), index.opened(None) as other:
        other.execute("SELECT nothing")


def test_a_merge_says_what_the_others_have_lost_and_leaves_them_as_they_are(
    tmp_path: Path, here: Path
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 2)
    parts = [tmp_path / f"part-{number}.duckdb" for number in range(2)]
    for number, part in enumerate(parts):
        done("ingest", reports / f"DB000{number}", "--store", part, "--batch", "1")
        part.unlink()
    shutil.rmtree(place(str(parts[0])).batches / place(str(parts[0])).manifest().names[1])

    status, out, err = call("store", "merge", *parts, "--store", here)

    assert (3, f"{here}: 3 batches added\n") == (status, out)
    assert 1 == err.count("The store has lost")
    assert "DB0000/sp_001.lst" in err
    assert [] == [part for part in parts if part.exists()]
    done("ingest", reports, "--store", here)
    assert 0 == call("store", "merge", *parts, "--store", here)[0]


def test_a_damaged_batch_is_found_without_reading_the_others(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 2)
    for number in range(2):
        done("ingest", reports / "DB0000" / f"sp_00{number}.lst", "--store", here)
        shutil.copy(here, tmp_path / f"{number}.duckdb")
    shutil.copy(tmp_path / "0.duckdb", here)
    first, second = (place(str(here)).batches / name for name in place(str(here)).manifest().names)
    ruin(second / "reports.parquet", "a file is overwritten")
    opened: list[Path] = []
    known = folder._sum

    def read(file: Path) -> int:
        opened.append(file.parent)
        return known(file)

    monkeypatch.setattr(folder, "_sum", read)

    assert 3 == call("fleet", "--store", here)[0]
    until = opened.index(first) if first in opened else None  # the index is made anew after it
    assert {second} == set(opened[:until])
