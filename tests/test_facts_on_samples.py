"""Facts of our own samples: document 3's figures 4 and 5 in five layouts."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

import pytest
import samples
from evaluate import evaluate

from awrlens import api
from awrlens.facts.registry import FACTS
from awrlens.report.report import Report
from awrlens.source import kind
from awrlens.source.open import Source

if TYPE_CHECKING:
    from awrlens.model import Fact

#: Value and relative tolerance. Totals of waits are printed in whole seconds (8i: in centiseconds)
#: and rates with one decimal, and 9.2 measures the interval in whole seconds.
DISK = {
    "redo.write_ms": (757_698 * 10 / 405_691, 1e-9),
    "redo.parallel_write_ms": (7_247 * 1000 / 405_691, 1e-3),
    "redo.writes_per_s": (405_691 / 8_380.876, 1e-3),
    "redo.bytes_per_s": (2_588_920.9, 1e-3),
    "redo.bytes_per_write": ((21_697_424_708 + 101_846_820) / 405_691, 1e-9),
    "redo.wastage_per_write": (101_846_820 / 405_691, 1e-9),
    "redo.wastage_pct": (101_846_820 * 100 / (21_697_424_708 + 101_846_820), 1e-9),
    "redo.commits_per_s": (639.5, 1e-3),
    "redo.space_wait_s": (510.83, 1e-9),
    "redo.space_requests": (25_142, 0),
    "redo.log_switch_wait_s": (385 + 122, 1e-3),
    "checkpoint.incomplete_wait_s": (385, 1e-3),
    "checkpoint.target_mttr_s": (0, 0),
    "load.executes_per_s": (5_757.5, 1e-3),
    "load.physical_writes_per_s": (163.5, 1e-2),
}
ACCELERATOR = {
    "redo.write_ms": (55_447 * 10 / 5_313_254, 1e-9),
    "redo.parallel_write_ms": (495 * 1000 / 5_313_254, 2e-3),
    "redo.wastage_pct": (1_427_070_848 * 100 / (21_351_144_464 + 1_427_070_848), 1e-9),
    "redo.space_wait_s": (831.13, 1e-9),
    "redo.space_requests": (3_051, 0),
    "redo.log_switch_wait_s": (407 + 404, 1e-3),
    "checkpoint.target_mttr_s": (71, 0),
    "checkpoint.fast_start_mttr_target_s": (30, 0),
}
#: 8i has no section Instance Recovery Stats.
NOT_PRINTED = {("redo-disk.statspack-8.1.7.lst", "checkpoint.target_mttr_s")}
EXPECTED = {"redo-disk": DISK, "redo-accelerator": ACCELERATOR}
#: Printed rates are rounded to one or two decimals, counters of time to whole units.
ROUNDED = {
    "load.response_s": 0.02, "redo.sync_ms": 1.1, "temp.direct_wait_s": 1.0,
    "temp.read_time_share_pct": 0.2, "redo.sync_wait_s": 0.5, "redo.commit_storage_s": 0.5,
    "redo.lgwr_copy_wait_s": 0.5, "undo.block_wait_s": 0.5, "undo.block_wait_ms": 0.6,
    "redo.lgwr_outside_ms": 0.9, "temp.direct_write_ms": 0.5, "temp.direct_ms": 1.2,
    "load.buffer_busy_wait_s": 0.2, "load.data_read_wait_s": 0.5, "undo.neighbour_wait_s": 0.5,
    "io.control_write_wait_s": 0.5,
    # reads of the advisory in thousands since 10g: 16 of 19, or 21 of 26
    "io.cache_saves_pct": 3.2,
}  # fmt: skip


#: Percentiles are known to a bucket, and releases print other buckets.
BUCKETS = {spec.name for spec in FACTS if re.fullmatch(r"\w+\.\w+_p\d+_ms", spec.name)}


#: All samples print one limit, which is another share of the logs in another release. Before 10g a
#: log write is the statistic, and direct writes to temp files have no event of their own.
OF_ITS_RELEASE = {
    "redo.other_logs_mb", "redo.local_write_ms", "redo.lgwr_busy_pct",
    "io.direct_write_wait_s",
}  # fmt: skip


def overlap(one: Fact, other: Fact) -> bool:
    """Whether two percentiles can be the same number."""
    bounds = [re.findall(r"[\d.]+", fact.note) for fact in (one, other)]
    (low, high), (least, most) = [(float(a), float(b)) for a, b in bounds]
    return low < most and least < high


def facts(name: str) -> dict[str, Fact]:
    return dict(samples.analysis(name).facts)


@pytest.mark.parametrize("name", samples.ALL)
def test_the_seeds_figures_come_out_of_every_layout(name: str) -> None:
    expected = EXPECTED[name.split(".", maxsplit=1)[0]]
    found = facts(name)

    for fact, (value, tolerance) in expected.items():
        if (name, fact) in NOT_PRINTED:
            assert found[fact].status == "unavailable"
            continue
        told = found[fact].formula or found[fact].note
        assert pytest.approx(value, rel=tolerance or 1e-12) == found[fact].value, (fact, told)


def test_a_redo_write_takes_18_68_ms_on_disks_and_0_104_ms_on_the_accelerator() -> None:
    for layout in samples.LAYOUTS:
        disk, fast = facts(f"redo-disk.{layout}"), facts(f"redo-accelerator.{layout}")

        assert "757,698 cs × 10 / 405,691 writes = 18.68 ms" == disk["redo.write_ms"].formula
        assert "55,447 cs × 10 / 5,313,254 writes = 0.1044 ms" == fast["redo.write_ms"].formula


def test_the_documents_factor_of_over_13_is_far_too_low_by_its_own_numbers() -> None:
    disk = facts("redo-disk.awr-11.2.txt")["redo.write_ms"].number
    fast = facts("redo-accelerator.awr-11.2.txt")["redo.write_ms"].number
    assert disk is not None
    assert fast is not None

    assert 178.97 == pytest.approx(disk / fast, rel=1e-4)


@pytest.mark.parametrize("sample", samples.ALL)
def test_all_layouts_of_one_interval_give_the_same_facts(sample: str) -> None:
    reference = facts(f"{sample.split('.', maxsplit=1)[0]}.awr-11.2.html")
    for name, fact in facts(sample).items():
        other = reference[name]
        if fact.number is None or other.number is None or fact.status != other.status:
            continue  # a section or a column that one release does not print
        if name in OF_ITS_RELEASE:
            continue
        if name in BUCKETS:
            assert overlap(fact, other), name
            continue
        tolerance = max(0.06, ROUNDED.get(name, 0.0))
        assert pytest.approx(other.number, rel=0.02, abs=tolerance) == fact.number, name


@pytest.mark.parametrize("name", samples.ALL)
def test_every_number_stands_on_the_line_that_its_evidence_names(name: str) -> None:
    lines = samples.path(name).read_text(encoding="utf-8").split("\n")
    for fact in facts(name).values():
        for item in fact.evidence:
            assert item.line is not None
            line = html.unescape(re.sub(r"<[^>]*>", " ", lines[item.line - 1]))
            assert item.text in line, (fact.name, item)


@pytest.mark.parametrize("name", samples.ALL)
def test_every_formula_gives_the_value_beside_it(name: str) -> None:
    for fact in facts(name).values():
        if fact.formula:
            assert pytest.approx(fact.number, rel=2e-3, abs=2e-3) == evaluate(fact.formula), fact


@pytest.mark.parametrize("name", samples.ALL)
def test_an_unavailable_fact_has_no_value_and_says_what_it_lacks(name: str) -> None:
    for fact in facts(name).values():
        assert (fact.value is None) == (fact.status == "unavailable")
        if fact.status == "unavailable":
            assert fact.note
            assert fact.sections


def without(name: str, title: str) -> Report:
    """A sample without one of its sections."""
    text = samples.path(name).read_text(encoding="utf-8")
    if name.endswith("html"):
        pattern = rf"<h3[^>]*>(?:<a[^>]*></a>)?{re.escape(title)}.*?(?=<h[123]\b)"
        cut, count = re.subn(pattern, "", text, flags=re.S)
    else:
        pattern = rf"^\f?{re.escape(title)}  .*?(?=^\f?[A-Z][^\n]*DB/Inst:)"
        cut, count = re.subn(pattern, "", text, flags=re.S | re.M)
    assert count
    source = Source(name, cut)
    return Report(source, kind.tell(cut, name))


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.awr-11.2.html"])
@pytest.mark.parametrize(
    ("title", "gone"),
    [
        ("Instance Recovery Stats", ["checkpoint.target_mttr_s", "checkpoint.binding_limit"]),
        ("Undo Segment Summary", ["undo.max_query_s", "undo.snapshot_too_old"]),
        ("Background Wait Events", ["redo.parallel_write_ms", "redo.sync_to_write_ratio"]),
        ("Foreground Wait Events", ["checkpoint.object_wait_s", "temp.direct_wait_s"]),
    ],
)
def test_what_is_not_printed_is_unavailable_and_never_zero(
    name: str, title: str, gone: list[str]
) -> None:
    found = api.facts_of(without(name, title))

    for fact in gone:
        assert (None, "unavailable") == (found[fact].value, found[fact].status), fact
        assert "not in the report" in found[fact].note


def test_a_statistic_that_is_cut_out_is_unavailable_and_never_zero() -> None:
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    cut = re.sub(r"^redo wastage .*\n", "", text, flags=re.M)
    found = api.facts_of(Report(Source("cut", cut), kind.tell(cut, "cut")))

    for name in ("redo.wastage_pct", "redo.wastage_per_write", "redo.bytes_per_write"):
        assert None is found[name].value
        assert "redo wastage" in found[name].note


def edited(name: str, old: str, new: str) -> dict[str, Any]:
    text = samples.path(name).read_text(encoding="utf-8")
    assert old in text
    changed = text.replace(old, new)
    return dict(api.facts_of(Report(Source(name, changed), kind.tell(changed, name))))


def test_a_tablespace_of_any_name_is_undo_by_the_parameter() -> None:
    name = "redo-disk.awr-11.2.txt"
    undo = samples.analysis(name).facts["undo.tablespaces"]
    found = edited(name, "UNDOTBS1", "RECENT01")

    assert ("UNDOTBS1",) == undo.value
    assert ("RECENT01",) == found["undo.tablespaces"].value
    assert "init parameter" in found["undo.tablespaces"].note


@pytest.mark.parametrize(
    ("name", "is_undo"),
    [("RBS", True), ("RBS01", True), ("APP_RBS1", True), ("PRSRLB2", True), ("ROLLBACK", True),
     ("GERBSDAT", False), ("URLBASE", False)],
)  # fmt: skip
def test_8i_keeps_undo_in_tablespaces_of_usual_names(name: str, *, is_undo: bool) -> None:
    found = edited("redo-disk.statspack-8.1.7.lst", "UNDOTBS1", name.ljust(8))

    assert found["undo.tablespaces"].value == ((name,) if is_undo else None)


def test_overflow_is_unavailable_and_never_zero() -> None:
    found = edited("redo-disk.awr-11.2.txt", "       405,691        ", "  #############        ")

    assert None is found["redo.write_ms"].value


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        ("physical writes direct", ("checkpoint.cache_writes_per_s", "undo.block_write_pct")),
        ("redo write time", ("redo.write_ms", "redo.commit_unexplained_s")),
    ],
)
def test_a_row_that_the_report_lacks_is_not_zero(row: str, facts: tuple[str, ...]) -> None:
    text = samples.path("redo-disk.statspack-8.1.7.lst").read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    lacking = "".join(line for line in lines if not line.startswith(f"{row} "))
    assert len(lacking) < len(text)
    whole, without = (api.facts_of(api.load(each.encode())) for each in (text, lacking))

    for name in facts:
        assert whole[name].number is not None, name
        assert without[name].number is None, name
        assert f"`{row}` is not in" in without[name].note, name


def test_a_sum_over_a_figure_that_did_not_fit_is_unavailable() -> None:
    name = "temp-sort-disk.awr-11.2.txt"
    whole = samples.analysis(name).facts
    found = edited(name, "        96,402  ", "  ############  ")

    # TEMP's own rows are whole, and its share is of blocks; what all tablespaces did is not known
    for fact in ("temp.reads", "temp.io_share_pct"):
        assert found[fact].value == whole[fact].value
    for fact in ("temp.read_time_share_pct", "temp.io_rank"):
        assert whole[fact].value is not None
        assert (found[fact].value, found[fact].status) == (None, "unavailable"), fact
        assert "shows `####` for reads" in found[fact].note


def test_a_total_that_overflows_is_taken_from_the_load_profile() -> None:
    found = edited("redo-disk.awr-11.2.txt", " 21,697,424,708 ", " ############## ")

    assert found["redo.bytes_per_s"].value == 2_588_920.9
    assert "rate from Load Profile" in found["redo.bytes_per_s"].note


def test_ticks_of_10_1_count_as_the_centiseconds_of_later_releases() -> None:
    name = "redo-disk.awr-11.2.txt"
    text = samples.path(name).read_text(encoding="utf-8")
    text = re.sub(r"^\f?Host CPU .*\n(?:.*\n){5}", "", text, flags=re.M)
    text = re.sub(r"^(BUSY|IDLE|IOWAIT)_TIME ", r"\1_TICKS", text, flags=re.M)
    found = api.facts_of(Report(Source(name, text), kind.tell(text, name)))

    assert found["host.idle_pct"].value == pytest.approx(815_175 * 100 / (861_000 + 815_175))


def test_the_lowest_target_is_the_one_that_oracle_raised_the_parameter_to_or_advises() -> None:
    """TARGET_MTTR is 71 s; so is the advisory's row for 1,000 dirty blocks."""
    kept, raised = (
        samples.analysis(f"redo-accelerator.{name}").facts["checkpoint.lowest_mttr_s"]
        for name in ("awr-11.2.txt", "statspack-11.2.txt")
    )

    assert (raised.value, kept.value) == (71, 71)
    assert "raised it from 30 s" in raised.note
    assert raised.evidence[0].section == "Instance Recovery Stats"
    assert kept.evidence[0].section == "MTTR Advisory"


def test_figures_under_the_wrong_heading_are_noticed_by_their_files() -> None:
    name = "redo-disk.awr-11.2.txt"
    report = samples.report(name)
    row = report["tablespace_io"].row("TEMP")
    assert row is not None
    printed = f"{row.number('writes'):,}"
    at = report.line(row.raw.place(5)) - 1
    lines = samples.path(name).read_text(encoding="utf-8").split("\n")
    assert printed in lines[at]
    for number in range(report["tablespace_io"].line, report["file_io"].line - 3):
        figures = re.fullmatch(r"(.{38})([ \d,]{12}\d)( .*\d)", lines[number])
        if figures:  # every tablespace prints 0 writes, its files do not
            lines[number] = f"{figures[1]}{'0'.rjust(13)}{figures[3]}"
    text = "\n".join(lines)
    report = Report(Source(name, text), kind.tell(text, name))
    found = api.facts_of(report)

    assert row.number("writes") == found["temp.writes"].value
    assert "the sum of its files" in found["temp.writes"].note
    pictured = {
        each.name: each.writes for each in api.exhibits(report, api.analyze(report)).tablespaces
    }
    assert pictured["TEMP"] == found["temp.writes"].value  # nor does the picture show the 0


@pytest.mark.parametrize("name", ["redo-disk.awr-10.2.txt", "redo-disk.statspack-10.2.lst"])
def test_a_tablespace_whose_name_is_cut_among_the_files_is_the_same_tablespace(name: str) -> None:
    """File IO Stats has 24 letters for a name, Tablespace IO Stats has 30."""
    text = samples.path(name).read_text(encoding="utf-8")
    for short, long in (("TEMP", "TEMP_OF_THE_BATCHES_AT_NIGHT"), ("UNDOTBS1", "U" * 28)):
        text = re.sub(rf"(?m)^{short}$", long, text)
        text, cut = re.subn(rf"(?m)^{short.ljust(24)} (?=\S)", f"{long[:24]} ", text)
        text = re.sub(rf"(?m)^(undo_tablespace .*){short}", rf"\1{long}", text)
        assert cut
    changed = api.facts_of(Report(Source(name, text), kind.tell(text, name)))
    before = samples.analysis(name).facts

    assert changed["undo.tablespaces"].value == ("U" * 28,)
    assert [
        n for n, f in changed.items() if f.note != before[n].note and "IO Stats" in f.note
    ] == []
    assert {n for n, fact in changed.items() if fact.value != before[n].value} == {
        "temp.tablespaces", "undo.tablespaces",
    }  # fmt: skip


def test_every_fact_is_named_once_and_documents_itself() -> None:
    names = [spec.name for spec in FACTS]

    assert sorted(set(names)) == sorted(names)
    assert [] == [spec.name for spec in FACTS if len(spec.definition) <= 10]


@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("redo-disk.awr-11.2.txt", "load.db_cpu_s", 7_891),
        ("redo-disk.statspack-9.2.lst", "load.db_cpu_s", 789_100 / 100),
        ("redo-disk.awr-11.2.txt", "load.user_calls_per_s", 1_612 / 8_380.8),
        ("redo-disk.awr-11.2.txt", "load.hard_parses_per_s", 402 / 8_380.8),
        ("redo-disk.awr-11.2.txt", "io.read_requests_per_s", 44_800 / 8_380.8),
        ("redo-disk.awr-11.2.txt", "io.write_requests_per_s", 1_050_299 / 8_380.8),
        ("redo-disk.awr-11.2.txt", "io.read_mb_per_s", 7_571_253_248 / 2**20 / 8_380.8),
        ("redo-disk.awr-11.2.txt", "io.write_mb_per_s", 56_511_732_736 / 2**20 / 8_380.8),
        ("redo-disk.statspack-9.2.lst", "io.read_mb_per_s", 894_240 / 128 / 8_380.2),
    ],
)
def test_what_anybody_asks_first_of_a_database(name: str, fact: str, value: float | None) -> None:
    found = samples.analysis(name).facts[fact]

    assert value == (found.value if value is None else pytest.approx(found.value, rel=1e-9))
    assert found.evidence or value is None


@pytest.mark.parametrize(
    ("fact", "section"),
    [("pga.over_allocations", "pga_advisory"), ("pga.recommended_target_mb", "pga_advisory"),
     ("checkpoint.lowest_mttr_s", "mttr_advisory|instance_recovery")],
)  # fmt: skip
def test_a_fact_names_the_advisory_that_it_is_read_from(fact: str, section: str) -> None:
    assert [section] == [spec.sections[0] for spec in FACTS if spec.name == fact]


def test_a_redo_write_is_held_against_a_third_of_the_buffer_or_1_mb() -> None:
    """Figure 4: 53,734 B per write; a third of 10,604 KB is more than 1 MB, so 1 MB counts."""
    found = facts("redo-disk.awr-11.2.txt")["redo.write_fill_pct"]

    assert found.number == pytest.approx((21_697_424_708 + 101_846_820) / 405_691 * 100 / 2**20)
