"""Every claim of the five documents, with the call that shows it (``tests/claims/seed-*.toml``).

A claim names its calls (``run``, or several ``[[claim.call]]``) and what their output must contain:

- ``text`` and ``absent``: fragments of the output (whitespace squeezed) that must and must not be
  there;
- ``values``: paths into the JSON output, with the numbers and texts expected. A path is keys and
  indexes with dots between them; keys may have dots themselves; ``name=value`` is the first item
  of a list whose ``name`` has this value; ``#`` is the length of a list. Numbers are compared with
  a relative tolerance of 0.5 %, or of ``within``. ``nulls`` are paths that must be null;
- ``printed``: paths whose value is, or contains, what a pattern finds in the report itself (tags
  and line ends are blanks): nothing of awrlens reads it;
- ``exit``: the exit status (0).

- ``[[claim.finding]]``: the ``id`` of a rule, the ``facts`` that the document gives, and what it
  says (``contains``): for rules that no sample has a finding of.
- ``behind``: what the claim is not shown without, where its calls do not say it: rules (ids),
  facts (names), ``section NAME`` and functions (``lab.judge:rate``, below ``awrlens``).
  ``tests/test_claims_disabled.py`` disables each and expects the claim to fail.

``upload FILE`` is a call of the web site: the file is sent to it, and its analysis is read there.
``{tmp}`` in a call is a folder with the claim's ``files``; ``{corpus}`` is the folder of real
reports (the claim is skipped without it). Where no call can show a claim, ``test`` names the tests
that do, and ``reason`` says why. Further tests of a claim are in ``test`` as well.
"""

from __future__ import annotations

import ast
import asyncio
import html
import json
import os
import re
import tempfile
import time
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

import called
import corpus
import pytest
from serving import PATIENCE
from test_rules import facts_of

from awrlens import rules
from awrlens.model import with_parts
from awrlens.policy import Policy

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent
#: The number of claims of every document.
ROWS: Final = {1: 42, 2: 33, 3: 60, 4: 18, 5: 19}
MARKS: Final = {"works", "differs", "partial"}
#: What a call says, and what is said of it.
CALL: Final = {"run", "exit", "text", "absent", "values", "printed", "nulls", "within", "input"}
KEYS: Final = {"id", "claim", "mark", "reason", "files", "call", "test", "finding", "behind"} | CALL
#: Tolerance of numbers.
WITHIN: Final = 0.005

Claim = dict[str, Any]


def _read(number: int) -> list[Claim]:
    path = HERE / "claims" / f"seed-{number}.toml"
    if not path.exists():
        return []
    found: list[Claim] = tomllib.loads(path.read_text(encoding="utf-8"))["claim"]
    return found


SEEDS: Final = {number: _read(number) for number in ROWS}
CLAIMS: Final = [claim for claims in SEEDS.values() for claim in claims]
_TMP: Final = tempfile.TemporaryDirectory(prefix="awrlens-claims-")


def calls(claim: Claim) -> list[Claim]:
    own = {key: claim[key] for key in CALL if key in claim}
    return [*([own] if own else []), *claim.get("call", [])]


def shown_by(claim: Claim) -> list[str]:
    named = claim.get("test", [])
    return [named] if isinstance(named, str) else list(named)


@cache
def ran(args: tuple[str, ...], given: str | None) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a call."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        if args[0] == "upload":
            return asyncio.run(uploaded(Path(args[1]).read_bytes()))
        return called.call(*args, given=given, COLUMNS="160", NO_COLOR="1")
    finally:
        os.chdir(before)


async def uploaded(report: bytes) -> tuple[int, str, str]:
    """The analysis of a report that is uploaded to the web site, as its page has it in JSON."""
    import httpx

    from awrlens.serve.app import application
    from awrlens.serve.settings import Settings

    with tempfile.TemporaryDirectory(dir=_TMP.name) as data:
        app = application(Settings(Path(data), workers=1))
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://127.0.0.1", timeout=PATIENCE
            ) as client,
        ):
            sent = await client.post("/api/reports", content=report)
            if sent.status_code != 201:
                return 1, sent.text, ""
            url = f"/api/reports/{sent.json()['id']}"
            found = await client.get(url, params={"wait": 5})
            end = time.monotonic() + PATIENCE
            while found.status_code == 202 and time.monotonic() < end:
                found = await client.get(url, params={"wait": 5})
            return int(found.status_code != 200), found.text, ""


@cache
def folder(files: tuple[tuple[str, str], ...]) -> Path:
    """A folder with these files; claims with the same files share it."""
    made = Path(tempfile.mkdtemp(dir=_TMP.name))
    for name, text in files:
        (made / name).write_text(text, encoding="utf-8")
    return made


def squeezed(text: str) -> str:
    return " ".join(text.split())


def at(data: Any, path: str) -> Any:
    """The value at a path of a JSON document; KeyError if there is none."""
    parts = path.split(".")
    while parts:
        if isinstance(data, dict):
            keys = (".".join(parts[:n]) for n in range(len(parts), 0, -1))
            key = next((key for key in keys if key in data), None)
            if key is None:
                raise KeyError(f"{path}: nothing at {'.'.join(parts)}")
            data = data[key]
            del parts[: key.count(".") + 1]
        elif isinstance(data, list):
            part = parts.pop(0)
            name, equals, value = part.partition("=")
            if part == "#":
                data = len(data)
            elif equals:
                found = [each for each in data if _is(each.get(name), value)]
                if not found:
                    raise KeyError(f"{path}: no item with {part}")
                data = found[0]
            else:
                data = data[int(part)]
        else:
            raise KeyError(f"{path}: {data!r} has no {'.'.join(parts)}")
    return data


def in_report(path: Path, pattern: str) -> str:
    """What the group of a pattern finds in the text of a report."""
    text = path.read_text(encoding="latin-1")
    found = re.search(pattern, squeezed(html.unescape(re.sub(r"<[^>]*>", " ", text))))
    assert found is not None, (path, pattern)
    return found[1]


def _is(found: Any, text: str) -> bool:
    """Whether a value is the one that a path names: 71 is 71.0."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        return f"{found:g}" == text
    return str(found) == text


def agrees(found: Any, expected: Any, within: float) -> bool:
    numbers = isinstance(expected, int | float) and not isinstance(expected, bool)
    if numbers and isinstance(found, int | float) and not isinstance(found, bool):
        return bool(found == pytest.approx(expected, rel=within, abs=1e-9))
    return type(found) is type(expected) and bool(found == expected)


def check(call: Claim, files: dict[str, str]) -> None:
    args = list(call["run"])
    if any("{corpus}" in arg for arg in args) and not corpus.CORPUS.exists():
        pytest.skip("the corpus is not here")
    tmp = str(folder(tuple(files.items()))) if files else "{tmp}"
    args = [arg.replace("{tmp}", tmp).replace("{corpus}", str(corpus.CORPUS)) for arg in args]
    code, out, err = ran(tuple(args), call.get("input"))
    assert call.get("exit", 0) == code, (args, err or out[-500:])
    printed = squeezed(f"{out}\n{err}")
    for fragment in call.get("text", []):
        assert squeezed(fragment) in printed, (args, fragment, printed[:3000])
    for fragment in call.get("absent", []):
        assert squeezed(fragment) not in printed, (args, fragment)
    if not {"values", "nulls", "printed"} & set(call):
        return
    data = json.loads(out)
    for path, pattern in call.get("printed", {}).items():
        found, expected = at(data, path), in_report(Path(args[1]), pattern)
        number = found if isinstance(found, str) else f"{found:,.10g}"
        assert expected in number.split(), (args, path, found, expected)
    for path, expected in call.get("values", {}).items():
        found = at(data, path)
        assert agrees(found, expected, call.get("within", WITHIN)), (args, path, found, expected)
    for path in call.get("nulls", []):
        assert at(data, path) is None, (args, path)


def check_all(claim: Claim) -> None:
    """All calls and findings of a claim."""
    for call in calls(claim):
        check(call, claim.get("files", {}))
    for said in claim.get("finding", []):
        found, _ = rules.run(facts_of(said["facts"]), Policy())
        titles = [f"{each.title} {each.why}" for each in with_parts(found) if each.id == said["id"]]
        assert any(said["contains"] in title for title in titles), (said["id"], titles)


def simulated(claim: Claim) -> bool:
    """Whether a call takes a second: a simulation, or the web site."""
    return any({"simulate", "upload"} & set(call["run"]) for call in calls(claim))


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(each, id=each["id"], marks=[pytest.mark.slow] if simulated(each) else [])
        for each in CLAIMS
    ],
)
def test_the_claim_holds(claim: Claim) -> None:
    check_all(claim)
    for named in shown_by(claim):
        path, _, name = named.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        names = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
        assert name in names, f"{named} does not exist"


def test_the_page_of_a_rule_alone_shows_no_claim() -> None:
    """Its text stays when the rule never fires."""
    for claim in CLAIMS:
        if all(call["run"][0] == "rule" for call in calls(claim)):
            assert claim.get("finding") or shown_by(claim), claim["id"]


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim["id"] for claim in CLAIMS])
def test_the_claim_is_shown_and_its_mark_explained(claim: Claim) -> None:
    assert claim["mark"] in MARKS
    assert claim["mark"] == "works" or claim.get("reason")
    assert not set(claim) - KEYS
    assert calls(claim) or (shown_by(claim) and claim.get("reason"))
    for call in calls(claim):
        assert not set(call) - CALL
        expects = {"text", "absent", "values", "printed", "nulls"} & set(call)
        assert expects or call.get("exit"), "a call that shows nothing"


@pytest.mark.parametrize("number", ROWS)
def test_every_row_of_a_document_is_there_once(number: int) -> None:
    assert [f"S{number}.{n}" for n in range(1, ROWS[number] + 1)] == [
        claim["id"] for claim in SEEDS[number]
    ]
