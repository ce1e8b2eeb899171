"""Oracle's numbers and dates, and what must never be taken for one."""

from __future__ import annotations

import math
import re
from datetime import datetime

import pytest
import samples
from hypothesis import example, given
from hypothesis import strategies as st

from awrlens import api
from awrlens.report.dates import parse_datetime
from awrlens.report.text_rows import label_cells
from awrlens.units import UNITS, factor, is_overflow, parse_number, plain, plain_column

WHOLE = st.integers(min_value=0, max_value=10**15)


@pytest.mark.parametrize(
    "text",
    ["", "   ", "N/A", "#####", "###############", "-", ".", ",", "&nbsp", "1E300G", "1E999"],
)
def test_what_is_not_printed_is_absent_and_never_zero(text: str) -> None:
    assert parse_number(text) is None
    assert parse_number(text, "s", "cs") is None


@given(WHOLE)
def test_thousands_are_read_with_and_without_their_commas(number: int) -> None:
    assert parse_number(f"{number:,}") == number
    assert parse_number(str(number)) == number
    assert parse_number(f"-{number:,}") == -number


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_decimals_are_read_with_and_without_a_leading_zero(number: object) -> None:
    text = f"{number:,}"
    assert parse_number(text, "s") == pytest.approx(float(str(number)))
    if text.startswith("0."):
        assert parse_number(text[1:], "s") == pytest.approx(float(str(number)))


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("27.9K", "s", 27_900.0),  # counts and times: multiples of 1000
        ("25.2K", "count", 25_200),
        ("12,288M", "B", 12_288 * 2**20),  # sizes: multiples of 1024
        ("2.8G", "B", 3_006_477_107),
        ("14,364K", "B", 14_364 * 2**10),
        ("1.593M", "B/s", 1_670_381.568),
        ("2.5E+11", "B", 250_000_000_000),
        ("2.62E+07", "count", 26_200_000),
        ("9.2233720368547758E+18", "count", 9_223_372_036_854_775_808),
    ],
)
def test_suffixes_and_exponents(text: str, unit: str, value: float) -> None:
    assert parse_number(text, unit) == value


@pytest.mark.parametrize("unit", ["count", "B", "MB", "MB/s", "s"])
def test_letters_that_look_like_digits_are_no_suffixes(unit: str) -> None:
    for text in ("2B", "4,09B", "26x", "1O", "5l", "7S"):
        assert parse_number(text, unit) is None


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("812.00ns", 0.000812),
        ("109.72us", 0.10972),
        ("4.96ms", 4.96),
        ("1.20s", 1200.0),
        (".00ns", 0.0),
    ],
)
def test_a_unit_inside_the_cell_wins_over_the_columns(text: str, milliseconds: float) -> None:
    assert parse_number(text, "ms") == milliseconds
    assert parse_number(text, "ms", "ms") == milliseconds


@pytest.mark.parametrize(
    ("text", "printed", "unit", "value"),
    [
        ("88,310", "cs", "s", 883.1),
        ("20.9", "thousand", "count", 20_900),
        ("167,402", "thousand", "count", 167_402_000),
        ("13,107", "KB", "MB", 12.7998046875),
        ("3,145,728", "B", "MB", 3.0),
    ],
)
def test_a_columns_printed_unit_is_converted(
    text: str, printed: str, unit: str, value: float
) -> None:
    assert parse_number(text, unit, printed) == value


@pytest.mark.parametrize(
    ("text", "unit", "printed", "value"),
    [
        ("5424422,6", "s", None, 5_424_422.6),
        ("8,4", "%", None, 8.4),
        (",2", "%", None, 0.2),
        ("10,1G", "B", "MB", 10_844_792_422),
        (",855945", "B/s", "MB/s", 897_523.38432),
        ("160,123", "B/s", "MB/s", 167_901_134.848),  # rates are scaled: no thousands
        ("160,123", "count", None, 160_123),
    ],
)
def test_decimal_commas_that_leak_into_some_strings(
    text: str, unit: str, printed: str | None, value: float
) -> None:
    assert parse_number(text, unit, printed) == value


@given(st.text(max_size=30), st.sampled_from(sorted(UNITS)))
def test_no_text_makes_the_number_reader_fail(text: str, unit: str) -> None:
    value = parse_number(text, unit)
    assert value is None or math.isfinite(value)


@given(st.text(alphabet="0123456789,.EeKMG+-# ", max_size=12))
def test_what_is_read_as_a_number_holds_a_digit(text: str) -> None:
    if parse_number(text) is not None:
        assert any(c.isdigit() for c in text)


@given(
    st.lists(st.text(alphabet="0123456789,.-#K ", max_size=9), max_size=6)
    | st.lists(WHOLE.map("{:,}".format) | WHOLE.map(str) | st.just("0.50"), max_size=6),
    st.sampled_from(["count", "ms", "B/s"]),
)
@example(["2\n5.98", "3"], "ms")
def test_a_column_of_figures_is_read_as_each_of_its_cells_is(texts: list[str], unit: str) -> None:
    found = plain_column(texts, unit)
    if found is not None:
        each = [parse_number(text, unit) for text in texts]
        assert list(map(repr, found)) == list(map(repr, each))


def test_an_overflow_is_told_from_a_blank() -> None:
    assert is_overflow("########")
    assert not is_overflow("")
    assert not is_overflow("12#")


def test_units_that_do_not_measure_the_same_do_not_convert() -> None:
    assert factor("cs", "ms") == 10.0
    with pytest.raises(KeyError):
        factor("cs", "B")


MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
MOMENTS = st.datetimes(datetime(1999, 1, 1), datetime(2049, 12, 31)).map(  # noqa: DTZ001 - a report carries no zone
    lambda moment: moment.replace(microsecond=0)
)


@given(MOMENTS, st.booleans(), st.sampled_from(["{}", "{:02}"]))
def test_dates_are_read_as_oracle_prints_them(moment: datetime, upper: bool, day: str) -> None:
    month = MONTHS[moment.month - 1]
    text = (
        f"{day.format(moment.day)}-{month.upper() if upper else month}-{moment:%y} "
        f"{moment:%H:%M:%S}"
    )
    assert parse_datetime(text) == moment.isoformat()
    assert parse_datetime(text[:-3]) == moment.replace(second=0).isoformat()


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("07-Ago-12 08:00:03", "2012-08-07T08:00:03"),  # Spanish, Portuguese, Italian
        ("07-Mai-12 08:00:03", "2012-05-07T08:00:03"),
        ("07-DÉC.-12 08:00", "2012-12-07T08:00:00"),
        ("07-MÄR-12", "2012-03-07"),
        ("07-Out-99 23:59:59", "1999-10-07T23:59:59"),
        ("2012-08-07 08:00:03", "2012-08-07T08:00:03"),
    ],
)
def test_month_names_of_other_languages_are_known(text: str, iso: str) -> None:
    assert parse_datetime(text) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("6/20/2012 2:30:00 PM", "2012-06-20T14:30:00"),
        ("6/20/2012 2:30 p.m.", "2012-06-20T14:30:00"),
        ("6/20/2012 12:05 AM", "2012-06-20T00:05:00"),
        ("20-JUN-12 12.30.15 PM", "2012-06-20T12:30:15"),
        ("2012/6/20 14:30", "2012-06-20T14:30:00"),
        ("2012.06.20 14:30:15", "2012-06-20T14:30:15"),
    ],
)
def test_times_of_twelve_hours_and_years_that_come_first_are_read(text: str, iso: str) -> None:
    assert parse_datetime(text, month_first=lambda: True) == iso


@pytest.mark.parametrize("sign", ["\t", " "])
def test_the_afternoon_of_a_pasted_header_is_not_the_morning(sign: str) -> None:
    header = (
        "\tSnap Id\tSnap Time\tSessions\nBegin Snap:\t66340\t6/20/2012 1:30:00 PM\t120\n"
        "End Snap:\t66341\t6/20/2012 2:00:00 PM\t125\nElapsed:\t\t30.00 (mins)\n\n"
        "Top 5 Timed Events\nEvent\tWaits\tTime(s)\tAvg Wait(ms)\t% Total Call Time\tWait Class\n"
        "log file sync\t293,178\t1,217\t4\t57.0\tCommit\n"
    )
    found = api.load(header.replace("\t", sign).replace("\n ", "\n").encode()).identity
    assert (found.begin_time, found.end_time) == ("2012-06-20T13:30:00", "2012-06-20T14:00:00")


@pytest.mark.parametrize(
    "text", ["", "N/A", "07-Xyz-12", "27-Jul 09:00:41", "0627 17:23:48", "99-Jan-12"]
)
def test_what_lacks_a_year_or_a_known_month_is_no_date(text: str) -> None:
    assert parse_datetime(text) is None


@given(st.text(max_size=30))
def test_no_text_makes_the_date_reader_fail(text: str) -> None:
    iso = parse_datetime(text)
    assert iso is None or iso[:2].isdecimal()


@given(
    st.integers(0, 40),
    st.sampled_from([*MONTHS, "Ago", "Dez", "13"]),
    st.integers(0, 99),
    st.sampled_from(["", " 08:00", " 24:00", " 08:61:00", " 08:00:03"]),
)
def test_what_is_read_as_a_date_is_one(day: int, month: str, year: int, clock: str) -> None:
    iso = parse_datetime(f"{day:02}-{month}-{year:02}{clock}")
    if iso is not None:
        assert iso[:10] == datetime.fromisoformat(iso).date().isoformat()


@pytest.mark.parametrize(("value", "digits", "text"), [
    (0.00001234, 4, "0.00001234"), (1234.5, 3, "1,234"), (999.96, 3, "1,000"), (0.5, 2, "0.5"),
    (130.0, 2, "130"), (12.0, 4, "12"), (-0.00002, 4, "-0.00002"), (0.0, 4, "0"),
])  # fmt: skip
def test_a_number_in_a_sentence_never_has_an_exponent(value: float, digits: int, text: str) -> None:
    assert text == plain(value, digits)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("     Host Mem (MB):      7 974.6      7 974.6", ["7\xa0974.6", "7\xa0974.6"]),
        ("           DB Time:        1 060 396.1 (mins)", ["1\xa0060\xa0396.1 (mins)"]),
        # single blanks between all columns: they may separate two figures
        ("Physical reads: 580 120", ["580", "120"]),
        ("           Elapsed:          0 030.02", ["0", "030.02"]),
    ],
)
def test_a_figure_with_blanks_as_thousands_is_never_cut_in_two(line: str, cells: list[str]) -> None:
    assert label_cells(line, []) == [[line.partition(":")[0].strip(), *cells]]


def dated(name: str) -> str:
    """A report whose snapshots have this month's name."""
    text = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    return re.sub(r"(?m)^( *(?:Begin|End) Snap: .*?-)[A-Z][a-z]{2}(?=-)", rf"\g<1>{name}", text)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1251", "koi8_r", "cp866", "iso8859_5"])
@pytest.mark.parametrize(("name", "month"), [("Апр", 4), ("МАЯ", 5), ("ноя", 11)])
def test_a_cyrillic_month_shows_the_encoding(encoding: str, name: str, month: int) -> None:
    found = api.load(dated(name).encode(encoding))
    assert (found.identity.begin_time or "")[5:7] == f"{month:02}"
    assert not found.warnings


@pytest.mark.parametrize("name", ["Απρ", "เม.ย.", "אפר", "أبريل", "Xyz"])
def test_a_month_that_is_not_known_is_said(name: str) -> None:
    found = api.load(dated(name).encode())
    (note,) = found.warnings
    assert found.identity.begin_time is None
    assert f"-{name}-" in note.message
    assert note.message.endswith("not read: its month is not in a language that awrlens reads.")
    assert "Begin Snap:" in dated(name).splitlines()[(note.line or 0) - 1]


@pytest.mark.parametrize(
    ("begin", "end", "read"),
    [
        ("4/5/2012 14:30", "4/5/2012 15:00", None),
        ("4/4/2012 14:30", "4/4/2012 15:00", "2012-04-04T14:30:00"),
        ("4/5/2012 14:30", "4/13/2012 15:00", "2012-04-05T14:30:00"),
        ("4/5/2012 14:30", "13/5/2012 15:00", "2012-05-04T14:30:00"),
        ("4.5.2012 14:30", "4.5.2012 15:00", "2012-05-04T14:30:00"),
    ],
)
def test_the_order_of_day_and_month_rests_on_the_file(
    begin: str, end: str, read: str | None
) -> None:
    text = (
        f"\tSnap Id\tSnap Time\tSessions\nBegin Snap:\t66340\t{begin}\t120\n"
        f"End Snap:\t66341\t{end}\t125\nElapsed:\t\t30.00 (mins)\n\nTop 5 Timed Events\n"
        "Event\tWaits\tTime(s)\tAvg Wait(ms)\t% Total Call Time\tWait Class\n"
        "log file sync\t293,178\t1,217\t4\t57.0\tCommit\n"
    )
    found = api.load(text.encode())
    assert found.identity.begin_time == read
    said = f"The date {begin} is not read: no date in the report shows whether the day or the"
    assert (read is None) == any(note.message.startswith(said) for note in found.warnings)
