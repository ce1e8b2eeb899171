"""What the parts of the plan share: which findings ask for something, and what it may bring."""

from __future__ import annotations

from typing import Final

from awrlens.model import Finding, Impact, with_parts

#: How to tell that any of it worked.
AFTER: Final = "`awrlens analyze` on a report of the same load after the change"


def ids(findings: tuple[Finding, ...], *wanted: str) -> tuple[str, ...]:
    """Those of some rules that found something, by themselves or as a part of another."""
    return tuple(f.id for f in with_parts(findings) if f.id in wanted and f.severity != "ok")


def impact(findings: tuple[Finding, ...], *wanted: str) -> Impact:
    """The largest impact among findings that overlap: they are never added."""
    found = [
        f.impact for f in with_parts(findings) if f.id in wanted and f.impact.seconds is not None
    ]
    return max(found, key=lambda i: i.seconds or 0.0, default=Impact(None, None, "not quantified"))
