"""The first day of a user, with the wheel in an environment of its own and nothing else."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import first_day
import pytest
from test_packaging import installed, wheel

__all__ = ["installed", "wheel"]
pytestmark = [pytest.mark.outside, pytest.mark.packaging]


def test_every_call_of_the_readme_and_of_the_pages_works_in_their_order(
    installed: Path,
    tmp_path: Path,
) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        failed = first_day.main(str(installed / "awrlens"), tmp_path)

    assert not failed, said.getvalue()
    assert "README.md" in said.getvalue()
    assert said.getvalue().count("\n  0  ") > 60
