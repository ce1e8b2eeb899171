"""Options that several commands share."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from awrlens.config import Options

if TYPE_CHECKING:
    from collections.abc import Callable


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--config``, ``--device`` and ``--set``, handed over as one value, ``options``."""

    @click.option(
        "--config",
        "config_file",
        metavar="FILE",
        help="Configuration file [default: awrlens.toml or pyproject.toml, upwards from the "
        "report's folder].",
    )
    @click.option(
        "--profile",
        metavar="NAME",
        help="Settings that belong together: prod-oltp, batch, exadata, or one of the file's.",
    )
    @click.option(
        "--device",
        metavar="NAME|LATENCY",
        help="Storage to reckon with: one of `awrlens devices`, or e.g. 0.2ms.",
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a threshold, e.g. redo.slow_write_ms=5; may be repeated.",
    )
    @wraps(command)
    def with_options(
        *args: Any,  # noqa: ANN401 - whatever the command takes
        config_file: str | None,
        device: str | None,
        settings: tuple[str, ...],
        profile: str | None,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        options = Options(config_file, device, settings, profile)
        return command(*args, options=options, **others)

    return with_options
