"""Pages that mail programs, word processors and spreadsheets saved again give the same facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import samples
from test_metamorphic import differences

from awrlens import api
from awrlens.source.saved_pages import as_printed

if TYPE_CHECKING:
    from collections.abc import Callable

PAGES = [name for name in samples.ALL if name.endswith("html")]
ANY_CASE = re.I | re.S


def in_cells(change: Callable[[str], str]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        return re.sub(
            r"(<t[dh]\b[^>]*>)(.*?)(?=</t[dh]>)", lambda m: m[1] + change(m[2]), text,
            flags=ANY_CASE,
        )  # fmt: skip

    return changed


def word(cell: str) -> str:
    return (
        "\n  <p class=MsoNormal align=right style='text-align:right'><span lang=EN-US\n"
        f"  style='font-size:8.0pt'>{cell or '&nbsp;'}<o:p></o:p></span></p>\n  "
    )


def bold_headings(text: str) -> str:
    return re.sub(r"<th\b([^>]*)>(.*?)</th>", r"<td\1><b>\2</b></td>", text, flags=ANY_CASE)


def paragraphs(text: str) -> str:
    heading = r"<p class=Heading\1><b><font size=4>\2</font></b></p>"
    return re.sub(r"<h([1-6])\b[^>]*>(.*?)</h\1>", heading, text, flags=ANY_CASE)


def laid_out(text: str) -> str:
    mail = r"\1<table width='100%'><tbody><tr><td colspan=2>FW: report</td></tr><tr><td></td><td>\2"
    return re.sub(
        r"(<body[^>]*>)(.*)(</body>)", rf"{mail}</td></tr></tbody></table>\3", text, flags=ANY_CASE
    )


def in_one_file(text: str) -> str:
    """As a browser's extension saves a page: pictures in it, quotes and end tags left out."""
    icon = "<link rel=icon href=data:image/x-icon;base64," + "AAABAAMA" * 15_000 + ">"
    text = re.sub(r"</t[dh]>|</?(?:head|body)\b[^>]*>", "", text, flags=ANY_CASE)
    text = re.sub(
        r"<[a-zA-Z][^>]*>", lambda tag: re.sub(r"=([\"'])([\w.#%:-]+)\1", r"=\2", tag[0]), text
    )
    text = re.sub(r"(<table\b[^>]*>)\s*", r"\1<tbody>", text, flags=ANY_CASE)
    return re.sub(r"<html\b[^>]*>", f"<html lang=en style><!--\n saved\n-->{icon}", text, count=1)


CHANGES: dict[str, Callable[[str], str]] = {
    "paragraphs in cells": in_cells(word),
    "fonts in cells": in_cells(lambda cell: f'<font size="1"><b>{cell}</b></font>'),
    "blocks in cells": in_cells(lambda cell: f"<div><div>{cell}</div></div>"),
    "line breaks in cells": in_cells(lambda cell: f"{cell}<br>"),
    "links in cells": in_cells(lambda c: c if "<a" in c.lower() else f'<a href="x">{c}</a>'),
    "words on lines of their own": in_cells(
        lambda cell: cell if "<" in cell else cell.replace(" ", "\r\n  ")
    ),
    "words on lines of their own in blocks": in_cells(
        lambda cell: cell if "<" in cell else f"<div><div>{cell}</div></div>".replace(" ", "\r\n")
    ),
    "hard blanks": in_cells(lambda cell: cell if "<" in cell else cell.replace(" ", "\u00a0")),
    "marks without width": in_cells(lambda cell: f"{cell}\u200b"),
    "bold cells for headings": bold_headings,
    "paragraphs for titles": paragraphs,
    "a table around the page": laid_out,
    "comments between cells": lambda text: re.sub(
        r"(?i)(<tr)", r"<!-- <td>1</td> </tr> -->\1", text
    ),
    "no end tags": lambda text: re.sub(r"(?i)</t[drh]>", "", text),
    "all in one file": in_one_file,
    "all of it": lambda text: laid_out(bold_headings(paragraphs(in_cells(word)(text)))),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", PAGES)
def test_how_other_programs_write_a_page_changes_no_fact(name: str, change: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    changed = CHANGES[change](text)
    assert changed != text
    assert differences(name, changed) == {}


@pytest.mark.parametrize("change", ["paragraphs in cells", "words on lines of their own"])
def test_evidence_of_such_a_page_names_its_line(change: str) -> None:
    text = CHANGES[change](samples.path("redo-disk.awr-19c.html").read_text(encoding="utf-8"))
    lines = re.split(r"\r?\n", text)
    facts = api.facts_of(api.load(text.encode()))
    evidence = facts["redo.space_requests"].evidence[0]
    near = lines[(evidence.line or 0) - 1 : (evidence.line or 0) + 3]
    assert evidence.text in "\n".join(near)


def test_a_row_whose_name_is_marked_up_by_hand_is_found() -> None:
    name = "redo-disk.awr-19c.html"
    text = samples.path(name).read_text(encoding="utf-8")
    marked = text.replace(
        ">log file sync<", "><span style='background:yellow'>log file sync</span><"
    )
    assert marked != text
    assert differences(name, marked) == {}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_as_oracle_writes_it_is_left_as_it_is(name: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    assert as_printed(text) is text


def test_a_page_of_which_only_the_sql_was_saved_says_so() -> None:
    page = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    begin = page.rindex("<h3", 0, page.index("SQL ordered by CPU Time</h3>"))
    section = page[begin : page.index("<h3", begin + 1)]
    part = page[: page.index("<p />Load Profile<p />")] + section + "</body></html>"

    *_, note = api.load(part.encode()).warnings
    assert note.message == (
        "This report has neither wait events nor statistics: it was saved in part. Write the whole "
        "report of the snapshots 144-147."
    )
    assert not api.load(page.encode()).warnings
