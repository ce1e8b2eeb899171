"""Plain English in the words of Oracle's documentation: "Words" in CONTRIBUTING is kept."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
GUIDE, GLOSSARY = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Words\n")
#: What no text says, each with the reason or the better word in the glossary.
FORBIDDEN = re.compile(
    r"\breckon\w*|\btold\b|\btell(?:s|ing)?\b|\bbeside\b|\bfelt\b|\basked for\b|\bby hand\b"
    r"|(?<!there )\b(?:is|are) no\b(?! (?:longer|more)\b)|\bstands?\b|\bprocessors?\b",
    re.I,
)
#: Texts that may have such a word, because it is a name or a quotation.
ALLOWED = re.compile(
    r"(?:logical|word) processors?|_processors?\b|processor_|by hand-|\w+-(?:beside|felt)\b[-\w]*"
)
PAGES = (
    "README.md", "CONTRIBUTING.md", "sample_reports/README.md", "docs/*.md", "awrlens/*/pages/*.md",
    "awrlens/cli/commands.txt", "awrlens/lab/plan.toml", "awrlens/**/thresholds.txt",
    "awrlens/advice/texts.txt", "awrlens/ranges.txt",
)  # fmt: skip


def strings(file: Path) -> Iterator[tuple[int, str]]:
    """Every string of a module that has words, docstrings too."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def lines(file: Path) -> Iterator[tuple[int, str]]:
    text = GUIDE if file.name == "CONTRIBUTING.md" else file.read_text(encoding="utf-8")
    yield from enumerate(text.split("\n"), start=1)


def wrong(texts: Iterator[tuple[int, str]]) -> list[str]:
    found = []
    for line, text in texts:
        plain = re.sub(r"`[^`]*`", "``", ALLOWED.sub("", text))
        found += [
            f"{line}: {' '.join(plain.split())[:90]} [{m[0]}]" for m in FORBIDDEN.finditer(plain)
        ]
    return found


@pytest.mark.parametrize(
    "file", sorted((ROOT / "awrlens").rglob("*.py")), ids=lambda f: str(f.relative_to(ROOT))
)
def test_no_string_of_the_code_has_a_word_that_the_glossary_replaces(file: Path) -> None:
    assert [] == wrong(strings(file))


@pytest.mark.parametrize(
    "file", sorted((ROOT / "awrlens").rglob("*.j2")), ids=lambda f: str(f.relative_to(ROOT))
)
def test_no_page_has_a_word_that_the_glossary_replaces(file: Path) -> None:
    assert [] == wrong(lines(file))


@pytest.mark.parametrize("pattern", PAGES)
def test_no_document_has_a_word_that_the_glossary_replaces(pattern: str) -> None:
    pages = [*ROOT.glob(pattern)]
    found = [f"{file.name}:{each}" for file in pages for each in wrong(lines(file))]

    assert pages
    assert [] == found


def test_the_glossary_has_each_word_that_is_forbidden() -> None:
    for word in ("reckon", "told", "beside", "felt", "asked for", "by hand", "stands", "processor"):
        assert re.search(rf"\| .*\b{word}\b.* \|", GLOSSARY), word
