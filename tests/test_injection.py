"""What a report says is text in every output: no markup, link, call, formula or command.

Hostile names go through the outputs; each is read by what would obey it.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt  # rich brings it

from awrlens.cli import redact, run
from awrlens.render import pages, wording
from awrlens.render.json import document
from awrlens.render.markdown import cell, escape
from awrlens.render.pipeline import sarif

HOSTILE = {
    "tag": "<img src=x onerror=alert(1)>",
    "tag behind runs of backticks": "` <img src=x> ```",
    "longer runs": "``` `` ` <script>x</script> ` `` ```",
    "code that would end": "a ``b` <b>bold</b> `c`` d",
    "link": "[click](http://evil.example/)",
    "picture": "![x](http://evil.example/x.png)",
    "reference": "[a][b] [b]: http://evil.example/",
    "autolink": "<http://evil.example/>",
    "bare link": "see http://evil.example/x?y=z and www.evil.example or ftp://evil.example",
    "mail": "mail me@evil.example",
    "call": "@octocat and (@org/team) look",
    "call in code": "`@octocat`",
    "table": "a | b ` | ` c",
    "entity": "&lt;b&gt; &#64;octocat &amp;",
    "backslashes": "\\` <b>x</b> \\\\` <i>y</i>",
    "emphasis": "*a* _b_ **c** ~~d~~ __e__",
    "comment": "<!-- x --> <?php ?> <![CDATA[x]]>",
    "math": "$\\sum$ V$SQL and V$SESSION",
}
BEGINS = ("- item", "+ item", "1. item", "2) item", "# title", "> quote", "===", "---", "    code",
          "|a|b|", "* item")  # fmt: skip
PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def inline(text: str) -> set[str]:
    """The kinds of what a Markdown parser makes of a text."""
    kinds: set[str] = set()
    for token in PARSER.parse(text):
        kinds.add(token.type)
        kinds.update(child.type for child in token.children or ())
    return kinds - {"inline", "text", "paragraph_open", "paragraph_close", "code_inline"}


def shown(text: str) -> str:
    """What a reader sees."""
    return "".join(child.content for token in PARSER.parse(text) for child in token.children or ())


def linked(text: str) -> list[str]:
    """What GFM links without any sign, outside of code, and whom it calls, everywhere."""
    outside = re.sub(r"(?<![`\\])`[^`]+`(?!`)", "", text)
    return [
        *re.findall(r"(?:https?|ftp)://|www\.[\w-]|[\w.+-]@[\w-]", outside),
        *re.findall(r"(?<![\w`])@\w", text.replace("\\", "")),
    ]


@pytest.mark.parametrize("case", HOSTILE)
def test_nothing_hostile_is_markup(case: str) -> None:
    text = escape(HOSTILE[case])

    assert set() == inline(text)
    assert [] == linked(text)
    seen = shown(text).replace("\u200b", "")
    strip = str.maketrans("", "", "` ")  # blanks at the ends of code are not shown
    assert HOSTILE[case].translate(strip) == seen.translate(strip)


@pytest.mark.parametrize("begin", BEGINS)
def test_nothing_at_the_beginning_of_a_line_is_markup(begin: str) -> None:
    assert {"paragraph_open"} >= inline(escape(begin).strip())


@pytest.mark.parametrize("case", HOSTILE)
def test_nothing_hostile_leaves_its_cell(case: str) -> None:
    rows = PARSER.parse(f"| a | b |\n|---|---|\n| {cell(HOSTILE[case])} | last |\n")

    cells = [t.children for a, t in pairwise(rows) if a.type == "td_open"]
    assert 2 == len(cells)
    assert "last" == "".join(child.content for child in cells[1] or ())


@given(st.text(alphabet="`<>[]()!*_~|\\&;:/@#$ \t-ab.w1", max_size=40))
def test_no_text_is_markup(text: str) -> None:
    escaped = escape(text)

    assert set() == inline(escaped.strip()), escaped
    assert [] == linked(escaped), escaped


def tags(text: str) -> set[str]:
    """The tags that GitHub's own parser makes of a text, but for those of code and of a cell."""
    cmarkgfm = pytest.importorskip("cmarkgfm")
    page = cmarkgfm.github_flavored_markdown_to_html(text, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE)
    ours = {"p", "code", "table", "thead", "tbody", "tr", "th", "td"}
    return {tag.lstrip("/") for tag in re.findall(r"<(/?\w+)", page)} - ours


@pytest.mark.parametrize("case", [*HOSTILE, *BEGINS])
def test_github_makes_nothing_of_it(case: str) -> None:
    text = HOSTILE.get(case, case)

    assert set() == tags(escape(text).strip())
    assert set() == tags(f"| a | b |\n|---|---|\n| {cell(text)} | last |\n")


def test_a_command_with_a_pipe_is_code_in_a_text_and_in_a_table() -> None:
    text = "its priority (`ps -eo pri,args | grep ora_lgwr`)"
    for shown in (escape(text), f"| a | b |\n|---|---|\n| {cell(text)} | last |\n"):
        code = [child.content for token in PARSER.parse(shown) for child in token.children or ()
                if child.type == "code_inline"]  # fmt: skip
        assert ["ps -eo pri,args | grep ora_lgwr"] == code


@given(st.text(alphabet="`<>[]()!*_~|\\&;:/@#$ \t-ab.w1htp", max_size=40))
def test_github_makes_nothing_of_any_text(text: str) -> None:
    assert set() == tags(escape(text).strip())


def test_our_own_code_stays_code() -> None:
    assert "code_inline" in {
        child.type
        for token in PARSER.parse(escape("Raise `undo_retention` to 900."))
        for child in token.children or ()
    }


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A report whose names are hostile, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    names = " ".join(HOSTILE.values()).replace("&", "&amp;").replace("<", "&lt;")
    text = text.replace(">AULTDB<", f">{names}<").replace(">aultdb1<", ">::error::x ##[error]y<")
    text = text.replace(">log file sync<", ">::stop-commands::z ##vso[x] \x9b31m\u202e<")
    Path("report.html").write_text(text, encoding="utf-8")
    Path("event.budgets").write_text('report.instance == "x"\nreport.db_name like "y"\n')
    return "report.html"


@pytest.mark.parametrize(
    "call",
    [
        ["analyze", "report.html", "-f", "markdown"],
        ["check", "report.html", "--exit-zero", "-o", "markdown"],
        ["compare", "report.html", "report.html", "-f", "markdown"],
    ],
    ids=" ".join,
)
def test_a_page_of_markdown_holds_no_markup_of_a_report(
    call: list[str], hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hostile
    assert 0 == run(call)

    out = capsys.readouterr().out
    kinds = inline(out)
    assert not kinds & {"image", "link_open", "html_inline"}, kinds
    blocks = {t.content for t in PARSER.parse(out) if t.type == "html_block"}
    assert all(re.match(r"</?details>", each) for each in blocks), blocks
    assert [] == linked(out)


@pytest.mark.parametrize("call", [["analyze", "report.html", "-f", "markdown"],
                                  ["check", "report.html", "--exit-zero", "-o", "markdown"],
                                  ["compare", "report.html", "report.html", "-f", "markdown"]],
                         ids=" ".join)  # fmt: skip
def test_github_finds_no_link_in_a_page(
    call: list[str], hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hostile
    assert 0 == run(call)

    assert not tags(capsys.readouterr().out) & {"a", "img", "script", "input", "b", "i"}


@pytest.mark.parametrize(
    "call",
    [
        ["analyze", "report.html"],
        ["facts", "report.html"],
        ["tables", "report.html"],
        ["tables", "report.html", "foreground_events"],
        ["tables", "report.html", "foreground_events", "-f", "csv"],
        ["tables", "report.html", "foreground_events", "-f", "json"],
        ["trend", "report.html", "-f", "csv"],
        ["check", "report.html", "--exit-zero"],
        *(["check", "report.html", "--exit-zero", "-o", form]
          for form in ("csv", "concise", "json", "jsonl", "junit", "gitlab", "sarif", "markdown")),
        ["analyze", "report.html", "-f", "json"],
        ["analyze", "report.html", "-f", "jsonl"],
        ["compare", "report.html", "report.html"],
        ["check", "report.html", "--exit-zero", "-o", "html"],
        ["analyze", "report.html", "-f", "html"],
        ["compare", "report.html", "report.html", "-f", "html"],
        ["trend", "report.html", "-f", "html"],
        ["budget", "test", "event.budgets", "report.html"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_line_is_a_command_and_nothing_controls_a_terminal(
    call: list[str], hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hostile
    assert run(call) in ((0, 1) if call[0] == "budget" else (0,))

    captured = capsys.readouterr()
    for text in (captured.out, captured.err):
        assert [] == re.findall(r"^\s*::[^\n]*", text, re.M)
        assert [] == re.findall(r"##(?:\[|vso\[)", text)
        assert [] == re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        (" =1+1", "' =1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "' =1"),
        ("\uff1d1", "'\uff1d1"),
        ("a\x1b[31m\x9b\u202eb", "a[31mb"),
        ("::error::x", ": :error::x"),
        ("##[group]", "# #[group]"),
        (-1.5, -1.5),
        (None, ""),
        ("log file sync", "log file sync"),
    ],
)
def test_a_cell_is_no_formula(cell: object, written: object) -> None:
    assert written == wording.cell(cell)


def test_tables_as_csv_hold_no_formulas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    Path("r.html").write_text(text.replace(">log file sync<", ">=cmd|x<"), encoding="utf-8")

    assert 0 == run(["tables", "r.html", "foreground_events", "-f", "csv"])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert "'=cmd|x" in {cell for row in rows for cell in row}


def test_json_escapes_what_a_terminal_or_a_server_would_obey() -> None:
    data = {"a": "\x9b31m\u202e\ud800\u2028 ##[error]x ##vso[y] ##Vso[z] # #x \u00e4"}
    for text in (document(data), document(data, compact=True)):
        assert data == json.loads(text)
        assert "##" not in text
        assert "\u00e4" in text
        text.encode()


def test_a_page_is_no_list_of_commands_and_the_same_to_a_browser() -> None:
    page = (
        "<style>\n::marker { color: red }</style>\n  ::error::x<p title='\n::y'>##[z] # #\n::</p>"
    )
    written = pages.inert(page)

    data = pages.inert('<script type="application/json">["##[x]"]</script>')
    assert ["##[x]"] == json.loads(data.partition(">")[2].partition("<")[0])
    assert "##[" not in data
    assert "<style>\n::marker { color: red }</style>" in written
    assert [] == re.findall(r"^\s*::\w+[^\n{]*::|^::[^m]|##\[", written, re.M)
    assert page == html.unescape(written)


def test_sarif_sees_no_link() -> None:
    assert "\\[click\\](http://evil/) \\\\" == sarif.plain("[click](http://evil/) \\")
    assert "a [5 s]" == sarif.plain("a [5 s]")


def test_sarif_and_junit_of_a_hostile_report_hold_no_links_and_no_lines_of_its_own(
    hostile: str,
) -> None:
    odd = "odd\nname.html"
    Path(odd).write_bytes(Path(hostile).read_bytes())
    run(["check", odd, "-o", "sarif=s", "-o", "junit=j", "-o", "concise=c", "-o", "github=g"])

    (log,) = json.loads(Path("s").read_text())["runs"]
    for result in log["results"]:
        texts = [result["message"]["text"]]
        texts += [each["message"]["text"] for each in result["relatedLocations"]]
        assert not any(re.search(r"(?<!\\)\]\(", text) for text in texts)
        assert not re.search(r"\d", texts[0].split("\n")[0].partition(" in ")[0])
    for rule in log["tool"]["driver"]["rules"]:
        assert "**" not in rule["help"]["text"]
        assert "**" in rule["help"]["markdown"]
    for failure in ET.parse("j").getroot().iter("failure"):  # noqa: S314 - our own output
        assert (failure.text or "").startswith("odd name.html")
    assert not any(line.startswith("name.html") for line in Path("c").read_text().splitlines())
    assert not any(line.startswith("name.html") for line in Path("g").read_text().splitlines())


def test_a_redacted_report_is_tame_on_a_terminal_and_whole_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "a\x1b[31mb\tc\n\x9bd\n"
    assert text == redact._shown(text)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)

    assert "a[31mb c\nd\n" == redact._shown(text)
