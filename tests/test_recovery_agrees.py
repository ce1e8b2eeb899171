"""The commands about recovery agree: one split of Oracle's estimate, and no time above a limit."""

from __future__ import annotations

import json
import math
import re
from itertools import pairwise
from typing import Any

import called
import corpus
import pytest
import samples

from awrlens import api
from awrlens.advice.mttr import Request
from awrlens.advice.recovery_split import split_of
from awrlens.advice.write_model import lowest_target_s, of_report, system_of
from awrlens.errors import UsageError
from awrlens.lab import mttr_command, predict, recovery_page
from awrlens.lab.advisor import Advice
from awrlens.lab.buddy import YEAR_S, as_known
from awrlens.lab.crash_test import lowest_of
from awrlens.model import Analysis
from awrlens.oracle.checkpoints import CONTRADICT
from awrlens.render.blocks import Bars, Table
from awrlens.units import show

REAL = corpus.over("statspack-text", "awr-text", "awr-html")


def run(*args: str, given: str | None = None) -> Any:
    status, out, err = called.call(*args, "-f", "json", given=given)
    assert 0 == status, err
    return json.loads(out)


def text(*args: str, given: str | None = None) -> str:
    _, out, err = called.call(*args, given=given, COLUMNS="200")
    return " ".join(f"{out} {err}".split())


def paper(estimate_s: int = 650) -> str:
    """The case of the paper: a target of 900 s, and redo log size keeps the estimate at 650 s."""
    found = samples.path("redo-accelerator.awr-11.2.txt").read_text(encoding="utf-8")
    for old, new in (
        (
            "E    71    61    19402    71288    71310",
            f"E   900   {estimate_s}    19402    92100    92160",
        ),
        ("B    71    58", f"B   900   {estimate_s}"),
        ("fast_start_mttr_target        30", "fast_start_mttr_target        900"),
    ):
        assert old in found
        found = found.replace(old, new)
    return found


def test_a_target_of_900_with_an_estimate_of_650_names_the_redo_log_size() -> None:
    found = run("mttr", "-", given=paper())
    point = next(each for each in found["points"] if each["target_s"] == 900)

    assert 650 == pytest.approx(point["recovery_most_s"], rel=0.005)
    assert "log size" == point["limit"]
    said = text("mttr", "-", given=paper())
    assert "A target of 900 s means a recovery of at most 650 s (limited by: log size)" in said
    assert "at most 900 s" not in said
    assert "CKPT006" in text("analyze", "-", given=paper())


def test_stricter_targets_than_the_log_size_allows_are_met_down_to_the_lowest() -> None:
    """1,000 dirty blocks are 61.3 s, not 645; MTTR Advisory prints 71 s as its lowest target."""
    found = run("mttr", "-", given=paper())
    rows = {each["target_s"]: each for each in found["points"]}

    assert 71 == min(target for target in rows if target) == found["strictest_s"]
    for target_s in (71, 90, 120, 180, 240, 300, 600):
        row = rows[target_s]
        assert "target" == row["limit"]
        assert target_s == pytest.approx(row["recovery_most_s"])
    assert "lowest target 71 s: by MTTR Advisory;" in text("mttr", "-", "-v", given=paper())


def test_without_a_report_an_estimate_below_the_target_is_an_upper_bound_of_something_else() -> (
    None
):
    said = text("mttr", "--desired-mttr", "900", "--estimated-mttr", "650")

    assert "ESTIMATED_MTTR is 650 s, below 900 s: the load, or another limit (redo log size" in said
    assert "which Oracle does not reset" in said
    assert "ESTIMATED_MTTR is" not in text(
        "mttr", "--desired-mttr", "600", "--estimated-mttr", "650"
    )


def test_the_four_commands_print_the_same_split() -> None:
    """28 s of a report whose MTTR Advisory shows start-up: 71 s for 1,000 blocks, and more."""
    path = str(samples.path("redo-accelerator.awr-11.2.txt"))
    words = split_of(samples.analysis("redo-accelerator.awr-11.2.txt").facts).words

    assert words.startswith("Oracle's estimate of 61 s is split into ")
    for args in (
        ["mttr", path], ["analyze", path, "--verbose"], ["recovery", "predict", path],
        ["recovery", "plan", path, "--desired-mttr", "90"],
    ):  # fmt: skip
        assert words.rstrip(".") in text(*args), args


def test_without_start_up_the_lowest_target_is_null_and_never_recommended() -> None:
    """6.4 s for 1,000 dirty blocks; 14 s of the estimate may be start-up."""
    path = str(samples.path("redo-disk.awr-11.2.txt"))
    found = run("analyze", path, "--desired-mttr", "5")["verdicts"]

    assert (None, None) == (found["fast_start_mttr_lowest_s"], found["fast_start_mttr_target_s"])
    said = text("mttr", path, "--desired-mttr", "5")
    assert (
        "lowest achievable target is at least 7 s for 1,000 dirty blocks, without start-up" in said
    )
    assert "=7 SCOPE" not in said
    # above that bound it is open, and up to 14 s only a measurement of start-up answers it
    above = text("mttr", path, "--desired-mttr", "12")
    assert "Whether 12 s can be met is not known: start-up and opening of the files" in above
    assert "=12 SCOPE" not in above
    assert "=15 SCOPE" in text("mttr", path, "--desired-mttr", "15")


def test_an_estimate_that_dirty_blocks_cannot_explain_is_no_cost_of_them() -> None:
    """225 s with 1,194 and 460 s with 567 dirty blocks: nearly all of it is not for blocks."""
    facts = dict(samples.analysis("redo-disk.awr-11.2.txt").facts)
    for name, value in {
        "checkpoint.estimated_mttr_s": None, "checkpoint.estimated_mttr_low_s": 225.0,
        "checkpoint.estimated_mttr_high_s": 460.0, "checkpoint.estimated_ios": 567.0,
    }.items():  # fmt: skip
        facts[name] = facts[name]._replace(value=value, note=CONTRADICT)
    preset = of_report(facts, "it", None)
    system = system_of(facts, preset)

    assert ("not known", None) == (split_of(facts).by, split_of(facts).fixed_s)
    assert 1 > lowest_target_s(preset.load, preset.rates)
    now_s = (preset.load.lag_bytes or 0.0) / preset.load.redo_bytes_per_s
    assert 460 == pytest.approx(system.cache_s(now_s))
    assert 470 > system.cache_s(2 * now_s)  # twice the redo has no second start-up
    assert "the rest of the estimate for start-up and opening" in preset.note


def test_only_what_the_report_lacks_is_called_assumed() -> None:
    facts = dict(samples.analysis("redo-disk.awr-11.2.txt").facts)
    assert "recovery scans 83 and applies 57 MB" in of_report(facts, "it", None).note

    available = "checkpoint.rac_available_s"  # the time of the first pass: 45 MB in 9 s
    facts[available] = facts[available]._replace(value=9.0, status="measured", note="")
    assert "recovery applies 57 MB" in of_report(facts, "it", None).note


def test_a_prediction_with_the_estimate_of_a_cluster_uses_it() -> None:
    """Oracle's own estimate of when the cluster is available: 17 s, where 83 MB/s are 0.5 s."""
    facts = dict(api.facts_of(samples.report("redo-disk.awr-19c.html")))
    name = "checkpoint.rac_available_s"
    facts[name] = facts[name]._replace(value=17.0, status="measured", note="")
    identity = samples.report("redo-disk.awr-19c.html").identity.to_dict()
    identity["rac"] = True
    found = predict.predict(facts, identity)
    assert found.recovery is not None
    parts = {each["name"]: each for each in found.recovery["parts"]}

    assert 17 == parts["first_pass_s"]["value"]
    assert "Estd RAC Avail Time" in parts["first_pass_s"]["source"]
    assert 17 == pytest.approx(split_of(facts).read_s)
    said = " ".join(note.message for note in found.warnings)
    assert (
        "available again 17 s after this instance fails (Estd RAC Avail Time); the published"
        in said
    )
    assert "83 MB/s would read the redo in 0.54 s" in said
    assert "the prediction of 50 s is these 17 s, 30 s to detect a failed node and 3 s to" in said
    assert "frozen for about 50 s" in found.recovery["headline"]


def test_a_range_has_the_digits_that_are_known() -> None:
    """0.03 to 45 s is 0 to 45 s; 40 s a year are four digits behind the point."""
    said = text("recovery", "predict", str(samples.path("redo-cluster-1.awr-11.2.html")))
    spans = re.findall(r"([\d.]+) (ms|s) to ([\d.]+) s", said)

    assert spans
    for low, unit, high in spans:
        if float(high) >= 10:
            assert "ms" != unit, (low, high)
    assert not re.search(r"99\.\d{6,} %", said)


@pytest.mark.parametrize(
    ("known", "shown"),
    [
        ((1.59, 0.2, 580.0), (1.6, 0, 580)),  # not 0 s (0 to 580)
        ((9.0, 9.0, 588.0), (9, 9, 590)),
        ((15.98, 15.98, 127.0), (16, 16, 130)),
        ((74.6, 41.8, 231.0), (75, 42, 230)),
        ((16.9, 16.9, 119.0), (17, 17, 120)),
        ((148.0, 36.7, 340.0), (148, 37, 340)),
        ((19_655.0, 313.0, 39_310.0), (20_000, 300, 39_000)),
        ((0.019, 0.017, 32.0), (0.019, 0, 32)),
        ((0.417, 0.384, 0.453), (0.42, 0.38, 0.45)),
    ],
)
def test_an_estimate_survives_rounding_and_lies_in_its_range(
    known: tuple[float, float, float], shown: tuple[float, float, float]
) -> None:
    assert shown == as_known(*known)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        ((9.0, 588.0, 9.0), (99.99997, 99.998, 99.99997)),
        ((33.1, 40.4, 0.09), (99.9999, 99.9999, 99.99999)),
        ((0.0, 40.4, 0.0), (100, 99.9999, 100)),
        ((19.0, 19.0, 19.0), (99.99994, 99.99994, 99.99994)),  # 0.00006 % of a year
    ],
)
def test_the_availability_is_100_percent_only_without_any_outage(
    seconds: tuple[float, ...], shown: tuple[float, ...]
) -> None:
    value, low, high = (100 * (1 - each / YEAR_S) for each in seconds)

    assert shown == as_known(value, low, high, percent=True)


# over all real reports


def advised(entry: corpus.Entry, desired_s: float | None = None) -> tuple[Advice, Analysis]:
    try:
        return mttr_command.advised(str(entry.path), None, Request(desired_s))
    except UsageError as refused:
        pytest.skip(str(refused))


@pytest.mark.corpus
@REAL
def test_recovery_grows_with_the_target_and_never_exceeds_a_limit(entry: corpus.Entry) -> None:
    found, _ = advised(entry)
    rows = [row for row in found.rows if row.state.target_s]
    limits = {each.name: each for each in found.limits}

    for strict, lax in pairwise(rows):
        assert strict.state.recovery_s <= lax.state.recovery_s * 1.0001, strict.cost
    for row in found.rows:
        state = row.state
        for limit in limits.values():
            if limit.bound == "at most":
                assert state.recovery_s <= limit.recovery_s * 1.0001, (row.cost, limit)
        if row.hypothetical:
            assert state.limit != "target"
        if row.unknown:
            assert ("not known", None) == (row.bears, row.to_dict()["recovery_most_s"])
            assert "is not known: Oracle's estimate is now" in row.cost
        elif state.limit == "target":
            assert state.target_s == pytest.approx(state.recovery_s, abs=0.6)
        elif state.target_s and row.bound != "at least":
            assert state.recovery_s <= state.target_s + 0.6, row.cost
        if state.limit in limits and not state.present:
            assert limits[state.limit].recovery_s == pytest.approx(state.recovery_s, rel=0.005)


@pytest.mark.corpus
@REAL
def test_every_estimate_is_one_number_on_the_page_and_in_its_range(entry: corpus.Entry) -> None:
    report = corpus.report(entry)
    if report.instances:
        pytest.skip("a cluster")
    found = predict.predict(api.facts_of(report), report.identity.to_dict())
    assert found.recovery is not None
    parts = {each["name"]: each for each in found.recovery["parts"]}
    for each in parts.values():
        value, low, high = (each[end] for end in ("value", "low", "high"))
        if value is None or low is None or high is None:
            continue
        percent = each["unit"] == "%"
        shown = as_known(value, low, high, percent=percent)
        assert shown[1] <= shown[0] <= shown[2], each
        assert bool(value) == bool(shown[0]), each
        if percent:
            assert (value < 100) == (shown[0] < 100), each
    blocks = recovery_page.page(found).blocks
    bars = [each for each in blocks if isinstance(each, Bars)]
    (table,) = (each for each in blocks if isinstance(each, Table))
    cells = {row.cells[1] for row in table.rows}
    for row in (row for each in bars for row in each.rows):
        assert {piece.shown for piece in row.pieces} <= cells
    down = parts["downtime_s"]
    if down["value"] is not None:
        number = as_known(down["value"], down["low"] or 0.0, down["high"] or 0.0)[0]
        assert f"for about {show(number)} s (" in found.recovery["headline"]


@pytest.mark.corpus
@REAL
def test_reading_is_called_all_of_a_recovery_only_where_it_takes_as_long(
    entry: corpus.Entry,
) -> None:
    found, _ = advised(entry)
    (reading,) = (each for each in found.limits if each.name == "redo read time")
    by_size = [each.recovery_s for each in found.limits if each.name == "log size"]

    if by_size and "all of the recovery" in reading.text:
        assert by_size[0] == pytest.approx(reading.recovery_s)


@pytest.mark.corpus
@REAL
def test_every_command_has_the_same_split_within_all_printed_estimates(
    entry: corpus.Entry,
) -> None:
    found, analysis = advised(entry)
    split, parts = found.split, found.to_dict()["parts"]
    low, high = (
        analysis.facts[f"checkpoint.estimated_mttr_{end}_s"].number for end in ("low", "high")
    )

    assert split == split_of(analysis.facts)
    assert (None if split.fixed_s is None else round(split.fixed_s, 3)) == parts["fixed_s"]
    if split.estimate_s is not None:
        assert low is not None
        assert high is not None
        assert split.included_s <= low
        assert split.fixed_high_s is None or split.fixed_high_s <= low
        assert low <= split.estimate_s <= high
        assert split.included_s + split.read_s + split.blocks_s == pytest.approx(split.estimate_s)
        if split.contradiction:
            assert split.estimate_s == high
    predicted = predict.predict(analysis.facts, analysis.report).recovery
    assert predicted is not None
    known = {each["name"]: each for each in predicted["parts"]}
    assert split.fixed_s == known["fixed_s"]["value"]
    if known["first_pass_s"]["value"] is None:
        return
    available_s = analysis.facts["checkpoint.rac_available_s"].number
    if available_s and "brown_out_s" in known:
        low, high = known["brown_out_s"]["low"], known["brown_out_s"]["high"]
        assert low is not None
        assert high is not None
        assert low <= available_s <= high
        assert available_s == known["first_pass_s"]["value"]
    elif not available_s:
        assert split.read_s == pytest.approx(known["first_pass_s"]["value"])
    assert split.blocks_s == pytest.approx(known["second_pass_s"]["value"])
    if split.estimate_s and "brown_out_s" not in known and split.by != "not included":
        down = known["downtime_s"]
        assert down["value"] == pytest.approx(split.estimate_s)
        assert sorted(each or 0 for each in (down["low"], low, high, down["high"])) == [
            down["low"], low, high, down["high"]
        ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.corpus
@REAL
def test_every_command_prints_the_same_split(entry: corpus.Entry) -> None:
    report = corpus.report(entry)
    facts = {} if report.instances else api.facts_of(report)
    words = split_of(facts).words.rstrip(".") if facts else ""
    if not words:
        pytest.skip("there is no estimate of Oracle")
    path, printed = str(entry.path), 0
    for args in (
        ["mttr", path], ["analyze", path, "--verbose"], ["recovery", "predict", path],
        ["recovery", "plan", path, "--desired-mttr", "90"],
    ):  # fmt: skip
        status, out, err = called.call(*args, COLUMNS="200")
        if 2 == status:  # no redo or no writes
            assert args[0] == "mttr" or args[1] == "plan", err
            continue
        assert words in " ".join(out.split()), args
        printed += 1
    assert printed >= 2


@pytest.mark.corpus
@REAL
def test_the_lowest_target_is_one_and_a_few_seconds_are_never_recommended(
    entry: corpus.Entry,
) -> None:
    for desired_s in (None, 1.0, 3.0):
        found, analysis = advised(entry, desired_s)
        lowest_is_one(found, analysis)


@pytest.mark.parametrize(
    "name", ["redo-accelerator.statspack-11.2.txt", "redo-accelerator.statspack-9.2.lst"]
)
def test_the_lowest_target_is_the_one_in_the_report_and_not_that_of_a_model(name: str) -> None:
    """TARGET_MTTR is 71 s with FAST_START_MTTR_TARGET=30: 17.9 + 18.6 s is the model's."""
    path = samples.path(name)
    (kept,) = re.findall(r"^E +(\d+) +61 ", path.read_text(encoding="utf-8"), re.MULTILINE)
    found, analysis = mttr_command.advised(str(path), None, Request(desired_mttr_s=5.0))

    lowest_is_one(found, analysis)
    lowest_s = analysis.verdicts.fast_start_mttr_lowest_s
    assert [kept] * 2 == [f"{lowest_of_the_limits(found):.0f}", str(lowest_s)]
    for args in (["mttr", str(path)], ["recovery", "plan", str(path), "--desired-mttr", "5"]):
        assert "36.5 s" not in text(*args), args
    assert f"lowest target {kept} s: by Instance Recovery Stats;" in text("mttr", str(path), "-v")
    assert f"lowest target that the instance can meet: {kept} s" in text(
        "recovery", "plan", str(path), "--desired-mttr", "5"
    )


def test_where_start_up_is_not_in_the_estimates_a_target_of_seconds_is_doubted() -> None:
    """Of 1,000 blocks 2.7 s are known: start-up may take the rest of 3 s, and more."""
    path = corpus.CORPUS / "awr-html_12.2.0.1.0-rac_02.html"
    if not path.exists():
        pytest.skip("the corpus is not here")
    said = text("mttr", str(path), "--desired-mttr", "3")

    assert "Measure start-up before FAST_START_MTTR_TARGET is set to 3" in said
    assert "A target of 3 s means a recovery of 3 s (without start-up)" in said
    assert "Whether 3 s can be met is not known: by an estimate from the load of the" in said
    assert "fast_start_mttr_target=3 " not in said


def test_a_what_if_and_a_plan_doubt_the_targets_that_the_table_doubts() -> None:
    path = str(samples.path("redo-disk.awr-11.2.txt"))
    least = "at least 7 s for 1,000 dirty blocks, without start-up and opening"
    assert least in text("whatif", path, "--mttr", "5")
    assert least in text("mttr", path, "--desired-mttr", "5")
    assert "dirty blocks" not in text("whatif", path, "--mttr", "60").partition("How each")[0]
    # with nothing but the seconds: an instance needs 5 and more to start
    for args in (["mttr"], ["recovery", "plan"]):
        assert "Start-up and opening of the files take at least 5 s, longer than 3 s." in text(
            *args, "--desired-mttr", "3"
        )
        assert "at least 5 s" not in text(*args, "--desired-mttr", "5")


def lowest_of_the_limits(found: Advice) -> float:
    (limit,) = (each for each in found.limits if each.name == "1,000 blocks")
    return limit.recovery_s


def lowest_is_one(found: Advice, analysis: Analysis) -> None:
    """The same in the table and the limits of `mttr`, in `analyze` and `recovery plan`."""
    verdicts, printed = analysis.verdicts, analysis.facts["checkpoint.lowest_mttr_s"].number
    planned = lowest_of(found, None, analysis.facts["checkpoint.lowest_mttr_s"])
    assert planned is not None
    assert planned.seconds == lowest_of_the_limits(found)
    known = bool(printed) or found.split.start_known
    assert known == (not planned.at_least)
    if printed:
        assert printed == lowest_of_the_limits(found)
    lowest_s = verdicts.fast_start_mttr_lowest_s
    assert lowest_s is None or (known and lowest_s == math.ceil(lowest_of_the_limits(found)))
    assert (
        not known
        or verdicts.fast_start_mttr_target_s is None
        or (verdicts.fast_start_mttr_target_s >= math.floor(lowest_of_the_limits(found)))
    )
    for seconds in (lowest_s, verdicts.fast_start_mttr_target_s):
        assert seconds is None or seconds >= 5
    strictest_s = found.to_dict()["strictest_s"]
    assert strictest_s is None or (
        found.split.by != "assumed" and strictest_s >= math.floor(lowest_of_the_limits(found))
    )
