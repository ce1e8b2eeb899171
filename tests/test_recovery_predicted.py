"""What a crash would cost: both passes, brown-out, availability, and whether a buddy pays."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
import samples
from click.testing import CliRunner
from test_alert_logs import FOLDER, found

from awrlens import api, cli
from awrlens.cli import schema
from awrlens.lab import alert_log, buddy, predict, recovery_page
from awrlens.lab.buddy import Range
from awrlens.model import Analysis, Fact, Status
from awrlens.render import as_lines
from awrlens.render.blocks import Table
from awrlens.rules.base import HEADINGS

GB = 2**30
SAMPLE = samples.path("redo-disk.awr-19c.html")


def facts(**values: float | str | None) -> Mapping[str, Fact]:
    """The facts of a 19c sample with others in their place; None is not printed."""
    changed = dict(api.facts_of(samples.report("redo-disk.awr-19c.html")))
    for name, value in values.items():
        name = name.replace("__", ".")  # noqa: PLW2901 - a keyword has no dot
        status: Status = "unavailable" if value is None else "measured"
        note = "section Instance Recovery Stats is not in the report" if value is None else ""
        changed[name] = changed[name]._replace(value=value, status=status, note=note)
    return changed


def predicted(
    gigabytes: float | None = 1.5, *, rac: bool = True, log: alert_log.Episodes | None = None,
    ask: tuple[float, float | None] = (1.0, None), **values: float | str | None,
) -> Analysis:  # fmt: skip
    blocks = None if gigabytes is None else gigabytes * GB / 512
    # the estimate of the sample is for its own redo
    values = {f"checkpoint__estimated_{name}": None
              for name in ("mttr_s", "mttr_low_s", "mttr_high_s", "ios")} | values  # fmt: skip
    known = facts(
        checkpoint__actual_redo_blocks=blocks, checkpoint__target_redo_blocks=blocks,
        checkpoint__log_size_redo_blocks=blocks, **values,
    )  # fmt: skip
    identity = samples.report("redo-disk.awr-19c.html").identity.to_dict()
    identity["rac"] = rac
    return predict.predict(known, identity, log, *ask)


def recovery(analysis: Analysis) -> Any:
    assert analysis.recovery is not None
    return analysis.recovery


def parts(analysis: Analysis) -> dict[str, Any]:
    return {each["name"]: each for each in recovery(analysis)["parts"]}


def part(analysis: Analysis, name: str) -> Any:
    return parts(analysis)[name]


def within(analysis: Analysis, name: str, seconds: float) -> bool:
    """Whether a measured time lies in the predicted range."""
    each = part(analysis, name)
    return bool(each["low"] - 0.001 <= seconds <= each["high"] + 0.001)


def answer(analysis: Analysis) -> str:
    return str(recovery(analysis)["buddy"]["answer"])


@pytest.mark.parametrize(("gigabytes", "without", "with_"), [(11.5, 130, 1), (1.5, 20, 3)])
def test_the_first_passes_of_document_2_are_in_the_predicted_ranges(
    gigabytes: float, without: float, with_: float
) -> None:
    analysis = predicted(gigabytes)

    assert within(analysis, "first_pass_s", without)
    assert within(analysis, "first_pass_with_buddy_s", with_)
    assert within(analysis, "brown_out_s", without)
    assert "worth it" == answer(analysis)


def test_the_whole_recoveries_of_document_2_are_in_the_predicted_ranges() -> None:
    analysis = predicted(1.5)

    assert within(analysis, "recovery_s", 48)
    assert within(analysis, "recovery_with_buddy_s", 29)


def test_the_default_rates_are_what_document_2_measured() -> None:
    first = part(predicted(11.5), "first_pass_s")

    assert 130 == pytest.approx(first["low"], rel=0.001)
    assert 11.5 * 1024 / (1.5 * 1024 / 20) == pytest.approx(first["high"])
    assert "Buddy Instance" in first["source"]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ((10.0, 3.1, 20.0), "worth it"),
        ((10.0, 3.0, 20.0), "may be worth it"),
        ((2.0, 1.0, 3.1), "may be worth it"),
        ((2.0, 1.0, 3.0), "not worth it"),
    ],
)
def test_a_buddy_is_worth_it_where_it_would_scan(
    seconds: tuple[float, float, float], expected: str
) -> None:
    advice = buddy.advise(facts(), Range(*seconds), rac=True)

    assert expected == advice.answer


def test_a_buddy_makes_no_pass_longer() -> None:
    advice = buddy.advise(facts(), Range(1.5, 1.2, 3.5), rac=True)

    assert advice.first_pass is not None
    assert (1.5, 1.0, 3.0) == advice.first_pass[:3]


@pytest.mark.parametrize(
    ("release", "rac", "expected"),
    [
        ("12.2.0.1.0", True, "worth it"),
        ("12.1.0.2.0", True, "not applicable"),
        ("9.2.0.8.0", True, "not applicable"),
        ("23.0.0.0.0", True, "worth it"),
        ("19.0.0.0.0", False, "not applicable"),
        (None, True, "not applicable"),
    ],
)
def test_a_buddy_needs_12_2_and_a_cluster(release: str | None, rac: bool, expected: str) -> None:
    analysis = predicted(11.5, rac=rac, database__release=release)

    assert expected == answer(analysis)
    assert "no-benefit" == analysis.recommendations[0].status or "worth it" == expected


def test_hidden_parameters_are_never_set_and_always_named_hidden() -> None:
    (item,) = predicted(11.5).recommendations

    assert "hidden" in item.action
    assert all(command.startswith("SELECT") for command in item.commands)
    assert "ALTER" not in json.dumps(item.to_dict())
    assert "hidden" in " ".join(buddy.RECO001.page.values())


def test_the_buffers_that_keep_pace_are_those_of_4_mb_each_3_s() -> None:
    advice = buddy.advise(facts(redo__bytes_per_s=40 * 2**20), Range(9, 9, 9), rac=True)

    assert 30 == advice.read_buffers  # 40 MB/s in 3 s by 4 MB


def test_a_single_instance_is_down_for_all_its_parts() -> None:
    analysis = predicted(rac=False)
    names = ("fixed_s", "first_pass_s", "second_pass_s")

    for which in ("value", "low"):
        assert sum(part(analysis, name)[which] for name in names) == pytest.approx(
            part(analysis, "downtime_s")[which]
        )
    assert part(analysis, "downtime_s")["high"] > part(analysis, "downtime_s")["value"]
    assert "brown_out_s" not in parts(analysis)


def test_availability_is_what_a_year_of_failures_leaves() -> None:
    analysis = predicted(rac=False, ask=(12, None))
    down = part(analysis, "downtime_s")["value"]

    assert 12 * down == pytest.approx(part(analysis, "downtime_per_year_s")["value"])
    left = 100 * (1 - 12 * down / (365.25 * 86400))
    assert left == pytest.approx(part(analysis, "availability_pct")["value"])
    assert part(analysis, "availability_pct")["low"] < left


def test_no_failure_is_no_downtime() -> None:
    assert 100 == part(predicted(ask=(0, None)), "availability_pct")["value"]


def test_rates_of_an_alert_log_take_the_place_of_the_documents() -> None:
    log = found("10g.log")
    analysis = predicted(1.5, rac=False, log=log)

    # 512 MB in 10 s; 20,000 blocks in 25 s are the slower way to compute the second pass or not
    assert 30 == pytest.approx(part(analysis, "first_pass_s")["value"])
    assert "alert log, 1 recovery" in part(analysis, "first_pass_s")["source"]
    names = ("startup_s", "file_open_s", "fixed_s")
    assert (10, 7, 17) == tuple(part(analysis, name)["value"] for name in names)


def test_the_second_pass_is_computed_by_redo_and_by_blocks_and_the_slower_counts() -> None:
    log = found("10g.log")
    few = predicted(0.5, rac=False, log=log, checkpoint__estimated_ios=100)
    many = predicted(0.5, rac=False, log=log, checkpoint__estimated_ios=80000)

    assert 25 == pytest.approx(part(few, "second_pass_s")["value"])
    assert 100 == pytest.approx(part(many, "second_pass_s")["value"])
    assert "80,000 data blocks / 800 per second" in part(many, "second_pass_s")["formula"]


def test_detection_and_a_measured_reconfiguration_are_in_the_brown_out() -> None:
    """30 s of misscount, or none if only the instance fails; 3 s by the alert log."""
    analysis = predicted(0.01, log=found("11g-rac.log"))
    first, brown_out = part(analysis, "first_pass_s"), part(analysis, "brown_out_s")

    assert part(analysis, "reconfiguration_s")["source"] == "alert log"
    assert brown_out["value"] == pytest.approx(30 + 3 + first["value"])
    assert brown_out["low"] == pytest.approx(3)  # a first pass of less than 1 s may overlap
    assert brown_out["high"] == pytest.approx(30 + 3 + first["high"])
    assert "including 30 s to detect a failed node" in recovery(analysis)["headline"]
    worth = predicted(11.5, log=found("11g-rac.log"))
    assert 3 == part(worth, "brown_out_with_buddy_s")["low"]


def test_without_a_log_the_reconfiguration_is_an_assumption() -> None:
    each = part(predicted(11.5), "reconfiguration_s")

    assert (3, 0, 9) == (each["value"], each["low"], each["high"])
    assert "an assumption" in each["source"]
    assert "reconfiguration_s" not in parts(predicted(11.5, rac=False))


def test_a_report_without_recovery_stats_predicts_nothing_unless_a_log_tells() -> None:
    without = predicted(None)
    told = predicted(None, log=found("19c-rac.log"))

    assert None is part(without, "first_pass_s")["value"]
    assert "unavailable" == without.facts["recovery.first_pass_s"].status
    assert "cannot be predicted" in recovery(without)["headline"]
    assert "not known" == answer(without)
    assert 3 == pytest.approx(part(told, "first_pass_s")["value"], rel=0.01)


def test_what_is_desired_is_held_against_the_range() -> None:
    def said(desired: float) -> str:
        return str(recovery(predicted(ask=(1, desired)))["headline"])

    # 20 s of first pass, 9 s of reconfiguration and 30 s of detection at most
    assert "Even the maximum meets the desired 59 s" in said(59)
    assert "The range includes the desired 58.9 s" in said(58.9)
    assert "Even the minimum exceeds the desired 16 s" in said(16)


def test_start_up_takes_no_longer_than_the_lowest_estimate_of_both_snapshots() -> None:
    """3,000 dirty blocks leave 13 of 20 s; the begin snapshot was estimated at 8 s."""
    analysis = predicted(
        0.0001, rac=False, checkpoint__estimated_mttr_s=20, checkpoint__estimated_mttr_low_s=8,
        checkpoint__estimated_mttr_high_s=20, checkpoint__estimated_ios=3000,
    )  # fmt: skip
    fixed = part(analysis, "fixed_s")

    assert 8 == fixed["value"] == fixed["high"]
    assert "ESTIMATED_MTTR" in fixed["source"]
    span = tuple(part(analysis, "downtime_s")[end] for end in ("low", "high"))
    assert pytest.approx((8, 20), abs=0.001) == span


def test_a_prediction_names_oracle_as_its_source_and_a_range_only_if_it_is_one() -> None:
    """Phases of 7.5 to 8 s and of 0 to 12 s are not 20 to 20 s."""
    known = predicted(
        0.0001, rac=False, checkpoint__fixed_mttr_s=8.0,
        checkpoint__estimated_mttr_s=20, checkpoint__estimated_ios=3000,
    )  # fmt: skip
    report = str(samples.path("redo-disk.awr-11.2.txt"))  # start-up is not known apart
    unknown = CliRunner().invoke(cli.cli, ["recovery", "predict", report]).stdout

    said = recovery(known)["headline"]
    assert re.search(r"for about 20 s \(Oracle's estimate; by phases \d+ to \d+ s\)\.$", said)
    low, high = (part(known, "downtime_s")[end] for end in ("low", "high"))
    lows = [part(known, f"{name}_s")["low"] for name in ("fixed", "first_pass", "second_pass")]
    assert low <= sum(each or 0.0 for each in lows) < 20 <= (high or 0.0)
    assert "for about 19 s (Oracle's estimate; 14 to 19 s)." in " ".join(unknown.split())


def test_there_is_one_availability_with_the_failures_that_it_assumes() -> None:
    analysis = predicted(ask=(2.0, None))
    text = "".join(
        "".join(span.text for span in line) + "\n"
        for line in as_lines.lines(recovery_page.page(analysis), 120)
    )

    (row,) = [line for line in text.splitlines() if "availability (" in line]
    assert re.search(r"availability \(2 failures per year\) +99\.\d+ %$", row)


@pytest.mark.parametrize(("fixed", "seconds"), [(None, 165), (20.0, 165)])
def test_oracles_own_estimate_lies_in_the_range(fixed: float | None, seconds: float) -> None:
    analysis = predicted(
        0.05, rac=False, checkpoint__estimated_mttr_s=seconds, checkpoint__fixed_mttr_s=fixed,
        checkpoint__estimated_mttr_low_s=seconds, checkpoint__estimated_mttr_high_s=seconds,
    )  # fmt: skip

    assert within(analysis, "downtime_s", seconds)
    assert part(analysis, "downtime_s")["high"] < 1.1 * seconds


def test_what_the_advisory_leaves_of_the_estimate_is_spent_on_blocks() -> None:
    analysis = predicted(
        0.05, rac=False, checkpoint__estimated_mttr_s=165, checkpoint__fixed_mttr_s=20
    )
    passes = (part(analysis, name)["value"] for name in ("first_pass_s", "second_pass_s"))

    assert 145 == pytest.approx(sum(passes))
    assert 165 == pytest.approx(part(analysis, "downtime_s")["value"])


def test_a_buddy_that_would_not_scan_is_not_counted() -> None:
    assert not [name for name in parts(predicted(0.05)) if "buddy" in name]


@pytest.mark.parametrize("rac", [True, False])
def test_a_prediction_fits_the_schema(rac: bool) -> None:
    jsonschema.validate(samples.document(predicted(rac=rac)), schema.of_analysis())


def test_the_command_prints_parts_ranges_and_sources() -> None:
    done = CliRunner().invoke(
        cli.cli,
        ["recovery", "predict", str(SAMPLE), "-v", "--alert-log", str(FOLDER / "10g.log")],
        standalone_mode=False,
    )

    assert "The database would be down for about" in done.stdout
    assert "alert log, 1 recovery" in done.stdout
    assert "document 2" not in done.stdout  # sources have their titles


def test_what_is_no_alert_log_is_a_mistake() -> None:
    assert 2 == cli.run(["recovery", "predict", str(SAMPLE), "--alert-log", str(SAMPLE)])


def test_the_rule_has_a_page_with_all_headings() -> None:
    done = CliRunner().invoke(cli.cli, ["rule", "RECO001", "-f", "json"], standalone_mode=False)
    page = json.loads(done.stdout)

    assert ("RECO001", "buddy-instance") == (page["id"], page["name"])
    assert list(HEADINGS) == list(page["page"])
    assert "Buddy Instance" in page["page"]["Sources"]


def test_a_log_that_its_clock_cannot_time_keeps_the_default_rate() -> None:
    body = (FOLDER / "10g.log").read_text(encoding="utf-8").replace("11:05:22", "11:05:12")
    slow = body.replace("1048576 redo blocks", "2048 redo blocks")
    log = alert_log.assemble(alert_log.read(slow))

    assert "Exadata" in part(predicted(1.5, log=log), "first_pass_s")["source"]


def test_a_time_that_differs_from_the_one_of_mttr_says_what_each_is_for() -> None:
    pages = {
        command: " ".join(
            CliRunner().invoke(cli.cli, [*command.split(), str(SAMPLE), "-v"]).output.split()
        )
        for command in ("mttr", "recovery predict")
    }

    assert "awrlens recovery predict is for a crash at the end snapshot" in pages["mttr"]
    assert "a crash at the end snapshot" in pages["recovery predict"]
    assert "is for the average load of the interval" in pages["recovery predict"]


def locked(seconds: float) -> Analysis:
    """A thousand active sessions for an hour, which wait so long for row locks."""
    return predicted(
        1.5, rac=False, load__db_time_s=3_600_000.0, load__elapsed_s=3_600.0,
        load__transactions_per_s=9.0, load__row_lock_wait_s=seconds,
    )  # fmt: skip


def test_a_rollback_is_not_estimated_from_sessions_that_wait_for_locks() -> None:
    waiting, busy = (part(locked(seconds), "rollback_s") for seconds in (3_492_000.0, 0.0))

    assert (None, "97 % of sessions wait for locks") == (waiting["value"], waiting["note"])
    assert busy["value"] == pytest.approx(1_000 / 9 / 2 * 1_000)


def test_what_is_not_known_is_one_row_and_hours_are_hours() -> None:
    blocks = recovery_page.page(locked(0.0)).blocks
    table = next(e for e in blocks if isinstance(e, Table) and e.label == "Estimates")
    cells = {row.cells[0]: row.cells[1] for row in table.rows}

    assert "start-up of the instance" not in cells
    assert "start-up and opening of the files" in cells
    assert " h" in cells["rollback of transactions (after the database is open)"]
