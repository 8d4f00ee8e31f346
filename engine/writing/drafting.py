"""Steps of writing with a language model: outline, subsections, draft, check, coherence, judgement.

Editing steps return edits, which are applied here; the model never writes existing text out again.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from pydantic import Field

from engine.checking.check import CheckedText, CheckTask, check_section, check_without_model
from engine.checking.citation_forms import read_citations
from engine.checking.claims import is_connecting
from engine.checking.names import Vocabulary
from engine.checking.sentence_state import LostClaim
from engine.citations import list_cited_keys, remove_citations
from engine.errors import LanguageModelError
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import GIST_TOKENS, data, fill, paper_block, paper_tokens
from engine.session.kept_text import has_transitions
from engine.survey import Claim, ClaimTally, SurveyWarning
from engine.text import join_sentences, split_sentences
from engine.values import Outline, OutlineNode, Paper, walk_outline
from engine.writing.lost_claims import word_lost_claims
from engine.writing.model_headings import HeadingText
from engine.writing.model_text import read_prose

CHUNK_TOKENS = 30_000
"""AutoSurvey's size of an outline chunk; only abstracts at this stage."""


class Plan(TypedAnswer):
    """A section or subsection to be written."""

    title: HeadingText
    description: PlainText


class OutlineAnswer(TypedAnswer):
    """An outline of one level."""

    title: HeadingText
    sections: list[Plan] = Field(min_length=2)


class SubsectionsAnswer(TypedAnswer):
    """The parts of a section."""

    subsections: list[Plan] = Field(min_length=1)


class DuplicatesAnswer(TypedAnswer):
    """Numbers of subsections to leave out."""

    repeated: list[str]


class CoherenceAnswer(TypedAnswer):
    """Edits that connect a subsection with its neighbours; empty text leaves a sentence as it is."""

    first: str
    last: str
    repeated: list[int]


@dataclass(frozen=True, slots=True)
class Draft:
    """A subsection as it is being made: its place in the outline, its papers, its text and claims."""

    node: OutlineNode
    papers: tuple[Paper, ...]
    text: str
    claims: tuple[Claim, ...] = ()
    warnings: tuple[SurveyWarning, ...] = ()
    tally: ClaimTally | None = None
    lost: tuple[LostClaim, ...] = ()
    """What the check took out of it."""


def divide_into_chunks(
    papers: Sequence[Paper], seed: int, tokens: int = CHUNK_TOKENS, *, each: int = GIST_TOKENS
) -> list[list[Paper]]:
    """Papers in random order in chunks of at most so many tokens, ``each`` of a paper; together all of them.

    The chunks are as few as they can be, and about as large as one another: the largest is waited for.
    """
    shuffled = list(papers)
    random.Random(seed).shuffle(shuffled)
    sizes = [paper_tokens(paper, each) for paper in shuffled]
    count = min(ceil(sum(sizes) / tokens), len(shuffled))
    while True:
        chunks: list[list[Paper]] = [[] for _ in range(count)]
        filled = [0] * count
        for paper, size in zip(shuffled, sizes, strict=True):
            emptiest = filled.index(min(filled))
            chunks[emptiest].append(paper)
            filled[emptiest] += size
        if count == len(shuffled) or max(filled) <= tokens:
            return chunks
        count += 1


def outline_text(outline: Outline, *, describes_parts: bool = False) -> str:
    """The outline for prompts: numbers, titles, the sections' descriptions and, where wanted, those of their parts."""
    return "\n".join(
        f"{number} {data(node.title)}" + (f": {data(node.description)}" if "." not in number or describes_parts else "")
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
    prompt: str = "autosurvey/draft"
    """The request for one subsection; each recipe may have its own."""
    temperature: float = 1.0
    top_p: float | None = None
    least_tokens: int = 0
    """Tokens that all subsections have together at least; where they have fewer, the shortest are written on."""
    cite_known: bool = False
    """Whether the model may cite, by title, works that it knows and that were not shown (AutoSurvey, 2.2)."""


FindTitles = Callable[[Sequence[str]], Awaitable[Sequence[Paper]]]
"""Titles as a model wrote them → papers of the library that may be meant."""


@dataclass(frozen=True, slots=True)
class OtherPapers:
    """What a draft may cite beside the papers shown for it: the survey's, and those that a title finds."""

    gathered: Sequence[Paper] = ()
    find: FindTitles | None = None

    async def find_named_in(self, prose: str, shown: Sequence[Paper]) -> Sequence[Paper]:
        """The papers among which the names in the prose are looked for."""
        if self.find is None:
            return self.gathered
        unknown = read_citations(prose, shown, self.gathered).unknown
        return (*self.gathered, *(await self.find(unknown) if unknown else ()))


KNOWN_TITLES = (
    "One exception: you may also cite a work that you know and that is not above, by its full title in square brackets."
)

DRAFT_ATTEMPTS = 3
SHORTEST_SHARE = 0.5
"""A draft with less than half the words asked for, or that cites too few of its papers, is asked for again."""

LONGEST_SHARE, SPARE_WORDS = 1.6, 160
"""A draft of more than so many times the words asked for is asked for once more, and then cut; a short one may have so
many words more than were asked for."""

WORDS_PER_CITED_PAPER = 80


def fewest_cited(words: int, papers: int) -> int:
    """How many of its papers a draft of so many words has to cite."""
    return min(papers, max(1, words // WORDS_PER_CITED_PAPER))


def build_draft_request(
    task: Assignment, node: OutlineNode, papers: Sequence[Paper], attempt: int = 0, problem: str = ""
) -> Request:
    """The request for one subsection.

    Of the outline it holds the section that the subsection stands in, with its other subsections: a change elsewhere in
    the outline leaves the request as it is, and a recorded answer to it is found again.
    """
    parent = _parent_of(node, task.outline)
    prompt = fill(
        task.prompt,
        topic=data(task.topic + (f" (written for {task.audience})" if task.audience else "")),
        title=data(node.title),
        within=_within(parent),
        description=data(node.description or node.title),
        papers=paper_block(papers),
        words=str(task.words),
        least=str(fewest_cited(task.words, len(papers))),
        siblings=_siblings(parent, node),
        problem=" ".join(_remarks(task, problem)),
    )
    step = f"draft/{task.trial}/{node.title}" + (f"/again {attempt}" if attempt else "")
    return Request("drafting", step, prompt, max(1_024, task.words * 3), task.temperature, task.top_p)


def _parent_of(node: OutlineNode, outline: Outline) -> OutlineNode | None:
    """The section that the subsection stands in; two sections may have one of the same name, papers and description."""
    alike = [top for _, top in walk_outline(outline.nodes) if node in top.children]
    own = (top for top in alike if any(child is node for child in top.children))
    return next(own, alike[0] if alike else None)


def _remarks(task: Assignment, problem: str) -> list[str]:
    known = [KNOWN_TITLES] if task.cite_known else []
    return [*known, word_problem(problem)] if problem else known


def word_problem(problem: str) -> str:
    """What a model is told that writes once more; empty where it writes for the first time."""
    return f"Your last draft was not used: {problem}." if problem else ""


def most_words(words: int) -> int:
    """How many words a draft may have for which so many were asked."""
    return max(round(words * LONGEST_SHARE), words + SPARE_WORDS)


@dataclass(frozen=True, slots=True)
class DraftTask:
    """A part that is to be drafted: its papers, its length in words, how many of them it cites at least, its request.

    ``request`` takes the number of the attempt and what was wrong with the draft before.
    """

    node: OutlineNode
    papers: tuple[Paper, ...]
    words: int
    least: int
    request: Callable[[int, str], Request]


async def draft_subsection(
    model: LanguageModel,
    task: Assignment,
    node: OutlineNode,
    papers: Sequence[Paper],
    others: OtherPapers = OtherPapers(),
    lost: Sequence[LostClaim] | None = None,
) -> Draft:
    """The subsection written from its own papers, with every citation among them or the others (`write_draft`)."""

    def request(attempt: int, problem: str) -> Request:
        return build_draft_request(task, node, papers, attempt, problem)

    wanted = DraftTask(node, tuple(papers), task.words, fewest_cited(task.words, len(papers)), request)
    return await write_draft(model, wanted, others, lost)


async def write_draft(
    model: LanguageModel,
    task: DraftTask,
    others: OtherPapers = OtherPapers(),
    lost: Sequence[LostClaim] | None = None,
) -> Draft:
    """A draft that is long enough and cites enough of its papers; one that stays far too long ends after a sentence.

    ``lost`` is what the check took out of an earlier draft, where there is one. Raises `LanguageModelError` where the
    answers stay far too short or cite too few of the papers, and where there are no papers to write from: nothing is
    made up in their place.
    """
    if not task.papers:
        raise LanguageModelError("no paper was gathered for it")
    first_attempt, problem = (0, "") if lost is None else (DRAFT_ATTEMPTS, word_lost_claims(lost))
    too_long, requests = False, list[Request]()
    for attempt in range(first_attempt, first_attempt + DRAFT_ATTEMPTS):
        requests.append(task.request(attempt, problem))
        answer = await model.text(requests[-1])
        prose = read_prose(answer, task.node.title)
        named = await others.find_named_in(prose, task.papers)
        draft = settle_citations(Draft(task.node, task.papers, prose), named)
        words, cited = len(draft.text.split()), len(list_cited_keys(draft.text))
        if words < task.words * SHORTEST_SHARE:
            problem = f"it had {words} words of prose"
        elif cited < task.least:
            problem = f"it cited {cited} of the papers by their keys, not {task.least}"
        elif words > most_words(task.words) and not too_long and attempt + 1 < first_attempt + DRAFT_ATTEMPTS:
            problem, too_long = f"it had {words} words; write {task.words} to {most_words(task.words)}", True
        else:
            return hold_length(draft, task.words)
    for request in requests:
        await model.forget(request)
    raise LanguageModelError(f"the model's drafts stayed too short or cited too few papers: {problem}", retryable=True)


def hold_length(draft: Draft, words: int) -> Draft:
    """The draft for which so many words were asked; one that is far too long ends after a sentence, which is noted."""
    if len(draft.text.split()) <= most_words(words):
        return draft
    kept: list[list[str]] = []
    room = most_words(words)
    for paragraph in split_sentences(draft.text):
        fitting: list[str] = []
        for sentence in paragraph:
            room -= len(sentence.split())
            if room < 0:
                break
            fitting.append(sentence)
        kept += [fitting] if fitting else []
    text = join_sentences(kept)
    said = f"cut from {len(draft.text.split()):,} words to {len(text.split()):,}"
    return replace(draft, text=text, warnings=(*draft.warnings, SurveyWarning("length", draft.node.title, said)))


def _within(parent: OutlineNode | None) -> str:
    """The section that it stands in; empty for a section without subsections."""
    about = f" ({data(parent.description)})" if parent and parent.description else ""
    return f" of the section “{data(parent.title)}”{about}" if parent else ""


def _siblings(parent: OutlineNode | None, node: OutlineNode) -> str:
    """The other subsections of the same section, each with what it says."""
    others = [child for child in parent.children if child is not node and child != node] if parent else []
    return "\n".join(f"{data(other.title)}: {data(other.description)}" for other in others) or "(none)"


def settle_citations(draft: Draft, others: Sequence[Paper] = ()) -> Draft:
    """The draft with its citations read: what is one of its papers is `[@key]`, what is none is out, and reported.

    One of the ``others`` that it cites becomes a paper of the draft, so that the check sees it; that is reported too
    where it is cited by another name than its key.
    """
    read = read_citations(draft.text, draft.papers, others)
    title = draft.node.title
    own, cited = {paper.key for paper in draft.papers}, set(list_cited_keys(read.text))
    joined = tuple(paper for paper in others if paper.key in cited - own)
    named = {r.key: r.certainty for r in read.repairs if r.key not in r.said}
    uncertain = [r for r in read.repairs if r.certainty < 1]
    warnings = [
        SurveyWarning("unknown citation", title, f"read as [@{r.key}] ({r.certainty:.0%}): {r.said}") for r in uncertain
    ]
    warnings += [SurveyWarning("unknown citation", title, f"removed: {said}") for said in read.unknown]
    warnings += [
        SurveyWarning("unknown citation", title, f"[@{p.key}] was not shown for this part ({named[p.key]:.0%} alike)")
        for p in joined
        if p.key in named
    ]
    papers = (*draft.papers, *joined)
    return replace(draft, text=read.text, papers=papers, warnings=(*draft.warnings, *warnings))


async def verify_citations(model: LanguageModel, draft: Draft, topic: str, step: str = "") -> Draft:
    """The draft of which every claim holds: kept, cited anew, reworded, or removed (`engine.checking.check`)."""
    task = CheckTask(draft.node.title, draft.text, draft.papers, topic, step)
    return _with_check(draft, await check_section(model, task))


def mark_unchecked(draft: Draft) -> Draft:
    """The draft with claims that say they were not checked; those in which a program sees a fault are removed."""
    return _with_check(draft, check_without_model(CheckTask(draft.node.title, draft.text, draft.papers)))


def _with_check(draft: Draft, found: CheckedText) -> Draft:
    warnings, tally = (*draft.warnings, *found.warnings), found.tally
    if tally and draft.tally and draft.tally.removed:  # what was removed when nobody could be asked stays counted
        tally = tally.plus(ClaimTally(claims=draft.tally.removed, removed=draft.tally.removed))
    return replace(draft, text=found.text, claims=found.claims, tally=tally, warnings=warnings, lost=found.lost)


async def connect_neighbours(model: LanguageModel, draft: Draft, before: str, after: str) -> Draft:
    """The draft with a first and last sentence that lead over; citations are the same afterwards (A13).

    A sentence that only leads over, in place of one that cites, comes beside it.
    ``before`` and ``after`` are the whole texts of its neighbours, empty where there is none.
    """
    paragraphs = split_sentences(draft.text)
    lines = [s for paragraph in paragraphs for s in paragraph]
    if not has_transitions(draft.text) or not (before or after):
        return draft
    prompt = fill(
        "autosurvey/coherence",
        before=data(remove_citations(before)) or "(this is the first)",
        after=data(remove_citations(after)) or "(this is the last)",
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
            new = read_prose(changes.get(number, "")) or sentence
            if "\n" in new or list_cited_keys(new) != list_cited_keys(sentence):
                beside = [new] if is_connecting(new, Vocabulary.of(draft.papers), (draft.node.title,)) else []
                kept += [*beside, sentence] if number == 1 else [sentence, *beside]
                continue  # an edit that touches citations is not taken
            renamed[sentence] = new
            kept.append(new)
        result.append(kept)
    claims = tuple(replace(claim, text=renamed.get(claim.text, claim.text)) for claim in draft.claims)
    return replace(draft, text=join_sentences(result), claims=claims)
