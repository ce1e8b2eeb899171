"""Names that differ: parameters, and facts that are not numbers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.model import Change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.contrast import Reading
    from awrlens.model import Fact


def parameters(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[Change, ...]:
    """Parameters that differ between the last reports of both sides.

    A parameter that is missing on one side has its default there, if that side lists parameters.
    """
    first, second = before[-1].parameters, after[-1].parameters
    return changed(first, second) if first and second else ()


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Change, ...]:
    """Names with a different value on the second side; empty if a side does not have it.

    Spaces do not count: long values are wrapped, and some releases add spaces.
    """
    return tuple(
        Change(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys([*before, *after])
        if not _alike(before.get(name, ""), after.get(name, ""))
    )


#: Minimum column width to which text reports truncate values.
_CUT: Final = 30


def _alike(first: str, second: str) -> bool:
    """Whether two values are equal apart from spaces, or one is the other truncated to a column."""
    short, long = sorted(("".join(first.split()), "".join(second.split())), key=len)
    return short == long or (len(short) >= _CUT and long.startswith(short))


def names(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[Change, ...]:
    """Facts that are names and differ; a fact that is missing on one side is not a difference."""
    found = []
    for name in before[-1].facts:
        first, second = (_usual([r.facts[name] for r in side]) for side in (before, after))
        if first and second and first != second:
            found.append(Change(name, first, second))
    return tuple(found)


def _usual(facts: Sequence[Fact]) -> str:
    """The most frequent value."""
    texts = [_text(fact) for fact in facts]
    known = [text for text in texts if text]
    return Counter(known).most_common(1)[0][0] if known else ""


def _text(fact: Fact) -> str:
    if isinstance(fact.value, tuple):
        return ", ".join(sorted(fact.value))  # sorted by I/O in the report
    return fact.value if isinstance(fact.value, str) else ""
