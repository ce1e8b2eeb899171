"""`awrlens serve` behind nginx, with the configuration of docs/serve.md as it is written there."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from serving import PATIENCE, REPORT, ROOT, Server, serving, token

_NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
_OPENSSL = shutil.which("openssl")
pytestmark = [
    pytest.mark.outside,
    pytest.mark.skipif(
        _NGINX is None or _OPENSSL is None, reason="no nginx or no openssl (Debian's packages)"
    ),
]
NAME = "awrlens.example.com"


def documented() -> str:
    """The server block of the guide."""
    text = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
    found = re.search(r"```nginx\n(.*?)```", text, re.S)
    assert found is not None
    return found[1]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Server, str]]:
    folder = tmp_path_factory.mktemp("proxy")
    key, certificate = folder / "awrlens.key", folder / "awrlens.pem"
    subprocess.run(
        [str(_OPENSSL), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(key), "-out",
         str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    data = folder / "data"
    admin = token(data, "--project", "*", "--scope", "admin")
    options = ("--workers", "1", "--public-url", f"https://{NAME}", "--proxy", "127.0.0.1")
    with serving(data, *options) as server:
        port = free_port()
        block = documented()
        for written, here in (
            ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            ("/etc/ssl/awrlens.pem", str(certificate)), ("/etc/ssl/awrlens.key", str(key)),
            ("http://127.0.0.1:8000", server.url),
        ):  # fmt: skip
            assert written in block
            block = block.replace(written, here)
        with nginx(folder, block, port):
            yield client(port, certificate, admin), server, admin


def client(port: int, certificate: Path, admin: str) -> httpx.Client:
    """A client for which the name of the site is this machine."""
    import ssl

    trusted = ssl.create_default_context(cafile=str(certificate))

    class Here(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            request.extensions = {**request.extensions, "sni_hostname": NAME}
            request.url = request.url.copy_with(host="127.0.0.1", port=port)
            return super().handle_request(request)

    return httpx.Client(
        base_url=f"https://{NAME}", transport=Here(verify=trusted), timeout=PATIENCE,
        headers={"authorization": f"Bearer {admin}"},
    )  # fmt: skip


class nginx:  # noqa: N801 - used like a function
    """The proxy, until the end of a block."""

    def __init__(self, folder: Path, block: str, port: int) -> None:
        temporary = "".join(
            f"{name}_temp_path {folder}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        self._file = folder / "nginx.conf"
        self._file.write_text(
            f"daemon off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nuser root;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{block}}}\n",
            encoding="utf-8",
        )
        self._call = [str(_NGINX), "-c", str(self._file), "-p", str(folder)]
        self._port = port

    def __enter__(self) -> None:
        tested = subprocess.run([*self._call, "-t"], capture_output=True, check=False, text=True)
        assert 0 == tested.returncode, tested.stderr
        self._process = subprocess.Popen(self._call, stderr=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self._process.poll() is None:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(self._file.with_name("error.log").read_text(encoding="utf-8"))

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)


def test_reports_are_uploaded_and_read_through_the_proxy(
    proxied: tuple[httpx.Client, Server, str],
) -> None:
    site, _, _ = proxied
    sent = site.post("/api/reports", content=REPORT.read_bytes())
    streamed = site.post("/api/reports", content=iter([REPORT.read_bytes()]))
    id_ = sent.json()["id"]
    result = site.get(f"/api/reports/{id_}", params={"wait": 30})
    page = site.get("/")
    entries = site.get("/api/audit").json()["entries"]

    assert (201, 201, 200, 200) == (
        sent.status_code, streamed.status_code, result.status_code, page.status_code
    )  # fmt: skip
    assert f"https://{NAME}/api/reports" in page.text
    assert "max-age" in page.headers["strict-transport-security"]
    cookies = page.headers.get_list("set-cookie")
    assert cookies
    assert all("Secure" in each for each in cookies)
    assert {"127.0.0.1"} == {each["address"] for each in entries}


def test_the_address_of_a_client_is_that_of_the_proxy_and_not_what_it_claims(
    proxied: tuple[httpx.Client, Server, str],
) -> None:
    site, _, _ = proxied
    headers = {"x-forwarded-for": "198.51.100.7"}
    site.post("/api/reports", content=REPORT.read_bytes(), headers=headers)
    entries = site.get("/api/audit").json()["entries"]

    assert "198.51.100.7" not in {each["address"] for each in entries}


def test_a_large_upload_and_another_name_are_refused(
    proxied: tuple[httpx.Client, Server, str],
) -> None:
    site, server, admin = proxied
    large = site.post("/api/reports", content=b"x\n" * (17 * 2**20))
    other = httpx.get(
        f"{server.url}/api/reports",
        headers={"host": "evil.example", "authorization": f"Bearer {admin}"},
    )

    assert 413 == large.status_code
    assert 421 == other.status_code
    assert urlsplit(server.url).hostname == "127.0.0.1"
