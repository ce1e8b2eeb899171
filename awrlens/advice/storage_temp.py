"""Whether to move temporary tablespaces to low-latency storage; memory comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.advice import data_writes, device_model, storage, temp
from awrlens.advice.devices import speed
from awrlens.advice.storage import StorageVerdict
from awrlens.units import plain, waited_words

if TYPE_CHECKING:
    from awrlens.advice.case import Case

_TEMP_RULES: Final = (
    "TEMP001", "TEMP002", "TEMP003", "TEMP004", "TEMP005", "TEMP006", "TEMP007", "TEMP008",
)  # fmt: skip


def verdict(case: Case) -> StorageVerdict:
    """Temporary tablespaces: memory before storage."""
    waited = case.get("temp.direct_wait_s")
    if why := storage.mistimed(case, *_TEMP_RULES):
        return _mistimed(case, why)
    if waited is None or not case.scale.known:
        return storage.undecided(case.lacking("temp.direct_wait_s", "load.elapsed_s"))
    parts = device_model.temp(case.facts, waited, speed(case.policy, "temp"))
    main = max(parts, key=lambda part: part.waited_s)  # the larger of reads and writes
    saved = device_model.no_less_than_0(device_model.saved_s(parts))
    saving = case.scale.impact(
        saved,
        f"temporary direct path waits at {plain(main.device_ms, 3)} ms per {main.operation}",
    )
    each = "" if main.now_ms is None else f", {plain(main.now_ms, 3)} ms per {main.operation}"
    waits = f"{storage.sentence(waited_words(waited))} for temporary I/O{each if waited else ''}"
    if not case.at_least("info", *_TEMP_RULES):
        if case.value("temp.timed") == "no":
            waits = f"The report has no times of the {case.or_zero('temp.reads'):,.0f} temp reads"
        return StorageVerdict("no-benefit", f"{waits}.", saving)
    if (first := _first(case)) and case.scale.how_many(waited) >= storage.SEVERAL:
        reason = f"{waits}. {storage.sentence(first)}."
        return StorageVerdict("tune-first", reason, saving, case.found(*_TEMP_RULES))
    if main.now_ms is None:
        lacking = case.lacking("temp.direct_ms", "temp.read_ms")
        return StorageVerdict("need-data", f"{waits}. Its latency is not known: {lacking}.", saving)
    own = None if main.operation == "wait" else case.get(f"temp.direct_{main.operation}_b")
    size = own or case.get("temp.direct_b")
    slow = case.scale.how_slow(main.now_ms, size) >= storage.SLOW
    if main.now_ms <= case.policy[storage.QUICK_RATIO] * main.device_ms:
        reason = f"{waits}. Low-latency storage would not be faster."
        return StorageVerdict("no-benefit", reason, saving)
    rules = ("REDO014", *_TEMP_RULES)
    if not case.at_least("warning", *rules) or not storage.worth(case, saved or 0.0, slow=slow):
        return StorageVerdict(
            "no-benefit",
            f"{waits}. Low-latency storage would save only {storage.saves(saving)}.",
            saving,
        )
    ends = _memory_ends(case)
    if ends is not None:
        waits += f". More memory would avoid {f'{ends:.0f} %' if round(ends) else 'none'} of it"
    reason = f"{waits}. Low-latency storage would save {storage.saves(saving)}."
    return StorageVerdict("apply", reason, saving, case.found(*rules))


def _mistimed(case: Case, why: str) -> StorageVerdict:
    """Without reliable times, the number of requests decides whether memory comes first."""
    found, first = case.found("TEMP001"), _first(case)
    if not found or not first:
        return storage.undecided(why)
    reason = f"How long sessions waited is not known: {why}. {storage.sentence(first)}."
    return StorageVerdict("tune-first", reason, findings=found)


def saved_s(case: Case) -> float | None:
    """Seconds saved with temp on the device; lost if below 0; None is not known."""
    waited = case.get("temp.direct_wait_s")
    if storage.mistimed(case, *_TEMP_RULES) or waited is None or not case.scale.known:
        return None
    return device_model.saved_s(device_model.temp(case.facts, waited, speed(case.policy, "temp")))


def _memory_ends(case: Case) -> float | None:
    """Percentage of temporary I/O that the recommended PGA target avoids; None is not known."""
    ends, share = case.get("pga.recommended_ends_pct"), case.get("pga.temp_share_pct")
    return None if ends is None else ends * min(100.0 if share is None else share, 100.0) / 100


def _first(case: Case) -> str:
    """What comes before storage: asynchronous I/O, a backup, memory that avoids most of it."""
    if case.at_least("info", "CKPT010"):
        cached = data_writes.cached_read_pct(case) is not None
        return f"first {'test' if cached else 'enable'} asynchronous I/O"
    if backup := data_writes.backup_first(case):
        return f"{backup}: first analyze a report without it"
    sizes, policy = temp.manual_sizes(case), case.value("pga.work_area_policy")
    if policy == "manual" and case.get("temp.sorts_disk"):
        return f"PGA is manual: first increase {sizes}"
    ends, passes = _memory_ends(case), case.get("pga.multipass")
    if ends is None and passes is None:
        memory = sizes if temp.is_manual(case) else "PGA_AGGREGATE_TARGET"
        return f"the effect of more memory is not in the report: first increase {memory}"
    if ends is None and passes:
        return "memory comes first: work areas had multi-pass executions"
    if ends is not None and ends >= case.policy[storage.MEMORY_GAIN_PCT]:
        return f"memory comes first: by the PGA Memory Advisory, it avoids {ends:.0f} % of this I/O"
    return ""
