"""Lines as plain text, for pipes, files and NO_COLOR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render.present import inert

if TYPE_CHECKING:
    from collections.abc import Iterable

    from awrlens.render.lines import Line


def text(lines: Iterable[Line]) -> str:
    """Joined lines without trailing spaces."""
    return inert("".join("".join(span.text for span in line).rstrip() + "\n" for line in lines))
