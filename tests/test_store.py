"""What an ingest keeps, and what it does again."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import fleet_of
import pytest
import samples
from fleet_of import ask, call, done

from awrlens import api, config, fleet
from awrlens.fleet import rows
from awrlens.model import Fact
from awrlens.report.report import Report

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return tmp_path / "fleet.duckdb"


def analyzed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that are analyzed from now on."""
    found: list[str] = []
    known = api.analyze

    def noted(report: Report, *args: object) -> object:
        found.append(report.source)
        return known(report, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(api, "analyze", noted)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["busy-commit.statspack-9.2.lst", "undo-disk.awr-19c.html"])
def test_a_row_has_the_facts_and_findings_of_the_analysis(name: str, here: Path) -> None:
    analysis = samples.analysis(name)
    done("ingest", samples.path(name), "--store", here)

    (row,) = ask(here, "FROM facts")
    findings = ask(here, "SELECT finding FROM findings WHERE part_of IS NULL ORDER BY rowid")

    def shown(fact: Fact) -> object:
        return ", ".join(fact.value) if isinstance(fact.value, tuple) else fact.value

    for fact in analysis.facts.values():
        expected = shown(fact)
        found = row[fact.name.replace(".", "_")]
        assert found == (pytest.approx(expected) if isinstance(expected, float) else expected)
        assert (fact.name in row["measured"]) == (fact.status == "measured")
    assert [each["finding"] for each in findings] == [each.id for each in analysis.findings]


def test_a_report_of_a_cluster_has_a_row_per_instance_and_one_for_all(here: Path) -> None:
    done("ingest", samples.path("redo-cluster.awr-rac-11.2.html"), "--store", here)

    found = ask(here, "SELECT part, cluster, instance FROM reports ORDER BY part")

    assert [("", True, None), ("instance 1", False, "aultdb1"), ("instance 2", False, "aultdb2")] \
        == [(each["part"], each["cluster"], each["instance"]) for each in found]  # fmt: skip


def test_a_report_of_two_periods_has_a_row_per_period(here: Path) -> None:
    done("ingest", samples.path("redo-compared.awr-diff-11.2.html"), "--store", here)

    assert [{"part": "period 1"}, {"part": "period 2"}] == ask(
        here, "SELECT part FROM reports ORDER BY part"
    )


def test_unchanged_files_are_not_analyzed_again(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 3)
    done("ingest", reports, "--store", here)
    again = analyzed(monkeypatch)
    (reports / "DB0000" / "sp_003.lst").write_text(fleet_of.report("DB0000", 3), encoding="utf-8")

    out = done("ingest", reports, "--store", here)

    assert [str(reports / "DB0000" / "sp_003.lst")] == again
    assert out.startswith("4 files, 1 new report, 3 unchanged")
    assert out.endswith("fleet.duckdb\n")


def test_a_file_that_only_moved_is_not_analyzed_again(
    tmp_path: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 2)
    done("ingest", reports, "--store", here)
    again = analyzed(monkeypatch)
    (reports / "DB0000").rename(reports / "archive")

    out = done("ingest", reports, "--store", here)

    assert [] == again
    assert "2 moved" in out
    assert [{"n": 2}] == ask(here, "SELECT count(*) AS n FROM reports")


def test_the_same_report_in_several_files_is_one_row(tmp_path: Path, here: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    one = folder / "one.lst"
    one.write_text(fleet_of.report(), encoding="utf-8")
    with tarfile.open(folder / "some.tar.gz", "w:gz") as archive:
        archive.add(one, "copy.lst")

    done("ingest", folder, "--store", here)

    assert [{"n": 1}] == ask(here, "SELECT count(*) AS n FROM reports")
    assert [{"source": str(one)}, {"source": f"{folder / 'some.tar.gz'}!copy.lst"}] == ask(
        here, "SELECT source FROM sources ORDER BY source"
    )


def test_a_changed_file_replaces_its_rows(tmp_path: Path, here: Path) -> None:
    file = tmp_path / "report.lst"
    whole = fleet_of.report(slow=True)
    file.write_text(whole[: len(whole) // 2], encoding="utf-8")
    done("ingest", file, "--store", here)
    file.write_text(whole, encoding="utf-8")

    done("ingest", file, "--store", here)

    (row,) = ask(here, "SELECT count(*) AS n, any_value(redo_sync_ms) AS ms FROM facts")
    assert (1, pytest.approx(5.84, abs=0.01)) == (row["n"], row["ms"])


def test_a_file_that_cannot_be_opened_now_keeps_its_rows(tmp_path: Path, here: Path) -> None:
    file = tmp_path / "report.lst"
    file.write_text(fleet_of.report(), encoding="utf-8")
    done("ingest", file, "--store", here)
    file.unlink()
    file.symlink_to(tmp_path / "unmounted")

    status, _, err = call("ingest", file, "--store", here)

    assert status == 3
    assert "no such file" in err
    assert [{"n": 1}] == ask(here, "SELECT count(*) AS n FROM reports")


def test_another_threshold_judges_only_the_files_that_it_applies_to(
    tmp_path: Path, here: Path
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 1)
    done("ingest", reports, "--store", here)
    settings = "[thresholds]\n'redo.slow_write_ms' = 7\n"
    (reports / "DB0001" / "awrlens.toml").write_text(settings, encoding="utf-8")
    config._load.cache_clear()  # a call is a process of its own
    rows.of_folder.cache_clear()

    out = done("ingest", reports, "--store", here)

    assert out.startswith("3 files, 0 new reports, 1 unchanged, 1 judged again, 1 not reports")
    assert [{"n": 2}] == ask(here, "SELECT count(*) AS n FROM reports")


def test_what_cannot_be_read_is_a_row_with_its_reason(tmp_path: Path, here: Path) -> None:
    folder = fleet_of.tree(tmp_path / "in", 1, 1)
    (folder / "broken.gz").write_bytes(gzip.compress(fleet_of.report().encode())[:5000])
    (folder / "notes.txt").write_text("call the DBA", encoding="utf-8")

    status, out, err = call("ingest", folder, "--store", here)

    assert status == 3
    assert "broken.gz" in err
    assert out.startswith("3 files, 1 new report, 1 unreadable, 1 not reports")
    (row,) = ask(here, "FROM unreadable")
    assert row["source"].endswith("broken.gz")
    assert row["reason"]
    page = "".join(done("fleet", "--store", here).split())  # a long path is wrapped
    assert page.index("broken.gz") < page.index("worstfirst")


def test_a_repaired_file_is_read(tmp_path: Path, here: Path) -> None:
    file = tmp_path / "report.lst"
    file.write_bytes(b"\0" * 100)
    assert call("ingest", file, "--store", here)[0] == 3
    file.write_text(fleet_of.report(), encoding="utf-8")

    done("ingest", file, "--store", here)

    assert [] == ask(here, "FROM unreadable")


def test_the_store_itself_is_no_input(tmp_path: Path, here: Path) -> None:
    fleet_of.tree(tmp_path, 1, 1)

    assert done("ingest", tmp_path, "--store", here).startswith("1 file, 1 new report in")
    assert done("ingest", tmp_path, "--store", here).startswith("1 file, 0 new reports, 1 unch")


def test_addresses_of_an_object_store_are_read(here: Path) -> None:
    memory = fsspec.filesystem("memory")
    for day in range(2):
        memory.pipe(f"/reports/2026/sp_{day}.lst", fleet_of.report(day=day).encode())

    first = done("ingest", "memory://reports/2026", "--store", here)
    again = done("ingest", "memory://reports/*/*.lst", "--store", here)

    assert first.startswith("2 files, 2 new reports")
    assert again.startswith("2 files, 0 new reports, 2 unchanged")
    assert [{"source": "memory:///reports/2026/sp_0.lst"}] == ask(
        here, "SELECT min(source) AS source FROM sources"
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nowhere/", "There is no file nowhere/."),
        ("*.nothing", "No file matches *.nothing."),
        ("-", "Standard input cannot be ingested."),
        ("nosuch://bucket/x", "nosuch://bucket/x cannot be read"),
    ],
)
def test_a_source_that_does_not_exist_is_said_in_a_sentence(
    source: str, said: str, here: Path
) -> None:
    status, _, err = call("ingest", source, "--store", here)

    assert (2, 1) == (status, err.count("\n"))
    assert said in err


@pytest.mark.slow
def test_shards_together_are_the_whole_and_merging_twice_adds_nothing(tmp_path: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 3, 2)
    done("ingest", reports, "--store", tmp_path / "whole.duckdb")
    parts = [tmp_path / f"part-{number}.duckdb" for number in (1, 2, 3)]
    counts = []
    for number, part in enumerate(parts, start=1):
        out = done("ingest", reports, "--store", part, "--shard", f"{number}/3")
        counts.append(int(out.split()[0]))

    for _ in range(2):
        done("store", "merge", *parts, "--store", tmp_path / "merged.duckdb")

    assert sum(counts) == 6
    assert fleet_of.rows(tmp_path / "whole.duckdb") == fleet_of.rows(tmp_path / "merged.duckdb")


@pytest.mark.slow
def test_the_same_inputs_give_the_same_batches_with_one_process_or_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = fleet_of.tree(tmp_path / "in", 2, 3)
    monkeypatch.setattr("awrlens.cli.batch.WORTH_BYTES", 0)
    for jobs in ("1", "2"):
        store_file = tmp_path / f"{jobs}.duckdb"
        done("ingest", reports, "--store", store_file, "--batch", "2", "--jobs", jobs)

    one, two = (
        json.loads((tmp_path / f"{jobs}.parquet" / "manifest.json").read_text()) for jobs in "12"
    )

    assert len(one["batches"]) == 3
    assert one["batches"] == two["batches"]


@pytest.mark.slow
def test_joined_batches_and_a_new_index_have_the_same_rows(tmp_path: Path, here: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 3)
    for day in range(3):
        done("ingest", reports / "DB0000" / f"sp_{day:03}.lst", "--store", here)
    file = reports / "DB0000" / "sp_000.lst"
    file.write_text(fleet_of.report("DB0000", 0, slow=True), encoding="utf-8")
    done("ingest", file, "--store", here)
    before = fleet_of.rows(here)

    assert "4 batches became 1" in done("store", "compact", "--store", here)
    joined = fleet_of.rows(here)
    here.unlink()
    done("store", "rebuild", "--store", here)

    assert before == joined == fleet_of.rows(here)
    assert "DB0000" in done("check", "DB0000", "--store", here, "--exit-zero")


def test_a_file_that_is_not_a_store_is_not_replaced(tmp_path: Path, here: Path) -> None:
    here.write_text("my own database", encoding="utf-8")

    status, _, err = call("ingest", fleet_of.tree(tmp_path / "in", 1, 1), "--store", here)

    assert (2, 1) == (status, err.count("\n"))
    assert "exists, but it is not a store. Give --store another name." in err
    assert here.read_text(encoding="utf-8") == "my own database"


def test_without_its_packages_a_command_says_what_to_install(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(fleet.EXTRAS, "store", ("duckdb", "nosuchpackage"))

    for args in (("ingest", "x"), ("query", "x"), ("fleet",), ("watch", "x"), ("store", "rebuild")):
        status, _, err = call(*args, "--store", here)

        assert status == 2
        assert "nosuchpackage is not installed. Install the extra: pip install '.[" in err


def test_a_file_that_cannot_be_written_is_said_before_anything_is_printed(
    tmp_path: Path, here: Path
) -> None:
    folder = fleet_of.tree(tmp_path / "in", 1, 1)
    assert call("ingest", folder, "--store", here)[0] == 0
    target = tmp_path / "none" / "result"
    for args in (
        ("fleet", "--store", here, "--html", target),
        ("store", "export", "waits", "--store", here, "--format", "csv", "-o", target),
    ):
        status, out, err = call(*args)
        assert (2, "") == (status, out)
        assert f"{target} cannot be written: no such file or directory." in err
