"""awrlens: reads Oracle Statspack and AWR reports and finds problems of the write path.

One report: ``load`` and ``analyze``. Many: ``load_all``, ``facts_frame``, ``trend``, ``compare``
and ``check``. All are imported on first use, so that ``import awrlens`` is fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from awrlens.advice.mttr import Request
    from awrlens.api import analyze, load
    from awrlens.bulk import check, compare, facts_frame, load_all, trend
    from awrlens.policy import Policy

__version__ = "1.0.0"
__all__ = [
    "Policy",
    "Request",
    "__version__",
    "analyze",
    "check",
    "compare",
    "facts_frame",
    "load",
    "load_all",
    "trend",
]
#: The module of each name.
_MODULES = {"Policy": "policy", "Request": "advice.mttr", "analyze": "api", "load": "api"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - any attribute
    if name not in __all__:
        raise AttributeError(f"module 'awrlens' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"awrlens.{_MODULES.get(name, 'bulk')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
