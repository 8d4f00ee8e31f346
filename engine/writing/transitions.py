"""A part that stays when its neighbours change: its first and last sentences are looked at, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from engine.llm.model import LanguageModel
from engine.survey import Claim, ClaimTally, Section
from engine.text import join_sentences, split_sentences
from engine.values import OutlineNode, Paper
from engine.writing.drafting import Draft, connect_neighbours, verify_citations


def draft_of(node: OutlineNode, section: Section, papers: tuple[Paper, ...]) -> Draft:
    """A finished part as a draft, with the papers that it cites."""
    cited = {citation.key for claim in section.claims for citation in claim.citations}
    own = tuple(paper for paper in papers if paper.key in cited)
    return Draft(node, own, section.text, section.claims, tally=section.tally)


async def reconnect(model: LanguageModel, draft: Draft, before: str, after: str, topic: str) -> Draft:
    """The finished part with its first and last sentence led over to other neighbours.

    A new sentence is checked; one that does not hold is not taken, and the one before it stays.
    """
    edited = await connect_neighbours(model, draft, before, after)
    paragraphs = split_sentences(draft.text)
    led_over = split_sentences(edited.text)
    if not paragraphs or not led_over:
        return draft
    result = replace(draft)
    for at in (0, -1):
        old, new = paragraphs[at][at], led_over[at][at]
        if old != new:
            checked = await verify_citations(model, replace(draft, text=new, claims=(), tally=None), topic)
            result = _replace_sentence(result, (at, old), checked) if checked.text else result
    return result


def _replace_sentence(draft: Draft, where: tuple[int, str], checked: Draft) -> Draft:
    """The draft with what holds of a new first (0) or last (-1) sentence in place of the old one."""
    at, old = where
    paragraphs = split_sentences(draft.text)
    paragraphs[at][at] = checked.text
    gone = tuple(claim for claim in draft.claims if claim.text == old)
    rest = tuple(claim for claim in draft.claims if claim.text != old)
    claims = (*checked.claims, *rest) if at == 0 else (*rest, *checked.claims)
    tally = _tally(draft.tally, gone, checked.tally)
    return replace(draft, text=join_sentences(paragraphs), claims=claims, tally=tally)


def _tally(before: ClaimTally | None, gone: tuple[Claim, ...], new: ClaimTally | None) -> ClaimTally | None:
    """What became of the claims, counted without those that went; the new ones are counted with them."""
    if before is None or new is None:
        return before
    if not gone:
        return before.plus(ClaimTally(connecting=-1)).plus(new)
    return before.without(gone).plus(new)
