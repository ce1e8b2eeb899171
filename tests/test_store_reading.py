"""Questions to a store: SQL, trend, compare, check, html, exports."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import fleet_of
import jsonschema
import pytest
import samples
from fleet_of import ask, call, done

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

#: A database with two instances, one with three periods, and one of Statspack.
FILES = (
    "redo-cluster.awr-rac-11.2.html", "redo-disk.awr-11.2.html", "undo-disk.awr-19c.html",
    "busy-commit.statspack-9.2.lst", "redo-restart.statspack-9.2.lst",
)  # fmt: skip
PATHS = [str(samples.path(name)) for name in FILES]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store_file = tmp_path_factory.mktemp("store") / "fleet.duckdb"
    done("ingest", *PATHS, "--store", store_file)
    return store_file


@pytest.mark.slow
def test_a_query_cannot_change_the_store_or_touch_files(here: Path, tmp_path: Path) -> None:
    target = tmp_path / "stolen.csv"
    for sql in (
        "DELETE FROM reports", "DROP TABLE facts", f"COPY reports TO '{target}'",
        f"FROM read_csv('{here}')", "ATTACH 'other.duckdb'", "SELEC", "SELECT nothing FROM facts",
        "INSTALL httpfs", "SET enable_external_access = true",
    ):  # fmt: skip
        status, out, err = call("query", sql, "--store", here)

        assert (2, "", 1) == (status, out, err.count("\n")), sql
        assert "The query failed: " in err
    assert not target.exists()


def test_a_process_that_reads_a_store_says_nothing_of_duckdb_when_it_ends(here: Path) -> None:
    command = [sys.executable, "-m", "awrlens", "query", "SELECT 1", "--store", str(here)]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}

    done = subprocess.run(command, check=True, capture_output=True, env=environment)

    assert b"1 row\n" == done.stderr


def test_answers_are_text_json_or_csv(here: Path) -> None:
    sql = "SELECT db_name, redo_write_ms AS ms FROM intervals WHERE db_name = 'HEART'"
    expected = samples.analysis("busy-commit.statspack-9.2.lst").facts["redo.write_ms"].number

    text = done("query", sql, "--store", here)
    (as_json,) = ask(here, sql)
    (as_csv,) = csv.DictReader(io.StringIO(done("query", sql, "--store", here, "-f", "csv")))

    assert ["db_name", "ms"] == text.split()[:2]
    assert {"db_name": "HEART", "ms": pytest.approx(expected)} == as_json
    assert pytest.approx(expected) == float(as_csv["ms"])


def test_answers_have_the_printed_schema(here: Path) -> None:
    valid = jsonschema.Draft202012Validator(json.loads(done("schema", "query")))
    sql = "SELECT *, [1, 2] AS few, 'nan'::DOUBLE AS none, date '2008-08-20' AS day FROM intervals"
    found = ask(here, sql)

    valid.check_schema(valid.schema)
    valid.validate(found)
    assert ([1, 2], None, "2008-08-20") == tuple(found[0][name] for name in ("few", "none", "day"))
    valid.validate(ask(here, "FROM intervals WHERE false"))
    valid.validate(json.loads(done("store", "export", "waits", "--store", here, "-f", "json")))
    assert not valid.is_valid(found[0])
    assert not valid.is_valid([list(found[0].values())])


def test_a_trend_of_a_store_is_that_of_its_files(here: Path) -> None:
    of_files = json.loads(done("trend", *PATHS, "-f", "json"))
    of_store = json.loads(done("trend", "--store", here, "-f", "json"))

    assert of_files == of_store


def test_a_trend_of_a_store_selects_a_database_and_a_time(here: Path) -> None:
    args = ("--db", "AULTDB", "--since", "2008-08-21", "-f", "json")

    found = json.loads(done("trend", "--store", here, *args))

    windows = [each for series in found["series"] for each in series["windows"]]
    assert ["2008-08-29T21:31:42"] == [each["begin"] for each in windows]


def test_what_could_not_be_read_is_in_the_trend(tmp_path: Path) -> None:
    reports = fleet_of.tree(tmp_path / "in", 1, 2)
    (reports / "broken.gz").write_bytes(b"\x1f\x8b broken")
    store_file = tmp_path / "fleet.duckdb"
    call("ingest", reports, "--store", store_file)

    assert "broken.gz" in done("trend", "--store", store_file)


def without_lines(value: Any) -> Any:
    """Without the places of cells, which a comparison does not show."""
    if isinstance(value, dict):
        return {name: without_lines(each) for name, each in value.items() if name != "line"}
    return [without_lines(each) for each in value] if isinstance(value, list) else value


def test_a_comparison_of_stored_reports_is_that_of_their_files(here: Path) -> None:
    of_files = json.loads(done("compare", PATHS[1], PATHS[2], "-f", "json"))
    sides = ("AULTDB/aultdb1@2008-08-20T17:00", "AULTDB/1@2008-08-29")
    of_store = json.loads(done("compare", *sides, "--store", here, "-f", "json"))
    by_file = json.loads(done("compare", PATHS[1], PATHS[2], "--store", here, "-f", "json"))

    assert without_lines(of_files) == without_lines(of_store) == without_lines(by_file)


def test_a_check_of_stored_reports_is_that_of_their_files(here: Path) -> None:
    for number in (0, 1, 3):
        status, of_file, _ = call("check", PATHS[number], "-o", "json")
        stored, of_store, _ = call("check", PATHS[number], "--store", here, "-o", "json")

        assert status == stored
        assert json.loads(of_file) == json.loads(of_store)


def test_a_check_of_a_store_takes_the_latest_report_of_every_instance(here: Path) -> None:
    _, out, _ = call("check", "--store", here, "-o", "json")

    found = sorted(Path(each["source"]).name for each in json.loads(out)["reports"])
    assert ["busy-commit.statspack-9.2.lst", "redo-cluster.awr-rac-11.2.html",
            "undo-disk.awr-19c.html"] == found  # fmt: skip


def test_a_page_of_a_stored_report_has_its_findings_and_source_lines(
    here: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    done("html", "HEART", "--store", here, "-o", page)

    text = page.read_text(encoding="utf-8")
    (finding, *_) = samples.analysis("busy-commit.statspack-9.2.lst").findings
    assert finding.title in text
    assert "HEART" in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("compare", "HEART"), "A comparison needs two sides."),
        (("compare", "HEART", "NOSUCH"), "The store has no report of NOSUCH. Name DB, DB/"),
        (("compare", "HEART@noon", "HEART"), "Invalid time in 'HEART@noon'."),
        (("check", "NOSUCH"), "The store has no report of NOSUCH."),
        (("check", "HEART", "--against", "x"), "--against cannot be used with --store."),
        (("check", "HEART", "--set", "redo.slow_write_ms=1"), "A store has the findings of its"),
        (("trend", "reports/"), "Give reports or --store, not both."),
        (("trend", "--redact"), "--redact cannot be used with --store."),
    ],
)
def test_a_call_that_a_store_cannot_answer_says_so(
    args: tuple[str, ...], said: str, here: Path
) -> None:
    status, _, err = call(*args, "--store", here)

    assert (2, 1) == (status, err.count("\n"))
    assert said in err


def test_a_store_without_documents_says_what_it_cannot_give(tmp_path: Path) -> None:
    store_file = tmp_path / "lean.duckdb"
    done("ingest", PATHS[3], "--store", store_file, "--no-documents")

    status, _, err = call("html", "HEART", "--store", store_file, "-o", tmp_path / "x.html")

    assert (2, 1) == (status, err.count("\n"))
    assert "only the tables of report" in err
    assert "Ingest it without --no-documents." in err
    assert "HEART" in done("fleet", "--store", store_file)


def test_without_reports_and_without_a_store_the_argument_is_missing() -> None:
    for command in ("trend", "check", "html"):
        status, _, err = call(command)

        assert status == 2
        assert "Missing argument 'REPORT...'." in err


def test_tables_are_exported_as_csv_json_and_parquet(here: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    known = ask(here, "SELECT event, waits, total_s FROM waits ORDER BY rowid")

    as_csv = list(csv.DictReader(io.StringIO(done("store", "export", "waits", "--store", here))))
    as_json = json.loads(done("store", "export", "waits", "--store", here, "-f", "json"))
    target = tmp_path / "waits.parquet"
    done("store", "export", "waits", "--store", here, "-f", "parquet", "-o", target)
    as_parquet = pq.read_table(target).to_pylist()

    assert known
    for rows in (as_json, as_parquet):
        assert known == [{name: row[name] for name in known[0]} for row in rows]
    assert [(e["event"], e["total_s"]) for e in known] == [
        (e["event"], float(e["total_s"])) for e in as_csv
    ]


def test_latest_facts_are_openmetrics(here: Path) -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    text = done("store", "export", "--store", here, "-f", "openmetrics")

    families = {each.name: each for each in parser.text_string_to_metric_families(text)}

    write = families["awrlens_redo_write_ms"]
    found = {each.labels["db"]: each.value for each in write.samples}
    expected = samples.analysis("busy-commit.statspack-9.2.lst").facts["redo.write_ms"].number
    assert pytest.approx(expected) == found["HEART"]
    assert "(ms)" in write.documentation
    (severity,) = (
        each.labels["severity"]
        for each in families["awrlens_severity"].samples
        if each.labels["db"] == "HEART" and each.value
    )
    assert severity == "warning"


def test_names_of_reports_cannot_break_metrics_or_csv(tmp_path: Path) -> None:
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    text = fleet_of.report('=A"\\B')
    file = tmp_path / "report.lst"
    file.write_text(text, encoding="utf-8")
    store_file = tmp_path / "fleet.duckdb"
    done("ingest", file, "--store", store_file)

    metrics = done("store", "export", "--store", store_file, "-f", "openmetrics")
    (row,) = csv.DictReader(
        io.StringIO(done("query", "SELECT db_name FROM reports", "--store", store_file,
                         "-f", "csv"))
    )  # fmt: skip

    (first, *_) = [
        each.labels["db"]
        for family in parser.text_string_to_metric_families(metrics)
        for each in family.samples
        if "db" in each.labels
    ]
    assert first == '=A"\\B'
    assert row["db_name"] == "'=A\"\\B"  # a spreadsheet does not run it
