"""The jobs of a node: uploads that wait are analyzed by its worker processes.

The table of uploads is the queue. A node claims a job for some seconds and renews its claims. A
process that takes too long or uses too much memory is killed and replaced.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment,unused-ignore]

from awrlens.cli.console import collect_rarely, sentence
from awrlens.errors import AwrlensError
from awrlens.serve import uploads, work
from awrlens.serve.problems import Problem, busy
from awrlens.serve.work import Part, Upload

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

    from awrlens.serve.database import Database, Row
    from awrlens.serve.metrics import Metrics, Note, Tracing
    from awrlens.serve.settings import Settings
    from awrlens.serve.uploads import Blobs


T = TypeVar("T")
#: Calls after which a process is replaced, so that memory it holds is returned.
_CALLS: Final = 2000


class WorkError(Exception):
    """The work failed; the message can be shown to the user."""


class RefusedError(WorkError):
    """The input cannot be read or the call is invalid, which is not a failure of the server."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class DiedError(WorkError):
    """The process ended without an answer; another attempt may succeed."""


def _begin(connection: Connection, memory: int) -> None:
    """The life of a worker process: calls come in, answers go out."""
    collect_rarely()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _limit(memory)
    while True:
        try:
            name, args = connection.recv()
        except (EOFError, OSError):  # the server has ended
            os._exit(0)
        connection.send(_answer(name, args))


def _answer(name: str, args: tuple[Any, ...]) -> tuple[str, Any, str]:
    try:
        return "done", work.CALLS[name](*args), ""
    except AwrlensError as problem:
        return "refused", sentence(problem), type(problem).__name__
    except MemoryError:
        return "failed", "Its analysis needs more memory than this server allows.", ""
    except Exception as problem:  # noqa: BLE001 - one upload must not end the process
        return "failed", f"awrlens failed on it ({type(problem).__name__}).", ""


def _limit(memory: int) -> None:
    if resource is None:
        return
    for limit, value in (
        (resource.RLIMIT_AS, memory), (resource.RLIMIT_FSIZE, 2**29),
        (resource.RLIMIT_NOFILE, 64), (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (bound, bound))


class _Worker:
    """One process, and the thread that waits for its answers."""

    def __init__(self, context: BaseContext, memory: int) -> None:
        self._context = context
        self._memory = memory
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="awrlens-worker")
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._calls = 0

    async def run(self, function: Callable[..., T], *args: Any) -> T:  # noqa: ANN401
        """Run one of its own functions in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *args)

    def start(self) -> None:
        """Start the process before its first call."""
        if self._process is not None and self._process.is_alive():
            return
        self._stop()
        ours, theirs = self._context.Pipe()
        process = self._context.Process(  # type: ignore[attr-defined]
            target=_begin, args=(theirs, self._memory), daemon=True, name="awrlens worker"
        )
        process.start()
        theirs.close()
        self._process, self._connection, self._calls = process, ours, 0

    def call(self, name: str, args: tuple[Any, ...], timeout_s: float) -> Any:  # noqa: ANN401
        """One call; WorkError if it fails."""
        self.start()
        connection = self._connection
        assert connection is not None  # noqa: S101 - just started
        try:
            connection.send((name, args))
            if not connection.poll(timeout_s):
                self._replace()
                raise WorkError(f"Its analysis takes longer than {timeout_s:g} s.")
            state, value, kind = connection.recv()
        except (EOFError, OSError):
            self._replace()
            raise DiedError("The process that read it was killed.") from None
        self._calls += 1
        if state == "failed" or self._calls >= _CALLS:
            self._replace()
        if state == "refused":
            raise RefusedError(value, kind)
        if state == "failed":
            raise WorkError(value)
        return value

    def _replace(self) -> None:
        """End the process, and start another one before the next call."""
        self._stop()
        with suppress(RuntimeError):  # the pool is being closed
            self._thread.submit(self.start)

    def _stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join(5)
        self._process = self._connection = None

    def close(self) -> None:
        """End the process, also in the middle of a call."""
        if self._process is not None:
            self._process.kill()
        self._thread.submit(self._stop)
        self._thread.shutdown(wait=True)


class Pool:
    """A fixed number of worker processes; callers wait for a free one."""

    def __init__(self, settings: Settings) -> None:
        self._limits = settings.limits
        method = (
            "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        )
        context = multiprocessing.get_context(method)
        if method == "forkserver":
            # what most calls need, so that new processes have it from their start
            context.set_forkserver_preload([
                "awrlens.serve.jobs", "awrlens.render.first_screen", "awrlens.render.html",
                "awrlens.report.html_reader", "awrlens.report.text_reader", "awrlens.rules",
                "awrlens.source.containers",
            ])  # fmt: skip
        self._workers = [
            _Worker(context, settings.limits.worker_bytes) for _ in range(settings.workers)
        ]
        #: It begins with its first call, and stays: to import a database takes a second.
        self._spacious = _Worker(context, work.SPACE * settings.limits.worker_bytes)
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._spare: asyncio.Queue[_Worker] = asyncio.Queue()
        #: Calls without a worker.
        self.waiting = 0

    async def start(self) -> None:
        """Start all processes."""
        await asyncio.gather(*(worker.run(worker.start) for worker in self._workers))
        for worker in self._workers:
            self._idle.put_nowait(worker)
        self._spare.put_nowait(self._spacious)

    async def call(self, name: str, *args: Any, patient: bool = False) -> Any:  # noqa: ANN401
        """A call of ``work.CALLS``; 503 if too many wait, except for ``patient`` callers."""
        if not patient and self.waiting >= self._limits.callers:
            raise busy("All workers are busy.")
        self.waiting += 1
        idle = self._spare if name in work.SPACIOUS else self._idle
        try:
            worker = await idle.get()
        finally:
            self.waiting -= 1
        # if the caller disappears, the worker is free only when the call ends
        whole = worker.run(worker.call, name, args, self._limits.analysis_s)
        task = asyncio.create_task(whole)

        def free(done: asyncio.Task[Any]) -> None:
            if not done.cancelled():
                done.exception()  # its caller may have gone
            idle.put_nowait(worker)

        task.add_done_callback(free)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End all processes."""
        loop = asyncio.get_running_loop()
        workers = (*self._workers, self._spacious)
        await asyncio.gather(*(loop.run_in_executor(None, w.close) for w in workers))


LOG: Final = logging.getLogger("awrlens.serve")
#: Uploads deleted at once when their time is over, and the seconds between.
_AT_ONCE: Final = 200
_CLEAN_S: Final = 60.0
#: Seconds between two searches for bytes that no upload has.
_SWEEP_S: Final = 300.0


class Jobs:
    """Claims jobs, has them analyzed, and stores the results."""

    def __init__(
        self, settings: Settings, database: Database, blobs: Blobs, pool: Pool, metrics: Metrics,
        tracing: Tracing,
    ) -> None:  # fmt: skip
        self._settings, self._database, self._blobs = settings, database, blobs
        self._pool, self._metrics, self._tracing = pool, metrics, tracing
        self.node = secrets.token_hex(8)
        self._edition = work.edition(settings.options)
        self._news = asyncio.Event()
        self._done = asyncio.Condition()
        self._ends = False
        self._sweeps = 0.0
        self._active: set[str] = set()
        self._leads: list[asyncio.Task[None]] = []
        self._others: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Return interrupted jobs to the queue and begin."""
        if not self._database.shared:  # no other process has this database
            count = await self._database.write(uploads.release)
            if count:
                LOG.info("interrupted jobs queued again", extra={"count": count})
            await self._sweep(float("inf"))  # nothing is being received yet
        begin = asyncio.create_task
        self._leads = [begin(self._lasting(self._lead)) for _ in range(self._settings.workers)]
        others = self._renew, self._clean, self._again
        self._others = [begin(self._lasting(loop)) for loop in others]

    def notice(self) -> None:
        """An upload waits."""
        self._news.set()

    async def finished(self, id_: str, timeout_s: float) -> None:
        """Wait until an upload is analyzed, at most for a time."""
        end = time.monotonic() + timeout_s
        while (left := end - time.monotonic()) > 0:
            row = await self._database.read(uploads.find, id_)
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
                continue
            except Problem as problem:
                LOG.warning("a background task waits", extra={"reason": problem.detail})
            except Exception as problem:
                LOG.exception("a background task failed", extra={"kind": type(problem).__name__})
            await asyncio.sleep(1)

    async def _lead(self) -> None:
        """One job after the other."""
        job = await self._database.write(uploads.claim, self.node, self._settings.lease_s)
        if job is not None:
            self._active.add(job["id"])
            try:
                with self._tracing.span("analysis", attempt=job["attempts"]) as note:
                    await self._analyze(job, note)
            finally:
                self._active.discard(job["id"])
            return
        self._news.clear()
        with suppress(TimeoutError):  # then a look for jobs of other nodes
            await asyncio.wait_for(self._news.wait(), 2.0)

    async def _analyze(self, job: Row, note: Note) -> None:
        began = time.monotonic()
        parts: list[Part] = []
        reason = ""
        try:
            with self._tracing.span("load bytes"):
                data = await asyncio.to_thread(self._blobs.get, job["hash"])
            if job["attempts"] > uploads.ATTEMPTS:  # it may be what ended the server each time
                reason = f"Its analysis did not end in {uploads.ATTEMPTS} attempts."
            elif data is None:
                reason = "Its bytes are no longer stored."
            else:
                with self._tracing.span("worker", bytes=len(data)):
                    parts = await self._look(job["name"], data)
        except DiedError as problem:
            note(result="interrupted")
            if job["attempts"] < uploads.ATTEMPTS:
                await self._database.write(uploads.again, job, self.node)
                self.notice()
                return
            reason = str(problem)
        except WorkError as problem:
            reason = str(problem)
        note(result="failed" if reason else "done", reports=len(parts))
        with self._tracing.span("store result"):
            stored = await self._stored(job, parts, reason)
        if stored:
            result = "failed" if reason else "done"
            self._metrics.analyses.labels(result).observe(time.monotonic() - began)
        async with self._done:
            self._done.notify_all()

    async def _look(self, name: str, data: bytes) -> list[Part]:
        options = self._settings.options
        parts: list[Part] = await self._pool.call("look", Upload(name, data), options, patient=True)
        return parts

    async def _stored(self, job: Row, parts: list[Part], reason: str) -> bool:
        """Store a result, as soon as the database can."""
        while True:
            try:
                return await self._database.write(
                    uploads.finish, job, self.node, parts, reason, self._edition
                )
            except Problem as problem:
                if self._ends:
                    return False
                LOG.warning("a result waits for the database", extra={"reason": problem.detail})
                await asyncio.sleep(1)

    async def _renew(self) -> None:
        lease_s = self._settings.lease_s
        await self._database.write(uploads.renew, tuple(self._active), self.node, lease_s)
        await asyncio.sleep(lease_s / 3)

    async def _clean(self) -> None:
        expired = await self._database.read(uploads.expired, _AT_ONCE)
        for id_ in expired:
            await self._database.write(uploads.erase, id_, "retention", self._blobs)
        await self._database.forget()
        if len(expired) < _AT_ONCE:
            if time.monotonic() >= self._sweeps:
                self._sweeps = time.monotonic() + _SWEEP_S
                limits = self._settings.limits
                await self._sweep(time.time() - limits.receive_s - self._settings.lease_s)
            await asyncio.sleep(_CLEAN_S)

    async def _sweep(self, before: float) -> None:
        """Delete bytes of uploads that were never acknowledged: a server was killed before."""
        used = await self._database.read(uploads.hashes)

        def unused() -> list[str]:
            return [hash_ for hash_ in self._blobs.before(before) if hash_ not in used]

        for hash_ in await asyncio.to_thread(unused):
            await self._database.write(uploads.drop, hash_, self._blobs)

    async def _again(self) -> None:
        """Analyze uploads again, for the history and the fleet, that another edition analyzed."""
        row = await self._database.read(uploads.outdated, self._edition)
        if row is None:
            await asyncio.sleep(_CLEAN_S)
            return
        data = await asyncio.to_thread(self._blobs.get, row["hash"])
        parts: list[Part] = []
        if data is not None:
            with suppress(WorkError):
                parts = await self._look(row["name"], data)
        await self._database.write(uploads.refresh, row["id"], parts, self._edition)

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
            await self._database.write(uploads.release, self.node)
