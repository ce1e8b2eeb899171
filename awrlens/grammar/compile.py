"""Compiles ``grammars/*.awg`` into the catalogue of the package.

The catalogue is committed, so that reviewers see the effect of a grammar edit. It contains a
checksum of its sources, so that a stale catalogue is never used (see ``catalogue.load``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from awrlens.errors import GrammarError
from awrlens.grammar import catalogue, language

if TYPE_CHECKING:
    from pathlib import Path


def compile_sources(sources: dict[str, str]) -> dict[str, Any]:
    """Compile grammar texts by file name to the catalogue's plain data.

    Raises GrammarError for invalid grammar and for conflicts between files.
    """
    sections: dict[str, Any] = {}
    titles: dict[str, list[str]] = {}
    since: dict[str, str] = {}
    for file, text in sorted(sources.items()):
        for section in language.parse(text, file):
            if section.name in sections:
                raise GrammarError(
                    f"section {section.name} is also described in "
                    f"{sections[section.name]['file']}.",
                    source=file,
                    line=section.line,
                )
            sections[section.name] = _section(section, file)
            if section.since:
                since[section.name] = section.since
            for title in section.titles:
                names = titles.setdefault(catalogue.norm_title(title), [])
                if section.name not in names:
                    names.append(section.name)
    _check_turns(sections)
    return {
        "checksum": catalogue.checksum(sources),
        "sections": sections,
        "since": since,
        "titles": dict(sorted(titles.items())),
    }


def _check_turns(sections: dict[str, Any]) -> None:
    """Check that the target section and column of every ``turns`` exist."""
    for name, data in sections.items():
        target, value = data.get("turns", ("", ""))
        columns = sections.get(target, {}).get("columns", ())
        if target and not any(column["name"] == value for column in columns):
            raise GrammarError(
                f"section {name} turns into {target} {value}, which is not described.",
                source=data["file"],
            )


def _section(section: language.Section, file: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "file": file,
        "titles": section.titles,
        "about": section.about,
        "layout": section.layout,
        "columns": [_column(column) for column in section.columns],
    }
    if section.labels:
        data["labels"] = {
            catalogue.norm_heading(text): name
            for name, texts in section.labels.items()
            for text in texts
        }
    if section.units:
        data["units"] = section.units
    if section.turns:
        data["turns"] = list(section.turns)
    if section.repeats:
        data["repeats"] = True
    if section.orders:
        data["orders"] = [
            [[catalogue.norm_heading(text) for text in headings], list(names)]
            for headings, names in section.orders
        ]
    if section.notes:
        data["notes"] = [_column(note) for note in section.notes]
    return data


def _column(column: language.Column) -> dict[str, Any]:
    data: dict[str, Any] = {"name": column.name, "type": column.type, "unit": column.unit}
    if column.flags:
        data["flags"] = list(column.flags)
    if column.row:
        data["row"] = column.row
    if column.parts:
        data["separator"] = column.separator
        data["parts"] = [_column(part) for part in column.parts]
    if column.headings:
        data["headings"] = [
            [catalogue.norm_heading(h.text), h.printed] if h.printed else
            [catalogue.norm_heading(h.text)]
            for h in column.headings
        ]  # fmt: skip
    return data


def render(data: dict[str, Any]) -> str:
    """The text of the catalogue file: one section per line, for readable diffs."""
    lines = ["{", f' "checksum": {json.dumps(data["checksum"])},', ' "sections": {']
    body = [
        f"  {json.dumps(name)}: {json.dumps(section, ensure_ascii=False)}"
        for name, section in data["sections"].items()
    ]
    lines.append(",\n".join(body))
    lines.append(" },")
    lines.append(f' "since": {json.dumps(data["since"])},')
    lines.append(f' "titles": {json.dumps(data["titles"], ensure_ascii=False)}')
    lines.append("}")
    return "\n".join(lines) + "\n"


def write(target: Path, *, check: bool = False) -> bool:
    """Compile the sources next to the package to ``target``; True if it was current.

    With ``check`` nothing is written.
    """
    new = render(compile_sources(catalogue.read_sources()))
    old = target.read_text(encoding="utf-8") if target.exists() else None
    if new == old:
        return True
    if not check:
        target.write_text(new, encoding="utf-8")
    return False
