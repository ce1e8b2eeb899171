"""The API for programs: upload, result, sharing, deletion, projects. OpenAPI: /api/openapi.json."""

from __future__ import annotations

import asyncio
import secrets
import time
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from awrlens.config import Options, Written
from awrlens.serve import access, intake, uploads, work
from awrlens.serve.client import ID, PROJECT, Caller, Client
from awrlens.serve.database import Row, Session
from awrlens.serve.problems import MEDIA as PROBLEM
from awrlens.serve.problems import Document, Problem
from awrlens.serve.service import Sent, Service

ANY_BODY: Final = {
    "requestBody": {
        "required": True,
        "description": "A report, an archive or a mail with reports, as it is.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
Id = Annotated[str, Path(pattern=ID, description="The id of an upload.")]
Project = Annotated[str | None, Query(pattern=PROJECT, description="A project.")]
Format = Annotated[
    Literal["json", "html", "md", "sarif"] | None,
    Query(alias="format", description="Default: by Accept."),
]
Number = Annotated[
    int | None, Query(alias="report", ge=1, le=10_000, description="One report of several, from 1.")
]
#: A reference to an upload, or to one report in it.
REFERENCE: Final = r"^[2-9a-hjkmnp-z]{26}(:[1-9][0-9]{0,3})?$"
References = Annotated[list[Annotated[str, Field(pattern=REFERENCE)]], Query(max_length=200)]


class Problems(BaseModel):
    """RFC 9457."""

    title: str
    status: int
    detail: str


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route."""
    schema = {"$ref": "#/components/schemas/Problems"}
    return {
        status: {"description": "Problem", "content": {PROBLEM: {"schema": schema}}}
        for status in (400, 401, 403, 404, 405, 410, 421, 429, 503, *statuses)
    }


class Uploaded(BaseModel):
    """An acknowledged upload: it is stored and will be analyzed."""

    id: str
    url: str = Field(description="Its page.")
    result: str = Field(description="Its result; 202 until it is analyzed.")
    delete_key: str = Field(
        description="Deletes it; only shown here. Empty for a repeated request."
    )
    status: str
    names: list[list[str]] = Field([], description="Pseudonym and name; not kept here.")
    dropped: list[str] = Field([], description="Why parts of a redacted upload were not stored.")


class Report(BaseModel):
    """A report of an upload."""

    number: int
    source: str
    kind: str
    database: str
    instance: str
    begin: str
    end: str
    severity: str
    headline: str
    reason: str = Field(description="Why it could not be read.")


class Status(BaseModel):
    """The state of an upload."""

    id: str
    project: str
    name: str
    status: Literal["waiting", "running", "done", "failed"]
    reason: str
    size: int
    redacted: bool
    shared: bool
    locked: bool
    accepted: bool
    created: float
    expires: float | None
    reports: list[Report]


def report_of(row: Row) -> Report:
    """A report for an answer."""
    return Report(
        number=row["number"] + 1, source=row["source"], kind=row["kind"], database=row["database"],
        instance=row["instance"], begin=row["begin_time"], end=row["end_time"],
        severity=row["severity"], headline=row["headline"], reason=row["reason"],
    )  # fmt: skip


def status_of(row: Row, parts: list[Row]) -> Status:
    """The state of an upload for an answer."""
    return Status(
        id=row["id"], project=row["project"], name=row["name"], status=row["status"],
        reason=row["reason"], size=row["size"], redacted=bool(row["redacted"]),
        shared=bool(row["shared"]), locked=bool(row["password"]),
        accepted=row["accepted"] is not None, created=row["created"], expires=row["expires"],
        reports=[report_of(part) for part in parts],
    )  # fmt: skip


async def received(client: Client) -> bytes:
    """The body of an upload, within the limits of the client."""
    request, service = client.request, client.service
    data = await intake.body(request, service.settings.limits)
    service.bytes.take(client.key, len(data), what="many bytes")
    intake.check(data, request.headers.get("content-type", ""))
    return data


def negotiated(client: Client) -> str:
    """The first format that the client accepts; JSON if it accepts anything."""
    accepted = [
        each.partition(";")[0].strip().lower()
        for each in client.request.headers.get("accept", "*/*").split(",")
    ]
    for each in accepted:
        if each in ("*/*", "application/*", ""):
            return "json"
        for format_, media in work.MEDIA.items():
            if each in (media, f"{media.partition('/')[0]}/*"):
                return format_
    raise Problem(406, f"Formats are {', '.join(work.MEDIA.values())}.")


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


project_routes = APIRouter(prefix="/api/projects")
Name = Annotated[str, Path(pattern=PROJECT, description="A project.")]
#: Bytes of the budgets of a project.
_MOST: Final = 2**16
_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True, "description": "Budgets as `awrlens budget check` reads them.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}  # fmt: skip


class Budgets(BaseModel):
    """The budgets of a project."""

    project: str
    budgets: list[list[str]] = Field(description="Id and text of each.")


def _budgets(session: Session, project: str) -> str:
    row = session.one("SELECT budgets FROM project WHERE name = ?", project)
    return str(row["budgets"]) if row is not None else ""


def _store(session: Session, project: str, text: str) -> None:
    session.do(
        "INSERT INTO project VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE"
        " SET budgets = excluded.budgets, changed = excluded.changed",
        project, text, time.time(),
    )  # fmt: skip


def _with(options: Options, project: str, text: str) -> Options:
    return options._replace(budgets=(Written(f"budgets of {project}", text),)) if text else options


async def options_of(service: Service, project: str) -> Options:
    """The configuration of the server with the budgets of a project."""
    text = await service.database.read(partial(_budgets, project=project))
    return _with(service.settings.options, project, text)


@project_routes.get(
    "/{project}/budgets", operation_id="get_budgets", responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **problems()},
)  # fmt: skip
async def get_budgets(client: Caller, project: Name) -> Response:
    """The budgets of a project, as they were set."""
    client.require("read", project)
    text = await client.service.database.read(partial(_budgets, project=project))
    return Response(text, media_type="text/plain; charset=utf-8")


@project_routes.put(
    "/{project}/budgets", operation_id="put_budgets", response_model=Budgets,
    openapi_extra=_BODY, responses=problems(408, 413, 415, 422),
)  # fmt: skip
async def put_budgets(client: Caller, project: Name) -> Budgets:
    """Set the budgets of a project, for its administrator; an empty text removes them."""
    client.require("admin", project)
    client.check_api()
    service = client.service
    data = await intake.body(client.request, service.settings.limits._replace(upload_bytes=_MOST))
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise Problem(400, "The budgets are not UTF-8 text.") from None
    found: list[list[str]] = []
    if text:
        options = _with(service.settings.options, project, text)
        found = [list(each) for each in await service.call("budgets", options)]
    await _keep(client, project, text)
    return Budgets(project=project, budgets=found)


async def _keep(client: Client, project: str, text: str) -> None:
    await client.service.database.write(partial(_store, project=project, text=text))
    await client.record(project, "budgets", "")
