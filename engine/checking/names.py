"""The names in a text, what abbreviations among them stand for, and whether a source has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from engine.checking.lexicon import TEXTS_KEPT, split_terms
from engine.checking.quantities import quantities
from engine.checking.reach import spell_out_umlauts
from engine.text import fold, sentences, stem, terms
from engine.values import Paper
from engine.wordlists import read_wordlist

FEWEST_PAPERS = 4
"""Papers of a section from which the terms of its subject can be told."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the papers of a section share: words that are no names, and what abbreviations stand for."""

    common: frozenset[str]
    expansions: dict[str, tuple[str, ...]]
    shared: frozenset[str] = frozenset()
    """Stems that stand in at least half of the papers, where there are enough to tell: terms of the subject."""

    @classmethod
    def of(cls, papers: Iterable[Paper], topic: str = "") -> Vocabulary:
        """Words written in lower case somewhere, and every "large language models (LLMs)"."""
        texts = [f"{paper.title}. {paper.content}" for paper in papers] + [topic]
        read = [_read_vocabulary(text) for text in texts]
        common = frozenset().union(*(words for words, _ in read))
        found: dict[str, dict[str, None]] = {}
        for short, expansion in (pair for _, pairs in read for pair in pairs):
            found.setdefault(short, {})[expansion] = None
        expansions = {short: tuple(longer) for short, longer in found.items()}
        if len(texts) <= FEWEST_PAPERS:
            return cls(common, expansions)
        spread = Counter(chain.from_iterable(map(split_terms, texts)))
        shared = frozenset(term for term, papers_with in spread.items() if 2 * papers_with >= len(texts))
        return cls(common, expansions, shared)


_NAME = re.compile(r"(?:[^\W_]|(?<=\w)[+&/.'’-](?=\w))+(?:\+\+)?")
_VERSION = re.compile(r"\d+(?:\.\d+)*")
_POWER_OF_TEN = re.compile(r"[\d.]+[eE]-?\d+")
_ET_AL = re.compile(r"\s+(?:et al\b|and (?:colleagues|co-?workers)\b|\()", re.I)


def names_in(text: str, vocabulary: Vocabulary) -> list[str]:
    """Words that name something: with a capital inside or a digit, or a capital where no sentence begins."""
    found: dict[str, None] = {}
    for sentence in sentences(text):
        for at, match in enumerate(_NAME.finditer(sentence)):
            if match[0].isalpha() and match[0].islower():
                continue
            word = re.sub(r"['’]s$", "", match[0]).strip("'’-.")
            parts = [p for p in re.split(r"[-/]", word) if p]
            if (
                _POWER_OF_TEN.fullmatch(word)
                or not any(_looks_named(p) for p in parts)
                or (at == 0 and (word[0].isdigit() or word.replace("-", "").isalpha()) and quantities(word.lower()))
            ):
                continue
            begins = at == 0 or sentence[: match.start()].rstrip().endswith((":", "“", '"', "("))
            plain_capital = all((p[:1].isupper() and p[1:].islower()) or p.islower() for p in parts)
            is_author = bool(_ET_AL.match(sentence[match.end() :]))
            if plain_capital and not any(terms(p) for p in parts):
                continue  # a stop word, wherever it stands
            if begins and plain_capital and not is_author and _is_common(parts, vocabulary):
                continue
            found[word] = None
    return list(found)


def _looks_named(part: str) -> bool:
    has_letter = any(ch.isalpha() for ch in part)
    return has_letter and len(part) > 1 and (any(ch.isupper() for ch in part) or any(ch.isdigit() for ch in part))


def _is_common(parts: Sequence[str], vocabulary: Vocabulary) -> bool:
    return all(p.endswith("ing") or not terms(p) or _is_ordinary(p.lower(), vocabulary) for p in parts)


def _is_ordinary(word: str, vocabulary: Vocabulary) -> bool:
    forms = {word, word.removesuffix("s")}
    return not forms.isdisjoint(vocabulary.common) or not forms.isdisjoint(read_ordinary_words())


@cache
def read_ordinary_words() -> frozenset[str]:
    """Ordinary words: sentences of abstracts begin with them, or they stand in lower case in at least 60 of 87,000."""
    return read_wordlist("checking/openers.txt")


def is_known(name: str, known: frozenset[str], vocabulary: Vocabulary, initials: Sequence[str]) -> bool:
    forms = {fold(name), fold(name).removesuffix("s"), fold(spell_out_umlauts(name))}
    if forms & known:
        return True
    if "/" not in name and any(map(_VERSION.fullmatch, name.split("-"))):  # CIFAR-100 is not CIFAR-10
        return fold("".join(p for p in name.split("-") if _looks_named(p) or _VERSION.fullmatch(p))) in known
    parts = [p for p in re.split(r"[-/]", name) if _looks_named(p)]
    if (parts and 0 < len(parts) < len(re.split(r"[-/]", name))) or (len(parts) > 1 and "/" in name):
        return all(is_known(p, known, vocabulary, initials) for p in parts)
    short = name.removesuffix("s")
    if short.isupper() and short.isalpha() and len(short) >= 2:
        expansions = vocabulary.expansions.get(short, ())
        if any(fold(e) in known or _stands(e, known) for e in expansions):
            return True
        if len(short) >= 3 and any(short.lower() in letters for letters in initials):
            return True
    if len(name) <= 3 or not name[1:].islower():
        return False
    family = [k for k in known if k[:3] == name[:3].lower()]
    adjectives = {f"{name.lower()}{ending}" for ending in ("ian", "ean", "an", "ic", "ese")}  # Poisson, Poissonian
    nouns = {name.lower().removesuffix(ending) for ending in ("ese", "ian", "ean", "an")} - {name.lower()}
    return bool({stem(name.lower())} & {stem(k) for k in family} or (adjectives | nouns) & set(family))


def _stands(expansion: str, known: frozenset[str]) -> bool:
    """Whether the words of an expansion stand there side by side, its first one aside where it has three."""
    parts = [fold(w).removesuffix("s") for w in expansion.split()]
    tail = parts[1:] if len(parts) > 2 else parts
    joined = "".join(tail)
    return joined in known or f"{joined}s" in known


@lru_cache(maxsize=64)
def join_neighbours(text: str) -> frozenset[str]:
    found: set[str] = set()
    # "GPT4o" and "trained14B" are read whole and in their parts.
    for spaced in (text, text.replace("_", " "), re.sub(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", text)):
        tokens = [t for t in map(fold, re.findall(r"\w+(?:['’]\w+)?\+*", spaced)) if t]
        found.update(tokens, (t.removesuffix("s") for t in tokens))
        for size in (2, 3, 4):
            found.update("".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1))
    return frozenset(found)


@lru_cache(maxsize=TEXTS_KEPT)
def _read_vocabulary(text: str) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """The words in lower case, and what each abbreviation in brackets stands for."""
    found: list[tuple[str, str]] = []
    for match in re.finditer(r"\(([A-Z][A-Za-z]{1,7})\)", text):
        short = match[1].removesuffix("s")
        before = re.findall(r"[A-Za-z]+", text[: match.start()])
        for size in range(len(short), 1, -1):
            words = before[-size:]
            if len(words) == size and words[0][:1].lower() == short[:1].lower():
                found.append((short, " ".join(words).lower()))
                break
    return frozenset(re.findall(r"\b[a-z][a-z]+\b", text)), tuple(found)
