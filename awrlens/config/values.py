"""The values that make up a configuration, and its files on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from awrlens.checks.selection import Settings
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


PYPROJECT: Final = "pyproject.toml"


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
    isolated: bool = False
    #: Budgets besides those of the configuration; no command has an option for them.
    budgets: tuple[Written, ...] = ()


class Additions(NamedTuple):
    """Additional rules: files of budgets, and plugins (all, none or some by name)."""

    budgets: tuple[str, ...] = ()
    plugins: bool | tuple[str, ...] = False
    written: tuple[Written, ...] = ()


class Loaded(NamedTuple):
    """A configuration: of a file or a profile, or what is in force for the reports of a folder."""

    policy: Policy = Policy()
    file: Path | None = None
    check: Settings = Settings()
    #: Baseline file; a relative path starts at the configuration's folder.
    baseline: str | None = None
    #: A page about awrlens, for outputs with a link.
    information_uri: str = ""
    profile: str | None = None
    additions: Additions = Additions()
    #: Those of the file, and what applies one of them.
    profiles: Mapping[str, Mapping[str, Any]] = {}
    under: Callable[[Loaded, str], Loaded] | None = None


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
                data = opened.read(_MOST_BYTES + 1)
            if len(data) <= _MOST_BYTES:
                return data
        except (OSError, ValueError) as problem:
            reason = (getattr(problem, "strerror", None) or str(problem)).lower()
    raise UsageError(f"The {what} cannot be read: {reason}.", source=str(file), hint=hint)
