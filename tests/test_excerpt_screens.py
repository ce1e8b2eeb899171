"""A figure of "Write Accelerator" pasted alone: the first screen shows all that it holds."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import called
import pytest

FOLDER = Path(__file__).parent / "document_figures"

#: Read in the figures by eye: the largest row, temp or undo, the latency, and what they mean.
SHOWN: dict[int, tuple[str, ...]] = {
    1: ("log file sync: waits 21,470,106, total wait 125,416 s, CPU and wait time 34.9 %",
        "and the other wait events: `direct path read temp`",
        # 125,416 s / 21,470,106; 43,993 s / 11,649,482
        "A commit takes 5.84 ms.", "redo log write 3.78 ms"),
    2: ("Waits: `log file parallel write` has the most time, 43,993 of the 44,695 s listed, 3.78",
        "and the other wait events: `log file sync` for redo"),
    4: ("log file switch (checkpoint: waits 22,219, timeout 0 %, total wait 385 s, avg wait 17 ms",
        "log file switch completion: waits 2,239, timeout 0 %, total wait 122 s, avg wait 55 ms",
        "redo log write 17.9 ms", "the other wait events: `direct path read temp`"),
    5: ("log file switch (checkpoint: waits 1,121, timeout 32.6 %, total wait 407 s",
        "log file switch completion: waits 1,392, timeout 27.4 %, total wait 404 s",
        "redo log write 0.0932 ms", "Sessions waited 405 s (1,112 times)"),
    11: ("DB Time(s): 2.4 per second, 0.6 per transaction", "2.4 average active sessions",
         "Executes: 3,908 per second", "Rollbacks: 4 per second",
         # 4.0 * 1,000 / 3,907.7
         "Undo: 1.02 rollbacks per 1,000 executions."),
    14: ("gldppfmhtxs00: elapsed 2,578 s, CPU 2,416 s, executions 48,202,499", "DB time 8.9 %",
         # 2,578 s / 48,202,499
         "2,578 s in 48,202,499 executions, 0.0535 ms each"),
    15: ("DBWR undo block writes: 437,496, 35.4 per second", "transaction rollbacks: 48,268",
         "undo change vector size: 3,295,395,408", "physical writes: 470,884, 38.1 per second",
         # 437,496 / 463,669; 49,581 * 1,000 / 48,290,141; 48,219,732 / 48,268
         ("Undo: 94.4 % of the blocks that DBWR writes; 1.03 rollbacks per 1,000 executions, each "
          "of 999 records.")),
    16: ("UNDOTBS1 (undo): reads 585 at 28.6 ms, blocks per read 1, writes 34,298",
         "DATA: reads 9,044 at 3,800 ms, blocks per read 98.7, writes 12,165",
         "UNDOTBS1 is number 1 of 7 listed by writes, number 5 by read time"),
    6: ("INVD1: reads 715,082 at 0.7 ms",
        "TEMP02 (temp): reads 26,339 at 24.6 ms, blocks per read 7, writes 30,012",
        "Temp: reads take 24.6 ms on average; whether sessions wait for them is not",
        # 26,339 * 24.6 ms of 2,224 s
        "TEMP02 is number 3 of 5 listed by reads and writes, number 1 by read time (648 of"),
    7: ("AMSD /dbpreq01/temp02_005.dbf (temp): reads 400,527 at 7.22 ms, writes 611,838 at 10.6 ms",
        "Temp: reads take 10.8 ms and writes take 5.53 ms", "file write 5.53 ms"),
    8: ("TEMP (temp): reads 1,985,044 at 2.1 ms, blocks per read 1, writes 77,761",
        "+DATA2/temp.274.660989059", "reads 706,936 at 2.68 ms, writes 27,691 at 7.78 ms",
        "Temp: reads take 2.1 ms and writes take 7.56 ms", "file write 7.56 ms",
        # 1,763 s / 2,160,604
        "SYS$USERS: 1,763 s in 2,160,604 waits for user I/O, 0.816 ms each",
        "lavgjg9pcsgnb: elapsed 40,686 s, CPU 8,506 s, executions 1"),
    9: ("/ssd1/temp101.dbf (temp): reads 1,721,221 at 0.08 ms, writes 98,681 at 1.75 ms",
        "/ssd2/temp102.dbf (temp): reads 260,199", "76 s in 2,001,299 waits for user I/O",
        "lavpjpg9pcsgnb: elapsed 12,469 s, CPU 1,390 s",
        "Temp: reads take 0.1 ms and writes take 1.74 ms"),
    12: ("user 32.1 %, system 20.1 %, iowait 3.4 %, idle 46.5 %",
         "% of total CPU for Instance: 48 %",
         "Host: 46.5 % of CPU is idle, 3.4 % waits for I/O; there is no shortage of CPU."),
    13: ("log file switch completion: waits 2,089, timeout 0 %, total wait 212 s, avg wait 102 ms",
         "DB time 0.7 %", "and the other wait events: `log file sync`",
         # 212 + 82 + 7 + 5 + 4 s; 212 s / 2,089
         ("`log file switch completion` has the most time, 212 of the 310 s listed, 101 ms each; "
          "the events listed are 1 % of DB time")),
    17: ("undotbs1.258.660755929 (undo): reads 585 at 28.6 ms, writes 34,298 at 37.9 ms",
         "data.259.660843403: reads 3,810 at 4,076 ms", "file write 37.9 ms"),
    18: ("undotbs1.258.660755929 (undo): reads 13 at 22.3 ms, writes 322 at 75.4 ms",),
    19: ("UNDOTBS1 (undo): reads 1,397 at 0 ms, blocks per read 1, writes 597,086, buffer waits",
         "buffer waits 219, buffer wait 6 ms", "DATA: reads 60,211 at 0.9 ms",
         "Undo: reads take less than 0.1 ms"),
    20: ("KO-Multiple Object Checkpoint", "waits 1, total wait 0 s, avg wait 30 ms",
         # 11 * 34.55 + 4 * 75 + 30 + 30 ms
         ("Enqueues: waits of 0.74 s in total; KO (object checkpoints) 0.03 s, US (undo segments) "
          "is not listed.")),
    21: ("Undo tablespace 2: undo blocks 437,500, transactions 53,169, max query 11,467 s",
         "min tuned retention 19.6 min",
         # 11,467 s
         ("Undo: kept for up to 205 min, the longest query took 191 min; no query found its undo "
          "overwritten, and undo had space.")),
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
    assert "For a verdict, add the " in said
    # figures 4 and 5 have both
    assert ("add the header (DB time, elapsed time)" in said) is (number not in (4, 5))


def screens() -> dict[str, str]:
    """The whole first screens: of every figure and pair, after a line with its number."""
    text = (FOLDER / "screens.txt").read_text(encoding="utf-8")
    parts = iter(text.split("=== figure ")[1:])
    return {name: screen for name, _, screen in (part.partition("\n") for part in parts)}


@pytest.mark.parametrize("numbers", [*((n,) for n in SHOWN), (4, 5), (8, 9), (17, 18)])
def test_the_whole_first_screen_of_a_figure_or_a_pair(numbers: tuple[int, ...]) -> None:
    """AWRLENS_SNAPSHOTS=write renews the file; read it before it is committed."""
    command, name = ("analyze", "compare")[len(numbers) - 1], "-".join(f"{n:02}" for n in numbers)
    _, out, _ = called.call(command, *map(path, numbers), COLUMNS="160")
    shown = "".join(f"{line.rstrip()}\n" for line in out.splitlines())
    if os.environ.get("AWRLENS_SNAPSHOTS") == "write":
        found = screens() | {name: shown}
        text = "".join(f"=== figure {each}\n{found[each]}" for each in sorted(found))
        (FOLDER / "screens.txt").write_text(text, encoding="utf-8")

    assert screens()[name] == shown


@pytest.mark.parametrize("number", [n for n in SHOWN if n not in (1, 4, 5, 15)])
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
        # (11,184 * 21 + 3,810 * 4,076 + 7,188 * 46.5 + 4,653 * 4,042 + 599 * 28.3 + 587 * 28.5 +
        # 581 * 28.4 ms) / 28,602; (34 * 16.8 + 13 * 24.6 + 13 * 22.3 ms) / 60 in +DATA2
        (
            17,
            18,
            (
                "Undo write 37.9 → 72.9 ms; undo read 28.6 → 22.3 ms; read of files next to undo "
                "1,222 → 19.7 ms."
            ),
        ),
        (4, 5, "Redo write 18.7 → 0.104 ms."),
    ],
)
def test_two_figures_lead_with_the_change_of_the_latency(
    before: int, after: int, shown: str
) -> None:
    said = screen("compare", path(before), path(after))

    _, headline, *_ = re.split("[?▲✖●✔] ", said)
    assert headline.startswith(shown)
    assert "the same interval" not in said


def test_a_figure_without_times_compared_with_itself_is_the_same_text() -> None:
    said = screen("compare", path(8), path(8))
    assert "A: figure-08.txt B: figure-08.txt" in " ".join(said.split())

    assert "Both sides are the same text." in said
    assert "not comparable: an excerpt without times is compared with itself." in said
    assert "interval has" not in said


def test_a_report_shows_no_list_of_what_was_read() -> None:
    sample = str(FOLDER.parents[1] / "sample_reports" / "redo-disk.awr-11.2.txt")
    _, out, _ = called.call("analyze", sample, "-f", "json")

    assert "read" not in json.loads(out)["overview"]


IDLE = """\
Event	Waits	Timeouts	Total Wait Time (s)	Avg wait (ms)	Waits /txn
log file sync	2,000	0	40	20	1.0
db file sequential read	5,000	0	10	2	2.5
SQL*Net message from client	90,000	0	88,000	978	45.0
"""


def test_idle_events_have_not_the_most_time(tmp_path: Path) -> None:
    (tmp_path / "waits.txt").write_text(IDLE)
    said = screen("analyze", str(tmp_path / "waits.txt"))

    assert "`log file sync` has the most time, 40 of the 50 s listed, 20 ms each." in said
