"""``awrlens sql``: scripts for the DBA to review and run; awrlens only prints them."""

from __future__ import annotations

from pathlib import Path

import click

from awrlens.errors import EXIT_OK


@click.group()
def sql() -> None:
    """Print a script to run in the database; awrlens does not run it."""


@sql.command("target-recovery-time")
@click.option(
    "--seconds", type=click.IntRange(0, 2**31 - 1), default=60, show_default=True,
    help="The target; 0 restores automatic checkpoints.",
)  # fmt: skip
@click.option("--database", metavar="NAME", help="One database only [default: all user databases].")
def target_recovery_time(seconds: int, database: str | None) -> int:
    """SQL Server: indirect checkpoints for user databases, with guards and rollback.

    The script lists every database with a decision and its reason. It changes nothing until
    @apply is set to 1.
    """
    from awrlens.sqlserver.script import target_recovery_time as script  # noqa: PLC0415 - not for --help

    click.echo(script(seconds, database), nl=False)
    return EXIT_OK


@sql.command()
def recovery() -> int:
    """Oracle: spool recovery estimates and settings; the script changes nothing.

    Run it in SQL*Plus as SYS (X$ESTIMATED_MTTR is visible to SYS only), or as a DBA without those
    values. Then use the spool file: `awrlens mttr --from awrlens_recovery.lst --desired-mttr S`.
    """
    import awrlens.recovery  # noqa: PLC0415 - for its folder

    script = Path(awrlens.recovery.__file__).with_name("recovery.sql")
    click.echo(script.read_text(encoding="utf-8"), nl=False)
    return EXIT_OK
