"""What awrlens says is what the record has: no change passes unseen; a failing test names it."""

from __future__ import annotations

import re

import corpus
import pytest
import records
from records import Case

RECORDED = records.recorded()
CASES = {case.name: case for case in records.cases()}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=name, marks=pytest.mark.corpus if case.folder == corpus.CORPUS else ()
        )
        for name, case in CASES.items()
    ],
)
def test_what_is_said_is_what_is_recorded(case: Case) -> None:
    outputs = case.outputs()

    if records.digests(outputs) != RECORDED.get(case.name):
        pytest.fail(records.explained(case, outputs), pytrace=False)


@pytest.mark.slow
@pytest.mark.skipif(not (records.ROOT / ".git").exists(), reason="there is no earlier commit")
def test_a_changed_number_fails_the_test_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["redo-disk.statspack-10.2.lst"]
    assert case.entry is not None
    analysis = corpus.analysis(case.entry)
    document = analysis.to_dict()
    fact = document["facts"]["redo.write_ms"]
    number, fact["value"] = fact["value"], 4711.5
    monkeypatch.setattr(type(analysis), "to_dict", lambda _: document)

    with pytest.raises(pytest.fail.Exception) as failure:
        test_what_is_said_is_what_is_recorded(case)
    lines = str(failure.value).splitlines()
    start = lines.index("  facts redo:")
    assert [
        f"    -redo.write_ms.value = {number:.9g}",
        "    +redo.write_ms.value = 4711.5",
    ] == lines[start + 1 : start + 3]


def test_without_git_the_message_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    case = CASES["rules"]

    assert "`make record-diff CASE='rules' BASE=COMMIT`" in records.explained(case, {})


def test_the_record_has_names_and_digests_and_no_word_of_a_report() -> None:
    cells = [cell for parts in RECORDED.values() for cell in parts.values()]
    assert all(re.fullmatch("[0-9a-f]{8}", cell) for cell in cells)
    if corpus.CORPUS.exists():
        assert set(CASES) == set(RECORDED)


def test_the_record_says_which_part_changed() -> None:
    document = {
        "schema_version": 1,
        "report": {"source": "a.lst", "db_name": "A"},
        "facts": {"redo.write_ms": {"value": 18.68}, "temp.reads": {"value": 1}},
        "findings": [],
    }
    facts = {"redo.write_ms": {"value": 18.69}, "temp.reads": {"value": 1}}

    before = records.digests(records.document_parts(document))
    after = records.digests(records.document_parts({**document, "facts": facts}))
    assert {"facts redo"} == {part for part in before if before[part] != after[part]}


def test_neither_the_place_of_a_file_nor_the_last_digits_of_a_number_count() -> None:
    folder = corpus.CORPUS
    value = {"source": f"{folder}/a.lst", "ms": 0.1 + 0.2}
    assert {"source": "a.lst", "ms": 0.3} == records.plain(value, folder)


def test_lines_of_data_name_the_items_of_a_list() -> None:
    findings = [{"id": "REDO001", "facts": {"ms": 1.5}, "lines": [1, 2]}, {"title": "×"}]
    assert list(records.differences({"findings": None}, {"findings": findings})) == [
        "  findings:",
        "    +[REDO001].facts.ms = 1.5",
        '    +[REDO001].id = "REDO001"',
        "    +[REDO001].lines = [1, 2]",
        '    +[1].title = "×"',
    ]


def test_another_order_is_one_difference() -> None:
    before, after = {"facts FILE": "a\nb\nc\nd"}, {"facts FILE": "a\nc\nd\nb"}
    assert list(records.differences(before, after)) == [
        "  facts FILE: the same lines in another order, from here:",
        "    -b",
        "    +c",
    ]
