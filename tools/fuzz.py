"""Tries mutated reports: ``make fuzz``.

An input is known by its number, which is all its randomness: ``--replay NUMBER`` makes it again,
says what does not hold of it and what was changed in it. ``--log FILE`` adds a line for each block
of inputs, ``--resume`` goes on where that file ends, and ``--table FILE`` prints what it comes to.
Exit status 1 where something does not hold that is not in
``tests/fuzz_corpus/open.toml``.
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

#: Lines of a difference that are printed.
_LINES: Final = 60
_WIDTH: Final = 160


def main() -> int:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="how many (20,000)")
    parser.add_argument("--start", type=int, default=0, help="number of the first (0)")
    parser.add_argument("--seconds", type=float, help="begin no more blocks after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--log", type=Path, help="add a line for each block to this file")
    parser.add_argument("--resume", action="store_true", help="go on where the log ends")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="one input")
    parser.add_argument("--write", type=Path, help="write the input that is replayed here")
    parser.add_argument("--table", type=Path, metavar="LOG", help="what a log comes to")
    asked = parser.parse_args()
    if asked.replay is not None:
        return replay(asked.replay, asked.write)
    if asked.table is not None:
        print(table(read(asked.table)), end="")
        return 0
    return tried(asked)


def tried(asked: argparse.Namespace) -> int:
    """Tries the inputs that are asked for, and prints what was found."""
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
        f"{sums.inputs:,} inputs from {start:,} in {spent:,.0f} s, {rate:.0f} a second of one "
        f"processor; {sums.findings.total():,} findings of {len(sums.findings)} kinds, "
        f"{new:,} of them not known"
    )
    return 1 if new else 0


def replay(number: int, write: Path | None) -> int:
    """Makes one input again, and says what does not hold of it."""
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
    """What a log comes to."""
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
        f"{sums.seconds:,.0f} s of processor time, {rate:.0f} inputs a second."
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
