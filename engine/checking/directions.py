"""Effects to which a claim gives the direction that its source does not: raised for lowered, helped for harmed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from engine.checking.lexicon import NEGATION, TEXTS_KEPT
from engine.text import terms

OBJECT_TERMS = 3
"""Terms behind a word of direction that it may speak of."""

_AXES = (
    (
        r"increas\w*|rais(?:e[sd]?|ing)|grow\w*|grew|higher|high|greater|more|larger|gains?|"
        r"boost\w*|rise[sn]?|enlarg\w*|up-?weight\w*|strengthen\w*|amplif\w*|stronger|upper|long(?:er)?",
        r"decreas\w*|reduc\w*|lower(?:s|ed|ing)?|low|declin\w*|drop\w*|fewer|less|smaller|shrink\w*|diminish\w*|cuts?|"
        r"minimi[sz]\w*|sav(?:e[sd]?|ing)|down-?weight\w*|weaken\w*|wan(?:e[sd]?|ing)|suppress\w*|short(?:er|en\w*)?|mitigat\w*|alleviat\w*",
    ),
    (
        r"improv\w*|enhanc\w*|better|help\w*|benefi\w*|simplif\w*|accelerat\w*|speed(?:s|ed|ing)?[- ]?up|strengthen\w*|"
        r"advanc(?:e[sd]|ing)|promot\w*|facilitat\w*|increas\w*|boost\w*|robust",
        r"degrad\w*|worsen\w*|harm\w*|hurt\w*|impair\w*|complicat\w*|slow(?:s|ed|ing)?(?: down)?|"
        r"weaken\w*|deteriorat\w*|"
        r"hinder\w*|limit(?:s|ed|ing)?|damag\w*|undermin\w*|reduc\w*|decreas\w*|suffer\w*|vulnerab\w*|brittle",
    ),
    (r"first", r"second|third|fourth|fifth"),
    (r"whole|entire|complete|full", r"(?:sub-?set|part|portion|fraction|subsample|half) of"),
    (r"close to|near(?:by)?|next to|closer to", r"far (?:away )?from|distant from|away from|farther from"),
)
"""Two ways in which an effect has a direction, or of which only one can be so of a thing; the words of each side."""

_SIDES = tuple(re.compile(rf"\b(?:{side})\b", re.I) for axis in _AXES for side in axis)
_END = re.compile(r"[,;:()]|\b(?:while|whereas|but|by|with|without|when|than|and|through|via|using|because|if)\b", re.I)


def find_turned_directions(claim: str, sources: Sequence[str]) -> list[str]:
    """Effects that the claim gives one direction and the source only the other."""
    found = []
    for at, ours in enumerate(_read_directions(claim)):
        if not ours:
            continue
        theirs = _terms_of(_read_directions(text)[at] for text in sources)
        against = _terms_of(_read_directions(text)[at ^ 1] for text in sources)
        for said, objects in ours:
            turned = (objects & against) - theirs
            if turned and len(turned) >= len(objects) / 2:
                found.append(said)
    return found


_AMOUNTS = frozenset(terms("number amount size level rate degree public"))
"""Terms between a word of direction and what it speaks of: it "reduces the number of parameters"."""

_CHANGES_ALONE = re.compile(
    r"increas(?:es|ed)|decreas(?:es|ed)|ris(?:es|en)|grows|grew|declin(?:es|ed)|drop(?:s|ped)|diminish(?:es|ed)|"
    r"shrinks|improves|improved|degrades|degraded|deteriorat(?:es|ed)|worsen(?:s|ed)",
    re.I,
)
"""Verbs of which the subject is what changes, where nothing follows."""

_OF_A_TERM = re.compile(
    r"[\s-](?:bounds?|orders?|dimension\w*|ranks?|levels?|resolution|frequenc\w+|bod(?:y|ies)|limbs?|degrees?|layers?)\b",
    re.I,
)
"""Behind "lower" and "high" in terms that have no direction: a lower bound, higher order."""


@lru_cache(maxsize=TEXTS_KEPT)
def _read_directions(text: str) -> tuple[tuple[tuple[str, frozenset[str]], ...], ...]:
    """For each side of each axis, one behind the other, its words in the text with what they speak of."""
    return tuple(_objects(direction, text) for direction in _SIDES)


def _objects(direction: re.Pattern[str], text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Each word of direction with the first terms of what it speaks of; negated ones aside."""
    found = []
    for match in direction.finditer(text):
        behind = text[match.end() :]
        if NEGATION.search(text[max(0, match.start() - 25) : match.start()]) or _OF_A_TERM.match(behind):
            continue
        behind = _END.split(behind, maxsplit=1)[0]
        near = [term for term in terms(behind) if term not in _AMOUNTS][:OBJECT_TERMS]
        if not near and _CHANGES_ALONE.fullmatch(match[0]):  # "the effort decreases"
            near = terms(_END.split(text[: match.start()])[-1])
        if near:
            found.append((match[0], frozenset(near)))
    return tuple(found)


def _terms_of(groups: Iterable[Iterable[tuple[str, frozenset[str]]]]) -> frozenset[str]:
    return frozenset(term for group in groups for _, objects in group for term in objects)
