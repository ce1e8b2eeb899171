"""What a DBA sees first: whose load it is, where DB time went, the problem, and what to do."""

from __future__ import annotations

import re
from pathlib import Path

import corpus
import figures
import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st
from test_witnesses import statements

from awrlens import api
from awrlens.advice.headline import first_action, headline
from awrlens.advice.plan import CATALOGUE
from awrlens.cli import run
from awrlens.model import STATES, Analysis, Impact, Recommendation, Verdict, with_parts
from awrlens.model.chart_data import Exhibits
from awrlens.policy import Policy
from awrlens.render import first_screen, handover, html, layout, pages, wording
from awrlens.render.blocks import Paragraph, Table
from awrlens.render.wording import duration, in_unit, percent, short, size
from awrlens.severity import SHOWN_PCT

KINDS = ("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-html",
         "awr-diff-text", "awr-diff-html")  # fmt: skip
#: A screen: 80 columns, and so many lines.
WIDTH, LINES = 80, 50
NEEDED = pytest.mark.skipif(
    not corpus.CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
DISK = "redo-disk.awr-11.2.txt"


def screen(found: Analysis, width: int = WIDTH) -> list[str]:
    return wording.text(layout.page(found, width, verbose=False)).rstrip("\n").split("\n")


def test_a_command_that_fits_on_a_line_is_whole_so_that_it_can_be_copied() -> None:
    wanted = "ALTER SYSTEM SET fast_start_mttr_target=3600 SCOPE=BOTH;"
    found = samples.analysis("redo-disk.statspack-9.2.lst")
    shown = {width: screen(found, width) for width in (72, 120)}

    assert f"    {wanted}" in shown[72]
    assert f"    online, low risk · {wanted}" in shown[120]


@corpus.over(*KINDS)
def test_every_report_fits_on_a_screen_and_its_first_action_is_at_the_top(
    entry: corpus.Entry,
) -> None:
    """Who, when, load, what is wrong, what it costs, and what to do are in the first 12 lines."""
    found = corpus.analysis(entry)
    lines = screen(found)
    first = next((n for n, line in enumerate(lines, start=1) if line.startswith(" 1. ")), None)

    assert (first is not None) == bool(found.actions)
    assert first is None or first <= 12
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH


@corpus.over(*KINDS)
def test_the_cause_has_twelve_words_at_most_and_its_cost_few_numbers(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)
    cause, *others = (re.sub("`[^`]*`", "X", line) for line in wording.headline_lines(found))
    numbers = [re.findall(r"(?<![\w.])\d[\d.,]*", line) for line in (cause, *others[:1])]

    assert not any(
        re.search(r"(?<![A-Z])[.,;:] ?[.,;:]|\( | \)", line) for line in (cause, *others)
    )
    if not found.periods:
        assert len(cause.split()) <= 12
        assert all(len(each) <= 5 for each in numbers)
    else:  # both values with their units
        assert len(cause.split()) <= 22
        assert len(numbers[0]) <= 4


def test_an_action_that_limits_recovery_saves_no_time_and_says_so() -> None:
    known = samples.analysis("redo-disk.statspack-9.2.lst")
    mttr = next(item for item in known.recommendations if item.id == "set-mttr-target")
    shown = [each for _, found in first_screen.actions(known) for each in found]

    assert mttr.status == "apply"
    assert {each.saving for each in shown if each.id == mttr.id} == {"none"}


def test_the_alarm_of_a_comparison_is_not_the_few_sessions_of_its_second_period() -> None:
    """All is as in the second period, but the comparison is critical, and the period is not."""
    found = samples.analysis("redo-compared.awr-diff-11.2.txt")
    assert found.comparison is not None
    worse = found._replace(comparison=found.comparison._replace(severity="critical"))
    alike = found._replace(comparison=found.comparison._replace(severity=found.verdicts.write_path))

    assert re.fullmatch(r"[\d.,]+ active sessions", first_screen.waiting(worse))
    assert "active" not in first_screen.waiting(alike)


def test_an_action_says_how_many_sessions_it_frees_or_that_its_gain_is_not_known() -> None:
    found = samples.analysis(DISK)
    shown = [each for _, actions in first_screen.actions(found) for each in actions]
    freed = [item.benefit.sessions for item in found.actions]

    assert [bool(each.freed) for each in shown] == [(many or 0) >= 0.01 for many in freed]
    assert any(each.freed for each in shown)
    assert {"not known", "none"} >= {each.saving for each in shown if each.pct is None}
    assert any("frees " in line for line in screen(found))
    page = html.render(
        [html.page(found, api.exhibits(samples.report(DISK), found))], pages.Extras("0")
    )
    assert re.search(r'class="weight"><b>\w+</b> [\d.]+ of [\d.]+ sessions waiting<', page)


@corpus.over(*KINDS)
def test_no_row_of_the_write_path_begins_with_a_separator(entry: corpus.Entry) -> None:
    lines = screen(corpus.analysis(entry))
    first = next((n for n, line in enumerate(lines) if line[1:].startswith(" redo ")), len(lines))

    assert not [line for line in lines[first : first + 12] if line.startswith(" " * 14 + "·")]


@corpus.over(*KINDS)
def test_the_headline_names_the_first_action_and_only_actions_are_numbered(
    entry: corpus.Entry,
) -> None:
    found = corpus.analysis(entry)
    action = first_action(found)
    numbered = [line for line in screen(found) if re.match(r" ?\d+\. ", line)]
    doing = [item for item in found.recommendations if item.status == "apply"]

    assert action is None or action.title[1:] in found.headline
    assert len(numbered) == len(doing)
    assert all(item.effort and item.risk for item in doing)


@corpus.over(*KINDS)
def test_where_db_time_went_adds_up(entry: corpus.Entry) -> None:
    pieces = first_screen.db_time(corpus.analysis(entry))

    total = sum(piece.pct for piece in pieces)

    # lists of old releases have waits of background processes that no other list separates
    assert not pieces or 98 <= total <= 135
    assert (total >= 102) == ("add up to" in first_screen.outside(corpus.analysis(entry)))
    assert all(piece.pct >= 0 for piece in pieces)


@pytest.mark.parametrize("name", samples.ALL)
def test_the_write_path_in_the_bar_is_what_the_facts_say(name: str) -> None:
    found = samples.analysis(name)
    shares = {each.name: each.seconds for each in found.overview.db_time}  # type: ignore[union-attr]

    for share, fact in (
        ("commits", "redo.sync_wait_s"),
        ("log switches", "redo.log_switch_wait_s"),
    ):
        number = found.facts[fact].number
        if share in shares and number is not None:
            assert shares[share] == pytest.approx(number, rel=0.02, abs=1)


def test_the_sample_on_disks_shows_its_load_its_problem_and_what_to_do() -> None:
    text = " ".join(" ".join(screen(samples.analysis(DISK))).split())

    assert "AULTDB/aultdb1 · 11.2.0.3.0 · host aultlab1, 2 CPUs" in text
    assert "2008-08-20 16:23:46 to 18:43:26 · 2 h 20 min" in text
    assert "1.15 average active sessions on 2 CPUs" in text
    assert "CPU 82 %" in text
    assert re.search(r"Do now DB time saved 1\. ", text)
    assert "redo commit 13 ms (18 commit waits) · redo log write 17.9 ms" in text


def test_nothing_that_is_not_to_be_done_is_numbered() -> None:
    text = "\n".join(screen(samples.analysis(DISK)))

    assert re.search(r"^No benefit: setting FAST_START_MTTR_TARGET", text, re.M)
    assert ["1"] == re.findall(r"^ *(\d+)\. ", text, re.M)


def test_what_was_not_judged_is_grey_and_not_green(tmp_path: Path) -> None:
    """A report that breaks off before its facts has no green mark for what it lacks."""
    text = samples.path("redo-disk.statspack-9.2.lst").read_text(encoding="utf-8")
    file = tmp_path / "cut.lst"
    file.write_text("\n".join(text.split("\n")[:60]), encoding="utf-8")
    found = api.analyze(api.load(file))
    tiles = {tile.name: tile.severity for tile in first_screen.tiles(found)}

    assert first_screen.severity(found) == "unknown"
    assert tiles["undo"] == tiles["checkpoint"] == "unknown"


def test_one_finding_is_explained_with_its_lines_and_its_sql(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 0 == run(["analyze", str(samples.path(DISK)), "--explain", "ckpt001"])
    out = capsys.readouterr().out

    assert "redo.log_switch_wait_s" in out
    assert re.search(r"\(lines? \d+", out)
    assert "ALTER DATABASE ADD LOGFILE" in out
    assert "rollback:\n" in out
    assert "TEMP" not in out


@NEEDED
def test_a_headline_on_db_time_is_explained_by_facts_with_their_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = str(corpus.CORPUS / "statspack-text_10.1.0.3.0_03.lst")

    assert 0 == run(["analyze", name])
    assert "--explain load or --verbose" in capsys.readouterr().out
    assert 0 == run(["analyze", name, "--explain", "load"])
    out = capsys.readouterr().out
    assert re.search(r"load\.parse_pct +90\.\d+ %\n +derived: .* \(lines \d+, \d+\)", out)
    assert "unavailable" not in out
    assert 0 == run(["analyze", name, "--explain", "load.parse_pct"])
    assert "load.sessions" not in capsys.readouterr().out
    assert 0 == run(["analyze", name, "--explain", "load.costly_sql"])  # a name that begins another
    out = capsys.readouterr().out
    assert re.search(r"load\.costly_sql +unavailable: section", out)
    assert "load.costly_sql_pct" not in out


def test_a_rule_that_found_nothing_is_explained_as_such(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = ["analyze", str(samples.path(DISK)), "--explain", "REDO009"]

    assert 0 == run(call)
    assert "REDO009 found nothing in this report." in capsys.readouterr().out
    assert 2 == run([*call, "--format", "markdown"])
    assert "--explain prints text." in capsys.readouterr().err


def test_the_bar_has_no_waits_of_background_processes() -> None:
    """A list of all processes: what the background's own list has is taken out."""
    name = "redo-disk.statspack-9.2.lst"
    text = samples.path(name).read_text(encoding="utf-8")
    shares = {each.name: each.seconds for each in samples.analysis(name).overview.db_time}  # type: ignore[union-attr]
    switches = samples.analysis(name).facts["redo.log_switch_wait_s"].number

    assert "log file parallel write" in text
    assert not any("parallel write" in each for each in shares)
    assert shares["log switches"] == pytest.approx(switches, rel=0.02)


def test_a_finding_that_there_is_not_is_refused_with_the_nearest_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert 2 == run(["analyze", str(samples.path(DISK)), "--explain", "REDO0001"])

    assert "Did you mean REDO001?" in capsys.readouterr().err


def test_many_reports_are_a_list_with_the_worst_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    names = ("redo-accelerator.awr-11.2.txt", DISK, "redo-disk.statspack-9.2.lst",
             "undo-disk.awr-11.2.txt")  # fmt: skip
    assert 0 == run(["analyze", *(str(samples.path(name)) for name in names)])
    out = capsys.readouterr().out
    marks = re.findall(r"^([✖▲?●✔]) ", out, re.M)
    rows = [line for line in out.splitlines() if line[:1] in "✖▲?●✔"]

    assert out.startswith("4 reports, worst first")
    assert len({row.index(":") for row in rows}) == 1  # the times stand in a column
    assert marks == sorted(marks, key="✖▲?●✔".index)
    assert all(name in out for name in names)
    assert "…" not in out
    assert "Several reports are of AULTDB (2): `awrlens trend` shows them over time." in out


def in_columns(shown: str) -> tuple[str, str]:
    """The name and the problem of the only report of a list."""
    _, head, *lines = shown.partition("Sessions waiting: ")[0].splitlines()
    begin, at = head.index("begin"), head.index("problem")
    lines = lines[lines[0].strip() == "waiting" :]  # of the heading
    names, problems = (line[2:begin].strip() for line in lines), (line[at:] for line in lines)
    return " ".join(filter(None, names)), " ".join(filter(None, problems))


@corpus.over(*KINDS)
def test_a_report_of_a_list_has_the_same_words_at_every_width(entry: corpus.Entry) -> None:
    row = layout.row(corpus.analysis(entry))
    for width in (80, 100, 160):
        shown = wording.text(layout.page_of_many([row], width, followed=True))
        name, problem = in_columns(shown)

        assert max(map(len, shown.splitlines())) <= width
        assert (row.name.replace(" ", ""), row.problem) == (name.replace(" ", ""), problem)
        assert "…" not in shown
        (_, head, *lines), file = shown.splitlines(), Path(row.source).name
        if width > 80:  # whole, if need be in several lines: a row can be opened
            begin, at = head.index("file"), head.index("problem")
            assert file in "".join(line[begin:at].strip() for line in lines)
        else:
            assert " file " not in head
    assert len(row.problem) <= 100
    assert not row.problem.endswith((".", ",", ";", ":"))


def test_a_list_names_the_problem_of_the_report_itself() -> None:
    """Not that of its first finding, which may be of little weight: one truth at every place."""
    for name in samples.ALL:
        analysis = samples.analysis(name)
        if first_screen.severity(analysis) in ("critical", "warning") and not analysis.periods:
            said = re.sub(r" \([^()]*\)|`", "", wording.headline_lines(analysis)[0])

            assert said.startswith(first_screen.phrase(analysis))


def test_a_folder_of_databases_of_one_name_has_whole_names_at_80_columns() -> None:
    rows = [
        layout.row(found._replace(report={**found.report, "db_id": f"13071640{n % 2 + 37}"}))
        for n, found in enumerate(map(samples.analysis, samples.ALL))
    ]
    shown = wording.text(layout.page_of_many(rows, 80, followed=True))
    _, _, *lines = shown.splitlines()
    marks = [line[0] for line in lines if line[:1] in "✖▲?●✔"]

    assert all(len(line) <= 80 for line in lines)
    assert "…" not in shown
    assert "[1307164038]" in shown
    assert len(rows) == len(marks)
    assert marks == sorted(marks, key="✖▲?●✔".index)


def test_a_list_counts_severities_has_no_empty_column_and_precedes_few_reports(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("redo-accelerator.awr-11.2.txt", DISK, "redo-compared.awr-diff-11.2.txt")
    for columns, file in ("80", False), ("200", True):
        monkeypatch.setenv("COLUMNS", columns)
        assert 0 == run(["analyze", *(str(samples.path(name)) for name in names)])
        out = capsys.readouterr().out
        found, rest = out.split("\n\n", 1)
        title, head, *rows = found.splitlines()

        assert title.startswith("3 reports, worst first: ")
        assert 3 == sum(
            map(int, re.findall(r"(\d+) (?:critical|warning|not judged|info|ok)", title))
        )
        assert head.endswith("problem")
        assert (" file " in head) is file
        times = [row for row in rows if row[:1] in "✖▲?●✔"]
        assert "sessions" in head
        assert [" waiting"] == [row[-8:] for row in rows if row.startswith(" ")] or not file
        assert any(row.startswith("Sessions waiting: on average") for row in rows)
        assert all(re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d ", row) for row in times)
        assert "The first one in full" not in out
        assert 3 == len(re.findall("^Findings$|^Changes$", rest, re.M))


def test_a_skipped_report_of_another_kind_says_what_to_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.txt").write_bytes(samples.path(DISK).read_bytes())
    for name in ("ash1.txt", "ash2.txt"):
        (tmp_path / name).write_text("ASH Report For ORCL/orcl\n\nDB Name  DB Id\n")
    assert 0 == run(["analyze", str(tmp_path)])
    error = capsys.readouterr().err

    assert 1 == error.count("This is an ASH report")
    assert "Skipped 1 file (not a report)" in error


def test_sql_of_an_action_can_be_pasted_with_its_rollback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert 0 == run(["analyze", str(samples.path(DISK)), "--verbose"])
    lines = capsys.readouterr().out.splitlines()
    undone = [number for number, line in enumerate(lines) if line.strip() == "rollback:"]

    assert undone
    assert all(lines[number + 1].strip().startswith(("ALTER ", "-- ")) for number in undone)


def test_instances_of_one_time_are_a_cluster_whose_report_is_better() -> None:
    first, second, later = ("A", 7, "a1", "10"), ("A", 7, "a2", "10"), ("A", 7, "a1", "11")

    assert wording.of_one_database([first, ("B", 7, "b1", "10")]) == []
    # one name, two DBIDs: XYDB of 11.2.0.4 and of 19c
    assert wording.of_one_database([first, ("A", 8, "a1", "11")]) == []
    assert "cluster (awrgrpt.sql)" in wording.of_one_database([first, second])[1]
    assert len(wording.of_one_database([first, later])) == 1


def test_a_file_that_cannot_be_read_comes_before_all_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, target = tmp_path / "broken.html", tmp_path / "page.html"
    broken.write_text("nothing\n")
    reports = [str(samples.path(name)) for name in samples.ALL[:4]]
    assert 3 == run(["analyze", *reports, str(broken), "--html", str(target)])
    lines = capsys.readouterr().out.splitlines()
    page = target.read_text(encoding="utf-8")

    assert lines[1].startswith("? not read: broken.html: ")
    assert page.index("broken.html: ") < page.index("4 reports, worst first")


def test_every_recommendation_says_what_it_takes() -> None:
    """No recommendation of the samples is without effort and risk."""
    ids = {
        item.id
        for name in samples.ALL
        for item in samples.analysis(name).recommendations
        if item.status == "apply"
    }

    assert ids <= {each.id for each in CATALOGUE.values() if each.effort and each.risk}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.0017, "1.7 ms"), (17, "17 s"), (119, "119 s"), (3540, "59 min"), (3600, "1 h"),
     (3720, "1 h 02 min"), (66_127_968, "765 d"), (4 * 86400 + 7200, "4 d 2 h"), (0, "0 s")],
)  # fmt: skip
def test_lengths_of_time_are_as_people_say_them(seconds: float, said: str) -> None:
    assert said == duration(seconds)


def test_quantities_have_three_digits_and_a_unit_that_fits() -> None:
    assert "1.92 MB/s" == size(2_018_211, "/s")
    assert "0.561" == short(0.5606)
    assert "5,480" == short(5480)
    assert ("42 %", "1.5 %", "< 0.1 %", "0 %") == tuple(map(percent, (41.9, 1.46, 0.02, 0)))
    assert "217/h" == in_unit(217.3, "1/h")


@given(st.floats(1e-6, 1e12))
def test_a_short_number_is_within_half_a_per_cent_of_the_long_one(value: float) -> None:
    assert float(short(value).replace(",", "")) == pytest.approx(value, rel=0.005)


@pytest.mark.corpus
@NEEDED
def test_the_light_of_a_part_is_that_of_the_slow_writes_that_are_its_own() -> None:
    """Temp and data file writes are slow, redo writes of 3.35 ms are not; 0.13 sessions wait 9.7 s.

    4,735 s of `enq: KO` in 10 h (L314): object checkpoints.
    """
    found = corpus.analysis_of(corpus.CORPUS / "awr-html_11.2.0.3.0_02.html")
    tiles = {tile.name: tile for tile in first_screen.tiles(found)}

    assert (tiles["redo"].severity, tiles["temp"].severity) == ("info", "warning")
    assert (tiles["checkpoint"].severity, tiles["checkpoint"].rule) == ("warning", "REDO014")
    assert "0.13 sessions waiting" in tiles["checkpoint"].words
    # a submit of 120 ms has five writes or more
    assert "write 33.4 ms (half within 8 ms)" in tiles["checkpoint"].words


@pytest.mark.corpus
@NEEDED
def test_the_numbers_in_one_bracket_have_one_basis() -> None:
    """11.6 sessions wait 6,428 s for LGWR; 10,502 s are for temp and other writes as well."""
    found = corpus.analysis_of(corpus.CORPUS / "awr-html_11.2.0.4.0-rac_03.html").findings[0]

    assert "11.6 sessions waiting on average for LGWR" in wording.weight(found)
    assert "in total" not in wording.weight(found)
    assert "waited 10,50" in found.why


def test_the_seconds_of_a_finding_are_shown_with_its_sessions_if_they_are_the_same_waits() -> None:
    (found,) = (each for each in samples.analysis("redo-accelerator.awr-11.2.txt").findings
                if each.id == "CKPT001")  # fmt: skip

    assert "at log switches, 2.8 % of DB time, " in wording.weight(found)
    less = found._replace(
        impact=found.impact._replace(seconds=0.48, sessions=found.weight.waiting_sessions)
    )
    assert wording.weight(less).endswith("0.48 s in total")


def test_before_9i_the_parameters_that_limit_recovery_are_shown() -> None:
    """A target that does not exist yet is no missing figure."""
    found = samples.analysis("redo-disk.statspack-8.1.7.lst")
    limit = found.facts["checkpoint.limit_before_9i"]
    tile = next(each for each in first_screen.tiles(found) if each.name == "recovery")

    assert tile.words == (limit.value,)
    assert tile.severity == "ok"
    assert str(limit.value).startswith("no target before 9i")
    later = samples.analysis("redo-disk.statspack-9.2.lst").facts["checkpoint.limit_before_9i"]
    assert later.value is None


def test_the_name_of_a_parameter_keeps_its_capitals_in_a_list() -> None:
    found = samples.analysis("redo-disk.statspack-8.1.7.lst")
    title = "FAST_START_MTTR_TARGET does not apply"
    item = Recommendation(title, "", "no-benefit")
    folded = first_screen.folded(found._replace(recommendations=(item,)))

    assert folded == [("No benefit", [title])]


def test_pga_memory_above_its_target_is_shown_instead_of_estimated_over_allocations() -> None:
    """Sessions' own memory above the target leaves less for sorts and joins."""
    found = samples.analysis("redo-disk.awr-11.2.txt")

    def row(held: float, over_allocations: float) -> str:
        facts = dict(found.facts)
        for name, value in (
            ("pga.above_target_mb", held),
            ("pga.over_allocations", over_allocations),
        ):
            facts[name] = facts[name]._replace(value=value, evidence=())
        (temp,) = (t for t in first_screen.tiles(found._replace(facts=facts)) if t.name == "temp")
        return temp.words[-1]

    assert "PGA 1.49 GB above its target" == row(1_524.3, 2_655)
    assert "PGA target exceeded 2,655 times since startup" == row(0, 2_655)
    assert "PGA" not in row(0, 0)


@pytest.mark.parametrize(("waits", "each"), [("1,200,000", "10"), ("180,000,000", "0.0667")])
def test_the_headline_says_whether_reads_are_many_or_slow(waits: str, each: str) -> None:
    """12,000 s of DB time for single-block reads are a matter of SQL, or of storage."""
    name = "db file sequential read"
    read = figures.waits(f"{name} | {waits} | 0 | 12,000 | {float(each):.0f} | 0.2 | 40.5")
    headings = ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class")
    rows = [f"{name} | {waits} | 12,000 | {float(each):.0f} | 40.5 | User I/O"]
    top = figures.section("Top 5 Timed Foreground Events", headings, rows)

    cpu = figures.time_model("3,000.00")

    assert f"`{name}` ({each} ms each)" in figures.analysis(top, read, cpu).headline


def consumers(*sections: str) -> list[str]:
    seen = figures.analysis(*sections).overview
    assert seen is not None
    return [each.name for each in seen.db_time]


def test_an_event_cut_to_the_column_of_its_list_is_named_as_the_top_events_name_it() -> None:
    """A list of events cuts names to 26 characters, the top events to 38."""
    whole = "enq: TX - row lock contention"
    list_ = figures.waits(f"{whole[:26]} | 800 | 0 | 12,000 | 15000 | 0.1 | 40.5")
    headings = ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class")
    rows = [f"{whole} | 800 | 12,000 | 15000 | 40.5 | Applicatio"]
    top = figures.section("Top 5 Timed Foreground Events", headings, rows)

    assert [whole] == consumers(top, list_)


def test_an_event_whose_name_begins_as_another_one_keeps_its_name() -> None:
    short, long = "cell single block physical read", "cell single block physical read: flash"
    list_ = figures.waits(
        f"{short} | 9,000 | 0 | 4,000 | 444 | 0.1 | 13.5",
        f"{long} | 9,000 | 0 | 9,000 | 1000 | 0.1 | 30.3",
    )
    headings = ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class")
    top = figures.section("Top 5 Timed Foreground Events", headings,
                          [f"{long} | 9,000 | 9,000 | 1000 | 30.3 | User I/O"])  # fmt: skip

    assert [long, short] == consumers(top, list_)


def test_a_share_without_benefit_shows_how_little_time_it_is() -> None:
    found = samples.analysis("redo-disk.awr-11.2.txt")

    def saved(seconds: float, pct: float, status: Verdict = "no-benefit") -> str:
        benefit, words = Impact(seconds, pct, ""), "faster storage for redo"
        item = Recommendation("Redo", "", status, benefit=benefit, short=words)
        ((_, texts),) = first_screen.folded(found._replace(recommendations=(item,), skipped=()))
        return texts[0].replace("\xa0", " ")

    assert "faster storage for redo (only 7.42 s)" == saved(7.42, 15.0)
    assert "faster storage for redo (0.1 %)" == saved(7.42, 0.1)
    assert "faster storage for redo (15 %)" == saved(7.42, 15.0, "tune-first")


@pytest.mark.corpus
@NEEDED
def test_a_latency_that_was_rounded_to_nothing_is_not_0_ms() -> None:
    found = corpus.analysis_of(corpus.CORPUS / "awr-html_10.2.0.4.0_02.LST")
    words = [word for tile in first_screen.tiles(found) for word in tile.words]

    assert "read < 1 ms" in words
    assert not any(" 0 ms" in f" {word}" for word in words)


@pytest.mark.corpus
@NEEDED
@pytest.mark.parametrize(
    ("file", "name", "shown"),
    [
        ("statspack-text_12.1.0.2.0_01.txt", "CPU", "100 % of DB time is CPU"),
        ("statspack-text_10.1.0.3.0_04.lst", "latch: library cache", "26 % is `latch"),
    ],
)
def test_the_headline_and_the_bar_have_one_share_of_a_consumer(
    file: str, name: str, shown: str
) -> None:
    """DB CPU of 938.5 s in 920.4 s of DB time is all of it; one list has background waits, too."""
    found = corpus.analysis_of(corpus.CORPUS / file)
    share = next(each.pct for each in first_screen.db_time(found) if each.name == name)

    assert shown in found.headline
    assert f"{share:.0f} %" in shown


def test_a_saving_with_two_figures_of_the_report_is_a_range_and_step_1_has_no_steps_above() -> None:
    """Figure 1 and 2 of document 3: 3.78 ms per write by the event, 1.07 ms by LGWR's counter."""
    found = samples.analysis("busy-commit.statspack-9.2.lst")
    (urgency, (action,)), _ = first_screen.actions(found)
    (line,) = [each for each in screen(found) if each.startswith(" 1. ")]
    benefit = found.actions[0].to_dict()["benefit"]

    assert ("Do now", "4.5 to 33 %") == (urgency, action.saving)
    assert "4.5 to 33 %" in line
    # 21,470,106 commits, each shorter by 1.066 - 0.305 ms: 16,340 s of the 360,000 s
    assert (4.5, 33.0) == pytest.approx(
        (benefit["least_pct_db_time"], benefit["pct_db_time"]), abs=0.05
    )
    assert not [each for each in found.actions[0].prerequisites if "steps above" in each]


def test_shares_that_add_up_to_more_than_db_time_are_explained() -> None:
    # 900 s of CPU and 300 s of waits in 1,000 s of DB time
    model = figures.section("Time Model Statistics", ("Statistic", "Time (s)", "% DB time"),
                    ["DB CPU | 900.0 | 90.0", "DB time | 1,000.0 | 100.0"])  # fmt: skip

    def said(seconds: int) -> str:
        reads = figures.waits(f"db file sequential read | 60,000 | 0 | {seconds} | 5 | 1.0 | 30.0")
        return first_screen.outside(figures.analysis(model, reads, db_time_s=1_000.0))

    assert said(300).startswith(
        "The parts add up to 120\N{NO-BREAK SPACE}%: some CPU or waits are outside DB time"
    )
    assert said(140) == ""


@pytest.mark.parametrize(
    ("cpu_s", "said"),
    [
        ("3,600.0", "Outside DB time: RMAN CPU (80 % of instance CPU) 1\xa0h"),
        ("300.0", ""),
    ],  # of 3,600 s
)
def test_the_cpu_of_a_backup_is_outside_db_time(cpu_s: str, said: str) -> None:
    """RMAN's CPU is background CPU: here one CPU, and less than a tenth of one."""
    model = figures.section("Time Model Statistics", ("Statistic", "Time (s)", "% DB time"),
                    [f"RMAN cpu time (backup/restore) | {cpu_s} | ", "DB CPU | 900.0 | 90.0",
                     f"background cpu time | {cpu_s} | ",
                     "DB time | 1,000.0 | 100.0"])  # fmt: skip
    reads = figures.waits("db file sequential read | 600 | 0 | 30 | 50 | 1.0 | 3.0")
    found = figures.analysis(model, reads, elapsed_s=3_600.0, db_time_s=1_000.0)

    assert said == first_screen.outside(found)


@pytest.mark.parametrize(("cpu_pct", "outside"), [("20.0", False), ("90.0", True)])
def test_waits_for_the_client_are_in_db_time_if_statements_have_them(
    cpu_pct: str, *, outside: bool
) -> None:
    """The time of a statement that is neither its CPU nor its I/O is only these waits."""
    model = figures.section("Time Model Statistics", ("Statistic", "Time (s)", "% DB time"),
                    ["DB CPU | 900.0 | 90.0", "DB time | 1,000.0 | 100.0"])  # fmt: skip
    numbers = f"         400.0      8,092   40.0   {cpu_pct}    5.0 4n3umtaapyywu"
    sql = statements(f"{numbers}|MERGE INTO parts USING images ON (:1 = id)")
    waits = figures.waits("SQL*Net more data from client | 60,000 | 0 | 300 | 5 | 1.0 | 30.0")
    top = figures.section(
        "Top 5 Timed Foreground Events",
        ("Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class"),
        ["SQL*Net more data from client | 60,000 | 300 | 5 | 30.0 | Network"],
    )  # fmt: skip
    found = figures.analysis(top, model, waits, sql, db_time_s=1_000.0).overview

    assert outside == bool(found and found.outside)


@pytest.mark.corpus
@NEEDED
def test_a_log_write_by_lgwrs_counter_says_so() -> None:
    """9.2: the event has 10 ms for 5,208 writes, `redo write time` 35,239 cs for 5,211."""
    found = corpus.analysis_of(corpus.CORPUS / "statspack-text_9.2.0.4.0_01.LST")

    words = first_screen.tiles(found)[0].words
    assert "redo log write 10.4 (event) to 67.6 ms by LGWR's counter" in words


@pytest.mark.corpus
@NEEDED
def test_a_clock_of_10_ms_gives_averages_without_decimals() -> None:
    """8i: 19 cs for 595 log writes, 8 cs for 34 commits."""
    found = corpus.analysis_of(corpus.CORPUS / "statspack-text_8.1.7.4.1_02.LST")
    words = first_screen.tiles(found)[0].words

    assert words[:2] == ("commit 2 ms (34 commit waits)", "redo log write < 1 ms by LGWR's counter")
    redo = next(each for each in found.recommendations if each.id == "redo-storage")
    assert "less than 1 ms (by a clock of 10 ms)" in redo.action


@pytest.mark.corpus
@NEEDED
def test_waits_behind_log_switches_are_named_once() -> None:
    """Row locks of 6,741 s, busy blocks of 1,813 s and LMS, next to 5,534 s of log switches."""
    found = corpus.analysis_of(corpus.CORPUS / "awr-html_19.0.0.0.0-rac_01.html").findings[0]
    switches = next(each for each in found.contributing if each.id == "REDO004")

    assert "`enq: TX` 6,741 s, `gc … busy` 1,813 s, " in found.why
    assert "enq: TX" not in switches.why
    said = corpus.analysis_of(corpus.CORPUS / "awr-html_19.0.0.0.0-rac_01.html").headline
    assert "elsewhere: CPU 42 %. `enq: TX - row lock contention` is 20 % (" in said
    assert ", which waits at log switches can cause." in said


def with_row_locks(name: str) -> Analysis:
    """Most of DB time is row locks, beside slow commits."""
    text = samples.path(name).read_text(encoding="utf-8")
    lines = text.split("\n")
    row = next(each for each in lines if each.startswith("log buffer space "))
    locks = "enq: TX - row lock content        1,904            8,400    4412      0.0   87.0"
    text = text.replace(row, f"{locks}\n{row}")
    top = next(each for each in lines if each.startswith("DB CPU   ") and "7,891  " in each)
    first = "enq: TX - row lock contention         1,904       8,400   4412   87.0 Applicatio"
    text = text.replace(top, f"{first}\n{top}".replace("7,891", "1,002").replace("81.7", "10.4"))
    return api.analyze(api.load(text.replace("7,891.0", "1,002.0").encode(), name))


def test_the_headline_promises_nothing_of_storage_that_does_not_help() -> None:
    found = with_row_locks("redo-disk.awr-11.2.txt")
    verdicts = found.verdicts._replace(redo_storage="no-benefit")
    said = headline(found._replace(verdicts=verdicts), Policy()).sentence

    assert "87 %, which waits at log switches can cause." in said
    assert "low-latency storage" not in said


def test_row_locks_that_wait_behind_slow_redo_writes_are_not_called_another_problem() -> None:
    name = "redo-disk.awr-11.2.txt"
    before = samples.analysis(name).headline
    found = with_row_locks(name)

    assert "DB time is elsewhere: CPU 82 %." in before
    assert "Most DB time is `enq: TX - row lock contention`" in found.headline
    # 8,400 s of locks and the 8,149 s of a statement are 6,896 s more than DB time
    assert (
        "87 %, which waits for redo can cause: on "
        "low-latency storage, each commit" in found.headline
    )
    assert "The report does not show how much of the lock waits would end." in found.headline
    assert "First: " in found.headline
    redo = next(each for each in found.recommendations if each.id == "redo-storage")
    assert wording.saving(redo.benefit).startswith("at least ")
    parts = {part.id: part for part in with_parts(found.findings)}
    assert "load.row_lock_wait_s" in [fact.name for fact in parts["REDO001"].facts]


@pytest.mark.parametrize(
    ("printed", "shown"),
    [("0", "< 1 s waited"), ("-0", "< 1 s waited"), ("0.00", "< 10 ms waited")],
)
def test_waits_that_were_rounded_to_0_seconds_are_not_said_to_be_none(
    printed: str, shown: str
) -> None:
    found = figures.analysis(figures.waits(
        "db file sequential read | 90,000 | 0 | 600 | 7 | 1.0 | 60.0",
        f"direct path write temp | 21 | 0 | {printed} | 0 | 0.0 | .0",
    ))  # fmt: skip
    (temp,) = (tile for tile in first_screen.tiles(found) if tile.name == "temp")

    assert shown in temp.words


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ({"redo.other_logs_mb": 200.0},
         ("switches early, after 21 MB: all redo logs but one hold 200 MB; the report does not "
          "show why")),
        # a backup switches logs once or twice
        ({"redo.log_mb": 100.0, "io.backup_pct": 30.0},
         ("switches early, after 21 MB: a redo log holds 100 MB; the report does not "
          "show why")),
        ({"redo.other_logs_mb": 200.0, "redo.log_buffer_mb": 480.0},
         ("switches early, after 21 MB: all redo logs but one hold 200 MB, less than the log "
          "buffer of 480 MB")),
        ({"redo.other_logs_mb": 1_000.0, "redo.lag_share_pct": 100.0,
          "redo.archive_lag_target_s": 1_800.0}, "every 30 min by ARCHIVE_LAG_TARGET=1800"),
        ({"redo.other_logs_mb": 160.0}, ""),  # as much as half of one of five redo logs
        # 110 MB stand in five redo logs or more, so none is larger than 50 MB
        ({"redo.other_logs_mb": 200.0, "checkpoint.actual_redo_blocks": 225_280.0,
          "checkpoint.log_size_redo_blocks": 368_640.0}, ""),
        # a fourth of the switches was by command, which may leave little redo in any redo log
        ({"redo.other_logs_mb": 200.0, "redo.log_switches_per_hour": 7.0,
          "redo.switch_commands": 6.0}, ""),
        ({"redo.other_logs_mb": 200.0, "redo.log_switches_per_hour": 7.0,
          "redo.switch_commands": 1.0},
         ("switches early, after 21 MB: all redo logs but one hold 200 MB; the report does not "
          "show why")),
        ({"redo.log_mb": 40.0}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_switch_that_leaves_little_redo_is_shown_with_the_size_or_the_cause(
    facts: dict[str, float], shown: str
) -> None:
    analysis = samples.analysis("redo-disk.awr-11.2.txt")
    unset = dict.fromkeys(
        ("redo.log_mb", "redo.other_logs_mb", "redo.log_buffer_mb", "redo.lag_share_pct",
         "checkpoint.actual_redo_blocks", "checkpoint.log_size_redo_blocks")
    )  # fmt: skip
    printed = {"redo.mb_per_switch": 21.0, "redo.minutes_per_switch": 30.0}
    new = {
        name: analysis.facts[name]._replace(value=value)
        for name, value in (unset | printed | facts).items()
    }
    redo = first_screen.tiles(analysis._replace(facts={**analysis.facts, **new}))[0]

    assert [shown] * bool(shown) == [
        each for each in redo.words if each.startswith(("switches ", "every "))
    ]


@pytest.mark.parametrize(
    ("half_ms", "temp", "writes"),
    [
        (
            2.0,
            "10.9 ms per wait (half of the writes within 2 ms)",
            "write 25 ms (half within 2 ms)",
        ),
        (16.0, "10.9 ms per wait", "write 25 ms"),  # the device is slow
        (None, "10.9 ms per wait", "write 25 ms"),
    ],
)
def test_a_mean_that_a_few_long_writes_make_slow_stands_beside_the_median(
    half_ms: float | None, temp: str, writes: str
) -> None:
    known = samples.analysis("temp-sort-disk.awr-11.2.txt")
    new = {"temp.direct_ms": 10.9, "checkpoint.data_write_ms": 25.0,
           "temp.direct_write_p50_ms": half_ms,
           "checkpoint.data_write_p50_ms": half_ms}  # fmt: skip
    changed = {name: known.facts[name]._replace(value=value) for name, value in new.items()}
    words = [word for each in first_screen.tiles(known._replace(facts={**known.facts, **changed}))
             for word in each.words]  # fmt: skip

    assert {temp, writes} <= set(words)


def test_one_transaction_per_second_is_not_plural() -> None:
    analysis = samples.analysis("redo-disk.awr-11.2.txt")
    name = "load.transactions_per_s"
    one = analysis._replace(
        facts={**analysis.facts, name: analysis.facts[name]._replace(value=1.0)}
    )

    assert " 1 transaction/s " in first_screen.load(one)
    assert " transactions/s " in first_screen.load(analysis)


def test_a_brief_has_five_plain_lines_for_a_ticket(capsys: pytest.CaptureFixture[str]) -> None:
    report = str(samples.path("redo-disk.awr-11.2.txt"))
    assert run(["analyze", report, "-f", "brief"]) == 0
    who, problem, action, gain, proof = capsys.readouterr().out.splitlines()

    assert who.startswith("AULTDB/aultdb1 · 11.")
    assert problem.startswith("warning: Sessions waited 385 s (22,219 times) for incomplete")
    assert action == "action: Add redo log groups of 3.25 GB (online, low risk)"
    assert gain.startswith("gain: saves ")
    line = int(proof.partition(", line ")[2].partition(";")[0])
    printed = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8").split("\n")
    assert "log file switch (checkpoin" in printed[line - 1]


@pytest.mark.corpus
@NEEDED
def test_a_brief_says_that_a_gain_is_not_estimated_and_no_seconds_twice() -> None:
    sick = handover.brief(corpus.analysis_of(corpus.CORPUS / "awr-html_11.2.0.4.0-rac_02.html"))
    switches = handover.brief(corpus.analysis_of(corpus.CORPUS / "awr-html_19.0.0.0.0-rac_01.html"))

    assert len(sick) == len(switches) == 5
    assert switches[3] == "gain: saves about 16.3 % of DB time, 5,465 s, 1.52 sessions freed"
    assert sick[3] == "gain: not estimated"
    assert switches[1].count("5,484 s") == 1


@pytest.mark.corpus
@NEEDED
def test_a_brief_and_a_sheet_prove_their_headline_and_no_other_finding() -> None:
    """82 % of DB time is neither CPU nor waits, which is no finding; the first one is 0.4 %."""
    found = corpus.analysis_of(corpus.CORPUS / "awr-html_11.2.0.3.0-rac_01.html")
    shown = pages.text(handover.sheet(found, Exhibits()), pages.Extras("1"))

    assert "CKPT001" == found.findings[0].id
    assert handover.brief(found)[1].startswith("critical: 82 % of DB time is neither CPU nor waits")
    assert handover.brief(found)[-1].endswith(" --explain load")
    assert "LGWR needed the next redo log" not in shown
    assert "rac_01.html, line" not in shown


@pytest.mark.corpus
@NEEDED
def test_the_bar_has_the_undo_segments_of_the_headline() -> None:
    found = corpus.analysis_of(corpus.CORPUS / "awr-diff-html_10.2.0.3.0-rac_01.html")
    findings = with_parts(found.periods[1].findings)
    finding = next(each for each in findings if each.id == "UNDO005")
    shares = {each.name: each.pct for each in first_screen.db_time(found)}

    assert shares["undo segments"] == pytest.approx(finding.impact.pct_db_time, abs=0.1)
    assert shares["row cache lock"] == pytest.approx(30.06, abs=0.01)  # sequences have these waits


@pytest.mark.parametrize("name", samples.FILES)
def test_every_report_has_a_brief_of_at_most_five_lines(name: str) -> None:
    lines = handover.brief(samples.analysis(name))
    assert 2 <= len(lines) <= 5
    assert all(line and "\n" not in line for line in lines)


@corpus.over(*KINDS)
def test_the_problem_of_a_brief_has_a_severity_and_forty_words_at_most(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)
    who, problem, *_ = handover.brief(found)

    assert re.match("(critical|warning|info|ok|not judged): ", problem)
    assert wording.headline_lines(found)[0] in problem
    assert len(problem.split()) <= 40
    for part in found.periods:
        assert part.report["begin_time"].replace("T", " ") in who


def test_the_briefs_of_a_folder_begin_with_the_worst(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("undo-disk.awr-11.2.txt", "redo-disk.awr-11.2.txt")
    run(["analyze", *(str(samples.path(name)) for name in names), "-f", "brief"])
    briefs = capsys.readouterr().out.split("\n\n")

    severities = [brief.split("\n")[1].partition(":")[0] for brief in briefs]
    assert len(briefs) == 2
    assert severities == sorted(severities, key=STATES.index) != severities[::-1]


@pytest.mark.parametrize("name", samples.FILES)
def test_every_report_has_a_sheet_with_its_problem_and_its_actions(name: str) -> None:
    analysis = samples.analysis(name)
    shown = pages.text(handover.sheet(analysis, Exhibits()), pages.Extras("1"))
    for action in analysis.actions:
        assert pages.code(action.title) in shown
    elsewhere = bool(analysis.actions) and analysis.actions[0].reach_s
    named = () if analysis.periods or elsewhere else analysis.findings[:1]
    for finding in named:  # of the reason, one sentence
        first, _, rest = finding.why.partition(". ")
        assert pages.code(first) in shown
        assert not rest or pages.code(rest) not in shown


@NEEDED
def test_a_sheet_has_short_lines_sessions_and_savings_and_no_thresholds(tmp_path: Path) -> None:
    target = tmp_path / "sheet.html"
    report = str(corpus.CORPUS / "awr-html_11.2.0.4.0-rac_01.html")
    assert run(["html", report, "--sheet", "-o", str(target)]) in (0, 1)
    shown = target.read_text(encoding="utf-8")
    found = corpus.analysis_of(Path(report))
    page = handover.sheet(found, Exhibits())

    lines = wording.headline_lines(found)
    assert page.headline == lines[0]
    assert [lines[1]] == [
        each.text for each in page.blocks if isinstance(each, Paragraph) and each.text in lines
    ]
    assert "sessions waiting" in first_screen.waiting(found)
    assert ["sessions waiting" in each.text for each in page.blocks if isinstance(each, Paragraph)
            ].count(True) == 1  # fmt: skip
    assert 'id="thresholds"' not in shown
    saves = corpus.analysis_of(corpus.CORPUS / "awr-rac-global-html_11.2.0.3.0-rac_01.html")
    sheet = handover.sheet(saves, Exhibits())
    (todo,) = (each for each in sheet.blocks if isinstance(each, Table))
    assert [column.name for column in todo.columns] == ["action", "DB time saved", "effort"]
    # the largest saving has the whole width
    assert [row.cells[1] for row in todo.rows] == ["33 %, 41.4 sessions", "17 %, 21.8 sessions"]
    drawn = re.findall('class="gain" style="width:([^%]+)', pages.text(sheet, pages.Extras("0")))
    assert drawn == ["100.00", "52.57"]


def test_a_page_asks_the_storage_team_with_time_size_expected_time_and_histogram() -> None:
    report, analysis = samples.report(DISK), samples.analysis(DISK)
    asked = handover.questions(analysis, api.exhibits(report, analysis).latencies)["REDO001"]
    who, verdict, first, place, question = asked.split("\n")
    average = analysis.facts["redo.parallel_write_ms"].number
    finding = next(each for each in analysis.findings if each.id == "REDO001")
    assert average is not None

    assert who.startswith("AULTDB/aultdb1 · ")
    assert verdict.startswith(f"{finding.severity}: ")
    assert first.startswith(f"Redo writes average {short(average)} ms for ")
    assert first.endswith("(expected below 8.3 ms).")  # hardly a session waits
    assert re.match("`log file parallel write`: .*, line [0-9]+; [0-9]+ % above 8 ms, ", place)
    assert question.endswith("?")


def test_the_storage_team_is_asked_without_a_histogram_too_and_of_every_slow_kind_only() -> None:
    report, analysis = samples.report(DISK), samples.analysis(DISK)
    finding = next(each for each in analysis.findings if each.id == "REDO001")
    finding = finding._replace(weight=finding.weight._replace(waiting_sessions=1.05))
    data_writes = analysis.facts["checkpoint.data_write_ms"]._replace(value=33.0)
    facts = (analysis.facts["redo.parallel_write_ms"], data_writes)
    writes = finding._replace(id="REDO014", facts=facts)
    latencies = api.exhibits(report, analysis).latencies
    whole = handover.questions(analysis._replace(findings=(writes,)), ())["REDO014"]

    assert re.search(r"Redo writes average .* \(expected below 8.3 ms\); 1.05 sessions wait", whole)
    assert "Writes of data blocks average 33 ms (expected below 8 ms)." in whole
    assert "Temp writes" not in whole
    assert " above " not in whole
    assert 1 == whole.count("Which devices") == whole.count("sessions wait")
    fast = data_writes._replace(value=7.0)
    quick = finding._replace(facts=(fast,), contributing=())
    assert {} == handover.questions(analysis._replace(findings=(quick,)), latencies)


@NEEDED
@pytest.mark.parametrize(("file", "rule"), [
    ("awr-html_10.2.0.5.0_01.html", "REDO014"), ("statspack-text_8.1.7.4.1_08.LST", "REDO014"),
    ("awr-diff-html_11.2.0.3.0-rac_02.html", "REDO014"),
    ("awr-rac-global-html_11.2.0.3.0-rac_01.html", "REDO001"),
])  # fmt: skip
def test_the_first_screen_has_the_question_where_storage_is_the_story(file: str, rule: str) -> None:
    found = corpus.analysis_of(corpus.CORPUS / file)
    page = html.page(found, Exhibits())
    first = html.render([page], pages.Extras("0")).partition('class="first load"')[0]

    assert rule == found.findings[0].id
    assert page["findings"][0]["question"]
    assert "Copy for the storage team" in first


def test_a_command_of_the_brief_can_be_pasted_for_any_file_name() -> None:
    analysis = samples.analysis(DISK)
    named = analysis._replace(report={**analysis.report, "source": "C:\\in\\my $(report).txt"})

    assert "analyze 'my $(report).txt' --explain CKPT001" in handover.brief(named)[-1]


def test_databases_of_one_name_have_their_dbid_unless_it_is_not_known() -> None:
    analysis = samples.analysis(DISK)

    def shown(*ids: str | None) -> str:
        rows = [
            layout.row(analysis._replace(report={**analysis.report, "db_id": each})) for each in ids
        ]
        return "".join(span.text for line in layout.page_of_many(rows, 200) for span in line)

    assert "[" not in shown("1", None)
    assert {"[1]", "[2]", "[DBID not known]"} == set(re.findall(r"\[.*?\]", shown("1", "2", None)))


#: Kinds of documents and texts that hold one number: `10.2`, `5,484 s`, `1 h 31 min`, `1.3 GB`.
NUMBER = re.compile(r"(?<![\w.`])\d[\d,.]*(?: (?:h|d) \d+ min)?")


@pytest.mark.parametrize("name", samples.FILES)
def test_the_headline_is_a_cause_of_at_most_twelve_words_its_cost_and_what_else(name: str) -> None:
    analysis = samples.analysis(name)
    cause, *others = analysis.headline_lines

    if not analysis.periods:  # the headline of a comparison is that of `awrlens compare`
        assert len(cause.split()) <= 12
        assert len(NUMBER.findall(cause)) <= 3
    assert len(others) <= 2
    shown = "".join(span.text for line in layout.page(analysis, 2000) for span in line)
    assert all(line in shown for line in map(wording.safe, analysis.headline_lines))


#: Seconds that sessions waited, in the title of a finding.
SECONDS = re.compile(r"[Ss]essions waited ([\d,]+) s")


@corpus.over(*KINDS)
def test_the_share_next_to_the_seconds_of_a_title_is_theirs(entry: corpus.Entry) -> None:
    """554 s are 5.5 % of DB time; 5.6 % of other waits have their name next to it."""
    found = corpus.analysis(entry)
    whole = first_screen.facts_of(found)["load.response_s"].number
    for each in with_parts(found.findings):
        said = SECONDS.search(each.title)
        if said is None or not whole or (seconds := float(said[1].replace(",", ""))) < 100:
            continue
        own = pytest.approx(seconds * 100 / whole, rel=0.01, abs=0.06)
        assert each.impact.pct_db_time in (None, own), each.title
        assert each.weight.share_pct in (None, own) or each.weight.of, each.title


@corpus.over(*KINDS)
def test_before_10g_the_rest_of_the_bar_is_background_waits(entry: corpus.Entry) -> None:
    """The base has them: 8.1.7.4.1_08 has 232.5 s in their own list, of 6,199 s."""
    found = corpus.analysis(entry)
    waited = [each for each in first_screen.db_time(found) if each.name == "background waits"]
    assert not waited or found.base.endswith("CPU and wait time")
    if entry.file == "statspack-text_8.1.7.4.1_08.LST":
        assert [each.pct for each in waited] == [pytest.approx(232.5 / 61.99, abs=0.1)]
        assert first_screen.db_time(found)[-1].name == "background waits"


@corpus.over("statspack-text", "awr-html")
def test_parsing_is_named_where_it_is_a_tenth_of_db_time(entry: corpus.Entry) -> None:
    found = corpus.analysis(entry)
    share = found.facts["load.parse_pct"].number or 0.0
    named = re.search("[Pp]arsing takes|Failed parses take", found.headline) is not None
    assert named == (10 <= share <= 100)
    hard = found.facts["load.hard_parse_pct"].number or 0.0
    if hard < 10 or not named:
        assert all(each.id != "share-cursors" for each in found.actions)
    if entry.file == "statspack-text_10.1.0.3.0_01.lst":  # 441 per second, 0.8 s for child cursors
        assert found.actions[0].title.startswith("Use bind variables where SQL differs only in lit")


@pytest.mark.corpus
@NEEDED
def test_shares_by_clocks_that_differ_are_not_shown() -> None:
    """DB CPU is 1,187 s of a DB time of 618 s; the statistic has 524 s, and SQL alone 618 s."""
    found = corpus.analysis_of(corpus.CORPUS / "statspack-text_11.2.0.4.0_01.txt")

    assert found.has_two_clocks
    assert found.headline_lines[2].startswith("CPU takes 1,187 s")
    assert first_screen.load(found).startswith("0.00715 average active sessions")
    assert not first_screen.db_time(found)


@pytest.mark.corpus
@NEEDED
def test_the_sql_of_an_awr_report_is_not_to_be_tuned() -> None:
    found = corpus.analysis_of(corpus.CORPUS / "awr-html_19.0.0.0.0_01.html")

    assert "(it creates AWR reports: nothing to tune) takes 93 % of DB time" in found.headline


def corpus_report(name: str) -> Analysis:
    return corpus.analysis_of(corpus.CORPUS / name)


@pytest.mark.corpus
@NEEDED
def test_a_peak_of_busy_cpu_has_its_own_time_and_the_part_of_others() -> None:
    """That of active sessions is at another time; Instance CPU prints 36.2 % of the busy CPU."""
    found = corpus_report("awr-html_12.2.0.1.0-rac_02.html")

    assert (
        "CPUs were up to 99 % busy from 25-Jan 17:15 to 18:15 (load 50.59); on average, others use "
        "64 % of busy CPU."
    ) in first_screen.remarks(found)


@pytest.mark.corpus
@NEEDED
def test_a_peak_that_is_small_for_the_cpus_needs_no_other_report() -> None:
    """1.4 active sessions on 32 CPUs; for the cluster, no storage has a benefit."""
    found = corpus_report("awr-rac-global-html_19.0.0.0.0-rac_03.html")

    assert "hide peaks" not in found.headline
    assert not any("awrrpti.sql" in each.message for each in found.warnings)
    assert any(each.startswith("Even the busiest time") for each in first_screen.remarks(found))


@pytest.mark.corpus
@NEEDED
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("09", "about 0.372 active sessions · 0.234 CPUs used · "),
        ("11", "about 18.7 active sessions · 6.28 CPUs used · "),
        # waits were timed for 8 % of the interval
        ("07", "8.75 transactions/s"),
    ],
)
def test_before_10g_the_load_is_estimated(name: str, shown: str) -> None:
    found = corpus_report(f"statspack-text_8.1.7.4.1_{name}.LST")

    assert first_screen.load(found).startswith(shown)


@pytest.mark.corpus
@NEEDED
def test_temp_i_o_that_the_event_misses_is_shown_by_file_statistics_too() -> None:
    tiles = first_screen.tiles(corpus_report("statspack-text_8.1.7.4.1_01.LST"))
    (words,) = (each.words for each in tiles if each.name == "temp")

    assert "3.98 (event) to 31 ms by file statistics (async)" in words


def test_an_average_of_few_operations_says_how_many() -> None:
    found = samples.analysis(DISK).facts
    few = found["redo.commit_waits"]._replace(value=47)
    assert "commit 13 ms (47 commit waits)" == first_screen.figure(
        dict(found) | {"redo.commit_waits": few}, "redo.commit_ms", "commit {}"
    )
    assert "commit 13 ms" == first_screen.figure(
        dict(found) | {"redo.commit_waits": few._replace(value=100)}, "redo.commit_ms", "commit {}"
    )


def test_an_average_with_more_digits_than_the_total_is_shown_as_printed() -> None:
    """158 s for 59,040 waits are 2.676 ms; the report has 2.67."""
    waits = figures.waits("log file sync | 59,040 | 0 | 158 | 2.67 | 1.1 | 1.6")
    assert figures.analysis(waits).facts["redo.sync_ms"].value == 2.67


def test_the_first_screen_computes_only_the_facts_that_it_shows() -> None:
    analysis = api.analyze(api.load(samples.path("redo-disk.awr-19c.html").read_bytes(), "x"))
    list(layout.page(analysis, 80, verbose=False))
    computed = analysis.facts._known  # type: ignore[attr-defined]
    assert "redo.mb_per_switch" in computed
    assert len(computed) < len(analysis.facts) * 0.8


@corpus.over(*KINDS)
def test_parts_of_the_bar_differ_without_color_and_each_mark_is_explained_once(
    entry: corpus.Entry,
) -> None:
    analysis = corpus.analysis(entry)
    lines = wording.text(layout.page(analysis, 80, verbose=False)).splitlines()
    marks = "█▓▚▞▒░═╱┼╲·:"
    for at, bar in enumerate(lines):
        if len(bar) >= 79 and not bar.strip(marks):
            legend = re.findall(rf"(?:^|  )([{marks}]) \S", "\n".join(lines[at + 1 : at + 5]), re.M)
            parts = len(first_screen.db_time(analysis))

            assert set(bar) <= set(legend)
            assert len(legend) == len(set(legend)) or parts > 8
            return


def test_what_does_not_fit_above_the_first_action_follows_the_bar_of_db_time() -> None:
    """At 80 columns: who, when, load, cause, cost, the actions, DB time, and what else is.

    Where there is too much, the first sentence of each line is above the actions.
    """
    analysis = samples.analysis(DISK)
    cause, cost, _ = analysis.headline_lines
    rest = f"Sessions waited 3,700 s. {'It is long. ' * 30}"
    lines = screen(analysis._replace(headline_lines=(cause, cost, rest)))
    at = {
        begin: next(n for n, line in enumerate(lines, start=1) if begin in line)
        for begin in ("▲ ", "  Sessions waited 3,700 s.", " 1. ", "▒ CPU 82 %", "It is long. It is")
    }

    assert at["▲ "] == 5
    assert list(at.values()) == sorted(at.values())
    assert at[" 1. "] <= 12
    whole = ["".join(span.text for span in line) for line in layout.page(analysis, 80)]
    assert any("DB time 2 h 41 min" in line for line in whole)


@NEEDED
def test_the_sentence_that_explains_the_red_part_is_above_the_actions() -> None:
    for file, said in (
        ("awr-html_11.2.0.3.0-rac_01.html", "  Sessions waited 3,700 s (139 times)"),
        ("awr-html_11.2.0.3.0_02.html", "  Control file parallel write 155 ms"),
    ):
        lines = screen(corpus.analysis_of(corpus.CORPUS / file))
        at = next(n for n, line in enumerate(lines) if line.startswith(said))
        assert at < lines.index(next(line for line in lines if line.startswith(" 1. ")))


@NEEDED
def test_a_finding_has_one_share_and_a_name_in_words() -> None:
    export = corpus.analysis_of(corpus.CORPUS / "awr-html_10.2.0.5.0_02.html")
    lines = "\n".join(screen(export))

    assert "21.9 % of DB time" in lines
    assert re.search(
        r"REDO014  3 of 4 kinds of writes are slow, reads fast[^✖▲●]*\(22 % for LGWR\)", lines
    )
    assert "33 %)" not in lines
    monitored = screen(corpus.analysis_of(corpus.CORPUS / "awr-html_11.2.0.3.0-rac_01.html"))
    assert "● file header waits (UNDO012)" in " ".join(monitored)


@corpus.over(*KINDS)
def test_a_bar_of_db_time_has_few_named_events_and_is_as_long_as_before(
    entry: corpus.Entry,
) -> None:
    found = corpus.analysis(entry)
    shown = first_screen.db_time(found)
    events = [each for each in shown if each.is_event and each.part]

    assert len(events) <= 6
    assert len(shown) == len({each.name for each in shown})
    if shown and found.overview is not None:
        whole = sum(each.pct for each in found.overview.db_time if each.pct >= SHOWN_PCT)
        assert sum(each.pct for each in shown if each.part) == pytest.approx(whole, abs=0.001)


@corpus.over(*KINDS)
def test_the_largest_saving_has_the_longest_bar_and_each_a_word(entry: corpus.Entry) -> None:
    shown = [each for _, group in first_screen.actions(corpus.analysis(entry)) for each in group]
    bars = [each.bar for each in shown if each.bar is not None]

    assert not bars or max(bars) == pytest.approx(100)
    assert all(each.saving for each in shown)


def test_a_range_of_savings_is_hatched() -> None:
    found = samples.analysis("busy-commit.statspack-9.2.lst")
    (action, *_) = [each for _, group in first_screen.actions(found) for each in group]
    (line,) = (text for text in screen(found) if text.startswith(" 1. "))
    page = html.render([html.page(found, Exhibits())], pages.Extras("0"))

    assert " to " in action.saving
    assert action.is_range
    assert line.endswith("▒" * 10)
    assert 'class="saved range"' in page


def test_an_action_has_the_label_of_the_first_screen_wherever_it_is_shown() -> None:
    path = samples.path("redo-disk.awr-11.2.txt")
    found = api.analyze(api.load(path))
    ((urgency, (first, *_)), *_) = first_screen.actions(found)
    lines = layout.explained(found, ["CKPT001", "REDO001"], 100)
    explained = "\n".join("".join(span.text for span in line) for line in lines)

    assert f"[{urgency}] {first.title}" in explained
    assert "[recommended]" not in explained


@pytest.mark.parametrize(
    ("status", "short_", "benefit", "shown"),
    [
        ("no-benefit", "redo because a write takes 0.98 ms", Impact(900.0, 3.4, "x", 0.015),
         "redo (3.4\u00a0%, but a write takes 0.98 ms)"),
        ("no-benefit", "redo because frees only 0.01 sessions", Impact(7.0, 12.0, "x", 0.01),
         "redo (only 7\u00a0s)"),
        ("tune-first", "redo", Impact(3_400.0, 0.2, "x", 1.54, at_least=True),
         "redo (≥\u00a00.2\u00a0%, frees 1.54 sessions)"),
        ("tune-first", "redo", Impact(90.0, 0.2, "x", 0.04), "redo (0.2\u00a0%)"),
        ("tune-first", "redo", Impact(900.0, 12.0, "x", 1.54), "redo (12\u00a0%)"),
    ],
)  # fmt: skip
def test_a_folded_recommendation_says_what_decides_besides_its_share(
    status: Verdict, short_: str, benefit: Impact, shown: str
) -> None:
    item = Recommendation("redo", "why", status, benefit=benefit, short=short_)
    found = samples.analysis(DISK)._replace(recommendations=(item,))

    assert [text for _, texts in first_screen.folded(found) for text in texts] == [shown]


@pytest.mark.corpus
@NEEDED
@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("awr-html_10.2.0.4.0-rac_01.html", "faster storage for redo (3.4 %, but a write takes"),
        ("awr-html_10.2.0.4.0-rac_02.html", "(1.5 %, but frees only 0.035 sessions)"),
        ("awr-html_10.2.0.4.0-rac_06.html", "DISK_ASYNCH_IO=TRUE and FILESYSTEMIO_OPTIONS=SETALL"),
        ("awr-html_11.2.0.3.0_02.html", "kinds of writes are slow, disk reads too"),
    ],
)
def test_what_decides_is_on_the_first_screen_of_a_real_report(file: str, shown: str) -> None:
    lines = screen(corpus.analysis_of(corpus.CORPUS / file))

    assert shown in re.sub(r"\s+", " ", " ".join(lines))


@pytest.mark.parametrize(("checksum", "light"), [("OFF", "info"), ("TYPICAL", "ok")])
def test_no_tick_is_next_to_checksums_that_are_off(checksum: str, light: str) -> None:
    """Statspack 8.1.7.4.1_09: off is the default of 8i, so that it is no finding."""
    found = samples.analysis("redo-disk.statspack-8.1.7.lst")
    name = "integrity.db_block_checksum"
    facts = {**found.facts, name: found.facts[name]._replace(value=checksum, status="estimated")}
    (tile,) = (t for t in first_screen.tiles(found._replace(facts=facts)) if t.name == "integrity")

    assert tile.severity == light
    assert f"checksum {checksum}" in tile.words
