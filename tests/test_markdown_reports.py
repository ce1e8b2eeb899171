"""Reports that were turned into Markdown, as wikis and notebooks keep them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import samples
from golden_pairs import GOLDEN

import awrlens
from awrlens.redact.names import Names
from awrlens.redact.rewrite import redact
from awrlens.report.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable

HEAD = (GOLDEN / "header" / "awr-11.2-markdown.txt").read_text(encoding="utf-8")
REST = """
Instance Efficiency Percentages (Target 100%)

Buffer Nowait %:|  99.98| Redo NoWait %:|  99.90
---|---|---|---
Buffer Hit %:|  97.10| In-memory Sort %:|  99.40

##  Wait Events Statistics

  * Time Model Statistics
  * Background Wait Events

Back to Top

### Background Wait Events

  * ordered by wait time desc, waits desc (idle events last)

Event| Waits| %Time -outs| Total Wait Time (s)| Avg wait (ms)| Waits /txn| % bg time
---|---|---|---|---|---|---
log file parallel write| 91,204| 0| 201| 2| 0.99| 41.20
db file parallel write| 44,120| 0| 88| 2| 0.48| 18.04

* * *

Back to Wait Events Statistics
Back to Top

### SQL ordered by Gets

Buffer Gets| Executions| SQL Id| SQL Module| SQL Text
---|---|---|---|---
310,220|  12| 4kq7xw2mzp0ab| berths@quay3 | select berth_no from berth where harbour = :1
"""
SPECIMEN = HEAD + REST


def with_outer_bars(text: str) -> str:
    """The same tables as most Markdown editors write them."""
    lines = text.split("\n")
    return "\n".join(f"| {line.strip()} |" if "|" in line else line for line in lines)


def as_wiki(text: str) -> str:
    """The same tables in a wiki's markup: double bars between headings, and no rule below them."""
    lines = with_outer_bars(text).split("\n")
    is_rule = ["---|" in line for line in [*lines, ""]]
    return "\n".join(
        line.replace("|", "||") if is_rule[at + 1] else line
        for at, line in enumerate(lines) if not is_rule[at]
    )  # fmt: skip


def loaded(text: str) -> Report:
    return awrlens.load(text.encode())


def test_evidence_names_the_line_of_the_markdown_file() -> None:
    fact = awrlens.analyze(loaded(SPECIMEN)).facts["redo.parallel_write_ms"]
    line = SPECIMEN.split("\n")[(fact.evidence[0].line or 0) - 1]
    assert line.startswith("log file parallel write| 91,204|")
    assert fact.value == pytest.approx(201 * 1000 / 91204)


@pytest.mark.parametrize("written", [with_outer_bars, as_wiki])
def test_bars_around_a_table_make_no_difference(written: Callable[[str], str]) -> None:
    plain, barred = loaded(SPECIMEN), loaded(written(SPECIMEN))
    assert list(plain.tables) == list(barred.tables)
    for name in plain.tables:
        assert [row.values() for row in plain.tables[name]] == [
            row.values() for row in barred.tables[name]
        ]


def test_captions_of_markdown_are_titles_and_links_between_sections_are_not() -> None:
    report = loaded(SPECIMEN)
    hits = report["instance_efficiency"].row("buffer_hit_pct")
    assert hits is not None
    assert hits.number("value") == pytest.approx(97.1)
    assert not [each for each in report.listing() if "Back to" in str(each["title"])]


def test_names_and_statements_in_markdown_are_redacted() -> None:
    hidden = redact(loaded(SPECIMEN), Names(key=b"a key of our own"))
    text = hidden.made_of[0].text
    for word in ("PEARL", "pearl2", "quay3", "berth", "harbour", "3141592653"):
        assert word not in text
    assert [len(line) for line in text.split("\n")] == [len(line) for line in SPECIMEN.split("\n")]
    assert hidden["background_events"].row("log file parallel write") is not None


def test_prose_behind_a_code_block_is_no_row_of_the_table_in_it() -> None:
    """An article that explains a report section by section."""
    text = samples.path("temp-sort-disk.awr-11.2.txt").read_text(encoding="utf-8").replace("\f", "")
    head, *sections = re.split(r"(?m)^(?=\S.*DB/Inst:)", text)
    rules = re.compile(r"(?m)^ {10}-{40,}$")
    blocks = [head, *(rules.sub("", each) for each in sections)]
    article = "".join(
        f"### A section\n\n```text\n{each.rstrip()}\n```\nReads are the reads of the interval.\n\n"
        for each in blocks
    )
    whole, explained = awrlens.analyze(loaded(text)), awrlens.analyze(loaded(article))

    for name in ("temp.reads", "temp.io_share_pct", "redo.write_ms", "redo.parallel_write_ms"):
        assert whole.facts[name].value == explained.facts[name].value, name
