"""Integrity settings: what they would cost here, what to set, and how to measure the cost.

Source: Block Checking Overhead, including the method: run the same load with every setting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import features
from awrlens.advice.case import advice
from awrlens.advice.queries import texts
from awrlens.lazy import NamedTuple
from awrlens.model import Impact, Recommendation
from awrlens.oracle import block_checking
from awrlens.oracle.block_checking import BOTH, CHANGING, CHECKING_MEDIUM, CHECKSUM_FULL, Cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.advice.case import Case
    from awrlens.model import Fact

_MEASURE: Final = texts("compare integrity settings")[0]


class Setting(NamedTuple):
    """One value of a parameter: whether it is set now, its cost here, and its cost by Oracle."""

    parameter: str
    value: str
    is_now: bool
    cost: Cost | None
    oracle_pct: tuple[float, float] | None
    basis: str


def settings(
    facts: Mapping[str, Fact],
    mix: Mapping[str, float] | None = None,
    runs: block_checking.Runs | None = None,
) -> tuple[Setting, ...]:
    """Every setting whose cost Block Checking Overhead or Oracle states, for one report.

    ``mix`` replaces the report's shares of verbs, in percent of its CPU; without a report, all time
    of SQL counts as CPU. ``runs`` replace the measurements of Block Checking Overhead.
    """

    def number(name: str) -> float | None:
        return facts[name].number if name in facts else None

    checking, checksum = (
        facts[name].value if name in facts else None
        for name in ("integrity.db_block_checking", "integrity.db_block_checksum")
    )
    cpu = number("integrity.cpu_pct") if facts else 100.0
    if mix is None:
        shares = {verb: number(f"integrity.{verb}_cpu_pct") for verb in CHANGING}
    else:
        shares = {verb: None if cpu is None else share * cpu / 100 for verb, share in mix.items()}
    off, low, medium = (("TYPICAL", level) for level in ("OFF", "LOW", "MEDIUM"))
    full = ("FULL", "MEDIUM")

    def basis(published: str, *pair: tuple[str, str]) -> str:
        if runs is None:
            return published
        missing = runs.longer(*pair) is None
        return f"{'not ' * missing}measured by `awrlens sql block-checking`"

    def priced(published: Mapping[str, float], *pair: tuple[str, str]) -> Cost | None:
        longer = runs.longer(*pair) if runs else published
        given = {verb: share for verb, share in shares.items() if share is not None}
        if longer is None or not all(verb in given for verb in CHANGING):
            return None
        return block_checking.cost(longer, given)

    oracle = block_checking.ORACLE_CHECKING_PCT
    return (
        Setting("db_block_checking", "OFF", checking == "OFF", Cost(0, 0, 0), None,
                "the default: only blocks of SYSTEM are checked"),
        Setting("db_block_checking", "LOW", checking == "LOW",
                priced(dict.fromkeys(CHANGING, 0.0), low, off) if runs else Cost(0, 0, 0), oracle,
                "only block headers; "
                + basis("Block Checking Overhead measured no difference", low, off)),
        Setting("db_block_checking", "MEDIUM", checking == "MEDIUM",
                priced(CHECKING_MEDIUM, medium, off), oracle,
                "headers and contents of table blocks; "
                + basis("Block Checking Overhead: inserts take 36.6 % longer, updates 42.5 %, "
                        "deletes 43.3 %", medium, off)),
        Setting("db_block_checking", "FULL", checking == "FULL", None, oracle,
                "not measured in Block Checking Overhead; more than MEDIUM, because indexes are "
                "checked too. Oracle recommends FULL if the cost is acceptable"),
        Setting("db_block_checksum", "TYPICAL", checksum == "TYPICAL", None,
                block_checking.ORACLE_CHECKSUM_PCT["TYPICAL"],
                "compared with OFF: DBWR writes a checksum, reads verify it. Oracle recommends "
                "TYPICAL"),
        Setting("db_block_checksum", "FULL", checksum == "FULL",
                priced(CHECKSUM_FULL, full, medium), block_checking.ORACLE_CHECKSUM_PCT["FULL"],
                "compared with TYPICAL: also before updates and deletes change a block in memory, "
                "and for redo blocks; "
                + basis("Block Checking Overhead: inserts take 7.0 % longer, updates 1.3 %, "
                        "deletes 7.3 %", full, medium)),
        Setting("both", "MEDIUM + FULL", checking == "MEDIUM" and checksum == "FULL",
                priced(BOTH, full, off), None,
                "DB_BLOCK_CHECKING=MEDIUM with DB_BLOCK_CHECKSUM=FULL, compared with OFF and "
                "TYPICAL; " + basis("Block Checking Overhead: 22.8 % more time for its mix of SQL "
                                    "(56.50 over 46.01 s)", full, off)),
    )  # fmt: skip


#: What Oracle does about a damaged block, by setting, and what users see.
REPAIR: Final = texts("repair a damaged block")
#: How to measure the cost, the safest way first.
MEASURE: Final = texts("measure integrity")


@advice("turn-checksums-on", "online", "low", answers=("INTG001",))
def turn_checksums_on(case: Case) -> Recommendation:
    """Set DB_BLOCK_CHECKSUM to TYPICAL."""
    in_words = features.runs(case.facts, "db_block_checksum=typical")
    return _set(
        case, "db_block_checksum",
        ("OFF", "TYPICAL") if in_words else ("FALSE", "TRUE"),
        "Write every block with a checksum. This is Oracle's recommendation and, since 9i, its "
        "default; it costs 1 to 2 % (Oracle Database Reference).",
    )  # fmt: skip


@advice("look-for-lost-writes", "online", "medium", answers=("INTG003",))
def look_for_lost_writes(case: Case) -> Recommendation:
    """Set DB_LOST_WRITE_PROTECT to TYPICAL."""
    return _set(
        case, "db_lost_write_protect", ("NONE", "TYPICAL"),
        "Log buffer cache reads on the primary and the standby, so that the standby "
        "detects writes that the storage has lost.",
    )  # fmt: skip


#: Who commits with NOWAIT: the database for all sessions, or some sessions.
_NOWAIT_SQL: Final = texts("commits without wait")


@advice("check-nowait-commits", "application", "low", answers=("INTG004",))
def check_nowait_commits(_: Case) -> Recommendation:
    """Check that commits with NOWAIT are intended."""
    return Recommendation(
        "Check that commits with NOWAIT are intended",
        texts("intended NOWAIT")[0],
        commands=_NOWAIT_SQL,
        benefit=Impact(None, None, "data integrity; no DB time is saved"),
        risks=("With WAIT, each commit waits for LGWR.",),
        validate=("`commit nowait performed` no longer rises",),
    )


def _set(case: Case, parameter: str, values: tuple[str, str], action: str) -> Recommendation:
    before, after = values
    return Recommendation(
        f"Set {parameter.upper()} to {after}",
        action,
        commands=(features.change(case.facts, parameter, after),),
        rollback=(features.change(case.facts, parameter, before),),
        benefit=Impact(None, None, "data integrity; no DB time is saved"),
        risks=("The checks cost CPU; lost-write detection also generates more redo.",),
        validate=(_MEASURE,),
    )


@advice("measure-block-checking", "online", "medium", answers=("INTG002",))
def measure_block_checking(case: Case) -> Recommendation:
    """Measure the cost of block checking."""
    now = case.value("integrity.db_block_checking")
    cost = next(s.cost for s in settings(case.facts) if s.value == "MEDIUM")
    checking, least, before = "db_block_checking", "LOW", now
    if not features.runs(case.facts, f"{checking}={least}"):
        least, before = "FALSE", "TRUE"
    bounds = f" ({cost.low_pct:.1f} to {cost.high_pct:.1f} %)" if cost else ""
    return Recommendation(
        f"Measure the cost of DB_BLOCK_CHECKING={now}",
        f"Block checking costs an estimated {case.or_zero('integrity.checking_medium_pct'):.1f} % "
        f"of DB time{bounds}, from the measurements in Block Checking Overhead and this report's "
        f"mix of SQL. {now} detects in-memory corruption; do not disable it without measuring.",
        "tune-first",
        commands=(features.change(case.facts, checking, least, "MEMORY"),),
        rollback=(features.change(case.facts, checking, before, "MEMORY"),),
        benefit=Impact(None, None, "to be measured"),
        risks=(f"While checking is {least}, in-memory corruption may be written to disk.",),
        validate=(_MEASURE,),
    )


#: What answers findings, in the order of a plan.
ANSWERS: Final = (
    turn_checksums_on, look_for_lost_writes, check_nowait_commits, measure_block_checking,
)  # fmt: skip
