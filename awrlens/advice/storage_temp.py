"""Whether temporary tablespaces belong on low-latency storage: memory before storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from awrlens.advice.storage_case import (
    DEVICE_READ_MS,
    DEVICE_WRITE_MS,
    MEMORY_GAIN_PCT,
    NO_SAVING,
    Case,
    StorageVerdict,
    ended,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from awrlens.model import Fact, Finding
    from awrlens.policy import Policy


class _TempIo(NamedTuple):
    """What sessions waited for temporary I/O, which side is the larger, what a device saves."""

    waited_s: float
    saved_s: float | None
    latency_ms: float | None
    operation: str


def _temp_io(case: Case, waited_s: float) -> _TempIo:
    """Waits for reads and writes apart (since 10g), each shortened as the latencies are."""
    read_ms = case.get("temp.read_ms") or case.get("temp.direct_read_ms")
    write_ms = case.get("temp.write_ms") or case.get("temp.direct_write_ms")
    reading, writing = case.get("temp.direct_read_wait_s"), case.get("temp.direct_write_wait_s")
    if reading is None or writing is None:
        saved = None if not read_ms else waited_s * ended(case.policy[DEVICE_READ_MS], read_ms)
        return _TempIo(waited_s, saved, read_ms, "read")
    parts = [
        (reading, read_ms, case.policy[DEVICE_READ_MS]),
        (writing, write_ms, case.policy[DEVICE_WRITE_MS]),
    ]
    known = [(wait, ended(device, now)) for wait, now, device in parts if wait and now]
    saved = sum(wait * share for wait, share in known) if known else None
    latency, operation = (read_ms, "read") if reading >= writing else (write_ms, "write")
    return _TempIo(waited_s, saved, latency, operation)


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
    if waited is None or not case.scale.known:
        why = case.lacking("temp.direct_wait_s", "load.response_s")
        return StorageVerdict("need-data", f"Not decided: {why}.", NO_SAVING)
    share = case.share(waited)
    felt = f"Sessions waited {share:.1f} % of DB time for temporary I/O"
    if not case.worth(waited):
        return StorageVerdict("no-benefit", f"{felt}.", NO_SAVING)
    io = _temp_io(case, waited)
    device = policy[DEVICE_READ_MS] if io.operation == "read" else policy[DEVICE_WRITE_MS]
    saving = case.scale.impact(
        io.saved_s, f"temporary direct path waits at {device:g} ms for each {io.operation}"
    )
    first = _memory_first(case)
    if first:
        ids = case.of("TEMP001", "TEMP002", "TEMP003", "TEMP005", "TEMP007")
        return StorageVerdict("tune-first", f"{felt}; {first}.", saving, ids)
    if io.latency_ms is None or io.saved_s is None:
        lacking = case.lacking("temp.read_ms", "temp.direct_write_ms")
        return StorageVerdict("need-data", f"{felt}, but its latency is not known: {lacking}.",
                              saving)  # fmt: skip
    if not case.worth(io.saved_s):
        return StorageVerdict(
            "no-benefit",
            f"A temporary {io.operation} takes {io.latency_ms:.2g} ms already.",
            saving,
        )
    ends = _memory_ends(case)
    memory = "" if ends is None else f"memory would end {ends:.0f} % of it, and "
    return StorageVerdict(
        "apply",
        f"{felt}, {io.latency_ms:.1f} ms a {io.operation}; {memory}a device of {device:g} ms would "
        f"save up to {io.saved_s:,.0f} s ({percent(saving)} of DB time).",
        saving,
        case.of("TEMP001", "TEMP002", "TEMP008"),
    )


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
