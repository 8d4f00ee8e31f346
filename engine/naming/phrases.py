"""Phrases of papers in groups: which stand in how many papers, how they are written, which read as a heading.

Everything is counted in the papers at hand; the only list is that of stop words, at which phrases end.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
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

BEFORE_COMPLEMENT, LEAST_FOLLOWED = 0.75, 12
"""Share of what follows a word where a phrase ends, so often at least, from which one preposition belongs to it:
*capable of*, *quality of* life. A phrase that ends with such a word is cut off."""

USED_AS_VERB = 0.25
"""Share of a word's uses after *to*, *we* or *can* from which it is taken for a verb."""

GERUND = 0.8
"""Share of a word's uses at the beginning of what is said from which one in *-ing* is a verb."""

INSIDE_LONGER = 0.6
"""Share of a phrase's papers from which it is written as part of one longer phrase."""

LEAST_SPELT_OUT = 0.1
"""Share of the papers that use an abbreviation which say what it stands for."""

Formula = Literal["published", "bounded"]

Counts = NDArray[np.float64]

_ACRONYM = re.compile(r"[A-Za-z][\w-]*[A-Z]s?")
_TOKEN = re.compile(r"[^\W_](?:[\w+'’-]*[\w+])?|[^\w\s]")
_WORD = re.compile(r"\d+d\b|[^\W\d_]+")
"""A word, or a number of dimensions: *3d*."""

_PLURAL = re.compile(r"(?<=[a-z]{3}[^suix])s$")
_ENDS = STOP_WORDS | {"using", "versus", "via", "toward", "towards"}
"""Words that no phrase holds: the stop words, and prepositions that their list lacks."""

_BEFORE_VERBS = frozenset(["to", "we", "can", "could", "may", "will", "cannot", "would", "should", "must", "might"])


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
    result: Counts = frequencies * weight
    return result


def stems_of(text: str) -> frozenset[str]:
    """Stems of the words of a text, parts of hyphenated words counted as words."""
    return frozenset(american_stem(word) for word in _WORD.findall(text.lower()))


def find_abbreviations(papers: Sequence[Paper]) -> dict[str, str]:
    """Abbreviation in the singular → the words it mostly stands for, as they are mostly written.

    One that fewer than `LEAST_SPELT_OUT` of the papers that use it spell out, such as LiDAR, is a word by now.
    """
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    used: Counter[str] = Counter()
    for paper in papers:
        used.update({strip_plural(token) for token in _ACRONYM.findall(f"{paper.title} {paper.content}")})
        for long, short in read_abbreviations(paper.content):
            written[strip_plural(short)][long] += 1
    spelt_out = {short: forms for short, forms in written.items() if forms.total() >= LEAST_SPELT_OUT * used[short]}
    return {short: forms.most_common(1)[0][0] for short, forms in spelt_out.items()}


def strip_plural(token: str) -> str:
    """``GNN`` for ``GNNs``."""
    return token[:-1] if re.search(r"[A-Z]s$", token) else token


@dataclass(slots=True)
class _Usage:
    """How the texts use a word or a phrase."""

    seen: int = 0
    ending: int = 0
    after_verb_cue: int = 0
    beginning: int = 0
    capitalised: int = 0
    inside: int = 0
    written: Counter[str] = field(default_factory=Counter)
    following: Counter[str] = field(default_factory=Counter)
    """What stands behind it where a phrase ends with it; nothing where the text does."""


@dataclass(frozen=True, slots=True)
class PaperPhrases:
    """The phrases of one paper: how often each stands in title and abstract, and which stand in the title."""

    said: Counter[str]
    title: frozenset[str]


class GroupedPhrases:
    """Phrases of papers in groups: ``papers``, ``occurrences`` and ``titles`` hold a count of each phrase a group.

    A phrase is named by the stems of its words; an abbreviation that the papers spell out counts as those words.
    ``parts`` are the stems in each phrase, those of hyphenated words apart.
    """

    def __init__(self, groups: Sequence[Sequence[Paper]]) -> None:
        everyone = [paper for group in groups for paper in group]
        self.long_forms = find_abbreviations(everyone)
        self.parts: dict[str, frozenset[str]] = {}
        self._words: defaultdict[str, _Usage] = defaultdict(_Usage)
        self._phrases: defaultdict[str, _Usage] = defaultdict(_Usage)
        self._of_paper = {paper.key: self._read(paper) for paper in everyone}
        self._group(groups)

    def regroup(self, groups: Sequence[Sequence[Paper]]) -> GroupedPhrases:
        """The same papers in other groups, without reading them again."""
        other = copy(self)
        other._group(groups)
        return other

    def _group(self, groups: Sequence[Sequence[Paper]]) -> None:
        self.groups = [list(group) for group in groups]
        read = [[self._of_paper[paper.key] for paper in group] for group in self.groups]
        self.papers = [Counter(phrase for one in group for phrase in one.said) for group in read]
        self.titles = [Counter(phrase for one in group for phrase in one.title) for group in read]
        self.occurrences = [Counter(phrase for one in group for phrase in one.said.elements()) for group in read]
        self.everywhere: Counter[str] = sum(self.papers, Counter())

    def _read(self, paper: Paper) -> PaperPhrases:
        title = self._read_text(paper.title, in_title=True)
        said = Counter(title)
        for sentence in sentences(paper.content):
            said.update(self._read_text(sentence))
        return PaperPhrases(said, frozenset(title))

    def _read_text(self, text: str, *, in_title: bool = False) -> Counter[str]:
        """How often each phrase stands in a title or a sentence."""
        tokens = _TOKEN.findall(text)
        for i, (before, token) in enumerate(zip(["", *tokens], tokens, strict=False)):
            usage = self._words[token.lower()]
            usage.seen += 1
            usage.after_verb_cue += before.lower() in _BEFORE_VERBS
            if i and not in_title:
                usage.inside += 1
                usage.capitalised += token[0].isupper()
        found: Counter[str] = Counter()
        for run, after in self._runs(tokens):
            self._words[run[0].lower()].beginning += 1
            self._words[run[-1].lower()].following[after.lower()] += 1
            for start in range(len(run)):
                for stop in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
                    phrase = self._name(run[start:stop])
                    usage = self._phrases[phrase]
                    usage.seen += 1
                    usage.ending += stop == len(run)
                    usage.written[" ".join(map(_lower, run[start:stop]))] += 1
                    found[phrase] += 1
        return found

    def _runs(self, tokens: Sequence[str]) -> Iterator[tuple[list[str], str]]:
        """Stretches of words that no stop word and no punctuation divides, abbreviations spelt out; what follows."""
        run: list[str] = []
        for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
            if _is_said(token):
                long = self.long_forms.get(strip_plural(token), "").split()
                if long and _is_said(after):  # “SDM repairs” are “seed drill machine repairs”
                    long[-1] = _PLURAL.sub("", long[-1])
                run += long if 0 < len(long) < LONGEST_PHRASE else [token]
            elif run:
                yield run, token
                run = []
        if run:
            yield run, ""

    def _name(self, words: Sequence[str]) -> str:
        phrase = " ".join(american_stem(word.lower()) for word in words)
        if phrase not in self.parts:
            self.parts[phrase] = stems_of(" ".join(words))
        return phrase

    def form(self, phrase: str) -> str:
        """How the phrase is mostly written, proper names with their capitals."""
        written = self._phrases[phrase].written
        best = min(written, key=lambda form: (-written[form], sum(map(str.isupper, form)), form))
        return " ".join(word[0].upper() + word[1:] if self._is_proper(word) else word for word in best.split())

    def _is_proper(self, word: str) -> bool:
        """Whether most sentences write the word with a capital inside: *Parkinson*, *Bayesian*."""
        usage = self._words[word]
        return usage.capitalised >= max(3, 0.8 * usage.inside)

    def reads_well(self, phrase: str) -> bool:
        """Whether it is often all that is said and is whole, begins with no verb, and says no word twice."""
        usage, words = self._phrases[phrase], self.form(phrase).lower().split()
        if len(set(phrase.split())) < len(words) or usage.ending < ENDS_WELL * usage.seen:
            return False
        first, last = self._words[words[0]], self._words[words[-1]].following
        if max((last[word] for word in STOP_WORDS & last.keys()), default=0) > max(
            BEFORE_COMPLEMENT * last.total(), LEAST_FOLLOWED - 1
        ):
            return False
        if words[0].endswith("ing") and first.beginning > GERUND * first.seen:
            return False  # “improving …”, but “learning …”: others end with it
        forms = (first, self._words[words[0].removesuffix("s")])
        return all(form.after_verb_cue <= USED_AS_VERB * form.seen for form in forms)

    def is_part_of_longer(self, phrase: str, row: int, among: Iterable[str]) -> bool:
        """Whether in that group the phrase mostly stands within one longer phrase of those given."""
        return any(
            len(other) > len(phrase)
            and f" {phrase} " in f" {other} "
            and self.papers[row][other] >= INSIDE_LONGER * self.papers[row][phrase]
            for other in among
        )


def _is_said(token: str) -> bool:
    """Whether a token may stand in a phrase: no stop word, punctuation or number."""
    return len(token) > 1 and token.lower() not in _ENDS and not token.isdigit() and "'" not in token


def _lower(word: str) -> str:
    """Lower case, but for acronyms and names with capitals or digits inside; ``Self-Supervised`` is none of them."""
    ordinary = all(part[1:].islower() or len(part) == 1 for part in word.split("-") if part.isalpha())
    return word.lower() if ordinary and not any(ch.isdigit() for ch in word) else word
