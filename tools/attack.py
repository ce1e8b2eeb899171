"""Attacks every report of a folder by class and prints the table of docs/fuzzing.md."""

from __future__ import annotations

import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from fuzzing import attacks, plain  # noqa: E402


def main(folder: str, wanted: str = "", *parts: str) -> int:
    """Run all classes, or those in ``wanted``, on all reports, or some; 1 if a fact is wrong."""
    paths = [each for each in sorted(Path(folder).iterdir()) if each.is_file()
             and each.name.startswith(("awr-html", "awr-text", "awr-pdb", "statspack"))
             and (not parts or any(part in each.name for part in parts))]  # fmt: skip
    texts = {path.name: path.read_bytes().decode("latin-1") for path in paths}
    tried: Counter[str] = Counter()
    inputs: Counter[str] = Counter()
    facts: Counter[str] = Counter()
    for name, text in texts.items():
        (_, before), *_ = attacks.read(text)
        cited = attacks.on_cited(text, name, before, attacks.EACH_CITED)
        for each in (*attacks.on_one(text, name), *cited):
            if wanted and each.kind not in wanted.split(","):
                continue
            found = attacks.read(each.text)
            after = found[0][1] if found else {}
            if each.kind in (*attacks.DROPS, *attacks.CITED):
                changed = list(attacks.silent(before, after))
            else:
                changed = list(attacks.wrong(plain.facts(each.text), after))
            _count(each, name, changed, tried, inputs, facts)
    for one, two in pairwise(texts) if not wanted or "joined" in wanted else ():
        known = [plain.facts(texts[each]) for each in (one, two)]
        for each in attacks.on_two(texts[one], texts[two]):
            changed = []
            for report, own in attacks.read(each.text):
                # the figures of one of the two, never of both
                if not report.is_excerpt:
                    both = [list(attacks.wrong(facts_, own)) for facts_ in known]
                    changed += both[len(both[1]) < len(both[0])]
            _count(each, f"{one} + {two}", changed, tried, inputs, facts)
    print("| class | inputs | with a fact changed silently | facts |\n|---|---|---|---|")
    for kind in (*attacks.DROPS, *attacks.FIGURES, *attacks.CITED, *attacks.PAIRS):
        print(f"| {kind} | {tried[kind]:,} | {inputs[kind]:,} | {facts[kind]:,} |")
    return int(any(inputs[kind] for kind in ("section", *attacks.PAIRS)))


def _count(
    each: attacks.Attack, name: str, changed: list[str],
    tried: Counter[str], inputs: Counter[str], facts: Counter[str],
) -> None:  # fmt: skip
    tried[each.kind] += 1
    inputs[each.kind] += bool(changed)
    facts[each.kind] += len(changed)
    for line in changed:
        print(f"{name} {each.kind} {each.where}: {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
