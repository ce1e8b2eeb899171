"""Whole reports, attacked by class: what awrlens then says against an independent reading.

A class takes something away (a section, a page of a list, a row, a letter of a unit), puts two
reports together (joined, one in the other, section by section) or changes a figure: a statistic
(negated, wrapped at 32 bits, enlarged), or a cell that a fact cites (a million times as large,
below 0, with 22 digits more). `docs/fuzzing.md` has the table; `tools/attack.py` prints it.
"""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens import api
from awrlens.report.report import Report
from fuzzing import plain
from fuzzing.properties import NEAR_BY_UNIT, OF_SEVERAL, is_near

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from awrlens.model import Fact

_TITLE: Final = re.compile(r"\f?[ ]{0,2}([A-Z][^\n]*?)\s*(?:DB/Inst:| for DB: )")
_HEADING: Final = re.compile(r"<h[23]\b[^>]*>(.*?)</h[23]>", re.I | re.S)
_CELL: Final = re.compile(r"(?<=>)\s*[\d,.]+(?:[KMGTs]|us|ms)?\s*(?=</td>)", re.I)
_FIGURE: Final = re.compile(r"(?<=\s)[\d,]+(?:\.\d+)?(?:[KMGT]|us|ms|s)?(?=\s|$)")
_LETTER: Final = re.compile(r"(?<=[\d.])(?:[KMGT]|us|ms|s)(?=\s|<|$)")
#: A fact is off by more than this share.
OFF: Final = 0.3
#: Rows, letters and figures of each report that are attacked.
EACH: Final = 6
DROPS: Final = ("section", "first page", "last page", "row", "letter")
FIGURES: Final = ("negated", "wrapped", "enlarged")
CITED: Final = ("a million times", "below 0", "22 digits more")
#: Cells of each report that are attacked.
EACH_CITED: Final = 12
_PRINTED: Final = re.compile(r"([\d,]*\.?\d*)([KMGTP]|us|ms|s|%)?$")
PAIRS: Final = ("joined", "nested", "interleaved")


class Attack(NamedTuple):
    """What was done, where, and the text that it leaves."""

    kind: str
    where: str
    text: str


def sections(text: str) -> dict[str, list[tuple[int, int]]]:
    """Where the sections of a report are, by title; the pages of a list have one title."""
    end = text.rfind("End of Report")
    stop = end if end > 0 else len(text)
    marks = [
        (m.start(), re.sub(r"<[^>]*>|\s+", " ", m[1]).strip()) for m in _HEADING.finditer(text)
    ]
    if not marks:
        at, lines = 0, text.split("\n")
        for number, line in enumerate(lines):
            titled = _TITLE.match(line)
            below = lines[number + 1] if number + 1 < len(lines) else ""
            if titled:
                marks.append((at, re.sub(r"\s+", " ", titled[1])))
            elif re.match(r"\f?[A-Z]", line) and below.startswith("~~~~"):
                marks.append((at, re.split(r"\s{2,}|\(", line.strip("\f").strip())[0]))
            at += len(line) + 1
    found: dict[str, list[tuple[int, int]]] = {}
    for (begin, title), (after, _) in pairwise([*marks, (stop, "")]):
        found.setdefault(title, []).append((begin, max(begin, min(after, stop))))
    return found


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """A text without some stretches."""
    at, pieces = 0, []
    for begin, end in sorted(spans):
        pieces.append(text[at:begin])
        at = max(at, end)
    return "".join(pieces) + text[at:]


def on_one(text: str, seed: str) -> Iterator[Attack]:
    """All attacks of one report: each section and page, and some rows, letters and figures."""
    for title, spans in sections(text).items():
        yield Attack("section", title, without(text, spans))
        if len(spans) > 1:
            yield Attack("first page", title, without(text, spans[:1]))
            yield Attack("last page", title, without(text, spans[-1:]))
    rng = random.Random(seed)  # noqa: S311 - a choice, no secret
    html = _HEADING.search(text) is not None
    rows = [
        *re.finditer(
            r"<tr\b.*?</tr>" if html else r"^[ \t]?\w.*\d[ \t\r]*\n",
            text,
            re.I | re.M | re.S * html,
        )
    ]
    for row in rng.sample(rows, min(EACH, len(rows))):
        yield Attack("row", str(text.count("\n", 0, row.start()) + 1), without(text, [row.span()]))
    letters = [m for m in _LETTER.finditer(text) if not html or text[m.end() :].lstrip()[:1] == "<"]
    for letter in rng.sample(letters, min(EACH, len(letters))):
        blank = "" if html else " " * len(letter[0])
        changed = f"{text[: letter.start()]}{blank}{text[letter.end() :]}"
        yield Attack("letter", str(text.count("\n", 0, letter.start()) + 1), changed)
    for name in {each for first, _, second in plain.FACTS.values() for each in (first, second)}:
        for kind in FIGURES if name in plain.statistics(text) else ():
            if (other := _changed(text, name, kind)) is not None:
                yield Attack(kind, name, other)


def _changed(text: str, name: str, kind: str) -> str | None:
    """A statistic that is negated, wrapped or enlarged in its column."""
    for pattern in (plain._TEXT, plain._PAGE):
        match = re.search(pattern.format(re.escape(name)), text, re.M | re.I)
        if match is None or name in ("elapsed", "DB time"):
            continue
        value = int(match[1].replace(",", ""))
        new = {"negated": -value, "wrapped": value - 2**32, "enlarged": value * 10**22 + 7}[kind]
        begin, end = match.span(1)
        while "<" not in match[0] and end - begin < len(f"{new:,}") and text[begin - 1] == " ":
            begin -= 1  # figures are on the right of their columns
        return f"{text[:begin]} {new:,}"[: len(text)] + text[end:] if value else None
    return None


def on_cited(text: str, seed: str, facts: dict[str, Fact], each: int) -> Iterator[Attack]:
    """Some of the figures that facts cite, each changed in its column."""
    lines = text.split("\n")
    cells = {
        (item.line, item.row, item.column, item.text.strip()): None
        for fact in facts.values() if fact.value is not None
        for item in fact.evidence
        if item.line and re.search("[1-9]", item.text) and _PRINTED.match(item.text.strip())
    }  # fmt: skip
    rng = random.Random(seed)  # noqa: S311 - a choice, no secret
    for number, row, column, printed in rng.sample([*cells], min(each, len(cells))):
        line = lines[number - 1]
        pattern = re.compile(rf"(?<![\w.,$#-]){re.escape(printed)}(?![\w,$#.-])")
        cell = pattern.search(line, max(0, line.find(row[:20]))) or pattern.search(line)
        if cell is None:
            continue
        for kind, other in zip(CITED, _others(printed), strict=True):
            begin = cell.start()  # figures are on the right of their columns
            while "<" not in line and cell.end() - begin < len(other) and (
                line[begin - 2 : begin] == "  "
            ):  # fmt: skip
                begin -= 1
            new = f"{line[:begin]}{other.rjust(cell.end() - begin)}{line[cell.end() :]}"
            changed = "\n".join([*lines[: number - 1], new, *lines[number:]])
            yield Attack(kind, f"{number}, {row} {column} {printed}", changed)


def _others(printed: str) -> tuple[str, str, str]:
    """A figure a million times as large, below 0, and with 22 digits more, in its format."""
    digits, unit = _PRINTED.match(printed).groups(default="")  # type: ignore[union-attr]
    whole, point, parts = digits.replace(",", "").partition(".")
    large = f"{int(whole + parts.ljust(6, '0')[:6]):,}"
    longer = f"{int(whole or 0) or 1:,}" + ",000" * 7 + ",0"
    return f"{large}{point}{parts and '0' * len(parts)}{unit}", f"-{printed}", f"{longer}00{unit}"


def on_two(first: str, second: str) -> Iterator[Attack]:
    """Two reports in one text."""
    yield Attack("joined", "", f"{first}\n{second}")
    spans = sorted(span for each in sections(first).values() for span in each)
    if spans:
        at = spans[len(spans) // 2][0]
        yield Attack("nested", "", f"{first[:at]}\n{second}\n{first[at:]}")
        other = sorted(span for each in sections(second).values() for span in each)
        pieces = [first[: spans[0][0]], second[: other[0][0]] if other else second]
        for number in range(max(len(spans), len(other))):
            pieces += [
                text[slice(*each[number])] for text, each in ((first, spans), (second, other))
                if number < len(each)
            ]  # fmt: skip
        yield Attack("interleaved", "", "\n".join(pieces))


def read(text: str) -> list[tuple[Report, dict[str, Fact]]]:
    """The reports of a text, each with its facts."""
    found = api.load_all(text.encode("latin-1", "replace"), "attacked")
    return [(each, dict(api.facts_of(each))) for each in found if isinstance(each, Report)]


def silent(before: dict[str, Fact], after: dict[str, Fact]) -> Iterator[str]:
    """The facts that a drop changed without a word: from something to 0, or far off."""
    for name, old in before.items():
        new = after.get(name)
        if new is None or new.value is None or new.value == old.value or name in OF_SEVERAL:
            continue
        if old.value is None and (new.value != 0 or new.note):
            continue  # another section has it
        if isinstance(new.value, tuple | str) or isinstance(old.value, tuple | str):
            continue  # names, whose rows say where they are from
        apart = abs((old.value or 0) - new.value)
        # rates have one or two decimals
        near = apart <= NEAR_BY_UNIT.get(old.unit, 0.05 if old.unit.startswith("1/") else 0.0)
        # a zero is never said by its note, which is the reason for it
        other = new.note != old.note or new.status != old.status == "estimated"
        said = new.value != 0 and (new.status == "estimated" or (bool(new.note) and other))
        if not near and not said and not is_near(old.value, new.value, old.unit, OFF):
            yield f"{name}: {old.value!r} -> {new.value!r}"


def wrong(known: dict[str, float], found: dict[str, Fact]) -> Iterator[str]:
    """The facts that are neither what the text prints nor unavailable."""
    for name, value in known.items():
        fact = found.get(name)
        if fact is None or fact.number is None:
            continue
        if abs(fact.number - value) > 0.01 * abs(value) or fact.number < 0:
            yield f"{name}: {value:g} printed, {fact.number:g}"
