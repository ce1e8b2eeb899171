"""Shares of what DBWR writes: of blocks written from the cache, where a release counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from figures import analysis, facts, section, statistics

if TYPE_CHECKING:
    from awrlens.model import Fact

ACTIVITY = section(
    "Checkpoint Activity",
    ("MTTR Writes", "Log Size Writes", "Log Ckpt Writes", "Other Settings Writes",
     "Autotune Ckpt Writes", "Thread Ckpt Writes"),
    ["0 | 0 | 0 | 0 | 360 | 90"],
)  # fmt: skip
#: As 10g and later count: nine of ten writes are direct ones of sessions.
SINCE_10G = ("physical writes | 5,000", "physical writes from cache | 500",
             "physical writes non checkpoint | 4,700")  # fmt: skip


def test_undo_blocks_are_a_share_of_what_dbwr_writes_not_of_direct_writes() -> None:
    found = facts(statistics("DBWR undo block writes | 300", *SINCE_10G))["undo.block_write_pct"]

    assert found.value == 60.0
    assert "500 writes from cache" in found.formula
    assert found.note == "6 % of all 5,000 physical writes, direct ones included"


def test_before_10g_direct_writes_are_subtracted() -> None:
    counted = ("DBWR undo block writes | 300", "physical writes | 5,000")

    def share(*rows: str) -> Fact:
        listed = statistics(*counted, *rows)
        return analysis(listed, release="9.2.0.8.0", elapsed_s=200_000.0).facts[
            "undo.block_write_pct"
        ]

    alone, found = (share(f"physical writes direct | {count}") for count in ("0", "4,400"))
    lost = facts(statistics(*counted))["undo.block_write_pct"]

    assert alone.value == 6.0
    assert alone.note == ""
    assert lost.value is None  # 10g and later list `physical writes from cache`
    assert found.value == 50.0
    assert found.note == "6 % of all 5,000 physical writes, direct ones included"


def test_checkpoint_activity_and_its_causes_are_shares_of_writes_from_the_cache() -> None:
    found = facts(ACTIVITY, statistics(*SINCE_10G))

    assert found["checkpoint.write_pct"].value == 90.0
    assert found["checkpoint.autotune_write_pct"].value == 72.0
    assert found["checkpoint.thread_write_pct"].value == 18.0


def test_only_dbwrs_own_count_replaces_checkpoint_activity() -> None:
    """Writes that are no checkpoints are another quantity: up to 91 points apart."""
    count = "DBWR checkpoint buffers written | 450"
    counted = facts(statistics(count, *SINCE_10G))["checkpoint.write_pct"]
    lost = facts(statistics(*SINCE_10G))["checkpoint.write_pct"]

    assert counted.value == 90.0
    assert "DBWR's own count" in counted.note
    assert lost.value is None
    assert "`DBWR checkpoint buffers written` is not in" in lost.note


def test_a_little_more_than_all_is_shown_as_it_is_and_said() -> None:
    count = "DBWR checkpoint buffers written | 501"
    found = facts(statistics(count, *SINCE_10G))["checkpoint.write_pct"]

    assert found.number is not None
    assert found.number > 100
    assert "above 100 %" in found.note


def test_far_more_than_all_is_a_contradiction() -> None:
    found = analysis(statistics("DBWR checkpoint buffers written | 9,000", *SINCE_10G))
    (warning,) = [each for each in found.warnings if each.contradicts]

    assert found.facts["checkpoint.write_pct"].value is None
    assert "= 1,800 %, more than the whole: the two contradict" in warning.message
