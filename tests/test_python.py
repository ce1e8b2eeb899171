"""awrlens in a Python session: what is public, what values show of themselves, many reports."""

from __future__ import annotations

import gc
import json
import pickle
import re
import subprocess
import sys
import weakref
from datetime import datetime
from pathlib import Path

import pytest
import samples
from samples import path

import awrlens
from awrlens import rules
from awrlens.api import facts_of
from awrlens.cli import run
from awrlens.errors import UnreadableError, UsageError
from awrlens.facts.registry import Facts
from awrlens.model import Fact
from awrlens.redact.names import Names
from awrlens.report.report import Report

DISK = "redo-disk.awr-11.2.txt"
CLUSTER = "redo-cluster.awr-rac-11.2.html"
COMPARED = "redo-compared.awr-diff-11.2.html"
#: A text of a report that a browser and a terminal would obey.
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def test_dir_names_what_is_public_and_each_has_a_description() -> None:
    functions = ["analyze", "check", "compare", "facts_frame", "load", "load_all", "trend"]

    assert ["Policy", "Request", "__version__", *functions] == dir(awrlens)
    assert all(getattr(awrlens, name).__doc__ for name in functions)
    assert all("return" in getattr(awrlens, name).__annotations__ for name in functions)
    with pytest.raises(AttributeError, match="no attribute 'analyse'"):
        awrlens.analyse  # noqa: B018 - the attribute is what is asked for


def test_check_stays_a_function_when_its_parts_are_imported() -> None:
    code = "import awrlens.cli.check, awrlens; print(callable(awrlens.check))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "True" == done.stdout.strip()


def test_to_load_and_to_analyze_a_report_imports_nothing_heavy() -> None:
    code = (
        "import sys, awrlens; dir(awrlens); awrlens.analyze(awrlens.load(sys.argv[1]));"
        "print({'pandas', 'numpy', 'click', 'simpy', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path(DISK)], capture_output=True, text=True, check=True
    )

    assert "set()" == done.stdout.strip()


# what values show


def test_values_show_themselves_in_one_short_line() -> None:
    report, analysis = samples.report(DISK), samples.analysis(DISK)
    shown = [repr(each) for each in (report, report["tablespace_io"], analysis, analysis.facts,
                                     *analysis.facts.values())]  # fmt: skip

    assert all("\n" not in each and len(each) < 500 for each in shown)
    assert "database='AULTDB', instance='aultdb1', begin='2008-08-20T16:23:46'" in shown[0]
    assert shown[1].startswith("Table('tablespace_io', rows=7, columns=['tablespace', 'reads',")
    assert "findings=['CKPT001', 'REDO001']" in shown[2]
    assert re.fullmatch(r"Facts\(\d+ facts, \d+ available\)", shown[3])


def test_a_fact_shows_its_value_or_why_it_has_none() -> None:
    known = Fact("redo.write_ms", 18.68, "ms", "derived", formula="a / b")
    unknown = Fact("redo.write_ms", None, "ms", "unavailable", note="no such section")

    assert "Fact('redo.write_ms', 18.68, unit='ms', status='derived')" == repr(known)
    assert "note='no such section'" in repr(unknown)
    assert "<td>18.68</td><td>ms</td><td>derived</td><td>a / b</td>" in known._repr_html_()
    assert "<td>no such section</td>" in unknown._repr_html_()


@pytest.mark.parametrize("name", [DISK, CLUSTER, COMPARED])
def test_an_analysis_goes_to_another_process_with_its_lines(name: str) -> None:
    analysis = samples.analysis(name)

    again = pickle.loads(pickle.dumps(analysis))  # noqa: S301 - our own

    assert analysis.to_dict() == again.to_dict()
    assert again == pickle.loads(pickle.dumps(again))  # noqa: S301


def test_a_part_of_a_report_says_which() -> None:
    report = samples.report(CLUSTER)

    assert "part=" not in repr(report)
    assert "part='2'" in repr(report.part("2"))


def test_notebooks_get_small_tables() -> None:
    report, analysis = samples.report(DISK), samples.analysis(DISK)
    parameters = report["parameters"]
    facts = analysis.facts
    assert isinstance(facts, Facts)
    rows = parameters._repr_html_().count("<tr>") - 1

    assert "<td>CKPT001</td><td>warning</td>" in analysis._repr_html_()
    assert "<td>db_name</td><td>AULTDB</td>" in report._repr_html_()
    assert min(20, len(parameters)) == rows
    assert 21 == facts._repr_html_().count("<tr>")
    pages = [each._repr_html_() for each in (report, analysis, parameters)]
    assert all(len(page) < 10_000 for page in (facts._repr_html_(), *pages))


def test_trends_comparisons_checks_and_findings_show_themselves_as_small_tables() -> None:
    before, after = path(DISK), path("redo-accelerator.awr-11.2.html")
    compared = awrlens.compare(before, after)
    checked = awrlens.check([before])
    finding = samples.analysis(DISK).findings[0]
    values = (awrlens.trend([before, after]), compared, checked, finding)
    pages = [each._repr_html_() for each in values]

    assert all(len(repr(each)) < 600 and "\n" not in repr(each) for each in values)
    assert all(0 < len(page) < 10_000 for page in pages)
    assert [f"<td>{count}</td>" in pages[0] for count in (0, 1)] == [True, True]
    assert compared.movers[0].title in pages[1]
    assert "<td>CKPT001</td><td>warning</td>" in pages[2]
    assert "<td>checkpoint.incomplete_wait_s</td><td>385</td>" in pages[3]


def test_what_a_report_says_is_neither_markup_nor_a_command() -> None:
    text = path(DISK).read_text(encoding="utf-8").replace("UNDOTBS1 ", f"{HOSTILE} ")
    report = awrlens.load(text.encode(), HOSTILE)
    fact = Fact(HOSTILE, HOSTILE, "name", "measured", formula=HOSTILE)
    analysis = samples.analysis(DISK)._replace(headline=HOSTILE)
    values = (report["tablespace_io"], report, fact, analysis)
    pages = [each._repr_html_() for each in values]

    assert not [each for each in (*pages, *map(repr, values)) if set("\x1b\u202e") & set(each)]
    assert not [each for each in pages if "<script" in each]
    assert "&lt;script&gt;" in fact._repr_html_()


# many reports


def test_load_all_reads_files_folders_and_patterns(tmp_path: Path) -> None:
    for name in (DISK, "undo-disk.awr-11.2.txt"):
        (tmp_path / name).write_bytes(path(name).read_bytes())
    (tmp_path / "notes.txt").write_text("nothing to see")
    whole = list(awrlens.load_all(tmp_path))
    some = list(awrlens.load_all([tmp_path / DISK, str(tmp_path / "undo*")]))

    assert 2 == sum(isinstance(each, Report) for each in whole) == len(some)
    assert ["notes.txt"] == [Path(e.source or "").name for e in whole if isinstance(e, Exception)]
    assert 1 == len(list(awrlens.load_all(path(DISK).read_bytes())))
    with pytest.raises(UsageError, match="No file matches"):
        list(awrlens.load_all(str(tmp_path / "*.html")))


def test_a_frame_has_a_row_per_report_and_part_and_a_typed_column_per_numeric_fact() -> None:
    import pandas as pd

    frame = awrlens.facts_frame([path(DISK), path(CLUSTER), path(COMPARED)])
    facts = samples.analysis(DISK).facts

    assert ["database", "instance", "begin", "end", "part", "source"] == list(frame.columns[:6])
    assert ["", "", "1", "2", "1", "2"] == frame["part"].to_list()
    assert ["AULTDB", "TMSORCL"] == frame["database"].to_list()[-2:]
    assert pd.Timestamp(datetime(2008, 8, 20, 16, 23, 46)) == frame["begin"][0]  # noqa: DTZ001
    assert {"Float64"} == {str(each) for each in frame.dtypes[6:]}
    assert "datetime64[s]" == frame["begin"].dtype == frame["end"].dtype
    for name in frame.columns[6:]:
        value = frame[name][0]
        assert (None if value is pd.NA else value) == facts[name].number, name
    assert "ms" == frame.attrs["units"]["redo.write_ms"]


def test_a_frame_of_some_facts_has_only_their_columns() -> None:
    frame = awrlens.facts_frame(path(DISK), ["redo.write_ms", "undo.io"])

    assert ["redo.write_ms", "undo.io_rank"] == [
        name for name in frame.columns[6:] if not name.startswith("undo.io_share")
    ]
    with pytest.raises(UsageError, match=r"Did you mean redo\.write_ms"):
        awrlens.facts_frame(path(DISK), ["redo.wirte_ms"])


def test_a_frame_lists_what_could_not_be_read_and_a_frame_of_nothing_is_an_error(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    frame = awrlens.facts_frame([path(DISK), tmp_path])

    assert 1 == len(frame)
    ((source, reason),) = frame.attrs["left_out"]
    assert (str(tmp_path / "notes.txt"), "This is not") == (source, reason[:11])
    with pytest.raises(UnreadableError, match="This is not"):
        awrlens.facts_frame(tmp_path)


def test_compare_takes_reports_paths_and_one_report_of_two_periods() -> None:
    before, after = path(DISK), path("redo-accelerator.awr-11.2.txt")
    found = awrlens.compare(before, after)
    same = awrlens.compare([samples.report(DISK)], [str(after)])
    periods = awrlens.compare(path(COMPARED))

    assert found.to_dict() == same.to_dict()
    assert "AULTDB and TMSORCL are different databases" in found.headline
    assert ["AULTDB", "TMSORCL"] == [
        side.identities[0]["db_name"] for side in (periods.before, periods.after)
    ]
    with pytest.raises(UsageError, match="needs two sides"):
        awrlens.compare(before)
    with pytest.raises(UnreadableError):
        awrlens.compare(before, Path(__file__))


def test_a_trend_has_a_series_per_instance_and_names_what_it_leaves_out(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    names = (DISK, "temp-sort-disk.awr-11.2.txt", "redo-accelerator.awr-11.2.txt")
    found = awrlens.trend([*map(path, names), tmp_path], ["redo.write_ms"])

    assert {"AULTDB": 2, "TMSORCL": 1} == {
        series.who.db_name: len(series.windows) for series in found.series
    }
    assert ["redo.write_ms"] == [each.name for each in found.quantities]
    assert [str(tmp_path / "notes.txt")] == [each.source for each in found.left_out]


def test_check_judges_as_the_command_does_and_prints_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # no configuration
    status = run(["check", str(path(DISK)), "--output", "json=check.json"])
    capsys.readouterr()
    found = awrlens.check(path(DISK))

    assert 1 == status == found.status
    assert json.loads(Path("check.json").read_text())["reports"] == found.to_dict()["reports"]
    assert 0 == awrlens.check(path(DISK), fail_on=["critical"]).status
    assert 0 == awrlens.check(path(DISK), select=["TEMP"]).status
    assert 3 == awrlens.check(Path(__file__)).status
    assert ("", "") == tuple(capsys.readouterr())
    with pytest.raises(UsageError, match="There is no rule 'REDO999'"):
        awrlens.check(path(DISK), ignore=["REDO999"])


def test_a_policy_sets_the_thresholds_of_a_check_and_no_file_does(tmp_path: Path) -> None:
    report = tmp_path / DISK
    report.write_bytes(path(DISK).read_bytes())
    (tmp_path / "awrlens.toml").write_text('[check]\nfail-on = ["critical"]\n')
    calm = awrlens.Policy(
        {"impact.slow_ms": 1e2, "impact.slower_ms": 2e2, "impact.slowest_ms": 3e2}
    )

    assert 1 == awrlens.check(report).status
    assert 0 == awrlens.check(report, policy=calm).status


@pytest.mark.parametrize("name", [DISK, "undo-disk.awr-19c.html"])
def test_a_report_of_one_instance_and_its_facts_are_freed_with_their_last_user(name: str) -> None:
    report = awrlens.load(path(name))
    facts = facts_of(report)
    assert all(each.unit for each in facts.values())
    rules.run(facts, awrlens.Policy())
    kept = weakref.ref(report), weakref.ref(facts)
    gc.disable()
    try:
        del report, facts
        assert (None, None) == (kept[0](), kept[1]())
    finally:
        gc.enable()


def test_a_side_without_a_report_is_an_error_of_the_caller() -> None:
    with pytest.raises(UsageError, match="A side has no report"):
        awrlens.compare([], [])


def test_a_check_with_names_has_no_real_one() -> None:
    report = str(samples.path("redo-disk.awr-11.2.txt"))

    assert "AULTDB" in str(awrlens.check(report).to_dict())
    assert "AULTDB" not in str(awrlens.check(report, names=Names()).to_dict())
