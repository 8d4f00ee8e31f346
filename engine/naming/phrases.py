"""Phrases that name what a group of papers is about, and headings made of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.text import STOP_WORDS, heading, stem
from engine.values import Paper

LONGEST_PHRASE = 4
"""Words; longer phrases are nearly always a part of a sentence."""

Formula = Literal["published", "bounded"]

Counts = NDArray[np.float64]


def _read_word_list(name: str) -> frozenset[str]:
    """The words or phrases of a list beside this file, one on each line."""
    text = resources.files("engine.naming").joinpath(f"wordlists/{name}.txt").read_text(encoding="utf-8")
    return frozenset(text.split("\n")) - {""}


_TOKEN = re.compile(r"[^\W_][\w+-]*[^\W_]|[^\W_]|[.,;:!?()\[\]\"“”]")

_EMPTY = _read_word_list("empty")

_TOO_GENERAL = _read_word_list("general")

_WHOLE_FIELDS = _read_word_list("whole_fields")
_NOUN_ENDING = re.compile(
    r"(?:tion|sion|ment|ness|ity|sis|ics|ism|ance|ence|ology|graphy|ing|ings|tions|sions|ments|ities)$"
)
_VERBAL_NOUNS = _read_word_list("verbal_nouns")
_ADJECTIVE = re.compile(
    r"(?:al|ive|ous|ic|ly|able|ible|ful|less|based|aware|driven|specific|guided|free|level|agnostic|trained|centric|"
    r"shot|hop|scale|modal|grained|source|art|to|ed|ary)$"
)
_NOUNS = _read_word_list("nouns")


@dataclass(frozen=True, slots=True)
class GroupName:
    """A heading for a group of papers and its distinguishing terms, best first."""

    heading: str
    terms: tuple[str, ...]


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


def name_groups(groups: Sequence[Sequence[Paper]], topic: str, formula: Formula = "bounded") -> list[GroupName]:
    """A name for each group that tells it from the others; words of the topic alone name nothing.

    No two groups get the same heading.
    """
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    papers = [paper for group in groups for paper in group]
    titled = [set(_phrases(p.title, forms, weight=3)) for p in papers]
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(analyzer=lambda p: list(_phrases(f"{p.title}. {p.content}", forms)), binary=True)
    try:
        presence = counter.fit_transform(papers)
    except ValueError:  # no paper has a usable word
        return [GroupName(f"Group {i}", ()) for i in range(1, len(groups) + 1)]
    vocabulary = counter.get_feature_names_out()
    starts = np.cumsum([0, *(len(group) for group in groups)])
    frequencies = np.array([np.asarray(presence[a:b].sum(axis=0)).ravel() for a, b in _pairs(starts)], float)
    weights = c_tf_idf(frequencies, formula)
    topical = {stem(w) for w in topic.lower().split()}
    in_titles = Counter(phrase for phrases in titled for phrase in phrases)
    # A longer phrase says more: it wins over its own parts unless it is much rarer.
    lengths = np.array([1.0 + 0.75 * phrase.count(" ") for phrase in vocabulary])
    names: list[GroupName] = []
    taken: set[str] = set()
    for row, group in enumerate(groups):
        least = 2 if len(group) >= 6 else 1
        order = np.argsort(-(weights[row] * lengths), kind="stable")
        best = [str(vocabulary[i]) for i in order[:400] if frequencies[row, i] >= least and weights[row, i] > 0]
        often = {str(vocabulary[i]): frequencies[row, i] for i in order[:400]}
        usable = [p for p in best if not set(p.split()) <= topical and not _is_fragment(p, often)]
        readable = [p for p in usable if _reads(_form(p, forms)) and _form(p, forms) not in _WHOLE_FIELDS]
        titular = [p for p in readable if in_titles[p] >= least]
        chosen = _distinct([*titular, *([] if len(titular) > 1 else readable)], taken, forms)
        chosen = chosen or _distinct([*readable, *usable], taken, forms)[:1]
        title = heading(" and ".join(_form(p, forms) for p in chosen)) or f"Further Work {row + 1}"
        taken.update(chosen)
        names.append(GroupName(title, tuple(_form(p, forms) for p in _without_parts(usable)[:8])))
    return names


def _is_fragment(phrase: str, often: Mapping[str, float]) -> bool:
    """Whether the phrase is mostly written as a part of one longer phrase."""
    return any(
        f" {phrase} " in f" {other} " and count >= 0.6 * often[phrase]
        for other, count in often.items()
        if len(other) > len(phrase)
    )


def _phrases(text: str, forms: dict[str, Counter[str]], weight: int = 1) -> Iterator[str]:
    """Stemmed phrases of one to four words that cross no stop word and no punctuation."""
    run: list[tuple[str, str]] = []
    for token in [*_TOKEN.findall(text), "."]:
        lower = token.lower()
        if len(lower) < 2 or lower in STOP_WORDS or lower in _EMPTY or not lower[0].isalpha():
            yield from _run_phrases(run, forms, weight)
            run = []
        else:
            run.append((stem(lower), token))
    yield from _run_phrases(run, forms, weight)


def _run_phrases(run: Sequence[tuple[str, str]], forms: dict[str, Counter[str]], weight: int) -> Iterator[str]:
    for start in range(len(run)):
        for stop in range(start + 1, min(start + LONGEST_PHRASE, len(run)) + 1):
            part = run[start:stop]
            if len(part) == 1 and part[0][1].lower() in _TOO_GENERAL:
                continue
            if (
                all(token.lower() in _TOO_GENERAL for _, token in part[:2])
                and len(part) == 2
                and part[0][0] == part[1][0]
            ):
                continue
            phrase = " ".join(stemmed for stemmed, _ in part)
            forms[phrase][" ".join(token for _, token in part)] += weight
            yield phrase


def _form(phrase: str, forms: dict[str, Counter[str]]) -> str:
    """How the phrase is mostly written, an acronym's capitals kept, otherwise in lower case."""
    written = forms[phrase].most_common(1)[0][0]
    return " ".join(w if sum(c.isupper() for c in w) > 1 else w.lower() for w in written.split())


def _reads(phrase: str) -> bool:
    """Whether the phrase can stand as a heading, as far as the endings of its words tell."""
    first, *_, last = [*phrase.split(), phrase.split()[-1]]
    if _is_acronym(last):
        return True
    if " " not in phrase:
        return last in _VERBAL_NOUNS or last in _NOUNS or (bool(_NOUN_ENDING.search(last)) and not last.endswith("ing"))
    if first.endswith("ing") and first not in _VERBAL_NOUNS:
        return False
    if last.endswith("ing"):
        return last in _VERBAL_NOUNS
    return last in _NOUNS or not _ADJECTIVE.search(last)


def _is_acronym(word: str) -> bool:
    return sum(ch.isupper() for ch in word) > 1


def _distinct(phrases: Sequence[str], taken: set[str], forms: dict[str, Counter[str]]) -> list[str]:
    """The best phrase, and a second that says something else; none that another group has."""
    chosen: list[str] = []
    for phrase in phrases:
        if phrase in taken or any(_same(_form(phrase, forms), _form(other, forms)) for other in chosen):
            continue
        chosen.append(phrase)
        if len(chosen) == 2:
            break
    return chosen


def _same(one: str, other: str) -> bool:
    """Whether two phrases share a word, or one holds the acronym of the other."""
    if {stem(w.lower()) for w in one.split()} & {stem(w.lower()) for w in other.split()}:
        return True
    for short, long in ((one, other), (other, one)):
        initials = "".join(word[0] for word in long.replace("-", " ").split()).lower()
        for word in short.split():
            letters = "".join(ch for ch in word if ch.isupper()).lower()
            if len(letters) > 1 and (letters in initials or initials in letters):
                return True
    return False


def _without_parts(phrases: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for phrase in phrases[:60]:
        if not any(f" {phrase} " in f" {other} " or f" {other} " in f" {phrase} " for other in kept):
            kept.append(phrase)
    return kept


def _pairs(starts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    yield from zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
