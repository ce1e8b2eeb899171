"""Many inputs, one by one or on all cores; results arrive in the order of the inputs."""

from __future__ import annotations

import os
import signal
from collections import deque
from typing import TYPE_CHECKING, Any, Final, TypeVar

from awrlens import api, errors, extensions
from awrlens.cli import output
from awrlens.cli.console import collect_rarely, internal
from awrlens.errors import AwrlensError, UsageError
from awrlens.lazy import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

    from awrlens.extensions import OtherInput
    from awrlens.redact.names import Names
    from awrlens.source.open import Input

_Input = TypeVar("_Input")
_Output = TypeVar("_Output")
#: Input size in bytes above which worker processes are faster.
WORTH_BYTES: Final = 16 * 2**20
#: Inputs in progress per worker process.
_AHEAD: Final = 4


class Result(NamedTuple):
    """What became of one report, or the error."""

    name: str
    value: Any = None
    problem: AwrlensError | None = None
    #: A file of a folder or a member of an archive that is not a report; not an error.
    skipped: bool = False


class Work(NamedTuple):
    """The work for every input; it is sent to other processes, so it must be picklable."""

    #: What becomes of a report or another input, and the path of its file.
    analyse: Callable[[Any, str], Any]
    names: Names | None = None
    #: Whether logs that look like no report are accepted,
    logs: bool = False
    #: and inputs that are neither a report nor an excerpt of one, such as alert logs.
    others: bool = False

    def named(self, path: str) -> str:
        """The name of a file; its pseudonym if it is redacted."""
        return self.names.file(path) if self.names else path

    def of(self, file: Input) -> list[Result]:
        """The results of one input."""
        return list(self.one_by_one(file))

    def one_by_one(self, file: Input) -> Iterator[Result]:
        """The same on demand."""
        try:
            yield from self._one_by_one(file)
        except AwrlensError:
            raise
        except Exception as problem:  # noqa: BLE001 - one file must not end a batch
            name = self.named(file.path)
            yield Result(name, problem=internal(problem, name))

    def _one_by_one(self, file: Input) -> Iterator[Result]:
        some = False
        skipped: list[Result] = []
        load = api.load_inputs if self.logs else api.load_all
        for read in load(file.content, file.path, self.names):
            loaded = read
            if isinstance(read, errors.UnknownInputError) and self.others:
                loaded = self._other(read)
            if isinstance(loaded, AwrlensError):
                result = Result(loaded.source or self.named(file.path), problem=loaded)
                part = not file.named or "!" in (loaded.source or "")
                if part and isinstance(loaded, errors.NotAReportError):
                    skipped.append(result._replace(skipped=True))
                else:
                    yield result
                continue
            some = True
            try:
                yield Result(loaded.source, self.analyse(loaded, file.path))
            except UsageError:
                raise  # the call or the configuration is wrong, for any report
            except AwrlensError as problem:
                yield Result(loaded.source, problem=problem)
            except Exception as problem:  # noqa: BLE001 - one report must not end a batch
                yield Result(loaded.source, problem=internal(problem, loaded.source))
        # a named archive must contain a report
        asked = not some and file.named
        yield from (result._replace(skipped=False) if asked else result for result in skipped)

    def _other(self, problem: errors.UnknownInputError) -> OtherInput | errors.UnknownInputError:
        other = extensions.other_input(problem)
        problem.text = ""  # it may be large, and nothing else uses it
        if other is None:
            return problem
        return other if self.names is None else other.without_names(self.names)


def run(inputs: list[Input], work: Work, jobs: int | None) -> Iterator[Result]:
    """The results of all inputs in their order, from at most ``jobs`` processes."""
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or len(inputs) == 1 or sum(map(_size, inputs)) <= WORTH_BYTES:
        for file in _tracked(inputs):
            yield from work.one_by_one(file)
        return
    done = stream(inputs, work.of, min(jobs, len(inputs)))
    for _, (file, results) in zip(_tracked(inputs), done, strict=True):
        if results is not None:
            yield from results
            continue
        name = work.named(file.path)
        problem = errors.UnreadableError(
            "The process that read it was killed, probably because the system ran out of memory.",
            source=name, hint="Read it alone: awrlens analyze -j 1.",
        )  # fmt: skip
        yield Result(name, problem=problem)


def _size(file: Input) -> int:
    try:
        return os.path.getsize(file.path)
    except OSError:
        return 0


def stream(
    inputs: Iterable[_Input], call: Callable[[_Input], _Output], jobs: int
) -> Iterator[tuple[_Input, _Output | None]]:
    """Each input with its result from a worker process; None if the process was killed."""
    waiting = iter(inputs)
    under_way: deque[tuple[_Input, Future[_Output]]] = deque()
    pool = _pool(jobs, call)
    try:
        while True:
            while len(under_way) < jobs * _AHEAD:
                try:
                    item = next(waiting)
                except StopIteration:
                    break
                under_way.append((item, pool.submit(_called, item)))
            if not under_way:
                return
            item, future = under_way.popleft()
            result, alive = _finished(future)
            if not alive:  # a process was killed, so all work in progress is lost
                pool.shutdown(cancel_futures=True)
                with _pool(1, call) as alone:  # any of those in progress may have killed it
                    result, _ = _finished(alone.submit(_called, item))
                pool = _pool(jobs, call)
                under_way = deque((item, pool.submit(_called, item)) for item, _ in under_way)
            yield item, result
    finally:
        pool.shutdown(cancel_futures=True)


def _pool(jobs: int, call: Callable[[Any], Any]) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(jobs, initializer=_begin, initargs=(call,))


#: What a worker process does with every input: it may hold a hundred earlier reports, so it is
#: given to a process once, not with each input.
_calls: list[Callable[[Any], Any]] = []


def _called(item: Any) -> Any:  # noqa: ANN401 - of any work
    return _calls[-1](item)


def _begin(call: Callable[[Any], Any]) -> None:
    """Initialize a worker process: it ends when its parent ends."""
    import threading
    from multiprocessing import parent_process

    _calls.append(call)
    collect_rarely()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = parent_process()

    def end_with(parent: BaseProcess) -> None:
        parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def _finished(future: Future[Any]) -> tuple[Any, bool]:
    """The result of an input, and whether its process was alive to give it."""
    from concurrent.futures import BrokenExecutor, CancelledError

    try:
        return future.result(), True
    except (BrokenExecutor, CancelledError):
        return None, False


def _tracked(inputs: list[Input]) -> Iterator[Input]:
    if len(inputs) < 2:  # noqa: PLR2004
        yield from inputs
        return
    with output.bar("Reading", len(inputs), "files") as advanced:
        for done, file in enumerate(inputs):
            yield file
            advanced(done + 1)
