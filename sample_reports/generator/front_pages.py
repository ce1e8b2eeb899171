"""First pages of text reports, printed from the templates in ``pages``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .awr import cpu_shares
from .figures import KIB, MIB, grouped, plain, ratio
from .text_pages import END_RULE, FORM_FEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .derived import Derived

FOLDER = Path(__file__).parent / "pages"


def figures(d: Derived) -> dict[str, object]:
    """What a template may name: parts of the workload, and figures as all pages print them."""
    w = d.workload
    db, memory = w.database, w.memory
    return {
        "d": d,
        "w": w,
        "db": db,
        "cpu": cpu_shares(d),
        "elapsed_min": grouped(d.elapsed_s / 60, 2),
        "db_time_min": grouped(d.db_time_s / 60, 2),
        "db_cpu_min": grouped(d.db_cpu_s / 60, 2),
        "active": plain(ratio(d.db_time_s, d.elapsed_s), 1),
        "memory_mb": grouped(db.memory_bytes / MIB),
        "memory_gb": plain(db.memory_bytes / MIB / KIB, 1),
        "memory_gb2": plain(db.memory_bytes / MIB / KIB, 2),
        "buffer_cache": grouped(memory.buffer_cache_bytes / MIB) + "M",
        "shared_pool": grouped(memory.shared_pool_bytes / MIB) + "M",
        "log_buffer": grouped(memory.log_buffer_bytes / KIB) + "K",
        "block": f"{db.block_bytes // KIB}K",
        "feed": FORM_FEED,
        "rule": END_RULE,
    }


class Pages:
    """The templates of one file; ``@name`` stands for lines that the writer computes."""

    def __init__(self, name: str) -> None:
        """Read ``pages/<name>.txt``."""
        text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
        blocks = text.removeprefix("== ").removesuffix("\n").split("\n== ")
        self.templates = {block.partition("\n")[0]: block.split("\n")[1:] for block in blocks}

    def fill(self, key: str, d: Derived, **more: object) -> list[str]:
        """Return the lines of a template."""
        known = figures(d)
        lines: list[str] = []
        for line in self.templates[key]:
            if line.startswith("@"):
                inserted: Sequence[str] = more[line[1:]]  # type: ignore[assignment]
                lines += inserted
            else:
                lines.append(line.format(**known, **more))
        return lines
