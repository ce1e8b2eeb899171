"""The phases of a recovery as the parts of a bar."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Final

from awrlens.render.blocks import Piece
from awrlens.render.quantity import seconds

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Phases and their styles, which also distinguish them without color.
STYLES: Final = {
    "start-up": "dim", "mount": "info", "opening": "warning", "start-up and opening": "warning",
    "detection": "dim", "reconfiguration": "strong", "first pass": "critical",
    "rest of the GCS rebuild": "strong", "second pass": "ok", "other": "",
}  # fmt: skip


def pieces(phases: Iterable[tuple[str, float]]) -> tuple[Piece, ...]:
    """Consecutive phases, each with its name and seconds."""
    known = list(phases)
    ends = accumulate(spent for _, spent in known)
    return tuple(
        Piece(end - spent, end, STYLES[name], name, seconds(spent))
        for (name, spent), end in zip(known, ends, strict=True)
    )
