"""awrlens: reads Oracle Statspack and AWR reports and finds problems of the write path.

``load``, ``load_all`` and ``analyze`` are the public functions. They are imported on first use, so
that ``import awrlens`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from awrlens.api import analyze, load, load_all

__version__ = "0.1.0"
__all__ = ["__version__", "analyze", "load", "load_all"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any attribute
    if name in ("analyze", "load", "load_all"):
        from awrlens import api  # noqa: PLC0415 - see the docstring

        return getattr(api, name)
    raise AttributeError(f"module 'awrlens' has no attribute {name!r}")
