"""Parses the section language of ``grammars/*.awg`` with pyparsing.

Only the compiler, the tests and a stale checkout import this module, because importing
pyparsing takes several times as long as starting Python. ``grammars/README.md`` documents the
language on one page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import pyparsing as pp

from awrlens.errors import GrammarError
from awrlens.units import UNITS, factor

if TYPE_CHECKING:
    from collections.abc import Iterator

LAYOUTS = ("table", "labels", "sql", "above", "lines")
TYPES = ("text", "int", "float", "datetime")
FLAGS = ("key", "fill", "once", "shared", "carried", "private", "public", "signed")
_LAYOUTS = f"a layout ({', '.join(LAYOUTS)})"


@dataclass(frozen=True)
class Heading:
    """One variant of a heading; ``printed`` is its unit if it differs."""

    text: str
    printed: str | None = None


@dataclass(frozen=True)
class Column:
    """A canonical column and all its headings."""

    name: str
    type: str
    unit: str
    flags: tuple[str, ...] = ()
    headings: tuple[Heading, ...] = ()
    separator: str | None = None
    parts: tuple[Column, ...] = ()
    line: int = 0
    #: If the section turns into another: the row for this column.
    row: str = ""


@dataclass
class Section:
    """One section of a report: titles, layout, columns, labels and notes."""

    name: str
    line: int
    titles: list[str] = field(default_factory=list)
    about: str = ""
    layout: str = "table"
    columns: list[Column] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    #: Units of the rows whose values do not have the unit of their column, by label.
    units: dict[str, str] = field(default_factory=dict)
    notes: list[Column] = field(default_factory=list)
    #: Adjacent headings that Oracle prints above other columns, and these columns.
    orders: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    #: The target section and value column of the rows of this section.
    turns: tuple[str, str] | None = None
    #: Whether a report prints its title more than once, over different tables.
    repeats: bool = False
    #: The first release that prints it; empty if not given.
    since: str = ""


@cache
def _statement() -> pp.ParserElement:
    """The grammar of one line; ``-`` instead of ``+`` gives errors an exact location."""
    name = pp.Regex(r"[a-z][a-z0-9_]*").set_name("a name in lower_case")
    string = pp.QuotedString('"', esc_char="\\").set_name('a text in "quotes"')
    units = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
    unit = pp.Regex(rf"(?:{units})(?=[\s,]|$)").set_name(f"a unit ({', '.join(UNITS)})")
    other = pp.Regex(rf"(?:KB|{units})(?=[\s,]|$)").set_name(f"a unit ({', '.join(UNITS)}, KB)")
    figure = pp.one_of(("int", "float"), as_keyword=True)("type") - unit("unit")
    words = pp.one_of(("text", "datetime"), as_keyword=True)("type")
    typed = (figure | words).set_name(f"a type ({', '.join(TYPES)}) or split")
    type_ = pp.one_of(TYPES, as_keyword=True).set_name(f"a type ({', '.join(TYPES)})")
    release = pp.Regex(r"\d+\.\d+").set_name("a release (11.2)")
    printed = pp.Regex(r"[a-zA-Z%/]+").set_name("the unit as printed")
    other_unit = pp.Keyword("in").suppress() - printed("printed")
    heading = pp.Group(string("text") + pp.Optional(other_unit))
    headings = heading[1, ...]("headings")
    flags = pp.one_of(FLAGS, as_keyword=True)[...]("flags")
    are = pp.Keyword("are").suppress()
    row = pp.Optional(pp.Keyword("as").suppress() - string("row"))
    part = pp.Group(name("name") + type_("type") + unit("unit"))
    split = (
        pp.Keyword("split").suppress()
        - string("separator")
        - pp.Keyword("into").suppress()
        - pp.DelimitedList(part)("parts")
    )

    def verb(word: str) -> pp.ParserElement:
        return pp.Keyword(word)("verb")

    statement = (
        (verb("section") - name("name"))
        | (verb("title") - string[1, ...]("texts"))
        | (verb("about") - string("about"))
        | (verb("since") - release("since"))
        | (verb("layout") - pp.one_of(LAYOUTS, as_keyword=True)("layout").set_name(_LAYOUTS))
        | (verb("like") - name("name"))
        | (verb("turns") - pp.Keyword("into").suppress() - name("name") - name("value"))
        | verb("repeats")
        | (verb("label") - name("name") - pp.Optional(other("unit")) - string[1, ...]("texts"))
        | (verb("order") - string[1, ...]("texts") - are - name[1, ...]("names"))
        | (verb("note") - name("name") - type_("type") - unit("unit") - headings)
        | (verb("column") - name("name") - (split | typed + flags + row) - headings)
    ).set_name(
        "section, title, about, since, layout, like, turns, repeats, label, order, note or column"
    )
    return cast("pp.ParserElement", statement.ignore(pp.Regex(r"#.*")))


def parse(text: str, source: str) -> list[Section]:
    """Parse one grammar file; GrammarError has line and column of the mistake."""
    sections: list[Section] = []
    for number, statement in _statements(text):
        try:
            token = _statement().parse_string(statement, parse_all=True)
        except pp.ParseBaseException as problem:
            raise _error(problem, statement, source, number) from None
        if token["verb"] == "section":
            sections.append(Section(name=token["name"], line=number))
        elif not sections:
            raise GrammarError(
                f"'{token['verb']}' is before the first section.", source=source, line=number
            )
        else:
            _add(sections, token, source, number)
    for section in sections:
        _check(section, source)
    return sections


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Every statement with its line; a line that begins with a quote continues the line above."""
    pending: list[str] = []
    start = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.lstrip().startswith('"') and pending:
            pending.append(line)
            continue
        if pending:
            yield start, "\n".join(pending)
            pending = []
        if line.strip() and not line.lstrip().startswith("#"):
            pending, start = [line], number
    if pending:
        yield start, "\n".join(pending)


def _error(
    problem: pp.ParseBaseException, statement: str, source: str, number: int
) -> GrammarError:
    """The expected and the found text, with line and column."""
    expected = problem.msg.removeprefix("Expected ")
    found = statement[problem.loc :].strip()
    what = f"found {found[:30]!r}" if found else "found the end of the line"
    return GrammarError(
        f"column {problem.column}: expected {expected}, {what}.",
        source=source,
        line=number + problem.lineno - 1,
    )


def _add(sections: list[Section], token: Any, source: str, line: int) -> None:  # noqa: ANN401 - pyparsing
    section = sections[-1]
    verb = token["verb"]
    if verb == "title":
        section.titles.extend(token["texts"])
    elif verb in ("about", "since", "layout", "repeats"):
        setattr(section, verb, token.get(verb, True))
    elif verb == "label":
        if token["name"] in section.labels:
            raise GrammarError(f"label {token['name']} is defined twice.", source=source, line=line)
        section.labels[token["name"]] = list(token["texts"])
        if "unit" in token:
            section.units[token["name"]] = token["unit"]
    elif verb == "like":
        _take_over(sections, token["name"], source, line)
    elif verb == "turns":
        section.turns = (token["name"], token["value"])
    elif verb == "order":
        section.orders.append((tuple(token["texts"]), tuple(token["names"])))
    elif verb == "note":
        section.notes.append(_column(token, source, line))
    else:
        section.columns.append(_column(token, source, line))


def _take_over(sections: list[Section], name: str, source: str, line: int) -> None:
    """Layout and columns of a section above, for the last one."""
    other = next((s for s in sections[:-1] if s.name == name), None)
    if other is None:
        raise GrammarError(
            f"like {name}: no section of that name is above in this file.",
            source=source,
            line=line,
        )
    sections[-1].layout = other.layout
    sections[-1].columns.extend(other.columns)


def _column(token: Any, source: str, line: int) -> Column:  # noqa: ANN401 - pyparsing
    headings = list(token["headings"])
    parts = tuple(
        Column(name=part["name"], type=part["type"], unit=part["unit"], line=line)
        for part in token.get("parts", ())
    )
    column = Column(
        name=token["name"],
        type=token.get("type", "text"),
        unit=token.get("unit", "text"),
        flags=tuple(token.get("flags", ())),
        headings=tuple(Heading(h["text"], h.get("printed")) for h in headings),
        separator=token.get("separator"),
        parts=parts,
        line=line,
        row=token.get("row", ""),
    )
    for heading in column.headings:
        if heading.printed is not None:
            try:
                factor(heading.printed, column.unit)
            except KeyError:
                raise GrammarError(
                    f"{heading.printed} cannot be expressed in {column.unit}.",
                    source=source,
                    line=line,
                ) from None
    return column


def _check(section: Section, source: str) -> None:
    if not section.titles:
        raise GrammarError(
            f"section {section.name} has no title.", source=source, line=section.line
        )
    if not section.columns:
        raise GrammarError(
            f"section {section.name} has no column.", source=source, line=section.line
        )
    known = {column.name for column in section.columns if not column.parts}
    for headings, names in section.orders:
        if len(headings) != len(names) or not known.issuperset(names):
            raise GrammarError(
                f"order of section {section.name}: every heading needs one described column.",
                source=source,
                line=section.line,
            )
    whole: dict[str, Column] = {}
    parts: dict[str, Column] = {}
    for column in section.columns:
        for each in column.parts or (column,):
            # releases print two numbers in one cell or in two columns under the same names
            own, other = (parts, whole) if column.parts else (whole, parts)
            twin = other.get(each.name, each)
            if each.name in own or (each.type, each.unit) != (twin.type, twin.unit):
                raise GrammarError(
                    f"column {each.name} is defined twice.", source=source, line=column.line
                )
            own[each.name] = each
