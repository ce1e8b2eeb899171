"""Hostile markup in every field of a report is text on every page of `awrlens serve`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import samples
from markdown_it import MarkdownIt  # rich brings it
from selectolax.lexbor import LexborHTMLParser
from serving import Server, serving

pytestmark = pytest.mark.outside

PAYLOAD = "<img src=x onerror=alert(1)>"
ESCAPED = PAYLOAD.replace("<", "&lt;").replace(">", "&gt;")
#: A cell of a table with a text; numbers and times stay, because the report must be read.
_CELL = re.compile(r"(<td[^>]*>)([^<>]*[A-Za-z][^<>]*)(</td>)")
_TIME = re.compile(r"\d\d-\w{3}-\d\d|^\s*[\d.,]+\s*\w?\s*$|\(mins\)")


def poisoned(name: str) -> bytes:
    """A report with the payload behind every text."""
    text = samples.path(name).read_text(encoding="utf-8")

    def mixed(found: re.Match[str]) -> str:
        said = found[2]
        return found[0] if _TIME.search(said) else f"{found[1]}{said} {ESCAPED}{found[3]}"

    return _CELL.sub(mixed, text).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve") / "data", "--workers", "1") as found:
        yield found


def test_markup_in_every_field_of_a_report_is_text_on_every_page(server: Server) -> None:
    ids = []
    for name in ("redo-disk.awr-11.2.html", "undo-disk.awr-19c.html"):
        report = poisoned(name)
        assert report.count(ESCAPED.encode()) > 100
        ids.append(server.upload(report, params={"name": f"{PAYLOAD}.html"}).json()["id"])
        assert 200 == server.done(ids[-1]).status_code
    one, two = ids
    paths = [
        "/", "/reports", "/fleet", f"/reports?q={PAYLOAD}", f"/r/{one}", f"/r/{one}.html",
        f"/r/{two}", f"/r/{one}/manage", f"/compare?report={one}&report={two}",
        f"/trend?report={one}&report={two}", f"/api/reports/{one}.html",
        "/api/fleet?format=html", f"/api/trend?report={one}&format=html",
        f"/api/compare?before={one}&after={two}&format=html",
    ]  # fmt: skip
    seen = 0
    for path in paths:
        page = server.client.get(path)
        assert 200 == page.status_code, path
        tree = LexborHTMLParser(page.text)
        body = tree.body
        assert body is not None
        assert [] == [each.html for each in tree.css("[onerror], img")], path
        # in a script, nothing can end it or begin markup
        for script in tree.css("script"):
            assert PAYLOAD not in (script.text() or ""), path
        seen += (body.text() or "").count(PAYLOAD) > 0

    assert seen > 5


def test_markup_in_every_field_stays_data_in_documents(server: Server) -> None:
    id_ = server.upload(poisoned("redo-disk.awr-11.2.html")).json()["id"]
    server.done(id_)
    for suffix, media in (("json", "application/json"), ("sarif", "application/sarif+json")):
        found = server.client.get(f"/api/reports/{id_}.{suffix}")

        assert found.headers["content-type"].startswith(media)
        assert "nosniff" == found.headers["x-content-type-options"]
    markdown = server.client.get(f"/api/reports/{id_}.md").text
    tokens = MarkdownIt("commonmark").enable(["table"]).parse(markdown)
    kinds = {part.type for each in tokens for part in (each, *(each.children or ()))}
    assert "onerror" in markdown
    assert not {"html_inline", "html_block", "image"} & kinds
