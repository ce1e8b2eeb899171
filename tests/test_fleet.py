"""A fleet: alerts with hysteresis, storage under a capacity, settings, recovery, the page."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import Path

import corpus
import fleet_of
import jsonschema
import pytest
from fleet_of import call, done

from awrlens import api
from awrlens.fleet import overview
from awrlens.fleet.page import page
from awrlens.fleet.records import Alert, Difference, Fleet, Gain, Member, Recovery
from awrlens.model import State
from awrlens.model.who import Who
from awrlens.policy import Policy
from awrlens.render import as_lines, first_screen, pages
from awrlens.render import markdown as as_markdown
from awrlens.render.blocks import Items, Page, Table
from awrlens.render.pages import Extras
from awrlens.render.wording import text as plain

POLICY = Policy()
WHO = Who("ORCL", "1", None, "orcl", "1")
EXTRAS = Extras("0", [], None)
BEGIN = datetime(2026, 3, 2)  # noqa: DTZ001 - reports have no zone


def begins(count: int) -> list[datetime]:
    return [BEGIN + timedelta(hours=number) for number in range(count)]


def alert(levels: str, policy: Policy = POLICY) -> Alert | None:
    """The alert of a family, by its level in each interval: ok, info, warning, critical."""
    course = [".iwc".index(each) for each in levels]
    leading = "REDO001", "slow", 0.5
    return overview.alert_of("REDO", course, begins(len(course)), policy, leading)


@pytest.mark.parametrize(
    ("levels", "state", "severity"),
    [
        (".....ww", "new", "warning"),  # two of the last three
        (".......c", "new", "critical"),  # a critical finding needs no second
        (".......w", "once", "warning"),  # a single one may be a batch job
        ("..w....w", "once", "warning"),  # two, but not within three
        ("..ww.w.w", "lasting", "warning"),  # a gap of one does not end it
        ("wwwwwwww", "lasting", "warning"),
        ("w", "lasting", "warning"),  # nothing shows that it is new
        (".wwww...", "gone", "warning"),  # three without
        (".wwww..", "lasting", "warning"),  # two without are not enough
        (".ccccwww", "improved", "warning"),
        (".wwwwwcc", "worse", "critical"),
        (".ww...ww", "new", "warning"),  # ended and came back
    ],
)
def test_an_alert_needs_several_intervals_to_begin_and_to_end(
    levels: str, state: str, severity: str
) -> None:
    found = alert(levels)

    assert found is not None
    assert (state, severity) == (found.state, found.severity)


def test_a_family_without_findings_is_no_alert() -> None:
    assert alert("........") is None


def test_an_alert_begins_with_its_first_finding() -> None:
    found = alert("...w.ww")

    assert found is not None
    assert (found.since, found.intervals, found.of) == (BEGIN + timedelta(hours=3), 3, 7)


def test_the_number_of_intervals_is_a_threshold() -> None:
    found = alert(".......w", Policy({"fleet.alert_opens": 1}))

    assert found is not None
    assert found.state == "new"


def candidate(database: str, sessions: float, size_mb: float | None) -> overview.Candidate:
    return overview.Candidate(database, "undo", sessions, 3, 4, size_mb, 1.0, 10.0)


def bought(
    *given: overview.Candidate, capacity: float | None = None
) -> list[tuple[str, bool | None]]:
    return [(each.database, each.fits) for each in overview.gains(given, capacity, POLICY)]


def test_without_a_capacity_the_largest_saving_comes_first() -> None:
    found = bought(candidate("A", 1, 10240), candidate("B", 3, None), candidate("C", 2, 1024))

    assert [("B", None), ("C", None), ("A", None)] == found


def test_with_a_capacity_the_most_saving_per_size_comes_first_and_what_does_not_fit_is_left() -> (
    None
):
    found = bought(
        candidate("large", 4, 8 * 1024), candidate("small", 2, 1024),
        candidate("unknown", 9, None), candidate("tiny", 0.5, 100), capacity=3,
    )  # fmt: skip

    # per GB: tiny 5.1, small 2, large 0.5
    assert [("tiny", True), ("small", True), ("large", False), ("unknown", None)] == found


def test_a_saving_below_the_threshold_is_not_listed() -> None:
    assert [] == bought(candidate("A", 0.049, 1024))


def test_the_size_of_redo_storage_is_that_of_all_its_logs() -> None:
    log = overview.Candidate("A", "redo", 1, 1, 1, None, 1.0, 1.0, log_mb=512, members=2)
    others = log._replace(log_mb=None, other_logs_mb=3072, members=None)

    (first,), (second,) = (overview.gains([each], None, POLICY) for each in (log, others))

    assert first.size_gb == 4 * 512 * 2 / 1024
    assert second.size_gb == 3072 * 4 / 3 / 1024


def test_a_parameter_that_differs_within_a_cluster_is_found_even_if_one_has_the_default() -> None:
    cluster = {"RAC": {"a": {"x": "1", "y": "2"}, "b": {"x": "1", "y": "2"}, "c": {"x": "5"}}}

    found = list(overview.differing(cluster["RAC"], "RAC"))

    assert [("x", "1", (("5", ("c",)),)), ("y", "2", (("(default)", ("c",)),))] == [
        (each.parameter, each.usual, each.others) for each in found
    ]


def test_a_parameter_unlike_the_fleet_needs_a_usual_value() -> None:
    fleet = {f"DB{n}": {"log_buffer": "1" if n < 9 else "7", "own": str(n)} for n in range(10)}

    (found,) = overview.from_fleet(fleet, POLICY)

    assert ("log_buffer", "1", 90.0, (("7", ("DB9",)),)) == (
        found.parameter, found.usual, found.share_pct, found.others,
    )  # fmt: skip
    assert () == overview.from_fleet({"A": {"x": "1"}, "B": {"x": "2"}}, POLICY)


def test_recovery_times_are_held_against_the_level_or_their_own_target() -> None:
    slow = WHO, [20.0, 90.0, 40.0], 60.0
    quick = WHO._replace(db_name="Q"), [5.0], None

    by_level = overview.recovery([quick, slow], 4.0)
    by_target = overview.recovery([quick, slow], None)

    assert [(90.0, True, 3), (5.0, True, 1)] == [(e.worst_s, e.over, e.intervals) for e in by_level]
    assert [(90.0, True, 1), (5.0, False, 0)] == [
        (e.worst_s, e.over, e.intervals) for e in by_target
    ]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three databases over eight days: one calm, one slow since day 6, one slow up to day 3."""
    folder = tmp_path_factory.mktemp("fleet")
    for name, slow in (("CALM", ()), ("LATE", (6, 7)), ("EARLY", (0, 1, 2, 3))):
        (folder / "in" / name).mkdir(parents=True)
        for day in range(8):
            text = fleet_of.report(name, day, slow=day in slow)
            (folder / "in" / name / f"{day}.lst").write_text(text, encoding="utf-8")
    (folder / "in" / "broken.gz").write_bytes(b"\x1f\x8b broken")
    assert call("ingest", folder / "in", "--store", folder / "fleet.duckdb")[0] == 3
    return folder / "fleet.duckdb"


@pytest.mark.slow
def test_new_and_ended_alerts_are_told_apart(here: Path) -> None:
    found = json.loads(done("fleet", "--store", here, "-f", "json"))

    states = {
        member["who"]["db_name"]: [
            each["state"] for each in member["alerts"] if each["id"] == "REDO009"
        ]
        for member in found["members"]
    }
    assert {"LATE": ["new"], "EARLY": ["gone"], "CALM": []} == states


def test_only_the_last_intervals_count(here: Path) -> None:
    found = json.loads(done("fleet", "--store", here, "-f", "json", "--last", "2"))

    (late,) = (each for each in found["members"] if each["who"]["db_name"] == "LATE")
    assert late["intervals"] == 2
    assert [each["state"] for each in late["alerts"] if each["id"] == "REDO009"] == ["lasting"]


def test_the_json_output_has_the_printed_schema(here: Path) -> None:
    schema = jsonschema.Draft202012Validator(json.loads(done("schema", "fleet")))
    found = json.loads(done("fleet", "--store", here, "-f", "json", "--capacity", "1 TB"))

    schema.check_schema(schema.schema)
    schema.validate(found)
    schema.validate(json.loads(json.dumps(large(2).to_dict())))
    assert not schema.is_valid(found | {"another": 1})
    found["members"][0]["severity"] = "bad"
    assert not schema.is_valid(found)


def test_what_could_not_be_read_comes_first_in_every_output(here: Path) -> None:
    text = done("fleet", "--store", here)
    markdown = done("fleet", "--store", here, "-f", "markdown")
    html = done("fleet", "--store", here, "-f", "html")

    assert "1 input could not be read" in text
    for each in (text, markdown):
        assert 0 < each.index("broken.gz") < each.index("Databases, worst first")
    assert 0 < html.index("broken.gz") < html.index('id="databases"')


def test_a_capacity_is_a_size_and_a_level_a_number_of_seconds(here: Path) -> None:
    gains = json.loads(done("fleet", "--store", here, "-f", "json", "--capacity", "1 TB"))
    status, _, err = call("fleet", "--store", here, "--capacity", "much")

    assert gains["capacity_gb"] == 1024
    # slow in four and in two of eight intervals, with logs of the same size
    assert [("EARLY", "redo", 4), ("LATE", "redo", 2)] == [
        (each["database"], each["purpose"], each["intervals"]) for each in gains["gains"]
    ]
    assert (2, 1) == (status, err.count("\n"))
    assert "Invalid size 'much'. For example --capacity 500GB." in err
    level = json.loads(done("fleet", "--store", here, "-f", "json", "--recovery-time", "1"))
    assert level["recovery"]
    assert all(each["over"] for each in level["recovery"])


def test_a_database_is_a_row_with_a_cell_per_interval_and_its_first_action() -> None:
    times = begins(3)
    course = tuple(zip(times, ("ok", "critical", "warning"), strict=True))
    first = (
        large(1)
        .members[0]
        ._replace(course=course, action="Enlarge the redo logs", severity="critical")
    )
    other = first._replace(
        who=first.who._replace(instance="two", instance_number="2"),
        course=((times[0], "unknown"), (times[2], "ok")), action="",
    )  # fmt: skip
    found = large(2)._replace(members=(first, other, large(2).members[1]), databases=2)
    text = lines_of(page(found), 80)

    assert "Fleet of 2 databases" in text
    assert "2 databases: 1 critical, 1 warning." in text
    assert re.search(r"✖ DB0\S* +0.5 +\?✖▲ +\d{4}-\d\d-\d\d \d\d:\d\d\n", text)
    # its problem and action have lines of their own: no narrow column cuts them into words
    assert "    problem: slow <b>\n    first action: Enlarge the redo logs\n" in text
    assert text.index("Databases, worst first") < text.index("What changed")
    html = pages.text(page(found), EXTRAS)
    assert '<i class="unknown">?</i><i class="critical">✖</i><i class="warning">▲</i>' in html


def lines_of(shown: Page, width: int) -> str:
    return "\n".join("".join(span.text for span in line) for line in as_lines.lines(shown, width))


def test_a_wide_terminal_has_one_row_for_a_database() -> None:
    """With its last interval: databases of 2004 and of 2025 are not alike."""
    found = large(1)
    member = found.members[0]._replace(action="Enlarge the redo logs")
    found = found._replace(members=(member,))
    brief, whole = (lines_of(page(found, brief=short), 120) for short in (True, False))

    row = rf"▲ DB0\S* .* {member.end:%Y-%m-%d %H:%M}  slow <b>\n"
    assert re.search(rf"{row}A cell is an interval", brief)
    assert re.search(rf"{row}    first action: Enlarge the redo logs\nA cell", whole)


def test_a_cluster_that_its_report_judges_is_not_unknown_for_those_of_its_instances() -> None:
    """Two instances have too little data; their cluster has not, and it is the database."""
    member, other = large(2).members
    times = begins(2)

    def of(severity: State, *course: State, cluster: bool) -> Member:
        return member._replace(
            who=member.who._replace(instance=None if cluster else "one", cluster=cluster),
            severity=severity, alerts=(), problem="too little data" * (severity == "unknown"),
            course=tuple(zip(times, course, strict=True)),
        )  # fmt: skip

    whole = of("ok", "ok", "ok", cluster=True)
    part = of("unknown", "unknown", "unknown", cluster=False)
    text = lines_of(page(large(2)._replace(members=(other, part, whole))), 80)
    assert "2 databases: 1 warning." in text
    assert re.search(r"✔ DB0\S* +0.5 +✔✔ ", text)
    # without such a report, the problem says why it is not judged
    alone = lines_of(page(large(2)._replace(members=(part, other))), 80)
    assert re.search(r"\? DB0\S* +0.5 +\?\? .*\n    problem: too little data\n", alone)


def test_a_name_leads_to_the_reports_of_its_database_where_there_are_any() -> None:
    name = "A&B <x>"
    member = large(1).members[0]
    found = large(1)._replace(members=(member._replace(who=member.who._replace(db_name=name)),))

    assert '<a href="/reports?q=A%26B%20%3Cx%3E">' in pages.text(
        page(found, search="/reports?q="), EXTRAS
    )
    assert '"/reports' not in pages.text(page(found), EXTRAS)


@pytest.mark.parametrize(
    ("answered", "shown"),
    [
        ("", "LGWR is slow"),
        ("LGWR is slow: 20 ms (1.5 sessions waiting)", "LGWR is slow"),  # the alert, and how much
        ("Spills are 31 % of I/O; sessions waited 9 s (1 %)", "Spills are 31 % of I/O"),
        ("Processes waited for CPU", "Processes waited for CPU"),  # none of the alerts
    ],
)
def test_the_problem_of_a_database_is_what_its_first_action_answers(
    answered: str, shown: str
) -> None:
    first = large(1).members[0]
    alert = first.alerts[0]._replace(title="LGWR is slow: 20 ms")
    found = large(1)._replace(members=(first._replace(alerts=(alert,), problem=answered),))
    table = next(each for each in page(found).blocks if isinstance(each, Table))
    at = [column.name for column in table.columns].index("problem")

    assert shown == table.rows[0].cells[at]


@pytest.mark.corpus
@pytest.mark.skipif(not corpus.CORPUS.exists(), reason="real reports")
def test_a_fleet_names_the_problem_that_a_list_of_the_same_reports_names(tmp_path: Path) -> None:
    """Not that of the first finding, nor the action of a later interval that is calm."""
    names = ("awr-html_11.2.0.3.0-rac_01.html", "awr-html_11.2.0.3.0-rac_02.html")
    done("ingest", *(corpus.CORPUS / name for name in names), "--store", tmp_path / "f.duckdb")
    text = " ".join(done("fleet", "--store", tmp_path / "f.duckdb").split())
    analysis = api.analyze(api.load(corpus.CORPUS / names[0]))

    assert analysis.findings[0].title not in text
    assert f"problem: {first_screen.phrase(analysis)} first action: " in text
    assert f"first action: {analysis.actions[0].title}" in text


def test_the_headline_names_the_worst_and_recovery_counts_only_those_with_a_target() -> None:
    found = large(2)
    free = found.recovery[0]._replace(target_s=None, level_s=None, over=False)
    other = Difference("undo_retention", "", "900", 80.0, (("1", ("DB1",)),))
    shown = found._replace(recovery=(found.recovery[0], free, free), differences=(other,))
    text = " ".join(
        "".join(span.text for line in as_lines.lines(page(shown, brief=True), 200) for span in line)
        .split()
    )  # fmt: skip

    assert re.search(r"2 databases: 2 warning\. DB0\S*(?: \S+)?: slow <b>", text)
    assert "in 1 of 1 instance; 2 without a target." in text
    assert "Settings: 1 parameter with another value: --verbose" in text
    assert "undo_retention" not in text


def test_what_is_critical_changed_first() -> None:
    found = large(2)
    calm, ill = found.members
    ill = ill._replace(
        alerts=(ill.alerts[0]._replace(severity="critical", state="gone", title="Ill"),)
    )
    (items,) = (
        each.items for each in page(found._replace(members=(calm, ill))).blocks
        if isinstance(each, Items)
    )  # fmt: skip

    assert "Ill" in items[0].text


def large(count: int) -> Fleet:
    """A fleet of many databases, with text that must be escaped."""
    some = Alert("REDO", "REDO001", "slow <b>", "warning", "new", BEGIN, 2, 3, 0.5, ("REDO004",))
    members = tuple(
        Member(
            WHO._replace(db_name=f"DB{n}<script>\x1b[2J"), "warning", 0.5, 1.0, 3, BEGIN,
            BEGIN, "headline", (some,),
        )
        for n in range(count)
    )  # fmt: skip
    gain = Gain(
        "DB1", "redo", 1.5, 2, 3, None, "", 1.0, 2.0, None, None, "its size is in no report"
    )
    level = Recovery(WHO, 90.0, 80.0, 60.0, 60.0, over=True, intervals=1, of=3)
    return Fleet(
        (), 0, count, count, 24, BEGIN, BEGIN, members, (gain,), None, (), (level,), None
    )  # fmt: skip


def test_the_page_of_2000_databases_is_one_small_offline_file() -> None:
    text = pages.text(page(large(2000)), EXTRAS)

    assert text.count("DB1999") == 2  # in what changed, and in the table
    assert len(text) < 3_000_000
    assert "<script>\x1b" not in text
    assert "https://" not in text.replace("https://www.w3.org", "")


def test_a_terminal_shows_the_first_databases_and_how_to_see_all() -> None:
    short = plain(as_lines.lines(page(large(100), brief=True), 100))
    everything = plain(as_lines.lines(page(large(100)), 100))

    assert "\x1b" not in short
    assert "and 85 more: --verbose" in short
    assert "DB99" not in short
    assert "DB99" in everything
    assert "its size is in no report" in as_markdown.text(page(large(1)))


def test_databases_of_one_name_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(2):
        text = fleet_of.report("ORCL", slow=True).replace(" 1002", f" {number + 3}002")
        (tmp_path / "in" / f"{number}.lst").write_text(text, encoding="utf-8")
    done("ingest", tmp_path / "in", "--store", tmp_path / "f.duckdb")

    found = json.loads(done("fleet", "--store", tmp_path / "f.duckdb", "-f", "json"))
    text = done("fleet", "--store", tmp_path / "f.duckdb")

    ids = {each["who"]["db_id"] for each in found["members"]}
    assert len(ids) == 2
    for each in ids:
        assert f"ORCL [{each}]" in text
    assert {each["database"] for each in found["gains"]} == {f"ORCL [{each}]" for each in ids}


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.txt").write_text("no report", encoding="utf-8")
    done("ingest", tmp_path / "in", "--store", tmp_path / "f.duckdb")

    assert "The store has no interval." in done("fleet", "--store", tmp_path / "f.duckdb")
