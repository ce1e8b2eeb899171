"""What awrlens says when it cannot go on: one family, each with a place and a next step."""

from __future__ import annotations

#: Exit statuses of CONTRACT section 2, by meaning.
EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130


class AwrlensError(Exception):
    """A problem that is told in one sentence: what, where, what to do.

    ``source`` is a file name as the user gave it and ``line`` a 1-based line in it;
    both are None where the problem has no place.
    """

    exit_code = EXIT_INTERNAL

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        """Place, sentence and next step on one line."""
        place = ""
        if self.source is not None:
            place = f"{self.source}:{self.line}: " if self.line else f"{self.source}: "
        return f"{place}{self.message}" + (f" {self.hint}" if self.hint else "")


class UsageError(AwrlensError):
    """The call or the configuration is wrong."""

    exit_code = EXIT_USAGE


class GrammarError(UsageError):
    """A grammar file cannot be read; ``line`` points into it."""


class UnreadableError(AwrlensError):
    """An input cannot be opened or decoded."""

    exit_code = EXIT_UNREADABLE


class NotAReportError(UnreadableError):
    """An input was read and is not a report that awrlens knows."""


class OtherReportError(NotAReportError):
    """An input is a report of Oracle, but one that awrlens does not judge."""


class FailedJobError(UnreadableError):
    """An input holds the error of the job that should have written a report."""


class UnknownInputError(NotAReportError):
    """An input has no report's first line; it may still be an excerpt of one.

    ``text`` is what it says, for those who read other kinds of input.
    """

    text = ""


class InternalError(AwrlensError):
    """A mistake of awrlens, met while it read one report: the others are not its concern."""


class UnknownTableError(UsageError, KeyError):
    """A table was asked for that the report does not have."""
