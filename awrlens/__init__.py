"""awrlens: reads Oracle Statspack and AWR reports and says where the write path hurts.

``load``, ``load_all`` and ``analyze`` are the public functions; they are imported when first
used, so that ``import awrlens`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from awrlens.api import analyze, load, load_all

__version__ = "0.1.0"
__all__ = ["__version__", "analyze", "load", "load_all"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - what the name stands for
    if name in ("analyze", "load", "load_all"):
        from awrlens import api  # noqa: PLC0415 - see the docstring

        return getattr(api, name)
    raise AttributeError(f"module 'awrlens' has no attribute {name!r}")
