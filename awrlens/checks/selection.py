"""The settings of a check: which rules count, by id, name or id prefix, and from which severity.

The longer selector wins (``--select REDO --ignore REDO006``); if both have the same length,
ignore wins. A selector that matches no rule is an error, so that a typo cannot pass a check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens import errors, rules
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple
from awrlens.model import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from awrlens.model import Severity
    from awrlens.model.check_run import Suppression


ALL: Final = "ALL"


class Settings(NamedTuple):
    """The settings of a check: selectors, severities set by the user, failure conditions.

    ``per_path`` maps path patterns to the selectors ignored there.
    """

    select: tuple[str, ...] = (ALL,)
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    per_path: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fail_on: tuple[str, ...] = ("warning",)
    #: Whether skipped inputs and rules fail the check.
    strict: bool = False


def checked(settings: Settings, names: Mapping[str, str]) -> Settings:
    """Settings with every selector resolved; ``names`` are the names of all rules by id.

    Each becomes an id or a prefix of ids. UsageError for one that matches nothing.
    """

    def one(selector: str, severities: Iterable[str] = ()) -> str:
        upper = selector.strip().upper()
        if upper == ALL or any(rule.startswith(upper) for rule in names if upper):
            return upper
        for rule, name in names.items():
            if name == selector.strip().lower():
                return rule
        families = {rule.rstrip("0123456789") for rule in names}
        rest = "`awrlens rules` lists all rules."
        raise UsageError(
            f"There is no rule {selector!r} and no rule id with this prefix.",
            hint=errors.hint(
                rules.whole(selector), (*severities, *families, *names, *names.values()),
                f"Severities are critical, warning and info; {rest}" if severities else rest,
            ),
        )  # fmt: skip

    def resolved(selectors: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(one, selectors)))

    levels = (level.lower() if level.lower() in SEVERITIES else one(level, SEVERITIES)
              for level in settings.fail_on)  # fmt: skip
    return Settings(
        resolved(settings.select), resolved(settings.ignore),
        tuple((one(selector), level) for selector, level in settings.severity),
        tuple((pattern, resolved(selectors)) for pattern, selectors in settings.per_path),
        tuple(dict.fromkeys(levels)), settings.strict,
    )  # fmt: skip


def check_some(settings: Settings, ids: Iterable[str]) -> None:
    """UsageError if no rule can fail a check, which would pass anything."""
    if not any(can_fail(rule, "", settings) for rule in ids):
        raise UsageError(
            "No rule can fail: fail-on, select, ignore and severity leave none.",
            hint="Set fail-on to critical, warning, info or to rules that are selected.",
        )


def can_fail(rule: str, source: str, settings: Settings) -> bool:
    """Whether a critical finding of a rule would fail the check of a file."""
    level = severity(rule, "critical", settings)
    return suppressed(rule, source, settings) is None and fails(rule, level, settings)


def _longest(rule: str, selectors: Iterable[str]) -> tuple[int, str]:
    """The longest selector that matches a rule, and its length; 0 for ALL, -1 if none matches."""
    matching = (selector for selector in selectors if selector == ALL or rule.startswith(selector))
    lengths = ((0 if selector == ALL else len(selector), selector) for selector in matching)
    return max(lengths, default=(-1, ""))


def suppressed(rule: str, source: str, settings: Settings) -> Suppression | None:
    """Why the findings of a rule do not count in a file; None if they count."""
    from awrlens.model.check_run import Suppression

    chosen, _ = _longest(rule, settings.select)
    if chosen < 0:
        return Suppression("not-selected", f"not among {', '.join(settings.select)}")
    length, selector = _longest(rule, settings.ignore)
    if length >= chosen:
        return Suppression("ignore", f"ignored by {selector}")
    for pattern, selectors in settings.per_path:
        length, selector = _longest(rule, selectors)
        if length >= 0 and _fits(source, pattern):
            return Suppression("per-path-ignore", f"{selector} ignored in {pattern}")
    return None


def _fits(source: str, pattern: str) -> bool:
    """Whether a whole path or its end matches a pattern: ``staging/*``, ``*_batch.html``."""
    from fnmatch import fnmatch
    from pathlib import PurePath

    path = PurePath(source).as_posix()
    return fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}")


def severity(rule: str, own: Severity, settings: Settings) -> Severity:
    """The effective severity: the user's for a rule or its family, else the rule's own.

    ``ok`` stays ``ok``: settings change the severity of problems only.
    """
    levels = dict(reversed(settings.severity))  # the first one for a selector
    length, selector = _longest(rule, levels)
    return levels[selector] if length >= 0 and own != "ok" else own


def fails(rule: str, level: Severity, settings: Settings) -> bool:
    """Whether a finding fails the check, by its severity or by its rule."""
    at = SEVERITIES.index(level)
    severe = any(word in SEVERITIES and at >= SEVERITIES.index(word) for word in settings.fail_on)
    rules = (word for word in settings.fail_on if word not in SEVERITIES)
    return level != "ok" and (severe or _longest(rule, rules)[0] >= 0)
