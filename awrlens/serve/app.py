"""Puts the server together: routes, and what every request passes."""

from __future__ import annotations

import logging
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

from awrlens import __version__
from awrlens.serve import access, api, pages, site, uploads
from awrlens.serve.api import problems
from awrlens.serve.client import Caller, Client, service_of
from awrlens.serve.problems import Problem, busy, missing
from awrlens.serve.service import Service
from awrlens.serve.settings import is_loopback

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from awrlens.serve.settings import Settings


router = APIRouter()


@router.get("/api/audit", responses=problems())
async def get_audit(
    client: Caller, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> dict[str, list[dict[str, Any]]]:
    """The newest entries of the audit log; for administrators of all projects."""
    client.require_operator()
    rows = await client.database.read(uploads.audit, limit)
    return {"entries": rows}


@router.get("/health", response_class=PlainTextResponse)
async def health() -> str:
    """The server runs."""
    return "ok\n"


@router.get("/ready", response_class=PlainTextResponse, responses=problems())
async def ready(request: Request) -> str:
    """The server can accept uploads: it has started, and its database answers."""
    service = service_of(request)
    if not service.ready:
        raise busy("The server is not ready.")
    await service.database.read(uploads.waiting)
    return "ok\n"


@router.get("/metrics", response_class=PlainTextResponse, responses=problems())
async def metrics(client: Caller) -> Response:
    """Metrics for Prometheus; for administrators of all projects."""
    client.require_operator()
    service = client.service
    service.metrics.waiting.set(await service.database.read(uploads.waiting))
    service.metrics.calls.set(service.pool.waiting)
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")


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
        # the name in a Host header, without its port
        name = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
        # another site's name that resolves to this machine must not reach it
        if self._public:
            allowed = host == self._public or is_loopback(name)
        else:
            allowed = not is_loopback(settings.host) or is_loopback(name)
        if not allowed:
            return Problem(421, "This server does not answer for this host name.")
        if scope["method"] in _SAFE:
            return None
        origin = headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc.lower() not in (host, self._public)
        if foreign or headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return Problem(403, "A page of another site sent this request.")
        return None

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = _route(scope), _method(scope)
        self._service.metrics.requests.labels(method, route, str(status)).inc()
        self._service.metrics.seconds.labels(route).observe(seconds)
        ms = round(seconds * 1000, 1)
        LOG.info("request", extra={"method": method, "route": route, "status": status, "ms": ms})


def _route(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", "none")


def _method(scope: Scope) -> str:
    method: str = scope["method"]
    return method if method in (*_SAFE, "POST", "PUT", "DELETE") else "other"


def application(settings: Settings) -> FastAPI:
    """The server of some settings, as an ASGI application."""
    service = Service(settings)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="awrlens", version=__version__, summary="Analyzes Oracle Statspack and AWR reports.",
        openapi_url="/api/openapi.json", docs_url=None, redoc_url=None, lifespan=life,
        redirect_slashes=False, generate_unique_id_function=lambda route: route.name,
    )  # fmt: skip
    app.state.service = service
    app.add_middleware(Guard, service=service)
    for routes in (api.router, router, site.router):
        app.include_router(routes)
    for kind in (Problem, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _answer)
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = plain()
            schemas = document["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            schemas["Problems"] = api.Problems.model_json_schema()
            for path in document["paths"].values():
                for operation in path.values():
                    if "HTTPValidationError" in str(operation["responses"].get("422")):
                        del operation["responses"]["422"]
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
    return app


async def _answer(request: Request, error: Exception) -> Response:
    problem = _problem_of(error)
    wants_page = "text/html" in request.headers.get("accept", "")
    if request.url.path.startswith("/api/") or not wants_page:
        return problem.response()
    client = Client(request, request.app.state.service, access.NOBODY)
    response = pages.page(
        client, "problem", problem.status, code=problem.status, detail=problem.detail
    )
    response.headers.update(problem.headers)
    return response


def _problem_of(error: Exception) -> Problem:
    """The answer to an error of ours, of a parameter, or of starlette."""
    if isinstance(error, RequestValidationError):
        first = error.errors()[0]
        if first["loc"][:1] == ("path",):
            return missing()
        where = ".".join(map(str, first["loc"][1:]))
        return Problem(400, f"{where}: {first['msg']}.".lstrip(": "))
    if isinstance(error, HTTPException):
        if error.status_code == 404:  # noqa: PLR2004
            return missing()
        return Problem(error.status_code, error.detail, dict(error.headers or {}))
    assert isinstance(error, Problem)  # noqa: S101 - the handlers are registered for these three
    return error
