"""Baselines: known findings, accepted with a reason until a date."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens import errors
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple, regex
from awrlens.model import SEVERITIES
from awrlens.model.check_run import FINGERPRINT, Issue, Suppression

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from awrlens.model.check_run import CheckedReport


_VERSION: Final = 1
#: Days after which a finding must be accepted again, if it is still there.
#: # awrlens: two years, one of them a leap year
_MOST_DAYS: Final = 731
_DAYS: Final = regex(r"(\d+)\s*d(?:ays?)?$", re.I)
_DAY: Final = 'Accept a finding until a day, for example "expires": "2027-01-31".'
_FINGERPRINT: Final = regex(r"[0-9a-f]{32}$")


class Entry(NamedTuple):
    """An accepted finding; ``expires`` is its last day.

    ``severity`` is the rule's own severity at acceptance. ``severity``, ``db_id`` and
    ``container`` are empty in files of older versions.
    """

    fingerprint: str
    rule: str
    title: str
    database: str
    instance: str
    reason: str
    added: date
    expires: date
    severity: str = ""
    db_id: str = ""
    container: str = ""

    def holds(self, issue: Issue, today: date) -> bool:
        """Whether it accepts a finding: it has not expired, and the severity has not increased."""
        return not self.expired(today) and not self.worse(issue)

    def worse(self, issue: Issue) -> bool:
        """Whether a finding is more severe than at acceptance."""
        found = SEVERITIES.index(issue.severity_found)
        return self.severity in SEVERITIES and found > SEVERITIES.index(self.severity)

    def of(self, report: Mapping[str, Any]) -> bool:
        """Whether the entry belongs to the database and instance of a report."""
        said = (("db_name", self.database), ("instance", self.instance),
                ("db_id", self.db_id), ("container", self.container))  # fmt: skip
        return all(
            str(report.get(name) or "").lower() == text.lower()
            for name, text in said if text or name in ("db_name", "instance")
        )  # fmt: skip

    def expired(self, today: date) -> bool:
        """Whether its last day has passed."""
        return self.expires < today


class Difference(NamedTuple):
    """The difference between a run and a baseline."""

    new: tuple[Issue, ...]
    accepted: tuple[Entry, ...]
    expired: tuple[Entry, ...]
    gone: tuple[Entry, ...]


Baseline = dict[str, Entry]


def entry(
    issue: Issue, report: Mapping[str, Any], reason: str, today: date, expires: date
) -> Entry:
    """An entry that accepts a finding."""
    return Entry(
        issue.fingerprint, issue.id, issue.title, str(report.get("db_name") or ""),
        str(report.get("instance") or ""), reason, today, expires, issue.severity_found,
        str(report.get("db_id") or ""), str(report.get("container") or ""),
    )  # fmt: skip


def suppression(issue: Issue, baseline: Baseline, today: date) -> Suppression | None:
    """The suppression by a baseline; None if the finding is new or worse or the entry expired."""
    accepted = baseline.get(issue.fingerprint)
    if accepted is None or not accepted.holds(issue, today):
        return None
    return Suppression("baseline", accepted.reason, accepted.expires.isoformat())


def compare(reports: Sequence[CheckedReport], baseline: Baseline, today: date) -> Difference:
    """Findings that are new or worse; entries that are known, expired or no longer found.

    A finding with another suppression is not new. An entry counts as no longer found only if
    every report of its database is complete and had the facts for its rule.
    """
    issues: dict[str, Issue] = {}
    for issue in (issue for report in reports for issue in report.issues):
        other = issues.setdefault(issue.fingerprint, issue)
        if SEVERITIES.index(issue.severity_found) > SEVERITIES.index(other.severity_found):
            issues[issue.fingerprint] = issue  # the most severe of several reports
    counted = {
        key: issue for key, issue in issues.items() if issue.severity != "ok"
        and (issue.suppressed is None or issue.suppressed.by == "baseline")
    }  # fmt: skip
    return Difference(
        tuple(issue for key, issue in counted.items()
              if key not in baseline or not baseline[key].holds(issue, today)),
        tuple(e for key, e in baseline.items() if key in issues and not e.expired(today)),
        tuple(e for key, e in baseline.items() if key in issues and e.expired(today)),
        tuple(e for key, e in baseline.items() if key not in issues and _judged(e, reports)),
    )  # fmt: skip


def _judged(entry: Entry, reports: Sequence[CheckedReport]) -> bool:
    """Whether the reports would show the accepted finding if it still existed."""
    own = [report for report in reports if entry.of(report.report)]
    return own != [] and all(not r.incomplete and entry.rule in r.judged for r in own)


def updated(baseline: Baseline, fresh: Iterable[Entry], gone: Iterable[Entry]) -> Baseline:
    """A baseline with new entries and without obsolete ones; the rest is unchanged."""
    out = {accepted.fingerprint for accepted in gone}
    kept = {key: accepted for key, accepted in baseline.items() if key not in out}
    kept |= {accepted.fingerprint: accepted for accepted in fresh}
    return dict(sorted(kept.items(), key=lambda item: (item[1].rule, item[1].database, item[0])))


def dump(baseline: Baseline) -> str:
    """The file's text."""
    entries = [accepted._asdict() for accepted in baseline.values()]
    data = {"version": _VERSION, "fingerprints": FINGERPRINT, "entries": entries}
    return json.dumps(data, ensure_ascii=False, indent=2, default=date.isoformat) + "\n"


def load(path: str, today: date) -> Baseline:
    """Read a baseline file; UsageError with the location of a mistake."""
    wrong = partial(UsageError, source=path, hint="Create one with `awrlens baseline create`.")
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as problem:
        message = f"The baseline is not valid JSON: {problem.msg.lower()}."
        raise wrong(message, line=problem.lineno) from None
    except (OSError, ValueError) as problem:
        raise wrong(f"The baseline cannot be read: {errors.reason(problem)}.") from None
    entries = data.get("entries") if isinstance(data, dict) else None
    if not isinstance(entries, list) or data.get("version") != _VERSION:
        raise wrong(f"This is not a baseline file of version {_VERSION}.")
    checked = [_entry(raw, number, path, today) for number, raw in enumerate(entries, start=1)]
    return {accepted.fingerprint: accepted for accepted in checked}


def _entry(data: object, number: int, path: str, today: date) -> Entry:
    def wrong(what: str, hint: str = "") -> UsageError:
        return UsageError(f"Entry {number} of the baseline {what}.", source=path, hint=hint)

    if not isinstance(data, dict):
        raise wrong("is not a JSON object")
    mark = data.get("fingerprint")
    if not isinstance(mark, str) or not _FINGERPRINT.match(mark):
        raise wrong("has no fingerprint of 32 hexadecimal digits")
    reason = str(data.get("reason") or "").strip()
    if not reason:
        raise wrong("has no reason: state why the finding is accepted")
    if data.get("expires") is None:
        raise wrong("never expires", _DAY)
    try:
        added, last = (_date(data[name]) for name in ("added", "expires"))
    except (KeyError, TypeError, ValueError):
        raise wrong("has a date that is not YYYY-MM-DD") from None
    if last > today + timedelta(_MOST_DAYS):
        raise wrong(f"expires in more than {_MOST_DAYS} days", _DAY)
    names = ("rule", "title", "database", "instance", "severity", "db_id", "container")
    texts = {name: str(data.get(name) or "") for name in names}
    if texts["severity"] not in ("", *SEVERITIES):
        raise wrong(f"has an invalid severity; valid are {', '.join(SEVERITIES)}")
    return Entry(fingerprint=mark, reason=reason, added=added, expires=last, **texts)


def _date(text: str) -> date:
    """A date as YYYY-MM-DD, alike in every version of Python; ValueError for another format."""
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError(text)
    return day


def last_day(text: str, today: date) -> date:
    """Convert ``2027-01-31`` or ``90d`` to a date; UsageError if it is invalid or in the past."""
    days = _DAYS.match(text.strip())
    try:
        last = today + timedelta(int(days[1])) if days else _date(text.strip())
    except (ValueError, OverflowError):
        raise UsageError(
            f"Invalid date {text!r}.", hint="Use 2027-01-31, or 90d for 90 days from now."
        ) from None
    if last < today:
        raise UsageError(f"{last} is in the past.", hint="Use today or a later date.")
    if last > today + timedelta(_MOST_DAYS):
        raise UsageError(f"{last} is more than {_MOST_DAYS} days from now.", hint=_DAY)
    return last
