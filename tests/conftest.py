"""Lets test modules import the helpers that stand beside them, and settles how they invent.

`make test` invents the same examples every time, so that a change is judged by what it changed;
`make nightly` invents new ones, and many more of them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=200)
settings.register_profile("nightly", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("AWRLENS_EXAMPLES", "steady"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that invent their examples."""
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.function):
            item.add_marker(pytest.mark.properties)
