"""The thresholds in force: declared defaults, and values of the caller that replace them.

A policy is a value that callers pass, never a global. A threshold has the name of its family
(``redo.slow_write_ms``); ``awrlens config show`` prints each with its origin.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from awrlens import errors
from awrlens.errors import UsageError
from awrlens.lazy import NamedTuple, beside
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


#: The documents behind rules and thresholds, by the short title that the code uses.
DOCUMENTS: Final = {
    "Fast-Start Checkpointing Best Practices": "Utzig, Oracle9i Fast-Start Checkpointing Best "
    "Practices (Oracle, 2003)",
    "Buddy Instance": "Amirishetty et al., Buddy Instance: A Mechanism for Increasing Availability "
    "in Shared-Disk Clusters (EDBT 2017)",
    "Write Accelerator": "Ault, Accelerate Oracle Logs and Tablespaces Using the Write Accelerator "
    "(Texas Memory Systems, 2008)",
    "Block Checking Overhead": "Performance overhead of db_block_checking and db_block_checksum "
    "non-default settings (weblog article on Oracle 12c)",
    "Indirect Checkpoints": 'Bertrand, "0 to 60": Switching to indirect checkpoints '
    "(SQLPerformance)",
}


def cite(source: str) -> str:
    """A source with the full title where it begins with a short one; other titles stay short."""
    pieces = f"; {source}"
    for short, whole in DOCUMENTS.items():
        pieces = pieces.replace(f'; "{short}"', f"; {whole}").replace(f"; {short}", f"; {whole}")
    return pieces[2:]


def unindented(text: str) -> str:
    """A docstring as ``inspect`` cleans it, which takes as long to import as to start Python."""
    first, *others = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in others if line.strip()), default=0)
    return "\n".join((first.lstrip(), *(line[margin:] for line in others))).strip("\n")


class Threshold(NamedTuple):
    """A number that decides, declared once: default, unit, meaning, source."""

    name: str
    default: float
    unit: str
    meaning: str
    source: str


@cache
def declared(module: str) -> dict[str, Threshold]:
    """The thresholds in ``thresholds.txt`` next to a module, by name.

    Of each, name, default and unit are in a line, then the meaning, then the source.
    """
    thresholds = {}
    for part in beside(module, "thresholds.txt").strip().split("\n\n"):
        head, meaning, source = part.split("\n")
        name, _, default, unit = head.split(" ")
        thresholds[name] = Threshold(name, float(default), unit, meaning, source)
    return thresholds


@cache
def _defaults() -> dict[str, float]:
    """The defaults of the core's thresholds by name."""
    return {name: threshold.default for name, threshold in declared(__file__).items()}


class Policy:
    """Values of thresholds, each with its origin; thresholds without a value have their default."""

    def __init__(
        self, values: Mapping[str, float] | None = None, origins: Mapping[str, str] | None = None
    ) -> None:
        self._values = dict(values or {})
        self._origins = dict(origins or {})

    def __getitem__(self, named: Threshold | str) -> float:
        """The value in force, of a threshold of the core by its name."""
        if isinstance(named, Threshold):
            return self._values.get(named.name, named.default)
        return self._values[named] if named in self._values else _defaults()[named]

    def origin(self, name: str) -> str:
        """Where the value in force comes from: ``default``, a file and line, or an option."""
        return self._origins.get(name, "set by the caller") if name in self._values else "default"

    def values(self) -> dict[str, float]:
        """The values that differ from the defaults, by name."""
        return dict(self._values)

    def under(self, values: Mapping[str, float], origin: str) -> Policy:
        """This policy with values from ``origin`` that replace its own."""
        return Policy(self._values | dict(values), self._origins | dict.fromkeys(values, origin))


def parse_setting(text: str, thresholds: Mapping[str, Threshold]) -> tuple[str, float]:
    """Name and value of ``NAME=VALUE``; UsageError for an unknown name or an invalid value."""
    name, sign, value = text.partition("=")
    name = name.strip()
    if name not in thresholds:
        raise unknown_threshold(name, thresholds)
    if not sign:
        raise UsageError(
            f"{text!r} is not NAME=VALUE.", hint=f"For example {name}={thresholds[name].default:g}."
        )
    return name, parse_value(value, thresholds[name])


def parse_value(text: str, threshold: Threshold) -> float:
    """A value of a threshold, in its unit or in a convertible one (``500us``).

    Raises UsageError if it is not a number of at least 0.
    """
    plain = text.strip().removesuffix("%").strip() if threshold.unit == "%" else text
    number = parse_number(plain, threshold.unit)
    if number is None or not number >= 0:
        raise UsageError(
            f"Invalid value {text.strip()!r} for {threshold.name}: use a number of at least 0"
            + (f" in {threshold.unit}." if threshold.unit not in ("count", "ratio") else "."),
            hint=f"For example {threshold.name}={threshold.default:g}.",
        )
    try:
        return float(number)
    except OverflowError:
        raise UsageError(f"The value of {threshold.name} has too many digits.") from None


def unknown_threshold(name: str, names: Iterable[str]) -> UsageError:
    """The error for an unknown threshold, with the most similar known one."""
    return UsageError(
        f"There is no threshold {name!r}.",
        hint=errors.hint(name, names, "`awrlens config show` lists all of them."),
    )
