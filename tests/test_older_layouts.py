"""Statspack of 8.1.7 and 10.2: what they print is read, and what they lack is said, not guessed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import samples

from awrlens import api

EIGHT, TEN = samples.OLDER
NEWER = "redo-disk.statspack-11.2.txt"


@pytest.mark.parametrize("name", samples.OLDER)
def test_storage_is_judged_as_in_reports_of_later_releases(name: str) -> None:
    older, newer = samples.analysis(name).verdicts, samples.analysis(NEWER).verdicts

    for storage in ("redo_storage", "temp_storage", "undo_storage"):
        assert getattr(older, storage) == getattr(newer, storage)


def test_10_2_gives_the_findings_of_11_2() -> None:
    found = [(each.id, each.severity) for each in samples.analysis(TEN).findings]

    assert found == [(each.id, each.severity) for each in samples.analysis(NEWER).findings]


def test_8i_gives_those_findings_of_9_2_whose_sections_it_prints() -> None:
    older = {each.id for each in samples.analysis(EIGHT).findings}
    newer = {each.id for each in samples.analysis("redo-disk.statspack-9.2.lst").findings}
    skipped = {each.rule for each in samples.analysis(EIGHT).skipped}

    assert older <= newer
    assert newer - older <= skipped


@pytest.mark.parametrize(
    ("fact", "why"),
    [
        ("checkpoint.target_mttr_s", "Instance Recovery Stats is not in the report"),
        ("undo.snapshot_too_old", "Undo Segment Summary is not in the report"),
        ("pga.onepass", "is not in"),
        ("host.iowait_pct", "not in the report"),
        ("undo.tx_enqueue_wait_s", ""),
        ("checkpoint.fast_start_mttr_target_s", "this release does not have it"),
    ],
)
def test_what_8i_has_no_section_for_is_unavailable_and_never_zero(fact: str, why: str) -> None:
    found = samples.analysis(EIGHT).facts[fact]

    assert found.value is None
    assert why in found.note


def test_a_target_that_9i_does_not_print_has_its_default() -> None:
    found = samples.analysis("redo-disk.statspack-9.2.lst").facts

    assert "it has its default" in found["checkpoint.fast_start_mttr_target_s"].note


def test_the_cache_of_8i_is_its_blocks_times_their_size() -> None:
    found = samples.analysis(EIGHT).facts["load.buffer_cache_mb"]

    assert found.value == 2360
    assert "302080 buffers × 8192 B per block" in found.formula


def test_without_the_section_of_cache_sizes_the_cache_is_the_one_that_oracle_keeps() -> None:
    """Compare-period reports have the parameter only."""
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if "Buffer Cache:" not in line]
    place = next(n for n, line in enumerate(lines) if line.startswith("db_block_size "))
    lines.insert(place, "__db_cache_size               15737028608")
    found = api.facts_of(api.load("\n".join(lines).encode()))["load.buffer_cache_mb"]

    assert 15_008 == found.value


def test_centiseconds_of_8i_are_finer_than_the_seconds_of_9i() -> None:
    eight = samples.analysis(EIGHT).facts["redo.sync_wait_s"]
    nine = samples.analysis("redo-disk.statspack-9.2.lst").facts["redo.sync_wait_s"]

    # 9i prints 0 s beside 18 waits of 13 ms: their product says more than the rounded total
    assert eight.value == 0.23
    assert nine.value == pytest.approx(18 * 13 / 1000)


def test_the_line_of_the_host_is_read_beside_its_title() -> None:
    identity = samples.report(TEN).identity
    host = samples.report(TEN)["host"].rows[0]

    assert (identity.host, identity.cpus) == ("aultlab1", 2)
    assert host.number("memory_gb") == pytest.approx(8_254_390_272 / 1024**3, abs=1e-3)


@pytest.mark.parametrize("name", ["", "a-host-of-16-let"])
def test_a_host_without_name_or_with_a_long_one_loses_no_figure(name: str) -> None:
    text = samples.path(TEN).read_text(encoding="utf-8")
    line = f"Host  Name:   {name:<16} Num CPUs:"
    report = api.load(re.sub(r"Host  Name: .* Num CPUs:", line, text).encode(), TEN)

    assert (report.identity.host, report.identity.cpus) == (name or None, 2)
    assert report["host"].rows[0].number("memory_gb") == pytest.approx(7.6875)


def test_a_histogram_that_is_printed_twice_counts_its_work_areas_once() -> None:
    text = samples.path(TEN).read_text(encoding="utf-8")
    text = re.sub(r"^workarea executions .*\n", "", text, flags=re.M)
    pattern = r"^PGA Aggr Target Histogram.*?(?=\nPGA Memory Advisory)"
    section = re.search(pattern, text, re.S | re.M)
    assert section is not None
    twice = text.replace(section[0], section[0] + "\n" + section[0])
    found = api.facts_of(api.load(twice.encode(), TEN))

    assert found["pga.onepass"].value == 6
    assert found["pga.spilled_classes"].value == ("8M to 16M: 6 one-pass",)


def test_advice_names_no_parameter_that_a_release_lacks() -> None:
    def risks(name: str) -> str:
        found = samples.analysis(name).recommendations
        return " ".join(risk for each in found for risk in each.risks)

    for parameter in ("FAST_START_MTTR_TARGET", "ARCHIVE_LAG_TARGET"):
        assert parameter in risks(NEWER)
        assert parameter not in risks(EIGHT)


def host_of(folder: Path, name: str) -> str | None:
    """The host of a report of 9.2 whose column of 12 letters has this name."""
    text = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8")
    assert text.count("aultlab1") == 1
    path = folder / "report.lst"
    path.write_text(text.replace("aultlab1", name), encoding="utf-8")
    return api.load(path).identity.host


@pytest.mark.parametrize(
    ("printed", "host"),
    [
        ("aultlab1-ab", "aultlab1-ab"),
        ("aultlab1-abc", "aultlab1-abc"),
        ("aultlab1-abc\n" + " " * 67 + "d.example", "aultlab1-abcd.example"),
    ],
)
def test_a_host_that_goes_on_in_the_next_line_is_read_whole(
    printed: str, host: str, tmp_path: Path
) -> None:
    assert host_of(tmp_path, printed) == host
