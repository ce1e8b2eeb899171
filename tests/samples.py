"""Our own sample reports, by workload and layout."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from awrlens import api
from awrlens.model import Analysis
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


def path(name: str) -> Path:
    return FOLDER / name


@cache
def report(name: str) -> Report:
    return api.load(path(name))


@cache
def analysis(name: str) -> Analysis:
    return api.analyze(report(name))
