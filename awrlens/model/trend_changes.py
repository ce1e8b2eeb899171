"""The values of what changed in a trend: steps to another level, drifts, forecasts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from datetime import datetime

    from awrlens.model import Severity

#: The name of a fact.
FactName = Annotated[str, ("pattern", r"^[a-z]+\.[a-z0-9_]+$")]
#: How many there are, and of those that are always one at least.
Count = Annotated[int, ("minimum", 0)]
Positive = Annotated[int, ("minimum", 1)]
Amount = Annotated[float, ("minimum", 0)]
Words = Annotated[str, ("minLength", 1)]
#: Whether a change is good or bad; more load is neither.
Movement = Literal["worse", "better", "changed"]


class ChangePoint(NamedTuple):
    """A lasting step of a fact to another level.

    ``at`` is the begin of the first interval of the new level, ``last_before`` the end of the last
    one of the old level. Levels are medians without the pattern of the day. ``windows_before`` and
    ``windows_after`` count the intervals of both levels. ``noise_ratio`` is the step in standard
    deviations of the noise, ``score`` the evidence: twice the gain in log likelihood.
    """

    fact: FactName
    at: datetime
    last_before: datetime
    restart: datetime | None
    before: float
    after: float
    factor: float | None
    windows_before: Positive
    windows_after: Positive
    noise_ratio: Amount
    score: float
    movement: Movement


class Forecast(NamedTuple):
    """The value of a drifting fact at a time, if the drift goes on.

    ``low`` and ``high`` enclose it by the errors of earlier forecasts from ``origins`` times within
    the series; ``error_pct`` is their median, ``unchanged_error_pct`` that of the assumption that
    nothing changes any more.
    """

    at: datetime
    value: float
    low: float
    high: float
    error_pct: Amount
    unchanged_error_pct: Amount
    origins: Positive


class Drift(NamedTuple):
    """A fact that rises or falls steadily from ``begin`` to ``end``.

    ``before`` and ``after`` are the levels at both ends. The slope is the median of all slopes
    between two intervals, with its 95 % interval; ``score`` is the evidence: twice the gain in log
    likelihood. Either ``forecast`` or the reason why there is none.
    """

    fact: FactName
    begin: datetime
    end: datetime
    windows: Annotated[int, ("minimum", 2)]
    before: float
    after: float
    change_pct: float | None
    slope_per_day: float
    slope_low_per_day: float
    slope_high_per_day: float
    score: float
    movement: Movement
    forecast: Forecast | None
    no_forecast: str | None


class Undecided(NamedTuple):
    """Why nothing is said about change points and drifts of a fact; None: of all facts."""

    fact: FactName | None
    reason: Words


class Changed(NamedTuple):
    """What changed at one time in a series, in one or more facts; the worst fact comes first.

    ``step``: the level changed at ``at`` until ``end``; else the facts drift from ``at`` to
    ``end``. ``severity``: that of the findings about the facts that became worse, which half of the
    intervals reach. ``extra_s``: how many seconds more sessions waited than at the rate before;
    None if no finding has a cost.
    """

    series: Count
    step: bool
    at: datetime
    end: datetime
    facts: Annotated[tuple[FactName, ...], ("minItems", 1)]
    movement: Movement
    severity: Severity
    extra_s: float | None
