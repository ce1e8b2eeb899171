"""Microsoft's SARIF Multitool: the schema of SARIF 2.1.0 and a validator, from the npm registry.

Tests that need it are skipped, with the reason, where npm is absent or fetches nothing.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from filelock import FileLock

_PACKAGE = "@microsoft/sarif-multitool-linux@5.7.0"
_FOLDER = Path(gettempdir()) / "awrlens-sarif-multitool-5.7.0"


@cache
def _folder() -> Path:
    if shutil.which("npm") is None:
        pytest.skip("no npm to fetch the SARIF Multitool with")
    with FileLock(f"{_FOLDER}.lock"):
        tool = _FOLDER / "package" / "Sarif.Multitool"
        if not tool.exists():
            _FOLDER.mkdir(exist_ok=True)
            done = subprocess.run(
                ["npm", "pack", "--silent", _PACKAGE], cwd=_FOLDER, capture_output=True,
                text=True, check=False, timeout=300,
            )  # fmt: skip
            if done.returncode:
                pytest.skip("the SARIF Multitool cannot be fetched from the npm registry")
            with tarfile.open(_FOLDER / done.stdout.split()[-1]) as archive:
                archive.extractall(_FOLDER, filter="data")
            tool.chmod(0o755)
    return _FOLDER / "package"


def schema() -> dict[str, Any]:
    """The JSON Schema of SARIF 2.1.0."""
    found: dict[str, Any] = json.loads((_folder() / "sarif-2.1.0.json").read_text("utf-8-sig"))
    return found


def complaints(log: Path) -> list[str]:
    """What the validator says of a log: rule and level of each complaint."""
    result = log.with_suffix(".validated.json")
    done = subprocess.run(
        [str(_folder() / "Sarif.Multitool"), "validate", str(log), "--output", str(result),
         "--log", "ForceOverwrite"],
        capture_output=True, text=True, check=False, timeout=300,
        env={"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "HOME": str(log.parent)},
    )  # fmt: skip
    assert result.exists(), done.stdout + done.stderr
    results = json.loads(result.read_text("utf-8-sig"))["runs"][0]["results"]
    return [f"{each['ruleId']} {each.get('level', 'warning')}" for each in results]
