"""Puts the server together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from awrlens import __version__
from awrlens.serve import access, answers, api, judging, login, pages, probes, projects, site, views
from awrlens.serve.client import Client
from awrlens.serve.guard import Guard
from awrlens.serve.problems import Problem, missing
from awrlens.serve.service import Service

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from awrlens.serve.settings import Settings


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
        redirect_slashes=False,
    )  # fmt: skip
    app.state.service = service
    app.add_middleware(Guard, service=service)
    for part in (api, judging, projects, probes, login, site, views):
        app.include_router(part.router)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    _describe(app)
    return app


async def _answer(request: Request, problem: Problem) -> Response:
    """A document for programs, a page for browsers."""
    wants_page = "text/html" in request.headers.get("accept", "")
    if request.url.path.startswith("/api/") or not wants_page:
        return problem.response()
    client = Client(request, request.app.state.service, access.NOBODY)
    response = pages.page(
        client, "problem", problem.status, code=problem.status, detail=problem.detail
    )
    response.headers.update(problem.headers)
    return response


async def _problem(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, Problem)  # noqa: S101 - registered for it
    return await _answer(request, problem)


async def _invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)  # noqa: S101 - registered for it
    first = problem.errors()[0]
    where = ".".join(str(each) for each in first["loc"][1:])
    kind = Problem(404, missing().detail) if first["loc"][:1] == ("path",) else None
    return await _answer(request, kind or Problem(400, f"{where}: {first['msg']}.".lstrip(": ")))


async def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)  # noqa: S101 - registered for it
    if problem.status_code == 404:  # noqa: PLR2004
        return await _answer(request, missing())
    headers = dict(problem.headers or {})
    return await _answer(request, Problem(problem.status_code, problem.detail, headers))


def _describe(app: FastAPI) -> None:
    """The OpenAPI document: problems instead of FastAPI's errors."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            found = plain()
            schemas = found["components"]["schemas"]
            for name in ("HTTPValidationError", "ValidationError"):
                schemas.pop(name, None)
            schemas["Problems"] = answers.Problems.model_json_schema()
            for path in found["paths"].values():
                for operation in path.values():
                    answer = operation["responses"].get("422", {})
                    if "HTTPValidationError" in str(answer):
                        del operation["responses"]["422"]
            app.openapi_schema = found
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]
