"""Blocks: every face shows the same content, escaped for its output."""

from __future__ import annotations

from awrlens.render import as_html, as_lines, as_markdown
from awrlens.render import blocks as b
from awrlens.render.pages import Extras


def page(*blocks: b.Block) -> b.Page:
    return b.Page("title", (), "headline", "ok", blocks)


def faces(*blocks: b.Block, width: int = 80) -> dict[str, str]:
    """The page on a terminal, in Markdown and in a browser."""
    lines = as_lines.lines(page(*blocks), width)
    return {
        "lines": "\n".join("".join(span.text for span in line) for line in lines),
        "markdown": as_markdown.text(page(*blocks)),
        "html": as_html.text(page(*blocks), Extras("0")),
    }


def test_commands_can_be_copied_and_are_no_markup() -> None:
    found = faces(b.Code("Rollback", ("SELECT 1;", "</pre>```\x1b[2J")))

    assert "    SELECT 1;\n    </pre>```[2J" in found["lines"]
    assert "```sql\nSELECT 1;\n</pre>~~~[2J\n```\n" in found["markdown"]
    assert '<pre tabindex="0">SELECT 1;\n&lt;/pre&gt;```[2J</pre>' in found["html"]


def test_a_part_of_a_bar_shows_its_value_in_a_browser() -> None:
    bar = b.Bars("times", "s", 0, 10, (b.BarRow("one", (b.Piece(0, 4, "info", "scan", "4 s"),)),))
    found = faces(bar)

    assert '<b class="num">4 s</b>' in found["html"]
    assert "scan 4 s" in found["lines"]  # a single bar has the values in its legend
