"""Uploads, their bytes and their analyzed reports in the database; functions run in a transaction.

Bytes are kept by their hash: the same report is stored once. ``has`` and ``drop`` are called within
a transaction that holds a lock on the hash, so that bytes are never deleted while another upload
begins to use them.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from awrlens.errors import UsageError, install
from awrlens.fleet.folder import settle
from awrlens.serve.database import Row, Session, like
from awrlens.serve.problems import Problem, busy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.serve.work import Part


def keep(session: Session, id_: str, parts: Sequence[Part]) -> None:
    """Replace the reports of an upload and their intervals."""
    session.do("DELETE FROM part WHERE upload = ?", id_)
    session.do("DELETE FROM reported WHERE upload = ?", id_)
    keys = set()
    for number, part in enumerate(parts):
        words = f"{part.source} {part.label} {part.begin} {part.severity} {part.headline}"
        session.do(
            "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            id_, number, part.source, part.kind, part.database, part.instance, part.begin,
            part.end, part.severity, part.headline, part.label, part.reason, words.lower(),
        )  # fmt: skip
        for interval in part.intervals:
            if interval.key not in keys:  # an archive may have a report twice
                keys.add(interval.key)
                session.do("INSERT INTO reported VALUES (?, ?, ?, ?, ?)", id_, *interval)


def refresh(session: Session, id_: str, parts: Sequence[Part], edition: str) -> None:
    """Keep the result of another analysis of an upload, if there is one."""
    done = session.do(
        "UPDATE upload SET edition = ? WHERE id = ? AND status = 'done'", edition, id_
    )
    if done and any(not part.reason for part in parts):
        keep(session, id_, parts)


def outdated(session: Session, edition: str) -> Row | None:
    """An upload whose reports were analyzed by another edition; None if some wait anyway."""
    return session.one(
        "SELECT id, name, hash FROM upload WHERE status = 'done' AND edition <> ?"
        " AND NOT EXISTS (SELECT 1 FROM upload WHERE status IN ('waiting', 'running'))"
        " ORDER BY created DESC LIMIT 1", edition,
    )  # fmt: skip


def latest(
    session: Session, projects: Sequence[str] | None, last: int, most: int
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], int]:
    """The latest intervals of every instance in some projects (None: all), each once.

    Then the uploads that could not be read, each with its reason, and the intervals per instance:
    fewer if there are too many. Uploads with a password are left out.
    """
    mine, values = _of_projects(projects)
    tables = (
        "reported r JOIN upload u ON u.id = r.upload WHERE u.status = 'done' AND u.password = ''"
        f" AND {mine}"
    )
    count = session.value(f"SELECT count(DISTINCT r.who) FROM {tables}", *values)  # noqa: S608
    last = max(1, min(last, most // max(1, count)))
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
    intervals = tuple(row["content"] for row in rows)
    return intervals, tuple((row["name"], row["reason"]) for row in failed), last


def _of_projects(projects: Sequence[str] | None) -> tuple[str, list[object]]:
    """A condition on uploads, and its values; None: all projects."""
    if projects is None:
        return "TRUE", []
    return f"u.project IN ({', '.join('?' * len(projects))})", list(projects)


#: Letters that are not confused with others, and that no shell or address changes.
_LETTERS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
#: Attempts to analyze an upload whose worker was killed.
ATTEMPTS: Final = 3


def new_key() -> str:
    """A key of 128 random bits: 26 of 31 letters."""
    return "".join(secrets.choice(_LETTERS) for _ in range(26))


def hashed(key: str) -> str:
    """The hash of a random key; a slow hash would add nothing to 128 random bits."""
    return hashlib.sha256(key.encode()).hexdigest()


def matches(key: str, hash_: str) -> bool:
    """Whether a key has this hash."""
    return hmac.compare_digest(hashed(key), hash_)


def insert(session: Session, new: Row, blobs: Blobs) -> str | None:
    """Store a row of an upload; its id, or None if its bytes have disappeared meanwhile."""
    session.lock(new["hash"])
    if not blobs.has(new["hash"]):
        return None
    row = {"id": new_key(), "status": "waiting", "created": time.time(), **new}
    session.insert("upload", row)
    return str(row["id"])


def repeated(session: Session, project: str, retry_key: str) -> Row | None:
    """The upload of an earlier request with the same Idempotency-Key."""
    return session.one(
        "SELECT * FROM upload WHERE project = ? AND retry_key = ?", project, retry_key
    )


def find(session: Session, id_: str) -> Row | None:
    """One upload."""
    return session.one("SELECT * FROM upload WHERE id = ?", id_)


def parts(session: Session, id_: str) -> list[Row]:
    """The reports of an upload."""
    return session.all("SELECT * FROM part WHERE upload = ? ORDER BY number", id_)


def claim(session: Session, node: str, lease_s: float) -> Row | None:
    """Take the oldest job that waits, or whose node has not renewed its lease."""
    now = time.time()
    row = session.one(
        "SELECT * FROM upload WHERE status = 'waiting' OR (status = 'running' AND lease < ?)"
        " ORDER BY created LIMIT 1", now,
    )  # fmt: skip
    if row is None:
        return None
    taken = session.do(
        "UPDATE upload SET status = 'running', node = ?, lease = ?, attempts = attempts + 1"
        " WHERE id = ? AND (status = 'waiting' OR (status = 'running' AND lease < ?))",
        node, now + lease_s, row["id"], now,
    )  # fmt: skip
    if not taken:  # another node was faster
        return None
    return row | {"attempts": row["attempts"] + 1}


def renew(session: Session, ids: Sequence[str], node: str, lease_s: float) -> None:
    """Keep the claims of a node on jobs that it still does."""
    for id_ in ids:
        session.do(
            "UPDATE upload SET lease = ? WHERE id = ? AND status = 'running' AND node = ?",
            time.time() + lease_s, id_, node,
        )  # fmt: skip


def release(session: Session, node: str | None = None) -> int:
    """Return the jobs of a node that stops, or of all nodes that ended, to those that wait."""
    if node is None:
        return session.do(
            "UPDATE upload SET status = 'waiting', lease = 0 WHERE status = 'running'"
        )
    return session.do(  # an attempt that was interrupted on purpose does not count
        "UPDATE upload SET status = 'waiting', lease = 0, attempts = attempts - 1"
        " WHERE status = 'running' AND node = ?", node,
    )  # fmt: skip


def again(session: Session, job: Row, node: str) -> None:
    """Return one job to those that wait."""
    session.do(
        "UPDATE upload SET status = 'waiting', lease = 0"
        " WHERE id = ? AND status = 'running' AND node = ?", job["id"], node,
    )  # fmt: skip


def finish(
    session: Session, job: Row, node: str, parts: Sequence[Part], reason: str, edition: str
) -> bool:
    """Store the result of a job; False if the upload is deleted or another node has the job."""
    readable = any(not part.reason for part in parts)
    if not readable:
        reason = reason or next((part.reason for part in parts), "There is no report in it.")
    done = session.do(
        "UPDATE upload SET status = ?, reason = ?, finished = ?, lease = 0, edition = ?"
        " WHERE id = ? AND status = 'running' AND node = ?",
        "done" if readable else "failed", reason, time.time(), edition, job["id"], node,
    )  # fmt: skip
    if not done:
        return False
    keep(session, job["id"], parts)
    return True


def erase(session: Session, id_: str, why: str, blobs: Blobs) -> None:
    """Delete an upload and everything known of it, but for its id."""
    row = session.one("SELECT hash, status FROM upload WHERE id = ?", id_)
    if row is None or row["status"] == "deleted":
        return
    session.lock(row["hash"])
    for table in ("part", "reported"):
        session.do(f"DELETE FROM {table} WHERE upload = ?", id_)  # noqa: S608 - a constant
    session.do(
        "UPDATE upload SET status = 'deleted', reason = ?, name = '', hash = '', size = 0,"
        " uploader = '', password = '', delete_hash = '', shared = 0, accepted = NULL,"
        " expires = NULL, retry_key = NULL, request = '', finished = ? WHERE id = ?",
        why, time.time(), id_,
    )  # fmt: skip
    drop(session, row["hash"], blobs)


def drop(session: Session, hash_: str, blobs: Blobs) -> None:
    """Delete bytes that no upload has."""
    session.lock(hash_)
    if session.value("SELECT 1 FROM upload WHERE hash = ? LIMIT 1", hash_) is None:
        blobs.drop(hash_)


def hashes(session: Session) -> frozenset[str]:
    """The hashes of all uploads."""
    return frozenset(row["hash"] for row in session.all("SELECT DISTINCT hash FROM upload"))


def expired(session: Session, most: int) -> list[str]:
    """Uploads whose time is over."""
    rows = session.all(
        "SELECT id FROM upload WHERE expires < ? AND status <> 'deleted' LIMIT ?", time.time(), most
    )
    return [row["id"] for row in rows]


def history(
    session: Session, projects: Sequence[str] | None, search: str, most: int, before: float | None
) -> list[Row]:
    """The reports of the newest uploads of some projects (None: all).

    ``search`` are words, all of which occur; ``before`` is a time of upload.
    """
    mine, values = _of_projects(projects)
    where = ["u.status <> 'deleted'", mine]
    if before is not None:
        where.append("u.created < ?")
        values.append(before)
    words = search.split()[:8]
    where += (
        "(lower(u.name) LIKE ? ESCAPE '!' OR coalesce(p.search, '') LIKE ? ESCAPE '!')",
    ) * len(words)
    values += [like(word) for word in words for _ in range(2)]
    tables, chosen = "upload u LEFT JOIN part p ON p.upload = u.id", " AND ".join(where)
    return session.all(
        "SELECT u.id, u.project, u.name, u.size, u.status, u.reason AS why, u.redacted, u.shared,"  # noqa: S608 - constants
        " u.created, u.expires, u.accepted, u.password <> '' AS locked, p.number, p.source, p.kind,"
        " p.database, p.instance, p.begin_time, p.end_time, p.severity, p.headline, p.label,"
        f" p.reason FROM {tables} WHERE {chosen} AND u.id IN (SELECT id FROM (SELECT DISTINCT u.id,"
        f" u.created FROM {tables} WHERE {chosen} ORDER BY u.created DESC LIMIT ?) AS newest)"
        " ORDER BY u.created DESC, u.id, p.number",
        *values, *values, most,
    )  # fmt: skip


def share(session: Session, id_: str, shared: bool, password: str) -> None:  # noqa: FBT001
    """Store who may read an upload: everyone with its address or not, and with which password."""
    session.do(
        "UPDATE upload SET shared = ?, password = ? WHERE id = ? AND status <> 'deleted'",
        int(shared), password, id_,
    )  # fmt: skip


def budgets(session: Session, project: str) -> str:
    """The budgets of a project, as they were set; empty without any."""
    return session.value("SELECT budgets FROM project WHERE name = ?", project) or ""


def set_budgets(session: Session, project: str, text: str) -> None:
    """Store the budgets of a project."""
    session.do(
        "INSERT INTO project VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE"
        " SET budgets = excluded.budgets, changed = excluded.changed",
        project, text, time.time(),
    )  # fmt: skip


def accept(session: Session, id_: str) -> None:
    """Make an upload the baseline of its project."""
    session.do("UPDATE upload SET accepted = ? WHERE id = ?", time.time(), id_)


def last_accepted(session: Session, project: str, but: str = "") -> Row | None:
    """The baseline of a project; ``but``: the signature of what is compared with it."""
    return session.one(
        "SELECT * FROM upload WHERE project = ? AND accepted IS NOT NULL"
        " AND status <> 'deleted' AND request <> ? ORDER BY accepted DESC LIMIT 1", project, but,
    )  # fmt: skip


def count(session: Session, project: str) -> int:
    """The stored uploads of a project."""
    query = "SELECT count(*) FROM upload WHERE project = ? AND status <> 'deleted'"
    return int(session.value(query, project))


def waiting(session: Session) -> int:
    """Uploads that are not analyzed yet."""
    return int(session.value("SELECT count(*) FROM upload WHERE status IN ('waiting', 'running')"))


def secret(session: Session, name: str) -> str:
    """A secret of this installation, made when it is first needed."""
    query = "SELECT value FROM secret WHERE name = ?"
    if session.value(query, name) is None:
        session.do(
            "INSERT INTO secret VALUES (?, ?) ON CONFLICT DO NOTHING", name, secrets.token_hex(32)
        )
    return str(session.value(query, name))


def record(
    session: Session, actor: str, address: str, project: str, action: str, what: str
) -> None:
    """An entry of the audit log; it contains no text of a report."""
    session.do(
        "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?)", time.time(), actor, address, project, action,
        what,
    )  # fmt: skip


def audit(session: Session, most: int) -> list[dict[str, Any]]:
    """The newest entries of the audit log."""
    return session.all("SELECT * FROM audit ORDER BY time DESC LIMIT ?", most)


class _Folder:
    """Bytes as files in a folder, in 256 subfolders; they are durable when ``put`` returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for part in folder.glob("*/*.part"):  # what a killed server left
            with suppress(OSError):
                part.unlink()

    def _file(self, hash_: str) -> Path:
        return self._folder / hash_[:2] / hash_

    def put(self, hash_: str, data: bytes) -> None:
        file = self._file(hash_)
        part = file.parent / f"{secrets.token_hex(8)}.part"
        try:
            if file.exists():
                return
            file.parent.mkdir(exist_ok=True, mode=0o700)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            part.replace(file)
            settle(file.parent)
        except BaseException as problem:
            with suppress(OSError):
                part.unlink()
            if isinstance(problem, OSError):
                raise Problem(507, "The server cannot store the report: its disk is full or not "
                              "writable. Nothing was kept.") from None  # fmt: skip
            raise

    def has(self, hash_: str) -> bool:
        return self._file(hash_).exists()

    def get(self, hash_: str) -> bytes | None:
        try:
            return self._file(hash_).read_bytes()
        except FileNotFoundError:
            return None

    def drop(self, hash_: str) -> None:
        with suppress(FileNotFoundError):
            self._file(hash_).unlink()

    def before(self, moment: float) -> Iterator[str]:
        for file in self._folder.glob("??/*"):
            with suppress(OSError):
                if _is_hash(file.name) and file.stat().st_mtime < moment:
                    yield file.name


def _is_hash(name: str) -> bool:
    """Whether a file is ours; a bucket may have others."""
    return len(name) == 64 and set(name) <= set("0123456789abcdef")  # noqa: PLR2004 - SHA-256


class _Bucket:
    """Objects of an S3 API, by obstore; the environment has the credentials (AWS_…)."""

    def __init__(self, url: str) -> None:
        try:
            from obstore.store import from_url
        except ImportError:
            raise UsageError("Reports in S3 need obstore.", hint=install("web,s3")) from None
        retries: Any = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
        self._store: Any = from_url(url, retry_config=retries)

    def put(self, hash_: str, data: bytes) -> None:
        with _available():
            self._store.put(hash_, data)

    def has(self, hash_: str) -> bool:
        try:
            with _available():
                self._store.head(hash_)
        except FileNotFoundError:
            return False
        return True

    def get(self, hash_: str) -> bytes | None:
        try:
            with _available():
                return bytes(self._store.get(hash_).bytes())
        except FileNotFoundError:
            return None

    def drop(self, hash_: str) -> None:
        with suppress(FileNotFoundError), _available():
            self._store.delete(hash_)

    def before(self, moment: float) -> Iterator[str]:
        with _available():
            for blob in chain.from_iterable(self._store.list()):
                if _is_hash(blob["path"]) and blob["last_modified"].timestamp() < moment:
                    yield blob["path"]


@contextmanager
def _available() -> Iterator[None]:
    """503 if the bucket does not answer; its messages contain addresses."""
    from obstore.exceptions import BaseError

    try:
        yield
    except FileNotFoundError:
        raise
    except BaseError as problem:
        raise busy("The store of the reports is not available.") from problem


Blobs: TypeAlias = _Folder | _Bucket


def opened(url: str, folder: Path) -> Blobs:
    """The bucket of a URL, or a folder without a URL."""
    if not url:
        return _Folder(folder)
    if not url.startswith("s3://"):
        raise UsageError(
            "The place of reports is not an S3 URL.", hint="For example s3://bucket/awrlens."
        )
    return _Bucket(url)
