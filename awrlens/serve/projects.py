"""What a project has for itself: the budgets of its checks."""

from __future__ import annotations

import time
from functools import partial
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field
from starlette.responses import Response

from awrlens.config import Options, Written
from awrlens.serve import intake
from awrlens.serve.answers import problems
from awrlens.serve.client import PROJECT, Caller, Client
from awrlens.serve.database import Session
from awrlens.serve.problems import Problem
from awrlens.serve.service import Service

router = APIRouter(prefix="/api/projects")
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


@router.get(
    "/{project}/budgets", operation_id="get_budgets", responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **problems()},
)  # fmt: skip
async def get_budgets(client: Caller, project: Name) -> Response:
    """The budgets of a project, as they were set."""
    client.require("read", project)
    text = await client.service.database.read(partial(_budgets, project=project))
    return Response(text, media_type="text/plain; charset=utf-8")


@router.put(
    "/{project}/budgets", operation_id="put_budgets", response_model=Budgets,
    openapi_extra=_BODY, responses=problems(408, 413, 415, 422),
)  # fmt: skip
async def put_budgets(client: Caller, project: Name) -> Budgets:
    """Set the budgets of a project, for its administrator; an empty text removes them."""
    client.require("admin", project)
    client.check_api()
    service = client.service
    data = await intake.body(
        client.request, service.settings.limits._replace(upload_bytes=_MOST)
    )  # fmt: skip
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
