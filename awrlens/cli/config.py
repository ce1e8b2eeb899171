"""``awrlens config``: which thresholds hold, where each comes from, a file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from awrlens import config as configuration
from awrlens.cli import output
from awrlens.cli.options import configured
from awrlens.errors import EXIT_OK, UsageError
from awrlens.policy import cite
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.config import Options

_FORMAT = click.option(
    "-f", "--format", "format_", default="text", show_default=True,
    type=click.Choice(["text", "json"]), help="How to print.",
)  # fmt: skip


@click.group()
def config() -> None:
    """Show, begin or check a configuration.

    \b
    Weight, from light to heavy:
      defaults
      [tool.awrlens] in pyproject.toml, or awrlens.toml, found upwards from the report's folder
      AWRLENS_DEVICE and AWRLENS_SET=NAME=VALUE,NAME=VALUE
      --device and --set NAME=VALUE
    """  # noqa: D301 - \b is for click


@config.command()
@click.argument("report", default="-", metavar="[REPORT]")
@click.option("--changed", is_flag=True, help="Leave out thresholds that have their defaults.")
@configured
@_FORMAT
def show(report: str, changed: bool, options: Options, format_: str) -> int:
    """Print the thresholds that hold for REPORT (or in this folder), each with its origin."""
    loaded = configuration.load(report, options)
    known = configuration.known()
    rows: list[dict[str, Any]] = [
        {
            "name": each.name,
            "value": loaded.policy[each],
            "unit": each.unit,
            "default": each.default,
            "origin": loaded.policy.origin(each),
            "meaning": each.meaning,
            "source": cite(each.source),
        }
        for each in known.values()
        if not changed or loaded.policy.origin(each) != "default"
    ]
    file = str(loaded.file) if loaded.file else None
    if format_ == "json":
        asked = loaded.check._asdict() | {"baseline": loaded.baseline}
        asked |= loaded.additions._asdict()
        click.echo(
            document({
                "file": file, "profile": loaded.profile, "check": asked, "thresholds": rows,
            })
        )  # fmt: skip
        return EXIT_OK
    from awrlens.render.listing import config_page  # noqa: PLC0415

    output.show(config_page(file, _asked(loaded), rows, output.width()))
    return EXIT_OK


def _asked(loaded: configuration.Loaded) -> list[tuple[str, str]]:
    """What a check is asked, in words."""
    check = loaded.check
    found = [
        ("profile", loaded.profile or "none"),
        ("check fails on", ", ".join(check.fail_on)),
        ("rules that count", ", ".join((*check.select, *check.extend_select))),
        ("rules that do not", ", ".join(check.ignore)),
        ("severities", ", ".join(f"{rule} {level}" for rule, level in check.severity)),
        ("not in", "; ".join(f"{path}: {', '.join(rules)}" for path, rules in check.per_path)),
        ("what is not judged", "fails" if check.strict else ""),
        ("baseline", loaded.baseline or ""),
        ("budgets", ", ".join(loaded.additions.budgets)),
        ("plugins", _plugins(loaded.additions.plugins)),
    ]
    return [(name, text) for name, text in found if text]


def _plugins(wanted: bool | tuple[str, ...]) -> str:
    if isinstance(wanted, bool):
        return "all that are installed" if wanted else ""
    return ", ".join(wanted)


@config.command()
def init() -> int:
    """Print an awrlens.toml with every threshold, commented out: awrlens config init > FILE."""
    click.echo(configuration.template(), nl=False)
    return EXIT_OK


@config.command()
@click.argument("file", required=False)
def check(file: str | None) -> int:
    """Check FILE, or the one that holds in this folder."""
    found = Path(file) if file else configuration.load("-").file
    if found is None:
        raise UsageError(
            "There is no awrlens.toml here or above, and no [tool.awrlens].",
            hint="`awrlens config init` prints one to begin with.",
        )
    additions = configuration.read(found).additions
    configuration.budgets(additions.budgets)
    from awrlens.facts.registry import units  # noqa: PLC0415
    from awrlens.rules import plugins  # noqa: PLC0415 - where there are some

    for warning in plugins.load(additions.plugins, units()).warnings:
        raise UsageError(warning, source=str(found), hint="Check the key plugins.")
    click.echo(f"{found} is in order.")
    return EXIT_OK
