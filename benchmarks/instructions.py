"""CPU instructions for a report; ``python benchmarks/instructions.py`` prints a table.

Times vary from run to run and from machine to machine; instructions hardly do, so small gains and
losses are visible. The same reports are analyzed once and twice under ``valgrind`` (to install
beforehand); the difference has neither start-up nor what the first report fills. The reports are
our samples, or the files that are named: ``python benchmarks/instructions.py REPORT...``.
"""

from __future__ import annotations

import gc
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from awrlens import api, rules
from awrlens.policy import Policy
from awrlens.render.json import document

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SAMPLES = Path(__file__).parent.parent / "sample_reports"
#: The samples by format.
FORMATS = {"HTML": ["*awr*.html"], "text": ["*awr*.txt", "*statspack*.lst"]}
#: These have several instances or intervals, which are several reports.
PARTS = ("-rac-", "-diff-")
#: What is counted, with its name in the table.
WORKS: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "load": ("load", api.load),
    "findings": (
        "facts and findings",
        lambda data: rules.run(api.facts_of(api.load(data)), Policy()),
    ),
    "jsonl": (
        "analyze --format jsonl",
        lambda data: document(api.analyze(api.load(data), Policy()).to_dict(), compact=True),
    ),
}
#: Reports a count; more would only take longer.
MOST = 8


def work(name: str, rounds: int, paths: Sequence[str]) -> None:
    """Do some work on each report, in each round; this is what runs under valgrind."""
    inputs = [Path(path).read_bytes() for path in paths]
    gc.disable()
    for _ in range(rounds):
        for data in inputs:
            WORKS[name][1](data)


def counted(name: str, rounds: int, paths: Sequence[Path]) -> int:
    """Instructions of a process that does so."""
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
               sys.executable, __file__, "--work", name, str(rounds), *map(str, paths)]  # fmt: skip
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, check=True, capture_output=True, env=environment, text=True)
    found = re.search(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if found is None:
        raise SystemExit(f"valgrind printed no count: {done.stderr[-200:]}")
    return int(found[1].replace(",", ""))


def inputs_of(patterns: Sequence[str]) -> list[Path]:
    """Some of our samples, spread over all of a format."""
    found = sorted(path for pattern in patterns for path in SAMPLES.glob(pattern))
    found = [path for path in found if not any(part in path.name for part in PARTS)]
    return found[:: max(1, len(found) // MOST)][:MOST]


def main() -> None:
    """Print the table."""
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
        return
    if shutil.which("valgrind") is None:
        raise SystemExit("valgrind is missing: install it, and call this again.")
    named = [Path(path) for path in sys.argv[1:]]
    groups = {"named": named} if named else {k: inputs_of(v) for k, v in FORMATS.items()}
    print("| reports | work | million instructions a report |\n|---|---|---|")
    for kind, paths in groups.items():
        size = sum(path.stat().st_size for path in paths) / len(paths) / 1000
        for name, (said, _) in WORKS.items():
            each = (counted(name, 2, paths) - counted(name, 1, paths)) / len(paths) / 1e6
            print(f"| {len(paths)} {kind}, {size:,.0f} KB each | {said} | {each:.1f} |", flush=True)


if __name__ == "__main__":
    main()
