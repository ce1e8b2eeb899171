"""One report as advice sees it, made once; and how a recommendation is declared.

Sources of the addresses of a 32-bit Oracle: Oracle Database Platform Guide for Windows (all
sessions are threads of one process, with 2 GB of addresses, or 3 GB with /3GB in boot.ini); Oracle
Database Administrator's Reference for UNIX (a session is a process of its own, which also maps the
SGA).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, ParamSpec, TypeVar, cast

from awrlens.advice import features
from awrlens.lazy import NamedTuple
from awrlens.model import SEVERITIES, Declaration, Impact, Recommendation, with_parts, worst
from awrlens.oracle import host, write_path
from awrlens.severity import Scale
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from awrlens.advice.placement import Placement
    from awrlens.model import Fact, Finding, Severity, Sign
    from awrlens.model.finding import Effort, Risk
    from awrlens.policy import Policy


NOT_QUANTIFIED: Final = Impact(None, None, "not quantified")
#: How to verify any change.
AFTER: Final = "`awrlens analyze` on a report of the same load after the change"

#: No report has the members of the redo logs.
REDO_LOG_MEMBERS: Final = "SELECT group#, member FROM v$logfile ORDER BY group#;"


_US_PER_S: Final = 1_000_000


class Request(NamedTuple):
    """The caller's requirements and known values; None is not known.

    Times of X$ESTIMATED_MTTR (``init_time_avg_us``, ``fopen_time_avg_us``) are microseconds.
    ``fixed_s`` is the sum of start-up and file opening, if a report has only the sum.
    ``highest_mttr_s`` is the target above which nothing changes. ``estimated``: the sum and the
    lowest target are estimated from the load of a report. ``blocks_s``: the recovery of the minimum
    of dirty blocks, if start-up and opening, which are part of any target, are not known;
    ``start_most_s``: the target that these alone may reach, as far as the report shows.
    """

    desired_mttr_s: float | None = None
    rac: bool = False
    init_time_avg_us: float | None = None
    fopen_time_avg_us: float | None = None
    datafiles: int | None = None
    lowest_mttr_s: float | None = None
    highest_mttr_s: float | None = None
    fixed_s: float | None = None
    estimated_mttr_s: float | None = None
    estimated: bool = False
    blocks_s: float | None = None
    start_most_s: float | None = None
    #: What `awrlens sql redo-placement` printed.
    placement: Placement | None = None

    @property
    def startup_s(self) -> float | None:
        """Start-up of the instance."""
        return None if self.init_time_avg_us is None else self.init_time_avg_us / _US_PER_S

    @property
    def file_open_s(self) -> float | None:
        """Opening of all data files."""
        if self.fopen_time_avg_us is None or self.datafiles is None:
            return None
        return self.fopen_time_avg_us / _US_PER_S * self.datafiles

    @property
    def offset_s(self) -> float:
        """Start-up and opening, as far as known: both times as given, else their sum."""
        if self.startup_s is None and self.file_open_s is None:
            return max(0.0, self.fixed_s or 0.0)
        return (self.startup_s or 0.0) + (self.file_open_s or 0.0)

    @property
    def offset_known(self) -> bool:
        """Whether start-up and opening are known, both or their sum."""
        both = self.startup_s is not None and self.file_open_s is not None
        return both or self.fixed_s is not None


class Case(NamedTuple):
    """The facts and findings of a report, the thresholds, and what the caller requires."""

    facts: Mapping[str, Fact]
    findings: tuple[Finding, ...]
    policy: Policy
    request: Request
    #: Redo threads in the facts: the instances of a cluster.
    threads: int
    #: Every finding by its rule, on its own or as a part of another.
    by_rule: Mapping[str, Finding]
    scale: Scale
    #: Facts of the first period of a compare-period report, if this is the second.
    before: Mapping[str, Fact] | None = None

    @classmethod
    def of(
        cls, facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy,
        request: Request = Request(), threads: int = 1,  # noqa: B008 - an immutable value
        before: Mapping[str, Fact] | None = None,
    ) -> Case:  # fmt: skip
        """The case of one report."""
        by_rule = {finding.id: finding for finding in with_parts(findings)}
        scale = Scale(facts, policy)
        return cls(facts, findings, policy, request, threads, by_rule, scale, before)

    def get(self, name: str) -> float | None:
        """The number of a fact; None if it is not known."""
        return self.facts[name].number

    def or_zero(self, name: str) -> float:
        """The number of a fact that is added to others: 0 if it is not known."""
        return self.facts[name].number or 0.0

    def value(self, name: str) -> object:
        """The value of a fact; None if it is not known."""
        return self.facts[name].value

    def lacking(self, *names: str) -> str:
        """Why facts are missing, each reason once; empty if none is."""
        notes = dict.fromkeys(self.facts[name].note for name in names if self.get(name) is None)
        whole = (note for note in notes if not any(note in n and note != n for n in notes))
        return "; ".join(whole)

    def fired(self, *rules: str) -> tuple[str, ...]:
        """The rules among these that have a finding, in the order of the findings."""
        return tuple(
            rule for rule, finding in self.by_rule.items()
            if rule in rules and finding.severity != "ok"
        )  # fmt: skip

    def at_least(self, severity: Severity, *rules: str) -> bool:
        """Whether one of these rules has a finding of this severity or worse."""
        severities = [self.by_rule[rule].severity for rule in rules if rule in self.by_rule]
        return SEVERITIES.index(worst(severities)) >= SEVERITIES.index(severity)

    def impact(self, *rules: str) -> Impact:
        """The largest impact of their findings; impacts overlap and are not added up."""
        impacts = [finding.impact for rule, finding in self.by_rule.items() if rule in rules]
        impacts = [impact for impact in impacts if impact.seconds is not None]
        return max(impacts, key=lambda impact: impact.seconds or 0.0, default=NOT_QUANTIFIED)

    def share(self, seconds: float) -> float:
        """Seconds as a percentage of DB time; 0 if the report has none."""
        return self.scale.share(seconds) or 0.0

    @property
    def base(self) -> str:
        """What shares are percentages of: see ``awrlens.model.base_of_shares``."""
        return self.scale.base

    def that_run(self, *commands: str) -> tuple[str, ...]:
        """The commands among these that the release of the report can run."""
        return tuple(command for command in commands if features.runs(self.facts, command))

    @property
    def release(self) -> str | None:
        """The release of the database, as printed (``11.2.0.4.0``)."""
        release = self.value("database.release")
        return release if isinstance(release, str) else None

    @property
    def everywhere(self) -> str:
        """The clause of ALTER SYSTEM that names all instances of a cluster."""
        return " SID='*'" if self.request.rac else ""


#: The arguments of a function that words a recommendation, and whether it may return None.
P = ParamSpec("P")
R_co = TypeVar("R_co", bound=Recommendation | None, covariant=True)


class Advice(Generic[P, R_co]):
    """A recommendation: its declaration, and the function that words it for a report."""

    def __init__(self, declared: Declaration, word: Callable[P, R_co]) -> None:
        self.declared = declared
        self._word = word

    def __call__(self, *values: P.args, **named: P.kwargs) -> R_co:
        """The recommendation for a report; None if the report gives no reason for it."""
        item = self._word(*values, **named)
        if item is None:
            return item
        id_, _, effort, risk, *_, short = self.declared
        effort = item.effort or effort
        if item.status not in ("apply", "tune-first"):
            effort = risk = None
        return cast(
            "R_co", item._replace(id=id_, effort=effort, risk=risk, short=item.short or short)
        )

    def answered(self, case: Case) -> tuple[str, ...]:
        """The rules whose findings it answers; empty if it answers none."""
        fired = case.fired(*self.declared.answers)
        return fired and case.fired(*self.declared.answers, *self.declared.also)


def advice(
    id: str, effort: Effort | None = None, risk: Risk | None = None, *,  # noqa: A002
    answers: tuple[str, ...] = (), also: tuple[str, ...] = (),
    after: tuple[Advice[..., Recommendation | None], ...] = (), ends: tuple[str, ...] = (),
    sign: Sign | None = None, first: bool = False, short: str = "",
) -> Callable[[Callable[P, R_co]], Advice[P, R_co]]:  # fmt: skip
    """Declare the recommendation that a function words; its docstring begins with what it is about.

    `Declaration` explains the rest.
    """
    before = tuple(earlier.declared.id for earlier in after)

    def made(word: Callable[P, R_co]) -> Advice[P, R_co]:
        about = (word.__doc__ or "").partition("\n")[0]
        rest = effort, risk, answers, also, before, ends, sign, first, short
        return Advice(Declaration(id, about, *rest), word)

    return made


def mb_in_words(mb: float) -> str:
    """An amount: MB below 1 GB, else GB."""
    return f"{mb:,.0f} MB" if mb < 1024 else f"{plain(mb / 1024, 3)} GB"  # noqa: PLR2004


def archived(case: Case) -> str:
    """Which disks are not free for other files: those of the redo logs and archived ones."""
    places = case.value("redo.archive_destinations")
    if not isinstance(places, tuple):
        return ", not those of the redo logs and archived redo logs"
    return f", not those of the redo logs and archived redo logs ({', '.join(places)})"


def is_integrity(ids: tuple[str, ...]) -> bool:
    """Whether all of these rules judge integrity settings, which are never first in a plan."""
    return bool(ids) and all(rule.startswith("INTG") for rule in ids)


def starved(case: Case) -> str:
    """The evidence that processes wait for CPU; empty without any."""
    return host.waits_for_cpu(case.get, case.policy.__getitem__)


def backup_first(case: Case) -> str:
    """The backup that explains why writes are slow; empty if none does."""
    return write_path.running(case.get, case.policy.__getitem__)


def backup_alone(case: Case) -> bool:
    """Whether only the second period had the backup: the first is the test without it."""
    before = case.before
    shown = before is not None and any(before[name].number is not None for name in write_path.FACTS)
    if before is None or not shown or not backup_first(case):
        return False
    return not write_path.running(lambda name: before[name].number, case.policy.__getitem__)


def backup_before(case: Case) -> str:
    """What the first period had of a backup that the second alone had as a large one."""
    small = case.before is not None and case.before["io.backup_s"].number
    return f"{'only a small one' if small else 'none'} in the first period"


def short_of_memory(case: Case) -> str:
    """The evidence that the host is out of memory; empty without any."""
    return host.short_of_memory(case.get, case.policy.__getitem__)


#: MB of addresses of a 32-bit process on Windows: usual, and with /3GB in boot.ini.
_USUAL_MB: Final = 2048
_MOST_MB: Final = 3072
#: A value of the fact database.address_space.
_WINDOWS_32: Final = "32-bit Windows"


def addresses(case: Case) -> tuple[float, float] | None:
    """MB of addresses on 32-bit Windows, and MB of them that are left for each session."""
    size_mb, sessions = case.get("database.sga_mb"), case.get("load.sessions")
    is_bound = case.value("database.address_space") == _WINDOWS_32
    if not is_bound or size_mb is None or not sessions or size_mb >= _MOST_MB:
        return None
    whole_mb = _USUAL_MB if size_mb < _USUAL_MB else _MOST_MB
    return whole_mb, (whole_mb - size_mb) / sessions


def bound(case: Case) -> tuple[str, ...]:
    """A risk of larger caches and work areas; none if Oracle is 64-bit or the report has no sign.

    With the number of sessions, it says how much is left for each.
    """
    size_mb = case.get("database.sga_mb")
    sga = "the SGA" if size_mb is None else f"the SGA ({size_mb:,.0f} MB)"
    shared = (
        f"{sga} and all sessions share the 2 GB of addresses of one process (3 GB with /3GB in "
        "boot.ini); beyond that, sessions fail with ORA-04030"
    )
    left = ""
    if bounds := addresses(case):
        left = (
            f" Of {bounds[0] / 1024:.0f} GB, at most {plain(bounds[1], 2)} MB is left for each of "
            f"the {case.or_zero('load.sessions'):,.0f} sessions at the snapshots, all of its work "
            "areas included."
        )
    own = f"{sga} and the memory of one session share at most 4 GB of addresses"
    said = {
        "32-bit": f"Oracle is 32-bit: {own}.",
        "Windows": f"If Oracle is 32-bit on this Windows host, {shared}.",
        _WINDOWS_32: f"Oracle is 32-bit on Windows: {shared}.{left}",
    }.get(str(case.value("database.address_space")))
    return (said,) if said else ()


def exceeds(case: Case, pga_mb: float) -> bool:
    """Whether a PGA target and the SGA are certainly more than the process can address."""
    size_mb = case.get("database.sga_mb")
    is_bound = case.value("database.address_space") == _WINDOWS_32
    return is_bound and size_mb is not None and size_mb + pga_mb > _MOST_MB
