"""``awrlens schema``: the JSON Schemas of the JSON outputs and of the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from awrlens.errors import EXIT_OK
from awrlens.model import SEVERITIES
from awrlens.render.json import document

if TYPE_CHECKING:
    from awrlens.policy import Threshold

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


def of_analysis() -> dict[str, Any]:
    """The JSON Schema of ``awrlens analyze`` and of ``awrlens recovery``."""
    from awrlens.model.analysis_document import AnalysisDocument  # noqa: PLC0415 - not for others

    return _of("analyze", AnalysisDocument)


def of_fleet() -> dict[str, Any]:
    """The JSON Schema of ``awrlens fleet``."""
    from awrlens.model.fleet import FLEET_SCHEMA_VERSION, Fleet  # noqa: PLC0415

    whole = _of("fleet", Fleet)
    counts: dict[str, Any] = {each: {"type": "integer", "minimum": 0} for each in SEVERITIES}
    _require(whole, {
        "schema_version": {"const": FLEET_SCHEMA_VERSION},
        "severities": _table(counts) | {"required": list(counts)},
    })  # fmt: skip
    return whole


def of_check() -> dict[str, Any]:
    """The JSON Schema of ``awrlens check``."""
    from awrlens.model.check_document import CheckDocument  # noqa: PLC0415 - not for the others

    return _of("check", CheckDocument)


def of_comparison() -> dict[str, Any]:
    """The JSON Schema of ``awrlens compare``."""
    from awrlens.model import SCHEMA_VERSION  # noqa: PLC0415 - not for the others
    from awrlens.model.comparison import Comparison  # noqa: PLC0415

    whole = _of("compare", Comparison)
    part = _table({"name": {"type": "string"}, "comparison": {"$ref": "#"}})
    _require(whole, {
        "schema_version": {"const": SCHEMA_VERSION}, "kind": {"const": "comparison"},
        "parts": {"type": "array", "items": part | {"required": ["name", "comparison"]}},
    })  # fmt: skip
    _require(whole["$defs"]["Side"], {"reports": {"type": "integer", "minimum": 1}})
    return whole


def of_trend() -> dict[str, Any]:
    """The JSON Schema of ``awrlens trend``."""
    from awrlens.model.trend_document import TrendDocument  # noqa: PLC0415 - not for the others

    return _of("trend", TrendDocument)


def of_mttr() -> dict[str, Any]:
    """The JSON Schema of ``awrlens mttr``: a target, the targets of a report, or the curve."""
    from awrlens.model import mttr_document as known  # noqa: PLC0415 - not for the others

    return _of("mttr", known.TargetDocument | known.AdviceDocument | known.CurveDocument)


def of_query() -> dict[str, Any]:
    """The JSON Schema of ``awrlens query``."""
    from awrlens.store.export import Rows  # noqa: PLC0415 - not for the others

    return _of("query", Rows)


def of_simulation() -> dict[str, Any]:
    """The JSON Schema of ``awrlens recovery simulate``."""
    from awrlens.model.simulation_document import SimulationDocument  # noqa: PLC0415

    return _of("recovery simulate", SimulationDocument)


def _require(schema: dict[str, Any], properties: dict[str, Any]) -> None:
    """Properties that a document has besides the fields of its record, or instead of them."""
    schema["properties"] |= properties
    schema["required"] += [name for name in properties if name not in schema["required"]]


def _of(command: str, document: Any) -> dict[str, Any]:  # noqa: ANN401 - a record or several
    from awrlens.cli.record_schema import of_type  # noqa: PLC0415 - not for the others

    return {"$schema": _DRAFT, "title": f"awrlens {command}", **of_type(document)}


def of_configuration() -> dict[str, Any]:
    """The JSON Schema of awrlens.toml, from the known thresholds."""
    from awrlens import config  # noqa: PLC0415 - not for the others
    from awrlens.config import choices  # noqa: PLC0415 - not for the others

    names = {"type": "array", "items": {"type": "string", "minLength": 1}}
    some = {"anyOf": [{"type": "string", "minLength": 1}, names]}
    text = {"type": "string", "minLength": 1}
    check = _table(
        {
            "select": some, "extend-select": some, "ignore": some, "fail-on": some,
            "severity": {"type": "object", "additionalProperties": {"enum": list(SEVERITIES)}},
            "per-path-ignores": {"type": "object", "additionalProperties": some},
            "baseline": text,
            "fail-on-unassessable": {
                "type": "boolean", "description": "Skipped checks fail too.",
            },
            "information-uri": {"type": "string", "pattern": r"^https?://\S+$"},
        }
    )  # fmt: skip
    thresholds = _thresholds(choices.known())
    profile = _table(
        {"about": {"type": "string"}, "device": text, "thresholds": thresholds, "check": check}
    )
    return {
        "$schema": _DRAFT,
        "title": config.FILE,
        **_table(
            {
                "profile": text,
                "profiles": {"type": "object", "additionalProperties": profile},
                "device": text, "thresholds": thresholds, "check": check, "budgets": some,
                "plugins": {"anyOf": [{"type": "boolean"}, text, names]},
            }
        ),
    }  # fmt: skip


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _thresholds(known: dict[str, Threshold]) -> dict[str, Any]:
    """`redo.slow_write_ms = 5` is a nested table; in quotes it is one key."""
    whole = _table({})
    for name, each in known.items():
        said = {
            "description": f"{each.meaning} [{each.unit}]",
            "default": each.default,
            "anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}],
        }
        family, _, own = name.partition(".")
        table = whole["properties"].setdefault(family, _table({}))
        table["properties"][own] = said
        whole["properties"][name] = said
    return whole


_MADE: Final = {
    "analyze": of_analysis, "check": of_check, "compare": of_comparison, "trend": of_trend,
    "fleet": of_fleet, "simulate": of_simulation, "mttr": of_mttr, "query": of_query,
    "config": of_configuration,
}  # fmt: skip


@click.command()
@click.argument("command", default="analyze", type=click.Choice([*_MADE]))
def schema(command: str) -> int:
    """Print the JSON Schema of a command's JSON output, or of awrlens.toml (`config`).

    An editor with support for TOML schemas uses it to complete and check the file (taplo:
    `#:schema awrlens.schema.json` in the first line).
    """
    click.echo(document(_MADE[command]()))
    return EXIT_OK
