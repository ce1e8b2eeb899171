"""AWR report of 10.2 as HTML: its summary, and its older way to write tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .awr import top_calls
from .awr_html import (
    attributes,
    caches,
    efficiencies,
    header_table,
    page,
    shared,
    snapshots,
    titled,
    value_row,
)
from .awr_text_10 import RELEASE
from .derived import Derived
from .figures import grouped, plain
from .html_pages import BLANK, STYLE_10, head, plain_table
from .profile_10 import rates, shares
from .statspack_until_10 import seen_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .model import Workload

#: Attributes that 10.2 writes, in its order; those of a table stand without quotes.
QUOTED = ("align", "class", "name", "href")
BARE = ("border", "width")


def write(w: Workload) -> str:
    """Write the report."""
    d = Derived(seen_by(RELEASE, w), RELEASE)
    return as_in_10(page(d, STYLE_10, front(d)))


def front(d: Derived) -> Iterator[str]:
    """Database with its host, snapshots, summary."""
    db = d.workload.database
    yield header_table(
        d,
        "database instance",
        "DB Name|DB Id|Instance|Inst num|Release|RAC|Host",
        [
            (db.name, ""), (str(db.db_id), "right"), (db.instance, ""),
            (str(db.instance_number), "right"), (d.release.number, ""), ("NO", ""), (db.host, ""),
        ],
    )  # fmt: skip
    yield from snapshots(d)
    yield '<h3 class="awr"><a class="awr" name="99999"></a>Report Summary</h3>'
    yield from caches(d)
    table = attributes(d, "")
    lines = [
        (label, f"{second:>21}", transaction and f"{transaction:>21}")
        for label, second, transaction in rates(d)
    ]
    names = ["", "Per Second", "Per Transaction"]
    yield f"<p />Load Profile<p />\n{plain_table(names, lines, table, 'awrnc')}"
    pairs = [(left, f"{a:>7}", right, f"{b:>8}") for left, a, right, b in shares(d)]
    yield f"<p />\n{plain_table([], pairs, table, 'awrnc')}"
    yield from efficiencies(d)
    yield from shared(d)
    yield titled("Top 5 Timed Events", "\n".join(top_table(d)))


def top_table(d: Derived) -> Iterator[str]:
    """Top 5 Timed Events."""
    names = "Event|Waits|Time(s)|Avg Wait(ms)|% Total Call Time|Wait Class"
    yield f"<table {attributes(d, '')}>\n<tr>{head(names.split('|'))}</tr>"
    for index, event in enumerate(top_calls(d, 5), 1):
        cells = (
            "" if event.waits is None else grouped(event.waits),
            grouped(event.time_s),
            "" if event.average_us is None else plain(event.average_us / 1_000),
            plain(event.db_time_pct, 1),
        )
        padded = [f"{cell:>16}" if cell else BLANK for cell in cells]
        yield value_row(index, event.name, padded, event.wait_class)
    yield "</table>\n<p />"


def as_in_10(text: str) -> str:
    """Tags in capitals, without what is there for screen readers, and some never closed."""
    text = re.sub(r"<title>.*?</title>", "<title>AWR Report</title>", text)
    text = re.sub(r"<(/?)(\w+)([^>]*?)( /)?>", _tag, text.replace("</li>", ""))
    for new, old in ((BLANK, "&nbsp;"), ("&quot;", '"'), ("&gt;", ">"), ("&lt; ", "< ")):
        text = text.replace(new, old)
    return text


def _tag(match: re.Match[str]) -> str:
    close, name, rest, _ = match.groups()
    written = {key: value for key, _, value in re.findall(r"(\w+)=([\"'])(.*?)\2", rest)}
    if name == "style":
        return f"<{close}{name}{rest}>"
    kept = [f"{key.upper()}={written[key]}" for key in BARE if key in written]
    kept += [
        f"{key if key == 'class' else key.upper()}='{written[key]}'"
        for key in QUOTED
        if key in written
    ]
    return " ".join((f"<{close}{name.upper()}", *kept)) + ">"
