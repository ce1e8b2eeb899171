"""Configuration: thresholds from a file, the environment and the command line.

In increasing order of precedence: defaults, then ``[tool.awrlens]`` in ``pyproject.toml`` or an
``awrlens.toml`` in the report's folder or above (or a given file), then the environment, then the
command line. The result is a policy in which every value has its origin. An unknown key is an
error that suggests the most similar one.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

from awrlens import nearest
from awrlens.checks.selection import Known, Settings, checked
from awrlens.errors import UsageError
from awrlens.model import SEVERITIES
from awrlens.policy import Policy, parse_setting, parse_value, unknown_threshold
from awrlens.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from awrlens.budgets import Budget
    from awrlens.policy import Threshold

FILE: Final = "awrlens.toml"
#: Suffix of files of budgets.
BUDGETS: Final = ".budgets"
_PYPROJECT: Final = "pyproject.toml"
_TABLE: Final = b"[tool.awrlens"
#: Maximum size of a configuration file.
_MOST_BYTES: Final = 2**20
#: Keys of a configuration.
_KEYS: Final = ("profile", "profiles", "device", "thresholds", "check", "budgets", "plugins")
#: Keys of a profile and of its `check` table.
_PROFILE_KEYS: Final = ("about", "device", "thresholds", "check")
_CHECK_KEYS: Final = (
    "select", "extend-select", "ignore", "fail-on", "severity", "per-path-ignores", "baseline",
    "fail-on-unassessable", "information-uri",
)  # fmt: skip
#: Environment variables: a file, a profile, a device, settings separated by commas.
ENVIRONMENT: Final = {
    "AWRLENS_CONFIG": "configuration file; empty for none",
    "AWRLENS_PROFILE": "profile: prod-oltp, batch, exadata, or one of the configuration file",
    "AWRLENS_DEVICE": "storage to model: a name from `awrlens devices`, or a latency",
    "AWRLENS_SET": "thresholds: NAME=VALUE,NAME=VALUE",
}


class Written(NamedTuple):
    """Budgets that are given as text, and what they are called."""

    name: str
    text: str


class Options(NamedTuple):
    """Options of the command line: a file, a device, ``NAME=VALUE`` settings, a profile."""

    file: str | None = None
    device: str | None = None
    settings: tuple[str, ...] = ()
    profile: str | None = None
    #: Whether all configuration files are ignored.
    isolated: bool = False
    #: Budgets besides those of the configuration; no command has an option for them.
    budgets: tuple[Written, ...] = ()


class Additions(NamedTuple):
    """Additional rules: files of budgets, and plugins (all, none or some by name)."""

    budgets: tuple[str, ...] = ()
    plugins: bool | tuple[str, ...] = False
    written: tuple[Written, ...] = ()


class Content(NamedTuple):
    """Settings of a file or a profile: thresholds, `check` settings, custom profiles."""

    policy: Policy = Policy()
    check: Settings = Settings()
    #: Baseline file; a relative path starts at the configuration's folder.
    baseline: str | None = None
    #: A page about awrlens, for outputs with a link.
    information_uri: str = ""
    profiles: Mapping[str, Mapping[str, Any]] = {}
    profile: str | None = None
    additions: Additions = Additions()
    #: The file with the profiles, for error messages.
    written: _File | None = None


class Loaded(NamedTuple):
    """The configuration for reports of a folder, and its file, if any."""

    policy: Policy
    file: Path | None
    check: Settings = Settings()
    baseline: str | None = None
    profile: str | None = None
    additions: Additions = Additions()
    information_uri: str = ""


def known() -> dict[str, Threshold]:
    """All thresholds of rules, advice, comparisons and trends, by name."""
    from awrlens import fleet, rules  # noqa: PLC0415 - only where there is something to check
    from awrlens.advice import plan  # noqa: PLC0415
    from awrlens.recovery import advisor, judge  # noqa: PLC0415
    from awrlens.series import compare, thresholds  # noqa: PLC0415

    others = (
        *plan.THRESHOLDS, *compare.THRESHOLDS, *thresholds.THRESHOLDS, *judge.THRESHOLDS,
        *advisor.THRESHOLDS, *fleet.THRESHOLDS,
    )  # fmt: skip
    return rules.thresholds() | {each.name: each for each in others}


def load(report: str, options: Options = Options()) -> Loaded:  # noqa: B008 - an immutable value
    """The policy for one report, by its path as given (``-``: the current folder).

    Raises UsageError for an unreadable file, an unknown key or an invalid value.
    """
    folder = "" if report == "-" else os.path.dirname(report.rstrip(os.sep))
    environment = tuple((name, os.environ.get(name)) for name in ENVIRONMENT)
    return _load(os.path.abspath(folder), options, environment)


@lru_cache(maxsize=256)
def _load(folder: str, options: Options, environment: tuple[tuple[str, str | None], ...]) -> Loaded:
    said = dict(environment)
    content = Content()
    file = _file(folder, options, said["AWRLENS_CONFIG"])
    if file is not None:
        content = read(file)
    if said["AWRLENS_PROFILE"]:
        content = _with_profile(content, said["AWRLENS_PROFILE"], "AWRLENS_PROFILE")
    policy = content.policy
    if said["AWRLENS_DEVICE"]:
        policy = _with_device(policy, said["AWRLENS_DEVICE"], "AWRLENS_DEVICE")
    settings = [each for each in (said["AWRLENS_SET"] or "").split(",") if each.strip()]
    policy = _with_settings(policy, settings, "AWRLENS_SET")
    content = content._replace(policy=policy)
    if options.profile:
        content = _with_profile(content, options.profile, f"--profile {options.profile}")
    policy = content.policy
    if options.device:
        policy = _with_device(policy, options.device, f"--device {options.device}")
    policy = _with_settings(policy, options.settings, "--set")
    return Loaded(
        policy, file, content.check, content.baseline, content.profile,
        content.additions._replace(written=options.budgets), content.information_uri,
    )  # fmt: skip


def _file(folder: str, options: Options, in_environment: str | None) -> Path | None:
    """The given file, or the nearest one in the folder or above."""
    if options.isolated:
        if options.file is not None:
            raise UsageError(
                "--isolated ignores all configuration files, but --config sets one.",
                hint="Remove one of them.",
            )
        return None
    if options.file is not None:
        return _path(options.file)
    if in_environment is not None:
        return _path(in_environment) if in_environment else None
    above = ""
    while folder != above:
        for name in (FILE, _PYPROJECT):
            if os.path.isfile(place := os.path.join(folder, name)) and _holds(place):
                _tell_if_foreign(_path(place))
                return _path(place)
        folder, above = os.path.dirname(folder), folder
    return None


def _path(file: str) -> Path:
    """A path, where there is a file; most reports have none, and ``pathlib`` takes long."""
    from pathlib import Path  # noqa: PLC0415 - see above

    return Path(file)


def _holds(file: str) -> bool:
    """Whether a file exists and holds a configuration."""
    try:
        return os.path.basename(file) == FILE or _TABLE in _bytes(file)
    except (OSError, ValueError):
        return False


@cache
def _tell_if_foreign(file: Path) -> None:
    """Report that a file next to a report applies: the author of the report may have added it.

    Files in the current folder and above belong to the caller.
    """
    here = _path(os.getcwd()).resolve()
    if file.parent.resolve() in (here, *here.parents):
        return
    from awrlens.render.present import safe  # noqa: PLC0415 - rarely

    sys.stderr.write(
        f"awrlens: the configuration {safe(str(file))}, found next to the report, applies "
        "(--isolated ignores it)\n"
    )


def read(file: Path) -> Content:
    """The settings of a file; UsageError with file and line for any mistake."""
    import tomllib  # noqa: PLC0415 - only where there is a file

    content = _bytes(file)
    try:
        text = content.decode()
        data = tomllib.loads(text)
    except (RecursionError, ValueError) as problem:  # too deep, too large or not TOML
        line = re.search(r"at line (\d+)", str(problem))
        raise UsageError(
            f"This is not valid TOML: {_said(problem)}.",
            source=str(file),
            line=int(line[1]) if line else None,
            hint="`awrlens config init` prints a template.",
        ) from None
    written = _File(str(file), file.name, text)
    if file.name == _PYPROJECT:
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


def _said(problem: Exception) -> str:
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    return str(problem).partition(" (")[0][:200]


def _bytes(
    file: str | Path, what: str = "configuration",
    hint: str = "Check --config and AWRLENS_CONFIG.", *, regular: bool = False,
) -> bytes:  # fmt: skip
    reason = f"it is larger than {_MOST_BYTES // 2**20} MB"
    if regular and os.path.exists(file) and not os.path.isfile(file):
        reason = "it is not a regular file"
    else:
        try:
            with open(file, "rb") as opened:
                found = opened.read(_MOST_BYTES + 1)
            if len(found) <= _MOST_BYTES:
                return found
        except (OSError, ValueError) as problem:
            reason = (getattr(problem, "strerror", None) or str(problem)).lower()
    raise UsageError(f"The {what} cannot be read: {reason}.", source=str(file), hint=hint)


class _File:
    """A configuration file, with lines for error messages."""

    def __init__(self, source: str, short: str, text: str, above: tuple[str, ...] = ()) -> None:
        self._source = source
        self._short = short
        self._text = text
        #: Path of the current table.
        self._above = above

    def within(self, *names: str) -> _File:
        """The same file at one of its tables."""
        return _File(self._source, self._short, self._text, (*self._above, *names))

    def content(self, data: Mapping[str, Any]) -> Content:
        """All settings of a file; the profile comes first, so that the file overrides it."""
        self.only(data, _KEYS)
        own = data.get("profiles", {})
        if not isinstance(own, dict) or not all(isinstance(each, dict) for each in own.values()):
            raise self.wrong("profiles must be a table of tables.", "profiles", "[profiles.mine]")
        content = Content(profiles=own, additions=self._additions(data), written=self)
        for name, each in own.items():
            inner = self.within("profiles", name)
            inner.only(each, _PROFILE_KEYS)
            inner.under(content, each)  # mistakes are reported even if the profile is not selected
        if "profile" in data:
            name = str(data["profile"])
            try:
                content = _with_profile(content, name, f"profile {name}")
            except UsageError as problem:
                if problem.source is not None:
                    raise
                raise self._problem(problem, "profile") from None
        return self.under(content, data)

    def _additions(self, data: Mapping[str, Any]) -> Additions:
        """Files of budgets, below the configuration's folder, and plugins."""
        folder = _path(self._source).parent
        budgets = self.names(data, "budgets", (), 'budgets = ["team.budgets"]')
        if any("\0" in each for each in budgets):
            raise self.wrong(
                "A file name cannot contain the character NUL.",
                "budgets",
                'budgets = ["team.budgets"]',
            )
        files = tuple(str(folder / each) for each in budgets)
        plugins = data.get("plugins", False)
        if not isinstance(plugins, bool):
            plugins = self.names(data, "plugins", (), 'plugins = true, or plugins = ["mine"]')
        return Additions(files, plugins)

    def under(self, content: Content, data: Mapping[str, Any]) -> Content:
        """Content with the settings of a table on top."""
        policy = content.policy
        if "device" in data:
            try:
                policy = _with_device(policy, str(data["device"]), self._place("device"))
            except UsageError as problem:
                raise self._problem(problem, "device") from None
        thresholds = data.get("thresholds", {})
        if not isinstance(thresholds, dict):
            raise self.wrong("thresholds must be a table.", "thresholds", "[thresholds]")
        asked = data.get("check", {})
        if not isinstance(asked, dict):
            raise self.wrong("check must be a table.", "check", "[check]")
        asking = self.within("check")
        asking.only(asked, _CHECK_KEYS)
        policy = self.within("thresholds").thresholds(policy, thresholds)
        content = content._replace(policy=policy)
        return asking.check(content, asked) if asked else content

    def check(self, content: Content, data: Mapping[str, Any]) -> Content:
        """Settings of `check`; selectors must match rules, and severities must be valid."""
        before = content.check
        levels = self._table(data, "severity")
        for selector, level in levels.items():
            if level not in SEVERITIES:
                words = ", ".join(SEVERITIES)
                inner = self.within("severity")
                raise inner.wrong(f"{level!r} is not a severity.", selector, f"one of {words}")
        per_path = self._table(data, "per-path-ignores")
        paths = self.within("per-path-ignores")
        found = Settings(
            self.names(data, "select", before.select),
            self.names(data, "extend-select", before.extend_select),
            self.names(data, "ignore", before.ignore),
            (*before.severity, *levels.items()),
            (*before.per_path, *((path, paths.names(per_path, path, ())) for path in per_path)),
            self.names(data, "fail-on", before.fail_on),
            self._flag(data, "fail-on-unassessable", default=before.strict),
        )
        try:
            found = _meant(found, content.additions)
        except UsageError as problem:
            if problem.source is not None:  # the mistake is in a file of budgets
                raise
            raise self._problem(problem, "") from None
        named = data.get("baseline")
        baseline = content.baseline
        if named is not None:
            folder = _path(self._source).parent
            baseline = str(folder / str(named).replace("\0", ""))
        page = data.get("information-uri", content.information_uri)
        if not isinstance(page, str) or (page and not re.match(r"https?://[^\s<>\"]+$", page)):
            example = 'information-uri = "https://wiki/awrlens"'
            raise self.wrong("information-uri must be a web address.", "information-uri", example)
        return content._replace(check=found, baseline=baseline, information_uri=page)

    def _flag(self, data: Mapping[str, Any], key: str, *, default: bool) -> bool:
        found = data.get(key, default)
        if not isinstance(found, bool):
            raise self.wrong(f"{key} must be true or false.", key, f"{key} = true")
        return found

    def _table(self, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = data.get(key, {})
        if not isinstance(found, dict):
            raise self.wrong(f"{key} must be a table.", key, f"[check.{key}]")
        return found

    def names(
        self, data: Mapping[str, Any], key: str, default: tuple[str, ...], example: str = ""
    ) -> tuple[str, ...]:
        found = data.get(key)
        if found is None:
            return default
        names = [found] if isinstance(found, str) else found
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            example = example or f'{key} = ["REDO", "TEMP002"]'
            raise self.wrong(f"{key} must be a list of names.", key, example)
        return tuple(names)

    def only(self, data: Mapping[str, Any], keys: tuple[str, ...]) -> None:
        """Raise UsageError for an unknown key, with the most similar known one."""
        unknown = next((key for key in data if key not in keys), None)
        if unknown is None:
            return
        hint = nearest.either(unknown, keys, f"Keys are {', '.join(keys)}.")
        raise self._problem(UsageError(f"Unknown key {unknown!r}.", hint=hint), unknown)

    def wrong(self, message: str, key: str, example: str) -> UsageError:
        return self._problem(UsageError(message, hint=f"For example {example}."), key)

    def thresholds(self, policy: Policy, data: Mapping[str, Any]) -> Policy:
        """``redo.slow_write_ms = 5`` in TOML is a nested table; both spellings are valid."""
        names = known() if data else {}
        for name, value in _flat(data):
            try:
                if name not in names:
                    raise unknown_threshold(name, names)
                number = parse_value(_written(value), names[name])
            except UsageError as problem:
                raise self._problem(problem, name) from None
            policy = policy.under({name: number}, self._place(name))
        return policy

    def _line(self, name: str) -> int | None:
        """The line of a key, or of its table."""
        from awrlens.checks.toml_lines import lines  # noqa: PLC0415 - where a line is told

        found = lines(self._text)
        paths = ((*self._above, name), (*self._above, *name.split(".")), self._above)
        return next((found[path] for path in paths if path in found), None)

    def _place(self, name: str) -> str:
        line = self._line(name)
        return f"{self._short}:{line}" if line else self._short

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


def _meant(asked: Settings, additions: Additions) -> Settings:
    """Checked selectors; budgets and plugins are loaded only if our rules do not match."""
    try:
        return checked(asked, known_rules())
    except UsageError:
        if not any(additions):
            raise
        return checked(asked, known_rules(additions))


def budgets(
    files: Iterable[str], written: Iterable[Written] = (), *, named: bool = False
) -> tuple[Budget, ...]:
    """The budgets of files and texts; UsageError for mistakes in them.

    ``named``: given by the caller. A configuration may name any file, and its text must not leak
    through error messages: only files with the suffix of budgets are quoted.
    """
    from awrlens.budgets import BudgetError, parse  # noqa: PLC0415 - few have any
    from awrlens.facts.registry import units  # noqa: PLC0415

    found: dict[str, Budget] = {}
    for file in files:
        try:
            said = parse(_text(_near(file)), units(), _near(file))
        except BudgetError as problem:
            if file.endswith(BUDGETS) or named:
                raise
            raise UsageError(
                "The file is not a file of budgets, or it has a mistake.", source=problem.source,
                hint=f"`awrlens budget check FILE` shows the mistake; for files named *{BUDGETS} "
                "it is shown here.",
            ) from None  # fmt: skip
        _add(found, said)
    for given in written:
        _add(found, parse(given.text, units(), given.name))
    return tuple(found.values())


def _text(file: str) -> str:
    """The text of a file of budgets."""
    try:
        return _bytes(file, "budgets", "Check the path.", regular=True).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UsageError(
            "The file is not UTF-8 text.", source=file,
            line=problem.object.count(b"\n", 0, problem.start) + 1, hint="Save it as UTF-8.",
        ) from None  # fmt: skip


def _add(found: dict[str, Budget], said: Iterable[Budget]) -> None:
    for each in said:
        other = found.setdefault(each.id, each)
        if other is not each:
            raise UsageError(
                f"{each.id} is also in {other.place}.", source=each.file, line=each.line,
                hint="Give it another id, or remove one of them.",
            )  # fmt: skip


def _near(file: str) -> str:
    """A file below the current folder by its relative path, which keeps messages short."""
    try:
        return str(_path(file).relative_to(os.getcwd()))
    except ValueError:
        return file


def known_rules(additions: Additions = Additions()) -> Known:  # noqa: B008 - an immutable value
    """The rules that selectors can match."""
    from awrlens.rules import plugins  # noqa: PLC0415 - only where there is something to check

    own = {each.id: each.name for each in budgets(additions.budgets, additions.written)}
    own |= {each.id: each.name for each in plugins.load(additions.plugins).rules}
    return Known(_our_rules() | own)


def _our_rules() -> dict[str, str]:
    from awrlens import rules  # noqa: PLC0415 - only where there is something to check

    return {each.id: each.name for each in rules.all_rules(rules.ALL)}


def _with_profile(content: Content, name: str, origin: str) -> Content:
    """Content with a profile on top: one of the file, else one of awrlens."""
    from awrlens.profiles import PROFILES  # noqa: PLC0415 - only where one is named

    settings = content.profiles.get(name) or (PROFILES[name].settings if name in PROFILES else None)
    if settings is None:
        names = [*content.profiles, *PROFILES]
        raise UsageError(
            f"Unknown profile {name!r}.",
            hint=nearest.either(name, names, f"Profiles are {', '.join(names)}."),
        )
    if content.written is not None and name in content.profiles:
        written = content.written.within("profiles", name)
    else:
        written = _File(origin, origin, "")
    return written.under(content, settings)._replace(profile=name)


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
    """A file with all thresholds, their meanings and defaults, commented out."""
    from awrlens.advice.devices import DEFAULT, DEVICES  # noqa: PLC0415
    from awrlens.profiles import PROFILES  # noqa: PLC0415

    lines = [
        f"# {FILE}: read from a report's folder or above. `awrlens config show` prints all values.",
        "",
        f"# Storage to model in verdicts: {', '.join(DEVICES)},",
        "# or a latency: 0.2ms (0.2ms/0.5ms: redo write / read).",
        f'# device = "{DEFAULT.name}"',
        "",
        f"# Set of settings: {', '.join(PROFILES)}, or one of [profiles.NAME] in this file.",
        '# profile = "prod-oltp"',
        "",
        "# Service levels and custom rules (docs/budgets.md), and plugins (docs/plugins.md).",
        '# budgets = ["team.budgets"]',
        "# plugins = true",
        "",
        "[check]",
        "# `awrlens check` fails on: critical, warning, info, or rules (REDO, TEMP002).",
        '# fail-on = ["warning"]',
        "# Skipped inputs and checks fail too, as with --strict.",
        "# fail-on-unassessable = true",
        "# Rules to check and rules to ignore; the longer selector wins.",
        '# select = ["ALL"]',
        '# ignore = ["INTG"]',
        "# Known findings with reason and expiry date, from `awrlens baseline create`.",
        '# baseline = "awrlens-baseline.json"',
        "",
        "# Custom severities, by rule or family.",
        "# [check.severity]",
        '# REDO006 = "info"',
        "",
        "# Rules to ignore in some files.",
        "# [check.per-path-ignores]",
        '# "staging/*" = ["INTG"]',
        "",
        "[thresholds]",
    ]
    for name, each in known().items():
        unit = "" if each.unit in ("count", "ratio") else f" ({each.unit})"
        lines += [f"# {each.meaning}{unit}", f"# {name} = {each.default:g}", ""]
    return "\n".join(lines).rstrip() + "\n"
