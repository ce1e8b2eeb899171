"""Common parts of HTML pages: templates, escaping and footer."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import regex
from awrlens.records import NamedTuple
from awrlens.render.present import COMMAND, COMMAND_LINE, safe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Environment
    from markupsafe import Markup


#: Scripts and style sheets, which are ours and in which a browser reads no entities.
_OURS: Final = regex(r"(<(?:script|style)\b[^>]*>.*?</(?:script|style)>)", re.S)


#: How templates are compiled.
_OPTIONS: Final[Mapping[str, Any]] = {"trim_blocks": True, "lstrip_blocks": True}


class Extras(NamedTuple):
    """Additional content of a page: thresholds in force, and the version of awrlens."""

    version: str
    thresholds: Sequence[Mapping[str, Any]] = ()
    file: str | None = None


def fill(
    template: str,
    extras: Extras,
    filters: Mapping[str, Callable[..., object]] | None = None,
    **values: Any,  # noqa: ANN401 - values of the template
) -> str:
    """A template of this package, filled with escaped values."""
    found = _environment(tuple((filters or {}).items())).get_template(template)
    return inert(found.render(extras=extras, **values).lstrip())


@cache
def _environment(filters: tuple[tuple[str, Callable[..., object]], ...]) -> Environment:
    """Templates with these filters."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from awrlens.render.compiled_templates import kept  # noqa: PLC0415 - imports jinja2

    found = Environment(
        loader=PackageLoader("awrlens.render"),
        autoescape=True,
        undefined=StrictUndefined,
        bytecode_cache=kept(_OPTIONS),
        **_OPTIONS,
    )
    found.filters.update({"code": _code, "safe_text": safe, **dict(filters)})
    return found


def inert(page: str) -> str:
    """The same page to a browser, of which a CI server takes no line for a command."""
    return "".join(
        COMMAND.sub(r"\\u0023", piece)  # data of a report, in strings of JSON on one line
        if number % 2
        else COMMAND.sub("&#35;", COMMAND_LINE.sub(r"\1&#58;", piece))
        for number, piece in enumerate(_OURS.split(page))
    )


def _code(text: str) -> Markup:
    """Escaped text; paired backticks mark code."""
    from markupsafe import Markup, escape  # noqa: PLC0415 - comes with jinja2

    pieces = safe(text).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick does not mark code
        return escape(safe(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece)
        for number, piece in enumerate(pieces)
    )
