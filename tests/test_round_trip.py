"""What the writers of our samples write of any workload is what is read.

The writers print a workload in each layout; the reader must give it back, as far as it is
printed: whole numbers exactly, times as rounded, overflow as absent and never as zero.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from examples import at_most
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from test_samples import DISK, derived, generate

from awrlens import api

if TYPE_CHECKING:
    from awrlens.report.report import Report
    from awrlens.report.table import Table

#: Layouts, two of them as clients with decimal commas write them, and one of a cluster.
OTHERS = {name: w for name, w in generate.OTHER_LAYOUTS.items() if "pdb" not in name}
WRITERS = (
    generate.WRITERS
    | OTHERS
    | {
        name.removeprefix("redo-disk."): write
        for name, write in generate.VARIANTS.items()
        if name.startswith("redo-disk.")
    }
    | {"awr-11.2.rac.html": generate.awr_html.write_11}
)
LAYOUTS = list(WRITERS)
MODULES = {
    "statspack-8.1.7.lst": "statspack_8", "statspack-9.2.lst": "statspack_9",
    "statspack-10.2.lst": "statspack_10", "statspack-11.2.txt": "statspack_11",
    "statspack-19c.txt": "statspack_11", "awr-11.2.txt": "awr_text", "awr-19c.txt": "awr_text_19",
    "awr-10.2.html": "awr_text_10", "awr-10.2.txt": "awr_text_10",
}  # fmt: skip
#: Totals of waits are printed in whole seconds.
ROUNDED_S = 0.5

#: Where text reports cut the value of a parameter.
CUT = 33
#: Redo blocks from here on may leave their column.
OVERFLOW = 10**7
#: Counts of every size: the small ones, and those that leave their columns.
counts = st.one_of(
    st.integers(0, 999), st.integers(0, 10**7), st.integers(10**7, 10**12), st.integers(0, 10**15)
)
some = st.integers(1, 10**9)
times_us = st.one_of(st.integers(1, 10**6), st.integers(10**6, 10**12))
#: Names as Oracle has them: words, numbers and signs, no blanks at the ends or in a row.
names = st.from_regex(r"[a-zA-Z][a-zA-Z0-9]{2,8}(?: [a-zA-Z0-9*:_-]{2,9}){1,4}", fullmatch=True)

STATISTICS = [
    "redo write time", "redo writes", "redo size", "redo wastage", "redo blocks written",
    "redo log space requests", "redo log space wait time", "redo synch time", "redo synch writes",
    "undo change vector size", "rollback changes - undo records applied",
    "data blocks consistent reads - undo records applied", "sorts (disk)", "sorts (memory)",
    "parse count (total)", "recursive calls",
]  # fmt: skip


class Case:
    """A workload that shows only what was changed in it."""

    def __init__(self, workload: Any) -> None:
        self.workload = workload

    def __repr__(self) -> str:
        w = self.workload
        return repr({
            "statistics": {k: v for k, v in w.statistics.items() if DISK.statistics[k] != v},
            "events": [e for e in w.events if e not in DISK.events],
            "files": [f for f in w.files if f not in DISK.files],
            "recovery": [r for r in w.recovery if r not in DISK.recovery],
        })  # fmt: skip


@st.composite
def workloads(draw: st.DrawFn) -> Case:
    """A workload with other figures: statistics, waits, files, recovery, undo, parameters."""
    statistics = dict(DISK.statistics)
    for name in draw(st.lists(st.sampled_from(STATISTICS), unique=True, max_size=8)):
        if name in statistics:
            statistics[name] = draw(counts)
    events = []
    for event in DISK.events:
        if not event.idle and draw(st.booleans()):
            waits = draw(some)
            event = dataclasses.replace(  # noqa: PLW2901 - another event of the name
                event, waits=waits, time_us=draw(times_us), timeouts=draw(st.integers(0, waits))
            )
        events.append(event)
    known = {event.name for event in events}
    for name in draw(st.lists(names, unique=True, max_size=3)):
        if not any(k[:20] == name[:20] for k in known):
            kind = dataclasses.replace(DISK.events[0], name=name, waits=draw(some))
            events.append(dataclasses.replace(kind, time_us=draw(times_us)))
    files = tuple(
        dataclasses.replace(
            file, reads=draw(some), read_us=draw(times_us), writes=draw(some),
            direct_reads=0, direct_blocks_read=0,
        )
        if draw(st.booleans()) and not file.temporary
        else file
        for file in DISK.files
    )  # fmt: skip
    recovery = tuple(
        dataclasses.replace(
            row, target_mttr_s=draw(st.integers(0, 3600)),
            estimated_mttr_s=draw(st.integers(0, 9999)),
            actual_redo_blocks=draw(st.integers(0, 10**8)),
            target_redo_blocks=draw(st.integers(0, 10**8)),
        )
        for row in DISK.recovery
    )  # fmt: skip
    undo = tuple(
        dataclasses.replace(row, max_query_s=draw(st.integers(0, 99_999))) for row in DISK.undo
    )
    parameters = dict(DISK.parameters)
    parameters["undo_tablespace"] = draw(st.from_regex(r"[A-Z][A-Z0-9_]{2,25}", fullmatch=True))
    checkpoint = dataclasses.replace(DISK.checkpoint, log_size_writes=draw(st.integers(0, 10**8)))
    return Case(
        dataclasses.replace(
            DISK,
            statistics=statistics,
            events=tuple(events),
            files=files,
            recovery=recovery,
            undo=undo,
            parameters=parameters,
            checkpoint=checkpoint,
        )
    )


def read(layout: str, workload: Any) -> tuple[Report, Any]:
    if ".rac." in layout:
        workload = generate.redo_cluster.member(workload)
    text = WRITERS[layout](workload)
    english = layout.replace(".pt.", ".").replace(".de.", ".")
    module = sys.modules[f"generator.{MODULES.get(english, 'awr_html')}"]
    year = re.search(r"-(11|12|19|23)", layout)
    release = getattr(module, f"RELEASE_{year[1] if year else 9}", None) or module.RELEASE
    return api.load(text.encode(), layout), derived.Derived(workload, release)


def figure(table: Table, key: str, column: str) -> tuple[bool, float | None]:
    """Whether the row is printed with a name of its own, and its figure."""
    row = table.row(key)
    return row is not None, row.number(column) if row is not None else None


def statistics_are_read_as_written(report: Report, d: Any) -> None:
    table = report.tables["instance_activity"]
    missing = []
    for name, total in d.printed_statistics():
        there, value = figure(table, name, "total")
        if not there:
            missing.append(name)
        elif value is None:  # it did not fit its column; 8i diffs nothing that is current
            assert len(f"{total:,}") > 12 or "current" in name.split(), name
        else:
            assert value == total, name
    # a name that is cut like another's stands for neither
    assert len(missing) <= 12, missing


def waits_are_read_as_written(report: Report, d: Any) -> None:
    background = report.tables["background_events"]
    for event in d.workload.events:
        table = background
        if not event.background:
            table = report.tables.get("foreground_events") or report.tables["wait_events"]
            if report.tables.get("foreground_events") is None:
                continue  # one list for both, added up
        there, waits = figure(table, event.name, "waits")
        if not there:
            continue  # too short to be printed, or cut like another
        assert waits in (event.waits, None), event.name
        seconds = figure(table, event.name, "total_wait_s")[1]
        assert seconds is None or seconds == pytest.approx(
            event.time_us / 1e6, abs=ROUNDED_S + 1e-9
        )


def waits_of_one_list_are_read_added_up(report: Report, d: Any) -> None:
    """Up to 10.2 foreground and background waits of an event are one row."""
    table = report.tables.get("wait_events")
    if table is None:
        return
    until_10 = sys.modules["generator.statspack_until_10"]
    for event in derived.combined(until_10.seen_by(d.release, d.workload).events):
        there, waits = figure(table, event.name, "waits")
        unlisted = event.name in until_10.BACKGROUND_ONLY or event.time_us < until_10.LEAST_US
        assert there or unlisted, event.name
        assert waits in (event.waits, None), event.name
        seconds = figure(table, event.name, "total_wait_s")[1]
        assert seconds is None or seconds == pytest.approx(
            event.time_us / 1e6, abs=ROUNDED_S + 1e-9
        )


def files_and_recovery_are_read_as_written(report: Report, d: Any) -> None:
    workload = d.workload
    files = {row.text("filename"): row for row in report.tables["file_io"]}
    for file in workload.files:
        row = files[file.name]
        assert row.number("reads") in (file.reads, None)
        assert row.number("writes") in (file.writes, None)
        assert row.text("tablespace") == file.tablespace
    recovery = report.tables.get("instance_recovery")
    if recovery is None:
        assert d.release.major < 9
        return
    for expected, row in zip(workload.recovery, recovery, strict=True):
        for column in ("target_mttr_s", "estimated_mttr_s"):
            assert row.number(column) == getattr(expected, column)
        for column in ("actual_redo_blocks", "target_redo_blocks"):
            value = row.number(column)
            written = getattr(expected, column)
            fits = written < OVERFLOW
            assert value == pytest.approx(written, rel=5e-3) if fits else value is None or value


def facts_are_those_of_the_workload(report: Report, d: Any) -> None:
    workload = d.workload
    facts = api.facts_of(report)
    s = d.statistics
    expected = {
        "redo.write_ms": s["redo writes"] and s["redo write time"] * 10 / s["redo writes"],
        "redo.wastage_per_write": s["redo writes"] and s["redo wastage"] / s["redo writes"],
        "redo.writes_per_s": s["redo writes"] / d.elapsed_s,
        "redo.space_requests": s["redo log space requests"],
        "redo.space_wait_s": s["redo log space wait time"] / 100,
        "undo.rollback_records_applied": s["rollback changes - undo records applied"],
        "temp.sorts_disk": s["sorts (disk)"],
        "undo.tablespace_writes": sum(
            file.writes for file in workload.files if file.tablespace == "UNDOTBS1"
        ),
        "checkpoint.target_mttr_s": workload.recovery[1].target_mttr_s,
        "checkpoint.estimated_mttr_s": workload.recovery[1].estimated_mttr_s,
    }
    for name, value in expected.items():
        found = facts[name]
        if found.value is None:
            assert found.status == "unavailable"
            continue
        # the header's minutes have two decimals
        assert found.number == pytest.approx(value, rel=2e-4, abs=1e-9), name
    identity = report.identity
    assert identity.db_name == workload.database.name
    assert identity.begin_snap == workload.begin.snap_id
    assert identity.elapsed_s == pytest.approx(d.elapsed_s, abs=0.5)


def the_rest_is_read_as_written(report: Report, d: Any) -> None:
    """Undo, checkpoints and parameters."""
    workload = d.workload
    summary = report.tables.get("undo_summary")
    assert (summary is None) == (d.release.major < 9)
    if summary is not None:
        longest_s = max(row.max_query_s for row in workload.undo)
        assert summary.rows[0].number("max_query_s") == longest_s
    parameters = report.parameters()
    for name, value in workload.parameters.items():
        # Oracle cuts values at 33 letters in text
        shown = parameters.get(name, value)
        assert shown == value or (len(shown) == CUT and value.startswith(shown)), name
    activity = report.tables.get("checkpoint_activity")
    if activity is not None:
        assert activity.rows[0].number("log_size_writes") == workload.checkpoint.log_size_writes


CHECKS = (
    the_rest_is_read_as_written,
    statistics_are_read_as_written, waits_are_read_as_written,
    waits_of_one_list_are_read_added_up,
    files_and_recovery_are_read_as_written, facts_are_those_of_the_workload,
)  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@at_most(50, suppress_health_check=[HealthCheck.too_slow])
@given(case=workloads())
def test_what_is_read_is_what_was_written(layout: str, case: Case) -> None:
    report, d = read(layout, case.workload)
    for check in CHECKS:
        check(report, d)
