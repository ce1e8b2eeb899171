"""The first action is the one that can reach most time, unless something is critical."""

from __future__ import annotations

import pytest
from test_rules import facts_of

from awrlens import rules
from awrlens.advice import elsewhere, plan
from awrlens.advice.case import Case
from awrlens.advice.headline import headline
from awrlens.model import Analysis
from awrlens.policy import Policy

#: An hour with 3 sessions on CPU, of which a statement has the most, and 0.5 sessions at commit.
BUSY = {
    "load.elapsed_s": 3_600.0, "load.response_s": 18_000.0, "load.average_active_sessions": 5.0,
    "load.largest_consumer": "CPU", "load.largest_consumer_pct": 60.0,
    "load.leading_sql": ("4n3umtaapyywu",), "load.leading_sql_pct": 40.0,
    "redo.sync_wait_s": 1_800.0, "redo.commit_waits": 60_000.0, "redo.commit_ms": 30.0,
    "redo.local_write_ms": 20.0, "redo.write_ms": 20.0, "redo.lgwr_busy_pct": 20.0,
    "redo.bytes_per_write": 4_096.0, "redo.write_count": 36_000.0, "redo.commits_per_s": 16.7,
    "redo.buffer_wait_s": 0.0, "redo.log_switch_wait_s": 0.0, "host.idle_pct": 40.0,
}  # fmt: skip


def judged(changed: dict[str, object]) -> Analysis:
    """The analysis of facts."""
    facts, policy = facts_of(BUSY | changed), Policy()
    findings, skipped = rules.run(facts, policy)
    advised = plan.advise(Case.of(facts, findings, policy))
    found = Analysis(
        {"kind": "awr-text", "elapsed_s": 3_600.0}, facts, findings, advised.recommendations,
        advised.verdicts, skipped, (), rules=tuple(rules.oracle()),
    )  # fmt: skip
    said = headline(found, policy)
    return found._replace(headline=said.sentence, headline_lines=said.lines)


@pytest.mark.parametrize(
    ("pct", "sync_s", "consumer", "first"),
    [
        (40.0, 1_800.0, "CPU", True),  # 7,200 s
        (9.0, 1_800.0, "CPU", False),  # 1,620 s, which the commits exceed
        (40.0, 5_400.0, "CPU", False),  # 1.5 sessions wait for slow commits: critical
        (40.0, 1_800.0, "PX Deq Credit: send blkd", False),  # no blocks that SQL could save
    ],
)
def test_an_action_that_reaches_more_time_comes_before_a_warning(
    pct: float, sync_s: float, consumer: str, *, first: bool
) -> None:
    changed = {"load.leading_sql_pct": pct, "redo.sync_wait_s": sync_s,
               "redo.commit_waits": sync_s / 0.03, "load.largest_consumer": consumer}  # fmt: skip
    found = judged(changed)

    assert found.findings[0].severity == ("critical" if sync_s > 3_600 else "warning")
    assert (found.actions[0].id == "tune-leading-sql") is first
    assert found.urgency(found.actions[0]) == "Do now"
    assert first is found.headline.startswith("60 % of DB time is CPU.")


def test_an_action_that_reaches_more_is_not_before_a_host_without_cpu() -> None:
    assert judged({"host.idle_pct": 3.0}).actions[0].id == "free-processors"


@pytest.mark.parametrize(("idle_pct", "reach_s"), [(3.0, 5_400.0), (40.0, 7_200.0)])
def test_sql_is_named_by_its_work_where_the_cpu_is_busy(idle_pct: float, reach_s: float) -> None:
    """Elapsed times contain waits for CPU: SQL with most of these did not cause them."""
    found = judged({"host.idle_pct": idle_pct, "load.cpu_sql": ("bsdzx7xajvamf",),
                    "load.cpu_sql_pct": 50.0})  # fmt: skip
    tune = next(each for each in found.actions if each.id == "tune-leading-sql")

    assert tune.reach_s == pytest.approx(reach_s)


@pytest.mark.parametrize(
    ("buffer_s", "said"), [(3_600.0, "(1 of them for log buffer space)"), (1_000.0, "")]
)
def test_waits_for_log_buffer_space_are_told_apart_from_commits(buffer_s: float, said: str) -> None:
    found = judged({"redo.buffer_wait_s": buffer_s})

    of = found.findings[0].weight.of
    assert said in of
    assert bool(of) is bool(said)


@pytest.mark.parametrize(
    ("options", "asm", "said"),
    [
        ("SETALL", "no", "FILESYSTEMIO_OPTIONS is SETALL: writes are asynchronous and direct"),
        ("DEFAULT", "no", "FILESYSTEMIO_OPTIONS is not set: first test whether asynchronous"),
        ("DEFAULT", "yes", ""),
    ],
)
def test_asynchronous_io_is_checked_before_redo_is_moved(options: str, asm: str, said: str) -> None:
    found = judged({
        "redo.sync_wait_s": 5_400.0, "redo.commit_waits": 180_000.0, "checkpoint.asm": asm,
        "checkpoint.filesystemio_options": options, "checkpoint.disk_asynch_io": "TRUE",
        "database.release": "11.2.0.4.0",
    })  # fmt: skip
    move = next(each for each in found.recommendations if each.id == "redo-storage")

    assert move.status == "apply"
    assert said in move.action
    assert ("FILESYSTEMIO_OPTIONS" in move.action) is bool(said)


@pytest.mark.parametrize(("lost_s", "named"), [(100.0, True), (50.0, False), (None, False)])
def test_blocks_that_the_interconnect_lost_are_an_action(
    lost_s: float | None, *, named: bool
) -> None:
    """Of an hour, 0.028 and 0.014 sessions waited for `gc … lost`."""
    found = judged({"load.gc_lost_wait_s": lost_s} if lost_s else {})
    item = next((each for each in found.actions if each.id == "check-interconnect"), None)

    assert (item is not None) is named
    assert item is None or item.title.endswith("(`gc … lost` 100 s)")


@pytest.mark.parametrize(
    ("pct", "per_s", "named"),
    [(2.1, None, True), (1.9, None, False), (2.1, 1.0, True), (2.1, 0.99, False)],
)
def test_parses_that_fail_are_an_action_where_they_keep_sessions_busy(
    pct: float, per_s: float | None, *, named: bool
) -> None:
    """Of 5 active sessions, a tenth of one is 2 %. A few that take long wait for something else."""
    found = judged({"load.failed_parse_pct": pct, "load.failed_parses_per_s": per_s})
    item = next((each for each in found.actions if each.id == "find-failed-parses"), None)

    assert (item is not None) is named
    assert item is None or item.rollback


@pytest.mark.parametrize(("pct", "named"), [(30.0, True), (4.0, False), (None, False)])
def test_sequences_are_cached_first_where_loading_them_keeps_sessions_busy(
    pct: float | None, *, named: bool
) -> None:
    """Of 5 active sessions, 1.5 and 0.2; the warning costs 0.5 sessions."""
    found = judged({"load.largest_consumer": "row cache lock", "load.sequence_pct": pct})
    first = found.actions[0]

    assert (first.id == "cache-sequences") is named
    if named:
        assert "30 % of DB time" in first.title
        assert any(each.startswith("ALTER SEQUENCE") for each in first.commands)


@pytest.mark.parametrize(
    ("names", "of"),
    [(("SALES.ORDERS_SQ", "IDS"), "of SALES.ORDERS_SQ and IDS"), (None, "of sequences")],
)
def test_sequences_whose_numbers_much_sql_takes_are_named(
    names: tuple[str, ...] | None, of: str
) -> None:
    of_sequences = {"load.largest_consumer": "row cache lock", "load.sequence_pct": 30.0}
    found = judged({**of_sequences, "load.sequences": names})

    assert f"Increase CACHE {of} (30 % of DB time)" == found.actions[0].title


@pytest.mark.parametrize(
    ("size_kb", "pct", "named"), [(256.0, 21.0, True), (512.0, 21.0, False), (256.0, 19.0, False),
                                  (None, 21.0, False)]
)  # fmt: skip
def test_a_setting_that_cuts_scans_into_small_reads_comes_before_their_sql(
    size_kb: float | None, pct: float, *, named: bool
) -> None:
    found = judged({
        "load.largest_consumer": "direct path read", "load.largest_consumer_pct": pct,
        "io.scan_read_b": size_kb and size_kb * 1024, "load.db_time_s": 18_000.0,
    })  # fmt: skip
    ids = [step.id for step in found.actions]

    assert ("scan-in-large-reads" in ids) is named


@pytest.mark.parametrize(("rate", "slowed"), [(114.0, True), (11.4, False)])
def test_an_update_of_sequences_that_only_takes_longer_is_a_victim(
    rate: float, *, slowed: bool
) -> None:
    """AWR diff 10.2.0.3.0-rac_01: 114 and 124 a second, of 0.66 and 13 ms."""
    names = ("load.sequence_updates_per_s", "load.sequence_update_ms")
    first, second = (
        facts_of(BUSY | {"load.sequence_pct": 30.0} | dict(zip(names, values, strict=True)))
        for values in ((rate, 0.66), (124.0, 13.0))
    )
    case = Case.of(second, (), Policy(), before=first)
    item = elsewhere.cache_sequences(case)

    assert item is not None
    assert ("takes 13 ms instead of 0.66 ms: first remove" in item.action) is slowed
    assert (item.reach_s is None) is slowed


@pytest.mark.parametrize(
    ("about", "was", "begins"),
    [
        ("waits", "CPU", "Find why SQL 4n3umtaapyywu (40 % of DB time) waits (`gc cr multi"),
        ("waits", "gc cr multi block request", "Tune SQL"),  # it waited before, too
        ("", "CPU", "Tune SQL"),
    ],
)
def test_sql_that_newly_waits_without_cpu_is_looked_into_and_not_tuned(
    about: str, was: str, begins: str
) -> None:
    event = "gc cr multi block request"
    facts = facts_of(BUSY | {"load.largest_consumer": event, "load.largest_consumer_pct": 40.0})
    name = "load.leading_sql"
    note = "SQL 4n3umtaapyywu takes 40 %"
    facts[name] = facts[name]._replace(about=about, note=note)
    before = facts_of({"load.largest_consumer": was})

    item = elsewhere.tune_leading_sql(Case.of(facts, (), Policy(), before=before), "")

    assert item is not None
    assert item.title.startswith(begins)


#: Sessions wait for undo segments, and undo is kept for 10 hours.
SEGMENTS: dict[str, object] = {
    "undo.us_enqueue_wait_s": 1_800.0, "undo.segment_growth_wait_s": 0.0,
    "undo.retention_s": 36_000.0,
}  # fmt: skip


@pytest.mark.parametrize(("cuts", "files"), [(640.0, 1_200.0), (640.0, None)])
def test_a_longer_retention_is_never_advised_where_undo_space_ran_short(
    cuts: float, files: float | None
) -> None:
    found = judged(SEGMENTS | {"undo.retention_cuts": cuts, "undo.file_extensions": files})
    items = {each.id: each for each in found.actions}

    assert "more-undo-segments" not in items
    item = items["relieve-undo-space"]
    assert {"UNDO005", "UNDO014"} <= {*item.findings}
    assert "now 36,000 s" in item.action
    assert not any("undo_retention=" in each.lower() for each in item.commands)


def test_a_longer_retention_is_advised_beside_the_present_one() -> None:
    items = {each.id: each for each in judged(SEGMENTS).actions}

    assert "now 36,000 s" in items["more-undo-segments"].action
    assert "relieve-undo-space" not in items
