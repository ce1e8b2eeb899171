"""``awrlens recovery``: what happens after a crash."""

from __future__ import annotations

import click

from awrlens.cli.recovery_simulate import simulate


@click.group()
def recovery() -> None:
    """Say how long a database is down after a crash, and what would change that."""


recovery.add_command(simulate)
