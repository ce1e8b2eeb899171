"""``awrlens trend`` as a user meets it: reports in, text, JSON, CSV, Parquet and a page out."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import called
import corpus
import jsonschema
import pytest
import samples
from invented import HOUR, MONDAY, WHO, hours, weeks, who, window
from test_samples import DISK, generate

from awrlens import api
from awrlens.cli import intervals, run
from awrlens.cli.schema import of_trend
from awrlens.model import SEVERITIES
from awrlens.model.trend import Mention, Trend
from awrlens.policy import Policy
from awrlens.render import as_lines, trend_html, trend_page
from awrlens.render.wording import text as plain
from awrlens.report.report import Report
from awrlens.series.differences import DEFAULT

SCHEMA = of_trend()
VALID = jsonschema.Draft202012Validator(SCHEMA)
ESCAPE = "\x1b"
Capture = pytest.CaptureFixture[str]


@cache
def report(begin: datetime, number: int = 0, layout: str = "awr-11.2.txt", **stats: int) -> str:
    """A report of our own of an hour, with other figures."""
    snapshot = dataclasses.replace
    workload = dataclasses.replace(
        DISK,
        begin=snapshot(DISK.begin, snap_id=100 + number, taken=begin),
        end=snapshot(DISK.end, snap_id=101 + number, taken=begin + HOUR),
        database=dataclasses.replace(DISK.database, startup=MONDAY - timedelta(days=9)),
        statistics={**DISK.statistics, **{k.replace("_", " "): v for k, v in stats.items()}},
    )
    written: str = generate.WRITERS[layout](workload)
    return written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten hours of one instance in two layouts, of which the seventh is slow; and a restart."""
    for n in range(10):
        layout = ("awr-11.2.txt", "awr-11.2.html")[n % 2]
        slow = {"redo_write_time": 5_000_000} if n == 6 else {}
        text = report(MONDAY + (9 - n) * HOUR, 9 - n, layout, **slow)
        (tmp_path / f"{n}.{layout}").write_text(text, encoding="utf-8")
    restart = samples.path("redo-restart.statspack-9.2.lst").read_bytes()
    (tmp_path / "restart.lst").write_bytes(restart)
    return tmp_path


def document(capsys: Capture, *args: object) -> Any:
    status = run(["trend", *map(str, args), "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    VALID.validate(found)
    assert 0 == status
    return found


def trend_of(count: int) -> Trend:
    names = intervals.needed(intervals.quantities(DEFAULT))
    half = count // 2
    return intervals.trend(
        [*weeks(half, names), *weeks(count - half, names, who(2))],
        intervals.quantities(DEFAULT),
    )


def test_reports_of_a_folder_become_a_series_and_the_slow_one_is_the_worst(
    folder: Path, capsys: Capture
) -> None:
    found = document(capsys, folder)

    (series,) = found["series"]
    assert [each["begin_snap"] for each in series["windows"]] == list(range(100, 110))
    worst = series["windows"][found["worst"][0]["window"]]
    assert "redo.write_ms" in {each["fact"] for each in worst["outliers"] if each["bad"]}
    assert worst["begin"] == (MONDAY + 3 * HOUR).isoformat()
    assert [each["reason"].partition(",")[0] for each in series["left_out"]] == [
        "it spans an instance restart"
    ]


def test_the_numbers_are_those_of_analyze(folder: Path, capsys: Capture) -> None:
    (series,) = document(capsys, folder)["series"]
    each = series["windows"][0]
    run(["analyze", each["source"], "--format", "json"])
    alone = json.loads(capsys.readouterr().out)

    for name in DEFAULT:
        assert each["facts"][name]["value"] == alone["facts"][name]["value"]
        assert each["facts"][name]["status"] == alone["facts"][name]["status"]
    assert [f["id"] for f in each["findings"]] == [f["id"] for f in alone["findings"]]
    assert each["verdict"] == alone["verdicts"]["write_path"]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_processes_give_the_same_trend(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    alone = document(capsys, folder, "-j", "1")
    monkeypatch.setattr("awrlens.cli.batch.WORTH_BYTES", 0)

    assert document(capsys, folder, "-j", jobs) == alone


def test_clusters_and_compared_periods_give_a_window_for_each_part(capsys: Capture) -> None:
    cluster = document(capsys, samples.path("redo-cluster.awr-rac-11.2.html"))
    periods = document(capsys, samples.path("redo-compared.awr-diff-11.2.txt"))

    assert [(s["cluster"], s["instance_number"]) for s in cluster["series"]] == [
        (True, None), (False, "1"), (False, "2"),
    ]  # fmt: skip
    assert sum(len(s["windows"]) for s in periods["series"]) == 2


def test_a_restart_of_one_instance_spoils_the_sums_of_its_cluster(
    tmp_path: Path, capsys: Capture
) -> None:
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    started = re.compile(r"(aultdb2\s+aultlab2\s+)\d\d-Aug-08 \d\d:\d\d")
    assert started.search(text)
    file = tmp_path / "cluster.txt"
    file.write_text(started.sub(r"\g<1>20-Aug-08 17:31", text), encoding="utf-8")
    found = document(capsys, file)

    assert [len(s["windows"]) for s in found["series"]] == [0, 1, 0]


def test_the_same_interval_in_another_layout_counts_once(capsys: Capture) -> None:
    found = document(capsys, samples.path("redo-disk.awr-11.2.txt"),
                     samples.path("redo-disk.awr-11.2.html"))  # fmt: skip

    assert [len(s["windows"]) for s in found["series"]] == [1]
    assert "the same interval" in found["series"][0]["left_out"][0]["reason"]


def test_one_bad_file_stops_nothing_and_is_named(folder: Path, capsys: Capture) -> None:
    bad = folder / "bad.txt"
    bad.write_text("Dear all, the report is attached.\n", encoding="utf-8")
    reports = [str(each) for each in sorted(folder.glob("*.html"))]

    assert 3 == run(["trend", *reports, str(bad), "--format", "json"])
    out, error = capsys.readouterr()
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert [each["source"] for each in found["left_out"]] == [str(bad)]
    assert 5 == len(found["series"][0]["windows"])
    assert str(bad) in error


def test_a_folder_without_a_report_is_an_input_that_could_not_be_read(
    tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "notes.txt").write_text("Nothing of Oracle's here.\n", encoding="utf-8")

    assert 3 == run(["trend", str(tmp_path)])
    out, error = capsys.readouterr()
    assert "No interval" in out
    assert "Skipped 1 file (not a report)" in error


@pytest.mark.slow
def test_facts_are_chosen_by_name_or_by_how_they_begin(folder: Path, capsys: Capture) -> None:
    one = document(capsys, folder, "--fact", "redo.write_ms", "--fact", "temp.read")
    every = document(capsys, folder, "--all")

    assert "redo.write_ms" in one["facts"]
    assert {"temp.read_ms", "temp.reads", "temp.reads_per_s"} <= set(one["facts"])
    assert "redo.sync_ms" not in one["facts"]
    assert len(every["facts"]) > 3 * len(DEFAULT)
    assert every["facts"]["redo.sync_wait_s"]["total"]
    for state in ("checkpoint.estimated_mttr_s", "load.sessions", "undo.max_query_s"):
        assert not every["facts"][state]["total"]
    bad = {name: each["bad"] for name, each in every["facts"].items()}
    for name in ("redo.write_ms", "redo.sync_wait_s", "temp.io_share_pct", "pga.multipass"):
        assert bad[name] == "high"
    assert {bad["host.idle_pct"], bad["pga.optimal_pct"]} == {"low"}
    assert {bad["redo.bytes_per_s"], bad["load.sessions"], bad["pga.target_mb"]} == {"neither"}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--fact", "redo.wirte_ms"), "Did you mean redo.write_ms?"),
        (
            ("--fact", "database.release"),
            "No numeric fact has the name or prefix 'database.release'",
        ),
        (("--since", "yesterday"), "Invalid time"),
        (("--format", "parquet"), "give a file with --output"),
        (("--db", "OTHER"), "The reports are of AULTDB. `awrlens trend` without it shows all."),
        (("--instance", "2"), "No report is of this database and instance"),
        (("--set", "trend.z_scor=2"), "Did you mean trend.z_score?"),
    ],
)
def test_a_wrong_call_is_told_in_one_sentence(
    capsys: Capture, args: tuple[str, ...], says: str
) -> None:
    assert 2 == run(["trend", str(samples.path("redo-disk.awr-11.2.txt")), *args])
    assert says in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "kept"),
    [
        (("--since", f"{MONDAY + 4 * HOUR:%Y-%m-%dT%H:%M}"), range(104, 110)),
        (("--until", f"{MONDAY + 4 * HOUR:%Y-%m-%dT%H:%M}"), range(100, 104)),
        (("--until", f"{MONDAY:%Y-%m-%d}"), range(100, 110)),
        (("--since", f"{MONDAY + 24 * HOUR:%Y-%m-%d}"), ()),
        (("--db", DISK.database.name.lower(), "--instance", "1"), range(100, 110)),
        (("--db", str(DISK.database.db_id)), range(100, 110)),
    ],
)
def test_what_is_not_asked_for_is_counted_and_takes_no_part(
    folder: Path, capsys: Capture, args: tuple[str, ...], kept: range
) -> None:
    (folder / "restart.lst").unlink()
    found = document(capsys, folder, *args)

    snaps = [each["begin_snap"] for series in found["series"] for each in series["windows"]]
    assert snaps == list(kept)
    assert found["not_asked"] == 10 - len(kept)


def test_a_report_outside_is_known_by_its_header_and_no_rule_runs_for_it(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    analyze = api.analyze

    def noted(report: Report, policy: Policy) -> object:
        seen.append(report.source)
        return analyze(report, policy)

    monkeypatch.setattr(intervals, "analyze", noted)
    (folder / "restart.lst").unlink()
    found = document(capsys, folder, "--since", f"{MONDAY + 7 * HOUR:%Y-%m-%dT%H:%M}")

    assert sorted(seen) == sorted(w["source"] for w in found["series"][0]["windows"])
    assert len(seen) == 3


def test_of_two_reports_in_a_file_one_may_be_outside(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "one.txt").write_text(report(MONDAY), encoding="utf-8")
    two = report(MONDAY, 1) + report(MONDAY + 24 * HOUR, 24)
    (tmp_path / "two.txt").write_text(two, encoding="utf-8")
    found = document(capsys, tmp_path, "--since", f"{MONDAY + 20 * HOUR:%Y-%m-%dT%H:%M}")

    assert found["not_asked"] == 2
    assert [w["begin_snap"] for w in found["series"][0]["windows"]] == [124]


def test_a_threshold_can_be_set(folder: Path, capsys: Capture) -> None:
    found = document(capsys, folder, "--set", "trend.z_score=1000000")

    assert not [o for w in found["series"][0]["windows"] for o in w["outliers"]]


# text


def shown(trend: Trend, width: int = 80, *, full: bool = True) -> str:
    return plain(as_lines.lines(trend_page.page(trend, full=full), width))


def test_the_text_has_the_series_the_worst_intervals_lines_and_what_was_dropped(
    folder: Path, capsys: Capture
) -> None:
    (folder / "restart.lst").rename(folder / "a-restart.lst")
    assert 0 == run(["trend", str(folder), "--verbose"])
    out = " ".join(capsys.readouterr().out.split())

    assert "2026-03-02 00:00 to 10:00 · 10 intervals · no gaps · no restarts · 1 dropped" in out
    # all ten have the findings of one report: the worst stands for them
    worst = "Worst intervals interval series ▲ 2026-03-02 03:00 to 04:00 and 9 more AULTDB"
    assert worst in out
    assert "Redo write time 123 ms, 6.6× the usual 18.7 ms" in out
    assert "Redo write time ▁▁▁█▁▁▁▁▁▁ 18.7 ms 123 ms 18.7 ms" in out
    assert "Dropped" in out
    assert "a-restart.lst" in out.replace(" ", "")  # a long path is broken


def stepped(count: int = 96) -> Trend:
    """Redo writes of 5 ms that take 12.5 ms from the last third on, with a little noise."""
    noise = [1 + 0.05 * ((n * 7919) % 11 - 5) / 5 for n in range(count)]
    values = [5 * each * (2.5 if n >= 2 * count // 3 else 1) for n, each in enumerate(noise)]
    return intervals.trend(hours(values), intervals.quantities(["redo.write_ms"]))


def test_the_headline_says_since_when_a_level_is_worse() -> None:
    text = " ".join(shown(stepped()).split())

    since = (
        r"PEARL pearl1 \(1\): Redo write time rose from (\S+) ms to (\S+) ms \(× 2.[45]\S*\) "
        r"since 2026-03-04 16:00\."
    )
    levels = re.search(since, text)
    assert levels is not None
    assert (5, 12.5) == pytest.approx(tuple(map(float, levels.groups())), rel=0.03)
    assert "64 intervals before, 32 after." in text
    assert "Worst intervals" not in text  # a step is one change, not many bad intervals


def test_the_answer_of_many_series_fits_two_screens_without_verbose() -> None:
    of = [who(n) for n in range(1, 40)]
    found = [window(MONDAY + n * HOUR, {"redo.write_ms": n + 1.0}, of=each)
             for each in of for n in range(3)]  # fmt: skip
    trend = intervals.trend(found, intervals.quantities(DEFAULT))

    assert len(shown(trend, full=False).splitlines()) <= 60
    assert "and 27 more series: --verbose" in shown(trend, full=False)
    assert "--verbose" not in shown(trend)


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80, 132])
@pytest.mark.parametrize("count", [1, 7, 400])
def test_no_line_is_wider_than_the_terminal(width: int, count: int) -> None:
    lines = shown(trend_of(count), width).splitlines()

    assert max(map(len, lines)) <= width


def test_a_line_shows_every_interval_and_a_blank_for_a_gap_or_a_missing_value() -> None:
    values = [1, 8, 1, 4.5, None, 8]
    found = [
        window(MONDAY + n * HOUR, {"redo.write_ms": value, "redo.sync_ms": value})
        for n, value in enumerate(values)
    ]
    del found[1]
    text = shown(intervals.trend(found, intervals.quantities(["redo.write_ms", "redo.sync_ms"])))

    assert "03-02 02:00" in text  # the fact of the headline has a bar per interval
    assert "▁▁  ▁▁▅▅  ██" in text


def test_a_single_window_has_no_course() -> None:
    facts = intervals.quantities(["redo.write_ms"])

    assert "Redo write time" not in shown(intervals.trend(hours([5.0]), facts))
    assert "Redo write time" in shown(intervals.trend(hours([5.0, 5.0]), facts))


def test_many_intervals_are_squeezed_into_the_columns_of_a_terminal() -> None:
    assert as_lines.sparkline([1.0] * 50 + [8.0] * 50, 10) == "▁" * 5 + "█" * 5


def test_a_terminal_without_blocks_gets_plain_signs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ascii(io.StringIO):
        encoding = "ascii"

    out = Ascii()
    monkeypatch.setattr("sys.stdout", out)
    assert 0 == run(["trend", str(folder), "--fact", "redo.write_ms"])

    assert out.getvalue().isascii()
    assert "#" in out.getvalue()


def test_nothing_to_show_is_said_in_words() -> None:
    assert "No interval" in shown(intervals.trend([], intervals.quantities(DEFAULT)))
    assert "9 intervals without outliers or findings." in shown(
        intervals.trend(hours([1.0] * 9), intervals.quantities(["redo.write_ms"]))
    )


def hostile() -> Trend:
    """Names and titles that would like to be commands of a terminal, formulas or markup."""
    evil = f"=1+1{ESCAPE}[31m<img src=x onerror=alert(1)></script><!--\u2028{{{{7*7}}}}"
    of = WHO._replace(db_name=evil, instance=evil, container=evil)
    found = [
        each._replace(who=of, source=evil, findings=(Mention("REDO001", evil, "critical"),))
        for each in hours([1, 1, 1, 1, 50, 1, 1, 1, 1, 1])
    ]
    found.append(window(MONDAY, of=of, source=evil))
    return intervals.trend(found, intervals.quantities(["redo.write_ms"]))


def test_no_name_of_a_report_commands_the_terminal() -> None:
    out = shown(hostile())

    assert ESCAPE not in out
    assert "\u2028" not in out or "onerror" in out
    assert "onerror" in out


# CSV and Parquet


def test_csv_has_a_row_for_each_window_and_fact_and_reads_back(
    folder: Path, capsys: Capture
) -> None:
    found = document(capsys, folder)
    assert 0 == run(["trend", str(folder), "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    written = found["series"][0]["windows"]

    assert len(rows) == len(written) * len(DEFAULT)
    by_key = {(row["begin"], row["fact"]): row for row in rows}
    for each in written:
        for name in DEFAULT:
            row = by_key[each["begin"], name]
            value = each["facts"][name]["value"]
            assert (float(row["value"]) if row["value"] else None) == value
            assert row["status"] == each["facts"][name]["status"]
            assert row["unit"] == found["facts"][name]["unit"]


def test_no_cell_is_run_by_a_spreadsheet() -> None:
    rows = list(csv.reader(io.StringIO(trend_html.to_csv(hostile()))))

    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@"))]


def test_parquet_has_the_rows_of_csv_with_types(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: Capture
) -> None:
    target = tmp_path_factory.mktemp("out") / "trend.parquet"
    assert 0 == run(["trend", str(folder), "--format", "parquet", "-o", str(target)])
    assert 0 == run(["trend", str(folder), "--format", "csv"])
    import pandas as pd

    frame = pd.read_parquet(target)
    read = pd.read_csv(io.StringIO(capsys.readouterr().out))

    assert list(frame.columns) == list(read.columns) == list(trend_html.COLUMNS)
    assert frame["value"].tolist() == pytest.approx(read["value"].tolist(), nan_ok=True)
    assert str(frame["begin"].dtype).startswith("datetime64")
    assert str(frame["begin_snap"].dtype) == "Int64"


def test_a_trend_of_nothing_is_still_a_table(tmp_path: Path) -> None:
    import pandas as pd

    empty = intervals.trend([], intervals.quantities(DEFAULT))
    trend_html.to_parquet(empty, str(tmp_path / "empty.parquet"))

    assert trend_html.to_csv(empty) == ",".join(trend_html.COLUMNS) + "\n"
    assert pd.read_parquet(tmp_path / "empty.parquet").empty


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["text", "json", "csv", "html"])
def test_any_format_goes_to_a_file(
    folder: Path, tmp_path: Path, capsys: Capture, format_: str
) -> None:
    target = tmp_path / f"trend.{format_}"
    assert 0 == run(["trend", str(folder), "--format", format_, "-o", str(target)])

    assert capsys.readouterr().out == ""
    assert re.search("redo.write_ms|Redo write time", target.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_invented_weeks_fit_the_schema_and_it_can_fail() -> None:
    data = json.loads(json.dumps(trend_of(60).to_dict()))
    jsonschema.validate(data, SCHEMA)
    data["series"][0]["windows"][0]["facts"]["redo.write_ms"]["status"] = "guessed"

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


# real reports


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.entries("statspack-text"), reason="no corpus beside the checkout")
def test_the_longest_series_of_the_corpus_is_told_in_order(
    capsys: Capture,
) -> None:
    kinds = ("statspack-text_8*", "statspack-text_9*")
    found = document(capsys, *(path for kind in kinds for path in corpus.CORPUS.glob(kind)))
    longest = max(found["series"], key=lambda series: len(series["windows"]))
    begins = [each["begin"] for each in longest["windows"]]

    assert len(begins) >= 13
    assert begins == sorted(set(begins))
    assert {"overlaps"} == {
        word for each in longest["left_out"] for word in each["reason"].split() if "overlap" in word
    }
    assert any(link["rho"] is not None for link in longest["links"])
    worst = [(each["series"], each["window"]) for each in found["worst"]]
    ranks = [
        (-SEVERITIES.index(each["verdict"]), -(each["cost_s"] or 0) / each["elapsed_s"])
        for each in (found["series"][one]["windows"][other] for one, other in worst)
    ]
    assert ranks == sorted(ranks)


def test_a_database_that_no_report_has_is_not_an_empty_trend(tmp_path: Path) -> None:
    here = str(samples.path("redo-disk.awr-11.2.txt"))
    page = tmp_path / "trend.html"
    status, out, err = called.call("trend", here, "--db", "AULTDBX", "--html", str(page))

    assert (2, "") == (status, out)
    assert "No report is of this database and instance. Did you mean AULTDB?" in err
    assert not page.exists()
    # a time without intervals is an answer
    assert 0 == called.call("trend", here, "--db", "AULTDB", "--since", "2020-01-01")[0]
