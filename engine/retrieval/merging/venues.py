"""What kind of venue a name is of, and whether two names can be of one venue."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from engine.values import Paper

Kind = Literal["", "preprint", "journal", "conference", "thesis"]

_KINDS: Mapping[Kind, re.Pattern[str]] = {
    "preprint": re.compile(
        r"\bcorr\b|rxiv|ssrn|pre-?print|research square|openreview|tech(?:nical|\.)? rep|working paper|zenodo|osf\b",
        re.I,
    ),
    "conference": re.compile(
        r"\bconf(?:erence)?\b|\bworkshops?\b|\bproc(?:eedings)?\b|\bsymposium\b|\bcongress\b", re.I
    ),
    "journal": re.compile(r"\bjournal\b|\bj\.|\btrans(?:actions?)?\b|\blett(?:ers)?\b|\breviews?\b|\bmagazine\b", re.I),
    "thesis": re.compile(r"thesis|dissertation|habilitation|\buniversit\w+\b(?!.*\bpress\b)", re.I),
}
_ACRONYM = re.compile(r"\b[A-Z]\w*[A-Z]\w*")
_ACRONYM_ALONE = re.compile(rf"\s*{_ACRONYM.pattern}(?:[\s'’-]+\d+)?\s*")


@lru_cache(maxsize=50_000)
def venue_kind(venue: str) -> Kind:
    """The kind that a name shows, an acronym alone (``ICML 2019``) a conference's; empty where it shows none."""
    named: Kind = "conference" if _ACRONYM_ALONE.fullmatch(venue) else ""
    return next((kind for kind, names in _KINDS.items() if names.search(venue) or kind == named), "")


def are_different_venues(one: str, other: str) -> bool:
    """Whether one publication cannot have appeared in both: a journal and a conference, two conferences, a thesis."""
    first, second = venue_kind(one), venue_kind(other)
    if "thesis" in {first, second}:
        return first != second and bool(one.strip() and other.strip())
    if {"", "preprint"} & {first, second} or _may_abbreviate(one, other) or _may_abbreviate(other, one):
        return False
    return first != second or bool(_ACRONYM.search(one) and _ACRONYM.search(other))


def _may_abbreviate(one: str, other: str) -> bool:
    """Whether the letters of an acronym in one name stand in the other in this order, from a word's beginning."""
    words = other.lower().split()
    for acronym in map(str.lower, _ACRONYM.findall(one.replace("-", " "))):
        for start in (n for n, word in enumerate(words) if word.startswith(acronym[0])):
            letters = iter("".join(words[start:]))
            if all(letter in letters for letter in acronym):
                return True
    return False


def is_published(paper: Paper) -> bool:
    """Whether the venue is one of publications, not of preprints."""
    return bool(paper.venue) and venue_kind(paper.venue) != "preprint"
