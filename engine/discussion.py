"""Follow-up questions and changes to a finished survey, answered by quotation from its own papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.citations import with_references
from engine.errors import UserError
from engine.evidence import section_at
from engine.extractive import Sentence, passage, quotable, quoted
from engine.retrieval.embedding import Embedder, embed_papers
from engine.run import Answer, RunContext
from engine.text import terms
from engine.values import Paper, PaperSelection, Section, Survey

REVISION_PAPERS = 30

NEEDED_COVERAGE = 0.5
"""A sentence speaks to a question when it and its paper's title hold at least half of what the question asks
for, rare terms counting more."""

_ASKING = frozenset(
    terms(
        "paper papers say says tell explain describe difference compare main best approach approaches method methods "
        "work works know known exist exists mean means think survey literature author authors research please give list"
    )
)


def answered(question: str, selection: PaperSelection, survey: Survey, context: RunContext) -> Answer:
    """The best quoted sentence of each of a few papers; no claims where none of the papers speaks to it."""
    asked = [t for t in dict.fromkeys(terms(question)) if t not in _ASKING]
    candidates = [s for paper in selection.included() for s in quotable(paper)]
    if not asked or not candidates:
        return Answer(question, (), survey)
    rarity = _rarity(asked, selection.included())
    coverage = np.array([_coverage(rarity, s) for s in candidates])
    speaking = np.flatnonzero(coverage >= NEEDED_COVERAGE)
    if len(speaking) == 0:
        return Answer(question, (), survey)
    chosen = [candidates[int(i)] for i in speaking]
    vectors = context.embedder.embed([question, *(s.text for s in chosen)])
    closeness = vectors[1:] @ vectors[0] + 0.5 * coverage[speaking]
    best: dict[str, Sentence] = {}
    for i in np.argsort(-closeness, kind="stable"):
        best.setdefault(chosen[int(i)].paper.key, chosen[int(i)])
    claims = tuple(quoted([s], "{who}:") for s in list(best.values())[: context.limits.answer_papers])
    return Answer(question, claims, survey)


def _rarity(asked: Sequence[str], papers: Sequence[Paper]) -> dict[str, float]:
    """Weight of each term asked for: a term that every paper has asks for little.

    A term that no paper has is passed over as long as two others are left to ask for.
    """
    held = [set(terms(f"{p.title}. {p.abstract}")) for p in papers]
    frequency = {t: sum(t in words for words in held) for t in asked}
    known = [t for t in asked if frequency[t]]
    return {t: float(np.log1p(len(held) / (3 + frequency[t]))) for t in (known if len(known) > 1 else asked)}


def _coverage(rarity: dict[str, float], sentence: Sentence) -> float:
    there = set(terms(f"{sentence.paper.title}. {sentence.text}"))
    return sum(weight for term, weight in rarity.items() if term in there) / sum(rarity.values())


@dataclass(frozen=True, slots=True)
class Revision:
    """A section to be changed: what is wanted of it, from which papers, in how many words."""

    old: Section
    wanted: str
    papers: tuple[Paper, ...]
    words: int


def revision_of(selection: PaperSelection, survey: Survey, place: str, wish: str, embedder: Embedder) -> Revision:
    """What changing the section takes; ``expand`` as the wish gives it half as many words again.

    Its papers are those it cites already and those nearest to what is wanted. Raises `UserError` where there
    is no such section or it has parts.
    """
    old = section_at(survey, place)
    if old.sections:
        raise UserError(f"Section {place} has parts; name one of them, for example {place}.1.")
    wanted = old.title if wish == "expand" else wish
    papers = selection.included()
    closeness = embed_papers(embedder, papers) @ embedder.embed([wanted])[0]
    near = {papers[int(i)].key for i in np.argsort(-closeness, kind="stable")[:REVISION_PAPERS] if closeness[i] > 0}
    cited = {c.key for claim in old.claims for c in claim.citations}
    size = max(80, len(old.text.split()))
    words = round(size * 1.5) if wish == "expand" else size
    return Revision(old, wanted, tuple(p for p in papers if p.key in near | cited), words)


def revised(selection: PaperSelection, survey: Survey, place: str, new: Section) -> Survey:
    """The survey with the section at ``place`` replaced and its references in order, the rest untouched."""
    sections = _with_section(survey.sections, [int(part) for part in place.split(".")], new)
    return with_references(replace(survey, sections=sections), {p.key: p for p in selection.included()})


def requoted(selection: PaperSelection, survey: Survey, place: str, wish: str, embedder: Embedder) -> Survey:
    """The survey with one section quoted anew; raises `UserError` where nothing can be quoted."""
    change = revision_of(selection, survey, place, wish, embedder)
    written = passage(change.papers, f"{change.old.title}. {change.wanted}", change.words, embedder)
    if not written.text:
        raise UserError(f"The papers gathered here have nothing to quote for section {place} on “{change.wanted}”.")
    return revised(selection, survey, place, replace(change.old, text=written.text, claims=written.claims))


def _with_section(sections: tuple[Section, ...], path: Sequence[int], new: Section) -> tuple[Section, ...]:
    """The sections with the one at ``path`` (numbers from 1, outermost first) replaced, all others the same."""
    at = path[0] - 1
    inner = (
        new if len(path) == 1 else replace(sections[at], sections=_with_section(sections[at].sections, path[1:], new))
    )
    return (*sections[:at], inner, *sections[at + 1 :])
