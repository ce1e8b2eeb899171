"""Reports with a part missing, two in one text, figures that cannot be: never a wrong figure.

`tools/attack.py` runs all classes over a folder of real reports (docs/fuzzing.md).
"""

from __future__ import annotations

import html
import re

import corpus
import figures
import pytest
import samples
from fuzzing import attacks, plain

from awrlens import api
from awrlens.errors import UnreadableError
from awrlens.model import Fact
from awrlens.report.report import Report
from awrlens.source.saved_pages import shown
from awrlens.units import parse_number

OLD, TEXT, PAGE = "redo-disk.statspack-9.2.lst", "redo-disk.awr-10.2.txt", "redo-disk.awr-11.2.html"
TEXT_OF_UNDO, PAGE_OF_TEMP = "undo-disk.awr-11.2.txt", "temp-sort-disk.awr-19c.html"
INVALID = "ERROR: Snapshots chosen span an instance shutdown: RESULTS ARE INVALID\n"


def text_of(name: str) -> str:
    return samples.path(name).read_text(encoding="utf-8")


def facts(text: str) -> dict[str, Fact]:
    return dict(api.facts_of(api.load(text.encode(), "text")))


def reports(text: str) -> list[Report]:
    return [each for each in api.load_all(text.encode(), "text") if isinstance(each, Report)]


def changed(text: str, seed: str, kinds: tuple[str, ...]) -> list[str]:
    """What attacks of some kinds change without a word."""
    (_, before), *_ = attacks.read(text)
    found = []
    for each in attacks.on_one(text, seed):
        if each.kind in kinds:
            after = next((own for _, own in attacks.read(each.text)), {})
            found += [f"{each.kind} {each.where}: {s}" for s in attacks.silent(before, after)]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", [OLD, TEXT, PAGE])
def test_a_missing_page_changes_no_fact_without_a_word(name: str) -> None:
    assert changed(text_of(name), name, ("first page", "last page")) == []


@pytest.mark.outside
@corpus.over("statspack-text", "awr-text", "awr-html", "awr-pdb-html")
def test_no_section_of_a_real_report_is_missed_without_a_word(entry: corpus.Entry) -> None:
    text = entry.path.read_bytes().decode("latin-1")
    assert changed(text, entry.file, ("section",)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "two"),
    [
        (OLD, TEXT_OF_UNDO),
        (TEXT_OF_UNDO, PAGE),
        (PAGE, "undo-disk.awr-19c.html"),
        (TEXT, PAGE_OF_TEMP),
    ],
)
def test_each_of_two_reports_in_one_text_keeps_its_own_figures(one: str, two: str) -> None:
    known = [plain.facts(text_of(each)) for each in (one, two)]
    for each in attacks.on_two(text_of(one), text_of(two)):
        found = attacks.read(each.text)
        if each.kind == "interleaved":
            for _, read in found:
                assert any(list(attacks.wrong(own, read)) == [] for own in known)
            continue
        assert len(found) == len(known)
        for own, (_, read) in zip(known, found, strict=True):
            assert list(attacks.wrong(own, read)) == []
            assert read["redo.write_ms"].value is not None


@pytest.mark.parametrize("kind", attacks.FIGURES)
@pytest.mark.parametrize("name", [OLD, PAGE])
def test_a_counter_that_cannot_be_is_no_fact(name: str, kind: str) -> None:
    text = text_of(name)
    for each in attacks.on_one(text, name):
        if each.kind == kind and each.where in ("redo writes", "redo write time"):
            found = facts(each.text)["redo.write_ms"]
            assert found.value is None
            assert "redo write" in found.note


@pytest.mark.slow
@pytest.mark.parametrize("name", [OLD, TEXT, PAGE, PAGE_OF_TEMP])
def test_few_figures_a_million_times_as_large_are_believed(name: str) -> None:
    """What is left has a form and size that may be: docs/fuzzing.md."""
    text = text_of(name)
    (_, before), *_ = attacks.read(text)
    believed, tried = [], 0
    for each in attacks.on_cited(text, name, before, 40):
        if each.kind == attacks.CITED[0]:
            after = next((own for _, own in attacks.read(each.text)), {})
            believed += [each.where] * any(attacks.silent(before, after))
            tried += 1

    assert tried
    assert len(believed) * 345 < tried * 10, believed


@pytest.mark.parametrize(
    "name",
    [
        "database.sga_mb", "checkpoint.estimated_ios", "checkpoint.actual_redo_blocks",
        "load.sessions", "pga.target_mb", "undo.max_query_s", "undo.tablespace_reads",
    ],
)  # fmt: skip
def test_a_figure_that_no_host_or_interval_can_have_is_no_fact(name: str) -> None:
    """Reads of a tablespace are then those of its files, a PGA target that of the advisory."""
    text = text_of(PAGE)
    before = facts(text)[name]
    cited = next(item for item in before.evidence if re.search("[1-9]", item.text))
    line = text.split("\n")[(cited.line or 1) - 1]
    large = line.replace(f">{cited.text}<", f">{cited.text},000,000<", 1)
    assert before.value is not None
    assert line != large
    after = facts(text.replace(line, large, 1))[name]
    assert after.value in (None, before.value)


@pytest.mark.parametrize("text", ["1" * 25, "1e30"])
def test_a_count_has_64_bits_at_most(text: str) -> None:
    assert parse_number(text) is None


def test_a_wrapped_counter_of_9i_is_named_as_such() -> None:
    text = re.sub(r"(?m)^(redo write time +)[\d,]+", r"\g<1>-4,294", text_of(OLD))
    assert "wrap at 32 bits" in facts(text)["redo.write_ms"].note


def test_a_size_without_its_unit_letter_is_damaged() -> None:
    text = text_of(TEXT)
    assert facts(text)["redo.log_buffer_mb"].value is not None
    cut = re.sub(r"(Log Buffer:\s+[\d,]+)[KM]", r"\1", text)
    assert facts(cut)["redo.log_buffer_mb"].value is None


def test_a_text_with_tabs_that_was_cut_is_refused() -> None:
    lines = [line.replace("        ", "\t") for line in text_of(TEXT).split("\n")]
    with pytest.raises(UnreadableError, match="cut off at column 60"):
        api.load("\n".join(line[:60] for line in lines).encode(), "text")


def test_the_list_without_its_first_page_says_nothing_of_what_it_lacks() -> None:
    text = text_of(TEXT)
    (begin, end), *_ = attacks.sections(text)["Wait Events"]
    rows = text[begin:end].split("\n")
    first = next(n for n, row in enumerate(rows) if row.startswith("---")) + 1
    torn = facts(text[:begin] + "\n".join([*rows[:first], *rows[first + 12 :]]) + text[end:])
    assert "is torn: it lacks" in torn["redo.buffer_wait_s"].note
    assert torn["redo.buffer_wait_s"].value is None


def test_a_background_wait_of_10g_is_not_0_without_the_list_of_all_waits() -> None:
    text = text_of(TEXT)
    without = attacks.without(text, attacks.sections(text)["Wait Events"])
    assert facts(text)["redo.scn_ack_wait_s"].value == 0
    assert facts(without)["redo.scn_ack_wait_s"].note == "section Wait Events is not in the report"


def test_a_mark_before_a_title_is_of_the_report_that_follows() -> None:
    old = text_of(OLD)
    first, second = reports(f"{old}\n\n{INVALID}{old}")
    assert (first.valid, second.valid) == (True, False)
    cut = old[: old.rindex("Instance Activity")]
    first, second = reports(f"{cut}\n{INVALID}{old}")
    assert (first.valid, second.valid) == (True, False)


def test_a_mark_between_a_page_that_was_cut_and_another_is_of_the_second() -> None:
    page = text_of(PAGE)
    cut = page[: page.index("</tr>", len(page) // 2)]
    first, second = reports(f"{cut}\n{INVALID}\n{page}")
    assert (first.valid, second.valid) == (True, False)


def test_a_section_of_another_report_in_a_page_is_refused_with_both_lines() -> None:
    page = text_of(PAGE)
    ((begin, end),) = attacks.sections(page)["Tablespace IO Stats"]
    other = re.sub(r"(?<=>)(\d)(?=\d*,?\d*</td>)", "7", page[begin:end])
    with pytest.raises(
        UnreadableError, match=r"Tablespace IO Stats is in the text twice.*lines \d+ and"
    ):
        api.load((page[:end] + other + page[end:]).encode(), "text")


TOP = """Top 5 Timed Events                                         Avg %Total
~~~~~~~~~~~~~~~~~~                                        wait   Call
Event                                 Waits    Time (s)   (ms)   Time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
CPU time                                          1,500          83.3
log file sync                        60,000 {:>11,}           6.7     Commit
          -------------------------------------------------------------
"""


def test_two_lists_of_top_events_in_a_mail_are_two_reports() -> None:
    text = f"On A:\n\n{TOP.format(120)}\nAnd on B:\n\n{TOP.format(7200)}"
    assert [api.facts_of(each)["redo.sync_wait_s"].value for each in reports(text)] == [120, 7200]


HEADER = """DB Name         DB Id    Instance     Inst Num Release     RAC Host
------------ ----------- ------------ -------- ----------- --- ------------
PROD1          111111111 prod1               1 10.2.0.4.0  NO  hosta

              Snap Id      Snap Time      Sessions Curs/Sess
            --------- ------------------- -------- ---------
Begin Snap:        10 14-Sep-20 10:00:00        37       1.0
  End Snap:        11 14-Sep-20 11:00:00        38        .9
   Elapsed:               60.00 (mins)
   DB Time:               30.00 (mins)
"""


def test_a_header_without_its_title_names_the_database() -> None:
    (who,) = (each.identity for each in reports(f"{HEADER}\n{TOP.format(120)}"))
    assert (who.db_name, who.instance, who.release, who.host) == (
        "PROD1", "prod1", "10.2.0.4.0", "hosta",
    )  # fmt: skip


def test_two_headers_in_one_mail_are_two_reports() -> None:
    other = HEADER.replace("PROD1", "PROD2").replace("10 14-Sep", "20 15-Sep")
    text = f"{HEADER}\n{TOP.format(120)}\n{other}\n{TOP.format(900)}"
    found = reports(text)
    assert [(e.identity.db_name, e.identity.begin_snap) for e in found] == [
        ("PROD1", 10),
        ("PROD2", 20),
    ]
    assert [api.facts_of(each)["redo.sync_wait_s"].value for each in found] == [120, 900]


def test_a_wait_beyond_db_time_is_said_and_no_fact() -> None:
    (report,) = reports(f"{HEADER}\n{TOP.format(720_000)}")
    assert any("contradict" in note.message for note in report.warnings)
    assert "more than DB time" in api.facts_of(report)["redo.sync_wait_s"].note


def test_the_saved_source_of_a_page_is_read_as_the_page() -> None:
    page = text_of(PAGE)
    rows = (
        f'<tr><td class="line-number" value="{number}"></td>'
        f'<td class="line-content">{html.escape(line)}</td></tr>\n'
        for number, line in enumerate(page.split("\n"), start=1)
    )
    saved = (
        f"<html><title>view-source:awr.html</title><body><table><tbody>\n{''.join(rows)}</table>"
    )
    whole, found = facts(page), facts(saved)
    returned = shown(saved.replace("</td></tr>\n", "\n</td></tr>\n"))
    assert returned.numbers is not None
    assert returned.text.count("\n") + 1 == len(returned.numbers)
    assert [name for name in whole if whole[name].value != found[name].value] == []
    lines = [each["redo.write_ms"].evidence[0].line or 0 for each in (whole, found)]
    assert lines[1] == lines[0] + 1


@pytest.mark.parametrize(
    ("event", "name"),
    [("log file sync", "redo.sync_wait_s"),
     ("log file switch (checkpoint incomplete)", "redo.log_switch_wait_s")],
)  # fmt: skip
def test_an_event_that_a_list_lacks_but_its_histogram_has_is_no_zero(event: str, name: str) -> None:
    text = text_of(PAGE)
    (spans, *_) = (
        each for title, each in attacks.sections(text).items() if "Foreground Wait Events" in title
    )
    row = re.compile(rf"<tr>\s*<td[^>]*>{re.escape(event)}</td>.*?</tr>", re.S)
    lost = next(m for m in row.finditer(text) if any(a <= m.start() < b for a, b in spans))
    top = [m.span() for m in row.finditer(text) if m.start() < lost.start()]
    before = facts(text)[name]
    after = facts(attacks.without(text, [*top, lost.span()]))[name]

    assert before.number
    assert after.value is None or after.status == "estimated", after


def test_a_size_of_the_sga_has_all_of_its_parts() -> None:
    text = text_of(TEXT)
    assert facts(text)["database.sga_mb"].value is not None
    for part in ("Database Buffers", "Variable Size"):
        found = facts(re.sub(rf"(?m)^{part} .*\n", "", text))["database.sga_mb"]
        assert found.value is None
        assert part in found.note


@pytest.mark.parametrize(
    ("name", "section", "row", "changed"),
    [
        (PAGE, "Foreground Wait Events", "direct path read temp", "temp.direct_waits"),
        (PAGE, "SQL ordered by Elapsed Time", "g1dppfmhtxs00", "integrity.insert_pct"),
        (PAGE_OF_TEMP, "IOStat by Function summary", "Direct Reads", "io.backup_pct"),
        (PAGE, "Instance Recovery Stats", "B", "checkpoint.estimated_mttr_high_s"),
        (TEXT, "Wait Events", "log file switch (checkpoint", "redo.log_switch_wait_s"),
        (TEXT, "Wait Events", "log file switch completion", "redo.switch_completion_wait_s"),
        (OLD, "Wait Events", "log file switch (checkpoint", "checkpoint.incomplete_wait_s"),
    ],
)
def test_a_list_without_a_row_has_no_smaller_sum(
    name: str, section: str, row: str, changed: str
) -> None:
    text = text_of(name)
    key = re.escape(row)
    pattern = rf"<tr>(?:(?!</tr>).)*?>{key}<.*?</tr>" if "<h3" in text else rf"^ *{key}.*\n"
    spans = next(each for title, each in attacks.sections(text).items() if title == section)
    lost = next(
        match for begin, end in spans
        for match in re.compile(pattern, re.M | re.S * ("<h3" in text)).finditer(text, begin, end)
    )  # fmt: skip
    after = facts(attacks.without(text, [lost.span()]))[changed]

    assert facts(text)[changed].value is not None
    assert after.value is None
    assert after.note


def test_waits_without_their_time_outs_are_commits_only_if_the_counter_agrees() -> None:
    text = text_of("busy-commit.statspack-9.2.lst")
    lost = re.sub(r"(?m)^log file sync +21,470,106 +0 .*\n", "", text)
    many = re.sub(
        r"(?m)^(redo synch writes +)21,470,106( +)745\.5( +)1\.0",
        r"\g<1> 2,147,011\2 74.5\3 .1",
        lost,
    )
    assert text != lost != many
    assert facts(lost)["redo.commit_waits"].value == 21_470_106
    assert facts(many)["redo.commit_ms"].value is None
    assert "10.0 waits for `log file sync` per commit" in facts(many)["redo.commit_ms"].note


def test_a_submit_of_0_s_is_not_the_write_time_where_all_rows_of_writes_are_missing() -> None:
    text = text_of("redo-disk.awr-11.2.txt")
    last = "latch: redo writing                  10                0       1      0.0     .0\n"
    submit = last.replace("latch: redo writing     ", "db file async I/O submit")
    submit = submit.replace("  1      0.0", "  0      0.0")
    without = re.sub("(?m)^db file parallel write .*\n", "", text).replace(last, last + submit)
    assert submit in without
    assert facts(text)["checkpoint.dbwr_busy_pct"].value
    assert facts(without)["checkpoint.dbwr_busy_pct"].value is None


def test_temporary_writes_of_a_release_that_counts_them_apart_are_not_all_direct_writes() -> None:
    text = text_of(PAGE_OF_TEMP)
    row = r"<tr><td[^>]*>physical writes direct temporary tablespace</td>.*?</tr>"
    without = re.sub(f"(?s){row}", "", text)
    assert facts(text)["temp.disk_sort_mb"].value
    assert facts(without)["temp.disk_sort_mb"].value is None
    assert "counts direct I/O" not in facts(without)["temp.io_share_pct"].note


def test_rollback_segments_say_nothing_of_undo_management_without_the_parameters() -> None:
    headings = ("RBS No", "Trans Table Gets", "Pct Waits", "Undo Bytes Written")
    used = figures.section("Rollback Segment Stats", headings, ["1 | 1,000 | 0.0 | 9,000"])
    listed = figures.parameters("db_block_size | 8192 |")
    assert figures.facts(used, listed)["undo.management"].value == "manual"
    assert figures.facts(used)["undo.management"].value is None
