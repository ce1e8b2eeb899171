"""The group of all commands, read by click."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from awrlens import __version__
from awrlens.cli.console import COMPLETE
from awrlens.errors import EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE
from awrlens.extensions import load, placed, registered
from awrlens.lazy import beside

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Left out of the first help screen: other spellings, and parts of a command that names them.
_MORE: Final = frozenset({
    "demo", "html", "watch", "store", "baseline", "budget", "rule", "devices", "integrity",
    "sqlserver", "completion",
})  # fmt: skip


@cache
def groups() -> dict[str, dict[str, tuple[str, str]]]:
    """The groups of `--help`: command → (module, help), so that `--help` imports none.

    Ours are in ``commands.txt``, the others are those of the satellites.
    """
    by_title: dict[str, dict[str, tuple[str, str]]] = {}
    for part in beside(__file__, "commands.txt").strip().split("\n\n"):
        title, *lines = part.removeprefix("# ").split("\n")
        words = (line.split(" ", 2) for line in lines)
        by_title[title] = placed(
            {name: (f"awrlens.cli.{module}", about) for name, module, about in words},
            (
                (name, (command.module, command.help), command.before)
                for extension in registered()
                for name, command in extension.commands.items()
                if command.group == title
            ),
        )
    return by_title


@cache
def commands() -> dict[str, tuple[str, str]]:
    """All commands in the order of `--help`."""
    return {name: about for group in groups().values() for name, about in group.items()}


class Suggesting(click.Group):
    """A group that suggests the nearest command for an unknown name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that a call names."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from awrlens import errors

            near = "--help" if args[0] == "help" else errors.name(args[0], names)
            meant = f" Did you mean `{near}`?" if near else ""
            ctx.fail(f"Unknown command {args[0]!r}.{meant}")
        return super().resolve_command(ctx, args)


class LazyGroup(Suggesting):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All commands in the order of `--help`."""
        return list(commands())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Commands, else files, without importing any; click imports all of them."""
        from click.shell_completion import CompletionItem

        items = [
            CompletionItem(name, help=text)
            for name, (_, text) in commands().items()
            if name.startswith(incomplete)
        ] or [CompletionItem(incomplete, type="file")]
        # of click.Command, so as to skip click.Group, which imports every command for its help
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of one command."""
        if cmd_name not in commands():
            return None
        command: click.Command = load(f"{commands()[cmd_name][0]}:{cmd_name}")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """A file or folder is analyzed."""
        is_file = args and args[0] not in commands() and Path(args[0]).exists()
        return super().resolve_command(ctx, ["analyze", *args] if is_file else args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in their groups, without importing any; all of them with --help-all."""
        hidden = () if ctx.params.get("help_all") else _MORE
        longest = max(map(len, commands()))
        for title, group in groups().items():
            rows = [(n.ljust(longest), text) for n, (_, text) in group.items() if n not in hidden]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _all_help(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.params["help_all"] = True
        click.echo(ctx.get_help())
        ctx.exit()


#: For `--version`, if Python has not kept this module as it compiled it.
_SLOW: Final = (
    "\nPython cannot write compiled modules here, so every start takes three times as long: run "
    f"`python -m compileall {__file__.removesuffix('/cli/group.py')}` as their owner, or set "
    "PYTHONPYCACHEPREFIX to a folder that can be written."
) * (not os.path.isfile(globals().get("__cached__") or ""))  # noqa: PTH113 - at start


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: awrlens REPORT, or awrlens demo. All commands: --help-all",
)
@click.option("--color/--no-color", default=None, expose_value=False,
              help="Print colors [default: on a terminal].")  # fmt: skip
@click.option("--help-all", is_flag=True, is_eager=True, expose_value=False, callback=_all_help,
              help="Show all commands and exit.")  # fmt: skip
@click.version_option(
    __version__, "-V", "--version", prog_name="awrlens",
    message=f"%(prog)s, version %(version)s{_SLOW}",
)  # fmt: skip
def cli() -> None:
    """Find problems of the write path in Oracle Statspack and AWR reports.

    awrlens shows the cost of redo, temp and undo I/O and of checkpoints, which
    FAST_START_MTTR_TARGET to set, and whether low-latency storage would help. Every number has its
    source line in the report.
    """


def _suggesting(problem: click.ClickException) -> click.ClickException:
    """A value that is not among its choices, with the nearest one; an option before its command."""
    if isinstance(problem, click.NoSuchOption) and problem.ctx and problem.ctx.parent is None:
        place = f"Options of a report follow it: `awrlens REPORT {problem.option_name}`."
        return click.UsageError(f"{problem.format_message()} {place}", problem.ctx)
    value = re.match(r"'(.+?)' is not", problem.message)
    if not value or not isinstance(problem, click.BadParameter) or problem.param is None:
        return problem
    if number := re.search("is not a valid (float|integer)", problem.message):
        whole = "a whole number" if number[1] == "integer" else "a number"
        needs = f"needs {'seconds' if problem.param.metavar == 'S' else whole}, e.g. 60"
        name = max(problem.param.opts, key=len)
        return click.UsageError(f"{name} {needs}, not {value[1]!r}.", problem.ctx)
    from awrlens import errors

    near = errors.hint(value[1], getattr(problem.param.type, "choices", ()))
    return click.BadParameter(f"{problem.message} {near}".rstrip(), problem.ctx, problem.param)


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
        _suggesting(problem).show()
        return EXIT_USAGE
    except SystemExit:
        if COMPLETE in os.environ:
            raise
        raise BrokenPipeError from None  # click ends so if the reader closed the pipe
    return status if isinstance(status, int) else EXIT_OK
