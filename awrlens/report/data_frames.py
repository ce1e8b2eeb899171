"""Tables as pandas frames and Parquet files; the libraries are imported only when needed."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from awrlens.errors import UsageError, install
from awrlens.source import files

if TYPE_CHECKING:
    import pandas as pd

    from awrlens.report.table import Table

_DTYPES = {"int": "Int64", "float": "Float64", "text": "string", "datetime": "datetime64[s]"}


def to_frame(table: Table) -> pd.DataFrame:
    """A frame with one typed column for each column of the table; blanks are missing values.

    A column of whole numbers becomes Float64 if the report prints decimals in it or a number beyond
    64 bits. ``attrs["rounded"]`` names the columns whose large numbers are not exact (in JSON and
    CSV they are). ``attrs["units"]`` has the unit of each column, ``attrs["row_units"]`` that
    of rows with another.
    """
    import pandas as pd

    rows = [row.values() for row in table.rows]
    columns: dict[str, Any] = {}
    rounded: dict[str, str] = {}
    for column in table.columns:
        name = column.name or column.heading
        values = [row.get(name) for row in rows]
        dtype = _DTYPES[column.type]
        if dtype == "Int64" and any(isinstance(v, float) for v in values):
            dtype = "Float64"
        if dtype == "Int64" and any(isinstance(v, int) and v.bit_length() > 63 for v in values):  # noqa: PLR2004
            dtype = "Float64"
            rounded[name] = "the column has a number beyond 64 bits: numbers above 2^53 are rounded"
        if dtype == "Float64":
            values = [float(v) if isinstance(v, int) else v for v in values]
        columns[name] = (
            pd.to_datetime(pd.Series(values, dtype="object"))
            if column.type == "datetime"
            else pd.Series(values, dtype=dtype)
        )
    frame = pd.DataFrame(columns)
    frame.attrs["units"] = table.units
    if table.row_units:
        frame.attrs["row_units"] = table.row_units
    frame.attrs["title"] = table.title
    if rounded:
        frame.attrs["rounded"] = rounded
    return frame


def to_parquet(table: Table, path: str) -> None:
    """Write a table as Parquet; UsageError when pyarrow is not installed."""
    try:
        buffer = BytesIO()
        to_frame(table).to_parquet(buffer, index=False)
        files.write(path, buffer.getvalue())
    except ImportError:
        raise UsageError("Parquet needs pyarrow.", hint=install("parquet")) from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}.") from None
