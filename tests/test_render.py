"""What is shown is what the JSON has: renderers add nothing."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import samples
from test_rules import facts_of

from awrlens import api, rules
from awrlens.advice import headline, plan
from awrlens.advice.case import Case
from awrlens.model import Analysis
from awrlens.policy import Policy
from awrlens.render import first_screen, layout, markdown, wording
from awrlens.render.wording import duration, in_unit

SNAPSHOTS = Path(__file__).parent / "snapshots"


def page(analysis: Analysis, width: int = 80) -> str:
    return wording.text(layout.page(analysis, width))


@pytest.mark.parametrize("name", samples.ALL)
def test_every_number_that_is_shown_is_in_the_document(name: str) -> None:
    analysis = samples.analysis(name)
    document = json.dumps(analysis.to_dict(), ensure_ascii=False).replace(",", "")
    report = analysis.report
    document += " ".join(
        [
            *(in_unit(f.number, f.unit).replace(",", "") for f in analysis.facts.values()
              if f.number is not None),
            *(duration(each) for each in (report["elapsed_s"], report["db_time_s"]) if each),
            *(piece.pct.__str__() for piece in first_screen.db_time(analysis)),
        ]
    )  # fmt: skip
    known = {f"{float(n):.4g}" for n in re.findall(r"\d+(?:\.\d+)?", document)}
    for text in (page(analysis), markdown.render(analysis)):
        for number in re.findall(r"\d+(?:\.\d+)?", text.replace(",", "")):
            rounded = f"{float(number):.4g}"
            step = 0.1 if "." in number else 1.0
            near = any(abs(float(k) - float(number)) <= step / 2 for k in known)
            assert rounded in known or near or float(number) <= 12, (number, name)


@pytest.mark.parametrize("width", [80, 160])
@pytest.mark.parametrize("name", ["redo-disk.awr-11.2.txt", "redo-accelerator.statspack-9.2.lst"])
def test_the_page_looks_as_it_did(name: str, width: int) -> None:
    """AWRLENS_SNAPSHOTS=write renews the files; read them before they are committed."""
    file = SNAPSHOTS / f"{name}.{width}.txt"
    whole = samples.analysis(name)
    brief = wording.text(layout.page(whole, width, verbose=False))
    shown = f"{brief}\n{'=' * width}\n\n{page(whole, width)}"
    if os.environ.get("AWRLENS_SNAPSHOTS") == "write":
        file.write_text(shown, encoding="utf-8")

    renew = f"AWRLENS_SNAPSHOTS=write renews {file.name}; read the difference before you commit it"
    assert file.read_text(encoding="utf-8") == shown, renew


def quiet() -> Analysis:
    """An analysis without a finding."""
    facts = facts_of(
        {
            "redo.local_write_ms": 0.4, "redo.commit_waits": 9000.0, "redo.commit_ms": 0.33,
            "load.largest_consumer": "CPU", "load.largest_consumer_pct": 82.0,
            "redo.write_ms": 0.4, "redo.parallel_write_ms": 0.4, "redo.sync_wait_s": 3.0,
            "redo.log_switch_wait_s": 0.0, "redo.buffer_wait_s": 0.0, "redo.sync_count": 9000,
            "temp.direct_wait_s": 0.0, "undo.buffer_wait_s": 0.0, "load.response_s": 3000.0,
            "load.elapsed_s": 3600.0, "checkpoint.incomplete_wait_s": 0.0,
        }
    )  # fmt: skip
    findings, skipped = rules.run(facts, Policy())
    advice = plan.advise(Case.of(facts, findings, Policy()))
    report = samples.analysis(samples.ALL[0]).report
    items, verdicts = advice.recommendations, advice.verdicts
    found = Analysis(report, facts, findings, items, verdicts, skipped, ())
    return found._replace(headline=headline.headline(found, Policy()).sentence)


def test_a_clean_report_says_so_in_words() -> None:
    for text in (page(quiet()), markdown.render(quiet())):
        assert "No significant write-path issue. 82 % of DB time is CPU" in " ".join(text.split())


def test_an_action_that_is_for_another_finding_says_for_which() -> None:
    found = samples.analysis("redo-disk.awr-11.2.txt")
    shown, *others = found.findings
    title = "Redo wastage is 40 % of the redo"
    worse = shown._replace(id="REDO008", title=title, contributing=())
    said = headline.headline(found._replace(findings=(worse, shown, *others)), Policy()).sentence

    assert said.startswith(title)
    assert "First: add redo log groups of 3.25 GB, because sessions waited 385 s" in said


def test_what_could_not_be_checked_is_listed_with_the_reason() -> None:
    text = page(samples.analysis("redo-disk.statspack-9.2.lst"))

    assert "Skipped checks" in text
    assert re.search(r"this release counts [^:]+: TEMP008 ", " ".join(text.split()))


def test_control_characters_are_taken_out_of_what_is_shown() -> None:
    assert "a [31mb" == wording.safe("a\n\x1b[31m\u202eb")


def test_db_time_that_no_wait_has_is_named_where_it_is_the_larger_part() -> None:
    facts = dict(quiet().facts) | facts_of({"load.largest_consumer": "CPU",
                                      "load.largest_consumer_pct": 31.0,
                                      "load.captured_pct": 36.0})  # fmt: skip
    idle = quiet()._replace(facts=facts, findings=(), recommendations=(), skipped=())
    said = headline.headline(idle, Policy()).sentence

    assert "64 % of DB time is neither CPU nor waits, and 31 % is CPU" in said


@pytest.mark.parametrize(("share", "said"), [(105.0, True), (105.1, False)])
def test_a_share_that_contradicts_db_time_is_not_named(share: float, said: bool) -> None:
    values = {"load.largest_consumer": "CPU", "load.largest_consumer_pct": share}
    facts = dict(quiet().facts) | facts_of(values)
    shown = headline.headline(quiet()._replace(facts=facts), Policy()).sentence

    assert said == ("100 % of DB time is CPU" in shown)


@pytest.mark.parametrize(
    ("captured", "idle", "end"),
    [
        (49.0, None, " 51 % of DB time is neither CPU nor waits. The report does not show whether"),
        (65.0, 0.13, " 35 % of DB time is neither CPU nor waits. Processes waited for CPU (only 0"),
        (
            75.0,
            0.13,
            " More DB time is elsewhere: CPU 30 %. 25 % is neither CPU nor waits. Process",
        ),
        (95.0, 0.13, " Processes waited for CPU (only 0.13 % of CPU was idle)."),
    ],
)
def test_a_finding_does_not_hide_that_most_time_has_no_wait(
    captured: float, idle: float | None, end: str
) -> None:
    """Nor that processes waited for CPU, which no event shows."""
    found = samples.analysis("redo-accelerator.awr-11.2.txt")
    values = {"load.captured_pct": captured, "load.largest_consumer": "CPU",
              "load.largest_consumer_pct": 30.0, "host.idle_pct": idle}  # fmt: skip
    facts = dict(found.facts) | facts_of(values)
    said = headline.headline(found._replace(facts=facts, overview=None), Policy()).sentence

    assert said.startswith(found.findings[0].title)
    assert end in said


@pytest.mark.parametrize("calm", [True, False])
def test_what_was_not_judged_at_all_is_not_called_not_urgent(calm: bool) -> None:
    found = samples.analysis("redo-accelerator.awr-11.2.txt")
    unknown = found.verdicts._replace(
        redo_storage="need-data", temp_storage="need-data", undo_storage="need-data"
    )
    lesser = found.findings[0]._replace(severity="info")
    start = "Not enough data to judge redo, temp and undo. "

    said = headline.headline(
        found._replace(findings=(lesser,), verdicts=unknown), Policy(), calm=calm
    ).sentence
    judged = headline.headline(found._replace(findings=(lesser,)), Policy(), calm=calm).sentence
    severe = headline.headline(found._replace(verdicts=unknown), Policy(), calm=calm).sentence

    assert said.startswith(start)
    assert said.count(start.strip()) == 1
    assert judged.startswith("No urgent issue on the write path. " if calm else "Worth doing: ")
    assert severe.startswith(found.findings[0].title)
    assert severe.endswith(start.strip())


def test_averages_over_a_long_interval_say_that_they_hide_peaks() -> None:
    """A month without a word of its worst hour reads as a calm month."""
    facts = dict(quiet().facts)

    def said(hours: float) -> str:
        long = quiet()._replace(facts=facts | facts_of({"load.elapsed_s": hours * 3600}))
        return headline.headline(long, Policy()).sentence

    assert said(29 * 24).startswith("No significant write-path issue on average.")
    assert said(29 * 24).endswith("Averages over 29 days hide peaks. Analyze a busy hour.")
    assert said(8).endswith("Averages over 8 h hide peaks.")
    assert "peaks" not in said(6)


def test_an_almost_idle_interval_is_called_so_because_it_shows_nothing_of_a_load() -> None:
    facts = dict(quiet().facts)

    def said(sessions: float) -> str:
        found = facts_of({"load.average_active_sessions": sessions})
        return headline.headline(quiet()._replace(facts=facts | found), Policy()).sentence

    assert said(0.00136).startswith(
        "No significant write-path issue. The interval was almost idle (0.00136 average active "
        "sessions): analyze a busy one, too."
    )
    assert "idle" not in said(0)
    assert "idle" not in said(0.1)


def test_a_reason_why_checks_were_skipped_is_printed_once_with_all_of_them() -> None:
    analysis = samples.analysis("redo-cluster.awr-rac-11.2.txt")
    missing = "section Undo Segment Summary is not in the report"
    rules = [each.rule for each in analysis.skipped if missing in each.reason]

    assert len(rules) > 1
    for shown in (page(analysis), markdown.render(analysis)):
        said = " ".join(shown.split("Skipped checks\n")[-1].split())
        assert said.count(missing) == 1
        assert f"{missing}: {', '.join(rules)}" in said
    assert all(each.reason.count(missing) <= 1 for each in analysis.skipped)


_HALF = "Half of the redo writes end within 1 ms, but 2.4 % take over 16 ms and make it 72 ms"
_NAMED = "Sessions waited 1,211 s for `enq: US - contention` and for the extension of undo"


@pytest.mark.parametrize(
    ("title", "line"),
    [
        (_HALF, _HALF),
        (f"{_NAMED}; too few segments are online", _NAMED),
        (f"The whole storage is slow: {_NAMED}", "The whole storage is slow"),
    ],
)
def test_the_first_line_of_a_headline_is_a_whole_statement(title: str, line: str) -> None:
    found = samples.analysis("redo-disk.awr-11.2.txt")
    shown = found.findings[0]._replace(title=title, contributing=())
    lines = headline.headline(found._replace(findings=(shown,)), Policy()).lines

    assert f"{line}." == lines[0]


def test_the_headline_of_a_second_period_rests_on_the_thresholds_in_force() -> None:
    """A third of the CPU is idle: too little for a user whose limit is 40 %."""
    compared = samples.analysis("redo-compared.awr-diff-11.2.html").comparison
    assert compared is not None
    facts = facts_of({"load.captured_pct": 60.0, "host.idle_pct": 33.0, "load.elapsed_s": 3600.0})
    second = quiet()._replace(facts={**quiet().facts, **facts}, overview=None)

    def said(**limits: float) -> str:
        policy = Policy({name.replace("__", "."): value for name, value in limits.items()})
        return api.of_periods((quiet(), second), compared, policy).sentence

    assert "can explain it only at peaks: on average, 33 % of CPU was idle" in said()
    assert "Processes waited for CPU (only 33 % of CPU was idle)" in said(storage__idle_pct=40.0)
