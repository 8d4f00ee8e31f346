"""Which of the papers found are about a question, judged without a language model: those that name its parts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.gathering.mentions import Mention, Mentions, measure_mentions
from engine.gathering.word_rarity import measure_rarity
from engine.retrieval.embedding import Embedder, ready
from engine.retrieval.libraries.library import Library
from engine.retrieval.topic_words import is_of_any_method
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

ENOUGH, FEW = 8, 4
"""Where fewer papers name every part in a sentence, the strongest of those that have `MOST` of its words somewhere are
added up to `ENOUGH`, if they are as close to the question as one of them, and then, up to `FEW`, of those that miss one
of `SEVERAL` parts or more. (The article's reviews rest on 8 to 10 papers; with 3 or 4 nothing is invented.)"""

MOST = 0.65
"""Share of a part's words, rare ones counting more."""

SEVERAL = 3

TOO_RARE = 1.5
"""A part so many times rarer than the others are on average is what the question is about and may not be missing."""


async def choose_naming(
    question: str, phrases: Sequence[str], found: Sequence[FoundPaper], library: Library, embedder: Embedder
) -> list[FoundPaper]:
    """The papers that name every part of a question, the best first; the score is from 0 to 1.

    Half of it is how strongly the parts are named, half how close the paper is to the whole question. Empty where no
    paper names enough.
    """
    counted = [(phrase, await library.count_topic(phrase)) for phrase in phrases]
    parts = [(phrase, measure_rarity(phrase, counts, telling=0), counts.implied) for phrase, counts in counted]
    parts = [part for part in parts if len(part[1])]
    parts = [part for part in parts if part[1].max() >= COMMON] or parts
    telling = [part for part in parts if not is_of_any_method(part[0])] or parts
    if not found or not telling:
        return []
    papers = [item.paper for item in found]

    def measure() -> tuple[list[Mentions], NDArray[np.float64]]:
        fitted = ready(embedder, papers)
        vectors = fitted.embed([question, *(f"{paper.title}. {paper.content}" for paper in papers)])
        near = vectors[1:] @ vectors[0]
        mentions = [measure_mentions(phrase, rare, implied, papers, fitted) for phrase, rare, implied in telling]
        return mentions, near.astype(np.float64)

    mentions, near = await asyncio.to_thread(measure)
    strength = np.array([_strength(one) for one in mentions]).mean(axis=0)
    chosen = np.flatnonzero(_choose(mentions, [float(rare.max()) for _, rare, _ in telling], strength, near))
    score = (spread(strength[chosen]) + spread(near[chosen])) / 2
    return [replace(found[int(chosen[i])], score=float(score[i])) for i in np.argsort(-score, kind="stable")]


def spread(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Spread over the whole range from 0 to 1; all 1 where they do not differ."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    result: NDArray[np.float64] = (values - low) / (high - low) if high > low else np.ones_like(values)
    return result


def _strength(part: Mentions) -> NDArray[np.float64]:
    """How strongly each paper names a part, from 0 to 1."""
    levels = np.array([STRENGTHS[Mention(level)] for level in part.levels])
    result: NDArray[np.float64] = (levels + part.present + part.in_title) / 3
    return result


def _choose(
    parts: Sequence[Mentions], rare: Sequence[float], strength: NDArray[np.float64], near: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """The papers that name enough.

    ``rare`` weighs each part; ``strength`` and ``near`` say how strongly each paper names them, how close it is to the
    question.
    """
    in_sentence = np.array([part.levels >= Mention.ONCE for part in parts])
    somewhere = np.logical_and.reduce(in_sentence | np.array([part.present >= MOST for part in parts]))
    chosen: NDArray[np.bool_] = np.logical_and.reduce(in_sentence)
    if chosen.any():
        somewhere &= near >= near[chosen].min()
        in_title = np.array([part.levels == Mention.IN_TITLE for part in parts]).any(axis=0)
        # A title on one part tells as much as a mention of each.
        chosen |= somewhere & in_title & (strength >= np.median(strength[chosen]))
    for weaker, most in ((somewhere, ENOUGH), (_miss_one(in_sentence, rare), FEW)):
        others = np.flatnonzero(weaker & ~chosen)
        best = others[np.argsort(-strength[others], kind="stable")]
        chosen[best[: max(0, most - int(chosen.sum()))]] = True
    return chosen


def _miss_one(in_sentence: NDArray[np.bool_], rare: Sequence[float]) -> NDArray[np.bool_]:
    """The papers that name all of `SEVERAL` parts but one that may be missing."""
    count = len(rare)
    if count < SEVERAL:
        return np.zeros(in_sentence.shape[1], np.bool_)
    total = sum(rare)
    must = np.array([one > TOO_RARE * (total - one) / (count - 1) for one in rare])
    result: NDArray[np.bool_] = (in_sentence.sum(axis=0) >= count - 1) & (in_sentence | ~must[:, None]).all(axis=0)
    return result
