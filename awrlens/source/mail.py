"""Reports in mails and in pages that a browser saved as one file (MIME)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import regex
from awrlens.source.encodings import is_text
from awrlens.source.kind import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage

_HEADERS: Final = regex(rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){2,60}?(?:\r?\n)", re.A)
_HEADER: Final = regex(rb"^(?:MIME-Version|Content-Type|Received|From):", re.I | re.M)
#: In a mailbox file, such a line is before the headers of every mail.
_MAILBOX: Final = regex(rb"From [^\n]*\n")
#: Quoted-printable text without its mail: lines are cut before column 77 and marked with ``=``.
_PRINTABLE: Final = regex(rb"^[^\n]{50,75}=\r?$", re.M)
#: This number of lines, none longer: some SQL statements in 8i reports also end in ``=``.
_LEAST_CUT: Final = 5
_LONGER: Final = regex(rb"[^\r\n]{77}")
#: There, every other ``=`` begins a code.
_CODE: Final = regex(rb"=[0-9A-Fa-f]{2}")
_RAW: Final = regex(rb"=(?![0-9A-Fa-f]{2}|\r?\n)")
_PROBE: Final = 2**16
#: Maximum number of parts in a mail, and of nested mails or groups of parts.
_PARTS: Final = 1000
_LEVELS: Final = 20
_BOUNDARY: Final = regex(rb"boundary\s*+=\s*+\"?([^\"\s;]{1,200})", re.I)
_WITHIN: Final = regex(rb"^Content-Type:\s*+message/", re.I | re.M)
#: The library parses these headers; it would never end with one of this length.
_CONTENT: Final = regex(
    rb"^Content-(?:Type|Disposition|Transfer-Encoding):[^\n]*+(?:\n[ \t][^\n]*+)*+", re.I | re.M
)
_LONG: Final = 4000
_HARD_BLANK: Final = "\u00a0".encode()


def is_mail(data: bytes) -> bool:
    """The header of a mail or of a saved page: at least two lines ``Name: value``."""
    begin = _MAILBOX.match(data)
    head = _HEADERS.match(data, begin.end() if begin else 0, _PROBE)
    return head is not None and len(_HEADER.findall(head[0])) > 1


def _check(data: bytes, name: str) -> None:
    """Raise UnreadableError for a mail with more parts, levels or headers than people write."""
    marks = {mark[1] for mark in _BOUNDARY.finditer(data)}
    many = len(marks) > _LEVELS or len(_WITHIN.findall(data)) > _LEVELS
    many = many or sum(data.count(b"\n--" + mark) for mark in marks) > _PARTS
    if many or any(len(header[0]) > _LONG for header in _CONTENT.finditer(data)):
        raise UnreadableError(
            "The mail has too many parts or levels, or its headers are too long.",
            source=name,
            hint="Extract the report from it.",
        )


def parts(data: bytes, name: str) -> Iterator[tuple[str, bytes]]:
    """The contents of a mail, with file names: its attachments, else its page, else its text."""
    _check(data, name)
    from email import message_from_bytes  # noqa: PLC0415 - rarely needed
    from email.policy import default  # noqa: PLC0415

    message = message_from_bytes(data, policy=default)
    leaves = [part for part in message.walk() if not part.is_multipart()]
    files = [part for part in leaves if part.get_filename()]
    pages = [part for part in leaves if part.get_content_type() == "text/html"]
    found = [(part.get_filename() or "", _payload(part)) for part in files or pages or leaves]
    found = [(name, payload) for name, payload in found if payload.strip()]
    if not files:  # a report in the text of a mail, possibly forwarded
        plain = [payload.replace(_HARD_BLANK, b" ") for _, payload in found]
        tells = [any(word.encode() in payload for word in WORDS) for payload in plain]
        telling = [each for each, tell in zip(found, tells, strict=True) if tell]
        found = telling or found
    yield from found


def _payload(part: EmailMessage) -> bytes:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return b""
    charset = part.get_content_charset()
    known = charset in (None, "utf-8", "us-ascii") or not is_text(charset or "")
    if part.get_content_maintype() == "text" and not known:
        # not a text encoding, or an unknown one: the bytes will show what it is
        payload = payload.decode(charset or "utf-8", errors="replace").encode("utf-8", "replace")
    if part.get_param("format") == "flowed":
        payload = _unflowed(payload, deleted=part.get_param("delsp") == "yes")
    return payload


def _unflowed(payload: bytes, *, deleted: bool) -> bytes:
    """Lines as they were before a mail program wrapped them at blanks (RFC 3676)."""
    text = re.sub(rb"(?m)^ (?=[ >]|From )", b"", payload.replace(b"\r\n", b"\n"))
    soft = rb"(?<=[^\n]) \n" if deleted else rb"(?<=[^\n] )\n"
    return re.sub(soft, b"", text)


def unquoted(data: bytes) -> bytes:
    """A text copied from a mail's source, without its soft line ends and hexadecimal codes."""
    cut = _PRINTABLE.findall(data, 0, _PROBE)
    if len(cut) < _LEAST_CUT or _LONGER.search(data, 0, _PROBE):
        return data
    if len(_RAW.findall(data, 0, _PROBE)) > len(_CODE.findall(data, 0, _PROBE)):
        return data
    from quopri import decodestring  # noqa: PLC0415 - rarely needed

    return decodestring(data)
