"""``awrlens recovery simulate`` as a user meets it: formats, mistakes, a report's load, a page."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import corpus
import jsonschema
import pytest
import read_once
import samples
from axe_playwright_python.sync_playwright import Axe
from browser import opened
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from awrlens import api
from awrlens.advice.load_model import EXPONENT, power_law
from awrlens.advice.write_model import of_report
from awrlens.cli import run
from awrlens.errors import UsageError
from awrlens.lab.simulated_instance import OLTP
from awrlens.lab.simulation import simulate, with_given
from awrlens.lab.simulation_page import explained
from awrlens.lab.simulation_records import RecoveryDocument
from awrlens.lab.simulation_setup import At, Setup

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
REPORT = "redo-disk.awr-11.2.txt"
#: A short run: three instances of the smallest load, of which one fails and comes back.
SHORT = ("recovery", "simulate", "--preset", "oltp", "--minutes", "2", "--instances", "3",
         "--fail", "1@90", "--join", "1@2m")  # fmt: skip


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """The page and the document of one short run."""
    target = tmp_path_factory.mktemp("short") / "crash.html"
    with redirect_stdout(io.StringIO()) as out:
        assert 0 == run([*SHORT, "--html", str(target), "--format", "json"])
    return target, json.loads(out.getvalue())


@pytest.fixture
def document(short: tuple[Path, Any]) -> Any:
    return short[1]


@pytest.fixture
def file(short: tuple[Path, Any]) -> Path:
    return short[0]


def test_the_text_fits_80_columns_and_says_who_recovers_whom(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert 0 == run(list(SHORT))
    out = capsys.readouterr().out

    assert max(map(len, out.splitlines())) <= 80
    assert "Instance 1 fails at 1:30 min, instance 3 recovers" in out
    assert "0 s start: buddy of 1: 3; buddy of 2: 1; buddy of 3: 2" in out
    assert "1:30 min instance 1 failed: buddy of 2: 3; buddy of 3: 2" in out
    assert "instance 1 joined" in out
    assert "hidden" in out


def test_the_document_has_what_the_docs_say(document: Any) -> None:
    page = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)`", page[page.index("## The JSON document") :]))
    recovery, moment = document["recoveries"][0], document["timeline"][-1]
    found = document["choices"][0] if document["choices"] else {}
    keys = {*document, *found, *recovery, *recovery["parts"][0], *document["buddy_maps"][0],
            *moment, *moment["instances"]["2"], *document["parameters"]}  # fmt: skip

    assert told == keys
    before_s = recovery["detection_s"] + recovery["reconfiguration_s"]
    assert before_s == 30 + 3  # the misscount, and the assumption of docs/simulation.md
    assert recovery["total_s"] == pytest.approx(
        before_s + recovery["first_pass_s"] + recovery["second_pass_s"] + recovery["other_s"],
        abs=0.01,
    )
    assert recovery["brown_out_s"] == pytest.approx(before_s + recovery["first_pass_s"], abs=0.01)
    times = [each["at_s"] for each in document["timeline"]]
    assert times == sorted(set(times))


def test_the_same_seed_gives_the_same_run_and_another_another(
    document: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    found = []
    read_once.simulations.clear()
    for seed in ("1", "2"):
        assert 0 == run([*SHORT, "--seed", seed, "--format", "json"])
        found.append(json.loads(capsys.readouterr().out))

    assert document == found[0]
    # numbers of blocks do not scatter, so it is which blocks that another seed changes
    assert document["timeline"] != found[1]["timeline"]


@pytest.mark.nightly
def test_a_constant_rate_below_that_of_the_redo_falls_behind(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One buffer of 4 MB in three seconds, for 4 MB of redo each second."""
    args = ["recovery", "simulate", "--preset", "customer", "--redo-rate", "4", "--minutes", "3"]
    behind = []
    for buffers in ("1", "4"):
        assert 0 == run([*args, "--read-buffers", buffers, "--format", "json"])
        behind.append(json.loads(capsys.readouterr().out)["recoveries"][0]["first_pass_s"])

    assert behind[0] > 2 * 3 > behind[1]


def test_what_the_caller_knows_takes_the_place_of_the_presets() -> None:
    found = with_given(OLTP, redo_rate=3, block_changes=4000, writes=500, cache_size=80,
                       log_size=100, scan_rate=50, apply_rate=20)  # fmt: skip

    assert 3 * 2**20 == found.load.redo_bytes_per_s
    assert 4000 == pytest.approx(found.load.changes_per_s, rel=0.01)
    assert 500 == pytest.approx(found.load.block_writes_per_s(300), rel=0.01)
    assert (10_240, 100 * 2**20) == (found.load.cache_blocks, found.load.log_bytes)
    assert 2.0 == found.rates.first_pass_s(100 * 2**20)
    assert 5.0 == found.rates.second_pass_s(100 * 2**20, 7)
    assert OLTP == with_given(OLTP)


def test_the_first_line_says_what_buddies_change(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["recovery", "simulate", "--preset", "customer", "--minutes", "2"]
    assert 0 == run(args)
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    # 20 MB/s for up to two minutes: 12 to 20 s at 83.4 MB/s, after 30 + 3 s
    assert re.search(
        r"● The surviving instances are frozen for 3[3-6]\.?\d? s with buddies, "
        r"(4[5-9]|5[0-3])\.?\d? s without, including 30 s until the failure is detected "
        r"and 3 s of cluster reconfiguration\. ",
        told,
    )

    assert 0 == run([*args, "--fail", "1@1m", "--fail", "2@1m"])
    assert "No instance survives: the database is down for" in capsys.readouterr().out


def test_where_the_first_pass_is_short_it_says_that_buddies_change_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == run(["recovery", "simulate", "--report", str(samples.path(REPORT)),
                     "--minutes", "1"])  # fmt: skip
    assert "buddies have no effect" in re.sub(r"\s+", " ", capsys.readouterr().out)


def test_without_buddies_the_first_pass_is_that_without(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == run([*SHORT, "--buddies", "0", "--format", "json"])
    found = json.loads(capsys.readouterr().out)["recoveries"][0]

    assert found["first_pass_s"] == found["first_pass_without_buddy_s"] > 0
    assert "scanned" == found["parts"][0]["origin"]
    assert found["first_pass_range_s"] is None


@pytest.mark.parametrize(("high_s", "said"), [(0.5334, False), (1.2, True)])
def test_a_range_of_first_passes_has_two_different_ends(high_s: float, said: bool) -> None:
    times = dict.fromkeys(RecoveryDocument._fields, 1.0)
    found = RecoveryDocument(**times | {"parts": (), "range_s": (0.5331, high_s)})  # type: ignore[arg-type]

    assert said == ("would have taken 533 ms to 1.2 s" in " ".join(explained(found)))
    assert "533 ms to 533 ms" not in " ".join(explained(found))


def test_while_the_database_is_frozen_no_redo_is_generated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    args = ["recovery", "simulate", "--preset", "customer", "--minutes", "3", "--buddies", "0"]
    assert 0 == run([*args, "--fail", "1@2m", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    frozen = [each for each in found["timeline"] if each["frozen"]]

    seconds = found["recoveries"][0]["brown_out_s"]
    assert len(frozen) == pytest.approx(seconds, abs=1)
    assert 1 == len({each["instances"]["2"]["redo_bytes"] for each in frozen})


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--fail", "3@10"), "Instance 3 does not exist. The cluster has instances 1 to 2"),
        (("--fail", "1@99m"), "5940 s is outside the simulation (0 to 120 s)"),
        (("--fail", "one"), "'one' is not INSTANCE@TIME. For example 1@90"),
        (("--failed-together", "1+2"), "'1+2' is not a list of instances"),
    ],
    ids=lambda each: str(each)[:24],
)
def test_a_mistake_is_told_in_one_sentence(
    args: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(["recovery", "simulate", "--preset", "oltp", "--minutes", "2", *args])
    assert says in capsys.readouterr().err


# the load of a report


def test_a_reports_load_has_its_redo_changes_writes_cache_and_target() -> None:
    report = samples.report(REPORT)
    facts = api.facts_of(report)
    found = of_report(facts, REPORT, report.identity.block_size)

    assert facts["redo.bytes_per_s"].number == found.load.redo_bytes_per_s
    changes = facts["integrity.block_changes_per_s"].number
    assert found.load.changes_per_s == pytest.approx(changes, rel=0.01)
    cache_mb = facts["load.buffer_cache_mb"].number
    assert found.load.cache_blocks * 8192 / 2**20 == cache_mb
    behind = facts["checkpoint.actual_redo_blocks"].number or 0
    age_s = behind * 512 / found.load.redo_bytes_per_s
    writes = facts["checkpoint.cache_writes_per_s"].number
    assert found.load.block_writes_per_s(age_s) == pytest.approx(writes, rel=0.01)


def test_what_a_report_does_not_tell_is_assumed_and_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    args = ["recovery", "simulate", "--minutes", "1", "--report"]
    assert 0 == run([*args, str(samples.path(REPORT))])
    out = re.sub(r"\s+", " ", capsys.readouterr().out)

    assert f"The load of {REPORT}" in out
    assert "Assumed, because it is not in this report: twice the age of dirty blocks needs" in out


def test_without_a_target_the_checkpoint_stays_where_the_report_has_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    behind = api.facts_of(samples.report(REPORT))["checkpoint.actual_redo_blocks"].number or 0
    args = ["recovery", "simulate", "--minutes", "1", "--format", "json", "--report"]
    assert 0 == run([*args, str(samples.path(REPORT))])
    found = json.loads(capsys.readouterr().out)

    assert found["recoveries"][0]["applied_bytes"] == pytest.approx(behind * 512, rel=0.05)
    assert any("No target is in effect" in note for note in found["notes"])


def behind(capsys: pytest.CaptureFixture[str], file: str, *options: str) -> int:
    """Redo behind the checkpoint of the instance that fails, in bytes."""
    args = ["recovery", "simulate", "--minutes", "3", "--format", "json", "--report"]
    assert 0 == run([*args, str(samples.path(file)), *options])
    found = json.loads(capsys.readouterr().out)
    applied: int = found["recoveries"][0]["applied_bytes"]
    return applied


@pytest.mark.parametrize("file", [REPORT, "redo-disk.statspack-9.2.lst", "redo-disk.awr-10.2.txt"])
def test_a_relaxed_target_is_held_by_the_limit_that_the_report_prints(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """45 MB by log size (the figures of Instance Recovery Stats), and never less than without."""
    limit = api.facts_of(samples.report(file))["checkpoint.log_size_redo_blocks"].number or 0
    relaxed = behind(capsys, file, "--mttr", "3600")

    assert limit * 512 == pytest.approx(relaxed, rel=0.06)
    assert relaxed >= 0.99 * behind(capsys, file)


def test_larger_logs_raise_the_limit_that_a_report_prints() -> None:
    report = samples.report(REPORT)
    found = of_report(api.facts_of(report), REPORT, report.identity.block_size)
    doubled = with_given(found, log_size=2 * found.load.log_bytes / 2**20)

    assert found.load.limit_bytes == pytest.approx(92_160 * 512)
    assert doubled.load.limit_bytes == pytest.approx(2 * 92_160 * 512)
    # logs leave with 45 MB, so none is smaller
    assert found.load.log_bytes >= 45 * 2**20


@pytest.mark.corpus
@corpus.over("statspack-text", "awr-text", "awr-html")
def test_every_real_report_is_a_load_or_says_what_it_lacks(entry: corpus.Entry) -> None:
    report = corpus.report(entry)
    try:
        found = of_report(api.facts_of(report), entry.file, report.identity.block_size)
    except UsageError as refused:
        assert "does not have the redo" in str(refused)
        return

    setup = Setup(found.load, found.rates, found.mttr_s, 20, fail=(At(1, 20),))
    recovery = simulate(found, setup).recoveries[0]
    assert 0 < recovery.applied_bytes <= found.load.redo_bytes_per_s * 22
    assert recovery.recovery_set_blocks > 0


def test_a_report_without_redo_is_refused() -> None:
    with pytest.raises(UsageError, match="does not have the redo"):
        of_report({}, "a.txt", None)


def test_a_compare_period_report_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(samples.path("redo-compared.awr-diff-11.2.html"))

    assert 2 == run(["recovery", "simulate", "--report", file])
    assert "--part 1 or --part 2" in capsys.readouterr().err


def test_of_a_cluster_one_instance_is_the_load(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["recovery", "simulate", "--minutes", "1", "--report"]
    args.append(str(samples.path("redo-cluster.awr-rac-11.2.html")))

    assert 2 == run(args)
    assert "Use --part N" in capsys.readouterr().err


def test_a_redacted_run_does_not_name_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(samples.path(REPORT))

    assert 0 == run(["recovery", "simulate", "--minutes", "1", "--report", file, "--redact"])
    out = capsys.readouterr().out
    assert "The load of a report" in out
    assert "redo-disk" not in out


def test_kinds_of_blocks_have_the_changes_and_the_writes_of_a_load() -> None:
    kinds, new = power_law(500, 60, 4000)
    load = OLTP.load._replace(kinds=kinds, new_blocks_per_s=new)

    assert 4000 == pytest.approx(load.changes_per_s, rel=0.01)
    assert 500 == pytest.approx(load.block_writes_per_s(60), rel=0.01)


@given(
    st.floats(1, 1e5), st.floats(10, 5000), st.floats(1.2, 1e4), st.sampled_from([2.0, 4.0, 10.0])
)
def test_writes_are_in_proportion_to_the_age_to_the_power_of_minus_one_fifth(
    writes: float, age_s: float, changes: float, older: float
) -> None:
    """As long as blocks change much more often than they are written."""
    kinds, new = power_law(writes, age_s, writes * max(changes, 20.0))
    load = OLTP.load._replace(kinds=kinds, new_blocks_per_s=new)

    fewer = load.block_writes_per_s(age_s * older) / load.block_writes_per_s(age_s)
    assert older**-EXPONENT == pytest.approx(fewer, rel=0.1)


def test_without_repeated_changes_every_change_is_a_write() -> None:
    assert ((), 500) == power_law(500, 60, 400)


# the page


def test_only_the_instance_fails_if_its_node_runs(capsys: pytest.CaptureFixture[str]) -> None:
    args = [*SHORT, "--detection", "0", "--reconfiguration", "0"]
    assert 0 == run(args)
    out = capsys.readouterr().out

    assert "until the failure is detected" not in out
    assert "detection" not in out


def seconds(text: str) -> float:
    return float(text.removesuffix(" s").replace(",", "").replace("< ", ""))


def test_the_bars_are_to_scale_and_have_the_numbers_of_the_document(
    file: Path, document: Any
) -> None:
    tree = LexborHTMLParser(file.read_bytes())
    recovery = document["recoveries"][0]
    names = {"detection": "detection_s", "reconfiguration": "reconfiguration_s",
             "second pass": "second_pass_s", "other": "other_s"}  # fmt: skip
    longest = recovery["total_without_buddy_s"]
    rows = tree.css(".barrow")
    sides = (("total_s", "first_pass_s"), ("total_without_buddy_s", "first_pass_without_buddy_s"))

    assert len(rows) == len(sides)
    for row, (total, first_pass) in zip(rows, sides, strict=True):
        at = 0.0
        for piece in row.css(".piece"):
            name, _, value = (
                (piece.attributes["aria-label"] or "").rpartition(" s")[0].rpartition(" ")
            )
            expected = recovery[(names | {"first pass": first_pass})[name]]
            assert float(value) == pytest.approx(expected, rel=0.005, abs=0.006)
            placed = re.findall(r"[\d.]+", piece.attributes["style"] or "")
            assert [float(each) for each in placed] == pytest.approx(
                [100 * at / longest, 100 * expected / longest], abs=0.02
            )
            at += expected
        shown = row.css_first(".barshown").text()  # type: ignore[union-attr]
        assert seconds(shown) == pytest.approx(recovery[total], rel=0.005)


def test_the_page_has_one_chart_and_it_ends_where_its_data_end(file: Path, document: Any) -> None:
    """Instance 1 fails at 90 s and is back later; while it is down there is no brown-out of it."""
    tree = LexborHTMLParser(file.read_bytes())
    (figure,) = tree.css("figure.chart")
    rows = [[cell.text() for cell in row.css("td")] for row in figure.css("tbody tr")]
    known = [
        (each["at_s"], each["instances"]["1"])
        for each in document["timeline"]
        if 1 in each["members"]
    ]

    assert figure.css_first("h2, h3").text().startswith("Brown-out")  # type: ignore[union-attr]
    assert len(figure.css("polyline")) == 2
    for line, name in zip(figure.css("polyline"), ("", "_without"), strict=True):
        points = (line.attributes["points"] or "").split()
        assert [points[0].split(",")[0], points[-1].split(",")[0]] == ["0.00", "100.00"]
        assert seconds(rows[-1][2 if name else 1]) == pytest.approx(
            known[-1][1][f"brown_out{name}_s"], rel=0.005
        )
    assert tree.css("link, img, iframe, script[src]") == []


def test_what_is_always_0_is_named_and_not_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """With checkpointing off for two minutes, DBWR writes nothing."""
    args = ["recovery", "simulate", "--minutes", "2", "--detection", "0", "--reconfiguration", "0"]
    assert 0 == run([*args, "--format", "html"])
    tree = LexborHTMLParser(capsys.readouterr().out)

    assert "Always 0 on instance 1: data blocks written." in tree.body.text()  # type: ignore[union-attr]
    names = [row.css_first("td").text() for row in tree.css("table.courses tbody tr")]  # type: ignore[union-attr]
    assert "redo generated" in names
    assert "data blocks written" not in names


def test_parameters_have_the_units_of_a_dba(file: Path) -> None:
    cells = {
        row.css_first("code").text(): row.css("td")[1].text()  # type: ignore[union-attr]
        for row in LexborHTMLParser(file.read_bytes()).css("tr")
        if row.css("code")
    }

    assert cells["cache_blocks"] == "500,000 blocks = 3.81 GB"  # of 8 KB each
    assert cells["duration_s"] == "2 min"
    assert cells["redo_bytes_per_s"] == "1 MB/s"
    assert cells["buddy_instance_num_read_buffers"] == "adaptive"


def test_a_long_run_shows_its_progress_with_and_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("awrlens.cli.output.PROGRESS_S", 0.0)
    read_once.simulations.clear()
    assert 0 == run(list(SHORT))
    said = capsys.readouterr().err.splitlines()
    assert "awrlens: Simulating 1 of 2 minutes" in said

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    read_once.simulations.clear()
    assert 0 == run(list(SHORT))
    told = capsys.readouterr().err
    assert "Simulating" in told
    assert re.search(r"\d+ of 2 minutes", told)  # two minutes and the 30 s after them


def test_the_page_can_be_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run([*SHORT, "--format", "html"])
    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")


@pytest.mark.browser
def test_everybody_can_read_the_page(file: Path) -> None:
    with opened(file) as found:
        found.page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")

        violations = Axe().run(found.page).response["violations"]
        assert [] == [
            (each["id"], each["nodes"][0]["html"])
            for each in violations
            if each["impact"] in ("serious", "critical")
        ]


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1024, 1920])
def test_the_page_is_whole_on_any_screen_and_on_paper(file: Path, width: int) -> None:
    with opened(file, width) as found:
        page = found.page
        assert found.requests == [file.as_uri()]
        assert found.complaints == []
        right = "(all) => Math.max(...all.map((each) => each.getBoundingClientRect().right))"
        # every number of the phases is on the screen, without scrolling
        assert page.locator("td, .barshown").first.is_visible()
        assert page.eval_on_selector_all(".barshown, main > article > .scroll td", right) <= width
        ticks = page.eval_on_selector_all(
            ".xtick", "(all) => all.map((e) => [e.getBoundingClientRect().left, "
            "e.getBoundingClientRect().right])",
        )  # fmt: skip
        assert all(one[1] < other[0] for one, other in pairwise(ticks))
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.emulate_media(media="print")
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = false)")
        assert page.locator("details table").first.evaluate("(e) => e.checkVisibility()")


# a buddy or a lower target, what stays blocked, blocks that move


def customer(capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    args = ["recovery", "simulate", "--preset", "customer", "--minutes", "4", "--format", "json"]
    assert 0 == run([*args, *options])
    return json.loads(capsys.readouterr().out)


def test_a_lower_target_is_what_a_run_with_it_shows(capsys: pytest.CaptureFixture[str]) -> None:
    """The table is calculated; runs with its targets have its first pass and its writes."""
    found = customer(capsys)
    now, buddy, _, lower = found["choices"]
    assert ["as it is", "buddy", "lower target"] == [now["name"], buddy["name"], lower["name"]]
    assert buddy["first_pass_s"] == lower["first_pass_s"] == 3  # the threshold of buddies
    assert buddy["writes_per_s"] == now["writes_per_s"] < lower["writes_per_s"]
    assert (0, 20 * 2**20) == (now["buddy_reads_bytes_per_s"], buddy["buddy_reads_bytes_per_s"])

    assert found["recoveries"][0]["first_pass_without_buddy_s"] == pytest.approx(
        now["first_pass_s"], rel=0.02
    )
    run_ = customer(capsys, "--mttr", str(lower["target_s"]), "--buddies", "0")
    assert run_["recoveries"][0]["first_pass_s"] == pytest.approx(3, rel=0.1)
    late = [each["instances"]["2"]["writes_per_s"] for each in run_["timeline"][60:120]]
    assert sum(late) / len(late) == pytest.approx(lower["writes_per_s"], rel=0.05)


@pytest.mark.nightly
def test_what_stays_blocked_through_the_second_pass_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    recovery = customer(capsys, "--database-size", "100")["recoveries"][0]
    assert recovery["blocked_s"] == pytest.approx(recovery["second_pass_s"], abs=0.01)
    # 1,000 busy blocks are always dirty: 1,000 of 2,800 changes a second, and most of 20,000 others
    assert 100 * (1000 + 0.8 * 1000) / 2800 < recovery["blocked_changes_pct"] < 100

    args = ["recovery", "simulate", "--preset", "customer", "--minutes", "4"]
    assert 0 == run([*args, "--database-size", "100"])
    text = re.sub(r"\s+", " ", capsys.readouterr().out)
    share = recovery["recovery_set_blocks"] * 8192 / (100 * 2**30) * 100
    assert f"{recovery['recovery_set_blocks']:,} blocks" in text
    assert f"{share:.3g} % of the database" in text
    assert "All other blocks are available" in text


@pytest.mark.nightly
def test_blocks_that_move_are_recovered_once_or_not_at_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--shared", "50", "--instances", "3", "--fail", "1@4m", "--fail", "2@4m"]
    recovery = customer(capsys, *options)["recoveries"][0]
    own = [part["blocks"] for part in recovery["parts"]]

    assert recovery["in_several_sets_blocks"] > 0
    assert recovery["current_elsewhere_blocks"] > 0
    assert recovery["recovery_set_blocks"] == (
        sum(own) - recovery["in_several_sets_blocks"] - recovery["current_elsewhere_blocks"]
    )


@pytest.mark.nightly
def test_the_rebuild_runs_at_the_same_time_as_the_first_pass(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Buddy Instance, section 3.2: the longer of both counts."""
    short, long = (
        customer(capsys, "--rebuild", seconds)["recoveries"][0] for seconds in ("0.5", "10")
    )
    before_s = 30 + 3
    assert short["first_pass_s"] > 0.5
    assert short["brown_out_s"] == pytest.approx(before_s + short["first_pass_s"], abs=0.01)
    assert long["brown_out_s"] == pytest.approx(before_s + 10, abs=0.01)
    assert long["first_pass_without_buddy_s"] > 10  # without a buddy the first pass is longer
    assert long["brown_out_without_buddy_s"] == short["brown_out_without_buddy_s"]


def test_the_head_of_a_run_says_its_own_minutes_and_target(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == run(["recovery", "simulate", "--preset", "tpcc", "--mttr", "60", "--minutes", "3"])
    head = re.sub(r"\s+", " ", capsys.readouterr().out).split("●")[0]

    assert "3 min, 2 instances" in head
    assert "FAST_START_MTTR_TARGET=60" in head
    assert "27 min" not in head
    assert "checkpointing off" not in head


def test_the_json_of_a_simulation_has_the_printed_schema(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A cluster and a single instance; a key too many or too few is an error."""
    assert 0 == run(["schema", "simulate"])
    schema = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    found = customer(capsys)
    args = ["recovery", "simulate", "--minutes", "1", "--format", "json", "--report"]
    assert 0 == run([*args, str(samples.path(REPORT))])
    single = json.loads(capsys.readouterr().out)

    schema.check_schema(schema.schema)
    schema.validate(found)
    schema.validate(single)
    parameters = found["parameters"]
    for broken in (
        found, found["recoveries"][0], found["timeline"][0], found["choices"][0], parameters,
        parameters["blocks_changed"][0],
    ):  # fmt: skip
        broken["another"] = 1
        assert not schema.is_valid(found)
        del broken["another"]
    del found["recoveries"][0]["total_s"]
    assert not schema.is_valid(found)
