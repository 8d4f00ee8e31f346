"""SurveyX's outline (3.2.1): main sections, hints mounted on them, subsections from hints, all put in order once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from pydantic import Field

from engine.errors import LanguageModelError, ScholiumError
from engine.limits import Limits
from engine.llm.model import LanguageModel, PlainText, Request, TypedAnswer
from engine.llm.prompting import data, fill, paper_block
from engine.recipes.surveyx_material import GIST_FIELDS, Hint, Material
from engine.retrieval.embedding import Embedder
from engine.text import fold, terms
from engine.values import Outline, OutlineNode, Paper, PaperKey
from engine.writing.assembly import mark_thin, supply_papers
from engine.writing.model_text import HeadingText
from engine.writing.outlining import OutlineAnswer, Plan, outline_text
from engine.writing.planning import try_work, word_undivided

MOUNTED_AT_ONCE = 10
"""Papers whose hints one call writes."""

HINTS_SHOWN = 240
"""Hints of one section that are shown for dividing it."""

PLANNED_TOKENS = 150
"""What of an abstract is shown for the main sections."""

SAME_HEADING, SHARED_TERMS = 0.9, 0.5
"""Least cosine of two headings that say the same, and the least share of the terms of each that the other has: in a
library of few papers headings about different things are close."""


class SectionHint(TypedAnswer):
    """What a paper offers to a section."""

    key: str
    section: str
    hint: PlainText


class MountAnswer(TypedAnswer):
    """The hints of all papers asked about."""

    hints: list[SectionHint]


class HintedPart(TypedAnswer):
    """A subsection and the numbers of the hints it rests on."""

    title: HeadingText
    description: PlainText
    hints: list[int]


class DivideAnswer(TypedAnswer):
    """The subsections of one section."""

    subsections: list[HintedPart] = Field(min_length=1)


class FilledSection(TypedAnswer):
    """A section and the numbers of its subsections in order."""

    section: str
    headings: list[int]


class Repetition(TypedAnswer):
    """A subsection that says the same as another."""

    heading: int
    same_as: int


class ReorganiseAnswer(TypedAnswer):
    """Where each subsection goes."""

    sections: list[FilledSection]
    repeated: list[Repetition]


class WholeSection(TypedAnswer):
    """A section with its subsections."""

    title: HeadingText
    description: PlainText
    subsections: list[Plan]


class WholeOutlineAnswer(TypedAnswer):
    """An outline of two levels."""

    title: HeadingText
    sections: list[WholeSection] = Field(min_length=2)


@dataclass(frozen=True, slots=True)
class Heading:
    """A subsection taken out of its section (counted from 0)."""

    section: int
    node: OutlineNode


@dataclass
class OutlineSteps:
    """The steps of one outline; ``notes`` collects what a person should know before approving it."""

    model: LanguageModel
    topic: str
    embedder: Embedder
    limits: Limits
    attempt: int = 0
    notes: list[str] = field(default_factory=list)

    async def draft_primary(self, sections: int, papers: Sequence[Paper]) -> Outline:
        """The main sections, from titles and abstracts of these papers, or from what the model knows."""
        prompt = fill("surveyx/outline", topic=data(self.topic), papers=_list_offered(papers), sections=str(sections))
        answer = await self.model.answer_typed(self._request("primary", prompt, 2_048), OutlineAnswer)
        return _with_roles(answer.title, [OutlineNode(s.title, s.description) for s in answer.sections])

    async def draft_whole(self, sections: int, papers: Sequence[Paper], everything: Sequence[Paper]) -> Outline:
        """Without outline optimisation: both levels in one answer, papers by closeness to the headings."""
        prompt = fill(
            "surveyx/whole_outline", topic=data(self.topic), papers=_list_offered(papers), sections=str(sections)
        )
        answer = await self.model.answer_typed(self._request("primary", prompt, 4_096), WholeOutlineAnswer)
        nodes = [
            OutlineNode(
                s.title, s.description, children=tuple(OutlineNode(p.title, p.description) for p in s.subsections)
            )
            for s in answer.sections
        ]
        outline = _with_roles(answer.title, nodes)
        count = self.limits.papers_per_node
        return self._finish(await asyncio.to_thread(supply_papers, outline, everything, self.embedder, count))

    async def mount_hints(self, outline: Outline, material: Material) -> list[Hint]:
        """Hints of every paper for the sections, each with its paper; what failed is noted."""
        open_places = {str(i) for i, node in enumerate(outline.nodes, start=1) if node.role == "body"}
        keys = list(material.papers)
        groups = [keys[start : start + MOUNTED_AT_ONCE] for start in range(0, len(keys), MOUNTED_AT_ONCE)]
        async with asyncio.TaskGroup() as tasks:
            made = [tasks.create_task(try_work(self._mount(outline, group, material))) for group in groups]
        hints: list[Hint] = []
        lost = 0
        why: ScholiumError | None = None
        for group, task in zip(groups, made, strict=True):
            came = task.result()
            if isinstance(came, ScholiumError):
                lost, why = lost + len(group), why or came
                continue
            hints += [hint for hint in came if hint.place in open_places and hint.key in group]
        if not hints:
            raise why or LanguageModelError("No paper gave a hint for the outline.", retryable=True)
        if lost:
            self.notes.append(f"{lost} papers could not be placed in the outline: {why}")
        return hints

    async def divide_sections(self, outline: Outline, hints: Sequence[Hint]) -> Outline:
        """Every section that takes hints with its subsections; one that could not be divided stays whole."""
        places = [str(i) for i in range(1, len(outline.nodes) + 1)]
        own = {place: [hint for hint in hints if hint.place == place] for place in places}
        async with asyncio.TaskGroup() as tasks:
            made = [
                tasks.create_task(try_work(self._divide(outline, place, own[place]))) if own[place] else None
                for place in places
            ]
        nodes: list[OutlineNode] = []
        for node, place, task in zip(outline.nodes, places, made, strict=True):
            came = task.result() if task else ()
            if isinstance(came, ScholiumError):
                self.notes.append(word_undivided(node, came))
                came = ()
            keys = tuple(dict.fromkeys(hint.key for hint in own[place]))[: self.limits.papers_per_node]
            from_papers = tuple(hint.key for hint in own[place])
            nodes.append(replace(node, children=came) if came else replace(node, papers=keys, hint_papers=from_papers))
        return replace(outline, nodes=tuple(nodes))

    async def reorganise(self, outline: Outline) -> Outline:
        """Separate, then reorganise: headings that say the same become one, every other is placed exactly once."""
        taken = [Heading(i, child) for i, node in enumerate(outline.nodes) for child in node.children]
        if len(taken) < 2:
            return self._finish(outline)
        headings = await asyncio.to_thread(merge_same, taken, self.embedder)
        prompt = fill(
            "surveyx/reorganise",
            topic=data(self.topic),
            outline=outline_text(replace(outline, nodes=tuple(replace(n, children=()) for n in outline.nodes))),
            headings="\n".join(
                f"{i}. {data(h.node.title)} ({len(h.node.papers)}): {data(h.node.description)}"
                for i, h in enumerate(headings, start=1)
            ),
            open=", ".join(str(i) for i, node in enumerate(outline.nodes, start=1) if node.children),
        )
        answer = await try_work(self.model.answer_typed(self._request("reorganise", prompt, 1_024), ReorganiseAnswer))
        if isinstance(answer, ScholiumError):
            self.notes.append(f"Its subsections were not put in order once more: {answer}")
            answer = ReorganiseAnswer(sections=[], repeated=[])
        return self._finish(place_headings(outline, headings, answer))

    def _finish(self, outline: Outline) -> Outline:
        nodes = tuple(mark_thin(node, self.limits) for node in outline.nodes)
        return replace(outline, nodes=nodes, notes=(*outline.notes, *self.notes))

    def _request(self, step: str, prompt: object, tokens: int) -> Request:
        again = f"/{self.attempt}" if self.attempt else ""
        return Request("outline", f"{step}{again}", prompt, tokens, 0.3)  # type: ignore[arg-type]

    async def _mount(self, outline: Outline, keys: Sequence[PaperKey], material: Material) -> list[Hint]:
        prompt = fill(
            "surveyx/mount",
            topic=data(self.topic),
            outline=outline_text(outline),
            papers=material.notes(keys, GIST_FIELDS),
        )
        answer = await self.model.answer_typed(
            self._request(f"mount/{keys[0]}", prompt, 160 * len(keys) + 512), MountAnswer
        )
        return [Hint(PaperKey(h.key), h.section.strip(" ."), " ".join(h.hint.split())) for h in answer.hints]

    async def _divide(self, outline: Outline, place: str, hints: Sequence[Hint]) -> tuple[OutlineNode, ...]:
        shown = hints[:HINTS_SHOWN]
        node = outline.nodes[int(place) - 1]
        prompt = fill(
            "surveyx/divide",
            topic=data(self.topic),
            outline=outline_text(outline),
            section=f"{place} {data(node.title)}",
            hints="\n".join(f"{i}. {data(hint.text)}" for i, hint in enumerate(shown, start=1)),
        )
        request = self._request(f"divide/{node.title}", prompt, 1_536 + 8 * len(shown))
        answer = await self.model.answer_typed(request, DivideAnswer)
        return await asyncio.to_thread(self._parts, answer, shown)

    def _parts(self, answer: DivideAnswer, hints: Sequence[Hint]) -> tuple[OutlineNode, ...]:
        """Each hint with the first subsection that names it, or with the one it is closest to."""
        titles = [" ".join(part.title.split()) for part in answer.subsections]
        belongs: dict[int, int] = {}
        for at, part in enumerate(answer.subsections):
            for number in part.hints:
                if 1 <= number <= len(hints):
                    belongs.setdefault(number - 1, at)
        homeless = [i for i in range(len(hints)) if i not in belongs]
        if homeless:
            about = self.embedder.embed(
                [f"{t}. {p.description}" for t, p in zip(titles, answer.subsections, strict=True)]
            )
            near = self.embedder.embed([hints[i].text for i in homeless]) @ about.T
            belongs.update({i: int(np.argmax(row)) for i, row in zip(homeless, near, strict=True)})
        parts = []
        for at, (title, part) in enumerate(zip(titles, answer.subsections, strict=True)):
            own = [hints[i] for i in sorted(belongs) if belongs[i] == at]
            keys = tuple(dict.fromkeys(hint.key for hint in own))[: self.limits.papers_per_node]
            parts.append(OutlineNode(title, part.description, keys, hint_papers=tuple(hint.key for hint in own)))
        return tuple(parts)


def merge_same(headings: Sequence[Heading], embedder: Embedder) -> list[Heading]:
    """Headings without those that repeat an earlier one: the same letters, or near it and in its terms.

    The one that stays takes over the papers and hints of those that go.
    """
    titles = [heading.node.title for heading in headings]
    vectors = embedder.embed(titles)
    kept: list[int] = []
    merged: dict[int, OutlineNode] = {}
    for i, heading in enumerate(headings):
        same = next(
            (
                j
                for j in kept
                if fold(titles[j]) == fold(titles[i])
                or (float(vectors[i] @ vectors[j]) >= SAME_HEADING and _share_terms(titles[i], titles[j]))
            ),
            None,
        )
        if same is None:
            kept.append(i)
            merged[i] = heading.node
        else:
            merged[same] = _join(merged[same], heading.node)
    return [replace(headings[i], node=merged[i]) for i in kept]


def _share_terms(one: str, other: str) -> bool:
    first, second = set(terms(one)), set(terms(other))
    return len(first & second) >= SHARED_TERMS * max(len(first), len(second))


def place_headings(outline: Outline, headings: Sequence[Heading], answer: ReorganiseAnswer) -> Outline:
    """Every heading once: where the answer puts it first, as part of the one it repeats, else where it was.

    A section that had subsections keeps at least one; where there are too few it becomes one part with all its papers.
    Numbers of headings count from 1.
    """
    nodes: Mapping[int, OutlineNode] = {i: heading.node for i, heading in enumerate(headings, start=1)}
    survivors = dict(nodes)
    repeats = {r.heading: r.same_as for r in answer.repeated if r.heading != r.same_as}
    for heading, same_as in repeats.items():
        if heading in survivors and same_as in survivors and same_as not in repeats:
            survivors[same_as] = _join(survivors[same_as], survivors.pop(heading))
    open_sections = {i for i, node in enumerate(outline.nodes) if node.children}
    places: dict[int, list[int]] = {section: [] for section in open_sections}
    placed: set[int] = set()
    for filled in answer.sections:
        section = int(filled.section) - 1 if filled.section.strip().isdigit() else -1
        for number in filled.headings:
            if section in open_sections and number in survivors and number not in placed:
                places[section].append(number)
                placed.add(number)
    for number in survivors:
        if number not in placed:
            places[headings[number - 1].section].append(number)
    for section in open_sections:
        if not places[section]:
            _give_back(section, headings, places, survivors)
    return replace(
        outline,
        nodes=tuple(
            _refill(node, [survivors[n] for n in places[i]]) if i in open_sections else node
            for i, node in enumerate(outline.nodes)
        ),
    )


def _refill(node: OutlineNode, children: Sequence[OutlineNode]) -> OutlineNode:
    if children:
        return replace(node, children=tuple(children))
    return replace(node, children=(), papers=node.all_papers(), hint_papers=node.all_hints())


def _give_back(
    section: int, headings: Sequence[Heading], places: dict[int, list[int]], survivors: Mapping[int, OutlineNode]
) -> None:
    """Its own first subsection to a section left without any, or one of the section that has most."""
    own = [i for i, heading in enumerate(headings, start=1) if heading.section == section and i in survivors]
    fullest = max(places, key=lambda s: len(places[s]))
    for number in (*own, *places[fullest][-1:]):
        home = next(place for place, numbers in places.items() if number in numbers)
        if len(places[home]) > 1:
            places[home].remove(number)
            places[section].append(number)
            return


def _join(first: OutlineNode, second: OutlineNode) -> OutlineNode:
    papers = tuple(dict.fromkeys((*first.papers, *second.papers)))
    return replace(first, papers=papers, hint_papers=(*first.hint_papers, *second.hint_papers))


def _with_roles(title: str, nodes: Sequence[OutlineNode]) -> Outline:
    """The first section introduces, the last concludes; neither has subsections."""
    ends = {0: "introduction", len(nodes) - 1: "conclusion"}
    return Outline(
        title,
        tuple(
            replace(node, role=ends[i], children=()) if i in ends else node  # type: ignore[arg-type]
            for i, node in enumerate(nodes)
        ),
        "SurveyX",
    )


def _list_offered(papers: Sequence[Paper]) -> str:
    return (
        f"These are papers of the field:\n<papers>\n{paper_block(papers, PLANNED_TOKENS)}\n</papers>" if papers else ""
    )
