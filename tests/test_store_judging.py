"""Other thresholds, rules and advice judge stored reports again, without their files."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import corpus
import fleet_of
import pytest
import samples
from fleet_of import ask, call, done
from test_store import analyzed

from awrlens import api, config
from awrlens.cli.analyze import Asked
from awrlens.config import Options
from awrlens.fleet import document, index, rows
from awrlens.fleet.rows import Job
from awrlens.fleet.sources import InputFile
from awrlens.policy import Policy

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

ROOT = Path(__file__).parent.parent
#: Thresholds with which our samples are judged otherwise.
OTHER = ("--set", "redo.slow_write_ms=25", "--set", "confidence.idle_sessions=5")
#: A report, one of a cluster, one of two periods, one with a restart.
KINDS = ("busy-commit.statspack-9.2.lst", "redo-cluster.awr-rac-11.2.html",
         "redo-compared.awr-diff-11.2.html", "redo-restart.statspack-9.2.lst")  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "fleet.duckdb"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of reports of all kinds, and a file that is none; its store, and that of OTHER."""
    base = tmp_path_factory.mktemp("judged")
    folder = base / "in"
    folder.mkdir()
    for name in KINDS:
        (folder / name).write_bytes(samples.path(name).read_bytes())
    (folder / "notes.txt").write_text("call the DBA", encoding="utf-8")
    done("ingest", folder, "--store", base / "plain.duckdb")
    done("ingest", folder, "--store", base / "other.duckdb", *OTHER)
    shutil.copytree(folder, base / "kept")
    return base


@pytest.fixture
def reports(made: Path) -> Path:
    """The folder as it was ingested, with the times of its files."""
    shutil.rmtree(made / "in", ignore_errors=True)
    shutil.copytree(made / "kept", made / "in")
    return made / "in"


@pytest.fixture
def stored(made: Path, here: Path) -> Path:
    """A store of the reports."""
    shutil.copytree(made / "plain.parquet", here.with_suffix(".parquet"))
    shutil.copyfile(made / "plain.duckdb", here)
    return here


def spoil(folder: Path) -> None:
    """Replace what is in the files, but neither their sizes nor their times."""
    for each in folder.iterdir():
        about = each.stat()
        each.write_bytes(b"\xff" * about.st_size)
        os.utime(each, ns=(about.st_atime_ns, about.st_mtime_ns))


def content(store_file: Path) -> tuple[Any, Any, Any]:
    """All that a store has, its documents too."""
    with index.opened_store(str(store_file)) as opened:
        names = [name for (name,) in opened.rows("SELECT DISTINCT document FROM reports")]
        documents = dict(document.texts(opened.database, opened.place, names))
        files = sorted(opened.rows("FROM files"))
    return fleet_of.rows(store_file), documents, files


def test_other_thresholds_judge_as_a_new_ingest_does_without_opening_a_file(
    made: Path, stored: Path, reports: Path
) -> None:
    before = content(stored)
    new = content(made / "other.duckdb")
    spoil(reports)

    out = done("ingest", reports, "--store", stored, *OTHER)

    assert out.startswith("5 files, 0 new reports, 5 judged again")
    assert before[0]["findings"] != new[0]["findings"]
    assert new == content(stored)
    assert done("ingest", reports, "--store", stored, *OTHER).startswith(
        "5 files, 0 new reports, 5 unchanged"
    )


def test_a_store_is_judged_again_when_its_files_are_gone(
    made: Path, stored: Path, reports: Path
) -> None:
    for each in reports.iterdir():
        each.unlink()
    reports.rmdir()

    out = done("store", "judge", "--store", stored, *OTHER)

    assert out.startswith("5 files, 0 new reports, 5 judged again")
    assert content(made / "other.duckdb") == content(stored)


def test_two_processes_judge_as_one(
    made: Path, stored: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("awrlens.cli.batch.WORTH_BYTES", 1)

    done("ingest", reports, "--store", stored, "-j", "2", *OTHER)

    assert content(made / "other.duckdb") == content(stored)


def set_stamps(monkeypatch: pytest.MonkeyPatch, **other: str) -> None:
    """Another awrlens, whose code for reading or judging differs."""
    now = rows.stamps()._replace(**other)
    for module in ("rows", "ingest"):
        monkeypatch.setattr(f"awrlens.fleet.{module}.stamps", lambda: now)


def test_other_rules_judge_and_another_reader_reads(
    stored: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = analyzed(monkeypatch)

    set_stamps(monkeypatch, judging="other rules")
    judged = done("ingest", reports, "--store", stored)
    assert [] == read
    set_stamps(monkeypatch, judging="other rules", reading="another reader")
    left = done("store", "judge", "--store", stored)
    assert [] == read
    done("ingest", reports, "--store", stored)

    assert "5 judged again" in judged
    assert "5 must be read again" in left
    assert len(KINDS) == len(read)
    assert [{"reading": "another reader", "judging": "other rules"}] == ask(
        stored, "SELECT DISTINCT reading, judging FROM files"
    )


def test_budgets_ask_the_report_so_it_is_read(
    stored: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = analyzed(monkeypatch)
    budget = reports / "team.budgets"
    for limit in (1, 100):  # another content of the same file, too
        budget.write_text(f"redo.write_ms <= {limit} ms\n", encoding="utf-8")
        (reports / "awrlens.toml").write_text('budgets = ["team.budgets"]\n', encoding="utf-8")
        read.clear()
        config._load.cache_clear()  # a call is a process of its own
        rows.of_folder.cache_clear()
        call("ingest", reports, "--store", stored)

        assert len(KINDS) == len(read), limit


def test_without_documents_the_files_are_read(
    here: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("ingest", reports, "--store", here, "--no-documents")
    read = analyzed(monkeypatch)

    out = done("store", "judge", "--store", here, *OTHER)
    done("ingest", reports, "--store", here, *OTHER)

    assert "4 must be read again" in out
    assert len(KINDS) == len(read)


def test_members_of_an_archive_that_moved_are_judged_under_their_new_names(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("awrlens.fleet.rows._TOGETHER", 2)  # the archive has several parts
    tree = fleet_of.tree(tmp_path / "in", 1, 5)
    (tree / "notes.txt").write_text("call the DBA", encoding="utf-8")
    packed = tmp_path / "old.tar"
    with tarfile.open(packed, "w") as archive:
        archive.add(tree, "reports")
    done("ingest", packed, "--store", here)
    moved = packed.rename(tmp_path / "new.tar")
    done("ingest", moved, "--store", tmp_path / "new.duckdb", *OTHER)
    read = analyzed(monkeypatch)

    out = done("ingest", moved, "--store", here, *OTHER)

    assert [] == read
    assert out.startswith("1 file, 0 new reports, 1 judged again")
    known, new = content(here), content(tmp_path / "new.duckdb")
    assert new[1] == known[1]
    assert new[0]["findings"] == known[0]["findings"]
    assert set(new[0]["sources"]) <= set(known[0]["sources"])
    assert [{"n": 5}] == ask(here, "SELECT count(*) AS n FROM reports")


def test_a_judgment_that_fails_reads_the_file(
    stored: Path, reports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = analyzed(monkeypatch)

    def fails(*_: object) -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(document.Document, "judged", fails)
    done("ingest", reports, "--store", stored, *OTHER)

    assert len(KINDS) == len(read)


@pytest.mark.slow
@corpus.over("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-text",
             "awr-rac-global-html", "awr-diff-text", "awr-diff-html")  # fmt: skip
def test_a_stored_report_is_judged_as_the_report_itself(entry: corpus.Entry) -> None:
    other = config.load("-", Options(settings=OTHER[1::2], isolated=True)).policy
    assert Policy() != other
    first, then = (Job(Asked(Options(settings=each, isolated=True))) for each in ((), OTHER[1::2]))
    found = InputFile(str(entry.path), 1, "0")
    for known, new in zip(first.pieces(found), then.pieces(found), strict=True):
        for (_, text), (_, expected) in zip(
            known.rows.get("documents", ()), new.rows.get("documents", ()), strict=True
        ):
            stored = document.of_json(text)
            assert text == stored.to_json()
            source = str(stored.analysis.report["source"])
            assert expected == stored.judged(other, source).to_json()


def test_what_reads_reports_is_stamped_and_nothing_else() -> None:
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("awrlens")
    packages = ("report", "facts", "source", "grammar", "model")
    reads = {
        each.split(".")[1]
        for module in graph.modules
        if module.split(".")[1:2] and module.split(".")[1] in packages
        for each in (module, *graph.find_upstream_modules(module))
        if each != "awrlens"
    }
    tops = {name.removesuffix(".py") for name in rows.JUDGES | rows.APART}
    modules = {each.split(".")[1] for each in graph.modules if each != "awrlens"}

    assert reads == modules - tops


def test_what_judges_reports_is_stamped() -> None:
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("awrlens")
    judges = graph.find_upstream_modules("awrlens.api")
    apart = {name.removesuffix(".py") for name in rows.APART}

    assert set() == {each for each in judges if each.partition(".")[2] in apart}


def test_a_stamp_changes_with_any_byte_of_its_files(tmp_path: Path) -> None:
    for name in ("one.py", "two.json"):
        (tmp_path / name).write_text("1", encoding="utf-8")
    first = rows._stamp([tmp_path])
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "one.pyc").write_text("3", encoding="utf-8")
    same = rows._stamp([tmp_path])
    (tmp_path / "two.json").write_text("2", encoding="utf-8")

    assert first == same
    assert first != rows._stamp([tmp_path])


def test_every_name_of_a_stamp_is_there() -> None:
    package = ROOT / "awrlens"

    assert set() == {each for each in rows.JUDGES | rows.APART if not (package / each).exists()}
    assert api.__file__.startswith(str(package))
