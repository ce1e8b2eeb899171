"""One log over the change of TARGET_RECOVERY_TIME, many logs in a table, and the scripts."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import samples
import sqlserver_logs as logs
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api, cli
from awrlens.scripts import by_name
from awrlens.sqlserver.analysis import changes, step
from awrlens.sqlserver.compare import compare, split

HEAD = "name,timestamp (UTC),database_id,database_name\n"


def events(*checkpoints: tuple[str, float], database: int = 19, name: str = "") -> str:
    """Rows of an export: begins with the seconds that each checkpoint took."""
    rows = ""
    for at, spent in checkpoints:
        begin = datetime.fromisoformat(at)
        for what, time in (("begin", begin), ("end", begin + timedelta(seconds=spent))):
            rows += f"checkpoint_{what},{time.isoformat(' ', 'milliseconds')},{database},{name}\n"
    return rows


#: The times of document 5: 30 seconds on average, then less than a tenth of a second.
LONG = [(f"2020-03-02 {hour:02}:00:00", spent) for hour, spent in enumerate((28, 34, 31))]
SHORT = [("2020-03-05 11:00:00", 0.08), ("2020-03-05 13:00:00", 0.06)]
EXPORT = HEAD + events(*LONG, *SHORT) + events(*LONG, database=31)


# one export over the change


def test_an_export_over_the_change_is_split_at_the_step_of_its_durations() -> None:
    found = split(logs.read(EXPORT))

    (pair,) = found["databases"]
    assert ("19", 3, 2) == (
        pair["database_id"], pair["before"]["checkpoints"], pair["after"]["checkpoints"]
    )  # fmt: skip
    assert 31 == pair["before"]["mean_s"]
    assert 0.07 == pytest.approx(pair["after"]["mean_s"])
    assert "443 times shorter" in pair["said"]
    assert ("seen", "2020-03-05T11:00:00") == (pair["changed_how"], pair["changed_at"])
    assert "database 31 has no step" in found["unfair"][0]


def test_each_database_has_its_own_time_of_the_change() -> None:
    at = {"19": datetime(2020, 3, 2, 1, 30), "31": datetime(2020, 3, 2, 2, 30)}  # noqa: DTZ001
    found = {pair["database_id"]: pair for pair in split(logs.read(EXPORT), at)["databases"]}

    for database, numbers in (("19", (2, 3)), ("31", (3, 0))):
        assert numbers == tuple(
            found[database][side]["checkpoints"] for side in ("before", "after")
        )
    # two checkpoints in an hour and a half
    assert 4 / 3 == pytest.approx(found["19"]["before"]["per_hour"])


def test_what_is_before_a_change_is_not_judged_any_more() -> None:
    found = api.analyze(logs.read(HEAD + events(*LONG, *SHORT)))
    (step_,) = (each for each in found.recommendations if each.id == "target-recovery-time")

    assert not found.findings
    assert "no-benefit" == step_.status
    assert "It was changed within this log" in step_.action
    assert any("checkpoints became much shorter at 2020-03-05 11:00:00" in each.message
               for each in found.warnings)  # fmt: skip
    # all of it is still in the facts
    assert 5 == found.facts["sqlserver.checkpoints"].value


def test_an_error_log_says_itself_when_the_target_was_set() -> None:
    text = (
        logs.banner() + logs.named(19, "Orders") + logs.flush("2020-03-02 05:00:00.00", ms=90_000)
        + "2020-03-02 06:00:00.00 spid55      Setting database option target_recovery_time to "
        "{seconds} for database 'Orders'.\n"
    )  # fmt: skip
    log = logs.read(text.format(seconds=60))

    assert {"19": "logged"} == {each: change.how for each, change in changes(log).items()}
    (step_,) = api.analyze(log).recommendations
    assert "whose TARGET_RECOVERY_TIME was set at 2020-03-02 06:00:00" in step_.action
    # 0 is automatic again
    assert {} == changes(logs.read(text.format(seconds=0)))
    assert "apply" == api.analyze(logs.read(text.format(seconds=0))).recommendations[0].status


@given(
    st.lists(st.floats(20, 60), min_size=2, max_size=30),
    st.lists(st.floats(0.01, 0.1), min_size=1, max_size=30),
)
def test_a_step_is_found_where_it_is(before: list[float], after: list[float]) -> None:
    assert len(before) == step([*before, *after])
    assert step([*after, *before]) is None  # longer is no change for the better
    assert step(before) is None


def test_the_command_splits_a_log_and_refuses_what_it_cannot_split(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "both.csv"
    file.write_text(EXPORT, encoding="utf-8")

    def run(*args: str) -> Any:
        assert 0 == cli.run(["sqlserver", "compare", str(file), *args, "--format", "json"])
        return json.loads(capsys.readouterr().out)["databases"]

    assert [("19", "seen")] == [(each["database_id"], each["changed_how"]) for each in run()]
    both = run("--changed", "2020-03-05")
    assert ["given", "given"] == [each["changed_how"] for each in both]
    (own,) = (
        each for each in run("--changed", "31=2020-03-02 02:30") if each["database_id"] == "31"
    )
    assert "2020-03-02T02:30:00" == own["changed_at"]
    assert 2 == cli.run(["sqlserver", "compare", str(file), "--changed", "noon"])
    assert "is not a time" in capsys.readouterr().err
    assert 2 == cli.run(["sqlserver", "compare", str(file), str(file), "--changed", "2020-03-05"])
    capsys.readouterr()
    assert 0 == cli.run(["sqlserver", "compare", str(file), str(file)])
    said = capsys.readouterr().out
    assert "Both sides are the same log." in said
    assert "one log, split" not in said


# pictures


def test_the_picture_has_every_duration_and_the_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "both.csv"
    file.write_text(EXPORT, encoding="utf-8")
    assert 0 == cli.run(["sqlserver", "compare", str(file), "--format", "html"])
    page = capsys.readouterr().out

    assert 5 == page.count('class="dot"')
    tips = re.findall(r'class="dot"[^>]*bottom:([\d.]+)%"[^>]*data-tip="(\w+),', page)
    heights = {
        side: [float(at) for at, name in tips if name == side] for side in ("before", "after")
    }
    # a logarithmic axis: 0.06 s and 34 s are both inside, and nearly three decades apart
    assert min(heights["before"]) > 70
    assert 30 > max(heights["after"]) > min(heights["after"]) > 0
    assert "the change" in page
    assert 0 == cli.run(["sqlserver", "compare", str(file)])
    text = capsys.readouterr().out
    assert re.search(r"duration +[▇█▆]{9}▁{6} ", text)


# many logs


def test_a_log_over_the_change_counts_with_what_is_after_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "both.csv"
    file.write_text(HEAD + events(*LONG, *SHORT), encoding="utf-8")
    assert 0 == cli.run(["sqlserver", "fleet", str(file), "--format", "json"])
    (row,) = json.loads(capsys.readouterr().out)["rows"]

    assert (2, 0.08, 0, "no-benefit") == tuple(
        row[name] for name in ("checkpoints", "longest_s", "long_databases", "verdict")
    )


def test_a_release_without_the_setting_is_not_applicable_and_no_checkpoints_are_not_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """TARGET_RECOVERY_TIME does not exist in 2008 R2 (10.50); a log may have no checkpoint."""
    for name, release in {"2008r2": "10.50.6000.34", "2017": "14.0.3076.1"}.items():
        (tmp_path / f"{name}.log").write_text(logs.banner(release), encoding="utf-8")
    paths = [*map(str, sorted(tmp_path.glob("*.log")))]
    assert 0 == cli.run(["sqlserver", "fleet", *paths, "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["rows"]

    assert {"10.50.6000.34": "not-applicable", "14.0.3076.1": "need-data"} == {
        row["release"]: row["verdict"] for row in rows
    }
    assert 0 == cli.run(["sqlserver", "fleet", *paths])
    printed = capsys.readouterr().out
    assert not re.search("advice|longest|not known", printed), "columns that say nothing"


def test_one_checkpoint_has_no_rate_per_hour() -> None:
    """80 ms are not an interval: 45,000 per hour would be a guess."""
    one, two = (logs.read(HEAD + events(*SHORT[:n])) for n in (1, 2))
    found = compare(one, two)["databases"][0]

    assert None is found["before"]["per_hour"]
    assert found["after"]["per_hour"]


def test_the_fleet_has_a_row_per_log_the_worst_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calm = tmp_path / "calm.log"
    calm.write_text(
        logs.banner() + "2020-03-02 00:00:06.00 Server      Detected 3145728 MB of RAM. This is an "
        "informational message; no user action is required.\n", encoding="utf-8",
    )  # fmt: skip
    args = ["sqlserver", "fleet", str(calm), str(samples.path("sqlserver-errorlog.log")),
            str(samples.path("redo-disk.awr-11.2.txt"))]  # fmt: skip
    assert 0 == cli.run([*args, "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert (2, 3, 2, 2) == tuple(
        found[name] for name in ("logs", "databases", "long_databases", "commands")
    )
    first, second = found["rows"]
    assert ("PEARL\\ORDERS", "13.0.5026.0", "apply") == (
        first["server"], first["release"], first["verdict"]
    )  # fmt: skip
    assert (3072, 0, [], "need-data") == (
        second["memory_gb"], second["databases"], second["commands"], second["verdict"]
    )  # fmt: skip
    assert "an Oracle report" in found["skipped"][0]
    assert 0 == cli.run(args)
    text = " ".join(capsys.readouterr().out.split())
    assert "2 databases with long checkpoints: 2 commands to review" in text
    assert "ALTER DATABASE [db4] SET TARGET_RECOVERY_TIME = 60 SECONDS;" in text
    assert 3 == cli.run(["sqlserver", "fleet", str(samples.path("redo-disk.awr-11.2.txt"))])


def test_the_page_of_the_fleet_has_a_server_once_with_its_worst_log_and_names_the_worst(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paged = (
        "2020-03-02 01:{:02}:00.00 Server      A significant part of sql server process memory has "
        "been paged out. This may result in a performance degradation. Duration: 0 seconds. "
        "Working set (KB): 9000, committed (KB): 90000, memory utilization: 10%.\n"
    )
    for name, times in {"old": 1, "worst": 17, "new": 12}.items():
        named = "2020-03-02 00:00:08.00 spid6s      Server name is 'PEARL'. This is all.\n"
        text = logs.banner() + named + "".join(map(paged.format, range(times)))
        (tmp_path / f"{name}.log").write_text(text, encoding="utf-8")
    paths = [*map(str, tmp_path.glob("*.log"))]
    assert 0 == cli.run(["sqlserver", "fleet", *paths])
    printed = " ".join(capsys.readouterr().out.split())

    assert "PEARL: Windows paged out memory of SQL Server 17 times." in printed
    assert "No database has long checkpoints" not in printed
    assert "worst.log of 3" in printed
    assert not re.search("old.log|new.log", printed)


# memory, and message 833


def test_the_memory_that_is_searched_is_said_with_its_lazy_writers() -> None:
    """Document 5: 3 TB of memory, and one lazy writer for the instance."""
    head = (
        "2020-03-02 00:00:06.00 Server      Detected 3145728 MB of RAM, 3000000 MB of available "
        "memory, 3000000 MB of available page file. This is an informational message.\n"
        "2020-03-02 00:00:07.00 Server      Node configuration: node 0: CPU mask: "
        "0x000000000000ffff:0 Active CPU mask: 0x000000000000ffff:0. This message provides a "
        "description of the NUMA configuration for this computer.\n"
    )
    text = logs.banner() + head + logs.flush("2020-03-02 05:00:00.00", ms=90_000)
    found = api.analyze(logs.read(text))

    assert 3145728 == found.facts["sqlserver.memory_mb"].value
    assert "the machine has 3,072 GB of memory, with 1 lazy writer." in found.findings[0].why
    assert api.analyze(logs.read(logs.banner())).facts["sqlserver.memory_mb"].value is None


def test_a_lazy_writer_without_free_buffers_and_paging_are_a_finding() -> None:
    """KB 177545 has the first text, KB 918483 the second."""
    paged = (
        "2020-03-02 05:0{}:00.00 spid1s      A significant part of sql server process memory has "
        "been paged out. This may result in a performance degradation. Duration: 0 seconds. "
        "Working set (KB): 1086400, committed (KB): 2160928, memory utilization: 50%.\n"
    )
    starved = "2020-03-02 05:0{}:30.00 spid2s      LazyWriter: warning, no free buffers found.\n"
    text = logs.banner() + "".join(paged.format(n) for n in range(4))
    found = api.analyze(logs.read(text + "".join(starved.format(n) for n in range(6))))
    (finding,) = [each for each in found.findings if each.id == "SQLS007"]

    names = ("sqlserver.lazy_writer_warnings", "sqlserver.paged_out")
    assert (6, 4) == tuple(found.facts[name].value for name in names)
    assert "warning" == finding.severity
    assert (
        "The lazy writer found no free buffers 6 times; Windows paged out memory of SQL Server 4 "
        "times"
    ) == finding.title
    events_only = api.analyze(logs.read(HEAD + events(*LONG)))
    assert None is events_only.facts["sqlserver.lazy_writer_warnings"].value


def test_a_log_of_sql_server_has_no_column_of_db_time(capsys: pytest.CaptureFixture[str]) -> None:
    log = str(samples.path("sqlserver-errorlog.log"))
    for kind in ("text", "markdown", "html"):
        assert 0 == cli.run(["analyze", log, "--format", kind])
        assert "DB time saved" not in capsys.readouterr().out


FILE = "D:\\data\\orders.mdf"
#: Message 833 in the languages of the product, from MSSQLSERVER_833 in Microsoft's documentation.
SLOW = dict(
    line.split(": ", 1)
    for line in Path(__file__).with_name("message_833.txt").read_text("utf-8").splitlines()
)


@pytest.mark.parametrize("language", SLOW)
def test_slow_io_is_counted_in_the_languages_of_the_product(language: str) -> None:
    log = logs.read(f"2020-03-02 06:00:00.00 spid9s      {SLOW[language]}\n")
    (warning,) = log.io_warnings

    assert (57, "19") == (warning.requests.value, warning.database)
    assert log.names.get("19") == (None if language.endswith("ID") else "Orders")


# scripts

TSQL = [script for script in by_name().values() if script.engine == "SQL Server"]
LITERAL = re.compile(r"N'((?:[^']|'')*)'")


def dynamic(name: str) -> list[str]:
    """The queries that a script runs from a text."""
    found = (each.replace("''", "'").strip() for each in LITERAL.findall(by_name()[name].text()))
    return [each for each in found if each.startswith("SELECT") and len(each) > 80]


@pytest.mark.slow
@pytest.mark.parametrize("script", TSQL, ids=lambda script: script.name)
def test_queries_inside_a_script_are_in_the_dialect_and_change_nothing(script: Any) -> None:
    from sqlfluff.core import Linter

    for query in dynamic(script.name):
        parsed = Linter(dialect="tsql").parse_string(query)
        assert not parsed.violations
        assert parsed.tree is not None
        assert "unparsable" not in parsed.tree.type_set()
        assert not re.search(r"(?i)\b(?:INSERT|UPDATE|DELETE|MERGE|DROP)\b", query)


@pytest.mark.parametrize(
    "script", [each for each in TSQL if each.name != "checkpoint-read"], ids=lambda each: each.name
)
def test_a_script_ends_in_azure_sql_database_and_before_2012(script: Any) -> None:
    text = script.text()
    guard = text.index("SERVERPROPERTY(N'EngineEdition')) IN (5, 6, 11, 12)")

    assert guard < text.index("IF @major < 11") < text.index("sys.", text.index("IF @major < 11"))
    assert "RETURN;" in text[guard : text.index("IF @major < 11")]


def test_the_session_records_what_document_5_records() -> None:
    text = by_name()["checkpoint-events"].text()

    for part in (
        "ADD EVENT sqlserver.checkpoint_begin", "ADD EVENT sqlserver.checkpoint_end",
        "ADD TARGET package0.event_file", "max_file_size = 50", "max_rollover_files = 50",
        "MAX_MEMORY = 4096 KB", "MAX_DISPATCH_LATENCY = 30 SECONDS", "TRACK_CAUSALITY = ON",
        "STARTUP_STATE = ON", "STATE = START", "DROP EVENT SESSION",
    ):  # fmt: skip
        assert part in text
    assert text.startswith("/*  THIS SCRIPT CHANGES THE INSTANCE")


def test_what_the_reading_query_gives_is_what_awrlens_reads() -> None:
    """The columns of the script, as Management Studio saves them with headings."""
    text = by_name()["checkpoint-read"].text()
    query = text[text.index("SELECT\n    read_file.name") : text.index("FROM\n(")]
    columns = re.findall(r"(?m)^ +(?:read_file\.(\w+)|\[([^\]]+)\] =|(\w+) =)", query)

    assert HEAD.strip().split(",") == ["".join(each) for each in columns]
    log = logs.read(HEAD + events(*LONG, name="Orders"))
    assert ([28.0, 34.0, 31.0], "Orders") == (
        [each.seconds for each in log.checkpoints], log.names.get("19")
    )  # fmt: skip


def test_the_inventory_counts_first_and_says_why_databases_keep_0() -> None:
    text = by_name()["checkpoint-inventory"].text()
    first = dynamic("checkpoint-inventory")[0]
    columns = re.findall(r"(?m)^    (\w+) = ", first)

    assert ["database_count", "automatic", "other_target", "version"] == columns[:4]
    assert "created before SQL Server 2016 keep a target of 0" in " ".join(text.split())


def test_new_and_restored_databases_are_checked_and_a_job_can_fail() -> None:
    text = by_name()["target-recovery-check"].text()
    (query,) = dynamic("target-recovery-check")

    assert "msdb.dbo.restorehistory" in query
    assert "d.create_date >= DATEADD(DAY, -@days, GETDATE())" in query
    for guard in ("d.database_id > 4", "d.state = 0", "d.is_read_only = 0", "d.is_in_standby = 0"):
        assert guard in query
    assert "RAISERROR" in text
    assert "DECLARE @alert bit = 0;" in text


def inventory(folder: Path) -> Path:
    """102 instances with 1,590 databases, as a Central Management Server saves the inventory."""
    lines = ['"Server Name",database_count,automatic,other_target,version,memory_gb']
    for number in range(102):
        databases = 16 if number < 60 else 15
        old, release = (databases, "13.0.5026.0") if number % 2 else (0, "15.0.2000.5")
        release = "10.50.1600.1" if number == 101 else release
        version = f"Microsoft SQL Server - {release} (X64)"
        lines.append(f'PROD{number:03},{databases},{old},0,"{version}\n\tCopyright",64')
    path = folder / "inventory.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_fleet_reads_the_inventory_of_a_central_management_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(inventory(tmp_path))
    assert 0 == cli.run(["sqlserver", "fleet", path, "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert (102, 1590, 795, 0) == tuple(
        found[name] for name in ("instances", "instance_databases", "automatic", "databases")
    )
    row = next(each for each in found["rows"] if each["server"] == "PROD001")
    assert ("13.0.5026.0", 16, 16, "info") == tuple(
        row[name] for name in ("release", "databases", "automatic", "severity")
    )
    assert "16 of 16 databases use automatic checkpoints" == row["why"]
    last = next(each for each in found["rows"] if each["server"] == "PROD101")
    assert ("not-applicable", "ok") == (last["verdict"], last["severity"])


def test_an_inventory_stands_next_to_the_logs_of_its_servers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, log = inventory(tmp_path), str(samples.path("sqlserver-errorlog.log"))
    path.write_text(path.read_text("utf-8").replace("PROD001", "PEARL\\ORDERS"), "utf-8")
    assert 0 == cli.run(["sqlserver", "fleet", str(path), log, "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert (1, 3, 102, 1590) == tuple(
        found[name] for name in ("logs", "databases", "instances", "instance_databases")
    )
    assert ["PEARL\\ORDERS"] * 2 == [row["server"] for row in found["rows"][:2]]
    assert all(row["why"] for row in found["rows"])
    assert 0 == cli.run(["sqlserver", "fleet", str(path), log])
    printed = " ".join(capsys.readouterr().out.split())
    assert "795 of 1,590 databases on 102 instances" in printed
    assert "1 log, 3 databases with checkpoints or warnings in them; 1,590 databases" in printed


@pytest.mark.parametrize("cell", ["NULL", "", "n/a"])
def test_an_instance_without_a_number_of_automatic_checkpoints_is_not_called_fine(
    cell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    version = "Microsoft SQL Server - 15.0.2000.5 (X64)"
    path = tmp_path / "inventory.csv"
    lines = ("Server Name,database_count,automatic,version", f"FULL,16,{cell},{version}",
             f"NONE,0,{cell},{version}", "CUT,1")  # fmt: skip
    path.write_text("\n".join(lines))
    assert 0 == cli.run(["sqlserver", "fleet", str(path), "--format", "json"])
    found = json.loads(capsys.readouterr().out)

    assert ["NONE"] == [row["server"] for row in found["rows"]]  # a SUM over no row is NULL
    assert found["skipped"] == [
        f"{path}: {server}: automatic is not a number" for server in ("FULL", "CUT")
    ]


def test_the_servers_of_an_inventory_are_replaced_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = inventory(tmp_path)
    assert 0 == cli.run(["sqlserver", "fleet", str(path), "--redact", "--format", "json"])

    assert "PROD" not in capsys.readouterr().out
