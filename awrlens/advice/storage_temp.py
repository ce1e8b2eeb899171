"""Whether temporary tablespaces belong on low-latency storage: memory before storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice.commit_model import size_ms
from awrlens.advice.storage_case import (
    DEVICE_MB_S,
    DEVICE_READ_MS,
    DEVICE_WRITE_MS,
    MEMORY_GAIN_PCT,
    NO_SAVING,
    QUICK_RATIO,
    Case,
    StorageVerdict,
    ended,
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


class _TempIo(NamedTuple):
    """The larger side of temporary I/O: what a wait takes, its size, what a device saves."""

    saved_s: float | None
    latency_ms: float | None
    size_b: float
    operation: str


def _temp_io(case: Case, waited_s: float) -> _TempIo:
    """Waits for reads and writes apart (since 10g), each shortened as the latencies are.

    What sessions wait comes before what the device takes: reads that are sent ahead overlap.
    """
    size = case.get("temp.direct_b") or 0.0
    read_ms = case.get("temp.direct_read_ms") or case.get("temp.direct_ms")
    read_ms = read_ms or case.get("temp.read_ms")
    write_ms = case.get("temp.direct_write_ms") or case.get("temp.write_ms")
    reading, writing = case.get("temp.direct_read_wait_s"), case.get("temp.direct_write_wait_s")
    if reading is None or writing is None:
        saved = None if not read_ms else waited_s * ended(_device(case, "read", size), read_ms)
        return _TempIo(saved, read_ms, size, "read")
    parts = [(reading, read_ms, _device(case, "read", size)),
             (writing, write_ms, _device(case, "write", size))]  # fmt: skip
    known = [(wait, ended(device, now)) for wait, now, device in parts if wait and now]
    saved = sum(wait * share for wait, share in known) if known else None
    if reading >= writing:
        return _TempIo(saved, read_ms, size, "read")
    return _TempIo(saved, write_ms, size, "write")


def _device(case: Case, operation: str, size_b: float) -> float:
    """A read or write of temporary segments of this size on the low-latency device, in ms."""
    latency = case.policy[DEVICE_READ_MS if operation == "read" else DEVICE_WRITE_MS]
    return latency + size_ms(size_b, case.policy[DEVICE_MB_S])


def _memory_ends(case: Case) -> float | None:
    """Per cent of the temporary I/O that the recommended PGA target ends; None is not known."""
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
    io = _temp_io(case, waited)
    device = _device(case, io.operation, io.size_b)
    saving = case.scale.impact(
        io.saved_s, f"temporary direct path waits at {plain(device)} ms for each {io.operation}"
    )
    each = "" if io.latency_ms is None else f", {plain(io.latency_ms)} ms for each {io.operation}"
    waits = f"Sessions waited {waited:,.0f} s for temporary I/O{each}"
    if not case.at_least("info", *TEMP_RULES):
        return StorageVerdict("no-benefit", f"{waits if waited >= 1 else _NONE}.", saving)
    first = _first(case)
    if first and case.scale.how_many(waited) >= _SEVERAL:
        return StorageVerdict("tune-first", f"{waits}; {first}.", saving, case.of(*TEMP_RULES))
    if io.latency_ms is None or io.saved_s is None:
        lacking = case.lacking("temp.direct_ms", "temp.read_ms")
        return StorageVerdict("need-data", f"{waits}; its latency is not known: {lacking}.", saving)
    slow = case.scale.how_slow(io.latency_ms, io.size_b) >= _SLOW
    if io.latency_ms <= case.policy[QUICK_RATIO] * device:
        return StorageVerdict("no-benefit", f"{waits}: the device would be no quicker.", saving)
    if not case.at_least("warning", *TEMP_RULES, "REDO014") or not case.worth(
        io.saved_s, slow=slow
    ):
        return StorageVerdict(
            "no-benefit", f"{waits}; low-latency storage would save {saves(saving)}.", saving
        )
    ends = _memory_ends(case)
    memory = "" if ends is None else f"; more memory would end {ends:.0f} % of it"
    return StorageVerdict(
        "apply",
        f"{waits}{memory}; low-latency storage would save {saves(saving)}.",
        saving,
        case.of("REDO014", *TEMP_RULES),
    )


#: So many sessions wait that memory is worth looking at first: impact.several_sessions.
_SEVERAL: Final = 2


def _first(case: Case) -> str:
    """What comes before storage: synchronous I/O, then memory; empty where neither does."""
    if case.at_least("info", "CKPT010"):
        return "asynchronous I/O comes first"
    return _memory_first(case)


_NONE: Final = "No session waited for temporary I/O"
_SLOW: Final = 2


def _memory_first(case: Case) -> str:
    """Why memory comes before storage; empty where it would not end most of the I/O."""
    if case.facts["pga.work_area_policy"].value == "manual" and (case.get("temp.sorts_disk") or 0):
        return f"work areas are sized by hand: {_SIZES} come first"
    ends = _memory_ends(case)
    if ends is not None and ends >= case.policy[MEMORY_GAIN_PCT]:
        return f"memory comes first: the PGA advisory ends {ends:.0f} % of it"
    if ends is None and (case.get("pga.multipass") or 0) > 0:
        return "memory comes first: work areas needed several passes"
    if ends is None and case.get("pga.multipass") is None:
        return f"the report does not say what more memory would do: {_SIZES} come first"
    return ""


_SIZES: Final = "SORT_AREA_SIZE, HASH_AREA_SIZE and BITMAP_MERGE_AREA_SIZE"
