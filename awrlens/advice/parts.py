"""Shared by all parts of the plan: the findings behind an action, and its benefit."""

from __future__ import annotations

from typing import Final

from awrlens.model import Finding, Impact, with_parts

#: How to verify any change.
AFTER: Final = "`awrlens analyze` on a report of the same load after the change"


def ids(findings: tuple[Finding, ...], *wanted: str) -> tuple[str, ...]:
    """The rules among these that have a finding, on its own or as a part of another."""
    return tuple(f.id for f in with_parts(findings) if f.id in wanted and f.severity != "ok")


def impact(findings: tuple[Finding, ...], *wanted: str) -> Impact:
    """The largest impact of the findings; they overlap and are not added up."""
    found = [
        f.impact for f in with_parts(findings) if f.id in wanted and f.impact.seconds is not None
    ]
    return max(found, key=lambda i: i.seconds or 0.0, default=Impact(None, None, "not quantified"))
