"""Inputs of an ingest, one after the other: files, folders, patterns, object-store addresses.

Nothing is collected first, so that a tree of millions of files needs no memory. Order is by name
within each folder: the same inputs give the same batches.
"""

from __future__ import annotations

import hashlib
import os
import stat
import zlib
from contextlib import suppress
from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.errors import UnreadableError, UsageError
from awrlens.lazy import NamedTuple
from awrlens.render.wording import file_name
from awrlens.source.limits import is_packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: A larger file is not kept in memory as a whole while it is read.
_LARGE: Final = 64 * 2**20
#: An archive above this size is read report by report.
_LARGE_ARCHIVE: Final = 8 * 2**20
#: What object stores call the version of an object.
_STAMPS: Final = ("mtime", "ETag", "etag", "LastModified", "last_modified", "updated", "created")


class Opened(NamedTuple):
    """The hash of an input's bytes, and the bytes unless it is large."""

    #: Empty if it could not be read.
    hash: str
    content: bytes | None = None
    problem: UnreadableError | None = None


Row = tuple[Any, ...]


class KnownInput(NamedTuple):
    """What the store knows about an input: columns of ``files``."""

    path: str
    file_hash: str | None
    size: int | None
    stamp: str | None
    outcome: str
    reason: str | None
    line: int | None
    reports: int
    analyzer: str
    policy: str
    reading: str | None
    judging: str | None

    def renamed(self, source: str, path: str) -> str:
        """The name of one of its reports if it is in a file of another path."""
        return path + source.removeprefix(self.path) if source.startswith(self.path) else source


class Kept(NamedTuple):
    """What the store has of an input, or of a part of a large one, so that no file is opened."""

    row: KnownInput
    #: The name of each report, and its document.
    documents: tuple[tuple[str, str], ...]
    #: Rows of members that are not reports.
    problems: tuple[Row, ...] = ()
    #: Whether it is the last part of its input.
    last: bool = True


class InputFile(NamedTuple):
    """An input: its path or address, and what shows that it has changed."""

    path: str
    size: int | None = None
    stamp: str | None = None
    #: Whether the caller named it; others need not be reports.
    named: bool = True
    #: Its path below the folder that the caller named, for shards.
    below: str = ""
    #: What a store has of it, if that is judged instead of reading it.
    kept: Kept | None = None

    @property
    def remote(self) -> bool:
        """Whether it is an address of an object store."""
        return "://" in self.path

    @property
    def config_path(self) -> str:
        """The path whose folder decides about the configuration."""
        return "-" if self.remote else self.path

    def open(self) -> Opened:
        """Read it, or say why that is not possible."""
        if self.remote:
            try:
                content = _fetched(self.path)
            except UnreadableError as problem:
                return Opened("", problem=problem)
            return Opened(hashlib.sha256(content).hexdigest(), content)
        try:
            if not stat.S_ISREG(os.stat(self.path).st_mode):  # noqa: PTH116 - follows links
                return Opened("")  # reading it gives the reason
            with open(self.path, "rb") as file:  # noqa: PTH123 - a path is text here
                if (self.size or 0) > _LARGE:
                    return Opened(hashlib.file_digest(file, "sha256").hexdigest())
                content = file.read()
        except (OSError, ValueError):
            return Opened("")  # reading it gives the reason
        return Opened(hashlib.sha256(content).hexdigest(), content)

    @property
    def is_large_archive(self) -> bool:
        """Whether it is an archive that is better read report by report."""
        if self.kept is not None or self.remote or (self.size or 0) <= _LARGE_ARCHIVE:
            return False
        with suppress(OSError), open(self.path, "rb") as file:  # noqa: PTH123
            return is_packed(file.read(2**13))
        return False


def sources(
    arguments: Sequence[str], exclude: Sequence[Path] = (), shard: tuple[int, int] = (1, 1)
) -> Iterator[InputFile]:
    """Every input of the arguments; UsageError for a pattern without a match, an empty folder.

    ``shard``: part I of N disjoint parts, decided by the paths alone.
    """
    skipped, (number, of) = {os.path.realpath(path) for path in exclude}, shard
    for argument in arguments:
        some = False
        for file in _of(argument, skipped):
            some = True
            name = (file.below or Path(file.path).name).replace("\\", "/") if of > 1 else ""
            if zlib.crc32(name.encode("utf-8", "replace")) % of == number - 1:
                yield file
        if not some:
            raise UsageError(f"There is no file in {argument}.", hint="Check the path.")


def _of(argument: str, skipped: set[str]) -> Iterator[InputFile]:
    path = Path(argument)
    if argument == "-":
        raise UsageError("Standard input cannot be ingested.", hint="Name files or folders.")
    if "://" in argument:
        yield from _objects(argument)
    elif not path.exists() and has_magic(argument):
        names = sorted(glob(argument, recursive=True))  # noqa: PTH207 - as shells know them
        if not names:
            raise UsageError(f"No file matches {argument}.", hint="Check the pattern.")
        for name in names:
            if not Path(name).is_dir():
                yield _file(name)
    elif path.is_dir():
        top = str(path)
        for file in _below(top, skipped):
            yield file._replace(below=file.path[len(top) :].lstrip("/\\"))
    elif path.exists() or path.is_symlink():
        yield _file(argument)
    else:
        raise UsageError(f"There is no file {argument}.", hint="Check the path.")


def _file(name: str) -> InputFile:
    try:
        about = os.stat(name)  # noqa: PTH116 - follows links
    except OSError:
        return InputFile(name)
    return InputFile(name, about.st_size, str(about.st_mtime_ns))


def _below(folder: str, skipped: set[str]) -> Iterator[InputFile]:
    """The files of a folder and its subfolders; links to folders are not followed."""
    names = {os.path.basename(path) for path in skipped}  # noqa: PTH119 - millions of files
    closed: list[str] = []  # they vanished, access is denied, or their path is too long
    for top, folders, files in os.walk(
        folder, onerror=lambda problem: closed.append(problem.filename)
    ):
        links = [name for name in folders if os.path.islink(os.path.join(top, name))]  # noqa: PTH114, PTH118
        ours = {
            name for name in names & {*folders, *files}
            if os.path.realpath(os.path.join(top, name)) in skipped  # noqa: PTH118
        }  # fmt: skip
        folders[:] = sorted({*folders} - ours)
        for name in sorted({*files, *links} - ours):
            yield _file(os.path.join(top, name))._replace(named=False)  # noqa: PTH118
    yield from (InputFile(path, named=False) for path in closed)


def _objects(address: str) -> Iterator[InputFile]:
    """The objects of an address: one, those below it, or those that match a pattern."""
    system, root = _system(address)
    try:
        if has_magic(root):
            objects = system.glob(root, detail=True)
        elif system.isdir(root):
            objects = system.find(root, detail=True)
        else:
            objects = {root: system.info(root)}
    except (OSError, ValueError) as problem:
        raise UsageError(f"{address} cannot be read: {_reason(problem)}.") from None
    named = root in objects
    for name in sorted(objects):
        about = objects[name]
        if about.get("type") == "directory":
            continue
        stamp = next((str(about[key]) for key in _STAMPS if about.get(key) is not None), None)
        path = system.unstrip_protocol(name)
        below = name.removeprefix(root).lstrip("/") or Path(name).name
        yield InputFile(path, about.get("size"), stamp, named=named, below=below)


def _system(address: str) -> tuple[Any, str]:
    from fsspec.core import url_to_fs

    try:
        system, root = url_to_fs(address)
    except (ImportError, ValueError, OSError) as problem:
        raise UsageError(f"{address} cannot be read: {_reason(problem)}.") from None
    return system, root


def _fetched(address: str) -> bytes:
    system, root = _system(address)
    try:
        content: bytes = system.cat_file(root)
    except Exception as problem:  # noqa: BLE001 - every object store has its own errors
        raise UnreadableError(
            f"The object cannot be read: {_reason(problem)}.", source=address
        ) from None
    return content


def _reason(problem: Exception) -> str:
    text = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
    return str(text).strip().rstrip(".")


#: Names of files that are still being copied or written.
_UNFINISHED: Final = (".part", ".tmp", ".filepart", ".crdownload", ".swp")


class Arrivals:
    """Files that have not changed between two looks at the folders."""

    def __init__(self, folders: Sequence[str], exclude: Sequence[Path]) -> None:
        self._folders = folders
        self._skipped = {os.path.realpath(path) for path in exclude}
        self._seen: dict[str, tuple[int | None, str | None]] = {}

    def complete(self) -> list[InputFile]:
        """The files that are as they were at the last look; empty files are still being written."""
        files = [file for top in self._folders for file in _below(top, self._skipped)]
        before, self._seen = self._seen, {}
        unchanged = []
        for file in files:
            name = file_name(file.path)
            if not name.startswith(".") and not name.lower().endswith(_UNFINISHED):
                now = self._seen[file.path] = file.size, file.stamp
                if file.size and before.get(file.path) == now:
                    unchanged.append(file)
        return unchanged
