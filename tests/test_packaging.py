"""The wheel in an empty environment, run from another folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import samples

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.packaging


def call(*args: object, cwd: Path | None = None) -> str:
    done = subprocess.run(
        [str(each) for each in args], capture_output=True, check=False, text=True, cwd=cwd
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


@cache
def needed(folder: Path) -> Path:
    """A folder with what the tests run with, without awrlens: nothing is installed twice."""
    packages = folder / "packages"
    packages.mkdir()
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if "awrlens" not in each.name:
            (packages / each.name).symlink_to(each)
    return packages


@cache
def built(folder: Path) -> Path:
    """A wheel made by way of the source distribution, as a release is; once for all modules."""
    call(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", ROOT)
    return next((folder / "dist").glob("*.whl"))


@cache
def installed_in(folder: Path) -> Path:
    """Programs of an environment that has the wheel and what it asks for, nothing else."""
    venv.create(folder / "env")
    programs = folder / "env" / "bin"
    pip = (sys.executable, "-m", "pip", "--python", programs / "python")
    # what is used is compiled when it is, all of it would take longer than the tests
    call(*pip, "install", "--quiet", "--no-compile", built(folder))
    return programs


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_in(tmp_path_factory.getbasetemp())


def test_the_wheel_has_catalogue_and_types(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())

    assert {"awrlens/grammar/_catalogue.json", "awrlens/redact/described.txt", "awrlens/py.typed",
            "awrlens/render/assets/uplot/uPlot.iife.min.js", "awrlens/render/assets/uplot/LICENSE",
            "awrlens/render/templates/trend_charts.html.j2",
            "awrlens/serve/templates/home.html.j2", "awrlens/serve/static/site.js",
            "awrlens/sqlserver/target_recovery_time.sql"} <= names  # fmt: skip
    assert not [name for name in names if name.startswith(("tests", "sample_reports"))]


def test_the_metadata_names_no_registry_and_no_folder_of_this_machine(wheel: Path) -> None:
    words = re.compile("py" + r"pi\.org|pythonh" + rf"osted|{Path.home()}/|{ROOT}|file://")
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".dist-info/" in name:
                assert not words.search(archive.read(name).decode()), name


def test_the_metadata_has_no_dead_link(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        text = archive.read(name).decode()

    assert "Description-Content-Type: text/markdown" in text
    assert "# awrlens" in text
    assert "Get a report (`docs/get-a-report.md`)" in text
    assert [] == re.findall(r"\]\(.*?\)|^Project-URL:.*", text, re.M)


def test_the_links_of_the_metadata_begin_with_the_address_of_the_files() -> None:
    base = "https://git.example.org/tools/awrlens/v1"
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "metadata"], cwd=ROOT, capture_output=True, text=True,
        check=True, env={**os.environ, "AWRLENS_BASE_URL": f"{base}/"},
    )  # fmt: skip
    found = json.loads(done.stdout)
    links = [*found["urls"].values(), *re.findall(r"\]\(([^)]*)\)", found["readme"]["text"])]

    assert len(links) > 10
    for each in links:
        assert each.startswith(f"{base}/"), each
        assert (ROOT / each.removeprefix(f"{base}/")).is_file(), each


def test_wheel_checkout_and_module_are_one_program(installed: Path, tmp_path: Path) -> None:
    here = Path(sys.executable).parent
    calls: list[tuple[object, ...]] = [
        (installed / "awrlens",),
        (installed / "python", "-m", "awrlens"),
        (here / "awrlens",),
        (here / "python", "-m", "awrlens"),
    ]
    for args in (["--version"], ["grammar", "list", "--format", "json"], ["schema"]):
        assert 1 == len({call(*each, *args, cwd=tmp_path) for each in calls}), args


def test_the_installed_program_does_the_main_job_from_another_folder(
    installed: Path, tmp_path: Path
) -> None:
    sample = tmp_path / "report.txt"
    sample.write_bytes(samples.path("redo-disk.awr-11.2.txt").read_bytes())
    found: dict[str, Any] = json.loads(
        call(installed / "awrlens", "analyze", "report.txt", "--format", "json", cwd=tmp_path)
    )
    here = samples.analysis("redo-disk.awr-11.2.txt").to_dict()

    assert here["facts"] == found["facts"]
    assert here["verdicts"] == found["verdicts"]
    assert call(installed / "awrlens", "analyze", "report.txt", cwd=tmp_path) == call(
        installed / "python", "-m", "awrlens", "analyze", "report.txt", cwd=tmp_path
    )


def test_the_wheel_has_a_report_to_begin_with(installed: Path, tmp_path: Path) -> None:
    sample = samples.path("redo-disk.awr-11.2.txt")

    assert call(installed / "awrlens", "demo", cwd=tmp_path) == call(
        installed / "awrlens", sample, cwd=tmp_path
    )


def test_the_installed_program_simulates_without_anything_else_to_install(
    installed: Path, tmp_path: Path
) -> None:
    short = ("--preset", "oltp", "--minutes", "0.2", "--format", "json")
    found = json.loads(call(installed / "awrlens", "recovery", "simulate", *short, cwd=tmp_path))

    assert found["recoveries"]
