"""Undo's verdict counts what undo writes do: to DBWR, and to the reads of data files beside it.

The samples of document 3's figures 11 to 21 have nobody waiting for undo; here one wait is added to
them, as a report would print it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import called
import figures
import pytest
import samples
from figures import facts, parameters, section, statistics
from test_rules import facts_of
from test_storage_verdicts import BUSY_UNDO

from awrlens import api
from awrlens.advice import storage
from awrlens.advice.case import Case
from awrlens.model import Analysis, with_parts
from awrlens.policy import Policy
from awrlens.render import first_screen
from awrlens.rules import run as run_rules

if TYPE_CHECKING:
    from awrlens.model import Fact

SAMPLE = "undo-disk.awr-11.2.txt"
READS = "db file sequential read"


def analysis(text: str) -> Analysis:
    return api.analyze(api.load(text.encode()))


def with_free_buffer_waits(seconds: int) -> str:
    """The sample with sessions that wait for free buffers."""
    lines = samples.path(SAMPLE).read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(
        n for n, line in enumerate(lines) if line.startswith(f"{READS:<28}") and "0.2" in line
    )
    row = f"{'free buffer waits':<25}{41_077:>12,}{'':5}{seconds:>12,}{102:>8}{0.9:>9}{14.5:>7}\n"
    return "".join([*lines[:at], row, *lines[at:]])


def with_slow_reads(seconds: int, each_ms: int) -> str:
    """The sample with sessions that wait for reads of data files."""
    text = samples.path(SAMPLE).read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(READS) and " 0.2 " in line)
    changed = row.replace(f"{82:>6}", f"{seconds:>6,}").replace(f"{7:>4}", f"{each_ms:>4}", 1)
    assert changed != row
    return text.replace(row, changed)


def severities(found: Analysis) -> dict[str, str]:
    return {each.id: each.severity for each in with_parts(found.findings)}


def test_waits_for_dbwr_count_in_undos_share_of_its_writes() -> None:
    found = analysis(with_free_buffer_waits(4_200))

    assert severities(found)["UNDO001"] in ("warning", "critical")
    # rollbacks are what makes this undo (figure 11), so they come before storage
    assert found.verdicts.undo_storage == "tune-first"
    item = next(each for each in found.recommendations if each.id == "undo-storage")
    assert "3,963 s for DBWR" in item.action  # 4,200 s x 94.36 %
    assert next(r.id for r in found.recommendations if r.status == "apply") == "roll-back-less"


def test_dbwr_that_is_behind_is_not_told_a_recovery_target() -> None:
    found = analysis(with_free_buffer_waits(4_200))

    assert found.verdicts.fast_start_mttr_target_s is None
    item = next(each for each in found.recommendations if each.id == "leave-mttr-target")
    assert "DBWR is behind" in item.action


def test_reads_that_undo_poisons_ask_for_disks_of_its_own() -> None:
    found = analysis(with_slow_reads(4_200, 379))

    assert severities(found)["UNDO010"] == "warning"
    assert found.verdicts.undo_storage == "tune-first"
    doing = [each.id for each in found.recommendations if each.status == "apply"]
    assert doing[0] == "isolate-undo"
    assert found.headline.startswith("Data file reads take")


#: Figure 16: 9,044 reads of 3.8E+03 ms and 98.7 blocks; sessions waited 82 + 4 s for reads.
LARGE = (
    "DATA: reads take 3,800 ms on average (98.7 blocks each), but sessions waited for at most "
    "0.25 % of this time: large asynchronous reads; few sessions wait."
)


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_read_times_that_few_sessions_wait_for_are_explained_in_a_line(format_: str) -> None:
    _, out, _ = called.call("analyze", str(samples.path(SAMPLE)), "--format", format_)

    assert LARGE in " ".join(out.split())


@pytest.mark.parametrize(
    ("waited", "explained", "few"),
    [(90, True, True), (1_200, True, True), (1_300, True, False), (3_400, True, False),
     (3_500, False, False), (4_200, False, False)],
)  # fmt: skip
def test_read_times_are_not_explained_away_where_sessions_wait(
    waited: int, *, explained: bool, few: bool
) -> None:
    # 9,044 reads of 3,799 ms are 34,360 s: up to a tenth of it; 0.1 of 12,357 s for one session
    fact = analysis(with_slow_reads(waited, round(waited / 11.077))).facts["io.unwaited_reads"]

    assert (fact.value == "DATA") is explained
    assert ("few sessions wait" in fact.note) is few


@pytest.mark.parametrize("number", [16, 17])
def test_in_an_excerpt_without_waits_large_reads_are_probably_asynchronous(number: int) -> None:
    figure = Path(__file__).parent / "document_figures" / f"figure-{number}.txt"
    _, out, _ = called.call("analyze", str(figure))
    said = " ".join(out.split())

    assert "DATA: reads take 3,800 ms on average" in said
    # the excerpt has no waits: that few sessions wait is as probable as the rest
    assert "probably large asynchronous reads, for which few sessions wait." in said


@pytest.mark.parametrize("seconds", [0, 17])
def test_without_such_waits_undo_gains_nothing(seconds: int) -> None:
    text = with_free_buffer_waits(seconds) if seconds else samples.path(SAMPLE).read_text("utf-8")
    assert analysis(text).verdicts.undo_storage == "no-benefit"


@pytest.mark.parametrize(
    ("rule", "first"),
    [
        ("UNDO004", "size the undo tablespace"), ("UNDO005", "keep enough undo segments online"),
        ("UNDO006", "add rollback segments"), ("UNDO008", "size the undo tablespace"),
        ("UNDO010", "move undo to separate disks"),
    ],
)  # fmt: skip
def test_segments_size_and_disks_of_undo_come_before_storage(rule: str, first: str) -> None:
    facts = facts_of(BUSY_UNDO | {"load.rollbacks_per_s": 0.0})
    findings, _ = run_rules(facts, Policy())
    alone = storage.undo_verdict(Case.of(facts, findings, Policy()))
    more = (*findings, findings[0]._replace(id=rule))
    found = storage.undo_verdict(Case.of(facts, more, Policy()))

    assert (alone.status, found.status) == ("apply", "tune-first")
    assert f"First {first}" in found.reason


def test_a_list_of_tablespaces_without_rows_has_no_unwaited_reads() -> None:
    found = figures.facts(figures.tablespaces(), figures.waits())

    assert found["io.unwaited_reads"].value is None


@pytest.mark.parametrize(("sessions", "wrong"), [(38, False), (2, True)])
def test_read_times_that_all_sessions_together_cannot_have_are_wrong(
    sessions: int, *, wrong: bool
) -> None:
    """34,360 s of reads in 12,357 s are 2.8 reads at any moment, each of a session."""
    text = samples.path(SAMPLE).read_text(encoding="utf-8")
    line = next(each for each in text.splitlines() if "End Snap:" in each)
    changed = line.replace(" 38 ", f" {sessions:>2} ")
    fact = analysis(text.replace(line, changed)).facts["io.unwaited_reads"]

    assert fact.value == "DATA"
    assert ("the read times of the files are wrong" in fact.note) is wrong
    assert ("asynchronous" in fact.note) is not wrong


PAGE = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
#: Of its Undo Segment Summary, and of its parameters.
RETENTION, SETTING = ">20/150.0<", "undo_retention</td><td class='awrnc'>900<"


def undo_tile(text: str) -> first_screen.Tile:
    (tile,) = (each for each in first_screen.tiles(analysis(text)) if each.name == "undo")
    return tile


def kept_and_set(minutes: str, retention_s: int) -> str:
    assert RETENTION in PAGE
    assert SETTING in PAGE
    text = PAGE.replace(RETENTION, f">{minutes}<")
    tile = undo_tile(text.replace(SETTING, SETTING.replace("900", str(retention_s))))
    assert tile.severity == "ok"
    return " · ".join(tile.words)


@pytest.mark.parametrize("minutes", ["92.5/95", "92,5166666667/95,1"])
def test_undo_that_is_kept_for_less_than_its_setting_says_both_and_is_no_alarm(
    minutes: str,
) -> None:
    said = kept_and_set(minutes, 21_600)

    assert "kept 92.5 min, not the 360 min set: longest query 8,148 s" in said


@pytest.mark.parametrize(
    ("minutes", "retention_s"), [("15/30", 900), ("20.5/33", 900), ("0/0", 900)]
)
def test_undo_that_is_kept_as_long_as_its_setting_says_nothing_of_it(
    minutes: str, retention_s: int
) -> None:
    assert "kept" not in kept_and_set(minutes, retention_s)


def test_undo_without_its_summary_is_judged_by_waits_and_says_what_is_not_known() -> None:
    row = next(line for line in PAGE.splitlines() if RETENTION in line)
    tile = undo_tile(PAGE.replace(row, ""))

    assert tile.severity == "ok"
    assert "space, retention not known" in tile.words
    assert "not known" not in kept_and_set("15/30", 900)


@pytest.mark.parametrize(
    ("waits", "severity"), [("0.00", "ok"), ("0.90", "ok"), ("1.10", "unknown")]
)
def test_rollback_segments_are_judged_by_the_waits_in_their_own_list(
    waits: str, severity: str
) -> None:
    """Without its sections of enqueues and of buffer waits: nobody waited for either."""
    text = samples.path("redo-disk.statspack-8.1.7.lst").read_text(encoding="utf-8")
    before, rest = text.split("Buffer wait Statistics for DB", 1)
    text = f"{before}Rollback Segment Stats for DB{rest.split('Rollback Segment Stats for DB')[1]}"
    busy = "     3    964,982.0    0.00"
    assert busy in text
    tile = undo_tile(text.replace(busy, busy.replace("0.00", waits)))

    assert tile.severity == severity
    assert any(f"rollback segment waits {float(waits):g} %" in each for each in tile.words)


def test_waits_for_the_dictionary_cache_are_not_waits_for_undo_segments() -> None:
    """1,401 million gets of `dc_rollback_segments`, but the waits were those of sequences."""
    heads = "Cache", "Get Requests", "Pct Miss", "Scan Reqs", "Pct Miss", "Mod Reqs", "Final Usage"
    found = figures.analysis(
        figures.waits("row cache lock | 4,800 | 0 | 6,000 | 1250 | 0.1 | 20.0"),
        figures.section("Dictionary Cache Stats", heads, [
            "dc_rollback_segments | 1,401,139,363 | 0.0 | 0 | | 0 | 2,971",
            "dc_sequences | 2,681,370 | 0.0 | 0 | | 2,681,425 | 267",
        ]),
    )  # fmt: skip

    assert "UNDO005" not in {each.id for each in with_parts(found.findings)}
    assert found.overview is not None
    assert "row cache lock" in {each.name for each in found.overview.db_time}


def undo_of(blocks_k: str, vector_b: str | None, *detail: str) -> dict[str, Fact]:
    """An Undo Segment Summary with this many blocks, beside the undo that was generated."""
    counts = "2/0 | 0/0/0/0/0/0"
    summary = section(
        "Undo Segment Summary",
        ("Undo TS#", "Num Undo Blocks (K)", "Number of Transactions", "Max Qry Len (s)",
         "Max Tx Concurcy", "Min/Max TR (mins)", "STO/ OOS", "uS/uR/uU/ eS/eR/eU"),
        [f"2 | {blocks_k} | 5,000 | 6,000 | 4 | 15/60 | {counts}"],
    )  # fmt: skip
    details = section(
        "Undo Segment Stats",
        ("End Time", "Num Undo Blocks", "Number of Transactions", "Max Qry Len (s)",
         "Max Tx Concy", "Tun Ret (mins)", "STO/ OOS", "uS/uR/uU/ eS/eR/eU"),
        [f"30-Aug 00:{n}1 | {number} | 1,000 | 6,000 | 3 | 15 | {counts}"
         for n, number in enumerate(detail)],
    )  # fmt: skip
    shown = [] if vector_b is None else [statistics(f"undo change vector size | {vector_b}")]
    set_ = parameters("undo_retention | 900", "db_block_size | 8192")
    return facts(summary, *shown, set_, *([details] if detail else []))


@pytest.mark.parametrize(
    ("blocks_k", "vector_b", "is_whole"),
    [
        ("1.0", "8,200,000", True),
        ("1.0", "16,384,000", True),  # twice as many blocks
        ("0.9", "16,384,000", False),
        ("0.0", "16,384,000", False),
        ("0.0", None, False),  # whether there was undo is not known
        ("1.0", None, True),
    ],
)
def test_an_undo_summary_that_lacks_most_of_the_undo_is_no_proof_that_there_was_space(
    blocks_k: str, vector_b: str | None, is_whole: bool
) -> None:
    """AWR 19.0.0.0.0-rac_01: the root of a CDB has 954 of 349,595 undo blocks."""
    failed = undo_of(blocks_k, vector_b)["undo.snapshot_too_old"]

    assert (failed.number == 2.0) is is_whole
    assert is_whole or failed.status == "unavailable"


@pytest.mark.parametrize(
    ("detail", "at_least"), [(("30,000", "60,000"), False), (("20,000", "60,000"), True)]
)
def test_the_busiest_ten_minutes_of_a_part_of_the_interval_are_a_lower_bound(
    detail: tuple[str, ...], at_least: bool
) -> None:
    """Statspack 9.2.0.1.0_01: 34 rows with 8 % of the undo of the interval."""
    peak = undo_of("90.0", None, *detail)["undo.peak_blocks_per_s"]

    assert peak.number == 100.0
    assert peak.note.startswith("at least") is at_least
