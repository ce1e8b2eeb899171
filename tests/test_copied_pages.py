"""A page that was copied as text, out of a browser or as Markdown or a wiki's table, is read."""

from __future__ import annotations

import re
from html import unescape

import pytest
import samples
from test_metamorphic import expected, facts

from awrlens import api

PAGES = [name for name in samples.ALL if name.endswith("html") and "diff" not in name]


def cells_of(row: str) -> list[str]:
    cells = re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", row, flags=re.I | re.S)
    texts = [unescape(re.sub("<[^>]*>", "", cell)).strip(" \n") for cell in cells]
    return [text.replace("<", "\1") for text in texts]  # until tags are taken out


def rows(text: str, row: str, rule: str = "") -> str:
    """The page's words, each row of a table as ``row`` writes its cells."""
    text = re.sub(r"<(style|title)\b.*?</\1>", "", text, flags=re.I | re.S)

    def table(match: re.Match[str]) -> str:
        lines = [cells_of(each) for each in re.split("(?i)</tr>", match[0])]
        written = [row.join(cells).removeprefix("\t") for cells in lines if cells]
        if rule:
            written = [f"| {line} |" for line in written]
            written.insert(1, "|" + rule * len(lines[0]))
        return "\n" + "\n".join(written) + "\n"

    text = re.sub(r"<table\b.*?</table>", table, text, flags=re.I | re.S)
    text = unescape(re.sub(r" *<[^>]*> *", "\n", text))
    return text.replace("\u00a0", " ").replace("\1", "<")


def copied(text: str) -> str:
    """As a browser does it: tabs, and no blank heading at the beginning of a row."""
    return rows(text, "\t")


def markdown(text: str) -> str:
    text = re.sub(r"<h([1-6])\b[^>]*>\s*(.*?)\s*</h\1>", r"\n## \2\n", text, flags=re.I | re.S)
    return rows(text, " | ", "---|")


def changed_facts(name: str, text: str) -> dict[str, object]:
    found = facts(api.load(text.encode(), name))
    return {
        key: (value, found.get(key))
        for key, value in expected(name).items()
        if value != found.get(key) and not key.endswith(" kind")
    }


@pytest.mark.parametrize("name", PAGES)
def test_a_page_copied_out_of_a_browser_gives_its_facts(name: str) -> None:
    lost = changed_facts(name, copied(samples.path(name).read_text(encoding="utf-8")))
    # two headings over two columns each have lost their places
    assert not {key.split()[1] for key in lost} - {"begin_snap", "end_snap", "db_name", "db_id"}
    assert "rac" in name or not lost


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.html", "redo-disk.awr-19c.html"])
def test_a_page_made_into_markdown_gives_its_facts(name: str) -> None:
    text = markdown(samples.path(name).read_text(encoding="utf-8"))
    lost = {key.split()[1] for key in changed_facts(name, text)}
    assert not {each for each in lost if "_p" not in each and "slower" not in each}


def test_evidence_of_a_copied_page_names_its_line() -> None:
    text = copied(samples.path("redo-disk.awr-19c.html").read_text(encoding="utf-8"))
    lines = text.split("\n")
    found = api.facts_of(api.load(text.encode()))
    evidence = [item for fact in found.values() for item in fact.evidence if item.line]
    assert len(evidence) > 50
    for item in evidence:
        assert item.text in lines[(item.line or 0) - 1]


def test_a_copied_comparison_says_what_it_has_lost() -> None:
    page = samples.path("redo-compared.awr-diff-11.2.html").read_text(encoding="utf-8")
    report = api.load(copied(page).encode())
    (warning,) = report.warnings
    assert "cannot be assigned to one" in warning.message
    assert api.load(page.encode()).warnings == ()
