"""How large an input may be, and how large an archive may be when unpacked."""

from __future__ import annotations

from typing import Final

from awrlens.errors import UnreadableError

#: Maximum size of an input, or of an archive's member; real reports are smaller than 20 MB.
MAX_BYTES: Final = 512 * 2**20
#: A larger input is searched for a report's first line before it is read.
LARGE: Final = 32 * 2**20
#: Maximum size of an unpacked archive, with all its members and nested archives.
MAX_UNPACKED: Final = 8 * 2**30
#: An archive may unpack to this size; above that, to this multiple of its own size. Reports
#: compress to a tenth of their size, and hundreds of similar ones to a thirtieth
#: (awrlens: measured on real reports).
FREE: Final = 8 * 2**20
RATIO: Final = 200


def too_large(name: str) -> UnreadableError:
    """The error for an input that is too large."""
    return UnreadableError(
        f"The input is larger than {MAX_BYTES // 2**20} MB.",
        source=name,
        hint="Reports are smaller: check what the file contains.",
    )


class UnpackedError(UnreadableError):
    """An archive unpacks to more than the limit; the rest of it is not read."""


class Budget:
    """The number of bytes that an archive may still unpack to, over all members and levels."""

    def __init__(self, packed: int) -> None:
        self._left = min(MAX_UNPACKED, max(FREE, RATIO * packed))

    def take(self, count: int, name: str) -> None:
        """Count unpacked bytes; raise UnpackedError when there are too many."""
        self._left -= count
        if self._left < 0:
            raise UnpackedError(
                "The archive unpacks to more data than reports contain.",
                source=name,
                hint="Check its contents, or extract the reports from it.",
            )
