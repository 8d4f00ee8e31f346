"""The writer that needs no language model: sentences quoted exactly from abstracts, each cited.

Where a library has only a summary of a paper, its sentences are told as what they are, without quotation marks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.citations import cite, inert, list_cited_keys
from engine.retrieval.embedding import Embedder, Vectors
from engine.retrieval.identity import surname
from engine.survey import Citation, Claim
from engine.text import sentences, words
from engine.values import Paper

Role = Literal["problem", "approach", "finding", "limit"]
ROLES: tuple[Role, ...] = ("problem", "approach", "finding", "limit")

SHORTEST_QUOTE = 8
LONGEST_QUOTE = 60
"""Words. A shorter sentence says nothing alone, a longer one is not read."""

REDUNDANT = 0.85
"""Cosine from which two sentences say the same."""

_CUES: dict[Role, re.Pattern[str]] = {
    "limit": re.compile(
        r"\b(limitations?|however, .*(remain|lack|fail|struggl|suffer)|remains? (a |an )?(open|challeng|unclear|"
        r"unsolved|difficult)|open (problem|question|challenge)s?|future (work|research|direction)s?|fails? to|"
        r"struggles?|suffers? from|not yet|little is known|still lacks?|shortcomings?|drawbacks?)\b",
        re.I,
    ),
    "finding": re.compile(
        r"\b(outperforms?|achiev\w+|results? (show|demonstrate|indicate|suggest)s?|experiments?|demonstrates?|"
        r"we (find|show|observe|found)|improv\w+ .*(by|over|upon)|state-of-the-art|surpass\w*|accuracy of|"
        r"evaluat\w+)\b",
        re.I,
    ),
    "approach": re.compile(
        r"\b(we|the authors?|(this|the) (paper|work|article|study|survey)|here,? we|our (method|approach|model|"
        r"framework))\b.*\b(propos\w+|introduc\w+|present\w*|develop\w*|describ\w+|design\w*|combin\w+|extend\w*|"
        r"formulat\w+|learns?|uses?)\b",
        re.I,
    ),
}
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
    rf"^(?:{_DANGLING_START})\b|https?://|github|code (?:is|and|are)\b|code.*available|supplementary|"
    r"\{\\|\$[^$]{25,}\$",
    re.I,
)

# No link has a verb of its own, so that one author and many read right.
_LINKS: dict[Role, tuple[str, ...]] = {
    "problem": (
        "On the problem itself, in the words of {who}:",
        "The background according to {who}:",
        "The starting point of {who}:",
        "In the words of {who}:",
    ),
    "approach": (
        "The contribution of {who}:",
        "On method, in the words of {who}:",
        "A further line of work, by {who}:",
        "The approach of {who}:",
    ),
    "finding": (
        "The result according to {who}:",
        "The findings of {who}:",
        "On results, in the words of {who}:",
    ),
    "limit": (
        "An open point according to {who}:",
        "What remains difficult, in the words of {who}:",
        "A limit named by {who}:",
    ),
}


_SUMMARY_LINKS = ("A summary of {who}:", "{who}, in summary:", "In short, {who}:")


@dataclass(frozen=True, slots=True)
class AbstractSentence:
    """A sentence of a paper's abstract, or else of its summary, what it does and where it stands there (from 0)."""

    paper: Paper
    text: str
    role: Role
    position: int


def quotable(paper: Paper) -> list[AbstractSentence]:
    """Sentences of the abstract, or else of the summary, that can stand alone, with their roles."""
    found = []
    for position, text in enumerate(sentences(paper.content)):
        length = len(words(text))
        if SHORTEST_QUOTE <= length <= LONGEST_QUOTE and text[-1] in ".!?" and not _unfit(text):
            found.append(AbstractSentence(paper, text, role_of(text), position))
    return found


def _unfit(text: str) -> bool:
    """Whether a sentence dangles, or holds what would be read as a citation of ours."""
    return bool(_DANGLING.search(text) or list_cited_keys(text))


def role_of(sentence: str) -> Role:
    """What a sentence does in its abstract, by its cue words; without any it states the problem."""
    for role in ("limit", "finding", "approach"):
        if _CUES[role].search(sentence):
            return role
    return "problem"


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
    roles: dict[Role, int] = {}
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
                - 0.04 * roles.get(candidates[i].role, 0)
            ),
        )
        left.discard(best)
        sentence = candidates[best]
        if redundancy[best] >= REDUNDANT or quoted.get(sentence.paper.key, 0) >= 2:
            continue
        picked.append(best)
        quoted[sentence.paper.key] = quoted.get(sentence.paper.key, 0) + 1
        roles[sentence.role] = roles.get(sentence.role, 0) + 1
        redundancy = np.maximum(redundancy, vectors @ vectors[best])
        used += len(sentence.text.split()) + 12
    return picked


@dataclass(frozen=True, slots=True)
class QuotedPassage:
    """Quoted text ready for a section, with its claims."""

    text: str
    claims: tuple[Claim, ...]


def passage(papers: Sequence[Paper], about: str, budget_words: int, embedder: Embedder) -> QuotedPassage:
    """About so many words quoted from the papers: problem, approaches, findings, limits; a paragraph each."""
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
    for role in ROLES:
        part = [candidates[i] for i in picked if candidates[i].role == role]
        part.sort(key=lambda s: (s.paper.year or 9_999, s.paper.key, s.position))
        links = _LINKS[role]
        written = [quote_sentence(group, links[i % len(links)]) for i, group in enumerate(_by_paper(part))]
        claims += written
        paragraphs += [" ".join(c.text for c in written[i : i + 4]) for i in range(0, len(written), 4)]
    return QuotedPassage("\n\n".join(paragraphs), tuple(claims))


def _by_paper(sentences_: Sequence[AbstractSentence]) -> list[list[AbstractSentence]]:
    groups: dict[str, list[AbstractSentence]] = {}
    for sentence in sentences_:
        groups.setdefault(sentence.paper.key, []).append(sentence)
    return list(groups.values())


def quote_sentence(group: Sequence[AbstractSentence], link: str) -> Claim:
    """A linking phrase, the exact words in quotation marks, and the citation, all of one paper.

    The words of a summary are not the authors': they stand without quotation marks, and the phrase says what they are.
    """
    paper = group[0].paper
    quotes = [s.text.removesuffix(".") for s in group]
    if not paper.abstract:
        return _tell_summary(paper, quotes)
    lead = link.format(who=attribution(paper))
    text = f"{lead[:1].upper()}{lead[1:]} {'; '.join(f'“{q}”' for q in quotes)} {cite([paper.key])}."
    return Claim(text, tuple(Citation(paper.key, q, "quoted") for q in quotes))


def _tell_summary(paper: Paper, told: Sequence[str]) -> Claim:
    link = _SUMMARY_LINKS[sum(map(ord, paper.key)) % len(_SUMMARY_LINKS)]
    lead = link.format(who=attribution(paper))
    text = f"{lead[:1].upper()}{lead[1:]} {'; '.join(told)} {cite([paper.key])}."
    return Claim(text, tuple(Citation(paper.key, s, "summarised", "summary") for s in told))


def attribution(paper: Paper) -> str:
    """``Lewis et al. (2020)``; a paper without authors goes by its title."""
    year = f" ({paper.year})" if paper.year else ""
    names = [inert(surname(a)) for a in paper.authors]
    if not names:
        return f"the paper “{inert(paper.title)}”{year}"
    return f"{names[0]} et al.{year}" if len(names) > 2 else f"{' and '.join(names)}{year}"
