"""Golden pairs: a specimen in Oracle's layout, and what must be read from it.

``golden/<section>/<release-or-case>.txt`` (or ``.html``) is written by us, with invented names
and figures; the ``.json`` beside it holds the typed tables. A specimen of a compare-period report
(``awr-diff-…``) gives the tables of both periods, one of a RAC report (``awr-rac-…``) those of the
cluster (``*``) and of every instance. ``python tests/golden_pairs.py``
writes the JSON of new specimens. ``golden_pairs.py undo_stats`` writes that of a section again,
``--all`` that of every one, for a reviewer to read the difference.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import accounted

from awrlens.errors import AwrlensError
from awrlens.grammar import catalogue
from awrlens.report.report import Report
from awrlens.source.kind import Kind
from awrlens.source.open import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

GOLDEN = Path(__file__).parent / "golden"


def specimens() -> list[Path]:
    """All specimens, in a fixed order."""
    return sorted(path for path in GOLDEN.glob("*/*") if path.suffix in (".txt", ".html"))


def opened(specimen: Path) -> Report:
    """A specimen as a report of the kind that its name says."""
    html = specimen.suffix == ".html"
    with specimen.open(encoding="utf-8", newline="") as file:
        source = Source(specimen.name, file.read())
    family = next((f for f in ("awr-diff", "awr-rac") if specimen.stem.startswith(f)), "awr")
    return Report(source, Kind(f"{family}-{'html' if html else 'text'}", html, 0))


def read(specimen: Path) -> dict[str, Any]:
    """What the reader makes of a specimen: tables, notes, and the number of lines left over."""
    report = opened(specimen)
    data: dict[str, Any] = {"unread": len(unread(report)), "tables": tables_of(report)}
    if report.periods or report.instances:
        whole = (report.cluster,) if report.instances else ()
        parts = (*whole, *report.periods, *report.instances)
        data["tables"] = {
            f"{part.view.label if part.view else ''} {name}": table
            for part in parts
            for name, table in tables_of(part).items()
        }
    elif "database" in data["tables"]:
        told = report.identity.to_dict().items()
        data["identity"] = {k: v for k, v in told if v is not None and k not in ("kind", "source")}
    return data


def tables_of(report: Report) -> dict[str, Any]:
    """The tables of a report or of a part of it, their notes, and headings without a name."""
    tables: dict[str, Any] = {}
    for name in report.tables:
        table = report.tables[name]
        columns = [(column.name or column.heading, column.unit) for column in table.columns]
        tables[name] = {
            "title": table.title,
            "columns": [f"{column} [{unit}]" for column, unit in columns],
            "rows": [[row.values()[column] for column, _ in columns] for row in table],
            "undescribed": accounted.undescribed(table),
        }
        for note in table.spec.notes if table.spec else ():
            cell = table.note(note.name)
            tables[name].setdefault("notes", {})[note.name] = cell.value if cell else None
    return tables


def remarks(specimen: Path) -> Iterator[str]:
    """What its author ought to see: what the descriptions do not know, and figures that are words.

    A column of figures may have a word; for all others the description or the specimen is wrong.
    """
    report = opened(specimen)
    text = specimen.read_text(encoding="utf-8")
    lines = text.split("\n")
    parts = (report, *report.periods, *report.instances)
    tables = [part.tables[name] for part in parts for name in part.tables]
    if not tables and "No data exists" not in text:
        yield "nothing is read: none of its titles and headings stand in grammars/"
    for heading in dict.fromkeys(each for table in tables for each in accounted.undescribed(table)):
        yield f"no column of the description has the heading {heading!r}"
    for number in unread(report):
        yield f"line {number} is not read: {lines[number - 1].strip()!r}"
    for table in tables:
        for row in table:
            for cell in (row.cell(column.name) for column in table.columns if column.name):
                if cell and cell.value is None and cell.text.strip("# ") not in ("", "N/A"):
                    place = f"{table.title}, {row.key}, {cell.column}"
                    yield f"null, because it is not a figure: {place}: {cell.text.strip()!r}"


def unread(report: Report) -> list[int]:
    """The numbers of the lines of described sections that nothing accounts for."""
    lines: set[int] = set()
    for section in report.sections:
        layouts = {catalogue.load().section(name).layout for name in report.names_of(section)}
        left = [set(accounted.unread(section, layout)) for layout in layouts]
        lines |= set.intersection(*left) if left else set()
    return sorted(lines)


def dump(data: dict[str, Any]) -> str:
    """JSON with a row of the table on each line, so that a difference is read as a table."""
    lines = ["{", f' "unread": {data["unread"]},']
    if "identity" in data:
        lines.append(f' "identity": {json.dumps(data["identity"], ensure_ascii=False)},')
    lines.append(' "tables": {')
    for number, (name, table) in enumerate(data["tables"].items()):
        lines.append(f"  {json.dumps(name)}: {{")
        lines.extend(
            f"   {json.dumps(key)}: {json.dumps(table[key], ensure_ascii=False)},"
            for key in table
            if key != "rows"
        )
        rows = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in table["rows"])
        lines.append(f'   "rows": [\n{rows}\n   ]')
        lines.append("  }," if number + 1 < len(data["tables"]) else "  }")
    return "\n".join([*lines, " }", "}"]) + "\n"


def main(asked: Collection[str]) -> None:
    """Write the expected JSON of specimens that have none, of those of some sections, or of all."""
    if unknown := set(asked) - {"--all"} - {path.parent.name for path in specimens()}:
        sys.exit(f"There is no specimen in {GOLDEN / min(unknown)}.")
    for specimen in specimens():
        target = specimen.with_suffix(".json")
        if not target.exists() or "--all" in asked or specimen.parent.name in asked:
            text = dump(read(specimen))
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                target.write_text(text, encoding="utf-8")
                sys.stdout.write(f"{target.relative_to(GOLDEN)}: read it before you commit it\n")
                for remark in dict.fromkeys(remarks(specimen)):
                    sys.stdout.write(f"  {remark}\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except AwrlensError as problem:  # two sections of one name, a mistake in a grammar
        sys.exit(str(problem))
