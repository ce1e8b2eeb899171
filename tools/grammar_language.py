"""Parses the section language of ``grammars/*.awg`` (see its README) with pyparsing."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import pyparsing as pp

from awrlens.errors import GrammarError
from awrlens.units import UNITS, factor

if TYPE_CHECKING:
    from collections.abc import Iterator

LAYOUTS = ("table", "labels", "sql", "above", "lines")
TYPES = ("text", "int", "float", "datetime")
FLAGS = ("key", "fill", "once", "shared", "carried", "private", "public", "signed",
         "beyond")  # fmt: skip
_LAYOUTS = f"a layout ({', '.join(LAYOUTS)})"


#: What the data of a section has even if it is empty.
_ALWAYS = ("name", "line", "since", "file", "titles", "about", "layout", "columns")


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

    within = pp.Keyword("if").suppress() - name("part")
    within -= pp.Keyword("within").suppress() - name("whole")

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
        | (verb("order") - string[1, ...]("texts") - are - name[1, ...:"if"]("names") - within)
        | (verb("note") - name("name") - type_("type") - unit("unit") - headings)
        | (verb("column") - name("name") - (split | typed + flags + row) - headings)
    ).set_name(
        "section, title, about, since, layout, like, turns, repeats, label, order, note or column"
    )
    return cast("pp.ParserElement", statement.ignore(pp.Regex(r"#.*")))


def parse(text: str, source: str) -> list[dict[str, Any]]:
    """The sections of a grammar file as the catalogue has them; GrammarError has the place."""
    sections: list[dict[str, Any]] = []
    for number, statement in _statements(text):
        try:
            token = _statement().parse_string(statement, parse_all=True)
        except pp.ParseBaseException as problem:
            raise _error(problem, statement, source, number) from None
        if token["verb"] == "section":
            sections.append({
                "name": token["name"], "line": number, "since": "", "file": source, "titles": [],
                "about": "", "layout": "table", "columns": [], "labels": {}, "units": {},
                "turns": [], "repeats": False, "orders": [], "notes": [],
            })  # fmt: skip
        elif not sections:
            raise GrammarError(
                f"'{token['verb']}' is before the first section.", source=source, line=number
            )
        else:
            _add(sections, token, number)
            _check_names(sections[-1], number)
    for section in sections:
        _check(section)
    return [
        {name: value for name, value in section.items() if value or name in _ALWAYS}
        for section in sections
    ]


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
    expected = problem.msg.removeprefix("Expected ")
    found = statement[problem.loc :].strip()
    what = f"found {found[:30]!r}" if found else "found the end of the line"
    return GrammarError(
        f"column {problem.column}: expected {expected}, {what}.",
        source=source,
        line=number + problem.lineno - 1,
    )


def _add(sections: list[dict[str, Any]], token: Any, line: int) -> None:  # noqa: ANN401 - pyparsing
    section, source = sections[-1], sections[-1]["file"]
    verb, name = token["verb"], token.get("name", "")
    if verb == "title":
        section["titles"].extend(token["texts"])
    elif verb in ("about", "since", "layout", "repeats"):
        section[verb] = token.get(verb, True)
    elif verb == "label":
        if name in section["labels"].values():
            raise GrammarError(f"label {name} is defined twice.", source=source, line=line)
        section["labels"] |= dict.fromkeys(token["texts"], name)
        section["units"] |= {name: token["unit"]} if "unit" in token else {}
    elif verb == "like":
        above = [each for each in sections[:-1] if each["name"] == name]
        if not above:
            said = f"like {name}: no section of that name is above in this file."
            raise GrammarError(said, source=source, line=line)
        section["layout"] = above[0]["layout"]
        section["columns"] += above[0]["columns"]
    elif verb == "turns":
        section["turns"] = [name, token["value"]]
    elif verb == "order":
        limit = [token["part"], token["whole"]]
        section["orders"].append([[*token["texts"]], [*token["names"]], limit])
    else:
        section[f"{verb}s"].append(_column(token, source, line))


def _column(token: Any, source: str, line: int) -> dict[str, Any]:  # noqa: ANN401 - pyparsing
    """A column, note or part as the catalogue has it."""
    unit = token.get("unit", "text")
    column = {
        "name": token["name"], "type": token.get("type", "text"), "unit": unit,
        "flags": [*token.get("flags", ())], "row": token.get("row"),
        "separator": token.get("separator"),
        "parts": [_column(part, source, line) for part in token.get("parts", ())],
        "headings": [
            [each["text"], *([each["printed"]] if "printed" in each else ())]
            for each in token.get("headings", ())
        ],
    }  # fmt: skip
    for printed in (other for _, *others in column["headings"] for other in others):
        try:
            factor(printed, unit)
        except KeyError:
            said = f"{printed} cannot be expressed in {unit}."
            raise GrammarError(said, source=source, line=line) from None
    return {name: value for name, value in column.items() if value}


def _check_names(section: dict[str, Any], line: int) -> None:
    """Raise GrammarError for two columns of a name, unless one is a part of a split one."""
    whole: dict[str, tuple[str, str]] = {}
    parts: dict[str, tuple[str, str]] = {}
    for column in section["columns"]:
        own, other = (parts, whole) if "parts" in column else (whole, parts)
        for each in column.get("parts", (column,)):
            name, form = each["name"], (each["type"], each["unit"])
            if name in own or other.get(name, form) != form:
                said = f"column {name} is defined twice."
                raise GrammarError(said, source=section["file"], line=line)
            own[name] = form


def _check(section: dict[str, Any]) -> None:
    name, columns = section["name"], section["columns"]
    known = {column["name"] for column in columns if "parts" not in column}
    said = {
        f"section {name} has no title.": not section["titles"],
        f"section {name} has no column.": not columns,
        f"order of section {name}: every heading needs one described column.": any(
            len(headings) != len(names) or not known.issuperset([*names, *limit])
            for headings, names, limit in section["orders"]
        ),
    }
    for what, lacks in said.items():
        if lacks:
            raise GrammarError(what, source=section["file"], line=section["line"])
