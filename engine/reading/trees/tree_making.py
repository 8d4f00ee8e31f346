"""Makes the attribute trees of papers with a language model: first the kind of each paper, then its fields.

Papers are taken in fixed groups, and a group enters the forest whole: a job that runs again after a crash asks the
same questions and finds them answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from engine.errors import LanguageModelError, LimitExceeded
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import LanguageModel, Request, TypedAnswer, WrittenKey
from engine.llm.prompting import fill, paper_block
from engine.reading.full_text import FullText, take_fitting
from engine.reading.trees.attribute_trees import (
    TEMPLATES,
    AttributeTree,
    AttributeValue,
    TreeKind,
    complete_tree,
    trace_value,
)
from engine.values import Paper, PaperKey, Passage


def take_text(paper: Paper, text: FullText | None, tokens: int) -> Paper:
    """The paper with so many tokens of what its tree is made from: its abstract and the openings of all sections."""
    paper = replace(paper, abstract=paper.abstract or (text.abstract if text else ""))
    body = list(text.body()) if text else []
    chosen = set(take_fitting(_openings(body), tokens * CHARACTERS_PER_TOKEN - len(paper.content)))
    return replace(paper, body=tuple(passage for passage in body if passage in chosen))


def _openings(body: Sequence[Passage]) -> Iterator[Passage]:
    """Passages of the main text: the first of every section, then the second of every, and so on."""
    sections: dict[str, list[Passage]] = {}
    for passage in body:
        sections.setdefault(passage.section, []).append(passage)
    for row in zip_longest(*sections.values()):
        yield from filter(None, row)


GROUP = 24
"""Papers whose kinds are asked for at once."""

ABSTRACTS_AT_ONCE = 3
"""Papers whose trees are made in one call where only their abstracts are known; a full text has a call of its own."""

KIND_TOKENS = 100
"""What of an abstract decides the kind."""

TREE_ATTEMPTS = 2
"""How often a paper is asked about, the second time alone, until a value of it holds."""


class KindOfPaper(TypedAnswer):
    """The kind of one paper."""

    key: WrittenKey
    kind: TreeKind


class KindsAnswer(TypedAnswer):
    """The kinds of all papers asked about."""

    papers: list[KindOfPaper]


class FieldOfTree(TypedAnswer):
    """What a paper says for one field, and the numbers of its sentences that say it."""

    field: str
    text: str
    sentences: list[int]


class TreeOfPaper(TypedAnswer):
    """The fields of one paper that have a value."""

    key: WrittenKey
    fields: list[FieldOfTree]


class TreesAnswer(TypedAnswer):
    """The fields of all papers asked about."""

    trees: list[TreeOfPaper]


@dataclass
class TreeReport:
    """What became of the papers: their trees, those that failed with the reason, and values that did not hold."""

    trees: dict[PaperKey, AttributeTree] = field(default_factory=dict)
    failed: dict[PaperKey, str] = field(default_factory=dict)
    untraced: int = 0


async def make_trees(model: LanguageModel, group: Sequence[Paper], report: TreeReport) -> None:
    """The trees of one group into the report; a paper that fails is listed there, and the others go on."""
    try:
        kinds = await _decide_kinds(model, group)
    except (LanguageModelError, LimitExceeded) as error:
        report.failed |= {paper.key: str(error) for paper in group}
        return
    unknown = [paper for paper in group if paper.key not in kinds]
    report.failed |= {paper.key: "the model named no kind for it" for paper in unknown}
    async with asyncio.TaskGroup() as tasks:
        for kind, some in _calls(group, kinds):
            tasks.create_task(_fill_in(model, kind, some, report))


def groups_of(papers: Sequence[Paper]) -> list[Sequence[Paper]]:
    """The papers in groups that depend on their order alone."""
    return [papers[start : start + GROUP] for start in range(0, len(papers), GROUP)]


async def _decide_kinds(model: LanguageModel, group: Sequence[Paper]) -> Mapping[PaperKey, TreeKind]:
    prompt = fill("surveyx/kinds", papers=paper_block([replace(paper, body=()) for paper in group], KIND_TOKENS))
    request = Request("extraction", f"kinds/{group[0].key}", prompt, 40 * len(group) + 256, 0.0)
    answer = await model.answer_typed(request, KindsAnswer)
    asked = {paper.key for paper in group}
    return {item.key: item.kind for item in answer.papers if item.key in asked}


def _calls(group: Sequence[Paper], kinds: Mapping[PaperKey, TreeKind]) -> list[tuple[TreeKind, Sequence[Paper]]]:
    """Papers that are asked about together: a full text alone, abstracts of one kind a few at once."""
    calls: list[tuple[TreeKind, Sequence[Paper]]] = []
    for kind in TEMPLATES:
        mine = [paper for paper in group if kinds.get(paper.key) == kind]
        calls += [(kind, (paper,)) for paper in mine if paper.body]
        short = [paper for paper in mine if not paper.body]
        starts = range(0, len(short), ABSTRACTS_AT_ONCE)
        calls += [(kind, short[start : start + ABSTRACTS_AT_ONCE]) for start in starts]
    return calls


async def _fill_in(
    model: LanguageModel, kind: TreeKind, papers: Sequence[Paper], report: TreeReport, attempt: int = 1
) -> None:
    """Ask for the fields; what the answer leaves out, or names nothing that holds for, is asked again alone."""
    try:
        values = await _ask(model, kind, papers, attempt, report)
    except (LanguageModelError, LimitExceeded) as error:
        report.failed |= {paper.key: str(error) for paper in papers}
        return
    for paper in papers:
        if found := values.get(paper.key):
            report.trees[paper.key] = complete_tree(paper, kind, found)
        elif attempt < TREE_ATTEMPTS:
            await _fill_in(model, kind, [paper], report, attempt + 1)
        else:
            report.failed[paper.key] = "nothing in the answer could be found in its text"


async def _ask(
    model: LanguageModel, kind: TreeKind, papers: Sequence[Paper], attempt: int, report: TreeReport
) -> dict[PaperKey, dict[str, AttributeValue]]:
    fields = "\n".join(f"- {name}: {asks}" for name, asks in TEMPLATES[kind].items())
    prompt = fill("surveyx/trees", kind=kind, fields=fields, papers=paper_block(papers))
    again = f"/again {attempt - 1}" if attempt > 1 else ""
    request = Request("extraction", f"trees/{papers[0].key}{again}", prompt, 1_200 * len(papers), 0.0)
    answer = await model.answer_typed(request, TreesAnswer)
    found: dict[PaperKey, dict[str, AttributeValue]] = {}
    by_key = {paper.key: paper for paper in papers}
    for tree in answer.trees:
        paper = by_key.get(tree.key)
        if paper is None:
            continue
        for item in tree.fields:
            name = item.field.strip().lower()
            value = trace_value(item.text, item.sentences, paper) if name in TEMPLATES[kind] else None
            if value is None:
                report.untraced += 1
            else:
                found.setdefault(paper.key, {}).setdefault(name, value)
    return found
