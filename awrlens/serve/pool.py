"""Worker processes with limits. What fails in one is one failed upload, never the server.

A process that takes too long or uses too much memory is killed and replaced. Processes end when the
server ends, however it ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from awrlens.cli import collect_rarely
from awrlens.errors import AwrlensError
from awrlens.serve import several_uploads
from awrlens.serve.problems import busy

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

    from awrlens.serve.settings import Settings

#: Calls after which a process is replaced, so that memory it holds is returned.
_CALLS: Final = 2000
#: Files that a process may have open, and the size of a file that it may write.
_FILES: Final = 64
_FILE_BYTES: Final = 2**29


class WorkError(Exception):
    """The work failed; the message can be shown to the user."""


class RefusedError(WorkError):
    """The input cannot be read or the call is invalid, which is not a failure of the server."""

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        #: Name of the class of AwrlensError.
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
        if name in several_uploads.SPACIOUS:
            _make_room()
        connection.send(_answer(name, args))


def _answer(name: str, args: tuple[Any, ...]) -> tuple[str, Any, str]:
    try:
        return "done", several_uploads.CALLS[name](*args), ""
    except AwrlensError as problem:
        return "refused", f"{problem.message} {problem.hint}".strip(), type(problem).__name__
    except MemoryError:
        return "failed", "Its analysis needs more memory than this server allows.", ""
    except Exception as problem:  # noqa: BLE001 - one upload must not end the process
        return "failed", f"awrlens failed on it ({type(problem).__name__}).", ""


def _make_room() -> None:
    """Raise the limit of addresses; the process does nothing else afterwards."""
    with suppress(ImportError):  # Windows
        import resource  # noqa: PLC0415

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _limit(memory: int) -> None:
    """Limits of the operating system, where it has them."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for limit, value in (
        (resource.RLIMIT_AS, several_uploads.SPACE * memory), (resource.RLIMIT_FSIZE, _FILE_BYTES),
        (resource.RLIMIT_NOFILE, _FILES), (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        hard = resource.getrlimit(limit)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (bound, bound))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


class _Worker:
    """One process, and the thread that waits for its answers."""

    def __init__(self, context: BaseContext, memory: int) -> None:
        self._context = context
        self._memory = memory
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="awrlens-worker")
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._calls = 0

    @property
    def pid(self) -> int | None:
        """The process, if it runs."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the process before its first call."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._start)

    async def call(self, name: str, args: tuple[Any, ...], timeout_s: float) -> Any:  # noqa: ANN401
        """One call; WorkError if it fails."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._call, name, args, timeout_s)

    def _start(self) -> None:
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

    def _call(self, name: str, args: tuple[Any, ...], timeout_s: float) -> Any:  # noqa: ANN401
        self._start()
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
        if state == "failed" or self._calls >= _CALLS or name in several_uploads.SPACIOUS:
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
            self._thread.submit(self._start)

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
            context.set_forkserver_preload(["awrlens.serve.pool", "awrlens.serve.warm"])
        self._workers = [
            _Worker(context, settings.limits.worker_bytes) for _ in range(settings.workers)
        ]
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue()
        self._waiting = 0

    async def start(self) -> None:
        """Start all processes."""
        await asyncio.gather(*(each.start() for each in self._workers))
        for each in self._workers:
            self._idle.put_nowait(each)

    @property
    def pids(self) -> list[int]:
        """The processes that run."""
        return [each.pid for each in self._workers if each.pid is not None]

    @property
    def waiting(self) -> int:
        """Calls without a worker."""
        return self._waiting

    async def call(self, name: str, *args: Any, patient: bool = False) -> Any:  # noqa: ANN401
        """A call of ``several.CALLS``; 503 if too many wait, except for ``patient`` callers."""
        if not patient and self._waiting >= self._limits.callers:
            raise busy("All workers are busy.")
        self._waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self._waiting -= 1
        # if the caller disappears, the worker is free only when the call ends
        task = asyncio.create_task(worker.call(name, args, self._limits.analysis_s))
        task.add_done_callback(lambda done: self._free(worker, done))
        return await asyncio.shield(task)

    def _free(self, worker: _Worker, done: asyncio.Task[Any]) -> None:
        if not done.cancelled():
            done.exception()  # its caller may have gone
        self._idle.put_nowait(worker)

    async def close(self) -> None:
        """End all processes."""
        loop = asyncio.get_running_loop()
        await asyncio.gather(*(loop.run_in_executor(None, w.close) for w in self._workers))
