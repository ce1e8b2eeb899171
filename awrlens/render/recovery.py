"""Measured and predicted recovery times, as tables of the terminal page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from awrlens.render import present
from awrlens.render.lines import Span, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from awrlens.render.lines import Line

#: Maximum number of rows; the JSON output has all.
_MOST = 12


def sections(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    """The tables of an alert log, or of a prediction."""
    if "parts" in data:
        yield from _predicted(data, width)
    else:
        yield from _measured(data, width)


def text(data: Mapping[str, Any], width: int = 100) -> str:
    """The tables as plain text, for other pages."""
    lines = ["".join(span.text for span in line).rstrip() for line in sections(data, width)]
    return "\n".join(lines).strip("\n")


def _measured(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    starts = data["starts"]
    yield from _table(
        "Startups",
        ("line", "time", "startup", "mount", "open", "files", "total"),
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
        place = f"line {each['line']}: {_s(each['achieved_s'])} in total, {each['verdict']}"
        yield from wrapped(present.safe(f"{place}: {each['why']}"), width, "", "    ", "  ")
    for each in data["reconfigurations"][-_MOST:]:
        yield from wrapped(
            f"Cluster reconfiguration at line {each['line']}: {_s(each['seconds'])}, "
            f"{len(each['steps'])} steps",
            width, "", "    ", "  ",
        )  # fmt: skip
    yield from _rates(data, width)
    yield from _switches(data["log_switches"], width)
    unknown = f"{data['lines']:,} lines, {data['unknown_lines']:,} without recovery messages"
    yield from wrapped(f"  {unknown}", width, "dim", "  ")


def _rates(data: Mapping[str, Any], width: int) -> Iterator[Line]:
    """Measured rates, startup times, and the estimate of a report."""
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
            f"Startup to mount (INIT): {_s(offsets['init_s'])}; open without recovery (FOPEN, at "
            f"most): {_s(offsets['open_s'])}"
        )
    if estimate is not None:
        lines.append(
            f"Estimate in the report: {_s(estimate['estimated_s'])}, of which "
            f"{_s(estimate['expected_s'])} apply to this recovery; actual time "
            f"{_s(estimate['achieved_s'])}"
        )
    if lines:
        yield ()
    for line in lines:
        yield from wrapped(f"{line}.", width, "", "    ", "  ")


def _rate(rate: Mapping[str, Any], unit: str, scale: int) -> str:
    low = present.number(_round(rate["low"] / scale))
    if rate["value"] is None:
        return f"at least {low} {unit} (too fast for the clock resolution)"
    high = "more" if rate["high"] is None else present.number(_round(rate["high"] / scale))
    return f"{present.number(_round(rate['value'] / scale))} {unit} ({low} to {high})"


def _switches(found: Mapping[str, Any], width: int) -> Iterator[Line]:
    parts = [_count(found["switches"], "log switch", "log switches")]
    if found["busiest"]:
        parts.append(f"at most {found['most']} per hour ({_when(found['busiest'])})")
    if found["waits"]:
        parts.append(
            f"{_count(found['waits'], 'wait', 'waits')} to allocate a redo log: "
            f"{found['for_checkpoint']:,} for checkpoints, "
            f"{found['for_strand']:,} for private strands (harmless), "
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
    yield from _table("Predicted", ("step", "estimate", "range"), rows, len(rows), left=1)
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
    """Predictions have at most three significant digits."""
    return float(f"{value:.3g}")


def _table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], of: int, left: int = 0
) -> Iterator[Line]:
    """A heading and right-aligned columns; the first ``left`` columns are left-aligned."""
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
