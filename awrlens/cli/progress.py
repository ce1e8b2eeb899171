"""A progress bar on standard error, if that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def bar(what: str, total: float, unit: str) -> Iterator[Callable[[float], None] | None]:
    """A function that takes the amount done so far; None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    amount = f"{{task.completed:.0f}} of {{task.total:.0f}} {unit}"
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn(amount)
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=total)
        yield lambda done: shown.update(task, completed=done)
