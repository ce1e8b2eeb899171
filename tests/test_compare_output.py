"""``awrlens compare`` as a user meets it: formats, sets, mistakes, hostile names."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import jsonschema
import pytest
import samples
from compared import fair
from selectolax.lexbor import LexborHTMLParser

from awrlens import api
from awrlens.cli import run
from awrlens.cli.schema import of_comparison
from awrlens.model import Change
from awrlens.model.comparison import (
    ChangedParameter,
    Comparison,
    Mover,
    NamedPart,
    Turn,
)
from awrlens.render import as_lines, compare_page, markdown, pages, wording
from awrlens.render.pages import Extras
from awrlens.units import pair

if TYPE_CHECKING:
    from pathlib import Path

    from awrlens.model.kinds import Direction

DISK = str(samples.path("redo-disk.awr-11.2.txt"))
FAST = str(samples.path("redo-accelerator.awr-11.2.txt"))
COMPARED = str(samples.path("redo-compared.awr-diff-11.2.html"))
CLUSTER = str(samples.path("redo-cluster.awr-rac-11.2.html"))
HEADLINE = (
    "Not comparable: AULTDB and TMSORCL are different databases. DB time went from 1.8 ms to 5.4 "
    "ms per transaction (3 times as much); redo write time went from 18.7 ms to 0.104 ms (180 "
    "times faster)."
)
HOSTILE = "<img src=x onerror=alert(1)>\"'`{{7*7}}\x1b[31m\u202e|</script>"


def contrast() -> Comparison:
    return api.compare(
        [api.read(samples.report("redo-disk.awr-11.2.txt"))],
        [api.read(samples.report("redo-accelerator.awr-11.2.txt"))],
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def test_every_format_says_the_same_first(capsys: pytest.CaptureFixture[str]) -> None:
    for format_ in ("text", "json", "markdown", "html"):
        assert 0 == run(["compare", DISK, FAST, "--format", format_])
        said = flat(re.sub(r"</?span[^>]*>", "", capsys.readouterr().out))
        assert all(part in said for part in HEADLINE.partition(". ")), format_


def printed(found: Comparison, width: int = 80, *, brief: bool = False) -> str:
    return wording.text(as_lines.lines(compare_page.page(found, brief=brief), width))


def test_the_page_tells_the_verdict_then_db_time_then_findings_then_changes() -> None:
    page = printed(contrast())

    order = [
        HEADLINE[:40], "\nDB time per transaction\n", "\nFindings, A and B\n",
        "\nWhat moved\n", "\nIn words\n", "\nParameters\n", "\nLimits and why\n",
        "\nAll changes\n", "Amounts are compared per transaction", "\nNot comparable\n",
    ]  # fmt: skip
    assert sorted(order, key=page.index) == order
    assert (
        page.index("log_buffer") < page.index("Other parameters") < page.index("shared_pool_size")
    )
    assert "control_files" not in page  # a path


def test_a_compare_period_report_has_its_actions_and_the_verdict_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    actions = api.analyze(api.load(COMPARED)).actions
    assert actions
    assert 0 == run(["compare", COMPARED, "--format", "html"])
    shown = capsys.readouterr().out
    assert all(pages.code(each.title) in shown for each in actions)

    assert printed(contrast()).lower().count("not comparable: aultdb") == 1


def test_what_a_finding_costs_is_said_to_be_waits_beside_a_number_of_another_unit() -> None:
    now = Turn("REDO007", "Redo logs switch 36 times per hour", "info", "info", "worse", 1.29, 2.94)

    per_second = compare_page.turn(now, "second")
    per_transaction = compare_page.turn(now, "transaction")
    assert per_second.endswith("(REDO007, info, 0.00129 → 0.00294 sessions waiting)")
    assert per_transaction.endswith("info, 1.29 ms → 2.94 ms of waits per transaction)")


@pytest.mark.parametrize("width", [40, 80, 160])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for brief in (True, False):
        assert max(map(len, printed(contrast(), width, brief=brief).split("\n"))) <= width


def test_without_verbose_the_answer_fits_a_screen_and_says_what_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert 0 == run(["compare", DISK, FAST])
    short = capsys.readouterr().out

    assert len(short.splitlines()) <= 45
    assert "--verbose" in short
    assert "What moved" in short
    assert 0 == run(["compare", DISK, FAST, "--verbose"])
    assert "757,698 cs × 10 / 405,691 writes" not in short
    assert len(capsys.readouterr().out.splitlines()) > 100


def test_sides_that_are_not_comparable_are_a_and_b_and_nothing_is_new_or_worse() -> None:
    page = printed(contrast(), 200)

    assert "? Not comparable: AULTDB and TMSORCL are different databases." in page
    assert "\nA: AULTDB/aultdb1" in page
    assert "  only in A: " in page
    assert not re.search(r"worse|better|new:|gone:|▲|▼", page.partition("In words")[0])


def test_the_verdict_is_the_badge_and_a_lasting_finding_has_its_own_line() -> None:
    """EXP of July 2013: 4.79 → 4.32 sessions were "critical: Better"."""
    found = fair("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")
    styles: dict[Direction, tuple[str, str]] = {
        "better": ("ok", "✔"), "worse": ("critical", "✖"), "mixed": ("info", "●"),
        "same": ("info", "●"),
    }  # fmt: skip
    for direction, (style, sign) in styles.items():
        of = found._replace(
            severity="critical", direction=direction, headline=f"{direction}: x.",
            gist=f"{direction.capitalize()}: x.",
        )  # fmt: skip
        page = compare_page.page(of)
        assert (direction, style) == (page.badge, page.severity)
        assert f"{sign} {direction.capitalize()}: x." in printed(of)
        html = LexborHTMLParser(pages.text(page, Extras("0")))
        assert f"{direction.capitalize()}: x." == html.css_first("h1").text()  # type: ignore[union-attr]
        assert f"{direction.capitalize()}:" == html.css_first("h1 .badge").text()  # type: ignore[union-attr]
    assert "Still a warning: Sessions waited 385 s" in compared_with_itself().headline


def compared_with_itself() -> Comparison:
    """The same interval, a day later."""
    return fair("redo-disk.awr-11.2.txt", "redo-disk.awr-11.2.txt")


def test_load_line_headline_and_bars_have_one_figure_of_active_sessions() -> None:
    """Statspack 8.1.7: 4.44 → 5.46 in the load line, 4.46 to 5.5 below it."""
    found = fair("redo-disk.statspack-9.2.lst", "redo-disk.statspack-9.2.lst")
    page = printed(found)
    (was, now), *_ = re.findall(r"load: (\S+) → (\S+) average active sessions", page)
    whole = found.db_time

    assert whole is not None
    assert pair(whole.before_ms / 1000, whole.after_ms / 1000, "") == (was, now)


def test_waits_per_second_are_shown_as_sessions() -> None:
    found = fair("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")
    found = found._replace(basis=found.basis._replace(per="second"), movers=(
        Mover("a", "`a`", "ms", 180.0, 1_420.0, "second", 690.0, "worse", 20.0),
    ))  # fmt: skip
    page = printed(found)

    assert "sessions waiting, or key figure" in page
    assert re.search(r"▲ a +0\.18 +1\.42 +× 7\.9", page)


def test_what_contributes_to_a_finding_is_not_listed_as_a_second_one() -> None:
    found = contrast()
    part = found.findings[0]._replace(id="REDO099", title="the same waits", is_part=True)
    page = printed(found._replace(findings=(*found.findings, part)))

    assert "the same waits" not in page
    assert "REDO099" in page


def test_better_and_worse_are_told_by_sign_and_word() -> None:
    page = printed(fair("redo-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt"), 200)

    assert "▼ better: Redo write time went from 18.7 ms to 0.104 ms" in page
    assert "▲ worse: DB time went from 1.8 ms to 5.4 ms per transaction" in page


@pytest.mark.slow
@pytest.mark.parametrize("sides", [(DISK, FAST), (COMPARED,), (CLUSTER, CLUSTER), (DISK, DISK)])
def test_every_document_keeps_to_the_schema(
    sides: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(["compare", *sides, "--format", "json"])
    document = json.loads(capsys.readouterr().out)

    jsonschema.validate(document, of_comparison())
    assert 0 == run(["schema", "compare"])
    assert of_comparison() == json.loads(capsys.readouterr().out)


def test_the_schema_can_fail() -> None:
    document = contrast().to_dict()
    document["facts"][0]["verdict"] = "fine"

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, of_comparison())


def test_a_side_may_be_a_folder_a_pattern_or_an_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, workload in (("before", "redo-disk"), ("after", "redo-accelerator")):
        folder = tmp_path / side
        folder.mkdir()
        for layout in ("awr-11.2.txt", "awr-11.2.html", "statspack-11.2.txt"):
            shutil.copy(samples.path(f"{workload}.{layout}"), folder)
        (folder / "notes.txt").write_text("no report", encoding="utf-8")
    shutil.make_archive(str(tmp_path / "after"), "zip", tmp_path / "after")
    pattern = str(tmp_path / "before" / "redo-*")

    for sides in ([tmp_path / "before", tmp_path / "after"], [pattern, tmp_path / "after.zip"]):
        assert 0 == run(["compare", *map(str, sides), "--format", "json"])
        document = json.loads(capsys.readouterr().out)
        # the same interval in three layouts counts once
        assert (1, 1) == (document["before"]["reports"], document["after"]["reports"])
        assert document["headline"].startswith(HEADLINE)


def test_one_bad_file_of_a_set_is_told_and_the_others_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(DISK, tmp_path / "one.txt")
    (tmp_path / "two.txt").write_bytes(b"")

    assert 3 == run(["compare", str(tmp_path / "*.txt"), FAST])
    said = capsys.readouterr()
    assert HEADLINE in flat(said.out)
    assert "two.txt" in said.err
    assert 3 == run(["compare", str(tmp_path / "two.txt"), FAST])
    assert "No report of this side can be read." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        ((DISK, FAST, DISK), 2, "Quote patterns"),
        ((DISK,), 2, "is one report, but a comparison needs two sides"),
        ((DISK, COMPARED), 3, "A compare-period report has two sides. Compare it alone"),
        ((DISK, FAST, "--expect", "no-such-file.json"), 2, "cannot be read"),
        ((DISK, FAST, "--expect", DISK), 2, "is not JSON"),
        ((DISK, FAST, "--set", "compare.floor=3"), 2, "Did you mean compare.floor_pct"),
        ((), 2, "BEFORE AFTER"),
    ],
    ids=["three", "one", "diff", "no-file", "no-json", "threshold", "none"],
)
def test_a_mistake_is_told_in_one_sentence(
    args: tuple[str, ...], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status == run(["compare", *args])
    assert said in capsys.readouterr().err


def test_an_earlier_analysis_is_looked_after(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(["analyze", DISK, "--format", "json"])
    file = tmp_path / "analysis.json"
    file.write_text(capsys.readouterr().out, encoding="utf-8")

    assert 0 == run(["compare", DISK, FAST, "--expect", str(file), "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, of_comparison())
    assert 2 == len(document["expectations"])
    for format_ in ("text", "markdown", "html"):
        assert 0 == run(["compare", DISK, FAST, "--expect", str(file), "--format", format_])
        out = flat(capsys.readouterr().out)
        assert "not achieved" in out or "achieved" in out
        assert "Redo on low-latency storage: tune first" in out


def test_a_page_is_written_beside_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page.html"

    assert 0 == run(["compare", COMPARED, "--html", str(file)])
    assert HEADLINE in flat(capsys.readouterr().out)
    first, _, rest = HEADLINE.partition(". ")
    tree = LexborHTMLParser(file.read_text(encoding="utf-8"))
    assert tree.css("link, img, iframe, script[src]") == []
    assert f"{first}." == tree.css_first(".headline").text()  # type: ignore[union-attr]
    assert rest in tree.body.text()  # type: ignore[union-attr]
    assert "compare.floor_pct" in [node.text() for node in tree.css("td code")]


def test_names_of_a_report_harm_neither_terminal_nor_page_nor_ticket() -> None:
    found = contrast()
    evil = {**found.before.identities[0], "db_name": HOSTILE, "host": HOSTILE}
    found = found._replace(
        before=found.before._replace(identities=(evil,)),
        headline=HOSTILE,
        unfair=(found.unfair[0]._replace(before=HOSTILE),),
        parameters=(ChangedParameter(HOSTILE, HOSTILE, HOSTILE, "other"),),
        movers=(found.movers[0]._replace(title=HOSTILE),),
        findings=(found.findings[0]._replace(title=HOSTILE),),
        comparability=found.comparability._replace(reason=HOSTILE),
        db_time=found.db_time
        and found.db_time._replace(
            parts=(found.db_time.parts[0]._replace(name=HOSTILE),),
            steps=(found.db_time.steps[0]._replace(name=HOSTILE),),
        ),
        names=(Change(HOSTILE, HOSTILE, HOSTILE),),
        said=(found.said[0]._replace(text=HOSTILE),),
        events=(found.events[0]._replace(event=HOSTILE),),
        not_comparable=(found.not_comparable[0]._replace(note=HOSTILE),),
        parts=(NamedPart("instance 1", found),),
    )
    page = pages.text(compare_page.page(found), Extras("0"))
    text = printed(found)
    sheet = markdown.text(compare_page.page(found))

    for shown in (page, text, sheet):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert LexborHTMLParser(page).css("img") == []
    # nothing outside of code is markup
    assert "<img" not in re.sub(r"\\.|`[^`\n]*`", "", sheet)
    rows = [line for line in sheet.split("\n") if line.startswith("|")]
    assert all(line.endswith("|") for line in rows)


def test_an_interval_that_is_there_twice_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("redo-disk.awr-11.2.txt", "redo-disk.awr-11.2.html"):
        shutil.copy(samples.path(name), tmp_path)

    assert run(["compare", str(tmp_path), FAST, "--format", "json"]) == 0

    out, err = capsys.readouterr()
    assert json.loads(out)["before"]["reports"] == 1
    assert "is ignored" in err
