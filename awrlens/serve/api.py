"""The API for programs: upload, result, sharing, deletion. OpenAPI: /api/openapi.json."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from awrlens.serve import access, uploads, work
from awrlens.serve.answers import (
    ANY_BODY,
    Format,
    Id,
    Number,
    Project,
    Status,
    Uploaded,
    negotiated,
    problems,
    received,
    report_of,
    status_of,
)
from awrlens.serve.client import Caller, Client
from awrlens.serve.database import Row
from awrlens.serve.problems import Document, Problem
from awrlens.serve.service import Sent

router = APIRouter(prefix="/api")

#: The longest delay of an answer that waits for an analysis.
_WAIT_S: Final = 30.0
_LINKS: Final = {
    "result": ("get_report", {"id": "$response.body#/id"}),
    "status": ("get_status", {"id": "$response.body#/id"}),
    "accept": ("accept_report", {"id": "$response.body#/id"}),
    "share": ("share_report", {"id": "$response.body#/id"}),
    "delete": (
        "delete_report",
        {"id": "$response.body#/id", "header.x-delete-key": "$response.body#/delete_key"},
    ),
}


def redact_key(redact: bool, key: str | None) -> bytes | None:  # noqa: FBT001
    """The key of pseudonyms: that of the client, or one for this upload only."""
    if not redact:
        return None
    if key is None:
        return secrets.token_bytes(32)
    try:
        found = bytes.fromhex(key)
    except ValueError:
        found = b""
    if len(found) < 16:  # noqa: PLR2004 - a key that cannot be guessed
        raise Problem(400, "X-Redact-Key needs at least 32 hexadecimal digits.")
    return found


@router.post(
    "/reports", status_code=201, operation_id="post_report", openapi_extra=ANY_BODY,
    responses={
        201: {"model": Uploaded, "links": {
            name: {"operationId": operation, "parameters": parameters}
            for name, (operation, parameters) in _LINKS.items()
        }},
        **problems(408, 409, 413, 415, 422, 507),
    },
)  # fmt: skip
async def post_report(
    client: Caller, name: Annotated[str, Query(max_length=300)] = "report", project: Project = None,
    redact: Annotated[bool, Query(description="Replace names before it is stored.")] = False,  # noqa: FBT002
    x_redact_key: Annotated[str | None, Header(max_length=200)] = None,
    x_report_password: Annotated[str | None, Header(max_length=200)] = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Document:  # fmt: skip
    """Upload a report. It is stored when this answers, and analyzed then."""
    wanted = client.project(project)
    client.require("upload", wanted)
    client.check_api()
    key = redact_key(redact, x_redact_key)
    async with client.service.room.reserved(client.request):
        data = await received(client)
        sent = Sent(
            data, work.shown_name(name), wanted, key, idempotency_key, x_report_password or ""
        )
        stored = await client.service.store(sent, client.who, client.address)
    found = Uploaded(
        id=stored.id, url=f"/r/{stored.id}", result=f"/api/reports/{stored.id}",
        delete_key=stored.delete_key, status=stored.status,
        names=[list(each) for each in stored.names],
        dropped=list(stored.dropped),
    )  # fmt: skip
    return Document(found.model_dump(), 201, {"Location": found.result})


@router.get("/reports", operation_id="list_reports", responses=problems())
async def list_reports(
    client: Caller, q: Annotated[str, Query(max_length=200)] = "", project: Project = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    before: Annotated[float | None, Query(allow_inf_nan=False)] = None,
) -> dict[str, list[dict[str, Any]]]:  # fmt: skip
    """Reports, newest first; ``q``: words, all of which occur."""
    if project is not None:
        client.require("read", project)
    client.require("read")
    projects = [project] if project is not None else client.who.projects
    rows = await client.service.database.read(
        partial(uploads.history, projects=projects, search=q, most=limit, before=before)
    )
    return {"reports": [listed(row) for row in rows]}


def listed(row: Row) -> dict[str, Any]:
    """A report in a list; with a password, without its content."""
    found = {
        "id": row["id"], "project": row["project"], "name": row["name"], "status": row["status"],
        "created": row["created"], "locked": bool(row["locked"]), "shared": bool(row["shared"]),
        "accepted": row["accepted"] is not None,
    }  # fmt: skip
    if row["number"] is None or row["locked"]:
        return found | {"reason": "" if row["locked"] else row["why"]}
    return found | report_of(row).model_dump()


@router.get(
    "/reports/{id}/status", operation_id="get_status", response_model=Status, responses=problems()
)
async def getstatus_of(client: Caller, id: Id) -> Status:
    """The state of an upload, and its reports."""
    row = await client.upload(id)
    parts = await client.service.database.read(partial(uploads.parts, id_=id))
    return status_of(row, parts)


@router.get("/reports/{id}.{suffix}", operation_id="get_report_by_suffix", include_in_schema=False)
async def get_report_by_suffix(
    client: Caller, id: Id, suffix: str, number: Number = None
) -> Response:
    """The same, with the format as suffix."""
    if suffix not in work.MEDIA:
        raise Problem(404, f"Formats are {', '.join(work.MEDIA)}.")
    return await result(client, await client.upload(id), suffix, number)


@router.get(
    "/reports/{id}", operation_id="get_report",
    responses={
        200: {"description": "The result", "content": {media: {} for media in work.MEDIA.values()}},
        202: {"description": "Not analyzed yet", "model": Status}, **problems(406, 415, 422),
    },
)  # fmt: skip
async def get_report(
    client: Caller, id: Id, format_: Format = None, number: Number = None,
    wait: Annotated[float, Query(ge=0, le=_WAIT_S, description="Seconds to wait for it.")] = 0,
) -> Response:  # fmt: skip
    """The result: the document of `awrlens analyze`, or a page, by ``format`` or Accept."""
    row = await client.upload(id)
    if row["status"] in ("waiting", "running") and wait:
        await client.service.jobs.finished(id, wait)
        row = await client.upload(id)
    return await result(client, row, format_ or negotiated(client), number)


async def result(client: Client, row: Row, format_: str, number: int | None) -> Response:
    """The result of an upload, 202 before, 422 if it could not be read."""
    if row["status"] in ("waiting", "running"):
        return Document(status_of(row, []).model_dump(), 202, {"Retry-After": "1"})
    if row["status"] == "failed":
        raise Problem(422, row["reason"], upload="failed")
    text = await client.service.show(row, format_, None if number is None else number - 1)
    headers = {"Content-Disposition": f'attachment; filename="awrlens-{row["id"][:8]}.{format_}"'}
    media = f"{work.MEDIA[format_]}; charset=utf-8"
    return Response(text, headers=headers if format_ == "html" else {}, media_type=media)


@router.get("/reports/{id}/original", operation_id="get_original", responses={
    200: {"content": {"application/octet-stream": {}}}, **problems()})  # fmt: skip
async def get_original(client: Caller, id: Id) -> Response:
    """The stored bytes of an upload."""
    row = await client.upload(id)
    upload = await client.service.upload(row)
    headers = {"Content-Disposition": f'attachment; filename="{id[:8]}"'}
    return Response(upload.data, media_type="application/octet-stream", headers=headers)


class Deleted(BaseModel):
    """A deleted upload; its id is never used again."""

    id: str
    status: str


@router.delete(
    "/reports/{id}", operation_id="delete_report", response_model=Deleted, responses=problems()
)
async def delete_report(
    client: Caller, id: Id, x_delete_key: Annotated[str, Header(max_length=100)] = "",
) -> Deleted:  # fmt: skip
    """Delete an upload and all that is known of it."""
    client.check_api()
    await deleted(client, id, x_delete_key)
    return Deleted(id=id, status="deleted")


async def deleted(client: Client, id_: str, key: str) -> None:
    """Delete an upload; 403 without its key or the right."""
    service = client.service
    row = await service.database.read(partial(uploads.find, id_=id_))
    keyed = row is not None and row["status"] != "deleted" and bool(key)
    if not keyed:
        row = await client.upload(id_, open_=False)
    if row is None or not client.may_delete(row, key):
        raise Problem(403, "Deleting it needs its delete key.")
    await service.database.write(
        partial(uploads.erase, id_=id_, why="deleted", blobs=service.blobs)
    )
    await client.record(row["project"], "delete", id_)


@router.post(
    "/reports/{id}/accept", operation_id="accept_report", response_model=Status,
    responses=problems(409),
)  # fmt: skip
async def accept_report(client: Caller, id: Id) -> Status:
    """Make an upload the baseline of its project."""
    client.check_api()
    row = await client.upload(id)
    client.require("upload", row["project"])
    if row["status"] != "done":
        raise Problem(409, "It is not analyzed.")
    await client.service.database.write(partial(uploads.accept, id_=id))
    await client.record(row["project"], "accept", id)
    return await getstatus_of(client, id)


class Sharing(BaseModel):
    """Who may read an upload."""

    shared: bool = Field(description="Whether its address is enough, without a token.")
    password: str | None = Field(
        None, max_length=200, description="A password for it; empty: none; absent: unchanged."
    )


@router.post(
    "/reports/{id}/share", operation_id="share_report", response_model=Status, responses=problems()
)
async def share_report(client: Caller, id: Id, sharing: Sharing) -> Status:
    """Let everyone with the address read an upload, or end that; set its password."""
    client.check_api()
    row = await client.upload(id)
    await shared(client, row, sharing)
    found = await client.upload(id, open_=False)
    parts = await client.service.database.read(partial(uploads.parts, id_=id))
    return status_of(found, parts)


async def shared(client: Client, row: Row, sharing: Sharing) -> None:
    """Store who may read an upload."""
    client.require("upload", row["project"])
    password = row["password"]
    if sharing.password is not None:
        text = sharing.password
        password = await asyncio.to_thread(access.of_password, text) if text else ""

    def store(session: Any) -> None:  # noqa: ANN401
        session.do(
            "UPDATE upload SET shared = ?, password = ? WHERE id = ? AND status <> 'deleted'",
            int(sharing.shared), password, row["id"],
        )  # fmt: skip

    await client.service.database.write(store)
    await client.record(row["project"], "share" if sharing.shared else "unshare", row["id"])
