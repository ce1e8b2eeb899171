"""The page of `awrlens integrity`: settings in force, the cost of others, and how to measure it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from awrlens.oracle.block_checking import VERBS
from awrlens.render import blocks as b
from awrlens.render import wording

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.advice.integrity import Setting
    from awrlens.model import Fact
    from awrlens.oracle.block_checking import Runs

_COLUMNS: Final = b.columns("more DB time | #expected | #min | #max | #Oracle says | set")


def integrity_page(
    who: str, now: Mapping[str, Fact], found: Sequence[Setting], runs: Runs | None,
    texts: Mapping[str, Sequence[str]], notes: Sequence[str] = (), *, verbose: bool = True,
) -> b.Page:  # fmt: skip
    """The page; its headline says what to change, and what checking of all blocks would cost.

    ``verbose``: a terminal shows the details, too.
    """
    blocks: list[b.Block] = []
    if now:
        rows = tuple((n.partition(".")[2], _shown(fact)) for n, fact in now.items())
        blocks.append(b.KeyValues("Settings", rows))
    if runs is not None:
        blocks += [b.Heading("Measured, seconds of a run"), _measured(runs)]
    blocks += map(b.Paragraph, notes)
    blocks.append(b.Heading("Cost"))
    spans = [(_name(e), e.cost) for e in found if e.cost and round(e.cost.high_pct, 1)]
    if spans:
        bars = (
            b.BarRow(name, (b.Piece(cost.low_pct, cost.high_pct, "info", "min to max"),),
                     wording.percent(cost.expected_pct)) for name, cost in spans
        )  # fmt: skip
        most = max(cost.high_pct for _, cost in spans)
        blocks.append(b.Bars("More DB time", most, tuple(bars)))
    blocks += [b.Table("Cost", _COLUMNS, tuple(map(_row, found)))]
    details = {"Settings": tuple(b.Item(e.basis, _name(e)) for e in found)}
    details |= {title: tuple(map(b.Item, lines)) for title, lines in texts.items()}
    blocks += (b.Fold(each, (b.Items(items),), "", verbose) for each, items in details.items())
    blocks += [b.Paragraph(f"{', '.join(details)}: --verbose", "dim")] * (not verbose)
    parts, checksum = [], now.get("integrity.db_block_checksum")
    names = [_name(each) for each in found if each.is_now and each.parameter != "both"]
    if checksum and checksum.value == "OFF" and checksum.status == "measured":  # as INTG001
        parts.append("Set db_block_checksum=TYPICAL, which costs 1 to 2 % by Oracle: it is OFF")
    elif names:
        # only what both parameters say is known to be complete
        verdict = "Nothing must change: " if len(names) > 1 else ""
        parts.append(f"{verdict}{' and '.join(names)} {'are' if verdict else 'is'} set")
    elif now:
        parts.append("The settings are not known")
    costs = next((each.cost for each in found if each.value == "MEDIUM" and each.cost), None)
    if costs is not None:
        more = wording.percent(costs.expected_pct)
        parts.append(f"MEDIUM checking would cost {more} of DB time")
    headline = f"{'; '.join(parts) or 'The cost is not known'}."
    severity = "info" if names or (costs and not now) else "unknown"
    return b.Page(who, (), headline, severity, tuple(blocks))


def _shown(fact: Fact) -> str:
    said = fact.note.removeprefix(f"{fact.name.partition('.')[2]} is ")
    note = f" ({said})" if said and fact.value is not None else ""
    return f"{wording.fact_value(fact)}{note}"


def _name(setting: Setting) -> str:
    both = setting.parameter == "both"
    return setting.value if both else f"{setting.parameter}={setting.value}"


def _row(setting: Setting) -> b.Row:
    oracle = "{:g} to {:g} %".format(*setting.oracle_pct) if setting.oracle_pct else "-"
    cost, now = setting.cost, setting.is_now
    percents = (cost.expected_pct, cost.low_pct, cost.high_pct) if cost else ()
    cells = [*map(wording.percent, percents)] or ["-"] * 3
    return b.Row((_name(setting), *cells, oracle, "now" if now else ""), "strong" if now else "")


def _measured(runs: Runs) -> b.Table:
    rows = []
    for run, number, spread in runs.found:
        more = runs.more_pct(run)
        seconds = (*(getattr(run, verb) for verb in VERBS), run.total)
        rows.append(
            b.Row((
                f"{run.checksum}, {run.checking}", str(number),
                *(f"{each:.2f}" for each in seconds),
                "-" if more is None else f"{more:+.1f} %",
                "-" if spread is None else f"{spread:.1f} %",
            ))
        )  # fmt: skip
    heads = " | #".join(("`settings", "runs", *VERBS, "all", "more", "spread"))
    return b.Table("Measured", b.columns(heads), tuple(rows))
