"""A figure is read whole or not at all: lines that are shifted, cut, squeezed or overflown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import samples

from awrlens import api

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact

REDO = "redo-disk.awr-11.2.txt"


def text_of(name: str = REDO) -> str:
    return samples.path(name).read_text(encoding="utf-8")


def facts(text: str) -> Mapping[str, Fact]:
    return api.facts_of(api.load(text.encode(), "mutated"))


def changed(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def values(text: str) -> dict[str, object]:
    return {name: fact.value for name, fact in facts(text).items()}


def test_a_label_that_is_too_wide_cuts_no_figure_in_two() -> None:
    for width in range(1, 8):
        label = f"Host {' ' * width}Mem (MB):"
        found = facts(changed(text_of(), "Host Mem (MB):", label))
        # from so far on the figure is left and the host's line has it in GB, rounded
        assert found["pga.host_memory_mb"].value in (7872, 7874.56)


def test_a_piece_of_a_figure_is_no_figure_with_a_decimal_comma() -> None:
    """``5,757.5`` cut behind its first decimal place of a comma is not 5.7."""
    line = next(line for line in text_of().split("\n") if "Executes:" in line)
    found = facts(changed(text_of(), line, line[: line.index("5,7") + 3]))
    assert found["load.executes_per_s"].value != 5.7
    assert found["load.executes_per_s"].status in ("derived", "unavailable")
