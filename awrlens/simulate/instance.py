"""One instance of a simulated cluster: its load, its cache, its redo thread."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from awrlens.simulate import cache
from awrlens.simulate.load import Source
from awrlens.simulate.redo import Thread

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from awrlens.simulate.setup import Setup


class Instance:
    """One instance: its redo thread, its cache, and its work per tick."""

    def __init__(self, number: int, setup: Setup) -> None:
        load = setup.load
        self.number = number
        self.thread = Thread()
        self.cache = cache.Cache()
        self.written = 0
        #: Number of starts: processes of an earlier start have ended.
        self.lives = 1
        self.source = Source(load, Random(f"{setup.seed}/{number}"), number)  # noqa: S311 - no secret
        self._limits = cache.limits(load, setup.rates, setup.mttr_s)
        self._rates = setup.rates
        self._bytes = round(load.redo_bytes_per_s * load.tick_s)
        most = self._limits.writes_per_s
        self._most = None if most is None else max(1, round(most * load.tick_s))

    def tick(self, scn: int, held: Collection[int] = ()) -> tuple[list[int], list[int]]:
        """Change blocks, then let DBWR write what the limits require; both.

        Blocks that are ``held`` for a recovery are neither changed nor written.
        """
        thread = self.thread
        changed = self.source.tick()
        if held:
            changed = [block for block in changed if block not in held]
        self.cache.change(thread.end_rba, changed)
        end = thread.end_rba + self._bytes
        written = self.cache.write(end, self._limits, self._rates, self._most, held)
        thread.append(scn, self._bytes, changed, written)
        thread.checkpoint_rba = self.cache.checkpoint_rba(thread.end_rba)
        return changed, written

    def discard(self, scn: int, blocks: Iterable[int]) -> None:
        """Drop past images of blocks that another instance wrote, with Block Written Records."""
        own = [block for block in blocks if block in self.cache.queue]
        if own:
            self.cache.drop(own)
            self.thread.append(scn, 0, (), own)
            self.thread.checkpoint_rba = self.cache.checkpoint_rba(self.thread.end_rba)

    def restart(self) -> None:
        """Restart after a recovery: no dirty buffers, and all redo applied."""
        self.lives += 1
        self.cache = cache.Cache()
        self.thread.checkpoint_rba = self.thread.end_rba
