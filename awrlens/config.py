"""Configuration: thresholds out of a file, the environment and the command line.

In order of weight: defaults, then ``[tool.awrlens]`` of a ``pyproject.toml`` or an ``awrlens.toml``
found upwards from the report's folder (or the file that is named), then the environment, then the
command line. The result is a policy, in which every value knows its origin. An unknown key is an
error that names the nearest one.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from awrlens.errors import UsageError
from awrlens.policy import Policy, parse_setting, parse_value, unknown_threshold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from awrlens.policy import Threshold

FILE: Final = "awrlens.toml"
_PYPROJECT: Final = "pyproject.toml"
_TABLE: Final = b"[tool.awrlens"
#: Keys of a configuration.
_KEYS: Final = ("device", "thresholds")
#: What the environment may say: a file, a device, settings with commas between.
ENVIRONMENT: Final = {
    "AWRLENS_CONFIG": "the configuration file; empty: none",
    "AWRLENS_DEVICE": "a device of `awrlens devices`, or a latency",
    "AWRLENS_SET": "thresholds: NAME=VALUE,NAME=VALUE",
}


class Options(NamedTuple):
    """What the command line says: a file, a device, ``NAME=VALUE`` settings."""

    file: str | None = None
    device: str | None = None
    settings: tuple[str, ...] = ()


class Loaded(NamedTuple):
    """The policy for reports of a folder, and the file that it comes from, if there is one."""

    policy: Policy
    file: Path | None


def known() -> dict[str, Threshold]:
    """Every threshold, of rules and of advice, by name."""
    from awrlens import rules  # noqa: PLC0415 - only where there is something to check
    from awrlens.advice import plan  # noqa: PLC0415

    return rules.thresholds() | {each.name: each for each in plan.THRESHOLDS}


def load(report: str, options: Options = Options()) -> Loaded:  # noqa: B008 - an immutable value
    """The policy for one report, named as the caller named it (``-``: the current folder).

    Raises UsageError for a file that cannot be read, an unknown key and a value that is none.
    """
    folder = Path() if report == "-" else Path(report).parent
    environment = tuple((name, os.environ.get(name)) for name in ENVIRONMENT)
    return _load(str(folder.absolute()), options, environment)


@lru_cache(maxsize=256)
def _load(folder: str, options: Options, environment: tuple[tuple[str, str | None], ...]) -> Loaded:
    said = dict(environment)
    policy = Policy()
    file = _file(folder, options.file, said["AWRLENS_CONFIG"])
    if file is not None:
        policy = read(file)
    if said["AWRLENS_DEVICE"]:
        policy = _with_device(policy, said["AWRLENS_DEVICE"], "AWRLENS_DEVICE")
    settings = [each for each in (said["AWRLENS_SET"] or "").split(",") if each.strip()]
    policy = _with_settings(policy, settings, "AWRLENS_SET")
    if options.device:
        policy = _with_device(policy, options.device, f"--device {options.device}")
    return Loaded(_with_settings(policy, options.settings, "--set"), file)


def _file(folder: str, named: str | None, in_environment: str | None) -> Path | None:
    """The file that is named, or the nearest that is found upwards."""
    if named is not None:
        return Path(named)
    if in_environment is not None:
        return Path(in_environment) if in_environment else None
    for place in (Path(folder), *Path(folder).parents):
        if (place / FILE).is_file():
            return place / FILE
        project = place / _PYPROJECT
        if project.is_file() and _TABLE in _bytes(project):
            return project
    return None


def read(file: Path) -> Policy:
    """The policy that a file sets; UsageError with file and line for anything that is wrong."""
    import tomllib  # noqa: PLC0415 - only where there is a file

    content = _bytes(file)
    try:
        text = content.decode()
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        line = re.search(r"at line (\d+)", str(problem))
        raise UsageError(
            f"This is no TOML: {str(problem).partition(' (')[0]}.",
            source=str(file),
            line=int(line[1]) if line else None,
            hint="`awrlens config init` prints a file to begin with.",
        ) from None
    if file.name == _PYPROJECT:
        data = data.get("tool", {}).get("awrlens", {})
    return _File(file, text).policy(data)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise UsageError(
            f"The configuration cannot be read: {reason}.",
            source=str(file),
            hint="Check --config and AWRLENS_CONFIG.",
        ) from None


class _File:
    """A configuration file, whose lines are told when something is wrong in it."""

    def __init__(self, file: Path, text: str) -> None:
        self._file = file
        self._text = text

    def policy(self, data: Mapping[str, Any]) -> Policy:
        unknown = next((key for key in data if key not in _KEYS), None)
        if unknown is not None:
            from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

            near = get_close_matches(unknown, _KEYS, n=1)
            raise self._problem(
                UsageError(
                    f"There is no key {unknown!r}.",
                    hint=f"Did you mean {near[0]}?" if near else f"Keys are {', '.join(_KEYS)}.",
                ),
                unknown,
            )
        policy = Policy()
        if "device" in data:
            try:
                policy = _with_device(policy, str(data["device"]), self._place("device"))
            except UsageError as problem:
                raise self._problem(problem, "device") from None
        thresholds = data.get("thresholds", {})
        if not isinstance(thresholds, dict):
            raise self._problem(
                UsageError("thresholds is a table.", hint="Begin it with [thresholds]."),
                "thresholds",
            )
        return self._thresholds(policy, thresholds)

    def _thresholds(self, policy: Policy, data: Mapping[str, Any]) -> Policy:
        """``redo.slow_write_ms = 5`` in TOML is a table in a table; both spellings count."""
        names = known() if data else {}
        for name, value in _flat(data):
            try:
                if name not in names:
                    raise unknown_threshold(name, names)
                number = parse_value(str(value), names[name])
            except UsageError as problem:
                raise self._problem(problem, name) from None
            policy = policy.under({name: number}, self._place(name))
        return policy

    def _line(self, name: str) -> int | None:
        last = re.escape(name.rsplit(".", maxsplit=1)[-1])
        found = re.search(rf"^[^#\n]*\b{last}\b", self._text, re.M)
        return self._text.count("\n", 0, found.start()) + 1 if found else None

    def _place(self, name: str) -> str:
        line = self._line(name)
        return f"{self._file.name}:{line}" if line else self._file.name

    def _problem(self, problem: UsageError, name: str) -> UsageError:
        return UsageError(
            problem.message, source=str(self._file), line=self._line(name), hint=problem.hint
        )


def _flat(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    for key, value in data.items():
        name = f"{above}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _with_device(policy: Policy, text: str, origin: str) -> Policy:
    from awrlens.advice import devices  # noqa: PLC0415 - only where one is named

    return policy.under(devices.find(text).settings, origin)


def _with_settings(policy: Policy, settings: list[str] | tuple[str, ...], origin: str) -> Policy:
    names = known() if settings else {}
    for text in settings:
        name, value = parse_setting(text, names)
        policy = policy.under({name: value}, origin)
    return policy


def template() -> str:
    """A file with every threshold at its default, each with its meaning, all commented out."""
    from awrlens.advice.devices import DEFAULT, DEVICES  # noqa: PLC0415

    lines = [
        f"# {FILE}: found upwards from a report's folder. `awrlens config show` prints what holds.",
        "",
        f"# The storage that verdicts reckon with: {', '.join(DEVICES)},",
        "# or a latency: 0.2ms (0.2ms/0.5ms: of a redo write / of a read).",
        f'# device = "{DEFAULT.name}"',
        "",
        "[thresholds]",
    ]
    for name, each in known().items():
        unit = "" if each.unit in ("count", "ratio") else f" ({each.unit})"
        lines += [f"# {each.meaning}{unit}", f"# {name} = {each.default:g}", ""]
    return "\n".join(lines).rstrip() + "\n"
