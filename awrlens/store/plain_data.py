"""Values as plain data and back, by the types of their fields.

Fields that a value has gained since it was written get their defaults; fields that it has lost are
ignored. Evidence keeps its line number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from awrlens.model import Evidence, Excerpt, Fact, analysis, comparison, fact, finding

_Value = TypeVar("_Value")
#: What annotations of these modules may name; parts of documents are plain data.
_NAMES: Final = vars(comparison) | vars(analysis) | vars(finding) | vars(fact) | {
    "Callable": Callable, "Mapping": Mapping, "Any": Any,
    "IdentityDocument": dict, "MeasuredRecovery": dict, "PredictedRecovery": dict,
}  # fmt: skip

_SIMPLE: Final = {str, int, float, bool}


def plain(value: object) -> Any:  # noqa: ANN401 - plain data of any kind
    """A value as dictionaries, lists, texts and numbers."""
    kind = type(value)
    if value is None or kind in _SIMPLE:
        return value
    if kind is Fact:
        return _fact(cast("Fact", value))
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in zip(_fields(value), value, strict=True)}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    return value


def _fact(fact: Fact) -> dict[str, Any]:
    """A fact and its evidence, which are most of an analysis."""
    value = fact.value
    return {
        "name": fact.name,
        "value": list(value) if isinstance(value, tuple) else value,
        "unit": fact.unit,
        "status": fact.status,
        "evidence": [
            {
                "section": each.section, "row": each.row, "column": each.column,
                "text": each.text, "value": each.value, "line": each.line,
            }
            for each in fact.evidence
        ],
        "formula": fact.formula,
        "note": fact.note,
        "sections": fact.sections,
    }  # fmt: skip


def _fields(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - a named tuple
    names: tuple[str, ...] = value._fields
    return names


def revived(kind: type[_Value], data: Any) -> _Value:  # noqa: ANN401 - plain data
    """A value of its plain data."""
    return cast("_Value", _revived(kind, data))


def _revived(kind: Any, data: Any) -> Any:  # noqa: ANN401 - a type and plain data
    if data is None or kind is Fact:
        return data and _revived_fact(data)
    if kind is Evidence:
        line = data["line"]
        known = {name: data[name] for name in ("section", "row", "column", "text", "value")}
        return Evidence(**known, find_line=lambda: line, find_excerpt=lambda: _NOWHERE)
    if hasattr(kind, "_fields"):
        types = _types(kind)
        return kind(**{name: _revived(types[name], data[name]) for name in types if name in data})
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of([each for each in inner if each is not NoneType], data)
    if origin is tuple and isinstance(data, list):
        if len(inner) == 2 and inner[1] is Ellipsis:  # noqa: PLR2004 - tuple[X, ...]
            return tuple(_revived(inner[0], each) for each in data)
        return tuple(_revived(each, item) for each, item in zip(inner, data, strict=True))
    if origin is Mapping:
        return {name: _revived(inner[1], each) for name, each in data.items()}
    return data


def _revived_fact(data: Any) -> Fact:  # noqa: ANN401 - plain data
    known = {name: data[name] for name in ("name", "value", "unit", "status") if name in data}
    known |= {name: data[name] for name in ("formula", "note") if name in data}
    evidence = tuple(_revived(Evidence, each) for each in data.get("evidence", ()))
    value, sections = data["value"], tuple(data.get("sections", ()))
    known["value"] = tuple(value) if isinstance(value, list) else value
    return Fact(**known, evidence=evidence, sections=sections)


def _one_of(kinds: list[Any], data: Any) -> Any:  # noqa: ANN401 - types and plain data
    if len(kinds) == 1:
        return _revived(kinds[0], data)
    several = next((each for each in kinds if get_origin(each) is tuple), None)
    return _revived(several, data) if several is not None and isinstance(data, list) else data


@cache
def _types(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - a named tuple
    found = get_type_hints(kind, globalns=_NAMES)
    return {name: found[name] for name in kind._fields}


_NOWHERE: Final = Excerpt((), "", 0, 0)
