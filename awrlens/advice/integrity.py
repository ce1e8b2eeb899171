"""Integrity settings: what they would cost here, what to set, and how to measure the cost.

Source: Block Checking Overhead, including the method: run the same load with every setting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens import blockchecks
from awrlens.blockchecks import CHANGING, CHECKING_MEDIUM, CHECKSUM_FULL, Cost
from awrlens.model import Impact, Recommendation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding

_MEASURE: Final = (
    "run the same load with both settings for one interval each, then compare DB CPU and DB time "
    "per transaction in the two reports"
)


class Setting(NamedTuple):
    """One value of a parameter: whether it is set now, its cost here, and its cost by Oracle."""

    parameter: str
    value: str
    is_now: bool
    cost: Cost | None
    oracle_pct: tuple[float, float] | None
    basis: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**self._asdict(), "cost": self.cost._asdict() if self.cost else None}


def settings(facts: Mapping[str, Fact]) -> tuple[Setting, ...]:
    """Every setting whose cost Block Checking Overhead or Oracle states, for one report."""
    checking = facts["integrity.db_block_checking"].value
    checksum = facts["integrity.db_block_checksum"].value
    shares = {verb: facts[f"integrity.{verb}_pct"].number for verb in CHANGING}
    cpu = facts["integrity.cpu_pct"].number

    def priced(longer: Mapping[str, float]) -> Cost | None:
        known = {verb: share for verb, share in shares.items() if share is not None}
        if cpu is None or len(known) < len(CHANGING):
            return None
        return blockchecks.cost(longer, known, cpu)

    oracle = blockchecks.ORACLE_CHECKING_PCT
    return (
        Setting("db_block_checking", "OFF", checking == "OFF", Cost(0, 0, 0), None,
                "the default: only blocks of SYSTEM are checked"),
        Setting("db_block_checking", "LOW", checking == "LOW", Cost(0, 0, 0), oracle,
                "only block headers; Block Checking Overhead measured no difference"),
        Setting("db_block_checking", "MEDIUM", checking == "MEDIUM", priced(CHECKING_MEDIUM),
                oracle, "Block Checking Overhead: inserts take 36.6 % longer, updates 42.5 %, "
                "deletes 43.3 %"),
        Setting("db_block_checking", "FULL", checking == "FULL", None, oracle,
                "not measured in Block Checking Overhead; more than MEDIUM, because indexes are "
                "checked too"),
        Setting("db_block_checksum", "TYPICAL", checksum == "TYPICAL", None,
                blockchecks.ORACLE_CHECKSUM_PCT["TYPICAL"],
                "compared with OFF; Oracle Database Reference"),
        Setting("db_block_checksum", "FULL", checksum == "FULL", priced(CHECKSUM_FULL),
                blockchecks.ORACLE_CHECKSUM_PCT["FULL"],
                "compared with TYPICAL; Block Checking Overhead: inserts take 7.0 % longer, "
                "updates 1.3 %, deletes 7.3 %"),
    )  # fmt: skip


def recommendations(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...]
) -> list[Recommendation]:
    """What to do about findings on integrity settings; nothing without findings."""
    ids = {finding.id for finding in findings}
    found = []
    if "INTG001" in ids:
        found.append(
            _set(
                "turn-checksums-on", "db_block_checksum", "TYPICAL", "OFF", "INTG001",
                "Write every block with a checksum. This is Oracle's default and recommendation; "
                "it costs 1 to 2 % (Oracle Database Reference).",
            )
        )  # fmt: skip
    if "INTG003" in ids:
        found.append(
            _set(
                "look-for-lost-writes", "db_lost_write_protect", "TYPICAL", "NONE", "INTG003",
                "Log buffer cache reads on the primary and the standby, so that the standby "
                "detects writes that the storage has lost.",
            )
        )  # fmt: skip
    if "INTG002" in ids:
        now = str(facts["integrity.db_block_checking"].value)
        cost = next(s.cost for s in settings(facts) if s.value == "MEDIUM")
        bounds = f" ({cost.low_pct:.1f} to {cost.high_pct:.1f} %)" if cost else ""
        expected = facts["integrity.checking_medium_pct"].number or 0.0
        found.append(
            Recommendation(
                id="measure-block-checking",
                title=f"Measure the cost of DB_BLOCK_CHECKING={now}",
                action=f"Block checking costs an estimated {expected:.1f} % of DB time{bounds}, "
                "from the measurements in Block Checking Overhead and this report's mix of SQL. "
                f"{now} detects in-memory corruption; do not disable it without measuring.",
                status="tune-first",
                commands=("ALTER SYSTEM SET db_block_checking=LOW SCOPE=MEMORY;",),
                rollback=(f"ALTER SYSTEM SET db_block_checking={now} SCOPE=MEMORY;",),
                benefit=Impact(None, None, "to be measured"),
                risks=("While checking is LOW, in-memory corruption may be written to disk.",),
                validate=(_MEASURE,),
                findings=("INTG002",),
            )
        )
    return found


def _set(
    item: str, parameter: str, value: str, before: str, finding: str, action: str
) -> Recommendation:
    return Recommendation(
        id=item,
        title=f"Set {parameter.upper()} to {value}",
        action=action,
        status="apply",
        commands=(f"ALTER SYSTEM SET {parameter}={value} SCOPE=BOTH;",),
        rollback=(f"ALTER SYSTEM SET {parameter}={before} SCOPE=BOTH;",),
        benefit=Impact(None, None, "data integrity; no DB time is saved"),
        risks=("The checks cost CPU; lost-write detection also generates more redo.",),
        validate=(_MEASURE,),
        findings=(finding,),
    )


def only(ids: tuple[str, ...]) -> bool:
    """Whether all of these rules judge integrity settings, which are never first in a plan."""
    return bool(ids) and all(each.startswith("INTG") for each in ids)
