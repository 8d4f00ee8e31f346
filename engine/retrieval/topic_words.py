"""A topic's words in papers: how rare they are and how strongly a paper says them, alike for every store of papers.

What matters in a topic is told by rarity in the library: no word is listed here. Abbreviations are those that papers
themselves spell out: "visual place recognition (VPR)".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.text import STOP_WORDS, find_long_form, stem, words

Scores = NDArray[np.float64]

BM25_SATURATION = 1.2
BM25_LENGTH = 0.75
"""The constants k1 and b of BM25 (Robertson and Zaragoza 2009)."""

TITLE_WEIGHT = 3.0
"""A mention in the title counts as three (BM25F's simple form). With it and the square of the inverse document
frequency, narrow topics of the corpus have .941 at 300 in place of .936, with closeness .951 in place of .910."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Another way of writing: a paper that has all of ``stems`` has the topic's words at these ``positions`` too."""

    stems: tuple[str, ...]
    positions: tuple[int, ...]
    is_abbreviation: bool = False


@dataclass(frozen=True, slots=True)
class TopicWords:
    """The stems of a topic's words that carry meaning, each once, in order, and other ways of writing them.

    A hyphenated word is there as one, followed by its parts that carry meaning. What is at ``uncounted`` positions does
    not count as said: the word as one where it has several such parts, else the only part (“out-of-distribution” is not
    any distribution).
    """

    stems: tuple[str, ...]
    writings: tuple[Writing, ...] = ()
    uncounted: frozenset[int] = frozenset()

    def all_stems(self) -> tuple[str, ...]:
        """Every stem that is looked for, each once."""
        return tuple(dict.fromkeys((*self.stems, *(s for writing in self.writings for s in writing.stems))))


Counts: TypeAlias = NDArray[np.uint8]
"""How often each paper has a word, up to `MOST`: in the title, and in title and abstract; shape (2, papers)."""

MOST = 255


@dataclass(frozen=True, slots=True)
class WordEvidence:
    """How strongly papers name a topic; each of shape (papers,).

    ``bm25`` is Okapi BM25 with squared inverse document frequencies; the others are shares from 0 to 1 of the topic's
    words, weighing as much: ``said`` those in title or abstract, ``titled`` those in the title.
    """

    bm25: Scores
    said: Scores
    titled: Scores


def index_terms(text: str) -> list[str]:
    """What papers are found by: stems of words that carry meaning, in order; a hyphenated word as one and in parts."""
    found = []
    for word in words(text):
        if "-" in word:
            found.append(stem(word.replace("-", "")))
            found += [stem(part) for part in word.split("-") if part and part not in STOP_WORDS]
        elif word not in STOP_WORDS:
            found.append(stem(word))
    return found


def read_topic(topic: str) -> TopicWords:
    """The words of a topic; two that follow one another may be written as one ("deep fake")."""
    stems = tuple(dict.fromkeys(index_terms(topic)))
    place = {s: at for at, s in enumerate(stems)}
    plain = words(topic)
    hyphenated = [[place[s] for s in index_terms(word)] for word in plain if "-" in word]
    uncounted = {at for whole, *parts in hyphenated for at in ([whole] if len(parts) > 1 else parts)}
    writings = []
    for first, second in pairwise(plain):
        ends = place.get(stem(first)), place.get(stem(second))
        if None not in ends:
            positions = tuple(at for at in ends if at is not None)
            writings.append(Writing((stem(f"{first}{second}"),), positions))
    return TopicWords(stems, tuple(w for w in dict.fromkeys(writings) if w.stems != stems), frozenset(uncounted))


Find = Callable[[str], Counts]


def find_words(topic: TopicWords, find: Find) -> list[Counts]:
    """For each word of the topic how often each paper has it, in the writing in which it has it most.

    Of a writing of several words the rarest in the paper counts. An abbreviation counts as a writing only where most
    papers that have it have the topic's words too: else it mostly means something else here.
    """
    found = {s: find(s) for s in topic.all_stems()}
    own = [found[s] for s in topic.stems]
    united = list(own)
    for writing in topic.writings:
        written = np.minimum.reduce([found[s] for s in writing.stems])
        if writing.is_abbreviation and len(writing.stems) == 1:
            both = np.minimum.reduce([written, *(own[at] for at in writing.positions)])
            if count_papers(both) * 2 < count_papers(written):
                continue
        for at in writing.positions:
            united[at] = np.maximum(united[at], written)
    return united


def count_papers(word: Counts) -> int:
    """How many papers have a word."""
    return int(np.count_nonzero(word[1]))


def rarity(papers_with: Sequence[int], papers: int) -> Scores:
    """Inverse document frequency of each word, log(papers / papers with it); one that is nowhere counts as in one."""
    result: Scores = np.log(max(2, papers) / np.maximum(1, np.array(papers_with, np.float64)))
    return np.maximum(result, 1e-3)


def measure_words(
    topic: TopicWords,
    found: Sequence[Counts],
    rarities: Scores,
    lengths: NDArray[np.float32],
    usual_length: float,
) -> WordEvidence:
    """What the words tell of every paper.

    ``rarities`` (words,) in the order of ``found``; ``lengths`` (papers,) and ``usual_length`` count indexed terms.
    """
    bm25, said, titled = (np.zeros(len(lengths)) for _ in range(3))
    weights = rarities**2
    counted = [weight for at, weight in enumerate(weights) if at not in topic.uncounted]
    total = max(1e-9, float(sum(counted)))
    for at, (word, weight) in enumerate(zip(found, weights, strict=True)):
        rows = np.flatnonzero(word[1])
        title, text = word[:, rows].astype(np.float32)
        times = text + (TITLE_WEIGHT - 1.0) * title
        long = 1.0 - BM25_LENGTH + BM25_LENGTH * lengths[rows] / max(1.0, usual_length)
        bm25[rows] += weight * times * (BM25_SATURATION + 1.0) / (times + BM25_SATURATION * long)
        if at not in topic.uncounted:
            said[rows] += weight / total
            titled[rows] += weight / total * (title > 0)
    return WordEvidence(bm25, said, titled)


def measure_texts(
    topic: TopicWords, titles: Sequence[str], abstracts: Sequence[str], rarities: Scores | None = None
) -> WordEvidence:
    """What a topic's words tell of papers that are in no index; without ``rarities`` all words weigh the same."""
    in_titles, in_abstracts = [index_terms(title) for title in titles], [index_terms(text) for text in abstracts]
    texts = [title + abstract for title, abstract in zip(in_titles, in_abstracts, strict=True)]
    lengths = np.array([len(text) for text in texts], np.float32)
    found = find_words(topic, search_stems(in_titles, texts))
    weights = np.ones(len(topic.stems)) if rarities is None else rarities
    return measure_words(topic, found, weights, lengths, float(lengths.mean()) if len(lengths) else 1.0)


def search_stems(titles: Iterable[Iterable[str]], texts: Iterable[Iterable[str]]) -> Find:
    """Counts a stem in papers, given the stems of each title, and of title and abstract together."""
    parts = [list(map(Counter, titles)), list(map(Counter, texts))]
    return lambda stem: np.array([[min(MOST, counts[stem]) for counts in part] for part in parts], np.uint8)


KNOWN_ABBREVIATION, KNOWN_PAIR = 2, 6
"""Papers that must give an abbreviation for a phrase before it stands for it; more for one of two letters, which stands
for many things (ID: intrusion detection, identity, in-distribution)."""

_GIVEN = re.compile(r"(?<=\w )\(([A-Za-z][\w-]{1,9})[),;]")
_BEFORE_CHARACTERS = 100


def read_abbreviations(text: str) -> list[tuple[str, str]]:
    """The phrases that a text abbreviates, each with its abbreviation: "large language models (LLMs)"."""
    given = ((text[max(0, at.start() - _BEFORE_CHARACTERS) : at.start()], at[1]) for at in _GIVEN.finditer(text))
    return [(long, short) for before, short in given if (long := find_long_form(short, before))]


def with_abbreviations(topic: TopicWords, texts: Iterable[str]) -> TopicWords:
    """The topic with abbreviations that these texts give for its phrases (LLM), and with its own written out."""
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    place = {s: i for i, s in enumerate(topic.stems)}
    for text in texts:
        seen.update({(tuple(index_terms(long)), stem(short.lower())) for long, short in read_abbreviations(text)})
    writings = list(topic.writings)
    for (phrase, short), times in seen.items():
        if times < (KNOWN_ABBREVIATION if len(short) > 2 else KNOWN_PAIR):
            continue
        said = phrase if all(s in place for s in phrase) else phrase[1:]  # a kind of it: "large" language models
        if len(said) > 1 and all(s in place for s in said):
            writings.append(Writing((short,), tuple(place[s] for s in said), is_abbreviation=True))
        elif phrase and short in place:
            writings.append(Writing(phrase, (place[short],), is_abbreviation=True))
    return replace(topic, writings=tuple(dict.fromkeys(writings)))
