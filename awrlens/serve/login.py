"""Log in with a token, or with an account of an identity provider; log out."""

from __future__ import annotations

import secrets
import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query
from starlette.responses import Response

from awrlens.serve import access, oidc, pages, site, uploads
from awrlens.serve.client import Caller, Client, cookie
from awrlens.serve.problems import Problem, missing
from awrlens.serve.service import SESSION

if TYPE_CHECKING:
    from awrlens.serve.access import Who

router = APIRouter(include_in_schema=False)
#: Cookie of a log-in that is under way, and its seconds.
_PENDING: Final = "awrlens_login"
_PENDING_S: Final = 600


@router.get("/login")
async def login_page(client: Caller) -> Response:
    """The page to log in with a token."""
    return pages.page(client, "login")


@router.post("/login")
async def login(client: Caller) -> Response:
    """Exchange a token for a session of this browser."""
    form = await site.form_of(client)
    service = client.service
    service.guesses.take(f"login {client.address}", 1, what="many logins")
    who = await service.database.read(partial(access.by_token, text=site.text_of(form, "token")))
    if who is None:
        return pages.page(client, "login", 403, wrong=True)
    key = await service.database.write(partial(access.log_in, who=who))
    response = site.to("/")
    attributes: dict[str, Any] = dict(cookie(service.settings.public_url))
    response.set_cookie(SESSION, key, max_age=int(access.SESSION_S), **attributes)
    return response


@router.post("/logout")
async def logout(client: Caller) -> Response:
    """End the session of this browser."""
    await site.form_of(client)
    key = client.request.cookies.get(SESSION, "")
    await client.service.database.write(partial(access.log_out, key=key))
    response = site.to("/login")
    response.delete_cookie(SESSION)
    return response


def _provider(client: Client) -> oidc.Provider:
    found = client.service.provider
    if found is None:
        raise missing()
    return found


class _Pending:
    """A log-in that is under way: its values come from the cookie of the browser that began it."""

    def __init__(self, secret: str, key: str) -> None:
        self.key = key
        self.state, self.nonce, self.verifier = (
            access.signed(secret, f"oidc-{name}", key) for name in ("state", "nonce", "verifier")
        )

    @property
    def is_fresh(self) -> bool:
        """Whether it began a short time ago."""
        began = self.key.partition(".")[2]
        return began.isdigit() and 0 <= time.time() - int(began) < _PENDING_S


def _back(client: Client) -> str:
    return f"{site.base(client)}/oidc/callback"


@router.get("/oidc/login")
async def begin(client: Caller) -> Response:
    """Send the browser to the identity provider."""
    provider = _provider(client)
    key = f"{secrets.token_urlsafe(24)}.{int(time.time())}"
    pending = _Pending(client.service.secret, key)
    response = site.to(
        await provider.address(_back(client), pending.state, pending.nonce, pending.verifier)
    )
    # the provider's page sends the browser back, so that it must come with requests of other sites
    attributes: dict[str, Any] = dict(cookie(client.service.settings.public_url))
    attributes |= {"samesite": "lax", "path": "/oidc", "max_age": _PENDING_S}
    response.set_cookie(_PENDING, key, **attributes)
    return response


_Text = Annotated[str, Query(max_length=4096)]


@router.get("/oidc/callback")
async def end(
    client: Caller, state: _Text = "", code: _Text = "", error: _Text = "", iss: _Text = ""
) -> Response:
    """The browser comes back from the identity provider."""
    provider, service = _provider(client), client.service
    pending = _Pending(service.secret, client.request.cookies.get(_PENDING, ""))
    if not pending.is_fresh or not secrets.compare_digest(pending.state.encode(), state.encode()):
        client.guess()
        raise Problem(403, "The log-in was not begun in this browser, or too long ago.")
    if error or not code:
        raise Problem(403, "The identity provider did not let you in.")
    if iss and service.settings.oidc is not None and iss != service.settings.oidc.issuer:
        raise Problem(403, "The answer is of another identity provider.")
    who = await provider.user(code, _back(client), pending.nonce, pending.verifier)
    return await _begun(client, who)


async def _begun(client: Client, who: Who) -> Response:
    service = client.service

    def store(session: Any) -> str:  # noqa: ANN401
        uploads.record(session, who.id, client.address, "", "login", "")
        return access.log_in_user(session, who)

    key = await service.database.write(store)
    # a page of ours, not a redirection: the cookie is only for requests that our pages make
    response = pages.page(client, "welcome")
    attributes: dict[str, Any] = dict(cookie(service.settings.public_url))
    response.set_cookie(SESSION, key, max_age=int(access.SESSION_S), **attributes)
    response.delete_cookie(_PENDING, path="/oidc")
    return response
