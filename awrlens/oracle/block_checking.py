"""The cost of block checks: measurements of "Block Checking Overhead", and a model based on them.

The article ran one INSERT, UPDATE and DELETE after the other together with SELECTs, five times with
each setting. Its numbers give 18.3 % more time for DB_BLOCK_CHECKING=MEDIUM (54.41 over 46.01 s),
not the 18.8 % that it states; SELECTs took the same time in all runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from awrlens.errors import UnreadableError
from awrlens.lazy import NamedTuple, regex
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Verbs of SQL that changes blocks.
CHANGING: Final = ("insert", "update", "delete")
#: Verbs of SQL whose time is measured.
VERBS: Final = ("select", *CHANGING)


class Run(NamedTuple):
    """Seconds of each verb with one pair of settings (averages of five runs)."""

    checksum: str
    checking: str
    select: float
    insert: float
    update: float
    delete: float

    @property
    def total(self) -> float:
        """Seconds of all SQL."""
        return self.select + self.insert + self.update + self.delete

    def over(self, other: Run) -> dict[str, float]:
        """The additional time of each changing verb relative to another run, as a ratio."""
        return {verb: getattr(self, verb) / getattr(other, verb) - 1 for verb in CHANGING}


#: Block Checking Overhead, table of results.
OFF: Final = Run("TYPICAL", "OFF", 23.97, 14.36, 2.14, 5.54)
LOW: Final = Run("TYPICAL", "LOW", 23.81, 14.15, 2.08, 5.50)
MEDIUM: Final = Run("TYPICAL", "MEDIUM", 23.81, 19.61, 3.05, 7.94)
FULL_CHECKSUM: Final = Run("FULL", "MEDIUM", 23.91, 20.98, 3.09, 8.52)

#: Oracle Database Reference, for all applications, in percent. # Block Checking Overhead cites both
ORACLE_CHECKING_PCT: Final = (1.0, 10.0)
ORACLE_CHECKSUM_PCT: Final = {"TYPICAL": (1.0, 2.0), "FULL": (4.0, 5.0)}

#: Additional time by setting: MEDIUM over no checking, checksums FULL over TYPICAL at MEDIUM.
CHECKING_MEDIUM: Final = MEDIUM.over(OFF)
CHECKSUM_FULL: Final = FULL_CHECKSUM.over(MEDIUM)
#: Both over neither. The totals of the table give 22.8 % (56.50 over 46.01 s).
BOTH: Final = FULL_CHECKSUM.over(OFF)


class Cost(NamedTuple):
    """Additional DB time in percent: minimum, expected, maximum."""

    low_pct: float
    expected_pct: float
    high_pct: float


def cost(longer: Mapping[str, float], shares_pct: Mapping[str, float]) -> Cost:
    """The cost of a setting for the CPU time of each verb in percent of DB time.

    Checks are CPU work: they lengthen the CPU time of SQL that changes blocks, not its waits. The
    minimum uses the increase of the least affected verb, the maximum that of the most affected.
    """
    changing = sum(shares_pct[verb] for verb in CHANGING)
    expected = sum(shares_pct[verb] * longer[verb] for verb in CHANGING)
    return Cost(changing * min(longer.values()), expected, changing * max(longer.values()))


#: A run as `awrlens sql block-checking` spools it.
_RUN: Final = regex(r"^[ \t]*+AWRLENS\|block_checking\|run\|([^\n]*+)", re.M)
_SECONDS: Final = 4
_FIELDS: Final = 11
#: Values of DB_BLOCK_CHECKING with the same meaning.
_MEANT: Final = {"FALSE": "OFF", "TRUE": "FULL"}


class Measured(NamedTuple):
    """The runs of one pair of settings: their average, number and spread."""

    run: Run
    runs: int
    #: The largest total less the smallest, in percent of the average; None is not published.
    spread_pct: float | None


#: Runs of the same settings that differ by more say little about a difference of settings.
#: # Block Checking Overhead: "the results from 5 runs per condition were extremely consistent"
_MOST_SPREAD_PCT: Final = 10.0


class Runs(NamedTuple):
    """What `awrlens sql block-checking` measured, one average per pair of settings."""

    measured: tuple[Measured, ...]

    @property
    def doubts(self) -> list[str]:
        """The settings whose runs differ too much."""
        return [
            f"The runs with {pair.run.checksum}, {pair.run.checking} differ by "
            f"{pair.spread_pct:.0f} %: smaller differences between settings are chance. Repeat "
            "them on an idle clone."
            for pair in self.measured if pair.spread_pct and pair.spread_pct > _MOST_SPREAD_PCT
        ]  # fmt: skip

    def of(self, checksum: str, checking: str) -> Run | None:
        """The average run with these settings."""
        return next(
            (pair.run for pair in self.measured
             if (pair.run.checksum, pair.run.checking) == (checksum, checking)), None
        )  # fmt: skip

    def longer(self, one: tuple[str, str], other: tuple[str, str]) -> dict[str, float] | None:
        """The additional time of each changing verb with settings over that with others."""
        run, base = self.of(*one), self.of(*other)
        if run is None or base is None or not all(getattr(base, verb) > 0 for verb in CHANGING):
            return None
        return {verb: max(0.0, more) for verb, more in run.over(base).items()}

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data: the average of every pair of settings."""
        return [
            {
                **pair.run._asdict(), "total": pair.run.total, "runs": pair.runs,
                "more_pct": self.more_pct(pair.run), "spread_pct": pair.spread_pct,
            }
            for pair in self.measured
        ]  # fmt: skip

    def more_pct(self, run: Run) -> float | None:
        """The additional time of all SQL over the defaults, in percent."""
        base = self.of("TYPICAL", "OFF")
        return None if base is None or not base.total else (run.total / base.total - 1) * 100


#: The table of results: averages of five runs that were "extremely consistent".
PUBLISHED: Final = Runs(tuple(Measured(run, 5, None) for run in (OFF, LOW, MEDIUM, FULL_CHECKSUM)))
#: What the table gives, and what the article says.
WHY_18_3: Final = (
    f"MEDIUM took {MEDIUM.total:.2f} s and no checking {OFF.total:.2f} s: "
    f"{(MEDIUM.total / OFF.total - 1) * 100:.1f} % more. The article says 18.8 %, which its own "
    "seconds do not give; the cost below counts SELECTs, 0.7 % faster by chance, as unchanged. "
    "With DB_BLOCK_CHECKSUM=FULL, it was "
    f"{(FULL_CHECKSUM.total / OFF.total - 1) * 100:.1f} % more."
)


def read_runs(text: str, source: str) -> Runs:
    """The runs in a spool file.

    Raises UnreadableError if the script did not write it, or a line is damaged.
    """
    seconds: dict[tuple[str, str], list[list[float]]] = {}
    for line in _RUN.findall(text):
        parts = [part.strip() for part in line.split(";")]
        numbers = [parse_number(part) for part in parts[-_SECONDS:]]
        times_s = [float(number) for number in numbers if number is not None and number >= 0]
        if len(parts) != _FIELDS or len(times_s) != _SECONDS:
            raise UnreadableError(
                f"A run in the spool file cannot be read: {line[:60]}", source=source,
                hint="Give the file as `awrlens sql block-checking` spooled it.",
            )  # fmt: skip
        checksum, checking = parts[1].upper(), parts[2].upper()
        seconds.setdefault((checksum, _MEANT.get(checking, checking)), []).append(times_s)
    if not seconds:
        raise UnreadableError(
            "This is not a spool file of `awrlens sql block-checking`: it has no run.",
            source=source,
            hint="Run the script that `awrlens sql block-checking` prints, and give its spool "
            "file.",
        )
    return Runs(tuple(_averaged(settings, runs) for settings, runs in seconds.items()))


def _averaged(settings: tuple[str, str], runs: list[list[float]]) -> Measured:
    averages = [sum(verb) / len(runs) for verb in zip(*runs, strict=True)]
    run = Run(*settings, *averages)
    totals = [sum(seconds) for seconds in runs]
    spread = (max(totals) - min(totals)) * 100 / run.total if run.total else 0.0
    return Measured(run, len(runs), spread)
