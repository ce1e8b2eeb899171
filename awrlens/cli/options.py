"""Options that several commands share."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from awrlens.config import Options

if TYPE_CHECKING:
    from collections.abc import Callable


#: Where the key is kept, shared with `awrlens redact`.
MAP = click.option(
    "--redact-map",
    metavar="FILE",
    help="Redact with the key in FILE, and keep in it what stands for what; made where absent.",
)


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--config``, ``--device``, ``--set`` and their like, handed over as one, ``options``."""

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
        help="Storage to assume: one of `awrlens devices`, or e.g. 0.2ms.",
    )
    @click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        help="Set a threshold, e.g. redo.slow_write_ms=5; may be repeated.",
    )
    @click.option(
        "--isolated",
        is_flag=True,
        help="Take no configuration file, wherever it is, and so no budgets and no plugins.",
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
    """``--redact`` and ``--redact-map``, handed over as ``names``: None where neither is given."""

    @click.option(
        "--redact", is_flag=True, help="Put pseudonyms for names, hosts, paths and SQL text."
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
        names.save()  # a map that cannot be written is told before anything else
        try:
            return command(*args, names=names, **others)
        finally:
            names.save()

    return with_names
