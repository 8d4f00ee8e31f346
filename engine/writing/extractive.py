"""The writer that needs no language model: sentences quoted exactly from abstracts, each cited.

Where a library has only a summary of a paper, its sentences are told as what they are, without quotation marks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from engine.citations import list_cited_keys
from engine.quoting import quote_words
from engine.reading.abstracts import read_statements
from engine.reading.roles import STATEMENTS, Statement, role_model
from engine.retrieval.embedding import Embedder, Vectors
from engine.survey import Claim
from engine.text import strip_quotes, words
from engine.values import Paper

SHORTEST_QUOTE = 8
LONGEST_QUOTE = 60
"""Words. A shorter sentence says nothing alone, a longer one is not read."""

REDUNDANT = 0.85
"""Cosine from which two sentences say the same."""

ELSEWHERE = (
    r"https?://|//[\w-]+\.[\w-]+|github|supplementary|(?:project|web|home) ?(?:page|site)|"
    r"\b(?:videos?|codes?|demos?|details|materials?)\b[^.;]{0,40}\b(?:can be (?:found|seen|viewed|downloaded|accessed)|"
    r"(?:is|are|be made) (?:\w+ )?available)"
)
"""Pattern of what only says where more is to be found."""

# Sentences that mean nothing outside their abstract.
_DANGLING_START = (
    "this|these|those|such|it|they|its|their|he|she|then|thus|therefore|hence|moreover|furthermore|additionally|also|"
    "in addition|besides|finally|secondly?|first(?:ly)?|thirdly?|here|to this end|for example|for instance|"
    "to (?:address|tackle|overcome|do) (?:this|these|so)|specifically|in particular|as a result|consequently|both|"
    "another|one|on the other hand|but|and|or|so|yet|instead|similarly|meanwhile|nevertheless|nonetheless|conversely|"
    "in contrast|with (?:this|their)|each|others?|the (?:former|latter|second|third|other|resulting|above|others?)|"
    "two|three|the authors (?:study|ask|also)|combined"
)
_DANGLING = re.compile(
    rf"^(?:{_DANGLING_START})\b|{ELSEWHERE}|code (?:is|and|are)\b|code.*available|"
    r"\{\\|\$[^$]{25,}\$",
    re.I,
)

_HOLE = re.compile(
    r"\b(?:propose|present|introduce|develop|called|named|dubbed|termed|namely|of|with|by|in|on|to|from|for|than|is|are|the|"
    r"an?) [,.;:](?!\.)|\b(?:called|named|dubbed|termed)[,.;]|\( ?[,;.]? ?\)",
    re.I,
)
"""Where a name or a formula was lost from the text: "we propose , which"."""

_MIDST = re.compile(r"(?:and|as|at|but|by|for|from|in|of|on|or|than|that|to|which|while|with)\b")
"""How the end of a sentence begins that was taken for one by itself: "Jr. in both"."""

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
        """Whether no word of it was lost before it came here, and it does not begin in the midst of a sentence."""
        return not (_HOLE.search(self.text) or _MIDST.match(self.text))

    @property
    def stands_alone(self) -> bool:
        """Whether it means something outside its abstract, and holds nothing that would be read as our citation."""
        length = len(words(self.text))
        return (
            SHORTEST_QUOTE <= length <= LONGEST_QUOTE
            and self.text[-1] in ".!?"
            and self.is_whole
            and not _DANGLING.search(self.text)
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


def quotable(paper: Paper) -> list[AbstractSentence]:
    """Sentences of the abstract, or else of the summary, that can stand alone."""
    return [sentence for sentence in read_abstract(paper) if sentence.stands_alone]


def choose_sentences(
    candidates: Sequence[AbstractSentence], vectors: Vectors, centre: Vectors, budget_words: int
) -> list[int]:
    """Indices of central sentences that do not repeat one another, up to the budget; better papers come first.

    Maximal marginal relevance: closeness to the ``centre`` against likeness to what is chosen already; a
    paper that has been quoted gives way to one that has not, so that many papers are heard.
    """
    relevance = vectors @ centre
    order = list(dict.fromkeys(s.paper.key for s in candidates))
    standing = {key: 1.0 - rank / len(order) for rank, key in enumerate(order)}
    redundancy = np.zeros(len(candidates))
    quoted: dict[str, int] = {}
    stated: dict[Statement, int] = {}
    picked: list[int] = []
    used = 0
    left = set(range(len(candidates)))
    while left and used < budget_words:
        best = max(
            left,
            key=lambda i: (
                relevance[i]
                + 0.15 * standing[candidates[i].paper.key]
                - 0.5 * redundancy[i]
                - 0.4 * quoted.get(candidates[i].paper.key, 0)
                - 0.04 * stated.get(candidates[i].statement, 0)
            ),
        )
        left.discard(best)
        sentence = candidates[best]
        if redundancy[best] >= REDUNDANT or quoted.get(sentence.paper.key, 0) >= 2:
            continue
        picked.append(best)
        quoted[sentence.paper.key] = quoted.get(sentence.paper.key, 0) + 1
        stated[sentence.statement] = stated.get(sentence.statement, 0) + 1
        redundancy = np.maximum(redundancy, vectors @ vectors[best])
        used += len(sentence.text.split()) + 12
    return picked


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """Quoted text ready for a section, with its claims."""

    text: str
    claims: tuple[Claim, ...]


def passage(papers: Sequence[Paper], about: str, budget_words: int, embedder: Embedder) -> QuotedPassage:
    """About so many words quoted from the papers: first problems, then contributions, then findings."""
    candidates = [sentence for paper in papers for sentence in quotable(paper)]
    if not candidates:
        return QuotedPassage("", ())
    vectors = embedder.embed([about, *(s.text for s in candidates)])
    body = vectors[1:]
    centre = body.mean(axis=0) + vectors[0]
    norm = float(np.linalg.norm(centre))
    picked = choose_sentences(candidates, body, centre / norm if norm else centre, budget_words)
    paragraphs: list[str] = []
    claims: list[Claim] = []
    for statement in STATEMENTS:
        part = [candidates[i] for i in picked if candidates[i].statement == statement]
        part.sort(key=lambda s: (s.paper.year or 9_999, s.paper.key, s.position))
        written = [quote_sentences(group) for group in _by_paper(part)]
        claims += written
        paragraphs += [" ".join(c.text for c in written[i : i + 4]) for i in range(0, len(written), 4)]
    return QuotedPassage("\n\n".join(paragraphs), tuple(claims))


def _by_paper(sentences_: Sequence[AbstractSentence]) -> list[list[AbstractSentence]]:
    groups: dict[str, list[AbstractSentence]] = {}
    for sentence in sentences_:
        groups.setdefault(sentence.paper.key, []).append(sentence)
    return list(groups.values())


def quote_sentences(group: Sequence[AbstractSentence]) -> Claim:
    """Sentences of one paper's abstract, or else of its summary, as one claim."""
    paper = group[0].paper
    return quote_words(paper, [s.text for s in group], "abstract" if paper.abstract else "summary")
