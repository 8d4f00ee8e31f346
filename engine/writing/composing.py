"""Writes all subsections of an outline with a language model, without waiting where the data do not need it.

A subsection is checked as soon as it is drafted, and connected as soon as its neighbours are there. What fails
is reported and left out; the rest is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel
from engine.run import Progress, RunContext
from engine.survey import Section, SurveyWarning
from engine.text import split_sentences
from engine.values import OutlineNode, Paper, PaperKey
from engine.writing.drafting import (
    Assignment,
    Draft,
    connect_neighbours,
    draft_subsection,
    mark_unchecked,
    verify_citations,
)


async def with_bodies(papers: Mapping[PaperKey, Paper], context: RunContext) -> dict[PaperKey, Paper]:
    """The papers, those whose full text can be had with the opening of its main body (AutoSurvey's drafting)."""
    if context.texts is None:
        return dict(papers)

    async def on_read(done: int, total: int) -> None:
        await context.progress(Progress("full texts", done, total))

    texts = await context.texts.read(list(papers.values()), context.limits.full_texts, on_read)
    return {key: replace(paper, body=texts[key].opening()) if key in texts else paper for key, paper in papers.items()}


@dataclass
class Composition:
    """One pass over an outline; ``warnings`` collects what a reader should know."""

    model: LanguageModel
    task: Assignment
    papers: Mapping[PaperKey, Paper]
    context: RunContext
    check: bool = True
    connect: bool = True
    warnings: list[SurveyWarning] = field(default_factory=list)
    _done: int = 0

    async def sections(self, finished: Mapping[int, Section]) -> dict[int, Section]:
        """Every section that could be written, by position; those ``finished`` are taken as they are."""
        wanted = [(i, top) for i, top in enumerate(self.task.outline.nodes) if i not in finished]
        parts = [leaf for _, top in wanted for leaf in leaves(top)]
        async with asyncio.TaskGroup() as group:
            checked = [group.create_task(self._prepare(part, len(parts))) for part in parts]
            ready = [group.create_task(self._connect(checked, at)) for at in range(len(parts))]
            by_leaf = dict(zip(map(id, parts), ready, strict=True))
            tops = [group.create_task(self._whole(i, top, by_leaf)) for i, top in wanted]
        made = {i: section for (i, _), task in zip(wanted, tops, strict=True) if (section := task.result())}
        return {**finished, **made}

    async def _prepare(self, node: OutlineNode, total: int) -> Draft | None:
        """Drafted and checked; ``None``, and a warning, where it could not be drafted."""
        own = [self.papers[k] for k in node.papers if k in self.papers][: self.context.limits.papers_per_node]
        try:
            draft = await draft_subsection(self.model, self.task, node, own)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", node.title, str(error)))
            return None
        try:
            draft = await verify_citations(self.model, draft) if self.check else mark_unchecked(draft)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", node.title, f"citations not checked: {error}"))
            draft = mark_unchecked(draft)
        self._done += 1
        await self.context.progress(Progress("writing", self._done, total, node.title))
        return draft

    async def _connect(self, checked: Sequence[asyncio.Task[Draft | None]], at: int) -> Draft | None:
        own = await checked[at]
        if own is None or not self.connect:
            return own
        before = await checked[at - 1] if at > 0 else None
        after = await checked[at + 1] if at + 1 < len(checked) else None
        try:
            return await connect_neighbours(self.model, own, _last(before), _first(after))
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", own.node.title, f"transitions not smoothed: {error}"))
            return own

    async def _whole(
        self, position: int, top: OutlineNode, ready: Mapping[int, asyncio.Task[Draft | None]]
    ) -> Section | None:
        drafts = {id(leaf): await ready[id(leaf)] for leaf in leaves(top)}
        self.warnings += [warning for draft in drafts.values() if draft for warning in draft.warnings]
        section = _section(top, drafts)
        if section and all(drafts.values()):
            await self.context.section_finished(section, position)
        return section


def leaves(node: OutlineNode) -> list[OutlineNode]:
    """The subsections below a node in order, or the node itself where it has none."""
    return [leaf for child in node.children for leaf in leaves(child)] if node.children else [node]


def _section(node: OutlineNode, drafts: Mapping[int, Draft | None]) -> Section | None:
    """The node's section with what is written of it; ``None`` where nothing is."""
    if not node.children:
        draft = drafts[id(node)]
        return Section(node.title, draft.text, draft.claims) if draft else None
    below = tuple(section for child in node.children if (section := _section(child, drafts)))
    return Section(node.title, node.description, sections=below) if below else None


def _last(draft: Draft | None) -> str:
    return split_sentences(draft.text)[-1][-1] if draft and draft.text else ""


def _first(draft: Draft | None) -> str:
    return split_sentences(draft.text)[0][0] if draft and draft.text else ""
