"""Hedges of a source that a claim leaves out: it may help, it helps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from engine.checking.lexicon import HEDGE, NEGATION, TEXTS_KEPT
from engine.text import terms

FEWEST_SHARED = 1
"""Terms that a claim shares with a sentence beside the verb that is hedged there."""

MOST = 0.7
"""Share of a sentence's terms that a claim has when it leaves a hedge of it out."""

FEWEST_OF_A_PART = 4
"""Terms of a claim from which it is a part of a sentence that has them all."""

_OF_OTHERS = re.compile(r"\b(?:existing|previous|prior|earlier|conventional|traditional) [a-z]", re.I)
"""Of whom a sentence with a hedge speaks, which hedges nothing of the paper's own."""

EFFECT_TERMS = 4
"""Terms behind a hedge that it hedges."""

FEWEST_OF_AN_EFFECT = 2
"""Of these a claim has so many, beside one of those before the hedge, that tells the same as certain."""

_EFFECT = re.compile(
    r"\b(?P<hedge>(?:may|might|could)\s(?:also\s|thus\s|therefore\s|not\s)?(?:lead to|result in|[a-z]+))"
    r"\s(?P<what>[^,;:.]*)",
    re.I,
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|potentially|possibly|often|sometimes|occasionally|tends? to|"
    r"likely to|appears? to|seems? to)\s+"
    r"(?:also |be |help |not |even |only )*([\w-]+)",
    re.I,
)
_SOFT = re.compile(
    rf"{HEDGE.pattern}|\b(?:can|would|should|usually|generally|typically|mostly|many|some|"
    rf"several|argu\w+|hypothesi[sz]\w+|"
    r"believ\w+|indicat\w+|hint\w*|prone|risk\w*|if|when|attempt\w*|aim\w*|try|tries|seek\w*|"
    r"hop\w+|expect\w*|unless|probabl[ey])\b",
    re.I,
)
CONCEDED = re.compile(r"\b(?:while|although|though|even if)\s+(?:[\w-]+\s+){0,4}?(?:may|might|can)\b", re.I)
"""A "may" that grants something: "while they may understand it, they do not use it"."""


def retells(said: frozenset[str], own: frozenset[str]) -> bool:
    """Whether a claim with these terms is most of a sentence with those, or wholly a part of it."""
    shared = len(own & said)
    return shared >= MOST * len(own) or (shared >= FEWEST_OF_A_PART and shared == len(said))


def find_dropped_hedges(claim: str, sources: Sequence[str]) -> list[str]:
    """Verbs that the source has only behind a hedge and the claim has bare."""
    if _SOFT.search(claim):
        return []
    denied = {term for piece in NEGATION.split(claim)[1:] for term in terms(piece)[:2]}
    ours = set(terms(claim)) - denied
    read = map(_read_hedged, sources)
    hedged = {verb: words for own, found in read if len(ours & own) > FEWEST_SHARED for verb, words in found}
    if not hedged:
        return []
    free = _HEDGED.sub(" ", " ".join(sources))
    held = set(terms(free))
    return [
        phrase for verb, phrase in hedged.items() if (stems := set(terms(verb))) and stems <= ours and not stems & held
    ] or _find_told_as_certain(ours, sources)


def _find_told_as_certain(ours: set[str], sources: Sequence[str]) -> list[str]:
    """A hedge of which the claim has what it hedges, in words that stand in no other sentence of the source."""
    found = []
    for text in sources:
        for hedge, before, effect in _read_effects(text):
            said = effect & ours
            if len(said) < FEWEST_OF_AN_EFFECT or not before & ours:
                continue
            if not said <= frozenset().union(*(_read_hedged(other)[0] for other in sources if other != text)):
                found.append(hedge)
    return found


@lru_cache(maxsize=TEXTS_KEPT)
def _read_effects(text: str) -> tuple[tuple[str, frozenset[str], frozenset[str]], ...]:
    """Each "may lead to", with the terms before it and the first of those that it hedges."""
    text = CONCEDED.sub(" ", text)
    return tuple(
        (match["hedge"], frozenset(terms(text[: match.start()])), frozenset(terms(match["what"])[:EFFECT_TERMS]))
        for match in _EFFECT.finditer(text)
    )


@lru_cache(maxsize=TEXTS_KEPT)
def _read_hedged(text: str) -> tuple[frozenset[str], tuple[tuple[str, str], ...]]:
    """The terms of a sentence, and its verbs behind hedges, each with the words of both."""
    told = CONCEDED.sub(" ", text)
    found = ((m[1], m[0]) for m in _HEDGED.finditer(told) if not _OF_OTHERS.search(told, 0, m.start()))
    return frozenset(terms(text)), tuple(found)
