"""FAST_START_MTTR_TARGET, by document 1's own numbers."""

from __future__ import annotations

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api
from awrlens.advice.mttr import Request, target
from awrlens.errors import UsageError

SEED = Request(120, rac=True, init_time_avg_us=50_200_342, fopen_time_avg_us=20_120, datafiles=500)


def test_document_1_sets_180_for_a_desired_120_in_rac() -> None:
    found = target(SEED)

    assert 180 == found.fast_start_mttr_target_s
    assert 50.200342 == found.startup_s
    assert 10.06 == pytest.approx(found.file_open_s)
    assert 120 == found.cache_recovery_s
    assert "120 + 50,200,342 / 1,000,000 + 20,120 / 1,000,000 × 500 = 180.26 s" == found.formula


def test_a_single_instance_pays_start_up_and_files_out_of_the_target() -> None:
    found = target(SEED._replace(desired_mttr_s=180, rac=False))

    assert 180 == found.fast_start_mttr_target_s
    assert 119.74 == pytest.approx(found.cache_recovery_s, abs=0.01)


def test_recovery_that_is_not_critical_gets_the_highest_value() -> None:
    found = target(Request())

    assert 3600 == found.fast_start_mttr_target_s
    assert found.notes[0].text.startswith("Without an agreed recovery time, the maximum, 3600, ")


def test_a_target_below_the_lowest_is_reset_as_oracle_does_it_and_explained() -> None:
    found = target(SEED._replace(desired_mttr_s=30, rac=False, lowest_mttr_s=71))

    assert 71 == found.fast_start_mttr_target_s
    assert (
        "FAST_START_MTTR_TARGET 30 is out of the valid MTTR range, use 71 instead."
        in found.notes[0].text
    )
    assert 10.74 == pytest.approx(found.cache_recovery_s, abs=0.01)


def test_a_target_below_start_up_and_opening_is_warned_of_without_knowing_the_lowest() -> None:
    assert (
        "Oracle will reset the target"
        in target(SEED._replace(desired_mttr_s=30, rac=False)).notes[0].text
    )


def test_the_parameter_never_exceeds_3600() -> None:
    found = target(SEED._replace(desired_mttr_s=3599))

    assert 3600 == found.fast_start_mttr_target_s
    assert "above the parameter's maximum" in " ".join(each.text for each in found.notes)


def test_in_rac_missing_averages_are_asked_for() -> None:
    found = target(Request(120, rac=True))

    assert "INIT_TIME_AVG" in found.notes[0].text
    assert "FOPEN_TIME_AVG" in found.notes[0].text


@pytest.mark.parametrize("wrong", [{"desired_mttr_s": 0}, {"desired_mttr_s": -5},
                                   {"datafiles": -1}, {"init_time_avg_us": -1.0}])  # fmt: skip
def test_impossible_input_is_refused_in_one_sentence(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"must not be negative|is not achievable"):
        target(Request(**(SEED._asdict() | wrong)))


@given(
    st.floats(0.5, 5000), st.floats(0.5, 5000), st.booleans(), st.floats(0, 3e8),
    st.integers(0, 9999),
)  # fmt: skip
def test_the_target_stays_in_range_and_grows_with_the_desired_time(
    one: float, other: float, rac: bool, init_us: float, files: int
) -> None:
    low, high = sorted((one, other))
    request = Request(low, rac, init_us, 20_120, files)
    below = target(request).fast_start_mttr_target_s
    above = target(request._replace(desired_mttr_s=high)).fast_start_mttr_target_s

    assert 1 <= below <= above <= 3600


def test_the_number_of_files_comes_from_file_io_stats_when_it_is_not_given() -> None:
    report = samples.report("redo-disk.awr-11.2.txt")
    files = samples.analysis("redo-disk.awr-11.2.txt").facts["checkpoint.datafiles"].value
    request = Request(120, rac=True, init_time_avg_us=50_200_342, fopen_time_avg_us=2_000_000)
    found = api.analyze(report, request=request)

    assert isinstance(files, int)
    assert files > 1
    assert 120 + 50 + 2 * files == found.verdicts.fast_start_mttr_target_s


def test_a_target_that_is_kept_is_left_and_one_that_was_reset_is_corrected() -> None:
    reset = samples.analysis("redo-accelerator.awr-11.2.txt")
    advice = {item.id: item for item in reset.recommendations}

    assert 71 == reset.verdicts.fast_start_mttr_target_s
    assert "CKPT004" in [finding.id for finding in reset.findings]
    assert "ALTER SYSTEM SET fast_start_mttr_target=71 SCOPE=BOTH;" in (
        advice["set-mttr-target"].commands
    )


def test_before_10g_fast_start_checkpointing_is_turned_on() -> None:
    nine = samples.analysis("redo-disk.statspack-9.2.lst")
    later = samples.analysis("redo-disk.awr-11.2.txt")  # automatic checkpoint tuning is on

    assert 3600 == nine.verdicts.fast_start_mttr_target_s
    assert later.verdicts.fast_start_mttr_target_s is None
