"""A paper's own sentences as statements of a text: who says it, the exact words in quotation marks, the citation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from engine.citations import cite
from engine.llm.prompting import first_author
from engine.retrieval.paper_keys import surname
from engine.survey import Citation, Claim, Verdict
from engine.text import clean, inert, shorten
from engine.values import Paper

TITLE_CHARACTERS = 40
"""Of a paper's title, where it is named by it."""


_THEIR_CITATION = re.compile(r"\[\d{1,3}(?: ?[,;–-] ?\d{1,3})*\]|\(CITATION\)")


def without_their_citations(words: str) -> str:
    """A paper's words without numbers of its own list of references, which would be read as ours."""
    return inert(_THEIR_CITATION.sub("[…]", words))


def quote_words(
    paper: Paper,
    quotes: Sequence[str],
    source: Literal["abstract", "full text", "summary"],
    page: int | None = None,
) -> Claim:
    """A claim of these sentences, word for word, all of one source; a summary's words are not in quotation marks."""
    words = [quote.removesuffix(".") for quote in quotes]
    who, is_summary, shown = attribution(paper), source == "summary", map(without_their_citations, words)
    said = "; ".join(shown if is_summary else (f"“{quote}”" for quote in shown))
    text = f"{who[:1].upper()}{who[1:]}{', in summary' if is_summary else ''}: {said} {cite([paper.key])}."
    verdict: Verdict = "summarised" if is_summary else "quoted"
    return Claim(text, tuple(Citation(paper.key, quote, verdict, source, page) for quote in words))


def attribution(paper: Paper) -> str:
    """``Lewis et al. (2020)``; a paper without authors goes by its title."""
    year = f" ({paper.year})" if paper.year else ""
    people = name_people(paper)
    return f"{people}{year}" if people else f"the paper “{inert(paper.title)}”{year}"


def name_paper(paper: Paper) -> str:
    """``Lewis et al. 2020``, or the beginning of its title and the year."""
    return f"{first_author(paper) or shorten(clean(paper.title), TITLE_CHARACTERS)} {paper.year or ''}".rstrip()


def name_people(paper: Paper) -> str:
    """``Lewis et al.``, ``Lewis and Perez`` or ``Lewis``; empty where no author is known."""
    surnames = [inert(surname(author)) for author in paper.authors]
    return f"{surnames[0]} et al." if len(surnames) > 2 else " and ".join(surnames)


def whose_words(papers: Iterable[Paper], owner: str = "their") -> str:
    """In whose words sentences of the papers are told: "in ``owner`` own words", or in those of summaries."""
    summarised = {not paper.abstract for paper in papers if paper.content}
    if summarised == {True}:
        return "in the words of summaries"
    return f"in {owner} own words{' or those of summaries' if True in summarised else ''}"
