"""Shell completion of values: devices, rules, profiles, thresholds, facts, parts.

Every function imports its names when a shell requests them, so that commands start as fast as
without it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import click
    from click.shell_completion import CompletionItem


def devices(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Storage types, for ``--device``."""
    from awrlens.advice.devices import DEVICES  # noqa: PLC0415 - for completion only

    return _items(((name, each.title) for name, each in DEVICES.items()), incomplete)


def rules(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of rules, for ``awrlens rule``."""
    from awrlens import rules as registry  # noqa: PLC0415 - for completion only

    return _items(_rules(registry.ALL), incomplete.upper())


def explained(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Findings and actions, for ``--explain``."""
    from awrlens import rules as registry  # noqa: PLC0415 - for completion only
    from awrlens.recommendations import CATALOGUE  # noqa: PLC0415

    found = _items([*_rules(registry.RULES), *((name, "") for name in CATALOGUE)], incomplete)
    return found or _items(_rules(registry.RULES), incomplete.upper())


def profiles(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Profiles of awrlens, for ``--profile``."""
    from awrlens.profiles import PROFILES  # noqa: PLC0415 - for completion only

    return _items(((name, each.about) for name, each in PROFILES.items()), incomplete)


def thresholds(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Thresholds with their defaults, for ``--set``; an error in a file hides its thresholds."""
    from awrlens.config import choices  # noqa: PLC0415 - for completion only
    from awrlens.errors import AwrlensError  # noqa: PLC0415

    with suppress(AwrlensError):
        known = choices.known().values()
        return _items(((f"{each.name}={each.default:g}", each.meaning) for each in known),
                      incomplete)  # fmt: skip
    return []


def facts(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of facts, for ``awrlens facts`` and ``--fact``."""
    from awrlens.facts.registry import FACTS  # noqa: PLC0415 - for completion only

    return _items(((each.name, each.definition) for each in FACTS), incomplete)


def selectors(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The last of several rules separated by commas, for ``--select`` and ``--fail-on``."""
    from awrlens import rules as registry  # noqa: PLC0415 - for completion only

    before, comma, last = incomplete.rpartition(",")
    found = _items(_rules(registry.RULES), last.upper())
    for each in found:
        each.value = f"{before}{comma}{each.value}"
    return found


def parts(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Instances or periods of the report on the command line, for ``--part``."""
    from awrlens import api  # noqa: PLC0415 - for completion only
    from awrlens.errors import AwrlensError  # noqa: PLC0415

    # an option that still lacks its value leaves the arguments unparsed
    report = ctx.params.get("report") or next(iter(ctx.args), None)
    with suppress(AwrlensError):
        loaded = api.load(report) if report else None
        of = (*loaded.periods, *loaded.instances) if loaded else ()
        return _items(((p.view.label, "") for p in of if p.view), incomplete)
    return []


def _rules(table: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    from awrlens import rules as registry  # noqa: PLC0415 - for completion only

    return [(each.id, each.title) for each in registry.all_rules(table)]


def _items(known: Iterable[tuple[str, str]], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - for completion only

    return [
        CompletionItem(name, help=meaning or None)
        for name, meaning in known
        if name.startswith(incomplete)
    ]
