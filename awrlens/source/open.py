"""Inputs to texts: files, folders, archives, standard input; one report after the other.

Line numbers are those of the file, also for a report that begins further down.
"""

from __future__ import annotations

import io
import os
import re
import sys
from binascii import Error as BinasciiError
from binascii import a2b_base64
from contextlib import contextmanager, nullcontext, suppress
from typing import IO, TYPE_CHECKING, Final, cast

from awrlens.errors import NotAReportError, UnreadableError, UsageError, reason
from awrlens.lazy import NamedTuple, regex
from awrlens.source.copied_text import bare, with_line_ends
from awrlens.source.encodings import decode
from awrlens.source.limits import MAX_BYTES, Prefixed, is_packed, regular, too_large, whole
from awrlens.source.parts import split
from awrlens.source.saved_pages import VIEWED, as_printed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

_GLOB = regex(r"[*?\[]")
_CELL = regex(r"<td", re.I)
_BREAK = regex(r"<(?:br|/)", re.I)
_PRE = regex(r"<pre", re.I)
#: The beginning of a file in base64: no report is so long without a blank.
_BASE64: Final = regex(rb"\s*(?:[A-Za-z0-9+/](?:\r?\n)?){512}")
#: How much of an input shows what kind of container it is.
_PROBE: Final = 2**16
_HEAD: Final = 2**13
#: Maximum number of reports of any length in one file; more must be as long as this on average.
_FEW: Final = 100
_SHORT: Final = 2**11
#: Input from a pipe is kept in memory up to this size; larger input goes to a file.
_SPOOL: Final = 2**23


class Source(NamedTuple):
    """One report's text, its name, and where its lines are in the file, if some were removed."""

    name: str
    text: str
    lines_before: int = 0
    line_numbers: Sequence[int] | None = None

    def line(self, number: int) -> int:
        """The line number in the file of a line of the text, both from 1."""
        number += self.lines_before
        if self.line_numbers is None or number > len(self.line_numbers):
            return number
        return self.line_numbers[number - 1]


class Input(NamedTuple):
    """A file to read, or its ``data``; not ``named`` if it is one of a folder."""

    path: str
    named: bool = True
    data: bytes | None = None

    @property
    def content(self) -> str | bytes:
        """The bytes, or the path that has them."""
        return self.path if self.data is None else self.data


def inputs(arguments: Sequence[str | Input]) -> list[Input]:
    """Files, those of folders and patterns, and ``-``, in order; UsageError where there is none."""
    named: list[Input] = []
    for argument in arguments:
        if isinstance(argument, Input):
            named.append(argument)
            continue
        if argument != "-" and not os.path.exists(argument) and _GLOB.search(argument):
            from glob import glob

            try:
                names = sorted(glob(argument, recursive=True))
            except RecursionError:
                raise UsageError(f"The folders in {argument} are nested too deeply.") from None
            if not names:
                raise UsageError(f"No file matches {argument}.", hint="Check the pattern.")
            named += [Input(name) for name in names if not os.path.isdir(name)]
        elif argument != "-" and os.path.isdir(argument):
            files = sorted(_below(argument))
            if not files:
                raise UsageError(f"There is no file in {argument}.", hint="Check the folder.")
            named += [Input(name, named=False) for name in files]
        else:
            named.append(Input(argument))
    return named


def _below(folder: str) -> Iterator[str]:
    """The files of a folder at any depth, also unreadable ones; links are not followed."""
    from pathlib import Path

    folders = [str(Path(folder))]
    while folders:
        path = folders.pop()
        try:
            with os.scandir(path) as entries:
                content = list(entries)
        except OSError:  # it vanished, access is denied, or its path is too long
            yield path
            continue
        for entry in content:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    yield entry.path.removeprefix(f".{os.sep}")


def read(path_or_bytes: str | Path | bytes, name: str | None = None) -> Source:
    """The first report's text of one input (``-``: standard input), or UnreadableError."""
    first = next(read_all(path_or_bytes, name))
    if isinstance(first, UnreadableError):
        raise first
    return first


def read_all(
    path_or_bytes: str | Path | bytes, name: str | None = None
) -> Iterator[Source | UnreadableError]:
    """The text of every report of one input (``file#1``, ``archive!member``), or its error."""
    try:
        label, opened = _opened(path_or_bytes, name)
        with opened as file:
            packed, data = _read(file, label)
            if b" " not in data[:_HEAD].lstrip()[:512] and _BASE64.match(data):
                with suppress(BinasciiError):  # letters of a text, not of base64
                    data = a2b_base64(data)
                packed = io.BytesIO(data) if is_packed(data) else None
            if packed is None and _has_header(data):
                packed = io.BytesIO(data)
            if packed is None:
                yield from _texts(label, data)
            else:
                with nullcontext(packed) if packed is file else packed:
                    yield from _members(packed, label)
    except UnreadableError as problem:
        yield problem


def _members(file: IO[bytes], label: str) -> Iterator[Source | UnreadableError]:
    from awrlens.source.containers import members

    some = False
    for member in members(file, label):
        some = True
        if isinstance(member, UnreadableError):
            yield member
        else:
            yield from _texts(*member)
    if not some:
        yield UnreadableError("The archive is empty.", source=label, hint="Give the reports.")


def _has_header(data: bytes) -> bool:
    """Whether an input may be a mail or a mailbox: it begins with a name and a colon."""
    if data.startswith(b"From "):
        return True
    name, colon, _ = data[:80].lstrip().partition(b":")
    return bool(colon) and name.replace(b"-", b"").isalpha()


def _texts(name: str, data: bytes) -> Iterator[Source | UnreadableError]:
    head = data[:_HEAD]
    if b"=\n" in head or b"=\r\n" in head:
        from awrlens.source.saved_pages import unquoted

        data = unquoted(data)
    try:
        text = with_line_ends(decode(data, name))
    except UnreadableError as problem:
        yield problem
        return
    numbers: Sequence[int] | None = None
    tag = text.find("<", 0, _PROBE)  # many times as fast as a pattern
    page = tag >= 0 and _CELL.search(text, tag, _PROBE) is not None
    if tag >= 0 and (
        (not page and _BREAK.search(text, tag, _PROBE))
        or _PRE.search(text, tag, _PROBE)
        or text.find(VIEWED, tag, _PROBE) >= 0
    ):
        from awrlens.source.saved_pages import shown

        text, numbers = shown(text)
        page = _CELL.search(text, 0, _PROBE) is not None
    parts = list(split(text))
    if len(parts) > _FEW + len(text) // _SHORT:
        yield UnreadableError(
            f"The file has the first lines of {len(parts):,} reports, too many for its size.",
            source=name, hint="Check what it contains.",
        )  # fmt: skip
        return
    for number, (part, before) in enumerate(parts, start=1):
        label = f"{name}#{number}" if len(parts) > 1 else name
        if len(parts) > 1:
            page = _CELL.search(part, 0, _PROBE) is not None
        lines = bare(part)
        text = as_printed(lines.text) if page else lines.text
        if lines.numbers is None:
            yield Source(label, text, before, numbers)
        else:
            own = [number + before for number in lines.numbers]
            yield Source(label, text, 0, [numbers[line - 1] for line in own] if numbers else own)


def _opened(
    path_or_bytes: str | Path | bytes, name: str | None
) -> tuple[str, AbstractContextManager[IO[bytes]]]:
    if isinstance(path_or_bytes, bytes):
        return name or "<bytes>", io.BytesIO(path_or_bytes)
    if str(path_or_bytes) == "-":
        if sys.stdin is None:
            raise UnreadableError("Standard input is closed.", hint="Name a file.")
        return "<stdin>", nullcontext(sys.stdin.buffer)
    label = str(path_or_bytes)
    with _told(label):
        return label, regular(label)


def _read(file: IO[bytes], label: str) -> tuple[IO[bytes] | None, bytes]:
    """The open file if it is an archive or compressed, else all its bytes."""
    with _told(label):
        head = file.read(_HEAD)
        if not is_packed(head):
            if not file.seekable():
                return None, whole(Prefixed(head, file), label)
            file.seek(0)
            return None, whole(file, label)
        if file.seekable():
            return file, b""
        from tempfile import SpooledTemporaryFile

        spool = cast("IO[bytes]", SpooledTemporaryFile(_SPOOL))  # noqa: SIM115 - its user closes it
        spool.write(head)
        while piece := file.read(_SPOOL):
            spool.write(piece)
            if spool.tell() > MAX_BYTES:
                raise too_large(label)
        return spool, b""


@contextmanager
def _told(label: str) -> Iterator[None]:
    """Reports the operating system's error for a file in a sentence."""
    try:
        yield
    except IsADirectoryError:
        if os.path.islink(label):
            raise NotAReportError(
                "This is a link to a folder; awrlens does not follow it.", source=label,
                hint="Give that folder.",
            ) from None  # fmt: skip
        raise UnreadableError(
            "This is a folder.", source=label, hint="Give the reports in it."
        ) from None
    except (OSError, ValueError) as problem:
        raise UnreadableError(
            f"The file cannot be read: {reason(problem)}.", source=label, hint="Check the path."
        ) from None
