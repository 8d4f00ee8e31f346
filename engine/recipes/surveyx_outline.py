"""SurveyX's outline (3.2.1): main sections, hints mounted on them, subsections from hints, all put in order once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.errors import LanguageModelError, ScholiumError
from engine.llm.attempts import try_all, try_work
from engine.llm.model import PlainText, TypedAnswer, WrittenKey
from engine.llm.prompting import data, paper_block
from engine.recipes.surveyx_material import GIST_FIELDS, Material
from engine.retrieval.embedding import Embedder
from engine.text import terms
from engine.values import Outline, OutlineNode, Paper, PaperKey
from engine.writing.assembly import supply_papers
from engine.writing.planning import Asking, DividedPlan, OutlineAnswer, PartsAnswer, Plan, divide_outline, outline_text

TEMPERATURE = 0.3
"""Of every request for the outline (SurveyX's code)."""

MOUNTED_AT_ONCE = 10
"""Papers whose hints one call writes."""

HINTS_SHOWN = 240
"""Hints of one section that are shown for dividing it."""

PLANNED_TOKENS = 150
"""What of an abstract is shown for the main sections."""

SAME_HEADING, SHARED_TERMS = 0.9, 0.5
"""Least cosine of two headings that say the same, and the least share of the terms of each that the other has: in a
library of few papers headings about different things are close."""


class Hint(TypedAnswer):
    """What a paper, by its key, offers to a section, by its number."""

    key: WrittenKey
    section: str
    hint: PlainText


class MountAnswer(TypedAnswer):
    """The hints of all papers asked about."""

    hints: list[Hint]


class HintedPart(Plan):
    """A subsection and the numbers of the hints it rests on."""

    hints: list[int]


class FilledSection(TypedAnswer):
    """A section and the numbers of its subsections in order."""

    section: str
    headings: list[int]


class ReorganiseAnswer(TypedAnswer):
    """Where each subsection goes."""

    sections: list[FilledSection]


Heading = tuple[int, OutlineNode]
"""A subsection taken out of its section, which is counted from 0."""


@dataclass(frozen=True)
class OutlineSteps(Asking):
    """The steps of one outline; ``notes`` collects what a person should know before approving it."""

    notes: list[str] = field(default_factory=list)

    async def draft_primary(self, sections: int, papers: Sequence[Paper]) -> Outline:
        """The main sections, from titles and abstracts of these papers, or from what the model knows."""
        shown = {"papers": _list_offered(papers), "sections": str(sections)}
        answer = await self.ask(OutlineAnswer[Plan], "primary", "surveyx/outline", 2_048, TEMPERATURE, **shown)
        return answer.outline("SurveyX")

    async def draft_whole(self, sections: int, papers: Sequence[Paper], everything: Sequence[Paper]) -> Outline:
        """Without outline optimisation: both levels in one answer, papers by closeness to the headings."""
        shown = {"papers": _list_offered(papers), "sections": str(sections)}
        kind = OutlineAnswer[DividedPlan[Plan]]
        answer = await self.ask(kind, "primary", "surveyx/whole_outline", 4_096, TEMPERATURE, **shown)
        outline = answer.outline("SurveyX", lambda section: map(Plan.node, section.subsections))
        return await supply_papers(outline, everything, self.context)

    async def mount_hints(self, outline: Outline, material: Material) -> list[Hint]:
        """Hints of every paper for the sections, each with its paper; what failed is noted."""
        keys = list(material.papers)
        groups = [keys[start : start + MOUNTED_AT_ONCE] for start in range(0, len(keys), MOUNTED_AT_ONCE)]
        came = await try_all(self._mount(outline, group, material) for group in groups)
        hints = [hint for some in came if isinstance(some, list) for hint in some]
        failures = [one for one in came if isinstance(one, ScholiumError)]
        if not hints:
            raise failures[0] if failures else LanguageModelError("No paper gave a hint.", retryable=True)
        if failures:
            lost = sum(len(group) for group, one in zip(groups, came, strict=True) if isinstance(one, ScholiumError))
            self.notes.append(f"{lost} papers could not be placed in the outline: {failures[0]}")
        return hints

    async def divide_sections(self, outline: Outline, hints: Sequence[Hint]) -> Outline:
        """Every section that takes hints with its subsections; one that could not be divided stays whole."""
        own = [[h for h in hints if h.section == str(i)] for i in range(1, len(outline.nodes) + 1)]
        held = replace(outline, nodes=tuple(map(self._hold, outline.nodes, own)))
        return await divide_outline(held, {at: self._divide(held, at, some) for at, some in enumerate(own) if some})

    async def reorganise(self, outline: Outline) -> Outline:
        """Separate, then reorganise: headings that say the same become one, every other is placed exactly once."""
        taken: list[Heading] = [(i, child) for i, node in enumerate(outline.nodes) for child in node.children]
        if len(taken) < 2:
            return outline
        headings = await asyncio.to_thread(merge_same, taken, self.context.embedder)
        bare = outline_text(replace(outline, nodes=tuple(replace(n, children=()) for n in outline.nodes)))
        listed = "\n".join(
            f"{i}. {data(node.title)} ({len(node.papers)}): {data(node.description)}"
            for i, (_, node) in enumerate(headings, start=1)
        )
        divided = ", ".join(str(i) for i, node in enumerate(outline.nodes, start=1) if node.children)
        shown = {"outline": bare, "headings": listed, "open": divided}
        asking = self.ask(ReorganiseAnswer, "reorganise", "surveyx/reorganise", 1_024, TEMPERATURE, **shown)
        answer = await try_work(asking)
        if isinstance(answer, ScholiumError):
            self.notes.append(f"Its subsections were not put in order once more: {answer}")
            answer = ReorganiseAnswer(sections=[])
        return place_headings(outline, headings, answer)

    async def _mount(self, outline: Outline, keys: Sequence[PaperKey], material: Material) -> list[Hint]:
        """Hints of these papers for the sections of the body; any other is left out."""
        places = {str(i) for i, node in enumerate(outline.nodes, start=1) if node.role == "body"}
        shown = {"outline": outline_text(outline), "papers": material.notes(keys, GIST_FIELDS)}
        step, tokens = f"mount/{keys[0]}", 160 * len(keys) + 512
        answer = await self.ask(MountAnswer, step, "surveyx/mount", tokens, TEMPERATURE, **shown)
        hints = [hint.model_copy(update={"section": hint.section.strip(" .")}) for hint in answer.hints]
        return [hint for hint in hints if hint.key in keys and hint.section in places]

    async def _divide(self, outline: Outline, at: int, hints: Sequence[Hint]) -> tuple[OutlineNode, ...]:
        hints, node = hints[:HINTS_SHOWN], outline.nodes[at]
        shown = {
            "outline": outline_text(outline),
            "section": f"{at + 1} {data(node.title)}",
            "hints": "\n".join(f"{i}. {data(' '.join(hint.hint.split()))}" for i, hint in enumerate(hints, start=1)),
        }
        step, kind = f"divide/{node.title}", PartsAnswer[HintedPart]
        answer = await self.ask(kind, step, "surveyx/divide", 1_536 + 8 * len(hints), TEMPERATURE, **shown)
        return await asyncio.to_thread(self._share_out, answer.subsections, hints)

    def _share_out(self, parts: Sequence[HintedPart], hints: Sequence[Hint]) -> tuple[OutlineNode, ...]:
        """Each hint with the first subsection that names it, or with the one it is closest to."""
        nodes = [part.node() for part in parts]
        belongs: dict[int, int] = {}
        for at, part in enumerate(parts):
            belongs = {**{n - 1: at for n in part.hints if 1 <= n <= len(hints)}, **belongs}
        homeless = [i for i in range(len(hints)) if i not in belongs]
        if homeless:
            vectors = self.context.embedder.embed([*(n.describe() for n in nodes), *(hints[i].hint for i in homeless)])
            near = vectors[len(nodes) :] @ vectors[: len(nodes)].T
            belongs.update(zip(homeless, near.argmax(axis=1).tolist(), strict=True))
        own = [[hints[i] for i in sorted(belongs) if belongs[i] == at] for at in range(len(nodes))]
        return tuple(map(self._hold, nodes, own))

    def _hold(self, node: OutlineNode, hints: Sequence[Hint]) -> OutlineNode:
        """The node with the papers of these hints."""
        keys = tuple(hint.key for hint in hints)
        papers = tuple(dict.fromkeys(keys))[: self.context.limits.papers_per_node]
        return replace(node, papers=papers, hint_papers=keys)


def merge_same(headings: Sequence[Heading], embedder: Embedder) -> list[Heading]:
    """Headings without those that repeat an earlier one: with the same terms, or near it and with enough of them."""
    vectors = embedder.embed([node.title for _, node in headings])
    said = [set(terms(node.title)) for _, node in headings]
    near = vectors @ vectors.T >= SAME_HEADING
    kept: dict[int, Heading] = {}
    for i, (section, node) in enumerate(headings):
        shared = {j: len(said[i] & said[j]) / max(1, len(said[i]), len(said[j])) for j in kept}
        same = next((j for j in kept if shared[j] == 1 or (near[i, j] and shared[j] >= SHARED_TERMS)), i)
        kept[same] = (kept[same][0], _join(kept[same][1], node)) if same in kept else (section, node)
    return list(kept.values())


def place_headings(outline: Outline, headings: Sequence[Heading], answer: ReorganiseAnswer) -> Outline:
    """Every heading once: where the answer puts it first, else where it was. Numbers of headings count from 1.

    A section whose subsections all went elsewhere becomes one part with its papers.
    """
    nodes = {i: node for i, (_, node) in enumerate(headings, start=1)}
    places: dict[int, list[OutlineNode]] = {i: [] for i, node in enumerate(outline.nodes) if node.children}
    for filled in answer.sections:
        section = int(filled.section) - 1 if filled.section.strip().isdecimal() else -1
        for number in filled.headings if section in places else ():
            if number in nodes:
                places[section].append(nodes.pop(number))
    for number, node in nodes.items():
        places[headings[number - 1][0]].append(node)
    tops = list(outline.nodes)
    for i, parts in places.items():
        top = tops[i]
        whole = replace(top, papers=top.all_papers(), hint_papers=top.all_hints())
        tops[i] = replace(top if parts else whole, children=tuple(parts))
    return replace(outline, nodes=tuple(tops))


def _join(first: OutlineNode, second: OutlineNode) -> OutlineNode:
    papers = tuple(dict.fromkeys((*first.papers, *second.papers)))
    return replace(first, papers=papers, hint_papers=(*first.hint_papers, *second.hint_papers))


def _list_offered(papers: Sequence[Paper]) -> str:
    block = paper_block(papers, PLANNED_TOKENS)
    return f"These are papers of the field:\n<papers>\n{block}\n</papers>" if papers else ""
