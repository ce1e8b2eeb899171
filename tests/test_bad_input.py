"""Damaged reports: read as far as they go or refused, never an exception of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api
from awrlens.errors import AwrlensError

if TYPE_CHECKING:
    from awrlens.model import Analysis

BYTES = {name: samples.path(name).read_bytes() for name in samples.ALL}


def analyse(data: bytes) -> Analysis | None:
    """An analysis whose evidence stands where it says, however the report was damaged."""
    try:
        found = api.analyze(api.load(data))
    except AwrlensError as problem:
        assert problem.message
        assert 3 == problem.exit_code
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return found
    assert samples.misplaced(found.facts, text) == []
    return found


@given(st.sampled_from(samples.ALL), st.floats(0, 1))
def test_a_report_that_is_cut_off_anywhere_is_read_as_far_as_it_goes(
    name: str, share: float
) -> None:
    found = analyse(BYTES[name][: int(len(BYTES[name]) * share)])
    if found is None:
        return
    whole = samples.analysis(name)
    for fact, value in found.facts.items():
        assert value.value is None or value.unit == whole.facts[fact].unit
    # what was cut off is unavailable, not zero
    assert share > 0.95 or found.facts["checkpoint.fast_start_mttr_target_s"].value is None


@given(st.sampled_from(samples.ALL), st.integers(0, 2**20), st.binary(min_size=1, max_size=40))
def test_bytes_that_are_overwritten_do_no_harm(name: str, at: int, noise: bytes) -> None:
    data = BYTES[name]
    at %= len(data)
    analyse(data[:at] + noise.replace(b"\0", b" ") + data[at + len(noise) :])


@given(st.sampled_from(samples.ALL), st.integers(1, 400))
def test_lines_that_are_lost_or_doubled_do_no_harm(name: str, step: int) -> None:
    lines = BYTES[name].split(b"\n")
    kept = [line for number, line in enumerate(lines) if number % (step + 1) != step]
    analyse(b"\n".join(kept))
    doubled = [[line] * (1 + (number % (step + 1) == step)) for number, line in enumerate(lines)]
    analyse(b"\n".join(line for pair in doubled for line in pair))


@pytest.mark.parametrize("name", samples.ALL)
def test_line_ends_and_encodings_change_nothing(name: str) -> None:
    usual = samples.analysis(name)
    text = BYTES[name].decode()
    for data in (
        text.replace("\n", "\r\n").encode(),
        text.encode("utf-16"),
        text.encode("utf-8-sig"),
        text.replace("SQL*Plus", "SQL*Plus \u00e9").encode("cp1252"),
    ):
        other = api.analyze(api.load(data))

        assert {n: f.value for n, f in usual.facts.items()} == {
            n: f.value for n, f in other.facts.items()
        }
        assert usual.verdicts == other.verdicts


def test_a_report_over_a_restart_is_analysed_only_as_far_as_it_is_valid() -> None:
    banner = b"\nERROR: Snapshots chosen span an instance shutdown: RESULTS ARE INVALID\n"
    found = api.analyze(api.load(banner + BYTES["redo-accelerator.statspack-9.2.lst"]))

    assert "Oracle marks this report invalid" in found.warnings[0].message
    assert 2 == found.warnings[0].line
    assert None is found.facts["redo.write_ms"].value
    assert "shutdown" in found.facts["redo.write_ms"].note
    assert 71 == found.facts["checkpoint.target_mttr_s"].value
    assert ["CKPT004"] == [finding.id for finding in found.findings]


def test_a_restart_within_the_interval_is_noticed_even_where_oracle_does_not_mark_it() -> None:
    text = BYTES["redo-disk.statspack-11.2.txt"].replace(b"20-Aug-08 09:12", b"20-Aug-08 17:00", 1)
    report = api.load(text)

    facts = api.analyze(report).facts

    assert "was started at 2008-08-20T17:00:00, after the first" in report.warnings[0].message
    assert facts["redo.write_ms"].value is None
    assert facts["checkpoint.actual_redo_blocks"].value is not None
