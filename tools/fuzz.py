"""Tests mutated reports: ``make fuzz``.

The number of an input determines all its random choices: ``--replay NUMBER`` repeats it and shows
its mutations and failed properties. ``--log FILE`` adds a line per block of inputs, ``--resume``
continues at the end of that file, and ``--table FILE`` prints its summary. Exit status 1 if a
property fails that is not in ``tests/fuzz_corpus/open.toml``.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from fuzzing import known, run, work
from fuzzing.document import base
from fuzzing.properties import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Maximum number of printed lines of a difference.
_LINES: Final = 60
_WIDTH: Final = 160


def main() -> int:
    """Run the requested command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="number of inputs (20,000)")
    parser.add_argument("--start", type=int, default=0, help="number of the first input (0)")
    parser.add_argument("--seconds", type=float, help="start no new blocks after this time")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--log", type=Path, help="add a line per block to this file")
    parser.add_argument("--resume", action="store_true", help="continue at the end of the log")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="repeat one input")
    parser.add_argument("--write", type=Path, help="write the repeated input to this file")
    parser.add_argument("--table", type=Path, metavar="LOG", help="print the summary of a log")
    asked = parser.parse_args()
    if asked.replay is not None:
        return replay(asked.replay, asked.write)
    if asked.table is not None:
        print(table(read(asked.table)), end="")
        return 0
    return tried(asked)


def tried(asked: argparse.Namespace) -> int:
    """Test the requested inputs and print the findings."""
    start = asked.start
    if asked.resume and asked.log is not None and asked.log.exists():
        start = max((block.end for block, _ in _blocks(asked.log)), default=start)
    sums, commit, new = work.Sums(), work.commit(), 0
    begin = time.monotonic()
    for block in work.tried(start, start + asked.inputs, asked.jobs, asked.seconds):
        sums.add(block, commit)
        if asked.log is not None:
            with asked.log.open("a", encoding="utf-8") as log:
                log.write(block.to_line(commit=commit, date=time.strftime("%Y-%m-%d")) + "\n")
        for number, mutators, kind, what, detail in block.findings:
            sample = base(number // run.OF_ONE_BASE).sample
            why = known.why(Finding(kind, what, detail), mutators, sample)
            new += why is None
            state = "" if why is None else " (known)"
            names = "+".join(mutators)
            print(f"{number} {kind}{state}: {what} ({names}) {detail[:_WIDTH]}", flush=True)
    spent = time.monotonic() - begin
    rate = sums.inputs / sums.seconds if sums.seconds else 0.0
    print(
        f"{sums.inputs:,} inputs from {start:,} in {spent:,.0f} s, {rate:.0f} per second of one "
        f"CPU; {sums.findings.total():,} findings of {len(sums.findings)} kinds, "
        f"{new:,} of them new"
    )
    return 1 if new else 0


def replay(number: int, write: Path | None) -> int:
    """Repeat one input and show its failed properties."""
    each = run.made(number)
    print(f"{number}: {' + '.join(each.mutators)}; {each.known.base.sample}, "
          f"{len(each.known.base.lines)} lines")  # fmt: skip
    if write is not None:
        write.write_bytes(each.data)
    lines = difflib.unified_diff(each.known.base.lines, each.doc.lines, lineterm="", n=1)
    for _, line in zip(range(_LINES), lines, strict=False):
        print(f"    {line[:_WIDTH]}")
    found = run.examined(each, whole=True)
    for finding in found:
        print(f"{finding.kind}: {finding.what}: {finding.detail}")
    return 1 if found else 0


def _blocks(log: Path) -> Iterator[tuple[work.Block, dict[str, str]]]:
    """The blocks of a log."""
    for line in log.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        findings = [(n, tuple(m), *rest) for n, m, *rest in data["findings"]]
        block = work.Block(data["begin"], data["end"], data["seconds"], data["mutators"], findings)
        yield block, {"commit": data["commit"], "date": data["date"]}


def read(log: Path) -> work.Sums:
    """The summary of a log."""
    sums = work.Sums()
    for block, more in sorted(_blocks(log), key=lambda each: each[0].begin):
        sums.add(block, f"{more['date']} {more['commit']}")
    return sums


def table(sums: work.Sums) -> str:
    """Tables of mutators and of findings, in Markdown."""
    ranges = ", ".join(f"{begin:,} to {end - 1:,}" for begin, end in sums.ranges)
    rate = sums.inputs / sums.seconds if sums.seconds else 0.0
    head = (
        f"{sums.inputs:,} inputs (numbers {ranges}) at {', '.join(sums.commits)}: "
        f"{sums.seconds:,.0f} s of CPU time, {rate:.0f} inputs per second."
    )
    lines = [
        head,
        "",
        "| mutator | inputs | with a finding |",
        "|---|---|---|",
        *(f"| {name} | {count:,} | {sums.by_mutator[name]:,} |"
          for name, count in sorted(sums.mutators.items())),
        "",
        "| finding | inputs | replay |",
        "|---|---|---|",
        *(f"| {kind}: {what} | {count:,} | {', '.join(map(str, sums.named[kind, what]))} |"
          for (kind, what), count in sums.findings.most_common()),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
