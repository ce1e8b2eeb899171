"""The thresholds in force: defaults where they are declared, values of the caller on top.

A policy is a value that is passed in, never a global. A threshold is named by its family
(``redo.slow_write_ms``); ``awrlens rules`` lists them, ``--set NAME=VALUE`` changes one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


#: The documents that rules and thresholds rest on, by the short name that the code uses.
DOCUMENTS: Final = {
    "document 1": "Utzig, Oracle9i Fast-Start Checkpointing Best Practices (Oracle, 2003)",
    "document 3": "Ault, Accelerate Oracle Logs and Tablespaces Using the Write Accelerator "
    "(Texas Memory Systems, 2008)",
}


def cite(source: str) -> str:
    """A source with the documents' titles in the place of their short names."""
    for short, title in DOCUMENTS.items():
        source = source.replace(short, title)
    return source


class Threshold(NamedTuple):
    """A number that decides, declared once: default, unit, what it means, where it comes from."""

    name: str
    default: float
    unit: str
    meaning: str
    source: str


class Policy:
    """Values for thresholds; those not set have their defaults."""

    def __init__(self, values: Mapping[str, float] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, threshold: Threshold) -> float:
        """The value in force."""
        return self._values.get(threshold.name, threshold.default)

    def is_set(self, threshold: Threshold) -> bool:
        """Whether the caller has changed it."""
        return threshold.name in self._values


def parse_settings(settings: Iterable[str], known: Mapping[str, Threshold]) -> Policy:
    """A policy out of ``NAME=VALUE`` texts; UsageError for an unknown name or no number."""
    values: dict[str, float] = {}
    for text in settings:
        name, sign, value = text.partition("=")
        if name.strip() not in known:
            raise UsageError(
                f"There is no threshold {name.strip()!r}.",
                hint="`awrlens rules --thresholds` lists them.",
            )
        try:
            number = float(value)
        except ValueError:
            sign = ""
        if not sign or not number >= 0:
            raise UsageError(
                f"{text!r} is not NAME=VALUE with a number of at least 0.",
                hint=f"For example {name.strip()}={known[name.strip()].default:g}.",
            )
        values[name.strip()] = number
    return Policy(values)
