"""Phrases of papers in groups: which stand in how many papers, and how they are written.

Everything is counted in the papers at hand; the only list is that of stop words, at which phrases end.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.retrieval.topic_words import read_abbreviations
from engine.text import STOP_WORDS, american_stem, sentences
from engine.values import Paper

LONGEST_PHRASE = 4
"""Words; longer phrases are nearly always a part of a sentence."""

ENDS_WELL = 0.4
"""Share of a phrase's uses behind which something else than a noun begins; one with less is a piece of a longer one."""

VERB, AS_NOUN = 0.2, 4
"""Share of a word's uses behind *to* or before an article from which it is a verb (*to promote*, *makes the*), and how
many of these outweigh one behind an article (*the design*). Of 60 words in 24,000 abstracts *advances* was missed and
*support* misread."""

GERUND = 0.8
"""Share of a word's uses that begin what is said from which one in *-ing* is a verb: *improving*, not *learning*."""

_ARTICLES = frozenset({"a", "an", "the"})

Formula = Literal["published", "bounded"]

Counts = NDArray[np.float64]

_TOKEN = re.compile(r"[^\W_](?:[\w+'’-]*[\w+])?|[^\w\s]")
_WORD = re.compile(r"\d+d\b|[^\W\d_]+")
"""A word, or a number of dimensions: *3d*."""

_ENDS = STOP_WORDS | {"using", "versus", "vs", "via", "toward", "towards"}
"""Words that no phrase holds: the stop words, and prepositions that their list lacks."""


def c_tf_idf(frequencies: Counts, formula: Formula) -> Counts:
    """Weight of each term in each cluster; ``frequencies`` has shape (clusters, terms).

    published: TF(t,c) · log(A / TF(t,C)) with A the average number of terms in a cluster and TF(t,C) the
    frequency of t over all clusters ("Cluster-Based Effective Generation", eq. 2); negative for a term
    more frequent than A. bounded: TF(t,c) · log(1 + A / TF(t,C)), never negative.
    """
    average = frequencies.sum() / max(1, frequencies.shape[0])
    everywhere = frequencies.sum(axis=0)
    ratio = np.divide(average, everywhere, out=np.ones_like(everywhere), where=everywhere > 0)
    weight = np.log(ratio) if formula == "published" else np.log1p(ratio)
    return np.asarray(frequencies * weight)


def stems_of(text: str) -> frozenset[str]:
    """Stems of the words of a text, parts of hyphenated words counted as words."""
    return frozenset(american_stem(word) for word in _WORD.findall(text.lower()))


def find_abbreviations(papers: Sequence[Paper]) -> dict[str, str]:
    """Abbreviation in the singular → the words it mostly stands for, as they are mostly written."""
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for paper in papers:
        for long, short in read_abbreviations(paper.content):
            written[strip_plural(short)][long] += 1
    return {short: forms.most_common(1)[0][0] for short, forms in written.items()}


def strip_plural(token: str) -> str:
    """``GNN`` for ``GNNs``."""
    return token[:-1] if re.search(r"[A-Z]s$", token) else token


@dataclass(slots=True)
class _Usage:
    """How often a phrase is said, how often it ends what is said, and how it is written."""

    seen: int = 0
    ending: int = 0
    written: Counter[str] = field(default_factory=Counter)


class GroupedPhrases:
    """Phrases of papers in groups: ``papers``, ``occurrences`` and ``titles`` hold a count of each phrase a group.

    A phrase is named by the stems of its words; an abbreviation that the papers spell out counts as those words.
    ``parts`` are the stems in each phrase, those of hyphenated words apart.
    """

    def __init__(self, groups: Sequence[Sequence[Paper]]) -> None:
        everyone = [paper for group in groups for paper in group]
        self.long_forms = find_abbreviations(everyone)
        self.parts: dict[str, frozenset[str]] = {}
        self._phrases: defaultdict[str, _Usage] = defaultdict(_Usage)
        self._words, self._as_verb, self._as_noun = Counter[str](), Counter[str](), Counter[str]()
        self._first_words = Counter[str]()
        self._titles = {paper.key: self._read(paper.title, in_title=True) for paper in everyone}
        self._said = {
            paper.key: sum(map(self._read, sentences(paper.content)), self._titles[paper.key]) for paper in everyone
        }
        self._group(groups)

    def regroup(self, groups: Sequence[Sequence[Paper]]) -> GroupedPhrases:
        """The same papers in other groups, without reading them again."""
        other = copy(self)
        other._group(groups)
        return other

    def _group(self, groups: Sequence[Sequence[Paper]]) -> None:
        self.groups = [[paper.key for paper in group] for group in groups]
        self.titles = [Counter(phrase for key in group for phrase in self._titles[key]) for group in self.groups]
        self.papers = [Counter(phrase for key in group for phrase in self._said[key]) for group in self.groups]
        self.occurrences = [Counter(p for key in group for p in self._said[key].elements()) for group in self.groups]

    def _read(self, text: str, *, in_title: bool = False) -> Counter[str]:
        found: Counter[str] = Counter()
        tokens = _TOKEN.findall(text)
        lower = [_without_s(token.lower()) for token in tokens]
        self._words.update(lower)
        pairs = list(pairwise(lower))
        self._as_verb.update(word for word, after in pairs if after in _ARTICLES)
        self._as_verb.update(word for before, word in pairs if before == "to")
        self._as_noun.update(word for before, word in pairs if before in _ARTICLES)
        for run in self._runs(tokens):
            self._first_words[_without_s(run[0].lower())] += 1
            for start in range(len(run)):
                for stop in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
                    words = run[start:stop]
                    phrase = " ".join(american_stem(word.lower()) for word in words)
                    if phrase not in self.parts:
                        self.parts[phrase] = stems_of(" ".join(words))
                    usage = self._phrases[phrase]
                    usage.seen += 1
                    usage.ending += stop == len(run)
                    # Titles write ordinary words with capitals.
                    usage.written[" ".join(map(_lower, words) if in_title else words)] += 1
                    found[phrase] += 1
        return found

    def _runs(self, tokens: Sequence[str]) -> Iterator[list[str]]:
        """Stretches of words that no stop word, number or punctuation divides, abbreviations spelt out."""
        run: list[str] = []
        for token in (*tokens, ""):
            if len(token) > 1 and token.lower() not in _ENDS and not token.isdigit() and "'" not in token:
                long = self.long_forms.get(strip_plural(token), "").split()
                run += long if 0 < len(long) < LONGEST_PHRASE else [token]
            elif run:
                yield run
                run = []

    def form(self, phrase: str) -> str:
        """How the papers mostly write the phrase."""
        written = self._phrases[phrase].written
        return min(written, key=lambda form: (-written[form], sum(map(str.isupper, form)), form))

    def reads_well(self, phrase: str) -> bool:
        """Whether it is often all that is said, begins with no verb, and says no word twice."""
        usage, stems = self._phrases[phrase], phrase.split()
        if self._is_verb(_without_s(self.form(phrase).split()[0].lower())):
            return False
        return len(set(stems)) == len(stems) and usage.ending >= ENDS_WELL * usage.seen

    def _is_verb(self, word: str) -> bool:
        if word.endswith("ing") and self._first_words[word] > GERUND * self._words[word]:
            return True
        return self._as_verb[word] > max(VERB * self._words[word], AS_NOUN * self._as_noun[word])


def _without_s(word: str) -> str:
    """Without the *s* of a plural or of a verb: *reduces* is *reduce*."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _lower(word: str) -> str:
    """Lower case, but for acronyms and names with capitals or digits inside; ``Self-Supervised`` is none of them."""
    ordinary = all(part[1:].islower() or len(part) == 1 for part in word.split("-") if part.isalpha())
    return word.lower() if ordinary and not any(ch.isdigit() for ch in word) else word
