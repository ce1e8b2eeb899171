"""What holds reports: compressed files, archives, mails.

Told by content, never by name. Members come one at a time and are bounded in size, so that a
small archive cannot fill the memory.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from awrlens.errors import NotAReportError, UnreadableError
from awrlens.source import mail
from awrlens.source.large import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Most members of one archive, and how deep one may stand in another (``reports.tar.gz``).
MAX_MEMBERS: Final = 10_000
_DEPTH: Final = 3
#: What systems put beside the files that people pack.
_LITTER: Final = re.compile(r"(?:^|/)(?:__MACOSX/|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)")


#: Documents that are zip archives, by a member that tells them.
_DOCUMENTS: Final = (
    ("word/document.xml", "a Word document"),
    ("xl/workbook.xml", "an Excel document"),
    ("ppt/presentation.xml", "a PowerPoint document"),
    ("[Content_Types].xml", "a Word or Excel document"),
    ("META-INF/manifest.xml", "an OpenDocument file or a program"),
    ("mimetype", "an OpenDocument file"),
)


class Member(NamedTuple):
    """One input out of a container; its name has the container's before an exclamation mark."""

    name: str
    data: bytes


def members(data: bytes, name: str, depth: int = _DEPTH) -> Iterator[Member | UnreadableError]:
    """The input itself, or what it holds where it is an archive, compressed, or a mail.

    What is damaged, encrypted or too large comes as an error in its place.
    """
    try:
        yield from _opened(data, name, depth)
    except UnreadableError as problem:
        yield problem


def _opened(data: bytes, name: str, depth: int) -> Iterator[Member | UnreadableError]:
    opener = next((o for magic, o in _COMPRESSED if data.startswith(magic)), None)
    try:
        if opener is not None and depth:
            with opener(io.BytesIO(data)) as file:
                yield from members(whole(file, name), name, depth - 1)
        elif depth and data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            yield from _zip(data, name, depth)
        elif data[257:262] == b"ustar" and depth:
            yield from _tar(data, name, depth)
        elif depth and mail.is_mail(data):
            for part, payload in mail.parts(data):
                own = f"{name}!{part}" if part else name
                yield from members(payload, own, 1)
        else:
            yield Member(name, data)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError) as problem:
        raise UnreadableError(
            f"The compressed data is damaged: {str(problem).rstrip('.').lower()}.",
            source=name,
            hint="Copy or compress the file again.",
        ) from None
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as problem:
        reason = "encrypted" if "encrypt" in str(problem) else "damaged"
        raise UnreadableError(
            f"The zip archive is {reason}.", source=name, hint="Give the reports out of it."
        ) from None


def _gzip(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=file))


def _bz2(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", bz2.BZ2File(file))


def _xz(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", lzma.LZMAFile(file))


_COMPRESSED: Final = ((b"\x1f\x8b", _gzip), (b"BZh", _bz2), (b"\xfd7zXZ\x00", _xz))


def _zip(data: bytes, name: str, depth: int) -> Iterator[Member | UnreadableError]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [
            each
            for each in archive.infolist()
            if not each.is_dir() and not _LITTER.search(each.filename)
        ]
        _check_is_no_document({each.filename for each in files}, name)
        _check_number(len(files), name)
        for each in sorted(files, key=lambda info: info.filename):
            own = f"{name}!{each.filename}"
            with archive.open(each) as file:
                yield from members(whole(file, own), own, depth - 1)


def _check_is_no_document(names: set[str], name: str) -> None:
    what = next((what for part, what in _DOCUMENTS if part in names), "")
    if what:
        raise NotAReportError(
            f"This is {what}, not the text or HTML of a report.",
            source=name,
            hint="Give the file that Oracle wrote, or save the document's text.",
        )


def _tar(data: bytes, name: str, depth: int) -> Iterator[Member | UnreadableError]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = [
            each for each in archive.getmembers() if each.isfile() and not _LITTER.search(each.name)
        ]
        _check_number(len(files), name)
        for each in sorted(files, key=lambda info: info.name):
            own = f"{name}!{each.name}"
            file = archive.extractfile(each)
            if file is not None:
                yield from members(whole(file, own), own, depth - 1)


def _check_number(count: int, name: str) -> None:
    if count > MAX_MEMBERS:
        raise UnreadableError(
            f"The archive has {count:,} members; {MAX_MEMBERS:,} are read at most.",
            source=name,
            hint="Give the reports out of it.",
        )
