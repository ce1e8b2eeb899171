"""Memory that a 32-bit Oracle cannot address is not advised."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import corpus
import figures
import pytest
import samples
from test_commands import case_of, worded

from awrlens import api
from awrlens.advice import temp
from awrlens.model import Fact, Recommendation

#: The SGA of the reports of 8.1.7.4.1 on Windows, and their sessions.
ON_WINDOWS: dict[str, Any] = {
    "database.address_space": "32-bit Windows", "database.sga_mb": 1_403.0, "load.sessions": 215.0,
}  # fmt: skip
ADVISED: dict[str, Any] = {
    "pga.target_mb": 500.0, "pga.recommended_ends_pct": 86.0, "pga.work_area_policy": "auto",
}  # fmt: skip


def facts_on(platform: str, folder: Path) -> Mapping[str, Fact]:
    """The facts of a sample with another platform."""
    text = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    assert "Linux x86 64-bit" in text
    path = folder / "report.html"
    path.write_text(text.replace("Linux x86 64-bit", platform), encoding="utf-8")
    return api.facts_of(api.load(path))


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("Microsoft Windows IA (32-bit)", "32-bit Windows"),
        ("Linux IA (32-bit)", "32-bit"),
        ("Microsoft Windows x86 64-bit", "64-bit"),
    ],
)
def test_a_printed_platform_says_whether_oracle_is_32_bit(
    platform: str, expected: str, tmp_path: Path
) -> None:
    assert facts_on(platform, tmp_path)["database.address_space"].value == expected


def test_a_report_without_platform_and_drives_does_not_say_whether_oracle_is_32_bit() -> None:
    found = samples.analysis("redo-disk.statspack-8.1.7.lst").facts["database.address_space"]

    assert (found.status, found.value) == ("unavailable", None)


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        ("8.1.7.4.1", "32-bit Windows"),
        ("9.2.0.8.0", "Windows"),
        ("11.2.0.4.0", "Windows"),
        ("12.1.0.2.0", "64-bit"),
    ],
)
def test_files_on_drives_and_the_release_say_as_much_as_they_can(
    release: str, expected: str
) -> None:
    files = figures.files(r"USERS | C:\ORADATA\USERS01.DBF | 1 | 1 | 1.0 | 1.0 | 1 | 1 | 0 | 0.0")
    found = figures.analysis(files, release=release, platform="").facts["database.address_space"]

    assert (found.value, found.status) == (expected, "estimated")


@corpus.over("statspack-text", "awr-text", "awr-html")
def test_only_8i_on_drives_is_taken_for_32_bit_without_a_platform(entry: corpus.Entry) -> None:
    facts = corpus.analysis(entry).facts
    space, sga = facts["database.address_space"].value, facts["database.sga_mb"].number
    if entry.folder == corpus.CORPUS and entry.release.startswith("8.1.7"):
        assert space == "32-bit Windows"
    else:
        assert space != "32-bit Windows"
    assert sga is None or space is None or sga <= 4096 or space == "64-bit"


def said(item: Recommendation | None) -> str:
    assert item is not None
    return " ".join(item.risks)


def test_work_areas_of_8i_on_windows_have_what_the_sga_leaves() -> None:
    """(2,048 - 1,403) MB / 215 sessions = 3 MB."""
    (*_, item) = worded("size-work-areas", "8.1.7.4.1", **ON_WINDOWS)

    assert "the SGA (1,403 MB) and all sessions share the 2 GB" in said(item)
    assert "ORA-04030" in said(item)
    assert "at most 3 MB is left for each of the 215 sessions" in said(item)


def test_an_sga_above_2_gb_shows_the_larger_address_space() -> None:
    """(3,072 - 2,500) MB / 215 sessions = 2.66 MB."""
    (*_, item) = worded("size-work-areas", "8.1.7.4.1", **ON_WINDOWS | {"database.sga_mb": 2500.0})

    assert "Of 3 GB, at most 2.7 MB is left" in said(item)


@pytest.mark.parametrize(("target", "fits"), [(1_600.0, True), (1_700.0, False)])
def test_a_pga_target_beyond_the_process_is_not_applied(target: float, *, fits: bool) -> None:
    facts = ON_WINDOWS | ADVISED | {"pga.recommended_target_mb": target}
    item = temp.more_work_area_memory(case_of("9.2.0.8.0", "TEMP003", **facts))

    assert item is not None
    assert ("apply" if fits else "tune-first") == item.status
    assert fits == any("ALTER SYSTEM" in each for each in item.commands)
    assert fits or item.title.startswith("Use 64-bit Oracle, or a smaller SGA")


@pytest.mark.parametrize("space", ["64-bit", None])
def test_64_bit_oracle_has_no_such_risk(space: str | None) -> None:
    for name in ("size-work-areas", "relieve-dbwr", "asynchronous-io", "test-direct-io"):
        for item in worded(name, "11.2.0.4.0", **{"database.address_space": space}):
            assert "32-bit" not in said(item)


def test_where_it_is_not_known_the_risk_is_a_condition() -> None:
    (*_, item) = worded("size-work-areas", "9.2.0.4.0", **{"database.address_space": "Windows"})

    assert "If Oracle is 32-bit on this Windows host" in said(item)
