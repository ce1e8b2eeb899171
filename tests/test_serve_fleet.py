"""The fleet page of `awrlens serve`: all databases of the stored reports, the worst first."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fleet_of
import pytest
from serving import PATIENCE, REPORT, Server, serving, token

from awrlens.fleet import overview as fleet_of_store
from awrlens.fleet.folder import FACT_NAMES, column

pytestmark = pytest.mark.outside

#: A database with slow commits and a calm one, over three days each.
DAYS = range(3)


def upload(server: Server, text: str, **more: Any) -> str:
    sent = server.upload(text.encode(), **more)
    assert 201 == sent.status_code, sent.text
    id_ = str(sent.json()["id"])
    server.done(id_, headers=more.get("headers"))
    return id_


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve") / "data", "--workers", "1") as found:
        for day in DAYS:
            upload(found, fleet_of.report("CALM", day))
            upload(found, fleet_of.report("SLOW", day, slow=True))
        yield found


def fleet(server: Server, **more: Any) -> dict[str, Any]:
    found = server.client.get("/api/fleet", **more)
    assert 200 == found.status_code, found.text
    document: dict[str, Any] = found.json()
    return document


def names(document: dict[str, Any]) -> list[str]:
    return [each["who"]["db_name"] for each in document["members"]]


def test_the_worst_database_comes_first_with_the_state_of_its_alerts(server: Server) -> None:
    found = fleet(server)
    slow = found["members"][0]

    assert ["SLOW", "CALM"] == names(found)
    assert len(DAYS) == slow["intervals"]
    assert "lasting" in {each["state"] for each in slow["alerts"]}
    assert 2 * len(DAYS) == found["reports"]


def test_the_fleet_of_the_site_is_that_of_a_store(server: Server, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    for day in DAYS:
        (folder / f"calm{day}.lst").write_text(fleet_of.report("CALM", day), encoding="utf-8")
        text = fleet_of.report("SLOW", day, slow=True)
        (folder / f"slow{day}.lst").write_text(text, encoding="utf-8")
    store = tmp_path / "fleet.duckdb"
    fleet_of.done("ingest", folder, "--store", store)
    stored = json.loads(fleet_of.done("fleet", "--store", store, "--format", "json"))
    found = fleet(server)

    assert stored["members"] == found["members"]
    assert stored["gains"] == found["gains"]


def test_all_facts_that_a_fleet_uses_are_kept() -> None:
    source = Path(fleet_of_store.__file__).read_text(encoding="utf-8")
    queries = set(re.findall(r"[a-z_0-9]+", source.partition("def fleet(")[2]))

    assert {name for name in FACT_NAMES if column(name) in queries} == set(fleet_of_store.FACTS)


def test_what_is_made_of_several_reports_is_made_once(server: Server) -> None:
    """Until a report comes or goes, pages come from memory: within 200 ms."""
    ids = [each["id"] for each in server.client.get("/api/reports").json()["reports"]]
    of = [f"report={each}" for each in ids]
    for address in ("/fleet", f"/trend?{'&'.join(of)}", f"/compare?{'&'.join(of[:2])}"):
        first, seconds = server.client.get(address), []
        assert 200 == first.status_code, first.text
        for _ in range(5):
            begin = time.monotonic()
            assert first.text == server.client.get(address).text
            seconds.append(time.monotonic() - begin)
        assert min(seconds) < 0.2


def test_the_page_names_the_databases_and_the_capacity_is_distributed(server: Server) -> None:
    page = server.client.get("/fleet")
    markdown = server.client.get("/api/fleet", params={"capacity_gb": 1, "format": "md"})

    assert 200 == page.status_code
    assert page.text.index("SLOW") < page.text.index("CALM")
    assert "unsafe" not in page.headers["content-security-policy"].partition("style-src")[0]
    assert "With 1 GB" in markdown.text
    assert 406 == server.client.get("/api/fleet", params={"format": "sarif"}).status_code
    assert 200 == server.client.get("/ready").status_code


def test_an_interval_counts_once_and_a_deleted_report_no_longer(server: Server) -> None:
    before = fleet(server)
    one = upload(server, fleet_of.report("OTHER"))
    two = upload(server, fleet_of.report("OTHER"), params={"name": "again.lst"})
    both = fleet(server)
    server.client.delete(f"/api/reports/{one}")
    left = fleet(server)
    server.client.delete(f"/api/reports/{two}")

    assert before["reports"] + 1 == both["reports"] == left["reports"]
    assert before == fleet(server)


def test_what_could_not_be_read_and_what_has_a_password(server: Server) -> None:
    failed = upload(server, "lunch at noon\n" * 9, params={"name": "notes.txt"})
    locked = server.upload(
        fleet_of.report("LOCKED").encode(), headers={"x-report-password": "long enough"}
    ).json()["id"]
    server.done(locked, headers={"x-report-password": "long enough"})
    found = fleet(server)
    for each in (failed, locked):
        server.client.delete(f"/api/reports/{each}")

    assert ["notes.txt"] == [each["source"] for each in found["unreadable"]]
    assert "LOCKED" not in names(found)


def test_a_fleet_has_only_the_projects_of_its_token(tmp_path: Path) -> None:
    data = tmp_path / "data"

    def bearer(*options: str) -> dict[str, str]:
        return {"authorization": f"Bearer {token(data, *options)}"}

    pay, shop = bearer("--project", "pay"), bearer("--project", "shop")
    every = bearer("--project", "*", "--scope", "read")
    with serving(data, "--workers", "1") as server:
        assert 401 == server.client.get("/api/fleet").status_code
        assert "/login" == server.client.get("/fleet").headers["location"]
        assert "no interval" in server.client.get("/fleet", headers=pay).text
        upload(server, fleet_of.report("PAYDB"), headers=pay)
        upload(server, fleet_of.report("SHOPDB"), headers=shop)

        assert ["PAYDB"] == names(fleet(server, headers=pay))
        assert ["SHOPDB"] == names(fleet(server, headers=shop))
        assert "SHOPDB" not in server.client.get("/fleet", headers=pay).text
        assert ["PAYDB", "SHOPDB"] == sorted(names(fleet(server, headers=every)))
        assert ["PAYDB"] == names(fleet(server, headers=every, params={"project": "pay"}))
        for path in ("/api/fleet", "/fleet"):
            foreign = server.client.get(path, headers=pay, params={"project": "shop"})
            assert 403 == foreign.status_code
            assert "SHOPDB" not in foreign.text


def test_uploads_of_an_earlier_version_are_analyzed_again_for_the_fleet(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serving(data, "--workers", "1") as server:
        upload(server, fleet_of.report("OLDDB"))
    with sqlite3.connect(data / "awrlens.sqlite") as database:
        database.execute("DELETE FROM reported")
        database.execute("UPDATE upload SET edition = ''")
    database.close()
    with serving(data, "--workers", "1") as server:
        end = time.monotonic() + PATIENCE
        while not (found := names(fleet(server))) and time.monotonic() < end:
            time.sleep(0.1)

    assert ["OLDDB"] == found


def test_replaced_names_stay_replaced_in_the_fleet(server: Server) -> None:
    sent = server.upload(
        REPORT, params={"redact": "true"}, headers={"x-redact-key": "ab" * 32}
    ).json()
    server.done(sent["id"])
    found = fleet(server)
    server.client.delete(f"/api/reports/{sent['id']}")

    assert "AULTDB" in REPORT.read_text(encoding="utf-8")
    assert "AULTDB" not in str(found)
    assert 3 == len(found["members"])
