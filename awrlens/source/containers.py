"""What holds reports: compressed files, archives, mails, pages around a text.

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
from html import unescape
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from awrlens.errors import UnreadableError
from awrlens.source.limits import MAX_BYTES, too_large

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Most members of one archive, and how deep one may stand in another (``reports.tar.gz``).
MAX_MEMBERS: Final = 10_000
_DEPTH: Final = 3
_MAIL: Final = re.compile(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){2,40}?(?:\r?\n)", re.A)
_MAIL_HEADER: Final = re.compile(rb"^(?:MIME-Version|Content-Type|Received|From):", re.I | re.M)
_PRE: Final = re.compile(r"<pre\b[^>]*>", re.I)


class Member(NamedTuple):
    """One input out of a container; its name has the container's before an exclamation mark."""

    name: str
    data: bytes


def members(data: bytes, name: str, depth: int = _DEPTH) -> Iterator[Member]:
    """The input itself, or what it holds where it is an archive, compressed, or a mail.

    Raises UnreadableError in one sentence for what is damaged, encrypted or too large.
    """
    opener = next((o for magic, o in _COMPRESSED if data.startswith(magic)), None)
    try:
        if opener is not None and depth:
            with opener(io.BytesIO(data)) as file:
                yield from members(_bounded(file, name), name, depth - 1)
        elif data.startswith((b"PK\x03\x04", b"PK\x05\x06")) and depth:
            yield from _zip(data, name, depth)
        elif data[257:262] == b"ustar" and depth:
            yield from _tar(data, name, depth)
        elif depth and _is_mail(data):
            yield from _mail(data, name)
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


def _bounded(file: IO[bytes], name: str) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise too_large(name)
    return data


def _gzip(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=file))


def _bz2(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", bz2.BZ2File(file))


def _xz(file: IO[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", lzma.LZMAFile(file))


_COMPRESSED: Final = ((b"\x1f\x8b", _gzip), (b"BZh", _bz2), (b"\xfd7zXZ\x00", _xz))


def _zip(data: bytes, name: str, depth: int) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [each for each in archive.infolist() if not each.is_dir()]
        if any(each.filename == "[Content_Types].xml" for each in files):
            raise UnreadableError(
                "This is a Word or Excel document, not the text or HTML of a report.",
                source=name,
                hint="Give the report file itself.",
            )
        _check_number(len(files), name)
        for each in sorted(files, key=lambda info: info.filename):
            own = f"{name}!{each.filename}"
            with archive.open(each) as file:
                yield from members(_bounded(file, own), own, depth - 1)


def _tar(data: bytes, name: str, depth: int) -> Iterator[Member]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = [each for each in archive.getmembers() if each.isfile()]
        _check_number(len(files), name)
        for each in sorted(files, key=lambda info: info.name):
            own = f"{name}!{each.name}"
            file = archive.extractfile(each)
            if file is not None:
                yield from members(_bounded(file, own), own, depth - 1)


def _check_number(count: int, name: str) -> None:
    if count > MAX_MEMBERS:
        raise UnreadableError(
            f"The archive has {count:,} members; {MAX_MEMBERS:,} are read at most.",
            source=name,
            hint="Give the reports out of it.",
        )


def _is_mail(data: bytes) -> bool:
    """A header of a mail or of a saved page (MIME): at least two lines ``Name: value``."""
    head = _MAIL.match(data, 0, 16384) if b":" in data[:80] else None
    return head is not None and len(_MAIL_HEADER.findall(head[0])) > 1


def _mail(data: bytes, name: str) -> Iterator[Member]:
    """Attachments and parts of a mail or a saved page: HTML rather than its plain twin."""
    from email import message_from_bytes  # noqa: PLC0415 - rarely needed
    from email.policy import default  # noqa: PLC0415

    message = message_from_bytes(data, policy=default)
    leaves = [part for part in message.walk() if not part.is_multipart()]
    files = [part for part in leaves if part.get_filename()]
    pages = [part for part in leaves if part.get_content_type() == "text/html"]
    for part in files or pages or leaves:
        payload = part.get_payload(decode=True)
        if not isinstance(payload, bytes) or not payload.strip():
            continue
        charset = part.get_content_charset()
        if part.get_content_maintype() == "text" and charset not in (None, "utf-8", "us-ascii"):
            payload = payload.decode(charset or "utf-8", errors="replace").encode()
        own = f"{name}!{part.get_filename()}" if part.get_filename() else name
        yield from members(payload, own, 1)


def out_of_pre(text: str) -> str:
    """A text report that a page shows inside ``<pre>``: markup taken out, line numbers kept."""
    begin = _PRE.search(text)
    if begin is None:
        return text
    end = text.lower().find("</pre", begin.end())
    inside = text[begin.end() : end if end >= 0 else len(text)]
    if "<table" in inside.lower():
        return text
    plain = unescape(re.sub(r"<[^<>\n]*>", "", inside)).replace("\u00a0", " ")
    return "\n" * text.count("\n", 0, begin.end()) + plain
