"""Parameters of both periods of a compare-period report, which print only what differs."""

from __future__ import annotations

import re

import pytest
import samples
from corpus import CORPUS

from awrlens import api
from awrlens.report.report import Report

#: First begin, first end, second begin, second end.
ROWS = (
    ("cursor_sharing", "FORCE", "EXACT", "", ""),
    ("db_block_size", "", "8192", "", ""),
    ("fast_start_mttr_target", "", "(DEFAULT)", "", "300"),
    ("open_cursors", "", "300", "", "900"),
    ("processes", "100", "150", "150", "200"),
    ("undo_retention", "", "900", "", "(DEFAULT)"),
)
FIRST = {"cursor_sharing": "EXACT", "db_block_size": "8192", "open_cursors": "300",
         "processes": "150", "undo_retention": "900"}  # fmt: skip
SECOND = {"cursor_sharing": "EXACT", "db_block_size": "8192", "fast_start_mttr_target": "300",
          "open_cursors": "900", "processes": "200"}  # fmt: skip
CHANGED = [
    ("open_cursors", "300", "900"), ("processes", "150", "200"), ("undo_retention", "900", ""),
    ("fast_start_mttr_target", "", "300"),
]  # fmt: skip


def line(name: str, *values: str) -> str:
    a, b, c, d = (value.ljust(24) for value in values)
    return f"{name:<30}   {a} {b}   {c} {d}".rstrip()


def as_text() -> Report:
    """The layout of 11.2: the periods stand above the headings."""
    dashes = "-" * 24
    page = [
        f"{'':<30}   {'1st Period':>30}{'2nd Period':>50}",
        f"{'':<30}   {'-' * 49}   {'-' * 49}",
        line("Parameter Name", *("Begin Snap Value", "End Snap Value") * 2),
        line("-" * 30, dashes, dashes, dashes, dashes),
        *(line(*row) for row in ROWS),
    ]
    text = samples.path("redo-compared.awr-diff-11.2.txt").read_text(encoding="utf-8")
    title, _, rest = text.partition("init.ora Parameters ")[2].partition("\n\n")
    before = text.partition("init.ora Parameters ")[0]
    after = rest[re.search(r"^ {10,}-{20,}", rest, re.M).start() :]  # type: ignore[union-attr]
    new = f"{before}init.ora Parameters {title}\n\n" + "\n".join(page) + "\n" + after
    return api.load(new.encode())


def as_html() -> Report:
    text = samples.path("redo-compared.awr-diff-11.2.html").read_text(encoding="utf-8")
    begin = text.index("audit_file_dest")
    first, last = text.rindex("<tr", 0, begin), text.index("</table>", begin)
    rows = (f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
    return api.load((text[:first] + "\n".join(rows) + text[last:]).encode())


@pytest.mark.parametrize("report", [as_text(), as_html()], ids=["text", "html"])
def test_each_period_has_the_parameters_that_are_set_in_it(report: Report) -> None:
    first, second = (period.parameters() for period in report.periods)

    assert first == FIRST
    assert second == SECOND


@pytest.mark.parametrize("report", [as_text(), as_html()], ids=["text", "html"])
def test_what_changed_is_told_once_and_a_default_is_no_value(report: Report) -> None:
    found = api.analyze(report)

    assert found.comparison is not None
    changed = {(each.name, each.first, each.second) for each in found.comparison.parameters}
    assert changed == set(CHANGED)
    fact = found.periods[0].facts["checkpoint.fast_start_mttr_target_s"]
    assert "it has its default" in fact.note
    assert found.periods[1].facts["checkpoint.fast_start_mttr_target_s"].value == 300


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
def test_text_and_html_of_one_comparison_have_the_same_parameters() -> None:
    text, html = (
        api.load(CORPUS / f"awr-diff-{kind}_11.2.0.3.0_01.{suffix}")
        for kind, suffix in (("text", "txt"), ("html", "html"))
    )

    for one, other in zip(text.periods, html.periods, strict=True):
        assert len(one.parameters()) == 27
        assert one.parameters() == other.parameters()
