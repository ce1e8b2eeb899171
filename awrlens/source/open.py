"""Inputs to texts: files, folders, archives, standard input; one report after the other.

Line numbers are those of the file: a report that stands further down keeps them.
"""

from __future__ import annotations

import re
import sys
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.errors import UnreadableError, UsageError
from awrlens.source.encodings import decode
from awrlens.source.large import is_packed, whole
from awrlens.source.lines import bare
from awrlens.source.pages import as_printed
from awrlens.source.parts import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CELL = re.compile(r"<td", re.I)
_BREAK = re.compile(r"<(?:br|/)", re.I)
_PRE = re.compile(r"<pre", re.I)
#: How much of an input shows what holds it.
_PROBE: Final = 2**16
_HEAD: Final = 2**13


class Source(NamedTuple):
    """One report's text, the name the user gave it, and the lines that stand before it.

    ``line_numbers`` are those of its lines in the file where some were left out.
    """

    name: str
    text: str
    lines_before: int = 0
    line_numbers: Sequence[int] | None = None

    def line(self, number: int) -> int:
        """The number in the file of a line of the text, both from 1."""
        number += self.lines_before
        if self.line_numbers is None or number > len(self.line_numbers):
            return number
        return self.line_numbers[number - 1]


class Input(NamedTuple):
    """A file to read; ``named`` if the caller asked for it, and not for a folder it is in."""

    path: str
    named: bool = True


def inputs(arguments: tuple[str, ...]) -> list[Input]:
    """Files, the files of folders, those that a pattern names, and ``-``; in order.

    Raises UsageError for a pattern that fits nothing and for a folder without files.
    """
    found: list[Input] = []
    for argument in arguments:
        path = Path(argument)
        if argument != "-" and not path.exists() and has_magic(argument):
            names = sorted(glob(argument, recursive=True))  # noqa: PTH207 - patterns as shells know them
            if not names:
                raise UsageError(f"No file fits {argument}.", hint="Check the pattern.")
            found += [Input(name) for name in names if Path(name).is_file()]
        elif argument != "-" and path.is_dir():
            files = sorted(str(each) for each in path.rglob("*") if each.is_file())
            if not files:
                raise UsageError(f"There is no file in {argument}.", hint="Check the folder.")
            found += [Input(name, named=False) for name in files]
        else:
            found.append(Input(argument))
    return found


def read(path_or_bytes: str | Path | bytes, name: str | None = None) -> Source:
    """The first report's text of one input; ``-`` is standard input.

    Raises UnreadableError with one sentence when the input cannot be opened, is empty, is too
    large or is binary.
    """
    first = next(read_all(path_or_bytes, name))
    if isinstance(first, UnreadableError):
        raise first
    return first


def read_all(
    path_or_bytes: str | Path | bytes, name: str | None = None
) -> Iterator[Source | UnreadableError]:
    """The text of every report of one input: an archive's members, and those within one file.

    A file with several reports names them ``file#1``, ``file#2``; a member is ``archive!member``.
    What cannot be read comes as the error in its place, so that the others are read.
    """
    try:
        label, data = _bytes(path_or_bytes, name)
    except UnreadableError as problem:
        yield problem
        return
    if not is_packed(data) and not _has_header(data):
        yield from _texts(label, data)
        return
    from awrlens.source.containers import members  # noqa: PLC0415 - for containers only

    some = False
    try:
        for member in members(data, label):
            some = True
            if isinstance(member, UnreadableError):
                yield member
            else:
                yield from _texts(member.name, member.data)
    except UnreadableError as problem:
        some = True
        yield problem
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
        from awrlens.source.mail import unquoted  # noqa: PLC0415 - rarely needed

        data = unquoted(data)
    try:
        text = decode(data, name)
    except UnreadableError as problem:
        yield problem
        return
    numbers: Sequence[int] | None = None
    page = _CELL.search(text, 0, _PROBE) is not None
    if (not page and _BREAK.search(text, 0, _PROBE)) or _PRE.search(text, 0, _PROBE):
        from awrlens.source.shown import shown  # noqa: PLC0415 - rarely needed

        text, numbers = shown(text)
    parts = list(split(text))
    for number, (part, before) in enumerate(parts, start=1):
        label = f"{name}#{number}" if len(parts) > 1 else name
        if len(parts) > 1:
            page = _CELL.search(part, 0, _PROBE) is not None
        yield _source(label, part, before, numbers, page=page)


def _source(
    name: str, text: str, before: int, numbers: Sequence[int] | None, *, page: bool
) -> Source:
    """One report's text as Oracle printed it; ``numbers`` are those of the whole file's lines."""
    found = bare(text)
    text = as_printed(found.text) if page else found.text
    if found.numbers is None:
        return Source(name, text, before, numbers)
    own = [number + before for number in found.numbers]
    return Source(name, text, 0, [numbers[each - 1] for each in own] if numbers else own)


def _bytes(path_or_bytes: str | Path | bytes, name: str | None) -> tuple[str, bytes]:
    if isinstance(path_or_bytes, bytes):
        label, data = name or "<bytes>", path_or_bytes
    elif str(path_or_bytes) == "-":
        if sys.stdin is None:
            raise UnreadableError("Standard input is closed.", hint="Name a file.")
        label, data = "<stdin>", whole(sys.stdin.buffer, "<stdin>")
    else:
        label = str(path_or_bytes)
        try:
            with Path(path_or_bytes).open("rb") as file:
                data = whole(file, label, again=file.seekable())
        except IsADirectoryError:
            raise UnreadableError(
                "This is a folder.", source=label, hint="Name the reports in it."
            ) from None
        except OSError as problem:
            reason = (problem.strerror or str(problem)).lower()
            raise UnreadableError(
                f"The file cannot be read: {reason}.", source=label, hint="Check the path."
            ) from None
    return label, data
