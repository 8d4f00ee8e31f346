"""The sentences of abstracts: what each states, whether it can be quoted alone, and quoting it exactly.

Where a library has only a summary of a paper, its sentences are told as what they are, without quotation marks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.citations import list_cited_keys
from engine.llm.prompting import GIST_TOKENS, paper_block
from engine.quoting.attribution import quote_words
from engine.reading.sentence_roles import Statement, read_statements, role_model
from engine.survey import Claim
from engine.text import strip_quotes, words
from engine.values import Paper

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


@dataclass(frozen=True, slots=True)
class AbstractSentence:
    """A sentence of an abstract, or else of a summary: what it states, how sure that is, and its place (from 0)."""

    paper: Paper
    text: str
    statement: Statement
    probability: float
    position: int

    @property
    def is_sure(self) -> bool:
        """Whether it may be quoted under a label."""
        return self.probability >= role_model().sure

    @property
    def is_whole(self) -> bool:
        """Whether it begins and ends as a sentence does, and no word of it was lost before it came here."""
        return not self.text[0].islower() and self.text[-1] in ".!?" and not _LOST.search(self.text)

    @property
    def stands_alone(self) -> bool:
        """Whether it means something outside its abstract, and holds nothing that would be read as our citation."""
        return (
            SHORTEST_QUOTE <= len(words(self.text)) <= LONGEST_QUOTE
            and self.is_whole
            and not _LEANS.match(self.text)
            and not _LINK.search(self.text)
            and not list_cited_keys(self.text)
        )


@lru_cache(maxsize=4_096)
def read_abstract(paper: Paper) -> tuple[AbstractSentence, ...]:
    """The sentences of a paper's abstract, or else of its summary, in order."""
    return tuple(
        AbstractSentence(paper, said.text, said.statement, said.probability, position)
        for position, said in enumerate(read_statements(strip_quotes(paper.content)))
    )


async def read_abstracts(papers: Sequence[Paper]) -> None:
    """Read them between other work of the event loop, so that whoever asks for one next need not wait.

    Not in a thread: that would hold up every answer that comes in meanwhile.
    """
    for paper in papers:
        read_abstract(paper)
        await asyncio.sleep(BETWEEN_ABSTRACTS_S)


def with_contribution(paper: Paper) -> Paper:
    """The paper with what its abstract states as contribution in the abstract's place, the surest sentence first.

    One whose abstract surely states none is left as it is.
    """
    stated = [s for s in read_abstract(paper) if s.statement == "contribution" and s.is_sure]
    if not stated:
        return paper
    text = " ".join(s.text for s in sorted(stated, key=lambda s: -s.probability))
    return replace(paper, abstract=text, summary="")


def show_gists(papers: Sequence[Paper]) -> str:
    """The papers for a prompt, each with the sentence that says what it contributes. Runs for a while."""
    return paper_block([with_contribution(paper) for paper in papers], GIST_TOKENS)


def quotable(paper: Paper) -> list[AbstractSentence]:
    """Sentences of the abstract, or else of the summary, that can stand alone."""
    return [sentence for sentence in read_abstract(paper) if sentence.stands_alone]


def quote_sentences(group: Sequence[AbstractSentence]) -> Claim:
    """Sentences of one paper's abstract, or else of its summary, as one claim."""
    paper = group[0].paper
    return quote_words(paper, [s.text for s in group], "abstract" if paper.abstract else "summary")
