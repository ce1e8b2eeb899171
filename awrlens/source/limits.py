"""How large an input may be, and what an archive may unpack to."""

from __future__ import annotations

from typing import Final

from awrlens.errors import UnreadableError

#: Largest input, or member of an archive, that is read; real reports stay below 20 MB.
MAX_BYTES: Final = 512 * 2**20
#: An input beyond this is looked through for a report's first line before it is read.
LARGE: Final = 32 * 2**20
#: All that an archive unpacks to, its members and what is packed within them.
MAX_UNPACKED: Final = 8 * 2**30
#: An archive may unpack to so much, and beyond it to so many times its own size. Reports are packed
#: to a tenth, hundreds of them that are alike to a thirtieth (awrlens: measured on real reports).
FREE: Final = 8 * 2**20
RATIO: Final = 200


def too_large(name: str) -> UnreadableError:
    """What to say of an input beyond all bounds."""
    return UnreadableError(
        f"The input is larger than {MAX_BYTES // 2**20} MB.",
        source=name,
        hint="No report is: check what it holds.",
    )


class UnpackedError(UnreadableError):
    """An archive unpacks to more than it may: nothing more of it is read."""


class Budget:
    """What is left of the bytes that an archive may unpack to, over all members and levels."""

    def __init__(self, packed: int) -> None:
        self._left = min(MAX_UNPACKED, max(FREE, RATIO * packed))

    def take(self, count: int, name: str) -> None:
        """Count bytes that were unpacked; UnpackedError when they are too many."""
        self._left -= count
        if self._left < 0:
            raise UnpackedError(
                "The archive unpacks to much more than reports do.",
                source=name,
                hint="Check what it holds, or give the reports out of it.",
            )
