"""The policies of folders in short: the same version gives the same findings."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from awrlens import config
from awrlens.records import NamedTuple
from awrlens.rules.plugins import GROUP

if TYPE_CHECKING:
    from collections.abc import Iterator


class Version(NamedTuple):
    """The version of a policy, and whether budgets or plugins are part of it."""

    version: str
    additions: bool


def folder(path: str) -> str:
    """The folder that decides about the policy of a path."""
    return path if path == "-" else os.path.dirname(path)  # noqa: PTH120 - millions of files


@lru_cache(maxsize=4096)
def of_folder(name: str, options: config.Options) -> Version:
    """The version of a folder's policy: settings that differ from the defaults, and additions."""
    loaded = config.load(name if name == "-" else os.path.join(name, "x"), options)  # noqa: PTH118
    said = [sorted(loaded.policy.values().items()), *_said(loaded.additions)]
    version = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]
    return Version(version, any(loaded.additions))


def _said(additions: config.Additions) -> Iterator[str | list[str]]:
    """Budgets by their content, plugins by the versions of their packages."""
    yield [str(each) for each in additions]
    for file in additions.budgets:
        with suppress(OSError):
            yield hashlib.sha256(Path(file).read_bytes()).hexdigest()
    if additions.plugins:
        for each in sorted(entry_points(group=GROUP), key=lambda each: each.name):
            yield f"{each.name} {each.dist.version if each.dist else ''}"
