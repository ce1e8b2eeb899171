"""The compiled catalogue of sections, which loads in about 1 ms.

``tools/grammar.py`` compiles it from ``grammars/``; `make lint` fails if it is not current.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import Counter
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, TypeVar

from awrlens.errors import GrammarError
from awrlens.lazy import NamedTuple, lazy, regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CATALOGUE: Final = f"{os.path.dirname(__file__)}/_catalogue.json"

_BLANKS = regex(r"[\s\-\u00a0]+")
_DIGITS = regex(r"\d+")
_FIGURES = regex(r"\d+(?:\.\d+)?")


@lru_cache(maxsize=4096)
def norm_heading(text: str) -> str:
    """A heading without blanks, hyphens and case, as text and HTML differ in these."""
    return _BLANKS.sub("", text).lower().rstrip(":")


def norm_title(text: str) -> str:
    """A title without blanks and case, every number written ``#``."""
    return _DIGITS.sub("#", _BLANKS.sub("", text).lower()).rstrip(":")


#: Number of results cached for the next report of a batch.
_KEPT: Final = 2**14
T = TypeVar("T")


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
    #: Target section and column of the rows of this section; see ``ColumnSpec.row``.
    turns: tuple[str, str] | None = None
    #: Whether a report prints its title more than once, over different tables.
    repeats: bool = False
    #: Units of the rows whose values do not have the unit of their column, by label.
    units: Mapping[str, str] = {}
    #: Adjacent headings that may be printed above other columns, the names of these columns, and
    #: two columns of which the first is never above the second: the figures show which it is.
    orders: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, str]], ...] = ()

    def unit_of(self, label: str) -> str | None:
        """The unit of a row, as printed, if it is not that of its columns."""
        return self.units.get(self.labels.get(norm_heading(label), "")) if self.units else None

    @property
    def key(self) -> str | None:
        """Name of the column that identifies a row, if any."""
        return next((c.name for c in self.columns if "key" in c.flags), None)


class Catalogue:
    """All section descriptions; objects are created on first use."""

    def __init__(self, data: dict[str, Any]) -> None:
        #: Every section: its line of the file, or its data, and after first use its description.
        self._sections: dict[str, Any] = dict(data["sections"])
        #: Canonical names of all sections, in the order of the sources.
        self.names: tuple[str, ...] = tuple(self._sections)
        self._titles: dict[str, list[str]] = data["titles"]
        #: Sections of labels, each printed once.
        self.labelled: frozenset[str] = frozenset(data["labelled"])
        #: The first release that prints a section, if described.
        self.since: dict[str, str] = data["since"]
        self._headings: dict[str, frozenset[str]] = {}
        self._by_title: dict[str, tuple[str, ...]] = {}
        self._kept: dict[tuple[object, ...], Any] = {}

    def section(self, name: str) -> SectionSpec:
        """The description of one section; GrammarError if there is none."""
        spec = self._sections.get(name)
        if isinstance(spec, SectionSpec):
            return spec
        if spec is None:
            hint = "`awrlens grammar list` shows all sections."
            raise GrammarError(f"There is no section {name}.", hint=hint)
        if isinstance(spec, bytes):
            spec = json.loads(spec[spec.find(b"{") : spec.rfind(b"}") + 1])
        described = self._sections[name] = _spec(name, spec)
        return described

    def kept(self, key: tuple[object, ...], match: Callable[[], T]) -> T:
        """The columns of headings, matched once for all reports of a batch."""
        matched: T | None = self._kept.get(key)
        if matched is None:
            matched = match()
            if len(self._kept) < _KEPT:
                self._kept[key] = matched
        return matched

    def headings(self, name: str) -> frozenset[str]:
        """All headings of a section's columns."""
        if name not in self._headings:
            columns = self.section(name).columns
            self._headings[name] = frozenset(h for column in columns for h in column.headings)
        return self._headings[name]

    def by_title(self, title: str) -> tuple[str, ...]:
        """Names of the sections that match a printed title.

        If none is equal, the longest known one that begins it (``Host CPU (CPUs: 8``) matches, else
        those that begin with it, if it has at least eight letters: titles are cut at 80 columns.
        """
        names = self._by_title.get(title)
        if names is None:
            names = tuple(self._find_title(norm_title(title)))
            if len(self._by_title) < _KEPT:
                self._by_title[title] = names
        return names

    def of_title(self, title: str) -> list[SectionSpec]:
        """The descriptions of these sections."""
        return [self.section(name) for name in self.by_title(title)]

    def is_title(self, text: str) -> bool:
        """Whether a text is exactly the title of a section."""
        return norm_title(text) in self._titles

    def _find_title(self, norm: str) -> list[str]:
        if not norm:
            return []
        if norm in self._titles:
            return self._titles[norm]
        lengths = (n for n in self._lengths if n < len(norm) and not norm[n].isalpha())
        begun = next((norm[:n] for n in lengths if norm[:n] in self._titles), None)
        if begun is not None:
            return self._titles[begun]
        if len(norm) < 8:  # noqa: PLR2004
            return []
        cut = self._sorted[bisect_left(self._sorted, norm) :]
        begins = set(takewhile(lambda title: title.startswith(norm), cut))
        # in the order of the sources
        titles = [t for t in self._titles if t in begins] if len(begins) > 1 else begins
        return [name for t in titles for name in self._titles[t]]

    @lazy
    def _sorted(self) -> list[str]:
        return sorted(self._titles)

    @lazy
    def _lengths(self) -> list[int]:
        return sorted({len(title) for title in self._titles}, reverse=True)

    @lazy
    def titles(self) -> frozenset[str]:
        """All titles without blanks, hyphens and case."""
        sections = map(self.section, self.names)
        return frozenset(norm_heading(title) for spec in sections for title in spec.titles)

    @lazy
    def _by_heading(self) -> dict[str, set[str]]:
        sections: dict[str, set[str]] = {}
        for name in self.names:
            for heading in self.headings(name):
                sections.setdefault(heading, set()).add(name)
        return sections

    def knowing(self, headings: Iterable[str], least: int) -> frozenset[str]:
        """Sections with at least a minimum number of the headings."""
        counts = Counter(
            name
            for heading in headings
            for name in {
                *self._by_heading.get(heading, ()),
                *self._by_heading.get(_FIGURES.sub("#", heading), ()),
            }
        )
        return frozenset(name for name, count in counts.items() if count >= least)

    @lazy
    def _by_label(self) -> dict[str, list[str]]:
        sections: dict[str, list[str]] = {}
        for spec in map(self.section, self.names):
            for label in spec.labels if spec.layout == "labels" else ():
                sections.setdefault(label, []).append(spec.name)
        return sections

    def knowing_labels(self, labels: Iterable[str]) -> dict[str, int]:
        """Sections of labels with the number of labels they contain."""
        return Counter(name for label in labels for name in self._by_label.get(label, ()))


def _spec(name: str, data: dict[str, Any]) -> SectionSpec:
    optional = data.get
    return SectionSpec(
        name, tuple(data["titles"]), data["about"], data["layout"],
        tuple(map(_column, data["columns"])), optional("labels", {}),
        tuple(map(_column, optional("notes", ()))), data["file"],
        tuple(data["turns"]) if "turns" in data else None, "repeats" in data, optional("units", {}),
        tuple((tuple(h), tuple(n), tuple(limit)) for h, n, limit in optional("orders", ())),
    )  # fmt: skip


def _column(data: dict[str, Any]) -> ColumnSpec:
    optional = data.get
    flags, parts = tuple(optional("flags", ())), tuple(map(_column, optional("parts", ())))
    headings = {h[0]: h[1] if len(h) > 1 else None for h in optional("headings", ())}
    first = data["name"], data["type"], data["unit"], flags, headings
    return ColumnSpec(*first, optional("separator"), parts, optional("row", ""))


def read_compiled(lines: list[bytes]) -> dict[str, Any]:
    """The catalogue's data from its file (a section per line); sections stay lines at first."""
    begin = lines.index(b' "sections": {\n')
    end = lines.index(b" },\n", begin)
    data: dict[str, Any] = json.loads(b"".join(lines[:begin] + lines[end + 1 :]))
    rows = lines[begin + 1 : end]
    data["sections"] = {row[3 : row.find(b'"', 3)].decode(): row for row in rows}
    return data


@cache
def load() -> Catalogue:
    """The catalogue as ``tools/grammar.py`` compiled it."""
    with open(CATALOGUE, "rb") as file:
        return Catalogue(read_compiled(file.readlines()))
