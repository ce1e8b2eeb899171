"""Sections that name different databases, instances or snapshots never become one report."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import samples

from awrlens import api
from awrlens.errors import AwrlensError, NotAReportError, UnreadableError
from awrlens.report.report import Report
from awrlens.report.titles import named_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

BEFORE, AFTER = "redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt"


def section(name: str, title: str) -> str:
    """A section of a sample as it is printed, all of its pages."""
    lines = samples.path(name).read_text(encoding="utf-8").replace("\f", "").split("\n")
    starts = [at for at, line in enumerate(lines) if "DB/Inst:" in line]
    pages = [at for at in starts if lines[at].startswith((f"{title} ", f"{title}DB/"))]
    assert pages, title
    ends = [min((at for at in starts if at > page), default=len(lines)) for page in pages]
    return "\n".join("\n".join(lines[a:b]) for a, b in zip(pages, ends, strict=True)) + "\n"


def read(text: str) -> list[Report | AwrlensError]:
    return list(api.load_all(text.encode(), "mail"))


def facts(report: Report | AwrlensError) -> Mapping[str, Fact]:
    assert isinstance(report, Report)
    return api.facts_of(report)


def test_sections_of_two_databases_in_one_mail_are_two_reports() -> None:
    mail = (
        f"before:\n\n{section(BEFORE, 'Background Wait Events')}\n\nafter:\n\n"
        f"{section(AFTER, 'Foreground Wait Events')}\n{section(AFTER, 'Instance Activity Stats')}"
    )
    first, second = read(mail)
    assert isinstance(first, Report)
    assert isinstance(second, Report)
    assert (first.identity.db_name, second.identity.db_name) == ("AULTDB", "TMSORCL")
    assert (first.identity.begin_snap, second.identity.begin_snap) == (144, 615)
    one, two = facts(first), facts(second)
    assert one["redo.parallel_write_ms"].number == pytest.approx(17.86, abs=0.01)
    assert one["redo.write_ms"].status == "unavailable"
    assert two["redo.write_ms"].number == pytest.approx(0.1044, abs=0.0001)
    assert two["redo.parallel_write_ms"].status == "unavailable"
    lines = mail.split("\n")
    for fact in (*one.values(), *two.values()):
        assert all(item.text in lines[(item.line or 0) - 1] for item in fact.evidence)


def test_instances_and_snapshots_tell_reports_apart_as_databases_do() -> None:
    own = section(BEFORE, "Instance Activity Stats")
    for other in (own.replace("/aultdb1", "/aultdb2"), own.replace("144-147", "147-150")):
        assert len(read(own + "\n\n" + other)) == 2
    assert len(read(own + "\n\n" + own.replace("aultdb1", "aultdbl"))) == 1  # scanned


def unnamed(name: str, title: str) -> str:
    """A section whose titles name nobody, as they are pasted without their right half."""
    return re.sub(r"(?m) *DB/Inst:.*$", "", section(name, title))


@pytest.mark.parametrize(
    "title",
    ["Instance Activity Stats", "File IO Stats", "Background Wait Events", "Tablespace IO Stats"],
)
def test_two_lists_of_one_kind_are_refused_with_the_lines_of_both(title: str) -> None:
    one, two = (unnamed(name, title) for name in (BEFORE, AFTER))
    (alone,) = read(one)
    (problem,) = read(f"{one}\n\nserver 2:\n\n{two}")
    assert isinstance(alone, Report)
    assert isinstance(problem, AwrlensError)
    assert f"Section {title} is in the text twice" in str(problem)


def test_a_list_whose_rows_are_others_is_no_other_page_of_the_first() -> None:
    own = unnamed(BEFORE, "File IO Stats")
    (problem,) = read(f"{own}\n\n{own.replace('datafile/', 'other/')}")
    assert isinstance(problem, AwrlensError)
    assert "File IO Stats is in the text twice" in str(problem)


def test_a_header_below_sections_of_another_report_is_of_what_follows() -> None:
    header = samples.path(AFTER).read_text(encoding="utf-8")
    header = header[header.index("DB Name") : header.index("Load Profile")]
    own, other = section(BEFORE, "Background Wait Events"), section(AFTER, "Instance Activity")
    first, second = read(f"{own}\n\n{header}\n{other}")
    assert facts(first)["load.elapsed_s"].value is None
    assert facts(second)["load.elapsed_s"].value is not None


def test_what_names_nobody_beside_two_databases_is_refused_with_its_place() -> None:
    profile = "Load Profile\n~~~~~~~~~~~~  Per Second  Per Transaction\n"
    rows = (
        "  Redo size:    1,000.5   10.1\n  Logical reads:   20.0   0.2\n  Executes:   3.0   0.1\n"
    )
    one, two = (section(name, "Instance Activity Stats") for name in (BEFORE, AFTER))
    *named, problem = read(f"{one}\n\n{two}\n\n{profile}{rows}")
    assert all(isinstance(each, Report) for each in named)
    assert isinstance(problem, NotAReportError)
    assert "Load Profile (line" in str(problem)
    for each in named:
        # by its own counters, and not by the profile of nobody
        assert facts(each)["load.executes_per_s"].value != 3.0


def test_a_section_of_another_database_inside_a_report_is_not_its_own() -> None:
    text = samples.path(BEFORE).read_text(encoding="utf-8")
    own = section(BEFORE, "Background Wait Events").split("\n")[0]
    foreign = section(AFTER, "Background Wait Events")
    begin = text.index(own)
    end = text.index("DB/Inst:", begin + len(own))
    end = text.rindex("\n", 0, end) + 1
    first, second = read(text[:begin] + foreign + text[end:])
    assert facts(first)["redo.write_count"].value == 405_691
    assert facts(first)["redo.parallel_write_ms"].status == "unavailable"
    assert isinstance(second, Report)
    assert second.identity.db_name == "TMSORCL"
    assert facts(second)["redo.parallel_write_ms"].number == pytest.approx(0.093, abs=0.001)


def test_a_header_with_other_snapshots_than_all_titles_is_of_a_report_of_its_own() -> None:
    """As in an article that shows the header of one report and the sections of another."""
    text = samples.path(BEFORE).read_text(encoding="utf-8")
    head = text[: text.index("Time Model Statistics")]
    article = head + section(AFTER, "Background Wait Events")
    first, second = read(article)

    assert isinstance(first, Report)
    assert isinstance(second, Report)
    assert (first.identity.db_name, first.identity.begin_snap) == ("AULTDB", 144)
    assert (second.identity.db_name, second.identity.begin_snap) == ("TMSORCL", 615)
    assert facts(first)["redo.parallel_write_ms"].status == "unavailable"
    assert facts(second)["load.elapsed_s"].status == "unavailable"


@pytest.mark.parametrize("name", samples.ALL)
def test_all_titles_of_a_report_are_of_one(name: str) -> None:
    assert len(list(api.load_all(samples.path(name)))) == 1


@pytest.mark.parametrize(
    ("line", "begin", "end"),
    [
        (f"{'Wait Event Histogram':56}DB/Inst: A/a  Snaps: 144-1", "144", None),
        (f"{'Wait Event Histogram':58}DB/Inst: A/a  Snaps: 144-", "144", None),
        (f"{'Wait Event Histogram':60}DB/Inst: A/a  Snaps: 14", None, None),
        ("Wait Event Histogram  DB/Inst: A/a  Snaps: 144-1", "144", None),
        ("Wait Event Histogram  DB/Inst: A/a  Snaps: 144-147", "144", "147"),
        ("Wait Events for DB: A  Instance: a  Snaps: 1 -11", "1", "11"),
        ("PGA Memory Advisory  DB/Inst: A/a  End Snap: 147", None, None),
    ],
)
def test_a_title_that_the_page_cuts_does_not_tell_its_last_snapshot(
    line: str, begin: str | None, end: str | None
) -> None:
    (named,) = named_in(line)
    assert (named.certain.begin, named.certain.end) == (begin, end)


def test_the_first_title_that_is_whole_tells_the_snapshots_of_an_excerpt() -> None:
    own = section(BEFORE, "Background Wait Events")
    first, _, rest = own.partition("\n")
    names = first[first.index("DB/Inst") :].replace("144-147", "144-1")
    (report,) = read(f"{'Background Wait Events':{80 - len(names)}}{names}\n{rest}")
    assert isinstance(report, Report)
    assert (report.identity.begin_snap, report.identity.end_snap) == (144, None)
    (report,) = read(f"{'Background Wait Events':{80 - len(names)}}{names}\n{rest}\n{own}")
    assert isinstance(report, Report)
    assert (report.identity.begin_snap, report.identity.end_snap) == (144, 147)


@pytest.mark.parametrize(
    ("name", "unknown"),
    [
        (" DB/Inst: AULTDB/aultdb1  Snaps: 144-147", "its interval is not named, and missing"),
        ("", "its database, instance and interval are not named, and missing"),
    ],
)
def test_an_excerpt_says_what_is_unknown_of_it_and_not_what_its_titles_name(
    name: str, unknown: str
) -> None:
    title, *rest = section(BEFORE, "Background Wait Events").split("\n")
    (report,) = read("\n".join([f"{title[:30].rstrip()}{name}", *rest]))
    assert isinstance(report, Report)

    assert any(unknown in each.message for each in api.analyze(report).warnings)


def nameless(name: str, title: str) -> str:
    """A section whose title does not name its database."""
    return re.sub(r" *(DB/Inst:|DB:).*", "", section(name, title))


@pytest.mark.parametrize("title", ["Foreground Wait Events", "Instance Activity Stats"])
def test_a_list_that_is_there_twice_without_names_is_refused_with_both_lines(title: str) -> None:
    text = f"On A:\n\n{nameless(BEFORE, title)}\n\nOn B:\n\n{nameless(AFTER, title)}"
    (problem,) = read(text)
    assert isinstance(problem, AwrlensError)
    said = re.search(r"twice with different figures \(lines (\d+) and (\d+)\)", str(problem))
    assert said
    first, second = map(int, said.groups())
    assert first < text[: text.index("On B:")].count("\n") < second


def test_two_load_profiles_are_refused_with_both_lines() -> None:
    profiles = (
        re.search(r"(?ms)^Load Profile.*?(?=^Instance Eff)", samples.path(name).read_text())
        for name in (BEFORE, AFTER)
    )
    text = "\n\nand:\n\n".join(found[0].strip() for found in profiles if found)
    (problem,) = read(text)
    assert isinstance(problem, AwrlensError)
    assert "Section Load Profile is in the text twice with different figures" in str(problem)


@pytest.mark.parametrize(("minutes", "refused"), [("10.00", True), (None, False)])
def test_a_second_elapsed_time_is_refused(minutes: str | None, refused: bool) -> None:
    text = samples.path(BEFORE).read_text(encoding="utf-8")
    line = re.search(r"\n( +Elapsed: +)([\d.]+)( \(mins\))", text)
    assert line
    more = f"\n{line[1]}{minutes or line[2]}{line[3]}\n\nLoad Profile "
    (found,) = read(text.replace("\nLoad Profile ", more, 1))
    assert refused == isinstance(found, AwrlensError)
    assert not refused or "`Elapsed` of the header is in the text twice" in str(found)


#: Lists of two servers without titles and names, of other rows each.
HEADS = "Event\tWaits\tTime (s)\tAvg wait (ms)\t% DB time\tWait Class"
ONE = f"{HEADS}\nlog file sync\t60,000\t120\t2\t6.7\tCommit\nDB CPU\t\t1,500\t\t83.3\t"
OTHER = (
    f"{HEADS}\ndirect path read temp\t70,000\t5,600\t80\t62\tUser I/O\n"
    "local write wait\t69,000\t4,900\t71\t54\tSystem I/O"
)


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\nthe other server:\n\n"])
@pytest.mark.parametrize("sign", ["\t", " | "])
def test_two_lists_of_one_kind_without_titles_are_refused_with_both_lines(
    between: str, sign: str
) -> None:
    text = f"{ONE}{between}{OTHER}".replace("\t", sign)
    line = 4 + between.count("\n") - 1
    with pytest.raises(UnreadableError, match=rf"twice .* \(lines 1 and {line}\)"):
        api.load(text.encode(), "paste")


def test_two_nameless_lists_of_a_page_are_refused_too() -> None:
    tables = (
        "".join(f"<tr><td>{row.replace(chr(9), '</td><td>')}</td></tr>" for row in each.split("\n"))
        for each in (ONE, OTHER)
    )
    page = "".join(f"<table>{each}</table><p>x</p>" for each in tables)
    with pytest.raises(UnreadableError, match="Top 5 Timed Events is in the text twice"):
        api.load(f"<html><body>{page}</body></html>".encode(), "page")


def test_two_lists_of_a_page_without_a_common_row_are_of_two_reports() -> None:
    heads = "Buffer Gets|Executions|Gets per Exec|%Total|CPU Time (s)|Elapsed Time (s)|SQL Id"
    one, other = "9,000|3|3,000|90.0|5|6|7zqx3w1k2m4bd", "500|2|250|60.0|1|2|2bw8f6tq9h1rc"
    lists = (
        "".join(f"<tr><td>{row.replace('|', '</td><td>')}</td></tr>" for row in (heads, statement))
        for statement in (one, other)
    )
    page = "<p>the other:</p>".join(
        f"<h3>SQL ordered by Gets</h3><table>{rows}</table>" for rows in lists
    )
    with pytest.raises(UnreadableError, match="Section SQL ordered by Gets is in the text twice"):
        api.load(f"<html><body>{page}</body></html>".encode(), "page")


def test_a_list_below_a_blank_line_goes_on() -> None:
    text = f"{HEADS}\nlog file sync\t6\t1\t2\t6.7\tCommit\n\nlog file switch\t6\t1\t2\t6.7\tOther"
    assert len(api.load(text.encode(), "paste").tables["top_events"]) == 2
