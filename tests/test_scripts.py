"""The scripts that `awrlens sql` prints: the list, their dialect, and what they may change."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import samples
from click.testing import CliRunner

import awrlens
from awrlens import api, cli
from awrlens.scripts import Script, by_name

#: Commands of SQL*Plus itself, which no SQL parser knows.
SQLPLUS = re.compile(
    r"(?:SET|DEFINE|UNDEFINE|WHENEVER|SPOOL|PROMPT|EXIT|COLUMN|ACCEPT|VARIABLE|PRINT|REM|[BT]TITLE)\b.*"
    r"|@\S+",
    re.I,
)
CHANGING = re.compile(
    r"\b(?:ALTER|UPDATE|INSERT|DELETE|MERGE|CREATE|DROP|GRANT|REVOKE|TRUNCATE|COMMIT|HOST)\b", re.I
)
#: What a script that changes nothing may execute by name: waiting.
WAITING = re.compile(r"EXECUTE IMMEDIATE 'BEGIN dbms_(?:session|lock)\.sleep\(:seconds\); END;'")
#: SQL*Plus ends a statement of SQL at a blank line, but not a block of PL/SQL.
BLOCK = re.compile(r"^(?:DECLARE|BEGIN)\n.*?^/$", re.M | re.S)
PACKAGE = Path(awrlens.__file__).parent
DIALECTS = {"Oracle": "oracle", "SQL Server": "tsql"}
SCRIPTS = tuple(by_name().values())
every = pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)


def run(*args: str) -> str:
    done = CliRunner().invoke(cli.cli, args, standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout


def code(script: Script) -> str:
    """The script as its parser takes it: without SQL*Plus, with values for its variables."""
    if script.engine != "Oracle":
        return script.text()
    lines = script.text().splitlines()
    values = dict(re.findall(r"(?im)^DEFINE +(\w+) *= *'?([^'\n]*?)'? *$", script.text()))
    text = "\n".join("" if SQLPLUS.fullmatch(line) else line for line in lines)
    return re.sub(r"&&?(\w+)\.?", lambda found: values[found[1].lower()], text)


def without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/|'[^']*'", "", text, flags=re.S)


def test_the_list_says_of_every_script_what_it_needs_and_changes() -> None:
    shown = " ".join(run("sql").split())

    for script in SCRIPTS:
        item = f"{script.name}: {script.purpose} needs: {script.requirements}"
        assert f"{item} changes: {script.changes}" in shown


@every
def test_the_command_prints_the_script_and_its_help_says_what_it_changes(script: Script) -> None:
    assert run("sql", script.name).rstrip() == script.text().rstrip()
    if script.name != "target-recovery-time":  # its help is about its options
        assert f"Changes: {script.changes}." in " ".join(run("sql", script.name, "--help").split())


def of_file(path: Path) -> Script:
    """The entry of a file; a script that another command prints is not in the list."""
    name = path.relative_to(PACKAGE).as_posix()
    other = Script(path.stem, "Oracle", "", "", "", "", name)
    return next((script for script in SCRIPTS if script.file == name), other)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PACKAGE.glob("*/*.sql")), ids=lambda path: path.stem)
def test_a_script_is_in_its_dialect(path: Path) -> None:
    from sqlfluff.core import Linter

    script = of_file(path)
    parsed = Linter(dialect=DIALECTS[script.engine]).parse_string(code(script))

    assert not parsed.violations
    assert parsed.tree is not None
    assert "unparsable" not in parsed.tree.type_set()


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.read_only], ids=lambda s: s.name)
def test_a_script_that_changes_nothing_has_no_statement_that_changes(script: Script) -> None:
    text = code(script)

    assert not CHANGING.search(without_comments(text))
    executed = without_comments(text).upper().count("EXECUTE IMMEDIATE")
    assert executed == len(WAITING.findall(text))


@pytest.mark.parametrize("script", [s for s in SCRIPTS if not s.read_only], ids=lambda s: s.name)
def test_a_script_that_changes_something_says_so_first_and_waits_to_be_confirmed(
    script: Script,
) -> None:
    text = script.text()

    if script.engine == "Oracle":
        assert text.startswith("-- THIS SCRIPT CHANGES DATA")
        first = CHANGING.search(without_comments(code(script)))
        assert first is not None
        # without a confirmation, the block before the first change ends SQL*Plus
        before = without_comments(code(script))[: first.start()]
        assert "raise_application_error" in before
        assert "WHENEVER SQLERROR EXIT" in text.partition("raise_application_error")[0]
    assert re.search(r"(?im)^DEFINE (?:confirm|clone_name) = '(?:NO|NONE)'$|@apply bit = 0", text)


@pytest.mark.parametrize("script", [s for s in SCRIPTS if s.engine == "Oracle"],
                         ids=lambda s: s.name)  # fmt: skip
def test_a_statement_has_no_blank_line_at_which_sqlplus_ends_it(script: Script) -> None:
    text = BLOCK.sub("", script.text())
    for paragraph in re.split(r"\n\s*\n", text):
        code_lines = [
            line for line in paragraph.splitlines()
            if not line.startswith("--") and not SQLPLUS.fullmatch(line)
        ]  # fmt: skip
        assert not code_lines or code_lines[-1].endswith(";"), paragraph


#: Views of an invented instance, for the queries of scripts: column names, then rows.
VIEWS: dict[str, tuple[str, list[tuple[object, ...]]]] = {
    "v$osstat": ("stat_name, value", [("LOAD", 3.256), ("NUM_CPUS", 8), ("IDLE_TIME", 900)]),
    "v$datafile": ("file#, name", [
        (1, "+DATA/orchid/datafile/system.256.1"), (2, "+DATA/orchid/datafile/undotbs1.258.1"),
        (3, "/u01/oradata/orchid/users01.dbf"), (4, r"D:\oradata\orchid\users02.dbf"),
    ]),
    "v$tempfile": ("file#, name", [(1, "/u01/oradata/orchid/temp01.dbf")]),
    "v$log": ("group#, thread#", [(1, 1), (2, 1)]),
    "v$logfile": ("group#, member", [
        (1, "+data/orchid/onlinelog/group_1.261.1"), (1, "/u02/redo/orchid/redo01.log"),
        (1, "/u04/redo/orchid/redo03.log"),
        (2, "/u01/oradata/orchid/redo02.log"), (2, r"D:\oradata\orchid\redo02b.log"),
    ]),
    "v$archive_dest": ("destination, status", [
        ("/u03/arch", "VALID"), ("", "INACTIVE"), ("/u02/redo/orchid", "VALID"),
    ]),
    "v$parameter": ("name, value", [("db_recovery_file_dest", "+DATA"), ("cpu_count", "2")]),
    "v$bgprocess": ("name, paddr", [("LGWR", "0A"), ("DBW0", "0B")]),
    "v$process": ("addr, spid", [("0A", "4711"), ("0B", "4712")]),
    "v$filestat": ("file#, phyrds, phywrts, readtim, writetim", [
        (1, 500, 100, 700, 300), (2, 585, 34_298, 1_673, 130_068),
    ]),
    "v$tempstat": ("file#, phyrds, phywrts, readtim, writetim", [(1, 33, 33, 2, 29)]),
    "v$sql": ("command_type, elapsed_time", [
        (3, 52_000_000), (2, 31_200_000), (6, 4_000_000), (189, 700_000), (7, 12_000_000),
        (47, 90_000_000),
    ]),
    # two instances with hourly snapshots; the second one was restarted before snapshot 103
    "dba_hist_snapshot": ("dbid, instance_number, snap_id, startup_time, end_interval_time", [
        *((7, number, snap, started, 100 - (104 - snap) / 24)
          for number, snap, started in (
              (1, 100, 1), (1, 101, 1), (1, 102, 1), (1, 103, 1), (1, 104, 1),
              (2, 101, 1), (2, 102, 1), (2, 103, 99), (2, 104, 99),
          )),
        (8, 1, 104, 1, 100.0),
    ]),
    "stats$snapshot": ("dbid, instance_number, snap_id, startup_time, snap_time", [
        (7, 1, 1, 1.0, 99.0), (7, 1, 2, 1, 99.5), (7, 1, 3, 1, 99.9), (7, 1, 4, 99.95, 100.0),
        # each instance takes numbers from the sequence for some snapshots to come
        (7, 2, 11, 1.0, 99.5), (7, 2, 12, 1, 99.9),
    ]),
    "dba_data_files": ("file_id, tablespace_name", [(1, "SYSTEM"), (2, "UNDOTBS1")]),
    "dba_temp_files": ("file_id, tablespace_name", [(1, "TEMP")]),
}  # fmt: skip


def found(query: str) -> list[tuple[object, ...]]:
    """What a query finds in the views; its signs `$` and `#` are letters of names in Oracle."""
    with closing(sqlite3.connect(":memory:")) as base:
        base.create_function("instr", 3, lambda text, part, _: text.rfind(part) + 1)
        base.create_function("greatest", 2, max)
        base.create_function(
            "decode", -1, lambda of, *pairs: dict(zip(pairs[::2], pairs[1::2], strict=True))[of]
        )
        base.create_function("chr", 1, chr)
        for name, (columns, rows) in VIEWS.items():
            base.execute(plain(f"CREATE TABLE {name} ({columns})"))
            marks = ", ".join("?" * len(rows[0]))
            base.executemany(plain(f"INSERT INTO {name} VALUES ({marks})"), rows)  # noqa: S608
        return base.execute(plain(query)).fetchall()


def plain(text: str) -> str:
    return text.replace("$", "_").replace("#", "_no")


def queries(name: str) -> list[str]:
    text = BLOCK.sub("", run("sql", name))
    return re.findall(r"^(?:SELECT|WITH)\b.*?(?=;$)", text, re.M | re.S)


def planned(script: str, **settings: object) -> list[str]:
    """The commands that a script of reports writes for SQL*Plus, with these settings."""
    text = run("sql", script)
    for name, value in {"dbid": 7, "db_name": "ORCHID", **settings}.items():
        text = re.sub(rf"(?m)^DEFINE {name} = '.*'$", f"DEFINE {name} = '{value}'", text)
    values = dict(re.findall(r"(?m)^DEFINE (\w+) = '(.*)'$", text))
    filled = re.sub(r"&(\w+)\.?", lambda found: values[found[1]], BLOCK.sub("", text))
    *_, query = re.findall(r"^(?:SELECT|WITH)\b.*?(?=;$)", filled, re.M | re.S)
    return [
        line
        for (lines,) in found(query.replace("SYSDATE", "100"))
        for line in str(lines).split("\n")
    ]


def reports_of(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("SELECT output")]


def test_every_interval_of_the_last_days_has_a_report_but_that_of_a_restart() -> None:
    lines = planned("reports", days=1)

    calls = [re.findall(r"awr_report_html\((.*?)\)\);", each)[0] for each in reports_of(lines)]
    assert calls == [
        "7, 1, 100, 101", "7, 1, 101, 102", "7, 2, 101, 102", "7, 1, 102, 103", "7, 1, 103, 104",
        "7, 2, 103, 104",
    ]  # fmt: skip
    assert "SPOOL /tmp/awrlens/awr_ORCHID_2_103_104.html" in lines
    # each snapshot is noted when all its reports are written
    assert lines.index("PROMPT DEFINE done_snap = 102") > lines.index("PROMPT awr_ORCHID_2_101_102")


def test_a_second_run_writes_only_what_is_new_and_loses_no_interval_between_two_runs() -> None:
    lines = planned("reports", days=1, done_snap=103)
    narrow = planned("reports", days=0.01)  # snapshot 103 is older, but the interval ended since

    assert [each[-14:-4] for each in reports_of(lines)] == ["1, 103, 10", "2, 103, 10"]
    assert reports_of(lines) == reports_of(narrow)
    assert planned("reports", days=1, done_snap=104) == []


def test_a_range_of_snapshots_has_one_report_of_every_instance_that_ran_throughout() -> None:
    lines = planned("reports", begin_snap=101, end_snap=104, format="text")

    assert reports_of(lines) == [
        "SELECT output FROM TABLE(dbms_workload_repository.awr_report_text(7, 1, 101, 104));"
    ]
    assert "SPOOL /tmp/awrlens/awr_ORCHID_1_101_104.txt" in lines
    assert not [line for line in lines if "done" in line]


def test_a_cluster_and_two_ranges_have_reports_of_their_own() -> None:
    lines = planned(
        "reports", cluster="YES", begin_snap=103, end_snap=104, earlier_begin_snap=101,
        earlier_end_snap=102,
    )  # fmt: skip

    every = "CAST(NULL AS VARCHAR2(10))"  # all instances; a type chooses one of two functions
    start = "SELECT output FROM TABLE(dbms_workload_repository."
    assert reports_of(lines) == [
        f"{start}awr_report_html(7, 1, 103, 104));",
        f"{start}awr_report_html(7, 2, 103, 104));",
        f"{start}awr_global_report_html(7, {every}, 103, 104));",
        f"{start}awr_diff_report_html(7, 1, 101, 102, 7, 1, 103, 104));",
        f"{start}awr_diff_report_html(7, 2, 101, 102, 7, 2, 103, 104));",
        f"{start}awr_global_diff_report_html(7, {every}, 101, 102, 7, {every}, 103, 104));",
    ]


def test_nothing_of_awr_is_read_before_the_license_is_confirmed() -> None:
    text = run("sql", "reports")

    assert text.startswith("-- LICENSE: AWR is part of the Oracle Diagnostics Pack")
    assert "DEFINE diagnostics_pack = 'NO'" in text
    stop = text.index("raise_application_error")
    assert text.index("WHENEVER SQLERROR EXIT") < stop < text.index("FROM dba_hist_snapshot")
    assert "dba_hist" not in run("sql", "statspack-reports").lower()


def test_statspack_reports_come_from_its_own_script_which_asks_nothing() -> None:
    lines = planned("statspack-reports", days=0.3, done_snaps="0, 0, 1, 0, 2, 12")

    assert lines == [
        "DEFINE dbid = 7", "DEFINE inst_num = 1", "DEFINE num_days = 0", "DEFINE begin_snap = 2",
        "DEFINE end_snap = 3", "DEFINE report_name = /tmp/awrlens/sp_ORCHID_1_2_3.lst",
        "@?/rdbms/admin/sprepins", "SPOOL /tmp/awrlens/awrlens_done_7_1.sql",
        "PROMPT DEFINE done_snap = 3", "SPOOL OFF", "SPOOL /tmp/awrlens/awrlens_done_7_1.sql",
        "PROMPT DEFINE done_snap = 4", "SPOOL OFF",
    ]  # fmt: skip
    whole = planned("statspack-reports", begin_snap=1, end_snap=3, done_snaps="0, 0, 1, 4, 2, 12")
    assert "DEFINE report_name = /tmp/awrlens/sp_ORCHID_1_1_3.lst" in whole


def test_statspack_continues_every_instance_after_its_own_last_snapshot() -> None:
    marks = run("sql", "statspack-reports").partition("_marks_")[2].partition(";")[0]
    query = re.search(r"^SELECT\b.*", re.sub(r"&(\w+)\.?", "7", marks), re.M | re.S)
    lines = planned("statspack-reports", days=1, done_snaps="0, 0, 1, 4, 2, 11")

    assert query is not None
    assert [str(line).split("\n")[1:] for (line,) in found(query[0])] == [
        [f"@7/awrlens_done_7_{each}.sql", f"DEFINE done_snaps = '&done_snaps, {each}, &done_snap'"]
        for each in (1, 2)
    ]
    names = [line.rpartition("/")[2] for line in lines if "report_name" in line]
    assert names == ["sp_ORCHID_2_11_12.lst"]


def test_both_scripts_of_reports_have_the_call_for_the_alert_log_of_the_page() -> None:
    page = (Path(__file__).parent.parent / "docs" / "get-a-report.md").read_text(encoding="utf-8")
    (adrci,) = re.findall(r"^adrci .* > .*$", page, re.M)

    for name in ("reports", "statspack-reports"):
        assert f"\n--   {adrci}\n" in by_name()[name].text()


def test_both_scripts_of_reports_undo_the_same_settings_of_login_sql() -> None:
    awr, statspack = (
        re.findall(r"(?m)^(?:SET (?!TERMOUT)|[TB]TITLE|WHENEVER).*", run("sql", name))
        for name in ("reports", "statspack-reports")
    )

    assert awr == statspack
    assert "SET AUTOTRACE OFF" in awr


@pytest.mark.parametrize("name", ["reports", "statspack-reports"])
def test_reports_have_neither_headings_nor_wrapped_lines_whatever_login_sql_sets(name: str) -> None:
    text = run("sql", name)

    for setting in ("HEADING OFF", "PAGESIZE 0", "FEEDBACK OFF", "VERIFY OFF", "TRIMSPOOL ON",
                    "TAB OFF", "RECSEP OFF", "TIMING OFF", "TERMOUT OFF"):  # fmt: skip
        assert re.search(rf"(?m)^SET .*\b{setting}\b", text), setting
    # every file is named with the folder
    for line in re.findall(r"(?m)^(?:SPOOL|@)(?! ?OFF).*", text):
        assert "&folder/" in line


def test_redo_placement_counts_the_other_files_beside_each_member() -> None:
    load, members, archive, lgwr = map(found, queries("redo-placement"))

    assert load == [("LOAD", 3.26), ("NUM_CPUS", 8)]
    assert [(member, others) for _, _, member, others in members] == [
        ("+data/orchid/onlinelog/group_1.261.1", 3),  # two data files and the recovery area
        ("/u02/redo/orchid/redo01.log", 1),  # an archive destination
        ("/u04/redo/orchid/redo03.log", 0),
        ("/u01/oradata/orchid/redo02.log", 2),  # a data file and a temporary file
        (r"D:\oradata\orchid\redo02b.log", 1),
    ]
    assert archive == [("/u03/arch",), ("/u02/redo/orchid",)]
    assert lgwr == [("4711", "LGWR")]


def test_io_timing_reads_data_files_and_temporary_files_with_their_tablespaces() -> None:
    cursor = re.search(r"CURSOR file_stats IS\s+(.*?);", run("sql", "io-timing"), re.S)

    assert cursor is not None
    assert found(cursor[1]) == [
        ("data 1", "+DATA/orchid/datafile/system.256.1", "SYSTEM", 500, 100, 700, 300),
        ("data 2", "+DATA/orchid/datafile/undotbs1.258.1", "UNDOTBS1", 585, 34_298, 1_673, 130_068),
        ("temp 1", "/u01/oradata/orchid/temp01.dbf", "TEMP", 33, 33, 2, 29),
    ]


def test_statement_mix_prints_the_call_that_uses_it() -> None:
    ((line,),) = found(*queries("statement-mix"))

    # sqlite prints 52.0 where Oracle prints 52; a merge is an update, a block of PL/SQL nothing
    call = str(line).replace(".0", "")
    assert call == "awrlens integrity --mix select=52,insert=31,update=5,delete=12"
    assert "MEDIUM + FULL" in run(*call.split()[1:])


#: What `io-timing` prints of the files of figure 17, with the widths of its statements.
TIMINGS = """\
IO Timing Analysis  DB/Inst: AULTDB/aultdb1
-> From V$FILESTAT and V$TEMPSTAT over 600 seconds; times are in ms

Tablespace                     FILENAME                                      PHYRDS     PHYWRTS   AVE_RD_TIM  AVE_WRT_TIM
------------------------------ ---------------------------------------- ----------- ----------- ------------ ------------
DATA                           +DATA2/datafile/data.257.660765277              4653         581     4042.241        7.263
UNDOTBS1                       +DATA2/datafile/undotbs1.258.660755929           585       34298       28.598       37.923
USERS                          +DATA2/datafile/users.259.660755929                0           0
TEMP                           +DATA2/tempfile/temp.274.660989059                33          33        0.606        8.787
          -------------------------------------------------------------
"""  # noqa: E501


def test_awrlens_reads_what_io_timing_prints() -> None:
    facts = api.facts_of(api.load(TIMINGS.encode(), "awrlens_io_timing.lst"))

    assert facts["undo.write_ms"].value == 37.923
    assert facts["temp.write_ms"].value == 8.787
    assert facts["undo.neighbour_read_ms"].value == 4042.241  # in +DATA2, as undo


def test_io_timing_behind_a_report_adds_the_write_times_that_it_lacks() -> None:
    report = samples.path("undo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    alone = api.facts_of(api.load(report.encode()))
    both = api.facts_of(api.load((report + "\n" + TIMINGS).encode()))

    assert alone["undo.write_ms"].value is None
    assert both["undo.write_ms"].value == 37.923
    assert both["undo.read_ms"].value == alone["undo.read_ms"].value == 28.6
