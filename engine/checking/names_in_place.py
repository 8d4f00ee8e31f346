"""Whether a name stands in a claim where the source has it: the data set measured on, the system that did it.

A name that the source holds may still be put in another's place. The sentence that the claim retells is found by
its other words; where it has another name in that place and lacks the claim's, the claim is doubted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.checking.lexicon import COMPARATOR, TEXTS_KEPT
from engine.text import fold, terms

RETOLD = 0.6
"""Share of a claim's other terms that a sentence has to hold to be the one it retells."""

FEWEST_TERMS = 3
"""Other terms that a claim needs for that sentence to be found."""

_NAMED = (
    r"(?:[A-Z][a-z]+(?= et al)|\w*[A-Z]\w*[A-Z\d][\w.+]*(?:[-'’]\w+)*|[A-Z]{2,}[\w-]*|"
    r"(?<=[\w,)] )[A-Z][a-z]+(?:-[A-Z\d]\w*)*(?: [A-Z][\w-]*)?)"
)
_NAME = re.compile(rf"(?<![\w-]){_NAMED}(?![\w])")
_PREPOSITION = "on|for|in|over|across|with|by|using|than|against|from|to|of|as|at|into"
_SLOT = re.compile(
    rf"(?:^|[\s(])(?P<slot>{_PREPOSITION})\s+(?:(?!(?:{_PREPOSITION}|and|or)\b)[a-z\d-]+\s+\(?){{0,4}}$", re.I
)
_SAME_SLOT = {"in": "on", "over": "on", "across": "on", "at": "on"}
_LIST = re.compile(r"(?:\s*\([^()]*\))?(?:,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+)(?:the\s+)?$")
_BRACKETED = re.compile(r"(?P<head>[\w-]+\s+[\w-]+)\s*\((?P<inside>[^()]*)\)")
_DEED = re.compile(
    r"^\W*(?:achiev|reach|obtain|attain|outperform|surpass|improv|reduc|increas|introduc|propos|present|produc|"
    r"generat|deliver|yield|set|exceed|beat|boost|combin|enabl)\w*\b",
    re.I,
)
_COMPARED = re.compile(
    r"\b(?:compar|baseline|versus|vs\b|than|over|unlike|like|such as|e\.g\.|existing|previous|prior|"
    r"outperform|surpass|exceed|beat|superior|rival|match|competit|on par|instead)\w*",
    re.I,
)


@dataclass(frozen=True, slots=True)
class PlacedName:
    """A name with what stands before it: a preposition, nothing (it opens the sentence), or something else."""

    name: str
    slot: str

    @property
    def folded(self) -> str:
        """The name as it is compared."""
        return fold(self.name).removesuffix("s")


def find_misplaced_names(claim: str, sources: Iterable[str], titles: Collection[str]) -> list[str]:
    """Names that the sentence retold has another name for, and lacks; ``sources`` are sentences of the papers."""
    ours = _place_names(claim)
    if not ours:
        return []
    text = list(sources)
    whole = fold(" ".join(text))
    heads = {fold(title.partition(":")[0]) for title in titles if ":" in title}  # "our method" and "it" stand for it
    others = [one for one in ours if one.folded in whole and one.folded not in heads]
    found = [one.name for one in others if _is_misplaced(one, ours, claim, text)]
    found += [one.name for one in ours[:1] if _is_only_compared(one, claim, text, " ".join(titles))]
    found += [one.name for one in ours if _is_of_another(one.name, claim, text)]
    found += [name for name in _find_compared(claim) if fold(name) in whole and not _is_compared(name, text)]
    return list(dict.fromkeys(found))


@lru_cache(maxsize=TEXTS_KEPT)
def _place_names(text: str) -> tuple[PlacedName, ...]:
    """The names of a text with their slots; the names of a list have the slot of its first."""
    found: list[PlacedName] = []
    last = 0
    for match in _NAME.finditer(text):
        before = text[: match.start()]
        slot = _SLOT.search(before)
        if slot:
            kind = _SAME_SLOT.get(slot["slot"].lower(), slot["slot"].lower())
        elif found and _LIST.fullmatch(text[last : match.start()]):
            kind = found[-1].slot
        else:
            kind = "first" if not before.strip(" “\"'(") or before.strip().lower() in {"the", "moreover,"} else ""
        found.append(PlacedName(match[0].rstrip("."), kind))
        last = match.start() + len(found[-1].name)
    return tuple(found)


def _is_misplaced(one: PlacedName, ours: Sequence[PlacedName], claim: str, sources: Sequence[str]) -> bool:
    if not one.slot:
        return False
    rest = frozenset(terms(claim)) - frozenset(term for other in ours for term in terms(other.name))
    if len(rest) < FEWEST_TERMS:
        return False
    shares = [len(rest & frozenset(terms(sentence))) / len(rest) for sentence in sources]
    most = max(shares, default=0.0)
    if most < RETOLD:
        return False
    named = {other.folded for other in ours}
    for sentence, share in zip(sources, shares, strict=True):
        if share >= most - 0.1 and (one.folded in fold(sentence) or not _has_another(one, sentence, named)):
            return False
    return True


def _has_another(one: PlacedName, sentence: str, named: set[str]) -> bool:
    """Whether the sentence has a name in the same slot that the claim does not have."""
    return any(other.slot == one.slot and other.folded not in named for other in _place_names(sentence))


def _is_of_another(name: str, claim: str, sources: Sequence[str]) -> bool:
    """Whether the source has the name in brackets behind one thing and the claim says it of another.

    "classification (ImageNet) and detection (COCO)": ImageNet is not of detection.
    """
    naming = [sentence for sentence in sources if name in sentence]
    if not any(_read_brackets(sentence)[1] for sentence in naming):
        return False
    said = frozenset(terms(claim))
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    if any(word.search(_read_brackets(sentence)[0]) for sentence in sources):
        return False
    for sentence in naming:
        _, bracketed = _read_brackets(sentence)
        own = [head for head, inside in bracketed if word.search(inside)]
        others = [head for head, inside in bracketed if not word.search(inside)]
        alone = [head - frozenset().union(*others) for head in own]
        if own and all(alone) and not any(head & said for head in alone):
            return any(head and head <= said for head in others)
    return False


@lru_cache(maxsize=TEXTS_KEPT)
def _read_brackets(sentence: str) -> tuple[str, tuple[tuple[frozenset[str], str], ...]]:
    """The sentence without its brackets and what is before them; the terms of each such head, and what is inside."""
    found = ((frozenset(terms(match["head"])), match["inside"]) for match in _BRACKETED.finditer(sentence))
    return _BRACKETED.sub("", sentence), tuple(found)


def _is_only_compared(one: PlacedName, claim: str, sources: Sequence[str], title: str) -> bool:
    """Whether the source names what the claim makes the doer of a deed only as what others are compared with."""
    if (
        one.slot != "first"
        or one.folded in fold(title)
        or not _DEED.match(claim[claim.find(one.name) + len(one.name) :])
    ):
        return False
    naming = [sentence for sentence in sources if one.folded in fold(sentence)]
    return bool(naming) and all(_follows_comparison(one.name, sentence) for sentence in naming)


def _follows_comparison(name: str, sentence: str) -> bool:
    at = sentence.find(name)
    return at > 0 and bool(_COMPARED.search(sentence[max(0, at - 60) : at]))


def _find_compared(claim: str) -> list[str]:
    """The names directly behind the claim's comparison."""
    match = COMPARATOR.search(claim)
    if not match or match[0].lower().startswith(("extend", "replac", "build", "based", "instead", "rather")):
        return []
    behind = claim[match.end() :]
    return [name[0] for name in [_NAME.match(re.sub(r"^\s*(?:the|both)?\s*", "", behind))] if name]


def _is_compared(name: str, sources: Sequence[str]) -> bool:
    return any(_COMPARED.search(sentence) for sentence in sources if fold(name) in fold(sentence))
