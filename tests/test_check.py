"""`awrlens check`: what fails, what is suppressed, and the exit status that follows."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import corpus
import pytest
import samples

from awrlens import api
from awrlens.checks import baseline, collect, regress
from awrlens.checks.selection import Settings, checked, fails, severity, suppressed
from awrlens.cli import batch, run
from awrlens.errors import UsageError
from awrlens.model import with_parts
from awrlens.model.comparison import Comparison, Said
from awrlens.rules.base import HEADINGS
from awrlens.series import differences

BAD = str(samples.path("redo-disk.awr-11.2.txt"))  # three warnings and two infos
FINE = str(samples.path("redo-accelerator.awr-11.2.txt"))
WARNINGS = ("CKPT001", "REDO001", "REDO004")  # those of BAD
NO_REPORT = "README.md"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("AWRLENS_CONFIG", "AWRLENS_PROFILE", "AWRLENS_SET", "AWRLENS_DEVICE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / NO_REPORT).write_text("This is no report.\n")
    for file in (BAD, FINE):
        (tmp_path / Path(file).name).write_bytes(Path(file).read_bytes())


def found(*arguments: str) -> dict[str, Any]:
    """The JSON document of a check."""
    run(["check", *arguments, "--output", "json=out.json"])
    document: dict[str, Any] = json.loads(Path("out.json").read_text())
    return document


def severities(document: dict[str, Any]) -> dict[str, str]:
    return {f["id"]: f["severity"] for report in document["reports"] for f in report["findings"]}


def test_what_is_found_in_the_samples_these_tests_use() -> None:
    both = found(BAD, FINE, "--exit-zero")

    assert severities(found(BAD)) == {
        "CKPT001": "warning",
        "REDO001": "warning",
        "REDO004": "warning",
        "REDO007": "info",
        "CKPT003": "info",
    }
    assert both["summary"]["warning"] >= 1
    assert both["summary"]["critical"] == 0


def test_what_contributes_to_another_finding_is_checked_by_itself() -> None:
    (whole,) = [f for f in samples.analysis(Path(BAD).name).findings if f.id == "CKPT001"]
    parts = {part.id for part in with_parts(whole.contributing)}
    document = found(BAD, "--ignore", "CKPT001")

    assert parts == {"REDO004", "REDO007", "CKPT003"}
    assert parts <= set(severities(document))
    assert "CKPT001" not in severities(document)
    assert 1 == run(["check", BAD, "--select", "REDO007", "--fail-on", "REDO007"])


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([BAD], 1),
        ([BAD, "--fail-on", "critical"], 0),
        ([BAD, "--fail-on", "warning"], 1),
        ([BAD, "--fail-on", "info"], 1),
        ([BAD, "--fail-on", "REDO001"], 1),
        ([BAD, "--fail-on", "slow-redo-write"], 1),
        ([BAD, "--fail-on", "TEMP"], 0),
        ([BAD, "--fail-on", "critical,REDO004"], 1),
        ([BAD, "--fail-on", "critical", "--fail-on", "REDO"], 1),
        ([BAD, "--exit-zero"], 0),
        ([BAD, "--ignore", "REDO001"], 1),
        ([BAD, "--ignore", ",".join(WARNINGS)], 0),
        ([BAD, "--ignore", "REDO"], 1),  # the checkpoints of CKPT001 remain
        ([BAD, "--ignore", "REDO,CKPT"], 0),
        ([BAD, "--select", "ALL,REDO001", "--ignore", "REDO,CKPT"], 1),
        ([BAD, "--select", "TEMP"], 0),
        ([BAD, "--select", "TEMP", "--select", "REDO"], 1),
        ([BAD, "--select", "REDO", "--ignore", "REDO001"], 1),  # REDO004 remains
        ([BAD, "--select", "REDO", "--ignore", "REDO001,REDO004"], 0),
        ([BAD, "--select", "REDO001"], 1),
        ([BAD, "--select", "REDO001", "--set", "redo.slow_write_ms=50"], 0),
        ([BAD, "--profile", "batch"], 0),
        ([NO_REPORT], 3),
        ([NO_REPORT, BAD], 3),
        ([BAD, NO_REPORT, "--exit-zero"], 3),
        (["absent.txt"], 3),
        (["absent-*.txt"], 2),
        ([BAD, "--fail-on", "REDOX"], 2),
        ([BAD, "--select", "nothing-like-it"], 2),
        ([BAD, "--output", "sariff"], 2),
        ([BAD, "--output", "sarif="], 2),
        ([BAD, "--output", "text", "--output", "json"], 2),
        ([BAD, "--output", "json=a", "--output", "csv=a"], 2),
        ([BAD, "--output", "json=/no/such/folder/a"], 2),
        ([BAD, "--baseline", "absent.json"], 2),
        ([BAD, "--profile", "prod-oltpp"], 2),
        ([BAD, "--no-such-option"], 2),
        ([], 2),
    ],
)
def test_the_exit_status(arguments: list[str], status: int) -> None:
    assert status == run(["check", *arguments])


def test_a_broken_report_among_good_ones_leaves_their_results_written() -> None:
    assert 3 == run(["check", NO_REPORT, BAD, FINE, "-o", "json=out.json", "-o", "sarif=out.sarif"])

    document = json.loads(Path("out.json").read_text())
    assert document["summary"]["reports"] == 2
    assert document["exit_status"] == 3
    assert [error["source"] for error in document["errors"]] == [NO_REPORT]
    assert "REDO001" in severities(document)
    assert json.loads(Path("out.sarif").read_text())["runs"][0]["results"]


def test_a_result_is_written_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.json").write_text("the last one")

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", killed)
    monkeypatch.setattr(Path, "replace", killed)
    assert 130 == run(["check", BAD, "--output", "json=out.json"])

    assert Path("out.json").read_text() == "the last one"


def test_what_is_suppressed_is_shown_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(["check", BAD, *(f"--ignore={rule}" for rule in WARNINGS)])

    out = capsys.readouterr().out
    assert "suppressed" in out
    for rule in WARNINGS:
        assert rule in out
        assert f"ignored by {rule}" in out
    document = found(BAD, "--ignore", "REDO001")
    (hidden,) = [f for f in document["reports"][0]["suppressed"] if f["id"] == "REDO001"]
    assert hidden["suppressed"]["by"] == "ignore"
    assert document["summary"]["suppressed"] == 1


def test_a_configuration_says_what_counts_and_the_command_line_more() -> None:
    Path("awrlens.toml").write_text(
        '[check]\nfail-on = "critical"\nignore = ["INTG"]\n'
        '[check.severity]\nREDO001 = "critical"\nREDO007 = "warning"\n'
        '[check.per-path-ignores]\n"*.lst" = ["REDO"]\n"redo-disk.*" = ["CKPT"]\n'
    )
    name = Path(BAD).name
    document = found(name)

    levels = severities(document)
    assert levels["REDO001"] == "critical"
    assert levels["REDO007"] == "warning"
    assert "CKPT001" not in levels
    hidden = {f["id"]: f["suppressed"]["by"] for f in document["reports"][0]["suppressed"]}
    assert hidden["CKPT001"] == "per-path-ignore"
    assert 1 == run(["check", name])
    assert 0 == run(["check", name, "--ignore", "REDO001"])
    assert 1 == run(["check", name, "--ignore", "REDO001", "--fail-on", "warning"])


def test_a_profile_is_chosen_by_file_environment_or_command_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = Path(FINE).name
    monkeypatch.setenv("AWRLENS_PROFILE", "batch")
    assert found(name)["fail_on"] == ["critical"]
    assert found(name, "--profile", "prod-oltp")["fail_on"] == ["warning"]
    monkeypatch.delenv("AWRLENS_PROFILE")
    Path("awrlens.toml").write_text(
        'profile = "night"\n[profiles.night]\nabout = "ours"\n'
        '[profiles.night.check]\nfail-on = ["TEMP"]\n[profiles.night.thresholds]\n'
        "redo.slow_write_ms = 70\n"
    )
    assert found(name)["fail_on"] == ["TEMP"]
    assert "REDO001" not in severities(found(Path(BAD).name))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chek = 1\n", "awrlens.toml:1: Unknown key 'chek'. Did you mean check?"),
        ("[check]\n\nignor = []\n", "toml:3: Unknown key 'ignor'. Did you mean ignore?"),
        ('[check]\nignore = ["REDOO"]\n', "There is no rule 'REDOO'"),
        ("[check]\nignore = 3\n", "awrlens.toml:2: ignore must be a list of names."),
        ('[check.severity]\nREDO001 = "bad"\n', "awrlens.toml:2: 'bad' is not a severity."),
        ('profile = "night"\n', "awrlens.toml:1: Unknown profile 'night'."),
        ("[profiles.night]\nabot = 1\n", "Unknown key 'abot'. Did you mean about?"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_configuration_is_told_with_its_line(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("awrlens.toml").write_text(text)

    assert 2 == run(["check", Path(BAD).name])
    assert said in capsys.readouterr().err


# Baselines.


def test_only_what_a_baseline_does_not_know_fails(capsys: pytest.CaptureFixture[str]) -> None:
    create = ["baseline", "create", BAD, "--baseline", "known.json"]
    assert 2 == run(create)
    assert "need a reason" in capsys.readouterr().err
    assert 0 == run([*create, "--reason", "the logs move in May", "--expires", "90d"])

    assert 0 == run(["check", BAD, "--baseline", "known.json"])
    out = capsys.readouterr().out
    assert "baseline: the logs move in May, until" in out
    entries = json.loads(Path("known.json").read_text())["entries"]
    assert {e["reason"] for e in entries} == {"the logs move in May"}
    assert {e["expires"] for e in entries} == {str(date.today() + timedelta(90))}  # noqa: DTZ011

    known = json.loads(Path("known.json").read_text())
    known["entries"] = [e for e in known["entries"] if e["rule"] != "REDO001"]
    Path("known.json").write_text(json.dumps(known))
    assert 1 == run(["check", BAD, "--baseline", "known.json"])
    assert 1 == run(["baseline", "diff", BAD, "--baseline", "known.json"])
    assert "new      REDO001" in capsys.readouterr().out
    assert 0 == run(["baseline", "update", BAD, "--baseline", "known.json", "--reason", "seen"])
    again = {e["rule"]: e["reason"] for e in json.loads(Path("known.json").read_text())["entries"]}
    assert again["REDO001"] == "seen"
    assert again["CKPT001"] == "the logs move in May"
    assert 0 == run(["baseline", "diff", BAD, "--baseline", "known.json"])


def test_an_entry_ends_with_its_last_day_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["baseline", "create", BAD, "--baseline", "known.json", "--reason", "for now"])
    known = json.loads(Path("known.json").read_text())
    for entry in known["entries"]:
        entry["expires"] = "2020-01-31"
    Path("known.json").write_text(json.dumps(known))

    assert 1 == run(["check", BAD, "--baseline", "known.json"])
    assert "REDO001 of AULTDB was accepted until 2020-01-31" in capsys.readouterr().out
    assert 1 == run(["baseline", "diff", BAD, "--baseline", "known.json"])


def test_what_is_no_longer_found_leaves_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    run(["baseline", "create", BAD, "--baseline", "known.json", "--reason", "for now"])
    mended = ["--set", "redo.slow_write_ms=50"]

    assert 0 == run(["check", BAD, "--baseline", "known.json", *mended])
    assert "no longer found: REDO001" in capsys.readouterr().out
    run(["baseline", "update", BAD, "--baseline", "known.json", *mended])
    entries = json.loads(Path("known.json").read_text())["entries"]
    assert "REDO001" not in {each["rule"] for each in entries}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not valid JSON"),
        ("[1]", "not a baseline file of version 1"),
        ('{"version": 1, "entries": [{}]}', "Entry 1 of the baseline has no fingerprint"),
        ('{"version": 1, "entries": [{"fingerprint": "%s", "added": "2026-01-01"}]}' % ("a" * 32),
         "has no reason"),
        *((json.dumps({"version": 1, "entries": [
            {"fingerprint": "a" * 32, "reason": "x", **days}]}), said) for days, said in (
            ({"added": "May", "expires": "2026-12-31"}, "is not YYYY-MM-DD"),
            ({"added": "2026-01-01"}, "never expires"),
            ({"added": "2026-01-01", "expires": None}, "never expires"),
            ({"added": "2026-01-01", "expires": 90}, "is not YYYY-MM-DD"),
            ({"added": "2026-01-01", "expires": 99991231}, "is not YYYY-MM-DD"),
            ({"added": "2026-01-01", "expires": ""}, "is not YYYY-MM-DD"),
            ({"added": "2026-01-01", "expires": "20261231"}, "is not YYYY-MM-DD"),
            ({"added": "2026-W01-1", "expires": "2026-12-31"}, "is not YYYY-MM-DD"),
            ({"added": "2026-01-01", "expires": "9999-12-31"}, "expires in more than 731 days"),
        )),
    ],
)  # fmt: skip
def test_a_baseline_that_is_none_is_told(
    text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("known.json").write_text(text)

    assert 2 == run(["check", BAD, "--baseline", "known.json"])
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "day", ["yesterday", "2020-01-01", "99999999999d", "2026-13-01", "20270131"]
)
def test_a_last_day_is_a_day_to_come(day: str) -> None:
    with pytest.raises(UsageError):
        baseline.last_day(day, date(2026, 11, 21))


BEFORE = date(2026, 11, 21)


def accepted(**changes: Any) -> dict[str, Any]:
    """A baseline of BAD with its entries changed."""
    run(["baseline", "create", BAD, "--baseline", "known.json", "--reason", "for now"])
    known: dict[str, Any] = json.loads(Path("known.json").read_text())
    for entry in known["entries"]:
        entry.update(changes)
    Path("known.json").write_text(json.dumps(known))
    return known


@pytest.mark.parametrize(
    ("severity", "status"),
    [("info", 1), ("ok", 1), ("warning", 0), ("critical", 0), ("", 0), (None, 0), ("bad", 2)],
)
def test_what_is_worse_than_accepted_is_new(
    severity: str | None, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {"warning", "info"} == {each["severity"] for each in accepted()["entries"]}
    Path("known.json").unlink()
    accepted(severity=severity)
    capsys.readouterr()

    assert status == run(["check", BAD, "--baseline", "known.json"])
    out = capsys.readouterr().out
    assert ("was accepted as" in out) == (status == 1)
    assert status == run(["baseline", "diff", BAD, "--baseline", "known.json"])
    assert ("worse    REDO001" in capsys.readouterr().out) == (status == 1)
    if status == 1:
        update = ["baseline", "update", BAD, "--baseline", "known.json", "--reason", "seen"]
        assert 0 == run(update)
        assert 0 == run(["check", BAD, "--baseline", "known.json"])


def entries() -> set[tuple[str, str]]:
    known = json.loads(Path("known.json").read_text())
    return {(each["rule"], each["db_id"]) for each in known["entries"]}


def test_an_update_drops_nothing_that_was_not_judged() -> None:
    accepted()
    before = entries()
    text = Path(BAD).read_text(encoding="utf-8")
    Path("cut.txt").write_text(text[: len(text) // 10], encoding="utf-8")
    Path("lacking.txt").write_text(text.replace("log file parallel write", "log file parallel  X"))
    Path("other.txt").write_text(text.replace("1318446013", "1318446014"))

    for file in (FINE, "cut.txt", "lacking.txt", "other.txt"):
        run(["baseline", "update", file, "--baseline", "known.json", "--reason", "-"])
        assert before <= entries(), file
    # one whole report beside the cut one: what that might have shown is not known
    mended = ["--set", "redo.slow_write_ms=50"]
    run(["baseline", "update", BAD, "cut.txt", "--baseline", "known.json", *mended])
    assert before <= entries()
    run(["baseline", "update", BAD, "--baseline", "known.json", *mended])
    assert before - entries() == {("REDO001", "1318446013")}


# Fingerprints.


def prints(name: str) -> dict[str, str]:
    analysis = samples.analysis(name)
    return {f.id: collect.of(f, analysis.report) for f in with_parts(analysis.findings)}


def test_a_fingerprint_does_not_depend_on_lines_or_numbers() -> None:
    text = Path(BAD).read_text(encoding="utf-8")
    moved = api.analyze(api.load(("\n" * 7 + text.replace("757,698", "757,700")).encode()))

    assert prints("redo-disk.awr-11.2.txt") == {
        f.id: collect.of(f, moved.report) for f in with_parts(moved.findings)
    }


def test_another_database_or_instance_has_other_fingerprints() -> None:
    text = Path(BAD).read_text(encoding="utf-8")
    here = set(prints("redo-disk.awr-11.2.txt").values())
    for old, new in (("AULTDB ", "OTHER  "), ("aultdb1", "aultdb2")):
        other = api.analyze(api.load(text.replace(old, new).encode()))
        there = {collect.of(f, other.report) for f in with_parts(other.findings)}
        assert here.isdisjoint(there), old
    assert len(here) == len(prints("redo-disk.awr-11.2.txt"))


# Against a report before.


def test_what_is_as_it_was_does_not_fail() -> None:
    assert 1 == run(["check", BAD])
    Path("before.txt").write_text(Path(BAD).read_text().replace(" 20-Aug-08", " 19-Aug-08"))
    assert 0 == run(["check", BAD, "--against", "before.txt", "--fail-on", "info"])


@pytest.mark.parametrize("before", ["itself", "a copy", "its folder", "its page"])
def test_a_report_is_not_compared_with_itself(
    before: str, capsys: pytest.CaptureFixture[str]
) -> None:
    page = samples.path("redo-disk.awr-11.2.html")
    Path("folder").mkdir()
    for name in ("copy.txt", "folder/this.txt"):
        shutil.copy(BAD, name)
    shutil.copy(FINE, "folder/other.txt")
    old = {"itself": BAD, "a copy": "copy.txt", "its folder": "folder", "its page": str(page)}

    assert 2 == run(["check", BAD, "--against", old[before]])
    assert "has this report itself, or a copy of it" in capsys.readouterr().err
    assert 2 == run(["check", "folder", "--against", "folder"])


def of_the_same_database(name: str = "before.txt") -> str:
    """FINE as a report of BAD's database."""
    text = Path(FINE).read_text()
    for old, new in (("TMSORCL       2750913364 tmsorcl ", "AULTDB        1318446013 aultdb1 "),):
        assert old in text
        text = text.replace(old, new)
    Path(name).write_text(text)
    return name


def test_what_got_worse_fails_and_points_at_its_lines() -> None:
    before = of_the_same_database()
    document = found(BAD, "--against", before)
    worse = [f for f in document["reports"][0]["findings"] if f["id"] == "REGR001"]

    assert 1 == document["exit_status"]
    assert any("Redo write time went from 0.104 ms to 18.7 ms" in f["title"] for f in worse)
    assert len({f["fingerprint"] for f in worse}) == len(worse)
    lines = Path(BAD).read_text().split("\n")
    for finding in worse:
        assert finding["evidence"], finding["title"]
        for each in finding["evidence"]:
            assert each["text"] in lines[each["line"] - 1]
        assert finding["confidence"] == "low"  # another host, load and length
        assert "host" in finding["confidence_reason"]
    unfelt = [f for f in worse if "negligible" in f["title"]]
    assert unfelt
    assert {f["severity"] for f in unfelt} == {"info"}
    assert 0 == run(["check", before, "--against", BAD, "--select", "REDO"])


def test_what_was_there_before_is_suppressed_unless_it_is_more_severe_now() -> None:
    document = found(BAD, "--against", of_the_same_database())
    hidden = {f["id"]: f["suppressed"]["by"] for f in document["reports"][0]["suppressed"]}

    assert hidden["CKPT001"] == "against"
    assert hidden["REDO004"] == hidden["REDO007"] == "against"  # parts of CKPT001 in both
    assert "REDO001" in severities(document)  # it was not there before


OTHERS = {
    "name": ("AULTDB        1318446013", "OTHERDB       1318446013"),
    "instance": ("1318446013 aultdb1", "1318446013 aultdb2"),
    "DB Id and host": ("AULTDB        1318446013", "AULTDB        1318446014"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_a_report_of_another_database_is_no_report_before(
    case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(BAD).read_text().replace(*OTHERS[case])
    Path("before.txt").write_text(text.replace("aultlab1", "another1"))

    assert 2 == run(["check", BAD, "--against", "before.txt"])
    err = capsys.readouterr().err
    assert "--against has no report of AULTDB/aultdb1 (DB Id 1318446013), only of" in err
    Path("before.txt").write_text(Path(BAD).read_text().replace("1318446013", "1318446014"))
    assert 0 == run(["check", BAD, "--against", "before.txt"])  # made anew on its host


def test_a_report_with_nothing_in_common_is_no_report_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    head = "\n".join(Path(BAD).read_text().split("\n")[:16])
    Path("head.txt").write_text(head.replace(" 20-Aug-08", " 19-Aug-08"))

    assert 2 == run(["check", BAD, "--against", "head.txt"])
    assert "This report cannot be compared with head.txt" in capsys.readouterr().err


def test_a_compare_period_report_is_compared_with_its_second_period() -> None:
    both = str(samples.path("redo-compared.awr-diff-11.2.html"))

    assert 2 == run(["check", both, "--against", both])  # itself
    Path("before.txt").write_text(Path(FINE).read_text().replace(" 20-Aug-08", " 01-Aug-08"))
    assert run(["check", both, "--against", "before.txt"]) in (0, 1)
    Path("other.txt").write_text(Path(BAD).read_text().replace(*OTHERS["name"]))
    assert 2 == run(["check", both, "--against", "other.txt"])


def window(number: int, write_cs: int, name: str = "") -> str:
    """BAD as one of many windows, with another time of redo writes."""
    wait_s = round(7247 * write_cs / 757_698)
    text = Path(BAD).read_text()
    for old, new in (
        (" 20-Aug-08 16:23:46", f" {number:02d}-Sep-08 16:23:46"),
        (" 20-Aug-08 18:43:26", f" {number:02d}-Sep-08 18:43:26"),
        ("405,691     0      7,247      18 ",
         f"405,691     0 {wait_s:>10,} {wait_s * 1000 // 405_691:>7} "),
        ("redo write time                             757,698           90.4",
         f"redo write time                       {write_cs:>13,}{write_cs / 8380.8:>15,.1f}"),
    ):  # fmt: skip
        assert old in text, old
        text = text.replace(old, new)
    path = name or f"before/{number:02d}.txt"
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)
    return path


USUAL = (400_000, 650_000, 757_698, 800_000, 1_150_000, 500_000, 900_000)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write_cs", "status"), [(757_698, 0), (1_100_000, 0), (1_500_000, 0), (8_000_000, 1)]
)
def test_against_a_set_its_own_scatter_decides(write_cs: int, status: int) -> None:
    for number, each in enumerate(USUAL, start=1):
        window(number, each)
    new = window(20, write_cs, "new.txt")

    assert status == run(["check", new, "--against", "before"])
    document = found(new, "--against", "before")
    worse = [f for f in document["reports"][0]["findings"] if f["id"] == "REGR001"]
    assert bool(worse) == bool(status)
    # one of the set alone is no measure of what is usual
    assert 1 == run(["check", window(21, 1_500_000, "b.txt"), "--against", "before/01.txt"])


@pytest.mark.corpus
def test_ordinary_windows_of_a_production_database_pass_and_its_worst_one_does_not() -> None:
    files = sorted(corpus.CORPUS.glob("statspack-text_8.1.7.4.1_*")) + sorted(
        corpus.CORPUS.glob("statspack-text_9.2.0.4.0_0[12].LST")
    )
    if not files:
        pytest.skip("the corpus of real reports is not beside the checkout (../shared/corpus)")
    assert 17 == len(files)
    failed = []
    for file in (*files[::4], files[7]):
        Path("others").mkdir()
        for other in files:
            if other != file:
                Path("others", other.name).symlink_to(other)
        failed += [file.name] * run(["check", str(file), "--against", "others"])
        shutil.rmtree("others")

    # a log write took 93 ms there, 37 times as long as usual
    assert failed == ["statspack-text_8.1.7.4.1_08.LST"]
    Path("all").mkdir()
    for file in files:
        Path("all", file.name).symlink_to(file)
    document = found("all", "--select", "REGR", "--against-last", "12")
    assert failed == [
        Path(each["source"]).name for each in document["reports"]
        if any(finding["failing"] for finding in each["findings"])
    ]  # fmt: skip


@pytest.mark.slow
def test_the_last_reports_before_each_are_those_that_count() -> None:
    for number, each in enumerate(USUAL, start=1):
        window(number, each)
    window(8, 8_000_000)
    window(9, 8_000_000)

    def regressions(*arguments: str) -> dict[str, int]:
        document = found("before", "--select", "REGR", *arguments)
        return {
            each["source"]: sum(f["id"] == "REGR001" for f in each["findings"])
            for each in document["reports"]
        }

    last = regressions("--against-last", "7")
    assert last["before/08.txt"] > 0
    assert last["before/01.txt"] == 0  # nothing precedes it
    assert last["before/02.txt"] == 0  # one is no measure
    assert regressions("--against-last", "1")["before/09.txt"] == 0
    assert regressions("--against-last", "1")["before/02.txt"] > 0
    assert 2 == run(["check", "before", "--against-last", "0"])


def test_each_report_is_analyzed_once_for_itself_and_once_for_those_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number, each in enumerate(USUAL[:4], start=1):
        window(number, each)
    analyzed: list[str] = []
    judge = api.judge

    def counted(report: Any, *others: Any) -> Any:
        analyzed.append(report.report["source"])
        return judge(report, *others)

    monkeypatch.setattr(api, "judge", counted)
    run(["check", "before", "--select", "REGR", "--against-last", "3"])

    assert Counter(analyzed) == {f"before/0{number}.txt": 2 for number in range(1, 5)}


def test_a_report_compared_with_several_gives_its_amounts_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bad, fine = (api.read(api.load(file)) for file in (BAD, FINE))
    first = api.compare([bad], [fine])
    monkeypatch.setattr(differences, "divided", None)  # it would be called again

    assert first == api.compare([bad], [fine])


def test_a_process_is_given_what_it_does_once_not_with_each_input() -> None:
    numbers = [number for number, _ in batch.stream(range(20), Heavy(), 2)]

    assert numbers == list(range(20))
    assert Heavy.sent <= 2


class Heavy:
    """A call that counts how often it is sent to a process."""

    sent = 0

    def __call__(self, number: int) -> int:
        return number

    def __reduce__(self) -> tuple[type[Heavy], tuple[()]]:
        Heavy.sent += 1
        return Heavy, ()


def test_a_report_that_too_few_precede_is_not_compared_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for number, each in enumerate(USUAL[:3], start=1):
        window(number, each)
    run(["check", "before", "--select", "REGR", "--against-last", "7", "-o", "text", "-o", "json=j",
         "-o", "junit=x"])  # fmt: skip

    out = capsys.readouterr().out
    assert "before/01.txt: Not compared: no reports precede it, at least 5 required." in out
    assert "before/02.txt: Not compared: 1 report precedes it, at least 5 required." in out
    aside = [each["not_applicable"] for each in json.loads(Path("j").read_text())["reports"]]
    assert ["REGR001"] * 3 == [each["rule"] for found in aside for each in found]
    assert "2 reports precede it" in Path("x").read_text()


@pytest.mark.parametrize(
    ("event", "severity"),
    [("log file sync", "warning"), ("log file switch completion", "warning"),
     ("direct path write temp", "warning"), ("free buffer waits", "warning"),
     ("enq: US - contention", "warning"), ("db file sequential read", "info"),
     ("PX Deq Credit: send blkd", "info"), ("enq: TX - row lock contention", "info"),
     ("load.response_s", "warning")],
)  # fmt: skip
def test_events_off_the_write_path_are_told_and_fail_where_that_is_asked(
    event: str, severity: str
) -> None:
    contrast = Comparison(**dict.fromkeys(Comparison._fields, ()))  # type: ignore[arg-type]
    said = Said("It got worse", "worse", event)
    (worse,) = regress.got_worse(regress.Before(contrast._replace(said=(said,)), "before", {}), {})

    assert worse.severity == severity
    assert fails("REGR001", worse.severity, Settings(fail_on=("REGR001",)))
    assert fails("REGR001", worse.severity, Settings()) == (severity == "warning")


def test_reports_of_other_databases_are_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    Path("before").mkdir()
    text = Path(FINE).read_text()
    for name in ("ONE    ", "TWO    "):
        Path("before", f"{name.strip()}.txt").write_text(text.replace("TMSORCL", name))

    assert 2 == run(["check", BAD, "--against", "before"])
    assert "--against has no report of AULTDB/aultdb1" in capsys.readouterr().err
    assert 3 == run(["check", BAD, "--against", NO_REPORT])
    assert 3 == run(["check", BAD, "--against", "absent.txt"])


def test_the_rule_of_regressions_is_explained_like_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == run(["rule", "REGR001"])
    assert "Why it matters" in capsys.readouterr().out
    assert set(regress.REGR001.page) == set(HEADINGS)


# Selectors.

KNOWN = {"REDO001": "slow-redo-write", "REDO002": "x-y", "TEMP001": "heavy-temp-io"}


@pytest.mark.parametrize(
    ("settings", "counted"),
    [
        (Settings(), {"REDO001", "REDO002", "TEMP001"}),
        (Settings(select=("REDO",)), {"REDO001", "REDO002"}),
        (Settings(ignore=("REDO",)), {"TEMP001"}),
        (Settings(select=("ALL", "REDO001"), ignore=("REDO",)), {"REDO001", "TEMP001"}),
        (Settings(select=("REDO",), ignore=("REDO001",)), {"REDO002"}),
        (Settings(select=("REDO001",), ignore=("REDO",)), {"REDO001"}),
        (Settings(select=("REDO001",), ignore=("REDO001",)), set()),
        (Settings(select=("slow-redo-write",)), {"REDO001"}),
        (Settings(ignore=("ALL",)), set()),
        (Settings(per_path=(("a/*", ("REDO",)),)), {"TEMP001"}),
        (Settings(per_path=(("b/*", ("REDO",)),)), {"REDO001", "REDO002", "TEMP001"}),
    ],
)
def test_the_longer_selector_decides(settings: Settings, counted: set[str]) -> None:
    found_ = checked(settings, KNOWN)

    assert {rule for rule in KNOWN if suppressed(rule, "a/x.html", found_) is None} == counted


def test_severities_can_be_set_by_family_but_nothing_fine_becomes_urgent() -> None:
    settings = checked(Settings(severity=(("REDO", "critical"), ("REDO001", "info"))), KNOWN)

    assert severity("REDO001", "warning", settings) == "info"
    assert severity("REDO002", "info", settings) == "critical"
    assert severity("TEMP001", "info", settings) == "info"
    assert severity("REDO002", "ok", settings) == "ok"
    assert not fails("REDO002", "ok", Settings(fail_on=("info", "REDO")))
