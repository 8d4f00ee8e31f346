"""Whether a claim that rests on several papers, or says so, is said by each of them.

What two papers say together may be said by neither: a number of one and a data set of the other, or a result of one
told of both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from engine.checking.clauses import split_clause
from engine.checking.lexicon import TEXTS_KEPT, split_terms
from engine.checking.quantities import Quantity, quantities
from engine.text import fold, terms

HELD_BY_ONE = 0.5
"""Share of what is said of a named system that the paper that names it has to hold."""

HELD_TOGETHER = 0.7
"""Share that all papers together have to hold before the part of one of them is judged."""

FEWEST_TERMS = 2
"""Terms beside the names that a part of a claim needs to be judged."""

_SEVERAL = re.compile(
    r"\b(?:(?:these|those|both|several|many|various|multiple|numerous|two|three|four|recent|most|all)\s"
    r"(?:of\s)?(?:the\s|these\s|those\s)?(?:[\w-]+\s){0,2}?(?:works|papers|studies|authors|researchers|articles|surveys)|"
    r"(?:studies|researchers|papers|surveys|works)\s(?:\w+ly\s)?(?:show|find|report|agree|argue|suggest|conclude|confirm|"
    r"demonstrate|have)|taken together|together,? (?:these|they|the)|it is (?:widely|generally|commonly) \w+)\b",
    re.I,
)
"""Words that tell of more papers than one."""

_SET_APART = re.compile(
    r"\b(?:unlike|in contrast to|contrary to|instead of|rather than|as opposed to|compared (?:to|with)|than|like|"
    r"different(?:ly)? from|similar(?:ly)? to|follow(?:s|ing)|extend(?:s|ing)|build(?:s|ing) on)\b[^,;]*",
    re.I,
)
_PLAIN = frozenset(
    terms("use rely propose present introduce show report find achieve reach method approach system work")
)
"""What papers say of anything."""

_EACH = re.compile(r"\b(?:both|each|all (?:two|three|four|five|of them)|alike|equally|the two)\b", re.I)
_ONE_BY_ONE = re.compile(r"[:;]|\b(?:while|whereas|respectively|other|former|latter|one)\b", re.I)
"""What tells of each paper apart."""

SAME_START = 6
"""Letters with which two stems begin that may be of one family: decomposition, decomposes."""

_PARTS = re.compile(r";|,\s(?:while|whereas|and|but|where|with)\s|,\s(?=\w+ing\s)|\s(?:while|whereas|but)\s", re.I)


def find_missing_speakers(claim: str, texts: Sequence[str]) -> list[str]:
    """Words that tell of several papers where one alone is cited, and it does not speak of several itself."""
    said = _SEVERAL.search(claim)
    return [said[0]] if said and len(texts) == 1 and not _speaks_of_several(texts[0]) else []


@lru_cache(maxsize=TEXTS_KEPT)
def _speaks_of_several(text: str) -> bool:
    return bool(_SEVERAL.search(text))


def find_merged(
    claim: str, texts: Sequence[str], held_names: Sequence[frozenset[str]], names: Callable[[str], Sequence[str]]
) -> list[str]:
    """Names of which the claim says what the paper that names them does not; ``texts`` are the papers' own.

    ``names`` finds the names in a text, ``held_names`` are each paper's words and neighbouring words in fold form.
    Only what all papers together say is judged: the rest is another fault.
    """
    if len(texts) < 2:
        return []
    held = [split_terms(text) for text in texts]
    together = frozenset().union(*held)
    known = [quantities(text) for text in texts]
    found = [*_number_of_some(claim, known), *_find_said_of_some(claim, held, names(claim))]
    for part in _PARTS.split(claim):
        own = _SET_APART.sub(" ", part)
        named = names(own)
        owners = _owners(named, held_names)
        clause = split_clause(own.strip())
        is_of_subject = clause and all(name in clause.subject for name in named)
        predicate = clause.rest if clause and is_of_subject else own
        said = split_terms(predicate) - split_terms(" ".join(named)) - _PLAIN
        numbers = quantities(own)
        for name, owner in owners.items():
            one_number = len({*owners.values()}) == 1 or len(numbers) == 1
            if (one_number and _is_number_of_others(numbers, owner, known)) or _is_of_others(
                said, held[owner], together
            ):
                found.append(name)
    return list(dict.fromkeys(found))


def _number_of_some(claim: str, known: Sequence[Sequence[Quantity]]) -> list[str]:
    """The one number that a claim tells of both or each of its papers, where one of them lacks it.

    ``known`` are the numbers of each paper.
    """
    numbers = quantities(claim)
    if len(numbers) != 1 or not _EACH.search(claim):
        return []
    lacking = [own for own in known if not any(numbers[0].equals(number) for number in own)]
    return [numbers[0].words] if lacking and len(lacking) < len(known) else []


def _find_said_of_some(claim: str, held: Sequence[frozenset[str]], names: Sequence[str]) -> list[str]:
    """The "both" of a claim of which one of its papers says no more than half, and another the most."""
    each = _EACH.search(claim)
    if not each or _ONE_BY_ONE.search(claim):
        return []
    clause = split_clause(claim)
    told = f"{clause.verb} {clause.rest}" if clause and each[0] in clause.subject else claim
    families = [frozenset(term[:SAME_START] for term in own) for own in held]
    said = {term[:SAME_START] for term in split_terms(told) - split_terms(" ".join(names)) - _PLAIN}
    said &= frozenset().union(*families)
    shares = [len(said & own) / max(1, len(said)) for own in families]
    is_of_one = len(said) >= FEWEST_TERMS and min(shares) <= HELD_BY_ONE and max(shares) >= HELD_TOGETHER
    return [each[0]] if is_of_one else []


def _is_number_of_others(numbers: Sequence[Quantity], owner: int, known: Sequence[Sequence[Quantity]]) -> bool:
    """Whether one of the numbers stands in another paper and not in the owner's."""
    strange = [q for q in numbers if not any(q.equals(number) for number in known[owner])]
    return any(q.equals(number) for q in strange for own in known for number in own)


def _is_of_others(said: frozenset[str], own: frozenset[str], together: frozenset[str]) -> bool:
    held = said & together
    least = max(FEWEST_TERMS, HELD_TOGETHER * len(said))
    return len(held) >= least and len(held & own) < HELD_BY_ONE * len(held)


def _owners(names: Sequence[str], held_names: Sequence[frozenset[str]]) -> Mapping[str, int]:
    """The names that exactly one of the papers has, each with the place of that paper."""
    places = {name: [at for at, held in enumerate(held_names) if fold(name) in held] for name in names}
    return {name: at[0] for name, at in places.items() if len(at) == 1}
