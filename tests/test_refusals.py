"""Every refusal that docs/limits.md lists is made by the call beside it."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest
import samples
from serving import REPORT, serving

from awrlens.cli import run

PAGE = (Path(__file__).parent.parent / "docs" / "limits.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| (\d+) \| (.+) \|$", PAGE, re.M)
CALLS = [each for each in ROWS if not each[0].startswith("POST")]
REQUESTS = [each for each in ROWS if each[0].startswith("POST")]
FINE = samples.path("temp-sort-accelerator.awr-11.2.txt")


def entry(**days: object) -> str:
    """A baseline with an entry."""
    fields = {"fingerprint": "a" * 32, "reason": "x", "added": "2026-01-01", **days}
    return json.dumps({"version": 1, "entries": [fields]})


def damaged() -> dict[str, bytes]:
    """Texts and files that cannot be read, by their names in the table."""
    text = FINE.read_text(encoding="utf-8")
    other = samples.path("redo-disk.awr-11.2.txt").read_text(encoding="utf-8")
    profiles = [t[t.index("Load Profile ") : t.index("Instance Effic")] for t in (text, other)]
    pages = [re.findall(r"^\f?(?:Fore|Back)ground Wait Ev[^\f]*", t, re.M) for t in (text, other)]
    texts = {
        "cut": re.sub(r"(?m)^(.{70}).*", r"\1", text),
        "unruled": re.sub(r"(?m)^[ ~-]*---[ ~-]*\n", "", text),
        "collapsed": re.sub(r"(?m)(?<=\S) {2,}", " ", text),
        "margin": re.sub(r"(?m)^ +", "", text),
        "dense": re.sub(r"\n\s*\n", "\n", text),
        "wrapped": re.sub(r"([^\n]{79})(?=[^\n])", r"\1\n", text),
        "twice": "\n".join(profiles),
        "header": re.sub(r"(?=\nLoad Profile )", "\n   Elapsed:   9.99 (mins)\n", text, count=1),
        "several": "\n".join((pages[0][0], pages[1][0], re.sub(r" *DB/Inst:.*", "", pages[1][-1]))),
        "german": re.sub(r"(?m)^(\f?)([A-Z].*DB/Inst|.+(?=\n *~~~))", r"\1Abschnitt \2", text),
        "ash": "ASH Report For DB/inst\n",
        "empty": "",
    }
    page = samples.path("redo-disk.awr-11.2.html").read_text(encoding="utf-8")
    foreign = re.sub(r"(<th[^>]*>)([^<]+)", r"\1Spalte \2", page)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    return {f"{name}.txt": each.encode() for name, each in texts.items()} | {
        "foreign.html": foreign.encode(), "binary.dat": bytes(range(256)) * 9,
        "odd.pdf": b"%PDF-1.7", "odd.docx": whole.getvalue(),
        "torn.gz": gzip.compress(text.encode())[:-9000],
        "torn.zip": whole.getvalue()[:-9], "empty.zip": b"PK\x05\x06" + bytes(18),
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the calls of the table read."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    shutil.copy(FINE, "in/fine.txt")
    shutil.copy(samples.path("redo-disk.awr-11.2.txt"), "other.txt")
    shutil.copy(samples.path("redo-disk.statspack-9.2.lst"), "part.txt")
    for name, text in {
        "log.txt": "nothing\n", "never.json": entry(expires=None), "odd.json": entry(expires=90),
        "late.json": entry(expires="9999-12-31"), "no.budgets": "# none\n",
        "never.budgets": 'budget TEAM001 redo.log_mb > 0 MB when report.db_name == "NONE"\n',
        "nobudget.toml": 'budgets = ["no.budgets"]\n', "nofail.toml": "[check]\nfail-on = []\n",
        "never.toml": 'budgets = ["never.budgets"]\n', "odd.rtf": "{\\rtf1 }",
        "own.html": '<meta name="generator" content="awrlens 0.1">',
    }.items():  # fmt: skip
        Path(name).write_text(text, encoding="utf-8")
    for name, content in damaged().items():
        Path(name).write_bytes(content)
    with Path("large.txt").open("wb") as file:
        file.write(FINE.read_bytes() + b" " * 2**24)
        file.truncate(600 * 2**20)  # it takes no room on the disk
    Path("odd.zst").write_bytes(b"\x28\xb5\x2f\xfd\0\0")
    inner = FINE
    for number in range(4):
        outer = Path("deep.zip" if number == 3 else f"{number}.zip")
        with zipfile.ZipFile(outer, "w") as archive:
            archive.write(inner, "x")
        inner = outer


def stores() -> None:
    """A store that has lost a batch, and one without a readable manifest."""
    for name in ("lost", "damaged"):
        assert 0 == run(["ingest", "in/fine.txt", "--store", f"{name}.duckdb"])
    shutil.rmtree(next(Path("lost.parquet", "batches").iterdir()))
    Path("damaged.parquet", "manifest.json").write_text("{", encoding="utf-8")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("call", "status", "said"), CALLS)
def test_a_refusal_is_the_sentence_of_the_table(
    call: str, status: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "store" in call:
        pytest.importorskip("duckdb")
        stores()
    found = run(call.split())

    assert int(status) == found
    assert said in "".join(capsys.readouterr())


@pytest.mark.outside
def test_the_server_refuses_with_the_sentences_of_the_table(tmp_path: Path) -> None:
    with serving(tmp_path / "data", "--workers", "1") as server:
        server.upload(FINE, headers={"idempotency-key": "used"})
        for call, status, said in REQUESTS:
            _, address, *headers = call.split()
            found = server.client.post(
                address, content=REPORT.read_bytes(),
                headers=dict(each.split("=") for each in headers),
            )  # fmt: skip
            assert (int(status), said) == (found.status_code, found.json()["detail"]), call
