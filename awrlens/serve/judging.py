"""The API for programs: comparison, trend, fleet, check."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from awrlens.errors import EXIT_FINDINGS, EXIT_INTERNAL, EXIT_OK
from awrlens.serve import api, fleet, uploads, work
from awrlens.serve.api import ANY_BODY, Format, Project, References, negotiated, problems, received
from awrlens.serve.client import Caller, Client
from awrlens.serve.database import Row
from awrlens.serve.problems import Document, Problem
from awrlens.serve.service import Sent

router = APIRouter(prefix="/api")


async def rows_of(client: Client, references: list[str]) -> list[tuple[Row, int | None]]:
    """The analyzed uploads of some references ``ID`` or ``ID:NUMBER``."""
    found = []
    for each in references:
        id_, _, number = each.partition(":")
        row = await client.upload(id_)
        if row["status"] != "done":
            raise Problem(409, "A selected report is not analyzed.")
        found.append((row, int(number) - 1 if number else None))
    return found


_OUTPUTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {work.MEDIA[each]: {} for each in ("json", "html", "md")}}
}


@router.get(
    "/compare", operation_id="compare", responses={**_OUTPUTS, **problems(406, 409, 415, 422)}
)
async def get_compare(
    client: Caller, before: References, after: References = [], format_: Format = None,
) -> Response:  # fmt: skip
    """What changed from some reports to others; ``ID`` or ``ID:NUMBER``."""
    text, media = await compared(client, before, after, format_ or negotiated(client))
    return put("comparison", text, media)


def put(name: str, text: str, media: str) -> Response:
    """A document; a page is one file to save."""
    page = media == work.MEDIA["html"]
    headers = {"Content-Disposition": f'attachment; filename="awrlens-{name}.html"'} if page else {}
    return Response(text, headers=headers, media_type=f"{media}; charset=utf-8")


async def compared(
    client: Client, before: list[str], after: list[str], format_: str
) -> tuple[str, str]:
    """A comparison and its media type."""
    service = client.service
    if format_ == "sarif":
        raise Problem(406, "A comparison is not available as SARIF.")
    rows = await rows_of(client, [*before, *after])
    both = await service.selected(rows)
    split = len(before)
    text = await service.call(
        "compare", both[:split], both[split:], service.settings.options, format_
    )
    return text, work.MEDIA[format_]


@router.get("/trend", operation_id="trend", responses={**_OUTPUTS, **problems(406, 409, 415, 422)})
async def get_trend(client: Caller, report: References, format_: Format = None) -> Response:
    """Reports in the order of time; ``ID`` or ``ID:NUMBER``."""
    text, media = await trended(client, report, format_ or negotiated(client))
    return put("trend", text, media)


async def trended(client: Client, reports: list[str], format_: str) -> tuple[str, str]:
    """A trend and its media type."""
    service = client.service
    if format_ == "sarif":
        raise Problem(406, "A trend is not available as SARIF.")
    found = await service.selected(await rows_of(client, reports))
    text = await service.call("trend", found, service.settings.options, format_)
    return text, work.MEDIA[format_]


@router.get("/fleet", operation_id="fleet", responses={**_OUTPUTS, **problems(406, 415, 422)})
async def get_fleet(
    client: Caller, project: Project = None, format_: Format = None,
    last: Annotated[int, Query(ge=1, le=1000, description="Intervals per instance.")] = fleet.LAST,
    capacity_gb: Annotated[
        float | None, Query(gt=0, allow_inf_nan=False, description="Storage to distribute.")
    ] = None,
    recovery_s: Annotated[
        float | None, Query(gt=0, allow_inf_nan=False, description="Recovery time to keep.")
    ] = None,
) -> Response:  # fmt: skip
    """All databases of a project, or of all your projects, the worst first."""
    asked = fleet.Asked((), (), last, capacity_gb, recovery_s)
    text, media = await fleet_of(client, project, asked, format_ or negotiated(client))
    return put("fleet", text, media)


async def fleet_of(
    client: Client, project: str | None, asked: fleet.Asked, format_: str
) -> tuple[str, str]:
    """The fleet of the stored reports that a client may read, and its media type."""
    client.require("read", project)
    service = client.service
    if format_ == "sarif":
        raise Problem(406, "A fleet is not available as SARIF.")
    projects = [project] if project is not None else client.who.projects
    found = await service.database.read(
        partial(uploads.latest, projects=projects, last=asked.last, most=fleet.MOST)
    )
    whole = asked._replace(intervals=found.intervals, unreadable=found.unreadable, last=found.last)
    text = await service.call("fleet", whole, service.settings.options, format_)
    return text, work.MEDIA[format_]


Words = Annotated[list[Annotated[str, Field(max_length=100)]], Query(max_length=50)]


def _pieces(words: list[str]) -> tuple[str, ...]:
    return tuple(piece.strip() for each in words for piece in each.split(",") if piece.strip())


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
) -> Document:  # fmt: skip
    """Check a report like `awrlens check`: 200 nothing fails, 422 a finding fails, 415 no report.

    The report is not stored, except with ``accept``.
    """
    service = client.service
    wanted = client.project(project)
    client.require("upload", wanted)
    client.check_api()
    async with service.room.reserved(client.request):
        data = await received(client)
        earlier: tuple[work.Upload, ...] = ()
        notes: tuple[str, ...] = ()
        if against:
            row = await service.database.read(partial(uploads.last_accepted, project=wanted))
            if row is None:
                notes = (f"The project {wanted} has no accepted run; compared with nothing.",)
            else:
                earlier = (await service.upload(row),)
        upload = work.Upload(work.shown_name(name), data)
        rules = work.Rules(
            _pieces(fail_on),
            _pieces(select),
            _pieces(ignore),
            strict,
            _pieces(output),
            earlier,
            f"the last accepted run of {wanted}",
        )
        judged = await service.check(upload, await api.options_of(service, wanted), rules)
        return await _answer(client, judged, upload, wanted, accept=accept, notes=notes)


async def _answer(
    client: Client, judged: work.Judged, upload: work.Upload, project: str, *, accept: bool,
    notes: tuple[str, ...],
) -> Document:  # fmt: skip
    found = judged.document | {"outputs": judged.outputs}
    found["notes"] = [*found["notes"], *notes, *judged.notes]
    unread = [each["message"] for each in found["errors"]]
    if judged.status == EXIT_INTERNAL:
        raise Problem(500, "awrlens failed on this report.", check=found)
    if not found["reports"]:
        raise Problem(415, unread[0] if unread else "There is no report in it.", check=found)
    if judged.status == EXIT_OK:
        if accept:
            stored = await client.service.store(
                Sent(upload.data, upload.name, project), client.who, client.address
            )
            await client.service.database.write(partial(uploads.accept, id_=stored.id))
            found |= {"id": stored.id, "url": f"/r/{stored.id}", "delete_key": stored.delete_key}
        return Document(found)
    reason = "A finding fails." if judged.status == EXIT_FINDINGS else "Not everything was judged."
    return Document(found | {"title": reason, "status": 422}, 422)
