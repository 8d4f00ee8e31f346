"""SurveyX's attribute forest: papers prepared with their trees (3.1.2), and drafts rewritten by them (3.2.3)."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.citations import keep_allowed_citations, list_cited_keys, remove_citations
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import Request, TypedAnswer, tokens_of
from engine.llm.prompting import data, fill, first_author, paper_block
from engine.reading.full_text import FullText
from engine.reading.trees.attribute_trees import AttributeTree, digest_text
from engine.reading.trees.forests import Forest, TreeIndex
from engine.reading.trees.tree_making import (
    ABSTRACTS_AT_ONCE,
    KIND_TOKENS,
    TreeReport,
    groups_of,
    make_trees,
    take_text,
)
from engine.run import CallChain, PlannedCall, Progress, RunContext
from engine.survey import SurveyWarning
from engine.text import all_sentences, replace_sentences, split_sentences
from engine.values import Paper, PaperKey, Passage
from engine.writing.drafting import Draft
from engine.writing.estimates import PROMPT_OVERHEAD

GIST_FIELDS = frozenset(
    {
        "problem.definition",
        "idea.opinion",
        "idea.innovation",
        "method.description",
        "dataset.content",
        "metrics.aspect",
        "theory.opinion",
        "background.scope",
        "architecture.fields/stages",
        "conclusion",
        "conclusion.results",
    }
)
"""What says where a paper belongs in a field; the rest is for writing."""


@dataclass(frozen=True)
class Material:
    """The papers of a survey, best first, the trees of those that have one, and the full texts that were read."""

    papers: Mapping[PaperKey, Paper]
    trees: Mapping[PaperKey, AttributeTree]
    texts: Mapping[PaperKey, FullText] = field(default_factory=dict)
    failed: Mapping[PaperKey, str] = field(default_factory=dict)
    """Why papers whose texts were read have no tree."""

    def notes(self, keys: Iterable[PaperKey], fields: Collection[str] | None = None) -> str:
        """Papers as quoted data: their trees' values (of these fields), else their abstracts."""
        return "\n".join(_describe(self.papers[key], self.trees.get(key), fields) for key in keys)

    def evidence(self, key: PaperKey) -> Paper:
        """The paper with the sentences of its full text that its tree stands on, for a check against them."""
        tree = self.trees.get(key)
        read = [v for _, v in tree.list_known() if v.level == "full text"] if tree else []
        passages = dict.fromkeys(Passage(value.quote, value.section, value.page) for value in read)
        return replace(self.papers[key], body=(*self.papers[key].body, *passages))

    def read_in_full(self) -> list[PaperKey]:
        """Papers whose tree stands on more than the abstract."""
        return [key for key, tree in self.trees.items() if tree.level == "full text"]

    def explain_missing(self) -> tuple[str, ...]:
        """What a person should know: which papers stay with their abstracts, and why."""
        short = sum(key not in self.trees and key not in self.failed for key in self.papers)
        said = [f"{short} of {len(self.papers)} papers have only an abstract: no attribute tree is made of those"]
        named = "; ".join(f"“{self.papers[key].title}” ({why})" for key, why in self.failed.items())
        lost = f"{len(self.failed)} papers have no attribute tree and stay with their abstracts: {named}"
        return (*(said if short else ()), *([lost] if self.failed else ()))


def _describe(paper: Paper, tree: AttributeTree | None, fields: Collection[str] | None) -> str:
    if tree is None:
        return paper_block([paper])
    known = dict(tree.list_known())
    chosen = {name: value for name, value in known.items() if fields is None or name in fields} or known
    lines = [f"{name}: {data(value.text)}" for name, value in chosen.items()]
    title = f"{data(paper.title)} ({data(author_and_year(paper))})"
    return "\n".join((f'<paper key="{paper.key}">', title, *lines, "</paper>"))


def author_and_year(paper: Paper) -> str:
    """“Lewis et al. 2020”; what is not known is left out."""
    return " ".join(part for part in (first_author(paper), str(paper.year or "")) if part) or "no author given"


TREE_TOKENS = 8_000
"""What of a full text is read for a tree: the abstract and the openings of all sections (SurveyX's code: 20,000)."""

TREE_OVERHEAD = 800
"""Tokens of the rules, the fields and the JSON schema of one call that makes trees."""

ABSTRACT_TREE_TOKENS, TEXT_TREE_TOKENS = 480, 900
"""What a tree of an abstract, and one of a full text, has when it is written as JSON; measured on 300 abstracts."""


def plan_trees(due: Sequence[Paper], full_texts: int) -> list[CallChain]:
    """The calls that make the trees of these papers, ``full_texts`` of which are read in whole; sizes in tokens."""
    sizes = map(len, groups_of(due))
    calls = [PlannedCall("extraction", n * (KIND_TOKENS + 40) + PROMPT_OVERHEAD, n * 18) for n in sizes]
    short = [tokens_of(paper.content) for paper in due[full_texts:]]
    for start in range(0, len(short), ABSTRACTS_AT_ONCE):
        some = short[start : start + ABSTRACTS_AT_ONCE]
        read = sum(some) + 40 * len(some) + TREE_OVERHEAD
        calls.append(PlannedCall("extraction", read, ABSTRACT_TREE_TOKENS * len(some)))
    calls += [PlannedCall("extraction", TREE_TOKENS + TREE_OVERHEAD, TEXT_TREE_TOKENS)] * full_texts
    return [(call,) for call in calls]


async def grow_forest(
    papers: Sequence[Paper], texts: Mapping[PaperKey, FullText], context: RunContext, forest: Forest
) -> TreeReport:
    """The trees of all papers; those that the forest has cost nothing, each group of new ones is stored when whole."""
    model = context.require_model()
    known = dict(await forest.get([paper.key for paper in papers]))
    report, done = TreeReport(), 0

    def list_due(group: Sequence[Paper]) -> list[Paper]:
        read = (take_text(paper, texts.get(paper.key), TREE_TOKENS) for paper in group)
        return [paper for paper in read if needs_tree(known.get(paper.key), paper)]

    async def grow(group: Sequence[Paper]) -> None:
        nonlocal done
        if due := await asyncio.to_thread(list_due, group):
            await make_trees(model, due, report)
            await forest.add([report.trees[paper.key] for paper in due if paper.key in report.trees])
        done += len(group)
        await context.progress(Progress("trees", done, len(papers)))

    await context.progress(Progress("trees", 0, len(papers)))
    async with asyncio.TaskGroup() as tasks:
        for group in groups_of(papers):
            tasks.create_task(grow(group))
    report.trees = {**known, **report.trees}
    return report


async def prepare(papers: Sequence[Paper], context: RunContext, *, with_trees: bool) -> Material:
    """Papers with their trees; without trees (an ablation) with what was read of their texts."""
    texts, known = await context.read_texts(papers), {paper.key: paper for paper in papers}
    if not with_trees:
        bodies = {key: text.take_opening(TREE_TOKENS) for key, text in texts.items()}
        return Material({key: replace(p, body=bodies.get(key, p.body)) for key, p in known.items()}, {}, texts)
    read_in_full = [paper for paper in papers if paper.key in texts]  # of an abstract a tree says what that says
    report = await grow_forest(read_in_full, texts, context, context.forest)
    return Material(known, {**await context.forest.get(list(known)), **report.trees}, texts, report.failed)


def needs_tree(known: AttributeTree | None, paper: Paper) -> bool:
    """Whether a tree is to be made: there is none, or it was made from another text and no longer one."""
    digest = digest_text(paper)  # also of one without a tree: it divides the text, which prompt and tree need divided
    is_lost = known is not None and known.level == "full text" and not paper.body
    return bool(paper.content or paper.body) and not is_lost and (known is None or known.digest != digest)


FOUND_EACH = 3
"""Papers that a paragraph finds in the forest (SurveyX's code takes two to five)."""

FOUND_MOST = 12
"""Papers found for one subsection."""


class SentenceEdit(TypedAnswer):
    """A sentence as it should be; empty where it should go."""

    sentence: int
    text: str


class RewriteAnswer(TypedAnswer):
    """The sentences that change."""

    edits: list[SentenceEdit]


@dataclass
class Rewriting:
    """Rewrites the drafts of one trial; counts the citations that it ``removed`` and ``added``."""

    context: RunContext
    material: Material
    index: TreeIndex
    removed: int = 0
    added: int = 0

    async def rewrite(self, draft: Draft) -> Draft:
        """The draft with its edits; as it was, and a warning, where none can be had."""
        found = await self._find(draft)
        cited = list_cited_keys(draft.text)
        prompt = fill(
            "surveyx/rewrite",
            sentences=number_sentences(draft.text),
            cited=self.material.notes((key for key in cited if key in self.material.papers), GIST_FIELDS),
            found=self.material.notes(found, GIST_FIELDS) or "(none)",
        )
        lines = len(all_sentences(draft.text))
        request = Request(
            "checking", f"rewrite/{self.context.attempt}/{draft.node.title}", prompt, 64 * lines + 512, 0.3
        )
        try:
            answer = await self.context.require_model().answer_typed(request, RewriteAnswer)
        except (LanguageModelError, LimitExceeded) as error:
            warning = SurveyWarning("unfinished", draft.node.title, f"not rewritten: {error}")
            return replace(draft, warnings=(*draft.warnings, warning))
        own = {paper.key for paper in draft.papers}
        text = apply_edits(draft.text, answer.edits, {*own, *found})
        before, after = _count_citations(draft.text), _count_citations(text)
        self.removed, self.added = self.removed + (before - after).total(), self.added + (after - before).total()
        new = tuple(self.material.evidence(key) for key in found if key in after and key not in own)
        return replace(draft, text=text, papers=(*draft.papers, *new)) if text else draft

    async def _find(self, draft: Draft) -> list[PaperKey]:
        """The papers nearest to the draft's paragraphs that it does not cite."""
        cited, found = list_cited_keys(draft.text), dict[PaperKey, None]()
        for paragraph in draft.text.split("\n\n"):
            asked = remove_citations(paragraph)
            near = await asyncio.to_thread(self.index.search, asked, FOUND_EACH + len(cited))
            found.update(dict.fromkeys([key for key in near if key not in cited][:FOUND_EACH]))
        return list(found)[:FOUND_MOST]


def _count_citations(text: str) -> Counter[PaperKey]:
    return Counter(key for sentence in all_sentences(text) for key in list_cited_keys(sentence))


def number_sentences(text: str) -> str:
    """The sentences numbered through, paragraphs divided by an empty line."""
    number = itertools.count(1)
    blocks = ([f"{next(number)}. {data(sentence)}" for sentence in paragraph] for paragraph in split_sentences(text))
    return "\n\n".join(map("\n".join, blocks))


def apply_edits(text: str, edits: Sequence[SentenceEdit], allowed: Collection[PaperKey]) -> str:
    """The text with the edits, sentences counted from 1; keys that are not allowed go."""
    there = range(1, len(all_sentences(text)) + 1)
    said = {edit.sentence: " ".join(edit.text.split()) for edit in edits if edit.sentence in there}
    return replace_sentences(text, {number: keep_allowed_citations(line, allowed) for number, line in said.items()})
