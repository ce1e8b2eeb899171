"""The fleet of a store: rows of its last intervals, judged by ``awrlens.fleet``."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from awrlens.fleet import alerts, buying, recovery, settings
from awrlens.model import SEVERITIES, worst
from awrlens.model.fleet import Database, Fleet, Member, Unreadable
from awrlens.series.differences import about
from awrlens.store.index import WHO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model.fleet import Alert, Difference
    from awrlens.policy import Policy
    from awrlens.store.query import Store

#: Intervals of an instance that count: a day of hourly reports.
LAST: Final = 24
#: The facts that a fleet needs.
FACTS: Final = (
    "checkpoint.estimated_mttr_s", "checkpoint.fast_start_mttr_target_s", "load.elapsed_s",
    "pga.largest_spill_mb", "redo.bytes_written_per_s", "redo.log_mb", "redo.members",
    "redo.other_logs_mb", "redo.writes_per_s", "temp.direct_mb", "temp.writes_per_s",
    "undo.needed_mb", "undo.tablespace_writes",
)  # fmt: skip
_WHO: Final = ", ".join(f"recent.{name}" for name in WHO.split(", "))
#: Unreadable inputs that are named.
_NAMED: Final = 100
_LEVEL: Final = " ".join(
    ["CASE severity", *(f"WHEN '{name}' THEN {n}" for n, name in enumerate(SEVERITIES)), "END"]
)


def fleet(
    store: Store, policy: Policy, *, last: int = LAST, level_s: float | None = None,
    capacity_gb: float | None = None,
) -> Fleet:  # fmt: skip
    """Every database of a store over its last intervals."""
    store.database.execute(
        f"""CREATE OR REPLACE TEMP TABLE recent AS
        SELECT report, {WHO}, begin_time, end_time, waiting_sessions, active_sessions, headline,
            who, nth
        FROM unique_reports JOIN reports USING (report) WHERE nth <= ?""",
        [last],
    )
    store.database.execute(
        f"""CREATE OR REPLACE TEMP TABLE named AS
        SELECT who, any_value(({_WHO}, same_name)) AS named FROM recent JOIN (
            SELECT db_name, count(DISTINCT db_id) > 1 AS same_name FROM recent GROUP BY db_name
        ) AS others ON recent.db_name IS NOT DISTINCT FROM others.db_name GROUP BY who"""
    )
    members = _members(store, policy)
    (unreadable,) = store.rows("SELECT count(*) FROM unreadable")[0]
    named = store.rows(f"SELECT source, reason FROM unreadable LIMIT {_NAMED}")
    (reports, begin, end) = store.rows(
        "SELECT count(*), min(begin_time), max(end_time) FROM reports "
        "SEMI JOIN unique_reports USING (report)"
    )[0]
    return Fleet(
        tuple(Unreadable(*each) for each in named), unreadable, reports,
        len({(each.who.name, each.who.db_id) for each in members}), last, begin, end, members,
        buying.gains(_candidates(store), capacity_gb, policy), capacity_gb,
        _differences(store, policy),
        recovery.recovery(_estimates(store), level_s), level_s,
    )  # fmt: skip


def _members(store: Store, policy: Policy) -> tuple[Member, ...]:
    by_who = _alerts(store, policy)
    found = []
    rows = store.rows(
        """SELECT who, any_value(named), coalesce(avg(coalesce(waiting_sessions, 0)), 0),
            avg(active_sessions), count(*), min(begin_time), max(end_time),
            max_by(headline, end_time)
        FROM recent JOIN named USING (who) GROUP BY who"""
    )
    for who, named, waiting, active, count, begin, end, headline in rows:
        alerts_of = by_who.get(who, ())
        severity = worst([each.severity for each in alerts_of if each.open])
        found.append(
            Member(
                Database(*named), severity, waiting, active, count, begin, end, headline or "",
                alerts_of,
            )
        )  # fmt: skip
    order = {name: number for number, name in enumerate(reversed(SEVERITIES))}
    found.sort(
        key=lambda each: (order[each.severity], -(each.waiting_sessions or 0), each.who.label)
    )
    return tuple(found)


def _alerts(store: Store, policy: Policy) -> dict[int, tuple[Alert, ...]]:
    """The alerts of every instance, by its number."""
    begins = {
        who: (nths, moments)
        for who, nths, moments in store.rows(
            "SELECT who, list(nth ORDER BY nth DESC), list(begin_time ORDER BY nth DESC) "
            "FROM recent GROUP BY who"
        )
    }
    rows = store.rows(
        f"""WITH of_family AS (
            SELECT who, nth, regexp_extract(finding, '^[A-Za-z]+') AS family, {_LEVEL} AS level,
                finding, title, findings.waiting_sessions
            FROM findings JOIN recent USING (report)
            WHERE part_of IS NULL AND severity <> 'ok'
        ), by_interval AS (
            SELECT who, family, nth, max(level) AS level FROM of_family GROUP BY ALL
        ), courses AS (
            SELECT who, family, list(nth) AS nths, list(level) AS levels
            FROM by_interval GROUP BY ALL
        )
        SELECT who, family, any_value(nths), any_value(levels),
            max_by((finding, title, waiting_sessions), level * 1000 - nth),
            list(DISTINCT finding)
        FROM of_family JOIN courses USING (who, family) GROUP BY who, family"""
    )
    found: dict[int, list[Alert]] = defaultdict(list)
    for who, family, nths, levels, (finding, title, waiting), every in rows:
        order, moments = begins[who]
        level_of = dict(zip(nths, levels, strict=True))
        course = [level_of.get(nth, 0) for nth in order]
        others = tuple(sorted(each for each in every if each != finding))
        alert = alerts.alert(
            alerts.Family(family, course, finding, title, waiting, others), moments, policy
        )
        if alert is not None:
            found[who].append(alert)
    return {who: tuple(sorted(each, key=_urgency)) for who, each in found.items()}


def _urgency(alert: Alert) -> tuple[bool, int, float, str]:
    level = SEVERITIES.index(alert.severity)
    return not alert.open, -level, -(alert.waiting_sessions or 0), alert.family


def _candidates(store: Store) -> Iterator[buying.Candidate]:
    """What low-latency storage would save, per database and purpose; instances are added up."""
    rows = store.rows(
        """WITH known AS (
            SELECT report, db_name, db_id, container, who, pga_largest_spill_mb, undo_needed_mb,
                redo_bytes_written_per_s, temp_direct_mb, load_elapsed_s, redo_writes_per_s,
                temp_writes_per_s, undo_tablespace_writes, redo_log_mb, redo_other_logs_mb,
                redo_members
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
        yield buying.Candidate(Database(*named).name, purpose, *amounts)


def _estimates(store: Store) -> Iterator[recovery.Estimates]:
    rows = store.rows(
        """SELECT any_value(named), list(checkpoint_estimated_mttr_s ORDER BY end_time),
            max_by(checkpoint_fast_start_mttr_target_s, end_time)
        FROM recent JOIN named USING (who) JOIN facts USING (report)
        WHERE checkpoint_estimated_mttr_s IS NOT NULL GROUP BY who"""
    )
    for who, seconds, target in rows:
        yield recovery.Estimates(Database(*who), seconds, target)


def _differences(store: Store, policy: Policy) -> tuple[Difference, ...]:
    """Parameters that differ inside clusters, then those of the write path in the fleet."""
    who = {
        number: Database(*named)
        for number, named in store.rows(
            "SELECT who, named FROM named WHERE who IN "
            "(SELECT who FROM recent WHERE NOT coalesce(cluster, false))"
        )
    }
    kinds = {name: about(name, value, value) for name, value in store.rows(
        "SELECT parameter, any_value(value) FROM parameters GROUP BY parameter"
    )}  # fmt: skip
    instances = Counter(each.name for each in who.values())
    several = [number for number, each in who.items() if instances[each.name] > 1]
    clusters: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    # names and addresses differ by nature, and Oracle sets those with two underscores
    compared = [n for n, kind in kinds.items() if kind != "name" and not n.startswith("__")]
    for number, parameter, value in _parameters(store, several, compared):
        each = who[number]
        clusters[each.name][f"{each.instance or each.instance_number}"][parameter] = value
    databases: dict[str, dict[str, str]] = defaultdict(dict)
    wanted = [name for name, kind in kinds.items() if kind == "write-path"]
    for number, parameter, value in _parameters(store, list(who), wanted):
        databases[who[number].name].setdefault(parameter, value)
    return (*settings.inside(clusters), *settings.from_fleet(databases, policy))


def _parameters(store: Store, numbers: list[int], names: list[str]) -> list[tuple[Any, ...]]:
    """The parameters of some instances in their last interval: instance, name, value."""
    return store.rows(
        """SELECT who, parameter, value FROM parameters JOIN recent USING (report)
        WHERE nth = 1 AND who IN (SELECT unnest(?)) AND parameter IN (SELECT unnest(?))
        ORDER BY who, parameter""",
        [numbers, names],
    )
