"""Redacted reports: nothing of anybody's is in them, and they say the same."""

from __future__ import annotations

import json
import re
import shutil
import stat
from base64 import b64decode
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import decompress

import identifiers
import pytest
import samples
from corpus import Entry, over, report_of
from examples import at_most
from hypothesis import given
from hypothesis import strategies as st

from awrlens import api, cli
from awrlens.errors import UsageError
from awrlens.grammar import catalogue
from awrlens.redact.names import Names
from awrlens.redact.rewrite import redact
from awrlens.render.html import page, render
from awrlens.render.json import document
from awrlens.render.layout import page as lay_out
from awrlens.render.markdown import render as markdown
from awrlens.render.pages import Extras
from awrlens.render.wording import text as plain
from awrlens.report.report import Report

KEY = b"an invented key, of 32 bytes ..."
KINDS = ("awr-text", "awr-html", "awr-diff-text", "awr-diff-html", "awr-rac-global-html",
         "awr-rac-global-text", "awr-pdb-html", "statspack-text")  # fmt: skip


def text_of(report: Report) -> str:
    return report.made_of[0].text


def figures(report: Report) -> dict[str, Any]:
    """What a report says without the names in it: facts, findings, advice and their places."""
    analysis = api.analyze(report)
    found: dict[str, Any] = {
        "findings": [(f.id, f.severity, f.confidence) for f in analysis.findings],
        "advice": [(a.id, a.status) for a in analysis.recommendations],
        "verdicts": analysis.verdicts,
        "skipped": [(s.rule, s.needs) for s in analysis.skipped],
        "warnings": [note.line for note in analysis.warnings],
        "tables": [(each["name"], each["rows"], each["line"]) for each in report.listing()],
    }
    for part in identifiers.parts(report):
        for name, fact in api.facts_of(part).items():
            value = fact.value if isinstance(fact.value, int | float) else type(fact.value)
            lines = [item.line for item in fact.evidence]
            found[f"{part.view} {name}"] = (value, fact.unit, fact.status, lines)
    return found


def outputs(report: Report) -> dict[str, str]:
    """Every format of an analysis; of the page, the sections that it packs as well."""
    analysis = api.analyze(report)
    shown = render([page(analysis, api.exhibits(report, analysis))], Extras("", [], None))
    packed = [
        decompress(b64decode(each)).decode() for each in re.findall(r"\beN[\w+/=]{200,}", shown)
    ]
    assert packed or not report.sections
    return {
        "text": plain(lay_out(analysis, 80)),
        "json": document(analysis.to_dict()),
        "markdown": markdown(analysis),
        "html": re.sub(r"\beN[\w+/=]{200,}", "", shown) + "\n".join(packed),
    }


def same_cells(before: Report, after: Report) -> set[str]:
    """Cells of names that are as they were."""
    found: set[str] = set()
    for name in before.tables:
        old, new = before.tables[name], after.tables[name]
        for column in {each.name for each in old.columns} & set(identifiers.NAMED):
            pairs = zip(old.texts(str(column)), new.texts(str(column)), strict=True)
            found |= {a for a, b in pairs if a == b}
    return {text for text in found if not harmless(text)}


def harmless(text: str) -> bool:
    """Nothing but Oracle's own names, single letters and small numbers."""
    words = re.findall(r"[\w$#]+", text)
    return all(
        w.upper() in identifiers.KEPT or w.startswith("SYS_TEMP_") or len(w) == 1
        or (w.isdecimal() and len(w) < 5) for w in words
    )  # fmt: skip


@lru_cache(maxsize=2)
def redacted(path: Path) -> Report:
    return redact(report_of(path), Names(key=KEY))


@pytest.mark.parametrize("name", samples.FILES)
def test_a_redacted_sample_has_lines_as_long_as_before(name: str) -> None:
    report = samples.report(name)
    clean = redacted(samples.path(name))
    assert len(text_of(clean)) == len(text_of(report))
    assert [len(line) for line in text_of(clean).split("\n")] == [
        len(line) for line in text_of(report).split("\n")
    ]


def test_a_name_that_a_column_cuts_gets_the_pseudonym_of_the_whole_name_cut() -> None:
    names = Names(key=KEY)
    whole = [names.of(name) for name in ("CUSTOMERS_OF_THE_NORTHERN_BRANCH", "U" * 30, "TEMP_" * 6)]
    other = Names(key=KEY)
    for name, pseudonym in zip(("CUSTOMERS_OF_THE_NORTHER", "U" * 24, "TEMP_TEMP_TEMP_TEMP_TEMP"),
                               whole, strict=True):  # fmt: skip
        assert names.of(name) == other.of(name) == pseudonym[:24]
    assert "TEMP" in whole[2]


@pytest.mark.slow
@over(*KINDS)
def test_no_name_of_a_report_is_in_what_is_told_of_it(entry: Entry) -> None:
    report, clean = report_of(entry.path), redacted(entry.path)
    assert identifiers.of(report)
    assert identifiers.survivors(report, text_of(clean)) == set()
    assert same_cells(report, clean) == set()
    for format_, text in outputs(clean).items():
        assert identifiers.survivors(report, text) == set(), format_


@pytest.mark.slow
@over(*KINDS)
def test_titles_and_database_role_of_a_redacted_report_are_oracles(entry: Entry) -> None:
    report, clean = report_of(entry.path), redacted(entry.path)
    for before, after in zip(report.sections, clean.sections, strict=True):
        # a task and the file of the report are named by those who made them
        named = before.title.startswith(("ADDM ", "End of Report"))
        assert named or after.title == before.title
    for table in ("database", "instances"):
        if (rows := report.tables.get(table)) is not None:
            roles = [row.value("role") for row in clean.tables[table]]
            assert roles == [row.value("role") for row in rows]


@pytest.mark.slow
@over(*KINDS)
def test_a_redacted_report_says_the_same_on_the_same_lines(entry: Entry) -> None:
    expected, clean = figures(report_of(entry.path)), redacted(entry.path)
    assert figures(clean) == expected
    again = api.load(text_of(clean).encode("utf-8", "replace"))
    assert figures(again) == expected


def test_a_report_that_was_redacted_with_the_same_key_stays_as_it_is() -> None:
    names = Names(key=KEY)
    once = redact(samples.report("redo-disk.awr-11.2.txt"), names)
    twice = redact(once, names)
    assert (text_of(twice), twice.source) == (text_of(once), once.source)


def test_one_key_gives_one_pseudonym_in_every_report_and_another_key_another() -> None:
    one, other = Names(key=KEY), Names(key=KEY[::-1])
    names = [
        redact(samples.report(each), keyed).identity.db_name
        for each, keyed in (
            ("redo-disk.awr-11.2.txt", one), ("redo-disk.awr-11.2.html", one),
            ("redo-disk.awr-11.2.txt", other),
        )
    ]  # fmt: skip
    assert names[0] == names[1] != names[2]
    assert samples.report("redo-disk.awr-11.2.txt").identity.db_name not in names


def test_a_key_drawn_for_a_run_is_never_the_same() -> None:
    assert Names().of("PAYROLL") != Names().of("PAYROLL")


def test_names_that_differ_stay_apart_however_short_they_are() -> None:
    names = Names(key=KEY)
    drawn = {names.of(f"U{letter}") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    assert len(drawn) == 26
    drawn = {names.of(f"undo{number:02}") for number in range(60)}
    assert len(drawn) == 60
    assert all(name.startswith("undo") for name in drawn)


def test_a_pseudonym_is_as_long_as_the_name_and_written_alike() -> None:
    names = Names(key=KEY)
    assert names.of("PAYROLL") == names.of("payroll").upper()
    assert len(names.of("a_very_long_name$of#an_object")) == 29
    assert names.of("4411223366").isdecimal()


def test_the_map_keeps_the_key_and_translates_back(tmp_path: Path) -> None:
    file = tmp_path / "map.jsonl"
    names = Names(str(file))
    clean = redact(samples.report("redo-disk.awr-11.2.txt"), names)
    names.save()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    back = {line["pseudonym"]: line["original"] for line in lines[1:]}
    assert back[str(clean.identity.db_name).lower()] == "AULTDB"
    again = Names(str(file))
    assert again.of("AULTDB") == clean.identity.db_name
    assert text_of(redact(clean, again)) == text_of(clean)


def test_a_map_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "map").write_text("PAYROLL\n")
    with pytest.raises(UsageError, match="is not a map"):
        Names(str(tmp_path / "map"))


def test_a_name_written_with_references_is_replaced_whole() -> None:
    page_ = text_of(samples.report("redo-disk.awr-11.2.html"))
    service = "caf&#233;&amp;bureau"
    changed = page_.replace("SYS$USERS", service)
    assert changed != page_
    clean = text_of(api.load(changed.encode(), names=Names(key=KEY)))
    assert not re.search(r"caf|bureau", clean)
    assert clean.count("&amp;") == changed.count("&amp;")


def test_addresses_mails_and_paths_around_a_report_are_replaced() -> None:
    text = (
        "SQL> spool /export/report/data/files.txt\nmail from ann@example.org at 10.20.30.40 "
        "C:\\report\\files\n" + text_of(samples.report("redo-disk.statspack-9.2.lst"))
    )
    clean = text_of(api.load(text.encode(), names=Names(key=KEY)))
    head = "\n".join(clean.split("\n")[:3])
    assert not re.search(r"export|report|data|files|ann|example|10\.20|30\.40", head)


def test_figures_that_are_written_with_points_are_no_addresses() -> None:
    text = text_of(redact(samples.report("redo-disk.awr-11.2.de.html"), Names(key=KEY)))
    assert re.search(r">\d{1,3}\.\d{3}\.\d{3}\.\d{3}<", text)


def test_what_a_parameter_chooses_stays_and_what_it_names_goes() -> None:
    clean = redact(samples.report("redo-disk.statspack-9.2.lst"), Names(key=KEY))
    before = samples.report("redo-disk.statspack-9.2.lst").parameters()
    after = clean.parameters()
    assert before.keys() == after.keys()
    assert before["undo_management"] == after["undo_management"]
    assert before["db_name"] != after["db_name"]
    assert before["control_files"] != after["control_files"]


@pytest.mark.slow
@over(*KINDS)
def test_a_parameter_that_is_on_or_off_is_so_in_a_redacted_report(entry: Entry) -> None:
    """Also if its name is that of a user, a plan or a file: ``global_names``, ``file_mapping``."""
    before, after = report_of(entry.path).parameters(), redacted(entry.path).parameters()
    words = {"TRUE", "FALSE", "NONE", "AUTO", "MANUAL"}
    chosen = {name for name, value in before.items() if str(value).upper() in words}

    assert {name: before[name] for name in chosen} == {name: after[name] for name in chosen}


def test_values_that_look_like_names_of_users_or_plans_stay() -> None:
    text = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8")
    line = next(each for each in text.split("\n") if each.startswith("db_name "))
    added = {"global_names": "FALSE", "_optim_peek_user_binds": "TRUE", "os_roles": "FALSE",
             "ldap_directory_access": "NONE", "standby_file_management": "MANUAL"}  # fmt: skip
    rows = [f"{name:<30}{value}" for name, value in added.items()]
    report = api.load(text.replace(line, "\n".join((line, *rows))).encode())

    assert added.items() <= report.parameters().items()
    assert added.items() <= redact(report, Names(key=KEY)).parameters().items()


def test_a_statement_keeps_its_verb_and_nothing_else() -> None:
    clean = redact(samples.report("redo-disk.awr-19c.html"), Names(key=KEY))
    before = samples.report("redo-disk.awr-19c.html")["sql_text"].texts("sql_text")
    after = clean["sql_text"].texts("sql_text")
    assert [text.split()[0].lower() for text in before] == [t.split()[0].lower() for t in after]
    assert not {w.lower() for t in after for w in re.findall(r"\w{2,}", t)[1:]} & {
        w.lower() for t in before for w in re.findall(r"\w{2,}", t)
    }


def test_a_section_that_nobody_has_described_gives_no_name_away() -> None:
    text = text_of(samples.report("redo-disk.awr-11.2.txt"))
    text += (
        "\nPayroll Watch  DB/Inst: AULTDB/aultdb1  Snaps: 144-147\n\n"
        "Payee                Amount\n-------------------- ----------\n"
        "MUSTERMANN_ERIKA       12,345\n"
    )
    clean = text_of(api.load(text.encode(), names=Names(key=KEY)))
    assert not re.search("payroll|payee|mustermann|erika", clean, re.I)
    assert "12,345" in clean


def test_an_excerpt_that_was_pasted_is_redacted_too() -> None:
    pasted = (
        "| Tablespace | Reads | Av Rd(ms) | Writes | Buffer Waits |\n|---|---|---|---|---|\n"
        "| PAYROLL_TEMP | 120 | 4.5 | 77 | 0 |\n| PAYROLL | 10 | 3.5 | 7 | 0 |\n"
    )
    before, clean = api.load(pasted.encode()), api.load(pasted.encode(), names=Names(key=KEY))
    assert "PAYROLL" not in text_of(clean)
    assert figures(clean) == figures(before)
    assert api.facts_of(clean)["temp.reads"].value == 120


def test_several_reports_of_one_file_are_put_together_again(tmp_path: Path) -> None:
    both = tmp_path / "both.lst"
    texts = [text_of(samples.report("redo-disk.statspack-9.2.lst"))] * 2
    both.write_text("".join(texts))
    assert cli.run(["redact", str(both), "-o", str(tmp_path / "clean.lst")]) == 0
    found = list(api.load_all(tmp_path / "clean.lst"))
    assert len(found) == 2
    assert "AULTDB" not in (tmp_path / "clean.lst").read_text()


NAME = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$#", min_size=5, max_size=5).map("Q{}".format)


@at_most(8)
@given(name=NAME)
def test_whatever_a_database_is_called_its_name_goes_and_its_figures_stay(name: str) -> None:
    for layout in (
        "redo-disk.awr-11.2.txt",
        "redo-disk.statspack-9.2.lst",
        "redo-disk.awr-19c.html",
    ):
        before = samples.report(layout)
        text = text_of(before).replace("AULTDB", name).replace("aultdb", name.lower())
        clean = api.load(text.encode(), names=Names(key=KEY))
        assert name.lower() not in text_of(clean).lower()
        assert clean.identity.elapsed_s == before.identity.elapsed_s
        assert api.facts_of(clean)["redo.write_ms"].value == samples.analysis(layout).facts[
            "redo.write_ms"].value  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        ("analyze", "{}"), ("analyze", "{}", "--format", "json"), ("facts", "{}"),
        ("analyze", "{}", "--format", "markdown"), ("analyze", "{}", "--format", "html"),
        ("tables", "{}"), ("tables", "{}", "parameters", "--format", "json"),
        ("tables", "{}", "tablespace_io", "--format", "csv"),
        ("integrity", "{}", "--format", "json"),
        ("check", "{}", "--exit-zero", "--output", "sarif"), ("trend", "{}", "--format", "json"),
        ("check", "{}", "--exit-zero", "--output", "json"), ("trend", "{}", "--db", "AULTDB"),
        ("check", "{}", "--exit-zero", "--output", "html"), ("trend", "{}", "--format", "html"),
        ("check", "{later}", "--exit-zero", "--against", "{}"), ("devices", "{}"),
        ("compare", "{}", "{}", "--format", "json"), ("compare", "{}", "{}", "--format", "html"),
        ("whatif", "{}", "--device", "nvme", "--format", "json"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_every_command_on_reports_redacts(
    call: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = tmp_path / "AULTDB" / "awr_aultlab1_144.html"
    source.parent.mkdir()
    source.write_text(text_of(samples.report("redo-disk.awr-19c.html")))
    later = source.with_name("awr_aultlab1_108.html")
    later.write_text(text_of(samples.report("undo-disk.awr-19c.html")))
    assert cli.run([part.format(source, later=later) for part in call] + ["--redact"]) == 0
    printed = capsys.readouterr()
    assert not re.search("aultdb|aultlab", printed.out + printed.err, re.I)


def test_an_input_that_is_no_report_is_told_without_its_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "payroll.txt").write_text("nothing\n")
    assert cli.run(["analyze", str(tmp_path / "payroll.txt"), "--redact"]) == 3
    printed = capsys.readouterr()
    assert "payroll" not in printed.out + printed.err


def test_reports_are_written_as_files_that_are_read_again(tmp_path: Path) -> None:
    sources = [str(samples.path(n)) for n in ("redo-disk.awr-11.2.txt", "redo-disk.awr-11.2.html")]
    clean, key = tmp_path / "clean", tmp_path / "map"
    assert cli.run(["redact", *sources, "-o", f"{clean}/", "--redact-map", str(key)]) == 0
    files = sorted(clean.iterdir())
    assert [file.suffix for file in files] == [".html", ".txt"] or len(files) == 2
    assert all(re.fullmatch(r"report-\w{8}\.(txt|html)", file.name) for file in files)
    values = {api.facts_of(api.load(file))["redo.write_ms"].value for file in files}
    assert values == {samples.analysis("redo-disk.awr-11.2.txt").facts["redo.write_ms"].value}
    assert len({api.load(file).identity.db_name for file in files}) == 1


def test_several_reports_need_a_folder_and_none_is_written_without(tmp_path: Path) -> None:
    sources = [str(samples.path(n)) for n in ("redo-disk.awr-11.2.txt", "redo-disk.awr-11.2.html")]
    assert cli.run(["redact", *sources, "-o", str(tmp_path / "one.txt")]) == 2
    assert not list(tmp_path.iterdir())


def test_what_is_no_report_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("the payroll database\n")
    assert cli.run(["redact", str(tmp_path / "notes.txt"), "-o", str(tmp_path / "clean.txt")]) == 3
    assert not (tmp_path / "clean.txt").exists()


def test_every_column_of_words_says_whether_it_is_private() -> None:
    """A column that says neither is sifted word by word: names in it are replaced as well."""
    for name in catalogue.load().names:
        for column in catalogue.load().section(name).columns:
            marks = {"private", "public"} & set(column.flags)
            assert len(marks) < 2, (name, column.name)
            assert not (marks == {"public"} and column.name in identifiers.NAMED), (name, column)
            if column.name in {"tablespace", "host", "owner", "filename", "sql_text", "module"}:
                assert marks == {"private"}, (name, column.name)


# What asks for names, asks for them as they are.


def test_budgets_and_paths_mean_the_names_as_they_are_and_show_pseudonyms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "staging").mkdir()
    shutil.copy(samples.path("redo-disk.awr-11.2.txt"), tmp_path / "staging" / "load.txt")
    (tmp_path / "our.budgets").write_text(
        "budget redo.write_ms <= 2 ms\n  when report.db_name == report.db_name and "
        'report.db_name like "AULT%"\n'
    )
    (tmp_path / "awrlens.toml").write_text(
        'budgets = ["our.budgets"]\n[check.per-path-ignores]\n"staging/*" = ["REDO"]\n'
    )

    assert 1 == cli.run(["check", "staging/load.txt", "--redact", "--output", "json=out.json"])

    text = (tmp_path / "out.json").read_text()
    (report,) = json.loads(text)["reports"]
    assert any(each["id"].startswith("BUDGET-") for each in report["findings"])
    assert {each["suppressed"]["by"] for each in report["suppressed"]} == {"per-path-ignore"}
    shown = text.replace('"staging/*"', "").replace('like \\"AULT%\\"', "")
    assert "AULTDB" not in shown
    assert "load.txt" not in shown
    assert 1 == cli.run(["budget", "test", "our.budgets", "staging/load.txt", "--redact"])
    assert "AULTDB" not in capsys.readouterr().out


def test_a_baseline_fits_a_redacted_check_with_the_same_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = str(samples.path("redo-disk.awr-11.2.txt"))
    same = ["--redact-map", "private.jsonl"]

    assert 0 == cli.run(["baseline", "create", report, "--reason", "known", *same])
    assert "AULTDB" not in (tmp_path / "awrlens-baseline.json").read_text()
    known = ["--baseline", "awrlens-baseline.json"]
    assert 0 == cli.run(["check", report, *known, *same])
    assert 1 == cli.run(["check", report, *known, "--redact"])


@pytest.mark.parametrize("log", sorted(Path(__file__).parent.glob("alertlogs/*")), ids=str)
def test_what_is_told_of_an_alert_log_names_nobody(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == cli.run(["recovery", "measure", str(log), "--format", "json"])
    plainly = json.loads(capsys.readouterr().out)
    assert 0 == cli.run(["recovery", "measure", str(log), "--format", "json", "--redact"])
    out = capsys.readouterr().out
    redacted = json.loads(out)

    who = {plainly["report"][name] for name in ("db_name", "instance")} - {None}
    assert not [name for name in who if re.search(rf"\b{re.escape(name)}\b", out)]
    assert log.name not in out
    values = {name: fact["value"] for name, fact in plainly["facts"].items()}
    assert values == {name: fact["value"] for name, fact in redacted["facts"].items()}


def test_a_prediction_names_neither_report_nor_log(capsys: pytest.CaptureFixture[str]) -> None:
    report = samples.path("redo-disk.awr-11.2.txt")
    log = next(Path(__file__).parent.glob("alertlogs/*10*"))
    assert 0 == cli.run(["recovery", "predict", str(report), "--alert-log", str(log), "--redact",
                         "--format", "json"])  # fmt: skip
    out = capsys.readouterr().out

    assert "AULTDB" not in out
    assert "aultlab" not in out
    assert log.name not in out
