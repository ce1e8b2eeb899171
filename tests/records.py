"""What awrlens says of every report, as short digests: `tests/record.tsv`, a line per report.

`python tests/records.py` renews the lines of the reports that are there; the others stay. A digest
contains nothing of a report, so real reports have a line, too. Before you renew it, look at what
has changed: `awrlens analyze REPORT --format json` before and after.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).parent / "record.tsv"
#: Digits that count: Python releases differ in the last ones of a sum.
_DIGITS: Final = 9
#: Digits of a digest: of 150 reports with 22 parts, two are alike by chance once in a million runs.
_LENGTH: Final = 8


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
    sys.path.insert(0, str(FILE.parent))
    import corpus  # noqa: PLC0415 - beside this file
    import samples  # noqa: PLC0415

    known = recorded() if FILE.exists() else {}
    for entry in corpus.reports():
        known[entry.file] = digests(samples.document(corpus.analysis(entry)))
    parts = sorted({part for each in known.values() for part in each})
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["file", *parts])
        for name in sorted(known):
            writer.writerow([name, *(known[name].get(part, "") for part in parts)])


if __name__ == "__main__":
    main()
