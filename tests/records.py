"""What awrlens reads and says of every report, as digests: `tests/record.tsv`, a line per report.

`python tests/records.py` renews the lines of the reports that are there; the others stay. A digest
contains nothing of a report, so real reports have a line, too. Before you renew it, look at what
has changed: `awrlens analyze REPORT --format json` before and after.
"""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any, Final

import corpus
import samples

from awrlens import api
from awrlens.report import frames

FILE: Final = Path(__file__).parent / "record.tsv"
#: Digits that count: Python releases differ in the last ones of a sum.
_DIGITS: Final = 9
#: Digits of a digest: a changed part keeps its digest by chance once in four billion times.
_LENGTH: Final = 8


def of(entry: corpus.Entry) -> dict[str, str]:
    """The digests of a report: its analysis, all of its tables, its charts, its comparison."""
    report, analysis = corpus.report(entry), corpus.analysis(entry)
    parts = (report, *report.periods, *report.instances)
    charts = api.exhibits(report, analysis)._replace(sections=())
    found = {
        "tables": [table.to_dict() for part in parts for table in part.tables.values()],
        "charts": charts,
        "others": list(frames.printed(report)),
        "compared": _compared(entry),
    }
    digest = {part: _digest(value) for part, value in found.items() if value}
    return digests(samples.document(analysis)) | digest


def _compared(entry: corpus.Entry) -> object:
    """The comparison with another report of the same kind, of the same database if there is one."""
    alike = [each for each in corpus.reports() if each.kind == entry.kind]
    other = alike[alike.index(entry) - 1]
    if other.folder != entry.folder or "diff" in entry.kind:
        return None
    return api.compare([api.read(corpus.report(other))], [api.read(corpus.report(entry))]).to_dict()


def digests(document: dict[str, Any]) -> dict[str, str]:
    """The digest of every part of an analysis: facts by family, findings, recommendations, …"""
    parts: dict[str, Any] = {key: value for key, value in document.items() if key != "facts"}
    parts["report"] = {**parts["report"], "source": None}  # where the file happens to be
    for name, fact in document["facts"].items():
        parts.setdefault(f"facts {name.partition('.')[0]}", {})[name] = fact
    return {part: _digest(value) for part, value in parts.items() if value}


def _digest(value: object) -> str:
    text = json.dumps(_rounded(value), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    if isinstance(value, dict):
        return {key: None if key == "source" else _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value


def recorded() -> dict[str, dict[str, str]]:
    """The digests of the record by file of the report."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return {row.pop("file"): {part: text for part, text in row.items() if text} for row in rows}


def main() -> None:
    """Write the record anew."""
    known = recorded() if FILE.exists() else {}
    for entry in corpus.reports():
        known[entry.file] = of(entry)
    parts = sorted({part for each in known.values() for part in each})
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["file", *parts])
        for name in sorted(known):
            writer.writerow([name, *(known[name].get(part, "") for part in parts)])


if __name__ == "__main__":
    main()
