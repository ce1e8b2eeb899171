"""Options that several commands share, and the values that a shell completes for them."""

from __future__ import annotations

from contextlib import suppress
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from awrlens.cli import output
from awrlens.config import Options
from awrlens.errors import AwrlensError, UsageError
from awrlens.extensions import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.shell_completion import CompletionItem

    from awrlens.redact.names import Names
    from awrlens.report.report import Report

Option: TypeAlias = "Callable[[Callable[..., Any]], Callable[..., Any]]"
#: Names with their meanings, imported when a shell asks for them.
_KNOWN: Final[dict[str, Callable[[], Iterable[tuple[str, str]]]]] = {
    "device": lambda: ((n, e.title) for n, e in load("awrlens.advice.devices:DEVICES").items()),
    "profile": lambda: (
        (name, entry["about"]) for name, entry in load("awrlens.config.choices:profiles")().items()
    ),
    "threshold": lambda: (
        (f"{threshold.name}={threshold.default:g}", threshold.meaning)
        for threshold in load("awrlens.config.choices:all_thresholds")().values()
    ),
    "fact": lambda: ((fact.name, fact.definition) for fact in load("awrlens.facts.registry:FACTS")),
    "rule": lambda: (
        (rule.id, rule.title)
        for rule in load("awrlens.rules:all_rules")(load("awrlens.rules:table")())
    ),
    "action": lambda: ((name, "") for name in load("awrlens.advice.plan:CATALOGUE")),
}


def completes(*kinds: str) -> Callable[..., list[CompletionItem]]:
    """Completes the last of several names of these kinds, separated by commas."""

    def completed(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        before, comma, last = incomplete.rpartition(",")
        pairs: list[tuple[str, str]] = []
        with suppress(AwrlensError):  # in a file that has thresholds of its own
            pairs = [pair for kind in kinds for pair in _KNOWN[kind]()]
        items = _items(pairs, last) or _items(pairs, last.upper())
        for item in items:
            item.value = f"{before}{comma}{item.value}"
        return items

    return completed


def _parts(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from awrlens import api

    # an option that still lacks its value leaves the arguments unparsed
    report = ctx.params.get("report") or next(iter(ctx.args), None)
    with suppress(AwrlensError):
        loaded = api.load(report) if report else None
        of = (*loaded.periods, *loaded.instances) if loaded else ()
        return _items(((p.view.label, "") for p in of if p.view), incomplete)
    return []


def _items(pairs: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [
        CompletionItem(name, help=meaning or None)
        for name, meaning in pairs
        if name.startswith(incomplete)
    ]


#: The file with the key, shared with `awrlens redact`.
MAP = click.option("--redact-map", metavar="FILE",
                   help="Key and name mapping for redaction; created if missing.")  # fmt: skip


def several(*options: Option) -> Option:
    """Several options as one decorator, listed in this order."""
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


_CONFIGURATION: Final = several(
    click.option("--config", "config_file", metavar="FILE",
                 help="Configuration file [default: awrlens.toml or pyproject.toml in the report's "
                 "folder or above]."),
    click.option("--profile", metavar="NAME", shell_complete=completes("profile"),
                 help="Set of settings: prod-oltp, batch, exadata, or one of the configuration "
                 "file."),
    click.option("--device", metavar="NAME|LATENCY", shell_complete=completes("device"),
                 help="Storage to model: a name from `awrlens devices` or a latency such as "
                 "0.2ms."),
    click.option("--set", "settings", multiple=True, metavar="NAME=VALUE",
                 shell_complete=completes("threshold"),
                 help="Set a threshold, e.g. redo.slow_write_ms=5; may be repeated."),
    click.option("--isolated", is_flag=True,
                 help="Ignore all configuration files, and so budgets and plugins."),
)  # fmt: skip


def configured(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--config``, ``--device``, ``--set`` and similar, passed as one argument, ``options``."""

    @_CONFIGURATION
    @wraps(command)
    def with_options(
        *args: Any, config_file: str | None, device: str | None, settings: tuple[str, ...],  # noqa: ANN401
        profile: str | None, isolated: bool, **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - whatever the command takes  # fmt: skip
        given = Options(config_file, device, settings, profile, isolated)
        return command(*args, options=given, **others)

    return with_options


def redacted(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--redact`` and ``--redact-map``, passed as ``names``; None without either."""

    @click.option(
        "--redact", is_flag=True, help="Replace names, hosts, paths and SQL text by pseudonyms."
    )
    @MAP
    @wraps(command)
    def with_names(
        *args: Any, redact: bool, redact_map: str | None, **others: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401 - whatever the command takes  # fmt: skip
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


def formats(*names: str, more: str = "") -> Option:
    """``--format`` with these choices, passed as ``format_``; the first without it."""
    return click.option("-f", "--format", "format_", default=names[0], show_default=True,
                        type=click.Choice(names), help=f"Output format{more}.")  # fmt: skip


def jobs(does: str) -> Option:
    """``--jobs``: how many processes work."""
    text = f"{does} at a time [default: one per CPU]."
    return click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help=text)


JOBS = jobs("Read up to N reports")
PART = click.option("-p", "--part", metavar="N", shell_complete=_parts,
                    help="Period (1 or 2) of a compare-period report, instance of a RAC report, or "
                    "database id in a SQL Server log.")  # fmt: skip
#: A page besides the output, and where a binary output goes.
HTML = click.option("--html", "html_file", metavar="FILE",
                    help="Also write the result as an HTML page to FILE.")  # fmt: skip
TARGET = click.option("-o", "--output", "target", metavar="FILE",
                      help="Write to FILE (required for parquet).")  # fmt: skip


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
