"""Problems in a file of budgets: each with line and column, and what to do."""

from __future__ import annotations

import re
from copy import copy
from typing import Final

from awrlens.budgets.values import UNITS
from awrlens.errors import UsageError
from awrlens.facts.printed import FIELDS

#: A text in quotes.
STRING: Final = r'"(?:[^"\\\n]|\\.)*+"'


class BudgetError(UsageError):
    """A budget is invalid; ``problems`` holds this problem and all later ones."""

    def __init__(self, message: str, at: int = 0, hint: str = "") -> None:
        super().__init__(message, line=1, hint=hint)
        #: The offset of the mistake in its statement, and its column in the file.
        self.at, self.column = at, 1
        self.problems: tuple[BudgetError, ...] = ()

    def __str__(self) -> str:
        """Location, message, hint and the number of further problems."""
        place = f"{self.line}:{self.column}"
        place = f"{self.source}:{place}" if self.source else f"line {place}"
        text = f"{place}: {self.message}" + (f" {self.hint}" if self.hint else "")
        others = len(self.problems) - 1
        if others > 0:
            more = f"{others} more error" + ("s" if others > 1 else "")
            text += f" ({more}: `awrlens budget check` shows all.)"
        return text


def together(problems: list[BudgetError]) -> BudgetError:
    """Several problems as one error; the first is its message."""
    whole = copy(problems[0])
    whole.problems = tuple(problems)
    return whole


_NO_FUNCTIONS: Final = (
    "There are no functions: facts are totals and averages of the interval (`awrlens facts "
    "REPORT`). For several reports use the clause: for 95 % of windows."
)
#: The text before a mistake, the text found, and what to do; most is syntax of other languages.
_HINTS: Final = (
    ("", r"&&?", "Write `and`."),
    ("", r"\|\|?", "Write `or`."),
    ("", r"!(?!=)", "Write `not`."),
    ("", r"between\b", "Write both bounds: a >= 1 ms and a <= 5 ms."),
    ("", r"(?:else|then|if)\b", "Write `when CONDITION` on a line of its own."),
    ("=", "([<>])", "Write {}=."),
    (r"(?<![\w.])(\d++)", r",\s*(\d+)", "Use a decimal point: {}.{}."),
    (rf"\b({'|'.join(FIELDS)})", r"\(", 'Put the name in double quotes: {}("…").'),
    (r"\b[A-Za-z_]\w*+", r"\(", _NO_FUNCTIONS),
    ("", "'", "Put texts in double quotes."),
    ("", rf'(?!{STRING})"', "The closing quote of the text is missing on this line."),
    ("", r"\)", "There is no open parenthesis here, or a value is missing before it."),
)  # fmt: skip


def hint_for(before: str, rest: str) -> str:
    """What to do about the text found, given the text before it; empty if unknown."""
    for last, following, hint in _HINTS:
        left = re.search(rf"(?:{last})\Z", before, re.I)
        right = re.match(following, rest, re.I)
        if left and right:
            return hint.format(*map(str.lower, left.groups() + right.groups()))
    return ""


def meant(unit: str) -> str:
    """The most similar unit, or all units."""
    if re.fullmatch(r"[eE]\d*", unit):
        return "Write the number in full: 1000 for 1e3, 0.001 for 1e-3."
    words = {"sec": "s", "second": "s", "seconds": "s", "minutes": "min", "minute": "min",
             "hour": "h", "hours": "h", "percent": "%", "pct": "%", "bytes": "B", "k": "KB",
             "m": "MB", "g": "GB", "t": "TB", "msec": "ms", "usec": "us", "µs": "us",
             **{each.casefold(): each for each in UNITS}}  # fmt: skip
    near = words.get(unit.casefold())
    return f"Did you mean {near}?" if near else f"Units are {', '.join(UNITS)}."
