"""Where the corpus of real reports is, and what its index says about each file.

The corpus stands beside the checkout (``../shared/corpus``) and is no part of it: tests that
need it carry the marker ``corpus`` and are skipped, with the reason, where it is absent.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from awrlens.report.opening import open_report

if TYPE_CHECKING:
    from awrlens.report.report import Report

CORPUS = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"


class Entry(NamedTuple):
    """One report of the corpus as its index describes it."""

    file: str
    kind: str
    release: str
    rac: bool

    @property
    def path(self) -> Path:
        return CORPUS / self.file


def entries(*kinds: str) -> list[Entry]:
    """The reports of these kinds; none where the corpus is absent."""
    index = CORPUS / "INDEX.tsv"
    if not index.exists():
        return []
    with index.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Entry(
            row["file"],
            row["kind"],
            row["release"].removesuffix(" RAC"),
            row["release"].endswith(" RAC"),
        )
        for row in rows
        if row["kind"] in kinds
    ]


def over(*kinds: str) -> pytest.MarkDecorator:
    """Run a test for every report of these kinds; one clear skip where there is no corpus."""
    found = [
        pytest.param(entry, id=entry.file, marks=pytest.mark.corpus) for entry in entries(*kinds)
    ]
    if not found:
        absent = pytest.mark.skip(
            reason=f"the corpus of real reports is not at {CORPUS.name}/ "
            "beside the checkout (../shared/corpus)"
        )
        found = [pytest.param(None, id="no-corpus", marks=[pytest.mark.corpus, absent])]
    return pytest.mark.parametrize("entry", found)


@cache
def report(entry: Entry) -> Report:
    """The report, read once for all tests."""
    return open_report(entry.path)
