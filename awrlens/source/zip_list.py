"""The list of members of a zip archive; entries that cannot be read are repaired."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

#: How an entry of that list begins, and its length before the name; the flag for a name in UTF-8;
#: the newest version that the library knows; the length of a field's header, and the field that
#: repeats a member's name.
#: PKWARE, APPNOTE.TXT 4.3.12, 4.4.4, 4.5, 4.6.9
_ENTRY: Final = b"PK\x01\x02"
_ENTRY_SIZE: Final = 46
_UTF8: Final = 0x800
_VERSION: Final = 63
_FIELD: Final = 4
_NAMED_AGAIN: Final = 0x7075
_PIECE: Final = 2**20
#: An archive within an archive is kept in memory up to this size; a larger one goes to a file.
SPOOL: Final = 2**23


def list_of(data: IO[bytes]) -> tuple[int, int]:
    """Where the list of a zip archive's members begins, and its length."""
    size = data.seek(0, io.SEEK_END)
    before = max(0, size - 2**16 - 100)
    data.seek(before)
    tail = data.read()
    data.seek(0)
    end = tail.rfind(b"PK\x05\x06")
    length = struct.unpack_from("<L", tail, end + 12)[0] if 0 <= end <= len(tail) - 16 else 0
    large = tail.rfind(b"PK\x06\x06")
    if 0 <= large <= len(tail) - 48:
        end, length = large, struct.unpack_from("<Q", tail, large + 40)[0]
    return before + end - length, length


@contextmanager
def zip_file(data: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """A zip archive; an entry of its list that cannot be read is repaired."""
    try:
        archive = zipfile.ZipFile(data)
    except (UnicodeDecodeError, NotImplementedError, zipfile.BadZipFile, struct.error):
        with cast("IO[bytes]", SpooledTemporaryFile(SPOOL)) as copy:
            if not _mended(data, copy):
                raise
            with zipfile.ZipFile(copy) as archive:
                yield archive
        return
    with archive:
        yield archive


def _mended(data: IO[bytes], copy: IO[bytes]) -> bool:
    """Make a copy of the list without entries that make the library refuse the whole archive.

    Such entries have names that claim to be UTF-8, unknown versions, or additional fields that are
    too long. Members are then read as far as possible.
    """
    at, length = list_of(data)
    if at < 0 or not length:
        return False
    data.seek(at)
    entries = bytearray(data.read(length))
    here = 0
    while entries.startswith(_ENTRY, here) and len(entries) - here >= _ENTRY_SIZE:
        version, flags = struct.unpack_from("<2H", entries, here + 6)
        name, more, comment = struct.unpack_from("<3H", entries, here + 28)
        extra = here + _ENTRY_SIZE + name
        if flags & _UTF8 and not _is_utf8(entries[here + _ENTRY_SIZE : extra]):
            struct.pack_into("<H", entries, here + 8, flags & ~_UTF8)
        struct.pack_into("<H", entries, here + 6, min(version, _VERSION))
        here = min(extra + more, len(entries))
        _mend_fields(entries, extra, here)
        here += comment
    data.seek(0)
    copyfileobj(data, copy, _PIECE)
    copy.seek(at)
    copy.write(entries)
    return True


def _mend_fields(entries: bytearray, at: int, end: int) -> None:
    """Neutralize additional fields of one entry that do not fit or that repeat its name."""
    while end - at >= _FIELD:
        kind, size = struct.unpack_from("<2H", entries, at)
        fitting = min(size, end - at - _FIELD)
        if fitting < size or kind == _NAMED_AGAIN:
            struct.pack_into("<2H", entries, at, 0xFFFF, fitting)
        at += _FIELD + fitting


def _is_utf8(name: bytes | bytearray) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
