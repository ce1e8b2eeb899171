"""The jobs of a node: uploads that wait are analyzed by its workers.

The table of uploads is the queue, so that storing an upload and queuing it is one transaction. A
node claims a job for some seconds and renews its claims; the jobs of a node that was killed are
taken over when their lease ends.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from awrlens.serve import fleet, stored_reports, uploads
from awrlens.serve.pool import DiedError, WorkError
from awrlens.serve.problems import Problem
from awrlens.serve.work import Found, Upload

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from awrlens.serve.blobs import Blobs
    from awrlens.serve.database import Database
    from awrlens.serve.metrics import Metrics
    from awrlens.serve.pool import Pool
    from awrlens.serve.settings import Settings
    from awrlens.serve.tracing import Note, Tracing

LOG: Final = logging.getLogger("awrlens.serve")
#: Seconds between two looks for jobs of other nodes.
_LOOK_S: Final = 2.0
#: Uploads deleted at once when their time is over, and the seconds between.
_AT_ONCE: Final = 200
_CLEAN_S: Final = 60.0
#: Seconds between two searches for bytes that no upload has.
_SWEEP_S: Final = 3600.0


class Jobs:
    """Claims jobs, has them analyzed, and stores the results."""

    def __init__(
        self, settings: Settings, database: Database, blobs: Blobs, pool: Pool, metrics: Metrics,
        tracing: Tracing,
    ) -> None:  # fmt: skip
        self._settings = settings
        self._database = database
        self._blobs = blobs
        self._pool = pool
        self._metrics = metrics
        self._tracing = tracing
        self.node = secrets.token_hex(8)
        self._edition = fleet.edition(settings.options)
        self._news = asyncio.Event()
        self._done = asyncio.Condition()
        self._ends = False
        self._sweeps = 0.0
        #: The jobs that this node does at the moment.
        self._active: set[str] = set()
        self._leads: list[asyncio.Task[None]] = []
        self._others: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Return interrupted jobs to the queue and begin."""
        if not self._database.shared:  # no other process has this database
            count = await self._database.write(uploads.release)
            if count:
                LOG.info("interrupted jobs queued again", extra={"count": count})
        self._leads = [self._begin(self._lead) for _ in range(self._settings.workers)]
        self._others = [self._begin(each) for each in (self._renew, self._clean, self._again)]

    def _begin(self, loop: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        return asyncio.create_task(self._lasting(loop))

    def notice(self) -> None:
        """An upload waits."""
        self._news.set()

    async def finished(self, id_: str, timeout_s: float) -> None:
        """Wait until an upload is analyzed, at most for a time."""
        end = time.monotonic() + timeout_s
        while (left := end - time.monotonic()) > 0:
            row = await self._database.read(partial(uploads.find, id_=id_))
            if row is None or row["status"] not in ("waiting", "running") or self._ends:
                return
            async with self._done:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._done.wait(), min(left, 1.0))

    async def _lasting(self, loop: Callable[[], Awaitable[None]]) -> None:
        """A loop that survives failures of the database."""
        while not self._ends:
            try:
                await loop()
            except Problem as problem:
                LOG.warning("a background task waits", extra={"reason": problem.detail})
                await asyncio.sleep(1)
            except Exception as problem:
                LOG.exception("a background task failed", extra={"kind": type(problem).__name__})
                await asyncio.sleep(1)

    async def _lead(self) -> None:
        """One job after the other."""
        job = await self._database.write(
            partial(uploads.claim, node=self.node, lease_s=self._settings.lease_s)
        )
        if job is not None:
            self._active.add(job.id)
            try:
                await self._analyze(job)
            finally:
                self._active.discard(job.id)
            return
        self._news.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), _LOOK_S)

    async def _analyze(self, job: uploads.Claim) -> None:
        with self._tracing.span("analysis", attempt=job.attempts) as note:
            await self._analyzed(job, note)

    async def _analyzed(self, job: uploads.Claim, note: Note) -> None:
        began = time.monotonic()
        found: list[Found] = []
        reason = ""
        try:
            with self._tracing.span("load bytes"):
                data = await asyncio.to_thread(self._blobs.get, job.hash)
            if job.attempts > uploads.ATTEMPTS:  # it may be what ended the server each time
                reason = f"Its analysis did not end in {uploads.ATTEMPTS} attempts."
            elif data is None:
                reason = "Its bytes are no longer stored."
            else:
                upload = Upload(job.name, data)
                with self._tracing.span("worker", bytes=len(data)):
                    found = await self._pool.call(
                        "look", upload, self._settings.options, patient=True
                    )
        except DiedError as problem:
            note(result="interrupted")
            if job.attempts < uploads.ATTEMPTS:
                await self._database.write(partial(uploads.again, job=job, node=self.node))
                self.notice()
                return
            reason = str(problem)
        except WorkError as problem:
            reason = str(problem)
        note(result="failed" if reason else "done", reports=len(found))
        with self._tracing.span("store result"):
            stored = await self._stored(job, found, reason)
        if stored:
            self._metrics.analyzed(time.monotonic() - began, failed=bool(reason))
        async with self._done:
            self._done.notify_all()

    async def _stored(self, job: uploads.Claim, found: list[Found], reason: str) -> bool:
        """Store a result, as soon as the database can."""
        while True:
            try:
                return await self._database.write(
                    partial(
                        uploads.finish,
                        job=job,
                        node=self.node,
                        found=found,
                        reason=reason,
                        edition=self._edition,
                    )
                )
            except Problem as problem:
                if self._ends:
                    return False
                LOG.warning("a result waits for the database", extra={"reason": problem.detail})
                await asyncio.sleep(1)

    async def _renew(self) -> None:
        await self._database.write(
            partial(
                uploads.renew,
                ids=tuple(self._active),
                node=self.node,
                lease_s=self._settings.lease_s,
            )
        )
        await asyncio.sleep(self._settings.lease_s / 3)

    async def _clean(self) -> None:
        """Delete uploads whose time is over."""
        old = await self._database.read(partial(uploads.expired, most=_AT_ONCE))
        for id_ in old:
            await self._database.write(
                partial(uploads.erase, id_=id_, why="retention", blobs=self._blobs)
            )
        if len(old) < _AT_ONCE:
            await self._sweep()
            await asyncio.sleep(_CLEAN_S)

    async def _sweep(self) -> None:
        """Delete bytes of uploads that were never acknowledged: the server was killed before."""
        if time.monotonic() < self._sweeps:
            return
        self._sweeps = time.monotonic() + _SWEEP_S
        used = await self._database.read(uploads.hashes)
        before = time.time() - self._settings.limits.receive_s - self._settings.lease_s

        def unused() -> list[str]:
            return [each for each in self._blobs.before(before) if each not in used]

        for each in await asyncio.to_thread(unused):
            await self._database.write(partial(uploads.drop, hash_=each, blobs=self._blobs))

    async def _again(self) -> None:
        """Analyze uploads again, for the history and the fleet, that another edition analyzed."""
        row = await self._database.read(partial(stored_reports.outdated, edition=self._edition))
        if row is None:
            await asyncio.sleep(_CLEAN_S)
            return
        data = await asyncio.to_thread(self._blobs.get, row["hash"])
        found: list[Found] = []
        if data is not None:
            with suppress(WorkError):
                upload = Upload(row["name"], data)
                found = await self._pool.call("look", upload, self._settings.options, patient=True)
        await self._database.write(
            partial(stored_reports.refresh, id_=row["id"], found=found, edition=self._edition)
        )

    async def close(self) -> None:
        """Wait for running analyses for a time, then return the rest to the queue."""
        self._ends = True
        self._news.set()
        if self._leads:
            await asyncio.wait(self._leads, timeout=self._settings.grace_s)
        tasks = [*self._leads, *self._others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Problem):
            await self._database.write(partial(uploads.release, node=self.node))
