"""The command line: every command has its own module, which is imported when it is called."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

from awrlens import __version__
from awrlens.errors import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    AwrlensError,
    InternalError,
)

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Allocations between two runs of the garbage collector.
_OBJECTS: Final = 100_000

#: Errors of the operating system when an output is full.
_FULL: Final = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EIO)

#: Command → (module, short help). The help is here so that `--help` imports no command. A module
#: with a dot is not in this package.
COMMANDS: Final = {
    "analyze": ("analyze", "Find problems of the write path in a report, and what to do."),
    "html": ("html", "Write the result of `analyze` as one HTML page."),
    "check": ("check", "Fail a pipeline on findings (SARIF, JUnit, annotations)."),
    "baseline": ("baseline", "Accept findings until a date, with a reason."),
    "compare": ("compare", "Show what changed between reports, and whether they are comparable."),
    "facts": ("facts", "Show the numbers of a report with their formulas and source lines."),
    "trend": ("trend", "Show what changed in reports over time, and the worst intervals."),
    "whatif": ("whatif", "Estimate the effect of other storage, redo logs, memory or targets."),
    "tables": ("tables", "List the sections of a report; show or export one."),
    "redact": ("redact", "Replace names, hosts, paths and SQL text in reports by pseudonyms."),
    "ingest": ("ingest", "Add reports to a store (needs awrlens[store])."),
    "fleet": ("fleet", "Show all databases of a store, the worst first."),
    "query": ("query", "Run SQL on a store."),
    "watch": ("watch", "Add the reports that arrive in a folder, and print new findings."),
    "store": ("store", "Rebuild, merge, judge, export or describe a store."),
    "mttr": ("mttr", "Calculate FAST_START_MTTR_TARGET, and what every target costs."),
    "recovery": ("recovery", "Measure, predict or simulate recovery after a crash."),
    "integrity": ("integrity", "Estimate the cost of block checking and checksums."),
    "rules": ("rules", "List the rules or their thresholds."),
    "rule": ("rules", "Explain one rule."),
    "serve": ("serve.command", "Start a web server that analyzes uploaded reports."),
    "sqlserver": ("sqlserver", "Compare SQL Server checkpoints before and after a change."),
    "sql": ("sql", "Print SQL scripts to run in a database."),
    "devices": ("devices", "List storage types with their latencies."),
    "budget": ("budget", "Check budget files, or a report against them."),
    "config": ("config", "Show, create or check a configuration."),
    "grammar": ("grammar", "Show or compile the descriptions of report sections."),
    "schema": ("schema", "Print the JSON Schema of a JSON output or of the configuration."),
    "completion": ("completion", "Print the shell completion script."),
}
#: The groups of commands in `--help`; every command is in one of them.
GROUPS: Final = {
    "Analyze": ("analyze", "html", "compare", "trend", "whatif"),
    "Recovery": ("mttr", "recovery"),
    "Fleet": ("ingest", "fleet", "query", "watch", "store"),
    "Pipeline": ("check", "baseline", "budget", "serve"),
    "Look inside": ("facts", "tables", "rules", "rule", "devices", "integrity", "grammar"),
    "Other": ("sqlserver", "sql", "redact", "config", "schema", "completion"),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All commands in the order of `--help`."""
        return [name for names in GROUPS.values() for name in names]

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The names of commands, without importing any; click imports all of them."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion only

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
            from awrlens import nearest  # noqa: PLC0415 - for errors only

            near = nearest.name(name, COMMANDS)
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


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with the documented status."""
    collect_rarely()
    _settle_output()
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _end)
    status = run(args)
    if "duckdb" in sys.modules:
        gc.unfreeze()  # it reports objects that it has not got back on standard error
    else:
        gc.freeze()  # Python would search all that is left for cycles before it ends
    sys.exit(status)


def _settle_output() -> None:
    """Make standard output raise an error when it is full, and accept any file name.

    With PYTHONUNBUFFERED Python would write what fits and silently drop the rest.
    """
    stdout = sys.stdout
    if not isinstance(stdout, io.TextIOWrapper):
        return
    errors = "replace" if stdout.errors == "strict" else stdout.errors
    if isinstance(stdout.buffer, io.RawIOBase):
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(stdout.buffer), stdout.encoding, errors, line_buffering=True
        )
    else:
        stdout.reconfigure(errors=errors)


def _end(number: int, _frame: object) -> None:
    """Terminated by a signal: remove incomplete files, then end by the same signal."""
    files = sys.modules.get("awrlens.files")  # without it, no file is being written
    if files is not None:
        files.abandon()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def collect_rarely() -> None:
    """Run the garbage collector rarely: a report has no reference cycles.

    Only for our own process, never for a program that uses awrlens as a library.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS, 20, 50)
    gc.enable()


def run(args: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    try:
        status = cli.main(args=args, prog_name="awrlens", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("awrlens: interrupted", err=True)
        return EXIT_INTERRUPTED
    except click.ClickException as problem:
        problem.show()
        return EXIT_USAGE
    except AwrlensError as problem:
        complain(problem)
        return problem.exit_code
    except BrokenPipeError:
        # the reader closed the pipe; avoid the interpreter's error message at exit
        sys.stdout = None
        return EXIT_OK
    except Exception as problem:  # noqa: BLE001 - any other error
        if isinstance(problem, OSError) and problem.errno in _FULL and problem.filename is None:
            return _full(problem)
        complain(internal(problem))
        return EXIT_INTERNAL
    return status if isinstance(status, int) else EXIT_OK


def _full(problem: OSError) -> int:
    """Report that standard output is full; discard the rest."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    reason = (problem.strerror or str(problem)).lower()
    with suppress(OSError):
        click.echo(
            f"awrlens: Cannot write to standard output: {reason}. The output is incomplete.",
            err=True,
        )
    return EXIT_USAGE


def internal(problem: Exception, source: str | None = None) -> InternalError:
    """The message for an internal error, with its place in the code."""
    where = problem.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    line = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}" if where else "?"
    return InternalError(
        f"internal error ({type(problem).__name__} in {line}: {str(problem)[:200]}).",
        source=source,
        hint=f"Please report it with this line, `awrlens --version` ({__version__}) and, if "
        "possible, the report.",
    )


def complain(problem: AwrlensError, before: str = "") -> None:
    """Print an error on standard error, safe for a terminal."""
    from awrlens.render.present import inert, safe  # noqa: PLC0415 - for errors only

    click.echo(inert(f"awrlens: {before}{safe(str(problem))}"), err=True)
