"""An ingest on a Dask cluster: tasks return rows, and this process alone writes.

A worker may die and a task may run twice: rows are taken once, in the order of the inputs, so the
store is the same as that of one process. Workers must see the inputs under the same paths.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import awrlens
from awrlens.errors import UsageError
from awrlens.fleet.rows import Stamps, stamps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.fleet.ingest import Runner
    from awrlens.fleet.rows import Job, Piece
    from awrlens.fleet.sources import InputFile


#: Of ``distributed``, which has no types.
Client: TypeAlias = Any
Future: TypeAlias = Any

#: Inputs and bytes of a task.
_FILES: Final = 16
_BYTES: Final = 16 * 2**20
_PATIENCE_S: Final = 20


def of_chunk(job: Job, chunk: list[InputFile]) -> list[Piece]:
    """The task: the rows of some inputs."""
    return [job.of(file) for file in chunk]


def version() -> tuple[str, Stamps]:
    """The version of awrlens on a worker, and the stamps of its code."""
    return awrlens.__version__, stamps()


def runner(address: str) -> Runner:
    """Runs on the workers of a scheduler; UsageError if there are none of this version."""

    def run(inputs: Iterator[InputFile], job: Job) -> Iterator[tuple[InputFile, Iterable[Piece]]]:
        client = _client(address)
        try:
            yield from _all(client, inputs, job)
        finally:
            client.close()

    return run


def _client(address: str) -> Client:
    import distributed

    connect: Any = distributed.Client
    try:
        client = connect(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as failed:
        reason = str(failed).split("\n")[0].rstrip(".") or type(failed).__name__
        raise UsageError(
            f"No Dask scheduler answers at {address}: {reason}.", hint="Start `dask scheduler`."
        ) from None
    try:
        client.wait_for_workers(1, timeout=_PATIENCE_S)
        others = set(client.run(version).values()) - {version()}
    except TimeoutError:
        problem, hint = f"The Dask cluster at {address} has no workers.", "Start `dask worker`."
    except Exception as failed:  # noqa: BLE001 - awrlens is not installed there, or is too old
        problem = f"A worker of {address} cannot run awrlens: {failed}."
        hint = "Install the same awrlens with its extra `cluster` on every worker."
    else:
        if not others:
            return client
        names = ", ".join(sorted({number for number, _ in others}))
        same = " of the same code" * (awrlens.__version__ in names)
        problem = f"Workers of {address} have awrlens {names}, not {awrlens.__version__}{same}."
        hint = "Install the same version on every worker."
    client.close()
    raise UsageError(problem, hint=hint)


def _all(
    client: Client, inputs: Iterator[InputFile], job: Job
) -> Iterator[tuple[InputFile, Iterable[Piece]]]:
    chunks = _chunks(inputs)
    under_way: deque[tuple[list[InputFile], Future]] = deque()
    while True:
        most = max(1, sum(client.nthreads().values())) * 3  # tasks under way
        while len(under_way) < most and (chunk := next(chunks, None)) is not None:
            under_way.append((chunk, _submitted(client, job, chunk)))
        if not under_way:
            return
        chunk, future = under_way.popleft()
        yield from zip(chunk, _finished(client, job, chunk, future), strict=True)


def _chunks(inputs: Iterator[InputFile]) -> Iterator[list[InputFile]]:
    chunk: list[InputFile] = []
    size = 0
    for file in inputs:
        chunk.append(file)
        size += file.size or 0
        if len(chunk) >= _FILES or size >= _BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _submitted(client: Client, job: Job, chunk: list[InputFile]) -> Future:
    return client.submit(of_chunk, job, chunk, pure=False, retries=3)


def _finished(
    client: Client, job: Job, chunk: list[InputFile], future: Future
) -> Iterator[list[Piece]]:
    """The rows of a task; a task that kills its workers is run again for each of its inputs."""
    from distributed import KilledWorker

    try:
        yield from ([piece] for piece in future.result())
    except KilledWorker:
        if len(chunk) == 1:
            yield [job.killed(chunk[0])]
            return
        for file in chunk:
            yield from _finished(client, job, [file], _submitted(client, job, [file]))
