"""Files of configurations on disk."""

from __future__ import annotations

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


def content(file: str | Path) -> bytes:
    """The bytes of a file; UsageError if it cannot be read or is too large."""
    reason = f"it is larger than {_MOST_BYTES // 2**20} MB"
    try:
        with open(file, "rb") as opened:
            found = opened.read(_MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        reason = (getattr(problem, "strerror", None) or str(problem)).lower()
    else:
        if len(found) <= _MOST_BYTES:
            return found
    raise UsageError(
        f"The configuration cannot be read: {reason}.", source=str(file),
        hint="Check --config and AWRLENS_CONFIG.",
    )  # fmt: skip
