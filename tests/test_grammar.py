"""The section language, its compiler, and the committed catalogue."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import samples

from awrlens.errors import GrammarError
from awrlens.grammar import catalogue
from awrlens.grammar.catalogue import Catalogue, norm_heading, norm_title

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import grammar as compiler
import grammar_language as language

WAITS = """section wait_events
  title "Wait Events"
        "Waits of Everybody"
  about "Waits of all sessions."
  column event        text key "Event"
  column total_wait_s float s "Total Wait Time (s)" "Total Wait Time (cs)" in cs
  column errors       split "/" into too_old int count, out_of_space int count "STO/ OOS"
  note   total_writes int count "Total Physical Writes"

section background_events
  title "Background Wait Events"
  like wait_events
  column pct_bg_time float % "% bg time"
"""


def compiled(text: str) -> Catalogue:
    return Catalogue(compiler.compile_sources({"waits.awg": text}))


def problem(text: str) -> str:
    with pytest.raises(GrammarError) as caught:
        compiled(text)
    return str(caught.value)


def test_a_description_names_columns_types_units_and_headings() -> None:
    spec = compiled(WAITS).section("wait_events")
    assert spec.titles == ("Wait Events", "Waits of Everybody")
    assert spec.key == "event"
    total = spec.columns[1]
    assert (total.name, total.type, total.unit) == ("total_wait_s", "float", "s")
    assert total.headings == {"totalwaittime(s)": None, "totalwaittime(cs)": "cs"}
    assert [part.name for part in spec.columns[2].parts] == ["too_old", "out_of_space"]
    assert spec.notes[0].name == "total_writes"


def test_a_section_may_say_which_release_prints_it_first() -> None:
    assert compiled(WAITS).since == {}
    text = WAITS.replace("section wait_events\n", "section wait_events\n  since 10.1\n", 1)
    assert compiled(text).since == {"wait_events": "10.1"}


def test_like_takes_over_the_columns_of_a_section_above() -> None:
    names = [column.name for column in compiled(WAITS).section("background_events").columns]
    assert names == ["event", "total_wait_s", "errors", "pct_bg_time"]


@pytest.mark.parametrize(
    ("line", "place", "says"),
    [
        ('  column waits int "Waits"', "waits.awg:4: column 20", "a unit (count, ratio, %"),
        ('  column waits number count "Waits"', "waits.awg:4: column 16", "a type (text, int"),
        ('  column Waits int count "Waits"', "waits.awg:4: column 10", "a name in lower_case"),
        ("  column waits int count", "waits.awg:4: column 25", 'a text in "quotes"'),
        ("  layout wide", "waits.awg:4: column 10", "a layout (table, labels, sql, above, lines)"),
        ('  colum waits int count "Waits"', "waits.awg:4: column 3", "section, title, about"),
        ("  since eleven", "waits.awg:4: column 9", "a release (11.2)"),
        ('  column waits int count "Waits', "waits.awg:4: column 26", "found '\"Waits'"),
        ('  title "A"\n        "B" C', "waits.awg:5: column 13", "found 'C'"),
    ],
)
def test_an_error_points_at_the_line_and_column_and_says_what_is_expected(
    line: str, place: str, says: str
) -> None:
    told = problem(f'section wait_events\n  title "Wait Events"\n  column e text "Event"\n{line}\n')
    assert told.startswith(place)
    assert says in told


def test_a_unit_that_does_not_measure_the_same_is_refused() -> None:
    told = problem(WAITS.replace("in cs", "in MB"))
    assert told == "waits.awg:6: MB cannot be expressed in s."


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ('section wait_events\n  title "X"\n  column a text "A"\n', "also described in waits.awg"),
        (
            'section other\n  title "X"\n  column a text "A"\n  column a text "B"\n',
            "column a is defined twice",
        ),
        (
            'section other\n  title "X"\n  column a text ""\n  label b "B"\n  label b "C"\n',
            "label b is defined twice",
        ),
        ('section other\n  column a text "A"\n', "section other has no title"),
        ('section other\n  title "X"\n', "section other has no column"),
        ('section other\n  title "X"\n  like nothing\n', "like nothing: no section of that name"),
        (
            'section other\n  title "X"\n  column a text "A"\n  order "A" are b if a within b\n',
            "every heading needs one described column",
        ),
    ],
)  # fmt: skip
def test_what_clashes_or_lacks_is_refused(extra: str, says: str) -> None:
    assert says in problem(f"{WAITS}\n{extra}")


def test_a_label_may_have_a_unit_of_its_own() -> None:
    text = (
        'section memory\n  title "Memory"\n  layout labels\n  column label text key ""\n'
        '  column value float MB "Value"\n  label sga_mb "SGA use (MB)"\n'
        '  label sga_pct % "% of Host Mem"\n'
    )
    spec = compiled(text).section("memory")

    assert "%" == spec.unit_of("% of Host Mem")
    assert None is spec.unit_of("SGA use (MB)")
    assert "waits.awg:7: column 17" in problem(text.replace("sga_pct %", "sga_pct parts"))


@pytest.mark.parametrize("name", ["redo-disk.awr-19c.html", "temp-sort-disk.awr-19c.html"])
def test_figures_below_their_own_headings_keep_them(name: str) -> None:
    report = samples.report(name)
    elapsed = report.identity.elapsed_s
    assert elapsed
    for row in report["tablespace_io"]:
        by_rate = (row.number("writes_per_s") or 0) * elapsed
        assert row.number("writes") == pytest.approx(by_rate, abs=elapsed)
        part, whole = row.number("single_block_reads_per_s"), row.number("reads_per_s")
        assert part is not None
        assert whole is not None
        assert part <= whole + 1


def test_percentages_and_counts_among_sizes_have_their_unit() -> None:
    memory = samples.report("redo-disk.statspack-11.2.txt")["memory_statistics"]
    rows = {row.key: row.cell("end_value") for row in memory}

    assert {"SGA use (MB)": "MB", "% Host Mem used for SGA+PGA": "%"}.items() <= {
        key: cell.unit for key, cell in rows.items() if cell
    }.items()
    assert {"% Host Mem used for SGA+PGA": "%"} == memory.frame.attrs["row_units"]
    assert "MB" == memory.frame.attrs["units"]["end_value"]


def test_a_statement_before_any_section_is_refused() -> None:
    assert problem('title "Wait Events"\n') == "waits.awg:1: 'title' is before the first section."


def test_one_figure_may_stand_in_a_split_cell_and_in_a_column_of_its_own() -> None:
    """9.2 prints Snapshot Too Old in a column, 10.2 in ``STO/ OOS``: the name is the same."""
    text = WAITS.replace("  note ", '  column too_old int count "Too Old"\n  note ')
    assert compiled(text).section("wait_events")
    assert "too_old is defined twice" in problem(
        text.replace('too_old int count "', 'too_old int B "')
    )


def test_text_and_html_headings_of_one_column_are_the_same() -> None:
    assert norm_heading("Invali-  dations") == norm_heading("Invalidations")
    assert norm_heading("Target  Re\ndoBlks") == norm_heading("Target RedoBlks")
    assert norm_heading("Redo size:") == norm_heading("Redo Size")
    assert norm_title("Top 5 Timed Events") == norm_title("Top 10  Timed events")


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("Host CPU (CPUs: 22 Cores: 22 Sockets: 22)", "host_cpu"),
        ("Top 25 Timed Events", "top_events"),
        ("WORKLOAD REPOSITORY PDB report (root snapshots)", "database"),
        ("Wait Event Histogram Detail (4 min t", "event_histogram_1h"),
        ("BACKGROUND WAIT EVENTS", "background_events"),
    ],
)
def test_titles_that_run_on_or_are_cut_are_recognised(printed: str, name: str) -> None:
    assert name in catalogue.load().by_title(printed)


@pytest.mark.parametrize("printed", ["Wait Events Statistics", "Undo Statistics", "", "IO Stats"])
def test_headings_of_whole_chapters_are_no_section(printed: str) -> None:
    assert catalogue.load().by_title(printed) == ()


@pytest.mark.slow
def test_the_committed_catalogue_is_what_the_grammars_say() -> None:
    assert {} == compiler.stale(compiler.ROOT / "grammars", compiler.ROOT / "awrlens")


def test_the_lazily_read_catalogue_is_the_json_file() -> None:
    data = Path(catalogue.CATALOGUE).read_bytes()
    whole = json.loads(data)
    lazy = catalogue.read_compiled(data.splitlines(keepends=True))
    lines = (line.decode().strip().rstrip(",") for line in lazy["sections"].values())
    assert json.loads(f"{{{','.join(lines)}}}") == whole["sections"]
    assert lazy["titles"] == whole["titles"]
    assert list(lazy["sections"]) == list(whole["sections"])


def test_compiling_writes_what_changed_and_checking_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("grammars", "awrlens/grammar", "awrlens/redact"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "grammars" / "waits.awg").write_text(WAITS, encoding="utf-8")
    made = tmp_path / "awrlens/grammar/_catalogue.json"

    assert 1 == compiler.main("--check", root=tmp_path)
    assert not made.exists()
    assert 0 == compiler.main(root=tmp_path)
    assert 0 == compiler.main("--check", root=tmp_path)
    monkeypatch.setattr(catalogue, "CATALOGUE", made)
    assert catalogue.load.__wrapped__().names == ("wait_events", "background_events")
    words = (tmp_path / "awrlens/redact/described.txt").read_text(encoding="utf-8").split()
    assert {"Everybody", "STO", "bg"} <= {*words}
    assert "sessions" not in words
    assert [
        "_catalogue.json is out of date: run `make catalogue`.",
        "described.txt is out of date: run `make catalogue`.",
        "_catalogue.json is written.", "described.txt is written.",
        "The catalogue is up to date.",
    ] == capsys.readouterr().out.splitlines()  # fmt: skip


def test_a_mistake_fails_the_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "grammars").mkdir()
    for name in ("again.awg", "waits.awg"):
        (tmp_path / "grammars" / name).write_text(WAITS, encoding="utf-8")

    assert 1 == compiler.main(root=tmp_path)
    assert "is also described in again.awg" in capsys.readouterr().out


def test_an_unknown_section_is_told_with_what_to_do() -> None:
    with pytest.raises(GrammarError, match=r"There is no section tides\. `awrlens grammar list`"):
        catalogue.load().section("tides")


def test_every_section_says_what_it_is_about_and_every_unit_fits_its_name() -> None:
    loaded = catalogue.load()
    suffixes = {"_s": "s", "_ms": "ms", "_pct": "%", "_mb": "MB", "_b": "B", "_per_s": "1/s",
                "_b_per_s": "B/s", "_mb_per_s": "MB/s", "_min": "min", "_gb": "GB"}  # fmt: skip
    for name in loaded.names:
        spec = loaded.section(name)
        assert spec.about.endswith("."), name
        for column in spec.columns:
            for each in column.parts or (column,):
                fitting = [s for s in suffixes if each.name.endswith(s)]
                if fitting and each.type in ("int", "float"):
                    assert each.unit == suffixes[max(fitting, key=len)], (name, each.name)


def test_a_column_of_times_or_sizes_has_its_unit_in_its_name() -> None:
    """`wait_ms`, not `wait`: who asks for a column knows what it counts."""
    loaded = catalogue.load()
    unnamed = {
        f"{name}.{each.name} [{each.unit}]"
        for name in loaded.names
        for column in loaded.section(name).columns
        for each in column.parts or (column,)
        if each.unit in ("s", "ms", "us", "min", "MB", "GB")
        and each.unit.lower() not in each.name.split("_")
    }
    # the rows of a table of labels have several units
    assert unnamed == {"memory_statistics.begin_value [MB]", "memory_statistics.end_value [MB]"}


def test_the_language_is_documented_with_every_word_it_has() -> None:
    page = Path(compiler.ROOT, "grammars/README.md").read_text(encoding="utf-8")
    words = ("section", "title", "about", "layout", "column", "label", "note", "order", "like")
    for word in (*words, "split", *language.LAYOUTS, *language.TYPES, *language.FLAGS):
        assert re.search(rf"`[^`\n]*\b{word}\b", page), word
