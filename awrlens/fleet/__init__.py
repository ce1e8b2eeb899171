"""A store of many reports: Parquet files with the data, and a DuckDB index of them.

Its packages are an extra (``awrlens[store]``), so that awrlens runs where they do not.
"""

from __future__ import annotations

from typing import Final

from awrlens.errors import UsageError

#: The packages of each extra.
EXTRAS: Final = {
    "store": ("duckdb", "pyarrow", "fsspec"),
    "cluster": ("duckdb", "pyarrow", "fsspec", "distributed"),
}


def require(extra: str = "store") -> None:
    """UsageError if a package of an extra is not installed."""
    from importlib.util import find_spec

    missing = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{' and '.join(missing)} {are} not installed.",
            hint=f"Install the extra: pip install 'awrlens[{extra}]'.",
        )
