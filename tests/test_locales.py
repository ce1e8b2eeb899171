"""A file is read as it writes its numbers and its months."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api, cli
from awrlens.errors import NotAReportError
from awrlens.report.dates import parse_datetime
from awrlens.report.locale import reader_of, to_point, without_groups
from awrlens.units import parse_number

if TYPE_CHECKING:
    from pathlib import Path

#: A figure on its own: no release, no date, no part of a name.
FIGURE = re.compile(
    r"(?<![\w.,:+/$#'-])-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[KMG]|us|ms)?(?![\w.,:/'-]|\s?(?:19|20)\d\d\b(?!\.))"
)
#: Signs of thousands and of decimals, as Portuguese and German, French, and Swiss clients write.
LOCALES = {"1.234,5": (".", ","), "1 234,5": ("\u00a0", ","), "1'234.5": ("'", ".")}


def rewritten(text: str, locale: str, *, html: bool) -> str:
    """The report with every figure as another locale writes it."""
    thousands, decimal = LOCALES[locale]

    def figure(match: re.Match[str]) -> str:
        if not any(c.isdigit() for c in match[0]):
            return match[0]
        return match[0].replace(",", "\0").replace(".", decimal).replace("\0", thousands)

    if html:
        return re.sub(
            r"(?i)(<td[^>]*>)([^<]*)(?=</td>)", lambda m: m[1] + FIGURE.sub(figure, m[2]), text
        )
    return FIGURE.sub(figure, text)


@cache
def expected(name: str) -> dict[str, object]:
    return {fact.name: fact.value for fact in samples.analysis(name).facts.values()}


@pytest.mark.slow
@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("name", samples.ALL)
def test_signs_of_another_locale_change_no_fact(name: str, locale: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    other = rewritten(text, locale, html=name.endswith("html"))
    assert other != text
    found = api.facts_of(api.load(other.encode()))
    assert {name: fact.value for name, fact in found.items()} == expected(name)


@pytest.mark.parametrize("sign", [" ", "\u00a0", "'"])
@pytest.mark.parametrize(
    "name", ["redo-disk.awr-11.2.txt", "redo-disk.statspack-11.2.txt", "redo-disk.awr-11.2.html"]
)
def test_statements_keep_their_figures_where_blanks_part_thousands(name: str, sign: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    found = api.facts_of(api.load(re.sub(r"(?<=\d),(?=\d{3})", sign, text).encode()))
    assert {name: fact.value for name, fact in found.items()} == expected(name)


@pytest.mark.parametrize("name", samples.ALL)
def test_an_english_file_is_known_by_its_figures(name: str) -> None:
    assert not samples.report(name).writes_points


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["412.603,11", "1.024"], to_point),
        (["412 603,11"], to_point),
        (["412\u202f603,11"], to_point),
        (["412'603.11"], without_groups),
        (["2.360M", "139,68 (mins)", "12,5"], to_point),
        (["0.25", "1.75", "12,5"], None),
        (["1.024", "1,024"], None),
        (["2,588,920.9", "8.100.200"], None),
        (["7,69", "417,827,554", "1,5", "1,3", "5.372.118"], to_point),
        (["7.69", "417.827.554", "1.5", "1.3", "5,372,118"], None),
        (["7,69", "1,5", "417,827,554"], to_point),
        (["417,827,554", "1,5", "139,68", "5.372.118"], to_point),
        (["7.69", "1.5", "417'827'554"], without_groups),
        ([], None),
    ],
)
def test_a_file_is_decided_once_by_what_can_be_read_in_one_way_only(
    cells: list[str], read: object
) -> None:
    assert reader_of(cells) is read


@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-disk.awr-11.2.html"])
def test_the_address_of_a_host_is_no_figure(name: str) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    plain = "aultlab1         " if name.endswith("txt") else ">aultlab1<"
    address = "10.128.100.200   " if name.endswith("txt") else ">10.128.100.200<"
    assert plain in text
    found = api.facts_of(api.load(text.replace(plain, address).encode()))
    assert {name: fact.value for name, fact in found.items()} == expected(name)


@given(st.integers(0, 10**12), st.integers(0, 99), st.sampled_from([".", "\u00a0", "\u202f", " "]))
def test_thousands_of_any_sign_are_read(whole: int, cents: int, sign: str) -> None:
    text = f"{whole:,}".replace(",", sign) + f",{cents:02d}"
    assert parse_number(to_point(text), "s") == pytest.approx(whole + cents / 100)


@pytest.mark.parametrize("text", ["", "N/A", "####", "SYSTEM", "a.b,c", "11.2.0.4.0", "+DATA/x.1"])
def test_what_is_no_figure_is_left_alone(text: str) -> None:
    assert to_point(text) == text


def in_german(*, columns: bool) -> bytes:
    """A page whose titles, and columns if so wanted, are not in English."""
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    foreign = re.sub(r"(<h[1-6][^>]*>)(?!WORKLOAD)([^<]+)", r"\1Abschnitt \2", text)
    if columns:
        foreign = re.sub(r"(<th[^>]*>)([^<]+)", r"\1Spalte \2", foreign)
    return foreign.encode()


def test_a_page_with_titles_in_another_language_is_read_by_its_columns() -> None:
    report = api.load(in_german(columns=False), "report")
    assert not report.warnings
    whole = api.facts_of(samples.report("redo-disk.awr-11.2.html"))
    found = api.facts_of(report)
    read = [name for name, fact in found.items() if fact.value is not None]
    assert len(read) > 0.9 * sum(fact.value is not None for fact in whole.values())
    assert [name for name in read if found[name].value != whole[name].value] == []


#: What ADDM says is a part of a page from 12.1, with a first line and tables of its own.
ADDM = """<pre>
          ADDM Report for Task 'ADDM:1318446013_1_147'
Summary of Findings
-------------------
   Description                      Active Sessions      Recommendations
                                    Percent of Activity
   -------------------------------  -------------------  ---------------
1  Commits and Rollbacks            1.2 | 70.3           2
</pre>
"""


@pytest.mark.parametrize("addm", ["", ADDM])
@pytest.mark.parametrize(
    "name",
    ["redo-disk.awr-11.2.html", "redo-disk.awr-10.2.html", "redo-disk.awr-23ai.html",
     "redo-cluster-1.awr-11.2.html", "redo-disk.awr-pdb-19c.html"],
)  # fmt: skip
def test_a_page_without_title_headings_and_summaries_is_read_by_its_columns(
    name: str, addm: str
) -> None:
    text = samples.path(name).read_text(encoding="utf-8")
    bare = re.sub(r"(?s)<h[1-6][^>]*>.*?</h[1-6]>", "", text).replace("</body>", f"{addm}</body>")
    whole = api.facts_of(samples.report(name))
    found = api.facts_of(api.load(re.sub(r'\s+summary="[^"]*"', "", bare).encode(), "page"))
    read = [name for name, fact in found.items() if fact.value is not None]
    assert len(read) > 0.65 * sum(fact.value is not None for fact in whole.values())
    # one of many lists of statements may lack
    differ = [name for name in read if found[name].value != whole[name].value]
    assert not {*differ} - {"io.leading_sql"}


def test_a_page_with_unknown_titles_and_columns_says_so_first_and_is_never_ok() -> None:
    analysis = api.analyze(api.load(in_german(columns=True), "report"))
    assert "tables were not recognised" in analysis.warnings[0].message
    assert analysis.verdicts.redo_storage == analysis.verdicts.temp_storage == "need-data"


def test_a_page_with_its_titles_but_unknown_columns_is_not_judged(tmp_path: Path) -> None:
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    german = {"Event": "Ereignis", "Waits": "Wartezeiten", "Total": "Gesamt", "Time(s)": "Zeit",
              "Statistic": "Statistik", "Total Wait Time (s)": "Wartezeit", "% DB time": "% Zeit",
              "Avg wait (ms)": "Mittel", "%Time -outs": "% Auszeit", "Waits /txn": "pro Txn",
              "per Second": "pro Sekunde", "per Trans": "pro Transaktion"}  # fmt: skip
    some = re.sub(r"(?<=>)[^<]+(?=</th>)", lambda m: german.get(m[0].strip(), m[0]), text)
    page = tmp_path / "page.html"
    for foreign in (some, re.sub(r"(<th[^>]*>)([^<]+)", r"\1Spalte \2", text)):
        page.write_text(foreign, encoding="utf-8")
        analysis = api.analyze(api.load(page))
        assert "tables were not recognised" in analysis.warnings[0].message
        assert "This report has too little data" in analysis.headline
        assert analysis.to_dict()["verdicts"]["write_path"] == "unknown"
        assert cli.run(["check", str(page)]) == 3


def test_a_page_of_which_most_is_unknown_is_unknown_in_a_trend_and_in_a_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    page, store = tmp_path / "page.html", str(tmp_path / "fleet.duckdb")
    page.write_bytes(in_german(columns=True))
    assert cli.run(["ingest", str(page), "--store", store]) == 0
    for call in (["trend", str(page)], ["trend", "--store", store], ["fleet", "--store", store]):
        capsys.readouterr()
        assert cli.run([*call, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        severities = found["severities"] if call[0] == "fleet" else found["series"][0]["severities"]
        assert severities == {"critical": 0, "warning": 0, "unknown": 1, "info": 0, "ok": 0}
        assert cli.run(call) == 0
        shown = capsys.readouterr().out
        assert "1 not judged" in shown
        assert "✔" not in shown.partition("\n✔ no finding")[0].partition("A cell is")[0]
    assert cli.run(["check", "--store", store]) == 3
    assert "tables that rules need were not recognised" in capsys.readouterr().out


def test_text_with_titles_in_another_language_is_refused_in_one_sentence() -> None:
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    foreign = re.sub(r"^(\f?)([A-Z].*DB/Inst)", r"\1Abschnitt \2", text, flags=re.M)
    foreign = re.sub(r"^(\f?)(.*)(\n *~~~)", r"\1Abschnitt \2\3~~~~~~~~~~", foreign, flags=re.M)
    foreign = re.sub(r"^ (\w+ \w+ .*)(\n {10,}-)", r" Abschnitt \1\2", foreign, flags=re.M)
    with pytest.raises(NotAReportError, match="English titles") as problem:
        api.load(foreign.encode(), "report")
    assert problem.value.line


@pytest.mark.parametrize(
    "text",
    [
        "20-Ago-12 14:17:21",  # Portuguese, Spanish, Italian
        "20-Aug-12 14:17:21",
        "20-AOÛT -12 14:17:21",  # French; SQL*Plus pads the names
        "20-Авг-12 14:17:21",
        "20-8月 -12 14:17:21",  # Chinese and Japanese
        "20-8월 -12 14:17:21",
        "20-sie-12 14:17:21",  # Polish
        "20.08.2012 14:17:21",
    ],
)
def test_months_are_known_in_the_languages_that_oracle_ships(text: str) -> None:
    assert parse_datetime(text) == "2012-08-20T14:17:21"
