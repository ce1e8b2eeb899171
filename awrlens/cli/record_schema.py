"""JSON Schemas of records, from the annotations of their fields, so that they cannot differ."""

from __future__ import annotations

import types
from datetime import datetime
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from awrlens.model import Severity

_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}
#: Names that modules import for annotations only.
_NAMES: Final = {"datetime": datetime, "Severity": Severity}


def of_record(record: type) -> dict[str, Any]:
    """The schema of a record as plain data; the records in its fields become definitions."""
    definitions: dict[str, Any] = {}
    return _properties(record, definitions) | {"$defs": definitions}


def _properties(record: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(record, localns=_NAMES)
    return {
        "type": "object",
        "description": " ".join((record.__doc__ or "").split()),
        "additionalProperties": False,
        "required": list(hints),
        "properties": {name: _type(hint, definitions) for name, hint in hints.items()},
    }


def _type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - annotations
    if hint is type(None):
        return {"type": "null"}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if hint in _TYPES:
        return {"type": _TYPES[hint]}
    origin, args = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_type(each, definitions) for each in args]}
    if origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": _type(args[0], definitions)}
    if origin is tuple:
        items = [_type(each, definitions) for each in args]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}  # a record may contain itself
        definitions[hint.__name__] = _properties(hint, definitions)
    return {"$ref": f"#/$defs/{hint.__name__}"}
