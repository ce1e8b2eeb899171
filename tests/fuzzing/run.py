"""Makes inputs by number, tries them, and says what does not hold."""

from __future__ import annotations

import random
import re
import time
import traceback
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.source.saved_pages import is_mail
from fuzzing import properties
from fuzzing.document import Base, Doc, base
from fuzzing.mutators import ALL, Mutator
from fuzzing.properties import Finding, Read, Told, TooLong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


#: So many inputs in a row are made of one base, which is read once.
OF_ONE_BASE: Final = 32
#: What is drawn from, how often, and how many mutators at most.
_MIXES: Final = (
    (("equal",), 0.2, 3),
    (("figures",), 0.15, 2),
    (("spoils",), 0.2, 1),
    (("figures", "spoils", "equal"), 0.1, 3),
    (("drops", "swaps"), 0.1, 2),
    (("wild",), 0.15, 3),
    (("figures", "spoils", "drops", "swaps", "equal", "wild"), 0.1, 6),
)
#: The output formats and redaction are tried with every so-manyeth input.
_SHOWN: Final = 16
#: So many facts that the base lacks are asked for, too.
_LACKING: Final = 16
#: Mutators are tried so often until one can be applied.
_TRIES: Final = 20


class Known(NamedTuple):
    """A base as it is read."""

    base: Base
    facts: dict[str, Told]
    identity: dict[str, object]
    cells: dict[int, list[str]]


class Input(NamedTuple):
    """A mutated report, and how it was made."""

    number: int
    known: Known
    mutators: tuple[str, ...]
    doc: Doc
    data: bytes


@lru_cache(maxsize=8)
def known(number: int) -> Known:
    """A base with what is read of it, by number."""
    return read(base(number))


def read(base_: Base) -> Known:
    """A base with what is read of it."""
    found = properties.read(base_.text.encode())
    if len(found.reports) != 1 or found.refusals:
        raise AssertionError(f"{base_.sample}: an excerpt is not read: {found.refusals}")
    cells: dict[int, list[str]] = {}
    for _, item in properties.cited(found.facts):
        if item.line is not None:
            cells.setdefault(item.line, []).append(item.text)
    return Known(base_, properties.told(found.facts, None), dict(found.identity), cells)


def _draw(rng: random.Random) -> list[Mutator]:
    """Some mutators, in the order in which they are applied; one at most frames the text."""
    (kinds, _, most), *_ = rng.choices(_MIXES, [share for _, share, _ in _MIXES])
    some = [each for each in ALL if each.kind in kinds]
    drawn = rng.choices(some, k=rng.randint(1, most))
    frames = [each for each in drawn if each.stage == 1][:1]
    last = {each.name: each for each in sorted(drawn, key=lambda e: e.name == "packed")
            if each.stage == 2}  # fmt: skip
    return [*(each for each in drawn if each.stage == 0), *frames, *last.values()]


def made(number: int) -> Input:
    """The input of a number: always the same one."""
    rng = random.Random(number)  # noqa: S311 - a choice, no secret
    given = known(number // OF_ONE_BASE)
    doc = Doc(given.base, given.cells)
    for _ in range(_TRIES):
        applied = applied_to(doc, _draw(rng), rng)
        if applied:
            break
    return Input(number, given, applied, doc, doc.data)


def applied_to(doc: Doc, mutators: Iterable[Mutator], rng: random.Random) -> tuple[str, ...]:
    """Applies what can be, and gives the names of it."""
    applied = []
    for each in mutators:
        if each.change(doc, rng) is not False:
            applied.append(each.name)
            doc.wild |= each.kind == "wild"
            doc.lost |= each.kind == "swaps"
    return tuple(applied)


def examined(each: Input, *, whole: bool = False, timed: bool = True) -> list[Finding]:
    """What does not hold of an input.

    ``whole`` tries every format. Without ``timed`` only a hang is a finding, ten times what a run
    may take: the time of a test run says more of the machine than of awrlens.
    """
    allowed = properties.allowed_s(len(each.data))
    before = properties.peak_kb()
    found: list[Finding] = []
    try:
        with properties.limited(allowed * 10):
            begin = time.process_time()
            found += _looked_at(each, whole=whole)
            took = time.process_time() - begin
    except TooLong as problem:
        return [Finding("slow", _place(problem), f"more than {allowed * 10:.1f} s")]
    except Exception as problem:  # noqa: BLE001 - this is what is looked for
        what = f"{type(problem).__name__} in {_place(problem)}"
        found.append(Finding("exception", what, str(problem)[:200]))
        return found
    if timed and took > allowed and _again_s(each, whole=whole) > allowed:
        found.append(Finding("slow", "+".join(sorted(set(each.mutators))), f"{took:.1f} s"))
    more = properties.peak_kb() - before
    if more > properties.FLOOR_KB + properties.KB_PER_KB * len(each.data) / 1000:
        found.append(Finding("memory", "+".join(sorted(set(each.mutators))), f"{more:,} kB more"))
    return found


def _again_s(each: Input, *, whole: bool) -> float:
    """Processor time of a second run: a busy machine rarely disturbs both."""
    begin = time.process_time()
    list(_looked_at(each, whole=whole))
    return time.process_time() - begin


def _place(problem: BaseException) -> str:
    """The innermost line of awrlens in a traceback."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [f for f in frames if "/awrlens/" in f.filename] or list(frames)
    return f"{re.sub(r'.*/awrlens/', '', own[-1].filename)} {own[-1].name}"


def _looked_at(each: Input, *, whole: bool) -> Iterator[Finding]:
    doc = each.doc
    names = None if whole or each.number % _SHOWN == 0 else _asked(each)
    found = properties.read(each.data, names)
    yield from _refused(each, found)
    text = doc.text if not doc.wild else each.data.decode("utf-8", "replace")
    # where lines are broken anywhere, no line of the file has the cell; those of a mail's part are
    # counted from its first
    mail = doc.wild and is_mail(each.data)
    if not (doc.wild and _packed(each)) and not mail and "wrapped" not in each.mutators:
        yield from properties.evidence(found.facts, text, page_=doc.html)
    # the release says what a column counts, and what a parameter is that is not printed
    if not doc.wild and found.reports and _release(found.identity) == _release(each.known.identity):
        after = properties.told(found.facts, doc.origins)
        yield from properties.facts(doc, each.mutators, each.known.facts, after)
        if doc.equal:
            yield from _identity(each, found)
    for number in range(5) if whole else ((each.number // _SHOWN,) * (each.number % _SHOWN == 0)):
        yield from properties.shown(found, number)
        yield from properties.excerpts(found.facts)


def _asked(each: Input) -> set[str]:
    """The facts that an input is asked for: what its base has, and some that it lacks."""
    facts = each.known.facts
    rng = random.Random(each.number)  # noqa: S311 - a choice, no secret
    lacking = [name for name, fact in facts.items() if fact.value is None]
    asked = {name for name, fact in facts.items() if fact.value is not None}
    asked.update(rng.sample(lacking, min(len(lacking), _LACKING)))
    return {name.rpartition(":")[2] for name in asked}


def _packed(each: Input) -> bool:
    """Whether the lines of the file's bytes are not those of the text."""
    return bool(each.doc.packing) or each.doc.encoding != "utf-8"


def _refused(each: Input, found: Read) -> Iterator[Finding]:
    for refusal in found.refusals:
        if not refusal.message or refusal.exit_code != properties.REFUSED:
            yield Finding("refusal", f"{type(refusal).__name__}", refusal.message)
        if each.doc.equal:
            yield Finding("refused", "+".join(each.mutators), refusal.message)
    if each.doc.equal and len(found.reports) != 1:
        yield Finding("refused", "+".join(each.mutators), f"{len(found.reports)} reports")


def _release(identity: Mapping[str, object]) -> set[object]:
    return {value for name, value in identity.items() if name.endswith(":release")}


def _identity(each: Input, found: Read) -> Iterator[Finding]:
    for name, value in each.known.identity.items():
        if not name.endswith(":source") and found.identity.get(name) != value:
            yield Finding("unequal", name, f"{value!r} -> {found.identity.get(name)!r}")
