"""Which sentences of a section are claims, and which only lead over or say what the section is for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.faults import Vocabulary, names_in
from engine.checking.lexicon import STRENGTHS
from engine.checking.quantities import quantities
from engine.citations import list_cited_keys
from engine.text import fold, terms

_OF_THE_TEXT = re.compile(
    r"\b(?:(?:this|the (?:next|following|previous|preceding|present|last|first|remaining|remainder of this)) "
    r"(?:sub)?(?:section|survey|chapter|part|paragraph|review|discussion|article)s?|"
    r"the (?:sub)?sections? (?:that follow|below|above|before)|"
    r"(?:sections?|table|figure) \d[\d.]*|we (?:now|first|next|then|begin|start|turn|close|"
    r"end|conclude|organi[sz]e|review|survey|outline|discuss|consider|"
    r"examine|compare|describe|look|move|group|follow)|let us|as (?:discussed|seen|described|"
    r"noted|outlined) (?:above|below|before|earlier|in)|"
    r"in what follows|so far|(?:the )?rest of this|(?:what|which) (?:comes|follows) (?:next|below)|at this point)\b",
    re.I,
)
_ASSERTION = re.compile(
    r"\b(?:that|which|because|since|therefore|thus|proves?|shows?|demonstrates?|reveals?|"
    r"establish\w*|finds?|found|improv\w+|reduc\w+|"
    r"increas\w+|outperform\w*|achiev\w+|enabl\w+|remains?|suffers?|requires?|depends?|"
    r"leads? to|is (?:essential|critical|crucial|"
    r"necessary|central|important)|are (?:essential|critical|crucial|necessary|central|important))\b",
    re.I,
)
_QUESTION = re.compile(r"^[^.]{10,200}\?$")
LONGEST_CONNECTION = 45
"""Words; a longer sentence says more than where the text goes."""


def is_connecting(sentence: str, vocabulary: Vocabulary, allowed_names: Sequence[str] = ()) -> bool:
    """Whether a sentence only leads over, defines the aim of its section, or asks what comes next.

    It speaks of the text itself and asserts nothing: it has no citation, no number, no strong word, and no name
    but those of the survey's topic and headings.
    """
    if list_cited_keys(sentence) or len(sentence.split()) > LONGEST_CONNECTION:
        return False
    own = re.sub(r"\b(?:sub)?sections? \d[\d.]*|\b(?:table|figure) \d+", "", sentence, flags=re.I)
    known = fold(" ".join(allowed_names))
    if quantities(own) or any(fold(name) not in known for name in names_in(own, vocabulary)):
        return False
    if any(kind.said.search(_of_the_text_out(own)) for kind in STRENGTHS):
        return False
    if _QUESTION.match(sentence.strip()):
        return True
    match = _OF_THE_TEXT.search(sentence)
    return bool(match) and not _ASSERTION.search(_of_the_text_out(sentence)) and bool(terms(sentence))


def _of_the_text_out(sentence: str) -> str:
    return _OF_THE_TEXT.sub("", sentence)
