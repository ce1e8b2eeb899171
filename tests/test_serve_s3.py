"""Reports of `awrlens serve` in an S3 API; Garage and others have the same one."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from serving import PATIENCE, TEXT, serving

from awrlens.serve import blobs
from awrlens.serve.problems import Problem

_SERVER = shutil.which("moto_server")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_SERVER is None, reason="no server with an S3 API: install moto[server]"),
]


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [str(_SERVER), "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            httpx.put(f"{url}/bucket", timeout=PATIENCE).raise_for_status()
            break
        except httpx.TransportError:
            time.sleep(0.2)
    yield {"AWS_ENDPOINT": url, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "key",
           "AWS_SECRET_ACCESS_KEY": "key", "AWS_REGION": "us-east-1"}  # fmt: skip
    process.terminate()
    process.wait()


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
    listed = httpx.get(f"{environment['AWS_ENDPOINT']}/bucket?list-type=2").text

    assert "<Key>" not in listed


def test_a_bucket_that_does_not_answer_is_an_honest_answer(
    environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**environment, "AWS_ENDPOINT": "http://127.0.0.1:1"}.items():
        monkeypatch.setenv(name, value)
    bucket = blobs.opened("s3://bucket/awr", tmp_path)

    with pytest.raises(Problem) as problem:
        bucket.put("ab" * 32, b"x")
    assert 503 == problem.value.status
    assert "127.0.0.1" not in problem.value.detail
