"""Calls of the command line within this process: a process of its own takes a second to start."""

from __future__ import annotations

import click
from click.testing import CliRunner

from awrlens import cli


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def _awrlens(context: click.Context, args: tuple[str, ...]) -> None:
    """The whole command line, with its exit status and its messages."""
    context.exit(cli.run(list(args)))


def call(*args: str, given: bytes | str | None = None, **environment: str) -> tuple[int, str, str]:
    """Exit status, standard output and standard error."""
    done = CliRunner().invoke(_awrlens, ["--", *args], input=given, env=environment)
    return done.exit_code, done.stdout, done.stderr
