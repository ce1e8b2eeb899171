"""Ends connections whose client does not send a whole header in time, which uvicorn does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

_ANSWER = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Patient(H11Protocol):
    """A connection; the limit begins with it, and with the first bytes of a further header."""

    seconds: ClassVar[float]
    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 - of uvicorn
        """Begin to wait."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Wait on, unless the header is complete."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """A part of the next header may have come with this request."""
        super().on_response_complete()
        if self.conn.trailing_data[0]:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
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


def protocol(seconds: float) -> type[Patient]:
    """The protocol of connections with a limit for every header."""
    return type("Patient", (Patient,), {"seconds": seconds})
