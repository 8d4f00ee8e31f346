"""Whether a phrase may be a keyword: papers about the topic use it more than the rest, and a person can read it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from engine.retrieval.libraries.library import Library, TopicCounts
from engine.retrieval.topic_words import read_topic
from engine.text import STOP_WORDS, terms, words
from engine.values import KeywordPool, Paper

LEAST_PAPERS = 2
"""Papers about the topic that must have a phrase, word for word."""

LEAST_WITHOUT_REST = 4
"""The same where there is no rest of the library to compare with."""

TYPICAL = 1.96
"""Least weighted log-odds, in standard deviations: by chance one phrase in forty reaches it."""

LIFT = 3.0
"""So many times as often the papers about the topic must have a phrase as the rest: "theoretical analysis" is no
keyword of any topic."""

PRIOR = 0.5
"""Papers with a phrase that are added to either side: the prior of the weighted log-odds."""

OF_THE_LIBRARY = 0.5
"""Where papers about the topic are more of the library than this, there is no rest to compare with."""


class PhraseReader:
    """Reads phrases of the papers about a topic."""

    def __init__(self, about: Sequence[Paper], library: Library) -> None:
        self._library = library
        self._papers = list(about)
        self._stems = [frozenset(terms(f"{paper.title} {paper.content}")) for paper in about]

    def find(self, phrase: str) -> list[Paper]:
        """The papers that have all words of a phrase."""
        stems = frozenset(terms(phrase))
        return [paper for paper, there in zip(self._papers, self._stems, strict=True) if stems <= there]

    async def read(self, phrase: str, pool: KeywordPool) -> str:
        """The phrase as the papers write it; empty where it is no keyword."""
        parts = words(phrase)
        if not parts or parts[0] in STOP_WORDS or parts[-1] in STOP_WORDS or _is_said(phrase, pool):
            return ""
        having = self.find(phrase)
        written = _find_written(phrase, having)
        # A word alone belongs to many fields, unless it is a name.
        if not written or (len(parts) == 1 and written.islower()) or not _names_something(written, having):
            return ""
        counts = await self._library.count_topic(written)
        return written if _is_typical(len(having), len(self._papers), counts) else ""


def _is_said(phrase: str, pool: KeywordPool) -> bool:
    """Whether a keyword says the same with as many words or more, in another order or writing."""
    stems = set(terms(phrase))
    said = [read_topic(keyword.text) for keyword in pool.keywords]
    return any(stems <= {*topic.stems, *topic.all_stems()} for topic in said)


def _names_something(phrase: str, papers: Sequence[Paper]) -> bool:
    """Whether a phrase is a name or in a title of the papers: "training phase" is neither."""
    is_name = all(part[0].isupper() or part in STOP_WORDS for part in phrase.split())
    return is_name or any(_pattern(phrase).search(paper.title) for paper in papers)


def _pattern(phrase: str) -> re.Pattern[str]:
    """Finds a phrase with blanks or hyphens between its words."""
    spaced = r"[\s-]+".join(map(re.escape, phrase.split()))
    return re.compile(rf"\b{spaced}\b", re.I)


def _find_written(phrase: str, papers: Sequence[Paper]) -> str:
    """How papers mostly write a phrase, inside a sentence rather than at its beginning; empty where few have it."""
    pattern = _pattern(phrase)
    forms: Counter[str] = Counter()
    count = 0
    for paper in papers:
        found = pattern.findall(f"{paper.title}. {paper.content}")
        count += bool(found)
        forms.update({" ".join(form.split()): 1 for form in pattern.findall(paper.content)})
    if count < LEAST_PAPERS:
        return ""
    return forms.most_common(1)[0][0] if forms else phrase


def _is_typical(with_it: int, about: int, counts: TopicCounts) -> bool:
    """Whether papers about the topic have a phrase more often than the rest: by `LIFT`, and not by chance.

    By weighted log-odds in standard deviations (Monroe, Colaresi, Quinn 2008). How many papers of the rest have the
    phrase is taken from its rarest word, which is more than there are. Where there is no rest, it has to be in several.
    """
    rest = counts.papers - about
    if not counts.papers_with or about > OF_THE_LIBRARY * counts.papers:
        return with_it >= LEAST_WITHOUT_REST
    elsewhere = max(0, min(counts.papers_with) - with_it)
    here, there = with_it + PRIOR, elsewhere + PRIOR
    odds = math.log(here / (about - with_it + PRIOR)) - math.log(there / (max(0, rest - elsewhere) + PRIOR))
    is_often = with_it * rest >= LIFT * elsewhere * about
    return is_often and odds / math.sqrt(1 / here + 1 / there) >= TYPICAL
