"""The errors of awrlens: one family, each with a location and a hint, such as the nearest name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


#: Exit statuses of CONTRACT, section 2.
EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_INTERNAL = 4
EXIT_INTERRUPTED = 130


class AwrlensError(Exception):
    """A problem with a message of one sentence, a location and a hint.

    ``source`` is a file name as given by the user, and ``line`` a 1-based line in it;
    both are None if the problem has no location.
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
        """Location, message and hint on one line."""
        place = ""
        if self.source is not None:
            place = f"{self.source}:{self.line}: " if self.line else f"{self.source}: "
        return f"{place}{self.message}" + (f" {self.hint}" if self.hint else "")


class UsageError(AwrlensError):
    """The command line or the configuration is invalid."""

    exit_code = EXIT_USAGE


class GrammarError(UsageError):
    """A grammar file is invalid; ``line`` is the line of the mistake."""


class UnreadableError(AwrlensError):
    """An input cannot be opened or decoded."""

    exit_code = EXIT_UNREADABLE


class NotAReportError(UnreadableError):
    """An input is readable but not a known report."""


class OtherReportError(NotAReportError):
    """An input is an Oracle report of a kind that awrlens does not judge."""


class OwnPageError(NotAReportError):
    """An input is a page of awrlens, or a JSON document."""


class FailedJobError(UnreadableError):
    """An input contains the error of a failed report job."""


class UnknownInputError(NotAReportError):
    """An input does not begin like a report; it may still be an excerpt of one.

    ``text`` is its content, for readers of other kinds of input.
    """

    text = ""


class InternalError(AwrlensError):
    """A bug in awrlens that occurred on one report; other reports are not affected."""


class UnknownTableError(UsageError, KeyError):
    """The requested table is not in the report."""


def install(extras: str) -> str:
    """The hint where the packages of an extra are missing; no package index has awrlens."""
    return f"Install the extra: pip install '.[{extras}]' in the checkout, or 'FILE.whl[{extras}]'"


def reason(problem: Exception) -> str:
    """What the operating system says of a problem, as the end of a sentence."""
    return (getattr(problem, "strerror", None) or str(problem)).lower()


def name(text: str, choices: Iterable[str]) -> str:
    """The known name that is most similar, with capitals, O and 0, I, l and 1 alike; or empty."""
    from difflib import get_close_matches

    names, digits = {choice.upper(): choice for choice in choices}, str.maketrans("OIL", "011")
    alike = {word.translate(digits): [word] for word in names}.get(text.upper().translate(digits))
    return names.get(next(iter(alike or get_close_matches(text.upper(), names, n=1)), ""), "")


def hint(text: str, choices: Iterable[str], rest: str = "") -> str:
    """``Did you mean X?`` if a known name is similar, followed by ``rest``."""
    near = name(text, choices)
    return " ".join(filter(None, (f"Did you mean {near}?" if near else "", rest)))


def either(text: str, choices: Iterable[str], rest: str) -> str:
    """``Did you mean X?`` if a known name is similar, otherwise ``rest``."""
    return hint(text, choices) or rest
