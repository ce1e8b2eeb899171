"""Figures that cannot be true: no fact rests on them, a warning says so, a strict check fails."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import samples
from called import call

from awrlens import api

if TYPE_CHECKING:
    from pathlib import Path

TEXT = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
WRITE, SYNC = "log file parallel write", "log file sync"
#: What is changed, what stays before it, the fact that rests on it, and what is said.
CASES = {
    "total": (f"{WRITE} +405,691 +0 +", "7,247", "999,999", "redo.lgwr_busy_pct", "more than LGWR"),
    "waits": (f"{WRITE} +", "405,691", "    7", "redo.parallel_write_ms", "7 waits of 18 ms"),
    "average": (f"{SYNC} +18 +0 +", "13", "99", "redo.sync_ms", "18 waits of 99 ms"),
    "all together": (
        "db file parallel write +", "47,212 +1,622 +34", "472,220 9,999,999 21,176",
        "checkpoint.dbwr_busy_pct", "more than all DBWR processes have",
    ),
    "share": (
        f"{WRITE} +405,691 +", "0", "140", "redo.parallel_write_timeout_pct",
        "`140`, which is not possible",
    ),
    "DB time": ("DB Time: +", "160.88", "900000.00", "load.db_time_s", "sessions have in"),
    "another DB time": ("DB Time: +", "160.88", "260.88", "load.db_time_s", "the time model has"),
    "part": (
        "physical writes +", "1,370,274", "        5", "temp.block_write_pct",
        "more than the whole: the two contradict each other",
    ),
}  # fmt: skip


def changed(before: str, was: str, now: str) -> str:
    """The sample with one figure changed, in as many columns."""

    def other(found: re.Match[str]) -> str:
        more = len(now) - len(found[2])
        return found[1][: len(found[1]) - max(0, more)] + now.rjust(len(found[2]))

    text, count = re.subn(f"({before})({was})", other, TEXT, count=1)
    assert count
    return text


@pytest.mark.parametrize(("before", "was", "now", "name", "said"), CASES.values(), ids=CASES)
def test_no_fact_rests_on_what_cannot_be_true(
    before: str, was: str, now: str, name: str, said: str
) -> None:
    found, true = (
        api.analyze(api.load(text.encode(), "text")) for text in (changed(before, was, now), TEXT)
    )

    assert true.facts[name].value is not None
    assert not [each for each in true.warnings if each.contradicts]
    assert found.facts[name].value is None
    assert any(said in each.message for each in found.warnings if each.contradicts)


def test_a_count_beyond_64_bits_is_a_difference_below_0() -> None:
    page = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    row = "(physical writes direct temporary tablespace</td><td[^>]*>)[0-9,]+"
    found = api.analyze(api.load(re.sub(row, rf"\g<1>{2**64 - 1:,}", page).encode(), "page"))

    assert found.facts["temp.direct_mb"].value is None
    assert any("which is not possible" in e.message for e in found.warnings if e.contradicts)


def test_a_strict_check_fails_for_contradictions_whatever_is_selected(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    file.write_text(changed(*CASES["average"][:3]), encoding="utf-8")
    asked = ("check", str(file), "--select", "TEMP001")
    loose, _, _ = call(*asked)
    strict, _, errors = call(*asked, "--strict")

    assert (loose, strict) == (0, 3)
    assert "its figures contradict each other" in errors
