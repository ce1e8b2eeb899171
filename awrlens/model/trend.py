"""The values of a trend: intervals in the order of time, outliers, steps, drifts, forecasts.

All are frozen and can only convert themselves to plain data; renderers take only these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model.finding import STATES, State
from awrlens.model.kinds import OUR_RULE, Amount, Count, FactName, Positive, ReportKind, Words
from awrlens.model.plain import InPlace, Shown, fields

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from awrlens.model.fact import Status
    from awrlens.model.finding import Severity
    from awrlens.model.plain import Aside, Rounded2
    from awrlens.model.who import Who


#: The load of a series.
LOAD: Final = "load.average_active_sessions"
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


class Rise(NamedTuple):
    """A fact that became worse, or a load that rose, from every interval to the next.

    ``at`` is the begin of the first interval. It ``leads`` if it may be the headline.
    """

    fact: FactName
    at: datetime
    before: float
    after: float
    leads: bool


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


TREND_SCHEMA_VERSION: Final = "1.0"
_ABOUT_FACTS: Final = "Properties of each fact; `total`: accumulated over the interval."

#: The units of facts that are numbers.
UNITS: Final = (
    "count", "ratio", "%", "s", "ms", "us", "min", "B", "MB", "1/s", "1/h", "B/s", "MB/s",
)  # fmt: skip
Unit = Annotated[str, ("enum", UNITS)]
RuleId = Annotated[str, ("pattern", OUR_RULE)]
#: The direction in which a quantity is bad; a load is neither good nor bad.
Bad = Literal["high", "low", "neither"]
#: The intervals that an interval is compared with: those of the same hour of the week, of working
#: days or weekends, of any day, or all.
Slot = Literal[
    "hour of week", "hour of working days", "hour of weekends", "hour of day", "all windows"
]
#: How an outlier was found: by median and MAD, or (with too few points) by the change alone.
Method = Literal["modified z-score", "change only"]
#: What the correlation of latency and load says about the device.
LinkVerdict = Literal["saturation", "slow device", "no statement"]


class Quantity(NamedTuple):
    """A fact of the trend: name, unit, definition, bad direction.

    ``total``: it adds up over the interval, so that a longer interval has more of it.
    """

    name: FactName
    unit: Unit
    definition: str
    bad: Bad = "neither"
    total: bool = False


class Reading(NamedTuple):
    """A fact's number in one interval; None if it is not in the report."""

    value: float | None
    status: Status


#: One that is not available has no number.
NumberOrNot = Annotated[
    Reading,
    ("if", {"properties": {"status": {"const": "unavailable"}}}),
    ("then", {"properties": {"value": {"type": "null"}}}),
    ("else", {"properties": {"value": {"type": "number"}}}),
]


class Mention(NamedTuple):
    """A finding of one interval, and the seconds that sessions waited, if known."""

    id: RuleId
    title: Words
    severity: Severity
    seconds: Annotated[float | None, "Seconds that sessions waited."] = None
    parts: Annotated[tuple[str, ...], "Parts of the write path that it is on."] = ()
    waiting_sessions: Aside[float | None] = None


class Window(NamedTuple):
    """One interval of one instance: its facts and findings, small enough to keep thousands."""

    who: Aside[Who]
    kind: ReportKind
    begin_snap: int | None
    end_snap: int | None
    #: Intervals without a time are not in a trend.
    begin: Annotated[datetime | None, datetime]
    end: Annotated[datetime | None, datetime]
    startup: Aside[datetime | None]
    elapsed_s: Annotated[float | None, ("exclusiveMinimum", 0)]
    facts: Annotated[
        Mapping[FactName, NumberOrNot],
        "Displayed facts, and facts with which latencies and loads are compared.",
    ]
    findings: tuple[Mention, ...]
    verdict: State
    source: str
    #: False: the interval spans a restart, so differences are meaningless.
    valid: Aside[bool] = True
    #: What the analysis of this interval alone says first.
    headline: Aside[str] = ""

    def value(self, name: str) -> float | None:
        """A fact's number, if it has one."""
        reading = self.facts.get(name)
        return reading.value if reading else None

    @property
    def span_s(self) -> float:
        """Seconds between its two snapshots."""
        if self.begin is None or self.end is None:
            return 0.0
        return (self.end - self.begin).total_seconds()


class LeftOut(NamedTuple):
    """An interval or a file that was left out, and why."""

    source: str
    begin: datetime | None
    end: datetime | None
    reason: Words


class Baseline(NamedTuple):
    """The baseline of an interval; ``mad`` is None if there are too few points."""

    slot: Slot
    points: Positive
    median: float
    mad: Amount | None


class Outlier(NamedTuple):
    """An outlier in an interval; ``score`` is None if only the change is known."""

    fact: FactName
    value: float
    usual: float
    change_pct: float | None
    score: float | None
    method: Method
    bad: bool
    baseline: Baseline

    @property
    def times(self) -> float:
        """How many times the usual value it is, or the usual value is it; 1 if one is 0."""
        if self.value <= 0 or self.usual <= 0:
            return 1.0
        return max(self.value / self.usual, self.usual / self.value)


class Course(NamedTuple):
    """The summary of a fact over all intervals of a series."""

    fact: FactName
    points: Positive
    minimum: float
    median: float
    maximum: float
    last: float


class Seen(NamedTuple):
    """A finding over a series: number of intervals, first and last time, highest severity."""

    id: RuleId
    title: Words
    severity: Severity
    windows: Positive
    first: datetime
    last: datetime


class Link(NamedTuple):
    """The rank correlation of a latency and a load over ``points`` intervals.

    ``busy_ms`` is the median of the slower half of the intervals.
    """

    latency: FactName
    load: FactName
    points: Positive
    rho: Annotated[float | None, ("minimum", -1), ("maximum", 1)]
    median_ms: float
    busy_ms: float
    verdict: LinkVerdict
    words: Words


class Judged(NamedTuple):
    """An interval of an instance, with its outliers; ``score`` sorts the worst first."""

    window: InPlace[Window]
    outliers: Annotated[
        tuple[Outlier, ...],
        "Outliers; `score` is the modified z-score, null if there are too few points and only the "
        "change is given. `baseline` of a total is its median per second.",
    ]
    score: Annotated[Rounded2, ("minimum", 0), "Starts at 0; higher is worse."]
    #: Whether it is short enough to belong to one hour of the day.
    hourly: Aside[bool]
    cost_s: Annotated[
        float | None, "Seconds that sessions waited, by the findings; each family counts once."
    ]
    usual: Annotated[
        Mapping[FactName, float],
        "The baseline: the median for the hour of the interval (for a total, scaled to its "
        "length); absent if there are too few intervals.",
    ]

    @property
    def waiting_sessions(self) -> float:
        """Sessions that waited on average, by its findings."""
        seconds = self.window.elapsed_s or self.window.span_s
        return (self.cost_s or 0.0) / seconds if seconds else 0.0


BySeverity = Annotated[
    dict[State, Count], "The number of intervals by severity.", ("required", STATES)
]


class Break(NamedTuple):
    """A break in a series: no intervals from ``begin`` to ``end``, or a restart."""

    begin: datetime
    end: datetime
    restart: datetime | None = None
    gap: bool = True


class Series(NamedTuple):
    """One instance of a database, or (`cluster`) the totals of a RAC report.

    Its intervals are in the order of time.
    """

    who: InPlace[Who]
    windows: tuple[Judged, ...]
    breaks: Annotated[
        tuple[Break, ...],
        "Intervals that are missing (`gap`), and restarts of the instance between two intervals "
        "(`restart`).",
    ]
    left_out: tuple[LeftOut, ...]
    courses: tuple[Course, ...]
    seen: tuple[Seen, ...]
    links: Annotated[
        tuple[Link, ...],
        "Latency against load: Spearman's rank correlation; `busy_ms` is the median of the slower "
        "half of the intervals.",
    ]
    change_points: Annotated[
        tuple[ChangePoint, ...], "Lasting steps of facts, in the order of time."
    ] = ()
    drifts: tuple[Drift, ...] = ()
    undecided: Annotated[
        tuple[Undecided, ...],
        "Why nothing is said about change points and drifts of a fact (null: of all).",
    ] = ()
    #: Those that a series too short for drifts has: first those that may be the headline.
    rises: Aside[tuple[Rise, ...]] = ()

    @property
    def severities(self) -> Shown[BySeverity]:
        """The number of intervals by their severity, the highest first."""
        verdicts = [judged.window.verdict for judged in self.windows]
        return {state: verdicts.count(state) for state in STATES}

    @property
    def severity(self) -> State:
        """The worst severity of its intervals."""
        return next((state for state, count in self.severities.items() if count), "ok")

    @property
    def gaps(self) -> int:
        """The number of gaps."""
        return sum(pause.gap for pause in self.breaks)

    @property
    def restarts(self) -> int:
        """The number of instance startups between two intervals."""
        return sum(pause.restart is not None for pause in self.breaks)


class Worst(NamedTuple):
    """One of the worst intervals: number of its series and of the interval, starting at 0."""

    series: Count
    window: Count


class Trend(NamedTuple):
    """What `awrlens trend --format json` prints."""

    quantities: Aside[tuple[Quantity, ...]]
    series: tuple[Series, ...]
    worst: Annotated[tuple[Worst, ...], "By severity, then by sessions waiting, then by outliers."]
    left_out: tuple[LeftOut, ...]
    not_asked: Annotated[Count, "Intervals outside --db, --instance, --since and --until."] = 0
    changed: Annotated[
        tuple[Changed, ...],
        "What changed, by severity, then by cost: facts of a series that moved to another level at "
        "the same time (`step`) or drift over the same time. `extra_s`: how many seconds more "
        "sessions waited than at the rate before.",
    ] = ()

    @property
    def schema_version(self) -> Shown[Annotated[str, ("const", TREND_SCHEMA_VERSION)]]:
        """The version of the document."""
        return TREND_SCHEMA_VERSION

    @property
    def facts(self) -> Shown[Annotated[dict[FactName, Quantity], _ABOUT_FACTS]]:
        """The quantities by name."""
        return {quantity.name: quantity for quantity in self.quantities}

    @property
    def became_worse(self) -> bool:
        """Whether the most important change is for the worse."""
        return bool(self.changed) and self.changed[0].movement == "worse"

    @property
    def rising(self) -> Series | None:
        """The worst series if a fact of it rises that may be the headline."""
        worst = self.series[self.order[0]] if self.series and not self.became_worse else None
        return worst if worst and worst.rises and worst.rises[0].leads else None

    @property
    def severity(self) -> State | None:
        """The worst severity of all intervals, at least info if something became worse."""
        if not any(count for series in self.series for count in series.severities.values()):
            return None
        worst = min((series.severity for series in self.series), key=STATES.index)
        return "info" if worst == "ok" and (self.became_worse or self.rising) else worst

    @property
    def order(self) -> list[int]:
        """The numbers of the series: by worst severity, then by sessions waiting in its worst."""

        def key(number: int) -> tuple[int, float]:
            series = self.series[number]
            waiting = [
                w.waiting_sessions for w in series.windows if w.window.verdict == series.severity
            ]
            return STATES.index(series.severity), -max(waiting, default=0.0)

        return sorted(range(len(self.series)), key=key)

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import ROWS, table

        shown = [self.series[number] for number in self.order[:ROWS]]
        rows = [
            (s.who.database, s.who.label, len(s.windows), *s.severities.values()) for s in shown
        ]
        headings = ("database", "instance", "intervals", *STATES)
        return table("Trend", headings, rows, len(self.series) - len(rows))

    def to_dict(self) -> dict[str, Any]:
        """The JSON document of ``awrlens trend --format json``."""
        return fields(self)


class Timed(NamedTuple):
    """An interval with known begin and end."""

    window: Window
    begin: datetime
    end: datetime
