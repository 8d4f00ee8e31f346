"""Which sentences of abstracts can answer a question, by what it asks for and what each states. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from engine.text import terms
from engine.writing.extractive import AbstractSentence

Asked = Literal["reason", "manner", "whether"]
"""What a question asks for: why something is so, how it is done, or whether it is so."""

_REASON = re.compile(r"why\b|how come\b|what (?:\w+ )?(?:causes?|explains?|drives?|makes?|leads? to)\b", re.I)
_MANNER = re.compile(
    r"how (?!(?:come|much|many|often|well|far|good|large|long|robust|reliabl[ey]|effective(?:ly)?)\b)|"
    r"(?:which|what)(?: are)?(?: the)? (?:\w+ )?(?:methods?|ways?|techniques?|approach(?:es)?)\b",
    re.I,
)

_GIVES_REASON = re.compile(
    r"\b(?:because|(?:due|owing) to|caus(?:es?|ed|ing)|(?:leads?|led|leading) to|result(?:s|ed|ing)? (?:from|in)|"
    r"(?:stem|aris|originat)\w* from|attribut\w+ to|explain(?:s|ed)?|reasons? (?:for|of|why|is|that)|driven by)\b",
    re.I,
)
_MOTIVATES = re.compile(
    r"\bremains? (?:an?|the|to be|unclear|unsolved|open|largely|elusive|under|vacant|challenging|unexplored)\b|"
    r"\b(?:challenge|challenging|impediment|obstacle|promis(?:e|ing)|important|fundamental|crucial|"
    r"essential|vital|attention|popular|widely|efforts?)\b|"
    r"\b(?:recent|recently|recent years|increasingly|success|we (?:address|study|tackle|consider|investigate))\b|"
    r"^(?:\S+ ){0,6}(?:involves?|requires?|contributes? to|aims?|refers? to|concerns?)\b",
    re.I,
)
_BOASTS = re.compile(
    r"\bstate[- ]of[- ]the[- ]arts?\b|\boutperform|\bsuperior|\bdemonstrate[sd]? the effectiveness\b", re.I
)


def what_is_asked(question: str) -> Asked:
    """What the question asks for, by its first words."""
    said = question.strip()
    return "reason" if _REASON.match(said) else "manner" if _MANNER.match(said) else "whether"


def can_answer(sentence: AbstractSentence, parts: Sequence[frozenset[str]], asked: Asked) -> bool:
    """Whether the sentence can answer a question with these parts, each a set of stems.

    It has to name every part; for a finding the title may name all but one, unless all that it says is that a method
    is better than others. A method answers how something is done. Known problems count where they say more than that
    something matters, and a reason is only what gives one.
    """
    if asked == "reason" and not _GIVES_REASON.search(sentence.text):
        return False
    own, title = frozenset(terms(sentence.text)), frozenset(terms(sentence.paper.title))
    names_all = all(part & own for part in parts if part)
    match sentence.statement:
        case "finding":
            near = any(part & own for part in parts) and all(part & (own | title) for part in parts if part)
            return names_all or (near and not _BOASTS.search(sentence.text))
        case "contribution":
            return names_all and asked == "manner"
        case "problem":
            return names_all and not _MOTIVATES.search(sentence.text)
