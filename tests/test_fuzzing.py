"""Mutated reports: a short run of ``make fuzz``, what longer ones found, and whether it can find.

The files of `tests/fuzz_corpus/` are what was found; `make nightly` tries many more.
"""

from __future__ import annotations

import os
import time
import tomllib
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from fuzzing import known, properties, run, work
from fuzzing.document import NAMES, Base, Doc, base, lines_of
from fuzzing.mutators import ALL, BY_NAME

from awrlens import api
from awrlens.errors import AwrlensError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Evidence, Fact

#: Inputs of a test run; the nightly run tries more and others: see the Makefile.
BLOCKS, OF_A_BLOCK = 4, 96
pytestmark = pytest.mark.slow
CASES = tomllib.loads((known.CORPUS / "cases.toml").read_text(encoding="utf-8"))["case"]


def case(each: dict[str, Any]) -> Any:
    """A case as a parameter; what is not mended yet is expected to fail."""
    marks = [pytest.mark.xfail(reason=each["was"], strict=False)] if each.get("open") else []
    return pytest.param(each, id=each["file"], marks=marks)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_mutated_reports_are_read_right_or_not_at_all(block: int) -> None:
    found = []
    for number in range(block * OF_A_BLOCK, (block + 1) * OF_A_BLOCK):
        each = run.made(number)
        found += [
            f"{number} ({'+'.join(each.mutators)}) {finding}"
            for finding in run.examined(each, timed=False)
            if known.why(finding, each.mutators, each.known.base.sample) is None
        ]
    assert found == [], "make fuzz REPLAY=number tells more"


@pytest.mark.parametrize("each", [case(each) for each in CASES])
def test_what_was_found_stays_mended(each: dict[str, Any]) -> None:
    path = known.CORPUS / each["file"]
    data = path.read_bytes()
    text = data.decode()
    page = path.suffix == ".html"
    with properties.limited(properties.allowed_s(len(data)) * 10):
        found = properties.read(data)
        problems = [*properties.evidence(found.facts, text, page_=page)]
        problems += properties.excerpts(found.facts)
        for number in range(5):
            problems += properties.shown(found, number)
    assert problems == []
    for name, value in each.get("facts", {}).items():
        expected = None if value == "unavailable" else pytest.approx(value)
        assert expected == found.facts[name].value, name
    for name, status in each.get("status", {}).items():
        assert status == found.facts[name].status, name


def test_every_file_of_the_corpus_is_a_case() -> None:
    files = {path.name for path in known.CORPUS.iterdir() if path.suffix != ".toml"}
    assert files == {each["file"] for each in CASES}


def test_an_error_stands_in_the_place_of_its_report() -> None:
    path = known.CORPUS / "banner-cut-from-its-title.html"
    # without the lines of its header, its first page may be of either database
    header = (b"DB Name", b"Begin Snap:", b"Elapsed:")
    lines = path.read_bytes().split(b"\n")
    kept = b"\n".join(line for line in lines if not line.lstrip().startswith(header))
    found = list(api.load_all(kept, path.name))
    assert any(isinstance(each, AwrlensError) for each in found)


# Whether it can find something.


def test_an_input_is_known_by_its_number() -> None:
    one = [run.made(number).data for number in range(40, 72)]
    run.known.cache_clear()
    assert one == [run.made(number).data for number in range(40, 72)]
    assert len(set(one)) > 24


def test_every_mutator_is_used_and_every_sample_too() -> None:
    used = {name for number in range(960) for name in run.made(number).mutators}
    assert used == set(BY_NAME)
    assert {base(number).sample for number in range(400)} == set(NAMES)
    assert len(ALL) == len(BY_NAME)


def test_a_title_that_is_another_may_leave_its_section_to_others() -> None:
    for title in ("Time Model  DB/Inst: A/a  Snaps: 1-2", "Load for DB: A  Instance: a"):
        doc = Doc(Base("x.txt", ("head", title, "", "row 1")), {})
        doc.changed.add(4)
        assert not doc.renamed
        doc.changed.add(2)
        assert doc.renamed


def planted(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Makes awrlens tell every fact otherwise."""
    before = api.facts_of

    def after(report: Any) -> Mapping[str, Fact]:
        return {name: change(fact) for name, fact in before(report).items()}

    monkeypatch.setattr(api, "facts_of", after)


def kinds(numbers: range) -> set[str]:
    """Kinds of findings of some inputs."""
    return {found.kind for number in numbers for found in run.examined(run.made(number))}


def below(item: Evidence) -> int:
    """A line that a cell does not stand in."""
    return (item.line or 0) + 4


def test_evidence_in_another_line_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def shift(fact: Fact) -> Fact:
        moved = [item._replace(find_line=partial(below, item)) for item in fact.evidence]
        return fact._replace(evidence=tuple(moved))

    run.made(64)
    planted(monkeypatch, shift)
    assert "evidence" in kinds(range(64, 72))


def test_a_fact_that_does_not_cite_what_changed_is_found() -> None:
    given = run.read(Base("redo-disk.awr-11.2.txt", lines_of("redo-disk.awr-11.2.txt")))
    doc, before = Doc(given.base, given.cells), given.facts
    old = before["redo.write_ms"]
    assert isinstance(old.value, float)
    doc.spoilt = set(old.origins)

    def found(value: float | None, mutators: tuple[str, ...] = ("overflown",)) -> list[str]:
        after = {"redo.write_ms": old._replace(value=value)}
        return [each.what for each in properties.facts(doc, mutators, before, after)]

    assert found(old.value) == found(None) == found(old.value * 1.1) == []
    assert found(old.value * 9) == ["redo.write_ms"]
    assert found(0) == ["redo.write_ms"]
    doc.spoilt, doc.changed = set(), set(old.origins)
    assert found(old.value * 9) == []
    doc.changed = {10**6}
    assert found(old.value * 1.01) == ["redo.write_ms"]
    doc.changed = set()
    assert found(None) == ["redo.write_ms"]  # nothing was changed at all


def test_another_section_may_tell_what_stood_under_a_damaged_title() -> None:
    given = run.read(Base("redo-disk.awr-11.2.txt", lines_of("redo-disk.awr-11.2.txt")))
    doc, old = Doc(given.base, given.cells), given.facts["redo.write_ms"]
    assert isinstance(old.value, float)
    near = {"redo.write_ms": old._replace(value=old.value * 1.1)}
    title = next(
        n for n, line in enumerate(doc.lines, start=1) if line.startswith("Top 5 Timed Foreground")
    )
    doc.changed = {title + 3}
    assert [*properties.facts(doc, ("odd",), {"redo.write_ms": old}, near)] != []
    doc.changed = {title}
    assert [*properties.facts(doc, ("odd",), {"redo.write_ms": old}, near)] == []


@pytest.mark.parametrize(
    ("before", "after", "follows"),
    [
        (0.1, 0.0729, True),
        (0.0729, 0.1, True),
        (0, 0.0001, True),
        (18, 24.4, False),
        (0.4, 0, False),
    ],
)
def test_a_figure_that_is_rounded_elsewhere_is_the_same(
    before: float, after: float, follows: bool
) -> None:
    given = run.read(Base("redo-disk.awr-11.2.txt", lines_of("redo-disk.awr-11.2.txt")))
    doc, facts = Doc(given.base, given.cells), given.facts["redo.write_ms"]
    doc.spoilt = {10**6}
    found = properties.facts(
        doc, ("letter",), {"a": facts._replace(value=before)}, {"a": facts._replace(value=after)}
    )
    assert [each.what for each in found] == ([] if follows else ["a"])


def test_what_takes_too_long_or_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*_: object) -> None:
        while True:
            time.process_time()

    def failing(*_: object) -> None:
        raise KeyError("a name")

    each = run.made(5)
    monkeypatch.setattr(properties, "FLOOR_S", 0.01)
    monkeypatch.setattr(properties, "read", endless)
    assert [found.kind for found in run.examined(each)] == ["slow"]
    monkeypatch.setattr(properties, "read", failing)
    (found,) = run.examined(each)
    assert ("exception", "a name") == (found.kind, found.detail.strip("'"))


def test_a_process_that_dies_or_hangs_is_told_by_the_input_it_was_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tried(each: run.Input) -> list[properties.Finding]:
        if each.number == 3:
            os._exit(7)
        while each.number == 6:
            time.sleep(0.1)
        return []

    monkeypatch.setattr(run, "examined", tried)
    monkeypatch.setattr(work, "_HANG_S", 2.0)
    blocks = list(work.tried(0, 9, 1))
    findings = {finding[0]: finding[2:4] for block in blocks for finding in block.findings}
    assert {3: ("crash", "exit status 7"), 6: ("hang", "exit status -9")} == findings
    sums = work.Sums()
    for block in sorted(blocks):
        sums.add(block)
    assert 9 == sums.inputs
    assert [(0, 9)] == sums.ranges


def test_known_findings_have_a_reason_and_an_end() -> None:
    finding = properties.Finding("wrong", "redo.commit_lgwr_s", "")
    assert known.why(finding, ("drop_row",))
    assert known.why(finding, ("other_digit",)) is None
    assert known.why(finding._replace(kind="exception"), ("drop_row",)) is None
