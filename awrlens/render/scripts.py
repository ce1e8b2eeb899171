"""The list of scripts that `awrlens sql` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from awrlens.render.as_lines import printed
from awrlens.render.blocks import Heading, Item, Items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.render.lines import Line
    from awrlens.scripts import Script


def scripts_page(listed: Iterable[Script], width: int) -> Iterator[Line]:
    """Every script by engine: what it does, needs and changes, and what reads its output."""
    scripts = tuple(listed)
    for engine in dict.fromkeys(script.engine for script in scripts):
        yield from printed(Heading(engine), width)
        for script in scripts:
            if script.engine == engine:
                below = [f"needs: {script.requirements}", f"changes: {script.changes}"]
                below += [f"read the output: `{script.reader}`"] * bool(script.reader)
                style = "ok" if script.read_only else "warning"
                item = Item(script.purpose, script.name, style, tuple(below))
                yield from printed(Items((item,)), width)
