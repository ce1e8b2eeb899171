"""The load profile until 10.2: two decimals, sorts, and four percentages under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .figures import grouped, percent, plain, ratio

if TYPE_CHECKING:
    from .derived import Derived


def rates(d: Derived) -> list[tuple[str, str, str]]:
    """What was done a second and a transaction."""
    totals = {
        "Redo size:": d["redo size"],
        "Logical reads:": d["session logical reads"],
        "Block changes:": d["db block changes"],
        "Physical reads:": d["physical reads"],
        "Physical writes:": d["physical writes"],
        "User calls:": d["user calls"],
        "Parses:": d["parse count (total)"],
        "Hard parses:": d["parse count (hard)"],
        "Sorts:": d["sorts (memory)"] + d["sorts (disk)"],
        "Logons:": d["logons cumulative"],
        "Executes:": d["execute count"],
    }
    lines = [
        (label, grouped(d.per_second(total), 2), grouped(d.per_transaction(total), 2))
        for label, total in totals.items()
    ]
    return [*lines, ("Transactions:", grouped(d.per_second(d.transactions), 2), "")]


def shares(d: Derived) -> list[tuple[str, str, str, str]]:
    """The percentages under the profile, two on a line."""
    sorts = d["sorts (memory)"] + d["sorts (disk)"]
    changed = percent(d["db block changes"], d["session logical reads"])
    recursive = percent(d["recursive calls"], d["recursive calls"] + d["user calls"])
    rollbacks = percent(d["user rollbacks"], d.transactions)
    rows_per_sort = ratio(d["sorts (rows)"], sorts)
    pairs = (
        ("% Blocks changed per Read:", changed, "Recursive Call %:", recursive),
        ("Rollback per transaction %:", rollbacks, "Rows per Sort:", rows_per_sort),
    )
    return [(left, plain(a, 2), right, plain(b, 2)) for left, a, right, b in pairs]


def profile_lines(d: Derived) -> list[str]:
    """The profile in text, below its heading."""
    return [
        *(
            f"{label:>28} {second:>21} {transaction:>21}".rstrip()
            for label, second, transaction in rates(d)
        ),
        "",
        *(f"{left:>28} {a:>7} {right:>20} {b:>8}" for left, a, right, b in shares(d)),
    ]
