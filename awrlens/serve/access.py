"""Who may do what: tokens, users, browser sessions, passwords of uploads.

Without any token, everyone who can connect may do everything; the server then listens on loopback
only. Tokens and keys are stored as hashes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.serve.problems import Problem
from awrlens.serve.settings import ALL, SCOPES
from awrlens.serve.uploads import hashed, matches, new_key

if TYPE_CHECKING:
    from awrlens.serve.database import Row, Session

SESSION_S: Final = 12 * 3600.0
_PREFIX: Final = "awrl"
_LEAST: Final = 8


class Who(NamedTuple):
    """A client: its id, and its scopes by project."""

    id: str
    rights: tuple[tuple[str, frozenset[str]], ...]
    #: Whether a browser's cookie identified it, so that another site could forge requests.
    by_cookie: bool = False

    def may(self, scope: str, project: str | None = None) -> bool:
        """Whether it has a right in a project, or in any; ``admin`` includes the others."""
        return any(
            scope in scopes or "admin" in scopes
            for where, scopes in self.rights
            if project is None or where in (ALL, project)
        )

    @property
    def projects(self) -> list[str] | None:
        """The projects that it may read; None for all."""
        readable = [name for name, _ in self.rights if self.may("read", name)]
        return None if ALL in readable else readable

    @property
    def own(self) -> str | None:
        """Its only project; None if it has several."""
        return self.rights[0][0] if len(self.rights) == 1 and self.rights[0][0] != ALL else None


#: Everyone, if there are no tokens.
LOCAL: Final = Who("local", ((ALL, frozenset(SCOPES)),))
#: Someone without a token, if there are tokens.
NOBODY: Final = Who("", ())


def any_token(session: Session) -> bool:
    """Whether tokens are required: as soon as one was created."""
    return session.value("SELECT 1 FROM token LIMIT 1") is not None


def create(
    session: Session, name: str, scopes: tuple[str, ...], project: str, expires: float | None
) -> str:
    """Create a token; the text is returned once and only its hash is stored."""
    id_, key = new_key()[:8], new_key()
    session.insert("token", {
        "id": id_, "name": name, "hash": hashed(key), "scopes": " ".join(scopes),
        "project": project, "created": time.time(), "expires": expires,
    })  # fmt: skip
    return f"{_PREFIX}_{id_}_{key}"


def rotate(session: Session, id_: str, overlap_s: float, expires: float | None) -> str:
    """A new token with the rights of an old one, which ends after ``overlap_s``."""
    row = session.one("SELECT * FROM token WHERE id = ? AND revoked IS NULL", id_)
    if row is None:
        raise UsageError(f"There is no valid token {id_}.", hint="awrlens serve token list")
    end = time.time() + overlap_s
    if row["expires"] is None or row["expires"] > end:
        session.do("UPDATE token SET expires = ? WHERE id = ?", end, id_)
    scopes = tuple(row["scopes"].split())
    return create(session, row["name"], scopes, row["project"], expires)


def revoke(session: Session, id_: str) -> int:
    """End a token and its sessions; 0 if it does not exist or was ended."""
    session.do("DELETE FROM session WHERE who = ?", id_)
    return session.do(
        "UPDATE token SET revoked = ? WHERE id = ? AND revoked IS NULL", time.time(), id_
    )


def listed(session: Session) -> list[Row]:
    """All tokens, without their hashes."""
    return session.all(
        "SELECT id, name, scopes, project, created, expires, revoked FROM token ORDER BY created"
    )


def by_token(session: Session, text: str) -> Who | None:
    """The client of a token; None if it is unknown, revoked or has expired."""
    pieces = text.strip().split("_")
    if len(pieces) != 3 or pieces[0] != _PREFIX:  # noqa: PLR2004
        return None
    row = session.one("SELECT * FROM token WHERE id = ?", pieces[1])
    if row is None or not matches(pieces[2], row["hash"]):
        return None
    return _valid(row)


def _valid(row: Row) -> Who | None:
    if row["revoked"] is not None or (row["expires"] is not None and row["expires"] < time.time()):
        return None
    return Who(row["id"], ((row["project"], frozenset(row["scopes"].split())),))


def log_in(session: Session, who: Who, *, user: bool = False) -> str:
    """A browser session for a token; the key is for its cookie.

    ``user``: of an identity provider, with the rights of now.
    """
    now, key = time.time(), new_key()
    session.do("DELETE FROM session WHERE expires < ?", now)
    rights = [[project, sorted(scopes)] for project, scopes in who.rights]
    values = hashed(key), who.id, json.dumps(rights) if user else None, now + SESSION_S
    session.do("INSERT INTO session VALUES (?, ?, ?, ?)", *values)
    return key


def log_out(session: Session, key: str) -> None:
    """End a browser session."""
    session.do("DELETE FROM session WHERE hash = ?", hashed(key))


def by_session(session: Session, key: str) -> Who | None:
    """The client of a browser session: of a token, or of a user of an identity provider."""
    row = session.one(
        "SELECT s.who, s.rights, t.* FROM session s LEFT JOIN token t ON t.id = s.who"
        " WHERE s.hash = ? AND s.expires > ?", hashed(key), time.time(),
    )  # fmt: skip
    if row is None:
        return None
    if row["rights"] is None:
        who = _valid(row)
        return who and who._replace(by_cookie=True)
    rights = tuple((name, frozenset(scopes)) for name, scopes in json.loads(row["rights"]))
    return Who(row["who"], rights, by_cookie=True)


def of_password(password: str) -> str:
    """The slow hash of a password; Problem if it is too short."""
    if len(password) < _LEAST:
        raise Problem(400, f"A password needs at least {_LEAST} characters.")
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}:{_slow(password, salt).hex()}"


def is_password(password: str, stored: str) -> bool:
    """Whether a password has this hash."""
    salt, _, hash_ = stored.partition(":")
    return hmac.compare_digest(_slow(password, bytes.fromhex(salt)).hex(), hash_)


def _slow(password: str, salt: bytes) -> bytes:
    data = password.encode("utf-8", "replace")
    return hashlib.scrypt(data, salt=salt, n=2**14, r=8, p=1, maxmem=2**26)


def signed(secret: str, *parts: str) -> str:
    """A signature of this server over some texts."""
    return hmac.digest(secret.encode(), "\0".join(parts).encode(), "sha256").hex()
