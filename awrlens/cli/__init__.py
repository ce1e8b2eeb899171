"""The command line: every command in a module of its own, loaded when it is called."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Final

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

#: So many objects are made between two searches for cycles that nothing uses.
_OBJECTS: Final = 100_000

#: What the system says of an output that takes no more.
_FULL: Final = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EIO)

#: Command → (module, short help). The help is here so that `--help` loads no command.
COMMANDS: Final = {
    "analyze": ("analyze", "Say where the write path of a report hurts and what to do."),
    "html": ("html", "Write what `analyze` says as one HTML page."),
    "check": ("check", "Fail a pipeline on findings: SARIF, JUnit, annotations."),
    "baseline": ("baseline", "Accept findings for a time, with a reason."),
    "compare": ("compare", "Say what moved between reports, and what makes it unfair."),
    "facts": ("facts", "Show the numbers of a report, each with its formula and lines."),
    "trend": ("trend", "Put many reports in the order of time; see what stands out."),
    "whatif": ("whatif", "Estimate what other storage, logs, memory or targets would change."),
    "tables": ("tables", "List the sections of a report, show one, export it."),
    "redact": ("redact", "Write reports with pseudonyms for names, hosts, paths and SQL text."),
    "mttr": ("mttr", "Compute FAST_START_MTTR_TARGET without a report."),
    "recovery": ("recovery", "Recovery after a crash: measured, predicted, simulated."),
    "integrity": ("integrity", "Estimate what block checks and checksums would cost."),
    "rules": ("rules", "List the rules or their thresholds."),
    "rule": ("rules", "Explain one rule."),
    "sqlserver": ("sqlserver", "Compare SQL Server's checkpoints before and after a change."),
    "sql": ("sql", "Print scripts to run in a database."),
    "devices": ("devices", "List kinds of storage with their latencies."),
    "budget": ("budget", "Check files of budgets, hold a report against one."),
    "config": ("config", "Show, begin or check a configuration."),
    "grammar": ("grammar", "Look at the descriptions of report sections, compile them."),
    "schema": ("schema", "Print the JSON Schema of an analysis or a trend."),
    "completion": ("completion", "Print the shell completion script."),
}


class LazyGroup(click.Group):
    """Commands that are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """All commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the module of one command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"awrlens.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when there is none of that name."""
        name = args[0] if args else ""
        if name and name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

            near = get_close_matches(name, COMMANDS, n=1)
            meant = f" Did you mean `{near[0]}`?" if near else ""
            ctx.fail(f"There is no command {name!r}.{meant}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The table of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_) for name, (_, help_) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with:  awrlens analyze REPORT",
)
@click.version_option(__version__, "-V", "--version", prog_name="awrlens")
def cli() -> None:
    """Read an Oracle Statspack or AWR report and learn where the write path hurts.

    Redo, temporary and undo I/O and checkpoints: what they cost, which FAST_START_MTTR_TARGET to
    set, and whether low-latency storage would help. Every number names its line in the report.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with the status of CONTRACT section 2."""
    collect_rarely()
    _settle_output()
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, _end)
    sys.exit(run(args))


def _settle_output() -> None:
    """Standard output that says when it takes no more, and takes any name that a file may have.

    With PYTHONUNBUFFERED it writes as much as there is room for, and forgets the rest.
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
    """Ended by another program: leave no half file, and end as it asks."""
    files = sys.modules.get("awrlens.files")  # else nothing was written yet
    if files is not None:
        files.abandon()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def collect_rarely() -> None:
    """Search for unused cycles of objects rarely: a report has none, it goes with its last user.

    For a process of our own, never for one that uses awrlens as a library.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS, 20, 50)


def run(args: list[str] | None = None) -> int:
    """Run the command line; the exit status is returned."""
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
        # the reader of our output has seen enough; keep the interpreter from saying so at exit
        sys.stdout = None
        return EXIT_OK
    except Exception as problem:  # noqa: BLE001 - the last line of defence
        if isinstance(problem, OSError) and problem.errno in _FULL and problem.filename is None:
            return _full(problem)
        complain(internal(problem))
        return EXIT_INTERNAL
    return status if isinstance(status, int) else EXIT_OK


def _full(problem: OSError) -> int:
    """Say that standard output takes no more; what is left of it goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    reason = (problem.strerror or str(problem)).lower()
    with suppress(OSError):
        click.echo(
            f"awrlens: Standard output cannot be written: {reason}. What it holds is not whole.",
            err=True,
        )
    return EXIT_USAGE


def internal(problem: Exception, source: str | None = None) -> InternalError:
    """What to say of a mistake of awrlens, and where it was met."""
    where = problem.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    line = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}" if where else "?"
    return InternalError(
        f"internal error ({type(problem).__name__} in {line}: {str(problem)[:200]}).",
        source=source,
        hint=f"Please report it with this line, `awrlens --version` ({__version__}) and, if you "
        "may, the report.",
    )


def complain(problem: AwrlensError, before: str = "") -> None:
    """One sentence on standard error, safe for a terminal."""
    from awrlens.render.present import inert, safe  # noqa: PLC0415 - only for a mistake

    click.echo(inert(f"awrlens: {before}{safe(str(problem))}"), err=True)
