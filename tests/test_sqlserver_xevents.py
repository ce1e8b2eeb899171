"""Extended Events of checkpoints: pairs become lengths, whatever the export looks like."""

from __future__ import annotations

import csv
import io
import json
from html import escape

import pytest
import samples
import sqlserver_logs as logs
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api, cli
from awrlens.errors import AwrlensError, UnreadableError
from awrlens.sqlserver import facts
from awrlens.sqlserver.analysis import LogInput
from awrlens.sqlserver.compare import compare
from awrlens.sqlserver.events import Log

#: Begin and end of two checkpoints: 121 s of database 19, and one of 90 ms of database 78 within.
TIMES = [
    ("begin", "2020-03-02T00:01:59.000", 19), ("begin", "2020-03-02T00:03:00.000", 78),
    ("end", "2020-03-02T00:03:00.090", 78), ("end", "2020-03-02T00:04:00.000", 19),
]  # fmt: skip


def event(what: str, time: str, database: int, name: str = "") -> str:
    action = (
        f'<action name="database_name" package="sqlserver"><type name="unicode_string" '
        f'package="package0"></type><value>{escape(name)}</value></action>'
        if name
        else ""
    )
    return (
        f'<event name="checkpoint_{what}" package="sqlserver" timestamp="{time}Z"><data '
        'name="database_id"><type name="uint32" package="package0"></type><value>'
        f"{database}</value></data>{action}</event>"
    )


def table(rows: list[list[str]], sign: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=sign, lineterminator="\n").writerows(rows)
    return out.getvalue()


def lengths(log: Log) -> dict[str, float]:
    return {each.database: each.seconds for each in log.checkpoints}


EXPORTS = {
    "events, one a line": "\n".join(event(*each) for each in TIMES),
    "ring buffer": f"<RingBufferTarget>{''.join(event(*e) for e in TIMES)}</RingBufferTarget>",
    "xml in cells": table([["object_name", "event_data"]]
                          + [[f"checkpoint_{each[0]}", event(*each)] for each in TIMES]),
    "escaped xml": escape("".join(event(*each) for each in TIMES), quote=False),
    "csv": table([["name", "timestamp", "database_id"]]
                 + [[f"checkpoint_{w}", t.replace("T", " "), str(d)] for w, t, d in TIMES]),
    "csv with semicolons": table(
        [["name", "timestamp", "timestamp (UTC)", "database_id"]]
        + [[f"checkpoint_{w}", "02.03.2020 09:00:00", t, str(d)] for w, t, d in TIMES], ";"),
    "tabs": table([["event_name", "timestamp_utc", "database_id"]]
                  + [[f"checkpoint_{w}", t, str(d)] for w, t, d in TIMES], "\t"),
    "newest first": table([["name", "timestamp", "database_id"]]
                          + [[f"checkpoint_{w}", t, str(d)] for w, t, d in reversed(TIMES)]),
}  # fmt: skip


@pytest.mark.parametrize("text", EXPORTS.values(), ids=EXPORTS)
def test_a_pair_is_a_checkpoint_in_every_export(text: str) -> None:
    log = logs.read(text)

    assert "sqlserver-xevents" == log.kind
    assert {"19": 121.0, "78": 0.09} == pytest.approx(lengths(log))
    assert not log.warnings


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_the_encoding_of_an_export_changes_nothing(encoding: str) -> None:
    assert lengths(logs.read(EXPORTS["csv"])) == lengths(logs.read(EXPORTS["csv"].encode(encoding)))


def test_an_event_stands_in_the_line_of_the_file_that_it_is_in() -> None:
    fact = facts.facts_of(logs.read(EXPORTS["csv"]))["sqlserver.checkpoint_max_s"]

    assert [2] == [item.line for item in fact.evidence]
    assert 121.0 == fact.value


def test_names_are_taken_from_the_action_with_what_xml_escapes() -> None:
    text = "".join(
        event(what, time, 19, "A & <b>") for what, time, database in TIMES if database == 19
    )

    assert "A & <b>" == logs.read(text).names.get("19")


def test_events_without_partner_make_no_checkpoint_and_are_told() -> None:
    rows = [("end", "2020-03-02T00:00:01", 19), *TIMES, ("begin", "2020-03-02T00:09:00", 19)]
    log = logs.read("".join(event(*each) for each in rows))

    assert 2 == len(log.checkpoints)
    assert ["2 events have no counterpart"] == [
        each.message.partition(":")[0] for each in log.warnings
    ]


def test_a_lost_end_does_not_join_two_checkpoints() -> None:
    rows = [("begin", "2020-03-02T00:00:00", 19), ("begin", "2020-03-02T00:10:00", 19),
            ("end", "2020-03-02T00:10:30", 19)]  # fmt: skip

    assert {"19": 30.0} == lengths(logs.read("".join(event(*each) for each in rows)))


def test_what_events_do_not_tell_is_not_zero() -> None:
    found = facts.facts_of(logs.read(EXPORTS["csv"]))
    unknown = ("write_latency_ms", "buffers", "io_warnings", "freezes", "forced_catchups")

    assert [None] * 5 == [found[f"sqlserver.{name}"].value for name in unknown]
    assert "errorlog" in found["sqlserver.freezes"].sections


@given(st.lists(st.one_of(st.sampled_from([*EXPORTS.values(), event(*TIMES[0]), "checkpoint_end",
                                           '<event name="checkpoint_begin"', '"', ",", "\n"]),
                          st.text(max_size=30)), max_size=6))  # fmt: skip
def test_whatever_an_export_holds_it_is_read_or_refused(pieces: list[str]) -> None:
    for found in api.load_inputs("".join(pieces).encode("utf-8", "replace"), "export"):
        if isinstance(found, AwrlensError):
            assert isinstance(found, UnreadableError)
        elif isinstance(found, LogInput):
            assert all(each.seconds >= 0 for each in found.checkpoints)
            api.analyze(found).to_dict()


def test_before_and_after_are_compared_by_database() -> None:
    """document 5: from 30 seconds on average to less than a tenth of a second, and fewer."""
    before = samples.path("sqlserver-checkpoints-before.csv").read_bytes()
    after = samples.path("sqlserver-checkpoints-after.csv").read_bytes()

    found = compare(logs.read(before), logs.read(after))

    assert ["19", "78"] == [pair["database_id"] for pair in found["databases"]]
    for pair in found["databases"]:
        assert (pair["before"]["mean_s"] or 0) > 30
        assert (pair["after"]["mean_s"] or 1) < 0.1
        assert (pair["after"]["per_hour"] or 0) < (pair["before"]["per_hour"] or 0)
        assert "times shorter" in pair["said"]
    assert found["unfair"] == []


@pytest.mark.parametrize(
    ("first", "second", "says"),
    [
        (30.0, 0.0625, "480 times shorter"), (0.5, 30.0, "60 times longer"),
        (30.0, 33.0, "+10 %"), (30.0, 30.0, ""),
        (30.0, 0.0, "now below the resolution of the times"),
        (0.0, 1.0, "longer"),
    ],
)  # fmt: skip
def test_how_far_an_average_moved_is_said_in_words(first: float, second: float, says: str) -> None:
    def side(seconds: float) -> Log:
        begin = "2020-03-02T00:00:00.000"
        end = f"2020-03-02T00:00:{seconds:09.6f}"
        return logs.read(event("begin", begin, 19) + event("end", end, 19))

    (pair,) = compare(side(first), side(second))["databases"]

    assert pair["said"].endswith(f", {second:.3g} s after (1)" + (f": {says}" if says else ""))


def test_a_database_of_one_side_is_told_as_such() -> None:
    one, other = (event("begin", "2020-03-02T00:00:00", n) + event("end", "2020-03-02T00:00:09", n)
                  for n in (19, 20))  # fmt: skip
    found = compare(logs.read(one), logs.read(other))

    assert {
        "database 19 has checkpoints only before",
        "database 20 has checkpoints only after",
    } == {pair["said"] for pair in found["databases"]}


def test_what_makes_a_comparison_unfair_is_said() -> None:
    log = logs.read(logs.banner() + logs.flush("2020-03-02 05:00:00.00"))
    events = logs.read(EXPORTS["csv"])

    assert "One side is an error log" in " ".join(compare(log, events)["unfair"])
    assert "The logs cover" in " ".join(compare(log, events)["unfair"])
    assert "only long checkpoints" in " ".join(compare(log, log)["unfair"])


def test_the_command_compares_and_refuses_reports(capsys: pytest.CaptureFixture[str]) -> None:
    before, after = (
        str(samples.path(f"sqlserver-checkpoints-{n}.csv")) for n in ("before", "after")
    )

    assert 0 == cli.run(["sqlserver", "compare", before, after, "--format", "json"])
    data = json.loads(capsys.readouterr().out)
    assert [19, 78] == [int(each["database_id"]) for each in data["databases"]]
    assert 0 == cli.run(["sqlserver", "compare", before, after])
    assert "database 19: checkpoints took 39.7 s" in capsys.readouterr().out
    report = str(samples.path("redo-disk.awr-11.2.txt"))
    assert 3 == cli.run(["sqlserver", "compare", before, report])
    assert "an Oracle report" in capsys.readouterr().err
