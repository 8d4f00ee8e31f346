"""Which sentences of a section are claims, and which only lead over or say what the section is for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.names import Vocabulary, names_in
from engine.checking.quantities import quantities
from engine.checking.strengths import STRENGTHS
from engine.checking.word_starts import WordIndex
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
_TREATING = re.compile(
    r"^(?P<lead>[^.;:]{0,120}?)\b(?:this|the (?:next|following|present|last|"
    r"first)) (?:(?:sub)?section|part|chapter|survey|one|"
    r"paragraph|discussion)\s+(?:now |first |then |also |therefore |in turn |instead |thus )?"
    r"(?:covers?|reviews?|discuss(?:es)?|compares?|looks? (?:at|into)|examines?|describes?|"
    r"considers?|turns? to|asks?|surveys?|"
    r"introduces?|outlines?|summari[sz]es?|groups?|concerns?|deals? with|traces?|follows?|"
    r"takes? up|is (?:about|devoted to)|"
    r"addresses|explores?|focus(?:es)? on|moves? (?:on )?(?:to|from)|sets? out|begins? with|starts? (?:with|from)|"
    r"organi[sz]es|divides|arranges|structures|brings? together|relates?|gathers?)\b(?P<object>.*)$",
    re.I,
)
"""A sentence whose subject is the text itself and whose verb says how it treats its object."""

_BACKWARDS = re.compile(
    r"^(?:having (?:seen|discussed|reviewed|looked|considered|covered|described)|after|before|"
    r"while|whereas|where|building on|with|"
    r"beyond|besides|as|following|from|unlike|in contrast to|to (?:complete|close|begin|end))\b",
    re.I,
)
_SECOND_CLAUSE = re.compile(
    r"[;:]|,\s(?:which|because|since|so|as|where|while|whereas|and (?:it|they|this|these|we)|"
    r"but)\b|\b(?:because|since|therefore|"
    r"showing that|and (?:shows?|finds?|argues?|proves?|concludes?|demonstrates?))\b",
    re.I,
)
_PARTS_COUNTED = re.compile(
    r"\b(?:sub)?sections? \d[\d.]*|\b(?:table|figure) \d+|"
    r"\b(?:two|three|four|five|six|seven) (?=(?:\w+ )?(?:questions|parts|sections|subsections|groups|"
    r"themes|strands|steps|directions|lines|views|categories|families|kinds|topics|aspects)\b)",
    re.I,
)
"""Numbers of parts of the text, and how many of them it has."""

_STRONG = WordIndex.of((kind.said, kind.said) for kind in STRENGTHS)
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
    own = _PARTS_COUNTED.sub("", sentence)
    if asserts_of_something(own, vocabulary, allowed_names):
        return False
    if _QUESTION.match(sentence.strip()):
        return True
    if _treats_its_object(own):
        return True
    match = _OF_THE_TEXT.search(sentence)
    return bool(match) and not _ASSERTION.search(_of_the_text_out(sentence)) and bool(terms(sentence))


def asserts_of_something(sentence: str, vocabulary: Vocabulary, allowed_names: Sequence[str] = ()) -> bool:
    """Whether it has a number, a strong word, or a name that is not one of the allowed."""
    known = fold(" ".join(allowed_names))
    if quantities(sentence) or any(fold(name) not in known for name in names_in(sentence, vocabulary)):
        return True
    rest = _of_the_text_out(sentence)
    return any(said.search(rest) for said in _STRONG.select(rest))


def _treats_its_object(sentence: str) -> bool:
    """Whether it says what this part of the text is about, and nothing besides: no second clause that asserts."""
    match = _TREATING.match(sentence.strip())
    if not match:
        return False
    lead, about = match["lead"].strip(), match["object"]
    leads_over = not lead or bool(_BACKWARDS.match(lead)) or not _ASSERTION.search(_of_the_text_out(lead))
    return leads_over and not _SECOND_CLAUSE.search(about) and bool(terms(about))


def _of_the_text_out(sentence: str) -> str:
    return _OF_THE_TEXT.sub("", sentence)
