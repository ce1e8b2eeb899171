"""What an expert concludes of each report, and what awrlens says of it.

tests/decisions.toml has a case for each report: read by hand, with the numbers that decide. Those
on real reports are skipped where the corpus is absent; those on our samples always run.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import corpus
import pytest
from corpus import CORPUS

from awrlens import api
from awrlens.advice.mttr import Request
from awrlens.model import Analysis, with_parts
from awrlens.render import first_screen, wording

HERE = Path(__file__).parent
CASES: list[dict[str, Any]] = tomllib.loads((HERE / "decisions.toml").read_text(encoding="utf-8"))[
    "case"
]
#: What a case may say.
KEYS = {
    "report", "period", "expert", "settled", "write_path", "redo", "temp", "undo", "cause", "must",
    "must_not", "target", "headline", "says", "first", "never", "desired_mttr", "rac",
    "init_time_avg_us", "fopen_time_avg_us", "datafiles", "instances",
}  # fmt: skip


#: First causes: the rules that find each, and what is to be done first where it is pressing.
CAUSES: dict[str, tuple[set[str], set[str]]] = {
    "log-device": ({"REDO001", "REDO009", "REDO014"}, {"redo-storage", "relieve-log-device"}),
    "log-switches": ({"REDO004", "REDO007", "CKPT001"}, {"enlarge-redo-logs"}),
    "checkpoint-incomplete": ({"CKPT001", "REDO004"}, {"enlarge-redo-logs"}),
    "host-cpu": ({"CKPT001", "TEMP008"}, {"free-processors"}),
    "host-memory": ({"REDO002", "REDO003"}, {"free-memory"}),
    "lgwr-cpu": (
        {"REDO001", "REDO002", "REDO003", "REDO009"},
        {"free-lgwr", "find-lgwr-waits", "free-processors"},
    ),
    "all-writes-slow": ({"REDO014"}, {"repair-write-path"}),
    "temp-memory": (
        {"TEMP001", "TEMP002", "TEMP003", "TEMP005", "TEMP007"},
        {"size-work-areas", "more-work-area-memory"},
    ),
    "temp-sql": ({"TEMP001"}, {"tune-spilling-statements"}),
    "cpu-sql": ({"TEMP001", "REDO001"}, {"tune-leading-sql"}),
    "temp-writes": ({"TEMP008"}, {"repair-write-path", "tune-spilling-statements"}),
    "undo-segments": (
        {"UNDO005"},
        {"more-undo-segments", "cache-sequences", "relieve-undo-space"},
    ),
    "undo-rollbacks": ({"UNDO002", "UNDO011"}, {"roll-back-less", "watch-parallel-rollback"}),
}
PRESSING = ("warning", "critical")


def place(name: str) -> Path:
    sample = HERE.parent / "sample_reports" / name
    return sample if sample.exists() else CORPUS / name


@lru_cache(maxsize=2)  # the tests of one report follow each other
def analysis(number: int) -> Analysis:
    case = CASES[number]
    report = corpus.report_of(place(case["report"]))
    found = None
    if "desired_mttr" in case or "rac" in case:
        request = Request(
            case.get("desired_mttr"), case.get("rac", bool(report.identity.rac)),
            case.get("init_time_avg_us"), case.get("fopen_time_avg_us"), case.get("datafiles"),
        )  # fmt: skip
        found = api.analyze(report, request=request)
    found = found or corpus.analysis_of(place(case["report"]))
    return found.periods[0] if case.get("period") == "first" else found


def each_case() -> pytest.MarkDecorator:
    """All cases; those of real reports are skipped where the corpus is absent."""
    absent = pytest.mark.skipif(
        not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
    )
    return pytest.mark.parametrize("number", [
        pytest.param(
            number, id=" ".join(filter(None, (case["report"], case.get("period")))),
            marks=() if place(case["report"]).parent != CORPUS else (pytest.mark.corpus, absent),
        )
        for number, case in enumerate(CASES)
    ])  # fmt: skip


@each_case()
def test_awrlens_concludes_what_an_expert_does(number: int) -> None:
    case = CASES[number]
    found = analysis(number)
    verdicts = found.verdicts
    findings = {each.id for each in with_parts(found.findings) if each.severity != "ok"}
    doing = [each.id for each in found.recommendations if each.status == "apply"]

    assert case["write_path"] == verdicts.write_path
    for segment in ("redo", "temp", "undo"):
        if segment in case:
            assert case[segment] == getattr(verdicts, f"{segment}_storage"), segment
    assert set(case.get("must", ())) <= findings
    assert findings.isdisjoint(case.get("must_not", ()))
    if "target" in case:
        assert case["target"] == verdicts.fast_start_mttr_target_s
    assert case.get("headline", "") in wording.headline(found)
    told = " ".join(
        f"{each.title} {each.action} {' '.join(each.risks)}" for each in found.recommendations
    ) + " ".join(f"{each.title} {each.why}" for each in found.findings)
    told += " ".join(" · ".join(tile.words) for tile in first_screen.tiles(found))
    for words in case.get("says", ()):
        assert words in told
    if "first" in case:
        assert case["first"] == doing[0]
    assert set(doing).isdisjoint(case.get("never", ()))
    if "cause" in case:
        rules, actions = CAUSES[case["cause"]]
        assert rules & findings, case["cause"]
        assert case["write_path"] not in PRESSING or doing[0] in actions, case["cause"]


@each_case()
def test_what_is_advised_hangs_together(number: int) -> None:
    """Commands come with their undo; no finding without severity has advice; nothing is summed."""
    found = analysis(number)
    whole = found.facts["load.response_s"].number if found.facts else None

    for item in found.recommendations:
        changes = [c for c in item.commands if c.startswith(("ALTER", "CREATE"))]
        assert not changes or item.rollback, item.id
        assert item.validate or item.status != "apply", item.id
        if item.benefit.seconds is not None and whole and not found.periods:
            assert item.benefit.seconds <= whole, item.id
    for finding in found.findings:
        assert finding.confidence_reason
        assert finding.severity != "critical" or finding.confidence != "low"


def test_every_real_report_has_a_case() -> None:
    real = corpus.entries("statspack-text", "awr-text", "awr-html", "awr-pdb-html",
                          "awr-rac-global-html", "awr-diff-text", "awr-diff-html")  # fmt: skip

    assert {entry.file for entry in real} <= {case["report"] for case in CASES}


def test_the_table_is_large_enough_and_gives_a_reason_for_every_case() -> None:
    assert len(CASES) >= 120
    for case in CASES:
        assert set(case) <= KEYS, case["report"]
        assert len(case["expert"]) > 40, case["report"]
