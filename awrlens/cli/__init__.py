"""The command line: every command has its own module, which is imported when it is called.

``awrlens.cli.group`` reads a call with click. The plainest one, ``awrlens analyze REPORT``, is read
here, with or without ``--format``: to import click takes three times as long as to start Python.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from awrlens import __version__
from awrlens.errors import (
    EXIT_FINDINGS,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_USAGE,
    AwrlensError,
    InternalError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.cli.group import cli as cli

#: Allocations between two runs of the garbage collector.
_OBJECTS: Final = 100_000

#: Errors of the operating system when an output is full.
_FULL: Final = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EIO)

#: Set by the shell when it asks for completions.
COMPLETE: Final = "_AWRLENS_COMPLETE"
#: Formats of ``analyze``.
FORMATS: Final = ("text", "json", "jsonl", "markdown", "html")
#: Commands whose status lets a pipeline go on: not passed where nobody read what they found.
_GATES: Final = ("check", "budget", "baseline")
#: Encodings in which every text can be written.
_UTF_8: Final = ("utf-8", "utf8")

#: Command → (module, short help). The help is here so that `--help` imports no command. A module
#: with a dot is not in this package.
COMMANDS: Final = {
    "analyze": ("analyze_command", "Find problems of the write path in a report, and what to do."),
    "html": ("html", "Write the result of `analyze` as one HTML page."),
    "check": ("check", "Fail a pipeline on findings (SARIF, JUnit, annotations)."),
    "baseline": ("baseline", "Accept findings until a date, with a reason."),
    "compare": ("compare", "Show what changed between reports, and whether they are comparable."),
    "facts": ("look_inside", "Show the numbers of a report with their formulas and source lines."),
    "trend": ("trend", "Show what changed in reports over time, and the worst intervals."),
    "whatif": ("whatif", "Estimate the effect of other storage, redo logs, memory or targets."),
    "tables": ("look_inside", "List the sections of a report; show or export one."),
    "redact": ("redact", "Replace names, hosts, paths and SQL text in reports by pseudonyms."),
    "ingest": ("fleet.command", "Add reports to a store (needs awrlens[store])."),
    "fleet": ("fleet.command", "Show all databases of a store, the worst first."),
    "query": ("fleet.command", "Run SQL on a store."),
    "watch": (
        "fleet.command",
        "Add the reports that arrive in a folder, and print new findings.",
    ),
    "store": ("fleet.command", "Rebuild, merge, judge, export or describe a store."),
    "mttr": (
        "lab.mttr_command",
        "Calculate FAST_START_MTTR_TARGET, and what every target costs.",
    ),
    "recovery": ("lab.command", "Measure, predict or simulate recovery after a crash."),
    "integrity": ("integrity", "Estimate the cost of block checking and checksums."),
    "rules": ("rules", "List the rules or their thresholds."),
    "rule": ("rules", "Explain one rule."),
    "serve": ("serve.command", "Start a web server that analyzes uploaded reports."),
    "sqlserver": (
        "sqlserver.command",
        "Compare SQL Server checkpoints before and after a change.",
    ),
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


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any attribute
    """``cli``, the group of all commands."""
    if name != "cli":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from awrlens.cli.group import cli

    return cli


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
    given = sys.argv[1:] if args is None else args
    try:
        status = _call(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        echo("\nawrlens: interrupted", err=True)
        return EXIT_INTERRUPTED
    except AwrlensError as problem:
        complain(problem)
        return problem.exit_code
    except BrokenPipeError:
        # the reader closed the pipe; avoid the interpreter's error message at exit
        sys.stdout = None
        return EXIT_FINDINGS if given[:1] and given[0] in _GATES else EXIT_OK
    except Exception as problem:  # noqa: BLE001 - any other error
        if isinstance(problem, OSError) and problem.errno in _FULL and problem.filename is None:
            return _full(problem)
        complain(internal(problem))
        return EXIT_INTERNAL
    return status


def _call(args: list[str] | None) -> int:
    given = sys.argv[1:] if args is None else args
    plain = _plain(given) if args is not None or os.name != "nt" else None  # click expands patterns
    if plain is not None:
        from awrlens.cli import analyze

        return analyze.plain(*plain)
    from awrlens.cli.group import call

    return call(args)


def _plain(args: Sequence[str]) -> tuple[tuple[str, ...], str] | None:
    """The reports and the format of ``analyze`` without other options; None for any other call."""
    if args[:1] != ["analyze"] or COMPLETE in os.environ:
        return None
    reports, format_ = list(args[1:]), "text"
    at = next((n for n, each in enumerate(reports[:-1]) if each in ("--format", "-f")), -1)
    if at >= 0:
        format_ = reports[at + 1]
        del reports[at : at + 2]
    options = [each for each in reports if each.startswith("-") and each != "-"]
    return None if options or not reports or format_ not in FORMATS else (tuple(reports), format_)


def echo(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print as ``click.echo`` does, and without click where that only writes the text."""
    stream = sys.stderr if err else sys.stdout
    plain = isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() in _UTF_8
    if not plain or "\x1b" in text or os.name == "nt":
        import click

        click.echo(text, nl=nl, err=err)
        return
    stream.write(f"{text}\n" if nl else text)
    stream.flush()


def _full(problem: OSError) -> int:
    """Report that standard output is full; discard the rest."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    reason = (problem.strerror or str(problem)).lower()
    with suppress(OSError):
        echo(
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
    from awrlens.render.wording import inert, safe

    echo(inert(f"awrlens: {before}{safe(str(problem))}"), err=True)
