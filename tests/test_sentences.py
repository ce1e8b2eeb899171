"""No sentence is false: each fixed phrase against the facts of the reports it is printed for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import corpus
import pytest
import samples

from awrlens.advice.headline import first_action
from awrlens.model import with_parts
from awrlens.policy import Policy
from awrlens.severity import Scale, in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from corpus import Entry

    from awrlens.model import Analysis

KINDS = ("statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-rac-global-html",
         "awr-diff-text", "awr-diff-html")  # fmt: skip
POLICY = Policy()
QUICK, NOT_QUICK = 0, 1
KINDS_OF_WAITS = {
    "reads of data files": ("db file ", "direct path read"),
    "global cache waits (gc)": ("gc ",),
}


def parts(whole: Analysis) -> tuple[Analysis, ...]:
    """A report's analysis, and those of its instances or periods."""
    return (*([] if whole.periods else [whole]), *whole.instances, *whole.periods)


def told(analysis: Analysis) -> list[str]:
    """Every sentence on findings and advice."""
    texts = [analysis.headline]
    for finding in with_parts(analysis.findings):
        texts += [finding.title, finding.why, finding.confidence_reason, in_words(finding.weight)]
    for item in analysis.recommendations:
        texts += [item.title, item.action, item.benefit.basis, *item.risks, *item.prerequisites]
    return texts


class Facts:
    def __init__(self, analysis: Analysis) -> None:
        self.facts = analysis.facts
        self.scale = Scale(analysis.facts, POLICY)

    def __getitem__(self, name: str) -> float:
        return self.facts[name].number or 0.0

    def total(self, *names: str) -> float:
        return sum(self[name] for name in names)

    def write_is(self, level: int) -> bool:
        size = self["redo.bytes_per_write"]
        return self.scale.how_slow(self["redo.local_write_ms"], size) == level


REDO = ("redo.sync_wait_s", "redo.buffer_wait_s")
DBWR = ("checkpoint.incomplete_wait_s", "checkpoint.buffer_wait_s")


def self_tuned(f: Facts) -> bool:
    release = str(f.facts["database.release"].value or "0").split(".")[0]
    thread = f.facts["checkpoint.main_cause"].value == "thread"
    estimate = f.facts["checkpoint.estimated_mttr_high_s"].note
    unseen = "did not estimate" in estimate and not f["checkpoint.autotune_write_pct"]
    return int(release) >= 10 and not thread and not unseen


def starved(f: Facts) -> bool:
    idle = f.facts["host.idle_pct"].number
    return idle is None or idle < 50


def has_db_time(f: Facts) -> bool:
    """Oracle measures DB time since 10g; a cut report may not print its release."""
    return int(str(f.facts["database.release"].value or "10").split(".")[0]) >= 10


#: Phrases, and what must be so where one is printed.
PHRASES: dict[str, Callable[[Facts], bool]] = {
    "no session waited for redo": lambda f: f.total(*REDO) == 0,
    "but no session waits for it": lambda f: f.total(*REDO) == 0,
    "but few sessions wait for it": lambda f: (
        (f.scale.sessions(f.total(*REDO)) or 0.0) < POLICY["impact.several_sessions"]
    ),
    "No session waited for incomplete checkpoints or free buffers": lambda f: f.total(*DBWR) == 0,
    "No session waited for temporary I/O": lambda f: f["temp.direct_wait_s"] == 0,
    ", which is fast, and": lambda f: f.write_is(QUICK),
    ", which is slow, but": lambda f: not f.write_is(QUICK) and not f.write_is(NOT_QUICK),
    "automatic checkpoint tuning is on while": self_tuned,
    "90 % of the smallest redo log": lambda f: (
        int(str(f.facts["database.release"].value or "0").split(".")[0]) < 10
    ),
    "All kinds of writes are slow": lambda f: f["redo.local_write_ms"] >= 10,
    "Reads of data files are fast": lambda f: 0 < f["io.data_read_ms"] < 5,
    "LGWR waits for a CPU": starved,
    "Free CPU for LGWR": starved,
    "% of DB time": has_db_time,
    "More DB time is elsewhere": has_db_time,
    "% of CPU and wait time": lambda f: not has_db_time(f),
}


def hold(analysis: Analysis) -> None:
    f, everything = Facts(analysis), " ".join(told(analysis))
    for phrase, holds in PHRASES.items():
        assert phrase not in everything or holds(f), phrase


def hold_headline(analysis: Analysis) -> None:
    action = first_action(analysis)
    pressing = [f for f in analysis.findings if f.severity in ("warning", "critical")]
    if action is not None:
        assert action.title[1:] in analysis.headline
    if analysis.headline.startswith(("No urgent issue", "No significant write-path issue")):
        assert not pressing
    share = re.search(r"elsewhere: `?(.+?)`? (\d+) %", analysis.headline)
    if share and share[1] in KINDS_OF_WAITS and analysis.overview is not None:
        # each wait of a kind is in the bar, which has the larger ones; the sum is at least theirs
        of_kind = KINDS_OF_WAITS[share[1]]
        waits = [each.pct for each in analysis.overview.db_time if each.name.startswith(of_kind)]
        assert len(waits) > 1
        assert sum(waits) <= int(share[2]) + 0.5
    elif share:
        largest = str(analysis.facts["load.largest_consumer"].value).strip("*")
        assert share[1] == largest
        number = analysis.facts["load.largest_consumer_pct"].number or 0.0
        pieces = analysis.overview.db_time if analysis.overview else ()
        shown = next((each.pct for each in pieces if each.name == largest), number)
        assert int(share[2]) == round(min(shown, 100))
        assert shown == pytest.approx(number, rel=0.1)
        of_findings = [f.weight.share_pct or 0 for f in analysis.findings if f.severity != "ok"]
        assert int(share[2]) >= round(max(of_findings, default=0))


def hold_advice(analysis: Analysis) -> None:
    """No verdict without a finding, no number of a saving that leaves something out as a bound."""
    found = {f.id: f.severity for f in with_parts(analysis.findings)}
    for name in ("redo", "temp", "undo"):
        item = next(r for r in analysis.recommendations if r.id == f"{name}-storage")
        said = f"{item.action} {item.benefit.basis}"
        assert "at most" not in said.replace("a commit would take at most", "")
        if item.status == "apply":
            assert any(found[each] in ("warning", "critical") for each in item.findings)
        if item.status == "tune-first":
            assert item.findings
    for item in analysis.recommendations:
        if item.title.startswith(("Check ", "Find ", "Free ", "Monitor ")):
            assert item.benefit.seconds is None, f"{item.id} changes nothing"
        if item.status == "apply" and item.findings:
            assert any(found.get(each, "ok") != "ok" for each in item.findings), item.id
    for each in with_parts(analysis.findings):
        if each.contributing:
            assert each.severity != "ok"
        assert not re.search(r"\de[+-]\d", f"{each.title} {each.why}"), each.title


@corpus.over(*KINDS)
def test_each_sentence_on_a_real_report_is_true_of_it(entry: Entry) -> None:
    for analysis in parts(corpus.analysis(entry)):
        hold(analysis)
        if analysis.headline:
            hold_headline(analysis)
        hold_advice(analysis)


@pytest.mark.parametrize("name", samples.ALL)
def test_each_sentence_on_a_sample_is_true_of_it(name: str) -> None:
    for analysis in parts(samples.analysis(name)):
        hold(analysis)
        hold_headline(analysis)
        hold_advice(analysis)


def test_the_phrases_that_were_false_are_gone() -> None:
    """They were printed whatever the report said."""
    gone = ("Nobody waits for checkpoints", "a slow thing that nobody waits for", "saves at most")
    package = corpus.CORPUS.parents[2] / "main" / "awrlens"
    package = package if package.exists() else samples.path(samples.ALL[0]).parents[1] / "awrlens"
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8").lower()
        assert not [phrase for phrase in gone if phrase.lower() in text], path.name
