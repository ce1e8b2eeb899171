"""The API for programs: uploads and their results, comparison, trend, fleet, check, budgets."""

from __future__ import annotations

import asyncio
import secrets
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, BeforeValidator, Field
from starlette.responses import Response

from awrlens.checks import selection
from awrlens.cli import gate
from awrlens.config import Options, Written
from awrlens.errors import EXIT_FINDINGS, EXIT_INTERNAL, EXIT_OK
from awrlens.serve import access, intake, uploads, work
from awrlens.serve.client import ID, Caller, Client
from awrlens.serve.database import Row
from awrlens.serve.problems import MEDIA as PROBLEM
from awrlens.serve.problems import Document, Problem
from awrlens.serve.service import Sent
from awrlens.serve.settings import PROJECT

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
    """Error answers of a route: those of every one, or some more."""
    schema = {"$ref": "#/components/schemas/Problems"}
    return {
        status: {"description": "Problem", "content": {PROBLEM: {"schema": schema}}}
        for status in statuses or (400, 401, 403, 404, 405, 410, 421, 429, 503)
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
    redacted: bool = Field(description="Whether names were replaced before it was stored.")
    names: list[list[str]] = Field([], description="Pseudonym and name; not kept here.")
    dropped: list[str] = Field([], description="Why parts of a redacted upload were not stored.")


class Report(BaseModel):
    """A report of an upload."""

    number: Annotated[int, BeforeValidator(lambda number: number + 1)]
    source: str
    kind: str
    database: str
    instance: str
    begin: str = Field(validation_alias="begin_time")
    end: str = Field(validation_alias="end_time")
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


def status_of(row: Row, parts: list[Row]) -> Status:
    """The state of an upload for an answer."""
    flags = {"locked": bool(row["password"]), "accepted": row["accepted"] is not None}
    return Status.model_validate(row | flags | {"reports": parts})


async def received(client: Client) -> bytes:
    """The body of an upload, within the limits of the client."""
    request, service = client.request, client.service
    data = await intake.body(request, service.settings.limits)
    service.bytes.take(client.key, len(data), what="many bytes")
    intake.check(data, request.headers.get("content-type", ""))
    return data


def negotiated(client: Client) -> str:
    """The first format that the client accepts; JSON if it accepts anything."""
    for part in client.request.headers.get("accept", "*/*").split(","):
        accepted = part.partition(";")[0].strip().lower()
        if accepted in ("*/*", "application/*", ""):
            return "json"
        for format_, media in work.MEDIA.items():
            if accepted in (media, f"{media.partition('/')[0]}/*"):
                return format_
    raise Problem(406, f"Formats are {', '.join(work.MEDIA.values())}.")


router = APIRouter(prefix="/api", responses=problems())
_ID_SENT: Final = {"id": "$response.body#/id"}
_LINKS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "result": ("get_report", _ID_SENT),
    "status": ("get_status", _ID_SENT),
    "accept": ("accept_report", _ID_SENT),
    "share": ("share_report", _ID_SENT),
    "delete": ("delete_report", _ID_SENT | {"header.x-delete-key": "$response.body#/delete_key"}),
}


Redact = Annotated[bool, Query(description="Replace names before it is stored.")]
RedactKey = Annotated[str | None, Header(max_length=200)]


def _redact_key(redact: bool, digits: str | None, other: bytes) -> bytes | None:  # noqa: FBT001
    """The key of pseudonyms: that of the client or another one; None: names are kept."""
    if not redact or digits is None:
        return other if redact else None
    try:
        key = bytes.fromhex(digits)
    except ValueError:
        key = b""
    if len(key) < 16:  # noqa: PLR2004 - a key that cannot be guessed
        raise Problem(400, "X-Redact-Key needs at least 32 hexadecimal digits.")
    return key


@router.post(
    "/reports", status_code=201, openapi_extra=ANY_BODY,
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
    redact: Redact = True, x_redact_key: RedactKey = None,  # noqa: FBT002
    x_report_password: Annotated[str | None, Header(max_length=200)] = None,
    idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
) -> Document:  # fmt: skip
    """Upload a report, without its names. It is stored when this answers, and analyzed then."""
    into = client.project(project)
    client.require("upload", into)
    client.check_api()
    key = _redact_key(redact, x_redact_key, secrets.token_bytes(32))
    password = x_report_password or ""
    async with client.service.room.reserved(client.request):
        data = await received(client)
        sent = Sent(data, work.shown_name(name), into, key, x_redact_key is not None,
                    idempotency_key, password)  # fmt: skip
        stored = await client.service.store(sent, client.who, client.address)
    places = {"url": f"/r/{stored.id}", "result": f"/api/reports/{stored.id}"}
    answer = Uploaded.model_validate(stored._asdict() | places)
    return Document(answer.model_dump(), 201, {"Location": answer.result})


@router.get("/reports")
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
    rows = await client.database.read(uploads.history, projects, q, limit, before)
    return {"reports": [listed(row) for row in rows]}


def listed(row: Row) -> dict[str, Any]:
    """A report in a list; with a password, without its content."""
    upload = {
        "id": row["id"], "project": row["project"], "name": row["name"], "status": row["status"],
        "created": row["created"], "locked": bool(row["locked"]), "shared": bool(row["shared"]),
        "accepted": row["accepted"] is not None,
    }  # fmt: skip
    if row["number"] is None or row["locked"]:
        return upload | {"reason": "" if row["locked"] else row["why"]}
    return upload | Report.model_validate(row).model_dump()


@router.get("/reports/{id}/status")
async def get_status(client: Caller, id: Id) -> Status:
    """The state of an upload, and its reports."""
    row = await client.upload(id)
    return status_of(row, await client.database.read(uploads.parts, id))


@router.get("/reports/{id}.{suffix}", include_in_schema=False)
async def get_report_by_suffix(
    client: Caller, id: Id, suffix: str, number: Number = None
) -> Response:
    """The same, with the format as suffix."""
    if suffix not in work.MEDIA:
        raise Problem(404, f"Formats are {', '.join(work.MEDIA)}.")
    return await result(client, await client.upload(id), suffix, number)


@router.get(
    "/reports/{id}",
    responses={
        200: {"description": "The result", "content": {media: {} for media in work.MEDIA.values()}},
        202: {"description": "Not analyzed yet", "model": Status}, **problems(406, 415, 422),
    },
)  # fmt: skip
async def get_report(
    client: Caller, id: Id, format_: Format = None, number: Number = None,
    wait: Annotated[float, Query(ge=0, le=30.0, description="Seconds to wait for it.")] = 0,
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
    return _put(row["id"][:8], text, format_)


@router.get(
    "/reports/{id}/original", responses={200: {"content": {"application/octet-stream": {}}}}
)
async def get_original(client: Caller, id: Id) -> Response:
    """The stored bytes of an upload."""
    row = await client.upload(id)
    headers = {"Content-Disposition": f'attachment; filename="{id[:8]}"'}
    data = (await client.service.upload(row)).data
    return Response(data, media_type="application/octet-stream", headers=headers)


class Deleted(BaseModel):
    """A deleted upload; its id is never used again."""

    id: str
    status: str


@router.delete("/reports/{id}")
async def delete_report(
    client: Caller, id: Id, x_delete_key: Annotated[str, Header(max_length=100)] = "",
) -> Deleted:  # fmt: skip
    """Delete an upload and all that is known of it."""
    client.check_api()
    await deleted(client, id, x_delete_key)
    return Deleted(id=id, status="deleted")


async def deleted(client: Client, id_: str, key: str) -> None:
    """Delete an upload; 403 without its key or the right."""
    row = await client.database.read(uploads.find, id_)
    if row is None or row["status"] == "deleted" or not key:
        row = await client.upload(id_, open_=False)
    if not client.may_delete(row, key):
        raise Problem(403, "Deleting it needs its delete key.")
    await client.database.write(uploads.erase, id_, "deleted", client.service.blobs)
    await client.database.forget()
    client.service.forget(id_)
    await client.record(row["project"], "delete", id_)


_LOGS: Final = "it has no Oracle report, and a check compares nothing else."


@router.post("/reports/{id}/accept", responses=problems(409))
async def accept_report(client: Caller, id: Id) -> Status:
    """Make an upload the baseline of its project."""
    client.check_api()
    row = await client.upload(id)
    client.require("upload", row["project"])
    if row["status"] != "done":
        raise Problem(409, "It is not analyzed.")
    if not await client.service.call("comparable", await client.service.upload(row)):
        raise Problem(409, f"It cannot be the accepted run: {_LOGS}")
    await client.database.write(uploads.accept, id)
    await client.record(row["project"], "accept", id)
    return await get_status(client, id)


class Sharing(BaseModel, extra="forbid"):
    """Who may read an upload."""

    shared: bool = Field(description="Whether its address is enough, without a token.")
    password: str | None = Field(
        None, max_length=200, description="A password for it; empty: none; absent: unchanged."
    )


@router.post("/reports/{id}/share")
async def share_report(client: Caller, id: Id, sharing: Sharing) -> Status:
    """Let everyone with the address read an upload, or end that; set its password."""
    client.check_api()
    await shared(client, await client.upload(id), sharing)
    row = await client.upload(id, open_=False)
    return status_of(row, await client.database.read(uploads.parts, id))


async def shared(client: Client, row: Row, sharing: Sharing) -> None:
    """Store who may read an upload."""
    client.require("upload", row["project"])
    password = row["password"]
    if sharing.password is not None:
        text = sharing.password
        password = await asyncio.to_thread(access.of_password, text) if text else ""
    await client.database.write(uploads.share, row["id"], sharing.shared, password)
    await client.record(row["project"], "share" if sharing.shared else "unshare", row["id"])


async def _selected(client: Client, references: list[str]) -> tuple[work.Upload, ...]:
    """The bytes of the analyzed uploads of some references ``ID`` or ``ID:NUMBER``."""
    rows = []
    for reference in references:
        id_, _, number = reference.partition(":")
        row = await client.upload(id_)
        if row["status"] != "done":
            raise Problem(409, "A selected report is not analyzed.")
        rows.append((row, int(number) - 1 if number else None))
    limits = client.service.settings.limits
    if len(rows) > limits.selected:
        raise Problem(400, f"Select at most {limits.selected} reports.")
    if sum(row["size"] for row, _ in rows) > limits.in_flight_bytes:
        raise Problem(400, "The selected reports are too large together.")
    return tuple([await client.service.upload(row, number) for row, number in rows])


async def _made(client: Client, what: str, format_: str, *args: Any) -> str:  # noqa: ANN401
    """The result of a comparison, a trend or a fleet in a format."""
    if format_ == "sarif":
        name = {"compare": "A comparison", "trend": "A trend", "fleet": "A fleet"}[what]
        raise Problem(406, f"{name} is not available as SARIF.")
    return await client.service.together(what, format_, *args)


_OUTPUTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {work.MEDIA[format_]: {} for format_ in ("json", "html", "md")}}
}


def _put(name: str, text: str, format_: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="awrlens-{name}.html"'}
    media = f"{work.MEDIA[format_]}; charset=utf-8"
    return Response(text, headers=headers if format_ == "html" else {}, media_type=media)


@router.get(
    "/compare", operation_id="compare", responses={**_OUTPUTS, **problems(406, 409, 415, 422)}
)
async def get_compare(
    client: Caller, before: References, after: References = [], format_: Format = None,
) -> Response:  # fmt: skip
    """What changed from some reports to others; ``ID`` or ``ID:NUMBER``."""
    chosen = format_ or negotiated(client)
    return _put("comparison", await compared(client, before, after, chosen), chosen)


async def compared(client: Client, before: list[str], after: list[str], format_: str) -> str:
    """A comparison."""
    both, split = await _selected(client, [*before, *after]), len(before)
    return await _made(client, "compare", format_, both[:split], both[split:])


@router.get("/trend", operation_id="trend", responses={**_OUTPUTS, **problems(406, 409, 415, 422)})
async def get_trend(client: Caller, report: References, format_: Format = None) -> Response:
    """Reports in the order of time; ``ID`` or ``ID:NUMBER``."""
    chosen = format_ or negotiated(client)
    return _put("trend", await trended(client, report, chosen), chosen)


async def trended(client: Client, reports: list[str], format_: str) -> str:
    """A trend."""
    return await _made(client, "trend", format_, await _selected(client, reports))


@router.get("/fleet", operation_id="fleet", responses={**_OUTPUTS, **problems(406, 415, 422)})
async def get_fleet(
    client: Caller, project: Project = None, format_: Format = None,
    last: Annotated[int, Query(ge=1, le=1000, description="Intervals per instance.")] = work.LAST,
    capacity_gb: Annotated[
        float | None, Query(gt=0, allow_inf_nan=False, description="Storage to distribute.")
    ] = None,
    recovery_s: Annotated[
        float | None, Query(gt=0, allow_inf_nan=False, description="Recovery time to keep.")
    ] = None,
) -> Response:  # fmt: skip
    """All databases of a project, or of all your projects, the worst first."""
    chosen = format_ or negotiated(client)
    text = await fleet_of(
        client, project, chosen, last, capacity_gb=capacity_gb, level_s=recovery_s
    )
    return _put("fleet", text, chosen)


async def fleet_of(
    client: Client,
    project: str | None,
    format_: str,
    last: int = work.LAST,
    **more: float | str | None,
) -> str:
    """The fleet of the stored reports that a client may read."""
    client.require("read", project)
    projects = [project] if project is not None else client.who.projects
    intervals, unreadable, last = await client.database.read(
        uploads.latest, projects, last, work.MOST_INTERVALS
    )
    return await _made(client, "fleet", format_, intervals, unreadable, {"last": last, **more})


Words = Annotated[list[Annotated[str, Field(max_length=100)]], Query(max_length=50)]


def _pieces(words: list[str]) -> tuple[str, ...]:
    pieces = tuple(piece.strip() for word in words for piece in word.split(",") if piece.strip())
    if words and not pieces:
        raise Problem(400, "A parameter names nothing.")
    return pieces


@router.post(
    "/check", operation_id="check", openapi_extra=ANY_BODY,
    responses={
        200: {"description": "Nothing fails"},
        422: {"description": "A finding fails, or the report cannot be judged completely"},
        **problems(408, 413, 415),
    },
)  # fmt: skip
async def post_check(
    client: Caller, fail_on: Words = [], select: Words = [], ignore: Words = [], output: Words = [],
    strict: bool = False, name: Annotated[str, Query(max_length=300)] = "report",  # noqa: FBT001, FBT002
    project: Project = None,
    against: Annotated[Literal["accepted"] | None, Query(description="The last one.")] = None,
    accept: Annotated[bool, Query(description="Keep it as accepted if it passes.")] = False,  # noqa: FBT002
    redact: Redact = True, x_redact_key: RedactKey = None,  # noqa: FBT002
) -> Document:  # fmt: skip
    """Check a report like `awrlens check`: 200 nothing fails, 422 a finding fails, 415 no report.

    The report is not stored, except with ``accept``, and then without its names.
    """
    service = client.service
    into = client.project(project)
    client.require("upload", into)
    client.check_api()
    # accepted runs of a project have the same pseudonyms, so that they can be compared
    own = bytes.fromhex(access.signed(service.secret, "accepted", into))
    key = _redact_key(redact, x_redact_key, own)
    async with service.room.reserved(client.request):
        data = await received(client)
        sent = Sent(data, work.shown_name(name), into, key, x_redact_key is not None)
        earlier = None
        notes: tuple[str, ...] = ()
        if against:
            this = sent.signature(service.secret)
            row = await client.database.read(uploads.last_accepted, into, this)
            if row is None:
                notes = (f"The project {into} has no accepted run; compared with nothing.",)
            else:
                earlier = await service.upload(row)
        upload = work.Upload(sent.name, data)
        budgets = await client.database.read(uploads.budgets, into)
        asked = gate.Asked(
            _with(service.settings.options, into, budgets),
            selection.Settings(
                _pieces(select), _pieces(ignore), fail_on=_pieces(fail_on), strict=strict
            ),
            against_name=f"the last accepted run of {into}",
        )  # fmt: skip
        judged: work.Judged = await service.call(
            "judge", upload, asked, _pieces(output), earlier, key
        )
        answer = judged.document | {"outputs": judged.outputs}
        answer["notes"] = [*answer["notes"], *notes, *judged.notes]
        unread = [problem["message"] for problem in answer["errors"]]
        if judged.status == EXIT_INTERNAL:
            raise Problem(500, "awrlens failed on this report.", check=answer)
        if not answer["reports"]:
            raise Problem(415, (unread or ["There is no report in it."])[0], check=answer)
        if judged.status != EXIT_OK:
            finding = judged.status == EXIT_FINDINGS
            reason = "A finding fails." if finding else "Not everything was judged."
            return Document(answer | {"title": reason, "status": 422}, 422)
        if accept and not await service.call("comparable", upload):
            answer["notes"].append(f"It is not the accepted run: {_LOGS}")
        elif accept:
            stored = await service.store(sent, client.who, client.address)
            await client.database.write(uploads.accept, stored.id)
            answer |= {"id": stored.id, "url": f"/r/{stored.id}", "delete_key": stored.delete_key,
                       "redacted": stored.redacted, "names": stored.names}  # fmt: skip
        return Document(answer)


_BUDGETS_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True, "description": "Budgets as `awrlens budget check` reads them.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}  # fmt: skip
Name = Annotated[str, Path(pattern=PROJECT, description="A project.")]


class Budgets(BaseModel):
    """The budgets of a project."""

    project: str
    budgets: list[list[str]] = Field(description="Id and text of each.")


def _with(options: Options, project: str, text: str) -> Options:
    return options._replace(budgets=(Written(f"budgets of {project}", text),)) if text else options


@router.get(
    "/projects/{project}/budgets",
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_budgets(client: Caller, project: Name) -> Response:
    """The budgets of a project, as they were set."""
    client.require("read", project)
    text = await client.database.read(uploads.budgets, project)
    return Response(text, media_type="text/plain; charset=utf-8")


@router.put(
    "/projects/{project}/budgets", openapi_extra=_BUDGETS_BODY,
    responses=problems(408, 413, 415, 422),
)  # fmt: skip
async def put_budgets(client: Caller, project: Name) -> Budgets:
    """Set the budgets of a project, for its administrator; an empty text removes them."""
    client.require("admin", project)
    client.check_api()
    settings = client.service.settings
    data = await intake.body(client.request, settings.limits._replace(upload_bytes=2**16))
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise Problem(400, "The budgets are not UTF-8 text.") from None
    budgets: list[list[str]] = []
    if text:
        options = _with(settings.options, project, text)
        budgets = [list(pair) for pair in await client.service.call("budgets", options)]
    await client.database.write(uploads.set_budgets, project, text)
    await client.record(project, "budgets", "")
    return Budgets(project=project, budgets=budgets)
