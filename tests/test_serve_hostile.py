"""`awrlens serve` and what hostile or broken clients send: one failed request, nothing else."""

from __future__ import annotations

import asyncio
import errno
import io
import os
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from serving import CLUES, PATIENCE, REPORT, TEXT, Server, serving
from starlette.requests import Request

from awrlens.serve import intake, uploads
from awrlens.serve.jobs import Pool, RefusedError, WorkError
from awrlens.serve.problems import Problem
from awrlens.serve.settings import Limits, Settings
from awrlens.serve.work import Upload, shown_name

pytestmark = pytest.mark.outside


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = ("--workers", "1", "--rate", "100000")
    with serving(tmp_path_factory.mktemp("serve") / "data", *options) as found:
        yield found


def raw(server: Server, request: bytes) -> str:
    """What the server answers to some bytes."""
    where = urlsplit(server.url)
    with socket.create_connection((where.hostname, where.port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while piece := connection.recv(2**16):
            found += piece
    return found.decode("latin-1")


HOST = b"Host: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    "request_",
    [
        b"GET /api/reports/../../etc/passwd HTTP/1.1\r\n" + HOST,
        b"GET /static/..%2f..%2fsettings.py HTTP/1.1\r\n" + HOST,
        b"GET /static/site.js%00.css HTTP/1.1\r\n" + HOST,
        b"GET /api/reports/%2e%2e/%2e%2e/audit HTTP/1.1\r\n" + HOST,
        b"GET http://evil.example/api/reports HTTP/1.1\r\nHost: evil.example\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n",
        b"GET / HTTP/1.0\r\n",
        b"TRACE / HTTP/1.1\r\n" + HOST,
        b"POST /api/reports HTTP/1.1\r\n" + HOST + b"Content-Length: x\r\n",
        b"POST /api/reports HTTP/1.1\r\n" + HOST + b"Content-Length: -5\r\n",
        b"POST /api/reports HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\nContent-Length: 9\r\n",
        b"POST /api/reports HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999\r\n",
        b"POST /api/reports HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST /api/reports HTTP/1.1\r\n" + HOST + b"X: " + b"y" * 100_000 + b"\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + HOST,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /api/reports?q=%ff%fe&limit=9999999999999999999999 HTTP/1.1\r\n" + HOST,
        b"GET /api/reports?before=nan HTTP/1.1\r\n" + HOST,
        b"POST /login HTTP/1.1\r\n" + HOST + b"Content-Length: 0\r\n",
    ],
    ids=lambda each: each[:60].decode("latin-1").split("\r")[0][:40],
)
def test_tricks_with_paths_and_headers_are_refused(server: Server, request_: bytes) -> None:
    found = raw(server, request_ + b"Connection: close\r\n\r\n")
    status = found.split(" ")[1][:1] if found else "4"

    assert "4" == status, found[:300]
    assert not any(each in found for each in CLUES)


def test_an_upload_that_breaks_off_leaves_nothing(server: Server) -> None:
    head = b"POST /api/reports HTTP/1.1\r\n" + HOST + b"Content-Length: 50000\r\n\r\n"
    raw(server, head + TEXT.read_bytes()[:20_000])

    assert [] == server.client.get("/api/reports").json()["reports"]
    assert [] == [each for each in (server.data / "reports").rglob("*") if each.is_file()]


def bomb() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.lst", b"\0" * (64 * 2**20))
    return packed.getvalue()


def members_outside() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(TEXT, "../../../../tmp/awrlens-escaped.lst")
        archive.write(TEXT, "/etc/awrlens-escaped.lst")
    return packed.getvalue()


@pytest.mark.parametrize(
    "data",
    [bomb(), b"PK\x03\x04" + b"\0" * 500, REPORT.read_bytes()[:3000], os.urandom(4000),
     b"\n" * 100_000, b"<td>\n" * 50_000, "WORKLOAD REPOSITORY report for\n".encode("utf-16")],
    ids=["bomb", "broken zip", "truncated", "random", "line breaks", "cells", "utf-16"],
)  # fmt: skip
def test_a_hostile_upload_is_one_failed_upload(server: Server, data: bytes) -> None:
    sent = server.upload(data)
    if sent.status_code == 201:
        found = server.done(sent.json()["id"])
        assert found.status_code in (200, 422)
        assert not any(each in found.text for each in CLUES)
    else:
        assert 400 == sent.status_code
    assert server.client.post("/api/check", content=data).status_code in (200, 400, 415, 422)
    assert 200 == server.client.get("/ready").status_code


def test_members_of_an_archive_are_not_written(server: Server) -> None:
    sent = server.upload(members_outside()).json()
    found = server.done(sent["id"])

    assert 2 == len(found.json())
    assert not Path("/tmp/awrlens-escaped.lst").exists()  # noqa: S108 - where it would be
    assert not Path("/etc/awrlens-escaped.lst").exists()


def test_no_configuration_of_an_upload_is_used(server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(REPORT, "a.html")
        archive.writestr("awrlens.toml", '[check]\nignore = ["ALL"]\nplugins = true\n')
    found = server.client.post(
        "/api/check", params={"fail_on": "warning"}, content=packed.getvalue()
    )

    assert 422 == found.status_code


@pytest.mark.parametrize(
    ("given", "shown"),
    [("../../etc/passwd", "passwd"), ("C:\\reports\\a.html", "a.html"), ("", "report"),
     ("..", "report"), ("a\x1b[31m\nb.lst", "a[31mb.lst"), ("x" * 500 + ".a", "x" * 120 + ".a"),
     ("<b>.html", "b.html"), ("a!b#2.lst", "ab2.lst")],
)  # fmt: skip
def test_the_name_of_an_upload_is_a_plain_file_name(given: str, shown: str) -> None:
    assert shown == shown_name(given)


def request(*pieces: bytes, delay_s: float = 0, **headers: str) -> Request:
    """A request whose body arrives in pieces."""
    left = list(pieces)

    async def receive() -> dict[str, object]:
        await asyncio.sleep(delay_s)
        body = left.pop(0) if left else b""
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    pairs = [(name.replace("_", "-").encode(), each.encode()) for name, each in headers.items()]
    return Request({"type": "http", "method": "POST", "headers": pairs}, receive)


def test_a_slow_upload_ends() -> None:
    limits = Limits(receive_s=0.05)

    with pytest.raises(Problem) as problem:
        asyncio.run(intake.body(request(*[b"x"] * 50, delay_s=0.02), limits))
    assert 408 == problem.value.status


def test_a_body_is_never_unpacked_beyond_the_limit() -> None:
    import gzip

    packed = gzip.compress(b"\0" * 2**24)
    limits = Limits(upload_bytes=2**20)

    with pytest.raises(Problem) as problem:
        asyncio.run(intake.body(request(packed, content_encoding="gzip"), limits))
    assert 413 == problem.value.status


def test_more_uploads_than_there_is_room_for_are_refused_honestly() -> None:
    room = intake.Room(Limits(upload_bytes=100, in_flight_bytes=150))

    async def two() -> None:
        async with (
            room.reserved(request(content_length="100")),
            room.reserved(request(content_length="60")),
        ):
            pass

    with pytest.raises(Problem) as problem:
        asyncio.run(two())
    assert 503 == problem.value.status
    assert "Retry-After" in problem.value.headers
    assert 0 == room.used


def test_a_client_that_asks_too_often_is_refused_until_its_bucket_is_refilled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(intake, "time", SimpleNamespace(monotonic=lambda: now))
    bucket = intake.Buckets(per_s=0.5, most=2)
    bucket.take("a", 2, what="many requests")
    now = 1.9
    with pytest.raises(Problem) as problem:
        bucket.take("a", 1, what="many requests")
    bucket.take("b", 2, what="many requests")
    now = 2.0
    bucket.take("a", 1, what="many requests")

    assert 429 == problem.value.status


def test_a_full_disk_is_an_honest_answer_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = uploads.opened("", tmp_path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(Problem) as problem:
            folder.put("ab" * 32, b"x")
    assert 507 == problem.value.status
    assert [] == [each for each in tmp_path.rglob("*") if each.is_file()]
    folder.put("ab" * 32, b"x")
    assert b"x" == folder.get("ab" * 32)


def test_an_analysis_that_takes_too_long_or_too_much_memory_ends(tmp_path: Path) -> None:
    async def run(limits: Limits, data: bytes) -> None:
        settings = Settings(tmp_path, workers=1, limits=limits)
        pool = Pool(settings)
        await pool.start()
        try:
            await pool.call("look", Upload("a.html", data), settings.options)
        finally:
            await pool.close()

    with pytest.raises(WorkError, match="longer than"):
        asyncio.run(run(Limits(analysis_s=0.0001), REPORT.read_bytes()))
    with pytest.raises(WorkError):
        asyncio.run(run(Limits(worker_bytes=150 * 2**20), b"x" * 2**27))


def test_a_wrong_call_does_not_end_its_worker(tmp_path: Path) -> None:
    async def run() -> tuple[object, object]:
        settings = Settings(tmp_path, workers=1)
        pool = Pool(settings)
        await pool.start()
        (worker,) = pool._workers
        before = worker._process
        try:
            with pytest.raises(RefusedError):
                await pool.call("trend", (), settings.options, "json")
            return before, worker._process
        finally:
            await pool.close()

    before, after = asyncio.run(run())

    assert before is after


def test_the_process_of_the_fleet_stays_and_is_none_of_those_for_reports(tmp_path: Path) -> None:
    async def run() -> tuple[object, object, bool]:
        settings = Settings(tmp_path, workers=1)
        pool = Pool(settings)
        await pool.start()
        call = ("fleet", (), (), {"last": 10}, settings.options, "json")
        try:
            began = pool._spacious._process is not None
            await pool.call(*call)
            before = pool._spacious._process
            await pool.call(*call)
            return before, pool._spacious._process, began
        finally:
            await pool.close()

    before, after, began = asyncio.run(run())

    assert before is after is not None
    assert not began  # a server without a fleet has no such process


IMPATIENT = """
import sys
from pathlib import Path
from awrlens.serve.run import run
from awrlens.serve.settings import Limits, Settings
run(Settings(Path(sys.argv[1]), port=0, workers=1, limits=Limits(header_s=2.0)), "text")
"""


@contextmanager
def impatient(folder: Path) -> Iterator[tuple[str, int]]:
    """Where a server listens that waits two seconds for a header."""
    process = subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, str(folder)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        where = urlsplit(process.stderr.readline().split()[1])
        yield str(where.hostname), int(where.port or 0)
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def answer(where: tuple[str, int], *pieces: bytes) -> bytes:
    """What a connection gets that sends some bytes and then nothing, until it is closed."""
    with socket.create_connection(where, timeout=PATIENCE) as connection:
        for piece in pieces:
            connection.sendall(piece)
        found = b""
        while piece := connection.recv(2**16):
            found += piece
    return found


def test_connections_without_a_whole_header_are_closed(tmp_path: Path) -> None:
    whole = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
    with impatient(tmp_path / "data") as where:
        nothing = answer(where)
        half = answer(where, b"GET /health HTTP/1.1\r\nHost: 127.")
        second = answer(where, whole, b"GET /health HTT")
        body = answer(where, whole.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))

    for each in (nothing, half):
        assert each.startswith(b"HTTP/1.1 408 ")
    assert second.startswith(b"HTTP/1.1 200 ")
    assert 1 == second.count(b"HTTP/1.1 408 ")
    assert b"408" not in body


def test_a_slow_body_is_no_slow_header(tmp_path: Path) -> None:
    data = TEXT.read_bytes()
    head = f"POST /api/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(data)}\r\n"
    with (
        impatient(tmp_path / "data") as where,
        socket.create_connection(where, timeout=PATIENCE) as connection,
    ):
        connection.sendall(f"{head}Connection: close\r\n\r\n".encode())
        connection.sendall(data[:1000])
        time.sleep(2.5)  # longer than a header may take
        connection.sendall(data[1000:])
        found = connection.recv(2**16)

    assert found.startswith(b"HTTP/1.1 201 ")


@pytest.mark.slow
def test_requests_made_from_the_openapi_document_never_fail_in_the_server(
    server: Server, tmp_path: Path
) -> None:
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run",
        f"{server.url}/api/openapi.json", "--max-examples", "3", "--generation-deterministic",
        "--checks", "not_a_server_error,status_code_conformance,content_type_conformance",
        "--no-color",
    ]  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, timeout=3600, cwd=tmp_path
    )

    assert 0 == done.returncode, done.stdout[-3000:]
    assert "Stateful" in done.stdout
    assert "request failed" not in server.log()
