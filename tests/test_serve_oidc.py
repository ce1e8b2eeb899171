"""`awrlens serve` with an identity provider: who logs in, with which rights, and who does not."""

from __future__ import annotations

import asyncio
import base64
import hmac
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import browser
import httpx
import pytest
from serving import PATIENCE, TEXT, Server, serving, token

joserfc = pytest.importorskip("joserfc")
from identity import CLIENT, SECRET, Provider, providing  # noqa: E402 - needs the extra
from joserfc import jwk, jwt  # noqa: E402

from awrlens.errors import UsageError  # noqa: E402
from awrlens.serve import oidc  # noqa: E402
from awrlens.serve.command import _role  # noqa: E402
from awrlens.serve.oidc import ALGORITHMS, granted  # noqa: E402
from awrlens.serve.problems import Problem  # noqa: E402
from awrlens.serve.settings import Oidc, Role  # noqa: E402

pytestmark = pytest.mark.outside


class Site:
    """A server and its identity provider."""

    def __init__(self, server: Server, provider: Provider) -> None:
        self.server = server
        self.provider = provider

    def browser(self) -> httpx.Client:
        return httpx.Client(base_url=self.server.url, timeout=PATIENCE)

    def log_in(self, user: httpx.Client, **claims: Any) -> httpx.Response:
        """What the server answers when the browser comes back."""
        self.provider.claims = claims
        there = user.get("/oidc/login").headers["location"]
        back = httpx.get(there).headers["location"]
        return user.get(back)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("serve") / "data"
    with providing() as provider:
        options = (
            "--workers", "1", "--oidc-issuer", provider.url, "--oidc-client", CLIENT,
            "--oidc-claim", "realm.roles", "--oidc-role", "dba=admin@*",
            "--oidc-role", "shop-dev=read,upload@shop", "--oidc-role", "auditor=read@pay",
        )  # fmt: skip
        with serving(data, *options, env={"AWRLENS_OIDC_SECRET": SECRET}) as server:
            yield Site(server, provider)


@pytest.fixture
def site(running: Site) -> Iterator[Site]:
    yield running
    provider = running.provider
    provider.claims, provider.error = {}, ""


def roles(*names: str) -> dict[str, Any]:
    return {"realm": {"roles": list(names)}}


def form_token(page: httpx.Response) -> str:
    return page.text.partition('name="form-token" content="')[2].partition('"')[0]


def test_a_user_logs_in_and_uploads_to_the_project_of_the_role(site: Site) -> None:
    with site.browser() as user:
        assert "/oidc/login" in user.get("/login").text
        welcome = site.log_in(user, **roles("shop-dev", "unknown"))
        home = user.get("/")
        sent = user.post(
            "/api/reports", content=TEXT.read_bytes(), headers={"x-csrf-token": form_token(home)}
        )
        other = user.post(
            "/api/reports", params={"project": "pay"}, content=TEXT.read_bytes(),
            headers={"x-csrf-token": form_token(home)},
        )  # fmt: skip

        assert (200, 200, 201, 403) == (
            welcome.status_code, home.status_code, sent.status_code, other.status_code
        )  # fmt: skip
        status = user.get(f"/api/reports/{sent.json()['id']}/status").json()
        assert "shop" == status["project"]
        assert 403 == user.get("/api/audit").status_code


def test_the_session_is_for_our_pages_only_and_a_forged_request_is_refused(site: Site) -> None:
    with site.browser() as user:
        welcome = site.log_in(user, **roles("dba"))
        cookies = welcome.headers.get_list("set-cookie")
        session = next(each for each in cookies if each.startswith("awrlens_session="))
        forged = user.post("/api/reports", content=TEXT.read_bytes())
        audit = user.get("/api/audit").json()["entries"]

        assert "HttpOnly" in session
        assert "SameSite=strict" in session
        assert 403 == forged.status_code
        assert ("login", "oidc:user-1") in [(each["action"], each["actor"]) for each in audit]
        good = form_token(user.get("/"))
        user.post("/logout", data={"csrf_token": good})
        assert 401 == user.get("/api/reports").status_code


def test_cookies_are_sent_over_https_only_if_the_site_has_it(tmp_path: Path) -> None:
    with providing() as provider:
        options = (
            "--workers", "1", "--oidc-issuer", provider.url, "--oidc-client", CLIENT,
            "--oidc-role", "dba=admin@*", "--public-url", "https://awr.example.com",
        )  # fmt: skip
        env = {"AWRLENS_OIDC_SECRET": SECRET}
        with serving(tmp_path / "data", *options, env=env) as server:
            answer = server.client.get("/oidc/login")
        asked = parse_qs(urlsplit(answer.headers["location"]).query)

    assert "Secure" in answer.headers["set-cookie"]
    assert ["https://awr.example.com/oidc/callback"] == asked["redirect_uri"]


def test_rights_of_several_roles_stay_with_their_projects(site: Site) -> None:
    with site.browser() as user:
        site.log_in(user, **roles("shop-dev", "auditor"))
        good = {"x-csrf-token": form_token(user.get("/"))}
        tries = {
            project: user.post(
                "/api/reports", params={"project": project}, content=TEXT.read_bytes(), headers=good
            ).status_code
            for project in ("shop", "pay", "other")
        }
        lists = {
            project: user.get("/api/reports", params={"project": project}).status_code
            for project in ("shop", "pay", "other")
        }

    assert {"shop": 201, "pay": 403, "other": 403} == tries
    assert {"shop": 200, "pay": 200, "other": 403} == lists


def test_a_user_without_a_role_has_no_session(site: Site) -> None:
    for claims in (roles("unknown"), {}, {"realm": "dba"}, {"realm": {"roles": None}}):
        with site.browser() as user:
            answer = site.log_in(user, **claims)

            assert 403 == answer.status_code
            assert "awrlens_session" not in user.cookies


#: When the tests are collected; those that run may come an hour later.
NOW, YEAR_S = int(time.time()), 365 * 86_400


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "another-client"},
        {"aud": [CLIENT, "another-client"]},
        {"aud": [CLIENT, "another-client"], "azp": "another-client"},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"nonce": "0" * 64},
        {"nonce": None},
        {"exp": NOW - 3600},
        {"exp": None},
        {"exp": "tomorrow"},
        {"iat": NOW + YEAR_S},
        {"nbf": NOW + YEAR_S},
        {"sub": None},
        {"sub": ""},
    ],
    ids=" ".join,  # the names alone: the moment is another one in every process that runs tests
)
def test_a_token_that_is_not_for_this_log_in_is_refused(site: Site, claims: dict[str, Any]) -> None:
    with site.browser() as user:
        answer = site.log_in(user, **roles("dba"), **claims)

        assert 403 == answer.status_code
        assert "awrlens_session" not in user.cookies


def encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def test_a_token_that_the_provider_did_not_sign_is_refused() -> None:
    with providing() as provider:
        known = Oidc(provider.url, CLIENT, SECRET, (Role("dba", ("admin",), "*"),), "realm.roles")
        found = oidc.Provider(known)
        claims = {"iss": provider.url, "aud": CLIENT, "sub": "u", "iat": NOW, "exp": NOW + YEAR_S,
                  "nonce": "n", **roles("dba")}  # fmt: skip
        good = jwt.encode({"alg": "RS256", "kid": "first"}, claims, provider.key)
        other = jwk.RSAKey.generate_key(2048, {"kid": "first"})
        unsigned = f"{encoded({'alg': 'none'})}.{encoded(claims)}."
        # the public key as a shared key, which a library might take by the header of the token
        shared = f"{encoded({'alg': 'HS256', 'kid': 'first'})}.{encoded(claims)}"
        public = provider.key.as_pem(private=False)
        made = base64.urlsafe_b64encode(hmac.digest(public, shared.encode(), "sha256")).decode()
        wrong = [
            unsigned, f"{unsigned}AAAA", "", "x.y.z", good[:-8], good + "A",
            f"{shared}.{made.rstrip('=')}",
            jwt.encode({"alg": "RS256", "kid": "first"}, claims, other),
            ".".join((good.split(".")[0], encoded({**claims, "sub": "root"}), good.split(".")[2])),
        ]  # fmt: skip

        assert "oidc:u" == found._of_token(good, "n").id
        for text in wrong:
            with pytest.raises(Problem) as problem:
                found._of_token(text, "n")
            assert 403 == problem.value.status
    assert not {"none", "HS256", "HS384", "HS512"} & set(ALGORITHMS)


def test_a_log_in_that_another_browser_began_is_refused(site: Site) -> None:
    site.provider.claims = roles("dba")
    with site.browser() as one, site.browser() as other:
        there = one.get("/oidc/login").headers["location"]
        back = httpx.get(there).headers["location"]
        stolen = other.get(back)
        other.get("/oidc/login")
        mixed = other.get(back)
        good = one.get(back)
        again = one.get(back)

    assert (403, 403, 200, 403) == (
        stolen.status_code, mixed.status_code, good.status_code, again.status_code
    )  # fmt: skip


def test_a_refusal_of_the_provider_and_a_wrong_code_are_one_sentence(site: Site) -> None:
    with site.browser() as user:
        there = user.get("/oidc/login").headers["location"]
        state = parse_qs(urlsplit(there).query)["state"][0]
        code = user.get("/oidc/callback", params={"code": "guess", "state": state})
        other = user.get(
            "/oidc/callback", params={"code": "x", "state": state, "iss": "https://evil.example"}
        )
        site.provider.error = "access_denied"
        denied = site.log_in(user)

    assert [403] * 3 == [each.status_code for each in (code, other, denied)]
    assert "did not let you in" in denied.json()["detail"]


def test_tokens_are_good_beside_users(site: Site) -> None:
    text = token(site.server.data, "--project", "ci")
    answer = httpx.get(
        f"{site.server.url}/api/reports", headers={"authorization": f"Bearer {text}"}
    )

    assert 200 == answer.status_code
    assert 401 == httpx.get(f"{site.server.url}/api/reports").status_code


def user_of(found: oidc.Provider) -> str:
    """Who comes back, without a server between."""
    ours = "http://127.0.0.1/oidc/callback"
    there = asyncio.run(found.address(ours, "state", "nonce", "v" * 64))
    back = httpx.get(there).headers["location"]
    code = parse_qs(urlsplit(back).query)["code"][0]
    return asyncio.run(found.user(code, ours, "nonce", "v" * 64)).id


def test_keys_of_the_provider_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    with providing() as provider:
        provider.claims = roles("dba")
        known = Oidc(provider.url, CLIENT, SECRET, (Role("dba", ("admin",), "*"),), "realm.roles")
        found = oidc.Provider(known)
        first = user_of(found)
        provider.rotate()
        with pytest.raises(Problem):  # keys are looked up at most every ten seconds
            user_of(found)
        monkeypatch.setattr(oidc, "_LOOK_S", 0.0)
        second = user_of(found)
        asked = [each for each in provider.requests if each == "/jwks"]

    assert "oidc:user-1" == first == second
    assert 2 == len(asked)


def test_a_provider_that_does_not_answer_is_one_sentence_and_tokens_are_still_good(
    tmp_path: Path,
) -> None:
    with providing() as provider:
        url = provider.url
    options = ("--workers", "1", "--oidc-issuer", url, "--oidc-role", "dba=admin@*")
    with serving(tmp_path / "data", *options) as server:
        gone = server.client.get("/oidc/login")
        text = token(server.data, "--project", "ci")
        good = server.client.get("/api/reports", headers={"authorization": f"Bearer {text}"})

    assert (503, 200) == (gone.status_code, good.status_code)
    assert "identity provider does not answer" in gone.json()["detail"]
    assert url not in gone.text


def test_a_provider_that_hangs_takes_no_thread_of_uploads(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()

    def hang(*_: object) -> dict[str, Any]:
        answers.wait(60)
        raise Problem(503, "It does not answer.")

    monkeypatch.setattr(oidc, "_fetched", hang)
    found = oidc.Provider(Oidc("https://login.example.com", CLIENT, "", ()))

    async def use() -> list[object]:
        logins = [
            asyncio.create_task(found.address("back", "state", "nonce", "verifier"))
            for _ in range(50)
        ]
        await asyncio.sleep(0)
        # uploads use the threads of the event loop
        assert "stored" == await asyncio.to_thread(lambda: "stored")
        assert not any(each.done() for each in logins)
        answers.set()
        return await asyncio.gather(*logins, return_exceptions=True)

    ended = asyncio.run(use())
    found.close()

    assert {503} == {each.status for each in ended if isinstance(each, Problem)}
    assert 50 == len(ended)


def test_the_provider_needs_https() -> None:
    for wrong in ("http://login.example.com", "ftp://x", "login.example.com"):
        with pytest.raises(UsageError):
            oidc.Provider(Oidc(wrong, "c", "", ()))


def test_roles_are_read_as_they_are_written() -> None:
    settings = Oidc("https://x", "c", "", (_role("cn=dba,ou=x=admin@*"), _role("a@b=read@shop")))

    assert Role("cn=dba,ou=x", ("admin",), "*") == settings.roles[0]
    assert (("shop", frozenset({"read"})),) == granted({"groups": "a@b"}, settings)
    for wrong in ("dba", "dba=root@*", "dba=admin", "dba=admin@", "=admin@*", "dba=admin@a b"):
        with pytest.raises(UsageError):
            _role(wrong)


@pytest.mark.browser
@pytest.mark.slow
def test_a_browser_that_comes_back_from_another_site_is_logged_in(site: Site) -> None:
    site.provider.claims = roles("dba")
    with browser.visited(f"{site.server.url}/login") as opened:
        opened.page.get_by_role("link", name="Log in with your account").click()
        opened.page.wait_for_url(f"{site.server.url}/")

        assert 1 == opened.page.get_by_role("button", name="Log out").count()
