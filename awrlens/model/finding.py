"""What is wrong and what to do: findings, recommendations, rules without data, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model.fact import facts_table
from awrlens.model.kinds import OUR_RULE
from awrlens.model.plain import fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from awrlens.model.fact import Evidence, Fact
    from awrlens.model.kinds import Name, RuleId, Target, Words
    from awrlens.model.plain import Aside, IfAny, Rounded0, Rounded2, Rounded4, Shown

Severity = Literal["critical", "warning", "info", "ok"]
Confidence = Literal["high", "medium", "low"]
Verdict = Literal["apply", "tune-first", "no-benefit", "need-data"]
#: Where the change of a recommendation is made, and its risk.
Effort = Literal["online", "restart", "storage", "host", "application"]
Risk = Literal["low", "medium", "high"]
Extent = Literal["", "whole", "part", "writes"]
#: Where reads are slow as well.
READS_TOO: Final = ("whole", "part")

#: From harmless to urgent.
SEVERITIES: Final[tuple[Severity, ...]] = ("ok", "info", "warning", "critical")
#: A severity, or that too little is known for one.
State = Literal["ok", "info", "unknown", "warning", "critical"]
#: From the worst to the best; unknown may be bad.
STATES: Final[tuple[State, ...]] = ("critical", "warning", "unknown", "info", "ok")
#: Those that need attention.
ALARMS: Final = SEVERITIES[2:]


#: What shares are percentages of, and its name in 8i and 9i, whose reports have no DB time.
DB_TIME: Final = "DB time"
_BEFORE_DB_TIME: Final = "CPU and wait time"
_SINCE_RELEASE: Final = 10


def base_of_shares(facts: Mapping[str, Fact]) -> str:
    """What shares are percentages of: DB time; in 8i and 9i, which have none, CPU and wait time.

    If most of the interval was not timed, it is the time of the rest.
    """
    printed, whole = facts.get("database.release"), facts.get("load.response_s")
    release = "" if printed is None else str(printed.value).partition(".")[0]
    before = release.isdecimal() and int(release) < _SINCE_RELEASE
    if whole is not None and whole.status == "estimated":
        before = not any(DB_TIME in item.column for item in whole.evidence)
    if before:
        return f"{'timed ' * bool(timed_part(facts))}{_BEFORE_DB_TIME}"
    return DB_TIME


def timed_part(facts: Mapping[str, Fact]) -> str:
    """Which part of the interval was timed, where most of it was not; else nothing."""
    timed = facts.get("load.timed_pct")
    return "" if timed is None or timed.value is None else timed.note


def worst(severities: list[Severity]) -> Severity:
    """The highest of some severities; ``ok`` if there are none."""
    return max(severities, key=SEVERITIES.index, default="ok")


class Impact(NamedTuple):
    """The cost or saving of something: seconds, share of DB time, sessions, and the basis."""

    seconds: Rounded2 | None
    pct_db_time: Rounded2 | None
    basis: Words
    sessions: Annotated[
        Rounded4 | None, "Average number of sessions that wait, or that no longer wait."
    ] = None
    least_pct_db_time: IfAny[Annotated[
        Rounded2 | None,
        "The share of DB time by another figure of the report that shows less; absent without one.",
    ]] = None  # fmt: skip
    upper_bound: IfAny[Annotated[
        Literal[True] | None,
        "Of a saving: the seconds never exceed the waits in the basis. Sessions that wait behind "
        "these are not counted.",
    ]] = None  # fmt: skip
    #: What shares are percentages of: see ``base_of_shares``.
    base: Aside[str] = DB_TIME
    #: Instances of a cluster over which ``sessions`` is the mean.
    instances: Aside[int] = 1
    #: Whether a saving leaves out waits that it also ends, such as those for locks.
    at_least: Aside[bool] = False


class Weight(NamedTuple):
    """The numbers behind a severity; None if a value does not apply or is not known.

    ``waiting_sessions``: sessions waiting on average; ``share_pct``: their waits in percent of DB
    time; ``each_ms``: the time of one wait; ``size_bytes``: the size of one write or read. Source:
    the weighing in ``awrlens.severity``.
    """

    waiting_sessions: Annotated[Rounded4 | None, "Sessions waiting on average."] = None
    share_pct: Annotated[Rounded2 | None, "Their waits in percent of DB time."] = None
    each_ms: Annotated[Rounded4 | None, "The time of one wait."] = None
    size_bytes: Annotated[Rounded0 | None, "The size of one write or read."] = None
    #: The waits that are weighed, in words, if the finding has several.
    of: Aside[str] = ""
    #: Of what the sessions are an estimate, and its formula, where most waits were not timed.
    estimate: Aside[str] = ""
    #: What takes ``each_ms``, and its median and tail where the average is that of stalls.
    per: Aside[str] = "wait"
    #: How much of the storage is slow: reads as well, of all or of some places; or only writes.
    slow: Aside[Extent] = ""
    spread: Aside[str] = ""
    #: What ``share_pct`` is a percentage of: see ``base_of_shares``.
    base: Aside[str] = DB_TIME
    #: Instances of a cluster over which ``waiting_sessions`` is the mean.
    instances: Aside[int] = 1


#: Weight of a finding that is not based on waits.
NO_WEIGHT: Final = Weight()


class Finding(NamedTuple):
    """The result of a rule: severity, confidence, cost, and the facts behind it."""

    id: Annotated[
        RuleId,
        "A rule family of awrlens (REDO, TEMP, UNDO, CKPT, RECO, INTG, SQLS) or of custom rules, "
        "and three digits; BUDGET- and a digest for a budget without an id.",
    ]
    name: Name
    since: str
    title: Words
    severity: Severity
    confidence: Confidence
    confidence_reason: Words
    impact: Impact
    facts: Annotated[tuple[Fact, ...], list[str]]
    why: Words
    source: Words
    related: tuple[RuleId, ...] = ()
    weight: Weight = NO_WEIGHT
    #: One problem is one finding.
    contributing: Annotated[
        tuple[ProvenFinding, ...], "Findings that are causes or parts of this one."
    ] = ()

    def _repr_html_(self) -> str:
        from awrlens.model.notebook import paragraph

        return paragraph(f"{self.id} ({self.severity}): {self.title}") + facts_table(
            "Facts", self.facts
        )

    @property
    def evidence(self) -> Shown[tuple[Evidence, ...]]:
        """The cells of the report behind its facts."""
        return tuple(item for fact in self.facts for item in fact.evidence)

    @property
    def can_wait(self) -> bool:
        """Whether its waits, behind which no other session waits, are a trace of DB time."""
        share = self.weight.share_pct
        return is_on(self.id, "temp") and share is not None and share < _TRACE_PCT

    def to_dict(self) -> dict[str, Any]:
        """Plain data; of facts only their names."""
        return fields(self, facts=tuple(fact.name for fact in self.facts))


#: A share of DB time that is not done at night. # awrlens: less than is shown
_TRACE_PCT: Final = 0.1
#: Rules on the recovery target; the others of their family are on checkpoints.
RECOVERY: Final = ("CKPT002", "CKPT003", "CKPT004", "CKPT007")
#: The parts of the write path, and the rules on each by the beginnings of their ids.
PARTS: Final[dict[str, tuple[str, ...]]] = {
    "redo": ("REDO",), "temp": ("TEMP",), "undo": ("UNDO",), "checkpoint": ("CKPT",),
    "recovery": RECOVERY, "integrity": ("INTG",),
}  # fmt: skip
#: The rule on the storage as a whole, and the facts of slow writes that make it one of a part.
#: Sessions do not wait for DBWR's writes: what waits for checkpoints has rules of its own, and the
#: finding is one of checkpoints if such a rule contributes to it (11.2.0.3.0_02: 0.13 sessions).
ALL_WRITES: Final = "REDO014"
_WRITES: Final = {
    "redo": ("redo.parallel_write_ms", "redo.local_write_ms"),
    "temp": ("temp.direct_write_ms",),
}  # fmt: skip


def is_on(rule: str, part: str) -> bool:
    """Whether a rule is on a part of the write path."""
    return rule.startswith(PARTS[part]) and (part == "recovery" or rule not in RECOVERY)


def parts_of(finding: Finding) -> tuple[str, ...]:
    """The parts that a finding is on; that on the storage is on those that write slowly."""
    if finding.id == ALL_WRITES:
        slow = {fact.name for fact in finding.facts}
        waiting = [cause.id for cause in finding.contributing if cause.severity != "info"]
        return tuple(part for part in PARTS if not slow.isdisjoint(_WRITES.get(part, ()))
                     or any(is_on(rule, part) for rule in waiting))  # fmt: skip
    return tuple(part for part in PARTS if is_on(finding.id, part))


def with_parts(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Every finding, followed by the findings that contribute to it."""
    for finding in findings:
        yield finding
        yield from with_parts(finding.contributing)


#: A finding of awrlens has evidence; one of custom rules may have none.
ProvenFinding = Annotated[
    Finding,
    ("if", {"properties": {"id": {"pattern": OUR_RULE}}}),
    ("then", {"properties": {"evidence": {"minItems": 1}}}),
]


class Sign(NamedTuple):
    """A fact that shows that a recommendation was carried out, because it rises or falls."""

    fact: str
    words: str
    rises: bool = False


class Declaration(NamedTuple):
    """What a recommendation is in every report; it is declared where it is worded.

    Sources of effort: Oracle Database Reference and Administrator's Guide (what changes online, and
    what needs a restart). The risk is awrlens' judgement.
    """

    id: str
    about: str
    #: Where the change is made, and its risk; None if nothing is changed.
    effort: Effort | None = None
    risk: Risk | None = None
    #: A finding of one of these rules is needed; a finding of ``also`` is answered as well.
    answers: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    #: Recommendations that come first if they are in the same plan.
    after: tuple[str, ...] = ()
    #: Facts with the waits that it reduces.
    ends: tuple[str, ...] = ()
    sign: Sign | None = None
    #: Whether it comes first among those for one finding, whatever they save.
    first: bool = False
    #: The same without its status, for lists of one status; empty: the title.
    short: str = ""


class Recommendation(NamedTuple):
    """An action, its saving, its prerequisites and how to verify that it worked."""

    title: Words
    action: Words
    status: Verdict = "apply"
    commands: tuple[str, ...] = ()
    rollback: tuple[str, ...] = ()
    benefit: Annotated[Impact, ("required", ("upper_bound",))] = Impact(
        None, None, "not quantified"
    )
    prerequisites: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    validate: tuple[str, ...] = ()
    findings: tuple[RuleId, ...] = ()
    #: Both are None if there is nothing to do or they are not known.
    effort: Annotated[Effort | None, "Required change."] = None
    risk: Annotated[Risk | None, "Risk of the change."] = None
    #: From its declaration.
    id: Name = ""
    short: Aside[str] = ""
    #: For the first screen: what is known, and what is not known yet, of the questions before it.
    asked: Aside[tuple[str, ...]] = ()
    #: For the first screen: what to tune before it, where that is not an action.
    first: Aside[tuple[str, ...]] = ()
    #: Of what is outside the write path: the seconds that it can reach at most.
    reach_s: Aside[float | None] = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return fields(self, benefit=self.benefit._replace(upper_bound=True))


class Skipped(NamedTuple):
    """A rule that could not be decided, and the sections that it needs.

    ``failed``: facts are not missing, but the rule of a plugin failed.
    """

    rule: RuleId
    reason: Words
    needs: tuple[str, ...]
    failed: Aside[bool] = False
    #: Each cause alone, without the names of facts, to group rules by it; empty: the reason.
    causes: Aside[tuple[str, ...]] = ()


class Verdicts(NamedTuple):
    """The verdicts; minimum and maximum target if the recovery target has an effect."""

    #: In documents also unknown: nothing was found, and too little is known.
    write_path: Annotated[Severity, ("enum", STATES)]
    redo_storage: Verdict
    temp_storage: Verdict
    undo_storage: Verdict
    fast_start_mttr_target_s: Target
    fast_start_mttr_lowest_s: Target = None
    fast_start_mttr_highest_s: Target = None

    @property
    def open(self) -> bool:
        """Whether a verdict on storage lacks data."""
        return "need-data" in (self.redo_storage, self.temp_storage, self.undo_storage)


#: A rule of awrlens that was skipped needs a section; a budget may need something else.
SkippedRule = Annotated[
    Skipped,
    ("if", {"properties": {"rule": {"pattern": OUR_RULE}}}),
    ("then", {"properties": {"needs": {"minItems": 1}}}),
]
