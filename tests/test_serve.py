"""`awrlens serve` without tokens: what curl and programs can rely on."""

from __future__ import annotations

import bz2
import gzip
import io
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import samples
import sqlserver_logs
from serving import REPORT, TEXT, Server, serving
from test_serve_faults import settled

pytestmark = pytest.mark.outside


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve") / "data", "--workers", "1") as found:
        yield found


def detail(response: object) -> str:
    return str(response.json()["detail"])  # type: ignore[attr-defined]


def test_an_upload_is_answered_with_its_address_and_then_its_analysis(server: Server) -> None:
    sent = server.upload(params={"name": "monday.html"})
    found = sent.json()
    result = server.done(found["id"])

    assert 201 == sent.status_code
    assert {"id", "url", "delete_key", "status", "redacted"} <= set(found)
    assert sent.headers["location"] == f"/api/reports/{found['id']}"
    assert 200 == result.status_code
    assert "awr-html" == result.json()["report"]["kind"]
    assert "monday.html" == result.json()["report"]["source"]


def test_the_format_is_that_of_the_suffix_or_of_accept(server: Server) -> None:
    id_ = server.upload().json()["id"]
    server.done(id_)
    of = {
        suffix: server.client.get(f"/api/reports/{id_}.{suffix}").text
        for suffix in ("json", "html", "md", "sarif")
    }
    accepted = server.client.get(f"/api/reports/{id_}", headers={"accept": "text/markdown"})

    assert of["json"].startswith("{")
    assert of["html"].startswith("<!DOCTYPE html>")
    assert of["md"].startswith("# ")
    assert '"2.1.0"' in of["sarif"]
    assert of["md"] == accepted.text
    assert 406 == server.client.get(
        f"/api/reports/{id_}", headers={"accept": "image/png"}
    ).status_code  # fmt: skip


def test_an_archive_is_one_upload_with_several_reports(server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(REPORT, "one.html")
        archive.write(TEXT, "two.lst")
        archive.writestr("notes.txt", "lunch at noon")
    id_ = server.upload(packed.getvalue(), params={"name": "week.zip"}).json()["id"]
    both = server.done(id_).json()
    second = server.client.get(f"/api/reports/{id_}", params={"report": 2}).json()
    status = server.client.get(f"/api/reports/{id_}/status").json()

    assert ["awr-html", "statspack-text"] == [each["report"]["kind"] for each in both]
    assert both[1] == second
    assert ["week.zip!one.html", "week.zip!two.lst"] == [e["source"] for e in status["reports"]]


@pytest.mark.parametrize(
    ("pack", "encoding"), [(gzip.compress, "gzip"), (lambda data: data, "identity")]
)
def test_content_encoding_is_removed(server: Server, pack: object, encoding: str) -> None:
    data = pack(TEXT.read_bytes())  # type: ignore[operator]
    id_ = server.upload(data, headers={"content-encoding": encoding}).json()["id"]

    assert TEXT.read_bytes() == server.client.get(f"/api/reports/{id_}/original").content


def test_an_unknown_or_broken_encoding_is_refused_with_the_reason(server: Server) -> None:
    unknown = server.upload(b"x", headers={"content-encoding": "br"})
    broken = server.upload(b"x" * 99, headers={"content-encoding": "gzip"})
    cut = server.upload(
        gzip.compress(TEXT.read_bytes())[:-20], headers={"content-encoding": "gzip"}
    )

    assert (415, 400, 400) == (unknown.status_code, broken.status_code, cut.status_code)
    assert "gzip" in unknown.headers["accept-encoding"]
    assert "truncated" in detail(cut)


def test_a_compressed_file_is_read_like_a_file(server: Server) -> None:
    id_ = server.upload(bz2.compress(TEXT.read_bytes())).json()["id"]

    assert "statspack-text" == server.done(id_).json()["report"]["kind"]


def test_an_upload_whose_line_breaks_curl_removed_is_refused_with_the_remedy(
    server: Server,
) -> None:
    for report in (REPORT, TEXT):
        data = report.read_bytes().replace(b"\r", b"").replace(b"\n", b"")
        found = server.upload(data, headers={"content-type": "application/x-www-form-urlencoded"})

        assert 400 == found.status_code
        assert "--data-binary" in detail(found)


def test_what_is_not_a_report_is_one_failed_upload(server: Server) -> None:
    id_ = server.upload(b"lunch at noon\n" * 9, params={"name": "notes.txt"}).json()["id"]
    found = server.done(id_)

    assert 422 == found.status_code
    assert "not" in detail(found)
    assert 200 == server.client.get("/health").status_code


def test_an_upload_that_is_too_large_is_refused_before_it_is_received(
    tmp_path: Path,
) -> None:
    with serving(tmp_path / "data", "--workers", "1", "--max-upload", "1") as server:
        large = b"x\n" * 2**20
        declared = server.upload(large)
        streamed = server.client.post("/api/reports", content=iter([large[:700_000]] * 3))
        packed = server.upload(gzip.compress(large), headers={"content-encoding": "gzip"})

        assert [413] * 3 == [each.status_code for each in (declared, streamed, packed)]
        assert [] == server.client.get("/api/reports").json()["reports"]


def check(server: Server, report: Path | bytes, **params: object) -> tuple[int, dict[str, object]]:
    data = report.read_bytes() if isinstance(report, Path) else report
    found = server.client.post("/api/check", content=data, params=params)  # type: ignore[arg-type]
    return found.status_code, found.json()


def test_the_status_of_a_check_is_for_a_shell(server: Server) -> None:
    passed, good = check(server, REPORT, fail_on="critical")
    failed, bad = check(server, REPORT, fail_on="warning")
    other, why = check(server, b"lunch at noon\n" * 9, fail_on="critical")
    unknown, hint = check(server, REPORT, fail_on="REDO9")

    assert (200, 422, 415, 400) == (passed, failed, other, unknown)
    assert 0 == good["exit_status"]
    assert 1 == bad["exit_status"]
    assert "not" in str(why["detail"])
    assert "REDO9" in str(hint["detail"])


def test_a_check_returns_the_outputs_of_the_command(server: Server) -> None:
    _, found = check(server, REPORT, output="sarif,concise,text")
    outputs = found["outputs"]

    assert isinstance(outputs, dict)
    assert {"sarif", "concise", "text"} == set(outputs)
    done = subprocess.run(
        [sys.executable, "-m", "awrlens", "check", REPORT.name, "--output", "concise"],
        capture_output=True, check=False, text=True, cwd=REPORT.parent,
    )  # fmt: skip
    assert done.stdout.replace(REPORT.name, "report") == outputs["concise"]


def test_a_check_leaves_nothing_unless_it_is_accepted(server: Server) -> None:
    before = settled(server)
    check(server, REPORT, fail_on="critical")

    assert before == settled(server)


def test_the_baseline_of_a_project_is_its_last_accepted_run(server: Server) -> None:
    first, none = check(server, REPORT, fail_on="warning", project="pay", against="accepted")
    before = REPORT.read_bytes().replace(b"20-Aug-08", b"19-Aug-08")
    kept, _ = check(server, before, fail_on="critical", project="pay", accept=True)
    again, same = check(server, REPORT, fail_on="warning", project="pay", against="accepted")

    assert (422, 200, 200) == (first, kept, again)
    assert "no accepted run" in str(none["notes"])
    assert [] == same["notes"]
    assert same["reports"][0]["suppressed"]  # type: ignore[index]
    itself, why = check(server, before, fail_on="warning", project="pay", against="accepted")
    assert 422 == itself
    assert "no accepted run" in str(why["notes"])


def test_a_log_passes_its_check_and_does_not_replace_the_accepted_run(server: Server) -> None:
    log = (sqlserver_logs.banner() + sqlserver_logs.flush("2020-03-02 00:10:00.10")).encode()
    before = REPORT.read_bytes().replace(b"20-Aug-08", b"19-Aug-08")
    check(server, before, fail_on="critical", project="logs", accept=True)
    for redact in (True, False):
        status, found = check(
            server, log, fail_on="critical", project="logs", accept=True, redact=redact
        )
        assert (200, 0) == (status, found["exit_status"])
        assert "It is not the accepted run: it has no Oracle report" in str(found["notes"])
        assert "url" not in found
    sent = server.client.post(
        "/api/reports", content=log, params={"redact": False, "project": "logs"}
    ).json()
    server.done(sent["id"])
    refused = server.client.post(f"/api/reports/{sent['id']}/accept")
    _, same = check(server, REPORT, fail_on="warning", project="logs", against="accepted")

    assert (409, []) == (refused.status_code, same["notes"])


def test_an_accepted_run_of_another_database_is_not_compared(server: Server) -> None:
    check(server, REPORT, fail_on="critical", project="mixed", accept=True)
    other = samples.path("busy-commit.statspack-9.2.lst")
    status, found = check(server, other, project="mixed", against="accepted")

    assert status in (200, 422)
    assert "The accepted run" in str(found["notes"])


def test_uploads_are_compared_and_followed_over_time(server: Server) -> None:
    ids = [
        server.upload(samples.path(name)).json()["id"]
        for name in ("redo-disk.awr-11.2.html", "redo-accelerator.awr-11.2.html")
    ]
    for id_ in ids:
        server.done(id_)
    compared = server.client.get("/api/compare", params={"before": ids[0], "after": f"{ids[1]}:1"})
    trend = server.client.get("/api/trend", params={"report": ids})

    assert "comparison" == compared.json()["kind"]
    assert 2 == sum(len(each["windows"]) for each in trend.json()["series"])


def test_names_are_replaced_before_anything_is_stored(server: Server) -> None:
    key = "ab" * 32
    params, headers = {"redact": "true", "name": "PROD42.html"}, {"x-redact-key": key}
    first, second = (server.upload(params=params, headers=headers).json() for _ in range(2))
    server.done(first["id"])
    stored = server.client.get(f"/api/reports/{first['id']}/original").text
    pseudonyms = {original: pseudonym for pseudonym, original in first["names"]}

    assert "AULTDB" in REPORT.read_text(encoding="utf-8")
    assert "AULTDB" not in stored
    assert pseudonyms["AULTDB"].upper() in stored
    assert first["names"] == second["names"]  # one key, so reports of one database stay together
    files = [file for file in server.data.rglob("*") if file.is_file()]
    kept = b"".join(file.read_bytes() for file in files if file.suffix != ".lock")
    assert key.encode() not in kept
    assert bytes.fromhex(key) not in kept
    assert b"PROD42" not in kept


def test_what_cannot_be_redacted_is_not_stored(server: Server) -> None:
    before = settled(server)
    found = server.upload(b"host prod42 is down\n" * 9, params={"redact": "true"})

    assert 415 == found.status_code
    assert before == settled(server)


def test_a_deleted_upload_leaves_only_its_id(server: Server) -> None:
    sent = server.upload(TEXT, params={"name": "secret-name.lst"}).json()
    server.done(sent["id"])
    by_get = server.client.get(f"/api/reports/{sent['id']}/delete")
    done = server.client.delete(
        f"/api/reports/{sent['id']}", headers={"x-delete-key": sent["delete_key"]}
    )
    after = server.client.get(f"/api/reports/{sent['id']}")

    assert 404 == by_get.status_code
    assert 200 == done.status_code
    assert 410 == after.status_code
    assert "secret-name" not in str(server.client.get("/api/reports").json())


def test_a_report_that_two_uploads_have_is_kept_until_both_are_deleted(server: Server) -> None:
    data = TEXT.read_bytes() + b"\n"
    one, two = (server.upload(data).json()["id"] for _ in range(2))
    server.done(two)
    server.client.delete(f"/api/reports/{one}")

    assert data == server.client.get(f"/api/reports/{two}/original").content


def test_a_repeated_request_is_one_upload(server: Server) -> None:
    one, two = (server.upload(TEXT, headers={"idempotency-key": "job 17"}).json() for _ in range(2))

    assert one["id"] == two["id"]
    assert "" == two["delete_key"]


def test_the_history_is_searched_by_words(server: Server) -> None:
    id_ = server.upload(TEXT, params={"name": "friday 100%.lst"}).json()["id"]
    server.done(id_)

    def found(words: str) -> list[str]:
        rows = server.client.get("/api/reports", params={"q": words, "limit": 500}).json()
        return [each["id"] for each in rows["reports"]]

    assert [id_] == found("FRIDAY 100%")
    assert [] == found("friday nosuchword")
    assert [] == found("fri_ay")


def test_the_history_is_read_page_by_page_and_archives_are_not_split(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number in range(3):
            archive.write(TEXT, f"{number}.lst")
    with serving(tmp_path / "data", "--workers", "1") as server:
        ids = [server.upload(each).json()["id"] for each in (TEXT, packed.getvalue(), REPORT)]
        for id_ in ids:
            server.done(id_)
        first = server.client.get("/api/reports", params={"limit": 2}).json()["reports"]
        second = server.client.get(
            "/api/reports", params={"limit": 2, "before": first[-1]["created"]}
        ).json()["reports"]

    assert [ids[2], ids[1], ids[1], ids[1]] == [each["id"] for each in first]
    assert [ids[0]] == [each["id"] for each in second]


def test_the_configuration_of_the_server_has_its_budgets(tmp_path: Path) -> None:
    (tmp_path / "team.budgets").write_text(
        "budget redo.write_ms <= 0.001 ms\n  severity critical\n", encoding="utf-8"
    )
    config = tmp_path / "awrlens.toml"
    config.write_text('budgets = ["team.budgets"]\n', encoding="utf-8")
    with serving(tmp_path / "data", "--workers", "1", "--config", str(config)) as server:
        status, found = check(server, REPORT, fail_on="critical")

    assert 422 == status
    assert "redo.write_ms" in str(found["reports"])


@pytest.mark.parametrize(
    ("route", "params"),
    [("check", {"strictt": "true"}), ("check", {"failon": "info"}), ("check", {"fail_on": ","}),
     ("reports", {"redct": "true"}), ("reports", {"retention": "1"})],
)  # fmt: skip
def test_a_parameter_that_is_not_known_is_refused(
    server: Server, route: str, params: dict[str, str]
) -> None:
    before = settled(server)
    found = server.client.post(f"/api/{route}", content=REPORT.read_bytes(), params=params)

    assert 400 == found.status_code
    assert "names nothing" in detail(found) or next(iter(params)) in detail(found)
    assert before == settled(server)
    assert 400 == server.client.get("/api/reports", params={"limt": 3}).status_code


def test_a_share_with_a_misspelled_password_is_refused(server: Server) -> None:
    id_ = server.upload().json()["id"]
    found = server.client.post(
        f"/api/reports/{id_}/share", json={"shared": True, "pasword": "12345678"}
    )

    assert 400 == found.status_code


def test_a_password_has_eight_characters(server: Server) -> None:
    before = settled(server)
    short = server.upload(headers={"x-report-password": "1234567"})

    assert 400 == short.status_code
    assert "at least 8 characters" in detail(short)
    assert before == settled(server)
    id_ = server.upload(headers={"x-report-password": "12345678"}).json()["id"]
    again = {"shared": True, "password": "ab"}
    assert 400 == server.client.post(
        f"/api/reports/{id_}/share", json=again, headers={"x-report-password": "12345678"}
    ).status_code  # fmt: skip


def test_one_idempotency_key_is_one_upload(server: Server) -> None:
    headers = {"idempotency-key": "one"}
    first, same = (server.upload(TEXT, headers=headers) for _ in range(2))
    other = server.upload(REPORT, headers=headers)
    redacted = server.upload(TEXT, headers=headers, params={"redact": "true"})

    assert (201, 201, 422, 422) == tuple(
        each.status_code for each in (first, same, other, redacted)
    )
    assert first.json()["id"] == same.json()["id"]
    assert "Idempotency-Key" in detail(other)


def test_names_are_replaced_unless_the_request_keeps_them(tmp_path: Path) -> None:
    def kept(server: Server) -> bytes:
        return b"".join(each.read_bytes() for each in server.data.rglob("*") if each.is_file())

    with serving(tmp_path / "data", "--workers", "1") as server:
        data, named = REPORT.read_bytes(), {"name": "aultlab1-week.html"}
        sent = server.client.post("/api/reports", content=data, params=named).json()
        assert sent["redacted"]
        assert sent["names"]
        server.done(sent["id"])
        accepted = server.client.post(
            "/api/check", content=data, params={"accept": True, "fail_on": "critical", **named}
        ).json()
        assert accepted["redacted"]
        server.done(accepted["id"])
        assert not any(name in kept(server) for name in (b"AULTDB", b"aultdb1", b"aultlab1"))
        # the next run has its names, and is of the same database
        later = data.replace(b"20-Aug-08", b"21-Aug-08")
        new = server.client.post("/api/check", content=later, params={"against": "accepted"})
        assert 200 == new.status_code
        assert [] == new.json()["notes"]
        assert "AULTDB" == new.json()["reports"][0]["report"]["db_name"]
        assert not server.upload().json()["redacted"]
        assert b"AULTDB" in kept(server)


def test_after_a_deletion_no_file_has_its_names(tmp_path: Path) -> None:
    names = (b"AULTDB", b"aultdb1", b"secret-name")
    with serving(tmp_path / "data", "--workers", "1") as server:
        uploads = [
            server.upload(REPORT.read_bytes() + b" " * number, params={"name": "secret-name.html"})
            for number in range(20)
        ]
        for each in uploads:
            server.done(each.json()["id"])
        files = [each for each in server.data.rglob("*") if each.is_file()]
        assert all(any(name in file.read_bytes() for file in files) for name in names)
        for each in uploads:
            assert 200 == server.client.delete(f"/api/reports/{each.json()['id']}").status_code
        left = {
            str(file.relative_to(server.data)): name
            for file in server.data.rglob("*") if file.is_file()
            for name in names if name in file.read_bytes()
        }  # fmt: skip
        assert {} == left
