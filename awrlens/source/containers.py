"""Containers of reports: compressed files, zip and tar archives, mails.

The content decides, never the name. Unpacked data is counted while it is read, over all members and
nested archives.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import struct
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from functools import partial
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Final, cast

from awrlens.errors import UnreadableError
from awrlens.lazy import regex
from awrlens.source import limits, saved_pages
from awrlens.source.encodings import not_text
from awrlens.source.limits import Budget, Prefixed, Readable, UnpackedError, is_packed, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    #: The name (``container!member``) and data of an input in a container, or its error.
    Content: TypeAlias = tuple[str, bytes] | UnreadableError
    #: The members of an archive: their names, and what opens them.
    _Files: TypeAlias = list[tuple[str, Callable[[], IO[bytes] | None]]]


#: How an entry of that list begins, its length before the name, and the flag for a name in UTF-8.
#: PKWARE, APPNOTE.TXT 4.3.12, 4.4.4
_ENTRY: Final = b"PK\x01\x02"
_ENTRY_SIZE: Final = 46
_UTF8: Final = 0x800
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
    """A zip archive; names that are marked as UTF-8 but are not get other names."""
    try:
        archive = zipfile.ZipFile(data)
    except UnicodeDecodeError:
        with cast("IO[bytes]", SpooledTemporaryFile(SPOOL)) as copy:
            _copy_with_names(data, copy)
            with zipfile.ZipFile(copy) as archive:
                yield archive
        return
    with archive:
        yield archive


def _copy_with_names(data: IO[bytes], copy: IO[bytes]) -> None:
    at, length = list_of(data)
    data.seek(at)
    entries = bytearray(data.read(length))
    here = 0
    while entries.startswith(_ENTRY, here) and len(entries) - here >= _ENTRY_SIZE:
        (flags,) = struct.unpack_from("<H", entries, here + 8)
        name, more, comment = struct.unpack_from("<3H", entries, here + 28)
        end = here + _ENTRY_SIZE + name
        try:
            entries[here + _ENTRY_SIZE : end].decode()
        except UnicodeDecodeError:
            struct.pack_into("<H", entries, here + 8, flags & ~_UTF8)
        here = end + more + comment
    data.seek(0)
    copyfileobj(data, copy, _PIECE)
    copy.seek(at)
    copy.write(entries)


#: Maximum number of an archive's members; how deep archives may be nested (``reports.tar.gz``).
MAX_MEMBERS: Final = 10_000
_DEPTH: Final = 3
_LONGEST_LIST: Final = 2**23
_LONGEST_HEADER: Final = 2**14
_DIGITS: Final = regex(rb"\d{64}")
_HEAD: Final = 2**16
#: Files that operating systems add to archives.
_LITTER: Final = regex(r"(?:^|/)(?:__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")
_ERRORS_OF_DAMAGED: Final = (
    *(OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile),
    *(struct.error, ValueError, LookupError, ArithmeticError, TypeError, AttributeError),
    *(AssertionError, RuntimeError),
)


_COMPRESSED: Final[dict[bytes, Callable[[IO[bytes]], object]]] = dict(
    zip(limits.COMPRESSED, (gzip.open, bz2.open, lzma.open, lzma.open), strict=True)
)


#: Documents that are zip archives, and a member that identifies each kind.
_DOCUMENTS: Final = (
    ("word/document.xml", "a Word document"),
    ("xl/workbook.xml", "an Excel document"),
    ("ppt/presentation.xml", "a PowerPoint document"),
    ("[Content_Types].xml", "a Word or Excel document"),
    ("META-INF/manifest.xml", "an OpenDocument file or a program"),
    ("mimetype", "an OpenDocument file"),
)


class _Metered:
    def __init__(self, file: IO[bytes], budget: Budget, name: str) -> None:
        self._file = file
        self._budget = budget
        self._name = name

    def read(self, size: int, /) -> bytes:
        """Reads this number of bytes; fewer only at the end."""
        pieces: list[bytes] = []
        while size > 0 and (piece := self._file.read(min(size, _PIECE))):
            self._budget.take(len(piece), self._name)
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def exceeds(self, size: int) -> bool:
        """Whether more than this number of bytes is left."""
        at = self._file.tell()
        end = self._file.seek(at + size + 1)
        self._file.seek(at)
        return end - at > size


def members(file: IO[bytes], name: str) -> Iterator[Content]:
    """The input, or its members if it is a container; one that cannot be read is an error."""
    budget = Budget(file.seek(0, io.SEEK_END))
    try:
        yield from _told(file, name, budget, _DEPTH)
    except UnpackedError as problem:
        yield problem


def _told(file: IO[bytes], name: str, budget: Budget, depth: int) -> Iterator[Content]:
    file.seek(0)
    head = file.read(_HEAD)
    file.seek(0)
    opener = next((o for magic, o in _COMPRESSED.items() if head.startswith(magic)), None)
    try:
        if opener is not None and depth:
            with cast("IO[bytes]", opener(file)) as unpacked:
                yield from _unpacked(unpacked, name, budget, depth - 1, tar=1)
        elif depth and head.startswith(limits.ZIPPED):
            yield from _zip(file, name, budget, depth)
        elif head[257:262] == b"ustar" and depth:
            yield from _tar(file, name, budget, depth)
        elif depth and saved_pages.is_mail(head):
            for part, payload in saved_pages.parts(whole(file, name), name):
                own = f"{name}!{part}" if part else name
                yield from _told(io.BytesIO(payload), own, budget, min(depth - 1, 1))
        else:
            yield _plain(file, head, name)
    except UnpackedError:
        raise  # the rest of the enclosing archive is not read
    except UnreadableError as problem:
        yield problem
    except _ERRORS_OF_DAMAGED as problem:
        yield _damaged(problem, name)


def _damaged(problem: Exception, name: str) -> UnreadableError:
    if isinstance(problem, zipfile.BadZipFile | RuntimeError):
        reason = "encrypted" if "encrypt" in str(problem) else "damaged"
        return _refused(f"The zip archive is {reason}.", name)
    said = re.sub(r"[^ -~]+", " ", str(problem))[:100].strip().rstrip(".").lower()
    return UnreadableError(
        f"The compressed data is damaged{': ' if said else ''}{said}.",
        source=name,
        hint="Copy or compress the file again.",
    )


def _refused(why: str, name: str) -> UnreadableError:
    return UnreadableError(why, source=name, hint="Extract the reports from it.")


def _plain(file: Readable, head: bytes, name: str) -> tuple[str, bytes]:
    if is_packed(head):
        raise _refused(f"Archives are nested more than {_DEPTH} levels deep.", name)
    return name, whole(file, name)


def _unpacked(
    stream: IO[bytes], name: str, budget: Budget, depth: int, *, tar: int = 0
) -> Iterator[Content]:
    """The members in a stream, read once; ``tar``: levels that a compressed tar archive adds."""
    metered = _Metered(stream, budget, name)
    head = metered.read(_HEAD)
    depth += tar * (head[257:262] == b"ustar")
    if not depth or not (is_packed(head) or saved_pages.is_mail(head)):
        yield _plain(Prefixed(head, metered), head, name)
        return
    with SpooledTemporaryFile(SPOOL) as spool:
        spool.write(head)
        copyfileobj(cast("IO[bytes]", metered), spool, _PIECE)
        yield from _told(cast("IO[bytes]", spool), name, budget, depth)


def _zip(data: IO[bytes], name: str, budget: Budget, depth: int) -> Iterator[Content]:
    # the library reads the whole list at once
    _check_number(MAX_MEMBERS + (list_of(data)[1] > _LONGEST_LIST), name)
    with zip_file(data) as archive:
        entries = (entry for entry in archive.infolist() if not entry.is_dir())
        files: _Files = [(entry.filename, partial(archive.open, entry)) for entry in entries]
        files = [file for file in files if not _LITTER.search(file[0])]
        if what := next((what for part, what in _DOCUMENTS if part in dict(files)), ""):
            raise not_text(what, name)
        _check_number(len(files), name)
        yield from _within(files, name, budget, depth - 1, zipped=True)


class _TarInfo(tarfile.TarInfo):
    """A member with limited additional headers: the library reads them whole, and slowly."""

    def _proc_member(self, tarfile_: tarfile.TarFile) -> tarfile.TarInfo:
        headers = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
        longer = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
        if self.type in (*headers, *longer):
            file = tarfile_.fileobj
            if self.size > _LONGEST_HEADER or file is None:
                raise tarfile.ReadError("a header is too long")
            at = file.tell()
            if _DIGITS.search(file.read(self.size)):
                raise tarfile.ReadError("a header is damaged")
            file.seek(at)
        return cast("tarfile.TarInfo", super()._proc_member(tarfile_))  # type: ignore[misc]


def _tar(data: IO[bytes], name: str, budget: Budget, depth: int) -> Iterator[Content]:
    with tarfile.open(fileobj=data, mode="r:", tarinfo=_TarInfo) as archive:
        files: _Files = []
        for count, member in enumerate(archive):
            if member.isfile() and not _LITTER.search(member.name):
                files.append((member.name, partial(archive.extractfile, member)))
            _check_number(max(len(files), count // 4), name)
        yield from _within(files, name, budget, depth - 1)


def _within(
    files: _Files, name: str, budget: Budget, depth: int, *, zipped: bool = False
) -> Iterator[Content]:
    """The members of an archive in the order of their names."""
    for own, opened in sorted(files, key=lambda file: file[0]):
        member = f"{name}!{own}"
        try:
            with cast("IO[bytes]", opened()) as file:
                yield from _unpacked(file, member, budget, depth)
        except UnpackedError:
            raise
        except UnreadableError as problem:
            yield problem
        except _ERRORS_OF_DAMAGED as problem:
            if "encrypt" in str(problem):
                raise  # the other members are encrypted, too
            yield _damaged(zipfile.BadZipFile() if zipped else problem, member)


def _check_number(count: int, name: str) -> None:
    if count > MAX_MEMBERS:
        raise _refused(f"The archive has more members than the limit of {MAX_MEMBERS:,}.", name)
