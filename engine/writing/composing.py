"""Writes all subsections of an outline with a language model, without waiting where the data do not need it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.checking.check import CheckedText, CheckTask, check_section
from engine.citations import list_cited_keys
from engine.errors import LanguageModelError, LimitExceeded, ScholiumError
from engine.llm.attempts import try_all, try_work
from engine.llm.model import LanguageModel
from engine.notes.taking import Question, describe_matrix, group_notes, take_notes
from engine.run import Progress, RunContext
from engine.session.kept_text import KeptPart, KeptText, leaves_of, position_of
from engine.survey import UNREVIEWED, Note, Section, SurveyWarning
from engine.values import FoundPaper, OutlineNode, Paper, PaperKey, Query
from engine.writing import drafting
from engine.writing.assembly import open_section
from engine.writing.critique import Edits, Reading, apply_edits, criticise, score_text, word_score
from engine.writing.drafting import ALL_STEPS, ENOUGH, Assignment, Draft, Material, Steps
from engine.writing.outer_parts import ABSTRACT, Framing


async def with_bodies(papers: Iterable[Paper], context: RunContext) -> dict[PaperKey, Paper]:
    """The papers, those whose full text can be had with the opening of its main body (AutoSurvey's drafting)."""
    known = {paper.key: paper for paper in papers}
    texts = await context.read_texts(list(known.values()))
    return {**known, **{key: replace(known[key], body=text.take_opening()) for key, text in texts.items()}}


MOST_TITLES, NEAREST_TITLES = 20, 3
"""Titles of one draft that are looked for in the library, and papers that each finds."""


def _expect() -> asyncio.Future[Draft | None]:
    return asyncio.get_running_loop().create_future()


@dataclass
class _Part:
    """A part of the outline: what is there of it already, what it is written from, and what others wait for."""

    place: str
    node: OutlineNode
    kept: KeptPart | None
    drafted: asyncio.Future[Draft | None] = field(default_factory=_expect)
    """Its draft before the check; ``None`` where there is none."""
    judged: asyncio.Future[Draft | None] = field(default_factory=_expect)
    """The part as it holds when its claims were judged once: what is reworded may still come back."""


@dataclass
class Composition:
    """One pass over an outline; ``warnings`` collects what a reader should know."""

    task: Assignment
    papers: Mapping[PaperKey, Paper]
    context: RunContext
    steps: Steps = ALL_STEPS
    rework: Callable[[Draft], Awaitable[Draft]] | None = None
    """What a recipe does to a draft before it is checked."""
    warnings: list[SurveyWarning] = field(default_factory=list)
    abstract: Draft | None = None
    judged: list[tuple[str, str]] = field(default_factory=list)
    """What each judge gave the body before it was refined and after, as facts of the survey."""
    known: dict[PaperKey, FoundPaper] = field(default_factory=dict)
    """Papers that no search for the topic had proposed, among them those found by titles that the model wrote."""
    notes: dict[str, tuple[Note, ...]] = field(default_factory=dict)
    """What was noted for each part, by its number."""
    _done: int = 0
    _parts: list[_Part] = field(default_factory=list)

    @property
    def model(self) -> LanguageModel:
        """Whoever writes and checks; raises `UserError` where no language model is configured."""
        return self.context.require_model()

    async def write(self, kept: KeptText) -> dict[int, Section]:
        """Every section that could be written, by position; whole sections that are ``kept`` are taken as they are."""
        finished, parts = dict(kept.sections), {part.place: part for part in kept.parts}
        nodes, there = self.task.outline.nodes, finished.keys() | self._outer_nodes().keys()
        due = [(i, top) for i, top in enumerate(nodes) if i not in there]
        leaves = [(place, node) for place, node in leaves_of(nodes) if position_of(place) not in there]
        self._parts = [_Part(place, node, parts.get(place)) for place, node in leaves]
        async with asyncio.TaskGroup() as group:
            tasks = {part.place: group.create_task(self._write(part)) for part in self._parts}
            for i, top in due:
                group.create_task(self._show(i, top, tasks))
            judged = {part.place: draft for part in self._parts if (draft := await part.judged) and draft.text}
            fresh = [part.place for part in self._parts if not part.kept]
            reviewing = group.create_task(self._review({place: judged[place] for place in fresh if place in judged}))
            framing = group.create_task(self._write_frame({**finished, **_list_sections(due, judged)}))
        drafts = {place: draft for place, task in tasks.items() if (draft := task.result())}
        body = {**finished, **_list_sections(due, drafts)}
        new = {place: drafts[place] for place in fresh if place in drafts}
        reviewed = {**drafts, **await self._refine(new, *reviewing.result())}
        self.warnings += [warning for draft in reviewed.values() for warning in draft.warnings]
        made = _list_sections(due, reviewed)
        for i in made:
            if made[i] != body[i]:
                await self.context.section_finished(made[i], i)
        return {**body, **made, **framing.result()}

    def list_notes(self) -> tuple[Note, ...]:
        """All notes, each once, in the outline's order."""
        return tuple(dict.fromkeys(note for place in self._titles() for note in self.notes.get(place, ())))

    def _outer_nodes(self) -> dict[int, OutlineNode]:
        tops = enumerate(self.task.outline.nodes)
        return {i: top for i, top in tops if top.role != "body" and not top.children}

    async def _write_frame(self, body: Mapping[int, Section]) -> dict[int, Section]:
        """Introduction and conclusion, written like the abstract from the body and the matrix, and read against it."""
        around = self._outer_nodes()
        inside = [body[i] for i in sorted(body) if i not in around]
        if not inside or not around or not self.steps.frame:
            return {}
        framing = Framing(self.model, self.task, inside, self.papers, describe_matrix(self.notes, self._titles()))
        reading = self._reading("frame", "\n".join(framing.list_findings()))
        due = [(i, top) for i, top in around.items() if i not in body]
        parts = [_Part(f"{i + 1}", top, None) for i, top in due]
        parts.append(_Part("abstract", ABSTRACT, None))
        async with asyncio.TaskGroup() as group:
            writing = [group.create_task(self._settle(part, self._write_outer(framing, part))) for part in parts]
            judged = {part.place: draft for part in parts if (draft := await part.judged)}
            reviewing = group.create_task(self._criticise(judged, reading))
        written = {part.place: draft for part, task in zip(parts, writing, strict=True) if (draft := task.result())}
        drafts = await apply_edits(self.model, reading, written, reviewing.result())
        self.warnings += [warning for draft in drafts.values() for warning in draft.warnings]
        self.abstract = drafts.pop("abstract", None)
        framed = _list_sections(due, drafts)
        for i, section in framed.items():
            await self.context.section_finished(section, i)
        return framed

    async def _write_outer(self, framing: Framing, part: _Part) -> Draft:
        return await self._check(await framing.draft(part.node), part=part)

    async def _settle(self, part: _Part, writing: Coroutine[Any, Any, Draft]) -> Draft | None:
        """The draft, if anything of it holds, else a warning; whoever waits for the part hears of it."""
        draft = None
        try:
            written = await try_work(writing)
            if isinstance(written, ScholiumError):
                self._note_unfinished(part.node.title, written)
            elif written.text:
                draft = written
            else:
                said = (warning.detail for warning in written.warnings if warning.kind == "unfinished")
                self._note_unfinished(part.node.title, "; ".join(("no claim of it holds", *said)))
        finally:
            for waited_for in (part.drafted, part.judged):
                if not waited_for.done():
                    waited_for.set_result(draft)
        return draft

    def _titles(self) -> dict[str, str]:
        return {number: node.title for number, node in leaves_of(self.task.outline.nodes)}

    def _note_unfinished(self, place: str, why: object) -> None:
        self.warnings.append(SurveyWarning("unfinished", place, str(why)))

    async def _write(self, part: _Part) -> Draft | None:
        """What stays of the part, or its checked draft; ``None``, and a warning, where there is neither."""
        stays = _draft_of(part.node, part.kept.section, self.papers) if part.kept else None
        if part.kept and part.kept.is_checked:
            part.drafted.set_result(stays)
            part.judged.set_result(stays)
            return stays
        draft = await self._settle(part, self._check(stays) if stays else self._write_new(part))
        if draft:
            self._done += 1
            await self.context.progress(Progress("writing", self._done, len(self._parts), part.node.title))
        return draft

    async def _write_new(self, part: _Part) -> Draft:
        """The part from its notes: drafted, reworked where the recipe does that, checked, and long enough."""
        material = await self._prepare(part)
        if self.steps.in_turn:  # each sees the section's parts before it, as soon as they are drafted
            before = itertools.takewhile(lambda other: other is not part, self._parts)
            own = [other for other in before if position_of(other.place) == position_of(part.place)]
            drafts = [draft for other in own if (draft := await other.drafted)]
            material = replace(material, before={draft.node.title: draft.text for draft in drafts})
        find = self._find_titles if self.task.cite_known else None
        draft = await drafting.draft_subsection(self.model, self.task, material, list(self.papers.values()), find)
        part.drafted.set_result(draft)
        checked = await self._check(await self.rework(draft) if self.rework else draft, part=part)
        return await self._complete(checked, material) if checked.text else checked

    async def _prepare(self, part: _Part) -> Material:
        """The part's papers, and the notes of those that say most to it; without notes where none can be had."""
        known = [self.papers[key] for key in part.node.papers if key in self.papers]
        own = [paper for paper in known if paper.content or paper.body][: self.context.limits.papers_per_node]
        if not (self.steps.notes and own):
            return Material(part.node, tuple(own))
        trees = await self.context.forest.get([paper.key for paper in own])
        question = Question(self.task.topic, part.place, part.node, self.task.words)
        try:
            notes = await take_notes(self.model, question, own, trees)
        except LanguageModelError as error:
            self._note_unfinished(part.node.title, f"no notes were taken: {error}")
            notes = ()
        if not notes:
            return Material(part.node, tuple(own[: question.most]))
        self.notes[part.place] = notes
        noted = group_notes(notes)
        return Material(part.node, tuple(paper for paper in own if paper.key in noted), notes)

    async def _find_titles(self, titles: Sequence[str]) -> Sequence[Paper]:
        """Papers of the library whose titles are nearest to those that the model wrote; they become the survey's."""
        for title in titles[:MOST_TITLES]:
            found = await self.context.library.search(Query(title, NEAREST_TITLES, "title"))
            self.known.update(
                (item.paper.key, FoundPaper(item.paper, 0.0)) for item in found if item.paper.key not in self.papers
            )
        return [item.paper for key, item in self.known.items() if key not in self.papers]

    async def _check(self, draft: Draft, step: str = "", part: _Part | None = None) -> Draft:
        """The checked draft; what holds of it at first is the ``part`` as it is judged."""
        if not self.steps.check:
            return drafting.mark_unchecked(draft)

        def on_judged(found: CheckedText) -> None:
            if part:
                part.judged.set_result(drafting.with_check(draft, found))

        shared = (self.task.topic, step, tuple(self.papers.values()), self.steps.words_stand)
        task = CheckTask(draft.node.title, draft.text, draft.papers, *shared)
        return drafting.with_check(draft, await check_section(self.model, task, on_judged))

    async def _complete(self, draft: Draft, material: Material) -> Draft:
        """The draft with what is missing of its words, asked for once and checked; one that stays short says so."""
        node, words = draft.node, drafting.count_words(draft.text)
        if words >= ENOUGH * self.task.words:
            return draft
        missing = self.task.words - words
        request = drafting.build_completion_request(self.task, material, draft.text, missing)
        why = "what else was written did not hold"
        try:
            added = drafting.read_draft(await self.model.text(request), node, material.papers)
            more = await self._check(drafting.hold_length(added, missing), f"{node.title}/completed")
        except (LanguageModelError, LimitExceeded) as error:
            why = str(error)
        else:
            draft = drafting.join_drafts(draft, more) if list_cited_keys(more.text) else draft
        if (words := drafting.count_words(draft.text)) >= ENOUGH * self.task.words:
            return draft
        said = SurveyWarning("length", node.title, f"{words:,} of {self.task.words:,} words: {why}")
        return replace(draft, warnings=(*draft.warnings, said))

    async def _show(self, position: int, top: OutlineNode, tasks: Mapping[str, asyncio.Task[Draft | None]]) -> None:
        drafts = {place: await task for place, task in tasks.items() if position_of(place) == position}
        if all(drafts.values()) and (section := _section(top, f"{position + 1}", drafts)):
            await self.context.section_finished(section, position)

    async def _review(self, drafts: Mapping[str, Draft]) -> tuple[Edits, Mapping[str, str]]:
        """What a reviewer asks for, or the judges where there are any, who score the body as well."""
        before = await self._score(drafts, "before")
        return await self._criticise(drafts, self._reading("body"), self.steps.judges), before

    async def _refine(self, drafts: Mapping[str, Draft], edits: Edits, before: Mapping[str, str]) -> dict[str, Draft]:
        """The body with the edits that hold; who scored it ``before`` does so again."""
        if edits:
            await self.context.progress(Progress("reviewing"))
        refined = await apply_edits(self.model, self._reading("body"), drafts, edits)
        after = await self._score(refined, "after") if before else {}
        what = "Coverage/structure/relevance before and after refinement"
        self.judged += [(f"{what}, {judge}", f"{before[judge]}, {after[judge]}") for judge in before]
        return refined

    async def _score(self, drafts: Mapping[str, Draft], when: str) -> dict[str, str]:
        """What each judge gives the parts: ``4/5/4``."""
        text = "\n\n".join(f"{place} {draft.node.title}\n{draft.text}" for place, draft in drafts.items())
        step = f"judge/{when}/{self.task.trial}"
        judges = self.steps.judges if self._is_reviewed(drafts) else ()
        given = await try_all(score_text(self.model, self.task.topic, text, f"{step}/{one}", one) for one in judges)
        return dict(zip(judges, map(word_score, given), strict=True))

    def _is_reviewed(self, drafts: Mapping[str, Draft]) -> bool:
        return self.steps.review and self.steps.check and bool(drafts)

    def _reading(self, step: str, others: str = "") -> Reading:
        matrix, gathered = describe_matrix(self.notes, self._titles()), tuple(self.papers.values())
        return Reading(self.task.topic, matrix, f"{step}/{self.task.trial}", gathered, others)

    async def _criticise(self, drafts: Mapping[str, Draft], reading: Reading, judges: Sequence[str] = ()) -> Edits:
        """A reviewer's edits; none where they could not be had."""
        if not self._is_reviewed(drafts):
            return {}
        edits = await try_work(criticise(self.model, reading, drafts, judges))
        if isinstance(edits, ScholiumError):
            self._note_unfinished(self.task.outline.title, f"{UNREVIEWED}: {edits}")
            return {}
        return edits


def _draft_of(node: OutlineNode, section: Section, papers: Mapping[PaperKey, Paper]) -> Draft:
    cited = {citation.key for claim in section.claims for citation in claim.citations}
    own = tuple(paper for key, paper in papers.items() if key in cited)
    return Draft(node, own, section.text, section.claims, tally=section.tally)


def _list_sections(tops: Sequence[tuple[int, OutlineNode]], drafts: Mapping[str, Draft]) -> dict[int, Section]:
    return {i: section for i, top in tops if (section := _section(top, f"{i + 1}", drafts))}


def _section(node: OutlineNode, place: str, drafts: Mapping[str, Draft | None]) -> Section | None:
    """The node's section with what is written of it; ``None`` where nothing is."""
    if not node.children:
        draft = drafts.get(place)
        return Section(node.title, draft.text, draft.claims, tally=draft.tally) if draft else None
    numbered = enumerate(node.children, start=1)
    below = tuple(section for i, child in numbered if (section := _section(child, f"{place}.{i}", drafts)))
    return open_section(node.title, below) if below else None
