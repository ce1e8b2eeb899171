"""What a store has: tables as CSV, JSON or Parquet, latest facts as OpenMetrics text."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from awrlens import errors
from awrlens.cli.schema import of_document
from awrlens.errors import UsageError
from awrlens.fleet.folder import OF_FILES, OF_REPORTS
from awrlens.fleet.index import VIEWS, Answer, readable
from awrlens.model import STATES
from awrlens.render.wording import csv_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.fleet.index import Store

NAMES: Final = (
    *VIEWS, *(table.name for table in (*OF_REPORTS, *OF_FILES)),
    "facts_catalogue",
)  # fmt: skip
#: Labels of a metric, and the columns that they come from.
_LABELS: Final = (
    ("db", "db_name"), ("dbid", "db_id"), ("container", "container"), ("instance", "instance"),
    ("inst_id", "instance_number"),
)  # fmt: skip
#: A list of objects, as JSON; in JSON Lines, each is on a line of its own.
Rows = Annotated[
    list[Annotated[dict[str, Any], "A row: the value of every column by its name."]],
    "The rows of a query or a table: all have the same columns. Times are ISO 8601 without zone, "
    "a value that is missing, infinite or not a number is null, and other types are texts.",
]


schema = partial(of_document, "query", Rows)


def table(store: Store, name: str, order: str = "") -> Answer:
    """A table or view, in an order of columns; UsageError for an unknown name."""
    if name not in NAMES:
        raise UsageError(
            f"The store has no table {name!r}.",
            hint=errors.hint(name, NAMES, f"Tables are {', '.join(NAMES)}."),
        )
    with readable(store.place):
        result = store.database.execute(f"SELECT * FROM {name} {order}")
        return Answer(tuple(column[0] for column in result.description), result.fetchall())


def plain(value: Any) -> Any:  # noqa: ANN401 - a value of a table
    """A value as JSON has it; times without zone, as reports print them."""
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None  # infinite or not a number
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def text_of(answer: Answer, format_: str) -> str:
    """A table as ``csv``, ``json`` or ``jsonl``, with one object a line."""
    if format_ == "csv":  # a list is joined by commas, a missing value is empty
        rows = ([plain(value) for value in row] for row in answer.rows)
        joined = (
            [", ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row]
            for row in rows
        )
        return csv_text([answer.columns, *joined])
    records: Rows = [dict(zip(answer.columns, map(plain, row), strict=True)) for row in answer.rows]
    if format_ == "jsonl":
        return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def to_parquet(store: Store, name: str, path: str) -> None:
    """Write a table to a Parquet file."""
    import pyarrow.parquet as pq

    table(store, name)
    try:
        pq.write_table(store.database.sql(f"SELECT * FROM {name}").to_arrow_table(), path)
    except OSError as problem:
        why = f"{path} cannot be written: {errors.reason(problem)}."
        raise UsageError(why, hint="Check the path.") from None


def openmetrics(store: Store) -> str:
    """The facts of the latest interval of every instance, as Prometheus reads them."""
    return "".join(f"{line}\n" for line in _metrics(store))


def _metrics(store: Store) -> Iterator[str]:
    whole = table(store, "latest", "ORDER BY db_name, db_id, instance_number, report")
    latest = [dict(zip(whole.columns, row, strict=True)) for row in whole.rows]
    facts = store.rows(
        "SELECT name, \"column\", unit, title FROM facts_catalogue WHERE type = 'number'"
    )
    (unreadable,) = store.rows("SELECT count(*) FROM unreadable")[0]
    yield from _family("unreadable_inputs", "Inputs that could not be read.", [({}, unreadable)])
    ends = [(_labels(row), row["end_time"].replace(tzinfo=UTC).timestamp()) for row in latest]
    about = "End of the latest interval; reports have no time zone, UTC is assumed."
    yield from _family("interval_end_timestamp_seconds", about, ends)
    states = [
        (_labels(row) | {"severity": state}, int(row["severity"] == state))
        for row in latest
        for state in STATES
    ]
    yield from _family("severity", "The severity of the write path: 1 for the one it has.", states)
    for name, column, unit, title in facts:
        values = [(_labels(row), row[column]) for row in latest if row[column] is not None]
        if values:
            yield from _family(re.sub(r"\W", "_", name), f"{title} ({unit})", values)
    yield "# EOF"


def _labels(row: dict[str, Any]) -> dict[str, str]:
    return {label: row[column] for label, column in _LABELS if row[column]}


def _family(name: str, about: str, values: Sequence[tuple[dict[str, str], float]]) -> Iterator[str]:
    name = f"awrlens_{name}"
    yield f"# TYPE {name} gauge"
    yield f"# HELP {name} {_escaped(about)}"
    for labels, value in values:
        said = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{said}}} {value:.12g}" if said else f"{name} {value:.12g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
