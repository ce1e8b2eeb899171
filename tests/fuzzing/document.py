"""What is mutated: excerpts of our samples and whole samples, line by line."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import samples

if TYPE_CHECKING:
    from collections.abc import Callable

#: Our reports; logs and tables of other systems are not mutated here.
NAMES: Final = tuple(
    sorted(
        each.name
        for each in samples.FOLDER.iterdir()
        if re.search(r"\.(?:statspack|awr)-", each.name)
    )
)
_TITLE: Final = re.compile(r"\f?[A-Z][^\n]*(?:DB/Inst:| for DB: )")
_HEADING: Final = re.compile(r"(?:<a [^<>]*></a>)?\s*<h[23]", re.I)
_RULE: Final = re.compile(r"[ >|]*(?:~~|--+[ -]*$)")
_END: Final = re.compile(r"(?:<p>)?End of Report")
#: Of this share of bases the whole sample is mutated, else an excerpt of it.
_WHOLE: Final = 0.03
_MOST_SECTIONS: Final = 5
#: A longer section is in an excerpt only now and then, so that most inputs are quick.
_LONG: Final = 150
_SELDOM: Final = 0.15


class Base(NamedTuple):
    """An excerpt of a sample, or all of it: as printed, and nothing wrong with it."""

    sample: str
    lines: tuple[str, ...]

    @property
    def html(self) -> bool:
        """Whether it is a page."""
        return self.sample.endswith("html")

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "\n".join(self.lines)


@cache
def lines_of(sample: str) -> tuple[str, ...]:
    """The lines of a sample."""
    return tuple(samples.path(sample).read_text(encoding="utf-8").split("\n"))


def starts(lines: list[str] | tuple[str, ...], *, html: bool) -> list[int]:
    """Where sections begin; what stands before the first is the head."""
    if html:
        return [number for number, line in enumerate(lines) if _HEADING.match(line)]
    return [number for number, line in enumerate(lines) if _TITLE.match(line)]


@cache
def parts_of(sample: str) -> tuple[tuple[str, ...], ...]:
    """A sample's head, its sections and its end, the last few lines."""
    lines = lines_of(sample)
    end = max(n for n, line in enumerate(lines) if _END.match(line))
    begins = [n for n in starts(lines, html=sample.endswith("html")) if n < end]
    bounds = [0, *begins, end, len(lines)]
    return tuple(lines[a:b] for a, b in pairwise(bounds))


def base(number: int) -> Base:
    """The base of a number: always the same one."""
    rng = random.Random(f"base {number}")  # noqa: S311 - a choice, no secret
    sample = rng.choice(NAMES)
    if rng.random() < _WHOLE:
        return Base(sample, lines_of(sample))
    head, *sections, end = parts_of(sample)
    usual = [n for n, part in enumerate(sections) if len(part) <= _LONG or rng.random() < _SELDOM]
    chosen = sorted(rng.sample(usual, min(len(usual), rng.randint(1, _MOST_SECTIONS))))
    lines = [*head, *(line for n in chosen for line in sections[n]), *end]
    return Base(sample, tuple(lines))


class Doc:
    """A base that is being mutated: its lines, where each comes from, and what may follow.

    ``origins`` are the lines' numbers in the base, 0 for a line that is new.
    """

    def __init__(self, base_: Base, cells: dict[int, list[str]]) -> None:
        self.base = base_
        self.html = base_.html
        self.lines = list(base_.lines)
        self.origins = list(range(1, len(self.lines) + 1))
        #: Texts that facts of the base cite, by line.
        self.cells = cells
        #: Lines with another figure, which facts that cite them follow.
        self.changed: set[int] = set()
        #: Lines with a figure that cannot be read for what it was.
        self.spoilt: set[int] = set()
        #: Something is not there any more: its facts are unavailable, or found elsewhere.
        self.lost = False
        #: Anything may follow but an exception, a hang or evidence that does not stand there.
        self.wild = False
        #: What becomes of the text's bytes.
        self.packing: list[Callable[[bytes], bytes]] = []
        self.encoding = "utf-8"
        self.line_end = "\n"

    @property
    def equal(self) -> bool:
        """Whether it says what the base says."""
        return not (self.changed or self.spoilt or self.lost or self.wild)

    @property
    def renamed(self) -> bool:
        """Whether a title or a heading is another: its section may not be known by it."""
        lines = self.base.lines
        touched = self.changed | self.spoilt
        rules = (lines[n] for n in touched if n < len(lines))
        titles = (lines[n - 1] for n in touched if 0 < n <= len(lines))
        return not self.html and (any(map(_RULE.match, rules)) or any(map(_TITLE.match, titles)))

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "\n".join(self.lines)

    @property
    def data(self) -> bytes:
        """The file."""
        data = self.line_end.join(self.lines).encode(self.encoding, "replace")
        for pack in self.packing:
            data = pack(data)
        return data

    def replace(self, at: int, line: str) -> None:
        """Another text for a line."""
        self.lines[at] = line

    def insert(self, at: int, lines: list[str]) -> None:
        """New lines before a line."""
        self.lines[at:at] = lines
        self.origins[at:at] = [0] * len(lines)

    def keep(self, numbers: list[int]) -> None:
        """These lines in this order."""
        self.lines = [self.lines[n] for n in numbers]
        self.origins = [self.origins[n] for n in numbers]

    def sections(self) -> list[range]:
        """The head, every section and the end, as lines."""
        begins = starts(self.lines, html=self.html)
        ends = [n for n, line in enumerate(self.lines) if _END.match(line)]
        end = ends[-1] if ends and (not begins or ends[-1] > begins[-1]) else len(self.lines)
        bounds = [0, *begins, end, len(self.lines)]
        return [range(a, b) for a, b in pairwise(bounds)]
