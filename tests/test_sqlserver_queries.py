"""What the queries of the SQL Server scripts find, on an invented instance.

They are rewritten from T-SQL for DuckDB by sqlglot; tables of the names of the views stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from awrlens.scripts import by_name

duckdb = pytest.importorskip("duckdb")
sqlglot = pytest.importorskip("sqlglot")

LITERAL = re.compile(r"N'((?:[^']|'')*)'")
#: ID, name, target, state, read only, standby, snapshot of, group role (None: no group), writable.
DATABASES = [
    (1, "master", 0, 0, 0, 0, None, None, 1),
    (2, "tempdb", 0, 0, 0, 0, None, None, 1),
    (3, "model", 60, 0, 0, 0, None, None, 1),
    (4, "msdb", 0, 0, 0, 0, None, None, 1),
    (5, "Old", 0, 0, 0, 0, None, None, 1),
    (6, "New", 60, 0, 0, 0, None, None, 1),
    (7, "Offline", 0, 6, 0, 0, None, None, 1),
    (8, "Archive", 0, 0, 1, 0, None, None, 1),
    (9, "Standby", 0, 0, 0, 1, None, None, 1),
    (10, "Snapshot", 0, 0, 0, 0, 5, None, 1),
    (11, "Primary", 0, 0, 0, 0, None, "PRIMARY", 1),
    (12, "Secondary", 0, 0, 0, 0, None, "SECONDARY", 0),
    (13, "Distributed", 0, 0, 0, 0, None, "PRIMARY", 0),
    (14, "Restored", 0, 0, 0, 0, None, None, 1),
    (15, "Other", 30, 0, 0, 0, None, None, 1),
]  # fmt: skip


@pytest.fixture(scope="module")
def instance() -> Iterator[Any]:
    base = duckdb.connect()
    base.execute("ATTACH ':memory:' AS msdb")
    base.execute("CREATE SCHEMA msdb.dbo")
    base.execute("CREATE SCHEMA sys")
    base.execute(
        "CREATE TABLE sys.databases (database_id INT, name TEXT, target_recovery_time_in_seconds "
        "INT, state INT, state_desc TEXT, is_read_only INT, is_in_standby INT, source_database_id "
        "INT, create_date TIMESTAMP, compatibility_level INT)"
    )
    base.execute(
        "CREATE TABLE sys.availability_databases_cluster (group_id INT, database_name TEXT)"
    )
    base.execute(
        "CREATE TABLE sys.dm_hadr_availability_replica_states (group_id INT, is_local INT, "
        "role_desc TEXT)"
    )
    base.execute("CREATE TABLE sys.dm_os_sys_info AS SELECT 3221225472 AS physical_memory_kb")
    base.execute("CREATE TABLE sys.dm_exec_requests AS SELECT 'LAZY WRITER' AS command")
    base.execute(
        "CREATE TABLE msdb.dbo.restorehistory (destination_database_name TEXT, restore_date "
        "TIMESTAMP)"
    )
    base.execute("CREATE TABLE writable (name TEXT)")
    for id_, name, target, state, read_only, standby, source, role, updateable in DATABASES:
        # all are old; New and Restored are of yesterday
        created = "now()::TIMESTAMP - INTERVAL 1 DAY" if name == "New" else "TIMESTAMP '2012-01-01'"
        base.execute(
            f"INSERT INTO sys.databases VALUES (?, ?, ?, ?, ?, ?, ?, ?, {created}, 110)",  # noqa: S608
            [id_, name, target, state, "OFFLINE" if state else "ONLINE", read_only, standby,
             source],
        )  # fmt: skip
        if role:
            base.execute(
                "INSERT INTO sys.availability_databases_cluster VALUES (?, ?)", [id_, name]
            )
            base.execute(
                "INSERT INTO sys.dm_hadr_availability_replica_states VALUES (?, 1, ?)", [id_, role]
            )
        if updateable:
            base.execute("INSERT INTO writable VALUES (?)", [name])
    base.execute(
        "INSERT INTO msdb.dbo.restorehistory VALUES ('Restored', now()::TIMESTAMP - INTERVAL 1 "
        "DAY), ('Old', TIMESTAMP '2013-01-01')"
    )
    base.execute(
        "CREATE MACRO databasepropertyex(n, what) AS "
        "CASE WHEN EXISTS (SELECT 1 FROM writable AS w WHERE w.name = n) THEN 'READ_WRITE' "
        "ELSE 'READ_ONLY' END"
    )
    base.execute("CREATE MACRO quotename(n) AS '[' || replace(n, ']', ']]') || ']'")
    yield base
    base.close()


def run(base: Any, script: str, number: int = 0) -> list[dict[str, Any]]:
    """The rows of a query that a script runs from a text."""
    texts = [each.replace("''", "'").strip() for each in LITERAL.findall(by_name()[script].text())]
    query = [each for each in texts if each.startswith("SELECT") and len(each) > 80][number]
    query = re.sub(r";\s*(?:SET @found = @@ROWCOUNT;)?$", "", query)
    for name, value in {"@@VERSION": "N'SQL Server 2017'", "@seconds": "60", "@days": "30",
                        "@only": "NULL"}.items():  # fmt: skip
        query = query.replace(name, value)
    (plain,) = sqlglot.transpile(query, read="tsql", write="duckdb")
    plain = re.sub(r"\bN'", "'", plain)
    plain = re.sub(r" \+ (?=')|(?<=') \+ |(?<=\)) \+ ", " || ", plain)
    plain = re.sub(r"\) AS (grp|r) WHERE", r") AS \1 ON TRUE WHERE", plain)  # of a LATERAL join
    found = base.execute(plain)
    names = [each[0] for each in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_the_decision_on_every_database_is_that_of_document_5(instance: Any) -> None:
    rows = [tuple(each.values()) for each in run(instance, "target-recovery-time")]
    decisions = {name: (decision, reason) for _, name, _, decision, reason in rows}

    assert {"Old", "Primary", "Restored", "Other"} == {
        name for name, (decision, _) in decisions.items() if decision == "change"
    }
    assert {"Secondary", "Distributed"} == {
        name for name, (decision, _) in decisions.items() if decision == "warning"
    }
    assert ("done", "has this target") == decisions["New"]
    assert {
        "master": "a database of the system", "msdb": "a database of the system",
        "tempdb": "tempdb is never changed here (KB 4497928)",
        "model": "model: tempdb is made of it at the next start",
        "Offline": "not online: OFFLINE", "Archive": "read only", "Standby": "in standby",
        "Snapshot": "a database snapshot",
    } == {
        name: reason for name, (decision, reason) in decisions.items() if decision == "leave"
    }  # fmt: skip


def test_the_inventory_counts_user_databases_with_the_version(instance: Any) -> None:
    (counted,) = run(instance, "checkpoint-inventory")

    assert (11, 9, 1, "SQL Server 2017", 3072, 1, 0, 60) == tuple(counted.values())
    listed = {each["name"]: each for each in run(instance, "checkpoint-inventory", 1)}
    assert "New" not in listed
    assert (30, None) == (listed["Other"]["target_s"], listed["Other"]["restored"])
    assert 10 == len(listed)


def test_the_check_finds_what_was_created_or_restored_lately(instance: Any) -> None:
    found = run(instance, "target-recovery-check")

    assert ["Restored"] == [each["name"] for each in found]  # New has its target
    assert "ALTER DATABASE [Restored] SET TARGET_RECOVERY_TIME = 60 SECONDS;" == found[0]["command"]
