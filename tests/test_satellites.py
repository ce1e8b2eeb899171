"""The core does without its satellites: they register what they add, and it never imports them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import samples

from awrlens import extensions
from awrlens.extensions import SATELLITES

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "awrlens"
DISK = str(samples.path("redo-disk.awr-11.2.txt"))
ACCELERATOR = str(samples.path("redo-accelerator.awr-11.2.txt"))
PERIODS = str(samples.path("redo-compared.awr-diff-11.2.html"))
CLUSTER = str(samples.path("redo-cluster.awr-rac-11.2.html"))
STATSPACK = str(samples.path("busy-commit.statspack-9.2.lst"))
ALERT_LOG = str(ROOT / "tests" / "alertlogs" / "10g.log")
SQL_SERVER_LOG = str(samples.path("sqlserver-errorlog.log"))
#: SARIF, which lists the rules of awrlens whether or not they apply, is not among the outputs.
CALLS = (
    ("analyze", DISK),
    ("analyze", PERIODS, "--verbose"),
    ("analyze", STATSPACK, "--format", "markdown"),
    ("analyze", CLUSTER, "--format", "json"),
    ("analyze", DISK, "--format", "html"),
    ("html", PERIODS, "-o", "page.html"),
    ("check", DISK, STATSPACK),
    ("check", DISK, "--output", "json"),
    ("check", DISK, "--output", "junit"),
    ("check", DISK, "--output", "html"),
    ("compare", DISK, ACCELERATOR),
    ("compare", DISK, ACCELERATOR, "--format", "html"),
    ("trend", DISK, ACCELERATOR),
    ("trend", DISK, ACCELERATOR, "--format", "html"),
)
#: Runs calls and prints, of each, its status and what it wrote.
RUNNER = """
import contextlib, io, json, pathlib, sys
import awrlens
from awrlens import cli
done = [awrlens.__file__]
for args in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.run(args)
    page = pathlib.Path("page.html")
    done.append([status, out.getvalue(), err.getvalue(), page.read_text() if page.exists() else ""])
    page.unlink(missing_ok=True)
print(json.dumps(done))
"""


class Done(NamedTuple):
    """What a call did."""

    status: int
    out: str
    err: str
    page: str


def called(root: Path, folder: Path, *calls: tuple[str, ...]) -> list[Done]:
    """What calls of the package below a folder did."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, json.dumps(calls)], cwd=folder, capture_output=True,
        check=True, text=True, env=os.environ | {"PYTHONPATH": str(root)},
    )  # fmt: skip
    place, *results = json.loads(done.stdout)
    assert Path(place).parent == root / "awrlens"
    return [Done(*each) for each in results]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of awrlens without its satellites."""
    root = tmp_path_factory.mktemp("core")

    def left_out(folder: str, names: list[str]) -> set[str]:
        satellites = SATELLITES if Path(folder) == PACKAGE else ()
        return {*satellites, "__pycache__"} & set(names)

    shutil.copytree(PACKAGE, root / "awrlens", ignore=left_out)
    (root / "grammars").symlink_to(ROOT / "grammars")
    return root


@pytest.mark.slow
def test_reports_are_judged_alike_without_the_satellites(core: Path, tmp_path: Path) -> None:
    whole = called(ROOT, tmp_path / "run", *CALLS)
    alone = called(core, tmp_path / "run", *CALLS)

    for call, with_satellites, without in zip(CALLS, whole, alone, strict=True):
        assert with_satellites == without, call
        assert with_satellites.status in (0, 1), call


def test_without_the_satellites_their_commands_and_inputs_are_unknown(
    core: Path, tmp_path: Path
) -> None:
    inputs = (ALERT_LOG, SQL_SERVER_LOG)
    refused = [(command, each) for command in ("analyze", "check", "facts") for each in inputs]
    help_, listed, no_store, no_client, *problems = called(
        core, tmp_path / "run", ("--help",), ("rules",), ("trend", "--store", "fleet.duckdb"),
        ("check", DISK, "--server", "http://localhost:1"), *refused, ("mttr",),
    )  # fmt: skip

    assert 0 == help_.status
    for extension in extensions.registered():
        assert not {*extension.commands} & set(re.findall(r"^  (\w+)", help_.out, re.M))
        assert not any(rule in listed.out for rule in extension.rules)
    assert "no store" in no_store.err
    assert "no client" in no_client.err
    assert "Unknown command 'mttr'" in problems.pop().err
    for call, problem in zip(refused, problems, strict=True):
        assert 3 == problem.status, call
        assert "" == problem.page
        assert 1 == problem.err.count("\n"), problem.err
        assert "This is not a Statspack or AWR report" in problem.err


def test_what_a_satellite_registers_is_there() -> None:
    for extension in extensions.registered():
        places = [*extension.rules.values(), *extension.pages.values(),
                  *extension.documents.values()]  # fmt: skip
        places += [f"{each.module}:{name}" for name, each in extension.commands.items()]
        places += [each.place for each in extension.schemas.values()]
        places += filter(None, (extension.last_reader, extension.store, extension.client))
        places += [extension.log_reader.place] if extension.log_reader else []
        for place in places:
            assert extensions.load(place) is not None


def test_a_satellite_that_cannot_be_imported_is_not_taken_for_absent(
    core: Path, tmp_path: Path
) -> None:
    root = tmp_path / "broken"
    shutil.copytree(core, root, symlinks=True)
    (root / "awrlens" / "lab").mkdir()
    (root / "awrlens" / "lab" / "__init__.py").write_text("import no_such_package\n")

    (help_,) = called(root, tmp_path / "run", ("--help",))

    assert 4 == help_.status
    assert "no_such_package" in help_.err
