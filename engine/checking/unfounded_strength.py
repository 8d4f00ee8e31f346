"""Strong words of a claim for which its sources have none of that strength."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from engine.checking.lexicon import TEXTS_KEPT, split_terms
from engine.checking.model_kinds import MODEL_KINDS
from engine.checking.properties import PROPERTIES
from engine.checking.reach import is_denied_any
from engine.checking.strengths import STRENGTHS, Strength
from engine.checking.word_starts import WordIndex

RETOLD = 0.3
"""Share of a claim's terms that a sentence has to hold to be the one that it retells; else it may retell any."""

SAID_OF_IT = frozenset({"all", "necessity"})
"""Kinds of which a source has to speak where it speaks most nearly of what the claim does, however little that is."""

Line = tuple[str, frozenset[str]]
"""A sentence of a source with its terms."""

_KINDS = WordIndex.of((kind.said, kind) for kind in (*STRENGTHS, *PROPERTIES, *MODEL_KINDS))

_SAME_THING = re.compile(
    r"(?:this|these|such|the (?:same|resulting)) [a-z]|(?:thereby|thus|hence|therefore|consequently|as a result)\b",
    re.I,
)
"""How a sentence begins that says more of what the one before names, or what follows from it."""

_NAMED_ONES = re.compile(r", [\w-]+,? and [\w-]+ all$", re.I)
"""Before "all": the things that are meant, named one by one."""

_DENIED_STRENGTH = re.compile(r"\bnot (?:be )?(?:\w+ly )?$", re.I)
"""What makes a strong word a weak one: "not always"."""


_NO_SUCH = re.compile(r"\b(?:no|nothing|neither|nor)\b[^,;:.]*$", re.I)
"""Before "is needed": what is not."""


def find_unfounded_strength(
    claim: str, speaking: Sequence[Line], titles: set[str], sources: Sequence[Sequence[Line]]
) -> list[str]:
    """Strong words that the source does not say of the same thing; what a title says alone is no result.

    ``speaking`` are the sentences of the ``sources`` that speak of what the claim speaks of.
    """
    said = split_terms(claim)
    is_retold = any(len(own & said) >= RETOLD * len(said) for _, own in speaking)
    near = "\n".join(text for text in _with_continuations(speaking, sources) if text not in titles)
    whole = "\n".join(text for source in sources for text, _ in source)
    strong = _read_strengths(claim)
    return [
        words
        for kind, words in strong
        if not kind.warrant.search(whole if kind.anywhere or not (is_retold or kind.name in SAID_OF_IT) else near)
    ]


@lru_cache(maxsize=TEXTS_KEPT)
def _read_strengths(claim: str) -> tuple[tuple[Strength, str], ...]:
    """The kinds of strength that a claim has, each with its words."""
    said = ((kind, match) for kind in _KINDS.select(claim) if (match := kind.said.search(claim)))
    return tuple((kind, match[0]) for kind, match in said if not _is_denied(kind, match, claim))


def _is_denied(kind: Strength, said: re.Match[str], claim: str) -> bool:
    """Whether an "all" stands behind a negation or names what it means, or what is necessary is nothing."""
    if _DENIED_STRENGTH.search(claim, 0, said.start()):
        return True
    if kind.name == "all":
        return is_denied_any(claim, said.start()) or bool(_NAMED_ONES.search(claim, 0, said.end()))
    return kind.name == "necessity" and bool(_NO_SUCH.search(claim[: said.start()]))


def _with_continuations(speaking: Sequence[Line], sources: Sequence[Sequence[Line]]) -> list[str]:
    """Sentences that speak of the same thing, and those behind them that say more of it: "This algorithm …"."""
    texts = [text for text, _ in speaking]
    known = set(texts)
    behind = [
        text
        for source in sources
        for (before, _), (text, _) in pairwise(source)
        if before in known and _SAME_THING.match(text)
    ]
    return [*texts, *behind]
