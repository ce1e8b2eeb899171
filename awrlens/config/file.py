"""A configuration file: its settings, and mistakes with file, line and an example."""

from __future__ import annotations

import re
import tomllib
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from awrlens import errors
from awrlens.checks.selection import Settings
from awrlens.config import choices, values
from awrlens.config.values import PYPROJECT, Additions, Loaded
from awrlens.errors import UsageError
from awrlens.lazy import regex
from awrlens.model import SEVERITIES
from awrlens.policy import Policy, parse_setting, parse_value, unknown_threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from awrlens.config.values import Options

_KEYS: Final = ("profile", "profiles", "device", "thresholds", "check", "budgets", "plugins")
_PROFILE_KEYS: Final = ("about", "device", "thresholds", "check")
_CHECK_KEYS: Final = (
    "select", "ignore", "fail-on", "severity", "per-path-ignores", "baseline",
    "fail-on-unassessable", "information-uri",
)  # fmt: skip


def content_of(
    file: Path | None, environment: Mapping[str, str | None], options: Options
) -> Loaded:
    """The settings of a file, those of the environment on top, then those of the command line."""
    content = read(file) if file is not None else Loaded()
    said = [text for text in (environment["AWRLENS_SET"] or "").split(",") if text.strip()]
    names = "AWRLENS_PROFILE", "AWRLENS_DEVICE", "AWRLENS_SET"
    called = f"--profile {options.profile}", f"--device {options.device}", "--set"
    for profile, device, settings, origins in (
        (environment["AWRLENS_PROFILE"], environment["AWRLENS_DEVICE"], said, names),
        (options.profile, options.device, options.settings, called),
    ):
        if profile:
            content = _with_profile(content, profile, origins[0])
        policy = content.policy
        if device:
            policy = _with_device(policy, device, origins[1])
        content = content._replace(policy=_with_settings(policy, settings, origins[2]))
    return content


def read(file: Path) -> Loaded:
    """The settings of a file; UsageError with file and line for any mistake."""
    content = values.content(file)
    try:
        text = content.decode()
        data = tomllib.loads(text)
    except (RecursionError, ValueError) as problem:  # too deep, too large or not TOML
        line = re.search(r"at line (\d+)", str(problem))
        said = str(problem).partition(" (")[0][:200]
        if isinstance(problem, RecursionError):
            said = "it is nested too deeply"
        raise UsageError(
            f"This is not valid TOML: {said}.", source=str(file),
            line=int(line[1]) if line else None, hint="`awrlens config init` prints a template.",
        ) from None  # fmt: skip
    written = File(str(file), file.name, text)
    if file.name == PYPROJECT:
        for key in ("tool", "awrlens"):
            data = data.get(key, {})
            if not isinstance(data, dict):
                raise UsageError(
                    f"{key} must be a table.", source=str(file), hint="For example [tool.awrlens]."
                )
        written = written.within("tool", "awrlens")
    try:
        return written.content(data)
    except RecursionError:
        raise UsageError(
            "Its tables are nested too deeply.", source=str(file),
            hint="`awrlens config init` prints a template.",
        ) from None  # fmt: skip


#: A key on several levels, with or without quotes, as the header of a table or before its value.
_WORD: Final = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[\w-]+)"
_PATH: Final = rf"({_WORD}(?:[ \t]*\.[ \t]*{_WORD})*)[ \t]*"
_KEY: Final = regex(rf"[ \t]*(?:\[\[?[ \t]*{_PATH}\]|{_PATH}=)")


@cache
def lines(text: str) -> dict[tuple[str, ...], int]:
    """The first line of every key of a valid file, by its path; inside a value its line."""
    begins: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if key := _KEY.match(line):
            own = tuple(word.strip("\"'") for word in re.findall(_WORD, key[1] or key[2]))
            path = own if key[1] else (*table, *own)
            table = path if key[1] else table
            for depth in range(len(path)):
                begins.setdefault(path[: depth + 1], number)
    return begins


class File:
    """A configuration file, with lines for error messages."""

    def __init__(self, source: str, short: str, text: str, above: tuple[str, ...] = ()) -> None:
        self._source = source
        self._short = short
        self._text = text
        self._above = above

    def within(self, *names: str) -> File:
        """The same file at one of its tables."""
        return File(self._source, self._short, self._text, (*self._above, *names))

    def _profile(self, content: Loaded, name: str) -> Loaded:
        return self.within("profiles", name).under(content, content.profiles[name])

    def content(self, data: Mapping[str, Any]) -> Loaded:
        """All settings of a file; the profile comes first, so that the file overrides it."""
        self.only(data, _KEYS)
        own = data.get("profiles", {})
        if not isinstance(own, dict) or not all(isinstance(table, dict) for table in own.values()):
            raise self.wrong("profiles must be a table of tables.", "profiles", "[profiles.mine]")
        content = Loaded(profiles=own, additions=self._additions(data), under=self._profile)
        for name, table in own.items():
            inner = self.within("profiles", name)
            inner.only(table, _PROFILE_KEYS)
            inner.under(content, table)  # mistakes are reported even if the profile is not selected
        if "profile" in data:
            name = str(data["profile"])
            with self._at("profile"):
                content = _with_profile(content, name, f"profile {name}")
        return self.under(content, data)

    def _additions(self, data: Mapping[str, Any]) -> Additions:
        folder = values.path(self._source).parent
        budgets = self.names(data, "budgets", (), 'budgets = ["team.budgets"]')
        files = tuple(str(folder / name) for name in budgets)
        plugins = data.get("plugins", False)
        if not isinstance(plugins, bool):
            plugins = self.names(data, "plugins", (), 'plugins = true, or plugins = ["mine"]')
        return Additions(files, plugins)

    def under(self, content: Loaded, data: Mapping[str, Any]) -> Loaded:
        """Loaded with the settings of a table on top."""
        policy = content.policy
        if "device" in data:
            with self._at("device"):
                policy = _with_device(policy, str(data["device"]), self._place("device"))
        thresholds = self._table(data, "thresholds", "[thresholds]")
        asked = self._table(data, "check", "[check]")
        asking = self.within("check")
        asking.only(asked, _CHECK_KEYS)
        policy = self.within("thresholds").thresholds(policy, thresholds)
        content = content._replace(policy=policy)
        return asking.check(content, asked) if asked else content

    def check(self, content: Loaded, data: Mapping[str, Any]) -> Loaded:
        """Settings of `check`; selectors must match rules, and severities must be valid."""
        before = content.check
        levels = self._table(data, "severity")
        for selector, level in levels.items():
            if level not in SEVERITIES:
                words = ", ".join(SEVERITIES)
                inner = self.within("severity")
                raise inner.wrong(f"{level!r} is not a severity.", selector, f"one of {words}")
        for key in ("select", "fail-on"):
            if data.get(key) in ([], ""):
                raise self.wrong(f"{key} names nothing.", key, f'{key} = ["REDO", "TEMP002"]')
        strict = data.get("fail-on-unassessable", before.strict)
        if not isinstance(strict, bool):
            key = "fail-on-unassessable"
            raise self.wrong(f"{key} must be true or false.", key, f"{key} = true")
        per_path = self._table(data, "per-path-ignores")
        paths = self.within("per-path-ignores")
        settings = Settings(
            self.names(data, "select", before.select),
            self.names(data, "ignore", before.ignore),
            (*before.severity, *levels.items()),
            (*before.per_path, *((path, paths.names(per_path, path, ())) for path in per_path)),
            self.names(data, "fail-on", before.fail_on), strict,
        )  # fmt: skip
        with self._at(""):
            settings = choices.checked_settings(settings, content.additions)
        named = data.get("baseline")
        baseline = content.baseline
        if named is not None:
            folder = values.path(self._source).parent
            baseline = str(folder / str(named).replace("\0", ""))
        page = data.get("information-uri", content.information_uri)
        if not isinstance(page, str) or (page and not re.match(r"https?://[^\s<>\"]+$", page)):
            example = 'information-uri = "https://wiki/awrlens"'
            raise self.wrong("information-uri must be a web address.", "information-uri", example)
        return content._replace(check=settings, baseline=baseline, information_uri=page)

    def _table(self, data: Mapping[str, Any], key: str, example: str = "") -> Mapping[str, Any]:
        table = data.get(key, {})
        if not isinstance(table, dict):
            raise self.wrong(f"{key} must be a table.", key, example or f"[check.{key}]")
        return table

    def names(
        self, data: Mapping[str, Any], key: str, default: tuple[str, ...], example: str = ""
    ) -> tuple[str, ...]:
        """A list of names, or one name."""
        value = data.get(key)
        if value is None:
            return default
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            example = example or f'{key} = ["REDO", "TEMP002"]'
            raise self.wrong(f"{key} must be a list of names.", key, example)
        return tuple(names)

    def only(self, data: Mapping[str, Any], keys: tuple[str, ...]) -> None:
        """Raise UsageError for an unknown key, with the most similar known one."""
        unknown = next((key for key in data if key not in keys), None)
        if unknown is None:
            return
        hint = errors.either(unknown, keys, f"Keys are {', '.join(keys)}.")
        raise self._problem(UsageError(f"Unknown key {unknown!r}.", hint=hint), unknown)

    def wrong(self, message: str, key: str, example: str) -> UsageError:
        """A mistake in a key, with an example of a valid value."""
        return self._problem(UsageError(message, hint=f"For example {example}."), key)

    def thresholds(self, policy: Policy, data: Mapping[str, Any]) -> Policy:
        """``redo.slow_write_ms = 5`` in TOML is a nested table; both spellings are valid."""
        thresholds = choices.all_thresholds() if data else {}
        for name, value in _flat(data):
            with self._at(name):
                if name not in thresholds:
                    raise unknown_threshold(name, thresholds)
                number = parse_value(_written(value), thresholds[name])
            policy = policy.under({name: number}, self._place(name))
        return policy

    def _line(self, name: str) -> int | None:
        begins = lines(self._text)
        above = self._above
        around = (above[:depth] for depth in range(len(above), 0, -1))  # of an inline table
        paths = ((*above, name), (*above, *name.split(".")), *around)
        return next((begins[path] for path in paths if path in begins), None)

    def _place(self, name: str) -> str:
        line = self._line(name)
        return f"{self._short}:{line}" if line else self._short

    @contextmanager
    def _at(self, name: str) -> Iterator[None]:
        """Gives a mistake without a place that of a key."""
        try:
            yield
        except UsageError as problem:
            if problem.source is not None:  # it is in another file
                raise
            raise self._problem(problem, name) from None

    def _problem(self, problem: UsageError, name: str) -> UsageError:
        return UsageError(
            problem.message, source=self._source, line=self._line(name), hint=problem.hint
        )


def _written(value: object) -> str:
    """A value as text for a threshold; Python refuses to print very long integers."""
    try:
        return str(value)
    except ValueError:
        return "a number of thousands of digits"


def _with_profile(content: Loaded, name: str, origin: str) -> Loaded:
    profiles = {**choices.profiles(), **content.profiles}
    if name not in profiles:
        names = [*{**content.profiles, **profiles}]
        raise UsageError(
            f"Unknown profile {name!r}.",
            hint=errors.either(name, names, f"Profiles are {', '.join(names)}."),
        )
    if content.under is not None and name in content.profiles:
        return content.under(content, name)._replace(profile=name)
    return File(origin, origin, "").under(content, profiles[name])._replace(profile=name)


def _flat(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        name = f"{above}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _with_device(policy: Policy, text: str, origin: str) -> Policy:
    from awrlens.advice import devices

    return policy.under(devices.find(text).settings, origin)


def _with_settings(policy: Policy, settings: Sequence[str], origin: str) -> Policy:
    thresholds = choices.all_thresholds() if settings else {}
    for text in settings:
        name, value = parse_setting(text, thresholds)
        policy = policy.under({name: value}, origin)
    return policy
