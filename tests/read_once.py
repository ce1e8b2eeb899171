"""Lets the calls of a module read a report once: the same bytes under the same name.

A command reads and judges its reports in a process of its own; tests call hundreds of them for the
same samples in one process. What is kept is the report with its tables, and its facts: the rules,
the advice and what is printed are each call's own. `conftest.py` names the modules.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest import mock

from awrlens import api
from awrlens.report import report as reports

#: Reports, or facts of them, that are kept at a time; a large one hardly comes again.
_KEPT: Final = 128
_LARGE: Final = 400_000

_read_reports: OrderedDict[Any, Any] = OrderedDict()
_facts: OrderedDict[Any, Any] = OrderedDict()


def _once(kept: OrderedDict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    if key not in kept:
        kept[key] = make()
        if len(kept) > _KEPT:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


@contextmanager
def reading_once() -> Iterator[None]:
    """Within it, a report that was read before is not read again."""
    one, facts, read = reports._one, api.facts_of, api._read  # noqa: SLF001

    def known(source: Any, other: Any) -> Any:
        if source.line_numbers is not None or len(source.text) > _LARGE:
            return one(source, other)
        found = _once(_read_reports, (*source, other), lambda: one(source, other))
        # an error has a place in a call of its own
        return found if isinstance(found, reports.Report) else one(source, other)

    def of(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def known(report: Any) -> Any:
            if not isinstance(report, reports.Report):
                return make(report)
            # the report is kept with its facts, so that no other has its place
            return _once(_facts, (make, id(report)), lambda: (report, make(report)))[1]

        return known

    with (
        mock.patch.object(reports, "_one", known),
        mock.patch.object(api, "facts_of", of(facts)),
        mock.patch.object(api, "_read", of(read)),
    ):
        yield
