"""Plays the first day: every call of the README and of docs/, in order, with an installed awrlens.

    python tests/first_day.py PROGRAM FOLDER

runs them in FOLDER, an empty one, with an empty environment, and prints the exit status and the
first line of each. PROGRAM is the awrlens of an environment with the wheel.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_reports"
#: The files that pages name, and the samples that they are.
FILES = {
    "awrrpt_1_100_101.html": "redo-disk.awr-11.2.html",
    "awr.html": "redo-disk.awr-11.2.html",
    "sp_1_2.lst": "redo-disk.statspack-9.2.lst",
    "before.html": "redo-disk.awr-11.2.html",
    "after.html": "redo-accelerator.awr-11.2.html",
    "awrddrpt_1_100_101.html": "redo-compared.awr-diff-11.2.html",
    "ERRORLOG": "sqlserver-errorlog.log",
    "before.csv": "sqlserver-checkpoints-before.csv",
    "checkpoints.csv": "sqlserver-checkpoints-before.csv",
    "after.csv": "sqlserver-checkpoints-after.csv",
    "logs/ERRORLOG": "sqlserver-errorlog.log",
    "new.html": "redo-disk.awr-11.2.html",
    "old.html": "redo-disk.statspack-9.2.lst",
    "reports/awr.html": "redo-disk.awr-11.2.html",
    "reports/awr.txt": "redo-accelerator.awr-11.2.txt",
    "reports/sp.lst": "busy-commit.statspack-9.2.lst",
}
#: Not the interval of the other reports: a report is not compared with itself.
EARLIER = ("sp_1_2.lst", "old.html")
#: Calls that wait for others; each has tests of its own.
SERVERS = ("serve", "mcp", "watch")
#: Pages that others test as a whole, because they build on each other (tests/test_store_docs.py).
ELSEWHERE = ("docs/store.md", "docs/fleet.md", "docs/serve.md")


class Call(NamedTuple):
    """A call of a page: its arguments, and the file that takes its output."""

    page: str
    args: tuple[str, ...]
    target: str | None = None

    @property
    def may_fail(self) -> bool:
        """Whether its status says what it found."""
        return self.args[0] == "check" or self.args[:2] in (
            ("budget", "test"),
            ("baseline", "diff"),
        )


def pages() -> list[str]:
    """The README, and the pages of the index in its order."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    names = [f"docs/{name}" for name in re.findall(r"\]\((\S+\.md)\)", index)]
    return [each for each in ("README.md", *names) if each not in ELSEWHERE]


def calls(page: str) -> Iterator[Call]:
    """The calls of awrlens in the blocks for a console and for a shell."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.findall(r"```(?:console|sh)\n(.*?)```", text, re.S):
        for line in block.replace("\\\n", " ").splitlines():
            call = re.sub(r"\s+#.*", "", line.removeprefix("$ "))
            call = re.sub(r'^eval "\$\((.*)\)"$', r"\1", call)
            if call.startswith("awrlens ") and "/tmp/" not in call:  # noqa: S108
                args, _, target = call.partition(" > ")
                yield Call(page, tuple(shlex.split(args)[1:]), target or None)


def prepare(folder: Path) -> None:
    """Our samples, the files that the pages name, and the result of an earlier night."""
    for path in SAMPLES.iterdir():
        if path.suffix in (".txt", ".lst", ".html", ".budgets", ".log", ".csv"):
            shutil.copy(path, folder)
    for name, sample in FILES.items():
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        text = (SAMPLES / sample).read_bytes()
        if name in EARLIER:
            text = text.replace(b" 20-Aug-08", b" 19-Aug-08")
        target.write_bytes(text)
    shutil.copy(ROOT / "tests" / "alertlogs" / "10g.log", folder / "alert_ORCHID.log")


def main(program: str, folder: Path) -> int:
    """Run all calls, of each page in its own folder; return the number of those that failed."""
    failed = 0
    extras = json.loads(subprocess.run(
        [Path(program).with_name("python"), "-c",
         "import importlib.util as u, json; print(json.dumps(u.find_spec('duckdb') is not None))"],
        capture_output=True, check=True,
    ).stdout)  # fmt: skip
    for page in pages():
        place = folder / Path(page).stem
        place.mkdir()
        prepare(place)
        for call in calls(page):
            shown = f"{page}: awrlens {shlex.join(call.args)}"
            if call.args[0] in SERVERS or (
                not extras and call.args[0] in ("ingest", "fleet", "query", "store")
            ):
                click.echo(f"  -  {shown}: tested on its own")
                continue
            done = subprocess.run(
                [program, *call.args], cwd=place, env={}, capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            if call.target:
                (place / call.target).write_text(done.stdout, encoding="utf-8")
            fine = done.returncode in ((0, 1) if call.may_fail else (0,))
            failed += not fine
            lines = [each for each in (done.stdout + done.stderr).splitlines() if each.strip()]
            said = lines[0] if fine and lines else lines[-1] if lines else "no output"
            click.echo(f"  {done.returncode}{'' if fine else ' FAILED'}  {shown}: {said[:90]}")
    return failed


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1], Path(sys.argv[2])), 1))
