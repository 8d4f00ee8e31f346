"""A topic's words in papers: other ways of writing them, how rare they are, how strongly a paper names them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.text import STOP_WORDS, stem, terms, words

Scores = NDArray[np.float64]

BM25_SATURATION = 1.2
BM25_LENGTH = 0.75
"""The constants k1 and b of BM25 (Robertson and Zaragoza 2009)."""

MENTION = 0.7
"""One mention of a word in an abstract tells with 1 - e^-0.7 = 0.5 that the paper is about it, each further one, and
the title counts twice, halves the doubt."""

SCARCE = 5
"""A word in fewer papers than this is looked for in its parts."""

KNOWN_ABBREVIATION, KNOWN_PAIR = 2, 6
"""Papers that must give an abbreviation for a phrase before it stands for it; more for one of two letters, which stands
for many things (ID: intrusion detection, identity, in-distribution)."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Another way of writing: a paper that has all of ``stems`` has the topic's words at these ``positions`` too.

    An abbreviation may have another meaning as well, a spelling has not.
    """

    stems: tuple[str, ...]
    positions: tuple[int, ...]
    is_abbreviation: bool = False


@dataclass(frozen=True, slots=True)
class TopicWords:
    """The stems of a topic's words that carry meaning, each once, in order, and other ways of writing them."""

    stems: tuple[str, ...]
    writings: tuple[Writing, ...] = ()

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

    ``bm25`` is Okapi BM25 over title and abstract, for the words as they were said. The others are shares from 0 to 1
    of the topic's words, each weighing the square of its inverse document frequency: ``present`` those that the paper
    has, as they were said; in any writing, ``in_text`` those that it is about (see `MENTION`), ``in_title`` those that
    stand in its title.
    """

    bm25: Scores
    present: Scores
    in_text: Scores
    in_title: Scores

    def at(self, rows: NDArray[np.int64]) -> WordEvidence:
        """For these papers only."""
        return WordEvidence(self.bm25[rows], self.present[rows], self.in_text[rows], self.in_title[rows])


_NAME_BASED = re.compile(r"\b((?=\w*?[A-Z]\w*?[A-Z])\w++)-(?:based|driven|powered|enabled|assisted|guided)\b")


def remove_based(topic: str) -> str:
    """The topic with "EEG" for "EEG-based": papers about it say the name, mostly without the second word.

    Only names go without it: "model-based" and "energy-based" mean more than their first word.
    """
    return _NAME_BASED.sub(r"\1", topic)


def read_topic(topic: str) -> TopicWords:
    """The words of a topic, with the spellings that need no library: hyphens, compounds, British and American."""
    topic = remove_based(topic)
    stems = tuple(dict.fromkeys(terms(topic)))
    stems = tuple(s for s in stems if s not in _OF_ANY_TOPIC) or stems
    plain = words(topic)
    if len(stems) > 2 and plain[-1] in _OF_ANY_SUBJECT:
        stems = tuple(s for s in stems if s != stem(plain[-1]))
    place = {s: i for i, s in enumerate(stems)}
    writings: list[Writing] = []
    for word in plain:
        at = place.get(stem(word))
        if at is None:
            continue
        parts = [part for part in word.split("-") if part]
        if len(parts) > 1:
            writings.append(Writing((stem("".join(parts)),), (at,)))
            carrying = tuple(stem(p) for p in parts if p not in STOP_WORDS)
            # "context" alone is not "in-context".
            writings += [Writing(carrying, (at,))] if len(carrying) > 1 else []
        elif prefixed := _PREFIXED.fullmatch(word):
            writings.append(Writing((stem(f"{prefixed[1]}-{prefixed[2]}"),), (at,)))
        writings += [Writing((stem(other),), (at,)) for other in _other_spellings(word)]
    for first, second in pairwise(plain):
        ends = place.get(stem(first)), place.get(stem(second))
        if first not in STOP_WORDS and second not in STOP_WORDS and None not in ends:
            positions = tuple(at for at in ends if at is not None)
            writings += [Writing((stem(joined),), positions) for joined in (f"{first}-{second}", f"{first}{second}")]
    return TopicWords(stems, tuple(w for w in dict.fromkeys(writings) if w.stems and w.stems != stems))


_PREFIXED = re.compile(
    r"(auto|bi|co|cross|feed|fine|hyper|inter|intra|meta|micro|multi|non|over|post|pre|pseudo|quasi|semi|spatio|sub|"
    r"under|uni)(\w{4,})"
)
"""A word that is often written with a hyphen behind its first part; one that nobody writes so is found nowhere."""


_OF_ANY_TOPIC = frozenset(
    terms(
        "using use based method approach technique survey review overview literature tutorial introduction "
        "recent advance progress trend challenge application paper study research work state-of-the-art new novel "
        "comprehensive comparison comparative versus vs"
    )
)
"""What is said of any topic ("a survey of recent methods for"): it is looked for only where nothing else is said."""


_OF_ANY_SUBJECT = frozenset(["systems", "architectures", "algorithms", "frameworks", "pipelines"])
"""What a topic of several words may end in without meaning more: papers on conversational recommendation are those on
conversational recommender systems."""


OF_ANY_METHOD = frozenset(
    terms(
        "deep machine learning neural network artificial intelligence data-driven algorithm model architecture system"
    )
)
"""What most papers of computer science could say of their methods and need not ("segmentation with deep learning")."""


def is_of_any_method(phrase: str) -> bool:
    """Whether a phrase has no other word than those `OF_ANY_METHOD`: "neural networks"."""
    return OF_ANY_METHOD.issuperset(read_topic(phrase).stems)


OF_ANY_PAPER = frozenset(
    terms("evaluation analysis benchmark dataset efficient effective robust improve performance quality")
)
"""What most papers say of their own work, so that one mention does not tell what they are about."""


IMPLIED = 0.85
IMPLIED_PAPERS = 5
"""A word is implied where so many papers have the topic's other words, and this share of them has it too: then it
tells nothing more ("image" in "medical image segmentation")."""


async def find_implied(stems: Sequence[str], count: Callable[[frozenset[int]], Awaitable[int]]) -> frozenset[int]:
    """The words of a topic that its other words imply, given how many papers have all of some words.

    The most implied word goes first, and so on, since two words may imply each other. Words of any method imply nothing
    where others are there: they may be missing, and "machine" would imply "translation".
    """
    special = frozenset(j for j, word in enumerate(stems) if word not in OF_ANY_METHOD)
    words_there = left = special if len(special) > 1 else frozenset(range(len(stems)))
    while len(left) > 1:
        with_all = await count(left)
        shares = {}
        for word in left:
            others = await count(left - {word})
            if others >= IMPLIED_PAPERS:
                shares[word] = with_all / others
        word = max(shares, key=lambda w: shares[w], default=-1)
        if word < 0 or shares[word] < IMPLIED:
            break
        left -= {word}
    return words_there - left


_SPELLINGS = (
    (re.compile(r"is(e|ed|es|ing|ation|ations)$"), r"iz\1"),
    (re.compile(r"iz(e|ed|es|ing|ation|ations)$"), r"is\1"),
    (re.compile(r"(?<=[a-z])-to-(?=[a-z])"), "2"),
    (re.compile(r"(?<=[a-z]{2})2(?=[a-z]{2})"), "-to-"),
    (re.compile(r"our(s|al|als|ed|ing)?$"), r"or\1"),
    (re.compile(r"or(s|al|als|ed|ing)?$"), r"our\1"),
    (re.compile(r"ogue(s?)$"), r"og\1"),
    (re.compile(r"og(s?)$"), r"ogue\1"),
    (re.compile(r"ys(e|ed|es|ing)$"), r"yz\1"),
    (re.compile(r"yz(e|ed|es|ing)$"), r"ys\1"),
    (re.compile(r"re(s?)$"), r"er\1"),
    (re.compile(r"(?<=[bt])er(s?)$"), r"re\1"),
    (re.compile(r"ll(ing|ed)$"), r"l\1"),
    (re.compile(r"(?<=[^l])l(ing|ed)$"), r"ll\1"),
)


def _other_spellings(word: str) -> list[str]:
    return [other for pattern, spelling in _SPELLINGS if (other := pattern.sub(spelling, word)) != word]


_GIVEN = re.compile(r"(?<=\w )\(([A-Za-z][\w-]{1,9})[),;]")
_BEFORE_CHARACTERS = 100


def with_abbreviations(topic: TopicWords, texts: Iterable[str]) -> TopicWords:
    """The topic with the abbreviations that these texts give for its phrases: "large language models (LLMs)" → LLM.

    The other way round too: a topic that says LLM is written out. After Schwartz and Hearst (2003).
    """
    seen: Counter[tuple[tuple[str, ...], str]] = Counter()
    place = {s: i for i, s in enumerate(topic.stems)}
    begin = {s[:2] for s in place}
    for text in texts:
        given = ((text[max(0, at.start() - _BEFORE_CHARACTERS) : at.start()], at[1]) for at in _GIVEN.finditer(text))
        of_topic = (pair for pair in given if _may_be_of(begin, *pair))
        seen.update({found for before, short in of_topic if (found := _phrase(before, short))})
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


def _may_be_of(begin: Set[str], before: str, short: str) -> bool:
    """Whether an abbreviation, or two words before it, begin as words of the topic do: most do not."""
    return short[:2].lower() in begin or sum(word[:2] in begin for word in words(before.replace("-", " "))) > 1


def _phrase(before: str, short: str) -> tuple[tuple[str, ...], str] | None:
    """The words before the bracket that an abbreviation stands for, as stems, and the abbreviation's stem.

    Read from the right, each of its letters is found in the words, the first one at the beginning of a word.
    """
    letters = re.sub(r"[^a-z]", "", short.removesuffix("s").lower())
    if len(letters) < 2 or not any(ch.isupper() for ch in short):
        return None
    text = " ".join(before.lower().split()[-min(len(letters) + 5, 2 * len(letters)) :])
    at = len(text)
    for place in reversed(range(len(letters))):
        at = text.rfind(letters[place], 0, at)
        while place == 0 and at > 0 and text[at - 1].isalnum():
            at = text.rfind(letters[0], 0, at)
        if at < 0:
            return None
    return tuple(terms(text[at:])), stem(short.lower())


_ABOUT = 1.0 - np.exp(-MENTION * np.arange(32))
"""How likely a paper is about a word with so many mentions, those in the title counted twice."""

Find = Callable[[str], Occurrences]


@dataclass(frozen=True)
class FoundWords:
    """Where a topic's words stand among papers: ``said`` as they were said, ``written`` in any of their writings."""

    said: tuple[Occurrences, ...]
    written: tuple[Occurrences, ...]


def find_words(topic: TopicWords, find: Find) -> FoundWords:
    """Where each word of the topic stands; a word that hardly occurs as said, as written."""
    found = {s: find(s) for s in topic.all_stems()}
    own = [found[s] for s in topic.stems]
    written = []
    for position, word in enumerate(own):
        others = [w for w in topic.writings if position in w.positions and _means_it(w, found, own)]
        written.append(_unite(word, [[found[s] for s in w.stems] for w in others]))
    said = [word if len(word.rows) >= SCARCE else other for word, other in zip(own, written, strict=True)]
    return FoundWords(tuple(said), tuple(written))


def _means_it(writing: Writing, found: Mapping[str, Occurrences], own: Sequence[Occurrences]) -> bool:
    """Whether a writing stands for the topic's words in these papers.

    An abbreviation does where most papers that have it have those words too ("AD" is not always autonomous driving);
    several words, which need not stand side by side, only where the word itself hardly occurs.
    """
    if not all(len(found[s].rows) for s in writing.stems):
        return False
    words = [own[at] for at in writing.positions]
    if len(writing.stems) > 1:
        return all(len(word.rows) < SCARCE for word in words)
    if not writing.is_abbreviation:
        return True
    short = found[writing.stems[0]].rows
    both = reduce(lambda rows, word: rows[_among(rows, word.rows)], words, short)
    return len(both) * 2 >= len(short)


def _among(rows: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which of the rows are among the others; both ascend."""
    if len(others) == 0:
        return np.zeros(len(rows), dtype=bool)
    places = np.minimum(np.searchsorted(others, rows), len(others) - 1)
    found: NDArray[np.bool_] = others[places] == rows
    return found


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
    found: FoundWords, rarities: Scores, lengths: NDArray[np.float32], usual_length: float
) -> WordEvidence:
    """What the words tell of every paper.

    ``rarities`` (words,) as said, in the order of ``found``; ``lengths`` (papers,) and ``usual_length`` are numbers of
    words that carry meaning.
    """
    bm25, present, in_text, in_title = (np.zeros(len(lengths)) for _ in range(4))
    weights = rarities**2 / max(1e-9, float((rarities**2).sum()))
    for word, rare, weight in zip(found.said, rarities, weights, strict=True):
        long = 1.0 - BM25_LENGTH + BM25_LENGTH * lengths[word.rows] / max(1.0, usual_length)
        bm25[word.rows] += rare * word.text * (BM25_SATURATION + 1.0) / (word.text + BM25_SATURATION * long)
        present[word.rows] += weight
    for word, weight in zip(found.written, weights, strict=True):
        in_text[word.rows] += weight * _ABOUT[np.minimum(word.title + word.text, len(_ABOUT) - 1).astype(np.int64)]
        in_title[word.rows] += weight * (word.title > 0)
    return WordEvidence(bm25, present, in_text, in_title)


def measure_texts(
    topic: TopicWords, titles: Sequence[str], abstracts: Sequence[str], rarities: Scores | None = None
) -> WordEvidence:
    """What a topic's words tell of papers that are in no index; without ``rarities`` all words weigh the same."""
    in_titles, in_abstracts = [terms(title) for title in titles], [terms(abstract) for abstract in abstracts]
    texts = [title + abstract for title, abstract in zip(in_titles, in_abstracts, strict=True)]
    lengths = np.array([len(text) for text in texts], np.float32)
    found = find_words(topic, search_stems(in_titles, texts))
    weights = np.ones(len(topic.stems)) if rarities is None else rarities
    return measure_words(found, weights, lengths, float(lengths.mean()) if len(lengths) else 1.0)


def search_stems(titles: Iterable[Iterable[str]], texts: Iterable[Iterable[str]]) -> Find:
    """Finds where a stem stands among papers, given the stems of each title, and of title and abstract together."""
    in_titles, in_texts = [Counter(title) for title in titles], [Counter(text) for text in texts]

    def find(stem: str) -> Occurrences:
        title = np.array([counts.get(stem, 0) for counts in in_titles], np.float32)
        text = np.array([counts.get(stem, 0) for counts in in_texts], np.float32)
        rows = np.flatnonzero(text).astype(np.int32)
        return Occurrences(rows, title[rows], text[rows])

    return find
