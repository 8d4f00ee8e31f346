"""What the classifier sees: words, letters in words, and where they were said. Linear in the length of the text."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from adapters.chat import Place

BUCKETS = 1 << 15
"""Features are named by a hash; at 20,000 of them about a quarter share their bucket with another."""
LONGEST = 300
"""Characters that are looked at: what a longer message wants stands in its beginning."""
_WORD = re.compile(r"\[?\d+(?:[.\-–]\d+)*\]?|[^\W\d_]+(?:['’][^\W\d_]+)*|[?!.,:@/=]")
_DRAWN_OUT = re.compile(r"([^\W\d_])\1{2,}")
_MOST_LETTERS = 5
_CONTEXT_WEIGHT = 0.5
"""Of each feature of the context, where the words' and the letters' have length 1."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Where words were said: at what step, in what place, whether more people than one have spoken there.

    ``before`` are the last two messages, the latest last: ``bot``, ``colleague`` or ``owner``, with ``?`` where it
    asks. ``by_owner`` says that the survey is the speaker's, who is asked sooner than left without an answer.
    """

    phase: str
    place: Place = "direct"
    others: bool = False
    before: tuple[str, ...] = ()
    by_owner: bool = False

    @property
    def among_people(self) -> bool:
        """Whether the words may be meant for somebody else."""
        return self.place == "thread" and self.others


def read_words(text: str) -> list[str]:
    """The words as they are compared: numbers are 0, those with a point 0.0, references [0]; “gooo” is “go”."""
    text = _DRAWN_OUT.sub(r"\1", text[:LONGEST].lower())
    return [_hide_number(word) if word.strip("[]")[:1].isdecimal() else word for word in _WORD.findall(text)]


def _hide_number(word: str) -> str:
    return "[0]" if word[0] == "[" else "0.0" if "." in word else "0"


def describe(text: str, heard: Heard) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The features of the words, of their letters, and of the context."""
    said = read_words(text)
    return tuple(_list_words(said)), tuple(_list_letters(said)), tuple(_list_context(said, heard))


def _list_words(said: Sequence[str]) -> Iterator[str]:
    padded = ["<", *said, ">"]
    yield from (f"w {word}" for word in said)
    yield from (f"w {first} {second}" for first, second in pairwise(padded))


def _list_letters(said: Sequence[str]) -> Iterator[str]:
    for word in said:
        padded = f" {word} "
        for count in range(3, _MOST_LETTERS + 1):
            yield from (f"l {padded[start : start + count]}" for start in range(max(1, len(padded) - count + 1)))


def _list_context(said: Sequence[str], heard: Heard) -> Iterator[str]:
    talk = heard.place if heard.place != "thread" else "people" if heard.others else "direct"
    length = "short" if len(said) <= 3 else "long"
    yield f"c {heard.phase}"
    yield f"c {talk}"
    yield f"c {length} {talk}"
    numbers = min(2, sum(word in {"0", "0.0", "[0]"} for word in said))
    yield f"c numbers {numbers} {heard.phase}"
    yield f"c {said[0] if said else ''} numbers {numbers}"  # “what is new after 5 years” names no section
    if talk == "people":
        latest = heard.before[-1] if heard.before else "unknown"
        yield f"c after {latest}"
        yield f"c {length} after {latest.rstrip('?')}"
    if said[-1:] == ["?"]:
        yield f"c asks {heard.phase}"


def weigh(groups: Sequence[Sequence[str]], rarity: NDArray[np.float32]) -> dict[int, float]:
    """Bucket → weight: tf-idf of length 1 for words and for letters, a fixed weight for the context."""
    found: defaultdict[int, float] = defaultdict(float)
    *counted, context = groups
    for names in counted:
        counts = Counter(name_bucket(name) for name in names)
        weights = {b: (1 + math.log(n)) * float(rarity[b]) for b, n in counts.items()}
        length = math.sqrt(sum(w * w for w in weights.values())) or 1.0
        for bucket, weight in weights.items():
            found[bucket] += weight / length
    for name in context:
        found[name_bucket(name)] += _CONTEXT_WEIGHT
    return dict(found)


def name_bucket(feature: str) -> int:
    """The number that a feature goes by, the same in every process."""
    return zlib.crc32(feature.encode()) % BUCKETS
