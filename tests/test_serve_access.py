"""`awrlens serve` with tokens: projects are isolated, rights end, nothing can be guessed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import CLUES, PATIENCE, REPORT, TEXT, Server, serving, token

pytestmark = pytest.mark.outside


class Tokens:
    """A server with two projects, and tokens for them."""

    def __init__(self, server: Server, data: Path) -> None:
        self.server = server
        self.pay = bearer(token(data, "--project", "pay"))
        self.shop = bearer(token(data, "--project", "shop"))
        self.reader = bearer(token(data, "--project", "pay", "--scope", "read"))
        self.admin = bearer(token(data, "--project", "*", "--scope", "admin"))


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tokens]:
    data = tmp_path_factory.mktemp("serve") / "data"
    token(data, "--project", "first")  # from now on, requests need one
    with serving(data, "--workers", "1", "--public-url", "https://awr.example.com") as server:
        yield Tokens(server, data)


@pytest.fixture(scope="module")
def secret(tokens: Tokens) -> dict[str, Any]:
    """An upload of the project pay."""
    sent = tokens.server.upload(
        headers=tokens.pay, params={"name": "payroll.html"}
    ).json()  # fmt: skip
    tokens.server.done(sent["id"], headers=tokens.pay)
    found: dict[str, Any] = sent
    return found


def test_without_a_token_nothing_is_answered_but_the_health(tokens: Tokens) -> None:
    client = tokens.server.client
    asked = [client.get("/api/reports"), client.post("/api/check", content=REPORT.read_bytes()),
             client.post("/api/reports", content=b"x"), client.get("/metrics"),
             client.get("/api/audit")]  # fmt: skip

    assert [401] * len(asked) == [each.status_code for each in asked]
    assert 200 == client.get("/health").status_code
    assert 200 == client.get("/ready").status_code
    assert "/login" == client.get("/").headers["location"]


def routes(id_: str) -> list[tuple[str, str]]:
    """Every way to a report."""
    addresses = [
        f"/api/reports/{id_}", f"/api/reports/{id_}.json", f"/api/reports/{id_}.html",
        f"/api/reports/{id_}/status", f"/api/reports/{id_}/original", f"/r/{id_}", f"/r/{id_}.html",
        f"/r/{id_}/manage", f"/api/compare?before={id_}&after={id_}", f"/api/trend?report={id_}",
        f"/compare?report={id_}&report={id_}:1", f"/trend?report={id_}",
    ]  # fmt: skip
    return [*(("GET", each) for each in addresses), ("DELETE", f"/api/reports/{id_}"),
            ("POST", f"/api/reports/{id_}/accept"),
            ("POST", f"/api/reports/{id_}/share")]  # fmt: skip


def test_a_report_of_another_project_is_like_one_that_does_not_exist(
    tokens: Tokens, secret: dict[str, Any]
) -> None:
    unknown = secret["id"][:-1] + ("a" if secret["id"][-1] != "a" else "b")
    for (method, mine), (_, none) in zip(routes(secret["id"]), routes(unknown), strict=True):
        body = {"shared": True} if mine.endswith("share") else None
        found, missing = (
            tokens.server.client.request(method, each, headers=tokens.shop, json=body)
            for each in (mine, none)
        )

        assert 404 == found.status_code, mine
        assert missing.content == found.content
        assert "payroll" not in found.text
    assert [] == tokens.server.client.get("/api/reports", headers=tokens.shop).json()["reports"]
    other = tokens.server.client.get("/api/reports?project=pay", headers=tokens.shop)
    assert 403 == other.status_code
    assert 200 == tokens.server.client.get(
        f"/api/reports/{secret['id']}", headers=tokens.reader
    ).status_code  # fmt: skip


def test_a_baseline_of_another_project_is_not_used(tokens: Tokens, secret: dict[str, Any]) -> None:
    client = tokens.server.client
    accepted = client.post(f"/api/reports/{secret['id']}/accept", headers=tokens.pay)
    params = {"against": "accepted", "project": "pay"}
    content = REPORT.read_bytes()

    assert 200 == accepted.status_code
    assert 403 == client.post(
        "/api/check", params=params, content=content, headers=tokens.shop
    ).status_code  # fmt: skip


def test_the_budgets_of_a_project_are_set_by_its_administrator(tokens: Tokens) -> None:
    client, data = tokens.server.client, tokens.server.data
    admin = bearer(token(data, "--project", "sla", "--scope", "admin"))
    user, reader = (
        bearer(token(data, "--project", "sla", "--scope", scope)) for scope in ("upload", "read")
    )
    path = "/api/projects/sla/budgets"
    text = "budget redo.write_ms <= 0.001 ms\n  severity critical\n"

    def put(said: str, headers: dict[str, str]) -> httpx.Response:
        return client.put(path, content=said, headers=headers)

    def check(project: str, headers: dict[str, str]) -> httpx.Response:
        params = {"project": project, "fail_on": "critical"}
        return client.post(
            "/api/check", params=params, content=REPORT.read_bytes(), headers=headers
        )

    before = check("sla", user)
    refused = [put(text, each).status_code for each in (user, reader, tokens.shop, {})]
    wrong = put("budget redo.write_ms <= 2 GB\n", admin)
    done = put(text, admin)
    after, elsewhere = check("sla", user), check("shop", tokens.shop)

    assert [403, 403, 403, 401] == refused
    assert 400 == wrong.status_code
    assert "budgets of sla:1:" in wrong.json()["detail"]
    assert [text] == [each[1] for each in done.json()["budgets"]]
    assert (200, 422, 200) == (before.status_code, after.status_code, elsewhere.status_code)
    assert "redo.write_ms" in str(after.json()["reports"])
    assert text.strip() == client.get(path, headers=reader).text
    assert 403 == client.get(path, headers=tokens.shop).status_code
    assert 200 == put("", admin).status_code
    assert 200 == check("sla", user).status_code
    assert 413 == put("# x\n" * 50_000, admin).status_code


def test_a_token_has_only_its_rights(tokens: Tokens, secret: dict[str, Any]) -> None:
    client, id_ = tokens.server.client, secret["id"]
    refused = [
        tokens.server.upload(headers=tokens.reader),
        client.delete(f"/api/reports/{id_}", headers=tokens.reader),
        client.post(f"/api/reports/{id_}/share", json={"shared": True}, headers=tokens.reader),
        client.get("/metrics", headers=tokens.pay),
        client.get("/api/audit", headers=tokens.pay),
        client.delete(
            f"/api/reports/{id_}", headers={**tokens.reader, "x-delete-key": "2" * 26}
        ),
    ]  # fmt: skip

    assert [403] * len(refused) == [each.status_code for each in refused]
    entries = client.get("/api/audit", headers=tokens.admin).json()["entries"]
    assert ("upload", id_) in [(each["action"], each["object"]) for each in entries]
    metrics = client.get("/metrics", headers=tokens.admin).text
    assert "awrlens_upload_bytes_total" in metrics
    assert "payroll" not in metrics


def test_a_shared_report_is_read_with_its_address_alone(
    tokens: Tokens, secret: dict[str, Any]
) -> None:
    client, id_ = tokens.server.client, secret["id"]

    def share(**state: object) -> int:
        return client.post(
            f"/api/reports/{id_}/share", json=state, headers=tokens.pay
        ).status_code  # fmt: skip

    assert 200 == share(shared=True)
    assert 200 == client.get(f"/api/reports/{id_}").status_code
    assert 401 == client.delete(f"/api/reports/{id_}").status_code or (
        403 == client.delete(f"/api/reports/{id_}").status_code
    )
    assert 200 == share(shared=True, password="long enough")  # noqa: S106 - not a secret
    assert 403 == client.get(f"/api/reports/{id_}").status_code
    assert 403 == client.get(f"/r/{id_}").status_code
    opened = client.get(f"/api/reports/{id_}", headers={"x-report-password": "long enough"})
    assert 200 == opened.status_code
    assert 200 == client.post(
        f"/api/reports/{id_}/share", json={"shared": False, "password": ""},
        headers={**tokens.pay, "x-report-password": "long enough"},
    ).status_code  # fmt: skip
    assert 404 == client.get(f"/api/reports/{id_}").status_code


def test_passwords_cannot_be_tried_for_long(tokens: Tokens) -> None:
    sent = tokens.server.upload(
        TEXT, headers={**tokens.shop, "x-report-password": "long enough"}
    ).json()
    tries = [
        tokens.server.client.get(
            f"/api/reports/{sent['id']}",
            headers={**tokens.shop, "x-report-password": f"try {number}"},
        ).status_code
        for number in range(14)
    ]

    assert 403 == tries[0]
    assert 429 == tries[-1]
    listed = tokens.server.client.get("/api/reports", headers=tokens.shop).json()["reports"]
    locked = next(each for each in listed if each["id"] == sent["id"])
    assert "headline" not in locked


def call(data: Path, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "awrlens", "serve", "--data", str(data), "token", *args],
        capture_output=True, check=True, text=True, cwd=Path(__file__).parent.parent,
    )  # fmt: skip
    return done.stdout.strip()


def test_tokens_are_rotated_and_revoked_while_the_server_runs(tokens: Tokens) -> None:
    data, client = tokens.server.data, tokens.server.client
    old = token(data, "--project", "shop")
    new = call(data, "rotate", old.split("_")[1], "--overlap", "0")
    time.sleep(0.01)

    assert 401 == client.get("/api/reports", headers=bearer(old)).status_code
    assert 200 == client.get("/api/reports", headers=bearer(new)).status_code
    call(data, "revoke", new.split("_")[1])
    assert 401 == client.get("/api/reports", headers=bearer(new)).status_code
    listed = call(data, "list")
    assert "revoked" in listed
    assert new.split("_")[2] not in listed
    kept = b"".join(file.read_bytes() for file in data.glob("awrlens.sqlite*"))
    assert new.split("_")[2].encode() not in kept


@pytest.mark.parametrize(
    "wrong",
    ["Bearer", "Bearer x", "Bearer awrl_22222222_" + "2" * 26, "Basic YTpi", "Bearer awrl__",
     "Bearer " + "x" * 5000],
)  # fmt: skip
def test_a_wrong_token_is_refused(tokens: Tokens, wrong: str) -> None:
    found = tokens.server.client.get("/api/reports", headers={"authorization": wrong})

    assert 401 == found.status_code
    assert not any(each in found.text for each in CLUES)


def log_in(browser: httpx.Client, text: str) -> None:
    """Begin a session; over plain HTTP a client would not return Secure cookies by itself."""
    page = browser.get("/login")
    sent = {"token": text, "csrf_token": form_token(page)}
    browser.headers["cookie"] = cookies(page)
    done = browser.post("/login", data=sent)
    assert 303 == done.status_code
    browser.headers["cookie"] = cookies(done)


def form_token(page: httpx.Response) -> str:
    return page.text.partition('name="form-token" content="')[2].partition('"')[0]


def cookies(page: httpx.Response) -> str:
    found = page.headers.get_list("set-cookie")
    assert all("HttpOnly" in e and "SameSite=strict" in e and "Secure" in e for e in found)
    return "; ".join(each.partition(";")[0] for each in found)


def test_a_browser_logs_in_and_forged_requests_are_refused(tokens: Tokens) -> None:
    with httpx.Client(base_url=tokens.server.url, timeout=PATIENCE) as browser:
        log_in(browser, token(tokens.server.data, "--project", "web"))
        use_as_browser(browser, tokens)


def use_as_browser(browser: httpx.Client, tokens: Tokens) -> None:
    good = form_token(browser.get("/"))
    post = "/api/reports"
    forged = browser.post(post, content=TEXT.read_bytes())
    foreign = browser.post(
        post, content=TEXT.read_bytes(),
        headers={"x-csrf-token": good, "origin": "https://evil.example"},
    )  # fmt: skip
    sent = browser.post(post, content=TEXT.read_bytes(), headers={"x-csrf-token": good})
    id_ = sent.json()["id"]
    by_form = browser.post(f"/r/{id_}/delete", data={"csrf_token": "2" * 64})
    of_another = form_token(tokens.server.client.get("/login"))
    by_other = browser.post(f"/r/{id_}/delete", data={"csrf_token": of_another})
    by_get = browser.get(f"/r/{id_}/delete")

    assert (403, 403, 201) == (forged.status_code, foreign.status_code, sent.status_code)
    assert (403, 403, 405) == (by_form.status_code, by_other.status_code, by_get.status_code)
    assert 200 == browser.post(f"/r/{id_}/delete", data={"csrf_token": good}).status_code
    out = browser.post("/logout", data={"csrf_token": good})
    assert "/login" == out.headers["location"]
    assert 401 == browser.get("/api/reports").status_code


def test_an_uploader_sees_shares_accepts_and_deletes_its_own_uploads_only(tokens: Tokens) -> None:
    one, two = (
        bearer(token(tokens.server.data, "--project", "own", "--scope", "upload")) for _ in range(2)
    )
    id_ = tokens.server.upload(headers=one).json()["id"]
    result = tokens.server.done(id_, headers=one)
    path, client = f"/api/reports/{id_}", tokens.server.client

    def calls(headers: dict[str, str]) -> list[int]:
        return [
            client.get(f"{path}/status", headers=headers).status_code,
            client.post(f"{path}/accept", headers=headers).status_code,
            client.post(f"{path}/share", headers=headers, json={"shared": False}).status_code,
            client.delete(path, headers=headers).status_code,
        ]

    assert 200 == result.status_code
    assert [404] * 4 == calls(two)
    assert [200] * 4 == calls(one)
    assert 404 == client.get(path, headers=one).status_code
    assert 403 == client.get("/api/reports", headers=one).status_code


def test_the_check_command_uses_a_server(
    tokens: Tokens, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:  # fmt: skip
    from awrlens import cli

    monkeypatch.setenv("AWRLENS_TOKEN", token(tokens.server.data, "--project", "ci"))
    call_ = ["check", "--server", tokens.server.url, "--project", "ci"]
    passed = cli.run([*call_, str(REPORT), str(TEXT), "--fail-on", "critical", "--accept"])
    capsys.readouterr()
    failed = cli.run(
        [*call_, str(REPORT), "--redact", "-o", "concise", "-o", f"sarif={tmp_path}/out.sarif"]
    )
    shown = capsys.readouterr().out
    later = tmp_path / "later.html"
    later.write_bytes(REPORT.read_bytes().replace(b"20-Aug-08", b"21-Aug-08"))
    same = cli.run([*call_, str(later), "--against", "accepted"])
    other = cli.run([*call_, __file__])

    assert (0, 1, 0, 3) == (passed, failed, same, other)
    assert "report-" in shown
    assert "redo-disk" not in shown
    assert "2.1.0" in (tmp_path / "out.sarif").read_text(encoding="utf-8")
    assert 2 == cli.run(["check", "--server", "http://awr.example.com", str(REPORT)])
    assert "without encryption" in capsys.readouterr().err


@pytest.mark.slow
def test_without_tokens_the_server_refuses_to_listen_elsewhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "awrlens", "serve", "--host", "0.0.0.0", "--port", "0", "--data",  # noqa: S104
         str(tmp_path / "data")],
        capture_output=True, check=False, text=True, timeout=PATIENCE,
    )  # fmt: skip

    assert 2 == done.returncode
    assert "token create" in done.stderr
