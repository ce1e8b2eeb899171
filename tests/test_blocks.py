"""Blocks: every face shows the same content, escaped for its output."""

from __future__ import annotations

import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from awrlens.render import as_lines, markdown, pages
from awrlens.render import blocks as b
from awrlens.render.pages import Extras


def page(*blocks: b.Block) -> b.Page:
    return b.Page("title", (), "headline", "ok", blocks)


def faces(*blocks: b.Block, width: int = 80) -> dict[str, str]:
    """The page on a terminal, in Markdown and in a browser."""
    lines = as_lines.lines(page(*blocks), width)
    return {
        "lines": "\n".join("".join(span.text for span in line) for line in lines),
        "markdown": markdown.text(page(*blocks)),
        "html": pages.text(page(*blocks), Extras("0")),
    }


def test_every_cell_of_a_row_has_the_color_of_its_own_severity() -> None:
    row = b.Row(("▲ PEARL", "✔", "●✔✖?", "why?"), "warning")
    table = b.Table("Series", b.columns("series | =redo | =latest | problem"), (row,))
    *_, line = as_lines.printed(table, 80)

    assert [(span.text.strip(), span.style) for span in line if span.text.strip()] == [
        ("▲", "warning"), ("PEARL", "warning"), ("✔", "ok"), ("●", "info"), ("✔", "ok"),
        ("✖", "critical"), ("?", "unknown"), ("why?", "warning"),
    ]  # fmt: skip


def test_commands_can_be_copied_and_are_no_markup() -> None:
    found = faces(b.Code("Rollback", ("SELECT 1;", "</pre>```\x1b[2J")))

    assert "\n     SELECT 1;\n     </pre>```[2J" in found["lines"]
    assert "```sql\nSELECT 1;\n</pre>~~~[2J\n```\n" in found["markdown"]
    assert '<pre tabindex="0">SELECT 1;\n&lt;/pre&gt;```[2J</pre>' in found["html"]


def test_a_part_of_a_bar_shows_its_value_in_a_browser() -> None:
    bar = b.Bars("times", 10, (b.BarRow("one", (b.Piece(0, 4, "info", "scan", "4 s"),)),))
    found = faces(bar)

    assert '<b class="num">4 s</b>' in found["html"]
    assert "scan 4 s" in found["lines"]  # a single bar has the values in its legend


def test_parts_of_one_style_differ_in_a_terminal_and_all_are_in_the_legend() -> None:
    names = ("row locks", "reads", "latches", "CPU", "commits", "temp", "undo", "switches",
             "log buffer", "free buffers", "more", "less")  # fmt: skip
    styles = ("other", "other", "other", "cpu", "redo", "temp", "undo", "redo", "redo",
              "checkpoint", "warning", "ok")  # fmt: skip
    parts = tuple(
        b.Piece(n, n + 1, style, name)
        for n, (style, name) in enumerate(zip(styles, names, strict=True))
    )
    found = faces(
        b.Bars("times", len(names), (b.BarRow("before", parts), b.BarRow("after", parts)))
    )
    bars = re.findall(r"^  (?:before|after) +(\S+)", found["lines"], re.M)
    marks = dict(re.findall(rf"(\S) ({'|'.join(names)})", found["lines"]))

    assert len(set(bars)) == 1
    assert set(bars[0]) == set(marks)
    assert len(marks) == len(names)


def test_parts_of_one_name_are_no_column_of_a_table_in_markdown() -> None:
    rows = tuple(b.BarRow(f"{n} s", (b.Piece(0, n, "info", "writes"),), f"× {n}") for n in (1, 2))
    differ = (rows[0], rows[1]._replace(pieces=(b.Piece(0, 2, "ok", "reads"),)))

    assert "writes" not in faces(b.Bars("times", 2, rows))["markdown"]
    assert "| 2 s | × 2 |\n" in faces(b.Bars("times", 2, rows))["markdown"]
    assert "| 2 s | × 2 | reads |\n" in faces(b.Bars("times", 2, differ))["markdown"]


HOSTILE = "<script>alert(1)</script>|`{{7*7}}`\x1b[31m\u202e</i>\"'"
BARS = b.Bars(
    HOSTILE, 10.0,
    (
        b.BarRow(
            HOSTILE, (b.Piece(0, 4, "redo", HOSTILE, "4 ms"), b.Piece(4, 9, "other", "b")), "9 ms"
        ),
        b.BarRow("less", (b.Piece(0, -5, "ok"),), "−5 ms"),
    ),
    (b.AxisMark(7, HOSTILE),),
)  # fmt: skip
TABLE = b.Table(
    HOSTILE,
    (b.Column(HOSTILE, "name"), b.Column("text"), b.Column("number", "number"),
     b.Column("wide", narrow=False)),
    (
        b.Row((HOSTILE, HOSTILE * 5, "1,234.5", HOSTILE), "warning",
              keys=(None, None, 1234.5, None), group=HOSTILE),
        b.Row(("name", "few words", "7", ""), "ok", keys=(None, None, 7.0, None), group="other"),
    ),
    tools=True,
)  # fmt: skip
#: One block of each kind, and words of it that every face shows.
BLOCKS: dict[str, tuple[b.Block, tuple[str, ...]]] = {
    "heading": (b.Heading(f"A heading {HOSTILE}", anchor="here"), ("A heading",)),
    "paragraph": (b.Paragraph(f"Running text {HOSTILE}", "warning", HOSTILE), ("Running text",)),
    "items": (b.Items((b.Item(HOSTILE, HOSTILE, "ok", (HOSTILE, "below")),)), ("below",)),
    "table": (TABLE, ("1,234.5", "few words")),
    "pairs": (b.KeyValues(HOSTILE, (("size", "5 MB"), (HOSTILE, HOSTILE))), ("size", "5 MB")),
    "bars": (BARS, ("less", "−5 ms", "9 ms")),
    "courses": (
        b.Courses(HOSTILE, ("last",), (b.Course(HOSTILE, (1.0, None, 3.0), ("3 ms",)),), "2004",
                  "2005"),
        ("last", "3 ms"),
    ),
    "fold": (b.Fold(f"A fold {HOSTILE}", (b.Paragraph("inside"),), "fold"), ("A fold", "inside")),
    "code": (b.Code("Rollback", (HOSTILE,)), ("Rollback",)),
}  # fmt: skip


@pytest.mark.parametrize("kind", BLOCKS)
def test_every_face_shows_a_block_and_hostile_text_is_only_text(kind: str) -> None:
    block, words = BLOCKS[kind]
    found = faces(block)

    tree = LexborHTMLParser(found["html"])
    assert [] == tree.css("article script, article [onerror]")
    shown = {**found, "html": tree.css_first("article").text()}  # type: ignore[union-attr]
    for face, text in shown.items():
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text), face
        for word in words:
            assert word in text.replace("\\", "").replace("\u00a0", " "), (face, word)
    rows = [line for line in found["markdown"].split("\n") if line.startswith("|")]
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in rows}
    assert len(bars) <= 1  # a bar in a cell does not begin another
    if kind != "code":
        markup = re.sub(r"\\.|`[^`\n]*`", "", found["markdown"])
        assert "<script" not in markup


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("kind", BLOCKS)
def test_no_block_is_wider_than_the_terminal(kind: str, width: int) -> None:
    lines = faces(BLOCKS[kind][0], width=width)["lines"].split("\n")
    if kind == "code":  # a word of a command is not cut: it could not be copied
        lines = [line for line in lines if len(line.split()) > 1]

    assert max(map(len, lines)) <= width


def test_a_browser_can_sort_and_filter_a_table_with_tools() -> None:
    tree = LexborHTMLParser(faces(TABLE)["html"])

    assert ["all", HOSTILE.replace("\x1b", "").replace("\u202e", ""), "other"] == [
        each.text() for each in tree.css(".filter button")
    ]
    assert 4 == len(tree.css("table.sortable th button"))
    assert ["1234.5", "7.0"] == [each.attributes["data-sort"] for each in tree.css("td[data-sort]")]
    assert [] == LexborHTMLParser(faces(TABLE._replace(tools=False))["html"]).css(".filter")


def test_headings_and_folds_with_an_anchor_are_the_navigation() -> None:
    tree = LexborHTMLParser(faces(b.Heading("One", anchor="a"), b.Heading("Two"),
                                  b.Fold("Three", (), "c"))["html"])  # fmt: skip

    assert [("#a", "One"), ("#c", "Three")] == [
        (each.attributes["href"], each.text()) for each in tree.css("nav a")
    ]


def test_parts_of_one_gray_are_told_apart() -> None:
    pieces = tuple(b.Piece(n, n + 1, "other", f"event {n}") for n in range(5))
    tree = LexborHTMLParser(
        faces(b.Bars("x", 5, (b.BarRow("one", pieces),)))["html"]
    )  # fmt: skip

    shades = [str(each.attributes["class"]).split()[-1] for each in tree.css("i.piece")]
    assert ["s0", "s1", "s2", "s3", "s4"] == shades
    keys = [str(each.attributes["class"]).split()[-1] for each in tree.css(".key")]
    assert keys == shades


def test_the_tab_of_a_page_begins_with_its_verdict_if_it_has_one() -> None:
    texts = {
        severity: pages.text(page()._replace(severity=severity), Extras("0"))
        for severity in ("critical", "ok", "info")
    }

    said = f"{page().headline} – title</title>"
    assert f"<title>critical: {said}" in texts["critical"]
    assert f"<title>ok: {said}" in texts["ok"]
    assert f"<title>{said}" in texts["info"]
