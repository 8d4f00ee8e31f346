"""Which of the papers found are about a question, judged without a language model: those that name its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.gathering.mentions import Mention, Mentions, measure_mentions
from engine.retrieval.embedding import Embedder, ready
from engine.retrieval.libraries.library import Library, TopicCounts
from engine.retrieval.topic_words import rarity, read_topic
from engine.values import FoundPaper

STRENGTHS = {
    Mention.PARTLY: 0.0,
    Mention.SCATTERED: 0.25,
    Mention.ONCE: 0.5,
    Mention.REPEATEDLY: 0.75,
    Mention.IN_TITLE: 1.0,
}
"""How strongly a paper is about a part of a question that it names so."""

COMMON = 1.0
"""A part whose words are all in more than e^-1 of the library's papers tells nothing ("models", "training")."""

ENOUGH = 8
"""Where fewer papers name every part in a sentence, those that have `MOST` of its words somewhere count too, and then
those that miss one of `SEVERAL` parts or more. (The article's reviews rest on 8 to 10 papers.)"""

MOST = 0.65
"""Share of a part's words, rare ones counting more."""

SEVERAL = 3


async def choose_naming(
    phrases: Sequence[str], found: Sequence[FoundPaper], library: Library, embedder: Embedder
) -> list[FoundPaper]:
    """The papers that name every part of a question, the strongest first; the score is from 0 to 1.

    Empty where no paper names enough.
    """
    counted = [(phrase, await library.count_topic(phrase)) for phrase in phrases]
    parts = [(phrase, _rarities(phrase, counts), counts.implied) for phrase, counts in counted]
    telling = [part for part in parts if len(part[1]) and part[1].max() >= COMMON] or [p for p in parts if len(p[1])]
    if not found or not telling:
        return []
    papers = [item.paper for item in found]

    def measure() -> list[Mentions]:
        fitted = ready(embedder, papers)
        return [measure_mentions(phrase, rarities, implied, papers, fitted) for phrase, rarities, implied in telling]

    mentions = await asyncio.to_thread(measure)
    strengths = np.array([[STRENGTHS[Mention(level)] for level in one.levels] for one in mentions])
    score = (strengths + np.array([one.present for one in mentions])).mean(axis=0) / 2
    chosen = _choose(mentions)
    return [replace(found[int(i)], score=float(score[i])) for i in np.argsort(-score, kind="stable") if chosen[i]]


def _rarities(phrase: str, counts: TopicCounts) -> NDArray[np.float64]:
    """How rare each word is in the library; all the same where that is not known."""
    size = len(read_topic(phrase).stems)
    is_counted = counts.papers > 0 and len(counts.papers_with) == size
    return rarity(counts.papers_with, counts.papers) if is_counted else np.full(size, COMMON)


def _choose(parts: Sequence[Mentions]) -> NDArray[np.bool_]:
    """The papers that name enough."""
    in_sentence = np.array([part.levels >= Mention.ONCE for part in parts]).sum(axis=0)
    somewhere = np.array([(part.levels >= Mention.ONCE) | (part.present >= MOST) for part in parts]).sum(axis=0)
    chosen: NDArray[np.bool_] = in_sentence == len(parts)
    if chosen.sum() < ENOUGH:
        chosen |= somewhere == len(parts)
    if chosen.sum() < ENOUGH and len(parts) >= SEVERAL:
        chosen |= in_sentence >= len(parts) - 1
    return chosen
