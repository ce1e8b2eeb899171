"""What the cited documents measured, reproduced within the errors of docs/simulation.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from simpy import Environment

from awrlens.advice.load_model import Preset
from awrlens.advice.write_cost import TABLE_1, Measured
from awrlens.advice.write_model import lowest_target_s
from awrlens.lab import simulation_setup
from awrlens.lab.simulated_instance import CUSTOMER, OLTP, TPCC, limits
from awrlens.lab.simulation import Cluster, simulate
from awrlens.lab.simulation_records import RecoveryDocument, SimulationDocument
from awrlens.lab.simulation_setup import At, Failure, Setup

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
MB = 2**20
#: One speed of the first pass stands for two measured ones, 90.6 and 76.8 MB/s.
FIRST_PASS = 0.09


@cache
def crashed(preset: Preset, minutes: float) -> RecoveryDocument:
    return whole(preset, minutes).recoveries[0]


@cache
def whole(preset: Preset, minutes: float) -> SimulationDocument:
    at_s = minutes * 60
    setup = Setup(preset.load, preset.rates, preset.mttr_s, at_s, fail=(At(1, at_s),))
    return simulate(preset, setup)


@pytest.mark.nightly
def test_the_tpcc_case_130_become_1() -> None:
    found = crashed(TPCC, 27)

    assert pytest.approx(11.5 * 1024, rel=1e-3) == found.applied_bytes / MB
    assert pytest.approx(130, rel=FIRST_PASS) == found.first_pass_without_buddy_s
    # the buddy reads in bursts, so it depends on the second of the failure; the measured 1 s lies
    # within, and no failure takes much longer than the threshold of 3 s
    least, most = found.first_pass_range_s or (0, 0)
    assert least < 1 < most < 3.5
    assert least <= found.first_pass_s <= most


def test_the_commercial_case_20_become_3_and_48_become_29() -> None:
    found = crashed(CUSTOMER, 5)

    assert pytest.approx(1.5 * 1024, rel=0.06) == found.applied_bytes / MB
    assert pytest.approx(20, rel=FIRST_PASS) == found.first_pass_without_buddy_s
    least, most = found.first_pass_range_s or (0, 0)
    assert least < 3 < most < 4
    assert pytest.approx(48, rel=FIRST_PASS) == found.total_without_buddy_s
    # the second pass took 48 - 20 = 28 s without and 29 - 3 = 26 s with a buddy, which cannot both
    # be had of one speed
    assert pytest.approx(29, rel=0.12) == 3 + found.second_pass_s
    assert pytest.approx(27, rel=0.06) == found.second_pass_s


def test_a_buddy_shortens_brown_out_and_recovery_and_nothing_else() -> None:
    found = crashed(CUSTOMER, 5)

    assert found.brown_out_s == pytest.approx(found.first_pass_s)
    assert found.total_without_buddy_s - found.total_s == pytest.approx(
        found.first_pass_without_buddy_s - found.first_pass_s
    )
    assert whole(CUSTOMER, 5).read_by_buddies_bytes < 2 * 20 * MB * 5 * 60


#: Row → how long it runs to be steady, and its tick.
RUNS = {0: (1600, 1.0), 900: (300, 1.0), 300: (260, 1.0), 240: (200, 1.0), 180: (140, 0.5),
        120: (80, 0.25), 90: (60, 0.25), 30: (60, 0.25)}  # fmt: skip
FITTED = (0, 900, 240, 120, 30)


#: The table of docs/simulation.md: target → recovery and writes as they are simulated.
SAID = {
    int(cells[0]): (float(cells[2]), float(cells[5]))
    for cells in (
        re.findall(r"[\d.]+", line)
        for line in (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8").splitlines()
        if re.match(r"\| \d+ \|", line)
    )
}


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: f"target {row.target_s}")
def test_recovery_and_writes_of_each_target_of_table_1(row: Measured) -> None:
    seconds, tick_s = RUNS[row.target_s]
    load = OLTP.load._replace(tick_s=tick_s)
    setup = Setup(load, OLTP.rates, row.target_s, seconds, 1, 0, (At(1, seconds),), sample_s=20)
    cluster = Cluster(setup, Environment())
    cluster.run()
    # another instance recovers, which is started and has the files open
    recovery_s = cluster.recoveries[0].total_s - OLTP.rates.fixed_s
    last = [each.instances["1"] for each in cluster.moments if each.at_s < seconds][-1]

    fitted = row.target_s in FITTED
    assert pytest.approx(row.recovery_s, rel=0.02 if fitted else 0.12) == recovery_s
    assert pytest.approx(row.writes_per_s, rel=0.03 if fitted else 0.06) == last.writes_per_s
    assert (round(recovery_s, 1), round(last.writes_per_s)) == SAID[row.target_s]
    # off and 900 are estimated as the table has it; else the target is kept to, which the
    # table's estimates stay below by 2 to 10 s
    estimate_s = row.estimated_mttr_s if row.target_s in {0, 900} else row.in_force_s
    assert pytest.approx(estimate_s, rel=0.03) == last.estimated_mttr_s


def test_a_target_of_30_is_reset_to_71() -> None:
    found = lowest_target_s(OLTP.load, OLTP.rates)

    assert 71 == round(found)
    kept = limits(OLTP.load, OLTP.rates, 30)
    assert found == pytest.approx((kept.recovery_s or 0) + OLTP.rates.fixed_s)
    setup = Setup(OLTP.load, OLTP.rates, 30, 10, 1, sample_s=5)
    assert any(
        re.search(r"30 is out of the valid MTTR range; .*71", n)
        for n in simulate(OLTP, setup).notes
    )


def test_a_target_of_900_is_kept_at_90_percent_of_the_smallest_log() -> None:
    kept = limits(OLTP.load, OLTP.rates, 900)
    load, rates = OLTP.load, OLTP.rates

    assert kept.redo_bytes == pytest.approx(0.9 * load.log_bytes)
    age_s = kept.redo_bytes / load.redo_bytes_per_s
    estimate = rates.fixed_s + rates.estimate_s(
        kept.redo_bytes, load.block_writes_per_s(age_s) * age_s
    )
    assert 360 == pytest.approx(estimate, rel=0.02)


def test_at_the_lowest_target_1000_blocks_stay_dirty() -> None:
    setup = Setup(OLTP.load, OLTP.rates, 30, 20, 1, sample_s=1)
    cluster = Cluster(setup, Environment())
    cluster.run()

    assert 1000 == cluster.moments[-1].instances["1"].dirty_blocks


# document 2, figures 4 to 6


def test_the_buddy_maps_of_the_figures() -> None:
    assert simulation_setup.ring([1, 2]) == {1: (2,), 2: (1,)}
    assert simulation_setup.ring([1, 2, 3]) == {2: (1,), 3: (2,), 1: (3,)}
    figure_6 = simulation_setup.ring([1, 2, 3], 2)
    assert {protected: set(each) for protected, each in figure_6.items()} == {
        1: {2, 3}, 2: {1, 3}, 3: {1, 2},
    }  # fmt: skip


def test_when_1_and_2_fail_3_recovers_with_both_sets() -> None:
    found = lost(3, 2, (1, 2))

    assert 3 == found.recovery_instance
    assert ["own", "own"] == [part.origin for part in found.parts]


def test_a_set_that_the_recovery_instance_lacks_is_sent_by_the_buddy_that_has_it() -> None:
    """In a ring of four, 4 serves 1 and 2 serves 3."""
    found = lost(4, 1, (1, 3))

    assert 2 == found.recovery_instance
    assert [(1, "sent"), (3, "own")] == [(part.instance, part.origin) for part in found.parts]


def test_the_log_of_one_whose_buddy_failed_too_is_scanned_whole() -> None:
    """1 serves 2, and both fail."""
    found = lost(4, 1, (1, 2))

    assert 4 == found.recovery_instance
    first, second = found.parts
    assert ("own", "scanned") == (first.origin, second.origin)
    assert first.scanned_bytes < second.scanned_bytes == second.redo_bytes


def test_instances_that_failed_together_are_not_each_others_buddies() -> None:
    assert simulation_setup.recommend([1, 2, 3], 1, [Failure(frozenset({1, 3}))] * 2) == {
        1: (2,),
        2: (1,),
        3: (2,),
    }
    found = lost(4, 1, (1, 2), (Failure(frozenset({1, 2})),))
    assert "scanned" not in {part.origin for part in found.parts}


def lost(
    instances: int,
    wanted: int,
    failing: tuple[int, ...],
    before: tuple[Failure, ...] = (),
) -> RecoveryDocument:
    load = CUSTOMER.load._replace(kinds=OLTP.load.kinds)
    fail = tuple(At(each, 60) for each in failing)
    setup = Setup(
        load, CUSTOMER.rates, 100, 60, instances, wanted, fail, failures_before=before, sample_s=20
    )
    return simulate(CUSTOMER, setup).recoveries[0]
