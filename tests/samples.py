"""Our own sample reports, by workload and layout."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from awrlens import api

if TYPE_CHECKING:  # records.py asks earlier commits with this file
    from awrlens.model import Analysis, Fact
    from awrlens.report.report import Report

FOLDER = Path(__file__).parent.parent / "sample_reports"
LAYOUTS = ("statspack-9.2.lst", "statspack-11.2.txt", "awr-11.2.txt", "awr-11.2.html",
           "awr-19c.html")  # fmt: skip
WORKLOADS = ("redo-disk", "redo-accelerator")
#: Older layouts, of the first run only.
OLDER = ("redo-disk.statspack-8.1.7.lst", "redo-disk.statspack-10.2.lst")
#: Layouts of AWR before 11.2 and after, of the first run only.
OLDER_AND_NEWER = ("awr-10.2.html", "awr-10.2.txt", "awr-19c.txt")
ALL = (
    *(f"{workload}.{layout}" for workload in WORKLOADS for layout in LAYOUTS),
    *OLDER,
    *(f"redo-disk.{layout}" for layout in OLDER_AND_NEWER),
)
#: One of each kind, for `make quick`.
EVERYDAY = (
    "redo-disk.statspack-9.2.lst", "redo-disk.awr-11.2.txt", "redo-disk.awr-19c.html",
    "redo-compared.awr-diff-11.2.txt", "redo-cluster.awr-rac-11.2.html",
)  # fmt: skip
#: All of them, those of several parts too.
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in {".txt", ".lst", ".html"})


def path(name: str) -> Path:
    return FOLDER / name


@cache
def report(name: str) -> Report:
    return api.load(path(name))


@cache
def analysis(name: str) -> Analysis:
    return api.analyze(report(name))


def document(found: Analysis) -> Any:
    """The JSON document of an analysis, as another program reads it."""
    return json.loads(json.dumps(found.to_dict()))


def misplaced(facts: Mapping[str, Fact], text: str) -> list[tuple[str, str, int | None]]:
    """Facts with evidence that does not stand on the line that it names, in text or a page."""
    lines = text.split("\n")
    return [
        (fact.name, item.text, item.line)
        for fact in facts.values()
        for item in fact.evidence
        if item.line is None or not _stands(item.text, _shown(lines[item.line - 1]))
    ]


def _stands(text: str, line: str) -> bool:
    """Whether a cell stands in a line, or begins at its end and goes on in the next."""
    words = line.split()
    return _words(text) in _words(line) or bool(words and text.startswith(words[-1]))


def _shown(line: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", " ", line)).expandtabs(8)


def _words(text: str) -> str:
    return " ".join(text.split())
