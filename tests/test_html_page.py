"""The HTML page: whole in itself, true to the analysis, and deaf to markup in a report."""

from __future__ import annotations

import os
import re
from html import unescape
from pathlib import Path

import pytest
import samples
from selectolax.lexbor import LexborHTMLParser

from awrlens import api
from awrlens.cli import run
from awrlens.render import blocks
from awrlens.render.html import page, render
from awrlens.render.pages import Extras
from awrlens.render.pages import text as written

DISK = samples.path("redo-disk.awr-11.2.html")
HOSTILE = "<img src=x onerror=alert(1)>\"'`{{7*7}}</script>"


def page_of(*names: str) -> str:
    pages = []
    for name in names:
        analysis = samples.analysis(name)
        pages.append(page(analysis, api.exhibits(samples.report(name), analysis)))
    return render(pages, Extras("0"))


def hostile_page() -> str:
    """The page of a report in which names are markup."""
    data = DISK.read_text(encoding="utf-8")
    escaped = HOSTILE.replace("&", "&amp;").replace("<", "&lt;")
    for name in ("AULTDB", "log file switch completion", "UNDOTBS1", "aultlab1"):
        data = data.replace(f">{name}<", f">{escaped}<")
    report = api.load(data.encode())
    analysis = api.analyze(report)
    shown = api.exhibits(report, analysis)
    return render([page(analysis, shown)], Extras(HOSTILE, (), HOSTILE))


def test_a_list_tells_databases_of_one_name_apart_and_has_actions_as_their_title() -> None:
    analysis = samples.analysis("redo-disk.awr-11.2.html")
    shown = api.exhibits(samples.report("redo-disk.awr-11.2.html"), analysis)

    def rows(*ids: str) -> list[list[str]]:
        found = [
            page(analysis._replace(report={**analysis.report, "db_id": each}), shown)
            for each in ids
        ]
        tree = LexborHTMLParser(render(found, Extras("0")))
        table = tree.css_first("table")
        assert table is not None
        return [[cell.text(strip=True) for cell in row.css("td")] for row in table.css("tbody tr")]

    two, one = rows("1", "2"), rows("1", "1")
    assert ["AULTDB/aultdb1 2008-08-20 16:23:46 [1]", "AULTDB/aultdb1 2008-08-20 16:23:46 [2]"] == (
        sorted(row[0] for row in two)
    )
    assert {"AULTDB/aultdb1 2008-08-20 16:23:46"} == {row[0] for row in one}
    assert [analysis.actions[0].title, "redo-disk.awr-11.2.html"] == two[0][-2:]


def tree_of(*names: str) -> LexborHTMLParser:
    return LexborHTMLParser(page_of(*names))


def text(node: object) -> str:
    return re.sub(r"\s+", " ", node.text(deep=True)).strip()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", samples.ALL)
def test_no_request_leaves_the_page(name: str) -> None:
    tree = tree_of(name)

    assert tree.css("link, img, iframe, object, script[src]") == []
    for node in tree.css("[href], [src]"):
        assert str(node.attributes.get("href")).startswith("#")
    policy = tree.css_first("meta[http-equiv]")
    assert policy is not None
    assert "default-src 'none'" in str(policy.attributes["content"])


def test_findings_steps_and_facts_are_those_of_the_analysis() -> None:
    name = "redo-disk.awr-11.2.html"
    tree, analysis = tree_of(name), samples.analysis(name)

    titles = [text(node) for node in tree.css("article section.card h3")]
    for finding in analysis.findings:
        assert f"{finding.severity}{finding.title}".replace("`", "") in titles
    assert len(analysis.findings) + len(analysis.recommendations) == len(titles)
    assert len(analysis.facts) == len(tree.css("table.facts tbody tr"))
    commands = "\n".join(node.text() for node in tree.css("pre"))
    for item in analysis.recommendations:
        assert all(command in commands for command in item.commands)


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.html", "redo-disk.statspack-9.2.lst"])
def test_the_lines_of_the_report_stand_beside_each_finding_with_the_cell_marked(name: str) -> None:
    printed = samples.path(name).read_text(encoding="utf-8").split("\n")
    analysis = samples.analysis(name)

    for finding in analysis.findings:
        for fact in finding.facts:
            for item in fact.evidence:
                assert item.line is not None
                assert item.text in unescape("".join(printed[item.line - 1 : item.line + 1]))
                around = item.excerpt
                assert item.text == around.line[around.begin : around.end]
    marked = [node.text() for node in tree_of(name).css("details.proof mark")]
    assert {"757,698", "405,691"} <= set(marked)


def test_the_parts_of_a_chart_are_the_facts() -> None:
    name = "busy-commit.statspack-9.2.lst"
    analysis = samples.analysis(name)
    figure = tree_of(name).css_first("figure")

    assert figure is not None
    cells = [[text(cell) for cell in row.css("td")] for row in figure.css("tbody tr")]
    shown = {label: float(seconds.replace(",", "")) for label, seconds, _ in cells}
    assert shown["redo log write"] == round(analysis.facts["redo.commit_storage_s"].number or 0)
    assert sum(shown.values()) == pytest.approx(125_416, abs=2)


def test_what_a_report_says_never_becomes_markup() -> None:
    tree = LexborHTMLParser(hostile_page())

    assert tree.css("img") == []
    assert len(tree.css("script:not([type])")) == 2  # that of the theme, and that of the page
    assert "49" not in text(tree.css_first("article p"))
    assert HOSTILE in tree.css_first("article").text(deep=True)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name", ["redo-disk.awr-11.2.txt", "undo-disk.awr-19c.html", "redo-cluster.awr-rac-11.2.html",
             "redo-compared.awr-diff-11.2.txt"])  # fmt: skip
def test_the_page_has_the_outline_it_had(name: str) -> None:
    """AWRLENS_SNAPSHOTS=write renews the files; read them before they are committed.

    How many facts and rules there are is no part of it: another one does not change it.
    """
    outline = []
    for node in tree_of(name).css(".headline, .strip li, h2, h3, h4, table, summary"):
        if node.tag == "table":
            heads = " | ".join(text(head) for head in node.css("th"))
            of_all_facts = heads.startswith(("fact | value | status", "fact | first"))
            rows = "" if of_all_facts else f" of {len(node.css('tbody tr'))}"
            outline.append(f"    table{rows}: {heads}")
        else:
            indent = {"h2": "\n", "h3": "  ", "h4": "    "}.get(str(node.tag), "")
            outline.append(indent + re.sub(r"^\d+ (?=numbers with|rules$)", "", text(node)))
    shown = "\n".join(outline) + "\n"
    file = Path(__file__).parent / "snapshots" / f"{name}.page.txt"
    if os.environ.get("AWRLENS_SNAPSHOTS") == "write":
        file.write_text(shown, encoding="utf-8")

    renew = f"AWRLENS_SNAPSHOTS=write renews {file.name}; read the difference before you commit it"
    assert file.read_text(encoding="utf-8") == shown, renew


def test_a_page_is_small_and_several_reports_share_one(tmp_path: Path) -> None:
    target = tmp_path / "page.html"

    status = run(["analyze", str(DISK), str(samples.path("redo-compared.awr-diff-11.2.txt")),
                  "--html", str(target)])  # fmt: skip

    assert 0 == status
    assert 2 == len(LexborHTMLParser(target.read_bytes()).css("article"))
    assert target.stat().st_size < 1_500_000
    assert [target] == list(tmp_path.iterdir())  # nothing half-written is left


def test_the_page_can_be_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["analyze", str(DISK), "--format", "html"])

    out = capsys.readouterr().out
    assert out.startswith("<!DOCTYPE html>")
    assert "redo.slow_write_ms" in out


def test_a_file_that_cannot_be_written_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(["analyze", str(DISK), "--html", "/no/such/folder/x.html"])
    assert "cannot be written" in capsys.readouterr().err


def test_a_column_without_a_cell_is_not_shown() -> None:
    columns = tuple(map(blocks.Column, ("report", "parts", "problem")))
    rows = (blocks.Row(("one", "", "none")), blocks.Row(("two", "", "none"), keys=(1, None, 2)))
    page_ = blocks.Page("", (), "", "ok", (blocks.Table("Reports", columns, rows, tools=True),))
    tree = LexborHTMLParser(written(page_, Extras("1")))

    assert ["report", "problem"] == [each.text() for each in tree.css("table thead button")]
    assert ["one", "none", "two", "none"] == [each.text() for each in tree.css("table tbody td")]
    assert "2" == tree.css("table tbody td")[3].attributes["data-sort"]
