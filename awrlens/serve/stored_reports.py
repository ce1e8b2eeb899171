"""Analyzed reports of uploads in the database: for the history, and as intervals for the fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.serve.database import Row, Session
    from awrlens.serve.work import Found


class Reported(NamedTuple):
    """Intervals as they are stored, uploads that could not be read, intervals per instance."""

    intervals: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...]
    last: int


def keep(session: Session, id_: str, found: Sequence[Found]) -> None:
    """Replace the reports of an upload and their intervals."""
    session.do("DELETE FROM part WHERE upload = ?", id_)
    session.do("DELETE FROM reported WHERE upload = ?", id_)
    known = set()
    for number, each in enumerate(found):
        words = f"{each.source} {each.label} {each.begin} {each.severity} {each.headline}"
        session.do(
            "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id_, number, each.source, each.kind, each.database, each.instance, each.begin,
            each.end, each.severity, each.headline, each.label, each.reason, words.lower(),
        )  # fmt: skip
        for one in each.intervals:
            if one.key not in known:  # an archive may have a report twice
                known.add(one.key)
                session.do("INSERT INTO reported VALUES (?, ?, ?, ?, ?)", id_, *one)


def refresh(session: Session, id_: str, found: Sequence[Found], edition: str) -> None:
    """Keep the result of another analysis of an upload, if there is one."""
    done = session.do(
        "UPDATE upload SET edition = ? WHERE id = ? AND status = 'done'", edition, id_
    )
    if done and any(not each.reason for each in found):
        keep(session, id_, found)


def outdated(session: Session, edition: str) -> Row | None:
    """An upload whose reports were analyzed by another edition; None if some wait anyway."""
    return session.one(
        "SELECT id, name, hash FROM upload WHERE status = 'done' AND edition <> ?"
        " AND NOT EXISTS (SELECT 1 FROM upload WHERE status IN ('waiting', 'running'))"
        " ORDER BY created DESC LIMIT 1", edition,
    )  # fmt: skip


def latest(session: Session, projects: Sequence[str] | None, last: int, most: int) -> Reported:
    """The latest intervals of every instance in some projects (None: all), each once.

    If there are too many, fewer per instance. Uploads with a password are left out.
    """
    where, values = "u.status = 'done' AND u.password = ''", list[object]()
    mine = "TRUE"
    if projects is not None:
        mine = f"u.project IN ({', '.join('?' * len(projects))})"
        values += projects
    tables = f"reported r JOIN upload u ON u.id = r.upload WHERE {where} AND {mine}"
    row = session.one(f"SELECT count(DISTINCT r.who) AS n FROM {tables}", *values)  # noqa: S608
    count = max(1, int(row["n"]) if row else 1)
    last = max(1, min(last, most // count))
    rows = session.all(
        "SELECT content FROM reported WHERE (upload, report) IN (SELECT upload, report FROM ("  # noqa: S608 - constants
        "SELECT r.upload, r.report, dense_rank() OVER (PARTITION BY r.who ORDER BY r.ended DESC)"
        " AS nth, row_number() OVER (PARTITION BY r.report ORDER BY u.created DESC, u.id) AS copy"
        f" FROM {tables}) AS ranked WHERE nth <= ? AND copy = 1)",
        *values, last,
    )  # fmt: skip
    failed = session.all(
        "SELECT u.name, u.reason FROM upload u WHERE u.status = 'failed' AND u.password = ''"  # noqa: S608
        f" AND {mine} ORDER BY u.created DESC LIMIT 100", *values,
    )  # fmt: skip
    return Reported(
        tuple(each["content"] for each in rows),
        tuple((each["name"], each["reason"]) for each in failed), last,
    )  # fmt: skip
