"""Every page that a command writes, on a phone and a wide screen, in light and dark, on paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import corpus
import fleet_of
import pytest
import samples
from axe_playwright_python.sync_playwright import Axe
from browser import opened

from awrlens.cli import run

pytestmark = pytest.mark.browser

SLOW, FAST, CLUSTER = (
    str(samples.path(f"redo-{name}.html"))
    for name in ("disk.awr-19c", "accelerator.awr-19c", "cluster.awr-rac-11.2")
)
BEFORE, AFTER, ERRORS = (
    str(samples.path(f"sqlserver-{name}"))
    for name in ("checkpoints-before.csv", "checkpoints-after.csv", "errorlog.log")
)
#: Real reports with much to say; the last four compare two periods.
SICK = (
    "awr-html_11.2.0.3.0-rac_01.html", "awr-html_19.0.0.0.0-rac_01.html",
    "statspack-text_8.1.7.4.1_15.LST", "awr-diff-html_10.2.0.3.0-rac_01.html",
    "awr-diff-html_10.2.0.4.0-rac_08.html", "awr-diff-html_10.2.0.4.0-rac_09.html",
    "awr-diff-html_10.2.0.4.0-rac_14.html",
)  # fmt: skip
CRASH = str(Path(__file__).parent / "alertlogs" / "9i-rac.log")
#: By page: its command, how its tab begins, and how many sheets of paper it takes at most.
PAGES: Final[Mapping[str, tuple[tuple[str, ...], str, int]]] = {
    "report": (("html", SLOW), "warning: ", 4),
    "report of a cluster": (("html", CLUSTER), "warning: ", 4),
    "report of the other side": (("html", FAST), "warning: ", 4),
    "sheet": (("html", SLOW, "--sheet"), "warning: ", 1),
    "compare": (("compare", SLOW, FAST), "Not comparable: ", 3),
    "trend": (("trend", "FOLDER"), "warning: ", 4),
    "fleet": (("fleet", "--store", "STORE"), "warning: ", 2),
    "mttr": (("mttr", SLOW, "--desired-mttr", "60"), "Set FAST_START_MTTR_TARGET ", 2),
    "devices": (("devices", SLOW), "Other storage would save ", 1),
    "whatif": (("whatif", SLOW, "--device", "nvme", "--mttr", "60"), "ok: ", 1),
    "integrity": (("integrity", SLOW), "Nothing must change: ", 2),
    "measure": (("recovery", "measure", CRASH), "warning: ", 3),
    "predict": (("recovery", "predict", SLOW), "The database would ", 2),
    "plan": (("recovery", "plan", SLOW, "--desired-mttr", "120"), "warning: This test crashes ", 2),
    "simulate": (("recovery", "simulate"), "The surviving instances ", 4),
    "sqlserver compare": (("sqlserver", "compare", BEFORE, AFTER), "ok: ", 2),
    "sqlserver fleet": (("sqlserver", "fleet", ERRORS), "warning: ", 1),
    "error log": (("html", ERRORS), "warning: ", 2),
}


SICK_REPORTS = pytest.mark.parametrize("report", [
    SLOW, CLUSTER, FAST,
    *(pytest.param(str(entry.path), id=entry.file, marks=pytest.mark.corpus)
      for entry in corpus.entries("awr-html", "awr-diff-html", "statspack-text")
      if entry.file in SICK),
])  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    here = tmp_path_factory.mktemp("pages")
    folder, store = fleet_of.tree(here / "reports", databases=2, days=25), here / "fleet.duckdb"
    fleet_of.done("ingest", folder, "--store", store)
    return {"FOLDER": str(folder), "STORE": str(store)}


@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_every_page_on_any_screen_and_on_paper(
    name: str, inputs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is wider than the screen, axe-core finds nothing, and the tab has the verdict."""
    command, tab, sheets = PAGES[name]
    target = tmp_path / "page.html"
    called = [inputs.get(each, each) for each in command]
    if command[0] == "html":
        run([*called, "-o", str(target)])
    else:
        run([*called, "-f", "html"])
        target.write_text(capsys.readouterr().out, encoding="utf-8")
    for width, scheme in ((360, "light"), (360, "dark"), (1440, "light"), (1440, "dark")):
        with opened(target, width, scheme=scheme) as found:
            page = found.page
            assert page.title().startswith(tab)
            if (width, scheme) == (1440, "light"):
                printed = re.findall(rb"/Count (\d+)", page.pdf(format="A4"))
                assert int(printed[-1]) <= sheets
            wide = "document.documentElement.scrollWidth"
            assert page.evaluate(wide) <= width
            # no table has a column beyond its region, neither here nor on the phone
            assert [] == page.evaluate(
                "[...document.querySelectorAll('.scroll')].filter((each) => each.checkVisibility()"
                " && each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel)"
            )
            page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
            assert page.evaluate(wide) <= width
            violations = Axe().run(page).response["violations"]
            assert [] == [(each["id"], each["nodes"][0]["html"]) for each in violations]
            assert found.requests == [target.as_uri()]
            assert found.complaints == []


@SICK_REPORTS
def test_the_first_action_is_above_the_fold_of_a_phone(report: str, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    run(["html", report, "-o", str(target)])
    with opened(target, 360, 740) as found:
        action = found.page.locator(".todo tbody tr").first.bounding_box()
        load = found.page.locator(".bar.dbtime, .card.bars").first.bounding_box()

    assert action is not None
    assert load is not None
    assert action["y"] + action["height"] <= 740
    assert action["y"] < load["y"]  # where DB time went is below the answer


@SICK_REPORTS
def test_a_sheet_is_one_page_of_a4_that_can_be_read(report: str, tmp_path: Path) -> None:
    target = tmp_path / "sheet.html"
    run(["html", report, "--sheet", "-o", str(target)])
    with opened(target) as found:
        found.page.emulate_media(media="print")
        size = found.page.evaluate("getComputedStyle(document.querySelector('td')).fontSize")
        printed = found.page.pdf(prefer_css_page_size=True)

    assert float(size.removesuffix("px")) * 0.75 >= 11
    assert [b"1"] == re.findall(rb"/Count (\d+)", printed)
    assert re.search(rb"/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]", printed)


def test_on_a_phone_the_gain_and_the_urgency_of_an_action_have_their_names(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    run(["html", SLOW, "-o", str(target)])
    with opened(target, 360, 740) as found:
        shown = found.page.locator(".todo").first.inner_text()

    assert re.match("(Do now|Worth doing)", shown)
    assert "DB time saved:" in shown
