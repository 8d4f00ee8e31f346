"""Technical terms of a claim of which its sources say nothing: a particle filter, where they have a Kalman filter.

A word is a term of some subject where it comes again and again in few texts. What is not, the general words of papers,
was counted over 87,000 abstracts by residual inverse document frequency (Church & Gale 1995): those below .6.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from engine.text import STOP_WORDS, stem, words
from engine.wordlists import read_wordlist

FEWEST_LETTERS = 4
"""Letters of a stem that says something by itself."""

SAME_START = 5
"""Letters with which two words begin that may be of one family: classifier, classification."""


def find_strange_terms(claim: str, held: frozenset[str], joined: frozenset[str], names: Iterable[str]) -> list[str]:
    """Words of the claim that are terms of a subject, and neither they nor their families stand in the source.

    ``held`` are the stems of the sources and the topic, ``joined`` neighbouring words written as one ("on line");
    ``names`` are words that are judged as names.
    """
    families = {term[:SAME_START] for term in held}
    named = {word for name in names for word in words(name.replace("-", " "))}
    found = []
    for word in words(claim.replace("-", " ").replace("/", " ")):
        term = stem(word)
        if len(term) < FEWEST_LETTERS or word in STOP_WORDS or word in named or _is_plain(word):
            continue
        if word not in joined and term not in _general() and term[:SAME_START] not in families:
            found.append(word)
    return found


def _is_plain(word: str) -> bool:
    """Whether it names nothing by its form: a participle, an adverb, a fraction, or no word at all."""
    return not word.isalpha() or word.endswith(("ed", "ly")) or word in _FRACTIONS


_FRACTIONS = frozenset({"third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "hundredth"})


@cache
def _general() -> frozenset[str]:
    return read_wordlist("checking/general_terms.txt")
