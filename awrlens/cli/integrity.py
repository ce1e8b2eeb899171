"""``awrlens integrity``: the cost of block checking and checksums for a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from awrlens import api, errors
from awrlens.advice.integrity import MEASURE, REPAIR, settings
from awrlens.cli import output
from awrlens.cli.options import PART, formats, part_of, redacted
from awrlens.errors import UsageError
from awrlens.model.plain import fields
from awrlens.oracle import block_checking
from awrlens.oracle.block_checking import VERBS
from awrlens.source.open import read
from awrlens.units import parse_number

if TYPE_CHECKING:
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
    report: str | None, mix: str | None, measured: str | None, verbose: bool, format_: str,
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
    found = settings(facts, mix_of, runs)
    # why the published runs give another number than the article, and runs that differ
    notes = [block_checking.WHY_18_3] if alone else runs.doubts if runs is not None else []
    data = {
        "source": None if loaded is None else loaded.source,
        "facts": {name: fact.to_dict() for name, fact in now.items()},
        "mix": shares,
        "measured": None if shown is None else shown.to_dict(),
        "notes": notes,
        "settings": list(map(fields, found)),
    }
    from awrlens.render.first_screen import subject
    from awrlens.render.integrity_page import integrity_page

    texts = {"A damaged block": REPAIR, "How to measure": MEASURE}
    who = "Block checking" if loaded is None else subject(loaded.identity.to_dict())
    return output.either(format_, data, lambda: integrity_page(
        who, now, found, shown, texts, notes, verbose=verbose or format_ != "text"
    ))  # fmt: skip


def _shares(text: str) -> dict[str, float]:
    """A mix in percent of the elapsed time; what is not named has no share."""
    found = dict.fromkeys(VERBS, 0.0)
    for part in filter(None, (part.strip() for part in text.split(","))):
        verb, _, share = part.partition("=")
        number = parse_number(share.strip().removesuffix("%").strip())
        verb = verb.strip().lower()
        if verb not in found:
            hint = errors.hint(verb, VERBS, f"The verbs are {', '.join(VERBS)}.")
            raise UsageError(f"{verb!r} is not a verb of a mix.", hint=hint)
        if number is None or number < 0:
            raise UsageError(
                f"{part!r} has no share.", hint="Write it as VERB=SHARE, e.g. insert=20."
            )
        found[verb] = float(number)
    whole = sum(found.values())
    if not whole:
        raise UsageError("The mix has no SQL.", hint="Give at least one share above 0.")
    return {verb: share * 100 / whole for verb, share in found.items()}
