"""An ingest: inputs to rows to batches, until every input is in the store as it is now."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from awrlens.records import NamedTuple
from awrlens.store import index, merge
from awrlens.store.kept import Kept
from awrlens.store.pending_inputs import Known, Moved
from awrlens.store.rows import Piece
from awrlens.store.sources import Found
from awrlens.store.writer import BATCH, Writer

if TYPE_CHECKING:
    from awrlens.store.folder import Manifest, Place
    from awrlens.store.rows import Job

#: Gives the rows of inputs, each with its input, from worker processes or other hosts.
Runner = Callable[[Iterator[Found | Kept], "Job"], Iterator[tuple[Found | Kept, Iterable[Piece]]]]
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
    #: Inputs whose reports were judged again, without reading them.
    judged: int
    #: Inputs that must be read to be judged, and were not.
    left: int
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
        return self.analyzed + self.unchanged + self.moved + self.judged + self.left


class _Counts:
    """The summary while it is made."""

    def __init__(self) -> None:
        self.analyzed = self.moved = self.judged = self.left = 0
        self.reports = self.skipped = self.unreadable = 0
        self.problems: list[tuple[str, str]] = []

    def take(self, piece: Piece, *, again: bool) -> None:
        self.reports += 0 if again else piece.reports
        for source, reason, skipped in (
            (row[2], row[3], row[5]) for row in piece.rows.get("problems", ())
        ):
            self.skipped += skipped
            self.unreadable += not skipped
            if not skipped and len(self.problems) < _NAMED:
                self.problems.append((source, reason))


def ingest(
    place: Place, found: Iterable[Found] | None, job: Job, run: Runner, asked: Asked = Asked(),  # noqa: B008
    progress: Callable[[int, int], None] | None = None,
) -> Summary:  # fmt: skip
    """Bring a store up to date; ``progress`` gets the inputs done and the reports written.

    Without inputs, what the store has is judged again, as far as that needs no file.
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

    def todo() -> Iterator[Found | Kept]:
        for each in known.stored() if found is None else known.new(found):
            if isinstance(each, Moved):
                counts.moved += 1
                writer.add(each.piece)
            elif found is None and isinstance(each, Found):
                counts.left += 1
            else:
                yield each

    try:
        for each, pieces in run(todo(), job):
            again = each if isinstance(each, Kept) else None
            for piece in pieces:
                counts.take(piece, again=again is not None)
                writer.add(piece)
            counts.judged += again is not None and again.last
            counts.analyzed += again is None
            if progress is not None:
                done = counts.analyzed + counts.moved + counts.judged + counts.left
                progress(done + known.unchanged, counts.reports)
        writer.commit()
    finally:
        writer.abandon()
    if writer.manifest is not manifest:
        _finish(place, writer.manifest)
    return Summary(
        counts.analyzed, known.unchanged, counts.moved, counts.judged, counts.left, counts.reports,
        counts.skipped, counts.unreadable, tuple(counts.problems), time.monotonic() - begun,
    )  # fmt: skip


def _finish(place: Place, manifest: Manifest) -> None:
    if merge.is_needed(manifest):
        manifest = merge.compact(place, manifest)
    index.refresh(place, manifest)
