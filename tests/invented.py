"""Windows that nobody measured: a week's rhythm with planted troubles, for trends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from awrlens.model import Severity
from awrlens.model.trend import Mention, Reading, Window
from awrlens.model.who import Who

MONDAY = datetime(2026, 3, 2)  # noqa: DTZ001 - a report's times have no zone
HOUR = timedelta(hours=1)
WHO = Who("PEARL", "4711", None, "pearl1", "1")


def who(number: int = 1, db: str = "PEARL", db_id: str = "4711") -> Who:
    return Who(db, db_id, None, f"{db.lower()}{number}", str(number))


def window(
    begin: datetime,
    facts: Mapping[str, float | None] | None = None,
    *,
    of: Who = WHO,
    length: timedelta = HOUR,
    kind: str = "awr-html",
    snaps: tuple[int, int] | None = None,
    startup: datetime | None = None,
    findings: Iterable[tuple[str, str, Severity] | tuple[str, str, Severity, float]] = (),
    valid: bool = True,
    source: str = "",
) -> Window:
    """A window with the facts that matter to a test."""
    end = begin + length
    mentions = tuple(Mention(*each) for each in findings)
    return Window(
        of,
        kind,
        snaps[0] if snaps else None,
        snaps[1] if snaps else None,
        begin,
        end,
        startup,
        length.total_seconds(),
        {
            name: Reading(value, "unavailable" if value is None else "derived")
            for name, value in (facts or {}).items()
        },
        mentions,
        mentions[0].severity if mentions else "ok",
        source or f"{of.instance}-{begin:%m%d-%H%M}.html",
        valid,
    )


def hours(values: Iterable[float | None], fact: str = "redo.write_ms") -> list[Window]:
    """One window after the other, an hour each, with one fact."""
    return [window(MONDAY + n * HOUR, {fact: value}) for n, value in enumerate(values)]


def rhythm(n: int) -> float:
    """Load of an hour since Monday: days busier than nights, working days than weekends."""
    hour, day = n % 24, n // 24 % 7
    by_day = 1 + 0.8 * math.sin((hour - 8) / 24 * 2 * math.pi)
    return by_day * (0.4 if day >= 5 else 1.0)


def weeks(count: int, names: Iterable[str], of: Who = WHO) -> list[Window]:
    """That many hours with all facts in the week's rhythm, a few hours in trouble."""
    found = []
    for n in range(count):
        load = rhythm(n)
        trouble = n % 211 == 210
        busier = 1.0 if of.instance_number == "1" else 0.7
        facts = {
            name: busier
            * (20 if trouble and name.endswith("_ms") else 1)
            * (1 + k)
            * load
            * (1 + 0.05 * math.sin(n * 1.7 + k))
            for k, name in enumerate(names)
        }
        findings: list[tuple[str, str, Severity]] = []
        if trouble:
            findings = [("REDO001", f"A redo write takes {20 * load:.1f} ms", "warning")]
        found.append(window(MONDAY + n * HOUR, facts, of=of, findings=findings))
    return found
