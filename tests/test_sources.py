"""A report is read whatever holds it, however it was saved."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import quopri
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from typing import TYPE_CHECKING

import pytest
import samples

from awrlens import api, cli
from awrlens.errors import AwrlensError, UnreadableError
from awrlens.source import limits
from awrlens.source.encodings import decode
from awrlens.source.limits import whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from awrlens.report.report import Report

TEXT = "redo-disk.awr-11.2.txt"
PAGE = "redo-disk.awr-11.2.html"
OTHER = "redo-accelerator.statspack-9.2.lst"


@cache
def data(name: str) -> bytes:
    return samples.path(name).read_bytes()


def facts(report: Report) -> dict[str, object]:
    return {name: fact.value for name, fact in api.facts_of(report).items()}


@cache
def expected(name: str) -> dict[str, object]:
    return facts(samples.report(name))


def reports(content: bytes) -> list[Report]:
    found = list(api.load_all(content, "input"))
    assert not [each for each in found if isinstance(each, AwrlensError)]
    return [each for each in found if not isinstance(each, AwrlensError)]


def tar(files: dict[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", [TEXT, PAGE])
def test_a_compressed_report_is_told_by_its_bytes(name: str, compress: object) -> None:
    (report,) = reports(compress(data(name)))  # type: ignore[operator]
    assert facts(report) == expected(name)


@pytest.mark.parametrize("pack", [zipped, tar, lambda files: gzip.compress(tar(files))])
def test_every_member_of_an_archive_is_a_report_of_its_own(pack: object) -> None:
    found = reports(pack({"b/second.txt": data(TEXT), "a/first.lst": data(OTHER)}))  # type: ignore[operator]
    assert [report.source for report in found] == ["input!a/first.lst", "input!b/second.txt"]
    assert [facts(report) for report in found] == [expected(OTHER), expected(TEXT)]


def test_a_member_that_is_no_report_does_not_stop_the_others(tmp_path: Path) -> None:
    archive = tmp_path / "reports.zip"
    archive.write_bytes(zipped({"README": b"Reports of last week\n", "one.txt": data(TEXT)}))
    done = run("analyze", str(archive), "--format", "jsonl")
    assert done.returncode == 0
    assert json.loads(done.stdout)["report"]["source"] == f"{archive}!one.txt"
    assert "Skipped 1 file (not a report)" in done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (gzip.compress(b"x" * 5000)[:20], "damaged"),
        (zipped({"a": data(TEXT)})[:-30], "damaged"),
        (zipped({"a": data(TEXT), "[Content_Types].xml": b"<x/>"}), "a Word or Excel document"),
        (zipped({"word/document.xml": b"<x/>", "[Content_Types].xml": b"<x/>"}), "a Word document"),
        (zipped({"mimetype": b"x", "content.xml": b"<x/>"}), "an OpenDocument file"),
        (b"%PDF-1.4\nWORKLOAD REPOSITORY report for\n", "a PDF"),
        (b"{\\rtf1\\ansi WORKLOAD REPOSITORY report for}", "an RTF document"),
        (b"\xff\xd8\xff\xe0", "an image"),
        (b"\xd0\xcf\x11\xe0 \0", "an Outlook message"),
        (zipped({}), "archive is empty"),
        (b"%PDF-1.7\n\0\0", "a PDF"),
        (b"7z\xbc\xaf\x27\x1c\0\0", "a 7-Zip archive"),
        (gzip.compress(b""), "file is empty"),
    ],
    ids=[
        "gzip",
        "zip",
        "document",
        "docx",
        "odt",
        "pdf of text",
        "rtf",
        "jpeg",
        "msg",
        "nothing in it",
        "pdf",
        "7z",
        "empty",
    ],
)
def test_what_cannot_be_unpacked_is_said_in_one_sentence(content: bytes, says: str) -> None:
    with pytest.raises(AwrlensError, match=says):
        api.load(content, "input")


def test_what_systems_pack_beside_a_report_is_passed_over() -> None:
    litter = {
        "__MACOSX/reports/._one.txt": b"\0\5\x16\7\0\2", "reports/.DS_Store": b"\0\0\0\1Bud1",
        "reports/Thumbs.db": b"\xd0\xcf\x11\xe0", "reports/one.txt": data(TEXT),
    }  # fmt: skip
    for pack in (zipped, tar):
        (report,) = reports(pack(litter))
        assert report.source == "input!reports/one.txt"


def test_documents_and_pictures_in_an_archive_do_not_stop_the_reports(tmp_path: Path) -> None:
    document = zipped({"word/document.xml": b"<x/>"})
    archive = tmp_path / "ticket.zip"
    files = {
        "a.docx": document,
        "b.png": b"\x89PNG\r\n\0",
        "c.txt": data(TEXT),
        "d.gz": b"\x1f\x8b",
    }
    archive.write_bytes(zipped({name: files[name] for name in ("a.docx", "b.png", "c.txt")}))
    done = run("analyze", str(archive), "--format", "jsonl")
    assert done.returncode == 0
    assert json.loads(done.stdout)["report"]["source"] == f"{archive}!c.txt"
    assert done.stderr.startswith("awrlens: Skipped 2 files (not reports): ")
    archive.write_bytes(zipped(files))
    done = run("analyze", str(archive), "--format", "jsonl")
    assert done.returncode == 3
    assert f"{archive}!d.gz: The compressed data is damaged" in done.stderr


def test_zeros_that_a_full_disk_left_in_a_report_do_no_harm() -> None:
    text = data(TEXT)
    at = text.index(b"\n\f")
    for zeros in (b"\0" * 4096 + text, text + b"\0" * 4096, text[:at] + b"\0" * 99 + text[at:]):
        (report,) = reports(zeros)
        assert facts(report) == expected(TEXT)


def test_a_closed_standard_input_is_said_in_one_sentence() -> None:
    command = f"{sys.executable} -m awrlens analyze - <&-"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)  # noqa: S602
    assert (done.returncode, done.stderr) == (
        3,
        "awrlens: Standard input is closed. Name a file.\n",
    )


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
@pytest.mark.parametrize("name", [TEXT, PAGE, OTHER])
def test_the_encoding_changes_nothing(name: str, encoding: str) -> None:
    (report,) = reports(data(name).decode().encode(encoding))
    assert facts(report) == expected(name)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1252", "relatório de São João, índice não usado"),
        ("cp1252", "Größe der Übersicht für Zürich"),
        ("cp1252", "données système à côté du résumé"),
        ("cp1250", "Łódź, książka żółć, wskaźnik węzła"),
        ("cp1251", "Отчёт по базе данных за прошлую неделю"),
        ("gbk", "数据库性能报告，北京节点"),
        ("shift_jis", "データベースの性能レポート、東京"),
    ],
)
def test_names_are_read_in_the_encoding_that_they_were_written_in(
    encoding: str, words: str
) -> None:
    text = data(TEXT).decode().replace("INSERT INTO", f"INSERT /* {words} */ INTO", 1)
    assert words in decode(text.encode(encoding), "input")
    assert facts(reports(text.encode(encoding))[0]) == expected(TEXT)


def test_a_declared_encoding_is_believed() -> None:
    page = b'<html><meta charset="windows-1251"><p>\xce\xf2\xf7\xb8\xf2</p></html>'
    assert "Отчёт" in decode(page, "input")


def test_several_reports_in_one_file_keep_their_lines() -> None:
    both = b"SQL> @spreport\n" + data(OTHER) + b"\nSQL> @awrrpt\n" + data(TEXT)
    first, second = reports(both)
    assert (first.source, second.source) == ("input#1", "input#2")
    assert (facts(first), facts(second)) == (expected(OTHER), expected(TEXT))
    lines = both.decode().split("\n")
    for report in (first, second):
        for fact in api.facts_of(report).values():
            for item in fact.evidence:
                assert item.line is not None
                assert item.text in lines[item.line - 1].expandtabs(8)


def test_pages_that_were_put_together_are_several_reports() -> None:
    assert [facts(report) for report in reports(data(PAGE) + b"\n" + data(PAGE))] == [
        expected(PAGE),
        expected(PAGE),
    ]


TEXT_2, PAGE_2 = "undo-disk.awr-11.2.txt", "undo-disk.awr-19c.html"


def of(name: str) -> str:
    return data(name).decode()


@pytest.mark.parametrize(
    ("joined", "names"),
    [
        (of(TEXT) + "SQL> " + of(TEXT_2).lstrip(), (TEXT, TEXT_2)),
        (of(TEXT) + "* " + of(TEXT_2).lstrip(), (TEXT, TEXT_2)),
        ("SQL> " + of(TEXT).lstrip() + of(TEXT_2), (TEXT, TEXT_2)),
        ((of(PAGE) + of(PAGE_2)).replace("\n", " "), (PAGE, PAGE_2)),
        (of(PAGE) + of(PAGE_2)[of(PAGE_2).index("<h1") :], (PAGE, PAGE_2)),
        (of(TEXT) + of(PAGE_2), (TEXT, PAGE_2)),
        (of(PAGE) + of(TEXT_2), (PAGE, TEXT_2)),
        (of(TEXT) + of(PAGE_2) + of(TEXT_2), (TEXT, PAGE_2, TEXT_2)),
    ],
    ids=["prompt", "mark", "prompts", "one line", "no html tag", "text and page", "page and text",
         "three"],
)  # fmt: skip
def test_no_report_of_a_file_lends_its_figures_to_another(
    joined: str, names: tuple[str, ...]
) -> None:
    found = reports(joined.encode())
    assert [report.source for report in found] == [f"input#{n + 1}" for n in range(len(names))]
    for report, name in zip(found, names, strict=True):
        assert facts(report) == expected(name)
        assert not report.breaks_off


@pytest.mark.parametrize("share", [0.2, 0.35, 0.5, 0.65, 0.8])
def test_a_page_that_breaks_off_in_a_table_ends_where_the_next_one_begins(share: float) -> None:
    page = of(PAGE)
    first, second = reports((page[: int(len(page) * share)] + of(PAGE_2)).encode())
    assert facts(second) == expected(PAGE_2)
    assert first.breaks_off
    mine = {name: value for name, value in facts(first).items() if value is not None}
    known = {name: expected(PAGE)[name] for name in mine}
    for name in ("redo.write_count", "redo.commits_per_s", "temp.reads"):
        assert mine.get(name) in (None, known.get(name))


def test_the_words_of_the_first_line_in_a_prompt_or_a_title_begin_no_report() -> None:
    echo = b"Using the report name awr.txt for WORKLOAD REPOSITORY report for 144-147\n"
    (report,) = reports(echo + data(TEXT) + b"\nSQL> -- WORKLOAD REPOSITORY report for x\n")
    assert facts(report) == expected(TEXT)
    assert report.source == "input"


def test_prompts_around_a_page_do_not_disturb() -> None:
    before = b"SQL> @awrrpt\nEnter value for report_type: html\n"
    (report,) = reports(before + data(PAGE) + b"\nSQL> exit\n")
    assert facts(report) == expected(PAGE)


def test_a_text_that_a_page_shows_is_read_with_its_lines() -> None:
    shown = data(TEXT).decode().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    head = "<html><head><title>wiki</title></head>\n<body><p>Our report:</p>\n"
    page = f"{head}<pre class='x'>{shown}</pre></body></html>"
    (report,) = reports(page.encode())
    assert facts(report) == expected(TEXT)
    fact = api.facts_of(report)["redo.space_requests"]
    assert fact.evidence[0].text in page.split("\n")[(fact.evidence[0].line or 0) - 1]


MAIL = b"From: dba@example.com\nSubject: AWR\nMIME-Version: 1.0\n"


def test_a_page_in_a_mail_is_read() -> None:
    head = b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    (report,) = reports(MAIL + head + b"\n" + quopri.encodestring(data(PAGE)))
    assert facts(report) == expected(PAGE)


def test_an_attachment_of_a_mail_is_read() -> None:
    mail = MAIL + b'Content-Type: multipart/mixed; boundary="B"\n\n'
    mail += b"--B\nContent-Type: text/plain\n\nHello\n"
    mail += b"--B\nContent-Type: application/octet-stream\n"
    mail += b'Content-Disposition: attachment; filename="r.lst"\n\n' + data(OTHER) + b"\n--B--\n"
    (report,) = reports(mail)
    assert facts(report) == expected(OTHER)
    assert report.source == "input!r.lst"


def test_a_report_in_a_forwarded_mail_is_read_without_what_was_written_above_it() -> None:
    inner = MAIL + b"Content-Type: text/plain\n\n" + data(OTHER)
    mail = MAIL + b'Content-Type: multipart/mixed; boundary="B"\n\n'
    mail += b"--B\nContent-Type: text/plain\n\nPlease have a look.\n"
    mail += b"--B\nContent-Type: message/rfc822\n\n" + inner + b"\n--B--\n"
    (report,) = reports(mail)
    assert facts(report) == expected(OTHER)


def test_a_mailbox_and_a_body_without_its_mail_are_read() -> None:
    head = b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    body = quopri.encodestring(data(PAGE))
    (text,) = reports(quopri.encodestring(data(TEXT)))
    assert facts(text) == expected(TEXT)
    for mail in (
        b"From a@example.com Mon Sep 17 00:00:00 2001\n" + MAIL + head + b"\n" + body,
        body,
    ):
        (report,) = reports(mail)
        assert facts(report) == expected(PAGE)


def test_lines_that_a_mail_program_wrapped_as_flowed_are_whole_again() -> None:
    head = b"Content-Type: text/plain; charset=utf-8; format=flowed\n\n"
    wrapped = []
    for line in data(TEXT).decode().split("\n"):
        rest = line.rstrip()
        while len(rest) > 72 and (at := rest.rfind(" ", 0, 72)) > 0:
            wrapped.append(rest[: at + 1])
            rest = rest[at + 1 :]
        wrapped.append(rest if not rest.startswith((" ", ">", "From ")) else f" {rest}")
    (report,) = reports(MAIL + head + "\n".join(wrapped).encode())
    assert facts(report) == expected(TEXT)


def run(*args: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "awrlens", *args], input=stdin and stdin.decode(),
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_folder_and_a_pattern_name_the_reports_in_them(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.txt").write_bytes(data(TEXT))
    (tmp_path / "two.lst").write_bytes(data(OTHER))
    (tmp_path / "notes.md").write_text("nothing here\n")
    folder = run("analyze", str(tmp_path), "--format", "json")
    assert folder.returncode == 0
    assert len(json.loads(folder.stdout)) == 2
    assert "Skipped 1 file (not a report)" in folder.stderr
    pattern = run("analyze", str(tmp_path / "**" / "*.txt"), "--format", "json")
    assert json.loads(pattern.stdout)["report"]["db_name"] == "AULTDB"


def test_a_folder_without_a_report_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing here\n")
    done = run("analyze", str(tmp_path))
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["text", "json", "jsonl", "markdown"])
def test_all_cores_give_what_one_gives_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], format_: str
) -> None:
    monkeypatch.setattr("awrlens.cli.batch.WORTH_BYTES", 0)
    files = [str(samples.path(name)) for name in (OTHER, TEXT, PAGE)]
    broken = tmp_path / "broken.txt"
    broken.write_text("no report\n")
    files.insert(1, str(broken))
    outputs = []
    for jobs in ("1", "2"):
        assert cli.run(["analyze", *files, "--format", format_, "--jobs", jobs]) == 3
        outputs.append(capfd.readouterr())
    assert outputs[0] == outputs[1]


def test_a_large_text_that_is_no_report_is_refused_without_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("awrlens.source.limits.LARGE", 1000)
    large = tmp_path / "large.log"
    large.write_text("a line of a log\n" * 1000)

    def decoded(*_: object) -> str:
        raise AssertionError("it was decoded")

    monkeypatch.setattr("awrlens.source.open.decode", decoded)
    with pytest.raises(UnreadableError, match="not a Statspack or AWR report"):
        api.load(large)


def test_no_document_that_awrlens_wrote_is_an_excerpt(tmp_path: Path) -> None:
    """Its names of events and rows of tables are those of a report."""
    own, report = tmp_path / "own", str(samples.path(TEXT))
    for form in ("json", "jsonl", "sarif"):
        cli.run(["check", report, "--output", f"{form}={own}"])
        with pytest.raises(AwrlensError, match="page of awrlens or a JSON document"):
            api.load(own)


def test_a_page_that_awrlens_wrote_is_told_by_its_name(tmp_path: Path) -> None:
    page = tmp_path / "ticket.html"
    cli.run(["analyze", str(samples.path(TEXT)), "--html", str(page)])
    with pytest.raises(AwrlensError, match="page of awrlens or a JSON document"):
        api.load(page)


def shown_in(line: str, blank: str) -> str:
    """The text as a page shows it: each line in some markup, blank ones in another."""
    text = data(TEXT).decode().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    lines = [each.replace(" ", "&nbsp;") for each in text.split("\n")]
    shown = "\n".join(line.format(each) if each else blank for each in lines)
    return f"<html><body>{shown}</body></html>"


PARAGRAPH = "<p class=MsoPlainText><span style='font-family:Courier'>{}<o:p></o:p></span></p>"


@pytest.mark.parametrize(
    "page",
    [
        shown_in("{}<br>", "<br>"),
        shown_in("<div>{}</div>", "<div><br></div>"),
        shown_in(PARAGRAPH, PARAGRAPH.format("&nbsp;")),
        shown_in("{}", "").replace("y>", "y><pre>", 1).replace("\f", "</pre>\n<pre>") + "</pre>",
    ],
    ids=["breaks", "blocks", "paragraphs", "a block of code for each page"],
)
def test_a_text_that_a_page_shows_line_by_line_is_read(page: str) -> None:
    (report,) = reports(page.encode())
    assert facts(report) == expected(TEXT)
    fact = api.facts_of(report)["redo.space_requests"]
    assert fact.evidence[0].text in page.split("\n")[(fact.evidence[0].line or 0) - 1]


@pytest.mark.parametrize("around", ["{}\nSQL> exit\n\nDisconnected", "{}&#10;<br>", "{}&#x0a;"])
def test_lines_below_such_a_page_and_references_to_line_ends_shift_no_line(around: str) -> None:
    page = around.format(shown_in("{}<br>", "<br>"))
    (report,) = reports(page.encode())
    assert facts(report) == expected(TEXT)
    fact = api.facts_of(report)["redo.space_requests"]
    assert fact.evidence[0].text in page.split("\n")[(fact.evidence[0].line or 0) - 1]


def test_line_breaks_in_a_statement_make_no_page_of_a_text() -> None:
    text = data(TEXT).decode() + "\n".join(["select '<p>a</p><p>b</p><br>' from dual"] * 20)
    (report,) = reports(text.encode())
    assert facts(report) == expected(TEXT)


def test_a_remark_in_a_block_of_its_own_does_not_hide_the_page_below_it() -> None:
    page = data(PAGE).replace(b"<body", b"<body><pre>Report of Monday</pre", 1)
    (report,) = reports(page)
    assert facts(report) == expected(PAGE)


def test_statements_that_end_their_lines_in_an_equal_sign_are_no_mail() -> None:
    statement = "".join(
        f"SELECT /* {number} */ {'x' * 50} WHERE COLUMN_ =\n:b{number}\n" for number in range(9)
    )
    text = data(OTHER).decode().replace("STATSPACK report for", f"{statement}STATSPACK report for")
    (report,) = reports(text.encode())
    assert facts(report) == expected(OTHER)
    assert "WHERE COLUMN_ =\n:b3" in report._text


@pytest.mark.parametrize(("first", "said"), [(data(TEXT), "larger than 512 MB"), (b"x", "not a S")])
def test_a_file_beyond_the_limit_is_refused_by_its_size(
    tmp_path: Path, first: bytes, said: str
) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(first + bytes(2**20).replace(b"\0", b" "))
    with path.open("rb+") as file:
        file.truncate(600 * 2**20)  # it takes no room on the disk
        with pytest.raises(AwrlensError, match=said):
            whole(file, "large.txt")
        assert file.tell() <= 2**24
    with pytest.raises(AwrlensError, match=said):
        api.load(path)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_beyond_the_limit_is_not_kept(
    compress: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("awrlens.source.limits.LARGE", 2**18)
    monkeypatch.setattr("awrlens.source.limits.MAX_BYTES", 2**20)
    kept: list[int] = []
    read = limits.Prefixed.read

    def noted(file: limits.Prefixed, size: int) -> bytes:
        kept.append(size)
        return read(file, size)

    monkeypatch.setattr(limits.Prefixed, "read", noted)
    text = data(TEXT)
    with pytest.raises(AwrlensError, match="larger than 1 MB"):
        api.load(compress(text + b" \n" * 2**20))
    assert sum(kept) <= 2**18 + 1
    assert api.load(compress(text + b" \n" * 2**18)).tables
