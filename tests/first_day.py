"""Plays the first day: every call of the README and of docs/, in order, with an installed awrlens.

    python tests/first_day.py [--extras] PROGRAM FOLDER

runs them in FOLDER, an empty one, with an empty environment, and prints the exit status and the
first line of each. PROGRAM is the awrlens of an environment with the wheel. With `--extras`, it has
the extras, too, and those calls are run that need them.
"""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
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
#: The reports of a store: a slow commit, two instances, another day.
STORED = (
    "busy-commit.statspack-9.2.lst", "redo-cluster-1.awr-11.2.html", "undo-disk.awr-19c.html",
)  # fmt: skip
#: Not the interval of the other reports: a report is not compared with itself.
EARLIER = ("sp_1_2.lst", "old.html")
#: Calls that wait for others: started, asked and ended with `--extras`.
SERVERS = ("serve", "mcp", "watch")
#: Calls that need an extra.
STORE = ("ingest", "fleet", "query", "store")
#: Pages of calls that need extras and build on each other.
ELSEWHERE = ("docs/store.md", "docs/fleet.md", "docs/serve.md")
#: What is here in the place of folders and hosts that they name.
HERE = {"/reports/2026-03": "reports", "/reports/today": "reports", "/var/lib/node_exporter/": ""}
#: What the pages say of a Dask cluster and of PostgreSQL, which are tested on their own.
HOSTS = ("tcp://", "postgresql://")


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


def played(program: str, place: Path, call: Call) -> bool:
    """Run a call in a folder, and print its status and a line; whether it is as it should be."""
    done = subprocess.run(
        [program, *call.args], cwd=place, env={}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if call.target:
        (place / call.target).write_text(done.stdout, encoding="utf-8")
    fine = done.returncode in ((0, 1) if call.may_fail else (0,))
    lines = [each for each in (done.stdout + done.stderr).splitlines() if each.strip()]
    said = lines[0] if fine and lines else lines[-1] if lines else "no output"
    shown = f"{call.page}: awrlens {shlex.join(call.args)}"
    click.echo(f"  {done.returncode}{'' if fine else ' FAILED'}  {shown}: {said[:90]}")
    return fine


def main(program: str, folder: Path) -> int:
    """Run all calls, of each page in its own folder; return the number of those that failed."""
    failed = 0
    seen: dict[tuple[str, ...], str] = {}
    for page in pages():
        place = folder / Path(page).stem
        place.mkdir()
        prepare(place)
        for call in calls(page):
            if not call.target and seen.setdefault(call.args, page) != page:
                click.echo(f"  -  {page}: awrlens {shlex.join(call.args)}: as in {seen[call.args]}")
            elif call.args[0] in (*SERVERS, *STORE):
                click.echo(f"  -  {page}: awrlens {shlex.join(call.args)}: with the extras")
            else:
                failed += not played(program, place, call)
    return failed


def with_extras(program: str, folder: Path) -> int:
    """Run the calls that need extras; return the number of those that failed."""
    failed = 0
    for page in ("README.md", *ELSEWHERE[:2]):
        place = folder / Path(page).stem
        place.mkdir()
        prepare(place)
        if page != "README.md":  # the page of the store names what is in these
            shutil.rmtree(place / "reports")
            (place / "reports").mkdir()
            for name in STORED:
                shutil.copy(SAMPLES / name, place / "reports")
        for call in calls(page):
            if call.args[0] in (*STORE, "watch") or page != "README.md":
                args = [re.sub("|".join(HERE), lambda found: HERE[found[0]], each)
                        for each in call.args]  # fmt: skip
                args += ["--rounds", "1"] if args[0] == "watch" else []
                if not any(host in each for host in HOSTS for each in args):
                    failed += not played(program, place, Call(page, tuple(args), call.target))
    return failed + served(program, folder / "serve")


def served(program: str, place: Path) -> int:
    """Start the server of docs/serve.md, and run the calls of the page with it."""
    place.mkdir()
    prepare(place)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    here, failed = f"http://127.0.0.1:{port}", 0
    with subprocess.Popen(
        [program, "serve", "--port", str(port)], cwd=place, env={}, stderr=subprocess.DEVNULL
    ) as server:
        try:
            while server.poll() is None and not _answers(f"{here}/health"):
                time.sleep(0.2)
            for call in calls(ELSEWHERE[2]):
                if call.args[0] == "check":
                    args = [each.replace("https://awrlens.example.com", here) for each in call.args]
                    failed += not played(program, place, call._replace(args=tuple(args)))
            with urllib.request.urlopen(  # noqa: S310 - this machine
                f"{here}/api/reports", (place / "awr.html").read_bytes()
            ) as answer:
                click.echo(f"  {answer.status}  {ELSEWHERE[2]}: curl {here}/api/reports")
        finally:
            server.terminate()
    for call in calls(ELSEWHERE[2]):
        if call.args[:2] == ("serve", "token") and "ID" not in call.args:
            failed += not played(program, place, call)
    return failed


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address):  # noqa: S310 - this machine
            return True
    except (OSError, urllib.error.URLError):
        return False


if __name__ == "__main__":
    given = [each for each in sys.argv[1:] if each != "--extras"]
    play = with_extras if "--extras" in sys.argv else main
    sys.exit(min(play(given[0], Path(given[1])), 1))
