"""Users of an identity provider: OpenID Connect, authorization code with PKCE."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, build_opener

from awrlens.errors import UsageError, install
from awrlens.lazy import NamedTuple
from awrlens.serve.access import Who
from awrlens.serve.problems import Problem, busy
from awrlens.serve.remote import NoRedirect
from awrlens.serve.settings import DAY_S, is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.serve.settings import Oidc

T = TypeVar("T")

#: Signatures that only the provider can make; ``none`` and shared keys are refused.
ALGORITHMS: Final = (
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
    "Ed25519",
)  # fmt: skip
#: Seconds for which the provider's addresses and keys are remembered.
_FRESH_S: Final = 3600.0
#: Seconds between two attempts to find an unknown key.
_LOOK_S: Final = 10.0
#: Seconds without another attempt after one that failed.
_PAUSE_S: Final = 5.0
_SILENT: Final = "The identity provider does not answer."
#: Seconds by which clocks may differ.
_LEEWAY_S: Final = 60


class _Description(NamedTuple):
    about: Mapping[str, Any]
    keys: Mapping[str, Any]
    when: float


class Provider:
    """The identity provider of a server."""

    def __init__(self, settings: Oidc) -> None:
        try:
            import joserfc  # noqa: F401 - an extra
        except ImportError:
            raise UsageError(
                "An identity provider needs joserfc.", hint=install("web,oidc")
            ) from None
        if not _is_safe(settings.issuer):
            raise UsageError(
                "The identity provider must have an https address.",
                hint="For example --oidc-issuer https://login.example.com.",
            )
        self._settings = settings
        self._description: _Description | None = None
        self._failed = -_PAUSE_S
        self._lock = threading.Lock()
        # threads of its own: a provider that does not answer must not delay uploads
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="awrlens-oidc")

    async def address(self, back: str, state: str, nonce: str, verifier: str) -> str:
        """Where a browser logs in; it comes back to an address of this server."""
        about = (await self._call(self._about)).about
        digest = hashlib.sha256(verifier.encode()).digest()
        query = urlencode({
            "response_type": "code", "client_id": self._settings.client, "redirect_uri": back,
            "scope": self._settings.scope, "state": state, "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        })  # fmt: skip
        address = str(about["authorization_endpoint"])
        return f"{address}{'&' if urlsplit(address).query else '?'}{query}"

    async def user(self, code: str, back: str, nonce: str, verifier: str) -> Who:
        """The user of a code; Problem if the provider's answer is not valid or gives no rights."""
        return await self._call(partial(self._user, code, back, nonce, verifier))

    async def _call(self, function: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function)

    def close(self) -> None:
        """End its threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _user(self, code: str, back: str, nonce: str, verifier: str) -> Who:
        settings = self._settings
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back,
                "code_verifier": verifier}  # fmt: skip
        headers = {}
        if settings.secret:
            pair = f"{quote(settings.client, safe='')}:{quote(settings.secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            form["client_id"] = settings.client
        answer = _fetched(str(self._about().about["token_endpoint"]), form, headers)
        return self._of_token(str(answer.get("id_token") or ""), nonce)

    def _of_token(self, text: str, nonce: str) -> Who:
        """The user of an ID token that is signed by the provider, for us, now, for this log-in."""
        claims = self._verified(text)
        settings = self._settings
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        now = time.time()
        good = (
            claims.get("iss") == settings.issuer
            and settings.client in audiences
            and claims.get("azp", settings.client) == settings.client
            and (len(audiences) == 1 or "azp" in claims)
            and claims.get("nonce") == nonce
            and _moment(claims, "exp", 0) > now - _LEEWAY_S
            and _moment(claims, "iat", now + DAY_S) < now + _LEEWAY_S
            and _moment(claims, "nbf", 0) < now + _LEEWAY_S
            and isinstance(claims.get("sub"), str)
            and 0 < len(claims["sub"]) <= 255  # noqa: PLR2004 - OpenID Connect Core, section 2
        )
        if not good:
            raise _refused()
        rights = granted(claims, settings)
        if not rights:
            raise Problem(403, "Your account has no rights on this server.")
        return Who(f"oidc:{claims['sub']}", rights)

    def _verified(self, text: str) -> dict[str, Any]:
        """The claims of a token with a signature of the provider."""
        from joserfc import jwk, jwt
        from joserfc.errors import InvalidKeyIdError, JoseError

        for anew in (False, True):
            keys: Any = self._about(anew=anew).keys
            try:
                token = jwt.decode(text, jwk.KeySet.import_key_set(keys), list(ALGORITHMS))
            except InvalidKeyIdError:  # the provider has changed its keys
                continue
            except (JoseError, ValueError, TypeError):
                break
            return dict(token.claims)
        raise _refused()

    def _about(self, *, anew: bool = False) -> _Description:
        with self._lock:
            last, most_s = self._description, _LOOK_S if anew else _FRESH_S
            if last is not None and time.monotonic() - last.when < most_s:
                return last
            if time.monotonic() - self._failed < _PAUSE_S:
                raise busy(_SILENT)
            try:
                self._description = self._described()
            except Problem:
                self._failed = time.monotonic()
                raise
            return self._description

    def _described(self) -> _Description:
        issuer = self._settings.issuer
        about = _fetched(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        addresses = [about.get(f"{name}_endpoint") for name in ("authorization", "token")]
        addresses.append(about.get("jwks_uri"))
        if about.get("issuer") != issuer or not all(map(_is_safe, addresses)):
            raise busy("The identity provider describes itself in a wrong way.")
        return _Description(about, _fetched(str(addresses[-1])), time.monotonic())


def _moment(claims: Mapping[str, Any], name: str, absent: float) -> float:
    moment = claims.get(name, absent)
    return float(moment) if isinstance(moment, int | float) else absent


def granted(claims: Mapping[str, Any], settings: Oidc) -> tuple[tuple[str, frozenset[str]], ...]:
    """The scopes by project that the roles of a user give; dots of a claim's name are levels."""
    claim: Any = claims.get(settings.claim)
    if claim is None:
        claim = claims
        for name in settings.claim.split("."):
            claim = claim.get(name) if isinstance(claim, dict) else None
    roles = claim if isinstance(claim, list) else [claim]
    rights: dict[str, set[str]] = {}
    for role in settings.roles:
        if role.name in roles:
            rights.setdefault(role.project, set()).update(role.scopes)
    return tuple((project, frozenset(scopes)) for project, scopes in sorted(rights.items()))


def _refused() -> Problem:
    return Problem(403, "The identity provider's answer is not valid. Log in again.")


def _is_safe(address: object) -> bool:
    """Whether what is sent there cannot be read on the way."""
    if not isinstance(address, str):
        return False
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def _fetched(
    address: str, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    data = urlencode(form).encode() if form is not None else None
    request = Request(address, data, {"Accept": "application/json", **(headers or {})})  # noqa: S310 - of the operator
    try:
        with build_opener(NoRedirect).open(request, timeout=10.0) as answer:
            document = json.loads(answer.read(2**20))
    except HTTPError as problem:
        problem.close()
        if form is not None and problem.code < 500:  # noqa: PLR2004 - the code is not valid
            raise _refused() from None
        raise busy(_SILENT) from None
    except (URLError, OSError, ValueError):
        raise busy(_SILENT) from None
    if not isinstance(document, dict):
        raise busy("The identity provider describes itself in a wrong way.")
    return document
