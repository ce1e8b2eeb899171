"""The JSON Schema of `analyze`: what it refuses, and how types become a schema."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import jsonschema
import pytest
import samples

from awrlens.cli.schema import of_analysis, of_type
from awrlens.lab import measure
from awrlens.model import Analysis

DISK = "redo-disk.statspack-9.2.lst"
VALID = jsonschema.Draft202012Validator(of_analysis())
LOG = Path(__file__).parent / "alertlogs" / "10g.log"
ABSENT = object()


@cache
def _recovery() -> Analysis:
    return measure.measure(LOG.read_text(encoding="utf-8"), "alert.log")


def document(name: str) -> Any:
    return samples.document(_recovery() if name == LOG.name else samples.analysis(name))


def changed(name: str, *path: str | int, to: Any) -> Any:
    """A document with another value at a path; ABSENT takes it away."""
    whole = place = document(name)
    for each in path[:-1]:
        place = place[each]
    if to is ABSENT:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return whole


@pytest.mark.parametrize("name", [DISK, "redo-cluster.awr-rac-11.2.txt", LOG.name])
def test_a_document_is_valid(name: str) -> None:
    VALID.check_schema(VALID.schema)
    VALID.validate(document(name))


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("another",), 1),
        (("headline",), ""),
        (("warnings",), ABSENT),
        (("report", "kind"), "another"),
        (("report", "begin_time"), "20.08.2008"),
        (("report", "elapsed_s"), 0),
        (("facts", "Redo"), {}),
        (("facts", "redo.write_ms", "value"), None),  # it is measured
        (("facts", "redo.write_ms", "unit"), "furlong"),
        (("facts", "redo.write_ms", "status"), "unavailable"),  # it has a value
        (("findings", 0, "evidence"), []),  # the rule is one of awrlens
        (("findings", 0, "impact", "another"), 1),
        (("findings", 0, "impact", "sessions"), ABSENT),
        (("skipped", 0, "needs"), []),
        (("recommendations", 0, "benefit", "upper_bound"), False),
        (("recommendations", 0, "benefit", "upper_bound"), ABSENT),
        (("recommendations", 0, "effort"), "much"),
        (("verdicts", "fast_start_mttr_target_s"), 3601),
        (("verdicts", "fast_start_mttr_target_s"), 60.5),
        (("verdicts", "fast_start_mttr_lowest_s"), ABSENT),
        (("periods",), []),
        (("instances",), [{}]),
    ],
)
def test_what_a_document_of_a_report_cannot_have_is_refused(path: Any, to: Any) -> None:
    assert not VALID.is_valid(changed(DISK, *path, to=to))


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("recovery", "recoveries", 0, "line"), ABSENT),
        (("recovery", "recoveries", 0, "verdict"), "good"),
        (("recovery", "rates", "another_per_s"), None),
        (("recovery", "parts"), []),  # a prediction has them
        (("recovery", "lines"), 0),
    ],
)
def test_what_the_recovery_of_an_alert_log_cannot_have_is_refused(path: Any, to: Any) -> None:
    assert not VALID.is_valid(changed(LOG.name, *path, to=to))


def test_a_rule_of_the_user_needs_neither_evidence_nor_sections() -> None:
    finding = changed(DISK, "findings", 0, "evidence", to=[])
    finding["findings"][0]["id"] = "TEAM001"
    skipped = changed(DISK, "skipped", 0, "needs", to=[])
    skipped["skipped"][0]["rule"] = "BUDGET-0123ABCD"

    assert VALID.is_valid(finding)
    assert VALID.is_valid(skipped)


Name = Annotated[str, ("pattern", "^[a-z]+$")]


class Branch(TypedDict):
    """A branch with leaves."""

    leaves: Annotated[dict[Name, int | None], "Leaves by name."]
    kind: Literal["thick", "thin"] | None


class Tree(TypedDict):
    """A tree, and trees on it."""

    branches: list[Branch]
    trees: list[Tree]


def test_a_record_that_contains_itself_and_keys_with_a_pattern() -> None:
    schema = of_type(Tree)

    assert {"type": "array", "items": {"$ref": "#"}} == schema["properties"]["trees"]
    assert ["Branch"] == list(schema["$defs"])
    assert {
        "leaves": {
            "type": "object",
            "description": "Leaves by name.",
            "additionalProperties": {"type": ["integer", "null"]},
            "propertyNames": {"type": "string", "pattern": "^[a-z]+$"},
        },
        "kind": {"anyOf": [{"enum": ["thick", "thin"]}, {"type": "null"}]},
    } == schema["$defs"]["Branch"]["properties"]


def test_one_of_several_records_is_a_schema_of_each() -> None:
    schema = of_type(Tree | Branch)

    assert [{"$ref": "#/$defs/Tree"}, {"$ref": "#/$defs/Branch"}] == schema["anyOf"]
    assert {"$ref": "#/$defs/Tree"} == schema["$defs"]["Tree"]["properties"]["trees"]["items"]
