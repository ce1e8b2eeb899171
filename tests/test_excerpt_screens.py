"""A figure of "Write Accelerator" pasted alone: the first screen shows all that it holds."""

from __future__ import annotations

import json
from pathlib import Path

import called
import pytest

FOLDER = Path(__file__).parent / "document_figures"

#: Read in the figures by eye: the largest row, temp or undo, the latency.
SHOWN: dict[int, tuple[str, ...]] = {
    6: ("INVD1: reads 715,082 at 0.7 ms",
        "TEMP02 (temp): reads 26,339 at 24.6 ms, blocks per read 7, writes 30,012",
        "Temp: reads take 24.6 ms on average; whether sessions wait for them is not"),
    7: ("AMSD /dbpreq01/temp02_005.dbf (temp): reads 400,527 at 7.22 ms, writes 611,838 at 10.6 ms",
        "Temp: reads take 10.8 ms and writes take 5.53 ms", "file write 5.53 ms"),
    8: ("TEMP (temp): reads 1,985,044 at 2.1 ms, blocks per read 1, writes 77,761",
        "+DATA2/temp.274.660989059", "reads 706,936 at 2.68 ms, writes 27,691 at 7.78 ms",
        "Temp: reads take 2.1 ms and writes take 7.56 ms", "file write 7.56 ms"),
    9: ("reads 1,721,221 at 0.08 ms, writes 98,681 at 1.75 ms",
        "Temp: reads take 0.1 ms and writes take 1.74 ms"),
    12: ("user 32.1 %, system 20.1 %, iowait 3.4 %, idle 46.5 %",
         "% of total CPU for Instance: 48 %"),
    13: ("log file switch completion: waits 2,089, timeout 0 %, total wait 212 s, avg wait 102 ms",
         "DB time 0.7 %"),
    17: ("undotbs1.258.660755929 (undo): reads 585 at 28.6 ms, writes 34,298 at 37.9 ms",
         "data.259.660843403: reads 3,810 at 4,076 ms", "file write 37.9 ms"),
    18: ("undotbs1.258.660755929 (undo): reads 13 at 22.3 ms, writes 322 at 75.4 ms",),
    19: ("UNDOTBS1 (undo): reads 1,397 at 0 ms, blocks per read 1, writes 597,086, buffer waits",
         "buffer waits 219, buffer wait 6 ms", "DATA: reads 60,211 at 0.9 ms",
         "Undo: reads take less than 0.1 ms"),
    20: ("KO-Multiple Object Checkpoint", "waits 1, total wait 0 s, avg wait 30 ms"),
    21: ("Undo tablespace 2: undo blocks 437,500, transactions 53,169, max query 11,467 s",
         "min tuned retention 19.6 min"),
}  # fmt: skip


def path(number: int) -> str:
    return str(FOLDER / f"figure-{number:02}.txt")


def screen(*args: str) -> str:
    _, out, _ = called.call(*args, COLUMNS="160")
    return " ".join(out.split())


@pytest.mark.parametrize("number", SHOWN)
def test_a_figure_alone_shows_its_values_and_what_a_verdict_needs(number: int) -> None:
    said = screen("analyze", path(number))

    for words in SHOWN[number]:
        assert words in said
    assert "For a verdict, add the header (DB time, elapsed time) and the wait events" in said


@pytest.mark.parametrize("number", SHOWN)
def test_a_figure_alone_is_not_ok_but_unknown(number: int) -> None:
    _, out, _ = called.call("analyze", path(number), "-f", "json")
    found = json.loads(out)

    assert "unknown" == found["verdicts"]["write_path"]
    assert found["overview"]["read"]


@pytest.mark.parametrize("format_", ["html", "markdown"])
def test_every_page_shows_what_was_read(format_: str) -> None:
    said = screen("analyze", path(8), "-f", format_).replace("&#43;", "+")

    assert "reads 1,985,044 at 2.1 ms" in said
    assert "Temp: reads take 2.1 ms and writes take 7.56 ms" in said


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (8, 9, "Temp write 7.56 → 1.74 ms; temp read 2.1 → 0.1 ms."),
        (17, 18, "Undo write 37.9 → 72.9 ms; undo read 28.6 → 22.3 ms."),
        (4, 5, "Redo write 18.7 → 0.104 ms."),
    ],
)
def test_two_figures_lead_with_the_change_of_the_latency(
    before: int, after: int, shown: str
) -> None:
    said = screen("compare", path(before), path(after))

    assert shown in said
    assert "the same interval" not in said


def test_a_figure_without_times_compared_with_itself_is_the_same_text() -> None:
    said = screen("compare", path(8), path(8))

    assert "Both sides are the same text." in said
    assert "not comparable: an excerpt without times is compared with itself." in said
    assert "interval has" not in said


def test_a_report_shows_no_list_of_what_was_read() -> None:
    sample = str(FOLDER.parents[1] / "sample_reports" / "redo-disk.awr-11.2.txt")
    _, out, _ = called.call("analyze", sample, "-f", "json")

    assert "read" not in json.loads(out)["overview"]
