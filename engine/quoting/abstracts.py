"""The sentences of abstracts: what each states, which stand for their paper, and quoting them exactly."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from engine.citations import list_cited_keys
from engine.llm.prompting import GIST_TOKENS, paper_block
from engine.quoting.attribution import quote_words, without_their_citations
from engine.reading.sentence_roles import Statement, read_statements, role_model
from engine.survey import Claim
from engine.text import terms, words
from engine.values import Paper

LEAST_PROBABILITY = 0.5
"""Of a statement, from which a sentence may stand for it: more likely than all others together."""

TITLE_WEIGHT, FIGURE_WEIGHT, CITED_WEIGHT = 0.5, 0.3, 1.0
"""Weights beside a probability: of the share of the title's words that a sentence says (what a paper is called after is
its contribution), of a figure in what was found, and, more than all else, of being what the text beside rests on."""

_FIGURE = re.compile(r"(?<![\w-])\d+(?:[.,]\d+)*(?![\w-])")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Exact words of a paper."""

    paper: Paper
    words: str

    @property
    def claim(self) -> Claim:
        """A sentence of a text, with the evidence that stands behind it."""
        return quote_words(self.paper, [self.words], "abstract" if self.paper.abstract else "summary")

    @property
    def cell(self) -> str:
        """For a table, without numbers of its own references; in quotation marks if they are the authors' words."""
        shown = without_their_citations(self.words)
        return f"“{shown}”" if self.paper.abstract else shown


def quote_contribution(paper: Paper) -> Quotation | None:
    """What the abstract says that the paper contributes; ``None`` where no sentence says so by itself."""
    return _quote_best(paper, "contribution", lambda text: TITLE_WEIGHT * _share_title(paper, text))


def quote_gist(paper: Paper) -> Quotation | None:
    """The sentence that stands for the paper: its contribution, else what says most of its title and is no finding."""
    if stated := quote_contribution(paper):
        return stated
    found = quote_finding(paper)
    others = [
        said.text
        for said in read_statements(paper.content)
        if stands_alone(said.text) and not (found and found.words in said.text)
    ]
    best = max(others, key=lambda text: round(_share_title(paper, text), 6), default="")
    return _quote(paper, best) if best else None


def quote_finding(paper: Paper, cited: Collection[str] = ()) -> Quotation | None:
    """What the abstract says came out, a sentence that is ``cited`` before others, then one with a figure."""

    def weigh(text: str) -> float:
        is_cited = any(text in said for said in cited)  # that with the name of its part: "RESULTS: …"
        return CITED_WEIGHT * is_cited + FIGURE_WEIGHT * bool(_FIGURE.search(text))

    return _quote_best(paper, "finding", weigh)


def _quote_best(paper: Paper, statement: Statement, weigh: Callable[[str], float]) -> Quotation | None:
    """The sentence that makes the statement most surely, its weight added; of several the first."""
    stated = [
        said
        for said in read_statements(paper.content)
        if said.statement == statement and said.probability >= LEAST_PROBABILITY and stands_alone(said.text)
    ]
    best = max(stated, key=lambda said: round(said.probability + weigh(said.text), 6), default=None)
    return _quote(paper, best.text) if best else None


def _quote(paper: Paper, sentence: str) -> Quotation:
    """The whole sentence: cut, it might say more than its paper."""
    return Quotation(paper, sentence.strip(' "“”').removesuffix("."))


def _share_title(paper: Paper, text: str) -> float:
    title = set(terms(paper.title))
    return len(title & set(terms(text))) / max(1, len(title))


SHORTEST_QUOTE = 6
LONGEST_QUOTE = 60
"""Words. A shorter sentence says nothing alone, a longer one is not read."""

_LEANS = re.compile(
    r"(?:it|its|they|their|he|she|both|such|these|those|here|"
    r"th(?:is|at)(?! (?:paper|work|study|article|review|survey|report|letter|thesis|trial)\b))\b|"
    r"(?:\w+|in \w+|for \w+),",
    re.I,
)
"""How a sentence begins that leans on the one before: a pronoun, or a word or two and a comma (“Moreover,”)."""

_LINK = re.compile(r"https?:|www\.|//[\w-]+\.[\w-]+")
_LOST = re.compile(r"[\w,] [,;:](?!\.)|\(\s*[,;.]?\s*\)|\{\\|\$[^$]{25,}\$")
"""Where a name or a formula was lost from the text, “we propose , which”, or its mark-up was left in it."""

BETWEEN_ABSTRACTS_S = 0.002
"""Seconds left to others after each abstract that is read ahead; reading one takes about as long."""


def stands_alone(sentence: str) -> bool:
    """Whether it means something outside its abstract, and holds nothing that would be read as our citation."""
    return (
        SHORTEST_QUOTE <= len(words(sentence)) <= LONGEST_QUOTE
        and not sentence[0].islower()
        and sentence[-1] in ".!?"
        and not _LOST.search(sentence)
        and not _LEANS.match(sentence)
        and not _LINK.search(sentence)
        and not list_cited_keys(sentence)
    )


async def read_abstracts(papers: Sequence[Paper]) -> None:
    """Read them between other work of the event loop; a thread would hold up the answers that come in meanwhile."""
    for paper in papers:
        read_statements(paper.content)
        await asyncio.sleep(BETWEEN_ABSTRACTS_S)


def with_contribution(paper: Paper) -> Paper:
    """The paper with its surely stated contributions, the surest first, as its abstract; as it is where it has none."""
    sure = role_model().sure
    stated = [s for s in read_statements(paper.content) if s.statement == "contribution" and s.probability >= sure]
    if not stated:
        return paper
    text = " ".join(s.text for s in sorted(stated, key=lambda s: -s.probability))
    return replace(paper, abstract=text, summary="")


def show_gists(papers: Sequence[Paper]) -> str:
    """The papers for a prompt, each with the sentence that says what it contributes. Runs for a while."""
    return paper_block([with_contribution(paper) for paper in papers], GIST_TOKENS)
