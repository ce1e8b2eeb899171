"""The reports of a cluster's instances and the report of the cluster are of the same hours."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
import samples

from awrlens import api
from awrlens.model import with_parts
from awrlens.report.report import Report
from awrlens.report.table import Table

CLUSTER = pytest.mark.parametrize(
    "cluster", ["redo-cluster.awr-rac-11.2.txt", "redo-cluster.awr-rac-11.2.html"]
)
INSTANCE = pytest.mark.parametrize("instance", ["1", "2"])
BOTH = ("1", "2")

#: Columns of the report of the cluster, and the rows of an instance's that print the same.
TIME_MODEL = {
    "db_time_s": "DB time",
    "db_cpu_s": "DB CPU",
    "sql_execute_s": "sql execute elapsed time",
    "parse_s": "parse time elapsed",
    "hard_parse_s": "hard parse elapsed time",
    "plsql_s": "PL/SQL execution elapsed time",
    "background_s": "background elapsed time",
    "background_cpu_s": "background cpu time",
}
STATISTICS = {
    "logical_reads": "session logical reads",
    "physical_reads": "physical reads",
    "physical_writes": "physical writes",
    "block_changes": "db block changes",
    "user_calls": "user calls",
    "executes": "execute count",
    "parses": "parse count (total)",
    "logons": "logons cumulative",
}
BLOCKS_AND_MESSAGES = {
    "current_blocks_received": "gc current blocks received",
    "cr_blocks_received": "gc cr blocks received",
    "current_blocks_served": "gc current blocks served",
    "cr_blocks_served": "gc cr blocks served",
    "gcs_sent": "gcs messages sent",
    "ges_sent": "ges messages sent",
    "blocks_lost": "gc blocks lost",
}
MESSAGES = {
    "gcs_received": "gcs msgs received",
    "ges_received": "ges msgs received",
    "sent_direct": "messages sent directly",
    "sent_indirect": "messages sent indirectly",
}
BUFFERS = {
    "local_cache_pct": "Buffer access -  local cache %",
    "remote_cache_pct": "Buffer access - remote cache %",
    "disk_pct": "Buffer access -         disk %",
}


def of_instance(instance: str) -> Report:
    return samples.report(f"redo-cluster-{instance}.awr-11.2.html")


def by_number(table: Table, instance: str) -> dict[str | None, float | None]:
    """The figures of one instance in a table of the cluster."""
    (row,) = (row for row in table if row.text(table.columns[0].name or "") == instance)
    return {c.name: row.number(c.name) for c in table.columns[1:] if c.name}


def column(report: Report, table: str, name: str, rows: Iterable[str]) -> list[float | None]:
    found = {row: report.tables[table].row(row) for row in rows}
    return [row.number(name) if row is not None else None for row in found.values()]


@CLUSTER
@INSTANCE
@pytest.mark.parametrize(
    ("of_all", "printed", "of_one", "name"),
    [
        ("time_model_by_instance", TIME_MODEL, "time_model", "time_s"),
        ("system_statistics_by_instance", STATISTICS, "instance_activity", "total"),
        ("global_messaging_by_instance", BLOCKS_AND_MESSAGES, "instance_activity", "total"),
        ("global_messaging_by_instance", MESSAGES, "global_enqueue_statistics", "total"),
        ("global_cache_efficiency_by_instance", BUFFERS, "global_cache_efficiency", "value"),
    ],
)
def test_a_row_of_an_instance_says_what_the_report_of_the_instance_says(
    cluster: str, instance: str, of_all: str, printed: dict[str, str], of_one: str, name: str
) -> None:
    row = by_number(samples.report(cluster).tables[of_all], instance)

    said = column(of_instance(instance), of_one, name, printed.values())

    assert [row[each] for each in printed] == said
    assert None not in said


@CLUSTER
@INSTANCE
def test_facts_of_an_instance_are_those_of_its_report(cluster: str, instance: str) -> None:
    document = api.analyze(samples.report(cluster)).to_dict()["instances"][int(instance) - 1]
    alone = api.analyze(of_instance(instance)).to_dict()
    known = {n: f["value"] for n, f in document["facts"].items() if f["value"] is not None}

    # waits in whole seconds, rates with a decimal and not with two
    for fact, value in known.items():
        other = alone["facts"][fact]["value"]
        if isinstance(value, float):
            # idle CPU has one decimal in the report of a cluster
            exact = 5e-3 if fact == "host.queue_s" else 1e-4
            assert other == pytest.approx(value, rel=exact, abs=0.5), fact
        else:
            assert other == value, fact
    assert len(known) > 20
    for each in ("instance", "instance_number", "host", "startup_time", "release", "db_time_s"):
        assert alone["report"][each] == document["report"][each]
    assert alone["report"]["rac"]


@INSTANCE
def test_the_size_of_an_instances_redo_write_is_estimated_where_only_its_waits_are_known(
    instance: str,
) -> None:
    alone = of_instance(instance)
    waits = alone.tables["background_events"].row("log file parallel write")
    assert waits is not None
    page = samples.path("redo-cluster.awr-rac-11.2.html").read_text(encoding="utf-8")
    own = f'<tr><td class="awrc">{instance}</td>'
    count = waits.text("waits")
    total_s = f"{int(count.replace(',', '')) / 1000:,.2f}"
    cells = ("System I/O", "log file parallel write", count, "0.00", total_s, "1.00")
    row = own + "".join(f'<td class="awrc">{cell}</td>' for cell in (*cells, "1.00")) + "</tr>\n"
    top, rest = page[: (at := page.index("Top Timed Events"))], page[at:]
    report = api.load((top + rest.replace(own, row + own, 1)).encode(), "cluster")

    facts = api.facts_of(report.instances[int(instance) - 1])
    size, expected = facts["redo.bytes_per_write"], api.facts_of(alone)["redo.bytes_per_write"]

    assert size.status == "estimated"
    assert size.number == pytest.approx(expected.number, rel=0.01)
    assert "without wastage" in size.note
    assert "does not print `redo writes` for an instance" in facts["redo.writes_per_s"].note
    assert api.facts_of(report)["redo.bytes_per_write"].status == "derived"


def test_a_statistic_that_is_lost_gives_no_estimated_size_of_a_redo_write() -> None:
    name = "redo-disk.awr-11.2.txt"
    lines = samples.path(name).read_text(encoding="utf-8").splitlines(keepends=True)
    kept = "".join(line for line in lines if not line.startswith("redo writes "))

    size = api.facts_of(api.load(kept.encode(), name))["redo.bytes_per_write"]

    assert size.value is None
    assert "`redo writes` is not in" in size.note


@CLUSTER
@pytest.mark.parametrize("events", ["foreground_events", "background_events"])
def test_waits_of_the_cluster_are_those_of_its_instances(cluster: str, events: str) -> None:
    summed = samples.report(cluster).tables[events]
    parts = [of_instance(each).tables[events] for each in BOTH]

    for row in summed:
        event = row.text("event")
        found = [part.row(event) for part in parts]
        assert row.number("waits") == sum((each.number("waits") or 0) for each in found if each)
        assert row.number("total_wait_s") == pytest.approx(
            sum((each.number("total_wait_s") or 0) for each in found if each), abs=1.01
        )
    assert len(summed) > 10


@CLUSTER
def test_statistics_of_the_cluster_are_the_sums_of_its_instances(cluster: str) -> None:
    summed = samples.report(cluster).tables["instance_activity"]
    first, second = (of_instance(each).tables["instance_activity"] for each in BOTH)

    for row, one, other in zip(summed, first, second, strict=True):
        # the text report of the cluster cuts names at 50 letters
        assert one.text("statistic").startswith(row.text("statistic"))
        assert row.number("total") == (one.number("total") or 0) + (other.number("total") or 0)
    assert len(summed) > 100


def test_what_an_instance_receives_the_other_has_served() -> None:
    first, second = (of_instance(each) for each in BOTH)

    def blocks(report: Report, what: str) -> list[float | None]:
        names = (f"gc cr blocks {what}", f"gc current blocks {what}")
        return column(report, "instance_activity", "total", names)

    assert blocks(first, "received") == blocks(second, "served")
    assert blocks(second, "received") == blocks(first, "served")
    for report, peer in ((first, "2"), (second, "1")):
        rows = list(report.tables["global_cache_transfer"])
        totals = [
            sum(row.number(name) or 0 for row in rows) for name in ("cr_blocks", "current_blocks")
        ]
        assert totals == blocks(report, "received")
        assert {row.text("instance") for row in rows} == {peer}


@INSTANCE
def test_the_page_before_the_sections_follows_from_them(instance: str) -> None:
    report = of_instance(instance)
    load = report.tables["global_cache_load"].row("Global Cache blocks received")
    assert load is not None
    received = column(
        report, "instance_activity", "total",
        ["gc cr blocks received", "gc current blocks received"],
    )  # fmt: skip

    elapsed_s = report.identity.elapsed_s
    assert elapsed_s
    assert load.number("per_second") == pytest.approx(
        sum(each or 0 for each in received) / elapsed_s, abs=0.005
    )
    assert report.tables["rac_statistics"].rows[0].number("end_value") == 2


@CLUSTER
def test_lgwr_of_the_cluster_is_as_busy_as_its_instances_are_on_average(cluster: str) -> None:
    each = [api.facts_of(of_instance(i))["redo.lgwr_busy_pct"].number or 0 for i in BOTH]
    together = api.facts_of(samples.report(cluster))["redo.lgwr_busy_pct"]

    assert together.number == pytest.approx(sum(each) / 2, abs=0.01)
    assert together.formula == "9,662.67 s × 100 / 8,380.8 s / 2 instances = 57.65 %"


def test_an_instance_of_a_cluster_comes_to_the_verdicts_of_the_same_load_alone() -> None:
    alone = samples.analysis("redo-disk.awr-11.2.html")
    first = samples.analysis("redo-cluster-1.awr-11.2.html")

    assert first.verdicts == alone.verdicts
    assert [each.id for each in first.findings] == [each.id for each in alone.findings]
    assert first.facts["checkpoint.rac_available_s"].value == 5


@CLUSTER
def test_what_the_report_of_a_cluster_leaves_open_names_the_reports_to_take_once(
    cluster: str,
) -> None:
    found = api.analyze(samples.report(cluster))

    assert {part.verdicts.temp_storage for part in found.instances} == {"need-data"}
    (note,) = (each.message for each in found.warnings if "awrrpti.sql" in each.message)
    assert "judge redo of instances 1 and 2: take the AWR report of each" in note
    assert "for snapshots 144-147" in note
    assert not any(part.warnings for part in found.instances)


def test_an_instance_that_was_started_within_the_interval_is_named_and_needs_no_report() -> None:
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    begun = text.replace("aultlab2     20-Aug-08 09:16", "aultlab2     20-Aug-08 17:16")
    found = api.analyze(api.load(begun.encode(), "begun"))

    said = [each.message for each in found.warnings]
    assert any(
        each.startswith("Instance 2: The instance was started at 2008-08-20T17:16:00, after the")
        and "the sums of the cluster contain them: they are not reliable." in each
        for each in said
    )
    assert any("of instance 1: take the AWR report of this instance" in each for each in said)


def test_one_instance_that_is_the_whole_cluster_needs_no_other_report() -> None:
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    alone = api.load("".join(x for x in lines if not x.startswith("   2 ")).encode(), "alone")

    found = api.analyze(alone)

    assert len(found.instances) == 1
    assert not any("awrrpti.sql" in each.message for each in found.warnings)


def test_what_is_printed_of_the_only_instance_is_said_of_the_cluster() -> None:
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    alone = api.load("".join(x for x in lines if not x.startswith("   2 ")).encode(), "alone")

    found, both = api.analyze(alone), samples.analysis("redo-cluster.awr-rac-11.2.txt")

    assert (found.report["cpus"], both.report["cpus"]) == (2, 4)
    assert found.facts["host.idle_pct"].value == found.instances[0].facts["host.idle_pct"].value
    assert found.facts["host.load_per_cpu_end"].value is not None
    assert both.facts["host.load_per_cpu_end"].value is None


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("   2      2      1      1      0.61", "   2     ##      1      1      0.61"),
        ("   2      2      1      1      0.61", "  22      2      1      1      0.61"),
    ],
)
def test_the_cpus_of_a_cluster_are_not_those_of_a_part_of_it(row: str, wrong: str) -> None:
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    assert text.count(row) == 1

    found = api.analyze(api.load(text.replace(row, wrong).encode(), "cluster"))

    assert found.report["cpus"] is None
    assert found.facts["host.demand_per_cpu"].value is None


def test_the_sum_of_all_instances_is_no_host() -> None:
    """As 12.2 and later print it: times, but no CPUs."""
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    second = next(line for line in text.split("\n") if line.startswith("   2      2 "))
    cells = " Sum".ljust(81) + "   14,349.99   19,173.51   33,523.50"
    assert cells.index("14,349.99") == second.index("5,739.99") - 1

    found = api.analyze(api.load(text.replace(second, f"{second}\n{cells}").encode(), "cluster"))

    assert found.report["cpus"] == 4
    assert found.facts["host.idle_pct"].value == pytest.approx(100 * 19_173.51 / 33_523.5)


def test_instances_that_share_a_host_do_not_have_its_cpus_twice() -> None:
    text = samples.path("redo-cluster.awr-rac-11.2.txt").read_text(encoding="utf-8")
    database = next(line for line in text.split("\n") if line.startswith("1318446013"))
    cells = re.findall(r"\S+\s*", database)
    hosts = len(cells) - 4  # In Report and Total of instances, then of hosts, DB time, Elapsed
    assert cells[hosts].strip() == "2"
    cells[hosts] = cells[hosts].replace("2", "1")

    found = api.analyze(api.load(text.replace(database, "".join(cells)).encode(), "cluster"))

    assert found.report["cpus"] is None


def test_dbwr_processes_of_a_cluster_are_those_of_an_instance_for_each() -> None:
    facts = samples.analysis("redo-cluster.awr-rac-11.2.txt").facts

    assert "1 DBWR processes (default) × 2 instances" in facts["checkpoint.dbwr_busy_pct"].formula


def test_the_wait_of_lms_for_lgwr_is_of_a_background_process_and_in_no_share_of_db_time() -> None:
    name = "redo-cluster-1.awr-11.2.html"
    page = samples.path(name).read_text(encoding="utf-8")
    begin = page.rindex("<tr>", 0, page.index("gcs log flush sync</td>"))
    end = page.index("</tr>", begin)
    cells = ("gcs log flush sync", "253,043", "33", "3,302", "13", "12.52", "34.73")
    row = "<tr>" + "".join(f'<td class="awrc">{cell}</td>' for cell in cells)
    found = api.analyze(api.load(f"{page[:begin]}{row}{page[end:]}".encode(), name))
    before = samples.analysis(name)

    assert found.facts["redo.gcs_flush_wait_s"].value == 3302
    assert found.verdicts == before.verdicts
    assert found.overview == before.overview
    assert [each.impact for each in found.findings] == [each.impact for each in before.findings]
    (slow,) = (part for part in with_parts(found.findings) if part.id == "REDO001")
    assert "`gcs log flush sync` of LMS 3,302 s" in slow.why


@CLUSTER
def test_a_cluster_is_known_by_its_list_of_instances_where_its_title_is_cut_off(
    cluster: str,
) -> None:
    text = samples.path(cluster).read_text(encoding="utf-8")
    cut = text.replace("WORKLOAD REPOSITORY REPORT (RAC)", "")
    assert cut != text

    assert api.load(cut.encode()).kind == api.load(text.encode()).kind
    assert api.analyze(api.load(cut.encode())).headline == samples.analysis(cluster).headline


@CLUSTER
def test_a_cluster_without_its_first_tables_has_the_instances_that_are_listed(cluster: str) -> None:
    text = samples.path(cluster).read_text(encoding="utf-8")
    listed = text.index("Database Instances Included In Report")
    begin = text.rfind("<h3", 0, listed) if "<h3" in text else listed
    whole, cut = (api.facts_of(api.load(each.encode())) for each in (text, text[begin:]))

    for name in ("load.instances", "checkpoint.dbwr_capacity_per_s"):
        assert whole[name].value == cut[name].value
