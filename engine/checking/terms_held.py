"""How much of what a claim says its evidence holds: terms, and names.

Nothing here knows what a word means: two words are one where their stems or their first letters agree.
"""

from __future__ import annotations

import re
from functools import lru_cache

from engine.text import STOP_WORDS, fold, sentences, terms

TEXTS_KEPT = 8_192
"""Texts whose terms are kept: the sentences of a paper are compared with every claim that cites it."""

SHORTEST_NAME = 3
"""Letters and digits of a name that is looked for: shorter ones (RL, A2) are left out or written otherwise."""

SAME_START = 6
"""Letters that two stems have in common at their start to be one: "encapsul", "encapsulated"."""

_NAME = re.compile(r"(?:[^\W_]|(?<=\w)[+&/.'’-](?=\w))+(?:\+\+)?")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_CAPITALS = re.compile(r"[A-Z][\w-]+(?: [A-Z][\w-]+)+")
"""Neighbouring words with capitals, whose first letters may stand for them: West Nile (WN)."""


@lru_cache(maxsize=TEXTS_KEPT)
def split_terms(text: str) -> frozenset[str]:
    """Terms, those of compounds one by one: "state-of-the-art" is "state of the art"."""
    return frozenset(terms(text.replace("-", " ")))


def share_held(claim: str, evidence: str) -> float:
    """Share of the claim's terms that the evidence holds; 1 where the claim has none.

    Weighing terms by rarity (inverse document frequency) separates the sets of ``../shared/claims`` no better.
    """
    said = split_terms(claim)
    return 1.0 - len(list_missing_terms(claim, evidence)) / len(said) if said else 1.0


def list_missing_terms(claim: str, evidence: str) -> list[str]:
    """Terms of the claim that the evidence does not hold in any form."""
    held = split_terms(evidence)
    starts = {term[:SAME_START] for term in held if len(term) >= SAME_START}
    joined = fold(evidence)
    return [
        term
        for term in sorted(split_terms(claim) - held)
        if not (len(term) >= SAME_START and (term[:SAME_START] in starts or fold(term) in joined))
    ]


def find_missing_names(claim: str, known: str) -> tuple[str, ...]:
    """Names of a claim that stand nowhere in the ``known`` text: words with a capital, or with a digit among letters.

    The first word of a sentence is one only where a capital or a digit stands inside it. An abbreviation stands where
    neighbouring words begin with its letters.
    """
    joined = fold(known)
    initials = "".join(word[0].lower() for word in re.findall(r"[^\W\d_]+", known))
    found: dict[str, None] = {}
    for sentence in sentences(claim):
        for at, match in enumerate(_NAME.finditer(sentence)):
            for part in re.split(r"[/+&]|['’]s?$|-(?=\D)", match[0]):
                if _looks_named(part, is_first=at == 0) and not _stands(part, joined, initials):
                    found[part] = None
    shortened = {run[0] for run in _CAPITALS.finditer(claim) if "".join(re.findall("[A-Z]", run[0])).lower() in joined}
    return tuple(name for name in found if not any(name in run.split() for run in shortened))


def _looks_named(part: str, *, is_first: bool) -> bool:
    is_word = any(ch.isalpha() for ch in part) and not _ORDINAL.fullmatch(part)
    if not is_word or len(part) < SHORTEST_NAME or part.lower() in STOP_WORDS:
        return False
    inside = any(ch.isupper() for ch in part[1:]) or any(ch.isdigit() for ch in part)
    return inside or (part[0].isupper() and not is_first)


def _stands(name: str, joined: str, initials: str) -> bool:
    letters = fold(name)
    if letters in joined or letters.removesuffix("s") in joined:
        return True
    short = name.removesuffix("s")
    return short.isalpha() and sum(ch.isupper() for ch in short) >= 2 and short.lower() in initials
