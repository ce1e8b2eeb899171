"""Traces of `awrlens serve`: what they tell, and what they never contain."""

from __future__ import annotations

import asyncio
import gzip
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from serving import PATIENCE, REPORT, serving

pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
    InMemorySpanExporter,
)

from awrlens.serve import metrics
from awrlens.serve.app import application
from awrlens.serve.settings import Settings

pytestmark = pytest.mark.outside

#: Names in the report or given with it.
NAMES = ("AULTDB", "aultdb1", "payroll", "pay-project", "127.0.0.1", "testserver")


def test_a_trace_has_upload_storage_and_analysis_without_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(metrics, "opened", lambda _: metrics.Spans(exporter))
    app = application(Settings(tmp_path / "data", workers=1, traces="in memory"))

    async def use() -> str:
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            sent = await client.post(
                "/api/reports", params={"name": "payroll.html", "project": "pay-project"},
                content=REPORT.read_bytes(),
            )  # fmt: skip
            id_ = str(sent.json()["id"])
            await client.get(f"/api/reports/{id_}", params={"wait": 30})
            hidden = b"host prod42 is down\n"
            await client.post("/api/reports", params={"redact": "true"}, content=hidden)
            return id_

    id_ = asyncio.run(use())
    spans = {each.name: each for each in exporter.get_finished_spans()}
    text = "".join(each.to_json() for each in exporter.get_finished_spans())
    of = {name: dict(each.attributes or {}) for name, each in spans.items()}

    assert {"request", "upload", "store bytes", "store row", "analysis", "worker", "redact",
            "store result"} <= set(spans)  # fmt: skip
    assert REPORT.stat().st_size == of["store bytes"]["awrlens.bytes"]
    assert "done" == of["analysis"]["awrlens.result"]
    assert spans["upload"].context.trace_id == spans["redact"].context.trace_id
    assert "RefusedError" not in text
    assert "Problem" == of["redact"]["error.type"]
    assert not [name for name in (*NAMES, id_, "prod42") if name in text]


class Collector:
    """Takes what is exported over HTTP."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                packed = self.headers.get("Content-Encoding") == "gzip"
                collector.bodies.append(gzip.decompress(data) if packed else data)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()
    yield found
    found.server.shutdown()
    found.server.server_close()


def test_a_collector_gets_the_traces_when_the_server_stops(
    tmp_path: Path, collector: Collector
) -> None:
    with serving(tmp_path / "data", "--workers", "1", "--traces", collector.url) as server:
        server.done(server.upload(params={"name": "payroll.html"}).json()["id"])
    sent = b"".join(collector.bodies)

    assert b"store bytes" in sent
    assert not [name for name in NAMES if name.encode() in sent]


def test_a_collector_that_does_not_answer_disturbs_nothing(tmp_path: Path) -> None:
    options = ("--workers", "1", "--traces", "http://127.0.0.1:9/v1/traces")
    with serving(tmp_path / "data", *options) as server:
        assert 200 == server.done(server.upload().json()["id"]).status_code
        server.client.close()
        server.process.terminate()

        assert -signal.SIGTERM == server.process.wait(PATIENCE)


def test_without_an_address_nothing_of_it_is_imported() -> None:
    code = (
        "import sys, pathlib, tempfile\n"
        "from awrlens.serve.app import application\n"
        "from awrlens.serve.settings import Settings\n"
        "application(Settings(pathlib.Path(tempfile.mkdtemp()), workers=1))\n"
        # fastapi imports the interface of OpenTelemetry if it is there
        "heavy = ('opentelemetry.sdk', 'opentelemetry.exporter', 'joserfc',"
        " 'cryptography', 'duckdb', 'pyarrow', 'psycopg', 'obstore')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])\n"
        "import os; os._exit(0) if not sys.stdout.flush() else None\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)

    assert "[]" == done.stdout.strip()
