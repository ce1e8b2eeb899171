"""What awrlens says, as digests: `tests/record.tsv`, a line per report, log or command.

`make record` renews the lines; without the corpus, those of its files stay. A digest has no word of
a report, so real reports have lines, too. What a changed digest stands for is shown by asking an
earlier commit the same: `make record-diff BASE=REVISION CASE=PATTERN`. Only the command line and
`awrlens.api` are asked, so that every commit can be. `record.toml` has the commands.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import difflib
import fnmatch
import gc
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple
from unittest import mock

import corpus
import samples

from awrlens import __version__, api, cli

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
FILE: Final = HERE / "record.tsv"
#: Digits that count: Python releases differ in the last ones of a sum.
_DIGITS: Final = 9
#: Digits of a digest: a changed part keeps its digest by chance once in four billion times.
_LENGTH: Final = 8
#: Lines of a difference that a failing test prints for a part.
_SHOWN: Final = 20
#: What asks; an earlier commit is asked by the same files.
_RECORDER: Final = ("records.py", "record.toml", "corpus.py", "samples.py")
#: Keys by which an item of a list is called, rather than by its place.
_NAMES: Final = ("id", "name", "rule", "fact", "part")

#: The compressed sections of a page, which are a part of their own; zlib's releases differ.
_PACKED: Final = re.compile(r'(?<=class="packed">)[^<]+')
ASKED: Final = tomllib.loads((HERE / "record.toml").read_text(encoding="utf-8"))


class Case(NamedTuple):
    """A report, or a command with the folder in which it runs."""

    name: str
    folder: Path
    entry: corpus.Entry | None = None

    def outputs(self) -> dict[str, Any]:
        """What awrlens says, by part: plain data, or text."""
        said = {"output": answer(self.name, self.folder)} if self.entry is None else _of(self.entry)
        return {part: output for part, output in said.items() if output}


@cache
def cases() -> tuple[Case, ...]:
    """All that is asked here: without the corpus, what is asked of our samples."""
    ours = _commands(ROOT, "commands", "tests/alertlogs/*", "sample_reports/sqlserver-errorlog.log")
    theirs = _commands(corpus.CORPUS, "corpus", "alertlogs/*", "sqlserver/*")
    reports = (Case(entry.file, entry.folder, entry) for entry in corpus.reports())
    return (*reports, *ours, *(theirs if corpus.CORPUS.exists() else ()))


def _commands(folder: Path, section: str, alert_logs: str, error_logs: str) -> Iterator[Case]:
    for command in ASKED[section]:
        yield Case(command, folder)
    for pattern, commands in ((alert_logs, "alert_logs"), (error_logs, "error_logs")):
        for path in sorted(folder.glob(pattern)):
            for command in ASKED[commands]:
                yield Case(command.replace("FILE", path.relative_to(folder).as_posix()), folder)


def _of(entry: corpus.Entry) -> dict[str, Any]:
    """The analysis of a report, its tables, charts and comparison, and what commands print."""
    report, analysis = corpus.report(entry), corpus.analysis(entry)
    exhibits, parts = api.exhibits(report, analysis), (report, *report.periods, *report.instances)
    documents = {
        **document_parts(analysis.to_dict()),
        "tables": [table.to_dict() for part in parts for table in part.tables.values()],
        "charts": [exhibits.latencies, exhibits.tablespaces, exhibits.undo, exhibits.mttr,
                   exhibits.curve, exhibits.devices, exhibits.present, exhibits.base],
        "sections": exhibits.sections,
        "compared": _compared(entry),
    }  # fmt: skip
    sample = entry.folder == samples.FOLDER
    folder, file = (ROOT, f"sample_reports/{entry.file}") if sample else (entry.folder, entry.file)
    number = "--part 1" if "diff" in entry.kind or "global" in entry.kind else ""
    commands = {
        command: answer(command.replace("FILE", file).replace("PART", number), folder)
        for command in ("analyze FILE", *_asked(entry))
    }
    return {**plain(documents, entry.folder), **commands}


def _asked(entry: corpus.Entry) -> list[str]:
    """Everything for a few samples; every other report takes its turn with one command."""
    commands: list[str] = ASKED["reports"]
    if entry.file in ASKED["everything_of"]:
        return [*commands, *ASKED["everything"]]
    return [commands[zlib.crc32(entry.file.encode()) % len(commands)]]


def _compared(entry: corpus.Entry) -> object:
    """The comparison of every second report with the one before it, of the same kind."""
    alike = [other for other in corpus.reports() if other.kind == entry.kind]
    place = alike.index(entry)
    if place % 2 == 0 or alike[place - 1].folder != entry.folder or "diff" in entry.kind:
        return None
    before, after = (
        api.reading(corpus.report(side), corpus.analysis(side))
        for side in alike[place - 1 : place + 1]
    )
    return api.compare([before], [after]).to_dict()


def document_parts(document: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of an analysis: facts by family, findings, recommendations, …"""
    parts = {
        key: value for key, value in document.items() if key not in ("facts", "schema_version")
    }
    for name, fact in document["facts"].items():
        parts.setdefault(f"facts {name.partition('.')[0]}", {})[name] = fact
    return parts


def answer(command: str, folder: Path) -> Any:
    """What a command prints in a folder: plain data if that is JSON, else the text."""
    settings = {"COLUMNS": "100", "AWRLENS_CONFIG": ""}
    others = {key: value for key, value in os.environ.items() if not key.startswith("AWRLENS_")}
    with (
        mock.patch.dict(os.environ, others | settings, clear=True), chdir(folder),
        redirect_stdout(io.StringIO()) as output, redirect_stderr(io.StringIO()) as errors,
    ):  # fmt: skip
        status = cli.run(command.split())
    text = re.sub(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])", "VERSION", output.getvalue())
    # how far a command is depends on the machine
    said = re.sub(r"(?m)^awrlens: Reading [\d,]+ of [\d,]+ files\n", "", errors.getvalue())
    messages = f"{said}exit status {status}"
    if text.startswith(("{", "[")):
        return plain({"document": json.loads(text), "messages": messages}, folder)
    return _PACKED.sub("", text).replace("><", ">\n<") + messages


def plain(value: object, folder: Path) -> Any:
    """Data as JSON has it, with the digits that count, and without the folder of the files."""
    text = json.dumps(value, default=_values).replace(f"{folder}/", "")
    return json.loads(text, parse_float=_rounded)


def _rounded(digits: str) -> float:
    return float(f"{float(digits):.{_DIGITS}g}")


def _values(record: Any) -> list[object]:
    return [getattr(record, field.name) for field in dataclasses.fields(record)]


def digests(outputs: Mapping[str, Any]) -> dict[str, str]:
    """The digest of every part."""
    texts = {part: json.dumps(output, sort_keys=True) for part, output in outputs.items()}
    return {
        part: hashlib.sha256(text.encode()).hexdigest()[:_LENGTH] for part, text in texts.items()
    }


def recorded() -> dict[str, dict[str, str]]:
    """The digests of the record, by case."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {row.pop("case"): {part: text for part, text in row.items() if text} for row in rows}


def renew() -> None:
    """Write the record anew."""
    absent = {} if corpus.CORPUS.exists() else recorded()
    record = absent | {case.name: digests(case.outputs()) for case in cases()}
    parts = sorted({part for case in record.values() for part in case})
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["case", *parts])
        for name in sorted(record):
            writer.writerow([name, *(record[name].get(part, "") for part in parts)])


# What has changed, in words


def explained(case: Case, outputs: Mapping[str, Any]) -> str:
    """The lines that differ from the last commit that has renewed the record."""
    ask = f"make record-diff CASE='{case.name}'"
    try:
        commit = _git("log", "-1", "--format=%h", "--", str(FILE)).decode().strip()
        lines = [
            line for _, earlier in asked(commit, {case.name: digests(outputs)})
            for line in differences(earlier, outputs, _SHOWN)
        ]  # fmt: skip
    except (OSError, subprocess.CalledProcessError) as problem:
        return f"{case.name} changed. In a clone, `{ask} BASE=COMMIT` shows how. ({problem})"
    if not lines:
        return f"{case.name} is what it was in {commit}, but its line in the record is not."
    return "\n".join([
        f"{case.name} is not what it was in {commit}:", *lines,
        f"`{ask} BASE={commit}` shows all of it. If the change is right, `make record`.",
    ])  # fmt: skip


def asked(revision: str, ours: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, Any]]:
    """What a commit says where its digests differ from ours: the parts of a case that do."""
    tree = _tree(revision)
    environment = {
        **os.environ, "PYTHONPATH": str(tree), "AWRLENS_CORPUS": str(corpus.CORPUS),
        "PYTHONDONTWRITEBYTECODE": "",
    }  # fmt: skip
    command = [sys.executable, str(tree / "tests" / "records.py"), "answer"]
    done = subprocess.run(
        command, input=json.dumps(ours), stdout=subprocess.PIPE, check=True, text=True,
        cwd=tree, env=environment,
    )  # fmt: skip
    yield from (json.loads(line) for line in done.stdout.splitlines())


def _answer(ours: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, Any]]:
    """The other side of ``asked``, in a process of that commit."""
    here = {case.name: case for case in cases()}
    for name, theirs in ours.items():
        outputs = here[name].outputs() if name in here else {}
        own = digests(outputs)
        changed = [part for part in {**own, **theirs} if own.get(part) != theirs.get(part)]
        if changed:
            yield name, {part: outputs.get(part) for part in changed}


def _tree(revision: str) -> Path:
    """The files of a commit, with what asks as it is here; kept in `out/`."""
    commit = _git("rev-parse", "--short=12", f"{revision}^{{commit}}").decode().strip()
    asking = b"".join((HERE / name).read_bytes() for name in _RECORDER)
    folder = ROOT / "out" / "record" / f"{commit}-{zlib.crc32(asking):08x}"
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as temporary:
        archive = _git("archive", commit, "awrlens", "grammars", "sample_reports", "tests")
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(temporary, filter="data")
        for name in _RECORDER:
            (Path(temporary) / "tests" / name).write_bytes((HERE / name).read_bytes())
        with suppress(OSError):  # another process was faster
            Path(temporary).rename(folder)
    return folder


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def differences(
    earlier: Mapping[str, Any], now: Mapping[str, Any], shown: int | None = None
) -> Iterator[str]:
    """The lines that differ, by part."""
    for part in earlier:
        before, after = (list(_lines(side.get(part))) for side in (earlier, now))
        if sorted(before) == sorted(after):
            first = next((pair for pair in zip(before, after, strict=True) if len({*pair}) > 1), ())
            yield f"  {part}: the same lines in another order, from here:"
            before, after = list(first[:1]), list(first[1:])
        else:
            yield f"  {part}:"
        lines = [
            line for line in difflib.unified_diff(before, after, n=0, lineterm="")
            if not line.startswith(("---", "+++", "@@"))
        ]  # fmt: skip
        yield from (f"    {line}" for line in lines[:shown])
        if len(lines) > (shown or len(lines)):
            yield f"    … {len(lines) - (shown or 0)} more lines"


def _lines(output: object, path: str = "") -> Iterator[str]:
    """The lines of a text, or ``path = value`` for every value of data."""
    if isinstance(output, str) and not path:
        yield from output.splitlines()
    elif isinstance(output, dict) and output:
        for key in sorted(output):
            yield from _lines(output[key], f"{path}.{key}" if path else key)
    elif isinstance(output, list) and any(isinstance(item, dict | list) for item in output):
        for place, item in enumerate(output):
            name = _name(item) or place
            yield from _lines(item, f"{path}[{name}]")
    elif output is not None or path:
        yield f"{path} = {json.dumps(output, ensure_ascii=False)}"


def _name(item: object) -> str | None:
    names = (item.get(key) for key in _NAMES) if isinstance(item, dict) else ()
    return next((name for name in names if isinstance(name, str)), None)


def _print_difference(base: str, pattern: str) -> None:
    chosen = {case.name: case for case in cases() if fnmatch.fnmatch(case.name, f"*{pattern}*")}
    ours = {name: digests(case.outputs()) for name, case in chosen.items()}
    for name, earlier in asked(base, ours):
        _print([f"{name}:", *differences(earlier, chosen[name].outputs())])


def _print(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def main() -> None:
    """Renew the record, or show what has changed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=("renew", "diff", "answer"))
    parser.add_argument("--base", default="HEAD", metavar="REVISION")
    parser.add_argument(
        "--case", default="", metavar="PATTERN", help="part of a name, with * and ?"
    )
    options = parser.parse_args()
    if not Path(cli.__file__).is_relative_to(ROOT):
        parser.error(f"This is the record of {ROOT}, but awrlens is that of {cli.__file__}.")
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # as in conftest.py: there are few cycles to look for
    if options.work == "renew":
        renew()
    elif options.work == "diff":
        _print_difference(options.base, options.case)
    else:
        _print(json.dumps(item) for item in _answer(json.load(sys.stdin)))


if __name__ == "__main__":
    main()
