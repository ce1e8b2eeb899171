"""Values that are names: parameters, and facts that are no numbers, with another value."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from awrlens.model import Change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.contrast import Reading
    from awrlens.model import Fact


def parameters(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[Change, ...]:
    """Parameters with another value in the last report of each side.

    A parameter that one side does not print has its default there, where that side prints any.
    """
    first, second = before[-1].parameters, after[-1].parameters
    return changed(first, second) if first and second else ()


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Change, ...]:
    """Names with another value on the second side; empty where a side does not print it.

    Blanks tell nothing: long values are wrapped, and some releases print them with more.
    """
    return tuple(
        Change(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys([*before, *after])
        if not _alike(before.get(name, ""), after.get(name, ""))
    )


#: Text reports cut values to a column of this width at least.
_CUT: Final = 30


def _alike(first: str, second: str) -> bool:
    """Whether two values are one, blanks apart, or one is the other cut to a column."""
    short, long = sorted(("".join(first.split()), "".join(second.split())), key=len)
    return short == long or (len(short) >= _CUT and long.startswith(short))


def names(before: Sequence[Reading], after: Sequence[Reading]) -> tuple[Change, ...]:
    """Facts that are names and differ; what one side lacks is no difference."""
    found = []
    for name in before[-1].facts:
        first, second = (_usual([r.facts[name] for r in side]) for side in (before, after))
        if first and second and first != second:
            found.append(Change(name, first, second))
    return tuple(found)


def _usual(facts: Sequence[Fact]) -> str:
    """The value that most reports have."""
    texts = [_text(fact) for fact in facts]
    known = [text for text in texts if text]
    return Counter(known).most_common(1)[0][0] if known else ""


def _text(fact: Fact) -> str:
    if isinstance(fact.value, tuple):
        return ", ".join(sorted(fact.value))  # the order tells only which has most I/O
    return fact.value if isinstance(fact.value, str) else ""
