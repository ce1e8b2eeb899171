"""Inputs to reports: every report of a path, an archive or standard input, or an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from awrlens.errors import AwrlensError, NotAReportError, UnknownInputError, UnreadableError
from awrlens.report.readable import check_language, check_width, says_something
from awrlens.report.report import Report
from awrlens.source import kind, parts
from awrlens.source import open as opener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from awrlens.source.open import Source

#: A longer text is not an excerpt.
_MOST_EXCERPT: Final = 2 * 2**20
#: Kinds of reports about one interval of one instance.
_ONE_INTERVAL: Final = ("statspack-text", "awr-text", "awr-html")
#: Maximum number of sections that an error lists.
_SHOWN: Final = 3
#: The caller's result for a text that is not a report.
Other = TypeVar("Other")


def _unknown(_: Source) -> AwrlensError | None:
    """The default for a text that is not a report: nothing else is known."""


def open_report(
    path_or_bytes: str | Path | bytes,
    name: str | None = None,
    refuse: Callable[[Source], AwrlensError | None] = _unknown,
) -> Report:
    """Read the first report of a path, ``-`` or bytes.

    Raises UnreadableError or NotAReportError with one sentence when that is not possible.
    """
    problem: AwrlensError | None = None
    for found in open_inputs(path_or_bytes, name, refuse):
        if isinstance(found, Report):
            return found
        problem = problem or found
    raise problem or UnreadableError("There is nothing to read.", source=name)


def open_inputs(
    path_or_bytes: str | Path | bytes, name: str | None, other: Callable[[Source], Other | None]
) -> Iterator[Report | Other | AwrlensError]:
    """Every report of a path, ``-`` or bytes, one after the other; an error for an unreadable one.

    A file has several reports if a session spooled them one after the other; an archive has one
    per member. ``other`` is called for a text without a report's first line.
    """
    for source in opener.read_all(path_or_bytes, name):
        if isinstance(source, AwrlensError):
            yield source
            continue
        found = _one(source, other)
        if isinstance(found, Report) and found.names_by_line:
            yield from _apart(found, source)
        else:
            yield found


def open_beginning(path: str) -> Report | None:
    """A report by the beginning of its file, for its identity; None if all of it is needed.

    Only for kinds whose header names the interval of the whole report.
    """
    source = opener.beginning(path)
    if source is None:
        return None
    try:
        told = kind.tell(source.text, source.name)
    except AwrlensError:
        return None
    return Report(source, told) if told.name in _ONE_INTERVAL else None


def _apart(report: Report, source: Source) -> Iterator[Report | AwrlensError]:
    """A report, and the sections of other reports in its text, by the titles of the sections.

    Sections without a database name are not read if the text names several databases.
    """
    from awrlens.report import titles  # noqa: PLC0415 - for text

    who = None if report.is_excerpt else report.identity
    try:
        found = titles.apart(source.text, report.is_title, who, source.name)
    except UnreadableError as problem:
        yield problem
        return
    if not found:
        yield report
    for number, each in enumerate(found, start=1):
        part = source._replace(name=f"{source.name}#{number}", text=each.text)
        excerpt = Report(part, kind.of_excerpt(each.text))
        if each.own:
            try:
                yield Report(part, kind.tell(each.text, part.name))
                continue
            except NotAReportError:  # its first line is in the part without a database name
                pass
            except AwrlensError as problem:
                yield problem
                continue
        if says_something(excerpt):
            yield excerpt if each.named else _unnamed(excerpt, part)


def _unnamed(excerpt: Report, source: Source) -> NotAReportError:
    """The error for sections that may be from any of several databases."""
    sections = [(excerpt.line(each.at), each.title) for each in excerpt.sections if each.title]
    lines = ", ".join(f"{title} (line {line})" for line, title in sections[:_SHOWN])
    more = f" and {len(sections) - _SHOWN} more" if len(sections) > _SHOWN else ""
    return NotAReportError(
        f"The text has sections of several databases or intervals; these sections do not say which "
        f"they belong to and are skipped: {lines}{more}.",
        source=source.name,
        hint="Give the sections of one database and interval at a time.",
    )


def _check_columns(source: Source, at: int) -> None:
    """Raise UnreadableError when the columns of a text report are lost."""
    from awrlens.report.copied_pages import is_copied  # noqa: PLC0415 - for text
    from awrlens.source import lost_columns  # noqa: PLC0415

    if not is_copied(source.text, at):
        lost_columns.check(source.text, at, source.name)


def _one(source: Source, other: Callable[[Source], Other | None]) -> Report | Other | AwrlensError:
    try:
        if kind.may_be_other(source.text) and (found := other(source)) is not None:
            return found
        told = kind.tell(source.text, source.name)
        if parts.breaks_off(source.text, told.name):
            source = source._replace(text=parts.without_torn_row(source.text, html=told.html))
        if not told.html:
            _check_columns(source, told.at)
        report = Report(source, told)
        check_language(report)
        check_width(report)
    except UnknownInputError as problem:
        found = other(source)
        if found is not None:
            return found
        problem.text = source.text
        if len(source.text) > _MOST_EXCERPT:
            return problem
        excerpt = Report(source, kind.of_excerpt(source.text))
        if says_something(excerpt):
            return excerpt
        return kind.job_error(source.text, source.name) or problem
    except AwrlensError as problem:
        return problem
    return report
