"""A topic's words in papers: how rare they are and how strongly a paper says them, alike for every store of papers.

What matters in a topic is told by rarity in the library: no word is listed here. Abbreviations are those that papers
themselves spell out: "visual place recognition (VPR)".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import pairwise

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


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Where a word stands: row i of each array is one paper, with its count in the title and in title and abstract."""

    rows: NDArray[np.int32]
    title: NDArray[np.float32]
    text: NDArray[np.float32]


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


Find = Callable[[str], Occurrences]


def find_words(topic: TopicWords, find: Find) -> tuple[Occurrences, ...]:
    """Where each word of the topic stands, in any of its writings."""
    found = {s: find(s) for s in topic.all_stems()}
    own = [found[s] for s in topic.stems]
    united = []
    for position, word in enumerate(own):
        others = [w for w in topic.writings if position in w.positions and _means_it(w, found, own)]
        united.append(_unite(word, [[found[s] for s in w.stems] for w in others]))
    return tuple(united)


def _means_it(writing: Writing, found: Mapping[str, Occurrences], own: Sequence[Occurrences]) -> bool:
    """Whether a writing is here; an abbreviation counts where most papers that have it have the topic's words too."""
    if not all(len(found[s].rows) for s in writing.stems):
        return False
    if not writing.is_abbreviation or len(writing.stems) > 1:
        return True
    short = found[writing.stems[0]].rows
    both = reduce(np.intersect1d, [own[at].rows for at in writing.positions], short)
    return len(both) * 2 >= len(short)


def _unite(own: Occurrences, others: Sequence[Sequence[Occurrences]]) -> Occurrences:
    """The greatest count among the word itself and its writings; a writing of several words counts its rarest."""
    if not others:
        return own
    written = [own, *map(_together, others)]
    # Not `np.union1d`, which hashes and takes fifty times as long.
    every = np.sort(np.concatenate([one.rows for one in written]), kind="stable")
    rows = every[np.diff(every, prepend=-1) > 0]
    title, text = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    for one in written:
        places = np.searchsorted(rows, one.rows)
        title[places] = np.maximum(title[places], one.title)
        text[places] = np.maximum(text[places], one.text)
    return Occurrences(rows, title, text)


def _together(words: Sequence[Occurrences]) -> Occurrences:
    """Where all of some words stand, with the counts of the rarest there."""
    rows = reduce(partial(np.intersect1d, assume_unique=True), [word.rows for word in words])
    places = [np.searchsorted(word.rows, rows) for word in words]
    titles = [word.title[at] for word, at in zip(words, places, strict=True)]
    texts = [word.text[at] for word, at in zip(words, places, strict=True)]
    return Occurrences(rows, np.minimum.reduce(titles), np.minimum.reduce(texts))


def rarity(papers_with: Sequence[int], papers: int) -> Scores:
    """Inverse document frequency of each word, log(papers / papers with it); one that is nowhere counts as in one."""
    result: Scores = np.log(max(2, papers) / np.maximum(1, np.array(papers_with, np.float64)))
    return np.maximum(result, 1e-3)


def measure_words(
    topic: TopicWords,
    found: Sequence[Occurrences],
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
        times = word.text + (TITLE_WEIGHT - 1.0) * word.title
        long = 1.0 - BM25_LENGTH + BM25_LENGTH * lengths[word.rows] / max(1.0, usual_length)
        bm25[word.rows] += weight * times * (BM25_SATURATION + 1.0) / (times + BM25_SATURATION * long)
        if at not in topic.uncounted:
            said[word.rows] += weight / total
            titled[word.rows] += weight / total * (word.title > 0)
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
    """Finds where a stem stands among papers, given the stems of each title, and of title and abstract together."""
    in_titles, in_texts = [Counter(title) for title in titles], [Counter(text) for text in texts]

    def find(stem: str) -> Occurrences:
        title = np.array([counts.get(stem, 0) for counts in in_titles], np.float32)
        text = np.array([counts.get(stem, 0) for counts in in_texts], np.float32)
        rows = np.flatnonzero(text).astype(np.int32)
        return Occurrences(rows, title[rows], text[rows])

    return find


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
        elif short in place:
            writings.append(Writing(phrase, (place[short],), is_abbreviation=True))
    return replace(topic, writings=tuple(dict.fromkeys(writings)))
