"""What holds for every comparison: DB time adds up, and the short page is short."""

from __future__ import annotations

import pytest
import samples

from awrlens import api
from awrlens.model.comparison import Comparison, Reading
from awrlens.render import as_lines, compare_page, wording


def fair(*names: str) -> Comparison:
    """Two samples, as if they were of one database on one host, a day apart."""
    before, after = (api.read(samples.report(name)) for name in names)
    when = {"begin_time": "2030-01-01T00:00:00", "end_time": "2030-01-01T01:00:00"}
    same = ("db_name", "db_id", "instance", "host", "cpus", "startup_time", "release")
    report = {**after.report, **{name: before.report[name] for name in same}, **when}
    return api.compare([before], [after._replace(report=report)])


def at(reading: Reading, begin: str, end: str) -> Reading:
    """A reading of another hour of one day."""
    times = {"begin_time": f"2030-01-02T{begin}:00", "end_time": f"2030-01-02T{end}:00"}
    return reading._replace(report={**reading.report, **times})


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
