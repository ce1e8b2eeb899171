"""``awrlens sql``: scripts for the DBA to review and run; awrlens only prints them."""

from __future__ import annotations

import click

from awrlens.cli import output
from awrlens.cli.group import Suggesting
from awrlens.errors import EXIT_OK
from awrlens.extensions import load
from awrlens.scripts import Script, by_name


class _Scripts(Suggesting):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """In the order of the list."""
        return list(by_name())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of a script."""
        script = by_name().get(cmd_name)
        if script is None:
            return None
        command: click.Command = load(script.command) if script.command else _printing(script)
        return command


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
def sql(ctx: click.Context) -> None:
    """Print a script to run in the database; awrlens does not run it.

    Without a name, list the scripts with what they need and what they change.
    """
    if ctx.invoked_subcommand is None:
        from awrlens.render.scripts import scripts_page

        output.show(scripts_page(by_name().values(), output.width()))
