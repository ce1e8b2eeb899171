"""A trend as rows, one per interval and fact, for CSV and Parquet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Final

from awrlens import files
from awrlens.errors import UsageError
from awrlens.render import present

if TYPE_CHECKING:
    from collections.abc import Iterator

    from awrlens.model.trend import Trend

#: Columns with their types in Parquet.
COLUMNS: Final = {
    "db": "string", "db_id": "string", "container": "string", "instance": "string",
    "instance_number": "string", "begin": "datetime64[s]", "end": "datetime64[s]",
    "begin_snap": "Int64", "end_snap": "Int64", "fact": "string", "value": "Float64",
    "unit": "string", "status": "string", "usual": "Float64", "score": "Float64",
    "source": "string",
}  # fmt: skip


def rows(trend: Trend) -> Iterator[tuple[Any, ...]]:
    """Values in the order of ``COLUMNS``; only outliers have a ``score``."""
    for series in trend.series:
        who = series.who
        instance = "cluster" if who.cluster else who.instance
        for judged in series.windows:
            window = judged.window
            outliers = {each.fact: each for each in judged.outliers}
            for quantity in trend.quantities:
                reading = window.facts.get(quantity.name)
                if reading is None:
                    continue
                found = outliers.get(quantity.name)
                yield (
                    who.db_name, who.db_id, who.container, instance, who.instance_number,
                    window.begin, window.end, window.begin_snap, window.end_snap, quantity.name,
                    reading.value, quantity.unit, reading.status,
                    judged.usual.get(quantity.name), found.score if found else None,
                    window.source,
                )  # fmt: skip


def to_csv(trend: Trend) -> str:
    """Rows with a heading; times in ISO 8601, unknown values are empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in row] for row in rows(trend))
    return buffer.getvalue()


def _cell(value: object) -> object:
    """A cell that spreadsheets do not interpret: names are from reports."""
    return value.isoformat() if hasattr(value, "isoformat") else present.cell(value)


def to_parquet(trend: Trend, path: str) -> None:
    """Write the rows as Parquet; UsageError when pyarrow is not installed."""
    import pandas as pd

    columns = list(zip(*rows(trend), strict=True)) or [()] * len(COLUMNS)
    frame = pd.DataFrame({
        name: pd.to_datetime(pd.Series(values, dtype="object"))
        if dtype.startswith("datetime")
        else pd.Series(list(values), dtype=dtype)
        for (name, dtype), values in zip(COLUMNS.items(), columns, strict=True)
    })  # fmt: skip
    try:
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False)
        files.write(path, buffer.getvalue())
    except ImportError:
        raise UsageError(
            "Parquet requires pyarrow.", hint="Install it with `pip install 'awrlens[parquet]'`."
        ) from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}.") from None
