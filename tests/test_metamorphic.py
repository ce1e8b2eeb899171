"""What does not change a report's figures does not change its facts.

Every change is made to our own samples and, where the folder is there, to real reports.
"""

from __future__ import annotations

import random
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import html5lib
import pytest
import samples
from corpus import CORPUS, entries
from selectolax.lexbor import LexborHTMLParser

from awrlens import api

if TYPE_CHECKING:
    from collections.abc import Callable

    from awrlens.report.report import Report

TEXTS = [name for name in samples.ALL if not name.endswith("html")]
PAGES = [name for name in samples.ALL if name.endswith("html")]


def real(*kinds: str) -> list[str]:
    """A handful of real reports, of every release one."""
    found: dict[str, str] = {}
    for entry in entries(*kinds):
        found.setdefault(f"{entry.kind} {entry.release}", entry.file)
    return list(found.values())


TEXTS += real("statspack-text", "awr-text")
PAGES += real("awr-html", "awr-pdb-html", "awr-rac-global-html", "awr-diff-html")


@cache
def original(name: str) -> str:
    path = CORPUS / name if (CORPUS / name).exists() else samples.path(name)
    return api.load(path)._text


def facts(report: Report) -> dict[str, object]:
    """Values of all facts, of the report and of its parts, and its identity."""
    parts = (report, *report.periods, *report.instances)
    values: dict[str, object] = {}
    for number, part in enumerate(parts):
        for name, fact in api.facts_of(part).items():
            values[f"{number} {name}"] = fact.value
        values.update({
            f"{number} {name}": value
            for name, value in part.identity.to_dict().items() if name != "source"
        })  # fmt: skip
    return values


@cache
def expected(name: str) -> dict[str, object]:
    return facts(api.load(original(name).encode(), name))


def differences(name: str, changed: str | Report) -> dict[str, tuple[object, object]]:
    found = facts(api.load(changed.encode(), name) if isinstance(changed, str) else changed)
    pairs = {key: (value, found.get(key)) for key, value in expected(name).items()}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def crlf(text: str) -> str:
    return text.replace("\r", "").replace("\n", "\r\n")


def trailing_blanks(text: str) -> str:
    return re.sub(r"\r?$", "   ", text, flags=re.M)


def no_trailing_blanks(text: str) -> str:
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def tabs(text: str) -> str:
    """Runs of blanks that end at a multiple of eight columns become tabs, as `unexpand` does."""
    return "\n".join(_unexpand(line) for line in text.expandtabs(8).split("\n"))


def _unexpand(line: str) -> str:
    pieces = [line[at : at + 8] for at in range(0, len(line), 8)]
    return "".join(
        f"{piece.rstrip(' ')}\t" if len(piece) == 8 and piece.endswith("  ") else piece
        for piece in pieces
    )


def form_feeds(text: str) -> str:
    return re.sub(r"\n\n(?=[A-Z][^\n]*DB/Inst:)", "\n\n\f", text)


def prompts(text: str) -> str:
    before = "SQL> @?/rdbms/admin/awrrpt\n\nSpecify the Report Name\n~~~~~~~~~~~~~~~~~~~~~~~\n\n"
    return f"{before}{text}\nReport written to report.lst\nSQL> exit\nDisconnected\n"


def line_numbers(text: str) -> str:
    return "\n".join(f"{n}:{line}" for n, line in enumerate(text.split("\n"), start=1))


def blank_lines_lost(text: str) -> str:
    """Two blank lines become one."""
    return re.sub(r"\n(\s*\n){2,}", "\n\n", text)


ANY_TEXT: list[Callable[[str], str]] = [
    crlf, trailing_blanks, no_trailing_blanks, tabs, form_feeds, prompts, line_numbers,
    blank_lines_lost,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", ANY_TEXT, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", TEXTS)
def test_how_a_text_was_saved_changes_no_fact(name: str, change: Callable[[str], str]) -> None:
    text = original(name)
    if change in (line_numbers, prompts, tabs) and re.match(r"\s*1[:-]", text):
        pytest.skip("its lines have numbers already")
    changed = change(text)
    report = api.load(changed.encode(), name)
    assert differences(name, report) == {}
    for part in (report, *report.periods, *report.instances):
        assert samples.misplaced(api.facts_of(part), changed) == []


def pages_of(text: str) -> list[str]:
    """The head, and every section that names its database, as pages."""
    return re.split(r"(?=^\f?[A-Z][^\n]*(?:DB/Inst:| for DB: ))", text, flags=re.M)


@pytest.mark.parametrize("name", [name for name in TEXTS if name in samples.ALL])
def test_the_order_of_the_sections_changes_no_fact(name: str) -> None:
    head, *pages = pages_of(samples.path(name).read_text(encoding="utf-8"))
    # sections that have no title line of their own stay behind the one before them
    random.Random(7).shuffle(pages)  # noqa: S311 - any order will do
    assert differences(name, head + "".join(pages)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TEXTS if name in samples.ALL])
def test_a_section_that_is_printed_several_times_counts_once(name: str) -> None:
    head, *pages = pages_of(samples.path(name).read_text(encoding="utf-8"))
    for number in range(0, len(pages), 5):
        again = [pages[number]] * (1 + number // 5 % 2)  # twice or three times in all
        several = [*pages[:number], *again, *pages[number:]]
        assert differences(name, head + "".join(several)) == {}, pages[number][:60]


def test_files_that_are_printed_three_times_count_once() -> None:
    head, *pages = pages_of(samples.path("redo-disk.statspack-11.2.txt").read_text("utf-8"))
    files = next(page for page in pages if "File IO Stats" in page.split("\n")[0])
    text = head + "".join([files, files, *pages])
    assert differences("redo-disk.statspack-11.2.txt", text) == {}


def test_a_file_with_two_sets_of_figures_makes_sums_over_files_unavailable() -> None:
    head, *pages = pages_of(samples.path("redo-disk.statspack-11.2.txt").read_text("utf-8"))
    files = next(page for page in pages if "File IO Stats" in page.split("\n")[0])
    others = [page for page in pages if "Tablespace IO Stats" not in page.split("\n")[0]]
    text = head + "".join([files.replace("  9.5\n", "  0.0\n"), *others])
    facts = api.facts_of(api.load(text.encode(), "twice"))

    for name in ("temp.reads", "undo.read_wait_s"):
        assert facts[name].value is None
        assert "undotbs1.258.660755929` twice" in facts[name].note


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in TEXTS if name in samples.ALL])
def test_a_section_that_is_lost_makes_facts_unavailable_and_changes_no_other(name: str) -> None:
    head, *pages = pages_of(samples.path(name).read_text(encoding="utf-8"))
    for number, page in enumerate(pages):
        lost = differences(name, head + "".join(pages[:number] + pages[number + 1 :]))
        wrong = {
            key: (before, after)
            for key, (before, after) in lost.items()
            if after is not None
            and not _may_stand_elsewhere(key)
            # the statistic has more digits than the average of the list
            and not (
                key.endswith("redo.commit_ms")
                and isinstance(after, float)
                and round(after) == before
            )
        }
        assert wrong == {}, page[:60]


def _may_stand_elsewhere(key: str) -> bool:
    """Figures that another section has too, more coarsely or counted otherwise.

    Counts and averages of waits are none: where sessions' own list is lost, what the list of all
    processes has is theirs only less what background processes have of it.
    """
    return key.split()[1] in {
        # that a statement needs few blocks each time is shown by the lists of gets and executions
        "io.leading_sql",
        # Load Profile rounds them
        "load.hard_parses_per_s", "load.user_calls_per_s", "io.read_mb_per_s", "io.write_mb_per_s",
        "io.read_requests_per_s", "io.write_requests_per_s", "load.db_cpu_s",
        # of `log file sync` a few waits are background processes'
        "redo.sync_count", "redo.sync_wait_s", "redo.commit_waits", "redo.syncs_per_commit",
        "checkpoint.autotune_write_pct", "checkpoint.incomplete_wait_ms",
        "checkpoint.incomplete_wait_s", "checkpoint.log_size_write_pct",
        "checkpoint.mttr_write_pct", "checkpoint.thread_write_pct", "checkpoint.write_pct",
        "integrity.checking_medium_pct", "integrity.checksum_full_pct", "integrity.cpu_pct",
        "integrity.delete_cpu_pct", "integrity.insert_cpu_pct", "integrity.update_cpu_pct",
        "load.data_read_wait_s", "load.largest_consumer_pct", "load.response_s",
        "redo.buffer_wait_s", "redo.bytes_per_s", "redo.commit_lgwr_s", "redo.commit_storage_s",
        "redo.commit_unexplained_s", "redo.lgwr_busy_pct", "redo.lgwr_copy_wait_s",
        "redo.lgwr_outside_ms", "redo.local_write_by", "redo.local_write_ms",
        "redo.log_switch_wait_ms",
        "redo.log_switch_wait_s", "redo.switch_completion_wait_s", "redo.sync_p50_ms",
        "redo.sync_p95_ms", "redo.sync_p99_ms", "redo.write_p50_ms", "redo.write_p95_ms",
        "redo.write_p99_ms", "temp.direct_write_p50_ms", "temp.read_time_share_pct",
        "io.control_write_p50_ms", "io.direct_write_p50_ms", "io.data_read_p50_ms",
        "checkpoint.data_write_p50_ms",
        # by size, otherwise by requests, which its note says; CPU of the time model or a statistic
        "temp.io_share_pct", "undo.apply_cpu_s",
        "undo.block_write_pct",
        "undo.neighbour_wait_s",
    }  # fmt: skip


def saved_by_a_browser(text: str) -> str:
    """Parsed and written again as the standard says: ``<tbody>``, quotes, small letters."""
    tree = html5lib.parse(text, treebuilder="etree")
    return str(html5lib.serialize(tree, omit_optional_tags=False, quote_attr_values="always"))


def saved_by_another_browser(text: str) -> str:
    return LexborHTMLParser(text).html or ""


def indented(text: str) -> str:
    return re.sub(r"\s*(</?(?:table|tbody|tr|td|th)\b[^>]*>)", r"\n    \1", text, flags=re.I)


def upper_case(text: str) -> str:
    return re.sub(r"</?[a-z][a-z0-9]*", lambda match: match[0].upper(), text)


def on_one_line(text: str) -> str:
    return re.sub(r">\s+<", "><", text)


def other_attributes(text: str) -> str:
    return re.sub(
        r"<(td|th|tr|table)\b([^<>]*)>", r"<\1 style='x' data-a=\"b c\"\2 >", text, flags=re.I
    )


def hard_blanks(text: str) -> str:
    return text.replace("&#160;", "&nbsp;").replace("<td></td>", "<td>&nbsp;</td>")


ANY_PAGE: list[Callable[[str], str]] = [
    crlf, saved_by_a_browser, saved_by_another_browser, indented, upper_case, on_one_line,
    other_attributes, hard_blanks,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", ANY_PAGE, ids=lambda change: change.__name__)
@pytest.mark.parametrize("name", PAGES)
def test_how_a_page_was_saved_changes_no_fact(name: str, change: Callable[[str], str]) -> None:
    text = original(name)
    reader: Any = api.load(text.encode(), name)._reader
    if reader._removed and change is not crlf:
        text = reader.text
    assert differences(name, change(text)) == {}


@pytest.mark.parametrize("name", [name for name in PAGES if name in samples.ALL])
def test_the_order_of_a_pages_sections_changes_no_fact(name: str) -> None:
    head, *sections = re.split(r"(?=<h3\b)", samples.path(name).read_text(encoding="utf-8"))
    random.Random(7).shuffle(sections)  # noqa: S311 - any order will do
    assert differences(name, head + "".join(sections)) == {}
