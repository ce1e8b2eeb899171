"""What mails, terminals and editors put around the lines of a report changes nothing in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import samples
from test_metamorphic import differences, facts

from awrlens import api
from awrlens.source.copied_text import bare

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = (
    "redo-disk.awr-11.2.txt", "redo-accelerator.statspack-9.2.lst", "redo-cluster.awr-rac-11.2.txt",
)  # fmt: skip
PAGES = ("redo-disk.awr-11.2.html", "redo-disk.awr-19c.html")


def each_line(change: Callable[[int, str], str]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        return "\n".join(change(number, line) for number, line in enumerate(text.split("\n"), 1))

    return changed


def paged(text: str, size: int, head: str) -> str:
    """As SQL*Plus prints a column: a head over every so many lines."""
    lines = text.split("\n")
    pages = (lines[at : at + size] for at in range(0, len(lines), size))
    return "".join(head + "\n".join(page) + "\n" for page in pages)


def tabbed(line: str) -> str:
    """A line with tabs for blanks, as `unexpand -a` writes it."""
    return re.sub(".{8}", lambda m: re.sub("  +$", "\t", m[0]), line)


ANY: dict[str, Callable[[str], str]] = {
    "quoted in a mail": lambda text: "You wrote:\n" + each_line(lambda _, x: f"> {x}")(text),
    "quoted twice": each_line(lambda _, x: f">> {x}".rstrip()),
    "fenced": lambda text: f"Look:\n\n```text\n{text}\n```\nthanks\n",
    "indented": each_line(lambda _, x: f"    {x}"),
    "line ends of an old Mac": lambda text: text.replace("\n", "\r"),
    "line ends doubled by a transfer": lambda text: text.replace("\n", "\r\r\n"),
    "coloured by a terminal": lambda text: re.sub(
        "(?m)^(.*Inst.*)$", "\x1b[1m\\1\x1b[0m", f"\x1b[?1034h$ sqlplus\n{text}"
    ),
    "typed with corrections": lambda text: f"Enter value: aw\b \bwr\a\n{text}",
    "selected from the function": lambda text: paged(text, 14, f"\nOUTPUT\n{'-' * 80}\n"),
    "selected without underlines": lambda text: paged(text, 24, "\nOUTPUT\n"),
    "joined by `cat` with marks": lambda text: f"\ufeff\ufeff{text}",
}
ANY_TEXT: dict[str, Callable[[str], str]] = {
    "cat -n": each_line(lambda n, x: f"{n:6}\t{x}"),
    "grep -n, then tabs": each_line(lambda n, x: tabbed(f"{n}:{x}")),
    "tabs, then grep -n": each_line(lambda n, x: f"{n}:{tabbed(x)}"),
    "quoted, then tabs": each_line(lambda _, x: tabbed(f"> {x}")),
    "nl": each_line(lambda n, x: f"{n:5} {x}"),
    "grep -n over files": each_line(lambda n, x: f"sp_1_2.lst:{n}:{x}"),
    "an editor's numbers": each_line(lambda n, x: f"{n:3} {x}"),
    "a log's times": each_line(lambda n, x: f"2024-01-02 10:11:{n % 60:02}.123 {x}"),
    "a frame": each_line(lambda _, x: f"│ {x:132} │"),
    "a frame that is quoted": each_line(lambda n, x: f"> {n:4} │ {x:132} │"),
    "a spreadsheet's quotes": each_line(lambda _, x: f'"{x}"'),
    "blank lines between": lambda text: text.replace("\n", "\n\n"),
    "a paused session": lambda text: text.replace("\n\n", "\n\nSQL> \nSQL> set lines 80\n\n"),
    "a pager": each_line(lambda n, x: x if n % 50 else f"--More--(3%)\n{x}"),
    "hard blanks": lambda text: text.replace(" ", "\u00a0"),
    "dashes drawn through": lambda text: re.sub("-{3,}", lambda m: "\u2014" * len(m[0]), text),
}


@pytest.mark.slow
@pytest.mark.parametrize("around", ANY)
@pytest.mark.parametrize("name", [*TEXTS, *PAGES])
def test_what_stands_around_a_report_changes_no_fact(name: str, around: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    changed = ANY[around](text)
    assert changed != text
    assert differences(name, changed) == {}


@pytest.mark.parametrize("around", ANY_TEXT)
@pytest.mark.parametrize("name", TEXTS)
def test_what_is_put_before_each_line_changes_no_fact(name: str, around: str) -> None:
    assert differences(name, ANY_TEXT[around](samples.path(name).read_text("utf-8"))) == {}


@pytest.mark.parametrize(
    "around", ["quoted in a mail", "blank lines between", "a pager", "selected from the function"]
)
def test_evidence_names_the_line_of_the_file_as_it_is(around: str) -> None:
    text = {**ANY, **ANY_TEXT}[around](samples.path(TEXTS[0]).read_text(encoding="utf-8"))
    lines = text.split("\n")
    report = api.load(text.encode())
    evidence = [e for fact in api.facts_of(report).values() for e in fact.evidence if e.line]
    assert len(evidence) > 50
    for item in evidence:
        assert item.text in lines[(item.line or 0) - 1]


def test_several_reports_keep_their_lines_where_some_were_left_out() -> None:
    text = samples.path(TEXTS[1]).read_text(encoding="utf-8").replace("\n", "\n\n")
    first, second = api.load_all(f"{text}\n\n{text}".encode(), "both")
    assert not isinstance(first, Exception)
    assert not isinstance(second, Exception)
    assert facts(first) == facts(second)
    one, two = (api.facts_of(each)["redo.write_ms"].evidence[0].line for each in (first, second))
    assert two == one + text.count("\n") + 2  # type: ignore[operator]


@pytest.mark.parametrize("name", samples.ALL)
def test_a_report_as_oracle_wrote_it_is_left_as_it_is(name: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    assert bare(text) == (text, None)
