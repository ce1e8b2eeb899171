"""Inputs that once gave wrong facts without a word, as an audit wrote them.

They stand beside the checkout (``../shared/repro``) and are no part of it; each test is skipped
where they are absent. What is built of our own samples to the same end is tested in
``test_whole_figures``, ``test_locales``, ``test_sources``, ``test_several_databases`` and
``test_excerpts``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import samples

from awrlens import api
from awrlens.errors import AwrlensError, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Status

FOLDER = Path(__file__).resolve().parent.parent.parent / "shared" / "repro"
REDO = "redo-disk.awr-11.2.txt"


def path(name: str) -> Path:
    found = FOLDER / name
    if not found.exists():
        pytest.skip(f"../shared/repro/{name} is not there")
    return found


def all_facts(name: str) -> list[Mapping[str, Fact]]:
    found = []
    for report in api.load_all(path(name)):
        assert not isinstance(report, AwrlensError), report
        found.append(api.facts_of(report))
    return found


def values(facts: Mapping[str, Fact]) -> dict[str, object]:
    return {name: fact.value for name, fact in facts.items() if fact.status != "unavailable"}


@pytest.mark.parametrize("name", ["host-is-ip.txt", "two-blanks-in-event.txt"])
def test_what_says_the_same_gives_the_same_facts(name: str) -> None:
    (found,) = all_facts(name)
    assert values(found) == values(api.facts_of(samples.report(REDO)))


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("overflow-checkpoint-activity.txt", {"checkpoint.write_pct", "checkpoint.main_cause"}),
        ("figure-cut-in-two.txt", set()),
    ],
)
def test_what_cannot_be_read_is_unavailable_and_changes_no_other_fact(
    name: str, lost: set[str]
) -> None:
    (found,) = all_facts(name)
    known = values(api.facts_of(samples.report(REDO)))
    assert lost <= known.keys() - values(found).keys()
    assert {each: known[each] for each in values(found)} == values(found)


@pytest.mark.parametrize("width", [49, 77])
def test_a_cut_report_is_refused(width: int) -> None:
    with pytest.raises(UnreadableError, match=f"cut off at column {width}"):
        api.load(path(f"cut-at-{width}-columns.txt"))


def test_the_second_report_of_a_session_lends_nothing_to_the_first() -> None:
    first, second = all_facts("two-reports-prompt.txt")
    assert first["redo.write_count"].status == "unavailable"
    assert first["temp.reads_per_s"].status == "unavailable"
    assert second["redo.write_count"].value == 121_204


def test_waits_of_sessions_come_of_no_list_of_all_processes() -> None:
    (found,) = all_facts("statspack-19c-no-fg-list.txt")
    assert found["load.data_read_wait_s"].number == pytest.approx(63.5, abs=0.1)


def test_sections_of_two_databases_are_two_reports() -> None:
    before, after = all_facts("mail2.txt")
    assert before["redo.write_count"].status == "unavailable"
    assert after["redo.parallel_write_ms"].status == "unavailable"
    assert after["redo.write_count"].value == 5_313_254


@pytest.mark.parametrize("name", ["fig4.txt", "ia_tabs.txt", "ia_bars.md"])
def test_no_list_is_taken_for_another(name: str) -> None:
    (found,) = all_facts(name)
    # figure 4 has 385 + 122 s in a list whose time is waits times average; others have no such list
    waited = (507, 385) if name == "fig4.txt" else (None, None)
    names = "redo.log_switch_wait_s", "checkpoint.incomplete_wait_s"
    assert waited == tuple(found[fact].value for fact in names)
    # figure 4 has a Load Profile of its own; Instance Activity is none, and has the same rates
    own: Status = "measured" if name == "fig4.txt" else "estimated"
    for fact, value in {"load.physical_reads_per_s": 106.7, "load.executes_per_s": 5757.5}.items():
        assert found[fact].number == pytest.approx(value, abs=0.06), fact
        assert found[fact].status == own, fact
    assert found["redo.write_count"].value == 405_691
