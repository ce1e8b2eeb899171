"""Budgets on what a report prints under Oracle's names; what other languages would write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import samples

from awrlens import api, budgets
from awrlens.budgets import BudgetError, Outcome, tree
from awrlens.cli import own_rules, run
from awrlens.facts import printed
from awrlens.facts.registry import units

DISK = "redo-disk.awr-11.2.txt"


def outcome(said: str, name: str = DISK, before: str | None = None) -> Outcome:
    found = budgets.parse(said, units())
    report = samples.report(name)
    facts = {**api.facts_of(report), **own_rules.printed(report, found)}
    baseline = None
    if before is not None:
        old = samples.report(before)
        baseline = {**api.facts_of(old), **own_rules.printed(old, found)}
    (assessed,) = own_rules.assess(report.identity.to_dict(), facts, found, baseline)
    return assessed


@pytest.mark.parametrize(
    ("said", "verdict", "shown"),
    [
        ('event("log file parallel write").avg_ms <= 2 ms', "violated", "17.86 ms"),
        ('event("log file parallel write").waits == 405691', "met", "405,691"),
        ('event("log file parallel write").total_s < 1 h', "violated", "7,247 s"),
        ('event("log file parallel write").waits_per_s > 40 1/s', "met", "48.41 1/s"),
        ('event("log file sync").pct_db_time < 1 %', "met", "%"),
        ('event("log file parallel write").p99_ms <= 1 s', "met", " ms"),
        ('event("log file parallel write").p50_ms <= 1 ms', "violated", " ms"),
        ('event("log file synk").avg_ms <= 2 ms', "not-assessable", "not available"),
        ('event("log file synk").p99_ms <= 2 ms', "not-assessable", "not available"),
        ('stat("redo writes").total == 405691', "met", "405,691"),
        ('stat("redo write time").per_s <= 100 1/s', "met", "90.41 1/s"),
        ('stat("redo writes").per_txn <= 1 1/txn', "met", "1/txn"),
        ('stat("no such thing").total == 0', "not-assessable", "not available"),
        ('parameter("undo_tablespace") like "UNDO%"', "met", "UNDO"),
        ('parameter("no_such_parameter") == "x"', "not-assessable", "not available"),
        ('parameter("db_block_size").value == 8192', "met", "8,192"),
        ('parameter("undo_tablespace").value == 1', "not-assessable", "not available"),
        ('sql("g1dppfmhtxs00").elapsed_per_exec_ms <= 1 ms', "met", "0.07918 ms"),
        ('sql("G1DPPFMHTXS00").executions > 1000', "met", "48,217,432"),
        ('sql("g1dppfmhtxs00").gets_per_exec <= 2', "met", "1.1"),
        ('sql("5r8m0hs2cyq4w").pct_db_time <= 50 %', "violated", "84.4"),
        ('sql("5r8m0hs2cyq4w").cpu_s <= 1 h', "violated", "6,6"),
        ('sql("aaaaaaaaaaaaa").elapsed_s <= 1 s', "not-assessable", "not available"),
        ("report.hour >= 8 and report.hour < 18", "met", "report.hour (16)"),
        ('report.weekday in ("saturday", "sunday")', "violated", "wednesday"),
        ('Event ( "log file parallel write" ) . Avg_ms <= 2 ms', "violated", "17.86 ms"),
        ('parameter("no_such_parameter") is available', "violated", ""),
    ],
)
def test_what_is_printed_can_be_asked_for(said: str, verdict: str, shown: str) -> None:
    if said.startswith("report."):
        said += ' or report.db_name == "nobody\'s"'
    found = outcome(said)

    assert verdict == found.verdict, found
    assert shown in found.arithmetic


def test_the_numbers_are_those_of_our_facts_with_their_evidence() -> None:
    (fact,) = outcome('event("log file parallel write").avg_ms <= 2 ms').facts

    own = samples.analysis(DISK).facts["redo.parallel_write_ms"]
    assert own.value == fact.value
    assert own.formula == fact.formula
    assert [each.line for each in own.evidence] == [each.line for each in fact.evidence]
    assert 'event("log file parallel write").avg_ms' == fact.name


def test_a_baseline_has_them_too() -> None:
    said = 'event("log file parallel write").avg_ms <= 2 * '
    said += 'baseline.event("log file parallel write").avg_ms'

    assert "violated" == outcome(said, before="redo-accelerator.awr-11.2.txt").verdict
    assert "met" == outcome(said, "redo-accelerator.awr-11.2.txt", DISK).verdict
    assert "not-assessable" == outcome(said).verdict


@pytest.mark.parametrize("said", [
    'event("log file sync").avg_ms <= 2 ms',
    'baseline.stat("a \\"quoted\\" name").per_s > 1 1/s',
    'parameter("db_name") like "P%"',
])  # fmt: skip
def test_it_is_written_back_as_it_is_read(said: str) -> None:
    (found,) = budgets.parse(said, units())

    (again,) = budgets.parse(tree.expression(found.expect), units())
    assert found.expect == again.expect
    assert said == tree.expression(found.expect)
    assert printed.split("redo.write_ms") is None


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ('event("log file sync") <= 2 ms', "event(…) has several numbers. Fields are .avg_ms"),
        ('event("log file sync").avg <= 2 ms', "event(…) has no avg."),
        ('event("").avg_ms <= 2 ms', "The name in quotes is empty."),
        ('event("x").p100_ms <= 2 ms', "event(…) has no p100_ms."),
        ('sql("x") <= 2 ms', "sql(…) has several numbers. Fields are .elapsed_s"),
        ('stat("redo writes").avg_ms <= 2 ms', "Fields are .total, .per_s, .per_txn."),
        ('event("log file sync").avg_ms <= 2 %', "have different dimensions"),
        ('event("log file sync").avg_ms <= 2', "Write 2 ms"),
        ('parameter("db_name") <= 5', "is a text"),
        ("event(log file sync).avg_ms <= 2 ms", 'Put the name in double quotes: event("…").'),
        ("redo.write_ms <= 2 ms && redo.sync_ms <= 5 ms", "Write `and`."),
        ("redo.write_ms <= 2 ms & redo.sync_ms <= 5 ms", "Write `and`."),
        ("redo.write_ms <= 2 ms || redo.sync_ms <= 5 ms", "Write `or`."),
        ("! redo.write_ms <= 2 ms", "Write `not`."),
        ("redo.write_ms between 1 ms and 2 ms", "Write both bounds: a >= 1 ms and a <= 5 ms."),
        ("redo.write_ms =< 2 ms", "Write <=."),
        ("redo.write_ms => 2 ms", "Write >=."),
        ("redo.write_ms <= 2,5 ms", "Use a decimal point: 2.5."),
        ("avg(redo.write_ms) <= 2 ms", "There are no functions"),
        ("redo.write_ms <= max(2 ms, 3 ms)", "There are no functions"),
        ("redo.write_count <= 1e3", "Write the number in full: 1000 for 1e3"),
        ("redo.write_count <= 1e-3", "Write the number in full"),
        ("redo.write_ms <= 2 ms if report.rac", "Write `when CONDITION`"),
    ],
)
def test_what_is_wrong_names_the_remedy(said: str, problem: str) -> None:
    with pytest.raises(BudgetError) as found:
        budgets.parse(said, units())

    assert problem in str(found.value)


@pytest.mark.parametrize(
    "name", ["redo-disk.awr-11.2.html", "redo-cluster.awr-rac-11.2.html",
             "redo-compared.awr-diff-11.2.html", "redo-disk.statspack-9.2.lst"],
)  # fmt: skip
def test_a_check_asks_them_of_every_kind_of_report(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("report").write_bytes(samples.path(name).read_bytes())
    Path("awrlens.toml").write_text('budgets = ["team.budgets"]\n')
    Path("team.budgets").write_text(
        'budget TEAM001 event("log file parallel write").avg_ms <= 0.001 ms\n'
        'budget TEAM002 stat("redo writes").total <= 1\n'
    )

    assert 1 == run(["check", "report", "--select", "TEAM", "-o", "json=out"])
    document: dict[str, Any] = json.loads(Path("out").read_text())
    assert {"TEAM001", "TEAM002"} & {f["id"] for r in document["reports"] for f in r["findings"]}
    assert 0 == run(["analyze", "report", "-f", "json"])
    assert 2 == run(["check", "report", "--select", "TEAM", "--against", "report"])
