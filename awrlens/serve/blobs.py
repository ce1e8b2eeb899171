"""The bytes of uploads, by their hash: the same report is stored once.

All functions block. ``has`` and ``drop`` are called within a transaction that holds a lock on the
hash, so that bytes are never deleted while another upload begins to use them.
"""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from awrlens.errors import UsageError
from awrlens.serve.problems import Problem, busy

if TYPE_CHECKING:
    from collections.abc import Iterator


#: Hexadecimal digits of a hash.
_DIGITS: Final = 64


class Blobs(Protocol):
    """Where bytes are stored."""

    def put(self, hash_: str, data: bytes) -> None:
        """Store bytes; they are durable when this returns."""

    def has(self, hash_: str) -> bool:
        """Whether the bytes are stored."""

    def get(self, hash_: str) -> bytes | None:
        """The bytes; None if there are none."""

    def drop(self, hash_: str) -> None:
        """Delete bytes; nothing happens if there are none."""

    def before(self, moment: float) -> Iterator[str]:
        """The hashes of what was stored before a time."""


class Folder:
    """Files in a folder, in 256 subfolders."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for part in _unfinished(folder):
            with suppress(OSError):
                part.unlink()

    def _file(self, hash_: str) -> Path:
        return self._folder / hash_[:2] / hash_

    def _put(self, hash_: str, data: bytes) -> None:
        file = self._file(hash_)
        if file.exists():
            return
        file.parent.mkdir(exist_ok=True, mode=0o700)
        part = file.parent / f"{secrets.token_hex(8)}.part"
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            part.replace(file)
            _sync(file.parent)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise

    def put(self, hash_: str, data: bytes) -> None:
        """Store bytes; they are durable when this returns."""
        try:
            self._put(hash_, data)
        except OSError:
            raise Problem(507, "The server cannot store the report: its disk is full or not "
                          "writable. Nothing was kept.") from None  # fmt: skip

    def has(self, hash_: str) -> bool:
        """Whether the bytes are stored."""
        return self._file(hash_).exists()

    def get(self, hash_: str) -> bytes | None:
        """The bytes; None if there are none."""
        try:
            return self._file(hash_).read_bytes()
        except FileNotFoundError:
            return None

    def drop(self, hash_: str) -> None:
        """Delete bytes; nothing happens if there are none."""
        with suppress(FileNotFoundError):
            self._file(hash_).unlink()

    def before(self, moment: float) -> Iterator[str]:
        """The hashes of what was stored before a time."""
        for file in self._folder.glob("??/*"):
            with suppress(OSError):
                if _is_hash(file.name) and file.stat().st_mtime < moment:
                    yield file.name


def _is_hash(name: str) -> bool:
    """Whether a file is ours; a bucket may have others."""
    return len(name) == _DIGITS and set(name) <= set("0123456789abcdef")


def _unfinished(folder: Path) -> Iterator[Path]:
    """What a killed server left."""
    yield from folder.glob("*/*.part")


def _sync(folder: Path) -> None:
    """Make the names in a folder durable, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Bucket:
    """Objects of an S3 API, by obstore; the environment has the credentials (AWS_…)."""

    def __init__(self, url: str) -> None:
        try:
            from obstore.store import from_url  # noqa: PLC0415 - an extra
        except ImportError:
            raise UsageError(
                "Reports in S3 need obstore.", hint="pip install 'awrlens[web,s3]'"
            ) from None
        retries: Any = {"max_retries": 3, "retry_timeout": timedelta(seconds=20)}
        self._store: Any = from_url(url, retry_config=retries)

    def put(self, hash_: str, data: bytes) -> None:
        """Store bytes; they are durable when this returns."""
        with _available():
            self._store.put(hash_, data)

    def has(self, hash_: str) -> bool:
        """Whether the bytes are stored."""
        try:
            with _available():
                self._store.head(hash_)
        except FileNotFoundError:
            return False
        return True

    def get(self, hash_: str) -> bytes | None:
        """The bytes; None if there are none."""
        try:
            with _available():
                return bytes(self._store.get(hash_).bytes())
        except FileNotFoundError:
            return None

    def drop(self, hash_: str) -> None:
        """Delete bytes; nothing happens if there are none."""
        with suppress(FileNotFoundError), _available():
            self._store.delete(hash_)

    def before(self, moment: float) -> Iterator[str]:
        """The hashes of what was stored before a time."""
        with _available():
            for some in self._store.list():
                for each in some:
                    if _is_hash(each["path"]) and each["last_modified"].timestamp() < moment:
                        yield each["path"]


@contextmanager
def _available() -> Iterator[None]:
    """503 if the bucket does not answer; its messages contain addresses."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - an extra

    try:
        yield
    except FileNotFoundError:
        raise
    except BaseError as problem:
        raise busy("The store of the reports is not available.") from problem


def opened(url: str, folder: Path) -> Blobs:
    """The bucket of a URL, or a folder without a URL."""
    if not url:
        return Folder(folder)
    if not url.startswith("s3://"):
        raise UsageError(
            "The place of reports is not an S3 URL.", hint="For example s3://bucket/awrlens."
        )
    return Bucket(url)
