"""``awrlens integrity``: settings in force, the cost of others, and how to measure it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from awrlens import api, errors
from awrlens.advice.integrity import MEASURE, REPAIR, settings
from awrlens.cli import output
from awrlens.cli.options import PART, formats, part_of, redacted
from awrlens.errors import UsageError
from awrlens.model.plain import fields
from awrlens.oracle import block_checking
from awrlens.oracle.block_checking import VERBS
from awrlens.render import blocks as b
from awrlens.render import wording
from awrlens.source.open import read
from awrlens.units import parse_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from awrlens.advice.integrity import Setting
    from awrlens.model import Fact
    from awrlens.oracle.block_checking import Runs
    from awrlens.redact.names import Names


@click.command()
@click.argument("report", required=False, metavar="[REPORT]")
@click.option("--mix", metavar="VERB=SHARE,...",
              help="Your own mix of SQL by elapsed time, e.g. "
              "select=70,insert=20,update=5,delete=5.")  # fmt: skip
@click.option("--measured", metavar="FILE",
              help="Spool file of `awrlens sql block-checking`: costs from your own measurement."
)  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Also print details and how to measure.")
@formats("text", "json", "markdown", "html")
@PART
@redacted
def integrity(
    report: str | None, mix: str | None, measured: str | None, verbose: bool, format_: str,  # noqa: FBT001 - a flag
    part: str | None, names: Names | None,
) -> int:  # fmt: skip
    """Show integrity settings of REPORT, and the cost of DB_BLOCK_CHECKING and _CHECKSUM.

    Without any input, the published measurements and their cost are shown.

    \b
    Examples:
      awrlens integrity
      awrlens integrity awrrpt_1_100_101.html
      awrlens integrity --mix select=52,insert=31,update=5,delete=12
      awrlens integrity --measured awrlens_block_checking.lst awr.html
    """  # noqa: D301 - \b is for click
    alone = report is None and mix is None and measured is None
    runs = None if measured is None else block_checking.read_runs(read(measured).text, measured)
    shares = None if mix is None else _shares(mix)
    loaded = None if report is None else part_of(report, part, names)
    facts = {} if loaded is None else api.facts_of(loaded)
    own = ("integrity.db_", "integrity.standby")
    now = {name: facts[name] for name in facts if name.startswith(own)}
    shown = block_checking.PUBLISHED if alone else runs
    base = shown.of("TYPICAL", "OFF") if shown and not facts else None
    mix_of = shares
    if shares is None and base is not None and base.total:  # that of the measurement itself
        mix_of = {verb: getattr(base, verb) * 100 / base.total for verb in VERBS}
    entries = settings(facts, mix_of, runs)
    # why the published runs give another number than the article, and runs that differ
    notes = [block_checking.WHY_18_3] if alone else runs.doubts if runs is not None else []
    data = {
        "source": None if loaded is None else loaded.source,
        "facts": {name: fact.to_dict() for name, fact in now.items()},
        "mix": shares,
        "measured": None if shown is None else shown.to_dict(),
        "notes": notes,
        "settings": list(map(fields, entries)),
    }
    from awrlens.render.first_screen import subject

    texts = {"A damaged block": REPAIR, "How to measure": MEASURE}
    who = "Block checking" if loaded is None else subject(loaded.identity.to_dict())
    return output.either(format_, data, lambda: integrity_page(
        who, now, entries, shown, texts, notes, verbose=verbose or format_ != "text"
    ))  # fmt: skip


def _shares(text: str) -> dict[str, float]:
    """A mix in percent of the elapsed time; what is not named has no share."""
    shares = dict.fromkeys(VERBS, 0.0)
    for part in filter(None, (part.strip() for part in text.split(","))):
        verb, _, share = part.partition("=")
        number = parse_number(share.strip().removesuffix("%").strip())
        verb = verb.strip().lower()
        if verb not in shares:
            hint = errors.hint(verb, VERBS, f"The verbs are {', '.join(VERBS)}.")
            raise UsageError(f"{verb!r} is not a verb of a mix.", hint=hint)
        if number is None or number < 0:
            raise UsageError(
                f"{part!r} has no share.", hint="Write it as VERB=SHARE, e.g. insert=20."
            )
        shares[verb] = float(number)
    whole = sum(shares.values())
    if not whole:
        raise UsageError("The mix has no SQL.", hint="Give at least one share above 0.")
    return {verb: share * 100 / whole for verb, share in shares.items()}


_COLUMNS: Final = b.columns("more DB time | #expected | #min | #max | #Oracle says | set")


def integrity_page(
    who: str, now: Mapping[str, Fact], entries: Sequence[Setting], runs: Runs | None,
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
    spans = [(_name(e), e.cost) for e in entries if e.cost and round(e.cost.high_pct, 1)]
    if spans:
        bars = (
            b.BarRow(name, (b.Piece(0.0, cost.low_pct, "info", "at least"),
                            b.Piece(cost.low_pct, cost.high_pct, "other", "at most")),
                     _percent(cost.expected_pct)) for name, cost in spans
        )  # fmt: skip
        most = max(cost.high_pct for _, cost in spans)
        blocks.append(b.Bars("More DB time", most, tuple(bars)))
    blocks += [b.Table("Cost", _COLUMNS, tuple(map(_row, entries)))]
    details = {"Settings": tuple(b.Item(e.basis, _name(e)) for e in entries)}
    details |= {title: tuple(map(b.Item, lines)) for title, lines in texts.items()}
    blocks += (b.Fold(title, (b.Items(items),), "", verbose) for title, items in details.items())
    blocks += [b.Paragraph(f"{', '.join(details)}: --verbose", "dim")] * (not verbose)
    parts, checksum = [], now.get("integrity.db_block_checksum")
    names = [_name(entry) for entry in entries if entry.is_now and entry.parameter != "both"]
    if checksum and checksum.value == "OFF" and checksum.status == "measured":  # as INTG001
        parts.append("Set db_block_checksum=TYPICAL, which costs 1 to 2 % by Oracle: it is OFF")
    elif names:
        # only what both parameters say is known to be complete
        verdict = "Nothing must change: " if len(names) > 1 else ""
        parts.append(f"{verdict}{' and '.join(names)} {'are' if verdict else 'is'} set")
    elif now:
        parts.append("The settings are not known")
        blocks.insert(1, b.Code("Show them in SQL*Plus:", ("SHOW PARAMETER db_block",)))
    costs = next((entry.cost for entry in entries if entry.value == "MEDIUM" and entry.cost), None)
    if costs is not None:
        more = _percent(costs.expected_pct)
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


def _percent(value: float) -> str:
    """A cost, which is above 0 for all that is checked."""
    return wording.percent(value or 0.01)


def _row(setting: Setting) -> b.Row:
    oracle = "{:g} to {:g} %".format(*setting.oracle_pct) if setting.oracle_pct else "-"
    cost, now = setting.cost, setting.is_now
    percents = (cost.expected_pct, cost.low_pct, cost.high_pct) if cost else ()
    cells = [*map(wording.percent if setting.value == "OFF" else _percent, percents)] or ["-"] * 3
    return b.Row((_name(setting), *cells, oracle, "now" if now else ""), "strong" if now else "")


def _measured(runs: Runs) -> b.Table:
    rows = []
    for run, number, spread in runs.measured:
        more = runs.more_pct(run)
        seconds = (*(getattr(run, verb) for verb in VERBS), run.total)
        rows.append(
            b.Row((
                f"{run.checksum}, {run.checking}", str(number),
                *(f"{spent:.2f}" for spent in seconds),
                "-" if more is None else f"{more:+.1f} %",
                "-" if spread is None else f"{spread:.1f} %",
            ))
        )  # fmt: skip
    heads = " | #".join(("`settings", "runs", *VERBS, "all", "more", "spread"))
    return b.Table("Measured", b.columns(heads), tuple(rows))
