"""What README and CONTRIBUTING say is done here."""

from __future__ import annotations

import contextlib
import html
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import samples
from click.testing import CliRunner

from awrlens import budgets, cli
from awrlens.cli import group
from awrlens.facts.registry import units
from awrlens.render import layout, wording

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
GENERATED = ("facts.md", "recommendations.md", "rules.md")


def blocks(language: str, text: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def test_the_picture_is_the_screen_that_make_demo_prints() -> None:
    picture = (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")
    printed = wording.text(
        layout.page(samples.analysis("redo-disk.awr-11.2.txt"), 80, verbose=False)
    )
    shown = html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture)))

    assert "SAMPLE := sample_reports/redo-disk.awr-11.2.txt" in MAKEFILE
    assert "![The first screen of a report](docs/picture.svg)" in README
    assert "".join(shown.split()) == "".join(printed.split())
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_the_two_commands_of_make_show_what_they_install() -> None:
    recipes = re.findall(r"^\$\(VENV\)/\.(?:installed|developer):.*\n((?:\t.*\n)+)", MAKEFILE, re.M)

    assert 2 == len(recipes)
    for recipe in recipes:
        said, install = recipe.splitlines()[:2]
        assert re.search(r"@echo \"Installing .* \(once, about a minute\)\"", said)
        assert "--quiet" not in install


def test_a_stranger_has_little_to_read() -> None:
    pages = [page for page in (ROOT / "docs").glob("*.md") if page.name not in GENERATED]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    screen = CliRunner().invoke(cli.cli, ["--help"]).output

    assert len(README.split()) <= 900
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 30_000
    assert len(changes.splitlines()) <= 150
    assert len(changes.partition("\n## 1.0.0")[2].partition("\n## ")[0].splitlines()) <= 120
    assert len(re.findall(r"^  [a-z]+  +\S", screen.partition("Analyze:")[2], re.M)) <= 20


def test_a_job_of_the_readme_is_one_command_but_a_fleet_needs_a_store_first() -> None:
    jobs = README.partition("## Five jobs\n")[2].partition("\n## ")[0]
    found = re.findall(r"```\w+\n(.*?)```", jobs, re.S)

    assert [1, 1, 1, 4, 1] == [len(block.splitlines()) for block in found]
    assert found[3].startswith("awrlens ingest")


def test_every_page_is_in_the_index_and_the_first_two_commands_are_those_of_make() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")

    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index, page
    assert ["$ make demo\n", "$ make test\n"] == blocks("console", README)[:2]


def test_the_budgets_of_the_readme_and_of_the_documentation_are_read() -> None:
    page = (ROOT / "docs" / "budgets.md").read_text(encoding="utf-8")
    example = re.findall(r"```budgets\n(.*?)```", page, re.S)[0]

    assert example == (samples.FOLDER / "team.budgets").read_text(encoding="utf-8")
    for text in (example, *blocks("budgets", COMMANDS)):
        assert len(budgets.parse(text, units())) >= 3


def test_no_text_names_a_package_that_no_index_has() -> None:
    """`pip install` of a name and its extra would install what somebody else calls so."""
    code = [*(ROOT / "awrlens").rglob("*.py"), *(ROOT / "awrlens").rglob("*.j2")]
    files = [*code, *ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "ci").iterdir()]
    files += [ROOT / name for name in ("Containerfile", "action.yml", ".pre-commit-hooks.yaml")]

    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"awrlens\[\w|pip install (-\S+ )*[\"']?awrlens", text), file


def test_every_command_is_in_the_page_of_commands() -> None:
    for command in group.commands():
        assert f"awrlens {command}" in COMMANDS


def test_the_python_examples_print_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = "docs/python.md"
    code = "\n".join(blocks("python", (ROOT / page).read_text(encoding="utf-8")))
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, page, "exec"), {})  # noqa: S102 - our own example

    said = re.findall(r"^# (.*)$", code, re.M)
    assert said == out.getvalue().splitlines()


@pytest.mark.slow
def test_a_section_is_added_by_the_recipe_without_any_code(tmp_path: Path) -> None:
    """CONTRIBUTING, "Add a section", in a copy of the project."""
    copy = tmp_path / "awrlens"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "shared"))
    (copy / "grammars" / "flux.awg").write_text(
        'section flux_capacitor\n  title "Flux Capacitor Stats"\n  about "Time travel."\n'
        '  column capacitor text key "Capacitor"\n  column power_gw float count "Gigawatts"\n',
        encoding="utf-8",
    )
    pair = copy / "tests" / "golden" / "flux_capacitor"
    pair.mkdir()
    (pair / "awr-88.1.txt").write_text(
        "Flux Capacitor Stats              DB/Inst: PEARL/pearl1  Snaps: 4-5\n\n"
        "Capacitor          Gigawatts\n---------------- -----------\n"
        "main                    1.21\n"
        "          -------------------------------------------------------------\n",
        encoding="utf-8",
    )
    environment = {"PYTHONPATH": str(copy), "PATH": ""}

    def step(*args: str) -> str:
        done = subprocess.run(
            [sys.executable, *args], cwd=copy, env=environment, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert 0 == done.returncode, done.stderr
        return done.stdout

    step("tools/grammar.py")
    step("tests/golden_pairs.py")
    rows = (pair / "awr-88.1.json").read_text(encoding="utf-8")

    assert "1.21" in rows
    assert "power_gw" in rows
    assert "up to date" in step("tools/grammar.py", "--check")

    shutil.copy(copy / "grammars" / "flux.awg", copy / "grammars" / "flux_again.awg")
    clash = subprocess.run(
        [sys.executable, "tools/grammar.py"], cwd=copy, env=environment, check=False,
        capture_output=True, text=True,
    )  # fmt: skip

    assert 1 == clash.returncode
    assert "section flux_capacitor is also described in flux.awg." in clash.stdout
    assert "Traceback" not in clash.stderr


def test_every_file_that_the_documentation_names_is_there() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "benchmarks/README.md"]
    tops = "awrlens|tests|docs|tools|benchmarks|grammars|sample_reports|ci"
    named = {
        name
        for page in pages
        for name in re.findall(rf"`((?:{tops})/[\w./]+\.\w+)`", page.read_text(encoding="utf-8"))
        if not re.search(r"/[A-Z]+\.\w+$", name) or name.endswith("README.md")  # ID.toml: any rule
    }

    assert len(named) > 20
    assert [] == sorted(name for name in named if not (ROOT / name).exists())


@pytest.mark.slow
def test_a_dead_link_of_the_site_fails(tmp_path: Path) -> None:
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    build = [str(Path(sys.executable).with_name("mkdocs")), "build", "--clean"]

    def built() -> subprocess.CompletedProcess[str]:
        return subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, check=False)

    done = built()
    assert 0 == done.returncode, done.stderr
    page = tmp_path / "docs" / "2am.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(f"{text}\n[one](nowhere.md), [two](facts.md#nowhere)\n", encoding="utf-8")
    done = built()
    assert 0 != done.returncode
    assert "nowhere.md" in done.stderr
    assert "facts.md#nowhere" in done.stderr
