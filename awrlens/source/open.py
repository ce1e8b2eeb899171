"""Bytes to text, with the file's own line numbers kept."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final, NamedTuple

from awrlens.errors import UnreadableError

#: Largest input that is read; real reports stay below 20 MB.
MAX_BYTES: Final = 512 * 2**20
#: How much of an input is looked at to tell text from binary data.
_PROBE: Final = 8192


class Source(NamedTuple):
    """One input: the name the user gave it and its text."""

    name: str
    text: str


def read(path_or_bytes: str | Path | bytes, name: str | None = None) -> Source:
    """Read and decode one input; ``-`` is standard input.

    Raises UnreadableError with one sentence when the input cannot be opened, is empty, is too
    large or is binary.
    """
    if isinstance(path_or_bytes, bytes):
        return Source(name or "<bytes>", decode(path_or_bytes, name or "<bytes>"))
    label = str(path_or_bytes)
    if label == "-":
        return Source("<stdin>", decode(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"))
    try:
        with Path(path_or_bytes).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise UnreadableError(
            "This is a folder.", source=label, hint="Name the reports in it."
        ) from None
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UnreadableError(
            f"The file cannot be read: {reason}.", source=label, hint="Check the path."
        ) from None
    return Source(label, decode(data, label))


def decode(data: bytes, name: str) -> str:
    """Text of a report: UTF-8 where it is that, else Windows-1252 (every byte has a meaning).

    Raises UnreadableError for empty, oversized and binary input.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableError(
            f"The input is larger than {MAX_BYTES // 2**20} MB.",
            source=name,
            hint="No report is: check what it holds.",
        )
    if not data or data.isspace():
        raise UnreadableError("The file is empty.", source=name, hint="Generate the report again.")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:_PROBE]:
        raise UnreadableError(
            "This is binary data, not the text or HTML of a report.",
            source=name,
            hint="Give the report file itself.",
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # errors="replace" concerns only the five bytes that Windows-1252 leaves open
        return data.decode("cp1252", errors="replace")
