"""Abbreviations as the papers themselves spell them out: "visual place recognition (VPR)"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from engine.retrieval.topic_words import TopicWords, Writing, index_terms
from engine.text import stem

KNOWN_ABBREVIATION, KNOWN_PAIR = 2, 6
"""Papers that must give an abbreviation for a phrase before it stands for it; more for one of two letters, which stands
for many things (ID: intrusion detection, identity, in-distribution)."""

_GIVEN = re.compile(r"(?<=\w )\(([A-Za-z][\w-]{1,9})[),;]")
_BEFORE_CHARACTERS = 100


def with_abbreviations(topic: TopicWords, texts: Iterable[str]) -> TopicWords:
    """The topic with the abbreviations that these texts give for its phrases: "large language models (LLMs)" → LLM.

    The other way round too: a topic that says LLM is written out. After Schwartz and Hearst (2003).
    """
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    place = {s: i for i, s in enumerate(topic.stems)}
    for text in texts:
        given = ((text[max(0, at.start() - _BEFORE_CHARACTERS) : at.start()], at[1]) for at in _GIVEN.finditer(text))
        seen.update({found for before, short in given if (found := _read_phrase(before, short))})
    writings = list(topic.writings)
    for (phrase, short), times in seen.items():
        if times < (KNOWN_ABBREVIATION if len(short) > 2 else KNOWN_PAIR):
            continue
        said = phrase if all(s in place for s in phrase) else phrase[1:]  # a kind of it: "large" language models
        if len(said) > 1 and all(s in place for s in said):
            writings.append(Writing((short,), tuple(place[s] for s in said), is_abbreviation=True))
        elif short in place:
            writings.append(Writing(phrase, (place[short],), is_abbreviation=True))
    return replace(topic, writings=tuple(dict.fromkeys(writings)))


def _read_phrase(before: str, short: str) -> tuple[tuple[str, ...], str] | None:
    """The words before the bracket that an abbreviation stands for, as stems, and the abbreviation's stem.

    Read from the right, each of its letters is found in the words, the first one at the beginning of a word.
    """
    letters = re.sub(r"[^a-z]", "", short.removesuffix("s").lower())
    if len(letters) < 2 or not any(ch.isupper() for ch in short):
        return None
    text = " ".join(before.lower().replace("-", " ").split()[-min(len(letters) + 5, 2 * len(letters)) :])
    at = len(text)
    for place in reversed(range(len(letters))):
        at = text.rfind(letters[place], 0, at)
        while place == 0 and at > 0 and text[at - 1].isalnum():
            at = text.rfind(letters[0], 0, at)
        if at < 0:
            return None
    return tuple(index_terms(text[at:])), stem(short.lower())
