"""Lets test modules import the helpers that stand beside them, and settles how they invent.

`make test` invents the same examples every time, so that a change is judged by what it changed;
`make nightly` invents new ones, and many more of them.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

# so few that all tests together take minutes; `make nightly` has many
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=15)
settings.register_profile("nightly", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("AWRLENS_EXAMPLES", "steady"))


#: Modules and tests that take long, and of how many reports or other cases they take one, in turn
#: from commit to commit; all by `make nightly`. The tests of a module take the same ones, so that
#: what they share is made once.
_OF_CASES = dict.fromkeys(
    ("test_store_judging.py", "test_recovery_agrees.py", "test_claims_disabled.py"), 12,
) | dict.fromkeys(("test_redact.py", "test_metamorphic.py"), 24) | dict.fromkeys(
    ("test_saved_pages.py", "test_whole_figures.py", "test_round_trip.py", "test_locales.py",
     "test_around_lines.py", "test_corpus_compare.py", "test_compare_agreement.py",
     "test_address_space.py", "test_commands.py", "test_refusals.py",
     "test_advisor.py::test_every_real_report_has_its_targets_or_says_what_it_lacks",
     "test_bad_input.py::test_line_ends_and_encodings_change_nothing",
     "test_corpus_facts.py::test_every_number_stands_on_the_line_that_its_evidence_names",
     "test_consistency.py::test_a_comparison_is_as_severe_as_its_second_side",
     "test_consistency.py::test_no_share_is_above_100_pct",
     "test_consistency.py::test_a_trend_says_the_same_of_an_interval",
     "test_corpus_reading.py::test_every_printed_figure_is_read_as_a_number",
     "test_corpus_reading.py::test_html_cells_are_those_of_an_independent_parser",
     "test_exhibits.py::test_every_real_report_can_be_shown",
     "test_fuzzing.py::test_mutated_reports_are_read_right_or_not_at_all",
     "test_simulation.py::test_every_real_report_is_a_load_or_says_what_it_lacks",
     "test_simulation_documents.py::test_recovery_and_writes_of_each_target_of_table_1"), 3,
)  # fmt: skip
#: The same of the tests that are marked `outside`.
_OUTSIDE = {
    "test_attacks.py": 60, "test_cut_and_mixed_texts.py": 20, "test_growth.py": 8,
    "test_hostile.py::test_every_reproduction_ends_in_time": 4, "test_store_survives.py": 3,
    "test_trend_page.py": 2,
}  # fmt: skip
#: How readers are tried with what is broken and invented: they are the same if these are.
_READERS = ("awrlens/(source|report|grammar|redact)/", "grammars/", "awrlens/units.py")
#: Tests of rooms that the core does not know, and of readers, with the files that they are about:
#: in a run of everything one of TURNS has its turn if neither its module nor these changed of late.
_ROOMS = {
    r"test_(store|fleet|watch)": ("awrlens/fleet/",),
    r"test_serve": ("awrlens/serve/",),
    r"test_mcp": ("awrlens/mcp/",),
    r"test_(simulation|buddies)|test_claims.py::test_the_claim_holds\[S2": ("awrlens/lab/",),
    r"test_(trend_page|html_browser|compare_browser)": ("awrlens/render/",),
    r"test_plugins": ("awrlens/extensions.py", "awrlens/rules/base.py"),
    r"test_scripts": ("awrlens/scripts/",),
    r"test_(mutants|release)": ("tools/",),
    r"test_(packaging|ready_to_use)": (
        "ci/", r"action\.yml", "pyproject", "tools/metadata", r"\.pre-commit", "Container", "req",
    ),
    r"test_(fuzzing|attacks|growth|metamorphic)": _READERS,
    r"test_hostile": (*_READERS, "awrlens/(cli|render)/"),
}  # fmt: skip
TURNS = 3
#: The number of commits whose changes count.
_LATE, _UNKNOWN = 3, "unknown"
#: Modules whose tests call commands for the same reports again and again (read_once.py).
_READING_ONCE = {
    f"test_{name}.py" for name in (
        "around_lines", "budgets_commands", "budgets_printed", "budgets_windows", "check",
        "check_outputs", "claims", "cli", "commands", "compare_agreement", "compare_fairness",
        "compare_output", "config", "corpus_compare", "excerpt_screens", "exhibits", "first_screen",
        "gate", "html_page", "injection", "integrity", "outputs", "parts", "record",
        "recovery_agrees", "recovery_pages", "refusals", "simulation", "trend_changes",
        "trend_command", "trust", "watch", "whatif", "width",
    )
}  # fmt: skip


def _git(*arguments: str) -> str | None:
    """What git says of this checkout; None where it cannot."""
    with suppress(OSError, subprocess.CalledProcessError):
        return subprocess.run(
            ["git", *arguments], cwd=HERE, capture_output=True, check=True, text=True
        ).stdout
    return None


if "AWRLENS_TURN" not in os.environ:  # the processes of a run have one
    # the number of commits, by which other cases are tried after every commit
    os.environ["AWRLENS_TURN"] = (_git("rev-list", "--count", "HEAD") or "0").strip()
if "AWRLENS_CHANGED" not in os.environ:  # the same
    # the files that changed of late; all may have where nothing is known of it
    os.environ["AWRLENS_CHANGED"] = _git("diff", "--name-only", f"HEAD~{_LATE}") or _UNKNOWN
TURN = int(os.environ["AWRLENS_TURN"])


def pytest_report_header() -> str:
    return f"AWRLENS_TURN={TURN} tries the same samples"


def _quiet_rooms(config: pytest.Config) -> re.Pattern[str] | None:
    """The tests of rooms without late changes, in a run of everything; else None."""
    changed = os.environ["AWRLENS_CHANGED"]
    if config.args != config.getini("testpaths") or changed == _UNKNOWN:
        return None
    quiet = [
        tests
        for tests, files in _ROOMS.items()
        if not re.search(f"^({'|'.join(files)}|tests/({tests.partition('.py')[0]}))", changed, re.M)
    ]
    return re.compile(f"tests/({'|'.join(quiet)})") if quiet else None


def _sample(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one of so many cases of what takes long, and what is not for the night; at night all.

    A test of which no case has its turn tries one, unless it is of a room without late changes.
    """
    if os.environ.get("AWRLENS_EXAMPLES") == "nightly":
        return
    quiet = _quiet_rooms(config)
    numbers: dict[str, dict[str, int]] = {}
    cases: dict[str, list[tuple[pytest.Item, bool]]] = {}
    for item in items:
        if item.get_closest_marker("nightly"):
            continue
        test, _, case = item.nodeid.partition("[")
        known = numbers.setdefault(item.path.name, {})
        number = known.setdefault(case, len(known) + zlib.crc32(item.path.name.encode()))
        outside = any(map(item.get_closest_marker, ("outside", "browser", "packaging")))
        several = _OUTSIDE if outside else _OF_CASES
        names = item.path.name, test.rpartition("/")[2]
        one_of = max(several.get(name, 1) for name in names) if case else 1
        waits = (zlib.crc32(item.nodeid.encode()) + TURN) % TURNS
        if waits and one_of == 1 and quiet and quiet.search(item.nodeid):
            continue
        cases.setdefault(test, []).append((item, (number + TURN) % one_of == 0))
    kept: set[pytest.Item] = set()
    for each in cases.values():
        kept.update([item for item, has_turn in each if has_turn] or [each[TURN % len(each)][0]])
    items[:] = [item for item in items if item in kept]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the tests that invent their examples or read real reports, and puts all in order.

    What takes longest begins first, then all that needs a browser and what waits for servers and
    other processes, so that other workers take over the rest. The tests of one report follow each
    other, so that it is read and analyzed once for all of them.
    """
    _sample(config, items)
    import browser
    import corpus
    import samples

    turns = {}
    for item in items:
        report = corpus.named(item.name)
        if item.get_closest_marker("packaging"):
            turns[item] = 0, ""
        elif item.get_closest_marker("browser"):
            turns[item] = 1, ""
        elif item.get_closest_marker("outside"):
            turns[item] = 2, ""
        else:
            turns[item] = (3, report.file) if report else (4, "")
        if report and report.folder == corpus.CORPUS:
            item.add_marker(pytest.mark.corpus)
        elif report and report.file not in samples.EVERYDAY:
            item.add_marker(pytest.mark.every)
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.function):
            item.add_marker(pytest.mark.properties)
        if item.get_closest_marker("browser") or item.get_closest_marker("packaging"):
            item.add_marker(pytest.mark.outside)
        if item.get_closest_marker("browser") and browser.CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason=browser.ABSENT))
    items.sort(key=turns.__getitem__)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Ends the browser after the last of the tests in it."""
    if item.get_closest_marker("browser") and not (
        nextitem and nextitem.get_closest_marker("browser")
    ):
        import browser

        browser.close()


@pytest.fixture(autouse=True, scope="module")
def _reads_once(request: pytest.FixtureRequest) -> Iterator[None]:
    import read_once

    with read_once.reading_once() if request.path.name in _READING_ONCE else nullcontext():
        yield


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected lives to the end: nobody needs to look for garbage in it."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
