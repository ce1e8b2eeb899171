"""Oracle's estimates of the recovery time: which of them can be believed, and what is done else."""

from __future__ import annotations

import called
import pytest
import samples

from awrlens import api
from awrlens.advice.recovery_split import split_of
from awrlens.model import Analysis
from awrlens.render import first_screen

DISK = "redo-disk.awr-11.2.txt"
BEGIN = "B     0    14     3118    92214"
END = "E     0    19    21806    92411"
ESTIMATES = tuple(f"checkpoint.estimated_mttr{each}_s" for each in ("", "_low", "_high"))


def text(begin: tuple[int, int, int], end: tuple[int, int, int]) -> str:
    """The sample with these estimates, dirty blocks and redo blocks of both snapshots."""
    found = samples.path(DISK).read_text(encoding="utf-8")
    assert BEGIN in found
    for row, old, (seconds, dirty, redo) in (("B", BEGIN, begin), ("E", END, end)):
        found = found.replace(old, f"{row}     0{seconds:6}{dirty:9}{redo:9}")
    return found


def analysis(begin: tuple[int, int, int], end: tuple[int, int, int]) -> Analysis:
    return api.analyze(api.load(text(begin, end).encode()))


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ((225, 1194, 4278), (460, 567, 3149)),  # an idle instance: less to recover, twice the time
        ((6, 5426, 53301), (165, 5877, 102340)),
        ((0, 770, 8853), (83, 607, 6140)),
    ],
)
def test_estimates_that_nothing_explains_are_both_shown_and_the_larger_is_planned_with(
    begin: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    found = analysis(begin, end)

    judged, low, high = (found.facts[name] for name in ESTIMATES)
    assert judged.value is None
    assert "Oracle's estimates contradict each other" in judged.note
    assert f"{end[0]} s with {end[1]:,} dirty blocks" in judged.note
    assert [low.value, high.value] == [each for each in sorted((begin[0], end[0])) if each][
        -2:
    ] or (
        low.value == high.value == end[0]  # 0 is not an estimate
    )
    assert split_of(found.facts).estimate_s == max(begin[0], end[0])


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ((102, 46958, 567827), (384, 179572, 2531490)),  # 2.17 and 2.14 ms per dirty block
        ((82, 34029, 705478), (290, 3819, 6949522)),  # much more redo
        ((63, 51297, 874041), (43, 51041, 1054181)),
        ((34, 475, 3988), (36, 3534, 32253)),  # nearly all is start-up
        ((0, 284, 599), (60, 14752, 303421)),
        ((1, 664, 4059), (9, 664, 4059)),  # a few seconds
    ],
)
def test_estimates_that_grow_with_what_is_to_recover_are_kept(
    begin: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    found = analysis(begin, end)

    assert end[0] == found.facts["checkpoint.estimated_mttr_s"].value


def test_a_recovery_time_that_cannot_be_judged_has_no_check_mark_and_the_reason() -> None:
    found = analysis((225, 1194, 4278), (460, 567, 3149))
    tile = next(each for each in first_screen.tiles(found) if each.name == "recovery")

    assert "unknown" == tile.severity
    assert "estimated 4 to 8 min" == tile.words[0]
    said = " ".join(item.action for item in found.recommendations)
    assert "225 s with 1,194 dirty blocks, 460 s with 567 dirty blocks; the larger one is" in said


def test_a_recovery_time_that_oracle_does_not_estimate_has_its_redo_and_its_blocks() -> None:
    """18,432 redo blocks of 512 bytes are 9 MB."""
    found = analysis((0, 782, 19_000), (0, 993, 18_432))
    tile = next(each for each in first_screen.tiles(found) if each.name == "recovery")

    assert "9 MB of redo, 993 I/Os at the end snapshot" in tile.words


def test_the_target_in_effect_is_shown_with_the_one_that_is_set() -> None:
    """Oracle raised 30 s to the 71 s of start-up."""
    found = samples.analysis("redo-accelerator.statspack-9.2.lst")
    tile = next(each for each in first_screen.tiles(found) if each.name == "recovery")

    assert "target 71 s in effect (30 s set)" in tile.words


def test_every_recovery_time_is_planned_with_the_larger_of_two_that_contradict_each_other() -> None:
    given = text((225, 1194, 4278), (460, 567, 3149))
    status, out, _ = called.call("mttr", "-", "--desired-mttr", "3600", given=given, COLUMNS="200")
    said = " ".join(out.split())

    assert 0 == status
    assert "Oracle's estimates contradict each other: 225 s with 1,194 dirty blocks" in said
    assert "Oracle's estimate of 460 s is" in said
    assert "A target of 3600 s means a recovery of 460 s" in said


def test_start_up_that_an_advisory_leaves_out_is_not_shown_as_a_time() -> None:
    """300 s for 111,098 dirty blocks and 30 s for 11,109: 2 ms for none."""
    found = samples.path("redo-accelerator.awr-11.2.txt").read_text(encoding="utf-8")
    for old, new in (
        ("     71      1,000", "     30     11,109"), ("     90      9,204", "    150     55,549"),
        ("    120     19,306", "    300    111,098"), ("    180     34,902", "    450    166,648"),
        ("    240     52,118", "    750    277,746"),
    ):  # fmt: skip
        assert old in found
        found = found.replace(old, new)
    facts = api.facts_of(api.load(found.encode()))

    assert facts["checkpoint.fixed_mttr_s"].value is None
    assert "does not include start-up" in facts["checkpoint.fixed_mttr_s"].note
    # that to which Oracle raised the parameter of 30 s
    assert facts["checkpoint.lowest_mttr_s"].value == 71
    assert 2.7 == pytest.approx(facts["checkpoint.mttr_per_block_ms"].number, rel=0.001)


def with_parameter(name: str, value: str, sample: str = DISK) -> Analysis:
    """A sample whose list of parameters, which were set, has this one."""
    found = samples.path(sample).read_text(encoding="utf-8")
    before = next(line for line in found.splitlines() if line.startswith("job_queue_processes"))
    assert name not in found
    return api.analyze(api.load(found.replace(before, f"{name:<30}{value}\n{before}").encode()))


def test_a_target_that_is_listed_with_0_was_set_and_turns_tuning_off() -> None:
    name = "checkpoint.target_set"

    assert "off" == with_parameter("fast_start_mttr_target", "0").facts[name].value
    assert "yes" == with_parameter("fast_start_mttr_target", "300").facts[name].value
    assert "no" == samples.analysis(DISK).facts[name].value


def test_a_0_in_a_compare_period_report_may_be_the_default() -> None:
    """These reports of 10.2 list every parameter, also those that nobody set."""
    text_ = samples.path("redo-compared.awr-diff-11.2.txt").read_text(encoding="utf-8")
    old = next(line for line in text_.splitlines() if line.startswith("db_block_size  "))
    more = old.replace("db_block_size         ", "fast_start_mttr_target").replace("8192", "0   ")
    report = api.load(text_.replace(old, f"{old}\n{more}").encode(), "compared")

    for period in report.periods:
        found = api.facts_of(period)["checkpoint.target_set"]
        assert ("no", "0, which is probably its default") == (found.value, found.note)


def test_before_10g_a_target_of_0_is_none() -> None:
    found = with_parameter("fast_start_mttr_target", "0", "redo-disk.statspack-9.2.lst")

    assert "no" == found.facts["checkpoint.target_set"].value


def test_8i_has_the_parameters_that_limit_its_recovery_in_the_report() -> None:
    text_ = samples.path("redo-disk.statspack-8.1.7.lst").read_text(encoding="utf-8")
    old = next(line for line in text_.splitlines() if line.startswith("log_checkpoint_interval"))
    set_ = f"{old[:-1]}100000\nlog_checkpoint_timeout        1800"
    status, _, said = called.call("mttr", "-", given=text_.replace(old, set_))

    assert 2 == status
    assert "In this report: LOG_CHECKPOINT_INTERVAL=100000 (49 MB of redo)" in said
    assert "LOG_CHECKPOINT_TIMEOUT=1800 (" in said
    assert "`awrlens analyze` shows" not in said


def recovery_words(begin: tuple[int, int, int], end: tuple[int, int, int]) -> tuple[str, ...]:
    tiles = first_screen.tiles(analysis(begin, end))
    return next(each.words for each in tiles if each.name == "recovery")


@pytest.mark.parametrize(
    ("begin", "end", "shown"),
    [
        ((40, 20000, 400000), (20, 9000, 190000), "estimated 20 to 40 s"),
        ((20, 9000, 190000), (40, 20000, 400000), "estimated 20 to 40 s"),
        ((39, 20000, 400000), (20, 9000, 190000), "estimated 20 s"),
        ((40, 20000, 400000), (180, 99000, 2400000), "estimated 40 s to 3 min"),
        ((300, 99000, 2400000), (4020, 990000, 24000000), "estimated 5 min to 1 h 07 min"),
        ((0, 284, 599), (60, 14752, 303421), "estimated 60 s"),  # 0 is not an estimate
    ],
)
def test_estimates_that_are_far_apart_are_shown_as_a_range(
    begin: tuple[int, int, int], end: tuple[int, int, int], shown: str
) -> None:
    assert recovery_words(begin, end)[0] == shown
