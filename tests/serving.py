"""A server of `awrlens serve` as a process of its own, and a client for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import samples

ROOT = Path(__file__).parent.parent
REPORT = samples.path("redo-disk.awr-11.2.html")
TEXT = samples.path("redo-disk.statspack-9.2.lst")
#: What an answer must not contain.
CLUES = ("Traceback", "/tmp/", "/root", "site-packages", "sqlite", ".py")  # noqa: S108
#: Seconds for anything that a busy machine may delay.
PATIENCE = 300.0


class Server:
    """A running server."""

    def __init__(self, data: Path, *options: str, env: dict[str, str] | None = None) -> None:
        self.data = data
        self._log = data.parent / f"{data.name}.log"
        command = [sys.executable, "-m", "awrlens", "serve", "--port", "0", "--data", str(data)]
        known = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
        with self._log.open("wb") as log:
            self.process = subprocess.Popen([*command, *options], stderr=log, env=known)
        self.url = self._address()
        self.client = httpx.Client(base_url=self.url, timeout=PATIENCE)

    def _address(self) -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.log().splitlines():
                if line.startswith("awrlens: http"):
                    return line.split()[1].rstrip("/")
            time.sleep(0.05)
        raise AssertionError(self.log())

    def log(self) -> str:
        return self._log.read_text(encoding="utf-8")

    def upload(self, report: Path | bytes = REPORT, **more: Any) -> httpx.Response:
        """An upload with its names; ``params`` and ``headers`` as of httpx."""
        more["params"] = {"redact": "false", **more.get("params", {})}
        data = report.read_bytes() if isinstance(report, Path) else report
        return self.client.post("/api/reports", content=data, **more)

    def done(self, id_: str, **more: Any) -> httpx.Response:
        """The result of an upload, when it is there."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.client.get(f"/api/reports/{id_}", params={"wait": 5}, **more)
            if found.status_code != 202:
                return found
        raise AssertionError(self.log())

    def kill(self) -> None:
        """End it as a power failure does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it as systemd does."""
        self.client.close()
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)


@contextmanager
def serving(data: Path, *options: str, env: dict[str, str] | None = None) -> Iterator[Server]:
    """A server for some tests."""
    server = Server(data, *options, env=env)
    try:
        yield server
    finally:
        server.stop()


def token(data: Path, *options: str) -> str:
    """A new token of a server's folder."""
    done = subprocess.run(
        [sys.executable, "-m", "awrlens", "serve", "--data", str(data), "token", "create", "--name",
         "test", *options],
        capture_output=True, check=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    return done.stdout.strip()
