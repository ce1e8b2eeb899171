"""``awrlens schema``: the JSON Schema of the analysis."""

from __future__ import annotations

from pathlib import Path

import click

from awrlens.errors import EXIT_OK

SCHEMA = Path(__file__).parent.parent / "analysis.schema.json"


@click.command()
def schema() -> int:
    """Print the JSON Schema of what `awrlens analyze --format json` prints."""
    click.echo(SCHEMA.read_text(encoding="utf-8"), nl=False)
    return EXIT_OK
