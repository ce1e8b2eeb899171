"""The fleet of a store: every database over its last intervals, judged."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from awrlens.fleet import records
from awrlens.fleet.records import WHO, Alert, Difference, Gain, Recovery
from awrlens.lazy import NamedTuple
from awrlens.model import ALARMS, SEVERITIES, STATES, worst
from awrlens.model.who import Who
from awrlens.policy import declared
from awrlens.series.differences import about
from awrlens.source import files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from awrlens.fleet.index import Store
    from awrlens.fleet.records import Progress, Purpose
    from awrlens.model import State
    from awrlens.policy import Policy


_KNOWN: Final = declared(__file__)
WINDOW: Final = _KNOWN["fleet.alert_window"]
OPENS: Final = _KNOWN["fleet.alert_opens"]

_CRITICAL: Final = SEVERITIES.index("critical")


def alert_of(
    family: str, levels: Sequence[int], begins: Sequence[datetime], policy: Policy,
    leading: tuple[str, str, float | None], others: tuple[str, ...] = (),
) -> Alert | None:  # fmt: skip
    """The alert of a family of findings; None if it has none in these intervals.

    ``levels`` are numbers of severities in the order of time, 0 without a finding; ``leading`` is
    the leading finding: its id, title and waiting sessions. New alerts begin in the last intervals;
    one that the first interval has may be older.
    """
    if not any(levels):
        return None
    window = int(policy[WINDOW])
    begun, ended = _course(levels, window, int(policy[OPENS]))
    now = max(levels[-window:])
    before = max(levels[begun:-window], default=now)
    state: Progress = "worse" if now > before else "improved" if now < before else "lasting"
    if begun is None:
        state = "once"
    elif ended:
        state = "gone"
    elif begun and begun >= len(levels) - window:
        state = "new"
    some = [at for at, level in enumerate(levels) if level]
    begun = some[-1] if begun is None else begun
    severity = SEVERITIES[max(levels[begun:]) if state in ("gone", "once") else now]
    id_, title, waiting = leading
    return Alert(
        family, id_, title, severity, state, begins[begun], len(some), len(levels), waiting, others
    )


def _course(levels: Sequence[int], window: int, opens: int) -> tuple[int | None, bool]:
    """When the last alert began, and whether it has ended: after enough intervals without."""
    begun, ended = None, False
    for at, level in enumerate(levels):
        last = levels[max(0, at - window + 1) : at + 1]
        if begun is None or ended:
            # with fewer intervals than decide, each one counts
            needed = min(opens, len(levels))
            if level == _CRITICAL or sum(past > 0 for past in last) >= needed:
                begun = at - len(last) + 1 + next(n for n, past in enumerate(last) if past)
                ended = False
        elif not any(last) and len(last) == window:
            ended = True
    return begun, ended


REDO_GROUPS: Final = _KNOWN["fleet.redo_groups"]
LEAST_SESSIONS: Final = _KNOWN["fleet.least_sessions"]

_MB_PER_GB: Final = 1024.0


class Candidate(NamedTuple):
    """A purpose of a database over its last intervals; amounts are None if no report has them."""

    database: str
    purpose: Purpose
    #: The mean of the saved sessions over all intervals; 0 where storage would not help.
    sessions: float
    intervals: int
    of: int
    #: The undo for the longest query, or the largest work area in temp.
    size_mb: float | None
    mb_per_s: float | None
    writes_per_s: float | None
    #: The size of a redo log, or of all but one.
    log_mb: float | None = None
    other_logs_mb: float | None = None
    members: float | None = None


def gains(
    candidates: Iterable[Candidate], capacity_gb: float | None, policy: Policy
) -> tuple[Gain, ...]:
    """The entries with the largest saving first; with a capacity, the most saving per size.

    An entry without a size cannot be placed, and comes last.
    """
    worth = [use for use in candidates if use.sessions >= policy[LEAST_SESSIONS]]
    sized = [(use, *_size(use, policy)) for use in worth]
    sized.sort(key=lambda use: -use[0].sessions)
    if capacity_gb is not None:
        sized.sort(key=lambda use: -(use[0].sessions / use[1]) if use[1] else 1.0)
    entries, total = [], 0.0
    for use, size_gb, basis in sized:
        fits = None
        if capacity_gb is not None and size_gb is not None:
            fits = total + size_gb <= capacity_gb
        placed = size_gb is not None and fits is not False
        total += size_gb if size_gb is not None and placed else 0.0
        note = "" if size_gb is not None else "its size is in no report"
        entries.append(
            Gain(
                use.database, use.purpose, use.sessions, use.intervals, use.of, size_gb,
                basis, use.mb_per_s, use.writes_per_s, fits, total if placed else None, note,
            )
        )  # fmt: skip
    return tuple(entries)


def _size(use: Candidate, policy: Policy) -> tuple[float | None, str]:
    """The capacity in GB, and where it comes from."""
    if use.purpose == "redo":
        groups, members = max(2.0, policy[REDO_GROUPS]), max(1.0, use.members or 1.0)
        copies = f", {members:g} members" if members > 1 else ""
        if use.other_logs_mb:
            total = use.other_logs_mb * groups / (groups - 1)
            of = f"of {groups:g}{copies}"
            basis = f"all redo logs but one have {use.other_logs_mb:,.0f} MB, {of}"
        elif use.log_mb:
            total, basis = use.log_mb * groups, f"{groups:g} logs of {use.log_mb:,.0f} MB{copies}"
        else:
            return None, ""
        return total * members / _MB_PER_GB, basis
    if not use.size_mb:
        return None, ""
    basis = "undo for the longest query and the retention"
    if use.purpose == "temp":
        basis = "the largest work area in temp, a lower limit"
    return use.size_mb / _MB_PER_GB, basis


def recovery(
    estimates: Iterable[tuple[Who, Sequence[float], float | None]], level_s: float | None
) -> tuple[Recovery, ...]:
    """Recovery times of instances, the longest first.

    Each has its estimates in the order of time, and its target, which counts without a level.
    """
    recoveries = []
    for who, seconds, target_s in estimates:
        level = level_s if level_s is not None else target_s or None
        above = sum(level is not None and value > level for value in seconds)
        recoveries.append(
            Recovery(
                who, max(seconds), seconds[-1], target_s, level, above > 0, above, len(seconds)
            )
        )
    return tuple(sorted(recoveries, key=lambda row: (not row.over, -row.worst_s)))


USUAL_PCT: Final = _KNOWN["fleet.usual_pct"]
LEAST: Final = _KNOWN["fleet.least_databases"]

#: Shown for a parameter that a report does not print: it has its default.
DEFAULT: Final = "(default)"


def from_fleet(
    databases: Mapping[str, Mapping[str, str]], policy: Policy
) -> tuple[Difference, ...]:
    """What differs from most databases; a parameter that is nowhere else is not compared."""
    if len(databases) < policy[LEAST]:
        return ()
    usual = [setting for setting in differing(databases) if setting.share_pct >= policy[USUAL_PCT]]
    return tuple(sorted(usual, key=lambda setting: (setting.unlike, setting.parameter)))


def differing(settings: Mapping[str, Mapping[str, str]], within: str = "") -> Iterator[Difference]:
    """Every parameter with several values, and who has each of them."""
    for parameter in sorted({name for values in settings.values() for name in values}):
        holders: dict[str, list[str]] = defaultdict(list)
        for who, values in sorted(settings.items()):
            holders[values.get(parameter, DEFAULT)].append(who)
        if len(holders) > 1:
            by_count = sorted(holders.items(), key=lambda held: (-len(held[1]), held[0]))
            usual, most = by_count[0]
            others = tuple((value, tuple(names)) for value, names in by_count[1:])
            share_pct = len(most) * 100 / len(settings)
            yield Difference(parameter, within, usual, share_pct, others)


#: Intervals of an instance that count: a day of hourly reports.
LAST: Final = 24
FACTS: Final = (
    "checkpoint.estimated_mttr_s", "checkpoint.fast_start_mttr_target_s", "load.elapsed_s",
    "pga.largest_spill_mb", "redo.bytes_written_per_s", "redo.log_mb", "redo.members",
    "redo.other_logs_mb", "redo.writes_per_s", "temp.direct_mb", "temp.writes_per_s",
    "undo.needed_mb", "undo.tablespace_writes",
)  # fmt: skip
_WHO: Final = ", ".join(f"recent.{name}" for name in WHO.split(", "))
_NAMED: Final = 100
#: States whose problem is the headline: a mild one has that of its finding.
_WITH_HEADLINE: Final = (*ALARMS, "unknown")
_LEVEL: Final = " ".join(
    ["CASE severity", *(f"WHEN '{name}' THEN {n}" for n, name in enumerate(SEVERITIES)), "END"]
)


def fleet(
    store: Store, policy: Policy, *, last: int = LAST, level_s: float | None = None,
    capacity_gb: float | None = None,
) -> records.Fleet:  # fmt: skip
    """Every database of a store over its last intervals."""
    store.rows(
        f"""CREATE OR REPLACE TEMP TABLE recent AS
        SELECT report, {WHO}, begin_time, end_time, waiting_sessions, active_sessions, headline,
            severity AS verdict, who, nth
        FROM unique_reports JOIN reports USING (report) WHERE nth <= ?""",
        [last],
    )
    store.rows(
        f"""CREATE OR REPLACE TEMP TABLE named AS
        SELECT who, any_value(({_WHO}, same_name)) AS named FROM recent JOIN (
            SELECT db_name, count(DISTINCT db_id) > 1 AS same_name FROM recent GROUP BY db_name
        ) AS others ON recent.db_name IS NOT DISTINCT FROM others.db_name GROUP BY who"""
    )
    members = _members(store, policy)
    estimates = store.rows(
        """SELECT any_value(named), list(checkpoint_estimated_mttr_s ORDER BY end_time),
            max_by(checkpoint_fast_start_mttr_target_s, end_time)
        FROM recent JOIN named USING (who) JOIN facts USING (report)
        WHERE checkpoint_estimated_mttr_s IS NOT NULL GROUP BY who"""
    )
    (unreadable,) = store.rows("SELECT count(*) FROM unreadable")[0]
    named = store.rows(f"SELECT source, reason FROM unreadable LIMIT {_NAMED}")
    (reports, begin, end) = store.rows(
        "SELECT count(*), min(begin_time), max(end_time) FROM reports "
        "SEMI JOIN unique_reports USING (report)"
    )[0]
    return records.Fleet(
        tuple(records.Unreadable(*row) for row in named), unreadable, reports,
        len({(m.who.database, m.who.db_id) for m in members}), last, begin, end, members,
        gains(_candidates(store), capacity_gb, policy), capacity_gb,
        _differences(store, policy),
        recovery(((Who(*who), *rest) for who, *rest in estimates), level_s), level_s,
    )  # fmt: skip


def _members(store: Store, policy: Policy) -> tuple[records.Member, ...]:
    by_who = _alerts(store, policy)
    members = []
    rows = store.rows(
        """SELECT who, any_value(named),
            avg(coalesce(waiting_sessions, 0)) FILTER (verdict <> 'unknown'),
            avg(active_sessions), count(*), min(begin_time), max(end_time),
            max_by(headline, end_time), list((begin_time, verdict) ORDER BY end_time)
        FROM recent JOIN named USING (who) GROUP BY who"""
    )
    # reports keep their recommendations in the order in which they are to be done
    said = dict(store.rows(
        """SELECT who, list((verdict, headline, finding, action) ORDER BY nth)
        FROM recent LEFT JOIN (
            SELECT report, min_by(title, rowid) AS action FROM recommendations
            WHERE status = 'apply' GROUP BY report
        ) USING (report) LEFT JOIN (
            SELECT report, min_by(title, rowid) AS finding FROM findings
            WHERE part_of IS NULL GROUP BY report
        ) USING (report) GROUP BY who"""
    ))  # fmt: skip
    for who, named, waiting, active, count, begin, end, headline, course in rows:
        alerts_of = by_who.get(who, ())
        severity: State = worst([alert.severity for alert in alerts_of if alert.open])
        if severity == "ok" and course[-1][1] == "unknown":
            severity = "unknown"
        # one interval says both: the latest that is as bad; if that is no alarm, with an action
        _, problem, finding, action = next(
            (e for e in said[who] if e[0] == severity and (e[3] or severity in _WITH_HEADLINE)),
            ("", "", "", ""),
        )
        problem = problem.partition(". ")[0] if severity in _WITH_HEADLINE else finding or ""
        members.append(
            records.Member(
                Who(*named), severity, waiting, active, count, begin, end, headline or "",
                alerts_of, tuple(course), action or "",
                "" if severity == "ok" else problem,
            )
        )  # fmt: skip
    members.sort(key=lambda m: (STATES.index(m.severity), -(m.waiting_sessions or 0), m.who.full))
    return tuple(members)


def _alerts(store: Store, policy: Policy) -> dict[int, tuple[Alert, ...]]:
    begins = {
        who: (nths, moments)
        for who, nths, moments in store.rows(
            "SELECT who, list(nth ORDER BY nth DESC), list(begin_time ORDER BY nth DESC) "
            "FROM recent WHERE verdict <> 'unknown' GROUP BY who"
        )
    }
    rows = store.rows(
        f"""WITH of_family AS (
            SELECT who, nth, regexp_extract(finding, '^[A-Za-z]+') AS family, {_LEVEL} AS level,
                finding, title, findings.waiting_sessions
            FROM findings JOIN recent USING (report)
            WHERE part_of IS NULL AND severity <> 'ok'
        )
        SELECT who, family, list((nth, level) ORDER BY level),
            max_by((finding, title, waiting_sessions), level * 1000 - nth),
            list(DISTINCT finding)
        FROM of_family GROUP BY who, family"""
    )
    by_who: dict[int, list[Alert]] = defaultdict(list)
    for who, family, levels, (finding, title, waiting), every in rows:
        order, moments = begins[who]
        level_of = dict(levels)  # the highest of each interval
        course = [level_of.get(nth, 0) for nth in order]
        others = tuple(sorted(id_ for id_ in every if id_ != finding))
        alert = alert_of(family, course, moments, policy, (finding, title, waiting), others)
        if alert is not None:
            by_who[who].append(alert)
    rank = {name: -number for number, name in enumerate(SEVERITIES)}
    for alerts in by_who.values():
        alerts.sort(
            key=lambda a: (not a.open, rank[a.severity], -(a.waiting_sessions or 0), a.family)
        )
    return {who: tuple(alerts) for who, alerts in by_who.items()}


def _candidates(store: Store) -> Iterator[Candidate]:
    """What low-latency storage would save, per database and purpose; instances are added up."""
    rows = store.rows(
        """WITH known AS (
            FROM recent JOIN facts USING (report) WHERE NOT coalesce(cluster, false)
        ), purposes AS (
            SELECT report, replace(recommendation, '-storage', '') AS purpose,
                CASE WHEN status = 'apply' THEN coalesce(sessions, 0) ELSE 0 END AS saved,
                status = 'apply' AS applies
            FROM recommendations
            WHERE recommendation IN ('redo-storage', 'temp-storage', 'undo-storage')
        ), by_instance AS (
            SELECT db_name, db_id, container, who, purpose, avg(saved) AS saved,
                count(*) FILTER (applies) AS times, count(*) AS of,
                max(CASE purpose WHEN 'temp' THEN pga_largest_spill_mb
                    WHEN 'undo' THEN undo_needed_mb END) AS size_mb,
                max(CASE purpose WHEN 'redo' THEN redo_bytes_written_per_s / 1048576
                    WHEN 'temp' THEN temp_direct_mb / nullif(load_elapsed_s, 0) END) AS mb_per_s,
                max(CASE purpose WHEN 'redo' THEN redo_writes_per_s
                    WHEN 'temp' THEN temp_writes_per_s
                    ELSE undo_tablespace_writes / nullif(load_elapsed_s, 0) END) AS writes_per_s,
                max(redo_log_mb) AS log_mb, max(redo_other_logs_mb) AS other_logs_mb,
                max(redo_members) AS members
            FROM known JOIN purposes USING (report) GROUP BY ALL
        )
        SELECT any_value(named), purpose, sum(saved), max(times), max(of), sum(size_mb),
            sum(mb_per_s), sum(writes_per_s), sum(log_mb), sum(other_logs_mb), max(members)
        FROM by_instance JOIN named USING (who)
        GROUP BY db_name, db_id, container, purpose HAVING sum(saved) > 0
        ORDER BY db_name, db_id, container, purpose"""
    )
    for named, purpose, *amounts in rows:
        yield Candidate(Who(*named).database, purpose, *amounts)


def _differences(store: Store, policy: Policy) -> tuple[Difference, ...]:
    """Parameters that differ inside clusters, then those of the write path in the fleet."""
    who = {
        number: Who(*named)
        for number, named in store.rows(
            "SELECT who, named FROM named WHERE who IN "
            "(SELECT who FROM recent WHERE NOT coalesce(cluster, false))"
        )
    }
    kinds = {name: about(name, value, value) for name, value in store.rows(
        "SELECT parameter, any_value(value) FROM parameters GROUP BY parameter"
    )}  # fmt: skip
    instances = Counter(inst.database for inst in who.values())
    several = [number for number, inst in who.items() if instances[inst.database] > 1]
    clusters: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    # names and addresses differ by nature, and Oracle sets those with two underscores
    compared = [n for n, kind in kinds.items() if kind != "name" and not n.startswith("__")]
    for number, parameter, value in _parameters(store, several, compared):
        inst = who[number]
        clusters[inst.database][f"{inst.instance or inst.instance_number}"][parameter] = value
    databases: dict[str, dict[str, str]] = defaultdict(dict)
    wanted = [name for name, kind in kinds.items() if kind == "write-path"]
    for number, parameter, value in _parameters(store, list(who), wanted):
        databases[who[number].database].setdefault(parameter, value)
    inside = (differing(own, name) for name, own in sorted(clusters.items()))
    return (*chain.from_iterable(inside), *from_fleet(databases, policy))


def _parameters(store: Store, numbers: list[int], names: list[str]) -> list[tuple[Any, ...]]:
    return store.rows(
        """SELECT who, parameter, value FROM parameters JOIN recent USING (report)
        WHERE nth = 1 AND who IN (SELECT unnest(?)) AND parameter IN (SELECT unnest(?))
        ORDER BY who, parameter""",
        [numbers, names],
    )


def news(store: Store, policy: Policy) -> list[tuple[Who, Alert]]:
    """The open alerts of warning or above that were not printed yet; they count as printed.

    They are kept with the data, so that a restart prints nothing again. An alert that has ended is
    forgotten: if it comes back, it is new.
    """
    file = store.place.folder / "printed.json"
    printed: dict[str, str] = {}
    with suppress(OSError, ValueError):
        content = json.loads(file.read_text(encoding="utf-8"))
        printed = content if isinstance(content, dict) else {}
    new: list[tuple[Who, Alert]] = []
    open_now: dict[str, str] = {}
    for member in fleet(store, policy).members:
        for alert in member.alerts:
            if not alert.open or alert.severity not in ("warning", "critical"):
                continue
            # without what other databases decide
            key = json.dumps([*member.who[:-1], alert.family])
            open_now[key] = alert.severity
            if printed.get(key) not in (alert.severity, "critical"):
                new.append((member.who, alert))
    with store.place.writing():
        files.write(str(file), json.dumps(open_now))
    return new
