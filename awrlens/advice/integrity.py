"""Integrity settings: what each would cost here, what to set, how to measure it for real.

Source: document 4, whose method is the check: the same load with each setting.
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
    "the same load with each setting for an interval, then DB CPU and DB time for each "
    "transaction of the two reports"
)


class Setting(NamedTuple):
    """One value of a parameter: is it set now, what it would cost, what Oracle says."""

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
    """Every setting that document 4 or Oracle puts a price on, for one report."""
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
                "the default: blocks of SYSTEM alone are checked"),
        Setting("db_block_checking", "LOW", checking == "LOW", Cost(0, 0, 0), oracle,
                "document 4 measured nothing above its noise: headers only"),
        Setting("db_block_checking", "MEDIUM", checking == "MEDIUM", priced(CHECKING_MEDIUM),
                oracle, "document 4: inserts 36.6 %, updates 42.5 %, deletes 43.3 % longer"),
        Setting("db_block_checking", "FULL", checking == "FULL", None, oracle,
                "not measured by document 4: more than MEDIUM, because indexes are checked too"),
        Setting("db_block_checksum", "TYPICAL", checksum == "TYPICAL", None,
                blockchecks.ORACLE_CHECKSUM_PCT["TYPICAL"], "over OFF, by Oracle's Reference"),
        Setting("db_block_checksum", "FULL", checksum == "FULL", priced(CHECKSUM_FULL),
                blockchecks.ORACLE_CHECKSUM_PCT["FULL"],
                "over TYPICAL; document 4: inserts 7.0 %, updates 1.3 %, deletes 7.3 % longer"),
    )  # fmt: skip


def recommendations(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...]
) -> list[Recommendation]:
    """What findings on integrity ask for; nothing where there is none."""
    ids = {finding.id for finding in findings}
    found = []
    if "INTG001" in ids:
        found.append(
            _set(
                "turn-checksums-on", "db_block_checksum", "TYPICAL", "OFF", "INTG001",
                "Let every block that is written carry a checksum: Oracle's default and "
                "recommendation, at 1 to 2 % by its Reference.",
            )
        )  # fmt: skip
    if "INTG003" in ids:
        found.append(
            _set(
                "look-for-lost-writes", "db_lost_write_protect", "TYPICAL", "NONE", "INTG003",
                "Let reads be logged, on primary and standby, so that the standby finds writes "
                "that storage has lost.",
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
                title="Measure what block checking costs, then decide",
                action=f"About {expected:.1f} % of DB time{bounds} by document 4's measurements "
                f"for this mix. {now} is what catches corruption in memory: do not drop it unread.",
                status="tune-first",
                commands=("ALTER SYSTEM SET db_block_checking=LOW SCOPE=MEMORY;",),
                rollback=(f"ALTER SYSTEM SET db_block_checking={now} SCOPE=MEMORY;",),
                benefit=Impact(None, None, "to be measured"),
                risks=("Corruption in memory is written while checking is low.",),
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
        benefit=Impact(None, None, "integrity; it saves no DB time"),
        risks=("CPU for checks, and more redo for lost write detection.",),
        validate=(_MEASURE,),
        findings=(finding,),
    )


def only(ids: tuple[str, ...]) -> bool:
    """Whether all of some rules judge integrity settings, which never head a plan."""
    return bool(ids) and all(each.startswith("INTG") for each in ids)
