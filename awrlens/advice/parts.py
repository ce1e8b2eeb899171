"""What the parts of the plan share: which findings ask for something, and what it may bring."""

from __future__ import annotations

from typing import Final

from awrlens.model import Finding, Impact, with_parts

#: How to tell that any of it worked.
AFTER: Final = "`awrlens analyze` on a report of the same load after the change"

#: The family whose waits hold up nobody else.
_ALONE: Final = "TEMP"


def ids(findings: tuple[Finding, ...], *wanted: str) -> tuple[str, ...]:
    """Those of some rules that found something, by themselves or as a part of another."""
    return tuple(f.id for f in with_parts(findings) if f.id in wanted and f.severity != "ok")


def impact(findings: tuple[Finding, ...], *wanted: str) -> Impact:
    """The largest impact among findings that overlap: they are never added.

    No more than that can be saved where it is the only one and of temporary I/O, for which nobody
    but its session waits. Commits, log switches and undo hold up whoever waits for their locks.
    """
    found = [f for f in with_parts(findings) if f.id in wanted and f.impact.seconds is not None]
    if not found:
        return Impact(None, None, "not quantified")
    largest = max(found, key=lambda f: f.impact.seconds or 0.0)
    return largest.impact._replace(bounded=len(found) == 1 and largest.id.startswith(_ALONE))
