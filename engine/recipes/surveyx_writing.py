"""SurveyX's main body and its RAG rewriting (3.2.2, 3.2.3).

The subsections of a section are drafted one after the other, each seeing those before it; sections do not wait for
one another. A drafted subsection is rewritten by edits against what its paragraphs find in the forest, and checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.checking.sentence_state import LostClaim
from engine.citations import keep_allowed_citations, list_cited_keys, replace_citations
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.reading.forests import Forest
from engine.recipes.surveyx_material import GIST_FIELDS, Hint, Material
from engine.recipes.surveyx_parts import (
    Subsection,
    digest_sections,
    keep_subsection,
    number_sentences,
    remove_all_citations,
    take_first,
    take_last,
)
from engine.run import Progress, RunContext
from engine.session.kept_text import leaves_of
from engine.survey import UNCHECKED, UNREWRITTEN, Section, SurveyWarning, walk
from engine.text import join_sentences, split_sentences
from engine.values import OutlineNode, PaperKey, walk_outline
from engine.writing.assembly import open_section
from engine.writing.drafting import (
    Assignment,
    Draft,
    DraftTask,
    fewest_cited,
    mark_unchecked,
    outline_text,
    verify_citations,
    word_problem,
    write_draft,
)
from engine.writing.lengthening import Lengthening
from engine.writing.lost_claims import write_again_if_lost

QUOTE_TOKENS = 120
"""Longest quotation of a paper behind a hint."""

FOUND_EACH = 3
"""Papers that a paragraph finds in the forest (SurveyX's code takes two to five)."""

FOUND_MOST = 12
"""Papers found for one subsection."""

FRAME_TASKS = {
    "introduction": "It says why the topic matters, what the survey covers and what not, how it divides the field and "
    "why so, and leads through its sections by their numbers.",
    "conclusion": "It says what the sections have found when they are read together: what is settled, where the works "
    "disagree, and which open questions they leave.",
}
"""What the two sections that frame a survey are for."""


class SentenceEdit(TypedAnswer):
    """A sentence as it should be; empty where it should go."""

    sentence: int
    text: str


class RewriteAnswer(TypedAnswer):
    """The sentences that change."""

    edits: list[SentenceEdit]


@dataclass
class CitationChanges:
    """What rewriting did to the citations of a survey."""

    removed: int = 0
    added: int = 0
    reworded: int = 0


_WriteAgain = Callable[[Sequence[LostClaim]], Awaitable[Subsection | None]]
"""What the check took out of a part → the part written anew."""


@dataclass
class SectionWriter:
    """Writes the sections of one trial; ``warnings`` and ``changes`` collect what a reader should know.

    Without ``rewrite`` (an ablation) drafts are checked as they are.
    """

    model: LanguageModel
    task: Assignment
    material: Material
    forest: Forest
    context: RunContext
    rewrite: bool = True
    warnings: list[SurveyWarning] = field(default_factory=list)
    changes: CitationChanges = field(default_factory=CitationChanges)
    total: int = 0
    _done: int = 0

    async def sections(
        self, hints: Mapping[str, Sequence[Hint]], finished: Mapping[int, Section]
    ) -> dict[int, Section]:
        """Every section that could be written, by position from 0; those ``finished`` are taken as they are."""
        nodes = self.task.outline.nodes
        self.total = sum(not node.children for _, node in walk_outline(nodes))
        due = [i for i in range(len(nodes)) if i not in finished]
        body = await self._write_all([i for i in due if nodes[i].role == "body"], hints, {})
        # What frames the survey is written from what stands in it.
        written = {i: section for i, section in {**finished, **body}.items() if nodes[i].role == "body"}
        written = await self._lengthen(written, finished)
        frame = await self._write_all([i for i in due if nodes[i].role != "body"], {}, written)
        return dict(sorted({**finished, **written, **frame}.items()))

    async def _lengthen(self, body: Mapping[int, Section], finished: Mapping[int, Section]) -> dict[int, Section]:
        papers = {key: self.material.evidence(key) for key in self.material.papers}
        writing = Lengthening(self.model, self.task, papers, self.context)
        longer = await writing.lengthen(body, finished)
        self.warnings += writing.warnings
        return longer

    async def _write_all(
        self, positions: Sequence[int], hints: Mapping[str, Sequence[Hint]], written: Mapping[int, Section]
    ) -> dict[int, Section]:
        async with asyncio.TaskGroup() as tasks:
            made = {i: tasks.create_task(self._write(i, hints, written)) for i in positions}
        return {i: section for i, task in made.items() if (section := task.result())}

    async def _write(
        self, position: int, hints: Mapping[str, Sequence[Hint]], written: Mapping[int, Section]
    ) -> Section | None:
        top = self.task.outline.nodes[position]
        number = str(position + 1)
        section = await (self._frame(top, number, written) if written else self.section(top, number, hints))
        if section and len(list(walk((section,)))) == len(list(walk_outline((top,)))):
            await self.context.section_finished(section, position)
        return section

    async def _frame(self, node: OutlineNode, number: str, written: Mapping[int, Section]) -> Section | None:
        """The introduction or the conclusion, from how the finished sections begin and end."""
        gist, keys = digest_sections(written)

        def request(attempt: int, problem: str) -> Request:
            prompt = fill(
                "surveyx/frame",
                topic=data(self.task.topic),
                outline=outline_text(self.task.outline),
                sections=data(gist),
                papers=self.material.notes(keys, GIST_FIELDS),
                title=data(node.title),
                task=FRAME_TASKS[node.role],
                words=str(self.task.words),
                problem=word_problem(problem),
            )
            step = f"frame/{self.task.trial}/{node.title}" + (f"/again {attempt}" if attempt else "")
            return Request("drafting", step, prompt, max(1_024, self.task.words * 3), 1.0)

        async def write(lost: Sequence[LostClaim] | None = None) -> Subsection | None:
            text = await self._write_text(self._task_of(node, keys, 1, request), lost)
            return Subsection(number, node, text, keys) if text else None

        part = await write()
        return await self._check(part, write) if part else None

    async def section(self, top: OutlineNode, number: str, hints: Mapping[str, Sequence[Hint]]) -> Section | None:
        """The section with its subsections; ``None`` where nothing of it could be written."""
        parts = [(f"{number}{place[1:]}", node) for place, node in leaves_of((top,))]
        drafts: list[Subsection | None] = []
        async with asyncio.TaskGroup() as tasks:
            finished: list[asyncio.Task[Section | None]] = []
            for place, node in parts:
                kept = self.context.kept.get(place)
                own = keep_subsection(place, node, kept.section) if kept else None
                drafts.append(own or await self._draft(place, node, hints.get(place, ()), drafts))
                if len(drafts) > 1:
                    finished.append(tasks.create_task(self._finish(drafts, len(drafts) - 2, hints)))
            finished.append(tasks.create_task(self._finish(drafts, len(drafts) - 1, hints)))
        written = {place: task.result() for (place, _), task in zip(parts, finished, strict=True)}
        return _assemble(top, number, written)

    async def _draft(
        self,
        place: str,
        node: OutlineNode,
        hints: Sequence[Hint],
        before: Sequence[Subsection | None],
        lost: Sequence[LostClaim] | None = None,
    ) -> Subsection | None:
        """The subsection from its hints; ``None``, and a warning, where it could not be drafted."""
        keys = tuple(dict.fromkeys(hint.key for hint in hints))
        least = fewest_cited(self.task.words, len(keys))

        def request(attempt: int, problem: str) -> Request:
            return self._draft_request(node, hints, before, least, attempt, problem)

        text = await self._write_text(self._task_of(node, keys, least, request), lost)
        fields = frozenset(name for hint in hints for name in hint.fields)
        return Subsection(place, node, text, keys, fields) if text else None

    def _task_of(
        self, node: OutlineNode, keys: Sequence[PaperKey], least: int, request: Callable[[int, str], Request]
    ) -> DraftTask:
        papers = tuple(self.material.evidence(key) for key in keys)
        return DraftTask(node, papers, self.task.words, least, request)

    async def _write_text(self, task: DraftTask, lost: Sequence[LostClaim] | None) -> str:
        """A draft that is long enough and cites its papers; empty, and a warning, where none could be had."""
        try:
            draft = await write_draft(self.model, task, lost=lost)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", task.node.title, str(error)))
            return ""
        self.warnings += draft.warnings
        return draft.text

    def _draft_request(
        self,
        node: OutlineNode,
        hints: Sequence[Hint],
        before: Sequence[Subsection | None],
        least: int,
        attempt: int,
        problem: str,
    ) -> Request:
        # Citations of other subsections are taken out: their papers are not this one's to cite.
        said = [f"{data(b.node.title)}\n{data(remove_all_citations(b.text))}" for b in before if b]
        heard = (
            "Already written in this section:\n<before>\n{}\n</before>\n\n".format("\n\n".join(said)) if said else ""
        )
        topic = self.task.topic + (f" (written for {self.task.audience})" if self.task.audience else "")
        prompt = fill(
            "surveyx/draft",
            topic=data(topic),
            outline=outline_text(self.task.outline),
            before=heard,
            title=data(node.title),
            description=data(node.description or node.title),
            hints=self.material.quote_hinted(hints, QUOTE_TOKENS),
            words=str(self.task.words),
            least=str(least),
            problem=word_problem(problem),
        )
        step = f"draft/{self.task.trial}/{node.title}" + (f"/again {attempt}" if attempt else "")
        return Request("drafting", step, prompt, max(1_024, self.task.words * 3), 1.0)

    async def _finish(
        self, drafts: Sequence[Subsection | None], at: int, hints: Mapping[str, Sequence[Hint]]
    ) -> Section | None:
        """The drafted subsection rewritten and checked."""
        draft = drafts[at]
        if draft is None:
            return None
        number, node = draft.number, draft.node
        kept = self.context.kept.get(number)
        if kept and kept.is_checked:
            return replace(kept.section, tables=(), figures=())  # they are made again from all sections
        before = drafts[at - 1] if at else None
        after = drafts[at + 1] if at + 1 < len(drafts) else None

        async def write(lost: Sequence[LostClaim]) -> Subsection | None:
            again = await self._draft(number, node, hints.get(number, ()), drafts[:at], lost)
            return await self._improve(again, before, after) if again else None

        part = draft if kept and kept.same_neighbours else await self._improve(draft, before, after)
        return await self._check(part, write)

    async def _improve(self, draft: Subsection, before: Subsection | None, after: Subsection | None) -> Subsection:
        """Rewritten, where that is wanted and possible."""
        if not self.rewrite:
            return draft
        try:
            return await self._rewrite(draft, before, after)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", draft.node.title, f"{UNREWRITTEN}: {error}"))
            return draft

    async def _check(self, part: Subsection, write: _WriteAgain) -> Section | None:
        """What holds of the part; nothing changes its words afterwards. ``None``, and a warning, where nothing does.

        One that loses too many of its claims is written once more, and the better of the two is taken.
        """

        async def verify_again(lost: Sequence[LostClaim]) -> Draft | None:
            again = await write(lost)
            return await self._verify(again) if again else None

        checked = await write_again_if_lost(await self._verify(part), verify_again)
        self.warnings += checked.warnings
        self._done += 1
        await self.context.progress(Progress("writing", self._done, self.total, part.node.title))
        if not checked.text:
            self.warnings.append(SurveyWarning("unfinished", part.node.title, "no sentence of it held"))
            return None
        return Section(part.node.title, checked.text, checked.claims, tally=checked.tally)

    async def _verify(self, part: Subsection) -> Draft:
        draft = Draft(part.node, tuple(self.material.evidence(key) for key in part.keys), part.text)
        try:
            return await verify_citations(self.model, draft, self.task.topic)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", part.node.title, f"{UNCHECKED}: {error}"))
            return mark_unchecked(draft)

    async def _rewrite(self, draft: Subsection, before: Subsection | None, after: Subsection | None) -> Subsection:
        """RAG rewriting: each paragraph asks the forest, the model returns edits, which are applied here."""
        cited = list_cited_keys(draft.text)
        found: dict[PaperKey, None] = {}
        everything = list(self.material.papers)
        for paragraph in draft.text.split("\n\n"):
            asked = replace_citations(paragraph, lambda _: "")
            near = await self.forest.search(asked, everything, FOUND_EACH + len(cited))
            new = [key for key in near if key not in cited][:FOUND_EACH]
            found.update(dict.fromkeys(new[: FOUND_MOST - len(found)]))
        lines = [sentence for paragraph in split_sentences(draft.text) for sentence in paragraph]
        prompt = fill(
            "surveyx/rewrite",
            before=data(take_last(before)) or "(this is the first of its section)",
            after=data(take_first(after)) or "(this is the last of its section)",
            sentences=number_sentences(draft.text),
            cited=self.material.notes(cited, GIST_FIELDS | draft.fields),
            found=self.material.notes(found, GIST_FIELDS) or "(none)",
        )
        request = Request(
            "checking", f"rewrite/{self.task.trial}/{draft.node.title}", prompt, 64 * len(lines) + 512, 0.3
        )
        answer = await self.model.answer_typed(request, RewriteAnswer)
        text = apply_edits(draft.text, answer.edits, {*draft.keys, *found}, self.changes)
        return replace(
            draft,
            text=text,
            keys=tuple(dict.fromkeys((*draft.keys, *(k for k in found if k in list_cited_keys(text))))),
        )


def apply_edits(
    text: str, edits: Sequence[SentenceEdit], allowed: Collection[PaperKey], changes: CitationChanges
) -> str:
    """The text with the edits, sentences counted from 1; keys that are not allowed go. ``changes`` is counted up."""
    wanted = {edit.sentence: " ".join(edit.text.split()) for edit in edits}
    number = 0
    paragraphs: list[list[str]] = []
    for paragraph in split_sentences(text):
        lines: list[str] = []
        for sentence in paragraph:
            number += 1
            new = keep_allowed_citations(wanted[number], allowed).text if number in wanted else sentence
            before, after = set(list_cited_keys(sentence)), set(list_cited_keys(new))
            changes.removed += len(before - after)
            changes.added += len(after - before)
            changes.reworded += replace_citations(new, lambda _: "") != replace_citations(sentence, lambda _: "")
            lines += [new] if new else []
        paragraphs.append(lines)
    return join_sentences(paragraphs)


def _assemble(node: OutlineNode, number: str, written: Mapping[str, Section | None]) -> Section | None:
    """The node's section of what is written of it; ``None`` where nothing is."""
    if not node.children:
        return written[number]
    below = [_assemble(child, f"{number}.{i}", written) for i, child in enumerate(node.children, start=1)]
    there = tuple(section for section in below if section)
    return open_section(node.title, there) if there else None
