"""Findings that are not mended yet, each with its reason: they do not fail a run."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from fuzzing.properties import Finding

CORPUS: Final = Path(__file__).parent.parent / "fuzz_corpus"


_PATTERNS: Final = ("kind", "what", "mutator", "sample")


class Open(NamedTuple):
    """A kind of finding that is not mended yet; ``mutator`` is one that must be among its own."""

    kind: re.Pattern[str]
    what: re.Pattern[str]
    mutator: re.Pattern[str]
    sample: re.Pattern[str]
    why: str


@cache
def _open() -> tuple[Open, ...]:
    data = tomllib.loads((CORPUS / "open.toml").read_text(encoding="utf-8"))
    found = []
    for each in data.get("open", []):
        kind, what, mutator, sample = (re.compile(each.get(name, ".*")) for name in _PATTERNS)
        found.append(Open(kind, what, mutator, sample, each["why"]))
    return tuple(found)


def why(finding: Finding, mutators: tuple[str, ...], sample: str = "") -> str | None:
    """Why a finding is known; None of a new one."""
    for each in _open():
        fits = each.kind.fullmatch(finding.kind) and each.what.fullmatch(finding.what)
        fits = fits and each.sample.fullmatch(sample)
        if fits and any(each.mutator.fullmatch(name) for name in mutators):
            return each.why
    return None
