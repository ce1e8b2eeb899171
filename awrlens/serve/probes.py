"""Routes for operators: health, readiness, metrics, audit log, what is kept."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from awrlens.serve import retention, uploads
from awrlens.serve.answers import problems
from awrlens.serve.client import Caller, service_of
from awrlens.serve.problems import busy

router = APIRouter()


@router.get("/api/kept", operation_id="get_kept", responses=problems())
async def get_kept(client: Caller) -> dict[str, Any]:
    """What this server keeps, and for how long."""
    return {"kept": [each._asdict() for each in retention.of(client.service.settings)]}


@router.get("/api/audit", operation_id="get_audit", responses=problems())
async def get_audit(
    client: Caller, limit: Annotated[int, Query(ge=1, le=1000)] = 100
) -> dict[str, list[dict[str, Any]]]:
    """The newest entries of the audit log; for administrators of all projects."""
    client.require_operator()
    rows = await client.service.database.read(partial(uploads.audit, most=limit))
    return {"entries": rows}


@router.get("/health", operation_id="health", response_class=PlainTextResponse)
async def health() -> str:
    """The server runs."""
    return "ok\n"


@router.get("/ready", operation_id="ready", response_class=PlainTextResponse, responses=problems())
async def ready(request: Request) -> str:
    """The server can accept uploads: it has started, and its database answers."""
    service = service_of(request)
    if not service.ready:
        raise busy("The server is not ready.")
    await service.database.read(uploads.waiting)
    return "ok\n"


@router.get(
    "/metrics", operation_id="metrics", response_class=PlainTextResponse, responses=problems()
)
async def metrics(client: Caller) -> Response:
    """Metrics for Prometheus; for administrators of all projects."""
    client.require_operator()
    service = client.service
    service.metrics.waiting.set(await service.database.read(uploads.waiting))
    service.metrics.calls.set(service.pool.waiting)
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")
