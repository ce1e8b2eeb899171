"""``awrlens completion``: the completion scripts of click."""

from __future__ import annotations

from typing import Any

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      eval "$(awrlens completion bash)"
      awrlens completion fish > ~/.config/fish/completions/awrlens.fish
    """  # noqa: D301 - \b is for click
    from click.shell_completion import get_completion_class

    from awrlens.cli import cli

    made: Any = get_completion_class(shell)
    click.echo(made(cli, {}, "awrlens", "_AWRLENS_COMPLETE").source())
