"""Steps of writing with a language model: outline, subsections, draft, check, coherence, judgement.

Editing steps return edits, which are applied here; the model never writes existing text out again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from engine.citations import cite, keep_allowed_citations, list_cited_keys, replace_citations
from engine.errors import LanguageModelError
from engine.evidence import is_quoted, passage_with
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill, paper_block, paper_tokens
from engine.survey import Citation, Claim, SurveyWarning
from engine.text import all_sentences, fold, join_sentences, split_sentences
from engine.values import Outline, OutlineNode, Paper, PaperKey, walk_outline

CHUNK_TOKENS = 30_000
"""AutoSurvey's size of an outline chunk; only abstracts at this stage."""

ABSTRACT_TOKENS = 300
"""Longest abstract that is sent for writing and checking; published ones have 150 to 400 tokens."""

GIST_TOKENS = 60
"""What of an abstract is sent for an outline: its first sentence says what the paper is about."""


class Plan(TypedAnswer):
    """A section or subsection to be written."""

    title: str
    description: str


class OutlineAnswer(TypedAnswer):
    """An outline of one level."""

    title: str
    sections: list[Plan] = Field(min_length=2)


class SubsectionsAnswer(TypedAnswer):
    """The parts of a section."""

    subsections: list[Plan] = Field(min_length=1)


class DuplicatesAnswer(TypedAnswer):
    """Numbers of subsections to leave out."""

    repeated: list[str]


class Support(TypedAnswer):
    """Whether one paper supports one sentence."""

    sentence: int
    key: str
    supported: bool
    quote: str


class CheckAnswer(TypedAnswer):
    """Verdicts for all cited sentences."""

    verdicts: list[Support]


class CoherenceAnswer(TypedAnswer):
    """Edits that connect a subsection with its neighbours; empty text leaves a sentence as it is."""

    first: str
    last: str
    repeated: list[int]


class JudgeAnswer(TypedAnswer):
    """AutoSurvey's three criteria."""

    coverage: int = Field(ge=1, le=5)
    structure: int = Field(ge=1, le=5)
    relevance: int = Field(ge=1, le=5)
    reason: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A subsection as it is being made: its place in the outline, its papers, its text and claims."""

    node: OutlineNode
    papers: tuple[Paper, ...]
    text: str
    claims: tuple[Claim, ...] = ()
    warnings: tuple[SurveyWarning, ...] = ()


def divide_into_chunks(papers: Sequence[Paper], seed: int, tokens: int = CHUNK_TOKENS) -> list[list[Paper]]:
    """Papers in random order in chunks of at most so many tokens; together exactly the papers given."""
    shuffled = list(papers)
    random.Random(seed).shuffle(shuffled)
    chunks: list[list[Paper]] = []
    room = 0
    for paper in shuffled:
        size = paper_tokens(paper, GIST_TOKENS)
        if not chunks or size > room:
            chunks.append([])
            room = tokens
        chunks[-1].append(paper)
        room -= size
    return chunks


def outline_text(outline: Outline) -> str:
    """The outline for prompts: numbers, titles, descriptions."""
    return "\n".join(
        f"{number} {data(node.title)}" + (f": {data(node.description)}" if "." not in number else "")
        for number, node in walk_outline(outline.nodes)
    )


@dataclass(frozen=True, slots=True)
class Assignment:
    """What all subsections of one trial have in common; ``words`` is the least length of each."""

    topic: str
    outline: Outline
    words: int
    trial: int = 0
    audience: str = ""


DRAFT_ATTEMPTS = 3
SHORTEST_SHARE = 0.5
"""A draft with less than half the words asked for, or without a citation, is no draft."""


def build_draft_request(task: Assignment, node: OutlineNode, papers: Sequence[Paper], attempt: int = 0) -> Request:
    """The request for one subsection; the outline comes first and is the same for all of them."""
    prompt = fill(
        "autosurvey/draft",
        topic=data(task.topic + (f" (written for {task.audience})" if task.audience else "")),
        outline=outline_text(task.outline),
        title=data(node.title),
        description=data(node.description or node.title),
        papers=paper_block(papers, ABSTRACT_TOKENS),
        words=str(task.words),
    )
    step = f"draft/{task.trial}/{node.title}" + (f"/again {attempt}" if attempt else "")
    return Request("drafting", step, prompt, max(1_024, task.words * 3), 1.0)


async def draft_subsection(model: LanguageModel, task: Assignment, node: OutlineNode, papers: Sequence[Paper]) -> Draft:
    """The subsection written from its own papers, with every citation among them.

    Raises `LanguageModelError` where the answers stay far too short or cite none of the papers, and where
    there are no papers to write from: nothing is made up in their place.
    """
    if not papers:
        raise LanguageModelError("no paper was gathered for it")
    for attempt in range(DRAFT_ATTEMPTS):
        text = await model.text(build_draft_request(task, node, papers, attempt))
        draft = settle_citations(Draft(node, tuple(papers), plain(text)))
        if len(draft.text.split()) >= task.words * SHORTEST_SHARE and list_cited_keys(draft.text):
            return draft
    raise LanguageModelError("the model's drafts stayed too short or cited nothing", retryable=True)


def settle_citations(draft: Draft) -> Draft:
    """The draft with citations repaired where that is certain, and removed where not; each case is reported."""
    repaired_text, repairs = repair_citations(draft.text, draft.papers)
    result = keep_allowed_citations(repaired_text, {p.key for p in draft.papers})
    warnings = [
        SurveyWarning("unknown citation", draft.node.title, f"read as [@{key}]: {said}") for said, key in repairs
    ]
    warnings += [SurveyWarning("unknown citation", draft.node.title, f"removed: {key}") for key in result.removed]
    return replace(draft, text=result.text, warnings=(*draft.warnings, *warnings))


_FORMATTING = re.compile(r"^\s{0,3}(?:#{1,6}\s+.*|[*_-]{3,}\s*)$", re.M)


def plain(text: str) -> str:
    """A model's answer as plain paragraphs: headings and emphasis out."""
    bare = _FORMATTING.sub("", text)
    bare = re.sub(r"\*\*(.+?)\*\*|__(.+?)__", lambda m: m[1] or m[2], bare)
    blocks = (" ".join(block.split()) for block in re.split(r"\n\s*\n", bare))
    return "\n\n".join(block for block in blocks if block)


_BRACKET = re.compile(r"\[([^\[\]]{3,400})\]")
_LIKE_A_SOURCE = re.compile(r"@|10\.\d{4}|arxiv|doi|\bet al\b", re.I)


def repair_citations(text: str, papers: Sequence[Paper]) -> tuple[str, list[tuple[str, PaperKey]]]:
    """Brackets that name a given paper by an exact identifier or its exact title become its citation.

    "Exact" leaves case and punctuation aside; nothing is matched to what is merely similar. A bracket that
    looks like a source and is none of these is left to be removed as an unknown key.
    """
    known: dict[str, PaperKey] = {fold(paper.title): paper.key for paper in papers}
    for paper in papers:
        known.update({fold(i): paper.key for i in paper.identifiers})
    repairs: list[tuple[str, PaperKey]] = []

    def read(match: re.Match[str]) -> str:
        inside = match[1]
        if list_cited_keys(match[0]) and replace_citations(match[0], lambda _: "") == "":
            return match[0]
        keys: list[PaperKey] = []
        for part in re.split(r"[;,]\s*(?=@)|;\s*", inside):
            name = part.strip().lstrip("@")
            key = known.get(fold(name))
            if key is None:
                if not _LIKE_A_SOURCE.search(inside) and len(inside.split()) < 4:
                    return match[0]
                keys.append(PaperKey(f"unknown:{fold(name)[:60] or 'empty'}"))
            else:
                keys.append(key)
                repairs.append((part.strip(), key))
        return cite(keys)

    return _BRACKET.sub(read, text), repairs


def check_request(draft: Draft) -> Request | None:
    """The request that checks every cited sentence; ``None`` where nothing is cited."""
    lines = all_sentences(draft.text)
    cited = [(i, s) for i, s in enumerate(lines, start=1) if list_cited_keys(s)]
    if not cited:
        return None
    used = {key for _, s in cited for key in list_cited_keys(s)}
    prompt = fill(
        "common/check",
        sentences="\n".join(f"{i}. {data(s)}" for i, s in cited),
        papers=paper_block([p for p in draft.papers if p.key in used], ABSTRACT_TOKENS),
    )
    return Request("checking", f"check/{draft.node.title}", prompt, 64 * len(cited) + 1_024, 0.0)


async def verify_citations(model: LanguageModel, draft: Draft) -> Draft:
    """The draft without the citations its papers do not support; its words are not changed (A12)."""
    request = check_request(draft)
    if request is None:
        return draft
    answer = await model.answer_typed(request, CheckAnswer)
    verdicts = {(v.sentence, v.key.strip().removeprefix("@")): v for v in answer.verdicts}
    papers = {p.key: p for p in draft.papers}
    claims: list[Claim] = []
    warnings: list[SurveyWarning] = []
    number = 0
    paragraphs: list[list[str]] = []
    for paragraph in split_sentences(draft.text):
        lines: list[str] = []
        for sentence in paragraph:
            number += 1
            kept, lost = _split_verdicts(sentence, number, verdicts)
            text = keep_allowed_citations(sentence, kept).text
            lines.append(text)
            warnings += [
                SurveyWarning("unsupported claim", draft.node.title, f"removed [@{k}]: {sentence}") for k in lost
            ]
            if kept:
                claims.append(_claim(text, kept, number, verdicts, papers))
        paragraphs.append(lines)
    return replace(draft, text=join_sentences(paragraphs), claims=tuple(claims), warnings=(*draft.warnings, *warnings))


def mark_unchecked(draft: Draft) -> Draft:
    """The draft with claims that say they were not checked."""
    lines = all_sentences(draft.text)
    claims = [
        Claim(line, tuple(Citation(key, "", "unchecked") for key in list_cited_keys(line)))
        for line in lines
        if list_cited_keys(line)
    ]
    return replace(draft, claims=tuple(claims))


Verdicts = Mapping[tuple[int, str], Support]


def _split_verdicts(sentence: str, number: int, verdicts: Verdicts) -> tuple[list[PaperKey], list[PaperKey]]:
    """Keys that stay and keys that go; one that was not judged stays and is marked as not checked."""
    kept: list[PaperKey] = []
    lost: list[PaperKey] = []
    for key in list_cited_keys(sentence):
        verdict = verdicts.get((number, key))
        (lost if verdict and not verdict.supported else kept).append(key)
    return kept, lost


def _claim(
    text: str, keys: Sequence[PaperKey], number: int, verdicts: Verdicts, papers: Mapping[PaperKey, Paper]
) -> Claim:
    citations = []
    for key in keys:
        verdict = verdicts.get((number, key))
        quote = verdict.quote if verdict and is_quoted(verdict.quote, papers[key]) else ""
        passage = passage_with(quote, papers[key]) if quote and quote not in papers[key].abstract else None
        citations.append(
            Citation(
                key,
                quote,
                "supported" if verdict else "unchecked",
                "full text" if passage else "abstract",
                passage.page if passage else None,
            )
        )
    return Claim(text, tuple(citations))


async def connect_neighbours(model: LanguageModel, draft: Draft, before: str, after: str) -> Draft:
    """The draft with a first and last sentence that lead over; citations are the same afterwards (A13)."""
    paragraphs = split_sentences(draft.text)
    lines = [s for paragraph in paragraphs for s in paragraph]
    if len(lines) < 3 or not (before or after):
        return draft
    prompt = fill(
        "autosurvey/coherence",
        before=data(before) or "(this is the first)",
        after=data(after) or "(this is the last)",
        sentences="\n".join(f"{i}. {data(s)}" for i, s in enumerate(lines, start=1)),
    )
    request = Request("checking", f"coherence/{draft.node.title}", prompt, 1_024, 0.3)
    edits = await model.answer_typed(request, CoherenceAnswer)
    changes = {1: edits.first, len(lines): edits.last}
    gone = {i for i in edits.repeated if 1 < i < len(lines) and not list_cited_keys(lines[i - 1])}
    renamed: dict[str, str] = {}
    number = 0
    result: list[list[str]] = []
    for paragraph in paragraphs:
        kept: list[str] = []
        for sentence in paragraph:
            number += 1
            if number in gone:
                continue
            new = plain(changes.get(number, "")) or sentence
            if list_cited_keys(new) != list_cited_keys(sentence) or "\n" in new:
                new = sentence  # an edit that touches citations is not taken
            renamed[sentence] = new
            kept.append(new)
        result.append(kept)
    claims = tuple(replace(claim, text=renamed.get(claim.text, claim.text)) for claim in draft.claims)
    return replace(draft, text=join_sentences(result), claims=claims)
