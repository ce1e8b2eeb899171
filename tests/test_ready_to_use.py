"""The action, the templates, the hook and the container file, run as far as a machine can."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import samples
import yaml
from junitparser import JUnitXml
from test_packaging import needed

pytestmark = pytest.mark.outside  # jobs of CI servers, each in processes of its own
ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh folder of a job, with reports in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reports").mkdir()
    for name in ("redo-disk.awr-11.2.txt", "temp-sort-disk.awr-19c.html"):
        (tmp_path / "reports" / name).write_bytes(samples.path(name).read_bytes())
    return tmp_path


def bash(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script], capture_output=True, text=True, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def installed(place: str) -> None:
    """Stands in for the installation: the environment that the tests run in."""
    target = Path(place) / "bin"
    target.mkdir(parents=True)
    for name in ("awrlens", "python3"):
        (target / name).symlink_to(BIN / ("python" if name == "python3" else name))


def follows(schema: str, file: str) -> None:
    done = subprocess.run(
        [str(BIN / "check-jsonschema"), "--builtin-schema", schema, str(ROOT / file)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stdout


def action() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return found


def step(inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The action's second step, with its inputs put in as GitHub does it."""
    found = action()
    given = {name: str(each.get("default", "")) for name, each in found["inputs"].items()} | inputs
    check = found["runs"]["steps"][1]
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda m: given[m[1]], text)
        for name, text in check["env"].items()
    }
    runner = {"RUNNER_TEMP": "temp", "GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}
    return bash(check["run"], **environment, **runner)


def locked(install: str) -> None:
    """Packages are installed with hashes, and awrlens without any more."""
    assert len(re.findall("pip install", install)) == 2
    assert "--require-hashes -r" in install
    assert "--no-deps" in install


@pytest.mark.parametrize("extra", ["", "web"])
def test_the_locks_have_what_the_package_needs_with_hashes(extra: str) -> None:
    said = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*said["dependencies"], "hatchling"]
    wanted += said["optional-dependencies"][extra] if extra else []
    lock = (ROOT / f"requirements{extra and f'-{extra}'}.lock").read_text()
    blocks = [each for each in re.split(r"\n(?=\S)", lock) if "==" in each]
    pinned = {re.split(r"[=\[]", each)[0].lower() for each in blocks}

    assert {re.split(r"[>\[]", each)[0] for each in wanted} <= pinned
    assert all("--hash=sha256:" in each for each in blocks)
    dev = (ROOT / "requirements-dev.lock").read_text()
    assert all(each.split(" ")[0] in dev for each in blocks)


def test_the_action_is_one() -> None:
    follows("vendor.github-actions", "action.yml")


def test_the_action_annotates_summarises_and_fails_where_a_report_does() -> None:
    installed("temp/awrlens")
    install = action()["runs"]["steps"][0]["run"]
    assert "--require-hashes" in install
    assert "--no-deps" in install
    bad = step({"reports": "reports/"})

    assert 1 == bad.returncode, bad.stderr
    assert "::error file=reports/redo-disk.awr-11.2.txt,line=" in bad.stdout
    assert "## awrlens: failed" in Path("summary").read_text()
    assert "sarif=awrlens.sarif\n" == Path("output").read_text()
    assert json.loads(Path("awrlens.sarif").read_text())["runs"][0]["results"]
    fine = step({"reports": "reports/", "fail-on": "critical", "arguments": "--select TEMP -j 1"})
    assert 0 == fine.returncode


def test_a_name_that_is_shell_does_nothing_in_the_action() -> None:
    installed("temp/awrlens")
    done = step({"reports": "reports/ $(touch hacked) ;touch", "baseline": "$(touch hacked)"})

    assert 0 != done.returncode
    assert not Path("hacked").exists()


def test_the_gitlab_job_is_one_and_runs() -> None:
    follows("vendor.gitlab-ci", "ci/awrlens.gitlab-ci.yml")
    job = yaml.safe_load((ROOT / "ci" / "awrlens.gitlab-ci.yml").read_text())["awrlens"]
    installed(".awrlens")
    locked("\n".join(job["before_script"]))
    done = bash("\n".join(job["script"]), **job["variables"])

    assert 1 == done.returncode, done.stderr
    for name in (*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()):
        assert Path(name).stat().st_size, name


def test_the_jenkins_stage_runs() -> None:
    text = (ROOT / "ci" / "Jenkinsfile").read_text()
    scripts = re.findall(r"sh '(.*)'", text)
    installed(".awrlens")
    locked(scripts[0])
    done = bash(scripts[1])

    assert 1 == done.returncode, done.stderr
    suites = JUnitXml.fromfile(re.findall(r"junit '(.*)'", text)[0])
    assert [bool(suite.skipped) for suite in suites][-1]  # two rules lack facts in one report
    assert len(suites) == 3
    assert Path(re.findall(r"archiveArtifacts '(.*)'", text)[0]).exists()


def test_the_container_file_copies_what_the_package_is_built_of() -> None:
    lines = (ROOT / "Containerfile").read_text().splitlines()
    copied = {name for line in lines if line.startswith("COPY ") for name in line.split()[1:-1]}

    assert all((ROOT / name).exists() for name in copied)
    build = (ROOT / "pyproject.toml").read_text()
    assert copied == {
        "awrlens", "README.md", "LICENSE", "pyproject.toml", "requirements.lock",
        "requirements-web.lock", "tools/metadata.py", "sample_reports/redo-disk.awr-11.2.txt",
    }  # fmt: skip
    assert "--require-hashes" in " ".join(lines)
    assert 'path = "tools/metadata.py"' in build
    assert 'ENTRYPOINT ["awrlens"]' in lines


def test_the_images_are_pinned_to_one_digest() -> None:
    (base,) = re.findall(r"^ARG BASE=(.*)$", (ROOT / "Containerfile").read_text(), re.M)
    job = yaml.safe_load((ROOT / "ci" / "awrlens.gitlab-ci.yml").read_text())["awrlens"]

    assert re.fullmatch(r"python:3\.13-slim@sha256:[0-9a-f]{64}", base)
    assert base == job["variables"]["AWRLENS_IMAGE"]
    assert "$AWRLENS_IMAGE" == job["image"]


def test_the_examples_of_the_page_are_those_of_the_files() -> None:
    page = (ROOT / "docs" / "ci.md").read_text()
    steps, hook = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.S))
    (step,) = (each for each in steps if "awrlens@" in each["uses"])

    assert hook == yaml.safe_load((ROOT / "ci" / "pre-commit-config.yaml").read_text())
    assert step["with"].keys() <= action()["inputs"].keys()
    for each in (*(each["uses"].rpartition("@")[2] for each in steps), hook["repos"][0]["rev"]):
        assert re.fullmatch(r"v\d[\d.]*", each), each


def test_the_hook_checks_reports_and_leaves_other_files_out() -> None:
    follows_hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (hook,) = follows_hooks
    Path("notes.txt").write_text("no report")
    files = ["notes.txt", "reports/temp-sort-disk.awr-19c.html"]
    for name in files:
        assert re.search(hook["files"], name)
    done = bash(f"{BIN}/{hook['entry']} {' '.join(files)}")
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "1 report" in done.stdout
    assert 0 == bash(f"{BIN}/{hook['entry']} notes.txt").returncode
    assert 1 == bash(f"{BIN}/{hook['entry']} reports/redo-disk.awr-11.2.txt").returncode


@pytest.mark.packaging
def test_pre_commit_runs_the_hook_from_a_clone(tmp_path_factory: pytest.TempPathFactory) -> None:
    git = "git -c user.name=x -c user.email=x@example.org -c init.defaultBranch=main"
    made = bash(
        # the checkout as it stands, committed or not
        f"git clone -q {ROOT} hooks && cp {ROOT}/.pre-commit-hooks.yaml hooks/ "
        f"&& rm -r hooks/awrlens && cp -r {ROOT}/awrlens hooks/ "
        f"&& cd hooks && git add -A && {git} commit -qm now --allow-empty "
        f"&& {git} init -q ../work && cd ../work && cp -r ../reports . && git add reports"
    )
    assert 0 == made.returncode, made.stderr
    done = bash(
        f"cd work && {BIN}/pre-commit try-repo ../hooks awrlens --files "
        "reports/redo-disk.awr-11.2.txt reports/temp-sort-disk.awr-19c.html",
        PRE_COMMIT_HOME=str(Path("cache").absolute()),
        PIP_NO_COMPILE="1",
        PIP_NO_DEPS="1",
        PIP_NO_BUILD_ISOLATION="0",  # which is how pip spells that there is none
        PYTHONPATH=str(needed(tmp_path_factory.getbasetemp())),
    )

    assert 1 == done.returncode, done.stdout + done.stderr
    assert "REDO001" in done.stdout
    assert "2 reports" in done.stdout
