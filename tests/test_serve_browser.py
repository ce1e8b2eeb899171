"""The pages of `awrlens serve` in a browser: drop, watch, read, share, delete, compare, redact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import browser
import pytest
import samples
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FilePayload, Page, expect
from serving import REPORT, TEXT, Server, serving, token

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve") / "data") as found:
        yield found


@contextmanager
def visiting(server: Server, path: str = "/", width: int = 1440) -> Iterator[browser.Opened]:
    """A page of the site in a new window; it may load only what the server has."""
    with browser.visited(server.url + path, width) as found:
        yield found
        assert [] == [each for each in found.requests if not allowed(server, each)]
        assert [] == found.complaints


def allowed(server: Server, address: str) -> bool:
    return address.startswith((server.url, "data:", "blob:"))


def violations(page: Page) -> list[str]:
    found: dict[str, Any] = Axe().run(page).response
    return [each["id"] for each in found["violations"]]


def upload(page: Page, *reports: Any) -> None:
    page.set_input_files("#file", list(reports))
    page.get_by_role("button", name="Analyze").click()
    if len(reports) == 1:
        expect(page.locator("h1.headline")).to_be_visible()
    else:
        links = page.get_by_role("link", name="Open the analysis")
        expect(links).to_have_count(len(reports))


@pytest.mark.parametrize("width", [360, 1440])
def test_reports_are_selected_watched_read_compared_and_deleted(server: Server, width: int) -> None:
    with visiting(server, width=width) as opened:
        page = opened.page
        assert [] == violations(page)
        page.get_by_role("button", name="Analyze").click()
        said = page.get_by_role("status")
        expect(said).to_have_text("Select a report, or paste its text.")
        chosen = [samples.path(f"redo-disk.awr-{of}.html") for of in ("11.2", "10.2")]
        page.set_input_files("#file", chosen)
        expect(said).to_have_text("2 files: redo-disk.awr-11.2.html, redo-disk.awr-10.2.html")
        upload(
            page, samples.path("redo-disk.awr-11.2.html"), samples.path("redo-disk.awr-10.2.html")
        )
        assert [] == violations(page)
        assert "AULTDB" not in page.content()  # names are replaced unless the user says otherwise
        assert ["warning"] * 2 == page.locator("#uploads .badge").all_text_contents()
        files = page.locator("#uploads b").all_inner_texts()
        assert ["redo-disk.awr-11.2.html", "redo-disk.awr-10.2.html"] == files
        page.get_by_role("link", name="Open the analysis").first.click()
        expect(page.locator("h1.headline")).to_be_visible()
        assert [] == violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
        page.get_by_role("link", name="Reports", exact=True).click()
        assert [] == violations(page)
        assert "`" not in page.inner_text("main")
        expect(page.get_by_text("redo-disk.awr-10.2.html (stored as report-")).to_be_visible()
        page.locator("input[name=report]").nth(0).check()
        page.get_by_role("button", name="Compare two").click()
        expect(page.get_by_role("status")).to_have_text(
            "Select two reports to compare; 1 selected."
        )
        page.locator("input[name=report]").nth(1).check()
        page.get_by_role("button", name="Trend").click()
        expect(page.get_by_text("Trend of")).to_be_visible()
        page.go_back()
        page.get_by_role("button", name="Compare two").click()
        expect(page.locator("h1.headline")).to_be_visible()
        page.goto(f"{server.url}/reports")
        page.get_by_role("link", name="Fleet").click()
        expect(page.get_by_role("heading", name="Databases, worst first")).to_be_visible()
        assert [] == violations(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")
        page.goto(f"{server.url}/reports")
        page.get_by_role("link", name="Share, delete").first.click()
        address = page.get_by_label("Permanent address").input_value()
        assert [] == violations(page)
        page.get_by_text("Delete this report").click()
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("was deleted")).to_be_visible()
    assert 410 == server.client.get(address).status_code


def test_a_report_is_dropped_and_its_names_stay_in_the_browser(server: Server) -> None:
    with visiting(server) as opened:
        page = opened.page
        data = page.evaluate_handle(
            "(text) => { const all = new DataTransfer();"
            " all.items.add(new File([text], 'PROD77.html')); return all; }",
            REPORT.read_text(encoding="utf-8"),
        )
        page.dispatch_event("#drop", "drop", {"dataTransfer": data})
        page.get_by_role("link", name="Share, delete").click()
        link = page.get_by_role("link", name="replaced names")
        expect(link).to_be_visible()
        with page.expect_download() as waiting:
            link.click()
        names = waiting.value.path().read_text(encoding="utf-8")

    assert '"original":"AULTDB"' in names
    kept = b"".join(file.read_bytes() for file in server.data.rglob("*") if file.is_file())
    assert b"PROD77" not in kept


def test_the_uploader_sees_the_own_names_in_the_analysis_when_asking_for_them(
    server: Server,
) -> None:
    with visiting(server) as opened:
        page = opened.page
        upload(page, REPORT)
        main, button = page.locator("main"), page.get_by_role("button", name="Show my names")
        said = main.inner_text()
        assert "AULTDB" not in said
        button.click()
        assert "AULTDB" in main.inner_text()
        assert REPORT.name in main.inner_text()
        assert [] == violations(page)
        button.click()
        assert said == main.inner_text()
        address = page.url
    with browser.visited(address, 1440) as opened:  # another browser does not know them
        expect(opened.page.locator("#own-names")).to_be_hidden()


def test_the_list_of_reports_shows_the_own_names_and_every_page_switches_to_dark(
    server: Server,
) -> None:
    with visiting(server) as opened:
        page = opened.page
        upload(page, REPORT)
        page.goto(f"{server.url}/reports")
        first = page.locator(".reports li").first
        assert "AULTDB" not in first.inner_text()
        page.get_by_role("button", name="Show my names").click()
        assert "AULTDB" in first.inner_text()
        assert [] == violations(page)
        page.get_by_role("button", name="Switch between dark and light").click()
        for path in ("/reports", "/", "/kept"):
            page.goto(server.url + path)
            assert "dark" == page.evaluate("document.documentElement.dataset.theme")
            assert [] == violations(page)


def test_a_file_that_is_no_report_says_what_it_is_and_is_not_critical(server: Server) -> None:
    with browser.visited(server.url, 1440) as opened:  # its answer is an error, as it should be
        page = opened.page
        file = FilePayload(
            name="ash 1.txt", mimeType="text/plain",
            buffer=b"ASH Report For ORCL/orcl\n\nDB Name  DB Id\n",
        )  # fmt: skip
        page.set_input_files("#file", [file])
        page.get_by_role("button", name="Analyze").click()
        card = page.locator("#uploads li.unknown")
        expect(card).to_contain_text("Not read: this is an ASH report;")
        expect(card).not_to_contain_text("redact=false")


def test_the_fleet_leads_to_the_reports_of_a_database(server: Server) -> None:
    with visiting(server) as opened:
        page = opened.page
        upload(page, REPORT)
        page.goto(f"{server.url}/fleet")
        rows = page.locator("[aria-label='Databases, worst first'] tbody tr")
        rows.first.get_by_role("link").click()
        expect(page.locator(".reports li").first).to_be_visible()
        assert "/reports?q=" in page.url


def test_a_shell_gives_the_pseudonyms_of_the_browser(server: Server) -> None:
    with visiting(server) as opened:
        page = opened.page
        header, key = page.locator("#own-key code").inner_text().strip("-H '").split(": ")
        upload(page, REPORT)
        of = "Object.keys(sessionStorage).find((each) => each.startsWith('awrlens-names'))"
        names = page.evaluate(f"sessionStorage.getItem({of})")
    sent = server.client.post(
        f"/api/reports?name={REPORT.name}", content=REPORT.read_bytes(), headers={header: key}
    ).json()

    assert sent["names"]
    assert json.loads(names) == sent["names"]


def test_text_is_pasted_with_the_keyboard_alone(server: Server) -> None:
    with visiting(server) as opened:
        page = opened.page
        page.get_by_text("Paste the text").focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.get_by_label("Text of a report").fill(TEXT.read_text(encoding="utf-8"))
        page.get_by_role("button", name="Analyze").focus()
        page.keyboard.press("Enter")

        expect(page.locator("h1.headline")).to_be_visible()


def test_markup_in_a_report_is_shown_as_text(server: Server) -> None:
    escaped = HOSTILE.replace("<", "&lt;").replace(">", "&gt;")
    hostile = REPORT.read_text(encoding="utf-8").replace("aultdb1", escaped)
    name = f"{HOSTILE}.lst"
    sent = server.upload(hostile.encode(), params={"name": name}).json()
    server.done(sent["id"])
    with visiting(server, f"/r/{sent['id']}") as opened:
        assert HOSTILE in opened.page.inner_text("body")
        for path in ("/reports", f"/r/{sent['id']}/manage", f"/trend?report={sent['id']}"):
            opened.page.goto(server.url + path)
            assert 0 == opened.page.locator("img").count()


def test_a_page_runs_no_script_but_ours(server: Server) -> None:
    sent = server.upload(REPORT).json()
    server.done(sent["id"])
    policy = server.client.get(f"/r/{sent['id']}").headers["content-security-policy"]
    with browser.visited(f"{server.url}/r/{sent['id']}") as opened:
        opened.page.evaluate(
            "() => { const own = document.createElement('script');"
            " own.textContent = 'window.ran = true'; document.body.append(own); }"
        )
        ran = opened.page.evaluate("() => window.ran === true")
        theme = opened.page.locator("#theme")
        theme.click()

        assert not ran
        assert opened.page.evaluate("() => document.documentElement.dataset.theme")
    scripts = next(each for each in policy.split(";") if "script-src" in each)
    assert "unsafe" not in scripts
    assert "sha256-" in scripts


def test_a_password_is_needed_on_the_page(server: Server) -> None:
    sent = server.upload(REPORT, headers={"x-report-password": "open sesame"}).json()
    with visiting(server, "/kept") as opened:
        page = opened.page
        opened.page.goto(f"{server.url}/r/{sent['id']}")
        opened.complaints.clear()  # chromium reports the status 403
        assert [] == violations(page)
        page.get_by_label("Password").fill("wrong one")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("Password").fill("open sesame")
        page.get_by_role("button", name="Open").click()
        expect(page.locator("h1.headline")).to_be_visible()
        opened.complaints.clear()


@pytest.mark.parametrize("width", [360, 1440])
def test_what_is_kept_is_made_from_the_settings(server: Server, width: int) -> None:
    with visiting(server, "/kept", width) as opened:
        assert [] == violations(opened.page)
        assert "30 days" in opened.page.inner_text("main")
        assert "SQLite" in opened.page.inner_text("main")
        assert opened.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")


def test_the_page_works_without_scripts(server: Server) -> None:
    with browser.visited(f"{server.url}/", javascript=False) as opened:
        page = opened.page
        page.set_input_files("#file", [REPORT])
        page.get_by_role("button", name="Analyze").click()
        expect(page.get_by_text("replaced names")).to_be_visible()
        page.get_by_role("link", name="Analysis 1").click()
        expect(page.locator("h1.headline")).to_be_visible()


def test_a_report_is_shared_with_someone_who_has_no_token(tmp_path: Path) -> None:
    data = tmp_path / "data"
    mine = token(data, "--project", "pay")
    with serving(data, "--workers", "1") as server:
        with visiting(server, "/login") as opened:
            page = opened.page
            page.get_by_label("Token").fill(mine)
            page.get_by_role("button", name="Log in").click()
            upload(page, REPORT)
            page.goto(f"{server.url}/reports")
            page.get_by_role("link", name="Share, delete").click()
            address = page.get_by_label("Permanent address").input_value()
            before = server.client.get(address).status_code
            page.get_by_label("Everyone with this address").check()
            page.get_by_role("button", name="Save").click()
            expect(page.get_by_label("Everyone with this address")).to_be_checked()
        with visiting(server, address.removeprefix(server.url)) as other:
            expect(other.page.locator("h1.headline")).to_be_visible()
            assert 0 == other.page.get_by_role("link", name="Reports", exact=True).count()

    assert 404 == before
