"""The unit of work by which amounts are divided, and how the load changed besides DB time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.model.comparison import CHANGED, Basis
from awrlens.policy import Policy, Threshold
from awrlens.series import fairness
from awrlens.series.amounts import divisors
from awrlens.series.words import by
from awrlens.units import listed, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.model.comparison import Moved, Per, Reading

MIX_RATIO: Final = Threshold(
    "compare.mix_ratio", 2.0, "ratio",
    "ratio of executes per transaction on both sides, above which the unit of comparison is that "
    "of transactions and executes whose rate changed less",
    "awrlens: where one rate changes twice as much as the other, the SQL is another, and a unit "
    "that became rare or frequent makes DB time per unit look worse or better than it is",
)  # fmt: skip

#: A smaller change of the transactions explains no change of DB time and is not printed beside it.
_SAME_LOAD_PCT: Final = 5.0
_RESPONSE: Final = "load.response_s"


def basis_of(before: Sequence[Reading], after: Sequence[Reading], policy: Policy) -> Basis:
    """The divisor of amounts: seconds, unless the load differs a lot.

    If the load differs, the divisor is transactions, provided that a transaction has the same
    number of executes on both sides. Otherwise neither is known to be the same work, and seconds
    are the divisor, unless the rates of both rose or both fell: then it is executes, or the one
    that changed less if one changed much more than the other.
    """
    differs = fairness.differing(before, after, policy)
    if not differs:
        return Basis("second", "the load is similar on both sides")
    known = [set(divisors(reading, policy)) for reading in (*before, *after)]
    common = set.intersection(*known)
    why = f"the load differs ({differs[0]})"
    units: tuple[Per, ...] = ("transaction", "execute")
    if not fairness.same_work(before, after, policy):
        why += "; transactions differ in size"
        transactions, executes = fairness.factors(before, after)
        if other := _not_the_load(transactions, executes, policy):
            return Basis("second", f"{why}, {other}")
        units = ("execute", "transaction")
        sizes = [max(each, 1 / each) for each in (transactions, executes)]
        if max(sizes) / min(sizes) > policy[MIX_RATIO] and sizes[0] < sizes[1]:
            units = ("transaction", "execute")
            why += ", but the transaction rate changed less than the execute rate"
    for per in units:
        if per in common:
            return Basis(per, why)
    return Basis("second", f"{why}, but the rate is close to 0 on one side")


def _not_the_load(transactions: float, executes: float, policy: Policy) -> str:
    """Why the rates do not show a change of the load; empty if both rose or both fell."""
    for what, factor in (("execute", executes), ("transaction", transactions)):
        if max(factor, 1 / factor) <= policy[fairness.LOAD_RATIO]:
            return f"but the {what} rate is similar"
    if (transactions > 1) != (executes > 1):
        return "and the rates of transactions and executes changed in opposite directions"
    return ""


def by_divisor(facts: Sequence[Moved]) -> dict[tuple[str, Per], Moved]:
    """Every fact with each of its divisors."""
    return {(each.fact, each.per): each for each in facts}


def other_work(known: Mapping[tuple[str, Per], Moved], policy: Policy) -> bool:
    """Whether executes per transaction differ, so that neither measures the work."""
    transactions, executes = (_factor(known, name) for name in fairness.RATES)
    if transactions is None or executes is None:
        return False
    size = executes / transactions
    return max(size, 1 / size) > policy[fairness.LOAD_RATIO]


def _factor(known: Mapping[tuple[str, Per], Moved], name: str) -> float | None:
    each = known.get((name, "second"))
    return each.after / each.before if each and each.before > 0 and each.after > 0 else None


def load(known: Mapping[tuple[str, Per], Moved], basis: Basis, policy: Policy) -> str:
    """The change of the transactions, which DB time per second includes.

    If executes per transaction differ, that of the executes, too.
    """
    if basis.per != "second":
        return ""
    found = []
    if other_work(known, policy) and (executes := _changed(known, fairness.RATES[1])):
        found.append(f"{executes} executes")
    if transactions := _changed(known, fairness.RATES[0]):
        found.append(f"{transactions} transactions{_rollbacks(known)}")
    return f", with {listed(found)}" if found else ""


def _changed(known: Mapping[tuple[str, Per], Moved], name: str) -> str:
    factor = _factor(known, name)
    if factor is None or abs(factor - 1) * 100 < _SAME_LOAD_PCT:
        return ""
    each = known[name, "second"]
    return by(each.before, each.after, "as many")


def _rollbacks(known: Mapping[tuple[str, Per], Moved]) -> str:
    """That most of the additional transactions are rollbacks, unless most were before."""
    found = known[fairness.RATES[0], "second"]
    undone = known.get(("load.rollbacks_per_s", "second"))
    if undone is None or undone.before > found.before / 2:
        return ""
    if not undone.after - undone.before > (found.after - found.before) / 2 > 0:
        return ""
    rates = (plain(undone.before, 3), plain(undone.after, 3))
    return f", most of the difference rollbacks, {' → '.join(rates)} per second"


def opposed(known: Mapping[tuple[str, Per], Moved], basis: Basis, policy: Policy) -> bool:
    """Whether DB time is better per second and worse per transaction or execute, or vice versa."""
    if basis.per != "second" or not other_work(known, policy):
        return False
    units: tuple[Per, ...] = ("second", "transaction", "execute")
    moved = {each.verdict for per in units if (each := known.get((_RESPONSE, per)))}
    second = known.get((_RESPONSE, "second"))
    return second is not None and second.verdict in CHANGED and {"better", "worse"} <= moved


def per_transaction(known: Mapping[tuple[str, Per], Moved], basis: Basis, policy: Policy) -> str:
    """The change of DB time per transaction, if only the executes are other work."""
    factor, found = _factor(known, fairness.RATES[0]), known.get((_RESPONSE, "transaction"))
    if basis.per != "second" or factor is None or found is None or not other_work(known, policy):
        return ""
    if max(factor, 1 / factor) > policy[fairness.LOAD_RATIO]:
        return ""
    changed = found.verdict in CHANGED and found.before > 0 and found.after > 0
    how = by(found.before, found.after, "as much") if changed else "about the same"
    return f"; {how} per transaction"
