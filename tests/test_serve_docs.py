"""docs/serve.md: what it tells operators to do works as it is written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from serving import ROOT, serving

pytestmark = pytest.mark.outside
GUIDE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")


def blocks(title: str, kind: str) -> list[str]:
    """The examples of a section."""
    section = GUIDE.split(f"### {title}\n")[1].split("\n### ")[0].split("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", section, re.S)


def test_a_backup_that_was_made_while_the_server_ran_is_restored(tmp_path: Path) -> None:
    backup, restore = blocks("Backup and restore", "sh")
    copies, serve = restore.splitlines()
    assert "awrlens serve --data restored" == serve

    def shell(text: str) -> None:
        # the same Python under the name of the guide
        text = text.replace("python3", f"'{sys.executable}'")
        subprocess.run(["sh", "-e", "-c", text], check=True, cwd=tmp_path)

    with serving(tmp_path / "awrlens-data", "--workers", "1") as server:
        id_ = server.upload().json()["id"]
        before = server.done(id_).text
        shell(backup)
        server.client.delete(f"/api/reports/{id_}")
    shutil.rmtree(tmp_path / "awrlens-data")
    shell(copies)
    with serving(tmp_path / "restored", "--workers", "1") as server:
        after = server.done(id_).text

    assert before == after


_VERIFY = shutil.which("systemd-analyze")


@pytest.mark.skipif(_VERIFY is None, reason="no systemd-analyze (Debian's package systemd)")
def test_the_unit_of_systemd_is_valid(tmp_path: Path) -> None:
    (unit,) = blocks("systemd", "ini")
    program = "/opt/awrlens/bin/awrlens"
    assert program in unit
    file = tmp_path / "awrlens.service"
    file.write_text(unit.replace(program, sys.executable), encoding="utf-8")
    done = subprocess.run(
        [str(_VERIFY), "verify", str(file)], capture_output=True, check=False, text=True
    )

    assert (0, "") == (done.returncode, done.stderr)


def test_the_options_of_the_guide_are_those_of_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "awrlens", "serve", "--help"],
        capture_output=True, check=True, text=True, cwd=ROOT,
    )  # fmt: skip
    offered = set(re.findall(r"^  (--[a-z-]+)", done.stdout, re.M))
    told = set(re.findall(r"--[a-z-]+", GUIDE))

    assert offered - told == set()
