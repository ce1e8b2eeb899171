"""What every process of the command line uses, without click where possible."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from awrlens import __version__
from awrlens.errors import AwrlensError, InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Allocations between two runs of the garbage collector.
_OBJECTS: Final = 100_000
#: Set by the shell when it asks for completions.
COMPLETE: Final = "_AWRLENS_COMPLETE"
#: Seconds between two lines of progress where standard error is not a terminal.
PROGRESS_S: Final = 10
#: When awrlens started, and when it last wrote to standard error.
_said = [time.monotonic()] * 2
#: Encodings in which every text can be written.
_UTF_8: Final = ("utf-8", "utf8")


def collect_rarely() -> None:
    """Run the garbage collector rarely: a report has no reference cycles.

    Only for our own process, never for a program that uses awrlens as a library.
    """
    gc.freeze()
    gc.set_threshold(_OBJECTS, 20, 50)
    gc.enable()


def echo(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print as ``click.echo`` does, and without click where that only writes the text."""
    stream = sys.stderr if err else sys.stdout
    if err:
        _said[1] = time.monotonic()
    plain = isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() in _UTF_8
    if not plain or "\x1b" in text or os.name == "nt":
        import click

        # above a progress bar, if there is one: rich replaces the stream
        bar = err and not isinstance(stream, io.TextIOWrapper)
        click.echo(text, nl=nl, err=err, file=stream if bar else None)
        return
    stream.write(f"{text}\n" if nl else text)
    stream.flush()


@contextmanager
def at_work() -> Iterator[None]:
    """After ten seconds without a line on standard error, say that work goes on."""
    signal.signal(signal.SIGALRM, _at_work)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)  # Python ends without the handler


def _at_work(_number: int, _frame: object) -> None:
    now = time.monotonic()
    if now - _said[1] > PROGRESS_S - 1:
        _said[1] = now
        with suppress(OSError):  # nobody reads it
            os.write(2, f"awrlens: at work for {now - _said[0]:.0f} s\n".encode())


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


def sentence(problem: AwrlensError) -> str:
    """What is wrong, and what to do, without the place."""
    return f"{problem.message} {problem.hint}".strip()


def complain(problem: AwrlensError, before: str = "") -> None:
    """Print an error on standard error, safe for a terminal."""
    from awrlens.render.wording import inert, safe

    echo(inert(f"awrlens: {before}{safe(str(problem))}"), err=True)
