"""The first screen of real compare-period reports: cause, evidence, action, details."""

from __future__ import annotations

import re
from itertools import pairwise

import corpus
import pytest
import samples
from selectolax.lexbor import LexborHTMLParser

from awrlens import api
from awrlens.model import Analysis
from awrlens.render import html, layout, terminal, wording
from awrlens.render.pages import Extras

NEEDED = pytest.mark.skipif(
    not corpus.CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)


def screen(found: Analysis) -> str:
    """All lines as one text, with single spaces."""
    return " ".join(wording.text(layout.page(found, 80, verbose=False)).split())


def of(name: str) -> str:
    return screen(corpus.analysis_of(corpus.CORPUS / f"awr-diff-html_{name}.html"))


@pytest.mark.corpus
@NEEDED
def test_a_new_alarm_comes_before_the_load_and_before_its_action() -> None:
    """`wait for stopper event`: 2,499.1 s in the second period only (top events)."""
    shown = of("10.2.0.4.0-rac_09")
    order = (
        "▲ New in the second period: A dead transaction's rollback waited 2,499 s.",
        "0.69 sessions waiting on average.",
        "Different load: average active sessions went from 9.72 to 6.44 (34 % less).",
        "Do now DB time saved: not known",
        "1. Check that the rollback of the dead transaction has ended",
        "−2.63 sessions in CPU, +1.43 not accounted for",
        # 37.66 waits a second of 0.91 ms, then 17.03 of 17.78 ms
        "+0.269 in `latch: cache buffers chains` (55 % fewer waits, each 20 times as long)",
        # 22.05 % of DB time in the first period, 7.89 % in the second: another hint (L1540, L1550)
        "SQL cxtmt07bfr0dw (now cpwb1xmyq3c64): −1.63 (ran 88 % less often)",
        "Changes", "new ▲ UNDO011 parallel rollback waits",
    )  # fmt: skip

    places = [shown.index(text) for text in order]
    assert places == sorted(places)


@pytest.mark.corpus
@NEEDED
def test_what_moved_within_about_the_same_db_time_is_said_and_no_large_piece_is_hidden() -> None:
    """77,435 → 68,660 s of CPU, 2,560 → 4,573 s of a lock; other processes took the CPUs."""
    shown = of("10.2.0.4.0-rac_12")

    assert (
        "(about the same). Other processes use 1.94 % → 26.8 % of CPU. −0.304 sessions "
        "in CPU, +0.19"
    ) in shown
    assert "+0.07 in `library cache lock` (8 % more waits, each 66 % longer)" in shown
    assert "SQL*Net more data from client 8 %" in shown
    assert "not accounted for 7.7 %" in shown
    # 57.17 commits a second of 2.28 ms, then 22.80 of 3.96 ms
    gone = "gone ● REDO009 commits wait for log write (waits −60 %, each 2.28 ms → 3.96 ms)"
    assert gone in shown
    assert "For the same work" not in shown


@pytest.mark.corpus
@NEEDED
def test_a_statement_whose_time_is_the_wait_that_grew_is_in_one_sentence_with_it() -> None:
    """`gc cr multi block request`: 891 → 24,443 s; SQL grm80kzy36s5f: 2,130 → 24,355 s."""
    shown = of("10.2.0.4.0-rac_07")

    assert "SQL grm80kzy36s5f: +0.636 (probably the +0.673 in `gc cr multi block request`" in shown
    assert "takes 40 % of DB time" not in shown  # once is enough
    # dtrw4gypz3wdy had 73 % of the first period's executions
    assert "per unit of work: executions (+53 % without gone SQL) −61 %" in shown
    assert "service_names" not in shown


@pytest.mark.corpus
@NEEDED
def test_what_is_in_no_event_is_a_mover_and_what_is_trivial_is_none() -> None:
    """CPU 3,256 → 6,577 s; log switches have 0.2 % of the rise; parts were 102 % of DB time."""
    shown = of("10.2.0.4.0-rac_04")

    moved = re.search(r"\+0\.924 sessions in CPU .*? \(total", shown)
    assert moved
    assert "+0.186 not accounted for" in moved[0]
    assert "log switches" not in moved[0]
    assert "Second period: Worth doing" not in shown  # the action says it


@pytest.mark.corpus
@NEEDED
def test_totals_of_the_top_events_are_more_exact_than_their_shares() -> None:
    """`log buffer space`: 1,930.0 s of 82,817 s, then 2,348.5 s of 82,834 s: 22 % more."""
    shown = of("10.2.0.4.0_01")

    assert (
        "0.0284 sessions wait on average for `log buffer space` instead of 0.0233 (22 % more): "
        "10 % more waits, each 11 % longer"
    ) in shown


@pytest.mark.corpus
@NEEDED
def test_a_report_without_measurements_says_first_what_awr_needs() -> None:
    shown = of("11.2.0.3.0-rac_01")

    licence, parameter = (
        shown.index(text) for text in ("Diagnostics Pack licence", "CONTROL_MANAGEMENT_PACK_ACCESS")
    )
    assert licence < parameter
    assert "TIMED_STATISTICS" not in shown
    assert "Changes" not in shown


def test_a_finding_that_is_gone_pairs_only_time_and_number_of_the_same_waits() -> None:
    """The commits of one period and the log writes of the other are not waits that grew."""
    shown = screen(samples.analysis("redo-compared.awr-diff-11.2.html"))

    assert "gone ▲ REDO001 slow redo write (17.9 ms → 0.0932 ms)" in shown
    assert "parameter db_cache_size: 2474639360 → 2449473536, and 3 more" in shown


def test_bars_have_the_colors_of_the_page_in_every_command() -> None:
    """CPU was grey in `analyze` and blue in `compare`; temp, commits and switches one yellow."""
    analysis = samples.analysis("redo-disk.awr-11.2.txt")
    styles = {
        text.text.split()[0]: mark.style
        for line in layout.page(analysis, 80, verbose=False)
        for mark, text in pairwise(line)
        if len(mark.text) == 1 and mark.style
    }
    assert {"CPU": "cpu", "log": "redo"}.items() <= styles.items()
    parts = ("redo", "checkpoint", "temp", "undo", "cpu")
    assert len({terminal.STYLES[part] for part in parts}) == len(parts)


def test_the_page_of_two_periods_has_the_picture_of_a_comparison_and_folds_its_facts() -> None:
    """AWR diff 11.2.0.3.0-rac_02: a bar of the second period only, and 100 rows of facts."""
    report = samples.report("redo-compared.awr-diff-11.2.html")
    analysis = api.analyze(report)
    shown = html.page(analysis, api.exhibits(report, analysis))
    tree = LexborHTMLParser(html.render([shown], Extras("0")))
    bars = [node.text() for node in tree.css(".bars .barlabel")]

    assert ["A", "B"] == bars[:2]  # of two databases
    assert len(bars) > 2
    assert [] == tree.css(".dbtime")
    assert "What moved" in [node.text() for node in tree.css("h2")]
    fold = tree.css_first("details.aside:has([aria-label=Changes])")  # aside: not printed
    assert fold is not None
    assert "Commit time (log file sync)" in fold.text()
    assert "redo.sync_to_write_ratio" not in fold.text()
    assert not re.search(r"\d m?s/s\b", tree.body.text())  # type: ignore[union-attr]
