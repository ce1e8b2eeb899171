"""`awrlens serve` on a disk that is really full: what it answers, what is kept, how it recovers."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import CLUES, PATIENCE, TEXT, Server, serving
from test_serve_faults import settled

pytestmark = pytest.mark.outside
#: The file system, and what is left on it when the uploads begin.
SIZE, LEFT = 24 * 2**20, 3 * 2**20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("a file system can be mounted by root only")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def report(number: int) -> bytes:
    """A report of half a megabyte that no other upload has."""
    return TEXT.read_bytes() + f"\n{number}\n".encode() + b" " * 500_000


def fill(disk: Path) -> Path:
    """A file of another program that takes nearly all space."""
    filler = disk / "other-program"
    with filler.open("wb") as out:
        free = os.statvfs(disk)
        out.write(b"\0" * (free.f_bavail * free.f_frsize - LEFT))
    return filler


def bytes_of(disk: Path) -> int:
    return sum(1 for file in (disk / "reports").rglob("*") if file.is_file())


def test_a_full_disk_is_said_and_nothing_acknowledged_is_lost(disk: Path) -> None:
    with serving(disk, "--workers", "1") as server:
        filler = fill(disk)
        sent: dict[str, int] = {}
        for number in range(40):
            answer = server.upload(report(number))
            if answer.status_code != 201:
                break
            sent[answer.json()["id"]] = number
        refused = [server.upload(report(100 + number)) for number in range(3)]
        readable = server.client.get("/health")
        stored = bytes_of(disk)
        filler.unlink()
        again = wait_for_an_upload(server)
        found = {each["id"]: each["status"] for each in settled(server)}
        originals = {id_: server.client.get(f"/api/reports/{id_}/original").content for id_ in sent}

    assert 1 <= len(sent) < 40
    for each in (answer, *refused):
        assert each.status_code in (503, 507)
        assert "disk" in each.json()["detail"]
        assert not any(clue in each.text for clue in CLUES)
    assert 200 == readable.status_code
    assert len(sent) == stored  # nothing of what was refused is left
    assert {*sent, again} == set(found)
    assert {"done"} == set(found.values())
    assert {id_: report(number) for id_, number in sent.items()} == originals


def wait_for_an_upload(server: Server) -> str:
    """The id of the first upload that is accepted again."""
    end = time.monotonic() + PATIENCE
    while (answer := server.upload(report(999))).status_code != 201:
        assert time.monotonic() < end, answer.text
        time.sleep(0.2)
    return str(answer.json()["id"])


def test_space_is_made_by_deleting_uploads_and_a_restart_on_a_full_disk_works(disk: Path) -> None:
    with serving(disk, "--workers", "1") as server:
        sent = [server.upload(report(number)).json()["id"] for number in range(3)]
        settled(server)
        filler = fill(disk)
        while server.upload(os.urandom(300_000) + b"\n").status_code == 201:
            pass
    with serving(disk, "--workers", "1") as server:
        kept = [server.client.get(f"/api/reports/{id_}").status_code for id_ in sent]
        filler.unlink()
        deleted = server.client.delete(f"/api/reports/{sent[0]}")
        wait_for_an_upload(server)

    assert [200] * 3 == kept
    assert 200 == deleted.status_code


def test_bytes_of_an_upload_that_was_never_acknowledged_are_deleted(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, "--workers", "1") as server:
        id_ = server.upload().json()["id"]
        server.done(id_)
    left = data / "reports" / "ab" / ("ab" * 32)
    left.parent.mkdir(exist_ok=True)
    left.write_bytes(TEXT.read_bytes())
    with serving(data, "--workers", "1") as server:
        end = time.monotonic() + PATIENCE
        while left.exists() and time.monotonic() < end:
            time.sleep(0.05)
        kept = server.client.get(f"/api/reports/{id_}")

    assert not left.exists()
    assert 200 == kept.status_code
