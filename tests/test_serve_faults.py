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


def keyed(url: str, number: int) -> str | None:
    """An upload with a key of its own; None if it is not acknowledged."""
    try:
        found = httpx.post(
            f"{url}/api/reports", content=TEXT.read_bytes(), timeout=PATIENCE,
            headers={"idempotency-key": f"upload {number}"},
        )  # fmt: skip
    except httpx.HTTPError:
        return None
    return str(found.json()["id"]) if found.status_code == 201 else None


def test_a_killed_server_has_every_acknowledged_upload_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    first = Server(data, "--workers", "1")
    known: dict[int, str | None] = {}

    def send(number: int) -> None:
        """One after the other, until the server is gone."""
        while known.setdefault(number, keyed(first.url, number)):
            number += 4

    threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    while len([each for each in [*known.values()] if each]) < 10:
        time.sleep(0.01)
    first.kill()
    for each in threads:
        each.join()
    first.client.close()
    acknowledged = {number: id_ for number, id_ in known.items() if id_}
    with serving(data, "--workers", "1") as second:
        again = {number: keyed(second.url, number) for number in known}
        found = settled(second)

        assert 10 <= len(acknowledged) == len(known) - 4
        assert acknowledged == {number: again[number] for number in acknowledged}
        assert sorted(again.values(), key=str) == sorted(each["id"] for each in found)
        assert {"done"} == {each["status"] for each in found}
        assert [] == list((data / "reports").rglob("*.part"))


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
