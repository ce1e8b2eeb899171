"""The pages of a crash test, as blocks: its plan, and its samples."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from awrlens.render.blocks import Block, Code, Column, Heading, Page, Paragraph, Row, Table
from awrlens.render.quantity import seconds, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from awrlens.recovery.plan import Plan
    from awrlens.recovery.samples import Run


def plan(found: Plan) -> Page:
    """The steps in their order, with their commands."""
    wanted = "" if found.desired_s is None else f" for a recovery of {seconds(found.desired_s)}"
    kind = "RAC" if found.rac else "single instance"
    return Page(
        "Plan of a crash test", (kind, f"{found.runs} runs"),
        f"Test FAST_START_MTTR_TARGET={found.target_s}{wanted}.", "info",
        (*(Paragraph(each) for each in found.notes), *_steps(found)),
    )  # fmt: skip


def _steps(found: Plan) -> Iterator[Block]:
    for number, step in enumerate(found.steps, start=1):
        yield Heading(f"{number}. {step.title}")
        yield Paragraph(step.text)
        if step.commands:
            yield Code("", step.commands)


def samples(found: Sequence[tuple[str, Run]]) -> Page:
    """One row for every run; the headline compares the most even with the least even."""
    rows = tuple(Row(_row(path, run)) for path, run in found)
    columns = (
        Column("file", "name"), Column("target", "number"), Column("writes/s", "number"),
        Column("peak / mean", "number"), Column("spread", "number"), Column("write", "number"),
        Column("steady"), Column("crash"),
    )  # fmt: skip
    return Page(
        "Samples of a crash test", (f"{len(found)} {'run' if len(found) == 1 else 'runs'}",),
        _headline(found), "info",
        (
            Table("Writes of every run", columns, rows),
            Paragraph("Spread is the standard deviation of the writes per second in percent of "
                      "their mean: 0 is perfectly even.", "dim"),
        ),
    )  # fmt: skip


def _row(path: str, run: Run) -> tuple[str, ...]:
    target, writes = run.target_mttr_s, run.writes
    return (
        PurePath(path).name, "-" if target is None else seconds(target),
        *(("-",) * 3 if writes is None else (
            short(writes.mean), f"{writes.peak_ratio:.2f}", f"{writes.spread_pct:.0f} %")),
        "-" if run.write_ms is None else f"{run.write_ms:.1f} ms",
        {True: "yes", False: "no", None: "-"}[run.steady], "yes" if run.crashed else "no",
    )  # fmt: skip


def _headline(found: Sequence[tuple[str, Run]]) -> str:
    known = [run for _, run in found if run.writes is not None]
    if not known:
        return "Nothing was written while the samples were taken."
    spreads = [run.writes.spread_pct for run in known if run.writes is not None]
    if len(known) < 2:  # noqa: PLR2004 - one is not compared
        return f"The writes spread by {spreads[0]:.0f} % of their mean."
    return f"The writes spread by {min(spreads):.0f} to {max(spreads):.0f} % of their mean."
