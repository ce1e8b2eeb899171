"""The pages for a browser: upload, history, analysis, comparison, deletion."""

from __future__ import annotations

import secrets
from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from awrlens.serve import access, api, intake, pages, retention, uploads, work
from awrlens.serve.client import ID, PROJECT, Caller, Client, cookie, unlocked
from awrlens.serve.problems import Problem, missing
from awrlens.serve.service import Sent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.datastructures import FormData

    from awrlens.serve.database import Row

router = APIRouter(include_in_schema=False)
Id = Annotated[str, Path(pattern=ID)]
#: Reports on one page of the history.
_ON_A_PAGE = 100
_FORM_BYTES = 2**14


def _logged_in(client: Client) -> bool:
    return client.who is not access.NOBODY


def base(client: Client) -> str:
    """The address of the site."""
    return client.service.settings.public_url or str(client.request.base_url).rstrip("/")


async def form_of(client: Client, most: int = _FORM_BYTES) -> FormData:
    """The fields of a form of this browser; nothing is written to a disk."""
    request = client.request
    data = await intake.body(request, client.service.settings.limits._replace(upload_bytes=most))

    async def pieces() -> AsyncGenerator[bytes, None]:
        yield data
        yield b""

    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        parser = MultiPartParser(request.headers, pieces(), max_files=100, max_fields=20,
                                 max_part_size=most)  # fmt: skip
        parser.spool_max_size = most
        try:
            found = await parser.parse()
        except (MultiPartException, KeyError, ValueError):
            raise Problem(400, "The form cannot be read.") from None
    else:
        from starlette.formparsers import FormParser  # noqa: PLC0415

        found = await FormParser(request.headers, pieces()).parse()
    client.check_form(text_of(found, "csrf_token"))
    return found


def text_of(form: FormData, name: str) -> str:
    """A field of a form."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


def to(address: str) -> RedirectResponse:
    """Another page."""
    return RedirectResponse(address, 303)


@router.get("/")
async def home(client: Caller) -> Response:
    """The page to upload reports."""
    if not _logged_in(client):
        return to("/login")
    settings = client.service.settings
    return pages.page(
        client, "home", project=client.project(None), days=settings.retention_days,
        address=base(client),
        most_mb=settings.limits.upload_bytes // 2**20, any_project=client.who.own is None,
    )  # fmt: skip


@router.post("/upload")
async def upload(client: Caller) -> Response:
    """The form of the page without scripts."""
    limits = client.service.settings.limits
    async with client.service.room.reserved(client.request):
        form = await form_of(client, limits.upload_bytes)
        project = client.project(text_of(form, "project") or None)
        if not _is_project(project):
            raise Problem(400, "The name of the project has other signs than letters and digits.")
        client.require("upload", project)
        given = [
            (each.filename or "report", await each.read())
            for each in form.getlist("file")
            if not isinstance(each, str) and each.filename
        ]
        if text := text_of(form, "text"):
            given.append(("pasted.txt", text.encode()))
        if not given:
            raise Problem(400, "Select a report, or paste its text.")
        key = secrets.token_bytes(32) if text_of(form, "redact") else None
        sent = []
        for name, data in given:
            client.service.bytes.take(client.key, len(data), what="many bytes")
            intake.check(data, "")
            one = Sent(data, work.shown_name(name), project, key, None, text_of(form, "password"))
            sent.append(await client.service.store(one, client.who, client.address))
    return pages.page(client, "sent", 201, sent=sent)


def _is_project(name: str) -> bool:
    import re  # noqa: PLC0415

    return re.fullmatch(PROJECT, name) is not None


@router.get("/reports")
async def history(
    client: Caller, q: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[float | None, Query(allow_inf_nan=False)] = None,
) -> Response:  # fmt: skip
    """All reports, newest first."""
    if not _logged_in(client):
        return to("/login")
    client.require("read")
    rows = await client.service.database.read(
        partial(
            uploads.history, projects=client.who.projects, search=q, most=_ON_A_PAGE, before=before
        )
    )
    several = len({row["project"] for row in rows}) > 1
    full = len({row["id"] for row in rows}) == _ON_A_PAGE
    last = rows[-1]["created"] if full else None
    return pages.page(client, "reports", rows=rows, q=q, several=several, last=last)


@router.get("/r/{id}.html")
async def offline(client: Caller, id: Id) -> Response:
    """The analysis as one file."""
    row = await client.upload(id)
    return await api.result(client, row, "html", None)


@router.get("/r/{id}")
async def report(
    client: Caller, id: Id, number: Annotated[int | None, Query(alias="report", ge=1)] = None
) -> Response:
    """The analysis of an upload."""
    row = await client.upload(id, open_=False)
    if not await _is_open(client, row):
        return pages.page(client, "password", 403, row=row)
    if row["status"] in ("waiting", "running"):
        return pages.page(client, "waiting", 202, row=row)
    if row["status"] == "failed":
        return pages.page(client, "failed", row=row)
    text = await client.service.show(row, "html", None if number is None else number - 1)
    links = [
        ("/", "Upload"), ("/reports", "All reports"), (f"/r/{id}/manage", "Share, delete"),
        (f"/r/{id}.html", "Save as one file"), (f"/api/reports/{id}.md", "Markdown"),
        (f"/api/reports/{id}.json", "JSON"), (f"/api/reports/{id}.sarif", "SARIF"),
    ]  # fmt: skip
    return pages.analysis(text, pages.bar(links if _logged_in(client) else links[3:]))


async def _is_open(client: Client, row: Row) -> bool:
    try:
        await client.unlock(row)
    except Problem as problem:
        if problem.more.get("locked"):
            return False
        raise
    return True


@router.post("/r/{id}")
async def unlock(client: Caller, id: Id) -> Response:
    """The password of an upload."""
    row = await client.upload(id, open_=False)
    form = await form_of(client)
    if not row["password"] or not await client.is_password(row, text_of(form, "password")):
        return pages.page(client, "password", 403, row=row, wrong=True)
    response = to(f"/r/{id}")
    settings = client.service.settings
    response.set_cookie(unlocked(id), client.opening(row), **cookie(settings.public_url))
    return response


@router.get("/r/{id}/manage")
async def manage(client: Caller, id: Id) -> Response:
    """The state of an upload: share it, delete it, accept it."""
    row = await client.upload(id, open_=False)
    if not await _is_open(client, row):
        return pages.page(client, "password", 403, row=row)
    parts = await client.service.database.read(partial(uploads.parts, id_=id))
    mine = client.who.may("upload", row["project"])
    return pages.page(
        client, "manage", row=row, parts=parts, mine=mine, address=f"{base(client)}/r/{id}",
        open_to_all=client.who is access.LOCAL, keyless=client.may_delete(row, ""),
    )  # fmt: skip


@router.post("/r/{id}/share")
async def share(client: Caller, id: Id) -> Response:
    """Change who may read an upload."""
    form = await form_of(client)
    row = await client.upload(id)
    password: str | None = text_of(form, "password")[:200]
    if not password and not text_of(form, "no_password"):
        password = None
    sharing = api.Sharing(shared=bool(text_of(form, "shared")), password=password)
    await api.shared(client, row, sharing)
    response = to(f"/r/{id}/manage")
    if password:  # whoever sets the password does not need to give it
        row = await client.upload(id, open_=False)
        attributes = cookie(client.service.settings.public_url)
        response.set_cookie(unlocked(id), client.opening(row), **attributes)
    return response


@router.post("/r/{id}/accept")
async def accept(client: Caller, id: Id) -> Response:
    """Make an upload the baseline of its project."""
    await form_of(client)
    await api.accept_report(client, id)
    return to(f"/r/{id}/manage")


@router.post("/r/{id}/delete")
async def delete(client: Caller, id: Id) -> Response:
    """Delete an upload."""
    form = await form_of(client)
    await api.deleted(client, id, text_of(form, "key").strip())
    return pages.page(client, "deleted")


@router.get("/kept")
async def what_is_kept(client: Caller) -> Response:
    """What this server keeps, and for how long."""
    settings = client.service.settings
    return pages.page(
        client, "kept", kept=retention.of(settings), not_kept=retention.not_kept(),
        limits=retention.limits(settings),
    )  # fmt: skip


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Scripts and styles."""
    found = pages.asset(name)
    if found is None:
        raise missing()
    return Response(found[0], media_type=found[1], headers={"Cache-Control": "max-age=300"})


@router.get("/robots.txt")
async def robots() -> PlainTextResponse:
    """Nothing here is for search engines."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")
