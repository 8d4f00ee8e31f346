"""Words of a claim that are the counterpart of its source's word: known for unknown, soft for rigid, dense for sparse.

Which words are each other's counterparts was counted over 87,000 abstracts, where they stand on the two sides of
"both … and", "rather than", "versus", "either … or", "between … and" (Hearst's patterns, COLING 1992); the rest are
a word and its negation by a prefix, and compounds that differ in one such part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.checking.lexicon import NEGATION, TEXTS_KEPT
from engine.text import STOP_WORDS, stem
from engine.wordlists import read_lines

RETOLD = 0.6
"""Share of a claim's other words that a sentence has to hold to be the one it retells."""

RETOLD_WITHOUT = 0.5
"""The same for a word that stands nowhere in the source."""

FEWEST_WORDS = 3
"""Other words of a claim from which a sentence that retells it has a word of the source in its place."""

_TOKEN = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_PREFIXED = re.compile(
    r"(?:un|non-?|anti-)(?P<plain>[a-z-]{4,})|"
    r"(?:in|im|il|ir)(?P<adjective>[a-z]+(?:able|ible|ate|ete|ite|ent|ant|ect|al|ular|ary|ive|ous|ly|e?ncy|ity))|"
    r"a(?P<greek>(?:sync|symm|period|typic|cycl)[a-z]+)"
)
_OPPOSED = (
    ("multi", "single"),
    ("intra", "inter"),
    ("pre", "post"),
    ("over", "under"),
    ("high", "low"),
    ("short", "long"),
    ("large", "small"),
    ("on", "off"),
    ("white", "black"),
    ("closed", "open"),
    ("free", "based"),
    ("dependent", "independent"),
    ("agnostic", "specific"),
    ("agnostic", "aware"),
)
"""Parts of compounds that are opposed wherever they stand: single-agent, multi-agent; model-based, model-free."""

_ASIDE = re.compile(
    rf"{NEGATION.pattern}|\b(?:rather than|instead of|unlike|in contrast to|as opposed to|compared (?:to|with)|than|"
    r"versus|beyond|fail\w*|few|little|hardly|rarely|previous\w*|existing|other)\b",
    re.I,
)
_LITTLE = re.compile(
    r"\b(?:limited|little|low|lower|less|lack of|insufficient|poor|scarce|no|not|without|hardly|barely)\s(?:\w+ly\s)?$"
)
"""What makes little of the word behind it."""

_SAME = {"real": frozenset(map(stem, ("hardware", "physical", "actual", "experiment", "outdoor", "field")))}
"""Words with others that say the same, by whose side their counterpart is no contradiction."""

SHORTEST_REST = 4
"""Letters behind "over" and "under" beyond which they say too much and too little."""

REACH = 30
"""Characters before a word in which a negation or a contrast puts it aside."""


@dataclass(frozen=True, slots=True)
class _Wording:
    """The words of a text: ``units`` are stems and whole compounds, ``negated`` are units without their prefix."""

    units: frozenset[str]
    stated: frozenset[str]
    """Those before which nothing makes little of them: not "limited relevance"."""
    negated: frozenset[tuple[str, str]]


def find_contrasts(claim: str, sentences: Sequence[str], speaking: Sequence[str]) -> list[str]:
    """Words of the claim whose counterpart the source has in their place.

    ``sentences`` are all of the source's, ``speaking`` those about the same thing.
    """
    every = [_read(sentence) for sentence in sentences]
    stated = frozenset[str]().union(*(one.stated for one in every))
    denied = {plain for one in every for plain, _ in one.negated}
    if not any(unit in denied or _list_wanted(unit, word) & stated for unit, word in _list_units(claim)):
        return []
    ours = _read_stated(claim)
    held = frozenset().union(*(one.units for one in every))
    near = [_read(sentence) for sentence in speaking]
    said = _read(claim).units
    found = []
    for unit, word in ours.items():
        if _SAME.get(unit, frozenset()) & held:
            continue
        is_held, rest = unit in held, said - {unit}
        if is_held and len(rest) < FEWEST_WORDS:
            continue
        retold = _find_retold(rest, every, RETOLD) if is_held else _find_retold(rest, near, RETOLD_WITHOUT)
        turned = [unit not in own.units and bool(_counterparts(unit, word, own) - said) for own in retold]
        if any(turned) and (all(turned) or not is_held):
            found.append(word)
    return list(dict.fromkeys(found))


def _find_retold(rest: frozenset[str], sentences: Sequence[_Wording], least: float) -> list[_Wording]:
    """The sentences that a claim retells: they have at least that share of its other words."""
    if not rest or not sentences:
        return []
    shares = [len(rest & own.units) / len(rest) for own in sentences]
    return [own for own, share in zip(sentences, shares, strict=True) if share >= max(least, max(shares) - 0.1)]


@lru_cache(maxsize=32_768)
def _read(text: str) -> _Wording:
    low = text.lower()
    tokens = _TOKEN.findall(low)
    units = frozenset(unit for token in tokens for unit in _units_of(token))
    strong = (m[0] for m in _TOKEN.finditer(low) if not _LITTLE.search(low, max(0, m.start() - REACH), m.start()))
    stated = frozenset(unit for token in strong for unit in _units_of(token))
    negated = frozenset((plain, unit) for t in tokens if (plain := _strip_prefix(t)) for unit in _units_of(t))
    return _Wording(units, stated, negated)


def _units_of(token: str) -> list[str]:
    """What "non-" stands before is no word of its own."""
    parts = token.split("-")
    stems = [stem(part) for part in parts if part not in STOP_WORDS]
    if len(parts) == 1:
        return stems
    whole = "-".join(stem(part) for part in parts)
    return [whole] if parts[0] in {"non", "anti", "un"} else [whole, *stems]


@lru_cache(maxsize=TEXTS_KEPT)
def _list_units(claim: str) -> tuple[tuple[str, str], ...]:
    """Each unit with its word."""
    tokens = dict.fromkeys(_TOKEN.findall(claim.lower()))
    return tuple((unit, token) for token in tokens for unit in _units_of(token))


@lru_cache(maxsize=TEXTS_KEPT)
def _read_stated(claim: str) -> Mapping[str, str]:
    """The claim's units with their words, without those that it denies or only compares with."""
    found: dict[str, str] = {}
    for match in _TOKEN.finditer(claim.lower()):
        if not _ASIDE.search(claim[max(0, match.start() - REACH) : match.start()]):
            found.update((unit, match[0]) for unit in _units_of(match[0]))
    return found


def _counterparts(unit: str, word: str, held: _Wording) -> frozenset[str]:
    """What of a text's units is the counterpart of this one, which stands in ``word``."""
    return (_list_wanted(unit, word) & held.stated) | {other for plain, other in held.negated if plain == unit}


@lru_cache(maxsize=32_768)
def _list_wanted(unit: str, word: str) -> frozenset[str]:
    """The counterparts of a unit that stands in this word."""
    wanted = {*_pairs().get(unit, ()), _strip_prefix(word), *_turn_degree(word)}
    if "-" in unit:
        parts = unit.split("-")
        for at, part in enumerate(parts):
            for other in (*_pairs().get(part, ()), *_list_opposed().get(part, ())):
                wanted.add("-".join((*parts[:at], other, *parts[at + 1 :])))
    return frozenset(wanted - {""})


@lru_cache(maxsize=32_768)
def _strip_prefix(word: str) -> str:
    """The stem of what a negating prefix stands before; empty where the word has none."""
    match = _PREFIXED.fullmatch(word)
    return stem(next(part for part in match.groups() if part)) if match else ""


@lru_cache(maxsize=32_768)
def _turn_degree(word: str) -> tuple[str, ...]:
    """Too little for too much, as one word or two: overconfident, under-confident."""
    for one, other in (("over", "under"), ("under", "over")):
        rest = word.removeprefix(one).removeprefix("-")
        if rest != word and len(rest) > SHORTEST_REST:
            return stem(f"{other}{rest}"), f"{other}-{stem(rest)}"
    return ()


@cache
def _list_opposed() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one, other in _OPPOSED:
        for here, there in ((one, other), (other, one)):
            found[stem(here)] = (*found.get(stem(here), ()), stem(there))
    return found


@cache
def _pairs() -> dict[str, tuple[str, ...]]:
    """The counted counterparts of each stem."""
    found: dict[str, tuple[str, ...]] = {}
    for line in read_lines("checking/contrasts.txt"):
        one, other = line.split()
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found
