"""How large an input may be."""

from __future__ import annotations

from typing import Final

from awrlens.errors import UnreadableError

#: Largest input, or member of an archive, that is read; real reports stay below 20 MB.
MAX_BYTES: Final = 512 * 2**20
#: An input beyond this is looked through for a report's first line before it is read.
LARGE: Final = 32 * 2**20


def too_large(name: str) -> UnreadableError:
    """What to say of an input beyond all bounds."""
    return UnreadableError(
        f"The input is larger than {MAX_BYTES // 2**20} MB.",
        source=name,
        hint="No report is: check what it holds.",
    )
