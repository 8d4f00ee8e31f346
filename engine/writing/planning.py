"""The outline with a language model: chunks, merging, subsections, duplicates."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Generic, TypeVar

from pydantic import Field

from engine.errors import LimitExceeded, ScholiumError
from engine.llm.attempts import try_all, try_any, try_work
from engine.llm.model import A, PlainText, Request, TypedAnswer, tokens_of
from engine.llm.prompting import ABSTRACT_TOKENS, GIST_TOKENS, data, fill, paper_block, paper_tokens
from engine.options import TemplateSection
from engine.quoting.abstracts import show_gists, with_contribution
from engine.retrieval.embedding import Vectors, embed_papers, nearest
from engine.run import CallChain, PlannedCall, Progress, RunContext
from engine.text import clean, fold, shorten
from engine.values import Outline, OutlineNode, Paper, PaperKey, Role, walk_outline
from engine.writing.assembly import supply_papers
from engine.writing.model_text import HeadingText

HEADING_CHARACTERS = 120

CHUNK_TOKENS = 30_000
"""AutoSurvey's size of an outline chunk; only abstracts at this stage."""


class Plan(TypedAnswer):
    """A section or subsection to be written."""

    title: HeadingText
    description: PlainText

    def node(self, papers: Iterable[PaperKey] = ()) -> OutlineNode:
        """It as a section of an outline, with these papers; a heading too long to be one is cut at a word."""
        return OutlineNode(shorten(self.title, HEADING_CHARACTERS), clean(self.description), tuple(papers))


P = TypeVar("P", bound=Plan)


class PartsAnswer(TypedAnswer, Generic[P]):
    """The parts of a section."""

    subsections: list[P] = Field(min_length=1)


class DividedPlan(Plan, Generic[P]):
    """A section with its subsections, if it has any."""

    subsections: list[P]


class OutlineAnswer(TypedAnswer, Generic[P]):
    """An outline."""

    title: HeadingText
    sections: list[P] = Field(min_length=2)

    def outline(self, method: str, divide: Callable[[P], Iterable[OutlineNode]] = lambda _: ()) -> Outline:
        """Its first section introduces and its last concludes, as prompts ask, where there are any between them."""
        last = len(self.sections) - 1
        roles: dict[int, Role] = {0: "introduction", last: "conclusion"} if last > 1 else {}
        nodes = (
            replace(section.node(), role=roles[at])
            if at in roles
            else replace(section.node(), children=tuple(divide(section)))
            for at, section in enumerate(self.sections)
        )
        return Outline(self.title, tuple(nodes), method)


class DuplicatesAnswer(TypedAnswer):
    """Numbers of subsections to leave out."""

    repeated: list[str]


def divide_into_chunks(
    papers: Sequence[Paper], seed: int, tokens: int = CHUNK_TOKENS, *, each: int = GIST_TOKENS
) -> list[list[Paper]]:
    """Papers in random order in few chunks of at most so many tokens, ``each`` of a paper, about equally large."""
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


FRAMES: Mapping[str, Role] = {"introduction": "introduction", "conclusion": "conclusion", "conclusions": "conclusion"}
"""Titles of a template's sections that are written from the finished ones."""

COUNT_ATTEMPTS = 2
"""How often an outline of another number of sections than asked for is asked for again."""

SUBSECTIONS_PER_SECTION, MOST_SUBSECTIONS, PAPERS_PER_SUBSECTION = 35 / 8, 6, 5
"""AutoSurvey's code writes 35 subsections for 8 sections (our benchmark); here only those between introduction and
conclusion have any. None has more than so many, and each has so many papers of its own."""

SECTION_PAPERS = 50
"""Papers shown for dividing a section (AutoSurvey's code)."""


PROMPT_TOKENS, ROUGH_SHARE, DUPLICATES_TOKENS = 450, 2, 10
"""Rules and schema of one call; how many times as long as its headings an outline is, written with descriptions as
JSON; an answer that names no repetition."""


@dataclass(frozen=True)
class Asking:
    """How a model is asked for an outline; raises `UserError` where there is none."""

    topic: str
    context: RunContext

    def __post_init__(self) -> None:
        self.context.require_model()

    async def ask(
        self, kind: type[A], step: str, prompt: str, tokens: int = 2_048, temperature: float = 1.0, **shown: str
    ) -> A:
        """The answer to a prompt that names the topic; a proposal after one that was refused is another step."""
        again = f"/{self.context.attempt}" if self.context.attempt else ""
        filled = fill(prompt, topic=data(self.topic), **shown)
        request = Request("outline", f"{step}{again}", filled, tokens, temperature)
        return await self.context.require_model().answer_typed(request, kind)


@dataclass(frozen=True)
class Planner(Asking):
    """Plans one survey from its papers."""

    papers: Sequence[Paper]
    whole_abstracts: bool = False
    """Whether outlines are drafted from whole abstracts, as published, or from what each paper says it contributes."""
    template: tuple[TemplateSection, ...] = ()
    """Sections that the outline must have; then nothing is drafted and merged, only divided where it has no parts."""

    async def outline(self, sections: int, title: str) -> Outline:
        """One outline for each random chunk in parallel, merged, divided, duplicates removed; or the template's."""
        async with asyncio.TaskGroup() as group:
            embedding = group.create_task(asyncio.to_thread(embed_papers, self.context.embedder, self.papers))
            drafting = group.create_task(try_work(self._draft(sections, title)))
        if isinstance(top := drafting.result(), ScholiumError):
            raise top
        whole = await self._divide(top, embedding.result())
        whole = whole if self.template else await self._without_duplicates(whole)
        return await supply_papers(whole, self.papers, self.context, vectors=embedding.result())

    async def _draft(self, sections: int, title: str) -> Outline:
        """The sections, undivided: those of each chunk, merged; at the budget those of the first, and a note."""
        if self.template:
            return Outline(title, tuple(map(_follow, self.template)), "a template")
        papers, wanted = self.papers, str(sections)
        if not self.whole_abstracts:
            papers = await asyncio.to_thread(lambda: list(map(with_contribution, self.papers)))
        each = ABSTRACT_TOKENS if self.whole_abstracts else GIST_TOKENS
        chunks = divide_into_chunks(papers, self.context.seed + self.context.attempt, each=each)
        await self.context.progress(Progress("outlining", 0, len(chunks)))
        rough, failed = await try_any(
            self.ask(
                OutlineAnswer[Plan],
                f"outline/{at}",
                "autosurvey/outline",
                papers=paper_block(chunk, each),
                sections=wanted,
            )
            for at, chunk in enumerate(chunks)
        )
        plan, notes = rough[0], list[str]()
        if failed:
            notes.append(f"{len(failed)} of {len(chunks)} parts of the literature could not be outlined: {failed[0]}")
        if len(rough) > 1:
            outlines = "\n".join(f"<outline>\n{data(o.model_dump_json())}\n</outline>" for o in rough)
            try:
                plan = await self.ask(
                    OutlineAnswer[Plan], "merge", "autosurvey/merge", outlines=outlines, sections=wanted
                )
            except LimitExceeded as error:
                notes.append(f"It was planned from one of {len(rough)} parts of the literature: {error}")
        outline = (await self._with_exactly(sections, plan)).outline("AutoSurvey")
        if len(outline.nodes) != sections:
            notes.append(f"{sections} sections were asked for; the model keeps to {len(outline.nodes)}.")
        return replace(outline, notes=tuple(notes))

    async def _with_exactly(self, sections: int, plan: OutlineAnswer[Plan]) -> OutlineAnswer[Plan]:
        """The plan with as many sections as asked for; asked again where it has others, the nearest kept (A6)."""
        best = plan
        for attempt in range(1, COUNT_ATTEMPTS + 1):
            if (has := len(best.sections)) == sections:
                break
            shown = {"outline": data(best.model_dump_json()), "has": str(has), "sections": str(sections)}
            asking = self.ask(OutlineAnswer[Plan], f"count/{attempt}", "autosurvey/count", 2_048, 0.3, **shown)
            answer = await try_work(asking)
            if isinstance(answer, ScholiumError):
                break
            best = min(best, answer, key=lambda found: abs(len(found.sections) - sections))
        return best

    async def _divide(self, top: Outline, vectors: Vectors) -> Outline:
        """The body's sections with their subsections (row i of ``vectors`` is paper i), or whole where that fails."""
        await self.context.progress(Progress("dividing", 0, len(top.nodes)))
        body = [at for at, node in enumerate(top.nodes) if node.role == "body"]
        counts = zip(body, count_parts(top, len(self.papers)), strict=True)
        due = {at: self._list_parts(top, at, vectors, count) for at, count in counts if not top.nodes[at].children}
        return await divide_outline(top, due)

    async def _list_parts(self, outline: Outline, at: int, vectors: Vectors, count: int) -> list[OutlineNode]:
        """About so many subsections of the section, from the papers nearest to it."""
        node = outline.nodes[at]
        about = await asyncio.to_thread(self.context.embedder.embed, [node.describe()])
        near = nearest(self.papers, vectors, about[0], SECTION_PAPERS)
        answer = await self.ask(
            PartsAnswer[Plan],
            f"subsections/{node.title}",
            "autosurvey/subsections",
            1_536,
            outline=outline_text(outline),
            section=data(node.title),
            description=data(node.description),
            papers=await asyncio.to_thread(show_gists, near),
            parts=str(count),
        )
        return [part.node() for part in answer.subsections]

    async def _without_duplicates(self, outline: Outline) -> Outline:
        """Subsections that repeat another are left out; a section keeps at least one."""
        planned = outline_text(outline, describes_parts=True)
        asking = self.ask(DuplicatesAnswer, "duplicates", "autosurvey/duplicates", 512, 0.0, outline=planned)
        answer = await try_work(asking)
        if isinstance(answer, ScholiumError):
            return replace(outline, notes=(*outline.notes, f"It was not checked for repetitions: {answer}"))
        nodes = []
        for i, node in enumerate(outline.nodes, start=1):
            kept = tuple(child for j, child in enumerate(node.children, start=1) if f"{i}.{j}" not in answer.repeated)
            nodes.append(replace(node, children=kept or node.children[:1]))
        return replace(outline, nodes=tuple(nodes))


def _follow(wanted: TemplateSection) -> OutlineNode:
    """A section of the template as one of an outline; what is called so introduces or concludes."""
    role = FRAMES.get(fold(wanted.title), "body")
    return OutlineNode(wanted.title, wanted.holds, role=role, children=tuple(map(_follow, wanted.parts)))


def count_parts(outline: Outline, papers: int) -> list[int]:
    """About how many subsections each section of the body has."""
    body = sum(node.role == "body" for node in outline.nodes)
    wanted = round(SUBSECTIONS_PER_SECTION * len(outline.nodes))
    shares = (wanted * (at + 1) // body - wanted * at // body for at in range(body))
    return [max(2, min(share, MOST_SUBSECTIONS, papers // (PAPERS_PER_SUBSECTION * body))) for share in shares]


def plan_outline(outline: Outline, papers: Sequence[Paper], *, whole_abstracts: bool) -> list[CallChain]:
    """The calls that make an outline like this one: one for each chunk, merged, divided, looked over."""
    each = ABSTRACT_TOKENS if whole_abstracts else GIST_TOKENS
    size = tokens_of(outline_text(outline, describes_parts=True))
    tops = tokens_of(outline_text(replace(outline, nodes=tuple(replace(n, children=()) for n in outline.nodes))))
    chunks = divide_into_chunks(papers, 0, each=each)
    rough = [
        (PlannedCall("outline", sum(paper_tokens(p, each) for p in chunk) + PROMPT_TOKENS, ROUGH_SHARE * tops),)
        for chunk in chunks
    ]
    merged = [(PlannedCall("outline", ROUGH_SHARE * tops * len(chunks) + PROMPT_TOKENS, ROUGH_SHARE * tops),)]
    divided = [node for node in outline.nodes if node.children]
    shown = sum(paper_tokens(p, GIST_TOKENS) for p in papers[:SECTION_PAPERS])
    parts = [(PlannedCall("outline", shown + tops + PROMPT_TOKENS, size // len(divided)),) for _ in divided]
    looked_over = (PlannedCall("outline", size + PROMPT_TOKENS, DUPLICATES_TOKENS),)
    return [*rough, *(merged if len(chunks) > 1 else ()), *parts, looked_over]


async def divide_outline(
    outline: Outline, dividing: Mapping[int, Coroutine[Any, Any, Sequence[OutlineNode]]]
) -> Outline:
    """The outline with the parts of these sections, counted from 0; one that cannot be divided stays, and is noted."""
    nodes, notes = list(outline.nodes), list(outline.notes)
    for at, parts in zip(dividing, await try_all(dividing.values()), strict=True):
        if isinstance(parts, ScholiumError):
            notes.append(f"“{nodes[at].title}” could not be divided: {parts}")
        else:
            nodes[at] = replace(nodes[at], papers=(), hint_papers=(), children=tuple(parts))
    return replace(outline, nodes=tuple(nodes), notes=tuple(notes))
