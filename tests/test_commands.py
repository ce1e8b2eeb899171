"""Commands that awrlens prints: the release of the report can run them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import corpus
import pytest
import samples
from test_recommendations import NEEDED
from test_rules import facts_of

from awrlens.advice import plan, storage
from awrlens.advice.case import Case
from awrlens.advice.features import SINCE, STATIC
from awrlens.advice.mttr import Request
from awrlens.advice.plan import CATALOGUE
from awrlens.lab import buddy, crash_test
from awrlens.lab.buddy import Range
from awrlens.model import Impact, Recommendation
from awrlens.policy import Policy
from awrlens.scripts import Script, by_name

RELEASES = (
    "8.1.7.4.1", "9.0.1.0.0", "9.2.0.8.0", "10.1.0.3.0", "10.2.0.4.0", "11.1.0.7.0", "11.2.0.4.0",
    "12.1.0.2.0", "12.2.0.1.0", "19.0.0.0.0", "23.7.0.25.1",
)  # fmt: skip
#: The first release in which a report has the findings of a recommendation.
FIRST = {
    "remove-checkpoint-parameters": "9.0.1.0.0", "speed-up-flashback-logs": "10.1.0.3.0",
    "look-for-lost-writes": "11.1.0.7.0", "check-nowait-commits": "10.2.0.4.0",
    "find-pga-users": "12.1.0.2.0",
}  # fmt: skip
VIEW = re.compile(r"(?<![\w$])(?:g?v\$|x\$|dba_|cdb_)\w+")
PARAMETER = re.compile(r"alter (?:system|session) (?:re)?set (\w+)")
#: Settings with which a recommendation has all of its commands.
SETTINGS: dict[str, Any] = {
    "pga.target_mb": 100.0, "pga.recommended_target_mb": 600.0, "pga.recommended_ends_pct": 86.0,
    "pga.hash_area_size_b": 1638400.0, "pga.bitmap_merge_area_size_b": 1048576.0,
    "checkpoint.disk_asynch_io": "FALSE", "checkpoint.filesystemio_options": "DEFAULT",
    "checkpoint.fast_start_io_target": 9.0, "checkpoint.db_block_max_dirty_target": 9.0,
    "integrity.db_block_checking": "FULL", "integrity.standby": "service", "redo.standby_wait_s": 9,
    "redo.log_mb": 5.0, "redo.mb_per_switch": 5.0, "redo.bytes_written_per_s": 1e6,
    "redo.minutes_per_switch": 0.1, "temp.spilling_sql": ("6gvch1xu9ca3g",),
}  # fmt: skip


def hold(command: str, release: str) -> None:
    """A release has all parts of a command, and the table of features lists them."""
    said = command.lower()
    found = re.match(r"(\d+)\.(\d+)", release)
    assert found is not None
    now = int(found[1]), int(found[2])

    assert not [word for word, since in SINCE.items() if word in said and since > now], command
    assert set(VIEW.findall(said)) | set(PARAMETER.findall(said)) <= set(SINCE), command
    for name in PARAMETER.findall(said):
        assert name not in STATIC or "scope=spfile" in said, command
    assert "alter system reset" not in said or "sid=" in said, command


#: What a script uses of later releases: its statement fails in earlier ones, and the others run.
LATER = {
    "recovery": {"v$mttr_target_advice", "optimal_logfile_size"},
    "redo-placement": {"v$osstat"},
    "io-timing": {"dbms_session.sleep"},  # only executed in the releases that have it
    "reports": {"awr_diff_report_", "awr_global_"},  # compare-period and cluster reports
}


def statements(text: str) -> str:
    """A script without its comments and remarks, as one text."""
    lines = (line.partition("--")[0] for line in text.splitlines())
    return " ".join(line for line in lines if not line.startswith("PROMPT")).lower()


def commands(item: Recommendation) -> tuple[str, ...]:
    return (*item.commands, *item.rollback, *item.validate, *item.prerequisites)


def case_of(release: str, *rules: str, rac: bool = False, **facts: Any) -> Case:
    """A case of a release, with findings of these rules."""
    finding = samples.analysis("redo-disk.awr-11.2.txt").findings[0]
    found = tuple(
        finding._replace(id=rule, severity="warning", impact=Impact(9.0, None, "invented"),
                         contributing=())
        for rule in rules
    )  # fmt: skip
    values = {"database.release": release, "load.elapsed_s": 3600.0} | facts
    return Case.of(facts_of(values), found, Policy(), Request(rac=rac))


def worded(name: str, release: str, **facts: Any) -> Iterator[Recommendation]:
    """A recommendation for findings of each of its rules."""
    for rule in CATALOGUE[name].answers:
        case = case_of(release, rule, **{**SETTINGS, **NEEDED.get(name, {}), **facts})
        item = plan.ANSWERS[name](case)
        if item is not None:
            yield item


@corpus.over("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-text",
             "awr-rac-global-html", "awr-diff-text", "awr-diff-html")  # fmt: skip
def test_the_release_of_a_report_can_run_what_is_advised(entry: corpus.Entry) -> None:
    analysis = corpus.analysis(entry)
    for part in (analysis, *analysis.instances, *analysis.periods):
        for item in part.recommendations:
            for command in commands(item):
                hold(command, entry.release)


@pytest.mark.parametrize(
    ("name", "release"),
    [
        (name, release)
        for name in plan.ANSWERS
        for release in RELEASES[RELEASES.index(FIRST.get(name, RELEASES[0])) :]
    ],
)
def test_every_release_can_run_what_a_recommendation_prints(name: str, release: str) -> None:
    for management in ("auto", "manual"):
        for item in worded(name, release, **{"undo.management": management}):
            for command in commands(item):
                hold(command, release)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("segment", ["redo", "temp", "undo"])
def test_every_release_can_run_what_moves_files(segment: storage.Segment, release: str) -> None:
    verdict = storage.StorageVerdict("apply", "because")
    item = storage.MOVES[segment](case_of(release), verdict)

    assert item is not None
    assert item.commands
    for command in commands(item):
        hold(command, release)


@pytest.mark.parametrize(
    "script",
    [each for each in by_name().values() if each.engine == "Oracle"],
    ids=lambda each: each.name,
)
def test_a_script_says_the_first_release_that_can_run_it(script: Script) -> None:
    said = statements(script.text())
    since = max(
        release for word, release in SINCE.items()
        if word in said and word not in LATER.get(script.name, ())
    )  # fmt: skip

    assert set(VIEW.findall(said)) <= set(SINCE)
    assert tuple(map(int, script.since.split("."))) == since


@pytest.mark.parametrize("rac", [False, True])
def test_every_release_with_a_recovery_target_can_run_a_crash_test(rac: bool) -> None:
    planned = crash_test.plan(Request(desired_mttr_s=120.0, rac=rac))
    scripts = [statements(crash_test.script_text(name)) for name in crash_test.SCRIPTS]

    for command in (*(each for step in planned.steps for each in step.commands), *scripts):
        hold(command, "9.0.1.0.0")


def test_every_release_with_buddy_instances_can_look_at_their_parameters() -> None:
    """They came with 12.2."""
    first_pass = Range(900.0, 800.0, 1000.0)
    found = buddy.advise(
        facts_of({"redo.bytes_per_s": 1e6, "database.release": "12.2.0.1.0"}), first_pass, rac=True
    )

    assert found.item.commands
    for command in found.item.commands:
        hold(command, "12.2.0.1.0")


def test_rollback_segments_are_brought_online_before_the_old_ones_go_offline() -> None:
    (item,) = worded("isolate-undo", "8.1.7.4.1")

    assert (
        "CREATE TABLESPACE <tablespace> DATAFILE '<path on other disks>' SIZE <size>;",
        "CREATE ROLLBACK SEGMENT <new segment> TABLESPACE <tablespace>;",
        "ALTER ROLLBACK SEGMENT <new segment> ONLINE;",
        "ALTER ROLLBACK SEGMENT <old segment> OFFLINE;",
        "rollback_segments=(<new segments>) # in the parameter file, from the next start",
    ) == item.commands[1:]


def test_a_rollback_segment_is_offline_before_it_is_dropped() -> None:
    (*_, item) = worded("more-undo-segments", "9.2.0.8.0", **{"undo.management": "manual"})

    assert "ALTER ROLLBACK SEGMENT <new segment> ONLINE;" in item.commands
    assert (
        "ALTER ROLLBACK SEGMENT <new segment> OFFLINE;",
        "DROP ROLLBACK SEGMENT <new segment>;",
    ) == item.rollback[:2]


def test_an_instance_of_a_cluster_gets_its_own_undo_tablespace() -> None:
    item = plan.ANSWERS["isolate-undo"](case_of("19.0.0.0.0", "UNDO010", rac=True))

    assert item is not None
    assert (
        "ALTER SYSTEM SET undo_tablespace=<new undo> SCOPE=BOTH SID='<instance>';"
        == item.commands[-1]
    )


CONTAINERS = "SELECT con_id, tablespace_name FROM cdb_tablespaces WHERE contents = 'UNDO';"


@pytest.mark.parametrize("name", ["size-undo", "more-undo-segments", "isolate-undo"])
def test_undo_of_a_container_database_is_changed_in_its_container(name: str) -> None:
    local = {"database.cdb": "YES", "undo.tablespaces": ("UNDOTBS1", "UNDO_2")}
    for item in worded(name, "12.2.0.1.0", **local):
        assert item.commands[0] == CONTAINERS
        said = " ".join(item.prerequisites)
        assert "every pluggable database has its own undo tablespace" in said
        assert "The report shows UNDOTBS1, UNDO_2, but not in which container" in said


@pytest.mark.parametrize(
    ("release", "cdb"), [("12.1.0.2.0", "YES"), ("19.0.0.0.0", "NO"), ("19.0.0.0.0", None)]
)
def test_without_local_undo_there_is_one_undo_tablespace(release: str, cdb: str | None) -> None:
    for name in ("size-undo", "more-undo-segments", "isolate-undo"):
        for item in worded(name, release, **{"database.cdb": cdb}):
            assert CONTAINERS not in item.commands
            assert "container" not in " ".join(item.prerequisites)


def test_undo_storage_of_a_container_database_names_the_container_too() -> None:
    facts: dict[str, Any] = {"database.cdb": "YES"}
    case = case_of("19.0.0.0.0", **facts)
    item = storage.undo_storage(case, storage.StorageVerdict("apply", "because"))

    assert item.commands[0] == CONTAINERS
    assert "The report shows no undo tablespace" in item.prerequisites[0]


def test_sessions_change_only_the_sizes_that_they_can_change() -> None:
    """ALTER SESSION refuses the sizes of bitmap operations, in every release (ORA-02096)."""
    (*_, item) = worded("size-work-areas", "8.1.7.4.1")

    assert (
        "ALTER SESSION SET sort_area_size=<bytes before>;",
        "ALTER SESSION SET hash_area_size=1638400;",
    ) == item.rollback


def test_without_sorts_on_disk_the_size_of_hash_joins_comes_first() -> None:
    (*_, item) = worded("size-work-areas", "8.1.7.4.1", **{"temp.sorts_disk": 0.0})

    assert item.title == "Increase HASH_AREA_SIZE"
    assert "no sort spills, so begin with HASH_AREA_SIZE" in item.action
    assert ("ALTER SESSION SET hash_area_size=<bytes>;",) == item.commands
    assert ("ALTER SESSION SET hash_area_size=1638400;",) == item.rollback


def test_with_sorts_on_disk_both_sizes_are_named() -> None:
    """179 sorts of 23,838 went to disk; no statistic of 8i counts hash joins."""
    (*_, item) = worded("size-work-areas", "8.1.7.4.1", **{"temp.sorts_disk": 179.0})

    assert item.title == "Increase SORT_AREA_SIZE and HASH_AREA_SIZE"
    assert "the report does not count hash joins on disk" in item.action
    assert len(item.commands) == len(item.rollback) == 2


def test_manual_work_areas_are_the_rollback_of_a_pga_target() -> None:
    (*_, item) = worded("size-work-areas", "9.2.0.8.0")

    assert "ALTER SYSTEM SET workarea_size_policy=AUTO SCOPE=BOTH;" in item.commands
    assert ("ALTER SYSTEM SET workarea_size_policy=MANUAL SCOPE=BOTH;",) == item.rollback


def test_checksums_of_old_releases_are_true_or_false() -> None:
    before, after = (
        item for release in ("9.2.0.8.0", "10.2.0.4.0")
        for item in worded("turn-checksums-on", release)
    )  # fmt: skip

    assert ("ALTER SYSTEM SET db_block_checksum=TRUE SCOPE=BOTH;",) == before.commands
    assert ("ALTER SYSTEM SET db_block_checksum=TYPICAL SCOPE=BOTH;",) == after.commands


def test_a_dynamic_parameter_of_8i_is_kept_in_the_parameter_file() -> None:
    (item,) = worded("turn-checksums-on", "8.1.7.4.1")

    assert (
        "ALTER SYSTEM SET db_block_checksum=TRUE; -- and in the parameter file, for the next start",
    ) == item.commands
