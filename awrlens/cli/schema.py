"""``awrlens schema``: the JSON Schemas of what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from awrlens.errors import EXIT_OK

_FOLDER: Final = Path(__file__).parent.parent
SCHEMA: Final = _FOLDER / "analysis.schema.json"
COMPARISON: Final = _FOLDER / "comparison.schema.json"
CHECK: Final = _FOLDER / "check.schema.json"
TREND: Final = _FOLDER / "trend.schema.json"
_BY_COMMAND: Final = {"analyze": SCHEMA, "compare": COMPARISON, "check": CHECK, "trend": TREND}


@click.command()
@click.argument("command", default="analyze", type=click.Choice(list(_BY_COMMAND)))
def schema(command: str) -> int:
    """Print the JSON Schema of what a command prints as JSON."""
    click.echo(_BY_COMMAND[command].read_text(encoding="utf-8"), nl=False)
    return EXIT_OK
