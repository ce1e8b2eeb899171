"""Whether to move temporary tablespaces to low-latency storage; memory comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import device_time
from awrlens.advice.device_time import no_less_than_0, saved_s
from awrlens.advice.storage_case import (
    MEMORY_GAIN_PCT,
    NO_SAVING,
    QUICK_RATIO,
    Case,
    StorageVerdict,
    saves,
)
from awrlens.units import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy


TEMP_RULES: Final = (
    "TEMP001", "TEMP002", "TEMP003", "TEMP004", "TEMP005", "TEMP006", "TEMP007", "TEMP008",
)  # fmt: skip


def temp_saved_s(case: Case) -> float | None:
    """Seconds saved with temp on the device; lost if below 0; None is not known."""
    waited = case.get("temp.direct_wait_s")
    if case.untimed or waited is None or not case.scale.known:
        return None
    return saved_s(device_time.temp(case.facts, waited, case.temp_speed))


def _memory_ends(case: Case) -> float | None:
    """Percentage of temporary I/O that the recommended PGA target avoids; None is not known."""
    ends, share = case.get("pga.recommended_ends_pct"), case.get("pga.temp_share_pct")
    return None if ends is None else ends * min(100.0 if share is None else share, 100.0) / 100


def temp(
    facts: Mapping[str, Fact], findings: tuple[Finding, ...], policy: Policy
) -> StorageVerdict:
    """Temporary tablespaces: memory before storage."""
    case = Case(facts, findings, policy)
    waited = case.get("temp.direct_wait_s")
    if case.untimed:
        return StorageVerdict("need-data", f"Not decided: {case.untimed}.", NO_SAVING)
    if waited is None or not case.scale.known:
        why = case.lacking("temp.direct_wait_s", "load.elapsed_s")
        return StorageVerdict("need-data", f"Not decided: {why}.", NO_SAVING)
    parts = device_time.temp(facts, waited, case.temp_speed)
    main = max(parts, key=lambda part: part.waited_s)  # the larger of reads and writes
    saved = no_less_than_0(saved_s(parts))
    saving = case.scale.impact(
        saved,
        f"temporary direct path waits at {plain(main.device_ms, 3)} ms per {main.operation}",
    )
    each = "" if main.now_ms is None else f", {plain(main.now_ms, 3)} ms per {main.operation}"
    waits = f"Sessions waited {waited:,.0f} s for temporary I/O{each}"
    if not case.at_least("info", *TEMP_RULES):
        return StorageVerdict("no-benefit", f"{waits if waited >= 1 else _NONE}.", saving)
    first = _first(case)
    if first and case.scale.how_many(waited) >= _SEVERAL:
        reason = f"{waits}. {first[:1].upper()}{first[1:]}."
        return StorageVerdict("tune-first", reason, saving, case.of(*TEMP_RULES))
    if main.now_ms is None or saved is None:
        lacking = case.lacking("temp.direct_ms", "temp.read_ms")
        return StorageVerdict("need-data", f"{waits}. Its latency is not known: {lacking}.", saving)
    slow = case.scale.how_slow(main.now_ms, case.get("temp.direct_b")) >= _SLOW
    if main.now_ms <= case.policy[QUICK_RATIO] * main.device_ms:
        reason = f"{waits}. Low-latency storage would not be faster."
        return StorageVerdict("no-benefit", reason, saving)
    if not case.at_least("warning", *TEMP_RULES, "REDO014") or not case.worth(saved, slow=slow):
        return StorageVerdict(
            "no-benefit", f"{waits}. Low-latency storage would save only {saves(saving)}.", saving
        )
    ends = _memory_ends(case)
    part = "" if ends is None else f"{ends:.0f} % of it" if round(ends) else "none of it"
    memory = f". More memory would avoid {part}" if part else ""
    return StorageVerdict(
        "apply",
        f"{waits}{memory}. Low-latency storage would save {saves(saving)}.",
        saving,
        case.of("REDO014", *TEMP_RULES),
    )


#: The level of waiting sessions at which memory comes first: impact.several_sessions.
_SEVERAL: Final = 2


def _first(case: Case) -> str:
    """What comes before storage: asynchronous I/O, then memory; empty if neither does."""
    if case.at_least("info", "CKPT010"):
        return "first enable asynchronous I/O"
    return _memory_first(case)


_NONE: Final = "No session waited for temporary I/O"
_SLOW: Final = 2


def _memory_first(case: Case) -> str:
    """Why memory comes before storage; empty if it would not avoid most of the I/O."""
    if case.facts["pga.work_area_policy"].value == "manual" and (case.get("temp.sorts_disk") or 0):
        return f"PGA is manual: first increase {_SIZES}"
    ends = _memory_ends(case)
    if ends is not None and ends >= case.policy[MEMORY_GAIN_PCT]:
        return f"memory comes first: by the PGA Memory Advisory, it avoids {ends:.0f} % of this I/O"
    if ends is None and (case.get("pga.multipass") or 0) > 0:
        return "memory comes first: work areas had multi-pass executions"
    if ends is None and case.get("pga.multipass") is None:
        return f"the effect of more memory is not in the report: first increase {_SIZES}"
    return ""


_SIZES: Final = "SORT_AREA_SIZE, HASH_AREA_SIZE and BITMAP_MERGE_AREA_SIZE"
