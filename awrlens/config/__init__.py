"""Configuration: thresholds from a file, the environment and the command line.

In increasing order of precedence: defaults, then ``[tool.awrlens]`` in ``pyproject.toml`` or an
``awrlens.toml`` in the report's folder or above (or a given file), then the environment, then the
command line. The result is a policy in which every value has its origin. An unknown key is an
error that suggests the most similar one.
"""

from __future__ import annotations

import os
import sys
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from awrlens.config import values
from awrlens.config.values import PYPROJECT, Additions, Loaded, Options, Written
from awrlens.errors import UsageError
from awrlens.lazy import beside

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "ENVIRONMENT", "FILE", "Additions", "Loaded", "Options", "Written", "load", "template",
]  # fmt: skip

FILE: Final = "awrlens.toml"
_TABLE: Final = b"[tool.awrlens"
#: Environment variables: a file, a profile, a device, settings separated by commas.
ENVIRONMENT: Final = {
    "AWRLENS_CONFIG": "configuration file; empty for none",
    "AWRLENS_PROFILE": "profile: prod-oltp, batch, exadata, or one of the configuration file",
    "AWRLENS_DEVICE": "storage to model: a name from `awrlens devices`, or a latency",
    "AWRLENS_SET": "thresholds: NAME=VALUE,NAME=VALUE",
}


def load(report: str, options: Options = Options()) -> Loaded:  # noqa: B008 - an immutable value
    """The policy for one report, by its path as given (``-``: the current folder).

    Raises UsageError for an unreadable file, an unknown key or an invalid value.
    """
    folder = "" if report == "-" else os.path.dirname(report.rstrip(os.sep))
    environment = tuple((name, os.environ.get(name)) for name in ENVIRONMENT)
    return _load(os.path.abspath(folder), options, environment)


@lru_cache(maxsize=256)
def _load(folder: str, options: Options, environment: tuple[tuple[str, str | None], ...]) -> Loaded:
    said = dict(environment)
    file = _file(folder, options, said.pop("AWRLENS_CONFIG"))
    loaded = Loaded()
    if file or any(said.values()) or options.device or options.settings or options.profile:
        from awrlens.config.file import content_of

        loaded = content_of(file, said, options)
    return loaded._replace(file=file, additions=loaded.additions._replace(written=options.budgets))


def _file(folder: str, options: Options, in_environment: str | None) -> Path | None:
    """The given file, or the nearest one in the folder or above."""
    if options.isolated:
        if options.file is not None:
            raise UsageError(
                "--isolated ignores all configuration files, but --config sets one.",
                hint="Remove one of them.",
            )
        return None
    if options.file is not None:
        return values.path(options.file)
    if in_environment is not None:
        return values.path(in_environment) if in_environment else None
    above = ""
    while folder != above:
        for name in (FILE, PYPROJECT):
            if os.path.isfile(place := os.path.join(folder, name)) and _holds(place):
                _tell_if_foreign(values.path(place))
                return values.path(place)
        folder, above = os.path.dirname(folder), folder
    return None


def _holds(file: str) -> bool:
    try:
        return os.path.basename(file) == FILE or _TABLE in values.content(file)
    except (OSError, ValueError):
        return False


@cache
def _tell_if_foreign(file: Path) -> None:
    """Report that a file next to a report applies: the author of the report may have added it.

    Files in the current folder and above belong to the caller.
    """
    here = values.path(os.getcwd()).resolve()
    if file.parent.resolve() in (here, *here.parents):
        return
    from awrlens.render.wording import safe

    sys.stderr.write(
        f"awrlens: the configuration {safe(str(file))}, found next to the report, applies "
        "(--isolated ignores it)\n"
    )


def template() -> str:
    """A file with all thresholds, their meanings and defaults, commented out."""
    from awrlens.advice.devices import DEFAULT, DEVICES
    from awrlens.config.choices import all_thresholds, profiles

    text = beside(__file__, "template.toml").format(
        devices=", ".join(DEVICES), device=DEFAULT.name, profiles=", ".join(profiles())
    )
    for name, threshold in all_thresholds().items():
        unit = "" if threshold.unit in ("count", "ratio") else f" ({threshold.unit})"
        text += f"# {threshold.meaning}{unit}\n# {name} = {threshold.default:g}\n\n"
    return text.rstrip() + "\n"
