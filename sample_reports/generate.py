"""Write the sample reports, or compare them with what is committed.

Usage: python sample_reports/generate.py [--check] [--out DIR]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from generator import (
    awr_html,
    awr_html_10,
    awr_text,
    awr_text_10,
    awr_text_19,
    busy_commit,
    compare,
    locales,
    rac,
    redo_accelerator,
    redo_cluster,
    redo_disk,
    restart,
    statspack_8,
    statspack_9,
    statspack_10,
    statspack_11,
    temp_sort,
    undo_rollbacks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from generator.model import Workload

HERE = Path(__file__).resolve().parent
WORKLOADS: tuple[Workload, ...] = (redo_disk.WORKLOAD, redo_accelerator.WORKLOAD)
WRITERS: dict[str, Callable[[Workload], str]] = {
    "statspack-9.2.lst": statspack_9.write,
    "statspack-11.2.txt": statspack_11.write,
    "awr-11.2.txt": awr_text.write,
    "awr-11.2.html": awr_html.write_11,
    "awr-19c.html": awr_html.write_19,
}

#: Other runs, each in the layout nearest to its figures' and in that of today.
RUNS: tuple[Workload, ...] = (
    temp_sort.DISK, temp_sort.ACCELERATOR, undo_rollbacks.DISK, undo_rollbacks.ACCELERATOR,
    busy_commit.WORKLOAD,
)  # fmt: skip


#: Layouts of other releases, for the first run.
OTHER_LAYOUTS: dict[str, Callable[[Workload], str]] = {
    "statspack-8.1.7.lst": statspack_8.write,
    "statspack-10.2.lst": statspack_10.write,
    "statspack-19c.txt": statspack_11.write_19,
    "awr-12.2.html": awr_html.write_12,
    "awr-23ai.html": awr_html.write_23,
    "awr-10.2.html": awr_html_10.write,
    "awr-10.2.txt": awr_text_10.write,
    "awr-19c.txt": awr_text_19.write,
    "awr-pdb-19c.html": awr_html.write_pdb,
}

#: The first run as other settings and a restart make it.
VARIANTS: dict[str, Callable[[Workload], str]] = {
    "redo-disk.statspack-11.2.pt.txt": lambda w: locales.PORTUGUESE.text(statspack_11.write(w)),
    "redo-disk.awr-11.2.de.html": lambda w: locales.GERMAN.html(awr_html.write_11(w)),
    "redo-restart.statspack-9.2.lst": restart.write,
}


def run_layouts(workload: Workload) -> tuple[str, ...]:
    """Figures 1 and 2 are of 9i, those of the other runs of 11g."""
    return ("statspack-9.2.lst",) if workload is busy_commit.WORKLOAD else (
        "awr-11.2.txt", "awr-19c.html",
    )  # fmt: skip


#: Writers of two workloads side by side.
COMPARED: dict[str, Callable[[Workload, Workload], str]] = {
    "awr-diff-11.2.txt": compare.write_text,
    "awr-diff-11.2.html": compare.write_html,
}


def reports() -> Iterator[tuple[str, bytes]]:
    """Name and content of every sample."""
    for workload in WORKLOADS:
        for layout, write in WRITERS.items():
            yield f"{workload.slug}.{layout}", write(workload).encode()
    for workload in RUNS:
        for layout in run_layouts(workload):
            yield f"{workload.slug}.{layout}", WRITERS[layout](workload).encode()
    for layout, write in OTHER_LAYOUTS.items():
        yield f"{redo_disk.WORKLOAD.slug}.{layout}", write(redo_disk.WORKLOAD).encode()
    for name, write in VARIANTS.items():
        yield name, write(redo_disk.WORKLOAD).encode()
    for layout, compared in COMPARED.items():
        yield f"redo-compared.{layout}", compared(*WORKLOADS).encode()
    yield "redo-cluster.awr-rac-11.2.txt", rac.write_text(redo_cluster.INSTANCES).encode()
    yield "redo-cluster.awr-rac-11.2.html", rac.write_html(redo_cluster.INSTANCES).encode()
    for workload in redo_cluster.INSTANCES:
        yield f"{workload.slug}.awr-11.2.html", awr_html.write_11(workload).encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check; the exit status is 1 when a committed sample differs."""
    parser = argparse.ArgumentParser(description="Write the sample reports.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 on difference")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of the samples")
    options = parser.parse_args(arguments)
    folder: Path = options.out
    different = []
    for name, content in reports():
        path = folder / name
        if options.check:
            if not path.exists() or path.read_bytes() != content:
                different.append(name)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for name in different:
        print(f"{name} is not what generate.py writes now", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
