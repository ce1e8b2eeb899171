"""Reads the body of an upload: its size is limited before anything interprets it."""

from __future__ import annotations

import asyncio
import time
import zlib
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from starlette.requests import ClientDisconnect, Request

from awrlens.serve.problems import Problem, busy
from awrlens.serve.settings import MB

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from awrlens.serve.settings import Limits

#: Content-Encoding → window bits of zlib: gzip or zlib headers.
_ENCODINGS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}
#: What a report begins with, in the order of magic numbers of archives.
_BINARY: Final = b"\0\x01\x02\x03\x04\x05\x06\x07\x08\x1f\x7f\x89\xfd\xff\xfe"


class Room:
    """The bytes that may be received at one time, over all requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.used = 0

    @asynccontextmanager
    async def reserved(self, request: Request) -> AsyncIterator[None]:
        """Hold room for a request until it is answered; 503 if there is none."""
        size = min(declared(request, self._limits) or MB, self._limits.upload_bytes)
        if self.used + size > self._limits.in_flight_bytes:
            raise busy("The server is receiving as many uploads as it can.")
        self.used += size
        try:
            yield
        finally:
            self.used -= size


def declared(request: Request, limits: Limits) -> int | None:
    """The Content-Length of a request; 413 if it is too large."""
    text = request.headers.get("content-length")
    if text is None:
        return None
    if not text.isascii() or not text.isdigit():
        raise Problem(400, "Content-Length is not a number.")
    if int(text) > limits.upload_bytes:
        raise too_large(limits)
    return int(text)


def too_large(limits: Limits) -> Problem:
    """The upload has too many bytes."""
    size = f"{limits.upload_bytes / MB:g} MB"
    return Problem(
        413, f"The upload is larger than {size}. Reports are smaller: check what it contains.",
        {"Connection": "close"},
    )  # fmt: skip


async def body(request: Request, limits: Limits) -> bytes:
    """The body of a request without its Content-Encoding; Problem if it is not acceptable."""
    declared(request, limits)
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in (*_ENCODINGS, "identity", ""):
        raise Problem(
            415, f"Content-Encoding must be one of {', '.join(_ENCODINGS)}.",
            {"Accept-Encoding": ", ".join(_ENCODINGS)},
        )  # fmt: skip
    bits = _ENCODINGS.get(encoding)
    unpack = zlib.decompressobj(bits) if bits is not None else None
    content = bytearray()
    try:
        async with asyncio.timeout(limits.receive_s):
            async for piece in request.stream():
                content += unpack.decompress(piece, limits.upload_bytes) if unpack else piece
                if len(content) > limits.upload_bytes or (unpack and unpack.unconsumed_tail):
                    raise too_large(limits)
    except TimeoutError:
        raise Problem(
            408, "The upload was not received in time.", {"Connection": "close"}
        ) from None
    except ClientDisconnect:
        raise Problem(400, "The upload broke off.") from None
    except zlib.error:
        raise Problem(400, f"The body is not valid {encoding} data.") from None
    if unpack and not unpack.eof:
        raise Problem(400, f"The {encoding} data of the body is truncated.")
    return bytes(content)


def check(data: bytes, content_type: str) -> None:
    """Problem for an empty upload, and for a text whose line breaks were removed."""
    if not data.strip():
        raise Problem(400, "The upload is empty.")
    head = data[: 2**16]
    broken = b"\n" in head or b"\r" in head
    if len(data) < 500 or broken or any(byte in _BINARY for byte in head[:64]):  # noqa: PLR2004 - one line
        return
    form = content_type.partition(";")[0].strip().lower() == "application/x-www-form-urlencoded"
    if form or not head.lstrip().startswith(b"<"):
        raise Problem(
            400, "The upload has no line breaks: `curl --data` and `-d` remove them. Use "
            "`curl --data-binary @FILE`.",
        )  # fmt: skip


class Buckets:
    """Amounts per client that refill with time; in memory, for this process."""

    def __init__(self, per_s: float, most: float) -> None:
        self._per_s = per_s
        self._most = most
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, client: str, amount: float, *, what: str) -> None:
        """Take an amount; 429 if too little is left."""
        now = time.monotonic()
        left, since = self._left.get(client, (self._most, now))
        left = min(self._most, left + (now - since) * self._per_s)
        if left < min(amount, self._most):
            after = max(1, round((min(amount, self._most) - left) / self._per_s))
            raise Problem(429, f"Too {what} from this client.", {"Retry-After": str(after)})
        self._left[client] = (left - amount, now)
        if len(self._left) > 10_000:  # noqa: PLR2004 - forget clients whose buckets are full
            self._left = {
                name: (left, since) for name, (left, since) in self._left.items()
                if left + (now - since) * self._per_s < self._most
            }  # fmt: skip
