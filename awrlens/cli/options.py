"""Options that several commands share, and the values that a shell completes for them.

Every completion imports its names when a shell asks, so that commands start as fast as without.
"""

from __future__ import annotations

from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from awrlens.cli import output
from awrlens.config import Options
from awrlens.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.shell_completion import CompletionItem

    from awrlens.redact.names import Names
    from awrlens.report.report import Report


def devices(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Storage types, for ``--device``."""
    from awrlens.advice.devices import DEVICES

    return _items(((name, each.title) for name, each in DEVICES.items()), incomplete)


def rules(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of rules, for ``awrlens rule``."""
    return _items(_rules(), incomplete.upper())


def explained(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Findings and actions, for ``--explain``."""
    from awrlens.advice.plan import CATALOGUE

    found = _items([*_rules(), *((name, "") for name in CATALOGUE)], incomplete)
    return found or _items(_rules(), incomplete.upper())


def profiles(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Profiles of awrlens, for ``--profile``."""
    from awrlens.config.choices import PROFILES

    return _items(((name, each.about) for name, each in PROFILES.items()), incomplete)


def thresholds(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Thresholds with their defaults, for ``--set``; an error in a file hides its thresholds."""
    from awrlens.config import choices
    from awrlens.errors import AwrlensError

    with suppress(AwrlensError):
        known = choices.known().values()
        return _items(
            ((f"{each.name}={each.default:g}", each.meaning) for each in known), incomplete
        )
    return []


def facts(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of facts, for ``awrlens facts`` and ``--fact``."""
    from awrlens.facts.registry import FACTS

    return _items(((each.name, each.definition) for each in FACTS), incomplete)


def selectors(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The last of several rules separated by commas, for ``--select`` and ``--fail-on``."""
    before, comma, last = incomplete.rpartition(",")
    found = _items(_rules(), last.upper())
    for each in found:
        each.value = f"{before}{comma}{each.value}"
    return found


def parts(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Instances or periods of the report on the command line, for ``--part``."""
    from awrlens import api
    from awrlens.errors import AwrlensError

    # an option that still lacks its value leaves the arguments unparsed
    report = ctx.params.get("report") or next(iter(ctx.args), None)
    with suppress(AwrlensError):
        loaded = api.load(report) if report else None
        of = (*loaded.periods, *loaded.instances) if loaded else ()
        return _items(((p.view.label, "") for p in of if p.view), incomplete)
    return []


def _rules() -> Iterable[tuple[str, str]]:
    from awrlens import rules as registry

    return [(each.id, each.title) for each in registry.all_rules(registry.table())]


def _items(known: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=meaning or None)
        for name, meaning in known
        if name.startswith(incomplete)
    ]


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
        shell_complete=profiles,
    )
    @click.option(
        "--device",
        metavar="NAME|LATENCY",
        help="Storage to model: a name from `awrlens devices` or a latency such as 0.2ms.",
        shell_complete=devices,
    )
    @click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                  shell_complete=thresholds,
                  help="Set a threshold, e.g. redo.slow_write_ms=5; may be repeated.")  # fmt: skip
    @click.option("--isolated", is_flag=True,
                  help="Ignore all configuration files, and so budgets and plugins.")  # fmt: skip
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
        from awrlens.redact.names import Names

        names = Names(redact_map)
        names.save()  # fails early if the map cannot be written
        try:
            return command(*args, names=names, **others)
        finally:
            names.save()
            if redact_map is not None:
                output.said_written(redact_map)

    return with_names


def formats(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--format`` with these choices, passed as ``format_``; text without it."""
    return click.option(
        "-f", "--format", "format_", default="text", show_default=True, type=click.Choice(names),
        help="Output format.",
    )  # fmt: skip


#: How many processes read.
JOBS = click.option("-j", "--jobs", type=click.IntRange(1), metavar="N",
                    help="Read up to N reports at a time [default: one per CPU].")  # fmt: skip
#: The part of a report.
PART = click.option(
    "-p",
    "--part",
    metavar="N",
    shell_complete=parts,
    help="Period (1 or 2) of a compare-period report, instance of a RAC report, or database id in "
    "a SQL Server log.",
)


def part_of(report: str, part: str | None, names: Names | None = None) -> Report:
    """A report or the requested part; UsageError if a part is required."""
    from awrlens import api

    return of_report(api.load(report, names=names), part)


def of_report(report: Report, part: str | None) -> Report:
    """The requested part of a report; UsageError if one is required."""
    if part is not None:
        return report.part(part)
    if report.periods:
        raise UsageError(
            "A compare-period report has facts per period only.",
            hint="Use --part 1 or --part 2.",
        )
    return report
