"""Pseudonyms, and which words of a report are Oracle's: all others are treated as names.

A pseudonym is the HMAC-SHA-256 of the case-folded name, cut to its length, because columns of text
reports depend on it. Without the key, nobody can translate it back. Short names have few: if one is
in use, the next is computed. If a word of Oracle is missing here, a redacted report loses a word
but never reveals a name.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from awrlens.errors import UsageError, reason
from awrlens.lazy import NamedTuple, beside, regex
from awrlens.oracle.statements import DIFFERS
from awrlens.source import files

if TYPE_CHECKING:
    from collections.abc import Container


#: Consonants only, so that a pseudonym is not a word; without M, R, S and T, so that it does not
#: look like TMP, RBS or RLB, which identify temporary and undo tablespaces.
_LETTERS: Final = "bcdfghjklnpqvwxz"
_LETTERS_AND_DIGITS: Final = _LETTERS + "2345678923456789"
_DIGITS: Final = "0123456789"
#: Used if the other pseudonyms are exhausted: short names of a large database.
_ALL: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
#: Minimum number of letters next to ``undo`` or ``temp`` for an underscore between them.
_ROOM: Final = 4
#: What follows the name of a sequence.
_NEXTVAL = regex(r"\.nextval\b", re.I)
#: Filler letters for SQL statements and addresses.
_FILLER: Final = "JKQVWZ"
#: These parts identify temporary and undo tablespaces, so a pseudonym keeps them: at the beginning
#: of a name, alone with digits, or at its end.
_UNDO: Final = regex(r"undo|rollback|(?:^|(?<=_))r(?:bs|lb)|r(?:bs|lb)(?=\d*$)", re.I)
_TEMP: Final = regex(r"^(?:temp|tmp)|(?:temp|tmp)(?=\d*$)", re.I)
_NUMBERED: Final = regex(r"(?:temp|tmp)(?:orary)?_?\d*$", re.I)
#: Text reports cut the tablespace name next to its files to this many letters.
_CUT: Final = 24
_MOST_DRAWS: Final = 512
_KEY_BYTES: Final = 32
#: Longer than nearly all SQL statements.
_LONG_SEED: Final = 2**12


class _Mark(NamedTuple):
    text: str = ""
    #: Number of digits after it if the name ends with it; None if its position does not matter.
    digits_behind: int | None = None
    #: Whether only digits may follow it.
    numbered: bool = False


class Names:
    """Pseudonyms of one key; ``map_file`` holds the key and the mapping."""

    def __init__(self, map_file: str | None = None, key: bytes | None = None) -> None:
        self._file = map_file
        self._key = key or secrets.token_bytes(_KEY_BYTES)
        #: Pseudonym in lower case → name as first seen.
        self.originals: dict[str, str] = {}
        self._pseudonyms: dict[str, str] = {}
        #: Digests of texts that are already redacted.
        self.done: set[str] = set()
        #: Words of the current text and of Oracle: pseudonyms must differ from them.
        self.avoid: Container[str] = ()
        if map_file is not None and Path(map_file).exists():
            self._load(map_file)

    def knows(self, text: str) -> bool:
        """Whether a text was already redacted with this key; it then stays unchanged."""
        return self._digest(text) in self.done

    def remember(self, text: str) -> None:
        """Mark a text as redacted."""
        self.done.add(self._digest(text))

    def _digest(self, text: str) -> str:
        return hmac.digest(self._key, f"text {text}".encode("utf-8", "replace"), "sha256").hex()

    def of(self, word: str) -> str:
        """The pseudonym of a name, with the same length and case."""
        folded = word.casefold()
        folded = folded if len(folded) == len(word) else word
        drawn = self._pseudonyms.get(folded)
        if drawn is None:
            drawn = self._pseudonyms[folded] = self._draw(folded)
            self.originals[drawn.lower()] = word
        if word.isupper() or not any(letter.isalpha() for letter in word):
            return drawn.upper()
        if word.islower():
            return drawn
        return "".join(b.upper() if a.isupper() else b for a, b in zip(word, drawn, strict=True))

    def original(self, pseudonym: str) -> str:
        """The name behind a pseudonym; any other word is returned unchanged."""
        return self.originals.get(pseudonym.lower(), pseudonym)

    def address(self, text: str) -> str:
        """The pseudonym of a network address: letters instead of digits."""
        letters = self._stream(f"address {text}", len(text), _FILLER)
        return "".join(b if a.isdigit() else a for a, b in zip(text, letters, strict=True))

    def filler(self, text: str, seed: str) -> str:
        """The replacement of an SQL statement; punctuation stays, and what takes a number.

        Statements that differ only in literals still do: the rest has the same letters.
        """
        # a seed is hashed for every few letters of the text
        same, whole = (
            hashlib.sha256(part.encode("utf-8", "replace")).hexdigest() if len(part) > _LONG_SEED
            else part for part in (DIFFERS.sub("", seed.lower()), seed)
        )  # fmt: skip
        shared = iter(self._stream(f"sql {same}", len(text), _FILLER))
        own, digits = (self._stream(f"own {whole}", len(text), of) for of in (_FILLER, _DIGITS))
        literal = {at: digits if match[0].isdigit() else own for match in DIFFERS.finditer(text)
                   for at in range(*match.span())}  # fmt: skip
        clean = "".join(
            (literal[at][at] if at in literal else next(shared))
            if letter.isalnum() or letter in "_$#" else letter
            for at, letter in enumerate(text)
        )  # fmt: skip
        for taken in _NEXTVAL.finditer(text):
            clean = f"{clean[: taken.start()]}{taken[0]}{clean[taken.end() :]}"
        return clean

    def file(self, name: str) -> str:
        """The pseudonym of a file name: without its folder, with its suffix."""
        base = re.split(r"[/\\!]", name.partition("#")[0])[-1]
        number = name.rpartition("#")[2] if "#" in name else ""
        suffix = Path(base).suffix if re.fullmatch(r"\.[A-Za-z]{2,4}", Path(base).suffix) else ""
        ours = re.fullmatch(r"report-[a-z0-9]{8}", base.removesuffix(suffix))
        stem = base.removesuffix(suffix) if ours else (
            f"report-{self._stream(f'file {base.casefold()}', 8, _LETTERS_AND_DIGITS)}"
        )  # fmt: skip
        if not ours:
            self.originals.setdefault(stem, name)
        return stem + suffix + (f"#{number}" if number else "")

    def save(self) -> None:
        """Write the map, readable by its owner only, if one was requested."""
        if self._file is None:
            return
        lines: list[dict[str, object]] = [{"key": self._key.hex(), "redacted": sorted(self.done)}]
        lines += [{"pseudonym": p, "original": o} for p, o in sorted(self.originals.items())]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        try:
            files.write(self._file, text, private=True)
        except OSError as problem:
            why = f"The map {self._file} cannot be written: {reason(problem)}."
            raise UsageError(why) from None

    def _load(self, file: str) -> None:
        try:
            lines = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]
            self._key = bytes.fromhex(lines[0]["key"])
            self.done = set(lines[0]["redacted"])
            self.originals = {line["pseudonym"]: line["original"] for line in lines[1:]}
        except (OSError, ValueError, LookupError, TypeError):
            raise UsageError(
                f"{file} is not a map written by awrlens.", hint="Use a new file or the right one."
            ) from None
        if len(self._key) < _KEY_BYTES:
            raise UsageError(f"The key in {file} is too short.", hint="Use a new file.")
        self._pseudonyms = {o.casefold(): p for p, o in self.originals.items()}

    def _draw(self, folded: str) -> str:
        telling = _UNDO.search(folded) or _TEMP.search(folded)
        mark = _mark(folded, telling) if telling else _Mark()
        begin = ""
        if len(folded) > _CUT and not (telling and telling.start() < _CUT < telling.end()):
            # where reports cut a name, they cut its pseudonym as well
            begin = self.of(folded[:_CUT])
            mark = _Mark() if telling and telling.start() < _CUT else mark
        drawn = ""
        for number in range(_MOST_DRAWS):
            letters = _LETTERS_AND_DIGITS if number < _MOST_DRAWS // 2 else _ALL
            letters = _DIGITS if folded.isdecimal() or mark.numbered else letters
            size = len(folded) - len(begin)
            drawn = begin + self._candidate(f"{number} {folded}", size, mark, letters)
            if drawn not in self.originals and drawn not in self.avoid and drawn != folded:
                break
        return drawn

    def _candidate(self, seed: str, size: int, mark: _Mark, letters: str) -> str:
        kept, end = mark.text, ""
        if mark.digits_behind is not None:
            behind = self._stream(f"behind {seed}", mark.digits_behind, _DIGITS)
            kept, end = "", f"{mark.text}{behind}"
        size -= len(kept) + len(end)
        if not size:
            return kept + end
        if kept and size >= _ROOM:
            kept, size = f"{kept}_", size - 1
        begins = {_DIGITS: _DIGITS[1:], _ALL: _ALL}.get(letters, _LETTERS)
        first = self._stream(f"first {seed}", 1, begins)
        return kept + first + self._stream(seed, size - 1, letters) + end

    def _stream(self, seed: str, size: int, alphabet: str) -> str:
        """Letters derived from the key, with about equal probability."""
        letters = ""
        block = 0
        while len(letters) < size:
            drawn = hmac.digest(
                self._key, f"{block} {seed}".encode("utf-8", "replace"), hashlib.sha256
            )
            letters += "".join(alphabet[byte % len(alphabet)] for byte in drawn)
            block += 1
        return letters[:size]


def _mark(folded: str, telling: re.Match[str]) -> _Mark:
    if telling.re is _UNDO or not telling.start():
        return _Mark(telling[0], numbered=bool(_NUMBERED.match(folded)))
    return _Mark(telling[0], len(folded) - telling.end())


#: Oracle's words; `tools/grammar.py` writes the second list.
_LISTS: Final = ("words.txt", "described.txt")
#: References for letters in a page, decoded to see whole names.
_REFERENCE: Final = (
    r"&(?:#(?!0*(?:160|3[2-9]|4[0-7]|5[89]|6[0-4]);)\d+|#x(?!0*(?:a0|2\w|3[a-f]);)[0-9a-f]+|"
    r"[a-z]+(?:acute|grave|uml|circ|tilde|cedil|ring|slash|lig));"
)
#: A word: the characters of Oracle identifiers.
WORD: Final = regex(rf"(?:\w|{_REFERENCE})(?:[\w$#]|{_REFERENCE})*", re.I)
#: Numbers with their units, and ordinals: 27.9K, 109.72us, 1st, 64bit, 11g, 2.5E+11.
_FIGURE: Final = regex(
    r"\d+(?:st|nd|rd|th|[kmgtp]b?|b|[mun]?s|us|min|h|x|e|e\d+|g|i|c|ai|bit|xx?)?", re.I
)
ADDRESS: Final = regex(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
#: Paths, names with a disk group, and text around an at sign.
PATH: Final = regex(
    r"(?<![\w<])(?:[A-Za-z]:)?[\\/][\w$#.+-]+[\\/][^\s<>\"'|,;]*|"
    r"(?<![\w<])[A-Za-z]:\\[^\s<>\"'|,;]*|(?<!\w)\+\w+[\\/][^\s<>\"'|,;]*|"
    r"(?<![\w.$#-])[\w.$#-]++@[\w.$#-]++"
)
#: Names of the database in titles and remarks; the groups are names.
TITLES: Final = (
    re.compile(r"DB/Inst: ?([^/\s]{0,128})/(\S+)"),
    re.compile(r" for DB: *(\S+) +Instance: *(\S+)"),
    re.compile(r"DB: *+([^,<\s]{0,128}), *Inst: *([^,<\s]+)"),
    re.compile(r"\bContainer: +([\w$#]+)"),
    re.compile(r"^[^\S\n]*+Module: *(.*)", re.M),
    re.compile(r"\bTask Name *: *(\S+)"),
    re.compile(r"\bTask (?:'(?:ADDM:)?|ADDM:)([^\s']+)"),
)
KEYWORDS: Final[dict[str, list[str]]] = tomllib.loads(beside(__file__, "keywords.toml"))
OWN: Final = frozenset(KEYWORDS["own"])
TRANSPORT: Final = frozenset(KEYWORDS["transport"])
CHOICES: Final = frozenset(KEYWORDS["choices"])
RELEASES: Final = frozenset(("compatible", "optimizer_features_enable"))
#: Parameters whose values are names, even if they look like keywords; a size and a way are none.
NAMING: Final = regex(
    r"^(?!.*_(?:size|management|mapping)$)(?:.*_)?(?:names?|domain|listeners?|services?|hosts?|dest|dispatchers|users?|"
    r"roles?|rooms|tablespaces?|groups?|prefix|files?|convert|config|server|client|directory|plan)"
    r"(?:_|\d|$)"
)


def is_figure(word: str) -> bool:
    """Whether a word is a number, with or without a unit."""
    return _FIGURE.fullmatch(word) is not None


@cache
def vocabulary() -> frozenset[str]:
    """The words of ``words.txt``, and of titles, headings and labels in ``grammars/``."""
    return frozenset(word for file in _LISTS for word in beside(__file__, file).split())


def is_oracles(word: str, also: frozenset[str] = frozenset()) -> bool:
    """Whether a word is Oracle's, or a number with a unit; upper case must match."""
    if len(word) == 1 or is_figure(word):
        return True
    words = vocabulary()
    if word in words or word in also:
        return True
    return not word.isupper() and (word.lower() in words or word.capitalize() in words)
