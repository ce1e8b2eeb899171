"""How many examples a test invents where the usual number would take too long."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def at_most(number: int, **more: Any) -> settings:
    """So many examples in `make test`; as many as all other tests have in `make nightly`."""
    steady = settings.get_current_profile_name() == "steady"
    return settings(max_examples=number if steady else settings.default.max_examples, **more)  # type: ignore[union-attr]
