"""Which tablespaces are temporary: a tempfile, the file type's I/O, and names where neither is."""

from __future__ import annotations

from typing import Any

import pytest
from corpus import CORPUS, analysis_of
from figures import analysis, facts, files, section, statistics, tablespaces, waits
from test_rules import facts_of

from awrlens import rules
from awrlens.model import Fact, Finding, Status
from awrlens.policy import Policy
from awrlens.redact.names import Names
from awrlens.render import first_screen
from awrlens.rules.base import Facts

SECONDS = 1_000.0
BUSY = "5,000 | 5 | 1.0 | 1.0 | 2,000 | 2 | 0 | 0.0"
IDLE = "10 | 0 | 1.0 | 1.0 | 10 | 0 | 0 | 0.0"


def filetypes(reads: str, writes: str) -> str:
    headings = ("Filetype Name", "Reads: Data", "Reqs per sec", "Data per sec", "Writes: Data",
                "Reqs per sec", "Data per sec", "Small Read", "Large Read")  # fmt: skip
    rows = ["Data File | 9M | 90.0 | 1M | 9M | 80.0 | 1M | 1.0 | 2.0",
            f"Temp File | 9M | {reads} | 1M | 9M | {writes} | 1M | 1.0 | 2.0"]  # fmt: skip
    return section("IOStat by Filetype summary", headings, rows)


def temporary(*sections: str) -> Fact:
    return facts(statistics("user commits | 1"), *sections, elapsed_s=SECONDS)["temp.tablespaces"]


def by_name(*names: str) -> object:
    return temporary(tablespaces(*(f"{name} | {IDLE}" for name in names))).value


@pytest.mark.parametrize(
    "name", ["TEMP", "TEMP2", "TEMP01", "TMP", "TEMPORARY", "TEMPORARY02", "temp_1"]
)
def test_a_real_temp_leaves_out_what_is_only_called_so(name: str) -> None:
    others = ("PARIDXTMP", "SALES_TMP_DATA", "TEMPORARY_INDEXES", "TMP_INDX", "TS_SORTER_DATA",
              "TEMP_TTS", "CONTEMPORARY", "USERS")  # fmt: skip

    assert by_name("SYSTEM", name, *others) == (name,)


def test_every_numbered_temp_counts() -> None:
    assert by_name("TEMP", "TEMP1", "TEMPORARY", "DATA") == ("TEMP", "TEMP1", "TEMPORARY")


def test_names_that_begin_with_temp_come_before_those_that_end_with_it() -> None:
    assert by_name("TEMP_LMS", "PRODDTA_TEMP", "USERS") == ("TEMP_LMS",)
    assert by_name("PSAPTEMP", "PSAPDATA") == ("PSAPTEMP",)
    assert by_name("TS_SORTER_DATA_00", "SALES_TMP_DATA") is None


def test_an_undo_tablespace_is_never_temporary() -> None:
    assert by_name("TEMP_UNDO", "USERS") is None


def test_a_tempfile_needs_no_name() -> None:
    where = files(f"WORK | +DATA/pearl/tempfile/work.263.97 | {IDLE}",
                  f"TEMP2 | /u02/temp2.dbf | {IDLE}")  # fmt: skip
    data = files(f"WORK | +DATA/pearl/tempfile/work.263.97 | {IDLE}",
                 f"TEMP_LMS | +DATA/pearl/datafile/temp_lms.264.97 | {IDLE}")  # fmt: skip
    alone = temporary(tablespaces(f"WORK | {IDLE}", f"TEMP_LMS | {IDLE}"), data)
    beside = temporary(tablespaces(f"WORK | {IDLE}", f"TEMP2 | {IDLE}"), where)

    assert (alone.value, alone.status, alone.note) == (("WORK",), "measured", "WORK: tempfile")
    assert beside.note == "WORK: tempfile; TEMP2: name"


def test_a_file_among_oracles_data_files_is_not_temporary() -> None:
    """Oracle keeps the files that it names in a folder of their kind."""
    where = files(f"ODI_TEMP | +DATA/pearl/DATAFILE/odi_temp.24.10 | {IDLE}",
                  f"TEMP | /u01/pearl/datafile/o1_mf_temp_8q.dbf | {IDLE}")  # fmt: skip

    assert temporary(tablespaces(f"ODI_TEMP | {IDLE}", f"TEMP | {IDLE}"), where).value is None


def test_the_one_tablespace_with_the_file_types_io_is_it_whatever_its_name() -> None:
    spaces = tablespaces(f"WORK | {BUSY}", f"TEMP_LMS | {IDLE}", f"USERS | {IDLE}")
    found = temporary(spaces, filetypes("5.00", "2.00"))

    assert (found.value, found.status) == (("WORK",), "derived")
    assert found.note == "WORK: filetype"
    assert {item.row for item in found.evidence} == {"Temp File"}


@pytest.mark.parametrize(("reads", "writes"), [("5.30", "2.00"), ("5.00", "2.20"), ("0.0", "0.0")])
def test_io_that_differs_from_the_file_types_tells_nothing(reads: str, writes: str) -> None:
    spaces = tablespaces(f"WORK | {BUSY}", f"TEMP_LMS | {IDLE}")

    assert temporary(spaces, filetypes(reads, writes)).value == ("TEMP_LMS",)


def test_two_tablespaces_with_the_file_types_io_tell_nothing() -> None:
    spaces = tablespaces(f"WORK | {BUSY}", f"MORE | {BUSY}", f"TEMP_LMS | {IDLE}")

    assert temporary(spaces, filetypes("5.00", "2.00")).value == ("TEMP_LMS",)


def reads(*rows: tuple[str, str, str]) -> tuple[Fact, Fact]:
    """Latency and share of time with tablespaces of so many reads of so many milliseconds."""
    printed = [f"{name} | {count} | 5 | {ms} | 1.0 | 7 | 2 | 0 | 0.0" for name, count, ms in rows]
    found = facts(tablespaces(*printed), elapsed_s=SECONDS)
    return found["temp.read_ms"], found["temp.read_time_share_pct"]


def test_temporary_reads_with_a_time_of_0_are_untimed_not_quick() -> None:
    latency, share = reads(("TEMP", "5,000", "0.0"), ("USERS", "100", "4.0"))

    for fact in (latency, share):
        assert fact.value is None
        assert fact.note == "5,000 reads are shown with 0 ms: direct I/O that is not timed"
        assert "tablespace_io" in fact.sections


def test_untimed_reads_are_left_out_of_the_average_and_said() -> None:
    latency, share = reads(
        ("TEMP", "5,000", "0.00"), ("TEMP2", "100", "6.00"), ("USERS", "100", "4.0")
    )

    assert latency.value == 6.0
    assert "5,000 reads are shown with 0 ms" in latency.note
    assert share.value == 60.0
    assert "5,000 reads are shown with 0 ms" in share.note


def test_a_tablespace_without_reads_and_one_of_data_are_as_before() -> None:
    unread, timed = reads(("TEMP", "0", "0.0"), ("USERS", "100", "0.0")), reads(
        ("TEMP", "10", "0.1"), ("USERS", "10", "0.0")
    )  # fmt: skip

    assert unread[0].note == "no reads are counted there"
    assert timed[0].value == 0.1
    assert timed[0].note == ""


@pytest.mark.parametrize(
    "names",
    [
        ("TEMP", "TEMP2", "SALES_TMP_DATA", "TEMP_TTS"),
        ("TEMPORARY02", "TEMPORARY_TABLES", "PARIDXTMP1"),
        ("TEMP_LMS", "TS_SORTER_DATA_00", "PRODDTA_TEMP"),
        ("PSAPTEMP", "PSAPTMP01", "LATEMPAYMENTS"),
        ("TEMP_UNDO", "USERS"),
    ],
)
def test_pseudonyms_are_recognised_as_the_names_are(names: tuple[str, ...]) -> None:
    pseudonyms = Names(key=b"k" * 32)
    hidden = tuple(pseudonyms.of(name) for name in names)
    found, clean = by_name(*names), by_name(*hidden)

    assert [len(name) for name in hidden] == [len(name) for name in names]
    told = found if isinstance(found, tuple) else ()
    assert clean == (tuple(pseudonyms.of(str(name)) for name in told) or None)


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("awr-html_10.2.0.4.0_02.LST", ("TEMP2",)),
        ("awr-html_11.2.0.3.0_02.html", ("TEMPORARY",)),
        # its file is an alias among the data files; its I/O is that of the temporary files
        ("awr-html_11.2.0.3.0-rac_03.html", ("TEMP01",)),
        ("awr-html_12.1.0.2.0_01.html", ("TEMP1", "TEMP")),
        ("awr-html_12.1.0.2.0_02.html", None),
        ("statspack-text_8.1.7.4.1_01.LST", ("TEMP",)),
        ("awr-text_11.2.0.2.0_01.txt", ("TEMP",)),
    ],
)
def test_real_reports_have_the_temporary_tablespaces_read_by_hand(
    file: str, names: tuple[str, ...] | None
) -> None:
    assert analysis_of(CORPUS / file).facts["temp.tablespaces"].value == names


@pytest.mark.parametrize(("waited", "share"), [("20", 80.0), ("5,720", None)])
def test_a_share_of_read_time_needs_the_times_of_direct_reads(
    waited: str, share: float | None
) -> None:
    # tempfiles 20 s, data 5 s: the list has no time for the direct reads of 5,720 s
    spaces = tablespaces(
        "TEMP | 2,000 | 1 | 10.0 | 1 | 9 | 1 | 0 | 0.0",
        "DATA | 5,000 | 1 | 1.0 | 1 | 9 | 1 | 0 | 0.0",
    )
    found = facts(spaces, waits(f"direct path read | 184,806 | 0 | {waited} | 31 | 39.8 | 16.5"))

    fact = found["temp.read_time_share_pct"]
    assert fact.number == (None if share is None else pytest.approx(share))
    assert (share is None) == ("lack direct reads" in fact.note)


#: TEMP001, TEMP002 and TEMP004 on the same tablespaces.
ON_TABLESPACES: dict[str, dict[str, Any]] = {
    "TEMP001": {"temp.io_share_pct": 47.0},
    "TEMP002": {"temp.read_ms": 24.6},
    "TEMP004": {"temp.shared_places": ("/u01",), "temp.shared_place_io_pct": 47.0,
                "temp.neighbour_read_ms": 28.6},
}  # fmt: skip


@pytest.mark.parametrize(
    ("status", "names", "sentence"),
    [
        ("estimated", ("TMP",), "TMP is known as temporary only by name."),
        ("estimated", ("TMP1", "TMP2"), "TMP1 and TMP2 are known as temporary only by name."),
        ("derived", ("T1",), "T1 is known as temporary by the I/O of Temp File in IOStat by"),
        ("measured", ("TEMP",), ""),
        ("estimated", (), ""),
    ],
)
@pytest.mark.parametrize("rule", ON_TABLESPACES)
def test_a_finding_says_how_a_temporary_tablespace_is_known(
    rule: str, status: Status, names: tuple[str, ...], sentence: str
) -> None:
    facts = facts_of(
        {"load.elapsed_s": 3600.0, "temp.direct_wait_s": 600.0, "load.response_s": 9000.0,
         "temp.tablespaces": names} | ON_TABLESPACES[rule]
    )  # fmt: skip
    facts["temp.tablespaces"] = facts["temp.tablespaces"]._replace(status=status)
    found = rules.decide(rules.get(rule), Facts(facts, Policy()))

    assert isinstance(found, Finding)
    assert sentence in found.why
    assert bool(sentence) == ("known as temporary" in found.why)


def test_a_read_time_of_the_event_needs_no_tablespace() -> None:
    values = {"temp.direct_read_ms": 24.6, "temp.direct_read_wait_s": 600.0}
    facts = facts_of(
        {"load.elapsed_s": 3600.0, "temp.direct_wait_s": 600.0, "temp.tablespaces": ("TMP",)}
        | values
    )
    facts["temp.tablespaces"] = facts["temp.tablespaces"]._replace(status="estimated")
    found = rules.decide(rules.get("TEMP002"), Facts(facts, Policy()))

    assert isinstance(found, Finding)
    assert "TMP" not in found.why


def timed(row: str, waited_s: str) -> object:
    event = waits(f"direct path read temp | 5,000 | 0 | {waited_s} | 0 | 0.1 | 0.0")
    return facts(event, tablespaces(f"TEMP | {row}"), elapsed_s=SECONDS)["temp.timed"].value


def test_reads_of_0_ms_and_waits_of_0_s_are_not_timed() -> None:
    untimed = "5,000 | 5 | 0.0 | 1.0 | 2,000 | 2 | 0 | 0.0"

    assert timed(untimed, "0") == "no"
    assert timed(untimed, "3") == "yes"
    assert timed(BUSY, "0") == "yes"
    assert timed("0 | 0 | 0.0 | 0.0 | 2,000 | 2 | 0 | 0.0", "0") is None


@pytest.mark.parametrize(("writes", "share"), [("0", 2.5), ("1", 10.0), ("90", 10.0)])
def test_direct_writes_are_temporary_only_as_far_as_the_tablespace_was_written(
    writes: str, share: float
) -> None:
    """A write has up to 1 MB, 128 blocks; 30 blocks were written directly, 10 of 400 read."""
    row = f"TEMP | 10 | 0 | 1.0 | 1.0 | {writes} | 0 | 0 | 0.0"
    found = facts(
        statistics("physical reads | 300", "physical writes | 100", "physical writes direct | 30",
                   "recovery blocks read for lost write detection | 0"),
        tablespaces(row, "USERS | 300 | 0 | 5.0 | 1.0 | 70 | 0 | 0 | 0.0"),
    )  # fmt: skip

    assert found["temp.io_share_pct"].number == pytest.approx(share), found["temp.io_share_pct"]


def test_the_line_on_temp_has_counts_where_there_are_no_times() -> None:
    untimed = "5,000 | 5 | 0.0 | 1.0 | 2,000 | 2 | 0 | 0.0"
    found = analysis(
        waits("direct path read temp | 5,000 | 0 | 0 | 0 | 0.1 | 0.0"),
        tablespaces(f"TEMP | {untimed}", f"USERS | {BUSY}"),
    )
    (tile,) = (each for each in first_screen.tiles(found) if each.name == "temp")

    assert tile.words[0] == "reads without times: 5,000"
