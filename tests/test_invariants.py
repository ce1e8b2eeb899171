"""What holds of the advice whatever the load: properties over invented workloads.

A workload is a set of facts that fit each other, as a report would print them: commits that take at
least their write, waits that are commits × their time, LGWR as busy as its writes make it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from awrlens import rules
from awrlens.advice import headline as heads
from awrlens.advice import plan
from awrlens.advice.case import Case
from awrlens.advice.devices import commits, with_write
from awrlens.facts.registry import FACTS
from awrlens.lab import effects
from awrlens.model import (
    SEVERITIES,
    Analysis,
    Evidence,
    Fact,
    Finding,
    Recommendation,
    Verdicts,
    with_parts,
)
from awrlens.policy import Policy

pytestmark = pytest.mark.properties
UNITS = {spec.name: spec.unit for spec in FACTS}
ELAPSED_S = 3600.0
RANK = SEVERITIES.index


class Load(NamedTuple):
    """A workload of one hour."""

    commits: float
    write_ms: float
    queue_ms: float
    rest_ms: float
    write_bytes: float
    switches: float
    switch_ms: float
    temp_waits: float
    temp_ms: float
    dbwr_waits: float
    dbwr_ms: float
    undo_pct: float
    other_s: float

    @property
    def commit_ms(self) -> float:
        return self.write_ms + self.queue_ms + self.rest_ms

    @property
    def waits_s(self) -> float:
        pairs = (
            (self.commits, self.commit_ms), (self.switches, self.switch_ms),
            (self.temp_waits, self.temp_ms), (self.dbwr_waits, self.dbwr_ms),
        )  # fmt: skip
        return sum(count * each / 1000 for count, each in pairs)


def latencies(least: float = 0.05, most: float = 500.0) -> st.SearchStrategy[float]:
    return st.floats(least, most)


def counts(most: float = 400_000.0) -> st.SearchStrategy[float]:
    return st.one_of(st.just(0.0), st.floats(1.0, most)).map(lambda n: float(int(n)))


LOADS = st.builds(
    Load,
    commits=counts(), write_ms=latencies(0.2), queue_ms=st.floats(0, 200),
    rest_ms=st.floats(0, 200), write_bytes=st.floats(600, 2_000_000),
    switches=counts(5_000), switch_ms=latencies(1, 20_000),
    temp_waits=counts(), temp_ms=latencies(), dbwr_waits=counts(100_000), dbwr_ms=latencies(),
    undo_pct=st.floats(0, 100), other_s=st.floats(10, 500_000),
)  # fmt: skip


def facts_of(load: Load, **other: Any) -> dict[str, Fact]:
    """The facts of a workload; what it says nothing of is unavailable."""
    sync, writes = load.commits * load.commit_ms / 1000, max(load.commits, 1.0)
    temp = load.temp_waits * load.temp_ms / 1000
    switch, dbwr = load.switches * load.switch_ms / 1000, load.dbwr_waits * load.dbwr_ms / 1000
    values: dict[str, Any] = {
        "load.elapsed_s": ELAPSED_S,
        "load.instances": 1.0,
        "load.response_s": load.waits_s + load.other_s,
        "redo.local_write_ms": load.write_ms,
        "redo.write_ms": load.write_ms,
        "redo.parallel_write_ms": load.write_ms,
        "redo.write_count": writes,
        "redo.bytes_per_write": load.write_bytes,
        "redo.bytes_written_per_s": load.write_bytes * writes / ELAPSED_S,
        "redo.lgwr_busy_pct": min(writes * load.write_ms / 10 / ELAPSED_S, 100.0),
        "redo.sync_wait_s": sync,
        "redo.sync_count": load.commits,
        "redo.commit_waits": load.commits,
        "redo.commit_ms": load.commit_ms if load.commits else None,
        "redo.commit_storage_s": load.commits * load.write_ms / 1000,
        "redo.commit_lgwr_s": 0.0,
        "redo.buffer_wait_s": 0.0,
        "redo.log_switch_wait_s": switch,
        "redo.log_switch_waits": load.switches,
        "redo.log_switch_wait_ms": load.switch_ms if load.switches else None,
        "checkpoint.incomplete_wait_s": 0.0,
        "checkpoint.incomplete_waits": 0.0,
        "checkpoint.buffer_wait_s": dbwr,
        "checkpoint.buffer_wait_ms": load.dbwr_ms if load.dbwr_waits else None,
        "checkpoint.data_write_ms": load.dbwr_ms,
        "checkpoint.write_pct": 20.0,
        "temp.direct_wait_s": temp,
        "temp.direct_read_wait_s": temp,
        "temp.direct_write_wait_s": 0.0,
        "temp.direct_ms": load.temp_ms if load.temp_waits else None,
        "temp.direct_read_ms": load.temp_ms if load.temp_waits else None,
        "temp.direct_b": 65_536.0,
        "temp.reads": load.temp_waits,
        "temp.writes": 0.0,
        "temp.io_share_pct": 40.0,
        "pga.multipass": 0.0,
        "undo.block_write_pct": load.undo_pct,
        "undo.buffer_wait_s": 0.0,
        "undo.read_wait_s": 0.0,
        "load.largest_consumer": "db file sequential read",
        "load.largest_consumer_pct": load.other_s * 100 / (load.waits_s + load.other_s),
        **other,
    }
    facts = {
        name: Fact(name, None, unit, "unavailable", note="not in this load", sections=("x",))
        for name, unit in UNITS.items()
    }
    for name, value in values.items():
        if value is not None:
            proof = Evidence("a section", "a row", "a column", str(value), value, lambda: 7)
            facts[name] = Fact(name, value, UNITS[name], "measured", (proof,), sections=("x",))
    return facts


class Judged(NamedTuple):
    findings: tuple[Finding, ...]
    recommendations: tuple[Recommendation, ...]
    verdicts: Verdicts
    headline: str
    action: Recommendation | None

    def severity(self, *families: str) -> int:
        """The rank of the worst finding of some families of rules."""
        found = [RANK(f.severity) for f in with_parts(self.findings) if f.id.startswith(families)]
        return max(found, default=0)


def judge(load: Load, policy: Policy | None = None, **other: Any) -> Judged:
    facts, policy = facts_of(load, **other), policy or Policy()
    findings, skipped = rules.run(facts, policy)
    advice = plan.advise(Case.of(facts, findings, policy))
    found = Analysis(
        samples.analysis(samples.ALL[0]).report, facts, findings, advice.recommendations,
        advice.verdicts, skipped, (),
    )  # fmt: skip
    return Judged(
        findings, advice.recommendations, advice.verdicts, heads.headline(found, policy).sentence,
        heads.first_action(found),
    )  # fmt: skip


#: Which rules carry the verdict on a segment.
CARRIED = {"redo": ("REDO",), "temp": ("TEMP", "REDO014"), "undo": ("UNDO", "CKPT")}


@given(LOADS)
def test_storage_is_advised_only_where_a_finding_of_at_least_warning_stands(load: Load) -> None:
    judged = judge(load)
    for segment, families in CARRIED.items():
        if getattr(judged.verdicts, f"{segment}_storage") == "apply":
            assert judged.severity(*families) >= RANK("warning"), segment


@given(LOADS, st.floats(1, 50))
def test_more_commits_that_wait_never_lower_the_severity(load: Load, times: float) -> None:
    more = load._replace(commits=float(int(load.commits * times)))
    assert judge(more).severity("REDO0") >= judge(load).severity("REDO001", "REDO002", "REDO009")


@given(LOADS, st.floats(1, 50))
def test_slower_writes_never_lower_the_severity(load: Load, times: float) -> None:
    slower = load._replace(write_ms=load.write_ms * times)
    assert judge(slower).severity("REDO") >= judge(load).severity("REDO")


@given(LOADS, st.floats(1, 50))
def test_slower_and_more_temporary_io_never_lowers_the_severity(load: Load, times: float) -> None:
    before = judge(load).severity("TEMP")
    assert judge(load._replace(temp_ms=load.temp_ms * times)).severity("TEMP") >= before
    more = load._replace(temp_waits=load.temp_waits * times)
    assert judge(more).severity("TEMP") >= before


@given(LOADS)
def test_unrelated_locks_that_double_db_time_change_no_redo_severity_of_several_sessions(
    load: Load,
) -> None:
    """The share of DB time is a witness: where enough sessions wait it is not needed."""
    sync_s = load.commits * load.commit_ms / 1000
    quiet = load._replace(
        switches=0.0, temp_waits=0.0, dbwr_waits=0.0, other_s=max(load.other_s, 20 * sync_s)
    )
    locks = quiet._replace(other_s=quiet.waits_s + 2 * quiet.other_s)
    if sync_s / ELAPSED_S >= 1 or sync_s / ELAPSED_S < 0.05:
        assert judge(quiet).severity("REDO") == judge(locks).severity("REDO")
    assert judge(quiet).severity("REDO") - judge(locks).severity("REDO") <= 1


@given(LOADS, st.floats(0.05, 20), st.floats(0.05, 20))
def test_a_faster_device_never_saves_less(load: Load, one: float, other: float) -> None:
    now = commits(facts_of(load))
    if now is None:
        return
    fast, slow = sorted((one, other))
    assert with_write(now, fast).saved_s >= with_write(now, slow).saved_s - 1e-6
    kept = Policy({"device.write_ms": fast}), Policy({"device.write_ms": slow})
    savings = [
        next(r for r in judge(load, policy).recommendations if r.id == "redo-storage")
        for policy in kept
    ]
    assert (savings[0].benefit.seconds or 0) >= (savings[1].benefit.seconds or 0) - 1e-6


@given(LOADS, st.floats(0.01, 50))
def test_no_commit_takes_less_than_its_write_and_no_wait_saves_more_than_itself(
    load: Load, write_ms: float
) -> None:
    facts = facts_of(load)
    now = commits(facts)
    if now is None:
        return
    outcome = with_write(now, write_ms)
    if now.commit_ms >= now.write_ms:
        assert outcome.commit_ms >= write_ms - 1e-9
    assert outcome.commit_ms >= 0
    assert outcome.commit_saved_s <= (facts["redo.sync_wait_s"].number or 0) + 1e-6
    lines = effects.estimate(facts, (), effects.Change(redo_ms=write_ms), Policy()).changes
    assert all(line.after >= 0 for line in lines)


@given(LOADS)
def test_a_device_as_quick_as_now_saves_nothing_and_a_slower_one_costs(load: Load) -> None:
    now = commits(facts_of(load))
    if now is None:
        return
    assert with_write(now, now.write_ms).saved_s == pytest.approx(0, abs=1e-6 * max(1, now.waits))
    assert with_write(now, now.write_ms * 2).saved_s <= 1e-6


@given(LOADS)
def test_the_parts_of_a_commit_add_up_to_it(load: Load) -> None:
    now = commits(facts_of(load))
    if now is None or now.commit_ms < now.write_ms:
        return
    assert now.write_ms + now.queue_ms + now.rest_ms == pytest.approx(now.commit_ms)


@given(LOADS)
def test_what_is_saved_is_never_more_than_all_waits(load: Load) -> None:
    judged = judge(load)
    for item in judged.recommendations:
        if item.benefit.seconds is not None:
            assert item.benefit.seconds <= load.waits_s + 1e-6, item.id


@given(LOADS)
def test_the_headline_names_the_first_action_and_is_calm_only_without_a_pressing_finding(
    load: Load,
) -> None:
    judged = judge(load)
    if judged.action is not None:
        assert judged.action.title[1:] in judged.headline
    pressing = [f for f in judged.findings if f.severity in ("warning", "critical")]
    calm = judged.headline.startswith(("No urgent issue", "No significant write-path issue"))
    assert calm == (not pressing)


@given(LOADS)
def test_every_finding_by_waits_says_what_its_severity_rests_on(load: Load) -> None:
    for finding in with_parts(judge(load).findings):
        if finding.id.startswith(("REDO0", "TEMP", "UNDO001", "CKPT00")) and finding.severity in (
            "warning", "critical",
        ):  # fmt: skip
            assert finding.weight.waiting_sessions is not None, finding.id


@given(LOADS)
def test_no_second_is_told_twice(load: Load) -> None:
    """The findings of one report are of different waits: together never more than all of them."""
    judged = judge(load)
    pressing = [f for f in judged.findings if f.severity != "ok" and f.id != "REDO014"]
    assert sum(f.impact.seconds or 0.0 for f in pressing) <= load.waits_s + 1e-6
