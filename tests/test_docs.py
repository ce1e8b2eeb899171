"""What README and CONTRIBUTING say is done here."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import samples

from awrlens import budgets, cli
from awrlens.cli import group
from awrlens.facts.registry import units
from awrlens.render import layout, wording

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "sqlserver.md").read_text(encoding="utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)


def test_the_output_in_the_readme_is_what_make_demo_prints() -> None:
    shown = blocks("text")[0]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    printed = wording.text(
        layout.page(samples.analysis("redo-disk.awr-11.2.txt"), 80, verbose=False)
    )

    assert "SAMPLE := sample_reports/redo-disk.awr-11.2.txt" in makefile
    assert shown == printed


def commands(text: str = README) -> list[list[str]]:
    """The calls of a page, on our samples, without shell syntax and comments."""
    found = []
    for block in blocks("console", text):
        for line in block.splitlines():
            call = re.sub(r"\s+#.*", "", line.removeprefix("$ ")).split(" > ")[0]
            if call.startswith("awrlens "):
                call = call.replace("awrrpt_1_100_101.html", "redo-disk.awr-11.2.html")
                call = call.replace("sp_1_2.lst", "redo-disk.statspack-9.2.lst")
                call = call.replace("*.html", "redo-disk.awr-19c.html redo-disk.awr-11.2.html")
                call = call.replace("reports/", ".")
                call = call.replace("ERRORLOG", "sqlserver-errorlog.log")
                call = call.replace("before.csv", "sqlserver-checkpoints-before.csv")
                call = call.replace(" checkpoints.csv", " sqlserver-checkpoints-before.csv")
                call = call.replace(" logs/", " .")
                call = call.replace("after.csv", "sqlserver-checkpoints-after.csv")
                call = call.replace("before.html", "redo-disk.awr-11.2.html")
                call = call.replace("after.html", "redo-accelerator.awr-11.2.html")
                call = call.replace("awrddrpt_1_100_101.html", "redo-compared.awr-diff-11.2.html")
                found.append(shlex.split(call)[1:])
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our samples in a folder that calls may write to."""
    place = tmp_path_factory.mktemp("reports")
    for file in (*samples.FOLDER.glob("*.txt"), *samples.FOLDER.glob("*.lst"),
                 *samples.FOLDER.glob("*.html"), *samples.FOLDER.glob("*.budgets"),
                 *samples.FOLDER.glob("sqlserver-*")):  # fmt: skip
        shutil.copy(file, place)
    shutil.copy(ROOT / "tests" / "alertlogs" / "10g.log", place / "alert_ORCHID.log")
    earlier = place / "redo-disk.statspack-9.2.lst"
    text = earlier.read_text(encoding="utf-8").replace(" 20-Aug-08", " 19-Aug-08")
    earlier.write_text(text, encoding="utf-8")  # not the interval of the other reports
    return place


def _slow(args: list[str]) -> bool:
    return "." in args or "simulate" in args  # all samples, or a simulation


@pytest.mark.parametrize(
    "args",
    [
        pytest.param(each, id=" ".join(each), marks=[pytest.mark.slow] if _slow(each) else [])
        for each in (*commands(), *commands(GUIDE))
    ],
)
def test_every_call_in_the_readme_and_in_the_guide_of_sql_server_works(
    args: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    before = set(folder.iterdir())
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = cli.run(args)

    fails = args[0] == "check" or args[:2] == ["budget", "test"]
    assert status in ((0, 1) if fails else (0,))  # ours have findings
    assert out.getvalue() or set(folder.iterdir()) - before
    if args[0] == "mttr" and "--init-time-avg" in args:
        assert "FAST_START_MTTR_TARGET = 180" in out.getvalue()


def test_the_budgets_of_the_readme_and_of_the_documentation_are_read() -> None:
    page = (ROOT / "docs" / "budgets.md").read_text(encoding="utf-8")
    example = re.findall(r"```budgets\n(.*?)```", page, re.S)[0]

    assert example == (samples.FOLDER / "team.budgets").read_text(encoding="utf-8")
    for text in (example, *blocks("budgets")):
        assert len(budgets.parse(text, units())) >= 3


def test_every_command_stands_in_the_readme() -> None:
    for command in group.commands():
        assert f"awrlens {command}" in README


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_python_examples_print_what_they_say(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
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

    step("-m", "awrlens", "grammar", "compile")
    step("tests/golden_pairs.py")
    rows = (pair / "awr-88.1.json").read_text(encoding="utf-8")

    assert "1.21" in rows
    assert "power_gw" in rows
    assert "up to date" in step("-m", "awrlens", "grammar", "check")

    shutil.copy(copy / "grammars" / "flux.awg", copy / "grammars" / "flux_again.awg")
    clash = subprocess.run(
        [sys.executable, "tests/golden_pairs.py", "--all"], cwd=copy, env=environment, check=False,
        capture_output=True, text=True,
    )  # fmt: skip

    assert 1 == clash.returncode
    assert "section flux_capacitor is also described in flux.awg." in clash.stderr
    assert "Traceback" not in clash.stderr
