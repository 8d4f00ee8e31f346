"""Writes all subsections of an outline with a language model, without waiting where the data do not need it.

A subsection is connected as soon as its neighbours are drafted, and checked at once: the check has the last
word. What fails is reported and left out; the rest is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.checking.check import CheckedText, read_sources
from engine.checking.sentence_state import LostClaim
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel
from engine.run import Progress, RunContext
from engine.session.kept_text import KeptPart, leaves_of
from engine.survey import UNCONNECTED, Section, SurveyWarning, walk
from engine.values import OutlineNode, Paper, PaperKey, Query
from engine.writing.assembly import open_section
from engine.writing.drafting import (
    Assignment,
    Draft,
    OtherPapers,
    connect_neighbours,
    draft_subsection,
    mark_unchecked,
    verify_citations,
)
from engine.writing.lengthening import Lengthening
from engine.writing.lost_claims import write_again_if_lost
from engine.writing.outer_parts import Framing
from engine.writing.repetitions import remove_repeated
from engine.writing.transitions import Transitions, check_transitions, draft_of, place_transitions, reconnect


async def with_bodies(papers: Mapping[PaperKey, Paper], context: RunContext) -> dict[PaperKey, Paper]:
    """The papers, those whose full text can be had with the opening of its main body (AutoSurvey's drafting)."""
    if context.texts is None:
        return dict(papers)

    async def on_read(done: int, total: int) -> None:
        await context.progress(Progress("full texts", done, total))

    texts = await context.texts.read(list(papers.values()), context.limits.full_texts, on_read)
    return {
        key: replace(paper, body=texts[key].take_opening()) if key in texts else paper for key, paper in papers.items()
    }


MOST_TITLES, NEAREST_TITLES = 20, 3
"""Titles of one draft that are looked for in the library, and papers that each finds."""


SENDING_S = 1.0
"""Seconds in which the requests for all drafts leave."""

_Neighbour = asyncio.Task[Draft | None] | None
"""The draft before or after, as soon as it is there; ``None`` beyond the first and the last."""


@dataclass
class Composition:
    """One pass over an outline; ``warnings`` collects what a reader should know."""

    model: LanguageModel
    task: Assignment
    papers: Mapping[PaperKey, Paper]
    context: RunContext
    check: bool = True
    connect: bool = True
    frame: bool = True
    """Whether introduction, conclusion and abstract are written from the finished sections."""
    warnings: list[SurveyWarning] = field(default_factory=list)
    abstract: CheckedText | None = None
    known: dict[PaperKey, Paper] = field(default_factory=dict)
    """Papers of the library that titles found which the model wrote from what it knows."""
    _done: int = 0

    async def sections(self, finished: Mapping[int, Section]) -> dict[int, Section]:
        """Every section that could be written, by position; those ``finished`` are taken as they are."""
        return await self.write_frame(await self.write_body(finished))

    async def write_body(self, finished: Mapping[int, Section]) -> dict[int, Section]:
        """The sections between introduction and conclusion, by position, and those ``finished``."""
        around = self.outer_nodes()
        inside = [(i, top) for i, top in enumerate(self.task.outline.nodes) if i not in around]
        return await self._lengthen(await self._draft_body(inside, finished), finished)

    async def _draft_body(
        self, inside: Sequence[tuple[int, OutlineNode]], finished: Mapping[int, Section]
    ) -> dict[int, Section]:
        if not self.check:
            return await self._body(inside, finished)
        async with asyncio.TaskGroup() as group:
            body = group.create_task(self._body(inside, finished))
            reading = group.create_task(self._read_ahead(inside, finished))
            body.add_done_callback(lambda _: reading.cancel())
        return body.result()

    async def _read_ahead(self, tops: Sequence[tuple[int, OutlineNode]], finished: Mapping[int, Section]) -> None:
        """Read the papers while the model writes, once its requests have left: a busy thread would hold them up."""
        await asyncio.sleep(SENDING_S)
        await asyncio.to_thread(read_sources, self._papers_to_draft(tops, finished), self.task.topic)

    async def _lengthen(self, body: dict[int, Section], finished: Mapping[int, Section]) -> dict[int, Section]:
        """The body as long as it is to be at least, where what was not there before can be written on."""
        writing = Lengthening(self.model, self.task, self.papers, self.context, self.check)
        longer = await writing.lengthen(body, finished)
        self.warnings += writing.warnings
        return longer

    def _papers_to_draft(self, tops: Sequence[tuple[int, OutlineNode]], finished: Mapping[int, Section]) -> list[Paper]:
        """The papers of the parts that are drafted, each once: while the model writes there is time to read them."""
        due = (node for i, number, node in _parts(tops) if not self._find_kept(number, i, finished))
        keys = dict.fromkeys(key for node in due for key in node.papers[: self.context.limits.papers_per_node])
        return [self.papers[key] for key in keys if key in self.papers]

    def outer_nodes(self) -> dict[int, OutlineNode]:
        """Introduction and conclusion, by position."""
        tops = enumerate(self.task.outline.nodes)
        return {i: top for i, top in tops if top.role != "body" and not top.children}

    async def write_frame(self, body: Mapping[int, Section]) -> dict[int, Section]:
        """The ``body`` with introduction and conclusion, written like the abstract from its text."""
        around = self.outer_nodes()
        inside = [body[i] for i in sorted(body) if i not in around]
        if not inside or not self.frame:
            return dict(body)
        framing = Framing(self.model, self.task, inside, self.papers, self.check)
        async with asyncio.TaskGroup() as group:
            parts = [group.create_task(self._frame(framing, i, top)) for i, top in around.items() if i not in body]
            abstract = group.create_task(self._abstract(framing)) if around else None
        self.abstract = abstract.result() if abstract else None
        return {**body, **{i: section for part in parts for i, section in part.result().items()}}

    async def _frame(self, framing: Framing, position: int, node: OutlineNode) -> dict[int, Section]:
        try:
            section, warnings = await framing.write_part(node)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", node.title, str(error)))
            return {}
        self.warnings += warnings
        await self.context.section_finished(section, position)
        return {position: section}

    async def _abstract(self, framing: Framing) -> CheckedText | None:
        try:
            abstract = await framing.write_abstract()
            self.warnings += abstract.warnings
            return abstract
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", "abstract", str(error)))
            return None

    async def _body(
        self, tops: Sequence[tuple[int, OutlineNode]], finished: Mapping[int, Section]
    ) -> dict[int, Section]:
        """All sections but introduction and conclusion; the ``finished`` ones are neighbours of the others."""
        wanted = [(i, top) for i, top in tops if i not in finished]
        parts = [_Part(node, self._find_kept(number, i, finished), i in finished) for i, number, node in _parts(tops)]
        async with asyncio.TaskGroup() as group:
            drafts = [group.create_task(self._begin(part)) for part in parts]
            ready = [group.create_task(self._finish(parts, drafts, at)) for at in range(len(parts))]
            distinct: list[asyncio.Task[Draft | None]] = []
            for part, checked in zip(parts, ready, strict=True):
                distinct.append(group.create_task(self._say_once(part, checked, tuple(distinct))))
            by_leaf = {id(part.node): task for part, task in zip(parts, distinct, strict=True)}
            sections = [group.create_task(self._whole(i, top, by_leaf)) for i, top in wanted]
        made = {i: section for (i, _), task in zip(wanted, sections, strict=True) if (section := task.result())}
        return {**finished, **made}

    def _find_kept(self, number: str, position: int, finished: Mapping[int, Section]) -> KeptPart | None:
        """What is there of that part already."""
        if position not in finished:
            return self.context.kept.get(number)
        written = {f"{position + 1}{n[1:]}": section for n, section in walk((finished[position],))}
        return KeptPart(number, written[number], same_neighbours=True) if number in written else None

    async def _begin(self, part: _Part) -> Draft | None:
        """What stays of the part, or its draft."""
        if part.kept:
            return draft_of(part.node, part.kept.section, tuple(self.papers.values()))
        return None if part.is_finished else await self._draft(part.node)

    async def _draft(self, node: OutlineNode, lost: Sequence[LostClaim] | None = None) -> Draft | None:
        """``None``, and a warning, where it could not be drafted; ``lost`` is what an earlier one lost in the check."""
        own = [self.papers[k] for k in node.papers if k in self.papers][: self.context.limits.papers_per_node]
        try:
            others = OtherPapers(list(self.papers.values()), self._find_titles if self.task.cite_known else None)
            return await draft_subsection(self.model, self.task, node, own, others, lost)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", node.title, str(error)))
            return None

    async def _find_titles(self, titles: Sequence[str]) -> Sequence[Paper]:
        """Papers of the library whose titles are nearest to those that the model wrote; they become the survey's."""
        for title in titles[:MOST_TITLES]:
            found = await self.context.library.search(Query(title, NEAREST_TITLES, "title"))
            self.known.update((item.paper.key, item.paper) for item in found if item.paper.key not in self.papers)
        return list(self.known.values())

    async def _finish(
        self, parts: Sequence[_Part], drafts: Sequence[asyncio.Task[Draft | None]], at: int
    ) -> Draft | None:
        """Checked, and connected with its neighbours' drafts: nothing that was not checked comes into it.

        One that loses too many of its claims is drafted once more, and the better of the two is taken.
        """
        own, kept = await drafts[at], parts[at].kept
        if own is None or (kept and kept.is_finished()):
            return own
        before = drafts[at - 1] if at > 0 else None
        after = drafts[at + 1] if at + 1 < len(drafts) else None
        if kept and kept.is_checked:
            return await self._reconnect(own, await _text_of(before), await _text_of(after))
        alone = kept is not None and kept.same_neighbours
        finished = await (self._check(own) if alone else self._check_connected(own, before, after))

        async def write_again(lost: Sequence[LostClaim]) -> Draft | None:
            again = await self._draft(own.node, lost)
            return await self._check_connected(again, before, after) if again else None

        if self.check:
            finished = await write_again_if_lost(finished, write_again)
        if not finished.text:
            why = "; ".join(("no claim of it holds", *(w.detail for w in finished.warnings if w.kind == "unfinished")))
            self.warnings.append(SurveyWarning("unfinished", own.node.title, why))
            return None
        self._done += 1
        due = sum(not (part.kept and part.kept.is_checked) for part in parts)
        await self.context.progress(Progress("writing", self._done, due, own.node.title))
        return finished

    async def _say_once(
        self, part: _Part, checked: asyncio.Task[Draft | None], before: Sequence[asyncio.Task[Draft | None]]
    ) -> Draft | None:
        """Without what the subsections before it say; what was there before stays as it is."""
        own = await checked
        if own is None or (part.kept and part.kept.is_checked):
            return own
        said = [claim for task in before if (draft := await task) for claim in draft.claims]
        return remove_repeated(own, said)

    async def _reconnect(self, own: Draft, before: str, after: str) -> Draft:
        if not self.connect:
            return own
        try:
            return await reconnect(self.model, own, before, after, self.task.topic)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", own.node.title, f"{UNCONNECTED}: {error}"))
            return own

    async def _check_connected(self, own: Draft, before: _Neighbour, after: _Neighbour) -> Draft:
        """The draft checked while its neighbours are waited for, and what leads over to them."""
        if not (self.check and self.connect):
            return await self._check(await self._connect(own, await _text_of(before), await _text_of(after)))
        async with asyncio.TaskGroup() as group:
            checking = group.create_task(self._check(own))
            leading = group.create_task(self._find_transitions(own, before, after))
        return place_transitions(checking.result(), leading.result())

    async def _find_transitions(self, own: Draft, before: _Neighbour, after: _Neighbour) -> Transitions:
        connected = await self._connect(own, await _text_of(before), await _text_of(after))
        return await check_transitions(self.model, own, connected, self.task.topic)

    async def _check(self, draft: Draft) -> Draft:
        return await verify_citations(self.model, draft, self.task.topic) if self.check else mark_unchecked(draft)

    async def _connect(self, own: Draft, before: str, after: str) -> Draft:
        if not self.connect:
            return own
        try:
            return await connect_neighbours(self.model, own, before, after)
        except (LanguageModelError, LimitExceeded) as error:
            self.warnings.append(SurveyWarning("unfinished", own.node.title, f"{UNCONNECTED}: {error}"))
            return own

    async def _whole(
        self, position: int, top: OutlineNode, ready: Mapping[int, asyncio.Task[Draft | None]]
    ) -> Section | None:
        drafts = {id(leaf): await ready[id(leaf)] for _, leaf in leaves_of((top,))}
        self.warnings += [warning for draft in drafts.values() if draft for warning in draft.warnings]
        section = _section(top, drafts)
        if section and all(drafts.values()):
            await self.context.section_finished(section, position)
        return section


@dataclass(frozen=True)
class _Part:
    """A part of the outline, what is there of it already, and whether its whole section is finished."""

    node: OutlineNode
    kept: KeptPart | None
    is_finished: bool


def _parts(tops: Sequence[tuple[int, OutlineNode]]) -> list[tuple[int, str, OutlineNode]]:
    """The parts of the sections in reading order, each with its section's position and its own number."""
    return [(i, f"{i + 1}{number[1:]}", leaf) for i, top in tops for number, leaf in leaves_of((top,))]


def _section(node: OutlineNode, drafts: Mapping[int, Draft | None]) -> Section | None:
    """The node's section with what is written of it; ``None`` where nothing is."""
    if not node.children:
        draft = drafts[id(node)]
        return Section(node.title, draft.text, draft.claims, tally=draft.tally) if draft else None
    below = tuple(section for child in node.children if (section := _section(child, drafts)))
    return open_section(node.title, below) if below else None


async def _text_of(neighbour: _Neighbour) -> str:
    draft = await neighbour if neighbour else None
    return draft.text if draft else ""
