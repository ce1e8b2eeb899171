"""Output of results: with colors on a terminal, plain elsewhere; HTML pages; progress."""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from awrlens import __version__, config
from awrlens.cli.console import PROGRESS_S, echo
from awrlens.errors import EXIT_OK, UsageError, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from awrlens.render.blocks import Page
    from awrlens.render.lines import Line
    from awrlens.render.pages import Extras


#: Minimum and maximum width of a page, and the width if it is unknown.
_NARROW: Final = 60
_WIDE: Final = 160
_UNKNOWN: Final = 80
#: Maximum number of skipped files that are named without ``--verbose``.
NAMED: Final = 5


def width() -> int:
    """The width of the page in columns."""
    return max(_NARROW, min(_columns() or _UNKNOWN, _WIDE))


def _columns() -> int:
    """The columns of the terminal as ``shutil`` finds them, which imports every compressor."""
    with suppress(KeyError, ValueError):
        if (columns := int(os.environ["COLUMNS"])) > 0:
            return columns
    with suppress(AttributeError, ValueError, OSError):  # no output, a closed one, not a terminal
        return os.get_terminal_size(sys.__stdout__.fileno()).columns  # type: ignore[union-attr]
    return 0


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout.isatty()


def colourful() -> bool:
    """Whether to print colors: on a terminal that has them, or as requested."""
    if os.environ.get("NO_COLOR") or os.environ.get("FORCE_COLOR"):
        return not os.environ.get("NO_COLOR")
    return on_terminal() and os.environ.get("TERM") != "dumb"


def show(lines: Iterable[Line], target: str | None = None) -> None:
    """Print laid-out lines, or write them to a file."""
    if target is None and colourful():
        from awrlens.render.terminal import paint

        paint(lines)
    else:
        from awrlens.render.lines import ASCII
        from awrlens.render.wording import text

        shown = text(lines)
        try:
            shown.encode(sys.stdout.encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            shown = shown.translate(ASCII)
        deliver(shown, target)


def answer(
    format_: str, data: Any, lines: Callable[[Any, int], Iterable[Line]], target: str | None = None,  # noqa: ANN401
) -> int:  # fmt: skip
    """Data as JSON or, in the width of the page, as lines; returns the exit status."""
    if format_ == "json":
        from awrlens.render.json import document

        deliver(f"{document(data)}\n", target)
    else:
        show(lines(data, width()), target)
    return EXIT_OK


def either(format_: str, data: Any, shown: Callable[[], Page]) -> int:  # noqa: ANN401
    """Print data or a record as JSON, or its page; returns the exit status."""
    if format_ == "json":
        from awrlens.model.plain import plain
        from awrlens.render.json import document

        echo(document(plain(data)))
    else:
        page(shown(), format_)
    return EXIT_OK


def check(targets: Iterable[str | None], inputs: Iterable[str] = ()) -> None:
    """UsageError if a result cannot be written, before work begins; None is standard output."""
    named = [path for path in targets if path is not None]
    for number, path in enumerate(named):
        if why := _obstacle(path, inputs, named[:number]):
            raise UsageError(f"{path} cannot be written: {why}.", hint="Check the path.")


def _obstacle(path: str, inputs: Iterable[str], others: Iterable[str]) -> str:
    """Why a file cannot be written; empty if it can."""
    if any(path == other or _same(path, other) for other in others):
        return "another output has the same file"
    if any(_same(path, source) for source in inputs):
        return "it is an input"
    try:
        number = _refused(path)
    except (OSError, ValueError) as problem:
        return reason(problem)
    return os.strerror(number).lower() if number else ""


def _refused(path: str) -> int:
    """The error that writing would give, or 0. Pipes and terminals are written to directly."""
    folder = os.path.dirname(os.path.realpath(path))
    mode = 0
    with suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        return errno.EISDIR
    if stat.S_ISBLK(mode):
        return errno.EPERM
    if mode and not stat.S_ISREG(mode):
        return 0
    if not path or not os.path.isdir(folder):
        return errno.ENOENT
    writable = os.access(folder, os.W_OK | os.X_OK) and (not mode or os.access(path, os.W_OK))
    return 0 if writable else errno.EACCES


def _same(path: str, other: str) -> bool:
    try:
        return os.path.isfile(path) and os.path.samefile(path, other)
    except (OSError, ValueError):
        return False


def skipped(names: Sequence[str], most: int | None = NAMED) -> None:
    """Name the files on standard error that were skipped, because they are not reports."""
    if not names:
        return
    from awrlens.render.wording import safe

    shown = ", ".join(map(safe, names[:most]))
    more = "" if most is None or len(names) <= most else f" and {len(names) - most} more"
    files = "1 file (not a report)" if len(names) == 1 else f"{len(names)} files (not reports)"
    echo(f"awrlens: Skipped {files}: {shown}{more}", err=True)


def write_file(path: str, text: str) -> None:
    """Write a result to a file atomically, and say so; UsageError if it fails."""
    from awrlens.source import files

    try:
        files.write(path, text)
    except OSError as problem:
        why = f"{path} cannot be written: {reason(problem)}."
        raise UsageError(why, hint="Check the path.") from None
    said_written(path)


def said_written(path: str) -> None:
    """Say that a file was written."""
    from awrlens.render.wording import safe

    echo(f"awrlens: {safe(path)} written", err=True)


@contextmanager
def bar(what: str, total: float, unit: str) -> Iterator[Callable[[float], None]]:
    """A function that takes the amount done so far: a bar on a terminal, else a line each 10 s."""

    def words(whole: float | None, done: float) -> str:
        return f"{done:.0f} of {whole:.0f} {unit}"

    with progress(f"{what} ", lambda: total, words) as advanced:
        yield advanced


@contextmanager
def progress(
    what: str, count: Callable[[], float | None], words: Callable[..., str]
) -> Iterator[Callable[..., None]]:
    """The same for any words: they get the whole, the amount done and what is known besides."""
    total: float | None = None
    if not sys.stderr.isatty():
        last = begun = time.monotonic()

        def line(done: float, *more: float) -> None:
            nonlocal last, total
            if time.monotonic() - last >= PROGRESS_S:
                total = count() if last == begun else total
                last = time.monotonic()
                echo(f"awrlens: {what}{words(total, done, *more)}", err=True)

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    total = count()
    columns = BarColumn(), TextColumn("{task.description}")
    before = [TextColumn(what.strip())] if what else []
    with Progress(*before, *columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total)

        def update(done: float, *more: float) -> None:
            shown.update(task, completed=done, description=words(total, done, *more))

        yield update


def extras(loaded: config.Loaded, *, bare: bool = False, satellites: bool = False) -> Extras:
    """The thresholds in force with their origin, and the version of awrlens.

    Those of satellites are only listed on a page that is not of Oracle reports alone. ``bare``
    omits the folder of the configuration file, because it may contain a real name.
    """
    from awrlens.config import choices
    from awrlens.render.pages import Extras

    file = str(loaded.file) if loaded.file else None
    shown = loaded.file.name if loaded.file and bare else file
    policy = loaded.policy
    thresholds = [
        {
            "name": threshold.name,
            "shown": f"{policy[threshold]:g} {threshold.unit}",
            "origin": policy.origin(threshold.name).replace(file or "\0", shown or ""),
            "meaning": threshold.meaning,
        }
        for threshold in choices.all_thresholds(satellites=satellites).values()
    ]
    return Extras(__version__, thresholds, shown)


def of_reports(
    parts: Sequence[dict[str, Any]], loaded: config.Loaded, left: Sequence[tuple[str, bool]] = (),
    *, bare: bool = False,
) -> str:  # fmt: skip
    """The HTML page of analyses, and of what could not be judged."""
    from awrlens.render import html

    satellites = not html.of_reports(parts)
    return html.render(parts, extras(loaded, bare=bare, satellites=satellites), left)


def page(shown: Page, format_: str) -> None:
    """Print a page as text, Markdown or HTML."""
    if format_ == "text":
        from awrlens.render import as_lines

        show(as_lines.lines(shown, width()))
    else:
        echo(text_of(shown, format_), nl=False)


def text_of(shown: Page, format_: str) -> str:
    """A page as plain text, Markdown or HTML."""
    if format_ == "markdown":
        from awrlens.render import markdown

        return markdown.text(shown)
    if format_ == "html":
        from awrlens.render import pages

        return pages.text(shown, pages.Extras(__version__))
    from awrlens.render import as_lines
    from awrlens.render.wording import text

    return text(as_lines.lines(shown, width()))


def deliver(text: str, target: str | None) -> None:
    """Write a whole text to a file atomically, or print it without a file."""
    if target is None:
        echo(text, nl=False)
    else:
        write_file(target, text)
