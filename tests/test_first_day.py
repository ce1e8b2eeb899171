"""The first day of a user, with the wheel in an environment of its own and nothing else."""

from __future__ import annotations

import contextlib
import io
import json
import re
import venv
from pathlib import Path

import anyio
import first_day
import pytest
import samples
from mcp import Client, StdioServerParameters
from test_packaging import call, installed, needed, wheel

__all__ = ["installed", "wheel"]
ROOT = Path(__file__).parent.parent
pytestmark = [pytest.mark.outside, pytest.mark.packaging]


def said_by(play: object, program: Path, folder: Path) -> str:
    """What a day prints, none of whose calls fails."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        failed = play(str(program), folder)  # type: ignore[operator]
    assert not failed, said.getvalue()
    return said.getvalue()


def test_every_call_of_the_readme_and_of_the_pages_works_in_their_order(
    installed: Path,
    tmp_path: Path,
) -> None:
    said = said_by(first_day.main, installed / "awrlens", tmp_path)

    assert "README.md" in said
    assert said.count("\n  0  ") > 60
    assert said.count("  0  docs/python.md: python") == 7
    assert "  0  docs/ci.md: toml" in said


def test_who_runs_a_block_that_is_not_a_call_knows_its_page() -> None:
    for (page, language), who in first_day.OTHERS.items():
        assert language in {kind for kind, _ in first_day.blocks(page)}, page
        if who.startswith("tests/"):
            assert Path(page).stem in (ROOT / who).read_text(encoding="utf-8"), (page, who)


@pytest.fixture(scope="module")
def with_extras(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment with the wheel and its extras, by the lines of the README.

    What they need is what the tests run with, so that nothing is installed twice; awrlens is not.
    """
    folder = tmp_path_factory.mktemp("extras")
    packages = needed(tmp_path_factory.getbasetemp())
    venv.create(folder / "env")
    site = next((folder / "env" / "lib").glob("python3*")) / "site-packages"
    (site / "tests.pth").write_text(f"{packages}\n", encoding="utf-8")
    programs = folder / "env" / "bin"
    pip = (programs / "python", "-m", "pip", "--quiet")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    checkout, *files = re.findall(r"^pip install '?([^\s']+)", readme, re.M)
    assert files == [f"./{wheel.name}[web]"]
    install = (*pip, "install", "--no-index", "--no-build-isolation", "--no-compile")
    call(*install, checkout, cwd=ROOT)
    assert (programs / "awrlens").exists()
    call(*pip, "uninstall", "--yes", "awrlens")
    call(*install, f"./{wheel.name}[web,store,mcp]", cwd=wheel.parent)
    return programs


def test_the_jobs_that_need_extras_work_in_their_order(with_extras: Path, tmp_path: Path) -> None:
    said = said_by(first_day.with_extras, with_extras / "awrlens", tmp_path)

    for done in ("ingest", "fleet", "query", "watch", "store export", "serve token", "--server"):
        assert re.search(rf"^  [01]  .*{done}", said, re.M), said
    assert "\n  201  docs/serve.md" in said
    assert "no output" not in said


def test_the_installed_server_of_assistants_answers(with_extras: Path, tmp_path: Path) -> None:
    name = "redo-disk.awr-11.2.txt"
    (tmp_path / name).write_bytes(samples.path(name).read_bytes())
    (block,) = (text for kind, text in first_day.blocks("docs/mcp.md") if kind == "json")
    said = json.loads(block)["mcpServers"]["awrlens"]
    args = [each.replace("/srv/reports", str(tmp_path)) for each in said["args"]]
    place = StdioServerParameters(command=str(with_extras / said["command"]), args=args, env={})

    async def ask() -> bool:
        async with Client(place) as client:
            return bool((await client.call_tool("analyze", {"path": name})).is_error)

    assert not anyio.run(ask)
