"""Compiles ``grammars/*.awg`` into the catalogue of the package.

``python tools/grammar.py`` writes it, if it changed. ``--check`` returns exit status 1 instead. The
catalogue is committed, so that reviewers see the effect of a grammar edit.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import grammar_language as language

from awrlens.errors import GrammarError
from awrlens.grammar import catalogue


def compile_sources(sources: dict[str, str]) -> dict[str, Any]:
    """The data of the catalogue of grammar texts by file name; GrammarError for mistakes."""
    sections: dict[str, Any] = {}
    titles: dict[str, list[str]] = {}
    since: dict[str, str] = {}
    for file, text in sorted(sources.items()):
        for section in language.parse(text, file):
            name, line, first = (section.pop(key) for key in ("name", "line", "since"))
            if name in sections:
                raise GrammarError(
                    f"section {name} is also described in {sections[name]['file']}.",
                    source=file,
                    line=line,
                )
            sections[name] = _normalized(section)
            if first:
                since[name] = first
            for title in map(catalogue.norm_title, section["titles"]):
                titles.setdefault(title, []).append(name)
    _check_turns(sections)
    once = (name for name, each in sections.items() if "repeats" not in each)
    return {
        "labelled": [name for name in once if sections[name]["layout"] == "labels"],
        "sections": sections,
        "since": since,
        "titles": {title: [*dict.fromkeys(titles[title])] for title in sorted(titles)},
    }


def _normalized(section: dict[str, Any]) -> dict[str, Any]:
    """A section with its headings and labels as they are looked up."""
    norm = catalogue.norm_heading
    for column in (*section["columns"], *section.get("notes", ())):
        column["headings"] = [[norm(text), *printed] for text, *printed in column["headings"]]
    if "labels" in section:
        section["labels"] = {norm(text): name for text, name in section["labels"].items()}
    for order in section.get("orders", ()):
        order[0] = [*map(norm, order[0])]
    return section


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


def render(data: dict[str, Any]) -> str:
    """The text of the catalogue file: one section per line, for readable diffs."""
    sections = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(section, ensure_ascii=False)}"
        for name, section in data["sections"].items()
    )
    return (
        f'{{\n "labelled": {json.dumps(data["labelled"])},\n "sections": {{\n{sections}\n }},\n'
        f' "since": {json.dumps(data["since"])},\n'
        f' "titles": {json.dumps(data["titles"], ensure_ascii=False)}\n}}\n'
    )


def write(target: Path, *, check: bool = False) -> bool:
    """Compile the sources to ``target``, unless ``check``; True if it was current."""
    new = render(compile_sources(catalogue.read_sources()))
    old = target.read_text(encoding="utf-8") if target.exists() else None
    if new == old:
        return True
    if not check:
        target.write_text(new, encoding="utf-8")
    return False


def main() -> int:
    """Write the catalogue, or check it; returns the exit status."""
    check = "--check" in sys.argv[1:]
    try:
        current = write(Path(catalogue.CATALOGUE), check=check)
    except GrammarError as problem:
        print(problem)
        return 1
    stale = "is out of date: run `make catalogue`" if check else "is written"
    print(f"The catalogue {'is up to date' if current else stale}.")
    return int(check and not current)


if __name__ == "__main__":
    sys.exit(main())
