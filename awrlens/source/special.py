"""Special files: a device never ends, and a named pipe may never begin."""

from __future__ import annotations

import os
import stat
from typing import IO, Final

from awrlens.errors import NotAReportError

_SPECIAL: Final = (
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
)
#: What the shell passes: ``<(zcat report.gz)``.
_HANDED_OVER: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def regular(path: str) -> IO[bytes]:
    """An open file; raises NotAReportError for a special file, and the system's OSError."""
    handed = path.startswith(_HANDED_OVER) and stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116
    if handed:
        return open(path, "rb")  # noqa: PTH123 - its user closes it
    _check(os.stat(path).st_mode, path)  # noqa: PTH116
    file = open(path, "rb", opener=_at_once)  # noqa: SIM115 - its user closes it
    try:
        _check(os.fstat(file.fileno()).st_mode, path)  # the file may have been replaced
    except NotAReportError:
        file.close()
        raise
    return file


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _check(mode: int, path: str) -> None:
    what = next((what for is_so, what in _SPECIAL if is_so(mode)), "")
    if what:
        raise NotAReportError(
            f"This is {what}, not a file.", source=path, hint="Give the report file."
        )
