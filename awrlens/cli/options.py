"""Options that several commands share."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from awrlens.cli import complete
from awrlens.config import Options

if TYPE_CHECKING:
    from collections.abc import Callable


#: The file with the key, shared with `awrlens redact`.
MAP = click.option(
    "--redact-map",
    metavar="FILE",
    help="Key and name mapping for redaction; created if missing.",
)


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--config``, ``--device``, ``--set`` and similar, passed as one argument, ``options``."""

    @click.option(
        "--config",
        "config_file",
        metavar="FILE",
        help="Configuration file [default: awrlens.toml or pyproject.toml in the report's folder "
        "or above].",
    )
    @click.option(
        "--profile",
        metavar="NAME",
        help="Set of settings: prod-oltp, batch, exadata, or one of the configuration file.",
        shell_complete=complete.profiles,
    )
    @click.option(
        "--device",
        metavar="NAME|LATENCY",
        help="Storage to model: a name from `awrlens devices` or a latency such as 0.2ms.",
        shell_complete=complete.devices,
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a threshold, e.g. redo.slow_write_ms=5; may be repeated.",
        shell_complete=complete.thresholds,
    )
    @click.option(
        "--isolated",
        is_flag=True,
        help="Ignore all configuration files, and so budgets and plugins.",
    )
    @wraps(command)
    def with_options(
        *args: Any,  # noqa: ANN401 - whatever the command takes
        config_file: str | None,
        device: str | None,
        settings: tuple[str, ...],
        profile: str | None,
        isolated: bool,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        options = Options(config_file, device, settings, profile, isolated)
        return command(*args, options=options, **others)

    return with_options


def redacted(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--redact`` and ``--redact-map``, passed as ``names``; None without either."""

    @click.option(
        "--redact", is_flag=True, help="Replace names, hosts, paths and SQL text by pseudonyms."
    )
    @MAP
    @wraps(command)
    def with_names(
        *args: Any,  # noqa: ANN401 - whatever the command takes
        redact: bool,
        redact_map: str | None,
        **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        if not redact and redact_map is None:
            return command(*args, names=None, **others)
        from awrlens.redact.names import Names  # noqa: PLC0415 - few ask

        names = Names(redact_map)
        names.save()  # fails early if the map cannot be written
        try:
            return command(*args, names=names, **others)
        finally:
            names.save()

    return with_names
