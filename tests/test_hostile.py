"""Inputs and outputs that an attacker makes end in a sentence, and cost nobody else anything."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import samples
from read_once import reading_once

from awrlens import api, cli
from awrlens.cli import intervals
from awrlens.errors import AwrlensError, InternalError
from awrlens.report.report import Report
from awrlens.source import files

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = samples.path("redo-disk.awr-11.2.txt")
LATER = samples.path("undo-disk.awr-11.2.txt")  # of the same database
PAGE = samples.path("redo-disk.awr-11.2.html")
OTHER = samples.path("redo-accelerator.statspack-9.2.lst")
RAC = samples.path("redo-cluster.awr-rac-11.2.txt")
COMPARED = samples.path("redo-compared.awr-diff-11.2.html")
LINES = b"\n" * 2**24
REPRODUCTIONS = Path(__file__).resolve().parent.parent.parent / "shared" / "repro"


def run(*args: object, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "awrlens", *map(str, args)],
        check=False, text=True, timeout=600, **({"capture_output": True} | more),
    )  # fmt: skip


def problems(data: bytes | Path) -> list[str]:
    found = api.load_all(data) if isinstance(data, Path) else api.load_all(data, "input")
    return [each.message for each in found if isinstance(each, AwrlensError)]


def sources(data: bytes) -> list[str]:
    found = api.load_all(data, "input")
    return [each.source for each in found if isinstance(each, Report)]


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


# hangs and memory; tests/test_growth.py has what grows


@pytest.mark.parametrize(
    "text",
    [
        " 1" * 44 + "STATSPACK report for\n",
        "1 1" * 30 + "WORKLOAD REPOSITORY report for\n",
        " \t1" * 29 + "x STATSPACK report for\n \t1 \t1\n",
    ],
)
def test_what_stands_before_a_first_line_is_read_at_once(text: str) -> None:
    begin = time.process_time()
    problems(text.encode())
    assert time.process_time() - begin < 20  # it was ages of the world


def test_comments_in_a_statement_are_redacted_at_once(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE.read_text().replace("<td", f"<td class='awrc'>{'/**/' * 40}1</td><td", 1))
    assert 0 == run("redact", page, "-o", tmp_path / "out").returncode


@pytest.mark.slow
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("before", [b"", TEXT.read_bytes()], ids=["lines", "report"])
def test_what_unpacks_to_much_more_than_reports_do_is_refused(
    pack: Callable[[bytes], bytes], before: bytes
) -> None:
    (said,) = problems(pack(before + LINES))
    assert said == "The archive unpacks to more data than reports contain."


@pytest.mark.parametrize("pack", [zipped, lambda members: gzip.compress(tarred(members))])
def test_what_is_unpacked_is_counted_over_all_members_and_levels(
    pack: Callable[[dict[str, bytes]], bytes],
) -> None:
    inner = zipped({f"{number}.txt": LINES[: 2**21] for number in range(3)})
    (said,) = [p for p in problems(pack({f"{n}.zip": inner for n in range(9)})) if "unpacks" in p]
    assert said == "The archive unpacks to more data than reports contain."


def test_a_level_too_deep_is_not_opened() -> None:
    data = zipped({"report.txt": TEXT.read_bytes()})
    for level in range(5):
        data = zipped({f"{level}.zip": data})
    assert [] == sources(data)
    assert problems(data)


def test_many_members_are_refused_before_they_are_opened() -> None:
    (said,) = problems(zipped({f"{number}": b"" for number in range(10_001)}))
    assert said == "The archive has more members than the limit of 10,000."


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no peak of memory here")
@pytest.mark.slow
def test_the_members_of_an_archive_are_never_held_together(tmp_path: Path) -> None:
    code = (
        "import re, sys; from awrlens import api\n"
        "for found in api.load_all(sys.argv[1]): pass\n"
        "print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1])"
    )
    peaks = []
    for members in (1, 10):
        archive = tmp_path / "reports.zip"
        noise = b"%PDF" + os.urandom(2**21).hex().encode()  # what packs badly
        archive.write_bytes(zipped({f"{number}.txt": noise for number in range(members)}))
        done = subprocess.run(
            [sys.executable, "-c", code, str(archive)], check=True, capture_output=True, text=True
        )
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.5 * peaks[0]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_devices_pipes_and_endless_files_are_refused(tmp_path: Path) -> None:
    link, pipe, sparse = tmp_path / "link", tmp_path / "pipe", tmp_path / "sparse"
    link.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    sparse.touch()
    os.truncate(sparse, 20 * 2**30)

    for path in (Path("/dev/zero"), link):
        assert problems(path) == ["This is a device, not a file."]
    assert problems(pipe) == ["This is a named pipe, not a file."]
    assert len(problems(sparse)) == 1


def test_a_cluster_of_too_many_instances_says_what_is_left_out() -> None:
    first = next(line for line in RAC.read_text().split("\n") if line.startswith("   1 aultdb1 "))
    more = "".join(f"\n{number:>4}{first[4:]}" for number in range(3, 131))
    report = api.load(RAC.read_bytes().replace(first.encode(), (first + more).encode(), 1))

    assert len(report.instances) == 100
    (said,) = [each.message for each in report.warnings if "more than a cluster" in each.message]
    assert "130 instances" in said
    assert "only the first 100 are read" in said


# what no input may be answered with: an internal error


def ended(*args: object) -> int:
    return cli.run([*map(str, args)])


def test_a_comparison_of_two_periods_is_checked_against_a_report() -> None:
    assert ended("check", COMPARED, "--against", TEXT) in (0, 1, 2)  # it may be of others


@pytest.mark.slow
@pytest.mark.parametrize("number", ["9" * 400, "9" * 5000, "1e308", "-" + "9" * 400, "1e-400"])
@pytest.mark.parametrize("path", [TEXT, PAGE, OTHER, COMPARED, RAC], ids=lambda path: path.name)
def test_numbers_beyond_any_type_are_no_numbers(path: Path, number: str, tmp_path: Path) -> None:
    text = path.read_text()
    for figure in ("405,691", "757,698", "7,872", "139.68", "1318446013", "1.5"):
        text = text.replace(figure, number)
    hostile = tmp_path / path.name
    hostile.write_text(text)
    with reading_once():
        for format_ in ("json", "text", "markdown"):
            assert ended("analyze", hostile, "-f", format_) in (0, 3)
        assert ended("check", hostile, "-o", f"sarif={tmp_path / 'out'}") in (0, 1, 3)
        assert ended("trend", hostile, PAGE) in (0, 2, 3)


def test_negative_figures_and_impossible_dates_are_compared(tmp_path: Path) -> None:
    hostile = tmp_path / "page.html"
    hostile.write_text(COMPARED.read_text().replace(">1", ">-1").replace(">2", ">-2"))
    assert ended("analyze", hostile) in (0, 3)
    hostile.write_text(RAC.read_text().replace("20-Aug-08", "2008-13-41"))
    assert ended("analyze", hostile) in (0, 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["hex", "base64", "zlib", "rot13", "bz2", "uu", "quopri", "idna", "undefined", "punycode",
     "utf-7", "unicode_escape", "raw_unicode_escape", "utf-16", "cp037", "mbcs", "x" * 300],
)  # fmt: skip
def test_a_declared_charset_that_is_none_of_texts_is_not_believed(name: str) -> None:
    data = PAGE.read_bytes().replace(b"<head>", f"<head><meta charset={name}>".encode(), 1)
    report = api.load(data.replace(b"aultlab1", b"ault\xe9 +2ADYAA- \\ud800"))

    assert api.analyze(report).facts["redo.write_ms"].value is not None
    json.dumps(api.analyze(report).to_dict(), ensure_ascii=False).encode()


def test_a_name_that_is_not_utf_8_costs_no_other_member_of_a_zip() -> None:
    data = zipped({"é.txt": TEXT.read_bytes(), "other.lst": OTHER.read_bytes()})
    found = list(api.load_all(data.replace("é".encode(), b"\xff\xfe"), "input"))

    assert len(found) == 2
    assert "input!other.lst" in [each.source for each in found if isinstance(each, Report)]


def test_a_member_that_stands_before_its_archive_is_one_error() -> None:
    data = bytearray(zipped({"a.txt": TEXT.read_bytes(), "b.lst": OTHER.read_bytes()}))
    struct.pack_into("<L", data, data.index(b"PK\x01\x02") + 42, 2**31)
    assert sources(bytes(data)) == ["input!b.lst"]
    assert len(problems(bytes(data))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"n\xff.txt", b"a" * 246 + b".txt", b"n\n::error::x.txt"])
def test_a_file_may_have_any_name(name: bytes, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/" + name
    with open(path, "wb") as file:  # noqa: PTH123 - a name of bytes
        file.write(TEXT.read_bytes())
    given = os.fsdecode(path)
    files = [f"{each}={tmp_path / each}" for each in ("sarif", "junit", "html", "gitlab", "json")]
    outputs = [part for each in (*files, "github") for part in ("-o", each)]
    assert run("check", given, *outputs, errors="replace").returncode in (0, 1)
    assert run("html", given, cwd=tmp_path, errors="replace").returncode in (0, 2)


def test_folders_of_any_depth_and_files_that_vanish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(1200):
        Path("d").mkdir()
        os.chdir("d")
    os.chdir(tmp_path)
    (tmp_path / "report.txt").write_bytes(TEXT.read_bytes())
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    try:
        assert 3 == ended("analyze", tmp_path)  # the link that leads nowhere is named
        assert 3 == ended("analyze", tmp_path / "gone.txt", TEXT)
    finally:  # what removes temporary folders later does not go so deep
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


# one report, or one process, loses itself only


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Some reports, of which awrlens fails on the second one."""
    right = api.analyze

    def wrong(report: Report, *args: Any) -> object:
        if "poison" in report.source:
            raise ZeroDivisionError("a mistake of ours")
        return right(report, *args)

    monkeypatch.setattr("awrlens.api.analyze", wrong)
    monkeypatch.setattr("awrlens.cli.batch.WORTH_BYTES", 0)
    poison = tmp_path / "poison.txt"
    poison.write_bytes(TEXT.read_bytes())
    return [str(OTHER), str(poison), str(TEXT), str(PAGE)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_mistake_of_awrlens_costs_one_report(
    poisoned: list[str], jobs: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert 4 == ended("analyze", *poisoned, "-f", "jsonl", "-j", jobs)
    out, err = capfd.readouterr()
    documents = [json.loads(line) for line in out.splitlines()]

    assert ["error" in each for each in documents] == [False, True, False, False]
    assert err.count("Please report it") == 1


def test_the_status_tells_a_mistake_of_awrlens_and_all_outputs_are_written(
    poisoned: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert 4 == ended("check", *poisoned, "-o", f"json={out}", "-j", "1")
    document = json.loads(out.read_text())

    assert document["exit_status"] == 4
    assert len(document["reports"]) == 3
    assert len(document["errors"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["json", "jsonl"])
def test_a_killed_process_costs_one_report(
    format_: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    right = api.analyze

    def wrong(report: Report, *args: Any) -> object:
        if "poison" in report.source:
            os.kill(os.getpid(), signal.SIGKILL)
        return right(report, *args)

    monkeypatch.setattr("awrlens.api.analyze", wrong)
    monkeypatch.setattr("awrlens.cli.batch.WORTH_BYTES", 0)
    poison = tmp_path / "poison.txt"
    poison.write_bytes(TEXT.read_bytes())
    given = [OTHER, TEXT, poison, PAGE, RAC, OTHER, TEXT]

    assert 3 == ended("analyze", *given, "-f", format_, "-j", 2)
    out, err = capfd.readouterr()
    found = json.loads(out) if format_ == "json" else [*map(json.loads, out.splitlines())]
    assert ["error" in each for each in found] == [path is poison for path in given]
    assert "The process that read it was killed" in err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_one_that_began_it(number: int, tmp_path: Path) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("no list of processes here")
    for each in range(40):
        (tmp_path / f"{each}.txt").write_bytes(TEXT.read_bytes() + b"\n" * 2**19)
    with subprocess.Popen(
        [sys.executable, "-m", "awrlens", "analyze", str(tmp_path), "-j", "2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as parent:  # fmt: skip
        children: list[str] = []
        listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        while len(children) < 2 and parent.poll() is None:
            children = listed.read_text().split()
            time.sleep(0.05)
        assert parent.poll() is None
        parent.send_signal(number)
        assert parent.wait() == -number
    end = time.monotonic() + 60
    while any(map(_lives, children)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(_lives, children))


def _lives(process: str) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# writing


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("format_", ["json", "text", "jsonl"])
def test_a_full_standard_output_is_told(unbuffered: str, format_: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = run(
            "analyze", TEXT, "-f", format_, capture_output=False, stdout=full,
            stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert done.returncode == 2
    assert "Cannot write to standard output: no space left on device" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_disk_that_fills_up_is_told(unbuffered: str, tmp_path: Path) -> None:
    before = tmp_path / "table.csv"
    before.write_text("as it was\n")
    limited = "ulimit -f 1; trap '' XFSZ; exec \"$@\""
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered, "PYTHONDONTWRITEBYTECODE": "1"}
    awrlens = [sys.executable, "-m", "awrlens"]
    with (tmp_path / "out.json").open("w") as out:
        done = subprocess.run(
            ["bash", "-c", limited, "-", *awrlens, "analyze", str(TEXT), "-f", "json"],
            check=False, stdout=out, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip
    assert (done.returncode, "The output is incomplete" in done.stderr) == (2, True)
    done = subprocess.run(
        ["bash", "-c", limited, "-", *awrlens, "tables", str(TEXT), "instance_activity",
         "--format", "csv", "-o", str(before)],
        check=False, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    assert done.returncode == 2
    assert before.read_text() == "as it was\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out.json", "table.csv"]


def test_a_link_stays_one_and_a_mode_and_a_pipe_as_they_were(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    files.write(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        files.write(str(pipe), "through")
        assert reader.communicate()[0] == "through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no such device here")
def test_a_device_is_written_to_and_stays_one() -> None:
    files.write("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)  # noqa: PTH116 - a device


def test_a_file_that_may_not_be_written_is_as_it_was(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("everything may be written by root")
    target = tmp_path / "target"
    target.write_text("old")
    target.chmod(0o400)
    with pytest.raises(PermissionError):
        files.write(str(target), "new")
    assert target.read_text() == "old"


def test_a_temporary_name_that_somebody_made_before_is_not_followed(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_text("mine")
    for name in (".o.html.part", "o.html.part", ".awrlens-o.html.part"):
        (tmp_path / name).symlink_to(mine)
    assert ended("check", TEXT, "-o", f"html={tmp_path / 'o.html'}") in (0, 1)
    assert mine.read_text() == "mine"
    assert not (tmp_path / "o.html").is_symlink()


def test_what_fails_while_it_is_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def fails(part: str, _: str) -> None:
        names.append(part)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fails)
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            files.write(str(tmp_path / "out"), "new")
    assert [] == list(tmp_path.iterdir())
    assert len(set(names)) == 2  # nobody can tell the next name from the last


def test_an_internal_error_has_its_status() -> None:
    assert InternalError("").exit_code == 4


@pytest.mark.parametrize("command", ["compare", "check", "trend"])
def test_an_error_on_one_report_of_a_folder_does_not_end_the_others(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("good", "bad"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.txt").write_bytes(Path(TEXT).read_bytes())
    (tmp_path / "bad" / "earlier.txt").write_bytes(Path(TEXT).read_bytes())

    def breaking(whole: Callable[..., object]) -> Callable[..., object]:
        def broken(report: Report, *more: Any) -> object:
            if report.source.endswith("bad.txt"):
                raise ZeroDivisionError("a bug")
            return whole(report, *more)

        return broken

    monkeypatch.setattr(api, "analyze", breaking(api.analyze))
    monkeypatch.setattr(intervals, "analyze", breaking(api.analyze))
    calls = {
        "compare": ["compare", str(tmp_path / "bad"), str(tmp_path / "good")],
        "check": ["check", str(LATER), "--against", str(tmp_path / "bad")],
        "trend": ["trend", str(tmp_path)],
    }
    status = cli.run(calls[command])
    out, err = capsys.readouterr()
    assert "bad.txt: internal error (ZeroDivisionError" in err
    assert len(out.splitlines()) > 3
    # DB time is twice that of the other report, which `check` compares with
    assert status == (1 if command == "check" else 4)


# the reproductions of the audit, where they are


@pytest.mark.outside
@pytest.mark.skipif(not REPRODUCTIONS.is_dir(), reason="needs the folder of reproductions")
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("command", ["analyze", "redact"])
def test_every_reproduction_ends_in_time(command: str, part: int, tmp_path: Path) -> None:
    more = ["-f", "json"] if command == "analyze" else ["-o", tmp_path / "out"]
    ends = {
        path.name: run(command, path, *more).returncode
        for path in sorted(filter(Path.is_file, REPRODUCTIONS.iterdir()))[part::4]
    }
    assert {name: status for name, status in ends.items() if status not in (0, 2, 3)} == {}


@pytest.mark.parametrize("name", ["redo-disk.awr-19c.html", "redo-cluster.awr-rac-11.2.html"])
def test_no_table_without_rows_ends_an_analysis(name: str) -> None:
    page = samples.path(name).read_text(encoding="utf-8")
    tables = list(re.finditer(r"<table.*?</table>", page, re.S))
    assert len(tables) > 10
    for table in tables:
        heading, *_ = re.split(r"(?<=</tr>)", table[0], maxsplit=1)
        text = f"{page[: table.start()]}{heading}</table>{page[table.end() :]}"
        try:
            assert api.analyze(api.load(text.encode(), name)).headline
        except AwrlensError as problem:  # a sentence, such as of a header that is lost
            assert not isinstance(problem, InternalError)
