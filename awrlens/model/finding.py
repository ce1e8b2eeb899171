"""What is wrong and what to do: findings, recommendations, rules without data, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from awrlens.lazy import NamedTuple
from awrlens.model.fact import rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from awrlens.model.documents import (
        FindingDocument,
        ImpactDocument,
        LeastShare,
        RecommendationDocument,
        SkippedDocument,
        VerdictsDocument,
        WeightDocument,
    )
    from awrlens.model.fact import Fact

Severity = Literal["critical", "warning", "info", "ok"]
Confidence = Literal["high", "medium", "low"]
Verdict = Literal["apply", "tune-first", "no-benefit", "need-data"]
#: Where the change of a recommendation is made, and its risk.
Effort = Literal["online", "restart", "storage", "host", "application"]
Risk = Literal["low", "medium", "high"]

#: From harmless to urgent.
SEVERITIES: Final[tuple[Severity, ...]] = ("ok", "info", "warning", "critical")


#: What shares are percentages of, and its name in 8i and 9i, whose reports have no DB time.
DB_TIME: Final = "DB time"
_BEFORE_DB_TIME: Final = "CPU and wait time"
_SINCE_RELEASE: Final = 10


def base_of_shares(facts: Mapping[str, Fact]) -> str:
    """What shares are percentages of: DB time; in 8i and 9i, which have none, CPU and wait time.

    So are shares of a total that follows from those of top events, unless they are of DB time.
    """
    printed, whole = facts.get("database.release"), facts.get("load.response_s")
    release = "" if printed is None else str(printed.value).partition(".")[0]
    before = release.isdecimal() and int(release) < _SINCE_RELEASE
    if whole is not None and whole.status == "estimated":
        before = not any(DB_TIME in item.column for item in whole.evidence)
    return _BEFORE_DB_TIME if before else DB_TIME


def worst(severities: list[Severity]) -> Severity:
    """The highest of some severities; ``ok`` if there are none."""
    return max(severities, key=SEVERITIES.index, default="ok")


class Impact(NamedTuple):
    """The cost or saving of something: seconds, share of DB time, sessions, and the basis."""

    seconds: float | None
    pct_db_time: float | None
    basis: str
    #: Sessions waiting on average: seconds divided by elapsed time and instances.
    sessions: float | None = None
    #: The share of DB time by another figure of the report that shows less; None without one.
    least_pct: float | None = None
    #: What shares are percentages of: see ``base_of_shares``.
    base: str = DB_TIME
    #: Instances of a cluster over which ``sessions`` is the mean.
    instances: int = 1

    def to_dict(self) -> ImpactDocument:
        """Plain data, rounded as shown."""
        least: LeastShare = {}
        if self.least_pct is not None:
            least = {"least_pct_db_time": round(self.least_pct, 2)}
        return {
            "seconds": rounded(self.seconds, 2),
            "pct_db_time": rounded(self.pct_db_time, 2),
            **least,
            "basis": self.basis,
            "sessions": rounded(self.sessions, 4),
        }


class Weight(NamedTuple):
    """The numbers behind a severity; None if a value does not apply or is not known.

    ``waiting_sessions``: sessions waiting on average; ``share_pct``: their waits in percent of DB
    time; ``each_ms``: the time of one wait; ``size_bytes``: the size of one write or read. Source:
    the weighing in ``awrlens.severity``.
    """

    waiting_sessions: float | None = None
    share_pct: float | None = None
    each_ms: float | None = None
    size_bytes: float | None = None
    #: The waits that are weighed, in words, if the finding has several.
    of: str = ""
    #: What takes ``each_ms``.
    per: str = "wait"
    #: What ``share_pct`` is a percentage of: see ``base_of_shares``.
    base: str = DB_TIME
    #: Instances of a cluster over which ``waiting_sessions`` is the mean.
    instances: int = 1

    def to_dict(self) -> WeightDocument:
        """Plain data, rounded as shown."""
        return {
            "waiting_sessions": rounded(self.waiting_sessions, 4),
            "share_pct": rounded(self.share_pct, 2),
            "each_ms": rounded(self.each_ms, 4),
            "size_bytes": rounded(self.size_bytes, 0),
        }


#: Weight of a finding that is not based on waits.
NO_WEIGHT: Final = Weight()


class Finding(NamedTuple):
    """The result of a rule: severity, confidence, cost, and the facts behind it."""

    id: str
    name: str
    since: str
    title: str
    severity: Severity
    confidence: Confidence
    confidence_reason: str
    impact: Impact
    facts: tuple[Fact, ...]
    why: str
    source: str
    related: tuple[str, ...] = ()
    weight: Weight = NO_WEIGHT
    #: Findings that are causes or parts of this one: one problem is one finding.
    contributing: tuple[Finding, ...] = ()

    def to_dict(self) -> FindingDocument:
        """Plain data."""
        return {
            "id": self.id,
            "name": self.name,
            "since": self.since,
            "title": self.title,
            "severity": self.severity,
            "confidence": self.confidence,
            "confidence_reason": self.confidence_reason,
            "impact": self.impact.to_dict(),
            "weight": self.weight.to_dict(),
            "facts": [fact.name for fact in self.facts],
            "evidence": [item.to_dict() for fact in self.facts for item in fact.evidence],
            "why": self.why,
            "source": self.source,
            "related": list(self.related),
            "contributing": [part.to_dict() for part in self.contributing],
        }


#: Rules on the recovery target; the others of their family are on checkpoints.
RECOVERY: Final = ("CKPT002", "CKPT003", "CKPT004", "CKPT007")
#: The parts of the write path, and the rules on each by the beginnings of their ids.
PARTS: Final[dict[str, tuple[str, ...]]] = {
    "redo": ("REDO",), "temp": ("TEMP",), "undo": ("UNDO",), "checkpoint": ("CKPT",),
    "recovery": RECOVERY, "integrity": ("INTG",),
}  # fmt: skip
#: The rule on the storage as a whole, and the facts of slow writes that make it one of a part.
_ALL_WRITES: Final = "REDO014"
_WRITES: Final = {
    "redo": ("redo.parallel_write_ms", "redo.local_write_ms"),
    "temp": ("temp.direct_write_ms",),
    "checkpoint": ("checkpoint.data_write_ms", "checkpoint.submitted_write_ms"),
}  # fmt: skip


def is_on(rule: str, part: str) -> bool:
    """Whether a rule is on a part of the write path."""
    return rule.startswith(PARTS[part]) and (part == "recovery" or rule not in RECOVERY)


def parts_of(finding: Finding) -> tuple[str, ...]:
    """The parts that a finding is on; that on the storage is on those that write slowly."""
    if finding.id == _ALL_WRITES:
        slow = {fact.name for fact in finding.facts}
        return tuple(part for part, names in _WRITES.items() if not slow.isdisjoint(names))
    return tuple(part for part in PARTS if is_on(finding.id, part))


def with_parts(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Every finding, followed by the findings that contribute to it."""
    for finding in findings:
        yield finding
        yield from with_parts(finding.contributing)


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
    #: Where the change is made, and its risk; empty if nothing is changed.
    effort: Effort | Literal[""] = ""
    risk: Risk | Literal[""] = ""
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

    title: str
    action: str
    status: Verdict = "apply"
    commands: tuple[str, ...] = ()
    rollback: tuple[str, ...] = ()
    benefit: Impact = Impact(None, None, "not quantified")
    prerequisites: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    validate: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    #: Both are empty if there is nothing to do or they are not known.
    effort: Effort | Literal[""] = ""
    risk: Risk | Literal[""] = ""
    #: From its declaration.
    id: str = ""
    short: str = ""

    def to_dict(self) -> RecommendationDocument:
        """Plain data."""
        return {
            "id": self.id,
            "title": self.title,
            "action": self.action,
            "commands": list(self.commands),
            "rollback": list(self.rollback),
            "benefit": {**self.benefit.to_dict(), "upper_bound": True},
            "prerequisites": list(self.prerequisites),
            "risks": list(self.risks),
            "validate": list(self.validate),
            "findings": list(self.findings),
            "status": self.status,
            "effort": self.effort or None,
            "risk": self.risk or None,
        }


class Skipped(NamedTuple):
    """A rule that could not be decided, and the sections that it needs.

    ``failed``: facts are not missing, but the rule of a plugin failed.
    """

    rule: str
    reason: str
    needs: tuple[str, ...]
    failed: bool = False
    #: Each cause alone, without the names of facts, to group rules by it; empty: the reason.
    causes: tuple[str, ...] = ()

    def to_dict(self) -> SkippedDocument:
        """Plain data."""
        return {"rule": self.rule, "reason": self.reason, "needs": list(self.needs)}


class Verdicts(NamedTuple):
    """The verdicts; minimum and maximum target if the recovery target has an effect."""

    write_path: Severity
    redo_storage: Verdict
    temp_storage: Verdict
    undo_storage: Verdict
    fast_start_mttr_target_s: int | None
    fast_start_mttr_lowest_s: int | None = None
    fast_start_mttr_highest_s: int | None = None

    @property
    def open(self) -> bool:
        """Whether a verdict on storage lacks data."""
        return "need-data" in (self.redo_storage, self.temp_storage, self.undo_storage)

    def to_dict(self) -> VerdictsDocument:
        """Plain data."""
        return {
            "write_path": self.write_path,
            "redo_storage": self.redo_storage,
            "temp_storage": self.temp_storage,
            "undo_storage": self.undo_storage,
            "fast_start_mttr_target_s": self.fast_start_mttr_target_s,
            "fast_start_mttr_lowest_s": self.fast_start_mttr_lowest_s,
            "fast_start_mttr_highest_s": self.fast_start_mttr_highest_s,
        }
