"""Plays the first day: every block of the README and of docs/, in order, with an installed awrlens.

    python tests/first_day.py [--extras] PROGRAM FOLDER

runs its calls, the examples in Python and the configuration in FOLDER, an empty one, with an empty
environment, and prints the exit status and the first line of each; of a block that it cannot run,
what does. PROGRAM is the awrlens of an environment with the wheel. With `--extras`, it has the
extras, too, and those calls are run that need them.
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
from typing import Final, NamedTuple

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
#: Blocks that are not calls of awrlens, by page and language: who runs or compares them.
OTHERS = {
    ("README.md", "console"): ".ci/run",
    ("README.md", "sh"): "tests/test_first_day.py",
    ("docs/budgets.md", "budgets"): "tests/test_docs.py",
    ("docs/budgets.md", "ebnf"): "a grammar to read",
    ("docs/budgets.md", "python"): "tests/test_budgets_commands.py",
    ("docs/ci.md", "yaml"): "tests/test_ready_to_use.py",
    ("docs/commands.md", "budgets"): "tests/test_docs.py",
    ("docs/design.md", ""): "a drawing",
    ("docs/fleet.md", "sh"): "tests/test_store_cluster.py",
    ("docs/get-a-report.md", "sh"): "SQL*Plus and adrci of a database",
    ("docs/get-a-report.md", "sql"): "SQL*Plus of a database",
    ("docs/mcp.md", "json"): "tests/test_first_day.py",
    ("docs/mcp.md", "sh"): "tests/test_first_day.py",
    ("docs/plugins.md", "python"): "tests/test_plugins.py",
    ("docs/plugins.md", "toml"): "tests/test_plugins.py",
    ("docs/scripts.md", ""): "an output",
    ("docs/serve.md", "ini"): "tests/test_serve_docs.py",
    ("docs/serve.md", "nginx"): "tests/test_serve_proxy.py",
    ("docs/serve.md", "sh"): "an operator; tests/test_serve_docs.py has the backup",
    ("docs/store.md", "python"): "tests/test_store_docs.py",
    ("docs/store.md", "sql"): "tests/test_store_docs.py",
}
#: Blocks that are run as they are: an example of all of a page, and a configuration.
PYTHON, CONFIGURATION = ("docs/python.md", "python"), ("docs/ci.md", "toml")


#: The line after the output of a block in Python, and what was run of the pages.
ENDED: Final = "- ended -"
_python: dict[str, subprocess.CompletedProcess[str]] = {}
#: A call that takes seconds of processor time, and its likeness that takes less; the claims of
#: tests/claims have it whole.
SHORTER: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    ("recovery", "simulate"): ("--minutes", "3")
}


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
    return ["README.md", *(f"docs/{name}" for name in re.findall(r"\]\((\S+\.md)\)", index))]


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page, with their languages."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.S | re.M)


def steps(page: str) -> Iterator[Call | tuple[str, str]]:
    """The calls of awrlens in the blocks for a console and for a shell, and what else is there."""
    for language, block in blocks(page):
        if language not in ("console", "sh"):
            yield language, block
            continue
        for line in block.replace("\\\n", " ").splitlines():
            call = re.sub(r"\s+#.*", "", line.removeprefix("$ "))
            call = re.sub(r'^eval "\$\((.*)\)"$', r"\1", call)
            if call.startswith("awrlens ") and "/tmp/" not in call:  # noqa: S108
                args, _, target = call.partition(" > ")
                yield Call(page, tuple(shlex.split(args)[1:]), target or None)
            elif call.strip():
                yield language, call


def calls(page: str) -> Iterator[Call]:
    """The calls of awrlens of a page."""
    return (each for each in steps(page) if isinstance(each, Call))


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
    (folder / "sample_reports").symlink_to(SAMPLES)


def played(program: str, place: Path, call: Call) -> bool:
    """Run a call in a folder, and print its status and a line; whether it is as it should be."""
    done = run([program, *call.args, *SHORTER.get(call.args, ())], place)
    if call.target:
        (place / call.target).write_text(done.stdout, encoding="utf-8")
    fine = done.returncode in ((0, 1) if call.may_fail else (0,))
    return shown(f"{call.page}: awrlens {shlex.join(call.args)}", done, fine=fine)


def run(command: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with an empty environment."""
    return subprocess.run(
        command, cwd=place, env={}, capture_output=True, text=True, check=False
    )  # fmt: skip


def shown(what: str, done: subprocess.CompletedProcess[str], *, fine: bool) -> bool:
    """Print a status and a line of what was run; whether it is as it should be."""
    lines = [each for each in (done.stdout + done.stderr).splitlines() if each.strip()]
    said = lines[0] if fine and lines else lines[-1] if lines else "no output"
    click.echo(f"  {done.returncode}{'' if fine else ' FAILED'}  {what}: {said[:90]}")
    return fine


def other(program: str, place: Path, page: str, step: tuple[str, str]) -> bool:
    """Run a block that is not a call, or print who does; whether it is as it should be."""
    language, block = step
    what = f"{page}: {language} `{block.strip().splitlines()[0]}`"
    if (page, language) == PYTHON:
        # a block needs those before it: all are run with the first, and each is followed by a line
        codes = [code for kind, code in blocks(page) if kind == language]
        if block == codes[0]:
            code = "".join(f"{each}\nprint({ENDED!r})\n" for each in codes)
            _python[page] = run([str(Path(program).with_name("python")), "-c", code], place)
        done, number = _python[page], codes.index(block)
        said = f"{done.stdout}\n".split(f"{ENDED}\n")
        fine = number + 1 < len(said)
        mine = subprocess.CompletedProcess(
            done.args, 0 if fine else done.returncode, said[min(number, len(said) - 1)],
            "" if fine else done.stderr,
        )  # fmt: skip
        return shown(what, mine, fine=fine)
    if (page, language) == CONFIGURATION:
        file = place / "configuration" / "awrlens.toml"  # where no other call reads it
        file.parent.mkdir()
        file.write_text(block, encoding="utf-8")
        done = run([program, "config", "check", str(file)], place)
        return shown(what, done, fine=done.returncode == 0)
    who = OTHERS.get((page, language), "")
    click.echo(f"  {'-' if who else 'FAILED'}  {what}: {who or 'nobody runs it'}")
    return bool(who)


def main(program: str, folder: Path) -> int:
    """Run all blocks, of each page in its own folder; return the number of those that failed."""
    failed = 0
    seen: dict[tuple[str, ...], str] = {}
    for page in pages():
        place = folder / Path(page).stem
        if page not in ELSEWHERE:
            place.mkdir()
            prepare(place)
        for step in steps(page):
            if not isinstance(step, Call):
                failed += not other(program, place, page, step)
            elif page in ELSEWHERE or step.args[0] in (*SERVERS, *STORE):
                click.echo(f"  -  {page}: awrlens {shlex.join(step.args)}: with the extras")
            elif not step.target and seen.setdefault(step.args, page) != page:
                click.echo(f"  -  {page}: awrlens {shlex.join(step.args)}: as in {seen[step.args]}")
            else:
                failed += not played(program, place, step)
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
