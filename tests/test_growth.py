"""Time grows with the size of an input, never with its square, whoever wrote it.

What is compared are two sizes of one string in the same minute, with so wide a margin that a busy
machine does not matter: of eight times the size, linear work takes eight times as long, quadratic
work 64 times. ``make nightly`` tries every string; else a few of each reader are tried, with those
that took hours once.
"""

from __future__ import annotations

import os
import re
import signal
import time
import timeit
from functools import cache
from typing import TYPE_CHECKING, Final

import patterns
import pumps
import pytest

if TYPE_CHECKING:
    from types import FrameType

pytestmark = pytest.mark.outside
NIGHTLY: Final = os.environ.get("AWRLENS_EXAMPLES") == "nightly"
#: Eight times the size may take so many times as long: a third of what quadratic work takes.
MARGIN: Final = 24
#: Less time than so many turns of an empty loop take, on whatever machine, is not told from noise.
TURNS: Final = 4_500_000
#: A search of a short string that takes so many times as long will not end.
CAP: Final = 25
#: Sizes of strings in a report, and of strings for a pattern by itself.
SMALL, LARGE = (32_000, 256_000) if NIGHTLY else (8_000, 64_000)
SHORT, LONG = (4_000, 32_000) if NIGHTLY else (1_500, 12_000)
#: Without `nightly` one of so many strings is tried in each host.
EACH: Final = 1 if NIGHTLY else 70
#: What took minutes to hours for a megabyte, or for ever: where, lead, piece.
ONCE: Final = (
    ("heading of a page", "<th colspan=", " "), ("alone", "", ":"), ("cell of a page", "", "<a "),
    ("between tables", "", "<td "), ("between tables", "", "<pre "), ("cell of a page", "", "<!--"),
    ("between tables", "", "<a>"), ("margin of a text", "", " "), ("alone", "", "<table "),
    ("shown", "", "<head>"), ("title of a text", "", "a ("), ("line of a text", "", " for DB:"),
    ("line of a text", "", "x DB: "), ("alone", "", "for DB: "), ("title of a text", "", "1"),
    ("before a text", "", "1 "), ("between tables", "", "<table><tr><td>"),
    ("line of a text", "", "---- ----\n"), ("alone", "", "<li>"),
    ("alone", "", "Event Waits Waits Waits Waits Waits Waits Waits Waits\n"),
    ("alone", "", f"Tablespace IO Stats\nTablespace {'s ' * 8}zz\n{'-- ' * 10}\n"),
)  # fmt: skip
ONCE_REDACTED: Final = (
    ("cell of a page", "", "/**/"), ("tag of a page", "", "-"), ("line of a text", "", "a"),
    ("line of a text", "", "1."), ("line of a text", "", "a@"), ("line of a text", "", "#"),
)  # fmt: skip
#: Patterns that only see awrlens's own words, or so many characters.
OURS: Final = {
    "awrlens.render.lines._QUOTED", "awrlens.render.pages._OURS", "awrlens.serve.pages._SCRIPT",
}  # fmt: skip
BOUNDED: Final = {
    "awrlens.source.parts._OWN_TAG": 1_024,  # _TAG_ROOM
    "awrlens.sqlserver.log.MESSAGES": 4_096,  # _LONGEST
}


@cache
def floor() -> float:
    """Seconds of processor time on this machine that are not told from noise."""
    return min(timeit.repeat("pass", number=TURNS, repeat=5, timer=time.process_time))


def cases(host: str) -> list[pumps.Case]:
    """The strings that are tried in a host; one in four is redacted as well."""
    first = sorted(pumps.HOSTS).index(host)
    tried = list(enumerate(pumps.ALL))[first % EACH :: EACH]
    return [
        *(pumps.Case(host, lead, piece, number % 4 == 0) for number, (lead, piece) in tried),
        *(pumps.Case(*each, redact=False) for each in ONCE if each[0] == host),
        *(pumps.Case(*each, redact=True) for each in ONCE_REDACTED if each[0] == host),
    ]


def grows_too_much(case: pumps.Case) -> bool:
    for _ in range(2):  # what was busy once is tried again
        try:
            small = max(case.took(SMALL), floor())
            if case.took(LARGE, cap=2 * MARGIN * small + 5) <= MARGIN * small:
                return False
        except pumps.TooLongError:
            continue
    return True


@pytest.mark.properties
@pytest.mark.parametrize("host", pumps.HOSTS)
def test_no_string_in_an_input_takes_more_than_its_size(host: str) -> None:
    assert [] == [case for case in cases(host) if grows_too_much(case)]


class Took(Exception):  # noqa: N818 - it only ends a search
    """A search takes longer than it may."""


def seconds(pattern: patterns.Pattern, text: str) -> float:
    """Processor time of all matches in a text; CAP times the floor at most."""

    def stop(_: int, __: FrameType | None) -> None:
        raise Took

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, CAP * floor())
    begin = time.thread_time()  # exact while a timer of the process runs, unlike its own clock
    try:
        pattern.work(text)
    except Took:
        return CAP * floor()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return time.thread_time() - begin


def is_slow(pattern: patterns.Pattern, lead: str, piece: str) -> bool:
    """Whether a pattern takes more than the size, with a string that it fits or not."""
    return any(
        all(_grows(pattern, lead, piece, end) for _ in range(3))  # noise does not come three times
        for end in ("\x00", "")
    )


def _grows(pattern: patterns.Pattern, lead: str, piece: str, end: str) -> bool:
    large = seconds(pattern, lead + piece * (LONG // len(piece)) + end)
    if large <= floor() / 2:
        return False
    bound = BOUNDED.get(pattern.where)
    if bound is not None:
        return seconds(pattern, lead + piece * (bound // len(piece)) + end) > floor()
    if large >= CAP * floor():
        return True
    return large > MARGIN * seconds(pattern, lead + piece * (SHORT // len(piece)) + end)


@pytest.mark.properties
@pytest.mark.parametrize("part", range(8))
def test_no_pattern_takes_more_than_the_size_of_a_text(part: int) -> None:
    tried = [each for each in patterns.everywhere() if each.where not in OURS][part::8]

    assert [] == [
        (each.where, each.pattern.pattern, lead, piece)
        for each in tried
        for lead, piece in patterns.pumps(each.pattern)
        if is_slow(each, lead, piece)
    ]


def test_the_patterns_of_all_modules_are_found() -> None:
    found = {each.where for each in patterns.everywhere()}

    assert len(found) > 200
    assert {"awrlens.source.copied_text._BANNER", *OURS, *BOUNDED} <= found


@pytest.mark.properties
@pytest.mark.parametrize("text", [r"(?:a|aa)+$", r"\s+$", r"<td[^>]*>", r"(?:\d+,?)+x"])
def test_the_check_of_patterns_can_fail(text: str) -> None:
    pattern = patterns.Pattern("here", re.compile(text), at_one_place=False)

    assert any(is_slow(pattern, lead, piece) for lead, piece in patterns.pumps(pattern.pattern))


def test_the_check_of_readers_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def quadratic(data: bytes, *_: object) -> list[object]:
        for at in range(len(data)):
            for _turn in range(3):  # clear of the floor
                data[at:].count(b":")
        return []

    monkeypatch.setattr("awrlens.api.load_inputs", quadratic)

    assert grows_too_much(pumps.Case("alone", "", ":" * 40, redact=False))
