"""``awrlens sql``: scripts for the DBA to review and run; awrlens only prints them."""

from __future__ import annotations

import click

from awrlens.cli import output
from awrlens.errors import EXIT_OK
from awrlens.scripts import BY_NAME, SCRIPTS, Script


class _Scripts(click.Group):
    """The commands that print a script: from the table of scripts, unless one has options."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return [*BY_NAME, *(name for name in super().list_commands(ctx) if name not in BY_NAME)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with options, or one that prints the script."""
        found = super().get_command(ctx, cmd_name)
        script = BY_NAME.get(cmd_name)
        return found if found or script is None else _printing(script)


def _printing(script: Script) -> click.Command:
    def show() -> int:
        click.echo(script.text(), nl=False)
        return EXIT_OK

    about = [
        f"{script.engine}: {script.purpose}.",
        f"Needs: {script.requirements}.",
        f"Changes: {script.changes}.",
        *([f"Read the output: {script.reader}"] if script.reader else []),
    ]
    short = f"{script.engine}: {script.purpose}."
    return click.Command(script.name, callback=show, help="\n\n".join(about), short_help=short)


@click.group(cls=_Scripts, invoke_without_command=True)
@click.pass_context
def sql(ctx: click.Context) -> int:
    """Print a script to run in the database; awrlens does not run it.

    Without a name, list the scripts with what they need and what they change.
    """
    if ctx.invoked_subcommand is None:
        from awrlens.render.scripts import scripts_page

        output.show(scripts_page(SCRIPTS, output.width()))
    return EXIT_OK


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
    from awrlens.sqlserver.script import target_recovery_time as script

    click.echo(script(seconds, database), nl=False)
    return EXIT_OK
