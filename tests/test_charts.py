"""Charts of a report's page: where they stand, what they show, and which are left out."""

from __future__ import annotations

import re

import pytest
import samples
from selectolax.lexbor import LexborHTMLParser, LexborNode
from test_html_page import page_of, text

from awrlens import api
from awrlens.model.chart_data import Bucket, DeviceMark, Exhibits, Latencies, Saving, TablespaceIO
from awrlens.policy import Policy
from awrlens.render import page_charts
from awrlens.render.charts import Linear, Log, histograms, scaled
from awrlens.render.wording import short

REDO = "redo-disk.awr-11.2.txt"
UNDO = "undo-disk.awr-11.2.txt"


def charts(node: LexborNode | LexborHTMLParser) -> dict[str, LexborNode]:
    """Charts by title."""
    titled = ((figure.css_first("h3, h4"), figure) for figure in node.css("figure"))
    return {text(title): figure for title, figure in titled}


def numbers(name: str) -> dict[str, float]:
    """The facts of the JSON document."""
    facts = samples.document(samples.analysis(name))["facts"]
    return {name: fact["value"] for name, fact in facts.items()}


def cells(figure: LexborNode) -> dict[str, list[str]]:
    rows = ([text(cell) for cell in row.css("td")] for row in figure.css("tbody tr"))
    return {first: others for first, *others in rows}


# where charts stand


def test_a_chart_stands_in_the_finding_that_it_supports() -> None:
    tree = LexborHTMLParser(page_of(REDO))
    found = {str(node.id): list(charts(node)) for node in tree.css("section.card") if charts(node)}

    assert found == {
        "r1-CKPT001": [
            "Waits at log switches by cause",
            "log file switch (checkpoint incomplete): waits by duration",
        ],
        "r1-REDO001": [
            "log file parallel write: waits by duration", "log file sync: waits by duration"
        ],
    }  # fmt: skip
    often = (
        f"{short(numbers(REDO)['redo.log_switches_per_hour'])} log switches per hour, one every "
    )
    assert often in text(tree.css_first("#r1-CKPT001 figcaption"))
    others = charts(tree.css_first("details.charts"))  # type: ignore[arg-type]
    assert "Writes and reads by tablespace" in others
    assert len(charts(tree)) == len(others) + 4  # none stands twice


def test_a_chart_of_temp_stands_in_the_finding_on_temp_although_another_mentions_it() -> None:
    finding = samples.analysis(REDO).findings[0]
    temp = finding._replace(id="TEMP008", contributing=())
    writes = finding._replace(id="REDO014", contributing=(temp,))
    spaces = tuple(TablespaceIO(name, 10.0, 20.0, None, "") for name in ("A", "B"))

    both = page_charts.placed(
        Exhibits(tablespaces=spaces), {}, (writes, temp._replace(id="TEMP001"))
    )
    one = page_charts.placed(Exhibits(tablespaces=spaces), {}, (writes,))

    assert [each["kind"] for each in both.findings["TEMP001"]] == ["tablespaces"]
    assert [each["kind"] for each in one.findings["REDO014"]] == ["tablespaces"]


# their numbers


@pytest.mark.parametrize("name", [REDO, UNDO, "redo-disk.awr-19c.html"])
def test_the_lines_of_a_histogram_are_the_facts(name: str) -> None:
    facts = numbers(name)
    found = charts(LexborHTMLParser(page_of(name)))
    for event, prefix, average in (
        ("log file parallel write", "write", "parallel_write"), ("log file sync", "sync", "sync"),
    ):  # fmt: skip
        labels = [text(node) for node in found[f"{event}: waits by duration"].css("em")]
        known = re.compile(r"(average|p[\d, p]+) (?:≤ )?([\d.,]+) ms")
        found_in = [match for label in labels if (match := known.fullmatch(label))]
        shown = {each: match[2] for match in found_in for each in match[1].split(", ")}
        assert shown["average"] == short(facts[f"redo.{average}_ms"])
        for share in ("p50", "p95"):
            assert shown[share] == short(facts[f"redo.{prefix}_{share}_ms"])
    # 200 MB/s explain a part of the time of a write
    explained = facts["redo.bytes_per_write"] / 200_000
    labels = [text(node) for node in found["log file parallel write: waits by duration"].css("em")]
    assert f"slow from {short(8 + explained)} ms" in labels
    assert "flash array 0.3 ms" in labels
    assert len(labels) <= 5


def test_other_charts_show_the_facts_too() -> None:
    facts, found = numbers(UNDO), charts(LexborHTMLParser(page_of(UNDO)))

    spaces = cells(found["Writes and reads by tablespace"])
    undo = spaces["UNDOTBS1 undo"]
    assert undo[0].startswith(f"{facts['undo.tablespace_writes']:,.0f} · ")
    assert undo[0].endswith(f"{facts['undo.tablespace_write_pct']:.0f} %")
    causes = cells(found["Block writes of DBWR by cause"])
    assert float(causes["automatic tuning"][0]) == pytest.approx(
        facts["checkpoint.autotune_write_pct"], rel=1e-3
    )
    assert sum(float(value[0]) for value in causes.values()) == pytest.approx(100, abs=0.1)
    marks = [text(node) for node in found["Recovery time and its bounds"].css("em")]
    assert f"estimated now {facts['checkpoint.estimated_mttr_s']:.0f} s" in marks


def test_the_line_of_a_threshold_is_where_the_policy_puts_it() -> None:
    policy = Policy({"redo.slow_write_ms": 3.0})
    shown = api.exhibits(samples.report(REDO), samples.analysis(REDO), policy)
    writes = next(each for each in shown.latencies if each.event == "log file parallel write")
    limit = next(mark for mark in writes.marks if mark.kind == "threshold")

    assert limit.ms == pytest.approx(3 + numbers(REDO)["redo.bytes_per_write"] / 200_000)
    assert "redo.slow_write_ms = 3 ms" in limit.says


# their axes


def test_charts_of_redo_share_their_horizontal_axis() -> None:
    found = charts(LexborHTMLParser(page_of(UNDO)))
    writes, commits = (
        [(text(tick), tick.attributes["style"]) for tick in found[title].css(".xtick")]
        for title in ("log file parallel write: waits by duration",
                      "log file sync: waits by duration")
    )  # fmt: skip
    assert writes == commits
    assert len(writes) > 2


def test_an_axis_is_logarithmic_if_its_values_range_over_more_than_two_decades() -> None:
    assert isinstance(scaled([1, 100]), Linear)
    assert isinstance(scaled([0, 5, 90]), Linear)
    wide = scaled([0, 3, 301])
    assert wide == Log(1, 1000)
    assert [tick.label for tick in wide.ticks()] == ["1", "10", "100", "1,000"]


@pytest.mark.parametrize("name", [REDO, UNDO])
def test_every_axis_of_numbers_has_its_unit(name: str) -> None:
    tree = LexborHTMLParser(page_of(name))
    for figure in tree.css("figure:has(.plot)"):
        assert text(figure.css_first(".xlabel"))
        if not figure.css_first(".flat"):
            assert text(figure.css_first(".ylabel"))


# savings


def device(title: str, **parts: float) -> DeviceMark:
    """A storage type that saves some per cent of a DB time of 1000 s."""
    savings = tuple(Saving(part, pct * 10, pct) for part, pct in parts.items())
    return DeviceMark(title, title, 1.0, 1.0, savings, sum(parts.values()))


def test_savings_go_right_of_zero_and_costs_left_of_it_the_largest_saving_first() -> None:
    shown = Exhibits(
        devices=(device("slow", redo=-4.0, temp=1.0), device("fast", redo=6.0)),
        present=(("redo write", 2.0),), noticed_pct=1.0,
    )  # fmt: skip
    (found,) = page_charts.placed(shown, {}, ()).others

    assert [row["title"] for row in found["rows"]] == ["fast", "present storage", "slow"]
    assert (found["zero"], found["nought"]) == ("40.00", "0")  # from -4 % to +6 %
    fast, now, slow = found["rows"]
    assert fast["parts"] == [("redo", "40.00", "60.00")]
    assert slow["parts"] == [("redo", "0.00", "40.00"), ("temp", "40.00", "10.00")]
    assert (fast["pct"], slow["pct"]) == ("6 %", "−3 %")
    assert now["times"] == "redo write 2 ms"
    assert found["parts"] == ["redo", "temp"]


def test_labels_of_an_axis_do_not_cover_each_other() -> None:
    far = Exhibits(devices=(device("slow", redo=-94.0), device("fast", redo=6.0)), noticed_pct=1)
    (found,) = page_charts.placed(far, {}, ()).others

    assert (found["low"], found["nought"], found["high"]) == ("−94 %", "", "6 %")


def test_storage_on_which_lgwr_cannot_keep_up_is_named_last_without_a_bar() -> None:
    slow = device("slow")._replace(pct_db_time=None, overrun=True)
    shown = Exhibits(devices=(slow, device("fast", redo=6.0)), noticed_pct=1.0)
    (found,) = page_charts.placed(shown, {}, ()).others

    assert [row["title"] for row in found["rows"]] == ["fast", "present storage", "slow"]
    assert found["rows"][-1]["pct"] == "too slow"
    assert found["rows"][-1]["parts"] == []
    assert found["low"] == ""


def test_there_are_at_most_five_bars_of_savings_and_equal_ones_are_one() -> None:
    equal = [device(f"flash {n}", redo=37.04 - n / 100) for n in range(9)]
    disks = device("disks", redo=15.0)
    (found,) = page_charts.placed(
        Exhibits(devices=(*equal, disks), present=(("redo write", 440.0),), noticed_pct=1.0), {}, ()
    ).others

    assert ["9 types: flash 0 to flash 8", "disks", "present storage"] == [
        row["title"] for row in found["rows"]
    ]
    assert ["37 %", "15 %", "0 %"] == [row["pct"] for row in found["rows"]]
    many = tuple(device(f"type {n}", redo=90.0 - 5 * n) for n in range(10))
    late = tuple(device(f"late {n}")._replace(pct_db_time=None, overrun=True) for n in range(3))
    (found,) = page_charts.placed(Exhibits(devices=(*many, *late), noticed_pct=1.0), {}, ()).others
    *bars, now, slow = [row["title"] for row in found["rows"]]

    assert ["type 0", "type 1", "type 2", "type 3", "type 9"] == bars
    assert ("present storage", "late 0, late 1 and late 2") == (now, slow)


def test_savings_that_nobody_notices_are_one_sentence() -> None:
    shown = Exhibits(devices=(device("fast", redo=0.4), device("slow", redo=-30.0)), noticed_pct=1)
    (found,) = page_charts.placed(shown, {}, ()).others

    assert found["text"] == (
        "No storage type would save 1 % of DB time: the most is 0.4 % (fast); "
        "the slowest would cost 30 %."
    )


# charts that would say nothing


def test_a_sum_of_one_part_and_a_curve_of_another_system_are_not_drawn() -> None:
    name = "redo-disk.statspack-9.2.lst"
    found = charts(LexborHTMLParser(page_of(name)))

    assert "Commit time by cause" not in found
    assert "Writes by recovery target" not in found
    assert api.exhibits(samples.report(name), samples.analysis(name)).curve is None


def test_waits_that_are_all_in_one_bucket_are_not_drawn() -> None:
    two = (Bucket(0, 1, 40.0), Bucket(1, 2, 60.0))
    one = (Bucket(0, 1, 100.0), Bucket(1, 2, 0.0))
    found = histograms(
        (Latencies("log file sync", one, 1), Latencies("log file parallel write", two, 2))
    )

    assert [event for event, _ in found] == ["log file parallel write"]


def test_one_tablespace_is_not_drawn_and_the_idle_ones_are_one_row() -> None:
    busy = TablespaceIO("BUSY", 1.0, 9_000.0, 0.5, "")
    idle = [TablespaceIO(f"IDLE{n}", 0.0, 1.0, 0.5, "") for n in range(5)]
    temp = TablespaceIO("TEMP", 0.0, 1.0, 0.5, "temp")

    assert page_charts.placed(Exhibits(tablespaces=(busy,)), {}, ()).others == []
    (found,) = page_charts.placed(Exhibits(tablespaces=(busy, *idle, temp)), {}, ()).others
    assert [row["name"] for row in found["rows"]] == ["BUSY", "TEMP", "5 others"]


def test_a_number_that_rounds_to_a_thousand_has_three_digits_too() -> None:
    assert ["999", "1,000", "1,000"] == [short(999.4), short(999.9), short(1000.4)]
