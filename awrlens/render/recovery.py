"""What alert logs measure and models predict of recovery, as tables of the terminal page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.render import present
from awrlens.render.layout import Span, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.render.layout import Line

#: Rows of a table that are shown; the JSON document has all.
_MOST = 12


def sections(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    """The tables of an alert log, or of a prediction."""
    if "parts" in data:
        yield from _predicted(data, width)
    else:
        yield from _measured(data, width)


def text(data: Mapping[str, Any], width: int = 100) -> str:
    """The tables as plain lines, for pages that show them as they are."""
    lines = ["".join(span.text for span in line).rstrip() for line in sections(data, width)]
    return "\n".join(lines).strip("\n")


def _measured(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    starts = data["starts"]
    yield from _table(
        "Starts",
        ("line", "time", "start-up", "mount", "open", "files", "total"),
        [
            (
                str(each["line"]), _when(each["at"]), _s(each["startup_s"]), _s(each["mount_s"]),
                _s(each["open_s"]), _s(each["file_open_s"]), _s(each["total_s"]),
            )
            for each in starts[-_MOST:]
        ],
        len(starts),
    )  # fmt: skip
    recoveries = data["recoveries"]
    yield from _table(
        "Recoveries",
        ("line", "time", "kind", "scan", "apply", "total", "redo", "blocks"),
        [
            (
                str(each["line"]), _when(each["at"]), each["kind"], _s(each["scan_s"]),
                _s(each["apply_s"]), _s(each["total_s"]), _kb(each["redo_kb"]), _n(each["blocks"]),
            )
            for each in recoveries[-_MOST:]
        ],
        len(recoveries),
    )  # fmt: skip
    for each in recoveries[-_MOST:]:
        place = f"line {each['line']}: {_s(each['achieved_s'])} in all, {each['verdict']}"
        yield from wrapped(present.safe(f"{place}: {each['why']}"), width, "", "    ", "  ")
    for each in data["reconfigurations"][-_MOST:]:
        yield from wrapped(
            f"Reconfiguration of the cluster at line {each['line']}: {_s(each['seconds'])}, "
            f"{len(each['steps'])} steps",
            width, "", "    ", "  ",
        )  # fmt: skip
    yield from _rates(data, width)
    yield from _switches(data["log_switches"], width)
    unknown = f"{data['lines']:,} lines, {data['unknown_lines']:,} of them not about recovery"
    yield from wrapped(f"  {unknown}", width, "dim", "  ")


def _rates(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    """What this system does in a second, what its starts take, and a report's estimate."""
    rates, offsets, estimate = data["rates"], data["offsets"], data["estimate"]
    lines = [
        f"{name}: {_rate(rates[key], unit, scale)}"
        for key, name, unit, scale in (
            ("scan_bytes_per_s", "First pass", "MB of redo per second", 2**20),
            ("apply_bytes_per_s", "Second pass", "MB of redo per second", 2**20),
            ("apply_blocks_per_s", "Second pass", "data blocks per second", 1),
        )
        if rates[key] is not None
    ]
    if offsets["init_s"] is not None:
        lines.append(
            f"Start-up until mounted (INIT): {_s(offsets['init_s'])}; opening less recovery "
            f"(FOPEN, at most): {_s(offsets['open_s'])}"
        )
    if estimate is not None:
        lines.append(
            f"The report's estimate: {_s(estimate['estimated_s'])}, of which "
            f"{_s(estimate['expected_s'])} concern this recovery; it took "
            f"{_s(estimate['achieved_s'])}"
        )
    if lines:
        yield ()
    for line in lines:
        yield from wrapped(f"{line}.", width, "", "    ", "  ")


def _rate(rate: Mapping[str, Any], unit: str, scale: int) -> str:
    low = present.number(_round(rate["low"] / scale))
    if rate["value"] is None:
        return f"at least {low} {unit}, less than a step of the clock"
    high = "more" if rate["high"] is None else present.number(_round(rate["high"] / scale))
    return f"{present.number(_round(rate['value'] / scale))} {unit} ({low} to {high})"


def _switches(found: Mapping[str, Any], width: int) -> Iterator[Line]:
    parts = [_count(found["switches"], "log switch", "log switches")]
    if found["busiest"]:
        parts.append(f"at most {found['most']} in an hour ({_when(found['busiest'])})")
    if found["waits"]:
        parts.append(
            f"{_count(found['waits'], 'time', 'times')} no log could be allocated: "
            f"{found['for_checkpoint']:,} for "
            f"a checkpoint, {found['for_strand']:,} for a private strand (harmless), "
            f"{found['for_archiver']:,} for the archiver"
        )
    yield ()
    yield from wrapped("; ".join(parts) + ".", width, "", "  ", "  ")


def _predicted(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    rows = [
        (each["title"], _value(each, "value"), f"{_value(each, 'low')} to {_value(each, 'high')}")
        if each["value"] is not None
        else (each["title"], "not known", "")
        for each in data["parts"]
    ]
    yield from _table("Predicted", ("what", "about", "range"), rows, len(rows), left=1)
    for each in data["parts"]:
        how = f"{each['formula']}." if each["formula"] else ""
        said = " ".join(filter(None, (how, _sentence(each["note"]), _sentence(each["source"]))))
        if said:
            text = f"{each['title']}: {said}"
            yield from wrapped(present.safe(text), width, "dim", "    ", "  ")


def _sentence(text: str) -> str:
    return f"{text}." if text else ""


def _value(part: Mapping[str, Any], which: str) -> str:
    if part["unit"] == "%":
        return f"{part[which]:.5f} %"
    return f"{present.number(_round(part[which]))} s"


def _round(value: float) -> float:
    """Predictions are not known to more than three digits."""
    return float(f"{value:.3g}")


def _table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], of: int, left: int = 0
) -> Iterator[Line]:
    """A heading and right-aligned columns; the first ``left`` are aligned to the left."""
    if not rows:
        return
    yield ()
    more = f" (the last {len(rows)} of {of})" if of > len(rows) else ""
    yield (Span(title + more, "title"),)
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    for number, row in enumerate((head, *rows)):
        cells = [
            cell.ljust(width) if n < left else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        text = present.safe("  " + "  ".join(cells).rstrip())
        yield (Span(text, "dim" if number == 0 else ""),)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _when(at: str | None) -> str:
    return (at or "not known").replace("T", " ")


def _s(seconds: float | None) -> str:
    return "-" if seconds is None else f"{present.number(seconds)} s"


def _n(value: float | None) -> str:
    return "-" if value is None else present.number(value)


def _kb(value: float | None) -> str:
    return "-" if value is None else f"{present.number(value)} KB"
