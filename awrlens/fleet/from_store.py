"""Reports of a store for ``--store`` of trend, compare, check and html (``awrlens.cli.stored``)."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from awrlens import fleet
from awrlens.cli import gate
from awrlens.cli.console import complain
from awrlens.cli.stored import NAMED
from awrlens.errors import EXIT_UNREADABLE, UsageError
from awrlens.fleet import index, read
from awrlens.model.check_run import Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from awrlens.model.comparison import Reading
    from awrlens.model.trend import LeftOut, Window


require = fleet.require


@contextmanager
def opened(store_file: str) -> Iterator[index.Store]:
    """An open store, with what a reader must know on standard error."""
    with index.opened_store(store_file) as found:
        if found.note:
            click.echo(f"awrlens: {found.note}", err=True)
        say_lost(found.lost)
        yield found


def say_lost(lost: Sequence[str]) -> None:
    """Say what a store has lost: the command does its work, and fails if it succeeds otherwise."""
    if not lost:
        return

    def fail() -> None:
        if sys.exc_info()[0] is None:
            raise click.exceptions.Exit(EXIT_UNREADABLE)

    complain(index.loss(lost))
    click.get_current_context().call_on_close(fail)


def windows(
    store_file: str, names: Sequence[str], since: datetime | None, until: datetime | None,
    db: str | None,
) -> tuple[list[Window], list[LeftOut]]:  # fmt: skip
    """The intervals of a store for a trend, and what could not be read."""
    with opened(store_file) as found:
        unread = read.left_out(found)
        if unread:
            count = f"{len(unread):,} {'input' if len(unread) == 1 else 'inputs'}"
            click.echo(f"awrlens: {count} could not be read: `awrlens fleet`", err=True)
        return read.windows(found, names, since, until, db), unread


def sides(store_file: str, said: Sequence[str]) -> tuple[list[Reading], list[Reading]]:
    """Both sides of a comparison."""
    if len(said) == 1:
        raise UsageError("A comparison needs two sides.", hint=f"Name each as {NAMED}.")
    with opened(store_file) as found:
        before, after = (
            [each.reading() for each in read.documents(found, read.selected(found, side))]
            for side in said
        )
    return before, after


def checked(store_file: str, said: Sequence[str], asked: gate.Asked) -> list[gate.Checked | Unread]:
    """Stored reports as a check takes them; without a name, the latest of every instance.

    Then what could not be read is part of the result; it fails if the check is strict.
    """
    with opened(store_file) as found:
        wanted = _wanted(found, said)
        unread: list[gate.Checked | Unread] = []
        if not said:
            unread += (
                Unread(each.source, each.reason, fails=asked.strict)
                for each in read.left_out(found)
            )
        return [
            *unread,
            *(gate.stored(
                each.analysis, asked,
                breaks_off=each.breaks_off, excerpt=each.excerpt, valid=each.valid,
            ) for each in read.documents(found, wanted)),
        ]  # fmt: skip


def pages(store_file: str, said: Sequence[str]) -> list[dict[str, Any]]:
    """The parts of an HTML page; without charts of the report's lists and without its sections."""
    from awrlens.model.chart_data import Exhibits
    from awrlens.render.html import page

    with opened(store_file) as found:
        return [
            page(each.analysis, Exhibits()) for each in read.documents(found, _wanted(found, said))
        ]


def _wanted(found: index.Store, said: Sequence[str]) -> list[str]:
    if not said:
        return read.latest(found)
    return list(dict.fromkeys(key for each in said for key in read.selected(found, each)))
