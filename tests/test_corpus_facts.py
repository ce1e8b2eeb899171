"""Analyses of real reports; skipped where the folder is not there."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

import pytest
from corpus import ANALYZED, CORPUS, Entry, analysis, analysis_of, over

from awrlens.model import Analysis, Fact, with_parts

pytestmark = pytest.mark.corpus
absent = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)


def facts_of(found: Analysis) -> list[Fact]:
    """The facts of a report, its instances and its periods."""
    parts = (found, *found.instances, *found.periods)
    return [fact for part in parts for fact in part.facts.values()]


@over(*ANALYZED)
def test_every_number_stands_on_the_line_that_its_evidence_names(entry: Entry) -> None:
    data = entry.path.read_bytes()
    text = data.decode("cp1252", errors="replace")
    lines = text.split("\n")
    folded = "11.2.0.3" in entry.file or "10.2.0.5" in entry.file
    for fact in facts_of(analysis(entry)):
        for item in fact.evidence:
            assert item.line is not None
            near = "".join(lines[item.line - 1 : item.line + (1 if folded else 0)])
            line = html.unescape(re.sub(r"<[^>]*>", " ", near.expandtabs(8)))
            # Statspack wraps the value of a parameter: the rest is on the next line
            wrapped = (
                lines[item.line - 1].rstrip() + "".join(lines[item.line : item.line + 1]).strip()
            )
            found = (line.replace("\r", ""), wrapped)
            assert any(item.text in each for each in found), (fact.name, item.text, item.line)


#: The same interval as AWR text and AWR HTML (set A; set B with a line-numbered copy), and as a
#: Statspack report that was taken seconds apart (set A).
PAIRS = [
    ("awr-html_11.2.0.3.0_01.html", "awr-text_11.2.0.3.0_01.txt", 0.006),
    ("awr-html_11.2.0.2.0_01.html", "awr-text_11.2.0.2.0_02.txt", 0.006),
    ("awr-text_11.2.0.2.0_01.txt", "awr-text_11.2.0.2.0_02.txt", 0.0),
    ("awr-html_11.2.0.3.0_01.html", "statspack-text_11.2.0.3.0_01.txt", 0.08),
]
#: Ten switches or eleven, by half a minute; and Statspack prints no Checkpoint Activity, so the
#: share comes from statistics that count otherwise. Its header has LOG_BUFFER, that of AWR has the
#: memory that was allocated for it, as does SGA breakdown.
NOT_IN_STATSPACK = {
    "redo.log_switches_per_hour", "redo.space_requests", "checkpoint.write_pct",
    "redo.minutes_per_switch", "redo.mb_per_switch", "redo.log_switch_waits",
    "checkpoint.incomplete_waits", "checkpoint.incomplete_wait_ms", "redo.log_switch_wait_ms",
    "redo.log_buffer_mb",
}  # fmt: skip
#: Small counts and what is rounded to whole units differ by more than their share.
ROUNDED = 1.0


@absent
@pytest.mark.parametrize(("one", "other", "tolerance"), PAIRS)
def test_one_interval_in_two_formats_gives_the_same_facts(
    one: str, other: str, tolerance: float
) -> None:
    first, second = analysis_of(CORPUS / one), analysis_of(CORPUS / other)
    compared = 0
    for name, fact in first.facts.items():
        twin = second.facts[name]
        if fact.number is None or twin.number is None or "load_per_cpu" in name:
            continue
        if "statspack" in other and name in NOT_IN_STATSPACK:
            continue
        compared += 1
        absolute = ROUNDED if tolerance > 0.01 and abs(fact.number) < 20 else 0.06
        assert pytest.approx(twin.number, rel=tolerance, abs=absolute) == fact.number, name

    assert compared > 40
    assert first.verdicts == second.verdicts


#: Compare-period reports of the interval in set A: they print one or two decimals.
COMPARISONS = ("awr-diff-html_11.2.0.3.0_01.html", "awr-diff-text_11.2.0.3.0_01.txt")
#: Checkpoint Activity is not printed there, rare waits are counted by a rate of two decimals, and
#: two stages of rounding lie behind these; the log buffer is the parameter, not what was allocated.
OTHERWISE = {"checkpoint.write_pct", "redo.log_switch_waits", "redo.log_switch_wait_ms",
             "checkpoint.incomplete_waits", "checkpoint.incomplete_wait_ms",
             "checkpoint.dbwr_capacity_per_s", "checkpoint.dbwr_capacity_least_per_s",
             "redo.log_buffer_mb"}  # fmt: skip


@absent
@pytest.mark.parametrize("file", COMPARISONS)
def test_a_period_has_the_facts_of_the_report_it_was_made_from(file: str) -> None:
    single = analysis_of(CORPUS / "awr-html_11.2.0.3.0_01.html")
    period = analysis_of(CORPUS / file).periods[0]
    compared = 0
    for name, fact in single.facts.items():
        twin = period.facts[name]
        if fact.number is None or twin.number is None or name in OTHERWISE:
            continue
        compared += 1
        # log file sync 94.43 s there, 94 s here
        assert pytest.approx(twin.number, rel=0.01, abs=1.0) == fact.number, name

    assert compared > 45
    fields = "db_name", "db_id", "instance", "release", "begin_snap", "end_snap"
    whole: Mapping[str, Any] = single.report
    assert dict(period.report).items() >= {field: whole[field] for field in fields}.items()


#: Read by hand: a few facts typed from the report, rules that must and must not speak.
BY_HAND: list[tuple[str, dict[str, float], set[str], set[str]]] = [
    ("statspack-text_8.1.7.4.1_01.LST",
     {"redo.sync_ms": 332 * 10 / 572, "redo.parallel_write_ms": 826 * 10 / 3757},
     set(), {"REDO001"}),
    ("statspack-text_9.2.0.4.0_01.LST",
     {"redo.sync_ms": 197_000 / 1765, "redo.parallel_write_ms": 54_000 / 5208,
      "load.elapsed_s": 2676},
     {"REDO001"}, {"REDO002"}),
    ("statspack-text_9.2.0.1.0_01.lst",
     {"checkpoint.target_mttr_s": 300, "checkpoint.estimated_mttr_s": 15,
      "checkpoint.interval_redo_blocks": 10},
     {"CKPT002"}, {"REDO001", "UNDO001"}),
    ("statspack-text_12.1.0.2.0_01.txt",
     {"checkpoint.estimated_ios": 10347, "checkpoint.timeout_redo_blocks": 241141,
      "undo.tablespace_writes": 1733},
     set(), {"REDO001", "REDO009"}),
    ("awr-text_11.2.0.3.0_01.txt",
     {"redo.sync_ms": 94_000 / 182_738, "redo.parallel_write_ms": 39_000 / 178_859,
      "load.db_time_s": 106.74 * 60},
     set(), {"REDO001", "REDO009"}),
    ("awr-text_12.2.0.1.0_01.txt",
     {"checkpoint.write_pct": 100, "checkpoint.estimated_mttr_s": 15,
      "host.idle_pct": 97.1},
     set(), {"CKPT005"}),
    ("awr-html_11.2.0.4.0_01.html",
     {"undo.tablespace_writes": 9498}, set(), {"REDO001"}),
    ("awr-html_19.0.0.0.0-rac_01.html",
     {"redo.log_switch_wait_s": 5484 + 1022 * 49.14 / 1000, "checkpoint.incomplete_wait_s": 5484},
     {"CKPT001", "REDO004"}, {"TEMP001", "REDO001"}),
    ("awr-html_10.2.0.5.0_01.html",
     {"pga.recommended_target_mb": 6144, "temp.direct_write_ms": 619_448_000 / 4_866_733,
      "pga.recommended_ends_pct": (230_588.79 - 13_508.83) * 100 / 230_588.79,
      "undo.max_query_s": 270_925, "undo.min_tuned_retention_s": 2121.8 * 60,
      "temp.sorts_disk": 33_670, "undo.unexpired_steals": 0},
     {"TEMP001", "TEMP003", "TEMP008"}, {"TEMP004", "TEMP005", "UNDO008", "UNDO010"}),
    # temporary tables, not work areas: nothing spilled, and memory is not the answer
    ("awr-html_11.2.0.4.0-rac_03.html",
     {"pga.extra_mb": 0, "pga.multipass": 0, "temp.direct_read_wait_s": 0,
      "temp.direct_write_wait_s": 3847},
     {"TEMP008"}, {"TEMP002", "TEMP003", "TEMP005"}),
    ("statspack-text_8.1.7.4.1_14.LST",
     {"temp.sorts_disk_pct": 1224 * 100 / (1224 + 1_242_570), "pga.sort_area_size_b": 819_200},
     {"REDO007"}, {"TEMP003", "TEMP005", "UNDO006"}),
]  # fmt: skip


@absent
@pytest.mark.parametrize(("file", "expected", "present", "absent"), BY_HAND)
def test_reports_read_by_hand_agree(
    file: str, expected: dict[str, float], present: set[str], absent: set[str]
) -> None:
    found = analysis_of(CORPUS / file)
    ids = {finding.id for finding in with_parts(found.findings) if finding.severity != "ok"}

    for name, value in expected.items():
        assert pytest.approx(value, rel=1e-6) == found.facts[name].number, name
    assert present <= ids
    assert not absent & ids


@over("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-html")
def test_no_amount_is_below_zero(entry: Entry) -> None:
    facts = analysis(entry).facts

    # what a difference of two measured waits leaves may be below 0, within their rounding
    below = {name for name, fact in facts.items() if (fact.number or 0) < 0}
    assert below == set()


@absent
@pytest.mark.parametrize(
    ("name", "cs", "flushes"),
    [
        ("10.2.0.3.0-rac_01", 19_722, 53_892),  # L1970, L3333; its header says 36.60 ms
        ("10.2.0.4.0-rac_12", 767_865, 3_147_901),  # L1135, L2282; 24.39 ms
        ("11.2.0.3.0-rac_02", 636_926, 2_207),  # 2,885.9 ms, which is right since 11.2
    ],
)
def test_a_flush_for_a_cr_block_takes_its_time_divided_by_the_number_of_flushes(
    name: str, cs: float, flushes: float
) -> None:
    second = analysis_of(CORPUS / f"awr-diff-html_{name}.html").periods[1]

    assert second.facts["redo.gc_cr_flush_ms"].number == pytest.approx(cs * 10 / flushes)
