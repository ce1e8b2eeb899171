"""Writes files completely or not at all, and never replaces other kinds of files."""

from __future__ import annotations

import io
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError, install

if TYPE_CHECKING:
    import pandas as pd

#: Temporary files that are still being written; removed if the program ends.
_unfinished: set[str] = set()
#: Paths of open streams: they are written to directly.
_OPEN: Final = ("/dev/fd/", "/dev/std", "/proc/")


def write(path: str, content: str | bytes, *, private: bool = False) -> None:
    """Write a file, or raise OSError and leave it; devices, links, modes and owners are kept."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    before = None
    with suppress(FileNotFoundError):
        before = os.stat(path)
    if (before and not stat.S_ISREG(before.st_mode)) or os.path.abspath(path).startswith(_OPEN):
        with open(path, "wb") as file:
            file.write(data)
        return
    target = os.path.realpath(path)
    if before and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)
    import secrets

    part = os.path.join(os.path.dirname(target), f".awrlens-{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(part, flags | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666)
    _unfinished.add(part)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if before and not private:
                _as_before(handle, before)
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    finally:
        _unfinished.discard(part)


def write_parquet(path: str, frame: pd.DataFrame) -> None:
    """Write a frame as Parquet; UsageError if pyarrow is missing or the path cannot be written."""
    buffer = io.BytesIO()
    try:
        frame.to_parquet(buffer, index=False)
        write(path, buffer.getvalue())
    except ImportError:
        raise UsageError("Parquet needs pyarrow.", hint=install("parquet")) from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}.") from None


def _as_before(handle: int, before: os.stat_result) -> None:
    if not hasattr(os, "fchmod"):
        return
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(handle, before.st_uid, before.st_gid)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def abandon() -> None:
    """Remove temporary files because the program ends."""
    for part in list(_unfinished):
        with suppress(OSError):
            os.unlink(part)
