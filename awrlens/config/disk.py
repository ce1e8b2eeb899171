"""Files of configurations on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

#: Maximum size of a configuration file.
_MOST_BYTES: Final = 2**20


def path(file: str) -> Path:
    """A path, where there is a file; most reports have none, and ``pathlib`` takes long."""
    from pathlib import Path  # noqa: PLC0415 - see above

    return Path(file)


def content(
    file: str | Path, what: str = "configuration",
    hint: str = "Check --config and AWRLENS_CONFIG.", *, regular: bool = False,
) -> bytes:  # fmt: skip
    """The bytes of a file; UsageError if it cannot be read or is too large."""
    reason = f"it is larger than {_MOST_BYTES // 2**20} MB"
    if regular and os.path.exists(file) and not os.path.isfile(file):
        reason = "it is not a regular file"
    else:
        try:
            with open(file, "rb") as opened:
                found = opened.read(_MOST_BYTES + 1)
            if len(found) <= _MOST_BYTES:
                return found
        except (OSError, ValueError) as problem:
            reason = (getattr(problem, "strerror", None) or str(problem)).lower()
    raise UsageError(f"The {what} cannot be read: {reason}.", source=str(file), hint=hint)
