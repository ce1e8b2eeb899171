"""Pages of several reports: comparison, trend, fleet."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import RedirectResponse, Response

from awrlens.serve import access, answers, fleet, judging, pages, uploads
from awrlens.serve.client import Caller, Client
from awrlens.serve.problems import Problem, missing

router = APIRouter(include_in_schema=False)
_Selected = Annotated[list[str], Query(max_length=200)]


@router.get("/compare")
async def compare(client: Caller, report: _Selected = []) -> Response:
    """The comparison of two selected reports; the one that begins earlier is the first."""
    references = _references(report)
    if len(references) not in (1, 2):
        raise Problem(400, "Select two reports to compare.")
    begins = {each: await _begin(client, each) for each in references}
    ordered = sorted(references, key=begins.__getitem__)
    text, _ = await judging.compared(client, ordered[:1], ordered[1:], "html")
    query = "&".join(
        f"{side}={each}" for side, each in zip(("before", "after"), ordered, strict=False)
    )
    return _page(text, f"/api/compare?{query}&")


@router.get("/trend")
async def trend(client: Caller, report: _Selected = []) -> Response:
    """Selected reports in the order of time."""
    references = _references(report)
    if not references:
        raise Problem(400, "Select the reports of the trend.")
    text, _ = await judging.trended(client, references, "html")
    query = "&".join(f"report={each}" for each in references)
    return _page(text, f"/api/trend?{query}&")


def _page(text: str, address: str) -> Response:
    """A page with links; its other formats have an address of the API."""
    links = [
        ("/", "Upload"), ("/reports", "All reports"), (f"{address}format=html", "Save as one file"),
        (f"{address}format=md", "Markdown"), (f"{address}format=json", "JSON"),
    ]  # fmt: skip
    return pages.analysis(text, pages.bar(links))


def _references(selected: list[str]) -> list[str]:
    if not all(re.fullmatch(answers.REFERENCE, each) for each in selected):
        raise missing()
    return list(dict.fromkeys(selected))


async def _begin(client: Client, reference: str) -> str:
    id_, _, number = reference.partition(":")
    await client.upload(id_)
    parts = await client.service.database.read(partial(uploads.parts, id_=id_))
    at = int(number or 1) - 1
    return str(parts[at]["begin_time"]) if at < len(parts) else ""


@router.get("/fleet")
async def fleet_page(client: Caller, project: answers.Project = None) -> Response:
    """All databases of the stored reports, the worst first."""
    if client.who is access.NOBODY:
        return RedirectResponse("/login", 303)
    text, _ = await judging.fleet_of(client, project, fleet.Asked((), ()), "html")
    return _page(text, f"/api/fleet?project={project}&" if project else "/api/fleet?")
