"""Phrases of titles and abstracts: where they may begin and end, how they are written, which read as noun phrases."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.naming.abbreviations import find_abbreviations, strip_plural
from engine.naming.mentions import OWN_WORK, PaperStems, Wanted
from engine.text import STOP_WORDS, sentences, stem
from engine.values import Paper, PaperKey
from engine.wordlists import read_wordlist

LONGEST_PHRASE = 4
"""Words; longer phrases are nearly always a part of a sentence."""

BEFORE_AND = 0.6
"""Share of a phrase's uses followed by *and*, *or* or *to*, from which it is a half: *joint entity and relation*."""

FEWEST_CAPITALISED, PROPER = 3, 0.8
"""Number and share of a word's uses inside sentences with a capital, from which it is a proper noun or adjective."""

TITLE_WEIGHT = 3
"""How much more the spelling of a title counts than that of an abstract."""

Formula = Literal["published", "bounded"]

Counts = NDArray[np.float64]

_TOKEN = re.compile(r"[^\W\d_](?:[\w+'’-]*[\w+])?|\d+[\w-]*|[.,;:!?()\[\]\"“”—–/]")

_DIMENSIONS = re.compile(r"\b\d+d\b", re.I)
_WORD = re.compile(rf"{_DIMENSIONS.pattern}|[^\W\d_]+")
"""A word, or a number of dimensions: *3d*."""

_BRITISH = re.compile(r"(?:ogu|our)$")
_BRITISH_VERB = re.compile(r"(?<=[a-z]{4})is(?=(?:e[drs]?|ing|ations?)$)")

_EMPTY = read_wordlist("naming/wordlists/empty.txt")
TOO_GENERAL = read_wordlist("naming/wordlists/general.txt")
_VERBAL_NOUNS = read_wordlist("naming/wordlists/verbal_nouns.txt")
_NOUNS = read_wordlist("naming/wordlists/nouns.txt")
_VERBS = read_wordlist("naming/wordlists/verbs.txt")
_LINKING = frozenset(
    [
        "via",
        "using",
        "towards",
        "toward",
        "through",
        "among",
        "between",
        "without",
        "under",
        "over",
        "across",
        "against",
        "per",
    ]
)
_BEFORE_VERBS = frozenset(["to", "we", "can", "could", "may", "will", "cannot", "would", "should", "must", "might"])
_NOUN_ENDING = re.compile(
    r"(?:tion|sion|ment|ness|ity|sis|ics|ism|ance|ence|ology|graphy|tions|sions|ments|ities|ances|ences)$"
)
_ADJECTIVE = re.compile(
    r"(?:al|ive|ous|ic|able|ible|ful|less|based|aware|driven|specific|guided|free|level|agnostic|trained|centric|shot|"
    r"scale|modal|grained|source|ary|ed|to|wise|dimensional|oriented|inspired|enhanced|augmented|conditioned)$"
)


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


def american_stem(word: str) -> str:
    """The stem of a word in American spelling: *dialogue* and *dialog*, *behaviour* and *behavior* are one word.

    So are *optimise* and *optimize*.
    """
    american = _BRITISH_VERB.sub("iz", word)
    return _BRITISH.sub(lambda ending: "og" if ending[0] == "ogu" else "or", stem(american))


def stems_of(text: str) -> set[str]:
    """Stems of the words of a text, parts of hyphenated words counted as words."""
    return {american_stem(word) for word in _WORD.findall(text.lower())}


def is_adjective(word: str) -> bool:
    """Whether a word in lower case ends as an adjective does."""
    return bool(_ADJECTIVE.search(word))


def is_acronym(word: str) -> bool:
    """Whether a word has two capitals or more."""
    return sum(ch.isupper() for ch in word) > 1


_PAID_ATTENTION = re.compile(
    r"\b(?:attract|receiv|gain|dr[ae]w|pa(?:y|id)|garner|deserv|captur|call|draw)\w* (?:[\w-]+ ){0,4}?attention\b|"
    r"\b(?:much|more|less|little|great|wide|widespread|special|particular|recent|limited|research|(?:increas|grow)\w+|"
    r"significant|considerable|extensive|substantial|tremendous) attention\b",
    re.I,
)
"""Attention that a subject finds: not the mechanism."""


class GroupedPhrases:
    """Phrases of papers in groups: in how many papers, how often and in how many titles of each, how they are written.

    A phrase is named by the stems of its words; an abbreviation counts as the words it stands for. ``parts`` are the
    stems in each phrase, those of hyphenated words apart.
    """

    def __init__(self, groups: Sequence[Sequence[Paper]]) -> None:
        self.written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.parts: dict[str, frozenset[str]] = {}
        self._seen: Counter[str] = Counter()
        self._whole: Counter[str] = Counter()
        self._before_and: Counter[str] = Counter()
        self._words: Counter[str] = Counter()
        self._ending: Counter[str] = Counter()
        self._after_verb_cue: Counter[str] = Counter()
        self._in_sentences: Counter[str] = Counter()
        self._capitalised: Counter[str] = Counter()
        self.long_forms = find_abbreviations([paper for group in groups for paper in group])
        self._found = {
            paper.key: (self._read(paper.title, TITLE_WEIGHT), self._read(paper.content, 1))
            for group in groups
            for paper in group
        }
        self._stems: dict[PaperKey, PaperStems] = {}
        self._group(groups)

    def _group(self, groups: Sequence[Sequence[Paper]]) -> None:
        self.groups = groups
        self.papers: list[Counter[str]] = [Counter() for _ in groups]
        self.occurrences: list[Counter[str]] = [Counter() for _ in groups]
        self.titles: list[Counter[str]] = [Counter() for _ in groups]
        for row, group in enumerate(groups):
            for paper in group:
                in_title, in_content = self._found[paper.key]
                self.titles[row].update(in_title.keys())
                self.papers[row].update(in_title.keys() | in_content.keys())
                self.occurrences[row].update(in_title)
                self.occurrences[row].update(in_content)
        self.everywhere: Counter[str] = sum(self.papers, Counter())

    def regroup(self, groups: Sequence[Sequence[Paper]]) -> GroupedPhrases:
        """The same papers in other groups, without reading them again."""
        other = copy(self)
        other._group(groups)
        return other

    def stems(self, paper: Paper) -> PaperStems:
        """Where the paper says what."""
        if paper.key not in self._stems:
            told = ((self._stem_words(text), bool(OWN_WORK.search(text))) for text in sentences(paper.content))
            self._stems[paper.key] = PaperStems(self._stem_words(paper.title), tuple(told))
        return self._stems[paper.key]

    def mentions(self, wanted: Wanted, papers: Iterable[Paper]) -> list[float]:
        """How each of the papers mentions it, as `PaperStems.mention` has it."""
        return [self.stems(paper).mention(wanted) for paper in papers]

    def _stem_words(self, text: str) -> tuple[str, ...]:
        """Stems of a text in order; an abbreviation with the words that it stands for.

        Stop words are left out unless a hyphen binds them: *one-shot*, *offline-to-online*.
        """
        found: list[str] = []
        for token in _TOKEN.findall(_PAID_ATTENTION.sub(" ", text)):
            long = self.long_forms.get(strip_plural(token), "") if is_acronym(token) else ""
            bound = _WORD.findall(token.lower())
            parts = [word for word in _WORD.findall(long.lower()) if word not in STOP_WORDS]
            parts += bound if len(bound) > 1 else [word for word in bound if word not in STOP_WORDS]
            found += map(american_stem, parts)
        return tuple(found)

    def _read(self, text: str, weight: int) -> Counter[str]:
        """How often each phrase stands in the text."""
        tokens = [*_TOKEN.findall(text), "."]
        for before, word, after in zip([".", *tokens], tokens, [*tokens[1:], "."], strict=False):
            lower = word.lower()
            self._words[lower] += 1
            self._ending[lower] += _is_boundary(after)
            self._after_verb_cue[lower] += before.lower() in _BEFORE_VERBS
            if weight == 1 and before[-1].isalnum():
                self._in_sentences[lower] += 1
                self._capitalised[lower] += word[0].isupper()
        found: Counter[str] = Counter()
        for run, end in _runs(tokens):
            for start, stop in _parts(run):
                phrase = self._phrase(run[start:stop], weight)
                found[phrase] += 1
                self._seen[phrase] += 1
                self._whole[phrase] += stop == len(run)
                self._before_and[phrase] += stop == len(run) and end in ("and", "or", "to")
        return found

    def _phrase(self, tokens: Sequence[str], weight: int) -> str:
        words: list[str] = []
        for i, token in enumerate(tokens, start=1):
            long = self.long_forms.get(strip_plural(token), "").lower().split() if is_acronym(token) else []
            if long and i < len(tokens):  # “CNN architectures” are no “convolutional neural networks architectures”
                long[-1] = re.sub(r"(?<=[a-z]{3}[^suix])s$", "", long[-1])
            words += long if long and len(tokens) + len(long) - 1 <= LONGEST_PHRASE + 1 else [token]
        phrase = " ".join(american_stem(word.lower()) for word in words)
        if phrase not in self.parts:
            self.parts[phrase] = frozenset(stems_of(" ".join(words)))
        self.written[phrase][" ".join(_lower(word) for word in words)] += weight
        return phrase

    def form(self, phrase: str) -> str:
        """How the phrase is mostly written, acronyms as they are; in the plural where that is not rare."""
        forms = self.written[phrase]
        best, count = forms.most_common(1)[0]
        plural = max((best + "s", best + "es"), key=lambda form: forms[form])
        chosen = plural if forms[plural] >= 0.3 * count else best
        return self.with_capitals(chosen)

    def with_capitals(self, form: str) -> str:
        """The words with the capitals that proper nouns and adjectives have."""
        return " ".join(word[0].upper() + word[1:] if self._is_proper(word) else word for word in form.split())

    def _is_proper(self, word: str) -> bool:
        """Whether texts write the word with a capital inside their sentences: *American*, *Bayesian*."""
        return self._capitalised[word] >= max(FEWEST_CAPITALISED, PROPER * self._in_sentences[word])

    def ends_well(self, phrase: str) -> bool:
        """Whether the phrase is often the end of what is said, not a piece of something longer."""
        if " " in phrase and self._before_and[phrase] >= BEFORE_AND * self._seen[phrase]:
            return False
        return self._whole[phrase] >= 0.4 * self._seen[phrase]

    def is_noun_phrase(self, phrase: str) -> bool:
        """Whether the phrase names something, as far as its words' endings and neighbours tell."""
        words = [word.lower() for word in self.form(phrase).split()]
        first, last = words[0], words[-1]
        if len(words) == 1:
            return last in _VERBAL_NOUNS or (last in _NOUNS and last not in TOO_GENERAL)
        if len({american_stem(word) for word in words}) < len(words):
            return False
        as_verb = max(self._verb_share(first), self._verb_share(first.removesuffix("s")))
        if (first.endswith("ing") and first not in _VERBAL_NOUNS) or as_verb > 0.25:
            return False
        return self._is_noun(last, self.form(phrase).split()[-1])

    def _is_noun(self, lower: str, written: str) -> bool:
        if is_acronym(written) or lower in _NOUNS or lower in _VERBAL_NOUNS:
            return True
        if lower.endswith("ing") or is_adjective(lower) or not STOP_WORDS.isdisjoint(lower.split("-")[:-1]):
            return False  # “out-of-distribution”
        if max(self._verb_share(lower), self._verb_share(lower.removesuffix("s"))) > 0.2:
            return False
        return bool(_NOUN_ENDING.search(lower)) or self._ending[lower] >= 0.4 * self._words[lower]

    def _verb_share(self, word: str) -> float:
        if word in _VERBS:
            return 1.0
        return self._after_verb_cue[word] / self._words[word] if self._words[word] else 0.0

    def is_part_of_longer(self, phrase: str, row: int, among: Mapping[str, float]) -> bool:
        """Whether in that group the phrase is mostly written as a part of one longer phrase among those given."""
        return any(
            f" {phrase} " in f" {other} "
            and self.papers[row][other] >= 0.6 * self.papers[row][phrase]
            and self._seen[other] >= 0.6 * self._seen[phrase]
            for other in among
            if len(other) > len(phrase)
        )


_SPELLS_ACRONYM = re.compile(r"[A-Z]{2}[a-z]{5,}")
"""A word that shows which of its letters an acronym takes, such as ``STructural EMbedding`` for STEM."""


def _lower(word: str) -> str:
    """Lower case, but for acronyms, dimensions and names with capitals inside; ``Self-Supervised`` is none of them."""
    if _DIMENSIONS.fullmatch(word):
        return word.upper()
    if _SPELLS_ACRONYM.fullmatch(word):
        return word.lower()
    ordinary = all(part[1:].islower() or len(part) == 1 for part in word.split("-") if part.isalpha())
    return word.lower() if ordinary and not (len(word) == 1 and word.isupper()) else word


_ADVERB = re.compile(
    r"(?i:biological|dense|differential|distant|ful|lexical|minimal|partial|private|semantic|sparse|spatial|temporal|visual|"
    r"weak)ly"
)
"""What says how something is supervised, private, constrained or observed, rather than praises it."""


def _is_boundary(token: str) -> bool:
    lower = token.lower()
    return (
        not (lower[0].isalpha() or _DIMENSIONS.fullmatch(lower))
        or len(lower) < 2
        or "'" in lower
        or "’" in lower
        or lower in STOP_WORDS
        or lower in _EMPTY
        or lower in _LINKING
        or (lower.endswith("ly") and lower not in {"family", "anomaly", "assembly"})
    )


def _runs(tokens: Sequence[str]) -> Iterator[tuple[list[str], str]]:
    """Stretches of tokens that no stop word and no punctuation divides, and what ends each, in lower case.

    The last token is punctuation. Some adverbs belong to the word after them: *distantly supervised*.
    """
    run: list[str] = []
    for token in tokens:
        if not _is_boundary(token) or _ADVERB.fullmatch(token):
            run.append(token)
            continue
        if run:
            yield run, token.lower()
        run = []


def _parts(run: Sequence[str]) -> Iterator[tuple[int, int]]:
    for start in range(len(run)):
        for stop in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
            yield start, stop
