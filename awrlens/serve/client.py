"""The client of a request: its rights, its limits, and the uploads that it may see."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from fastapi import Depends
from starlette.requests import Request

from awrlens.serve import access, uploads
from awrlens.serve.problems import Problem, missing
from awrlens.serve.service import SESSION, Service
from awrlens.serve.settings import ALL

if TYPE_CHECKING:
    from starlette.responses import Response

    from awrlens.serve.access import Who
    from awrlens.serve.database import Row

#: Cookie of a browser without a session, to which its forms are bound.
VISIT: Final = "awrlens_visit"
ID: Final = r"^[2-9a-hjkmnp-z]{26}$"


class Client:
    """One request's client."""

    def __init__(self, request: Request, service: Service, who: Who) -> None:
        self.request = request
        self.service = service
        self.database = service.database
        self.who = who

    @property
    def address(self) -> str:
        """Its network address."""
        return self.request.client.host if self.request.client else ""

    @property
    def key(self) -> str:
        """What limits apply to: a token or an address."""
        return self.who.id if self.who.id not in ("", "local") else self.address

    def require(self, scope: str, project: str | None = None) -> None:
        """Problem without a right, in a project."""
        if self.who is access.NOBODY:
            raise Problem(401, "A token is required.", {"WWW-Authenticate": "Bearer"})
        if not self.who.may(scope, project):
            raise Problem(403, f"The token does not have the right to {scope} here.")

    def require_operator(self) -> None:
        """Problem for others than administrators of all projects."""
        self.require("admin")
        if not self.who.may("admin", ALL):
            raise Problem(403, "This is for administrators of all projects.")

    def project(self, name: str | None) -> str:
        """The project that a request means: by default that of the token."""
        return name or self.who.own or "default"

    def forgery_token(self) -> str:
        """What a form of this browser must send back; a browser without a cookie gets one."""
        bound, state = self._bound(), self.request.state
        if not bound:
            bound = state.visit = getattr(state, "visit", secrets.token_urlsafe(18))
        return access.signed(self.service.secret, "form", bound)

    def _bound(self) -> str | None:
        return self.request.cookies.get(SESSION) or self.request.cookies.get(VISIT)

    def check_form(self, sent: str) -> None:
        """Problem for a form that is not of this browser's pages."""
        bound = self._bound()
        good = access.signed(self.service.secret, "form", bound or "")
        if not bound or not secrets.compare_digest(good.encode(), sent.encode()):
            raise Problem(403, "The form is too old. Open the page again.")

    def check_api(self) -> None:
        """A browser that is identified by its cookie must send the token of its forms."""
        if self.who.by_cookie:
            self.check_form(self.request.headers.get("x-csrf-token", ""))

    async def upload(self, id_: str, *, open_: bool = True) -> Row:
        """An upload that the client may see; ``open_``: its content, not only its state.

        What does not exist and what the client may not see give the same answer.
        """
        row = await self.database.read(uploads.find, id_)
        may = row is not None and (self.who.may("read", row["project"]) or row["shared"])
        if row is None or not (may or self.owns(row)):
            self.guess()
            raise missing()
        if row["status"] == "deleted":
            raise Problem(410, "This report was deleted.")
        if open_:
            await self.unlock(row)
        return row

    def guess(self) -> None:
        """Count an address that asks for what it cannot know."""
        self.service.guesses.take(f"guess {self.address}", 0.2, what="many wrong addresses")

    async def unlock(self, row: Row) -> None:
        """Problem 403 if the password of an upload is missing."""
        if not row["password"]:
            return
        given = self.request.cookies.get(unlocked(row["id"]), "")
        if secrets.compare_digest(given.encode(), self.opening(row).encode()):
            return
        password = self.request.headers.get("x-report-password")
        if password is None or not await self.is_password(row, password):
            raise Problem(403, "This report needs its password.", locked=True)

    async def is_password(self, row: Row, password: str) -> bool:
        """Whether a password opens an upload; attempts are limited."""
        self.service.guesses.take(f"password {self.address}", 1, what="many passwords")
        return await asyncio.to_thread(access.is_password, password, row["password"])

    def opening(self, row: Row) -> str:
        """The cookie that shows that the password was given."""
        return access.signed(self.service.secret, "open", row["id"], row["password"])

    def may_delete(self, row: Row, key: str) -> bool:
        """With the delete key, or with the rights of an administrator or of the uploader."""
        if key:
            if uploads.matches(key, row["delete_hash"]):
                return True
            self.service.guesses.take(f"key {self.address}", 1, what="many delete keys")
            return False
        return self.who.may("admin", row["project"]) or self.owns(row)

    def owns(self, row: Row) -> bool:
        """Whether it uploaded this, and may still upload."""
        return self.who.may("upload", row["project"]) and row["uploader"] == self.who.id

    async def record(self, project: str, action: str, what: str) -> None:
        """An entry of the audit log."""
        await self.database.write(uploads.record, self.who.id, self.address, project, action, what)

    def set_cookie(self, response: Response, name: str, value: str, **more: Any) -> None:  # noqa: ANN401
        """Give the browser a cookie, which no script and no other site can use."""
        secure = self.service.settings.public_url.startswith("https://")
        attributes = {"httponly": True, "samesite": "strict", "path": "/", "secure": secure, **more}
        response.set_cookie(name, value, **attributes)


def unlocked(id_: str) -> str:
    """Name of the cookie of an upload with a password."""
    return f"awrlens_open_{id_}"


def service_of(request: Request) -> Service:
    """The server of a request."""
    return cast("Service", request.app.state.service)


async def client(request: Request) -> Client:
    """The client of a request; 401 for a wrong token, 429 for too many requests."""
    service = service_of(request)
    who = await service.who(
        request.headers.get("authorization", ""), request.cookies.get(SESSION, "")
    )
    caller = Client(request, service, who)
    service.requests.take(caller.key, 1, what="many requests")
    if request.url.path.startswith("/api/"):
        depends = [request.scope["route"].dependant]
        for dependant in depends:
            depends += dependant.dependencies
        names = {parameter.alias for dependant in depends for parameter in dependant.query_params}
        for name in request.query_params:
            if name not in names:
                raise Problem(400, f"There is no parameter {name[:40]!r} here.")
    return caller


Caller = Annotated[Client, Depends(client)]
