"""Tries many inputs in other processes, and tells which one a process hangs in or dies of."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import re
import resource
import time
from collections import Counter
from pathlib import Path
from queue import Empty
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fuzzing import run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.process import BaseProcess

#: A worker tells what it did every so many inputs.
BLOCK: Final = 256
#: An input that takes so long is a hang, whatever it waits for.
_HANG_S: Final = 120.0
#: No worker may take more memory than this, besides what its parent has.
_MOST_MEMORY: Final = 3 * 2**30
#: The inputs that are named of each kind of finding.
_NAMED: Final = 5

_CONTEXT: Final = multiprocessing.get_context("fork")


class Block(NamedTuple):
    """What became of some inputs."""

    begin: int
    end: int
    seconds: float
    mutators: dict[str, int]
    findings: list[tuple[int, tuple[str, ...], str, str, str]]

    def to_line(self, **more: Any) -> str:
        """As a line of the log."""
        return json.dumps({**self._asdict(), **more}, ensure_ascii=True)


class _Worker:
    """A process that tries the inputs of some blocks, and what it is at."""

    def __init__(self, blocks: Any, told: Any) -> None:
        self.number = _CONTEXT.Value("q", -1)
        self.begin = _CONTEXT.Value("d", 0.0)
        self.span = _CONTEXT.Array("q", [0, 0])
        self._queues = blocks, told
        self._parent = os.getpid()
        self.process: BaseProcess = self._started()

    def _started(self) -> BaseProcess:
        process = _CONTEXT.Process(target=self._work, args=self._queues, daemon=True)
        process.start()
        return process

    def again(self) -> None:
        """Another process for one that is gone."""
        self.process = self._started()

    def _work(self, blocks: Any, told: Any) -> None:
        held = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + _MOST_MEMORY, held + _MOST_MEMORY))
        gc.freeze()
        gc.set_threshold(20_000)
        while True:
            span = blocks.get()
            if span is None:
                return
            self.span[:] = span
            told.put(self._tried(*span))

    def _tried(self, begin: int, end: int) -> Block:
        started = time.process_time()
        mutators: Counter[str] = Counter()
        findings = []
        for number in range(begin, end):
            if os.getppid() != self._parent:  # it was ended, and nobody asks any more
                os._exit(1)
            self.begin.value = time.monotonic()
            self.number.value = number
            each = run.made(number)
            mutators.update(set(each.mutators))
            findings += [(number, each.mutators, *found) for found in run.examined(each)]
        self.number.value = -1
        return Block(begin, end, time.process_time() - started, dict(mutators), findings)


def tried(start: int, stop: int, jobs: int, seconds: float | None = None) -> Iterator[Block]:
    """Tries inputs by number, block by block, until there are no more or the time is over."""
    until = time.monotonic() + seconds if seconds else None
    blocks, told = _CONTEXT.Queue(), _CONTEXT.Queue()
    spans = iter([(n, min(n + BLOCK, stop)) for n in range(start, stop, BLOCK)])
    workers = [_Worker(blocks, told) for _ in range(jobs)]
    open_ = 0
    for span in _some(spans, 2 * jobs):
        blocks.put(span)
        open_ += 1
    try:
        while open_:
            try:
                block = told.get(timeout=1.0)
            except Empty:
                for gone in _gone(workers):
                    *rests, last = gone
                    yield last
                    open_ += len(rests) - 1
                    for rest in rests:
                        blocks.put(rest)
                continue
            yield block
            open_ -= 1
            if until is None or time.monotonic() < until:
                for span in _some(spans, 1):
                    blocks.put(span)
                    open_ += 1
    finally:
        for worker in workers:
            worker.process.kill()


def _some(spans: Iterator[tuple[int, int]], count: int) -> Iterator[tuple[int, int]]:
    for _ in range(count):
        span = next(spans, None)
        if span is not None:
            yield span


def _gone(workers: list[_Worker]) -> Iterator[tuple[Any, ...]]:
    """What is left of the block that a worker hangs in or died of, and the input that it was."""
    for worker in workers:
        number = worker.number.value
        hangs = number >= 0 and time.monotonic() - worker.begin.value > _HANG_S
        if worker.process.is_alive() and not hangs:
            continue
        kind = "hang" if worker.process.is_alive() else "crash"
        worker.process.kill()
        worker.process.join()
        what = f"exit status {worker.process.exitcode}"
        worker.number.value = -1
        worker.again()
        begin, end = worker.span[:]
        rests = [span for span in ((begin, number), (number + 1, end)) if span[0] < span[1]]
        yield *rests, Block(number, number + 1, 0.0, {}, [(number, (), kind, what, "")])


def commit() -> str:
    """The commit that is tried, as git names it."""
    import subprocess

    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"],
                           capture_output=True, text=True, check=False,
                           cwd=Path(__file__).parent)  # fmt: skip
    return found.stdout.strip() or os.environ.get("AWRLENS_COMMIT", "unknown")


def family(what: str) -> str:
    """Facts of one family are told together: ``redo`` for ``1:redo.sync_ms``."""
    return re.sub(r"^(?:\w+:)?([a-z]+)\.[a-z0-9_]+$", r"\1", what)


class Sums:
    """What many blocks come to."""

    def __init__(self) -> None:
        self.inputs = 0
        self.seconds = 0.0
        self.ranges: list[tuple[int, int]] = []
        self.mutators: Counter[str] = Counter()
        self.by_mutator: Counter[str] = Counter()
        self.findings: Counter[tuple[str, str]] = Counter()
        self.named: dict[tuple[str, str], list[int]] = {}
        self.commits: list[str] = []

    def add(self, block: Block, commit_: str = "") -> None:
        """Counts one block."""
        self.inputs += block.end - block.begin
        self.seconds += block.seconds
        self.mutators.update(block.mutators)
        if self.ranges and self.ranges[-1][1] == block.begin:
            self.ranges[-1] = (self.ranges[-1][0], block.end)
        else:
            self.ranges.append((block.begin, block.end))
        if commit_ and commit_ not in self.commits:
            self.commits.append(commit_)
        seen = dict.fromkeys((kind, family(what), n) for n, _, kind, what, _ in block.findings)
        for kind, what, number in seen:
            self.findings[kind, what] += 1
            named = self.named.setdefault((kind, what), [])
            named += [number] if len(named) < _NAMED else []
        for number in {each[0] for each in block.findings}:
            names = next(each[1] for each in block.findings if each[0] == number)
            self.by_mutator.update(set(names))
