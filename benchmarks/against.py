"""What awrlens costs, compared with an earlier commit on the same machine.

``python benchmarks/against.py pay`` counts CPU instructions of both under ``valgrind``: times vary
from run to run, instructions hardly do. It fails if some work takes 2 % more, and names the
functions whose own time grew; ``make bench-pay`` and ``.ci/run`` call it. After a change that has
to cost more, ``PINNED`` is its commit, and the message of that says why.

``python benchmarks/against.py times 6234f70`` compares CPU times, the runs of both in turns;
``benchmarks/README.md`` has the table. The reports are the corpus if it is there, else our samples.
"""

from __future__ import annotations

import cProfile
import gc
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens import api, rules
from awrlens.policy import Policy
from awrlens.render.json import document

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT: Final = Path(__file__).resolve().parent.parent
SAMPLES: Final = ROOT / "sample_reports"
CORPUS: Final = ROOT.parent / "shared" / "corpus"
#: The commit that ``pay`` compares with.
PINNED: Final = "66546c61"
#: Growth of instructions that fails, in percent: more than they vary.
GROWTH_PCT: Final = 2.0
#: The reports of ``pay`` by format.
PAID: Final = {
    "HTML": ("redo-disk.awr-10.2.html", "redo-disk.awr-11.2.html", "redo-disk.awr-19c.html",
             "undo-disk.awr-19c.html"),
    "text": ("redo-disk.statspack-9.2.lst", "redo-disk.awr-11.2.txt",
             "redo-disk.statspack-19c.txt", "temp-sort-disk.awr-11.2.txt"),
}  # fmt: skip
#: The reports of ``times`` by format, in the corpus and among our samples: those of one instance
#: and one interval.
TIMED: Final = {
    "HTML": ("awr-html_*", "*.awr-1*.html"),
    "text": ("statspack-text_*", "awr-text_*", "*.awr-1*.txt", "*.statspack-*"),
}
#: Rounds over all reports; of a function the fastest of these counts.
ROUNDS: Final = 7
_SHOWN: Final = 12


def _facts_and_findings(data: bytes) -> Any:  # noqa: ANN401 - of either commit
    facts = api.facts_of(api.load(data))
    rules.run(facts, Policy())
    return facts


WORKS: Final[dict[str, Callable[[bytes], Any]]] = {
    "load": api.load,
    "findings": _facts_and_findings,
    "document": lambda data: document(
        api.analyze(api.load(data), Policy()).to_dict(), compact=True
    ),
}


# In a process of either commit


def _counted(paths: Sequence[str]) -> None:
    """Do each work once in a process of its own, whose parent has done all of it before."""
    inputs = {path: Path(path).read_bytes() for path in paths}
    gc.disable()
    for data in inputs.values():
        WORKS["document"](data)
    _forked("nothing", lambda: None)
    for name, work in WORKS.items():
        for path, data in inputs.items():
            _forked(f"{name} {path}", lambda work=work, data=data: work(data))  # type: ignore[misc]


def _forked(name: str, work: Callable[[], object]) -> None:
    child = os.fork()
    if not child:
        work()
        os._exit(0)
    os.waitpid(child, 0)
    print(child, name, flush=True)


def _timed() -> None:
    """Answer each line with the CPU time of a work on some reports, and the facts computed."""
    kept: dict[str, list[bytes]] = {}
    for line in sys.stdin:
        name, paths = json.loads(line)
        inputs = kept.setdefault("\n".join(paths), [Path(path).read_bytes() for path in paths])
        gc.collect()
        begin = time.process_time()
        for data in inputs:
            WORKS[name](data)
        took = time.process_time() - begin
        facts = 0
        if name == "findings":
            facts = sum(len(WORKS[name](data)._known) for data in inputs)  # noqa: SLF001
        print(json.dumps([took, facts]), flush=True)


def _profiled(paths: Sequence[str]) -> None:
    """Print each function's own CPU time in microseconds: the least of several rounds."""
    inputs = [Path(path).read_bytes() for path in paths]
    own: dict[str, float] = {}
    for number in range(ROUNDS):
        profile = cProfile.Profile(time.process_time, builtins=False)
        for data in inputs:
            profile.runcall(WORKS["document"], data)
        found: dict[str, float] = {}
        for each in profile.getstats():
            if not isinstance(each.code, str) and "awrlens" in each.code.co_filename:
                place = each.code.co_filename.rpartition("awrlens/")[2]
                name = f"{place}: {each.code.co_qualname}"
                found[name] = found.get(name, 0.0) + each.inlinetime * 1e6
        own = {name: min(own.get(name, us), us) if number else us for name, us in found.items()}
    print(json.dumps(own))


# The comparison


class AbsentError(Exception):
    """What the comparison needs is not here."""


def tree_of(revision: str) -> Path:
    """The files of a commit; kept in `out/`."""
    try:
        commit = _git("rev-parse", "--short=12", f"{revision}^{{commit}}").decode().strip()
        folder = ROOT / "out" / "against" / commit
        if not folder.exists():
            with tarfile.open(
                fileobj=io.BytesIO(_git("archive", commit, "awrlens", "grammars"))
            ) as files:
                files.extractall(folder, filter="data")
    except (OSError, subprocess.CalledProcessError):
        raise AbsentError(f"commit {revision} is not in this clone") from None
    return folder


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def _process(tree: Path, *arguments: str, before: Sequence[str] = ()) -> dict[str, Any]:
    """How to call this file with the awrlens of a tree."""
    environment = {
        **os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "",
    }  # fmt: skip
    return {
        "args": [*before, sys.executable, *(arguments or [__file__])], "env": environment,
        "stdout": subprocess.PIPE, "text": True,
        # `-m` looks for awrlens here before it looks at the path
        "cwd": tree,
    }  # fmt: skip


def _instructions(tree: Path) -> dict[tuple[str, str], float]:
    """Millions of instructions a report, by work and format."""
    if shutil.which("valgrind") is None:
        raise AbsentError("valgrind is not installed")
    logs = ROOT / "out" / "against" / "instructions"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no",
                "--cachegrind-out-file=/dev/null", f"--log-file={logs}/%p"]  # fmt: skip

    def told(process: int) -> float:
        log = (logs / str(process)).read_text(encoding="utf-8")
        found = re.search(r"I\s+refs:\s+([\d,]+)", log)
        if found is None:
            raise AbsentError(f"valgrind printed no count: {log[-200:]}")
        return int(found[1].replace(",", "")) / 1e6

    formats = {str(SAMPLES / name): kind for kind, names in PAID.items() for name in names}
    # the first run writes the bytecode
    for path in formats:
        subprocess.run(**_process(tree, "-m", "awrlens", "analyze", path), check=True)
    done = subprocess.run(
        **_process(tree, __file__, "--counted", *formats, before=valgrind), check=True
    )
    found: dict[tuple[str, str], float] = {}
    nothing, *lines = (line.split() for line in done.stdout.splitlines())
    for process, name, path in lines:
        key = (name, formats[path])
        found[key] = found.get(key, 0.0) + told(int(process)) - told(int(nothing[0]))
    found = {(name, kind): count / len(PAID[kind]) for (name, kind), count in found.items()}
    for kind, names in PAID.items():
        path = str(SAMPLES / names[1])
        with subprocess.Popen(
            **_process(tree, "-m", "awrlens", "analyze", path, before=valgrind)
        ) as process:
            process.communicate()
        found["cold analyze", kind] = told(process.pid)
    return found


def pay(revision: str) -> int:
    """Compare instructions; 1 if some work takes too many more."""
    try:
        before, now = _instructions(tree_of(revision)), _instructions(ROOT)
    except AbsentError as problem:
        print(f"bench-pay is skipped: {problem}.", file=sys.stderr)
        return 0
    print(f"| work | reports | million instructions at {revision} | now | change |")
    print("|---|---|--:|--:|--:|")
    failed = False
    for key, count in now.items():
        growth = (count / before[key] - 1) * 100
        failed = failed or growth > GROWTH_PCT
        print(f"| {key[0]} | {key[1]} | {before[key]:,.1f} | {count:,.1f} | {growth:+.1f} % |")
    if failed:
        print(f"\nMore than {GROWTH_PCT:+g} %. The functions whose own time grew most:")
        _print_grown(tree_of(revision))
    return int(failed)


def _print_grown(tree: Path) -> None:
    paths = [str(SAMPLES / name) for names in PAID.values() for name in names]
    before, now = (
        json.loads(
            subprocess.run(**_process(side, __file__, "--profiled", *paths), check=True).stdout
        )
        for side in (tree, ROOT)
    )
    grown = {name: us - before.get(name, 0.0) for name, us in now.items()}
    for name in sorted(grown, key=grown.__getitem__, reverse=True)[:_SHOWN]:
        print(f"  {grown[name]:+8,.0f} us, now {now[name]:8,.0f} us  {name}")


def timed(kind: str) -> list[Path]:
    """The reports of a format: those of the corpus if it is there, else our samples."""
    folder = CORPUS if CORPUS.is_dir() else SAMPLES
    return sorted(path for pattern in TIMED[kind] for path in folder.glob(pattern))


def times(revision: str) -> None:
    """Compare CPU times, the runs of both commits in turns."""
    print(f"Medians of {ROUNDS} rounds in turns; CPU ms a report, {revision} and now.\n")
    print(f"| work | reports | {revision} | now | ratio | per fact computed |")
    print("|---|---|--:|--:|--:|--:|")
    sides = [
        subprocess.Popen(**_process(tree, __file__, "--timed"), stdin=subprocess.PIPE)
        for tree in (tree_of(revision), ROOT)
    ]
    for kind in TIMED:
        paths = [str(path) for path in timed(kind)]
        for name in WORKS:
            found: list[list[list[float]]] = [[], []]
            for _ in range(ROUNDS + 1):
                for side, answers in zip(sides, found, strict=True):
                    print(json.dumps([name, paths]), file=side.stdin, flush=True)
                    answers.append(json.loads(side.stdout.readline()))  # type: ignore[union-attr]
            before, now = (statistics.median(took for took, _ in answers[1:]) for answers in found)
            ratio = statistics.median(
                b[0] / a[0] for a, b in zip(found[0][1:], found[1][1:], strict=True)
            )
            facts = found[0][0][1], found[1][0][1]
            per = f"{ratio * facts[0] / facts[1]:.2f}" if all(facts) else ""
            ms = [f"{each * 1000 / len(paths):.1f}" for each in (before, now)]
            print(f"| {name} | {len(paths)} {kind} | {ms[0]} | {ms[1]} | {ratio:.2f} | {per} |",
                  flush=True)  # fmt: skip
    for side in sides:
        side.communicate()


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--counted", *files]:
            _counted(files)
        case ["--timed"]:
            _timed()
        case ["--profiled", *files]:
            _profiled(files)
        case ["times", revision]:
            times(revision)
        case ["pay", *more]:
            sys.exit(pay(*more or [PINNED]))
        case _:
            sys.exit(__doc__)
