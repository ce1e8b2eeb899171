"""`awrlens serve` on PostgreSQL: several nodes, and a database that is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import PATIENCE, REPORT, TEXT, Server, serving
from test_serve_faults import children, keyed, settled

#: PostgreSQL does not run as root; the tests may.
_USER = "nobody"
#: Debian's programs are not on the path.
_DEBIAN = sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")))
_PATH = os.pathsep.join((os.environ.get("PATH", ""), *reversed(_DEBIAN)))
_PROGRAMS = {name: shutil.which(name, path=_PATH) for name in ("initdb", "pg_ctl")}
_AS = shutil.which("runuser") if os.geteuid() == 0 else "none"
pytestmark = [
    pytest.mark.outside,
    pytest.mark.skipif(
        None in _PROGRAMS.values() or _AS is None,
        reason="no PostgreSQL: initdb and pg_ctl are missing (Debian's package: postgresql), or "
        "runuser if the tests run as root",
    ),
]


class Postgres:
    """A real PostgreSQL in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._data = folder / "db"
        self._folder = folder
        self._call("initdb", "-A", "trust", "-U", "awrlens", str(self._data))
        self.start()
        self.url = f"postgresql://awrlens@/postgres?host={folder}"

    def _call(self, *args: str) -> None:
        before = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
        with (self._folder / "calls.log").open("ab") as log:
            program = str(_PROGRAMS[args[0]])
            subprocess.run(
                [*before, program, *args[1:]], check=True, cwd=self._folder, stdout=log, stderr=log
            )

    def start(self) -> None:
        options = f"-c listen_addresses= -c unix_socket_directories={self._folder}"
        self._call("pg_ctl", "-D", str(self._data), "-w", "-o", options, "-l",
                   str(self._folder / "log"), "start")  # fmt: skip

    def kill(self) -> None:
        pid = int((self._data / "postmaster.pid").read_text(encoding="ascii").split()[0])
        ended = [pid, *children(pid)]
        os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + PATIENCE  # its processes notice that it ended
        while any(Path(f"/proc/{each}").exists() for each in ended) and time.monotonic() < end:
            time.sleep(0.05)

    def stop(self) -> None:
        self._call("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="awrlens-pg-", dir="/tmp"))  # a short socket
    if os.geteuid() == 0:
        shutil.chown(folder, _USER)
    found = Postgres(folder)
    yield found
    found.stop()
    shutil.rmtree(folder)


def test_two_nodes_share_one_database(postgres: Postgres, tmp_path: Path) -> None:
    options = ("--workers", "1", "--database", postgres.url)
    with serving(tmp_path / "data", *options) as one, serving(tmp_path / "data", *options) as two:
        sent = [one.upload(REPORT).json() for _ in range(6)]
        found = {each["id"]: two.done(each["id"]) for each in sent}
        two.client.delete(
            f"/api/reports/{sent[0]['id']}", headers={"x-delete-key": sent[0]["delete_key"]}
        )
        searched = two.client.get("/api/reports", params={"q": "aultdb 100%"}).json()["reports"]

        fleet = two.client.get("/api/fleet").json()

        assert {200} == {each.status_code for each in found.values()}
        assert ["AULTDB"] == [each["who"]["db_name"] for each in fleet["members"]]
        assert 410 == one.client.get(f"/api/reports/{sent[0]['id']}").status_code
        assert 200 == one.client.get(f"/api/reports/{sent[1]['id']}").status_code
        assert [] == searched
        assert keyed(one.url, 1) == keyed(two.url, 1)


def test_the_jobs_of_a_killed_node_are_taken_over(postgres: Postgres, tmp_path: Path) -> None:
    options = ("--workers", "1", "--database", postgres.url, "--lease", "3")
    first = Server(tmp_path / "data", *options)
    sent = [first.upload(REPORT).json()["id"] for _ in range(15)]
    first.kill()
    first.client.close()
    with serving(tmp_path / "data", *options) as second:
        found = {each["id"]: each["status"] for each in settled(second)}

        assert {"done"} == {found[id_] for id_ in sent}


def test_a_killed_database_loses_no_acknowledged_upload(postgres: Postgres, tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--workers", "1", "--database", postgres.url) as server:
        known = [server.upload(TEXT).json()["id"] for _ in range(5)]
        postgres.kill()
        refused = server.upload(TEXT)
        ready = server.client.get("/ready")
        postgres.start()
        end = time.monotonic() + PATIENCE
        # as a client does: 503 has Retry-After, also for a connection from before the kill
        while (again := server.upload(TEXT)).status_code == 503 and time.monotonic() < end:
            time.sleep(0.2)
        known.append(again.json()["id"])
        found = {each["id"]: each["status"] for each in settled(server)}

        assert (503, 503) == (refused.status_code, ready.status_code)
        assert {"done"} == {found[id_] for id_ in known}
