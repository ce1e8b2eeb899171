"""Files that are written whole or not at all, and never in the place of something else."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

#: Files that are being written: what is left of them when the program is ended.
_unfinished: set[str] = set()
#: What is open already, by its path: it is written to, and keeps its place.
_OPEN: Final = ("/dev/fd/", "/dev/std", "/proc/")


def write(path: str, content: str | bytes, *, private: bool = False) -> None:
    """Write a file; OSError where that cannot be done, and then it is as it was.

    A link stays a link, and what it leads to is written; a device or a pipe is written to; an
    existing file keeps its mode and owner. A ``private`` file is readable by its owner only.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    known = None
    with suppress(FileNotFoundError):
        known = os.stat(path)  # noqa: PTH116 - a link leads on
    if (known and not stat.S_ISREG(known.st_mode)) or str(Path(path).absolute()).startswith(_OPEN):
        with open(path, "wb") as file:  # noqa: PTH123 - a path is text here
            file.write(data)
        return
    target = os.path.realpath(path)
    if known and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), path)
    part = str(Path(target).parent / f".awrlens-{secrets.token_hex(8)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(part, flags | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666)
    _unfinished.add(part)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if known and not private:
                _as_before(handle, known)
        os.replace(part, target)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(part)  # noqa: PTH108
        raise
    finally:
        _unfinished.discard(part)


def _as_before(handle: int, known: os.stat_result) -> None:
    """The mode and the owner of the file that was there."""
    if not hasattr(os, "fchmod"):
        return
    if (known.st_uid, known.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(handle, known.st_uid, known.st_gid)
    os.fchmod(handle, stat.S_IMODE(known.st_mode))


def abandon() -> None:
    """Remove what is being written, because the program ends."""
    for part in list(_unfinished):
        with suppress(OSError):
            os.unlink(part)  # noqa: PTH108
