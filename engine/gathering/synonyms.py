"""Other names of the things that a topic names: "drone" and "UAV", "forecasting" and "prediction".

A library of one field does not tell them: papers use one name and rarely say the other.
"""

from __future__ import annotations

from functools import cache

from engine.retrieval.topic_words import TopicWords, Writing
from engine.text import STOP_WORDS, stem, terms, words
from engine.wordlists import read_lines

Phrase = tuple[str, ...]

MOST_SEARCHED = 3
"""Other names by which a topic is searched as well."""


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    """The groups of `synonyms.txt`: each line has the names of one thing, separated by commas."""
    lines = read_lines("gathering/synonyms.txt")
    return tuple(tuple(name.strip() for name in line.split(",")) for line in lines)


@cache
def _others() -> dict[Phrase, tuple[str, ...]]:
    """The stems of a name → the other names of the same thing."""
    found: dict[Phrase, tuple[str, ...]] = {}
    for names in _groups():
        for name in names:
            key = _stems(name)
            others = (other for other in names if _stems(other) != key)
            found[key] = tuple(dict.fromkeys((*found.get(key, ()), *others)))
    return found


def _stems(text: str) -> Phrase:
    return tuple(stem(word) for word in words(text) if word not in STOP_WORDS)


def _find_named(topic: str) -> list[tuple[int, int]]:
    """The first word and the end of each name in a topic that has other names; the longest of those that overlap."""
    stems = [stem(word) for word in words(topic)]
    longest = max(map(len, _others()))
    found: list[tuple[int, int]] = []
    for size in range(min(longest, len(stems)), 0, -1):
        for start in range(len(stems) - size + 1):
            is_free = all(start + size <= begin or end <= start for begin, end in found)
            if is_free and tuple(stems[start : start + size]) in _others():
                found.append((start, start + size))
    return sorted(found)


def find_synonyms(topic: str, said: TopicWords) -> list[Writing]:
    """The other names of what a topic names, as writings of its words ``said``."""
    stems = [stem(word) for word in words(topic)]
    place = {s: i for i, s in enumerate(said.stems)}
    writings: list[Writing] = []
    for start, end in _find_named(topic):
        if positions := tuple(place[s] for s in stems[start:end] if s in place):
            others = map(_stems, _others()[tuple(stems[start:end])])
            writings += [Writing(form, positions) for other in others for form in (other, *_hyphenate(other))]
    return writings


def _hyphenate(name: Phrase) -> list[Phrase]:
    """The name with a hyphen between two of its words: "point-set registration"."""
    return [(*name[:at], f"{name[at]}-{name[at + 1]}", *name[at + 2 :]) for at in range(len(name) - 1)]


def say_otherwise(topic: str) -> list[str]:
    """The topic with another name in place of one that it has, at most `MOST_SEARCHED` times."""
    plain = words(topic)
    stems = [stem(word) for word in plain]
    named = ((start, end, other) for start, end in _find_named(topic) for other in _others()[tuple(stems[start:end])])
    said = (" ".join((*plain[:start], other, *plain[end:])) for start, end, other in named)
    return [other for other in said if set(terms(other)) != set(terms(topic))][:MOST_SEARCHED]
