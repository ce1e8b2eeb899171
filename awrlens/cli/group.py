"""The group of all commands, read by click."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

import click

from awrlens import __version__
from awrlens.cli import COMMANDS, COMPLETE, GROUPS
from awrlens.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All commands in the order of `--help`."""
        return [name for names in GROUPS.values() for name in names]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without importing any; click imports all of them."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=COMMANDS[name][1])
            for name in self.list_commands(ctx)
            if name.startswith(incomplete)
        ]
        # of click.Command, so as to skip click.Group, which imports every command for its help
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of one command."""
        if cmd_name not in COMMANDS:
            return None
        name = COMMANDS[cmd_name][0]
        module = import_module(f"awrlens.{name}" if "." in name else f"awrlens.cli.{name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest command for an unknown name."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            from awrlens import errors

            near = errors.name(name, COMMANDS)
            meant = f" Did you mean `{near}`?" if near else ""
            ctx.fail(f"Unknown command {name!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The commands in their groups, without importing any."""
        longest = max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(longest), COMMANDS[name][1]) for name in names])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: awrlens analyze REPORT",
)
@click.version_option(__version__, "-V", "--version", prog_name="awrlens")
def cli() -> None:
    """Find problems of the write path in Oracle Statspack and AWR reports.

    awrlens shows the cost of redo, temp and undo I/O and of checkpoints, which
    FAST_START_MTTR_TARGET to set, and whether low-latency storage would help. Every number has its
    source line in the report.
    """


def call(args: list[str] | None) -> int:
    """Run the command that a call names, and return the exit status."""
    try:
        status = cli.main(args=args, prog_name="awrlens", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.Abort:
        click.echo("awrlens: interrupted", err=True)
        return EXIT_INTERRUPTED
    except click.ClickException as problem:
        problem.show()
        return EXIT_USAGE
    except SystemExit:
        if COMPLETE in os.environ:
            raise
        raise BrokenPipeError from None  # click ends so if the reader closed the pipe
    return status if isinstance(status, int) else EXIT_OK
