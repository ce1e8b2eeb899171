"""Every claim of ``tests/claims/`` fails without what is behind it: each is disabled in turn.

Behind a claim are the rules, facts, functions and sections of its ``behind``, and what its calls
name: facts among the paths of ``values`` and the arguments of ``facts``, rules of ``finding``,
``rule`` and ``--explain``, scripts of ``sql``, the section of ``tables``.
"""

from __future__ import annotations

import inspect
from functools import cached_property
from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final

import pytest
import test_claims
from test_claims import CLAIMS, Claim, calls, check_all, simulated

from awrlens import rules
from awrlens.advice.case import Advice
from awrlens.facts import registry
from awrlens.model import Fact
from awrlens.report.contents import Contents
from awrlens.scripts import Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The names of all facts.
NAMES: Final = frozenset(registry.units())
#: A script that a function writes.
WRITTEN: Final = {"target-recovery-time": "sqlserver.script:target_recovery_time"}


def _named(call: Claim) -> Iterator[str]:
    """What a call says of itself."""
    command, *args = call["run"]
    if command in ("facts", "analyze"):
        values = [f"{path}." for path in call.get("values", {})]
        yield from (name for name in NAMES if any(f"{name}." in path for path in values))
    if command == "facts":
        yield from NAMES.intersection(args)
    if command == "rule" and args[0] in rules.oracle():
        yield args[0]
    if "--explain" in args:
        yield args[args.index("--explain") + 1]
    if command == "sql":
        yield WRITTEN.get(args[0], f"script {args[0]}")
    if command == "tables" and len(args) > 1:
        yield f"section {args[1]}"


def behind(claim: Claim) -> list[str]:
    """Everything without which a claim is not shown."""
    found = [*claim.get("behind", []), *(said["id"] for said in claim.get("finding", []))]
    found += (each for call in calls(claim) for each in sorted(_named(call)))
    return list(dict.fromkeys(found))


def _none(*_: Any, **__: Any) -> None:
    return None


def _zero(*_: Any, **__: Any) -> float:
    return 0.0


def _blank(*_: Any, **__: Any) -> str:
    return ""


def _empty(*_: Any, **__: Any) -> tuple[()]:
    return ()


def _nothing(*_: Any, **__: Any) -> Iterator[None]:
    yield from ()


#: What a function gives that is disabled, by its annotation: the number that nothing was added to.
ABSENT: Final[dict[str, Callable[..., Any]]] = {
    "float": _zero, "int": _zero, "str": _blank, "tuple": _empty, "list": _empty,
}  # fmt: skip


def _function(path: str) -> FunctionType:
    module, _, names = path.partition(":")
    found: Any = import_module(f"awrlens.{module}")
    for name in names.split("."):
        found = inspect.getattr_static(found, name)
    if isinstance(found, property | cached_property):
        found = found.fget if isinstance(found, property) else found.func
    if isinstance(found, Advice):
        found = found._word
    found = inspect.unwrap(found)
    assert isinstance(found, FunctionType), path
    return found


def disable(what: str, patch: pytest.MonkeyPatch) -> None:
    """No finding, no fact, no section, a blank script, or a function without a result."""
    kind, _, name = what.partition(" ")
    if what in NAMES:
        spec = registry._BY_NAME[what]
        gone = Fact(what, None, spec.unit, "unavailable", note="disabled")
        patch.setitem(registry._BY_NAME, what, spec._replace(function=lambda _: gone))
    elif ":" in what:
        function = _function(what)
        result = function.__annotations__.get("return", "").partition("[")[0]
        without = ABSENT.get(result, _none)
        # its code, not its name: other modules have imported it
        generator = inspect.isgeneratorfunction(function)
        patch.setattr(function, "__code__", (_nothing if generator else without).__code__)
    elif kind == "script":
        text = Script.text
        patch.setattr(Script, "text", lambda self: "" if self.name == name else text(self))
    elif kind == "section":
        every = Contents.assigned
        patch.setattr(Contents, "assigned", lambda self, section: [
            each for each in every(self, section) if each[0] != name])  # fmt: skip
    else:
        # it never fires; its page stays
        decide = rules.decide
        patch.setattr(
            rules, "decide",
            lambda rule, asked: None if rule.id == what else decide(rule, asked),
        )  # fmt: skip


BEHIND: Final = [
    pytest.param(claim, what, id=f"{claim['id']} without {what}",
                 marks=[pytest.mark.slow] if simulated(claim) else [])
    for claim in CLAIMS for what in behind(claim)
]  # fmt: skip


@pytest.mark.parametrize(("claim", "what"), BEHIND)
def test_a_claim_fails_without_what_is_behind_it(
    claim: Claim, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test_claims, "ran", test_claims.ran.__wrapped__)
    disable(what, monkeypatch)
    with pytest.raises((AssertionError, KeyError, IndexError, TypeError)):
        check_all(claim)


def test_something_is_behind_every_claim() -> None:
    assert not [claim["id"] for claim in CLAIMS if not behind(claim)]


def test_what_is_behind_the_claims_exists() -> None:
    known = {*NAMES, *rules.table()}
    for what in (each for claim in CLAIMS for each in behind(claim)):
        kind, _, _ = what.partition(" ")
        if ":" in what:
            _function(what)
        else:
            assert what in known or kind in ("script", "section"), what
