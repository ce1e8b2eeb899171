"""`awrlens serve` when processes are killed: no acknowledged report is lost or analyzed twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import PATIENCE, REPORT, TEXT, Server, serving

pytestmark = pytest.mark.outside


def children(pid: int) -> list[int]:
    """The processes below another, which have none below them."""
    parents: dict[int, int] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                fields = (each / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(each.name)] = int(fields[1])
    below = {pid}
    while more := {each for each, parent in parents.items() if parent in below} - below:
        below |= more
    return [each for each in below if each not in parents.values() and each != pid]


def reports(server: Server) -> list[dict[str, Any]]:
    """All reports; a call that a killed database interrupts is repeated, as a client does."""
    end = time.monotonic() + PATIENCE
    while (said := server.client.get("/api/reports", params={"limit": 500})).status_code == 503:
        assert time.monotonic() < end
        time.sleep(0.2)
    found: list[dict[str, Any]] = said.json()["reports"]
    return found


def settled(server: Server) -> list[dict[str, Any]]:
    """All reports when no job is left."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = reports(server)
        if not [each for each in found if each["status"] in ("waiting", "running")]:
            return found
        time.sleep(0.2)
    raise AssertionError(server.log())


def test_uploads_whose_worker_is_killed_are_analyzed_by_another(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--workers", "2") as server:
        sent = []
        for _ in range(4):  # all five are done before the next worker is killed: none is given up
            sent += [server.upload(REPORT).json()["id"] for _ in range(5)]
            for pid in children(server.process.pid)[-1:]:
                os.kill(pid, signal.SIGKILL)
            found = settled(server)

        assert sorted(sent) == sorted(each["id"] for each in found)
        assert {"done"} == {each["status"] for each in found}
        assert 200 == server.client.get("/ready").status_code


#: Clients at a time, and after how many acknowledged uploads the server is killed.
CLIENTS, KILLS = (
    (100, (30, 70, 110)) if os.environ.get("AWRLENS_EXAMPLES") == "nightly" else (20, (30,))
)


def keyed(url: str, number: int) -> str | None:
    """An upload with a key of its own; None if it is not acknowledged."""
    try:
        found = httpx.post(
            f"{url}/api/reports", content=TEXT.read_bytes() + b"\n" * number, timeout=PATIENCE,
            headers={"idempotency-key": f"upload {number}"}, params={"redact": "false"},
        )  # fmt: skip
    except httpx.HTTPError:
        return None
    return str(found.json()["id"]) if found.status_code == 201 else None


def test_kills_while_many_clients_send_lose_and_double_no_upload(tmp_path: Path) -> None:
    data = tmp_path / "data"
    servers = [Server(data, "--workers", "1")]
    known: dict[int, str] = {}
    ends = threading.Event()

    def send(number: int) -> None:
        """One after the other, each until it is acknowledged."""
        while not ends.is_set():
            found = keyed(servers[-1].url, number)
            if found is None:
                time.sleep(0.1)
                continue
            known[number] = found
            number += CLIENTS

    threads = [threading.Thread(target=send, args=(number,)) for number in range(CLIENTS)]
    for each in threads:
        each.start()
    for count in KILLS:
        while len(known) < count:
            time.sleep(0.01)
        servers[-1].kill()
        servers[-1].client.close()
        if count == KILLS[-1]:
            ends.set()  # what was sent and not acknowledged may leave bytes
        servers.append(Server(data, "--workers", "1"))
    for each in threads:
        each.join()
    last = servers[-1]
    with sqlite3.connect(data / "awrlens.sqlite") as database:
        rows = {row[0] for row in database.execute("SELECT hash FROM upload")}
    assert {each.name for each in (data / "reports").glob("*/*")} <= rows
    assert known == {number: keyed(last.url, number) for number in known}
    found = settled(last)
    ids = [each["id"] for each in found]
    last.stop()

    assert len(ids) == len(set(ids))
    assert set(known.values()) <= set(ids)
    assert {"done"} == {each["status"] for each in found}


def test_a_stopped_server_returns_its_jobs_and_the_next_one_does_them(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, "--workers", "1") as first:
        sent = [first.upload(REPORT).json()["id"] for _ in range(12)]
    with serving(data, "--workers", "1") as second:
        found = settled(second)

        assert sorted(sent) == sorted(each["id"] for each in found)
        assert {"done"} == {each["status"] for each in found}


def test_an_upload_that_ends_the_server_every_time_is_given_up(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, "--workers", "1") as server:
        id_ = server.upload(REPORT).json()["id"]
        server.done(id_)
    with sqlite3.connect(data / "awrlens.sqlite") as database:
        database.execute("UPDATE upload SET status = 'running', attempts = 3")
    database.close()
    with serving(data, "--workers", "1") as server:
        found = server.done(id_)

        assert 422 == found.status_code
        assert "3 attempts" in found.json()["detail"]
