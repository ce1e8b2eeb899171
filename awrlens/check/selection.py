"""Which rules count: chosen and left out by id, name or the beginning of an id.

The longer selector decides (``--select REDO --ignore REDO006``); of equals, the one that leaves
out. A selector that means no rule is an error, so that a typing mistake cannot pass a check.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.errors import UsageError
from awrlens.model import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.checked import Suppression
    from awrlens.model import Severity

#: All rules.
ALL: Final = "ALL"


class Settings(NamedTuple):
    """What a check is asked: selectors, severities set by the user, what fails.

    ``per_path`` has patterns of paths with the selectors that do not count there.
    """

    select: tuple[str, ...] = (ALL,)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    per_path: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fail_on: tuple[str, ...] = ("warning",)
    #: What could not be judged fails.
    strict: bool = False


class Known(NamedTuple):
    """The rules that there are: name by id."""

    names: Mapping[str, str]

    def check(self, selector: str) -> str:
        """A selector in capitals, or the id of the rule of that name; UsageError otherwise."""
        upper = selector.strip().upper()
        if upper == ALL or any(each.startswith(upper) for each in self.names if upper):
            return upper
        for rule, name in self.names.items():
            if name == selector.strip().lower():
                return rule
        from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

        near = get_close_matches(upper, [*self.names, *(n.upper() for n in self.names.values())], 1)
        raise UsageError(
            f"There is no rule {selector!r}, and none that begins so.",
            hint=(f"Did you mean {near[0]}? " if near else "") + "`awrlens rules` lists them.",
        )


def checked(settings: Settings, known: Known) -> Settings:
    """Settings with every selector resolved; UsageError for one that means nothing."""

    def each(selectors: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(known.check(selector) for selector in selectors))

    return Settings(
        each(settings.select) or (ALL,),
        each(settings.extend_select),
        each(settings.ignore),
        tuple((known.check(selector), level) for selector, level in settings.severity),
        tuple((pattern, each(selectors)) for pattern, selectors in settings.per_path),
        tuple(
            dict.fromkeys(
                level.lower() if level.lower() in SEVERITIES else known.check(level)
                for level in settings.fail_on
            )
        ),
        settings.strict,
    )


def _longest(rule: str, selectors: Iterable[str]) -> int:
    """Length of the longest selector that means a rule; 0 for all, -1 for none of them."""
    return max(
        (0 if selector == ALL else len(selector) for selector in selectors
         if selector == ALL or rule.startswith(selector)),
        default=-1,
    )  # fmt: skip


def suppressed(rule: str, source: str, settings: Settings) -> Suppression | None:
    """Why a rule's findings do not count in a file; None where they do."""
    from awrlens.checked import Suppression  # noqa: PLC0415 - not for a plain analysis

    chosen = _longest(rule, (*settings.select, *settings.extend_select))
    out = _longest(rule, settings.ignore)
    if chosen < 0:
        return Suppression("not-selected", f"not among {', '.join(settings.select)}")
    if out >= chosen:
        return Suppression("ignore", f"ignored by {_which(rule, settings.ignore)}")
    for pattern, selectors in settings.per_path:
        if _longest(rule, selectors) >= 0 and _fits(source, pattern):
            return Suppression("per-path-ignore", f"{_which(rule, selectors)} ignored in {pattern}")
    return None


def _which(rule: str, selectors: tuple[str, ...]) -> str:
    return max(
        (each for each in selectors if each == ALL or rule.startswith(each)),
        key=lambda each: 0 if each == ALL else len(each),
    )


def _fits(source: str, pattern: str) -> bool:
    """Whether a path fits a pattern, as a whole or by its end: ``staging/*``, ``*_batch.html``."""
    path = PurePath(source)
    return (
        fnmatch(path.as_posix(), pattern)
        or fnmatch(path.name, pattern)
        or fnmatch(path.as_posix(), f"*/{pattern}")
    )


def severity(rule: str, found: Severity, settings: Settings) -> Severity:
    """The severity in force: the user's for a rule or its family, else the rule's own.

    What nobody waits for stays ``ok``: a setting makes a finding, not a fine thing, urgent.
    """
    if found == "ok":
        return found
    own = [(selector, level) for selector, level in settings.severity
           if selector == ALL or rule.startswith(selector)]  # fmt: skip
    if not own:
        return found
    return max(own, key=lambda each: 0 if each[0] == ALL else len(each[0]))[1]


def named(rule: str, settings: Settings) -> bool:
    """Whether a rule is one of those that fail, whatever their severity."""
    return any(
        each not in SEVERITIES and (each == ALL or rule.startswith(each))
        for each in settings.fail_on
    )


def fails(rule: str, level: Severity, settings: Settings) -> bool:
    """Whether a finding fails the check: at or above a severity, or of a rule that is named."""
    if level == "ok":
        return False
    at = SEVERITIES.index(level)
    severe = any(each in SEVERITIES and at >= SEVERITIES.index(each) for each in settings.fail_on)
    return severe or named(rule, settings)
