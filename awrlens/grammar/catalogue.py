"""The compiled catalogue of sections: loaded in about a millisecond, never stale.

Sources are looked for in the package first (a wheel carries them) and beside it then (a
checkout or an editable install). When their checksum is not the catalogue's, they are compiled
in memory, and a sentence on standard error says so.
"""

from __future__ import annotations

import json
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from zlib import crc32

from awrlens.errors import GrammarError

_PACKAGE: Final = Path(__file__).parent
CATALOGUE: Final = _PACKAGE / "_catalogue.json"
#: Where the grammar sources may stand: in an installed package, in a checkout.
SOURCES: Final = (_PACKAGE.parent / "grammars", _PACKAGE.parent.parent / "grammars")

_BLANKS = re.compile(r"[\s\-\u00a0]+")
_DIGITS = re.compile(r"\d+")


@lru_cache(maxsize=4096)
def norm_heading(text: str) -> str:
    """A heading without blanks, hyphenation and case: text and HTML print the same letters."""
    return _BLANKS.sub("", text).lower().rstrip(":")


def norm_title(text: str) -> str:
    """A title without blanks and case, every number written ``#``."""
    return _DIGITS.sub("#", _BLANKS.sub("", text).lower()).rstrip(":")


class ColumnSpec(NamedTuple):
    """A canonical column: name, type, unit, and the headings it is printed under."""

    name: str
    type: str
    unit: str
    flags: tuple[str, ...]
    headings: dict[str, str | None]
    separator: str | None
    parts: tuple[ColumnSpec, ...]
    row: str = ""


class SectionSpec(NamedTuple):
    """The description of one section, for every release, text and HTML alike."""

    name: str
    titles: tuple[str, ...]
    about: str
    layout: str
    columns: tuple[ColumnSpec, ...]
    labels: dict[str, str]
    notes: tuple[ColumnSpec, ...]
    file: str
    #: Section and column that every row of this one turns into; see ``ColumnSpec.row``.
    turns: tuple[str, str] | None = None

    @property
    def key(self) -> str | None:
        """Name of the column that identifies a row, if one does."""
        return next((c.name for c in self.columns if "key" in c.flags), None)


class Catalogue:
    """All section descriptions, made into objects as they are asked for."""

    def __init__(self, data: dict[str, Any]) -> None:
        #: Each section's data, or the JSON text of it that nobody has asked for yet.
        self._sections: dict[str, Any] = data["sections"]
        self._titles: dict[str, list[str]] = data["titles"]
        self._specs: dict[str, SectionSpec] = {}
        self._by_title: dict[str, tuple[str, ...]] = {}
        #: Headings already matched with a section of a layout, and what stands over them; kept
        #: for the next report of a batch.
        self.matches: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], Any] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Canonical names of all sections, in the order of the sources."""
        return tuple(self._sections)

    def section(self, name: str) -> SectionSpec:
        """The description of one section; GrammarError when there is none."""
        spec = self._specs.get(name)
        if spec is None:
            try:
                data = self._sections[name]
            except KeyError:
                raise GrammarError(
                    f"There is no section {name}.",
                    hint="`awrlens grammar list` shows all of them.",
                ) from None
            spec = _spec(name, json.loads(data) if isinstance(data, str) else data)
            self._specs[name] = spec
        return spec

    def by_title(self, title: str) -> tuple[str, ...]:
        """Names of the sections a printed title may belong to.

        Titles run on into other text or are cut at 80 columns, so where no title is equal the
        longest catalogued one counts that the printed begins with and goes on after it with
        something else than a letter (``Host CPU (CPUs: 8``), and then those that begin with the
        printed one (at least eight letters of it).
        """
        found = self._by_title.get(title)
        if found is None:
            found = self._by_title[title] = tuple(self._find_title(norm_title(title)))
        return found

    def _find_title(self, norm: str) -> list[str]:
        if not norm:
            return []
        if norm in self._titles:
            return self._titles[norm]
        begun = [t for t in self._titles if norm.startswith(t) and not norm[len(t)].isalpha()]
        if begun:
            return self._titles[max(begun, key=len)]
        cut = [t for t in self._titles if len(norm) >= 8 and t.startswith(norm)]  # noqa: PLR2004
        return [name for t in cut for name in self._titles[t]]


def _spec(name: str, data: dict[str, Any]) -> SectionSpec:
    return SectionSpec(
        name=name,
        titles=tuple(data["titles"]),
        about=data["about"],
        layout=data["layout"],
        columns=tuple(_column(c) for c in data["columns"]),
        labels=data.get("labels", {}),
        notes=tuple(_column(c) for c in data.get("notes", ())),
        file=data["file"],
        turns=tuple(data["turns"]) if "turns" in data else None,
    )


def _column(data: dict[str, Any]) -> ColumnSpec:
    return ColumnSpec(
        name=data["name"],
        type=data["type"],
        unit=data["unit"],
        flags=tuple(data.get("flags", ())),
        headings={h[0]: h[1] if len(h) > 1 else None for h in data.get("headings", ())},
        separator=data.get("separator"),
        parts=tuple(_column(p) for p in data.get("parts", ())),
        row=data.get("row", ""),
    )


def read_sources() -> dict[str, str]:
    """Grammar texts by file name; GrammarError when the folder is missing."""
    for folder in SOURCES:
        if folder.is_dir():
            return {p.name: p.read_text(encoding="utf-8") for p in sorted(folder.glob("*.awg"))}
    raise GrammarError(
        "The folder grammars/ was not found.", hint="Reinstall awrlens or use a whole checkout."
    )


def checksum(sources: dict[str, str]) -> str:
    """A checksum over names and texts of the sources (against mistakes, not against malice)."""
    value = 0
    for name, text in sorted(sources.items()):
        value = crc32(f"{name}\0{text}\0".encode(), value)
    return f"{value:08x}-{sum(map(len, sources.values()))}"


_loaded: list[Catalogue] = []


def load() -> Catalogue:
    """The catalogue, from the compiled file when that is up to date, else compiled in memory."""
    if not _loaded:
        _loaded.append(_load())
    return _loaded[0]


def read_compiled(text: str) -> dict[str, Any]:
    """The catalogue's data from its file; sections stay JSON text until they are asked for.

    The file is JSON with a section on each line (``compile.render`` writes it so).
    """
    head, _, rest = text.partition('"sections": {\n')
    body, _, tail = rest.partition("\n }")
    data: dict[str, Any] = json.loads(f"{head.rstrip().rstrip(',')}{tail}")
    pairs = (line.partition(": ") for line in body.split("\n"))
    data["sections"] = {name.strip(' "'): section.rstrip(",") for name, _, section in pairs}
    return data


def _load() -> Catalogue:
    sources = read_sources()
    data: dict[str, Any] | None = None
    if CATALOGUE.exists():
        data = read_compiled(CATALOGUE.read_text(encoding="utf-8"))
    if data is None or data["checksum"] != checksum(sources):
        from awrlens.grammar.compile import compile_sources  # noqa: PLC0415 - see the docstring

        sys.stderr.write(
            "awrlens: grammars/ has changed since it was compiled; "
            "compiling in memory (`awrlens grammar compile` makes it permanent)\n"
        )
        data = compile_sources(sources)
    return Catalogue(data)
