"""Large inputs: looked through piece by piece for a report's words before any of it is kept."""

from __future__ import annotations

from typing import IO, Final

from awrlens.source import kind
from awrlens.source.encodings import wide
from awrlens.source.limits import LARGE, MAX_BYTES, too_large

#: What a container of any kind begins with: what is in it, its bytes do not say.
CONTAINERS: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04", b"PK\x05\x06")
_PIECE: Final = 2**23
#: A word may stand where two pieces meet.
_OVERLAP: Final = 128
#: A log tells at its beginning what it is.
_LOG_WORDS: Final = (*kind.OTHER_WORDS, *kind.ALERT_LOG_WORDS)


def is_packed(data: bytes) -> bool:
    """Whether an input is an archive or compressed."""
    return data.startswith(CONTAINERS) or data[257:262] == b"ustar"


def whole(file: IO[bytes], name: str, *, again: bool = False) -> bytes:
    """All of an input; if ``again``, it can be read a second time.

    Raises NotAReportError when an input beyond all reports says nothing of one, nor of a log that
    is read, and UnreadableError for one that is too large.
    """
    data = file.read(LARGE + 1)
    if len(data) <= LARGE:
        return data
    if not is_packed(data):
        encoding = (wide(data[:1024]) if b"\0" in data[:1024] else None) or "ascii"
        told = _says(data[:_PIECE], _LOG_WORDS, encoding) or _says(data, kind.WORDS, encoding)
        if not told:
            last = data[-_OVERLAP:]
            del data
            if not again or not _goes_on_to_say(file, last, encoding):
                raise kind.not_a_report(name)
            file.seek(0)
            data = b""
    data += file.read(MAX_BYTES + 1 - len(data))
    if len(data) > MAX_BYTES:
        raise too_large(name)
    return data


def _says(data: bytes, words: tuple[str, ...], encoding: str) -> bool:
    return any(data.find(word.encode(encoding)) >= 0 for word in words)


def _goes_on_to_say(file: IO[bytes], last: bytes, encoding: str) -> bool:
    """Whether the rest of a file has a report's words, of a kind that is read."""
    while piece := file.read(_PIECE):
        if _says(last + piece, kind.WORDS[:2], encoding):
            return True
        last = piece[-_OVERLAP:]
    return False
