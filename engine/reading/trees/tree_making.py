"""Makes the attribute trees of papers with a language model: first the kind of each paper, then its fields.

Papers are taken in fixed groups, and a group enters the forest whole: a job that runs again after a crash asks the
same questions and finds them answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from engine.errors import LanguageModelError, LimitExceeded
from engine.limits import CHARACTERS_PER_TOKEN
from engine.llm.model import LanguageModel, Request, TypedAnswer, WrittenKey
from engine.llm.prompting import data, fill, paper_block
from engine.reading.full_text import FullText, take_fitting
from engine.reading.trees.attribute_trees import (
    TEMPLATES,
    AttributeTree,
    AttributeValue,
    Level,
    Source,
    TreeKind,
    complete_tree,
    trace_value,
)
from engine.text import clean, sentences
from engine.values import Paper, PaperKey, Passage

LONGEST_SENTENCE = 1_200
"""Characters of a sentence that are shown; what is longer is a table or a formula that was read as one."""


def source_of(paper: Paper, text: FullText | None, tokens: int) -> Source:
    """Numbered sentences of the abstract and, where the text was read, of its main body, ``tokens`` in all."""
    own = paper.abstract or (text.abstract if text else "")
    told: Level = "abstract" if own else "summary"
    abstract = [Passage(s, told.capitalize()) for s in _sentences(own or paper.summary)]
    room = tokens * CHARACTERS_PER_TOKEN - sum(len(s.text) for s in abstract)
    body = list(text.body()) if text else []
    chosen = set(take_fitting(_openings(body), room))
    read = [
        Passage(sentence, passage.section, passage.page)
        for passage in body
        if passage in chosen
        for sentence in _sentences(passage.text)
    ]
    return Source(paper.key, clean(paper.title), "full text" if read else told, (*abstract, *read))


def _sentences(text: str) -> list[str]:
    return [sentence[:LONGEST_SENTENCE] for sentence in sentences(clean(text))]


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


async def make_trees(model: LanguageModel, group: Sequence[Source], report: TreeReport) -> None:
    """The trees of one group into the report; a paper that fails is listed there, and the others go on."""
    try:
        kinds = await _decide_kinds(model, group)
    except (LanguageModelError, LimitExceeded) as error:
        report.failed |= {source.key: str(error) for source in group}
        return
    unknown = [source for source in group if source.key not in kinds]
    report.failed |= {source.key: "the model named no kind for it" for source in unknown}
    async with asyncio.TaskGroup() as tasks:
        for kind, some in _calls(group, kinds):
            tasks.create_task(_fill_in(model, kind, some, report))


def groups_of(papers: Sequence[Paper]) -> list[Sequence[Paper]]:
    """The papers in groups that depend on their order alone."""
    return [papers[start : start + GROUP] for start in range(0, len(papers), GROUP)]


async def _decide_kinds(model: LanguageModel, group: Sequence[Source]) -> Mapping[PaperKey, TreeKind]:
    shown = [Paper(s.key, s.title, " ".join(passage.text for passage in s.sentences)) for s in group]
    prompt = fill("surveyx/kinds", papers=paper_block(shown, KIND_TOKENS))
    request = Request("extraction", f"kinds/{group[0].key}", prompt, 40 * len(group) + 256, 0.0)
    answer = await model.answer_typed(request, KindsAnswer)
    asked = {source.key for source in group}
    return {item.key: item.kind for item in answer.papers if item.key in asked}


def _calls(group: Sequence[Source], kinds: Mapping[PaperKey, TreeKind]) -> list[tuple[TreeKind, Sequence[Source]]]:
    """Papers that are asked about together: a full text alone, abstracts of one kind a few at once."""
    calls: list[tuple[TreeKind, Sequence[Source]]] = []
    for kind in TEMPLATES:
        mine = [source for source in group if kinds.get(source.key) == kind]
        calls += [(kind, (source,)) for source in mine if source.level == "full text"]
        short = [source for source in mine if source.level != "full text"]
        starts = range(0, len(short), ABSTRACTS_AT_ONCE)
        calls += [(kind, short[start : start + ABSTRACTS_AT_ONCE]) for start in starts]
    return calls


async def _fill_in(
    model: LanguageModel, kind: TreeKind, sources: Sequence[Source], report: TreeReport, attempt: int = 1
) -> None:
    """Ask for the fields; what the answer leaves out, or names nothing that holds for, is asked again alone."""
    try:
        values = await _ask(model, kind, sources, attempt, report)
    except (LanguageModelError, LimitExceeded) as error:
        report.failed |= {source.key: str(error) for source in sources}
        return
    for source in sources:
        if found := values.get(source.key):
            report.trees[source.key] = complete_tree(source, kind, found)
        elif attempt < TREE_ATTEMPTS:
            await _fill_in(model, kind, [source], report, attempt + 1)
        else:
            report.failed[source.key] = "nothing in the answer could be found in its text"


async def _ask(
    model: LanguageModel, kind: TreeKind, sources: Sequence[Source], attempt: int, report: TreeReport
) -> dict[PaperKey, dict[str, AttributeValue]]:
    fields = "\n".join(f"- {name}: {asks}" for name, asks in TEMPLATES[kind].items())
    papers = []
    for one in sources:
        lines = "\n".join(f"{i}. {data(passage.text)}" for i, passage in enumerate(one.sentences, start=1))
        papers.append(f'<paper key="{one.key}">\n{data(one.title)}\n{lines}\n</paper>')
    prompt = fill("surveyx/trees", kind=kind, fields=fields, papers="\n".join(papers))
    again = f"/again {attempt - 1}" if attempt > 1 else ""
    request = Request("extraction", f"trees/{sources[0].key}{again}", prompt, 1_200 * len(sources), 0.0)
    answer = await model.answer_typed(request, TreesAnswer)
    found: dict[PaperKey, dict[str, AttributeValue]] = {}
    by_key = {source.key: source for source in sources}
    for tree in answer.trees:
        source = by_key.get(tree.key)
        if source is None:
            continue
        for item in tree.fields:
            name = item.field.strip().lower()
            value = trace_value(item.text, item.sentences, source) if name in TEMPLATES[kind] else None
            if value is None:
                report.untraced += 1
            else:
                found.setdefault(source.key, {}).setdefault(name, value)
    return found
