"""Limits of inputs: their size, the size of an unpacked archive, files that never end.

A device never ends, and a named pipe may never begin. A large input is read if its beginning has a
report's words.
"""

from __future__ import annotations

import os
import stat
from typing import IO, Final, Protocol

from awrlens.errors import NotAReportError, UnreadableError
from awrlens.source import kind
from awrlens.source.encodings import wide

#: Maximum size of an input, or of an archive's member; real reports are smaller than 20 MB.
MAX_BYTES: Final = 512 * 2**20
#: A larger input is searched for a report's first line before it is read.
LARGE: Final = 32 * 2**20
#: Maximum size of an unpacked archive, with all its members and nested archives.
MAX_UNPACKED: Final = 8 * 2**30
#: An archive may unpack to this size; above that, to this multiple of its own size. Reports
#: compress to a tenth of their size, and hundreds of similar ones to a thirtieth
#: (awrlens: measured on real reports).
FREE: Final = 8 * 2**20
RATIO: Final = 200


def too_large(name: str) -> UnreadableError:
    """The error for an input that is too large."""
    return UnreadableError(
        f"The input is larger than {MAX_BYTES // 2**20} MB.",
        source=name,
        hint="Reports are smaller: check what the file contains.",
    )


class UnpackedError(UnreadableError):
    """An archive unpacks to more than the limit; the rest of it is not read."""


class Budget:
    """The number of bytes that an archive may still unpack to, over all members and levels."""

    def __init__(self, packed: int) -> None:
        self._left = min(MAX_UNPACKED, max(FREE, RATIO * packed))

    def take(self, count: int, name: str) -> None:
        """Count unpacked bytes; raise UnpackedError when there are too many."""
        self._left -= count
        if self._left < 0:
            raise UnpackedError(
                "The archive unpacks to more data than reports contain.",
                source=name,
                hint="Check its contents, or extract the reports from it.",
            )


_SPECIAL: Final = (
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)
#: What the shell passes: ``<(zcat report.gz)``.
_HANDED_OVER: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def regular(path: str) -> IO[bytes]:
    """An open file; raises NotAReportError for a special file, and the system's OSError."""
    handed = path.startswith(_HANDED_OVER) and stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116
    if handed:
        return open(path, "rb")  # noqa: PTH123 - its user closes it
    _check(os.stat(path).st_mode, path)  # noqa: PTH116
    at_once = getattr(os, "O_NONBLOCK", 0)
    # its user closes it
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | at_once))  # noqa: SIM115
    try:
        _check(os.fstat(file.fileno()).st_mode, path)  # the file may have been replaced
    except NotAReportError:
        file.close()
        raise
    return file


def _check(mode: int, path: str) -> None:
    what = next((what for is_so, what in _SPECIAL if is_so(mode)), "")
    if what:
        raise NotAReportError(
            f"This is {what}, not a file.", source=path, hint="Give the report file."
        )


#: How compressed files (gzip, bzip2, xz, lzma) and zip archives begin.
COMPRESSED: Final = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x5d\x00\x00")
ZIPPED: Final = (b"PK\x03\x04", b"PK\x05\x06")
_PIECE: Final = 2**23
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

    def exceeds(self, size: int) -> bool:
        """Whether more than this number of bytes is left, if the stream can count them."""
        exceeds = getattr(self._file, "exceeds", None)
        return exceeds is not None and exceeds(size)


def is_packed(data: bytes) -> bool:
    """Whether an input is an archive or a compressed file."""
    return data.startswith((*COMPRESSED, *ZIPPED)) or data[257:262] == b"ustar"


def whole(file: Readable, name: str) -> bytes:
    """All of an input; NotAReportError without words of a report, UnreadableError if too large."""
    over = _size(file) > MAX_BYTES
    data = file.read(_PIECE if over else LARGE + 1)
    if len(data) <= LARGE and not over:
        return data
    if over or not is_packed(data):
        encoding = (wide(data[:1024]) if b"\0" in data[:1024] else None) or "ascii"
        told = _says(data[:_PIECE], _LOG_WORDS, encoding) or _says(data, kind.WORDS, encoding)
        if not told:
            raise kind.not_a_report(name)
        # compressed data does not show its size: count before keeping it
        over = over or (isinstance(file, Prefixed) and file.exceeds(MAX_BYTES - len(data)))
    if not over:
        data += file.read(MAX_BYTES + 1 - len(data))
    if over or len(data) > MAX_BYTES:
        raise too_large(name)
    return data


def _size(file: Readable) -> int:
    try:
        return os.fstat(file.fileno()).st_size  # type: ignore[attr-defined] # or it has none
    except (AttributeError, OSError):
        return 0


def _says(data: bytes, words: tuple[str, ...], encoding: str) -> bool:
    return any(data.find(word.encode(encoding)) >= 0 for word in words)
