"""How many examples a test invents where the usual number would take too long."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def at_most(number: int, **more: Any) -> settings:
    """So many examples in `make test`; as many as all other tests have in `make nightly`."""
    steady = settings.get_current_profile_name() == "steady"
    usual: int = settings.default.max_examples  # type: ignore[union-attr]
    return settings(max_examples=min(number, usual) if steady else usual, **more)
