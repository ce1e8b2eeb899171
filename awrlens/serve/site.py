"""The pages for a browser."""

from __future__ import annotations

import re
import secrets
import time
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Query
from starlette.formparsers import FormParser, MultiPartException, MultiPartParser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from awrlens.serve import access, api, intake, oidc, pages, uploads, work
from awrlens.serve.access import SESSION_S
from awrlens.serve.client import Caller, Client, unlocked
from awrlens.serve.problems import Problem, missing
from awrlens.serve.service import SESSION, Sent
from awrlens.serve.settings import MB, PROJECT

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.datastructures import FormData

    from awrlens.serve.database import Row, Session


router = APIRouter(include_in_schema=False)
Id = api.Id
_ON_A_PAGE: Final = 100


def _logged_in(client: Client) -> bool:
    return client.who is not access.NOBODY


def base(client: Client) -> str:
    """The address of the site."""
    return client.service.settings.public_url or str(client.request.base_url).rstrip("/")


async def form_of(client: Client, most: int = 2**14) -> FormData:
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
            form = await parser.parse()
        except (MultiPartException, KeyError, ValueError):
            raise Problem(400, "The form cannot be read.") from None
    else:
        form = await FormParser(request.headers, pieces()).parse()
    client.check_form(text_of(form, "csrf_token"))
    return form


def text_of(form: FormData, name: str) -> str:
    """A field of a form."""
    value = form.get(name)
    return value if isinstance(value, str) else ""


def _to(address: str) -> RedirectResponse:
    return RedirectResponse(address, 303)


@router.get("/")
async def home(client: Caller) -> Response:
    """The page to upload reports."""
    if not _logged_in(client):
        return _to("/login")
    settings = client.service.settings
    return pages.page(
        client, "home", project=client.project(None), days=settings.retention_days,
        address=base(client), most_mb=settings.limits.upload_bytes // MB,
        any_project=client.who.own is None,
    )  # fmt: skip


@router.post("/upload")
async def upload(client: Caller) -> Response:
    """The form of the page without scripts."""
    limits = client.service.settings.limits
    async with client.service.room.reserved(client.request):
        form = await form_of(client, limits.upload_bytes)
        project = client.project(text_of(form, "project") or None)
        if not re.fullmatch(PROJECT, project):
            raise Problem(400, "The name of the project has other signs than letters and digits.")
        client.require("upload", project)
        given = [
            (file.filename, await file.read())
            for file in form.getlist("file")
            if not isinstance(file, str) and file.filename
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
            said = text_of(form, "password")
            one = Sent(data, work.shown_name(name), project, key, password=said)
            sent.append(await client.service.store(one, client.who, client.address))
    return pages.page(client, "sent", 201, sent=sent)


@router.get("/reports")
async def history(
    client: Caller, q: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[float | None, Query(allow_inf_nan=False)] = None,
) -> Response:  # fmt: skip
    """All reports, newest first."""
    if not _logged_in(client):
        return _to("/login")
    client.require("read")
    rows = await client.database.read(uploads.history, client.who.projects, q, _ON_A_PAGE, before)
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
    row, locked = await _opened(client, id)
    if locked is not None:
        return locked
    if row["status"] in ("waiting", "running"):
        return pages.page(client, "waiting", 202, row=row)
    if row["status"] == "failed":
        return pages.page(client, "failed", row=row)
    text = await client.service.show(row, "html", None if number is None else number - 1)
    links = [
        (f"/r/{id}/manage", "Share, delete"), (f"/r/{id}.html", "Save as one file"),
        (f"/api/reports/{id}.md", "Markdown"),
        (f"/api/reports/{id}.json", "JSON"), (f"/api/reports/{id}.sarif", "SARIF"),
    ]  # fmt: skip
    return pages.analysis(
        text,
        pages.bar(links, site=True) if _logged_in(client) else pages.bar(links[1:], site=False),
    )


async def _opened(client: Client, id_: str) -> tuple[Row, Response | None]:
    """An upload, and the page that asks for its password."""
    row = await client.upload(id_, open_=False)
    try:
        await client.unlock(row)
    except Problem as problem:
        if problem.more.get("locked"):
            return row, pages.page(client, "password", 403, row=row)
        raise
    return row, None


@router.post("/r/{id}")
async def unlock(client: Caller, id: Id) -> Response:
    """The password of an upload."""
    row = await client.upload(id, open_=False)
    form = await form_of(client)
    if not row["password"] or not await client.is_password(row, text_of(form, "password")):
        return pages.page(client, "password", 403, row=row, wrong=True)
    response = _to(f"/r/{id}")
    client.set_cookie(response, unlocked(id), client.opening(row))
    return response


@router.get("/r/{id}/manage")
async def manage(client: Caller, id: Id) -> Response:
    """The state of an upload: share it, delete it, accept it."""
    row, locked = await _opened(client, id)
    if locked is not None:
        return locked
    parts = await client.database.read(uploads.parts, id)
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
    response = _to(f"/r/{id}/manage")
    if password:  # whoever sets the password does not need to give it
        row = await client.upload(id, open_=False)
        client.set_cookie(response, unlocked(id), client.opening(row))
    return response


@router.post("/r/{id}/accept")
async def accept(client: Caller, id: Id) -> Response:
    """Make an upload the baseline of its project."""
    await form_of(client)
    await api.accept_report(client, id)
    return _to(f"/r/{id}/manage")


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
    return pages.page(client, "kept", settings=settings, hours=SESSION_S / 3600)


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Scripts and styles."""
    asset = pages.asset(name)
    if asset is None:
        raise missing()
    return Response(asset[0], media_type=asset[1], headers={"Cache-Control": "max-age=300"})


@router.get("/robots.txt")
async def robots() -> PlainTextResponse:
    """Nothing here is for search engines."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


_Selected = Annotated[list[str], Query(max_length=200)]


@router.get("/compare")
async def compare(client: Caller, report: _Selected = []) -> Response:
    """The comparison of two selected reports; the one that begins earlier is the first."""
    references = _references(report)
    if len(references) not in (1, 2):
        raise Problem(400, "Select two reports to compare.")
    begins = {reference: await _begin(client, reference) for reference in references}
    ordered = sorted(references, key=begins.__getitem__)
    text = await api.compared(client, ordered[:1], ordered[1:], "html")
    sides = zip(("before", "after"), ordered, strict=False)
    query = "&".join(f"{side}={reference}" for side, reference in sides)
    return _page(text, f"/api/compare?{query}&")


@router.get("/trend")
async def trend(client: Caller, report: _Selected = []) -> Response:
    """Selected reports in the order of time."""
    references = _references(report)
    if not references:
        raise Problem(400, "Select the reports of the trend.")
    text = await api.trended(client, references, "html")
    query = "&".join(f"report={reference}" for reference in references)
    return _page(text, f"/api/trend?{query}&")


def _page(text: str, address: str) -> Response:
    links = [
        (f"{address}format=html", "Save as one file"),
        (f"{address}format=md", "Markdown"), (f"{address}format=json", "JSON"),
    ]  # fmt: skip
    return pages.analysis(text, pages.bar(links))


def _references(selected: list[str]) -> list[str]:
    if not all(re.fullmatch(api.REFERENCE, reference) for reference in selected):
        raise missing()
    return list(dict.fromkeys(selected))


async def _begin(client: Client, reference: str) -> str:
    id_, _, number = reference.partition(":")
    await client.upload(id_)
    parts = await client.database.read(uploads.parts, id_)
    at = int(number or 1) - 1
    return str(parts[at]["begin_time"]) if at < len(parts) else ""


@router.get("/fleet")
async def fleet_page(client: Caller, project: api.Project = None) -> Response:
    """All databases of the stored reports, the worst first."""
    if not _logged_in(client):
        return _to("/login")
    text = await api.fleet_of(client, project, "html", search="/reports?q=")
    return _page(text, f"/api/fleet?project={project}&" if project else "/api/fleet?")


@router.get("/login")
async def login_page(client: Caller) -> Response:
    """The page to log in with a token."""
    return pages.page(client, "login")


@router.post("/login")
async def login(client: Caller) -> Response:
    """Exchange a token for a session of this browser."""
    form = await form_of(client)
    client.service.guesses.take(f"login {client.address}", 1, what="many logins")
    who = await client.database.read(access.by_token, text_of(form, "token"))
    if who is None:
        return pages.page(client, "login", 403, wrong=True)
    key = await client.database.write(access.log_in, who)
    response = _to("/")
    client.set_cookie(response, SESSION, key, max_age=int(SESSION_S))
    return response


@router.post("/logout")
async def logout(client: Caller) -> Response:
    """End the session of this browser."""
    await form_of(client)
    await client.database.write(access.log_out, client.request.cookies.get(SESSION, ""))
    response = _to("/login")
    response.delete_cookie(SESSION)
    return response


#: Cookie of a log-in with an identity provider that is under way, and its seconds.
_PENDING: Final = "awrlens_login"
_PENDING_S: Final = 600


def _provider(client: Client) -> oidc.Provider:
    if client.service.provider is None:
        raise missing()
    return client.service.provider


def _pending(client: Client, key: str) -> tuple[str, str, str]:
    """State, nonce and verifier of a log-in, by the cookie of the browser that began it."""
    secret = client.service.secret
    state, nonce, verifier = (
        access.signed(secret, f"oidc-{name}", key) for name in ("state", "nonce", "verifier")
    )
    return state, nonce, verifier


@router.get("/oidc/login")
async def oidc_begin(client: Caller) -> Response:
    """Send the browser to the identity provider."""
    provider = _provider(client)
    key = f"{secrets.token_urlsafe(24)}.{int(time.time())}"
    back = f"{base(client)}/oidc/callback"
    response = _to(await provider.address(back, *_pending(client, key)))
    # the provider's page sends the browser back, so that it must come with requests of other sites
    client.set_cookie(response, _PENDING, key, samesite="lax", path="/oidc", max_age=_PENDING_S)
    return response


_Text = Annotated[str, Query(max_length=4096)]


@router.get("/oidc/callback")
async def oidc_end(
    client: Caller, state: _Text = "", code: _Text = "", error: _Text = "", iss: _Text = ""
) -> Response:
    """The browser comes back from the identity provider."""
    provider, service = _provider(client), client.service
    key = client.request.cookies.get(_PENDING, "")
    expected, nonce, verifier = _pending(client, key)
    began = key.partition(".")[2]
    fresh = began.isdigit() and 0 <= time.time() - int(began) < _PENDING_S
    if not fresh or not secrets.compare_digest(expected.encode(), state.encode()):
        client.guess()
        raise Problem(403, "The log-in was not begun in this browser, or too long ago.")
    if error or not code:
        raise Problem(403, "The identity provider did not let you in.")
    if iss and service.settings.oidc is not None and iss != service.settings.oidc.issuer:
        raise Problem(403, "The answer is of another identity provider.")
    who = await provider.user(code, f"{base(client)}/oidc/callback", nonce, verifier)

    def begin_session(session: Session) -> str:
        uploads.record(session, who.id, client.address, "", "login", "")
        return access.log_in(session, who, user=True)

    session_key = await client.database.write(begin_session)
    # a page of ours, not a redirection: the cookie is only for requests that our pages make
    response = pages.page(client, "welcome")
    client.set_cookie(response, SESSION, session_key, max_age=int(SESSION_S))
    response.delete_cookie(_PENDING, path="/oidc")
    return response
