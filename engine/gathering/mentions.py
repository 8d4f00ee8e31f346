"""How strongly papers name a topic: all its words, in the title, close together in a sentence, or scattered.

A word counts in any of its writings (hyphens, spellings, abbreviations, other forms that mean the same). Sentences that
only say where code or data are found do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.gathering.topic_parts import read_parts
from engine.gathering.topic_texts import (
    Hit,
    TextReader,
    TopicText,
    positions_in,
    read_forms,
    stand_in_row,
    stand_together,
)
from engine.retrieval.embedding import Embedder
from engine.retrieval.topic_words import (
    OF_ANY_METHOD,
    OF_ANY_PAPER,
    TopicWords,
    read_topic,
    without_based,
)
from engine.text import STOP_WORDS, stem, words
from engine.values import Paper


class Mention(IntEnum):
    """How a paper names a topic, the strongest way that it does."""

    PARTLY = 0
    """Some of its words or phrases are missing."""
    SCATTERED = 1
    """All its words, in different sentences."""
    ONCE = 2
    """All its words close together, in one sentence."""
    REPEATEDLY = 3
    """The same in several sentences."""
    IN_TITLE = 4


@dataclass(frozen=True, slots=True)
class Mentions:
    """For each paper its `Mention`, the share (0 to 1) of the topic in its title and in all of it, and its salience.

    ``salience`` is the number of sentences that have the word of the topic which has the fewest, the title being two.
    ``main_in_title`` says whether the title has all words but those of any method that go without saying;
    ``head_in_title`` whether it has all but other words that do, or the topic's head without its context (`_Head`);
    ``rest_unsaid`` whether it has only the words that tell most, without the subject or what the head is for;
    ``method_unsaid`` whether it has all words needed but those of any method, of which there are some;
    ``key_in_title`` whether it has the rarest word needed and the subject, if that is needed;
    ``nearly_in_title`` whether it has all but one of three or more that often goes with the others, ``needed`` how many
    words a paper must have to name it, ``has_rare`` whether one of them is `RARE``; ``apart`` whether the
    paper has all of them, but of two that stand side by side in the topic nowhere one that describes the other.
    """

    levels: NDArray[np.int64]
    in_title: NDArray[np.float64]
    present: NDArray[np.float64]
    salience: NDArray[np.int64]
    main_in_title: NDArray[np.bool_]
    head_in_title: NDArray[np.bool_]
    rest_unsaid: NDArray[np.bool_]
    nearly_in_title: NDArray[np.bool_]
    method_unsaid: NDArray[np.bool_]
    key_in_title: NDArray[np.bool_]
    apart: NDArray[np.bool_]
    needed: int
    has_rare: bool

    def nearly_named(self) -> NDArray[np.bool_]:
        """The papers that have all words needed, or in the title those that tell most."""
        in_title = self.head_in_title | self.rest_unsaid | self.nearly_in_title | self.method_unsaid
        return (self.levels >= Mention.SCATTERED) | in_title


ABBREVIATIONS_FROM = 400
"""Papers, the best first, whose texts tell abbreviations and other forms of the topic's words."""

PHRASE_PAPERS, PHRASE = 5, 0.5
"""Two words are a phrase where this share of the papers that have both, if so many have, has them side by side."""

COMMON = 4.0
"""A word of less rarity (more than 2 % of the papers have it) means something only in its phrase, if it has one."""

RARE = 5.0
USUALLY_THERE = 0.5
"""A title that has a word of this rarity (one in 150 papers) may leave out a common word of the topic that this share
of the papers with such titles have elsewhere: "unlearning" alone is machine unlearning."""

SEVERAL_WORDS = 3
"""Where a title has two others, one of them need only be less common than `COMMON`: "distilling object detectors"."""

OFTEN_THERE = 0.25
"""A word that this share of them has is no great loss either, where few papers name the topic."""

USUAL_PLACE = 0.2
"""Share of the papers on what a topic is about that have to say its place for others to be on the topic without it."""

WEAK = 0.08
"""A word with less than this share of the topic's rarities squared may be missing: the others say what it is about."""

SAID_WITH_HEAD = 2
"""Sentences that must have each word of the means and the use where the title has what the topic is about: what is
said once beside other things is not how a paper does it."""

SAID_OF_IT = 3
"""Sentences that must have a word `OF_ANY_PAPER` that is not in the title for the paper to be about it."""

_MACHINE_LEARNING, _DEEP_LEARNING = ("machin", "learn"), ("deep", "learn")

UNBOUNDED = 1_000
"""More places than a title has."""


Phrases = Mapping[tuple[int, int], bool]
"""Words that mean something only together → whether they must stand side by side, as a name (`_is_name`)."""


@dataclass(frozen=True, slots=True)
class _Head:
    """The words needed in a title for a paper that leaves out the rest of the topic; none where they say too little.

    The paper must have the ``rest`` elsewhere: the words of the means and the use, but for those of any method.
    """

    words: frozenset[int] = frozenset()
    rest: frozenset[int] = frozenset()


def measure_mentions(
    topic: str,
    rarities: NDArray[np.float64],
    implied: frozenset[int],
    papers: Sequence[Paper],
    embedder: Embedder,
    telling: int | None = None,
) -> Mentions:
    """How each paper names the topic; ``rarities`` (words,) weigh the words of `read_topic`, ``implied`` may miss.

    How the topic is said is told by the first papers, so many as ``telling``, or by all.
    """
    said = read_topic(topic := without_based(topic))
    size = len(said.stems)
    if not size or not papers:
        nothing, never = np.zeros(len(papers)), np.zeros(len(papers), np.int64)
        no = never > 0
        return Mentions(never, nothing, nothing, never, no, no, no, no, no, no, no, 0, has_rare=False)
    best = papers[:telling][:ABBREVIATIONS_FROM]
    reader = TextReader(*read_forms(topic, said, best, embedder), _find_objects(topic, said))
    everything = [reader.read(paper) for paper in papers]
    texts = everything[:telling]
    subject = _find_subject(topic, said)
    needed = _find_needed(said, rarities, implied, subject)
    # A modifier that may be missing makes no phrase ("large" language models); what it modifies may ("language model").
    # A rare compound says enough without a word that may be missing: a "multi-task" network learns several tasks.
    first = {j for j in needed if not (said.stems[j + 1 :] == _MACHINE_LEARNING and j + 1 not in needed)}
    whole_word = {j for j in first if "-" in said.stems[j] and rarities[j] >= COMMON}
    pairs = [(a, b) for a, b in _pairs(topic, said) if a in first and min(rarities[a], rarities[b]) < COMMON]
    pairs = [(a, b) for a, b in pairs if b in needed or a not in whole_word]
    names = {pair: True for pair in pairs if _is_name(pair, said, rarities, texts)}
    phrases = {pair: False for pair in pairs if _is_phrase(pair, texts)} | names
    of_any_paper = frozenset(j for j in needed if said.stems[j] in OF_ANY_PAPER)
    kept = of_any_paper | _find_kept(topic, said, subject, rarities)
    main = _find_main(needed, kept, texts, rarities)
    most_telling = _find_main(needed, kept - {subject}, texts, rarities)
    special = frozenset(j for j in needed if said.stems[j] not in OF_ANY_METHOD)
    all_but_method = main | special
    nearly = needed.difference(_find_unsaid(needed, texts, OFTEN_THERE)[:1]) if len(needed) > 2 else needed
    key = needed & {subject, max(needed, key=lambda j: rarities[j])}
    whole = _find_head(topic, said, needed, implied, rarities)
    head = whole if _is_usual_place(whole, needed, texts, rarities) else _Head()
    alone = _Head(whole.words, needed - whole.words)
    named = _Named(needed, phrases, 2 * size - 1, of_any_paper)
    beside = [pair for pair in _pairs(topic, said) if needed >= {*pair}]
    weights = rarities / rarities.sum()
    return Mentions(
        np.array([named.level(text) for text in everything], np.int64),
        np.array([weights[[*positions_in(text.title)]].sum() for text in everything]),
        np.array([weights[[*text.present()]].sum() for text in everything]),
        np.array([named.salience(text) for text in everything], np.int64),
        np.array([all_but_method <= positions_in(text.title) and main < needed for text in everything]),
        np.array([main <= positions_in(text.title) or _has_head(text, head, phrases) for text in everything]),
        np.array([most_telling <= positions_in(text.title) or _has_head(text, alone, phrases) for text in everything]),
        np.array([nearly <= positions_in(text.title) and needed <= text.present() for text in everything]),
        np.array([bool(special) and special < needed and special <= positions_in(text.title) for text in everything]),
        np.array([key <= positions_in(text.title) for text in everything]),
        np.array([needed <= text.present() and not all(map(text.joins, beside)) for text in everything]),
        len(needed),
        bool(any(rarities[j] >= RARE for j in needed)),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """What has to be there: words, phrases, in how many places of a sentence; ``of_any_paper`` often or in a title."""

    needed: frozenset[int]
    phrases: Phrases
    width: int
    of_any_paper: frozenset[int]

    def level(self, text: TopicText) -> Mention:
        """How a paper names it."""
        if not self.needed <= text.present() or not self._is_said(text):
            return Mention.PARTLY
        if self._is_in(text.title, UNBOUNDED):
            return Mention.IN_TITLE
        lines = (text.title, *text.sentences)
        if not all(any(_has_phrase(line, pair, is_name=name) for line in lines) for pair, name in self.phrases.items()):
            return Mention.PARTLY
        times = sum(self._is_in(sentence, self.width) for sentence in text.sentences)
        return (Mention.SCATTERED, Mention.ONCE, Mention.REPEATEDLY)[min(times, 2)]

    def _is_said(self, text: TopicText) -> bool:
        title = positions_in(text.title)
        return all(word in title or text.count(word) >= SAID_OF_IT for word in self.of_any_paper)

    def salience(self, text: TopicText) -> int:
        """Sentences that have the word which has the fewest."""
        return min(map(text.count, self.needed))

    def _is_in(self, line: tuple[Hit, ...], width: int) -> bool:
        for start, (begin, _) in enumerate(line):
            window = tuple(hit for hit in line[start:] if hit[0] - begin < width)
            if self.needed <= positions_in(window):
                return all(_has_phrase(line, pair, is_name=name) for pair, name in self.phrases.items())
        return False


def _find_needed(
    said: TopicWords, rarities: NDArray[np.float64], implied: frozenset[int], subject: int | None
) -> frozenset[int]:
    """The words that a paper must have to name the topic; those of any method only beside a single other word.

    A single word does not name a topic whose subject is another one. What is rare in machine learning need not say
    "machine" as well; deep learning as the subject must be said.
    """
    special = np.array([s not in OF_ANY_METHOD for s in said.stems])
    squares = rarities**2 * (special if special.sum() > 1 else 1)
    chosen = np.array([s in OF_ANY_PAPER for s in said.stems])  # whoever says such a word of a topic means it
    strong = np.flatnonzero(((squares >= WEAK * squares.sum()) | chosen) & (squares > 0))
    needed = frozenset(map(int, strong)) - implied or frozenset({int(rarities.argmax())})
    if special.sum() == 1 and said.stems[-2:] == _MACHINE_LEARNING and rarities.max() >= RARE:
        return frozenset({int(rarities.argmax()), len(said.stems) - 1})
    if subject == len(said.stems) - 1 and said.stems[-2:] == _DEEP_LEARNING:
        return needed | {subject - 1}
    alone = len(needed) == 1 and subject is not None and subject not in implied and special[subject]
    return needed | {subject} if alone and subject is not None else needed


def _find_main(
    needed: frozenset[int], kept: frozenset[int], texts: Sequence[TopicText], rarities: NDArray[np.float64]
) -> frozenset[int]:
    """The words needed, the ``kept`` and those that do not go without saying once the others stand in a title."""
    main = needed
    while any(rarities[j] >= (RARE if len(main) < SEVERAL_WORDS else COMMON) for j in main):
        unsaid = [w for w in _find_unsaid(main, texts, USUALLY_THERE) if rarities[w] < COMMON and w not in kept]
        if not unsaid:
            break
        main -= {unsaid[0]}
    return main


def _find_unsaid(needed: frozenset[int], texts: Sequence[TopicText], least: float) -> list[int]:
    """Words that so many papers have whose titles have all others needed; first the word that most of them have."""
    shares = {}
    for word in needed:
        titled = [text for text in texts if needed - {word} <= positions_in(text.title)]
        if len(titled) >= PHRASE_PAPERS:
            shares[word] = sum(word in text.present() for text in titled) / len(titled)
    return sorted((word for word in shares if shares[word] >= least), key=lambda word: -shares[word])


def _find_kept(topic: str, said: TopicWords, subject: int | None, rarities: NDArray[np.float64]) -> frozenset[int]:
    """Words that never go without saying: the subject, what describes it where it is common, and the use."""
    place = {s: i for i, s in enumerate(said.stems)}
    use = frozenset(place[s] for word in words(read_parts(topic).use) if (s := stem(word)) in place)
    if subject is None:
        return use
    describing = {subject - 1} if subject and rarities[subject] < COMMON else set()
    return use | describing | {subject}


def _find_subject(topic: str, said: TopicWords) -> int | None:
    """The last word of the topic before its context, which the words before it only describe."""
    last = [stem(word) for word in words(read_parts(topic).head)[-1:]]
    return said.stems.index(last[0]) if last and last[0] in said.stems else None


def _find_objects(topic: str, said: TopicWords) -> frozenset[int]:
    """The words before the topic's context that are no names: "text" in "text style transfer", but no "LLM"."""
    place = {s: i for i, s in enumerate(said.stems)}
    head = (word for word in read_parts(topic).head.split() if sum(map(str.isupper, word)) < 2)
    return frozenset(place[s] for word in head if (s := stem(word.lower())) in place)


def _find_head(
    topic: str, said: TopicWords, needed: frozenset[int], implied: frozenset[int], rarities: NDArray[np.float64]
) -> _Head:
    """The words before the topic's context without those of any method; none where they are one common word."""
    place = {s: i for i, s in enumerate(said.stems)}
    parts = read_parts(topic)

    def find(text: str) -> frozenset[int]:
        found = frozenset(place[s] for word in words(text) if (s := stem(word)) in place)
        return frozenset(j for j in found if said.stems[j] not in OF_ANY_METHOD)

    head = find(parts.head) & (needed | implied)  # what the context implies has to be said without it
    tells = len(head) > 1 or any(rarities[j] >= COMMON for j in head)
    return _Head(head, find(f"{parts.means} {parts.use}") & needed) if tells and needed - head else _Head()


def _is_usual_place(
    head: _Head, needed: frozenset[int], texts: Sequence[TopicText], rarities: NDArray[np.float64]
) -> bool:
    """Whether so many papers on what the topic is about say its place that others may mean it without saying so.

    Many detect 3D objects in driving; few detect anomalies in time series, or are fair in recommending.
    """
    place = needed - head.words - head.rest
    weight = sum(rarities[j] ** 2 for j in place)
    titled = [text for text in texts if head.words <= positions_in(text.title)]
    said = [2 * sum(rarities[j] ** 2 for j in place & text.present()) >= weight for text in titled]
    return bool(sum(said) >= USUAL_PLACE * len(titled))


def _has_head(text: TopicText, head: _Head, phrases: Phrases) -> bool:
    own = [(pair, is_name) for pair, is_name in phrases.items() if head.words >= {*pair}]
    if not head.words or not head.words <= positions_in(text.title):
        return False
    if any(text.count(word) < SAID_WITH_HEAD for word in head.rest):
        return False
    return all(_has_phrase(text.title, pair, is_name=is_name) for pair, is_name in own)


def _pairs(topic: str, said: TopicWords) -> list[tuple[int, int]]:
    """Words of the topic that stand side by side."""
    place = {s: i for i, s in enumerate(said.stems)}
    plain = [None if word in STOP_WORDS else place.get(stem(word)) for word in words(topic)]
    return [(a, b) for a, b in pairwise(plain) if a is not None and b is not None and a != b]


def _is_name(
    pair: tuple[int, int], said: TopicWords, rarities: NDArray[np.float64], texts: Sequence[TopicText]
) -> bool:
    """Whether two common words mean something else side by side ("code search"): some papers have them so."""
    if any(rarities[j] >= COMMON or said.stems[j] in OF_ANY_METHOD | OF_ANY_PAPER for j in pair):
        return False
    beside = (any(stand_in_row(line, pair) for line in (t.title, *t.sentences)) for t in texts)
    return sum(beside) >= PHRASE_PAPERS


def _has_phrase(line: tuple[Hit, ...], pair: tuple[int, int], *, is_name: bool) -> bool:
    return stand_in_row(line, pair) if is_name else stand_together(line, pair, 2)


def _is_phrase(pair: tuple[int, int], texts: Sequence[TopicText]) -> bool:
    """Whether papers that have both words mostly have them side by side, in titles or anywhere."""
    for lines in ([(t.title,) for t in texts], [(t.title, *t.sentences) for t in texts]):
        both = [part for part in lines if {*pair} <= {j for line in part for _, p in line for j in p}]
        beside = sum(any(stand_together(line, pair, 1) for line in part) for part in both)
        if len(both) >= PHRASE_PAPERS and beside >= PHRASE * len(both):
            return True
    return False
