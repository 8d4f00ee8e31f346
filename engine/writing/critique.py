"""One reading of the whole as a critical reviewer, who asks for edits by address; each is held against the papers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from engine.checking.check import CheckTask, check_section
from engine.citations import Address, cite_sentences, list_addresses, remove_addresses, remove_citations
from engine.errors import ScholiumError
from engine.llm.attempts import try_any
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.rubrics import AUTOSURVEY, list_levels
from engine.survey import Claim, ClaimTally
from engine.text import all_sentences, replace_sentences
from engine.values import Paper
from engine.writing.drafting import Draft

SENTENCES_PER_EDIT = 12
"""One sentence of so many may be edited at most: a reviewer who asks for more writes another survey."""

MOST_REMOVED = 0.2
"""Share of a part's sentences that may go, or one of a few."""

EDIT_TOKENS = 50


class JudgeAnswer(TypedAnswer):
    """AutoSurvey's three criteria."""

    coverage: int = Field(ge=1, le=5)
    structure: int = Field(ge=1, le=5)
    relevance: int = Field(ge=1, le=5)
    reason: str


class EditAnswer(TypedAnswer):
    """A sentence as it should read; empty where it should go."""

    address: str
    text: str


class CritiqueAnswer(TypedAnswer):
    """What a reviewer asks for."""

    edits: list[EditAnswer]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reviewer reads beside the parts, and the papers ``gathered``, against which edits are checked."""

    topic: str
    matrix: str
    step: str
    gathered: tuple[Paper, ...] = ()
    others: str = ""


def build_critique_request(reading: Reading, parts: Mapping[str, Draft]) -> Request:
    """The request that shows every part, by its number, with addressed sentences."""
    shown = "\n\n".join(
        f"{place} {data(part.node.title)}\n{_address(place, part.text)}" for place, part in parts.items()
    )
    most = max(1, sum(len(all_sentences(part.text)) for part in parts.values()) // SENTENCES_PER_EDIT)
    prompt = fill(
        "common/critique",
        topic=data(reading.topic),
        others=data(reading.others) or "(none)",
        sentences=shown,
        matrix=reading.matrix,
        most=str(most),
    )
    return Request("checking", f"critique/{reading.step}", prompt, EDIT_TOKENS * most + 512, 0.3)


async def score_text(model: LanguageModel, topic: str, text: str, step: str, judge: str = "") -> tuple[int, int, int]:
    """Coverage, structure and relevance, from 1 to 5, by the ``judge`` where one is named."""
    levels = "\n\n".join(f"{criterion.capitalize()}\n{list_levels(criterion)}" for criterion in AUTOSURVEY)
    prompt = fill("common/judge", topic=data(topic), survey=data(text), levels=levels)
    answer = await model.answer_typed(Request("judging", step, prompt, 512, 0.0, model=judge), JudgeAnswer)
    return answer.coverage, answer.structure, answer.relevance


def word_score(score: tuple[int, int, int] | ScholiumError) -> str:
    """``4/5/4``, or that it could not be had."""
    return "not judged" if isinstance(score, ScholiumError) else "/".join(map(str, score))


Edits = Mapping[str, Mapping[str, str]]
"""By part, each sentence that is edited with its new wording, which is empty where it goes."""


async def criticise(
    model: LanguageModel, reading: Reading, parts: Mapping[str, Draft], judges: Sequence[str] = ()
) -> Edits:
    """What the reviewer asks for, or all ``judges``: of two edits of a sentence the first judge's is taken."""
    request = build_critique_request(reading, parts)
    requests = [replace(request, step=f"{request.step}/{name}", model=name) for name in judges] or [request]
    answers, _ = await try_any(model.answer_typed(asked, CritiqueAnswer) for asked in requests)
    return read_edits([edit for answer in answers for edit in answer.edits], parts)


async def apply_edits(
    model: LanguageModel, reading: Reading, parts: Mapping[str, Draft], edits: Edits
) -> dict[str, Draft]:
    """The parts with the edits that hold; one of a sentence that does not stand there any more is left out."""
    async with asyncio.TaskGroup() as tasks:
        edited = {p: tasks.create_task(_apply(model, reading, parts[p], edits[p])) for p in edits if p in parts}
    return {place: edited[place].result() if place in edited else part for place, part in parts.items()}


def read_edits(answers: Sequence[EditAnswer], parts: Mapping[str, Draft]) -> Edits:
    """The edits of sentences of these parts, by valid addresses, with the old citations; empty where one goes."""
    found: dict[str, dict[str, str]] = {}
    for answer in answers:
        place, _, said = answer.address.strip().rpartition(":")
        lines = all_sentences(parts[place].text) if place in parts else []
        if not (said.isdigit() and 1 <= int(said) <= len(lines)):
            continue
        old, new = lines[int(said) - 1], remove_citations(" ".join(answer.text.split())).rstrip(" .")
        behind = (c for own in parts[place].claims if own.text == old for c in own.citations if c.sentence)
        addresses = list_addresses(old) or [Address(c.key, (c.sentence or 0,)) for c in behind]
        cited = cite_sentences(addresses)
        text = (f"{new} {cited}." if cited else f"{new}.") if new else ""
        found.setdefault(place, {}).setdefault(old, text)
    return found


async def _apply(model: LanguageModel, reading: Reading, part: Draft, asked_for: Mapping[str, str]) -> Draft:
    """The part with its edits: the new wordings that hold, and without what may go; its claims are counted again."""
    lines = all_sentences(part.text)
    worded = {line: asked_for[line] for line in lines if asked_for.get(line)}
    room = max(int(MOST_REMOVED * len(lines)), len(lines) > 1)
    changes: dict[str, Claim | None] = dict.fromkeys([line for line in lines if asked_for.get(line) == ""][:room])
    if worded:
        text, title = "\n\n".join(worded.values()), part.node.title
        task = CheckTask(title, text, part.papers, reading.topic, f"{title}/critique", reading.gathered)
        found = await check_section(model, task)
        held = {claim.was or claim.text: claim for claim in found.claims if not claim.common}
        changes |= {line: held[said] for line, new in worded.items() if (said := remove_addresses(new)) in held}
    if not changes:
        return part
    # Common knowledge counts only where it became a claim.
    old = [c for c in part.claims if c.text in changes and (not c.common or changes[c.text])]
    removed = sum(changes[claim.text] is None for claim in old)
    changed = ClaimTally(claims=len(old), reworded=len(old) - removed, removed=removed)
    exchanged = {at: changes[line] for at, line in enumerate(lines, start=1) if line in changes}
    text = replace_sentences(part.text, {at: claim.text if claim else "" for at, claim in exchanged.items()})
    claims = (changes.get(claim.text, claim) for claim in part.claims)
    tally = part.tally and part.tally.without(old).plus(changed)
    return replace(part, text=text, claims=tuple(filter(None, claims)), tally=tally)


def _address(place: str, text: str) -> str:
    return "\n".join(
        f"{place}:{at} {data(remove_citations(line))}" for at, line in enumerate(all_sentences(text), start=1)
    )
