"""Error logs of SQL Server: every message is read, with its line and its time, however exported."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import sqlserver_logs as logs
from corpus import CORPUS
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api
from awrlens.errors import AwrlensError, NotAReportError, UnreadableError
from awrlens.report.report import Report
from awrlens.sqlserver import facts
from awrlens.sqlserver import log as log_lines
from awrlens.sqlserver import log as stamps
from awrlens.sqlserver.analysis import LogInput
from awrlens.sqlserver.events import Log


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def numbers(log: Log, which: int = 0) -> dict[str, float]:
    return {name: each.value for name, each in log.checkpoints[which].numbers.items()}


def value(log: Log, name: str, database: str | None = None) -> object:
    return facts.facts_of(log, database)[f"sqlserver.{name}"].value


def test_the_message_of_document_5_is_read_whole() -> None:
    log = logs.read(logs.DOCUMENT)

    assert {
        "bufs": 394031, "writes": 282252, "ms": 65544, "avoided": 21, "writes_per_s": 4306.30,
        "mb_per_s": 46.96, "saturation": 53644, "switches": 101117, "target": 639360, "latency": 1,
    } == numbers(log)  # fmt: skip
    assert ("19", "0") == (log.checkpoints[0].database, log.checkpoints[0].unit)
    assert log.warnings == ()  # the printed rates are what the numbers give


def test_the_rates_of_document_5_follow_from_its_buffers_writes_and_milliseconds() -> None:
    found = facts.facts_of(logs.read(logs.DOCUMENT))
    rate, writes = found["sqlserver.mb_per_s"], found["sqlserver.writes_per_s"]

    assert "4306.30" == f"{writes.number:.2f}"
    assert "46.96" == f"{int((rate.number or 0) * 100) / 100:.2f}"  # SQL Server cuts digits off
    assert "394,031 bufs × 8 / 1024 / (65,544 ms / 1000) = 46.97 MB/s" == rate.formula
    assert [1, 1] == [item.line for item in rate.evidence]
    assert 0.19 == round(found["sqlserver.saturations_per_write"].number or 0, 2)


@pytest.mark.parametrize(
    "text",
    [
        # before `average writes per second` was printed
        (
            "2013-09-20 03:01:48.10 spid14s     FlushCache: cleaned up 500 bufs with 200 writes in "
            "90000 ms (avoided 11 new dirty bufs) for db 5:0\n"
            "2013-09-20 03:01:48.10 spid14s                 average throughput:   0.04 MB/sec, "
            "I/O saturation: 3196, context switches 2913\n"
            "2013-09-20 03:01:48.10 spid14s                 last target outstanding: 14, "
            "avgWriteLatency 8\n"
        ),
        # what a query on xp_readerrorlog gives: tabs, thousandths
        (
            "2013-09-20 03:01:48.100\tspid14s\tFlushCache: cleaned up 500 bufs with 200 writes in "
            "90000 ms (avoided 11 new dirty bufs) for db 5:0\n"
            "2013-09-20 03:01:48.100\tspid14s\t            average throughput:   0.04 MB/sec, I/O "
            "saturation: 3196, context switches 2913\n"
            "2013-09-20 03:01:48.100\tspid14s\t            last target outstanding: 14, "
            "avgWriteLatency 8\n"
        ),
        # the viewer's export: the newest line first, cells with commas between, commas lost
        (
            "Date,Source,Severity,Message\n"
            "20/09/2013 03:01:48,spid14s,Unknown,last target outstanding: 14 avgWriteLatency 8\n"
            "20/09/2013 03:01:48,spid14s,Unknown,average throughput:   0.04 MB/sec I/O saturation: "
            "3196 context switches 2913\n"
            "20/09/2013 03:01:48,spid14s,Unknown,FlushCache: cleaned up 500 bufs with 200 writes "
            "in 90000 ms (avoided 11 new dirty bufs) for db 5:0\n"
            "20/09/2013 03:00:00,spid9s,Unknown,Something else\n"
        ),
        # all in one line, as a mail has it
        (
            "2013-09-20 03:01:48.10 spid14s FlushCache: cleaned up 500 bufs with 200 writes in "
            "90000 ms (avoided 11 new dirty bufs) for db 5:0 average throughput: 0.04 MB/sec, I/O "
            "saturation: 3196, context switches 2913 last target outstanding: 14, "
            "avgWriteLatency 8\n"
        ),
    ],
    ids=["2012", "query", "viewer", "one line"],
)
def test_a_checkpoint_is_the_same_however_its_lines_were_saved(text: str) -> None:
    log = logs.read(text)
    found = log.checkpoints[0]

    assert {
        "bufs": 500, "writes": 200, "ms": 90000, "avoided": 11, "mb_per_s": 0.04,
        "saturation": 3196, "switches": 2913, "target": 14, "latency": 8,
    } == numbers(log)  # fmt: skip
    assert found.end is not None
    assert found.begin is not None
    assert at("2013-09-20 03:01:48") == found.end.replace(microsecond=0)
    assert timedelta(seconds=90) == found.end - found.begin


def test_messages_of_two_writers_on_one_line_stay_apart() -> None:
    log = logs.read(
        "2020-09-04 10:52:24.00 spid82s FlushCache: cleaned up 11208 bufs with 109 writes in 463587"
        " ms (avoided 8791 new dirty bufs) for db 10:0 2020-09-04 10:52:25.00 spid85s FlushCache: "
        "cleaned up 3000 bufs with 200 writes in 70000 ms (avoided 10 new dirty bufs) for db 7:0 "
        "2020-09-04 10:52:26.00 spid82s last target outstanding: 2, avgWriteLatency 111 "
        "2020-09-04 10:52:26.00 spid85s last target outstanding: 8, avgWriteLatency 5\n"
    )

    shown = [(each.database, each.numbers["latency"].value) for each in log.checkpoints]
    assert shown == [("10", 111), ("7", 5)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_encoding_and_the_line_ends_change_nothing(encoding: str, ends: str) -> None:
    text = logs.banner() + logs.flush("2020-03-02 05:00:00.00") + logs.named(19, "Bestände")
    plain = logs.read(text)

    log = logs.read(text.replace("\n", ends).encode(encoding))

    assert numbers(plain) == numbers(log)
    assert plain.server == log.server
    assert "Bestände" == log.names.get("19")
    assert [each.line for each in plain.checkpoints] == [each.line for each in log.checkpoints]


def test_lines_of_checkpoints_at_the_same_time_are_kept_apart_by_who_wrote_them() -> None:
    first = logs.flush("2020-03-02 05:00:00.00", 19, latency=3, who="spid14s").splitlines()
    other = logs.flush("2020-03-02 05:00:00.00", 21, latency=30, who="spid15s").splitlines()
    mixed = [line for pair in zip(first, other, strict=True) for line in pair]

    log = logs.read("\n".join(mixed))

    assert {"19": 3.0, "21": 30.0} == {
        each.database: each.numbers["latency"].value for each in log.checkpoints
    }


@pytest.mark.parametrize(
    ("stamp", "others"),
    [
        ("2017-03-01 14:34:56.78", []),
        ("2017-03-01T14:34:56.7800000", []),
        ("01.03.2017 14:34:56", []),
        ("1.3.2017 14:34:56,78", []),
        ("01/03/2017 14:34:56", ["13/03/2017 00:00:00"]),
        ("03/01/2017 14:34:56", ["03/13/2017 00:00:00"]),
        ("3/1/2017 2:34:56 PM", []),
        ("01-03-2017 14:34:56", ["25-03-2017 00:00:00"]),
        ("2017/3/1 下午 2:34:56", []),
        ("2017/03/01 14:34:56", []),
        ("2017-03-01 오후 2:34:56", []),
        ("2017/03/01 午後 2:34:56", []),
        ("1/3/2017 2:34:56 μμ", ["14/3/2017 2:34:56 μμ"]),
        ("2017-03-01 15:34:56 +01:00", []),
        ("2017-03-01T14:34:56.780Z", []),
    ],
)
def test_time_stamps_are_read_as_any_language_writes_them(stamp: str, others: list[str]) -> None:
    found = [stamps.STAMP.search(text) for text in (stamp, *others)]
    matches = [match for match in found if match is not None]
    time = stamps.reader_of(matches).time(matches[0])

    assert time is not None
    assert at("2017-03-01 14:34:56") == time.replace(microsecond=0)


def test_midnight_of_a_twelve_hour_clock_is_no_noon() -> None:
    match = stamps.STAMP.search("3/1/2017 12:05:00 AM")
    assert match is not None
    assert at("2017-03-01 00:05:00") == stamps.Reader("month").time(match)


def test_where_nothing_tells_day_from_month_the_reader_is_told() -> None:
    text = logs.flush("02/03/2020 05:00:00")

    assert any("day and month" in each.message for each in logs.read(text).warnings)
    assert not logs.read(logs.flush("2020-03-02 05:00:00.00")).warnings


def test_a_snapshots_freeze_is_told_apart_from_slow_storage() -> None:
    text = (
        logs.banner() + logs.named(19, "Orders") + logs.named(21, "Stock")
        + logs.flush("2020-03-02 04:00:00.00", 19)
        + logs.frozen("2020-03-02 05:00:00.00", "Orders")
        + logs.flush("2020-03-02 05:00:04.00", 19)
        + logs.flush("2020-03-02 05:00:05.00", 21)
        + logs.resumed("2020-03-02 05:00:06.50", "Orders")
    )  # fmt: skip
    log = logs.read(text)

    assert [False, True, False] == [each.frozen for each in log.checkpoints]
    assert (3, 1, 2) == tuple(
        value(log, name) for name in ("checkpoints", "snapshot_checkpoints", "unfrozen_checkpoints")
    )
    assert 6.5 == value(log, "longest_freeze_s")


def test_a_checkpoint_of_a_database_without_a_name_is_a_snapshots_if_any_froze_it() -> None:
    text = (
        logs.frozen("2020-03-02 05:00:00.00", "Orders")
        + logs.flush("2020-03-02 05:00:04.00", 19)
        + logs.resumed("2020-03-02 05:00:06.50", "Orders")
    )
    assert 1 == value(logs.read(text), "snapshot_checkpoints")


def test_a_checkpoint_that_a_freeze_takes_half_of_is_the_snapshots_and_a_short_touch_is_not() -> (
    None
):
    freeze = logs.frozen("2020-03-02 05:00:00.00", "Orders") + logs.resumed(
        "2020-03-02 05:00:30.00", "Orders"
    )
    half = logs.flush("2020-03-02 05:00:45.00", 19, 60_000)
    touch = logs.flush("2020-03-02 05:01:25.00", 21, 90_000)

    assert [True, False] == [each.frozen for each in logs.read(freeze + half + touch).checkpoints]


HOSTILE = [
    "x. No user action is required. However", "a] in database id 7", "I/O is frozen on database y",
    "'; DROP TABLE t; --", "<script>alert(1)</script>", "Name (database ID 9) in 3", "**x** | y",
    "[]", "FlushCache: cleaned up", " ", "db 19:0", "数据库", "a\u202eb",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_of_a_database_is_only_a_name(name: str) -> None:
    text = (
        logs.banner() + logs.named(19, name)
        + logs.frozen("2020-03-02 05:00:00.00", name)
        + logs.flush("2020-03-02 05:00:04.00", 19)
        + logs.resumed("2020-03-02 05:00:06.50", name)
        + logs.slow("2020-03-02 06:00:00.00", f"[{name}] (19)")
    )  # fmt: skip
    log = logs.read(text)

    assert name == log.names.get("19")
    assert [name] == [each.name for each in log.freezes]
    assert 1 == len(log.checkpoints)
    assert log.checkpoints[0].frozen
    assert ["19"] == [each.database for each in log.io_warnings]


@pytest.mark.parametrize(
    ("database", "name"),
    [("id 19", None), ("[Orders] (19)", "Orders"), ("id Orders [19]", "Orders")],
)
def test_the_15_second_warning_is_counted_in_each_of_its_layouts(
    database: str, name: str | None
) -> None:
    log = logs.read(logs.banner() + logs.slow("2020-03-02 06:00:00.00", database, 57))

    assert (1, 57, 16.0) == tuple(
        value(log, each) for each in ("io_warnings", "io_warning_requests", "longest_io_s")
    )
    assert ["19"] == [each.database for each in log.io_warnings]
    assert name == log.names.get("19")


def test_the_15_second_warning_is_known_by_its_shape_in_another_language() -> None:
    text = (
        "2020-03-02 06:00:00.00 spid9s      Bei 57 E/A-Anforderungen von SQL Server wurden mehr "
        "als 15 Sekunden zum Abschließen des Vorgangs für die Datei [D:\\data\\orders.mdf] in der "
        "Datenbank [Orders] (19) benötigt. Das Dateihandle des Betriebssystems lautet "
        "0x0000000000000C08. Der Offset des letzten langen E/A-Vorgangs lautet: 0x00000002dd9a00.\n"
    )
    log = logs.read(text)

    assert (1, 57) == (value(log, "io_warnings"), value(log, "io_warning_requests"))
    assert "Orders" == log.names.get("19")


def test_warnings_are_beside_a_checkpoint_of_their_database_up_to_five_minutes_after_it() -> None:
    checkpoint = logs.flush("2020-03-02 05:02:00.00", 19, 60_000)
    warnings = [
        logs.slow("2020-03-02 05:00:59.00"), logs.slow("2020-03-02 05:01:30.00"),
        logs.slow("2020-03-02 05:01:30.00", "id 21"), logs.slow("2020-03-02 05:07:00.00"),
        logs.slow("2020-03-02 05:07:01.00"),
    ]  # fmt: skip
    log = logs.read(checkpoint + "".join(warnings))

    assert (5, 2) == (value(log, "io_warnings"), value(log, "io_warnings_beside"))


def test_an_indirect_checkpoint_that_is_forced_is_counted_with_its_database() -> None:
    line = "2020-03-02 05:00:00.00 spid30s     DirtyPageMgr::ForceCatchupOrFlushCache for db 19:0\n"
    log = logs.read(logs.banner() + line)

    assert (1, 1) == (value(log, "forced_catchups"), value(log, "forced_catchups", "19"))


def test_lengths_are_ranked_and_times_that_overlap_are_counted_once() -> None:
    spans = [("05:01:00", 40_000), ("05:01:20", 40_000), ("05:10:00", 50_000), ("05:20:00", 90_000)]
    text = logs.banner() + "".join(
        logs.flush(f"2020-03-02 {at}.00", 19 + n, ms) for n, (at, ms) in enumerate(spans)
    )
    log = logs.read(text)
    end = at("2020-03-02 05:20:00")
    elapsed = (end - at("2020-03-02 00:00:00.100000")).total_seconds()

    assert (40.0, 45.0, 90.0, 90.0, 55.0, 220.0) == tuple(
        value(log, f"checkpoint_{name}_s")
        for name in ("min", "median", "p95", "max", "mean", "total")
    )
    assert (60 + 50 + 90) * 100 / elapsed == pytest.approx(value(log, "unfrozen_time_pct"))
    assert ("05 h: 4",) == value(log, "checkpoints_by_hour")
    assert "database 22" == value(log, "worst_database")


def test_a_rate_that_the_numbers_do_not_give_is_told_with_its_line() -> None:
    right = logs.banner() + logs.flush("2020-03-02 05:00:00.00")
    wrong = re.sub(r"throughput:\s+[\d.]+", "throughput: 9.99", right)

    assert not logs.read(right).warnings
    (note,) = logs.read(wrong).warnings
    assert "has 9.99 MB/sec" in note.message
    assert 7 == note.line


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (logs.banner("10.50.1600.1"), "before SQL Server 2012"),
        (logs.named(19, "x") + logs.slow("2020-03-02 05:00:00.00"), "its first line"),
    ],
)
def test_no_message_is_not_taken_for_no_checkpoint(text: str, says: str) -> None:
    fact = facts.facts_of(logs.read(text))["sqlserver.checkpoints"]

    assert fact.value is None
    assert says in fact.note


def test_since_2012_no_message_means_no_long_checkpoint() -> None:
    assert 0 == value(logs.read(logs.banner("11.0.2100.60")), "checkpoints")


def test_lines_are_those_of_the_file() -> None:
    text = logs.banner() + "filler\n" * 5 + logs.flush("2020-03-02 05:00:00.00")
    lines = text.split("\n")
    for fact in facts.facts_of(logs.read(text)).values():
        for item in fact.evidence:
            assert item.line is not None
            assert item.text in lines[item.line - 1]
            cut = item.excerpt
            assert item.text == cut.line[cut.begin : cut.end]


def test_a_log_of_sql_server_is_refused_by_name_where_a_report_is_wanted() -> None:
    with pytest.raises(NotAReportError, match="a SQL Server error log"):
        api.load(logs.DOCUMENT.encode(), "log")


@pytest.mark.parametrize(
    "text",
    [
        "A note that mentions Microsoft SQL Server 2019 - 15.0.2000.5 in prose.\n",
        "CREATE EVENT SESSION c ON SERVER ADD EVENT sqlserver.checkpoint_begin;\n",
        "FlushCache is what the message says.\n",
    ],
)
def test_prose_about_sql_server_is_no_log(text: str) -> None:
    (found,) = api.load_inputs(text.encode(), "note")
    assert isinstance(found, NotAReportError)


def test_a_time_before_any_log_is_none() -> None:
    text = (
        "0001-01-01 00:00:01.00 spid9s "
        + logs.slow("").lstrip()
        + logs.flush("2020-03-02 05:00:00.00", ms=999_999_999_999_999)
    )
    log = logs.read(text)

    assert [None] == [each.at for each in log.io_warnings]
    assert [None] == [each.begin for each in log.checkpoints]
    assert api.analyze(log).to_dict()


_PIECES = st.sampled_from([
    logs.DOCUMENT, logs.banner(), logs.flush("2020-03-02 05:00:00.00"), "\n", "\r\n", "\t", " ",
    logs.slow("2020-03-02 06:00:00.00"), logs.frozen("2020-03-02 05:00:00.00", "a"), "9" * 400,
    logs.resumed("2020-03-02 05:00:00.00", "a"), "FlushCache: cleaned up ", "31/02/2020 99:99:99 ",
    "0001-01-01 00:00:00.00 spid1 ", "DirtyPageMgr::ForceCatchupOrFlushCache", ".mdf]", " bufs",
    "FlushCache: cleaned up 1 bufs with 0 writes in 0 ms (avoided 0 new dirty bufs) for db 1:0\n",
    "FlushCache: cleaned up 1 bufs with 1 writes in 999999999999999 ms for db 1\n",
])  # fmt: skip


@given(st.lists(st.one_of(_PIECES, st.text(max_size=30)), max_size=12))
def test_whatever_is_in_a_log_it_is_read_and_judged_or_refused_in_a_sentence(
    pieces: list[str],
) -> None:
    data = "".join(pieces).encode("utf-8", "replace")
    for found in api.load_inputs(data, "log"):
        if isinstance(found, AwrlensError):
            assert isinstance(found, UnreadableError)
        elif not isinstance(found, Report):
            checkpoints = api.analyze(found).facts["sqlserver.checkpoints"].number
            count = data.decode(errors="replace").count("FlushCache: cleaned up")
            assert (checkpoints or 0) <= count


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=1, max_size=30))
def test_sums_of_a_log_are_the_sums_of_its_messages(sizes: list[tuple[int, int]]) -> None:
    text = "".join(
        logs.flush(f"2020-03-02 05:{n:02}:00.00", ms=ms, bufs=bufs)
        for n, (ms, bufs) in enumerate(sizes)
    )
    log = logs.read(text)

    assert sum(bufs for _, bufs in sizes) == value(log, "buffers")
    assert sum(ms for ms, _ in sizes) / 1000 == pytest.approx(value(log, "checkpoint_total_s"))
    assert max(ms for ms, _ in sizes) / 1000 == value(log, "checkpoint_max_s")


def errorlogs() -> list[Path]:
    folder = CORPUS / "sqlserver"
    return sorted(folder.glob("errorlog_*")) if folder.is_dir() else []


@pytest.mark.corpus
@pytest.mark.skipif(not errorlogs(), reason="the corpus of real logs is not beside the checkout")
@pytest.mark.parametrize("path", errorlogs(), ids=lambda path: path.name)
def test_a_real_log_is_read_with_what_a_count_of_its_lines_finds(path: Path) -> None:
    raw = path.read_bytes()
    text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    lines = text.splitlines()
    (log,) = api.load_inputs(path)
    assert isinstance(log, LogInput)

    assert sum("FlushCache: cleaned up" in line for line in lines) == len(log.checkpoints)
    assert sum("DirtyPageMgr::Force" in line for line in lines) == len(log.catchups)
    assert sum("I/O is frozen on database" in line for line in lines) == len(log.freezes)
    warned = [n for n, line in enumerate(lines, 1) if "taking longer than 15 seconds" in line]
    assert warned == [each.line for each in log.io_warnings]
    named = dict(
        match[::-1]
        for match in re.findall(r"completed for database (.+) \(database ID (\d+)\)", text)
    )
    assert named.items() <= log.names.items()
    stamps_ = re.findall(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)", text, re.M)
    report = api.analyze(log).report
    interval = f"{report['begin_time']} {report['end_time']}".replace("T", " ")
    assert f"{stamps_[0]} {stamps_[-1]}" == interval
    assert re.search(r"- (\d+\.\d+\.\d+\.\d+)", text)[1] == report["release"]  # type: ignore[index]
    assert "sqlserver-errorlog" == report["kind"]


def test_recognition_is_not_asked_of_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """An Oracle report pays nothing: a log is looked for only where there is no report's line."""
    asked: list[str] = []
    monkeypatch.setattr(log_lines, "is_errorlog", asked.append)
    sample = Path(__file__).parent.parent / "sample_reports" / "redo-disk.awr-11.2.txt"

    (found,) = api.load_inputs(sample)

    assert isinstance(found, Report)
    assert asked == []


def block(spid: int, database: int, time: str, latency: int) -> list[str]:
    start = f"2020-09-04 {time} spid{spid}s     "
    cleaned = "cleaned up 11208 bufs with 109 writes in 463587 ms (avoided 8791 new dirty bufs)"
    return [
        f"{start}FlushCache: {cleaned} for db {database}:0",
        f"{start}average writes per second:   0.24 writes/sec",
        f"{start}average throughput:   0.19 MB/sec, I/O saturation: 1009, context switches 2085",
        f"{start}last target outstanding: 2, avgWriteLatency {latency}",
    ]


FIRST, SECOND = block(82, 10, "10:52:24.00", 111), block(83, 11, "10:52:24.00", 7)
LATER = block(82, 10, "11:52:24.00", 33)
MIXED = [line for pair in zip(FIRST, SECOND, strict=True) for line in pair] + LATER


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(LATER + SECOND + FIRST), "\n".join(MIXED[::-1]),
        "\n".join([*FIRST, *SECOND[::-1], *LATER]), " ".join(MIXED), "".join(MIXED),
        "".join(MIXED[::-1]),
    ],
    ids=["blocks newest first", "lines newest first", "sorted by time alone", "on one line",
         "glued", "glued, newest first"],
)  # fmt: skip
def test_details_belong_to_their_own_checkpoint_in_any_order_and_glued(text: str) -> None:
    log = logs.read(f"{text}\n")
    latencies = {
        (each.database, each.end, each.numbers["latency"].value) for each in log.checkpoints
    }
    assert latencies == {
        ("10", at("2020-09-04 10:52:24"), 111), ("11", at("2020-09-04 10:52:24"), 7),
        ("10", at("2020-09-04 11:52:24"), 33),
    }  # fmt: skip
