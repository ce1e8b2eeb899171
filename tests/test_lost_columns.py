"""A report whose columns are lost is refused in one sentence, not read wrongly."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import pytest
import samples
from test_copied_pages import PAGES, cells_of

from awrlens import api
from awrlens.errors import UnreadableError
from awrlens.source import copied_text

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = [name for name in samples.ALL if not name.endswith("html")]


def wrapped(width: int) -> Callable[[str], str]:
    def wrap(text: str) -> str:
        lines = [
            textwrap.wrap(line, width, replace_whitespace=False) or [""]
            for line in text.split("\n")
        ]
        return "\n".join("\n".join(each) for each in lines)

    return wrap


def cut_at_79(text: str) -> str:
    return re.sub(r"([^\n]{79})(?=[^\n])", r"\1\n", text)


def out_of_a_pdf(text: str) -> str:
    text = re.sub(r"<(style|title)\b.*?</\1>", "", text, flags=re.S)
    text = re.sub(
        r"<tr>.*?</tr>", lambda m: "   ".join(f"{cell:>20}" for cell in cells_of(m[0])), text,
        flags=re.S,
    )  # fmt: skip
    return re.sub(r"<[^>]*>", "\n", text)


def unruled(text: str, change: Callable[[str], str]) -> str:
    """Without any line of dashes or tildes, and with other lines."""
    lines = re.sub(r"(?m)^[ ~-]*[-~]{3}[ ~-]*\n", "", text).split("\n")
    return "\n".join(map(change, lines))


def aligned(line: str) -> str:
    """A line as `unexpand` writes it."""
    pieces = [line[at : at + 8] for at in range(0, len(line), 8)]
    return "".join(re.sub(r" {2,}$", "\t", each) for each in pieces)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: re.sub(r"(?m)(?<=\S) {2,}", " ", text), "blanks between the columns"),
        (lambda text: re.sub(r"(?m)^ +", "", text), "blanks at the beginning"),
        (lambda text: re.sub(r"\n\s*\n", "\n", text), "blank lines of this report are missing"),
        (wrapped(76), "lines of this report were wrapped"),
        (wrapped(72), "lines of this report were wrapped"),
        (cut_at_79, "lines of this report were wrapped"),
        (lambda text: text.replace("--", "\u2013"), "no dashed lines"),
        (lambda text: re.sub(r"(?m)^[ -]*---[ -]*\n", "", text), "no dashed lines"),
        (lambda text: unruled(text, "".join), "no dashed lines"),
        (lambda text: unruled(text, aligned), "no dashed lines"),
        (lambda text: unruled(text, str.lstrip), "no dashed lines"),
    ],
    ids=[
        "squeezed",
        "stripped",
        "no blank lines",
        "wrapped at 76",
        "wrapped at 72",
        "cut at 79",
        "typographic",
        "without rulers, but those of the first page",
        "without rulers",
        "without rulers, aligned by tabs",
        "without rulers and blanks at the beginning",
    ],
)
@pytest.mark.parametrize("name", TEXTS)
def test_columns_that_are_lost_are_said_to_be(
    name: str, change: Callable[[str], str], says: str
) -> None:
    whole = samples.path(name).read_text(encoding="utf-8")
    text = change(whole)
    if text == whole:
        pytest.skip("its lines are no longer than that")
    with pytest.raises(UnreadableError, match=says) as problem:
        api.load(text.encode(), "report")
    assert problem.value.line
    assert problem.value.hint


@pytest.mark.parametrize("name", PAGES)
def test_a_page_copied_out_of_a_pdf_is_refused(name: str) -> None:
    with pytest.raises(UnreadableError, match="like text from a PDF"):
        api.load(out_of_a_pdf(samples.path(name).read_text(encoding="utf-8")).encode())


@pytest.mark.parametrize("name", TEXTS)
def test_the_columns_of_a_report_as_oracle_wrote_it_are_not_lost(name: str) -> None:
    copied_text.check(samples.path(name).read_text(encoding="utf-8"), 0, name)
