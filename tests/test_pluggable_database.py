"""A report of one pluggable database says what only a report of the root shows."""

from __future__ import annotations

import samples

from awrlens import api
from awrlens.render import first_screen

PDB = "redo-disk.awr-pdb-19c.html"
ROOT = "take a report of the root (CDB$ROOT)"


def notes(text: str) -> str:
    return " ".join(each.message for each in api.load(text.encode()).warnings)


def test_a_report_of_a_pluggable_database_says_that_lgwr_is_not_in_it() -> None:
    text = samples.path(PDB).read_text(encoding="utf-8")
    name = samples.report(PDB).identity.container

    assert f"one pluggable database ({name})" in notes(text)
    assert ROOT in notes(text)


def test_the_write_times_of_the_root_are_not_ok_in_a_report_of_a_pluggable_database() -> None:
    tiles = {each.name: each for each in first_screen.tiles(samples.analysis(PDB))}

    assert tiles["redo"].severity == "unknown"
    assert tiles["redo"].words[0] == "LGWR's writes are only in the root's report"
    assert tiles["checkpoint"].severity == "warning"  # sessions of this database waited
    assert tiles["undo"].severity == "ok"


def test_a_report_of_the_root_does_not_ask_for_one() -> None:
    text = samples.path(PDB).read_text(encoding="utf-8")
    name = samples.report(PDB).identity.container or ""

    assert ROOT not in notes(text.replace(name, "CDB$ROOT"))


def test_a_report_of_a_container_that_has_the_waits_of_lgwr_does_not_ask_for_one() -> None:
    text = samples.path(PDB).read_text(encoding="utf-8")
    other = samples.path("redo-disk.awr-19c.html").read_text(encoding="utf-8")
    begin = other.index('<h3 class="awr">Background Wait Events')
    section = other[begin : other.index("<h3", begin + 1)]

    assert ROOT not in notes(text.replace("End of Report", f"{section}End of Report"))


def test_a_report_that_names_no_container_does_not_ask_for_one() -> None:
    whole = samples.path("redo-disk.awr-19c.html").read_text(encoding="utf-8")

    assert ROOT not in notes(whole)


def test_a_comparison_of_snapshots_of_a_pluggable_database_says_that_lgwr_is_not_in_it() -> None:
    text = samples.path("redo-compared.awr-diff-11.2.html").read_text(encoding="utf-8")
    banner = "WORKLOAD REPOSITORY COMPARE PERIOD REPORT"

    assert ROOT not in notes(text)
    assert f"{ROOT} for the same intervals" in notes(
        text.replace(banner, f"{banner} (PDB snapshots)")
    )
