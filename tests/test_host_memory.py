"""A host that is out of memory stalls everything: it comes before LGWR and before storage."""

from __future__ import annotations

import figures
import pytest
import samples
from figures import section

from awrlens.advice import plan
from awrlens.advice.case import Case
from awrlens.model import Analysis, Fact
from awrlens.policy import Policy

GB = 10**9


def available(*rows: str) -> Fact:
    """The fact of a report with some rows of Operating System Statistics, in GB."""
    table = section("Operating System Statistics", ("Statistic", "Value", "End Value"), list(rows))
    return figures.facts(table)["host.available_memory_pct"]


def row(name: str, begin_gb: float, end_gb: float | None = None) -> str:
    end = "" if end_gb is None else f"{end_gb * GB:,.0f}"
    return f"{name}_BYTES | {begin_gb * GB:,.0f} | {end}"


def test_memory_counts_at_the_snapshot_that_has_less_of_it() -> None:
    rows = (row("FREE_MEMORY", 1, 10), row("INACTIVE_MEMORY", 3, 20), row("SWAP_FREE", 0, 5))

    found = available(*rows, row("PHYSICAL_MEMORY", 100))

    assert 4.0 == found.value
    assert len(found.evidence) == 4
    backwards = (row("FREE_MEMORY", 10, 1), row("INACTIVE_MEMORY", 20, 3), row("SWAP_FREE", 5, 0))
    assert 4.0 == available(*backwards, row("PHYSICAL_MEMORY", 100)).value


def test_a_value_that_did_not_change_is_printed_once() -> None:
    found = available(row("FREE_MEMORY", 50, 2), row("INACTIVE_MEMORY", 30, 3),
                      row("SWAP_FREE", 1), row("PHYSICAL_MEMORY", 100))  # fmt: skip

    assert 6.0 == found.value


@pytest.mark.parametrize("lost", ["FREE_MEMORY", "INACTIVE_MEMORY", "SWAP_FREE", "PHYSICAL_MEMORY"])
def test_a_part_that_is_not_printed_is_not_zero(lost: str) -> None:
    rows = {name: row(name, 1) for name in
            ("FREE_MEMORY", "INACTIVE_MEMORY", "SWAP_FREE", "PHYSICAL_MEMORY")}  # fmt: skip
    rows.pop(lost)

    assert "unavailable" == available(*rows.values()).status


def test_a_value_that_cannot_be_read_is_not_that_of_the_other_snapshot() -> None:
    rows = (row("INACTIVE_MEMORY", 30), row("SWAP_FREE", 1), row("PHYSICAL_MEMORY", 100))
    found = available(f"FREE_MEMORY_BYTES | {50 * GB:,} | ###############", *rows)

    assert "unavailable" == found.status


def advised(memory_pct: float) -> Analysis:
    """The slow commits of a sample on a host with so much memory and swap left."""
    found = samples.analysis("busy-commit.statspack-9.2.lst")
    facts = dict(found.facts)
    name = "host.available_memory_pct"
    facts[name] = facts[name]._replace(value=memory_pct, status="derived")
    advice = plan.advise(Case.of(facts, found.findings, Policy()))
    return found._replace(recommendations=advice.recommendations)


def test_a_host_without_memory_comes_before_lgwr_and_storage() -> None:
    limit = Policy()["storage.least_memory_pct"]

    short, enough = (advised(each) for each in (limit - 0.1, limit))

    assert "free-memory" == short.actions[0].id
    assert "4.9 % of the host's memory" in short.actions[0].action
    (redo,) = (each for each in short.recommendations if each.id == "redo-storage")
    assert "tune-first" == redo.status
    assert redo.action.startswith("The host's memory comes first: ")
    assert "free-memory" not in {each.id for each in enough.recommendations}
