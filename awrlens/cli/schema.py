"""``awrlens schema``: JSON Schemas, of records from the annotations of their fields.

The type of a field may be annotated with a description (a text), with keywords of JSON Schema
(pairs, also ``if``, ``then`` and ``else``), or with the record that was converted to a
``dict[str, Any]``; so may the type of the keys of a dictionary.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

import click

from awrlens import extensions, model
from awrlens.model import (
    SEVERITIES,
    check_run,
    comparison,
    documents,
    finding,
    kinds,
    plain,
    trend,
    who,
)
from awrlens.render.json import document

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


def of_document(
    command: str,
    document: Any,  # noqa: ANN401 - a record or several
) -> dict[str, Any]:
    """The JSON Schema of a command's document."""
    return {"$schema": _DRAFT, "title": f"awrlens {command}", **of_type(document)}


of_analysis = partial(of_document, "analyze", model.Analysis)
of_check = partial(of_document, "check", check_run.CheckDocument)
of_comparison = partial(of_document, "compare", comparison.Comparison)
of_trend = partial(of_document, "trend", trend.Trend)


def require(schema: dict[str, Any], properties: dict[str, Any]) -> None:
    """Properties that a document has besides the fields of its record, or instead of them."""
    schema["properties"] |= properties
    schema["required"] += [name for name in properties if name not in schema["required"]]


def of_configuration() -> dict[str, Any]:
    """The JSON Schema of awrlens.toml, from the known thresholds."""
    from awrlens import config
    from awrlens.config import choices

    names = {"type": "array", "items": {"type": "string", "minLength": 1}}
    some = {"anyOf": [{"type": "string", "minLength": 1}, names]}
    text = {"type": "string", "minLength": 1}
    check = object_of(
        {
            "select": some, "ignore": some, "fail-on": some,
            "severity": {"type": "object", "additionalProperties": {"enum": list(SEVERITIES)}},
            "per-path-ignores": {"type": "object", "additionalProperties": some},
            "baseline": text,
            "fail-on-unassessable": {
                "type": "boolean", "description": "Skipped checks fail too.",
            },
            "information-uri": {"type": "string", "pattern": r"^https?://\S+$"},
        }
    )  # fmt: skip
    # `redo.slow_write_ms = 5` is a nested table; in quotes it is one key
    thresholds = object_of({})
    for name, threshold in choices.all_thresholds().items():
        said = {
            "description": f"{threshold.meaning} [{threshold.unit}]",
            "default": threshold.default,
            "anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}],
        }
        family, _, own = name.partition(".")
        table = thresholds["properties"].setdefault(family, object_of({}))
        table["properties"][own] = said
        thresholds["properties"][name] = said
    profile = object_of(
        {"about": {"type": "string"}, "device": text, "thresholds": thresholds, "check": check}
    )
    return {
        "$schema": _DRAFT,
        "title": config.FILE,
        **object_of(
            {
                "profile": text,
                "profiles": {"type": "object", "additionalProperties": profile},
                "device": text, "thresholds": thresholds, "check": check, "budgets": some,
                "plugins": {"anyOf": [{"type": "boolean"}, text, names]},
            }
        ),
    }  # fmt: skip


def object_of(properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object with these properties and no others."""
    return {"type": "object", "additionalProperties": False, "properties": properties}


_MADE: Final = extensions.placed(
    {
        "analyze": "awrlens.cli.schema:of_analysis", "check": "awrlens.cli.schema:of_check",
        "compare": "awrlens.cli.schema:of_comparison", "trend": "awrlens.cli.schema:of_trend",
        "config": "awrlens.cli.schema:of_configuration",
    },
    (
        (name, entry.place, entry.before)
        for extension in extensions.registered()
        for name, entry in extension.schemas.items()
    ),
)  # fmt: skip


@click.command()
@click.argument("command", default="analyze", type=click.Choice([*_MADE]))
def schema(command: str) -> None:
    """Print the JSON Schema of a command's JSON output, or of awrlens.toml (`config`).

    An editor with support for TOML schemas uses it to complete and check the file (taplo:
    `#:schema awrlens.schema.json` in the first line).
    """
    click.echo(document(extensions.load(_MADE[command])()))


_SIMPLE: Final[dict[Any, dict[str, Any]]] = {
    Any: {},
    type(None): {"type": "null"},
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    datetime: {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$"},
}
_TYPES: Final = (type, types.GenericAlias, types.UnionType)
#: Names that modules import for annotations only.
_NAMES: Final[dict[str, Any]] = {
    **vars(comparison), **vars(finding), **vars(kinds), **vars(plain), **vars(who), **vars(model),
    **vars(documents), "Mapping": Mapping, "datetime": datetime, "Recovery": dict[str, Any],
}  # fmt: skip


def of_type(document: Any) -> dict[str, Any]:  # noqa: ANN401 - a record, or several: ``A | B``
    """The schema of a document as plain data; the records in its fields become definitions."""
    definitions: dict[str, Any] = {}
    if typing.get_origin(document) is not None:
        return _type(document, definitions) | {"$defs": definitions}
    definitions[document.__name__] = None
    whole = _properties(document, definitions)
    del definitions[document.__name__]
    return whole | {"$defs": definitions}


def _properties(record: type, definitions: dict[str, Any]) -> dict[str, Any]:
    optional: frozenset[str] = getattr(record, "__optional_keys__", frozenset())
    names = {**_NAMES, **extensions.documents(), **vars(sys.modules[record.__module__])}
    if hasattr(record, "_fields"):
        texts = plain.hints(record)
        hints = {name: eval(text, names) for name, text in texts.items()}  # noqa: S307 - our own
        optional = frozenset(name for name, text in texts.items() if text.startswith("IfAny["))
    else:
        hints = typing.get_type_hints(record, localns=names, include_extras=True)
    properties: dict[str, Any] = {}
    for name, hint in hints.items():
        if plain.IN_PLACE in getattr(hint, "__metadata__", ()):
            properties |= _properties(typing.get_args(hint)[0], definitions)["properties"]
        else:
            properties[name] = _type(hint, definitions)
    return {
        "type": "object",
        "description": " ".join((record.__doc__ or "").split()),
        "additionalProperties": False,
        "required": [name for name in properties if name not in optional],
        "properties": properties,
    }


def _type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - annotations
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _annotated(args[0], hint.__metadata__, definitions)
    if origin is None and hint in _SIMPLE:
        return dict(_SIMPLE[hint])
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        schemas = [_type(arg, definitions) for arg in args]
        # types without more are a list, of which a message is easier to read
        simple = all(kind.keys() == {"type"} for kind in schemas)
        return {"type": [kind["type"] for kind in schemas]} if simple else {"anyOf": schemas}
    if origin in (dict, list, tuple, Mapping):
        return _container(origin, args, definitions)
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}  # a record may contain itself
        definitions[hint.__name__] = _properties(hint, definitions)
    # the whole document, which may contain itself, is no definition
    whole = definitions[hint.__name__] is None
    return {"$ref": "#" if whole else f"#/$defs/{hint.__name__}"}


def _container(origin: type, args: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if origin in (dict, Mapping):
        names = _type(args[0], definitions)
        limited = {} if names == _SIMPLE[str] else {"propertyNames": names}
        return {"type": "object", "additionalProperties": _type(args[1], definitions)} | limited
    if origin is list or args[-1] is Ellipsis:
        return {"type": "array", "items": _type(args[0], definitions)}
    items = [_type(arg, definitions) for arg in args]
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}


def _annotated(
    hint: Any,  # noqa: ANN401 - annotations
    about: tuple[Any, ...],
    definitions: dict[str, Any],
) -> dict[str, Any]:
    """A type with its description, keywords, or the record that was converted."""
    record = next((note for note in about if isinstance(note, _TYPES)), hint)
    texts = [("description", note) for note in about if isinstance(note, str)]
    limits = [(name, list(limit) if isinstance(limit, tuple) else limit)
              for name, limit in (note for note in about if isinstance(note, tuple))]  # fmt: skip
    return _type(record, definitions) | dict(texts) | dict(limits)
