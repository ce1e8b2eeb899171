"""An ingest: inputs to rows to batches, until every input is in the store as it is now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from awrlens.records import NamedTuple
from awrlens.store import index, merge
from awrlens.store.pending_inputs import Known, Moved
from awrlens.store.rows import Piece
from awrlens.store.sources import Found
from awrlens.store.writer import BATCH, Writer

if TYPE_CHECKING:
    from awrlens.store.folder import Manifest, Place
    from awrlens.store.rows import Job

#: Gives the rows of inputs, each with its input, from worker processes or other hosts.
Runner = Callable[[Iterator[Found], "Job"], Iterator[tuple[Found, Iterable[Piece]]]]
#: Problems that a summary names.
_NAMED: int = 1_000


class Asked(NamedTuple):
    """What a caller asks for."""

    batch: int = BATCH
    again: bool = False


class Summary(NamedTuple):
    """What an ingest did."""

    analyzed: int
    unchanged: int
    moved: int
    reports: int
    #: Inputs of folders and archives that are not reports.
    skipped: int
    unreadable: int
    #: The first of the unreadable inputs, each with its reason.
    problems: tuple[tuple[str, str], ...]
    seconds: float

    @property
    def inputs(self) -> int:
        """All inputs."""
        return self.analyzed + self.unchanged + self.moved


class _Counts:
    """The summary while it is made."""

    def __init__(self) -> None:
        self.analyzed = self.moved = self.reports = self.skipped = self.unreadable = 0
        self.problems: list[tuple[str, str]] = []

    def take(self, piece: Piece) -> None:
        self.reports += piece.reports
        for source, reason, skipped in (
            (row[2], row[3], row[5]) for row in piece.rows.get("problems", ())
        ):
            self.skipped += skipped
            self.unreadable += not skipped
            if not skipped and len(self.problems) < _NAMED:
                self.problems.append((source, reason))


def ingest(
    place: Place, found: Iterable[Found], job: Job, run: Runner, asked: Asked = Asked(),  # noqa: B008
    progress: Callable[[int, int], None] | None = None,
) -> Summary:  # fmt: skip
    """Bring a store up to date; ``progress`` gets the inputs done and the reports written.

    The caller holds the lock. Ended at any moment, the store has all batches committed so far, and
    the next ingest continues.
    """
    begun = time.monotonic()
    manifest = place.create()
    place.tidy(manifest)
    if manifest.batches:
        index.refresh(place, manifest)
    known, counts = Known(place, job, again=asked.again), _Counts()
    writer = Writer(place, manifest, asked.batch)

    def todo() -> Iterator[Found]:
        for each in known.new(found):
            if isinstance(each, Moved):
                counts.moved += 1
                writer.add(each.piece)
            else:
                yield each

    try:
        for _, pieces in run(todo(), job):
            for piece in pieces:
                counts.take(piece)
                writer.add(piece)
            counts.analyzed += 1
            if progress is not None:
                progress(counts.analyzed + counts.moved + known.unchanged, counts.reports)
        writer.commit()
    finally:
        writer.abandon()
    if writer.manifest is not manifest:
        _finish(place, writer.manifest)
    return Summary(
        counts.analyzed, known.unchanged, counts.moved, counts.reports, counts.skipped,
        counts.unreadable, tuple(counts.problems), time.monotonic() - begun,
    )  # fmt: skip


def _finish(place: Place, manifest: Manifest) -> None:
    if merge.is_needed(manifest):
        manifest = merge.compact(place, manifest)
    index.refresh(place, manifest)
