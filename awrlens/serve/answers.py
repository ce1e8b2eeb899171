"""What the routes of the API share: parameters, documents, and how a body is received."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import Path, Query
from pydantic import BaseModel, Field

from awrlens.serve import intake, work
from awrlens.serve.client import ID, PROJECT, Client
from awrlens.serve.database import Row
from awrlens.serve.problems import MEDIA as PROBLEM
from awrlens.serve.problems import Problem

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
