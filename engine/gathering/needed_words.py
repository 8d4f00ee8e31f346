"""Which words of a topic a paper must have to name it, and which go without saying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.gathering.topic_parts import is_task, read_parts
from engine.gathering.topic_texts import TopicText
from engine.retrieval.topic_words import OF_ANY_METHOD, OF_ANY_PAPER, TopicWords
from engine.text import stem, words

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

TELLING_TITLES = 5
"""Fewer titles do not tell what goes without saying in them."""

USUAL_CONTEXT, NAMED_IN_FULL = 0.5, 20
"""Where fewer titles have all of a topic, and this share of the papers with only its task in the title say its place or
use elsewhere, these need not be said: "lane detection for autonomous driving"."""

_MACHINE_LEARNING, _DEEP_LEARNING = ("machin", "learn"), ("deep", "learn")


@dataclass(frozen=True, slots=True)
class Head:
    """The words needed in a title for a paper that leaves out the rest of the topic; none where they say too little.

    The paper must have the ``rest`` elsewhere: the words of the means and the use, but for those of any method.
    """

    words: frozenset[int] = frozenset()
    rest: frozenset[int] = frozenset()


def find_needed(
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


def is_machine_learning(stems: Sequence[str]) -> bool:
    """Whether these are the words "machine learning"."""
    return tuple(stems) == _MACHINE_LEARNING


def find_main(
    needed: frozenset[int], kept: frozenset[int], texts: Sequence[TopicText], rarities: NDArray[np.float64]
) -> frozenset[int]:
    """The words needed, the ``kept`` and those that do not go without saying once the others stand in a title."""
    main = needed
    while any(rarities[j] >= (RARE if len(main) < SEVERAL_WORDS else COMMON) for j in main):
        unsaid = [w for w in find_unsaid(main, texts, USUALLY_THERE) if rarities[w] < COMMON and w not in kept]
        if not unsaid:
            break
        main -= {unsaid[0]}
    return main


def find_unsaid(needed: frozenset[int], texts: Sequence[TopicText], least: float) -> list[int]:
    """Words that so many papers have whose titles have all others needed; first the word that most of them have."""
    shares = {}
    for word in needed:
        titled = [text for text in texts if needed - {word} <= text.title.words]
        if len(titled) >= TELLING_TITLES:
            shares[word] = sum(word in text.present for text in titled) / len(titled)
    return sorted((word for word in shares if shares[word] >= least), key=lambda word: -shares[word])


def find_kept(topic: str, said: TopicWords, subject: int | None, rarities: NDArray[np.float64]) -> frozenset[int]:
    """Words that never go without saying: the subject, what describes it where it is common, and the use."""
    place = {s: i for i, s in enumerate(said.stems)}
    use = frozenset(place[s] for word in words(read_parts(topic).use) if (s := stem(word)) in place)
    if subject is None:
        return use
    describing = {subject - 1} if subject and rarities[subject] < COMMON else set()
    return use | describing | {subject}


def find_subject(topic: str, said: TopicWords) -> int | None:
    """The last word of the topic before its context, which the words before it only describe."""
    last = [stem(word) for word in words(read_parts(topic).head)[-1:]]
    return said.stems.index(last[0]) if last and last[0] in said.stems else None


def find_objects(topic: str, said: TopicWords) -> frozenset[int]:
    """The words before the topic's context that are no names: "text" in "text style transfer", but no "LLM"."""
    place = {s: i for i, s in enumerate(said.stems)}
    head = (word for word in read_parts(topic).head.split() if sum(map(str.isupper, word)) < 2)
    return frozenset(place[s] for word in head if (s := stem(word.lower())) in place)


def find_head(
    topic: str, said: TopicWords, needed: frozenset[int], implied: frozenset[int], rarities: NDArray[np.float64]
) -> Head:
    """The words before the topic's context without those of any method; none where they are one common word."""
    place = {s: i for i, s in enumerate(said.stems)}
    parts = read_parts(topic)

    def find(text: str) -> frozenset[int]:
        found = frozenset(place[s] for word in words(text) if (s := stem(word)) in place)
        return frozenset(j for j in found if said.stems[j] not in OF_ANY_METHOD)

    head = find(parts.head) & (needed | implied)  # what the context implies has to be said without it
    tells = len(head) > 1 or any(rarities[j] >= COMMON for j in head)
    return Head(head, find(f"{parts.means} {parts.use}") & needed) if tells and needed - head else Head()


def drop_usual_context(
    topic: str, said: TopicWords, needed: frozenset[int], texts: Sequence[TopicText], rarities: NDArray[np.float64]
) -> frozenset[int]:
    """The words needed, without those of a context that most papers on the topic's task have (`USUAL_CONTEXT`).

    What is about a method or a model ("vision transformers for image recognition") keeps its context.
    """
    parts = read_parts(topic)
    subject = find_subject(topic, said)
    if subject is None or said.stems[subject] in OF_ANY_METHOD or not is_task(parts.head):
        return needed
    place = {s: i for i, s in enumerate(said.stems)}
    context = needed & {place[s] for word in words(f"{parts.place} {parts.use}") if (s := stem(word)) in place}
    head = needed - context
    if not context or (len(head) == 1 and rarities[[*head]].max() < COMMON):
        return needed
    titled = [text for text in texts if head <= text.title.words]
    without = [text for text in titled if not needed <= text.title.words]
    if len(without) < TELLING_TITLES or len(titled) - len(without) >= NAMED_IN_FULL:
        return needed
    return head if _share_saying(context, without, rarities) >= USUAL_CONTEXT else needed


def _share_saying(context: frozenset[int], texts: Sequence[TopicText], rarities: NDArray[np.float64]) -> float:
    """The share of some papers that have half of the words of a context, rare ones weighing more."""
    weight = sum(rarities[j] ** 2 for j in context)
    saying = sum(bool(2 * sum(rarities[j] ** 2 for j in context & t.present) >= weight) for t in texts)
    return saying / max(1, len(texts))


def is_usual_place(
    head: Head, needed: frozenset[int], texts: Sequence[TopicText], rarities: NDArray[np.float64]
) -> bool:
    """Whether so many papers on what the topic is about say its place that others may mean it without saying so.

    Many detect 3D objects in driving; few detect anomalies in time series, or are fair in recommending.
    """
    titled = [text for text in texts if head.words <= text.title.words]
    return _share_saying(needed - head.words - head.rest, titled, rarities) >= USUAL_PLACE
