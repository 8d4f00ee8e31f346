"""Examples for the classifier that are written as a grammar: `paraphrases.toml`, each way expanded a few times."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from bot.commands.intents.vocabulary import data

_CHOICE = re.compile(r"\(([^()]*)\)")
_SLOT = re.compile(r"<(\w+)>")
_MOST_EXPANSIONS = 16
"""How often a way is expanded at most: as often as its longest list of alternatives, so that each of them is said."""


def expand_paraphrases() -> Iterator[dict[str, str]]:
    """Text, phase and meaning of each paraphrase, the same ones each time."""
    for rule in data("paraphrases")["paraphrase"]:
        for way in filter(None, rule["ways"].splitlines()):
            for number, (text, means) in enumerate(_expand_way(way, rule["means"])):
                phases = rule["phases"].split()
                yield {"text": text, "phase": phases[number % len(phases)], "means": means}


def _expand_way(way: str, means: str) -> list[tuple[str, str]]:
    longest = max((len(found.split("|")) for found in _CHOICE.findall(way)), default=1)
    start = random.Random(way).randrange(1_000)
    slots = data("paraphrases")["slots"]
    drawn = (_draw(way, means, slots, start + number) for number in range(min(longest, _MOST_EXPANSIONS)))
    return list(dict.fromkeys(drawn))


def _draw(way: str, means: str, slots: Mapping[str, list[str]], number: int) -> tuple[str, str]:
    """One of what the way stands for, and the meaning with the same words in it; the next number takes the next ones.

    Lists of one length do not stay side by side: each passes over another count of its alternatives.
    """
    steps = count(1)

    def choose(alternatives: Sequence[str]) -> str:
        step = next(steps)
        return alternatives[(number + step * (number // len(alternatives)) + step) % len(alternatives)]

    while _CHOICE.search(way):
        way = _CHOICE.sub(lambda found: choose(found[1].split("|")), way)
    drawn = {name: choose(slots[name]) for name in dict.fromkeys(_SLOT.findall(way))}

    def fill(template: str) -> str:
        return " ".join(_SLOT.sub(lambda found: drawn.get(found[1], ""), template).split()).replace(" '", "'")

    return fill(way), fill(means).replace("“", "").replace("”", "")
