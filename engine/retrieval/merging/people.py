"""Authors of two records compared: initials and full names, swapped order, bodies, lists that end in “et al.”."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

from engine.retrieval.merging.titles import fold_umlauts, plain_letters
from engine.retrieval.paper_keys import surname
from engine.text import ET_AL

AuthorMatch = Literal["same", "overlap", "unknown", "different"]
"""How the authors of two records stand to each other; ``overlap``: most of them, but another one is first; ``unknown``:
one record names nobody, a body, or people in another script."""

_BODY = re.compile(
    r"\b(?:collaboration|consortium|group|team|committee|organi[sz]ation|society|association|institute|university|"
    r"council|agency|initiative|project|network|office|department|ministry|commission|foundation|laborator\w+|labs?|"
    r"research|google|meta|microsoft|nvidia|deepmind|openai|anthropic|inc|ltd|working|task force|investigators|"
    r"contributors|community|alliance|center|centre|bureau|administration|academy|bank|union)\b",
    re.I,
)
ALIKE = 85
"""Least similarity, of 100, of two spellings of one surname."""


def compare_people(one: Sequence[str], other: Sequence[str]) -> AuthorMatch:
    """Judged by the first author, then by how many of the shorter list are in the longer."""
    first, second = _people(one), _people(other)
    bodies = [next(("".join(_tokens(name)) for name in names if is_body(name)), "") for names in (one, other)]
    if not first and not second and all(bodies):
        return "same" if bodies[0] in bodies[1] or bodies[1] in bodies[0] else "different"
    if not first or not second:
        return "unknown"
    if is_comparable(first[0]) is not is_comparable(second[0]):
        return "unknown"
    short, long = sorted((first, second), key=len)
    matched = sum(any(is_same_person(a, b) for b in long) for a in short)
    share = matched / len(short)
    if is_same_person(first[0], second[0]):
        return "same" if len(short) == 1 or (matched >= 2 and share >= 0.5) else "different"
    return "overlap" if matched >= 2 and share >= 0.6 else "different"


@lru_cache(maxsize=200_000)
def is_same_person(one: str, other: str) -> bool:
    """Whether two names can be one person's: the surname in both, given names or initials that fit; in any order."""
    first, second = _tokens(one), _tokens(other)
    if not first or not second:
        return False
    if sorted("".join(first)) == sorted("".join(second)):  # Mac Donald, MacDonald; 田 萱, 田萱
        return True
    return any(_share(surname, [*first], [*second]) for surname in (_surname_tokens(one), _surname_tokens(other)))


def _share(surname: tuple[str, ...], first: list[str], second: list[str]) -> bool:
    """Whether both names, as lists of their words, have the surname and given names that fit."""
    for name in surname:
        a, b = _find(name, first), _find(name, second)
        if a is None or b is None:
            return False
        first.remove(a)
        second.remove(b)
    return _fit(first, second)


def is_comparable(name: str) -> bool:
    """Whether a name is in Latin letters, or in such as we can transliterate."""
    return plain_letters(name).replace("’", "'").isascii()


def find_blocking_surname(authors: Sequence[str]) -> str:
    """The first author's surname in plain letters, the same for most of its spellings; empty where there is none."""
    people = _people(authors)
    return "".join(_surname_tokens(people[0])[-1:]) if people else ""


def _find(name: str, among: list[str]) -> str | None:
    if name in among:
        return name
    return next((t for t in among if min(len(t), len(name)) >= 5 and fuzz.ratio(name, t) >= ALIKE), None)


def _fit(given: list[str], others: list[str]) -> bool:
    """Whether given names can be one person's: none, initials, short forms, a middle name more."""
    if not given or not others:
        return True
    joined, other = "".join(given), "".join(others)
    if "".join(name[0] for name in given) == other or "".join(name[0] for name in others) == joined:
        return True  # Julian P T, JPT
    if min(len(given[0]), len(others[0])) <= 2:
        return given[0][0] == others[0][0]
    return given[0].startswith(others[0][:3]) or fuzz.ratio(given[0], others[0]) >= 75


@lru_cache(maxsize=200_000)
def _tokens(name: str) -> tuple[str, ...]:
    plain = plain_letters(name)
    found = re.findall(r"[^\W\d_]+", re.sub(r"['’`]", "", plain))
    return tuple(map(fold_umlauts, found))


def _surname_tokens(name: str) -> tuple[str, ...]:
    return _tokens(surname(re.sub(r",?\s+(?:Jr|Sr|II|III|IV)\.?$", "", name)))


def _people(authors: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in authors if name != ET_AL and not is_body(name))


def is_body(name: str) -> bool:
    """Whether a name of several words is an organisation's: “ATLAS Collaboration”."""
    return len(name.split()) > 1 and bool(_BODY.search(name))
