"""SurveyX's RAG rewriting (3.2.3): a drafted subsection changed by edits against what its paragraphs find."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from engine.citations import keep_allowed_citations, list_cited_keys, remove_citations
from engine.errors import LanguageModelError, LimitExceeded
from engine.llm.model import LanguageModel, Request, TypedAnswer
from engine.llm.prompting import data, fill
from engine.reading.trees.forests import TreeIndex
from engine.recipes.surveyx_material import GIST_FIELDS, Material
from engine.survey import SurveyWarning
from engine.text import all_sentences, replace_sentences, split_sentences
from engine.values import PaperKey
from engine.writing.drafting import Draft

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

    model: LanguageModel
    material: Material
    index: TreeIndex
    trial: int = 0
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
        request = Request("checking", f"rewrite/{self.trial}/{draft.node.title}", prompt, 64 * lines + 512, 0.3)
        try:
            answer = await self.model.answer_typed(request, RewriteAnswer)
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
