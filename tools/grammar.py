"""Compiles ``grammars/*.awg`` into the catalogue of the package, and lists the words in them.

``python tools/grammar.py`` writes both, if they changed. ``--check`` returns exit status 1 instead.
Both are committed, so that reviewers see the effect of a grammar edit.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import grammar_language as language

from awrlens.errors import GrammarError
from awrlens.grammar import catalogue
from awrlens.redact.names import WORD

ROOT = Path(__file__).parent.parent
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


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


def words(sources: dict[str, str]) -> list[str]:
    """The words of titles, headings and labels, which redaction knows as Oracle's."""
    lines = (line for text in sources.values() for line in text.splitlines())
    printed = (line for line in lines if not line.lstrip().startswith(("#", "about")))
    quoted = (text for line in printed for text in _QUOTED.findall(line))
    return sorted({word for text in quoted for word in WORD.findall(text)})


def stale(grammars: Path, package: Path) -> dict[Path, str]:
    """The files of the package that are not as the grammars say, with their new texts."""
    sources = {each.name: each.read_text("utf-8") for each in sorted(grammars.glob("*.awg"))}
    files = {
        package / "grammar/_catalogue.json": render(compile_sources(sources)),
        package / "redact/described.txt": "".join(f"{word}\n" for word in words(sources)),
    }
    return {
        file: text for file, text in files.items()
        if not file.exists() or file.read_text("utf-8") != text
    }  # fmt: skip


def main(*args: str, root: Path = ROOT) -> int:
    """Write both files, or check them; returns the exit status."""
    try:
        found = stale(root / "grammars", root / "awrlens")
    except GrammarError as problem:
        print(problem)
        return 1
    for file, text in found.items():
        if "--check" in args:
            print(f"{file.name} is out of date: run `make catalogue`.")
        else:
            file.write_text(text, encoding="utf-8")
            print(f"{file.name} is written.")
    if not found:
        print("The catalogue is up to date.")
    return int("--check" in args and bool(found))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
