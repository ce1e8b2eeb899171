"""Every compiled pattern of awrlens, and strings made to lead each astray."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import awrlens
from awrlens.lazy import Regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: The parser of the library: what a pattern repeats is told by its tree.
_parser: Any = importlib.import_module("re._parser")
_ALPHABET: Final = " a1A-:<>\n\t.,;/\\'\"=|()#*_\r&@\u00a0é"
_CATEGORIES: Final = {
    "CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S", "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W",
}  # fmt: skip
#: What repeats no more often than this is as good as written out.
_OFTEN: Final = 64
#: Ways to match at one place only: no search begins anew behind it.
_AT_ONE_PLACE: Final = {"match", "fullmatch"}
_FUNCTIONS: Final = {"search", "findall", "finditer", "sub", "subn", "split", *_AT_ONE_PLACE}


class Pattern(NamedTuple):
    """A pattern, where it stands, and whether it is tried at one place of a text only."""

    where: str
    pattern: re.Pattern[Any]
    at_one_place: bool

    def work(self, text: str) -> int:
        """Matches in a text, all that a search, a substitution or a split would find."""
        encoded: Any = text
        if isinstance(self.pattern.pattern, bytes):
            encoded = text.encode("utf-8", "replace")
        if self.at_one_place:
            return int(self.pattern.match(encoded) is not None)
        return sum(1 for _ in self.pattern.finditer(encoded))


@cache
def everywhere() -> tuple[Pattern, ...]:
    """The patterns of all modules: those with names, within others, and literals of calls."""
    found: dict[tuple[Any, int, bool], Pattern] = {}
    texts = {}
    for info in pkgutil.walk_packages(awrlens.__path__, "awrlens."):
        if not info.name.endswith("__main__"):
            module = importlib.import_module(info.name)
            texts[info.name] = Path(str(module.__file__)).read_text(encoding="utf-8")
    for name, text in texts.items():
        for label, pattern in _named(sys.modules[name], name):
            uses = text if label.startswith("_") else "\n".join(texts.values())
            ways = set(re.findall(rf"\b{re.escape(label)}\.(\w+)", uses)) & _FUNCTIONS
            at_one_place = bool(ways) and ways <= _AT_ONE_PLACE
            each = Pattern(f"{name}.{label}", pattern, at_one_place)
            found.setdefault((pattern.pattern, pattern.flags, at_one_place), each)
        for line, pattern, at_one_place in _literal(text):
            each = Pattern(f"{name}:{line}", pattern, at_one_place)
            found.setdefault((pattern.pattern, pattern.flags, at_one_place), each)
    return tuple(found.values())


def _named(module: object, name: str) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for label, value in vars(module).items():
        yield from ((label, each) for each in _within(value, name, 0))


def _within(value: object, name: str, depth: int) -> Iterator[re.Pattern[Any]]:
    """Patterns in a value, in its items, and in the classes and functions of a module."""
    if isinstance(value, Regex):
        yield value.compiled()
    elif isinstance(value, re.Pattern):
        yield value
    elif depth > 4 or isinstance(value, str | bytes):
        return
    elif isinstance(value, dict):
        for item in (*value, *value.values()):
            yield from _within(item, name, depth + 1)
    elif isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from _within(item, name, depth + 1)
    elif str(getattr(value, "__module__", "")).startswith("awrlens") and hasattr(value, "__dict__"):
        for item in list(vars(value).values()):
            yield from _within(item, name, depth + 1)
        yield from _within(getattr(value, "__defaults__", None) or (), name, depth + 1)


def _literal(module: str) -> Iterator[tuple[int, re.Pattern[Any], bool]]:
    """Patterns that calls of `re` have as literals."""
    for node in ast.walk(ast.parse(module)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _FUNCTIONS
            and isinstance(node.args[0], ast.Constant)
        ):
            flags = re.I if any("re.I" in ast.unparse(each) for each in node.args[1:]) else 0
            text: Any = node.args[0].value
            pattern = re.compile(text, flags)
            yield node.lineno, pattern, node.func.attr in _AT_ONE_PLACE


def pumps(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """What leads and what is repeated, made of the parts of a pattern: each may go on for ever."""
    text = pattern.pattern
    tree = _parser.parse(text, pattern.flags & ~re.U if isinstance(text, bytes) else pattern.flags)
    yield from dict.fromkeys(_of(tree, ""))


def _of(nodes: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    for node in nodes:
        operation, value = str(node[0]), node[1]
        if "REPEAT" in operation:
            least, most, body = value
            if most > _OFTEN:
                for piece in _samples(body):
                    yield before, piece
                    yield "", before + piece
            yield from _of(body, before)
            before += _sample(body) * max(least, 1)
            continue
        for part in _parts(operation, value):
            yield from _of(part, before)
        before += _sample([node])
        if before:
            yield "", before


def _parts(operation: str, value: Any) -> list[Any]:
    if operation == "BRANCH":
        return list(value[1])
    if operation == "SUBPATTERN":
        return [value[-1]]
    if operation in ("ASSERT", "ASSERT_NOT"):
        return [value[1]]
    return [value] if operation == "ATOMIC_GROUP" else []


def _samples(nodes: Any) -> list[str]:
    """Some texts that nodes match: of one class of characters several."""
    if len(nodes) == 1:
        operation, value = str(nodes[0][0]), nodes[0][1]
        if operation == "IN":
            return _fitting(value)[:6]
        if operation == "BRANCH":
            return [text for each in value[1] for text in _samples(each)][:6]
        if operation == "SUBPATTERN":
            return _samples(value[-1])
        if operation in ("ANY", "NOT_LITERAL"):
            return [char for char in "a <-:" if operation == "ANY" or ord(char) != value]
    return [text for text in (_sample(nodes),) if text]


def _sample(nodes: Iterable[Any]) -> str:
    text = ""
    for node in nodes:
        operation, value = str(node[0]), node[1]
        if operation == "LITERAL":
            text += chr(value)
        elif operation == "NOT_LITERAL":
            text += "a" if value != ord("a") else "b"
        elif operation == "IN":
            text += next(iter(_fitting(value)), "")
        elif operation == "ANY":
            text += "a"
        elif "REPEAT" in operation:
            text += _sample(value[2]) * max(value[0], 1)
        elif operation not in ("ASSERT", "ASSERT_NOT"):
            text += next((_sample(part) for part in _parts(operation, value)), "")
    return text


def _fitting(items: Any) -> list[str]:
    """Characters of a class, those of the pattern itself first."""
    negated = str(items[0][0]) == "NEGATE"
    own = [chr(value) for operation, value in items if str(operation) == "LITERAL"]
    own += [chr(value[0]) for operation, value in items if str(operation) == "RANGE"]
    return [
        char
        for char in dict.fromkeys([*own, *_ALPHABET])
        if any(_is_in(char, item) for item in items) != negated
    ]


def _is_in(char: str, item: Any) -> bool:
    operation, value = str(item[0]), item[1]
    if operation == "LITERAL":
        return bool(ord(char) == value)
    if operation == "RANGE":
        return bool(value[0] <= ord(char) <= value[1])
    if operation == "CATEGORY":
        return re.match(_CATEGORIES[str(value)], char) is not None
    return False
