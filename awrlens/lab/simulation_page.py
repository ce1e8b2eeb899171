"""The page of a simulated crash, as blocks: recoveries as bars, then the brown-out over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from awrlens.lab.recovery_page import pieces
from awrlens.render import blocks as b
from awrlens.render.charts import Grid, Mark, Path, Plot, Tick, linear
from awrlens.render.wording import duration, seconds, short, size
from awrlens.units import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from awrlens.lab.simulation_records import Origin, RecoveryDocument, Sample, SimulationDocument


_MINUTE_S: Final = 60
_ORIGINS: Final[dict[Origin, str]] = {
    "own": "the recovering instance was its buddy and already held the recovery set",
    "sent": "another buddy sent the recovery set",
    "scanned": "no buddy had a recovery set",
}
#: Timelines: name, value of a sample (None if there is none), the value as text.
_SERIES: Final[tuple[tuple[str, Callable[[Sample], float | None], Callable[[float], str]], ...]] = (
    ("redo generated", lambda e: e.redo_bytes_per_s, lambda v: size(v, "/s")),
    ("redo after checkpoint", lambda e: e.redo_bytes - e.checkpoint_bytes, size),
    ("dirty buffers", lambda e: e.dirty_blocks, short),
    ("data blocks written", lambda e: e.writes_per_s, lambda v: f"{short(v)}/s"),
    ("recovery set of buddy", lambda e: e.recovery_set_blocks, short),
    ("redo not read by buddy", lambda e: e.backlog_bytes, size),
)
CHOICES: Final = (
    "Per instance, calculated for a steady load. A lower target costs writes of data blocks; a "
    "buddy costs reads of redo, and shortens only the first pass. Both can be used together, as "
    "the paper recommends."
)
_ABSENT: Final = {
    "buddy_instance_num_read_buffers": "adaptive", "database_bytes": "not known",
}  # fmt: skip
LIMITS: Final = (
    "This is a model, not a guarantee. Buddy instances need RAC 12.2 or "
    "later, which has one per instance. Change their hidden parameters only with Oracle Support."
)


def setting(run: SimulationDocument) -> str:
    """The parameters of the run, in one sentence."""
    given = run.parameters
    instances, buddies = given["instances"], given["buddies"]
    target_s, shared_pct = given["fast_start_mttr_target_s"], given["shared_blocks_pct"]
    parts = (
        duration(given["duration_s"]),
        f"{instances} instances" if instances != 1 else "1 instance",
        f"{buddies} {'buddy' if buddies == 1 else 'buddies'} per instance"
        if buddies
        else "no buddies",
        f"FAST_START_MTTR_TARGET={target_s:g}" if target_s else "no FAST_START_MTTR_TARGET",
        f"{size(given['redo_bytes_per_s'], '/s')} of redo per instance",
        f"{short(shared_pct)} % of the blocks shared" if shared_pct else "",
        f"seed {given['seed']}",
    )
    return f"{', '.join(filter(None, parts))}. Source: {run.source}."


def headline(run: SimulationDocument) -> str:
    """The longest brown-out, with and without buddies, and what precedes the first pass."""
    complete = [recovery for recovery in run.recoveries if recovery.complete]
    if not complete:
        return "No instance fails."
    worst = max(complete, key=lambda recovery: recovery.first_pass_without_buddy_s)
    if worst.recovery_instance is None:
        return f"No instance survives: the database is down for {seconds(worst.total_s)}."
    text = f"The surviving instances are frozen for {seconds(worst.brown_out_s)}"
    if run.parameters["buddies"]:
        text += f" with buddies, {seconds(worst.brown_out_without_buddy_s or 0.0)} without"
    before = [
        f"{seconds(spent)} {what}"
        for spent, what in (
            (worst.detection_s, "until the failure is detected"),
            (worst.reconfiguration_s, "of cluster reconfiguration"),
        )
        if spent
    ]
    return f"{text}, including {' and '.join(before)}." if before else f"{text}."


def recovery_title(recovery: RecoveryDocument) -> str:
    """The failed instances with time, and the recovering instance."""
    many = len(recovery.failed) > 1
    failed = (
        f"Instances {listed([*map(str, recovery.failed)])} fail"
        if many
        else f"Instance {recovery.failed[0]} fails"
    )
    if not recovery.complete:
        failed += ", and recovery restarts"
    by = (
        "no instance survives"
        if recovery.recovery_instance is None
        else f"instance {recovery.recovery_instance} recovers"
    )
    return f"{failed} at {clock(recovery.at_s)}, {by}"


def blocked(run: SimulationDocument, crash: RecoveryDocument) -> str:
    """What stays blocked after the first pass: the recovery set, until the second pass ends."""
    if crash.recovery_instance is None or not crash.recovery_set_blocks:
        return ""
    sized = crash.recovery_set_blocks * run.parameters["block_bytes"]
    whole = run.parameters["database_bytes"]
    share = f", {short(100 * sized / whole)} % of the database" if whole else ""
    return (
        f"Blocked for {seconds(crash.blocked_s)} more: {crash.recovery_set_blocks:,} blocks "
        f"({size(sized)}{share}). {short(crash.blocked_changes_pct)} % of the block changes of "
        f"{'a failed instance' if len(crash.failed) > 1 else 'the failed instance'} go to them, if "
        "its sessions continue elsewhere. All other blocks are available."
    )


def explained(crash: RecoveryDocument) -> list[str]:
    """The explanation of the times."""
    redo = size(crash.applied_bytes)
    texts = [f"The second pass applies {redo} of redo to {crash.recovery_set_blocks:,} blocks."]
    moved = []  # between instances, by Cache Fusion
    if crash.in_several_sets_blocks:
        moved.append(f"{crash.in_several_sets_blocks:,} blocks are in more than one recovery set")
    if crash.current_elsewhere_blocks:
        moved.append(
            f"{crash.current_elsewhere_blocks:,} blocks need no recovery, because another instance "
            "changed them last: they are in its cache or on disk"
        )
    if moved:
        texts.append(f"Cache Fusion: {'; '.join(moved)}.")
    low, high = map(seconds, crash.range_s or (0.0, 0.0))
    if low != high:
        texts.append(
            f"In the two minutes before, the first pass would have taken {low} to {high}, because "
            "the buddy reads in bursts."
        )
    texts += [
        f"Instance {part.instance}: {_ORIGINS[part.origin]}; the first pass reads "
        f"{size(part.scanned_bytes)} of {size(part.redo_bytes)}."
        for part in crash.parts
    ]
    return texts


def _shown(name: str, value: Any, run: SimulationDocument) -> str:  # noqa: ANN401 - any parameter
    if isinstance(value, list):
        return "; ".join(
            f"{kind['blocks']:,} blocks, each {short(kind['changes_per_s'])}/s" for kind in value
        )
    if value is None:
        return _ABSENT.get(name, "not limited")
    if name == "cache_blocks":
        return f"{value:,} blocks = {size(value * run.parameters['block_bytes'])}"
    if name.endswith("bytes_per_s"):
        return size(value, "/s")
    if name.endswith("_bytes"):
        return size(value)
    if name.endswith(("_per_s", "_pct")):
        return f"{short(value)}{'/s' if name.endswith('_per_s') else ' %'}"
    return duration(value) if name.endswith("_s") else f"{value}"


def clock(at_s: float) -> str:
    """Seconds up to a minute, then minutes and seconds."""
    if at_s < _MINUTE_S:
        return f"{at_s:g} s"
    minutes, rest = divmod(round(at_s), _MINUTE_S)
    return f"{minutes}:{rest:02d} min"


#: Maximum number of rows in the table of a chart.
_ROWS: Final = 60
#: Steps between labels of the time axis, in seconds, and the maximum number of labels.
_STEPS: Final = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400)
_LABELS: Final = 6
#: Shorter time axes are in seconds.
_SHORT_S: Final = 120


def page(run: SimulationDocument) -> b.Page:
    """The recoveries with and without buddies, and everything else folded."""
    return b.Page(run.title, (setting(run),), headline(run), "info", tuple(_blocks(run)))


def _blocks(run: SimulationDocument) -> Iterator[b.Block]:
    for recovery in run.recoveries:
        yield b.Heading(recovery_title(recovery))
        yield from _recovery(run, recovery)
        if text := blocked(run, recovery):
            yield b.Paragraph(text)
    yield from _choices(run)
    yield from _chart(run)
    details = (b.Items(tuple(map(b.Item, texts))) for texts in _details(run))
    yield b.Fold("Details", tuple(details))
    yield b.Fold("All timelines", tuple(_timelines(run)), terminal=False)
    rows = tuple(b.Row((name, _shown(name, value, run))) for name, value in run.parameters.items())
    table = b.Table("Parameters", b.columns("`parameter | value"), rows)
    yield b.Fold("Parameters", (table,), terminal=False)
    yield b.Paragraph(LIMITS, "dim")


def _recovery(run: SimulationDocument, recovery: RecoveryDocument) -> Iterator[b.Block]:
    if not recovery.complete:
        return
    sides = [("recovery", recovery.phases(), recovery.brown_out_s, recovery.total_s)]
    if run.parameters["buddies"] and recovery.recovery_instance is not None:
        without = recovery.phases(with_buddies=False)
        sides = [
            ("with buddies", *sides[0][1:]),
            (
                "without buddies",
                without,
                recovery.brown_out_without_buddy_s or 0.0,
                recovery.total_without_buddy_s,
            ),
        ]
    longest = max(total for *_, total in sides)
    yield b.Bars(
        "Recovery by phase", longest,
        tuple(
            b.BarRow(name, pieces(phases), seconds(total))
            for name, phases, _, total in sides
        ),
    )  # fmt: skip
    named = [dict(phases) for _, phases, *_ in sides]
    order = dict.fromkeys(name for own in named for name in own)
    rows = [b.Row((name, *(seconds(own.get(name, 0.0)) for own in named))) for name in order]
    frozen = "frozen (brown-out)" if recovery.recovery_instance is not None else "database down"
    rows.append(b.Row((frozen, *(seconds(down) for *_, down, _ in sides))))
    rows.append(b.Row(("whole recovery", *(seconds(total) for *_, total in sides))))
    columns = b.columns(" | #".join(("phase", *(name for name, *_ in sides))))
    yield b.Table("Phases", columns, tuple(rows))


def _choices(run: SimulationDocument) -> Iterator[b.Block]:
    if len(run.choices) < 2:  # noqa: PLR2004 - nothing to choose from
        return
    yield b.Heading("A buddy or a lower target", anchor="choices")
    rows = [
        b.Row((
            choice.name, f"{choice.target_s:.0f}" if choice.target_s else "off",
            seconds(choice.frozen_s), seconds(choice.blocked_s), f"{short(choice.writes_per_s)}/s",
            size(choice.buddy_reads_bytes_per_s, "/s") if choice.buddy_reads_bytes_per_s else "-",
        ))
        for choice in run.choices
    ]  # fmt: skip
    columns = b.columns("choice | #target | #frozen | #then blocked | #data writes | #redo reads")
    yield b.Table("A buddy or a lower target", columns, tuple(rows))
    yield b.Paragraph(CHOICES, "dim")


def _chart(run: SimulationDocument) -> Iterator[b.Block]:
    """The brown-out if the first instance that fails had failed at another time."""
    number = next((recovery.failed[0] for recovery in run.recoveries), None)
    seen: list[tuple[float, Sample]] = [
        (moment.at_s, moment.instances[str(number)])
        for moment in run.timeline
        if number in moment.members
    ]
    most = max((sample.brown_out_without_s for _, sample in seen), default=0.0)
    if number is None or len(seen) < len(("begin", "end")) or not most:
        return
    title = f"Brown-out, if instance {number} failed at another time"
    buddies = bool(run.parameters["buddies"])
    without = [sample.brown_out_without_s for _, sample in seen]
    lines = [("brown-out", "", without)]
    if buddies:
        lines = [("with buddies", "", [sample.brown_out_s for _, sample in seen]),
                 ("without buddies", "other", without)]  # fmt: skip
    end, up = seen[-1][0], linear([most])
    per, unit = (1, "seconds") if end <= _SHORT_S else (_MINUTE_S, "minutes")
    step = next((step for step in _STEPS if end / step <= _LABELS), _STEPS[-1])
    every = -(-len(seen) // _ROWS)
    yield b.Chart(
        Plot(
            title, "Solid: with buddies. Dashed: without." if buddies else "", unit, "s",
            tuple(Tick(100 * at / end, short(at / per)) for at in range(0, int(end) + 1, step)),
            up.ticks(),
            Grid(
                ("time", *(f"{name}, s" for name, *_ in lines)),
                tuple(
                    (clock(at), *(short(values[n]) for *_, values in lines))
                    for n, (at, _) in enumerate(seen)
                    if n % every == 0 or n == len(seen) - 1
                ),
            ),
            marks=tuple(
                Mark(100 * recovery.at_s / end, str(n), recovery_title(recovery), "now")
                for n, recovery in enumerate(run.recoveries, start=1)
                if number in recovery.failed and recovery.at_s <= end
            ),
            lines=tuple(
                Path(
                    " ".join(
                        f"{100 * at / end:.2f},{100 - up.at(value):.2f}"
                        for (at, _), value in zip(seen, values, strict=True)
                    ),
                    kind,
                )
                for _, kind, values in lines
            ),
        ),
        (
            b.Heading(title),
            b.Courses(
                title, ("min", "max"),
                tuple(
                    b.Course(name, tuple(values), (seconds(min(values)),
                                                 seconds(max(values))))
                    for name, _, values in lines
                ),
                clock(0), clock(end),
            ),
        ),
    )  # fmt: skip


def _details(run: SimulationDocument) -> Iterator[list[str]]:
    yield [text for recovery in run.recoveries for text in explained(recovery)]
    if len(run.buddy_maps) > 1:
        yield [
            f"{clock(change.at_s)} {change.why}: "
            + ("; ".join(
                f"buddy of {protected}: {listed([*map(str, buddies)])}" if buddies
                else f"{protected} has no buddy"
                for protected, buddies in sorted(change.buddies.items(), key=lambda e: int(e[0]))
            ) or "no instance survives")
            for change in run.buddy_maps
        ]  # fmt: skip
    read = run.read_by_buddies_bytes
    rate = size(read / run.parameters["duration_s"], "/s")
    cost = (
        f"Buddies read {size(read)} of redo in total, {rate} in addition to other reads. In the "
        "paper, the CPU load did not change, and throughput fell by less than 2 %."
    )
    yield [*run.notes, cost if read else "Buddies read no redo."]


def _timelines(run: SimulationDocument) -> Iterator[b.Block]:
    end = clock(run.timeline[-1].at_s)
    for number in sorted({n for moment in run.timeline for n in moment.instances}, key=int):
        samples = [moment.instances.get(number) for moment in run.timeline]
        shown, zero = [], []
        for name, value_of, words in _SERIES:
            values = tuple(None if sample is None else value_of(sample) for sample in samples)
            numbers = [value for value in values if value is not None]
            if any(numbers):
                shown.append(b.Course(name, values, (words(max(numbers)),)))
            elif numbers:
                zero.append(name)
        name = f"instance {number}"
        yield b.Courses(name, ("maximum",), tuple(shown), clock(0), end)
        if zero:
            yield b.Paragraph(f"Always 0 on {name}: {', '.join(zero)}.", "dim")
