"""A sentence of a paper, quoted in place of a claim that a model calls supported by it and a program doubts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.back_references import begins_with_reference
from engine.checking.lexicon import split_terms
from engine.checking.sentence_state import SentenceState
from engine.citations import list_cited_keys, replace_citations
from engine.quoting.attribution import quote_words
from engine.survey import Citation, Claim
from engine.text import all_sentences
from engine.values import Paper

SHORTEST, LONGEST = 6, 60
"""Words of a sentence that is quoted: a shorter one says nothing alone, a longer one is not read."""

FEWEST_SHARED = 2
"""Terms that the claim and the sentence have in common."""


_LEAD = re.compile(
    r"^(?:in addition|additionally|furthermore|moreover|also|finally|first(?:ly)?|second(?:ly)?|third(?:ly)?|"
    r"besides|for (?:example|instance)|"
    r"(?:to|in order to) (?:address|solve|tackle|overcome|mitigate|alleviate|resolve|handle|achieve|remedy|do|bridge) "
    r"(?:this|these|that|those|such|the above|it|so)\b[^,]{0,60}|(?:motivated|inspired) by (?:this|these)\b[^,]{0,60}|"
    r"based on (?:this|these)\b[^,]{0,60}|in (?:this|the present) (?:work|study|article|letter)|"
    r"to this end|specifically|in particular|therefore|thus|hence|consequently|as a result|however|in this paper|"
    r"here),? ",
    re.I,
)
"""How a sentence takes up the one before it, which is left out of a quotation."""


_OF_SEVERAL = re.compile(
    r"^(?:one (?:of (?:them|these)|[\w-]+)\b.*\b(?:another|the others?)|another|the others?)\b", re.I
)
"""How a sentence begins that goes through things which the one before it counts."""


def quote_behind(claim: str, citation: Citation, paper: Paper) -> Claim | None:
    """The sentence in which the citation's words stand, as a claim; ``None`` where none would say anything here.

    Where that sentence refers to the one before it, or the words are the title's, the nearest to the claim is taken.
    """
    own = {"abstract": paper.abstract, "summary": paper.summary}.get(citation.source)
    text = own if own is not None else next((p.text for p in paper.body if citation.quote in p.text), "")
    said = split_terms(replace_citations(claim, lambda _: ""))
    fitting = [s for s in all_sentences(text) if _stands(s) and len(split_terms(s) & said) >= FEWEST_SHARED]
    named = [s for s in fitting if citation.quote in s or s in citation.quote]
    best = max(named or fitting, key=lambda s: len(split_terms(s) & said), default="")
    return quote_words(paper, [_LEAD.sub("", best)], citation.source, citation.page) if best else None


def remove_needless_quotations(lines: Sequence[SentenceState]) -> None:
    """What was put in a doubted claim's place goes where another claim tells the same sentence of the paper.

    It stays where the next sentence cannot be understood without it.
    """
    for line in lines:
        if line.removed or line.ending != "reworded" or line.citations[0].verdict not in {"quoted", "summarised"}:
            continue
        others = [c for other in lines if other is not line and not other.removed for c in other.citations]
        after = next((other for other in lines[line.number :] if not other.removed), None)
        is_needed = after is not None and after.paragraph == line.paragraph and begins_with_reference(after.text)
        if _repeats(line.citations, others) and not is_needed:
            line.removed, line.ending, line.citations = True, None, ()


def _repeats(quoted: Sequence[Citation], others: Sequence[Citation]) -> bool:
    """Whether the words behind other claims stand in the sentences that are quoted: those claims tell what they say."""
    return any(
        own.key == other.key and other.quote and (other.quote in own.quote or own.quote in other.quote)
        for own in quoted
        for other in others
    )


def _stands(sentence: str) -> bool:
    """Whether it says something outside its text, and holds nothing that would be read as our citation."""
    is_read = SHORTEST <= len(sentence.split()) <= LONGEST
    leans = _OF_SEVERAL.match(sentence) or (
        begins_with_reference(sentence) and not sentence.casefold().startswith("the authors ")
    )
    return is_read and not leans and not list_cited_keys(sentence)
