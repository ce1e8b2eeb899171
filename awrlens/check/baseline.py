"""Findings that are known and accepted for a time, each with its reason and its last day."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens.checked import FINGERPRINT, Issue, Suppression
from awrlens.errors import UsageError
from awrlens.model import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from awrlens.checked import CheckedReport

_VERSION: Final = 1
_DAYS: Final = re.compile(r"(\d+)\s*d(?:ays?)?$", re.I)
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{32}$")


class Entry(NamedTuple):
    """A finding that is accepted; ``expires`` is its last day, None for ever.

    ``severity`` is the rule's own when it was accepted; empty where it was not noted yet, as are
    ``db_id`` and ``container``.
    """

    fingerprint: str
    rule: str
    title: str
    database: str
    instance: str
    reason: str
    added: date
    expires: date | None
    severity: str = ""
    db_id: str = ""
    container: str = ""

    def holds(self, issue: Issue, today: date) -> bool:
        """Whether it accepts a finding: its time is not over, and it has not got more severe."""
        return not self.expired(today) and not self.worse(issue)

    def worse(self, issue: Issue) -> bool:
        """Whether a finding is more severe than it was when it was accepted."""
        if self.severity not in SEVERITIES:
            return False
        return SEVERITIES.index(issue.found) > SEVERITIES.index(self.severity)

    def of(self, report: Mapping[str, Any]) -> bool:
        """Whether it is of a report's database and instance."""
        said = (("db_name", self.database), ("instance", self.instance),
                ("db_id", self.db_id), ("container", self.container))  # fmt: skip
        must = ("db_name", "instance")
        return all(
            str(report.get(name) or "").lower() == text.lower()
            for name, text in said
            if text or name in must
        )

    def expired(self, today: date) -> bool:
        """Whether its last day is over."""
        return self.expires is not None and self.expires < today

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            **self._asdict(),
            "added": self.added.isoformat(),
            "expires": self.expires.isoformat() if self.expires else None,
        }


class Difference(NamedTuple):
    """A run against a baseline."""

    new: tuple[Issue, ...]
    known: tuple[Entry, ...]
    expired: tuple[Entry, ...]
    gone: tuple[Entry, ...]


Baseline = dict[str, Entry]


def entry(
    issue: Issue, report: Mapping[str, Any], reason: str, today: date, expires: date | None
) -> Entry:
    """An entry that accepts a finding."""
    return Entry(
        issue.fingerprint, issue.id, issue.title, str(report.get("db_name") or ""),
        str(report.get("instance") or ""), reason, today, expires, issue.found,
        str(report.get("db_id") or ""), str(report.get("container") or ""),
    )  # fmt: skip


def suppression(issue: Issue, baseline: Baseline, today: date) -> Suppression | None:
    """What a baseline says of a finding; None where it is new, worse or its time is over."""
    found = baseline.get(issue.fingerprint)
    if found is None or not found.holds(issue, today):
        return None
    until = found.expires.isoformat() if found.expires else ""
    return Suppression("baseline", found.reason, until)


def compare(reports: Sequence[CheckedReport], baseline: Baseline, today: date) -> Difference:
    """Which findings are new or worse, and which entries are known, expired or occur no more.

    A finding that something else suppresses is not new. An entry occurs no more where every
    report of its database is whole and could judge its rule; of others nothing is said.
    """
    found: dict[str, Issue] = {}
    for issue in (issue for report in reports for issue in report.issues):
        other = found.setdefault(issue.fingerprint, issue)
        if SEVERITIES.index(issue.found) > SEVERITIES.index(other.found):
            found[issue.fingerprint] = issue  # the worst of several reports
    counted = {
        key: each for key, each in found.items()
        if each.severity != "ok" and (each.suppressed is None or each.suppressed.by == "baseline")
    }  # fmt: skip
    return Difference(
        tuple(each for key, each in counted.items()
              if key not in baseline or not baseline[key].holds(each, today)),
        tuple(e for key, e in baseline.items() if key in found and not e.expired(today)),
        tuple(e for key, e in baseline.items() if key in found and e.expired(today)),
        tuple(e for key, e in baseline.items() if key not in found and _judged(e, reports)),
    )  # fmt: skip


def _judged(entry: Entry, reports: Sequence[CheckedReport]) -> bool:
    """Whether what an entry accepts would have been found if it were still there."""
    own = [report for report in reports if entry.of(report.report)]
    return bool(own) and all(
        not report.incomplete and entry.rule in report.judged for report in own
    )


def updated(baseline: Baseline, fresh: Iterable[Entry], gone: Iterable[Entry]) -> Baseline:
    """A baseline with new entries, without those that are gone; others keep what they say."""
    out = {each.fingerprint for each in gone}
    kept = {key: each for key, each in baseline.items() if key not in out}
    for each in fresh:
        kept[each.fingerprint] = each
    return dict(sorted(kept.items(), key=lambda item: (item[1].rule, item[1].database, item[0])))


def dump(baseline: Baseline) -> str:
    """The file's text."""
    entries = [each.to_dict() for each in baseline.values()]
    data = {"version": _VERSION, "fingerprints": FINGERPRINT, "entries": entries}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def load(path: str) -> Baseline:
    """A baseline file; UsageError, with what is wrong where, if it is none."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UsageError(
            f"The baseline cannot be read: {reason.lower()}.", source=path,
            hint="`awrlens baseline create` makes one.",
        ) from None  # fmt: skip
    try:
        data = json.loads(text)
    except json.JSONDecodeError as problem:
        raise UsageError(
            f"The baseline is no JSON: {problem.msg.lower()}.", source=path, line=problem.lineno,
            hint="`awrlens baseline create` makes one.",
        ) from None  # fmt: skip
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, list) or data.get("version") != _VERSION:
        raise UsageError(
            f"This is no baseline of version {_VERSION}.", source=path,
            hint="`awrlens baseline create` makes one.",
        )  # fmt: skip
    found = [_entry(each, number, path) for number, each in enumerate(entries, start=1)]
    return {each.fingerprint: each for each in found}


def _entry(data: object, number: int, path: str) -> Entry:
    def wrong(what: str) -> UsageError:
        return UsageError(f"Entry {number} of the baseline {what}.", source=path)

    if not isinstance(data, dict):
        raise wrong("is no object")
    mark = data.get("fingerprint")
    if not isinstance(mark, str) or not _FINGERPRINT.match(mark):
        raise wrong("has no fingerprint of 32 hexadecimal digits")
    reason = str(data.get("reason") or "").strip()
    if not reason:
        raise wrong("has no reason: say why the finding is accepted")
    try:
        added = date.fromisoformat(str(data.get("added")))
        expires = data.get("expires")
        last = date.fromisoformat(str(expires)) if expires is not None else None
    except ValueError:
        raise wrong("has a date that is not YYYY-MM-DD") from None
    names = ("rule", "title", "database", "instance", "severity", "db_id", "container")
    rule, title, database, instance, severity, db_id, container = (
        str(data.get(name) or "") for name in names
    )
    if severity and severity not in SEVERITIES:
        raise wrong(f"has a severity that is none of {', '.join(SEVERITIES)}")
    return Entry(
        mark, rule, title, database, instance, reason, added, last, severity, db_id, container
    )


def last_day(text: str, today: date) -> date:
    """``2027-01-31`` or ``90d`` as a day; UsageError when it is neither or is over."""
    days = _DAYS.match(text.strip())
    try:
        found = today + timedelta(int(days[1])) if days else date.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no day.", hint="Write 2027-01-31, or 90d for 90 days from now."
        ) from None
    if found < today:
        raise UsageError(f"{found} is over.", hint="Choose a day to come.")
    return found
