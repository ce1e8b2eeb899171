"""What every request passes: allowed hosts and origins, security headers, counting, one log line.

The log has the route and not the address, because addresses contain the keys of uploads.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from awrlens.serve.problems import Problem
from awrlens.serve.settings import is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from awrlens.serve.service import Service

LOG: Final = logging.getLogger("awrlens.serve")
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
#: Pages of the site: scripts and styles are files of the server.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex, nofollow",
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
}


class Guard:
    """The outermost layer of the server."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service
        public = urlsplit(service.settings.public_url)
        self._public = public.netloc.lower()
        self._secure = public.scheme == "https"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 500
        sent = False

        async def answer(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                sent = True
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                if self._secure:
                    headers.setdefault("Strict-Transport-Security", "max-age=31536000")
            await send(message)

        try:
            with self._service.tracing.span("request", method=_method(scope)) as note:
                refused = self._refused(scope)
                if refused is not None:
                    await refused.response()(scope, receive, answer)
                else:
                    await self._app(scope, receive, answer)
                note(route=_route(scope), status=status)
        except Exception as problem:  # the answer has no trace; the log has it
            LOG.exception("request failed", extra={"kind": type(problem).__name__})
            if not sent:
                failed = Problem(500, "The server failed on this request.")
                await failed.response()(scope, receive, answer)
        finally:
            self._count(scope, status, time.monotonic() - began)

    def _refused(self, scope: Scope) -> Problem | None:
        """A request of another site, or for another host than this server's."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        settings = self._service.settings
        name = _name(host)
        # another site's name that resolves to this machine must not reach it
        if self._public:
            allowed = host == self._public or is_loopback(name)
        else:
            allowed = not settings.loopback or is_loopback(name)
        if not allowed:
            return Problem(421, "This server does not answer for this host name.")
        if scope["method"] in _SAFE:
            return None
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in (host, self._public):
            return Problem(403, "A page of another site sent this request.")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return Problem(403, "A page of another site sent this request.")
        return None

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = _route(scope), _method(scope)
        self._service.metrics.answered(method, route, status, seconds)
        extra: dict[str, Any] = {
            "method": method, "route": route, "status": status, "ms": round(seconds * 1000, 1)
        }  # fmt: skip
        LOG.info("request", extra=extra)


def _route(scope: Scope) -> str:
    """The route of a request, without the ids in its address."""
    return getattr(scope.get("route"), "path", "none")


def _method(scope: Scope) -> str:
    known = (*_SAFE, "POST", "PUT", "DELETE")
    return scope["method"] if scope["method"] in known else "other"


def _name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
