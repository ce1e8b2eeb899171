"""What holds for every comparison: DB time adds up, and the short page is short."""

from __future__ import annotations

import pytest

from awrlens.model.comparison import Comparison
from awrlens.render import as_lines, compare_page, wording


def adds_up(found: Comparison) -> None:
    """The parts are the whole on both sides, and the steps lead from one to the other."""
    whole = found.db_time
    if whole is None:
        return
    assert pytest.approx(whole.before_ms) == sum(each.before_ms for each in whole.parts)
    assert pytest.approx(whole.after_ms) == sum(each.after_ms for each in whole.parts)
    change = sum(each.change_ms for each in whole.steps)
    assert pytest.approx(whole.after_ms, rel=1e-9) == whole.before_ms + change


def fits(found: Comparison) -> None:
    """The short page is a screen of 50 lines of 80 columns, as that of a report."""
    lines = wording.text(as_lines.lines(compare_page.page(found, brief=True), 80)).splitlines()
    assert len(lines) <= 50, "\n".join(lines)
    assert max(map(len, lines)) <= 80
