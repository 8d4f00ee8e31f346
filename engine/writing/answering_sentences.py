"""Which sentences of abstracts can answer a question, by what it asks for and what each states. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from engine.retrieval.topic_words import OF_ANY_METHOD, is_of_any_method, read_topic, with_abbreviations
from engine.text import terms
from engine.writing.extractive import AbstractSentence

Asked = Literal["reason", "manner", "whether"]
"""What a question asks for: why something is so, how it is done, or whether it is so."""

_REASON = re.compile(r"why\b|how come\b|what (?:\w+ )?(?:causes?|explains?|drives?|makes?|leads? to)\b", re.I)
_MANNER = re.compile(
    r"how (?!(?:come|much|many|often|well|far|good|large|long|robust|reliabl[ey]|effective(?:ly)?)\b)(?!"
    r"(?:\S+ ){1,9}?(?:affect|alter|change|help|impact|improve|influence|matter|relate|shape)\b)|"
    r"(?:which|what)(?: are)?(?: the)? (?:\w+ )?(?:methods?|ways?|techniques?|approach(?:es)?)\b",
    re.I,
)

GIVES_REASON = re.compile(
    r"\b(?:because|(?:due|owing) to|caus(?:es?|ed|ing)|(?:leads?|led|leading) to|result(?:s|ed|ing)? (?:from|in)|"
    r"(?:stem|aris|originat)\w* from|attribut\w+ to|explain(?:s|ed)?|reasons? (?:for|of|why|is|that)|driven by)\b",
    re.I,
)
"""What gives a reason for something."""

_MOTIVATES = re.compile(
    r"\bremains? (?:an?|the|to be|unclear|unsolved|open|largely|elusive|under|vacant|challenging|unexplored)\b|"
    r"\b(?:challenges?|challenging|impediments?|obstacles?|promis(?:e|ing)|importan(?:t|ce)|fundamental|crucial|"
    r"essential|vital|critical|serious|attention|popular|widely|efforts?)\b|"
    r"\b(?:recent|recently|recent years|increasingly|success|we (?:address|study|tackle|consider|investigate))\b|"
    r"^(?:\S+ ){0,6}(?:involves?|requires?|contributes? to|aims?|refers? to|concerns?)\b",
    re.I,
)
_BOASTS = re.compile(
    r"\bstate[- ]of[- ]the[- ]arts?\b|\boutperform|\bsuperior|\bdemonstrate[sd]? the effectiveness\b", re.I
)

_REPORTS = re.compile(
    r"\b(?:we (?:also )?(?:show|find|found|observe|demonstrate|prove|report)|results?|experiments?|evaluations?|"
    r"findings?)\b",
    re.I,
)
_STATES_EFFECT = re.compile(
    r"\b(?:improv|increas|reduc|decreas|better|worse|gain|boost|benefi|help|hurt|harm|degrad|effective|robust|accura|"
    r"outperform|significan|slower|faster|more|less|fewer|higher|lower|exceed|achiev|surpass|speed|leads?\b|led\b|enabl|"
    r"prevent|mitigat|alleviat|shorten|fail|cannot|not\b|no\b)",
    re.I,
)


def what_is_asked(question: str) -> Asked:
    """What the question asks for, by its first words."""
    said = question.strip()
    return "reason" if _REASON.match(said) else "manner" if _MANNER.match(said) else "whether"


Part: TypeAlias = tuple[frozenset[frozenset[str]], ...]
"""A part of a question: each of its words by its spellings, each a set of stems that name it together."""

NAMED = 2 / 3
"""Share of a part's words by which it is named: two of three."""


def read_parts(phrases: Sequence[str], texts: Sequence[str] = ()) -> list[Part]:
    """The parts of a question, without those that any method's paper could name, if there are others."""
    telling = [phrase for phrase in phrases if not is_of_any_method(phrase)] or phrases
    return [_read_part(phrase, texts) for phrase in telling]


def _read_part(phrase: str, texts: Iterable[str]) -> Part:
    """The words of a part but for those of any method beside others; ``texts`` tell their abbreviations."""
    said = with_abbreviations(read_topic(phrase), texts)
    forms = [{frozenset((stem,))} for stem in said.stems]
    for writing in said.writings:
        for at in writing.positions:
            forms[at].add(frozenset(writing.stems))
    special = [at for at, stem in enumerate(said.stems) if stem not in OF_ANY_METHOD]
    return tuple(frozenset(forms[at]) for at in special or range(len(forms)))


def can_answer(sentence: AbstractSentence, parts: Sequence[Part], asked: Asked) -> bool:
    """Whether the sentence can answer a question with these parts.

    It has to name every part, of which words may stand in the title. A finding may name one and the title the others
    where it states an effect, unless all that it says is that a method is better than others. A method answers how
    something is done. What only says that something matters answers nothing, and a reason is only what gives one.
    """
    if asked == "reason" and not GIVES_REASON.search(sentence.text):
        return False
    own = frozenset(terms(sentence.text))
    whole = own.union(terms(sentence.paper.title))
    names_all = all(_names(part, whole) and _names(part, own, least=0) for part in parts)
    match sentence.statement:
        case "finding":
            near = all(_names(part, whole) for part in parts) and any(_names(part, own) for part in parts)
            states = asked != "whether" or _STATES_EFFECT.search(sentence.text)
            reports = _REPORTS.search(sentence.text) or not _MOTIVATES.search(sentence.text)
            return bool(reports and (names_all or (near and states and not _BOASTS.search(sentence.text))))
        case "contribution":
            return names_all and asked == "manner"
        case "problem":
            return names_all and not _MOTIVATES.search(sentence.text)


def _names(part: Part, stems: frozenset[str], least: float = NAMED) -> bool:
    """Whether at least one word of the part is among the stems, and at least that share of them."""
    return sum(any(form <= stems for form in word) for word in part) >= max(1, least * len(part))
