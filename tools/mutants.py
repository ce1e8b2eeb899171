"""Changes the logic of awrlens in one place at a time and runs the tests: ``make mutants``.

A mutant on which no test fails shows logic that nothing holds. ``--seed`` chooses the places, so
that a run can be repeated; ``--replay NUMBER`` tries one mutant. Each mutant meets the record of
what is said of every report, the files of tests that killed most before it, then the tests of
``make quick``; those that survive them meet more, and at last all tests that need neither a browser
nor a server. Exit status 1 if fewer than 95 % are killed.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parent.parent
#: Where the logic is: what reads, decides and advises. What only words or prints is not changed.
LOGIC: Final = (
    "advice", "facts", "report", "rules", "series", "backup.py", "checkpoints.py",
    "logsize.py", "reliability.py", "units.py", "wait_severity.py",
)  # fmt: skip
#: Tests that start servers, write stores or open pages hold none of it.
_ELSEWHERE: Final = tuple(
    f"--ignore-glob=*/test_{each}*.py" for each in ("serve", "store", "fleet", "watch")
)
#: What a mutant meets, one after the other: tests of `make quick`, of all reports, then all.
STAGES: Final = (
    "not (corpus or every or outside or properties or slow)",
    "not (outside or properties or slow)",
    "not outside",
)
#: A run of tests that takes longer has met a loop without end, in seconds.
_LIMIT: Final = 900
_LEAST_PCT: Final = 95
#: What awrlens says of every report: most mutants change that, and the tests are quick.
_RECORD: Final = "tests/test_record.py"
#: The number of files of tests that a mutant meets first.
_FIRST: Final = 6
#: The files of tests that hold most of the logic; a run counts on from here.
_HOLDING: Final = (
    "test_rules.py",
    "test_decisions.py",
    "test_golden.py",
    "test_facts_on_samples.py",
)
_SWAPPED: Final = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.And: ("and", "or"), ast.Or: ("or", "and"),
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: from where to where in the bytes of a file, and what stands there instead."""

    file: str
    begin: int
    end: int
    text: str

    def of(self, source: bytes) -> bytes:
        """The file with the change."""
        return source[: self.begin] + self.text.encode() + source[self.end :]

    def shown(self, source: bytes) -> dict[str, object]:
        """The line, before and after."""
        first = source.rfind(b"\n", 0, self.begin) + 1
        last = source.find(b"\n", self.end)
        after = source[first : self.begin] + self.text.encode() + source[self.end : last]
        line = source.count(b"\n", 0, self.begin) + 1
        before = source[first:last].decode().strip()
        return {"file": self.file, "line": line, "before": before, "after": after.decode().strip()}


class _Places(ast.NodeVisitor):
    """Collects the changes that one file can have."""

    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.starts = [0, *itertools.accumulate(map(len, source.splitlines(keepends=True)))]
        self.found: list[Mutant] = []

    def _span(self, node: ast.expr) -> tuple[int, int]:
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[end_line - 1] + end

    def _between(self, left: ast.expr, right: ast.expr, operator: ast.AST) -> None:
        """Another operator between two operands."""
        old, new = _SWAPPED.get(type(operator), ("", ""))
        begin, end = self._span(left)[1], self._span(right)[0]
        match = (
            re.search(rf"(?<!\w){re.escape(old)}(?!\w)", self.source[begin:end].decode())
            if old
            else None
        )
        if match:
            self.found.append(Mutant(self.file, begin + match.start(), begin + match.end(), new))

    def visit_Compare(self, node: ast.Compare) -> None:
        for left, right, operator in zip(
            (node.left, *node.comparators), node.comparators, node.ops, strict=False
        ):
            self._between(left, right, operator)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._between(node.left, node.right, node.op)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for left, right in itertools.pairwise(node.values):
            self._between(left, right, node.op)
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            begin, end = self._span(node)[0], self._span(node.operand)[0]
            self.found.append(Mutant(self.file, begin, end, ""))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.found.append(Mutant(self.file, *self._span(node), str(not node.value)))
        elif isinstance(node.value, int | float):
            more = (
                node.value + 1
                if isinstance(node.value, int)
                else round(node.value * 1.1 + 0.001, 6)
            )
            self.found.append(Mutant(self.file, *self._span(node), repr(more)))

    def visit_Return(self, node: ast.Return) -> None:
        empty = node.value is None or ast.unparse(node.value) in ("None", "()", "[]", "{}", "''")
        if not empty and node.value is not None:  # callers ask only whether there is something
            self.found.append(Mutant(self.file, *self._span(node.value), "None"))
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if not (isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name not in ("__repr__", "_repr_html_"):  # they only print
            for each in (*node.decorator_list, *node.args.defaults, *node.body):
                self.visit(each)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg != "strict":  # it only guards against mistakes of ours
            self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Words; Python 3.11 does not know where their parts are."""


def places(root: Path) -> list[Mutant]:
    """All changes that the logic can have, in order."""
    files: list[Path] = []
    for each in LOGIC:
        path = root / "awrlens" / each
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path] * path.is_file()
    found: list[Mutant] = []
    for path in files:
        source = path.read_bytes()
        visitor = _Places(str(path.relative_to(root)), source)
        visitor.visit(ast.parse(source))
        found += visitor.found
    return found


class Scratch:
    """A copy of the checkout in which mutants live; a short path, as some tests measure widths."""

    def __init__(self, folder: Path, root: Path = ROOT) -> None:
        self.tree = folder / "t"
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True
        )
        for name in listed.stdout.decode().split("\0"):
            if name and (root / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.tree / name)
        if (shared := root.parent / "shared").is_dir():
            (folder / "shared").symlink_to(shared)
        self._clock = itertools.count(1)
        self._kills = Counter(f"tests/{each}" for each in _HOLDING)

    def failed(self, *selection: str, jobs: int) -> str:
        """The first test that fails; empty if all pass."""
        environment = {**os.environ, "PYTHONPATH": str(self.tree)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        command += ["-n", str(jobs), *_ELSEWHERE, *selection]
        try:
            run = subprocess.run(
                command, cwd=self.tree, env=environment, capture_output=True, text=True,
                check=False, timeout=_LIMIT,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "the time limit"
        if run.returncode == 0:
            return ""
        failures = re.findall(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.M)
        return failures[0] if failures else f"pytest, exit status {run.returncode}"

    def killer(self, mutant: Mutant, jobs: int, stages: int = len(STAGES)) -> str:
        """The test that fails on a mutant; empty if it survives."""
        path = self.tree / mutant.file
        source, times = path.read_bytes(), path.stat()
        try:
            path.write_bytes(mutant.of(source))
            clock = next(
                self._clock
            )  # compiled modules are known by the time and size of their source
            os.utime(path, (clock, clock))
            known = (self.tree / _RECORD).is_file()
            first = [file for file, _ in self._kills.most_common(_FIRST)]
            ahead = [each for each in first if (self.tree / each).is_file()]
            runs = [(*ahead, "-m", STAGES[0])] * bool(ahead)
            runs = [(_RECORD,)] * known + runs
            runs += [("-m", each) for each in STAGES[:stages]]
            failures = (self.failed(*each, jobs=jobs) for each in runs)
            killer = next(filter(None, failures), "")
            if killer.startswith("tests/"):
                self._kills[killer.partition("::")[0]] += 1
            return killer
        finally:
            path.write_bytes(source)
            os.utime(path, (times.st_atime, times.st_mtime))


def chosen(asked: argparse.Namespace, every: list[Mutant]) -> Iterator[tuple[int, Mutant]]:
    """The mutants of a run, with their numbers."""
    if asked.replay is not None:
        yield asked.replay, every[asked.replay]
        return
    numbers = random.Random(asked.seed).sample(range(len(every)), min(asked.count, len(every)))  # noqa: S311
    yield from ((number, every[number]) for number in numbers)


def main() -> int:
    """Run the requested mutants and print a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="number of mutants (100)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the places (1)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes of a test run"
    )
    parser.add_argument("--stages", type=int, default=len(STAGES), help="1: those of make quick")
    parser.add_argument("--replay", type=int, metavar="NUMBER", help="one mutant")
    asked = parser.parse_args()
    every = places(ROOT)
    with tempfile.TemporaryDirectory(prefix="m") as folder:
        scratch = Scratch(Path(folder))
        failures = (scratch.failed("-m", each, jobs=asked.jobs) for each in STAGES[: asked.stages])
        if failure := next(filter(None, failures), ""):
            print(f"Without a change, {failure} fails: mend that first.", file=sys.stderr)
            return 2
        killed = tried = 0
        for number, mutant in chosen(asked, every):
            begin = time.monotonic()
            killer = scratch.killer(mutant, asked.jobs, asked.stages)
            killed, tried = killed + bool(killer), tried + 1
            shown = mutant.shown((ROOT / mutant.file).read_bytes())
            seconds = round(time.monotonic() - begin)
            print(
                json.dumps({"number": number, **shown, "killed_by": killer, "seconds": seconds}),
                flush=True,
            )
    print(f"{killed} of {tried} mutants killed, of {len(every):,} places")
    return 0 if killed * 100 >= tried * _LEAST_PCT else 1


if __name__ == "__main__":
    sys.exit(main())
