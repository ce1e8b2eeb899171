"""``awrlens config``: the thresholds in force and their origin, and a template."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from awrlens import config as configuration
from awrlens.cli import output
from awrlens.cli.options import configured, formats
from awrlens.config import choices
from awrlens.config.file import read
from awrlens.errors import UsageError
from awrlens.policy import cite

if TYPE_CHECKING:
    from awrlens.config import Options

_FORMAT = formats("text", "json")


@click.group()
def config() -> None:
    """Show, create or check a configuration.

    \b
    Precedence, lowest first:
      defaults
      awrlens.toml, or [tool.awrlens] in pyproject.toml,
        in the report's folder or above
      AWRLENS_DEVICE and AWRLENS_SET=NAME=VALUE,NAME=VALUE
      --device and --set NAME=VALUE
    """  # noqa: D301 - \b is for click


@config.command()
@click.argument("report", default="-", metavar="[REPORT]")
@click.option("--changed", is_flag=True, help="Omit thresholds that have their default.")
@configured
@_FORMAT
def show(report: str, changed: bool, options: Options, format_: str) -> int:
    """Print the thresholds in force for REPORT (or for this folder), with their origin."""
    loaded = configuration.load(report, options)
    thresholds = choices.all_thresholds()
    rows: list[dict[str, Any]] = [
        {
            "name": threshold.name, "value": loaded.policy[threshold], "unit": threshold.unit,
            "default": threshold.default, "origin": loaded.policy.origin(threshold.name),
            "meaning": threshold.meaning, "source": cite(threshold.source),
        }
        for threshold in thresholds.values()
        if not changed or loaded.policy.origin(threshold.name) != "default"
    ]  # fmt: skip
    file = str(loaded.file) if loaded.file else None
    asked = loaded.check._asdict() | {"baseline": loaded.baseline}
    asked |= {"budgets": loaded.additions.budgets, "plugins": loaded.additions.plugins}
    data = {"file": file, "profile": loaded.profile, "check": asked, "thresholds": rows}
    from awrlens.render.listing import config_page

    return output.answer(format_, data, lambda _, n: config_page(file, _asked(loaded), rows, n))


def _asked(loaded: configuration.Loaded) -> list[tuple[str, str]]:
    check, plugins = loaded.check, loaded.additions.plugins
    settings = [
        ("profile", loaded.profile or "none"),
        ("check fails on", ", ".join(check.fail_on)),
        ("selected rules", ", ".join(check.select)),
        ("ignored rules", ", ".join(check.ignore)),
        ("severities", ", ".join(f"{rule} {level}" for rule, level in check.severity)),
        (
            "ignored per path",
            "; ".join(f"{at}: {', '.join(rules)}" for at, rules in check.per_path),
        ),
        ("skipped checks", "fail" if check.strict else ""),
        ("baseline", loaded.baseline or ""),
        ("budgets", ", ".join(loaded.additions.budgets)),
        ("plugins", "all installed" if plugins is True else ", ".join(plugins or ())),
    ]
    return [(name, text) for name, text in settings if text]


@config.command()
def init() -> None:
    """Print a template of awrlens.toml with every threshold: awrlens config init > FILE."""
    click.echo(configuration.template(), nl=False)


@config.command()
@click.argument("file", required=False)
def check(file: str | None) -> None:
    """Check FILE, or the configuration of this folder."""
    path = Path(file) if file else configuration.load("-").file
    if path is None:
        raise UsageError(
            "No awrlens.toml and no [tool.awrlens] in this folder or above.",
            hint="`awrlens config init` prints a template.",
        )
    additions = read(path).additions
    choices.budgets(additions.budgets)
    from awrlens.facts.registry import units
    from awrlens.rules import plugins

    for warning in plugins.load(additions.plugins, units()).warnings:
        raise UsageError(warning, source=str(path), hint="Check the key plugins.")
    click.echo(f"{path} is valid.")
