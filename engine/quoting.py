"""A paper's own sentences as statements of a text: who says it, the exact words in quotation marks, the citation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from engine.citations import cite
from engine.retrieval.identity import surname
from engine.survey import Citation, Claim
from engine.text import inert
from engine.values import Paper

_REPORTS = (
    "analyse|analyze|argue|ask|build|compare|demonstrate|describe|design|develop|establish|evaluate|examine|explore|"
    "extend|find|introduce|investigate|observe|present|propose|prove|release|report|show|study|suggest|test|train"
)
_VOICE = re.compile(
    rf"^(?:the authors|we|(?:this|the) (?:paper|work|article|study)) (?P<verb>{_REPORTS}|studies)(?:e?s)?\b "
    r"|^(?:their|our) (?:method|model|approach|system|framework|experiments|results)\b",
    re.I,
)
"""How a sentence begins in which a work speaks of itself: it is understood where the work is named before it."""


def is_in_authors_voice(sentence: str) -> bool:
    """Whether it says what its own paper or its authors do: "The authors propose …", "This paper shows …"."""
    return bool(_VOICE.match(sentence))


def quote_words(
    paper: Paper,
    quotes: Sequence[str],
    source: Literal["abstract", "full text", "summary"],
    page: int | None = None,
) -> Claim:
    """A claim made of these sentences, word for word, all of one source.

    The words of a summary are not the authors': they stand without quotation marks, and are said to be one.
    """
    words = [quote.removesuffix(".") for quote in quotes]
    who = attribution(paper)
    who = f"{who[:1].upper()}{who[1:]}"
    if source == "summary":
        told = f"{_tell(paper, who, words)} {cite([paper.key])}."
        return Claim(told, tuple(Citation(paper.key, q, "summarised", source) for q in words))
    text = f"{who}: {'; '.join(f'“{q}”' for q in words)} {cite([paper.key])}."
    return Claim(text, tuple(Citation(paper.key, q, "quoted", source, page) for q in words))


def _tell(paper: Paper, who: str, words: Sequence[str]) -> str:
    """A summary's sentences as told by us; the authors of whom one speaks are named in their place."""
    voice = _VOICE.match(words[0]) if len(words) == 1 else None
    if voice is None or voice["verb"] is None:
        return f"{who}, in summary: {'; '.join(words)}"
    base = re.sub(r"studies$", "study", voice["verb"].lower())
    verb = base if len(paper.authors) > 1 else _put_in_third_person(base)
    return f"{who}, in summary, {verb} {words[0][voice.end() :]}"


def holds_words(text: str, quote: str) -> bool:
    """Whether the text has the quoted words, perhaps with their authors named in place of “the authors”."""
    voice = _VOICE.match(quote)
    return quote in text or bool(voice and voice["verb"] and f" {quote[voice.end() :]}" in text)


def _put_in_third_person(verb: str) -> str:
    if verb.endswith("y"):
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith("sh") else f"{verb}s"


def attribution(paper: Paper) -> str:
    """``Lewis et al. (2020)``; a paper without authors goes by its title."""
    year = f" ({paper.year})" if paper.year else ""
    names = [inert(surname(a)) for a in paper.authors]
    if not names:
        return f"the paper “{inert(paper.title)}”{year}"
    return f"{names[0]} et al.{year}" if len(names) > 2 else f"{' and '.join(names)}{year}"
