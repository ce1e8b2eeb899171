"""Which reports the tests go over: all of our samples, and the corpus of real ones where it is.

The corpus stands beside the checkout (``../shared/corpus``) and is no part of it: what a test does
with its reports carries the marker ``corpus``; where it is absent, the samples are what is left.
"""

from __future__ import annotations

import csv
import os
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
import samples

from awrlens import api

if TYPE_CHECKING:  # records.py asks earlier commits with this file
    from awrlens.model import Analysis
    from awrlens.report.report import Report

CORPUS = Path(
    os.environ.get("AWRLENS_CORPUS")
    or Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
)
#: The layouts of our samples: the kind and the release of each.
LAYOUTS = {
    "statspack-8.1.7.lst": ("statspack-text", "8.1.7.4.0"),
    "statspack-9.2.lst": ("statspack-text", "9.2.0.8.0"),
    "statspack-10.2.lst": ("statspack-text", "10.2.0.3.0"),
    "statspack-11.2.txt": ("statspack-text", "11.2.0.3.0"),
    "statspack-11.2.pt.txt": ("statspack-text", "11.2.0.3.0"),
    "statspack-19c.txt": ("statspack-text", "19.0.0.0.0"),
    "awr-10.2.txt": ("awr-text", "10.2.0.4.0"),
    "awr-11.2.txt": ("awr-text", "11.2.0.3.0"),
    "awr-19c.txt": ("awr-text", "19.0.0.0.0"),
    "awr-10.2.html": ("awr-html", "10.2.0.4.0"),
    "awr-11.2.html": ("awr-html", "11.2.0.3.0"),
    "awr-11.2.de.html": ("awr-html", "11.2.0.3.0"),
    "awr-12.2.html": ("awr-html", "12.2.0.1.0"),
    "awr-19c.html": ("awr-html", "19.0.0.0.0"),
    "awr-23ai.html": ("awr-html", "23.7.0.25.1"),
    "awr-pdb-19c.html": ("awr-pdb-html", "19.0.0.0.0"),
    "awr-diff-11.2.txt": ("awr-diff-text", "11.2.0.3.0"),
    "awr-diff-11.2.html": ("awr-diff-html", "11.2.0.3.0"),
    "awr-rac-11.2.txt": ("awr-rac-global-text", "11.2.0.3.0"),
    "awr-rac-11.2.html": ("awr-rac-global-html", "11.2.0.3.0"),
}


class Entry(NamedTuple):
    """One report: of the corpus as its index describes it, or one of our samples."""

    file: str
    kind: str
    release: str
    rac: bool
    folder: Path = CORPUS

    @property
    def path(self) -> Path:
        return self.folder / self.file


@cache
def _corpus() -> tuple[Entry, ...]:
    index = CORPUS / "INDEX.tsv"
    if not index.exists():
        return ()
    with index.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(
            Entry(row["file"], row["kind"], row["release"].removesuffix(" RAC"),
                  row["release"].endswith(" RAC"))
            for row in rows
        )  # fmt: skip


@cache
def _samples() -> tuple[Entry, ...]:
    return tuple(
        Entry(name, *LAYOUTS[layout], run.startswith("redo-cluster"), samples.FOLDER)
        for name in samples.FILES
        for run, _, layout in (name.partition("."),)
    )


def named(test: str) -> Entry | None:
    """The report that a test's name has in it."""
    if "." not in test:  # thousands of tests have no report; a search for plain text is fast
        return None
    found = _named().search(test)
    return next(each for each in _all() if each.file == found[0]) if found else None


@cache
def _named() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(entry.file) for entry in _all()))


@cache
def _all() -> tuple[Entry, ...]:
    return (*_samples(), *_corpus())


def entries(*kinds: str) -> list[Entry]:
    """The reports of the corpus of these kinds; none where it is absent."""
    return [entry for entry in _corpus() if entry.kind in kinds]


#: The kinds of reports that can be analyzed.
ANALYZED = (
    "statspack-text", "awr-text", "awr-html", "awr-pdb-html", "awr-diff-text", "awr-diff-html",
    "awr-rac-global-html", "awr-rac-global-text",
)  # fmt: skip


def reports() -> list[Entry]:
    """All reports, ours and those of the corpus."""
    return [entry for entry in _all() if entry.kind in ANALYZED]


def over(*kinds: str) -> pytest.MarkDecorator:
    """Run a test for every report of these kinds, ours and those of the corpus."""
    return pytest.mark.parametrize(
        "entry",
        [pytest.param(entry, id=entry.file) for entry in _all() if entry.kind in kinds],
    )


# The tests of one report follow each other (conftest.py), so a few are enough to be kept.


@lru_cache(maxsize=4)
def report_of(path: Path) -> Report:
    """A report, read once for the tests that follow each other; none of them may change it."""
    return samples.report(path.name) if path.parent == samples.FOLDER else api.load(path)


@lru_cache(maxsize=4)
def analysis_of(path: Path) -> Analysis:
    return samples.analysis(path.name) if path.parent == samples.FOLDER else api.analyze(
        report_of(path)
    )  # fmt: skip


def report(entry: Entry) -> Report:
    return report_of(entry.path)


def analysis(entry: Entry) -> Analysis:
    return analysis_of(entry.path)
