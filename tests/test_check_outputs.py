"""The outputs of a check, each read back by what will read it in a pipeline."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import samples
import sarif_tools
from junitparser import JUnitXml
from test_html_page import DISK, HOSTILE

from awrlens.cli import run, schema
from awrlens.model import Impact
from awrlens.model.plain import plain
from awrlens.render.pipeline import github
from awrlens.rules import oracle

NAMES = ("redo-disk.awr-11.2.txt", "redo-disk.awr-19c.html", "undo-disk.awr-11.2.txt")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few reports, one of hostile names, and a file that is none."""
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        (tmp_path / name).write_bytes(samples.path(name).read_bytes())
    data = DISK.read_text(encoding="utf-8")
    hostile = HOSTILE.replace("&", "&amp;").replace("<", "&lt;")
    data = data.replace(">AULTDB<", f">{hostile}<").replace(">aultlab1<", ">::error::x%0A]]><")
    (tmp_path / "hostile & odd.html").write_text(data, encoding="utf-8")
    (tmp_path / "broken.txt").write_text("no report\n")
    return tmp_path


def output(form: str, *arguments: str, status: int = 3) -> str:
    names = [*NAMES, "hostile & odd.html", "broken.txt"]
    assert status == run(["check", *names, "-o", f"{form}=out", *arguments])
    return Path("out").read_text(encoding="utf-8")


def printed(source: str, line: int) -> str:
    """What a report prints in a line; of HTML also in the next, where a cell may end."""
    lines = Path(source).read_text(encoding="utf-8").split("\n")
    return unescape("".join(lines[line - 1 : line + 1]))


# SARIF


def test_sarif_follows_its_schema() -> None:
    log = json.loads(output("sarif"))

    jsonschema.Draft7Validator(sarif_tools.schema()).validate(log)


@pytest.mark.slow
def test_a_sarif_validator_has_nothing_to_complain_about(tmp_path: Path) -> None:
    log = tmp_path / "out.sarif"
    log.write_text(output("sarif", "--ignore", "REDO001"))

    # SARIF2005: the project has no page of its own to name
    assert {each for each in sarif_tools.complaints(log) if "SARIF2005" not in each} == set()


def test_sarif_points_at_the_lines_that_a_finding_rests_on() -> None:
    (sarif,) = json.loads(output("sarif"))["runs"]

    places = [
        (place["physicalLocation"], place["message"]["text"].rpartition(": ")[2])
        for result in sarif["results"]
        for place in result["relatedLocations"]
    ]
    assert len(places) > 20
    for place, text in places:
        source = place["artifactLocation"]["uri"].replace("%20", " ").replace("%26", "&")
        assert text in printed(source, place["region"]["startLine"])
    for result in sarif["results"]:
        first = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        assert first in {
            each["physicalLocation"]["region"]["startLine"] for each in result["relatedLocations"]
        }


def test_sarif_explains_its_rules_and_says_what_is_suppressed() -> None:
    (sarif,) = json.loads(output("sarif", "--ignore", "REDO007"))["runs"]

    rules = sarif["tool"]["driver"]["rules"]
    for result in sarif["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert "What it means" in rule["help"]["markdown"]
        suppressed = [each["justification"] for each in result.get("suppressions", [])]
        assert (result["ruleId"] == "REDO007") == (suppressed == ["ignore: ignored by REDO007"])
    (invocation,) = sarif["invocations"]
    assert invocation["executionSuccessful"] is False
    assert "broken.txt" in json.dumps(invocation["toolExecutionNotifications"])


def test_fingerprints_are_the_same_in_the_next_run() -> None:
    first = [r["partialFingerprints"] for r in json.loads(output("sarif"))["runs"][0]["results"]]
    second = [r["partialFingerprints"] for r in json.loads(output("sarif"))["runs"][0]["results"]]

    assert first == second
    assert all(re.fullmatch("[0-9a-f]{32}", each["awrlens/v1"]) for each in first)


# JUnit


def test_junit_has_a_case_for_each_rule_and_a_failure_for_what_fails() -> None:
    output("junit", "--ignore", "REDO001")
    suites = list(JUnitXml.fromfile("out"))

    assert len(suites) == 5
    first = suites[0]
    states = {
        case.name.split()[0]: [type(result).__name__ for result in case.result] for case in first
    }
    assert states["CKPT001"] == ["Failure"]
    assert states["REDO001"] == ["Skipped"]
    assert states["TEMP001"] == []
    assert set(states) == set(oracle())  # a case for each rule that judges Oracle
    assert first.tests == len(states)
    assert first.failures == sum("Failure" in each for each in states.values())
    assert suites[-1].errors == 1
    root = ET.parse("out").getroot()  # noqa: S314 - our own output
    assert int(root.attrib["tests"]) == sum(suite.tests for suite in suites)
    assert int(root.attrib["failures"]) == sum(suite.failures for suite in suites)


def test_a_rule_that_could_not_be_checked_is_skipped_not_passed() -> None:
    Path("cut.txt").write_text(Path(NAMES[0]).read_text().split("Wait Events")[0])
    run(["check", "cut.txt", "-o", "junit=cut.xml"])

    suite, as_a_whole = JUnitXml.fromfile("cut.xml")
    assert ["Skipped"] == [type(r).__name__ for case in as_a_whole for r in case.result]
    reasons = [r.message for case in suite for r in case.result if type(r).__name__ == "Skipped"]
    assert any(reason.startswith("could not be checked: ") for reason in reasons)


# GitHub

_ANNOTATION = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:]*)(?:,[a-z]+=[^,:]*)*)::(.*)")


def _plain(text: str) -> str:
    for sign, code in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(sign, code)
    return text


def test_annotations_follow_githubs_grammar_and_point_at_lines() -> None:
    lines = output("github").splitlines()

    for line in lines[:-1]:
        match = _ANNOTATION.fullmatch(line)
        assert match, line
        said = dict(part.split("=", 1) for part in match[2].split(","))
        if "file" in said and "line" in said:
            source = _plain(said["file"])
            assert Path(source).exists()
            numbers = re.findall(r"[\d,.]+", printed(source, int(said["line"])))
            assert numbers
    levels = [line.split(" ")[0] for line in lines[:-1]]
    assert levels == sorted(levels, key=["::error", "::warning", "::notice"].index)
    assert not lines[-1].startswith("::")


def test_annotations_are_capped_and_what_is_left_out_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(github, "_MOST", 2)
    lines = output("github").splitlines()

    assert sum(line.startswith("::error") for line in lines) == 2
    assert "more annotations are not shown" in lines[-2]


# GitLab

#: What GitLab documents for a code quality report.
_GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "location", "severity"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/.]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def test_gitlab_gets_the_fields_that_it_documents() -> None:
    issues = json.loads(output("gitlab", "--ignore", "REDO007"))

    jsonschema.validate(issues, _GITLAB)
    marks = [each["fingerprint"] for each in issues]
    assert len(set(marks)) == len(marks)
    assert "REDO007" not in {each["check_name"] for each in issues}
    for each in issues:
        assert printed(each["location"]["path"], each["location"]["lines"]["begin"]).strip()


# CSV, Markdown, JSON


def test_csv_has_a_row_for_each_finding_and_no_formulas() -> None:
    rows = list(csv.DictReader(io.StringIO(output("csv"))))

    assert {"REDO001", "UNDO002"} <= {row["id"] for row in rows}
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert rows[0]["failing"] == "yes"


def test_markdown_shows_what_fails_first_and_holds_no_markup_of_a_report() -> None:
    text = output("markdown")

    assert text.startswith("## awrlens: failed")
    assert "**fails**" in text
    assert "broken.txt" in text
    bare = re.sub(r"\\.|</?(details|summary)>", "", text)
    assert "<" not in bare
    assert "img" in bare


def test_json_and_jsonl_say_the_same() -> None:
    whole: dict[str, Any] = json.loads(output("json", "--ignore", "REDO007"))
    jsonschema.validate(whole, json.loads(json.dumps(schema.of_check())))
    lines = [json.loads(line) for line in output("jsonl", "--ignore", "REDO007").splitlines()]

    assert whole["reports"] == lines[:-1]
    assert lines[-1]["source"] == whole["errors"][0]["source"] == "broken.txt"
    assert whole["summary"]["failing"] == sum(
        f["failing"] for report in whole["reports"] for f in report["findings"]
    )


def test_an_impact_with_a_second_figure_has_the_printed_schema() -> None:
    """`least_pct_db_time` is there only if another figure of the report shows less."""
    check = json.loads(json.dumps(schema.of_check()))
    impact = jsonschema.Draft202012Validator({"$ref": "#/$defs/Impact", "$defs": check["$defs"]})
    least = plain(Impact(12.0, 3.0, "waits of LGWR", 0.1, least_pct_db_time=2.0))

    assert 2.0 == least["least_pct_db_time"]
    impact.validate(least)
    impact.validate(plain(Impact(None, None, "not known")))
    assert not impact.is_valid(least | {"most_pct_db_time": 4.0})


def test_several_outputs_come_from_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", NAMES[0], "--output", "text", "--output", "sarif=a.sarif", "-o", "junit=a.xml",
         "-o", "html=a.html"])  # fmt: skip

    assert "REDO001" in capsys.readouterr().out
    assert {"a.sarif", "a.xml", "a.html"} <= {each.name for each in Path().iterdir()}
    assert "<article" in Path("a.html").read_text()
