"""What awrlens says of a log of SQL Server: document, pages, advice, and the script it prints."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import Any

import jsonschema
import pytest
import samples
import sqlserver_logs as logs
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from awrlens import api, cli
from awrlens.cli import output
from awrlens.cli.schema import of_analysis
from awrlens.config import Loaded
from awrlens.errors import AwrlensError
from awrlens.model import Analysis, Recommendation
from awrlens.policy import Policy
from awrlens.render.first_screen import tiles
from awrlens.render.html import page, render
from awrlens.render.wording import headline_lines
from awrlens.sqlserver import script

SAMPLE = samples.path("sqlserver-errorlog.log")
SCHEMA = of_analysis()
FORCED = "DirtyPageMgr::ForceCatchupOrFlushCache"
DAY = [f"2020-03-02 {hour:02}:00:00.00" for hour in range(1, 24)]


def analysis(text: str) -> Analysis:
    return api.analyze(logs.read(text))


@cache
def sample() -> Analysis:
    return analysis(SAMPLE.read_text(encoding="utf-8"))


def advice(found: Analysis, name: str = "target-recovery-time") -> Recommendation:
    return next(each for each in found.recommendations if each.id == name)


def test_the_document_of_a_log_has_the_headline_of_its_page() -> None:
    """It names the worst finding and the first action; databases have their own."""
    found = sample()

    assert found.headline.startswith("14 checkpoints, the longest 116 s. First: set TARGET_RECOVER")
    assert found.headline == found.to_dict()["headline"]
    assert "No urgent finding: 1 checkpoint, the longest 61.2 s." in [
        part.headline for part in found.databases
    ]
    assert "No long checkpoints in the log." == analysis(logs.banner()).headline


def many(
    database: int = 19, count: int = 12, *, writes: int = 8000, latency: int = 1
) -> str:  # fmt: skip
    times = DAY[:count]
    return "".join(logs.flush(at, database, 90_000, writes=writes, latency=latency) for at in times)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        SAMPLE.read_text(encoding="utf-8"), logs.DOCUMENT, logs.banner(),
        logs.banner("10.0.1600.22"),
        logs.slow(DAY[0]), logs.frozen(DAY[0], "x"), many(),
        samples.path("sqlserver-checkpoints-before.csv").read_text(encoding="utf-8"),
    ],
    ids=["sample", "document", "banner", "2008", "slow", "frozen", "many", "events"],
)  # fmt: skip
def test_the_document_keeps_to_the_schema(text: str) -> None:
    document = analysis(text).to_dict()

    jsonschema.validate(document, SCHEMA)
    json.dumps(document, allow_nan=False)
    verdicts = document["verdicts"]
    storage = verdicts["redo_storage"], verdicts["temp_storage"], verdicts["undo_storage"]
    assert {"need-data"} == set(storage)
    assert verdicts["fast_start_mttr_target_s"] is None
    assert any("apply to Oracle only" in each["message"] for each in document["warnings"])


def test_the_sample_says_what_document_5_says() -> None:
    found = sample()

    assert "sqlserver-errorlog" == found.report["kind"]
    assert ("PEARL\\ORDERS", "13.0.5026.0", 48) == tuple(
        found.report[name] for name in ("instance", "release", "cpus")
    )
    assert ["SQLS001", "SQLS004"] == [each.id for each in found.findings]
    assert "No I/O over 15 s was logged" in found.findings[0].why
    step = advice(found)
    assert "apply" == step.status
    assert (
        "ALTER DATABASE [db4] SET TARGET_RECOVERY_TIME = 60 SECONDS;",
        "ALTER DATABASE [db2] SET TARGET_RECOVERY_TIME = 60 SECONDS;",
    ) == step.commands
    assert "ALTER DATABASE [db4] SET TARGET_RECOVERY_TIME = 0 SECONDS;" in step.rollback


def test_every_database_has_its_facts_and_findings() -> None:
    document = sample().to_dict()
    databases = {each["report"]["db_name"]: each for each in document["databases"]}

    assert ["db4", "db2", "Archive"] == list(databases)
    counts = [each["facts"]["sqlserver.checkpoints"]["value"] for each in databases.values()]
    text = SAMPLE.read_text(encoding="utf-8")
    assert counts == [len(re.findall(rf"FlushCache.* for db {n}:", text)) for n in (19, 78, 31)]
    assert ["SQLS004"] == [each["id"] for each in databases["Archive"]["findings"]]


def test_what_hurts_one_database_is_not_diluted_by_the_others() -> None:
    text = (
        logs.banner() + many(19, latency=1, writes=200_000) + many(21, 11, latency=40, writes=900)
    )
    found = analysis(text)
    titles = {each.id: each.title for each in found.findings}

    assert "database 21: checkpoint writes take 40 ms" == titles["SQLS003"]
    assert "tune-first" == advice(found).status
    assert "checkpoint-storage" == found.recommendations[0].id


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        (logs.banner("10.50.1600.1") + many(), "no-benefit", "before SQL Server 2012"),
        (logs.banner("10.50.1600.1"), "no-benefit", "before SQL Server 2012"),
        (logs.banner(), "no-benefit", "unchanged"),
        (logs.slow(DAY[0]), "need-data", "insufficient data"),
        (logs.banner() + many(2), "no-benefit", "Only system databases"),
        (logs.banner() + many(3), "no-benefit", "tempdb and model"),
        (logs.banner() + many() + f"{DAY[20]} spid9s {FORCED} db 19:0\n",
         "no-benefit", "already indirect"),
        (logs.banner() + many(), "apply", "database 19"),
        (logs.banner() + many(latency=30), "tune-first", "First check the storage"),
        (logs.banner() + many().replace(" for db 19:0", ""), "apply", "an unnamed database"),
        (logs.frozen(DAY[0], "x") + logs.flush(DAY[0], ms=90_000), "no-benefit", "unchanged"),
    ],
)  # fmt: skip
def test_indirect_checkpoints_are_advised_where_they_apply(
    text: str, status: str, says: str
) -> None:
    step = advice(analysis(text))

    assert status == step.status
    assert says in f"{step.title} {step.action}"
    assert bool(step.commands) == (status in ("apply", "tune-first"))


@pytest.mark.parametrize(
    ("release", "says"),
    [
        ("14.0.3076.1", "build 14.0.3076.1 has the fix of KB 4497928"),
        ("15.0.2000.5", "test them separately"),
    ],
)
def test_tempdb_and_model_are_warned_of_by_build(release: str, says: str) -> None:
    assert says in " ".join(advice(analysis(logs.banner(release) + many())).risks)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("a]b", "ALTER DATABASE [a]]b] SET TARGET_RECOVERY_TIME = 60 SECONDS;"),
        ("x]; DROP DATABASE y; --",
         "ALTER DATABASE [x]]; DROP DATABASE y; --] SET TARGET_RECOVERY_TIME = 60 SECONDS;"),
        ("Bestände", "ALTER DATABASE [Bestände] SET TARGET_RECOVERY_TIME = 60 SECONDS;"),
    ],
)  # fmt: skip
def test_a_hostile_name_stays_inside_its_brackets(name: str, command: str) -> None:
    assert (command,) == advice(analysis(logs.banner() + logs.named(19, name) + many())).commands


def test_a_name_that_cannot_be_shown_gets_no_command() -> None:
    (command,) = advice(analysis(logs.banner() + logs.named(19, "a\u202eb") + many())).commands

    assert command.startswith("-- database 19")


@given(st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1))
def test_brackets_and_quotes_always_close_where_they_should(name: str) -> None:
    inside = script.quoted(name)[1:-1]
    assert inside.replace("]]", "") == name.replace("]", "")
    assert 0 == inside.count("]") % 2
    assert 0 == script.literal(name)[2:-1].count("'") % 2


@pytest.mark.parametrize("format_", ["text", "markdown", "html", "json", "jsonl"])
def test_every_format_tells_the_log_and_nothing_of_oracle(
    format_: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == cli.run(["analyze", str(SAMPLE), "--format", format_])
    out = capsys.readouterr().out

    assert "SQLS001" in out
    assert "TARGET_RECOVERY_TIME" in out.replace("\\_", "_")
    if format_ in ("text", "markdown"):
        assert "Oracle" not in out
        assert "14 checkpoints, the longest 116 s" in out
        assert "Databases" in out
        assert "redo storage |" not in out


def test_markup_in_a_name_does_not_become_a_page_s() -> None:
    found = logs.read(logs.banner() + logs.named(19, "<script>alert(1)</script>") + many())
    shown = api.analyze(found)
    text = render([page(shown, api.exhibits(found, shown))], output.extras(Loaded(Policy(), None)))

    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_logs_and_reports_stand_on_one_page(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "both.html"
    report = str(samples.path("redo-disk.awr-11.2.txt"))

    assert 0 == cli.run(["analyze", report, str(SAMPLE), "--html", str(target)])
    text = target.read_text(encoding="utf-8")
    tables = LexborHTMLParser(text).css("table.sortable")
    cells = [[each.text() for each in table.css("tbody td")] for table in tables[:2]]
    marks = [" ".join(each).replace("\xa0", " ") for each in cells]
    assert "▲ checkpoints" not in marks[0]  # parts of a report and of a log
    assert "▲ checkpoints" in marks[1]
    assert (
        ["#r1", "#r2"]
        == sorted(
            str(table.css_first("tbody a").attributes["href"])  # type: ignore[union-attr]
            for table in tables[:2]
        )
    )
    capsys.readouterr()


def test_a_log_inside_an_archive_is_read(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(SAMPLE.read_text(encoding="utf-8").encode("utf-16")))

    assert 0 == cli.run(["analyze", str(packed), "--format", "json"])
    assert "sqlserver-errorlog" == json.loads(capsys.readouterr().out)["report"]["kind"]


def test_a_check_fails_on_a_log_and_names_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == cli.run(["check", str(SAMPLE), "--output", "github"])
    assert "SQLS001" in capsys.readouterr().out
    report = str(samples.path("redo-disk.awr-11.2.txt"))
    assert 2 == cli.run(["check", str(SAMPLE), "--against", report])
    assert "sqlserver compare" in capsys.readouterr().err


def test_a_log_has_junit_cases_of_its_own_rules_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == cli.run(["check", str(SAMPLE), "--output", "junit"])
    cases = re.findall(r'<testcase [^>]*?\bname="([A-Z]+)\d{3}', capsys.readouterr().out)

    assert ["SQLS"] * 7 == cases


def test_facts_are_shown_of_a_log_and_of_a_database(capsys: pytest.CaptureFixture[str]) -> None:
    name = "sqlserver.checkpoints"
    assert 0 == cli.run(["facts", str(SAMPLE), name, "--format", "json"])
    assert 15 == json.loads(capsys.readouterr().out)[name]["value"]
    assert 0 == cli.run(["facts", str(SAMPLE), name, "--part", "78", "--format", "json"])
    assert 4 == json.loads(capsys.readouterr().out)[name]["value"]
    assert 2 == cli.run(["facts", str(SAMPLE), "--part", "5"])
    assert "no database 5" in capsys.readouterr().err


def test_rules_of_another_engine_do_not_judge_a_report() -> None:
    found = samples.analysis("redo-disk.awr-11.2.txt")

    assert not [each for each in found.skipped if each.rule.startswith("SQLS")]
    assert not [name for name in found.facts if name.startswith("sqlserver.")]


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert 0 == cli.run(["sql", "target-recovery-time", *args])
    return capsys.readouterr().out


def test_the_script_changes_nothing_until_it_is_told_to(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys)

    assert "DECLARE @apply bit = 0;" in text
    alter = text.index("EXECUTE sys.sp_executesql @command;")
    assert text.index("IF @apply = 1") < alter
    assert 1 == text.count("EXECUTE sys.sp_executesql @command;")


def test_the_script_guards_as_document_5_explains(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys)
    order = [
        "d.database_id <= 4 THEN N''leave''", ("d.state <> 0 OR d.is_read_only = 1 OR "
        "d.is_in_standby = 1 THEN N''leave''"), "grp.role_desc <> N''PRIMARY'' THEN N''warning''",
        "<> N''READ_WRITE''", "d.target_recovery_time_in_seconds = @seconds THEN N''done''",
        "ELSE N''change''",
    ]  # fmt: skip
    places = [text.index(each) for each in order]

    assert sorted(places) == places  # who must not be changed is decided first
    assert text.index("IF @major < 11") < text.index("target_recovery_time_in_seconds")
    # releases before 2012 know neither column nor views: only the dynamic text names them
    static = re.sub(r"N'\s(?:[^']|'')*'", "", text)
    assert "sys.dm_hadr" not in static
    assert "QUOTENAME(name)" in text
    assert "[rollback]" in text


def test_the_script_takes_a_target_and_a_database(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--seconds", "90", "--database", "O'Neil")

    assert "DECLARE @seconds int = 90;" in text
    assert "DECLARE @only nvarchar(128) = N'O''Neil';" in text
    assert 2 == cli.run(["sql", "target-recovery-time", "--seconds", "-1"])
    capsys.readouterr()


@pytest.mark.parametrize("format_", ["text", "markdown", "html", "json"])
def test_a_redacted_log_keeps_its_figures_and_no_name(
    format_: str, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    path = tmp_path / "verysecret.log"
    secret = (
        logs.banner() + logs.named(19, "Payroll") + many()
        + "2020-03-02 00:00:06.00 spid6s      Server name is 'HUMANRES\\PROD'. No user action.\n"
        + logs.frozen(DAY[20], "Payroll") + logs.slow(DAY[21], "[Payroll] (19)")
        + logs.resumed(DAY[21], "Payroll")
    )  # fmt: skip
    path.write_text(secret, encoding="utf-8")

    assert 0 == cli.run(["analyze", str(path), "--format", format_, "--redact"])
    out = capsys.readouterr().out

    for word in ("payroll", "humanres", "prod", "orders.mdf", "verysecret"):
        assert word not in out.lower().replace("product", "")
    assert "12 checkpoints, the longest 90 s" in out


def test_other_commands_refuse_a_log_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    report = str(samples.path("redo-disk.awr-11.2.txt"))
    for call in (["trend", str(SAMPLE)], ["compare", report, str(SAMPLE)], ["tables", str(SAMPLE)]):
        assert 3 == cli.run(call)
        assert "a SQL Server error log" in capsys.readouterr().err


def test_the_states_of_a_log_have_their_figures_and_the_headline_no_action() -> None:
    (log,) = api.load_inputs(samples.FOLDER / "sqlserver-errorlog.log")
    assert not isinstance(log, AwrlensError)
    found = api.analyze(log)

    assert ["14 checkpoints, the longest 116 s."] == headline_lines(found)
    assert {
        "checkpoints": ("logged: 14", "the longest 116 s"),
        "storage": ("warnings of I/O: 0",),
        "snapshots": ("freezes: 2", "the longest 6 s"),
        "memory": ("paged out: 0",),
    } == {each.name: each.words for each in tiles(found)}
