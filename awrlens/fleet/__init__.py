"""A store of many reports: Parquet files with the data, and a DuckDB index of them."""

from __future__ import annotations

from typing import Final

from awrlens.errors import UsageError, install
from awrlens.extensions import Command, Extension, Schema

EXTRAS: Final = {
    "store": ("duckdb", "pyarrow", "fsspec"),
    "cluster": ("duckdb", "pyarrow", "fsspec", "distributed"),
}

EXTENSION: Final = Extension(
    commands={
        name: Command("awrlens.fleet.command", text, "Fleet")
        for name, text in {
            "ingest": "Add reports to a store (needs the extra `store`).",
            "fleet": "Show all databases of a store, the worst first.",
            "query": "Run SQL on a store.",
            "watch": "Add the reports that arrive in a folder, and print new findings.",
            "store": "Rebuild, merge, judge, compact or export a store.",
        }.items()
    },
    thresholds=__file__,
    schemas={
        "fleet": Schema("awrlens.fleet.records:schema", before="simulate"),
        "query": Schema("awrlens.fleet.export:schema", before="config"),
    },
    store="awrlens.fleet.from_store",
)  # fmt: skip


def require(extra: str = "store") -> None:
    """UsageError if a package of an extra is not installed."""
    from importlib.util import find_spec

    missing = [name for name in EXTRAS[extra] if find_spec(name) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise UsageError(f"{' and '.join(missing)} {are} not installed.", hint=install(extra))
