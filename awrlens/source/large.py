"""Large inputs: searched in pieces for a report's words before any of the input is kept."""

from __future__ import annotations

from typing import Final, Protocol

from awrlens.source import kind
from awrlens.source.encodings import wide
from awrlens.source.limits import LARGE, MAX_BYTES, too_large

#: How containers begin; their bytes do not show what is in them.
CONTAINERS: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04", b"PK\x05\x06")
_PIECE: Final = 2**23
#: A word may begin in one piece and end in the next.
_OVERLAP: Final = 128
#: A log is recognized at its beginning.
_LOG_WORDS: Final = (*kind.OTHER_WORDS, *kind.ALERT_LOG_WORDS)


class Readable(Protocol):
    """A source of bytes."""

    def read(self, size: int, /) -> bytes:
        """Reads this number of bytes; fewer only at the end."""


class Prefixed:
    """A stream whose beginning was already read."""

    def __init__(self, head: bytes, file: Readable) -> None:
        self._head = head
        self._file = file

    def read(self, size: int, /) -> bytes:
        """Reads this number of bytes; fewer only at the end."""
        part, self._head = self._head[:size], self._head[size:]
        return part + self._file.read(size - len(part)) if len(part) < size else part


def is_packed(data: bytes) -> bool:
    """Whether an input is an archive or a compressed file."""
    return data.startswith(CONTAINERS) or data[257:262] == b"ustar"


def whole(file: Readable, name: str) -> bytes:
    """All of an input.

    Raises NotAReportError when an input larger than any report has no words of a report or of a log
    that awrlens reads, and UnreadableError when it is too large.
    """
    data = file.read(LARGE + 1)
    if len(data) <= LARGE:
        return data
    if not is_packed(data):
        encoding = (wide(data[:1024]) if b"\0" in data[:1024] else None) or "ascii"
        told = _says(data[:_PIECE], _LOG_WORDS, encoding) or _says(data, kind.WORDS, encoding)
        if not told:
            return _later(file, name, data[-_OVERLAP:], len(data), encoding)
    data += file.read(MAX_BYTES + 1 - len(data))
    if len(data) > MAX_BYTES:
        raise too_large(name)
    return data


def _says(data: bytes, words: tuple[str, ...], encoding: str) -> bool:
    return any(data.find(word.encode(encoding)) >= 0 for word in words)


def _later(file: Readable, name: str, last: bytes, count: int, encoding: str) -> bytes:
    """All of a file whose first words are far behind its beginning, if it can be read again."""
    again = getattr(file, "seekable", bool)()
    while again and count <= MAX_BYTES and (piece := file.read(_PIECE)):
        count += len(piece)
        if _says(last + piece, kind.WORDS[:2], encoding):
            file.seek(0)  # type: ignore[attr-defined] # it has this method if it is seekable
            data = file.read(MAX_BYTES + 1)
            if len(data) > MAX_BYTES:
                raise too_large(name)
            return data
        last = piece[-_OVERLAP:]
    raise kind.not_a_report(name)
