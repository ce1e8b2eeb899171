"""``awrlens recovery buddies``: who failed together, and who should protect whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_alert_logs import FOLDER

from awrlens.cli import run
from awrlens.lab import alert_log, instances
from awrlens.lab.simulation_setup import Failure, recommend, ring

HEAD = "2024-02-01T{at}+00:00\nReconfiguration started (old inc {inc}, new inc {new})\n"


def reconfigured(
    at: str, inc: int, now: str, dead: str = "", *, crash: bool = True, new: str = ""
) -> str:
    """A reconfiguration as 12c and later print it."""
    lists = [("List of instances", now), ("Dead instances", dead), ("New instances", new)]
    text = HEAD.format(at=at, inc=inc, new=inc + 2)
    for name, numbers in lists:
        if numbers:
            text += f"{name} (total {len(numbers.split())}) :\n {numbers} \n"
    text += "My inst 1 \n Global Resource Directory frozen\n"
    if dead and crash:
        text += " * dead instance detected - domain 0 invalid = TRUE \n"
    return text + "Reconfiguration complete (total time 0.5 secs)\n"


#: Instances 3 and 4 fail together, come back, 4 is shut down, and 3 fails in a cluster of three.
LOG = "".join([
    reconfigured("08:00:00.000000", 0, "1 2 3 4"),
    reconfigured("09:00:00.000000", 8, "1 2", "3 4"),
    reconfigured("10:00:00.000000", 10, "1 2 3 4", new="3 4"),
    reconfigured("11:00:00.000000", 12, "1 2 3", "4", crash=False),
    reconfigured("12:00:00.000000", 14, "1 2", "3"),
])  # fmt: skip


def history(*logs: str, within_s: float = instances.TOGETHER_S) -> instances.History:
    return instances.history(
        [alert_log.assemble(alert_log.read(text, f"log {n}")) for n, text in enumerate(logs)],
        within_s,
    )


def failures(*logs: str, within_s: float = instances.TOGETHER_S) -> list[tuple[set[int], set[int]]]:
    found = history(*logs, within_s=within_s).failures
    return [(set(each.failed), set(each.members)) for each in found]


def test_a_log_says_who_failed_in_which_configuration() -> None:
    assert failures(LOG) == [({3, 4}, {1, 2, 3, 4}), ({3}, {1, 2, 3})]
    found = history(LOG)
    assert found.shutdowns == 1
    assert found.largest == {1, 2, 3, 4}


def test_what_all_survivors_report_is_one_failure() -> None:
    other = LOG.replace("09:00:00", "09:00:02").replace("12:00:00", "12:00:01")

    assert failures(LOG, other) == failures(LOG)
    assert len(history(LOG, other).failures[0].places) == 2


def test_failures_shortly_after_each_other_have_one_cause() -> None:
    log = (
        reconfigured("08:00:00.000000", 0, "1 2 3")
        + reconfigured("09:00:00.000000", 2, "1 2", "3")
        + reconfigured("09:00:45.000000", 4, "1", "2")
    )

    assert failures(log) == [({2, 3}, {1, 2, 3})]
    assert failures(log, within_s=30) == [({3}, {1, 2, 3}), ({2}, {1, 2})]


def test_without_a_list_of_the_dead_they_are_those_that_are_gone() -> None:
    """11g lists the members only, 9i and 10g count nodes from 0."""
    log = (
        "Thu Feb 09 01:00:00 2012\nReconfiguration started (old inc 8, new inc 10)\n"
        "List of {what}:\n {all} (myinst: 1)\nReconfiguration complete\n"
        "Thu Feb 09 02:00:00 2012\nReconfiguration started (old inc 10, new inc 12)\n"
        "List of {what}:\n {left} (myinst: 1)\n"
        " * dead instance detected - domain 0 invalid = TRUE\nReconfiguration complete\n"
    )

    assert failures(log.format(what="instances", all="1 2 3", left="1 3")) == [({2}, {1, 2, 3})]
    assert failures(log.format(what="nodes", all="0 1 2", left="0 2")) == [({2}, {1, 2, 3})]
    inline = log.replace("\n {", " {").replace(" (myinst: 1)", ",")
    assert failures(inline.format(what="nodes", all="0,1,2", left="0,2")) == [({2}, {1, 2, 3})]


def test_a_first_list_without_the_dead_is_no_failure_that_can_be_told() -> None:
    found = history((FOLDER / "11g-rac.log").read_text(encoding="utf-8"))

    assert not found.failures


def spooled(log: str) -> list[str]:
    """The rows of a query on V$DIAG_ALERT_EXT."""
    rows, at = [], ""
    for line in log.splitlines():
        if line.startswith("2024-"):
            at = line[:19].replace("T", " ")
        else:
            rows.append(f"{at},{line}")
    return rows


def test_lists_are_read_in_xml_and_in_spools_but_not_in_descending_order() -> None:
    xml = "".join(
        f"<msg time='{row[:10]}T{row[11:19]}.000+00:00' org_id='oracle' comp_id='rdbms'>\n"
        f" <txt>{row[20:]}\n </txt>\n</msg>\n"
        for row in spooled(LOG)
    )
    assert failures(xml) == failures("\n".join(spooled(LOG))) == failures(LOG)

    found = history("\n".join(reversed(spooled(LOG))))
    assert not found.failures
    assert found.unlisted == 5


def test_a_number_alone_on_a_line_is_not_a_list_of_instances() -> None:
    log = reconfigured("08:00:00.000000", 0, "1 2") + " 7 \n 8 9\n"

    assert history(log).largest == {1, 2}


def test_crash_recovery_of_several_threads_is_a_failure_of_all() -> None:
    log = (
        reconfigured("08:00:00.000000", 0, "1 2")
        + "2024-02-01T09:00:00.000000+00:00\nStarting ORACLE instance (normal)\n"
        "Beginning crash recovery of 2 threads\n"
    )

    assert failures(log) == [({1, 2}, {1, 2})]


# the map


def pair(*failed: int, of: int = 4) -> Failure:
    return Failure(frozenset(failed), frozenset(range(1, of + 1)))


def test_instances_that_failed_together_do_not_protect_each_other_and_all_serve_one() -> None:
    """In the ring 3 protects 4; all have to move a little, so that nobody serves two."""
    found = recommend([1, 2, 3, 4], 1, [pair(3, 4)])

    assert ring([1, 2, 3, 4])[4] == (3,)
    assert found[4] != (3,)
    assert found[3] != (4,)
    assert sorted(buddy for (buddy,) in found.values()) == [1, 2, 3, 4]


def test_failures_of_the_same_configuration_count_first() -> None:
    """3 and 2 failed twice in a cluster of four; of three it is 1 and 3 that did."""
    failures = [pair(2, 3), pair(2, 3), pair(1, 3, of=3)]

    assert recommend([1, 2, 3], 1, failures)[3] == (2,)
    assert recommend([1, 2, 3, 4], 1, failures)[3] != (2,)
    # what is equal in this configuration is decided by the others
    assert recommend([1, 2, 3], 1, failures[:2])[3] == (1,)


@given(
    st.sets(st.integers(1, 8), min_size=2),
    st.lists(st.frozensets(st.integers(1, 8), min_size=2, max_size=3), max_size=5),
)
def test_no_buddy_is_worse_than_another_that_is_free(
    cluster: set[int], failed: list[frozenset[int]]
) -> None:
    failures = [Failure(each) for each in failed]
    found = recommend(cluster, 1, failures)
    for protected, (buddy,) in found.items():
        counts = {
            other: sum({protected, other} <= each for each in failed)
            for other in cluster - {protected}
        }
        assert counts[buddy] == min(counts.values())


# the command


@pytest.fixture
def log(tmp_path: Path) -> str:
    file = tmp_path / "alert_one.log"
    file.write_text(LOG, encoding="utf-8")
    return str(file)


def plan(capsys: pytest.CaptureFixture[str], *args: str) -> Any:
    assert 0 == run(["recovery", "buddies", *args, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def test_the_document_has_the_map_its_load_and_the_failures(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = plan(capsys, log)

    assert found["members"] == [1, 2, 3, 4]
    assert found["pairs"] == [{"instances": [3, 4], "failed_together": 1}]
    assert all(each["failed_together"] == 0 for row in found["map"] for each in row["buddies"])
    assert [len(each["serves"]) for each in found["load"]] == [1, 1, 1, 1]
    assert [each["failed"] for each in found["failures"]] == [[3, 4], [3]]
    assert found["failures"][0]["lines"] == [{"source": log, "line": 9}]
    assert found["configurations"] == [[1, 2, 3, 4], [1, 2], [1, 2, 3]]


def test_the_page_names_the_pair_and_says_what_the_map_is_for(
    log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(["recovery", "buddies", log])
    text = " ".join(capsys.readouterr().out.split())

    assert "Instances 3, 4 failed together once in this configuration" in text
    assert "No supported parameter changes it" in text
    assert 0 == run(["recovery", "buddies", log, "--members", "1,2,3", "--format", "markdown"])
    assert "| 3 | 2 | 0 | 0 | 2 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "list no cluster of several instances"),
        (("--members", "1,x"), "is not a list of instances"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    args: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == run(["recovery", "buddies", str(FOLDER / "10g.log"), *args])
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_a_simulation_takes_reconfiguration_and_failures_from_the_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "alert.log"
    step = "2024-02-01T09:00:00.400000+00:00\n Post SMON to start 1st pass IR\n"
    end = "Reconfiguration complete"
    first, second, *rest = LOG.split(end)
    file.write_text(end.join([first, second + step, *rest]), encoding="utf-8")
    args = ["recovery", "simulate", "--preset", "oltp", "--minutes", "1", "--instances", "4",
            "--alert-log", str(file), "--format", "json"]  # fmt: skip
    assert 0 == run(args)
    found = json.loads(capsys.readouterr().out)

    # 0.4 s until the step, of 0.5 s in all; 3 and 4 failed together
    assert found["recoveries"][0]["reconfiguration_s"] == 0.4
    assert found["recoveries"][0]["rebuild_s"] == pytest.approx(0.1)
    assert found["buddy_maps"][0]["buddies"]["4"] != [3]
