"""HTML pages: templates, escaping, footer, and a page of blocks; jinja2 escapes every value.

To compile the templates of a page takes as long as to analyze a report and to fill them, so
compiled templates are kept where Python keeps compiled modules.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from awrlens.lazy import NamedTuple, regex
from awrlens.render import blocks as b
from awrlens.render.lines import ICONS, NO_BREAK
from awrlens.render.wording import COMMAND, COMMAND_LINE, percent, safe
from awrlens.source import files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from jinja2 import BytecodeCache, Environment
    from jinja2.bccache import Bucket
    from markupsafe import Markup


#: Scripts and style sheets, which are ours and in which a browser reads no entities.
_OURS: Final = regex(r"(<(?:script|style)\b[^>]*>.*?</(?:script|style)>)", re.S)
#: The spaces of a number with its unit, and of a duration.
_BEFORE_UNIT: Final = regex(r"(?<=\d) (?=\S)|(?<=<) (?=\d)|(?<=\d [dh]) (?=\d)")
#: How templates are compiled.
_OPTIONS: Final[Mapping[str, Any]] = {"trim_blocks": True, "lstrip_blocks": True}


class Extras(NamedTuple):
    """Additional content of a page: thresholds in force, and the version of awrlens."""

    version: str
    thresholds: Sequence[Mapping[str, Any]] = ()
    file: str | None = None


def fill(template: str, extras: Extras, **values: Any) -> str:  # noqa: ANN401 - of the template
    """A template of this package, filled with safe and escaped values."""
    return inert(_environment().get_template(template).render(extras=extras, **values).lstrip())


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("awrlens.render"), autoescape=True, undefined=StrictUndefined,
        finalize=lambda value: safe(value) if type(value) is str else value,
        bytecode_cache=kept(_OPTIONS), **_OPTIONS,
    )  # fmt: skip
    environment.filters.update(FILTERS)
    return environment


def inert(page: str) -> str:
    """The same page to a browser, of which a CI server takes no line for a command."""
    return "".join(
        COMMAND.sub(r"\\u0023", piece)  # data of a report, in strings of JSON on one line
        if number % 2
        else COMMAND.sub("&#35;", COMMAND_LINE.sub(r"\1&#58;", piece))
        for number, piece in enumerate(_OURS.split(page))
    )


def code(text: str) -> Markup:
    """Escaped text; paired backticks mark code."""
    from markupsafe import Markup, escape

    pieces = safe(text).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backtick does not mark code
        return escape(safe(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else escape(piece)
        for number, piece in enumerate(pieces)
    )


def _printed(text: str) -> Markup:
    """Escaped text that keeps its line ends."""
    from markupsafe import Markup, escape

    return Markup("\n").join(escape(safe(line)) for line in text.split("\n"))


def kept(options: Mapping[str, Any]) -> BytecodeCache:
    """Keeps the code of templates in ``__pycache__``, if Python keeps that of modules.

    It is used for the same template, options, Python and jinja2 only; what is damaged is replaced.
    """
    import jinja2

    class Kept(jinja2.BytecodeCache):
        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            return cache_from_source(f"{filename or name}.py")

        def get_source_checksum(self, source: str) -> str:
            return super().get_source_checksum(f"{jinja2.__version__} {options} {source}")

        def load_bytecode(self, bucket: Bucket) -> None:
            try:
                with Path(bucket.key).open("rb") as file:
                    bucket.load_bytecode(file)
            except Exception:  # noqa: BLE001 - a damaged pickle raises anything
                bucket.reset()

        def dump_bytecode(self, bucket: Bucket) -> None:
            if sys.dont_write_bytecode:
                return
            with suppress(OSError):
                Path(bucket.key).parent.mkdir(parents=True, exist_ok=True)
                files.write(bucket.key, bucket.bytecode_to_string())

    return Kept()


#: Number of shades of a color in a bar, some with a pattern: they differ without color, too.
_SHADES: Final = 6


def text(page: b.Page, extras: Extras) -> str:
    """The whole page; headings with an anchor make its navigation."""
    return fill("page.html.j2", extras, page=page)


def _headings(blocks: Iterable[b.Block]) -> list[tuple[str, str]]:
    return [
        (block.anchor, block.text if isinstance(block, b.Heading) else block.summary)
        for block in blocks
        if isinstance(block, b.Heading | b.Fold) and block.anchor
    ]


def _groups(table: b.Table) -> list[str]:
    """The groups by which the rows can be filtered; none if all are in one."""
    groups = list(dict.fromkeys(row.group for row in table.rows if row.group))
    return groups if len(groups) > 1 else []


def _place(block: b.Bars, value: float) -> str:
    """The position of a value on the axis, in per cent."""
    return f"{100 * min(max(value, 0.0), block.high) / (block.high or 1.0):.2f}"


def _extent(block: b.Bars, piece: b.Piece) -> str:
    return f"{abs(float(_place(block, piece.end)) - float(_place(block, piece.begin))):.2f}"


def _legend(block: b.Bars) -> list[b.Piece]:
    return list({p.name: p for row in block.rows for p in row.pieces if p.name}.values())


def _shade(name: str, parts: Iterable[Any]) -> str:
    """The class of a pattern, so that parts of one color differ."""
    names = [part.name for part in parts]
    return f"s{names.index(name) % _SHADES}" if name in names else ""


def _cells(signs: str) -> list[tuple[str, str]]:
    """The severity of every sign, and the sign."""
    names = {sign: name for name, sign in ICONS.items()}
    return [(names.get(sign, ""), sign) for sign in signs]


def _spark(course: b.Course) -> Iterator[str]:
    """The lines of a sparkline of 100 by 20; missing values make gaps."""
    values = [value for value in course.values if value is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    last = max(len(course.values) - 1, 1)
    points: list[str] = []
    for n, value in enumerate([*course.values, None]):
        if value is not None:
            up = (value - low) / (high - low) if high > low else 0.0
            points.append(f"{100 * n / last:.1f},{19 - 18 * up:.1f}")
        elif points:
            # a single point is a short line
            yield " ".join(points if len(points) > 1 else points * 2)
            points = []


#: What templates call.
FILTERS: Final[Mapping[str, Callable[..., object]]] = {
    "code": code, "printed": _printed, "percent": percent, "headings": _headings,
    "kind": lambda block: type(block).__name__, "groups": _groups, "place": _place,
    "extent": _extent, "legend": _legend, "shade": _shade,
    # a number stays on the line of its unit
    "unbroken": lambda text: _BEFORE_UNIT.sub(NO_BREAK, text), "cells": _cells, "spark": _spark,
}  # fmt: skip
