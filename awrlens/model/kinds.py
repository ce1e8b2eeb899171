"""Kinds of numbers and texts in the fields of records, with their limits in a JSON Schema."""

from __future__ import annotations

from typing import Annotated, Final, Literal

FactName = Annotated[str, ("pattern", r"^[a-z]+\.[a-z0-9_]+$")]
#: How many there are, and of those that are always one at least.
Count = Annotated[int, ("minimum", 0)]
Positive = Annotated[int, ("minimum", 1)]
Amount = Annotated[float, ("minimum", 0)]
Words = Annotated[str, ("minLength", 1)]
Line = Annotated[int, ("minimum", 1)]
#: The ids of the rules of awrlens; the id of a rule, of awrlens or a plugin, or of a budget.
OUR_RULE: Final = r"^(REDO|TEMP|UNDO|CKPT|RECO|INTG|SQLS)\d{3}$"
RuleId = Annotated[str, ("pattern", "^([A-Z]{2,8}[0-9]{3}|BUDGET-[0-9A-F]{8})$")]
REPORT_KINDS: Final = (
    "statspack-text", "awr-text", "awr-html", "awr-rac-text", "awr-rac-html", "awr-diff-text",
    "awr-diff-html",
)  # fmt: skip
ReportKind = Annotated[str, ("enum", REPORT_KINDS)]
#: The name of a pattern or of a recommendation.
Name = Annotated[str, ("pattern", "^[a-z0-9]+(-[a-z0-9]+)*$")]
#: A recovery target, in seconds.
Target = Annotated[int | None, ("minimum", 0), ("maximum", 3600)]
#: Day or moment, without time zone.
Time = Annotated[str | None, ("pattern", r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2})?$")]
#: The divisor of an amount; ``none``: it is compared as it is.
Per = Literal["none", "second", "transaction", "execute"]
#: The result of a comparison as a whole.
Direction = Literal["worse", "better", "mixed", "same", "unknown"]
Grade = Literal["comparable", "limited", "not-comparable"]
