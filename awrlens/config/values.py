"""The values that make up a configuration, and its files on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from awrlens.checks.selection import Settings
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from awrlens.config.file import File


class Written(NamedTuple):
    """Budgets that are given as text, and what they are called."""

    name: str
    text: str


class Options(NamedTuple):
    """Options of the command line: a file, a device, ``NAME=VALUE`` settings, a profile."""

    file: str | None = None
    device: str | None = None
    settings: tuple[str, ...] = ()
    profile: str | None = None
    #: Whether all configuration files are ignored.
    isolated: bool = False
    #: Budgets besides those of the configuration; no command has an option for them.
    budgets: tuple[Written, ...] = ()


class Additions(NamedTuple):
    """Additional rules: files of budgets, and plugins (all, none or some by name)."""

    budgets: tuple[str, ...] = ()
    plugins: bool | tuple[str, ...] = False
    written: tuple[Written, ...] = ()


class Content(NamedTuple):
    """Settings of a file or a profile: thresholds, `check` settings, custom profiles."""

    policy: Policy = Policy()
    check: Settings = Settings()
    #: Baseline file; a relative path starts at the configuration's folder.
    baseline: str | None = None
    #: A page about awrlens, for outputs with a link.
    information_uri: str = ""
    profiles: Mapping[str, Mapping[str, Any]] = {}
    profile: str | None = None
    additions: Additions = Additions()
    #: The file with the profiles, for error messages.
    written: File | None = None


class Loaded(NamedTuple):
    """The configuration for reports of a folder, and its file, if any."""

    policy: Policy
    file: Path | None
    check: Settings = Settings()
    baseline: str | None = None
    profile: str | None = None
    additions: Additions = Additions()
    information_uri: str = ""


#: Maximum size of a configuration file.
_MOST_BYTES: Final = 2**20


def path(file: str) -> Path:
    """A path, where there is a file; most reports have none, and ``pathlib`` takes long."""
    from pathlib import Path

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
