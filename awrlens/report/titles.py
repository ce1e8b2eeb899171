"""The database, instance and snapshots that a section's title names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import NamedTuple, regex

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

    from awrlens.source.open import Source

_SNAPS = r"(?:\s++Snap(?P<several>s?): *+(?P<b>\d{1,18}+)(?: *+- *+(?P<e>\d{0,18}))?)?"
#: Words before the names, and a pattern for the names; a search for plain text is many times as
#: fast as one for a pattern.
_TITLES: Final = (
    (
        "DB/Inst:",
        regex(rf"DB/Inst: ?(?P<db>[^/\s]{{0,128}})(?:/(?P<inst>\S{{1,128}}))?{_SNAPS}"),
    ),
    (
        " for DB:",
        regex(
            r" for DB: *+(?P<db>[^,\s]{1,128}+)(?!,)"
            rf"(?: ++Instance: *+(?P<inst>\S{{1,128}}))?{_SNAPS}"
        ),
    ),
    (
        ", Inst:",
        regex(rf"DB: *+(?P<db>[^,<\s]{{0,128}}), *Inst: *(?P<inst>[^,<\s]{{1,128}}),{_SNAPS}"),
    ),
)
#: Every line that names a database has one of these.
_MARKS: Final = ("DB/Inst:", "DB:")
#: The words in nearly all titles.
_USUAL: Final = _TITLES[0][0]
#: Titles are cut at the width of Oracle's pages: 77 columns in AWR reports, 80 in Statspack's.
_WIDTHS: Final = range(77, 81)
#: The line number that `grep -n` puts before a line.
_PREFIX: Final = regex(r"\d++[:-]")
#: Names on a line of their own are at most this far below the words of their title.
_NAMES_ALONE: Final = ("DB/Inst:", "DB:")
_ABOVE: Final = 3
_MOST_REPORTS: Final = 50
#: Lines of a report's header, which is above all of its titles.
_HEADER: Final = regex(r"[\s|#*]{0,99}(?:DB Name[\s|*]{1,99}DB Id\b|Begin Snap:|Elapsed:)")
#: Longer lines of text belong to the document around the sections.
_PROSE: Final = 100
#: Characters that text recognition (OCR) confuses.
_ALIKE: Final = str.maketrans({"l": "1", "i": "1", "|": "1", "o": "0"})


class Named(NamedTuple):
    """The names in a title, as far as its line has them; ``at`` is where the line begins."""

    at: int
    db: str
    instance: str | None
    begin: str | None
    end: str | None
    #: The line ends with it at the page width: its last name or number may be incomplete.
    cut: bool
    #: It was cut after the dash, so the first number is complete.
    open: bool

    @property
    def certain(self) -> Named:
        """The reliable part: without the name or the number at which the line was cut."""
        if not self.cut or self.open:
            return self
        if self.end:
            return self._replace(end=None)
        if self.begin:
            return self._replace(begin=None)
        return self._replace(instance=None) if self.instance else self._replace(db="")

    def agrees(self, other: Named) -> bool:
        """Whether two titles may be from one report, as far as their lines show."""
        one, two = self.certain, other.certain
        if not _alike(one.db, two.db) or not _alike(one.instance, two.instance):
            return False
        # advisories name only the last snapshot, or the first if the line is cut there
        alone = next((title for title in (one, two) if title.begin and not title.end), None)
        if alone is None:
            return _alike(one.begin, two.begin) and _alike(one.end, two.end)
        rest = two if alone is one else one
        snaps = {rest.begin, rest.end} - {None, ""}
        return not snaps or alone.begin in snaps


def _alike(one: str | None, other: str | None) -> bool:
    if not one or not other:
        return True
    return one.lower().translate(_ALIKE) == other.lower().translate(_ALIKE)


def named_in(text: str) -> Iterator[Named]:
    """The titles of a text that name a database, in order."""
    titles = (_in_line(line, begin) for begin, line in _lines_with_names(text))
    return (title for title in titles if title is not None)


def _lines_with_names(text: str) -> list[tuple[int, str]]:
    lines: dict[int, str] = {}
    for words in _MARKS:
        at = text.find(words)
        while at >= 0:
            begin = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            lines[begin] = text[begin : end if end >= 0 else None]
            at = text.find(words, end) if end >= 0 else -1
    return sorted(lines.items())


def _in_line(line: str, begin: int) -> Named | None:
    places = [(line.find(words), pattern) for words, pattern in _TITLES if words in line]
    for _, pattern in sorted(places) if len(places) > 1 else places:
        match = pattern.search(line)
        if match is not None:
            return _named(match, begin, line.rstrip())
    return None


def _kinds_in(text: str) -> list[Named]:
    """The first title of each kind; to read all of them takes 2.4 % more instructions."""
    seen: set[tuple[str, bool, bool]] = set()
    kinds: list[Named] = []
    for begin, line in _lines_with_names(text):
        words, mark, names = line.partition(_USUAL)
        other = words[:1].isdigit() or "DB:" in words or "Inst:" in words
        usual = mark != "" and not other
        shown = line.rstrip()
        if usual and not shown.endswith("-"):
            names = names.rstrip()
        kind = (names if usual else line, usual, len(shown) in _WIDTHS)
        if kind not in seen:
            seen.add(kind)
            named = _in_line(line, begin)
            kinds += [] if named is None else [named]
    return kinds


def first_named(text: str) -> Named | None:
    """The names in the first complete title, else in the title with the most names and numbers."""
    best: Named | None = None
    for title in named_in(text):
        if best is None or _unnamed(title) < _unnamed(best):
            best = title
        if not _unnamed(best):
            break
    return best.certain if best else None


def _named(match: re.Match[str], begin: int, line: str) -> Named:
    first, last = match["b"], match["e"]
    ends = match.end() >= len(line)
    falls = first is not None and bool(last) and int(last) < int(first)
    dash = match[0].endswith("-")
    alone = bool(match["several"]) and last is None
    prefix = _PREFIX.match(line)
    width = len(line) - (prefix.end() if prefix else 0)
    # a pair that ends there is complete: complete titles also end at the page width
    cut = ends and (alone or (not last and width in _WIDTHS) or dash or falls)
    return Named(begin, match["db"], match["inst"], first, last or None, cut, cut and dash)


class Part(NamedTuple):
    """The sections of one report (``own``: with its header), or of none; other lines are blank."""

    named: Named | None
    text: str
    own: bool


def apart(
    source: Source, head: str, header: Callable[[], Named | None], is_title: Callable[[str], bool]
) -> list[Part]:
    """The sections of each report that titles name, if several; UnreadableError for too many.

    ``header`` has the names of the header, if it must be read. ``head`` is its text.
    """
    groups = _groups(_kinds_in(source.text))
    begin = head.find("Begin Snap:")
    named = head[begin : begin + _PROSE].split()[2:3] if begin >= 0 else []
    if len(groups) == 1 and [groups[0].certain.begin] == named:
        return []  # the header need not be read
    groups, own = _with_header(groups, header())
    if len(groups) < 2:  # noqa: PLR2004 - nothing to part
        return []
    if len(groups) > _MOST_REPORTS:
        raise UnreadableError(
            f"The titles of the text name more than {_MOST_REPORTS} databases and intervals.",
            source=source.name, hint="Give the sections of one database and interval at a time.",
        )  # fmt: skip
    lines = source.text.split("\n")
    owners = _owners(source.text, lines, list(named_in(source.text)), groups, own, is_title)
    parts = []
    for number in (*range(len(groups)), None):
        kept = (line if owner == number else "" for line, owner in zip(lines, owners, strict=True))
        group = None if number is None else groups[number]
        parts.append(Part(group, "\n".join(kept), own=group is not None and number == own))
    return parts


def _with_header(groups: list[Named], head: Named | None) -> tuple[list[Named], int | None]:
    """The groups, with one for the header if none is of its report, and the header's group."""
    if head is None or not groups:
        return groups, None
    agreeing = [number for number, group in enumerate(groups) if group.agrees(head)]
    snaps = [{group.certain.begin, group.certain.end} for group in groups]
    own = {head.begin, head.end}
    if not agreeing and all(own) and all(pair.isdisjoint({*own, None}) for pair in snaps):
        return [head, *groups], 0
    return groups, agreeing[0] if agreeing else 0


def _owners(
    text: str,
    lines: Sequence[str],
    named: Sequence[Named],
    groups: Sequence[Named],
    own: int | None,
    is_title: Callable[[str], bool],
) -> list[int | None]:
    """The group of each line: that of the title above, up to a title without names or to prose."""
    titles: dict[int, int] = {}
    number = last = group = 0
    for title in named:
        fitting = [at for at, other in enumerate(groups) if title.agrees(other)]
        group = group if group in fitting else fitting[0]
        number += text.count("\n", last, title.at)
        last = title.at
        titles[number] = group
    first = min(titles)
    owners: list[int | None] = []
    owner, is_headed = own, False
    for number, line in enumerate(lines):
        if number in titles:
            owner, is_headed = titles[number], False
            if line.lstrip().startswith(_NAMES_ALONE):  # the title's words are above
                above = [at for at in range(max(number - _ABOVE, 0), number) if lines[at].strip()]
                owners[above[-1] if above else number :] = [owner] * (
                    number - above[-1] if above else 0
                )
        elif len(owners) > first and number + 1 not in titles:
            prose = len(line) > _PROSE and not any(gap in line for gap in ("\t", "|", "   "))
            if _HEADER.match(line):  # it and the titles below it, which name nobody
                owner = next((titles[at] for at in sorted(titles) if at > number), None)
                is_headed = True
            elif not is_headed and (prose or any(map(is_title, (line, line.partition("  ")[0])))):
                owner = None
        owners.append(owner)
    return owners


def _groups(named: Sequence[Named]) -> list[Named]:
    groups: list[Named] = []
    # most titles of a report are alike
    first = {title[1:]: title for title in reversed(named)}
    for title in sorted(first.values(), key=lambda title: (_unnamed(title), title.at)):
        if not any(title.agrees(group) for group in groups):
            groups.append(title)
        if len(groups) > _MOST_REPORTS:
            break
    return sorted(groups, key=lambda group: group.at)


def _unnamed(named: Named) -> int:
    certain = named.certain
    return sum(not field for field in (certain.db, certain.instance, certain.begin, certain.end))
