"""The pages of alert logs and predictions: phases as bars with the numbers of the document."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import corpus
import pytest
import samples
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from selectolax.lexbor import LexborHTMLParser, LexborNode
from test_recovery_predicted import part as part_of
from test_recovery_predicted import predicted

from awrlens.cli import run
from awrlens.lab import alert_log, judge, recovery_page
from awrlens.lab.documents import EpisodeDocument
from awrlens.render import blocks
from awrlens.render.lines import NO_BREAK

FOLDER = Path(__file__).parent / "alertlogs"
LOGS = sorted(path.name for path in FOLDER.iterdir())
REPORT = str(samples.path("redo-disk.awr-11.2.txt"))


def text(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert 0 == run(list(args))
    return capsys.readouterr().out


def found(name: str) -> list[EpisodeDocument]:
    log = alert_log.read((FOLDER / name).read_text(encoding="utf-8"))
    return judge.of_log(alert_log.assemble(log))


def bars(tree: LexborHTMLParser) -> list[list[tuple[str, str, float, float]]]:
    """Name, value, begin and width of the parts of each bar."""
    return [[part(piece) for piece in row.css(".piece")] for row in tree.css(".barrow")]


def part(piece: LexborNode) -> tuple[str, str, float, float]:
    name, value = re.fullmatch(
        r"(.+?) ([\d,.]+ m?s)", piece.attributes["aria-label"] or ""
    ).groups()  # type: ignore[union-attr]
    begin, width = re.findall(r"[\d.]+", piece.attributes["style"] or "")
    return name, value, float(begin), float(width)


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="needs the corpus")
def test_a_log_without_verdict_shows_its_picture_first_and_says_what_would_give_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = str(corpus.CORPUS / "alertlogs" / "alert_03.log")
    shown = " ".join(text(capsys, "recovery", "measure", log).split())

    assert "3 times as long as the one before (28 s): opening took 66 s instead of 12 s." in shown
    assert shown.index("crash recovery") < shown.index("without a preceding shutdown")
    assert shown.count("without a preceding shutdown") == 1
    assert "--desired-mttr SECONDS" in shown
    judged = " ".join(text(capsys, "recovery", "measure", log, "--desired-mttr", "60").split())
    assert "A verdict needs" not in judged
    tree = LexborHTMLParser(text(capsys, "recovery", "measure", log, "-f", "html"))
    headline = tree.css_first("h1")
    assert headline is not None
    assert "times as long" not in headline.text()


def test_a_crash_has_the_phases_between_its_messages() -> None:
    """10g.log: start 11:05:00, mount at :06 to :10, opening to :55 with the passes of 10 and 25 s.

    Recovery took 37 s of the 44 s of opening: 7 s are opening itself, 2 s of recovery no pass.
    One second passed between the mount and the opening.
    """
    (crash,) = found("10g.log")

    assert ("crash recovery", 55, 24) == (crash["kind"], crash["total_s"], crash["line"])
    assert {
        "start-up": 6, "mount": 4, "first pass": 10, "second pass": 25, "opening": 7, "other": 3,
    } == {each["name"]: each["seconds"] for each in crash["phases"]}  # fmt: skip


def test_a_cluster_has_its_reconfiguration_before_the_recovery() -> None:
    assert ["reconfiguration", "instance recovery"] == [e["kind"] for e in found("11g-rac.log")]


@pytest.mark.parametrize("name", LOGS)
def test_the_phases_of_an_episode_are_its_whole_time(name: str) -> None:
    for each in found(name):
        spent = sum(phase["seconds"] for phase in each["phases"])

        assert each["total_s"] is None or spent == pytest.approx(each["total_s"])
        assert all(phase["seconds"] > 0 for phase in each["phases"])


@pytest.mark.parametrize("name", ["10g.log", "9i-rac.log"])
def test_the_bars_of_a_log_are_its_phases_to_scale(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "log.html"
    log = str(FOLDER / name)
    data = json.loads(text(capsys, "analyze", log, "-f", "json", "--html", str(page)))["recovery"]
    tree = LexborHTMLParser(page.read_bytes())
    shown = [each for each in data["episodes"] if each["phases"]]
    longest = max(
        [sum(p["seconds"] for p in each["phases"]) for each in shown]
        + [data["recoveries"][-1]["desired_s"] or 0]
    )

    assert len(shown) == len(bars(tree)) > 0
    labels = [each.text() for each in tree.css(".barlabel")]
    assert [str(each["at"])[:10] for each in shown] == [label[:10] for label in labels]
    for row, episode in zip(bars(tree), shown, strict=True):
        assert [(n, v) for n, v, *_ in row] == [
            (phase["name"], f"{phase['seconds']:g} s") for phase in episode["phases"]
        ]
        at = 0.0
        for (_, _, begin, width), phase in zip(row, episode["phases"], strict=True):
            assert begin == pytest.approx(100 * at / longest, abs=0.02)
            assert width == pytest.approx(100 * phase["seconds"] / longest, abs=0.02)
            at += phase["seconds"]


def test_the_page_of_a_log_has_nothing_that_a_log_cannot_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "log.html"
    text(capsys, "html", str(FOLDER / "9i-rac.log"), "-o", str(page))
    tree = LexborHTMLParser(page.read_bytes())

    assert not tree.css(".strip, pre.printed")
    assert "not decided" not in tree.body.text()  # type: ignore[union-attr]
    assert [node.text() for node in tree.css("h2")] == [
        "What to do", "Starts and recoveries", "Findings", "Rates and log switches", "Thresholds",
    ]  # fmt: skip
    headline = tree.css_first("h1").text().replace(NO_BREAK, " ")  # type: ignore[union-attr]
    assert "121 s of instance recovery" in headline


def test_logs_and_reports_share_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "all.html"
    logs = [str(FOLDER / name) for name in ("9i-rac.log", "10g.log")]
    text(capsys, "html", *logs, REPORT, "-o", str(page))
    tree = LexborHTMLParser(page.read_bytes())
    ids = [node.attributes["id"] for node in tree.css("[id]")]

    assert 3 == len(tree.css("article"))
    assert 4 == len(tree.css(".barrow"))  # one crash; a start, a reconfiguration and a recovery
    assert sorted(set(ids)) == sorted(ids)  # type: ignore[type-var]


def test_several_recoveries_have_a_verdict_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "alert.log"
    one = (FOLDER / "10g.log").read_text(encoding="utf-8")
    log.write_text(one + one.replace("Aug 12", "Aug 13"), encoding="utf-8")
    out = text(capsys, "analyze", str(log), "--desired-mttr", "20")

    assert re.search(r"^  bottleneck: 55 s, 55 s: 35 s more than", out, re.M)


@pytest.mark.parametrize(
    ("rac", "names"),
    [
        (True, ["detection", "reconfiguration", "first pass", "second pass"]),
        (False, ["start-up and opening", "first pass", "second pass"]),
    ],
)
def test_a_prediction_draws_the_phases_of_which_it_is_the_sum(rac: bool, names: list[str]) -> None:
    analysis = predicted(11.5, rac=rac, checkpoint__estimated_mttr_s=None)
    (block,) = (
        each for each in recovery_page.page(analysis).blocks if isinstance(each, blocks.Bars)
    )
    rows = block.rows[-2:] if rac else block.rows  # the first two of four are with a buddy

    assert names == [piece.name for row in rows for piece in row.pieces]
    whole = part_of(analysis, "recovery_s" if rac else "downtime_s")["value"]
    assert rows[-1].pieces[-1].end == pytest.approx(whole)
    if rac:
        assert ["instances frozen, without a buddy", "all blocks recovered, without a buddy"] == [
            row.label for row in rows
        ]


def test_the_bar_of_a_frozen_cluster_is_as_long_as_its_headline_says() -> None:
    analysis = predicted(11.5, rac=True, checkpoint__estimated_mttr_s=None)
    page = recovery_page.page(analysis)
    (block,) = (each for each in page.blocks if isinstance(each, blocks.Bars))
    (frozen,) = (each for each in block.rows if each.label == "instances frozen, without a buddy")

    assert frozen.pieces[-1].end == pytest.approx(part_of(analysis, "brown_out_s")["value"])
    assert f"for about {frozen.shown} (" in page.headline


def test_phases_have_no_color_of_a_severity_and_those_of_one_bar_differ() -> None:
    """The first pass is not critical, and the second one is not fine."""
    styles = recovery_page.STYLES
    start = ("start-up", "mount", "first pass", "second pass", "opening")
    cluster = ("detection", "reconfiguration", "first pass", "second pass")

    assert not {"critical", "warning", "info", "ok"} & {*styles.values()}
    for names in (start, cluster):
        assert len(names) == len({styles[name] for name in names})


@pytest.mark.parametrize("command", ["mttr", "recovery predict", "integrity"])
@corpus.over("awr-html", "awr-text")
def test_the_first_screen_is_the_verdict_with_its_numbers_and_says_where_the_rest_is(
    entry: corpus.Entry, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if 0 != run([*command.split(), str(entry.path)]):
        return  # a report without redo or writes
    brief = capsys.readouterr().out
    whole = text(capsys, *command.split(), str(entry.path), "-v")
    found = re.search("^[✖▲●✔?] ", brief, re.M)

    assert found is not None
    assert brief[: found.start()].count("\n") <= 6
    assert 65 >= brief.count("\n") < whole.count("\n")
    assert brief.rstrip().endswith(": --verbose") or brief.rstrip().endswith(":\n--verbose")
    assert "--verbose" not in whole
    assert set(re.findall(r"[A-Z]\w+", brief.rpartition("\n\n")[0])) <= set(
        re.findall(r"\w+", whole)
    )


@pytest.mark.parametrize("name", ["redo-disk.awr-19c.html", "redo-cluster-1.awr-11.2.html"])
def test_a_prediction_has_no_row_twice_and_its_notes_are_sentences(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The brown-out is also that of one failure per year."""
    out = text(capsys, "recovery", "predict", str(samples.path(name)))
    notes = re.findall(r"^  (\S)", out.partition("\nNotes\n")[2].partition("\n\n")[0], re.M)

    assert "  per year  " not in out
    assert notes
    assert "".join(notes).isupper()


def test_a_prediction_shows_each_part_with_range_and_source(
    capsys: pytest.CaptureFixture[str],
) -> None:
    args = ["recovery", "predict", str(samples.path("redo-disk.awr-19c.html"))]
    data = json.loads(text(capsys, *args, "-f", "json"))
    out = re.sub(r"\s+", " ", text(capsys, *args, "-v"))

    assert "Formulas and sources" in out
    for each in data["recovery"]["parts"]:
        assert each["title"].split(" (")[0] in out
        assert each["source"] in out


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_page_of_a_log_is_whole_on_any_screen_and_on_paper(
    width: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.html"
    text(capsys, "html", str(FOLDER / "9i-rac.log"), "-o", str(file))
    with opened(file, width) as browser:
        page = browser.page
        assert browser.requests == [file.as_uri()]
        assert browser.complaints == []
        tracks = page.eval_on_selector_all(
            ".track", "(all) => all.map((e) => [e.getBoundingClientRect().left, "
            "e.getBoundingClientRect().width])",
        )  # fmt: skip
        # all bars have the same axis: the same begin and width on the screen
        assert all(one == pytest.approx(other) for one, other in pairwise(tracks))
        assert tracks[0][1] > width / 4
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        right = "(all) => Math.max(...all.map((each) => each.getBoundingClientRect().right))"
        if width < 480:  # tables are stacked: no value is off the screen
            assert page.eval_on_selector_all("article td", right) <= width
        else:
            violations = Axe().run(page).response["violations"]
            assert [] == [
                (each["id"], each["nodes"][0]["html"])
                for each in violations
                if each["impact"] in ("serious", "critical")
            ]
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = false)")
        page.emulate_media(media="print")
        assert page.locator("details table").first.evaluate("(e) => e.checkVisibility()")
