"""What the JSON documents of reports have besides their records, key by key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from awrlens.model import trend
from awrlens.model.fact import Evidence, Status
from awrlens.model.kinds import REPORT_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    #: What a satellite that knows recovery says of it (``Extension.documents``).
    Recovery = Mapping[str, Any]


Kind = Annotated[
    str,
    ("enum", (*REPORT_KINDS, "sqlserver-errorlog", "sqlserver-xevents", "oracle-alert-log")),
]
Unit = Annotated[str, ("enum", (*trend.UNITS, "name", "names"))]


class FactDocument(TypedDict):
    """A quantity with its unit and the cells that it comes from."""

    value: float | str | list[str] | None
    unit: Unit
    status: Status
    evidence: list[Evidence]
    formula: str
    note: str


#: A fact that is not available has no value, and a note that says why; every other has a value.
KnownOrNot = Annotated[
    FactDocument,
    ("if", {"properties": {"status": {"const": "unavailable"}}}),
    ("then", {"properties": {"value": {"type": "null"}, "note": {"minLength": 1}}}),
    ("else", {"properties": {"value": {"not": {"type": "null"}}}}),
]
