"""Lets the calls of a module read a report once: the same bytes under the same name.

A command reads and judges its reports in a process of its own; tests call hundreds of them for the
same samples in one process. What is kept is the report with its tables, its facts, and what was
simulated: the rules, the advice and what is printed are each call's own. `conftest.py` names the
modules.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest import mock

from awrlens import api
from awrlens.lab import simulation
from awrlens.report import report as reports
from awrlens.report.report import Report

#: Characters of reports that are kept at a time, and facts of reports or parts.
_CHARACTERS: Final = 6_000_000
_PARTS: Final = 50

_read_reports: OrderedDict[Any, Report] = OrderedDict()
_facts: OrderedDict[Any, Any] = OrderedDict()
simulations: dict[Any, Any] = {}


def _report(source: Any, other: Any, read: Callable[..., Any]) -> Any:
    """A report; an error or a log, which have a place in one call, is read anew."""
    found = _read_reports.get((*source, other))
    if found is None:
        found = read(source, other)
        if not isinstance(found, Report):
            return found
        _read_reports[*source, other] = found
        while sum(len(each[1]) for each in _read_reports) > _CHARACTERS and len(_read_reports) > 1:
            _read_reports.popitem(last=False)
    _read_reports.move_to_end((*source, other))
    return found


def _facts_of(report: Any, make: Callable[[Any], Any]) -> Any:
    if not isinstance(report, Report):
        return make(report)
    key = make, id(report)  # which no other report has while this one is kept
    if key not in _facts:
        _facts[key] = report, make(report)
        if len(_facts) > _PARTS:
            _facts.popitem(last=False)
    _facts.move_to_end(key)
    return _facts[key][1]


@contextmanager
def reading_once() -> Iterator[None]:
    """Within it, a report that was read before is not read again."""
    one, facts, read = reports._one, api.facts_of, api._read

    def known(source: Any, other: Any) -> Any:
        return one(source, other) if source.line_numbers else _report(source, other, one)

    simulate = simulation.simulate

    def simulated(preset: Any, setup: Any, *advanced: Any) -> Any:
        if (preset, setup) not in simulations:
            simulations[preset, setup] = simulate(preset, setup, *advanced)
        return simulations[preset, setup]

    with (
        mock.patch.object(simulation, "simulate", simulated),
        mock.patch.object(reports, "_one", known),
        mock.patch.object(api, "facts_of", lambda report: _facts_of(report, facts)),
        mock.patch.object(api, "_read", lambda report: _facts_of(report, read)),
    ):
        yield
