"""`analyze` and `compare` of one compare-period report agree, and DB time adds up."""

from __future__ import annotations

import re

import corpus
import pytest
import samples
from compared import adds_up, fits

from awrlens import api
from awrlens.model.comparison import Comparison
from awrlens.render import first_screen
from awrlens.report.report import Report

DIFFS = sorted(path.name for path in samples.FOLDER.glob("*.awr-diff-*"))
#: Sentences that nobody should read while the other command is alarmed.
CALM = re.compile(r"No urgent issue|No significant write-path issue|No change beyond noise")


def agreed(report: Report) -> Comparison:
    """Both commands on one report, held against each other."""
    first, second = api.periods(report)
    found = api.compare([first], [second])
    analysis = api.analyze(report)

    assert analysis.comparison
    first_said = analysis.comparison.headline
    # a new alarm of the second period comes first, the comparison after it
    new = analysis.headline.startswith("New in the second period: ")
    said = analysis.headline.removeprefix("The second period is earlier than the first. ")
    assert first_said in said if new else said.startswith(first_said)
    assert first_said.startswith(found.gist.rstrip("."))
    assert analysis.comparison.causes == found.causes
    assert found.headline.startswith(found.gist.rstrip("."))
    assert first_screen.severity(analysis) == found.severity
    if found.severity in ("warning", "critical", "unknown"):
        now = analysis.headline.replace(first_said, "")
        assert not CALM.search(now), now
    severities = {each.id: each.severity for each in analysis.findings}
    turns = {turn.id: turn.after for turn in found.findings if turn.id in severities}
    assert severities == turns
    return found


@pytest.mark.parametrize("name", DIFFS)
def test_both_commands_agree_on_our_samples(name: str) -> None:
    found = agreed(samples.report(name))

    adds_up(found)
    fits(found)


@corpus.over("awr-diff-html", "awr-diff-text")
def test_both_commands_agree_on_real_reports(entry: corpus.Entry) -> None:
    found = agreed(corpus.report(entry))

    adds_up(found)
    fits(found)
