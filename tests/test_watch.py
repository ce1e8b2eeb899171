"""A store follows a folder: complete files only, every new alert once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import fleet_of
import pytest
from fleet_of import ask, call, done

from awrlens.fleet.folder import BusyError, Place

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[str, str]]:
    """Watch a folder, where something happens between two looks; what was printed."""
    folder = tmp_path / "in"
    folder.mkdir()

    def watch(*between: Callable[[Path], object]) -> tuple[str, str]:
        waiting = iter(between)

        def sleep(_: float) -> None:
            next(waiting, lambda _: None)(folder)

        monkeypatch.setattr("awrlens.fleet.command.time.sleep", sleep)
        rounds = str(len(between) + 2)
        status, out, err = call("watch", folder, "--store", tmp_path / "f.duckdb",
                                "--rounds", rounds)  # fmt: skip
        assert status == 0, err
        return out, err

    return watch


def arrives(day: int, *, slow: bool = True) -> Callable[[Path], object]:
    text = fleet_of.report(day=day, slow=slow)
    return lambda folder: (folder / f"{day}.lst").write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_a_new_alert_is_told_once_and_again_after_it_has_ended(
    watched: Callable[..., tuple[str, str]],
) -> None:
    first, _ = watched(arrives(0), arrives(1))
    again, _ = watched(arrives(2))
    calm, _ = watched(*(arrives(day, slow=False) for day in (3, 4, 5)))
    back, _ = watched(arrives(6), arrives(7))

    told = "warning ORCL orcl (1): A commit takes 5.84 ms"
    assert [1, 0, 0, 1] == [each.count(told) for each in (first, again, calm, back)]


def test_a_file_is_read_when_it_is_complete(
    watched: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    text = fleet_of.report(slow=True)

    def grows(part: str) -> Callable[[Path], object]:
        return lambda folder: (folder / "r.lst").write_text(part, encoding="utf-8")

    def others(folder: Path) -> None:
        (folder / ".hidden.lst").write_text(text, encoding="utf-8")
        (folder / "copy.lst.part").write_text(text, encoding="utf-8")
        (folder / "empty.lst").touch()

    _, err = watched(grows(""), grows(text[:9000]), grows(text), others)

    assert err.count("new report in") == 1
    assert [{"path": str(tmp_path / "in" / "r.lst")}] == ask(
        tmp_path / "f.duckdb", "SELECT path FROM files"
    )


def test_a_store_that_another_run_writes_is_tried_again(
    watched: Callable[..., tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, busy = Place.lock, iter([True, False])

    @contextmanager
    def lock(place: Place, *args: float) -> Iterator[None]:
        if next(busy, False):
            raise BusyError("The store is being written by process 1.")
        with known(place, *args):
            yield

    monkeypatch.setattr(Place, "lock", lock)

    _, err = watched(arrives(0), arrives(1), arrives(2))

    assert "being written by process 1" in err
    assert [{"n": 3}] == ask(tmp_path / "f.duckdb", "SELECT count(*) AS n FROM reports")


def test_a_folder_is_required(tmp_path: Path) -> None:
    status, _, err = call("watch", tmp_path / "nowhere", "--store", tmp_path / "f.duckdb")

    assert (2, 1) == (status, err.count("\n"))
    assert "is not a folder." in err


def test_what_was_ingested_otherwise_is_not_read_again(
    watched: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    arrives(0)(tmp_path / "in")
    done("ingest", tmp_path / "in", "--store", tmp_path / "f.duckdb")

    _, err = watched()

    assert "new report" not in err
