"""What a text denies: the terms beside its negations, without what denies a loss or a limit."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.checking.lexicon import NEGATION, TEXTS_KEPT, split_terms
from engine.text import terms

NEAR_COPY = 0.7
"""Share of a claim's terms that stand in one sentence of the source, from which it is that sentence retold."""


NOT_ONLY = re.compile(r"\bnot\s+only\b", re.I)
_NO_EARLIER = re.compile(r"\bno (?=[^.;]*\b(?:before|previously|until then|so far|earlier)\b)", re.I)
"""What denies that there was such a thing before: "no guarantee was known before"."""


UNLIMITED = re.compile(
    r"(?:no|without|not|never)\s(?:[\w-]+\s){0,2}?(?:assum\w*|restrict\w*|constrain\w*|limit\w*)\b",
    re.I,
)
"""What denies a condition, and nothing of what it would be a condition for."""


@lru_cache(maxsize=TEXTS_KEPT)
def find_negated(text: str) -> frozenset[str]:
    """The first two terms after each negation."""
    pieces = (_DENIED_NO_MORE.split(piece.replace("-", " "))[0] for piece in NEGATION.split(remove_losses(text))[1:])
    return frozenset(term for piece in pieces for term in terms(piece)[:2])


def find_negated_beside(sentence: str, said: frozenset[str]) -> frozenset[str]:
    """The negated terms of those parts of a sentence of which a claim has at least half, or which hold most of it."""
    parts = ((part, split_terms(part)) for part in _PART.split(sentence) if NEGATION.search(remove_losses(part)))
    return frozenset().union(*(find_negated(part) for part, own in parts if _tells_of(own, said)))


def _tells_of(part: frozenset[str], said: frozenset[str]) -> bool:
    shared = len(part & said)
    return 2 * shared >= len(part) or shared >= NEAR_COPY * len(said)


_PART = re.compile(r"[,;:()]|\b(?:but|while|although|though|whereas|if|when|unless)\b", re.I)


def spell_out(text: str) -> str:
    """The text with what denies in other words as "not": "non-nested", "eliminates the need for training"."""
    return _DENYING.sub("not ", text)


@lru_cache(maxsize=TEXTS_KEPT)
def remove_losses(text: str) -> str:
    """The text with "not", and without what denies a loss or no more: "without sacrificing speed" keeps the speed."""
    text = _NEITHER_NOR.sub(r"\g<denied> \g<one> or ", text.replace("n't", " not"))
    plain = _NO_EARLIER.sub("the first ", NOT_ONLY.sub("", text))
    return _NO_LOSS.sub("keeping ", UNLIMITED.sub("free", plain))


_NEITHER_NOR = re.compile(r"(?P<denied>\b(?:without|no|not)\b[^,;.]*),?\sneither\s(?P<one>[^,;.]*?)\snor\s", re.I)
"""What denies once more what is denied: "without labels, neither here nor there"."""

_DENYING = re.compile(
    r"\bnon[- ]|\b(?:(?:eliminat|remov|obviat|avoid)\w*|no|without) (?:the |any )?need (?:for|of|to)(?: an?| any)?\s|"
    r"\b(?:avoid|bypass|obviat|circumvent)\w*\s|\bdispens\w* with\s|"
    r"\bor (?=(?:extra|additional|further)\s)",
    re.I,
)
_DENIED_NO_MORE = re.compile(r"[,;:]|\band\b|\b(?:or|but) (?:with|by)\b")
_NO_LOSS = re.compile(
    r"\b(?:without|not|no|nor)\s(?:any\s)?(?:sacrific|los[ist]|compromis|degrad|harm|hurt|impair|reduc|affect)\w*\s(?:of\s|in\s)?",
    re.I,
)


def list_ahead(text: str) -> frozenset[str]:
    """The last terms before each negation: "training is not needed" denies training."""
    pieces = NEGATION.split(remove_losses(text))[:-1]
    return frozenset(term for piece in pieces for term in terms(piece.replace("-", " "))[-2:])
