"""Runs a server until it is stopped."""

from __future__ import annotations

import json
import logging
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, ClassVar, Final

import click
import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from awrlens.errors import UsageError, reason
from awrlens.serve import access
from awrlens.serve.app import application
from awrlens.serve.settings import is_loopback

if TYPE_CHECKING:
    import asyncio

    from awrlens.serve.settings import Settings


_ANSWER = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class _Patient(H11Protocol):
    """A connection; the limit begins with it, and with the first bytes of a further header."""

    seconds: ClassVar[float]
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - of uvicorn
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """A part of the next header may have come with this request."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._limit is None:
            self._limit = self.loop.call_later(self.seconds, self._end)

    def _stop(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _end(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_ANSWER)
            self.transport.close()


#: Fields of a log line besides time, level and message.
_FIELDS: Final = ("method", "route", "status", "ms", "count", "kind", "reason")


class _Lines(logging.Formatter):
    """One line per event; never the text of a report, an address of an upload or a trace."""

    def __init__(self, format_: str) -> None:
        super().__init__()
        self._json = format_ == "json"

    def format(self, record: logging.LogRecord) -> str:
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created))
        more = {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[2]:
            where = record.exc_info[2]
            while where.tb_next is not None:
                where = where.tb_next
            more["at"] = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}"
        if self._json:
            return json.dumps(
                {"time": when, "level": record.levelname.lower(), "event": record.getMessage()}
                | more
            )
        values = " ".join(f"{name}={value}" for name, value in more.items())
        return f"{when} {record.levelname.lower()} {record.getMessage()} {values}".rstrip()


def run(settings: Settings, log_format: str) -> None:
    """Serve until a signal; UsageError if it cannot or should not listen there."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(log_format))
    for name, level in (
        ("awrlens.serve", logging.INFO), ("uvicorn.error", logging.WARNING),
        ("opentelemetry", logging.ERROR),
    ):  # fmt: skip
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    opened = _socket(settings)
    try:
        app = application(settings)
    except BaseException:
        opened.close()
        raise
    service = app.state.service
    open_to_all = settings.oidc is None and not service.database.now(access.any_token)
    if open_to_all and not is_loopback(settings.host):
        opened.close()
        service.database.close()
        raise UsageError(
            "Without tokens, the server listens on this machine only.",
            hint="Create one first: awrlens serve token create --name admin --scope admin "
            "--project '*'",
        )
    port = opened.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    patient = type("Patient", (_Patient,), {"seconds": settings.limits.header_s})
    _Server(
        uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False,
            proxy_headers=bool(settings.proxies), forwarded_allow_ips=list(settings.proxies),
            timeout_graceful_shutdown=int(settings.grace_s), timeout_keep_alive=75, backlog=2048,
            h11_max_incomplete_event_size=2**15, http=patient,
        ),
        f"http://{host}:{port}/",
    ).run([opened])  # fmt: skip


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            click.echo(f"awrlens: {self._address} (Ctrl-C stops it)", err=True)


def _socket(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((settings.host, settings.port))
    except OSError as problem:
        opened.close()
        raise UsageError(
            f"Cannot listen on {settings.host} port {settings.port}: {reason(problem)}.",
            hint="Set another --port.",
        ) from None
    return opened
