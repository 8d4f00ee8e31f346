"""First and last sentences that lead over to a part's neighbours, checked by themselves, and put in their places."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from engine.checking.back_references import begins_with_reference
from engine.llm.model import LanguageModel
from engine.survey import Claim, ClaimTally, Section
from engine.text import all_sentences, join_sentences, split_sentences
from engine.values import OutlineNode, Paper
from engine.writing.drafting import Draft, connect_neighbours, verify_citations


def draft_of(node: OutlineNode, section: Section, papers: tuple[Paper, ...]) -> Draft:
    """A finished part as a draft, with the papers that it cites."""
    cited = {citation.key for claim in section.claims for citation in claim.citations}
    own = tuple(paper for paper in papers if paper.key in cited)
    return Draft(node, own, section.text, section.claims, tally=section.tally)


@dataclass(frozen=True, slots=True)
class NewSentence:
    """A checked sentence for one end of a draft, 0 the first and -1 the last, and the one in whose place it comes."""

    at: int
    old: str
    checked: Draft
    beside: bool = False
    """Whether it comes beside that one, which stays."""


@dataclass(frozen=True, slots=True)
class Transitions:
    """What leads over from a draft to its neighbours; ``repeated`` sentences of it only say what is said elsewhere."""

    sentences: tuple[NewSentence, ...] = ()
    repeated: tuple[str, ...] = ()


async def reconnect(model: LanguageModel, draft: Draft, before: str, after: str, topic: str) -> Draft:
    """The finished part with its first and last sentence led over to other neighbours.

    A new sentence is checked; one that does not hold is not taken, and the one before it stays.
    """
    connected = await connect_neighbours(model, draft, before, after)
    found = await check_transitions(model, draft, connected, topic)
    return place_transitions(draft, replace(found, repeated=()))


async def check_transitions(model: LanguageModel, draft: Draft, connected: Draft, topic: str) -> Transitions:
    """What is new in the ``connected`` draft, checked by itself: the draft's own sentences may be checked meanwhile."""
    own, new = all_sentences(draft.text), all_sentences(connected.text)
    if not own or not new:
        return Transitions()
    changed = [(at, own[at], new[at]) for at in (0, -1) if own[at] != new[at]]
    async with asyncio.TaskGroup() as group:
        checking = [
            group.create_task(
                verify_citations(model, replace(draft, text=said, claims=(), tally=None), topic, _name_step(draft, at))
            )
            for at, _, said in changed
        ]
    holding = (
        NewSentence(at, old, task.result(), beside=old in new)
        for (at, old, _), task in zip(changed, checking, strict=True)
        if task.result().text
    )
    return Transitions(tuple(holding), tuple(line for line in own[1:-1] if line not in new))


def _name_step(draft: Draft, at: int) -> str:
    return f"{draft.node.title}/{'last' if at else 'first'} sentence"


def place_transitions(draft: Draft, found: Transitions) -> Draft:
    """The checked draft with its new ends, and without what is repeated.

    A sentence whose place another has taken, since it did not hold, comes beside that only if it claims nothing.
    """
    result = draft
    for new in found.sentences:
        paragraphs = split_sentences(result.text)
        if not paragraphs:
            return result
        if paragraphs[new.at][new.at] == new.old and not new.beside:
            result = _replace_sentence(result, (new.at, new.old), new.checked)
        elif not new.checked.claims and (new.beside or new.old not in all_sentences(result.text)):
            lines = paragraphs[new.at]
            paragraphs[new.at] = [*lines, new.checked.text] if new.at else [new.checked.text, *lines]
            tally = _tally(result.tally, (), new.checked.tally, replaced=0)
            result = replace(result, text=join_sentences(paragraphs), tally=tally)
    return _without(result, frozenset(found.repeated))


def _without(draft: Draft, repeated: frozenset[str]) -> Draft:
    """The draft without these sentences, as far as they claim nothing and no other refers to them."""
    said = repeated - {claim.text for claim in draft.claims}
    paragraphs, gone = split_sentences(draft.text), 0
    for paragraph in paragraphs:
        for at in reversed(range(len(paragraph))):
            if paragraph[at] in said and not any(map(begins_with_reference, paragraph[at + 1 : at + 2])):
                del paragraph[at]
                gone += 1
    tally = draft.tally.plus(ClaimTally(connecting=-gone)) if draft.tally else None
    return replace(draft, text=join_sentences(paragraphs), tally=tally) if gone else draft


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


def _tally(
    before: ClaimTally | None, gone: tuple[Claim, ...], new: ClaimTally | None, *, replaced: int = 1
) -> ClaimTally | None:
    """What became of the claims, counted without those that went; the new ones are counted with them."""
    if before is None or new is None:
        return before
    if not gone:
        return before.plus(ClaimTally(connecting=-replaced)).plus(new)
    return before.without(gone).plus(new)
