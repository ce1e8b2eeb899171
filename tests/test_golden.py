"""Each specimen in golden/ reads as the JSON beside it says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from golden_pairs import GOLDEN, dump, read, remarks, specimens

from awrlens.grammar import catalogue

if TYPE_CHECKING:
    from pathlib import Path

SPECIMENS = [pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in specimens()]

#: Sections that facts and rules rest on: each must have a golden pair.
IMPORTANT = """
    database instance host snapshots load_profile load_ratios io_profile cache_sizes
    instance_efficiency memory_statistics top_events time_model wait_classes wait_events
    wait_events_fg_bg foreground_events background_events event_histogram event_histogram_2s
    event_histogram_counts host_cpu instance_cpu os_statistics instance_activity
    instance_activity_absolute instance_activity_thread io_by_function io_by_filetype
    io_by_function_filetype tablespace_io file_io buffer_pool buffer_waits checkpoint_activity
    instance_recovery mttr_advisory pga_summary pga_target pga_histogram pga_advisory
    buffer_pool_advisory sga_breakdown process_memory undo_summary undo_stats rollback_stats
    rollback_storage enqueues latch_activity latch_sleeps latch_children sql_by_gets
    sql_by_elapsed segments_by_row_lock_waits services service_waits parameters parameters_multi
""".split()  # noqa: SIM905 - a list of a hundred lines says no more
#: Sections whose text and HTML forms are both to be shown.
BOTH_FORMS = """
    snapshots load_profile top_events background_events event_histogram host_cpu instance_cpu
    instance_activity io_by_function tablespace_io checkpoint_activity instance_recovery
    undo_summary sql_by_elapsed parameters wait_events foreground_events time_model
    addm_report
""".split()  # noqa: SIM905 - as above


@pytest.mark.parametrize("specimen", SPECIMENS)
def test_a_specimen_reads_as_its_golden_says(specimen: Path) -> None:
    expected = json.loads(specimen.with_suffix(".json").read_text(encoding="utf-8"))
    assert read(specimen) == expected


@pytest.mark.parametrize("specimen", SPECIMENS)
def test_a_specimen_is_small_and_leaves_no_line_unread(specimen: Path) -> None:
    expected = json.loads(specimen.with_suffix(".json").read_text(encoding="utf-8"))
    unnamed = [name for table in expected["tables"].values() for name in table["undescribed"]]
    assert unnamed == [], "headings that no column of the description has"
    assert expected["unread"] == 0, "\n".join(remarks(specimen))
    text = specimen.read_text(encoding="utf-8")
    assert expected["tables"] or "No data exists" in text, "nothing is read"
    assert text.count("\n") <= 32


def test_every_important_section_has_a_golden_pair() -> None:
    shown: dict[str, set[str]] = {}
    for specimen in specimens():
        expected = json.loads(specimen.with_suffix(".json").read_text(encoding="utf-8"))
        for name, table in expected["tables"].items():
            if table["rows"]:  # parts of a report have their number before the name
                shown.setdefault(name.rpartition(" ")[2], set()).add(specimen.suffix)
    assert [name for name in IMPORTANT if name not in shown] == []
    assert [name for name in BOTH_FORMS if len(shown[name]) < 2] == []
    assert set(shown) <= set(catalogue.load().names)


def test_every_specimen_has_its_own_json_and_every_json_its_specimen() -> None:
    stems = [path.with_suffix("") for path in specimens()]
    assert len(stems) == len(set(stems))
    assert sorted(GOLDEN.glob("*/*.json")) == [
        stem.with_name(f"{stem.name}.json") for stem in stems
    ]


def test_every_specimen_is_text_or_a_page_in_the_folder_of_a_section() -> None:
    files = list(GOLDEN.glob("*/*"))
    folders = {path.parent.name for path in files}

    assert [] == [path for path in files if path.suffix not in (".txt", ".html", ".json")]
    assert {"header"} == folders - set(catalogue.load().names), "no section has this name"


def test_a_wrong_golden_is_noticed() -> None:
    """Any figure, unit or count that differs from what is read makes a pair fail."""
    specimen = GOLDEN / "checkpoint_activity" / "awr-12.2.txt"
    right = read(specimen)
    text = dump(right)
    assert json.loads(text) == right
    for old, new in (
        ("140220", "140221"),
        ('"autotune_writes [count]"', '"autotune_writes [s]"'),
        ('"unread": 0', '"unread": 1'),
        ("271900", "null"),
        ("311", "null"),
    ):
        assert old in text
        assert json.loads(text.replace(old, new)) != right


def test_a_line_that_is_no_part_of_a_table_is_counted_as_unread(tmp_path: Path) -> None:
    specimen = GOLDEN / "instance_recovery" / "statspack-9.2.txt"
    spoiled = tmp_path / specimen.name
    text = specimen.read_text(encoding="utf-8")
    spoiled.write_text(
        text.replace("E   120", "ORA-03113: end-of-file on communication channel\nE   120"),
        encoding="utf-8",
    )
    assert read(spoiled)["unread"] == 1
    assert read(spoiled)["tables"] == read(specimen)["tables"]


def test_whoever_writes_a_specimen_is_shown_the_figures_that_are_words() -> None:
    page = GOLDEN / "exadata_small_read_histogram" / "19c.html"

    assert ["Single Block Reads, flash, <32us: '<0.01(9)'"] == [
        each.removeprefix("null, because it is not a figure: ") for each in remarks(page)
    ]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("ORDERS_CAPTURE ", "ORA-00600: internal error code\nORDERS_CAPTURE ", "'ORA-00600: int"),
        ("Rule   Enq ", "Rule   Eqn ", "has the heading 'Eqn Time %'"),
        ("Streams Capture ", "Streams Captures ", "nothing is read: none of its titles"),
    ],
)
def test_whoever_writes_a_specimen_is_shown_what_no_description_knows(
    old: str, new: str, says: str, tmp_path: Path
) -> None:
    text = (GOLDEN / "streams_capture" / "statspack-11.2.txt").read_text(encoding="utf-8")
    spoiled = tmp_path / "statspack-11.2.txt"
    spoiled.write_text(text[: text.index("Propagation Sender")].replace(old, new), encoding="utf-8")

    assert says in "\n".join(remarks(spoiled))
