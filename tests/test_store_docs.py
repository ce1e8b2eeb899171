"""What docs/store.md, docs/fleet.md and the README say of a store is done here."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
from pathlib import Path

import first_day
import pytest
import samples
from fleet_of import call

from awrlens.fleet.folder import TABLES
from awrlens.fleet.index import VIEWS

pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
STORE = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
FLEET = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")


def blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def calls(text: str) -> list[list[str]]:
    lines = [line for block in blocks("sh", text) for line in block.splitlines()]
    plain = (re.sub(r"\s+#.*", "", line) for line in lines if line.startswith("awrlens "))
    return [shlex.split(line)[1:] for line in plain]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder but for reports; what stands in the page is done in it, in order."""
    place = tmp_path_factory.mktemp("fleet")
    (place / "reports").mkdir()
    for name in first_day.STORED:
        shutil.copy(samples.path(name), place / "reports")
    return place


def follow(text: str) -> None:
    """Do what a page says."""
    for args in calls(text):
        if args[0] == "watch":
            args += ["--rounds", "1"]
        status, out, err = call(*args)
        assert status == 0, (args, err)
        assert out or err or args[0] == "watch" or "-o" in args


@pytest.mark.slow
def test_the_commands_of_the_page_work_in_their_order(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    follow(STORE)

    for query in blocks("sql", STORE):
        status, out, err = call("query", query, "--store", "fleet.duckdb", "-f", "csv")
        assert status == 0, (query, err)
        assert out.count("\n") > 1 or "HAVING" in query

    code = "\n".join(blocks("python", STORE))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "docs/store.md", "exec"), {})  # noqa: S102 - our own example
    assert re.findall(r"^# (.*)$", code, re.M) == printed.getvalue().splitlines()


def test_a_fleet_in_four_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reports").mkdir()
    shutil.copy(samples.path(first_day.STORED[0]), "reports")
    (block,) = (each for each in blocks("sh", README) if "awrlens ingest" in each)

    assert len(block.splitlines()) == 4
    follow(f"```sh\n{block}```")
    assert sorted(os.listdir()) == ["fleet.duckdb", "fleet.html", "fleet.parquet", "reports"]  # noqa: PTH208


def test_every_table_view_and_column_is_in_the_page() -> None:
    for table in TABLES:
        (row,) = re.findall(rf"^\| `{table.name}` \|.*", STORE, re.M)
        names = re.findall(r"`(\w+)`", row)[1:]
        assert names == list(table.names if table.name != "facts" else table.names[:3])
        assert table.about.removesuffix(".") in row
    for name, view in VIEWS.items():
        assert f"| `{name}` | {view['about'].removesuffix('.')} |" in STORE


def test_the_options_that_the_plan_names_exist() -> None:
    import click

    from awrlens.fleet.command import ingest

    known = {name for each in ingest.params if isinstance(each, click.Option) for name in each.opts}
    said = {name for line in re.findall(r"awrlens ingest .*", FLEET)
            for name in re.findall(r"--[a-z-]+", line)}  # fmt: skip
    assert said
    assert said <= known
