"""Reports of `awrlens serve` in an S3 API: a real server where there is one, or a simulated one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from serving import PATIENCE, TEXT, serving

from awrlens.serve import uploads
from awrlens.serve.problems import Problem

obstore = pytest.importorskip("obstore")

#: A server that keeps objects as files and checks signatures, and a simulation.
_REAL = os.environ.get("AWRLENS_VERSITYGW") or shutil.which("versitygw")
_SIMULATED = shutil.which("moto_server")
KEY, SECRET = "awrlens", "a-secret-of-the-test"
pytestmark = [
    pytest.mark.outside,
    pytest.mark.skipif(
        _REAL is None and _SIMULATED is None,
        reason="no server with an S3 API: `go install github.com/versity/versitygw/cmd/versitygw"
        "@latest`, or pip install 'moto[server]'",
    ),
]


def command(port: int, folder: Path) -> list[str]:
    """The call that starts the server."""
    if _REAL is None:
        return [str(_SIMULATED), "-p", str(port)]
    for name in ("objects", "about"):
        (folder / name).mkdir()
    return [_REAL, "--access", KEY, "--secret", SECRET, "--region", "us-east-1", "--port",
            f"127.0.0.1:{port}", "posix", "--sidecar", str(folder / "about"),
            str(folder / "objects")]  # fmt: skip


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("s3")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command(port, folder), stdout=log, stderr=log)
    try:
        end = time.monotonic() + PATIENCE
        while not answers(url):
            assert process.poll() is None, (folder / "log").read_text(encoding="utf-8")
            assert time.monotonic() < end
            time.sleep(0.2)
        if _REAL is None:
            httpx.put(f"{url}/bucket", timeout=PATIENCE).raise_for_status()
        else:
            (folder / "objects" / "bucket").mkdir()
        yield {"AWS_ENDPOINT": url, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": KEY,
               "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}  # fmt: skip
    finally:
        process.terminate()
        process.wait(PATIENCE)


def answers(url: str) -> bool:
    try:
        httpx.get(url, timeout=PATIENCE)
    except httpx.TransportError:
        return False
    return True


def listed() -> list[str]:
    """The objects of the bucket."""
    store = obstore.store.from_url("s3://bucket")
    return [each["path"] for some in store.list() for each in some]


def test_reports_are_in_the_bucket_until_they_are_deleted(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    options = ("--workers", "1", "--reports", "s3://bucket/awr")
    with serving(tmp_path / "data", *options) as server:
        one, two = (server.upload(TEXT).json()["id"] for _ in range(2))
        assert "statspack-text" == server.done(one).json()["report"]["kind"]
        assert not (tmp_path / "data" / "reports").exists()
        server.client.delete(f"/api/reports/{one}")
        assert TEXT.read_bytes() == server.client.get(f"/api/reports/{two}/original").content
        server.client.delete(f"/api/reports/{two}")

    assert [] == listed()


def test_only_bytes_of_this_server_are_found_in_a_bucket_that_others_use(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    bucket = uploads.opened("s3://bucket/shared", tmp_path)
    bucket.put("ab" * 32, b"a report")
    obstore.store.from_url("s3://bucket").put("shared/other-program.txt", b"of another program")
    now = time.time()

    assert ["ab" * 32] == list(bucket.before(now + 3600))
    assert [] == list(bucket.before(now - 3600))
    bucket.drop("ab" * 32)
    assert not bucket.has("ab" * 32)
    assert bucket.get("ab" * 32) is None
    assert ["shared/other-program.txt"] == listed()


@pytest.mark.skipif(_REAL is None, reason="the simulated server checks no signatures")
def test_wrong_credentials_are_an_honest_answer(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**environment, "AWS_SECRET_ACCESS_KEY": "another-secret"}.items():
        monkeypatch.setenv(name, value)
    bucket = uploads.opened("s3://bucket/awr", tmp_path)

    with pytest.raises(Problem) as problem:
        bucket.put("ab" * 32, b"x")
    assert 503 == problem.value.status
    assert SECRET not in problem.value.detail


def test_a_bucket_that_does_not_answer_is_an_honest_answer(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**environment, "AWS_ENDPOINT": "http://127.0.0.1:1"}.items():
        monkeypatch.setenv(name, value)
    bucket = uploads.opened("s3://bucket/awr", tmp_path)

    with pytest.raises(Problem) as problem:
        bucket.put("ab" * 32, b"x")
    assert 503 == problem.value.status
    assert "127.0.0.1" not in problem.value.detail
