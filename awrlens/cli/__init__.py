"""The command line: every command has its own module, which is imported when it is called.

``awrlens.cli.group`` reads a call with click. The plainest one, ``awrlens REPORT``, is read here,
with or without ``--format``: to import click takes three times as long as to start Python.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final

from awrlens import errors
from awrlens.cli.console import COMPLETE, at_work, collect_rarely, complain, echo, internal
from awrlens.errors import AwrlensError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from awrlens.cli.group import cli as cli

#: Errors of the operating system when an output is full.
_FULL: Final = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EIO)

#: Formats of ``analyze``.
FORMATS: Final = ("text", "brief", "json", "jsonl", "markdown", "html")
#: The report of `awrlens demo`: in the package, or in the checkout that has the package.
_SAMPLE: Final = "sample_reports/redo-disk.awr-11.2.txt"
#: Commands whose status lets a pipeline go on: not passed where nobody read what they found.
_GATES: Final = ("check", "budget", "baseline")
#: Commands that wait for others.
_SERVERS: Final = frozenset({"serve", "mcp", "watch"})


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
    signal.signal(signal.SIGTERM, _end)
    shows = hasattr(signal, "setitimer") and _SERVERS.isdisjoint(sys.argv)
    with at_work() if shows and sys.stderr and not sys.stderr.isatty() else nullcontext():
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
    files = sys.modules.get("awrlens.source.files")  # without it, no file is being written
    if files is not None:
        files.abandon()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def run(args: list[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    given = _meant(sys.argv[1:] if args is None else args)
    try:
        status = _call(given, ours=args is not None)
        sys.stdout.flush()
    except KeyboardInterrupt:
        echo("\nawrlens: interrupted", err=True)
        return errors.EXIT_INTERRUPTED
    except AwrlensError as problem:
        complain(problem)
        return problem.exit_code
    except BrokenPipeError:
        # the reader closed the pipe; avoid the interpreter's error message at exit
        sys.stdout = None
        return errors.EXIT_FINDINGS if given[:1] and given[0] in _GATES else errors.EXIT_OK
    except Exception as problem:  # noqa: BLE001 - any other error
        if isinstance(problem, OSError) and problem.errno in _FULL and problem.filename is None:
            # report that standard output is full; discard the rest
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            why = f"Cannot write to standard output: {errors.reason(problem)}."
            with suppress(OSError):
                echo(f"awrlens: {why} The output is incomplete.", err=True)
            return errors.EXIT_USAGE
        complain(internal(problem))
        return errors.EXIT_INTERNAL
    return status


def _meant(args: Sequence[str]) -> list[str]:
    """A call without ``--color`` and ``--no-color``; `awrlens REPORT` is `awrlens analyze REPORT`.

    No command has a dot or a slash in its name. `awrlens demo` is `awrlens SAMPLE`.
    """
    given = [arg for arg in args if arg not in ("--color", "--no-color")]
    if len(given) < len(args):
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR" if "--color" in args else "NO_COLOR"] = "1"
    if given[:1] == ["demo"]:
        from pathlib import Path

        places = (folder / _SAMPLE for folder in Path(__file__).parents[1:3])
        given[0] = str(next(filter(Path.exists, places)))
    first = given[0] if given and COMPLETE not in os.environ else ""
    is_report = first == "-" or (first[:1] != "-" and any(sign in first for sign in "./\\"))
    return ["analyze", *given] if is_report else given


def _call(given: list[str], *, ours: bool) -> int:
    plain = _plain(given) if ours or os.name != "nt" else None  # click expands patterns
    if plain is not None:
        from awrlens import config
        from awrlens.cli import analyze

        reports, format_ = plain
        asked = analyze.Asked(config.Options(), with_page=format_ == "html")
        return analyze.run(reports, asked, format_, None, None)
    from awrlens.cli.group import call

    return call(given)


def _plain(args: Sequence[str]) -> tuple[tuple[str, ...], str] | None:
    """The reports and the format of ``analyze`` without other options; None for any other call."""
    if args[:1] != ["analyze"] or COMPLETE in os.environ:
        return None
    reports, format_ = list(args[1:]), "text"
    at = next((n for n, arg in enumerate(reports[:-1]) if arg in ("--format", "-f")), -1)
    if at >= 0:
        format_ = reports[at + 1]
        del reports[at : at + 2]
    options = [arg for arg in reports if arg.startswith("-") and arg != "-"]
    return None if options or not reports or format_ not in FORMATS else (tuple(reports), format_)
