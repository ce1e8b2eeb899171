"""A standby is an archive destination that sends to a service and is not switched off."""

from __future__ import annotations

import pytest
import samples
from corpus import CORPUS, analysis_of
from figures import facts, parameters

from awrlens import api
from awrlens.model import Fact
from awrlens.redact.names import Names
from awrlens.redact.rewrite import redact

SERVICE = "log_archive_dest_2 | SERVICE=pearl2 ASYNC"


def standby(*rows: str) -> Fact:
    return facts(parameters("db_block_size | 8192", *rows))["integrity.standby"]


@pytest.mark.parametrize("value", ["SERVICE=pearl2 LGWR SYNC", "service = pearl2", '"SERVICE=b"'])
def test_a_destination_with_a_service_is_a_standby(value: str) -> None:
    found = standby("log_archive_dest_1 | LOCATION=/arch", f"log_archive_dest_3 | {value}")

    assert (found.value, found.status) == ("log_archive_dest_3", "measured")
    assert found.evidence[0].row == "log_archive_dest_3"


def test_an_enabled_destination_is_a_standby() -> None:
    assert standby(SERVICE, "log_archive_dest_state_2 | enable").value == "log_archive_dest_2"


@pytest.mark.parametrize("state", ["DEFER", "defer", "RESET", "ALTERNATE"])
def test_a_destination_that_is_switched_off_is_none(state: str) -> None:
    found = standby(SERVICE, f"log_archive_dest_state_2 | {state}")

    assert found.value == "none"
    assert found.note == f"log_archive_dest_2 sends to a service and is set to {state.upper()}"
    assert [item.row for item in found.evidence] == [
        "log_archive_dest_2", "log_archive_dest_state_2",
    ]  # fmt: skip


def test_the_state_of_another_destination_switches_nothing_off() -> None:
    rows = (SERVICE, "log_archive_dest_state_12 | DEFER", "log_archive_dest_state_1 | DEFER")

    assert standby(*rows).value == "log_archive_dest_2"


def test_where_gaps_would_be_fetched_from_alone_is_no_standby() -> None:
    found = standby("fal_server | pearl2")

    assert found.value == "none"
    assert "fal_server alone does not mean a standby" in found.note
    assert standby("fal_server | pearl2", SERVICE).value == "log_archive_dest_2"


def test_a_folder_called_service_is_a_place_of_its_own() -> None:
    assert standby("log_archive_dest_1 | LOCATION=/u01/service/arch").value == "none"


@pytest.mark.parametrize("state", ["ENABLE", "DEFER", "RESET"])
def test_redaction_keeps_whether_a_destination_is_switched_on(state: str) -> None:
    text = samples.path("redo-disk.statspack-11.2.txt").read_text(encoding="utf-8")
    line = next(each for each in text.split("\n") if each.startswith("db_block_size"))
    rows = [
        f"{'log_archive_dest_2':<29} SERVICE=pearl2 ASYNC",
        f"{'log_archive_dest_state_2':<29} {state}",
    ]
    told = api.load(text.replace(line, "\n".join([line, *rows])).encode())
    clean = redact(told, Names(key=b"k" * 32))

    value = api.facts_of(clean)["integrity.standby"].value
    assert value == api.facts_of(told)["integrity.standby"].value
    assert value == ("log_archive_dest_2" if state == "ENABLE" else "none")


@pytest.mark.corpus
@pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus of real reports is not at ../shared/corpus"
)
@pytest.mark.parametrize(
    ("file", "value"),
    [
        ("awr-html_11.2.0.3.0-rac_03.html", "none"),
        ("awr-html_12.2.0.1.0-rac_01.html", "log_archive_dest_2"),
    ],
)
def test_real_reports_agree_with_those_read_by_hand(file: str, value: str) -> None:
    assert analysis_of(CORPUS / file).facts["integrity.standby"].value == value
