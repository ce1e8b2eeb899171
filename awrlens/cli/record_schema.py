"""JSON Schemas of records, from the annotations of their fields, so that they cannot differ.

The type of a field may be annotated with a description (a text), with keywords of JSON Schema
(pairs, also ``if``, ``then`` and ``else``), or with the record that was converted to a
``dict[str, Any]``; so may the type of the keys of a dictionary. What depends on the kind of report
is not expressed: that ``instances``, for example, is only in the document of a cluster.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from awrlens.model import Change, Note, Reason, Severity, Status
from awrlens.model.comparison import Per

_SIMPLE: Final[dict[Any, dict[str, Any]]] = {
    Any: {},
    type(None): {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    datetime: {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$"},
}
#: Names that modules import for annotations only.
_NAMES: Final = {
    "Change": Change, "Mapping": Mapping, "Note": Note, "Per": Per, "Reason": Reason,
    "Severity": Severity, "Status": Status, "datetime": datetime,
}  # fmt: skip


def of_type(document: Any) -> dict[str, Any]:  # noqa: ANN401 - a record, or several: ``A | B``
    """The schema of a document as plain data; the records in its fields become definitions."""
    definitions: dict[str, Any] = {}
    if get_origin(document) is not None:
        return _type(document, definitions) | {"$defs": definitions}
    definitions[document.__name__] = None
    whole = _properties(document, definitions)
    del definitions[document.__name__]
    return whole | {"$defs": definitions}


def _properties(record: type, definitions: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(record, localns=_NAMES, include_extras=True)
    optional: frozenset[str] = getattr(record, "__optional_keys__", frozenset())
    return {
        "type": "object",
        "description": " ".join((record.__doc__ or "").split()),
        "additionalProperties": False,
        "required": [name for name in hints if name not in optional],
        "properties": {name: _type(hint, definitions) for name, hint in hints.items()},
    }


def _type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - annotations
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(args[0], hint.__metadata__, definitions)
    if origin is None and hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return _one_of([_type(each, definitions) for each in args])
    if origin in (dict, list, tuple, Mapping):
        return _container(origin, args, definitions)
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}  # a record may contain itself
        definitions[hint.__name__] = _properties(hint, definitions)
    # the whole document, which may contain itself, is no definition
    whole = definitions[hint.__name__] is None
    return {"$ref": "#" if whole else f"#/$defs/{hint.__name__}"}


def _one_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Any of some schemas; types without more are a list, of which a message is easier to read."""
    if all(each.keys() == {"type"} for each in found):
        return {"type": [each["type"] for each in found]}
    return {"anyOf": found}


def _container(origin: type, args: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if origin in (dict, Mapping):
        names = _type(args[0], definitions)
        limited = {} if names == _SIMPLE[str] else {"propertyNames": names}
        return {"type": "object", "additionalProperties": _type(args[1], definitions)} | limited
    if origin is list or args[-1] is Ellipsis:
        return {"type": "array", "items": _type(args[0], definitions)}
    items = [_type(each, definitions) for each in args]
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}


def _annotated(
    hint: Any,  # noqa: ANN401 - annotations
    about: tuple[Any, ...], definitions: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """A type with its description, keywords, or the record that was converted."""
    record = next((each for each in about if isinstance(each, type)), hint)
    texts = [("description", each) for each in about if isinstance(each, str)]
    limits = [(name, list(limit) if isinstance(limit, tuple) else limit)
              for name, limit in (each for each in about if isinstance(each, tuple))]  # fmt: skip
    return _type(record, definitions) | dict(texts) | dict(limits)
